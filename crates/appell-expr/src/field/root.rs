//! Polynomials in one unknown modulo a prime: interpolation, factors, and roots.

use super::arithmetic::{Modulus, Random};
use crate::limits::look;

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
pub(crate) fn random_root(f: Modulus, random: &mut Random, a: &[u64]) -> Option<u64> {
    let roots = all_roots(f, random, a);
    let count = u64::try_from(roots.len()).ok()?;
    let drawn = usize::try_from(random.below(count.max(1))).ok()?;
    roots.get(drawn).copied()
}

/// All roots mod p, each once; none for constants.
///
/// `gcd(a, x^p - x)` is the product of the linear factors; random shifts split it further
/// (Cantor and Zassenhaus 1981).
pub(crate) fn all_roots(f: Modulus, random: &mut Random, a: &[u64]) -> Vec<u64> {
    let linear_factors = |a: &[u64]| {
        let a = monic(f, a).filter(|a| a.len() > 1)?;
        let x_to_p = power_of_shift(f, &a, 0, f.p)?;
        greatest_common_divisor(f, &a, &minus(f, &x_to_p, &[0, 1]))
    };
    let mut roots = Vec::new();
    let mut open: Vec<Polynomial> = linear_factors(a).into_iter().collect();
    while let Some(factor) = open.pop() {
        match factor.len() {
            0 | 1 => {}
            2 => roots.push(f.negate(factor[0])),
            _ => open.extend(parted(f, random, &factor)),
        }
    }
    roots
}

/// A product of different linear factors as two products.
fn parted(f: Modulus, random: &mut Random, factor: &[u64]) -> [Polynomial; 2] {
    loop {
        // Half of the roots r make r + shift a square.
        let shift = random.below(f.p);
        let half = power_of(f, factor, &trimmed(vec![shift, 1]), (f.p - 1) / 2);
        let part = greatest_common_divisor(f, factor, &minus(f, &half, &[1]));
        let proper = part.filter(|part| (2..factor.len()).contains(&part.len()));
        if let Some(part) = proper {
            return [quotient(f, factor, &part), part];
        }
    }
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
    let mut rest: Vec<u128> = a.iter().map(|x| u128::from(*x)).collect();
    let mut quotient = vec![0; (a.len() + 1).saturating_sub(b.len())];
    for k in (0..quotient.len()).rev() {
        look();
        let c = f.reduced(rest[k + b.len() - 1]);
        quotient[k] = c;
        let less = f.negate(c);
        for (sum, x) in rest[k..].iter_mut().zip(b) {
            *sum = f.plus_product(*sum, less, *x);
        }
    }
    rest.truncate(b.len().saturating_sub(1).min(a.len()));
    let rest = rest.into_iter().map(|x| f.reduced(x)).collect();
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

/// The quotient of a squarefree monic polynomial by what it has in common with another.
pub(crate) fn without_common_roots(f: Modulus, a: &[u64], b: &[u64]) -> Option<Polynomial> {
    Some(quotient(
        f,
        a,
        &greatest_common_divisor(f, a, &trimmed(b.to_vec()))?,
    ))
}

/// The value at a point.
pub(crate) fn value_at(f: Modulus, a: &[u64], x: u64) -> u64 {
    a.iter().rev().fold(0, |sum, c| f.plus(f.times(sum, x), *c))
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
    let x = trimmed(vec![0, 1]);
    let mut power = x.clone();
    let mut images: Vec<Polynomial> = Vec::new();
    for d in 1.. {
        if rest.len() <= 2 * d {
            break;
        }
        // Powers by p are linear: a sum has that of its terms.
        power = match d {
            1 => power_of(f, a, &x, f.p),
            _ => {
                if images.is_empty() {
                    images = powers(f, a, &power);
                }
                combination(f, &power, &images)
            }
        };
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
        for (sum, y) in result[i..].iter_mut().zip(b) {
            *sum = f.plus_product(*sum, *x, *y);
        }
    }
    trimmed(result.into_iter().map(|x| f.reduced(x)).collect())
}

/// `1, a, a^2, ..` modulo a monic polynomial, as many as its degree.
fn powers(f: Modulus, modulo: &[u64], a: &[u64]) -> Vec<Polynomial> {
    let mut powers = vec![divide(f, &[1], modulo).1];
    while powers.len() + 1 < modulo.len() {
        let next = powers.last().map(|last| product(f, last, a));
        powers.push(divide(f, &next.unwrap_or_default(), modulo).1);
    }
    powers
}

/// The sum of these polynomials with these factors.
fn combination(f: Modulus, factors: &[u64], of: &[Polynomial]) -> Polynomial {
    let length = of.iter().map(Vec::len).max().unwrap_or_default();
    let mut sum = vec![0; length];
    for (factor, x) in factors.iter().zip(of) {
        for (sum, x) in sum.iter_mut().zip(x) {
            *sum = f.plus_product(*sum, *factor, *x);
        }
    }
    trimmed(sum.into_iter().map(|x| f.reduced(x)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::random_prime;
    use super::*;

    #[test]
    fn polynomials_are_found_from_their_values() {
        let mut random = Random(11);
        let f = random_prime(&mut random, 4);
        for degree in [0, 1, 2, 5, 17] {
            let a: Vec<u64> = (0..=degree).map(|_| random.below(f.p - 1) + 1).collect();
            let found = interpolate(f, &mut random, |x| Some(value_at(f, &a, x)));
            assert_eq!(found, Some(a));
        }
        let zero = interpolate(f, &mut random, |_| Some(0));
        assert_eq!(zero, Some(Vec::new()));
        let inverse = interpolate(f, &mut random, |x| f.inverse(x));
        assert_eq!(inverse, None, "1/x is no polynomial");
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

    /// By the definition, powers by p one after the other: what the linear map is to give.
    #[test]
    fn powers_by_the_prime_are_a_linear_map() {
        let mut random = Random(3);
        let f = random_prime(&mut random, 4);
        for degree in [2, 5, 9, 14] {
            let mut a: Vec<u64> = (0..degree).map(|_| random.below(f.p)).collect();
            a.push(1);
            let first = power_of(f, &a, &[0, 1], f.p);
            let images = powers(f, &a, &first);
            let mut power = first;
            for _ in 0..3 {
                let wanted = power_of(f, &a, &power, f.p);
                power = combination(f, &power, &images);
                assert_eq!(power, wanted, "degree {degree}");
            }
        }
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
