//! Hamilton's equations with reactions, on the constraint set in phase space.

use crate::complete::{Fibre, Motion, complete};
use crate::constraints::Constraints;
use crate::constraints::parametric_only;
use crate::equations::{Carrier, Equations};
use crate::equations::{Formalism, Index, Object};
use crate::formalisms::{chetaev_only, identity};
use crate::output;
use crate::state::function;
use crate::system::{Metric, System, gradient};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch, SolveKind, vanishes};

/// `q' = H_p`, `p' = -H_q + F + A^T lambda` on `C = {phi(q, H_p, t) = 0}`, `H = p.v - L`, `p = L_v`.
///
/// `lambda_a = G_ab L^b`, `G^ab = A^a H_pp A^b`,
/// `L^b = A^b (H_pp (H_q - F) - H_pq H_p - H_pt) - phi^b_q H_p - phi^b_t`, which without `F` and `t` is
/// `{H, C^b}` with `{f, g} = f_q g_p - f_p g_q`. The last two terms are `-B^b`, which is all that a row
/// given for the accelerations has. For `L = 1/2 v.M v + b.v - V` with `M`, `b`, `V` functions of
/// `(q, t)`, the Legendre map `M v = p - b` gives `H_p = v`; differentiated at constant `p` it gives
/// `M H_pp = 1`, `M H_pq = -L_vq`, `M H_pt = -L_vt`, where `H_pq[i, j] = d2H/dp_i dq_j`; and
/// `H_q = -L_q`. So it does for every regular `L`; where that is not quadratic, the programs read `v` and
/// give `p`. `M` may be indefinite and rows redundant (`lambda` is the least in norm), `M` not singular.
///
/// Besides, [`output::H_PP`] and [`output::PHI_P`] are what projections in `p` need.
pub static HAMILTON: Formalism = Formalism {
    id: "hamilton",
    title: "Hamilton's equations with reactions",
    statement: "q' = dH/dp,  p' = -dH/dq + F + A^T lambda,  phi(q, dH/dp, t) = 0",
    latex: r"\dot{q} = \frac{\partial H}{\partial p},\quad \dot{p} = -\frac{\partial H}{\partial q} + F + A^{\mathsf{T}} \lambda,\quad \varphi\left(q, \frac{\partial H}{\partial p}, t\right) = 0,\quad p = \frac{\partial L}{\partial v},\quad H = p \cdot v - L",
    sources: &["[benenti1996, sect. 4-6, with forces and time]"],
    recipe: RECIPE,
    derive,
};

/// The objects of the paper, with forces and time. Where `M` is diagonal `H_p` is written out, else
/// the velocities stand for the solution of the Legendre map.
const RECIPE: &[Object] = &[
    Object {
        letter: "H",
        latex: "H",
        formula: "p.v - L",
        meaning: "the Hamiltonian, at v = H_p",
        output: output::HAMILTONIAN,
        indices: &[],
    },
    Object {
        letter: "[C^a]",
        latex: "[C^a]",
        formula: "phi(q,H_p,t)",
        meaning: "whose zeros are the submanifold C of phase space: the invariant relations of the vector field, which is the dynamics on C only",
        output: output::INVARIANT,
        indices: &[Index::Row],
    },
    Object {
        letter: "[A^a_i]",
        latex: "[A^a_i]",
        formula: "A",
        meaning: "the derivatives of the constraints by the velocities, at v = H_p",
        output: output::PHASE_COVECTORS,
        indices: &[Index::Row, Index::Coordinate],
    },
    Object {
        letter: "[H^ij]",
        latex: "[H^{ij}]",
        formula: "H_pp",
        meaning: "the second derivatives by the momenta, the inverse of M",
        output: output::H_PP,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[G^ab]",
        latex: "[G^{ab}]",
        formula: "A H_pp A^T",
        meaning: "which must be regular, like H_pp",
        output: output::PHASE_GRAM,
        indices: &[Index::Row, Index::Row],
    },
    Object {
        letter: "[L^a]",
        latex: "[L^a]",
        formula: "",
        meaning: "the Poisson brackets of H and C^a with the terms of forces and time; the multipliers solve G^ab lambda_b = L^a",
        output: output::BRACKET,
        indices: &[Index::Row],
    },
    Object {
        letter: "dim C",
        latex: r"\dim C",
        formula: "2n - l",
        meaning: "with l independent relations C^a at almost every state; relations between positions alone are not counted",
        output: output::DIM_C,
        indices: &[],
    },
    Object {
        letter: "dim D",
        latex: r"\dim D",
        formula: "2n",
        meaning: "the dynamics as a submanifold; its integrable part is the image of a vector field on C",
        output: output::DIM_D,
        indices: &[],
    },
];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    chetaev_only(constraints)?;
    parametric_only(system, constraints)?;
    let mut sketch = Sketch::new(system.graph);
    let p = momenta(system);
    let closed = legendre_map(system, &p, &mut sketch)?;
    let Hamiltonian { force, h_pp, drift } = Hamiltonian::new(system, &mut sketch);

    let Constraints { a, b, .. } = constraints;
    let transposed = a.transpose();
    let gram = &(a * &h_pp) * &transposed;
    let bracket = -&(&(a * &(&(&h_pp * &force) + &drift)) + b);
    let lambda = constraints.multiplier_symbols(system.graph);
    let kind = SolveKind::OfRows { unique: 0 };
    sketch.solve_for(kind, "the multipliers", &lambda, &gram, &bracket);

    let read = closed.then_some(&p[..]);
    write_recipe(system, constraints, read, &gram, &bracket, &mut sketch);

    let reaction = &transposed * &lambda;
    let rate = &force + &reaction;
    let accel = &(&h_pp * &rate) + &drift;
    let mut motion = Motion {
        formalism: &HAMILTON,
        sketch,
        carrier: Carrier::Momenta,
        inputs: p,
        input_rates: rate,
        fibre: None,
        accel,
        lambda,
        reaction,
    };
    if !closed {
        motion = on_velocities(system, motion);
    }
    let mut equations = complete(system, constraints, motion);
    equations.remark = (!closed).then(|| IMPLICIT.to_owned());
    if let Some(phi_v) = equations.sketch.get(function::PHI_V).cloned() {
        equations.sketch.output(output::PHI_P, &phi_v * &h_pp);
    }
    equations.sketch.output(output::H_PP, h_pp);
    Ok(equations)
}

/// Writes the objects of [`RECIPE`] but `H_pp`, in the momenta `p` where the programs read them, else in `v`.
fn write_recipe<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    p: Option<&[Ex<'g>]>,
    gram: &Matrix<'g>,
    bracket: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) {
    let (graph, n) = (system.graph, system.n());
    let map = p.and_then(|p| written_out(system, p)).unwrap_or_default();
    let at = |m: &Matrix<'g>| m.substitute(&map);
    let momenta = p.map_or(system.momentum.clone(), |p| {
        Matrix::column(graph, p.to_vec())
    });
    let energy = momenta.dot(&system.velocity()) - system.lagrangian;
    sketch.output(
        output::HAMILTONIAN,
        at(&Matrix::column(graph, vec![energy])),
    );
    let active = || constraints.active();
    let relations = Matrix::column(graph, active().filter_map(|row| row.phi).collect());
    let independent = match &constraints.chart {
        Some(chart) => chart.rows.clone(),
        None => (0..constraints.k()).collect(),
    };
    let given = |i: &usize| active().nth(*i).is_some_and(|row| row.phi.is_some());
    let l = independent.iter().filter(|i| given(i)).count();
    sketch.output(output::INVARIANT, at(&relations));
    sketch.output(output::PHASE_COVECTORS, at(&constraints.a));
    sketch.output(output::PHASE_GRAM, at(gram));
    sketch.output(output::BRACKET, at(bracket));
    let number = |x: usize| [graph.int(i64::try_from(x).unwrap_or(i64::MAX))];
    sketch.output_list(output::DIM_C, &number((2 * n).saturating_sub(l)));
    sketch.output_list(output::DIM_D, &number(2 * n));
}

/// `v = H_p` where `M` is diagonal, symbol by symbol.
fn written_out<'g>(system: &System<'g>, p: &[Ex<'g>]) -> Option<Vec<(Ex<'g>, Ex<'g>)>> {
    let (mass, n) = (&system.mass, system.n());
    let diagonal = (0..n).all(|i| (0..n).all(|j| (i == j) != mass[(i, j)].is_zero()));
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, system.graph.zero())).collect();
    let offset = system.momentum.substitute(&at_rest);
    let solved = |i: usize| (system.v[i], (p[i] - offset[(i, 0)]) / mass[(i, i)]);
    diagonal.then(|| (0..n).map(solved).collect())
}

/// What is to be said where the programs cannot read `p`.
const IMPLICIT: &str = "L is not quadratic in the velocities, so p = L_v has no solution in closed form: the \
    equations read v, and p is computed from it";

/// The same motion read from `(q, v)`, where `p = L_v(q, v, t)` cannot be solved for `v` in closed form.
fn on_velocities<'g>(system: &System<'g>, motion: Motion<'g>) -> Motion<'g> {
    let names = motion
        .inputs
        .iter()
        .filter_map(|p| p.symbol_name())
        .collect();
    let (values, rates) = (system.momentum.clone(), motion.input_rates);
    Motion {
        carrier: Carrier::Velocities,
        inputs: system.v.clone(),
        input_rates: motion.accel.clone(),
        fibre: Some(Fibre {
            names,
            values,
            rates,
        }),
        ..motion
    }
}

/// The symbols `p_x`, n, by the names of the coordinates; underscores keep them from names of the model.
fn momenta<'g>(system: &System<'g>) -> Vec<Ex<'g>> {
    let model = system.model;
    let coordinates = model.coordinates.iter().map(|c| &c.name);
    let parameters = model.parameters.iter().map(|p| &p.name);
    let variables = model.motion.variables.iter().map(|z| &z.name);
    let taken: Vec<&String> = coordinates
        .clone()
        .chain(parameters)
        .chain(variables)
        .collect();
    let symbol = |coordinate: &String| {
        let mut name = format!("p_{coordinate}");
        while taken.contains(&&name) {
            name.push('_');
        }
        system.graph.symbol(&name)
    };
    coordinates.map(symbol).collect()
}

/// Lets the symbols `v` stand for the solution of `p = L_v`, where that is `M v = p - b`, and tells
/// whether it is.
///
/// # Errors
/// `M` is singular.
fn legendre_map<'g>(
    system: &System<'g>,
    p: &[Ex<'g>],
    sketch: &mut Sketch<'g>,
) -> Result<bool, Unavailable> {
    if system.metric == Metric::Singular {
        let why = "M is singular: p = L_v does not determine the velocities";
        return Err(Unavailable(why.to_owned()));
    }
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, system.graph.zero())).collect();
    let (mass, offset) = (
        system.mass.substitute(&at_rest),
        system.momentum.substitute(&at_rest),
    );
    let velocity = system.velocity();
    let remainder = &(&system.momentum - &(&mass * &velocity)) - &offset;
    if !remainder.entries().iter().all(|x| vanishes(*x)) {
        return Ok(false);
    }
    let right = &Matrix::column(system.graph, p.to_vec()) - &offset;
    sketch.solve_for(
        system.solve_kind(),
        "the Legendre map",
        &velocity,
        &mass,
        &right,
    );
    Ok(true)
}

/// Hamilton's equations without constraints, `p' = force`, `v' = H_pp p' + drift`, in terms of `(q, v, t)`.
struct Hamiltonian<'g> {
    /// `Q - H_q`, n x 1, where `H_q = -L_q`.
    force: Matrix<'g>,
    /// `H_pp`, n x n.
    h_pp: Matrix<'g>,
    /// `H_pq H_p + H_pt`, n x 1, where `H_pq[i, j] = d2H/dp_i dq_j`.
    drift: Matrix<'g>,
}

impl<'g> Hamiltonian<'g> {
    /// By implicit differentiation of `p = L_v(q, H_p, t)`.
    fn new(system: &System<'g>, sketch: &mut Sketch<'g>) -> Self {
        let (graph, n, kind) = (system.graph, system.n(), system.solve_kind());
        let momentum = &system.momentum;
        let by_position = Matrix::jacobian(graph, momentum.entries(), &system.q);
        let by_time = momentum.map(|p| p.diff(system.t));
        let mut derivative = |name: &str, right: &Matrix<'g>| {
            if right.is_zero() {
                right.clone()
            } else {
                sketch.solve(kind, name, &system.mass, right)
            }
        };
        let h_pp = derivative("H_pp", &identity(graph, n));
        let h_pq = derivative("H_pq", &-&by_position);
        let h_pt = derivative("H_pt", &-&by_time);
        let drift = &(&h_pq * &system.velocity()) + &h_pt;
        Self {
            force: &system.force + &gradient(graph, system.lagrangian, &system.q),
            h_pp,
            drift: match drift.is_zero() {
                true => drift,
                false => sketch.name("d", &drift),
            },
        }
    }
}
