//! Elementary functions by argument reduction and power series.

use super::{BITS, LIMIT, Precise, Undefined};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Arguments are halved so often before a series is summed.
const HALVINGS: i64 = 8;
/// More digits for intermediate steps than are kept: sums are taken in integers.
const GUARD: u64 = 64;

/// `x 2^-scale` as an integer, for sums in fixed point.
const SCALE: u64 = BITS + GUARD;

fn fixed(x: &Precise) -> BigInt {
    let shift = x.exponent + i64::try_from(SCALE).unwrap_or(0);
    if shift >= 0 {
        &x.mantissa << shift
    } else {
        &x.mantissa >> -shift
    }
}

fn floating(x: BigInt) -> Precise {
    Precise::new(x, -i64::try_from(SCALE).unwrap_or(0))
}

fn fixed_one() -> BigInt {
    BigInt::from(1) << SCALE
}

/// `Sum_k first prod_(j <= k) ratio(j)`, the terms in fixed point.
fn series(first: BigInt, mut next: impl FnMut(&BigInt, u32) -> BigInt) -> BigInt {
    let (mut sum, mut term, mut k) = (first.clone(), first, 0);
    while term.bits() > 0 && k < 2000 {
        k += 1;
        term = next(&term, k);
        sum += &term;
    }
    sum
}

/// `atan(1/n)` in fixed point.
fn inverse_tangent(n: u32) -> BigInt {
    let square = BigInt::from(n) * n;
    let (mut sum, mut power, mut k) = (BigInt::ZERO, fixed_one() / n, 0u32);
    while power.bits() > 1 {
        let term = &power / (2 * k + 1);
        sum += if k % 2 == 0 { term } else { -term };
        // Towards zero on both sides: the power stays positive.
        power /= &square;
        k += 1;
    }
    sum
}

/// pi, by Machin's formula `pi/4 = 4 atan(1/5) - atan(1/239)`.
pub(super) fn pi() -> Precise {
    let quarter: BigInt = inverse_tangent(5) * 4 - inverse_tangent(239);
    floating(quarter << 2)
}

/// `log 2 = 2 atanh(1/3)`.
fn log_of_two() -> Precise {
    let first: BigInt = fixed_one() * 2 / 3;
    let (mut sum, mut power, mut k) = (BigInt::ZERO, first, 0u32);
    while power.bits() > 1 {
        sum += &power / (2 * k + 1);
        power /= 9;
        k += 1;
    }
    floating(sum)
}

/// `exp x`: `x = k log 2 + r`, the series at `r/2^8`, squared eight times.
pub(super) fn exp(x: &Precise) -> Result<Precise, Undefined> {
    let two = log_of_two();
    let k = x.divided(&two)?.bounded_below(40)?.rounded();
    let turns = k.to_i64().filter(|k| k.abs() < LIMIT).ok_or(Undefined)?;
    let rest = x - &(&Precise::new(k, 0) * &two);
    let small = fixed(&rest.scaled(-HALVINGS));
    let mut sum = series(fixed_one(), |term, k| ((term * &small) >> SCALE) / k);
    for _ in 0..HALVINGS {
        sum = (&sum * &sum) >> SCALE;
    }
    Ok(floating(sum).scaled(turns))
}

/// `log x`: doubles to begin with, then Newton's method for `exp`.
pub(super) fn log(x: &Precise) -> Result<Precise, Undefined> {
    if x.sign() <= 0 {
        return Err(Undefined);
    }
    let size = x.magnitude().ok_or(Undefined)?;
    let reduced = x.scaled(-size);
    let mut y = Precise::from_f64(reduced.to_f64().ln()).ok_or(Undefined)?;
    for _ in 0..4 {
        // y <- y + 2 (x - e^y)/(x + e^y): three times the digits each time.
        let e = exp(&y)?;
        let step = (&reduced - &e).divided(&(&reduced + &e))?;
        y = &y + &step.scaled(1);
    }
    Ok(&y + &(&Precise::from(size) * &log_of_two()))
}

/// `(sin x, cos x)`: whole quarter turns off, then the series at `x/2^8`, doubled eight times.
pub(super) fn sin_cos(x: &Precise) -> Result<(Precise, Precise), Undefined> {
    let quarter = pi().scaled(-1);
    let turns = x.divided(&quarter)?.bounded_below(60)?.rounded();
    let rest = x - &(&Precise::new(turns.clone(), 0) * &quarter);
    let small = fixed(&rest.scaled(-HALVINGS));
    let square = (&small * &small) >> SCALE;
    let mut sine = series(small, |term, k| {
        -((term * &square) >> SCALE) / (2 * k * (2 * k + 1))
    });
    let half_square: BigInt = &square >> 1;
    let first = -half_square;
    // cos x - 1, which is doubled without loss.
    let mut less = series(first, |term, k| {
        -((term * &square) >> SCALE) / ((2 * k + 1) * (2 * k + 2))
    });
    for _ in 0..HALVINGS {
        // sin 2x = 2 sin x + 2 sin x (cos x - 1), cos 2x - 1 = 4 c + 2 c^2
        sine = (&sine << 1) + ((&sine * &less) >> (SCALE - 1));
        less = (&less << 2) + ((&less * &less) >> (SCALE - 1));
    }
    let (s, c) = (floating(sine), floating(less + fixed_one()));
    let phase: BigInt = ((turns % 4) + 4) % 4;
    Ok(match phase.to_u8() {
        Some(0) => (s, c),
        Some(1) => (c, -&s),
        Some(2) => (-&s, -&c),
        _ => (-&c, s),
    })
}

/// `atan x`: doubles to begin with, then Newton's method for `tan`.
pub(super) fn atan(x: &Precise) -> Result<Precise, Undefined> {
    if x.abs() > Precise::from(1) {
        // atan x = +-pi/2 - atan(1/x)
        let quarter = pi().scaled(-1);
        let rest = atan(&Precise::from(1).divided(x)?)?;
        let end = if x.is_negative() { -&quarter } else { quarter };
        return Ok(&end - &rest);
    }
    let mut y = Precise::from_f64(x.to_f64().atan()).ok_or(Undefined)?;
    for _ in 0..4 {
        // y <- y + (x - tan y) cos^2 y
        let (s, c) = sin_cos(&y)?;
        y = &y + &(&(&(x * &c) - &s) * &c);
    }
    Ok(y)
}

/// `asin x = atan(x / sqrt(1 - x^2))`.
pub(super) fn asin(x: &Precise) -> Result<Precise, Undefined> {
    let one = Precise::from(1);
    let rest = (&(&one - x) * &(&one + x)).root(2)?;
    if rest.is_zero() {
        let quarter = pi().scaled(-1);
        return Ok(if x.is_negative() { -&quarter } else { quarter });
    }
    atan(&x.divided(&rest)?)
}

/// The angle of the point `(x, y)`.
pub(super) fn atan2(y: &Precise, x: &Precise) -> Result<Precise, Undefined> {
    let turn = pi();
    match (x.sign(), y.sign()) {
        (0, 0) => Ok(Precise::zero()),
        (0, s) => Ok(&Precise::from(s) * &turn.scaled(-1)),
        (1, _) => atan(&y.divided(x)?),
        (_, s) => {
            let half = atan(&y.divided(x)?)?;
            Ok(if s < 0 { &half - &turn } else { &half + &turn })
        }
    }
}

impl Precise {
    /// Itself, unless it is `2^bits` or more.
    fn bounded_below(self, bits: i64) -> Result<Self, Undefined> {
        match self.magnitude() {
            Some(size) if size >= bits => Err(Undefined),
            _ => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Rational;

    fn number(text: &str) -> Precise {
        Precise::from(&Rational::from_decimal(text).expect("a number"))
    }

    /// Values from the classical tables.
    #[test]
    fn thirty_digits() {
        let exact = |x: Result<Precise, Undefined>| x.expect("defined").decimal(30);
        assert_eq!(exact(Ok(pi())), "3.14159265358979323846264338328");
        assert_eq!(exact(exp(&number("1"))), "2.71828182845904523536028747135");
        assert_eq!(exact(log(&number("10"))), "2.30258509299404568401799145468");
        let (s, c) = sin_cos(&number("1")).expect("small");
        assert_eq!(s.decimal(30), "8.41470984807896506652502321630e-1");
        assert_eq!(c.decimal(30), "5.40302305868139717400936607443e-1");
        assert_eq!(
            exact(atan(&number("0.2"))),
            "1.97395559849880758370049765195e-1"
        );
        assert_eq!(
            exact(asin(&number("0.5"))),
            "5.23598775598298873077107230547e-1"
        );
        let below = atan2(&number("-1"), &number("-1"));
        assert_eq!(exact(below), "-2.35619449019234492884698253746");
    }

    #[test]
    fn laws_hold_to_seventy_digits() {
        for text in ["0.3", "-1.7", "12.5", "-100.25", "1e-12"] {
            let x = number(text);
            let (s, c) = sin_cos(&x).expect("small");
            let unit = &(&(&s * &s) + &(&c * &c)) - &Precise::from(1);
            assert!(unit.to_f64().abs() < 1e-70, "{text}");
            let back = log(&exp(&x).expect("small")).expect("positive");
            assert!((&back - &x).to_f64().abs() < 1e-70, "{text}");
        }
    }

    #[test]
    fn what_does_not_exist() {
        assert_eq!(log(&Precise::zero()), Err(Undefined));
        assert_eq!(asin(&Precise::from(2)), Err(Undefined));
        assert_eq!(exp(&number("1e30")), Err(Undefined));
    }
}
