//! Constrained geodesics: the Levi-Civita connection reduced to the constraint.

use crate::complete::{Motion, complete};
use crate::constraints::Constraints;
use crate::constraints::parametric_only;
use crate::equations::Equations;
use crate::equations::{Formalism, Index, Object};
use crate::geometry::{Geometry, product};
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Matrix, Sketch, vanishes};

/// `q''^i + (Gamma^i_hj + nabla_h G^i_j) v^h v^j = P^i_j g^jk Q_k` on `(q, v)`, for `T = 1/2 g_ij(q) v^i v^j`
/// (definite or not), forces `Q = F - V_q`, and independent rows `K^a_i(q) v^i = 0`.
///
/// `G^i_j = G_ab K^ai K^b_j`, `P = 1 - G`, `h` the direction of derivation; in the statement `D_v G` is
/// `v^h nabla_h G^i_j`. The reaction is
/// `R_i = -G_ab K^b_i (D^a_hk v^h v^k + K^aj Q_j)` with the deformation tensors
/// `D^a = sym(nabla K^a)`: without forces it vanishes if every `K^a` is a Killing vector. The
/// connection does not depend on the frame `K^a` of the constraint; this field conserves the
/// `K^a_i v^i` on the constraint only.
pub static CONNECTION: Formalism = Formalism {
    id: "connection",
    title: "Constrained geodesics (reduced connection)",
    statement: "q'' + Gamma v v + (D_v G) v = P M^-1 Q,  G = M^-1 A^T (A M^-1 A^T)^-1 A,  P = 1 - G",
    latex: r"\ddot{q} + \Gamma(v, v) + (\nabla_{v} G)\, v = P M^{-1} Q,\quad G = M^{-1} A^{\mathsf{T}} (A M^{-1} A^{\mathsf{T}})^{-1} A,\quad P = 1 - G",
    sources: &["[benenti1996, sect. 5, (5), (12)-(14)]", "[synge1928]"],
    recipe: RECIPE,
    derive,
};

/// Section 5 in its order. Tensors with three indices have a row for the first and a column for each
/// pair of the others.
const RECIPE: &[Object] = &[
    Object {
        letter: "[g_ij]",
        latex: "[g_{ij}]",
        formula: "M",
        meaning: "the metric",
        output: output::METRIC,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[g^ij]",
        latex: "[g^{ij}]",
        formula: "M^-1",
        meaning: "its inverse",
        output: output::RAISED_METRIC,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[Gamma^i_hj]",
        latex: r"[\Gamma^i_{hj}]",
        formula: "",
        meaning: "the Levi-Civita connection, by the pairs h,j",
        output: output::CHRISTOFFEL,
        indices: &[Index::Coordinate, Index::Pair],
    },
    Object {
        letter: "[K^a_i]",
        latex: "[K^a_i]",
        formula: "A",
        meaning: "the covectors of the constraint",
        output: output::COVECTORS,
        indices: &[Index::Row, Index::Coordinate],
    },
    Object {
        letter: "[G^ab]",
        latex: "[G^{ab}]",
        formula: "A M^-1 A^T",
        meaning: "their products K^a.K^b",
        output: output::COVECTOR_GRAM,
        indices: &[Index::Row, Index::Row],
    },
    Object {
        letter: "[D^a_hk]",
        latex: "[D^a_{hk}]",
        formula: "",
        meaning: "the deformation tensors, the symmetric parts of nabla_h K^a_k; 0 for a Killing vector",
        output: output::DEFORMATION,
        indices: &[Index::Row, Index::Pair],
    },
    Object {
        letter: "[G^i_j]",
        latex: "[G^i_j]",
        formula: "M^-1 A^T (A M^-1 A^T)^-1 A",
        meaning: "the projector on the reactions",
        output: output::REACTING,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[P^i_j]",
        latex: "[P^i_j]",
        formula: "1 - G",
        meaning: "the projector on the constraint",
        output: output::VIRTUAL,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[N^i_hj]",
        latex: r"[\nabla_h G^i_j]",
        formula: "",
        meaning: "the derivative nabla_h G^i_j, by the pairs h,j",
        output: output::NABLA_G,
        indices: &[Index::Coordinate, Index::Pair],
    },
    Object {
        letter: "[C^i_hj]",
        latex: r"[\widetilde{\Gamma}^i_{hj}]",
        formula: "",
        meaning: "the reduced connection Gamma^i_hj + nabla_h G^i_j, h the direction of derivation",
        output: output::REDUCED,
        indices: &[Index::Coordinate, Index::Pair],
    },
    Object {
        letter: "[S^i_hj]",
        latex: r"[\widetilde{\Gamma}^i_{(hj)}]",
        formula: "",
        meaning: "its symmetric part, which has the same geodesics",
        output: output::REDUCED_SYMMETRIC,
        indices: &[Index::Coordinate, Index::Pair],
    },
    Object {
        letter: "[T^i_hj]",
        latex: "[T^i_{hj}]",
        formula: "",
        meaning: "its torsion, C^i_hj - C^i_jh",
        output: output::TORSION,
        indices: &[Index::Coordinate, Index::Pair],
    },
];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    geodesics(system, constraints, false).map(|(equations, _)| equations)
}

/// The equations with all tensors of the recipe, which no motion needs: there are n^3 entries in each.
/// The remark says which `K^a` are Killing vectors.
///
/// # Errors
/// The form does not apply.
pub fn connection_with_tensors<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    let (mut equations, geometry) = geodesics(system, constraints, true)?;
    let deformations = write_tensors(system, &geometry, &mut equations.sketch);
    equations.remark = killing_vectors(constraints, &deformations);
    Ok(equations)
}

fn geodesics<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    shown: bool,
) -> Result<(Equations<'g>, Geometry<'g>), Unavailable> {
    parametric_only(system, constraints)?;
    let mut sketch = Sketch::new(system.graph);
    let geometry = Geometry::new(system, constraints, &mut sketch, shown)?;
    let v = system.velocity();
    let transport = geometry.transport(system);
    let turning = geometry.turning(system, &transport);
    let curved = product(&geometry.raised, &(&transport * &v));
    let reduced = &geometry.change_of_reacting(&turning) * &v;
    let free = product(&geometry.raised, &geometry.forces);
    let driven = product(&geometry.admitted, &free);
    let accel = &(&driven - &curved) - &reduced;
    let pressed = &(&turning * &v) + &product(&geometry.vectors.transpose(), &geometry.forces);
    let lambda = -&product(&geometry.gram_inverse, &pressed);
    let reaction = &constraints.w * &lambda;
    sketch.output(output::VIRTUAL, geometry.admitted.clone());
    let motion = Motion::on_velocities(&CONNECTION, system, sketch, accel, lambda, reaction);
    Ok((complete(system, constraints, motion), geometry))
}

/// Writes the tensors of the recipe and returns the `D^a`, each n x n.
fn write_tensors<'g>(
    system: &System<'g>,
    geometry: &Geometry<'g>,
    sketch: &mut Sketch<'g>,
) -> Vec<Matrix<'g>> {
    let (graph, n, k) = (system.graph, system.n(), geometry.covectors.rows());
    let christoffel = geometry.christoffel(system);
    let covariant = geometry.covariant(system, &christoffel);
    let change = |d: &Matrix<'g>| geometry.change_of_reacting(d);
    let nabla: Vec<Matrix<'g>> = covariant.iter().map(change).collect();
    let sums = christoffel.iter().zip(&nabla);
    let reduced: Vec<Matrix<'g>> = sums.map(|(gamma, d)| gamma + d).collect();
    let deformation = |a: usize| {
        Matrix::from_fn(graph, n, n, |h, j| {
            (covariant[h][(a, j)] + covariant[j][(a, h)]) / 2
        })
    };
    let deformations: Vec<Matrix<'g>> = (0..k).map(deformation).collect();
    // Entry (i; h, j) in row i, column h n + j.
    let by_pairs = |entry: &dyn Fn(usize, usize, usize) -> appell_expr::Ex<'g>| {
        Matrix::from_fn(graph, n, n * n, |i, pair| entry(i, pair / n, pair % n))
    };
    sketch.output(output::METRIC, system.mass.clone());
    sketch.output(output::RAISED_METRIC, geometry.raised.clone());
    sketch.output(
        output::CHRISTOFFEL,
        by_pairs(&|i, h, j| christoffel[h][(i, j)]),
    );
    sketch.output(output::COVECTORS, geometry.covectors.clone());
    sketch.output(output::COVECTOR_GRAM, geometry.gram.clone());
    let by_rows = Matrix::from_fn(graph, k, n * n, |a, pair| {
        deformations[a][(pair / n, pair % n)]
    });
    sketch.output(output::DEFORMATION, by_rows);
    sketch.output(output::REACTING, geometry.reacting.clone());
    sketch.output(output::NABLA_G, by_pairs(&|i, h, j| nabla[h][(i, j)]));
    sketch.output(output::REDUCED, by_pairs(&|i, h, j| reduced[h][(i, j)]));
    let symmetric = by_pairs(&|i, h, j| (reduced[h][(i, j)] + reduced[j][(i, h)]) / 2);
    sketch.output(output::REDUCED_SYMMETRIC, symmetric);
    let torsion = by_pairs(&|i, h, j| reduced[h][(i, j)] - reduced[j][(i, h)]);
    sketch.output(output::TORSION, torsion);
    deformations
}

/// Which of the `K^a` are Killing vectors, in a sentence.
fn killing_vectors(constraints: &Constraints<'_>, deformations: &[Matrix<'_>]) -> Option<String> {
    let active = constraints.active();
    let is_killing = |d: &Matrix<'_>| d.entries().iter().all(|x| vanishes(*x));
    let (killing, bent): (Vec<_>, Vec<_>) = active
        .zip(deformations)
        .partition(|(_, deformation)| is_killing(deformation));
    let names = |list: &[(&crate::ConstraintRow<'_>, &Matrix<'_>)]| {
        let names = list.iter().map(|(row, _)| format!("`{}`", row.name));
        names.collect::<Vec<String>>().join(", ")
    };
    match (killing.is_empty(), bent.is_empty()) {
        (true, true) => None,
        (false, true) => Some(
            "Every K^a is a Killing vector: without forces there is no reaction, and the constrained \
             geodesics are geodesics."
                .to_owned(),
        ),
        (true, false) => Some(
            "Killing test: no D^a is found to be 0, so even without forces there is a reaction in general."
                .to_owned(),
        ),
        (false, false) => Some(format!(
            "Killing test: D^a = 0 for {}, not found to be 0 for {}.",
            names(&killing),
            names(&bent)
        )),
    }
}
