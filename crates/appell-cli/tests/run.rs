//! `appell run`: what the motion is, and how it ends.

use crate::common::*;
use serde_json::Value;

/// The samples as a table of columns, from the JSON file that `run -o` writes.
fn columns(model: &str, arguments: &[&str], test: &str) -> Value {
    let folder = folder(test);
    let path = inside(&folder, "motion.json");
    let output = run_with(&[&["run", "-", "-o", &path][..], arguments].concat(), model);
    assert_exit(&output, 0);
    json(&std::fs::read(path).expect("the file"))
}

#[test]
fn the_two_pucks_follow_the_reference() {
    let model = zoo("perpendicular");
    let arguments = [
        "run", &model, "--until", "10", "--rtol", "1e-12", "--atol", "1e-12", "--json",
    ];
    let output = run(&arguments);
    assert_exit(&output, 0);
    let motion = json(&output.stdout);
    assert_eq!(motion["t"], 10.0);
    let reference = reference("trajectory_perpendicular.json");
    let points = reference["points"].as_array().expect("a list");
    let last = points
        .iter()
        .find(|point| point["t"] == "10")
        .expect("t = 10");
    let wanted = [numbers(&last["q"]), numbers(&last["u"])].concat();
    let found = numbers(&motion["final"]);
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-10, "{found} {wanted}");
    }
    assert!(motion["max_residual"].as_f64().expect("a number") < 1e-14);
    assert!(motion["ledger"]["defect"].as_f64().expect("a number").abs() < 1e-10);
    for claim in motion["claims"].as_array().expect("a list") {
        assert_eq!(claim["holds"], true, "{claim}");
    }
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let output = run(&["run", &zoo("perpendicular"), "--json"]);
    assert_exit(&output, 0);
    assert_eq!(stdout(&output).lines().count(), 1);
    let motion = json(&output.stdout);
    let keys = [
        "outcome",
        "t",
        "state_names",
        "final",
        "steps",
        "rhs_evaluations",
        "max_residual",
        "ledger",
        "claims",
        "method",
    ];
    assert_keys(&motion, &keys, &["why"]);
    assert_keys(
        &motion["ledger"],
        &["change", "work", "defect", "bound", "energy"],
        &["energy_star"],
    );
    assert_keys(
        &motion["ledger"]["work"],
        &["P1", "P2", "perpendicular", "moving_frames", "projection"],
        &[],
    );
    for claim in motion["claims"].as_array().expect("a list") {
        assert_keys(claim, &["name", "holds", "drift"], &["why"]);
    }
    assert_eq!(motion["state_names"].as_array().map(Vec::len), Some(8));
}

#[test]
fn the_summary_on_standard_output_says_what_was_done() {
    let output = run(&["run", &zoo("appell-particle")]);
    assert_exit(&output, 0);
    assert!(output.stderr.is_empty());
    let text = stdout(&output);
    for words in [
        "Appell's particle",
        "2 of 3 coordinates",
        "multipliers: ",
        "dop853: ",
        "given  x = 0, y = 0, z = 0, x' = 1.6, y' = 1.2, z' = 1.5",
        "used   x = 0, y = 0, z = 0, x' = 1.6, y' = 1.2, z' = 2",
        "residual 0.28 -> 0",
        "evaluations",
        "work of cone",
        "defect",
        "heading     holds",
        "`z' < 1e-3` became true",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Each puck moves under its constant push alone: `x1 = 1 + 0.3 t + t^2/2`, `x2 = 1 + 0.4 t + t^2/4`.
#[test]
fn without_the_constraint_the_motion_is_free() {
    let model = zoo_text("perpendicular");
    let free = columns(
        &model,
        &["--drop", "perpendicular", "--until", "10"],
        "free",
    );
    let times = numbers(&free["t"]);
    assert!(times.len() > 100);
    for (i, t) in times.iter().enumerate() {
        let wanted = [
            ("x1", 1.0 + 0.3 * t + t * t / 2.0),
            ("y1", -2.0 + 0.4 * t),
            ("x2", 1.0 + 0.4 * t + t * t / 4.0),
            ("y2", 2.0 - 0.3 * t),
            ("lambda[perpendicular]", 0.0),
        ];
        for (name, wanted) in wanted {
            let found = numbers(&free[name])[i];
            assert!(
                (found - wanted).abs() < 1e-11,
                "{name}({t}) = {found}, not {wanted}"
            );
        }
    }
}

#[test]
fn appells_particle_runs_into_its_singular_state() {
    let model: String = zoo_text("appell-particle")
        .lines()
        .filter(|line| !line.starts_with("stop"))
        .map(|line| format!("{line}\n"))
        .collect();
    let output = run_with(&["run", "-", "--json"], &model);
    assert_exit(&output, 3);
    let motion = json(&output.stdout);
    assert!(
        motion["outcome"]
            .as_str()
            .is_some_and(|words| words.contains("singular state")),
        "{motion}"
    );
    // z' = 2 - g/2 t vanishes.
    let wanted = 2.0 / (9.81 / 2.0);
    let t = motion["t"].as_f64().expect("a number");
    assert!((t - wanted).abs() < 1e-6, "{t}");
    assert!(
        stderr(&output).contains("t = 0.407747"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_claim_that_does_not_hold_exits_with_1() {
    let model = SPRING.replace("\"T + V\"", "\"x\"");
    let output = run_with(&["run", "-", "--json"], &model);
    assert_exit(&output, 1);
    assert_eq!(json(&output.stdout)["claims"][0]["holds"], false);
    assert!(
        stderr(&output).contains("energy  does not hold"),
        "{}",
        stderr(&output)
    );
    let refuted = |model: &str| model.replace("{ constant", "{ refuted = true, constant");
    assert_exit(&run_with(&["run", "-"], &refuted(&model)), 0);
    // A formula that holds along one motion may be wrong all the same.
    let output = run_with(&["run", "-", "--json"], &refuted(SPRING));
    assert_exit(&output, 0);
    assert!(json(&output.stdout)["claims"][0]["holds"].is_null());
}

#[test]
fn too_many_steps_exit_with_4() {
    let output = run_with(&["run", "-", "--until", "1e9", "--json"], SPRING);
    assert_exit(&output, 4);
    let motion = json(&output.stdout);
    assert!(
        motion["outcome"]
            .as_str()
            .is_some_and(|words| words.contains("budget")),
        "{motion}"
    );
    assert!(
        motion["t"].as_f64().is_some_and(|t| t > 1e3),
        "what was computed is kept: {motion}"
    );
}

/// `x = cos t` forwards and backwards, in every method.
#[test]
fn options_of_the_run_count_before_the_file() {
    let methods = [&appell::AUTO].into_iter();
    for method in methods.chain(appell::METHODS.iter().copied()) {
        let (method, order) = (method.id, method.order.unwrap_or(8));
        let bound = if order > 2 { 1e-8 } else { 1e-6 };
        for until in ["2.5", "-2.5"] {
            let spring = [
                "--until",
                until,
                "--samples",
                "6",
                "--method",
                method,
                "--form",
                "projector",
            ];
            let motion = columns(SPRING, &spring, &format!("options{method}{until}"));
            let times = numbers(&motion["t"]);
            assert_eq!(times.len(), 6);
            for (t, x) in times.iter().zip(numbers(&motion["x"])) {
                assert!((x - t.cos()).abs() < bound, "{method}: {x} {t}");
            }
        }
    }
    let heavy = columns(SPRING, &["--samples", "2", "--until", "1"], "samples");
    assert_eq!(numbers(&heavy["t"]), [0.0, 1.0]);
}

#[test]
fn a_form_that_does_not_apply_is_an_error_of_the_question() {
    let output = run(&["run", &zoo("perpendicular"), "--form", "maggi"]);
    assert_exit(&output, 2);
    assert!(
        stderr(&output).contains("`maggi` does not apply"),
        "{}",
        stderr(&output)
    );
}

/// A run that takes long, interrupted in its midst.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_was_computed() {
    let folder = folder("interrupted");
    let (model, file) = (inside(&folder, "model.toml"), inside(&folder, "motion.csv"));
    std::fs::write(&model, SPRING).expect("written");
    let arguments = [
        "run",
        &model,
        "--until",
        "1e9",
        "--samples",
        "1000000",
        "-o",
        &file,
        "--json",
    ];
    let output = interrupted_amid(&arguments);
    let messages = stderr(&output);
    assert!(messages.starts_with("Spring\n"), "{messages}");
    assert!(messages.contains("interrupted"), "{messages}");
    let motion = json(&output.stdout);
    assert!(
        motion["outcome"]
            .as_str()
            .is_some_and(|words| words.contains("interrupted")),
        "{motion}"
    );
    let table = std::fs::read_to_string(&file).expect("the file is written");
    assert!(table.starts_with("t,x,x',"), "{table}");
    assert_files(&folder, &["model.toml", "motion.csv"]);
}

#[test]
fn every_backend_computes_the_same_motion() {
    let cache = folder("backends");
    let model = zoo("chaplygin-sleigh");
    let motion = |backend: &str| {
        let arguments = [
            "run",
            &model,
            "--until",
            "5",
            "--backend",
            backend,
            "--json",
        ];
        let output = appell()
            .args(arguments)
            .env("XDG_CACHE_HOME", &cache)
            .output()
            .expect("it starts");
        assert_exit(&output, 0);
        json(&output.stdout)
    };
    let usual = motion("auto");
    for backend in ["interp", "jit"] {
        // To the last bit: a run may change from one to another.
        assert_eq!(motion(backend), usual, "{backend}");
    }
    let last = |motion: &Value| numbers(&motion["final"]);
    for (found, wanted) in last(&motion("cc")).iter().zip(last(&usual)) {
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }
}

#[test]
fn what_is_compiled_lies_in_the_cache_and_without_a_compiler_the_run_says_so() {
    let cache = folder("cache");
    let run = |compiler: &str, backend: &str| {
        let model = zoo("perpendicular");
        let output = appell()
            .args(["run", &model, "--until", "1", "--backend", backend])
            .arg("--no-cache")
            .env("XDG_CACHE_HOME", &cache)
            .env("CC", compiler)
            .output()
            .expect("it starts");
        assert_exit(&output, 0);
        stdout(&output)
    };
    let words = run("no-such-compiler", "cc");
    assert!(
        words.contains("there is no C compiler `no-such-compiler`"),
        "{words}"
    );
    assert!(words.contains("Instead: auto"), "{words}");
    let kept = || std::fs::read_dir(cache.join("appell")).map_or(0, Iterator::count);
    assert_eq!(kept(), 0, "a failure leaves something behind");
    let words = run("cc", "cc");
    if !words.contains("there is no C compiler") {
        let first = kept();
        assert!(first > 4, "{first}");
        run("cc", "cc");
        assert_eq!(kept(), first, "what is known is not compiled again");
    }
    let words = run("cc", "jit");
    assert!(!words.contains("backend"), "{words}");
}

/// The potential jumps and no force knows of it: the file is written, and the exit code tells.
#[test]
fn an_energy_that_does_not_balance_exits_with_3() {
    let model = "appell = 1\ncoordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n\
                 potential = \"cos(x - 1)*sign(x^3 + x - 2)/4\"\n[initial]\nstate = [\"x = 0\", \"x' = 1\"]\n\
                 [simulate]\nuntil = 3\n";
    let folder = folder("unbalanced");
    let path = inside(&folder, "motion.json");
    let output = run_with(&["run", "-", "--json", "-o", &path], model);
    assert_exit(&output, 3);
    let said = stderr(&output)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(said.contains("the energy does not balance"), "{said}");
    let motion = json(&output.stdout);
    let ledger = &motion["ledger"];
    let number = |key: &str| ledger[key].as_f64().expect("a number");
    assert!(number("defect").abs() > number("bound"), "{ledger}");
    let columns = json(&std::fs::read(path).expect("the file"));
    assert_eq!(columns["t"].as_array().expect("a list").len(), 201);
}

#[test]
fn tolerances_that_bound_nothing_are_refused() {
    for (arguments, words) in [
        (["--rtol", "1", "--atol", "1e-12"], "of 1 or more"),
        (["--rtol", "1e308", "--atol", "1e-12"], "of 1 or more"),
        (["--rtol", "1e-20", "--atol", "0"], "below rounding errors"),
        (["--rtol", "0", "--atol", "1e-30"], "below rounding errors"),
    ] {
        let output = run(&[&["run", &zoo("skate")], &arguments[..]].concat());
        assert_exit(&output, 2);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}

/// The reaction of a joint motor loses its hold on the constraint: `A M^-1 W` loses rank there.
#[test]
fn a_step_that_becomes_too_small_names_the_matrix_that_loses_rank() {
    let arm = r#"
coordinates = ["q1", "q2"]
[energy]
kinetic = "q1'^2 + q1'*q2'*cos(q2) + q2'^2"
[constraints]
speed = { equation = "(cos(q1) + cos(q1 + q2))*q1' + cos(q1 + q2)*q2' = 0.4", reaction = { q1 = "1" } }
[initial]
state = ["q1 = 0.3", "q2 = 0.8", "q1' = 0.5"]
[simulate]
until = 20
"#;
    let output = run_with(&["run", "-"], arm);
    assert_exit(&output, 3);
    let text = on_one_line(&stdout(&output));
    assert!(text.contains("`A M^-1 W` loses rank there"), "{text}");
    let fall = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"-1/abs(x)\"\n[initial]\nstate = \
                [\"x = 1\"]\n[simulate]\nuntil = 5\n";
    let output = run_with(&["run", "-"], fall);
    assert_exit(&output, 3);
    let text = on_one_line(&stdout(&output));
    assert!(text.contains("the velocities have grown to"), "{text}");
    let quartic = "coordinates = [\"x\"]\n[energy]\nlagrangian = \"x'^4/12 - x\"\n[initial]\nstate = [\"x' = 0.5\"]\n\
                   [simulate]\nuntil = 2\n";
    let output = run_with(&["run", "-"], quartic);
    assert_exit(&output, 3);
    let text = on_one_line(&stdout(&output));
    assert!(text.contains("`M`, the mass matrix, loses rank"), "{text}");
}

/// Samples on standard output leave it to them: what is said is beside.
#[test]
fn samples_go_to_standard_output_in_every_format() {
    for (format, begins) in [("csv", "t,x,x'"), ("json", "{\"t\":"), ("npz", "PK")] {
        let output = run_with(&["run", "-", "-o", "-", "--format", format], SPRING);
        assert_exit(&output, 0);
        assert!(output.stdout.starts_with(begins.as_bytes()), "{format}");
        assert!(stderr(&output).contains("energy  holds"), "{format}");
    }
    let usual = run_with(&["run", "-", "-o", "-"], SPRING);
    let lines = stdout(&usual);
    assert_eq!(lines.lines().count(), 4, "{lines}");
    for both in [["-o", "-", "--json"].as_slice(), &["-o", "-", "-o", "-"]] {
        let output = run_with(&[&["run", "-"], both].concat(), SPRING);
        assert_exit(&output, 2);
        let said = stdout(&output) + &stderr(&output);
        assert!(said.contains("standard output"), "{said}");
    }
}

/// Without the lines that a terminal is given.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
