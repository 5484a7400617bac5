//! The Python package: wheel, tests, stubs and notebooks, in an environment made for it.

use crate::steps::{install, succeeds, tool};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest Python that is supported.
const OLDEST: &str = "import sys, venv; sys.exit(sys.version_info < (3, 10))";

/// Why a step did not succeed.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// This machine has not what is needed: nothing is known of the package.
    Missing(String),
    /// The package is wrong.
    Wrong(String),
}

/// What is done with a failure.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// Everything holds.
    Passed,
    /// Not looked at, which is said.
    LeftOut(String),
    /// An error.
    Failed(String),
}

/// Where what is missing is an error too: on the machine that accepts changes.
pub fn is_strict() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}

/// What a result means; only a machine of a developer may leave things out.
pub fn verdict(result: Result<(), Failure>, strict: bool) -> Verdict {
    match result {
        Ok(()) => Verdict::Passed,
        Err(Failure::Missing(what)) if !strict => Verdict::LeftOut(what),
        Err(Failure::Missing(what) | Failure::Wrong(what)) => Verdict::Failed(what),
    }
}

/// Builds the wheel, installs it in a fresh environment under the target folder, and runs the tests, the
/// notebooks among them, and the checks of the types.
///
/// # Errors
/// The first step that does not succeed.
pub fn check(root: &Path) -> Result<(), Failure> {
    let package = root.join("crates/appell-py");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = root.join(target);
    let place = target.join("python");
    let environment = environment(&place, &package)?;
    let wheels = place.join("wheels");
    let command = |tool: &str| Command::new(program(&environment, tool));
    let mut build = command("maturin");
    build
        .args(["build", "--locked", "--profile", "dev"])
        .args(["--auditwheel", "skip", "--out"])
        .arg(&wheels)
        // It may have been given relative to the root.
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&package);
    right(&mut build, "the wheel is not built")?;
    let mut fill = command("python");
    fill.args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .arg(wheel(&wheels)?);
    right(&mut fill, "the wheel is not installed")?;
    let mut stubs = command("python");
    stubs
        .args(["-m", "mypy.stubtest", "appell._appell"])
        .args(["--mypy-config-file", "pyproject.toml"])
        .current_dir(&package);
    right(&mut stubs, "the stubs do not fit the extension")?;
    let mut types = command("python");
    types.args(["-m", "mypy"]).current_dir(&package);
    right(&mut types, "the types are wrong")?;
    by_pyright(&environment, &package)?;
    let cli = tool(root).map_err(Failure::Wrong)?;
    if is_strict() && !has_octave() {
        eprintln!("\n== python: installing Octave");
        // What it recommends are documents and Java.
        if !(install(&["--no-install-recommends", "octave"]) && has_octave()) {
            eprintln!(
                "left out: the exported code for MATLAB is not run, for Octave cannot be installed"
            );
        }
    }
    let mut tests = command("python");
    tests
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .args(["-n", "auto", "--dist", "worksteal"])
        .env("APPELL_CLI", cli)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(&package);
    right(&mut tests, "the tests of the package fail")
}

/// The types by a second checker, which needs Node and fetches itself from npm: where it cannot, that is said.
fn by_pyright(environment: &Path, package: &Path) -> Result<(), Failure> {
    let python = program(environment, "python");
    let pyright = || {
        let mut command = Command::new(&python);
        command.args(["-m", "pyright"]);
        command
    };
    if !succeeds(pyright().arg("--version")) {
        eprintln!("left out: the types are not checked by pyright, which cannot be had here");
        return Ok(());
    }
    let mut types = pyright();
    types.arg("--pythonpath").arg(&python).current_dir(package);
    right(&mut types, "the types are wrong, by pyright")
}

/// Whether there is an interpreter of MATLAB's language.
fn has_octave() -> bool {
    succeeds(Command::new("octave").arg("--version"))
}

/// A new virtual environment with what the tests need.
fn environment(place: &Path, package: &Path) -> Result<PathBuf, Failure> {
    let python = python().ok_or_else(|| {
        Failure::Missing(
            "there is no Python of version 3.10 or newer; `PYTHON` may name one".to_owned(),
        )
    })?;
    let unusable = |error| Failure::Wrong(format!("{}: {error}", place.display()));
    if place.exists() {
        fs::remove_dir_all(place).map_err(unusable)?;
    }
    fs::create_dir_all(place).map_err(unusable)?;
    let environment = place.join("environment");
    let mut make = Command::new(python);
    make.args(["-m", "venv"]).arg(&environment);
    present(&mut make, "a virtual environment cannot be made")?;
    let mut fill = Command::new(program(&environment, "python"));
    fill.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ])
    .arg(package.join("requirements.txt"));
    present(&mut fill, "what the tests need cannot be installed")?;
    Ok(environment)
}

/// The first Python that is new enough.
fn python() -> Option<String> {
    let named = env::var("PYTHON").ok();
    let names = named
        .into_iter()
        .chain(["python3", "python"].map(str::to_owned));
    names.into_iter().find(|name| {
        let status = Command::new(name).args(["-c", OLDEST]).status();
        status.is_ok_and(|status| status.success())
    })
}

/// An environment with nothing in it, for what is not for this repository alone.
///
/// # Errors
/// There is no Python that is new enough, or it makes no environment.
pub fn fresh(place: &Path) -> Result<PathBuf, String> {
    if place.exists() {
        fs::remove_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    let python = python().ok_or("there is no Python of version 3.10 or newer")?;
    let mut make = Command::new(python);
    succeed(make.args(["-m", "venv"]).arg(place))
        .map_err(|why| format!("a virtual environment cannot be made ({why})"))?;
    Ok(place.to_owned())
}

/// What `requirements.txt` asks for, with its version.
pub fn pinned(package: &Path, name: &str) -> Result<String, String> {
    let path = package.join("requirements.txt");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let pin = text
        .lines()
        .find(|line| line.split('=').next() == Some(name));
    pin.map(str::to_owned)
        .ok_or_else(|| format!("{}: it does not name {name}", path.display()))
}

/// A PATH on which the programs of an environment come first.
pub fn with_programs(environment: &Path) -> Result<OsString, String> {
    let folder = program(environment, "python").with_file_name("");
    let path = env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(folder).chain(env::split_paths(&path));
    env::join_paths(all).map_err(|error| format!("PATH: {error}"))
}

/// A program of an environment.
pub fn program(environment: &Path, name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    environment.join(folder).join(executable(name))
}

fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// The only wheel of a folder.
fn wheel(folder: &Path) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut wheels = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "whl"));
    wheels
        .next()
        .ok_or_else(|| Failure::Wrong("there is no wheel".to_owned()))
}

/// Runs what may be missing.
fn present(command: &mut Command, what: &str) -> Result<(), Failure> {
    succeed(command).map_err(|why| Failure::Missing(format!("{what} ({why})")))
}

/// Runs what must succeed.
fn right(command: &mut Command, what: &str) -> Result<(), Failure> {
    succeed(command).map_err(|why| Failure::Wrong(format!("{what} ({why})")))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_left_out_but_not_where_changes_are_accepted() {
        let missing = || Err(Failure::Missing("no Python".to_owned()));
        let wrong = || Err(Failure::Wrong("a test fails".to_owned()));
        assert_eq!(
            verdict(missing(), false),
            Verdict::LeftOut("no Python".to_owned())
        );
        assert_eq!(
            verdict(missing(), true),
            Verdict::Failed("no Python".to_owned())
        );
        for strict in [false, true] {
            assert_eq!(
                verdict(wrong(), strict),
                Verdict::Failed("a test fails".to_owned())
            );
            assert_eq!(verdict(Ok(()), strict), Verdict::Passed);
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_missing() {
        let mut command = Command::new("no-such-program-at-all");
        assert!(matches!(
            present(&mut command, "it"),
            Err(Failure::Missing(_))
        ));
        let mut command = Command::new("no-such-program-at-all");
        assert!(matches!(right(&mut command, "it"), Err(Failure::Wrong(_))));
    }
}
