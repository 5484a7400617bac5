//! `cargo xtask page`: the page's script is what its sources say, and the pages of the whole gallery work
//! in a real browser.

use crate::steps::{install, succeeds, tool};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sources of the script and its tests, from the root.
const WEB: &str = "crates/appell-report/web";
/// What is opened in Firefox too; with `APPELL_PAGES=whole` in the environment all.
const IN_FIREFOX: [&str; 3] = ["hostile", "skate", "rolling-disc"];

/// Where a browser may be.
const BROWSERS: [&str; 3] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
];

const FIREFOXES: [&str; 3] = [
    "/usr/bin/firefox-esr",
    "/usr/bin/firefox",
    "/snap/bin/firefox",
];

/// Bundles the script anew and compares; then opens the page of every model in a browser. What cannot be
/// done here is said; under `CI=true` it is a failure.
///
/// # Errors
/// What is wrong, in words.
pub fn run(root: &Path) -> Result<(), String> {
    let web = root.join(WEB);
    if !succeeds(Command::new("npm").arg("--version")) {
        return left_out(
            "there is no Node with npm: neither the script nor the pages were checked",
        );
    }
    eprintln!("\n== page: npm ci");
    must(npm(&web, &["ci", "--no-audit", "--no-fund"]), "npm ci")?;
    eprintln!("\n== page: the script is what its sources say");
    must(
        npm(&web, &["run", "--silent", "check"]),
        "the types of the script",
    )?;
    bundle_is_current(root, &web)?;
    if !has_browser() {
        return left_out(
            "there is no Chromium, and it may not be installed: the pages were not opened. \
             Install it, say where it is in CHROMIUM, or allow it with --install",
        );
    }
    eprintln!("\n== page: every model's page in a browser");
    let tool = tool(root)?;
    let pages = tool.with_file_name("pages");
    let node = |script: &str, arguments: &[&Path]| {
        let mut test = Command::new("node");
        test.current_dir(&web).arg(script).args(arguments);
        test
    };
    let zoo = root.join("zoo");
    let test = || node("tests/run.mjs", &[&tool, &zoo, &pages]);
    let charts = || node("tests/chart.mjs", &[&tool, &pages]);
    must(test().env_remove("FIREFOX"), "a page")?;
    must(charts().env_remove("FIREFOX"), "a chart")?;
    let Some(firefox) = firefox() else {
        eprintln!(
            "left out: there is no Firefox: no page was opened in it. Install it, or say where it is in FIREFOX"
        );
        return Ok(());
    };
    eprintln!("\n== page: some in {}", firefox.display());
    must(charts().env("FIREFOX", &firefox), "a chart in Firefox")?;
    let mut some = test();
    some.env("FIREFOX", firefox);
    // All take it three quarters of an hour.
    if std::env::var_os("APPELL_PAGES").is_none_or(|asked| asked != "whole") {
        some.args(IN_FIREFOX);
    }
    must(&mut some, "a page in Firefox")
}

/// Opens pages of the documentation in a browser, where [`run`] has prepared for it.
///
/// # Errors
/// What is wrong, in words.
pub fn documentation(root: &Path, site: &Path) -> Result<(), String> {
    let web = root.join(WEB);
    if !web.join("node_modules").exists() || !has_browser() {
        return left_out("there is no Node or no Chromium: the documentation was not opened");
    }
    eprintln!("\n== site: in a browser");
    let mut test = Command::new("node");
    test.current_dir(&web).arg("tests/site.mjs").arg(site);
    must(&mut test, "the documentation")
}

/// The kept script, byte for byte.
fn bundle_is_current(root: &Path, web: &Path) -> Result<(), String> {
    let kept = web.join("page.js");
    let read = |path: &Path| {
        fs::read(path).map_err(|error| format!("`{}` cannot be read: {error}", path.display()))
    };
    let before = read(&kept)?;
    must(npm(web, &["run", "--silent", "bundle"]), "the bundle")?;
    if read(&kept)? == before {
        return Ok(());
    }
    let path = kept.strip_prefix(root).unwrap_or(&kept);
    Err(format!(
        "`{}` was not what its sources say; it is written anew: look at it and keep it",
        path.display()
    ))
}

/// A browser, installed if that is allowed.
pub fn has_browser() -> bool {
    let there = || {
        std::env::var_os("CHROMIUM").is_some()
            || BROWSERS.iter().any(|place| Path::new(place).exists())
    };
    if there() {
        return true;
    }
    install(&["chromium"]) && there()
}

/// Where Firefox is: what FIREFOX says, or that of the system.
pub fn firefox() -> Option<PathBuf> {
    let named = std::env::var_os("FIREFOX").map(PathBuf::from);
    let places = FIREFOXES.iter().map(PathBuf::from);
    named.into_iter().chain(places).find(|place| place.exists())
}

pub fn npm(web: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(web).args(arguments);
    command
}

pub fn must(mut command: impl std::borrow::BorrowMut<Command>, what: &str) -> Result<(), String> {
    match command.borrow_mut().status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{what} is not right; see above")),
        Err(error) => Err(format!("{what}: it could not be started: {error}")),
    }
}

/// Tells what was not done; where everything must be, that is a failure.
pub fn left_out(what: &str) -> Result<(), String> {
    let everything = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    forgiven(what, everything)
}

fn forgiven(what: &str, everything: bool) -> Result<(), String> {
    if everything {
        return Err(what.to_owned());
    }
    eprintln!("left out: {what}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_fails_only_where_everything_must_be_done() {
        assert_eq!(forgiven("nothing", false), Ok(()));
        assert_eq!(forgiven("all", true), Err("all".to_owned()));
    }

    #[test]
    fn a_program_that_fails_or_is_not_there_is_no_success() {
        assert!(!succeeds(&mut Command::new("there-is-no-such-program")));
        assert!(must(&mut Command::new("there-is-no-such-program"), "it").is_err());
    }
}
