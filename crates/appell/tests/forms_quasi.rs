//! Maggi's, the Boltzmann-Hamel and Kane's equations against known answers.

use crate::common::forms::{all_give, form, found, refusal, result};
use crate::common::{at, close, gallery_model, model, prepare};
use appell::{ExitKind, FormValues, RunOptions, gallery, read, run};
use appell_mech::output;

const FORMS: [&str; 3] = ["maggi", "boltzmann-hamel", "kane"];

/// The skate: `Y = ((cos, sin, 0), (0, 0, 1), (sin, -cos, 0))`, `[Y_2, Y_1] = -Y_3`, `[Y_2, Y_3] = Y_1`.
#[test]
fn structure_coefficients_of_the_skate() {
    let model = gallery_model("skate");
    let p = prepare(&model);
    let state = (
        0.0,
        &[0.4, -0.7, 0.9][..],
        &[0.9f64.cos(), 0.9f64.sin(), 2.0][..],
    );
    let c = result(&p, "boltzmann-hamel", output::STRUCTURE, state).expect("regular");
    let at = |k: usize, s: usize, r: usize| c[(s - 1) * 9 + 3 * k + (r - 1)];
    for k in 0..3 {
        for (s, r) in (0..9).map(|i| (i / 3 + 1, i % 3 + 1)) {
            let wanted = match (k, s, r) {
                (1, 3, 2) | (2, 1, 3) => 1.0,
                (2, 3, 1) => -1.0,
                _ => 0.0,
            };
            close(&format!("c^{s}_{k}{r}"), &[at(k, s, r)], &[wanted], 1e-15);
        }
    }
}

/// `Y_1 = (1, t)`, `Y_2 = (0, 1)`, `Z = (0, x t)`: `[Z, Y_1] + d_t Y_1 = (1 - t) Y_2`, the others 0.
/// So `c^2_01 = 1 - t`; `y'' = t x'' + x' + x + t x'`, `(1 + t^2) x'' = -t (x' + x + t x')`.
#[test]
fn structure_coefficients_of_a_moving_affine_row() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
         [constraints]\nc = \"y' = t*x' + t*x\"\n[motion]\nindependent = [\"x'\"]\n",
    );
    let p = prepare(&model);
    let (t, x, u) = (0.5, 0.75, 2.0);
    let state = (t, &[x, 0.0][..], &[u, t * u + t * x][..]);
    let c = result(&p, "boltzmann-hamel", output::STRUCTURE, state).expect("regular");
    close(
        "c",
        &c,
        &[0.0, 0.0, 0.0, 0.0, 1.0 - t, 0.0, 0.0, 0.0],
        1e-15,
    );
    let drift = u + x + t * u;
    let ax = -t * drift / (1.0 + t * t);
    let ay = t * ax + drift;
    let values = at(&p, state.0, state.1, state.2);
    all_give(&values, &FORMS, &[ax, ay], &[ay]);
    let hamel = found(&values, "boltzmann-hamel");
    assert_eq!(hamel.names, ["x'"]);
    close("u'", &hamel.rates, &[ax], 1e-15);
}

/// A circle of radius 2 turned by a moment, given by `v = psi` alone: `8 z' = 2 cos(a) - 5 sin(a)`
/// with gravity 5, at the angle `a`.
#[test]
fn a_parametrisation_without_rows_is_enough_for_maggi_and_kane() {
    let model = model(
        "coordinates = [\"x\", \"y\", \"a\"]\n[energy]\nkinetic = \"x'^2 + y'^2\"\npotential = \"-y - x/2\"\n\
         [motion]\nvariables = [\"z\"]\nequations = [\"x' = -2*sin(a)*z\", \"y' = 2*cos(a)*z\", \"a' = z\"]\n",
    );
    let p = prepare(&model);
    let (s, c) = 0.4f64.sin_cos();
    let state = (
        0.0,
        &[2.0 * c, 2.0 * s, 0.4][..],
        &[-6.0 * s, 6.0 * c, 3.0][..],
    );
    let values = at(&p, state.0, state.1, state.2);
    let rate = (2.0 * c - s) / 8.0;
    let accel = [-2.0 * s * rate - 18.0 * c, 2.0 * c * rate - 18.0 * s, rate];
    all_give(&values, &["maggi", "kane"], &accel, &[]);
    close("z'", &found(&values, "maggi").rates, &[rate], 1e-15);
    let reaction = [2.0 * accel[0] - 0.5, 2.0 * accel[1] - 1.0, 0.0];
    close("R", &found(&values, "maggi").reaction, &reaction, 1e-14);
    let why = "the constraint is given by v = psi(q, z, t) only";
    assert_eq!(refusal(&p, "boltzmann-hamel"), why);
}

/// `x'' + y'' = 1` by equal masses.
#[test]
fn rows_on_acceleration_level_are_complex() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2 + y'^2\"\n\
         [constraints]\nc = \"x'' + y'' = 1\"\n",
    );
    let p = prepare(&model);
    let state = (0.0, &[0.0; 2][..], &[0.3, -0.2][..]);
    let values = at(&p, state.0, state.1, state.2);
    all_give(&values, &["kane"], &[0.5, 0.5], &[1.0]);
    let second = result(&p, "kane", output::ACCEL_MINIMAL, state).expect("regular");
    close("second set", &second, &[0.5, 0.5], 1e-15);
    for id in ["maggi", "boltzmann-hamel"] {
        assert_eq!(
            refusal(&p, id),
            "the row `c` is given on acceleration level"
        );
    }
}

/// The same row twice, once of double size: `lambda` is the least in norm, `(1, 2)/5` of the force.
#[test]
fn dependent_rows_get_the_least_multipliers() {
    for row in ["x' = 0", "x'^3 + x' = 0"] {
        let twice = row.replace("x'", "(2*x')");
        let model = model(&format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2 + y'^2\"\n[forces]\nx = \"-10\"\ny = \"4\"\n\
             [constraints]\na = \"{row}\"\nb = \"{twice}\"\n"
        ));
        let p = prepare(&model);
        let values = at(&p, 0.0, &[0.0; 2], &[0.0, 1.0]);
        let ids = if row == "x' = 0" {
            &FORMS[..]
        } else {
            &["kane"]
        };
        all_give(&values, ids, &[0.0, 2.0], &[2.0, 4.0]);
    }
}

/// Three frames for one sleigh: parameters, motion variables, velocities of the coordinates.
#[test]
fn the_motion_does_not_depend_on_the_quasi_velocities() {
    let motions = [
        "variables = [\"z1\", \"z2\"]\nequations = [\"x' = z1*cos(h)\", \"y' = z1*sin(h)\", \"h' = z2\"]",
        "variables = [\"u1\", \"u2\"]\nequations = [\"u1 = 2*x'*cos(h) + 2*y'*sin(h) + h' + t\", \"u2 = (1 + x^2)*h'\"]",
        "independent = [\"x'\", \"h'\"]",
    ];
    let mut answers = Vec::new();
    for lines in motions {
        let model = model(&format!(
            "coordinates = [\"x\", \"y\", \"h\"]\n[energy]\nkinetic = \"x'^2 + y'^2 + h'^2 + h'*(y'*cos(h) - x'*sin(h))\"\n\
             potential = \"x*y + cos(h)\"\n[forces]\nh = \"-h'\"\n\
             [constraints]\nblade = \"x'*sin(h) - y'*cos(h) = 0\"\n[motion]\n{lines}\n"
        ));
        let p = prepare(&model);
        let h = 0.6f64;
        let values = at(
            &p,
            0.3,
            &[0.5, -0.4, h],
            &[0.8 * h.cos(), 0.8 * h.sin(), 1.1],
        );
        for id in FORMS {
            let found = found(&values, id);
            answers.push((
                format!("{id}, {lines}"),
                found.names.len(),
                [found.accel, found.lambda].concat(),
            ));
        }
    }
    let wanted = answers[0].2.clone();
    for (place, free, answer) in &answers {
        assert_eq!(*free, 2, "{place}");
        close(place, answer, &wanted, 1e-14);
    }
}

/// Why a form does not apply to a model of the gallery.
fn excuse(place: &str, unavailable: &str, nonlinear: bool) -> bool {
    match unavailable {
        "the reaction is not Chetaev's" => place.starts_with("marle-servo"),
        other => {
            other.ends_with("is not affine in the velocities")
                && nonlinear
                && !place.ends_with("kane")
        }
    }
}

#[test]
fn every_start_and_every_motion_of_the_gallery() {
    let mut moved = 0;
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&model);
        let (answer, _) = appell::check(&p, None);
        let start = answer.initial.expect("a start").start;
        let values = at(&p, start.t, &start.q, &start.v);
        let linear = p
            .constraints
            .a
            .entries()
            .iter()
            .all(|a| p.system.v.iter().all(|v| !a.depends_on(*v)));
        for id in FORMS {
            let place = format!("{} by {id}", entry.name);
            if let FormValues::Unavailable { unavailable } = &values.forms[id] {
                assert!(
                    excuse(&place, unavailable, !linear),
                    "{place}: {unavailable}"
                );
                continue;
            }
            let (by_form, wanted) = (found(&values, id), found(&values, "multipliers"));
            close(&place, &by_form.accel, &wanted.accel, 1e-12);
            close(&place, &by_form.lambda, &wanted.lambda, 1e-12);
            close(&place, &by_form.reaction, &wanted.reaction, 1e-12);
            let options = RunOptions {
                form: Some(form(id)),
                ..RunOptions::default()
            };
            let run = run(&p, &options, &mut Default::default()).expect("it starts");
            assert_eq!(run.exit, ExitKind::Done, "{place}: {}", run.outcome);
            moved += 1;
        }
    }
    assert!(moved > 50, "only {moved} motions");
}
