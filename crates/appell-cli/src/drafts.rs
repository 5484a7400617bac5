//! Files that are being written under another name, so that whoever ends the program can remove them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn open() -> MutexGuard<'static, Vec<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is removed unless it takes its own name.
pub struct Draft(PathBuf);

impl Draft {
    /// Notes a file that is about to be made.
    pub fn new(path: PathBuf) -> Self {
        open().push(path.clone());
        Self(path)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it its own name; whoever ends the program finds it whole, or not at all.
    pub fn finish(self, path: &Path) -> io::Result<()> {
        let _all = open();
        fs::rename(&self.0, path)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // One that was never made, or has its own name by now, cannot be removed.
        let _ = fs::remove_file(&self.0);
        open().retain(|path| *path != self.0);
    }
}

/// Removes all that are being written. The program ends now: no other is begun.
pub fn remove_all() {
    let all = open();
    for path in all.iter() {
        let _ = fs::remove_file(path);
    }
    // Who would rename one, or begin another, waits for ever.
    std::mem::forget(all);
}
