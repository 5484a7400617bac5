//! Quadratic forms with rational coefficients, by completing squares.

use super::range::Range;
use crate::graph::{Ex, Id, Node};
use crate::num::Rational;

/// Forms of more unknowns are left whole.
const MAX_UNKNOWNS: usize = 16;

/// A sum of squares of one sign and a rest that is not negative.
pub(super) struct Squares<'g> {
    /// All these vanish where the squares do, which are as many.
    pub lines: Vec<Ex<'g>>,
    /// 1 or -1.
    pub sign: i64,
    pub rest: Rational,
}

/// The sign of a sum that is a semidefinite quadratic form of its parts, whatever these are.
pub(super) fn sign_of_form(x: Ex<'_>) -> Option<Range> {
    let found = squares(x)?;
    let range = Range::above(0, found.rest.is_zero());
    Some(match found.sign {
        1 => range,
        _ => range.opposite(),
    })
}

/// A sum as squares of one sign, its parts taken as independent unknowns.
pub(super) fn squares(x: Ex<'_>) -> Option<Squares<'_>> {
    let (unknowns, form) = form(x)?;
    let opposite: Vec<Vec<Rational>> = form
        .iter()
        .map(|line| line.iter().map(|a| -a).collect())
        .collect();
    let of_sign = |form: Vec<Vec<Rational>>, sign: i64| {
        let (lines, rest) = completed(form)?;
        let written = lines.into_iter().map(|line| written(x, &unknowns, &line));
        Some(Squares {
            lines: written.collect(),
            sign,
            rest,
        })
    };
    of_sign(form, 1).or_else(|| of_sign(opposite, -1))
}

/// The matrix of `(u, 1) Q (u, 1)`, and the unknowns `u`.
fn form<'g>(x: Ex<'g>) -> Option<(Vec<Ex<'g>>, Vec<Vec<Rational>>)> {
    let Node::Sum(constant, terms) = x.node() else {
        return None;
    };
    let graph = x.graph();
    let mut unknowns: Vec<Ex<'g>> = Vec::new();
    let mut place = |id: Id| {
        let x = graph.ex(id);
        let known = unknowns.iter().position(|u| *u == x);
        known.unwrap_or_else(|| {
            unknowns.push(x);
            unknowns.len() - 1
        })
    };
    let mut entries: Vec<(usize, Option<usize>, Rational)> = Vec::new();
    for (id, c) in &*terms {
        let powers = match graph.node(*id) {
            Node::Product(factors) => factors.to_vec(),
            _ => vec![(*id, Rational::one())],
        };
        let whole: Option<Vec<(Id, i64)>> = powers
            .iter()
            .map(|(x, e)| Some((*x, e.to_i64()?)))
            .collect();
        match whole.as_deref() {
            Some([(x, 1)]) => entries.push((place(*x), None, c.clone())),
            Some([(x, 2)]) => {
                let index = place(*x);
                entries.push((index, Some(index), c.clone()));
            }
            Some([(x, 1), (y, 1)]) => entries.push((place(*x), Some(place(*y)), c.clone())),
            _ => return None,
        }
    }
    let m = unknowns.len();
    if m > MAX_UNKNOWNS {
        return None;
    }
    let mut matrix = vec![vec![Rational::zero(); m + 1]; m + 1];
    matrix[m][m] = constant;
    let half = Rational::new(1, 2);
    for (i, j, c) in entries {
        let j = j.unwrap_or(m);
        let c = if i == j { c } else { &c * &half };
        matrix[i][j] = &matrix[i][j] + &c;
        if i != j {
            matrix[j][i] = matrix[i][j].clone();
        }
    }
    Some((unknowns, matrix))
}

/// The rows of the squares of a form that is nowhere negative, and what is left of its constant.
fn completed(mut q: Vec<Vec<Rational>>) -> Option<(Vec<Vec<Rational>>, Rational)> {
    let m = q.len() - 1;
    let mut lines = Vec::new();
    for k in 0..m {
        let pivot = q[k][k].clone();
        if pivot.is_negative() {
            return None;
        }
        if pivot.is_zero() {
            if q[k].iter().any(|x| !x.is_zero()) {
                return None;
            }
            continue;
        }
        let line: Option<Vec<Rational>> = q[k].iter().map(|x| x / &pivot).collect();
        let line = line?;
        for i in 0..=m {
            for j in 0..=m {
                q[i][j] = &q[i][j] - &(&pivot * &(&line[i] * &line[j]));
            }
        }
        lines.push(line);
    }
    let rest = q[m][m].clone();
    (!rest.is_negative()).then(|| (solved(lines), rest))
}

/// Each line without the leading unknowns of the later ones; only their common zeros are kept.
fn solved(mut lines: Vec<Vec<Rational>>) -> Vec<Vec<Rational>> {
    for later in (1..lines.len()).rev() {
        let row = lines[later].clone();
        let Some(lead) = row.iter().position(|x| !x.is_zero()) else {
            continue;
        };
        for line in &mut lines[..later] {
            let factor = line[lead].clone();
            for (x, y) in line.iter_mut().zip(&row) {
                *x = &*x - &(&factor * y);
            }
        }
    }
    lines
}

fn written<'g>(x: Ex<'g>, unknowns: &[Ex<'g>], line: &[Rational]) -> Ex<'g> {
    let graph = x.graph();
    let terms = unknowns.iter().zip(line).map(|(u, c)| u.scale(c));
    let constant = graph.number(line[unknowns.len()].clone());
    graph.sum(&terms.chain([constant]).collect::<Vec<_>>())
}
