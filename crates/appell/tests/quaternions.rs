//! A rigid body on unit quaternions, from its energy alone: `M` is singular, the norm a holonomic row.

use crate::common::attitude::quaternion_rate;
use crate::common::{ALL, IMPLICIT, close, column, model, motions, moves_with, prepare, until};

/// A free rigid body on unit quaternions: T = 1/2 omega.I omega with omega = 2 E e', M = 4 E^T I E of
/// rank 3. `extra` is the addition 2 J0 (e.e')^2 that makes M regular and changes nothing.
fn quaternion_body(extra: &str, motion: &str) -> String {
    format!(
        r#"coordinates = ["e0", "e1", "e2", "e3"]
        parameters = {{ A = 1.1, B = 2.3, C = 3.1, J0 = 0.7 }}
        [define]
        w1 = "2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')"
        w2 = "2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')"
        w3 = "2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')"
        [energy]
        kinetic = "1/2*(A*w1^2 + B*w2^2 + C*w3^2){extra}"
        [constraints]
        norm = "e0^2 + e1^2 + e2^2 + e3^2 = 1"
        {motion}
        [initial]
        state = ["e0 = 0.5", "e1 = -0.5", "e2 = 0.1", "e3 = 0.7",
          "w1 = 0.4", "w2 = 1.2", "w3 = -0.3"]"#
    )
}

const BODY_RATES: &str = r#"[motion]
variables = ["o1", "o2", "o3"]
equations = [
  "e0' = 1/2*(-e1*o1 - e2*o2 - e3*o3)", "e1' = 1/2*(e0*o1 - e3*o2 + e2*o3)",
  "e2' = 1/2*(e3*o1 + e0*o2 - e1*o3)", "e3' = 1/2*(-e2*o1 + e1*o2 + e0*o3)",
]"#;

/// Euler's equations I w' = -w x I w give e'' = 1/2 E^T w' - |e'|^2 e. The kinetic energy is
/// homogeneous of degree 2 in e and e.L_v = 0, so e.r = 4 T and, with A = 2 e, lambda = -2 T.
#[test]
fn quaternions_against_euler() {
    let e = [0.5, -0.5, 0.1, 0.7];
    let (w, i) = ([0.4, 1.2, -0.3], [1.1, 2.3, 3.1]);
    let rate = [
        (i[1] - i[2]) * w[1] * w[2] / i[0],
        (i[2] - i[0]) * w[2] * w[0] / i[1],
        (i[0] - i[1]) * w[0] * w[1] / i[2],
    ];
    let v = quaternion_rate(e, w);
    let square: f64 = v.iter().map(|x| x * x).sum();
    let turning = quaternion_rate(e, rate);
    let accel: Vec<f64> = (0..4).map(|j| turning[j] - square * e[j]).collect();
    let twice: f64 = (0..3).map(|j| i[j] * w[j] * w[j]).sum();
    let reaction: Vec<f64> = e.iter().map(|e| -2.0 * twice * e).collect();
    let state = (0.0, &e[..], &v[..]);
    let regular = " + 2*J0*(e0*e0' + e1*e1' + e2*e2' + e3*e3')^2";
    let cases = [
        ("", "", IMPLICIT),
        (regular, "", IMPLICIT),
        ("", BODY_RATES, ALL),
    ];
    for (extra, motion, forms) in cases {
        let model = model(&quaternion_body(extra, motion));
        let p = prepare(&model);
        let values = moves_with(&p, state, forms, (&accel, &[-twice], &reaction));
        close("E", &[values.energy.expect("E")], &[twice / 2.0], 1e-13);
        assert!(values.reaction_power.expect("power").abs() < 1e-13);
    }
}

/// Along the motion the norm holds at both levels, energy and the spatial angular momentum too.
#[test]
fn quaternions_keep_the_norm_energy_and_momentum() {
    let model = model(&quaternion_body("", BODY_RATES));
    for run in motions(&prepare(&model), &until(6.0)) {
        let energies = column(&run, "E");
        close("E", &energies, &vec![energies[0]; energies.len()], 1e-10);
        let e = ["e0", "e1", "e2", "e3"].map(|name| column(&run, name));
        let v = ["e0'", "e1'", "e2'", "e3'"].map(|name| column(&run, name));
        let momentum = |s: usize| {
            let (e, v) = ([0, 1, 2, 3].map(|j| e[j][s]), [0, 1, 2, 3].map(|j| v[j][s]));
            let norm: f64 = e.iter().map(|x| x * x).sum();
            assert!((norm - 1.0).abs() < 1e-14, "{}: {norm}", run.form.id);
            spatial_momentum(e, v)
        };
        let start = momentum(0);
        for s in 0..energies.len() {
            close("momentum", &momentum(s), &start, 1e-10);
        }
    }
}

/// Body to space of I w: the rotation of a vector x by a unit quaternion is
/// x + 2 e0 (u x x) + 2 u x (u x x).
fn spatial_momentum(e: [f64; 4], v: [f64; 4]) -> [f64; 3] {
    let w = [
        2.0 * (-e[1] * v[0] + e[0] * v[1] + e[3] * v[2] - e[2] * v[3]),
        2.0 * (-e[2] * v[0] - e[3] * v[1] + e[0] * v[2] + e[1] * v[3]),
        2.0 * (-e[3] * v[0] + e[2] * v[1] - e[1] * v[2] + e[0] * v[3]),
    ];
    let body = [1.1 * w[0], 2.3 * w[1], 3.1 * w[2]];
    let u = [e[1], e[2], e[3]];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [0, 1, 2].map(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
    };
    let once = cross(u, body);
    let twice = cross(u, once);
    [0, 1, 2].map(|i| body[i] + 2.0 * e[0] * once[i] + 2.0 * twice[i])
}
