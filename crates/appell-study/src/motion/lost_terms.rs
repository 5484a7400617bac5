//! Claims that hold along a motion only because their largest terms hide the others.

use crate::motion::along::{Accuracy, FEW_STEPS, Values, ValuesAt, noises, tolerance};
use appell_flow::Measured;
use appell_model::{Claim, ClaimKind};
use std::ops::Range;

/// A term is there where its value is more than this part of what it was summed from.
const THERE: f64 = 1e-12;
/// A term is seen that is so many times what the claim is missed by, rounding included.
const SEEN: f64 = 100.0;

/// Why a claim that holds says nothing: each of its values is less than it may be missed by beside its terms, and so is a
/// term that is not 0, as `x^2` beside `1e18*(1 - cos(1e-9*x))`. None where every term counts. At the places of each of the
/// `sums` the values at the states of the motion are its terms.
pub(crate) fn lost_term(
    claim: &Claim,
    sums: &[Range<usize>],
    states: &[ValuesAt<'_>],
    values: &mut Values<'_>,
    accuracy: Accuracy,
) -> Option<String> {
    let all: Vec<&[Measured]> = states
        .iter()
        .map(|(_, terms)| terms.as_deref().ok())
        .collect::<Option<_>>()?;
    for place in sums {
        let Some((term, state)) = hidden(&all, place, tolerance(claim)) else {
            continue;
        };
        let size = all[state][term].value.abs();
        let largest = largest(&all[state][place.clone()]);
        // What it would be missed by without the term is seen.
        if size > SEEN * (missed_by(claim, &all, place) + f64::EPSILON * largest) {
            continue;
        }
        let noise = noises(states[state].0, values, accuracy);
        let noise = noise.get(term).copied().unwrap_or(f64::INFINITY);
        if size > FEW_STEPS * accuracy.steps as f64 * noise {
            return Some(format!(
                "its largest terms, {largest:.1e}, hide one of {size:.1e}, which is less than it may be missed by beside them: \
                 give the claim a `tolerance`, or ask `appell prove`"
            ));
        }
    }
    None
}

/// By how much a sum is missed: an equation's by what it is, a constant's by what it changes.
fn missed_by(claim: &Claim, all: &[&[Measured]], place: &Range<usize>) -> f64 {
    let sum = |terms: &&[Measured]| {
        terms[place.clone()]
            .iter()
            .map(|term| term.value)
            .sum::<f64>()
    };
    let first = match claim.kind {
        ClaimKind::Constant(_) => all.first().map_or(0.0, sum),
        _ => 0.0,
    };
    let misses = all.iter().map(|terms| (sum(terms) - first).abs());
    misses.fold(0.0, f64::max)
}

fn largest(terms: &[Measured]) -> f64 {
    terms
        .iter()
        .fold(0.0, |largest, term| largest.max(term.size))
}

/// Of a sum at the states of a motion, the largest term that is always less than so much beside the largest, and the state at
/// which it is largest; none where the sum itself is more.
fn hidden(all: &[&[Measured]], place: &Range<usize>, tolerance: f64) -> Option<(usize, usize)> {
    let limits: Vec<f64> = all
        .iter()
        .map(|terms| tolerance * largest(&terms[place.clone()]))
        .collect();
    let is_always_less = |value: &dyn Fn(&[Measured]) -> f64| {
        let mut pairs = all.iter().zip(&limits);
        pairs.all(|(terms, limit)| value(terms).abs() <= *limit)
    };
    if !is_always_less(&|terms| terms[place.clone()].iter().map(|term| term.value).sum()) {
        return None;
    }
    let hidden = place
        .clone()
        .filter(|i| is_always_less(&|terms| terms[*i].value));
    let places = hidden.flat_map(|i| (0..all.len()).map(move |state| (i, state)));
    let size = |(i, state): &(usize, usize)| all[*state][*i].value.abs();
    let there = places.filter(|(i, state)| size(&(*i, *state)) > THERE * all[*state][*i].size);
    there.max_by(|a, b| size(a).total_cmp(&size(b)))
}
