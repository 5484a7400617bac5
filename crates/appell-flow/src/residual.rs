//! When a row counts as satisfied: its residual beside its own terms and beside the state.

use crate::linear::{max_norm, rank};

/// Rows below this, relative to their own terms, need no other measure.
pub const SATISFIED: f64 = 1e-11;
/// Beside a state that moves, a row is measured by at least this part of what the state's own size makes of
/// it. Terms that are rounding themselves are no measure, and a thousandth keeps rows strict whose components
/// are light beside the others.
pub const PART: f64 = 1e-3;
/// Components with less inertia than this part of the largest have the scale of the largest component.
const INERT: f64 = 1e-8;

/// How large each component of `w` may be called beside all of them, in the metric: `|w| / sqrt(W_jj)`, where
/// `|w|` is the length of `w` by the metric's diagonal, or `least` if that is more.
pub fn scales(metric: &[f64], w: &[f64], least: f64) -> Vec<f64> {
    let n = w.len();
    let weight = |j: usize| metric[j * n + j].abs();
    let largest = (0..n).map(weight).fold(0.0, f64::max);
    let length = length(metric, w).max(least);
    let widest = max_norm(w.iter());
    let scale = |j: usize| match weight(j) > INERT * largest {
        true => (length / weight(j).sqrt()).max(w[j].abs()),
        false => widest,
    };
    (0..n).map(scale).collect()
}

/// `|w|` by the metric's diagonal.
pub fn length(metric: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let square = |j: usize| metric[j * n + j].abs() * w[j] * w[j];
    (0..n).map(square).sum::<f64>().sqrt()
}

/// What a row with these derivatives is measured by beside components of these sizes.
pub fn by_state(derivatives: &[f64], scales: &[f64]) -> f64 {
    let terms = derivatives.iter().zip(scales).map(|(a, s)| (a * s).abs());
    PART * terms.sum::<f64>()
}

/// What no move within the size of the state changes by this part of its terms has no derivatives but rounding.
const FLAT: f64 = 1e-13;

/// Puts 0 for the derivatives of rows that have none but rounding, beside terms of these sizes and components of these:
/// a row that depends on others may vanish with its derivatives on the way, and what rounding leaves of them would
/// count as a direction like any other.
pub fn clear_rounding(derivatives: &mut [f64], magnitudes: &[f64], scales: &[f64]) {
    if scales.iter().all(|s| *s == 0.0) {
        return;
    }
    let rows = derivatives.chunks_mut(scales.len().max(1));
    for (row, size) in rows.zip(magnitudes) {
        let reach: f64 = row.iter().zip(scales).map(|(a, s)| (a * s).abs()).sum();
        if reach < FLAT * size {
            row.fill(0.0);
        }
    }
}

/// Puts 0 for the derivatives of the weakest rows, far below the strongest, until no more than `most` are independent, as
/// they are known to be: at rest rows have no terms that would tell rounding.
pub(crate) fn clear_weakest(derivatives: &mut [f64], rows: usize, most: usize) {
    let n = derivatives.len().checked_div(rows).unwrap_or(0);
    let reach = |row: &[f64]| row.iter().map(|a| a.abs()).sum::<f64>();
    let strongest = derivatives.chunks(n.max(1)).map(reach).fold(0.0, f64::max);
    while rank(
        rows,
        n,
        derivatives,
        &derivatives.iter().map(|a| a.abs()).collect::<Vec<_>>(),
    ) > most
    {
        let nonzero = derivatives
            .chunks_mut(n.max(1))
            .filter(|row| reach(row) > 0.0);
        let weakest = nonzero.min_by(|a, b| reach(a).total_cmp(&reach(b)));
        match weakest.filter(|row| reach(row) < FLAT * strongest) {
            Some(row) => row.fill(0.0),
            None => return,
        }
    }
}

/// What the entries of rows count beside, `rows x n`: each at least so much that it would make of its unknown, in
/// these scales, what the largest entry of the row makes of its own. Entries far below are rounding, also where
/// they stand alone in a column.
pub fn entry_sizes(derivatives: &[f64], scales: &[f64]) -> Vec<f64> {
    let n = scales.len().max(1);
    let of_row = |row: &[f64]| {
        let terms = row.iter().zip(scales).map(|(a, s)| (a * s).abs());
        let most = terms.fold(0.0, f64::max);
        let size = |(a, s): (&f64, &f64)| match *s > 0.0 {
            true => a.abs().max(most / s),
            false => a.abs(),
        };
        row.iter().zip(scales).map(size).collect::<Vec<f64>>()
    };
    derivatives.chunks(n).flat_map(of_row).collect()
}

/// A residual relative to its terms; a row without terms is satisfied, one whose terms are not finite is not.
pub fn scaled(residual: f64, magnitude: f64) -> f64 {
    if residual == 0.0 {
        0.0
    } else if magnitude == f64::INFINITY {
        f64::INFINITY
    } else {
        residual.abs() / magnitude.max(residual.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_rounding_is_satisfied_beside_a_state_that_moves() {
        let metric = [2.0, 0.0, 0.0, 0.5];
        let scales = scales(&metric, &[1.0, 1e-17], 0.0);
        assert!((scales[1] - 2.0).abs() < 1e-15, "{scales:?}");
        let size = by_state(&[0.0, 1.0], &scales);
        assert!(scaled(1e-17, size.max(1e-17)) < 1e-13);
        assert_eq!(scaled(1e-17, 1e-17), 1.0);
    }

    #[test]
    fn derivatives_that_are_rounding_are_cleared_row_by_row() {
        let mut rows = [1.2, 1.6, 0.0, 0.0, 0.0, 1e-16];
        clear_rounding(&mut rows, &[2.0, 2.0], &[0.6, 0.8, 1.0]);
        assert_eq!(rows, [1.2, 1.6, 0.0, 0.0, 0.0, 0.0]);
        // Where nothing has a size, nothing can be said.
        let mut rows = [1e-20];
        clear_rounding(&mut rows, &[1.0], &[0.0]);
        assert_eq!(rows, [1e-20]);
    }

    #[test]
    fn of_rows_that_cannot_all_be_independent_the_weakest_are_cleared() {
        let mut rows = [1.2, -0.7, 0.0, 0.0, 0.0, 1.0, 1e-16, 1e-17, 0.0];
        clear_weakest(&mut rows, 3, 2);
        assert_eq!(rows, [1.2, -0.7, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        // A row in other units is a row.
        let mut rows = [1.2, -0.7, 0.0, 0.0, 0.0, 1e-16, 2.4, -1.4, 0.0];
        let before = rows;
        clear_weakest(&mut rows, 3, 2);
        assert_eq!(rows, before);
    }

    #[test]
    fn rounding_that_stands_alone_in_a_column_is_no_rank() {
        let rows = [1e-17, 2.0, 0.0, 1.0];
        let sizes = entry_sizes(&rows, &[1.0, 1.0]);
        assert_eq!(crate::linear::rank(2, 2, &rows, &sizes), 1);
        let rows = [1e-3, 2.0, 0.0, 1.0];
        let sizes = entry_sizes(&rows, &[1.0, 1.0]);
        assert_eq!(crate::linear::rank(2, 2, &rows, &sizes), 2);
        assert_eq!(entry_sizes(&[-3.0], &[0.0]), [3.0]);
    }

    #[test]
    fn components_without_inertia_have_the_size_of_the_largest() {
        let scales = scales(&[1.0, 0.0, 0.0, 0.0], &[3.0, 0.25], 0.0);
        assert_eq!(scales, [3.0, 3.0]);
        assert_eq!(length(&[4.0], &[-3.0]), 6.0);
        assert_eq!(scaled(0.0, 0.0), 0.0);
        assert_eq!(scaled(1e-3, 0.0), 1.0);
        assert_eq!(scaled(-1e-3, 2.0), 5e-4);
        assert_eq!(scaled(1.0, f64::INFINITY), f64::INFINITY);
    }
}
