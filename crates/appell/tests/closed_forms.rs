//! Closed forms `v = psi(q, z, t)` that files do not give: on the constraints, and with the motion of
//! the multipliers.

use crate::common::forms::{form, result};
use crate::common::{close, gallery_model, model, prepare};
use appell::{Prepared, gallery, read, show, shown_equations};
use appell_flow::Interpreter;
use appell_mech::{Constraints, Equations, output};

const TIME: f64 = 0.4;
const STATE: [f64; 8] = [0.3, 1.1, 0.55, -0.8, 0.7, 0.9, 1.3, 0.45];

fn shown<'g>(p: &Prepared<'g>) -> (Equations<'g>, Constraints<'g>) {
    shown_equations(p, form("gibbs-appell")).unwrap_or_else(|why| panic!("{why}"))
}

/// At some `(q, z)`: `v` satisfies the rows, `q''` is that of the multipliers. Returns `v`.
fn assert_moves(name: &str, p: &Prepared<'_>) -> Vec<f64> {
    let (equations, constraints) = shown(p);
    let remark = equations.remark.as_deref().unwrap_or_default();
    assert!(constraints.parametric.is_some(), "{name}: {remark}");
    assert!(remark.contains("this one was found"), "{name}: {remark}");
    let state = &STATE[..equations.state.len()];
    let get = |what: &str| {
        let program = equations.program(&[what]).expect("it is there");
        let found = Interpreter::new(program, &p.parameters).results(TIME, state);
        found.unwrap_or_else(|why| panic!("{name}: {why:?}"))
    };
    let n = p.system.n();
    let v = get(output::VELOCITY);
    let at = (TIME, &state[..n], &v[..]);
    let residual = get(output::RESIDUAL);
    for (row, residual) in p.constraints.rows.iter().zip(&residual) {
        // Positions are not looked for here.
        if row.position.is_none() {
            close(name, &[*residual], &[0.0], 1e-12);
        }
    }
    for what in [output::ACCEL, output::REACTION] {
        let truth = result(p, "multipliers", what, at).unwrap_or_else(|why| panic!("{why:?}"));
        close(&format!("{name}: {what}"), &get(what), &truth, 1e-10);
    }
    v
}

#[test]
fn closed_forms_move_as_the_multipliers_do() {
    for name in [
        "perpendicular",
        "appell-particle",
        "pursuit",
        "constant-speed",
        "fading-speed",
        "isokinetic",
        "nonholonomic-pendulum",
        "steered-blade",
    ] {
        let model = gallery_model(name);
        assert_moves(name, &prepare(&model));
    }
}

/// A particle with an anisotropic metric, forces, and these lines after.
fn particle(row: &str, rest: &str) -> String {
    format!(
        "coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\nm = 1.3\na = -0.7\nC = 1.4\n\
         [energy]\nkinetic = \"1/2*m*x'^2 + y'^2 + 3/4*z'^2 + 1/4*x'*y'\"\n\
         potential = \"x*y + z^2\"\n[forces]\nz = \"1 - x'\"\n\
         [constraints]\nrow = \"{row}\"\n{rest}"
    )
}

#[test]
fn every_kind_of_row_has_its_form() {
    for (row, words) in [
        ("z' = y*x' + t", "is solved for z'"),
        ("x'*sin(z) - y'*cos(z) = 0", "is linear in x' and y'"),
        ("x'*y' + z' = 2", "is solved for z'"),
        (
            "(x' + 2*y*z')*y' = 1",
            "where its coefficient does not vanish",
        ),
        (
            "x'^2 + 2*y'^2 + z'^2 = C^2",
            "an ellipsoid, by angles, in x', y', z'",
        ),
        (
            "(x' + y)^2 + x'*y' + 2*y'^2 + z'^2 - z'*x = 9 + x^2",
            "an ellipsoid",
        ),
        (
            "x'^2 + y'^2 - a^2*z'^2 = 0",
            "a cone, by angles and a radius",
        ),
        ("x'^2 + y'^2 - z'^2 = C", "a hyperboloid of one sheet"),
        (
            "z'^2 - x'^2 - y'^2 = C",
            "a hyperboloid of two sheets, the one of the start for z',",
        ),
        (
            "x'^2 + x*x'*y' + (1 + x^2)*y'^2 = exp(x)",
            "an ellipse, by angles, in x', y'",
        ),
        ("x'^2 = (1 + y^2)*y'^2", "two planes"),
        ("x'^2 = C^2", "two planes"),
    ] {
        let model = model(&particle(
            row,
            "[initial]\nstate = [\"x' = 2\", \"y' = 1\", \"z' = -2\"]\ninconsistent = \"project\"\n",
        ));
        let p = prepare(&model);
        assert_moves(row, &p);
        let remark = shown(&p).0.remark.unwrap_or_default();
        assert!(remark.contains(words), "{row}: {remark}");
    }
}

/// The sheet is that of the start, also where a parameter is negative.
#[test]
fn sheets_are_those_of_the_start() {
    let velocity = |row: &str, start: &str| {
        let initial = format!("[initial]\nstate = [{start}]\ninconsistent = \"project\"\n");
        let model = model(&particle(row, &initial));
        assert_moves(row, &prepare(&model))
    };
    let up = velocity(
        "z'^2 - x'^2 - y'^2 = C",
        "\"x' = 0.1\", \"y' = 0.2\", \"z' = 1.2\"",
    );
    let down = velocity(
        "z'^2 - x'^2 - y'^2 = C",
        "\"x' = 0.1\", \"y' = 0.2\", \"z' = -1.2\"",
    );
    assert!(up[2] > 1.0 && down[2] < -1.0, "{up:?} {down:?}");
    // The root of a^2 is a as it stands, and a = -0.7.
    let right = velocity("x'^2 = a^2", "\"x' = 0.7\"");
    let left = velocity("x'^2 = a^2", "\"x' = -0.7\"");
    close("planes", &[right[0], left[0]], &[0.7, -0.7], 1e-14);
    let along = velocity("x'^2 = a^2*y'^2", "\"x' = 0.7\", \"y' = 1\"");
    let across = velocity("x'^2 = a^2*y'^2", "\"x' = -0.7\", \"y' = 1\"");
    close(
        "slopes",
        &[along[0] / along[1], across[0] / across[1]],
        &[0.7, -0.7],
        1e-14,
    );
}

/// Several rows: what the first leaves is put into the next.
#[test]
fn rows_are_used_one_after_the_other() {
    let text = "coordinates = [\"x\", \"y\", \"z\", \"w\"]\n[energy]\n\
        kinetic = \"1/2*(x'^2 + y'^2 + 2*z'^2 + 3*w'^2 + x'*w')\"\npotential = \"x*w + y\"\n\
        [constraints]\nspeed = \"x'^2 + y'^2 + w'^2 + z'*w' = 4\"\nplane = \"z' = y*x' - w'\"\n";
    let model = model(text);
    let p = prepare(&model);
    assert_moves("speed and plane", &p);
    let remark = shown(&p).0.remark.unwrap_or_default();
    assert!(
        remark.contains("`plane` is solved for z'; `speed` is"),
        "{remark}"
    );
}

/// Nothing closed is found, or nothing that is known to be real: said in words, with the form in
/// independent velocities.
#[test]
fn what_is_not_found_is_said() {
    for (row, words) in [
        (
            "z'^3 = x'^3 + y'^3 + 1",
            "`row` is neither affine in a velocity nor quadratic",
        ),
        (
            "x'^2 + sin(3*x)*y'^2 + z'^2 = 2",
            "the signs of the squares of x', y', z' are not always the same",
        ),
        ("x'' + y'*z' = 0", "`row` is a constraint on accelerations"),
    ] {
        let model = model(&particle(row, ""));
        let p = prepare(&model);
        let (equations, constraints) = shown(&p);
        let remark = equations.remark.unwrap_or_default();
        assert!(constraints.parametric.is_none(), "{row}: {remark}");
        assert!(remark.contains(words), "{row}: {remark}");
        assert!(
            remark.contains("no closed form of it was found"),
            "{row}: {remark}"
        );
    }
}

/// Text, LaTeX and JSON show the same; a file's own `psi` stays, and so does a model without rows.
#[test]
fn displays_show_what_was_found() {
    let entry = gallery::find("perpendicular").expect("it is in the gallery");
    let (perpendicular, _) = read(entry.name, entry.text).expect("it is right");
    let p = prepare(&perpendicular);
    let gibbs_appell = form("gibbs-appell");
    let text = show::derivation_text(&p, gibbs_appell, false).expect("it applies");
    assert!(
        text.contains("x1' = -z1*z2") && text.contains("this one was found"),
        "{text}"
    );
    let latex = show::derivation_latex(&p, gibbs_appell, true).expect("it applies");
    assert!(latex.contains(r"\dot{x}_{1} &= -z_{1}\, z_{2}"), "{latex}");
    let json = show::derivation_json(&p, &[gibbs_appell], false);
    assert!(
        json.contains("\"value\":\"-z1*z2\"") && json.contains("this one was found"),
        "{json}"
    );
    let others = show::derivation_text(&p, form("multipliers"), false).expect("it applies");
    assert!(!others.contains("psi"), "{others}");

    let skate = gallery_model("skate");
    let p = prepare(&skate);
    assert!(shown(&p).0.remark.is_none());
    let free = model("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n");
    assert!(shown(&prepare(&free)).0.remark.is_none());
    // Every velocity is determined.
    let still = model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\nrow = \"x' = t\"\n",
    );
    assert_moves("no freedom", &prepare(&still));
}

/// Names of the model are not taken again.
#[test]
fn parameters_avoid_the_names_of_the_model() {
    let text = "coordinates = [\"z1\", \"w\"]\n[parameters]\nw2 = 3\n[energy]\n\
        kinetic = \"z1'^2 + w'^2\"\n[constraints]\nrow = \"z1'*w = w'*w2\"\n";
    let model = model(text);
    let p = prepare(&model);
    let names = shown(&p).0.state_names;
    assert_eq!(names, ["z1", "w", "w1"]);
    assert_moves("names", &p);
}
