//! Which coordinates a motion feels: the others may turn and run on in a steady motion.

use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use crate::values::stationary::{geometry, has_pieces};
use appell_expr::{Matrix, generic_rank, is_free_of, vanishes};
use appell_flow::{Interpreter, Measured, linear};
use appell_mech::{Carrier, Chart, FORMALISMS, Fibre, function, output, states_on};
use std::rc::Rc;

/// The fibre coordinates `w` that a steady motion keeps, and what their rates depend on.
pub(super) struct Reduction<'p, 'g> {
    p: &'p Prepared<'g>,
    /// The independent velocities; none where parameters are used.
    pub chart: Option<Chart>,
    /// The coordinates that `w'`, or the rates of these coordinates, depend on; ascending.
    pub essential: Vec<usize>,
}

/// States at which dependence is looked for.
const VIEWS: u32 = 3;
/// Differences of less than this, relative to the terms of a value, are rounding: far from the motions that are meant
/// the equations may be badly conditioned.
const SAME: f64 = 1e-6;
/// The same for rates that are solved for together, relative to the largest of them.
const ROUNDING: f64 = 1e-11;
/// How far ignorable coordinates are moved along a steady motion.
const SHIFTS: [f64; 3] = [0.37, 1.9, -2.6];
/// At most so many choices of independent velocities are compared.
const MANY_CHARTS: usize = 256;
/// Attempts at dependent velocities.
const CORRECTIONS: usize = 30;

impl<'p, 'g> Reduction<'p, 'g> {
    /// The parameters of the file; else those independent velocities whose rates depend on the fewest
    /// coordinates, of several such that determine the others at the start, and if there are such, at every state. `None` if no
    /// motion can be computed at any state.
    pub fn new(p: &'p Prepared<'g>) -> Option<Self> {
        if p.constraints.parametric.is_some() && !p.constraints.has_dropped_rows() {
            let essential = on_parameters(p)?;
            return Some(Self {
                p,
                chart: None,
                essential,
            });
        }
        let accel = accelerations(p)?;
        let states: Vec<_> = (0..VIEWS)
            .filter_map(|sample| scattered_constrained_state(p, sample))
            .collect();
        let reduced = |chart: Chart| Some((essential(p, &chart, &accel, &states)?, chart));
        let all: Vec<(Vec<usize>, Chart)> = charts(p).into_iter().filter_map(reduced).collect();
        let begun = start(p).ok();
        let is_poor = |chart: &Chart| {
            let initial = begun.as_ref();
            initial.is_some_and(|s| with_dependent(p, chart, s.t, &s.q, &s.v).is_none())
        };
        let rank = |(essential, chart): &(Vec<usize>, Chart)| (essential.len(), is_poor(chart));
        let least = all.iter().map(rank).min()?;
        let is_users = !p.model.motion.independent_coordinates.is_empty();
        let mut best = all.iter().filter(|choice| rank(choice) == least);
        let first = best.clone().next()?;
        let (essential, chart) = match is_users {
            true => first,
            false => best
                .find(|(_, chart)| is_good_everywhere(p, chart))
                .unwrap_or(first),
        };
        let (essential, chart) = (essential.clone(), chart.clone());
        Some(Self {
            p,
            chart: Some(chart),
            essential,
        })
    }

    /// What is kept constant.
    pub fn fibre(&self) -> Option<Fibre<'_, 'g>> {
        match &self.chart {
            Some(chart) => Some(Fibre::Velocities(chart)),
            None => self
                .p
                .constraints
                .parametric
                .as_ref()
                .map(Fibre::Parameters),
        }
    }

    /// The largest rate of the fibre and velocity of an essential coordinate, 0 in a steady motion, at
    /// states along the motion: its ignorable coordinates are moved, its fibre coordinates kept.
    pub fn moved_residual(&self, t: f64, q: &[f64], v: &[f64], z: Option<&[f64]>) -> Option<f64> {
        let (p, n) = (self.p, q.len());
        let speed = linear::max_norm(v.iter());
        let field = match z {
            Some(_) => parametric_rates(p)?,
            None => accelerations(p)?,
        };
        let mut worst = 0.0_f64;
        for shift in SHIFTS {
            let mut q = q.to_vec();
            for i in (0..n).filter(|i| !self.essential.contains(i)) {
                q[i] += shift * v[i] / speed;
            }
            let (v, rates) = match (&self.chart, z) {
                (Some(chart), _) => {
                    let v = with_dependent(p, chart, t, &q, v)?;
                    let a = field.results(t, &[&q[..], &v].concat()).ok()?;
                    (v, chart.independent.iter().map(|i| a[*i]).collect())
                }
                (None, Some(z)) => {
                    let rates = field.results(t, &[&q[..], z].concat()).ok()?;
                    (rates[..n].to_vec(), rates[n..].to_vec())
                }
                (None, None) => (v.to_vec(), Vec::new()),
            };
            let felt = self.essential.iter().map(|i| v[*i]);
            worst = felt.chain(rates).fold(worst, |s, x| s.max(x.abs()));
        }
        worst.is_finite().then_some(worst)
    }
}

/// `q''` and the multipliers as functions of `(q, v)`.
pub(super) fn accelerations(p: &Prepared<'_>) -> Option<Rc<Interpreter>> {
    first_on(p, Carrier::Velocities, &[output::ACCEL, output::LAMBDA])
}

/// `(psi, z')` as functions of `(q, z)`.
pub(super) fn parametric_rates(p: &Prepared<'_>) -> Option<Rc<Interpreter>> {
    first_on(p, Carrier::Parameters, &[output::RATE])
}

/// Outputs of the first form that applies on a carrier.
fn first_on(p: &Prepared<'_>, carrier: Carrier, names: &[&str]) -> Option<Rc<Interpreter>> {
    let forms = FORMALISMS.iter().filter_map(|form| p.form(form).ok());
    let mut on_carrier = forms.filter(|form| form.carrier == carrier);
    on_carrier.next()?.interpreter(names).ok()
}

/// Coordinate j depends on those in row j of the table, the fibre on those in the last: what the fibre
/// and the holonomic rows depend on, with what their rates depend on, and so on.
fn closure(p: &Prepared<'_>, depends: &[Vec<bool>]) -> Vec<usize> {
    let n = p.system.n();
    let on_place = |j: usize| {
        let mut positions = p.constraints.holonomic().filter_map(|row| row.position);
        positions.any(|f| !is_free_of(f, p.system.q[j]))
    };
    let known = |j: usize| on_place(j) || is_felt(p, j);
    let mut inside: Vec<bool> = (0..n).map(|j| depends[n][j] || known(j)).collect();
    for _ in 0..n {
        let felt = |j: usize| (0..n).any(|i| inside[i] && depends[i][j]);
        inside = (0..n).map(|j| inside[j] || felt(j)).collect();
    }
    (0..n).filter(|j| inside[*j]).collect()
}

/// Whether it is known without numbers that accelerations depend on coordinate j, or not known that they do not: on some
/// piece of a function with corners or jumps they may.
fn is_felt(p: &Prepared<'_>, j: usize) -> bool {
    let (system, constraints) = (&p.system, &p.constraints);
    let q = system.q[j];
    let geometry = geometry(p);
    let right = system.right.entries();
    if has_pieces(&[&geometry[..], right].concat(), &[q]) {
        return true;
    }
    // Where forces alone depend on it, the accelerations do unless reactions take the difference up:
    // `M a_q = r_q + W lambda_q`, `A a_q = 0`.
    let turns = geometry.iter().any(|x| !is_free_of(*x, q));
    let slopes = system.right.map(|r| r.diff(q));
    if turns || constraints.parametric.is_some() || slopes.entries().iter().all(|r| vanishes(*r)) {
        return false;
    }
    let locus = states_on(system, constraints, &[], &[]);
    let rank = |columns: &Matrix<'_>| {
        let order: Vec<usize> = (0..columns.columns()).collect();
        generic_rank(&locus, columns, &order).map(|found| found.rank)
    };
    rank(&constraints.w.beside(&slopes)) > rank(&constraints.w)
}

/// Notes that `rates` (n velocities, then the fibre's) differ from `moved`, where coordinate j moved.
fn compare(depends: &mut [Vec<bool>], j: usize, rates: &[Measured], moved: &[Measured]) {
    let n = depends.len() - 1;
    let sizes = rates.iter().chain(moved).map(|x| x.size);
    let rounding = ROUNDING * sizes.fold(0.0, f64::max);
    for (i, (x, y)) in rates.iter().zip(moved).enumerate() {
        let same = rounding.max(SAME * x.size.max(y.size));
        depends[i.min(n)][j] |= (x.value - y.value).abs() > same;
    }
}

fn shifted(q: &[f64], j: usize) -> Vec<f64> {
    let mut q = q.to_vec();
    q[j] += 0.37;
    q
}

fn on_parameters(p: &Prepared<'_>) -> Option<Vec<usize>> {
    let (n, rates) = (p.system.n(), parametric_rates(p)?);
    let m = p.constraints.parametric.as_ref()?.z.len();
    let mut depends = vec![vec![false; n]; n + 1];
    let mut seen = false;
    for sample in 0..2 * VIEWS {
        let numbers = |shift: u32, count: usize| -> Vec<f64> {
            (163 * sample + shift..)
                .take(count)
                .map(scattered)
                .collect()
        };
        let (q, z) = (numbers(11, n), numbers(71, m));
        let at = |q: &[f64]| {
            let rates = rates.measured(0.0, &[q, &z].concat()).ok()?;
            rates.iter().all(|x| x.value.is_finite()).then_some(rates)
        };
        let Some(here) = at(&q) else { continue };
        for j in 0..n {
            if let Some(there) = at(&shifted(&q, j)) {
                compare(&mut depends, j, &here, &there);
                seen = true;
            }
        }
    }
    (seen || n == 0).then(|| closure(p, &depends))
}

/// The essential coordinates with these independent velocities; `None` where they determine nothing.
fn essential(
    p: &Prepared<'_>,
    chart: &Chart,
    accel: &Interpreter,
    states: &[(f64, Vec<f64>, Vec<f64>)],
) -> Option<Vec<usize>> {
    let n = p.system.n();
    let mut depends = vec![vec![false; n]; n + 1];
    let rates = |t: f64, q: &[f64], v: &[f64]| -> Option<Vec<Measured>> {
        let v = with_dependent(p, chart, t, q, v)?;
        let a = accel.measured(t, &[q, &v[..]].concat()).ok()?;
        let accelerations = chart.independent.iter().map(|i| a[*i]);
        // The dependent ones are solved for.
        let size = linear::max_norm(v.iter());
        let v = v.iter().map(|value| Measured {
            value: *value,
            size,
        });
        let rates: Vec<Measured> = v.chain(accelerations).collect();
        rates.iter().all(|x| x.value.is_finite()).then_some(rates)
    };
    let mut seen = false;
    for (t, q, v) in states {
        let Some(here) = rates(*t, q, v) else {
            continue;
        };
        for j in 0..n {
            if let Some(there) = rates(*t, &shifted(q, j), v) {
                compare(&mut depends, j, &here, &there);
                seen = true;
            }
        }
    }
    (seen || n == 0).then(|| closure(p, &depends))
}

/// The velocities with the dependent ones corrected until `phi = 0`.
fn with_dependent(
    p: &Prepared<'_>,
    chart: &Chart,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Option<Vec<f64>> {
    let (mut v, k) = (v.to_vec(), chart.dependent.len());
    if k == 0 {
        return Some(v);
    }
    for _ in 0..CORRECTIONS {
        let m = p.measure(t, q, &v)?;
        let a = m.table(function::A);
        let matrix: Vec<f64> = chart
            .rows
            .iter()
            .flat_map(|row| chart.dependent.iter().map(|d| (*row, *d)))
            .map(|(row, d)| a.entries[row * a.columns + d].value)
            .collect();
        let phi = m.table(function::PHI).values();
        if phi.len() != p.constraints.k() {
            // Rows for the accelerations do not determine velocities.
            return None;
        }
        let right: Vec<f64> = chart.rows.iter().map(|row| phi[*row]).collect();
        let mut step = vec![0.0; k];
        linear::lu(
            k,
            &matrix,
            &right,
            &mut step,
            &mut linear::Scratch::default(),
        )
        .ok()?;
        for (d, step) in chart.dependent.iter().zip(&step) {
            v[*d] -= step;
        }
        let size = linear::max_norm(&v).max(1.0);
        if step.iter().all(|s| s.abs() <= 1e-13 * size) {
            return Some(v);
        }
    }
    None
}

/// More rows than these have long determinants.
const FEW_ROWS: usize = 4;

/// Whether independent velocities determine the others at every state: by a determinant that is a number, or a parameter.
fn is_good_everywhere(p: &Prepared<'_>, chart: &Chart) -> bool {
    let (a, k) = (&p.constraints.a, chart.dependent.len());
    if k > FEW_ROWS {
        return false;
    }
    let entry = |i: usize, j: usize| a[(chart.rows[i], chart.dependent[j])];
    let determinant = Matrix::from_fn(p.system.graph, k, k, entry).determinant();
    let mut state = p.system.q.iter().chain(&p.system.v).chain([&p.system.t]);
    determinant.is_some_and(|x| !x.is_zero() && state.all(|symbol| !x.depends_on(*symbol)))
}

/// The model's own chart first, then every other choice of dependent velocities if these are few.
fn charts(p: &Prepared<'_>) -> Vec<Chart> {
    let n = p.system.n();
    let rows = match &p.constraints.chart {
        Some(chart) => chart.rows.clone(),
        None if p.constraints.k() == 0 => Vec::new(),
        None => return Vec::new(),
    };
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for i in 0..n {
        let more: Vec<Vec<usize>> = choices
            .iter()
            .filter(|choice| choice.len() < n - rows.len())
            .map(|choice| [&choice[..], &[i]].concat())
            .collect();
        choices.extend(more);
        if choices.len() > 64 * MANY_CHARTS {
            choices.clear();
            break;
        }
    }
    choices.retain(|choice| choice.len() == n - rows.len());
    let given = p.constraints.chart.iter().cloned();
    let others = choices.into_iter().take(MANY_CHARTS);
    given
        .chain(others.map(|independent| Chart::new(n, &independent, rows.clone())))
        .collect()
}
