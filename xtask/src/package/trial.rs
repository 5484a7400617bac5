//! What was packaged is installed and used as by a stranger: in a folder for temporary files, without the repository.

use super::{Plan, contents, empty, ending};
use crate::page::must;
use crate::python;
use crate::steps::cargo;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Models that programs installed from packages read, judge, move and prove.
const MODELS: [&str; 2] = ["skate", "rolling-disc"];

/// Tries everything that lies in the folder of packages.
///
/// # Errors
/// The first that cannot be installed or does not work.
pub fn run(plan: &Plan<'_>) -> Result<(), String> {
    let place = std::env::temp_dir().join(format!("appell-trial-{}", std::process::id()));
    empty(&place)?;
    // Without links, as programs say where they are.
    let place = place.canonicalize().map_err(|error| format!("{error}"))?;
    let mut tried = 0;
    for archive in named(plan, "appell-", ".tar.gz")? {
        if is_sources(&archive) {
            continue;
        }
        eprintln!("\n== trial: {}", shown(&archive));
        unpack(&archive, &place)?;
        let inside = place.join(shown(&archive).trim_end_matches(".tar.gz"));
        use_tool(&inside.join(format!("appell{EXE_SUFFIX}")), &place)?;
        tried += 1;
    }
    if !ending(&plan.out, ".crate")?.is_empty() {
        eprintln!("\n== trial: the crates");
        use_tool(&installed(plan, &place)?, &place)?;
        tried += 1;
    }
    let mut of_python = ending(&plan.out, ".whl")?;
    of_python.extend(
        named(plan, "appell-", ".tar.gz")?
            .into_iter()
            .filter(|file| is_sources(file)),
    );
    for package in of_python {
        eprintln!("\n== trial: {}", shown(&package));
        use_python(plan, &package, &place)?;
        tried += 1;
    }
    fs::remove_dir_all(&place).map_err(|error| format!("`{}`: {error}", place.display()))?;
    if tried == 0 {
        return Err("there is nothing to try: run `cargo xtask package`".to_owned());
    }
    eprintln!("{tried} packages were installed and used");
    Ok(())
}

fn named(plan: &Plan<'_>, start: &str, end: &str) -> Result<Vec<PathBuf>, String> {
    let mut files = ending(&plan.out, end)?;
    files.retain(|file| shown(file).starts_with(start));
    Ok(files)
}

/// Whether an archive is Python's package of sources, which no machine is named in.
fn is_sources(archive: &Path) -> bool {
    shown(archive).matches('-').count() == 1
}

fn shown(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn unpack(archive: &Path, place: &Path) -> Result<(), String> {
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(archive).arg("-C").arg(place);
    must(&mut unpack, "the archive")
}

/// The tool, compiled from the packages alone: each finds the others in the same folder, all else is as in the
/// repository's `Cargo.lock`, without a network.
fn installed(plan: &Plan<'_>, place: &Path) -> Result<PathBuf, String> {
    let place = place.join("crates");
    empty(&place)?;
    let mut members = String::new();
    let mut patches = String::new();
    for package in contents::published(plan.root)? {
        let stem = package.stem();
        unpack(&plan.out.join(format!("{stem}.crate")), &place)?;
        members += &format!("{stem:?}, ");
        patches += &format!("{} = {{ path = {stem:?} }}\n", package.name);
    }
    let manifest = read(&plan.root.join("Cargo.toml"))?;
    let profiles = manifest
        .find("\n[profile.")
        .map_or("", |at| &manifest[at..]);
    let profiles = without_packages(profiles);
    let text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}{profiles}"
    );
    save(&place.join("Cargo.toml"), &text)?;
    save(
        &place.join("Cargo.lock"),
        &read(&plan.root.join("Cargo.lock"))?,
    )?;
    // Leaves the packages that stayed in the repository out of the lock file.
    let mut trim = cargo("metadata --offline --quiet --format-version 1");
    let trimmed = trim.current_dir(&place).output();
    if !trimmed.as_ref().is_ok_and(|answer| answer.status.success()) {
        return Err(format!("the packages do not fit together: {trimmed:?}"));
    }
    let mut install = cargo("install --offline --locked --no-track --bin appell --profile");
    install
        .arg(plan.profile)
        .arg("--path")
        .arg(format!("appell-cli-{}", env!("CARGO_PKG_VERSION")))
        .args(["--root", "installed"])
        // What the repository's own packages rest on need not be compiled again.
        .env("CARGO_TARGET_DIR", &plan.target)
        .current_dir(&place);
    must(&mut install, "`cargo install` of the packages")?;
    Ok(place
        .join("installed/bin")
        .join(format!("appell{EXE_SUFFIX}")))
}

/// The profiles of a manifest, but those that name packages one by one: not all of these are there.
fn without_packages(profiles: &str) -> String {
    let tables = profiles
        .split("\n[")
        .filter(|table| !table.contains(".package]\n"));
    tables.collect::<Vec<_>>().join("\n[")
}

/// Copies models from the tool's own gallery, and asks it about them.
fn use_tool(tool: &Path, place: &Path) -> Result<(), String> {
    for model in MODELS {
        let ask = |arguments: &[&str]| {
            let mut ask = Command::new(tool);
            ask.args(arguments).args(["--quiet"]).current_dir(place);
            must(&mut ask, &format!("`appell {}` of {model}", arguments[0]))
        };
        let file = format!("{model}.toml");
        let text = Command::new(tool).args(["new", model]).output();
        let text = text.map_err(|error| format!("`{}`: {error}", tool.display()))?;
        save(&place.join(&file), &String::from_utf8_lossy(&text.stdout))?;
        ask(&["check", &file])?;
        ask(&["prove", &file])?;
        ask(&["cite", &file])?;
        ask(&["run", &file, "--until", "1", "-o", "motion.csv"])?;
        ask(&["report", &file, "-o", "page.html"])?;
        let rows = read(&place.join("motion.csv"))?.lines().count();
        if rows < 10 {
            return Err(format!("`appell run` of {model} wrote {rows} lines"));
        }
    }
    Ok(())
}

/// Installs a package of Python in a fresh environment, and runs the example of its README there.
fn use_python(plan: &Plan<'_>, package: &Path, place: &Path) -> Result<(), String> {
    let environment = python::fresh(&place.join("python"))?;
    let mut install = Command::new(python::program(&environment, "python"));
    install
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .arg(package)
        // For the package of sources, which is compiled.
        .env("CARGO_TARGET_DIR", &plan.target)
        .env("MATURIN_PEP517_ARGS", format!("--profile {}", plan.profile))
        .current_dir(place);
    must(&mut install, "`pip install`")?;
    let readme = read(&plan.root.join("crates/appell-py/README.md"))?;
    let example = readme.split("```python\n").nth(1);
    let example = example.and_then(|rest| rest.split("```").next());
    let example = example.ok_or("the README of the Python package has no example")?;
    let asserted = "assert motion.residual.max() < 1e-9\n\
                    assert abs(motion[\"theta'\"] - 2).max() < 1e-12\n\
                    print(ap.__version__, ap.__file__)\n";
    let script = place.join("example.py");
    save(&script, &format!("{example}\n{asserted}"))?;
    let mut run = Command::new(python::program(&environment, "python"));
    must(
        run.arg(&script).current_dir(place),
        "the example of its README",
    )
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("`{}`: {error}", path.display()))
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_of_single_packages_stay_behind() {
        let text = "\n[profile.web]\nlto = true\n\n[profile.web.package]\nappell = 1\n\n[profile.dev]\nopt-level = 1\n";
        let kept = without_packages(text);
        assert!(kept.contains("[profile.web]\nlto") && kept.contains("[profile.dev]\nopt"));
        assert!(!kept.contains("appell = 1"));
    }

    #[test]
    fn sources_of_python_are_told_from_the_tool() {
        assert!(is_sources(Path::new("out/appell-0.1.0.tar.gz")));
        assert!(!is_sources(Path::new(
            "appell-0.1.0-x86_64-unknown-linux-gnu.tar.gz"
        )));
    }
}
