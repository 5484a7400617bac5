//! Whether a state that is given component by component misses rows by more than what counts as given explains.

use crate::values::prepared::Prepared;
use crate::values::rows::{Rows, SOLVED};
use appell_expr::{Ex, Matrix};
use appell_flow::residual::{PART, by_state, scales};

/// What remains of an equation that holds is below [`SOLVED`] of its terms. A miss of so many times what such moves of
/// the components change is none that they make up for.
const CLEARLY: f64 = 10.0;

/// The symbols that equations like `x = 1` give outright, by their places, and what they give.
pub(crate) fn outright<'g>(rows: &[Ex<'g>], symbols: &[Ex<'g>]) -> Vec<(usize, Ex<'g>)> {
    let solved = rows.iter().filter_map(|row| {
        let of_row = row.symbols();
        let mut inside = (0..symbols.len()).filter(|i| of_row.contains(&symbols[*i]));
        let (i, None) = (inside.next()?, inside.next()) else {
            return None;
        };
        let symbol = symbols[i];
        row.diff(symbol).is_one().then(|| (i, symbol - *row))
    });
    solved.collect()
}

/// Whether some row is missed at a state by more than all moves of these of its components, which have the given
/// values but for rounding: `|c| > 10 eps (size + Sum_j |c_j| delta_j)`, where `eps delta_j` is what may remain of the
/// equation for the component `j`. False where a row has no value or no derivatives.
pub(crate) fn are_out_of_reach<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    (symbols, near): (&[Ex<'g>], &[f64]),
    (t, state): (f64, &[f64]),
    metric: &[f64],
) -> bool {
    let slopes = Matrix::jacobian(p.system.graph, rows, symbols);
    let (Ok(values), Ok(slopes)) = (
        p.functions_of(rows).measured(t, state),
        p.functions_of(slopes.entries()).results(t, state),
    ) else {
        return false;
    };
    if !slopes.iter().all(|x| x.is_finite()) {
        return false;
    }
    let scales = scales(metric, near, 0.0);
    let reach: Vec<f64> = near
        .iter()
        .zip(&scales)
        .map(|(x, scale)| 2.0 * x.abs() + PART * scale)
        .collect();
    let lines = slopes.chunks(symbols.len().max(1));
    values.iter().zip(lines).any(|(c, slopes)| {
        let moves: f64 = slopes
            .iter()
            .zip(&reach)
            .map(|(a, far)| a.abs() * far)
            .sum();
        let size = c.size.max(by_state(slopes, &scales));
        c.value.abs() > CLEARLY * SOLVED * (size + moves)
    })
}

/// By how much rows of coordinates may miss that these are given in nine significant digits, as runs and messages print
/// them.
pub(crate) fn of_nine_digits(rows: &Rows, t: f64, q: &[f64]) -> Vec<f64> {
    let half = |x: f64| match x == 0.0 {
        true => 0.0,
        false => 0.5 * 10f64.powf(x.abs().log10().floor() - 8.0),
    };
    let line = |row: &[f64]| row.iter().zip(q).map(|(a, x)| a.abs() * half(*x)).sum();
    let slopes = rows.slopes(t, &[], q).unwrap_or_default();
    slopes.chunks(q.len().max(1)).map(line).collect()
}
