//! Gauss' principle, the Udwadia-Kalaba equation and Hamilton's equations against known answers.

use crate::common::forms::refusal;
use crate::common::{at, close, gallery_model, last, model, motion, prepare, until, with};
use appell::{FormValues, Formalism, Prepared, RunOptions, eval, gallery, read, show};
use appell_flow::Interpreter;
use appell_mech::{Metric, output};

const FORMS: [&str; 3] = ["gauss", "udwadia-kalaba", "hamilton"];

/// Why a form does not apply to a model of the gallery.
fn excuse(p: &Prepared<'_>, name: &str, id: &str) -> Option<&'static str> {
    let singular = p.system.metric == Metric::Singular;
    match (name, id) {
        ("marle-servo", _) => Some("the reaction is not Chetaev's"),
        ("pseudo-riemannian", "udwadia-kalaba") => {
            Some("M is not positive definite: it has no root M^1/2")
        }
        (_, "udwadia-kalaba") if singular => {
            Some("M is not positive definite: it has no root M^1/2")
        }
        (_, "hamilton") if singular => {
            Some("M is singular: p = L_v does not determine the velocities")
        }
        _ => None,
    }
}

#[test]
fn every_start_of_the_gallery_agrees_with_the_multipliers() {
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&model);
        let (answer, _) = appell::check(&p, None);
        let start = answer.initial.expect("a start").start;
        let values = at(&p, start.t, &start.q, &start.v);
        let FormValues::Values {
            accel,
            lambda,
            reaction,
            energy,
            ..
        } = &values.forms["multipliers"]
        else {
            continue;
        };
        for id in FORMS {
            let place = format!("{} by {id}", entry.name);
            match &values.forms[id] {
                FormValues::Values {
                    accel: a,
                    lambda: l,
                    reaction: r,
                    energy: e,
                    ..
                } => {
                    close(&place, a, accel, 1e-12);
                    close(&place, l, lambda, 1e-12);
                    close(&place, r, reaction, 1e-12);
                    close(&place, &[*e], &[*energy], 1e-12);
                    assert_eq!(excuse(&p, entry.name, id), None, "{place}");
                }
                FormValues::Unavailable { unavailable } => {
                    assert_eq!(
                        excuse(&p, entry.name, id),
                        Some(unavailable.as_str()),
                        "{place}"
                    );
                }
                other => panic!("{place}: {other:?}"),
            }
        }
    }
}

/// `G` at the actual acceleration and around it.
fn gauss(p: &Prepared<'_>, (t, q, v): (f64, &[f64], &[f64])) -> (f64, Vec<f64>) {
    let form = Formalism::find("gauss").expect("it is in the table");
    let equations = (form.derive)(&p.system, &p.constraints).expect("it applies");
    let program = equations
        .program(&[output::GAUSS, output::GAUSS_AROUND])
        .expect("complete");
    let values = Interpreter::new(program, &p.parameters)
        .results(t, &[q, v].concat())
        .unwrap_or_else(|error| panic!("{error}"));
    (values[0], values[1..].to_vec())
}

/// `(x - 5)^2 + 4 y^2` on `x + y = 0` is least, 20, at `(1, -1)`; unit accelerations projected
/// in the metric `diag(2, 8)` are `(1, -1)/5` and `(-4, 4)/5`.
#[test]
fn the_minimum_of_gauss_is_exhibited() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2 + 4*y'^2\"\n\
         [forces]\nx = \"10\"\n[constraints]\nc = \"x' + y' = 0\"\n",
    );
    let p = prepare(&model);
    let (least, around) = gauss(&p, (0.0, &[0.0, 0.0], &[1.0, -1.0]));
    close("G", &[least], &[20.0], 1e-14);
    close("G around", &around, &[20.2, 23.2], 1e-14);
}

/// `2 G = R.(q'' - a)`, where `a` is the motion of the same system without its constraints.
#[test]
fn the_constraint_of_gauss_is_the_work_of_the_reaction_and_least() {
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&model);
        let (answer, _) = appell::check(&p, None);
        let start = answer.initial.expect("a start").start;
        let state = (start.t, &start.q[..], &start.v[..]);
        let values = at(&p, state.0, state.1, state.2);
        let FormValues::Values {
            accel, reaction, ..
        } = &values.forms["gauss"]
        else {
            continue;
        };
        let (least, around) = gauss(&p, state);
        // Where M is singular no motion without constraints is determined, and G up to a constant only.
        if p.system.metric != Metric::Singular {
            let names: Vec<&str> = model.constraints.iter().map(|c| c.name.as_str()).collect();
            let free = with(&model, &[], &names);
            let unconstrained = at(&free, state.0, state.1, state.2)
                .accel
                .expect("M is regular");
            let gaps = accel
                .iter()
                .zip(&unconstrained)
                .map(|(actual, free)| actual - free);
            let twice: f64 = gaps.zip(reaction).map(|(gap, r)| gap * r).sum();
            close(entry.name, &[least], &[twice / 2.0], 1e-12);
        }
        // Of the indefinite metric too: at its start the velocity is time-like, `ker A` space-like.
        assert!(
            around.iter().all(|g| *g > least - 1e-12),
            "{around:?} around {least}"
        );
        assert!(
            answer.dof == 0 || around.iter().any(|g| *g > least + 1e-3),
            "{around:?} around {least}"
        );
    }
}

/// `G = 1/2 (x''^2 - (y'' + 3)^2)` plus a force 2 on `x`, on `x'' = 0`: 2 at `y'' = -3`, less around.
#[test]
fn an_indefinite_metric_makes_gauss_stationary_only_and_says_so() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 - y'^2)/2\"\n\
         [forces]\nx = \"2\"\ny = \"3\"\n[constraints]\nc = \"x' = 0\"\n",
    );
    let p = prepare(&model);
    let (stationary, around) = gauss(&p, (0.0, &[0.0, 0.0], &[0.0, 1.0]));
    close("G", &[stationary], &[2.0], 1e-15);
    close("G around", &around, &[2.0, 1.5], 1e-15);
    let form = Formalism::find("gauss").expect("it is in the table");
    let text = show::derivation_text(&p, form, false).expect("it applies");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("M is indefinite: G is stationary"), "{text}");
}

/// A massless coordinate: by `y' = 2 x'` the force 3 on `y` acts as 6 on `x`.
#[test]
fn a_singular_mass_matrix_is_legal_for_gauss_only() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2/2\"\n\
         [forces]\nx = \"1\"\ny = \"3\"\n[constraints]\nc = \"y' = 2*x'\"\n",
    );
    let p = prepare(&model);
    let values = at(&p, 0.0, &[0.0, 0.0], &[1.0, 2.0]);
    let FormValues::Values {
        accel,
        reaction,
        lambda,
        ..
    } = &values.forms["gauss"]
    else {
        panic!("{values:?}")
    };
    close("accel", accel, &[7.0, 14.0], 1e-14);
    close("reaction", reaction, &[6.0, -3.0], 1e-14);
    close("lambda", lambda, &[-3.0], 1e-14);
    let (least, around) = gauss(&p, (0.0, &[0.0, 0.0], &[1.0, 2.0]));
    assert!(
        around.iter().all(|g| *g > least),
        "{around:?} around {least}"
    );
    assert!(refusal(&p, "udwadia-kalaba").starts_with("M is not positive definite"));
    assert!(refusal(&p, "hamilton").starts_with("M is singular"));
}

/// A relativistic particle: `M` depends on `v`, `p = v/sqrt(1 - v^2)`. The Legendre map has no closed
/// form for the program, which reads `v` and gives `p`.
#[test]
fn a_lagrangian_that_is_not_quadratic_has_momenta_too() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\n\
         lagrangian = \"-sqrt(1 - x'^2 - y'^2) - x*y\"\n[constraints]\nc = \"y' = x*x'\"\n",
    );
    let p = prepare(&model);
    let v = [0.5, 0.2];
    let values = at(&p, 0.0, &[0.4, 0.2], &v);
    let wanted = values.accel.clone().expect("regular");
    for id in ["gauss", "udwadia-kalaba", "hamilton"] {
        let FormValues::Values { accel, .. } = &values.forms[id] else {
            panic!("{values:?}")
        };
        close(id, accel, &wanted, 1e-13);
    }
    let FormValues::Values {
        state,
        rate,
        state_names,
        ..
    } = &values.forms["hamilton"]
    else {
        panic!("{values:?}")
    };
    assert_eq!(state_names[2..], ["p_x", "p_y"]);
    let square: f64 = v.iter().map(|v| v * v).sum();
    let gamma = (1.0 - square).sqrt().recip();
    let along: f64 = v.iter().zip(&wanted).map(|(v, a)| v * a).sum();
    for i in 0..2 {
        close("p", &state[2 + i..3 + i], &[gamma * v[i]], 1e-14);
        // d/dt (gamma v) = gamma a + gamma^3 (v.a) v
        let force = gamma * wanted[i] + gamma.powi(3) * along * v[i];
        close("p'", &rate[2 + i..3 + i], &[force], 1e-13);
    }
}

/// `L` that is quadratic though it does not look so, with a parameter called like a momentum.
#[test]
fn momenta_have_names_of_their_own() {
    let model = model(
        "coordinates = [\"x\", \"y\"]\n[parameters]\np_x = 2\n[energy]\n\
         lagrangian = \"((x' + y*t)^2 - (x' - y*t)^2)/4*p_x + (x'^2 + y'^2)/2\"\n",
    );
    let p = prepare(&model);
    let form = Formalism::find("hamilton").expect("it is in the table");
    let (q, v) = (vec![0.3, 0.7], vec![1.1, -0.4]);
    let state = appell::State {
        t: 0.5,
        q,
        v: Some(v),
        z: None,
    };
    let found = eval(&p, &[state], &[form]).states.remove(0);
    let FormValues::Values {
        state_names,
        state,
        rate,
        accel,
        ..
    } = &found.forms["hamilton"]
    else {
        panic!("{found:?}")
    };
    assert_eq!(state_names, &["x", "y", "p_x_", "p_y"]);
    // L = 2 x' y t + T: p_x = x' + 2 y t, x'' = -2 y' t - 2 y, y'' = 2 x' t.
    close("p", &state[2..], &[1.1 + 0.7, -0.4], 1e-15);
    close("p'", &rate[2..], &[0.0, 1.1], 1e-15);
    close("accel", accel, &[0.4 - 1.4, 1.1], 1e-15);
}

#[test]
fn momenta_stay_on_the_constraint_and_follow_the_same_motion() {
    for name in [
        "chaplygin-sleigh",
        "perpendicular",
        "hyperbolic-geodesic",
        "affine-program",
    ] {
        let model = gallery_model(name);
        let p = prepare(&model);
        let by = |id: &str| {
            let form = Formalism::find(id);
            motion(&p, &RunOptions { form, ..until(2.0) })
        };
        let (wanted, runs) = (by("multipliers"), FORMS.map(by));
        for run in &runs {
            assert!(run.max_residual < 1e-14, "{name}: {:e}", run.max_residual);
            for coordinate in &model.coordinates {
                for column in [coordinate.name.clone(), format!("{}'", coordinate.name)] {
                    let place = format!("{name} by {}: {column}", run.form.id);
                    close(
                        &place,
                        &[last(run, &column)],
                        &[last(&wanted, &column)],
                        1e-9,
                    );
                }
            }
        }
    }
}
