//! States on a manifold: the one of least quadratic energy, or nearest to a given one.

use crate::evaluation::EvalError;
use crate::linear::{Kind, Scratch, consistent, max_norm, rank, saddle};
use crate::project::lifted;
use crate::residual::{SATISFIED, by_state, scaled, scales};
use appell_expr::elementary;
use appell_expr::limits::look;

/// Writes a function of `w`.
pub type Values<'a> = dyn Fn(&[f64], &mut [f64]) -> Result<(), EvalError> + 'a;
/// Writes the rows of `c(w)` and the sums of the absolute values of each row's terms.
pub type Rows<'a> = dyn Fn(&[f64], &mut [f64], &mut [f64]) -> Result<(), EvalError> + 'a;
/// Writes a function of `w` and the multipliers `mu`.
pub type Weighted<'a> = dyn Fn(&[f64], &[f64], &mut [f64]) -> Result<(), EvalError> + 'a;

/// Minimise `1/2 w.M w + b.w` over the free components of `w`, subject to `c(w) = 0`:
/// `(M w + b)_free = (J^T mu)_free`.
///
/// The state nearest to `w0` in the metric `M` has `b = -M w0`; least kinetic energy has `b` the linear
/// part of the momentum.
pub struct ConstrainedMinimum<'a> {
    /// `M`, n x n, row-major, symmetric.
    pub metric: &'a [f64],
    /// `b`, n.
    pub linear: &'a [f64],
    /// Which components may move, n; the others keep their starting values.
    pub free: &'a [bool],
    /// The number of rows of `c`.
    pub rows: usize,
    /// The rank of `J` where `c = 0`, if rows depend on each other there: beside it they do so less, and what
    /// they say more is nothing but their residual.
    pub most: Option<usize>,
    /// `c`.
    pub residual: &'a Rows<'a>,
    /// `J = dc/dw`, rows x n, row-major.
    pub jacobian: &'a Values<'a>,
    /// `Sum_a mu_a d2c_a/dw dw`, n x n, row-major.
    pub curvature: &'a Weighted<'a>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The state.
    pub w: Vec<f64>,
    /// The multipliers `mu`; of least norm where they are not unique.
    pub multipliers: Vec<f64>,
    /// The largest row of `c` relative to its terms.
    pub residual: f64,
    /// What is left of `(M w + b - J^T mu)_free`, relative to its terms.
    pub stationarity: f64,
    /// The rank of `J_free` there.
    pub rank: usize,
    /// The corrections that were made.
    pub iterations: usize,
    /// Whether the residual is below `1e-12` and the stationarity below `1e-8`.
    pub converged: bool,
}

const ITERATIONS: usize = 200;
const HALVINGS: usize = 40;
/// Corrections of the residual alone, at the end.
const POLISHING: usize = 4;
/// Rows below this, relative to their terms, are rounding.
const RESIDUE: f64 = 1e-15;
/// A residual above this, relative to its terms, means that there is no solution nearby.
pub const SOLVED: f64 = 1e-10;
/// A state so many times larger than the start and Newton's first correction is measured by what states of that size
/// make of the rows.
const FAR: f64 = 1e4;
/// Restarts from perturbed states, where the given start does not lead to a solution (at the vertex
/// of a cone every derivative vanishes).
const RESTARTS: u32 = 12;

/// How far [`damped_newton`] goes.
#[derive(Debug, Clone, Copy)]
pub struct NewtonLimits {
    /// Corrections at most.
    pub corrections: usize,
    /// How often a correction may be halved.
    pub halvings: i32,
    /// A residual that is not above this is left as it is.
    pub aim: f64,
}

/// A state with the size of its residual, and what belongs to it.
pub struct NewtonResult<R> {
    /// The state.
    pub w: Vec<f64>,
    /// How large the residual is.
    pub size: f64,
    /// What `residual` gave besides.
    pub rest: R,
}

/// Newton's method with a search along each correction: of it, its half, its quarter and so on, the first
/// that makes the residual smaller; to its end where none does.
///
/// `residual` gives the size of the residual with whatever `correction` needs, `None` where it has no
/// value. `None` if it has none at the start.
pub fn damped_newton<R>(
    start: Vec<f64>,
    limits: NewtonLimits,
    mut residual: impl FnMut(&[f64]) -> Option<(f64, R)>,
    mut correction: impl FnMut(&[f64], &R) -> Option<Vec<f64>>,
) -> Option<NewtonResult<R>> {
    let (size, rest) = residual(&start)?;
    let mut at = NewtonResult {
        w: start,
        size,
        rest,
    };
    for _ in 0..limits.corrections {
        look();
        if at.size <= limits.aim {
            break;
        }
        let Some(step) = correction(&at.w, &at.rest) else {
            break;
        };
        let better = (0..=limits.halvings).find_map(|halving| {
            let length = 0.5_f64.powi(halving);
            let moved = at.w.iter().zip(&step).map(|(w, dw)| w + length * dw);
            let w: Vec<f64> = moved.collect();
            let (size, rest) = residual(&w)?;
            (size < at.size).then_some(NewtonResult { w, size, rest })
        });
        let Some(better) = better else { break };
        at = better;
    }
    Some(at)
}

/// Solves [`ConstrainedMinimum`] by Newton's method on the Lagrangian, damped by an exact penalty; where that fails
/// from `start`, from a fixed sequence of states around it, and the one of least energy is taken.
///
/// # Errors
/// The closures' own at `start`; elsewhere they only shorten a correction.
pub fn minimize(problem: &ConstrainedMinimum, start: &[f64]) -> Result<Found, EvalError> {
    let near = |found| problem.beside_start(start, found);
    let first = descend(problem, start).map(near)?;
    if first.converged || !problem.free.contains(&true) {
        return Ok(first);
    }
    let restarts = (1..=RESTARTS)
        .filter_map(|k| descend(problem, &perturbed(problem, start, k)).ok())
        .map(near);
    let best = restarts
        .filter(|found| found.converged)
        .min_by(|a, b| problem.objective(&a.w).total_cmp(&problem.objective(&b.w)));
    Ok(best.unwrap_or(first))
}

/// The start moved by about its own size (or one) in a direction that depends on `k` only.
fn perturbed(problem: &ConstrainedMinimum, start: &[f64], k: u32) -> Vec<f64> {
    let size = most(start);
    let size = if size > 0.0 { size } else { 1.0 };
    let direction = |i: usize| elementary::sin(f64::from(k) * (i as f64 + 1.0) * 2.399_963 + 0.5);
    let moved = |(i, w): (usize, &f64)| match problem.free[i] {
        true => w + size * direction(i),
        false => *w,
    };
    start.iter().enumerate().map(moved).collect()
}

/// Everything known at a state.
struct Local {
    residual: Vec<f64>,
    scaled: f64,
    gradient: Vec<f64>,
    /// Of the free components only, rows x f.
    jacobian: Vec<f64>,
    rank: usize,
}

fn descend(problem: &ConstrainedMinimum, start: &[f64]) -> Result<Found, EvalError> {
    let mut w = start.to_vec();
    let mut multipliers = vec![0.0; problem.rows];
    let mut penalty = 0.0;
    let mut local = problem.local(&w)?;
    let mut iterations = 0;
    while iterations < ITERATIONS {
        look();
        iterations += 1;
        let Some((step, next)) = problem.direction(&w, &local, &multipliers) else {
            break;
        };
        penalty = f64::max(penalty, 2.0 * most(&next));
        let Some(length) = problem.damped(&w, &step, &local, penalty) else {
            break;
        };
        let before = w.clone();
        problem.advance(&mut w, &step, length);
        local = problem.local(&w)?;
        multipliers = next;
        if length == 1.0 && negligible(&before, &w) {
            break;
        }
    }
    problem.polish(&mut w, start)?;
    problem.found(w, multipliers, iterations)
}

/// The largest component.
fn most(w: &[f64]) -> f64 {
    max_norm(w.iter())
}

/// A state with components of at most `FAR` times a size: beside what the rows make of this a state farther away is
/// measured.
pub fn clamped(w: &[f64], size: f64) -> Vec<f64> {
    let limit = FAR * size;
    w.iter().map(|w| w.clamp(-limit, limit)).collect()
}

/// Whether a correction is within rounding errors of the state.
fn negligible(before: &[f64], after: &[f64]) -> bool {
    let size = most(after);
    let moved = before
        .iter()
        .zip(after)
        .fold(0.0, |size: f64, (a, b)| size.max((a - b).abs()));
    moved <= 4.0 * f64::EPSILON * size
}

impl ConstrainedMinimum<'_> {
    fn size(&self) -> usize {
        self.free.len()
    }

    fn free_indices(&self) -> Vec<usize> {
        (0..self.size()).filter(|&i| self.free[i]).collect()
    }

    /// `M w + b`.
    fn gradient(&self, w: &[f64]) -> Vec<f64> {
        let n = self.size();
        let row = |i: usize| -> f64 { (0..n).map(|j| self.metric[i * n + j] * w[j]).sum() };
        (0..n).map(|i| row(i) + self.linear[i]).collect()
    }

    /// `1/2 w.M w + b.w`.
    fn objective(&self, w: &[f64]) -> f64 {
        let gradient = self.gradient(w);
        let terms = w.iter().zip(&gradient).zip(self.linear);
        terms
            .map(|((w, gradient), b)| 0.5 * w * (gradient + b))
            .sum()
    }

    fn local(&self, w: &[f64]) -> Result<Local, EvalError> {
        let (residual, scaled) = self.rows_at(w)?;
        let (jacobian, rank) = self.jacobian_at(w)?;
        Ok(Local {
            residual,
            scaled,
            gradient: self.gradient(w),
            jacobian,
            rank,
        })
    }

    fn rows_at(&self, w: &[f64]) -> Result<(Vec<f64>, f64), EvalError> {
        let (mut rows, mut sizes) = (vec![0.0; self.rows], vec![0.0; self.rows]);
        (self.residual)(w, &mut rows, &mut sizes)?;
        let worst = |sizes: &[f64]| {
            let parts = rows.iter().zip(sizes).map(|(c, size)| scaled(*c, *size));
            parts.fold(0.0, f64::max)
        };
        let mut reached = worst(&sizes);
        if reached > SATISFIED && self.beside_state(w, &mut sizes) {
            reached = worst(&sizes);
        }
        let worst = reached;
        match rows.iter().all(|c| c.is_finite()) {
            true => Ok((rows, worst)),
            false => Err(EvalError::NotFinite {
                what: "a residual".to_owned(),
            }),
        }
    }

    /// Measures each row by the state too; false where that cannot be done.
    fn beside_state(&self, w: &[f64], sizes: &mut [f64]) -> bool {
        let n = self.size();
        let mut jacobian = vec![0.0; self.rows * n];
        let known = (self.jacobian)(w, &mut jacobian).is_ok();
        let scales = scales(self.metric, w, 0.0);
        for (size, row) in sizes.iter_mut().zip(jacobian.chunks(n.max(1))) {
            let by_state = by_state(row, &scales);
            if by_state.is_finite() {
                *size = size.max(by_state);
            }
        }
        known
    }

    fn jacobian_at(&self, w: &[f64]) -> Result<(Vec<f64>, usize), EvalError> {
        let (n, free) = (self.size(), self.free_indices());
        let mut full = vec![0.0; self.rows * n];
        (self.jacobian)(w, &mut full)?;
        if !full.iter().all(|x| x.is_finite()) {
            return Err(EvalError::NotFinite {
                what: "a derivative of the constraints".to_owned(),
            });
        }
        let rows = full.chunks_exact(n.max(1));
        let jacobian: Vec<f64> = rows.flat_map(|row| free.iter().map(|&j| row[j])).collect();
        let sizes: Vec<f64> = jacobian.iter().map(|x| x.abs()).collect();
        let rank = rank(self.rows, free.len(), &jacobian, &sizes);
        Ok((jacobian, rank.min(self.most.unwrap_or(rank))))
    }

    /// The block of the free components of an n x n matrix.
    fn free_block(&self, matrix: &[f64]) -> Vec<f64> {
        let (n, free) = (self.size(), self.free_indices());
        free.iter()
            .flat_map(|&i| free.iter().map(move |&j| matrix[i * n + j]))
            .collect()
    }

    /// Newton's correction of the free components and the new multipliers; with the metric in place of
    /// the Lagrangian's second derivatives where these lead uphill.
    fn direction(&self, w: &[f64], local: &Local, mu: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.size();
        let mut curvature = vec![0.0; n * n];
        let bent = (self.curvature)(w, mu, &mut curvature).is_ok();
        let lagrangian: Vec<f64> = self
            .metric
            .iter()
            .zip(&curvature)
            .map(|(m, c)| m - c)
            .collect();
        let newton = Some(lagrangian)
            .filter(|_| bent)
            .and_then(|hessian| self.correction(&self.free_block(&hessian), local));
        newton
            .filter(|(_, _, bending)| *bending >= 0.0)
            .or_else(|| self.correction(&self.free_block(self.metric), local))
            .map(|(step, mu, _)| (step, mu))
    }

    /// Solves `[H, J^T; J, 0] (dw, -mu) = (-g, -c)`: the correction, the multipliers and `dw.H dw`.
    fn correction(&self, hessian: &[f64], local: &Local) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let free = self.free_indices();
        let (f, order) = (free.len(), free.len() + self.rows);
        let mut right: Vec<f64> = free.iter().map(|&i| -local.gradient[i]).collect();
        right.extend(local.residual.iter().map(|c| -c));
        let mut x = vec![0.0; order];
        let dependent = (local.rank < self.rows).then_some(f + local.rank);
        let mut solve = |hessian: &[f64]| {
            let system = saddle(f, self.rows, hessian, &local.jacobian);
            let scratch = &mut Scratch::default();
            let kind = Kind::Symmetric;
            consistent(kind, order, &system, &right, &mut x, dependent, scratch).is_ok()
        };
        // Where a direction has no inertia, the rank would be made up by a row that is to count for nothing.
        let sizes: Vec<f64> = hessian.iter().map(|x| x.abs()).collect();
        let flat = dependent.is_some() && rank(f, f, hessian, &sizes) < f;
        if (flat || !solve(hessian)) && !solve(&lifted(f, hessian)) {
            return None;
        }
        let mu = x.split_off(f).iter().map(|mu| -mu).collect();
        let row = |i: usize| -> f64 { (0..f).map(|j| hessian[i * f + j] * x[j]).sum() };
        let bending = (0..f).map(|i| x[i] * row(i)).sum();
        Some((x, mu, bending))
    }

    fn advance(&self, w: &mut [f64], step: &[f64], length: f64) {
        for (&i, step) in self.free_indices().iter().zip(step) {
            w[i] += length * step;
        }
    }

    /// The objective with the violated constraints charged.
    fn merit(&self, w: &[f64], penalty: f64) -> Option<f64> {
        let (rows, _) = self.rows_at(w).ok()?;
        Some(self.objective(w) + penalty * rows.iter().map(|c| c.abs()).sum::<f64>())
    }

    /// The part of the correction to take: the first of 1, 1/2, ... by which the merit or the residual
    /// falls enough. Close to the solution, where rounding hides both, all of it.
    fn damped(&self, w: &[f64], step: &[f64], local: &Local, penalty: f64) -> Option<f64> {
        let (size, long) = (most(w), most(step));
        let merit = self.merit(w, penalty)?;
        let violation: f64 = local.residual.iter().map(|c| c.abs()).sum();
        let free = self.free_indices();
        let slope: f64 = free
            .iter()
            .zip(step)
            .map(|(&i, step)| local.gradient[i] * step)
            .sum();
        let expected = (slope - penalty * violation).min(0.0);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let mut trial = w.to_vec();
            self.advance(&mut trial, step, length);
            let reached = self.merit(&trial, penalty);
            let falls = reached.is_some_and(|reached| reached < merit + 1e-4 * length * expected);
            let near = long <= 1e-3 * size && reached.is_some() && length == 1.0;
            if falls || near {
                return Some(length);
            }
            length *= 0.5;
        }
        None
    }

    /// Corrections of the residual alone, down to rounding errors.
    fn polish(&self, w: &mut [f64], start: &[f64]) -> Result<(), EvalError> {
        let metric = self.free_block(self.metric);
        let limits = NewtonLimits {
            corrections: POLISHING,
            halvings: 0,
            aim: 0.0,
        };
        let residual = |w: &[f64]| self.rows_at(w).ok().map(|(_, worst)| (worst, ()));
        let correction = |w: &[f64], (): &()| {
            let mut local = self.local(w).ok()?;
            local.gradient.fill(0.0);
            let (step, _, _) = self.correction(&metric, &local)?;
            let mut full = vec![0.0; w.len()];
            self.advance(&mut full, &step, 1.0);
            Some(full)
        };
        if let Some(reduced) = damped_newton(w.to_vec(), limits, residual, correction) {
            w.copy_from_slice(&reduced.w);
        }
        self.polish_double(w);
        self.with_zeroed_rounding(w, start)
    }

    /// Twice Newton's corrections, which lead to a double root at once where Newton's halve the way to it: where rows
    /// touch, as `x' y' = 1` and `x' + y' = 2` do, their residual is rounding long before the state is near.
    fn polish_double(&self, w: &mut [f64]) {
        let worst = |w: &[f64]| self.rows_at(w).map_or(f64::INFINITY, |(_, worst)| worst);
        let metric = self.free_block(self.metric);
        for _ in 0..POLISHING {
            let before = worst(w);
            let Some(mut local) = self.local(w).ok().filter(|_| before > RESIDUE) else {
                return;
            };
            local.gradient.fill(0.0);
            let Some((step, _, _)) = self.correction(&metric, &local) else {
                return;
            };
            let mut doubled = w.to_vec();
            self.advance(&mut doubled, &step, 2.0);
            // Of a simple root it is as far on the other side.
            if worst(&doubled) > 0.1 * before {
                return;
            }
            w.copy_from_slice(&doubled);
        }
    }

    /// Free components within rounding errors of 0, against the largest there or at the start, become 0 if the rows
    /// then hold no worse: where nothing but 0 satisfies them, what is left of a start has no larger one beside it.
    fn with_zeroed_rounding(&self, w: &mut [f64], start: &[f64]) -> Result<(), EvalError> {
        let size = most(w).max(most(start));
        let mut trial = w.to_vec();
        for i in self.free_indices() {
            if trial[i].abs() <= 4.0 * f64::EPSILON * size {
                trial[i] = 0.0;
            }
        }
        let (_, worst) = self.rows_at(w)?;
        if self
            .rows_at(&trial)
            .is_ok_and(|(_, reached)| reached <= worst)
        {
            w.copy_from_slice(&trial);
        }
        Ok(())
    }

    fn found(&self, w: Vec<f64>, mu: Vec<f64>, iterations: usize) -> Result<Found, EvalError> {
        let local = self.local(&w)?;
        let free = self.free_indices();
        let f = free.len();
        let (mut left, mut size) = (0.0f64, 0.0f64);
        for (j, &i) in free.iter().enumerate() {
            let forces = (0..self.rows).map(|a| local.jacobian[a * f + j] * mu[a]);
            let balance = forces
                .clone()
                .fold(local.gradient[i], |sum, term| sum - term);
            left = left.max(balance.abs());
            size = forces.fold(size.max(self.terms(i, &w)), |size, term| {
                size.max(term.abs())
            });
        }
        let stationarity = if left == 0.0 {
            0.0
        } else {
            left / size.max(left)
        };
        let converged = local.scaled <= 1e-12 && stationarity <= 1e-8;
        Ok(Found {
            w,
            multipliers: mu,
            residual: local.scaled,
            stationarity,
            rank: local.rank,
            iterations,
            converged,
        })
    }

    /// A state found far away, with the residual beside what a state of the size of the start makes of the rows: rows
    /// like `exp(x') + exp(y') = 2` say nothing about velocities of -1e60, beside which any residual is rounding.
    fn beside_start(&self, start: &[f64], found: Found) -> Found {
        if found.residual > SOLVED || most(&found.w) <= FAR * most(start) {
            return found;
        }
        let near = clamped(&found.w, self.reach(start));
        let (mut rows, mut sizes) = (vec![0.0; self.rows], vec![0.0; self.rows]);
        let mut unused = vec![0.0; self.rows];
        let known = near == found.w
            || (self.residual)(&near, &mut unused, &mut sizes).is_err()
            || (self.residual)(&found.w, &mut rows, &mut unused).is_err();
        if known {
            return found;
        }
        let pairs = rows.iter().zip(&sizes);
        let residual = pairs.fold(found.residual, |worst, (c, size)| {
            worst.max(scaled(*c, *size))
        });
        let converged = found.converged && residual <= SOLVED;
        Found {
            residual,
            converged,
            ..found
        }
    }

    /// How large states are that the start and Newton's first correction speak of; 1 where they say nothing.
    fn reach(&self, start: &[f64]) -> f64 {
        let corrected = || {
            let mut local = self.local(start).ok()?;
            local.gradient.fill(0.0);
            let (step, _, _) = self.correction(&self.free_block(self.metric), &local)?;
            let mut w = start.to_vec();
            self.advance(&mut w, &step, 1.0);
            Some(most(&w)).filter(|size| size.is_finite())
        };
        match most(start).max(corrected().unwrap_or(0.0)) {
            size if size > 0.0 => size,
            _ => 1.0,
        }
    }

    /// The largest term of a component of `M w + b`.
    fn terms(&self, i: usize, w: &[f64]) -> f64 {
        let row = &self.metric[i * self.size()..(i + 1) * self.size()];
        row.iter()
            .zip(w)
            .fold(self.linear[i].abs(), |size, (m, w)| size.max((m * w).abs()))
    }
}
