//! What the constraints are, before anything moves.

use crate::prepared::{Prepared, scattered_constrained_state, scattered_state};
use crate::start::{Start, start};
use crate::states::State;
use crate::status::{Judgement, judge};
use appell_expr::{Ex, Rational, vanishes};
use appell_flow::linear;
use appell_mech::{ConstraintRow, Standing, function};
use appell_model::{Diagnostic, Level};
use serde::Serialize;

/// The answer of `appell check`.
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
    /// Not yet searched for: empty.
    pub holonomic_combinations: Vec<String>,
    /// Not yet computed: empty.
    pub growth_vector: Vec<usize>,
    /// Not yet searched for: empty.
    pub singular: Vec<String>,
    /// The start, if the file gives one that can be used.
    pub initial: Option<InitialState>,
    /// The judged states of `--states`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<Judgement>>,
    /// What this version leaves open.
    pub not_yet: [&'static str; 4],
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

/// What one entry of `[constraints]` is.
#[derive(Debug, Clone, Serialize)]
pub struct ConstraintClass {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// Words of the model format.
    #[serde(rename = "class")]
    pub words: Vec<&'static str>,
    /// The degree of homogeneity in the velocities, if it has one.
    pub degree: Option<f64>,
    /// Not yet decided.
    pub contrived: Option<String>,
    /// Not yet searched for.
    pub equivalent_linear: Option<Vec<String>>,
    /// What became of each row.
    pub standing: Vec<String>,
}

/// Looks at the constraints, the start, and at states if there are any.
///
/// # Errors
/// None of its own: an inconsistent start is returned beside the check.
pub fn check(p: &Prepared<'_>, states: Option<&[State]>) -> (Check, Option<Diagnostic>) {
    let (initial, problem) = match start(p) {
        Ok(start) => {
            let judgement = judge(p, start.t, &start.q, &start.v, start.z.as_deref());
            (Some(InitialState { start, judgement }), None)
        }
        Err(diagnostic) => (None, Some(diagnostic)),
    };
    let judged = states.map(|states| {
        let velocities = |s: &State| {
            s.v.clone()
                .or_else(|| p.velocities(s.t, &s.q, s.z.as_deref()?))
        };
        let one = |s: &State| {
            judge(
                p,
                s.t,
                &s.q,
                &velocities(s).unwrap_or(vec![f64::NAN; s.q.len()]),
                s.z.as_deref(),
            )
        };
        states.iter().map(one).collect()
    });
    let check = Check {
        coordinates: p.system.n(),
        dof: p.system.n() - generic_rank_of_rows(p, p.constraints.k()),
        stationary: is_stationary(p),
        metric: match p.system.metric {
            appell_mech::Metric::Definite => "positive definite",
            appell_mech::Metric::Indefinite => "indefinite",
            appell_mech::Metric::Singular => "singular",
        },
        constraints: (0..p.model.constraints.len())
            .map(|c| class_words(p, c))
            .collect(),
        holonomic_combinations: Vec::new(),
        growth_vector: Vec::new(),
        singular: Vec::new(),
        initial,
        states: judged,
        not_yet: [
            "contrived",
            "holonomic_combinations",
            "growth_vector",
            "singular",
        ],
    };
    (check, problem)
}

fn is_stationary(p: &Prepared<'_>) -> bool {
    let t = p.system.t;
    let still = |x: Ex<'_>| vanishes(x.diff(t));
    let rows = p.constraints.rows.iter().filter_map(|row| row.phi);
    still(p.system.lagrangian)
        && p.system.force.entries().iter().all(|f| still(*f))
        && rows.clone().all(still)
}

/// The class of one entry: words that hold for each of its rows, and flags of single rows.
pub fn class_words(p: &Prepared<'_>, constraint: usize) -> ConstraintClass {
    let entry = &p.model.constraints[constraint];
    let rows: Vec<&ConstraintRow<'_>> = p
        .constraints
        .rows
        .iter()
        .filter(|row| row.constraint == constraint)
        .collect();
    let kept: Vec<&&ConstraintRow<'_>> = rows
        .iter()
        .filter(|row| row.standing != Standing::Void)
        .collect();
    let mut words: Vec<&'static str> = Vec::new();
    for word in [
        "linear",
        "affine",
        "homogeneous",
        "general",
        "cone",
        "holonomic",
    ] {
        let shape = |row: &&&ConstraintRow<'_>| row_words(p, row).contains(&word);
        if !kept.is_empty() && kept.iter().all(shape) {
            words.push(word);
        }
    }
    let moving =
        |row: &&&ConstraintRow<'_>| row.phi.is_some_and(|phi| !vanishes(phi.diff(p.system.t)));
    if kept.iter().any(moving) {
        words.push("time-dependent");
    }
    if rows.iter().any(|row| is_redundant(p, row)) {
        words.push("redundant");
    }
    if rows.iter().any(|row| row.standing == Standing::Void) {
        words.push("void");
    }
    let degrees: Vec<Option<f64>> = kept.iter().map(|row| degree(p, row)).collect();
    let degree = degrees
        .first()
        .copied()
        .flatten()
        .filter(|d| degrees.iter().all(|e| *e == Some(*d)));
    let standing = rows.iter().map(|row| standing(p, row)).collect();
    ConstraintClass {
        name: entry.name.clone(),
        rows: rows.len(),
        words,
        degree,
        contrived: None,
        equivalent_linear: None,
        standing,
    }
}

fn standing(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> String {
    match row.standing {
        Standing::Active(_) if is_redundant(p, row) => {
            format!("{}: depends on earlier rows", row.name)
        }
        Standing::Active(_) => format!("{}: independent", row.name),
        Standing::Void => format!("{}: identically zero", row.name),
        Standing::Dropped => format!("{}: dropped", row.name),
        Standing::Merged(other) => {
            format!(
                "{}: its derivative is {}, one multiplier for both",
                row.name, p.constraints.rows[other].name
            )
        }
    }
}

/// The shape of one row in the velocities.
fn row_words(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> Vec<&'static str> {
    let mut words = Vec::new();
    let Some(phi) = row.phi else {
        return vec!["general"];
    };
    let at_rest: Vec<_> = p
        .system
        .v
        .iter()
        .map(|v| (*v, p.system.graph.zero()))
        .collect();
    let straight = row
        .a
        .iter()
        .all(|a| p.system.v.iter().all(|v| vanishes(a.diff(*v))));
    let degree = degree(p, row);
    words.push(match (straight, degree) {
        (true, _) if vanishes(phi.substitute(&at_rest)) => "linear",
        (true, _) => "affine",
        (false, Some(_)) => "homogeneous",
        (false, None) => "general",
    });
    if words[0] == "linear" {
        words.push("homogeneous");
    }
    if degree.is_some() || is_powerless(p, row) {
        words.push("cone");
    }
    if row.level == Level::Position {
        words.push("holonomic");
    }
    words
}

/// `d` with `phi_v v = d phi` (Euler), among the halves up to 8.
fn degree(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> Option<f64> {
    let phi = row.phi?;
    let products: Vec<Ex<'_>> = row
        .a
        .iter()
        .zip(&p.system.v)
        .map(|(a, v)| *a * *v)
        .collect();
    let euler = p.system.graph.sum(&products);
    let halves = (-4..=16).filter(|twice| *twice != 0);
    let degrees = halves.map(|twice| Rational::new(twice, 2));
    degrees
        .into_iter()
        .find(|d| vanishes(euler - phi.scale(d)))
        .map(|d| d.to_f64())
}

/// Whether `A v = 0` at scattered states on all constraints: a cone modulo `phi`.
fn is_powerless(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let Some(index) = row.active_index() else {
        return false;
    };
    let states = on_constraints(p, 4);
    let powerless = |(t, q, v): &(f64, Vec<f64>, Vec<f64>)| {
        let Some(m) = p.measure(*t, q, v) else {
            return false;
        };
        let a = m.table(function::A);
        let own = &a.entries[index * v.len()..(index + 1) * v.len()];
        let (power, size) = own
            .iter()
            .zip(v)
            .fold((0.0, 0.0), |(power, size): (f64, f64), (a, v)| {
                (power + a.value * v, size + a.size * v.abs())
            });
        power.abs() <= 1e-9 * size
    };
    !states.is_empty() && states.iter().all(powerless)
}

/// Scattered states on the constraints.
fn on_constraints(p: &Prepared<'_>, count: u32) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    (0..count)
        .filter_map(|sample| scattered_constrained_state(p, sample))
        .collect()
}

/// The generic rank of the first `rows` active rows of `A`: on the constraints where states were
/// found there, else anywhere.
fn generic_rank_of_rows(p: &Prepared<'_>, rows: usize) -> usize {
    let on = on_constraints(p, 4);
    let states = if on.is_empty() {
        (0..4).map(|sample| scattered_state(p, sample)).collect()
    } else {
        on
    };
    let ranks = states.into_iter().filter_map(|(t, q, v)| {
        let a = p.measure(t, &q, &v)?.table(function::A);
        let kept = rows * a.columns;
        let finite = a.entries.iter().all(|x| x.value.is_finite());
        finite.then(|| linear::rank(rows, a.columns, &a.values()[..kept], &a.sizes()[..kept]))
    });
    ranks.max().unwrap_or(0)
}

fn is_redundant(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let Some(index) = row.active_index() else {
        return false;
    };
    generic_rank_of_rows(p, index + 1) == generic_rank_of_rows(p, index)
}
