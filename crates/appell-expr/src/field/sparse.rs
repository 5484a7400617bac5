//! Polynomials in several unknowns modulo a prime, by their terms.

use super::arithmetic::Modulus;
use crate::limits::look;
use rustc_hash::FxHashMap;
use std::cmp::{Ordering, Reverse};

/// Polynomials have at most so many unknowns.
pub(crate) const MAX_UNKNOWNS: usize = 14;
/// Products of a higher degree are refused.
const MAX_DEGREE: u16 = 120;
/// Polynomials of more terms are refused.
pub(crate) const MAX_TERMS: usize = 4_000;

/// `Prod x_i^e_i`, ordered by degree, then reverse lexicographically: what has less of the last
/// unknown in which both differ is larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Monomial {
    pub degree: u16,
    pub exponents: [u8; MAX_UNKNOWNS],
}

impl Monomial {
    pub const ONE: Self = Self {
        degree: 0,
        exponents: [0; MAX_UNKNOWNS],
    };

    pub fn unknown(index: usize) -> Self {
        let mut monomial = Self::ONE;
        monomial.exponents[index] = 1;
        monomial.degree = 1;
        monomial
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut product = *self;
        for (x, y) in product.exponents.iter_mut().zip(&other.exponents) {
            *x += y;
        }
        product.degree += other.degree;
        product
    }

    /// The quotient, if there is one.
    pub fn over(&self, other: &Self) -> Option<Self> {
        let mut quotient = *self;
        for (x, y) in quotient.exponents.iter_mut().zip(&other.exponents) {
            *x = x.checked_sub(*y)?;
        }
        quotient.degree -= other.degree;
        Some(quotient)
    }

    pub fn least_common_multiple(&self, other: &Self) -> Self {
        let mut multiple = *self;
        for (x, y) in multiple.exponents.iter_mut().zip(&other.exponents) {
            *x = (*x).max(*y);
        }
        multiple.degree = multiple.exponents.iter().map(|e| u16::from(*e)).sum();
        multiple
    }

    /// The unknown of which it is a power, if it is one.
    pub fn pure_power(&self) -> Option<usize> {
        let place = self.exponents.iter().position(|e| *e > 0)?;
        (u16::from(self.exponents[place]) == self.degree).then_some(place)
    }
}

impl Monomial {
    /// The exponents as one number, the last one first: what is compared the most.
    fn last_first(&self) -> u128 {
        let mut bytes = [0; 16];
        bytes[..MAX_UNKNOWNS].copy_from_slice(&self.exponents);
        u128::from_le_bytes(bytes)
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_degree = self.degree.cmp(&other.degree);
        by_degree.then_with(|| other.last_first().cmp(&self.last_first()))
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
            [(monomial, c)] if monomial.degree == 0 => Some(c),
            _ => None,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn leading(&self) -> Option<&(Monomial, u64)> {
        self.terms.first()
    }

    pub fn degree(&self) -> u16 {
        self.leading().map_or(0, |(monomial, _)| monomial.degree)
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
            let own = if order.is_ge() { left.next() } else { None };
            let its = if order.is_le() { right.next() } else { None };
            let monomial = own.or(its).map_or(Monomial::ONE, |(monomial, _)| *monomial);
            let scaled = its.map_or(0, |(_, x)| f.times(c, *x));
            let sum = f.plus(own.map_or(0, |(_, x)| *x), scaled);
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
                let sum = sums.entry(x.times(y)).or_default();
                *sum = f.plus(*sum, f.times(*a, *b));
            }
        }
        let mut terms: Vec<(Monomial, u64)> = sums.into_iter().filter(|(_, c)| *c != 0).collect();
        terms.sort_unstable_by_key(|(monomial, _)| Reverse(*monomial));
        (terms.len() <= MAX_TERMS).then_some(Self { terms })
    }

    /// `self^e`; `None` if it is too large.
    pub fn power(&self, f: Modulus, e: u64) -> Option<Self> {
        if u64::from(self.degree()).checked_mul(e)? > u64::from(MAX_DEGREE) {
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
            let rest = monomial.over(&Monomial::unknown(unknown))?;
            let e = u64::from(monomial.exponents[unknown]);
            Some((rest, f.times(e, *c)))
        });
        Self {
            terms: slopes.collect(),
        }
    }

    /// The value at a point.
    pub fn at(&self, f: Modulus, point: &[u64]) -> u64 {
        let value = |(monomial, c): &(Monomial, u64)| {
            let powers = point
                .iter()
                .zip(&monomial.exponents)
                .filter(|(_, e)| **e > 0);
            powers.fold(*c, |product, (x, e)| {
                f.times(product, f.power(*x, u64::from(*e)))
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
            let mut monomial = Monomial::ONE;
            monomial.exponents[..3].copy_from_slice(&e);
            monomial.degree = e.iter().map(|e| u16::from(*e)).sum();
            monomial
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

    #[test]
    fn what_grows_too_large_is_refused() {
        let x = Sparse::unknown(0);
        assert!(x.power(f(), 121).is_none());
        assert_eq!(x.power(f(), 120).map(|p| p.degree()), Some(120));
    }
}
