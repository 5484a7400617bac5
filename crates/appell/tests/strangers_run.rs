//! Ordinary models by newcomers: what is regular starts, runs to its end in every form, and gives the same
//! numbers in each.

use crate::common::corpus::stranger;
use crate::common::dice::Dice;
use crate::common::{close, model, prepare, words};
use appell::{
    ExitKind, FORMALISMS, FormValues, Formalism, Prepared, RunOptions, State, Status, eval,
};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// The end of a motion with its outcome in words.
struct End {
    q: Vec<f64>,
    v: Vec<f64>,
    residual: f64,
    outcome: String,
}

/// Runs a model in a form, by default in the usual one; `None` where the form does not apply.
fn end(p: &Prepared<'_>, form: Option<&'static Formalism>, options: &RunOptions) -> Option<End> {
    if form.is_some_and(|form| (form.derive)(&p.system, &p.constraints).is_err()) {
        return None;
    }
    let options = RunOptions {
        form,
        ..options.clone()
    };
    let name = form.map_or("default", |form| form.id);
    let run = appell::run(p, &options, &mut Default::default())
        .unwrap_or_else(|error| panic!("{name}: {}\n{}", words(p, error), p.model.source.text));
    let text = &p.model.source.text;
    assert_eq!(run.exit, ExitKind::Done, "{name}: {}\n{text}", run.outcome);
    let column = |name: &str| {
        let place = run.table.columns.iter().position(|other| other == name);
        run.table.rows.last().expect("a sample")[place.expect(name)]
    };
    let names: Vec<&str> = p
        .model
        .coordinates
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    Some(End {
        q: names.iter().map(|q| column(q)).collect(),
        v: names.iter().map(|q| column(&format!("{q}'"))).collect(),
        residual: run.max_residual,
        outcome: run.outcome,
    })
}

fn until(t: f64) -> RunOptions {
    RunOptions {
        until: Some(t),
        samples: Some(3),
        ..RunOptions::default()
    }
}

/// Every form that applies reaches the same end, with healthy residuals; how many there were.
#[track_caller]
fn agree_in_all_forms(text: &str, t: f64) -> usize {
    let model = model(text);
    let p = prepare(&model);
    let options = until(t);
    let usual = end(&p, None, &options).expect("some form applies");
    let mut forms = 0;
    for form in FORMALISMS.iter().copied() {
        let Some(found) = end(&p, Some(form), &options) else {
            continue;
        };
        forms += 1;
        let what = format!("{}\n{text}", form.id);
        close(&what, &found.q, &usual.q, 1e-6);
        close(&what, &found.v, &usual.v, 1e-6);
        assert!(found.residual < 1e-10, "{what}: {}", found.residual);
        assert!(
            found.outcome.starts_with("The motion was computed"),
            "{what}"
        );
    }
    forms
}

#[test]
fn the_differential_drive_turns_on_its_circle() {
    let model = stranger("differential-drive");
    let p = prepare(&model);
    let end = end(&p, None, &until(1.0)).expect("it runs");
    // Without forces the wheels keep their rates: psi' = R (pr' - pl')/(2 d) / .. = 0.2, speed 0.12.
    let turned = [0.5f64.sin() - 0.3f64.sin(), 0.3f64.cos() - 0.5f64.cos()];
    let wanted = [0.6 * turned[0], 0.6 * turned[1], 0.5, 1.0, 2.0, 1.0];
    close("q", &end.q, &wanted, 1e-9);
}

#[test]
fn the_robot_with_a_castor_arrives_in_every_form() {
    let model = stranger("robot-with-castor");
    let p = prepare(&model);
    for form in [None]
        .into_iter()
        .chain(FORMALISMS.iter().map(|f| Some(*f)))
    {
        let Some(end) = end(&p, form, &until(20.0)) else {
            continue;
        };
        close("x", &end.q[..1], &[-0.062_938_8], 1e-7);
        close("gamma", &end.q[3..4], &[0.116_819_0], 1e-7);
    }
}

#[test]
fn a_ball_in_a_rotating_cone_reaches_the_end_by_default() {
    let model = stranger("ball-in-rotating-cone");
    let end = end(&prepare(&model), None, &until(5.0)).expect("it runs");
    close("s", &end.q[..1], &[0.478_765_76], 1e-8);
    assert!(end.residual < 1e-12, "{}", end.residual);
}

/// `z'' = -2/7 b (c + b z) - 5/7 g` with `b = beta'` and the constant `c = a wr - b z`.
#[test]
fn a_ball_in_a_cylinder_oscillates_with_its_contact_as_one_vector() {
    let model = stranger("ball-in-cylinder-vector");
    let end = end(&prepare(&model), None, &until(5.0)).expect("it runs");
    let (b, c, g) = (6.0f64, 0.25, 9.81);
    let rate = (2.0f64 / 7.0).sqrt() * b;
    let middle = -(c / b + 5.0 * g / (2.0 * b * b));
    let phase = rate * 5.0;
    let z = middle - middle * phase.cos() + 0.4 / rate * phase.sin();
    close("s, beta, z", &end.q[..3], &[0.9, 30.0, z], 1e-8);
    close("s', beta'", &end.v[..2], &[0.0, 6.0], 1e-9);
    assert!(end.residual < 1e-10, "{}", end.residual);
}

#[test]
fn a_start_on_a_root_is_taken_as_it_is_given() {
    let model = stranger("start-on-root");
    let p = prepare(&model);
    let end = end(&p, None, &until(1.0)).expect("it runs");
    let [x, y, z] = [end.q[0], end.q[1], end.q[2]];
    let [vx, vy, vz] = [end.v[0], end.v[1], end.v[2]];
    close("momentum", &[x * vy - y * vx], &[2.0], 1e-9);
    let energy = 0.5 * (vx * vx + vy * vy + vz * vz) + 9.81 * z;
    close("energy", &[energy], &[2.0 + 9.81], 1e-9);
    close("cone", &[x.hypot(y)], &[z], 1e-9);
}

#[test]
fn terms_that_are_rounding_are_no_measure_of_a_row() {
    let tiny = stranger("tiny-residual");
    let ended = end(&prepare(&tiny), None, &until(1.0)).expect("it starts");
    assert!(ended.residual < 1e-12, "{}", ended.residual);
    let small = stranger("row-of-small-terms");
    let p = prepare(&small);
    let run = appell::run(&p, &until(2.0), &mut Default::default()).expect("it runs");
    assert!(run.max_residual < 1e-12, "{}", run.max_residual);
    let states = run.trajectory.samples.iter().map(|sample| State {
        t: sample.t,
        q: sample.y[..3].to_vec(),
        v: Some(sample.y[3..6].to_vec()),
        z: None,
    });
    let states: Vec<State> = states.collect();
    for values in eval(&p, &states, FORMALISMS).states {
        assert_eq!(values.status, Status::Regular, "{:?}", values.why);
    }
}

/// A velocity well off a row is still off it, however light what it belongs to.
#[test]
fn a_row_that_is_missed_stays_missed() {
    let text = "appell = 1\ncoordinates = ['x', 'y']\n[energy]\n\
                kinetic = \"500*x'^2 + 1e-3*y'^2\"\n[constraints]\nc = \"y' = 0\"\n[initial]\n\
                state = [\"x' = 1\", \"y' = 1e-4\"]\n[simulate]\nuntil = 1\n";
    let model = model(text);
    let p = prepare(&model);
    let error = appell::run(&p, &until(1.0), &mut Default::default());
    let words = words(&p, error.expect_err("it is off the constraint"));
    assert!(words.contains("E0501"), "{words}");
    assert!(
        words.contains("the nearest state that satisfies them has y' = 0"),
        "{words}"
    );
}

#[test]
fn charts_of_nonlinear_rows_are_left_in_time() {
    let forms = agree_in_all_forms(
        &format!(
            "{}\n[simulate]\nuntil = 5\n",
            stranger("hyperboloid-chart").source.text
        ),
        5.0,
    );
    assert!(forms >= 5);
    for small in ["1e-6", "1e-7", "1e-12", "0"] {
        let cone = stranger("cone-near-chart")
            .source
            .text
            .replace("y'=1e-6", &format!("y'={small}"));
        let text = format!("{cone}\n[simulate]\nuntil = 1\n");
        // 1e-6 is off the cone by 5e-13 of its terms.
        assert!(agree_in_all_forms(&text, 1.0) >= 5, "{small}");
    }
}

/// Variations by their numbers, each in all forms.
#[track_caller]
fn vary(count: u64, until: f64, least: usize, write: impl Fn(&mut Dice) -> String) {
    for index in 0..count {
        let text = write(&mut Dice::of(index));
        assert!(agree_in_all_forms(&text, until) >= least, "{text}");
    }
}

#[test]
fn two_hundred_differential_drives_run() {
    vary(200, 0.3, 8, |dice| {
        let extra = dice.below(2) == 0;
        let mut names = vec!["x", "y", "psi", "pl", "pr"];
        if extra {
            names.push("w");
        }
        let kinetic: Vec<String> = names
            .iter()
            .map(|q| format!("{}*{q}'^2", dice.decimal(0.1, 9.0)))
            .collect();
        let row = if extra { "ww = \"w' = pl'\"\n" } else { "" };
        format!(
            "coordinates = {names:?}\n[parameters]\nd = {}\nR = {}\n[energy]\n\
             kinetic = \"1/2*({})\"\n[constraints]\n\
             lx = \"x' - d*cos(psi)*psi' - R*cos(psi)*pl' = 0\"\n\
             ly = \"y' - d*sin(psi)*psi' - R*sin(psi)*pl' = 0\"\n\
             rx = \"x' + d*cos(psi)*psi' - R*cos(psi)*pr' = 0\"\n\
             ry = \"y' + d*sin(psi)*psi' - R*sin(psi)*pr' = 0\"\n{row}\
             [forces]\npl = \"{}\"\n[initial]\n\
             state = [\"psi = {}\", \"pl' = {}\", \"pr' = {}\"]\n",
            dice.decimal(0.02, 2.0),
            dice.decimal(0.01, 0.7),
            kinetic.join("+"),
            dice.decimal(-1.0, 1.0),
            dice.decimal(-3.0, 3.0),
            dice.decimal(-2.0, 2.0),
            dice.decimal(-2.0, 2.0),
        )
    });
}

/// A file with some of its lines written anew, without claims and pictures.
fn rewritten(text: &str, lines: &[(&str, String)], words: &[(&str, String)]) -> String {
    let text = text.split("[claims]").next().unwrap_or(text);
    let mut out = String::new();
    for line in text.lines() {
        let name = line.split(" = ").next().unwrap_or_default().trim();
        let changed = lines.iter().find(|(other, _)| *other == name);
        match changed {
            Some((name, value)) => writeln!(out, "{name} = {value}").expect("a string"),
            None => writeln!(out, "{line}").expect("a string"),
        }
    }
    for (from, to) in words {
        out = out.replace(from, to);
    }
    out
}

#[test]
fn robots_with_castors_run() {
    vary(12, 0.2, 8, |dice| {
        let mut line = |name, low, high| (name, dice.decimal(low, high));
        let lines = [
            line("M", 1.0, 30.0),
            line("Jz", 0.1, 2.0),
            line("d", 0.05, 0.6),
            line("R", 0.02, 0.3),
            line("mw", 0.1, 2.0),
            line("b", 0.01, 0.2),
            line("mc", 0.05, 1.0),
            line("k", 0.001, 0.1),
        ];
        let mut word =
            |from, to: &str, low, high| (from, format!("{to}{}", dice.decimal(low, high)));
        let words = [
            word("gamma = 2.5", "gamma = ", -3.0, 3.0),
            word("pl' = 0\"", "pl' = ", -1.0, 1.0),
        ];
        let words =
            words.map(|(from, to)| (from, if from.ends_with('"') { to + "\"" } else { to }));
        rewritten(&stranger("robot-with-castor").source.text, &lines, &words)
    });
}

#[test]
fn balls_in_rotating_cones_run() {
    vary(20, 0.2, 7, |dice| {
        let mut line = |name, low, high| (name, dice.decimal(low, high));
        let lines = [
            line("k", 0.2, 2.0),
            line("Omega", -2.0, 2.0),
            line("a", 0.02, 0.15),
        ];
        let words = [
            ("s' = 0.1", format!("s' = {}", dice.decimal(-0.3, 0.3))),
            (
                "beta' = 1.2",
                format!("beta' = {}", dice.decimal(-2.0, 2.0)),
            ),
        ];
        rewritten(
            &stranger("ball-in-rotating-cone").source.text,
            &lines,
            &words,
        )
    });
}

fn cylinder(dice: &mut Dice) -> String {
    let mut line = |name, low, high| (name, dice.decimal(low, high));
    let lines = [line("rho", 0.3, 2.0), line("a", 0.05, 0.2)];
    let words = [
        ("beta' = 6", format!("beta' = {}", dice.decimal(-6.0, 6.0))),
        ("wr = 2.5", format!("wr = {}", dice.decimal(-3.0, 3.0))),
        ("1e-11", "1e-10".to_owned()),
        ("1e-13", "1e-12".to_owned()),
    ];
    rewritten(
        &stranger("ball-in-cylinder-vector").source.text,
        &lines,
        &words,
    )
}

#[test]
fn balls_in_cylinders_run() {
    vary(20, 0.1, 7, cylinder);
}

#[test]
fn hyperboloids_and_cones_of_velocities_run() {
    let state = |dice: &mut Dice| {
        let y = dice.one_of(&["0", "1e-6", "1e-7", "1e-12", "1e-20", "0.3", "-0.7"]);
        format!(
            "[initial]\nstate = [\"x' = {}\", \"y' = {y}\", \"z' = 1\"]\ninconsistent = 'project'\n\
             keep = [\"x'\", \"y'\"]\n",
            dice.decimal(0.2, 1.0)
        )
    };
    vary(40, 0.3, 5, |dice| {
        format!(
            "coordinates = ['x', 'y', 'z']\n[energy]\nkinetic = \"({}*x'^2 + y'^2 + {}*z'^2)/2\"\n\
             potential = \"{}*z + {}*x^2 + {}*y\"\n[constraints]\nc = \"z'^2 = {} + x'^2 + {}*y'^2\"\n{}",
            dice.decimal(0.3, 3.0),
            dice.decimal(0.3, 3.0),
            dice.decimal(-9.0, 9.0),
            dice.decimal(0.0, 5.0),
            dice.decimal(-3.0, 3.0),
            dice.decimal(0.2, 3.0),
            dice.decimal(0.2, 2.0),
            state(dice),
        )
    });
    vary(40, 0.1, 5, |dice| {
        format!(
            "coordinates = ['x', 'y', 'z']\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
             potential = \"{}*x + {}*y^2\"\n[constraints]\nc = \"z'^2 = x'^2 + {}*y'^2\"\n{}",
            dice.decimal(-0.9, 0.9),
            dice.decimal(-1.0, 1.0),
            dice.decimal(0.2, 2.0),
            state(dice),
        )
    });
}

#[test]
fn balls_on_planes_run_with_redundant_contacts() {
    vary(20, 0.3, 7, |dice| {
        let inertia = dice.decimal(0.3, 0.5);
        let inertia = format!("\"{inertia}*m*a^2\"");
        format!(
            "coordinates = ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3']\ngravity = '-9.81*N.z'\n\
             [parameters]\nm = {}\na = {}\n[frames]\n\
             B = {{ parent = 'N', quaternion = ['e0', 'e1', 'e2', 'e3'] }}\n[bodies.ball]\n\
             mass = 'm'\nframe = 'B'\nposition = '[x, y, z]'\n\
             inertia = [{inertia}, {inertia}, {inertia}]\n[constraints]\n{}roll = 'v(ball, -a*N.z) = 0'\n{}\
             [initial]\nstate = ['x = 0', 'z = a', 'e0 = 1', \"x' = {}\", \"y' = {}\"]\n",
            dice.decimal(0.1, 3.0),
            dice.decimal(0.02, 0.7),
            dice.one_of(&["floor = 'z = a'\n", ""]),
            dice.one_of(&["spin = 'dot(omega(ball), N.z) = 0'\n", ""]),
            dice.decimal(-1.0, 1.0),
            dice.decimal(-1.0, 1.0),
        )
    });
}

#[test]
fn smooth_rows_with_roots_and_logarithms_start() {
    type Surface = (&'static str, fn(f64, f64) -> f64);
    let surfaces: [Surface; 5] = [
        ("z = sqrt(x^2 + y^2)", |x, y| x.hypot(y)),
        ("z = log(x)", |x, _| x.ln()),
        ("z = atan2(y, x)", |x, y| y.atan2(x)),
        ("sqrt(x^2 + y^2)*z = 1", |x, y| x.hypot(y).recip()),
        ("z = log(x^2 + y^2)", |x, y| (x * x + y * y).ln()),
    ];
    vary(40, 0.05, 8, |dice| {
        let (row, height) = surfaces[dice.below(5)];
        let [x, y] = [0.3 + dice.unit(), 2.0 * dice.unit() - 1.0].map(|x| (x * 1e3).round() / 1e3);
        let given = match dice.below(2) {
            0 => format!("'z = {:e}', ", height(x, y)),
            _ => String::new(),
        };
        format!(
            "coordinates = ['x', 'y', 'z']\ngravity = '-9.81*N.z'\n[particles]\n\
             P = {{ mass = 1, position = '[x, y, z]' }}\n[constraints]\nsurface = '{row}'\n[initial]\n\
             state = ['x = {x}', 'y = {y}', {given}\"x' = {}\", \"y' = {}\"]\n",
            dice.decimal(-1.0, 1.0),
            dice.decimal(-1.0, 1.0),
        )
    });
}

#[test]
fn omnidirectional_robots_run_with_wheels_to_spare() {
    vary(20, 0.3, 8, |dice| {
        let wheels = 3 + dice.below(2);
        let (mut rows, mut names) = (
            String::new(),
            vec!["x".to_owned(), "y".into(), "psi".into()],
        );
        let mut kinetic = format!(
            "{}*(x'^2 + y'^2) + {}*psi'^2",
            dice.decimal(1.0, 9.0),
            dice.decimal(0.1, 1.0)
        );
        for i in 0..wheels {
            let angle = format!("psi + {:.6}", TAU * i as f64 / wheels as f64);
            let _ = writeln!(
                rows,
                "w{i} = \"R*p{i}' = -sin({angle})*x' + cos({angle})*y' + L*psi'\""
            );
            let _ = write!(kinetic, " + {}*p{i}'^2", dice.decimal(0.001, 0.1));
            names.push(format!("p{i}"));
        }
        format!(
            "coordinates = {names:?}\n[parameters]\nR = {}\nL = {}\n[energy]\n\
             kinetic = \"({kinetic})/2\"\n[constraints]\n{rows}\
             same = \"-sin(psi)*x' + cos(psi)*y' = R*p0' - L*psi'\"\n[initial]\n\
             state = [\"psi = {}\", \"x' = {}\", \"y' = {}\", \"psi' = {}\"]\n",
            dice.decimal(0.02, 0.2),
            dice.decimal(0.1, 0.6),
            dice.decimal(-2.0, 2.0),
            dice.decimal(-1.0, 1.0),
            dice.decimal(-1.0, 1.0),
            dice.decimal(-1.0, 1.0),
        )
    });
}

/// The answers of all forms and of the whole, by name.
fn answers(p: &Prepared<'_>, state: State) -> (Status, Vec<(String, Vec<f64>)>) {
    let values = eval(p, &[state], FORMALISMS).states.remove(0);
    let status = values.status;
    let mut found = vec![("the whole".to_owned(), values.accel.expect("a motion"))];
    for (form, result) in values.forms {
        match result {
            FormValues::Values { accel, .. } => found.push((form.to_owned(), accel)),
            FormValues::Unavailable { .. } => {}
            FormValues::Undefined { why, .. } => {
                panic!("{form}: {why}\n{}", p.model.source.text)
            }
        }
    }
    (status, found)
}

/// Zeros of a state replaced by less than rounding change no answer of any form.
#[track_caller]
fn dust_changes_nothing(text: &str, q: &[f64], v: &[f64]) {
    let model = model(text);
    let p = prepare(&model);
    let state = |q: &[f64], v: &[f64]| State {
        t: 0.0,
        q: q.to_vec(),
        v: Some(v.to_vec()),
        z: None,
    };
    let (status, clean) = answers(&p, state(q, v));
    assert!(
        matches!(status, Status::Regular | Status::Redundant),
        "{status:?}\n{text}"
    );
    let mut dice = Dice::of(7);
    for dust in [1e-32, 1e-20, 1e-12] {
        for _ in 0..4 {
            let mut sown = |x: &f64| match (*x == 0.0, dice.below(2)) {
                (true, 0) => dust * (4.0 * dice.unit() - 2.0),
                _ => *x,
            };
            let (q, v): (Vec<f64>, Vec<f64>) = (
                q.iter().map(&mut sown).collect(),
                v.iter().map(&mut sown).collect(),
            );
            let (judged, found) = answers(&p, state(&q, &v));
            assert_eq!(judged, status, "{q:?} {v:?}\n{text}");
            for ((form, accel), (_, wanted)) in found.iter().zip(&clean) {
                close(
                    &format!("{form} at {q:?} {v:?}\n{text}"),
                    accel,
                    wanted,
                    1e-8,
                );
            }
        }
    }
}

#[test]
fn an_entry_below_rounding_changes_no_answer_of_a_rolling_ball() {
    let mut dice = Dice::of(3);
    for _ in 0..8 {
        let text = cylinder(&mut dice);
        let model = model(&text);
        let p = prepare(&model);
        let run = appell::run(&p, &until(0.0), &mut Default::default()).expect("it starts");
        dust_changes_nothing(&text, &run.start.q, &run.start.v);
    }
}

#[test]
fn an_entry_below_rounding_changes_no_answer_where_the_usual_chart_fails() {
    let particle = |row: &str, start: &str| {
        format!(
            "coordinates = ['x', 'y', 'z']\ngravity = '-9.81*N.z'\n[particles]\n\
             P = {{ mass = 0.7, position = '[x, y, z]' }}\n[constraints]\nc = \"{row}\"\n[initial]\n\
             state = [{start}]\n"
        )
    };
    let away = "'x = 0.6', 'y = 0.8', 'z = 1', \"x' = 0.2\", \"y' = -0.15\"";
    let cone = particle("z^2 = x^2 + y^2", away);
    dust_changes_nothing(&cone, &[0.0, 1.0, 1.0], &[0.5, 0.3, 0.3]);
    dust_changes_nothing(&cone, &[1.0, 0.0, 1.0], &[0.3, 0.5, 0.3]);
    let sphere = particle("x^2 + y^2 + z^2 = 2", away);
    dust_changes_nothing(&sphere, &[0.0, 2f64.sqrt(), 0.0], &[0.5, 0.0, -0.4]);
    dust_changes_nothing(&sphere, &[2f64.sqrt(), 0.0, 0.0], &[0.0, 0.5, -0.4]);
    let funnel = particle(
        "x*x' + y*y' = 0.3*z*z'",
        "'x = 0.6', 'y = 0.8', 'z = 1', \"x' = 0.2\"",
    );
    dust_changes_nothing(&funnel, &[0.0, 0.9, 0.0], &[0.3, 0.0, -0.2]);
    dust_changes_nothing(&funnel, &[0.9, 0.0, 0.0], &[0.0, 0.3, -0.2]);
    let velocities = particle(
        "z'^2 = x'^2 + y'^2",
        "\"x' = 0.6\", \"y' = 0.8\", \"z' = 1\"",
    );
    dust_changes_nothing(&velocities, &[0.0; 3], &[0.0, 1.0, 1.0]);
    dust_changes_nothing(&velocities, &[0.0; 3], &[1.0, 0.0, 1.0]);
}

/// Velocities of dependent rows, rounded as a user copies them, contradict each other by rounding only.
#[test]
fn rounded_states_of_dependent_rows_stay_consistent() {
    let mut texts = vec![stranger("robot-with-castor").source.text.to_string()];
    let mut dice = Dice::of(11);
    texts.extend((0..6).map(|_| cylinder(&mut dice)));
    for text in &texts {
        let model = model(text);
        let p = prepare(&model);
        let end = end(&p, None, &until(0.3)).expect("it runs");
        for digits in [14, 12, 10, 9] {
            let round = |x: &f64| format!("{x:.digits$e}").parse::<f64>().expect("a number");
            let state = State {
                t: 0.3,
                q: end.q.iter().map(round).collect(),
                v: Some(end.v.iter().map(round).collect()),
                z: None,
            };
            let (status, found) = answers(&p, state);
            assert_eq!(status, Status::Redundant, "{digits} digits\n{text}");
            let (_, wanted) = &found[0];
            for (form, accel) in &found {
                close(
                    &format!("{form}, {digits} digits\n{text}"),
                    accel,
                    wanted,
                    1e-4,
                );
            }
        }
    }
}

/// The parameters end where the skate stands across, the motion does not.
#[test]
fn where_a_form_ends_and_the_motion_does_not_another_goes_on() {
    let text = "appell = 1\ncoordinates = ['x', 'y', 'psi']\n[energy]\n\
        kinetic = \"(x'^2 + y'^2 + psi'^2)/2\"\npotential = '0.2*x'\n[constraints]\n\
        c = \"y'*cos(psi) = x'*sin(psi)\"\n[motion]\nvariables = ['z1', 'z2']\nequations = [\n\
        \"x' = z1*sqrt(cos(psi))\", \"y' = z1*sin(psi)/sqrt(cos(psi))\", \"psi' = z2\"]\n[initial]\n\
        state = ['psi = 0.3', \"x' = 1\", \"psi' = 1\"]\n[simulate]\nuntil = 3\n";
    let model = model(text);
    let p = prepare(&model);
    let usual = end(&p, None, &until(3.0)).expect("it runs");
    let options = RunOptions {
        samples: Some(101),
        ..until(3.0)
    };
    let form = Formalism::find("gibbs-appell");
    let found = end(&p, form, &options).expect("it applies");
    close("q", &found.q, &usual.q, 1e-8);
    close("v", &found.v, &usual.v, 1e-8);
    let words = &found.outcome;
    assert!(
        words.contains("on it was computed in the form `multipliers`"),
        "{words}"
    );
    assert!(
        words.contains(
            "small errors of `z1`, `z2` make large errors of the velocities from there on"
        ),
        "{words}"
    );
}

/// The wheels on one axle share what pushes along it; the castor shares nothing, at no state.
#[test]
fn a_force_that_no_other_shares_is_unique_at_every_state() {
    let model = stranger("robot-with-castor");
    let p = prepare(&model);
    let n = p.system.n();
    let options = RunOptions {
        samples: Some(41),
        ..until(20.0)
    };
    let run = appell::run(&p, &options, &mut Default::default()).expect("it runs");
    let states = run.trajectory.samples.iter().map(|sample| State {
        t: sample.t,
        q: sample.y[..n].to_vec(),
        v: Some(sample.y[n..2 * n].to_vec()),
        z: None,
    });
    let states: Vec<State> = states.collect();
    for values in eval(&p, &states, &FORMALISMS[..1]).states {
        assert_eq!(values.forces.len(), 3);
        for force in &values.forces {
            let (t, name) = (values.t, &force.constraint);
            assert_eq!(force.unique, name == "castor", "{name} at t = {t}");
        }
    }
}
