//! A quantity along a motion, known at times: its extrema, integrals and crossings of zero.
//!
//! Between the times stands the polynomial through the six nearest values.

/// How many values a polynomial goes through.
const NODES: usize = 6;

/// A quantity at times in the direction of the motion, one of several side by side.
pub(super) struct Curve<'v> {
    times: &'v [f64],
    values: &'v [f64],
    width: usize,
    index: usize,
}

impl<'v> Curve<'v> {
    /// The quantity of this index in rows of so many.
    pub fn new(times: &'v [f64], values: &'v [f64], width: usize, index: usize) -> Self {
        Self {
            times,
            values,
            width,
            index,
        }
    }

    pub fn time(&self, k: usize) -> f64 {
        self.times[k]
    }

    pub fn value(&self, k: usize) -> f64 {
        self.values[k * self.width + self.index]
    }

    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// The value at the end.
    pub fn last(&self) -> f64 {
        self.value(self.count() - 1)
    }

    /// So many places around the interval behind place `k`.
    fn nodes(&self, k: usize, count: usize) -> std::ops::Range<usize> {
        let count = count.min(self.count());
        let first = (k + 1).saturating_sub(count / 2).min(self.count() - count);
        first..first + count
    }

    /// The polynomial through these places, by Neville's scheme.
    fn through(&self, nodes: std::ops::Range<usize>, t: f64) -> f64 {
        let mut table = [0.0; NODES];
        let (first, count) = (nodes.start, nodes.len());
        (0..count).for_each(|i| table[i] = self.value(first + i));
        for level in 1..count {
            for i in 0..count - level {
                let (a, b) = (self.times[first + i], self.times[first + i + level]);
                table[i] = ((t - b) * table[i] + (a - t) * table[i + 1]) / (a - b);
            }
        }
        table[0]
    }

    /// The value at a time between the first and the last.
    pub fn at(&self, t: f64) -> f64 {
        let forward = self.times[self.count() - 1] >= self.times[0];
        let after = self
            .times
            .partition_point(|own| (*own < t) == forward && *own != t);
        match self.times.get(after) {
            Some(own) if *own == t => self.value(after),
            _ => self.between(after.saturating_sub(1), t),
        }
    }

    /// The value at a time behind place `k`: that of the polynomial, where a shorter one agrees with it; else, as beside
    /// a jump, that of the nearest place.
    fn between(&self, k: usize, t: f64) -> f64 {
        let found = self.through(self.nodes(k, NODES), t);
        let short = self.through(self.nodes(k, 4), t);
        let nodes = self.nodes(k, NODES);
        let steps = nodes
            .clone()
            .skip(1)
            .map(|i| (self.value(i) - self.value(i - 1)).abs());
        // A jump is the largest step.
        let (all, largest) = steps.fold((0.0, 0.0), |(sum, most): (f64, f64), step| {
            (sum + step, most.max(step))
        });
        let next = (k + 1).min(self.count() - 1);
        let within = (self.value(next) - self.value(k)).abs();
        if within <= all - within && (found - short).abs() <= 0.1 * (all - largest) {
            return found;
        }
        let is_nearer = (t - self.time(k)).abs() <= (self.time(next) - t).abs();
        self.value(if is_nearer { k } else { next })
    }

    /// The largest value.
    pub fn max(&self) -> f64 {
        self.extreme(1.0)
    }

    /// The least value.
    pub fn min(&self) -> f64 {
        -self.extreme(-1.0)
    }

    /// The largest value of the quantity times a sign.
    fn extreme(&self, sign: f64) -> f64 {
        let own = |k: usize| sign * self.value(k);
        let places = 0..self.count();
        let highest = places.clone().map(own).fold(f64::NEG_INFINITY, f64::max);
        let is_peak = |k: &usize| {
            let before = k.checked_sub(1).map_or(f64::NEG_INFINITY, own);
            let after = (k + 1 < self.count()).then(|| own(k + 1));
            own(*k) >= before && own(*k) >= after.unwrap_or(f64::NEG_INFINITY)
        };
        // One that is lower by more than it rises to its neighbours stays below the highest.
        let rise = |k: usize| {
            let around = self.nodes(k, NODES).map(own).fold(f64::INFINITY, f64::min);
            own(k) - around
        };
        let peaks = places
            .filter(is_peak)
            .filter(|k| own(*k) + rise(*k) >= highest);
        peaks.map(|k| self.peak(k, sign)).fold(highest, f64::max)
    }

    /// The height of the peak near place `k`: that of the polynomial, where a shorter one agrees with it.
    fn peak(&self, k: usize, sign: f64) -> f64 {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let (mut a, mut b) = (
            self.times[k.saturating_sub(1)],
            self.times[(k + 1).min(self.count() - 1)],
        );
        let long = self.nodes(k, NODES);
        let height = |t: f64| sign * self.through(long.clone(), t);
        for _ in 0..48 {
            let (left, right) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
            if height(left) < height(right) {
                a = left;
            } else {
                b = right;
            }
        }
        let (t, own) = (0.5 * (a + b), sign * self.value(k));
        let short = sign * self.through(self.nodes(k, 4), t);
        let range = self.nodes(k, 4).map(|k| sign * self.value(k));
        let least = range.fold(f64::INFINITY, f64::min);
        let found = height(t);
        match (found - short).abs() <= 0.1 * (own - least).abs() {
            true => found.max(own),
            false => own,
        }
    }

    /// The integral over the time: Gauss's rule with three places on each interval.
    pub fn integral(&self) -> f64 {
        let places = [-0.6_f64.sqrt(), 0.0, 0.6_f64.sqrt()];
        let weights = [5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0];
        let inner = [11.0, -93.0, 802.0, 802.0, -93.0, 11.0];
        let mut sum = 0.0;
        for k in 0..self.count().saturating_sub(1) {
            let (a, b) = (self.times[k], self.times[k + 1]);
            let nodes = self.nodes(k, NODES);
            let even = |i: usize| {
                let h = self.times[i + 1] - self.times[i];
                (h - (b - a)).abs() <= 1e-9 * (b - a).abs()
            };
            let regular = nodes.len() == NODES && nodes.start + 2 == k && (k - 2..k + 3).all(even);
            sum += match regular {
                // The same for even times, in closed form.
                true => {
                    let values = nodes.zip(inner).map(|(i, w)| w * self.value(i));
                    (b - a) * values.sum::<f64>() / 1440.0
                }
                false => {
                    let at =
                        |x: &f64| self.through(nodes.clone(), 0.5 * (a + b) + 0.5 * (b - a) * x);
                    let values = places.iter().zip(weights).map(|(x, w)| w * at(x));
                    (b - a) * values.sum::<f64>()
                }
            };
        }
        sum
    }

    /// The mean over the time; the value where there is none to speak of.
    pub fn mean(&self) -> f64 {
        let time = self.times[self.count() - 1] - self.times[0];
        match time == 0.0 {
            true => self.value(0),
            false => self.integral() / time,
        }
    }

    /// The times at which the quantity becomes positive, or negative, in their order.
    pub fn crossings(&self, rising: bool, falling: bool) -> impl Iterator<Item = f64> + '_ {
        (0..self.count().saturating_sub(1)).filter_map(move |k| {
            let (a, b) = (self.value(k), self.value(k + 1));
            let crosses = (rising && a < 0.0 && b >= 0.0) || (falling && a > 0.0 && b <= 0.0);
            crosses.then(|| self.root(k))
        })
    }

    /// Where the polynomial changes its sign between places `k` and `k + 1`, by bisection.
    fn root(&self, k: usize) -> f64 {
        let (mut a, mut b) = (self.times[k], self.times[k + 1]);
        let positive = self.value(k) > 0.0;
        let nodes = self.nodes(k, NODES);
        loop {
            let t = 0.5 * (a + b);
            if t == a || t == b {
                return b;
            }
            if (self.through(nodes.clone(), t) > 0.0) == positive {
                a = t;
            } else {
                b = t;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn sampled(f: impl Fn(f64) -> f64, until: f64, count: usize) -> (Vec<f64>, Vec<f64>) {
        let times: Vec<f64> = (0..count)
            .map(|i| until * i as f64 / (count - 1) as f64)
            .collect();
        let values = times.iter().map(|t| f(*t)).collect();
        (times, values)
    }

    /// Closed forms of a sine, forwards and backwards.
    #[test]
    fn a_sine_has_its_extrema_integral_and_zeros() {
        for until in [10.0, -10.0] {
            let (times, values) = sampled(|t| (t + 0.3).sin(), until, 501);
            let curve = Curve::new(&times, &values, 1, 0);
            assert!((curve.max() - 1.0).abs() < 1e-12, "{}", curve.max());
            assert!((curve.min() + 1.0).abs() < 1e-12);
            let integral = 0.3_f64.cos() - (until + 0.3).cos();
            assert!(
                (curve.integral() - integral).abs() < 1e-11,
                "{}",
                curve.integral() - integral
            );
            assert!((curve.mean() - integral / until).abs() < 1e-12);
            let rising: Vec<f64> = curve.crossings(true, false).collect();
            let first = if until > 0.0 {
                2.0 * PI - 0.3
            } else {
                -PI - 0.3
            };
            assert!((rising[0] - first).abs() < 1e-12, "{rising:?}");
            // Multiples of pi between 0.3 and 10.3, or -9.7.
            let zeros = if until > 0.0 { 3 } else { 4 };
            assert_eq!(curve.crossings(true, true).count(), zeros);
            assert!((curve.at(0.55 * until) - (0.55 * until + 0.3).sin()).abs() < 1e-12);
        }
    }

    /// A corner has no height beyond its values.
    #[test]
    fn corners_are_not_rounded() {
        let (times, values) = sampled(|t| (t - 1.003).abs(), 2.0, 201);
        let curve = Curve::new(&times, &values, 1, 0);
        assert!((0.0..0.005).contains(&curve.min()), "{}", curve.min());
        assert_eq!(curve.max(), 1.003);
    }

    /// An angle that jumps by a turn is never between its ends.
    #[test]
    fn beside_a_jump_stand_the_values_themselves() {
        let angle = |t: f64| t.sin().atan2(t.cos());
        let (times, values) = sampled(angle, 20.0, 501);
        let curve = Curve::new(&times, &values, 1, 0);
        for k in 0..2000 {
            let t = 0.01 * f64::from(k) + 0.003;
            let away = (curve.at(t) - angle(t)).abs();
            let apart = away.min((away - 2.0 * PI).abs());
            assert!(apart < 0.021, "{t}: {}, not {}", curve.at(t), angle(t));
        }
        let smooth = curve.at(1.503) - angle(1.503);
        assert!(smooth.abs() < 1e-12, "{smooth}");
    }

    #[test]
    fn a_motion_of_one_place_is_that_place() {
        let curve = Curve::new(&[2.0], &[7.0, 5.0], 2, 1);
        assert_eq!(
            (curve.max(), curve.min(), curve.mean(), curve.integral()),
            (5.0, 5.0, 5.0, 0.0)
        );
        assert_eq!(curve.crossings(true, true).count(), 0);
    }
}
