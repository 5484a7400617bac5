//! What is kept of models between processes changes no answer, and is not believed where it is not ours.

use crate::common::{appell, assert_exit, folder, stderr, stdout, zoo};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Models whose preparation decides something, linear and not, of particles and of bodies.
const MODELS: [&str; 5] = [
    "bicycle",
    "marle-servo",
    "perpendicular",
    "rolling-disc",
    "snakeboard",
];

/// A command with a cache of its own.
fn with_cache(cache: &Path, arguments: &[&str]) -> Output {
    let output = appell()
        .args(arguments)
        .env("XDG_CACHE_HOME", cache)
        .output()
        .expect("it starts");
    assert_exit(&output, 0);
    output
}

/// The samples of a motion, with all that is said of it.
fn motion(cache: &Path, model: &str, more: &[&str]) -> String {
    let model = zoo(model);
    let arguments = ["run", &model, "--until", "0.5", "-o", "-"];
    let output = with_cache(cache, &[&arguments[..], more].concat());
    stdout(&output) + &stderr(&output)
}

/// The notes in a cache.
fn notes(cache: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(cache.join("appell")).into_iter().flatten();
    let files = files.flatten().map(|file| file.path());
    let mut notes: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|e| e == "note"))
        .collect();
    notes.sort();
    notes
}

#[test]
fn motions_are_the_same_with_and_without_what_was_kept() {
    let (cache, none) = (folder("memory"), folder("no-memory"));
    for model in MODELS {
        let without = motion(&none, model, &["--no-cache"]);
        assert_eq!(motion(&cache, model, &[]), without, "{model}, cold");
        assert_eq!(motion(&cache, model, &[]), without, "{model}, warm");
    }
    assert!(notes(&cache).len() > 1, "{:?}", notes(&cache));
    assert!(notes(&none).is_empty());
}

#[test]
fn answers_are_the_same_with_and_without_what_was_kept() {
    let cache = folder("answers");
    let model = zoo("rolling-disc");
    for command in ["check", "derive", "prove"] {
        let answer = |more: &[&str]| {
            let all = [&[command, &model][..], more].concat();
            stdout(&with_cache(&cache, &all))
        };
        let without = answer(&["--no-cache"]);
        assert_eq!(answer(&[]), without, "{command}, cold");
        assert_eq!(answer(&[]), without, "{command}, warm");
    }
}

/// The length and the FNV-1a hash of a note, as its first line tells them.
fn signed(note: &[u8]) -> Vec<u8> {
    let hash = note.iter().fold(
        0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128,
        |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        },
    );
    [format!("{} {hash:032x}\n", note.len()).as_bytes(), note].concat()
}

#[test]
fn notes_that_are_not_ours_are_not_used() {
    let cache = folder("foreign");
    let model = zoo("rolling-disc");
    let run = |more: &[&str]| {
        with_cache(
            &cache,
            &[&["run", &model, "--until", "0.5"][..], more].concat(),
        )
    };
    let right = stdout(&run(&[]));
    let [file] = notes(&cache).try_into().expect("one note");
    let whole = fs::read(&file).expect("the note");
    let other = b"appell identities 0.0.0\n".to_vec();
    let wrong = [
        (
            whole[..whole.len() / 2].to_vec(),
            "was cut short or changed",
        ),
        (Vec::new(), "was cut short or changed"),
        (vec![0xff; 5000], "was cut short or changed"),
        (signed(&other), "of another version"),
        (signed(&[]), "of another version"),
    ];
    for (bytes, why) in wrong {
        fs::write(&file, bytes).expect("written");
        let output = run(&[]);
        assert_eq!(stdout(&output), right);
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        // What is wrong is replaced.
        assert_eq!(fs::read(&file).expect("the note"), whole);
        assert_eq!(stderr(&run(&[])), stderr(&run(&["--no-cache"])));
    }
}
