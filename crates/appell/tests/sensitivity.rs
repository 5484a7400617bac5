//! Exact derivatives of motions against closed forms, and against differences of runs with small tolerances.

use crate::common::{self, close, model, prepare, with};
use appell::{
    Control, InputSource, Prepared, RunOptions, Sensitivity, State, adjoint, gallery, read, run,
    sensitivity, with_initial,
};

fn options(until: f64) -> RunOptions {
    RunOptions {
        until: Some(until),
        rtol: Some(1e-13),
        atol: Some(1e-13),
        samples: Some(2),
        ..RunOptions::default()
    }
}

fn of(p: &Prepared<'_>, options: &RunOptions, names: &[&str]) -> Sensitivity {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let found = sensitivity(p, options, &names, &mut Control::default());
    found.unwrap_or_else(|error| panic!("{}", common::words(p, error)))
}

/// The derivatives of a column in the last sample.
fn last(found: &Sensitivity, column: &str) -> Vec<f64> {
    let count = found.names.len();
    let place = found.columns.iter().position(|other| other == column);
    let place = place.unwrap_or_else(|| panic!("{column} in {:?}", found.columns));
    let first = found.values.len() - found.columns.len() * count;
    found.values[first + place * count..first + (place + 1) * count].to_vec()
}

/// What stands in the last row of a run's table, without the time.
fn end(p: &Prepared<'_>, options: &RunOptions) -> (Vec<String>, Vec<f64>) {
    let found = run(p, options, &mut Control::default());
    let found = found.unwrap_or_else(|error| panic!("{}", common::words(p, error)));
    let row = found.table.rows.last().expect("a sample");
    (found.table.columns[1..].to_vec(), row[1..].to_vec())
}

/// Differences of fourth order of a function.
fn differences(x: f64, f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 1e-3 * x.abs().max(0.1);
    let difference = |h: f64| -> Vec<f64> {
        let (after, before) = (f(x + h), f(x - h));
        let pairs = after.iter().zip(&before);
        pairs.map(|(a, b)| (a - b) / (2.0 * h)).collect()
    };
    let (wide, half, quarter) = (difference(h), difference(0.5 * h), difference(0.25 * h));
    let extrapolated = |factor: f64, wide: &[f64], close: &[f64]| -> Vec<f64> {
        let pairs = wide.iter().zip(close);
        pairs
            .map(|(wide, close)| close + (close - wide) / (factor - 1.0))
            .collect()
    };
    let (first, second) = (
        extrapolated(4.0, &wide, &half),
        extrapolated(4.0, &half, &quarter),
    );
    extrapolated(16.0, &first, &second)
}

/// Compares all columns at the end with differences, each relative to the largest entry of its name.
fn against_differences(text: &str, until: f64, names: &[&str]) -> f64 {
    let (model, _) = read("model.toml", text).expect("a right model");
    let p = prepare(&model);
    let options = options(until);
    let found = of(&p, &options, names);
    let start = run(&p, &options, &mut Control::default())
        .expect("a motion")
        .start;
    let mut worst = 0.0f64;
    for (d, name) in names.iter().enumerate() {
        let at = |x: f64| -> Vec<f64> {
            let equation = vec![format!("{name} = {x}")];
            if model
                .parameters
                .iter()
                .any(|parameter| parameter.name == *name)
            {
                return end(&with(&model, &[&format!("{name}={x}")], &[]), &options).1;
            }
            let text = with_initial(text, &equation).expect("an equation");
            let (changed, _) = read("model.toml", &text).expect("a right model");
            end(&prepare(&changed), &options).1
        };
        let coordinate = |name: &str| {
            model
                .coordinates
                .iter()
                .position(|coordinate| coordinate.name == name)
        };
        let x = match (coordinate(name), coordinate(name.trim_end_matches('\''))) {
            (Some(i), _) => start.q[i],
            (None, Some(i)) => start.v[i],
            _ if model
                .motion
                .variables
                .iter()
                .any(|variable| variable.name == *name) =>
            {
                let place = model
                    .motion
                    .variables
                    .iter()
                    .position(|variable| variable.name == *name);
                start.z.as_ref().expect("motion variables")[place.expect("one of them")]
            }
            _ => {
                let place = model
                    .parameters
                    .iter()
                    .position(|parameter| parameter.name == *name);
                p.parameters[place.expect("a parameter")]
            }
        };
        let wanted = differences(x, at);
        let size = wanted.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        for (column, wanted) in found.columns.iter().zip(&wanted) {
            let got = last(&found, column)[d];
            if got.is_nan() {
                println!("{column} by {name}: not unique");
                continue;
            }
            let miss = (got - wanted).abs() / size;
            if miss > 1e-8 {
                println!("{column} by {name}: {got} for {wanted}");
            }
            worst = worst.max(miss);
        }
    }
    worst
}

/// The same for a model of the gallery.
#[track_caller]
fn check(name: &str, until: f64, names: &[&str]) {
    let entry = gallery::find(name).expect("in the gallery");
    let worst = against_differences(entry.text, until, names);
    assert!(worst < 1e-8, "{name}: {worst:.1e}");
}

#[test]
fn a_fall_with_drag_moves_as_its_closed_form() {
    let fall = model(
        r#"coordinates = ["x"]
parameters = { m = 2.0, c = 0.5, k = 3.0 }
inputs = { tau = 1.5 }
[energy]
kinetic = "m*x'^2/2"
[forces]
x = "k*tau - c*x'"
[initial]
state = ["x = 1", "x' = -2"]
"#,
    );
    let (m, c, force, v, t) = (2.0f64, 0.5f64, 4.5f64, -2.0f64, 3.0f64);
    let p = prepare(&fall);
    let found = of(&p, &options(t), &["x", "x'(0)", "m", "c", "tau"]);
    // x' = u + (v - u) e, u = force/c, e = exp(-c t/m)
    let (e, u) = ((-c * t / m).exp(), force / c);
    let by_c = -force / (c * c);
    let velocity = [
        0.0,
        e,
        (v - u) * e * c * t / (m * m),
        by_c * (1.0 - e) - (v - u) * e * t / m,
        3.0 / c * (1.0 - e),
    ];
    close("x'", &last(&found, "x'"), &velocity, 1e-11);
    let s = m / c * (1.0 - e);
    let place = [
        1.0,
        s,
        (v - u) * ((1.0 - e) / c - t / m * e),
        by_c * (t - s) + (v - u) * (-s / c + t / c * e),
        3.0 / c * (t - s),
    ];
    close("x", &last(&found, "x"), &place, 1e-11);
    assert_eq!(found.columns[..found.state], ["x", "x'"]);
    assert!(found.event.is_none());
}

#[test]
fn what_depends_on_a_parameter_follows_it_unless_it_is_given() {
    let dependent = model(
        r#"coordinates = ["x"]
[parameters]
r = 0.5
m = "2*r^2"
[energy]
kinetic = "m*x'^2/2"
[forces]
x = "1"
[initial]
state = ["x = r", "x' = 0"]
"#,
    );
    // x = r + t^2/(2 m), m = 2 r^2
    let found = of(&prepare(&dependent), &options(2.0), &["r", "m"]);
    close("free", &last(&found, "x"), &[1.0 - 16.0, -8.0], 1e-11);
    let given = with(&dependent, &["m=0.5"], &[]);
    close(
        "given",
        &last(&of(&given, &options(2.0), &["r"]), "x"),
        &[1.0],
        1e-11,
    );
}

#[test]
fn the_time_of_an_impact_moves_as_its_closed_form() {
    let impact = model(
        r#"coordinates = ["x", "z"]
parameters = { m = 1.0, g = 9.81, floor = 0.25 }
[energy]
kinetic = "m*(x'^2 + z'^2)/2"
potential = "m*g*z"
[initial]
state = ["x = 0", "z = 2", "x' = 3", "z' = 1"]
[simulate]
stop = ["z < floor"]
"#,
    );
    let p = prepare(&impact);
    let found = of(&p, &options(5.0), &["z", "z'", "g", "floor", "x'"]);
    let event = found.event.as_ref().expect("it falls");
    assert_eq!(event.condition, "z < floor");
    let (g, v, h) = (9.81f64, 1.0f64, 1.75f64);
    let root = (v * v + 2.0 * g * h).sqrt();
    let t = (v + root) / g;
    let by_g = (h / root - t) / g;
    let time = [1.0 / root, (1.0 + v / root) / g, by_g, -1.0 / root, 0.0];
    close("time", &event.time, &time, 1e-10);
    let of_column = |name: &str| -> Vec<f64> {
        let place = found.columns.iter().position(|other| other == name);
        let first = 5 * place.expect("a column");
        event.values[first..first + 5].to_vec()
    };
    close("z", &of_column("z"), &[0.0, 0.0, 0.0, 1.0, 0.0], 1e-10);
    let place: Vec<f64> = time
        .iter()
        .zip([0.0, 0.0, 0.0, 0.0, t])
        .map(|(dt, dx)| 3.0 * dt + dx)
        .collect();
    close("x", &of_column("x"), &place, 1e-10);
    close("fixed", &last(&found, "z")[..1], &[1.0], 1e-10);
    // E = m (x'^2 + z'^2)/2 + m g z is a constant of the motion.
    close("E", &of_column("E")[3..4], &[0.0], 1e-10);
}

#[test]
fn nonholonomic_motions_agree_with_differences() {
    check("chaplygin-sleigh", 2.0, &["m", "a", "theta", "z1", "z2"]);
    check("rolling-disc", 1.0, &["r", "theta", "phi'", "theta'"]);
    check("bicycle", 0.5, &["vx", "w", "phi'"]);
}

#[test]
fn nonlinear_affine_and_rheonomic_motions_agree_with_differences() {
    check("appell-hamel", 1.0, &["M", "g"]);
    check("perpendicular", 1.0, &["m1", "s"]);
    check("affine-particle", 1.0, &["a", "c", "k", "x"]);
    check("moving-metric", 1.0, &["h", "b1", "x'", "x"]);
    check("prescribed-speed", 1.0, &["b", "w", "theta", "c"]);
}

/// The rod's length, its mass and the start move along it; the row on the place determines the other coordinate.
const PENDULUM: &str = r#"appell = 1
coordinates = ["x", "y"]
parameters = { m = 1.3, l = 0.8, g = 9.81, k = 2.0 }
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y + k*x^2/2"
[constraints]
rod = "x^2 + y^2 = l^2"
[initial]
state = ["x = 0.3", "y = -sqrt(l^2 - 0.09)", "x' = 0.4"]
[simulate]
stop = ["x < -0.2"]
"#;

#[test]
fn holonomic_motions_agree_with_differences() {
    let worst = against_differences(PENDULUM, 0.3, &["m", "l", "g", "k", "x'"]);
    assert!(worst < 1e-8, "{worst:.1e}");
    let (pendulum, _) = read("m.toml", PENDULUM).expect("a right model");
    let p = prepare(&pendulum);
    let found = of(&p, &options(0.3), &["y'", "x", "l"]);
    // All of the state is given or follows: what varies keeps its unit, the rest follows on the circle.
    let first = |column: usize, name: usize| found.values[column * 3 + name];
    let (x, y) = (0.3f64, -(0.55f64).sqrt());
    close(
        "start by y'",
        &[first(2, 0), first(3, 0)],
        &[-y / x, 1.0],
        1e-12,
    );
    close(
        "start by x",
        &[first(0, 1), first(1, 1)],
        &[1.0, -x / y],
        1e-12,
    );
    close(
        "start by l",
        &[first(0, 2), first(1, 2)],
        &[0.0, 0.8 / y],
        1e-12,
    );
}

#[test]
fn the_time_of_an_event_on_constraints_agrees_with_differences() {
    let (pendulum, _) = read("m.toml", PENDULUM).expect("a right model");
    let options = options(3.0);
    let names = ["m", "l", "g", "k"];
    let found = of(&prepare(&pendulum), &options, &names);
    let event = found.event.expect("it swings through");
    for (d, name) in names.iter().enumerate() {
        let time = |x: f64| {
            let p = with(&pendulum, &[&format!("{name}={x}")], &[]);
            let found = run(&p, &options, &mut Control::default()).expect("a motion");
            vec![found.last_time(), found.last_state()[1]]
        };
        let wanted = differences([1.3, 0.8, 9.81, 2.0][d], time);
        close(
            name,
            &[event.time[d], event.values[names.len() + d]],
            &wanted,
            1e-8,
        );
    }
}

#[test]
fn rows_that_depend_on_each_other_have_no_derivative_of_their_own_forces() {
    let text = PENDULUM.replace("rod = ", "twice = \"2*x^2 + 2*y^2 = 2*l^2\"\nrod = ");
    let worst = against_differences(&text, 0.3, &["l", "g"]);
    assert!(worst < 1e-8, "{worst:.1e}");
    let (doubled, _) = read("m.toml", &text).expect("a right model");
    let found = of(&prepare(&doubled), &options(0.3), &["g"]);
    assert!(last(&found, "lambda[rod]")[0].is_nan() && last(&found, "x")[0].is_finite());
}

/// Rows that depend on each other on the constraints only, and move with the time: their multipliers have no derivative,
/// the motion and its energy have one.
#[test]
fn velocities_on_moving_rows_that_depend_on_each_other_have_derivatives() {
    let text = r#"
coordinates = ["x", "y"]
[parameters]
k = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "y"
[constraints]
a = "y = x^2 + sin(t)"
b = "(2 + x)*y' = (2 + x)*(2*x*x' + cos(t))"
[initial]
state = ["x = k"]
"#;
    let (moving, _) = read("m.toml", text).expect("a right model");
    let p = prepare(&moving);
    let found = of(&p, &options(0.5), &["k"]);
    let velocity = last(&found, "x'")[0];
    let worst = against_differences(text, 0.5, &["k"]);
    assert!(worst < 1e-8, "{worst:.1e}");
    assert!(velocity.is_finite() && last(&found, "E")[0].is_finite());
    assert!(last(&found, "lambda[a]")[0].is_nan());
}

/// A cart on a spring with a motor.
const CART: &str = r#"coordinates = ["x"]
parameters = { m = 2.0, k = 3.0 }
inputs = { tau = 0, brake = 0.1 }
[energy]
kinetic = "m*x'^2/2"
potential = "k*x^2/2"
[forces]
x = "tau - brake*x'"
[initial]
state = ["x = 1", "x' = 0"]
"#;

#[test]
fn driven_motions_agree_with_differences() {
    let cart = model(CART);
    let options = options(2.0);
    let end = |k: f64, added: f64, x: f64| -> Vec<f64> {
        let p = with(&cart, &[&format!("k={k}")], &[]);
        let text = format!("-k*x'/4 + sin(t)*x^2 + {added}");
        let inputs = vec![("tau".to_owned(), InputSource::Expression(text))];
        let p = p.driven(inputs).expect("an expression");
        let start = State {
            t: 0.0,
            q: vec![x],
            v: Some(vec![0.0]),
            z: None,
        };
        let options = RunOptions {
            start: Some(start),
            ..options.clone()
        };
        end(&p, &options).1
    };
    let p = prepare(&cart);
    let text = "-k*x'/4 + sin(t)*x^2".to_owned();
    let driven = p.driven(vec![("tau".to_owned(), InputSource::Expression(text))]);
    let driven = driven.expect("an expression");
    let found = of(&driven, &options, &["k", "tau", "x"]);
    let wanted = [
        differences(3.0, |k| end(k, 0.0, 1.0)),
        differences(0.0, |added| end(3.0, added, 1.0)),
        differences(1.0, |x| end(3.0, 0.0, x)),
    ];
    for (column, name) in found.columns.iter().enumerate() {
        let wanted: Vec<f64> = wanted.iter().map(|row| row[column]).collect();
        close(name, &last(&found, name), &wanted, 1e-8);
    }
}

#[test]
fn functions_without_derivatives_are_refused_by_name() {
    let cart = model(CART);
    let p = prepare(&cart);
    let function: appell::Feedback = Box::new(|_, y| -y[0]);
    let source = InputSource::Values(appell::InputValues::Function(function));
    let driven = p
        .driven(vec![("tau".to_owned(), source)])
        .expect("a function");
    let names = ["k".to_owned()];
    let refused = sensitivity(&driven, &options(1.0), &names, &mut Control::default());
    let words = refused.expect_err("unknown").to_string();
    assert!(
        words.contains("drives the input `tau` are not known"),
        "{words}"
    );
    let names = ["kk".to_owned()];
    let refused = sensitivity(&p, &options(1.0), &names, &mut Control::default());
    let words = refused.expect_err("no such name").to_string();
    assert!(words.contains("did you mean `k`?"), "{words}");
}

#[test]
fn derivatives_end_where_the_equations_jump() {
    let friction = model(
        r#"coordinates = ["x"]
parameters = { m = 1.0, f = 0.5 }
[energy]
kinetic = "m*x'^2/2"
[forces]
x = "-f*sign(x')"
[initial]
state = ["x = 0", "x' = 1"]
"#,
    );
    let p = prepare(&friction);
    let sliding = of(&p, &options(1.5), &["f"]);
    close("x", &last(&sliding, "x"), &[-1.125], 1e-11);
    let beyond = of(&p, &options(3.0), &["f"]);
    assert!(
        beyond.outcome.contains("the equations jump there"),
        "{}",
        beyond.outcome
    );
    assert_eq!(beyond.exit, appell::ExitKind::NumericalFailure);
    let end = beyond.times.last().expect("the last sample");
    close("until the jump", &[*end], &[2.0], 1e-9);
}

#[test]
fn starts_that_the_constraints_determine_are_refused() {
    let (pendulum, _) = read("m.toml", PENDULUM).expect("a right model");
    let text = PENDULUM.replace("rod = ", "hold = \"x = 0.3\"\nrod = ");
    let (held, _) = read("m.toml", &text).expect("a right model");
    let names = ["x'".to_owned()];
    let mut control = Control::default();
    let text = PENDULUM.replace("\"x' = 0.4\"", "\"x' = 0\"");
    assert!(
        sensitivity(&prepare(&pendulum), &options(0.1), &names, &mut control).is_ok()
            && text != PENDULUM
    );
    let refused = sensitivity(&prepare(&held), &options(0.1), &names, &mut control);
    assert!(refused.is_err());
}

/// Nothing is given: coordinates are nearest to 0, velocities have least kinetic energy, on rows that are curved.
const OPEN: &str = r#"appell = 1
coordinates = ["x", "y", "z"]
parameters = { m = 1.3, n = 0.6, e = 0.2, b = 0.3, c = 0.9, l = 0.8 }
[energy]
kinetic = "m*x'^2/2*(1 + y^2) + n*y'^2/2 + z'^2/2 + e*y'*z' + b*x*y'"
[constraints]
place = "2*x + (y - 1)^2*(1 + x) + z = l"
pace = "x'*y'*(1 + x) + z' = c"
"#;

#[test]
fn starts_that_are_completed_move_with_what_completes_them() {
    let worst = against_differences(OPEN, 0.2, &["m", "n", "e", "b", "c", "l"]);
    assert!(worst < 1e-8, "{worst:.1e}");
    // A magnetic force has a potential in the velocities, which is no kinetic energy.
    let magnetic = "potential = \"l*(y*x' - x*y')\"\n[constraints]";
    let text = OPEN.replace("[constraints]", magnetic);
    let worst = against_differences(&text, 0.2, &["m", "b", "l"]);
    assert!(worst < 1e-8, "magnetic: {worst:.1e}");
}

/// `m x'' = F` from rest to `t = 1`: `x = 1 + F/(2 m)`.
#[test]
fn adjoints_follow_parameters_through_the_formulas_of_inputs() {
    let text = "coordinates = ['x']\n[parameters]\nm = 2\n[inputs]\nF = 0\n[energy]\nkinetic = \"m*x'^2/2\"\n\
                [forces]\nx = 'F'\n[initial]\nstate = ['x = 1', \"x' = 0\"]\n";
    let model = model(text);
    for (formula, wanted) in [("m^2", 0.5), ("m", 0.0), ("m*t", 0.0), ("3", -3.0 / 8.0)] {
        let p = prepare(&model);
        let drive = InputSource::Expression(formula.to_owned());
        let p = p.driven(vec![("F".to_owned(), drive)]).expect("an input");
        let (names, weights) = (["m".to_owned()], [0.0, 0.0, 1.0, 0.0]);
        let found = adjoint(&p, &options(1.0), &names, &weights, &mut Control::default());
        let found = found.unwrap_or_else(|error| panic!("{}", common::words(&p, error)));
        close(formula, &found.values, &[wanted], 1e-9);
    }
}
