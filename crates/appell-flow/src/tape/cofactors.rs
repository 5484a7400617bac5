//! Small general systems written out by cofactors.

use super::build::{Builder, Value, ZERO};
use super::ldlt::{SAFE, Solution, finite};
use crate::linear::POOR;
use appell_expr::{SlotSolve, SolveKind};

/// Larger systems are left to the routine: cofactors grow faster than an elimination.
const LARGEST: usize = 3;

/// `X = adj(A) B/det A`. It counts where the determinant does not nearly cancel, that is beside the sum of the sizes of its
/// products, whatever the units of rows and unknowns; of a choice of unknowns, where it is beside 1 ([`POOR`]).
pub(super) fn write_out(
    builder: &mut Builder,
    statement: &SlotSolve,
    matrix: &[Value],
    right: &[Value],
) -> Option<Solution> {
    let (n, columns) = (statement.size, statement.columns);
    if n == 0 || n > LARGEST {
        return None;
    }
    let adjugate = adjugate(builder, n, matrix);
    let determinant = row(builder, &matrix[..n], |j| adjugate[j * n]);
    let size = builder.abs(determinant);
    let least = match statement.kind {
        SolveKind::Chosen => Value::Constant(POOR),
        _ => {
            let sizes: Vec<Value> = matrix.iter().map(|x| builder.abs(*x)).collect();
            let permanent = permanent(builder, &sizes);
            builder.mul(permanent, Value::Constant(SAFE))
        }
    };
    let mut guards = Vec::new();
    match (size, least) {
        (Value::Constant(size), Value::Constant(least)) if size > least => {}
        (Value::Constant(_), Value::Constant(_)) => return None,
        guard => guards.push(guard),
    }
    let reciprocal = builder.recip(determinant);
    let mut unknowns = Vec::with_capacity(n * columns);
    for i in 0..n {
        for c in 0..columns {
            let sum = row(builder, &adjugate[i * n..(i + 1) * n], |j| {
                right[j * columns + c]
            });
            unknowns.push(builder.mul(sum, reciprocal));
        }
    }
    let sum = unknowns.iter().fold(ZERO, |sum, x| builder.add(sum, *x));
    guards.extend(finite(builder, sum)?);
    Some(Solution { guards, unknowns })
}

/// `Sum_j x_j y(j)`
fn row(builder: &mut Builder, x: &[Value], y: impl Fn(usize) -> Value) -> Value {
    let mut sum = ZERO;
    for (j, x) in x.iter().enumerate() {
        let term = builder.mul(*x, y(j));
        sum = builder.add(sum, term);
    }
    sum
}

/// The matrix of cofactors, transposed.
fn adjugate(builder: &mut Builder, n: usize, a: &[Value]) -> Vec<Value> {
    match *a {
        [a, b, c, d] => vec![d, builder.neg(b), builder.neg(c), a],
        [_] => vec![Value::Constant(1.0)],
        _ => {
            let places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
            let cofactor = |(i, j)| {
                let [first, second] = products(builder, a, j, i);
                builder.sub(first, second)
            };
            places.map(cofactor).collect()
        }
    }
}

/// The two products of the minor of 3 x 3 without row i and column j; in cyclic order, their difference has the sign of
/// the cofactor.
fn products(builder: &mut Builder, a: &[Value], i: usize, j: usize) -> [Value; 2] {
    let [r, s] = [(i + 1) % 3, (i + 2) % 3];
    let [c, d] = [(j + 1) % 3, (j + 2) % 3];
    [(c, d), (d, c)].map(|(c, d)| builder.mul(a[3 * r + c], a[3 * s + d]))
}

/// The determinant with all signs positive.
fn permanent(builder: &mut Builder, a: &[Value]) -> Value {
    match *a {
        [a] => a,
        [a, b, c, d] => {
            let [first, second] = [builder.mul(a, d), builder.mul(b, c)];
            builder.add(first, second)
        }
        _ => {
            let minors = [0, 1, 2].map(|j| {
                let [first, second] = products(builder, a, 0, j);
                builder.add(first, second)
            });
            row(builder, &a[..3], |j| minors[j])
        }
    }
}
