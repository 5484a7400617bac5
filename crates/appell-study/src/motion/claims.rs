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
use appell_flow::{EvalError, Interpreter, Measured, Workspace};
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
    /// Of a condition that is to hold always, at how many samples it was looked at: it may fail between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
}

/// Equations hold at each state by itself, to rounding errors.
const EQUATION_TOLERANCE: f64 = 1e-9;
/// Constants inherit the integrator's error, which grows with the number of steps.
const STEPS_ALLOWED: f64 = 1e4;
/// A drift above this is not taken for rounding, however coarse the run.
const TELLING: f64 = 1e-6;
/// How many states of the motion formalisms are compared at.
const COMPARED: usize = 20;
/// How many states of the kind that a claim calls singular are judged.
const SINGULAR_SAMPLES: u32 = 3;

/// Holds every claim against the samples of a motion with this tolerance.
pub(crate) fn judge_claims(audit: &Audit<'_, '_>, accuracy: f64) -> Vec<ClaimResult> {
    let kept = |index, judge: &dyn Fn() -> Result<f64, Error>| audit.p.kept.claim(index, judge);
    let judged = |(index, claim): (usize, &Claim)| {
        let judge = || match &claim.kind {
            ClaimKind::Class(words) => kept(index, &|| class_deviation(audit.p, words)),
            ClaimKind::SingularAt(conditions) => {
                kept(index, &|| singular_deviation(audit.p, conditions))
            }
            ClaimKind::Equivalent(ids) => equivalence_deviation(audit, ids),
            _ => along_motion(audit, index, claim),
        };
        // Who is stopped gets the motion, without a verdict on it.
        let deviation = attempt(judge).unwrap_or_else(|why| Err(Error::no_value(why.to_string())));
        let tolerance = allowed(claim, accuracy);
        let always = matches!(claim.kind, ClaimKind::Always(_));
        ClaimResult {
            samples: always.then(|| audit.own().states.len()),
            ..result(claim, deviation, tolerance)
        }
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

/// The largest deviation at which a claim holds, of a motion that was computed with this tolerance.
pub(crate) fn allowed(claim: &Claim, accuracy: f64) -> f64 {
    claim.tolerance.unwrap_or(match claim.kind {
        ClaimKind::Constant(_) => EQUATION_TOLERANCE.max(STEPS_ALLOWED * accuracy),
        _ => EQUATION_TOLERANCE,
    })
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
            }
        }
    }
}

/// The largest deviation of a constant, an equation or a condition over the samples.
fn along_motion(audit: &Audit<'_, '_>, index: usize, claim: &Claim) -> Result<f64, Error> {
    let (own, domain) = (claim_output(index), domain_output(index));
    let expression = audit.expression(&[&own, &domain])?;
    let length = expression.field.range(&own).unwrap_or_default().end;
    let mut workspace = Workspace::default();
    let rows = expression.states.iter().map(|(t, y)| {
        let measured = expression.field.measured(&mut workspace, *t, y);
        (*t, measured)
    });
    largest_deviation(claim, length, rows)
}

/// The largest deviation of a constant, an equation or a condition over states: of each the time and the values of the
/// claim, so many, and of its domain.
pub(crate) fn largest_deviation(
    claim: &Claim,
    length: usize,
    rows: impl Iterator<Item = (f64, Result<Vec<Measured>, EvalError>)>,
) -> Result<f64, Error> {
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
        values.push(value.to_vec());
    }
    let Some(first) = values.first().map(|value| value[0].value) else {
        return Err(Error::no_value("no sample lies in its domain"));
    };
    let deviations = values.iter().flatten().map(|x| match &claim.kind {
        ClaimKind::Constant(_) => (x.value - first).abs() / first.abs().max(1.0),
        ClaimKind::Always(condition) if holds(condition, x.value) => 0.0,
        ClaimKind::Always(_) => x.value.abs().max(1.0),
        _ => x.value.abs() / x.size.max(1.0),
    });
    Ok(deviations.fold(0.0, f64::max))
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
