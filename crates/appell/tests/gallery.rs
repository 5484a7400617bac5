//! Every model of the gallery moves, keeps its constraints, closes its ledger and its claims hold.

use appell::{ExitKind, FORMALISMS, Prepared, RunOptions, check, gallery, read, run};

/// Words of `class` that this version does not decide: the claims that use them stay open.
const OPEN: [&str; 3] = ["`nonholonomic`", "`contrived`", "`inherent`"];

/// Forms in independent velocities that are chosen once: they may become singular on the way.
const INDEPENDENT: [&str; 5] = [
    "gibbs-appell",
    "maggi",
    "boltzmann-hamel",
    "voronec",
    "kane",
];

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
            let run = run(&prepared, &options, &mut Default::default()).unwrap_or_else(|error| {
                panic!("{place}:\n{}", appell::render(&error, &model.source, false))
            });
            if run.exit != ExitKind::Done && INDEPENDENT.contains(&form.id) {
                // The independent velocities fail, not the motion: said in words, and others go on.
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
                let why = claim.why.clone().unwrap_or_default();
                let open = claim.holds.is_none() && OPEN.iter().any(|word| why.starts_with(word));
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
