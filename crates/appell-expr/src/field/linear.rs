//! Linear systems modulo a prime.

use super::arithmetic::Modulus;
use crate::limits::look;

/// A row that begins with 1 in a column where all rows below it have 0.
struct Pivot {
    /// The place of its column among those where pivots are sought.
    place: usize,
    column: usize,
    row: usize,
    /// What stands in the other columns, as far as it is not 0.
    others: Vec<(usize, u64)>,
}

/// The reduced row echelon form of `rows x (columns + right)`, and the pivots as `(row, column)`.
///
/// Pivots are sought in `columns`, in the order of `preference`.
///
/// Row by row: multiples of the pivots before are summed up without a reduction modulo `p` in between.
pub(crate) fn eliminate(
    f: Modulus,
    rows: &mut [Vec<u64>],
    preference: &[usize],
) -> Vec<(usize, usize)> {
    let mut pivots: Vec<Pivot> = Vec::new();
    let mut sums = Sums::default();
    for (row, entries) in rows.iter_mut().enumerate() {
        look();
        sums.begin(entries);
        for pivot in &pivots {
            sums.clear(f, pivot);
        }
        sums.end(f, entries);
        if let Some(pivot) = pivot_of(f, row, entries, preference) {
            let at = pivots.partition_point(|p| p.place < pivot.place);
            pivots.insert(at, pivot);
        }
    }
    for index in (0..pivots.len()).rev() {
        look();
        let (before, after) = pivots.split_at_mut(index + 1);
        let current = &mut before[index];
        sums.begin(&rows[current.row]);
        for pivot in after.iter() {
            sums.clear(f, pivot);
        }
        sums.end(f, &mut rows[current.row]);
        current.others = others(&rows[current.row], current.column);
    }
    // The rows with a pivot first, in the order of these.
    let mut sorted: Vec<Vec<u64>> = Vec::with_capacity(rows.len());
    sorted.extend(
        pivots
            .iter()
            .map(|pivot| std::mem::take(&mut rows[pivot.row])),
    );
    let mut has_pivot = vec![false; rows.len()];
    for pivot in &pivots {
        has_pivot[pivot.row] = true;
    }
    let rest = rows
        .iter_mut()
        .zip(&has_pivot)
        .filter(|(_, known)| !**known);
    sorted.extend(rest.map(|(row, _)| std::mem::take(row)));
    for (row, sorted) in rows.iter_mut().zip(sorted) {
        *row = sorted;
    }
    pivots
        .iter()
        .map(|pivot| pivot.column)
        .enumerate()
        .collect()
}

/// The first column of these in which a row is not 0; there it becomes 1.
fn pivot_of(f: Modulus, row: usize, entries: &mut [u64], preference: &[usize]) -> Option<Pivot> {
    let place = preference.iter().position(|column| entries[*column] != 0)?;
    let column = preference[place];
    let inverse = f.inverse(entries[column]).unwrap_or_default();
    for x in entries.iter_mut().filter(|x| **x != 0) {
        *x = f.times(*x, inverse);
    }
    Some(Pivot {
        place,
        column,
        row,
        others: others(entries, column),
    })
}

/// The entries other than 0 in other columns.
fn others(entries: &[u64], column: usize) -> Vec<(usize, u64)> {
    let entries = entries.iter().copied().enumerate();
    entries.filter(|(j, x)| *x != 0 && *j != column).collect()
}

/// A row to which multiples of others are added, reduced modulo `p` seldom.
#[derive(Default)]
struct Sums {
    entries: Vec<u128>,
    added: usize,
}

impl Sums {
    /// So many products of numbers below 2^61 and one number more stay below 2^128.
    const MAX_PRODUCTS: usize = 60;

    fn begin(&mut self, row: &[u64]) {
        self.entries.clear();
        self.entries.extend(row.iter().map(|x| u128::from(*x)));
        self.added = 0;
    }

    /// Adds the multiple of a pivot's row that leaves 0 in its column.
    fn clear(&mut self, f: Modulus, pivot: &Pivot) {
        let entry = &mut self.entries[pivot.column];
        if *entry == 0 {
            return;
        }
        let factor = f.negate(f.reduced_sum(std::mem::take(entry)));
        if factor == 0 {
            return;
        }
        if self.added == Self::MAX_PRODUCTS {
            for x in &mut self.entries {
                *x = u128::from(f.reduced_sum(*x));
            }
            self.added = 0;
        }
        self.added += 1;
        for (j, x) in &pivot.others {
            self.entries[*j] += u128::from(factor) * u128::from(*x);
        }
    }

    fn end(&self, f: Modulus, row: &mut [u64]) {
        for (x, sum) in row.iter_mut().zip(&self.entries) {
            *x = f.reduced_sum(*sum);
        }
    }
}

/// The solution of a regular system; `None` if it is singular.
pub(crate) fn solve(f: Modulus, n: usize, matrix: &[u64], right: &[u64]) -> Option<Vec<u64>> {
    let (mut rows, columns) = augmented(n, matrix, right);
    let pivots = eliminate(f, &mut rows, &(0..n).collect::<Vec<_>>());
    (pivots.len() == n).then(|| {
        rows.iter()
            .flat_map(|row| row[n..n + columns].to_vec())
            .collect()
    })
}

/// The solution of least norm, `A_R^T (A_R A_R^T)^-1 b_R` for independent rows `R`; `None` if
/// there is no solution.
pub(crate) fn solve_consistent(
    f: Modulus,
    n: usize,
    matrix: &[u64],
    right: &[u64],
) -> Option<Vec<u64>> {
    if let Some(solution) = solve(f, n, matrix, right) {
        return Some(solution);
    }
    let (mut rows, columns) = augmented(n, matrix, right);
    let rank = eliminate(f, &mut rows, &(0..n).collect::<Vec<_>>()).len();
    let consistent = rows[rank..].iter().all(|row| row.iter().all(|x| *x == 0));
    if !consistent {
        return None;
    }
    // The reduced rows span the same row space: A_R x = b_R has the same solutions.
    let kept = &rows[..rank];
    let dot = |x: &[u64], y: &[u64]| {
        let products = x.iter().zip(y).map(|(x, y)| f.times(*x, *y));
        products.fold(0, |sum, x| f.plus(sum, x))
    };
    let gram: Vec<u64> = kept
        .iter()
        .flat_map(|x| {
            kept.iter()
                .map(|y| dot(&x[..n], &y[..n]))
                .collect::<Vec<_>>()
        })
        .collect();
    let sides: Vec<u64> = kept.iter().flat_map(|row| row[n..].to_vec()).collect();
    let weights = solve(f, rank, &gram, &sides)?;
    let mut solution = vec![0; n * columns];
    for (i, row) in kept.iter().enumerate() {
        for j in 0..n {
            for c in 0..columns {
                let term = f.times(row[j], weights[i * columns + c]);
                solution[j * columns + c] = f.plus(solution[j * columns + c], term);
            }
        }
    }
    Some(solution)
}

fn augmented(n: usize, matrix: &[u64], right: &[u64]) -> (Vec<Vec<u64>>, usize) {
    let columns = right.len() / n.max(1);
    let row = |i: usize| {
        let left = &matrix[i * n..(i + 1) * n];
        [left, &right[i * columns..(i + 1) * columns]].concat()
    };
    ((0..n).map(row).collect(), columns)
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{Random, random_prime};
    use super::*;

    fn f() -> Modulus {
        Modulus::new((1 << 61) - 1)
    }

    /// Column by column, as in a book.
    fn by_columns(f: Modulus, rows: &mut [Vec<u64>], columns: &[usize]) -> Vec<(usize, usize)> {
        let mut pivots = Vec::new();
        for &column in columns {
            let next = pivots.len();
            let Some(found) = (next..rows.len()).find(|i| rows[*i][column] != 0) else {
                continue;
            };
            rows.swap(found, next);
            let inverse = f.inverse(rows[next][column]).expect("not 0");
            let pivot: Vec<u64> = rows[next].iter().map(|x| f.times(*x, inverse)).collect();
            for row in rows.iter_mut() {
                let factor = row[column];
                for (x, p) in row.iter_mut().zip(&pivot) {
                    *x = f.minus(*x, f.times(factor, *p));
                }
            }
            rows[next] = pivot;
            pivots.push((next, column));
        }
        pivots
    }

    /// The form is the one that there is: of dense rows, sparse ones, dependent ones, more than are summed up at
    /// once, and with columns that have no pivots.
    #[test]
    fn the_echelon_form_is_that_of_columns() {
        let mut random = Random(7);
        let f = Modulus::new(random_prime(&mut random, 4).p);
        for (height, width, zeros) in [
            (5, 7, 0),
            (9, 6, 2),
            (150, 140, 0),
            (90, 80, 30),
            (70, 160, 1),
        ] {
            let mut rows: Vec<Vec<u64>> = Vec::new();
            for i in 0..height {
                let entries = (0..width).map(|_| match random.below(zeros + 1) {
                    0 => random.below(f.p),
                    _ => 0,
                });
                let line: Vec<u64> = entries.collect();
                // Every fourth row is a combination of two before it.
                let sum = |a: &[u64], b: &[u64]| -> Vec<u64> {
                    let pairs = a.iter().zip(b);
                    pairs.map(|(x, y)| f.plus(*x, f.times(3, *y))).collect()
                };
                rows.push(if i % 4 == 3 {
                    sum(&rows[i - 1], &rows[i - 3])
                } else {
                    line
                });
            }
            let backwards: Vec<usize> = (0..width).rev().collect();
            let odd: Vec<usize> = (0..width).filter(|j| j % 2 == 1).collect();
            for columns in [(0..width).collect(), backwards, odd] {
                let (mut reduced, mut known) = (rows.clone(), rows.clone());
                let pivots = eliminate(f, &mut reduced, &columns);
                assert_eq!(pivots, by_columns(f, &mut known, &columns));
                assert_eq!(reduced[..pivots.len()], known[..pivots.len()]);
                let zero = |rows: &[Vec<u64>]| rows.concat().iter().all(|x| *x == 0);
                assert_eq!(zero(&reduced[pivots.len()..]), zero(&known[pivots.len()..]));
            }
        }
    }

    #[test]
    fn a_regular_system() {
        let solution = solve(f(), 2, &[2, 1, 1, 3], &[4, 7]).expect("it is regular");
        assert_eq!(solution, vec![1, 2]);
        assert_eq!(solve(f(), 2, &[1, 2, 2, 4], &[1, 2]), None);
    }

    #[test]
    fn the_least_solution_of_a_singular_system() {
        // x + 2 y = 5 twice: the least solution is (1, 2).
        let solution = solve_consistent(f(), 2, &[1, 2, 2, 4], &[5, 10]);
        assert_eq!(solution, Some(vec![1, 2]));
        assert_eq!(solve_consistent(f(), 2, &[1, 2, 2, 4], &[5, 11]), None);
        assert_eq!(solve_consistent(f(), 1, &[0], &[0]), Some(vec![0]));
        assert_eq!(solve_consistent(f(), 0, &[], &[]), Some(vec![]));
    }
}
