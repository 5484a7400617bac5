//! Ensembles give what single runs give, whatever the number of threads and whoever the neighbours are.

use appell::{
    BACKENDS, Control, Ending, Ensemble, EnsembleOptions, Formalism, METHODS, Members, Prepared,
    RunOptions, ensemble, gallery, parse_override, read, read_members, run, with_initial,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// `x'^2 = y'^2` with a force along `x = y`: what comes from above is at rest, a singular state, at `t = 1`.
pub const CROSS: &str = r#"
coordinates = ["x", "y"]
[parameters]
m = { value = 1.0, min = 0.5 }
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "-m*(x + y)"
[constraints]
cross = "x'^2 = y'^2"
[initial]
state = ["x = 0", "y = 0", "x' = 1", "y' = 1"]
[simulate]
until = 2.5
"#;

/// A pendulum by a holonomic row: `y` follows from `x`, on the side of the start.
pub const PENDULUM: &str = r#"
coordinates = ["x", "y"]
[parameters]
m = 2.0
g = 9.81
l = 1.0
k = { value = "2*g" }
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*k/2*y"
[constraints]
rod = "x^2 + y^2 = l^2"
[initial]
state = ["x = 0.6", "y < 0"]
[simulate]
until = 2
"#;

pub fn columns(names: &[&str], values: &[f64]) -> Members {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    Members::new(names, values.to_vec())
}

pub fn options(backend: &str, threads: usize) -> EnsembleOptions {
    EnsembleOptions {
        run: RunOptions {
            rtol: Some(1e-12),
            atol: Some(1e-12),
            backend: Some(backend.to_owned()),
            ..RunOptions::default()
        },
        threads,
    }
}

/// The backends that this machine has.
pub fn backends() -> impl Iterator<Item = &'static str> {
    let present = BACKENDS.iter().filter(|backend| backend.examine().is_ok());
    present.map(|backend| backend.id)
}

pub fn text_of(name: &str) -> String {
    gallery::find(name).expect("in the gallery").text.to_owned()
}

pub fn computed(text: &str, members: &Members, options: &EnsembleOptions) -> Ensemble {
    let (model, _) = read("model.toml", text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    ensemble(&p, members, options, &mut Control::default()).expect("an ensemble")
}

/// The last state, the last time and the outcome of a single run with other initial equations and parameters.
pub fn alone(text: &str, initial: &[String], parameters: &[String]) -> (Vec<f64>, f64, String) {
    let text = with_initial(text, initial).expect("equations");
    let (model, _) = read("model.toml", &text).expect("a right model");
    let overrides: Vec<_> = parameters
        .iter()
        .map(|text| parse_override(text).expect("a number"))
        .collect();
    let p = Prepared::new(&model, &overrides, &[]).expect("parameters");
    let options = options("interp", 1).run;
    let run = run(&p, &options, &mut Control::default()).expect("a run");
    (
        run.last_state().to_vec(),
        run.last_time(),
        run.outcome.clone(),
    )
}

/// Both are integrated to 1e-12; they differ by the ledger's quadratures, which take part in the choice of
/// steps of a single run.
pub fn close(a: &[f64], b: &[f64], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{what}: {a} {b}");
    }
}

/// Turned and scaled velocities of the two pucks, which stay perpendicular.
fn pucks(count: usize) -> Members {
    let values: Vec<f64> = (0..count)
        .flat_map(|k| {
            let part = (k as f64 * 0.618_033_988_75).fract();
            let (sin, cos) = (2.0 * part - 1.0).sin_cos();
            let (a, b) = (1.0 + 0.5 * part, 1.5 - part);
            let turn = |x: f64, y: f64, a: f64| [a * (cos * x - sin * y), a * (sin * x + cos * y)];
            let ([a1, a2], [b1, b2]) = (turn(0.3, 0.4, a), turn(0.4, -0.3, b));
            [a1, a2, b1, b2]
        })
        .collect();
    columns(&["x1'", "y1'", "x2'", "y2'"], &values)
}

#[test]
fn every_member_is_as_its_single_run() {
    let (text, members) = (text_of("perpendicular"), pucks(11));
    for backend in backends() {
        let done = computed(&text, &members, &options(backend, 1));
        assert_eq!(done.counts(), [("finished", 11)], "{backend}");
        assert_eq!(done.alone, 0, "{backend}: no lane gives up");
        for member in [0, 4, 10] {
            let row = &members.values[4 * member..4 * member + 4];
            let initial: Vec<String> = members
                .columns
                .iter()
                .zip(row)
                .map(|(name, x)| format!("{name} = {x:?}"))
                .collect();
            let (state, t, _) = alone(&text, &initial, &[]);
            close(done.state(member), &state, backend);
            assert_eq!(done.t[member], t);
        }
    }
}

#[test]
fn results_depend_neither_on_threads_nor_on_neighbours() {
    let (text, members) = (text_of("perpendicular"), pucks(150));
    for backend in backends() {
        let once = computed(&text, &members, &options(backend, 1));
        for threads in [2, 3] {
            let again = computed(&text, &members, &options(backend, threads));
            assert_eq!(
                (&again.y, &again.steps),
                (&once.y, &once.steps),
                "{backend}"
            );
        }
        let backwards: Vec<f64> = members.values.chunks(4).rev().flatten().copied().collect();
        let names: Vec<&str> = members.columns.iter().map(String::as_str).collect();
        let again = computed(&text, &columns(&names, &backwards), &options(backend, 2));
        for member in 0..150 {
            assert_eq!(again.state(149 - member), once.state(member), "{backend}");
        }
    }
}

#[test]
fn a_member_that_becomes_singular_leaves_its_neighbours_alone() {
    let members = columns(&["x'", "y'"], &[1.0, 1.0, -1.0, -1.0, 2.0, -2.0, 0.5, 0.5]);
    for backend in backends() {
        let done = computed(CROSS, &members, &options(backend, 1));
        let words: Vec<&str> = (0..4).map(|member| done.word(member)).collect();
        assert_eq!(
            words,
            ["finished", "singular", "finished", "finished"],
            "{backend}"
        );
        assert!((done.t[1] - 1.0).abs() < 1e-5, "{backend}: {}", done.t[1]);
        assert!(
            done.remarks[0].1.contains("singular state"),
            "{:?}",
            done.remarks
        );
        // x = v t + t^2 / 2, for the force of 1 on a mass of 1 lies in the line.
        let x = |v: f64| v * 2.5 + 2.5 * 2.5 / 2.0;
        close(&done.state(0)[..2], &[x(1.0), x(1.0)], backend);
        close(&done.state(3)[..2], &[x(0.5), x(0.5)], backend);
    }
}

#[test]
fn stop_conditions_end_members_where_they_become_true() {
    let text = CROSS.replace("until = 2.5", "until = 2.5\nstop = [\"x > 3\"]");
    let members = columns(&["x'", "y'"], &[1.0, 1.0, 0.1, 0.1, 2.0, 2.0]);
    for backend in backends() {
        let done = computed(&text, &members, &options(backend, 1));
        for (member, v) in [1.0f64, 0.1, 2.0].into_iter().enumerate() {
            // 3 = v t + t^2 / 2
            let t = (v * v + 6.0).sqrt() - v;
            let ends = done.endings[member];
            if t < 2.5 {
                assert_eq!(ends, Some(Ending::Stopped(0)), "{backend}");
                assert!(
                    (done.t[member] - t).abs() < 1e-11,
                    "{backend} {}",
                    done.t[member]
                );
                close(&done.state(member)[..1], &[3.0], backend);
            } else {
                assert_eq!(ends, Some(Ending::Finished), "{backend}");
            }
        }
    }
}

#[test]
fn samples_are_those_of_the_single_run() {
    let text = text_of("perpendicular");
    let (members, mut options) = (pucks(3), options("interp", 1));
    options.run.samples = Some(7);
    let done = computed(&text, &members, &options);
    let samples = done.samples.as_ref().expect("asked for");
    assert_eq!((samples.times.len(), samples.y.len()), (7, 3 * 7 * 8));
    let initial: Vec<String> = members
        .columns
        .iter()
        .zip(&members.values[8..])
        .map(|(name, x)| format!("{name} = {x:?}"))
        .collect();
    let text = with_initial(&text, &initial).expect("equations");
    let (model, _) = read("model.toml", &text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let single = run(&p, &options.run, &mut Control::default()).expect("a run");
    for (k, sample) in single.trajectory.samples.iter().enumerate() {
        let row = &samples.y[(2 * 7 + k) * 8..(2 * 7 + k + 1) * 8];
        close(row, &sample.y[..8], &format!("sample {k}"));
    }
}

/// A point that a stiff damper drags along.
const DRAGGED: &str = r#"
coordinates = ["x", "y"]
[parameters]
k = 1.0
c = 4e5
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "k*x^2/2"
[forces]
y = "c*(x' - y')"
[initial]
state = ["x = 1", "x' = 0", "y = 0", "y' = 0"]
[simulate]
until = 20
"#;

#[test]
fn every_method_computes_members_as_it_computes_one() {
    for method in METHODS.iter().map(|method| method.id).chain(["auto"]) {
        let members = columns(&["g", "x'"], &[9.81, 0.5, 5.0, -1.0]);
        let mut options = options("interp", 1);
        options.run.method = Some(method.to_owned());
        if method == "leapfrog" {
            options.run.step = Some(1e-3);
        }
        let text = PENDULUM.replace("y < 0", "y = -0.8");
        let done = computed(&text, &members, &options);
        for (member, (g, v)) in [(9.81, 0.5), (5.0, -1.0)].into_iter().enumerate() {
            let text = text.replace("g = 9.81", &format!("g = {g}"));
            let text = text.replace("y = -0.8\"", &format!("y = -0.8\", \"x' = {v}\""));
            let (model, _) = read("model.toml", &text).expect("a right model");
            let p = Prepared::new(&model, &[], &[]).expect("parameters");
            let single = run(&p, &options.run, &mut Control::default()).expect("a run");
            close(done.state(member), single.last_state(), method);
        }
        assert_eq!(done.counts(), [("finished", 2)], "{method}");
    }
}

#[test]
fn methods_that_cannot_compute_the_motions_are_refused() {
    let text = PENDULUM.replace("y < 0", "y = -0.8");
    let (model, _) = read("model.toml", &text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let mut options = options("interp", 1);
    options.run.method = Some("leapfrog".to_owned());
    options.run.form = Formalism::find("hamilton");
    let members = columns(&["g"], &[1.0]);
    let done = ensemble(&p, &members, &options, &mut Control::default());
    let why = done.expect_err("momenta have no leapfrog").to_string();
    assert!(
        why.contains("it needs coordinates and their velocities"),
        "{why}"
    );
}

#[test]
fn stiff_members_that_spend_their_steps_go_on_where_the_method_is_chosen() {
    let x = 20.0_f64.cos();
    for (method, word) in [
        ("auto", "finished"),
        ("dop853", "steps-exhausted"),
        ("radau5", "finished"),
    ] {
        let mut options = options("auto", 1);
        options.run.method = Some(method.to_owned());
        (options.run.rtol, options.run.atol) = (Some(1e-9), Some(1e-9));
        let done = computed(DRAGGED, &columns(&["y'"], &[0.0, 0.5]), &options);
        assert_eq!(done.counts(), [(word, 2)], "{method}");
        if word == "finished" {
            assert!(
                (done.state(0)[0] - x).abs() < 1e-5,
                "{method}: {:?}",
                done.state(0)
            );
        }
    }
}

#[test]
fn none_and_interrupted_ensembles_are_ensembles() {
    let text = text_of("perpendicular");
    let done = computed(&text, &columns(&["x1"], &[]), &options("interp", 3));
    assert_eq!((done.count, done.y.len()), (0, 0));
    let (model, _) = read("model.toml", &text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let flag = AtomicBool::new(false);
    let mut seen = 0.0;
    let mut progress = |part: f64| {
        seen = part;
        flag.store(true, Ordering::Relaxed);
    };
    let mut control = Control {
        cancel: Some(&flag),
        progress: Some(&mut progress),
        stream: None,
    };
    let done = ensemble(&p, &pucks(20_000), &options("interp", 1), &mut control).expect("some");
    let finished = done
        .endings
        .iter()
        .filter(|e| **e == Some(Ending::Finished));
    let finished = finished.count();
    assert!(seen > 0.0 && (1..20_000).contains(&finished), "{finished}");
    assert_eq!(done.exit(), appell::ExitKind::Interrupted);
}

#[test]
fn tables_are_refused_with_row_and_column() {
    let (model, _) = read("model.toml", CROSS).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let of = |text: &str| read_members(&mut text.as_bytes(), &p);
    let good = of("\u{feff}x', \"y'\"\n# a remark\n\n1,1\n 2.5e0 , -2.5\n").expect("a table");
    assert_eq!((good.count, good.values), (2, vec![1.0, 1.0, 2.5, -2.5]));
    for (text, why) in [
        ("", "no line of names"),
        ("x,z\n", "`z` is no coordinate"),
        ("x,x\n", "occurs twice"),
        ("x,y\n1,2\n3\n", "row 2 has 1 numbers"),
        ("x,y\n1,2\n3,four\n", "row 2, column `y`: `four`"),
        ("x\nnan\n", "row 1, column `x`: `nan`"),
    ] {
        let answer = of(text).expect_err(text);
        assert!(answer.to_string().contains(why), "{text}: {answer}");
    }
    let members = columns(&["m"], &[1.0, 0.1]);
    let done = computed(CROSS, &members, &options("interp", 1));
    assert!(done.endings[1].is_none() && done.remarks[0].1.contains("below 0.5"));
}

/// `x'' = 2 x^3` from `x = x' = 1`: `x = 1/(1 - t)`.
const POLE: &str = r#"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "-x^4/2"
[initial]
state = ["x = 1", "x' = 1"]
[simulate]
until = 1e9
"#;

#[test]
fn towards_a_pole_members_end_as_a_single_run_however_long_it_should_last() {
    let (_, time, words) = alone(POLE, &[], &[]);
    assert!((time - 1.0).abs() < 1e-6, "{time}: {words}");
    for backend in backends() {
        let members = columns(&["x"], &[1.0]);
        let together = computed(POLE, &members, &options(backend, 1));
        assert!((together.t[0] - time).abs() < 1e-9, "{backend}");
        assert_eq!(together.word(0), "underflow", "{backend}");
        assert_eq!(together.alone, 1, "{backend}");
        // The same sentence, but for its numbers.
        let beginning = |words: &str| words.chars().take(20).collect::<String>();
        assert_eq!(
            beginning(&together.remarks[0].1),
            beginning(&words),
            "{backend}"
        );
    }
}

#[test]
fn what_remains_of_a_long_motion_makes_no_step_too_short() {
    // Steps of a hundredth, and 1e15 to go.
    let text = POLE.replace("-x^4/2", "50*x^2").replace("1e9", "1e15");
    let text = text.replace("[simulate]", "[simulate]\nstop = [\"x < -1/2\"]");
    for backend in backends() {
        let together = computed(&text, &columns(&["x"], &[1.0]), &options(backend, 1));
        assert_eq!(together.word(0), "stopped", "{backend}");
        assert_eq!(together.alone, 0, "{backend}");
    }
}

#[test]
fn every_member_ends_on_the_constraints_however_coarse_its_steps() {
    let (text, members) = (text_of("perpendicular"), pucks(20));
    for backend in backends() {
        let mut options = options(backend, 1);
        (options.run.rtol, options.run.atol) = (Some(1e-4), Some(1e-4));
        let done = computed(&text, &members, &options);
        for member in 0..20 {
            let [.., a, b, c, d] = *done.state(member) else {
                panic!("(q, v)")
            };
            let size = (a * c).abs() + (b * d).abs();
            assert!((a * c + b * d).abs() < 1e-14 * size, "{backend} {member}");
        }
    }
}

#[test]
fn machine_code_takes_the_steps_that_interpreted_lanes_take() {
    let pole = POLE.replace("[simulate]", "[simulate]\nstop = [\"x > 1000\"]");
    let texts = [
        (text_of("perpendicular"), pucks(40)),
        (
            pole,
            columns(&["x", "x'"], &[1.0, 1.0, 0.5, 3.0, 0.1, 0.0, 2.0, -1.0]),
        ),
    ];
    let counts = |text: &str, members: &Members, backend| {
        let done = computed(text, members, &options(backend, 1));
        (done.steps, done.rejected, done.alone)
    };
    let mut rejected = 0;
    for (text, members) in &texts {
        let wanted = counts(text, members, "interp");
        assert!(wanted.0.iter().all(|steps| *steps > 10));
        rejected += wanted.1.iter().sum::<u32>();
        for backend in backends() {
            assert_eq!(counts(text, members, backend), wanted, "{backend}");
        }
    }
    assert!(rejected > 0, "there are steps that are too long");
}

/// Members share their times: a start or an end that depends on what differs is refused, not taken from the file, unless
/// the end is given otherwise.
#[test]
fn times_that_differ_from_member_to_member_are_refused() {
    let text = |t: &str, until: &str| {
        format!(
            "coordinates = ['x']\nparameters = {{ a = 0, b = '2*a' }}\n[energy]\nkinetic = \"x'^2/2\"\n\
             [forces]\nx = 't'\n[initial]\nt = '{t}'\nstate = ['x = 0']\n[simulate]\nuntil = '{until}'"
        )
    };
    let members = || Members::new(vec!["a".to_owned()], vec![0.0, 1.0]);
    let ask = |text: &str, options: &EnsembleOptions| {
        let (model, _) = read("model.toml", text).expect("a right model");
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        let done = ensemble(&p, &members(), options, &mut Control::default());
        done.map_err(|error| error.to_string())
    };
    let plain = EnsembleOptions::default();
    for (t, until, key) in [
        ("b", "3", "[initial] t"),
        ("0", "3 + b", "[simulate] until"),
    ] {
        let why = ask(&text(t, until), &plain).expect_err("refused");
        assert!(why.contains(key) && why.contains("`b`"), "{why}");
    }
    let given = EnsembleOptions {
        run: RunOptions::until(2.0),
        ..EnsembleOptions::default()
    };
    let done = ask(&text("0", "3 + b"), &given).expect("motions");
    assert_eq!(done.t, [2.0, 2.0]);
}

/// Samples lie beside ends of steps by rounding, where steps are held to a hundredth of the motion.
#[test]
fn members_have_every_sample_where_steps_end_at_samples() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[forces]\nx = \"sin(t)\"\n\
                [initial]\nstate = [\"x = 1\"]\n";
    let exact = |t: f64, x: f64| x * t.cos() + (t.sin() - t * t.cos()) / 2.0;
    let starts: Vec<f64> = (0..20).map(|k| 0.5 + 0.05 * f64::from(k)).collect();
    for backend in backends() {
        for (end, count) in [(0.5, 21), (3.0, 101), (-0.7, 51)] {
            let mut options = options(backend, 1);
            options.run.samples = Some(count);
            options.run.until = Some(end);
            let done = computed(text, &columns(&["x"], &starts), &options);
            let samples = done.samples.as_ref().expect("asked for");
            assert_eq!(samples.times.len(), count);
            for (member, x) in starts.iter().enumerate() {
                for (k, t) in samples.times.iter().enumerate() {
                    let found = samples.y[(member * count + k) * 2];
                    let off = (found - exact(*t, *x)).abs();
                    assert!(
                        off < 1e-9,
                        "{backend} {end}: member {member} at {t}: {found}"
                    );
                }
            }
        }
    }
}

/// Members that are as small as the errors which the absolute tolerance allows are told, once, the others not.
#[test]
fn members_beside_the_tolerance_have_a_remark() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"9*x^2/2\"\n[initial]\nstate = [\"x = 1\"]\n";
    let members = columns(&["x"], &[1.0, 1e-12, 0.0, 1e-11]);
    let options = EnsembleOptions {
        run: RunOptions {
            until: Some(10.0),
            ..RunOptions::default()
        },
        threads: 1,
    };
    let found = computed(text, &members, &options);
    assert_eq!(found.counts(), [("finished", 4)]);
    let [(1, words)] = &found.remarks[..] else {
        panic!("{:?}", found.remarks);
    };
    assert!(
        words.contains("absolute tolerance 1.0e-12") && words.contains("1 more"),
        "{words}"
    );
}
