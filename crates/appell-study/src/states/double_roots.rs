//! Double roots: states at which a row holds and has no derivative, found to all digits.

use crate::values::prepared::Prepared;
use appell_expr::Ex;
use appell_flow::linear;

/// A row whose derivatives change it by less than this part of its terms may hold at a double root: Newton's method finds
/// that to half of the digits. It is sought as near as this part of the state.
const NEAR: f64 = 1e-6;
/// The same where some unknowns are given, which ends Newton's method earlier.
const NEAR_GIVEN: f64 = 1e-4;
/// The rows hold there to this part of their terms.
const HELD: f64 = 1e-15;

/// Values of some unknowns for which rows hold.
#[derive(Clone, Copy)]
pub(crate) struct Solution<'a, 'g> {
    pub t: f64,
    /// What stands still, and where.
    pub fixed: &'a [Ex<'g>],
    pub at: &'a [f64],
    pub unknowns: &'a [Ex<'g>],
    pub w: &'a [f64],
    /// The state is no smaller than this.
    pub least: f64,
}

impl<'a, 'g> Solution<'a, 'g> {
    /// Coordinates.
    pub fn of_place(p: &'a Prepared<'g>, t: f64, q: &'a [f64]) -> Self {
        Self {
            t,
            fixed: &[],
            at: &[],
            unknowns: &p.system.q,
            w: q,
            least: 0.0,
        }
    }

    /// Velocities, and parameters, at a place.
    pub fn at_place(
        p: &'a Prepared<'g>,
        (t, q): (f64, &'a [f64]),
        unknowns: &'a [Ex<'g>],
        w: &'a [f64],
    ) -> Self {
        Self {
            t,
            fixed: &p.system.q,
            at: q,
            unknowns,
            w,
            least: 0.0,
        }
    }
}

/// The double root beside a solution of `c(w) = 0`, where the other rows and the derivatives of the flat ones vanish:
/// of `x^2 - 2*x + 1 = 0` at 0.999999993 it is 1.
pub(crate) fn double_root<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    solution: Solution<'_, 'g>,
) -> Option<Vec<f64>> {
    within(p, rows, solution, NEAR)
}

fn within<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    solution: Solution<'_, 'g>,
    near: f64,
) -> Option<Vec<f64>> {
    let Solution {
        t,
        fixed,
        at,
        unknowns,
        w,
        least,
    } = solution;
    let compiled = p.rows(rows, fixed, unknowns);
    let flat = compiled.flat(t, at, w, near);
    if !flat.contains(&true) {
        return None;
    }
    let all = rows.iter().zip(flat).flat_map(|(row, flat)| match flat {
        true => row.partials(unknowns),
        false => vec![*row],
    });
    let all: Vec<Ex<'g>> = all.filter(|x| !x.is_zero()).collect();
    let slopes = p.rows(&all, fixed, unknowns);
    let largest = linear::max_norm(w.iter()).max(least);
    let is_near = |(x, other): (&f64, &f64)| (x - other).abs() <= near * largest;
    let is_root = |root: &Vec<f64>| {
        let worst = compiled.worst(t, at, root);
        worst.is_some_and(|worst| worst <= HELD) && root.iter().zip(w).all(is_near)
    };
    // What is a product with a small unknown is 0 with this only.
    let rounded = w
        .iter()
        .map(|x| if x.abs() > near * largest { *x } else { 0.0 });
    let starts = [w.to_vec(), rounded.collect()];
    let mut roots = starts
        .iter()
        .filter_map(|start| slopes.damped_root_with_zeros(t, at, start, largest));
    roots.find(is_root)
}

/// The same, where some unknowns are given outright: of `sin(x) = y` beside `y = 1` it is `pi/2`, though the row has a
/// derivative by `y`.
pub(crate) fn double_root_beside<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    given: &[(usize, Ex<'g>)],
    solution: Solution<'_, 'g>,
) -> Option<Vec<f64>> {
    let beside = || {
        let is_free = |i: &usize| given.iter().all(|(other, _)| other != i);
        let free: Vec<usize> = (0..solution.w.len()).filter(is_free).collect();
        let by = given
            .iter()
            .map(|(i, value)| (solution.unknowns[*i], *value));
        let by: Vec<(Ex<'g>, Ex<'g>)> = by.collect();
        let rows = rows.iter().map(|row| row.substitute(&by));
        let rows: Vec<Ex<'g>> = rows.filter(|row| !row.is_zero()).collect();
        let unknowns: Vec<Ex<'g>> = free.iter().map(|i| solution.unknowns[*i]).collect();
        let w: Vec<f64> = free.iter().map(|i| solution.w[*i]).collect();
        let part = Solution {
            unknowns: &unknowns,
            w: &w,
            ..solution
        };
        let root = within(p, &rows, part, NEAR_GIVEN)?;
        let mut all = solution.w.to_vec();
        free.iter().zip(root).for_each(|(i, x)| all[*i] = x);
        Some(all)
    };
    double_root(p, rows, solution).or_else(|| (!given.is_empty()).then(beside)?)
}
