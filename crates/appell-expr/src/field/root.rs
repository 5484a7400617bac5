//! Polynomials in one unknown modulo a prime: interpolation, and a root at random.

use super::arithmetic::{Modulus, Random};

/// Polynomials of higher degree are not interpolated.
const MAX_DEGREE: usize = 32;

/// Coefficients, the constant one first, the last one not 0; empty for the polynomial 0.
pub(crate) type Polynomial = Vec<u64>;

/// The polynomial that `value` is, if its degree is at most 32: interpolated, then tried out.
pub(crate) fn interpolate(
    f: Modulus,
    random: &mut Random,
    mut value: impl FnMut(u64) -> Option<u64>,
) -> Option<Polynomial> {
    // Newton's form: coefficients c_k of prod_(i<k) (x - x_i).
    let mut nodes: Vec<u64> = Vec::new();
    let mut newton: Vec<u64> = Vec::new();
    let mut agreements = 0;
    while newton.len() <= MAX_DEGREE + 2 {
        let x = random.below(f.0);
        let (mut predicted, mut basis) = (0, 1);
        for (node, c) in nodes.iter().zip(&newton) {
            predicted = f.plus(predicted, f.times(*c, basis));
            basis = f.times(basis, f.minus(x, *node));
        }
        let gap = f.minus(value(x)?, predicted);
        // Twice at random points: a polynomial that is not 0 has few roots.
        agreements = if gap == 0 { agreements + 1 } else { 0 };
        if agreements == 2 {
            return Some(expand(f, &nodes, &newton));
        }
        nodes.push(x);
        newton.push(f.times(gap, f.inverse(basis)?));
    }
    None
}

/// Newton's form in powers of `x`.
fn expand(f: Modulus, nodes: &[u64], newton: &[u64]) -> Polynomial {
    let mut result: Polynomial = Vec::new();
    for (node, c) in nodes.iter().zip(newton).rev() {
        // result <- result (x - node) + c
        let mut next = vec![0; result.len() + 1];
        for (i, a) in result.iter().enumerate() {
            next[i + 1] = f.plus(next[i + 1], *a);
            next[i] = f.minus(next[i], f.times(*node, *a));
        }
        next[0] = f.plus(next[0], *c);
        result = trimmed(next);
    }
    result
}

fn trimmed(mut a: Polynomial) -> Polynomial {
    while a.last() == Some(&0) {
        a.pop();
    }
    a
}

/// A root drawn among all roots mod p; `None` if there is none, or for constants.
///
/// `gcd(a, x^p - x)` is the product of the linear factors; random shifts split it further
/// (Cantor and Zassenhaus 1981).
pub(crate) fn random_root(f: Modulus, random: &mut Random, a: &[u64]) -> Option<u64> {
    let a = monic(f, a)?;
    if a.len() < 2 {
        return None;
    }
    let x_to_p = power_of_shift(f, &a, 0, f.0)?;
    let mut factor = greatest_common_divisor(f, &a, &minus(f, &x_to_p, &[0, 1]))?;
    while factor.len() > 2 {
        // Half of the roots r make r + shift a square.
        let shift = random.below(f.0);
        let half = power_of_shift(f, &factor, shift, (f.0 - 1) / 2)?;
        let part = greatest_common_divisor(f, &factor, &minus(f, &half, &[1]))?;
        if part.len() < 2 || part.len() == factor.len() {
            continue;
        }
        factor = if random.next() & 1 == 0 {
            part
        } else {
            quotient(f, &factor, &part)
        };
    }
    (factor.len() == 2).then(|| f.negate(factor[0]))
}

fn minus(f: Modulus, a: &[u64], b: &[u64]) -> Polynomial {
    let at = |x: &[u64], i: usize| x.get(i).copied().unwrap_or(0);
    trimmed(
        (0..a.len().max(b.len()))
            .map(|i| f.minus(at(a, i), at(b, i)))
            .collect(),
    )
}

fn monic(f: Modulus, a: &[u64]) -> Option<Polynomial> {
    let a = trimmed(a.to_vec());
    let inverse = f.inverse(*a.last()?)?;
    Some(a.iter().map(|c| f.times(*c, inverse)).collect())
}

/// Quotient and remainder by a monic polynomial.
fn divide(f: Modulus, a: &[u64], b: &[u64]) -> (Polynomial, Polynomial) {
    let mut rest = a.to_vec();
    let mut quotient = vec![0; (a.len() + 1).saturating_sub(b.len())];
    for k in (0..quotient.len()).rev() {
        let c = rest[k + b.len() - 1];
        quotient[k] = c;
        for (i, x) in b.iter().enumerate() {
            rest[k + i] = f.minus(rest[k + i], f.times(c, *x));
        }
    }
    (trimmed(quotient), trimmed(rest))
}

fn quotient(f: Modulus, a: &[u64], b: &[u64]) -> Polynomial {
    divide(f, a, b).0
}

fn greatest_common_divisor(f: Modulus, a: &[u64], b: &[u64]) -> Option<Polynomial> {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    while !b.is_empty() {
        b = monic(f, &b)?;
        let rest = divide(f, &a, &b).1;
        a = std::mem::replace(&mut b, rest);
    }
    monic(f, &a)
}

/// `(x + shift)^exponent` modulo a monic polynomial.
fn power_of_shift(f: Modulus, modulo: &[u64], shift: u64, mut exponent: u64) -> Option<Polynomial> {
    let reduce = |x: &[u64]| divide(f, x, modulo).1;
    let (mut base, mut result) = (reduce(&trimmed(vec![shift, 1])), reduce(&[1]));
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = reduce(&product(f, &result, &base));
        }
        base = reduce(&product(f, &base, &base));
        exponent >>= 1;
    }
    Some(result)
}

fn product(f: Modulus, a: &[u64], b: &[u64]) -> Polynomial {
    let mut result = vec![0; (a.len() + b.len()).saturating_sub(1)];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            result[i + j] = f.plus(result[i + j], f.times(*x, *y));
        }
    }
    trimmed(result)
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::random_prime;
    use super::*;

    fn evaluate(f: Modulus, a: &[u64], x: u64) -> u64 {
        a.iter().rev().fold(0, |sum, c| f.plus(f.times(sum, x), *c))
    }

    #[test]
    fn polynomials_are_found_from_their_values() {
        let mut random = Random(11);
        let f = random_prime(&mut random, 4);
        for degree in [0, 1, 2, 5, 17] {
            let a: Vec<u64> = (0..=degree).map(|_| random.below(f.0 - 1) + 1).collect();
            let found = interpolate(f, &mut random, |x| Some(evaluate(f, &a, x)));
            assert_eq!(found, Some(a));
        }
        let zero = interpolate(f, &mut random, |_| Some(0));
        assert_eq!(zero, Some(Vec::new()));
        let inverse = interpolate(f, &mut random, |x| f.inverse(x));
        assert_eq!(inverse, None, "1/x is no polynomial");
    }

    #[test]
    fn every_root_is_found_in_the_end_and_nothing_else() {
        let mut random = Random(5);
        let f = random_prime(&mut random, 4);
        // (x - 3)(x - 5)(x^2 + 1): -1 is no square.
        let linear = product(f, &[f.negate(3), 1], &[f.negate(5), 1]);
        let a = product(f, &linear, &[1, 0, 1]);
        let mut found: Vec<u64> = (0..40)
            .filter_map(|_| random_root(f, &mut random, &a))
            .collect();
        assert_eq!(found.len(), 40);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, vec![3, 5]);
        assert_eq!(random_root(f, &mut random, &[1, 0, 1]), None);
        assert_eq!(random_root(f, &mut random, &[7]), None);
        assert_eq!(random_root(f, &mut random, &[]), None);
        assert_eq!(
            random_root(f, &mut random, &[0, 0, 1]),
            Some(0),
            "a double root"
        );
    }
}
