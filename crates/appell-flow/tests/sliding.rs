//! Motions that slide along a jump of the right-hand side, and motions that cross many.

use crate::common::{System, field, options};
use appell_flow::method::DOP853;
use appell_flow::{Control, Field, Outcome, Trajectory, integrate};

type Right = fn(f64, &[f64], &mut [f64]);

/// The motion of `(x, x')` with the quantity at whose zeros the right-hand side jumps.
fn run(right: Right, switch: Right, start: &[f64], (until, tolerance): (f64, f64)) -> Trajectory {
    let system = System::free(field(2, 2, right));
    let switches: Box<dyn Field> = field(2, 1, switch);
    let mut motion = system.motion();
    motion.switches = Some(&*switches);
    let options = options(until, tolerance);
    let mut control = Control::default();
    integrate(&motion, &DOP853, 0.0, start, &options, &mut control)
}

/// `x'' = -5 sign(x' + 2 x)`: on the line `x' = -2 x` both sides drive back to it where `|x| < 5/4`.
#[test]
fn a_sliding_motion_ends_whatever_the_tolerance() {
    let right: Right = |_, y, out| {
        out[0] = y[1];
        out[1] = -5.0 * (y[1] + 2.0 * y[0]).signum();
    };
    for tolerance in [
        1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13,
    ] {
        for x in [0.3, 0.5, 0.7, 0.9, 1.0, 1.1] {
            let run = run(
                right,
                |_, y, out| out[0] = y[1] + 2.0 * y[0],
                &[x, 0.0],
                (5.0, tolerance),
            );
            let ends = matches!(run.outcome, Outcome::Underflow { .. });
            assert!(ends, "{tolerance} {x}: {}", run.outcome);
            let count = run.steps + run.rejected;
            assert!(count < 2_000, "{tolerance} {x}: {count}");
        }
    }
}

/// A thousand jumps with the time.
#[test]
fn many_jumps_that_are_crossed_are_no_sliding_motion() {
    let right: Right = |t, y, out| {
        out[0] = y[1];
        out[1] = (1e3 * std::f64::consts::PI * t).sin().signum();
    };
    let switch: Right = |t, _, out| out[0] = (1e3 * std::f64::consts::PI * t).sin();
    let run = run(right, switch, &[0.0, 0.0], (1.0, 1e-9));
    assert!(
        matches!(run.outcome, Outcome::Finished { .. }),
        "{}",
        run.outcome
    );
    // Each of 500 periods of two thousandths pushes by a thousandth and back: x' is half of that in the mean.
    let x = run.samples[run.samples.len() - 1].y[0];
    assert!((x - 5e-4).abs() < 1e-8, "{x}");
}
