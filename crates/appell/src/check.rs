//! What the constraints are, before anything moves.

use crate::classes::{ConstraintClass, Outlook, depends_on_time};
use crate::equilibria::Equilibria;
use crate::prepared::Prepared;
use crate::start::{Start, start};
use crate::states::State;
use crate::status::{Judgement, judge};
use appell_expr::{Ex, vanishes};
use appell_mech::Metric;
use appell_model::Diagnostic;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer of `appell check`. What this version does not look for is `None`, with a reason.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// n.
    pub coordinates: usize,
    /// m, the degrees of freedom on velocity level.
    pub dof: usize,
    /// Whether neither the Lagrangian, the forces nor the constraints depend on the time.
    pub stationary: bool,
    /// What is known of the mass matrix, in words.
    pub metric: &'static str,
    /// Each entry of `[constraints]`.
    pub constraints: Vec<ConstraintClass>,
    /// Combinations of rows that can be integrated.
    pub holonomic_combinations: Option<Vec<String>>,
    /// The growth vector of the distribution at a generic point.
    pub growth_vector: Option<Vec<usize>>,
    /// The singular set.
    pub singular: Option<Vec<String>>,
    /// The start, if the file gives one that can be used.
    pub initial: Option<InitialState>,
    /// The judged states of `--states`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<Judgement>>,
    /// Equilibria and steady motions, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibria: Option<Equilibria>,
    /// Why a key above is null, by its name.
    pub why: BTreeMap<&'static str, String>,
}

/// The start with its verdict.
#[derive(Debug, Clone, Serialize)]
pub struct InitialState {
    /// The state.
    #[serde(flatten)]
    pub start: Start,
    /// Its ranks and status.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// What this version does not look for.
const NOT_YET: [&str; 5] = [
    "contrived",
    "equivalent_linear",
    "holonomic_combinations",
    "growth_vector",
    "singular",
];

/// Looks at the constraints, the start, and at states if there are any; an inconsistent start is
/// returned beside the check.
pub fn check(p: &Prepared<'_>, states: Option<&[State]>) -> (Check, Option<Diagnostic>) {
    let mut why: BTreeMap<&'static str, String> = NOT_YET
        .into_iter()
        .map(|key| (key, "not yet looked for".to_owned()))
        .collect();
    let (initial, problem) = match start(p) {
        Ok(start) => {
            let judgement = judge(p, start.t, &start.q, &start.v, start.z.as_deref());
            (Some(InitialState { start, judgement }), None)
        }
        Err(diagnostic) => {
            why.insert("initial", diagnostic.message.clone());
            (None, Some(diagnostic))
        }
    };
    let outlook = Outlook::new(p);
    let check = Check {
        coordinates: p.system.n(),
        dof: p.system.n() - outlook.rank(),
        stationary: is_stationary(p),
        metric: match p.system.metric {
            Metric::Definite => "positive definite",
            Metric::Indefinite => "indefinite",
            Metric::Singular => "singular",
        },
        constraints: (0..p.model.constraints.len())
            .map(|c| outlook.class(c))
            .collect(),
        holonomic_combinations: None,
        growth_vector: None,
        singular: None,
        initial,
        equilibria: None,
        states: states.map(|states| states.iter().map(|state| judge_state(p, state)).collect()),
        why,
    };
    (check, problem)
}

fn judge_state(p: &Prepared<'_>, state: &State) -> Judgement {
    let from_parameters = || p.velocities(state.t, &state.q, state.z.as_deref()?);
    let v = state.v.clone().or_else(from_parameters);
    // Without velocities every rank is undefined, and the verdict says so.
    let v = v.unwrap_or_else(|| vec![f64::NAN; state.q.len()]);
    judge(p, state.t, &state.q, &v, state.z.as_deref())
}

/// Whether nothing depends on the time.
pub(crate) fn is_stationary(p: &Prepared<'_>) -> bool {
    let still = |x: Ex<'_>| vanishes(x.diff(p.system.t));
    let force = p.system.force.entries();
    still(p.system.lagrangian)
        && force.iter().all(|f| still(*f))
        && !p.constraints.rows.iter().any(|row| depends_on_time(p, row))
}
