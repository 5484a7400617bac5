//! Elementary functions by argument reduction and power series, with error bounds.
//!
//! Series are summed in integers, units of `2^-scale`; the bounds count a few units for each term and
//! what doublings make of them.

use super::ball::{Ball, signed};
use super::float::Float;
use super::numbers::Balls;
use super::radius::Radius;
use super::{LIMIT, NoValue};
use crate::limits::look;
use num_bigint::BigInt;
use num_integer::{Integer, Roots};
use num_traits::ToPrimitive;

/// Arguments of more binary digits before the point are not reduced by multiples of pi.
const MAX_ANGLE: i64 = 1 << 14;

/// `Sum_k term_k`, each term made of the one before; until they vanish.
fn series(first: BigInt, mut next: impl FnMut(&BigInt, u64) -> BigInt) -> BigInt {
    let (mut sum, mut term, mut k) = (first.clone(), first, 0);
    while term.bits() > 0 {
        look();
        k += 1;
        term = next(&term, k);
        sum += &term;
    }
    sum
}

/// `Sum_k (+-1)^k n^-(2k+1)/(2k+1)` in units of `2^-scale`: `atan(1/n)` or `atanh(1/n)`. Each term is off by
/// at most two units, and there are fewer than `scale`.
fn inverse_sum(n: u32, scale: u64, alternating: bool) -> BigInt {
    let square = BigInt::from(n) * n;
    let one: BigInt = BigInt::from(1) << scale;
    let (mut sum, mut power, mut k) = (BigInt::ZERO, one / n, 0u32);
    while power.bits() > 0 {
        look();
        let term = &power / (2 * k + 1);
        sum += if alternating && k % 2 == 1 {
            -term
        } else {
            term
        };
        power /= &square;
        k += 1;
    }
    sum
}

/// A number in units of `2^-scale` that is off by fewer than `units` of them.
fn fixed_ball(x: BigInt, scale: u64, units: u64, shift: i64) -> Ball {
    let scale = signed(scale);
    Ball {
        mid: Float::new(x, -scale),
        rad: Radius::integer(units, shift - scale),
    }
}

impl Balls {
    /// pi to so many bits, by Machin's formula `pi/4 = 4 atan(1/5) - atan(1/239)`.
    pub(super) fn pi_to(&mut self, bits: u64) -> Ball {
        if self.pi.as_ref().is_none_or(|(known, _)| *known < bits) {
            let scale = bits + 32;
            let quarter: BigInt = inverse_sum(5, scale, true) * 4 - inverse_sum(239, scale, true);
            // 4 (4 + 1) sums of fewer than `scale` terms.
            self.pi = Some((bits, fixed_ball(quarter << 2, scale, 40 * scale, 0)));
        }
        self.pi
            .as_ref()
            .map_or_else(Ball::whole, |(_, x)| x.clone())
    }

    /// `log 2 = 2 atanh(1/3)` to so many bits.
    fn log_of_two(&mut self, bits: u64) -> Ball {
        if self
            .log_of_two
            .as_ref()
            .is_none_or(|(known, _)| *known < bits)
        {
            let scale = bits + 32;
            let sum = inverse_sum(3, scale, false);
            self.log_of_two = Some((bits, fixed_ball(sum << 1, scale, 8 * scale, 0)));
        }
        let known = self.log_of_two.as_ref();
        known.map_or_else(Ball::whole, |(_, x)| x.clone())
    }

    /// `exp x`: `x = k log 2 + r`, the series at `r/2^h`, squared `h` times.
    ///
    /// # Errors
    /// An overflow.
    pub(super) fn exp(&mut self, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        if x.rad >= Radius::power_of_two(-3) {
            return self.exp_between(x, bits);
        }
        if x.is_zero() {
            return Ok(Ball::one());
        }
        match x.magnitude() {
            Some(size) if size > 23 && x.mid.sign() > 0 => return Err(NoValue::Undefined),
            Some(size) if size > 23 => {
                let tiny = Ball::exact(Float::new(1.into(), -LIMIT));
                return Ok(Ball::zero().hull(&tiny, bits));
            }
            _ => {}
        }
        #[allow(clippy::cast_possible_truncation, reason = "below 2^25")]
        let k = (x.to_f64() / std::f64::consts::LN_2).round() as i64;
        let two = self.log_of_two(bits + 64);
        let rest = x.minus(&two.times(&Ball::from(k), bits + 64), bits + 64);
        // |r| < 1/2: its error is enlarged by less than 2.
        let sum = exp_small(&rest.mid, bits).widened(rest.rad.scaled(1));
        Ok(Ball::rounded(sum.mid.scaled(k), sum.rad.scaled(k), bits))
    }

    fn exp_between(&mut self, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        if x.rad.is_infinite() {
            return Err(NoValue::Wide);
        }
        let [lower, upper] = [x.lower(bits), x.upper(bits)].map(Ball::exact);
        Ok(self.exp(&lower, bits)?.hull(&self.exp(&upper, bits)?, bits))
    }

    /// `log x`.
    ///
    /// # Errors
    /// A number that is not positive, or may be none.
    pub(super) fn log(&mut self, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        match x.sign() {
            Some(1) => {}
            Some(_) => return Err(NoValue::Undefined),
            None => return Err(NoValue::Wide),
        }
        if x.rad >= Radius::below(&x.mid).scaled(-3) {
            let [lower, upper] = [x.lower(bits), x.upper(bits)].map(Ball::exact);
            return Ok(self.log(&lower, bits)?.hull(&self.log(&upper, bits)?, bits));
        }
        let mut size = x.magnitude().ok_or(NoValue::Undefined)?;
        let mut reduced = x.mid.scaled(-size);
        if reduced.to_f64() > std::f64::consts::SQRT_2 {
            (size, reduced) = (size + 1, reduced.scaled(-1));
        }
        let spread = x.rad.over(x.least_size());
        let near_one = self.log_near_one(&reduced, bits + 8)?;
        let turns = self
            .log_of_two(bits + 32)
            .times(&Ball::from(size), bits + 32);
        let sum = near_one.plus(&turns, bits + 8).widened(spread);
        Ok(Ball::rounded(sum.mid, sum.rad, bits))
    }

    /// `log a` for `a` near 1: `y + log(a e^-y)` with a first `y` of a third of the digits.
    fn log_near_one(&mut self, a: &Float, bits: u64) -> Result<Ball, NoValue> {
        let off = (a - &Float::one()).magnitude();
        let Some(off) = off else {
            return Ok(Ball::zero());
        };
        let extra = u64::try_from(-off).unwrap_or(0).min(bits);
        let y = if bits <= 140 {
            Float::from_f64(a.to_f64().ln()).ok_or(NoValue::Undefined)?
        } else {
            let first = self.log_near_one(a, bits / 3 + 16)?;
            first.mid.rounded(bits / 3 + 16).0
        };
        let bits = bits + extra;
        let power = self.exp(&Ball::exact(-&y), bits + 8)?;
        let z = Ball::exact(a.clone()).times(&power, bits + 8);
        let z = z.minus(&Ball::one(), bits + 8);
        if z.size() > Radius::power_of_two(-2) {
            return Err(NoValue::Wide);
        }
        // log(1 + z) = z - z^2/2, up to |z|^3.
        let cubed = z.size().times(z.size()).times(z.size());
        let second = z.times(&z, bits).scaled(-1);
        let sum = Ball::exact(y).plus(&z.minus(&second, bits), bits);
        Ok(sum.widened(cubed))
    }

    /// `sin x` and `cos x`: whole quarter turns off, then the series at `x/2^h`, doubled `h` times.
    pub(super) fn sin_cos(&mut self, x: &Ball, bits: u64) -> (Ball, Ball) {
        let size = x.magnitude().unwrap_or(0).max(0);
        if x.rad >= Radius::power_of_two(0) || size > MAX_ANGLE {
            let all = Ball {
                mid: Float::zero(),
                rad: Radius::power_of_two(0),
            };
            return (all.clone(), all);
        }
        let extra = u64::try_from(size).unwrap_or(0);
        let quarter = self.pi_to(bits + extra + 64).scaled(-1);
        let turns = if x.to_f64().abs() < 0.75 {
            BigInt::ZERO
        } else {
            let turns = Ball::exact(x.mid.clone()).over(&quarter, extra + 32);
            let turns = turns.map_or_else(|_| Float::zero(), |x| x.mid);
            (&turns + &Float::new(1.into(), -1)).fixed(0)
        };
        let whole = Ball::exact(Float::new(turns.clone(), 0));
        let rest = x.minus(&quarter.times(&whole, bits + extra + 64), bits + 64);
        let (s, c) = sin_cos_small(&rest.mid, bits);
        let [s, c] = [s, c].map(|x| Ball::rounded(x.mid, x.rad.plus(rest.rad), bits));
        match turns.mod_floor(&BigInt::from(4)).to_u8() {
            Some(0) => (s, c),
            Some(1) => (c, s.negative()),
            Some(2) => (s.negative(), c.negative()),
            _ => (c.negative(), s),
        }
    }

    /// `atan x`.
    ///
    /// # Errors
    /// None for any finite ball.
    pub(super) fn atan(&mut self, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        if x.rad.is_infinite() {
            let end = self.pi_to(bits).scaled(-1);
            return Ok(end.hull(&end.negative(), bits));
        }
        let far = Radius::below(&x.mid) > Radius::power_of_two(0);
        let scale = if far {
            Radius::below(&x.mid)
        } else {
            Radius::power_of_two(0)
        };
        if x.rad >= scale.scaled(-3) {
            let [lower, upper] = [x.lower(bits), x.upper(bits)].map(Ball::exact);
            return Ok(self
                .atan(&lower, bits)?
                .hull(&self.atan(&upper, bits)?, bits));
        }
        if far {
            // atan x = +-pi/2 - atan(1/x)
            let inverse = Ball::one().over(x, bits + 8)?;
            let rest = self.atan_of_small(&inverse, bits + 8)?;
            let end = self.pi_to(bits + 8).scaled(-1);
            let end = if x.mid.sign() < 0 {
                end.negative()
            } else {
                end
            };
            return Ok(end.minus(&rest, bits));
        }
        self.atan_of_small(x, bits)
    }

    /// `atan x` for `|x|` not above 2: its derivative is not above 1.
    fn atan_of_small(&mut self, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        let at_mid = self.atan_at(&x.mid, bits + 8)?;
        Ok(Ball::rounded(at_mid.mid, at_mid.rad.plus(x.rad), bits))
    }

    /// `atan a = y + atan((a cos y - sin y)/(cos y + a sin y))` with a first `y` of a third of the digits.
    fn atan_at(&mut self, a: &Float, bits: u64) -> Result<Ball, NoValue> {
        let Some(size) = a.magnitude() else {
            return Ok(Ball::zero());
        };
        if size < -signed(bits) {
            // atan a = a, up to |a|^3/3.
            let bound = Radius::above(a);
            return Ok(Ball::exact(a.clone()).widened(bound.times(bound).times(bound)));
        }
        let y = if bits <= 140 {
            // Where doubles end, the angle is its tangent to all their digits.
            let near = if size < -500 {
                None
            } else {
                Float::from_f64(a.to_f64().atan())
            };
            near.unwrap_or_else(|| a.clone().rounded(64).0)
        } else {
            self.atan_at(a, bits / 3 + 16)?.mid.rounded(bits / 3 + 16).0
        };
        let (s, c) = self.sin_cos(&Ball::exact(y.clone()), bits + 16);
        let a = Ball::exact(a.clone());
        let above = a.times(&c, bits + 16).minus(&s, bits + 16);
        let below = c.plus(&a.times(&s, bits + 16), bits + 16);
        let w = above.over(&below, bits + 16)?;
        let bound = w.size();
        let sum = Ball::exact(y).plus(&w, bits + 8);
        Ok(sum.widened(bound.times(bound).times(bound)))
    }

    /// `asin x = atan(x / sqrt(1 - x^2))`.
    ///
    /// # Errors
    /// A number beyond 1 or -1, or that may be.
    pub(super) fn asin(&mut self, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        let one = Ball::one();
        let (below, above) = (one.plus(x, 2 * bits), one.minus(x, 2 * bits));
        for gap in [&below, &above] {
            match gap.sign() {
                Some(-1) => return Err(NoValue::Undefined),
                Some(0) => {
                    let end = self.pi_to(bits).scaled(-1);
                    return Ok(if x.mid.sign() < 0 {
                        end.negative()
                    } else {
                        end
                    });
                }
                Some(_) => {}
                None if gap.lower(bits).sign() >= 0 && !x.rad.is_zero() => {
                    let [lower, upper] = [x.lower(bits), x.upper(bits)].map(Ball::exact);
                    return Ok(self
                        .asin(&lower, bits)?
                        .hull(&self.asin(&upper, bits)?, bits));
                }
                None => return Err(NoValue::Wide),
            }
        }
        let rest = below.times(&above, bits + 16).root(2, bits + 16)?;
        self.atan(&x.over(&rest, bits + 16)?, bits)
    }

    /// The angle of the point `(x, y)`: no value at the origin.
    ///
    /// # Errors
    /// A ball that reaches over the cut, where the angle jumps.
    pub(super) fn atan2(&mut self, y: &Ball, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        let turn = self.pi_to(bits + 8);
        let steep = y.least_size() > x.least_size();
        let rest = match (steep, x.sign(), y.sign()) {
            (_, Some(0), Some(0)) => return Err(NoValue::Undefined),
            (true, _, Some(s)) => {
                let rest = self.atan(&x.over(y, bits + 8)?, bits + 8)?;
                let quarter = turn.scaled(-1);
                let quarter = if s < 0 { quarter.negative() } else { quarter };
                return Ok(quarter.minus(&rest, bits));
            }
            (false, Some(_), _) => self.atan(&y.over(x, bits + 8)?, bits + 8)?,
            _ => return Err(NoValue::Wide),
        };
        match (x.mid.sign(), y.sign()) {
            (1, _) => Ok(Ball::rounded(rest.mid, rest.rad, bits)),
            (_, Some(s)) if s < 0 => Ok(rest.minus(&turn, bits)),
            (_, Some(_)) => Ok(rest.plus(&turn, bits)),
            (_, None) => Err(NoValue::Wide),
        }
    }

    /// `sinh x` (`sign` -1) or `cosh x` (1).
    ///
    /// # Errors
    /// An overflow.
    pub(super) fn hyperbolic(&mut self, x: &Ball, sign: i64, bits: u64) -> Result<Ball, NoValue> {
        let size = x.magnitude().unwrap_or(0);
        if sign < 0 && size < -signed(bits) && x.rad < Radius::power_of_two(-1) {
            // sinh x = x, up to |x|^3.
            let bound = x.size();
            return Ok(x.clone().widened(bound.times(bound).times(bound)));
        }
        let extra = u64::try_from(-size).unwrap_or(0).min(bits) + 8;
        let up = self.exp(x, bits + extra)?;
        let down = Ball::one().over(&up, bits + extra)?;
        let down = if sign < 0 { down.negative() } else { down };
        Ok(up.plus(&down, bits).scaled(-1))
    }

    /// `tanh x`.
    ///
    /// # Errors
    /// None for any finite ball.
    pub(super) fn tanh(&mut self, x: &Ball, bits: u64) -> Result<Ball, NoValue> {
        if x.least_size() < Radius::power_of_two(0) {
            let (s, c) = (
                self.hyperbolic(x, -1, bits + 8)?,
                self.hyperbolic(x, 1, bits + 8)?,
            );
            return s.over(&c, bits);
        }
        // tanh |x| = (1 - e)/(1 + e) with e = exp(-2 |x|)
        let e = self.exp(&x.absolute(bits + 8).negative().scaled(1), bits + 8)?;
        let one = Ball::one();
        let size = one
            .minus(&e, bits + 8)
            .over(&one.plus(&e, bits + 8), bits)?;
        Ok(if x.mid.sign() < 0 {
            size.negative()
        } else {
            size
        })
    }
}

/// How often arguments are halved, and the scale of the sums then.
fn halvings(bits: u64) -> u64 {
    (bits.sqrt() / 2).max(4)
}

/// `exp r` for `|r| < 1/2`.
fn exp_small(r: &Float, bits: u64) -> Ball {
    let h = halvings(bits);
    let scale = bits + h + 32;
    let small = r.scaled(-signed(h)).fixed(scale);
    let one: BigInt = BigInt::from(1) << scale;
    let mut sum = series(one, |term, k| ((term * &small) >> scale) / k);
    for _ in 0..h {
        sum = (&sum * &sum) >> scale;
    }
    // Four units a term, fewer than `scale` terms; squaring doubles them, times at most e^r < 2.
    fixed_ball(sum, scale, 4 * (scale + 16), signed(h) + 2)
}

/// `sin r` and `cos r` for `|r| < 1`; the sine to so many bits of its own.
fn sin_cos_small(r: &Float, bits: u64) -> (Ball, Ball) {
    let Some(size) = r.magnitude() else {
        return (Ball::zero(), Ball::one());
    };
    if size < -signed(bits) {
        // sin r = r up to |r|^3, cos r = 1 up to r^2.
        let bound = Radius::above(r);
        let square = bound.times(bound);
        let sine = Ball::exact(r.clone()).widened(square.times(bound));
        return (sine, Ball::one().widened(square));
    }
    let h = halvings(bits);
    let scale = bits + 2 * h + 40 + u64::try_from(-size).unwrap_or(0);
    let small = r.scaled(-signed(h)).fixed(scale);
    let square = (&small * &small) >> scale;
    let mut sine = series(small, |term, k| {
        -((term * &square) >> scale) / (2 * k * (2 * k + 1))
    });
    // cos r - 1, which is doubled without loss.
    let half_square: BigInt = &square >> 1;
    let mut less = series(-half_square, |term, k| {
        -((term * &square) >> scale) / ((2 * k + 1) * (2 * k + 2))
    });
    for _ in 0..h {
        // sin 2r = 2 sin r + 2 sin r (cos r - 1), cos 2r - 1 = 4 c + 2 c^2
        sine = (&sine << 1) + ((&sine * &less) >> (scale - 1));
        less = (&less << 2) + ((&less * &less) >> (scale - 1));
    }
    // Four units a term, fewer than `scale` terms; doubling makes four of one, times at most 4.
    let (units, grown) = (4 * (scale + 16), 2 * signed(h) + 3);
    let one: BigInt = BigInt::from(1) << scale;
    (
        fixed_ball(sine, scale, units, grown),
        fixed_ball(less + one, scale, units, grown),
    )
}
