//! `cargo xtask package`: what is given to others, in one folder with its checksums, and tried away from the repository.
//!
//! Wheel and source package of Python, the tool with its man pages and completions, and the crates. A trial installs each
//! of them in a folder for temporary files, where nothing of the repository can be found, and uses it.

mod archive;
mod contents;
mod sums;
mod trial;

use crate::page::must;
use crate::python;
use crate::site;
use crate::steps::cargo;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use contents::check;

/// Where everything is put, under the target folder.
const OUT: &str = "package-out";
/// The profile of `Cargo.toml` in which all is built; that of `--quick`.
const PROFILES: [&str; 2] = ["dist", "dev"];
/// The oldest glibc that wheels are for: that of 2012, as far back as Rust itself goes.
const GLIBC: &str = "manylinux_2_17";
/// What `requirements.txt` names for building wheels, and the linker that knows old versions of glibc.
const BUILDER: &str = "maturin";
const LINKER: &str = "ziglang==0.15.1";

/// The package of Python.
const PYTHON: &str = "crates/appell-py";

/// What is asked for, by name.
const PARTS: [&str; 5] = ["crates", "tool", "wheel", "sdist", "trial"];

/// How one run builds, and where.
pub struct Plan<'a> {
    root: &'a Path,
    /// Cargo's own folder.
    target: PathBuf,
    out: PathBuf,
    profile: &'static str,
}

/// Builds the parts that are asked for, all by default, and tries what was built. `--check` looks only at what the
/// packages of Rust would hold; `--quick` builds without optimisation, to try and not to give away.
///
/// # Errors
/// What cannot be built, or does not work when it is installed, in words.
pub fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    if arguments == ["--check"] {
        return check(root);
    }
    let quick = arguments.contains(&"--quick");
    let asked: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|argument| *argument != "--quick")
        .collect();
    if let Some(unknown) = asked.iter().find(|part| !PARTS.contains(part)) {
        let known = PARTS.join(", ");
        return Err(format!(
            "no part `{unknown}`; there are {known}, and the options --quick and --check"
        ));
    }
    let target = site::target(root)?;
    let out = target.join(OUT);
    let profile = PROFILES[usize::from(quick)];
    let plan = Plan {
        root,
        target,
        out,
        profile,
    };
    let wants = |part: &str| asked.is_empty() || asked.contains(&part);
    if asked != ["trial"] {
        check(root)?;
        empty(&plan.out)?;
    }
    if wants("crates") {
        crates(&plan)?;
    }
    if wants("tool") {
        archive::write(&plan)?;
    }
    if wants("wheel") || wants("sdist") {
        let builder = builder(&plan)?;
        if wants("wheel") {
            wheel(&plan, &builder)?;
        }
        if wants("sdist") {
            sources(&plan, &builder)?;
        }
    }
    let count = sums::write(&plan.out)?;
    if wants("trial") {
        trial::run(&plan)?;
    }
    eprintln!("{count} files and {} in {}", sums::FILE, plan.out.display());
    Ok(())
}

/// The packages of Rust, which are built only in the trial, all together.
fn crates(plan: &Plan<'_>) -> Result<(), String> {
    eprintln!("\n== package: the crates");
    let mut package = cargo("package --locked --quiet --no-verify --workspace");
    for name in contents::own(plan.root)? {
        package.args(["--exclude", &name]);
    }
    must(package.current_dir(plan.root), "a package")?;
    for published in contents::published(plan.root)? {
        let name = format!("{}.crate", published.stem());
        copy(
            &plan.target.join("package").join(&name),
            &plan.out.join(name),
        )?;
    }
    Ok(())
}

/// An environment with what builds packages of Python.
fn builder(plan: &Plan<'_>) -> Result<PathBuf, String> {
    eprintln!("\n== package: the builder of wheels");
    let pin = python::pinned(&plan.root.join(PYTHON), BUILDER)?;
    let tools = python::fresh(&plan.target.join("package-tools"))?;
    let mut fill = Command::new(python::program(&tools, "python"));
    fill.args(["-m", "pip", "install", "--quiet", &pin]);
    if cfg!(target_os = "linux") {
        fill.arg(LINKER);
    }
    must(&mut fill, "the builder of wheels")?;
    Ok(tools)
}

fn maturin(plan: &Plan<'_>, tools: &Path) -> Result<Command, String> {
    let mut maturin = Command::new(python::program(tools, BUILDER));
    maturin
        .current_dir(plan.root.join(PYTHON))
        .env("CARGO_TARGET_DIR", &plan.target)
        .env("PATH", python::with_programs(tools)?);
    Ok(maturin)
}

/// The wheel for this machine, for all Pythons from 3.10 on.
fn wheel(plan: &Plan<'_>, tools: &Path) -> Result<(), String> {
    eprintln!("\n== package: the wheel");
    let mut build = maturin(plan, tools)?;
    build.args(["build", "--locked", "--profile", plan.profile, "--out"]);
    build.arg(&plan.out);
    if cfg!(target_os = "linux") {
        build.args(["--zig", "--compatibility", GLIBC]);
    }
    must(&mut build, "the wheel")
}

/// What `pip` compiles where there is no wheel.
fn sources(plan: &Plan<'_>, tools: &Path) -> Result<(), String> {
    eprintln!("\n== package: the sources for Python");
    let mut build = maturin(plan, tools)?;
    must(
        build.args(["sdist", "--out"]).arg(&plan.out),
        "the sources for Python",
    )
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error| format!("`{}` cannot be copied: {error}", from.display());
    fs::copy(from, to).map(|_| ()).map_err(failed)
}

/// A folder without anything in it.
fn empty(folder: &Path) -> Result<(), String> {
    let failed = |error| format!("`{}`: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)
}

/// The files of a folder with this ending, in the order of their names.
fn ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("`{}`: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() && path.to_string_lossy().ends_with(ending) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
