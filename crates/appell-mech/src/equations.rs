//! Equations of motion, unsolved: a vector field in a chart, with the results every form has.

use crate::constraints::Constraints;
use crate::energy;
use crate::forces::{self, ConstraintForce};
use crate::formalism::{Formalism, Unavailable};
use crate::quantities;
use crate::state::write_state_functions;
use crate::system::System;
use appell_expr::{Ex, Graph, Matrix, Program, Sketch, Unbound};
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
    /// Constraint forces, 3 numbers for each entry of [`super::Equations::forces`].
    pub const FORCES: &str = "forces";
    /// Their couples, 3 numbers each.
    pub const TORQUES: &str = "torques";
    /// Their points of application, 3 numbers each.
    pub const POINTS: &str = "points";
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
    /// Gibbs-Appell only: `S(z') = 1/2 q''.M q'' - q''.(r - A)` at `q'' = Psi z' + d`, a number; a
    /// function of [`super::Equations::arguments`].
    pub const APPELL: &str = "appell";
    /// Gibbs-Appell only: `Psi^T A` of the active forces `A`, m.
    pub const FIBRE_FORCE: &str = "fibre_force";
    /// Multipliers only: `A delta q` of [`super::Equations::arguments`] `delta q`, k.
    pub const VIRTUAL_ROWS: &str = "virtual_rows";
    /// The virtual displacements that a form speaks of, as columns: a frame of `ker A`, or the
    /// projector on it; n rows.
    pub const VIRTUAL: &str = "virtual";
    /// Quasi-velocities: `Y_2`, n x (n - m).
    pub const FIXED: &str = "fixed";
    /// Quasi-velocities: `Z`, n.
    pub const REST: &str = "rest";
    /// Projector only: `A`, k x n.
    pub const COVECTORS: &str = "covectors";
    /// Projector only: `A M^-1 W`, k x k.
    pub const COVECTOR_GRAM: &str = "covector_gram";
    /// Projector only: the inverse of [`COVECTOR_GRAM`] where the rows are independent, k x k.
    pub const COVECTOR_GRAM_INVERSE: &str = "covector_gram_inverse";
    /// Projector only: `pi = M^-1 W G^-1 A M^-1`, n x n.
    pub const PI: &str = "pi";
    /// Projector only: `M^-1 W`, n x k.
    pub const RAISED_COVECTORS: &str = "raised_covectors";
    /// Projector only: `M^-1 A^T G^-1`, n x k, where the reactions are Chetaev's.
    pub const COVECTOR_DUAL: &str = "covector_dual";
    /// Projector only: `B`, k.
    pub const TRANSPORT: &str = "transport";
    /// Projector only: `(M^-1 - pi) r`, n.
    pub const PROJECTED: &str = "projected";
    /// Projector only: `-M^-1 W G^-1 B`, n.
    pub const DEVIATION: &str = "deviation";
    /// Projector only: `D = (M^-1 - pi) r - M^-1 W G^-1 B`, so that `q'' = D`, n.
    pub const DYNAMICS: &str = "dynamics";
    /// Projector only: the contravariant reaction `-pi r - M^-1 W G^-1 B`, n.
    pub const RAISED_REACTION: &str = "raised_reaction";
    /// Gauss only: `a = M^-1 r`, n.
    pub const FREE_ACCEL: &str = "free_accel";
    /// Gauss only: `G(q'') = 1/2 (q'' - a).M (q'' - a)` as a function of
    /// [`super::Equations::arguments`], a number.
    pub const GAUSS_FUNCTION: &str = "gauss_function";
    /// Gauss only: the constraint `G = 1/2 (q'' - a).M (q'' - a)` at the actual acceleration.
    pub const GAUSS: &str = "gauss";
    /// Gauss only: `G` at `q''` plus each projection of a unit acceleration on to `ker A`, n.
    ///
    /// Where `M` is definite none is below [`GAUSS`]; equal only where the projection vanishes.
    pub const GAUSS_AROUND: &str = "gauss_around";
    /// Connection only: `g^ij`, n x n.
    pub const RAISED_METRIC: &str = "raised_metric";
    /// Connection only: `Gamma^i_hj`, n x n^2: row i, column h n + j. So are the tensors below.
    pub const CHRISTOFFEL: &str = "christoffel";
    /// Connection only: `D^a_hk`, k x n^2: row a, column h n + k.
    pub const DEFORMATION: &str = "deformation";
    /// Connection only: `G^i_j = G_ab K^ai K^b_j`, n x n.
    pub const REACTING: &str = "reacting";
    /// Connection only: `nabla_h G^i_j`.
    pub const NABLA_G: &str = "nabla_g";
    /// Connection only: `Gamma^i_hj + nabla_h G^i_j`.
    pub const REDUCED: &str = "reduced";
    /// Connection only: its part symmetric in h, j.
    pub const REDUCED_SYMMETRIC: &str = "reduced_symmetric";
    /// Connection only: its torsion.
    pub const TORSION: &str = "torsion";
    /// Hamilton only: `H_pp`, the inverse of `M`, n x n.
    pub const H_PP: &str = "H_pp";
    /// Hamilton only: the derivatives of `phi(q, H_p, t)` by `p`, for the rows that have a `phi`.
    pub const PHI_P: &str = "phi_p";
    /// Hamilton only: `H = p.v - L`, a number.
    pub const HAMILTONIAN: &str = "hamiltonian";
    /// Hamilton only: `phi(q, H_p, t)`, one a row that has a `phi`.
    pub const INVARIANT: &str = "invariant";
    /// Hamilton only: `A` at `v = H_p`, k x n.
    pub const PHASE_COVECTORS: &str = "phase_covectors";
    /// Hamilton only: `A H_pp A^T`, k x k.
    pub const PHASE_GRAM: &str = "phase_gram";
    /// Hamilton only: `L^b`, k.
    pub const BRACKET: &str = "bracket";
    /// Hamilton only: `2n - l`, the dimension of `C` in phase space, a number.
    pub const DIM_C: &str = "dim_c";
    /// Hamilton only: `2n`, the dimension of the dynamics `D`, a number.
    pub const DIM_D: &str = "dim_d";
    /// Voronec and Chaplygin: `alpha`, where it is an expression, one a dependent velocity.
    pub const ALPHA: &str = "alpha";
    /// Voronec and Chaplygin: `d alpha_nu/dv_r`, (n - m) x m.
    pub const ALPHA_SLOPE: &str = "alpha_slope";
    /// Voronec and Chaplygin: `T*`, a number, where the model gives `T` and a `V(q, t)`.
    pub const KINETIC_STAR: &str = "kinetic_star";
    /// Voronec and Chaplygin: `L*`, a number, where there is no [`KINETIC_STAR`].
    pub const LAGRANGIAN_STAR: &str = "lagrangian_star";
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
    /// Kane only: `e`, p x 1, see [`COMPLEMENT`].
    pub const COMPLEMENT_REST: &str = "complement_rest";
    /// Kane only: `alpha = A Y` of the complex rows, l x p.
    pub const COMPLEX_ROWS: &str = "complex_rows";
    /// Kane only: `gamma = B + A d` of the complex rows, l.
    pub const COMPLEX_REST: &str = "complex_rest";
    /// Kane only: the velocities and `omega` of the bodies as functions of `u`, which are
    /// [`super::Equations::arguments`]; three rows for each.
    pub const VELOCITIES: &str = "velocities";
    /// Kane only: their rates as functions of the `u'`, likewise.
    pub const ACCELERATIONS: &str = "accelerations";
    /// Kane only: the partial velocities `v~_r` as columns, three rows for each of these, p columns.
    pub const PARTIAL_VELOCITIES: &str = "partial_velocities";
    /// Kane only: the partial accelerations `a~_r` as columns, three rows for each of these, c columns.
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
    /// The constraint forces on particles and bodies.
    pub forces: Vec<ConstraintForce<'g>>,
    /// Why `E*` is not among the outputs.
    pub energy_star: Result<(), Unavailable>,
    /// Quantities of claims and plots that this form cannot give, and why.
    pub unavailable: Vec<(Quantity, Unavailable)>,
    /// What the general statement does not say of this model.
    pub remark: Option<String>,
    /// The free arguments of outputs that are functions, as Appell's `S(z')`. No program that moves
    /// a system reads them.
    pub arguments: Vec<Argument<'g>>,
}

/// An argument of a displayed function.
#[derive(Debug, Clone)]
pub struct Argument<'g> {
    /// Its symbol, which stands for nothing else.
    pub symbol: Ex<'g>,
    /// How it is called in print, such as `z1'`.
    pub name: String,
}

impl<'g> Argument<'g> {
    /// Arguments of these names.
    pub(crate) fn all(graph: &'g Graph, names: impl IntoIterator<Item = String>) -> Vec<Self> {
        let argument = |name: String| Self {
            symbol: graph.symbol(&format!("argument[{name}]")),
            name,
        };
        names.into_iter().map(argument).collect()
    }

    /// Their symbols, as a vector.
    pub(crate) fn symbols(graph: &'g Graph, arguments: &[Self]) -> Matrix<'g> {
        Matrix::column(graph, arguments.iter().map(|x| x.symbol).collect())
    }
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
        arguments: Vec::new(),
    };
    equations.unavailable = quantities::bind(system, constraints, &mut equations);
    equations
}
