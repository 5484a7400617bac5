//! Integers modulo a prime, and primes drawn at random.

use crate::num::Rational;
use num_bigint::BigInt;
use num_integer::Integer;

/// The integers modulo a prime `p = 3 mod 4` below 2^61.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modulus(pub u64);

impl Modulus {
    pub fn plus(self, x: u64, y: u64) -> u64 {
        let sum = x + y;
        if sum >= self.0 { sum - self.0 } else { sum }
    }

    pub fn negate(self, x: u64) -> u64 {
        if x == 0 { 0 } else { self.0 - x }
    }

    pub fn minus(self, x: u64, y: u64) -> u64 {
        self.plus(x, self.negate(y))
    }

    pub fn times(self, x: u64, y: u64) -> u64 {
        multiply(x, y, self.0)
    }

    pub fn power(self, base: u64, exponent: u64) -> u64 {
        power(base, exponent, self.0)
    }

    /// `1/x`, unless `x = 0`.
    pub fn inverse(self, x: u64) -> Option<u64> {
        (x != 0).then(|| self.power(x, self.0 - 2))
    }

    /// Whether `x` is a square other than 0.
    pub fn is_square(self, x: u64) -> bool {
        x != 0 && self.power(x, (self.0 - 1) / 2) == 1
    }

    /// The root of a square that is a square itself: roots of products are products of roots.
    pub fn square_root(self, x: u64) -> Option<u64> {
        let root = self.power(x, self.0.div_ceil(4));
        (self.times(root, root) == x).then_some(root)
    }

    /// The image of an integer.
    pub fn integer(self, x: &BigInt) -> u64 {
        u64::try_from(x.mod_floor(&BigInt::from(self.0))).unwrap_or_default()
    }

    /// The image of a rational number, unless `p` divides its denominator.
    pub fn rational(self, x: &Rational) -> Option<u64> {
        let inverse = self.inverse(self.integer(&x.denominator()))?;
        Some(self.times(self.integer(&x.numerator()), inverse))
    }
}

fn multiply(x: u64, y: u64, p: u64) -> u64 {
    let product = u128::from(x) * u128::from(y) % u128::from(p);
    u64::try_from(product).unwrap_or_default()
}

fn power(mut base: u64, mut exponent: u64, p: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, p);
        }
        base = multiply(base, base, p);
        exponent >>= 1;
    }
    result
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
        if is_prime(candidate) {
            return Modulus(candidate);
        }
    }
}

/// The Miller-Rabin test with the twelve bases that decide all 64-bit numbers.
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 || BASES.iter().any(|b| n != *b && n.is_multiple_of(*b)) {
        return false;
    }
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    BASES.iter().filter(|b| **b < n).all(|base| {
        let mut x = power(*base, odd, n);
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..twos).any(|_| {
            x = multiply(x, x, n);
            x == n - 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_below_a_hundred() {
        let primes: Vec<u64> = (0..100).filter(|n| is_prime(*n)).collect();
        assert_eq!(primes.len(), 25);
        assert!(is_prime((1 << 61) - 1) && !is_prime((1 << 61) + 1));
        assert!(
            !is_prime(3_215_031_751),
            "a strong pseudoprime to the bases 2, 3, 5, 7"
        );
    }

    #[test]
    fn drawn_primes_leave_the_wanted_remainder() {
        let mut random = Random(7);
        for m in [4, 40_320, 1 << 20] {
            let Modulus(p) = random_prime(&mut random, m);
            assert!(is_prime(p) && p % m == m - 1 && (60..61).contains(&p.ilog2()));
        }
    }

    #[test]
    fn roots_of_squares_are_multiplicative() {
        let mut random = Random(3);
        let f = random_prime(&mut random, 4);
        let square = |random: &mut Random| {
            let x = random.below(f.0);
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
