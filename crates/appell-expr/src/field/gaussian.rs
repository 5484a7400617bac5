//! Angles of points with whole coordinates, by Gaussian primes: `16 atan(1/5) - 4 atan(1/239) = pi` since
//! `(5 + i)^16` and `(239 + i)^4` have the same primes.
//!
//! The angle of `x + i y` is the sum of those of its prime factors, up to quarter turns. Of each prime
//! `l = a^2 + b^2` of the whole numbers the factor `a + i b` with `a > b > 0` has one unknown angle; these and `pi`
//! have no relation with rational coefficients, since Gaussian integers factor in one way only.

use super::prime::PrimeField;
use crate::program::Numbers;

/// Whole numbers up to this one are recognised: their squares together stay far below the prime.
const MAX_WHOLE: i64 = 2_048;
/// Rounding of a count of eighths of a turn.
const NEAR: f64 = 1e-6;

impl PrimeField {
    /// `atan2(y, x)` of two whole numbers, if the elements are such.
    pub(super) fn angle_of_whole(&mut self, y: u64, x: u64) -> Option<u64> {
        let (y, x) = (self.whole(y)?, self.whole(x)?);
        self.angle_of(y, x)
    }

    /// `atan t` of a quotient of two whole numbers, if the element is one.
    pub(super) fn angle_of_slope(&mut self, t: u64) -> Option<u64> {
        let f = self.f;
        let (mut r, mut s) = ((f.p, t), (0, 1));
        while r.1 > MAX_WHOLE.unsigned_abs() {
            let quotient = r.0 / r.1;
            r = (r.1, r.0 % r.1);
            s = (s.1, f.minus(s.0, f.times(quotient % f.p, s.1)));
        }
        let (y, x) = (i64::try_from(r.1).ok()?, self.whole(s.1)?);
        let y = y * x.signum();
        self.angle_of(y, x.abs())
    }

    /// The whole number of an element, if it is small.
    fn whole(&self, x: u64) -> Option<i64> {
        let most = MAX_WHOLE.unsigned_abs();
        match x {
            _ if x <= most => i64::try_from(x).ok(),
            _ if self.f.p - x <= most => Some(-i64::try_from(self.f.p - x).ok()?),
            _ => None,
        }
    }

    fn angle_of(&mut self, y: i64, x: i64) -> Option<u64> {
        let factors = gaussian_factors(x, y)?;
        let f = self.f;
        let (mut sum, mut rounded) = (0, 0.0);
        for (a, b, k) in factors {
            let known = self
                .functions
                .angles
                .iter()
                .find(|(factor, _)| *factor == (a, b));
            let angle = known.map(|(_, angle)| *angle);
            let angle = angle.unwrap_or_else(|| {
                let angle = self.element();
                self.functions.angles.push(((a, b), angle));
                angle
            });
            let many = f.times(angle, k.unsigned_abs());
            sum = if k < 0 {
                f.minus(sum, many)
            } else {
                f.plus(sum, many)
            };
            rounded += k as f64 * (b as f64).atan2(a as f64);
        }
        let eighths = ((y as f64).atan2(x as f64) - rounded) / std::f64::consts::FRAC_PI_4;
        let count = eighths.round();
        if (eighths - count).abs() > NEAR {
            return None;
        }
        let quarter = f.times(self.pi(), f.inverse(4)?);
        let turns = f.times(quarter, count.abs() as u64);
        Some(if count < 0.0 {
            f.minus(sum, turns)
        } else {
            f.plus(sum, turns)
        })
    }
}

/// The prime factors `a + i b` with `a > b > 0` of `x + i y`, as `(a, b, k)`: how often they or, with negative `k`,
/// their conjugates divide it once what is real is taken out. The rest is a unit and a power of `1 + i`.
fn gaussian_factors(x: i64, y: i64) -> Option<Vec<(i64, i64, i64)>> {
    let common = num_integer::gcd(x, y);
    if common == 0 {
        return None;
    }
    let (x, y) = (x / common, y / common);
    let mut rest = x * x + y * y;
    let mut factors = Vec::new();
    let mut l = 2;
    while rest > 1 {
        if l * l > rest {
            l = rest;
        }
        let mut k = 0;
        while rest % l == 0 {
            rest /= l;
            k += 1;
        }
        if k > 0 && l > 2 {
            let (a, b) = two_squares(l)?;
            // a + i b divides x + i y exactly if l divides (x + i y)(a - i b).
            let divides = (x * a + y * b) % l == 0 && (y * a - x * b) % l == 0;
            factors.push((a, b, if divides { k } else { -k }));
        }
        l += 1;
    }
    Some(factors)
}

/// `l = a^2 + b^2` with `a > b > 0`.
fn two_squares(l: i64) -> Option<(i64, i64)> {
    (1..=l.isqrt()).find_map(|b| {
        let square = l - b * b;
        let a = square.isqrt();
        (a > b && a * a == square).then_some((a, b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product of the factors has the angle of the number, up to eighths of a turn.
    #[test]
    fn factors_have_the_angle_of_their_product() {
        for (x, y) in [
            (5, 1),
            (239, 1),
            (1, 2),
            (-3, 7),
            (12, -8),
            (2048, 2047),
            (-1, 0),
            (65, 72),
        ] {
            let factors = gaussian_factors(x, y).expect("it is not 0");
            let sum: f64 = factors
                .iter()
                .map(|(a, b, k)| *k as f64 * (*b as f64).atan2(*a as f64))
                .sum();
            let eighths = ((y as f64).atan2(x as f64) - sum) / std::f64::consts::FRAC_PI_4;
            assert!(
                (eighths - eighths.round()).abs() < 1e-9,
                "{x}, {y}: {factors:?}"
            );
        }
    }
}
