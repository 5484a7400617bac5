//! Equations `c(w) = 0` at fixed values of the other variables, solved by Newton's method.

mod rank;
mod starts;

use appell_expr::{Ex, Matrix, Sketch};
pub(crate) use appell_flow::newton::SOLVED;
use appell_flow::newton::{ConstrainedMinimum, Found, clamped, minimize};
use appell_flow::{Direction, Dual, EvalError, Interpreter, Measured, Parameters, linear};
use appell_mech::System;
pub(crate) use rank::independent_rows;
use rank::{DEPENDENT, least_part, of_unit_length, rank_above};

/// Rows that depend on each other hold where their relative residual is below this; the state is then known to half as many
/// digits.
const HELD: f64 = 1e-13;

/// Rows below this are left as they are.
const ROUNDING: f64 = 1e-15;
/// What a row misses at a root of others, relative to its terms, that rounding does not make up.
const MISSED: f64 = 1e-10;

/// The square of what is left of an unknown where a solution at the tip of a cone is given up.
const TIP: f64 = 1e-12;

/// Of the trace of the normal equations, so that they are solved where rows depend on each other.
const LEAST_DAMPING: f64 = 1e-8;

/// The part of what a row has to change by that may be rounding.
const RESOLVED: f64 = 1e-3;

/// The part of an objective by which it has to be less.
const CLEARLY: f64 = 1e-9;

/// Steps of Newton's method where nothing holds it back.
pub(crate) const CORRECTIONS: usize = 60;

/// Rows `c(w) = 0` with their derivatives, and values for the inputs that stay fixed.
pub(crate) struct Rows {
    /// Outputs `c`, `c_w`, and `Sum mu_a d2 c_a/dw dw`; inputs `t, fixed, w, mu, parameters`.
    residual: Interpreter,
    jacobian: Interpreter,
    curvature: Interpreter,
    count: usize,
}

impl Rows {
    /// Compiles the rows `c` as functions of `w`, with `fixed` inputs before it.
    pub fn new<'g>(
        system: &System<'g>,
        parameters: &Parameters,
        c: &[Ex<'g>],
        fixed: &[Ex<'g>],
        w: &[Ex<'g>],
    ) -> Self {
        let graph = system.graph;
        let mu: Vec<Ex<'g>> = (0..c.len())
            .map(|a| graph.symbol(&format!("mu[{a}]")))
            .collect();
        let jacobian = Matrix::jacobian(graph, c, w);
        let lagrangian = Matrix::column(graph, c.to_vec()).dot(&Matrix::column(graph, mu.clone()));
        let gradient: Vec<Ex<'g>> = w.iter().map(|w| lagrangian.diff(*w)).collect();
        let mut sketch = Sketch::new(graph);
        sketch.output_list("c", c);
        sketch.output("c_w", jacobian);
        sketch.output("curvature", Matrix::jacobian(graph, &gradient, w));
        let symbols = system.model.parameters.iter().map(|p| graph.ex(p.symbol));
        let variables = [system.t].into_iter().chain(fixed.iter().copied());
        let variables: Vec<Ex<'g>> = variables.chain(w.iter().copied()).collect();
        let plain: Vec<Ex<'g>> = variables.iter().copied().chain(symbols.clone()).collect();
        let weighted: Vec<Ex<'g>> = variables.into_iter().chain(mu).chain(symbols).collect();
        let compile = |inputs: &[Ex<'g>], name: &str| {
            let program = sketch.program(inputs, &[name]);
            let program = program.expect("rows are made of t, q, v, z and parameters");
            Interpreter::new(program, parameters)
        };
        Self {
            residual: compile(&plain, "c"),
            jacobian: compile(&plain, "c_w"),
            curvature: compile(&weighted, "curvature"),
            count: c.len(),
        }
    }

    /// The same for other values of the parameters.
    pub fn with_parameters(&self, parameters: &Parameters) -> Self {
        let other = |interpreter: &Interpreter| interpreter.with_parameters(parameters.clone());
        Self {
            residual: other(&self.residual),
            jacobian: other(&self.jacobian),
            curvature: other(&self.curvature),
            count: self.count,
        }
    }

    /// The rows at `w`, each with the size of its terms.
    pub fn residuals(&self, t: f64, w: &[f64]) -> Result<Vec<(f64, f64)>, EvalError> {
        let measured = self.residual.measured(t, w)?;
        Ok(measured.iter().map(|x| (x.value, x.size)).collect())
    }

    /// Whether some of these rows are missed at a root of others, by more than it is rounded by; `None` where it is not
    /// known to nearly all digits.
    pub fn misses(&self, others: &Self, t: f64, fixed: &[f64], root: &[f64]) -> Option<bool> {
        let is_known = others.are_held(t, fixed, root);
        let rows = self.residuals(t, &[fixed, root].concat()).ok()?;
        is_known.then(|| rows.iter().any(|(x, size)| x.abs() > MISSED * size))
    }

    /// Whether the rows hold to nearly all digits.
    pub fn are_held(&self, t: f64, fixed: &[f64], root: &[f64]) -> bool {
        let worst = self.worst(t, fixed, root);
        worst.is_some_and(|worst| worst <= HELD)
    }

    /// The largest row at `w` relative to its terms, see [`worst_of`]; `None` where one has no value.
    pub fn worst(&self, t: f64, fixed: &[f64], w: &[f64]) -> Option<f64> {
        let rows = self.residual.measured(t, &[fixed, w].concat()).ok()?;
        Some(worst_of(&rows))
    }

    /// Which rows change at a solution by hardly anything, that is less than `part` of their terms, where the unknowns do by
    /// their size, though by something.
    pub fn flat(&self, t: f64, fixed: &[f64], w: &[f64], part: f64) -> Vec<bool> {
        let at = [fixed, w].concat();
        let found = self.residual.measured(t, &at).ok();
        let Some((rows, slopes)) = found.zip(self.jacobian.results(t, &at).ok()) else {
            return vec![false; self.count];
        };
        let largest = |x: &[f64]| linear::max_norm(x.iter());
        let lines = slopes.chunks(w.len().max(1)).map(largest);
        let is_flat =
            |(row, slope): (&Measured, f64)| slope > 0.0 && slope * largest(w) <= part * row.size;
        rows.iter().zip(lines).map(is_flat).collect()
    }

    /// The rank of the rows at a solution, where only some unknowns may change.
    pub fn rank(&self, t: f64, fixed: &[f64], w: &[f64], free: &[bool]) -> Option<usize> {
        let mut slopes = self.jacobian.results(t, &[fixed, w].concat()).ok()?;
        for row in slopes.chunks_mut(w.len().max(1)) {
            let held = row.iter_mut().zip(free).filter(|(_, free)| !**free);
            held.for_each(|(slope, _)| *slope = 0.0);
        }
        Some(independent_rows(self.count, &slopes, ROUNDING))
    }

    /// The derivatives by the unknowns, row by row.
    pub fn slopes(&self, t: f64, fixed: &[f64], w: &[f64]) -> Option<Vec<f64>> {
        self.jacobian.results(t, &[fixed, w].concat()).ok()
    }

    /// A solution of `c(w) = 0` by Newton's method with the shortest corrections; `None` if it leads nowhere.
    pub fn root(&self, t: f64, fixed: &[f64], start: &[f64]) -> Option<Vec<f64>> {
        let mut w = start.to_vec();
        for _ in 0..CORRECTIONS {
            let at = [fixed, &w].concat();
            let rows = self.residual.measured(t, &at).ok()?;
            if worst_of(&rows) <= ROUNDING {
                break;
            }
            let c: Vec<f64> = rows.iter().map(|x| x.value).collect();
            let step = shortest(w.len(), &c, &self.jacobian.results(t, &at).ok()?)?;
            w.iter_mut().zip(step).for_each(|(w, dw)| *w += dw);
        }
        (self.worst(t, fixed, &w)? <= SOLVED).then_some(w)
    }

    /// A solution of `c(w) = 0` by the method of Levenberg and Marquardt with the damping `|c|^2`, which
    /// converges quadratically also where rows depend on each other [yamashita2001]; `None` if it leads
    /// nowhere.
    pub fn damped_root(&self, t: f64, fixed: &[f64], start: &[f64]) -> Option<Vec<f64>> {
        self.damped(t, fixed, start, &vec![1.0; self.count])
    }

    /// The same with what has become tiny beside `size` put to 0: a row `x = 0` holds at no other number beside its terms.
    pub fn damped_root_with_zeros(
        &self,
        t: f64,
        fixed: &[f64],
        start: &[f64],
        size: f64,
    ) -> Option<Vec<f64>> {
        let (mut w, _) = self.descended(t, fixed, start, &vec![1.0; self.count])?;
        let tiny = w.iter_mut().filter(|x| x.abs() <= ROUNDING * size);
        tiny.for_each(|x| *x = 0.0);
        (self.worst(t, fixed, &w)? <= SOLVED).then_some(w)
    }

    /// The same with each row in units in which its derivatives have length 1 at the start: factors before rows are
    /// no matter.
    pub fn scaled_root(&self, t: f64, fixed: &[f64], start: &[f64]) -> Option<Vec<f64>> {
        let slopes = self.jacobian.results(t, &[fixed, start].concat()).ok()?;
        let lengths = slopes
            .chunks(start.len().max(1))
            .map(|row| linear::square(row).sqrt());
        let weight = |length: f64| match length > 0.0 {
            true => length.recip(),
            false => 1.0,
        };
        let weights: Vec<f64> = lengths.map(weight).collect();
        let (w, _) = self.descended(t, fixed, start, &weights)?;
        // The tip of a cone is near to all that start beside it.
        let is_tip = linear::square(&w) <= TIP * linear::square(start);
        let is_near = !is_tip && self.distance(t, fixed, &w, start)? <= SOLVED;
        is_near.then_some(w)
    }

    fn damped(&self, t: f64, fixed: &[f64], start: &[f64], weights: &[f64]) -> Option<Vec<f64>> {
        let (w, worst) = self.descended(t, fixed, start, weights)?;
        (worst <= SOLVED).then_some(w)
    }

    /// The largest row beside its terms, or beside what it changes by where the unknowns do by their sizes, at `w` or at
    /// `start`: a sine that is all of a row is never small beside itself.
    pub fn distance(&self, t: f64, fixed: &[f64], w: &[f64], start: &[f64]) -> Option<f64> {
        let at = [fixed, w].concat();
        let mut rows = self.residual.measured(t, &at).ok()?;
        let slopes = self.jacobian.results(t, &at).ok()?;
        let sizes = std::iter::zip(w, start).map(|(w, s)| w.abs().max(s.abs()));
        let sizes: Vec<f64> = sizes.collect();
        let lines = slopes.chunks(w.len().max(1));
        for (row, slopes) in std::iter::zip(&mut rows, lines) {
            let terms = std::iter::zip(slopes, &sizes);
            let change: f64 = terms.map(|(slope, size)| slope.abs() * size).sum();
            row.size = row.size.max(change);
        }
        Some(worst_of(&rows))
    }

    /// Where the method ends, and the largest row there beside its terms.
    fn descended(
        &self,
        t: f64,
        fixed: &[f64],
        start: &[f64],
        weights: &[f64],
    ) -> Option<(Vec<f64>, f64)> {
        let n = start.len();
        let rows_at = |w: &[f64]| {
            let mut rows = self.residual.measured(t, &[fixed, w].concat()).ok()?;
            for (row, weight) in rows.iter_mut().zip(weights) {
                row.value *= weight;
                row.size *= weight;
            }
            Some(rows)
        };
        let square = |rows: &[Measured]| rows.iter().map(|x| x.value * x.value).sum::<f64>();
        let (mut w, mut factor) = (start.to_vec(), 1.0);
        let mut rows = rows_at(&w)?;
        let tip = start.iter().map(|w| w * w).sum::<f64>();
        for _ in 0..2 * CORRECTIONS {
            let now = square(&rows);
            let size = w.iter().map(|w| w * w).sum::<f64>();
            // The tip of a cone is no solution in general position.
            if worst_of(&rows) <= ROUNDING || now == 0.0 || size < TIP * tip {
                break;
            }
            let mut slopes = self.jacobian.results(t, &[fixed, &w].concat()).ok()?;
            for (row, weight) in slopes.chunks_mut(n.max(1)).zip(weights) {
                row.iter_mut().for_each(|x| *x *= weight);
            }
            let (mut normal, right) = normal_equations(n, &slopes, &rows);
            let trace: f64 = (0..n).map(|i| normal[i * (n + 1)]).sum();
            let damping = factor * now + LEAST_DAMPING * trace;
            (0..n).for_each(|i| normal[i * (n + 1)] += damping);
            let mut step = vec![0.0; n];
            let scratch = &mut linear::Scratch::default();
            if linear::lu(n, &normal, &right, &mut step, scratch).is_err() {
                break;
            }
            let moved: Vec<f64> = w.iter().zip(&step).map(|(w, dw)| w + dw).collect();
            match rows_at(&moved).filter(|rows| square(rows) < now) {
                Some(better) => {
                    (w, rows) = (moved, better);
                    factor = f64::max(factor / 4.0, 1e-3);
                }
                None if factor < 1e12 => factor *= 8.0,
                None => break,
            }
        }
        Some((w, worst_of(&rows)))
    }

    /// Whether rows hold at a root by more than rounding: at velocities of 1e48, `x' + y' = 1` and
    /// `x' + y' = 2` seem to hold both, and so does `sin(y') = 2`. Those that are affine between `near` and the root are
    /// measured by what changes on the way, others by their terms at states of the size of `near`.
    pub fn is_resolved(&self, t: f64, fixed: &[f64], near: &[f64], root: &[f64]) -> bool {
        let at = |w: &[f64]| [fixed, w].concat();
        let slopes = |w: &[f64]| self.jacobian.results(t, &at(w)).ok();
        let rows = |w: &[f64]| self.residual.measured(t, &at(w)).ok();
        let within = within(near, root);
        let Some(last) = rows(root) else {
            return true;
        };
        let first = rows(near).zip(slopes(near).zip(slopes(root)));
        let usual = rows(&within);
        let n = near.len();
        (0..self.count).all(|row| {
            let range = row * n..(row + 1) * n;
            let affine = first
                .as_ref()
                .filter(|(_, (here, there))| here[range.clone()] == there[range]);
            let miss = last[row].value.abs();
            match (affine, &usual) {
                (Some((first, _)), _) => {
                    let change = first[row].value.abs();
                    let noise = miss.max(f64::EPSILON * last[row].size);
                    let held = change <= f64::EPSILON * first[row].size;
                    held && miss <= HELD * last[row].size || noise <= RESOLVED * change
                }
                (None, Some(usual)) => miss <= SOLVED * usual[row].size,
                (None, None) => true,
            }
        })
    }

    /// Minimises `1/2 w.M w + b.w` over the free components, subject to `c(w) = 0`.
    pub fn minimize(&self, t: f64, fixed: &[f64], goal: &Goal) -> Result<Found, EvalError> {
        self.least_of_rank(t, fixed, goal, None)
    }

    /// The same; where it leads nowhere, or to a state that is not the nearest since rows depend on each other
    /// where they hold, along the states where they hold, or once more with the rank that they have there.
    pub fn minimize_or(
        &self,
        t: f64,
        fixed: &[f64],
        goal: &Goal,
        most: impl FnOnce() -> Option<usize>,
    ) -> Result<Found, EvalError> {
        let first = self.minimize(t, fixed, goal);
        let along = || {
            let found = self.least_along(t, fixed, goal);
            found.filter(|found| self.is_resolved(t, fixed, &goal.start, &found.w))
        };
        let lower = || {
            let most = most().filter(|most| *most < self.count)?;
            let found = self.least_of_rank(t, fixed, goal, Some(most)).ok()?;
            (found.residual <= SOLVED).then_some(found)
        };
        if let Some(found) = first.as_ref().ok().filter(|found| found.residual <= SOLVED) {
            let other = match self.strays(t, fixed, goal, found) {
                true => along().or_else(lower),
                false => None,
            };
            // A little off the rows there may be less.
            let exact = found.residual.max(HELD);
            return other
                .filter(|other| other.residual <= exact && goal.is_clearly_less(&other.w, &found.w))
                .map_or(first, Ok);
        }
        match lower() {
            Some(found) if !self.strays(t, fixed, goal, &found) => Ok(found),
            lower => match (along(), lower) {
                (Some(along), Some(found)) if !goal.is_clearly_less(&along.w, &found.w) => {
                    Ok(found)
                }
                (Some(found), _) | (None, Some(found)) => Ok(found),
                (None, None) => first,
            },
        }
    }

    /// Whether rows depend on each other at a solution more than they were taken to, or a direction that they leave
    /// free leads to less.
    fn strays(&self, t: f64, fixed: &[f64], goal: &Goal, found: &Found) -> bool {
        let slopes = self.jacobian.results(t, &[fixed, &found.w].concat());
        let Ok(slopes) = slopes else { return false };
        let tangent = Tangent::new(self.count, &slopes, found.residual);
        tangent.rank < self.count && (found.rank > tangent.rank || tangent.leads_on(goal, &found.w))
    }

    /// The least along the states where rows hold that depend on each other there: from one of them, found by
    /// damped steps, by Newton's method in the directions that the rows leave free, each step followed by damped
    /// ones. `None` where the rows are independent there, some components are not free, or it leads nowhere.
    fn least_along(&self, t: f64, fixed: &[f64], goal: &Goal) -> Option<Found> {
        if !goal.free.iter().all(|free| *free) {
            return None;
        }
        let mut w = self.scaled_root(t, fixed, &goal.start)?;
        for iterations in 0..CORRECTIONS {
            let at = [fixed, &w].concat();
            let residual = worst_of(&self.residual.measured(t, &at).ok()?);
            let slopes = self.jacobian.results(t, &at).ok()?;
            let tangent = Tangent::new(self.count, &slopes, residual);
            if tangent.rank == self.count {
                return None;
            }
            let (gradient, terms) = goal.gradient(&w);
            let multipliers = multipliers(&gradient, &slopes);
            let left = tangent.along(&gradient);
            let better = (left > LEAST * terms).then(|| {
                let mut curvature = vec![0.0; w.len() * w.len()];
                if let Ok(found) = self.curvature.results(t, &[&at[..], &multipliers].concat()) {
                    curvature = found;
                }
                let step = tangent.step(goal, &gradient, &curvature)?;
                self.shorter(t, fixed, goal, &w, &step)
            });
            match better.flatten() {
                Some(better) => w = better,
                None => {
                    return Some(Found {
                        residual,
                        stationarity: left / terms.max(left).max(f64::MIN_POSITIVE),
                        rank: tangent.rank,
                        converged: left <= STATIONARY * terms,
                        w,
                        multipliers,
                        iterations,
                    });
                }
            }
        }
        None
    }

    /// The first of a step, its half, its quarter and so on after which the objective is less where the rows hold.
    fn shorter(
        &self,
        t: f64,
        fixed: &[f64],
        goal: &Goal,
        w: &[f64],
        step: &[f64],
    ) -> Option<Vec<f64>> {
        let now = goal.objective(w);
        (0..HALVINGS).find_map(|halving| {
            let length = 0.5f64.powi(halving);
            let moved: Vec<f64> = w.iter().zip(step).map(|(w, dw)| w + length * dw).collect();
            let moved = self.scaled_root(t, fixed, &moved)?;
            (goal.objective(&moved) < now).then_some(moved)
        })
    }

    /// How the state `w` of [`Rows::minimize`] moves to first order where what is `fixed` and the parameters change, and
    /// rows are to be `e` instead of 0: with the multipliers `mu` of `M w + b = J^T mu`,
    /// `(M - Sum mu_a d2c_a/dw dw) dw - J^T dmu = dJ^T mu - d(M w + b)` and `J dw = e - dc`.
    ///
    /// Where `w` is not that of least energy, the least change by the metric. `None` where the rows contradict each
    /// other.
    pub fn moved(
        &self,
        t: f64,
        fixed: &[f64],
        goal: &Goal,
        change: &Change<'_>,
    ) -> Option<Vec<f64>> {
        let (n, rows) = (goal.start.len(), self.count);
        let at = [fixed, &goal.start].concat();
        let along = [change.fixed, &vec![0.0; n]].concat();
        let slopes = self.jacobian.results(t, &at).ok()?;
        let duals = |program: &Interpreter| -> Option<Vec<f64>> {
            let moved = program
                .duals_along(t, &at, &along, change.direction, None)
                .ok()?;
            Some(moved.iter().map(|x: &Dual| x.along(0)).collect())
        };
        let (drift, bend) = (duals(&self.residual)?, duals(&self.jacobian)?);
        let nothing = vec![0.0; rows];
        // Where the rows determine the state, what is least does not matter.
        let gradient = goal.gradient(&goal.start).0;
        let balance = bordered(&identity(n), &slopes, &gradient, &nothing)?;
        let (left, mu) = balance.split_at(n);
        let (mut hessian, mut right) = (goal.metric.clone(), vec![0.0; n]);
        if linear::square(left) <= BALANCED * linear::square(&gradient) {
            let curvature = self.curvature.results(t, &[&at[..], mu].concat()).ok()?;
            hessian
                .iter_mut()
                .zip(&curvature)
                .for_each(|(m, c)| *m -= c);
            let turned = |i: usize| (0..rows).map(|a| bend[a * n + i] * mu[a]).sum::<f64>();
            (0..n).for_each(|i| right[i] = turned(i) - change.gradient[i]);
        }
        let wanted: Vec<f64> = (0..rows).map(|a| change.rows[a] - drift[a]).collect();
        let mut moved = bordered(&hessian, &slopes, &right, &wanted)?;
        moved.truncate(n);
        Some(moved)
    }

    /// As [`Rows::minimize`], the rows having this rank where they hold.
    pub fn least_of_rank(
        &self,
        t: f64,
        fixed: &[f64],
        goal: &Goal,
        most: Option<usize>,
    ) -> Result<Found, EvalError> {
        let residual = |w: &[f64], rows: &mut [f64], sizes: &mut [f64]| {
            let measured = self.residual.measured(t, &[fixed, w].concat())?;
            for (i, x) in measured.iter().enumerate() {
                (rows[i], sizes[i]) = (x.value, x.size);
            }
            Ok(())
        };
        let jacobian = |w: &[f64], out: &mut [f64]| {
            out.copy_from_slice(&self.jacobian.results(t, &[fixed, w].concat())?);
            Ok(())
        };
        let curvature = |w: &[f64], mu: &[f64], out: &mut [f64]| {
            out.copy_from_slice(&self.curvature.results(t, &[fixed, w, mu].concat())?);
            Ok(())
        };
        let problem = ConstrainedMinimum {
            metric: &goal.metric,
            linear: &goal.linear,
            free: &goal.free,
            rows: self.count,
            most,
            residual: &residual,
            jacobian: &jacobian,
            curvature: &curvature,
        };
        minimize(&problem, &goal.start)
    }
}

/// What changes around a state of least energy.
pub(crate) struct Change<'a> {
    /// The changes of the fixed inputs.
    pub fixed: &'a [f64],
    /// Those of the parameters.
    pub direction: &'a Direction,
    /// The change of `M w + b` by both, at fixed `w`.
    pub gradient: &'a [f64],
    /// What the rows are to become.
    pub rows: &'a [f64],
}

/// `x` and `y` of `H x + J^T y = a`, `J x = b`, of least norm where they are not unique; `None` where there are none.
fn bordered(h: &[f64], j: &[f64], a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let order = a.len() + b.len();
    let system = linear::saddle(a.len(), b.len(), h, j);
    let right = [a, b].concat();
    let mut x = vec![0.0; order];
    let scratch = &mut linear::Scratch::default();
    let kind = linear::Kind::Symmetric;
    let solved = linear::consistent(kind, order, &system, &right, &mut x, None, scratch);
    solved.is_ok().then_some(x)
}

/// What is to be least, over which components, starting where.
pub(crate) struct Goal {
    pub metric: Vec<f64>,
    pub linear: Vec<f64>,
    pub free: Vec<bool>,
    pub start: Vec<f64>,
}

impl Goal {
    /// Nearest to `start` in the metric, `b = -M start`.
    pub fn nearest(metric: Vec<f64>, start: Vec<f64>, free: Vec<bool>) -> Self {
        let n = start.len();
        let row = |i: usize| (0..n).map(|j| metric[i * n + j] * start[j]).sum::<f64>();
        let linear = (0..n).map(|i| -row(i)).collect();
        Self {
            metric,
            linear,
            free,
            start,
        }
    }

    /// `M w + b`, and its largest term.
    fn gradient(&self, w: &[f64]) -> (Vec<f64>, f64) {
        let n = w.len();
        let mut terms = self
            .linear
            .iter()
            .fold(0.0, |most: f64, b| most.max(b.abs()));
        let mut row = |i: usize| {
            let products = (0..n).map(|j| self.metric[i * n + j] * w[j]);
            products.fold(self.linear[i], |sum, x| {
                terms = terms.max(x.abs());
                sum + x
            })
        };
        let gradient = (0..n).map(&mut row).collect();
        (gradient, terms)
    }

    /// Whether the objective is less at one solution by more than rounding: where rows depend on each other
    /// solutions are known to half their digits, and another one is no gain.
    pub fn is_clearly_less(&self, one: &[f64], other: &[f64]) -> bool {
        let [one, other] = [one, other].map(|w| self.objective(w));
        other - one > CLEARLY * (one.abs() + other.abs())
    }

    /// `1/2 w.M w + b.w`, but for a constant and the rounding of large terms: from the start on.
    fn objective(&self, w: &[f64]) -> f64 {
        let from = self.gradient(&self.start).0;
        let moved: Vec<f64> = w
            .iter()
            .zip(&self.start)
            .map(|(w, start)| w - start)
            .collect();
        let n = w.len();
        let row = |i: usize| {
            (0..n)
                .map(|j| self.metric[i * n + j] * moved[j])
                .sum::<f64>()
        };
        (0..n).map(|i| moved[i] * (from[i] + 0.5 * row(i))).sum()
    }
}

/// The directions that rows leave free at a state where they hold.
struct Tangent {
    /// The rank of the rows there.
    rank: usize,
    /// An orthonormal basis.
    free: Vec<Vec<f64>>,
}

impl Tangent {
    /// Of rows that are satisfied to `residual`, relative to their terms: so many digits of the state are known,
    /// but only half as many where rows depend on each other.
    fn new(count: usize, slopes: &[f64], residual: f64) -> Self {
        let n = slopes.len() / count.max(1);
        let rows = of_unit_length(n, slopes);
        let rank = rank_above(count, &rows, least_part(residual));
        let sizes: Vec<f64> = rows.iter().map(|x| x.abs()).collect();
        let free = linear::null_space(Some(rank), count, n, &rows, &sizes);
        Self { rank, free }
    }

    /// The largest component of a vector along them.
    fn along(&self, x: &[f64]) -> f64 {
        let parts = self.free.iter().map(|free| linear::dot(free, x).abs());
        parts.fold(0.0, f64::max)
    }

    /// Whether the objective is less some way along them; inertias may differ by many orders, so the way counts.
    fn leads_on(&self, goal: &Goal, w: &[f64]) -> bool {
        let (gradient, terms) = goal.gradient(w);
        let largest = |x: &[f64]| linear::max_norm(x.iter());
        match self.step(goal, &gradient, &vec![0.0; w.len() * w.len()]) {
            Some(step) => largest(&step) > STATIONARY * largest(w),
            None => self.along(&gradient) > STATIONARY * terms,
        }
    }

    /// Newton's step of the objective along them, with the metric alone where the curvature leads uphill.
    fn step(&self, goal: &Goal, gradient: &[f64], curvature: &[f64]) -> Option<Vec<f64>> {
        let (n, m) = (gradient.len(), self.free.len());
        let right: Vec<f64> = self
            .free
            .iter()
            .map(|free| -linear::dot(free, gradient))
            .collect();
        let solve = |matrix: &[f64]| {
            let times = |x: &Vec<f64>| -> Vec<f64> {
                (0..n)
                    .map(|i| linear::dot(&matrix[i * n..(i + 1) * n], x))
                    .collect()
            };
            let products: Vec<Vec<f64>> = self.free.iter().map(times).collect();
            let gram: Vec<f64> = (0..m * m)
                .map(|k| linear::dot(&self.free[k / m], &products[k % m]))
                .collect();
            let mut y = vec![0.0; m];
            let scratch = &mut linear::Scratch::default();
            // Directions without inertia along which nothing is gained or lost: not moved.
            linear::consistent(
                linear::Kind::Symmetric,
                m,
                &gram,
                &right,
                &mut y,
                None,
                scratch,
            )
            .ok()?;
            (linear::dot(&y, &right) > 0.0).then_some(y)
        };
        let bent: Vec<f64> = goal
            .metric
            .iter()
            .zip(curvature)
            .map(|(m, c)| m - c)
            .collect();
        let y = solve(&bent).or_else(|| solve(&goal.metric))?;
        let entry = |i: usize| self.free.iter().zip(&y).map(|(free, y)| free[i] * y).sum();
        Some((0..n).map(entry).collect())
    }
}

/// `J^T J` and `-J^T c`.
fn normal_equations(n: usize, slopes: &[f64], rows: &[Measured]) -> (Vec<f64>, Vec<f64>) {
    let (mut normal, mut right) = (vec![0.0; n * n], vec![0.0; n]);
    for (line, row) in slopes.chunks(n.max(1)).zip(rows) {
        for i in 0..n {
            right[i] -= line[i] * row.value;
            for j in 0..n {
                normal[i * n + j] += line[i] * line[j];
            }
        }
    }
    (normal, right)
}

/// What is left of a gradient beside its terms at a state that is the nearest.
const STATIONARY: f64 = 1e-8;
/// The square of what is left of a gradient, against its own, where a state is that of least energy.
const BALANCED: f64 = 1e-12;
/// The same where there is nothing to be gained.
const LEAST: f64 = 1e-15;
/// How often a step is halved.
const HALVINGS: i32 = 20;

/// Multipliers with `J^T mu` nearest to a gradient; zeros where they cannot be found.
fn multipliers(gradient: &[f64], slopes: &[f64]) -> Vec<f64> {
    let n = gradient.len().max(1);
    let (rows, count) = (of_unit_length(n, slopes), slopes.len() / n);
    let row = |a: usize| &rows[a * n..(a + 1) * n];
    let mut gram: Vec<f64> = (0..count * count)
        .map(|k| linear::dot(row(k / count), row(k % count)))
        .collect();
    for diagonal in gram.iter_mut().step_by(count + 1) {
        *diagonal = if *diagonal > 0.0 {
            1.0 + DEPENDENT
        } else {
            1.0
        };
    }
    let right: Vec<f64> = (0..count).map(|a| linear::dot(row(a), gradient)).collect();
    let mut mu = vec![0.0; count];
    let scratch = &mut linear::Scratch::default();
    if linear::lu(count, &gram, &right, &mut mu, scratch).is_err() {
        return vec![0.0; count];
    }
    let lengths = slopes.chunks(n).map(|row| linear::square(row).sqrt());
    let scaled = mu.iter().zip(lengths);
    scaled
        .map(|(mu, length)| if length > 0.0 { mu / length } else { 0.0 })
        .collect()
}

pub(crate) fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|index| if index / n == index % n { 1.0 } else { 0.0 })
        .collect()
}

/// Keeps `J J^T` regular where rows depend on each other.
const RIDGE: f64 = 1e-9;

/// `-J^T (J J^T)^-1 c`, each row of `J`, of length n, scaled to length 1: the shortest correction.
pub(crate) fn shortest(n: usize, c: &[f64], slopes: &[f64]) -> Option<Vec<f64>> {
    let row = |i: usize| &slopes[i * n..(i + 1) * n];
    let length = |i: &usize| linear::square(row(*i)).sqrt();
    let rows: Vec<usize> = (0..c.len()).filter(|i| length(i) > 0.0).collect();
    let (k, lengths): (usize, Vec<f64>) = (rows.len(), rows.iter().map(length).collect());
    let product = |index: usize| -> f64 {
        let (a, b) = (index / k, index % k);
        let pairs = row(rows[a]).iter().zip(row(rows[b]));
        pairs.map(|(x, y)| x * y).sum::<f64>() / (lengths[a] * lengths[b])
    };
    let mut gram: Vec<f64> = (0..k * k).map(product).collect();
    (0..k).for_each(|i| gram[i * (k + 1)] += RIDGE);
    let right: Vec<f64> = rows
        .iter()
        .zip(&lengths)
        .map(|(i, length)| c[*i] / length)
        .collect();
    let mut y = vec![0.0; k];
    linear::ldlt_regularised(k, &gram, &right, &mut y, &mut linear::Scratch::default()).ok()?;
    let entry = |j: usize| -> f64 {
        let terms = rows.iter().zip(&lengths).zip(&y);
        terms.map(|((i, length), y)| -row(*i)[j] / length * y).sum()
    };
    let step: Vec<f64> = (0..n).map(entry).collect();
    step.iter().all(|x| x.is_finite()).then_some(step)
}

/// The largest of some residuals, each relative to its terms; NaN if one is, infinite if its terms are.
pub fn worst_of(rows: &[Measured]) -> f64 {
    let scaled = |x: &Measured| match (x.value == 0.0, x.size == f64::INFINITY) {
        (true, _) => 0.0,
        (false, true) => f64::INFINITY,
        (false, false) => x.value.abs() / x.size,
    };
    rows.iter().map(scaled).fold(
        0.0,
        |worst, x| if x.is_nan() { x } else { f64::max(worst, x) },
    )
}

/// `w` with every component limited to the size of the largest of `near`.
fn within(near: &[f64], w: &[f64]) -> Vec<f64> {
    let most = linear::max_norm(near.iter());
    clamped(w, if most > 0.0 { most } else { 1.0 })
}
