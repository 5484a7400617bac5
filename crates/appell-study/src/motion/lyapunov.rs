//! Lyapunov exponents of a motion on its constraints.

use crate::motion::choices::RunOptions;
use crate::motion::stepper::regular_start;
use crate::motion::tangent_flow::TangentFlow;
use crate::values::error::Error;
use crate::values::measurement::Measurement;
use crate::values::outputs::unsmoothed;
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::{Function, Id, Node, Rational, elementary};
use appell_flow::{Control, Direction, ExitKind, Interpreter, Options, Trajectory, linear};
use appell_mech::function;
use appell_model::Code;
use serde::Serialize;

/// What is asked of [`lyapunov`].
#[derive(Debug, Clone, Default)]
pub struct LyapunovOptions {
    /// Form, start, tolerances and end of the motion; samples are not heeded.
    pub run: RunOptions,
    /// How many exponents, the largest first; by default as many as the constraints leave deviations.
    pub count: Option<usize>,
    /// How long the motion goes before growth is counted.
    pub discard: f64,
    /// The time between two orthonormalisations; by default a thousandth of the motion. It is halved where the
    /// deviations become too alike before.
    pub interval: Option<f64>,
}

/// Lyapunov exponents: `lim 1/T log(|w(T)| / |w(0)|)` for deviations `w` in the tangent space of the constraint set,
/// the mean rates of growth up to a finite time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lyapunov {
    /// The exponents, the largest first.
    pub exponents: Vec<f64>,
    /// How many deviations the constraints leave: the length of the whole spectrum.
    pub dimension: usize,
    /// Times, and the means up to each, exponent by exponent: how they settle.
    pub times: Vec<f64>,
    /// A row for each time.
    pub history: Vec<Vec<f64>>,
    /// The last time.
    pub t: f64,
    /// How the motion ended, a sentence.
    pub outcome: String,
    /// What that means.
    #[serde(skip)]
    pub exit: ExitKind,
    /// Accepted steps.
    pub steps: usize,
}

/// Refuses forces that jump with the state: there deviations jump too, by the ratio of the velocities on both sides, which
/// the equations of variation between jumps do not tell.
///
/// # Errors
/// The first such force.
pub(crate) fn refuse_jumps(p: &Prepared<'_>) -> Result<(), Error> {
    let system = &p.system;
    let of_potential = system.lagrangian.partials(&system.q);
    let forces = system.force.entries().iter().copied().chain(of_potential);
    let forces: Vec<Id> = forces.map(|x| x.id()).collect();
    let state = [&system.q[..], &system.v].concat();
    let graph = system.graph;
    let of_state = |u: Id| graph.ex(u).depends_on_any(&state);
    let is_jump =
        |id: &Id| matches!(graph.node(*id), Node::Call(Function::Sign, u) if of_state(u[0]));
    // `x/abs(x)` is a sign too.
    let is_size = |id: Id| matches!(graph.node(id), Node::Call(Function::Abs, u) if of_state(u[0]));
    let is_quotient = |id: &Id| match graph.node(*id) {
        Node::Product(factors) => factors
            .iter()
            .any(|(x, e)| *e == Rational::from(-1) && is_size(*x)),
        _ => false,
    };
    let signs = unsmoothed(graph, &forces).into_iter().filter(is_jump);
    let quotients = graph.reachable(&forces).into_iter().filter(is_quotient);
    let Some(jump) = signs.chain(quotients).next() else {
        return Ok(());
    };
    let jump = graph.ex(jump);
    Err(Error::question(
        Code::NotAllowed,
        format!(
            "Lyapunov exponents are not known where a force jumps with the state, as by `{jump}`: use a force without a jump"
        ),
    ))
}

/// Parts of a motion after each of which deviations are made orthonormal.
const PARTS: f64 = 1000.0;
/// So many means are kept on the way.
const KEPT: usize = 200;
/// Deviations whose lengths apart from each other differ by more are too alike.
const ALIKE: f64 = 1e8;
/// How often an interval may be halved.
const HALVINGS: i32 = 20;

/// The largest Lyapunov exponents of the motion from the start, by the equations of variation and repeated
/// orthonormalisation [benettin1980, part 2]. The deviations are put back into the tangent space of the constraints each time.
///
/// # Errors
/// As for a run; more exponents than deviations; a form whose state is not `(q, v)`; an input whose derivatives are
/// not known. A motion that ends early gives its means up to there.
pub fn lyapunov(
    p: &Prepared<'_>,
    options: &LyapunovOptions,
    control: &mut Control<'_>,
) -> Result<Lyapunov, Error> {
    let p = p.in_numbers();
    refuse_jumps(p)?;
    let (start, rank) = regular_start(p, &options.run)?;
    let state = [start.q.clone(), start.v.clone()].concat();
    let is_free = has_no_rows(p);
    let tangents = |t: f64, state: &[f64]| tangent_space(p.functions(), is_free, t, state);
    let dimension = tangents(start.t, &state).ok_or_else(no_tangents)?.len();
    let count = options.count.unwrap_or(dimension);
    refuse_count(count, dimension)?;
    let directions = vec![Direction::of_state(p.parameters.len()); count];
    let run = RunOptions {
        samples: Some(1),
        times: None,
        ..options.run.clone()
    };
    let flow = TangentFlow::new(p, &run, (start.t, rank), directions)?;
    let times = durations(options, start.t, flow.settings.until)?;
    let deviations = Deviations {
        integrate: &|t, y, settings, control| flow.integrate(t, y, settings, control),
        tangents: &tangents,
        settings: &flow.settings,
        count,
    };
    exponents(&deviations, (start.t, state), times, control)
}

/// Integrates from a time, a state and the deviations behind it.
pub(crate) type Integrate<'f> = dyn Fn(f64, &[f64], &Options, &mut Control<'_>) -> Trajectory + 'f;
/// A basis of deviations at a time and state; none where there is no value.
pub(crate) type Tangents<'f> = dyn Fn(f64, &[f64]) -> Option<Vec<Vec<f64>>> + 'f;

/// The flow of a motion with small deviations from it.
pub(crate) struct Deviations<'f> {
    /// Integrates from a state and as many deviations.
    pub integrate: &'f Integrate<'f>,
    /// The deviations that the constraints allow.
    pub tangents: &'f Tangents<'f>,
    /// How far and how accurately.
    pub settings: &'f Options,
    /// How many deviations.
    pub count: usize,
}

/// The exponents of the motion from a time and state; `times` are those of [`durations`].
pub(crate) fn exponents(
    flow: &Deviations<'_>,
    (t, state): (f64, Vec<f64>),
    (discard, interval): (f64, f64),
    control: &mut Control<'_>,
) -> Result<Lyapunov, Error> {
    let basis = (flow.tangents)(t, &state).ok_or_else(no_tangents)?;
    let dimension = basis.len();
    refuse_count(flow.count, dimension)?;
    let mut frame: Vec<Vec<f64>> = (0..flow.count).map(|d| scattered_in(&basis, d)).collect();
    orthonormalise(&mut frame);
    let mut walk = Walk {
        flow,
        t,
        state,
        frame,
        step: None,
        steps: 0,
    };
    let (first, until) = (walk.t, walk.flow.settings.until);
    let mut ended = match discard > 0.0 {
        true => {
            let begin = first + (until - first).signum() * discard;
            walk.over(begin, interval, control, |_, _| ())?
        }
        false => None,
    };
    let (begin, count) = (walk.t, walk.frame.len());
    let mut growth = vec![0.0; count];
    let mut history: Vec<(f64, Vec<f64>)> = Vec::new();
    if ended.is_none() {
        ended = walk.over(until, interval, control, |t, logs| {
            let sums = growth.iter_mut().zip(logs);
            sums.for_each(|(sum, log)| *sum += log);
            let time = (t - begin).abs();
            history.push((t, growth.iter().map(|sum| sum / time).collect()));
        })?;
    }
    put_in_order(&mut history);
    let exponents = history.last().map(|(_, means)| means.clone());
    let (times, history) = thinned(history);
    let reached = || ("The end was reached.".to_owned(), ExitKind::Done);
    let (outcome, exit) = ended.unwrap_or_else(reached);
    Ok(Lyapunov {
        exponents: exponents.unwrap_or(vec![f64::NAN; count]),
        dimension,
        times,
        history,
        t: walk.t,
        outcome,
        exit,
        steps: walk.steps,
    })
}

/// Puts the largest exponent first: of nearly equal ones orthonormalisation may give the smaller before.
fn put_in_order(history: &mut [(f64, Vec<f64>)]) {
    let Some(last) = history.last().map(|(_, means)| means.clone()) else {
        return;
    };
    let mut order: Vec<usize> = (0..last.len()).collect();
    order.sort_unstable_by(|i, j| last[*j].total_cmp(&last[*i]).then(i.cmp(j)));
    for (_, means) in history {
        *means = order.iter().map(|i| means[*i]).collect();
    }
}

/// Some of the means, the last among them.
fn thinned(history: Vec<(f64, Vec<f64>)>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let every = history.len().div_ceil(KEPT).max(1);
    let last = history.len().saturating_sub(1);
    let kept = history.into_iter().enumerate();
    let kept = kept.filter(|(i, _)| (i + 1) % every == 0 || *i == last);
    kept.map(|(_, row)| row).unzip()
}

pub(crate) fn refuse_count(count: usize, dimension: usize) -> Result<(), Error> {
    match (1..=dimension).contains(&count) {
        true => Ok(()),
        false => Err(Error::argument(format!(
            "there are 1 to {dimension} exponents here, as the constraints leave {dimension} deviations; {count} were asked for"
        ))),
    }
}

/// The time that is not counted, and that between two orthonormalisations.
pub(crate) fn durations(
    options: &LyapunovOptions,
    t: f64,
    until: f64,
) -> Result<(f64, f64), Error> {
    let length = (until - t).abs();
    let (discard, interval) = (options.discard, options.interval.unwrap_or(length / PARTS));
    if !(discard.is_finite() && (0.0..length).contains(&discard)) {
        return Err(Error::argument(format!(
            "the time that is not counted, {discard}, must lie between 0 and that of the motion, {length}"
        )));
    }
    match interval.is_finite() && interval > 0.0 {
        true => Ok((discard, interval)),
        false => Err(Error::argument(
            "the interval between two orthonormalisations is a number > 0",
        )),
    }
}

fn no_tangents() -> Error {
    Error::no_value("the constraints have no tangent space at the start")
}

/// A motion with an orthonormal frame of deviations.
struct Walk<'f> {
    flow: &'f Deviations<'f>,
    t: f64,
    state: Vec<f64>,
    frame: Vec<Vec<f64>>,
    /// The mean length of the steps so far, to begin with.
    step: Option<f64>,
    steps: usize,
}

impl Walk<'_> {
    /// Goes on to a time, interval by interval; `note` is told the time and the logarithms of growth in each. The
    /// outcome if it ends early.
    fn over(
        &mut self,
        until: f64,
        interval: f64,
        control: &mut Control<'_>,
        mut note: impl FnMut(f64, &[f64]),
    ) -> Result<Option<(String, ExitKind)>, Error> {
        let begin = self.t;
        let count = ((until - begin).abs() / interval).ceil().max(1.0);
        let mut parts = 0.0;
        while self.t != until {
            parts += 1.0;
            let end = match parts >= count {
                true => until,
                false => begin + (until - begin) * (parts / count),
            };
            let mut logs = vec![0.0; self.frame.len()];
            while self.t != end {
                if let Some(ended) = self.part(end, &mut logs, control)? {
                    return Ok(Some(ended));
                }
            }
            note(self.t, &logs);
        }
        Ok(None)
    }

    /// Goes on towards a time, over half, a quarter and so on of the way where deviations become too alike.
    fn part(
        &mut self,
        end: f64,
        logs: &mut [f64],
        control: &mut Control<'_>,
    ) -> Result<Option<(String, ExitKind)>, Error> {
        for halving in 0..=HALVINGS {
            let until = match halving {
                0 => end,
                _ => self.t + (end - self.t) * 0.5f64.powi(halving),
            };
            let found = self.integrate(until, control);
            let done = found.outcome.exit_kind();
            let last = found.samples.last().filter(|last| last.t == until);
            let Some(last) = last.filter(|_| done == ExitKind::Done) else {
                return Ok(Some((found.outcome.to_string(), done)));
            };
            let (state, deviations) = last.y.split_at(self.state.len());
            let basis = (self.flow.tangents)(last.t, state);
            let basis = basis.ok_or_else(|| {
                Error::no_value("the constraints have no tangent space on the way")
            })?;
            let columns = deviations.chunks(self.state.len());
            let mut frame: Vec<Vec<f64>> = columns.map(|w| within(&basis, w)).collect();
            let lengths = orthonormalise(&mut frame);
            let most = lengths.iter().copied().fold(0.0, f64::max);
            let least = lengths.iter().copied().fold(f64::INFINITY, f64::min);
            let alike = !(most.is_finite() && most <= ALIKE * least);
            if alike && halving < HALVINGS {
                continue;
            }
            logs.iter_mut()
                .zip(&lengths)
                .for_each(|(sum, length)| *sum += elementary::log(*length));
            self.steps += found.steps;
            self.step = Some((until - self.t).abs() / found.steps.max(1) as f64);
            (self.t, self.state, self.frame) = (last.t, state.to_vec(), frame);
            return Ok(None);
        }
        Ok(None)
    }

    fn integrate(&self, until: f64, control: &mut Control<'_>) -> Trajectory {
        let settings = Options {
            until,
            samples: vec![until],
            first: self.step,
            ..self.flow.settings.clone()
        };
        let y = [self.state.clone(), self.frame.concat()].concat();
        let mut inner = Control {
            cancel: control.cancel,
            progress: None,
            stream: None,
        };
        (self.flow.integrate)(self.t, &y, &settings, &mut inner)
    }
}

/// Whether nothing restricts deviations.
pub(crate) fn has_no_rows(p: &Prepared<'_>) -> bool {
    p.constraints.k() == 0 && p.constraints.hidden.is_empty()
}

/// An orthonormal basis of the deviations `(dq, dv)` that the constraints allow at a state: the kernel of
/// `[f_q, 0; phi_q, phi_v]`, of the functions that a model's [`Prepared::functions`] are; all where there are no rows.
pub(crate) fn tangent_space(
    functions: &Interpreter,
    is_free: bool,
    t: f64,
    state: &[f64],
) -> Option<Vec<Vec<f64>>> {
    let n = state.len() / 2;
    let unit = |i: usize| (0..2 * n).map(|j| f64::from(u8::from(i == j))).collect();
    if is_free {
        return Some((0..2 * n).map(unit).collect());
    }
    let m = Measurement::at(functions, t, state)?;
    let position = m.table(function::POSITION_Q);
    let (by_q, by_v) = (m.table(function::PHI_Q), m.table(function::PHI_V));
    let rows = position.rows + by_q.rows;
    let (mut values, mut sizes) = (vec![0.0; rows * 2 * n], vec![0.0; rows * 2 * n]);
    let mut put = |row: usize, column: usize, x: &appell_flow::Measured| {
        values[row * 2 * n + column] = x.value;
        sizes[row * 2 * n + column] = x.size;
    };
    for (k, x) in position.entries.iter().enumerate() {
        put(k / n, k % n, x);
    }
    for (k, (x, y)) in by_q.entries.iter().zip(&by_v.entries).enumerate() {
        put(position.rows + k / n, k % n, x);
        put(position.rows + k / n, n + k % n, y);
    }
    let finite = values.iter().all(|x| x.is_finite());
    finite.then(|| linear::null_space(None, rows, 2 * n, &values, &sizes))
}

/// A deviation in general position.
fn scattered_in(basis: &[Vec<f64>], number: usize) -> Vec<f64> {
    let mut w = vec![0.0; basis.first().map_or(0, Vec::len)];
    for (k, direction) in basis.iter().enumerate() {
        let part = scattered((1009 * number + k) as u32) + f64::from(u8::from(k == number));
        w.iter_mut()
            .zip(direction)
            .for_each(|(w, e)| *w += part * e);
    }
    w
}

/// The part of a deviation in the tangent space.
fn within(basis: &[Vec<f64>], w: &[f64]) -> Vec<f64> {
    let mut part = vec![0.0; w.len()];
    for direction in basis {
        let along = linear::dot(direction, w);
        part.iter_mut()
            .zip(direction)
            .for_each(|(x, e)| *x += along * e);
    }
    part
}

/// Makes vectors orthonormal, the first first, twice for the sake of rounding; gives the lengths that were left.
fn orthonormalise(frame: &mut [Vec<f64>]) -> Vec<f64> {
    let mut lengths = Vec::with_capacity(frame.len());
    for k in 0..frame.len() {
        let (before, rest) = frame.split_at_mut(k);
        let Some(vector) = rest.first_mut() else {
            break;
        };
        for _ in 0..2 {
            for other in before.iter() {
                let along = linear::dot(other, vector);
                vector
                    .iter_mut()
                    .zip(other)
                    .for_each(|(x, e)| *x -= along * e);
            }
        }
        let length = linear::dot(vector, vector).sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        lengths.push(length);
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::put_in_order;

    #[test]
    fn the_largest_exponent_is_first() {
        let mut history = vec![(1.0, vec![3.0, 1.0, 2.0]), (2.0, vec![0.2, -0.1, 0.3])];
        put_in_order(&mut history);
        assert_eq!(history[1].1, [0.3, 0.2, -0.1]);
        assert_eq!(history[0].1, [2.0, 3.0, 1.0]);
    }
}
