//! The claims of a file, held against a motion.

use crate::check::class_words;
use crate::prepared::{Prepared, scattered};
use crate::run::is_on_parameters;
use crate::start::{parameters_of, state_satisfying};
use crate::status::{Status, judge};
use appell_expr::{Id, Relation};
use appell_flow::{Interpreter, Trajectory};
use appell_mech::{Equations, Formalism, output};
use appell_model::{Claim, ClaimKind, Condition, Model};
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
    /// Why it could not be decided, or where it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Equations hold at each state by itself, to rounding errors.
const EQUATION_TOLERANCE: f64 = 1e-9;
/// Constants inherit the integrator's error, which grows with the number of steps.
const STEPS_ALLOWED: f64 = 1e4;
/// How many states of the motion formalisms are compared at.
const COMPARED: usize = 20;

fn claim_output(index: usize) -> String {
    format!("claim {index}")
}

fn domain_output(index: usize) -> String {
    format!("domain {index}")
}

/// Adds the expressions of the claims to the outputs.
pub(crate) fn write_outputs(model: &Model, equations: &mut Equations<'_>) {
    let graph = equations.sketch.graph();
    for (index, claim) in model.claims.iter().enumerate() {
        let expressions: Vec<Id> = match &claim.kind {
            ClaimKind::Constant(x) => vec![*x],
            ClaimKind::Equation(rows) => rows.clone(),
            ClaimKind::Always(condition) => vec![condition.difference],
            ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => continue,
        };
        equations.sketch.output_list(&claim_output(index), &graph.exs(&expressions));
        let domain: Vec<Id> = claim.domain.iter().map(|c| c.difference).collect();
        equations.sketch.output_list(&domain_output(index), &graph.exs(&domain));
    }
}

/// Holds every claim against the samples of a motion.
pub(crate) fn judge_claims(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    trajectory: &Trajectory,
    accuracy: f64,
) -> Vec<ClaimResult> {
    let states: Vec<(f64, Vec<f64>)> = trajectory
        .samples
        .iter()
        .map(|sample| (sample.t, sample.y[..equations.state.len()].to_vec()))
        .collect();
    let judged = |(index, claim): (usize, &Claim)| {
        let deviation = match &claim.kind {
            ClaimKind::Class(words) => class_deviation(p, words),
            ClaimKind::SingularAt(conditions) => singular_deviation(p, conditions),
            ClaimKind::Equivalent(ids) => equivalence_deviation(p, equations, ids, &states),
            _ => along_motion(p, equations, index, claim, &states),
        };
        let tolerance = claim.tolerance.unwrap_or(match claim.kind {
            ClaimKind::Constant(_) => EQUATION_TOLERANCE.max(STEPS_ALLOWED * accuracy),
            _ => EQUATION_TOLERANCE,
        });
        result(claim, deviation, tolerance)
    };
    p.model.claims.iter().enumerate().map(judged).collect()
}

fn result(claim: &Claim, deviation: Result<f64, String>, tolerance: f64) -> ClaimResult {
    let name = claim.name.clone();
    match deviation {
        Err(why) => ClaimResult { name, holds: None, drift: None, why: Some(why) },
        Ok(drift) => {
            let holds = (drift <= tolerance) != claim.refuted;
            ClaimResult { name, holds: Some(holds), drift: Some(drift), why: None }
        }
    }
}

/// The largest deviation of a constant, an equation or a condition over the samples.
fn along_motion(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    index: usize,
    claim: &Claim,
    states: &[(f64, Vec<f64>)],
) -> Result<f64, String> {
    let compile = |name: String| match equations.program(&[&name]) {
        Ok(program) => Ok(Interpreter::new(program, &p.parameters)),
        Err(unbound) => {
            let reasons: Vec<String> = equations.unavailable.iter().map(|(_, why)| why.to_string()).collect();
            Err(format!("{unbound}: {}", reasons.join("; ")))
        }
    };
    let (field, domain) = (compile(claim_output(index))?, compile(domain_output(index))?);
    let inside = |(t, y): &&(f64, Vec<f64>)| {
        let gaps = domain.results(*t, y).unwrap_or(vec![f64::NAN; claim.domain.len()]);
        claim.domain.iter().zip(gaps).all(|(condition, gap)| holds(condition, gap))
    };
    let mut values = Vec::new();
    for (t, y) in states.iter().filter(inside) {
        let measured = field.measured(*t, y).map_err(|trouble| format!("at t = {t}: {trouble}"))?;
        if let Some(x) = measured.iter().find(|x| !x.value.is_finite()) {
            return Err(format!("it has the value {} at t = {t}", x.value));
        }
        values.push(measured);
    }
    let Some(first) = values.first() else { return Err("no sample lies in its domain".to_owned()) };
    let deviations = values.iter().flatten().map(|x| match &claim.kind {
        ClaimKind::Constant(_) => (x.value - first[0].value).abs() / first[0].value.abs().max(1.0),
        ClaimKind::Always(condition) => if holds(condition, x.value) { 0.0 } else { x.value.abs().max(1.0) },
        _ => x.value.abs() / x.size.max(1.0),
    });
    Ok(deviations.fold(0.0, f64::max))
}

fn holds(condition: &Condition, gap: f64) -> bool {
    match condition.relation {
        Relation::Less => gap < 0.0,
        Relation::LessEqual => gap <= 0.0,
        Relation::Greater => gap > 0.0,
        Relation::GreaterEqual => gap >= 0.0,
        Relation::Equal => gap.abs() <= EQUATION_TOLERANCE,
    }
}

/// 0 if every constraint has all the words, 1 if one lacks one.
fn class_deviation(p: &Prepared<'_>, wanted: &[String]) -> Result<f64, String> {
    const UNDECIDED: [&str; 3] = ["nonholonomic", "contrived", "inherent"];
    if let Some(word) = wanted.iter().find(|word| UNDECIDED.contains(&word.as_str())) {
        return Err(format!("`{word}` is not yet decided"));
    }
    let found: Vec<Vec<&str>> = (0..p.model.constraints.len()).map(|c| class_words(p, c).words).collect();
    let all = wanted.iter().all(|word| found.iter().any(|words| words.contains(&word.as_str())));
    Ok(if all { 0.0 } else { 1.0 })
}

/// 0 if states that satisfy the equations are singular, 1 if one is not.
fn singular_deviation(p: &Prepared<'_>, conditions: &[Condition]) -> Result<f64, String> {
    let n = u32::try_from(p.system.n()).unwrap_or(u32::MAX);
    let mut judged = 0;
    for sample in 0..3u32 {
        let guess = |shift: u32| (0..n).map(|i| scattered(211 * sample + shift + i)).collect::<Vec<f64>>();
        let t = 0.3 + 0.4 * f64::from(sample);
        let Some((q, v)) = state_satisfying(p, t, conditions, &guess(7), &guess(107)) else { continue };
        judged += 1;
        if judge(p, t, &q, &v, None).status != Status::Singular {
            return Ok(1.0);
        }
    }
    if judged == 0 { Err("no state was found that satisfies its equations".to_owned()) } else { Ok(0.0) }
}

/// The largest difference of `q''` between formalisms, relative to `max(1, |q''|)`.
fn equivalence_deviation(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    ids: &[String],
    states: &[(f64, Vec<f64>)],
) -> Result<f64, String> {
    let velocity = equations.program(&[output::VELOCITY]).map_err(|unbound| unbound.to_string())?;
    let velocity = Interpreter::new(velocity, &p.parameters);
    let mut forms = Vec::new();
    for id in ids {
        let form = Formalism::find(id).ok_or_else(|| format!("`{id}` is not yet among the formalisms"))?;
        let own = (form.derive)(&p.system, &p.constraints).map_err(|why| format!("{id}: {why}"))?;
        let program = own.program(&[output::ACCEL]).map_err(|unbound| unbound.to_string())?;
        forms.push((is_on_parameters(p, &own), Interpreter::new(program, &p.parameters)));
    }
    let stride = states.len().div_ceil(COMPARED).max(1);
    let mut worst = 0.0_f64;
    for (t, y) in states.iter().step_by(stride) {
        let q = &y[..p.system.n()];
        let v = velocity.results(*t, y).map_err(|trouble| trouble.to_string())?;
        let mut accelerations: Vec<Vec<f64>> = Vec::new();
        for (on_parameters, field) in &forms {
            let fibre = if *on_parameters {
                parameters_of(p, *t, q, &v).ok_or("no parameters give a velocity of the motion")?
            } else {
                v.clone()
            };
            let accel = field.results(*t, &[q, &fibre].concat()).map_err(|trouble| trouble.to_string())?;
            accelerations.push(accel);
        }
        for pair in accelerations.windows(2) {
            let differences = pair[0].iter().zip(&pair[1]);
            let size = pair[0].iter().fold(1.0, |size: f64, a| size.max(a.abs()));
            worst = differences.fold(worst, |w, (a, b)| w.max((a - b).abs() / size));
        }
    }
    Ok(worst)
}
