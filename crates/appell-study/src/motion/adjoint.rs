//! The derivatives of one number by many parameters: the adjoint equations along a motion, backwards.

use crate::motion::choices::{RunOptions, form_of_dependent_rows};
use crate::motion::stepper::regular_start;
use crate::motion::tangent_flow::TangentFlow;
use crate::states::start_tangents::start_tangents;
use crate::states::varied::{Varied, model_for};
use crate::values::derived::fields::fields_of;
use crate::values::error::Error;
use crate::values::inputs::has_feedback;
use crate::values::prepared::Prepared;
use appell_flow::linear;
use appell_flow::method::DOP853;
use appell_flow::{
    Control, Direction, EvalError, ExitKind, Field, Interpreter, Motion, Options, Pullback, Sample,
    Workspace, integrate,
};
use appell_mech::output;
use std::rc::Rc;

/// The derivatives of `Sum_k weights_k . y(t_k)` over the samples of a motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjoint {
    /// The times of the samples.
    pub times: Vec<f64>,
    /// Coordinates and velocities there, samples x 2n.
    pub states: Vec<f64>,
    /// The derivatives by the names that were asked for.
    pub values: Vec<f64>,
    /// Those by the components of the start, as if they were free.
    pub start: Vec<f64>,
}

/// The motion is followed backwards in at least so many pieces, each from its own state.
const PIECES: usize = 50;

/// The derivatives of `Sum_k weights_k . y(t_k)`, weights samples x 2n, by names as those of
/// [`sensitivity`](super::sensitivity::sensitivity), at a cost that hardly depends on how many there are.
///
/// # Errors
/// As there; a motion that ends before its time; another number of weights.
pub fn adjoint(
    p: &Prepared<'_>,
    options: &RunOptions,
    names: &[String],
    weights: &[f64],
    control: &mut Control<'_>,
) -> Result<Adjoint, Error> {
    forward(p, options, names, control)?.back(weights, control)
}

/// The motion, to be differentiated.
struct Forward<'p, 'g> {
    flow: TangentFlow<'p, 'g>,
    varied: Vec<(Varied, Direction)>,
    tangents: Vec<Vec<f64>>,
    field: Rc<Interpreter>,
    /// The rank of the constraint rows, where it is known.
    rank: Option<usize>,
    /// All states from which pieces are followed backwards, the samples among them.
    places: Vec<Sample>,
    /// The times of the samples.
    times: Vec<f64>,
}

/// Computes the motion.
///
/// One piece: what is needed of the motion, one thing after the other.
fn forward<'p, 'g>(
    p: &'p Prepared<'g>,
    options: &RunOptions,
    names: &[String],
    control: &mut Control<'_>,
) -> Result<Forward<'p, 'g>, Error> {
    let p = model_for(p, names);
    let varied: Result<Vec<(Varied, Direction)>, Error> = names
        .iter()
        .map(|name| Varied::of(p, name).map(|varied| (varied, varied.direction(p))))
        .collect();
    let varied = varied?;
    let (start, rank) = regular_start(p, options)?;
    let options = &RunOptions {
        form: options.form.or_else(|| form_of_dependent_rows(p)),
        ..options.clone()
    };
    let tangents = start_tangents(p, &start, options.start.as_ref(), &varied)?;
    let flow = TangentFlow::new(p, options, (start.t, rank), Vec::new())?;
    let times = flow.settings.samples.clone();
    let (from, until) = (start.t, flow.settings.until);
    let pieces = (1..=PIECES).map(|i| from + (until - from) * i as f64 / PIECES as f64);
    let mut all: Vec<f64> = times
        .iter()
        .copied()
        .chain(pieces)
        .chain([from, until])
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    if until < from {
        all.reverse();
    }
    let settings = Options {
        samples: all,
        ..flow.settings.clone()
    };
    let y = [&start.q[..], &start.v].concat();
    let motion = flow.integrate(from, &y, &settings, control);
    let reached = motion.samples.last().is_some_and(|last| last.t == until);
    if motion.outcome.exit_kind() != ExitKind::Done || !reached {
        return Err(Error::no_value(motion.outcome.to_string()));
    }
    let field = fields_of(&flow.equations, &[output::RATE])?;
    Ok(Forward {
        flow,
        varied,
        tangents,
        field,
        rank,
        places: motion.samples,
        times,
    })
}

impl Forward<'_, '_> {
    /// Coordinates and velocities at the samples, samples x 2n.
    fn states(&self) -> Vec<f64> {
        // A time that was asked for twice is one place, and two samples.
        let place = |t: &f64| self.places.iter().find(|place| place.t == *t);
        let sampled = self.times.iter().filter_map(place);
        sampled
            .flat_map(|place| place.y[..self.flow.size].to_vec())
            .collect()
    }

    /// The parameters with which any direction moves, where inputs may depend on them.
    fn varied_parameters(&self) -> Vec<usize> {
        let Some(drive) = self.flow.p.parameters.drive() else {
            return Vec::new();
        };
        let first = self.flow.p.parameters.len() - drive.count();
        let moves = |i: &usize| {
            let mut directions = self.varied.iter().map(|(_, direction)| direction);
            directions.any(|direction| direction.parameters[*i] != 0.0)
        };
        (0..first).filter(moves).collect()
    }

    /// The derivatives of `Sum_k weights_k . y(t_k)`, weights samples x 2n: with `a' = -f_y^T a` backwards from the last
    /// sample, to which each sample adds its weights, they are `Int a . f_p dt + a(0) . dy_0/dp`.
    ///
    /// # Errors
    /// Another number of weights; equations without derivatives on the way.
    fn back(&self, weights: &[f64], control: &mut Control<'_>) -> Result<Adjoint, Error> {
        let (size, p) = (self.flow.size, self.flow.p);
        let count = p.parameters.len();
        if weights.len() != size * self.times.len() {
            let needed = size * self.times.len();
            let why = format!("there are {} weights, {needed} are needed", weights.len());
            return Err(Error::argument(why));
        }
        let field = Backward {
            rate: &self.field,
            rank: self.rank,
            size,
            parameters: count,
            feedback: has_feedback(p),
            varied: self.varied_parameters(),
        };
        let names: Vec<String> = (0..field.outputs()).map(|i| format!("a{i}")).collect();
        let motion = Motion::free(&names, &field);
        let mut adjoint = vec![0.0; size + count];
        for (index, place) in self.places.iter().enumerate().rev() {
            let rows = self.times.iter().zip(weights.chunks(size.max(1)));
            for (_, row) in rows.filter(|(t, _)| **t == place.t) {
                adjoint.iter_mut().zip(row).for_each(|(a, w)| *a += w);
            }
            let Some(before) = index.checked_sub(1).map(|i| &self.places[i]) else {
                break;
            };
            let y = [&place.y[..size], &adjoint].concat();
            let settings = Options {
                until: before.t,
                samples: Vec::new(),
                first: None,
                ..self.flow.settings.clone()
            };
            let part = integrate(&motion, &DOP853, place.t, &y, &settings, control);
            let last = part.samples.last();
            let done = last.is_some_and(|last| last.t == before.t);
            match last.filter(|_| done) {
                Some(last) => adjoint.copy_from_slice(&last.y[size..]),
                None => return Err(Error::no_value(part.outcome.to_string())),
            }
        }
        let (start, by_parameters) = adjoint.split_at(size);
        let named = self.varied.iter().zip(&self.tangents);
        let values = named.map(|((_, direction), tangent)| {
            linear::dot(by_parameters, &direction.parameters) + linear::dot(start, tangent)
        });
        Ok(Adjoint {
            times: self.times.clone(),
            states: self.states(),
            values: values.collect(),
            start: start.to_vec(),
        })
    }
}

/// State, adjoint, and the integrals over `a . f_p`, backwards.
struct Backward<'f> {
    rate: &'f Interpreter,
    rank: Option<usize>,
    size: usize,
    parameters: usize,
    /// Whether inputs may be functions of the state.
    feedback: bool,
    /// The parameters of which inputs may be functions.
    varied: Vec<usize>,
}

impl Field for Backward<'_> {
    fn inputs(&self) -> usize {
        2 * self.size + self.parameters
    }

    fn outputs(&self) -> usize {
        self.inputs()
    }

    fn eval(
        &self,
        _: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let (state, adjoint) = (&y[..self.size], &y[self.size..2 * self.size]);
        let mut found = self.rate.pullback(t, state, adjoint, self.rank)?;
        self.through_inputs(t, state, &mut found);
        let (rate, rest) = out.split_at_mut(self.size);
        let (slopes, integrals) = rest.split_at_mut(self.size);
        rate.copy_from_slice(&found.results);
        slopes
            .iter_mut()
            .zip(&found.state)
            .for_each(|(out, x)| *out = -x);
        let integrands = found.parameters.iter();
        integrals
            .iter_mut()
            .zip(integrands)
            .for_each(|(out, x)| *out = -x);
        Ok(())
    }
}

impl Backward<'_> {
    /// Adds what the state and the parameters do through inputs that are functions of them.
    fn through_inputs(&self, t: f64, y: &[f64], found: &mut Pullback) {
        let Some(drive) = self.rate.parameters().drive() else {
            return;
        };
        let inputs = drive.count();
        let by_inputs = found.parameters[self.parameters - inputs..].to_vec();
        let mut changes = vec![0.0; inputs];
        let mut by = |dy: &[f64], direction: &Direction| {
            drive.changes(t, y, dy, direction, &mut changes);
            let terms = by_inputs.iter().zip(&changes).map(|(a, b)| a * b);
            terms.sum::<f64>()
        };
        let still = Direction::of_state(self.parameters);
        for (i, entry) in found.state.iter_mut().enumerate().filter(|_| self.feedback) {
            let unit: Vec<f64> = (0..y.len()).map(|j| f64::from(u8::from(i == j))).collect();
            *entry += by(&unit, &still);
        }
        let rest = vec![0.0; y.len()];
        for i in &self.varied {
            let mut direction = still.clone();
            direction.parameters[*i] = 1.0;
            found.parameters[*i] += by(&rest, &direction);
        }
    }
}
