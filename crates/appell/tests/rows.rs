//! Rows of constraints: levels, merging, void, redundant and inconsistent ones, parameters and
//! dropped entries.

use crate::common::{
    self, ALL, IMPLICIT, at, close, column, forces, last, model, motion, motions, moves_with,
    prepare, until, with, words,
};
use appell::{Code, Override, Prepared, Rational, RunOptions, Status, run};

const PENDULUM: &str = r#"coordinates = ["x", "y"]
gravity = "-g*N.y"
parameters = { m = 1.3, g = 9.81, l = 0.8 }
[particles]
P = { mass = "m", position = "[x, y, 0]" }
[constraints]
rod = "x^2 + y^2 = l^2"
[initial]
state = ["x = 0.8*sin(1)", "y = -0.8*cos(1)", "x' = 0.8*cos(1)*2", "y' = 0.8*sin(1)*2"]"#;

/// th'' = -(g/l) sin th, and the rod pulls with m (l th'^2 + g cos th) = -2 l lambda.
#[test]
fn pendulum_in_cartesian_coordinates_at_a_state() {
    let model = model(PENDULUM);
    let (m, g, l, th, w) = (1.3, 9.81, 0.8, 0.9_f64, 2.5);
    let (s, c) = th.sin_cos();
    let ddth = -g / l * s;
    let accel = [l * (c * ddth - s * w * w), l * (s * ddth + c * w * w)];
    let pull = m * (l * w * w + g * c);
    let reaction = [-pull * s, pull * c];
    let state = (0.0, &[l * s, -l * c][..], &[l * c * w, l * s * w][..]);
    let expected = (&accel[..], &[-pull / (2.0 * l)][..], &reaction[..]);
    let values = moves_with(&prepare(&model), state, IMPLICIT, expected);
    let force = values.forces[0].force;
    close("force", &force, &[reaction[0], reaction[1], 0.0], 1e-12);
    assert!(values.forces[0].unique && values.forces.len() == 1);
}

/// Both levels hold at rounding along the motion, and the motion is the one of the angle.
#[test]
fn pendulum_in_cartesian_coordinates_moves_as_the_angle() {
    let angle = model(
        r#"coordinates = ["th"]
        parameters = { g = 9.81, l = 0.8 }
        [energy]
        kinetic = "l^2/2*th'^2"
        potential = "-g*l*cos(th)"
        [initial]
        state = ["th = 1", "th' = 2"]"#,
    );
    let angle = motion(&prepare(&angle), &until(4.0));
    let cartesian = model(PENDULUM);
    for run in motions(&prepare(&cartesian), &until(4.0)) {
        let [x, y, dx, dy] = ["x", "y", "x'", "y'"].map(|name| column(&run, name));
        for (i, th) in column(&angle, "th").iter().enumerate() {
            let got = [x[i], y[i]];
            close("place", &got, &[0.8 * th.sin(), -0.8 * th.cos()], 1e-9);
            assert!((x[i] * x[i] + y[i] * y[i] - 0.64).abs() < 1e-14);
            assert!((x[i] * dx[i] + y[i] * dy[i]).abs() < 1e-14);
        }
        assert!(run.max_residual < 1e-14, "{}", run.max_residual);
    }
}

/// A rod whose length is moved, l(t) = 1 + sin(t)/10: l th'' + 2 l' th' + g sin th = 0, and the
/// power of the rod is its pull times l'.
#[test]
fn moving_holonomic_row() {
    let cartesian = model(
        r#"coordinates = ["x", "y"]
        gravity = "-9*N.y"
        define = { l = "1 + sin(t)/10" }
        [particles]
        P = { mass = 1, position = "[x, y, 0]" }
        [constraints]
        rod = "x^2 + y^2 = l^2"
        [initial]
        state = ["x = 0.6", "y = -0.8", "x'*y - y'*x = 0"]"#,
    );
    let polar = model(
        r#"coordinates = ["th"]
        define = { l = "1 + sin(t)/10" }
        [energy]
        kinetic = "l^2/2*th'^2"
        potential = "-9*l*cos(th)"
        [initial]
        state = ["th = asin(3/5)", "th' = 0"]"#,
    );
    let polar = motion(&prepare(&polar), &until(5.0));
    for run in motions(&prepare(&cartesian), &until(5.0)) {
        let (x, y) = (column(&run, "x"), column(&run, "y"));
        for ((i, th), t) in column(&polar, "th")
            .iter()
            .enumerate()
            .zip(column(&polar, "t"))
        {
            let l = 1.0 + t.sin() / 10.0;
            close("place", &[x[i], y[i]], &[l * th.sin(), -l * th.cos()], 1e-9);
            assert!((x[i].hypot(y[i]) - l).abs() < 1e-14);
        }
        assert!(run.ledger.defect.abs() < 1e-10, "{:?}", run.ledger);
    }
    let p = prepare(&cartesian);
    let (t, th, w) = (0.6_f64, 0.5_f64, 1.4);
    let (l, dl, ddl) = (1.0 + t.sin() / 10.0, t.cos() / 10.0, -t.sin() / 10.0);
    let (s, c) = th.sin_cos();
    let values = at(
        &p,
        t,
        &[l * s, -l * c],
        &[dl * s + l * c * w, -dl * c + l * s * w],
    );
    let pull = l * w * w + 9.0 * c - ddl;
    let found = values.reaction_power.expect("power");
    close("power", &[found], &[-pull * dl], 1e-12);
}

/// A particle that is led along x on a table: the touching row z = 0 is the integral of the z row
/// of the vector row. The weight is carried once, by `lead`; the y row says nothing.
fn table(touch: &str) -> String {
    format!(
        r#"coordinates = ["x", "y", "z"]
        gravity = "-g*N.z"
        parameters = {{ m = 1.5, g = 9.81, k = 2.5, c = 0.3 }}
        [particles]
        P = {{ mass = "m", position = "[x, y, z]", force = "-c*v(P)" }}
        [constraints]
        touch = "{touch}"
        lead = "v(P) = [2*t, y', 0]"
        [initial]
        state = ["x = 0", "y = 0", "y' = 1"]"#
    )
}

#[test]
fn merged_and_void_rows() {
    let (m, g, c, t) = (1.5, 9.81, 0.3, 0.7);
    let v = [2.0 * t, 0.8, 0.0];
    let lead = m * 2.0 + c * v[0];
    for touch in ["z = 0", "k*z = 0", "(k + 1)*z/k = 0"] {
        let model = model(&table(touch));
        let p = prepare(&model);
        let accel = [2.0, -c * v[1] / m, 0.0];
        let reaction = [lead, 0.0, m * g];
        let lambda = [0.0, lead, 0.0, m * g];
        let state = (t, &[t * t, 0.2, 0.0][..], &v[..]);
        let values = moves_with(&p, state, IMPLICIT, (&accel, &lambda, &reaction));
        assert_eq!(values.status, Status::Regular, "{touch}: {:?}", values.why);
        assert_eq!(values.rank, Some(2));
        assert_eq!(values.residual.as_ref().expect("residual").len(), 4);
        let found = forces(&values);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].0, found[0].1), ("lead", "P"));
        close("force", &found[0].2, &reaction, 1e-12);

        let (answer, _) = appell::check(&p, None);
        let standing: Vec<&String> = answer
            .constraints
            .iter()
            .flat_map(|c| &c.standing)
            .collect();
        assert!(standing[0].contains("lead.z"), "{standing:?}");
        assert!(standing[2].contains("zero"), "{standing:?}");
        assert!(answer.constraints[1].words.contains(&"void"), "{answer:?}");
        for run in motions(&p, &until(2.0)) {
            let end = ["x", "y", "z"].map(|name| last(&run, name));
            let y = m / c * (1.0 - (-c / m * 2.0_f64).exp());
            close("end", &end, &[4.0, y, 0.0], 1e-10);
        }
    }
}

/// Merged or not, the holonomic row gives missing coordinates and holds at rounding along the
/// motion, where the velocity row alone would let it drift.
#[test]
fn a_merged_row_keeps_its_position_level() {
    let text = PENDULUM.replace("l^2\"", "l^2\"\nturn = \"c*(x*x' + y*y') = 0\"");
    let text = text.replace("m = 1.3", "c = -3, m = 1.3");
    let start = text.find("state").expect("a start");
    let model = model(&format!(
        "{}state = [\"y = -0.48\", \"x' = 3\"]",
        &text[..start]
    ));
    for run in motions(&prepare(&model), &until(10.0)) {
        let [x, y, one, two] = ["x", "y", "lambda[rod]", "lambda[turn]"].map(|c| column(&run, c));
        for i in 0..x.len() {
            assert!((x[i] * x[i] + y[i] * y[i] - 0.64).abs() < 1e-14);
            assert!(one[i] == 0.0 && two[i] != 0.0);
        }
        close("start", &[x[0].abs(), y[0]], &[0.64, -0.48], 1e-14);
        assert_eq!(run.freedoms, 1);
    }
}

/// Without the vector row the touching row stands alone and carries the weight itself.
#[test]
fn a_merged_row_takes_over_when_its_twin_is_dropped() {
    let model = model(&table("k*z = 0"));
    let p = with(&model, &[], &["lead"]);
    let (m, g, c, k) = (1.5, 9.81, 0.3, 2.5);
    let v = [0.4, 0.8, 0.0];
    let accel = [-c * v[0] / m, -c * v[1] / m, 0.0];
    let lambda = [m * g / k, 0.0, 0.0, 0.0];
    let state = (0.0, &[0.0, 0.2, 0.0][..], &v[..]);
    let values = moves_with(&p, state, IMPLICIT, (&accel, &lambda, &[0.0, 0.0, m * g]));
    assert_eq!(forces(&values)[0].0, "touch");
    // The other way round: on velocity level alone any height will do.
    let p = with(&model, &[], &["touch"]);
    let values = at(&p, 0.0, &[0.0, 0.2, 5.0], &[0.0, 0.8, 0.0]);
    assert_eq!(values.status, Status::Regular);
}

/// x' = y' twice, the second time doubled: R = rho (1, -1), lambda = rho (1, 2)/5 is the shortest.
/// One force each, not unique; the reaction is.
#[test]
fn redundant_rows_have_minimum_norm_multipliers() {
    let model = model(
        r#"coordinates = ["x", "y"]
        parameters = { m1 = 1, m2 = 3 }
        [particles]
        A = { mass = "m1", position = "[x, 0, 0]", force = "4*N.x" }
        B = { mass = "m2", position = "[y, 0, 0]" }
        [constraints]
        one = "x' = y'"
        two = "2*x' = 2*y'"
        [motion]
        variables = ["u"]
        equations = ["x' = u", "y' = u"]
        [initial]
        state = ["x = 0", "y = 0", "u = 0.5"]"#,
    );
    let p = prepare(&model);
    // (m1 + m2) u' = 4, so u' = 1 and rho = m1 u' - 4 = -3.
    let lambda = [-0.6, -1.2];
    let state = (0.0, &[0.0, 0.0][..], &[0.5, 0.5][..]);
    let values = moves_with(&p, state, ALL, (&[1.0, 1.0], &lambda, &[-3.0, 3.0]));
    assert_eq!((values.status, values.rank), (Status::Redundant, Some(1)));
    assert_eq!(values.forces.len(), 4);
    for force in &values.forces {
        let share = if force.constraint == "one" { 0.2 } else { 0.8 };
        let sign = if force.on == "A" { -1.0 } else { 1.0 };
        close(
            "force",
            &force.force,
            &[3.0 * share * sign, 0.0, 0.0],
            1e-12,
        );
        assert!(!force.unique, "{force:?}");
    }
    for run in motions(&p, &until(2.0)) {
        close("x", &[last(&run, "x")], &[3.0], 1e-11);
        assert_eq!(run.freedoms, 1);
    }
}

/// Three components of rank 2: v(P) x d = 0 with a fixed direction d. The multipliers are
/// the shortest, perpendicular to d; their sum, one vector, is unique: R = F across d.
#[test]
fn a_cross_product_has_a_unique_force() {
    let model = model(
        r#"coordinates = ["x", "y", "z"]
        [particles]
        P = { mass = 2, position = "[x, y, z]", force = "[3, -1, 5]" }
        [constraints]
        along = "cross(v(P), [1, 2, 2]) = 0"
        free = "y' = 2*x'""#,
    );
    let p = with(&model, &[], &["free"]);
    let unit = [1.0, 2.0, 2.0].map(|x| x / 3.0);
    let push = (3.0 - 2.0 + 10.0) / 3.0;
    let accel = unit.map(|d| d * push / 2.0);
    let reaction = [0, 1, 2].map(|i| push * unit[i] - [3.0, -1.0, 5.0][i]);
    let values = at(&p, 0.0, &[0.0; 3], &[0.5, 1.0, 1.0]);
    close("accel", values.accel.as_ref().expect("a"), &accel, 1e-13);
    close("R", values.reaction.as_ref().expect("R"), &reaction, 1e-13);
    let lambda = values.lambda.expect("lambda");
    let dot: f64 = (0..3).map(|i| lambda[i] * unit[i]).sum();
    assert!(dot.abs() < 1e-13 && lambda[3] == 0.0, "{lambda:?}");
    close("force", &values.forces[0].force, &reaction, 1e-13);
    assert!(values.forces[0].unique && values.rank == Some(2));
    // With the row that is one of the components again, neither share is unique.
    let values = at(&prepare(&model), 0.0, &[0.0; 3], &[0.5, 1.0, 1.0]);
    close("R", values.reaction.as_ref().expect("R"), &reaction, 1e-13);
    assert!(values.forces.len() == 2 && values.forces.iter().all(|f| !f.unique));
}

/// Rows that agree now but not in the next moment: no finite acceleration, and the rows are named.
#[test]
fn inconsistent_rows_are_named() {
    let model = model(
        r#"coordinates = ["x", "y"]
        [energy]
        kinetic = "1/2*(x'^2 + y'^2)"
        [constraints]
        first = "x' + y' = 1"
        other = "y' = 0.5"
        second = "2*x' + 2*y' = 2 + t"
        [initial]
        state = ["x = 0", "y = 0"]"#,
    );
    let p = prepare(&model);
    let values = at(&p, 0.0, &[0.0, 0.0], &[0.5, 0.5]);
    assert_eq!(values.status, Status::Inconsistent, "{values:?}");
    assert!(values.accel.is_none() && values.why.is_some());
    let options = RunOptions::until(1.0);
    let error = run(&p, &options, &mut Default::default()).expect_err("inconsistent");
    assert_eq!(error.code(), Some(Code::InconsistentConstraints));
    let words = words(&p, error);
    assert!(
        words.contains("first") && words.contains("second"),
        "{words}"
    );
    for dropped in ["first", "second"] {
        let p = with(&model, &[], &[dropped]);
        let run = motion(&p, &until(1.0));
        assert_eq!(
            run.exit,
            appell::ExitKind::Done,
            "{dropped}: {}",
            run.outcome
        );
    }
}

/// v.a = 0 given on acceleration level is v^2 = const given on velocity level, whose multiplier is
/// half as large; the force is along v in both.
#[test]
fn acceleration_rows() {
    let model = |row: &str| {
        model(&format!(
            r#"coordinates = ["x", "y"]
            gravity = "-9.81*N.y"
            [particles]
            P = {{ mass = 2, position = "[x, y, 0]" }}
            [constraints]
            speed = "{row}"
            [initial]
            state = ["x = 0", "y = 0", "x' = 1.2", "y' = 0.9"]"#
        ))
    };
    // Along v nothing happens, so R = -(F.v) v/v^2, here F.v = -2*9.81*0.9.
    let share = 2.0 * 9.81 * 0.9 / 2.25;
    let reaction = [share * 1.2, share * 0.9];
    let accel = [reaction[0] / 2.0, reaction[1] / 2.0 - 9.81];
    for (row, lambda) in [
        ("dot(v(P), a(P)) = 0", share),
        ("x'*x'' + y'*y'' = 0", share),
        ("dot(v(P), v(P)) = 2.25", share / 2.0),
    ] {
        let model = model(row);
        let p = prepare(&model);
        let state = (0.0, &[0.0, 0.0][..], &[1.2, 0.9][..]);
        let values = moves_with(&p, state, IMPLICIT, (&accel, &[lambda], &reaction));
        close("force", &values.forces[0].force[..2], &reaction, 1e-12);
        // th' = -g cos th/u, so sin th = tanh(c - g t/u): the end of the flight by hand.
        let (u, t) = (1.5, 0.4);
        let sine = ((0.9_f64 / u).atanh() - 9.81 * t / u).tanh();
        for run in motions(&p, &until(t)) {
            close(row, &[last(&run, "y'")], &[u * sine], 1e-9);
        }
    }
    let x = |row: &str| {
        let text = format!(
            "coordinates = [\"x\"]\n[energy]\nkinetic = \"3/2*x'^2\"\n[constraints]\nc = \"{row}\"\n\
             [initial]\nstate = [\"x = 1\", \"x' = 2\"]"
        );
        let model = common::model(&text);
        let run = motion(&prepare(&model), &until(2.0));
        (last(&run, "x"), last(&run, "lambda[c]"))
    };
    // x'' = 6 t: x = 1 + 2 t + t^3, and the push 3*6t at t = 2.
    let (end, lambda) = x("x'' = 6*t");
    close("x", &[end, lambda], &[13.0, 36.0], 1e-11);
}

/// m x'' = F with knobs to turn: m depends on other parameters.
const KNOBS: &str = r#"coordinates = ["x", "y"]
[parameters]
m = "rho*a^2"
rho = { value = 3, min = 1, max = "2*a" }
a = 2
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
[forces]
x = "24"
[constraints]
first = "y' = x'"
second = "x' = 1 + 0*y'"
[motion]
variables = ["u"]
equations = ["x' = u", "y' = u"]"#;

#[test]
fn overrides_reach_dependent_parameters_and_respect_limits() {
    let model = model(KNOBS);
    let x_acceleration = |overrides: &[&str]| {
        let p = with(&model, overrides, &["first", "second"]);
        at(&p, 0.0, &[0.0, 0.0], &[0.0, 0.0]).accel.expect("a")[0]
    };
    assert_eq!(x_acceleration(&[]), 2.0);
    assert_eq!(x_acceleration(&["rho=4"]), 1.5);
    assert_eq!(x_acceleration(&["m=48"]), 0.5);
    assert_eq!(x_acceleration(&["a=4", "rho=3/2"]), 1.0);
    assert_eq!(
        x_acceleration(&["rho=2", "rho=4"]),
        1.5,
        "the last one counts"
    );
    let refused = |name: &str, value: i64| {
        let wanted = Override {
            name: name.to_owned(),
            value: Rational::from(value),
        };
        Prepared::new(&model, &[wanted], &[])
            .err()
            .expect("refused")
    };
    assert_eq!(refused("rho", 0).code(), Some(Code::OutsideLimits));
    assert_eq!(refused("rho", 5).code(), Some(Code::OutsideLimits));
    // The limit 2 a moves with a.
    assert_eq!(refused("a", 1).code(), Some(Code::OutsideLimits));
    let unknown = refused("rh", 1).diagnostic().expect("a question").clone();
    assert_eq!(unknown.code, Code::UnknownName);
    assert!(unknown.message.contains("rh") && unknown.notes[0].contains("rho"));
    let unknown = Prepared::new(&model, &[], &["third".to_owned()])
        .err()
        .and_then(|error| error.diagnostic().cloned())
        .expect("refused");
    assert_eq!(unknown.code, Code::UnknownName);
    assert!(unknown.notes[0].contains("first, second"), "{unknown:?}");
}

/// Dropped entries keep their number with multiplier 0; psi, which presumes them, no longer
/// describes the motion.
#[test]
fn dropped_rows_keep_their_number() {
    let model = model(KNOBS);
    let p = with(&model, &[], &["first"]);
    let state = (0.0, &[0.0, 0.0][..], &[1.0, 0.0][..]);
    let expected = (&[0.0, 0.0][..], &[0.0, -24.0][..], &[-24.0, 0.0][..]);
    let values = moves_with(&p, state, IMPLICIT, expected);
    assert_eq!((values.status, values.rank), (Status::Regular, Some(1)));
    let p = with(&model, &[], &["second"]);
    let state = (0.0, &[0.0, 0.0][..], &[1.0, 1.0][..]);
    let expected = (&[1.0, 1.0][..], &[12.0, 0.0][..], &[-12.0, 12.0][..]);
    moves_with(&p, state, IMPLICIT, expected);
}

/// A skate whose velocities are given by `[motion]` too: the two must agree.
#[test]
fn motion_equations_agree_with_the_constraints() {
    let skate = |motion: &str| {
        model(&format!(
            r#"
            coordinates = ["x", "y", "theta"]
            [parameters]
            a = 2
            [energy]
            kinetic = "(x'^2 + y'^2 + theta'^2)/2"
            [constraints]
            blade = "x'*sin(theta) - y'*cos(theta) = 0"
            [motion]
            {motion}
            "#
        ))
    };
    let psi = |x: &str, y: &str, theta: &str, z: &str| {
        format!("variables = [{z}]\nequations = [\"x' = {x}\", \"y' = {y}\", \"theta' = {theta}\"]")
    };
    let two = "\"z1\", \"z2\"";
    let good = [
        psi("z1*cos(theta)", "z1*sin(theta)", "z2", two),
        // Right for the value of the parameter, and for one sign of a variable.
        psi("z1*cos(theta)", "a*z1*sin(theta)/2", "z2", two),
        psi("z1*cos(theta)", "sqrt(z1^2)*sin(theta)", "z2", two),
        // Right to seven digits.
        psi("0.3333333*z1*cos(theta)", "z1*sin(theta)/3", "z2", two),
        "variables = [\"u1\", \"u2\"]\nequations = [\"u1 = x'*cos(theta) + y'*sin(theta)\", \"u2 = theta'\"]".to_owned(),
        "independent = [\"x'\", \"theta'\"]".to_owned(),
        "independent = [\"theta'\"]".to_owned(),
    ];
    for motion in &good {
        let made = appell::Prepared::new(&skate(motion), &[], &[]).map(|_| ());
        assert!(made.is_ok(), "{motion}: {made:?}");
    }
    let bad = [
        (
            psi("z1*cos(theta)", "2*z1*sin(theta)", "z2", two),
            "`blade`",
        ),
        (
            psi("z1*cos(theta)", "z1*sin(theta)", "z1", "\"z1\""),
            "1 of the 2",
        ),
        (
            psi(
                "(z1 + z2)*cos(theta)",
                "(z1 + z2)*sin(theta)",
                "z1 + z2",
                two,
            ),
            "only 1 independent",
        ),
        (
            "variables = [\"u1\"]\nequations = [\"u1 = theta'\"]".to_owned(),
            "determine 2 of the 3",
        ),
        (
            "independent = [\"x'\", \"y'\"]".to_owned(),
            "not independent",
        ),
        (
            "independent = [\"x'\", \"y'\", \"theta'\"]".to_owned(),
            "not independent",
        ),
    ];
    for (motion, why) in &bad {
        let model = skate(motion);
        let error = appell::Prepared::new(&model, &[], &[])
            .map(|_| ())
            .expect_err(motion);
        assert_eq!(error.code(), Some(Code::ContradictoryMotion), "{motion}");
        let text = error.to_string();
        assert!(text.contains(why), "{motion}: {text}");
    }
    // Without the row, what is given for it is not looked at.
    let model = skate(&good[0]);
    assert!(appell::Prepared::new(&model, &[], &["blade".to_owned()]).is_ok());
}
