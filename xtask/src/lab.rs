//! `cargo xtask lab`: Appell in a browser tab, one file that opens from a disk, and its tests.

use crate::page::{firefox, has_browser, left_out, must, npm};
use crate::steps::{cargo, has_target, succeeds, tool};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sources of the page, its build and its tests, from the root.
const LAB: &str = "crates/appell-web/lab";
/// The engine, small and without a compiler for machine code.
const ENGINE: &str = "build --locked --profile web -p appell-web --target wasm32-unknown-unknown";
/// The stack of Node for deep formulas, as a worker has it in a browser.
const STACK: &str = "--stack-size=30000";

/// Builds the lab and opens it in a browser. What cannot be done here is said; under `CI=true` it is a failure.
///
/// # Errors
/// What is wrong, in words.
pub fn run(root: &Path) -> Result<(), String> {
    match build(root)? {
        Some(page) => check(root, &page),
        None => Ok(()),
    }
}

/// Opens a lab that was built.
///
/// # Errors
/// What is wrong, in words.
pub fn check(root: &Path, page: &Path) -> Result<(), String> {
    if !has_browser() {
        return left_out("there is no Chromium: the lab was not opened");
    }
    eprintln!("\n== lab: in a browser, and beside the tool");
    let tool = tool(root)?;
    let test = || -> Result<Command, String> {
        let mut test = node(root);
        test.arg("tests/lab.mjs")
            .args([page, &engine(root)?, &tool, &root.join("zoo")]);
        Ok(test)
    };
    must(test()?.env_remove("FIREFOX"), "the lab")?;
    let Some(firefox) = firefox() else {
        eprintln!(
            "left out: there is no Firefox: the lab was not opened in it. Install it, or say where it is in FIREFOX"
        );
        return Ok(());
    };
    eprintln!("\n== lab: in {}", firefox.display());
    must(test()?.env("FIREFOX", firefox), "the lab in Firefox")
}

/// Writes `lab.html` beside the engine; `None` where Node or Rust's library for browsers is missing.
///
/// # Errors
/// What is wrong, in words.
pub fn build(root: &Path) -> Result<Option<PathBuf>, String> {
    if !succeeds(Command::new("npm").arg("--version")) {
        return left_out("there is no Node with npm: the lab was not built").map(|()| None);
    }
    if !has_target() {
        let why = "the lab was not built: `rustup target add wasm32-unknown-unknown`";
        return left_out(why).map(|()| None);
    }
    eprintln!("\n== lab: cargo {ENGINE}");
    must(cargo(ENGINE).current_dir(root), "the engine")?;
    let lab = root.join(LAB);
    must(npm(&lab, &["ci", "--no-audit", "--no-fund"]), "npm ci")?;
    let types = "the types of the lab";
    must(npm(&lab, &["run", "--silent", "check"]), types)?;
    let engine = engine(root)?;
    let page = engine.with_file_name("lab.html");
    must(
        node(root).arg("build.mjs").args([&engine, &page]),
        "the lab",
    )?;
    Ok(Some(page))
}

fn node(root: &Path) -> Command {
    let mut node = Command::new("node");
    node.current_dir(root.join(LAB)).arg(STACK);
    node
}

/// The module that cargo has built.
fn engine(root: &Path) -> Result<PathBuf, String> {
    let target = crate::site::target(root)?;
    Ok(target.join("wasm32-unknown-unknown/web/appell_web.wasm"))
}
