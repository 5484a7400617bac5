//! Rolling on curved and moving contacts against Newton and Euler, and the standing checks of constraint
//! forces as vectors: contracted with partial velocities they are the reaction, and their power is right.

use crate::common::attitude::{cross, dot, quaternion_rate, turned};
use crate::common::{at, close, model, motion, prepare, until};
use appell::{ForceValue, Model, Prepared, StateValues, gallery, read};
use appell_expr::{Matrix, Sketch};

const TIGHT: f64 = 1e-12;

/// A body's centre, `v_C` and `omega` at a state, from the model's own kinematics.
struct Kinematics {
    centre: [f64; 3],
    velocity: [f64; 3],
    omega: [f64; 3],
}

fn kinematics(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Vec<Kinematics> {
    let graph = p.system.graph;
    let mut sketch = Sketch::new(graph);
    let zero = [graph.zero().id(); 3];
    let vectors = p.model.bodies.iter().flat_map(|body| {
        let omega = body.rotation.as_ref().map_or(zero, |r| r.omega);
        [body.position, body.velocity, omega]
    });
    let entries = vectors.flatten().map(|x| graph.ex(x)).collect();
    sketch.output("kinematics", Matrix::column(graph, entries));
    let field = p.compile(&sketch, &["kinematics"]);
    let values = field.results(t, &[q, v].concat()).expect("kinematics");
    let one = |x: &[f64]| Kinematics {
        centre: [x[0], x[1], x[2]],
        velocity: [x[3], x[4], x[5]],
        omega: [x[6], x[7], x[8]],
    };
    values.chunks(9).map(one).collect()
}

/// The power of a force at its point of application, and of its couple.
fn power(force: &ForceValue, body: &Kinematics) -> f64 {
    let arm = [0, 1, 2].map(|i| force.at[i] - body.centre[i]);
    let turning = cross(body.omega, arm);
    let velocity = [0, 1, 2].map(|i| body.velocity[i] + turning[i]);
    dot(force.force, velocity) + dot(force.torque, body.omega)
}

/// `Sum F . v_i + M . omega_i` for each coordinate, and the same by the velocity at `q' = 0`.
fn contracted(p: &Prepared<'_>, forces: &[ForceValue], (t, q): (f64, &[f64])) -> (Vec<f64>, f64) {
    let n = q.len();
    let all = |v: &[f64]| -> f64 {
        let kinematics = kinematics(p, t, q, v);
        let on = |force: &ForceValue| {
            let index = p.model.bodies.iter().position(|body| body.name == force.on);
            power(force, &kinematics[index.expect("a body of the model")])
        };
        forces.iter().map(on).sum()
    };
    let frame = all(&vec![0.0; n]);
    let along = |i: usize| {
        let mut v = vec![0.0; n];
        v[i] = 1.0;
        all(&v) - frame
    };
    ((0..n).map(along).collect(), frame)
}

/// The two standing checks at a state; returns the values and the power of the moving frame.
#[track_caller]
fn forces_stand(p: &Prepared<'_>, (t, q, v): (f64, &[f64], &[f64])) -> (StateValues, f64) {
    let values = at(p, t, q, v);
    let reaction = values.reaction.clone().expect("regular");
    let (found, frame) = contracted(p, &values.forces, (t, q));
    close("contraction", &found, &reaction, TIGHT);
    let kinematics = kinematics(p, t, q, v);
    let on = |force: &ForceValue| {
        let index = p.model.bodies.iter().position(|body| body.name == force.on);
        power(force, &kinematics[index.expect("a body")])
    };
    let whole: f64 = values.forces.iter().map(on).sum();
    // What is rounded carries the size of its terms, which cancel.
    let length = |x: [f64; 3]| dot(x, x).sqrt();
    let terms = |force: &ForceValue| {
        let index = p.model.bodies.iter().position(|body| body.name == force.on);
        let body = &kinematics[index.expect("a body")];
        let reach = [0, 1, 2].map(|i| force.at[i] - body.centre[i]);
        let speed = length(body.velocity) + length(body.omega) * length(reach);
        length(force.force) * speed + length(force.torque) * length(body.omega)
    };
    let size = values.forces.iter().map(terms).fold(1.0, f64::max);
    let of_reaction: f64 = reaction.iter().zip(v).map(|(r, v)| r * v).sum();
    let printed = values.reaction_power.expect("power");
    close("R.v", &[printed], &[of_reaction], TIGHT);
    let tolerance = TIGHT.max(8.0 * f64::EPSILON * size);
    close("power", &[whole], &[printed + frame], tolerance);
    assert!(!values.forces.is_empty());
    (values, frame)
}

/// A convex body that rolls on the plane z = 0, which turns about N.z with the rate `Om`.
fn rolling(inertia: &str, axes: [&str; 3], offset: &str, parameters: &str) -> Model {
    let [first, second, third] = axes;
    model(&format!(
        r#"coordinates = ["x", "y", "z", "psi", "th", "phi"]
        gravity = "-9.81*N.z"
        [parameters]
        {parameters}
        [frames]
        A = {{ parent = "N", angle = "psi", axis = "{first}" }}
        B = {{ parent = "A", angle = "th", axis = "{second}" }}
        C = {{ parent = "B", angle = "phi", axis = "{third}" }}
        [define]
        r = "{offset}"
        [bodies.stone]
        mass = "m"
        frame = "C"
        position = "[x, y, z]"
        inertia = {inertia}
        [constraints]
        touch = "dot(pos(stone) + r, N.z) = 0"
        no_slip = "v(stone, r) = cross(Om*N.z, pos(stone) + r)""#
    ))
}

/// A state, and what Newton's and Euler's equations give there.
struct Wanted {
    q: [f64; 6],
    v: [f64; 6],
    accel: [f64; 6],
    force: [f64; 3],
    at: [f64; 3],
}

/// Solved at 40 digits for `alpha` and `F` from `m a = F + m g`, `(I omega)' = r x F` with
/// `a = k x (v_C + r') - alpha x r - omega x r'`, `r'` the rate of the offset by differences of sixth
/// order; the same numbers without `r'` differ in the first digit.
fn ellipsoid_at_rest() -> Wanted {
    Wanted {
        q: [0.1, -0.2, 0.5383630645605321, 0.3, 0.4, -0.7],
        v: [
            -0.017087089462644638,
            -0.667153723902447,
            -0.3143212075716955,
            0.9,
            -0.6,
            1.3,
        ],
        accel: [
            0.9705550487029878,
            -2.4383993005124354,
            -1.661103020124362,
            0.7263940064782675,
            -0.8337430664269931,
            5.04705388406009,
        ],
        force: [1.261721563313884, -3.169919090666166, 10.593566073838328],
        at: [-0.012095145903556127, 0.05651405698527002, 0.0],
    }
}

fn ellipsoid_on_a_turntable() -> Wanted {
    Wanted {
        v: [
            -0.11316098633760367,
            -0.6877154719384924,
            -0.3143212075716955,
            0.9,
            -0.6,
            1.3,
        ],
        accel: [
            1.3780727443229057,
            -2.672071480316131,
            -1.5735859709570716,
            1.3812368536788318,
            -2.325463784466761,
            4.887619962385415,
        ],
        force: [1.7914945676197775, -3.4736929244109707, 10.707338237755806],
        ..ellipsoid_at_rest()
    }
}

fn torus() -> Wanted {
    Wanted {
        q: [0.1, -0.2, 0.5605304970014425, 0.3, 0.4, -0.7],
        v: [
            3.066023624997629,
            1.300473966639588,
            0.11682550269259515,
            0.9,
            -0.6,
            5.3,
        ],
        accel: [
            0.6372922429781386,
            -2.4088176852577767,
            -2.0907954377628912,
            6.356222248059097,
            9.886562853871048,
            -1.54212670467817,
        ],
        force: [1.2745844859562772, -4.8176353705155535, 15.438409124474218],
        at: [0.04245950550161567, -0.013987224028870199, 0.0],
    }
}

const ELLIPSOID: &str = "-(0.25*dot(N.z, C.x)*C.x + 0.49*dot(N.z, C.y)*C.y + 0.16*dot(N.z, C.z)*C.z)\
    /sqrt(0.25*dot(N.z, C.x)^2 + 0.49*dot(N.z, C.y)^2 + 0.16*dot(N.z, C.z)^2)";
const TORUS: &str = "-0.5*unit(N.z - dot(N.z, C.y)*C.y) - 0.1*N.z";

fn stones() -> [(&'static str, Model, Wanted); 3] {
    [
        (
            "ellipsoid",
            rolling(
                "[0.2, 0.15, 0.3]",
                ["z", "y", "x"],
                ELLIPSOID,
                "m = 1.3\nOm = 0",
            ),
            ellipsoid_at_rest(),
        ),
        (
            "ellipsoid on a turntable",
            rolling(
                "{ xx = 0.2, yy = 0.15, zz = 0.3, xy = 0.03, xz = -0.02, yz = 0.01 }",
                ["z", "y", "x"],
                ELLIPSOID,
                "m = 1.3\nOm = 1.7",
            ),
            ellipsoid_on_a_turntable(),
        ),
        (
            "torus",
            rolling(
                "[0.15, 0.28, 0.15]",
                ["z", "x", "y"],
                TORUS,
                "m = 2\nOm = 0",
            ),
            torus(),
        ),
    ]
}

#[test]
fn the_rate_of_the_contact_offset_counts() {
    for (name, model, wanted) in stones() {
        let p = prepare(&model);
        let (values, frame) = forces_stand(&p, (0.0, &wanted.q, &wanted.v));
        let accel = values.accel.as_ref().expect("regular");
        close(name, accel, &wanted.accel, TIGHT);
        // The normal and the friction are one force at the material point in contact.
        assert_eq!(values.forces.len(), 1, "{name}: {:?}", values.forces);
        let force = &values.forces[0];
        assert_eq!(force.constraint, "no_slip", "{name}");
        assert!(force.unique, "{name}");
        close(name, &force.force, &wanted.force, TIGHT);
        close(name, &force.at, &wanted.at, TIGHT);
        close(name, &force.torque, &[0.0; 3], TIGHT);
        assert!(frame.abs() < TIGHT, "{name}: no position depends on t");
        // The surface does work where it moves, and only there.
        let surface = if name.contains("turntable") { 1.7 } else { 0.0 };
        let sliding = cross([0.0, 0.0, surface], force.at);
        let printed = values.reaction_power.expect("power");
        close(name, &[printed], &[dot(force.force, sliding)], TIGHT);
    }
}

/// Everything at once: a force moved to the centre still moves the point as wanted, and is found out by
/// the contraction.
#[test]
fn a_force_at_the_wrong_point_is_found_out() {
    for (name, model, wanted) in stones() {
        let p = prepare(&model);
        let mut values = at(&p, 0.0, &wanted.q, &wanted.v);
        values.forces[0].at = [wanted.q[0], wanted.q[1], wanted.q[2]];
        let (found, _) = contracted(&p, &values.forces, (0.0, &wanted.q));
        let reaction = values.reaction.expect("regular");
        let gap = found.iter().zip(&reaction).map(|(x, y)| (x - y).abs());
        assert!(gap.fold(0.0, f64::max) > 0.1, "{name}");
    }
}

/// The models of the gallery with bodies, a while after their start.
#[test]
fn forces_of_the_gallery_stand() {
    let mut seen = 0;
    for entry in gallery::entries() {
        if !entry.text.contains("[bodies.") {
            continue;
        }
        let (model, _) = read(entry.name, entry.text).expect("a model");
        let p = prepare(&model);
        let run = motion(&p, &until(0.3));
        let last = run.trajectory.samples.last().expect("a sample");
        let n = p.system.n();
        let (q, v) = (&last.y[..n], &last.y[n..2 * n]);
        forces_stand(&p, (last.t, q, v));
        seen += 1;
    }
    assert!(seen >= 2, "the disc and the bicycle at least");
}

/// A ball on a turntable, in coordinates that stand still and in coordinates that turn with it.
fn ball(position: &str) -> Model {
    model(&format!(
        r#"coordinates = ["x", "y", "e0", "e1", "e2", "e3"]
        gravity = "-9.81*N.z"
        [parameters]
        Om = 0.8
        a = 0.3
        [frames]
        W = {{ parent = "N", angle = "Om*t", axis = "z" }}
        B = {{ parent = "N", quaternion = ["e0", "e1", "e2", "e3"] }}
        [bodies.ball]
        mass = 1.4
        frame = "B"
        position = "{position}"
        inertia = ["2/5*1.4*a^2", "2/5*1.4*a^2", "2/5*1.4*a^2"]
        force = "[0.3, -0.2, 0]"
        [constraints]
        no_slip = "dot(v(ball, -a*N.z) - cross(Om*N.z, pos(ball)), W.x) = 0"
        across = "dot(v(ball, -a*N.z) - cross(Om*N.z, pos(ball)), W.y) = 0""#
    ))
}

#[test]
fn forces_do_not_depend_on_the_coordinates() {
    let (t, om, a) = (0.7_f64, 0.8, 0.3);
    let (s, c) = (om * t).sin_cos();
    let (x, y) = (0.4, -0.6);
    // omega = (w1, w2, w3) in the ball; no slip: v_C = Om z x r_C + a omega x z.
    let (e, w) = ([0.5, -0.5, 0.1, 0.7], [0.4, 1.2, -0.3]);
    let rate = quaternion_rate(e, w);
    let omega = turned(e, w);
    let velocity = [-om * y + a * omega[1], om * x - a * omega[0]];
    let still = ball("[x, y, a]");
    let q = [&[x, y][..], &e].concat();
    let v = [&velocity[..], &rate].concat();
    let (in_n, none) = forces_stand(&prepare(&still), (t, &q, &v));
    assert_eq!(none, 0.0);
    // The same place and velocity in the turning frame.
    let turning = ball("x*W.x + y*W.y + a*N.z");
    let (along, across) = (c * x + s * y, -s * x + c * y);
    let slip = [velocity[0] + om * y, velocity[1] - om * x];
    let relative = [c * slip[0] + s * slip[1], -s * slip[0] + c * slip[1]];
    let q = [&[along, across][..], &e].concat();
    let v = [&relative[..], &rate].concat();
    let (in_w, frame) = forces_stand(&prepare(&turning), (t, &q, &v));
    let sum = |values: &StateValues| {
        let all = values.forces.iter();
        all.fold([0.0; 3], |sum, f| [0, 1, 2].map(|i| sum[i] + f.force[i]))
    };
    close("force", &sum(&in_w), &sum(&in_n), TIGHT);
    assert_eq!(in_w.forces.len(), 2);
    for (one, other) in in_w.forces.iter().zip(&in_n.forces) {
        close("at", &one.at, &other.at, TIGHT);
        close("at", &one.at, &[x, y, 0.0], TIGHT);
    }
    // Power: in N it is all of the reaction; in W the frame carries the matter with Om z x r.
    let carried = cross([0.0, 0.0, om], [x, y, 0.0]);
    close("frame", &[frame], &[dot(sum(&in_n), carried)], TIGHT);
    let whole = in_n.reaction_power.expect("power");
    close(
        "power",
        &[in_w.reaction_power.expect("power") + frame],
        &[whole],
        TIGHT,
    );
    // In closed form, Earnshaw: m v' = 2/7 Om z x m v + 5/7 F for a homogeneous ball.
    let accel = in_n.accel.expect("regular");
    let wanted = [
        -2.0 / 7.0 * om * velocity[1] + 5.0 / 7.0 * 0.3 / 1.4,
        2.0 / 7.0 * om * velocity[0] - 5.0 / 7.0 * 0.2 / 1.4,
    ];
    close("Earnshaw", &accel[..2], &wanted, TIGHT);
}

/// Points fixed in bodies, two bodies in one frame, a body that does not turn: each force is on the body
/// whose matter the row speaks of, at the named point.
#[test]
fn points_belong_to_the_body_they_are_fixed_in() {
    let model = model(
        r#"coordinates = ["x", "y", "th"]
        [frames]
        F = { parent = "N", angle = "th", axis = "z" }
        [points]
        Q = "pos(two) + 2*F.x"
        P = "pos(sled) + [0, 1, 0]"
        [bodies.one]
        mass = 1
        frame = "F"
        position = "[x, y, 0]"
        inertia = [1, 1, 1]
        [bodies.two]
        mass = 1.5
        frame = "F"
        position = "pos(one) + 3*F.y"
        inertia = [0.2, 0.3, 0.4]
        [bodies.sled]
        mass = 0.7
        frame = "N"
        position = "[x, y/2, 0]"
        inertia = [1, 1, 1]
        force = "[0.2, 0.1, 0]"
        [constraints]
        edge = "dot(v(Q), F.y) = 0"
        push = "dot(v(P), N.x) = t""#,
    );
    let p = prepare(&model);
    // v(Q).F.y = y' cos th - x' sin th + 2 th'.
    let (th, x, y) = (0.4_f64, 0.5, 0.21);
    let spin = (x * th.sin() - y * th.cos()) / 2.0;
    let q = [0.1, -0.3, th];
    let (values, _) = forces_stand(&p, (x, &q, &[x, y, spin]));
    let found: Vec<_> = values
        .forces
        .iter()
        .map(|f| (f.constraint.as_str(), f.on.as_str(), f.point.as_deref()))
        .collect();
    let wanted = [("edge", "two", Some("Q")), ("push", "sled", Some("P"))];
    assert_eq!(found, wanted);
    let (s, c) = th.sin_cos();
    let place = [0.1 - 3.0 * s + 2.0 * c, -0.3 + 3.0 * c + 2.0 * s, 0.0];
    close("Q", &values.forces[0].at, &place, TIGHT);
    close("P", &values.forces[1].at, &[0.1, 0.85, 0.0], TIGHT);
    let along = dot(values.forces[0].force, [c, s, 0.0]);
    assert!(along.abs() < TIGHT, "across the edge only: {along}");
}

/// A double pendulum whose pin is a holonomic row in the axes of a body: the pin's force is given at the
/// centre, and its couple is the force's moment about it; an actuator between the links is a pair of couples.
#[test]
fn a_pin_and_an_actuator() {
    let model = model(
        r#"coordinates = ["x", "y", "a", "b"]
        gravity = "-9.81*N.y"
        [frames]
        A = { parent = "N", angle = "a", axis = "z" }
        B = { parent = "N", angle = "b", axis = "z" }
        [points]
        top = "pos(one) + 0.5*A.y"
        [bodies.one]
        mass = 1
        frame = "A"
        position = "[x, y, 0]"
        inertia = [0, 0, 0.1]
        [bodies.two]
        mass = 2
        frame = "B"
        position = "pos(top) + 0.7*B.y"
        inertia = [0, 0, 0.2]
        [constraints]
        pin = "pos(one) - 0.5*A.y = 0"
        drive = "dot(alpha(two) - alpha(one), N.z) = 1""#,
    );
    let p = prepare(&model);
    let (a, b) = (0.3_f64, 0.5_f64);
    let q = [-0.5 * a.sin(), 0.5 * a.cos(), a, b];
    let v = [-0.5 * a.cos(), -0.5 * a.sin(), 1.0, 2.0];
    let (values, _) = forces_stand(&p, (0.0, &q, &v));
    let [pin, on_one, on_two] = &values.forces[..] else {
        panic!("{:?}", values.forces)
    };
    let arm = [-q[0], -q[1], 0.0];
    close("moment", &pin.torque, &cross(arm, pin.force), TIGHT);
    assert!(pin.torque[2].abs() > 0.1);
    close("centre", &pin.at, &[q[0], q[1], 0.0], TIGHT);
    let couple = values.lambda.as_ref().expect("regular")[3];
    close("on two", &on_two.torque, &[0.0, 0.0, couple], TIGHT);
    close("on one", &on_one.torque, &[0.0, 0.0, -couple], TIGHT);
}
