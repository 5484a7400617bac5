//! Integrals looked at in numbers: rates at the start and at states that Newton's method finds.
//!
//! Random points of a prime field need not lie on the component of the constraints on which the
//! start lies. What changes at a state of the model is no integral of it.

use super::staged_search::CandidateIntegral;
use crate::states::near_start::{self, states_near_start};
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::values::prepared::Prepared;
use appell_expr::Ex;
use appell_flow::{Interpreter, Measured, linear};
use appell_mech::Equations;

/// States besides the start.
const STATES: u32 = 10;
/// A rate below this part of its terms is rounding, and what the state misses the constraints by.
const ROUNDING: f64 = 1e-6;
const RATE: &str = "value of the candidate";

/// What the numbers say of a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NumericVerdict {
    /// Nothing against it.
    Constant,
    /// It changes at a state, and at which.
    Changes(String),
    /// It has no finite value at the start.
    Pole,
    /// It has the same value at all states of the constraints.
    Trivial,
}

/// A time, coordinates, velocities, and parameters of these where they are known.
type SampledState = (f64, Vec<f64>, Vec<f64>, Option<Vec<f64>>);

/// What the numbers say of each function.
pub(super) fn looks<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    found: &[CandidateIntegral<'g>],
) -> Vec<NumericVerdict> {
    let scattered = (0..STATES).filter_map(|sample| scattered_constrained_state(p, sample));
    let initial = start(p).ok().map(|s| (s.t, s.q, s.v, s.z));
    let has_start = initial.is_some();
    let places = initial
        .into_iter()
        .chain(scattered.map(|(t, q, v)| (t, q, v, None)));
    // The rate of a square vanishes at the start where what is squared does.
    let mut places: Vec<SampledState> = places.collect();
    let exact = places.len();
    let beside = states_near_start(p).into_iter();
    places.extend(beside.map(|(t, q, v)| (t, q, v, None)));
    let verdict = |found: &CandidateIntegral<'g>| {
        let change = change(p, equations, found, (&places, exact));
        if let Some(place) = change {
            return NumericVerdict::Changes(words(place, has_start, &places[place].2));
        }
        if found.degree != usize::MAX {
            return NumericVerdict::Constant;
        }
        // Of products and quotients only: they have poles.
        let measured = values(p, equations, found.shown, &places);
        if has_start && measured.first().is_some_and(Option::is_none) {
            return NumericVerdict::Pole;
        }
        let numbers: Vec<f64> = measured.into_iter().flatten().map(|x| x.value).collect();
        let same = |x: &f64| (x - numbers[0]).abs() <= ROUNDING * numbers[0].abs();
        match numbers.iter().all(same) {
            true => NumericVerdict::Trivial,
            false => NumericVerdict::Constant,
        }
    };
    found.iter().map(verdict).collect()
}

/// The first state where the function changes: by more than rounding of its rate's terms, and more than
/// velocities that miss the constraints by rounding make of its slopes. So many states are known to all their digits.
fn change<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    found: &CandidateIntegral<'g>,
    (places, exact): (&[SampledState], usize),
) -> Option<usize> {
    let symbols = [p.system.q.as_slice(), &p.system.v].concat();
    let slopes = found.value.partials(&symbols).into_iter();
    let slopes: Vec<Ex<'g>> = slopes.filter(|slope| !slope.is_zero()).collect();
    let slopes = slopes
        .iter()
        .map(|slope| values(p, equations, *slope, places));
    let slopes: Vec<Vec<Option<Measured>>> = slopes.collect();
    let rates = values(p, equations, found.rate, places);
    let moves = |(place, rate): (usize, &Option<Measured>)| {
        let fastest = linear::max_norm(places[place].2.iter());
        let of_place = slopes.iter().filter_map(|slope| slope[place]);
        let steepest = of_place.fold(0.0, |s: f64, x| s.max(x.value.abs()));
        let is_clear = |rate: Measured| place < exact || near_start::is_clear(&rate);
        let least = |rate: Measured| ROUNDING * (rate.size + steepest * fastest);
        rate.is_some_and(|rate| rate.value.abs() > least(rate) && is_clear(rate))
    };
    let mut all = rates.iter().enumerate();
    all.find(|(place, rate)| moves((*place, rate)))
        .map(|(place, _)| place)
}

/// The finite values of an expression at the states.
fn values<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    x: Ex<'g>,
    places: &[SampledState],
) -> Vec<Option<Measured>> {
    let program = compiled(p, equations, x);
    let value = |(t, q, v, z): &SampledState| {
        let state = p.carrier_state(equations.carrier, *t, q, v, z.as_deref())?;
        let values = program.as_ref()?.measured(*t, &state).ok()?;
        values.first().copied().filter(|x| x.value.is_finite())
    };
    places.iter().map(value).collect()
}

fn words(place: usize, has_start: bool, v: &[f64]) -> String {
    if place == 0 && has_start {
        return "at the start".to_owned();
    }
    let v: Vec<String> = v.iter().map(|v| format!("{v:.3}")).collect();
    format!("where the velocities are {}", v.join(", "))
}

/// An expression as a function of the state.
fn compiled<'g>(p: &Prepared<'g>, equations: &Equations<'g>, x: Ex<'g>) -> Option<Interpreter> {
    let mut sketch = equations.sketch.clone();
    sketch.output_list(RATE, &[x]);
    let symbols = [equations.t]
        .into_iter()
        .chain(equations.state.iter().copied());
    let symbols: Vec<_> = symbols
        .chain(equations.parameters.iter().copied())
        .collect();
    let program = sketch.program(&symbols, &[RATE]).ok()?;
    Some(Interpreter::new(program, &p.parameters))
}
