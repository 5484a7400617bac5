//! Signs of polynomials by the inequality of arithmetic and geometric means.
//!
//! Where `a = Sum l_i e_i` with `l_i >= 0` and `Sum l_i = 1`, `|x^a| <= Sum l_i x^(e_i)` for even `e_i`. So a
//! polynomial whose even terms with positive coefficients have enough for all others is nowhere negative, as
//! Motzkin's `x^4 y^2 + x^2 y^4 - 3 x^2 y^2 + 1`, which is no sum of squares of polynomials.

use super::range::Range;
use crate::graph::{Ex, Id, Node};
use crate::num::Rational;

/// Polynomials of more terms are left alone.
const MAX_TERMS: usize = 10;
/// Even terms that one other term draws on.
const MAX_SHARES: usize = 4;

/// A term: the exponents of all unknowns, and the coefficient.
type Term = (Vec<i64>, Rational);

/// The sign of a sum that is a polynomial of its parts, whatever these are, if means tell it.
pub(super) fn sign_by_means(x: Ex<'_>) -> Option<Range> {
    let terms = terms(x)?;
    let opposite: Vec<Term> = terms.iter().map(|(e, c)| (e.clone(), -c)).collect();
    let of = |terms: &[Term]| Some(Range::above(0, rest(terms)?.is_zero()));
    of(&terms).or_else(|| Some(of(&opposite)?.opposite()))
}

/// The terms of a sum, its constant among them.
fn terms(x: Ex<'_>) -> Option<Vec<Term>> {
    let Node::Sum(constant, terms) = x.node() else {
        return None;
    };
    if terms.len() > MAX_TERMS {
        return None;
    }
    let graph = x.graph();
    let mut unknowns: Vec<Id> = Vec::new();
    let mut read: Vec<(Vec<(usize, i64)>, Rational)> = vec![(Vec::new(), constant)];
    for (id, c) in &*terms {
        let factors = match graph.node(*id) {
            Node::Product(factors) => factors.to_vec(),
            _ => vec![(*id, Rational::one())],
        };
        let mut powers = Vec::new();
        for (u, e) in factors {
            let e = e.to_i64().filter(|e| *e > 0)?;
            let known = unknowns.iter().position(|v| *v == u);
            let place = known.unwrap_or(unknowns.len());
            if known.is_none() {
                unknowns.push(u);
            }
            powers.push((place, e));
        }
        read.push((powers, c.clone()));
    }
    let spread = read.into_iter().map(|(powers, c)| {
        let mut exponents = vec![0; unknowns.len()];
        powers.iter().for_each(|(place, e)| exponents[*place] += e);
        (exponents, c)
    });
    Some(spread.filter(|(_, c)| !c.is_zero()).collect())
}

/// What is left of the constant once each term that may be negative has its shares; `None` if some find none.
fn rest(terms: &[Term]) -> Option<Rational> {
    let is_square = |(e, c): &&Term| !c.is_negative() && e.iter().all(|e| e % 2 == 0);
    let (mut squares, others): (Vec<Term>, Vec<Term>) =
        terms.iter().cloned().partition(|term| is_square(&term));
    for (exponents, c) in &others {
        let size = c.abs();
        let all: Vec<usize> = (0..squares.len()).collect();
        let shares = subsets(&all).into_iter().find_map(|subset| {
            let shares = weights(&squares, &subset, exponents)?;
            let taken: Vec<Rational> = shares.iter().map(|l| l * &size).collect();
            let enough = subset.iter().zip(&taken).all(|(i, t)| *t <= squares[*i].1);
            enough.then_some((subset, taken))
        });
        let (subset, taken) = shares?;
        for (i, taken) in subset.iter().zip(&taken) {
            squares[*i].1 = &squares[*i].1 - taken;
        }
    }
    let constant = squares.iter().find(|(e, _)| e.iter().all(|e| *e == 0));
    Some(constant.map_or_else(Rational::zero, |(_, c)| c.clone()))
}

/// All choices of two to [`MAX_SHARES`] of these, small ones first.
fn subsets(all: &[usize]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = all.iter().map(|i| vec![*i]).collect();
    let (mut from, mut choices) = (0, Vec::new());
    for _ in 1..MAX_SHARES {
        let end = found.len();
        for index in from..end {
            let last = found[index].last().copied().unwrap_or(0);
            for next in all.iter().filter(|next| **next > last) {
                let longer = [found[index].as_slice(), &[*next]].concat();
                choices.push(longer.clone());
                found.push(longer);
            }
        }
        from = end;
    }
    choices
}

/// `l >= 0` with `Sum l_i = 1` and `Sum l_i e_i = a`, if there is exactly one such `l`.
fn weights(squares: &[Term], chosen: &[usize], a: &[i64]) -> Option<Vec<Rational>> {
    let m = chosen.len();
    let line = |place: usize| -> Vec<Rational> {
        let entries = chosen.iter().map(|i| Rational::from(squares[*i].0[place]));
        entries.chain([Rational::from(a[place])]).collect()
    };
    let mut rows: Vec<Vec<Rational>> = (0..a.len()).map(line).collect();
    rows.push(vec![Rational::one(); m + 1]);
    for k in 0..m {
        let pivot = (k..rows.len()).find(|i| !rows[*i][k].is_zero())?;
        rows.swap(k, pivot);
        let scale = rows[k][k].recip()?;
        let scaled: Vec<Rational> = rows[k].iter().map(|x| x * &scale).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[k].clone();
            if i == k {
                row.clone_from(&scaled);
            } else {
                let next = row.iter().zip(&scaled).map(|(x, y)| x - &(&factor * y));
                *row = next.collect();
            }
        }
    }
    let solved = rows[m..].iter().all(|row| row[m].is_zero());
    let shares: Vec<Rational> = rows[..m].iter().map(|row| row[m].clone()).collect();
    (solved && shares.iter().all(|l| !l.is_negative())).then_some(shares)
}
