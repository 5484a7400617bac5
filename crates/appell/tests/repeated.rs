//! A model that was asked before answers as it did, and as one that was not.

use appell::{Override, Prepared, Run, RunOptions, State, gallery, parse_override, read, run};

fn options(start: Option<State>) -> RunOptions {
    RunOptions {
        until: Some(0.5),
        samples: Some(6),
        start,
        ..RunOptions::default()
    }
}

fn moved(p: &Prepared<'_>, options: &RunOptions) -> Run {
    let moved = run(p, options, &mut Default::default());
    moved.unwrap_or_else(|error| panic!("{}: {}", p.model.title, error))
}

/// All numbers and verdicts of a run; NaN as text is equal to itself.
fn account(run: &Run) -> String {
    let (ledger, claims) = (&run.ledger, &run.claims);
    format!(
        "{:?} {} {ledger:?} {claims:?} {:?}",
        run.table, run.outcome, run.plots
    )
}

fn overrides(given: &[&str]) -> Vec<Override> {
    let read = |text: &&str| parse_override(text).expect("a value of a parameter");
    given.iter().map(read).collect()
}

#[test]
fn the_same_question_has_the_same_answer() {
    let mut repeated = 0;
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("the gallery can be read");
        let p = Prepared::new(&model, &[], &[]).expect("and prepared");
        let options = options(None);
        let Ok(first) = run(&p, &options, &mut Default::default()) else {
            continue;
        };
        let again = moved(&p, &options);
        assert_eq!(account(&first), account(&again), "{}", entry.name);
        repeated += 1;
    }
    assert!(repeated > 50, "only {repeated} models move");
}

#[test]
fn other_starts_and_parameters_leave_nothing_behind() {
    let rows = [
        ("skate", "m=3"),
        ("perpendicular", "m2=4"),
        ("rolling-disc", "r=0.7"),
        ("chaplygin-sleigh", "a=0.4"),
    ];
    for (name, given) in rows {
        let entry = gallery::find(name).expect("it is in the gallery");
        let (model, _) = read(name, entry.text).expect("it can be read");
        let mut p = Prepared::new(&model, &[], &[]).expect("and prepared");
        let first = moved(&p, &options(None));
        // Off the constraints, to be moved or refused, and on them.
        let away = State {
            t: 0.0,
            q: first.start.q.iter().map(|q| q + 0.1).collect(),
            v: Some(first.start.v.iter().map(|v| 1.3 * v + 0.01).collect()),
            z: None,
        };
        let _ = run(&p, &options(Some(away)), &mut Default::default());
        let changed = overrides(&[given]);
        p.set_parameters(&changed).expect("an admissible value");
        let other = moved(&p, &options(None));
        let (fresh_model, _) = read(name, entry.text).expect("it can be read");
        let fresh = Prepared::new(&fresh_model, &changed, &[]).expect("and prepared");
        let fresh = moved(&fresh, &options(None));
        assert_ne!(
            account(&first),
            account(&other),
            "{name}: {given} changes nothing"
        );
        let pairs = other
            .table
            .rows
            .iter()
            .flatten()
            .zip(fresh.table.rows.iter().flatten());
        for (a, b) in pairs {
            assert!((a - b).abs() <= 1e-11 * b.abs().max(1.0), "{name}: {a} {b}");
        }
        p.set_parameters(&[]).expect("those of the file");
        assert_eq!(
            account(&first),
            account(&moved(&p, &options(None))),
            "{name}"
        );
    }
}
