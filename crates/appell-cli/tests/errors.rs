//! What is said about files and models that are wrong.

use crate::common::*;
use std::fs;
use std::process::{Command, Stdio};

const TYPO: &str = r#"
coordinates = ["theta"]
[energy]
kinetic = "1/2*theta'^2"
potential = "cos(tetha)"
"#;

#[test]
fn a_wrong_model_is_shown_with_its_place_and_remedy() {
    let folder = folder("typo");
    let path = inside(&folder, "typo.toml");
    fs::write(&path, TYPO).expect("written");
    for command in ["check", "derive", "run"] {
        let output = run(&[command, &path]);
        assert_exit(&output, 2);
        assert!(output.stdout.is_empty());
        let text = stderr(&output);
        assert!(
            text.contains("error[E0102]: unknown name `tetha`"),
            "{text}"
        );
        assert!(text.contains("typo.toml:5:"), "{text}");
        assert!(text.contains("did you mean `theta`?"), "{text}");
    }
    let piped = stderr(&run_with(&["check", "-"], TYPO));
    assert!(piped.contains("--> standard input:5:"), "{piped}");
}

#[test]
fn warnings_do_not_stop_the_work() {
    let model = SPRING.replace("1/2*x^2\"", "1/2*x^2 + 0*abs(x) + abs(x)\"");
    let output = run_with(&["check", "-"], &model);
    assert_exit(&output, 0);
    assert!(
        stderr(&output).contains("warning[W0101]"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn colours_need_a_terminal_or_force_and_no_color_wins() {
    let complaint = |variables: &[(&str, &str)]| {
        let mut command = appell();
        command
            .args(["check", "-"])
            .write_stdin(TYPO)
            .envs(variables.iter().copied());
        stderr(&command.output().expect("the program starts"))
    };
    let plain = complaint(&[]);
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    assert!(complaint(&[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'));
    assert_eq!(
        complaint(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]),
        plain
    );
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = folder("unreadable");
    let missing = inside(&folder, "nothing.toml");
    let latin = inside(&folder, "latin.toml");
    fs::write(&latin, b"title = \"caf\xe9\"\n").expect("written");
    let gallery = inside(&folder, "skate.toml");
    let cases = [
        (missing.as_str(), "there is no file"),
        (
            latin.as_str(),
            "is not UTF-8 text: it is invalid at byte 12",
        ),
        (gallery.as_str(), "appell new skate > skate.toml"),
        (folder.to_str().expect("UTF-8"), "is a folder"),
    ];
    for (path, words) in cases {
        let output = run(&["run", path]);
        assert_exit(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{path}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_huge_file_is_refused() {
    let large = format!("# {}\n{SPRING}", "x".repeat(2 << 20));
    let output = run_with(&["check", "-"], &large);
    assert_exit(&output, 2);
    assert!(
        stderr(&output).contains("error[E0014]"),
        "{}",
        stderr(&output)
    );
    let huge = "#".repeat((16 << 20) + 1);
    let output = run_with(&["check", "-"], &huge);
    assert_exit(&output, 2);
    assert!(
        stderr(&output).contains("larger than 16 MiB"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn questions_that_do_not_fit_the_model_are_answered_without_a_place() {
    let cases: [(&[&str], &str); 4] = [
        (&["-p", "mass=2"], "unknown parameter `mass`"),
        (&["--drop", "blade"], "unknown constraint `blade`"),
        (&["--until", "inf"], "the end time is not a finite number"),
        (&["--rtol", "-1"], "tolerances"),
    ];
    for (arguments, words) in cases {
        let output = run_with(&[&["run", "-"][..], arguments].concat(), SPRING);
        assert_exit(&output, 2);
        let text = stderr(&output);
        assert!(text.contains("error[E") && text.contains(words), "{text}");
        assert!(!text.contains("-->"), "{text}");
    }
}

#[test]
fn control_characters_of_a_model_do_not_reach_the_terminal() {
    let model = SPRING.replace("\"Spring\"", r#""\u001b[31mSpring\u0007""#)
        + "[constraints]\n\"\\u001b[2J\" = \"0*x' = 0\"\n";
    for command in ["check", "run", "derive"] {
        let output = run_with(&[command, "-"], &model);
        assert_exit(&output, 0);
        let text = stdout(&output) + &stderr(&output);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{command}: {text:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program cannot have printed anything yet: it waits for the model.
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("piped");
    std::io::Write::write_all(&mut input, SPRING.as_bytes()).expect("the program reads");
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    assert_exit(&output, 0);
    assert!(stderr(&output).is_empty(), "{}", stderr(&output));
}

/// With `--json` a problem is an object on standard output, beside the words on standard error.
#[test]
fn problems_are_json_where_answers_are() {
    let wrong = SPRING.replace("\"1/2*x'^2\"", "\"1/2*y'^2\"");
    for command in ["check", "prove", "run", "conserved", "linearize"] {
        let output = run_with(&[command, "-", "--json"], &wrong);
        assert_exit(&output, 2);
        let error = &json(&output.stdout)["error"][0];
        assert_eq!(error["code"], "E0102", "{command}");
        assert_eq!(
            (error["line"].as_u64(), error["column"].as_u64()),
            (Some(5), Some(16)),
            "{error}"
        );
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| text.contains("`y`")),
            "{error}"
        );
        assert!(stderr(&output).contains("E0102"), "{command}");
    }
    let missing = run(&["run", "no-such-model.toml", "--json"]);
    assert_exit(&missing, 2);
    let error = &json(&missing.stdout)["error"][0];
    assert!(
        error["code"].is_null() && error["message"].is_string(),
        "{error}"
    );
    assert!(run(&["run", "no-such-model.toml"]).stdout.is_empty());
}

/// What other tools understand, or what was nearly right: what is to be written instead.
#[test]
fn near_misses_on_the_command_line_get_a_remedy() {
    let skate = zoo("skate");
    for (arguments, words) in [
        (
            &["run", &skate, "--until", "10s"][..],
            "write the number alone, `10`",
        ),
        (
            &["run", &skate, "--until", "soon"],
            "write a number, such as 10",
        ),
        (
            &["derive", &skate, "--latex"],
            "`appell derive MODEL --to latex`",
        ),
        (
            &["run", &skate, "--form", "lagrange"],
            "did you mean `multipliers`",
        ),
        (&["model.toml"], "did you mean `appell run model.toml`"),
        (
            &["run", &skate, "-p", "theta=0.3"],
            "`theta` is a coordinate: its value at the start",
        ),
        (
            &["run", &skate, "-p", "theta'=0.3"],
            "`theta'` is a velocity",
        ),
    ] {
        let output = run(arguments);
        assert_exit(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    // Programs are told the same.
    let output = run(&["run", &skate, "--form", "lagrange", "--json"]);
    assert!(stdout(&output).contains("did you mean `multipliers`"));
}

#[test]
fn near_misses_in_files_get_a_remedy() {
    for (text, words) in [
        (
            "coordinates = [\"x\"]\n[particles]\nP = { mass = 1, position = \"[x, 0, 0]\" }\n\
             [loads]\nbody = \"P\"\nforce = \"N.x\"\n[loads]\nbody = \"P\"\nforce = \"N.y\"\n",
            "write `[[loads]]` above each",
        ),
        (
            "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\nc = \"x' = 1\"\n\
             [claims]\nk = { equation = \"lambda(c) = 0\" }\n",
            "`multiplier(c)`, in claims and plots",
        ),
    ] {
        let output = run_with(&["check", "-"], text);
        assert_exit(&output, 2);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}

#[test]
fn pictures_of_a_model_without_plots_are_missed_aloud() {
    let folder = folder("no-plots");
    let plots = inside(&folder, "plots");
    let output = run_with(&["run", "-", "--until", "1", "--svg-dir", &plots], SPRING);
    assert_exit(&output, 0);
    assert!(
        stderr(&output).contains("no plot was written to"),
        "{}",
        stderr(&output)
    );
    assert!(!std::path::Path::new(&plots).exists());
}

/// What no body has is used, and warned of with its figures.
#[test]
fn masses_and_inertias_that_no_body_has_are_named() {
    let body = |mass: &str, inertia: &str| {
        format!(
            "coordinates = [\"x\", \"th\"]\n[frames]\nB = {{ angle = \"th\", axis = \"z\" }}\n[bodies.disc]\n\
             mass = {mass}\nframe = \"B\"\nposition = \"[x, 0, 0]\"\ninertia = {inertia}\n"
        )
    };
    for (mass, inertia, words) in [
        ("-1.5", "[1, 1, 2]", "the mass of `disc` is -1.5"),
        ("1", "[1, 1, 5]", "and here they are 1, 1, 5"),
        (
            "1",
            "[-1, 1, 2]",
            "has principal moments -1, 1, 2: one is negative",
        ),
    ] {
        let output = run_with(&["check", "-"], &body(mass, inertia));
        assert_exit(&output, 0);
        let text = stderr(&output);
        assert!(text.contains("W0204") && text.contains(words), "{text}");
    }
    // A flat plate, a rod, and moments that do not matter and are not given.
    for inertia in ["[1, 1, 2]", "[0, 1, 1]", "[0, 0, 5]"] {
        let output = run_with(&["check", "-"], &body("0.1", inertia));
        assert!(
            !stderr(&output).contains("W0204"),
            "{inertia}: {}",
            stderr(&output)
        );
    }
}
