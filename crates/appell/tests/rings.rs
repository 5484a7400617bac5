//! Rings: many rows, each of which speaks of two neighbours. What is asked of one row costs no more where there are
//! many others, counted in looks at a stop, so that no clock decides.

use appell::limits::{Stop, attempt, under};
use appell::{Check, Prepared, check, read};
use std::sync::Arc;

/// Particles in a ring, with a row for each pair of neighbours made by `row`, and a start.
fn ring(n: usize, row: impl Fn(usize, usize) -> String, start: impl Fn(usize) -> String) -> String {
    let all = |of: &dyn Fn(usize) -> String, between: &str| {
        let parts: Vec<String> = (0..n).map(of).collect();
        parts.join(between)
    };
    let names = all(&|i| format!("\"x{i}\", \"y{i}\""), ", ");
    let particle = |i: usize| format!("P{i} = {{ mass = 1, position = \"[x{i}, y{i}, 0]\" }}");
    let rows = all(&|i| format!("c{i} = \"{}\"", row(i, (i + 1) % n)), "\n");
    format!(
        "coordinates = [{names}]\n[particles]\n{}\n[constraints]\n{rows}\n\
         [initial]\ninconsistent = \"project\"\nstate = [{}]\n",
        all(&particle, "\n"),
        all(&start, ", ")
    )
}

/// Blades whose directions their neighbours turn.
fn blades(n: usize) -> String {
    let row = |i, j| format!("x{i}'*sin(x{j}) - y{i}'*cos(y{j}) = 0");
    ring(n, row, |i| {
        format!("\"x{i} = 0.3{i}\", \"y{i} = 0.1\", \"x{i}' = 1\"")
    })
}

/// Rods between neighbours on a regular polygon, given to six digits.
fn rods(n: usize) -> String {
    let row = |i, j| format!("(x{i} - x{j})^2 + (y{i} - y{j})^2 = 1");
    let turn = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
    let radius = 0.5 / (0.5 * turn(1)).sin();
    ring(n, row, |i| {
        let (x, y) = (radius * turn(i).cos(), radius * turn(i).sin());
        let (u, w) = (0.1 * (i as f64).sin(), 0.1 * (2.0 * i as f64).cos());
        format!("\"x{i} = {x:.6}\", \"y{i} = {y:.6}\", \"x{i}' = {u:.6}\", \"y{i}' = {w:.6}\"")
    })
}

/// Speeds that neighbours prescribe, by rows that are not linear.
fn speeds(n: usize) -> String {
    let row = |i, j| format!("x{i}'^2 + y{i}'^2 = 1 + (x{i} - x{j})^2/10 + x{j}'^2/5");
    ring(n, row, |i| {
        format!("\"x{i} = 0.3{i}\", \"y{i} = 0.1\", \"x{i}' = 1\", \"y{i}' = 0.5\"")
    })
}

/// Neighbours whose velocities are perpendicular: exponentially many ways to solve the rows.
fn perpendicular(n: usize) -> String {
    let row = |i, j| format!("dot(v(P{i}), v(P{j})) = 0");
    ring(n, row, |i| {
        let (x, y) = ((i + 1) % 2, i % 2);
        format!("\"x{i} = {i}\", \"y{i} = 0.5\", \"x{i}' = {x}\", \"y{i}' = {y}\"")
    })
}

/// More looks end a test.
const PATIENCE: u64 = 100_000_000;

/// What `check` says, and after how many looks.
fn checked(text: &str) -> (Option<Check>, u64) {
    let stop = Arc::new(Stop::at_look(PATIENCE));
    let answer = under(Some(Arc::clone(&stop)), || {
        attempt(|| {
            let (model, _) = read("ring.toml", text).expect("a model");
            let p = Prepared::new(&model, &[], &[]).expect("parameters");
            check(&p, None).0
        })
    });
    (answer.ok(), PATIENCE - stop.looks_left())
}

/// Checks a ring; its looks.
fn looks(text: &str, rows: usize, class: &[&str]) -> u64 {
    let (answer, looks) = checked(text);
    let answer = answer.expect("patience");
    assert_eq!(answer.dof, rows);
    for constraint in &answer.constraints {
        assert!(
            class.iter().all(|word| constraint.words.contains(word)),
            "{constraint:?}"
        );
    }
    assert!(answer.initial.is_some());
    looks
}

/// Twice as many rows take at most eight times as many looks, as an elimination does.
fn is_at_most_cubic(few: u64, many: u64) {
    let grown = (many as f64 / few as f64).log2();
    assert!(grown <= 3.0, "by a power of {grown}: {few}, {many}");
}

#[test]
fn a_ring_of_blades_is_checked() {
    let [few, many] = [20, 40].map(|n| looks(&blades(n), n, &["linear", "nonholonomic"]));
    is_at_most_cubic(few, many);
}

#[test]
fn a_ring_of_rods_is_checked() {
    let [few, many] = [10, 20].map(|n| looks(&rods(n), n, &["holonomic"]));
    is_at_most_cubic(few, many);
}

#[test]
fn a_ring_of_speeds_is_checked() {
    let [few, many] = [10, 20].map(|n| looks(&speeds(n), n, &["general"]));
    is_at_most_cubic(few, many);
}

#[test]
fn rows_that_share_unknowns_in_a_ring_are_read_in_bounded_memory() {
    let [few, many] = [10, 20].map(|n| {
        let (answer, looks) = checked(&perpendicular(n));
        assert!(answer.is_some());
        looks
    });
    is_at_most_cubic(few, many);
}
