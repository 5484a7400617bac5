//! What drives a motion from outside: the values of inputs as functions of the time and the state.

use crate::direction::Direction;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A function of the time and the state, the coordinates before the velocities; NaN where it has no value.
pub type Feedback = Box<dyn Fn(f64, &[f64]) -> f64 + Send + Sync>;

/// How a [`Feedback`] changes at a time and state, where the state changes so and time and parameters along a direction.
pub type Slope = Box<dyn Fn(f64, &[f64], &[f64], &Direction) -> f64 + Send + Sync>;

/// A quantity at whose zeros an input jumps or bends.
pub struct Switch {
    /// The quantity.
    pub value: Feedback,
    /// Its derivatives.
    pub slope: Slope,
}

/// What is between the samples of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// The value of the last sample.
    Zero,
    /// A straight line from sample to sample.
    Linear,
}

/// Where the values of one input come from.
pub enum InputValues {
    /// A number that may be set between motions, as its bits.
    Number(AtomicU64),
    /// Samples at rising times; beyond the last its value stays.
    Samples {
        /// The times.
        times: Vec<f64>,
        /// As many values.
        values: Vec<f64>,
        /// What is between them.
        hold: Hold,
    },
    /// A smooth function, asked at every stage of a step.
    Function(Feedback),
    /// The same where its derivatives are known; smooth but for its switches.
    Smooth {
        /// The function.
        function: Feedback,
        /// Its derivatives.
        slope: Slope,
        /// Quantities at whose zeros it jumps or bends.
        switches: Vec<Switch>,
        /// Quantities that tell where it is felt in a narrow place, as [`narrow`](crate::Motion::narrow) and
        /// [`peaks`](crate::Motion::peaks) of a motion.
        narrow: [Vec<Feedback>; 2],
    },
    /// A function that is asked at the start and each so much later; its values are held meanwhile.
    Sampled {
        /// The function.
        function: Feedback,
        /// How often, positive.
        every: f64,
        /// The value before the motion begins, as the bits of a number: it may remember what it was asked.
        idle: AtomicU64,
        /// What it answered, in the order of the motion.
        history: Mutex<Vec<Answer>>,
    },
}

/// What a function answered at a time and state. It may remember what it was asked: the same is not asked twice.
#[derive(Debug)]
pub struct Answer {
    t: f64,
    y: Vec<f64>,
    value: f64,
}

impl InputValues {
    /// A number.
    pub fn number(x: f64) -> InputValues {
        InputValues::Number(AtomicU64::new(x.to_bits()))
    }

    /// A function that is asked each `every`, which must be positive.
    pub fn sampled(function: Feedback, every: f64) -> InputValues {
        InputValues::Sampled {
            function,
            every,
            idle: AtomicU64::default(),
            history: Mutex::default(),
        }
    }

    /// Sets the value that the input has before a motion begins.
    pub fn begin_with(&self, x: f64) {
        if let InputValues::Sampled { idle, .. } = self {
            idle.store(x.to_bits(), Ordering::Relaxed);
        }
    }

    /// The value at `(t, y)`; `at` is a time within the same piece, which tells the sides of a jump apart.
    fn value(&self, t: f64, at: f64, y: &[f64]) -> f64 {
        match self {
            InputValues::Number(bits) => f64::from_bits(bits.load(Ordering::Relaxed)),
            InputValues::Samples {
                times,
                values,
                hold,
            } => sample(times, values, *hold, t, at),
            InputValues::Function(function) | InputValues::Smooth { function, .. } => {
                function(t, y)
            }
            InputValues::Sampled { history, idle, .. } => {
                let known = lock(history);
                let place = known.partition_point(|answer| answer.t <= at);
                let value = known
                    .get(place.saturating_sub(1))
                    .map(|answer| answer.value);
                value.unwrap_or_else(|| f64::from_bits(idle.load(Ordering::Relaxed)))
            }
        }
    }

    /// Whether its derivatives are known.
    pub fn is_differentiable(&self) -> bool {
        !matches!(self, InputValues::Function(_) | InputValues::Sampled { .. })
    }

    /// How the value changes at `(t, y)` where the state changes by `dy`; NaN where that is not known.
    fn change(&self, t: f64, at: f64, (y, dy): (&[f64], &[f64]), direction: &Direction) -> f64 {
        match self {
            InputValues::Number(_) => 0.0,
            InputValues::Samples {
                times,
                values,
                hold,
            } => match direction.time {
                0.0 => 0.0,
                time => time * incline(times, values, *hold, at),
            },
            InputValues::Smooth { slope, .. } => slope(t, y, dy, direction),
            // They are functions of the time and the state alone.
            InputValues::Function(_) | InputValues::Sampled { .. } => {
                match direction.time == 0.0 && dy.iter().all(|x| *x == 0.0) {
                    true => 0.0,
                    false => f64::NAN,
                }
            }
        }
    }

    /// The next time after `t` at which it may jump or bend.
    fn next(&self, t: f64, forward: bool) -> Option<f64> {
        match self {
            InputValues::Number(_) | InputValues::Function(_) | InputValues::Smooth { .. } => None,
            InputValues::Samples { times, .. } => match forward {
                true => times.get(times.partition_point(|time| *time <= t)).copied(),
                false => {
                    let before = times.partition_point(|time| *time < t);
                    before.checked_sub(1).map(|place| times[place])
                }
            },
            InputValues::Sampled { every, history, .. } => {
                let origin = lock(history).first().map_or(t, |answer| answer.t);
                let count = ((t - origin) / every).floor();
                let instants = (0..3).map(|k| origin + (count + f64::from(k)) * every);
                instants.into_iter().find(|instant| *instant > t)
            }
        }
    }

    /// The motion goes on from here: a function is asked where that is one of its instants, unless it was asked there for
    /// the same state; what it answered later then holds again, as long as the states are the same.
    fn enter(&self, t: f64, y: &[f64]) {
        let InputValues::Sampled {
            function,
            every,
            history,
            ..
        } = self
        else {
            return;
        };
        let mut known = lock(history);
        let origin = known.first().map_or(t, |answer| answer.t);
        let instant = origin + ((t - origin) / every).round() * every;
        if instant != t && t >= origin {
            return;
        }
        let place = known.partition_point(|answer| answer.t < t);
        // Behind coordinates and velocities may stand quadratures.
        let same = |answer: &Answer| answer.t == t && answer.y.iter().zip(y).all(|(a, b)| a == b);
        if known.get(place).is_some_and(same) {
            return;
        }
        known.truncate(place);
        // It may ask back.
        drop(known);
        let (value, y) = (function(t, y), y.to_vec());
        lock(history).push(Answer { t, y, value });
    }
}

fn sample(times: &[f64], values: &[f64], hold: Hold, t: f64, at: f64) -> f64 {
    let after = times.partition_point(|time| *time <= at);
    let Some(before) = after.checked_sub(1) else {
        return values.first().copied().unwrap_or(f64::NAN);
    };
    match (hold, times.get(after)) {
        (Hold::Zero, _) | (Hold::Linear, None) => values[before],
        (Hold::Linear, Some(end)) => {
            let part = (t - times[before]) / (end - times[before]);
            values[before] + part * (values[after] - values[before])
        }
    }
}

/// The slope between samples.
fn incline(times: &[f64], values: &[f64], hold: Hold, at: f64) -> f64 {
    let after = times.partition_point(|time| *time <= at);
    match (hold, after.checked_sub(1), times.get(after)) {
        (Hold::Linear, Some(before), Some(end)) => {
            (values[after] - values[before]) / (end - times[before])
        }
        _ => 0.0,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The values of all inputs of a motion. They are smooth between the times of [`Drive::next`], where steps end.
///
/// At such a time itself the value is that of the piece in which the motion is, else the later one.
pub struct Drive {
    sources: Vec<InputValues>,
    /// The ends of the piece in which the motion is, as bits.
    piece: [AtomicU64; 2],
}

impl Drive {
    /// One source for each input.
    pub fn new(sources: Vec<InputValues>) -> Drive {
        Drive {
            sources,
            piece: [f64::NAN, f64::NAN].map(|x| AtomicU64::new(x.to_bits())),
        }
    }

    /// The source of each input.
    pub fn sources(&self) -> &[InputValues] {
        &self.sources
    }

    /// What of the inputs belongs to the [switches](crate::Motion::switches) of a motion.
    pub fn switches(&self) -> impl Iterator<Item = &Switch> {
        self.sources.iter().flat_map(|source| match source {
            InputValues::Smooth { switches, .. } => &switches[..],
            _ => &[],
        })
    }

    /// What of the inputs belongs to the narrow functions of a motion.
    pub fn narrow(&self) -> impl Iterator<Item = &[Vec<Feedback>; 2]> {
        self.sources.iter().filter_map(|source| match source {
            InputValues::Smooth { narrow, .. } => Some(narrow),
            _ => None,
        })
    }

    /// How many inputs there are.
    pub fn count(&self) -> usize {
        self.sources.len()
    }

    /// A time within the piece in which the motion is at `t`.
    fn within(&self, t: f64) -> f64 {
        let [begin, end] = self
            .piece
            .each_ref()
            .map(|x| f64::from_bits(x.load(Ordering::Relaxed)));
        let within = (t - begin) * (t - end) <= 0.0;
        if within { 0.5 * (begin + end) } else { t }
    }

    /// Writes the values at `(t, y)`.
    pub fn values(&self, t: f64, y: &[f64], out: &mut [f64]) {
        let at = self.within(t);
        for (source, out) in self.sources.iter().zip(out) {
            *out = source.value(t, at, y);
        }
    }

    /// Writes how the values change at `(t, y)` where the state changes by `dy`. Of the direction's parameters the
    /// last are constants that are added to the inputs.
    pub fn changes(&self, t: f64, y: &[f64], dy: &[f64], direction: &Direction, out: &mut [f64]) {
        let at = self.within(t);
        let first = direction.parameters.len() - self.count();
        let added = &direction.parameters[first..];
        for ((source, added), out) in self.sources.iter().zip(added).zip(out) {
            *out = added + source.change(t, at, (y, dy), direction);
        }
    }

    /// The next time after `t`, and before `until`, at which an input may jump or bend.
    pub fn next(&self, t: f64, until: f64) -> Option<f64> {
        let forward = until > t;
        let times = self.sources.iter();
        let times = times.filter_map(|source| source.next(t, forward));
        let nearest = times.reduce(if forward { f64::min } else { f64::max });
        nearest.filter(|time| (*time < until) == forward && *time != until)
    }

    /// The motion goes on from `(t, y)` towards `until`; gives the end of the piece.
    pub fn enter(&self, t: f64, y: &[f64], until: f64) -> f64 {
        self.sources.iter().for_each(|source| source.enter(t, y));
        let end = self.next(t, until).unwrap_or(until);
        for (place, x) in self.piece.iter().zip([t, end]) {
            place.store(x.to_bits(), Ordering::Relaxed);
        }
        end
    }

    /// Sets an input that is a number; `false` if it is none.
    pub fn set(&self, input: usize, value: f64) -> bool {
        let Some(InputValues::Number(bits)) = self.sources.get(input) else {
            return false;
        };
        bits.store(value.to_bits(), Ordering::Relaxed);
        true
    }
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Drive of {} inputs", self.count())
    }
}
