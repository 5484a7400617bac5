//! `appell fmu`: what the archive holds, and what is refused. Its motions are simulated by the tests of the Python package.

use crate::common::*;
use std::fs;

/// Whether the bytes of an archive, which are not compressed, hold a text.
fn holds(archive: &[u8], text: &str) -> bool {
    archive
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[test]
fn a_unit_has_a_description_and_sources() {
    let path = folder("fmu").join("skate-1.fmu");
    let file = path.to_string_lossy().into_owned();
    let made = run(&["fmu", &zoo("skate"), "-o", &file]);
    assert_exit(&made, 0);
    let archive = fs::read(&path).expect("the unit");
    assert!(archive.starts_with(b"PK"));
    for text in [
        "modelDescription.xml",
        "sources/skate_1.c",
        "sources/buildDescription.xml",
        "fmiVersion=\"3.0\"",
        "<ModelExchange modelIdentifier=\"skate_1\"",
        "<CoSimulation modelIdentifier=\"skate_1\"",
        "name=\"theta&#39;\"",
        "name=\"lambda[blade]\"",
        "fmi3DoStep",
    ] {
        assert!(holds(&archive, text), "{text}");
    }
    let one = run(&[
        "fmu",
        &zoo("skate"),
        "-o",
        &file,
        "--kind",
        "cs",
        "-p",
        "m=2",
    ]);
    assert_exit(&one, 0);
    let archive = fs::read(&path).expect("the unit");
    assert!(!holds(&archive, "<ModelExchange"));
    assert!(holds(&archive, "start=\"2.0\""));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let model = zoo("skate");
    let itself = run(&["fmu", &model, "-o", &model]);
    assert_exit(&itself, 2);
    assert!(stderr(&itself).contains("not overwritten"));
    let path = folder("fmu-refused").join("a.fmu");
    let file = path.to_string_lossy().into_owned();
    let other = run(&["fmu", &model, "-o", &file, "--form", "hamilton"]);
    assert_exit(&other, 2);
    assert!(stderr(&other).contains("is not (q, v)"));
    assert!(!path.exists());
}
