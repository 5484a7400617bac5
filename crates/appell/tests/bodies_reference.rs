//! The reference cases with constraint forces, where the forces act; those with rigid bodies written as
//! bodies too, with Euler angles and with unit quaternions.

use crate::common::attitude::{cross, quaternion_rate, turned};
use crate::common::reference::{Case, TOLERANCE, cases, number, numbers, state};
use crate::common::{at, close, model, prepare};
use appell::{ForceValue, FormValues, StateValues};
use serde_json::Value;
use std::fmt::Write as _;

/// The case of this name.
fn case(name: &str) -> Case {
    let mut all = cases();
    all.retain(|case| case.name == name);
    all.pop().expect("a case of this name")
}

/// `[parameters]` of a case.
fn parameters(case: &Case) -> String {
    let mut text = String::from("[parameters]\n");
    for (name, value) in case.data["parameters"].as_object().expect("parameters") {
        let _ = writeln!(text, "{name} = {}", value.as_str().expect("a string"));
    }
    text
}

/// A force of the case: the particle or body, the point, force and torque.
struct Wanted {
    on: String,
    point: String,
    force: Vec<f64>,
    torque: Vec<f64>,
}

fn wanted_forces(truth: &Value) -> Vec<Wanted> {
    let entries = truth["constraint_forces"].as_array().expect("forces");
    let one = |entry: &Value| Wanted {
        on: entry["body"].as_str().expect("a name").to_owned(),
        point: entry["point"].as_str().expect("a name").to_owned(),
        force: numbers(&entry["force"]),
        torque: numbers(&entry["torque"]),
    };
    entries.iter().map(one).collect()
}

#[track_caller]
fn same(place: &str, got: &[f64], wanted: &[f64]) {
    close(place, got, wanted, TOLERANCE);
}

/// Accelerations, multipliers, reaction and energy in every formalism that applies.
#[track_caller]
fn moves_truly(place: &str, values: &StateValues, truth: &Value) {
    same(
        place,
        values.accel.as_ref().expect("regular"),
        &numbers(&truth["accel"]),
    );
    same(
        place,
        values.reaction.as_ref().expect("regular"),
        &numbers(&truth["reaction"]),
    );
    same(
        place,
        &[values.energy.expect("E")],
        &[number(&truth["energy"])],
    );
    same(
        place,
        &[values.energy_rate.expect("dE/dt")],
        &[number(&truth["dEdt"])],
    );
    same(
        place,
        &[values.reaction_power.expect("power")],
        &[number(&truth["constraint_power"])],
    );
    for (id, result) in &values.forms {
        match result {
            FormValues::Values { accel, lambda, .. } => {
                same(&format!("{place} {id}"), accel, &numbers(&truth["accel"]));
                same(&format!("{place} {id}"), lambda, &numbers(&truth["lambda"]));
            }
            FormValues::Unavailable { .. } => {}
            FormValues::Undefined { why, .. } => panic!("{place} {id}: {why}"),
        }
    }
    assert!(matches!(
        values.forms["multipliers"],
        FormValues::Values { .. }
    ));
}

const PLANE: &[[&str; 3]] = &[["P1", "m1", "[x1, y1, 0]"], ["P2", "m2", "[x2, y2, 0]"]];
const CAPITAL: &[[&str; 3]] = &[["P1", "M1", "[x1, y1, 0]"], ["P2", "M2", "[x2, y2, 0]"]];
const NUMBERED: &[[&str; 3]] = &[["P1", "m1", "[q1, q2, 0]"], ["P2", "m2", "[q3, q4, 0]"]];

/// The cases whose bodies are particles: name, mass and position of each, and where it stands among
/// the coordinates.
const WITH_PARTICLES: &[(&str, &[[&str; 3]])] = &[
    ("appell-particle", &[["P", "m", "[x, y, z]"]]),
    ("equal-magnitude-planar", PLANE),
    ("kane-perpendicular-planar", NUMBERED),
    ("kane-perpendicular-planar-paper-data", NUMBERED),
    ("parallel-planar", PLANE),
    ("prescribed-speed-planar", &[["P", "m", "[x, y, 0]"]]),
    ("talamucci-ex2-inverse-sqrt", &[["P", "M", "[x, y, z]"]]),
    ("talamucci-ex3-affine", &[["P", "M", "[x, y, z]"]]),
    ("talamucci-ex4", CAPITAL),
    ("talamucci-ex5", CAPITAL),
    ("talamucci-ex6-pursuit", &[["P", "M", "[x, y, z]"]]),
    ("talamucci-ex7-pendulum", CAPITAL),
];

/// The kinetic energy from particles; the constraints are written in coordinates, so Gauss' rule.
#[test]
fn forces_on_particles_act_at_the_particles() {
    for (name, particles) in WITH_PARTICLES {
        let case = case(name);
        let text = case.model_text();
        let lines = text
            .lines()
            .filter(|line| !line.starts_with("kinetic") && !line.starts_with("appell"));
        let mut text: String = lines.map(|line| format!("{line}\n")).collect();
        text.push_str("[particles]\n");
        for [name, mass, position] in *particles {
            let _ = writeln!(
                text,
                "{name} = {{ mass = \"{mass}\", position = \"{position}\" }}"
            );
        }
        let model = model(&text);
        let p = prepare(&model);
        for (index, truth) in case.states().iter().enumerate() {
            let place = format!("{name}, state {index}");
            let (t, q, v) = state(truth);
            let values = at(&p, t, &q, &v);
            same(
                &place,
                values.accel.as_ref().expect("regular"),
                &numbers(&truth["accel"]),
            );
            for wanted in wanted_forces(truth) {
                let position = particles.iter().find(|row| row[0] == wanted.on);
                let position = position.expect("one of the particles")[2];
                let component = |name: &str| {
                    let index = model.coordinates.iter().position(|c| c.name == name);
                    index.map_or(0.0, |index| q[index])
                };
                let names = position.trim_matches(['[', ']']).split(", ");
                let where_it_is: Vec<f64> = names.map(component).collect();
                let of_particle: Vec<&ForceValue> =
                    values.forces.iter().filter(|f| f.on == wanted.on).collect();
                let mut sum = [0.0; 3];
                for force in of_particle {
                    assert_eq!(force.point.as_deref(), Some(wanted.on.as_str()), "{place}");
                    assert_eq!(force.torque, [0.0; 3], "{place}");
                    same(&place, &force.at, &where_it_is);
                    sum = [0, 1, 2].map(|i| sum[i] + force.force[i]);
                }
                same(&place, &sum, &wanted.force);
                assert!(wanted.torque.iter().all(|x| *x == 0.0));
            }
        }
    }
}

/// The only force on a body.
#[track_caller]
fn force_on<'a>(values: &'a StateValues, on: &str) -> &'a ForceValue {
    let acting: Vec<&ForceValue> = values.forces.iter().filter(|f| f.on == on).collect();
    assert_eq!(acting.len(), 1, "on {on}: {:?}", values.forces);
    acting[0]
}

/// A body on two lines of the plane: the point is named, or the offset is.
fn planar(case: &Case, row: &str) -> String {
    format!(
        r#"coordinates = ["x", "y", "th"]
        gravity = "-g*N.y"
        {}
        [frames]
        F = {{ parent = "N", angle = "th", axis = "z" }}
        [points]
        Q = "pos(B) + l*F.x"
        [bodies.B]
        mass = "m"
        frame = "F"
        position = "[x, y, 0]"
        inertia = [0, 0, "J"]
        torque = "sin(t)/4*N.z"
        [constraints]
        c1 = "{row}"
        [motion]
        independent = ["x'", "th'"]"#,
        parameters(case)
    )
}

#[test]
fn the_speed_of_a_point_of_a_plane_body() {
    let case = case("planar-body-point-speed");
    let l = 0.55;
    for (row, point) in [
        ("dot(v(Q), v(Q)) = C^2", Some("Q")),
        ("dot(v(B, l*F.x), v(B, l*F.x)) = C^2", None),
        ("dot(v(B, pos(Q) - pos(B)), v(Q)) = C^2", Some("B")),
    ] {
        let model = model(&planar(&case, row));
        let p = prepare(&model);
        for (index, truth) in case.states().iter().enumerate() {
            let place = format!("{row}, state {index}");
            let (t, q, v) = state(truth);
            let values = at(&p, t, &q, &v);
            moves_truly(&place, &values, truth);
            same(
                &place,
                &[values.energy_star.expect("E*")],
                &[number(&truth["energy_star"])],
            );
            let force = force_on(&values, "B");
            assert_eq!(force.point.as_deref(), point, "{place}");
            let arm = [l * q[2].cos(), l * q[2].sin(), 0.0];
            let wanted = &wanted_forces(truth)[0];
            same(&place, &force.force, &wanted.force);
            if point == Some("B") {
                // One force of two points is given at the centre, with the moment of its arm.
                let moment = cross(arm, force.force);
                same(&place, &force.torque, &moment);
                same(&place, &force.at, &[q[0], q[1], 0.0]);
            } else {
                same(&place, &force.torque, &wanted.torque);
                same(&place, &force.at, &[q[0] + arm[0], q[1] + arm[1], 0.0]);
            }
        }
    }
}

/// How the frames `FA`, `FB` of two bodies are given.
#[derive(Clone, Copy, PartialEq)]
enum Attitudes {
    Euler,
    Quaternions,
}

/// `[frames]`, and the coordinates they need, in the order of the case.
fn frames(attitudes: Attitudes, order: [&str; 2]) -> (String, Vec<String>) {
    let mut text = String::from("[frames]\n");
    let mut coordinates = Vec::new();
    for body in order {
        match attitudes {
            Attitudes::Euler => {
                let _ = writeln!(
                    text,
                    "FZ{body} = {{ parent = \"N\", angle = \"ps{body}\", axis = \"z\" }}\n\
                     FY{body} = {{ parent = \"FZ{body}\", angle = \"th{body}\", axis = \"y\" }}\n\
                     F{body} = {{ parent = \"FY{body}\", angle = \"ph{body}\", axis = \"x\" }}"
                );
                coordinates.extend(["ps", "th", "ph"].map(|angle| format!("{angle}{body}")));
            }
            Attitudes::Quaternions => {
                let e = [0, 1, 2, 3].map(|i| format!("e{body}{i}"));
                let _ = writeln!(text, "F{body} = {{ parent = \"N\", quaternion = {e:?} }}");
                coordinates.extend(e);
            }
        }
    }
    (text, coordinates)
}

fn two_bodies(case: &Case, attitudes: Attitudes) -> String {
    let (frames, coordinates) = frames(attitudes, ["A", "B"]);
    let independent = match attitudes {
        Attitudes::Euler => {
            "[motion]\nindependent = [\"psA'\", \"thA'\", \"phA'\", \"psB'\", \"thB'\"]"
        }
        Attitudes::Quaternions => "",
    };
    format!(
        r#"coordinates = {coordinates:?}
        {}
        {frames}
        [bodies.A]
        frame = "FA"
        inertia = ["A1", "A2", "A3"]
        torque = "[tx, ty*cos(t), 0]"
        [bodies.B]
        frame = "FB"
        inertia = ["B1", "B2", "B3"]
        [[loads]]
        body = "B"
        torque = "vec(FB, b1, b2, b3*sin(t))"
        [[loads]]
        body = "A"
        torque = "tz*N.z"
        [constraints]
        c1 = "dot(omega(A), omega(B)) = 0"
        {independent}"#,
        parameters(case)
    )
}

fn point_and_spin(case: &Case, attitudes: Attitudes) -> String {
    let (frames, coordinates) = frames(attitudes, ["B", "A"]);
    let coordinates = [vec!["x".into(), "y".into(), "z".into()], coordinates].concat();
    let independent = match attitudes {
        Attitudes::Euler => {
            let given = &case.data["independent_velocities"];
            format!("[motion]\nindependent = {given}")
        }
        Attitudes::Quaternions => String::new(),
    };
    format!(
        r#"coordinates = {coordinates:?}
        gravity = "-g*N.z"
        {}
        {frames}
        [points]
        Q = "pos(B) + vec(FB, r1, r2, r3)"
        [bodies.B]
        mass = "m"
        frame = "FB"
        position = "[x, y, z]"
        inertia = ["B1", "B2", "B3"]
        force = "[3/10, 0, 0]"
        [bodies.A]
        frame = "FA"
        inertia = {{ xx = "A1", yy = "A2", zz = "A3" }}
        [[loads]]
        body = "B"
        force = "cos(t)/2*N.y"
        [constraints]
        c1 = "dot(v(Q), omega(A)) = 0"
        {independent}"#,
        parameters(case)
    )
}

/// What the case says of a body: quaternion, `omega` and its rate in the body, `alpha` in N.
struct Turning {
    e: [f64; 4],
    omega: [f64; 3],
    rate: [f64; 3],
    alpha: [f64; 3],
}

fn turning(truth: &Value, body: &str) -> Turning {
    let entries = truth["bodies"].as_array().expect("bodies");
    let entry = entries.iter().find(|entry| entry["body"] == *body);
    let entry = entry.expect("the body");
    let three = |key: &str| numbers(&entry[key]).try_into().expect("three numbers");
    Turning {
        e: numbers(&entry["quaternion_wxyz_body_to_inertial"])
            .try_into()
            .expect("four numbers"),
        omega: three("omega_body"),
        rate: three("omega_body_rate"),
        alpha: three("angular_acceleration_inertial"),
    }
}

/// `2 E x`: `omega` of `e'`, and its rate of `e''`, since `E' e' = 0`.
fn spin_of(e: [f64; 4], x: &[f64]) -> [f64; 3] {
    [
        -e[1] * x[0] + e[0] * x[1] + e[3] * x[2] - e[2] * x[3],
        -e[2] * x[0] - e[3] * x[1] + e[0] * x[2] + e[1] * x[3],
        -e[3] * x[0] + e[2] * x[1] - e[1] * x[2] + e[0] * x[3],
    ]
    .map(|x| 2.0 * x)
}

#[test]
fn perpendicular_angular_velocities_of_two_bodies() {
    let case = case("two-bodies-omega-perpendicular");
    let model = model(&two_bodies(&case, Attitudes::Euler));
    let p = prepare(&model);
    for (index, truth) in case.states().iter().enumerate() {
        let place = format!("state {index}");
        let (t, q, v) = state(truth);
        let values = at(&p, t, &q, &v);
        moves_truly(&place, &values, truth);
        couples_agree(&place, &values, truth);
    }
}

#[track_caller]
fn couples_agree(place: &str, values: &StateValues, truth: &Value) {
    for wanted in wanted_forces(truth)
        .iter()
        .filter(|wanted| wanted.point == "couple")
    {
        let found = force_on(values, &wanted.on);
        assert_eq!(found.point.as_deref(), Some("couple"), "{place}");
        assert_eq!(found.force, [0.0; 3], "{place}");
        same(place, &found.torque, &wanted.torque);
    }
}

#[test]
fn the_velocity_of_a_point_across_an_angular_velocity() {
    let case = case("point-velocity-angular-velocity");
    let model = model(&point_and_spin(&case, Attitudes::Euler));
    let p = prepare(&model);
    for (index, truth) in case.states().iter().enumerate() {
        let place = format!("state {index}");
        let (t, q, v) = state(truth);
        let values = at(&p, t, &q, &v);
        moves_truly(&place, &values, truth);
        couples_agree(&place, &values, truth);
        held_at_the_point(&place, &values, truth, &q);
    }
}

/// The force on B is at Q.
#[track_caller]
fn held_at_the_point(place: &str, values: &StateValues, truth: &Value, q: &[f64]) {
    let arm = turned(turning(truth, "B").e, [0.4, -0.3, 0.5]);
    let wanted = wanted_forces(truth).into_iter().find(|w| w.on == "B");
    let wanted = wanted.expect("a force on B");
    let found = force_on(values, "B");
    assert_eq!(found.point.as_deref(), Some("Q"), "{place}");
    same(place, &found.at, &[0, 1, 2].map(|i| q[i] + arm[i]));
    same(place, &found.force, &wanted.force);
    same(place, &found.torque, &wanted.torque);
}

/// `e` and `e'` of the bodies, one after the other.
fn quaternions(truth: &Value, order: [&str; 2]) -> (Vec<f64>, Vec<f64>) {
    let both = order.map(|body| {
        let Turning { e, omega, .. } = turning(truth, body);
        (e, quaternion_rate(e, omega))
    });
    let [(a, da), (b, db)] = both;
    ([a, b].concat(), [da, db].concat())
}

/// Rates of `omega`; the norm rows carry nothing, since nothing depends on the length of `e`.
#[track_caller]
fn turns_truly(place: &str, (accel, lambda): (&[f64], &[f64]), truth: &Value, bodies: [&str; 2]) {
    same(place, &lambda[..1], &numbers(&truth["lambda"]));
    for (index, body) in bodies.into_iter().enumerate() {
        let wanted = turning(truth, body);
        let rate = spin_of(wanted.e, &accel[4 * index..4 * index + 4]);
        same(&format!("{place} {body}"), &rate, &wanted.rate);
        let alpha = turned(wanted.e, rate);
        same(&format!("{place} {body}"), &alpha, &wanted.alpha);
        same(
            &format!("{place} norm of {body}"),
            &[lambda[1 + index]],
            &[0.0],
        );
    }
}

/// The forms without independent velocities: those that the tool chooses are ill conditioned at some
/// of these states, and cost digits.
const WITHOUT_CHARTS: [&str; 3] = ["multipliers", "projector", "gauss"];

#[test]
fn quaternions_turn_like_angles() {
    let case = case("two-bodies-omega-perpendicular");
    let model = model(&two_bodies(&case, Attitudes::Quaternions));
    let p = prepare(&model);
    for (index, truth) in case.states().iter().enumerate() {
        let (e, rates) = quaternions(truth, ["A", "B"]);
        let values = at(&p, number(&truth["t"]), &e, &rates);
        couples_agree(&format!("state {index}"), &values, truth);
        same(
            "E",
            &[values.energy.expect("E")],
            &[number(&truth["energy"])],
        );
        for (id, result) in &values.forms {
            let place = format!("state {index} {id}");
            if let FormValues::Values { accel, lambda, .. } = result {
                turns_truly(&place, (accel, lambda), truth, ["A", "B"]);
            }
        }
        assert!(matches!(
            values.forms["multipliers"],
            FormValues::Values { .. }
        ));
    }
}

#[test]
fn quaternions_of_a_body_that_moves_too() {
    let case = case("point-velocity-angular-velocity");
    let model = model(&point_and_spin(&case, Attitudes::Quaternions));
    let p = prepare(&model);
    for (index, truth) in case.states().iter().enumerate() {
        let (t, q, v) = state(truth);
        let (e, rates) = quaternions(truth, ["B", "A"]);
        let (q, v) = ([&q[..3], &e].concat(), [&v[..3], &rates].concat());
        let values = at(&p, t, &q, &v);
        let place = format!("state {index}");
        couples_agree(&place, &values, truth);
        held_at_the_point(&place, &values, truth, &q);
        // The norm rows have no force and no couple: nothing else acts on the bodies.
        assert_eq!(values.forces.len(), 2, "{:?}", values.forces);
        same(
            "E",
            &[values.energy.expect("E")],
            &[number(&truth["energy"])],
        );
        for id in WITHOUT_CHARTS {
            let place = format!("{place} {id}");
            if let FormValues::Values { accel, lambda, .. } = &values.forms[id] {
                same(&place, &accel[..3], &numbers(&truth["accel"])[..3]);
                turns_truly(&place, (&accel[3..], lambda), truth, ["B", "A"]);
            }
        }
        assert!(matches!(
            values.forms["multipliers"],
            FormValues::Values { .. }
        ));
    }
}
