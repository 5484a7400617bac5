//! The programs for NVIDIA GPUs, compiled by NVIDIA's compiler, which needs no GPU.

use crate::python::{fresh, is_strict, program};
use crate::steps::{cargo, succeeds};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// NVIDIA's compiler as a wheel, for Linux on x86-64.
const COMPILER: &str = "nvidia-cuda-nvrtc-cu12==12.9.86";
/// Where the library lies in it.
const FIND: &str =
    "import nvidia.cuda_nvrtc as own; print(own.__path__[0] + '/lib/libnvrtc.so.12')";

/// Runs the tests of GPU programs with the compiler; without it they compile nothing.
///
/// # Errors
/// A program does not compile, or spills more than it should; in CI also where the compiler cannot be had.
pub fn check(root: &Path) -> Result<(), String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        eprintln!("left out: there is a wheel of NVIDIA's compiler for Linux on x86-64 only");
        return Ok(());
    }
    let library = match library(root) {
        Ok(library) => library,
        Err(why) if !is_strict() => {
            eprintln!("left out: programs for GPUs are not compiled: {why}");
            return Ok(());
        }
        Err(why) => return Err(why),
    };
    let mut tests = cargo("test --locked --workspace --test all -- devices:: --nocapture");
    tests.env("APPELL_NVRTC", library).current_dir(root);
    match tests.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the tests of GPU programs fail ({status})")),
        Err(error) => Err(format!("cargo could not be started: {error}")),
    }
}

/// The compiler's library, in an environment of its own.
fn library(root: &Path) -> Result<PathBuf, String> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let environment = fresh(&root.join(target).join("devices"))?;
    let python = || Command::new(program(&environment, "python"));
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    if !succeeds(python().args(install).arg(COMPILER)) {
        return Err(format!("{COMPILER} cannot be installed"));
    }
    let found = python().args(["-c", FIND]).output();
    let found = found.map_err(|error| error.to_string())?;
    let path = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    match found.status.success() {
        true => Ok(path.into()),
        false => Err(format!("{COMPILER} has no library")),
    }
}
