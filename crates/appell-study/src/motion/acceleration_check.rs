//! Accelerations held against the equations that define them, and against another way to find them.

use crate::states::agreement::StateRef;
use crate::states::charts::{chart_at, conditioning, has_charts, units, with_linear_part};
use crate::states::ranks::{most, of_rows};
use crate::states::residuals::scaled_residual;
use crate::states::status::ON_CONSTRAINT;
use crate::values::derived::Derived;
use crate::values::derived::fields::fields_of;
use crate::values::measurement::{Measurement, Table};
use crate::values::prepared::Prepared;
use appell_flow::linear::{self, Scratch};
use appell_flow::{EvalError, Field, Interpreter, Workspace};
use appell_mech::{Chart, Formalism, function, output};

/// What accelerations may miss, relative to the terms: more is no rounding.
const ROUNDING: f64 = 1e-6;
/// Terms count as at least this part of what the largest acceleration would make of them.
const PART: f64 = 1e-3;
/// Forms that leave out other rows, or none, differ by more than those rows contradict each other.
const SPREAD: f64 = 100.0;
/// Velocities with less inertia than this part of the largest count as having so much.
const INERT: f64 = 1e-4;
/// Accelerations count as at least this part of the velocities in a unit of time: where all vanish, forms that
/// find the velocities from momenta give their rounding.
const SLOW: f64 = 1e-5;
/// A few units in the last place.
const UNIT: f64 = 1e-14;

/// What accelerations have to satisfy at one state.
pub(crate) struct AccelerationCheck {
    n: usize,
    /// `M`, n x n; `r`, n; `A`, k x n; `B`, k.
    mass: Table,
    right: Table,
    a: Table,
    b: Table,
    /// The unit of each velocity.
    units: Vec<f64>,
    /// Directions that the rows leave free, in these units, orthonormal; none where the reactions are not
    /// Chetaev's.
    free: Option<Vec<Vec<f64>>>,
    /// The accelerations found on these directions, in the units.
    accelerations: Option<Vec<f64>>,
    /// What rounding makes of accelerations where rows are nearly dependent, or inertia nearly vanishes.
    slack: f64,
    /// How far dependent rows contradict each other since the state satisfies them to rounded digits only, as
    /// an acceleration in the units.
    excess: f64,
    /// The rank of the rows, where the reactions are Chetaev's.
    rank: Option<usize>,
    /// The largest velocity, in the units.
    speed: f64,
    /// Whether the state misses the constraints.
    is_off: bool,
}

impl AccelerationCheck {
    /// `None` where nothing can be measured.
    pub fn new(p: &Prepared<'_>, m: &Measurement<'_>) -> Option<Self> {
        let n = p.system.n();
        let [mass, right, a, b] =
            [function::MASS, function::RIGHT, function::A, function::B].map(|name| m.table(name));
        let units = units(m, INERT);
        let finite = |table: &Table| table.entries.iter().all(|x| x.value.is_finite());
        if ![&mass, &right, &a, &b].into_iter().all(finite) {
            return None;
        }
        // Without rows v = psi leaves fewer directions than the coordinates.
        let by_rows = p.constraints.ideal && !by_parameters_alone(p);
        let velocities = m.state.get(n..).filter(|v| v.len() == n).unwrap_or(&[]);
        let speeds = velocities
            .iter()
            .zip(&units)
            .map(|(v, unit)| (v / unit).abs());
        let mut check = Self {
            n,
            speed: speeds.fold(0.0, f64::max),
            mass,
            right,
            a,
            b,
            units,
            free: None,
            accelerations: None,
            slack: 0.0,
            excess: 0.0,
            rank: None,
            is_off: scaled_residual(m) > ON_CONSTRAINT,
        };
        if by_rows {
            let limit = most(p, &check.a);
            check.free = Some(check.free_directions(limit));
            let rank = of_rows(p, &check.a)?;
            check.rank = Some(rank);
            check.accelerations = check.accelerations(limit, rank);
            check.excess = check.own_misses();
        }
        Some(check)
    }

    /// The rows with columns in the units.
    fn scaled_rows(&self) -> (Vec<f64>, Vec<f64>) {
        let scale = |k: usize| self.units[k % self.n];
        let entries = self.a.entries.iter().enumerate();
        entries
            .map(|(k, x)| (x.value * scale(k), x.size * scale(k)))
            .unzip()
    }

    fn free_directions(&self, most: Option<usize>) -> Vec<Vec<f64>> {
        let (values, sizes) = self.scaled_rows();
        linear::null_space(most, self.a.rows, self.n, &values, &sizes)
    }

    /// Maggi's equations in an orthonormal frame: the particular solution of the rows without free part, and
    /// the free part by the kinetic energy.
    fn accelerations(&mut self, most: Option<usize>, rank: usize) -> Option<Vec<f64>> {
        let (n, free) = (self.n, self.free.clone()?);
        let (values, sizes) = self.scaled_rows();
        let scales = vec![1.0; n];
        let pivots = linear::pivots(most, Some(&scales), self.a.rows, n, &values, &sizes);
        if pivots.len() != rank || rank + free.len() != n {
            return None;
        }
        let mut square = Vec::with_capacity(n * n);
        let mut sides = vec![0.0; n];
        for (place, (row, _)) in pivots.iter().enumerate() {
            square.extend_from_slice(&values[row * n..(row + 1) * n]);
            sides[place] = -self.b.entries[*row].value;
        }
        free.iter().for_each(|line| square.extend_from_slice(line));
        let (mut fixed, mut scratch) = (vec![0.0; n], Scratch::default());
        linear::lu(n, &square, &sides, &mut fixed, &mut scratch).ok()?;
        let m = free.len();
        let carried: Vec<Vec<f64>> = free.iter().map(|x| self.inertia(x)).collect();
        let gram: Vec<f64> = (0..m * m)
            .map(|at| linear::dot(&free[at / m], &carried[at % m]))
            .collect();
        let chosen: Vec<usize> = pivots.iter().map(|(row, _)| *row).collect();
        let rows = conditioning(&values, &scales, &Chart::new(n, &[], chosen));
        let least = linear::singular_values(m, m, &gram).last().copied();
        self.slack = UNIT * (rows.powi(-2) + least.unwrap_or(1.0).recip());
        let held = self.inertia(&fixed);
        let force: Vec<f64> = (0..n)
            .map(|i| self.units[i] * self.right.entries[i].value - held[i])
            .collect();
        let right: Vec<f64> = free.iter().map(|x| linear::dot(x, &force)).collect();
        let mut rates = vec![0.0; m];
        linear::bunch_kaufman(m, &gram, &right, &mut rates, &mut scratch).ok()?;
        let along = |i: usize| {
            free.iter()
                .zip(&rates)
                .map(|(x, rate)| x[i] * rate)
                .sum::<f64>()
        };
        Some((0..n).map(|i| fixed[i] + along(i)).collect())
    }

    /// `M x` in the units.
    fn inertia(&self, x: &[f64]) -> Vec<f64> {
        let n = self.n;
        let entry =
            |i: usize, j: usize| self.units[i] * self.mass.entries[i * n + j].value * self.units[j];
        (0..n)
            .map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum())
            .collect()
    }

    /// The results of a field of a form at a state, with the rank of the rows that is known.
    ///
    /// # Errors
    /// A linear system that has no solution there.
    pub fn results(&self, field: &Interpreter, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
        let mut workspace = Workspace::default();
        workspace.linear.set_row_rank(self.rank);
        let mut values = vec![0.0; field.outputs()];
        field.eval(&mut workspace, t, y, &mut values)?;
        Ok(values)
    }

    /// What is wrong with the accelerations, and with the reaction where it is given; `None` if nothing is.
    pub fn acceleration_error(&self, accel: &[f64], reaction: Option<&[f64]>) -> Option<String> {
        if accel.iter().any(|x| !x.is_finite()) {
            return Some("a value is not finite here".to_owned());
        }
        let cause = match self.is_off {
            true => "the form holds on the constraints, which the state does not satisfy",
            false => "rounding errors hide its answer here",
        };
        if let Some(miss) = self.missed_row(accel).filter(|miss| *miss > ROUNDING) {
            return Some(format!(
                "its accelerations violate the constraints by {miss:.1e} of their terms: {cause}"
            ));
        }
        let balance = self.missed_balance(accel, reaction);
        if let Some(miss) = balance.filter(|miss| *miss > ROUNDING) {
            return Some(format!(
                "its accelerations violate the equations of motion by {miss:.1e} of their terms: {cause}"
            ));
        }
        let apart = self.distance(accel)?;
        (apart > ROUNDING + self.slack).then(|| {
            format!(
                "its accelerations differ by {apart:.1e} of their size from those found on orthonormal directions: {cause}"
            )
        })
    }

    /// What the accelerations found here miss of the rows that they did not need, as an acceleration.
    fn own_misses(&self) -> f64 {
        let scaled = self.accelerations.iter().flatten().zip(&self.units);
        let accel: Vec<f64> = scaled.map(|(x, unit)| x * unit).collect();
        if accel.len() < self.n || self.rank == Some(self.a.rows) {
            return 0.0;
        }
        let misses = self.row_misses(&accel).into_iter();
        let misses = misses.map(|miss| miss.rest / miss.length);
        misses.filter(|miss| miss.is_finite()).fold(0.0, f64::max)
    }

    /// Each row of `A q'' + B`.
    fn row_misses(&self, accel: &[f64]) -> Vec<RowResidual> {
        let scale = self.scale(accel);
        let line = |i: usize| {
            let b = self.b.entries[i];
            let (mut sum, mut size, mut square) = (b.value, b.size, 0.0);
            for (j, x) in accel.iter().enumerate() {
                let a = self.a.entries[i * self.n + j];
                sum += a.value * x;
                size += a.size * (x.abs() + PART * self.units[j] * scale);
                square += (a.value * self.units[j]).powi(2);
            }
            RowResidual {
                rest: sum.abs(),
                size,
                length: square.sqrt(),
            }
        };
        (0..self.a.rows).map(line).collect()
    }

    /// The largest residual of `A q'' + B` relative to its terms.
    fn missed_row(&self, accel: &[f64]) -> Option<f64> {
        let excess = SPREAD * self.excess;
        let rows = self.row_misses(accel).into_iter();
        worst(rows.map(|row| ((row.rest - excess * row.length).max(0.0), row.size)))
    }

    /// The same of `M q'' - r` along the free directions, or less the reaction.
    fn missed_balance(&self, accel: &[f64], reaction: Option<&[f64]>) -> Option<f64> {
        let n = self.n;
        let scale = self.scale(accel);
        let line = |i: usize| {
            let r = self.right.entries[i];
            let (mut sum, mut size) = (-r.value, r.size);
            for (j, x) in accel.iter().enumerate() {
                let m = self.mass.entries[i * n + j];
                sum += m.value * x;
                size += m.size * (x.abs() + PART * self.units[j] * scale);
            }
            (sum * self.units[i], size * self.units[i])
        };
        let mut lines: Vec<(f64, f64)> = (0..n).map(line).collect();
        let largest = lines.iter().fold(0.0, |most: f64, line| most.max(line.1));
        lines.iter_mut().for_each(|line| line.1 += PART * largest);
        let by_reaction = reaction.and_then(|reaction| {
            let left = |i: usize| {
                let part = self.units[i] * reaction[i];
                (lines[i].0 - part, lines[i].1 + part.abs())
            };
            worst((0..n).map(left))
        });
        let along = |direction: &Vec<f64>| {
            let terms = direction.iter().zip(&lines);
            terms.fold((0.0, 0.0), |(sum, size), (x, line)| {
                (sum + x * line.0, size + x.abs() * line.1)
            })
        };
        let across = self
            .free
            .as_ref()
            .and_then(|free| worst(free.iter().map(along)));
        by_reaction.into_iter().chain(across).reduce(f64::max)
    }

    /// The largest acceleration in the units, or what the terms of the forces make of one: where these
    /// balance, accelerations are rounding. So they are beside velocities that they do not change.
    fn scale(&self, accel: &[f64]) -> f64 {
        let scaled = accel
            .iter()
            .zip(&self.units)
            .map(|(x, unit)| (x / unit).abs());
        let forces = (0..self.n).map(|i| self.units[i] * self.right.entries[i].size);
        scaled.chain(forces).fold(SLOW * self.speed, f64::max)
    }

    /// How far the accelerations are from those found here, relative to the larger.
    fn distance(&self, accel: &[f64]) -> Option<f64> {
        let accelerations = self.accelerations.as_ref()?;
        let size = accelerations
            .iter()
            .fold(self.scale(accel), |size, x| size.max(x.abs()));
        let pairs = accelerations.iter().zip(accel).zip(&self.units);
        let apart = pairs
            .map(|((a, x), unit)| (a - x / unit).abs())
            .fold(0.0, f64::max);
        let apart = (apart - SPREAD * self.excess).max(0.0);
        (size > 0.0).then(|| apart / size)
    }
}

/// What is wrong with the accelerations of a form at a state, `y` in its carrier; nothing where they cannot be
/// judged. A form in independent velocities may choose others there.
pub(crate) fn acceleration_error(
    p: &Prepared<'_>,
    equations: &Derived<'_>,
    y: &[f64],
    place: StateRef<'_>,
) -> Option<String> {
    let why = objection_as_it_is(p, equations, y, place)?;
    match has_charts(equations) && chart_that_stands(p, equations.formalism, y, place).is_some() {
        true => None,
        false => Some(why),
    }
}

/// Other independent velocities for a form where those of the model do not give its accelerations at a state.
pub(crate) fn other_chart(
    p: &Prepared<'_>,
    form: &'static Formalism,
    y: &[f64],
    place: StateRef<'_>,
) -> Option<Chart> {
    let equations = p.form(form).ok()?;
    objection_as_it_is(p, &equations, y, place)?;
    chart_that_stands(p, form, y, place)
}

fn chart_that_stands(
    p: &Prepared<'_>,
    form: &'static Formalism,
    y: &[f64],
    place: StateRef<'_>,
) -> Option<Chart> {
    let everywhere: Vec<usize> = (0..p.system.n()).collect();
    let chart = with_linear_part(p, place, chart_at(p, place, &everywhere)?);
    let mut constraints = p.constraints.clone();
    constraints.chart = Some(chart.clone());
    let equations = (form.derive)(&p.system, &constraints).ok()?;
    let equations = Derived::new(p.model, &p.parameters, equations);
    let stands = objection_as_it_is(p, &equations, y, place).is_none();
    stands.then_some(chart)
}

fn objection_as_it_is(
    p: &Prepared<'_>,
    equations: &Derived<'_>,
    y: &[f64],
    (t, q, v): StateRef<'_>,
) -> Option<String> {
    let check = AccelerationCheck::new(p, &p.measure(t, q, v)?)?;
    let field = fields_of(equations, &[output::ACCEL]).ok()?;
    match check.results(&field, t, &y[..equations.state.len()]) {
        Ok(accel) => check.acceleration_error(&accel, None),
        Err(error) => Some(error.to_string()),
    }
}

/// What is left of a row.
struct RowResidual {
    rest: f64,
    /// Its terms.
    size: f64,
    /// The length of its coefficients in the units.
    length: f64,
}

fn by_parameters_alone(p: &Prepared<'_>) -> bool {
    p.constraints.rows.is_empty() && p.constraints.parametric.is_some()
}

/// The largest part that is left of some sums, given with the sizes of their terms.
fn worst(lines: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let parts = lines.map(|(sum, size)| if sum == 0.0 { 0.0 } else { sum.abs() / size });
    parts.reduce(f64::max)
}
