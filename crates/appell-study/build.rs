//! Names this build of the algebra: what it decided may be kept for programs of the same build only.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let sources = folder.join("../appell-expr/src");
    // A published crate has no sources beside it, and its version never changes.
    let name = match sources.is_dir() {
        true => format!("{version}-{:016x}", digest(&sources)?),
        false => version,
    };
    println!("cargo::rustc-env=APPELL_ALGEBRA={name}");
    println!("cargo::rerun-if-changed=build.rs");
    if sources.is_dir() {
        println!("cargo::rerun-if-changed={}", sources.display());
    }
    Ok(())
}

/// The hash of all files of a folder.
fn digest(folder: &Path) -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    let mut pending = vec![folder.to_path_buf()];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            match path.is_dir() {
                true => pending.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    for file in files {
        fs::read(file)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}
