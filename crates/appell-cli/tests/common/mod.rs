//! What every test of the command line needs: the program, the gallery, a folder of its own.

// Each file of tests is compiled by itself and uses its own part of this.
#![allow(dead_code)]

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A particle on a spring, with one claim that holds.
pub const SPRING: &str = r#"
title = "Spring"
coordinates = ["x"]
[energy]
kinetic = "1/2*x'^2"
potential = "1/2*x^2"
[initial]
state = ["x = 1", "x' = 0"]
[simulate]
until = 1
samples = 3
[claims]
energy = { constant = "T + V" }
"#;

/// The program under test, without colours unless a test wants them, and with a cache that is not the user's.
pub fn appell() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_appell"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.env(
        "XDG_CACHE_HOME",
        concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"),
    );
    command
}

/// Runs the program with these arguments.
pub fn run(arguments: &[&str]) -> Output {
    appell()
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Runs the program with these arguments and this standard input.
pub fn run_with(arguments: &[&str], input: &str) -> Output {
    appell()
        .args(arguments)
        .write_stdin(input)
        .output()
        .expect("the program starts")
}

/// A model of the gallery, as a path.
pub fn zoo(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("zoo")
        .join(name)
        .with_extension("toml")
        .to_str()
        .expect("UTF-8")
        .to_owned()
}

/// The text of a model of the gallery.
pub fn zoo_text(name: &str) -> String {
    fs::read_to_string(zoo(name)).expect("the model is in the gallery")
}

/// A reference file, read.
pub fn reference(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../reference")
        .join(name);
    json(&fs::read(path).expect("the reference file"))
}

/// An empty folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// The path of a file in a folder, as an argument.
pub fn inside(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("UTF-8").to_owned()
}

pub fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Asserts the exit code and shows the messages if it is another.
pub fn assert_exit(output: &Output, code: i32) {
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

pub fn numbers(value: &Value) -> Vec<f64> {
    let number = |x: &Value| match x {
        Value::String(text) => text.parse().expect("a number"),
        other => other.as_f64().expect("a number"),
    };
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect()
}

/// Asserts that an object has these keys, and no others but some of `allowed`.
pub fn assert_keys(value: &Value, wanted: &[&str], allowed: &[&str]) {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("an object: {value}"));
    let found: BTreeSet<&str> = object
        .keys()
        .map(String::as_str)
        .filter(|key| !allowed.contains(key))
        .collect();
    assert_eq!(found, wanted.iter().copied().collect::<BTreeSet<&str>>());
}

/// The files in which the ends of an ensemble's members are kept for the next call.
pub fn kept_members(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "members"))
        .collect()
}

/// Asserts that the folder has these files and nothing else.
pub fn assert_files(folder: &Path, wanted: &[&str]) {
    let entries = fs::read_dir(folder).expect("the folder");
    let found: BTreeSet<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert_eq!(
        found,
        wanted
            .iter()
            .map(|&name| name.to_owned())
            .collect::<BTreeSet<String>>()
    );
}

/// Interrupts a command that says on standard error that it has begun, a while after; if nothing had been
/// computed by then, waits longer: how fast the machine is does not count.
#[cfg(unix)]
pub fn interrupted_amid(arguments: &[&str]) -> Output {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let mut wait = std::time::Duration::from_millis(50);
    loop {
        let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut messages = BufReader::new(child.stderr.take().expect("piped"));
        let mut told = String::new();
        messages.read_line(&mut told).expect("the title");
        std::thread::sleep(wait);
        let kill = format!("kill -INT {}", child.id());
        let status = Command::new("sh").args(["-c", &kill]).status();
        assert!(status.is_ok_and(|status| status.success()));
        // Both are read at once, or the program would wait for a reader of the other.
        let rest = std::thread::spawn(move || {
            messages.read_to_string(&mut told).expect("text");
            told.into_bytes()
        });
        let mut output = child.wait_with_output().expect("the program ends");
        output.stderr = rest.join().expect("the messages");
        assert_exit(&output, 130);
        if !output.stdout.is_empty() {
            return output;
        }
        wait *= 2;
    }
}
