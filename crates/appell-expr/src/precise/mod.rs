//! Numbers of about 75 decimal digits, for witnesses: programs run over them, slowly.
//!
//! A number is `m 2^e` with an integer `m` of at most 256 bits, rounded after each operation.
//! No error bounds are carried; what is printed has 20 digits.

mod functions;
mod numbers;

pub(crate) use numbers::eliminated;

use crate::num::Rational;
use crate::program::Program;
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// The length of a mantissa.
const BITS: u64 = 256;
/// Numbers beyond `2^(+-LIMIT)` are refused.
const LIMIT: i64 = 1 << 24;

/// A binary floating point number of 256 bits.
#[derive(Debug, Clone)]
pub struct Precise {
    mantissa: BigInt,
    exponent: i64,
}

/// A value that does not exist: a pole, a root or logarithm of a negative number, an overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undefined;

impl Precise {
    fn new(mantissa: BigInt, exponent: i64) -> Self {
        if mantissa.is_zero() {
            return Self::zero();
        }
        let bits = mantissa.bits();
        if bits <= BITS {
            return Self { mantissa, exponent };
        }
        let excess = bits - BITS;
        let half = BigInt::from(1) << (excess - 1);
        Self {
            mantissa: (mantissa + half) >> excess,
            exponent: exponent + i64::try_from(excess).unwrap_or(LIMIT),
        }
    }

    /// 0.
    pub fn zero() -> Self {
        Self {
            mantissa: BigInt::ZERO,
            exponent: 0,
        }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.mantissa.is_negative()
    }

    /// The absolute value.
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
        let excess = i64::try_from(self.mantissa.bits()).unwrap_or(0) - 64;
        let top = if excess > 0 {
            &self.mantissa >> excess
        } else {
            self.mantissa.clone()
        };
        let scale = self.exponent + excess.max(0);
        let power = i32::try_from(scale.clamp(-1200, 1200)).unwrap_or(0);
        // In two steps, so that small numbers do not vanish too early.
        let half = power / 2;
        top.to_f64().unwrap_or(f64::NAN) * 2f64.powi(half) * 2f64.powi(power - half)
    }

    /// `floor(log2 |x|)`; `None` for 0.
    pub(crate) fn magnitude(&self) -> Option<i64> {
        let bits = i64::try_from(self.mantissa.bits()).ok()?;
        (!self.is_zero()).then_some(self.exponent + bits - 1)
    }

    /// Whether it is less than `2^-bits` in size.
    pub(crate) fn is_below(&self, bits: i64) -> bool {
        self.magnitude().is_none_or(|size| size < -bits)
    }

    /// `x 2^k`.
    fn scaled(&self, k: i64) -> Self {
        if self.is_zero() {
            return Self::zero();
        }
        Self {
            mantissa: self.mantissa.clone(),
            exponent: self.exponent + k,
        }
    }

    /// Itself, unless it is beyond all bounds.
    fn bounded(self) -> Result<Self, Undefined> {
        match self.magnitude() {
            Some(size) if size.abs() > LIMIT => Err(Undefined),
            _ => Ok(self),
        }
    }

    /// `x / y`.
    ///
    /// # Errors
    /// Division by 0.
    pub fn divided(&self, other: &Self) -> Result<Self, Undefined> {
        if other.is_zero() {
            return Err(Undefined);
        }
        let shift = BITS + other.mantissa.bits();
        let quotient = (&self.mantissa << shift) / &other.mantissa;
        let shift = i64::try_from(shift).map_err(|_| Undefined)?;
        Self::new(quotient, self.exponent - other.exponent - shift).bounded()
    }

    /// `x^(1/d)` of a number that is not negative.
    ///
    /// # Errors
    /// A negative number, or `d = 0`.
    pub fn root(&self, d: u32) -> Result<Self, Undefined> {
        if self.is_negative() || d == 0 {
            return Err(Undefined);
        }
        // m 2^e = m' 2^(d e') with d (BITS + 8) bits in m'.
        let degree = i64::from(d);
        let wanted = (BITS + 8) * u64::from(d);
        let shift = wanted.saturating_sub(self.mantissa.bits());
        let shift = i64::try_from(shift).map_err(|_| Undefined)?;
        let shift = shift + (self.exponent - shift).rem_euclid(degree);
        let root = (&self.mantissa << shift).nth_root(d);
        Ok(Self::new(root, (self.exponent - shift) / degree))
    }

    /// `x^k`.
    ///
    /// # Errors
    /// A negative power of 0, an overflow.
    pub fn integer_power(&self, k: i64) -> Result<Self, Undefined> {
        let (mut base, mut k) = (self.clone(), k);
        if k < 0 {
            base = Self::from(1).divided(&base)?;
            k = k.checked_neg().ok_or(Undefined)?;
        }
        let mut result = Self::from(1);
        while k > 0 {
            if k & 1 == 1 {
                result = (&result * &base).bounded()?;
            }
            k >>= 1;
            if k > 0 {
                base = (&base * &base).bounded()?;
            }
        }
        Ok(result)
    }

    /// The nearest integer.
    fn rounded(&self) -> BigInt {
        if self.exponent >= 0 {
            return &self.mantissa << self.exponent;
        }
        let shift = -self.exponent;
        let half = BigInt::from(1) << (shift - 1);
        (&self.mantissa + half) >> shift
    }

    /// Decimal digits in scientific notation, `digits` of them: `-1.2500e-3`, `0`.
    pub fn decimal(&self, digits: u32) -> String {
        let Some(size) = self.magnitude() else {
            return "0".to_owned();
        };
        #[allow(clippy::cast_possible_truncation, reason = "sizes are bounded")]
        let mut power = (size as f64 * std::f64::consts::LOG10_2).floor() as i64;
        let mut text = self.digits(digits, power);
        if text.len() > digits as usize {
            // The estimate was one too small, or the digits rounded up.
            power += 1;
            text = self.digits(digits, power);
        }
        let sign = if self.is_negative() { "-" } else { "" };
        let (first, rest) = text.split_at(1);
        match power {
            0 => format!("{sign}{first}.{rest}"),
            _ => format!("{sign}{first}.{rest}e{power}"),
        }
    }

    /// `|x| 10^(digits - 1 - power)`, rounded.
    fn digits(&self, digits: u32, power: i64) -> String {
        let scale = i64::from(digits) - 1 - power;
        let ten = BigInt::from(10).pow(u32::try_from(scale.unsigned_abs()).unwrap_or(0));
        let size = Self::new(self.mantissa.abs(), self.exponent);
        let (numerator, denominator) = if scale >= 0 {
            (size.mantissa * ten, BigInt::from(1))
        } else {
            (size.mantissa, ten)
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

    /// Runs a program on numbers and returns all its results in order.
    ///
    /// # Errors
    /// A value that does not exist, a singular matrix.
    pub fn run(program: &Program, inputs: &[Self]) -> Result<Vec<Self>, Undefined> {
        let mut system = numbers::PreciseNumbers;
        let numbers = program.convert_numbers(&mut system);
        let mut values = inputs.to_vec();
        program.run(&mut system, &numbers, &mut values)?;
        let slots = program.outputs.iter().flat_map(|output| &output.slots);
        Ok(slots.map(|slot| values[*slot as usize].clone()).collect())
    }

    fn sign(&self) -> i64 {
        match self.mantissa.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }
}

impl From<i64> for Precise {
    fn from(x: i64) -> Self {
        Self::new(BigInt::from(x), 0)
    }
}

impl From<&Rational> for Precise {
    fn from(x: &Rational) -> Self {
        let (numerator, denominator) = (x.numerator(), x.denominator());
        let quotient = Self::new(numerator, 0).divided(&Self::new(denominator, 0));
        quotient.unwrap_or_else(|_| Self::zero())
    }
}

impl Add for &Precise {
    type Output = Precise;
    fn add(self, other: Self) -> Precise {
        let (Some(x), Some(y)) = (self.magnitude(), other.magnitude()) else {
            return if self.is_zero() {
                other.clone()
            } else {
                self.clone()
            };
        };
        let far = i64::try_from(2 * BITS).unwrap_or(LIMIT);
        if x - y > far {
            return self.clone();
        }
        if y - x > far {
            return other.clone();
        }
        let exponent = self.exponent.min(other.exponent);
        let aligned = |x: &Precise| &x.mantissa << (x.exponent - exponent);
        Precise::new(aligned(self) + aligned(other), exponent)
    }
}

impl Neg for &Precise {
    type Output = Precise;
    fn neg(self) -> Precise {
        Precise {
            mantissa: -&self.mantissa,
            exponent: self.exponent,
        }
    }
}

impl Sub for &Precise {
    type Output = Precise;
    fn sub(self, other: Self) -> Precise {
        self + &-other
    }
}

impl Mul for &Precise {
    type Output = Precise;
    fn mul(self, other: Self) -> Precise {
        let exponent = self.exponent.saturating_add(other.exponent);
        Precise::new(&self.mantissa * &other.mantissa, exponent)
    }
}

impl PartialEq for Precise {
    fn eq(&self, other: &Self) -> bool {
        (self - other).is_zero()
    }
}

impl PartialOrd for Precise {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some((self - other).sign().cmp(&0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Precise {
        Precise::from(&Rational::from_decimal(text).expect("a number"))
    }

    #[test]
    fn decimals_are_rounded_and_normalised() {
        assert_eq!(number("0.1").decimal(5), "1.0000e-1");
        assert_eq!(number("-1234.5678").decimal(5), "-1.2346e3");
        assert_eq!(number("9.99999").decimal(3), "1.00e1");
        assert_eq!(number("2").decimal(3), "2.00");
        assert_eq!(Precise::zero().decimal(20), "0");
        let third = Precise::from(1).divided(&Precise::from(3));
        let text = third.expect("3 is not 0").decimal(20);
        assert_eq!(text, "3.3333333333333333333e-1");
    }

    #[test]
    fn doubles_go_both_ways() {
        for x in [
            0.0,
            1.0,
            -0.1,
            1e-300,
            5e-324,
            1.797e308,
            std::f64::consts::PI,
        ] {
            let precise = Precise::from_f64(x).expect("finite");
            assert!((precise.to_f64() - x).abs() <= x.abs() * 1e-15, "{x}");
        }
        assert_eq!(Precise::from_f64(f64::NAN), None);
    }

    #[test]
    fn roots_and_powers() {
        let two = Precise::from(2);
        let root = two.root(2).expect("positive");
        assert_eq!(root.decimal(30), "1.41421356237309504880168872421");
        let back = root.integer_power(2).expect("small");
        assert!((&back - &two).abs().to_f64() < 1e-70);
        assert_eq!(Precise::from(-1).root(2), Err(Undefined));
        assert_eq!(Precise::zero().integer_power(-1), Err(Undefined));
        let cube = number("0.001").root(3).expect("positive");
        assert!((&cube - &number("0.1")).abs().to_f64() < 1e-70);
    }
}
