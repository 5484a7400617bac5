//! Exact numbers `m 2^e`, the midpoints of balls.

use super::LIMIT;
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// `mantissa 2^exponent`; sums and products are exact.
#[derive(Debug, Clone)]
pub(crate) struct Float {
    mantissa: BigInt,
    exponent: i64,
}

impl Float {
    pub fn new(mantissa: BigInt, exponent: i64) -> Self {
        if mantissa.is_zero() {
            return Self::zero();
        }
        Self { mantissa, exponent }
    }

    pub fn zero() -> Self {
        Self {
            mantissa: BigInt::ZERO,
            exponent: 0,
        }
    }

    pub fn one() -> Self {
        Self::new(BigInt::from(1), 0)
    }

    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    pub fn mantissa(&self) -> &BigInt {
        &self.mantissa
    }

    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i64 {
        match self.mantissa.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    pub fn abs(&self) -> Self {
        Self {
            mantissa: self.mantissa.abs(),
            exponent: self.exponent,
        }
    }

    /// The exact value of a finite double.
    pub fn from_f64(x: f64) -> Option<Self> {
        if !x.is_finite() {
            return None;
        }
        let bits = x.abs().to_bits();
        let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
        let (mantissa, exponent) = match i64::try_from(field).ok()? {
            0 => (fraction, -1074),
            e => (fraction | 1 << 52, e - 1075),
        };
        let value = Self::new(BigInt::from(mantissa), exponent);
        Some(if x < 0.0 { -&value } else { value })
    }

    /// About the nearest double.
    pub fn to_f64(&self) -> f64 {
        let (top, exponent, _) = self.top();
        #[allow(clippy::cast_precision_loss, reason = "a double is wanted")]
        let top = top as f64;
        let power = i32::try_from(exponent.clamp(-2400, 2400)).unwrap_or(0);
        // In two steps, so that small numbers do not vanish too early.
        let half = power / 2;
        let size = top * 2f64.powi(half) * 2f64.powi(power - half);
        if self.mantissa.is_negative() {
            -size
        } else {
            size
        }
    }

    /// The leading 64 bits of `|x|`, their exponent, and whether nothing was cut off.
    pub fn top(&self) -> (u64, i64, bool) {
        let magnitude = self.mantissa.magnitude();
        let bits = magnitude.bits();
        if bits <= 64 {
            return (magnitude.to_u64().unwrap_or(0), self.exponent, true);
        }
        let shift = bits - 64;
        let digits = magnitude.iter_u64_digits();
        let (mut high, mut low) = (0, 0);
        for digit in digits {
            (high, low) = (digit, high);
        }
        // The leading bits lie in the last two digits.
        let part = shift % 64;
        let top = match part {
            0 => high,
            _ => (high << (64 - part)) | (low >> part),
        };
        let shift = i64::try_from(shift).unwrap_or(LIMIT);
        (top, self.exponent + shift, false)
    }

    /// `floor(log2 |x|)`; `None` for 0.
    pub fn magnitude(&self) -> Option<i64> {
        let bits = i64::try_from(self.mantissa.bits()).ok()?;
        (!self.is_zero()).then_some(self.exponent + bits - 1)
    }

    /// `x 2^k`.
    pub fn scaled(&self, k: i64) -> Self {
        if self.is_zero() {
            return Self::zero();
        }
        Self {
            mantissa: self.mantissa.clone(),
            exponent: self.exponent + k,
        }
    }

    /// The number of at most so many bits next to it, and the exponent of half a unit of its last place
    /// where something was rounded off: the error is not above `2` to that power.
    pub fn rounded(self, bits: u64) -> (Self, Option<i64>) {
        let length = self.mantissa.bits();
        if length <= bits {
            return (self, None);
        }
        let excess = length - bits;
        let shift = i64::try_from(excess).unwrap_or(LIMIT);
        let exponent = self.exponent + shift;
        if self.mantissa.trailing_zeros().unwrap_or(0) >= excess {
            return (Self::new(self.mantissa >> excess, exponent), None);
        }
        let mut mantissa = self.mantissa >> (excess - 1);
        mantissa += 1;
        mantissa >>= 1;
        (Self::new(mantissa, exponent), Some(exponent - 1))
    }

    /// Whether it is a whole number.
    pub fn is_whole(&self) -> bool {
        let zeros = self.mantissa.trailing_zeros();
        let zeros = zeros.map_or(LIMIT, |zeros| i64::try_from(zeros).unwrap_or(LIMIT));
        self.exponent + zeros >= 0
    }

    /// `x 2^scale` rounded down to an integer.
    pub fn fixed(&self, scale: u64) -> BigInt {
        let shift = self.exponent + i64::try_from(scale).unwrap_or(LIMIT);
        if shift >= 0 {
            &self.mantissa << shift
        } else {
            &self.mantissa >> -shift
        }
    }

    /// Decimal digits in scientific notation, `digits` of them: `-1.2500e-3`, `0`.
    pub fn decimal(&self, digits: u32) -> String {
        let Some(size) = self.magnitude() else {
            return "0".to_owned();
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "sizes are bounded"
        )]
        let mut power = (size as f64 * std::f64::consts::LOG10_2).floor() as i64;
        let mut text = self.digits(digits, power);
        if text.len() > digits as usize {
            // The estimate was one too small, or the digits rounded up.
            power += 1;
            text = self.digits(digits, power);
        }
        let sign = if self.sign() < 0 { "-" } else { "" };
        let (first, rest) = text.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        match power {
            0 => format!("{sign}{first}{point}{rest}"),
            _ => format!("{sign}{first}{point}{rest}e{power}"),
        }
    }

    /// `|x| 10^(digits - 1 - power)`, rounded.
    fn digits(&self, digits: u32, power: i64) -> String {
        let scale = i64::from(digits) - 1 - power;
        let ten = BigInt::from(10).pow(u32::try_from(scale.unsigned_abs()).unwrap_or(0));
        let size = self.mantissa.abs();
        let (numerator, denominator) = if scale >= 0 {
            (size * ten, BigInt::from(1))
        } else {
            (size, ten)
        };
        let (numerator, denominator) = if self.exponent >= 0 {
            (numerator << self.exponent, denominator)
        } else {
            (numerator, denominator << -self.exponent)
        };
        let twice: BigInt = &denominator << 1;
        let rounded: BigInt = (numerator * 2 + denominator) / twice;
        rounded.to_string()
    }
}

impl Add for &Float {
    type Output = Float;
    fn add(self, other: Self) -> Float {
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let exponent = self.exponent.min(other.exponent);
        let aligned = |x: &Float| &x.mantissa << (x.exponent - exponent);
        let sum = match self.exponent.cmp(&other.exponent) {
            Ordering::Equal => &self.mantissa + &other.mantissa,
            Ordering::Less => aligned(other) + &self.mantissa,
            Ordering::Greater => aligned(self) + &other.mantissa,
        };
        Float::new(sum, exponent)
    }
}

impl Neg for &Float {
    type Output = Float;
    fn neg(self) -> Float {
        Float {
            mantissa: -&self.mantissa,
            exponent: self.exponent,
        }
    }
}

impl Sub for &Float {
    type Output = Float;
    fn sub(self, other: Self) -> Float {
        self + &-other
    }
}

impl Mul for &Float {
    type Output = Float;
    fn mul(self, other: Self) -> Float {
        Float::new(
            &self.mantissa * &other.mantissa,
            self.exponent + other.exponent,
        )
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        (self - other).is_zero()
    }
}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some((self - other).sign().cmp(&0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_go_both_ways() {
        let numbers = [0.0, 1.0, -0.1, 1e-300, 5e-324, 1.797e308];
        for x in numbers.into_iter().chain([std::f64::consts::PI]) {
            let exact = Float::from_f64(x).expect("finite");
            assert!((exact.to_f64() - x).abs() <= x.abs() * 1e-15, "{x}");
        }
        assert_eq!(Float::from_f64(f64::NAN), None);
    }

    #[test]
    fn decimals_are_rounded_and_normalised() {
        let number = |x: f64| Float::from_f64(x).expect("finite");
        assert_eq!(number(0.1).decimal(5), "1.0000e-1");
        assert_eq!(number(-1234.5678).decimal(5), "-1.2346e3");
        assert_eq!(number(9.99999).decimal(3), "1.00e1");
        assert_eq!(number(2.0).decimal(3), "2.00");
        assert_eq!(number(2.0).decimal(1), "2");
        assert_eq!(Float::zero().decimal(20), "0");
    }

    #[test]
    fn the_leading_bits_are_those_of_the_number() {
        for shift in [0u64, 1, 63, 64, 65, 127, 128, 200] {
            let x: BigInt = (BigInt::from(0x1234_5678_9abc_def1_u64) << shift) + 5;
            let float = Float::new(x.clone(), 0);
            let (top, exponent, _) = float.top();
            let low = BigInt::from(top) << exponent;
            let high = BigInt::from(u128::from(top) + 1) << exponent;
            assert!(low <= x && x < high, "{shift}");
        }
    }

    #[test]
    fn rounding_is_within_half_a_unit() {
        for x in [
            12_345_679_i64,
            -12_345_679,
            1 << 30,
            -(1 << 30),
            (1 << 30) - 1,
        ] {
            let exact = Float::new(BigInt::from(x), 0);
            let (near, error) = exact.clone().rounded(9);
            assert!(near.mantissa().bits() <= 10);
            let miss = (&near - &exact).abs();
            let bound = error.map_or(Float::zero(), |e| Float::new(1.into(), e));
            assert!(miss <= bound, "{x}");
        }
    }
}
