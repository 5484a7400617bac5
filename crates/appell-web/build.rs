//! A stack for deep formulas, as a browser's own is 1 MiB; and every file of `exercises/`: a new one is one new file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const STACK: usize = 16 << 20;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo:rustc-link-arg-cdylib=-zstack-size={STACK}");
    }
    let folder = |key| env::var_os(key).map(PathBuf::from).unwrap_or_default();
    let exercises = folder("CARGO_MANIFEST_DIR").join("exercises");
    println!("cargo:rerun-if-changed={}", exercises.display());
    fs::write(
        folder("OUT_DIR").join("exercises.rs"),
        embedded(&exercises)?,
    )
}

/// A list of names and texts.
fn embedded(folder: &Path) -> io::Result<String> {
    let files: io::Result<Vec<PathBuf>> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect();
    let mut files = files?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    let mut code = String::from(
        "/// Exercises to begin with, by name.\nconst EXERCISES: &[(&str, &str)] = &[\n",
    );
    for path in &files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.canonicalize()?;
        let _ = writeln!(code, "    ({name:?}, include_str!({path:?})),");
    }
    code.push_str("];\n");
    Ok(code)
}
