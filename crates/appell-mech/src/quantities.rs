//! The results that claims, plots and stops may name, bound to what mechanics computes.

use crate::bodies::{column, cross};
use crate::constraints::Constraints;
use crate::energy::constraint_power;
use crate::equations::{Carrier, Equations};
use crate::forces::ConstraintForce;
use crate::output;
use crate::restricted::{Restricted, is_restricted, voronec};
use crate::state_function::Found;
use crate::state_function::state_function;
use crate::system::{Metric, System};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, SolveKind, is_free_of};
use appell_model::Quantity;

/// Binds motion variables and every quantity the model mentions; returns what cannot be had.
pub(crate) fn bind<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &mut Equations<'g>,
) -> Vec<(Quantity, Unavailable)> {
    bind_variables(system, constraints, equations);
    let mut unavailable = Vec::new();
    for (quantity, symbol) in &system.model.quantities {
        if is_bound(system, equations, quantity) {
            continue;
        }
        match value(system, constraints, equations, quantity) {
            Ok(value) => equations.sketch.bind(system.graph.ex(*symbol), value),
            Err(why) => unavailable.push((quantity.clone(), why)),
        }
    }
    unavailable
}

/// Whether it is the rate of a motion variable that has its meaning already.
fn is_bound(system: &System<'_>, equations: &Equations<'_>, quantity: &Quantity) -> bool {
    let Quantity::VariableRate(index) = quantity else {
        return false;
    };
    let rate = system.model.motion.variables[*index].rate;
    equations
        .sketch
        .steps()
        .iter()
        .any(|step| step.defines(rate))
}

/// Lets motion variables and their rates stand for functions of the state.
fn bind_variables<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &mut Equations<'g>,
) {
    let graph = system.graph;
    let motion = &system.model.motion;
    if let Some(definitions) = &motion.definitions {
        for (variable, definition) in motion.variables.iter().zip(graph.exs(definitions)) {
            equations.sketch.bind(graph.ex(variable.symbol), definition);
            equations
                .sketch
                .bind(graph.ex(variable.rate), system.total_rate(definition));
        }
    }
    let Some(parametric) = &constraints.parametric else {
        return;
    };
    let on_parameters = equations.carrier == Carrier::Parameters;
    let affine = !on_parameters
        && !constraints.has_dropped_rows()
        && parametric.z.iter().all(|z| {
            parametric
                .partial
                .entries()
                .iter()
                .all(|entry| is_free_of(*entry, *z))
        });
    if affine {
        bind_affine_parameters(system, constraints, equations);
    }
}

/// `z` and `z'` from `Psi z = v - psi(q, 0, t)`, `Psi z' = q'' - psi_q v - psi_t`.
fn bind_affine_parameters<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &mut Equations<'g>,
) {
    let Some(parametric) = &constraints.parametric else {
        return;
    };
    let graph = system.graph;
    let at_zero: Vec<_> = parametric.z.iter().map(|z| (*z, graph.zero())).collect();
    let transposed = parametric.partial.substitute(&at_zero).transpose();
    let normal = &transposed * &transposed.transpose();
    let kind = SolveKind::PositiveDefinite;
    let right = &transposed * &(&system.velocity() - &parametric.psi.substitute(&at_zero));
    let z = equations.sketch.solve(kind, "z", &normal, &right);
    for (symbol, value) in parametric.z.iter().zip(z.entries()) {
        equations.sketch.bind(*symbol, *value);
    }
    let drift = parametric.psi.map(|x| system.drift(x));
    let accel = Matrix::column(graph, system.a.clone());
    let rate = equations
        .sketch
        .solve(kind, "zdot", &normal, &(&transposed * &(&accel - &drift)));
    for (symbol, value) in parametric.rates.iter().zip(rate.entries()) {
        equations.sketch.bind(*symbol, *value);
    }
}

/// The entries of an output, or none.
fn output_of<'g>(equations: &Equations<'g>, name: &str) -> Vec<Ex<'g>> {
    equations
        .sketch
        .get(name)
        .map_or_else(Vec::new, |m| m.entries().to_vec())
}

fn scalar<'g>(equations: &Equations<'g>, name: &str) -> Found<'g> {
    let why = || match &equations.energy_star {
        Err(why) => why.clone(),
        Ok(()) => Unavailable(format!("{name} is not among the results")),
    };
    output_of(equations, name).first().copied().ok_or_else(why)
}

fn value<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &mut Equations<'g>,
    quantity: &Quantity,
) -> Found<'g> {
    match quantity {
        Quantity::EnergyStar => scalar(equations, output::ENERGY_STAR),
        Quantity::Multiplier(row) => Ok(output_of(equations, output::LAMBDA)[*row]),
        Quantity::Power(constraint) => {
            let lambda = active_multipliers(system, constraints, equations);
            Ok(constraint_power(system, constraints, &lambda, *constraint))
        }
        Quantity::Reaction(i) => Ok(output_of(equations, output::REACTION)[*i]),
        Quantity::ReactionUp(i) => raised_reaction(system, equations, *i),
        Quantity::ReactionForce(body, axis) => {
            all_placed(system, constraints, equations)?;
            Ok(reaction_force(system, equations, *body, *axis))
        }
        Quantity::ReactionMoment(body, axis) => {
            all_placed(system, constraints, equations)?;
            Ok(reaction_moment(system, equations, *body, *axis))
        }
        Quantity::AlphaBar(i) => alphabar(system, constraints, equations, *i),
        Quantity::VariableRate(i) => {
            let name = &system.model.motion.variables[*i].name;
            Err(Unavailable(format!(
                "{name} is not a function of (q, v) here; gibbs-appell has it as one of (q, z)"
            )))
        }
        Quantity::Voronec(r, i) => voronec(system, constraints, equations, *r, *i),
        Quantity::Rate(inner) => rate(system, constraints, equations, inner),
        Quantity::Partial(inner, symbol) => {
            let symbol = system.graph.ex(*symbol);
            if is_restricted(inner) {
                return Restricted::new(system, constraints)?.partial(equations, inner, symbol);
            }
            Ok(state_function(system, constraints, inner)?.diff(symbol))
        }
        _ => state_function(system, constraints, quantity),
    }
}

/// `d/dt` of a quantity along the motion.
fn rate<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &mut Equations<'g>,
    quantity: &Quantity,
) -> Found<'g> {
    match quantity {
        Quantity::Energy => scalar(equations, output::ENERGY_RATE),
        Quantity::EnergyStar => scalar(equations, output::ENERGY_STAR_RATE),
        Quantity::Partial(inner, symbol) if is_restricted(inner) => {
            let symbol = system.graph.ex(*symbol);
            Restricted::new(system, constraints)?.partial_rate(equations, inner, symbol)
        }
        other => match state_function(system, constraints, other) {
            Ok(function) => Ok(system.total_rate(function)),
            Err(_) => Err(Unavailable("its rate is not derived".to_owned())),
        },
    }
}

fn active_multipliers<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
) -> Matrix<'g> {
    let all = output_of(equations, output::LAMBDA);
    let active = constraints
        .rows
        .iter()
        .zip(all)
        .filter(|(row, _)| row.is_active());
    Matrix::column(system.graph, active.map(|(_, lambda)| lambda).collect())
}

/// `R^i = (M^-1 R)^i`.
fn raised_reaction<'g>(system: &System<'g>, equations: &mut Equations<'g>, i: usize) -> Found<'g> {
    if system.metric == Metric::Singular {
        return Err(Unavailable(
            "M is singular: the reaction cannot be raised".to_owned(),
        ));
    }
    let reaction = Matrix::column(system.graph, output_of(equations, output::REACTION));
    let raised = equations
        .sketch
        .solve(system.solve_kind(), "R", &system.mass, &reaction);
    Ok(raised[(i, 0)])
}

/// A sum of forces means nothing where the force of some constraint is not known.
fn all_placed<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
) -> Result<(), Unavailable> {
    let acts = |c: usize| {
        let rows = constraints.rows.iter().filter(|row| row.constraint == c);
        !system.model.constraints[c].added && rows.into_iter().any(|row| row.is_active())
    };
    let placed = |c: usize| equations.forces.iter().any(|f| f.constraint == c);
    match (0..system.model.constraints.len()).find(|c| acts(*c) && !placed(*c)) {
        None => Ok(()),
        Some(c) => Err(Unavailable(format!(
            "where the reaction of {} acts is not known: write it with v(P), v(body, r), omega(body)",
            system.model.constraints[c].name
        ))),
    }
}

fn reaction_force<'g>(
    system: &System<'g>,
    equations: &Equations<'g>,
    body: usize,
    axis: usize,
) -> Ex<'g> {
    let parts = equations.forces.iter().filter(|f| f.body == Some(body));
    let parts: Vec<Ex<'g>> = parts.map(|f| f.force[(axis, 0)]).collect();
    system.graph.sum(&parts)
}

/// The moment about the mass centre: couples and `(at - centre) x force`.
fn reaction_moment<'g>(
    system: &System<'g>,
    equations: &Equations<'g>,
    body: usize,
    axis: usize,
) -> Ex<'g> {
    let parts = equations.forces.iter().filter(|f| f.body == Some(body));
    let moment = |f: &ConstraintForce<'g>| {
        let arm = &f.at - &column(system.graph, system.model.bodies[body].position);
        &f.torque + &cross(&arm, &f.force)
    };
    let parts: Vec<Ex<'g>> = parts.map(|f| moment(f)[(axis, 0)]).collect();
    system.graph.sum(&parts)
}

/// `alphabar` of the dependent velocity of this coordinate: `alphabar - alpha + v`.
fn alphabar<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
    i: usize,
) -> Found<'g> {
    let dependent = constraints
        .chart
        .as_ref()
        .map_or(&[][..], |chart| &chart.dependent);
    let Some(place) = dependent.iter().position(|j| *j == i) else {
        return Err(Unavailable(
            "alphabar belongs to a dependent velocity".to_owned(),
        ));
    };
    let gap = output_of(equations, output::ALPHABAR_MINUS_ALPHA);
    match (gap.get(place), &equations.energy_star) {
        (Some(gap), _) => Ok(*gap + system.v[i]),
        (None, Err(why)) => Err(why.clone()),
        (None, Ok(())) => Err(Unavailable("E* is not available".to_owned())),
    }
}
