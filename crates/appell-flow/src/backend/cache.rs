//! What is kept from run to run, in a folder that belongs to the user alone: compiled code, and notes.
//!
//! An entry of code is three files: the source, the library, and the digest of the library. What the source says
//! decides on the code, so its hash is the entry's name; the digest tells a library that was cut short from
//! a whole one before it is loaded. A note is one file, its digest in the first line, under the hash of what
//! decides on it. Nothing is believed that others could have written.

use crate::unsupported::Unsupported;
use appell_expr::limits::stopped;
use std::fs::{self, File, FileTimes};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, id};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

/// The folder of the cache within the user's own.
const FOLDER: &str = "appell";
/// A compiler may take so long, and longer for longer sources: so many of their bytes in a second.
const PATIENCE: Duration = Duration::from_secs(20);
const SPEED: usize = 2_000;
/// How often a compiler is looked at.
const LOOK: Duration = Duration::from_millis(4);
/// A compiler that is asked to end may take so long.
const GRACE: Duration = Duration::from_millis(150);
/// More of what a compiler says is not shown.
const SAID: usize = 2_000;
/// Entries that nobody has used for so long are removed, and the oldest above this size.
const OLD: Duration = Duration::from_secs(90 * 86_400);
const LARGE: u64 = 256 << 20;
/// A longer note is none of ours.
const LARGEST_NOTE: u64 = 1 << 20;
/// Drafts of a program that was killed.
const ABANDONED: Duration = Duration::from_secs(86_400);
/// An entry counts as used once a day.
const DAY: Duration = Duration::from_secs(86_400);

/// How sources are compiled.
pub(super) struct Compiler {
    /// The program and its own arguments, as `ccache gcc` or `clang -m64`.
    words: Vec<String>,
    arguments: Vec<String>,
    patience: Duration,
}

impl Compiler {
    /// That of the variable `CC`, else `cc`, with these arguments.
    pub fn of_system(arguments: Vec<String>) -> Self {
        Self::new(&std::env::var("CC").unwrap_or_default(), arguments)
    }

    fn new(command: &str, arguments: Vec<String>) -> Self {
        let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            words.push("cc".to_owned());
        }
        Self {
            words,
            arguments,
            patience: PATIENCE,
        }
    }

    /// What it is called with, as one text.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Compiles a source; what the compiler says goes to a file.
    fn compile(&self, source: &Path, library: &Path, said: &Path) -> Result<(), Unsupported> {
        let name = self.name();
        let length = fs::metadata(source).map_or(0, |about| about.len());
        let patience = self.patience + Duration::from_secs(length / SPEED as u64);
        let failed = |error: io::Error| format!("the C compiler `{name}` cannot be run: {error}");
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .args(&self.arguments)
            .arg("-o")
            .args([library, source])
            .arg("-lm")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(said).map_err(failed)?);
        apart(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!(
                "there is no C compiler `{name}` ({error}): install one, or name it in the variable CC"
            ),
            _ => failed(error),
        })?;
        let begun = Instant::now();
        loop {
            match child.try_wait().map_err(failed)? {
                Some(status) if status.success() => return Ok(()),
                Some(_) => {
                    let said = fs::read(said).unwrap_or_default();
                    let said = String::from_utf8_lossy(&said[..said.len().min(SAID)]);
                    return Err(Unsupported(format!(
                        "the C compiler `{name}` failed: {}",
                        said.trim()
                    )));
                }
                None => {}
            }
            let why = stopped().map(|why| why.to_string());
            let late = (begun.elapsed() > patience)
                .then(|| format!("it took more than {} s", patience.as_secs()));
            if let Some(why) = why.or(late) {
                end(&mut child);
                return Err(Unsupported(format!(
                    "the C compiler `{name}` was ended: {why}"
                )));
            }
            sleep(LOOK);
        }
    }
}

/// A group of processes of its own, for a compiler starts others.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}

/// Ends a compiler and all that it has started. It is asked first: then it removes its own drafts.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        use rustix::process::{Signal, kill_process_group};
        // A group that has ended already needs no more.
        let _ = kill_process_group(group, Signal::TERM);
        let asked = Instant::now();
        while asked.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
            sleep(LOOK);
        }
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The library for a source, compiled if there is none.
///
/// # Errors
/// In words: no compiler, one that fails or hangs, no place for the cache, or one of others.
pub(super) fn library(compiler: &Compiler, text: &str) -> Result<PathBuf, Unsupported> {
    library_in(&private_folder(&user_folder()?)?, compiler, text)
}

/// The note that is kept under what decides on it; none if there is none, or no place for one.
///
/// # Errors
/// In words: a cache or a note of others, or one that was cut short.
pub(super) fn note(decides: &[u8]) -> Result<Option<Vec<u8>>, Unsupported> {
    match user_folder() {
        Ok(folder) if folder.exists() => note_in(&private_folder(&folder)?, decides),
        _ => Ok(None),
    }
}

/// Keeps a note in the place of what was kept under the same.
///
/// # Errors
/// In words: no place for the cache, or it cannot be written to.
pub(super) fn keep_note(decides: &[u8], note: &[u8]) -> Result<(), Unsupported> {
    keep_note_in(&private_folder(&user_folder()?)?, decides, note)
}

fn note_in(folder: &Path, decides: &[u8]) -> Result<Option<Vec<u8>>, Unsupported> {
    let file = Entry::new(folder, &name_of(decides)).note;
    let refused = |why: &str| Unsupported(format!("{} {why}", file.display()));
    match is_own(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(&format!("cannot be read: {error}"))),
        Ok(false) => {
            return Err(refused(
                "belongs to another user, or others can write to it",
            ));
        }
        Ok(true) => {}
    }
    let bytes = read_at_most(&file, LARGEST_NOTE);
    let bytes = bytes.map_err(|error| refused(&format!("cannot be read: {error}")))?;
    mark_used(&file);
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (sum, note) = (parts.next(), parts.next().unwrap_or_default());
    match sum == Some(sum_of(note).as_bytes()) {
        true => Ok(Some(note.to_vec())),
        false => Err(refused("was cut short or changed")),
    }
}

fn keep_note_in(folder: &Path, decides: &[u8], note: &[u8]) -> Result<(), Unsupported> {
    let (name, draft) = (name_of(decides), draft_of(&name_of(decides)));
    let [file, draft] = [name, draft].map(|name| Entry::new(folder, &name).note);
    if !file.exists() {
        evict(folder);
    }
    let keep = || {
        fs::write(&draft, [sum_of(note).as_bytes(), b"\n", note].concat())?;
        make_own(&draft)?;
        fs::rename(&draft, &file)
    };
    let kept = keep().map_err(|error| unusable(folder, &error));
    let _ = fs::remove_file(&draft);
    kept
}

fn read_at_most(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An entry by its files.
struct Entry {
    source: PathBuf,
    library: PathBuf,
    digest: PathBuf,
    note: PathBuf,
}

impl Entry {
    fn new(folder: &Path, name: &str) -> Self {
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        Self {
            source: file("c"),
            library: file("so"),
            digest: file("sum"),
            note: file("note"),
        }
    }

    /// Whether all of it is there, whole, for this source, and nobody else's.
    fn is_sound(&self, text: &str) -> bool {
        let all = [&self.source, &self.library, &self.digest];
        all.into_iter()
            .all(|file| is_own(file).is_ok_and(|ours| ours))
            && fs::read_to_string(&self.source).is_ok_and(|kept| kept == text)
            && digest(&self.library)
                .is_ok_and(|sum| fs::read_to_string(&self.digest).is_ok_and(|kept| kept == sum))
    }

    fn remove(&self) {
        // What is not there needs not be removed; what cannot be is met again.
        for file in [&self.library, &self.digest, &self.source, &self.note] {
            let _ = fs::remove_file(file);
        }
    }
}

fn library_in(folder: &Path, compiler: &Compiler, text: &str) -> Result<PathBuf, Unsupported> {
    let name = name_of(text.as_bytes());
    let entry = Entry::new(folder, &name);
    if entry.is_sound(text) {
        mark_used(&entry.library);
        return Ok(entry.library);
    }
    evict(folder);
    entry.remove();
    let draft_name = draft_of(&name);
    let draft = Entry::new(folder, &draft_name);
    let said = folder.join(format!("{draft_name}.txt"));
    let failed = |error: io::Error| unusable(folder, &error);
    let made = fs::write(&draft.source, text).map_err(failed);
    let made = made.and_then(|()| compiler.compile(&draft.source, &draft.library, &said));
    let kept = made.and_then(|()| {
        let keep = || {
            fs::write(&draft.digest, digest(&draft.library)?)?;
            make_own(&draft.library)?;
            fs::rename(&draft.source, &entry.source)?;
            fs::rename(&draft.digest, &entry.digest)?;
            fs::rename(&draft.library, &entry.library)
        };
        keep().map_err(failed)
    });
    draft.remove();
    let _ = fs::remove_file(&said);
    kept.map(|()| entry.library)
}

/// The name of an entry, by what decides on it.
fn name_of(decides: &[u8]) -> String {
    format!("{:032x}", hash(decides))
}

/// A name of its own for an entry in the making: others may do the same at this moment, and what is finished takes its
/// name at once.
fn draft_of(name: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{name}.{}.{count}", id())
}

fn unusable(folder: &Path, error: &io::Error) -> Unsupported {
    Unsupported(format!(
        "the cache {} cannot be used: {error}",
        folder.display()
    ))
}

/// Notes the day of the last use. A cache that cannot be written to is used nevertheless.
fn mark_used(file: &Path) {
    let age = fs::metadata(file).and_then(|about| about.modified());
    if age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > DAY)) {
        let times = FileTimes::new().set_modified(SystemTime::now());
        let _ = File::options()
            .write(true)
            .open(file)
            .and_then(|file| file.set_times(times));
    }
}

/// Removes drafts that were left behind, entries that have not been used for long, and the oldest ones where
/// all together are too large.
fn evict(folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<(SystemTime, String, u64)> = Vec::new();
    for file in files.flatten() {
        let (Ok(about), Ok(name)) = (file.metadata(), file.file_name().into_string()) else {
            continue;
        };
        let parts: Vec<&str> = name.split('.').collect();
        let is_ours = parts[0].len() == 32 && parts[0].bytes().all(|c| c.is_ascii_hexdigit());
        let time = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let age = time.elapsed().unwrap_or_default();
        match parts.as_slice() {
            [_, _, _, _] if is_ours && age > ABANDONED => {
                let _ = fs::remove_file(file.path());
            }
            [entry, "so" | "c" | "sum" | "note"] if is_ours && age > OLD => {
                Entry::new(folder, entry).remove();
            }
            [entry, "so" | "note"] if is_ours => {
                entries.push((time, (*entry).to_owned(), about.len()))
            }
            _ => {}
        }
    }
    entries.sort();
    let mut size: u64 = entries.iter().map(|(.., size)| size).sum();
    for (_, entry, length) in entries {
        if size <= LARGE {
            break;
        }
        Entry::new(folder, &entry).remove();
        size -= length;
    }
}

/// The user's own folder for caches.
fn user_folder() -> Result<PathBuf, Unsupported> {
    let set = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    Ok(cache
        .ok_or("there is no place for compiled code: neither XDG_CACHE_HOME nor HOME is set")?
        .join(FOLDER))
}

/// The folder, made if it is missing.
///
/// # Errors
/// In words: it cannot be made, is somebody else's, or others can write to it.
fn private_folder(folder: &Path) -> Result<PathBuf, Unsupported> {
    let failed = |error: io::Error| unusable(folder, &error);
    if !folder.exists() {
        make(folder).map_err(failed)?;
    }
    if !fs::symlink_metadata(folder).map_err(failed)?.is_dir() {
        return Err(Unsupported(format!(
            "the cache {} is not a folder",
            folder.display()
        )));
    }
    if !is_own(folder).map_err(failed)? {
        return Err(Unsupported(format!(
            "the cache {} belongs to another user, or others can write to it: remove it, or take that right \
             away from them",
            folder.display()
        )));
    }
    Ok(folder.to_owned())
}

#[cfg(unix)]
fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Whether a file or folder, no link or pipe, belongs to the user of this program and nobody else can write to it.
#[cfg(unix)]
fn is_own(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::symlink_metadata(path)?;
    let user = rustix::process::geteuid().as_raw();
    let is_plain = about.is_file() || about.is_dir();
    Ok(is_plain && about.uid() == user && about.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn is_own(path: &Path) -> io::Result<bool> {
    fs::symlink_metadata(path).map(|about| !about.is_symlink())
}

/// Takes the right to write away from others: a compiler gives what the user's mask allows.
#[cfg(unix)]
fn make_own(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_own(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The length and the hash of a file: what was cut short has another.
fn digest(file: &Path) -> io::Result<String> {
    Ok(sum_of(&fs::read(file)?) + "\n")
}

fn sum_of(bytes: &[u8]) -> String {
    format!("{} {:032x}", bytes.len(), hash(bytes))
}

/// FNV-1a in 128 bits. The source is compared too, so a collision costs time only.
pub(super) fn hash(bytes: &[u8]) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    bytes.iter().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use appell_expr::limits::{Stop, Why, under};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::Arc;

    const SOURCE: &str = "int appell_field(void) { return 7; }\n";

    /// An empty folder that is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("appell-{name}-{}", id()));
            let _ = fs::remove_dir_all(&path);
            make(&path).expect("a folder for the test");
            Self(path)
        }

        fn files(&self) -> Vec<String> {
            let files = fs::read_dir(&self.0).expect("the folder").flatten();
            let mut names: Vec<String> = files
                .map(|file| file.file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        }

        /// A compiler that is a script of the shell; `$OUT` is what it is to make.
        fn script(&self, text: &str) -> Compiler {
            let path = self.0.join("compiler");
            let text =
                format!("#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done; OUT=$2\n{text}\n");
            fs::write(&path, text).expect("the script");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
            Compiler::new(&format!("sh {}", path.display()), Vec::new())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_truncated_library_is_built_anew() {
        let folder = Folder::new("truncated");
        let compiler = folder.script("echo built >> $0.log; echo a library > $OUT");
        let library = library_in(&folder.0, &compiler, SOURCE).expect("it is built");
        let built = || fs::read_to_string(folder.0.join("compiler.log")).expect("a line each");
        assert_eq!(
            library_in(&folder.0, &compiler, SOURCE),
            Ok(library.clone())
        );
        assert_eq!(built().lines().count(), 1);
        File::options()
            .write(true)
            .open(&library)
            .and_then(|file| file.set_len(3))
            .expect("it is cut short");
        assert_eq!(
            library_in(&folder.0, &compiler, SOURCE),
            Ok(library.clone())
        );
        assert_eq!(built().lines().count(), 2);
        assert_eq!(fs::read_to_string(&library).expect("whole"), "a library\n");
    }

    #[test]
    fn what_others_could_have_written_is_not_used() {
        let folder = Folder::new("planted");
        let compiler = folder.script("echo a library > $OUT");
        let library = library_in(&folder.0, &compiler, SOURCE).expect("it is built");
        // Writable by the group, and a link to a file elsewhere: both are replaced.
        fs::set_permissions(&library, fs::Permissions::from_mode(0o770)).expect("its mode");
        library_in(&folder.0, &compiler, SOURCE).expect("it is built");
        let mode = fs::metadata(&library)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        let elsewhere = folder.0.join("elsewhere");
        fs::rename(&library, &elsewhere).expect("it is moved");
        symlink(&elsewhere, &library).expect("a link");
        library_in(&folder.0, &compiler, SOURCE).expect("it is built");
        assert!(fs::symlink_metadata(&library).expect("there").is_file());
        // A folder that others can write to, or a link to one, is refused.
        let open = folder.0.join("open");
        make(&open).expect("a folder");
        assert!(private_folder(&open).is_ok());
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).expect("its mode");
        let why = private_folder(&open).expect_err("refused");
        assert!(why.0.contains("others can write to it"), "{why}");
        let link = folder.0.join("link");
        symlink(&open, &link).expect("a link");
        assert!(private_folder(&link).is_err());
        // Somebody else's: the root folder, unless the test is run by its owner.
        if rustix::process::geteuid().as_raw() != 0 {
            assert!(private_folder(Path::new("/")).is_err());
        }
    }

    #[test]
    fn compilers_that_fail_leave_nothing_behind() {
        let folder = Folder::new("broken");
        let rows = [
            ("echo no such option >&2; exit 3", "failed: no such option"),
            ("exit 0", "cannot be used: No such file"),
            ("kill -SEGV $$", "failed"),
        ];
        for (script, words) in rows {
            let compiler = folder.script(script);
            let why = library_in(&folder.0, &compiler, SOURCE).expect_err(script);
            assert!(why.0.contains(words), "{why}");
            assert_eq!(folder.files(), ["compiler"], "{script}");
        }
        let missing = Compiler::new("there-is-no-such-compiler -m64", Vec::new());
        let why = library_in(&folder.0, &missing, SOURCE).expect_err("missing");
        assert!(why.0.contains("there is no C compiler"), "{why}");
        let gone = folder.0.join("gone");
        let why = library_in(&gone, &missing, SOURCE).expect_err("no folder");
        assert!(why.0.contains("cannot be used"), "{why}");
    }

    #[test]
    fn compilers_that_hang_are_ended_with_all_that_they_have_started() {
        let folder = Folder::new("hanging");
        let mut compiler = folder.script("sleep 1000 & echo $! > $0.pid; wait");
        compiler.patience = Duration::from_millis(200);
        let why = library_in(&folder.0, &compiler, SOURCE).expect_err("it hangs");
        assert!(why.0.contains("was ended: it took more than"), "{why}");
        assert_eq!(folder.files(), ["compiler", "compiler.pid"]);
        let started = fs::read_to_string(folder.0.join("compiler.pid")).expect("its number");
        let process = Path::new("/proc").join(started.trim());
        // Whoever inherits it may take a moment to note that it has ended.
        let ended = || {
            let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        };
        while !ended() {
            sleep(LOOK);
        }
        let stop = Arc::new(Stop::new());
        stop.set(Why::Interrupted);
        compiler.patience = PATIENCE;
        let why = under(Some(stop), || library_in(&folder.0, &compiler, SOURCE));
        assert!(why.expect_err("stopped").0.contains("it was interrupted"));
    }

    #[test]
    fn the_variable_may_hold_arguments() {
        let folder = Folder::new("arguments");
        let script = folder.script("echo a library > $OUT").name();
        let path = script.strip_prefix("sh ").expect("its name");
        let kept = folder.0.join("kept");
        let text = format!(
            "#!/bin/sh\necho \"$@\" > {}; exec {path} \"$@\"",
            kept.display()
        );
        let wrapper = folder.0.join("own");
        fs::write(&wrapper, text).expect("the script");
        let command = format!("sh {}  -m64 -DX=1", wrapper.display());
        let compiler = Compiler::new(&command, vec!["-O2".to_owned()]);
        library_in(&folder.0, &compiler, SOURCE).expect("it is built");
        let given = fs::read_to_string(kept).expect("the arguments");
        assert!(given.starts_with("-m64 -DX=1 -O2 -o "), "{given}");
        assert_eq!(Compiler::new(" ", Vec::new()).name(), "cc");
    }

    #[test]
    fn a_note_is_kept_under_what_decides_on_it() {
        let folder = Folder::new("note");
        let note = |decides: &[u8]| note_in(&folder.0, decides).expect("sound");
        assert_eq!(note(b"a model"), None);
        for text in [&b"first"[..], b"second\nwith lines", b""] {
            keep_note_in(&folder.0, b"a model", text).expect("kept");
            assert_eq!(note(b"a model").as_deref(), Some(text));
        }
        assert_eq!(note(b"another model"), None);
        assert_eq!(folder.files().len(), 1, "no drafts are left");
    }

    #[test]
    fn a_note_that_was_cut_short_changed_or_is_of_others_is_refused() {
        let folder = Folder::new("foreign-note");
        keep_note_in(&folder.0, b"a model", b"what was found").expect("kept");
        let file = folder.0.join(&folder.files()[0]);
        let whole = fs::read(&file).expect("the note");
        let why = || note_in(&folder.0, b"a model").expect_err("refused").0;
        let (shorter, mut other) = (&whole[..whole.len() - 1], whole.clone());
        *other.last_mut().expect("a byte") ^= 1;
        for bytes in [shorter, &other, b"", b"\n", b"no sum"] {
            fs::write(&file, bytes).expect("written");
            assert!(why().contains("was cut short or changed"), "{}", why());
        }
        fs::write(&file, &whole).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("its mode");
        assert!(why().contains("others can write to it"), "{}", why());
        fs::rename(&file, folder.0.join("elsewhere")).expect("moved");
        symlink(folder.0.join("elsewhere"), &file).expect("a link");
        assert!(why().contains("belongs to another user"), "{}", why());
    }

    #[test]
    fn old_entries_and_drafts_are_removed() {
        let folder = Folder::new("old");
        let file = |name: &str, age: Duration, size: u64| {
            let file = File::create(folder.0.join(name)).expect("a file");
            file.set_len(size).expect("its size");
            let time = SystemTime::now() - age;
            file.set_times(FileTimes::new().set_modified(time))
                .expect("its age");
        };
        let name = |c: char| c.to_string().repeat(32);
        let (week, hour) = (7 * DAY, Duration::from_secs(3600));
        for ending in ["so", "c", "sum"] {
            file(&format!("{}.{ending}", name('a')), 2 * OLD, 10);
            file(&format!("{}.{ending}", name('b')), hour, 10);
        }
        file(&format!("{}.note", name('a')), 2 * OLD, 10);
        file(&format!("{}.note", name('f')), 3 * week, LARGE / 2);
        file(&format!("{}.so", name('c')), 2 * week, LARGE / 2);
        file(&format!("{}.so", name('d')), week, LARGE / 2);
        file(&format!("{}.77.0.so", name('e')), week, 10);
        file(&format!("{}.78.0.c", name('e')), hour, 10);
        file("of somebody else.so", 2 * OLD, 10);
        evict(&folder.0);
        let kept = [
            format!("{}.c", name('b')),
            format!("{}.so", name('b')),
            format!("{}.sum", name('b')),
            format!("{}.so", name('d')),
            format!("{}.78.0.c", name('e')),
            "of somebody else.so".to_owned(),
        ];
        assert_eq!(folder.files(), kept);
    }
}
