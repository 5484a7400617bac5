//! Initial states: what is not given is completed with least kinetic energy, what contradicts the
//! constraints is moved or refused, and the sheet is the nearest.

use crate::common::{at, close, model, motion, prepare, until, words};
use appell::{Code, Prepared, RunOptions, Start, State, Status, check, gallery, read, run};

/// The start of a model, with its residual at rounding.
#[track_caller]
pub fn start(text: &str) -> Start {
    let model = model(text);
    let p = prepare(&model);
    let (answer, problem) = check(&p, None);
    assert!(
        problem.is_none(),
        "{}",
        words(&p, problem.expect("a problem"))
    );
    let start = answer.initial.expect("a start").start;
    assert!(start.residual_after < 1e-14, "{start:?}");
    start
}

/// The refusal of a start, as the user reads it.
#[track_caller]
fn refused(text: &str) -> (Code, String) {
    let model = model(text);
    let p = prepare(&model);
    let (answer, problem) = check(&p, None);
    assert!(answer.initial.is_none(), "{:?}", answer.initial);
    let problem = problem.expect("a reason");
    let error = run(&p, &until(1.0), &mut Default::default()).expect_err("refused");
    assert_eq!(
        error.diagnostic(),
        Some(&problem),
        "run and check say the same"
    );
    (problem.code, words(&p, problem))
}

/// x' + y' + z' = 3 with masses 1, 2, 4: v_i = mu/m_i, mu = 3/(1 + 1/2 + 1/4) = 12/7.
#[test]
fn missing_velocities_have_least_kinetic_energy() {
    let masses = r#"coordinates = ["x", "y", "z"]
        [energy]
        kinetic = "1/2*(x'^2 + 2*y'^2 + 4*z'^2)"
        [constraints]
        sum = "x' + y' + z' = 3"
        [initial]
        state = "#;
    let all = start(&format!("{masses}[]"));
    close("v", &all.v, &[12.0 / 7.0, 6.0 / 7.0, 3.0 / 7.0], 1e-14);
    close("q", &all.q, &[0.0; 3], 0.0);
    assert!(!all.projected);
    // With x' = 1 the rest is 2, shared 4 : 2.
    let some = start(&format!("{masses}[\"x' = 1\", \"x = 2\"]"));
    close("v", &some.v, &[1.0, 4.0 / 3.0, 2.0 / 3.0], 1e-14);
    close("q", &some.q, &[2.0, 0.0, 0.0], 0.0);
}

/// A coupled M: T = x'^2 + x'y' + 3/2 y'^2 with x' = 1 is least where x' + 3 y' = 0.
/// In a frame turning at w, T = 1/2 |v + w x q|^2, nothing given: at rest in space.
#[test]
fn coupling_and_linear_terms_count_as_kinetic_energy() {
    let coupled = start(
        r#"coordinates = ["x", "y"]
        [energy]
        kinetic = "x'^2 + x'*y' + 3/2*y'^2"
        [initial]
        state = ["x' = 1"]"#,
    );
    close("v", &coupled.v, &[1.0, -1.0 / 3.0], 1e-14);
    let turning = start(
        r#"coordinates = ["x", "y"]
        parameters = { w = 0.5 }
        [energy]
        kinetic = "1/2*((x' - w*y)^2 + (y' + w*x)^2)"
        [initial]
        state = ["x = 3", "y = -2"]"#,
    );
    close("v", &turning.v, &[-1.0, -1.5], 1e-14);
    // A magnetic force has a potential in the velocities, which is no kinetic energy.
    for (rows, v) in [
        ("", [0.0, 0.0]),
        ("[constraints]\nr = \"x' + y' = 1\"", [0.5, 0.5]),
    ] {
        let charge = start(&format!(
            "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
             potential = \"y*x' - x*y'\"\n{rows}\n[initial]\nstate = ['x = 1']"
        ));
        close("v", &charge.v, &v, 1e-14);
    }
}

/// On rows that are not linear the energy is stationary at several velocities: `y' = cos(3 x') + 2` has
/// its least at `x' = 1/3 acos(..)` near pi/3, not at the maximum x' = 0 where Newton's method begins.
#[test]
fn kinetic_energy_is_least_among_all_velocities_that_the_rows_allow() {
    let least = |row: &str, y: fn(f64) -> f64| {
        let found = start(&format!(
            "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nr = \"{row}\"\n\
             [initial]\nstate = ['x = 0']"
        ));
        let energy = |x: f64| x * x + y(x) * y(x);
        let scanned = (-60_000..=60_000).map(|k| energy(f64::from(k) * 1e-4));
        let wanted = scanned.fold(f64::INFINITY, f64::min);
        let is = found.v.iter().map(|v| v * v).sum::<f64>();
        assert!(is <= wanted * (1.0 + 1e-9), "{row}: {is} for {wanted}");
        assert!((found.v[1] - y(found.v[0])).abs() < 1e-12);
    };
    least("y' = cos(3*x') + 2", |x| (3.0 * x).cos() + 2.0);
    least("y' = 1 + 10*cos(5*x')^2", |x| {
        1.0 + 10.0 * (5.0 * x).cos().powi(2)
    });
    least("x'^3 - 3*x' + y' = 5", |x| 5.0 - x * x * x + 3.0 * x);
    least("y' = 1 + (x'^2 - 4)^2", |x| 1.0 + (x * x - 4.0).powi(2));
}

/// Where nothing given leads to the rows, too; and the nearest state is the nearest of all: both beside all solutions of
/// the cubic on a fine grid of directions.
#[test]
fn states_of_cubic_rows_are_the_least_of_all() {
    let text = |row: &str, state: &str| {
        format!(
            "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nc = \"{row}\"\n\
             [initial]\ninconsistent = 'project'\nstate = [{state}]"
        )
    };
    // The least distance of a zero of the row from a point, on circles of growing radius around it.
    let nearest = |f: &dyn Fn(f64, f64) -> f64, (x, y): (f64, f64)| -> f64 {
        let at = |r: f64, k: u32| {
            let angle = f64::from(k) * std::f64::consts::TAU / 3600.0;
            f(x + r * angle.cos(), y + r * angle.sin())
        };
        let meets = |r: f64| (0..3600).any(|k| at(r, k) * at(r, k + 1) <= 0.0);
        let steps = (1..20_000).map(|k| f64::from(k) * 1e-4);
        steps
            .into_iter()
            .find(|r| meets(*r))
            .expect("a zero nearby")
    };
    let first = "-5*x'^3 - 7*x'^2*y' + 8*x'*y' - 8*y'^2 + 3*x' + 5*y'^3 - 4*y' = 1";
    let f = |x: f64, y: f64| {
        -5.0 * x.powi(3) - 7.0 * x * x * y + 8.0 * x * y - 8.0 * y * y + 3.0 * x + 5.0 * y.powi(3)
            - 4.0 * y
            - 1.0
    };
    let second = "-x'^3 + x'^2*y' + 2*x'*y' + 2*y'^2 - x' + 3*y'^3 = 1";
    let g = |x: f64, y: f64| {
        -x.powi(3) + x * x * y + 2.0 * x * y + 2.0 * y * y - x + 3.0 * y.powi(3) - 1.0
    };
    let check = |row: &str, f: &dyn Fn(f64, f64) -> f64, state: &str, (x, y): (f64, f64)| {
        let found = start(&text(row, state));
        let far = (found.v[0] - x).hypot(found.v[1] - y);
        let least = nearest(f, (x, y));
        assert!(far <= least + 1e-4, "{row}: {far} for {least}");
    };
    check(first, &f, "", (0.0, 0.0));
    check(second, &g, "\"x' = 0.1\", \"y' = -0.07\"", (0.1, -0.07));
}

/// What is only linear in the velocities has no least value and is no kinetic energy.
#[test]
fn a_lagrangian_linear_in_the_velocities_invents_no_velocities() {
    let model = model(
        "coordinates = ['x', 'y']\n[energy]\nlagrangian = \"x*y' - y*x' - (x^2 + y^2)/2\"\n\
         [initial]\nstate = ['x = 1']",
    );
    let (answer, _) = check(&prepare(&model), None);
    let start = answer.initial.expect("a start").start;
    close("v", &start.v, &[0.0, 0.0], 0.0);
}

/// The rows give what is missing, at the start time; what they leave free is 0, and said so.
#[test]
fn missing_coordinates_follow_from_holonomic_rows() {
    let text = |rows: &str, state: &str| {
        format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"1/2*(x'^2 + y'^2 + z'^2)\"\n\
             [constraints]\n{rows}\n[initial]\nt = 2\nstate = {state}"
        )
    };
    let line = start(&text("c = \"x + 2*y = 5*t\"", "[\"x = 1\"]"));
    close("q", &line.q, &[1.0, 4.5, 0.0], 1e-14);
    // x' + 2 y' = 5 with least kinetic energy.
    close("v", &line.v, &[1.0, 2.0, 0.0], 1e-14);
    assert!(line.remarks.iter().any(|r| r.contains('z')), "{line:?}");
    assert_eq!(line.t, 2.0);
    let parabola = start(&text(
        "c = \"y = x^2\"",
        "[\"x = 2\", \"z = 1\", \"x' = 3\"]",
    ));
    close("q", &parabola.q, &[2.0, 4.0, 1.0], 1e-14);
    close("v", &parabola.v, &[3.0, 12.0, 0.0], 1e-13);
    // The derivative vanishes at y = 0, where the search would begin.
    let circle = start(&text("c = \"x^2 + y^2 = 25\"", "[\"x = 3\", \"y' = 6\"]"));
    close("q", &[circle.q[0], circle.q[1].abs()], &[3.0, 4.0], 1e-13);
    close("v", &circle.v, &[-2.0 * circle.q[1], 6.0, 0.0], 1e-13);
}

const CONE: &str = r#"coordinates = ["x", "y", "z"]
[energy]
kinetic = "1/2*(x'^2 + y'^2 + z'^2)"
potential = "9.81*z"
[constraints]
cone = "z'^2 = x'^2 + y'^2"
[initial]
"#;

/// With x', y' kept, z' goes to the nearer nappe; without, all move: in the plane of s = |(x', y')|
/// and z' the foot on the line z' = s is the mean.
#[test]
fn projection_goes_to_the_nearest_sheet() {
    let start_with = |z: f64, keep: &str| {
        start(&format!(
            "{CONE}state = [\"x' = 1.6\", \"y' = 1.2\", \"z' = {z}\"]\n{keep}\ninconsistent = \"project\""
        ))
    };
    for sign in [1.0, -1.0] {
        let kept = start_with(1.5 * sign, "keep = [\"x'\", \"y'\"]");
        close("kept", &kept.v, &[1.6, 1.2, 2.0 * sign], 1e-14);
        assert_eq!(kept.v[..2], [1.6, 1.2], "not touched at all");
        assert!(kept.projected && kept.residual_before > 1e-3, "{kept:?}");
        assert!(kept.remarks.iter().any(|r| r.contains("sheet")), "{kept:?}");
        let moved = start_with(1.5 * sign, "");
        close("moved", &moved.v, &[1.4, 1.05, 1.75 * sign], 1e-14);
        let little = start_with(0.2 * sign, "");
        close("little", &little.v, &[0.88, 0.66, 1.1 * sign], 1e-14);
        let far = start_with(7.0 * sign, "");
        close("far", &far.v, &[3.6, 2.7, 4.5 * sign], 1e-14);
    }
}

/// The kinetic metric decides: masses 1 and 3 on x' + y' = 1 move from rest by (3/4, 1/4), on
/// positions as on velocities; `keep` leaves all to the other.
#[test]
fn projection_is_least_in_the_kinetic_metric() {
    let text = |row: &str, state: &str, keep: &str| {
        format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"1/2*(x'^2 + 3*y'^2)\"\n\
             [constraints]\nc = \"{row}\"\n[initial]\nstate = [{state}]\n{keep}\ninconsistent = \"project\""
        )
    };
    let given = "\"x' = 0\", \"y' = 0\"";
    let velocities = start(&text("x' + y' = 1", given, ""));
    close("v", &velocities.v, &[0.75, 0.25], 1e-14);
    let kept = start(&text("x' + y' = 1", given, "keep = [\"x'\"]"));
    close("kept", &kept.v, &[0.0, 1.0], 1e-14);
    let given = "\"x = 0\", \"y = 0\", \"x' = 2\", \"y' = 2\"";
    let positions = start(&text("x + y = 1", given, ""));
    close("q", &positions.q, &[0.75, 0.25], 1e-14);
    // x' + y' = 0 from (2, 2): mu (1 + 1/3) = -4.
    close("v", &positions.v, &[-1.0, 1.0], 1e-14);
    assert!(positions.projected);
    let kept = start(&text("x + y = 1", given, "keep = [\"x\"]"));
    close("kept", &kept.q, &[0.0, 1.0], 1e-14);
}

/// Without leave to move the state, the row that it misses is named; with all velocities kept
/// there is no way; equations that contradict each other are refused in any case.
#[test]
fn inconsistent_starts_are_refused_in_words() {
    let given = "state = [\"x' = 1.6\", \"y' = 1.2\", \"z' = 1.5\"]";
    for ending in ["", "inconsistent = \"error\""] {
        let (code, words) = refused(&format!("{CONE}{given}\n{ending}"));
        assert_eq!(code, Code::InconsistentStart);
        assert!(
            words.contains("cone") && words.contains("project"),
            "{words}"
        );
    }
    let all = "keep = [\"x'\", \"y'\", \"z'\"]\ninconsistent = \"project\"";
    assert_eq!(
        refused(&format!("{CONE}{given}\n{all}")).0,
        Code::InconsistentStart
    );
    let twice = "state = [\"x' = 1\", \"x' = 2\"]\ninconsistent = \"project\"";
    let (code, words) = refused(&format!("{CONE}{twice}"));
    assert_eq!(code, Code::InconsistentStart);
    assert!(words.contains("contradict"), "{words}");
    let twice = "state = [\"x = 1\", \"x = 2\"]\ninconsistent = \"project\"";
    assert_eq!(
        refused(&format!("{CONE}{twice}")).0,
        Code::InconsistentStart
    );
    // A circle of radius 1 has no point with x = 2.
    let circle = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"1/2*(x'^2 + y'^2)\"\n\
                  [constraints]\nrim = \"x^2 + y^2 = 1\"\n[initial]\nstate = [\"x = 2\"]";
    assert_eq!(refused(circle).0, Code::InconsistentStart);
    let projected = start(&format!("{circle}\ninconsistent = \"project\""));
    close("q", &projected.q, &[1.0, 0.0], 1e-14);
}

/// A blade at the angle th: forward speed by the parameter z, by a motion variable as Kane
/// defines it, and by kinematics; each time v = 2 (cos th, sin th).
#[test]
fn equations_in_parameters_motion_variables_and_kinematics() {
    let text = |motion: &str, state: &str| {
        format!(
            r#"coordinates = ["x", "y", "th"]
            [particles]
            P = {{ mass = 2, position = "[x, y, 0]" }}
            [energy]
            kinetic = "1/2*th'^2"
            [constraints]
            blade = "dot(v(P), [-sin(th), cos(th), 0]) = 0"
            {motion}
            [initial]
            state = ["th = 0.6", {state}]"#
        )
    };
    let parametric = "[motion]\nvariables = [\"s\", \"w\"]\n\
                      equations = [\"x' = s*cos(th)\", \"y' = s*sin(th)\", \"th' = w\"]";
    let kane = "[motion]\nvariables = [\"s\", \"w\"]\n\
                equations = [\"s = dot(v(P), [cos(th), sin(th), 0])\", \"w = th'\"]";
    let wanted = [2.0 * 0.6_f64.cos(), 2.0 * 0.6_f64.sin()];
    for (motion, state) in [
        (parametric, "\"s = 2\", \"w = 3\""),
        (parametric, "\"s*w = 6\", \"th' = 3\""),
        (kane, "\"s = 2\", \"w = 3\""),
        ("", "\"dot(v(P), N.x) = 2*cos(th)\", \"th' = 3\""),
        ("", "\"v(P) = [2*cos(th), 2*sin(th), 0]\", \"th' = 3\""),
    ] {
        let start = start(&text(motion, state));
        close(state, &start.v, &[wanted[0], wanted[1], 3.0], 1e-13);
        if motion == parametric {
            close("z", start.z.as_ref().expect("z"), &[2.0, 3.0], 1e-13);
        }
    }
    // Without a word on the rest: at rest.
    let rest = start(&text(parametric, "\"w = 3\""));
    close("v", &rest.v, &[0.0, 0.0, 3.0], 1e-14);
}

/// `T = (x'^2 + y'^2)/2 + x' y'/2` with `x' = s`, `y' = w`, and `s = 2`: it is least at `w = -1`, which nobody gave.
#[test]
fn motion_variables_that_nobody_gave_are_told() {
    let text = |state: &str| {
        start(&format!(
            r#"coordinates = ["x", "y"]
            [energy]
            kinetic = "1/2*(x'^2 + y'^2) + 1/2*x'*y'"
            [motion]
            variables = ["s", "w"]
            equations = ["x' = s", "y' = w"]
            [initial]
            state = [{state}]"#
        ))
    };
    let is_told = |start: &Start| {
        start
            .remarks
            .iter()
            .any(|r| r.contains("least kinetic energy"))
    };
    let free = text("\"s = 2\"");
    close("v", &free.v, &[2.0, -1.0], 1e-14);
    assert!(is_told(&free), "{free:?}");
    for given in [
        "\"s = 2\", \"w = -1\"",
        "\"s = 2\", \"y' = -1\"",
        "\"w = 0\", \"s = 0\"",
    ] {
        let given = text(given);
        assert!(!is_told(&given), "{given:?}");
    }
}

/// The particle of the gallery: z' from 1.5 to 2, and never to -2.
#[test]
fn appells_particle_starts_on_its_nappe() {
    let entry = gallery::find("appell-particle").expect("it is there");
    let (model, _) = appell::read("a.toml", entry.text).expect("it is right");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let start = check(&p, None).0.initial.expect("a start").start;
    close("v", &start.v, &[1.6, 1.2, 2.0], 1e-14);
    let (residual, ground) = (start.residual_before, 2.0_f64.powi(2) - 1.5 * 1.5);
    // Relative to its terms: 4 - 2.25 of at most 1.5^2 + 1.6^2 + 1.2^2.
    assert!(
        (ground / 6.26..=ground / 2.25).contains(&residual),
        "{residual}"
    );
}

/// Exactly at rest on a cone the row has no derivative: no acceleration follows. Said in words,
/// whatever way one asks.
#[test]
fn rest_on_a_cone_is_singular_in_words() {
    let smooth = format!("{CONE}state = [\"x' = 0\", \"y' = 0\", \"z' = 0\"]");
    let root = smooth.replace("z'^2 = x'^2 + y'^2", "z' = sqrt(x'^2 + y'^2)");
    for (text, has_start) in [(smooth, true), (root, false)] {
        let model = model(&text);
        let p = prepare(&model);
        let values = at(&p, 0.0, &[0.0; 3], &[0.0; 3]);
        assert_eq!(values.status, Status::Singular, "{values:?}");
        assert!(values.accel.is_none() && values.why.is_some(), "{values:?}");
        let (answer, _) = check(&p, None);
        if let Some(initial) = answer.initial {
            assert_eq!(initial.judgement.status, Status::Singular);
        } else {
            assert!(!has_start);
        }
        let options = RunOptions::until(0.5);
        match run(&p, &options, &mut Default::default()) {
            Ok(run) => {
                assert_eq!(
                    run.exit,
                    appell::ExitKind::NumericalFailure,
                    "{}",
                    run.outcome
                );
                assert!(run.outcome.contains("singular"), "{}", run.outcome);
                let states = run.trajectory.samples.iter().flat_map(|s| &s.y);
                assert!(states.clone().all(|x| x.is_finite()), "{run:?}");
            }
            Err(error) => assert!(words(&p, error.clone()).contains("singular"), "{error:?}"),
        }
    }
}

/// Rows that contradict each other for every velocity are named.
#[test]
fn rows_without_a_common_velocity_are_named() {
    let (_, words) = refused(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"1/2*x'^2\"\n\
         [constraints]\nslow = \"x' = 1\"\nfast = \"x' = 2\"",
    );
    assert!(words.contains("slow") && words.contains("fast"), "{words}");
}

/// The state used is the first sample of the motion.
#[test]
fn the_motion_begins_at_the_start() {
    let text = format!("{CONE}t = 3\nstate = [\"x' = 1.6\", \"y' = 1.2\"]");
    let model = model(&text);
    let run = motion(&prepare(&model), &until(3.1));
    close("|z'|", &[run.start.v[2].abs()], &[2.0], 1e-13);
    let first = &run.trajectory.samples[0];
    assert_eq!(first.t, 3.0);
    assert_eq!(first.y[..3], run.start.q[..]);
    assert_eq!(first.y[3..6], run.start.v[..]);
}

fn linkage(state: &str) -> String {
    format!(
        "coordinates = ['a', 'b', 'c']\n[energy]\nkinetic = \"(0.3*a'^2 + 0.8*b'^2 + 0.5*c'^2)/2\"\n[constraints]\n\
         across = '0.113*cos(a) + 0.37*cos(b) = 0.4 + 0.29*cos(c)'\nup = '0.113*sin(a) + 0.37*sin(b) = 0.29*sin(c)'\n\
         [initial]\nstate = [{state}]\n"
    )
}

/// Complete coordinates in nine significant digits, as messages and runs print them, miss a closed loop by their rounding
/// alone: that is no contradiction.
#[test]
fn a_hint_is_taken_as_it_is_printed() {
    let (code, words) = refused(&linkage("'a = 1', 'b = 0.5'"));
    assert_eq!(code, Code::InconsistentStart, "{words}");
    let words: Vec<&str> = words.split_whitespace().collect();
    let words = words.join(" ");
    let (_, hint) = words.split_once("satisfies them has ").expect("a hint");
    let printed = hint.lines().next().expect("a line").trim();
    let numbers: Vec<(&str, f64)> = printed
        .split(", ")
        .filter_map(|part| {
            let (name, number) = part.trim().split_once(" = ")?;
            Some((name, number.split(' ').next()?.parse().ok()?))
        })
        .collect();
    assert_eq!(numbers.len(), 3, "{printed}");
    let mut exact: Option<Vec<f64>> = None;
    for digits in [11, 10, 9] {
        let given = numbers.iter();
        let given = given.map(|(name, x)| format!("'{name} = {x:.0$e}'", digits - 1));
        let given: Vec<String> = given.collect();
        let found = start(&linkage(&format!("{}, \"a' = 3\"", given.join(", "))));
        let wanted = exact.get_or_insert_with(|| found.q.clone());
        close("q", &found.q, wanted, 1e-7);
    }
    let (_, words) = refused(&linkage("'a = 0.7412', 'b = 0.6146', 'c = 1.6203'"));
    assert!(words.contains("satisfies them has a = 0.74"), "{words}");
}

/// The length of a velocity has no derivative where it vanishes: some direction is taken, and this is said.
#[test]
fn speeds_without_a_direction_take_one_and_say_so() {
    let text = |state: &str| {
        format!(
            "coordinates = ['x', 'y']\n[particles]\nP = {{ mass = 1.2, position = '[x, y, 0]' }}\n[constraints]\n\
             speed = 'norm(v(P)) = 0.7'\n[initial]\nstate = [{state}]\n"
        )
    };
    let found = start(&text("'x = 1'"));
    assert!(
        (found.v[0].hypot(found.v[1]) - 0.7).abs() < 1e-12,
        "{found:?}"
    );
    let said = found.remarks.concat();
    assert!(said.contains("give more velocities in `state`"), "{said}");
    let found = start(&text("'x = 1', \"x' = 0.42\""));
    close(
        "speed",
        &[found.v[0], found.v[1].abs()],
        &[0.42, 0.56],
        1e-12,
    );
}

/// A quaternion of four digits leaves a little for the components that are not given: they stay where they are, and
/// the others become a unit quaternion.
#[test]
fn quaternions_in_rounded_digits_are_normalised() {
    let text = |quaternion: &str| {
        format!(
            "coordinates = ['e0', 'e1', 'e2', 'e3']\n[frames]\nB = {{ quaternion = ['e0', 'e1', 'e2', 'e3'] }}\n\
             [bodies.b]\nmass = 1.0\nposition = '[0, 0, 0]'\nframe = 'B'\ninertia = [1, 2, 3]\n[initial]\n\
             state = [{quaternion}, 'omega(b) = [0.1, 0.2, 1.3]']\n"
        )
    };
    let half = 0.5f64.sqrt();
    for (given, wanted) in [
        ("'e0 = 0.7071', 'e3 = 0.7071'", [half, 0.0, 0.0, half]),
        ("'e0 = 0.7071', 'e3 = -7.071e-1'", [half, 0.0, 0.0, -half]),
        (
            "'e0 = 0.707106781', 'e3 = 0.707106781'",
            [half, 0.0, 0.0, half],
        ),
        ("'e1 = 0.7071', 'e2 = 0.7071'", [0.0, half, half, 0.0]),
        (
            "'e0 = 0.7071', 'e1 = 0', 'e2 = 0', 'e3 = 0.7071'",
            [half, 0.0, 0.0, half],
        ),
    ] {
        let found = start(&text(given));
        close(given, &found.q, &wanted, 1e-15);
        let said = found.remarks.iter().any(|x| x.contains("normalised"));
        assert!(said, "{given}: {:?}", found.remarks);
    }
    // Digits that leave more open, or nothing, are meant.
    for given in [
        "'e0 = 0.6', 'e3 = 0.7'",
        "'e0 = 0.8', 'e3 = 0.6'",
        "'e3 = 1'",
    ] {
        let found = start(&text(given));
        let said = found.remarks.iter().any(|x| x.contains("normalised"));
        assert!(!said, "{given}: {found:?}");
    }
    let turned = start(&text("'e3 = 1'"));
    close("half a turn", &turned.q, &[0.0, 0.0, 0.0, 1.0], 1e-15);
    let (code, _) = refused(&text("'e0 = 0.71', 'e1 = 0', 'e2 = 0', 'e3 = 0.72'"));
    assert_eq!(code, Code::InconsistentStart);
    // What is too long whatever the others are is made a unit: (3, 4, 0, 0) has the length 5.
    for (given, wanted) in [
        ("'e0 = 2'", [1.0, 0.0, 0.0, 0.0]),
        ("'e0 = -2'", [-1.0, 0.0, 0.0, 0.0]),
        ("'e1 = 3', 'e2 = 4'", [0.0, 0.6, 0.8, 0.0]),
    ] {
        let found = start(&text(given));
        close(given, &found.q, &wanted, 1e-15);
        let said = found.remarks.iter().any(|x| x.contains("was normalised"));
        assert!(said, "{given}: {:?}", found.remarks);
    }
    // A complete one is what the file says.
    let complete = text("'e0 = 2', 'e1 = 0', 'e2 = 0', 'e3 = 0'");
    assert_eq!(refused(&complete).0, Code::InconsistentStart);
}

/// Three parallel cranks: six rows of which one depends on the others where they hold, and only there. The plate
/// glides on a circle, so that the nearest state is the least of a function of one angle.
#[test]
fn the_nearest_state_is_found_where_rows_depend_on_each_other_only_where_they_hold() {
    let [l, mass, inertia, crank] = [0.4, 2.5, 0.21, 0.3];
    let given = [-0.12, -0.397, -0.0125, -1.8255, -1.8372, -1.8405];
    let [x, y, th, a, b, c] = given;
    let text = |[first, second, third]: [&str; 3]| {
        format!(
            "coordinates = ['x', 'y', 'th', 'a', 'b', 'c']\n[energy]\n\
             kinetic = \"({mass}*(x'^2 + y'^2) + {inertia}*th'^2 + {crank}*{l}^2/3*(a'^2 + b'^2 + c'^2))/2\"\n\
             [constraints]\n\
             h1x = '({first})*(x - 0.5*cos(th) + 0.5 - {l}*cos(a)) = 0'\n\
             h1y = '({second})*(y - 0.5*sin(th) - {l}*sin(a)) = 0'\n\
             h2x = '{third}*(x + 0.1*cos(th) - 0.1 - {l}*cos(b)) = 0'\n\
             h2y = 'y + 0.1*sin(th) - {l}*sin(b) = 0'\n\
             h3x = '({third})*(x + 0.6*cos(th)) = ({third})*(0.6 + {l}*cos(c))'\n\
             h3y = '({first})*(y + 0.6*sin(th)) = ({first})*{l}*sin(c)'\n[initial]\n\
             inconsistent = 'project'\nstate = ['x = {x}', 'y = {y}', 'th = {th}', 'a = {a}', 'b = {b}', 'c = {c}']\n"
        )
    };
    let far = |angle: f64| {
        let place = (x - l * angle.cos()).powi(2) + (y - l * angle.sin()).powi(2);
        let turns: f64 = [a, b, c].iter().map(|a| (a - angle).powi(2)).sum();
        mass * place + crank * l * l / 3.0 * turns
    };
    let (mut low, mut high) = (-2.5, -1.0);
    while high - low > 1e-9 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        match far(left) < far(right) {
            true => high = right,
            false => low = left,
        }
    }
    let angle = (low + high) / 2.0;
    let wanted = [l * angle.cos(), l * angle.sin(), 0.0, angle, angle, angle];
    for factors in [
        ["1", "1", "1"],
        ["1.3 + cos(t)", "1e4", "-2.713"],
        ["1 + x^2", "2 + sin(y)", "1e-3"],
    ] {
        let found = start(&text(factors));
        // The least is flat: half the digits.
        close(&format!("{factors:?}"), &found.q, &wanted, 1e-7);
    }
}

/// At rest `sqrt(u^2 + w^2)` has no derivative; at the motion variables of the file it has.
#[test]
fn motion_variables_are_where_the_search_begins() {
    for (psi, u, w, z) in [
        ("-sqrt(u^2 + w^2)", 1.0, 0.0, -1.0),
        ("sqrt(u^2 + w^2)", 0.6, -0.8, 1.0),
        ("sqrt(u^2 + w^2)", 3e9, 4e9, 5e9),
        ("exp(log(u^2 + w^2)/2)", 0.0, -2.0, 2.0),
    ] {
        let text = format!(
            r#"
            coordinates = ["x", "y", "z"]
            [energy]
            kinetic = "(x'^2 + y'^2 + z'^2)/2"
            [constraints]
            cone = "x'^2 + y'^2 = z'^2"
            [motion]
            variables = ["u", "w"]
            equations = ["x' = u", "y' = w", "z' = {psi}"]
            [initial]
            state = ["u = {u:e}", "w = {w:e}"]
            "#
        );
        close(psi, &start(&text).v, &[u, w, z], 1e-14);
    }
}

/// A text without its table of that name.
fn without_table(text: &str, name: &str) -> String {
    let heads = [format!("[{name}]"), format!("[{name}.")];
    let mut skipping = false;
    let kept = text.lines().filter(|line| {
        if line.starts_with('[') {
            skipping = heads.iter().any(|head| line.starts_with(head.as_str()));
        }
        !skipping
    });
    kept.map(|line| format!("{line}\n")).collect()
}

/// Many models are singular at rest, which is where they start if nothing else is said.
#[test]
fn a_motion_from_a_given_state_knows_nothing_of_the_start_of_the_file() {
    let mut compared = 0;
    for entry in gallery::entries() {
        let bare = without_table(entry.text, "initial");
        let [whole, bare] = [entry.text, bare.as_str()]
            .map(|text| read(entry.name, text).expect("a model of the gallery").0);
        let (p, bare) = (prepare(&whole), prepare(&bare));
        let Some(initial) = check(&p, None).0.initial else {
            continue;
        };
        let start = initial.start;
        let state = State {
            t: start.t,
            q: start.q,
            v: Some(start.v),
            z: None,
        };
        let options = RunOptions {
            until: Some(state.t + 0.3),
            samples: Some(4),
            start: Some(state),
            ..RunOptions::default()
        };
        let [found, other] = [&p, &bare].map(|p| run(p, &options, &mut Default::default()));
        let (Ok(found), Ok(other)) = (found, other) else {
            panic!("{} moves with and without a start of its own", entry.name);
        };
        assert_eq!(found.table.columns, other.table.columns, "{}", entry.name);
        assert_eq!(found.table.rows.len(), other.table.rows.len());
        for (first, other) in found.table.rows.iter().zip(&other.table.rows) {
            // What is indeterminate is NaN in both.
            assert!(
                first
                    .iter()
                    .zip(other)
                    .all(|(a, b)| a.is_nan() == b.is_nan())
            );
            let numbers = |row: &[f64]| {
                row.iter()
                    .map(|x| if x.is_nan() { 0.0 } else { *x })
                    .collect()
            };
            let [first, other]: [Vec<f64>; 2] = [first, other].map(|row| numbers(row));
            close(entry.name, &other, &first, 1e-9);
        }
        compared += 1;
    }
    assert!(compared > 50, "only {compared} models were compared");
}

/// An equation between parameters holds or does not, whatever the state; who means their values is told where they stand.
#[test]
fn a_start_that_speaks_of_parameters_says_where_they_have_their_values() {
    let text = |m: &str| {
        format!(
            "coordinates = [\"x\"]\nparameters = {{ m = 3 }}\n[energy]\nkinetic = \"m*x'^2/2\"\n\
             [initial]\nstate = [\"x = 1\", \"m = {m}\"]\n"
        )
    };
    let started = |m: &str| {
        let (model, _) = appell::read("m.toml", &text(m)).expect("a good model");
        let p = crate::common::prepare(&model);
        appell_study::states::start::start(&p).map_err(|error| error.message)
    };
    assert!(started("3").is_ok());
    let why = started("4").expect_err("a contradiction");
    assert!(why.contains("`m = 4` contains no coordinate"), "{why}");
}

/// Rows that no velocities satisfy, though they say nothing at 1e60: `exp(y')` vanishes there, and no digit of `sin(y')`
/// is known. `x'/y' = x/y` has a solution, which is not the smallest number.
#[test]
fn what_holds_at_no_velocity_is_refused_and_not_satisfied_far_away() {
    let plane = |row: &str, state: &str| {
        format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + 2*y'^2)/2\"\n[constraints]\n\
             c = \"{row}\"\n[initial]\nstate = [{state}]\n"
        )
    };
    for (row, state) in [
        ("exp(x') + exp(y') = 2", "\"x' = 5\""),
        ("exp(x') + exp(y') = 2", "\"x' = 1\""),
        ("exp(x') + exp(y') = 2", "\"x' = 0.7\""),
        ("sin(y') = x", "\"x = 2\""),
        ("atan(y') = x", "\"x = -2\""),
        ("tanh(y') = x'", "\"x' = 1.5\""),
        ("x'^2 + y'^2 = x", "\"x = -1\""),
    ] {
        let (code, said) = refused(&plane(row, state));
        let wrong = [Code::InconsistentStart, Code::InconsistentConstraints];
        assert!(wrong.contains(&code), "{row}, {state}: {said}");
        assert!(!said.contains("e+") && !said.contains("e1"), "{said}");
    }
    let found = start(&plane("exp(x') + exp(y') = 2", "\"x' = 0.5\""));
    close("exp", &found.v, &[0.5, (2.0 - 0.5f64.exp()).ln()], 1e-12);
    let found = start(&plane("x'/y' = x/y", "\"x = 1\", \"y = 2\", \"x' = 1\""));
    close("quotient", &found.v, &[1.0, 2.0], 1e-12);
}

/// Ranks tell nothing of forces: `1/(a - b)` is infinite, and `-v/|v|` has no value at rest.
#[test]
fn where_forces_have_no_value_the_state_is_singular() {
    for (forces, state, status) in [
        (
            "potential = \"x/(3/10 - a)\"",
            "\"x = 1\"",
            Status::Singular,
        ),
        ("potential = \"-log(x)\"", "\"x = 0\"", Status::Singular),
        ("potential = \"-log(x)\"", "\"x = 1\"", Status::Regular),
    ] {
        let model = model(&format!(
            "coordinates = [\"x\"]\n[parameters]\na = 0.3\n[energy]\nkinetic = \"x'^2/2\"\n{forces}\n[initial]\nstate = [{state}]\n"
        ));
        let judgement = check(&prepare(&model), None)
            .0
            .initial
            .expect("a start")
            .judgement;
        assert_eq!(
            judgement.status, status,
            "{forces} {state}: {:?}",
            judgement.why
        );
    }
}
