//! Equations in independent velocities: Gibbs-Appell without psi, Voronec, Chaplygin.

use crate::common::forms::form;
use crate::common::linear::eliminated;
use crate::common::reference::{Case, agree, cases, number, numbers, state};
use crate::common::{at, close, model, motion, prepare, until};
use appell::{FormValues, Prepared, RunOptions, State, eval, gallery, read};
use appell_flow::Interpreter;
use appell_mech::{Carrier, function, output};

const FORMS: [&str; 3] = ["gibbs-appell", "voronec", "chaplygin"];

/// The largest `d alpha/dv` at a state, and at least 1, by elimination in `A_d S = -A_i`;
/// infinite where that fails.
fn steepness(p: &Prepared<'_>, (t, q, v): (f64, &[f64], &[f64])) -> f64 {
    let chart = p.constraints.chart.as_ref().expect("a chart");
    let a = p.measure(t, q, v).expect("a value").table(function::A);
    let order = chart.dependent.iter().chain(&chart.independent);
    let order: Vec<usize> = order.copied().collect();
    let row = |i: &usize| {
        order
            .iter()
            .map(|j| a.entries[i * a.columns + j].value)
            .collect()
    };
    let solved = eliminated(chart.rows.iter().map(row).collect());
    let slopes = solved
        .iter()
        .flat_map(|row: &Vec<f64>| &row[chart.dependent.len()..]);
    // A NaN is no number to compare with: it stands for a pivot that vanishes.
    slopes.fold(1.0, |size, x| {
        if x.is_nan() {
            f64::INFINITY
        } else {
            f64::max(size, x.abs())
        }
    })
}

/// Outputs of a form at `(t, q, v)`; it must read velocities.
fn outputs(p: &Prepared<'_>, id: &str, names: &[&str], at: (f64, &[f64], &[f64])) -> Vec<Vec<f64>> {
    let equations = (form(id).derive)(&p.system, &p.constraints).expect("it applies");
    assert_eq!(equations.carrier, Carrier::Velocities);
    let program = equations.program(names).expect("complete");
    let field = Interpreter::new(program, &p.parameters);
    let values = field.results(at.0, &[at.1, at.2].concat());
    let values = values.unwrap_or_else(|error| panic!("{error}"));
    let range = |name: &&str| field.program().range(name).expect("an output");
    names
        .iter()
        .map(|name| values[range(name)].to_vec())
        .collect()
}

/// Runs `check` on each reference case with its model.
fn for_each_case(mut check: impl FnMut(&Case, &Prepared<'_>)) {
    for case in cases() {
        let (model, _) = read(&case.name, &case.model_text()).expect("it is right");
        check(&case, &prepare(&model));
    }
}

#[test]
fn every_reference_case_is_reproduced() {
    let mut applied = [0; 3];
    for_each_case(|case, p| {
        for truth in case.states() {
            let (t, q, v) = state(truth);
            let z = truth.get("z").map(numbers);
            let condition = steepness(p, (t, &q, &v));
            let (n, given) = (
                q.len(),
                State {
                    t,
                    q,
                    v: Some(v),
                    z,
                },
            );
            let values = eval(p, &[given], &FORMS.map(form)).states.remove(0);
            for (place, id) in FORMS.iter().enumerate() {
                let what = format!("{} by {id}", case.name);
                let FormValues::Values {
                    accel,
                    lambda,
                    reaction,
                    energy,
                    rate,
                    ..
                } = &values.forms[id]
                else {
                    assert!(*id == "chaplygin", "{what}: {:?}", values.forms[id]);
                    continue;
                };
                let check = |name: &str, got: &[f64]| {
                    agree(
                        &format!("{what}: {name}"),
                        got,
                        &numbers(&truth[name]),
                        condition,
                    );
                };
                check("accel", accel);
                check("lambda", lambda);
                check("reaction", reaction);
                agree(&what, &[*energy], &[number(&truth["energy"])], condition);
                let chart = p.constraints.chart.as_ref().expect("a chart");
                let true_rates = match truth.get("zdot") {
                    Some(zdot) if *id == "gibbs-appell" => numbers(zdot),
                    _ => {
                        let accel = numbers(&truth["accel"]);
                        chart.independent.iter().map(|i| accel[*i]).collect()
                    }
                };
                agree(
                    &format!("{what}: rates"),
                    &rate[n..],
                    &true_rates,
                    condition,
                );
                applied[place] += 1;
            }
        }
    });
    assert_eq!(applied[0], applied[1]);
    assert!(applied[2] > 20, "Chaplygin's applied to {applied:?} states");
}

/// All choices of `count` indices out of n.
fn choices(n: usize, count: usize) -> Vec<Vec<usize>> {
    let masks = (0..1_u32 << n).filter(|mask| mask.count_ones() as usize == count);
    masks
        .map(|mask| (0..n).filter(|i| mask >> i & 1 == 1).collect())
        .collect()
}

/// The first state of each case in every chart of velocities that is good there.
#[test]
fn every_good_choice_of_independent_velocities_gives_the_same_motion() {
    let (mut voronec, mut chaplygin) = (0, 0);
    for case in cases() {
        let (model, _) = read(&case.name, &case.model_text()).expect("it is right");
        let mut p = prepare(&model);
        let chart = p.constraints.chart.clone().expect("a chart");
        let truth = &case.states()[0];
        let (t, q, v) = state(truth);
        let n = q.len();
        for independent in choices(n, chart.independent.len()).iter().take(70) {
            let chart = appell_mech::Chart::new(n, independent, chart.rows.clone());
            p.set_chart(Some(chart));
            let condition = steepness(&p, (t, &q, &v));
            if condition > 20.0 {
                continue;
            }
            for id in ["voronec", "chaplygin"] {
                if (form(id).derive)(&p.system, &p.constraints).is_err() {
                    continue;
                }
                let names = [output::ACCEL, output::LAMBDA, output::REACTION];
                let found = outputs(&p, id, &names, (t, &q, &v));
                for (name, found) in ["accel", "lambda", "reaction"].iter().zip(found) {
                    let what = format!("{} by {id}, {independent:?}: {name}", case.name);
                    agree(&what, &found, &numbers(&truth[*name]), condition);
                }
                *(if id == "voronec" {
                    &mut voronec
                } else {
                    &mut chaplygin
                }) += 1;
            }
        }
    }
    assert!(voronec > 100 && chaplygin > 10, "{voronec}, {chaplygin}");
}

/// `E*`, its rate and `alphabar - alpha` as the programs of these forms have them.
#[test]
fn energies_of_both_kinds_are_those_of_the_reference_cases() {
    let names = [
        output::ENERGY_STAR,
        output::ENERGY_STAR_RATE,
        output::ALPHABAR_MINUS_ALPHA,
        output::REACTION_POWER,
    ];
    let mut compared = 0;
    for_each_case(|case, p| {
        for truth in case
            .states()
            .iter()
            .filter(|truth| truth.get("dEstar_dt").is_some())
        {
            let (t, q, v) = state(truth);
            let condition = steepness(p, (t, &q, &v));
            for id in FORMS {
                if (form(id).derive)(&p.system, &p.constraints).is_err() {
                    continue;
                }
                let what = format!("{} by {id}", case.name);
                let found = outputs(p, id, &names, (t, &q, &v));
                let wanted = |name: &str| vec![number(&truth[name])];
                agree(&what, &found[0], &wanted("energy_star"), condition);
                agree(&what, &found[1], &wanted("dEstar_dt"), condition);
                agree(
                    &what,
                    &found[2],
                    &numbers(&truth["alphabar_minus_alpha"]),
                    condition,
                );
                agree(&what, &found[3], &wanted("constraint_power"), condition);
                compared += 1;
            }
        }
    });
    assert!(compared > 200, "{compared}");
}

#[test]
fn every_start_of_the_gallery_agrees_with_the_multipliers() {
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&model);
        let start = appell::check(&p, None).0.initial.expect("a start").start;
        let values = at(&p, start.t, &start.q, &start.v);
        let FormValues::Values {
            accel,
            lambda,
            reaction,
            ..
        } = &values.forms["multipliers"]
        else {
            panic!("{}: {:?}", entry.name, values.forms["multipliers"])
        };
        for id in FORMS {
            let what = format!("{} by {id}", entry.name);
            match &values.forms[id] {
                FormValues::Values {
                    accel: a,
                    lambda: l,
                    reaction: r,
                    ..
                } => {
                    let tolerance = 1e-12 * steepness(&p, (start.t, &start.q, &start.v));
                    close(&what, a, accel, tolerance);
                    close(&what, l, lambda, tolerance);
                    close(&what, r, reaction, tolerance);
                }
                FormValues::Unavailable { unavailable } => {
                    let servo = entry.name == "marle-servo";
                    let why = if servo {
                        "the reaction is not Chetaev's"
                    } else {
                        "depends on"
                    };
                    assert!(unavailable.contains(why), "{what}: {unavailable}");
                    assert!(servo || id == "chaplygin", "{what}: {unavailable}");
                }
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}

/// A particle under all there is: forces, a magnetic term, a moving field, and this row.
fn all_there_is(row: &str, claims: &str) -> String {
    format!(
        r#"coordinates = ["x", "y", "z"]
        parameters = {{ m = 1.3, c = 0.2, b = 0.4 }}
        define = {{ fx = "-c*x' + y", fy = "0.3*sin(t)", fz = "-c*z'*y - 0.1*x'" }}
        [energy]
        kinetic = "m/2*(x'^2 + y'^2 + (1 + x^2/4)*z'^2)"
        potential = "x^2/2 + y*z/3 + sin(t)*z/4 + b*(x*z' - z*x')"
        [forces]
        x = "fx"
        y = "fy"
        z = "fz"
        [constraints]
        row = "{row}"
        [motion]
        independent = ["x'", "y'"]
        [initial]
        state = ["x = 0.4", "y = -0.3", "z = 0.2", "x' = 0.5", "y' = 0.7"]
        inconsistent = "project"
        [simulate]
        until = 1.0
        {claims}"#
    )
}

/// Solved for `z'`, solved by a division, and not at all.
const ROWS: [&str; 3] = [
    "z' = 0.4*x'^2*cos(z) + y*y' - 0.2*x*t + 0.3*z",
    "(2 + y'^2 + sin(t)*x*z)*z' = 0.4*x'^2*cos(z) + y*y' - 0.2*x*t",
    "z' + 0.2*z'^3*(1 + y^2 + 0.5*t*x) = 0.4*x'^2*cos(z) + y*y' - 0.2*x*t + 0.1*z*z'*y'",
];

/// The printed equations (13) and the energy equation (30) with (34), in terms of results.
const PRINTED: &str = r#"
    [claims]
    x    = { equation = "D(L_star, x')' - D(L_star, x) - D(L_star, z)*D(alpha_dep(z), x') - B(x, z)*D(T - V, z') = fx + D(alpha_dep(z), x')*fz" }
    y    = { equation = "D(L_star, y')' - D(L_star, y) - D(L_star, z)*D(alpha_dep(z), y') - B(y, z)*D(T - V, z') = fy + D(alpha_dep(z), y')*fz" }
    B    = { equation = "B(x, z) = D(alpha_dep(z), x')' - D(alpha_dep(z), x) - D(alpha_dep(z), x')*D(alpha_dep(z), z)" }
    bar  = { equation = "alphabar(z) = x'*D(alpha_dep(z), x') + y'*D(alpha_dep(z), y')" }
    E    = { equation = "E_star = x'*D(L_star, x') + y'*D(L_star, y') - L_star" }
    rate = { equation = "E_star' = -D(L_star, t) + (alphabar(z) - alpha_dep(z))*D(L_star, z) + (x'*B(x, z) + y'*B(y, z))*D(T - V, z') + x'*fx + y'*fy + alphabar(z)*fz" }
    none = { equation = "D(L_star, z') + D(alpha_dep(z), z') = 0" }
    sign = { equation = "D(L_star, x')' - D(L_star, x) - D(L_star, z)*D(alpha_dep(z), x') + B(x, z)*D(T - V, z') = fx + D(alpha_dep(z), x')*fz", refuted = true }
    T    = { equation = "D(T_star, y') = D(T, y') + D(T, z')*D(alpha_dep(z), y')" }
"#;

#[test]
fn the_printed_equations_and_coefficients_hold_in_every_form() {
    for row in ROWS {
        let model = model(&all_there_is(row, PRINTED));
        let p = prepare(&model);
        for id in ["multipliers", "gibbs-appell", "voronec"] {
            let options = RunOptions {
                form: Some(form(id)),
                ..until(1.0)
            };
            let run = motion(&p, &options);
            for claim in &run.claims {
                assert_eq!(claim.holds, Some(true), "{row} by {id}: {claim:?}");
            }
        }
    }
}

/// The coefficients of the form itself, against `alpha` differentiated by hand.
#[test]
fn voronecs_coefficients_are_those_of_alpha() {
    let model = model(&all_there_is(ROWS[0], ""));
    let p = prepare(&model);
    // alpha_x' = 0.8 x' cos z, alpha_y' = y; alpha_x = -0.2 t, alpha_y = y',
    // alpha_z = -0.4 x'^2 sin z + 0.3
    let (t, q, x_dot, y_dot) = (0.6, [0.4, -0.3, 0.2], 0.5, 0.7);
    let cos = f64::cos(q[2]);
    let z_dot = 0.4 * x_dot * x_dot * cos + q[1] * y_dot - 0.2 * q[0] * t + 0.3 * q[2];
    let found = outputs(
        &p,
        "voronec",
        &[output::VORONEC, output::ACCEL],
        (t, &q, &[x_dot, y_dot, z_dot]),
    );
    let sin = f64::sin(q[2]);
    let by_z = -0.4 * x_dot * x_dot * sin + 0.3;
    let slope = 0.8 * x_dot * cos;
    let slope_rate = 0.8 * found[1][0] * cos - 0.8 * x_dot * sin * z_dot;
    // d/dt (d alpha/dy') = y' = d alpha/dy.
    let wanted = [slope_rate + 0.2 * t - by_z * slope, -by_z * q[1]];
    close("B", &found[0], &wanted, 1e-14);
}

#[test]
fn chaplygins_equations_say_what_they_depend_on() {
    let words = |text: &str| {
        let model = model(text);
        let p = prepare(&model);
        let derived = (form("chaplygin").derive)(&p.system, &p.constraints);
        derived.map(|_| ()).map_err(|why| why.to_string())
    };
    let skate = |potential: &str, row: &str, force: &str| {
        format!(
            "coordinates = [\"x\", \"y\", \"th\"]\n\
             energy = {{ kinetic = \"(x'^2 + y'^2 + th'^2)/2\", potential = \"{potential}\" }}\n\
             forces = {{ x = \"{force}\" }}\n\
             constraints = {{ blade = \"{row}\" }}\n\
             motion = {{ independent = [\"x'\", \"th'\"] }}"
        )
    };
    let blade = "y' = x'*tan(th)";
    assert_eq!(words(&skate("x", blade, "-x'")), Ok(()));
    assert_eq!(
        words(&skate("x + (y + 1)^2 - y^2 - 2*y", blade, "0")),
        Ok(())
    );
    let why = |text: String| words(&text).expect_err("it does not apply");
    let elsewhere = "whose velocity is not independent";
    assert_eq!(
        why(skate("y", blade, "0")),
        format!("the Lagrangian depends on y, {elsewhere}")
    );
    assert_eq!(why(skate("x*t", blade, "0")), "the Lagrangian depends on t");
    let moved = "y' = x'*tan(th) + t";
    assert_eq!(why(skate("x", moved, "0")), "a constraint depends on t");
    let curved = "x'*sin(th + y) = y'*cos(th + y)";
    assert_eq!(
        why(skate("x", curved, "0")),
        format!("a constraint depends on y, {elsewhere}")
    );
    assert_eq!(
        why(skate("x", blade, "y")),
        format!("a force depends on y, {elsewhere}")
    );
}

#[test]
fn no_rows_no_freedom_and_rows_on_accelerations() {
    let free =
        model("coordinates = [\"x\"]\nenergy = { kinetic = \"x'^2/2\", potential = \"2*x\" }");
    let held = model(
        "coordinates = [\"x\", \"y\"]\nenergy = { kinetic = \"x'^2/2 + y'^2\", potential = \"3*y\" }\n\
         constraints = { a = \"x' = t\", b = \"y' = x'^2\" }",
    );
    for id in FORMS {
        let values = at(&prepare(&free), 0.0, &[1.0], &[2.0]);
        let FormValues::Values { accel, lambda, .. } = &values.forms[id] else {
            panic!("{id}: {:?}", values.forms[id])
        };
        assert_eq!(
            (accel.as_slice(), lambda.as_slice()),
            (&[-2.0][..], &[][..])
        );
        if id == "chaplygin" {
            continue;
        }
        let values = at(&prepare(&held), 0.5, &[1.0, 1.0], &[0.5, 0.25]);
        let FormValues::Values {
            accel,
            reaction,
            state_names,
            ..
        } = &values.forms[id]
        else {
            panic!("{id}: {:?}", values.forms[id])
        };
        close(id, accel, &[1.0, 1.0], 1e-15);
        close(id, reaction, &[1.0, 5.0], 1e-15);
        assert_eq!(*state_names, ["x", "y"]);
    }
    let servo = model(
        "coordinates = [\"x\", \"y\"]\nenergy = { kinetic = \"x'^2/2 + y'^2\" }\n\
         constraints = { a = \"x'' = y'*y''\" }",
    );
    let values = at(&prepare(&servo), 0.0, &[0.0, 0.0], &[0.3, 0.7]);
    let FormValues::Values { accel, lambda, .. } = &values.forms["gibbs-appell"] else {
        panic!("{:?}", values.forms["gibbs-appell"])
    };
    close("accel", accel, &[0.0, 0.0], 1e-15);
    close("lambda", lambda, &[0.0], 1e-15);
    for id in ["voronec", "chaplygin"] {
        let FormValues::Unavailable { unavailable } = &values.forms[id] else {
            panic!("{:?}", values.forms[id])
        };
        assert_eq!(unavailable, "`a` is a constraint on accelerations");
    }
}
