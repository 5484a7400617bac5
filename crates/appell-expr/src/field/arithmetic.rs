//! Integers modulo a prime, and primes drawn at random.

use crate::num::Rational;
use num_bigint::BigInt;
use num_integer::Integer;

/// The integers modulo a number `p` between 2^60 and 2^61, a field if `p` is a prime; roots are
/// those of a prime `p = 3 mod 4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modulus {
    /// The number `p`.
    pub p: u64,
    /// `2^124 / p`, rounded down.
    reciprocal: u64,
}

impl Modulus {
    /// The integers modulo `p`, which must lie between 2^60 and 2^61.
    pub fn new(p: u64) -> Self {
        debug_assert_eq!(p.ilog2(), 60, "{p}");
        // Below 2^64, since p is above 2^60.
        let reciprocal = u64::try_from((1 << 124) / u128::from(p)).unwrap_or(u64::MAX);
        Self { p, reciprocal }
    }

    pub fn plus(self, x: u64, y: u64) -> u64 {
        let sum = x + y;
        if sum >= self.p { sum - self.p } else { sum }
    }

    pub fn negate(self, x: u64) -> u64 {
        if x == 0 { 0 } else { self.p - x }
    }

    pub fn minus(self, x: u64, y: u64) -> u64 {
        self.plus(x, self.negate(y))
    }

    /// `x y` for `x, y < 2^61`, without a division.
    pub fn times(self, x: u64, y: u64) -> u64 {
        self.reduced(u128::from(x) * u128::from(y))
    }

    /// A number below 2^122 modulo `p`: Barrett's quotient from its leading bits. Cutting 58 bits off the
    /// number and rounding the reciprocal cost less than a quarter each, so that it is the true one or one less.
    pub fn reduced(self, x: u128) -> u64 {
        let leading = low(x >> 58);
        let quotient = low((u128::from(leading) * u128::from(self.reciprocal)) >> 66);
        let rest = low(x).wrapping_sub(quotient.wrapping_mul(self.p));
        if rest >= self.p { rest - self.p } else { rest }
    }

    /// Any number below 2^128 modulo `p`.
    pub fn reduced_sum(self, x: u128) -> u64 {
        let upper = self.reduced(x >> 64);
        let of_upper = self.times(upper, self.reduced(1 << 64));
        self.plus(of_upper, self.reduced(u128::from(low(x))))
    }

    /// `sum + x y` modulo `2^61 p`, below which the sum lies: it can be [reduced](Self::reduced) in the end.
    pub fn plus_product(self, sum: u128, x: u64, y: u64) -> u128 {
        let (sum, top) = (
            sum + u128::from(x) * u128::from(y),
            u128::from(self.p) << 61,
        );
        if sum >= top { sum - top } else { sum }
    }

    pub fn power(self, mut base: u64, mut exponent: u64) -> u64 {
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.times(result, base);
            }
            base = self.times(base, base);
            exponent >>= 1;
        }
        result
    }

    /// `1/x`, unless `x = 0`.
    pub fn inverse(self, x: u64) -> Option<u64> {
        match x {
            0 => None,
            1 => Some(1),
            _ => Some(self.power(x, self.p - 2)),
        }
    }

    /// Whether `x` is a square other than 0.
    pub fn is_square(self, x: u64) -> bool {
        x != 0 && self.power(x, (self.p - 1) / 2) == 1
    }

    /// The root of a square that is a square itself: roots of products are products of roots.
    pub fn square_root(self, x: u64) -> Option<u64> {
        let root = self.power(x, self.p.div_ceil(4));
        (self.times(root, root) == x).then_some(root)
    }

    /// The image of an integer.
    pub fn integer(self, x: &BigInt) -> u64 {
        u64::try_from(x.mod_floor(&BigInt::from(self.p))).unwrap_or_default()
    }

    /// The image of a machine integer.
    pub fn machine_integer(self, x: i64) -> u64 {
        let size = x.unsigned_abs() % self.p;
        if x < 0 { self.negate(size) } else { size }
    }

    /// The image of a rational number, unless `p` divides its denominator.
    pub fn rational(self, x: &Rational) -> Option<u64> {
        if let Some((n, d)) = x.to_i64s() {
            let inverse = self.inverse(self.machine_integer(d))?;
            return Some(self.times(self.machine_integer(n), inverse));
        }
        let inverse = self.inverse(self.integer(&x.denominator()))?;
        Some(self.times(self.integer(&x.numerator()), inverse))
    }

    /// Whether `p` is a prime: the Miller-Rabin test with the twelve bases that decide all 64-bit
    /// numbers.
    fn is_field(self) -> bool {
        const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        let n = self.p;
        if BASES.iter().any(|b| n.is_multiple_of(*b)) {
            return false;
        }
        let twos = (n - 1).trailing_zeros();
        let odd = (n - 1) >> twos;
        BASES.iter().all(|base| {
            let mut x = self.power(*base, odd);
            if x == 1 || x == n - 1 {
                return true;
            }
            (1..twos).any(|_| {
                x = self.times(x, x);
                x == n - 1
            })
        })
    }
}

/// The last 64 bits.
fn low(x: u128) -> u64 {
    x as u64
}

/// Sebastiano Vigna's splitmix64: enough for drawing points, reproducible.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        let scaled = (u128::from(self.next()) * u128::from(bound)) >> 64;
        u64::try_from(scaled).unwrap_or_default()
    }
}

/// A random prime `p = -1 mod m` between 2^60 and 2^61; `m` a multiple of 4 below 2^40.
pub(crate) fn random_prime(random: &mut Random, m: u64) -> Modulus {
    let (low, high) = ((1 << 60) / m + 1, (1 << 61) / m);
    loop {
        let candidate = (low + random.below(high - low)) * m - 1;
        let modulus = Modulus::new(candidate);
        if modulus.is_field() {
            return modulus;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ten largest primes below 2^61 are published as these differences.
    #[test]
    fn primes_near_the_bounds() {
        let field = |p: u64| Modulus::new(p).is_field();
        let below: Vec<u64> = (1..500).filter(|k| field((1 << 61) - k)).collect();
        assert_eq!(below, [1, 31, 45, 229, 259, 283, 339, 391, 403, 465]);
        let above: Vec<u64> = (1..200).filter(|k| field((1 << 60) + k)).collect();
        assert_eq!(above, [33, 91, 105, 147, 151]);
        let strong = 759_580_981 * 1_519_161_961;
        assert!(
            !field(strong),
            "a strong pseudoprime to the bases 2, 3, 5, 7"
        );
    }

    #[test]
    fn products_are_remainders() {
        let mut random = Random(5);
        let ends = [(1 << 60) + 1, (1 << 60) + 33, (1 << 61) - 31, (1 << 61) - 1];
        let drawn: Vec<u64> = (0..50).map(|_| random.below(1 << 60) | 1 << 60).collect();
        for p in ends.into_iter().chain(drawn) {
            let f = Modulus::new(p);
            let edge = [0, 1, 2, p / 2, p / 2 + 1, p - 2, p - 1];
            let inner: Vec<u64> = (0..40).map(|_| random.below(p)).collect();
            let all: Vec<u64> = edge.into_iter().chain(inner).collect();
            for (x, y) in all.iter().flat_map(|x| all.iter().map(move |y| (*x, *y))) {
                let exact = u128::from(x) * u128::from(y) % u128::from(p);
                assert_eq!(u128::from(f.times(x, y)), exact, "{x} {y} mod {p}");
                let top = (u128::from(p) << 61) - 1;
                let sum = f.plus_product(top, x, y);
                assert!(sum <= top);
                let exact = (top % u128::from(p) + exact) % u128::from(p);
                assert_eq!(u128::from(f.reduced(sum)), exact, "{x} {y} mod {p}");
                for sum in [u128::MAX, u128::MAX - sum, sum << 5, u128::from(x) << 67] {
                    let exact = sum % u128::from(p);
                    assert_eq!(u128::from(f.reduced_sum(sum)), exact, "{sum} mod {p}");
                }
            }
        }
    }

    #[test]
    fn machine_integers_and_others_have_one_image() {
        let f = Modulus::new((1 << 61) - 1);
        for n in [0, 1, -1, i64::MAX, i64::MIN, (1 << 61) - 1, -(1 << 61) - 5] {
            assert_eq!(f.machine_integer(n), f.integer(&BigInt::from(n)), "{n}");
        }
        assert_eq!(f.rational(&Rational::new(1, (1 << 61) - 1)), None);
        let half = f
            .rational(&Rational::new(-1, 2))
            .expect("2 is no multiple of p");
        assert_eq!(f.plus(half, half), f.negate(1));
    }

    #[test]
    fn drawn_primes_leave_the_wanted_remainder() {
        let mut random = Random(7);
        for m in [4, 40_320, 1 << 20] {
            let f = random_prime(&mut random, m);
            assert!(f.is_field() && f.p % m == m - 1 && f.p.ilog2() == 60);
        }
    }

    #[test]
    fn roots_of_squares_are_multiplicative() {
        let mut random = Random(3);
        let f = random_prime(&mut random, 4);
        let square = |random: &mut Random| {
            let x = random.below(f.p);
            f.times(x, x)
        };
        for _ in 0..50 {
            let (a, b) = (square(&mut random), square(&mut random));
            let root = |x| f.square_root(x).expect("a square");
            assert_eq!(f.times(root(a), root(b)), root(f.times(a, b)));
            assert_eq!(f.square_root(f.negate(a)), None, "-1 is no square");
        }
    }
}
