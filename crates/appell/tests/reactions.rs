//! Where constraint forces act, and reactions that are not Chetaev's.

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
