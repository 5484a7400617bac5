//! Elementary functions and linear systems in double precision, as every backend computes them.

use crate::evaluation::EvalError;
use crate::linear::{self, Kind, Scratch, Unsolved};
use appell_expr::{Function, Rational, SlotSolve, SolveKind};

/// Solves `matrix X = right` by the routine for its kind and leaves `X` in `right`.
///
/// # Errors
/// What the routine refuses, in words.
pub(crate) fn solve_numerically(
    solve: &SlotSolve,
    matrix: &[f64],
    right: &mut Vec<f64>,
    scratch: &mut Scratch,
) -> Result<(), EvalError> {
    let n = solve.size;
    let mut x = vec![0.0; right.len()];
    let solved = match solve.kind {
        SolveKind::PositiveDefinite => linear::ldlt(n, matrix, right, &mut x, scratch),
        SolveKind::Symmetric => linear::bunch_kaufman(n, matrix, right, &mut x, scratch),
        SolveKind::General => linear::lu(n, matrix, right, &mut x, scratch),
        SolveKind::OfRows { unique } => {
            let known = scratch.known_rank(n, unique);
            linear::consistent(Kind::Symmetric, n, matrix, right, &mut x, known, scratch)
                .and_then(|rank| determined(n, matrix, unique, rank))
        }
    };
    solved.map_err(|unsolved| error(solve, &unsolved))?;
    *right = x;
    Ok(())
}

fn error(solve: &SlotSolve, unsolved: &Unsolved) -> EvalError {
    let what = format!("the linear system for {}", solve.name);
    match unsolved {
        Unsolved::Singular { .. } => EvalError::Singular { what },
        Unsolved::Inconsistent { rows } => {
            let rows: Vec<String> = rows.iter().map(|row| (row + 1).to_string()).collect();
            EvalError::Inconsistent {
                what: format!("rows {} of {what}", rows.join(", ")),
            }
        }
        Unsolved::NotFinite => EvalError::NotFinite { what },
    }
}

pub(crate) fn exact_power(x: f64, e: &Rational) -> f64 {
    match e.to_i64().map(i32::try_from) {
        Some(Ok(-1)) => 1.0 / x,
        Some(Ok(2)) => x * x,
        Some(Ok(power)) => x.powi(power),
        _ if *e == Rational::new(1, 2) => x.sqrt(),
        _ if *e == Rational::new(-1, 2) => 1.0 / x.sqrt(),
        _ => x.powf(e.to_f64()),
    }
}

pub(crate) fn call(f: Function, x: f64, y: f64) -> f64 {
    match f {
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Asin => x.asin(),
        Function::Acos => x.acos(),
        Function::Atan => x.atan(),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Exp => x.exp(),
        Function::Log => x.ln(),
        Function::Abs => x.abs(),
        Function::Sign if x == 0.0 => 0.0,
        Function::Sign => x.signum(),
        Function::Atan2 => x.atan2(y),
        // As every backend writes it: what is no number is passed over, of two equal ones the second.
        Function::Min if x < y || y.is_nan() => x,
        Function::Max if x > y || y.is_nan() => x,
        Function::Min | Function::Max => y,
    }
}

/// `f'` at `x`, where `f(x) = value`, for functions of one argument.
pub(crate) fn slope(f: Function, x: f64, value: f64) -> f64 {
    match f {
        Function::Sin => x.cos(),
        Function::Cos => -x.sin(),
        Function::Tan => 1.0 + value * value,
        Function::Asin => 1.0 / (1.0 - x * x).sqrt(),
        Function::Acos => -1.0 / (1.0 - x * x).sqrt(),
        Function::Atan => 1.0 / (1.0 + x * x),
        Function::Sinh => x.cosh(),
        Function::Cosh => x.sinh(),
        Function::Tanh => 1.0 - value * value,
        Function::Exp => value,
        Function::Log => 1.0 / x,
        _ => 1.0,
    }
}

/// Whether the first `unique` unknowns of a consistent system of this rank are the same in every
/// solution.
fn determined(n: usize, matrix: &[f64], unique: usize, rank: usize) -> Result<(), Unsolved> {
    let determined = rank == n || unique == 0 || linear::determines(n, matrix, unique, rank);
    match determined {
        true => Ok(()),
        false => Err(Unsolved::Singular { pivot: rank }),
    }
}
