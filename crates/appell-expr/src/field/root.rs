//! Polynomials in one unknown modulo a prime: interpolation, resultants, factors, and a root at random.

use super::arithmetic::{Modulus, Random};

/// Polynomials of higher degree are not interpolated.
pub(crate) const MAX_DEGREE: usize = 32;

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
        let x = random.below(f.p);
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
    let x_to_p = power_of_shift(f, &a, 0, f.p)?;
    let mut factor = greatest_common_divisor(f, &a, &minus(f, &x_to_p, &[0, 1]))?;
    while factor.len() > 2 {
        // Half of the roots r make r + shift a square.
        let shift = random.below(f.p);
        let half = power_of_shift(f, &factor, shift, (f.p - 1) / 2)?;
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

pub(crate) fn greatest_common_divisor(f: Modulus, a: &[u64], b: &[u64]) -> Option<Polynomial> {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    while !b.is_empty() {
        b = monic(f, &b)?;
        let rest = divide(f, &a, &b).1;
        a = std::mem::replace(&mut b, rest);
    }
    monic(f, &a)
}

/// The monic product of the different irreducible factors; `None` for the polynomial 0.
pub(crate) fn squarefree(f: Modulus, a: &[u64]) -> Option<Polynomial> {
    let a = monic(f, a)?;
    // The degree is below p: the derivative is 0 for constants only.
    let slope = (0u64..).zip(&a).skip(1).map(|(i, c)| f.times(i, *c));
    let repeated = greatest_common_divisor(f, &a, &trimmed(slope.collect()))?;
    Some(quotient(f, &a, &repeated))
}

/// The degrees of products of irreducible factors of a squarefree monic polynomial of degree
/// below 64, as bits.
///
/// `x^(p^d) - x` is the product of all irreducible polynomials whose degrees divide `d`.
pub(crate) fn splitting(f: Modulus, a: &[u64]) -> Option<u64> {
    let (mut rest, mut sums) = (a.to_vec(), 1u64);
    let mut power = trimmed(vec![0, 1]);
    for d in 1.. {
        if rest.len() <= 2 * d {
            break;
        }
        power = power_of(f, &rest, &power, f.p);
        let factor = greatest_common_divisor(f, &rest, &minus(f, &power, &[0, 1]))?;
        for _ in 0..(factor.len() - 1) / d {
            sums |= sums << d;
        }
        rest = quotient(f, &rest, &factor);
    }
    Some(match rest.len() {
        0 | 1 => sums,
        length => sums | sums << (length - 1),
    })
}

/// The resultant of two polynomials that are not 0, by Euclid's algorithm.
pub(crate) fn resultant(f: Modulus, a: &[u64], b: &[u64]) -> Option<u64> {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    let mut result = 1;
    while b.len() > 1 {
        // res(a, b) = (-1)^(deg a deg b) lc(b)^(deg a - deg r) res(b, r), r = a mod b.
        let rest = divide(f, &a, &monic(f, &b)?).1;
        if rest.is_empty() {
            return Some(0);
        }
        let dropped = u64::try_from(a.len() - rest.len()).ok()?;
        result = f.times(result, f.power(*b.last()?, dropped));
        if (a.len() - 1) % 2 == 1 && (b.len() - 1) % 2 == 1 {
            result = f.negate(result);
        }
        a = std::mem::replace(&mut b, rest);
    }
    let degree = u64::try_from(a.len().checked_sub(1)?).ok()?;
    Some(f.times(result, f.power(*b.first()?, degree)))
}

/// `(x + shift)^exponent` modulo a monic polynomial.
fn power_of_shift(f: Modulus, modulo: &[u64], shift: u64, exponent: u64) -> Option<Polynomial> {
    (!modulo.is_empty()).then(|| power_of(f, modulo, &trimmed(vec![shift, 1]), exponent))
}

/// `base^exponent` modulo a monic polynomial.
fn power_of(f: Modulus, modulo: &[u64], base: &[u64], mut exponent: u64) -> Polynomial {
    let reduce = |x: &[u64]| divide(f, x, modulo).1;
    let (mut base, mut result) = (reduce(base), reduce(&[1]));
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = reduce(&product(f, &result, &base));
        }
        base = reduce(&product(f, &base, &base));
        exponent >>= 1;
    }
    result
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
            let a: Vec<u64> = (0..=degree).map(|_| random.below(f.p - 1) + 1).collect();
            let found = interpolate(f, &mut random, |x| Some(evaluate(f, &a, x)));
            assert_eq!(found, Some(a));
        }
        let zero = interpolate(f, &mut random, |_| Some(0));
        assert_eq!(zero, Some(Vec::new()));
        let inverse = interpolate(f, &mut random, |x| f.inverse(x));
        assert_eq!(inverse, None, "1/x is no polynomial");
    }

    #[test]
    fn resultants_are_products_of_differences_of_roots() {
        let mut random = Random(3);
        let f = random_prime(&mut random, 4);
        let with_roots = |lead: u64, roots: &[u64]| {
            let factors = roots.iter().map(|r| vec![f.negate(*r), 1]);
            factors.fold(vec![lead], |a, b| product(f, &a, &b))
        };
        let (r, s) = ([2, 9, 4], [7, 5]);
        let (a, b) = (with_roots(3, &r), with_roots(10, &s));
        let mut expected = f.times(f.power(3, 2), f.power(10, 3));
        for (x, y) in r.iter().flat_map(|x| s.iter().map(move |y| (*x, *y))) {
            expected = f.times(expected, f.minus(x, y));
        }
        assert_eq!(resultant(f, &a, &b), Some(expected));
        // Exchanged: (-1)^(3 2) = 1; with a third root -1 comes in.
        assert_eq!(resultant(f, &b, &a), Some(expected));
        let c = with_roots(1, &[11]);
        let swapped = resultant(f, &c, &a).map(|x| f.negate(x));
        assert_eq!(resultant(f, &a, &c), swapped);
        assert_eq!(resultant(f, &a, &with_roots(1, &[9])), Some(0));
        assert_eq!(resultant(f, &a, &[6]), Some(216));
        assert_eq!(resultant(f, &[6], &b), Some(36));
        assert_eq!(resultant(f, &[], &b), Some(0));
    }

    #[test]
    fn factors_by_their_degrees() {
        let mut random = Random(7);
        let f = random_prime(&mut random, 4);
        // -1 is no square, so x^2 + 1 and x^2 + 2 x + 5 = (x + 1)^2 + 4 are irreducible.
        let (one, two) = (vec![1, 0, 1], vec![5, 2, 1]);
        let four = product(f, &one, &two);
        assert_eq!(splitting(f, &one), Some(0b101));
        assert_eq!(splitting(f, &four), Some(0b10101));
        let five = product(f, &four, &[f.negate(8), 1]);
        assert_eq!(splitting(f, &five), Some(0b111111));
        assert_eq!(splitting(f, &[4, 1]), Some(0b11));
        assert_eq!(splitting(f, &[1]), Some(1));
        let square = product(f, &five, &product(f, &one, &[2]));
        assert_eq!(squarefree(f, &square), Some(five));
        assert_eq!(squarefree(f, &[7]), Some(vec![1]));
        assert_eq!(squarefree(f, &[]), None);
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
