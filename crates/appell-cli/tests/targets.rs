//! Where output goes: devices, pipes and links stay what they are, files are replaced whole; and what is
//! done where compiled code cannot be kept.

use crate::common::*;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn spring(folder: &Path) -> String {
    let model = inside(folder, "spring.toml");
    fs::write(&model, SPRING).expect("the model");
    model
}

fn assert_says(output: &Output, code: i32, words: &str) {
    assert_exit(output, code);
    // Problems stand on standard error, remarks in the summary.
    let said = stderr(output) + &stdout(output);
    // Long lines are broken.
    let said: Vec<&str> = said.split_whitespace().collect();
    assert!(said.join(" ").contains(words), "{said:?}");
}

#[test]
fn devices_stay_devices() {
    let folder = folder("devices");
    let model = spring(&folder);
    for command in ["run", "report"] {
        assert_exit(&run(&[command, &model, "-o", "/dev/null"]), 0);
        let about = fs::metadata("/dev/null").expect("the device");
        assert!(about.file_type().is_char_device());
    }
    let full = run(&["run", &model, "-o", "/dev/full"]);
    assert_says(&full, 2, "`/dev/full` cannot be written");
    let full = fs::File::create("/dev/full").expect("the device");
    let help = Command::new(env!("CARGO_BIN_EXE_appell"))
        .args(["run", "--help"])
        .stdout(full)
        .output();
    assert_says(&help.expect("the program starts"), 2, "cannot write");
    // The file system of processes takes no files, not even those of the superuser.
    let folder = run(&["run", &model, "-o", "/proc/motion.csv"]);
    assert_says(&folder, 2, "`/proc/motion.csv` cannot be written");
}

#[test]
fn standard_output_is_written_to_by_its_name() {
    let folder = folder("stdout");
    let model = spring(&folder);
    let piped = run(&["run", &model, "-o", "/dev/stdout"]);
    assert_exit(&piped, 0);
    assert!(
        stdout(&piped).starts_with("t,x,x',E\n0.0,1.0,"),
        "{}",
        stdout(&piped)
    );
    // What the shell has opened is written where it stands, and not replaced.
    let (log, program) = (inside(&folder, "log"), env!("CARGO_BIN_EXE_appell"));
    let script = format!(
        "echo first > {log}; {program} run {model} -o /dev/stdout >> {log}; echo last >> {log}"
    );
    let shell = Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("the shell");
    assert_exit(&shell, 0);
    let text = fs::read_to_string(&log).expect("the log");
    assert!(
        text.starts_with("first\nt,x,") && text.ends_with("\nlast\n"),
        "{text}"
    );
}

#[test]
fn pipes_are_written_to() {
    let folder = folder("pipe");
    let (model, pipe) = (spring(&folder), inside(&folder, "pipe.csv"));
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .is_ok_and(|made| made.success())
    );
    let reader = Command::new("cat")
        .arg(&pipe)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a reader");
    assert_exit(&run(&["run", &model, "-o", &pipe]), 0);
    let read = reader.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&read.stdout).lines().count(), 4);
    assert!(fs::metadata(&pipe).expect("it stays").file_type().is_fifo());
    // A reader that goes away is no failure.
    let reader = Command::new("head")
        .args(["-c", "1", &pipe])
        .stdout(Stdio::null())
        .spawn();
    let output = run(&["run", &model, "--samples", "100000", "-o", &pipe]);
    assert_exit(&output, 0);
    assert!(reader.expect("a reader").wait().is_ok());
}

#[test]
fn links_are_followed_and_modes_are_kept() {
    let folder = folder("links");
    let model = spring(&folder);
    fs::create_dir(folder.join("there")).expect("a folder");
    let target = folder.join("there/motion.csv");
    fs::write(&target, "before\n").expect("a file");
    fs::set_permissions(&target, Permissions::from_mode(0o640)).expect("its mode");
    let link = inside(&folder, "link.csv");
    symlink("there/motion.csv", &link).expect("a link");
    assert_exit(&run(&["run", &model, "-o", &link]), 0);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert!(
        fs::read_to_string(&target)
            .expect("the file")
            .starts_with("t,x,")
    );
    let mode = fs::metadata(&target)
        .expect("the file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    // A link to what is not there yet.
    let early = inside(&folder, "early.csv");
    symlink("there/new.csv", &early).expect("a link");
    assert_exit(&run(&["run", &model, "-o", &early]), 0);
    assert!(folder.join("there/new.csv").is_file());
    assert_files(&folder.join("there"), &["motion.csv", "new.csv"]);
    // A circle of links is no place.
    symlink("b.csv", folder.join("a.csv")).expect("a link");
    symlink("a.csv", folder.join("b.csv")).expect("a link");
    let circle = run(&["run", &model, "-o", &inside(&folder, "a.csv")]);
    assert_exit(&circle, 2);
}

#[test]
fn two_outputs_are_two_files() {
    let folder = folder("twice");
    let (model, file) = (spring(&folder), inside(&folder, "motion.csv"));
    symlink("motion.csv", folder.join("other.csv")).expect("a link");
    let (link, dotted) = (
        inside(&folder, "other.csv"),
        inside(&folder, "./motion.csv"),
    );
    let words = [
        "two outputs go to",
        "are the same file",
        "are the same file",
    ];
    for (other, words) in [&file, &link, &dotted].into_iter().zip(words) {
        let output = run(&["run", &model, "-o", &file, "-o", other]);
        assert_says(&output, 2, words);
    }
    let output = run(&["report", &model, "-o", &file, "--tex", &link]);
    assert_says(&output, 2, "are the same file");
    assert_exit(
        &run(&["run", &model, "-o", "/dev/null", "-o", "/dev/null"]),
        0,
    );
    assert_files(&folder, &["other.csv", "spring.toml"]);
}

/// A disk that is full, for which stands the largest size that a file may have: the file of before stays as it was,
/// and nothing is left behind.
#[test]
fn a_full_disk_is_an_error_and_leaves_the_file_of_before() {
    let folder = folder("full");
    let model = spring(&folder);
    let members: String = (0..20_000).map(|i| format!("{i}\n")).collect();
    fs::write(folder.join("table.csv"), format!("x\n{members}")).expect("the members");
    fs::write(folder.join("motion.csv"), "before\n").expect("a file");
    let program = env!("CARGO_BIN_EXE_appell");
    let (file, table) = (inside(&folder, "motion.csv"), inside(&folder, "table.csv"));
    for more in ["--samples 20000", &format!("--ensemble {table}")] {
        let script = format!("ulimit -f 64; exec {program} run {model} {more} -o {file}");
        let output = Command::new("sh").args(["-c", &script]).output();
        assert_says(&output.expect("the shell"), 2, "cannot be written");
        let text = fs::read_to_string(&file).expect("the file");
        assert_eq!(text, "before\n", "{more}");
        for kept in kept_members(&folder) {
            let _ = fs::remove_file(kept);
        }
        assert_files(&folder, &["motion.csv", "spring.toml", "table.csv"]);
    }
}

/// `run --backend cc` with a cache of its own.
fn compiled(folder: &Path, compiler: Option<&str>) -> Output {
    let mut command = appell();
    let model = zoo("chaplygin-sleigh");
    command.args(["run", &model, "--backend", "cc", "--no-cache"]);
    command.env("XDG_CACHE_HOME", folder).env_remove("CC");
    if let Some(compiler) = compiler {
        command.env("CC", compiler);
    }
    command.output().expect("the program starts")
}

#[test]
fn without_a_compiler_the_run_goes_on_with_a_remark() {
    let folder = folder("compilers");
    for (compiler, words) in [
        ("there-is-no-such-compiler", "there is no C compiler"),
        ("false", "the C compiler `false` failed"),
        ("true -x", "cannot be used here"),
    ] {
        let output = compiled(&folder, Some(compiler));
        assert_says(&output, 0, words);
        assert_says(&output, 0, "Instead: auto");
    }
    assert_files(&folder.join("appell"), &[]);
}

#[test]
fn a_cache_of_others_is_not_used() {
    let folder = folder("planted");
    let cache = folder.join("appell");
    fs::create_dir(&cache).expect("a folder");
    fs::set_permissions(&cache, Permissions::from_mode(0o777)).expect("its mode");
    let output = compiled(&folder, None);
    assert_says(&output, 0, "others can write to it");
    assert_files(&cache, &[]);
    // A file in the place of the folder, and a folder that cannot be made.
    fs::remove_dir(&cache).expect("it is empty");
    fs::write(&cache, "").expect("a file");
    assert_says(&compiled(&folder, None), 0, "is not a folder");
    assert_says(&compiled(Path::new("/proc"), None), 0, "cannot be used");
}

/// Whatever is cut short is built anew; loading it would end the program.
#[test]
fn truncated_libraries_are_not_loaded() {
    let folder = folder("truncated");
    let first = compiled(&folder, None);
    assert_exit(&first, 0);
    let files = fs::read_dir(folder.join("appell"))
        .expect("the cache")
        .flatten();
    let libraries = files.map(|file| file.path());
    for library in libraries.filter(|path| path.extension().is_some_and(|e| e == "so")) {
        let file = File::options()
            .write(true)
            .open(&library)
            .expect("it is there");
        let length = file.metadata().expect("it is there").len();
        file.set_len(length / 2).expect("it is cut short");
    }
    let again = compiled(&folder, None);
    assert_exit(&again, 0);
    assert_eq!(stderr(&again), stderr(&first));
}
