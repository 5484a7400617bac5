//! The tool as it is unpacked: the program, man pages, completions, the schema for editors, licences.

use super::{Plan, copy, empty};
use crate::page::must;
use crate::steps::cargo;
use serde_json::Value;
use std::collections::BTreeSet;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shells that have completions, with the file that each looks for.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "appell.bash"),
    ("zsh", "_appell"),
    ("fish", "appell.fish"),
    ("powershell", "_appell.ps1"),
    ("elvish", "appell.elv"),
];
/// What is told of the repository.
const TEXTS: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];
/// The licences of everything that is compiled into the program.
const NOTICES: &str = "THIRD-PARTY-LICENSES.txt";
/// The signs of the page's formulas, which `report` puts into its pages.
const FONT: &str = "Appell Math, the font in pages of `appell report`: a subset of STIX Math 1.1.1\n\
                    licence: SIL Open Font License 1.1, <https://openfontlicense.org>; its copyright is in the font\n";

/// Writes `appell-VERSION-TARGET.tar.gz`.
pub fn write(plan: &Plan<'_>) -> Result<(), String> {
    eprintln!("\n== package: the tool");
    let mut build = cargo("build --locked --package appell-cli --profile");
    must(build.arg(plan.profile).current_dir(plan.root), "the tool")?;
    // Cargo's folder for the profile `dev` has an older name.
    let folder = if plan.profile == "dev" {
        "debug"
    } else {
        plan.profile
    };
    let program = format!("appell{EXE_SUFFIX}");
    let built = plan.target.join(folder).join(&program);
    let name = format!("appell-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let work = plan.target.join("package-tool");
    let inside = work.join(&name);
    empty(&work)?;
    empty(&inside)?;
    empty(&inside.join("completions"))?;
    copy(&built, &inside.join(&program))?;
    for text in TEXTS {
        copy(&plan.root.join(text), &inside.join(text))?;
    }
    let mut manual = Command::new(&built);
    must(
        manual.arg("manual").arg(inside.join("man")),
        "the man pages",
    )?;
    for (shell, file) in SHELLS {
        let script = said(Command::new(&built).args(["completions", shell]))?;
        save(&inside.join("completions").join(file), &script)?;
    }
    let schema = said(Command::new(&built).arg("schema"))?;
    save(&inside.join("appell.schema.json"), &schema)?;
    save(&inside.join(NOTICES), &notices(plan.root)?)?;
    let mut pack = Command::new("tar");
    pack.arg("-czf")
        .arg(plan.out.join(format!("{name}.tar.gz")))
        .arg(&name)
        .current_dir(&work);
    must(&mut pack, "the archive")
}

/// The machines that the compiler makes programs for, here its own.
fn host() -> Result<String, String> {
    let about = said(Command::new("rustc").arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "rustc does not say what it compiles for".to_owned())
}

/// Names, licences and their texts of all packages that the tool is compiled from, but those of the repository.
fn notices(root: &Path) -> Result<String, String> {
    let mut tree = cargo("tree --locked --package appell-cli --edges normal --prefix none");
    let used = said(tree.args(["--format", "{p}"]).current_dir(root))?;
    let used: BTreeSet<(&str, &str)> = used.lines().filter_map(name_and_version).collect();
    let mut asked = cargo("metadata --locked --format-version 1");
    let metadata = said(asked.current_dir(root))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|e| format!("metadata: {e}"))?;
    let mut text =
        String::from("What the program `appell` is compiled from, and its licences.\n\n");
    text += FONT;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let say = |key: &str| package[key].as_str().unwrap_or_default();
        if package["source"].is_null() || !used.contains(&(say("name"), say("version"))) {
            continue;
        }
        text += &format!("\n{}\n{} {}\n", "=".repeat(80), say("name"), say("version"));
        text += &format!("licence: {}\n", say("license"));
        text += &format!("source: {}\n", say("repository"));
        for file in licences(Path::new(say("manifest_path")))? {
            let bytes = fs::read(&file).map_err(|e| format!("`{}`: {e}", file.display()))?;
            text += &format!("\n{}\n", String::from_utf8_lossy(&bytes).trim_end());
        }
    }
    Ok(text)
}

/// Of a line as `num-traits v0.2.19 (*)`.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(" v")?;
    let version = rest.split(' ').next()?;
    Some((name, version))
}

/// The files beside a manifest that say what may be done with the package.
fn licences(manifest: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = manifest.with_file_name("");
    let mut files = super::ending(&folder, "")?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_uppercase();
        ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"]
            .iter()
            .any(|start| name.starts_with(start))
    });
    Ok(files)
}

/// What a program prints.
fn said(command: &mut Command) -> Result<String, String> {
    let answer = command.output();
    let answer = answer.map_err(|error| format!("{command:?} does not start: {error}"))?;
    if !answer.status.success() {
        let why = String::from_utf8_lossy(&answer.stderr).into_owned();
        return Err(format!("{command:?}: {why}"));
    }
    Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_tree_are_read() {
        let lines = ["num-traits v0.2.19", "serde v1.0.1 (*)", ""];
        let read: Vec<_> = lines.map(name_and_version).into_iter().flatten().collect();
        assert_eq!(read, [("num-traits", "0.2.19"), ("serde", "1.0.1")]);
    }
}
