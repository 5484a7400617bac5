//! Linear systems and slopes of elementary functions in double precision, as every backend computes them.

use crate::evaluation::EvalError;
use crate::linear::{self, Kind, Scratch, Unsolved};
use appell_expr::{Function, SlotSolve, SolveKind, elementary};

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
        SolveKind::Chosen => linear::lu_of_choice(n, matrix, right, &mut x, scratch),
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

/// `f'` at `x`, where `f(x) = value`, for functions of one argument.
pub(crate) fn slope(f: Function, x: f64, value: f64) -> f64 {
    match f {
        Function::Sin => elementary::cos(x),
        Function::Cos => -elementary::sin(x),
        Function::Tan => 1.0 + value * value,
        Function::Asin => 1.0 / (1.0 - x * x).sqrt(),
        Function::Acos => -1.0 / (1.0 - x * x).sqrt(),
        Function::Atan => 1.0 / (1.0 + x * x),
        Function::Sinh => elementary::cosh(x),
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
