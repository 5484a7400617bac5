//! The repository's own chores: `cargo xtask test`, `cargo xtask tidy`, `cargo xtask page`,
//! `cargo xtask python`, `cargo xtask corpus`, `cargo xtask errata`, `cargo xtask reference`, `cargo xtask site`,
//! `cargo xtask lab`, `cargo xtask tex`, `cargo xtask devices`, `cargo xtask package`, `cargo xtask fuzz`,
//! `cargo xtask bench`.

mod bench;
mod devices;
mod lab;
mod package;
mod page;
mod python;
mod site;
mod steps;
mod tex;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask CHORE [--install]

Nothing is installed on this machine but in CI or with --install; what is missing is left out and named.

  test    all that must hold: tidy, format, lints, documentation, tests, Python,
          pages in a browser
  tidy    the repository's laws alone
  page    the pages of the gallery in a browser
  lab     Appell in a browser tab: builds the one file and opens it in a browser
  tex     the equations of the gallery and the paper set by TeX, no line too wide
  python  wheel, tests, types and notebooks of the Python package alone
  devices the programs for NVIDIA GPUs, compiled by NVIDIA's compiler; needs no GPU
  corpus  every model of strangers/ in every form, and 2,000 variations of them; counts how they end
  fuzz    models made of those of zoo/ and strangers/, asked every question: `--models N --seed S`; what is
          found is made smaller and kept in fuzz/
  errata  writes docs/errata.md from the gallery's claims
  reference
          writes docs/format.md, docs/errors.md and docs/glossary.md from the reader's tables
  site    writes the documentation as static pages to target/site, or to DIR with `--out DIR`, and
          follows its links
  package what is given to others, in target/package-out with checksums, installed and used elsewhere:
          `package crates tool wheel sdist trial` or some of them; `--quick` without optimisation,
          `--check` looks only at what the crates hold; takes long
  bench   times beside those of C by hand and other programs, which it installs under target/;
          `bench NAME` for one part, `--quick` for a fast subset; nothing fails for being slow
";

/// The exit code of a wrong command line, as the tool's own.
const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let arguments: Vec<&str> = arguments
        .into_iter()
        .filter(|argument| *argument != steps::INSTALL)
        .collect();
    match arguments[..] {
        ["test"] => steps::run(&root()),
        ["tidy"] => tidy::run(&root()),
        ["python"] => steps::python(&root()),
        ["corpus"] => steps::corpus(&root()),
        ["fuzz", ref rest @ ..] => steps::fuzz(&root(), rest),
        ["errata"] => steps::errata(&root()),
        ["reference"] => steps::reference(&root()),
        ["site", ref rest @ ..] => report(site::run(&root(), rest)),
        ["page"] => report(page::run(&root())),
        ["lab"] => report(lab::run(&root())),
        ["tex"] => report(tex::run(&root())),
        ["devices"] => report(devices::check(&root())),
        ["package", ref rest @ ..] => report(package::run(&root(), rest)),
        ["bench", ref rest @ ..] => report(bench::run(&root(), rest)),
        ["--help" | "-h" | "help"] => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(USAGE_ERROR)
        }
    }
}

fn report(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository, one above this package.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}
