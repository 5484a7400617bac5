//! The folder of a study: files that are there whole or not at all, whoever else writes into it.

use crate::columns::hexadecimal;
use crate::problem::Problem;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder of a study.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

/// A draft may be swept away by another process just before it is locked: then it is written again.
const ATTEMPTS: usize = 16;

static DRAFTS: AtomicU64 = AtomicU64::new(0);

impl Folder {
    /// A folder that may not be there yet.
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Makes the folder.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(&self) -> Result<(), Problem> {
        let made = fs::create_dir_all(&self.0);
        made.map_err(|error| Problem::of_file(&self.0, "cannot be made", &error))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Puts a file in its place when all of it is on the disk. One that is there is replaced.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Problem> {
        let path = self.file(name);
        let put = self.attempts(name, bytes, |draft| fs::rename(draft, &path));
        put.map_err(|error| Problem::of_file(&path, "cannot be written", &error))
    }

    /// The same for a file that is not there yet; whether it was not.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put_new(&self, name: &str, bytes: &[u8]) -> Result<bool, Problem> {
        let path = self.file(name);
        let put = self.attempts(name, bytes, |draft| match fs::hard_link(draft, &path) {
            Err(error) if error.kind() == ErrorKind::Unsupported => fs::rename(draft, &path),
            linked => linked,
        });
        match put {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Problem::of_file(&path, "cannot be written", &error)),
        }
    }

    fn attempts(
        &self,
        name: &str,
        bytes: &[u8],
        place: impl Fn(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut last = Ok(());
        for _ in 0..ATTEMPTS {
            last = self.attempt(name, bytes, &place);
            match &last {
                Err(error) if error.kind() == ErrorKind::NotFound && self.0.is_dir() => {}
                _ => break,
            }
        }
        last
    }

    /// Draft, lock, write, sync, put in place, sync of the folder.
    fn attempt(
        &self,
        name: &str,
        bytes: &[u8],
        place: &impl Fn(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let draft = Draft(self.0.join(draft_name(name)));
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&draft.0)?;
        // Who sweeps leaves alone what is locked; not every file system has locks.
        let _ = file.lock();
        file.write_all(bytes)?;
        file.sync_all()?;
        place(&draft.0)?;
        sync_folder(&self.0);
        Ok(())
    }

    /// Removes drafts that nobody writes any more; how many.
    pub fn sweep(&self) -> usize {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let drafts = entries.filter(|entry| is_draft(&entry.file_name().to_string_lossy()));
        let stale = drafts.filter(|entry| {
            let file = File::open(entry.path());
            file.is_ok_and(|file| file.try_lock().is_ok()) && fs::remove_file(entry.path()).is_ok()
        });
        stale.count()
    }
}

/// A file that is removed, unless it has another name by now.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// `.NAME.HASH.draft`: no two writers have the same.
fn draft_name(name: &str) -> String {
    let count = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let identity = format!("{host} {} {count} {:p}", process::id(), &raw const DRAFTS);
    let sum = hexadecimal(&Sha256::digest(identity)[..8]);
    format!(".{name}.{sum}.draft")
}

fn is_draft(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".draft")
}

/// Writes down that a file has its name. Not every file system can be asked to.
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
