//! Embeds every file of `zoo/`: a new system is one new file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // Asked when it runs: a build folder may serve several copies of the sources.
    let crate_folder = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let zoo = linked(Path::new(&crate_folder).join("zoo"))?;
    println!("cargo::rerun-if-changed={}", zoo.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&zoo)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            files.push(path);
        }
    }
    files.sort();
    let mut code = String::from("static ENTRIES: &[Entry] = &[\n");
    for path in &files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.canonicalize()?;
        let _ = writeln!(
            code,
            "    Entry {{ name: {name:?}, text: include_str!({path:?}) }},"
        );
    }
    code.push_str("];\n");
    let target = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    fs::write(target.join("gallery.rs"), code)
}

/// Where a link leads: where links are not allowed, as on Windows, git writes a file with the way in it.
fn linked(place: PathBuf) -> io::Result<PathBuf> {
    if !place.is_file() {
        return Ok(place);
    }
    let way = fs::read_to_string(&place)?;
    Ok(place.with_file_name(way.trim()))
}
