//! The length of the next step.

use crate::rules::GROW;
use crate::rules::LEAST;
use crate::rules::LONG;
use crate::rules::ROUNDED_TIME;
use crate::rules::SAFETY;
use crate::rules::SHRINK;
use appell_expr::elementary;

/// `h <- h 0.9 err^(-1/p)` for a method of order `p`, with the bounds of the program DOP853
/// (Hairer, Norsett & Wanner, II.4).
pub(crate) struct StepControl {
    order: u32,
    after_rejection: bool,
}

impl StepControl {
    pub fn new(order: u32) -> StepControl {
        StepControl {
            order,
            after_rejection: false,
        }
    }

    /// `x^(1/p)`
    fn root(&self, x: f64) -> f64 {
        match self.order {
            // Three square roots are quicker than a power.
            8 => x.sqrt().sqrt().sqrt(),
            order => elementary::power(x, 1.0 / f64::from(order)),
        }
    }

    /// The factor after a step accepted with this error (at most 1, in units of the tolerance).
    pub fn accepted(&mut self, error: f64) -> f64 {
        let wanted = SAFETY / self.root(error.max(1e-20));
        let limit = if self.after_rejection { 1.0 } else { GROW };
        self.after_rejection = false;
        wanted.clamp(SHRINK, limit)
    }

    /// The factor after a step rejected with this error; without a known error, a fixed one.
    pub fn rejected(&mut self, error: Option<f64>) -> f64 {
        self.after_rejection = true;
        let wanted = |error: f64| SAFETY / self.root(error);
        match error.map(wanted) {
            Some(factor) if factor >= SHRINK => factor.min(SAFETY),
            _ => SHRINK,
        }
    }
}

/// The step `h` from the time `t`, as long as the time becomes later by it: at large times the time is rounded, and
/// thousands of steps of another length would shift the motion in time.
#[inline(always)]
pub(crate) fn by_clock(t: f64, h: f64) -> f64 {
    let made = (t + h) - t;
    match made != 0.0 && (made - h).abs() > ROUNDED_TIME * h.abs() {
        true => made,
        false => h,
    }
}

/// Steps up to this length are below the rounding of the time; no step may be longer than `limit`.
#[inline(always)]
pub(crate) fn least_step(t: f64, limit: f64) -> f64 {
    LEAST * t.abs().max(limit.abs().min(LONG))
}

/// The part of a step of length `h` from `t` to `end`, of a motion until `until`, at which a time lies; at most 1, negative
/// for times before the step. None where the part `kept` of the step does not reach it. The sum `end` is rounded: times up to
/// it belong to this step, whatever their part of the length is, for none of them lies in the next one.
#[inline(always)]
pub(crate) fn part_of_step(time: f64, [t, end, until]: [f64; 3], h: f64, kept: f64) -> Option<f64> {
    let part = (time - t) / h;
    let reached = match kept < 1.0 {
        true => part <= kept,
        false => (time - end) / h <= 0.0,
    };
    let is_later = (until - time) / h < 0.0;
    (reached && !is_later && !part.is_nan()).then_some(part.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of 0.005 end beside the multiples of 0.025 by rounding: each of these lies in one of them.
    #[test]
    fn a_time_lies_in_one_step_however_its_end_is_rounded() {
        for (h, count) in [(0.005, 100), (0.01, 300), (0.07, 50), (-0.003, 100)] {
            let until = h * f64::from(count);
            let mut t = 0.0;
            let mut found = vec![0; 41];
            let ends = (1..=count).map(|_| {
                let start = t;
                t += h;
                [start, t, until + h]
            });
            for step in ends {
                for (k, times) in (0..).zip(&mut found) {
                    let time = until * f64::from(k) / 40.0;
                    let part = part_of_step(time, step, h, 1.0);
                    *times += i32::from(part.is_some_and(|part| part > 0.0 && part <= 1.0));
                }
            }
            assert!(
                found[1..40].iter().all(|times| *times == 1),
                "{h} {found:?}"
            );
        }
    }

    #[test]
    fn the_least_step_follows_the_time_and_what_remains_of_short_motions() {
        assert_eq!(least_step(-3.0, 2.0), 3.0 * LEAST);
        assert_eq!(least_step(0.5, -2.0), 2.0 * LEAST);
        assert_eq!(least_step(0.5, 1e15), 1e3 * LEAST);
        assert_eq!(least_step(1e6, 1e15), 1e6 * LEAST);
    }

    #[test]
    fn factors_are_bounded_and_ordered() {
        let mut control = StepControl::new(8);
        assert_eq!(control.accepted(0.0), GROW);
        assert!(control.accepted(0.9) < 1.0);
        assert_eq!(control.rejected(Some(f64::NAN)), SHRINK);
        assert_eq!(control.rejected(Some(1e30)), SHRINK);
        assert_eq!(control.rejected(None), SHRINK);
        let factor = control.rejected(Some(2.0));
        assert!((SHRINK..1.0).contains(&factor));
        assert!(
            control.accepted(1e-9) <= 1.0,
            "no growth right after a rejection"
        );
        assert_eq!(control.accepted(1e-9), GROW);
    }
}
