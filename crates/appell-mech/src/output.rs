//! Names of the outputs that every formalism gives.
//!
//! Shapes: n coordinates, m fibre coordinates of the carrier, `rows` constraint rows of the file.

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
/// What rows say that no projection restores; see [`crate::Constraints::unprojected`].
pub const UNPROJECTED: &str = "unprojected";
/// The rates of the ledger's entries, in the order of [`crate::Equations::ledger`].
pub const WORK: &str = "work";
/// `-L` where it jumps at certain times: what it jumps by there is work of the moving frames, the first entry of
/// [`WORK`], whose rate has no value then. Only where velocities need not jump as well.
pub const SWITCHED: &str = "switched";
/// `E*`, only with independent velocities.
pub const ENERGY_STAR: &str = "energy_star";
/// `dE*/dt`.
pub const ENERGY_STAR_RATE: &str = "energy_star_rate";
/// `alphabar - alpha`, one a dependent velocity.
pub const ALPHABAR_MINUS_ALPHA: &str = "alphabar_minus_alpha";
/// Constraint forces, 3 numbers for each entry of [`crate::Equations::forces`].
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
/// `Psi^T`, m x n, for velocities that `[motion]` alone gives: where its rank drops, the parameters have no rates.
pub const PSI_TRANSPOSED: &str = "psi_transposed";
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
/// function of [`crate::Equations::arguments`].
pub const APPELL: &str = "appell";
/// Gibbs-Appell only: `Psi^T A` of the active forces `A`, m.
pub const FIBRE_FORCE: &str = "fibre_force";
/// Multipliers only: `A delta q` of [`crate::Equations::arguments`] `delta q`, k.
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
/// [`crate::Equations::arguments`], a number.
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
/// [`crate::Equations::arguments`]; three rows for each.
pub const VELOCITIES: &str = "velocities";
/// Kane only: their rates as functions of the `u'`, likewise.
pub const ACCELERATIONS: &str = "accelerations";
/// Kane only: the partial velocities `v~_r` as columns, three rows for each of these, p columns.
pub const PARTIAL_VELOCITIES: &str = "partial_velocities";
/// Kane only: the partial accelerations `a~_r` as columns, three rows for each of these, c columns.
pub const PARTIAL_ACCELERATIONS: &str = "partial_accelerations";

/// Reduced equations only: the coefficients of the free velocities in the rows that give none, where these can be
/// solved for a choice of velocities.
pub const OPEN: &str = "open rows";

/// Results of motions that a shorter program may give, each with the name that it has there.
pub const SHORT: [(&str, &str); 3] = [
    (RATE, "short rate"),
    (ACCEL, "short accel"),
    (WORK, "short work"),
];
