//! Affine rows solved for some unknowns, and random planes in the space that they leave.

use super::arithmetic::Modulus;
use super::linear::eliminate;
use super::prime::{PrimeField, Unlucky};

/// A random plane through a point, as far as the affine rows admit it.
pub(crate) struct Section<'s> {
    block: Block,
    unknowns: &'s [usize],
    /// For each unknown its value at the point and two directions.
    lines: Vec<(u64, [u64; 2])>,
}

impl<'s> Section<'s> {
    /// A plane with random directions for these unknowns; `affine` are the rows `[A | b]`.
    pub fn new(
        field: &mut PrimeField,
        affine: &[u64],
        unknowns: &'s [usize],
        point: &[u64],
    ) -> Result<Self, Unlucky> {
        let block = Block::new(field.f, affine, unknowns.len(), &[])?;
        let through = unknowns.iter().map(|place| point[*place]);
        let lines = through.map(|base| (base, [field.element(), field.element()]));
        Ok(Self {
            block,
            lines: lines.collect(),
            unknowns,
        })
    }

    /// Moves the point to these coordinates in the plane.
    pub fn move_to(&self, f: Modulus, point: &mut [u64], x: u64, y: u64) {
        for (place, (base, [along, across])) in self.unknowns.iter().zip(&self.lines) {
            let moved = f.plus(f.times(x, *along), f.times(y, *across));
            point[*place] = f.plus(*base, moved);
        }
        self.block.relax(f, self.unknowns, point);
    }
}

/// The affine rows, solved for some unknowns.
pub(crate) struct Block {
    rows: Vec<Vec<u64>>,
    pivots: Vec<(usize, usize)>,
}

impl Block {
    /// Solves for unknowns other than the chosen ones.
    pub fn new(f: Modulus, affine: &[u64], n: usize, chosen: &[usize]) -> Result<Self, Unlucky> {
        let mut rows: Vec<Vec<u64>> = affine.chunks(n + 1).map(<[u64]>::to_vec).collect();
        let order: Vec<usize> = (0..n).rev().filter(|j| !chosen.contains(j)).collect();
        let pivots = eliminate(f, &mut rows, &order);
        // Without a pivot a row must be 0 = 0: it depends on the others.
        let left = &rows[pivots.len()..];
        if left.iter().any(|row| row.iter().any(|x| *x != 0)) {
            return Err(Unlucky);
        }
        Ok(Self { rows, pivots })
    }

    /// Moves the unknowns that the rows are solved for.
    pub fn relax(&self, f: Modulus, unknowns: &[usize], point: &mut [u64]) {
        for (row, column) in &self.pivots {
            let row = &self.rows[*row];
            let mut sum = row[unknowns.len()];
            for (j, place) in unknowns.iter().enumerate().filter(|(j, _)| j != column) {
                sum = f.plus(sum, f.times(row[j], point[*place]));
            }
            point[unknowns[*column]] = f.negate(sum);
        }
    }
}
