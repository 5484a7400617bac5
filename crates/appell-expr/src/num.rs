//! Exact rational numbers: machine integers while they fit, big integers behind.

use crate::elementary;
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Powers whose numerator or denominator would be longer than this are not carried out.
const MAX_POWER_BITS: u64 = 4096;
/// Decimal exponents beyond this are refused: no double precision number needs them.
const MAX_DECIMAL_EXPONENT: i64 = 400;
/// More digits than this in one literal are refused.
const MAX_DIGITS: usize = 10_000;

/// An exact rational number in lowest terms, the denominator positive.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

/// Canonical: `Small` whenever numerator and denominator fit, so equality is structural.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, i64),
    Big(Box<BigRational>),
}

impl Rational {
    /// `numerator / denominator`; zero denominators are the caller's error.
    ///
    /// # Panics
    /// If `denominator` is zero: for constants written in the source only.
    pub fn new(numerator: i64, denominator: i64) -> Self {
        assert!(denominator != 0, "a rational number needs a denominator");
        Self::reduced(i128::from(numerator), i128::from(denominator))
    }

    /// Zero.
    pub const fn zero() -> Self {
        Self(Repr::Small(0, 1))
    }

    /// One.
    pub const fn one() -> Self {
        Self(Repr::Small(1, 1))
    }

    /// The exact value of a decimal literal such as `0.1`, `-2e-3` or `1_000.5`;
    /// `None` if it is malformed, too long, or its exponent exceeds 400 in size.
    pub fn from_decimal(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (text, 0),
        };
        let (negative, unsigned) = match mantissa.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        if whole.len() + fraction.len() > MAX_DIGITS {
            return None;
        }
        let digits = format!("{}{}", plain_digits(whole)?, plain_digits(fraction)?);
        let scale = exponent - i64::try_from(plain_digits(fraction)?.len()).ok()?;
        let magnitude = BigInt::parse_bytes(digits.as_bytes(), 10)?;
        let signed = if negative { -magnitude } else { magnitude };
        let ten = BigInt::from(10).pow(u32::try_from(scale.unsigned_abs()).ok()?);
        Some(if scale >= 0 {
            Self::from_big(BigRational::from_integer(signed * ten))
        } else {
            Self::from_big(BigRational::new(signed, ten))
        })
    }

    /// `x` to this power in double precision, rounded once where one operation does it; NaN for even roots
    /// of negative numbers.
    #[inline]
    pub fn power_of(&self, x: f64) -> f64 {
        match self.0 {
            Repr::Small(-1, 1) => 1.0 / x,
            Repr::Small(2, 1) => x * x,
            Repr::Small(1, 2) => x.sqrt(),
            Repr::Small(-1, 2) => 1.0 / x.sqrt(),
            Repr::Small(n, 1) if i32::try_from(n).is_ok() => elementary::whole_power(x, n as i32),
            _ => elementary::power(x, self.to_f64()),
        }
    }

    /// The nearest double, ties to even; infinite beyond the range.
    pub fn to_f64(&self) -> f64 {
        const EXACT: u64 = 1 << 53;
        match &self.0 {
            Repr::Small(n, d) if n.unsigned_abs() <= EXACT && d.unsigned_abs() <= EXACT => {
                *n as f64 / *d as f64
            }
            _ => nearest_double(&self.numerator(), &self.denominator()),
        }
    }

    /// The numerator, with the sign.
    pub fn numerator(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n, _) => BigInt::from(*n),
            Repr::Big(r) => r.numer().clone(),
        }
    }

    /// The denominator, positive.
    pub fn denominator(&self) -> BigInt {
        match &self.0 {
            Repr::Small(_, d) => BigInt::from(*d),
            Repr::Big(r) => r.denom().clone(),
        }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1, 1))
    }

    /// Whether the denominator is 1.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, d) => *d == 1,
            Repr::Big(r) => r.is_integer(),
        }
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(n, _) => *n < 0,
            Repr::Big(r) => r.is_negative(),
        }
    }

    /// Its value as a machine integer, if it is one.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Repr::Small(n, 1) => Some(*n),
            _ => None,
        }
    }

    /// Numerator and denominator, if both are machine integers.
    pub fn to_i64s(&self) -> Option<(i64, i64)> {
        match &self.0 {
            Repr::Small(n, d) => Some((*n, *d)),
            Repr::Big(_) => None,
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Self {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// `1 / self`, unless it is zero.
    pub fn recip(&self) -> Option<Self> {
        match &self.0 {
            Repr::Small(0, _) => None,
            Repr::Small(n, d) if *n > 0 => Some(Self(Repr::Small(*d, *n))),
            Repr::Small(n, d) => Some(Self::reduced(i128::from(*d), i128::from(*n))),
            Repr::Big(r) => Some(Self::from_big(r.recip())),
        }
    }

    /// `self ^ exponent`; `None` for a negative power of zero, or a result longer than 4096 bits.
    pub fn pow(&self, exponent: i64) -> Option<Self> {
        let base = if exponent < 0 {
            self.recip()?
        } else {
            self.clone()
        };
        let power = exponent.unsigned_abs();
        if let (Repr::Small(n, d), Ok(power)) = (&base.0, u32::try_from(power))
            && let (Some(n), Some(d)) = (n.checked_pow(power), d.checked_pow(power))
        {
            return Some(Self(Repr::Small(n, d)));
        }
        let trivial = base.is_zero() || base.is_one() || (-&base).is_one();
        if !trivial && base.bits().saturating_mul(power) > MAX_POWER_BITS {
            return None;
        }
        let power = if trivial {
            power.min(2 + power % 2)
        } else {
            power
        };
        Some(Self::from_big(Pow::pow(base.to_big(), power)))
    }

    /// The exact `self ^ (1/n)` if `self >= 0` and it is rational.
    pub fn root(&self, n: u32) -> Option<Self> {
        if self.is_negative() || n == 0 {
            return None;
        }
        let exact = |x: &BigInt| {
            let root = x.nth_root(n);
            (Pow::pow(&root, n) == *x).then_some(root)
        };
        let (n, d) = (exact(&self.numerator())?, exact(&self.denominator())?);
        Some(Self::from_big(BigRational::new(n, d)))
    }

    /// The length of the longer of numerator and denominator.
    pub(crate) fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(n, d) => {
                u64::from(64 - (n.unsigned_abs() | d.unsigned_abs()).leading_zeros())
            }
            Repr::Big(r) => r.numer().bits().max(r.denom().bits()),
        }
    }

    /// `n / d` for machine integers, `d > 0`.
    fn reduced_small(n: i64, d: i64) -> Self {
        if d == 1 {
            return Self(Repr::Small(n, 1));
        }
        // A divisor of d is as small as d.
        let g = i64::try_from(n.unsigned_abs().gcd(&d.unsigned_abs())).unwrap_or(1);
        Self(Repr::Small(n / g, d / g))
    }

    fn reduced(n: i128, d: i128) -> Self {
        let g = n.gcd(&d).max(1) * if d < 0 { -1 } else { 1 };
        match (i64::try_from(n / g), i64::try_from(d / g)) {
            (Ok(n), Ok(d)) => Self(Repr::Small(n, d)),
            _ => Self(Repr::Big(Box::new(BigRational::new(n.into(), d.into())))),
        }
    }

    pub(crate) fn from_big(r: BigRational) -> Self {
        match (r.numer().to_i64(), r.denom().to_i64()) {
            (Some(n), Some(d)) => Self(Repr::Small(n, d)),
            _ => Self(Repr::Big(Box::new(r))),
        }
    }

    fn to_big(&self) -> BigRational {
        match &self.0 {
            Repr::Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Repr::Big(r) => (**r).clone(),
        }
    }
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let size: i64 = plain_digits(digits)?.parse().ok()?;
    (size <= MAX_DECIMAL_EXPONENT).then_some(if text.starts_with('-') { -size } else { size })
}

/// Digits without the underscores that may separate them; `None` if anything else is there.
fn plain_digits(text: &str) -> Option<String> {
    let fenced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    let legal = text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    (!text.is_empty() && legal && !fenced).then(|| text.replace('_', ""))
}

/// Rounds `n / d` once: a 66-bit quotient with a sticky last bit, then one conversion.
fn nearest_double(n: &BigInt, d: &BigInt) -> f64 {
    if n.is_zero() {
        return 0.0;
    }
    let bits = |x: &BigInt| i64::try_from(x.bits()).unwrap_or(i64::MAX / 4);
    let shift = 66 - (bits(n) - bits(d));
    let (magnitude, divisor) = (n.abs(), d.clone());
    if bits(n) - bits(d) <= -1022 {
        let value = nearest_small_double(magnitude, &divisor);
        return if n.sign() == Sign::Minus {
            -value
        } else {
            value
        };
    }
    let (quotient, remainder) = if shift >= 0 {
        (magnitude << shift.unsigned_abs()).div_rem(&divisor)
    } else {
        magnitude.div_rem(&(divisor << shift.unsigned_abs()))
    };
    let sticky = u128::from(!remainder.is_zero());
    let leading = (quotient.to_u128().unwrap_or(u128::MAX) | sticky) as f64;
    // Two factors, since 2^-shift alone may leave the range although the product does not.
    let half = i32::try_from((-shift / 2).clamp(-2000, 2000)).unwrap_or(0);
    let rest = i32::try_from((-shift).clamp(-4000, 4000)).unwrap_or(0) - half;
    let value = leading * 2f64.powi(half) * 2f64.powi(rest);
    if n.sign() == Sign::Minus {
        -value
    } else {
        value
    }
}

/// Rounds a quotient below `2^-1021` once, to a multiple of `2^-1074`: doubles so small have fewer digits.
fn nearest_small_double(n: BigInt, d: &BigInt) -> f64 {
    let (quotient, remainder) = (n << 1074u32).div_rem(d);
    let quotient = quotient.to_u64().unwrap_or_default();
    let half: Ordering = (remainder << 1u32).cmp(d);
    let is_up = half.is_gt() || half.is_eq() && quotient % 2 == 1;
    f64::from_bits(quotient + u64::from(is_up))
}

impl From<i64> for Rational {
    fn from(n: i64) -> Self {
        Self(Repr::Small(n, 1))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n, 1) => write!(f, "{n}"),
            Repr::Small(n, d) => write!(f, "{n}/{d}"),
            Repr::Big(r) => write!(f, "{r}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `a/b + c/d`, perhaps not in lowest terms, if it takes machine integers only.
fn small_sum(a: i64, b: i64, c: i64, d: i64) -> Option<(i64, i64)> {
    if b == d {
        return Some((a.checked_add(c)?, b));
    }
    let sum = a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?;
    Some((sum, b.checked_mul(d)?))
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: Self) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, b), Repr::Small(c, d)) => match small_sum(*a, *b, *c, *d) {
                Some((n, d)) => Rational::reduced_small(n, d),
                None => {
                    let [a, b, c, d] = [*a, *b, *c, *d].map(i128::from);
                    // |a d| and |c b| stay below 2^126, so neither product nor sum overflows.
                    Rational::reduced(a * d + c * b, b * d)
                }
            },
            _ => Rational::from_big(self.to_big() + other.to_big()),
        }
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: Self) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                match (a.checked_mul(*c), b.checked_mul(*d)) {
                    (Some(n), Some(d)) => Rational::reduced_small(n, d),
                    _ => {
                        let [a, b, c, d] = [*a, *b, *c, *d].map(i128::from);
                        Rational::reduced(a * c, b * d)
                    }
                }
            }
            _ => Rational::from_big(self.to_big() * other.to_big()),
        }
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            Repr::Small(n, d) => match n.checked_neg() {
                Some(n) => Rational(Repr::Small(n, *d)),
                None => Rational::reduced(-i128::from(*n), i128::from(*d)),
            },
            Repr::Big(r) => Rational::from_big(-(**r).clone()),
        }
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: Self) -> Rational {
        self + &-other
    }
}

impl Div for &Rational {
    type Output = Option<Rational>;
    /// `None` when dividing by zero.
    fn div(self, other: Self) -> Option<Rational> {
        other.recip().map(|r| self * &r)
    }
}

impl One for Rational {
    fn one() -> Self {
        Self::one()
    }
}

impl Mul for Rational {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        &self * &other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Rational {
        Rational::from_decimal(text).expect("a decimal")
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("0.1"), Rational::new(1, 10));
        assert_eq!(decimal("-2.50e-3"), Rational::new(-1, 400));
        assert_eq!(decimal("1_000.5"), Rational::new(2001, 2));
        assert_eq!(decimal("1e3"), Rational::from(1000));
        for bad in [
            "", ".", "1.", ".5", "1e", "1__0", "_1", "1e999", "0x1", "--1", "1.2.3",
        ] {
            assert_eq!(Rational::from_decimal(bad), None, "{bad}");
        }
    }

    /// Near the ends of the machine integers the big ones take over, with the same result.
    #[test]
    fn small_and_big_numbers_agree() {
        let (max, min) = (i64::MAX, i64::MIN);
        let ends = [0, 1, -1, 2, -6, 15, max, max - 1, min, min + 1, 1 << 32];
        let below = [1, 2, 6, 35, 1 << 31, max, max - 1];
        let all = || {
            ends.iter()
                .flat_map(|n| below.iter().map(|d| Rational::new(*n, *d)))
        };
        let big = |x: &Rational| BigRational::new(x.numerator(), x.denominator());
        for (x, y) in all().flat_map(|x| all().map(move |y| (x.clone(), y))) {
            assert_eq!(big(&(&x + &y)), big(&x) + big(&y), "{x} + {y}");
            assert_eq!(big(&(&x * &y)), big(&x) * big(&y), "{x} * {y}");
            assert_eq!(&x + &y, Rational::from_big(big(&x) + big(&y)), "canonical");
            assert_eq!(&x * &y, Rational::from_big(big(&x) * big(&y)), "canonical");
        }
        for x in all() {
            assert_eq!(-&x, Rational::from_big(-big(&x)));
            assert_eq!(x.pow(3), Some(Rational::from_big(Pow::pow(big(&x), 3u32))));
            let inverse = (!x.is_zero()).then(|| Rational::from_big(big(&x).recip()));
            assert_eq!(x.recip(), inverse);
        }
    }

    #[test]
    fn conversion_rounds_as_the_standard_library_does() {
        let texts = [
            "0.1",
            "3.141592653589793238462643383279",
            "123456789012345678901234567890",
            "2.2250738585072014e-308",
            "1.7976931348623157e308",
            "9007199254740993",
            "0.30000000000000004440892098500626",
            "1e-300",
            "-7.0000000000000004440892098500627e22",
        ];
        for text in texts {
            let expected: f64 = text.parse().expect("a double");
            assert_eq!(
                decimal(text).to_f64().to_bits(),
                expected.to_bits(),
                "{text}"
            );
        }
    }

    #[test]
    fn overflow_moves_to_big_integers_and_back() {
        let big = Rational::from(i64::MAX);
        let sum = &big + &big;
        assert_eq!(sum.to_string(), "18446744073709551614");
        assert_eq!(&sum - &big, big);
        assert_eq!(
            -&Rational::from(i64::MIN),
            &Rational::from(i64::MAX) + &Rational::one()
        );
        let third = Rational::new(1, 3);
        assert_eq!(&(&third * &big) * &Rational::from(3), big);
    }

    #[test]
    fn powers_and_roots() {
        assert_eq!(Rational::new(2, 3).pow(-2), Some(Rational::new(9, 4)));
        assert_eq!(Rational::zero().pow(-1), None);
        assert_eq!(Rational::from(2).pow(1_000_000_000), None);
        assert_eq!(
            Rational::from(-1).pow(1_000_000_001),
            Some(Rational::from(-1))
        );
        assert_eq!(Rational::from(-1).pow(1_000_000_000), Some(Rational::one()));
        assert_eq!(Rational::new(9, 4).root(2), Some(Rational::new(3, 2)));
        assert_eq!(Rational::from(2).root(2), None);
        assert_eq!(Rational::from(-4).root(2), None);
    }
}
