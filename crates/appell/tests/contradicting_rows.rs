//! Rows that depend on each other and agree at the start only: no motion goes on from there, and none is told. The truth
//! of each is seen by hand; rows that follow from others are beside them.

use crate::common::{model, prepare};
use appell::{
    Check, Control, Ending, EnsembleOptions, ExitKind, FORMALISMS, Members, RunOptions, Status,
    Stepper, check, ensemble, run,
};

/// A model by its coordinates, rows and start, with unit masses.
fn text(coordinates: &[&str], rows: &[&str], start: &str) -> String {
    let quoted: Vec<String> = coordinates.iter().map(|q| format!("\"{q}\"")).collect();
    let squares: Vec<String> = coordinates.iter().map(|q| format!("{q}'^2")).collect();
    let rows = rows.iter().enumerate();
    let rows: Vec<String> = rows.map(|(i, row)| format!("c{i} = \"{row}\"")).collect();
    format!(
        "coordinates = [{}]\n[energy]\nkinetic = \"({})/2\"\n[constraints]\n{}\n[initial]\nstate = [{start}]\n\
         [simulate]\nuntil = 1\n",
        quoted.join(", "),
        squares.join(" + "),
        rows.join("\n")
    )
}

/// Coordinates, rows, start, the row that is missed.
type Case = (
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
    &'static str,
);

/// Models whose rows hold at the start and contradict each other from there on.
const CONTRADICTIONS: &[Case] = &[
    (&["x"], &["x = t^3", "x = t^4"], "", "c1"),
    (&["x"], &["x' = t^3", "x' = t^4"], "\"x = 0\"", "c1"),
    (
        &["x", "y"],
        &["x'^2 + y'^2 = 1", "x'^2 + y'^2 + t^3 = 1"],
        "\"x = 0\", \"y = 0\", \"y' = 1\"",
        "c1",
    ),
    (
        &["x", "y"],
        &["x'^2 + y'^2 = 1", "x'^2 + y'^2 = 1 + x^3"],
        "\"x = 0\", \"y = 0\", \"x' = 0.6\", \"y' = 0.8\"",
        "c1",
    ),
    (
        &["x", "y"],
        &["exp(x' + y') = 1 + x^3", "x' + y' = 0"],
        "\"x = 0\", \"y = 0\", \"x' = 0.6\", \"y' = -0.6\"",
        "c1",
    ),
    (
        &["x", "phi"],
        &[
            "x - 1.5*sin(phi) = 2*(10*t^3 - 15*t^4 + 6*t^5)",
            "x + 1.5*sin(phi) = 2*(t - sin(2*pi*t)/(2*pi))",
            "phi = 0",
        ],
        "",
        "c2",
    ),
    (
        &["x", "y", "z"],
        &["x'' = z", "x'' = y"],
        "\"x = 0\", \"y = 0\", \"z = 0\", \"x' = 0\", \"y' = 0\", \"z' = 1\"",
        "c1",
    ),
    (
        &["x"],
        &["x'' = t", "x'' = sin(t)"],
        "\"x = 0\", \"x' = 0\"",
        "c1",
    ),
    (
        &["x", "y", "z"],
        &["x'' = z", "x = sin(t)"],
        "\"x = 0\", \"y = 0\", \"z = 0\", \"z' = 1\"",
        "c0",
    ),
];

fn checked(text: &str) -> (Check, Status, String) {
    let model = model(text);
    let p = prepare(&model);
    let (answer, problem) = check(&p, None);
    let judged = answer
        .initial
        .as_ref()
        .map(|initial| initial.judgement.clone());
    let judged = judged.unwrap_or_else(|| panic!("{text}: {problem:?}"));
    (answer, judged.status, judged.why.unwrap_or_default())
}

#[test]
fn rows_that_agree_at_the_start_only_are_inconsistent_there() {
    for (coordinates, rows, start, missed) in CONTRADICTIONS {
        let (answer, status, why) = checked(&text(coordinates, rows, start));
        assert_eq!(status, Status::Inconsistent, "{rows:?}: {why}");
        assert!(why.contains(missed), "{rows:?}: {why}");
        let mut words = answer.constraints.iter().flat_map(|class| &class.words);
        assert!(words.all(|word| *word != "redundant"), "{rows:?}");
    }
}

/// No form and no method computes a motion that there is not.
#[test]
fn no_run_goes_on_where_rows_contradict_each_other() {
    for (coordinates, rows, start, _) in CONTRADICTIONS {
        let model = model(&text(coordinates, rows, start));
        let p = prepare(&model);
        for form in FORMALISMS {
            let options = RunOptions {
                form: Some(form),
                ..RunOptions::default()
            };
            let done = run(&p, &options, &mut Control::default());
            let kind = done.map(|run| (run.exit, run.last_time(), run.outcome));
            if let Ok((exit, t, outcome)) = kind {
                assert_eq!(exit, ExitKind::NumericalFailure, "{rows:?}: {outcome}");
                assert!(t < 0.5, "{rows:?}: {outcome}");
            }
        }
        assert!(
            Stepper::new(&p, 0.1, &RunOptions::default()).is_err(),
            "{rows:?}"
        );
    }
}

/// `max(t - 1/2, 0)` vanishes at first: the motion ends where it does not.
fn later() -> String {
    text(
        &["x", "y"],
        &["x' = y", "x' = y + max(t - 0.5, 0)"],
        "\"x = 0\", \"y = 1\", \"y' = 0\"",
    )
}

#[test]
fn a_motion_ends_where_a_row_is_missed_for_the_first_time() {
    let model = model(&later());
    let p = prepare(&model);
    for form in FORMALISMS {
        let options = RunOptions {
            form: Some(form),
            ..RunOptions::default()
        };
        let Ok(run) = run(&p, &options, &mut Control::default()) else {
            continue;
        };
        assert_eq!(
            run.exit,
            ExitKind::NumericalFailure,
            "{}: {}",
            form.id,
            run.outcome
        );
        assert!(
            (run.last_time() - 0.5).abs() < 1e-4,
            "{}: {}",
            form.id,
            run.outcome
        );
        assert!(run.outcome.contains("`c1`"), "{}: {}", form.id, run.outcome);
    }
    let mut stepper = Stepper::new(&p, 0.2, &RunOptions::default()).expect("it moves");
    let steps: Vec<bool> = (0..3).map(|_| stepper.step().is_ok()).collect();
    assert_eq!(steps, [true, true, false]);
}

#[test]
fn members_end_where_a_row_is_missed() {
    let model = model(&later());
    let p = prepare(&model);
    let members = Members::new(vec!["x".to_owned()], vec![0.0, 1.0]);
    let options = EnsembleOptions {
        run: RunOptions::default(),
        threads: 1,
    };
    let done = ensemble(&p, &members, &options, &mut Control::default()).expect("an ensemble");
    assert_eq!(
        done.endings,
        [Some(Ending::RowMissed); 2],
        "{:?}",
        done.remarks
    );
}

/// Both rows say `z = y`, which this motion keeps by itself.
#[test]
fn rows_on_accelerations_that_agree_along_the_motion_are_no_contradiction() {
    let text = text(
        &["x", "y", "z"],
        &["x'' = z", "x'' = y"],
        "\"x = 0\", \"y = 0\", \"z = 0\", \"x' = 0\", \"y' = 1\", \"z' = 1\"",
    );
    let (_, status, why) = checked(&text);
    assert_eq!(status, Status::Redundant, "{why}");
    assert!(why.contains("not known"), "{why}");
    let model = model(&text);
    let p = prepare(&model);
    let run = run(&p, &RunOptions::default(), &mut Control::default()).expect("it moves");
    assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
}

/// Of rank 1 at an isolated point, and of rank 2 beside it: no motion begins there.
#[test]
fn an_infinitesimal_mechanism_is_singular() {
    let text = text(
        &["x", "a"],
        &["x = 1 - cos(a)", "x = a^2/2"],
        "\"x = 0\", \"a = 0\", \"a' = 1\"",
    );
    let (_, status, why) = checked(&text);
    assert_eq!(status, Status::Singular, "{why}");
    let model = model(&text);
    let p = prepare(&model);
    let run = run(&p, &RunOptions::default(), &mut Control::default()).expect("it stands");
    assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
    assert_eq!(run.last_time(), 0.0);
}

#[test]
fn rows_that_cannot_hold_are_not_redundant() {
    for rows in [&["sin(x) = 2"][..], &["x = 1", "x = 2"]] {
        let model = model(&text(&["x", "y"], rows, ""));
        let p = prepare(&model);
        let (answer, problem) = check(&p, None);
        assert!(problem.is_some(), "{rows:?}");
        let mut words = answer.constraints.iter().flat_map(|class| &class.words);
        assert!(words.all(|word| *word != "redundant"), "{rows:?}");
    }
}

/// Rows that follow from others stay what they were, at once and along the motion.
#[test]
fn rows_that_follow_from_others_are_redundant() {
    let parallel = "\"a = 0.5\", \"b = 0.5\", \"c = 0.5\", \"a' = 1\"";
    let cases: &[(&[&str], &[&str], &str)] = &[
        (&["x", "y"], &["x = sin(t)", "3*x = 3*sin(t)"], "\"y = 0\""),
        (&["x", "y"], &["x'' = -sin(t)", "x = sin(t)"], "\"y = 0\""),
        (
            &["x", "y"],
            &["x'' = y", "2*x'' = 2*y"],
            "\"x = 0\", \"y = 1\"",
        ),
        (
            &["a", "b", "c"],
            &[
                "cos(a) = cos(b)",
                "sin(a) = sin(b)",
                "cos(a) = cos(c)",
                "sin(a) = sin(c)",
            ],
            parallel,
        ),
    ];
    for (coordinates, rows, start) in cases {
        let text = text(coordinates, rows, start);
        let (_, status, why) = checked(&text);
        assert_eq!(status, Status::Redundant, "{rows:?}: {why}");
        assert!(why.ends_with("the multipliers are not"), "{rows:?}: {why}");
        let model = model(&text);
        let p = prepare(&model);
        let run = run(&p, &RunOptions::default(), &mut Control::default()).expect("it moves");
        assert_eq!(run.exit, ExitKind::Done, "{rows:?}: {}", run.outcome);
    }
}

/// What is told of rows that hold nowhere, or elsewhere: no reason that is empty, and nothing to remove where other
/// coordinates, or another time, would do.
#[test]
fn rows_that_hold_elsewhere_are_not_called_impossible() {
    let told = |row: &str| {
        let model = model(&text(&["x", "y", "z"], &[row], ""));
        let why = check(&prepare(&model), None).1.expect("an error");
        let words = [&why.message[..], &why.notes.concat()].concat();
        (why.code.id(), words)
    };
    for row in ["1/x' = 0", "1/x = 0"] {
        let (code, words) = told(row);
        assert_eq!(code, "E0303", "{row}");
        assert!(!words.trim_end().ends_with(':'), "{row}: {words}");
    }
    for row in [
        "x'^2 = x - 1e9",
        "x'^2 = x^2 - 1e6",
        "x'^2 + (y - 1)^2 = 0",
        "x'^2 + 1 = t",
    ] {
        let (code, words) = told(row);
        assert_eq!(code, "E0501", "{row}");
        assert!(words.contains("coordinates"), "{row}: {words}");
    }
    // At no time and at no coordinates.
    assert_eq!(told("x'^2 + y^2 + 1 = 0").0, "E0303");
}
