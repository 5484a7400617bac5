//! How large the set of solutions around one is, where that is known.
//!
//! The null space of the derivatives `c_w` bounds the dimension from above only: `x^3`, and `x y^2` with `x^2 y`, have
//! larger ones at 0 than their sets of zeros have dimensions. As many independent rows as the rank of `c_w` have a smooth
//! set of solutions of the dimension of the null space. It is followed, and the other rows are looked at on it.

use super::solve::{Solution, Solver, row_sizes};
use crate::values::rows::shortest;
use crate::values::scattered::scattered;
use crate::values::stationary::has_pieces;
use appell_expr::{Ex, Locus, Matrix, generic_rank, is_free_of};
use appell_flow::linear;
use appell_mech::Balance;

/// What is known of equations `c(w) = 0` exactly.
pub(super) struct Form {
    /// The rank of `c_w` at generic points; none where that is not known, or nothing follows from it.
    generic: Option<usize>,
    /// Whether `c_w` is one and the same matrix of numbers.
    linear: bool,
    /// How many unknowns do not occur.
    ignored: usize,
    /// Whether functions with corners or jumps of the unknowns occur.
    pub(super) piecewise: bool,
    /// Which rows speak of no unknown.
    pub(super) void: Vec<bool>,
}

impl Form {
    pub fn new<'g>(balance: &Balance<'g>, jacobian: &Matrix<'g>) -> Self {
        let (rows, unknowns) = (&balance.rows, &balance.unknowns);
        let piecewise = has_pieces(rows, unknowns);
        let locus = || {
            Locus::new(jacobian.entries().iter().flat_map(|x| x.symbols()).fold(
                Vec::new(),
                |mut known: Vec<Ex<'g>>, symbol| {
                    if !known.iter().any(|other| other.id() == symbol.id()) {
                        known.push(symbol);
                    }
                    known
                },
            ))
        };
        let order: Vec<usize> = (0..unknowns.len()).collect();
        let found = (!piecewise).then(|| generic_rank(&locus(), jacobian, &order));
        let is_ignored = |w: &&Ex<'g>| rows.iter().all(|row| is_free_of(*row, **w));
        let ignored = unknowns.iter().filter(is_ignored).count();
        Self {
            generic: found.flatten().map(|found| found.rank),
            linear: !piecewise && jacobian.entries().iter().all(|x| x.symbols().is_empty()),
            ignored: if piecewise { 0 } else { ignored },
            piecewise,
            void: (rows.iter())
                .map(|row| !row.depends_on_any(unknowns))
                .collect(),
        }
    }
}

/// What the other rows say on the set that the independent ones leave.
#[derive(Clone, Copy, PartialEq)]
enum Said {
    /// They hold there, but for rounding.
    Holds,
    /// They do not.
    Fails,
    /// Too little to tell one from the other.
    Unclear,
}

/// A row below this part of its terms holds, one above the other does not.
const HOLDS: f64 = 1e-13;
const FAILS: f64 = 1e-6;
/// The length of a step on the set, relative to the larger of the solution and 1; shorter ones where it is curved.
const PACES: [f64; 3] = [1.0 / 16.0, 1.0 / 256.0, 1.0 / 4096.0];
/// How many steps are taken.
const STEPS: usize = 16;
/// Corrections after each.
const CORRECTIONS: usize = 12;

impl Solver {
    /// The dimension of the set of solutions around one, where it is known.
    ///
    /// Exact are the rank of equations that are linear with given numbers, and a rank that is nowhere larger than here.
    /// Else all rows hold, or do not, on the set that independent ones leave, as far as it is followed in many directions; on
    /// the one side all of it solves them, on the other the dimension is smaller.
    pub fn dimension(&self, t: f64, solution: &Solution) -> Option<usize> {
        let (form, free) = (&self.form, self.size - solution.rank);
        let solution = &Solution {
            w: self.in_units(&solution.w),
            ..*solution
        };
        match form.generic {
            Some(rank) if form.linear => return Some(self.size - rank),
            Some(rank) if rank == solution.rank => return Some(free),
            // The other side of a corner has a rank of its own.
            _ if free == 0 && form.piecewise && !self.is_alone(t, &solution.w) => return None,
            _ if free == 0 => return Some(0),
            _ => {}
        }
        let said = self.followed(t, solution, free)?;
        let all = |wanted: Said| said.iter().all(|one| *one == wanted);
        let smooth = !form.piecewise;
        match () {
            () if all(Said::Holds) => Some(free),
            // Of an analytic function on a curve the zeros are isolated.
            () if smooth && free == form.ignored + 1 && said.contains(&Said::Fails) => {
                Some(form.ignored)
            }
            () => None,
        }
    }

    /// What the other rows say in directions that span the null space, and between them, to both sides.
    fn followed(&self, t: f64, solution: &Solution, free: usize) -> Option<Vec<Said>> {
        let (_, slopes) = self.at(t, &solution.w)?;
        let (rank, sizes) = (Some(solution.rank), row_sizes(&slopes, self.size));
        let basis = linear::null_space(rank, self.rows, self.size, &slopes, &sizes);
        let pivots = linear::pivots(rank, None, self.rows, self.size, &slopes, &sizes);
        let independent: Vec<usize> = pivots.iter().map(|(row, _)| *row).collect();
        let part = |trial: usize, i: usize| match trial < free {
            true => f64::from(u8::from(trial == i)),
            false => scattered((31 * trial + i) as u32),
        };
        let mut said = Vec::new();
        for trial in 0..2 * free + 2 {
            for side in [1.0, -1.0] {
                let along = |j: usize| -> f64 {
                    let numbered = basis.iter().enumerate();
                    numbered
                        .map(|(i, vector)| side * part(trial, i) * vector[j])
                        .sum()
                };
                let direction: Vec<f64> = (0..self.size).map(along).collect();
                let walk = |pace: &f64| self.walk(t, &independent, &solution.w, &direction, *pace);
                said.extend(PACES.iter().find_map(walk)?);
            }
        }
        Some(said)
    }

    /// What the other rows say at places on the set of the independent ones, in steps from a solution; none without one.
    fn walk(
        &self,
        t: f64,
        independent: &[usize],
        from: &[f64],
        direction: &[f64],
        pace: f64,
    ) -> Option<Vec<Said>> {
        let size = linear::max_norm(from).max(1.0);
        let (mut w, mut said) = (from.to_vec(), Vec::new());
        for _ in 0..STEPS {
            let Some(next) = self.step(t, independent, &w, direction, pace * size) else {
                break;
            };
            said.push(self.said(t, &next)?);
            w = next;
        }
        (!said.is_empty()).then_some(said)
    }

    /// A step of this length along the set of the independent rows; none where it is curved too much for it.
    fn step(
        &self,
        t: f64,
        independent: &[usize],
        w: &[f64],
        direction: &[f64],
        length: f64,
    ) -> Option<Vec<f64>> {
        let (_, slopes) = self.independent_at(t, independent, w)?;
        let product = |row: &[f64]| row.iter().zip(direction).map(|(a, d)| a * d).sum::<f64>();
        let across: Vec<f64> = slopes.chunks(self.size).map(product).collect();
        let back = shortest(self.size, &across, &slopes)?;
        let tangent: Vec<f64> = direction.iter().zip(&back).map(|(d, b)| d + b).collect();
        let scale = length / linear::square(&tangent).sqrt();
        let aim: Vec<f64> = w.iter().zip(&tangent).map(|(w, d)| w + scale * d).collect();
        let mut next = aim.clone();
        for _ in 0..CORRECTIONS {
            let (c, slopes) = self.independent_at(t, independent, &next)?;
            let step = shortest(self.size, &c, &slopes)?;
            next.iter_mut().zip(&step).for_each(|(w, dw)| *w += dw);
        }
        let off: Vec<f64> = next.iter().zip(&aim).map(|(a, b)| a - b).collect();
        (linear::square(&off).sqrt() <= 0.5 * length).then_some(next)
    }

    /// The independent rows with their derivatives.
    fn independent_at(&self, t: f64, rows: &[usize], w: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let (c, slopes) = self.at(t, w)?;
        let gradient = |row: &usize| slopes[row * self.size..(row + 1) * self.size].to_vec();
        let values = rows.iter().map(|row| c[*row]).collect();
        Some((values, rows.iter().flat_map(gradient).collect()))
    }

    /// Whether all rows hold, beside their terms and what rounding of the unknowns makes of them.
    fn said(&self, t: f64, w: &[f64]) -> Option<Said> {
        let values = self.measured(t, w)?;
        let (c, slopes) = values.split_at(self.rows);
        let ratio = |row: usize| {
            let gradient = slopes[row * self.size..(row + 1) * self.size].iter();
            let reach = gradient
                .zip(w)
                .map(|(slope, w)| slope.size * w.abs().max(1.0));
            let size = reach.sum::<f64>() + c[row].size;
            match c[row].value.abs() {
                0.0 => 0.0,
                value => value / size,
            }
        };
        let worst = (0..self.rows).map(ratio).fold(0.0, f64::max);
        Some(match worst {
            worst if worst <= HOLDS => Said::Holds,
            worst if worst > FAILS => Said::Fails,
            _ => Said::Unclear,
        })
    }
}
