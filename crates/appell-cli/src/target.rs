//! Where output goes: a regular file is replaced whole or not at all; devices and pipes are written to.

use crate::drafts::Draft;
use crate::problem::Problem;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Links that lead to further links are followed no further.
const MAX_LINKS: usize = 40;

/// Whether a path names no regular file: a device, a pipe, or what this program was given as its output.
pub fn is_stream(path: &Path) -> bool {
    own_stream(path).is_some() || fs::metadata(path).is_ok_and(|about| is_special(&about))
}

fn is_special(about: &fs::Metadata) -> bool {
    !about.is_file() && !about.is_dir()
}

/// Whether a path is this program's standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Standard output or error by one of their names in the file system. Opened by it, a file that the shell
/// has opened would be written from its beginning, or be replaced behind the shell's back.
fn own_stream(path: &Path) -> Option<Box<dyn Write>> {
    let folders = ["/dev/fd", "/proc/self/fd"];
    let numbered = |number: &str| {
        folders
            .iter()
            .any(|folder| path == Path::new(folder).join(number))
    };
    if path == Path::new("-") || path == Path::new("/dev/stdout") || numbered("1") {
        return Some(Box::new(io::stdout()));
    }
    (path == Path::new("/dev/stderr") || numbered("2"))
        .then(|| Box::new(io::stderr()) as Box<dyn Write>)
}

/// The folder of a file; the current one for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The file itself, in a folder without links: what it is may be missing.
pub fn place_of(path: &Path) -> PathBuf {
    let file = resolve_links(path);
    let folder = fs::canonicalize(folder_of(&file));
    match (folder, file.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => file,
    }
}

/// Where links lead: to a file, or to where one is to be.
fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => break,
        }
    }
    path
}

/// Writes to a device or a pipe directly, and else to a file beside the one that is meant, which takes its
/// place when all of it is on the disk.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Problem> {
    let written = match own_stream(path) {
        Some(stream) => write_to_stream(stream, write),
        None if is_stream(path) => {
            let stream = OpenOptions::new().write(true).open(path);
            stream.and_then(|stream| write_to_stream(stream, write))
        }
        None => replace_file(&place_of(path), write),
    };
    written.map_err(|error| unwritten(path, &error))
}

/// A reader that went away is no failure.
fn write_to_stream(
    stream: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::new(stream);
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            // What is left in the buffer has no reader either.
            drop(out.into_parts());
            Ok(())
        }
        done => done,
    }
}

fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut new = NewFile::beside(path)?;
    write(&mut new.out)?;
    new.finish()
}

/// A file that is written beside the one that is meant. Where the program is killed, what was written of it stands
/// there.
pub struct NewFile {
    path: PathBuf,
    draft: Draft,
    out: BufWriter<File>,
}

impl NewFile {
    /// Begins it.
    pub fn new(path: &Path) -> Result<Self, Problem> {
        Self::beside(&place_of(path)).map_err(|error| unwritten(path, &error))
    }

    fn beside(path: &Path) -> io::Result<Self> {
        if path.is_symlink() {
            return Err(io::Error::other("its links lead in a circle"));
        }
        let draft = Draft::new(draft_of(path));
        let out = BufWriter::new(create(draft.path())?);
        Ok(Self {
            path: path.to_owned(),
            draft,
            out,
        })
    }

    /// Its end, where writing goes on.
    pub fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    /// Forgets what was written.
    pub fn clear(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().set_len(0)?;
        self.out.rewind()
    }

    /// Puts it in its place when all of it is on the disk.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let (path, file) = (&self.path, self.out.get_ref());
        if let Ok(before) = fs::metadata(path) {
            file.set_permissions(before.permissions())?;
            keep_owner(self.draft.path(), &before);
        }
        file.sync_all()?;
        self.draft.finish(path)?;
        sync_folder(folder_of(path));
        Ok(())
    }
}

/// Why an output cannot be written.
pub fn unwritten(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("`{}` cannot be written: {error}", path.display()))
}

/// A new file: never one that is there already, nor what a link points to.
fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// `.NAME.PROCESS.part` in the same folder.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", process::id()));
    path.with_file_name(name)
}

/// The owner stays, where this program may give files away: the superuser writes for others.
#[cfg(unix)]
fn keep_owner(path: &Path, before: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, chown};
    let is_kept = fs::metadata(path)
        .is_ok_and(|after| (after.uid(), after.gid()) == (before.uid(), before.gid()));
    if !is_kept {
        let _ = chown(path, Some(before.uid()), Some(before.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &fs::Metadata) {}

/// Writes down that a file has a new name. Not every file system can be asked to.
#[cfg(unix)]
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) {}
