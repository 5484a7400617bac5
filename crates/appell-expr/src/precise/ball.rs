//! Midpoints with a radius.

use super::float::Float;
use super::radius::Radius;
use super::{LIMIT, NoValue};
use crate::num::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;

/// Larger and smaller numbers, as powers of 2, have no ends that are fractions.
const MAX_MAGNITUDE: i64 = 128;

/// Roots of a higher degree go by the logarithm.
pub(super) const MAX_DEGREE: u32 = 64;

/// All numbers within a radius of a midpoint: the true value is one of them.
#[derive(Debug, Clone)]
pub struct Ball {
    pub(super) mid: Float,
    pub(super) rad: Radius,
}

impl Ball {
    /// The midpoint rounded to so many bits, the rounding counted in the radius.
    pub(super) fn rounded(mid: Float, rad: Radius, bits: u64) -> Self {
        let (mid, error) = mid.rounded(bits);
        let rad = match error {
            Some(error) => rad.plus(Radius::power_of_two(error)),
            None => rad,
        };
        let limit = Radius::power_of_two(-LIMIT);
        match mid.magnitude() {
            _ if rad.magnitude().is_some_and(|size| size > LIMIT) => Self::whole(),
            Some(size) if size > LIMIT => Self::whole(),
            Some(size) if size < -LIMIT => Self {
                mid: Float::zero(),
                rad: rad.plus(limit),
            },
            _ if !rad.is_zero() && rad < limit => Self { mid, rad: limit },
            _ => Self { mid, rad },
        }
    }

    pub(super) fn exact(mid: Float) -> Self {
        Self {
            mid,
            rad: Radius::ZERO,
        }
    }

    /// Every number.
    pub(super) fn whole() -> Self {
        Self {
            mid: Float::zero(),
            rad: Radius::INFINITE,
        }
    }

    /// Exactly 0.
    pub fn zero() -> Self {
        Self::exact(Float::zero())
    }

    /// Exactly 1.
    pub(super) fn one() -> Self {
        Self::exact(Float::one())
    }

    /// The exact value of a finite double.
    pub fn from_f64(x: f64) -> Option<Self> {
        Float::from_f64(x).map(Self::exact)
    }

    /// A rational number, enclosed.
    pub fn rational(x: &Rational, bits: u64) -> Self {
        let numerator = Float::new(x.numerator(), 0);
        if x.is_integer() {
            return Self::rounded(numerator, Radius::ZERO, bits);
        }
        let denominator = Self::exact(Float::new(x.denominator(), 0));
        let quotient = Self::exact(numerator).over(&denominator, bits);
        quotient.unwrap_or_else(|_| Self::whole())
    }

    /// The midpoint as a double.
    pub fn to_f64(&self) -> f64 {
        self.mid.to_f64()
    }

    /// An upper bound of the error, as a double.
    pub fn error(&self) -> f64 {
        match self.rad.is_infinite() {
            true => f64::INFINITY,
            false => self.rad.float().to_f64(),
        }
    }

    /// Whether it is 0 and nothing else.
    pub fn is_zero(&self) -> bool {
        self.mid.is_zero() && self.rad.is_zero()
    }

    /// Whether no number in it is 0.
    pub fn excludes_zero(&self) -> bool {
        !self.least_size().is_zero()
    }

    /// The sign of all numbers in it, where they have one sign.
    pub fn sign(&self) -> Option<i64> {
        (self.excludes_zero() || self.is_zero()).then(|| self.mid.sign())
    }

    /// Whether no number in it is negative.
    pub fn is_not_negative(&self) -> bool {
        !self.lower(64).sign().is_negative()
    }

    /// Whether two balls have a number in common.
    pub fn meets(&self, other: &Self) -> bool {
        let gap = (&self.mid - &other.mid).abs();
        Radius::below(&gap) <= self.rad.plus(other.rad)
    }

    /// Not below the size of any number in it.
    pub(super) fn size(&self) -> Radius {
        Radius::above(&self.mid).plus(self.rad)
    }

    /// Not above the size of any number in it.
    pub(super) fn least_size(&self) -> Radius {
        Radius::below(&self.mid).minus_below(self.rad)
    }

    /// `floor(log2)` of the size of its midpoint; `None` for 0.
    pub(crate) fn magnitude(&self) -> Option<i64> {
        self.mid.magnitude()
    }

    /// The least number, or one not much below it.
    pub(super) fn lower(&self, bits: u64) -> Float {
        &self.mid - &self.reach(bits)
    }

    /// The largest number, or one not much above it.
    pub(super) fn upper(&self, bits: u64) -> Float {
        &self.mid + &self.reach(bits)
    }

    /// Numbers of some `bits` bits that it lies between; none where they would be very long.
    pub(crate) fn ends(&self, bits: u64) -> Option<(Rational, Rational)> {
        if self.rad.is_infinite() {
            return None;
        }
        let Some(size) = self.size().magnitude() else {
            return Some((Rational::zero(), Rational::zero()));
        };
        if size.abs() > MAX_MAGNITUDE {
            return None;
        }
        let scale = u64::try_from(signed(bits) - size).unwrap_or_default();
        let end =
            |digits: BigInt| Rational::from_big(BigRational::new(digits, BigInt::from(1) << scale));
        let (low, high) = (
            self.lower(bits).fixed(scale),
            (-&self.upper(bits)).fixed(scale),
        );
        Some((end(low), end(-high)))
    }

    /// The radius, or a larger one without a long tail of digits.
    fn reach(&self, bits: u64) -> Float {
        let fine = self.magnitude().map(|size| size - 2 * signed(bits));
        match fine {
            Some(fine) if !self.rad.is_zero() => self.rad.max(Radius::power_of_two(fine)).float(),
            _ => self.rad.float(),
        }
    }

    /// The least ball with both in it.
    pub(super) fn hull(&self, other: &Self, bits: u64) -> Self {
        if self.rad.is_infinite() || other.rad.is_infinite() {
            return Self::whole();
        }
        let below = if self.lower(bits) < other.lower(bits) {
            self
        } else {
            other
        };
        let above = if self.upper(bits) > other.upper(bits) {
            self
        } else {
            other
        };
        let (lower, upper) = (below.lower(bits), above.upper(bits));
        let mid = (&lower + &upper).scaled(-1);
        let rad = Radius::above(&(&upper - &lower).scaled(-1));
        Self::rounded(mid, rad, bits)
    }

    /// The same midpoint with a larger radius.
    pub(super) fn widened(mut self, by: Radius) -> Self {
        self.rad = self.rad.plus(by);
        self
    }

    /// The midpoint as an exact number.
    pub(crate) fn midpoint(&self) -> Self {
        Self::exact(self.mid.clone())
    }

    /// The exact number that a step's midpoint leads to.
    pub(crate) fn plus_exactly(&self, step: &Self, bits: u64) -> Self {
        self.midpoint().plus(&step.midpoint(), bits).midpoint()
    }

    /// A ball with room for twice a step, times `2^(k - 1)`, and for some rounding.
    pub(crate) fn with_room(&self, step: &Self, k: i64, bits: u64) -> Self {
        let rounding = self.magnitude().map_or(Radius::ZERO, |size| {
            Radius::power_of_two(size + 4 - signed(bits))
        });
        let room = step.size().scaled(k).plus(rounding);
        self.midpoint().widened(room)
    }

    /// The ball with `2^k` more to each side.
    pub(crate) fn widened_to(&self, k: i64) -> Self {
        Self {
            mid: self.mid.clone(),
            rad: self.rad.plus(Radius::power_of_two(k)),
        }
    }

    /// Whether the midpoint moved by any number of a step stays in the ball.
    pub(crate) fn has_room(&self, step: &Self) -> bool {
        step.size() <= self.rad
    }

    /// `-x`.
    pub(super) fn negative(&self) -> Self {
        Self {
            mid: -&self.mid,
            rad: self.rad,
        }
    }

    /// `x 2^k`.
    pub(crate) fn scaled(&self, k: i64) -> Self {
        Self {
            mid: self.mid.scaled(k),
            rad: self.rad.scaled(k),
        }
    }

    /// `x + y`.
    pub(crate) fn plus(&self, other: &Self, bits: u64) -> Self {
        if other.is_zero() {
            return self.clone();
        }
        if self.is_zero() {
            return other.clone();
        }
        let rad = self.rad.plus(other.rad);
        let apart = match (self.magnitude(), other.magnitude()) {
            (Some(x), Some(y)) => x - y,
            _ => 0,
        };
        // The smaller one below all digits that are kept.
        let far = 2 * signed(bits) + 64;
        if apart > far {
            return Self::rounded(self.mid.clone(), rad.plus(Radius::above(&other.mid)), bits);
        }
        if apart < -far {
            return Self::rounded(other.mid.clone(), rad.plus(Radius::above(&self.mid)), bits);
        }
        Self::rounded(&self.mid + &other.mid, rad, bits)
    }

    /// `x - y`.
    pub fn minus(&self, other: &Self, bits: u64) -> Self {
        self.plus(&other.negative(), bits)
    }

    /// `x y`.
    pub(super) fn times(&self, other: &Self, bits: u64) -> Self {
        let mut rad = self.rad.times(other.rad);
        if !other.rad.is_zero() {
            rad = rad.plus(Radius::above(&self.mid).times(other.rad));
        }
        if !self.rad.is_zero() {
            rad = rad.plus(Radius::above(&other.mid).times(self.rad));
        }
        Self::rounded(&self.mid * &other.mid, rad, bits)
    }

    /// `x / y`.
    ///
    /// # Errors
    /// A divisor that is 0, or may be.
    pub(super) fn over(&self, other: &Self, bits: u64) -> Result<Self, NoValue> {
        let least = other.least_size();
        if least.is_zero() {
            return Err(match other.is_zero() {
                true => NoValue::Undefined,
                false => NoValue::Wide,
            });
        }
        let (x, y) = (&self.mid, &other.mid);
        let wanted = signed(bits + 2 + y.mantissa().bits()) - signed(x.mantissa().bits());
        let shift = wanted.max(0);
        let (quotient, rest) = (x.mantissa() << shift).div_rem(y.mantissa());
        let exponent = x.exponent() - y.exponent() - shift;
        let mut rad = match rest == BigInt::ZERO {
            true => Radius::ZERO,
            false => Radius::power_of_two(exponent),
        };
        let quotient = Float::new(quotient, exponent);
        if !(self.rad.is_zero() && other.rad.is_zero()) {
            let spread = self
                .rad
                .plus(Radius::above(&quotient).plus(rad).times(other.rad));
            rad = rad.plus(spread.over(least));
        }
        Ok(Self::rounded(quotient, rad, bits))
    }

    /// `x^(1/d)` of a number that is not negative, `d <= 64`.
    ///
    /// # Errors
    /// A number that is negative, or may be; a degree that is 0 or too high.
    pub(super) fn root(&self, d: u32, bits: u64) -> Result<Self, NoValue> {
        if d == 0 || d > MAX_DEGREE {
            return Err(NoValue::Undefined);
        }
        match self.sign() {
            Some(-1) => return Err(NoValue::Undefined),
            Some(0) => return Ok(Self::zero()),
            _ if self.rad.is_zero() => return Ok(root_of(&self.mid, d, bits)),
            _ => {}
        }
        let least = self.least_size();
        if self.rad >= Radius::below(&self.mid).scaled(-3) {
            let (lower, upper) = (self.lower(bits), self.upper(bits));
            return match lower.sign() < 0 {
                true => Err(NoValue::Wide),
                false => Ok(root_of(&lower, d, bits).hull(&root_of(&upper, d, bits), bits)),
            };
        }
        // The root changes by less than itself times `rad/(d least)`.
        let root = root_of(&self.mid, d, bits);
        let degree = Radius::integer(u64::from(d), 0);
        let relative = self.rad.over(least).over(degree);
        let spread = root.size().times(relative);
        Ok(root.widened(spread))
    }

    /// `x^k`.
    ///
    /// # Errors
    /// A negative power of what is 0, or may be.
    pub(super) fn integer_power(&self, k: i64, bits: u64) -> Result<Self, NoValue> {
        if k < 0 {
            let positive = k.checked_neg().ok_or(NoValue::Undefined)?;
            return Self::one().over(&self.integer_power(positive, bits)?, bits);
        }
        if k > 0 && k % 2 == 0 && !self.excludes_zero() && !self.is_zero() {
            // Between 0 and the power of what is farthest off.
            let most = Self::exact(self.size().float()).natural_power(k, bits);
            return Ok(Self::zero().hull(&most, bits));
        }
        Ok(self.natural_power(k, bits))
    }

    fn natural_power(&self, mut k: i64, bits: u64) -> Self {
        let (mut base, mut result) = (self.clone(), None);
        // Guard bits for the products of a long power.
        let bits = bits + 8;
        while k > 0 {
            if k & 1 == 1 {
                result = Some(match result {
                    None => base.clone(),
                    Some(result) => base.times(&result, bits),
                });
            }
            k >>= 1;
            if k > 0 {
                base = base.times(&base, bits);
            }
        }
        result.map_or_else(Self::one, |x| Self::rounded(x.mid, x.rad, bits - 8))
    }

    /// The absolute value; where the sign is not known, all sizes.
    pub(super) fn absolute(&self, bits: u64) -> Self {
        match self.sign() {
            Some(-1) => self.negative(),
            Some(_) => self.clone(),
            None if self.rad.is_infinite() => Self::whole(),
            None => Self::zero().hull(&Self::exact(self.size().float()), bits),
        }
    }

    /// How many decimal digits are certain.
    fn certain(&self) -> u32 {
        let (Some(size), Some(error)) = (self.magnitude(), self.rad.magnitude()) else {
            return u32::MAX;
        };
        // Of 2^n possible values the last decimal place may still be off by one.
        let bits = u32::try_from((size - error - 2).max(0)).unwrap_or(u32::MAX);
        (f64::from(bits) * std::f64::consts::LOG10_2) as u32
    }

    /// The least `k` known such that no number in it is above `10^k` in size; `None` for exactly 0.
    pub fn below(&self) -> Option<i64> {
        let size = self.size().magnitude()?.clamp(-4 * LIMIT, 4 * LIMIT);
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "a rough power"
        )]
        let power = ((size + 1) as f64 * std::f64::consts::LOG10_2).ceil() as i64;
        Some(power)
    }

    /// Decimal digits in scientific notation, at most so many and only certain ones: `-1.25e-3`, `0`; where
    /// 0 lies in it, `0e-75` for what is 0 to 75 decimals.
    pub fn decimal(&self, digits: u32) -> String {
        if self.excludes_zero() || self.is_zero() {
            return self.mid.decimal(self.certain().clamp(1, digits));
        }
        let power = self.below().unwrap_or_default();
        format!("0e{power}")
    }
}

/// `x^(1/d)` of a number above 0.
fn root_of(x: &Float, d: u32, bits: u64) -> Ball {
    if x.is_zero() {
        return Ball::zero();
    }
    // m 2^e = m' 2^(d e') with d (bits + 4) bits in m'.
    let degree = i64::from(d);
    let wanted = (bits + 4) * u64::from(d);
    let shift = signed(wanted.saturating_sub(x.mantissa().bits()));
    let shift = shift + (x.exponent() - shift).rem_euclid(degree);
    let shifted = x.mantissa() << shift;
    let root = shifted.nth_root(d);
    let exponent = (x.exponent() - shift) / degree;
    let rad = match root.pow(d) == shifted {
        true => Radius::ZERO,
        false => Radius::power_of_two(exponent),
    };
    Ball::rounded(Float::new(root, exponent), rad, bits)
}

pub(super) fn signed(bits: u64) -> i64 {
    i64::try_from(bits).unwrap_or(LIMIT)
}

impl From<i64> for Ball {
    fn from(x: i64) -> Self {
        Self::exact(Float::new(BigInt::from(x), 0))
    }
}
