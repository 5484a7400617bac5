//! The Boltzmann-Hamel equations: Lagrange's equations in quasi-velocities.

use crate::complete::{Motion, complete};
use crate::constraints::Constraints;
use crate::constraints::parametric_only;
use crate::equations::Equations;
use crate::equations::{Formalism, Index, Object};
use crate::formalisms::quasi_velocities::{
    Derivation, FRAME, Frame, Vectors, multipliers, solve_columns,
};
use crate::output;
use crate::system::{System, gradient};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch};

/// `d/dt L~_{u_r} - Y_r.L~_q - Sum_s (c^s_0r + Sum_k c^s_kr u_k) L~_{u_s} = Y_r.F`, on `(q, u)`.
///
/// `v = Y u + Z` with `A Y_1 = 0`, `A Y_2 = I`, so that the constraints are
/// `u_{m+1} = .. = u_n = 0`; `L~(q, u, t) = L(q, Y u + Z, t)` is differentiated in all `u` before
/// these vanish. `[Y_k, Y_r] = Sum_s c^s_kr Y_s`, `[Z, Y_r] + d_t Y_r = Sum_s c^s_0r Y_s`. The
/// first m equations give `u'`; the right sides of the others have `lambda` besides. Conditions
/// as for Maggi's equations.
pub static BOLTZMANN_HAMEL: Formalism = Formalism {
    id: "boltzmann-hamel",
    title: "Boltzmann-Hamel equations",
    statement: "d/dt dL~/du_r - Sum_i Y_r^i dL~/dq_i - Sum_s (c^s_0r + Sum_k c^s_kr u_k) dL~/du_s = Q_r,  Q_r = Sum_i Y_r^i F_i,  [Y_k, Y_r] = Sum_s c^s_kr Y_s,  [Z, Y_r] + d_t Y_r = Sum_s c^s_0r Y_s",
    latex: r"\begin{aligned}
& \frac{d}{dt} \frac{\partial \tilde{L}}{\partial u_{r}} - \sum_{i=1}^{n} Y_{r}^{i} \frac{\partial \tilde{L}}{\partial q_{i}} - \sum_{s=1}^{n} \left(c_{0r}^{s} + \sum_{k=1}^{m} c_{kr}^{s} u_{k}\right) \frac{\partial \tilde{L}}{\partial u_{s}} = \sum_{i=1}^{n} Y_{r}^{i} F_{i},\quad r = 1, \ldots, m \\
& \tilde{L}(q, u, t) = L(q, Y u + Z, t),\quad [Y_{k}, Y_{r}] = \sum_{s=1}^{n} c_{kr}^{s} Y_{s},\quad [Z, Y_{r}] + \frac{\partial Y_{r}}{\partial t} = \sum_{s=1}^{n} c_{0r}^{s} Y_{s}
\end{aligned}",
    sources: &["[boltzmann1902]", "[hamel1904]", "[neimark1972, chap. III]"],
    recipe: RECIPE,
    derive,
};

/// The frame, and its coefficients.
const RECIPE: &[Object] = &[
    FRAME[0],
    FRAME[1],
    FRAME[2],
    Object {
        letter: "[c^s_kr]",
        latex: "[c^s_{kr}]",
        formula: "",
        meaning: "the coefficients of the frame, the brackets of its vectors Y_k and Y_r; side by side for k = 0, which is Z with the time, k = 1, k = 2 and so on",
        output: output::STRUCTURE,
        indices: &[Index::Number, Index::Number],
    },
];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    parametric_only(system, constraints)?;
    let mut sketch = Sketch::new(system.graph);
    let frame = Frame::of_affine_rows(system, constraints, &mut sketch)?;
    let field = Field::new(system, &frame, &mut sketch);
    let rest = without_accelerations(system, &frame, &field, &mut sketch);

    // L~_uu u' + rest = (0; lambda), where u' = (u_1', .., u_m', 0, .., 0).
    let inertia = &(&field.frame.transpose() * &system.mass) * &frame.vectors.free;
    let m = frame.names.len();
    let (free, fixed): (Vec<usize>, Vec<usize>) = (0..system.n()).partition(|r| *r < m);
    let gram = inertia.select_rows(&free);
    let right = -&rest.select_rows(&free);
    let rate = frame.rate_symbols(system.graph);
    let name = "the equations of motion";
    sketch.solve_for(system.solve_kind(), name, &rate, &gram, &right);
    let along_fixed = &(&inertia.select_rows(&fixed) * &rate) + &rest.select_rows(&fixed);

    frame.write(&mut sketch);
    let accel = &(&frame.vectors.free * &rate) + &field.drift(system);
    let rows = &constraints.chart.as_ref().map_or(&[][..], |c| &c.rows[..]);
    let reaction = &constraints.a.select_rows(rows).transpose() * &along_fixed;
    let lambda = multipliers(system, constraints, &along_fixed, &reaction, &mut sketch);
    let motion = Motion::on_velocities(&BOLTZMANN_HAMEL, system, sketch, accel, lambda, reaction);
    Ok(complete(
        system,
        constraints,
        motion.with_own(frame.fibre(rate)),
    ))
}

/// The frame as a field over `(q, t)`: with its partial derivatives.
struct Field<'g> {
    /// `Y`, n x n.
    frame: Matrix<'g>,
    /// The symbols `q`, then `t`.
    variables: Vec<Ex<'g>>,
    /// `Y_x`, `Z_x` by each of them.
    partials: Vec<Vectors<'g>>,
    /// `(Y u + Z)_x`, each n x 1, the dependent `u` zero.
    velocity_partials: Vec<Matrix<'g>>,
}

impl<'g> Field<'g> {
    fn new(system: &System<'g>, frame: &Frame<'g>, sketch: &mut Sketch<'g>) -> Self {
        let variables: Vec<Ex<'g>> = system.q.iter().copied().chain([system.t]).collect();
        let by = |symbol: Ex<'g>| move |x: Ex<'g>| x.diff(symbol);
        let derivations: Vec<_> = variables.iter().map(|x| by(*x)).collect();
        let derivations: Vec<Derivation<'_, 'g>> = derivations
            .iter()
            .map(|d| d as Derivation<'_, 'g>)
            .collect();
        let partials = frame.derivatives(sketch, &derivations);
        let velocity_partials = partials.iter().map(|x| x.at(&frame.u)).collect();
        Self {
            frame: frame.vectors.all(),
            variables,
            partials,
            velocity_partials,
        }
    }

    /// `Sum_j x_j f_{q_j}`, for the partial derivatives `f_x` of a matrix by q (and t).
    fn directional(&self, direction: &Matrix<'g>, f: impl Fn(usize) -> Matrix<'g>) -> Matrix<'g> {
        let terms = direction.entries().iter().enumerate();
        let terms = terms.map(|(j, x)| f(j).map(|entry| *x * entry));
        let shape = f(self.time());
        let zero = Matrix::zero(
            self.variables[self.time()].graph(),
            shape.rows(),
            shape.columns(),
        );
        terms.fold(zero, |sum, term| &sum + &term)
    }

    /// The place of `t` among the variables.
    fn time(&self) -> usize {
        self.variables.len() - 1
    }

    /// `Y' u + Z'`.
    fn drift(&self, system: &System<'g>) -> Matrix<'g> {
        let along = self.directional(&system.velocity(), |j| self.velocity_partials[j].clone());
        &along + &self.velocity_partials[self.time()]
    }

    /// `[X, Y_1], .., [X, Y_n]` as columns, from `X` and its Jacobian `X_q`.
    fn brackets(&self, x: &Matrix<'g>, jacobian: &Matrix<'g>) -> Matrix<'g> {
        let along = self.directional(x, |j| self.partials[j].all());
        &along - &(jacobian * &self.frame)
    }

    /// The coefficients `c^s_0r` and then `c^s_kr`, k = 1..m: each n x n, s down and r across.
    fn structure(&self, frame: &Frame<'g>, sketch: &mut Sketch<'g>) -> Vec<Matrix<'g>> {
        let (n, m) = (self.frame.rows(), frame.names.len());
        let graph = sketch.graph();
        let jacobian = |pick: &dyn Fn(&Vectors<'g>) -> Matrix<'g>| {
            let columns: Vec<Matrix<'g>> = self.partials[..n].iter().map(pick).collect();
            Matrix::from_fn(graph, n, n, |i, j| columns[j][(i, 0)])
        };
        let rest = &frame.vectors.rest;
        let moving = self.brackets(rest, &jacobian(&|x| x.rest.clone()));
        let mut all = &moving + &self.partials[self.time()].all();
        for k in 0..m {
            let vector = frame.vectors.free.select_columns(&[k]);
            let jacobian = jacobian(&|x| x.free.select_columns(&[k]));
            all = all.beside(&self.brackets(&vector, &jacobian));
        }
        let all = solve_columns(sketch, "c", &self.frame, &all);
        let part = |k: usize| all.select_columns(&(k * n..(k + 1) * n).collect::<Vec<_>>());
        (0..=m).map(part).collect()
    }
}

/// `d/dt L~_u - Y^T L~_q - (c_0 + Sum_k c_k u_k)^T L~_u - Y^T F` at `u' = 0`, n x 1.
fn without_accelerations<'g>(
    system: &System<'g>,
    frame: &Frame<'g>,
    field: &Field<'g>,
    sketch: &mut Sketch<'g>,
) -> Matrix<'g> {
    let transposed = field.frame.transpose();
    let momentum = &system.momentum;
    let quasi_momentum = &transposed * momentum;
    // L~_ux = Y_x^T p + Y^T (p_x + M (Y u + Z)_x)
    let partial = |j: usize| {
        let by_frame = &field.partials[j].all().transpose() * momentum;
        let by_place = momentum.map(|p| p.diff(field.variables[j]));
        let by_velocity = &system.mass * &field.velocity_partials[j];
        &by_frame + &(&transposed * &(&by_place + &by_velocity))
    };
    let along = field.directional(&system.velocity(), partial);
    let rate = &along + &partial(field.time());
    // L~_q = L_q + (Y u + Z)_q^T p
    let through_velocity = (0..system.n()).map(|j| field.velocity_partials[j].dot(momentum));
    let by_place = &gradient(system.graph, system.lagrangian, &system.q)
        + &Matrix::column(system.graph, through_velocity.collect());

    let structure = field.structure(frame, sketch);
    let coefficients = structure[1..]
        .iter()
        .zip(frame.u.entries())
        .fold(structure[0].clone(), |sum, (c, u)| {
            &sum + &c.map(|x| *u * x)
        });
    sketch.output(
        output::STRUCTURE,
        structure[1..]
            .iter()
            .fold(structure[0].clone(), |all, c| all.beside(c)),
    );
    let gyroscopic = &coefficients.transpose() * &quasi_momentum;
    let forces = &transposed * &(&by_place + &system.force);
    &(&rate - &gyroscopic) - &forces
}
