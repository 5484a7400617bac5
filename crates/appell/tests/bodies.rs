//! Rigid bodies against the same systems with their energies written in coordinates.

use crate::common::forms::State;
use crate::common::{self, at, close, model, motion, moves_with, prepare, until};
use appell::FormValues;

/// Both models move alike at a state: accelerations, reaction and multipliers in every formalism, energies
/// and their rates.
#[track_caller]
fn alike(bodies: &str, energies: &str, (t, q, v): State<'_>) {
    let (by_bodies, by_energies) = (model(bodies), model(energies));
    let wanted = at(&prepare(&by_energies), t, q, v);
    let accel = wanted.accel.as_deref().expect("regular");
    let lambda = wanted.lambda.as_deref().expect("regular");
    let reaction = wanted.reaction.as_deref().expect("regular");
    let all: Vec<&str> = (wanted.forms.iter())
        .filter(|(_, form)| matches!(form, FormValues::Values { .. }))
        .map(|(id, _)| *id)
        .collect();
    assert!(all.len() > 5, "{all:?}");
    let p = prepare(&by_bodies);
    let found = moves_with(&p, (t, q, v), &all, (accel, lambda, reaction));
    let of = |values: &appell::StateValues| {
        let all = [values.energy, values.energy_rate, values.reaction_power];
        all.map(|x| x.expect("a value"))
    };
    close("E, E', R.v", &of(&found), &of(&wanted), 1e-12);
}

const STATE: State<'static> = (0.6, &[0.4, 0.9, -0.7], &[1.1, -0.8, 2.3]);

const TOP: &str = r#"coordinates = ["ph", "th", "ps"]
    parameters = { m = 1.3, l = 0.4, A = 0.2, C = 0.15, g = 9.81 }"#;
const Z_X_Z: &str = r#"[frames]
    P = { parent = "N", angle = "ph", axis = "z" }
    Q = { parent = "P", angle = "th", axis = "x" }
    B = { parent = "Q", angle = "ps", axis = "z" }"#;
const TOP_ENERGY: &str = r#"[energy]
    kinetic = "1/2*(A + m*l^2)*(th'^2 + ph'^2*sin(th)^2) + 1/2*C*(ps' + ph'*cos(th))^2"
    potential = "m*g*l*cos(th)""#;

/// A heavy top, its mass at the centre or in the moments about the fixed point.
#[test]
fn a_top_with_and_without_mass() {
    let energies = format!("{TOP}\n{TOP_ENERGY}");
    let with_mass = format!(
        r#"{TOP}
        gravity = "-g*N.z"
        {Z_X_Z}
        [bodies.top]
        mass = "m"
        frame = "B"
        position = "l*B.z"
        inertia = ["A", "A", "C"]"#
    );
    // A fixed centre has no mass; the weight is in the energy, which adds.
    let without = format!(
        r#"{TOP}
        {Z_X_Z}
        [bodies.top]
        frame = "B"
        inertia = ["A + m*l^2", "A + m*l^2", "C"]
        [energy]
        potential = "m*g*l*cos(th)""#
    );
    alike(&with_mass, &energies, STATE);
    alike(&without, &energies, STATE);
}

/// Moments that are equal in numbers only are not seen to be equal: such a body is written in its own axes, and
/// moves as one whose turns about its axis, or about every axis, are seen not to matter.
#[test]
fn round_bodies_in_their_own_axes_and_in_axes_of_resal() {
    let body = |inertia: &str| {
        format!(
            r#"coordinates = ["ph", "th", "ps"]
            parameters = {{ m = 1.3, l = 0.4, A = 0.2, C = 0.15, E = 0.2, F = 0.2, g = 9.81 }}
            gravity = "-g*N.z"
            {Z_X_Z}
            [bodies.top]
            mass = "m"
            frame = "B"
            position = "l*B.z"
            torque = "0.3*B.z + 0.2*Q.x"
            inertia = {inertia}"#
        )
    };
    for (seen, hidden, drops_out) in [
        (r#"["A", "A", "C"]"#, r#"["A", "E", "C"]"#, true),
        (r#"["A", "A", "A"]"#, r#"["A", "E", "F"]"#, true),
        (r#"["A", "C", "A"]"#, r#"["A", "C", "E"]"#, false),
    ] {
        alike(&body(seen), &body(hidden), STATE);
        let round = model(&body(seen));
        let p = prepare(&round);
        let accel = |ps: f64| {
            let (t, q, v) = STATE;
            at(&p, t, &[q[0], q[1], ps], v).accel.expect("regular")
        };
        // Equal to the last bit only where the angle does not appear at all.
        assert_eq!(accel(0.3) == accel(1.9), drops_out, "{seen}");
    }
}

/// `F_i = f . d(r_C + at)/dq_i`, torques by the partial angular velocities N.z, Q.x, B.z.
#[test]
fn loads_against_generalised_forces() {
    // B.z = (sin ph sin th, -cos ph sin th, cos th); Q.x = (cos ph, sin ph, 0).
    let tip = |f: &str, g: &str, h: &str| {
        format!(
            "ph = \"2*l*(({f})*cos(ph)*sin(th) + ({g})*sin(ph)*sin(th))\"\n\
             th = \"2*l*(({f})*sin(ph)*cos(th) - ({g})*cos(ph)*cos(th) - ({h})*sin(th))\""
        )
    };
    let body = format!(
        r#"{TOP}
        {Z_X_Z}
        [bodies.top]
        mass = "m"
        frame = "B"
        position = "l*B.z"
        inertia = ["A", "A", "C"]"#
    );
    let free = TOP_ENERGY.replace("m*g*l*cos(th)", "0");
    let by_components = "ph = \"tx*0 + ty*0 + tz\"\nth = \"tx*cos(ph) + ty*sin(ph)\"\nps = \"tx*sin(ph)*sin(th) - ty*cos(ph)*sin(th) + tz*cos(th)\"";
    let torque = |x: &str, y: &str, z: &str| {
        let all = by_components.replace("tx", &format!("({x})"));
        all.replace("ty", &format!("({y})"))
            .replace("tz", &format!("({z})"))
    };
    let cases = [
        (
            "[[loads]]\nbody = \"top\"\nat = \"l*B.z\"\nforce = \"[0.3, t, -ph'*th]\"",
            tip("0.3", "t", "-ph'*th"),
        ),
        // Two halves at opposite offsets: together at the centre, r = l B.z.
        (
            "[[loads]]\nbody = \"top\"\nat = \"B.x\"\nforce = \"[0.3, t, 1]/2\"\n\
             [[loads]]\nbody = \"top\"\nat = \"-B.x\"\nforce = \"[0.3, t, 1]/2\"",
            tip("0.3/2", "t/2", "1/2"),
        ),
        ("force = \"[0.3, t, 1]\"", tip("0.3/2", "t/2", "1/2")),
        ("torque = \"[0.3, t, ps']\"", torque("0.3", "t", "ps'")),
        (
            "[[loads]]\nbody = \"top\"\ntorque = \"[0.3, t, ps']\"",
            torque("0.3", "t", "ps'"),
        ),
        (
            "[[loads]]\nbody = \"top\"\ntorque = \"0.7*B.z\"",
            "ph = \"0.7*cos(th)\"\nth = \"0\"\nps = \"0.7\"".to_owned(),
        ),
        // A load with a force and a torque, and friction of the spin.
        (
            "[[loads]]\nbody = \"top\"\nat = \"-pos(top)\"\nforce = \"[5, 6, 7]\"\ntorque = \"-0.2*omega(top)\"",
            "ph = \"-0.2*(ph' + ps'*cos(th))\"\nth = \"-0.2*th'\"\nps = \"-0.2*(ps' + ph'*cos(th))\""
                .to_owned(),
        ),
    ];
    for (load, forces) in cases {
        let energies = format!("{TOP}\n{free}\n[forces]\n{forces}");
        alike(&format!("{body}\n{load}"), &energies, STATE);
    }
}

/// Z-Y-X angles, products of inertia, a centre that moves: the matrix entries, not their negatives.
#[test]
fn products_of_inertia() {
    let coordinates = r#"coordinates = ["x", "y", "z", "ps", "th", "ph"]"#;
    let bodies = format!(
        r#"{coordinates}
        gravity = "[0, 1, -9.81]"
        [frames]
        Z = {{ parent = "N", angle = "ps", axis = "z" }}
        Y = {{ parent = "Z", angle = "th", axis = "y" }}
        X = {{ parent = "Y", angle = "ph", axis = "x" }}
        [bodies.b]
        mass = 1.7
        frame = "X"
        position = "[x, y, z]"
        inertia = {{ xx = 1.1, yy = 1.3, zz = 0.9, xy = 0.2, xz = -0.1, yz = 0.15 }}
        torque = "0.3*X.x"
        [constraints]
        knife = "dot(v(b), X.y) = 0"
        spin = "dot(omega(b), X.x) = t""#
    );
    let as_matrix = bodies.replace(
        "{ xx = 1.1, yy = 1.3, zz = 0.9, xy = 0.2, xz = -0.1, yz = 0.15 }",
        "[[1.1, 0.2, -0.1], [0.2, 1.3, 0.15], [-0.1, 0.15, 0.9]]",
    );
    let energies = format!(
        r#"{coordinates}
        [define]
        w1 = "ph' - ps'*sin(th)"
        w2 = "th'*cos(ph) + ps'*sin(ph)*cos(th)"
        w3 = "-th'*sin(ph) + ps'*cos(ph)*cos(th)"
        [energy]
        kinetic = "1.7/2*(x'^2 + y'^2 + z'^2) + 1/2*(1.1*w1^2 + 1.3*w2^2 + 0.9*w3^2) + 0.2*w1*w2 - 0.1*w1*w3 + 0.15*w2*w3"
        potential = "1.7*9.81*z - 1.7*y"
        [forces]
        ph = "0.3"
        ps = "-0.3*sin(th)"
        [constraints]
        knife = "x'*(cos(ps)*sin(th)*sin(ph) - sin(ps)*cos(ph)) + y'*(sin(ps)*sin(th)*sin(ph) + cos(ps)*cos(ph)) + z'*cos(th)*sin(ph) = 0"
        spin = "w1 = t""#
    );
    // X.y = (-0.3957.., 0.8733.., ..): y' and ph' from the two rows.
    let (ps, th, ph) = (0.5_f64, 0.3_f64, -0.6_f64);
    let along = [
        ps.cos() * th.sin() * ph.sin() - ps.sin() * ph.cos(),
        ps.sin() * th.sin() * ph.sin() + ps.cos() * ph.cos(),
        th.cos() * ph.sin(),
    ];
    let (t, dx, dz, dps) = (0.8, 0.7, -0.2, 1.4);
    let dy = -(dx * along[0] + dz * along[2]) / along[1];
    let q = [0.1, 0.2, 0.3, ps, th, ph];
    let v = [dx, dy, dz, dps, -0.9, t + dps * th.sin()];
    alike(&bodies, &energies, (t, &q, &v));
    alike(&as_matrix, &energies, (t, &q, &v));
}

/// An axis that is a vector, an angle that is a sum, a parent that turns with the time, two bodies in one
/// frame, one that does not turn.
#[test]
fn chains_of_frames() {
    let coordinates = "coordinates = [\"a\", \"b\", \"x\"]\nparameters = { Om = 0.7, l = 0.5 }";
    let bodies = format!(
        r#"{coordinates}
        [frames]
        W = {{ parent = "N", angle = "Om*t", axis = "z" }}
        B = {{ parent = "W", angle = "a + b", axis = "[1, 1, 1]" }}
        C = {{ parent = "N", angle = "2*b", axis = "[0, 0, -3]" }}
        [bodies.one]
        frame = "B"
        inertia = {{ xx = 1.1, yy = 1.3, zz = 0.9, xy = 0.2, xz = -0.1, yz = 0.15 }}
        [bodies.two]
        frame = "B"
        inertia = [0.3, 0.4, 0.5]
        [bodies.arm]
        mass = 2
        frame = "C"
        position = "x*W.x + l*C.y"
        inertia = [1, 1, 0.4]
        [bodies.sled]
        mass = 3
        frame = "N"
        position = "[x, 0, 0]"
        inertia = [9, 9, 9]
        [particles]
        P = {{ mass = 0.6, position = "pos(arm) + l*C.x" }}"#
    );
    // n = (1, 1, 1)/sqrt 3: omega in B is Om (N.z turned back about n by s = a + b) + s' n; C turns by
    // -2 b about N.z.
    let energies = format!(
        r#"{coordinates}
        [define]
        c = "cos(a + b)"
        s = "sin(a + b)"
        k = "(a' + b')/sqrt(3)"
        w1 = "Om*((1 - c)/3 - s/sqrt(3)) + k"
        w2 = "Om*((1 - c)/3 + s/sqrt(3)) + k"
        w3 = "Om*(c + (1 - c)/3) + k"
        centre = "[x*cos(Om*t) + l*sin(2*b), x*sin(Om*t) + l*cos(2*b), 0]"
        tip = "[x*cos(Om*t) + l*sin(2*b) + l*cos(2*b), x*sin(Om*t) + l*cos(2*b) - l*sin(2*b), 0]"
        [energy]
        kinetic = "1/2*(1.4*w1^2 + 1.7*w2^2 + 1.4*w3^2) + 0.2*w1*w2 - 0.1*w1*w3 + 0.15*w2*w3 + dot(centre', centre') + 1/2*0.4*4*b'^2 + 3/2*x'^2 + 0.3*dot(tip', tip')""#
    );
    alike(&bodies, &energies, STATE);
}

/// Components of omega as motion variables, every formalism, Kane's among them; Euler's equations.
#[test]
fn motion_variables_of_a_body() {
    let text = format!(
        r#"{TOP}
        {Z_X_Z}
        [bodies.top]
        frame = "B"
        inertia = ["A", 0.25, "C"]
        [motion]
        variables = ["u1", "u2", "u3"]
        equations = ["u1 = dot(omega(top), B.x)", "u2 = dot(omega(top), B.y)", "u3 = dot(omega(top), B.z)"]"#
    );
    let model = model(&text);
    let p = prepare(&model);
    let (t, q, v) = STATE;
    let values = at(&p, t, q, v);
    let (th, ps) = (q[1], q[2]);
    let u = [
        v[0] * th.sin() * ps.sin() + v[1] * ps.cos(),
        v[0] * th.sin() * ps.cos() - v[1] * ps.sin(),
        v[0] * th.cos() + v[2],
    ];
    let (a, b, c) = (0.2, 0.25, 0.15);
    let rates = [
        (b - c) * u[1] * u[2] / a,
        (c - a) * u[2] * u[0] / b,
        (a - b) * u[0] * u[1] / c,
    ];
    let kane = common::forms::found(&values, "kane");
    close("u", &kane.u, &u, 1e-13);
    close("u'", &kane.rates, &rates, 1e-12);
    for (id, form) in &values.forms {
        if let FormValues::Values { accel, .. } = form {
            close(id, accel, values.accel.as_ref().expect("regular"), 1e-12);
        }
    }
}

/// What claims may say of bodies, held against one another along a motion.
#[test]
fn claims_speak_of_bodies() {
    let text = r#"coordinates = ["x", "y", "z", "ps", "th", "ph"]
        gravity = "-g*N.z"
        [parameters]
        m = 2
        r = 0.5
        g = 9.81
        [frames]
        A = { parent = "N", angle = "ps", axis = "z" }
        B = { parent = "A", angle = "th", axis = "x" }
        C = { parent = "B", angle = "ph", axis = "y" }
        [points]
        rim = "pos(disc) + r*C.x"
        [define]
        L = "vec(C, m*r^2/4*dot(omega(disc), C.x), m*r^2/2*dot(omega(disc), C.y), m*r^2/4*dot(omega(disc), C.z))"
        [bodies.disc]
        mass = "m"
        frame = "C"
        position = "[x, y, z]"
        inertia = ["m*r^2/4", "m*r^2/2", "m*r^2/4"]
        [constraints]
        touch = "z = r*cos(th)"
        no_slip = "v(disc, -r*B.z) = 0"
        [initial]
        state = ["th = 0.3", "dot(omega(disc), C.y) = 6", "dot(omega(disc), N.z) = 0.7", "th' = -0.1"]
        [simulate]
        until = 1
        [claims]
        newton_x = { equation = "dot(R(disc), N.x) = m*dot(a(disc), N.x)" }
        newton_z = { equation = "dot(R(disc), N.z) = m*dot(a(disc), N.z) + m*g" }
        euler_x = { equation = "dot(torque_R(disc), N.x) = dot(L, N.x)'" }
        euler_y = { equation = "dot(torque_R(disc), N.y) = dot(L, N.y)'" }
        euler_z = { equation = "dot(torque_R(disc), N.z) = dot(L, N.z)'" }
        moment = { equation = "dot(torque_R(disc), A.y) = dot(cross(-r*B.z, R(disc)), A.y)" }
        alpha = { equation = "dot(alpha(disc), N.x) = dot(omega(disc), N.x)'" }
        frames = { equation = "dot(alpha(C), A.y) = dot(alpha(disc), A.y)" }
        lean = { equation = "dot(omega(B), B.x) = th'" }
        rim = { equation = "norm(v(rim) - v(disc) - cross(omega(disc), r*C.x)) = 0" }
        rigid = { equation = "norm(v(disc, r*C.x) - v(rim)) = 0" }
        matter = { equation = "norm(a(rim) - a(disc) - cross(alpha(disc), r*C.x) - cross(omega(disc), cross(omega(disc), r*C.x))) = 0" }
        kinetic = { equation = "T = 1/2*m*dot(v(disc), v(disc)) + 1/2*dot(omega(disc), L)" }
        potential = { equation = "V = m*g*z" }
        spin = { always = "dot(omega(disc), N.z) > 0" }
        wrong = { equation = "dot(R(disc), N.z) = m*g", refuted = true }
        energy = { constant = "T + V" }"#;
    let model = model(text);
    let p = prepare(&model);
    let run = motion(&p, &until(1.0));
    assert_eq!(run.claims.len(), 17);
    for claim in &run.claims {
        assert_eq!(claim.holds, Some(true), "{claim:?}");
    }
    // The given components of omega at the start.
    let start = &run.trajectory.samples[0].y;
    let (th, dps, dth, dph) = (start[4], start[9], start[10], start[11]);
    close("start", &[dps + dph * th.sin()], &[0.7], 1e-13);
    close("start", &[dph + dps * th.sin(), dth], &[6.0, -0.1], 1e-13);
}

/// `-p` reaches the inertias, which stay those of a body.
#[test]
fn overridden_parameters_are_held_against_the_inertias() {
    let text = format!(
        r#"{TOP}
        {Z_X_Z}
        [bodies.top]
        frame = "B"
        inertia = ["A", "A", "C"]"#
    );
    let model = model(&text);
    let refusal = |text: &str| {
        let given = [appell::parse_override(text).expect("an override")];
        appell::Prepared::new(&model, &given, &[])
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(refusal("C = 0.4"), None);
    let why = refusal("C = 0.41").expect("a flat body has C = 2 A at most");
    assert!(
        why.contains("`top` violates the triangle inequality"),
        "{why}"
    );
    let why = refusal("A = -0.2").expect("negative moments");
    assert!(why.contains("is not positive"), "{why}");
}

/// One quaternion that turns two frames has one norm: its row does not depend on another. Another quaternion has its own.
#[test]
fn a_quaternion_has_one_norm() {
    let rows = |second: &str| {
        let text = format!(
            r#"coordinates = ["e0", "e1", "e2", "e3", "f0", "f1", "f2", "f3"]
            [frames]
            A = {{ parent = "N", quaternion = ["e0", "e1", "e2", "e3"] }}
            B = {{ parent = "A", quaternion = {second} }}
            C = {{ parent = "A", quaternion = ["f0", "f1", "f2", "f3"] }}
            [bodies]
            a = {{ frame = "A", inertia = [1, 2, 2.5] }}
            b = {{ frame = "B", inertia = [1, 2, 2.5] }}
            c = {{ frame = "C", inertia = [1, 2, 2.5] }}"#
        );
        let names = model(&text).constraints.into_iter().map(|c| c.name);
        names.collect::<Vec<_>>()
    };
    assert_eq!(rows(r#"["e0", "e1", "e2", "e3"]"#), ["unit_A", "unit_C"]);
    assert_eq!(rows(r#"["e1", "e0", "e3", "e2"]"#), ["unit_A", "unit_C"]);
    assert_eq!(rows(r#"["f0", "f1", "f2", "f3"]"#), ["unit_A", "unit_B"]);
}

/// The norm row of a quaternion: a start off it is refused by name, or corrected where the file allows.
#[test]
fn quaternions_start_with_unit_norm() {
    let text = |rule: &str| {
        format!(
            r#"coordinates = ["e0", "e1", "e2", "e3"]
            [frames]
            B = {{ parent = "N", quaternion = ["e0", "e1", "e2", "e3"] }}
            [bodies.b]
            frame = "B"
            inertia = [1, 2, 2.5]
            [initial]
            {rule}
            state = ["e0 = 1", "e1 = 0.5", "e2 = 0", "e3 = 0", "dot(omega(b), N.z) = 0.7"]"#
        )
    };
    let model_of = |rule: &str| model(&text(rule));
    let refused = model_of("");
    let error = appell::check(&prepare(&refused), None).1.expect("refused");
    let said = common::words(&prepare(&refused), error);
    assert!(
        said.contains("`unit_B`, e0^2 + e1^2 + e2^2 + e3^2 = 1: the residual is 2.5e-1"),
        "{said}"
    );
    assert!(said.contains("inconsistent = \"project\""), "{said}");
    let corrected = model_of("inconsistent = \"project\"");
    let (check, error) = appell::check(&prepare(&corrected), None);
    assert!(error.is_none());
    let start = check.initial.expect("a start").start;
    let root = 1.25_f64.sqrt();
    assert!(start.projected && start.residual_before > 0.1, "{start:?}");
    close("e", &start.q, &[1.0 / root, 0.5 / root, 0.0, 0.0], 1e-14);
    // The corrected start is the rotation by 2 atan 0.5 about x, and omega is as given.
    let (e, v) = (&start.q, &start.v);
    let spin = 2.0 * (e[0] * v[3] - e[3] * v[0] + e[1] * v[2] - e[2] * v[1]);
    close("omega_z", &[spin], &[0.7], 1e-13);
    // Nothing given: no rotation.
    let alone = model(&text("").replace("\"e0 = 1\", \"e1 = 0.5\", \"e2 = 0\", \"e3 = 0\", ", ""));
    let start = appell::check(&prepare(&alone), None)
        .0
        .initial
        .expect("a start")
        .start;
    close("e", &start.q, &[1.0, 0.0, 0.0, 0.0], 0.0);
    close("v", &start.v, &[0.0, 0.0, 0.0, 0.35], 1e-14);
}

/// Definitions may stand in inertias wherever they stand in the file and whatever else is defined.
#[test]
fn inertias_are_made_of_definitions() {
    let text = r#"coordinates = ["th"]
        [define]
        e = "T + V"
        J = "m*k^2"
        k = "r/2"
        [parameters]
        m = 2
        r = 0.5
        [frames]
        B = { parent = "N", angle = "th", axis = "z" }
        [bodies.b]
        frame = "B"
        inertia = [0, 0, "J"]
        [claims]
        c = { constant = "e" }"#;
    let model = model(text);
    let values = at(&prepare(&model), 0.0, &[0.3], &[2.0]);
    close("E", &[values.energy.expect("E")], &[0.25], 1e-15);
}

/// A point force has a place and a couple, a couple has no place, a particle needs neither.
#[test]
fn samples_hold_the_vectors_of_constraint_forces() {
    let text = r#"coordinates = ["x", "y", "a", "b"]
        [frames]
        A = { parent = "N", angle = "a", axis = "z" }
        B = { parent = "A", angle = "b", axis = "x" }
        [particles]
        P = { mass = 1, position = "[x, 0, 0]" }
        [bodies.rod]
        mass = 2
        frame = "A"
        position = "[x, y, 0]"
        inertia = [1, 1, 1]
        [bodies.rotor]
        frame = "B"
        inertia = [1, 1, 1]
        [constraints]
        edge = "dot(v(rod, A.x), A.y) = 0"
        spins = "dot(omega(rod), omega(rotor)) = 1"
        drive = "dot(v(P), N.x) = 1"
        [initial]
        state = ["x' = 1", "a' = 1", "b' = 0.5"]"#;
    let model = model(text);
    let run = motion(&prepare(&model), &until(0.1));
    let vectors = run.table.columns.iter().filter(|c| c.ends_with("].x"));
    let vectors: Vec<&str> = vectors.map(String::as_str).collect();
    let wanted = [
        "R[edge on rod].x",
        "R[drive on P].x",
        "torque[edge on rod].x",
        "torque[spins on rod].x",
        "torque[spins on rotor].x",
        "at[edge on rod].x",
    ];
    assert_eq!(vectors, wanted);
    // The point of `v(rod, A.x)`, and the pushing of P, which carries the rod along: x'' = 0.
    let last = run.table.rows.last().expect("a sample");
    let of = |name: &str| common::last(&run, name);
    assert_eq!(last.len(), run.table.columns.len());
    close(
        "at",
        &[of("at[edge on rod].x")],
        &[of("x") + of("a").cos()],
        1e-12,
    );
    close(
        "at",
        &[of("at[edge on rod].y")],
        &[of("y") + of("a").sin()],
        1e-12,
    );
    let along = of("R[edge on rod].x") * of("a").cos() + of("R[edge on rod].y") * of("a").sin();
    close("across the edge", &[along], &[0.0], 1e-12);
}

/// Where two axes of Euler's angles are parallel the angles are to blame, where nothing has a mass the
/// model is.
#[test]
fn singular_energies_are_told_from_singular_angles() {
    let body = |inertia: &str| {
        format!(
            "{TOP}\n{Z_X_Z}\n[bodies.top]\nframe = \"B\"\ninertia = {inertia}\n[simulate]\nuntil = 1"
        )
    };
    let refusal = |inertia: &str| {
        let model = model(&body(inertia));
        let p = prepare(&model);
        let error = appell::run(&p, &until(1.0), &mut Default::default()).err();
        common::words(&p, error.expect("refused"))
    };
    let angles = refusal("[\"A\", \"A\", \"C\"]");
    assert!(angles.contains("singular in `ph'`, `ps'`"), "{angles}");
    assert!(
        angles.contains("start elsewhere, or take other angles or a quaternion"),
        "{angles}"
    );
    let massless = refusal("[0, 0, 0]");
    assert!(
        massless.contains("singular in `ph'`, `th'`, `ps'`"),
        "{massless}"
    );
    assert!(
        massless.contains("give it a mass or a moment of inertia"),
        "{massless}"
    );
}

/// Euler's equations in quaternions, with `2 J0 (e.e')^2` so that Hamilton's form applies too: in every
/// formalism the norm row carries nothing, since nothing depends on the length of `e`.
#[test]
fn the_norm_row_carries_nothing_in_any_formalism() {
    let text = r#"coordinates = ["e0", "e1", "e2", "e3"]
        [frames]
        B = { parent = "N", quaternion = ["e0", "e1", "e2", "e3"] }
        [bodies.b]
        frame = "B"
        inertia = [1.1, 2.3, 3.1]
        [energy]
        kinetic = "2*0.7*(e0*e0' + e1*e1' + e2*e2' + e3*e3')^2""#;
    let model = model(text);
    let (e, w) = ([0.5, -0.5, 0.1, 0.7], [0.4, 1.2, -0.3]);
    let half = |w: [f64; 3]| {
        [
            -e[1] * w[0] - e[2] * w[1] - e[3] * w[2],
            e[0] * w[0] - e[3] * w[1] + e[2] * w[2],
            e[3] * w[0] + e[0] * w[1] - e[1] * w[2],
            -e[2] * w[0] + e[1] * w[1] + e[0] * w[2],
        ]
        .map(|x| x / 2.0)
    };
    // I w' = -w x I w, e'' = 1/2 E^T w' - |e'|^2 e.
    let rate = [
        (2.3 - 3.1) * w[1] * w[2] / 1.1,
        (3.1 - 1.1) * w[2] * w[0] / 2.3,
        (1.1 - 2.3) * w[0] * w[1] / 3.1,
    ];
    let (v, turning) = (half(w), half(rate));
    let square: f64 = v.iter().map(|x| x * x).sum();
    let accel: Vec<f64> = (0..4).map(|i| turning[i] - square * e[i]).collect();
    let forms = ["multipliers", "hamilton", "boltzmann-hamel", "kane"];
    let expected = (&accel[..], &[0.0][..], &[0.0; 4][..]);
    moves_with(&prepare(&model), (0.0, &e, &v), &forms, expected);
}

/// An axis in parameters that is the null vector with their values is an error, in the file and of an override.
#[test]
fn a_frame_needs_an_axis_with_the_values_of_parameters() {
    let with = |k: &str| {
        format!(
            "appell = 1\ncoordinates = [\"a\"]\n[parameters]\nk = {k}\n[frames]\nA = {{ angle = \"a\", axis = \"[k, 2*k, 0]\" }}\n\
             [bodies.b]\nmass = 1\nframe = \"A\"\nposition = \"A.x + A.z\"\ninertia = [1, 1, 1]\n"
        )
    };
    let errors = appell::read("test.toml", &with("0")).expect_err("no axis");
    assert!(
        errors[0]
            .message
            .contains("the axis of `A` is the null vector"),
        "{errors:?}"
    );
    let model = model(with("1").trim_start_matches("appell = 1\n"));
    let given = [appell::parse_override("k=0").expect("an override")];
    let error = appell::Prepared::new(&model, &given, &[])
        .err()
        .expect("no axis");
    assert!(
        error
            .to_string()
            .contains("the axis of `A` is the null vector"),
        "{error}"
    );
    assert!(appell::Prepared::new(&model, &[], &[]).is_ok());
    // An angle may be undefined at some places.
    let angle = with("1").replace("angle = \"a\"", "angle = \"asin(2*k*a)\"");
    assert!(appell::read("test.toml", &angle).is_ok(), "{angle}");
}
