//! Small dense matrices of expressions.

use crate::graph::{Ex, Graph};
use std::collections::BTreeMap;
use std::ops::{Add, Index, Mul, Neg, Sub};

/// Determinants of more rows are not written out.
const MAX_DETERMINANT: usize = 8;

/// A `rows x columns` matrix, stored row by row. Vectors are matrices with one column.
///
/// # Panics
/// Operations on matrices whose shapes do not fit panic: shapes are decided by the formulas
/// in the source, never by input.
#[derive(Clone, Debug)]
pub struct Matrix<'g> {
    graph: &'g Graph,
    rows: usize,
    columns: usize,
    entries: Vec<Ex<'g>>,
}

impl<'g> Matrix<'g> {
    /// The matrix with entries `entry(i, j)`.
    pub fn from_fn(
        graph: &'g Graph,
        rows: usize,
        columns: usize,
        mut entry: impl FnMut(usize, usize) -> Ex<'g>,
    ) -> Self {
        let mut entries = Vec::with_capacity(rows * columns);
        for i in 0..rows {
            entries.extend((0..columns).map(|j| entry(i, j)));
        }
        Self {
            graph,
            rows,
            columns,
            entries,
        }
    }

    /// A vector.
    pub fn column(graph: &'g Graph, entries: Vec<Ex<'g>>) -> Self {
        Self {
            graph,
            rows: entries.len(),
            columns: 1,
            entries,
        }
    }

    /// `0`.
    pub fn zero(graph: &'g Graph, rows: usize, columns: usize) -> Self {
        Self::from_fn(graph, rows, columns, |_, _| graph.zero())
    }

    /// The Jacobian `d values_i / d symbols_j`.
    pub fn jacobian(graph: &'g Graph, values: &[Ex<'g>], symbols: &[Ex<'g>]) -> Self {
        let rows: Vec<Vec<Ex<'g>>> = values.iter().map(|x| x.partials(symbols)).collect();
        Self::from_fn(graph, values.len(), symbols.len(), |i, j| rows[i][j])
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All entries, row by row.
    pub fn entries(&self) -> &[Ex<'g>] {
        &self.entries
    }

    /// The transposed matrix.
    pub fn transpose(&self) -> Self {
        Self::from_fn(self.graph, self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// The entries `f(entry)`.
    pub fn map(&self, f: impl Fn(Ex<'g>) -> Ex<'g>) -> Self {
        let entries = self.entries.iter().map(|x| f(*x)).collect();
        Self { entries, ..*self }
    }

    /// The columns of these numbers, in this order.
    pub fn select_columns(&self, columns: &[usize]) -> Self {
        Self::from_fn(self.graph, self.rows, columns.len(), |i, j| {
            self[(i, columns[j])]
        })
    }

    /// The rows of these numbers, in this order.
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        Self::from_fn(self.graph, rows.len(), self.columns, |i, j| {
            self[(rows[i], j)]
        })
    }

    /// `[self, other]`.
    pub fn beside(&self, other: &Self) -> Self {
        assert_eq!(
            self.rows, other.rows,
            "matrices side by side need as many rows"
        );
        Self::from_fn(
            self.graph,
            self.rows,
            self.columns + other.columns,
            |i, j| {
                if j < self.columns {
                    self[(i, j)]
                } else {
                    other[(i, j - self.columns)]
                }
            },
        )
    }

    /// `[self; other]`.
    pub fn above(&self, other: &Self) -> Self {
        self.transpose().beside(&other.transpose()).transpose()
    }

    /// `x . y` of two vectors.
    pub fn dot(&self, other: &Self) -> Ex<'g> {
        assert_eq!(
            (self.rows, 1, 1),
            (other.rows, self.columns, other.columns),
            "two vectors"
        );
        let products: Vec<_> = self
            .entries
            .iter()
            .zip(&other.entries)
            .map(|(x, y)| *x * *y)
            .collect();
        self.graph.sum(&products)
    }

    /// The determinant of a square matrix, by rows, every minor of the last rows once; `None` above 8 rows,
    /// whose terms would be too many.
    pub fn determinant(&self) -> Option<Ex<'g>> {
        assert_eq!(self.rows, self.columns, "a square matrix");
        if self.rows > MAX_DETERMINANT {
            return None;
        }
        // Minors of the last rows by their set of columns.
        let mut minors: BTreeMap<u32, Ex<'g>> = BTreeMap::from([(0, self.graph.one())]);
        for row in (0..self.rows).rev() {
            let mut larger: BTreeMap<u32, Vec<Ex<'g>>> = BTreeMap::new();
            for (columns, minor) in &minors {
                let open = (0..self.rows).filter(|j| columns & (1 << j) == 0);
                for j in open.filter(|j| !self[(row, *j)].is_zero()) {
                    let before = (columns & ((1 << j) - 1)).count_ones();
                    let sign = if before % 2 == 0 { 1 } else { -1 };
                    let term = sign * (self[(row, j)] * *minor);
                    larger.entry(columns | (1 << j)).or_default().push(term);
                }
            }
            let sums = larger
                .into_iter()
                .map(|(columns, terms)| (columns, self.graph.sum(&terms)));
            minors = sums.collect();
        }
        Some(
            minors
                .into_values()
                .next()
                .unwrap_or_else(|| self.graph.zero()),
        )
    }

    /// Replaces symbols in every entry.
    pub fn substitute(&self, by: &[(Ex<'g>, Ex<'g>)]) -> Self {
        let entries = self.graph.substitute(&self.entries, by);
        Self { entries, ..*self }
    }

    /// Whether every entry is the number 0 as it stands.
    pub fn is_zero(&self) -> bool {
        self.entries.iter().all(|x| x.is_zero())
    }
}

impl<'g> Index<(usize, usize)> for Matrix<'g> {
    type Output = Ex<'g>;
    fn index(&self, (i, j): (usize, usize)) -> &Ex<'g> {
        assert!(j < self.columns, "column {j} of {}", self.columns);
        &self.entries[i * self.columns + j]
    }
}

impl<'g> Mul for &Matrix<'g> {
    type Output = Matrix<'g>;
    fn mul(self, other: Self) -> Matrix<'g> {
        assert_eq!(self.columns, other.rows, "inner dimensions of a product");
        Matrix::from_fn(self.graph, self.rows, other.columns, |i, j| {
            let products: Vec<_> = (0..self.columns)
                .map(|k| self[(i, k)] * other[(k, j)])
                .collect();
            self.graph.sum(&products)
        })
    }
}

impl<'g> Add for &Matrix<'g> {
    type Output = Matrix<'g>;
    fn add(self, other: Self) -> Matrix<'g> {
        assert_eq!(
            (self.rows, self.columns),
            (other.rows, other.columns),
            "terms of a sum"
        );
        Matrix::from_fn(self.graph, self.rows, self.columns, |i, j| {
            self[(i, j)] + other[(i, j)]
        })
    }
}

impl<'g> Sub for &Matrix<'g> {
    type Output = Matrix<'g>;
    fn sub(self, other: Self) -> Matrix<'g> {
        self + &-other
    }
}

impl<'g> Neg for &Matrix<'g> {
    type Output = Matrix<'g>;
    fn neg(self) -> Matrix<'g> {
        self.map(|x| -x)
    }
}
