//! Sixteen numbers side by side, one of each member of a block.
//!
//! Everything here is plain arithmetic on arrays, lane by lane: the compiler turns it into vector
//! instructions where `backend/vectorised.rs` allows them, and no lane ever sees another.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// How many states stand side by side: two of the widest vectors, so that one is worked on while the other
/// waits for its results.
pub const LANES: usize = 16;

/// One number of each lane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; LANES]);

/// A choice of lanes: all bits of a chosen one are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Mask(pub [u64; LANES]);

/// A choice of lanes as bits.
pub(crate) type Bits = u16;

/// The numbers of the chosen lanes.
#[inline(always)]
pub(crate) fn chosen(mut bits: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// A value for each lane. (`std::array::from_fn` is not always inlined, and then lacks the instructions that
/// `backend/vectorised.rs` allows.)
#[inline(always)]
fn each<T: Copy + Default>(f: impl Fn(usize) -> T) -> [T; LANES] {
    let mut values = [T::default(); LANES];
    for (i, value) in values.iter_mut().enumerate() {
        *value = f(i);
    }
    values
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes::all(0.0)
    }
}

impl Lanes {
    /// The same number in every lane.
    #[inline(always)]
    pub const fn all(x: f64) -> Lanes {
        Lanes([x; LANES])
    }

    /// Lane by lane.
    #[inline(always)]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Lanes {
        Lanes(each(|i| f(self.0[i])))
    }

    /// Lane by lane, with another.
    #[inline(always)]
    pub fn zip(self, other: Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
        Lanes(each(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Lanes {
        self.map(f64::abs)
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Lanes {
        self.map(f64::sqrt)
    }

    /// The larger one; a number rather than none.
    #[inline(always)]
    pub(crate) fn max(self, other: Lanes) -> Lanes {
        self.zip(other, |x, y| if x > y || y.is_nan() { x } else { y })
    }

    /// The smaller one; a number rather than none.
    #[inline(always)]
    pub(crate) fn min(self, other: Lanes) -> Lanes {
        self.zip(other, |x, y| if x < y || y.is_nan() { x } else { y })
    }

    #[inline(always)]
    pub(crate) fn compare(self, other: Lanes, holds: impl Fn(f64, f64) -> bool) -> Mask {
        Mask(each(|i| if holds(self.0[i], other.0[i]) { !0 } else { 0 }))
    }

    #[inline(always)]
    pub(crate) fn at_most(self, other: Lanes) -> Mask {
        self.compare(other, |x, y| x <= y)
    }

    #[inline(always)]
    pub(crate) fn below(self, other: Lanes) -> Mask {
        self.compare(other, |x, y| x < y)
    }

    #[inline(always)]
    pub(crate) fn equals(self, other: Lanes) -> Mask {
        self.compare(other, |x, y| x == y)
    }

    /// The binary logarithm of positive normal numbers, to about 1e-13: for lengths of steps only.
    #[inline(always)]
    pub(crate) fn log2(self) -> Lanes {
        self.map(|x| {
            // The bits of sqrt(1/2): what is left of the number lies between it and its double.
            let bits = x.to_bits().wrapping_sub(0x3fe6_a09e_667f_3bcd);
            let power = ((bits as i64) >> 52) as u64;
            let rest = f64::from_bits(x.to_bits().wrapping_sub(power << 52));
            // An integer in the last bits of 1.5 2^52, less that number.
            let power = f64::from_bits(power.wrapping_add(0x4338_0000_0000_0000)) - ROUND;
            let s = (rest - 1.0) / (rest + 1.0);
            let z = s * s;
            let series = 1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0 + z * (1.0 / 15.0)));
            let series = 1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + z * series));
            power + (2.0 * std::f64::consts::LOG2_E) * (s + s * z * series)
        })
    }

    /// `2^x` for `|x| < 1000`, to about 1e-13: for lengths of steps only.
    #[inline(always)]
    pub(crate) fn exp2(self) -> Lanes {
        self.map(|x| {
            let shifted = x + ROUND;
            let r = (x - (shifted - ROUND)) * std::f64::consts::LN_2;
            let series = 1.0 / 720.0
                + r * (1.0 / 5040.0
                    + r * (1.0 / 40320.0
                        + r * (1.0 / 362_880.0
                            + r * (1.0 / 3_628_800.0 + r * (1.0 / 39_916_800.0)))));
            let series = 1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * series));
            let value = 1.0 + r * (1.0 + r * (0.5 + r * series));
            f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52))
        })
    }
}

/// 1.5 2^52: added and subtracted, it rounds to an integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

impl Mask {
    pub const NONE: Mask = Mask([0; LANES]);
    pub const ALL: Mask = Mask([!0; LANES]);

    /// The lanes whose bit is set.
    #[inline(always)]
    pub fn of_bits(bits: Bits) -> Mask {
        Mask(each(|i| if bits >> i & 1 == 1 { !0 } else { 0 }))
    }

    #[inline(always)]
    pub fn bits(self) -> Bits {
        (0..LANES).fold(0, |bits, i| bits | ((self.0[i] & 1) as Bits) << i)
    }

    #[inline(always)]
    pub fn any(self) -> bool {
        self.0.iter().fold(0, |any, x| any | x) != 0
    }

    #[inline(always)]
    pub fn and(self, other: Mask) -> Mask {
        Mask(each(|i| self.0[i] & other.0[i]))
    }

    #[inline(always)]
    pub fn or(self, other: Mask) -> Mask {
        Mask(each(|i| self.0[i] | other.0[i]))
    }

    #[inline(always)]
    pub fn not(self) -> Mask {
        Mask(each(|i| !self.0[i]))
    }

    /// `x` in the chosen lanes, `y` in the others.
    #[inline(always)]
    pub fn choose(self, x: Lanes, y: Lanes) -> Lanes {
        Lanes(each(|i| {
            f64::from_bits(x.0[i].to_bits() & self.0[i] | y.0[i].to_bits() & !self.0[i])
        }))
    }

    /// The numbers of the chosen lanes.
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        chosen(self.bits())
    }
}

macro_rules! lane_by_lane {
    ($($trait:ident $name:ident $op:tt),*) => {$(
        impl $trait for Lanes {
            type Output = Lanes;
            #[inline(always)]
            fn $name(self, other: Lanes) -> Lanes {
                self.zip(other, |x, y| x $op y)
            }
        }
    )*};
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl Neg for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn neg(self) -> Lanes {
        self.map(|x| -x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_powers_serve_the_lengths_of_steps() {
        for k in 0..400 {
            let x = 1e-20 * 1.3f64.powi(k) * (1.0 + 1e-3 * f64::from(k));
            let log = Lanes::all(x).log2().0[3];
            assert!(
                (log - x.log2()).abs() < 2e-13 * (1.0 + x.log2().abs()),
                "{x} {log}"
            );
            let y = f64::from(k) * 0.37 - 70.0;
            let power = Lanes::all(y).exp2().0[5];
            assert!((power / y.exp2() - 1.0).abs() < 2e-13, "{y} {power}");
        }
    }

    #[test]
    fn masks_choose_lanes() {
        let mask = Mask::of_bits(0b1010_0001);
        assert_eq!(mask.bits(), 0b1010_0001);
        assert_eq!(mask.lanes().collect::<Vec<_>>(), [0, 5, 7]);
        let chosen = mask.choose(Lanes::all(1.0), Lanes::all(f64::NAN));
        assert_eq!(chosen.0[5], 1.0);
        assert!(chosen.0[4].is_nan());
        assert_eq!(mask.and(mask.not()), Mask::NONE);
        assert_eq!(mask.or(mask.not()), Mask::ALL);
    }
}
