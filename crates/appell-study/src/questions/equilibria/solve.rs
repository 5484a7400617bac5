//! Newton's method for equations with whole families of solutions.

use super::dimension::Form;
use crate::values::prepared::Prepared;
use crate::values::rows::shortest;
use appell_expr::{Ex, Matrix, Sketch};
use appell_flow::newton::{Effort, Reduced, reduce};
use appell_flow::{Interpreter, linear};
use appell_mech::Balance;

/// Compiled equations `c(w) = 0` with their Jacobian.
pub(super) struct Solver {
    /// Outputs `c`, then `c_w` row by row; inputs `t, w, parameters`.
    pub(super) field: Interpreter,
    pub(super) rows: usize,
    /// The number of unknowns.
    pub size: usize,
    /// What is known of the equations without numbers.
    pub(super) form: Form,
}

/// A solution.
pub(super) struct Solution {
    /// The unknowns.
    pub w: Vec<f64>,
    /// The rank of `c_w` there.
    pub rank: usize,
}

const EFFORT: Effort = Effort {
    corrections: 80,
    halvings: 11,
    aim: 0.0,
};
/// No step moves an unknown by more, relative to the larger of itself and 1.
const LONGEST: f64 = 0.5;
/// A row that moving the unknowns by this, relative to their size, would solve is solved.
const SOLVED: f64 = 1e-10;
/// Unknowns below this, relative to the largest and to 1, are 0 if 0 is a solution too.
const ZERO: f64 = 1e-9;
/// Places from which it is tried.
const RESTARTS: u32 = 8;
impl Solver {
    pub fn new<'g>(p: &Prepared<'g>, balance: &Balance<'g>) -> Self {
        let graph = p.system.graph;
        let mut sketch = Sketch::new(graph);
        sketch.output_list("c", &balance.rows);
        let jacobian = Matrix::jacobian(graph, &balance.rows, &balance.unknowns);
        sketch.output("c_w", jacobian.clone());
        let parameters = p.model.parameters.iter().map(|q| graph.ex(q.symbol));
        let inputs: Vec<Ex<'g>> = std::iter::once(p.system.t)
            .chain(balance.unknowns.iter().copied())
            .chain(parameters)
            .collect();
        let program = sketch.program(&inputs, &["c", "c_w"]);
        let program = program.expect("rows are made of t, the unknowns and parameters");
        Self {
            field: Interpreter::new(program, &p.parameters),
            rows: balance.rows.len(),
            size: balance.unknowns.len(),
            form: Form::new(balance, &jacobian),
        }
    }

    /// `c` and `c_w`.
    pub(super) fn at(&self, t: f64, w: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let mut c = self.field.results(t, w).ok()?;
        let slopes = c.split_off(self.rows);
        let finite = c.iter().chain(&slopes).all(|x| x.is_finite());
        finite.then_some((c, slopes))
    }

    /// A solution close to `w`: each correction is the shortest one.
    pub fn solve(&self, t: f64, w: &[f64]) -> Option<Solution> {
        let residual = |w: &[f64]| self.at(t, w).map(|(c, slopes)| (norm(&c), (c, slopes)));
        let correction = |w: &[f64], (c, slopes): &(Vec<f64>, Vec<f64>)| {
            let mut step = shortest(self.size, c, slopes)?;
            let parts = step.iter().zip(w);
            let relative = parts.map(|(dw, w)| dw.abs() / w.abs().max(1.0));
            let longest = relative.fold(LONGEST, f64::max);
            step.iter_mut().for_each(|dw| *dw *= LONGEST / longest);
            Some(step)
        };
        let Reduced { w, rest, .. } = reduce(w.to_vec(), EFFORT, residual, correction)?;
        let (c, slopes) = rest;
        let solution = self.checked(w.clone(), &c, &slopes)?;
        // Zeros that Newton's method only tends to.
        let size = w.iter().fold(1.0, |size: f64, w| size.max(w.abs()));
        let snap = |w: &f64| if w.abs() < ZERO * size { 0.0 } else { *w };
        let snapped: Vec<f64> = w.iter().map(snap).collect();
        let better = self
            .at(t, &snapped)
            .and_then(|(c, slopes)| self.checked(snapped, &c, &slopes));
        Some(better.unwrap_or(solution))
    }

    /// The solution with its rank, if moving the unknowns by almost nothing would solve every row.
    fn checked(&self, w: Vec<f64>, c: &[f64], slopes: &[f64]) -> Option<Solution> {
        let solved = (0..self.rows).all(|i| {
            let row = slopes[i * self.size..(i + 1) * self.size].iter().zip(&w);
            let reach = row
                .map(|(slope, w)| slope.abs() * w.abs().max(1.0))
                .sum::<f64>();
            c[i].abs() <= SOLVED * reach
        });
        let sizes = row_sizes(slopes, self.size);
        let rank = linear::rank(self.rows, self.size, slopes, &sizes);
        solved.then_some(Solution { w, rank })
    }

    /// The same from the start or, where that leads nowhere, from a fixed sequence of places around it: at
    /// an extremum of a row Newton's method has no direction.
    pub fn solve_around(&self, t: f64, w: &[f64]) -> Option<Solution> {
        let moved = |trial: u32| -> Vec<f64> {
            let turn = |i: usize| (f64::from(trial) * (i as f64 + 1.0) * 2.399_963 + 0.5).sin();
            let size = if trial == 0 { 0.0 } else { 0.4 };
            let step = |(i, w): (usize, &f64)| w + size * w.abs().max(1.0) * turn(i);
            w.iter().enumerate().map(step).collect()
        };
        (0..RESTARTS).find_map(|trial| self.solve(t, &moved(trial)))
    }
}

/// The size of each entry: an entry that is tiny in its row is rounding.
pub(super) fn row_sizes(slopes: &[f64], columns: usize) -> Vec<f64> {
    let largest = |row: &[f64]| row.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let rows = slopes.chunks(columns.max(1));
    rows.flat_map(|row| vec![largest(row); row.len()]).collect()
}

pub(super) fn norm(c: &[f64]) -> f64 {
    c.iter().map(|x| x * x).sum()
}
