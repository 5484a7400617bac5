//! Every method of the table on the gallery.

use appell::{ExitKind, METHODS, Prepared, Run, RunOptions, gallery, read, run};

fn moved(name: &str, options: &RunOptions) -> Result<Run, String> {
    let entry = gallery::find(name).expect("it is in the gallery");
    let (model, _) = read(entry.name, entry.text).expect("it is right");
    let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
    run(&prepared, options, &mut Default::default()).map_err(|error| error.message)
}

fn by(method: &str, rtol: f64) -> RunOptions {
    RunOptions {
        method: Some(method.to_owned()),
        rtol: Some(rtol),
        atol: Some(0.01 * rtol),
        samples: Some(5),
        ..RunOptions::default()
    }
}

/// The largest difference of two runs at their samples, relative to the size of the states.
fn apart(a: &Run, b: &Run) -> f64 {
    let pairs = a.trajectory.samples.iter().zip(&b.trajectory.samples);
    let size = b.trajectory.samples.iter().flat_map(|sample| &sample.y);
    let size = size.fold(1.0f64, |size, y| size.max(y.abs()));
    pairs
        .flat_map(|(a, b)| a.y.iter().zip(&b.y))
        .fold(0.0f64, |worst, (a, b)| worst.max((a - b).abs()))
        / size
}

/// Series and stages agree on every model, and series keep the constraints to rounding.
#[test]
fn series_give_every_motion_of_the_gallery() {
    for entry in gallery::entries() {
        let stages = moved(entry.name, &by("dop853", 1e-11)).expect("it moves");
        let series = moved(entry.name, &by("taylor", 1e-11))
            .unwrap_or_else(|why| panic!("{}: {why}", entry.name));
        assert_eq!(series.method.id, "taylor");
        assert_eq!(
            series.exit, stages.exit,
            "{}: {}",
            entry.name, series.outcome
        );
        assert_eq!(
            series.trajectory.samples.len(),
            stages.trajectory.samples.len(),
            "{}",
            entry.name
        );
        let difference = apart(&series, &stages);
        assert!(difference < 1e-7, "{}: {difference:e}", entry.name);
        assert!(
            series.max_residual < 1e-14,
            "{}: {:e}",
            entry.name,
            series.max_residual
        );
    }
}

/// Nonlinear, holonomic and several linear rows: every method keeps them to rounding and closes its ledger.
#[test]
fn every_method_keeps_the_constraints() {
    for name in [
        "perpendicular",
        "rolling-disc",
        "chaplygin-sleigh",
        "snakeboard",
    ] {
        let wanted = moved(name, &by("dop853", 1e-11)).expect("it moves");
        for method in METHODS {
            let run = moved(name, &by(method.id, 1e-8))
                .unwrap_or_else(|why| panic!("{name} by {method:?}: {why}"));
            let place = format!("{name} by {method:?}");
            assert_eq!(run.exit, ExitKind::Done, "{place}: {}", run.outcome);
            assert!(run.max_residual < 1e-14, "{place}: {:e}", run.max_residual);
            let difference = apart(&run, &wanted);
            let bound = if method.order == Some(2) { 1e-2 } else { 1e-4 };
            assert!(difference < bound, "{place}: {difference:e}");
        }
    }
}

#[test]
fn a_form_without_velocities_is_refused_by_the_leapfrog_in_words() {
    let options = RunOptions {
        form: appell::Formalism::find("hamilton"),
        ..by("leapfrog", 1e-8)
    };
    let why = moved("perpendicular", &options).expect_err("momenta are no velocities");
    assert!(
        why.contains("leapfrog") && why.contains("velocities"),
        "{why}"
    );
}

#[test]
fn a_run_says_which_method_was_chosen_and_why() {
    let run = moved("perpendicular", &by("auto", 1e-10)).expect("it moves");
    assert!(METHODS.iter().any(|method| method.id == run.method.id));
    assert!(run.why.as_deref().is_some_and(|why| why.contains("1e-10")));
}
