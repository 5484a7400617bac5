//! Steps that see functions which are felt in a narrow place only, as `tanh(u)` about `u = 0` or `exp(-u^2)`.
//!
//! A step whose stages all lie outside of the place does not see it. Of each function an argument `s` is known, by whose change
//! from its value `s0` at that place it is felt: of some at the zero of another quantity `a`, of others where `s` is the
//! largest along the motion. A step that leads over the place, or begins where the function is felt, changes `s` by a few
//! units only.

use crate::evaluation::Workspace;
use crate::field::{Field, Joined};
use crate::interpolant::{AlongStep, Interpolant};
use crate::root::{bisect, minimum};
use crate::stop::first_zero_of;
use std::convert::Infallible;

/// A function is not felt where `s` is further than this from `s0`: `exp(-40)` is below rounding.
const FELT: f64 = 40.0;
/// What a step may change `s` by where it is felt.
const MAX_CHANGE: f64 = 8.0;
/// Places in a step at which `s` is compared.
const PLACES: usize = 16;
/// Zeros are looked for up to here in units of the step: one that ends beside a zero is not to be the last before it.
const AHEAD: f64 = 1.25;
/// Where an argument changes by less from one place to the next, a step sees the function.
const SEEN: f64 = 0.03;
/// Over these parts of the way to the first place the start of a step shows whether a quantity grows there.
const SHORTLY: [f64; 5] = [1e-2, 1e-4, 1e-6, 1e-8, 1e-10];
/// A step that ends where a function begins to be felt may end a little before or behind.
const BEFORE: f64 = 1.25;
const NEAR: f64 = 0.8;
/// The exponential function of less is 0.
const LOWEST: f64 = -750.0;
/// A step is not made shorter than this part of itself at once, nor to nearly all of itself where that is for `MAX_CHANGE`.
const LEAST: f64 = 1e-9;
const NEARLY: f64 = 0.999;

/// The places of narrow functions that the motion is in.
#[derive(Debug, Default)]
pub(crate) struct Narrow {
    /// `s0` of each, where it is felt at the state.
    felt: Vec<Option<f64>>,
    /// Of the step in hand.
    next: Vec<Option<f64>>,
    /// Whether a step was taken.
    has_begun: bool,
}

impl Narrow {
    /// The part of the step in hand after which it is to end; none where it may stand. The quantities are `a` and `s` of one
    /// function after the other, and those `s` that are felt where they are the largest.
    pub fn shorter(
        &mut self,
        quantities: [Option<&dyn Field>; 2],
        workspace: &mut Workspace,
        interpolant: &Interpolant,
    ) -> Option<f64> {
        let [pairs, peaks] = quantities.map(|quantity| quantity.map_or(0, |field| field.outputs()));
        let (pairs, all) = (
            pairs / 2,
            Joined(quantities.into_iter().flatten().collect()),
        );
        let mut along = AlongStep::new(&all, workspace, interpolant);
        self.felt.resize(pairs + peaks, None);
        self.next.clone_from(&self.felt);
        let mut length: Option<f64> = None;
        for i in 0..pairs + peaks {
            let argument = if i < pairs { 2 * i + 1 } else { pairs + i };
            let begins = !self.has_begun;
            let place = match i < pairs {
                true => zero(&mut |theta| along.at(theta)[2 * i]),
                false => peak(&mut |theta| along.at(theta)[argument], begins),
            };
            let mut s = |theta: f64| along.at(theta)[argument];
            if let Some(place) = place {
                self.next[i] = Some(s(place)).filter(|s| i < pairs || *s > LOWEST);
            }
            let Some(least) = self.next[i].filter(|s| s.is_finite()) else {
                continue;
            };
            let start = s(0.0);
            let ahead = place.filter(|place| *place > 0.0);
            let limit = match (start - least).abs() > BEFORE * FELT {
                // Up to where it is felt, unless the step ends there.
                true => ahead
                    .filter(|place| *place < 1.0 || (s(1.0) - least).abs() <= NEAR * FELT)
                    .map(|place| first_place(place, &mut |theta| (s(theta) - least).abs() <= FELT)),
                false => {
                    let mut far = |theta| (s(theta) - start).abs() > MAX_CHANGE;
                    let places = (1..=PLACES).map(|place| place as f64 / PLACES as f64);
                    let first = places.chain(ahead).filter(|theta| far(*theta));
                    let first = first.reduce(f64::min);
                    let first = first.map(|first| first_place(first, &mut far));
                    first.filter(|part| *part < NEARLY)
                }
            };
            if (s(1.0) - least).abs() > BEFORE * FELT {
                self.next[i] = None;
            }
            length = limit.into_iter().chain(length).reduce(f64::min);
        }
        length.filter(|part| (LEAST..1.0).contains(part))
    }

    /// The step in hand was taken.
    pub fn taken(&mut self) {
        std::mem::swap(&mut self.felt, &mut self.next);
        self.has_begun = true;
    }
}

/// The first zero of a quantity within the step, and a little further.
fn zero(a: &mut dyn FnMut(f64) -> f64) -> Option<f64> {
    if a(0.0) == 0.0 {
        return Some(0.0);
    }
    first_zero_of(&mut |part| a(AHEAD * part)).map(|part| AHEAD * part)
}

/// The first place within the step, and a little further, where a quantity is larger than before and behind; the start of a
/// motion that `begins` there.
fn peak(s: &mut dyn FnMut(f64) -> f64, begins: bool) -> Option<f64> {
    let place = |i: usize| AHEAD * i as f64 / PLACES as f64;
    let values: [f64; PLACES + 1] = std::array::from_fn(|i| s(place(i)));
    if begins && values[0] >= values[1] {
        return Some(0.0);
    }
    let is_top = |i: &usize| {
        let sides = [values[i - 1], values[i + 1]];
        let falls = values[*i] > sides[0] && values[*i] >= sides[1];
        falls && values[*i] - sides[0].min(sides[1]) > SEEN
    };
    let mut grows = || SHORTLY.iter().any(|part| s(part * place(1)) > values[0]);
    let within = match values[0] - values[1] > SEEN && grows() {
        true => [0, 1],
        false => (1..PLACES).find(is_top).map(|top| [top - 1, top + 1])?,
    };
    let [from, to] = within.map(place);
    let found = minimum(from, to, |theta| Ok::<_, Infallible>(-s(theta)));
    found.ok().map(|(place, _)| place)
}

/// The first part of a step from which on something holds, that does at `end`.
fn first_place(end: f64, holds: &mut dyn FnMut(f64) -> bool) -> f64 {
    bisect(0.0, end, |theta| Ok::<_, Infallible>(holds(theta))).unwrap_or(end)
}
