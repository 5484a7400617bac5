//! Sparse polynomials in many unknowns with rational coefficients.

use crate::limits::look;
use crate::num::Rational;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Larger polynomials are given up.
pub(super) const MAX_TERMS: usize = 300;

/// Products of terms in one greatest common divisor; then it is given up.
const MAX_WORK: usize = 60_000;

/// Coefficients of remainders beyond this are given up.
const MAX_BITS: u64 = 1_024;

/// Exponents of the unknowns, without trailing zeros; the first unknown weighs most.
pub(super) type Monomial = Vec<u32>;

/// `Sum c_m m`, no `c_m` zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Polynomial {
    pub terms: BTreeMap<Monomial, Rational>,
}

fn trimmed(mut m: Monomial) -> Monomial {
    while m.last() == Some(&0) {
        m.pop();
    }
    m
}

fn exponent(m: &Monomial, place: usize) -> u32 {
    m.get(place).copied().unwrap_or(0)
}

fn product(a: &Monomial, b: &Monomial) -> Monomial {
    let length = a.len().max(b.len());
    (0..length)
        .map(|i| exponent(a, i) + exponent(b, i))
        .collect()
}

fn quotient(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let length = a.len().max(b.len());
    let exponents = (0..length).map(|i| exponent(a, i).checked_sub(exponent(b, i)));
    exponents.collect::<Option<Monomial>>().map(trimmed)
}

impl Polynomial {
    pub fn constant(c: Rational) -> Self {
        Self::term(Vec::new(), c)
    }

    pub fn one() -> Self {
        Self::constant(Rational::one())
    }

    pub fn term(m: Monomial, c: Rational) -> Self {
        let mut terms = BTreeMap::new();
        if !c.is_zero() {
            terms.insert(m, c);
        }
        Self { terms }
    }

    /// The unknown of this place.
    pub fn unknown(place: usize) -> Self {
        let mut m = vec![0; place + 1];
        m[place] = 1;
        Self::term(m, Rational::one())
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        let only = self.terms.first_key_value();
        self.terms.len() == 1 && only.is_some_and(|(m, c)| m.is_empty() && c.is_one())
    }

    /// The number it is, if it is one.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(Rational::zero()),
            1 => self.terms.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    fn leading(&self) -> Option<(&Monomial, &Rational)> {
        self.terms.last_key_value()
    }

    fn accumulate(&mut self, m: Monomial, c: &Rational) {
        match self.terms.entry(m) {
            Entry::Vacant(_) if c.is_zero() => {}
            Entry::Vacant(place) => drop(place.insert(c.clone())),
            Entry::Occupied(mut place) => {
                let sum = place.get() + c;
                match sum.is_zero() {
                    true => drop(place.remove()),
                    false => drop(place.insert(sum)),
                }
            }
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (m, c) in &other.terms {
            sum.accumulate(m.clone(), c);
        }
        sum
    }

    pub fn scale(&self, factor: &Rational) -> Self {
        if factor.is_zero() {
            return Self::default();
        }
        let terms = self.terms.iter();
        Self {
            terms: terms.map(|(m, c)| (m.clone(), c * factor)).collect(),
        }
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scale(&Rational::from(-1)))
    }

    /// `None` if it is too large.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut result = Self::default();
        for (a, c) in &self.terms {
            look();
            for (b, d) in &other.terms {
                result.accumulate(product(a, b), &(c * d));
            }
            if result.terms.len() > MAX_TERMS {
                return None;
            }
        }
        Some(result)
    }

    /// The exact quotient, if there is one.
    pub fn over(&self, divisor: &Self) -> Option<Self> {
        let (lead, c) = divisor.leading()?;
        if divisor.is_one() {
            return Some(self.clone());
        }
        if divisor.terms.len() == 1 {
            let c = c.recip()?;
            let terms = self.terms.iter();
            let terms = terms.map(|(m, d)| Some((quotient(m, lead)?, d * &c)));
            let terms = terms.collect::<Option<_>>()?;
            return Some(Self { terms });
        }
        let mut rest = self.clone();
        let mut result = Self::default();
        while let Some((m, d)) = rest.leading() {
            look();
            let (m, d) = (quotient(m, lead)?, (d / c)?);
            for (monomial, e) in &divisor.terms {
                rest.accumulate(product(monomial, &m), &-&(e * &d));
            }
            result.accumulate(m, &d);
        }
        Some(result)
    }

    /// The degree in one unknown.
    pub fn degree(&self, place: usize) -> u32 {
        let degrees = self.terms.keys().map(|m| exponent(m, place));
        degrees.max().unwrap_or(0)
    }

    /// The total degree in some unknowns.
    pub fn total_degree(&self, places: &[usize]) -> u32 {
        let degree = |m: &Monomial| places.iter().map(|i| exponent(m, *i)).sum::<u32>();
        self.terms.keys().map(degree).max().unwrap_or(0)
    }

    /// Whether an unknown occurs.
    pub fn has(&self, place: usize) -> bool {
        self.degree(place) > 0
    }

    /// The places of all unknowns that occur, in order.
    pub fn unknowns(&self) -> Vec<usize> {
        let length = self.terms.keys().map(Vec::len).max().unwrap_or(0);
        (0..length).filter(|i| self.has(*i)).collect()
    }

    /// The coefficients by powers of one unknown, lowest first.
    pub fn coefficients(&self, place: usize) -> Vec<Self> {
        let size = self.degree(place) as usize + 1;
        let mut list = vec![Self::default(); size];
        for (m, c) in &self.terms {
            let power = exponent(m, place);
            let mut rest = m.clone();
            if let Some(e) = rest.get_mut(place) {
                *e = 0;
            }
            list[power as usize].accumulate(trimmed(rest), c);
        }
        list
    }

    /// The partial derivative.
    pub fn diff(&self, place: usize) -> Self {
        let mut result = Self::default();
        for (m, c) in &self.terms {
            let power = exponent(m, place);
            if power > 0 {
                let mut rest = m.clone();
                rest[place] -= 1;
                result.accumulate(trimmed(rest), &(c * &Rational::from(i64::from(power))));
            }
        }
        result
    }

    /// With coprime integer coefficients, the leading one positive.
    pub fn primitive(&self) -> Self {
        let Some((_, lead)) = self.leading() else {
            return Self::default();
        };
        let mut whole = self.terms.values().map(Rational::to_i64);
        let common = whole.try_fold(0u64, |a, c| Some(a.gcd(&c?.unsigned_abs())));
        if common == Some(1) && !lead.is_negative() {
            return self.clone();
        }
        let denominators = self.terms.values().map(Rational::denominator);
        let numerators = self.terms.values().map(Rational::numerator);
        let lcm = denominators.fold(BigInt::from(1), |a, b| a.lcm(&b));
        let gcd = numerators.fold(BigInt::from(0), |a, b| a.gcd(&b));
        let factor = Rational::from_big(BigRational::new(lcm, gcd));
        let sign = Rational::from(if lead.is_negative() { -1 } else { 1 });
        self.scale(&(&factor * &sign))
    }

    /// The greatest common divisor, primitive; 1 where it would take too long. The products of
    /// terms that it took are taken off `work`.
    pub fn gcd(&self, other: &Self, work: &Cell<usize>) -> Self {
        if self.is_one() || other.is_one() {
            return Self::one();
        }
        let granted = MAX_WORK.min(work.get());
        let mut budget = granted;
        let found = gcd(self, other, &mut budget);
        let spent = if found.is_some() {
            granted - budget
        } else {
            granted
        };
        work.set(work.get() - spent);
        found.map_or_else(Self::one, |g| g.primitive())
    }

    /// The exact square root, if it is a square.
    pub fn square_root(&self) -> Option<Self> {
        let (m, c) = self.leading()?;
        let halves = m.iter().map(|e| (e % 2 == 0).then_some(e / 2));
        let lead = (halves.collect::<Option<Monomial>>()?, c.root(2)?);
        let first = Self::term(lead.0.clone(), lead.1.clone());
        let mut root = first.clone();
        let twice = &lead.1 + &lead.1;
        let mut rest = self.minus(&first.times(&first)?);
        while let Some((m, c)) = rest.leading() {
            let next = Self::term(quotient(m, &lead.0)?, (c / &twice)?);
            let grown = root.plus(&next);
            rest = self.minus(&grown.times(&grown)?);
            if grown.terms.len() > MAX_TERMS || grown.terms.len() == root.terms.len() {
                return None;
            }
            root = grown;
        }
        Some(root)
    }
}

/// By primitive remainders in the first unknown.
fn gcd(a: &Polynomial, b: &Polynomial, budget: &mut usize) -> Option<Polynomial> {
    if a.is_zero() {
        return Some(b.clone());
    }
    if b.is_zero() {
        return Some(a.clone());
    }
    spend(budget, &[a, b], 1)?;
    if a.as_constant().is_some() || b.as_constant().is_some() {
        return Some(Polynomial::one());
    }
    if a.terms.len() == 1 || b.terms.len() == 1 {
        return Some(common_monomial(a, b));
    }
    let place = *a.unknowns().first().min(b.unknowns().first())?;
    let (content_a, primitive_a) = split(a, place, budget)?;
    let (content_b, primitive_b) = split(b, place, budget)?;
    let content = gcd(&content_a, &content_b, budget)?;
    let (mut large, mut small) = (primitive_a, primitive_b);
    if large.degree(place) < small.degree(place) {
        std::mem::swap(&mut large, &mut small);
    }
    while !small.is_zero() {
        if !small.has(place) {
            return Some(content);
        }
        let remainder = remainder(&large, &small, place, budget)?;
        large = small;
        small = match remainder.is_zero() {
            true => remainder,
            false => split(&remainder, place, budget)?.1.primitive(),
        };
    }
    content.times(&large)
}

/// What divides every term of both.
fn common_monomial(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut all = a.terms.keys().chain(b.terms.keys());
    let first = all.next().cloned().unwrap_or_default();
    let common = all.fold(first, |common, m| {
        let least = common
            .iter()
            .enumerate()
            .map(|(i, e)| (*e).min(exponent(m, i)));
        trimmed(least.collect())
    });
    Polynomial::term(common, Rational::one())
}

/// Takes the products of the terms of some polynomials with so many others off the budget.
fn spend(budget: &mut usize, of: &[&Polynomial], times: usize) -> Option<()> {
    let terms: usize = of.iter().map(|p| p.terms.len()).sum();
    *budget = budget.checked_sub(terms * times + 1)?;
    Some(())
}

/// The content by one unknown, and the rest.
fn split(a: &Polynomial, place: usize, budget: &mut usize) -> Option<(Polynomial, Polynomial)> {
    let mut content = Polynomial::default();
    for c in a.coefficients(place) {
        content = gcd(&content, &c, budget)?;
        if content.as_constant().is_some_and(|c| !c.is_zero()) {
            content = Polynomial::one();
            break;
        }
    }
    let content = content.primitive();
    spend(budget, &[a], content.terms.len())?;
    let rest = a.over(&content)?;
    Some((content, rest))
}

/// The pseudo-remainder of `a` by `b` in one unknown.
fn remainder(
    a: &Polynomial,
    b: &Polynomial,
    place: usize,
    budget: &mut usize,
) -> Option<Polynomial> {
    let degree = b.degree(place);
    let lead = b.coefficients(place).pop()?;
    let mut rest = a.clone();
    while !rest.is_zero() && rest.degree(place) >= degree {
        let gap = rest.degree(place) - degree;
        let top = rest.coefficients(place).pop()?;
        let mut shift = vec![0; place + 1];
        shift[place] = gap;
        let shift = Polynomial::term(trimmed(shift), Rational::one());
        spend(budget, &[b], top.terms.len())?;
        spend(budget, &[&rest], lead.terms.len())?;
        let taken = top.times(&shift)?.times(b)?;
        rest = lead.times(&rest)?.minus(&taken);
        if rest.terms.values().any(|c| c.bits() > MAX_BITS) {
            return None;
        }
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(terms: &[(&[u32], i64)]) -> Polynomial {
        let mut sum = Polynomial::default();
        for (m, c) in terms {
            sum.accumulate(trimmed(m.to_vec()), &Rational::from(*c));
        }
        sum
    }

    #[test]
    fn greatest_common_divisors() {
        // (x - y)(x + y) and (x - y)(2 y + 3 z)
        let common = p(&[(&[1], 1), (&[0, 1], -1)]);
        let a = common.times(&p(&[(&[1], 1), (&[0, 1], 1)])).expect("small");
        let b = common
            .times(&p(&[(&[0, 1], 2), (&[0, 0, 1], 3)]))
            .expect("small");
        let work = Cell::new(1_000);
        assert_eq!(a.gcd(&b, &work), common);
        assert_eq!(a.gcd(&p(&[(&[0, 0, 2], 5)]), &work), Polynomial::one());
        // x y z and y^2
        assert_eq!(
            p(&[(&[1, 1, 1], 4)]).gcd(&p(&[(&[0, 2], 6)]), &work),
            p(&[(&[0, 1], 1)])
        );
    }

    #[test]
    fn quotients_and_roots() {
        let a = p(&[(&[1], 1), (&[0, 1], -2), (&[0, 0, 1], 3)]);
        let square = a.times(&a).expect("small");
        assert_eq!(square.square_root(), Some(a.clone()));
        assert_eq!(square.over(&a), Some(a.clone()));
        assert_eq!(square.plus(&Polynomial::one()).square_root(), None);
        assert_eq!(a.over(&p(&[(&[1], 1)])), None);
    }
}
