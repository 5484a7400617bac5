//! What the packages of Rust hold: all that they read while they are built, and what others must know of them.

use crate::steps::cargo;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// What every package holds beside its sources.
const WITH: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// What its manifest says, for those who search.
const SAID: [&str; 3] = ["description", "license", "readme"];
const LISTED: [&str; 2] = ["keywords", "categories"];
/// How sources name files that they are built with.
const INCLUSIONS: [&str; 2] = ["include_str!(\"", "include_bytes!(\""];

/// One package for others.
pub struct Package {
    pub name: String,
    pub version: String,
    pub folder: PathBuf,
    manifest: Value,
}

impl Package {
    /// Its name as a file or a folder, without an ending.
    pub fn stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// The packages of the repository that are given to others.
pub fn published(root: &Path) -> Result<Vec<Package>, String> {
    let all = packages(root)?;
    let is_given = |package: &Package| package.manifest["publish"].is_null();
    Ok(all.into_iter().filter(is_given).collect())
}

/// The names of those that stay.
pub fn own(root: &Path) -> Result<Vec<String>, String> {
    let all = packages(root)?;
    let stays = |package: &&Package| !package.manifest["publish"].is_null();
    Ok(all
        .iter()
        .filter(stays)
        .map(|package| package.name.clone())
        .collect())
}

fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let mut asked = cargo("metadata --locked --no-deps --format-version 1");
    let answer = asked.current_dir(root).output();
    let answer = answer.map_err(|error| format!("cargo metadata: {error}"))?;
    let read = serde_json::from_slice::<Value>(&answer.stdout);
    let metadata = read.map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let text = |manifest: &Value, key: &str| manifest[key].as_str().unwrap_or_default().to_owned();
    Ok(packages
        .map(|manifest| Package {
            name: text(manifest, "name"),
            version: text(manifest, "version"),
            folder: PathBuf::from(text(manifest, "manifest_path")).with_file_name(""),
            manifest: manifest.clone(),
        })
        .collect())
}

/// Looks at every package without building it.
///
/// # Errors
/// What is missing, one line each.
pub fn check(root: &Path) -> Result<(), String> {
    let published = published(root)?;
    let mut wrong = Vec::new();
    for package in &published {
        let files = listed(root, package)?;
        let name = &package.name;
        wrong.extend(
            unsaid(&package.manifest).map(|key| format!("{name}: its manifest has no `{key}`")),
        );
        let lacking = WITH
            .iter()
            .filter(|file| !files.iter().any(|known| known == *file));
        wrong.extend(lacking.map(|file| format!("{name}: it would be packaged without `{file}`")));
        for source in files.iter().filter(|file| file.ends_with(".rs")) {
            let place = package.folder.join(source);
            let text = fs::read_to_string(&place);
            let text = text.map_err(|error| format!("`{}`: {error}", place.display()))?;
            let needed = inclusions(source, &text);
            let away = needed.iter().filter(|file| !files.contains(file));
            wrong.extend(away.map(|file| {
                format!("{name}: `{source}` reads `{file}`, which is not packaged with it")
            }));
        }
    }
    if wrong.is_empty() {
        eprintln!("{} packages hold what they need", published.len());
        return Ok(());
    }
    Err(wrong.join("\n"))
}

/// What the manifest leaves out.
fn unsaid(manifest: &Value) -> impl Iterator<Item = &'static str> {
    let has_text = |key: &str| manifest[key].as_str().is_some_and(|text| !text.is_empty());
    let has_list = |key: &str| {
        manifest[key]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    };
    let texts = SAID.into_iter().filter(move |key| !has_text(key));
    texts.chain(LISTED.into_iter().filter(move |key| !has_list(key)))
}

/// The files of a package, from its folder.
fn listed(root: &Path, package: &Package) -> Result<Vec<String>, String> {
    let mut list = cargo("package --list --allow-dirty --quiet --package");
    let answer = list.arg(&package.name).current_dir(root).output();
    let answer = answer.map_err(|error| format!("cargo package --list: {error}"))?;
    if !answer.status.success() {
        let why = String::from_utf8_lossy(&answer.stderr).into_owned();
        return Err(format!("{}: {why}", package.name));
    }
    let files = String::from_utf8_lossy(&answer.stdout).replace('\\', "/");
    Ok(files.lines().map(str::to_owned).collect())
}

/// The files that a source is built with, from the package's folder.
fn inclusions(source: &str, text: &str) -> Vec<String> {
    let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
    let named = INCLUSIONS.iter().flat_map(|how| text.split(how).skip(1));
    let named = named.filter_map(|rest| rest.split_once('"').map(|(file, _)| file));
    named.map(|file| joined(folder, file)).collect()
}

/// A path without `..`, but where it leads out of the package.
fn joined(folder: &str, file: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in file.split('/') {
        match part {
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_that_sources_read_are_found_from_the_package() {
        let text = "const A: &str = include_str!(\"a.md\");\nlet b = include_bytes!(\"../../b.bin\");\
                    include_str!(\"../../../zoo/skate.toml\")";
        let found = inclusions("src/page/mod.rs", text);
        assert_eq!(found, ["src/page/a.md", "../zoo/skate.toml", "b.bin"]);
    }

    #[test]
    fn a_manifest_without_words_is_told() {
        let bare = json!({"description": "", "license": "MIT", "keywords": []});
        let missing: Vec<_> = unsaid(&bare).collect();
        assert_eq!(missing, ["description", "readme", "keywords", "categories"]);
    }
}
