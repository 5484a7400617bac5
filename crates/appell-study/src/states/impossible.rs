//! Equations and constraints that no real state satisfies, though numbers may tend to a solution.

use crate::states::out_of_reach::outright;
use crate::states::real_rows::{Signs, real_row, with_reason};
use crate::states::start::{Given, ROUNDING, start_error};
use crate::values::outputs::{JumpOf, ends_of_rows};
use crate::values::prepared::Prepared;
use crate::values::rows::SOLVED;
use appell_expr::{Ex, Node};
use appell_flow::Measured;
use appell_mech::is_affine;
use appell_model::{Code, Diagnostic, Inconsistent, inconsistent_constraints, inconsistent_start};

/// An equation of the start that no real coordinates, or no real velocities, satisfy, as `sin(x) = 1.2`.
pub(super) fn impossible_equation<'g>(p: &Prepared<'g>, given: &Given<'g>) -> Option<Diagnostic> {
    let mut signs = None;
    let [positions, velocities] = [&given.positions, &given.velocities];
    for row in positions.iter().chain(velocities) {
        if let Some(part) = without_value(p, *row) {
            let why = format!("{part} has no value for these values of the parameters");
            return Some(refused(p, *row, &why));
        }
        if !is_curved(*row) {
            continue;
        }
        let moving = match row.depends_on_any(&p.system.v) {
            true => &p.system.v,
            false => &p.system.q,
        };
        let found = signs
            .get_or_insert_with(|| Signs::new(p))
            .zeros(*row, moving);
        if found.nowhere {
            return Some(refused(p, *row, &found.why.join(", ")));
        }
    }
    None
}

fn refused<'g>(p: &Prepared<'g>, row: Ex<'g>, why: &str) -> Diagnostic {
    let mut equations = p.model.initial.state.iter();
    let equation = equations.find(|equation| equation.difference == row.id());
    let text = equation.map_or_else(|| format!("{row} = 0"), |equation| equation.text.clone());
    let span = equation.map_or(p.model.initial.span, |equation| equation.span);
    let message =
        format!("the initial state is inconsistent: no real state satisfies `{text}`: {why}");
    Diagnostic::new(
        Code::InconsistentStart,
        message,
        span,
        "remove or correct it",
    )
}

/// A term of parameters alone that is no number, as the root of one that is negative.
fn without_value<'g>(p: &Prepared<'g>, row: Ex<'g>) -> Option<Ex<'g>> {
    let graph = row.graph();
    let terms = match graph.node(row.id()) {
        Node::Sum(_, terms) => terms.iter().map(|(x, _)| graph.ex(*x)).collect(),
        _ => vec![row],
    };
    let parameters = &p.model.parameters;
    let is_parameter = |symbol: &Ex<'g>| parameters.iter().any(|known| known.symbol == symbol.id());
    let is_formula = |x: &Ex<'g>| {
        matches!(
            x.node(),
            Node::Product(_) | Node::Power(..) | Node::Call(..)
        )
    };
    let formulas = terms.into_iter().filter(is_formula);
    let mut constant = formulas.filter(|x| x.symbols().iter().all(is_parameter));
    constant.find(|x| p.constant(x.id()).is_nan())
}

/// Whether it has functions or poles, along which Newton's method may run on and on.
fn is_curved(x: Ex<'_>) -> bool {
    let graph = x.graph();
    let is_curved = |id| match graph.node(id) {
        Node::Call(..) | Node::Power(..) => true,
        Node::Product(factors) => factors.iter().any(|(_, e)| e.is_negative()),
        _ => false,
    };
    graph.reachable(&[x.id()]).into_iter().any(is_curved)
}

/// A constraint that no real state satisfies with the values that the start gives outright, as `tanh(x') = y'` with `y' = 1`.
pub(super) fn impossible_beside_given<'g>(
    p: &Prepared<'g>,
    given: &Given<'g>,
) -> Option<Diagnostic> {
    if p.model.initial.inconsistent == Some(Inconsistent::Project) {
        return None;
    }
    let values = |rows: &[Ex<'g>], symbols: &[Ex<'g>]| -> Vec<(Ex<'g>, Ex<'g>)> {
        let outright = outright(rows, symbols).into_iter();
        outright.map(|(i, value)| (symbols[i], value)).collect()
    };
    let (q, v) = (&p.system.q, &p.system.v);
    let known = [values(&given.positions, q), values(&given.velocities, v)].concat();
    let mut signs = None;
    for row in p.constraints.active() {
        let written = row.position.or(row.phi).filter(|x| is_curved(*x));
        let Some(written) = written else { continue };
        let beside = written.substitute(&known);
        let moving = if beside.depends_on_any(v) { v } else { q };
        let is_changed = beside != written;
        // Where all is given the error tells by how much the row is missed, and which state is near; rows of velocities that
        // nothing given enters are left to `impossible_row`.
        if !beside.depends_on_any(moving) || !is_changed && row.position.is_none() {
            continue;
        }
        let found = signs
            .get_or_insert_with(|| Signs::new(p))
            .zeros(beside, moving);
        if !found.nowhere {
            continue;
        }
        let (name, why) = (&row.name, found.why.join(", "));
        if is_changed {
            let with = "with the values that are given";
            let what = format!("no real state satisfies `{name}` {with}: {why}");
            return Some(start_error(p, &what));
        }
        let why = with_reason("no real coordinates satisfy it", &why);
        return Some(inconsistent_constraints(p.model, &[row.constraint], &why));
    }
    None
}

/// A constraint that no real velocity satisfies, and why: where numbers only tend to a solution, as of `tanh(x') = 1`, rounding
/// would end at one.
pub(super) fn impossible_row(p: &Prepared<'_>) -> Option<(usize, String)> {
    let mut rows = p.constraints.active();
    rows.find_map(|row| {
        let phi = row
            .phi
            .filter(|phi| row.position.is_none() && !is_affine(&p.system, *phi))?;
        let real = real_row(p, phi);
        let why = || with_reason("no real velocity satisfies it", &real.why);
        real.nowhere.then(|| (row.constraint, why()))
    })
}

/// Refuses states at which a row asks a function for a value out of its range, as `x' = y'^(1/3)` does where `x' < 0`: beside the
/// end of a root its derivative is without bound, and any miss is small beside that.
pub(super) fn within_ranges(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Result<(), Diagnostic> {
    let is_active = |constraint: usize| {
        p.constraints
            .active()
            .any(|row| row.constraint == constraint)
    };
    for end in ends_of_rows(p.model) {
        let JumpOf::Range {
            constraint,
            function,
        } = &end.of
        else {
            continue;
        };
        let graph = p.system.graph;
        let functions = [end.u, end.gap].map(|x| graph.ex(x.id()));
        let values = p.functions_of(&functions).measured(t, &[q, v].concat());
        let Ok([u, gap]) = values.as_deref().map(|x| [x[0], x[1]]) else {
            continue;
        };
        if is_active(*constraint) && u.value.max(gap.value) < -ROUNDING * u.size {
            let error = inconsistent_start(p.model, &[(*constraint, u.value)]);
            return Err(error.note(format!(
                "it asks for a value out of the range of `{function}`, since `{}` is negative",
                end.u
            )));
        }
    }
    Ok(())
}

/// Beside the other components, and one, this is large: a component may be on its way to infinity.
const LARGE: f64 = 1e7;

/// Refuses states to which Newton's method ran along the tail of a function, as of `x^2/(1 + x^2) = 1`: with twice the
/// component all rows that depend on it hold as well.
pub(super) fn bounded<'g>(
    p: &Prepared<'g>,
    given: &Given<'g>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Result<(), Diagnostic> {
    let state = [q, v].concat();
    let inputs = [&p.system.q[..], &p.system.v].concat();
    let is_given = |i: usize| given.outright.iter().any(|(k, _)| *k == i);
    let constraints = p.constraints.active();
    let constraints = constraints.filter_map(|row| row.position.or(row.phi));
    let variables = p.model.motion.variables.iter();
    let variables: Vec<Ex<'g>> = variables.map(|z| p.system.graph.ex(z.symbol)).collect();
    let rows: Vec<Ex<'g>> = (given.positions.iter().chain(&given.velocities).copied())
        .chain(constraints)
        .filter(|row| !row.depends_on_any(&variables))
        .collect();
    let is_large = |i: usize| {
        let others = state.iter().enumerate().filter(|(k, _)| *k != i);
        let scale = others.fold(1.0, |scale: f64, (_, x)| scale.max(x.abs()));
        state[i].abs() > LARGE * scale
    };
    for i in (0..state.len()).filter(|i| is_large(*i) && !is_given(*i)) {
        let on_it: Vec<Ex<'g>> = (rows.iter().copied())
            .filter(|row| row.depends_on(inputs[i]))
            .collect();
        let mut farther = state.clone();
        farther[i] *= 2.0;
        let values = p.functions_of(&on_it).measured(t, &farther);
        let holds = |x: &Measured| x.value.abs() <= SOLVED * x.size;
        if !on_it.is_empty() && values.is_ok_and(|values| values.iter().all(holds)) {
            let what = format!(
                "no solution was found: numbers only tend to one as `{}` grows without bound",
                inputs[i]
            );
            return Err(start_error(p, &what));
        }
    }
    Ok(())
}
