//! Upper bounds of errors: numbers of 32 bits, rounded up.

use super::float::Float;
use std::cmp::Ordering;

/// The length of a mantissa.
const BITS: u32 = 32;

/// A bound `m 2^e` with `2^31 <= m < 2^32`, or 0, or infinity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Radius {
    mantissa: u64,
    exponent: i64,
}

impl Radius {
    pub const ZERO: Self = Self {
        mantissa: 0,
        exponent: i64::MIN,
    };
    pub const INFINITE: Self = Self {
        mantissa: 1 << (BITS - 1),
        exponent: i64::MAX,
    };

    /// The least bound that is not below `m 2^e`.
    fn up(m: u128, e: i64) -> Self {
        Self::of(m, e, true)
    }

    fn of(m: u128, e: i64, up: bool) -> Self {
        if m == 0 {
            return Self::ZERO;
        }
        let bits = 128 - m.leading_zeros();
        let (mut mantissa, mut exponent) = if bits <= BITS {
            let shift = BITS - bits;
            (m << shift, e - i64::from(shift))
        } else {
            let shift = bits - BITS;
            let lost = up && m & ((1 << shift) - 1) != 0;
            ((m >> shift) + u128::from(lost), e + i64::from(shift))
        };
        if mantissa >> BITS != 0 {
            (mantissa, exponent) = (mantissa >> 1, exponent + 1);
        }
        #[allow(clippy::cast_possible_truncation, reason = "32 bits are left")]
        let mantissa = mantissa as u64;
        Self { mantissa, exponent }
    }

    /// `2^k`.
    pub fn power_of_two(k: i64) -> Self {
        Self::up(1, k)
    }

    /// `m 2^e` of an integer.
    pub fn integer(m: u64, e: i64) -> Self {
        Self::up(u128::from(m), e)
    }

    /// Not below `|x|`.
    pub fn above(x: &Float) -> Self {
        let (top, exponent, exact) = x.top();
        Self::up(u128::from(top) + u128::from(!exact), exponent)
    }

    /// Not above `|x|`.
    pub fn below(x: &Float) -> Self {
        let (top, exponent, _) = x.top();
        Self::of(u128::from(top), exponent, false)
    }

    pub fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    pub fn is_infinite(self) -> bool {
        self.exponent == i64::MAX
    }

    /// `floor(log2)` of it; `None` for 0.
    pub fn magnitude(self) -> Option<i64> {
        let top = self.exponent.saturating_add(i64::from(BITS - 1));
        (!self.is_zero()).then_some(top)
    }

    /// The sum, rounded up.
    pub fn plus(self, other: Self) -> Self {
        let (large, small) = if self >= other {
            (self, other)
        } else {
            (other, self)
        };
        if small.is_zero() || large.is_infinite() {
            return large;
        }
        let sum = (u128::from(large.mantissa) << 64) + small.aligned(large);
        Self::up(sum, large.exponent - 64)
    }

    /// The product, rounded up.
    pub fn times(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::ZERO;
        }
        if self.is_infinite() || other.is_infinite() {
            return Self::INFINITE;
        }
        Self::up(
            u128::from(self.mantissa) * u128::from(other.mantissa),
            self.exponent + other.exponent,
        )
    }

    /// `self / other`, rounded up; infinite where `other` is 0.
    pub fn over(self, other: Self) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        if self.is_infinite() || other.is_zero() {
            return Self::INFINITE;
        }
        if other.is_infinite() {
            return Self::ZERO.plus(self.times(Self::power_of_two(-super::LIMIT)));
        }
        let quotient = (u128::from(self.mantissa) << 64) / u128::from(other.mantissa);
        Self::up(quotient + 1, self.exponent - other.exponent - 64)
    }

    /// `max(0, self - other)`, rounded down.
    pub fn minus_below(self, other: Self) -> Self {
        if self <= other {
            return Self::ZERO;
        }
        if other.is_zero() || self.is_infinite() {
            return self;
        }
        let rest = (u128::from(self.mantissa) << 64).saturating_sub(other.aligned(self));
        Self::of(rest, self.exponent - 64, false)
    }

    /// It in units of `2^-64` of the exponent of a larger one, rounded up.
    fn aligned(self, larger: Self) -> u128 {
        let apart = larger.exponent.saturating_sub(self.exponent);
        let apart = u32::try_from(apart.clamp(0, 127)).unwrap_or(127);
        let exact = u128::from(self.mantissa) << 64;
        (exact >> apart) + u128::from(exact & ((1 << apart) - 1) != 0)
    }

    /// It times `2^k`.
    pub fn scaled(self, k: i64) -> Self {
        if self.is_zero() || self.is_infinite() {
            return self;
        }
        Self {
            exponent: self.exponent + k,
            ..self
        }
    }

    /// The bound as a number.
    pub fn float(self) -> Float {
        match self.is_zero() {
            true => Float::zero(),
            false => Float::new(self.mantissa.into(), self.exponent),
        }
    }
}

impl PartialOrd for Radius {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Radius {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.exponent, self.mantissa).cmp(&(other.exponent, other.mantissa))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_on_their_side() {
        let numbers = [3u64, 7, 1 << 31, (1 << 32) - 1, 12_345_678_901];
        for x in numbers {
            for y in numbers {
                for shift in [-100, -64, -33, -1, 0, 5, 63, 90] {
                    let (a, b) = (Radius::integer(x, 0), Radius::integer(y, shift));
                    let (fa, fb) = (a.float(), b.float());
                    assert!(a.plus(b).float() >= &fa + &fb);
                    assert!(a.times(b).float() >= &fa * &fb);
                    assert!(&a.over(b).float() * &fb >= fa);
                    let rest = a.minus_below(b).float();
                    assert!(rest.is_zero() || &rest + &fb <= fa);
                }
            }
        }
    }
}
