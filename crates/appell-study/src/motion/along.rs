//! What the values of a claim along a motion say of it.

use crate::values::error::Error;
use appell_expr::Relation;
use appell_flow::{EvalError, Measured};
use appell_model::{Claim, ClaimKind, Condition};
use serde::Serialize;

/// What became of a claim along one motion. Numbers, not a proof.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimResult {
    /// The claim.
    pub name: String,
    /// Whether it holds; `None` if that could not be decided.
    pub holds: Option<bool>,
    /// The largest deviation, relative to `max(1, value)`.
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
/// A drift above this is not taken for rounding, however coarse the run.
const TELLING: f64 = 1e-6;
/// A change of less than this beside the terms is rounding.
const ROUNDING: f64 = 1e-13;
/// Whether a claim speaks of a motion: others say the same of all.
pub fn is_of_motions(claim: &Claim) -> bool {
    match claim.kind {
        ClaimKind::Constant(_) | ClaimKind::Equation(_) | ClaimKind::Always(_) => true,
        ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => false,
    }
}

/// How far a claim may be missed, relative to the larger of 1 and the value.
pub(crate) fn tolerance(claim: &Claim) -> f64 {
    claim.tolerance.unwrap_or(EQUATION_TOLERANCE)
}

/// The same along a motion that was computed with this tolerance.
pub(crate) fn allowed(claim: &Claim, accuracy: f64) -> f64 {
    match (&claim.kind, claim.tolerance) {
        (ClaimKind::Constant(_), None) => EQUATION_TOLERANCE.max(STEPS_ALLOWED * accuracy),
        _ => tolerance(claim),
    }
}

/// What became of a claim at states of a motion: of each the time and the values of the claim, so many, and of its
/// domain.
pub(crate) fn judged(
    claim: &Claim,
    length: usize,
    rows: impl Iterator<Item = (f64, Result<Vec<Measured>, EvalError>)>,
    allowed: f64,
) -> ClaimResult {
    let values = in_domain(claim, length, rows);
    match &claim.kind {
        ClaimKind::Always(condition) => {
            let misses = values.map(|values| misses(claim, condition, &values));
            always(claim, misses)
        }
        _ => result(
            claim,
            values.and_then(|values| deviation(claim, &values, allowed)),
            allowed,
        ),
    }
}

/// What a deviation says of a claim with this tolerance.
pub(crate) fn result(claim: &Claim, deviation: Result<f64, Error>, tolerance: f64) -> ClaimResult {
    let (name, refuted) = (claim.name.clone(), claim.refuted);
    match deviation {
        Err(why) => ClaimResult {
            name,
            holds: None,
            drift: None,
            why: Some(why.to_string()),
            refuted,
            samples: None,
            missed_at: None,
            least_multipliers: false,
        },
        Ok(drift) if drift > TELLING && drift <= tolerance && claim.tolerance.is_none() => {
            let why =
                "the run is too coarse to tell: give it smaller tolerances, or the claim its own";
            ClaimResult {
                name,
                holds: None,
                drift: Some(drift),
                why: Some(why.to_owned()),
                refuted,
                samples: None,
                missed_at: None,
                least_multipliers: false,
            }
        }
        Ok(drift) => {
            let holds = (drift <= tolerance) != refuted;
            ClaimResult {
                name,
                holds: Some(holds),
                drift: Some(drift),
                why: None,
                refuted,
                samples: None,
                missed_at: None,
                least_multipliers: false,
            }
        }
    }
}

/// The values at the states that lie in the domain of a claim, with their times.
fn in_domain(
    claim: &Claim,
    length: usize,
    rows: impl Iterator<Item = (f64, Result<Vec<Measured>, EvalError>)>,
) -> Result<Vec<(f64, Vec<Measured>)>, Error> {
    let mut values = Vec::new();
    for (t, measured) in rows {
        let measured = measured.map_err(|error| Error::no_value(format!("at t = {t}: {error}")))?;
        let (value, gaps) = measured.split_at(length);
        let mut domain = claim.domain.iter().zip(gaps);
        if !domain.all(|(condition, gap)| holds(condition, gap.value)) {
            continue;
        }
        if value.iter().any(|x| !x.value.is_finite()) {
            return Err(Error::no_value(format!(
                "it has no finite value at t = {t}"
            )));
        }
        values.push((t, value.to_vec()));
    }
    if values.is_empty() {
        return Err(Error::no_value("no sample lies in its domain"));
    }
    Ok(values)
}

/// The largest deviation of a constant or an equation.
fn deviation(claim: &Claim, values: &[(f64, Vec<Measured>)], allowed: f64) -> Result<f64, Error> {
    let first = values[0].1[0].value;
    let all = || values.iter().flat_map(|(_, x)| x);
    if !matches!(claim.kind, ClaimKind::Constant(_)) {
        let deviations = all().map(|x| x.value.abs() / x.size.max(1.0));
        return Ok(deviations.fold(0.0, f64::max));
    }
    let change = all().map(|x| (x.value - first).abs()).fold(0.0, f64::max);
    let size = all().map(|x| x.size).fold(0.0, f64::max);
    let drift = change / first.abs().max(1.0);
    if drift > allowed && change <= ROUNDING * size {
        let why = format!(
            "it changes by {change:.1e}, which is rounding of its terms, as large as {size:.1e}"
        );
        return Err(Error::no_value(why));
    }
    Ok(drift)
}

/// How a condition that is to hold always was missed.
struct Misses {
    /// By how much, relative to `max(1, value)`.
    largest: f64,
    /// By how much relative to the value.
    beside_value: f64,
    /// When first by more than the tolerance, or by nothing where it is strict.
    decisive: Option<f64>,
}

/// A condition that was noted where it was missed by more than the tolerance is so but for rounding.
const JUST: f64 = 1.0 - 1e-6;

/// Looks for states at which a condition does not hold.
fn misses(claim: &Claim, condition: &Condition, values: &[(f64, Vec<Measured>)]) -> Misses {
    let begin = values[0].0;
    let strict = matches!(condition.relation, Relation::Less | Relation::Greater);
    let miss = |gap: f64| match condition.relation {
        Relation::Less | Relation::LessEqual => gap.max(0.0),
        Relation::Greater | Relation::GreaterEqual => (-gap).max(0.0),
        Relation::Equal => gap.abs(),
    };
    let mut found = Misses {
        largest: 0.0,
        beside_value: 0.0,
        decisive: None,
    };
    for (t, all) in values {
        let value = all[0];
        let missed = miss(value.value);
        let relative = missed / value.size.max(1.0);
        found.largest = found.largest.max(relative);
        if missed > 0.0 {
            found.beside_value = found.beside_value.max(missed / value.size);
        }
        let first = found
            .decisive
            .is_none_or(|first| (t - begin).abs() < (first - begin).abs());
        if first && (relative > JUST * tolerance(claim) || strict && value.value == 0.0) {
            found.decisive = Some(*t);
        }
    }
    found
}

/// A condition that is missed by less than the tolerance holds where that is rounding beside the sides of the
/// condition; else the claim's own tolerance tells.
fn always(claim: &Claim, misses: Result<Misses, Error>) -> ClaimResult {
    let deviation = match &misses {
        Err(why) => Err(Error::no_value(why.to_string())),
        Ok(own) if own.decisive.is_some() => Ok(f64::INFINITY),
        Ok(_) => Ok(0.0),
    };
    let own = result(claim, deviation, tolerance(claim));
    let Ok(misses) = misses else { return own };
    let told = misses.decisive.is_some()
        || claim.tolerance.is_some()
        || misses.beside_value <= EQUATION_TOLERANCE;
    let why = "it is missed by less than the run can tell: give the claim a tolerance";
    ClaimResult {
        holds: own.holds.filter(|_| told),
        why: (!told).then(|| why.to_owned()),
        drift: Some(misses.largest),
        missed_at: misses.decisive,
        ..own
    }
}

/// Whether a condition holds where its difference of both sides is `gap`.
pub(crate) fn holds(condition: &Condition, gap: f64) -> bool {
    match condition.relation {
        Relation::Less => gap < 0.0,
        Relation::LessEqual => gap <= 0.0,
        Relation::Greater => gap > 0.0,
        Relation::GreaterEqual => gap >= 0.0,
        Relation::Equal => gap.abs() <= EQUATION_TOLERANCE,
    }
}
