//! `appell derive`

use crate::common::*;
use serde_json::Value;

#[test]
fn text_names_model_form_and_unknowns() {
    let output = run(&["derive", &zoo("perpendicular")]);
    assert_exit(&output, 0);
    let text = stdout(&output);
    for words in [
        "Two pucks",
        "multipliers",
        "x1'*x2' + y1'*y2' = 0",
        "lambda[perpendicular]",
        "x1''",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(stderr(&output).is_empty());
}

#[test]
fn steps_show_more() {
    let derive =
        |arguments: &[&str]| stdout(&run(&[&["derive", &zoo("skate")], arguments].concat()));
    let (brief, full) = (derive(&[]), derive(&["--steps"]));
    assert!(full.len() > brief.len());
    assert!(
        full.contains("R[theta]") && !brief.contains("R[theta]"),
        "{full}"
    );
}

#[test]
fn latex_is_a_fragment() {
    let output = run(&[
        "derive",
        &zoo("skate"),
        "--form",
        "gibbs-appell",
        "--to",
        "latex",
    ]);
    assert_exit(&output, 0);
    let text = stdout(&output);
    for words in [r"\begin{align*}", r"\dot{\theta}", r"\sin"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(
        text.matches(r"\begin{").count(),
        text.matches(r"\end{").count()
    );
}

#[test]
fn json_has_one_entry_for_each_form() {
    let output = run(&[
        "derive",
        &zoo("perpendicular"),
        "--form",
        "all",
        "--to",
        "json",
    ]);
    assert_exit(&output, 0);
    let document = json(&output.stdout);
    assert_keys(&document, &["forms"], &[]);
    let forms = document["forms"].as_array().expect("a list");
    let ids: Vec<&str> = forms
        .iter()
        .map(|form| form["form"].as_str().expect("an id"))
        .collect();
    assert_eq!(ids.len(), 12);
    assert_eq!(ids[..3], ["multipliers", "projector", "gibbs-appell"]);
    let maggi = forms
        .iter()
        .find(|form| form["form"] == "maggi")
        .expect("a form");
    assert_keys(maggi, &["form", "unavailable"], &[]);
    for form in &forms[..2] {
        assert_eq!(form["rows"][0]["name"], "perpendicular");
        assert!(
            form["steps"]
                .as_array()
                .is_some_and(|steps| !steps.is_empty()),
            "{form}"
        );
        assert_eq!(form["state"].as_array().map(Vec::len), Some(8));
    }
}

#[test]
fn a_form_that_does_not_apply_is_no_failure() {
    let output = run(&["derive", &zoo("perpendicular"), "--form", "maggi"]);
    assert_exit(&output, 0);
    assert!(
        stderr(&output).starts_with("maggi does not apply: "),
        "{}",
        stderr(&output)
    );
    assert!(stdout(&output).trim().is_empty());
}

#[test]
fn constraints_can_be_left_out() {
    let model = zoo("perpendicular");
    let output = run(&["derive", &model, "--drop", "perpendicular", "--to", "json"]);
    assert_exit(&output, 0);
    let Value::Array(rows) = &json(&output.stdout)["forms"][0]["rows"] else {
        panic!("rows")
    };
    assert!(rows.iter().all(|row| row["remark"] != ""), "{rows:?}");
}

#[test]
fn steps_follow_the_recipe_of_the_paper() {
    let derive =
        |arguments: &[&str]| stdout(&run(&[&["derive", &zoo("skate")], arguments].concat()));
    let form = ["--form", "gibbs-appell"];
    assert!(!derive(&form).contains("Recipe"));
    let full = derive(&[&form[..], &["--steps"]].concat());
    let letters = [
        "[g_ij]",
        "[psi^i_alpha]",
        "[G_alpha beta]",
        "[L_i]",
        "[d^i]",
    ];
    for letter in letters
        .into_iter()
        .chain(["[Z_alpha]", "rank [psi^i_alpha] = 2"])
    {
        assert!(full.contains(letter), "{letter}: {full}");
    }
    let json = derive(&[&form[..], &["--steps", "--to", "json"]].concat());
    let value: Value = serde_json::from_str(&json).expect("JSON");
    let recipe = value["forms"][0]["recipe"].as_array().expect("a list");
    let z = recipe.iter().find(|object| object["output"] == "z");
    let z = z.expect("it is there");
    assert_eq!(z["entries"][0][0]["value"], "-m*g*sin(alpha)*cos(theta)");
}

#[test]
fn equations_are_written_as_source_code() {
    let of = |to: &str| {
        let output = run(&["derive", &zoo("skate"), "--to", to]);
        assert_exit(&output, 0);
        stdout(&output)
    };
    let begins = [
        (
            "c",
            "int equations(double t, const double *y, const double *p, double *rate",
        ),
        (
            "rust",
            "pub fn equations(t: f64, y: &[f64], p: &[f64], rate: &mut [f64]",
        ),
        ("numpy", "import numpy as np"),
        ("jax", "import jax.numpy as jnp"),
        ("casadi", "import casadi as ca"),
        ("julia", "function equations(t, y, p)"),
        ("matlab", "function [rate, lambda] = equations(t, y, p)"),
    ];
    for (to, words) in begins {
        let text = of(to);
        assert!(text.contains(words), "{text}");
        // Each number of the state has its place told.
        assert!(text.contains("= theta'"), "{text}");
    }
    assert_eq!(of("python"), of("numpy"));
    let matlab = of("matlab");
    assert!(
        matlab.contains("y(1)") && !matlab.contains("y(0)"),
        "{matlab}"
    );
    assert_exit(&run(&["derive", &zoo("skate"), "--to", "cobol"]), 2);
}

#[test]
fn code_of_a_form_that_does_not_apply_is_an_error_and_no_file() {
    let code = |forms: &str| {
        run(&[
            "derive",
            &zoo("perpendicular"),
            "--to",
            "c",
            "--form",
            forms,
        ])
    };
    for forms in ["maggi", "multipliers,maggi"] {
        let output = code(forms);
        assert_exit(&output, 2);
        assert!(stdout(&output).is_empty(), "{}", stdout(&output));
        assert!(
            stderr(&output).contains("maggi does not apply: "),
            "{}",
            stderr(&output)
        );
    }
    // All are those that apply, each under its own name and with one solver.
    let output = code("all");
    assert_exit(&output, 0);
    let text = stdout(&output);
    assert_eq!(text.matches("static inline int solve(").count(), 1);
    for name in ["equations_multipliers(", "equations_gibbs_appell("] {
        assert_eq!(text.matches(&format!("\nint {name}")).count(), 1, "{text}");
    }
}

/// A form says the same whether it is asked for alone or after others.
#[test]
fn forms_do_not_depend_on_those_before_them() {
    for name in ["vertical-disc", "snakeboard", "affine-particle"] {
        let derive = |form: &str| {
            let model = zoo(name);
            let output = run(&["derive", &model, "--form", form, "--steps", "--to", "json"]);
            let value: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
            value["forms"].as_array().expect("a list").clone()
        };
        let all = derive("all");
        assert!(all.len() > 10, "{name}: {} forms", all.len());
        for beside in all.iter().rev() {
            let form = beside["form"].as_str().expect("an id");
            if beside["unavailable"].is_null() {
                assert_eq!(
                    derive(form),
                    std::slice::from_ref(beside),
                    "{name} by {form}"
                );
            }
        }
    }
}
