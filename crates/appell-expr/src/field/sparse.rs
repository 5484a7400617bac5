//! Polynomials in several unknowns modulo a prime, by their terms.

use super::arithmetic::Modulus;
use crate::limits::look;
use rustc_hash::FxHashMap;
use std::cmp::{Ordering, Reverse};

/// Polynomials have at most so many unknowns.
pub(crate) const MAX_UNKNOWNS: usize = 14;
/// Products of a higher degree are refused.
const MAX_DEGREE: u128 = 120;
/// Polynomials of more terms are refused.
pub(crate) const MAX_TERMS: usize = 4_000;

/// `Prod x_i^e_i`, ordered by degree, then reverse lexicographically: what has less of the last
/// unknown in which both differ is larger.
///
/// One number: the degree in its two upper bytes, below it a byte for each exponent, the last one first. So
/// products are sums, and comparing, multiplying and dividing take a few instructions: this is where most of
/// the time of a Groebner basis goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Monomial(u128);

impl Monomial {
    pub const ONE: Self = Self(0);
    /// The bits of all exponents.
    const EXPONENTS: u128 = (1 << (8 * MAX_UNKNOWNS)) - 1;
    /// The highest bit of each exponent.
    const HIGHEST: u128 = Self::EXPONENTS / 0xff * 0x80;

    pub fn unknown(index: usize) -> Self {
        Self::ONE.with(index, 1)
    }

    /// Its product with a power of an unknown.
    fn with(self, index: usize, exponent: u8) -> Self {
        let exponent = u128::from(exponent);
        Self(self.0 + (exponent << (8 * MAX_UNKNOWNS)) + (exponent << (8 * index)))
    }

    pub fn degree(self) -> u128 {
        self.0 >> (8 * MAX_UNKNOWNS)
    }

    /// The exponents of the unknowns, in order.
    pub fn exponents(self) -> impl Iterator<Item = u8> {
        self.0.to_le_bytes().into_iter().take(MAX_UNKNOWNS)
    }

    pub fn times(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    /// The quotient, if there is one: if the difference borrows for no exponent.
    pub fn over(self, other: Self) -> Option<Self> {
        let (x, y) = (self.0, other.0);
        let difference = x.wrapping_sub(y);
        let borrowed = (!x & y) | (!(x ^ y) & difference);
        (borrowed & Self::HIGHEST == 0).then_some(Self(difference))
    }

    pub fn least_common_multiple(self, other: Self) -> Self {
        let pairs = self.exponents().zip(other.exponents()).enumerate();
        pairs.fold(Self::ONE, |multiple, (index, (x, y))| {
            multiple.with(index, x.max(y))
        })
    }

    /// The unknown of which it is a power, if it is one.
    pub fn pure_power(self) -> Option<usize> {
        let place = self.exponents().position(|e| e > 0)?;
        (self.exponents().nth(place).map(u128::from) == Some(self.degree())).then_some(place)
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of the same degree, the smaller exponents are the larger monomial.
        (self.0 ^ Self::EXPONENTS).cmp(&(other.0 ^ Self::EXPONENTS))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Terms with coefficients other than 0, the largest monomial first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sparse {
    pub terms: Vec<(Monomial, u64)>,
}

impl Sparse {
    pub fn constant(c: u64) -> Self {
        Self {
            terms: if c == 0 {
                Vec::new()
            } else {
                vec![(Monomial::ONE, c)]
            },
        }
    }

    pub fn unknown(index: usize) -> Self {
        Self {
            terms: vec![(Monomial::unknown(index), 1)],
        }
    }

    /// The constant that it is, if it is one.
    pub fn as_constant(&self) -> Option<u64> {
        match self.terms[..] {
            [] => Some(0),
            [(Monomial::ONE, c)] => Some(c),
            _ => None,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn leading(&self) -> Option<&(Monomial, u64)> {
        self.terms.first()
    }

    pub fn degree(&self) -> u128 {
        self.leading().map_or(0, |(monomial, _)| monomial.degree())
    }

    /// `self + c other`.
    pub fn plus(&self, f: Modulus, c: u64, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((x, _)), Some((y, _))) => x.cmp(y),
                (Some(_), None) => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (None, None) => return Self { terms },
            };
            let term = if order.is_ge() { left.next() } else { None };
            let its = if order.is_le() { right.next() } else { None };
            let monomial = term
                .or(its)
                .map_or(Monomial::ONE, |(monomial, _)| *monomial);
            let scaled = its.map_or(0, |(_, x)| f.times(c, *x));
            let sum = f.plus(term.map_or(0, |(_, x)| *x), scaled);
            if sum != 0 {
                terms.push((monomial, sum));
            }
        }
    }

    pub fn scaled(&self, f: Modulus, c: u64) -> Self {
        Self::default().plus(f, c, self)
    }

    /// The product; `None` if it is too large.
    pub fn times(&self, f: Modulus, other: &Self) -> Option<Self> {
        let work = self.terms.len().checked_mul(other.terms.len())?;
        if self.degree() + other.degree() > MAX_DEGREE || work > 16 * MAX_TERMS {
            return None;
        }
        let mut sums: FxHashMap<Monomial, u64> = FxHashMap::default();
        for (x, a) in &self.terms {
            look();
            for (y, b) in &other.terms {
                let sum = sums.entry(x.times(*y)).or_default();
                *sum = f.plus(*sum, f.times(*a, *b));
            }
        }
        let mut terms: Vec<(Monomial, u64)> = sums.into_iter().filter(|(_, c)| *c != 0).collect();
        terms.sort_unstable_by_key(|(monomial, _)| Reverse(*monomial));
        (terms.len() <= MAX_TERMS).then_some(Self { terms })
    }

    /// `self^e`; `None` if it is too large.
    pub fn power(&self, f: Modulus, e: u64) -> Option<Self> {
        if self.degree().checked_mul(u128::from(e))? > MAX_DEGREE {
            return None;
        }
        match self.as_constant() {
            Some(c) => Some(Self::constant(f.power(c, e))),
            None => (0..e).try_fold(Self::constant(1), |power, _| power.times(f, self)),
        }
    }

    /// The derivative by one unknown.
    pub fn derivative(&self, f: Modulus, unknown: usize) -> Self {
        let slopes = self.terms.iter().filter_map(|(monomial, c)| {
            let rest = monomial.over(Monomial::unknown(unknown))?;
            let e = u64::from(monomial.exponents().nth(unknown)?);
            Some((rest, f.times(e, *c)))
        });
        Self {
            terms: slopes.collect(),
        }
    }

    /// The value at a point.
    pub fn at(&self, f: Modulus, point: &[u64]) -> u64 {
        let value = |(monomial, c): &(Monomial, u64)| {
            let powers = point.iter().zip(monomial.exponents());
            let powers = powers.filter(|(_, e)| *e > 0);
            powers.fold(*c, |product, (x, e)| {
                f.times(product, f.power(*x, u64::from(e)))
            })
        };
        self.terms
            .iter()
            .map(value)
            .fold(0, |sum, x| f.plus(sum, x))
    }
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::Random;
    use super::*;

    fn f() -> Modulus {
        Modulus::new((1 << 61) - 1)
    }

    #[test]
    fn a_binomial_formula() {
        let (x, y) = (Sparse::unknown(0), Sparse::unknown(1));
        let sum = x.plus(f(), 1, &y);
        let cube = sum.power(f(), 3).expect("small");
        let coefficients: Vec<u64> = cube.terms.iter().map(|(_, c)| *c).collect();
        assert_eq!(coefficients, [1, 3, 3, 1]);
        assert_eq!(cube.at(f(), &[2, 5]), 343);
        let slope = cube.derivative(f(), 1);
        assert_eq!(slope.at(f(), &[2, 5]), 3 * 49);
        assert!(cube.plus(f(), f().negate(1), &cube).is_zero());
    }

    #[test]
    fn the_order_is_graded_and_reverse_lexicographic() {
        // x^2 > x y > y^2 > x z > y z > z^2 > x > y > z > 1.
        let m = |e: [u8; 3]| {
            let powers = e.into_iter().enumerate();
            powers.fold(Monomial::ONE, |product, (index, e)| product.with(index, e))
        };
        let sorted = [
            [2, 0, 0],
            [1, 1, 0],
            [0, 2, 0],
            [1, 0, 1],
            [0, 1, 1],
            [0, 0, 2],
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
            [0, 0, 0],
        ];
        for pair in sorted.windows(2) {
            assert!(m(pair[0]) > m(pair[1]), "{pair:?}");
        }
    }

    /// Against what is done exponent by exponent.
    #[test]
    fn quotients_and_common_multiples_go_by_exponents() {
        let monomial = |e: [u8; MAX_UNKNOWNS]| {
            let powers = e.into_iter().enumerate();
            powers.fold(Monomial::ONE, |product, (index, e)| product.with(index, e))
        };
        let mut random = Random(5);
        let mut divided = 0;
        for most in [2, 2, 3, 128, 180] {
            for _ in 0..500 {
                let mut draw =
                    || std::array::from_fn(|_| u8::try_from(random.below(most)).expect("small"));
                let (mut x, y): ([u8; MAX_UNKNOWNS], [u8; MAX_UNKNOWNS]) = (draw(), draw());
                if random.below(2) == 0 {
                    // So that there are quotients, and some that only one exponent forbids.
                    x = std::array::from_fn(|i| x[i].max(y[i]));
                    x[1] = y[1].saturating_sub(y[0] % 2);
                }
                let quotient = x.iter().zip(&y).map(|(x, y)| x.checked_sub(*y));
                let quotient: Option<Vec<u8>> = quotient.collect();
                let quotient = quotient.map(|e| monomial(e.try_into().expect("as many")));
                divided += usize::from(quotient.is_some());
                assert_eq!(monomial(x).over(monomial(y)), quotient, "{x:?} over {y:?}");
                let larger = monomial(std::array::from_fn(|i| x[i].max(y[i])));
                let multiple = monomial(x).least_common_multiple(monomial(y));
                assert_eq!(multiple, larger, "{x:?}, {y:?}");
                let degree: u128 = x.iter().map(|e| u128::from(*e)).sum();
                assert_eq!(monomial(x).degree(), degree);
                assert!(monomial(x).exponents().eq(x));
            }
        }
        assert!((300..2_000).contains(&divided), "{divided}");
    }

    #[test]
    fn what_grows_too_large_is_refused() {
        let x = Sparse::unknown(0);
        assert!(x.power(f(), 121).is_none());
        assert_eq!(x.power(f(), 120).map(|p| p.degree()), Some(120));
    }
}
