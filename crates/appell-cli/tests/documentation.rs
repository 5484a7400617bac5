//! Every model, command and output of the documentation: run in a folder for each page, in the order of the page.
//!
//! A fence ` ```toml NAME ` is a file of that name. The lines of a fence ` ```sh ` are run by a shell, with `appell` on the
//! path, and must end with 0, or with what ` ```sh exit 1 ` says. A fence ` ```output ` after it is what they print on
//! standard output, in which numbers may differ in their last digits and a line `...` stands for any lines.
//! Fences of other languages are not run here: those in Python are by the tests of the Python package.
//!
//! With `APPELL_WRITE_OUTPUTS=1` the outputs in the pages are written anew: read them then.

use crate::common::*;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fence of a page: what stands after its marks, its lines, and where these stand in the page.
struct Fence {
    info: String,
    text: String,
    range: std::ops::Range<usize>,
}

fn fences(page: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<(String, usize)> = None;
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        open = match open {
            None => Some((info.trim().to_owned(), at)),
            Some((info, from)) => {
                let text = page[from..start].to_owned();
                fences.push(Fence {
                    info,
                    text,
                    range: from..start,
                });
                None
            }
        };
    }
    assert!(open.is_none(), "a fence is not closed");
    fences
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// All pages, those in folders too.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![docs()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// Runs the lines of a shell: its exit code, and what it printed.
fn shell(text: &str, folder: &Path) -> (i32, String, String) {
    let tool = Path::new(env!("CARGO_BIN_EXE_appell"));
    let programs = tool.parent().expect("a folder").as_os_str().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = [programs, others].join(std::ffi::OsStr::new(":"));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("set -e\n{text}")]);
    command
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1");
    let output = command.output().expect("a shell");
    let code = output.status.code().unwrap_or(-1);
    (code, stdout(&output), stderr(&output))
}

/// Whether a text is what a page shows: `...` stands for any lines.
fn agrees(shown: &[&str], found: &[&str]) -> bool {
    match (shown, found) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=found.len()).any(|skipped| agrees(rest, &found[skipped..])),
        ([shown, below @ ..], [found, under @ ..]) => {
            same_line(shown, found) && agrees(below, under)
        }
        _ => false,
    }
}

/// Words are the same, and numbers to seven digits, or all but zero. Blanks between them may differ.
fn same_line(shown: &str, found: &str) -> bool {
    let (shown, found) = (pieces(shown), pieces(found));
    shown.len() == found.len() && shown.iter().zip(&found).all(|(a, b)| same_piece(a, b))
}

const ROUNDING: f64 = 1e-6;

fn same_piece(a: &str, b: &str) -> bool {
    let numbers = a.parse::<f64>().ok().zip(b.parse::<f64>().ok());
    a == b
        || numbers.is_some_and(|(a, b)| {
            let size = a.abs().max(b.abs());
            (a - b).abs() <= ROUNDING * size.max(1.0)
        })
}

/// Words, numbers and signs, one after the other.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_alphanumeric() || "_'".contains(c);
        let length = match number(rest) {
            Some(length) => length,
            None if in_word(first) => rest.find(|c| !in_word(c)).unwrap_or(rest.len()),
            None => first.len_utf8(),
        };
        let (piece, after) = rest.split_at(length);
        pieces.push(piece);
        rest = after.trim_start();
    }
    pieces
}

/// The length of the number with which a text begins.
fn number(text: &str) -> Option<usize> {
    let begins = text.starts_with(|c: char| c.is_ascii_digit() || "-.".contains(c));
    let of_number = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
    let most = text.find(|c| !of_number(c)).unwrap_or(text.len());
    let lengths = (1..=most).rev().filter(|_| begins);
    lengths
        .into_iter()
        .find(|length| text[..*length].parse::<f64>().is_ok())
}

/// How many steps of a kind were taken.
#[derive(Default)]
struct Counts {
    files: usize,
    shells: usize,
    outputs: usize,
}

/// Follows a page; the page with what was printed, and what is wrong.
fn follow(page: &str, folder: &Path, counts: &mut Counts, faults: &mut Vec<String>) -> String {
    let mut written = page.to_owned();
    let mut printed: Option<String> = None;
    let mut moved = 0_isize;
    for fence in fences(page) {
        let words: Vec<&str> = fence.info.split_whitespace().collect();
        match words[..] {
            ["toml", name] => {
                fs::write(folder.join(name), &fence.text).expect("the folder is there");
                counts.files += 1;
                printed = None;
            }
            ["sh", ref rest @ ..] => {
                let wanted = rest
                    .get(1)
                    .map_or(0, |code| code.parse().expect("an exit code"));
                let (code, out, err) = shell(&fence.text, folder);
                if code != wanted {
                    faults.push(format!(
                        "exit {code} instead of {wanted}:\n{}{out}{err}",
                        fence.text
                    ));
                }
                counts.shells += 1;
                printed = Some(out);
            }
            ["output"] => {
                // What a program in Python prints is another test's.
                let Some(found) = printed.take() else {
                    continue;
                };
                counts.outputs += 1;
                let shown: Vec<&str> = fence.text.lines().map(str::trim_end).collect();
                let told: Vec<&str> = found.lines().map(str::trim_end).collect();
                if !agrees(&shown, &told) {
                    faults.push(format!("shown:\n{}\nprinted:\n{found}", fence.text));
                    let range = fence.range.start.wrapping_add_signed(moved)
                        ..fence.range.end.wrapping_add_signed(moved);
                    moved += found.len() as isize - range.len() as isize;
                    written.replace_range(range, &found);
                }
            }
            _ => printed = None,
        }
    }
    written
}

/// The words with which lines of answers begin: `  growth        (2, 3)`.
fn heading(line: &str) -> Option<&str> {
    let (word, _) = line.strip_prefix("  ")?.split_once("  ")?;
    let is_word = |word: &str| word.chars().all(|c| c.is_lowercase() || c == ' ');
    (word.starts_with(|c: char| c.is_lowercase()) && is_word(word)).then_some(word)
}

#[test]
fn words_that_head_the_lines_of_answers_are_explained() {
    let mut words = std::collections::BTreeSet::new();
    for model in ["skate", "rolling-disc", "marle-servo", "two-speeds"] {
        for command in ["check", "run", "prove", "conserved"] {
            let told = stdout(&run(&[command, &zoo(model)]));
            words.extend(told.lines().filter_map(heading).map(str::to_owned));
        }
    }
    assert!(words.len() > 15, "{words:?}");
    for word in words {
        let answer = run(&["explain", &word]);
        assert!(answer.status.success(), "`{word}` is explained nowhere");
    }
}

#[test]
fn every_example_does_what_its_page_shows() {
    let writes = std::env::var_os("APPELL_WRITE_OUTPUTS").is_some();
    let mut counts = Counts::default();
    let mut faults = Vec::new();
    for path in pages() {
        let name = path
            .strip_prefix(docs())
            .expect("a page")
            .display()
            .to_string();
        let page = fs::read_to_string(&path).expect("a page");
        let place = folder(&format!("documentation-{}", name.replace(['/', '\\'], "-")));
        let mut found = Vec::new();
        let written = follow(&page, &place, &mut counts, &mut found);
        if writes && written != page {
            fs::write(&path, written).expect("a page");
        }
        faults.extend(found.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    // Nothing is passed over unseen.
    assert!(counts.files >= 10 && counts.shells >= 15 && counts.outputs >= 15);
}

#[test]
fn numbers_may_differ_in_their_last_digits_and_words_may_not() {
    let agree = [
        ("x = 1.5, y = -2e-17", "x = 1.50000000001, y = 3e-18"),
        (
            "work of rolling   -0.0226215346",
            "work of rolling -0.0226215347",
        ),
        ("(-0.1, 2)", "(-0.1, 2)"),
        ("2^-95", "2^-95"),
    ];
    for (shown, found) in agree {
        assert!(
            same_line(shown, found),
            "{shown} {found} {:?} {:?}",
            pieces(shown),
            pieces(found)
        );
    }
    for (shown, found) in [
        ("x = 1.5", "x = 1.6"),
        ("holds", "refuted"),
        ("x1'", "x2'"),
        ("-1", "1"),
    ] {
        assert!(!same_line(shown, found), "{shown} {found}");
    }
    assert!(agrees(&["a", "...", "z"], &["a", "b", "c", "z"]));
    assert!(agrees(&["..."], &[]));
    assert!(!agrees(&["a", "...", "y"], &["a", "b", "c", "z"]));
}
