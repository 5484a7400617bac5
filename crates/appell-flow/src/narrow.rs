//! Steps that see functions which are felt in a narrow place only, as `tanh(u)` about `u = 0` or `exp(-u^2)`.
//!
//! A step whose stages all lie outside of the place does not see it. Of each function two quantities are known: `a`, at whose
//! zero it is the narrowest, and an argument `s`, by whose change from the value `s0` there it is felt. A step that leads
//! over the zero, or begins where the function is felt, changes `s` by a few units only.

use crate::evaluation::Workspace;
use crate::field::Field;
use crate::interpolant::{AlongStep, Interpolant};
use crate::root::bisect;
use crate::stop::first_zero_of;
use std::convert::Infallible;

/// A function is not felt where `s` is further than this from `s0`: `exp(-40)` is below rounding.
const FELT: f64 = 40.0;
/// What a step may change `s` by where it is felt.
const MOST: f64 = 8.0;
/// Places in a step at which `s` is compared.
const PLACES: usize = 16;
/// Zeros are looked for up to here in units of the step: one that ends beside a zero is not to be the last before it.
const AHEAD: f64 = 1.1;
/// A step that ends where a function begins to be felt may end a little before.
const BEFORE: f64 = 1.25;
/// A step is not made shorter than this part of itself at once, nor to nearly all of itself where that is for `MOST`.
const LEAST: f64 = 1e-9;
const NEARLY: f64 = 0.999;

/// The places of narrow functions that the motion is in.
#[derive(Debug, Default)]
pub(crate) struct Narrow {
    /// `s0` of each, where it is felt at the state.
    felt: Vec<Option<f64>>,
    /// Of the step in hand.
    next: Vec<Option<f64>>,
}

impl Narrow {
    /// The part of the step in hand after which it is to end; none where it may stand. The quantities are `a` and `s` of
    /// one function after the other.
    pub fn shorter(
        &mut self,
        quantities: &dyn Field,
        workspace: &mut Workspace,
        interpolant: &Interpolant,
    ) -> Option<f64> {
        let count = quantities.outputs() / 2;
        self.felt.resize(count, None);
        let mut along = AlongStep::new(quantities, workspace, interpolant);
        let mut at = |theta: f64| along.at(theta);
        let [start, end] = [at(0.0), at(1.0)];
        self.next.clone_from(&self.felt);
        let mut length: Option<f64> = None;
        for i in 0..count {
            let zero = first_zero_of(&mut |part| at(AHEAD * part)[2 * i]).map(|part| AHEAD * part);
            if let Some(zero) = zero {
                self.next[i] = Some(at(zero)[2 * i + 1]);
            } else if start[2 * i] == 0.0 {
                self.next[i] = Some(start[2 * i + 1]);
            }
            let Some(least) = self.next[i].filter(|s| s.is_finite()) else {
                continue;
            };
            let s = |values: &[f64]| values[2 * i + 1];
            let own = match (s(&start) - least).abs() > BEFORE * FELT {
                // Up to where it is felt.
                true => zero.map(|zero| {
                    let mut near = |theta| (s(&at(theta)) - least).abs() <= FELT;
                    first_place(zero, &mut near)
                }),
                false => {
                    let mut far = |theta| (s(&at(theta)) - s(&start)).abs() > MOST;
                    let places = (1..=PLACES).map(|place| place as f64 / PLACES as f64);
                    let places = places.chain(zero);
                    let first = places.filter(|theta| far(*theta)).reduce(f64::min);
                    let first = first.map(|first| first_place(first, &mut far));
                    first.filter(|part| *part < NEARLY)
                }
            };
            if (s(&end) - least).abs() > FELT {
                self.next[i] = None;
            }
            length = own.into_iter().chain(length).reduce(f64::min);
        }
        length.filter(|part| (LEAST..1.0).contains(part))
    }

    /// The step in hand was taken.
    pub fn taken(&mut self) {
        std::mem::swap(&mut self.felt, &mut self.next);
    }
}

/// The first part of a step from which on something holds, that does at `end`.
fn first_place(end: f64, holds: &mut dyn FnMut(f64) -> bool) -> f64 {
    bisect(0.0, end, |theta| Ok::<_, Infallible>(holds(theta))).unwrap_or(end)
}
