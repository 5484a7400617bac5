//! The rank of rows at a state that is known to some digits only.

use appell_flow::linear;

/// Rows whose directions differ by less than this part depend on each other.
pub(super) const DEPENDENT: f64 = 1e-6;
/// The same for a state that is known to half the digits, in roots of the residual.
const UNSURE: f64 = 1e3;

/// Rows of n entries, each of length 1 or of zeros.
pub(super) fn of_unit_length(n: usize, rows: &[f64]) -> Vec<f64> {
    let unit = |row: &[f64]| {
        let length = linear::square(row).sqrt();
        let scale = if length > 0.0 { length.recip() } else { 0.0 };
        row.iter().map(|x| x * scale).collect::<Vec<f64>>()
    };
    rows.chunks(n.max(1)).flat_map(unit).collect()
}

/// The number of singular values above a part of the largest.
pub(super) fn rank_above(count: usize, rows: &[f64], part: f64) -> usize {
    let sigma = linear::singular_values(count, rows.len() / count.max(1), rows);
    let first = sigma.first().copied().unwrap_or(0.0);
    sigma.iter().filter(|x| **x > part * first).count()
}

/// The rank of so many rows where they hold to `residual`, relative to their terms: some that are only nearly
/// independent do not count.
pub(crate) fn independent_rows(count: usize, rows: &[f64], residual: f64) -> usize {
    let n = rows.len() / count.max(1);
    rank_above(count, &of_unit_length(n, rows), least_part(residual))
}

/// Rows that depend on each other where they hold seem independent by the root of their residual.
pub(super) fn least_part(residual: f64) -> f64 {
    DEPENDENT.max(UNSURE * residual.sqrt())
}
