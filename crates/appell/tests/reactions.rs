//! Where constraint forces act, and reactions that are not Chetaev's.

use appell::{FORMALISMS, Formalism};

use crate::common::{
    IMPLICIT, at, close, forces, last, model, motions, moves_with, prepare, until,
};

/// A cart A and a mass B on a rod. The row speaks of A alone, so only A is pushed.
#[test]
fn forces_are_where_the_dot_products_say() {
    for row in [
        "dot(a(A), N.x) = 1",
        "dot(v(A), N.x) = t",
        "dot(pos(A), N.x) = t^2/2",
    ] {
        let model = model(&format!(
            r#"coordinates = ["x", "th"]
            gravity = "-9.81*N.y"
            [particles]
            A = {{ mass = 2, position = "[x, 0, 0]" }}
            B = {{ mass = 3, position = "[x + sin(th), cos(th), 0]" }}
            [constraints]
            drive = "{row}""#
        ));
        let (th, w, t) = (0.7_f64, 1.1, 0.5);
        // th'' = g sin th - cos th x'' with x'' = 1; the drive moves all of the momentum in x.
        let ddth = 9.81 * th.sin() - th.cos();
        let push = 5.0 + 3.0 * (th.cos() * ddth - th.sin() * w * w);
        let state = (t, &[t * t / 2.0, th][..], &[t, w][..]);
        let expected = (&[1.0, ddth][..], &[push][..], &[push, 0.0][..]);
        let values = moves_with(&prepare(&model), state, IMPLICIT, expected);
        let found = forces(&values);
        assert_eq!(found.len(), 1, "{row}: {found:?}");
        assert_eq!(found[0].1, "A", "{row}");
        close(row, &found[0].2, &[push, 0.0, 0.0], 1e-12);
    }
}

/// A servo keeps th' = 0.3 + t by pushing the cart, not the rod: W = (1, 0) while A = (0, 1).
fn servo(reaction: &str) -> appell::Model {
    model(&format!(
        r#"coordinates = ["x", "th"]
        gravity = "-9.81*N.y"
        [particles]
        A = {{ mass = 2, position = "[x, 0, 0]" }}
        B = {{ mass = 3, position = "[x + sin(th), cos(th), 0]" }}
        [constraints]
        servo = {{ equation = "th' = 0.3 + t", reaction = {reaction} }}
        [initial]
        state = ["x = 0", "th = 0.2", "x' = 1"]"#
    ))
}

const REACTIONS: [&str; 2] = [r#"{ x = "1" }"#, r#"{ on = "A", force = "N.x" }"#];
const SERVO_STATE: (f64, [f64; 2], [f64; 2]) = (0.5, [0.0, 0.4], [-0.6, 0.8]);

/// x'' and the push: the rod's own equation x'' cos th + th'' = g sin th with th'' = 1 gives x'',
/// the momentum of both along x the push.
fn servo_answer() -> (f64, f64) {
    let (_, q, v) = SERVO_STATE;
    let (s, c) = q[1].sin_cos();
    let ddx = (9.81 * s - 1.0) / c;
    (ddx, 5.0 * ddx + 3.0 * (c - s * v[1] * v[1]))
}

#[test]
fn reactions_that_are_not_chetaevs() {
    let (ddx, push) = servo_answer();
    let (t, q, v) = SERVO_STATE;
    for reaction in REACTIONS {
        let model = servo(reaction);
        let p = prepare(&model);
        let expected = (&[ddx, 1.0][..], &[push][..], &[push, 0.0][..]);
        let values = moves_with(&p, (t, &q, &v), IMPLICIT, expected);
        let power = values.reaction_power.expect("power");
        close("power", &[power], &[push * v[0]], 1e-12);
        for run in motions(&p, &until(1.0)) {
            let work = run.ledger.work["servo"];
            close("servo", &[run.ledger.change], &[work], 1e-10);
            close("th", &[last(&run, "th")], &[0.2 + 0.3 + 0.5], 1e-11);
        }
    }
}

/// The model says where the actuator is: all of its force acts there, on A. (The Gauss
/// distribution would add what the rod does to B.)
#[test]
fn an_actuator_pushes_where_it_is() {
    let (_, push) = servo_answer();
    let (t, q, v) = SERVO_STATE;
    let model = servo(REACTIONS[1]);
    let values = at(&prepare(&model), t, &q, &v);
    let found = forces(&values);
    assert_eq!(found.len(), 1, "the actuator is on A: {found:?}");
    assert_eq!(found[0].1, "A");
    close("actuator", &found[0].2, &[push, 0.0, 0.0], 1e-12);
}

/// A rod on a hinge with a wheel at its end, and a motor between them that keeps the rod on its way: pure couples.
fn reaction_wheel(reaction: &str) -> appell::Model {
    model(&format!(
        r#"coordinates = ["theta", "phi"]
        gravity = "-g*N.y"
        parameters = {{ m = 1, l = 0.5, Iw = 0.02, mw = 0.3, g = 9.81, k = 2 }}
        [frames]
        A = {{ angle = "theta", axis = "z" }}
        W = {{ parent = "A", angle = "phi", axis = "z" }}
        [bodies.rod]
        mass = "m"
        frame = "A"
        position = "l/2*A.y"
        inertia = ["m*l^2/12", 0, "m*l^2/12"]
        [bodies.wheel]
        mass = "mw"
        frame = "W"
        position = "l*A.y"
        inertia = ["Iw/2", "Iw/2", "Iw"]
        [constraints]
        upright = {{ equation = "theta = 0.2*exp(-k*t)", reaction = {reaction} }}
        [initial]
        state = ["theta = 0.2", "phi = 0", "phi' = 0"]
        [claims]
        motor = {{ equation = "multiplier(upright) = Iw*(theta'' + phi'')" }}
        couples = {{ equation = "torque_R(wheel) = multiplier(upright)*N.z" }}
        opposite = {{ equation = "torque_R(rod) = -torque_R(wheel)" }}
        no_force = {{ equation = "R(wheel) = 0*N.x" }}
        nor_there = {{ equation = "R(rod) = 0*N.x" }}
        power = {{ equation = "power(upright) = multiplier(upright)*phi'" }}"#
    ))
}

#[test]
fn a_motor_between_two_bodies_is_a_pair_of_couples() {
    let by_torque = reaction_wheel(r#"{ on = "wheel", torque = "N.z", against = "rod" }"#);
    let by_coordinate = reaction_wheel(r#"{ phi = "1" }"#);
    let (p, same) = (prepare(&by_torque), prepare(&by_coordinate));
    let state = (0.0, &[0.2, 0.0][..], &[-0.4, 0.0][..]);
    let values = at(&p, state.0, state.1, state.2);
    // Euler's equation of the wheel, and the moments of both about the hinge: theta'' = k^2 theta = 0.8.
    let [m, l, iw, mw, g] = [1.0, 0.5, 0.02, 0.3, 9.81];
    let hinged = m * l * l / 3.0 + mw * l * l;
    let torque = (m * l / 2.0 + mw * l) * g * 0.2f64.sin() - hinged * 0.8;
    close(
        "torque",
        values.lambda.as_ref().expect("a value"),
        &[torque],
        1e-12,
    );
    let accel = values.accel.as_ref().expect("a value");
    close("accelerations", accel, &[0.8, torque / iw - 0.8], 1e-10);
    let couples: Vec<_> = values
        .forces
        .iter()
        .map(|f| (f.on.as_str(), f.torque))
        .collect();
    assert_eq!(couples.len(), 2, "{couples:?}");
    for (on, couple) in couples {
        let sign = if on == "wheel" { 1.0 } else { -1.0 };
        close(on, &couple, &[0.0, 0.0, sign * torque], 1e-12);
    }
    let whole = at(&same, state.0, state.1, state.2);
    close(
        "the same motion",
        whole.accel.as_ref().expect("a value"),
        accel,
        1e-12,
    );
    let run = &motions(&p, &until(1.0))[0];
    for claim in &run.claims {
        assert_eq!(claim.holds, Some(true), "{claim:?}");
    }
    // By coordinates the same motor is taken for an ideal guide, with forces that it does not exert.
    let run = &motions(&same, &until(1.0))[0];
    let holds = |name: &str| {
        run.claims
            .iter()
            .find(|c| c.name == name)
            .and_then(|c| c.holds)
    };
    assert_eq!(
        (holds("motor"), holds("no_force")),
        (Some(true), Some(false))
    );
    assert_eq!(run.distributed, ["upright"]);
}

/// A motor that turns one wheel against another acts along its own row: every form applies that does without it.
#[test]
fn a_reaction_given_along_its_row_is_chetaevs() {
    let applies = |reaction: &str| {
        let model = model(&format!(
            r#"coordinates = ["a", "b"]
            [frames]
            A = {{ angle = "a", axis = "z" }}
            B = {{ angle = "b", axis = "z" }}
            [bodies.first]
            frame = "A"
            inertia = [1, 1, 2]
            [bodies.second]
            frame = "B"
            inertia = [2, 2, 3]
            [constraints]
            motor = {{ equation = "a' - b' = 3*t"{reaction} }}"#
        ));
        let p = prepare(&model);
        let applies = |form: &&&Formalism| (form.derive)(&p.system, &p.constraints).is_ok();
        let forms = FORMALISMS.iter().filter(applies);
        forms.map(|form| form.id).collect::<Vec<_>>()
    };
    let all = applies("");
    assert!(all.contains(&"kane"), "{all:?}");
    for reaction in [
        r#"{ on = "first", torque = "N.z", against = "second" }"#,
        r#"{ a = "1", b = "-1" }"#,
    ] {
        assert_eq!(applies(&format!(", reaction = {reaction}")), all);
    }
    let other = applies(r#", reaction = { a = "1" }"#);
    assert!(!other.contains(&"kane"), "{other:?}");
}

/// Two plates side by side: a force on the centre of A against B also turns B, by the arm between the centres.
#[test]
fn a_force_against_a_body_turns_it() {
    let model = model(
        r#"coordinates = ["x", "y", "a", "u", "w", "b"]
        [frames]
        A = { angle = "a", axis = "z" }
        B = { angle = "b", axis = "z" }
        [bodies.A1]
        mass = 1
        frame = "A"
        position = "[x, y, 0]"
        inertia = [1, 1, 2]
        [bodies.B1]
        mass = 2
        frame = "B"
        position = "[u, w, 0]"
        inertia = [1, 1, 2]
        [constraints]
        drive = { equation = "x' = t", reaction = { on = "A1", force = "N.x", against = "B1" } }"#,
    );
    let values = at(
        &prepare(&model),
        0.0,
        &[0.0, 0.7, 0.1, 0.0, 0.2, 0.3],
        &[0.0; 6],
    );
    // m x'' = lambda = 1; the arm from B's centre has the component 0.5 along y: -(0.5 y) x (-x) has no sign lost.
    close(
        "reaction",
        values.reaction.as_ref().expect("a value"),
        &[1.0, 0.0, 0.0, -1.0, 0.0, 0.5],
        1e-12,
    );
    let moments: f64 = values.forces.iter().map(|f| f.torque[2]).sum();
    close("the moment on B", &[moments], &[0.5], 1e-12);
}
