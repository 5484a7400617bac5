//! Elimination with complete pivoting on an equilibrated matrix: it finds the rank.

use super::counts;

/// The rank of a `rows x cols` matrix whose entries are sums: `magnitudes` are the sums of the terms'
/// absolute values. Rows and columns are scaled by powers of two; a pivot counts above
/// [`THRESHOLD`](super::THRESHOLD) times the same entry computed with absolute values.
pub fn rank(rows: usize, cols: usize, values: &[f64], magnitudes: &[f64]) -> usize {
    rank_at_most(None, rows, cols, values, magnitudes)
}

/// The same where the rank is known to be no larger than `most`: pivots beyond it that are below
/// [`SLACK`] are the rounding of the state. Larger ones contradict what is said to be known, and count.
pub fn rank_at_most(
    most: Option<usize>,
    rows: usize,
    cols: usize,
    values: &[f64],
    magnitudes: &[f64],
) -> usize {
    Elimination::new(rows, cols, values, magnitudes, None)
        .at_most(most)
        .rank
}

/// Whether the rows are independent with every pivot above [`SLACK`].
pub fn has_full_rank(rows: usize, cols: usize, values: &[f64], magnitudes: &[f64]) -> bool {
    let elimination = Elimination::new(rows, cols, values, magnitudes, None);
    elimination.rank == rows && elimination.ratios.iter().all(|ratio| *ratio > SLACK)
}

/// Row and column of each pivot, largest first: the sub-matrix on them is regular and, as far as
/// complete pivoting finds one, well conditioned. As many as the rank, of which no more than `most` are
/// known to be there.
///
/// Columns are compared in the given scales; without them each in its own, in which a column of rounding
/// errors is as long as any other.
pub fn pivots(
    most: Option<usize>,
    scales: Option<&[f64]>,
    rows: usize,
    cols: usize,
    values: &[f64],
    magnitudes: &[f64],
) -> Vec<(usize, usize)> {
    let elimination = match scales {
        None => Elimination::new(rows, cols, values, magnitudes, None),
        Some(scales) => {
            let sizes: Vec<f64> = (0..rows * cols)
                .map(|k| magnitudes[k] * scales[k % cols])
                .collect();
            let row_scale = row_scales(rows, cols, &sizes);
            Elimination::scaled(
                rows,
                cols,
                values,
                magnitudes,
                row_scale,
                scales.to_vec(),
                None,
            )
        }
    };
    let elimination = elimination.at_most(most);
    let places = elimination.row_order.iter().zip(&elimination.col_order);
    places
        .take(elimination.rank)
        .map(|(row, col)| (*row, *col))
        .collect()
}

/// A pivot below this part of its terms may come from a state that satisfies the rows to rounded digits only.
pub const SLACK: f64 = 1e-7;
/// Rows of one system whose sizes differ by more are not all brought to one size: the smallest may be rounding.
const APART: f64 = (1 << 20) as f64;

/// `P R A C Q = L U` with scales `R`, `C`, exchanges `P`, `Q`, and `rank` pivots.
pub(super) struct Elimination {
    pub rows: usize,
    pub cols: usize,
    pub rank: usize,
    /// `L` (unit, its first `rank` columns) and `U` (its first `rank` rows), row-major.
    entries: Vec<f64>,
    /// The original row in each place.
    pub row_order: Vec<usize>,
    /// The original column in each place.
    pub col_order: Vec<usize>,
    /// Scale of each original row.
    pub row_scale: Vec<f64>,
    /// Scale of each original column.
    pub col_scale: Vec<f64>,
    /// Each pivot relative to the same entry computed with absolute values.
    pub ratios: Vec<f64>,
}

impl Elimination {
    /// Eliminates until no pivot counts, or for exactly `fixed` pivots as far as there are nonzero ones.
    pub fn new(
        rows: usize,
        cols: usize,
        values: &[f64],
        magnitudes: &[f64],
        fixed: Option<usize>,
    ) -> Elimination {
        let (mut row_scale, mut col_scale) = equilibrate(rows, cols, magnitudes);
        // Of a known rank the rows are taken that are largest: one of rounding does not become as large as any other.
        if fixed.is_some() {
            limit(&mut row_scale);
            limit(&mut col_scale);
        }
        Self::scaled(rows, cols, values, magnitudes, row_scale, col_scale, fixed)
    }

    /// The same with given scales of rows and columns.
    fn scaled(
        rows: usize,
        cols: usize,
        values: &[f64],
        magnitudes: &[f64],
        row_scale: Vec<f64>,
        col_scale: Vec<f64>,
        fixed: Option<usize>,
    ) -> Elimination {
        let scaled = |entries: &[f64]| -> Vec<f64> {
            let scale = |k: usize| row_scale[k / cols] * col_scale[k % cols];
            entries
                .iter()
                .enumerate()
                .map(|(k, entry)| entry * scale(k))
                .collect()
        };
        let mut sizes = scaled(magnitudes);
        let mut elimination = Elimination {
            rows,
            cols,
            rank: 0,
            entries: scaled(values),
            row_order: (0..rows).collect(),
            col_order: (0..cols).collect(),
            row_scale,
            col_scale,
            ratios: Vec::new(),
        };
        let limit = fixed.unwrap_or(usize::MAX).min(rows).min(cols);
        while elimination.rank < limit {
            let Some((row, col)) = elimination.pivot(&sizes, fixed.is_some()) else {
                break;
            };
            elimination.exchange(&mut sizes, row, col);
            elimination.eliminate(&mut sizes);
            elimination.rank += 1;
        }
        elimination
    }

    /// Without the pivots beyond a rank that is known to be the largest, where these are small enough.
    pub fn at_most(mut self, most: Option<usize>) -> Elimination {
        let beyond = most.and_then(|most| Some((most, *self.ratios.get(most)?)));
        if let Some((most, ratio)) = beyond
            && ratio <= SLACK
        {
            self.rank = most;
        }
        self
    }

    /// The entry in place (i, j).
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.cols + j]
    }

    /// The largest remaining entry that counts (or is not zero, where the rank is given).
    fn pivot(&self, sizes: &[f64], any: bool) -> Option<(usize, usize)> {
        let mut best = None;
        let mut size = 0.0;
        for i in self.rank..self.rows {
            let row = i * self.cols + self.rank..(i + 1) * self.cols;
            let entries = self.entries[row.clone()].iter().zip(&sizes[row]);
            for (j, (entry, magnitude)) in (self.rank..).zip(entries) {
                if entry.abs() > size && (any || counts(*entry, *magnitude)) {
                    (best, size) = (Some((i, j)), entry.abs());
                }
            }
        }
        best
    }

    fn exchange(&mut self, sizes: &mut [f64], row: usize, col: usize) {
        let (k, cols) = (self.rank, self.cols);
        for array in [&mut self.entries[..], sizes] {
            super::swap_rows(array, cols, row, k);
            (0..self.rows).for_each(|i| array.swap(i * cols + col, i * cols + k));
        }
        self.row_order.swap(row, k);
        self.col_order.swap(col, k);
    }

    fn eliminate(&mut self, sizes: &mut [f64]) {
        let (k, cols) = (self.rank, self.cols);
        let pivot = self.at(k, k);
        self.ratios.push(pivot.abs() / sizes[k * cols + k]);
        let (above, below) = self.entries.split_at_mut((k + 1) * cols);
        let (sizes_above, sizes_below) = sizes.split_at_mut((k + 1) * cols);
        let (across, pivot_size) = (&above[k * cols + k + 1..], sizes_above[k * cols + k]);
        let sizes_across = &sizes_above[k * cols + k + 1..];
        for (row, row_sizes) in below.chunks_mut(cols).zip(sizes_below.chunks_mut(cols)) {
            let entry = row[k];
            // Most rows of a large system have nothing here.
            if entry == 0.0 && row_sizes[k] == 0.0 {
                continue;
            }
            let factor = entry / pivot;
            let lost = lost(entry, row_sizes[k], pivot, pivot_size);
            row[k] = factor;
            let entries = row[k + 1..].iter_mut().zip(&mut row_sizes[k + 1..]);
            for ((entry, size), (across, beside)) in entries.zip(across.iter().zip(sizes_across)) {
                *entry -= factor * across;
                *size += factor.abs() * beside + lost * across.abs();
            }
        }
    }
}

/// What the rounding of an entry and of its pivot adds to the size of a factor `entry / pivot`: nothing where
/// neither has cancelled. An entry that is rounding noise would else make more of it that counts.
pub(super) fn lost(entry: f64, size: f64, pivot: f64, pivot_size: f64) -> f64 {
    let pivot = pivot.abs();
    let excess = (size - entry.abs()).max(0.0);
    let through = entry.abs() * (pivot_size / pivot - 1.0).max(0.0);
    (excess + through) / pivot
}

/// Scales of rows, then of columns, that bring their largest entries to [1, 2).
fn equilibrate(rows: usize, cols: usize, sizes: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let largest = |entries: &mut dyn Iterator<Item = f64>| entries.fold(0.0, f64::max);
    let row_scale = row_scales(rows, cols, sizes);
    let col_scale = (0..cols)
        .map(|j| {
            inverse_power(largest(
                &mut (0..rows).map(|i| sizes[i * cols + j] * row_scale[i]),
            ))
        })
        .collect();
    (row_scale, col_scale)
}

/// Lets no scale be larger than [`APART`] times the smallest.
fn limit(scales: &mut [f64]) {
    let most = APART * scales.iter().copied().fold(f64::INFINITY, f64::min);
    scales.iter_mut().for_each(|scale| *scale = scale.min(most));
}

/// Scales of rows that bring their largest entries to [1, 2).
fn row_scales(rows: usize, cols: usize, sizes: &[f64]) -> Vec<f64> {
    let largest = |i: usize| (0..cols).map(|j| sizes[i * cols + j]).fold(0.0, f64::max);
    (0..rows).map(|i| inverse_power(largest(i))).collect()
}

/// The reciprocal of the power of two at or below `size`; 1 where that is not a normal number.
fn inverse_power(size: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let scale = 1.0 / f64::from_bits(size.to_bits() & EXPONENT);
    if scale.is_normal() { scale } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::check::{Numbers, product};
    use super::*;

    fn plain(rows: usize, cols: usize, values: &[f64]) -> usize {
        let magnitudes: Vec<f64> = values.iter().map(|x| x.abs()).collect();
        rank(rows, cols, values, &magnitudes)
    }

    #[test]
    fn products_have_the_rank_of_their_thin_side() {
        let mut numbers = Numbers(4);
        for inner in 0..=4 {
            for (rows, cols) in [(4, 7), (7, 4), (6, 6)] {
                let (a, b) = (numbers.matrix(rows, inner), numbers.matrix(inner, cols));
                let found = plain(rows, cols, &product(rows, inner, cols, &a, &b));
                assert_eq!(found, inner, "{rows} x {cols}");
            }
        }
    }

    #[test]
    fn a_sum_that_cancels_is_zero_and_units_do_not_matter() {
        assert_eq!(plain(1, 1, &[1e-14]), 1);
        assert_eq!(rank(1, 1, &[1e-14], &[1.0]), 0);
        assert_eq!(plain(2, 2, &[1e20, 0.0, 0.0, 1e-20]), 2);
        assert_eq!(plain(2, 2, &[1e9, 1e-9, 1e-3, 1e-21]), 1);
        assert_eq!(plain(2, 2, &[1.0, 1.0, 1.0, 1.0 + 1e-8]), 2);
        assert_eq!(plain(2, 2, &[1.0, 1.0, 1.0, 1.0 + 1e-11]), 1);
    }

    #[test]
    fn empty_void_and_undefined_matrices_have_rank_zero() {
        assert_eq!(plain(0, 3, &[]), 0);
        assert_eq!(plain(3, 0, &[]), 0);
        assert_eq!(plain(2, 2, &[0.0; 4]), 0);
        assert_eq!(plain(1, 1, &[f64::NAN]), 0);
    }
}
