//! `appell check`

use crate::common::*;
use serde_json::json;

#[test]
fn text_says_what_the_model_is() {
    let output = run(&["check", &zoo("perpendicular")]);
    assert_exit(&output, 0);
    let text = stdout(&output);
    for words in [
        "Two pucks whose velocities stay perpendicular",
        "x1, y1, x2, y2",
        "3 of 4 coordinates",
        "positive definite",
        "perpendicular (1 row, independent): homogeneous, cone, inherent, nonholonomic, of degree 2",
        "regular",
        "ranks: A 1, [A|B] 1, M 4, A M^-1 W 1, d phi 1",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(stderr(&output).is_empty());
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let output = run(&["check", &zoo("perpendicular"), "--json"]);
    assert_exit(&output, 0);
    assert_eq!(stdout(&output).lines().count(), 1);
    let check = json(&output.stdout);
    let keys = [
        "coordinates",
        "dof",
        "stationary",
        "constraints",
        "holonomic_combinations",
        "growth_vector",
        "singular",
        "initial",
        "parameters",
    ];
    assert_keys(&check, &keys, &["metric", "generic_rank", "why"]);
    assert_eq!(check["coordinates"], 4);
    assert_eq!(check["dof"], 3);
    assert_eq!(check["stationary"], true);
    let constraint = &check["constraints"][0];
    let keys = [
        "name",
        "rows",
        "class",
        "degree",
        "contrived",
        "equivalent_linear",
    ];
    assert_keys(constraint, &keys, &["standing", "why"]);
    let words = json!(["homogeneous", "cone", "inherent", "nonholonomic"]);
    assert_eq!(constraint["class"], words);
    assert_eq!(check["holonomic_combinations"], json!([]));
    assert_eq!(check["growth_vector"], json!(null));
    assert!(check["why"]["growth_vector"].is_string());
    let rest = "x1' = 0, y1' = 0, x2' = 0, y2' = 0";
    assert_eq!(check["singular"], json!([rest]));
    assert_eq!(check["generic_rank"]["A"], 1);
    assert_eq!(constraint["degree"], 2.0);
}

#[test]
fn states_are_judged_with_their_six_ranks() {
    let states = r#"[{"q": [1, -2, 1, 2], "v": ["0.3", "0.4", "0.4", "-0.3"]},
                     {"t": 1, "q": [0, 0, 0, 0], "v": [0, 0, 0, 0]},
                     {"q": [1, -2, 1, 2], "v": [1, 0.4, 0.4, -0.3]}]"#;
    let output = run_with(
        &["check", &zoo("perpendicular"), "--states", "-", "--json"],
        states,
    );
    assert_exit(&output, 0);
    let check = json(&output.stdout);
    let judged = check["states"].as_array().expect("a list");
    let words: Vec<&str> = judged
        .iter()
        .map(|state| state["status"].as_str().expect("a word"))
        .collect();
    assert_eq!(words, ["regular", "singular", "off-constraint"]);
    for state in judged {
        assert_keys(state, &["rank", "status", "why"], &[]);
        assert_keys(
            &state["rank"],
            &["A", "psi", "augmented", "M", "gram", "dphi"],
            &[],
        );
    }
    let text = stdout(&run_with(
        &["check", &zoo("perpendicular"), "--states", "-"],
        states,
    ));
    assert!(text.contains("state 1       singular: "), "{text}");
}

/// Parallel velocities at rest: words, and never a NaN.
#[test]
fn several_motions_leave_rest() {
    let rest = r#"[{"q": [0, 0, 1, 0], "v": [0, 0, 0, 0]}]"#;
    let model = zoo("parallel-velocities");
    let text = stdout(&run_with(&["check", &model, "--states", "-"], rest));
    let line = text.lines().find(|line| line.contains("state 0"));
    let line = line.expect("it is judged");
    assert!(
        line.contains("singular: ") && line.contains("; several motions leave it: "),
        "{line}"
    );
    let still = zoo_text("parallel-velocities")
        .replace("rho = 1.5\", \"sigma = -0.5", "rho = 0\", \"sigma = 0");
    for arguments in [
        ["run", "-", "--json"],
        ["check", "-", "--json"],
        ["eval", "-", "--json"],
    ] {
        let output = match arguments[0] {
            "eval" => run_with(
                &["eval", &model, "--states", "-", "--form", "all", "--json"],
                rest,
            ),
            _ => run_with(&arguments, &still),
        };
        let text = stdout(&output);
        assert!(text.contains("several motions leave it"), "{text}");
        assert!(!text.contains("NaN"), "{text}");
        if arguments[0] == "run" {
            assert_exit(&output, 3);
        }
    }
}

#[test]
fn a_start_that_contradicts_the_constraints_is_shown_and_exits_with_2() {
    let model = zoo_text("skate").replace("\"z1 = 1\"", "\"x' = 1\", \"y' = 1\", \"z1 = 1\"");
    assert_ne!(model, zoo_text("skate"));
    let output = run_with(&["check", "-"], &model);
    assert_exit(&output, 2);
    assert!(
        stderr(&output).contains("error[E0501]"),
        "{}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("blade"),
        "the rest is said: {}",
        stdout(&output)
    );
    let output = run_with(&["check", "-", "--json"], &model);
    assert_exit(&output, 2);
    let both = json(&output.stdout);
    assert_eq!(both["error"][0]["code"], "E0501");
    assert_eq!(both["coordinates"], 3);
    assert_exit(&run_with(&["run", "-"], &model), 2);
}

#[test]
fn one_stream_is_not_written_twice() {
    let model = zoo("perpendicular");
    let output = run(&["check", &model, "--json", "--simplify", "-"]);
    assert_exit(&output, 2);
    assert_eq!(
        json(&output.stdout)["error"][0]["code"],
        serde_json::Value::Null
    );
}

#[test]
fn constraints_can_be_left_out_and_parameters_changed() {
    let model = zoo("perpendicular");
    let check = json(&run(&["check", &model, "--drop", "perpendicular", "--json"]).stdout);
    assert_eq!(check["dof"], 4);
    assert_exit(&run(&["check", &model, "-p", "m1=1/3", "-p", "m2=1e-3"]), 0);
}

#[test]
fn contrived_rows_are_replaced_in_a_new_file() {
    let folder = folder("simplify");
    let file = folder.join("simpler.toml");
    let path = file.to_str().expect("text");
    let model = zoo("perpendicular-along-line");
    let output = run(&["check", &model, "--simplify", path, "--json"]);
    assert_exit(&output, 0);
    let check = json(&output.stdout);
    let replaced = &check["simplified"][0];
    assert_eq!(replaced["constraint"], "perpendicular");
    assert_eq!(replaced["verdict"], "proved");
    let row = "x1'*(x1 - x2) + y1'*(y1 - y2) = 0";
    assert_eq!(replaced["by"], json!([row]));
    let constraint = &check["constraints"][0];
    assert_eq!(constraint["equivalent_linear"], json!([row]));
    assert!(constraint["contrived"].is_string());
    let written = std::fs::read_to_string(&file).expect("it is written");
    assert_eq!(
        written,
        zoo_text("perpendicular-along-line").replace("x1'*x2' + y1'*y2' = 0", row)
    );
    let simpler = json(&run(&["check", path, "--json"]).stdout);
    assert_eq!(simpler["constraints"][0]["contrived"], json!(null));
    let text = stdout(&run(&["check", &model]));
    assert!(text.contains("says the same as x1'*(x1 - x2)"), "{text}");
}

#[test]
fn a_simpler_file_is_not_written_over_the_model_or_without_need() {
    let folder = folder("simplify-not");
    let model = folder.join("own.toml");
    let text = zoo_text("perpendicular-along-line");
    std::fs::write(&model, &text).expect("written");
    let path = model.to_str().expect("text");
    let output = run(&["check", path, "--simplify", path]);
    assert_exit(&output, 2);
    assert!(stderr(&output).contains("is the model itself"));
    assert_eq!(std::fs::read_to_string(&model).expect("kept"), text);
    let other = folder.join("other.toml");
    let output = run(&[
        "check",
        &zoo("skate"),
        "--simplify",
        other.to_str().expect("text"),
    ]);
    assert_exit(&output, 0);
    assert!(stderr(&output).contains("nothing is contrived"));
    assert!(!other.exists());
}

#[test]
fn equilibria_are_found_in_a_box() {
    let arguments = [
        "check",
        "-",
        "--equilibria",
        "--box",
        "theta=-3:3",
        "--json",
    ];
    let output = run_with(&arguments, &zoo_text("skate"));
    assert_exit(&output, 0);
    let found = &json(&output.stdout)["equilibria"];
    let keys = [
        "searched",
        "steady_in",
        "ignorable",
        "states",
        "excluded",
        "why",
    ];
    assert_keys(found, &keys, &[]);
    let states = found["states"].as_array().expect("a list");
    let at_rest = states.iter().filter(|state| state["kind"] == "equilibrium");
    assert_eq!(at_rest.count(), 2, "{states:?}");
    assert!(states.iter().all(|state| state["stability"].is_string()));
    let output = run_with(
        &["check", "-", "--equilibria"],
        &zoo_text("parallel-velocities"),
    );
    assert_exit(&output, 0);
    let text = stdout(&output);
    assert!(
        text.contains("excluded: v = 0 is a singular state of `parallel`"),
        "{text}"
    );
}

#[test]
fn a_box_is_a_range_of_something_known() {
    for (range, wanted) in [
        ("tehta=0:1", "did you mean `theta`?"),
        ("theta=1", "write NAME=LOW:HIGH"),
        ("theta=2:1", "above the upper"),
    ] {
        let output = run_with(
            &["check", "-", "--equilibria", "--box", range],
            &zoo_text("skate"),
        );
        assert_exit(&output, 2);
        assert!(stderr(&output).contains(wanted), "{}", stderr(&output));
    }
}

#[test]
fn a_start_from_which_no_motion_begins_is_exit_code_2() {
    let model = |kinetic: &str, row: &str, state: &str| {
        format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"{kinetic}\"\n[constraints]\nc = \"{row}\"\n\
             [initial]\nstate = [{state}]\n[simulate]\nuntil = 1\n"
        )
    };
    let rest = "\"x = 0\", \"y = 0\", \"x' = 0\", \"y' = 0\"";
    for (text, words, of_run) in [
        (
            model("x'^2 + y'^2", "x'^2 - y'^2 = 0", rest),
            "the rank of A drops",
            3,
        ),
        (
            model("x'^2", "x' = 1", "\"y' = 0\""),
            "M has rank 1 of 2",
            2,
        ),
        (
            model("x'^2 + y'^2", "x' = 1", "\"x' = 3\""),
            "initial state",
            2,
        ),
    ] {
        let output = run_with(&["check", "-"], &text);
        assert_exit(&output, 2);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
        assert_exit(&run_with(&["run", "-"], &text), of_run);
    }
}

/// A can that rolls round on its rim: its motion is steady, in coordinates that turn with it.
#[test]
fn steady_motions_are_called_nothing_else() {
    let output = run(&["check", &zoo("rolling-disc"), "--equilibria"]);
    assert_exit(&output, 0);
    let text = stdout(&output);
    assert!(
        text.contains("steady motion: ") && !text.contains("not steady"),
        "{text}"
    );
    assert!(text.contains("coordinates that move with it"), "{text}");
}

/// Parameters that no row speaks of cost nothing: each had a program of its own, with all others as its inputs.
#[test]
fn long_chains_of_parameters_need_little_memory() {
    let folder = folder("chain");
    let model = inside(&folder, "chain.toml");
    for link in ["{} + 1", "2*{} - 1"] {
        let links = (1..4_990).map(|i| {
            let before = link.replace("{}", &format!("p{}", i - 1));
            format!("p{i} = \"{before}\"\n")
        });
        let text = format!(
            "title = \"Chain\"\ncoordinates = [\"x\", \"y\"]\n[parameters]\np0 = 1\n{}[energy]\n\
             kinetic = \"x'^2 + y'^2\"\npotential = \"p4989*x\"\n[constraints]\nc = \"x' = p0*y'\"\n",
            links.collect::<String>()
        );
        std::fs::write(&model, text).expect("the model");
        let output = run(&["check", &model, "--json", "--memory", "300MB"]);
        assert_exit(&output, 0);
        assert_eq!(json(&output.stdout)["dof"], 1);
    }
}
