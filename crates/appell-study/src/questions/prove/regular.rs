//! Where statements on accelerations apply: where the rows keep their rank and, with the masses,
//! determine one acceleration, and where the chosen independent velocities are a chart.

use super::Parameters;
use super::constraint_set::ConstraintSet;
use crate::states::flat_rows::is_flat_by_numbers;
use crate::states::ranks::flatness;
use crate::states::status::{Judgement, Status};
use crate::states::touching::dependent_at_start;
use crate::states::touching_velocities::touching_velocities;
use crate::values::prepared::Prepared;
use appell_expr::{
    Finding, Function, Matrix, Node, Sketch, SolveKind, generic_rank, rank_is_exact, vanish_on,
};
use appell_mech::{ConstraintRow, Equations, Metric, output};

/// Outputs of the guards.
pub(super) const SLOPES: &str = "slopes of the chart";
pub(super) const PARTIAL: &str = "what has no value everywhere";
pub(super) const MISSED: &str = "what the accelerations miss the rows by";

/// Why nothing is said of accelerations at any state, if that is so.
pub(super) fn undetermined(p: &Prepared<'_>, set: &ConstraintSet<'_>) -> Option<String> {
    let flat = flat_row(p, set).or_else(|| touching_rows(p));
    let touching = flat.or_else(|| touching_velocity(p));
    touching.or_else(|| singular_equations(p, set))
}

/// A row on velocities that touches the others, so that nothing follows for accelerations.
fn touching_velocity(p: &Prepared<'_>) -> Option<String> {
    let index = touching_velocities(p)?;
    let mut active = p.constraints.active();
    active.nth(index).map(|row| {
        format!(
            "the constraints are tangent to each other where all hold: they restrict the velocities more than their \
                derivatives do, so that accelerations and reactions do not follow; write what `{}` and the others imply as linear constraints",
            row.name
        )
    })
}

/// Holonomic rows that touch say more of the velocities than their derivatives do.
pub(super) fn touching_rows(p: &Prepared<'_>) -> Option<String> {
    let touching = dependent_at_start(p).touching;
    let active = p.constraints.active();
    let names: Vec<String> = active
        .enumerate()
        .filter(|(index, _)| touching.contains(index))
        .map(|(_, row)| format!("`{}`", row.name))
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} and earlier rows touch where all hold, so that their derivatives say less of velocities and \
             accelerations than they do",
            names.join(", ")
        )
    })
}

/// A row whose derivatives vanish wherever it holds over the real numbers, as those of a sum of squares do, says
/// nothing of accelerations.
fn flat_row(p: &Prepared<'_>, set: &ConstraintSet<'_>) -> Option<String> {
    let chart = p.constraints.chart.as_ref();
    let short = chart.is_some_and(|chart| chart.rows.len() < p.constraints.k());
    let locus = set.locus(Parameters::Values);
    let vanishes = |row: &ConstraintRow<'_>| {
        row.phi.is_some() && matches!(vanish_on(&locus, &row.a), Finding::Holds(_))
    };
    let is_flat = |(index, row): &(usize, &ConstraintRow<'_>)| match flatness(p, *index) {
        Some(flat) => flat,
        None => short && vanishes(row) || is_flat_by_numbers(p, *index),
    };
    let active = p.constraints.active();
    let mut flat = active.enumerate().filter(is_flat);
    flat.next().map(|(_, row)| {
        format!(
            "every derivative of `{}` vanishes where it holds, so that it says nothing of \
             accelerations: write its root instead",
            row.name
        )
    })
}

/// `[M, W; A, 0]` without an inverse wherever the rows hold; a definite `M` excludes that.
fn singular_equations(p: &Prepared<'_>, set: &ConstraintSet<'_>) -> Option<String> {
    let (system, constraints) = (&p.system, &p.constraints);
    let chart = constraints.chart.as_ref();
    let rows = chart.map_or(&[][..], |chart| chart.rows.as_slice());
    let by_psi = constraints.motion_alone().is_some();
    if system.metric == Metric::Definite || by_psi || rows.is_empty() && constraints.k() > 0 {
        return None;
    }
    let (n, r) = (system.n(), rows.len());
    let corner = Matrix::zero(system.graph, r, r);
    let all = system
        .mass
        .beside(&constraints.w.select_columns(rows))
        .above(&constraints.a.select_rows(rows).beside(&corner));
    let locus = set.locus(Parameters::Any);
    let found = generic_rank(&locus, &all, &(0..n + r).collect::<Vec<_>>())?;
    let proved = || matches!(rank_is_exact(&locus, &all, &found), Finding::Holds(_));
    (found.rank < n + r && proved()).then(|| {
        "nothing determines the accelerations: [M, A^T; A, 0] is singular wherever the rows hold"
            .to_owned()
    })
}

/// Whether no motion passes through a state on the rows of a set: the rows have a lower rank there than about it, or no
/// finite acceleration satisfies them; holonomic rows say more of the velocities than their derivatives do, as
/// `sin(x) = x` does; or masses vanish, and Lagrange's equations say something of the state.
pub(super) fn is_lost(p: &Prepared<'_>, judged: &Judgement) -> bool {
    let rank = judged.rank;
    let mut active = p.constraints.active();
    let is_holonomic = active.any(|row| row.position.is_some());
    rank.augmented > rank.a
        || judged.generic_rank > rank.a
        || is_holonomic && judged.status == Status::Singular
        || p.system.metric == Metric::Singular && !judged.has_motion()
}

/// Whether a state is off the model's rows: those that say the same almost everywhere say less at some states.
pub(super) fn is_off(judged: &Judgement) -> bool {
    matches!(judged.status, Status::OffConstraint | Status::Empty)
}

/// The roots, logarithms and powers in the mechanics, which speaks of no state where one has no value.
pub(super) fn domain_guard<'g>(p: &Prepared<'g>) -> Option<Sketch<'g>> {
    let (system, graph) = (&p.system, p.system.graph);
    let all = [system.mass.entries(), system.right.entries()].concat();
    let roots: Vec<_> = all
        .iter()
        .chain([&system.lagrangian])
        .map(|x| x.id())
        .collect();
    let mut partial = graph.reachable(&roots);
    partial.retain(|id| match graph.node(*id) {
        Node::Call(f, _) => matches!(f, Function::Log | Function::Asin | Function::Acos),
        Node::Product(factors) => factors.iter().any(|(_, e)| !e.is_integer()),
        Node::Power(..) => true,
        Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum(..) => false,
    });
    let mut sketch = Sketch::new(graph);
    sketch.output_list(PARTIAL, &graph.exs(&partial));
    (!partial.is_empty()).then_some(sketch)
}

/// A program that has a value only where the dependent velocities are functions of the others.
pub(super) fn chart_guard<'g>(p: &Prepared<'g>, form: &Equations<'g>) -> Option<Sketch<'g>> {
    let chart = p.constraints.chart.as_ref()?;
    if chart.dependent.is_empty() || chart.dependent.len() != chart.rows.len() {
        return None;
    }
    let graph = p.system.graph;
    let mut sketch = form.sketch.clone();
    let a = p.constraints.a.select_rows(&chart.rows);
    let ones = Matrix::column(graph, vec![graph.one(); chart.rows.len()]);
    let square = a.select_columns(&chart.dependent);
    let slopes = sketch.solve(SolveKind::General, SLOPES, &square, &ones);
    sketch.output(SLOPES, slopes);
    Some(sketch)
}

/// `A q'' + B`, where rows depend on others: it vanishes where they do not contradict each other.
pub(super) fn motion_guard<'g>(p: &Prepared<'g>, form: &Equations<'g>) -> Option<Sketch<'g>> {
    let constraints = &p.constraints;
    let chart = constraints.chart.as_ref()?;
    let accel = form.sketch.get(output::ACCEL)?;
    if chart.rows.len() == constraints.k() {
        return None;
    }
    let mut sketch = form.sketch.clone();
    sketch.output(MISSED, &(&constraints.a * accel) + &constraints.b);
    Some(sketch)
}
