//! Brings the bibliography of the repository, to which `refs.bib` links, or that of the package.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = |key| env::var_os(key).map(PathBuf::from).unwrap_or_default();
    let link = folder("CARGO_MANIFEST_DIR").join("refs.bib");
    println!("cargo::rerun-if-changed={}", link.display());
    let mut text = fs::read_to_string(&link)?;
    // Where links are not allowed, as on Windows, git writes a file with the way in it.
    if text.starts_with("..") {
        let file = link.with_file_name(text.trim());
        println!("cargo::rerun-if-changed={}", file.display());
        text = fs::read_to_string(file)?;
    }
    fs::write(folder("OUT_DIR").join("refs.bib"), text)
}
