//! Velocities of least kinetic energy under the rows of a file's start.

use crate::states::double_roots::{Solution, double_root};
use crate::states::one_by_one::{Unknowns, one_by_one};
use crate::states::out_of_reach::{are_out_of_reach, outright};
use crate::states::ranks::exact;
use crate::states::residuals::velocity_rows;
use crate::states::start::{Given, bare_error, kinetic_momentum, motion_rows, start_error};
use crate::values::prepared::Prepared;
use crate::values::rows::{Goal, Rows, SOLVED, identity};
use crate::values::several::{AsGood, are_nonlinear, have_jumps, least_of_several};
use appell_expr::Ex;
use appell_flow::newton::Found;
use appell_flow::{EvalError, linear};
use appell_mech::{Metric, function};
use appell_model::Diagnostic;

/// A residual relative to its terms that is rounding.
const FINE: f64 = 1e-14;
/// What rounding makes of a velocity at a double root, as a part of the largest.
const SMALL: f64 = 1e-4;

/// What helps where rows say nothing about velocities near 0, as `norm(v(P)) = 1`: which of several they are.
const GIVE_MORE: &str = "give more velocities in `state`: with 0 for those that are not given, the constraints have \
    no derivative";
/// What helps where rows that are linear in the velocities have none at all.
const OTHER_COORDINATES: &str = "give other coordinates in `state`: at these the constraints have no value, or no \
    velocities satisfy them";
/// What is said where velocities were found away from rest.
const CHOSEN_SPEED: &str = "at rest the equations given for the velocities have no derivative: one of their solutions \
    was taken; give more in `state` to choose it";
/// What is said of velocities that least kinetic energy does not tell from their mirror images.
const SAME_ENERGY: &str = "other velocities, with other signs, have the same kinetic energy: give more in `state` to choose";
/// What is said where equations leave a choice that kinetic energy does not make, as all directions of a given speed.
const ANY_OF_MANY: &str = "other velocities, in other directions, have the same kinetic energy: give more velocities in \
    `state` to choose them";
/// What is said of velocities whose momenta are those of others, with no constraint behind them.
const LEAST_OF_FREE: &str =
    "velocities that are not given are those of least kinetic energy, not 0: give them in `state`";

/// The velocities of a start.
pub(crate) struct Velocities {
    pub v: Vec<f64>,
    /// The motion variables, where the equations of the start determine them.
    pub z: Option<Vec<f64>>,
    /// The relative residual of the constraints before the velocities were moved on to them.
    pub before: f64,
    /// Whether they were.
    pub are_moved: bool,
}

/// Unknowns `w = (v, z)`; `z` only where an initial equation speaks of it.
pub(crate) struct VelocityProblem<'g> {
    t: f64,
    q: Vec<f64>,
    pub w: Vec<Ex<'g>>,
    pub n: usize,
    pub metric: Vec<f64>,
    pub linear: Vec<f64>,
    pub given_rows: Vec<Ex<'g>>,
    pub constraint_rows: Vec<Ex<'g>>,
}

impl<'g> VelocityProblem<'g> {
    pub fn new(p: &Prepared<'g>, t: f64, q: &[f64], given: &Given<'g>) -> Result<Self, Diagnostic> {
        let n = p.system.n();
        let mut given_rows = given.velocities.clone();
        let mut w = p.system.v.clone();
        if let Some((rows, z)) = motion_rows(p, given) {
            given_rows.extend(rows);
            w.extend(z);
        }
        let zero = vec![0.0; n];
        let Some(at_rest) = p.measure(t, q, &zero) else {
            return Err(start_error(
                p,
                "the mechanics has no value at the given coordinates",
            ));
        };
        let mass = at_rest.table(function::MASS).values();
        let mut metric = vec![0.0; w.len() * w.len()];
        for i in 0..n {
            metric[i * w.len()..i * w.len() + n].copy_from_slice(&mass[i * n..(i + 1) * n]);
        }
        let mut linear =
            linear_terms(p, t, q).unwrap_or_else(|| at_rest.table(function::MOMENTUM).values());
        if !has_least(&mass, &linear) {
            linear.fill(0.0);
        }
        linear.resize(w.len(), 0.0);
        let constraint_rows = velocity_rows(p);
        Ok(Self {
            t,
            q: q.to_vec(),
            w,
            n,
            metric,
            linear,
            given_rows,
            constraint_rows,
        })
    }

    /// The velocities `psi(q, z, t)` for the `z` that the given equations say by themselves.
    fn by_motion_variables(&self, p: &Prepared<'g>, given: &Given<'g>) -> Option<Vec<f64>> {
        let rows = p.rows(&given.velocities, &p.system.q, &self.w);
        let found = rows.root(self.t, &self.q, &vec![0.0; self.w.len()])?;
        let z = found.get(self.n..).filter(|z| !z.is_empty())?;
        let psi = p.measure_parametric(self.t, &self.q, z)?;
        Some([psi.table("psi").values(), z.to_vec()].concat())
    }

    /// The velocities that the given equations say by themselves.
    pub fn wanted(
        &self,
        p: &Prepared<'g>,
        given: &Given<'g>,
        remarks: &mut Vec<String>,
    ) -> Result<Found, Diagnostic> {
        let (rows, at_rest) = (&self.given_rows, vec![0.0; self.w.len()]);
        let why = match self.solve(p, rows, at_rest.clone()) {
            Err(why) => why,
            Ok(found) if found.residual <= SOLVED => {
                return Ok(self.least_of_several(p, rows, found, remarks));
            }
            found => return found,
        };
        // At rest psi may have no derivative, as `sqrt(z1^2 + z2^2)`, and a given speed has none.
        if let Some(start) = self.by_motion_variables(p, given) {
            return self.solve(p, rows, start);
        }
        let found = self.elsewhere(p, rows, &at_rest).ok_or(why)?;
        remarks.push(CHOSEN_SPEED.to_owned());
        Ok(self.least_of_several(p, rows, found, remarks))
    }

    /// Least kinetic energy subject to the rows, found from `start` on.
    pub fn solve(
        &self,
        p: &Prepared<'g>,
        rows: &[Ex<'g>],
        start: Vec<f64>,
    ) -> Result<Found, Diagnostic> {
        let goal = Goal {
            start,
            ..self.least_energy()
        };
        let compiled = p.rows(rows, &p.system.q, &self.w);
        let failed =
            |error: EvalError| bare_error(p, &format!("the velocities have no value: {error}"));
        let found = compiled.minimize_or(self.t, &self.q, &goal, || self.most(p, rows));
        found.map_err(failed)
    }

    /// At a double root, where rows have no derivative, Newton's method ends with half the digits of their residual:
    /// the root itself, and small velocities as 0 where the rows hold as well with it.
    pub fn polished(&self, p: &Prepared<'g>, rows: &[Ex<'g>], found: Found) -> Found {
        if found.residual > SOLVED {
            return found;
        }
        let solution = Solution::at_place(p, (self.t, &self.q), &self.w, &found.w);
        if let Some(w) = double_root(p, rows, solution) {
            return Found { w, ..found };
        }
        if found.residual <= FINE {
            return found;
        }
        let rows = p.rows(rows, &p.system.q, &self.w);
        let largest = linear::max_norm(found.w.iter());
        let rounded = |x: &f64| if x.abs() > SMALL * largest { *x } else { 0.0 };
        let rounded: Vec<f64> = found.w.iter().map(rounded).collect();
        let roots = [found.w.clone(), rounded].map(|start| rows.root(self.t, &self.q, &start));
        roots
            .into_iter()
            .flatten()
            .fold(found, |best, w| match rows.worst(self.t, &self.q, &w) {
                Some(residual) if residual <= best.residual.max(FINE) => Found {
                    w,
                    residual,
                    ..best
                },
                _ => best,
            })
    }

    /// Whether all velocities are given one by one, and miss the constraints by far.
    pub fn is_out_of_reach(&self, p: &Prepared<'g>, wanted: &Found) -> bool {
        let state = || [self.q.as_slice(), &wanted.w].concat();
        wanted.rank == self.n
            && self.w.len() == self.n
            && outright(&self.given_rows, &self.w).len() == self.given_rows.len()
            && are_out_of_reach(
                p,
                &self.constraint_rows,
                (&self.w, &wanted.w),
                (self.t, &state()),
                &self.metric,
            )
    }

    /// What helps where no velocities were found.
    pub fn what_helps(&self, rows: &[Ex<'g>]) -> &'static str {
        match are_nonlinear(rows, &self.w) {
            true => GIVE_MORE,
            false => OTHER_COORDINATES,
        }
    }

    /// A solution found from other velocities, near which kinetic energy is least if that can be had.
    pub fn elsewhere(&self, p: &Prepared<'g>, rows: &[Ex<'g>], near: &[f64]) -> Option<Found> {
        let compiled = p.rows(rows, &p.system.q, &self.w);
        let at_units = || compiled.held_at_units(self.t, &self.q, near);
        if !are_nonlinear(rows, &self.w) {
            // What linear equations miss nearby they miss everywhere; not so constant ones with jumps.
            return have_jumps(rows, &self.w).then(at_units)?;
        }
        let mut starts = compiled.starts(self.t, &self.q, near);
        let found = starts.find_map(|start| {
            let mut root = compiled.root(self.t, &self.q, &start)?;
            // What no row speaks of stays as it is.
            for (i, w) in self.w.iter().enumerate() {
                if !rows.iter().any(|row| row.depends_on(*w)) {
                    root[i] = near[i];
                }
            }
            let least = self.solve(p, rows, root.clone()).ok();
            let good = |found: &Found| found.residual <= SOLVED && self.is_least(&compiled, found);
            let found = least.filter(good).or_else(|| {
                let goal =
                    Goal::nearest(identity(root.len()), root.clone(), vec![true; root.len()]);
                let found = compiled.minimize(self.t, &self.q, &goal).ok();
                found.filter(|found| found.residual <= SOLVED)
            });
            found.filter(|found| compiled.is_resolved(self.t, &self.q, near, &found.w))
        });
        found
            .or_else(|| self.one_by_one(p, rows, near, &compiled))
            .or_else(at_units)
    }

    /// A solution by equations that give the velocities one after the other, as `atan(x') = y'` does beside `y' = 1.57`.
    fn one_by_one(
        &self,
        p: &Prepared<'g>,
        rows: &[Ex<'g>],
        near: &[f64],
        compiled: &Rows,
    ) -> Option<Found> {
        let are_velocities = self.w.len() == self.n;
        let unknowns = (self.t, Unknowns::Velocities(&self.q));
        let accept = |w: Vec<f64>| {
            let goal = Goal::nearest(identity(w.len()), w.clone(), vec![true; w.len()]);
            let found = compiled.minimize(self.t, &self.q, &goal).ok();
            found.filter(|found| found.residual <= SOLVED)
        };
        are_velocities.then(|| one_by_one(p, unknowns, rows, near, accept))?
    }

    /// Whether velocities may be those of least energy: with all of them halved the rows fail, or there is no less energy.
    /// Of rows without a value at rest, as `x'/y' = 2`, none are.
    fn is_least(&self, rows: &Rows, found: &Found) -> bool {
        let half: Vec<f64> = found.w.iter().map(|w| 0.5 * w).collect();
        let worst = rows.worst(self.t, &self.q, &half);
        let holds = worst.is_some_and(|worst| worst <= SOLVED);
        !(holds && self.least_energy().is_clearly_less(&half, &found.w))
    }

    /// Least kinetic energy, from rest on.
    fn least_energy(&self) -> Goal {
        let unknowns = self.w.len();
        Goal {
            metric: self.metric.clone(),
            linear: self.linear.clone(),
            free: vec![true; unknowns],
            start: vec![0.0; unknowns],
        }
    }

    /// The velocities that the given equations leave, and what is to be said of them.
    pub fn as_given(
        &self,
        given: &Given<'g>,
        wanted: &Found,
        before: f64,
        remarks: &mut Vec<String>,
    ) -> Velocities {
        remarks.extend(self.chosen(given, wanted));
        self.velocities(&wanted.w, before)
    }

    /// The velocities of a solution, which are not moved.
    pub fn velocities(&self, w: &[f64], before: f64) -> Velocities {
        let (v, z) = self.split(w);
        Velocities {
            v,
            z,
            before,
            are_moved: false,
        }
    }

    /// What is said where a velocity or motion variable that no given equation mentions is not 0, and the given
    /// equations do not determine it.
    fn chosen(&self, given: &Given<'g>, wanted: &Found) -> Option<String> {
        let is_given = |x: &Ex<'g>| given.velocities.iter().any(|row| row.depends_on(*x));
        // By motion variables, velocities follow from these.
        let from = if self.w.len() > self.n { self.n } else { 0 };
        let free = |direction: &[f64]| {
            let size = linear::max_norm(direction.iter());
            let mut found = self.w[from..].iter().zip(direction);
            found.any(|(symbol, x)| x.abs() > SOLVED * size && !is_given(symbol))
        };
        (wanted.rank < self.w.len() && free(&wanted.w[from..])).then(|| LEAST_OF_FREE.to_owned())
    }

    /// The velocities of least kinetic energy, as far as scattered starts lead to them.
    pub fn least_of_several(
        &self,
        p: &Prepared<'g>,
        rows: &[Ex<'g>],
        found: Found,
        remarks: &mut Vec<String>,
    ) -> Found {
        if !are_nonlinear(rows, &self.w) {
            return found;
        }
        let compiled = p.rows(rows, &p.system.q, &self.w);
        let (place, goal) = ((self.t, &self.q[..]), self.least_energy());
        let (least, others) = least_of_several(&compiled, place, &goal, found.clone(), || {
            self.most(p, rows)
        });
        if !self.is_least(&compiled, &least) {
            return found;
        }
        let remark = match others {
            AsGood::None => None,
            AsGood::Mirrored => Some(SAME_ENERGY),
            // Without inertia any velocity has the same energy, and several z give the same velocities.
            AsGood::Many if p.system.metric != Metric::Definite || self.w.len() > self.n => None,
            AsGood::Many => Some(ANY_OF_MANY),
        };
        let remark = remark.filter(|remark| !remarks.iter().any(|said| said == remark));
        remarks.extend(remark.map(str::to_owned));
        least
    }

    /// The rank of the rows where they hold, if it is known.
    fn most(&self, p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<usize> {
        let given = rows.len().checked_sub(self.constraint_rows.len())?;
        Some((exact(p)?.a + given).min(self.w.len()))
    }

    pub fn split(&self, w: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
        let z = (w.len() > self.n).then(|| w[self.n..].to_vec());
        (w[..self.n].to_vec(), z)
    }
}

/// The momentum of the kinetic energy at rest.
fn linear_terms(p: &Prepared<'_>, t: f64, q: &[f64]) -> Option<Vec<f64>> {
    let at_rest = [q, &vec![0.0; q.len()]].concat();
    kinetic_momentum(p)?.results(t, &at_rest).ok()
}

/// Whether `1/2 v.M v + b.v` has a stationary value: `M v = -b` is consistent. What is only linear in a velocity is no
/// kinetic energy.
fn has_least(mass: &[f64], b: &[f64]) -> bool {
    let mut v = vec![0.0; b.len()];
    let (kind, scratch) = (linear::Kind::Symmetric, &mut linear::Scratch::default());
    linear::consistent(kind, b.len(), mass, b, &mut v, None, scratch).is_ok()
}
