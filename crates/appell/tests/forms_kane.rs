//! Kane's two sets of equations, their motion variables and tables.

use crate::common::forms::{State, all_give, form, found, result};
use crate::common::reference::{agree, cases, number, numbers};
use crate::common::{at, close, last, model, motion, prepare};
use appell::{RunOptions, read};
use appell_flow::EvalError;
use appell_mech::{Formalism, output};

#[test]
fn the_two_sets_of_kane_are_one_motion() {
    let mut compared = 0;
    for case in cases() {
        let (model, _) = read(&case.name, &case.model_text()).expect("it is right");
        let p = prepare(&model);
        for (index, truth) in case.states().iter().enumerate() {
            let (q, v) = (numbers(&truth["q"]), numbers(&truth["v"]));
            let state = (number(&truth["t"]), &q[..], &v[..]);
            let minimal = result(&p, "kane", output::ACCEL_MINIMAL, state)
                .unwrap_or_else(|why| panic!("{}, state {index}: {why}", case.name));
            let place = format!("{}, state {index}", case.name);
            agree(&place, &minimal, &numbers(&truth["accel"]), 1.0);
            compared += 1;
        }
    }
    assert!(compared > 200, "only {compared} states");
}

#[test]
fn simple_rows_leave_the_motion_variables_and_complex_rows_do_not() {
    let cases = cases();
    let size = |name: &str| {
        let case = cases.iter().find(|case| case.name == name).expect("a case");
        let states = case.evaluate(&[form("kane")]).states;
        found(&states[0], "kane").names.len()
    };
    // Four coordinates, a simple row and a complex one, in either order.
    assert_eq!(size("zekovich-fork-nonlinear"), 3);
    assert_eq!(size("talamucci-ex4"), 3);
    assert_eq!(size("kane-perpendicular-planar"), 4);
    assert_eq!(size("talamucci-ex5"), 2);
}

const PERPENDICULAR: &str = "coordinates = [\"x1\", \"y1\", \"x2\", \"y2\"]\n[parameters]\nm = 2\n\
    [particles]\nP1 = { mass = \"m\", position = \"[x1, y1, 0]\", force = \"[2, 6, 0]\" }\n\
    P2 = { mass = \"m\", position = \"[x2, y2, 0]\" }\n\
    [constraints]\nc = \"dot(v(P1), v(P2)) = 0\"\n\
    [motion]\nvariables = [\"u1\", \"u2\", \"u3\", \"u4\"]\n\
    equations = [\"u1 = x1'\", \"u2 = y1'\", \"u3 = x2'\", \"u4 = y2'\"]\n\
    independent = [\"u1\", \"u2\", \"u3\"]\n";

/// Roithmayr & Hodges, section 4: `u4' = -(u3 u1' + u4 u2' + u1 u3')/u2`.
#[test]
fn partial_accelerations_are_those_of_the_paper() {
    let model = model(PERPENDICULAR);
    let p = prepare(&model);
    let [u1, u2, u3, u4] = [3.0, 2.0, 4.0, -6.0];
    let state = (0.0, &[0.0; 4][..], &[u1, u2, u3, u4][..]);
    let table = result(&p, "kane", output::PARTIAL_ACCELERATIONS, state).expect("u2 is not 0");
    #[rustfmt::skip]
    let wanted = [
        1.0, 0.0, 0.0,
        0.0, 1.0, 0.0,
        0.0, 0.0, 0.0,
        0.0, 0.0, 1.0,
        -u3 / u2, -u4 / u2, -u1 / u2,
        0.0, 0.0, 0.0,
    ];
    close("a~", &table, &wanted, 1e-15);
    let table = result(&p, "kane", output::PARTIAL_VELOCITIES, state).expect("always");
    assert_eq!(table.len(), 6 * 4);
    let ones: Vec<usize> = (0..24).filter(|i| table[*i] == 1.0).collect();
    assert_eq!(ones, [0, 5, 14, 19]);
    // The a~_r are orthogonal to W = (v(P2), v(P1)).
    let w = [u3, u4, 0.0, u1, u2, 0.0];
    let table = result(&p, "kane", output::PARTIAL_ACCELERATIONS, state).expect("u2 is not 0");
    for r in 0..3 {
        let sum: f64 = (0..6).map(|i| w[i] * table[3 * i + r]).sum();
        close("a~.W", &[sum], &[0.0], 1e-14);
    }
}

/// At `u2 = 0` the choice of `u1', u2', u3'` is no chart; the motion is regular: with `M = 2`,
/// `A = (0, 2, 1, 0)`, `f = (2, 6, 0, 0)` it has `lambda = -A.f/A.A = -12/5`.
#[test]
fn a_bad_choice_of_accelerations_leaves_the_equations_with_multipliers() {
    let model = model(PERPENDICULAR);
    let p = prepare(&model);
    let state = (0.0, &[0.0; 4][..], &[1.0, 0.0, 0.0, 2.0][..]);
    let values = at(&p, state.0, state.1, state.2);
    all_give(&values, &["kane"], &[1.0, 0.6, -1.2, 0.0], &[-2.4]);
    let kane = found(&values, "kane");
    assert_eq!(kane.names, ["u1", "u2", "u3", "u4"]);
    close("u'", &kane.rates, &kane.accel, 0.0);
    let why = result(&p, "kane", output::ACCEL_MINIMAL, state).expect_err("u2 is 0");
    assert!(matches!(why, EvalError::Singular { .. }), "{why}");
    assert!(
        why.to_string().contains("the dependent accelerations"),
        "{why}"
    );
}

/// Motion variables that mix velocities and time, more of them than simple rows leave free, with
/// a simple row `z' = t` and a complex one: speed 5 in the plane. Against the multipliers.
#[test]
fn motion_variables_may_be_affine_and_more_than_needed() {
    let model = model(
        "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"x'^2 + y'^2/2 + z'^2 + x'*z'/2\"\n\
         potential = \"x*y*z\"\n[constraints]\nspeed = \"x'^2 + y'^2 = 25\"\nlift = \"z' = t\"\n\
         [motion]\nvariables = [\"w\", \"u1\", \"u2\"]\n\
         equations = [\"w = z' + t^2\", \"u1 = cos(x)*x' + sin(x)*y' + t\", \"u2 = -sin(x)*x' + cos(x)*y' + z'\"]\n\
         independent = [\"u2\"]\n",
    );
    let p = prepare(&model);
    let (t, q, v): State<'_> = (0.5, &[0.3, 0.2, 0.1], &[3.0, 4.0, 0.5]);
    let values = at(&p, t, q, v);
    let wanted = found(&values, "multipliers");
    let kane = found(&values, "kane");
    close("accel", &kane.accel, &wanted.accel, 1e-14);
    close("lambda", &kane.lambda, &wanted.lambda, 1e-14);
    close("reaction", &kane.reaction, &wanted.reaction, 1e-14);
    assert_eq!(kane.names, ["u1", "u2"]);
    let (s, c) = (0.3f64.sin(), 0.3f64.cos());
    close(
        "u",
        &kane.u,
        &[3.0 * c + 4.0 * s + t, -3.0 * s + 4.0 * c + 0.5],
        1e-15,
    );
    let [ax, ay, az] = wanted.accel[..] else {
        panic!("three coordinates")
    };
    let turn = 3.0; // x'
    let u1 = ax * c + ay * s + turn * (-3.0 * s + 4.0 * c) + 1.0;
    let u2 = -ax * s + ay * c - turn * (3.0 * c + 4.0 * s) + az;
    close("u'", &kane.rates, &[u1, u2], 1e-14);
    let n = result(&p, "kane", output::COMPLEMENT, (t, q, v)).expect("regular");
    assert_eq!((n.len(), n[1]), (2, 1.0), "u2' is the independent one");
    let minimal = result(&p, "kane", output::ACCEL_MINIMAL, (t, q, v)).expect("regular");
    close("second set", &minimal, &wanted.accel, 1e-14);
}

/// `x'' + y'' + z'' = 1` before `z' = t`, so that `x'' + y'' = 0`.
#[test]
fn simple_rows_are_found_behind_rows_on_acceleration_level() {
    let model = model(
        "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"x'^2 + y'^2 + z'^2\"\n[forces]\nx = \"6\"\n\
         [constraints]\nc = \"x'' + y'' + z'' = 1\"\nlift = \"z' = t\"\n",
    );
    let p = prepare(&model);
    let state = (2.0, &[0.0; 3][..], &[0.3, -0.2, 2.0][..]);
    let values = at(&p, state.0, state.1, state.2);
    // 2 x'' = 6 + c, 2 y'' = c, 2 z'' = c + lift, z'' = 1.
    all_give(&values, &["kane"], &[1.5, -1.5, 1.0], &[-3.0, 5.0]);
    let kane = found(&values, "kane");
    assert_eq!(kane.names.len(), 2);
    let second = result(&p, "kane", output::ACCEL_MINIMAL, state).expect("regular");
    close("second set", &second, &[1.5, -1.5, 1.0], 1e-15);
}

/// A unicycle whose velocities are given without rows: forms in all velocities show their motion in these.
#[test]
fn motions_of_given_velocities_are_shown_in_those_that_were_computed() {
    let text = "coordinates = ['x', 'y', 'th']\n[energy]\nkinetic = \"(x'^2 + y'^2 + th'^2)/2\"\n[forces]\nth = '0.1'\n\
                [motion]\nvariables = ['u', 'w']\nequations = [\"x' = u*cos(th)\", \"y' = u*sin(th)\", \"th' = w\"]\n\
                [initial]\nstate = ['th = 0.5', 'u = 1', 'w = 0.2']\n[simulate]\nuntil = 1\n[claims]\n\
                speed = { constant = 'u' }\nturn = { equation = 'w = 0.2 + 0.1*t' }\n";
    let model = model(text);
    let p = prepare(&model);
    for name in ["gibbs-appell", "maggi", "kane"] {
        let options = RunOptions {
            form: Formalism::find(name),
            ..RunOptions::default()
        };
        let run = motion(&p, &options);
        assert!(run.ledger.closes(), "{name}: {:?}", run.ledger);
        assert!(
            run.claims.iter().all(|claim| claim.holds == Some(true)),
            "{name}: {:?}",
            run.claims
        );
        close(
            name,
            &[last(&run, "th'"), last(&run, "x'")],
            &[0.3, 0.75_f64.cos()],
            1e-9,
        );
    }
}
