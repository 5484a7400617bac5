//! Linear systems modulo a prime.

use super::arithmetic::Modulus;
use crate::limits::look;

/// The reduced row echelon form of `rows x (columns + right)`, and the pivots as `(row, column)`.
///
/// Pivots are sought in `columns`, in the order of `preference`.
pub(crate) fn eliminate(
    f: Modulus,
    rows: &mut [Vec<u64>],
    preference: &[usize],
) -> Vec<(usize, usize)> {
    let mut pivots = Vec::new();
    for &column in preference {
        let next = pivots.len();
        let Some(found) = (next..rows.len()).find(|i| rows[*i][column] != 0) else {
            continue;
        };
        rows.swap(found, next);
        let inverse = f.inverse(rows[next][column]).unwrap_or_default();
        for x in &mut rows[next] {
            *x = f.times(*x, inverse);
        }
        let entries = rows[next].iter().copied().enumerate();
        let pivot_row: Vec<(usize, u64)> = entries.filter(|(_, p)| *p != 0).collect();
        look();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if i == next || factor == 0 {
                continue;
            }
            for (j, p) in &pivot_row {
                row[*j] = f.minus(row[*j], f.times(factor, *p));
            }
        }
        pivots.push((next, column));
    }
    pivots
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
    use super::*;

    fn f() -> Modulus {
        Modulus::new((1 << 61) - 1)
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
