//! Every model of the gallery moves, keeps its constraints, closes its ledger and its claims hold.

use appell::{ExitKind, FORMALISMS, Prepared, RunOptions, check, gallery, read, run};

/// What may leave a claim open: a domain that the motion does not meet, as the other nappe of a cone. There
/// only the proof speaks.
const OPEN: &str = "no sample lies in its domain";

#[test]
fn every_model_in_every_formalism() {
    assert!(gallery::entries().len() >= 15);
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).unwrap_or_else(|errors| {
            let source = appell::Source::new(entry.name, entry.text);
            panic!("{}", appell::render_all(&errors, &source, false))
        });
        let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
        let mut moved = 0;
        for form in FORMALISMS {
            let options = RunOptions {
                form: Some(form),
                ..RunOptions::default()
            };
            if (form.derive)(&prepared.system, &prepared.constraints).is_err() {
                continue;
            }
            moved += 1;
            let place = format!("{} by {}", entry.name, form.id);
            let run = run(&prepared, &options, &mut Default::default())
                .unwrap_or_else(|error| panic!("{place}:\n{error}"));
            if form.id == "chaplygin" && run.exit != ExitKind::Done {
                // Its independent velocities cannot be changed: it ends in words where they fail.
                assert!(run.outcome.contains("singular"), "{place}: {}", run.outcome);
                continue;
            }
            assert_eq!(run.exit, ExitKind::Done, "{place}: {}", run.outcome);
            assert!(
                run.max_residual < 1e-14,
                "{place}: residual {:e}",
                run.max_residual
            );
            let terms = run
                .ledger
                .work
                .values()
                .fold(1.0, |size: f64, w| size.max(w.abs()));
            let bound = 10.0 * run.trajectory.steps as f64 * (1e-10 * terms + 1e-12);
            assert!(run.ledger.defect.abs() < bound, "{place}: {:?}", run.ledger);
            for claim in &run.claims {
                let why = claim.why.as_deref().unwrap_or_default();
                let open = claim.holds.is_none() && why.starts_with(OPEN);
                assert!(claim.holds == Some(true) || open, "{place}: {claim:?}");
            }
        }
        assert!(moved >= 2, "{}", entry.name);
    }
}

#[test]
fn every_start_is_on_its_constraints_and_regular() {
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
        let (answer, problem) = check(&prepared, None);
        assert!(problem.is_none(), "{}: {problem:?}", entry.name);
        let initial = answer.initial.expect("a start");
        assert!(
            initial.start.residual_after < 1e-14,
            "{}: {:?}",
            entry.name,
            initial.start
        );
        assert!(
            initial.judgement.has_motion(),
            "{}: {:?}",
            entry.name,
            initial.judgement
        );
    }
}

/// The 60-digit motion of the pucks, in every form that applies: those in independent velocities
/// change them on the way.
#[test]
fn every_form_follows_the_reference_motion_of_the_pucks() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../reference/trajectory_perpendicular.json"
    );
    let text = std::fs::read_to_string(path).expect("the reference");
    let reference: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let end = &reference["points"].as_array().expect("points")[10];
    let numbers = |key: &str| end[key].as_array().expect("a list").iter();
    let wanted = numbers("q").chain(numbers("u"));
    let wanted: Vec<f64> = wanted
        .map(|x| x.as_str().expect("digits").parse().expect("a number"))
        .collect();
    let entry = gallery::find("perpendicular").expect("it is there");
    let (model, _) = read(entry.name, entry.text).expect("it is right");
    let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
    let mut moved = 0;
    for form in FORMALISMS {
        if (form.derive)(&prepared.system, &prepared.constraints).is_err() {
            continue;
        }
        let options = RunOptions {
            form: Some(form),
            rtol: Some(1e-12),
            atol: Some(1e-12),
            samples: Some(3),
            ..RunOptions::default()
        };
        let run = run(&prepared, &options, &mut Default::default()).expect("it moves");
        let names = ["x1", "y1", "x2", "y2", "x1'", "y1'", "x2'", "y2'"];
        let last = run.table.rows.last().expect("a sample");
        for (name, wanted) in names.iter().zip(&wanted) {
            let column = run
                .table
                .columns
                .iter()
                .position(|c| c == name)
                .expect("a column");
            let error = (last[column] - wanted).abs();
            assert!(error < 1e-10, "{}: {name} is off by {error:e}", form.id);
        }
        moved += 1;
    }
    assert!(moved >= 8, "{moved} forms");
}
