//! Every way a run can end, and that what was computed is kept.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{System, appell, field, options};
use appell_flow::method::{DOP853, METHODS, find};
use appell_flow::{Control, EvalError, ExitKind, Field, Options, Outcome, Workspace, integrate};

#[test]
fn the_table_of_methods_is_searched_by_name() {
    assert!(
        METHODS
            .iter()
            .all(|method| find(method.id).is_some_and(|m| m.id == method.id))
    );
    assert!(find("euler").is_none());
}

#[test]
fn a_run_of_no_length_reports_its_start() {
    let system = System::free(field(1, 1, |_, y, out| out[0] = y[0]));
    let run = system.run(
        &[2.0],
        &Options {
            samples: vec![0.0],
            ..options(0.0, 1e-9)
        },
    );
    assert!(matches!(run.outcome, Outcome::Finished { .. }));
    assert_eq!((run.samples.len(), run.steps), (1, 0));
    assert_eq!(run.samples[0].y, [2.0]);
}

#[test]
fn an_empty_state_is_integrated() {
    let system = System::free(field(0, 0, |_, _, _| ()));
    let run = system.run(
        &[],
        &Options {
            samples: vec![0.5],
            ..options(1.0, 1e-9)
        },
    );
    assert!(
        matches!(run.outcome, Outcome::Finished { .. }),
        "{}",
        run.outcome
    );
    assert_eq!(run.samples.len(), 2);
}

#[test]
fn a_solution_that_grows_without_bound_underflows_near_its_pole() {
    let system = System::free(field(1, 1, |_, y, out| out[0] = y[0] * y[0]));
    let run = system.run(&[1.0], &options(2.0, 1e-9));
    assert_eq!(run.outcome.exit_kind(), ExitKind::NumericalFailure);
    assert!((run.outcome.at().t - 1.0).abs() < 1e-6, "{}", run.outcome);
    let text = run.outcome.to_string();
    assert!(text.contains("y0 = ") && text.contains("step"), "{text}");
    assert!(run.samples[0].y[0] > 1e6);
}

/// `y' = 1` until `t = 0.7`, then nothing.
struct Half;

impl Field for Half {
    fn inputs(&self) -> usize {
        1
    }
    fn outputs(&self) -> usize {
        1
    }
    fn eval(
        &self,
        _: &mut Workspace,
        t: f64,
        _: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        out[0] = 1.0;
        if t <= 0.7 {
            return Ok(());
        }
        Err(Box::new(EvalError::Singular {
            what: "the mass matrix".to_owned(),
        }))
    }
}

#[test]
fn trouble_that_persists_ends_the_run_at_its_place() {
    let run = System::free(Box::new(Half)).run(&[0.0], &options(1.0, 1e-9));
    let Outcome::EvalError { at, error } = &run.outcome else {
        panic!("{}", run.outcome)
    };
    assert!((at.t - 0.7).abs() < 1e-12, "{}", at.t);
    assert_eq!(error.to_string(), "the mass matrix is singular");
    assert!((run.samples[0].y[0] - 0.7).abs() < 1e-12);
}

#[test]
fn undefined_numbers_are_trouble_and_no_panic() {
    let undefined = System::free(field(1, 1, |t, _, out| out[0] = (0.5 - t).sqrt()));
    let run = undefined.run(&[0.0], &options(1.0, 1e-6));
    assert_eq!(run.outcome.exit_kind(), ExitKind::NumericalFailure);
    assert!(
        run.samples[0].t > 0.49 && run.samples[0].t <= 0.5,
        "{}",
        run.outcome
    );
    for (start, until) in [(f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        let run = undefined.run(&[start], &options(until, 1e-6));
        assert!(
            matches!(run.outcome, Outcome::EvalError { .. }),
            "{}",
            run.outcome
        );
    }
}

#[test]
fn a_budget_a_flag_and_the_progress_are_respected() {
    let system = System::free(field(2, 2, |_, y, out| out.copy_from_slice(&[y[1], -y[0]])));
    let motion = system.motion();
    let wanted = Options {
        max_steps: 7,
        ..options(1e3, 1e-10)
    };
    let mut seen = Vec::new();
    let mut progress = |part: f64| seen.push(part);
    let mut control = Control {
        cancel: None,
        progress: Some(&mut progress),
        stream: None,
    };
    let run = integrate(&motion, &DOP853, 0.0, &[1.0, 0.0], &wanted, &mut control);
    let Outcome::StepsExhausted { at, steps: 7 } = &run.outcome else {
        panic!("{}", run.outcome)
    };
    assert_eq!(run.outcome.exit_kind(), ExitKind::Budget);
    assert_eq!(run.steps + run.rejected, 7);
    assert!(
        seen.is_sorted()
            && seen
                .last()
                .is_some_and(|part| (part - at.t / 1e3).abs() < 1e-15)
    );

    let flag = AtomicBool::new(false);
    let mut stop_early = |part: f64| flag.store(part > 0.3, Ordering::Relaxed);
    let mut control = Control {
        cancel: Some(&flag),
        progress: Some(&mut stop_early),
        stream: None,
    };
    let run = integrate(
        &motion,
        &DOP853,
        0.0,
        &[1.0, 0.0],
        &options(1e2, 1e-8),
        &mut control,
    );
    assert_eq!(run.outcome.exit_kind(), ExitKind::Interrupted);
    let last = run.samples[run.samples.len() - 1].t;
    assert!(last > 30.0 && last < 40.0, "{last}");
}

#[test]
fn a_start_off_the_constraints_is_refused() {
    let run = appell(1.0, 9.81).run(&[0.0, 0.0, 0.0, 1.6, 1.2, 1.5], &options(1.0, 1e-10));
    let Outcome::EvalError {
        error: EvalError::Inconsistent { .. },
        ..
    } = &run.outcome
    else {
        panic!("{}", run.outcome)
    };
    assert_eq!(run.samples.len(), 1);
}

#[test]
fn two_runs_of_one_motion_agree_to_the_last_bit() {
    let system = appell(1.0, 9.81);
    let start = [0.0, 0.0, 0.0, 1.6, 1.2, 2.0];
    let wanted = Options {
        samples: vec![0.1, 0.2, 0.3],
        ..options(0.35, 1e-11)
    };
    let motion = system.motion();
    let run = || {
        integrate(
            &motion,
            &DOP853,
            0.0,
            &start,
            &wanted,
            &mut Control::default(),
        )
    };
    let (here, there) = std::thread::scope(|scope| {
        let other = scope.spawn(run);
        (run(), other.join().expect("no panic"))
    });
    assert_eq!(here, there);
}
