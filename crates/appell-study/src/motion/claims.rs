//! The claims of a file, held against a motion.

use crate::constraints::classes::{ConstraintClass, SampledConstraints};
use crate::motion::audit::Audit;
use crate::states::nearest::{parameters_of, state_satisfying};
use crate::states::status::{Status, judge};
use crate::values::error::Error;
use crate::values::outputs::{claim_output, domain_output};
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::Relation;
use appell_expr::limits::attempt;
use appell_flow::{Interpreter, Measured, Sample, Workspace};
use appell_mech::{Carrier, Formalism, Unavailable, output};
use appell_model::{Claim, ClaimKind, Condition};
use serde::Serialize;
use std::rc::Rc;

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
}

/// Equations hold at each state by itself, to rounding errors.
const EQUATION_TOLERANCE: f64 = 1e-9;
/// Constants inherit the integrator's error, which grows with the number of steps.
const STEPS_ALLOWED: f64 = 1e4;
/// A drift above this is not taken for rounding, however coarse the run.
const TELLING: f64 = 1e-6;
/// A change of less than this beside the terms is rounding.
const ROUNDING: f64 = 1e-13;
/// How many states of the motion formalisms are compared at.
const COMPARED: usize = 20;
/// How many states of the kind that a claim calls singular are judged.
const SINGULAR_SAMPLES: u32 = 3;

/// Holds every claim against the samples of a motion with this tolerance. `noted` are states between samples at
/// which the condition of a claim may be false, `watched` whether it was looked at there.
pub(crate) fn judge_claims<'t>(
    audit: &Audit<'_, '_>,
    accuracy: f64,
    noted: impl Fn(usize) -> Vec<&'t Sample>,
    watched: impl Fn(usize) -> bool,
) -> Vec<ClaimResult> {
    let kept = |index, judge: &dyn Fn() -> Result<f64, Error>| audit.p.kept.claim(index, judge);
    let judged = |(index, claim): (usize, &Claim)| {
        let judge = || match &claim.kind {
            ClaimKind::Class(words) => kept(index, &|| class_deviation(audit.p, words)),
            ClaimKind::SingularAt(conditions) => {
                kept(index, &|| singular_deviation(audit.p, conditions))
            }
            ClaimKind::Equivalent(ids) => equivalence_deviation(audit, ids),
            ClaimKind::Constant(_) | ClaimKind::Equation(_) | ClaimKind::Always(_) => {
                along_motion(audit, index, claim)
            }
        };
        if let ClaimKind::Always(condition) = &claim.kind {
            let always = || always_along_motion(audit, (index, claim), condition, &noted(index));
            let own = attempt(always);
            let own = own.unwrap_or_else(|why| Err(Error::no_value(why.to_string())));
            let samples = (!watched(index)).then(|| audit.own().states.len());
            return always_result(claim, own, samples);
        }
        // Who is stopped gets the motion, without a verdict on it.
        let deviation = attempt(judge).unwrap_or_else(|why| Err(Error::no_value(why.to_string())));
        let tolerance = match (&claim.kind, claim.tolerance) {
            (ClaimKind::Constant(_), None) => EQUATION_TOLERANCE.max(STEPS_ALLOWED * accuracy),
            _ => tolerance(claim),
        };
        result(claim, deviation, tolerance)
    };
    audit
        .p
        .model
        .claims
        .iter()
        .enumerate()
        .map(judged)
        .collect()
}

/// How far a claim may be missed, relative to the larger of 1 and the value.
pub(crate) fn tolerance(claim: &Claim) -> f64 {
    claim.tolerance.unwrap_or(EQUATION_TOLERANCE)
}

fn result(claim: &Claim, deviation: Result<f64, Error>, tolerance: f64) -> ClaimResult {
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
            }
        }
    }
}

/// The values of a claim's expression at the samples and other states that lie in its domain, with their times.
fn values_in_domain<'t>(
    audit: &'t Audit<'_, '_>,
    index: usize,
    claim: &Claim,
    others: &'t [(f64, Vec<f64>)],
) -> Result<Vec<(f64, Vec<Measured>)>, Error> {
    let (own, domain) = (claim_output(index), domain_output(index));
    let expression = audit.expression(&[&own, &domain])?;
    let length = expression.field.range(&own).unwrap_or_default().end;
    let mut workspace = Workspace::default();
    let mut values = Vec::new();
    for (t, y) in expression.states.iter().chain(others) {
        let measured = expression
            .field
            .measured(&mut workspace, *t, y)
            .map_err(|error| Error::no_value(format!("at t = {t}: {error}")))?;
        let (value, gaps) = measured.split_at(length);
        let mut conditions = claim.domain.iter().zip(gaps);
        if !conditions.all(|(condition, gap)| holds(condition, gap.value)) {
            continue;
        }
        if value.iter().any(|x| !x.value.is_finite()) {
            return Err(Error::no_value(format!(
                "it has no finite value at t = {t}"
            )));
        }
        values.push((*t, value.to_vec()));
    }
    if values.is_empty() {
        return Err(Error::no_value("no sample lies in its domain"));
    }
    Ok(values)
}

/// The largest deviation of a constant or an equation over the samples.
fn along_motion(audit: &Audit<'_, '_>, index: usize, claim: &Claim) -> Result<f64, Error> {
    let values = values_in_domain(audit, index, claim, &[])?;
    let first = values[0].1[0].value;
    let all = || values.iter().flat_map(|(_, x)| x);
    if !matches!(claim.kind, ClaimKind::Constant(_)) {
        let deviations = all().map(|x| x.value.abs() / x.size.max(1.0));
        return Ok(deviations.fold(0.0, f64::max));
    }
    let change = all().map(|x| (x.value - first).abs()).fold(0.0, f64::max);
    let size = all().map(|x| x.size).fold(0.0, f64::max);
    let drift = change / first.abs().max(1.0);
    if drift > tolerance(claim) && change <= ROUNDING * size {
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

/// Looks for states at which a condition does not hold: the samples, and what was noted between them.
fn always_along_motion(
    audit: &Audit<'_, '_>,
    (index, claim): (usize, &Claim),
    condition: &Condition,
    noted: &[&Sample],
) -> Result<Misses, Error> {
    let length = audit.own().equations.state.len();
    let noted = noted.iter().filter(|sample| sample.y.len() >= length);
    let noted: Vec<(f64, Vec<f64>)> = noted
        .map(|sample| (sample.t, sample.y[..length].to_vec()))
        .collect();
    let values = values_in_domain(audit, index, claim, &noted)?;
    let begin = audit.own().states.first().map_or(0.0, |(t, _)| *t);
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
    for (t, all) in &values {
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
    Ok(found)
}

/// A condition that is missed by less than the tolerance holds where that is rounding beside the sides of the
/// condition; else the claim's own tolerance tells.
fn always_result(
    claim: &Claim,
    misses: Result<Misses, Error>,
    samples: Option<usize>,
) -> ClaimResult {
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
        samples,
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

/// 0 if some constraint has all the words, 1 if each lacks one.
///
/// # Errors
/// No constraint has all of them, and one might: a word of it could not be decided.
fn class_deviation(p: &Prepared<'_>, wanted: &[String]) -> Result<f64, Error> {
    Ok(constraint_of_class(p, wanted)?.map_or(1.0, |_| 0.0))
}

/// The first constraint that has all the words.
///
/// # Errors
/// As [`class_deviation`].
pub(crate) fn constraint_of_class(
    p: &Prepared<'_>,
    wanted: &[String],
) -> Result<Option<ConstraintClass>, Error> {
    let outlook = SampledConstraints::new(p);
    let mut open = None;
    for constraint in 0..p.model.constraints.len() {
        let class = outlook.class(constraint);
        let lacks = |word: &&String| !class.words.contains(&word.as_str());
        let missing: Vec<&String> = wanted.iter().filter(lacks).collect();
        if missing.is_empty() {
            return Ok(Some(class));
        }
        let reasons = missing.iter().map(|word| class.why_open(word));
        if let Some(reasons) = reasons.collect::<Option<Vec<String>>>() {
            open = open.or_else(|| reasons.into_iter().next());
        }
    }
    open.map_or(Ok(None), |why| Err(Error::NoValue(why)))
}

/// 0 if states that satisfy the equations are singular, 1 if one is not.
pub(crate) fn singular_deviation(p: &Prepared<'_>, conditions: &[Condition]) -> Result<f64, Error> {
    let n = p.system.n();
    let mut judged = 0;
    for sample in 0..SINGULAR_SAMPLES {
        let guess = |shift: u32| {
            (211 * sample + shift..)
                .take(n)
                .map(scattered)
                .collect::<Vec<f64>>()
        };
        let t = 0.3 + 0.4 * f64::from(sample);
        let Some((q, v)) = state_satisfying(p, t, conditions, &guess(7), &guess(107)) else {
            continue;
        };
        judged += 1;
        if judge(p, t, &q, &v, None).status != Status::Singular {
            return Ok(1.0);
        }
    }
    if judged == 0 {
        Err(Error::no_value(
            "no state was found that satisfies its equations",
        ))
    } else {
        Ok(0.0)
    }
}

/// The largest difference of `q''` between formalisms, relative to `max(1, |q''|)`.
fn equivalence_deviation(audit: &Audit<'_, '_>, ids: &[String]) -> Result<f64, Error> {
    let p = audit.p;
    let forms = ids
        .iter()
        .map(|id| accelerations(p, id))
        .collect::<Result<Vec<_>, _>>()?;
    let velocity = audit.own().equations.interpreter(&[output::VELOCITY])?;
    let states = &audit.own().states;
    let stride = states.len().div_ceil(COMPARED).max(1);
    let mut worst = 0.0_f64;
    for (t, y) in states.iter().step_by(stride) {
        let q = &y[..p.system.n()];
        let v = velocity.results(*t, y)?;
        let z = parameters_of(p, *t, q, &v, None);
        let mut found: Vec<Vec<f64>> = Vec::new();
        for (carrier, field) in &forms {
            let state = p.carrier_state(*carrier, *t, q, &v, z.as_deref());
            let missing = || Error::no_value("no parameters give a velocity of the motion");
            found.push(field.results(*t, &state.ok_or_else(missing)?)?);
        }
        for pair in found.windows(2) {
            let size = pair[0].iter().fold(1.0, |size: f64, a| size.max(a.abs()));
            let differences = pair[0].iter().zip(&pair[1]);
            worst = differences.fold(worst, |w, (a, b)| w.max((a - b).abs() / size));
        }
    }
    Ok(worst)
}

/// A formalism's carrier and its accelerations.
fn accelerations(p: &Prepared<'_>, id: &str) -> Result<(Carrier, Rc<Interpreter>), Error> {
    let unavailable = |why: String| Error::Unavailable(Unavailable(why));
    let form = Formalism::find(id)
        .ok_or_else(|| unavailable(format!("`{id}` is not yet among the formalisms")))?;
    let equations = p.form(form);
    let equations = equations.map_err(|why| unavailable(format!("{id}: {why}")))?;
    Ok((equations.carrier, equations.interpreter(&[output::ACCEL])?))
}
