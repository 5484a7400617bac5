//! Systems with and without constraints against hand-derived equations: mass matrices,
//! potentials, moving frames, energies.

use crate::common::{
    ALL, IMPLICIT, at, close, column, last, model, motions, moves_with, prepare, until,
};
use appell::Status;

/// Polar coordinates without constraints: r'' = r th'^2 - K/(m r^2), th'' = -2 r' th'/r.
#[test]
fn no_rows_central_force_in_polar_coordinates() {
    let model = model(
        r#"coordinates = ["r", "th"]
        parameters = { m = 1.3, K = 2.1 }
        [energy]
        kinetic = "m/2*(r'^2 + r^2*th'^2)"
        potential = "-K/r""#,
    );
    let (r, th, dr, dth) = (0.8, 0.3, -0.4, 1.7);
    let accel = [r * dth * dth - 2.1 / (1.3 * r * r), -2.0 * dr * dth / r];
    let state = (0.2, &[r, th][..], &[dr, dth][..]);
    let values = moves_with(
        &prepare(&model),
        state,
        IMPLICIT,
        (&accel, &[], &[0.0, 0.0]),
    );
    assert_eq!((values.status, values.rank), (Status::Regular, Some(0)));
    assert!(values.forces.is_empty());
    let energy = 1.3 / 2.0 * (dr * dr + r * r * dth * dth) - 2.1 / r;
    close("E", &[values.energy.expect("E")], &[energy], 1e-14);
    close("E'", &[values.energy_rate.expect("E'")], &[0.0], 1e-14);
}

/// As many rows as coordinates: x' = cos t, y' = x. Nothing is left to the forces:
/// R = M q'' - F, and the motion is x = sin t, y = 1 - cos t.
#[test]
fn no_freedom_left() {
    let model = model(
        r#"coordinates = ["x", "y"]
        [parameters]
        m = 2
        [particles]
        P = { mass = "m", position = "[x, y, 0]", force = "-3*v(P)" }
        [constraints]
        a = "x' = cos(t)"
        b = "y' = x"
        [initial]
        state = ["x = 0", "y = 0"]"#,
    );
    let p = prepare(&model);
    let (t, q) = (0.4_f64, [0.7, -0.2]);
    let v = [t.cos(), q[0]];
    let accel = [-t.sin(), v[0]];
    let reaction = [0, 1].map(|i| 2.0 * accel[i] + 3.0 * v[i]);
    moves_with(&p, (t, &q, &v), IMPLICIT, (&accel, &reaction, &reaction));
    for run in motions(&p, &until(3.0)) {
        assert_eq!(run.freedoms, 0);
        let end = [last(&run, "x"), last(&run, "y")];
        close("end", &end, &[3.0_f64.sin(), 1.0 - 3.0_f64.cos()], 1e-10);
    }
}

const HOOP: &str = "[parameters]\nm = 1.2\nR = 0.9\ng = 9.81\nw = 3.1\n";

/// A bead on a hoop (radius R) that turns about the vertical at the rate w, three ways. By hand
/// th'' = (w^2 cos th - g/R) sin th; the drive does the work m w d/dt(R^2 sin(th)^2) w.
#[test]
fn bead_on_a_rotating_hoop() {
    let (m, radius, g, w) = (1.2, 0.9, 9.81, 3.1_f64);
    let (t, th, dth) = (0.7_f64, 1.1_f64, 0.6);
    let (s, c) = th.sin_cos();
    let ddth = (w * w * c - g / radius) * s;

    let by_particle = model(&format!(
        r#"coordinates = ["th"]
        gravity = "-g*N.z"
        {HOOP}
        [particles]
        P = {{ mass = "m", position = "R*[sin(th)*cos(w*t), sin(th)*sin(w*t), -cos(th)]" }}"#
    ));
    let by_lagrangian = model(&format!(
        "coordinates = [\"th\"]\n{HOOP}[energy]\n\
         lagrangian = \"m/2*R^2*(th'^2 + w^2*sin(th)^2) + m*g*R*cos(th)\""
    ));
    for model in [&by_particle, &by_lagrangian] {
        let state = (t, &[th][..], &[dth][..]);
        let values = moves_with(&prepare(model), state, IMPLICIT, (&[ddth], &[], &[0.0]));
        // E = T2 - T0 + V is conserved, T + V is not.
        let energy = m / 2.0 * radius * radius * (dth * dth - w * w * s * s) - m * g * radius * c;
        close("E", &[values.energy.expect("E")], &[energy], 1e-13);
        close("E'", &[values.energy_rate.expect("E'")], &[0.0], 1e-12);
    }

    let by_rows = model(&format!(
        r#"coordinates = ["x", "y", "z"]
        gravity = "-g*N.z"
        {HOOP}
        [particles]
        P = {{ mass = "m", position = "[x, y, z]" }}
        [constraints]
        sphere = "x^2 + y^2 + z^2 = R^2"
        plane  = "x*sin(w*t) = y*cos(w*t)""#
    ));
    let (sw, cw) = (w * t).sin_cos();
    // Along the turning horizontal direction e and across it: rho = R sin th.
    let (rho, drho, ddrho) = (
        radius * s,
        radius * c * dth,
        radius * (c * ddth - s * dth * dth),
    );
    let q = [rho * cw, rho * sw, -radius * c];
    let v = [
        drho * cw - rho * w * sw,
        drho * sw + rho * w * cw,
        radius * s * dth,
    ];
    let (along, across) = (ddrho - w * w * rho, 2.0 * w * drho);
    let accel = [
        along * cw - across * sw,
        along * sw + across * cw,
        radius * (c * dth * dth + s * ddth),
    ];
    let reaction = [m * accel[0], m * accel[1], m * (accel[2] + g)];
    let values = at(&prepare(&by_rows), t, &q, &v);
    close("accel", values.accel.as_ref().expect("a"), &accel, 1e-12);
    close("R", values.reaction.as_ref().expect("R"), &reaction, 1e-12);
    let drive = m * w * w * 2.0 * radius * radius * s * c * dth;
    let rates = [values.energy_rate, values.reaction_power].map(|x| x.expect("a rate"));
    close("power", &rates, &[drive, drive], 1e-12);
}

/// L with linear and constant terms in v, and explicit time: a frame turning at w(t) = w0 + b t.
/// By hand: q'' = -k/m q + w^2 q + Coriolis + Euler, dE/dt from the accelerations.
#[test]
fn turning_frame_with_growing_rate() {
    let model = model(
        r#"coordinates = ["x", "y"]
        parameters = { m = 1.4, k = 0.9, w0 = 0.7, b = 0.3 }
        define = { w = "w0 + b*t" }
        [energy]
        kinetic = "m/2*((x' - w*y)^2 + (y' + w*x)^2)"
        potential = "k/2*(x^2 + y^2)""#,
    );
    let (m, k, b, t) = (1.4, 0.9, 0.3, 1.9);
    let w = 0.7 + b * t;
    let (x, y, dx, dy) = (0.5, -0.8, 1.1, 0.4);
    let ddx = (w * w - k / m) * x + 2.0 * w * dy + b * y;
    let ddy = (w * w - k / m) * y - 2.0 * w * dx - b * x;
    let state = (t, &[x, y][..], &[dx, dy][..]);
    let p = prepare(&model);
    let values = moves_with(&p, state, IMPLICIT, (&[ddx, ddy], &[], &[0.0, 0.0]));
    // E = m/2 (v^2 - w^2 q^2) + k/2 q^2.
    let rate = m * (dx * ddx + dy * ddy) + (k - m * w * w) * (x * dx + y * dy)
        - m * w * b * (x * x + y * y);
    close("E'", &[values.energy_rate.expect("E'")], &[rate], 1e-13);
}

/// A magnetic term V = -c/2 (x y' - y x') under the row z' = y x': with D = 1 + y^2 the reaction
/// is lambda = (m x'y' + c y y')/D by hand, and E = m/2 v^2 holds no magnetic part.
#[test]
fn velocity_dependent_potential() {
    let model = model(
        r#"coordinates = ["x", "y", "z"]
        parameters = { m = 1.5, c = 2.2 }
        [energy]
        kinetic = "m/2*(x'^2 + y'^2 + z'^2)"
        potential = "-c/2*(x*y' - y*x')"
        [constraints]
        slope = "z' = y*x'"
        [motion]
        variables = ["z1", "z2"]
        equations = ["x' = z1", "y' = z2", "z' = y*z1"]
        [initial]
        state = ["x = 0", "y = 0.3", "z = 0", "z1 = 1", "z2 = -0.6"]"#,
    );
    let p = prepare(&model);
    let (m, c, y, dx, dy) = (1.5, 2.2, 0.6, -0.7, 0.9);
    let lambda = (m * dx * dy + c * y * dy) / (1.0 + y * y);
    let accel = [(c * dy - y * lambda) / m, -c * dx / m, lambda / m];
    let state = (0.0, &[0.1, y, 0.2][..], &[dx, dy, y * dx][..]);
    let reaction = [-y * lambda, 0.0, lambda];
    let values = moves_with(&p, state, ALL, (&accel, &[lambda], &reaction));
    let energy = m / 2.0 * (dx * dx * (1.0 + y * y) + dy * dy);
    close("E", &[values.energy.expect("E")], &[energy], 1e-14);
    for run in motions(&p, &until(5.0)) {
        let energies = column(&run, "E");
        close("E", &energies, &vec![energies[0]; energies.len()], 1e-10);
    }
}

/// A relativistic particle, L = -m c^2 sqrt(1 - v^2/c^2), pushed by F, on the row y' = x x'.
/// M = g m (1 + g^2 v v^T/c^2), so M^-1 = (1 - v v^T/c^2)/(g m) (Sherman and Morrison).
#[test]
fn mass_that_depends_on_velocity() {
    let model = model(
        r#"coordinates = ["x", "y"]
        parameters = { m = 1.1, c = 2, f = 0.4 }
        [energy]
        lagrangian = "-m*c^2*sqrt(1 - (x'^2 + y'^2)/c^2)"
        [forces]
        x = "f"
        [constraints]
        row = "y' = x*x'"
        [motion]
        variables = ["u"]
        equations = ["x' = u", "y' = x*u"]"#,
    );
    let (m, c, x, dx) = (1.1, 2.0_f64, 0.7, 0.9);
    let v = [dx, x * dx];
    let gamma = (1.0 - (v[0] * v[0] + v[1] * v[1]) / (c * c)).sqrt().recip();
    let inverse = |f: [f64; 2]| {
        let along = (v[0] * f[0] + v[1] * f[1]) / (c * c);
        [0, 1].map(|i| (f[i] - v[i] * along) / (gamma * m))
    };
    let a = [-x, 1.0];
    let free = inverse([0.4, 0.0]);
    let unit = inverse(a);
    let lambda = (dx * dx - a[0] * free[0] - a[1] * free[1]) / (a[0] * unit[0] + a[1] * unit[1]);
    let accel = [0, 1].map(|i| free[i] + lambda * unit[i]);
    let state = (0.0, &[x, 0.3][..], &v[..]);
    let reaction = [a[0] * lambda, a[1] * lambda];
    let values = moves_with(&prepare(&model), state, ALL, (&accel, &[lambda], &reaction));
    close(
        "E",
        &[values.energy.expect("E")],
        &[gamma * m * c * c],
        1e-14,
    );
    close("E'", &[values.energy_rate.expect("E'")], &[0.4 * dx], 1e-13);
}

/// Two particles and [energy] add: a cart with an oblique gravity, a rotor on it, a spring.
/// (m1 + m2 + J) x'' = (m1 + m2) gx - k x ; m2 y'' = m2 gy.
#[test]
fn particles_energy_and_gravity_add() {
    let model = model(
        r#"coordinates = ["x", "y"]
        gravity = "[g/2, -g, 7]"
        parameters = { m1 = 1.5, m2 = 0.5, J = 0.8, k = 3, g = 9.81 }
        [particles]
        A = { mass = "m1", position = "[x, 0, 0]" }
        B = { mass = "m2", position = "[x, y, 0]", force = "-2*v(A) + [0, 0, 5]" }
        [energy]
        kinetic = "J/2*x'^2"
        potential = "k/2*x^2"
        [forces]
        y = "-4*y'""#,
    );
    let (x, dx, dy) = (0.3, 1.2, -0.7);
    let ddx = (2.0 * 9.81 / 2.0 - 3.0 * x - 2.0 * dx) / 2.8;
    let ddy = -9.81 - 4.0 * dy / 0.5;
    let p = prepare(&model);
    let state = (0.0, &[x, 0.4][..], &[dx, dy][..]);
    let values = moves_with(&p, state, IMPLICIT, (&[ddx, ddy], &[], &[0.0, 0.0]));
    let rate = -2.0 * dx * dx - 4.0 * dy * dy;
    close("E'", &[values.energy_rate.expect("E'")], &[rate], 1e-13);
}

/// A pendulum whose pivot Q is shaken, b cos(w t): l th'' = -g sin th + b w^2 cos(w t) cos th.
/// Definitions stand in the wrong order on purpose, vectors among them.
#[test]
fn points_that_depend_on_time_and_definitions_in_any_order() {
    let model = model(
        r#"coordinates = ["th"]
        gravity = "-g*N.y"
        [define]
        rod = "l*unitary"
        unitary = "[sin(th), -cos(th), 0]"
        shake = "b*phase"
        phase = "cos(w*t)"
        [parameters]
        m = 0.7
        g = 9.81
        l = "2*b"
        b = 0.4
        w = 1.3
        [points]
        Q = "[shake, 0, 0]"
        [particles]
        P = { mass = "m", position = "pos(Q) + rod" }"#,
    );
    let (t, th) = (0.9_f64, 0.8_f64);
    let (b, w, l) = (0.4, 1.3, 0.8);
    let ddth = (-9.81 * th.sin() + b * w * w * (w * t).cos() * th.cos()) / l;
    let state = (t, &[th][..], &[0.5][..]);
    moves_with(&prepare(&model), state, IMPLICIT, (&[ddth], &[], &[0.0]));
}

/// Null coordinates u = x - s, w = x + s turn x'^2 - s'^2 into u'w': M with a zero diagonal.
/// The row s' = k y x' gives lambda = k x'y'/(k^2 y^2 - 1) by hand.
#[test]
fn indefinite_metric_in_two_charts() {
    let (k, y, dx, dy) = (0.6, 0.9, 0.8, -1.1);
    let lambda = k * dx * dy / (k * k * y * y - 1.0);
    let ds = k * y * dx;
    let accel = [-k * y * lambda, 0.0, -lambda];
    let plain = model(
        r#"coordinates = ["x", "y", "s"]
        parameters = { k = 0.6 }
        [energy]
        kinetic = "1/2*(x'^2 + y'^2 - s'^2)"
        [constraints]
        row = "s' = k*y*x'"
        [motion]
        variables = ["z1", "z2"]
        equations = ["x' = z1", "y' = z2", "s' = k*y*z1"]"#,
    );
    let reaction = [-k * y * lambda, 0.0, lambda];
    let state = (0.0, &[0.2, y, 0.1][..], &[dx, dy, ds][..]);
    moves_with(&prepare(&plain), state, ALL, (&accel, &[lambda], &reaction));

    let null = model(
        r#"coordinates = ["u", "y", "w"]
        parameters = { k = 0.6 }
        [energy]
        kinetic = "1/2*(u'*w' + y'^2)"
        [constraints]
        row = "(w' - u')/2 = k*y*(w' + u')/2""#,
    );
    let (u, w) = (dx - ds, dx + ds);
    let accel = [accel[0] - accel[2], 0.0, accel[0] + accel[2]];
    let reaction = [
        lambda * (-1.0 - k * y) / 2.0,
        0.0,
        lambda * (1.0 - k * y) / 2.0,
    ];
    let state = (0.0, &[0.1, y, 0.3][..], &[u, dy, w][..]);
    let p = prepare(&null);
    moves_with(&p, state, IMPLICIT, (&accel, &[lambda], &reaction));
    // Where k y = 1 the row's covector is null: A M^-1 A^T = 0 though A is not.
    let values = at(&p, 0.0, &[0.1, 1.0 / k, 0.3], &[0.0, dy, 2.0 * dx]);
    assert_eq!(values.status, Status::Singular, "{values:?}");
    assert!(values.accel.is_none() && values.why.is_some());
}

/// A massless end s of a spring, led by s' = c x': lambda = -k (x - s) balances the spring, so
/// m x'' = (c - 1) k (x - s).
#[test]
fn massless_coordinate() {
    let model = model(
        r#"coordinates = ["x", "s"]
        parameters = { m = 1.7, k = 2.5, c = 0.4 }
        [energy]
        kinetic = "m/2*x'^2"
        potential = "k/2*(x - s)^2"
        [constraints]
        lead = "s' = c*x'""#,
    );
    let (x, s, dx) = (0.9, -0.2, 0.5);
    let spring = 2.5 * (x - s);
    let ddx = (0.4 - 1.0) * spring / 1.7;
    let state = (0.0, &[x, s][..], &[dx, 0.4 * dx][..]);
    let reaction = [0.4 * spring, -spring];
    let expected = (&[ddx, 0.4 * ddx][..], &[-spring][..], &reaction[..]);
    moves_with(&prepare(&model), state, IMPLICIT, expected);
}

/// z' = a s + b with s = |(x', y')|, mass m under gravity. By hand lambda = m g/(1 + a^2),
/// alphabar - alpha = -b, E* = m/2 (1 + a^2) s^2 - m b^2/2 + m g z, dE/dt = lambda b, and
/// dE*/dt = dE/dt - b m z'' = b m g. The power also is (alpha - alphabar)(m z'' + m g).
#[test]
fn energy_star_on_an_affine_cone() {
    let model = model(
        r#"coordinates = ["x", "y", "z"]
        gravity = "-g*N.z"
        parameters = { m = 1.3, g = 9.81, a = 0.8, b = 0.6 }
        [particles]
        P = { mass = "m", position = "[x, y, z]" }
        [constraints]
        climb = "z' = a*sqrt(x'^2 + y'^2) + b"
        [motion]
        independent = ["x'", "y'"]"#,
    );
    let (m, g, a, b) = (1.3, 9.81, 0.8, 0.6);
    let (dx, dy, z) = (1.2_f64, -0.5_f64, 0.4);
    let s = dx.hypot(dy);
    let lambda = m * g / (1.0 + a * a);
    let accel = [
        -a * dx / s * lambda / m,
        -a * dy / s * lambda / m,
        lambda / m - g,
    ];
    let reaction = [-a * dx / s * lambda, -a * dy / s * lambda, lambda];
    let state = (0.0, &[0.0, 0.0, z][..], &[dx, dy, a * s + b][..]);
    let p = prepare(&model);
    let values = moves_with(&p, state, IMPLICIT, (&accel, &[lambda], &reaction));
    close(
        "gap",
        values.alphabar_minus_alpha.as_ref().expect("gap"),
        &[-b],
        1e-14,
    );
    let star = m / 2.0 * ((1.0 + a * a) * s * s - b * b) + m * g * z;
    let found = [
        values.energy_star,
        values.energy_star_rate,
        values.energy_rate,
        values.reaction_power,
    ];
    let wanted = [star, b * m * g, lambda * b, b * (m * accel[2] + m * g)];
    close(
        "energies",
        &found.map(|x| x.expect("a value")),
        &wanted,
        1e-12,
    );
}
