//! States on the constraints: nearest to a given one, or satisfying further equations.

use crate::states::ranks::{exact, of_positions};
use crate::states::residuals::{scaled_residual, velocity_rows};
use crate::values::prepared::Prepared;
use crate::values::rows::{CORRECTIONS, Goal, SOLVED, identity};
use crate::values::scattered::scattered;
use crate::values::several::{are_nonlinear, least_of_several};
use appell_expr::Ex;
use appell_flow::linear;
use appell_flow::newton::{NewtonLimits, damped_newton};
use appell_mech::Parametrisation;

/// A state that satisfies rows to this part of their terms does so but for rounding.
const HELD: f64 = 1e-13;

pub(crate) fn mass_at(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Option<Vec<f64>> {
    let mass = p.mass_matrix(t, q, v)?;
    mass.iter().all(|x| x.is_finite()).then_some(mass)
}

/// Whether one velocity is clearly nearer to the wanted one in the kinetic metric than another.
pub(crate) fn is_nearer(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    wanted: &[f64],
    pair: [&[f64]; 2],
) -> bool {
    let Some(mass) = mass_at(p, t, q, wanted) else {
        return false;
    };
    let goal = Goal::nearest(mass, wanted.to_vec(), vec![true; wanted.len()]);
    goal.is_clearly_less(pair[0], pair[1])
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
    let most = || Some(exact(p)?.a);
    let found = rows.minimize_or(t, q, &goal, most).ok()?;
    (found.residual <= SOLVED).then_some(found.w)
}

/// The same; on rows that are not linear the nearest of several, as far as scattered starts lead to them.
pub(crate) fn nearest_velocities(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    free: &[bool],
) -> Option<Vec<f64>> {
    let goal = Goal::nearest(mass_at(p, t, q, v)?, v.to_vec(), free.to_vec());
    let expressions = velocity_rows(p);
    let rows = p.rows(&expressions, &p.system.q, &p.system.v);
    let most = || Some(exact(p)?.a);
    let first = rows.minimize_or(t, q, &goal, most).ok()?;
    let found = match first.residual <= SOLVED && are_nonlinear(&expressions, &p.system.v) {
        true => least_of_several(&rows, (t, q), &goal, first, most).0,
        false => first,
    };
    (found.residual <= SOLVED).then_some(found.w)
}

/// Coordinates and velocities near the given ones that satisfy the constraints, if any are found.
pub fn nearest_on_constraints(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let q = nearest_positions(p, t, q, v)?;
    let v = project_velocities(p, t, &q, v, &vec![true; p.system.n()])?;
    Some((q, v))
}

/// Coordinates near the given ones that satisfy the holonomic constraints, if any are found.
pub(crate) fn nearest_positions(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Option<Vec<f64>> {
    let holonomic: Vec<_> = p.constraints.positions().collect();
    if holonomic.is_empty() {
        return Some(q.to_vec());
    }
    let goal = Goal::nearest(mass_at(p, t, q, v)?, q.to_vec(), vec![true; p.system.n()]);
    let rows = p.rows(&holonomic, &[], &p.system.q);
    let found = rows.minimize_or(t, &[], &goal, || of_positions(p)).ok()?;
    (found.residual <= SOLVED).then_some(found.w)
}

/// The same where the holonomic and all rows are known to have these ranks nearby; only where they then hold to
/// rounding. Rows that are dependent where they hold look independent beside it.
pub(crate) fn nearest_of_rank(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
    (positions, rows): (usize, usize),
) -> Option<(Vec<f64>, Vec<f64>)> {
    let free = vec![true; p.system.n()];
    let mut q = q.to_vec();
    let holonomic = p.constraints.holonomic().filter_map(|row| row.position);
    let holonomic: Vec<_> = holonomic.collect();
    if !holonomic.is_empty() {
        let goal = Goal::nearest(mass_at(p, t, &q, v)?, q, free.clone());
        let compiled = p.rows(&holonomic, &[], &p.system.q);
        q = compiled
            .least_of_rank(t, &[], &goal, Some(positions))
            .ok()?
            .w;
    }
    let goal = Goal::nearest(mass_at(p, t, &q, v)?, v.to_vec(), free);
    let compiled = p.rows(&velocity_rows(p), &p.system.q, &p.system.v);
    let v = compiled.least_of_rank(t, &q, &goal, Some(rows)).ok()?.w;
    let residual = scaled_residual(&p.measure(t, &q, &v)?);
    (residual <= HELD).then_some((q, v))
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
    let size = linear::max_norm(v).max(1.0);
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
    let largest = |x: &[f64]| linear::max_norm(x.iter());
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
    let limits = NewtonLimits {
        corrections: CORRECTIONS,
        halvings: 29,
        aim: 0.0,
    };
    let found = damped_newton(z, limits, miss, correction)?;
    (found.size <= 1e-12 * largest(v).max(1.0)).then_some(found.w)
}

fn is_of_coordinates(p: &Prepared<'_>, condition: &appell_model::Condition) -> bool {
    let difference = p.system.graph.ex(condition.difference);
    !p.system.v.iter().any(|v| difference.depends_on(*v))
}

/// A state `q, v, z` on the constraints with `v = psi(q, z, t)` that satisfies further equations, which may be on `z` too; near a
/// guess of all three.
pub(crate) fn parametric_state_satisfying(
    p: &Prepared<'_>,
    psi: &Parametrisation<'_>,
    t: f64,
    conditions: &[appell_model::Condition],
    guess: &[f64],
) -> Option<[Vec<f64>; 3]> {
    let (graph, n) = (p.system.graph, p.system.n());
    let differences = conditions
        .iter()
        .map(|condition| graph.ex(condition.difference));
    let given = p.system.v.iter().zip(psi.psi.entries());
    let given = given.map(|(v, psi)| *v - graph.ex(psi.id()));
    let equations = differences.chain(p.constraints.positions()).chain(given);
    let equations: Vec<Ex<'_>> = equations.chain(velocity_rows(p)).collect();
    let z = psi.z.iter().map(|z| graph.ex(z.id()));
    let state = p.system.q.iter().chain(&p.system.v).copied();
    let unknowns: Vec<Ex<'_>> = state.chain(z).collect();
    let count = unknowns.len();
    let goal = Goal::nearest(identity(count), guess[..count].to_vec(), vec![true; count]);
    let rows = p.rows(&equations, &[], &unknowns);
    let mut found = rows.minimize(t, &[], &goal).ok()?;
    let z = found.w.split_off(2 * n);
    let v = found.w.split_off(n);
    (found.residual <= SOLVED).then_some([found.w, v, z])
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
    let differences = conditions
        .iter()
        .map(|condition| graph.ex(condition.difference));
    let holonomic = p.constraints.positions();
    // The constraints' own derivatives may vanish or fail there, so they come second.
    let equations: Vec<Ex<'_>> = differences.chain(holonomic).collect();
    let unknowns: Vec<Ex<'_>> = p.system.q.iter().chain(&p.system.v).copied().collect();
    let goal = Goal::nearest(identity(2 * n), [q, v].concat(), vec![true; 2 * n]);
    let found = p
        .rows(&equations, &[], &unknowns)
        .minimize(t, &[], &goal)
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
    // Where the coordinates may stay, they do: moved together with velocities they end where rows touch.
    if conditions
        .iter()
        .all(|condition| is_of_coordinates(p, condition))
    {
        let (q, v) = found.w.split_at(n);
        if let Some(v) = project_velocities(p, t, q, v, &vec![true; n]) {
            return Some((q.to_vec(), v));
        }
    }
    let all = [equations, velocity_rows(p)].concat();
    let goal = Goal::nearest(identity(2 * n), found.w, vec![true; 2 * n]);
    let found = p.rows(&all, &[], &unknowns).minimize(t, &[], &goal).ok()?;
    (found.residual <= SOLVED).then(|| (found.w[..n].to_vec(), found.w[n..].to_vec()))
}
