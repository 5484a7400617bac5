//! Motions that leave singular states: against closed forms, and never claimed where there is one only.

use crate::common::{self, at, close, model, prepare};
use appell::{Departures, ExitKind, RunOptions, State, Status, check, gallery, read, run};

/// The judgement on a state: status, reason and departures.
fn judged(text: &str, q: &[f64], v: &[f64]) -> (Status, String, Option<Departures>) {
    let model = model(text);
    let state = State {
        t: 0.0,
        q: q.to_vec(),
        v: Some(v.to_vec()),
        z: None,
    };
    let (answer, _) = check(&prepare(&model), Some(&[state]));
    let judged = answer.states.expect("a state was given").remove(0);
    (
        judged.status,
        judged.why.unwrap_or_default(),
        judged.departures,
    )
}

fn points(forces: &str) -> String {
    format!(
        r#"
coordinates = ["x1", "y1", "x2", "y2"]
[parameters]
m1 = 1.4
m2 = 0.7
[energy]
kinetic = "m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)"
[forces]
{forces}
[constraints]
parallel = "x1'*y2' - x2'*y1' = 0"
"#
    )
}

const PLACE: [f64; 4] = [0.3, -0.7, 1.1, 0.4];

/// Straight lines along the eigenvectors u of `F1 F1^T/m1 + F2 F2^T/m2`: `a_i = (F_i.u) u/m_i`.
#[test]
fn parallel_velocities_leave_rest_along_two_lines() {
    let (f1, f2): ([f64; 2], [f64; 2]) = ([1.0, 0.4], [-0.3, 1.2]);
    let (m1, m2) = (1.4, 0.7);
    let text = points("x1 = \"1\"\ny1 = \"0.4\"\nx2 = \"-0.3\"\ny2 = \"1.2\"");
    let entry = |i: usize, j: usize| f1[i] * f1[j] / m1 + f2[i] * f2[j] / m2;
    let turn: f64 = 0.5 * (2.0 * entry(0, 1)).atan2(entry(0, 0) - entry(1, 1));
    let along = |angle: f64| -> Vec<f64> {
        let u = [angle.cos(), angle.sin()];
        let push = |f: [f64; 2], m: f64| (f[0] * u[0] + f[1] * u[1]) / m;
        let (s1, s2) = (push(f1, m1), push(f2, m2));
        vec![s1 * u[0], s1 * u[1], s2 * u[0], s2 * u[1]]
    };
    let mut wanted = [along(turn), along(turn + std::f64::consts::FRAC_PI_2)];
    wanted.sort_by(|a, b| b[0].total_cmp(&a[0]));
    let (status, why, found) = judged(&text, &PLACE, &[0.0; 4]);
    assert_eq!(status, Status::Singular);
    assert!(why.contains("; several motions leave it: q'' = ("), "{why}");
    let found = found.expect("looked for");
    assert!(!found.rest && found.are_several(), "{found:?}");
    assert_eq!(found.accelerations.len(), 2, "{found:?}");
    let model = model(&text);
    let p = prepare(&model);
    for (found, wanted) in found.accelerations.iter().zip(&wanted) {
        close("a", found, wanted, 1e-9);
        // On each line the equations of motion keep it, however slow the motion still is.
        for s in [1e-6, 1.0] {
            let v: Vec<f64> = wanted.iter().map(|a| s * a).collect();
            let there = at(&p, 0.0, &PLACE, &v).accel.expect("a regular state");
            close("on the line", &there, wanted, 1e-9);
        }
    }
}

/// On the slope both points fall, or the skates across it hold them: a limit of the steady motions
/// `m1 rho + m2 sigma = 0`, `cos(theta) = 0`.
#[test]
fn parallel_velocities_of_the_gallery_at_rest() {
    let entry = gallery::find("parallel-velocities").expect("in the gallery");
    let (text, _) = read(entry.name, entry.text).expect("it is right");
    let state = State {
        t: 0.0,
        q: PLACE.to_vec(),
        v: Some(vec![0.0; 4]),
        z: None,
    };
    let p = prepare(&text);
    let (answer, _) = check(&p, Some(&[state]));
    let judged = answer.states.expect("given").remove(0);
    assert_eq!(judged.status, Status::Singular);
    let found = judged.departures.expect("looked for");
    assert_eq!(found.accelerations.len(), 1, "{found:?}");
    close("a", &found.accelerations[0], &[2.0, 0.0, 2.0, 0.0], 1e-9);
    assert!(found.rest, "{found:?}");
    let why = judged.why.expect("a reason");
    assert!(why.contains("several motions leave it"), "{why}");
    let slow = at(&p, 0.0, &PLACE, &[0.0, 1e-7, 0.0, -2e-7]);
    close("held", &slow.accel.expect("regular"), &[0.0; 4], 1e-12);
    // A run from there ends at once with the same words.
    let still = entry.text.replace(
        "\"rho = 1.5\", \"sigma = -0.5\"",
        "\"rho = 0\", \"sigma = 0\"",
    );
    assert_ne!(still, entry.text);
    let (still, _) = read(entry.name, &still).expect("it is right");
    let run = run(
        &prepare(&still),
        &RunOptions::default(),
        &mut Default::default(),
    );
    let run = run.expect("it ends in words");
    assert_eq!(run.exit, ExitKind::NumericalFailure);
    assert!(
        run.outcome.contains("singular state") && run.outcome.contains("several motions leave it"),
        "{}",
        run.outcome
    );
    let numbers = run.last_state().iter().chain(&run.ledger.energy);
    assert!(numbers.copied().all(f64::is_finite));
}

/// Without forces two points at rest stay there; with one force only, one line is left.
#[test]
fn one_motion_is_not_several() {
    let (status, why, found) = judged(&points(""), &PLACE, &[0.0; 4]);
    assert_eq!(status, Status::Singular);
    assert!(!why.contains("several motions"), "{why}");
    let found = found.expect("looked for");
    assert!(found.rest && found.accelerations.is_empty(), "{found:?}");
    // Through the centre, where `y x' - x y'` vanishes for every velocity: on along the ray.
    let radial = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = "1"
y = "2"
[constraints]
ray = "y*x' - x*y' = 0"
"#;
    let (status, why, found) = judged(radial, &[0.0, 0.0], &[0.8, 0.3]);
    assert_eq!(status, Status::Singular);
    assert!(why.contains("one motion was found that leaves it"), "{why}");
    let push = (0.8 + 2.0 * 0.3) / (0.64 + 0.09);
    let found = found.expect("looked for");
    let [a] = found.accelerations.as_slice() else {
        panic!("{found:?}");
    };
    close("a", a, &[0.8 * push, 0.3 * push], 1e-9);
}

/// `x' y' = 0` where both vanish, in motion along z: on in either plane.
#[test]
fn two_planes_cross() {
    let text = r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + 2*y'^2 + z'^2)/2"
[forces]
x = "1"
y = "3"
z = "-2"
[constraints]
planes = "x'*y' = 0"
"#;
    let (_, why, found) = judged(text, &[0.3, 0.5, 0.2], &[0.0, 0.0, 0.9]);
    assert!(why.contains("several motions leave it"), "{why}");
    let found = found.expect("looked for");
    assert_eq!(found.accelerations.len(), 2, "{found:?}");
    close(
        "in y = const",
        &found.accelerations[0],
        &[1.0, 0.0, -2.0],
        1e-9,
    );
    close(
        "in x = const",
        &found.accelerations[1],
        &[0.0, 1.5, -2.0],
        1e-9,
    );
}

/// Appell's cone in a field along its axis: down along any generator, `a = g (a, 1)/(1 + a^2)`.
#[test]
fn a_cone_leaves_rest_in_every_direction() {
    let text = r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
[forces]
z = "-3"
[constraints]
cone = "x'^2 + y'^2 = 4*z'^2"
"#;
    let (_, why, found) = judged(text, &[0.3, 0.5, 0.2], &[0.0; 3]);
    assert!(why.contains("several motions leave it"), "{why}");
    let found = found.expect("looked for").accelerations;
    assert!(found.len() > 2, "{found:?}");
    for a in found {
        close("z''", &[a[2]], &[-3.0 / 5.0], 1e-9);
        close("level", &[a[0].hypot(a[1])], &[2.0 * 3.0 / 5.0], 1e-9);
    }
}

/// A speed that falls to zero and rises again, quadratically: the motion leaves with `q'' = 0`, where this
/// says nothing.
#[test]
fn a_double_root_is_no_motion() {
    let text = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = "1/1000"
[constraints]
speed = "x'^2 + y'^2 = t^4"
"#;
    let (status, why, found) = judged(text, &[0.3, 0.5], &[0.0; 2]);
    assert_eq!(status, Status::Singular);
    let found = found.expect("looked for");
    assert!(!found.rest && found.accelerations.is_empty(), "{why}");
}

/// Where the derivatives have no value nothing is claimed.
#[test]
fn nothing_is_claimed_at_a_vertex_without_derivatives() {
    let text = r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
[forces]
z = "-3"
[constraints]
cone = "sqrt(x'^2 + y'^2) = 2*z'"
"#;
    let (status, why, found) = judged(text, &[0.3, 0.5, 0.2], &[0.0; 3]);
    assert_eq!(status, Status::Singular);
    assert!(found.is_none() && !why.contains("motion"), "{why}");
}

/// The last sentence of a motion's outcome that names the singular set.
fn named(text: &str, until: f64) -> Option<String> {
    let model = model(text);
    let run = common::motion(&prepare(&model), &common::until(until));
    let at = run.outcome.find("The state lies in the singular set ")?;
    Some(run.outcome[at..].to_owned())
}

/// Up a generator of Appell's cone to the vertex, along a ray to its centre, and neither.
#[test]
fn a_run_names_the_singular_set_it_meets() {
    let up = r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "3*z"
[constraints]
cone = "x'^2 + y'^2 = 4*z'^2"
[initial]
state = ["x = 0", "y = 0", "z = 0", "x' = 2", "y' = 0", "z' = 1"]
"#;
    let vertex = "The state lies in the singular set x' = 0, y' = 0, z' = 0.";
    assert_eq!(named(up, 3.0).as_deref(), Some(vertex));
    assert_eq!(named(up, 0.5), None);
    let still = up.replace("x' = 2", "x' = 0").replace("z' = 1", "z' = 0");
    assert_eq!(named(&still, 3.0).as_deref(), Some(vertex));
    let ray = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[constraints]
ray = "y*x' - x*y' = 0"
[initial]
state = ["x = -1", "y = -2", "x' = 0.7", "y' = 1.4"]
"#;
    let centre = "The state lies in the singular set x = 0, y = 0.";
    assert_eq!(named(ray, 3.0).as_deref(), Some(centre));
}
