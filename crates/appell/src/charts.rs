//! Independent velocities switched during a run: a chart is left before it becomes singular.

use crate::derived::Derived;
use crate::fields::{Fields, compiled, fields_of};
use crate::measurement::Measurement;
use crate::prepared::Prepared;
use crate::ranks::most;
use crate::scattered::scattered_constrained_state;
use crate::start::start;
use appell_flow::method::Method;
use appell_flow::{
    Backend, Compiled, Control, Crossing, Field, Options, Outcome, Stop, Trajectory, Trouble,
    Workspace, integrate, linear,
};
use appell_mech::{Carrier, Chart, Constraints, Equations, Formalism, function};
use appell_model::{Code, Diagnostic};
use std::rc::Rc;

/// Ends a chart, and tells its end from the user's stop conditions.
const WORN: &str = "the independent velocities are about to become singular";
/// A chart is left when its conditioning has fallen to this part of what it was at its beginning.
const LEFT: f64 = 0.3;

/// Whether a form speaks of independent velocities while its programs read all of them.
pub(crate) fn has_charts(equations: &Equations<'_>) -> bool {
    equations.carrier == Carrier::Velocities && equations.state_names != equations.input_names()
}

/// `sigma_min` of the dependent columns of `A`, see [`conditioning`], minus a limit.
struct Conditioning<'a> {
    a: &'a Compiled,
    chart: Chart,
    /// Of each velocity, see [`units`].
    units: Vec<f64>,
    limit: f64,
}

impl Conditioning<'_> {
    fn at(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<f64, Trouble> {
        let mut a = vec![0.0; self.a.outputs()];
        self.a.eval(workspace, t, &y[..self.a.inputs()], &mut a)?;
        Ok(conditioning(&a, &self.units, &self.chart))
    }
}

/// The smallest singular value of `A` on the rows and dependent columns of a chart: columns in the given
/// units, each row of unit length. 1 without dependent velocities: then no chart can fail.
pub(crate) fn conditioning(a: &[f64], units: &[f64], chart: &Chart) -> f64 {
    let n = units.len();
    let Chart {
        rows, dependent, ..
    } = chart;
    let mut square = Vec::with_capacity(rows.len() * dependent.len());
    for row in rows {
        let line = &a[row * n..(row + 1) * n];
        let scaled = |j: usize| line[j] * units[j];
        let length = (0..n).map(|j| scaled(j).powi(2)).sum::<f64>().sqrt();
        square.extend(dependent.iter().map(|j| scaled(*j) / length));
    }
    let sigma = linear::singular_values(rows.len(), dependent.len(), &square);
    sigma.last().copied().unwrap_or(1.0)
}

/// The unit of each velocity in which all have the same kinetic energy, `M_jj^-1/2`; those with little
/// inertia beside the largest are given so much.
pub(crate) fn units(m: &Measurement<'_>, inert: f64) -> Vec<f64> {
    let mass = m.table(function::MASS);
    let n = mass.rows;
    let weight = |j: usize| mass.entries[j * n + j].value.abs();
    let largest = (0..n).map(weight).fold(0.0, f64::max);
    let floor = if largest > 0.0 { inert * largest } else { 1.0 };
    (0..n)
        .map(|j| weight(j).max(floor).sqrt().recip())
        .collect()
}

/// Velocities with less inertia than this part of the largest count as having so much.
const INERT: f64 = 1e-8;

impl Field for Conditioning<'_> {
    fn inputs(&self) -> usize {
        self.a.inputs()
    }

    fn outputs(&self) -> usize {
        1
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<Trouble>> {
        out[0] = self.at(workspace, t, y)? - self.limit;
        Ok(())
    }
}

/// A form in one choice of independent velocities. Motions return to choices that they have left.
struct InChart<'g> {
    equations: Derived<'g>,
    fields: Fields,
    a: Compiled,
}

impl<'g> InChart<'g> {
    fn new(
        p: &Prepared<'g>,
        form: &'static Formalism,
        constraints: &Constraints<'g>,
        backend: &Backend,
    ) -> Result<Self, Diagnostic> {
        let derived = (form.derive)(&p.system, constraints);
        let equations = derived.map_err(|why| {
            Diagnostic::new(Code::BadValue, why.to_string(), Default::default(), "")
        })?;
        let equations = Derived::new(p, equations);
        Ok(Self {
            fields: Fields::in_chart(p, &equations, backend)?,
            a: compiled(&*fields_of(&equations, &[function::A])?, backend)?,
            equations,
        })
    }
}

/// Integrates a form in independent velocities, with a new choice of them wherever the old one wears out.
///
/// The carrier is `(q, v)` in every chart, so the state is handed over as it is.
///
/// # Errors
/// A stop condition about something that the form does not give.
pub(crate) fn integrate_in_charts(
    p: &Prepared<'_>,
    form: &'static Formalism,
    (method, backend): (&'static Method, &Backend),
    (start, initial): (f64, &[f64]),
    (options, rank): (&Options, Option<usize>),
    control: &mut Control<'_>,
) -> Result<Trajectory, Diagnostic> {
    let n = p.system.n();
    let mut constraints = p.constraints.clone();
    let (mut t, mut y) = (start, initial.to_vec());
    let mut whole: Option<Trajectory> = None;
    let mut switching = true;
    let mut known: Vec<(Option<Chart>, Rc<InChart<'_>>)> = Vec::new();
    loop {
        let chart = &constraints.chart;
        let place = known.iter().position(|(own, _)| own == chart);
        let own = match place {
            Some(place) => Rc::clone(&known[place].1),
            None => Rc::new(InChart::new(p, form, &constraints, backend)?),
        };
        if place.is_none() {
            known.push((chart.clone(), Rc::clone(&own)));
        }
        let InChart {
            equations,
            fields,
            a,
        } = &*own;
        let wear = constraints
            .chart
            .clone()
            .filter(|_| switching)
            .map(|chart| {
                let here = p.measure(t, &y[..n], &y[n..2 * n]);
                let mut wear = Conditioning {
                    a,
                    chart,
                    units: here.map_or_else(|| vec![1.0; n], |m| units(&m, INERT)),
                    limit: 0.0,
                };
                wear.limit = LEFT * wear.at(&mut Workspace::default(), t, &y).unwrap_or(0.0);
                wear
            });
        let names = equations.input_names();
        let mut motion = fields.motion(p, &names, rank);
        motion.leave = wear.as_ref().map(|gap| Stop {
            gap,
            crossing: Crossing::Falling,
            text: WORN.to_owned(),
        });
        let settings = rest_of(options, start, t);
        let part = integrate(&motion, method, t, &y, &settings, control);
        let worn = matches!(&part.outcome, Outcome::Stopped { condition, .. } if condition == WORN);
        let joined = joined(whole, part);
        let Some(last) = joined.samples.last().filter(|_| worn) else {
            return Ok(joined);
        };
        (t, y) = (last.t, last.y.clone());
        let everywhere: Vec<usize> = (0..n).collect();
        let mut next = constraints.clone();
        next.chart = chart_at(p, (t, &y[..n], &y[n..2 * n]), &everywhere).or(next.chart);
        // A form may exist in one chart only, as Chaplygin's: it stays there to the end.
        switching = (form.derive)(&p.system, &next).is_ok();
        if switching {
            constraints = next;
        }
        whole = Some(without_last(joined, &options.samples));
    }
}

/// The options of what remains of a motion from `start` on at the time `t`.
pub(crate) fn rest_of(options: &Options, start: f64, t: f64) -> Options {
    let ahead = |sample: &f64| (sample - t) * (options.until - start) > 0.0 || t == start;
    let samples = options.samples.iter().copied().filter(ahead).collect();
    Options {
        samples,
        ..options.clone()
    }
}

/// The end of a part is not a sample unless it was asked for.
pub(crate) fn without_last(mut trajectory: Trajectory, wanted: &[f64]) -> Trajectory {
    if trajectory
        .samples
        .last()
        .is_some_and(|last| !wanted.contains(&last.t))
    {
        trajectory.samples.pop();
    }
    trajectory
}

/// Two parts of a motion as one.
pub(crate) fn joined(whole: Option<Trajectory>, part: Trajectory) -> Trajectory {
    let Some(mut whole) = whole else { return part };
    let before = whole.projection_work;
    whole
        .samples
        .extend(part.samples.into_iter().map(|mut sample| {
            sample.projection_work += before;
            sample
        }));
    whole.steps += part.steps;
    whole.rejected += part.rejected;
    whole.rhs_evaluations += part.rhs_evaluations;
    whole.max_residual = whole.max_residual.max(part.max_residual);
    whole.projection_work += part.projection_work;
    (whole.method, whole.why) = (part.method, part.why);
    whole.coarseness = whole.coarseness.max(part.coarseness);
    whole.remarks = part.remarks;
    whole.outcome = part.outcome;
    whole
}

/// The user's independent velocities on independent rows, or ones chosen by the conditioning of
/// `A` at the start, or elsewhere on the constraint where the start is singular.
pub(crate) fn well_conditioned_chart(p: &Prepared<'_>) -> Option<Chart> {
    if p.constraints.chart.is_some() {
        return p.constraints.chart.clone();
    }
    let n = p.system.n();
    let wanted = &p.model.motion.independent_coordinates;
    let candidates: Vec<usize> = (0..n).filter(|i| !wanted.contains(i)).collect();
    let start = start(p).ok().map(|start| (start.t, start.q, start.v));
    let states = start
        .into_iter()
        .chain((0..4).filter_map(|sample| scattered_constrained_state(p, sample)));
    let charts = states.filter_map(|(t, q, v)| chart_at(p, (t, &q, &v), &candidates));
    // The first of the states with the largest rank; more than all rows there cannot be.
    let mut best: Option<Chart> = None;
    for chart in charts {
        let rank = chart.rows.len();
        if best.as_ref().is_none_or(|best| rank > best.rows.len()) {
            best = Some(chart);
        }
        if rank == p.constraints.k() {
            break;
        }
    }
    best
}

/// The chart with dependent velocities out of `candidates` that is well conditioned at a state.
pub(crate) fn chart_at(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
    candidates: &[usize],
) -> Option<Chart> {
    let m = p.measure(t, q, v)?;
    let (whole, units) = (m.table(function::A), units(&m, INERT));
    let most = most(p, &whole);
    let a = whole.columns_of(candidates);
    a.rank()?;
    let (values, sizes) = (a.values(), a.sizes());
    let scales: Vec<f64> = candidates.iter().map(|j| units[*j]).collect();
    let chart = |scales: Option<&[f64]>| {
        let pivots = linear::pivots(most, scales, a.rows, a.columns, &values, &sizes);
        let chart = of_pivots(p.system.n(), candidates, &pivots);
        let quality = conditioning(&whole.values(), &units, &chart);
        (chart, quality)
    };
    // Pivots in units of their own keep the choice that the shape of the rows suggests, but take a column of
    // rounding errors for one as good as any other.
    let (plain, quality) = chart(None);
    let (kinetic, best) = chart(Some(&scales));
    let shorter = kinetic.rows.len() < plain.rows.len();
    let good = quality >= POOR * best || (shorter && quality > NOISE);
    Some(if good { plain } else { kinetic })
}

/// Choices that are conditioned worse than this part of the best are not taken.
const POOR: f64 = 0.1;
/// Choices conditioned no better than this are rounding errors.
const NOISE: f64 = 1e-8;

/// The chart in which these pivots, places among `candidates`, are dependent.
fn of_pivots(n: usize, candidates: &[usize], pivots: &[(usize, usize)]) -> Chart {
    let mut rows: Vec<usize> = pivots.iter().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    let dependent: Vec<usize> = pivots
        .iter()
        .map(|(_, column)| candidates[*column])
        .collect();
    let independent: Vec<usize> = (0..n).filter(|i| !dependent.contains(i)).collect();
    Chart::new(n, &independent, rows)
}

/// Whether a choice of independent velocities is too poor at a state to compute with.
pub(crate) fn is_worn(p: &Prepared<'_>, chart: &Chart, (t, q, v): (f64, &[f64], &[f64])) -> bool {
    let everywhere: Vec<usize> = (0..p.system.n()).collect();
    let Some(m) = p.measure(t, q, v) else {
        return false;
    };
    let (a, units) = (m.table(function::A).values(), units(&m, INERT));
    let Some(best) = chart_at(p, (t, q, v), &everywhere) else {
        return false;
    };
    let [own, best] = [chart, &best].map(|chart| conditioning(&a, &units, chart));
    own < WORN_OUT * best
}

/// Choices that are conditioned worse than this part of the best are worn out.
const WORN_OUT: f64 = 1e-5;
