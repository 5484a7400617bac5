//! States on the constraints: nearest to a given one, or satisfying further equations.

use crate::equilibria::solve::shortest;
use crate::prepared::Prepared;
use crate::scattered::scattered;
use crate::status::{scaled_residual, worst_of};
use appell_expr::{Ex, Matrix, Sketch};
use appell_flow::field::Trouble;
use appell_flow::newton::{Effort, Found, Least, least, reduce};
use appell_flow::{Interpreter, Measured, linear};
use appell_mech::function;

/// A residual above this after Newton's method means that there is no solution nearby.
pub(crate) const SOLVED: f64 = 1e-10;
/// Rows below this are left as they are.
const ROUNDING: f64 = 1e-15;
/// The square of what is left of an unknown where a solution at the tip of a cone is given up.
const TIP: f64 = 1e-12;
/// Of the trace of the normal equations, so that they are solved where rows depend on each other.
const LEAST_DAMPING: f64 = 1e-8;
/// Steps of Newton's method where nothing holds it back.
const CORRECTIONS: usize = 60;

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
    pub fn new<'g>(p: &Prepared<'g>, c: &[Ex<'g>], fixed: &[Ex<'g>], w: &[Ex<'g>]) -> Self {
        let graph = p.system.graph;
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
        let parameters = p.model.parameters.iter().map(|p| graph.ex(p.symbol));
        let variables = [p.system.t].into_iter().chain(fixed.iter().copied());
        let variables: Vec<Ex<'g>> = variables.chain(w.iter().copied()).collect();
        let plain: Vec<Ex<'g>> = variables
            .iter()
            .copied()
            .chain(parameters.clone())
            .collect();
        let weighted: Vec<Ex<'g>> = variables.into_iter().chain(mu).chain(parameters).collect();
        let compile = |inputs: &[Ex<'g>], name: &str| {
            let program = sketch.program(inputs, &[name]);
            let program = program.expect("rows are made of t, q, v, z and parameters");
            Interpreter::new(program, &p.parameters)
        };
        Self {
            residual: compile(&plain, "c"),
            jacobian: compile(&plain, "c_w"),
            curvature: compile(&weighted, "curvature"),
            count: c.len(),
        }
    }

    /// The rows at `w`, each with the size of its terms.
    pub fn residuals(&self, t: f64, w: &[f64]) -> Result<Vec<(f64, f64)>, Trouble> {
        let measured = self.residual.measured(t, w)?;
        Ok(measured.iter().map(|x| (x.value, x.size)).collect())
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
        let rows = self.residual.measured(t, &[fixed, &w].concat()).ok()?;
        (worst_of(&rows) <= SOLVED).then_some(w)
    }

    /// A solution of `c(w) = 0` by the method of Levenberg and Marquardt with the damping `|c|^2`, which
    /// converges quadratically also where rows depend on each other [yamashita2001]; `None` if it leads
    /// nowhere.
    pub fn damped_root(&self, t: f64, fixed: &[f64], start: &[f64]) -> Option<Vec<f64>> {
        let n = start.len();
        let rows_at = |w: &[f64]| self.residual.measured(t, &[fixed, w].concat()).ok();
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
            let slopes = self.jacobian.results(t, &[fixed, &w].concat()).ok()?;
            let line = |a: usize| &slopes[a * n..(a + 1) * n];
            let mut normal = vec![0.0; n * n];
            let mut right = vec![0.0; n];
            for (a, row) in rows.iter().enumerate() {
                for i in 0..n {
                    right[i] -= line(a)[i] * row.value;
                    for j in 0..n {
                        normal[i * n + j] += line(a)[i] * line(a)[j];
                    }
                }
            }
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
        (worst_of(&rows) <= SOLVED).then_some(w)
    }

    /// Minimises `1/2 w.M w + b.w` over the free components, subject to `c(w) = 0`.
    pub fn least(&self, t: f64, fixed: &[f64], goal: &Goal) -> Result<Found, Trouble> {
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
        let problem = Least {
            metric: &goal.metric,
            linear: &goal.linear,
            free: &goal.free,
            rows: self.count,
            residual: &residual,
            jacobian: &jacobian,
            curvature: &curvature,
        };
        least(&problem, &goal.start)
    }
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
}

pub(crate) fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|index| if index / n == index % n { 1.0 } else { 0.0 })
        .collect()
}

/// `phi` of every row that holds on velocity level, derivatives of holonomic ones included.
pub(crate) fn velocity_rows<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    p.constraints
        .rows
        .iter()
        .filter(|row| row.is_active())
        .filter_map(|row| row.phi)
        .collect()
}

pub(crate) fn mass_at(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Option<Vec<f64>> {
    let mass = p.measure(t, q, v)?.table(function::MASS).values();
    mass.iter().all(|x| x.is_finite()).then_some(mass)
}

/// The velocities nearest to `v` in the kinetic metric that satisfy the constraints.
pub(crate) fn project_velocities(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    free: &[bool],
) -> Option<Vec<f64>> {
    let metric = mass_at(p, t, q, v)?;
    let goal = Goal::nearest(metric, v.to_vec(), free.to_vec());
    let rows = p.rows(&velocity_rows(p), &p.system.q, &p.system.v);
    let found = rows.least(t, q, &goal).ok()?;
    (found.residual <= SOLVED).then_some(found.w)
}

/// Coordinates and velocities near the given ones that satisfy the constraints, if any are found.
pub fn nearest_on_constraints(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = p.system.n();
    let holonomic: Vec<_> = p
        .constraints
        .holonomic()
        .filter_map(|row| row.position)
        .collect();
    let mut q = q.to_vec();
    if !holonomic.is_empty() {
        let goal = Goal::nearest(mass_at(p, t, &q, v)?, q, vec![true; n]);
        let found = p
            .rows(&holonomic, &[], &p.system.q)
            .least(t, &[], &goal)
            .ok()?;
        if found.residual > SOLVED {
            return None;
        }
        q = found.w;
    }
    let v = project_velocities(p, t, &q, v, &vec![true; n])?;
    Some((q, v))
}

/// Parameters `z` with `psi(q, z, t) = v`, by Gauss and Newton's method: the branch of `near`
/// if that is given and leads anywhere, else the first found from scattered starts.
pub fn parameters_of(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    near: Option<&[f64]>,
) -> Option<Vec<f64>> {
    let m = p.constraints.parametric.as_ref()?.z.len();
    let size = v.iter().fold(1.0, |size: f64, v| size.max(v.abs()));
    let scattered_start = |trial: u32| -> Vec<f64> {
        let spread = if trial == 0 { 0.0 } else { size };
        (37 * trial..)
            .take(m)
            .map(|index| spread * scattered(index))
            .collect()
    };
    let starts = near
        .map(<[f64]>::to_vec)
        .into_iter()
        .chain((0..32).map(scattered_start));
    starts.filter_map(|z| gauss_newton(p, t, q, v, z)).next()
}

fn gauss_newton(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64], z: Vec<f64>) -> Option<Vec<f64>> {
    let m = z.len();
    let largest = |x: &[f64]| x.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    let miss = |z: &[f64]| -> Option<(f64, Vec<f64>)> {
        let psi = p.velocities(t, q, z)?;
        let rest: Vec<f64> = v.iter().zip(&psi).map(|(v, psi)| v - psi).collect();
        Some((largest(&rest), rest))
    };
    let correction = |z: &[f64], rest: &Vec<f64>| {
        let partial = p.measure_parametric(t, q, z)?.table("psi_z").values();
        let columns = |i: usize, j: usize| {
            let terms = (0..v.len()).map(|l| partial[l * m + i] * partial[l * m + j]);
            terms.sum()
        };
        let normal: Vec<f64> = (0..m * m).map(|k| columns(k / m, k % m)).collect();
        let right = |i: usize| (0..v.len()).map(|l| partial[l * m + i] * rest[l]).sum();
        let right: Vec<f64> = (0..m).map(right).collect();
        let mut step = vec![0.0; m];
        let scratch = &mut linear::Scratch::default();
        linear::lu(m, &normal, &right, &mut step, scratch).ok()?;
        Some(step)
    };
    let effort = Effort {
        corrections: CORRECTIONS,
        halvings: 29,
        aim: 0.0,
    };
    let found = reduce(z, effort, miss, correction)?;
    (found.size <= 1e-12 * largest(v).max(1.0)).then_some(found.w)
}

/// A state on the constraints that satisfies further equations, near a guess.
pub fn state_satisfying(
    p: &Prepared<'_>,
    t: f64,
    conditions: &[appell_model::Condition],
    q: &[f64],
    v: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let graph = p.system.graph;
    let n = p.system.n();
    let own = conditions
        .iter()
        .map(|condition| graph.ex(condition.difference));
    let holonomic = p.constraints.holonomic().filter_map(|row| row.position);
    // The constraints' own derivatives may vanish or fail there, so they come second.
    let equations: Vec<Ex<'_>> = own.chain(holonomic).collect();
    let unknowns: Vec<Ex<'_>> = p.system.q.iter().chain(&p.system.v).copied().collect();
    let goal = Goal::nearest(identity(2 * n), [q, v].concat(), vec![true; 2 * n]);
    let found = p
        .rows(&equations, &[], &unknowns)
        .least(t, &[], &goal)
        .ok()?;
    if found.residual > SOLVED {
        return None;
    }
    let phi = p
        .measure(t, &found.w[..n], &found.w[n..])
        .map_or(f64::INFINITY, |m| scaled_residual(&m));
    if phi <= SOLVED {
        return Some((found.w[..n].to_vec(), found.w[n..].to_vec()));
    }
    let all = [equations, velocity_rows(p)].concat();
    let goal = Goal::nearest(identity(2 * n), found.w, vec![true; 2 * n]);
    let found = p.rows(&all, &[], &unknowns).least(t, &[], &goal).ok()?;
    (found.residual <= SOLVED).then(|| (found.w[..n].to_vec(), found.w[n..].to_vec()))
}
