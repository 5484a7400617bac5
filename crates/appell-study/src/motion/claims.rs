//! The claims of a file, held against a motion.

use crate::constraints::classes::{ConstraintClass, SampledConstraints};
use crate::motion::along::{
    Accuracy, ClaimResult, Layout, ValuesAt, allowed, is_of_motions, judged, result,
};
use crate::motion::lost_terms::lost_term;
use crate::motion::sampled_motion::SampledMotion;
use crate::states::double_roots::{Solution, double_root};
use crate::states::indeterminate::IndeterminateForces;
use crate::states::nearest::{parameters_of, parametric_state_satisfying, state_satisfying};
use crate::states::rank_around::keeps_rank;
use crate::states::ranks::workspace;
use crate::states::status::{Status, judge};
use crate::values::error::Error;
use crate::values::found::SampleState;
use crate::values::outputs::{
    claim_output, claim_terms, claim_terms_output, domain_output, has_no_value,
};
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::Ex;
use appell_expr::limits::attempt;
use appell_flow::{Interpreter, Sample, linear};
use appell_mech::{Carrier, Formalism, Parametrisation, Unavailable, output};
use appell_model::{Claim, ClaimKind, Condition};
use std::rc::Rc;
use std::slice;

/// How many states of the motion formalisms are compared at.
const COMPARED: usize = 20;
/// How many states of the kind that a claim calls singular are judged.
pub(crate) const SINGULAR_SAMPLES: u32 = 3;

/// Holds every claim against the samples of a motion with these tolerances. `noted` are states between samples at
/// which the condition of a claim may be false, `watched` whether it was looked at there; `choice` which forces it may
/// speak of that are not unique.
pub(crate) fn judge_claims<'t>(
    sampled_motion: &SampledMotion<'_, '_>,
    accuracy: Accuracy,
    noted: impl Fn(usize) -> Vec<&'t Sample>,
    watched: impl Fn(usize) -> bool,
    choice: Option<&IndeterminateForces<'_, '_>>,
) -> Vec<ClaimResult> {
    let kept =
        |index, judge: &dyn Fn() -> Result<f64, Error>| sampled_motion.p.kept.claim(index, judge);
    let of = |(index, claim): (usize, &Claim)| {
        let judge = || match &claim.kind {
            ClaimKind::Class(words) => kept(index, &|| class_deviation(sampled_motion.p, words)),
            ClaimKind::SingularAt(conditions) => kept(index, &|| {
                singular_deviation(sampled_motion.p, conditions, SINGULAR_SAMPLES)
            }),
            ClaimKind::Equivalent(ids) => equivalence_deviation(sampled_motion, ids),
            ClaimKind::Constant(_) | ClaimKind::Equation(_) | ClaimKind::Always(_) => Ok(0.0),
        };
        let tolerance = allowed(claim, accuracy);
        // Who is stopped gets the motion, without a verdict on it.
        if !is_of_motions(claim) {
            let deviation = attempt(judge);
            let deviation = deviation.unwrap_or_else(|why| Err(Error::no_value(why.to_string())));
            return result(claim, deviation, tolerance);
        }
        if has_no_value(sampled_motion.p.system.graph, claim) {
            let why = Error::no_value("a formula in it is defined nowhere");
            return result(claim, Err(why), tolerance);
        }
        let found =
            attempt(|| along_motion(sampled_motion, (index, claim), &noted(index), accuracy));
        let found = found.unwrap_or_else(|why| Err(Error::no_value(why.to_string())));
        let judged = found.unwrap_or_else(|why| result(claim, Err(why), tolerance));
        let always = matches!(claim.kind, ClaimKind::Always(_));
        let samples = (always && !watched(index)).then(|| sampled_motion.own().states.len());
        let least_multipliers = choice.is_some_and(|choice| is_of_a_choice(claim, choice));
        ClaimResult {
            samples,
            least_multipliers,
            ..judged
        }
    };
    let claims = sampled_motion.p.model.claims.iter().enumerate();
    claims.map(of).collect()
}

/// Whether a claim speaks of forces that are not unique.
fn is_of_a_choice(claim: &Claim, choice: &IndeterminateForces<'_, '_>) -> bool {
    let claimed = match &claim.kind {
        ClaimKind::Equation(zeros) => zeros.as_slice(),
        ClaimKind::Constant(x) => slice::from_ref(x),
        ClaimKind::Always(condition) => slice::from_ref(&condition.difference),
        ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => return false,
    };
    attempt(|| choice.changes(claimed)).unwrap_or(false)
}

/// A claim on a motion, at its samples and at other states that were noted.
fn along_motion(
    sampled_motion: &SampledMotion<'_, '_>,
    (index, claim): (usize, &Claim),
    noted: &[&Sample],
    accuracy: Accuracy,
) -> Result<ClaimResult, Error> {
    let (claimed, domain, terms) = (
        claim_output(index),
        domain_output(index),
        claim_terms_output(index),
    );
    let sums = claim_terms(sampled_motion.p.system.graph, claim);
    let mut outputs = vec![claimed.as_str(), &domain];
    outputs.extend((!sums.is_empty()).then_some(terms.as_str()));
    let expression = sampled_motion.expression(&outputs)?;
    let length = expression.field.range(&claimed).unwrap_or_default().end;
    let state = sampled_motion.own().equations.state.len();
    let samples = expression.states.iter().map(|(t, y)| (*t, &y[..]));
    // States that were noted are those of the form that was run.
    let is_own = std::ptr::eq(expression.states, sampled_motion.own().states.as_slice());
    let noted = noted
        .iter()
        .filter(|sample| is_own && sample.y.len() >= state);
    let noted = noted.map(|sample| (sample.t, &sample.y[..state]));
    let states: Vec<(f64, &[f64])> = samples.chain(noted).collect();
    let mut workspace = workspace(sampled_motion.p);
    let all = expression.field.all_measured(&mut workspace, &states);
    let all: Vec<ValuesAt<'_>> = states.into_iter().zip(all).collect();
    let sound = |values: &&ValuesAt<'_>| !sampled_motion.loses_digits_at(values.0.0);
    let sound: Vec<ValuesAt<'_>> = all.iter().filter(sound).cloned().collect();
    // A condition may be missed there and nowhere else.
    let is_whole = sound.len() == all.len() || matches!(claim.kind, ClaimKind::Always(_));
    let values = &mut |t: f64, y: &[f64]| expression.field.measured(&mut workspace, t, y);
    let first = expression.field.range(&terms).unwrap_or_default().start;
    let layout = Layout::new(length, first, &sums);
    let whole = judged(claim, &layout, all, values, accuracy);
    let is_told = whole.holds == Some(true) && claim.tolerance.is_none();
    let hidden = is_told.then(|| lost_term(claim, &layout.terms, &sound, values, accuracy));
    if let Some(why) = hidden.flatten() {
        return Ok(ClaimResult {
            holds: None,
            why: Some(why),
            ..whole
        });
    }
    let settled = is_whole || whole.holds.is_none();
    if settled || judged(claim, &layout, sound, values, accuracy).holds == whole.holds {
        return Ok(whole);
    }
    let why =
        "it fails only at the last states before a function has no value, where digits are lost";
    Ok(ClaimResult {
        holds: None,
        why: Some(why.to_owned()),
        ..whole
    })
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
    let constrained = |psi: &Parametrisation<'_>| psi.z.len() < p.system.n();
    if p.constraints.motion_alone().is_some_and(constrained) {
        let why = "the constraint is given by v = psi(q, z, t) only, and classes are those of rows";
        return Err(Error::NoValue(why.to_owned()));
    }
    let sampled = SampledConstraints::new(p);
    let mut open = None;
    for constraint in 0..p.model.constraints.len() {
        let class = sampled.class(constraint);
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

/// 0 if so many states that satisfy the equations are singular, as far as they are found, 1 if one is not.
pub(crate) fn singular_deviation(
    p: &Prepared<'_>,
    conditions: &[Condition],
    samples: u32,
) -> Result<f64, Error> {
    let graph = p.system.graph;
    let names = |z: &Ex<'_>| {
        let mut all = conditions.iter();
        all.any(|condition| graph.ex(condition.difference).depends_on(graph.ex(z.id())))
    };
    let alone = p.constraints.motion_alone();
    let named = || {
        p.constraints
            .parametric
            .as_ref()
            .filter(|psi| psi.z.iter().any(names))
    };
    let psi = alone.or_else(named);
    let mut why = "no state was found that satisfies its equations";
    let mut is_singular = false;
    for sample in 0..samples {
        let Some(((t, q, v), z)) = scattered_state_satisfying(p, psi, conditions, sample) else {
            continue;
        };
        let found = judge(p, t, &q, &v, z.as_deref());
        let rank = found.rank.a.unwrap_or(0);
        let is_sure = || keeps_rank(p, (t, &q, &v), rank) != Some(false);
        match found.status {
            Status::Singular => is_singular = true,
            // Rows do not tell there, and the velocities that psi reaches may have a cusp.
            Status::Chart if alone.is_some() => {
                let why = "the parameters are singular there, and v = psi(q, z, t) alone does not tell whether the motion is";
                return Err(Error::no_value(why));
            }
            // Where rows touch, states are found to half of their digits, at which the rows look independent.
            Status::Regular if !is_sure() => why = UNTOLD,
            Status::OffConstraint | Status::Empty | Status::Inconsistent => why = UNTOLD,
            _ => return Ok(1.0),
        }
    }
    is_singular
        .then_some(0.0)
        .ok_or_else(|| Error::no_value(why))
}

/// Why states that were found say nothing.
const UNTOLD: &str =
    "at the states that were found rows touch or have no accelerations, so that ranks do not tell";

/// A state that satisfies equations and the constraints, from a scattered one of this number on, with the parameters `z`
/// where these are sought too.
fn scattered_state_satisfying<'g>(
    p: &Prepared<'g>,
    psi: Option<&Parametrisation<'g>>,
    conditions: &[Condition],
    sample: u32,
) -> Option<(SampleState, Option<Vec<f64>>)> {
    let n = p.system.n();
    let guess = |shift: u32, count: usize| {
        (211 * sample + shift..)
            .take(count)
            .map(scattered)
            .collect::<Vec<f64>>()
    };
    let t = time_satisfying(p, conditions, 0.3 + 0.4 * f64::from(sample));
    let (q, v) = (guess(7, n), guess(107, n));
    match psi {
        Some(psi) => {
            let guess = [q, v, guess(151, psi.z.len())].concat();
            let [q, v, z] = parametric_state_satisfying(p, psi, t, conditions, &guess)?;
            Some(((t, q, v), Some(z)))
        }
        None => {
            let (q, v) = state_satisfying(p, t, conditions, &q, &v)?;
            Some(((t, sharpened(p, conditions, t, q), v), None))
        }
    }
}

/// Steps of Newton's method towards a time.
const TIME_STEPS: usize = 50;

/// Whether an expression speaks of the time and of no state.
pub(crate) fn is_of_time<'g>(p: &Prepared<'g>, x: Ex<'g>) -> bool {
    let psi = p.constraints.parametric.iter();
    let states = [&p.system.q, &p.system.v].into_iter();
    let mut states = states.chain(psi.map(|psi| &psi.z));
    x.depends_on(p.system.t) && !states.any(|symbols| x.depends_on_any(symbols))
}

/// The time at which the first condition on it alone holds, by Newton's method from another; that itself where there is none.
fn time_satisfying(p: &Prepared<'_>, conditions: &[Condition], near: f64) -> f64 {
    let mut gaps = conditions
        .iter()
        .map(|condition| p.system.graph.ex(condition.difference));
    let Some(gap) = gaps.find(|gap| is_of_time(p, *gap)) else {
        return near;
    };
    let values = p.functions_of(&[gap, gap.diff(p.system.t)]);
    let state = vec![0.0; 2 * p.system.n()];
    let mut t = near;
    for _ in 0..TIME_STEPS {
        match values.results(t, &state).as_deref() {
            Ok([gap, slope]) if *gap != 0.0 && *slope != 0.0 => t -= gap / slope,
            _ => break,
        }
    }
    if t.is_finite() { t } else { near }
}

/// Coordinates that satisfy conditions, to all digits where these are double roots: to half of the digits a singular state
/// looks regular.
fn sharpened(p: &Prepared<'_>, conditions: &[Condition], t: f64, q: Vec<f64>) -> Vec<f64> {
    let graph = p.system.graph;
    let differences = conditions
        .iter()
        .map(|condition| graph.ex(condition.difference));
    let differences = differences.filter(|difference| !difference.depends_on_any(&p.system.v));
    let rows: Vec<Ex<'_>> = differences.chain(p.constraints.positions()).collect();
    // States are sought from numbers of the size of 1.
    let solution = Solution {
        least: 1.0,
        ..Solution::of_place(p, t, &q)
    };
    double_root(p, &rows, solution).unwrap_or(q)
}

/// The largest difference of `q''` between formalisms, relative to `max(1, |q''|)`.
fn equivalence_deviation(
    sampled_motion: &SampledMotion<'_, '_>,
    ids: &[String],
) -> Result<f64, Error> {
    let p = sampled_motion.p;
    let forms = ids
        .iter()
        .map(|id| accelerations(p, id))
        .collect::<Result<Vec<_>, _>>()?;
    let velocity = sampled_motion
        .own()
        .equations
        .interpreter(&[output::VELOCITY])?;
    let states = &sampled_motion.own().states;
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
            let size = linear::max_norm(&pair[0]).max(1.0);
            let differences = pair[0].iter().zip(&pair[1]);
            for (a, b) in differences {
                let apart = (a - b).abs() / size;
                if apart.is_nan() {
                    let what = "a formalism has no finite accelerations at a state of the motion";
                    return Err(Error::no_value(what));
                }
                worst = worst.max(apart);
            }
        }
    }
    Ok(worst)
}

/// A formalism's carrier and its accelerations.
fn accelerations(p: &Prepared<'_>, id: &str) -> Result<(Carrier, Rc<Interpreter>), Error> {
    let unavailable = |why: String| Error::Unavailable(Unavailable(why));
    let form =
        Formalism::find(id).ok_or_else(|| unavailable(format!("no formalism is called `{id}`")))?;
    let equations = p.form(form);
    let equations = equations.map_err(|why| unavailable(format!("{id}: {why}")))?;
    Ok((equations.carrier, equations.interpreter(&[output::ACCEL])?))
}
