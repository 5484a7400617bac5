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
    pub fibre: Option<Fibre<'g>>,
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
        accel: Matrix<'g>,
        lambda: Matrix<'g>,
        reaction: Matrix<'g>,
    ) -> Self {
        Self {
            formalism,
            sketch,
            carrier: Carrier::Velocities,
            inputs: system.v.clone(),
            input_rates: accel.clone(),
            fibre: None,
            accel,
            lambda,
            reaction,
        }
    }

    /// The same motion, whose form speaks of fibre coordinates of its own.
    pub fn with_own(self, fibre: Fibre<'g>) -> Self {
        Self {
            fibre: Some(fibre),
            ..self
        }
    }

    /// Writes the motion and what constrains it; gives the names of the fibre coordinates.
    fn write(&mut self, system: &System<'g>, constraints: &Constraints<'g>) -> Vec<String> {
        let (graph, sketch) = (system.graph, &mut self.sketch);
        let velocity = system.velocity();
        sketch.output(output::RATE, velocity.above(&self.input_rates));
        let fibre = self.fibre.take().unwrap_or_else(|| Fibre {
            names: self.inputs.iter().filter_map(|w| w.symbol_name()).collect(),
            values: Matrix::column(graph, self.inputs.clone()),
            rates: self.input_rates.clone(),
        });
        let q = Matrix::column(graph, system.q.clone());
        sketch.output(output::STATE, q.above(&fibre.values));
        sketch.output(output::STATE_RATE, velocity.above(&fibre.rates));
        sketch.output(output::VELOCITY, velocity);
        sketch.output(output::ACCEL, self.accel.clone());
        for (symbol, value) in system.a.iter().zip(self.accel.entries()) {
            if symbol != value {
                sketch.bind(*symbol, *value);
            }
        }
        let rows = constraints.all_rows(&self.lambda, graph.zero());
        sketch.output_list(output::LAMBDA, &rows);
        sketch.output(output::REACTION, self.reaction.clone());
        let residuals = constraints.rows.iter().map(|row| row.residual(system));
        let residuals: Vec<Ex<'g>> = residuals.collect();
        sketch.output_list(output::RESIDUAL, &residuals);
        let unprojected = constraints.unprojected(self.carrier == Carrier::Parameters);
        let unprojected = unprojected.into_iter();
        let unprojected = unprojected.map(|(row, level)| row.residual_on(level, system));
        let unprojected: Vec<Ex<'g>> = unprojected.collect();
        sketch.output_list(output::UNPROJECTED, &unprojected);
        fibre.names
    }
}

/// Adds the results that every form has.
pub(crate) fn complete<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    mut motion: Motion<'g>,
) -> Equations<'g> {
    let coordinates = motion.write(system, constraints);
    let Motion {
        formalism,
        mut sketch,
        carrier,
        inputs,
        lambda,
        reaction,
        ..
    } = motion;
    write_state_functions(system, constraints, &mut sketch);
    let alone = constraints.motion_alone();
    if let Some(parametric) = alone.filter(|_| carrier == Carrier::Parameters) {
        sketch.output(output::PSI_TRANSPOSED, parametric.partial.transpose());
    }
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
            .chain(coordinates)
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
        remark: None,
        arguments: Vec::new(),
    };
    equations.unavailable = quantities::bind(system, constraints, &mut equations);
    equations
}
