//! Rest and steady motion as equations: where the vector field of a system does not move.

use crate::constraints::{Chart, ConstraintRow, Constraints, Parametrisation};
use crate::system::System;
use appell_expr::{Ex, Matrix};

/// Unknowns and the equations `rows = 0` for them.
#[derive(Debug, Clone)]
pub struct Balance<'g> {
    /// The unknowns: first `q`, then velocities or parameters, accelerations and multipliers.
    pub unknowns: Vec<Ex<'g>>,
    /// The equations.
    pub rows: Vec<Ex<'g>>,
}

/// The coordinates of the velocities that are to stay constant.
#[derive(Debug, Clone, Copy)]
pub enum Fibre<'a, 'g> {
    /// The parameters `z` of `v = psi(q, z, t)`.
    Parameters(&'a Parametrisation<'g>),
    /// The independent velocities of a chart; its rows do not matter.
    Velocities(&'a Chart),
}

impl<'g> Balance<'g> {
    /// Rest, `v = 0`: `f(q) = 0`, `phi(q, 0) = 0` (`B = 0` of rows for the accelerations), `r(q, 0) + W lambda = 0`, for `(q, lambda)`; where
    /// the constraint is given as `v = psi` only, `psi = 0`, `Psi^T r = 0` for `(q, z)`
    /// [benenti2007, (7.8)].
    pub fn at_rest(system: &System<'g>, constraints: &Constraints<'g>) -> Self {
        let parametric = constraints.parametric.as_ref();
        if let Some(psi) = parametric.filter(|_| constraints.rows.is_empty()) {
            let all: Vec<usize> = (0..system.n()).collect();
            return on_parameters(system, constraints, psi, &all);
        }
        let at_rest: Vec<_> = system.v.iter().map(|v| (*v, system.graph.zero())).collect();
        let lambda = constraints.multiplier_symbols(system.graph);
        let forces = &system.right + &(&constraints.w * &lambda);
        let given = velocity_rows(constraints).filter(|row| row.position.is_none());
        // At rest a row for the accelerations asks for `B = 0`.
        let given = given.map(|row| row.phi.unwrap_or(row.b));
        let moving: Vec<Ex<'g>> = given.chain(forces.entries().iter().copied()).collect();
        Self {
            unknowns: [&system.q[..], lambda.entries()].concat(),
            rows: positions(constraints)
                .chain(system.graph.substitute(&moving, &at_rest))
                .collect(),
        }
    }

    /// Steady motion: the fibre coordinates and the coordinates `essential` stay constant.
    ///
    /// With parameters, `psi_e = 0` and `Psi^T (r - M (psi_q psi + psi_t)) = 0` for `(q, z)`
    /// [benenti2007, (7.8), corrected]. With independent velocities, for the other velocities, the
    /// dependent accelerations and `lambda`: `phi = 0`, `M a = r + W lambda`, `A a + B = 0` with `a_i = 0`
    /// and `v_e = 0`. Accelerations of coordinates that the field ignores need not vanish.
    pub fn steady(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        fibre: Fibre<'_, 'g>,
        essential: &[usize],
    ) -> Self {
        match fibre {
            Fibre::Parameters(psi) => on_parameters(system, constraints, psi, essential),
            Fibre::Velocities(chart) => on_velocities(system, constraints, chart, essential),
        }
    }
}

fn on_parameters<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    parametric: &Parametrisation<'g>,
    essential: &[usize],
) -> Balance<'g> {
    let (graph, psi) = (system.graph, &parametric.psi);
    let velocities = system.v.iter().copied().zip(psi.entries().iter().copied());
    let on_psi: Vec<_> = velocities.collect();
    let by_q = Matrix::jacobian(graph, psi.entries(), &system.q);
    let drift = &(&by_q * psi) + &psi.map(|x| x.diff(system.t));
    let free = &system.right.substitute(&on_psi) - &(&system.mass.substitute(&on_psi) * &drift);
    let fibre = &parametric.partial.transpose() * &free;
    let still = essential.iter().map(|e| psi[(*e, 0)]);
    Balance {
        unknowns: [&system.q[..], &parametric.z].concat(),
        rows: positions(constraints)
            .chain(still)
            .chain(fibre.entries().iter().copied())
            .collect(),
    }
}

fn on_velocities<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    chart: &Chart,
    essential: &[usize],
) -> Balance<'g> {
    let graph = system.graph;
    let zero = |x: &Ex<'g>| (*x, graph.zero());
    let still = essential.iter().map(|e| zero(&system.v[*e]));
    let steady = chart.independent.iter().map(|i| zero(&system.a[*i]));
    let fixed: Vec<_> = still.chain(steady).collect();
    let lambda = constraints.multiplier_symbols(graph);
    let a = Matrix::column(graph, system.a.clone());
    let forces = &(&system.right + &(&constraints.w * &lambda)) - &(&system.mass * &a);
    let turning = &(&constraints.a * &a) + &constraints.b;
    let phi = velocity_rows(constraints).filter_map(|row| row.phi);
    let rows = phi.chain(forces.entries().iter().copied());
    let rows: Vec<Ex<'g>> = rows.chain(turning.entries().iter().copied()).collect();
    let moving = (0..system.n()).filter(|i| !essential.contains(i));
    let moving = moving.map(|i| system.v[i]);
    let dependent = chart.dependent.iter().map(|d| system.a[*d]);
    Balance {
        unknowns: system
            .q
            .iter()
            .copied()
            .chain(moving)
            .chain(dependent)
            .chain(lambda.entries().iter().copied())
            .collect(),
        rows: positions(constraints)
            .chain(graph.substitute(&rows, &fixed))
            .collect(),
    }
}

/// `f(q)` of the holonomic rows.
fn positions<'a, 'g>(constraints: &'a Constraints<'g>) -> impl Iterator<Item = Ex<'g>> + 'a {
    constraints.holonomic().filter_map(|row| row.position)
}

/// The active rows on velocity level.
fn velocity_rows<'a, 'g>(
    constraints: &'a Constraints<'g>,
) -> impl Iterator<Item = &'a ConstraintRow<'g>> + 'a {
    constraints.active()
}
