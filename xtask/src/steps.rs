//! `cargo xtask test`: everything that must hold, in order, up to the first failure.

use crate::devices;
use crate::lab;
use crate::package;
use crate::page;
use crate::python::{self, Verdict};
use crate::site;
use crate::tex;
use crate::tidy;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::LazyLock;
use std::time::Instant;

/// One program that must succeed.
struct Step {
    title: &'static str,
    /// The arguments of `cargo`, separated by blanks.
    arguments: &'static str,
    /// Environment variables for it.
    environment: &'static [(&'static str, &'static str)],
}

/// What takes a minute or two, before what takes half an hour. All steps share one target directory, and none may
/// change `Cargo.lock`.
const QUICK: [Step; 3] = [
    Step {
        title: "format",
        arguments: "fmt --all --check",
        environment: &[],
    },
    Step {
        title: "lints",
        arguments: "clippy --locked --workspace --all-targets -- -D warnings",
        environment: &[],
    },
    Step {
        title: "documentation",
        arguments: "doc --locked --workspace --no-deps",
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
    },
];

/// Every test of the workspace.
const TESTS: Step = Step {
    title: "tests",
    arguments: "test --locked --workspace",
    environment: &[],
};

/// Whether a program starts and ends well; what it prints is not shown.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Whether programs may be installed on this machine: in CI, or where `--install` says so.
pub fn may_install() -> bool {
    let told = std::env::args().any(|argument| argument == INSTALL);
    told || std::env::var_os("CI").is_some_and(|ci| ci == "true")
}

/// Allows a chore to install what it needs.
pub const INSTALL: &str = "--install";

/// Installs a package of Debian, where there are such and it is allowed; options may come before it.
pub fn install(package: &[&str]) -> bool {
    if !may_install() {
        return false;
    }
    // A list of packages may be missing or old; without it the installation tells what is wrong.
    succeeds(Command::new("apt-get").args(["update", "-qq"]));
    let arguments = ["install", "-y", "-qq"];
    succeeds(Command::new("apt-get").args(arguments).args(package))
}

/// Builds the command line and says where it is. Built for the whole workspace it is the one of the tests: by itself
/// it would ask less of the libraries, and all of them would be compiled once more.
///
/// # Errors
/// It is not built.
pub fn tool(root: &Path) -> Result<PathBuf, String> {
    let status = cargo("build --locked --workspace --bin appell")
        .current_dir(root)
        .status();
    outcome(status).map_err(|_| "the command line is not built; see above".to_owned())?;
    let program = std::env::current_exe().map_err(|error| format!("where is xtask? {error}"))?;
    Ok(program.with_file_name(format!("appell{}", std::env::consts::EXE_SUFFIX)))
}

/// The target of Rust for browsers.
const BROWSER: &str = "wasm32-unknown-unknown";

/// The library as it runs in a browser, without machine code.
const WEB: Step = Step {
    title: "browser",
    arguments: "check --locked -p appell -p appell-web --no-default-features --target wasm32-unknown-unknown",
    environment: &[("RUSTFLAGS", "-D warnings")],
};

/// Whether Rust's library for browsers is there, installed if that is allowed.
pub fn has_target() -> bool {
    let there = || {
        let asked = ["--print", "target-libdir", "--target", BROWSER];
        let answer = Command::new("rustc").args(asked).output();
        answer.is_ok_and(|answer| {
            let folder = String::from_utf8_lossy(&answer.stdout);
            answer.status.success() && Path::new(folder.trim()).exists()
        })
    };
    let install = || succeeds(Command::new("rustup").args(["target", "add", BROWSER]));
    there() || (may_install() && install() && there())
}

/// Writes `docs/errata.md`; that it is up to date is a test of the workspace.
const ERRATA: Step = Step {
    title: "errata",
    arguments: "run --locked -p appell --example errata",
    environment: &[],
};

/// Runs [`ERRATA`].
pub fn errata(root: &Path) -> ExitCode {
    run_step(&ERRATA, root).err().unwrap_or(ExitCode::SUCCESS)
}

/// Asks models that are made of others, with these arguments of the example `fuzz`.
pub fn fuzz(root: &Path, arguments: &[&str]) -> ExitCode {
    let mut cargo = Command::new("cargo");
    cargo.args([
        "run",
        "--locked",
        "--release",
        "-p",
        "appell",
        "--example",
        "fuzz",
        "--",
    ]);
    match cargo.args(arguments).current_dir(root).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Writes the kept pages of the reference; that they are up to date is a test of the workspace.
const REFERENCE: Step = Step {
    title: "reference",
    arguments: "run --locked -p appell --example site",
    environment: &[],
};

/// Runs [`REFERENCE`].
pub fn reference(root: &Path) -> ExitCode {
    run_step(&REFERENCE, root)
        .err()
        .unwrap_or(ExitCode::SUCCESS)
}

/// The corpus in every form and all of its variations, of which the tests of the workspace run a share.
const CORPUS: Step = Step {
    title: "corpus",
    arguments: "test --locked --release -p appell --test all -- --nocapture corpus:: variations:: strangers_ends texts_do_not_depend",
    environment: &[("APPELL_CORPUS", "whole")],
};

/// Runs [`CORPUS`].
pub fn corpus(root: &Path) -> ExitCode {
    run_step(&CORPUS, root).err().unwrap_or(ExitCode::SUCCESS)
}

/// Runs the quick steps and [`tidy`], the tests, the Python package, the programs for devices, the pages, the lab and
/// the site; the exit code is that of the first failure.
pub fn run(root: &Path) -> ExitCode {
    match all(root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(code) => code,
    }
}

fn all(root: &Path) -> Result<(), ExitCode> {
    heading("tidy", "cargo xtask tidy");
    succeeded(tidy::run(root))?;
    for step in &QUICK {
        must(step, root)?;
    }
    if has_target() {
        must(&WEB, root)?;
    } else {
        eprintln!("\nleft out: the check for browsers: `rustup target add wasm32-unknown-unknown`");
    }
    must(&TESTS, root)?;
    succeeded(python(root))?;
    pages(root).map_err(|why| {
        eprintln!("\nfailed: {why}");
        ExitCode::FAILURE
    })
}

fn succeeded(code: ExitCode) -> Result<(), ExitCode> {
    if code == ExitCode::SUCCESS {
        Ok(())
    } else {
        Err(code)
    }
}

/// Runs a step, and names it where it fails.
fn must(step: &Step, root: &Path) -> Result<(), ExitCode> {
    run_step(step, root)
        .inspect_err(|_| eprintln!("\nfailed: {} (cargo {})", step.title, step.arguments))
}

/// The report's pages, the lab and the site, in which the lab stands too: it is built once.
fn pages(root: &Path) -> Result<(), String> {
    chore("devices", || devices::check(root))?;
    chore("package", || package::check(root))?;
    chore("page", || page::run(root))?;
    chore("tex", || tex::run(root))?;
    let lab = chore("lab", || {
        let lab = lab::build(root)?;
        lab.iter().try_for_each(|lab| lab::check(root, lab))?;
        Ok(lab)
    })?;
    chore("site", || site::check(root, lab.as_deref()))
}

/// Runs a chore under its heading.
fn chore<T>(name: &str, run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    heading(name, &format!("cargo xtask {name}"));
    run().map_err(|why| format!("{name}: {why}"))
}

/// Checks the Python package; what it needs and is not there is left out, or an error.
pub fn python(root: &Path) -> ExitCode {
    heading("python", "cargo xtask python");
    match python::verdict(python::check(root), python::is_strict()) {
        Verdict::Passed => ExitCode::SUCCESS,
        Verdict::LeftOut(why) => {
            eprintln!("\nleft out: wheel, tests, types and notebooks of the Python package: {why}");
            ExitCode::SUCCESS
        }
        Verdict::Failed(why) => {
            eprintln!("\nfailed: python: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run_step(step: &Step, root: &Path) -> Result<(), ExitCode> {
    heading(step.title, &format!("cargo {}", step.arguments));
    let mut command = cargo(step.arguments);
    command
        .current_dir(root)
        .envs(step.environment.iter().copied());
    outcome(command.status())
}

/// How a program ended: well, or with the exit code to hand on.
fn outcome(status: io::Result<ExitStatus>) -> Result<(), ExitCode> {
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(exit_code(status.code())),
        Err(error) => {
            eprintln!("cargo could not be started: {error}");
            Err(ExitCode::FAILURE)
        }
    }
}

/// The cargo that runs this chore, with arguments separated by blanks.
pub fn cargo(arguments: &str) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments.split_whitespace());
    command
}

/// What a failed program said; one ended by a signal said nothing.
fn exit_code(code: Option<i32>) -> ExitCode {
    let code = code.and_then(|code| u8::try_from(code).ok());
    code.filter(|&code| code != 0)
        .map_or(ExitCode::FAILURE, ExitCode::from)
}

/// On stderr, as are cargo's own messages, so that the order is kept in a log; with the minutes since the first.
fn heading(title: &str, command: &str) {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    let minutes = FIRST.elapsed().as_secs_f64() / 60.0;
    eprintln!("\n== {title}: {command} (after {minutes:.1} min)");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_never_reported_as_success() {
        let shown = |code| format!("{:?}", exit_code(code));
        assert_eq!(shown(Some(101)), format!("{:?}", ExitCode::from(101)));
        for code in [None, Some(0), Some(256), Some(-1)] {
            assert_eq!(shown(code), format!("{:?}", ExitCode::FAILURE), "{code:?}");
        }
    }

    #[test]
    fn every_step_that_builds_keeps_the_lock_file() {
        for step in QUICK.iter().chain([&TESTS, &ERRATA, &REFERENCE]) {
            let builds = !step.arguments.starts_with("fmt ");
            assert_eq!(
                step.arguments.contains(" --locked"),
                builds,
                "{}",
                step.title
            );
        }
    }

    #[test]
    fn a_program_that_did_not_start_has_failed() {
        assert!(outcome(Ok(ExitStatus::default())).is_ok());
        assert!(outcome(Err(io::ErrorKind::NotFound.into())).is_err());
    }
}
