//! The files of the repository, read once.

use std::fs;
use std::path::Path;

/// All text files, in the order of their paths.
pub struct Repository {
    pub files: Vec<File>,
}

/// One text file.
pub struct File {
    /// From the root, with `/`.
    pub path: String,
    pub text: String,
}

/// Folders that are not the repository's own work. Other hidden ones are skipped but these two.
const SKIPPED: [&str; 2] = ["target", "node_modules"];
const HIDDEN: [&str; 2] = [".cargo", ".ci"];
/// Where git is in another place than the files, it says here where.
const WORKTREE: &str = ".git";

impl Repository {
    /// Reads every file under `root` that is UTF-8 text; others have no words to check.
    pub fn read(root: &Path) -> Result<Repository, String> {
        let mut files = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let place = root.join(&folder);
            let entries = fs::read_dir(&place).map_err(|error| unreadable(&folder, &error))?;
            for entry in entries {
                let entry = entry.map_err(|error| unreadable(&folder, &error))?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if folder.is_empty() {
                    name.clone()
                } else {
                    format!("{folder}/{name}")
                };
                let kind = entry
                    .file_type()
                    .map_err(|error| unreadable(&path, &error))?;
                if kind.is_dir() && is_own(&name) {
                    folders.push(path);
                } else if kind.is_file() && name != WORKTREE {
                    let bytes = fs::read(entry.path()).map_err(|e| unreadable(&path, &e))?;
                    files.extend(
                        String::from_utf8(bytes)
                            .ok()
                            .map(|text| File { path, text }),
                    );
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Repository { files })
    }

    /// A repository of these files (path, text), for tests.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Repository {
        let file = |&(path, text): &(&str, &str)| File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        Repository {
            files: files.iter().map(file).collect(),
        }
    }

    /// The files with this ending, as `".rs"`.
    pub fn ending(&self, ending: &str) -> impl Iterator<Item = &File> {
        self.files
            .iter()
            .filter(move |file| file.path.ends_with(ending))
    }
}

impl File {
    /// The lines with their numbers, from one.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }
}

fn is_own(folder: &str) -> bool {
    !SKIPPED.contains(&folder) && (!folder.starts_with('.') || HIDDEN.contains(&folder))
}

fn unreadable(path: &str, error: &std::io::Error) -> String {
    format!("`{path}` cannot be read: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_this_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let repository = Repository::read(&root).expect("readable");
        let has = |path: &str| repository.files.iter().any(|file| file.path == path);
        assert!(has("Cargo.toml") && has("xtask/src/tidy/repository.rs"));
        assert!(has(".ci/run") && has(".cargo/config.toml"));
        assert!(
            !repository
                .files
                .iter()
                .any(|file| file.path.starts_with("target/"))
        );
        assert!(
            !repository
                .files
                .iter()
                .any(|file| file.path.starts_with(".git/"))
        );
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        assert!(Repository::read(Path::new("no/such/folder")).is_err());
    }
}
