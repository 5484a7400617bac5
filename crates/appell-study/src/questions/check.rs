//! What the constraints are, before anything moves.

use crate::constraints::classes::integrable::combinations;
use crate::constraints::classes::singular_set::{SingularSet, may_vanish, singular_set};
use crate::constraints::classes::{ConstraintClass, Replacement, SampledConstraints};
use crate::questions::equilibria::Equilibria;
use crate::states::corners::corners_of;
use crate::states::given_states::State;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::states::status::{Judgement, Ranks, Status, judge, ranks_at};
use crate::values::exact_values::closed_values;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use crate::values::stationary::is_stationary;
use appell_expr::limits::{attempt, regardless};
use appell_expr::{Ex, Printer, Style, vanishes};
use appell_mech::Metric;
use appell_model::Diagnostic;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer of `appell check`. What could not be decided is `None`, with a reason.
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
    /// For which parameters all this is said: `generic`, or `file` where their values are special.
    pub parameters: &'static str,
    /// The parameters with special values, and what these change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub special: Vec<String>,
    /// Each entry of `[constraints]`.
    pub constraints: Vec<ConstraintClass>,
    /// What rows on velocities say of the place alone, and which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// Combinations of rows that can be integrated.
    pub holonomic_combinations: Option<Vec<String>>,
    /// The growth vector of the distribution at a generic point.
    pub growth_vector: Option<Vec<usize>>,
    /// Whether that is the distribution on `Q x R`, for rows that are affine or depend on time.
    #[serde(skip)]
    pub distribution_has_time: bool,
    /// The six ranks at generic states on the constraints, in double precision.
    pub generic_rank: Option<Ranks>,
    /// The singular set: equations that hold together, one list a sheet.
    pub singular: Option<Vec<String>>,
    /// Where only the parameters of the velocities, or the coordinates, are bad.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chart_singular: Vec<String>,
    /// The start, if the file gives one that can be used.
    pub initial: Option<InitialState>,
    /// The judged states of `--states`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<Judgement>>,
    /// What `--simplify` has replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simplified: Option<Vec<Replacement>>,
    /// Equilibria and steady motions, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibria: Option<Equilibria>,
    /// Why a key above is null, by its name.
    pub why: BTreeMap<&'static str, String>,
}

/// How many states generic ranks are looked for at.
const GENERIC: u32 = 4;

/// Why nothing is said of brackets where rows depend on each other about the start and not elsewhere.
const ON_ANOTHER_COMPONENT: &str =
    "on the component of the start rows depend on others, and brackets are those of another";

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

/// Looks at the constraints, the start, and at states if there are any; an inconsistent start is
/// returned beside the check.
pub fn check(p: &Prepared<'_>, states: Option<&[State]>) -> (Check, Option<Diagnostic>) {
    let p = p.in_numbers();
    let sampled = SampledConstraints::of(p);
    let dof = sampled.freedoms(None);
    let begun = Begun::of(p);
    // The freedoms are the least that is said of a model; from here on each part is an attempt of its own. Whether values of
    // parameters are special may take long.
    let exact = match attempt(|| p.exact()) {
        Ok(exact) => exact,
        Err(stopped) => {
            let mut begun = begun;
            begun.why.insert("parameters", stopped.to_string());
            return regardless(|| parts(p, &sampled, dof, states, begun));
        }
    };
    if std::ptr::eq(exact, p) {
        return regardless(|| parts(p, &sampled, dof, states, begun));
    }
    let sampled = SampledConstraints::of(exact);
    let dof = sampled.freedoms(None);
    regardless(|| parts(exact, &sampled, dof, states, Begun::of(exact)))
}

/// The start, or why there is none, by the name of what is missing and as it is told.
struct Begun {
    initial: Option<InitialState>,
    problem: Option<Diagnostic>,
    why: BTreeMap<&'static str, String>,
}

/// One piece: the parts of the answer in its order, each an attempt of its own.
fn parts(
    p: &Prepared<'_>,
    sampled: &SampledConstraints<'_, '_>,
    generic: usize,
    states: Option<&[State]>,
    begun: Begun,
) -> (Check, Option<Diagnostic>) {
    let Begun {
        initial,
        problem,
        mut why,
    } = begun;
    let dof = sampled.freedoms(initial.as_ref().map(|initial| &initial.judgement));
    let brackets = attempt(|| sampled.integrability());
    let is_lower = dof > generic;
    let (growth, hidden, distribution_has_time) = match &brackets {
        Ok(_) if is_lower => (Err(ON_ANOTHER_COMPONENT.to_owned()), None, false),
        Ok(found) => (found.growth.clone(), found.hidden, found.with_time),
        Err(stopped) => (Err(stopped.to_string()), None, false),
    };
    if let Err(reason) = &growth {
        why.insert("growth_vector", reason.clone());
    }
    let mut set = attempt(|| smooth_singular_set(p)).unwrap_or_else(|stopped| SingularSet {
        real: Err(stopped.to_string()),
        lacks_start: false,
        chart: Vec::new(),
    });
    if let Ok(Some(row)) = attempt(|| sampled.singular_everywhere()) {
        set.real = Err(format!(
            "everywhere: the derivatives of `{row}` vanish, or depend on those of other rows, where all rows hold"
        ));
    }
    let begins_singular = initial
        .as_ref()
        .is_some_and(|initial| initial.judgement.status == Status::Singular);
    if let (true, true, Ok(found)) = (begins_singular, set.lacks_start, &set.real) {
        set.real = Err(match found.is_empty() {
            true => "the start is singular; which other states are was not found".to_owned(),
            false => {
                let found = found.join("; ");
                format!("the start is singular, and on none of the states that were found: {found}")
            }
        });
    }
    if let Err(reason) = &set.real {
        why.insert("singular", reason.clone());
    }
    let (names, changes) = attempt(|| p.special_parameters()).unwrap_or_default();
    let constraints = (0..p.model.constraints.len()).map(|c| {
        attempt(|| sampled.class(c))
            .unwrap_or_else(|stopped| ConstraintClass::undecided(p, c, &stopped.to_string()))
    });
    let mut check = Check {
        parameters: match names.is_empty() && p.system.vanishing.is_empty() {
            true => "generic",
            false => "file",
        },
        special: special_words(p, &names, changes),
        coordinates: p.system.n(),
        dof,
        stationary: is_stationary(p),
        metric: match p.system.metric {
            Metric::Definite => "positive definite",
            Metric::DefiniteAtStart => "positive definite at the start, indefinite elsewhere",
            Metric::Indefinite => "indefinite",
            Metric::Singular => "singular",
        },
        constraints: constraints.collect(),
        hidden: hidden_words(p),
        holonomic_combinations: None,
        growth_vector: growth.as_ref().ok().cloned(),
        distribution_has_time,
        generic_rank: attempt(|| generic_rank(p)).ok().flatten(),
        singular: set.real.ok(),
        chart_singular: set.chart,
        initial,
        equilibria: None,
        states: states.map(|states| {
            let judged = states.iter().map(|state| attempt(|| judge_state(p, state)));
            judged.map_while(Result::ok).collect()
        }),
        simplified: None,
        why,
    };
    // Functions for integrals are sought last: that may use up the time.
    match integrals_in_words(sampled, hidden, &growth) {
        Ok(found) => check.holonomic_combinations = Some(found),
        Err(reason) => drop(check.why.insert("holonomic_combinations", reason)),
    }
    (check, problem)
}

/// The holonomic combinations, or why they are not known.
fn integrals_in_words(
    sampled: &SampledConstraints<'_, '_>,
    hidden: Option<usize>,
    growth: &Result<Vec<usize>, String>,
) -> Result<Vec<String>, String> {
    match (hidden, growth) {
        (Some(hidden), _) => attempt(|| combinations(hidden, &sampled.integrals()))
            .map_err(|stopped| stopped.to_string()),
        (None, Err(reason)) => Err(reason.clone()),
        (None, Ok(_)) => Err("the rank of the brackets is not proved".to_owned()),
    }
}

impl Begun {
    fn of(p: &Prepared<'_>) -> Begun {
        let judged = attempt(|| -> Result<InitialState, Diagnostic> {
            let start = start(p)?;
            let judgement = judge(p, start.t, &start.q, &start.v, start.z.as_deref());
            Ok(InitialState { start, judgement })
        });
        let (initial, reason, problem) = match judged {
            Ok(Ok(initial)) => (Some(initial), None, None),
            Ok(Err(diagnostic)) => (None, Some(diagnostic.message.clone()), Some(diagnostic)),
            Err(stopped) => (None, Some(stopped.to_string()), None),
        };
        Begun {
            initial,
            problem,
            why: reason
                .map(|reason| ("initial", reason))
                .into_iter()
                .collect(),
        }
    }
}

/// The singular set, unless the rows are piecewise.
fn smooth_singular_set(p: &Prepared<'_>) -> SingularSet {
    let mut set = singular_set(p);
    let of_signs = |sheets: &Vec<String>| sheets.iter().any(|sheet| sheet.contains("sign("));
    if set.real.as_ref().is_ok_and(of_signs) {
        set.real = Err("the rows are piecewise: each piece has its own".to_owned());
    }
    let rows = p.constraints.active();
    let rows: Vec<Ex<'_>> = rows.filter_map(|row| row.position.or(row.phi)).collect();
    // `x abs(x)` has a derivative everywhere.
    let bent = appell_expr::corners_of(&rows);
    let turning = corners_of(p)
        .into_iter()
        .filter(|u| bent.contains(u) || bent.contains(&-*u));
    let turning: Vec<Ex<'_>> = turning.filter(|u| may_vanish(p, *u)).collect();
    if set.real.as_ref().is_ok_and(Vec::is_empty) && !turning.is_empty() {
        let zeros = turning.iter().map(|u| format!("{u} = 0"));
        let zeros: Vec<String> = zeros.collect();
        set.real = Err(format!(
            "the rows are piecewise: they have no derivative where {}, and each piece has its own",
            zeros.join(" or ")
        ));
    }
    set
}

/// What rows hide, which they are, and whether they keep it.
fn hidden_words(p: &Prepared<'_>) -> Vec<String> {
    let words = p.constraints.hidden.iter().map(|row| {
        let kept = match row.kept {
            true => "which their reactions keep",
            false => "which needs a row of its own, for no reaction of theirs keeps it",
        };
        let (position, of) = (row.position, row.of.join(", "));
        format!("{position} = 0, elsewhere no velocities satisfy {of}; {kept}")
    });
    words.collect()
}

/// `alpha = 0`, and what that changes; constants that vanish with these values.
fn special_words(p: &Prepared<'_>, names: &[String], changes: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    if !names.is_empty() {
        words.push(format!(
            "{}: special, and what follows holds for this only",
            names.join(", ")
        ));
        words.extend(changes.iter().cloned());
    }
    let mut printer = Printer::new(p.system.graph, Style::Text);
    let mut told: Vec<Ex<'_>> = Vec::new();
    let values = closed_values(p);
    for (written, without) in &p.system.vanishing {
        let constant = *written - *without;
        // Others are written as the numbers that they are.
        if vanishes(constant.substitute(&values))
            && !told.contains(&constant)
            && !told.contains(&-constant)
        {
            words.push(format!("{} = 0 with these values", printer.print(constant)));
            told.push(constant);
        }
    }
    words
}

/// The largest ranks met at scattered states on the constraints.
fn generic_rank(p: &Prepared<'_>) -> Option<Ranks> {
    let states = (0..GENERIC).filter_map(|sample| scattered_constrained_state(p, sample));
    let ranks = states.map(|(t, q, v)| {
        let none = || Judgement::without_values(Status::Singular, "").rank;
        ranks_at(p, t, &q, &v).unwrap_or_else(none)
    });
    ranks.reduce(|a, b| Ranks {
        a: a.a.max(b.a),
        psi: a.psi.max(b.psi),
        augmented: a.augmented.max(b.augmented),
        mass: a.mass.max(b.mass),
        gram: a.gram.max(b.gram),
        dphi: a.dphi.max(b.dphi),
    })
}

fn judge_state(p: &Prepared<'_>, state: &State) -> Judgement {
    let from_parameters = || p.velocities(state.t, &state.q, state.z.as_deref()?);
    let v = state.v.clone().or_else(from_parameters);
    // Without velocities every rank is undefined, and the verdict says so.
    let v = v.unwrap_or_else(|| vec![f64::NAN; state.q.len()]);
    judge(p, state.t, &state.q, &v, state.z.as_deref())
}
