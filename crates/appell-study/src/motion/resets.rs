//! A motion from event to event.

use crate::motion::chart_changes::{joined, rest_of, without_last};
use crate::motion::events::{Crossed, Events, MetEvent, Ready, Reset, StateMap};
use crate::motion::handover::{ComputedMotion, MotionConfig, integrate_with_fallback};
use crate::states::nearest::nearest_on_constraints;
use crate::values::derived::Derived;
use crate::values::derived::fields::fields_of;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use appell_flow::{Control, EvalError, Outcome, Trajectory};
use appell_mech::output;
use appell_model::Diagnostic;
use std::rc::Rc;

/// More events than this end a motion.
const MAX_EVENTS: usize = 100_000;
/// Events closer than this part of the time of the whole motion follow each other at once. So many of one in a row are
/// a rest; of several by turns, as where balls pass on a blow, there may be more of each.
const AT_ONCE: f64 = 1e-13;
const REST: usize = 3;
const MAX_AT_ONCE: usize = 100;
/// The part of the whole motion over which rates of events are measured.
const SHORT: f64 = 1e-5;

/// The motion with its events.
pub(crate) struct WithEvents<'g> {
    pub motion: ComputedMotion<'g>,
    pub met: Vec<MetEvent>,
    /// What is to be said of an event after which the motion could not go on.
    pub words: Option<String>,
}

/// Integrates from event to event. After a reset the state is brought onto the constraints, by the least change in the
/// kinetic metric; what this and the reset do to the energy is told in the ledger. Of events that happen together all
/// are noted; one that ends the motion ends it, else the resets follow each other. What becomes true by a reset happens
/// then too.
///
/// One piece: the loop over events, whose state is what was computed so far.
///
/// # Errors
/// As for a motion without events.
pub(crate) fn from_event_to_event<'g>(
    p: &Prepared<'g>,
    equations: &Rc<Derived<'g>>,
    config: &MotionConfig<'_>,
    (start, initial): (&Start, &[f64]),
    control: &mut Control<'_>,
) -> Result<WithEvents<'g>, Diagnostic> {
    let (events, n) = (config.events, p.system.n());
    let mut motion = integrate_with_fallback(p, equations, config, (start, initial), control)?;
    let mut met = passed(events, &motion.trajectory, n);
    let whole = (config.options.until - start.t).abs();
    let mut words = None;
    while let Some(event) = events.that_ended(&motion.trajectory) {
        let Some(last) = motion.trajectory.samples.last().cloned() else {
            break;
        };
        let (before, works) = last.y.split_at(2 * n);
        let step = SHORT * (config.options.until - start.t);
        let rate = rate_at(equations, last.t, before)?;
        let crossed = |y, rate| Crossed {
            t: last.t,
            y,
            rate,
            step,
        };
        let at = crossed(before, &rate);
        let mut happening = events.together(event, &at);
        if let Some(end) = happening.iter().find(|other| other.ends()) {
            met.extend(happening.iter().map(|other| MetEvent {
                name: other.name.clone(),
                t: last.t,
                state: before.to_vec(),
                after: None,
            }));
            if let Outcome::Stopped { condition, .. } = &mut motion.trajectory.outcome {
                condition.clone_from(&end.name);
            }
            break;
        }
        let first = met.len();
        let y = match after_resets(p, events, (last.t, before), &mut happening, &mut met) {
            Ok(y) => y,
            Err(error) => {
                let at = motion.trajectory.outcome.at().clone();
                motion.trajectory.outcome = Outcome::EvalError { at, error };
                break;
            }
        };
        let work = energy(equations, last.t, &y)? - energy(equations, last.t, before)?;
        // Each event is noted once, in the order in which they happened.
        let noted = &met[first..];
        let states = noted.iter().filter_map(|other| other.after.as_ref());
        let rates = states.clone().map(|y| rate_at(equations, last.t, y));
        let rates = rates.collect::<Result<Vec<_>, _>>()?;
        let after = states.zip(&rates).map(|(y, rate)| crossed(y, rate));
        events.rest_on(&happening, &at, &after.collect::<Vec<_>>());
        let near = |other: &&MetEvent| (last.t - other.t).abs() <= AT_ONCE * whole;
        let at_once = || met.iter().rev().take_while(near);
        let same = at_once().take_while(|other| other.name == event.name);
        let rests = same.count() > REST || at_once().count() > MAX_AT_ONCE * events.count();
        if rests {
            words = Some(format!(
                "There it happens again and again without end: from there on, what the body rests on acts as a \
                    constraint, which `{}` does not have.",
                p.model.source.name
            ));
            break;
        }
        if met.len() >= MAX_EVENTS {
            words = Some(format!("More than {MAX_EVENTS} events are not followed."));
            break;
        }
        let (q, v) = y.split_at(n);
        let options = rest_of(config.options, start.t, last.t);
        let initial = [&y[..], works].concat();
        let reset = Reset {
            t: last.t,
            before: &last.y,
            after: &initial,
            of: &happening,
        };
        let next = MotionConfig {
            options: &options,
            reset: Some(&reset),
            ..*config
        };
        let start = Start {
            t: last.t,
            q: q.to_vec(),
            v: v.to_vec(),
            z: None,
            ..start.clone()
        };
        let part = integrate_with_fallback(p, equations, &next, (&start, &initial), control)?;
        met.extend(passed(events, &part.trajectory, n));
        let mut before = without_last(motion.trajectory, &config.options.samples);
        before.projection_work += work;
        before.reset_work = Some(before.reset_work.unwrap_or(0.0) + work);
        motion = ComputedMotion {
            trajectory: joined(Some(before), part.trajectory),
            shown: part.shown.or(motion.shown),
            handover: part.handover.or(motion.handover),
        };
    }
    Ok(WithEvents { motion, met, words })
}

/// The state after the resets of events that happen together, one after the other, and of those that become true by a
/// reset, each once; all are noted with their states.
fn after_resets<'e>(
    p: &Prepared<'_>,
    events: &'e Events,
    (t, before): (f64, &[f64]),
    happening: &mut Vec<&'e Ready>,
    met: &mut Vec<MetEvent>,
) -> Result<Vec<f64>, EvalError> {
    let mut y = before.to_vec();
    let mut next = 0;
    while let Some(event) = happening.get(next).copied() {
        let after = event.reset.as_ref().and_then(|map| reset(p, map, t, &y));
        met.push(MetEvent {
            name: event.name.clone(),
            t,
            state: y.clone(),
            after: after.clone(),
        });
        let after = after.ok_or_else(|| EvalError::NotFinite {
            what: format!(
                "a state on the constraints after the reset of `{}`",
                event.name
            ),
        })?;
        let made_true = events.made_true(t, [&y, &after], happening);
        y = after;
        // One that ends the motion is met where it goes on from here, before the resets of others.
        let (ending, others): (Vec<_>, Vec<_>) =
            made_true.into_iter().partition(|other| other.ends());
        happening.extend(others);
        if !ending.is_empty() {
            break;
        }
        next += 1;
    }
    Ok(y)
}

/// The state after a reset, brought onto the constraints.
fn reset(p: &Prepared<'_>, map: &StateMap, t: f64, y: &[f64]) -> Option<Vec<f64>> {
    let n = p.system.n();
    let after = map(t, y).filter(|y| y.len() == 2 * n && y.iter().all(|x| x.is_finite()))?;
    let (q, v) = nearest_on_constraints(p, t, &after[..n], &after[n..])?;
    Some([q, v].concat())
}

/// The rate of the state, undefined where the equations have no value.
fn rate_at(equations: &Derived<'_>, t: f64, y: &[f64]) -> Result<Vec<f64>, Diagnostic> {
    let field = fields_of(equations, &[output::RATE])?;
    let undefined = |_| vec![f64::NAN; y.len()];
    Ok(field.results(t, y).unwrap_or_else(undefined))
}

fn energy(equations: &Derived<'_>, t: f64, y: &[f64]) -> Result<f64, Diagnostic> {
    let field = fields_of(equations, &[output::ENERGY])?;
    Ok(field.results(t, y).map_or(f64::NAN, |values| values[0]))
}

/// The watched events of a part of the motion; what was noted behind them are the conditions of claims.
fn passed(events: &Events, trajectory: &Trajectory, n: usize) -> Vec<MetEvent> {
    let (all, count) = (trajectory.passed.iter(), events.watched().count());
    let all = all.filter(|(index, _)| *index < count);
    all.map(|(index, sample)| MetEvent {
        name: events.name_of_watched(*index).to_owned(),
        t: sample.t,
        state: sample.y[..2 * n].to_vec(),
        after: None,
    })
    .collect()
}
