//! Independent velocities switched during a run: a chart is left before it becomes singular.

use crate::motion::acceleration_check::other_chart;
use crate::motion::sticking::without_idle_jumps;
use crate::states::charts::{INERT, chart_at, conditioning, linear_part, units, with_linear_part};
use crate::states::ranks::set_position_rank;
use crate::values::derived::Derived;
use crate::values::derived::fields::{Fields, compiled, fields_of};
use crate::values::prepared::Prepared;
use appell_flow::method::Method;
use appell_flow::{
    Backend, Compiled, Control, CrossingSense, EvalError, Field, Options, Outcome, Quantity,
    Sample, Stop, Trajectory, Workspace, integrate,
};
use appell_mech::{Chart, Constraints, Formalism, function};
use appell_model::{Code, Diagnostic};
use std::rc::Rc;

/// Ends a chart, and tells its end from the user's stop conditions.
const WORN: &str = "the independent velocities are about to become singular";

/// A chart is left when its conditioning has fallen to this part of what it was at its beginning.
const LEFT: f64 = 0.3;

/// `sigma_min` of the dependent columns of `A`, see [`conditioning`], minus a limit: the least for charts that
/// belong together.
struct Conditioning<'a> {
    a: &'a Compiled,
    charts: Vec<(Chart, f64)>,
    /// Of each velocity, see [`units`].
    units: Vec<f64>,
}

impl<'a> Conditioning<'a> {
    /// Of these charts, with limits that are reached when they have worn out since this state.
    fn new(a: &'a Compiled, units: Vec<f64>, charts: Vec<Chart>, (t, y): (f64, &[f64])) -> Self {
        let mut conditioning = Self {
            a,
            charts: charts.into_iter().map(|chart| (chart, 0.0)).collect(),
            units,
        };
        let now = conditioning
            .at(&mut Workspace::default(), t, y)
            .unwrap_or_default();
        let pairs = conditioning.charts.iter_mut().zip(now);
        pairs.for_each(|((_, limit), now)| *limit = LEFT * now);
        conditioning
    }

    fn at(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
        let mut a = vec![0.0; self.a.outputs()];
        self.a.eval(workspace, t, &y[..self.a.inputs()], &mut a)?;
        let of = |(chart, limit): &(Chart, f64)| conditioning(&a, &self.units, chart) - limit;
        Ok(self.charts.iter().map(of).collect())
    }
}

impl Quantity for Conditioning<'_> {
    fn inputs(&self) -> usize {
        self.a.inputs()
    }

    fn value(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<f64, Box<EvalError>> {
        let gaps = self.at(workspace, t, y)?;
        Ok(gaps.into_iter().fold(f64::INFINITY, f64::min))
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
        let equations = Derived::new(p.model, &p.parameters, equations);
        Ok(Self {
            fields: Fields::in_chart(&equations, &p.system, &p.constraints, backend)?,
            a: compiled(&*fields_of(&equations, &[function::A])?, backend)?,
            equations,
        })
    }
}

/// Integrates a form in independent velocities, with a new choice of them wherever the old one wears out.
///
/// The carrier is `(q, v)` in every chart, so the state is handed over as it is.
///
/// One piece: the loop over charts, whose state is the motion so far.
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
    if let Some(chart) = other_chart(p, form, &y, (t, &y[..n], &y[n..2 * n])) {
        constraints.chart = Some(chart);
    }
    let mut whole: Option<Trajectory> = None;
    let mut switching = true;
    let mut known: Vec<(Option<Chart>, Rc<InChart<'_>>)> = Vec::new();
    loop {
        let chart = &constraints.chart;
        let place = known.iter().position(|(other, _)| other == chart);
        let in_chart = match place {
            Some(place) => Rc::clone(&known[place].1),
            None => Rc::new(InChart::new(p, form, &constraints, backend)?),
        };
        if place.is_none() {
            known.push((chart.clone(), Rc::clone(&in_chart)));
        }
        let InChart {
            equations,
            fields,
            a,
        } = &*in_chart;
        let wear = constraints
            .chart
            .clone()
            .filter(|_| switching)
            .map(|chart| {
                let here = p.measure(t, &y[..n], &y[n..2 * n]);
                let units = here.map_or_else(|| vec![1.0; n], |m| units(&m, INERT));
                let part = linear_part(p, equations, &chart);
                let charts = [chart].into_iter().chain(part).collect();
                Conditioning::new(a, units, charts, (t, &y))
            });
        let names = equations.input_names();
        let mut motion = fields.motion(equations, &p.system, &p.constraints, &names, rank);
        set_position_rank(p, &mut motion, rank);
        without_idle_jumps(p, &mut motion);
        motion.leave = wear.as_ref().map(|gap| Stop {
            gap: gap as &dyn Field,
            crossing: CrossingSense::Falling,
            text: WORN.to_owned(),
            deepest: false,
            impassable: false,
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
        let place = (t, &y[..n], &y[n..2 * n]);
        let chart = chart_at(p, place, &everywhere);
        let chart = chart.map(|chart| with_linear_part(p, place, chart));
        next.chart = chart.or(next.chart);
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
        left: options.left.clone().filter(|_| t == start),
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
    let later = |mut sample: Sample| {
        sample.projection_work += before;
        sample
    };
    whole.samples.extend(part.samples.into_iter().map(later));
    let ends = part.ends.states().map(later);
    whole.ends.extend(ends);
    whole.passed.extend(part.passed);
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
