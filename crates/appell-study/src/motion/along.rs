//! What the values of a claim along a motion say of it.

use crate::values::error::Error;
use appell_expr::{Id, Relation};
use appell_flow::{EvalError, Measured, linear};
use appell_model::{Claim, ClaimKind, Condition};
use serde::Serialize;
use std::ops::Range;

/// What became of a claim along one motion. Numbers, not a proof.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimResult {
    /// The claim.
    pub name: String,
    /// Whether it holds; `None` if that could not be decided.
    pub holds: Option<bool>,
    /// The largest deviation, relative to `max(1, value)`; relative to its terms, where they are far below 1 and it does
    /// not hold for that.
    pub drift: Option<f64>,
    /// Why it could not be decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether the claim is that the formula is wrong: it holds where the formula fails.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refuted: bool,
    /// Of a condition that is to hold always, at how many samples it was looked at where it was looked at there only: it
    /// may fail between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
    /// When a condition that is to hold always first did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed_at: Option<f64>,
    /// Whether it speaks of statically indeterminate forces: it was held against those of the least multipliers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub least_multipliers: bool,
}

/// Equations hold at each state by itself, to rounding errors.
const EQUATION_TOLERANCE: f64 = 1e-9;
/// Constants inherit the integrator's error, which grows with the number of steps.
const STEPS_ALLOWED: f64 = 1e4;
/// What a state inherits where the errors of steps do not add up.
pub(crate) const FEW_STEPS: f64 = 10.0;
/// A drift above this is not taken for rounding, however coarse the run.
const TELLING: f64 = 1e-6;
/// Beside terms that are larger than the errors of the state, a miss above this is not taken for one of these.
const COARSE: f64 = 1e-4;
/// A change of less than this beside the terms is rounding.
const ROUNDING: f64 = 1e-13;

/// Whether a claim is judged along a motion; the others do not depend on one.
pub fn is_of_motions(claim: &Claim) -> bool {
    match claim.kind {
        ClaimKind::Constant(_) | ClaimKind::Equation(_) | ClaimKind::Always(_) => true,
        ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => false,
    }
}

/// How far a claim may be missed, relative to the larger of 1 and its terms.
pub(crate) fn tolerance(claim: &Claim) -> f64 {
    claim.tolerance.unwrap_or(EQUATION_TOLERANCE)
}

/// The tolerances that a motion was computed with: of a component `y` of its state `rtol |y| + atol`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accuracy {
    /// The relative tolerance.
    pub rtol: f64,
    /// The absolute tolerance.
    pub atol: f64,
    /// How many steps were taken.
    pub steps: usize,
}

/// The digits of a state that the tolerances should control.
const CONTROLLED: f64 = 1e-6;

/// The largest of the sizes of states, unless the first is 0: what begins at rest at 0 may move by rounding only.
pub(crate) fn largest_unless_at_zero(sizes: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sizes = sizes.peekable();
    sizes.peek().filter(|first| **first > 0.0)?;
    Some(sizes.fold(0.0, f64::max))
}

/// Whether the absolute tolerance controls only few digits of states of this size.
fn is_beside_tolerance(largest: f64, atol: f64) -> bool {
    largest * CONTROLLED < atol
}

/// The same in words.
pub(crate) fn beside_tolerance(largest: f64, atol: f64) -> Option<String> {
    is_beside_tolerance(largest, atol).then(|| {
        format!(
            "The state stays below {largest:.1e}, so that the absolute tolerance {atol:.1e} controls fewer than six \
             of its digits: use a smaller `atol`, or larger units."
        )
    })
}

/// What a claim may miss along a motion, relative to the larger of 1 and its terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    /// It holds where it misses less than this.
    pub rounding: f64,
    /// It does not hold where it misses more than this.
    pub most: f64,
}

impl Allowed {
    /// It holds where it misses less than this, and else it does not.
    fn exactly(most: f64) -> Self {
        Self {
            rounding: most,
            most,
        }
    }
}

/// What a claim may miss along a motion that was computed with these tolerances: an error of the motion is no more than a few
/// tolerances for each step, and may be where steps are many.
pub(crate) fn allowed(claim: &Claim, accuracy: Accuracy) -> Allowed {
    let largest = accuracy.rtol.max(accuracy.atol);
    let most = match (&claim.kind, claim.tolerance) {
        (ClaimKind::Constant(_), None) => EQUATION_TOLERANCE.max(STEPS_ALLOWED * largest),
        _ => tolerance(claim),
    };
    let rounding = match claim.tolerance {
        Some(tolerance) => tolerance,
        None => (FEW_STEPS * accuracy.steps as f64 * largest).clamp(EQUATION_TOLERANCE, TELLING),
    };
    Allowed { rounding, most }
}

/// The values of a claim at a time and a state, so many, and then those of its domain.
pub(crate) type Values<'v> = dyn FnMut(f64, &[f64]) -> Result<Vec<Measured>, EvalError> + 'v;

/// The values of a claim and of its domain at a state.
pub(crate) type ValuesAt<'s> = ((f64, &'s [f64]), Result<Vec<Measured>, EvalError>);

/// Where what a claim says stands among the values.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// So many values are the claim's, and come first.
    pub length: usize,
    /// Of each of them, the terms of the sum that it is; none where these are not known.
    pub terms: Vec<Range<usize>>,
}

impl Layout {
    /// Of sums whose terms begin at a place.
    pub fn new(length: usize, mut first: usize, sums: &[Vec<Id>]) -> Self {
        let range = |sum: &Vec<Id>| {
            let range = first..first + sum.len();
            first = range.end;
            range
        };
        Self {
            length,
            terms: sums.iter().map(range).collect(),
        }
    }
}

/// What became of a claim at states of a motion, its start first, that was computed with these tolerances; `values` gives
/// those at other states.
pub(crate) fn judged(
    claim: &Claim,
    layout: &Layout,
    all: Vec<ValuesAt<'_>>,
    values: &mut Values<'_>,
    accuracy: Accuracy,
) -> ClaimResult {
    let begin = all.first().map_or(0.0, |((t, _), _)| *t);
    let sizes = all.iter().map(|((_, y), _)| linear::max_norm(y.iter()));
    let largest = largest_unless_at_zero(sizes);
    let is_small = largest.is_some_and(|size| is_beside_tolerance(size, accuracy.atol));
    let length = layout.length;
    let found = in_domain(claim, layout, all);
    let mut allowed = allowed(claim, accuracy);
    if let ClaimKind::Always(condition) = &claim.kind {
        let found = found.map(|found| misses(claim, condition, begin, &found));
        let noise = |state: (f64, &[f64])| noise(length, state, values, accuracy);
        return always(claim, found.map(|found| found.beside(claim, noise)));
    }
    let found = found.and_then(|found| {
        let deviation = deviation(claim, &found, allowed.most)?;
        if claim.tolerance.is_some() {
            return Ok(deviation.relative);
        }
        let mut noise = |state: (f64, &[f64])| noise(length, state, values, accuracy);
        let tells = deviation.tells(claim, allowed.most, is_small, &mut noise)?;
        let errors = FEW_STEPS * accuracy.steps as f64 * noise(deviation.at[1]);
        if deviation.may_be_of_the_motion(claim, &found[0], allowed.most, errors) {
            return Err(Error::no_value(TOO_COARSE));
        }
        // Errors of the state are larger in terms that are large beside the value.
        if deviation.relative > allowed.rounding && deviation.relative <= TELLING {
            let [first, most] = deviation.at.map(noise);
            let errors = FEW_STEPS * accuracy.steps as f64 * (first + most);
            if deviation.absolute <= errors {
                allowed.rounding = allowed.most;
            }
        }
        let is_within = deviation.relative <= allowed.most;
        if tells || is_within && is_wrong_at_start(claim, &found[0], length, values) {
            // Beside terms that are small it is missed by more than any tolerance.
            allowed = Allowed::exactly(0.0);
            return Ok(deviation.beside_terms());
        }
        Ok(deviation.relative)
    });
    result(claim, found, allowed)
}

/// Why a claim is not decided that is missed by a little.
const TOO_COARSE: &str =
    "the run is not accurate enough to decide: use smaller tolerances, or give the claim its own";

/// What a deviation says of a claim that may miss so much.
pub(crate) fn result(
    claim: &Claim,
    deviation: Result<f64, Error>,
    allowed: Allowed,
) -> ClaimResult {
    let open = ClaimResult {
        name: claim.name.clone(),
        holds: None,
        drift: None,
        why: None,
        refuted: claim.refuted,
        samples: None,
        missed_at: None,
        least_multipliers: false,
    };
    match deviation {
        Err(why) => ClaimResult {
            why: Some(why.to_string()),
            ..open
        },
        Ok(drift) if drift > allowed.rounding && drift <= allowed.most => ClaimResult {
            drift: Some(drift),
            why: Some(TOO_COARSE.to_owned()),
            ..open
        },
        Ok(drift) => {
            let agrees = drift <= allowed.most;
            // One motion refutes a formula; it cannot show that none does.
            let why = "the formula holds along this motion; `appell prove` tells whether it does along every one";
            let is_open = agrees && claim.refuted;
            ClaimResult {
                holds: (!is_open).then_some(agrees != claim.refuted),
                drift: Some(drift),
                why: is_open.then(|| why.to_owned()),
                ..open
            }
        }
    }
}

/// The values of a claim at a state.
struct Found<'s> {
    t: f64,
    y: &'s [f64],
    values: Vec<Measured>,
    /// Of each, the largest term of the formula as it is written, where the claim's own tolerance refers to it.
    terms: Vec<f64>,
}

impl Found<'_> {
    /// By how much a value misses, relative to the larger of 1 and its terms: those of the formula where the claim has a
    /// tolerance, all that went into them, as forces that cancel, else. What is rounding of these is no miss.
    fn relative(&self, place: usize, missed: f64) -> f64 {
        let size = self.values[place].size;
        match self.terms.get(place) {
            Some(_) if missed <= ROUNDING * size => 0.0,
            Some(largest) => missed / largest.max(1.0),
            None => missed / size.max(1.0),
        }
    }
}

/// The values at the states that lie in the domain of a claim.
fn in_domain<'s>(
    claim: &Claim,
    layout: &Layout,
    states: Vec<ValuesAt<'s>>,
) -> Result<Vec<Found<'s>>, Error> {
    let count = states.len();
    let mut all = Vec::with_capacity(count);
    for ((t, y), measured) in states {
        let measured = measured.map_err(|error| Error::no_value(format!("at t = {t}: {error}")))?;
        let (value, gaps) = measured.split_at(layout.length);
        let mut domain = claim.domain.iter().zip(gaps);
        if !domain.all(|(condition, gap)| holds(condition.relation, gap.value)) {
            continue;
        }
        if value.iter().any(|x| !x.value.is_finite()) {
            return Err(Error::no_value(format!(
                "it has no finite value at t = {t}"
            )));
        }
        if value
            .iter()
            .any(|x| x.size == f64::INFINITY && x.value != 0.0)
        {
            return Err(Error::no_value(format!(
                "no digits are left of it at t = {t}, as of the sine of an angle of 1e11"
            )));
        }
        let sums = layout.terms.iter().filter(|_| claim.tolerance.is_some());
        let sizes = |sum: &Range<usize>| measured[sum.clone()].iter().map(|term| term.value.abs());
        all.push(Found {
            t,
            y,
            values: value.to_vec(),
            terms: sums.map(|sum| sizes(sum).fold(0.0, f64::max)).collect(),
        });
    }
    if all.is_empty() {
        return Err(Error::no_value("no sample lies in its domain"));
    }
    if all.len() == 1 && count > 1 && matches!(claim.kind, ClaimKind::Constant(_)) {
        return Err(Error::no_value("one sample alone lies in its domain"));
    }
    Ok(all)
}

/// The largest deviation of a constant or an equation.
struct Deviation<'s> {
    /// Relative to the larger of 1 and the terms, see [`Found::relative`]; of a constant, and its first value.
    relative: f64,
    /// As it is.
    absolute: f64,
    /// The largest absolute terms that were met.
    size: f64,
    /// The first state, and the one with the largest deviation.
    at: [(f64, &'s [f64]); 2],
}

fn deviation<'s>(claim: &Claim, all: &[Found<'s>], allowed: f64) -> Result<Deviation<'s>, Error> {
    let constant = matches!(claim.kind, ClaimKind::Constant(_));
    let first = if constant {
        all[0].values[0].value
    } else {
        0.0
    };
    let mut found = Deviation {
        relative: 0.0,
        absolute: 0.0,
        size: 0.0,
        at: [(all[0].t, all[0].y); 2],
    };
    let places = all
        .iter()
        .flat_map(|state| state.values.iter().enumerate().map(move |x| (state, x)));
    for (state, (place, x)) in places {
        let change = (x.value - first).abs();
        if change > found.absolute {
            found.at[1] = (state.t, state.y);
        }
        found.absolute = found.absolute.max(change);
        let relative = match constant {
            true => change / first.abs().max(1.0),
            false => state.relative(place, change),
        };
        found.relative = found.relative.max(relative);
        found.size = found.size.max(x.size);
    }
    if constant && found.relative > allowed && found.absolute <= ROUNDING * found.size {
        let why = format!(
            "it changes by {:.1e}, which is within the rounding of its terms, {:.1e}",
            found.absolute, found.size
        );
        return Err(Error::no_value(why));
    }
    Ok(found)
}

impl Deviation<'_> {
    fn beside_terms(&self) -> f64 {
        self.absolute / self.size
    }

    /// Whether an equation that holds at the start, and is missed by a little later, may be missed for the errors of the
    /// motion, as `x = cos(t)`.
    fn may_be_of_the_motion(
        &self,
        claim: &Claim,
        first: &Found<'_>,
        allowed: f64,
        errors: f64,
    ) -> bool {
        let is_equation = matches!(claim.kind, ClaimKind::Equation(_));
        let holds = |x: &Measured| x.value.abs() <= allowed * x.size.max(1.0);
        is_equation
            && (allowed..=TELLING).contains(&self.relative)
            && self.absolute <= errors
            && first.values.iter().all(holds)
    }

    /// Looks at claims whose terms are far from 1, where a deviation relative to 1 says nothing: beside their terms,
    /// and beside what errors of the state make of them, which `noise` tells. Whether a deviation that is small beside
    /// 1 is none of these. Of a motion that is itself as `small` as errors of its steps nothing follows.
    ///
    /// # Errors
    /// It may be an error of the motion, and it may not.
    fn tells(
        &self,
        claim: &Claim,
        allowed: f64,
        small: bool,
        mut noise: impl FnMut((f64, &[f64])) -> f64,
    ) -> Result<bool, Error> {
        let holds = self.relative <= allowed;
        let constant = matches!(claim.kind, ClaimKind::Constant(_));
        if holds && self.absolute <= TELLING * self.size || !holds && !constant {
            return Ok(false);
        }
        let noise = noise(self.at[0]) + noise(self.at[1]);
        if holds && self.absolute > STEPS_ALLOWED * noise {
            return Ok(true);
        }
        // What is a good part of its terms is none of their rounding, though errors of the state may explain it.
        let is_large = noise < self.size && self.absolute > COARSE * self.size;
        let (least, most) = match holds {
            true if small && constant || is_large => (0.0, f64::INFINITY),
            true => (FEW_STEPS, f64::INFINITY),
            false => (0.0, STEPS_ALLOWED),
        };
        if self.absolute > least * noise && self.absolute <= most * noise {
            return Err(Error::no_value(format!(
                "it changes by {:.1e} beside terms of {:.1e}, and the run is not accurate enough to decide: use smaller tolerances",
                self.absolute, self.size
            )));
        }
        Ok(false)
    }
}

/// A state at the start is known to this part of its largest component.
const START: f64 = 1e-9;

/// Whether an equation fails at the start, however small its terms are beside 1: no step has erred there.
fn is_wrong_at_start(
    claim: &Claim,
    start: &Found<'_>,
    length: usize,
    values: &mut Values<'_>,
) -> bool {
    let gap = |x: &Measured| Some(x.value.abs()).filter(|gap| *gap > TELLING * x.size);
    let gaps = start.values.iter().filter_map(gap);
    let (largest, state) = (gaps.fold(0.0, f64::max), (start.t, start.y));
    let equation = matches!(claim.kind, ClaimKind::Equation(_));
    let size = linear::max_norm(start.y.iter());
    let rounded = Accuracy {
        rtol: 0.0,
        steps: 0,
        atol: START * size,
    };
    equation && largest > 0.0 && largest > noise(length, state, values, rounded)
}

/// By how much a claim of so many values changes where each component of the state does by what the tolerances allow.
fn noise(length: usize, state: (f64, &[f64]), values: &mut Values<'_>, accuracy: Accuracy) -> f64 {
    let all = noises(state, values, accuracy);
    all.into_iter().take(length).fold(0.0, f64::max)
}

/// By how much each value does.
pub(crate) fn noises(
    (t, y): (f64, &[f64]),
    values: &mut Values<'_>,
    accuracy: Accuracy,
) -> Vec<f64> {
    let Ok(here) = values(t, y) else {
        return vec![f64::INFINITY];
    };
    let mut near = y.to_vec();
    let mut changes = vec![0.0; here.len()];
    for (i, x) in y.iter().enumerate() {
        near[i] = x + accuracy.rtol * x.abs() + accuracy.atol;
        let Ok(found) = values(t, &near) else {
            return vec![f64::INFINITY; here.len()];
        };
        near[i] = *x;
        let pairs = changes.iter_mut().zip(found.iter().zip(&here));
        pairs.for_each(|(sum, (x, value))| *sum += (x.value - value.value).abs());
    }
    changes
}

/// How a condition that is to hold always was missed.
struct Misses<'s> {
    /// By how much, relative to `max(1, value)`.
    largest: f64,
    /// By how much relative to the value.
    beside_value: f64,
    /// Where that is so most, and by how much.
    most: Option<(f64, &'s [f64], f64)>,
    /// When first by more than rounding of the value.
    first: Option<f64>,
    /// When first by more than the tolerance, or by nothing where it is strict.
    decisive: Option<f64>,
}

impl Misses<'_> {
    /// Whether it is told that the condition holds, or that it does not.
    fn is_decided(&self, claim: &Claim) -> bool {
        self.decisive.is_some()
            || claim.tolerance.is_some()
            || self.beside_value <= EQUATION_TOLERANCE
    }

    /// Where terms are far below 1, what is missed by more than errors of the state explain is so.
    fn beside(self, claim: &Claim, mut noise: impl FnMut((f64, &[f64])) -> f64) -> Self {
        let most = self.most.filter(|_| !self.is_decided(claim));
        let tells = most.filter(|(t, y, missed)| *missed > STEPS_ALLOWED * noise((*t, y)));
        Self {
            decisive: self.decisive.or(self.first.filter(|_| tells.is_some())),
            ..self
        }
    }
}

/// A condition that was noted where it was missed by more than the tolerance is so but for rounding.
const JUST: f64 = 1.0 - 1e-6;

/// Looks for states at which a condition does not hold, of a motion that begins at a time.
fn misses<'s>(
    claim: &Claim,
    condition: &Condition,
    begin: f64,
    states: &[Found<'s>],
) -> Misses<'s> {
    let strict = matches!(condition.relation, Relation::Less | Relation::Greater);
    let miss = |gap: f64| match condition.relation {
        Relation::Less | Relation::LessEqual => gap.max(0.0),
        Relation::Greater | Relation::GreaterEqual => (-gap).max(0.0),
        Relation::Equal => gap.abs(),
    };
    let mut found = Misses {
        largest: 0.0,
        beside_value: 0.0,
        most: None,
        first: None,
        decisive: None,
    };
    for state in states {
        let (t, y, value) = (&state.t, &state.y, state.values[0]);
        let missed = miss(value.value);
        let relative = state.relative(0, missed);
        found.largest = found.largest.max(relative);
        if missed > 0.0 && missed / value.size > found.beside_value {
            found.beside_value = missed / value.size;
            found.most = Some((*t, y, missed));
        }
        let is_before = |first: f64| (t - begin).abs() < (first - begin).abs();
        if missed > JUST * EQUATION_TOLERANCE * value.size && found.first.is_none_or(is_before) {
            found.first = Some(*t);
        }
        if found.decisive.is_none_or(is_before)
            && (relative > JUST * tolerance(claim) || strict && value.value == 0.0)
        {
            found.decisive = Some(*t);
        }
    }
    found
}

/// A condition that is missed by less than the tolerance holds where that is rounding beside the sides of the
/// condition; else the claim's own tolerance tells.
fn always(claim: &Claim, misses: Result<Misses<'_>, Error>) -> ClaimResult {
    let deviation = match &misses {
        Err(why) => Err(Error::no_value(why.to_string())),
        Ok(found) if found.decisive.is_some() => Ok(f64::INFINITY),
        Ok(_) => Ok(0.0),
    };
    let judged = result(claim, deviation, Allowed::exactly(tolerance(claim)));
    let Ok(misses) = misses else { return judged };
    let told = misses.is_decided(claim);
    let why = "the deviation is within the error of the run: give the claim a tolerance";
    ClaimResult {
        holds: judged.holds.filter(|_| told),
        why: (!told).then(|| why.to_owned()),
        drift: Some(misses.largest),
        missed_at: misses.decisive,
        ..judged
    }
}

/// Whether a relation holds where the difference of its sides is `gap`; equations to 1e-9.
pub fn holds(relation: Relation, gap: f64) -> bool {
    match relation {
        Relation::Less => gap < 0.0,
        Relation::LessEqual => gap <= 0.0,
        Relation::Greater => gap > 0.0,
        Relation::GreaterEqual => gap >= 0.0,
        Relation::Equal => gap.abs() <= EQUATION_TOLERANCE,
    }
}
