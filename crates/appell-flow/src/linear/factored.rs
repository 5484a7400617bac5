//! One matrix for many right-hand sides that come one after the other.

use super::{Kind, Scratch, Unsolved, consistent, counts, improve, lu, rank, residual};

/// A square matrix ready for right-hand sides.
#[derive(Debug, Default, Clone)]
pub(crate) struct Factored {
    n: usize,
    matrix: Vec<f64>,
    /// Below `n` where the matrix is singular and its systems have solutions all the same.
    rank: usize,
    scratch: Scratch,
}

impl Factored {
    /// Factors `A`. Where `held` is a rank below `n`, or the matrix is singular and `consistent`, every
    /// right-hand side is taken to lie in the range.
    ///
    /// # Errors
    /// [`Unsolved::Singular`].
    pub fn prepare(
        &mut self,
        n: usize,
        matrix: impl Iterator<Item = f64>,
        consistent: bool,
        held: Option<usize>,
    ) -> Result<(), Unsolved> {
        self.n = n;
        self.matrix.clear();
        self.matrix.extend(matrix);
        self.rank = held.unwrap_or(n);
        if self.rank < n {
            return Ok(());
        }
        match lu::factor(n, &self.matrix, &mut self.scratch, counts) {
            Err(Unsolved::Singular { .. }) if consistent => {
                let sizes: Vec<f64> = self.matrix.iter().map(|x| x.abs()).collect();
                self.rank = rank(n, n, &self.matrix, &sizes);
                Ok(())
            }
            answer => answer,
        }
    }

    /// Solves `A X = B` for `B` of `n x r`.
    ///
    /// # Errors
    /// [`Unsolved::NotFinite`].
    pub fn solve(&mut self, right: &[f64], x: &mut Vec<f64>) -> Result<(), Unsolved> {
        let (n, scratch) = (self.n, &mut self.scratch);
        x.clear();
        x.extend_from_slice(right);
        if self.rank < n {
            let (kind, rank) = (Kind::General, Some(self.rank));
            return consistent(kind, n, &self.matrix, right, x, rank, scratch).map(|_| ());
        }
        lu::solve(n, &scratch.factors, &scratch.order, x);
        residual(n, &self.matrix, right, x, &mut scratch.residual);
        lu::solve(n, &scratch.factors, &scratch.order, &mut scratch.residual);
        improve(x, &scratch.residual)
    }
}
