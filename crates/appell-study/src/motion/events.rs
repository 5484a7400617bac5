//! Events of a motion that come with the question: noted, ending it, or followed by a reset of the state.

use crate::values::error::Error;
use crate::values::narrow::{self, narrow_in};
use crate::values::outputs::switches;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Relation};
use appell_flow::{
    BARELY, CrossingSense, EvalError, Field, Formula, Interpreter, Motion, Outcome, Quantity, Stop,
    Trajectory, Workspace, becomes_true, quantities,
};
use appell_model::expression_of_output;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A function of the time and of `(q, v)`; NaN where it has no value.
pub type OfState = Arc<dyn Fn(f64, &[f64]) -> f64 + Send + Sync>;

/// The state `(q, v)` after an event from the time and the state before; none where there is no value.
pub type StateMap = Arc<dyn Fn(f64, &[f64]) -> Option<Vec<f64>> + Send + Sync>;

/// An event.
#[derive(Clone)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// When it happens.
    pub when: When,
    /// What follows.
    pub then: Then,
}

/// When an event happens.
#[derive(Clone)]
pub enum When {
    /// A condition of the time, the state, parameters and inputs becomes true, `z < 0`; or an expression vanishes, which
    /// crosses zero so.
    Formula(String, CrossingSense),
    /// A function crosses zero.
    Function(OfState, CrossingSense),
}

/// What follows an event.
#[derive(Clone)]
pub enum Then {
    /// The motion goes on.
    GoOn,
    /// The motion ends.
    End,
    /// Coordinates and velocities take other values, expressions in those before: names with texts.
    Set(Vec<(String, String)>),
    /// A function gives the state.
    Map(StateMap),
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event {}", self.name)
    }
}

/// An event that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct MetEvent {
    /// Its name.
    pub name: String,
    /// The time.
    pub t: f64,
    /// The state `(q, v)` then; before the reset if one followed.
    pub state: Vec<f64>,
    /// The state after the reset.
    pub after: Option<Vec<f64>>,
}

/// Quantities of events that happen at the same place are at most so many times what is left of that which was met, and
/// this apart.
const SAME: f64 = 1e3;
const TINY: f64 = 1e-13;
/// For a quantity that counts as zero whenever it is as small as where it happened.
const ALWAYS: f64 = f64::INFINITY;
/// Slower than this part of what it was before, a quantity rests after a reset, and one that was slower before rested then.
const SLOW: f64 = 1e-6;

/// Events, compiled.
#[derive(Default)]
pub(crate) struct Events {
    all: Vec<Ready>,
}

/// An event, compiled.
pub(crate) struct Ready {
    pub name: String,
    gap: Surface,
    crossing: CrossingSense,
    /// The narrow functions of its formula, their peaks, and the quantities at whose zeros it jumps or bends, as of a motion.
    step_quantities: [Option<Interpreter>; 3],
    /// What follows, where the motion goes on from another state.
    pub reset: Option<StateMap>,
    ends: bool,
}

impl Events {
    /// Compiles the events of a question.
    ///
    /// # Errors
    /// A formula or a name that is none; two events of a name.
    pub fn new(p: &Prepared<'_>, given: &[Event]) -> Result<Self, Error> {
        let mut all: Vec<Ready> = Vec::new();
        for event in given {
            if all.iter().any(|known| known.name == event.name) {
                let why = format!("there are two events `{}`", event.name);
                return Err(Error::argument(why));
            }
            let stops = &p.model.simulate.stop;
            if stops.iter().any(|stop| stop.text == event.name) {
                let why = format!(
                    "the event `{}` has the name of a `stop` of the file",
                    event.name
                );
                return Err(Error::argument(why));
            }
            all.push(ready(p, event)?);
        }
        Ok(Self { all })
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Those after which the motion does not go on as it was.
    pub fn stops(&self) -> impl Iterator<Item = Stop<&dyn Field>> {
        let stops = self.all.iter().filter(|event| event.interrupts());
        stops.map(Ready::stop)
    }

    /// The others.
    pub fn watched(&self) -> impl Iterator<Item = Stop<&dyn Field>> {
        let watched = self.all.iter().filter(|event| !event.interrupts());
        watched.map(Ready::stop)
    }

    /// What tells where their conditions may hold for a moment only: [`narrow`](Motion::narrow), [`peaks`](Motion::peaks) and
    /// [`corners`](Motion::corners) of a motion.
    pub fn step_quantities(&self) -> [Vec<&dyn Field>; 3] {
        std::array::from_fn(|kind| {
            let all = self
                .all
                .iter()
                .filter_map(|event| event.step_quantities[kind].as_ref());
            all.map(|field| field as &dyn Field).collect()
        })
    }

    /// The name of a watched one.
    pub fn name_of_watched(&self, index: usize) -> &str {
        let mut watched = self.all.iter().filter(|event| !event.interrupts());
        watched.nth(index).map_or("", |event| &event.name)
    }

    /// The events that happen together with one, it included, at a state of a motion with this rate: those whose
    /// quantity is zero there, as exactly as its own, and crosses it in their direction.
    pub fn together<'e>(&'e self, event: &'e Ready, at: &Crossed<'_>) -> Vec<&'e Ready> {
        let zero = event.zero(at);
        let happens = |other: &&Ready| {
            let rate = other.gap.rate(at).value;
            let crosses = match other.crossing {
                CrossingSense::Rising => rate > 0.0,
                CrossingSense::Falling => rate < 0.0,
                CrossingSense::Either => rate != 0.0,
            };
            std::ptr::eq(*other, event)
                || other.interrupts() && crosses && other.gap.at(at.t, at.y).abs() <= zero
        };
        self.all.iter().filter(happens).collect()
    }

    /// The events that become true by a reset from one state to another and are none of those that happened.
    pub fn made_true<'e>(
        &'e self,
        t: f64,
        states: [&[f64]; 2],
        happened: &[&Ready],
    ) -> Vec<&'e Ready> {
        let new = |event: &&Ready| !happened.iter().any(|other| std::ptr::eq(*event, *other));
        let all = self.all.iter().filter(|event| event.interrupts());
        all.filter(new)
            .filter(|event| event.becomes_true(t, states))
            .collect()
    }

    /// The motion goes on from the last of the states `after` the resets of the events that happened, one after the other,
    /// at a state where the first of them did, `before`, as exactly as that was found. They are on neither side, or on that
    /// to which the motion goes on through the surface: what became true stays so. On neither side is what its own reset
    /// led back, and what is zero there without having happened: the motion may make it true next, as another reset sets it
    /// moving.
    pub fn rest_on(&self, happened: &[&Ready], before: &Crossed<'_>, after: &[Crossed<'_>]) {
        let (Some(first), Some(last)) = (happened.first(), after.last()) else {
            return;
        };
        let zero = first.zero(before);
        let here = |event: &&Ready| event.gap.at(before.t, before.y).abs() <= zero;
        for event in self.all.iter().filter(here) {
            let (rate, next) = (event.gap.rate(before).value, event.gap.rate(last));
            let place = happened
                .iter()
                .position(|other| std::ptr::eq(*other, event));
            let of_itself = place.and_then(|place| after.get(place));
            let goes_on = of_itself.is_some_and(|at| event.gap.rate(at).goes_on(rate))
                && next.goes_on(rate)
                // What has crossed at no speed was set moving by the reset of another.
                && rate.abs() > SLOW * next.value.abs();
            let side = match event.crossing {
                _ if goes_on => BARELY.copysign(next.value),
                // What crosses in either direction is on the side from which it came, the same if it comes back at once.
                CrossingSense::Either if place.is_some() => match event.gap.at_rest() {
                    (time, side) if time == before.t && side != 0.0 => side,
                    _ => BARELY.copysign(-rate),
                },
                _ => 0.0,
            };
            // What nothing moves off the surface stays there, but for rounding.
            let time = if event.gap.stays(last, zero) {
                ALWAYS
            } else {
                last.t
            };
            let places = event.gap.rest.iter().zip([time, zero, side]);
            places.for_each(|(place, x)| place.store(x.to_bits(), Ordering::Relaxed));
        }
    }

    /// The event that ended a motion.
    pub fn that_ended(&self, trajectory: &Trajectory) -> Option<&Ready> {
        let Outcome::Stopped { condition, .. } = &trajectory.outcome else {
            return None;
        };
        let mut stops = self.all.iter().filter(|event| event.interrupts());
        stops.find(|event| event.name == *condition)
    }
}

/// A state at which events happen, and the rate of the motion there.
pub(crate) struct Crossed<'s> {
    pub t: f64,
    pub y: &'s [f64],
    pub rate: &'s [f64],
    /// A short time, in the direction of the motion.
    pub step: f64,
}

/// The states, with the works, before and after resets, and the events that these followed.
pub(crate) struct Reset<'s> {
    pub t: f64,
    pub before: &'s [f64],
    pub after: &'s [f64],
    pub of: &'s [&'s Ready],
}

impl Reset<'_> {
    /// The quantities of all conditions of a motion before, as [`Options::left`](appell_flow::Options::left): what
    /// becomes true by the reset happens then. Those that the reset followed have happened, and it may lead across
    /// `jumps` of the momentum, whose velocities it gives.
    pub fn quantities(&self, motion: &Motion<'_>, jumps: &Range<usize>) -> Vec<f64> {
        let at = |y| {
            let gaps = motion.conditions().map(|condition| condition.gap);
            quantities(gaps, &mut Workspace::default(), self.t, y)
        };
        let [before, after] = [self.before, self.after].map(at);
        let quantity = |(place, condition): (usize, &Stop<_>)| {
            let passed = jumps.contains(&place)
                || leaps(condition.crossing, after[place])
                || self.of.iter().any(|event| event.name == condition.text);
            if passed { after[place] } else { before[place] }
        };
        motion.conditions().enumerate().map(quantity).collect()
    }
}

/// What is to vanish, in either direction, does not where a reset leads across its zero.
fn leaps(crossing: CrossingSense, after: f64) -> bool {
    crossing == CrossingSense::Either && after != 0.0
}

/// A quantity that counts as zero, or as what it is instead, where the motion goes on from the surface.
struct Surface {
    gap: Box<dyn Field>,
    /// From which time the motion goes on, or [`ALWAYS`], what counts as zero there, and what it is instead; as bits.
    rest: [AtomicU64; 3],
}

impl Surface {
    fn at(&self, t: f64, y: &[f64]) -> f64 {
        let mut gap = [f64::NAN];
        let known = self.gap.eval(&mut Workspace::default(), t, y, &mut gap);
        known.map_or(f64::NAN, |()| gap[0])
    }

    /// From which time the motion goes on, and what the quantity is then.
    fn at_rest(&self) -> (f64, f64) {
        let [time, _, side] = self.rest.each_ref();
        let known = [time, side].map(|x| f64::from_bits(x.load(Ordering::Relaxed)));
        (known[0], known[1])
    }

    /// Whether it changes by no more than what counts as zero, by velocities and accelerations.
    fn stays(&self, at: &Crossed<'_>, zero: f64) -> bool {
        let n = at.y.len() / 2;
        let moved = at.y.iter().zip(at.rate).map(|(y, rate)| y + at.step * rate);
        let mut next: Vec<f64> = moved.collect();
        let accelerations = at.rate[n..].iter().map(|a| 0.5 * at.step * at.step * a);
        next.iter_mut()
            .zip(accelerations)
            .for_each(|(q, moved)| *q += moved);
        (self.at(at.t + at.step, &next) - self.at(at.t, at.y)).abs() <= zero
    }

    /// How fast it changes along the motion, by the slopes over a short time and over half of it.
    fn rate(&self, at: &Crossed<'_>) -> Rate {
        let now = self.at(at.t, at.y);
        let slope = |step: f64| {
            let next = at.y.iter().zip(at.rate).map(|(y, rate)| y + step * rate);
            let next: Vec<f64> = next.collect();
            (self.at(at.t + step, &next) - now) / step.abs()
        };
        let [whole, half] = [slope(at.step), slope(0.5 * at.step)];
        Rate {
            value: 2.0 * half - whole,
            unknown: (half - whole).abs(),
        }
    }
}

/// How fast a quantity changes, and what is not known of that where a surface bends.
struct Rate {
    value: f64,
    unknown: f64,
}

impl Rate {
    /// Whether the quantity goes on the way on which it was before, at that rate.
    fn goes_on(&self, before: f64) -> bool {
        self.value * before.signum() > SLOW * before.abs() + self.unknown
    }
}

impl Quantity for Surface {
    fn inputs(&self) -> usize {
        self.gap.inputs()
    }

    fn value(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<f64, Box<EvalError>> {
        let mut gap = [f64::NAN];
        self.gap.eval(workspace, t, y, &mut gap)?;
        let rest = self.rest.each_ref();
        let [time, zero, side] = rest.map(|x| f64::from_bits(x.load(Ordering::Relaxed)));
        let rests = (t == time || time == ALWAYS) && gap[0].abs() <= zero;
        Ok(if rests { side } else { gap[0] })
    }
}

impl Ready {
    /// Whether it ends the motion.
    pub fn ends(&self) -> bool {
        self.ends
    }

    /// What counts as zero where it happened; where it happened by a jump, no more than it changes by in a short time.
    fn zero(&self, at: &Crossed<'_>) -> f64 {
        let left = SAME * self.gap.at(at.t, at.y).abs();
        left.min(self.gap.rate(at).value.abs() * at.step.abs()) + TINY
    }

    /// Whether it becomes true by a reset from one state to another.
    fn becomes_true(&self, t: f64, states: [&[f64]; 2]) -> bool {
        let [before, after] = states.map(|y| self.gap.at(t, y));
        !leaps(self.crossing, after) && becomes_true(self.crossing, before, after)
    }

    fn interrupts(&self) -> bool {
        self.ends || self.reset.is_some()
    }

    fn stop(&self) -> Stop<&dyn Field> {
        Stop {
            gap: &self.gap,
            crossing: self.crossing,
            text: self.name.clone(),
            deepest: false,
            impassable: false,
        }
    }
}

fn ready<'g>(p: &Prepared<'g>, event: &Event) -> Result<Ready, Error> {
    let Event { name, when, then } = event;
    let of_event = |why: String| Error::argument(format!("event `{name}`: {why}"));
    let mut step_quantities = [const { None }; 3];
    let (gap, crossing): (Box<dyn Field>, CrossingSense) = match when {
        When::Function(function, crossing) => {
            let function = Arc::clone(function);
            let value = move |t: f64, y: &[f64], out: &mut [f64]| out[0] = function(t, y);
            (
                Box::new(Formula::new(2 * p.system.n(), 1, value)),
                *crossing,
            )
        }
        When::Formula(text, crossing) => {
            let (gap, crossing) = gap_of(p, text, *crossing).map_err(of_event)?;
            let [pairs, peaks] = narrow::quantities(&narrow_in(p.model, gap));
            let switches = switches(p.model, p.system.graph, &[gap.id()]);
            let compiled = |list: Vec<Ex<'g>>| (!list.is_empty()).then(|| p.functions_of(&list));
            step_quantities = [pairs, peaks, switches].map(compiled);
            (Box::new(p.functions_of(&[gap])), crossing)
        }
    };
    let reset = match then {
        Then::GoOn | Then::End => None,
        Then::Map(map) => Some(Arc::clone(map)),
        Then::Set(pairs) => Some(map_of(p, pairs).map_err(of_event)?),
    };
    Ok(Ready {
        name: name.clone(),
        gap: Surface {
            gap,
            rest: [f64::NAN; 3].map(|x| AtomicU64::new(x.to_bits())),
        },
        crossing,
        step_quantities,
        ends: matches!(then, Then::End),
        reset,
    })
}

/// The quantity that crosses zero: the difference of a condition's sides, or the expression.
fn gap_of<'g>(
    p: &Prepared<'g>,
    text: &str,
    crossing: CrossingSense,
) -> Result<(Ex<'g>, CrossingSense), String> {
    let Some((left, right, relation)) = Relation::split(text) else {
        return Ok((expression(p, text)?, crossing));
    };
    let crossing = match relation {
        Relation::Less | Relation::LessEqual => CrossingSense::Falling,
        Relation::Greater | Relation::GreaterEqual => CrossingSense::Rising,
        Relation::Equal => crossing,
    };
    Ok((expression(p, left)? - expression(p, right)?, crossing))
}

fn expression<'g>(p: &Prepared<'g>, text: &str) -> Result<Ex<'g>, String> {
    let found = expression_of_output(p.model, text.trim());
    let id = found.map_err(|why| format!("`{}`: {}", text.trim(), why.message))?;
    Ok(p.system.graph.ex(id))
}

/// A reset by expressions.
fn map_of(p: &Prepared<'_>, pairs: &[(String, String)]) -> Result<StateMap, String> {
    let names = p.model.state_names();
    let symbols = p.system.q.iter().chain(&p.system.v);
    let mut after: Vec<Ex<'_>> = symbols.copied().collect();
    for (name, text) in pairs {
        let Some(place) = names.iter().position(|known| known == name) else {
            return Err(format!(
                "`{name}` cannot be set; there are {}",
                names.join(", ")
            ));
        };
        after[place] = expression(p, text)?;
    }
    let field = p.functions_of(&after);
    Ok(Arc::new(move |t, y: &[f64]| field.results(t, y).ok()))
}
