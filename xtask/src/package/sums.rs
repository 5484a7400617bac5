//! SHA-256 of every file, as `sha256sum --check` reads them.

use super::ending;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

pub const FILE: &str = "SHA256SUMS";

/// Writes the sums of a folder's files into it, and says how many there are.
pub fn write(folder: &Path) -> Result<usize, String> {
    let mut lines = String::new();
    let files = ending(folder, "")?;
    let files = files.iter().filter(|file| !file.ends_with(FILE));
    for file in files {
        let bytes = fs::read(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        lines += &format!("{}  {name}\n", sum(&bytes));
    }
    let count = lines.lines().count();
    let place = folder.join(FILE);
    fs::write(&place, lines).map_err(|error| format!("`{}`: {error}", place.display()))?;
    Ok(count)
}

fn sum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sum(b"abc"), expected);
    }
}
