//! The dominant frequency of a quantity along a motion: numerical analysis of fundamental frequencies [laskar1993].
//!
//! The largest value of `|F(w)|`, `F(w) = sum h_k (x_k - c) exp(-i w t_k)`, with the window `h_k = sin^4(pi k / (n-1))`
//! and `c` the mean under it. A fast transform finds near which frequency it is, the zero of the derivative where.
//! The last bits do not depend on the processor: nothing is chosen by what it can.

use super::curve::Curve;
use appell_expr::elementary;
use rustfft::FftPlannerScalar;
use rustfft::num_complex::Complex64;
use std::f64::consts::PI;

/// Fewer values are no spectrum.
const LEAST: usize = 16;
/// Fewer periods than that are no oscillation: a drift looks alike.
const PERIODS: f64 = 3.0;
/// What varies less, relative to its size, is rounding.
const ROUNDING: f64 = 1e-12;
/// How many frequencies are looked at for each one that a transform needs.
const FINER: usize = 4;

/// Transforms that were planned.
pub(crate) struct Planner(FftPlannerScalar<f64>);

impl Default for Planner {
    fn default() -> Self {
        Self(FftPlannerScalar::new())
    }
}

/// A quantity at even times under a window, without its mean.
struct Windowed {
    step: f64,
    values: Vec<f64>,
}

impl Windowed {
    /// The quantity at the times that are even, from the first on; none where it does not vary.
    fn new(curve: &Curve<'_>) -> Option<Self> {
        let count = even(curve);
        if count < LEAST {
            return None;
        }
        let last = (count - 1) as f64;
        let step = (curve.time(count - 1) - curve.time(0)).abs() / last;
        let window = |k: usize| {
            let sine = elementary::sin(PI * k as f64 / last);
            (sine * sine) * (sine * sine)
        };
        let places = || 0..count;
        let weights: f64 = places().map(window).sum();
        let mean = places().map(|k| window(k) * curve.value(k)).sum::<f64>() / weights;
        let size = places().map(|k| curve.value(k).abs()).fold(0.0, f64::max);
        let away = places().map(|k| (curve.value(k) - mean).abs());
        let varies = away.fold(0.0, f64::max) > ROUNDING * size;
        let values = places().map(|k| window(k) * (curve.value(k) - mean));
        let values: Vec<f64> = values.collect();
        let finite = values.iter().all(|x| x.is_finite());
        (varies && finite && step > 0.0).then_some(Self { step, values })
    }

    /// The number of frequencies below half of that of sampling that are looked at, and the one with the largest
    /// amplitude of those beyond a drift, if it is larger than its neighbours.
    fn highest(&self, planner: &mut Planner) -> Option<(usize, usize)> {
        let length = (FINER * self.values.len()).next_power_of_two();
        let mut room = vec![Complex64::default(); length];
        for (entry, x) in room.iter_mut().zip(&self.values) {
            entry.re = *x;
        }
        planner.0.plan_fft_forward(length).process(&mut room);
        let sizes: Vec<f64> = room[..=length / 2]
            .iter()
            .map(Complex64::norm_sqr)
            .collect();
        let first = (PERIODS * length as f64 / (self.values.len() - 1) as f64).floor() as usize;
        let inner = first.max(1)..length / 2;
        let highest = inner.max_by(|a, b| sizes[*a].total_cmp(&sizes[*b]))?;
        let all = sizes.iter().copied().fold(0.0, f64::max);
        let is_peak = sizes[highest] > sizes[highest - 1] && sizes[highest] >= sizes[highest + 1];
        (is_peak && sizes[highest] == all).then_some((length, highest))
    }

    /// Half the derivative of `|F|^2` by the angle from value to value, at such an angle.
    fn slope(&self, angle: f64) -> f64 {
        let turn = Complex64::new(elementary::cos(angle), -elementary::sin(angle));
        let middle = 0.5 * (self.values.len() - 1) as f64;
        let (mut sum, mut moment) = (Complex64::default(), Complex64::default());
        let mut unit = Complex64::new(1.0, 0.0);
        for (k, x) in self.values.iter().enumerate() {
            let term = unit * *x;
            sum += term;
            moment += term * (k as f64 - middle);
            unit *= turn;
        }
        // F' = -i sum (k - middle) x_k exp(..), about the middle, so that little cancels.
        sum.re * moment.im - sum.im * moment.re
    }
}

/// How many times from the first on are evenly apart.
fn even(curve: &Curve<'_>) -> usize {
    let count = curve.count();
    if count < 2 {
        return count;
    }
    let step = curve.time(1) - curve.time(0);
    let apart = |k: &usize| {
        let gap = curve.time(*k) - curve.time(*k - 1);
        (gap - step).abs() <= 1e-6 * step.abs()
    };
    1 + (1..count).take_while(apart).count()
}

/// The frequency, in periods for a unit of time; NaN where the quantity does not vary, or none dominates within
/// three periods of the motion and half of the looks.
pub(super) fn frequency(curve: &Curve<'_>, planner: &mut Planner) -> f64 {
    let found = Windowed::new(curve).and_then(|windowed| {
        let (length, highest) = windowed.highest(planner)?;
        let angle = |place: f64| 2.0 * PI * place / length as f64;
        let place = highest as f64;
        let angle = root(angle(place - 1.0), angle(place + 1.0), |x| {
            windowed.slope(x)
        })?;
        Some(angle / (2.0 * PI * windowed.step))
    });
    found.unwrap_or(f64::NAN)
}

/// Where a function that is positive before its zero and negative behind it has it: false position after Illinois.
fn root(a: f64, b: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    let ((mut a, mut fa), (mut b, mut fb)) = ((a, f(a)), (b, f(b)));
    if !(fa > 0.0 && fb < 0.0) {
        return None;
    }
    let mut last = f64::NAN;
    let mut rising = None;
    for _ in 0..60 {
        let x = (a * fb - b * fa) / (fb - fa);
        let fx = f(x);
        if fx == 0.0 || (x - last).abs() <= f64::EPSILON * x {
            return Some(x);
        }
        last = x;
        // An end that stays twice counts for half.
        if fx > 0.0 {
            fb *= if rising == Some(true) { 0.5 } else { 1.0 };
            (a, fa) = (x, fx);
        } else {
            fa *= if rising == Some(false) { 0.5 } else { 1.0 };
            (b, fb) = (x, fx);
        }
        rising = Some(fx > 0.0);
    }
    Some(last)
}

#[cfg(test)]
mod tests {
    use super::super::closer::{Between, Looks};
    use super::*;

    fn of(f: impl Fn(f64) -> f64, until: f64, count: usize) -> f64 {
        let times: Vec<f64> = (0..count)
            .map(|i| until * i as f64 / (count - 1) as f64)
            .collect();
        let values: Vec<f64> = times.iter().map(|t| f(*t)).collect();
        let looks = Looks {
            times: &times,
            values: &values,
            width: 1,
        };
        frequency(
            &Curve::new(looks, &Between::default(), 0),
            &mut Planner::default(),
        )
    }

    /// What the documentation promises: the deviation, relative to the frequency, by the number of periods.
    #[test]
    fn a_sine_is_found_the_better_the_more_periods() {
        for (periods, promised) in [(4.3, 1e-2), (10.3, 1e-6), (30.7, 1e-8), (100.1, 1e-10)] {
            for phase in [0.0, 0.7, 1.9, 2.8] {
                let found = of(|t| 3.0 + (2.0 * PI * periods * t + phase).cos(), 1.0, 501);
                let off = (found / periods - 1.0).abs();
                assert!(off < promised, "{periods} periods, {phase}: {off}");
            }
        }
    }

    #[test]
    fn the_larger_of_two_lines_is_the_frequency() {
        let two = |t: f64| (31.4 * t).sin() + 0.4 * (50.0 * t + 1.0).sin() + 0.2 * (80.0 * t).cos();
        let found = of(two, 10.0, 1001);
        assert!((2.0 * PI * found - 31.4).abs() < 1e-6, "{found}");
        let backwards = of(two, -10.0, 1001);
        assert!((2.0 * PI * backwards - 31.4).abs() < 1e-6, "{backwards}");
    }

    #[test]
    fn what_does_not_oscillate_has_no_frequency() {
        let cases: [fn(f64) -> f64; 5] = [
            |_| 0.0,
            |_| 1e9,
            |t| t,
            |t| (2.0 * PI * 1.3 * t).sin(),
            |t| if t > 0.5 { f64::NAN } else { (60.0 * t).sin() },
        ];
        for (k, case) in cases.into_iter().enumerate() {
            assert!(of(case, 1.0, 501).is_nan(), "case {k}");
        }
        assert!(of(|t| (60.0 * t).sin(), 1.0, 10).is_nan(), "too few places");
    }
}
