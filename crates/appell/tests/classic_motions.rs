//! The classic motions of `reference/closed-forms.json` that are written in coordinates: samples,
//! closed forms, invariants.

use crate::common::closed::{
    SAMPLES, at_time, classic, columns, constant, equations, from_gallery, overrides, sampled,
    samples,
};
use crate::common::reference::numbers;
use crate::common::{self, at, close, column, last, model, motion, prepare};
use appell::{Prepared, RunOptions};
use serde_json::Value;

/// The names of coordinates and velocities, in the file's order.
fn names(coordinates: &[&str]) -> Vec<String> {
    let velocities = coordinates.iter().map(|x| format!("{x}'"));
    let positions = coordinates.iter().map(|x| (*x).to_owned());
    positions.chain(velocities).collect()
}

/// The motion of an entry from its start: accelerations and multipliers there, then every sample.
/// `step` divides the sampled times.
#[track_caller]
fn follows(p: &Prepared<'_>, entry: &Value, coordinates: &[&str], (until, step): (f64, f64)) {
    let start = numbers(&entry["initial_state"]);
    let (q, v) = start.split_at(coordinates.len());
    let values = at(p, 0.0, q, v);
    let found = values.accel.expect("it moves");
    close("accel", &found, &numbers(&entry["accelerations_t0"]), 1e-12);
    let found = values.lambda.expect("it moves");
    close("lambda", &found, &numbers(&entry["multipliers_t0"]), 1e-12);
    let names = names(coordinates);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let run = sampled(p, until, step);
    let row = |i: usize| format!("lambda[{}]", p.constraints.rows[i].name);
    for sample in samples(entry) {
        let found = at_time(&run, sample.t, &names);
        close(&format!("t = {}", sample.t), &found, &sample.state, SAMPLES);
        let energy = at_time(&run, sample.t, &["E"]);
        close("E", &energy, &[sample.energy], SAMPLES);
        for (i, lambda) in sample.multipliers.iter().enumerate() {
            let found = at_time(&run, sample.t, &[&row(i)]);
            close("lambda", &found, &[*lambda], 1e-9);
        }
    }
}

/// The start of an entry as equations.
fn start(entry: &Value, coordinates: &[&str]) -> String {
    let names = names(coordinates);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    equations(&names, &numbers(&entry["initial_state"]))
}

#[test]
fn a_free_particle_under_a_nonholonomic_row() {
    let entry = classic("nonholonomic_particle_free");
    let xyz = ["x", "y", "z"];
    let model = model(&format!(
        r#"coordinates = ["x", "y", "z"]
        [particles]
        P = {{ mass = 1, position = "[x, y, z]" }}
        [constraints]
        row = "z' = y*x'"
        [initial]
        state = [{}]"#,
        start(&entry, &xyz)
    ));
    let p = prepare(&model);
    follows(&p, &entry, &xyz, (10.0, 1.0));
    let run = sampled(&p, 10.0, 0.25);
    let (y0, dy, dx0) = (0.5_f64, 0.7, 1.2);
    let c = dx0 * (1.0 + y0 * y0).sqrt();
    let root = |y: f64| (1.0 + y * y).sqrt();
    for (t, found) in column(&run, "t")
        .iter()
        .zip(columns(&run, &["x", "y", "z", "x'", "y'", "z'"]))
    {
        let y = y0 + dy * t;
        let wanted = [
            c / dy * (y.asinh() - y0.asinh()),
            y,
            c / dy * (root(y) - root(y0)),
            c / root(y),
            dy,
            c * y / root(y),
        ];
        close("closed form", &found, &wanted, SAMPLES);
    }
    let integral = columns(&run, &["y", "x'"]);
    let integral: Vec<f64> = integral.iter().map(|s| s[1] * root(s[0])).collect();
    constant("x' sqrt(1 + y^2)", &integral);
    constant("E", &column(&run, "E"));
}

#[test]
fn the_contact_oscillator() {
    let entry = classic("contact_oscillator_eps0.3");
    let model = from_gallery("contact-oscillator", "");
    let p = prepare(&model);
    follows(&p, &entry, &["x", "y", "z"], (10.0, 1.0));
    let run = sampled(&p, 10.0, 0.5);
    for (t, found) in column(&run, "t").iter().zip(columns(&run, &["y", "y'"])) {
        close("y = cos(t)", &found, &[t.cos(), -t.sin()], SAMPLES);
    }
    let total = column(&run, "E");
    let states = columns(&run, &["y", "y'"]);
    let rest = total
        .iter()
        .zip(&states)
        .map(|(e, s)| e - (s[0] * s[0] + s[1] * s[1]) / 2.0);
    constant("H - Hy", &rest.collect::<Vec<_>>());
}

/// `H(q, p) = (|q|^2 + |p + grad S|^2 + eps x^2 z^2)/2` with `S = cos(z)`: the Lagrangian gains
/// `-grad S . q'`, a total derivative, so the motion is that of the contact oscillator.
#[test]
fn the_contact_oscillator_that_is_not_reversible() {
    let entry = classic("contact_oscillator_eps0.3");
    let xyz = ["x", "y", "z"];
    let model = model(&format!(
        r#"coordinates = ["x", "y", "z"]
        [energy]
        lagrangian = "(x'^2 + y'^2 + z'^2)/2 + sin(z)*z' - (x^2 + y^2 + z^2 + 3/10*x^2*z^2)/2"
        [constraints]
        contact = "x' + y*z' = 0"
        [initial]
        state = [{}]"#,
        start(&entry, &xyz)
    ));
    follows(&prepare(&model), &entry, &xyz, (10.0, 1.0));
}

#[test]
fn the_chaotic_oscillator() {
    let entry = classic("chaotic_oscillator_n3");
    let all = ["x", "y1", "y2", "y3", "z1", "z2", "z3"];
    let model = model(&format!(
        r#"coordinates = ["x", "y1", "y2", "y3", "z1", "z2", "z3"]
        [energy]
        kinetic = "(x'^2 + y1'^2 + y2'^2 + y3'^2 + z1'^2 + z2'^2 + z3'^2)/2"
        potential = """(x^2 + y1^2 + y2^2 + y3^2 + z1^2 + z2^2 + z3^2
            + y1^2*z1^2 + y2^2*z2^2 + y3^2*z3^2 + z1^2*z2^2)/2"""
        [constraints]
        row = "x' + y1*z1' + y2*z2' + y3*z3' = 0"
        [initial]
        state = [{}]"#,
        start(&entry, &all)
    ));
    let p = prepare(&model);
    follows(&p, &entry, &all, (5.0, 1.0));
    constant("E", &column(&sampled(&p, 10.0, 0.5), "E"));
}

#[test]
fn the_knife_edge_on_an_incline() {
    let entry = classic("knife_edge_incline");
    let all = ["x", "y", "th"];
    let model = model(&format!(
        r#"coordinates = ["x", "y", "th"]
        parameters = {{ m = 2, J = 0.5, g = 9.81, alpha = 0.3 }}
        [energy]
        kinetic = "m/2*(x'^2 + y'^2) + J/2*th'^2"
        potential = "-m*g*sin(alpha)*x"
        [constraints]
        blade = "x'*sin(th) - y'*cos(th) = 0"
        [initial]
        state = [{}]"#,
        start(&entry, &all)
    ));
    let p = prepare(&model);
    follows(&p, &entry, &all, (10.0, 1.0));
    let run = sampled(&p, 10.0, 0.25);
    let (w, down) = (1.5_f64, 9.81 * 0.3_f64.sin());
    for (t, found) in column(&run, "t").iter().zip(columns(&run, &["x", "y"])) {
        let s = w * t;
        let scale = down / (2.0 * w * w);
        let wanted = [scale * s.sin().powi(2), scale * (s - (2.0 * s).sin() / 2.0)];
        close("cycloid", &found, &wanted, SAMPLES);
    }
    constant("E", &column(&run, "E"));
}

#[test]
fn the_chaplygin_sleigh() {
    let entry = classic("chaplygin_sleigh");
    let model = from_gallery("chaplygin-sleigh", "");
    let p = prepare(&model);
    follows(&p, &entry, &["x", "y", "theta"], (10.0, 1.0));
    let (m, inertia, a, u0, w0) = (1.2, 0.4, 0.5, 0.3_f64, 2.0);
    let about_blade = inertia + m * a * a;
    let speed = (u0 * u0 + about_blade / m * w0 * w0).sqrt();
    let turn = speed * (m / about_blade).sqrt();
    let k = m * a * speed / about_blade;
    let s0 = (u0 / speed).atanh();
    let gd = |s: f64| 2.0 * (s / 2.0).tanh().atan();
    let run = sampled(&p, 10.0, 0.25);
    for (t, found) in column(&run, "t")
        .iter()
        .zip(columns(&run, &["theta", "theta'", "x'", "y'"]))
    {
        let s = k * t + s0;
        let theta = turn / k * (gd(s) - gd(s0));
        let u = speed * s.tanh();
        let wanted = [theta, turn / s.cosh(), u * theta.cos(), u * theta.sin()];
        close("closed form", &found, &wanted, SAMPLES);
    }
    let figure = |key: &str| common::reference::number(&entry["asymptotics"][key]);
    close("U", &[speed], &[figure("U")], 1e-14);
    let after = sampled(&p, 40.0, 40.0);
    close(
        "theta",
        &[last(&after, "theta")],
        &[figure("theta_inf")],
        SAMPLES,
    );
    // From straight back to straight ahead: half of the turn on either side of the sharpest turn.
    let back = from_gallery(
        "chaplygin-sleigh",
        &format!("\"z1 = 0\", \"z2 = {turn:e}\""),
    );
    let back = sampled(&prepare(&back), 40.0, 40.0);
    close(
        "turn",
        &[2.0 * last(&back, "theta")],
        &[figure("total_turn")],
        SAMPLES,
    );
}

#[test]
fn the_snakeboard() {
    let entry = classic("snakeboard_passive");
    let model = from_gallery("snakeboard", "");
    let p = prepare(&model);
    follows(&p, &entry, &["x", "y", "theta", "psi", "phi"], (2.0, 0.5));
    // At t = 4.07 the wheels stand across the board.
    let run = sampled(&p, 3.9, 0.1);
    constant("E", &column(&run, "E"));
    let rotor = columns(&run, &["theta'", "psi'"]);
    constant(
        "rotor",
        &rotor
            .iter()
            .map(|w| 0.072 * (w[0] + w[1]))
            .collect::<Vec<_>>(),
    );
    constant("wheels", &column(&run, "phi'"));
}

/// Bouguer's curve of pursuit, up to the capture at t = 1.5625.
#[test]
fn pursuit() {
    let entry = classic("pursuit_bouguer");
    let text = |stop: &str| {
        format!(
            r#"coordinates = ["x", "y"]
            parameters = {{ U = 0.6, d = 1 }}
            [points]
            Q = "[d, U*t, 0]"
            [particles]
            P = {{ mass = 1, position = "[x, y, 0]" }}
            [constraints]
            pursue = "x'*(U*t - y) - y'*(d - x) = 0"
            [initial]
            state = [{}]
            [simulate]
            {stop}"#,
            start(&entry, &["x", "y"])
        )
    };
    let model = model(&text(""));
    let p = prepare(&model);
    follows(&p, &entry, &["x", "y"], (1.25, 0.25));
    let run = sampled(&p, 1.5, 0.05);
    let k = 0.6;
    for (t, found) in column(&run, "t")
        .iter()
        .zip(columns(&run, &["x", "y", "x'", "y'"]))
    {
        let s = 1.0 - found[0];
        let (up, down) = (s.powf(1.0 + k), s.powf(1.0 - k));
        let y = (up / (1.0 + k) - down / (1.0 - k)) / 2.0 + k / (1.0 - k * k);
        let when = ((1.0 - down) / (1.0 - k) + (1.0 - up) / (1.0 + k)) / 2.0;
        close("curve", &[found[1], *t], &[y, when], SAMPLES);
        close("speed", &[found[2].hypot(found[3])], &[1.0], SAMPLES);
    }
    // The distance falls to 0 at the capture: the time of small distances follows from s.
    let model = common::model(&text("stop = [\"norm(pos(Q) - pos(P)) < 1e-4\"]"));
    let run = motion(&prepare(&model), &common::until(2.0));
    assert!((run.last_time() - 1.5625).abs() < 1e-3, "{}", run.outcome);
}

#[test]
fn the_appell_hamel_cone() {
    let entry = classic("appell_hamel");
    let model = from_gallery("appell-hamel", "");
    let p = prepare(&model);
    follows(&p, &entry, &["x", "y", "z"], (1.5, 0.5));
    let exact = common::reference::number(&entry["lambda_exact"]);
    let run = sampled(&p, 1.5, 0.1);
    let lambda = column(&run, "lambda[nappe]");
    close("lambda", &lambda, &vec![exact; lambda.len()], SAMPLES);
    constant("E", &column(&run, "E"));
    // The speed falls evenly to 0 at the vertex: z' = 1e-3 at this share of the time.
    let vertex = common::reference::number(&entry["t_singular"]);
    let run = sampled(&p, 3.0, 0.1);
    close(
        "stop",
        &[run.last_time()],
        &[vertex * (1.0 - 1e-3 / 2.5)],
        SAMPLES,
    );
}

#[test]
fn an_isokinetic_particle_in_a_field() {
    let entry = classic("isokinetic_uniform_field");
    let model = model(&format!(
        r#"coordinates = ["x", "y"]
        parameters = {{ m = 2, F = 3, c = 1.5 }}
        [energy]
        kinetic = "m/2*(x'^2 + y'^2)"
        [forces]
        x = "F"
        [constraints]
        speed = "x'^2 + y'^2 - c^2 = 0"
        [initial]
        state = [{}]"#,
        start(&entry, &["x", "y"])
    ));
    let p = prepare(&model);
    follows(&p, &entry, &["x", "y"], (3.0, 0.5));
    let (k, c) = (1.0, 1.5);
    let s0 = -(1.0_f64.tan()).ln();
    let gd = |s: f64| 2.0 * (s / 2.0).tanh().atan();
    let run = sampled(&p, 10.0, 0.25);
    let rows = columns(&run, &["x", "y", "x'", "y'", "lambda[speed]"]);
    for (t, found) in column(&run, "t").iter().zip(rows) {
        let s = k * t + s0;
        // m v' = F - alpha m v with alpha = k tanh(s), and the reaction is 2 lambda v.
        let wanted = [
            c / k * (s.cosh() / s0.cosh()).ln(),
            c / k * (gd(s) - gd(s0)),
            c * s.tanh(),
            c / s.cosh(),
            -s.tanh(),
        ];
        close("closed form", &found, &wanted, SAMPLES);
    }
}

#[test]
fn two_points_with_parallel_velocities() {
    let entry = classic("parallel_velocities_benenti");
    let all = ["x1", "y1", "x2", "y2"];
    let model = model(&format!(
        r#"coordinates = ["x1", "y1", "x2", "y2"]
        gravity = "-N.y"
        [particles]
        P1 = {{ mass = 1, position = "[x1, y1, 0]" }}
        P2 = {{ mass = 2, position = "[x2, y2, 0]" }}
        [constraints]
        parallel = "x1'*y2' - x2'*y1' = 0"
        [initial]
        state = [{}]"#,
        start(&entry, &all)
    ));
    let p = prepare(&model);
    follows(&p, &entry, &all, (2.0, 0.5));
    let run = sampled(&p, 10.0, 0.25);
    let velocities = columns(&run, &["x1'", "y1'", "x2'", "y2'"]);
    let relative = velocities
        .iter()
        .map(|v| (v[0] - v[2]).powi(2) + (v[1] - v[3]).powi(2));
    constant("|v1 - v2|^2", &relative.collect::<Vec<_>>());
    constant("E", &column(&run, "E"));
}

#[test]
fn three_isokinetic_particles() {
    let entry = classic("isokinetic_3_particles");
    let all = ["x1", "x2", "x3", "y1", "y2", "y3"];
    let model = model(&format!(
        r#"coordinates = ["x1", "x2", "x3", "y1", "y2", "y3"]
        [define]
        r12 = "(x1 - x2)^2 + (y1 - y2)^2"
        r23 = "(x2 - x3)^2 + (y2 - y3)^2"
        r31 = "(x3 - x1)^2 + (y3 - y1)^2"
        speeds = "x1'^2 + x2'^2 + x3'^2 + y1'^2 + y2'^2 + y3'^2"
        [energy]
        kinetic = "speeds/2"
        potential = "(r12^2 + r23^2 + r31^2)/4 - (r12 + r23 + r31)/2"
        [constraints]
        thermostat = "speeds - 3 = 0"
        [initial]
        state = [{}]"#,
        start(&entry, &all)
    ));
    let p = prepare(&model);
    follows(&p, &entry, &all, (5.0, 1.0));
    let run = sampled(&p, 10.0, 0.5);
    let velocities = columns(&run, &["x1'", "x2'", "x3'", "y1'", "y2'", "y3'"]);
    let speeds = velocities.iter().map(|v| v.iter().map(|x| x * x).sum());
    constant("T", &speeds.collect::<Vec<f64>>());
}

/// The rolling coin that stays upright, from one rigid body: circles at constant speed, and the
/// contact force as a vector.
#[test]
fn the_vertical_rolling_coin() {
    let entry = classic("vertical_rolling_coin");
    let model = model(
        r#"coordinates = ["x", "y", "theta", "psi"]
        [parameters]
        m = 1.5
        I = 0.3
        J = 0.2
        R = 0.4
        [frames]
        A = { parent = "N", angle = "theta", axis = "z" }
        C = { parent = "A", angle = "psi", axis = "y" }
        [bodies.coin]
        mass = "m"
        frame = "C"
        position = "[x, y, R]"
        inertia = ["J", "I", "J"]
        [constraints]
        no_slip = "v(coin, -R*N.z) = 0"
        [initial]
        state = ["x = 0", "y = 0", "theta = 0.25", "psi = 0", "theta' = 0.9", "psi' = 2"]"#,
    );
    let p = prepare(&model);
    let start = numbers(&entry["initial_state"]);
    let values = at(&p, 0.0, &start[..4], &start[4..]);
    let accel = values.accel.expect("it moves");
    close("accel", &accel, &numbers(&entry["accelerations_t0"]), 1e-12);
    let all = ["x", "y", "theta", "psi", "x'", "y'", "theta'", "psi'", "E"];
    let forces = ["R[no_slip on coin].x", "R[no_slip on coin].y"];
    let run = sampled(&p, 10.0, 0.25);
    for sample in samples(&entry) {
        let found = at_time(&run, sample.t, &all);
        close("state", &found[..8], &sample.state, SAMPLES);
        close("E", &found[8..], &[sample.energy], SAMPLES);
        close(
            "force",
            &at_time(&run, sample.t, &forces),
            &sample.multipliers,
            SAMPLES,
        );
    }
    let (w, u) = (0.9, 2.0);
    let (m, radius) = (1.5, 0.4 * u / w);
    let rows = columns(&run, &["x", "y", "theta", "psi", forces[0], forces[1]]);
    for (t, found) in column(&run, "t").iter().zip(rows) {
        let theta = 0.25 + w * t;
        let force = m * 0.4 * u * w;
        let wanted = [
            radius * (theta.sin() - 0.25_f64.sin()),
            radius * (0.25_f64.cos() - theta.cos()),
            theta,
            u * t,
            -force * theta.sin(),
            force * theta.cos(),
        ];
        close("circle", &found, &wanted, SAMPLES);
    }
}

/// Parameters of the gallery can be changed without writing the model anew.
#[test]
fn another_offset_of_the_sleigh() {
    let model = from_gallery("chaplygin-sleigh", "");
    let p = Prepared::new(&model, &overrides(&["a=-0.5"]), &[]).expect("parameters");
    let options = RunOptions {
        until: Some(20.0),
        rtol: Some(1e-13),
        ..RunOptions::default()
    };
    let run = motion(&p, &options);
    // With the mass centre behind the blade the sleigh ends backwards.
    let figure = common::reference::number(&classic("chaplygin_sleigh")["asymptotics"]["U"]);
    let speed = -last(&run, "x'").hypot(last(&run, "y'"));
    let ahead =
        last(&run, "x'") * last(&run, "theta").cos() + last(&run, "y'") * last(&run, "theta").sin();
    close("backwards", &[speed, ahead], &[-figure, -figure], SAMPLES);
}
