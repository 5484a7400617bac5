//! Equations of motion, unsolved: a vector field in a chart, with the results every form has.

use crate::constraints::Constraints;
use crate::energy;
use crate::forces::{self, ConstraintForce};
use crate::formalism::{Formalism, Unavailable};
use crate::quantities;
use crate::state::write_state_functions;
use crate::system::System;
use appell_expr::{Ex, Matrix, Program, Sketch, Unbound};
use appell_model::Quantity;

/// Names of the outputs that every formalism gives.
///
/// Shapes: n coordinates, m fibre coordinates of the carrier, `rows` constraint rows of the file.
pub mod output {
    /// The rate of what the programs read: `q` and the carrier's coordinates.
    pub const RATE: &str = "rate";
    /// `q` and the form's own fibre coordinates, such as the independent velocities.
    pub const STATE: &str = "state";
    /// The rate of [`STATE`].
    pub const STATE_RATE: &str = "state_rate";
    /// `v`, n.
    pub const VELOCITY: &str = "velocity";
    /// `q''`, n.
    pub const ACCEL: &str = "accel";
    /// The multipliers, one a row of the file; the least in norm if they are not unique.
    pub const LAMBDA: &str = "lambda";
    /// The covariant reaction `R_i`, n.
    pub const REACTION: &str = "reaction";
    /// `E = v.L_v - L`.
    pub const ENERGY: &str = "energy";
    /// `dE/dt = -L_t + R.v + F.v`.
    pub const ENERGY_RATE: &str = "energy_rate";
    /// `R.v`.
    pub const REACTION_POWER: &str = "reaction_power";
    /// Each row's left side minus right side, on the level it was given on.
    pub const RESIDUAL: &str = "residual";
    /// The rates of the ledger's entries, in the order of [`super::Equations::ledger`].
    pub const WORK: &str = "work";
    /// `E*`, only with independent velocities.
    pub const ENERGY_STAR: &str = "energy_star";
    /// `dE*/dt`.
    pub const ENERGY_STAR_RATE: &str = "energy_star_rate";
    /// `alphabar - alpha`, one a dependent velocity.
    pub const ALPHABAR_MINUS_ALPHA: &str = "alphabar_minus_alpha";
    /// Forces on particles, 3 numbers for each entry of [`super::Equations::forces`].
    pub const FORCES: &str = "forces";
    /// `B_r^nu`, a row for each dependent velocity, a column for each independent one: in Voronec's
    /// and Chaplygin's equations, and where the model names one of them.
    pub const VORONEC: &str = "voronec";
    /// Benenti's forms: `M`, n x n; for the projector `M + A^T A` where `M` is singular.
    pub const METRIC: &str = "metric";
    /// Gibbs-Appell only: `Psi = psi_z`, n x m.
    pub const PSI: &str = "psi";
    /// Gibbs-Appell only: the rank of [`PSI`] at almost every state, a number.
    pub const RANK: &str = "rank";
    /// Gibbs-Appell only: `Psi^T M Psi`, m x m.
    pub const GRAM: &str = "gram";
    /// Gibbs-Appell only: `r` with `v = psi`, n.
    pub const FREE: &str = "free";
    /// Gibbs-Appell only: `d = psi_q psi + psi_t`, so that `q'' = Psi z' + d`, n.
    pub const DRIFT: &str = "drift";
    /// Gibbs-Appell only: `Psi^T (r - M d)`, m.
    pub const Z: &str = "z";
    /// Projector only: `A`, k x n.
    pub const COVECTORS: &str = "covectors";
    /// Projector only: `A M^-1 W`, k x k.
    pub const COVECTOR_GRAM: &str = "covector_gram";
    /// Projector only: `pi = M^-1 W G^-1 A M^-1`, n x n.
    pub const PI: &str = "pi";
    /// Projector only: `-M^-1 W G^-1 B`, n.
    pub const DEVIATION: &str = "deviation";
    /// Projector only: the contravariant reaction `-pi r - M^-1 W G^-1 B`, n.
    pub const RAISED_REACTION: &str = "raised_reaction";
    /// Gauss only: the constraint `G = 1/2 (q'' - a).M (q'' - a)` at the actual acceleration.
    pub const GAUSS: &str = "gauss";
    /// Gauss only: `G` at `q''` plus each projection of a unit acceleration on to `ker A`, n.
    ///
    /// Where `M` is definite none is below [`GAUSS`]; equal only where the projection vanishes.
    pub const GAUSS_AROUND: &str = "gauss_around";
    /// Hamilton only: `H_pp`, the inverse of `M`, n x n.
    pub const H_PP: &str = "H_pp";
    /// Hamilton only: the derivatives of `phi(q, H_p, t)` by `p`, for the rows that have a `phi`.
    pub const PHI_P: &str = "phi_p";
    /// Boltzmann-Hamel only: `[c_0, c_1, .., c_m]`, n x n (m + 1); `c_k` has `c^s_kr` in row s, column r.
    pub const STRUCTURE: &str = "structure";
    /// Kane only: `q''` from the equations with no multipliers in evidence, n.
    ///
    /// Undefined where the chosen independent accelerations do not determine the others.
    pub const ACCEL_MINIMAL: &str = "accel_minimal";
    /// Kane only: `u'` from the same equations, p.
    pub const RATE_MINIMAL: &str = "rate_minimal";
    /// Kane only: `N`, p x c: `u' = N u_i' + e`; its unit rows are those of the independent `u_i'`.
    pub const COMPLEMENT: &str = "complement";
    /// Kane only: `Y N`, n x c: `q''` by the independent `u_i'`.
    pub const ACCEL_DIRECTIONS: &str = "accel_directions";
    /// Kane only: the partial velocities `v~_r` as columns, three rows for each particle, p columns.
    pub const PARTIAL_VELOCITIES: &str = "partial_velocities";
    /// Kane only: the partial accelerations `a~_r` as columns, three rows for each particle, c columns.
    pub const PARTIAL_ACCELERATIONS: &str = "partial_accelerations";
}

/// The coordinates of the velocities that a form's programs read after `t` and `q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// `v`.
    Velocities,
    /// `z`, with `v = psi(q, z, t)`: found from `v` by numbers only.
    Parameters,
    /// `p = L_v`.
    Momenta,
}

/// The equations of one formalism for one model.
#[derive(Debug)]
pub struct Equations<'g> {
    /// The form they have.
    pub formalism: &'static Formalism,
    /// The inputs of their programs before the state: `t`.
    pub t: Ex<'g>,
    /// What the programs read for the velocities.
    pub carrier: Carrier,
    /// What the programs read: first q in the file's order, then the carrier's coordinates.
    pub state: Vec<Ex<'g>>,
    /// The names of q and of the form's own fibre coordinates, as in [`output::STATE`].
    pub state_names: Vec<String>,
    /// The parameters, in the file's order.
    pub parameters: Vec<Ex<'g>>,
    /// The numbers of a chart that is chosen while the programs run, read after the parameters;
    /// none but for [`crate::gibbs_appell_in_chart`].
    pub chart_inputs: Vec<Ex<'g>>,
    /// What is computed, step by step, with the results by name.
    pub sketch: Sketch<'g>,
    /// The entries of the ledger: forces, constraints, `moving_frames`.
    pub ledger: Vec<String>,
    /// The constraint forces on particles.
    pub forces: Vec<ConstraintForce<'g>>,
    /// Why `E*` is not among the outputs.
    pub energy_star: Result<(), Unavailable>,
    /// Quantities of claims and plots that this form cannot give, and why.
    pub unavailable: Vec<(Quantity, Unavailable)>,
    /// What the general statement does not say of this model.
    pub remark: Option<String>,
}

impl<'g> Equations<'g> {
    /// The inputs of every program: `t`, the state, the parameters, the numbers of the chart.
    pub fn inputs(&self) -> Vec<Ex<'g>> {
        let all = [self.t].into_iter().chain(self.state.iter().copied());
        let constants = self.parameters.iter().chain(&self.chart_inputs);
        all.chain(constants.copied()).collect()
    }

    /// The names of what the programs read after `t`.
    pub fn input_names(&self) -> Vec<String> {
        self.state.iter().filter_map(|x| x.symbol_name()).collect()
    }

    /// The program for the outputs of these names.
    ///
    /// # Errors
    /// An output that is not there, or an expression that speaks of something unavailable.
    pub fn program(&self, names: &[&str]) -> Result<Program, Unbound> {
        self.sketch.program(&self.inputs(), names)
    }
}

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
    };
    equations.unavailable = quantities::bind(system, constraints, &mut equations);
    equations
}
