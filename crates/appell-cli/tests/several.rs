//! Several models, several values of a parameter, and how much is said.

use crate::common::*;
use std::fs;

/// A model with a parameter.
const DRIVEN: &str = r#"
title = "Driven"
coordinates = ["x"]
[parameters]
k = 1
[energy]
kinetic = "1/2*x'^2"
potential = "1/2*k*x^2"
[initial]
state = ["x = 1", "x' = 0"]
[simulate]
until = 1
samples = 3
[claims]
energy = { constant = "T + V" }
"#;

#[test]
fn each_model_answers_and_the_greatest_exit_code_counts() {
    let folder = folder("several");
    let write = |name: &str, text: &str| {
        let path = inside(&folder, name);
        fs::write(&path, text).expect("the folder is there");
        path
    };
    let good = write("good.toml", SPRING);
    let wrong = write("wrong.toml", &SPRING.replace("1/2*x'^2", "1/2*y'^2"));
    let refuted = write("refuted.toml", &SPRING.replace("\"T + V\"", "\"T - V\""));
    for command in ["check", "prove"] {
        let output = run(&[command, &good, &good]);
        assert_exit(&output, 0);
        let single = stdout(&run(&[command, &good]));
        assert_eq!(
            stdout(&output),
            format!("{good}:\n{single}\n{good}:\n{single}")
        );
    }
    let output = run(&["prove", &good, &refuted]);
    assert_exit(&output, 1);
    let output = run(&["prove", &wrong, &good, &refuted, "--json"]);
    assert_exit(&output, 2);
    assert_eq!(stdout(&output).lines().count(), 1);
    let models = json(&output.stdout)["models"].clone();
    assert_eq!(models[0]["error"][0]["code"], "E0102");
    assert_eq!(models[1]["file"], good.as_str());
    let single = json(&run(&["prove", &good, "--json"]).stdout);
    assert_eq!(models[1]["answer"], single);
    assert_eq!(models[2]["answer"]["claims"][0]["verdict"], "refuted");
    assert!(stderr(&output).contains("E0102"));
    let output = run_with(&["check", "-", "-"], SPRING);
    assert_exit(&output, 2);
}

#[test]
fn a_run_for_each_value_of_a_parameter() {
    let folder = folder("values");
    let path = inside(&folder, "all.json");
    let output = run_with(&["run", "-", "-p", "k=1:4:1.5", "-o", &path], DRIVEN);
    assert_exit(&output, 0);
    let table = json(&fs::read(&path).expect("the file"));
    assert_eq!(
        numbers(&table["k"]),
        [1.0, 1.0, 1.0, 2.5, 2.5, 2.5, 4.0, 4.0, 4.0]
    );
    for (x, (k, t)) in numbers(&table["x"])
        .iter()
        .zip(numbers(&table["k"]).iter().zip(numbers(&table["t"])))
    {
        assert!((x - (k.sqrt() * t).cos()).abs() < 1e-6, "{x} {k} {t}");
    }
    assert!(stdout(&output).contains("k = 2.5"), "{}", stdout(&output));
    let output = run_with(&["run", "-", "-p", "k=2,1/4", "--json"], DRIVEN);
    assert_exit(&output, 0);
    let runs = json(&output.stdout);
    assert_eq!(runs["parameter"], "k");
    assert_eq!(numbers(&runs["values"]), [2.0, 0.25]);
    let quarter = run_with(&["run", "-", "-p", "k=1/4", "--json"], DRIVEN);
    assert_eq!(runs["runs"][1], json(&quarter.stdout));
    // With the table on standard output there is nothing else.
    let output = run_with(&["run", "-", "-p", "k=1,2", "-o", "-"], DRIVEN);
    assert_exit(&output, 0);
    assert!(
        stdout(&output).starts_with("k,t,x,x',"),
        "{}",
        stdout(&output)
    );
    assert_eq!(stdout(&output).lines().count(), 7);
}

#[test]
fn a_value_without_a_motion_takes_nothing_from_the_others() {
    let bounded = DRIVEN.replace("k = 1", "k = { value = 1, max = 3 }");
    let output = run_with(&["run", "-", "-p", "k=2,9", "--json"], &bounded);
    assert_exit(&output, 2);
    let runs = &json(&output.stdout)["runs"];
    assert_eq!(runs[0]["t"], 1.0);
    assert!(runs[1]["error"][0]["message"].is_string(), "{runs}");
    assert_eq!(runs[1]["error"][0]["code"], "E0206");
    for wrong in [["-p", "k=1,2", "-p", "k=1:2"], ["-p", "j=1,2", "-p", "k=1"]] {
        let output = run_with(&[&["run", "-"][..], &wrong].concat(), DRIVEN);
        assert_exit(&output, 2);
    }
}

#[test]
fn a_motion_is_computed_by_several_forms() {
    let skate = zoo("skate");
    let all = run(&["run", &skate, "--until", "2", "--form", "all", "--json"]);
    assert_exit(&all, 0);
    let forms = &json(&all.stdout)["forms"];
    assert_eq!(forms.as_object().map(serde_json::Map::len), Some(12));
    let states = ["multipliers", "kane"].map(|form| numbers(&forms[form]["final"]));
    for (a, b) in states[0].iter().zip(&states[1]).take(3) {
        assert!((a - b).abs() < 1e-8, "{states:?}");
    }
    let told = run(&["run", &skate, "--until", "2", "--form", "maggi,kane"]);
    assert_exit(&told, 0);
    let text = stdout(&told);
    assert!(
        text.contains("from maggi") && text.contains("The motion was computed"),
        "{text}"
    );
    // A spring has no rows to be solved for velocities.
    let spring = run_with(
        &[
            "run",
            "-",
            "--form",
            "connection,multipliers,chaplygin",
            "--json",
        ],
        SPRING,
    );
    assert_exit(&spring, 0);
    assert!(json(&spring.stdout)["forms"]["multipliers"]["t"].is_number());
    for wrong in [["-o", "-"], ["-p", "m=1,2"]] {
        let words = [&["run", &skate, "--form", "all"][..], &wrong].concat();
        assert_exit(&run(&words), 2);
    }
}

/// The messages of an Arrow stream are framed; what is in them is read by Arrow's own library elsewhere.
#[test]
fn samples_go_to_standard_output_in_every_format() {
    let begins = [
        ("csv", &b"t,x"[..]),
        ("json", b"{\"t\":["),
        ("npz", b"PK\x03\x04"),
        ("arrow", b"\xff\xff\xff\xff"),
    ];
    for (format, head) in begins {
        let output = run_with(&["run", "-", "-o", "-", "--format", format], DRIVEN);
        assert_exit(&output, 0);
        assert!(output.stdout.starts_with(head), "{format}");
        assert!(
            stderr(&output).contains("The motion was computed"),
            "{format}"
        );
    }
    let folder = folder("arrow");
    let path = inside(&folder, "motion.arrow");
    assert_exit(&run_with(&["run", "-", "-o", &path], DRIVEN), 0);
    let file = fs::read(&path).expect("the file");
    assert!(file.starts_with(b"ARROW1\0\0") && file.ends_with(b"ARROW1"));
}

#[test]
fn quiet_says_nothing_and_verbose_says_more() {
    let corner = SPRING.replace("1/2*x^2", "abs(x)");
    let usual = run_with(&["run", "-", "--json"], &corner);
    assert!(stderr(&usual).contains("W0101"), "{}", stderr(&usual));
    let quiet = run_with(&["run", "-", "--json", "-q"], &corner);
    assert_eq!(stderr(&quiet), "");
    assert_eq!(quiet.stdout, usual.stdout);
    let quiet = run_with(&["-q", "check", "-"], &SPRING.replace("1/2*x^2", "1/2*y^2"));
    assert!(
        stderr(&quiet).contains("E0102"),
        "errors are told all the same"
    );
    let verbose = run_with(&["run", "-", "-v", "-p", "k=3"], DRIVEN);
    for words in ["1 coordinates, 1 parameters", "k = 3", "it took "] {
        assert!(stderr(&verbose).contains(words), "{}", stderr(&verbose));
    }
    assert_exit(&run_with(&["check", "-", "-q", "-v"], SPRING), 2);
}

#[test]
fn colours_are_as_asked() {
    let wrong = SPRING.replace("1/2*x^2", "1/2*y^2");
    let coloured = |arguments: &[&str]| {
        let output = run_with(&[&["check", "-"][..], arguments].concat(), &wrong);
        stderr(&output).contains('\u{1b}')
    };
    assert!(coloured(&["--color", "always"]));
    assert!(coloured(&["--color=always"]));
    assert!(!coloured(&["--color", "never"]));
    assert!(!coloured(&[]));
    assert_exit(&run(&["check", "--color", "often"]), 2);
}

#[test]
fn a_wrong_command_line_is_json_too() {
    let output = run(&["run", "model.toml", "--json", "--sampels", "3"]);
    assert_exit(&output, 2);
    let error = &json(&output.stdout)["error"][0];
    let message = error["message"].as_str().expect("words");
    assert!(message.contains("--sampels"), "{error}");
    assert!(stderr(&output).contains("--sampels"));
    assert!(run(&["run", "model.toml", "--sampels"]).stdout.is_empty());
}
