//! Members of ensembles that run into singular states, at one start after the other: each ends as it would alone,
//! wherever its steps happen to begin and end.

use appell::{
    BACKENDS, Control, EnsembleOptions, Members, Prepared, RunOptions, ensemble, read, run,
    with_initial,
};

/// A particle on a straight line through the origin, where the row vanishes.
const SKATE: &str = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "x"
[constraints]
c = "x*y' - y*x' = 0"
[initial]
state = ["x = 1", "y = 0", "x' = 0"]
[simulate]
until = 3
"#;

/// The same in polar coordinates, whose kinetic energy is singular there, where the row turns round in the metric.
const HILL: &str = r#"
coordinates = ["r", "a"]
[energy]
kinetic = "(r'^2 + r^2*a'^2)/2"
potential = "r"
[constraints]
c = "r*a' = 0"
[initial]
state = ["r = 1", "a = 0", "r' = 0"]
[simulate]
until = 3
"#;

/// Two rows that become parallel, at `x = 0`, while neither of them vanishes or turns round.
const PARALLEL: &str = r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "x"
[constraints]
c = "y' = 0"
d = "y' + x*z' = 0"
[initial]
state = ["x = 1", "y = 0", "z = 0", "x' = 0"]
[simulate]
until = 3
"#;

/// A start that is far from the origin at rest, at which the force grows: the state is a cubic.
const JERK: &str = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = "-t"
[constraints]
c = "x*y' - y*x' = 0"
[initial]
state = ["x = 1", "y = 0", "x' = 0"]
[simulate]
until = 3
"#;

/// The backends of lanes that this machine has.
fn backends() -> impl Iterator<Item = &'static str> {
    let present = BACKENDS.iter().filter(|backend| backend.examine().is_ok());
    let ids = present.map(|backend| backend.id);
    ids.chain(
        ["cc-exact", "cuda-exact"]
            .into_iter()
            .filter(|_| cfg!(feature = "cc")),
    )
}

fn options(backend: &str) -> RunOptions {
    RunOptions {
        backend: Some(backend.to_owned()),
        ..RunOptions::default()
    }
}

/// How motions from these starts end, as members.
fn as_members(text: &str, column: &str, starts: &[f64], backend: &str) -> Vec<String> {
    let (model, _) = read("model.toml", text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let members = Members::new(vec![column.to_owned()], starts.to_vec());
    let options = EnsembleOptions {
        run: options(backend),
        threads: 1,
    };
    let done = ensemble(&p, &members, &options, &mut Control::default()).expect("an ensemble");
    (0..starts.len()).map(|k| done.word(k).to_owned()).collect()
}

/// How a motion from this start ends alone.
fn alone(text: &str, column: &str, start: f64) -> &'static str {
    let text = with_initial(text, &[format!("{column} = {start:?}")]).expect("an equation");
    let (model, _) = read("model.toml", &text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let run = run(&p, &options("interp"), &mut Control::default()).expect("a run");
    let words = [
        ("cannot be continued on its sheet", "sheet-lost"),
        ("singular state", "singular"),
        ("step became too small", "underflow"),
        ("last time", "finished"),
    ];
    let found = words.iter().find(|(part, _)| run.outcome.contains(part));
    found.unwrap_or_else(|| panic!("{}", run.outcome)).1
}

/// Every start ends alone in this way, and so as a member, on every backend.
fn all_end(text: &str, column: &str, starts: &[f64], word: &str) {
    for start in starts.iter().step_by(starts.len() / 7) {
        assert_eq!(alone(text, column, *start), word, "{column} = {start}");
    }
    for backend in backends() {
        let found = as_members(text, column, starts, backend);
        for (start, found) in starts.iter().zip(found) {
            assert_eq!(found, word, "{backend}: {column} = {start}");
        }
    }
}

/// Starts in no proportion to each other.
fn starts(from: f64, width: f64) -> Vec<f64> {
    let part = |k: u32| (f64::from(k) * 0.618_033_988_75).fract();
    (0..150).map(|k| from + width * part(k)).collect()
}

#[test]
fn no_member_passes_a_state_where_the_row_vanishes() {
    all_end(SKATE, "x", &starts(0.5, 3.0), "singular");
    let beside = SKATE.replace("y = 0", "y = 0.2");
    all_end(&beside, "x", &starts(0.5, 3.0), "singular");
}

#[test]
fn no_member_passes_one_under_a_force_that_grows() {
    all_end(JERK, "x", &starts(0.3, 3.0), "singular");
}

#[test]
fn no_member_passes_a_state_where_the_row_turns_round() {
    all_end(HILL, "r", &starts(0.5, 3.0), "sheet-lost");
}

#[test]
fn no_member_passes_a_state_where_rows_become_parallel() {
    all_end(PARALLEL, "x", &starts(0.5, 3.0), "singular");
}

/// Filippov's sliding motion along `x' + 2 x = 0`.
const SLIDING: &str = r#"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[forces]
x = "-5*sign(x' + 2*x)"
[initial]
state = ["x = 1", "x' = 0"]
[simulate]
until = 5
"#;

#[test]
fn a_member_that_slides_along_a_jump_ends_as_alone() {
    for tolerance in [1e-5, 1e-8, 1e-11] {
        let text = format!("{SLIDING}rtol = {tolerance:e}\natol = {tolerance:e}\n");
        for start in [0.5, 0.9, 1.0] {
            assert_eq!(alone(&text, "x", start), "underflow", "{tolerance} {start}");
            let found = as_members(&text, "x", &[start], "interp");
            assert_eq!(found, ["underflow"], "{tolerance} {start}");
        }
    }
}
