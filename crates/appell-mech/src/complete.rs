//! What every form gives besides its motion, written once for all.

use crate::constraints::Constraints;
use crate::energy;
use crate::equations::{Carrier, Equations, Formalism};
use crate::forces;
use crate::output;
use crate::quantities;
use crate::state::write_state_functions;
use crate::system::System;
use appell_expr::{Ex, Matrix, Sketch};

/// Fibre coordinates that a form speaks of, as functions of what its programs read.
pub(crate) struct Fibre<'g> {
    pub names: Vec<String>,
    pub values: Matrix<'g>,
    pub rates: Matrix<'g>,
}

/// What a formalism hands over: the motion it found, in its chart.
pub(crate) struct Motion<'g> {
    pub formalism: &'static Formalism,
    pub sketch: Sketch<'g>,
    pub carrier: Carrier,
    /// What the programs read for the velocities, symbols.
    pub inputs: Vec<Ex<'g>>,
    /// Their rates.
    pub input_rates: Matrix<'g>,
    /// The form's own fibre coordinates with their rates, where they are not the inputs.
    pub own: Option<Fibre<'g>>,
    /// `q''`, n x 1.
    pub accel: Matrix<'g>,
    /// The multipliers of the active rows, k x 1.
    pub lambda: Matrix<'g>,
    /// The covariant reaction, n x 1.
    pub reaction: Matrix<'g>,
}

impl<'g> Motion<'g> {
    /// A motion found on `(q, v)`, whose fibre coordinates are the velocities.
    pub fn on_velocities(
        formalism: &'static Formalism,
        system: &System<'g>,
        sketch: Sketch<'g>,
        (accel, lambda, reaction): (Matrix<'g>, Matrix<'g>, Matrix<'g>),
    ) -> Self {
        Self {
            formalism,
            sketch,
            carrier: Carrier::Velocities,
            inputs: system.v.clone(),
            input_rates: accel.clone(),
            own: None,
            accel,
            lambda,
            reaction,
        }
    }
}

/// Adds the results that every form has.
pub(crate) fn complete<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    motion: Motion<'g>,
) -> Equations<'g> {
    let Motion {
        formalism,
        mut sketch,
        carrier,
        inputs,
        input_rates,
        own,
        accel,
        lambda,
        reaction,
    } = motion;
    let velocity = system.velocity();
    sketch.output(output::RATE, velocity.above(&input_rates));
    let own = own.unwrap_or_else(|| Fibre {
        names: inputs.iter().filter_map(|w| w.symbol_name()).collect(),
        values: Matrix::column(system.graph, inputs.clone()),
        rates: input_rates,
    });
    let q = Matrix::column(system.graph, system.q.clone());
    sketch.output(output::STATE, q.above(&own.values));
    sketch.output(output::STATE_RATE, velocity.above(&own.rates));
    sketch.output(output::VELOCITY, velocity.clone());
    sketch.output(output::ACCEL, accel.clone());
    for (symbol, value) in system.a.iter().zip(accel.entries()) {
        if symbol != value {
            sketch.bind(*symbol, *value);
        }
    }
    let rows = constraints.all_rows(&lambda, system.graph.zero());
    sketch.output_list(output::LAMBDA, &rows);
    sketch.output(output::REACTION, reaction.clone());
    let residuals: Vec<Ex<'g>> = constraints
        .rows
        .iter()
        .map(|row| row.residual(system))
        .collect();
    sketch.output_list(output::RESIDUAL, &residuals);
    write_state_functions(system, constraints, &mut sketch);
    let ledger = energy::write(system, constraints, &lambda, &reaction, &mut sketch);
    let energy_star = energy::write_star(system, constraints, &mut sketch);
    let forces = forces::write(system, constraints, &lambda, &mut sketch);
    let mut equations = Equations {
        formalism,
        t: system.t,
        carrier,
        state: system.q.iter().copied().chain(inputs).collect(),
        state_names: system
            .q
            .iter()
            .filter_map(|q| q.symbol_name())
            .chain(own.names)
            .collect(),
        parameters: system
            .model
            .parameters
            .iter()
            .map(|p| system.graph.ex(p.symbol))
            .collect(),
        sketch,
        ledger,
        forces,
        energy_star,
        unavailable: Vec::new(),
        chart_inputs: Vec::new(),
        remark: None,
        arguments: Vec::new(),
    };
    equations.unavailable = quantities::bind(system, constraints, &mut equations);
    equations
}
