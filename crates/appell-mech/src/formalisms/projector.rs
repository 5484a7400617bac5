//! Benenti's second kind: the free motion projected on to the constraint.

use crate::complete::{Motion, complete};
use crate::constraints::Constraints;
use crate::constraints::parametric_only;
use crate::equations::Equations;
use crate::equations::{Formalism, Index, Object};
use crate::formalisms::identity;
use crate::output;
use crate::system::{Metric, System};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch, SolveKind};

/// `q'' = (M^-1 - pi) r - M^-1 W G^-1 B`, `G = A M^-1 W`, `pi = M^-1 W G^-1 A M^-1`, on `(q, v)`.
///
/// The contravariant reaction is `R^i = -pi r - M^-1 W G^-1 B`; the covariant one, which is
/// the work-conjugate, `M_ij R^j` (the paper prints the former with a lower index). Where `M`
/// is singular, `M + A^T A` and `r - A^T B` stand for `M` and `r`: the motion is the same.
pub static PROJECTOR: Formalism = Formalism {
    id: "projector",
    title: "Benenti's equations of the second kind (projector)",
    statement: "q'' = (M^-1 - pi) r - M^-1 A^T G^-1 B,  G = A M^-1 A^T,  pi = M^-1 A^T G^-1 A M^-1",
    latex: r"\ddot{q} = (M^{-1} - \pi)\, r - M^{-1} A^{\mathsf{T}} G^{-1} B,\quad G = A M^{-1} A^{\mathsf{T}},\quad \pi = M^{-1} A^{\mathsf{T}} G^{-1} A M^{-1}",
    sources: &["[benenti2007, (8.12)-(8.14)]"],
    recipe: RECIPE,
    derive,
};

/// Remark 8.1 of the paper, without symbolic inverses: `raised` and `nu` solve linear systems. `D` is
/// the whole right side of `q'' = D`.
const RECIPE: &[Object] = &[
    Object {
        letter: "[g_ij]",
        latex: "[g_{ij}]",
        formula: "M",
        meaning: "the metric; M + A^T A where M is singular",
        output: output::METRIC,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[C^a_i]",
        latex: "[C^a_i]",
        formula: "A",
        meaning: "the constraints by their derivatives phi_v",
        output: output::COVECTORS,
        indices: &[Index::Row, Index::Coordinate],
    },
    Object {
        letter: "[G^ab]",
        latex: "[G^{ab}]",
        formula: "A M^-1 W",
        meaning: "the metric of the constraints; W is A^T unless the file says otherwise",
        output: output::COVECTOR_GRAM,
        indices: &[Index::Row, Index::Row],
    },
    Object {
        letter: "[G_ab]",
        latex: "[G_{ab}]",
        formula: "(A M^-1 W)^-1",
        meaning: "its inverse",
        output: output::COVECTOR_GRAM_INVERSE,
        indices: &[Index::Row, Index::Row],
    },
    Object {
        letter: "[C^ai]",
        latex: "[C^{ai}]",
        formula: "M^-1 W",
        meaning: "the constraints raised, as columns",
        output: output::RAISED_COVECTORS,
        indices: &[Index::Coordinate, Index::Row],
    },
    Object {
        letter: "[C_a^i]",
        latex: "[C_a^i]",
        formula: "M^-1 A^T G^-1",
        meaning: "the same with the index lowered by G_ab, the inverse of G^ab",
        output: output::COVECTOR_DUAL,
        indices: &[Index::Coordinate, Index::Row],
    },
    Object {
        letter: "[pi^ij]",
        latex: r"[\pi^{ij}]",
        formula: "M^-1 W G^-1 A M^-1",
        meaning: "the projector; nu is the solution of G nu = [A M^-1, B]",
        output: output::PI,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[q^j d_j C^a]",
        latex: r"[\dot{q}^j \partial_j C^a]",
        formula: "B",
        meaning: "with the derivative by the time where there is one",
        output: output::TRANSPORT,
        indices: &[Index::Row],
    },
    Object {
        letter: "[(g^ij - pi^ij) L_j]",
        latex: r"[(g^{ij} - \pi^{ij}) L_j]",
        formula: "(M^-1 - pi) r",
        meaning: "the free motion projected",
        output: output::PROJECTED,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "[-q^j d_j C^a C_a^i]",
        latex: r"[-\dot{q}^j \partial_j C^a C_a^i]",
        formula: "-M^-1 W G^-1 B",
        meaning: "what the constraints themselves turn",
        output: output::DEVIATION,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "[D^i]",
        latex: "[D^i]",
        formula: "(M^-1 - pi) r - M^-1 W G^-1 B",
        meaning: "the sum of the last two and the right side of q'' = D",
        output: output::DYNAMICS,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "[R^i]",
        latex: "[R^i]",
        formula: "-pi r - M^-1 W G^-1 B",
        meaning: "the contravariant reaction; the covariant R_i = M_ij R^j is a result",
        output: output::RAISED_REACTION,
        indices: &[Index::Coordinate],
    },
];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    parametric_only(system, constraints)?;
    let Constraints { a, b, w, .. } = constraints;
    let (graph, k) = (system.graph, constraints.k());
    let (mass, right) = regular_metric(system, constraints)?;
    let mut sketch = Sketch::new(graph);
    let raised = sketch.solve(system.solve_kind(), "raised", &mass, &right.beside(w));
    let free = raised.select_columns(&[0]);
    let lifted = raised.select_columns(&(1..=k).collect::<Vec<_>>());
    let gram = a * &lifted;
    let kind = if constraints.ideal {
        SolveKind::OfRows { unique: 0 }
    } else {
        SolveKind::General
    };
    let mu = sketch.solve(kind, "mu", &gram, &(b + &(a * &free)));
    let raised_reaction = -&(&lifted * &mu);
    let accel = &free + &raised_reaction;
    sketch.output(output::COVECTORS, a.clone());
    sketch.output(output::RAISED_REACTION, raised_reaction.clone());
    sketch.output(output::RAISED_COVECTORS, lifted.clone());
    sketch.output(output::TRANSPORT, b.clone());
    let parts = Parts {
        mass: &mass,
        right: &right,
        free: &free,
        lifted: &lifted,
        gram: &gram,
        kind,
    };
    write_projector(constraints, &mut sketch, &parts);
    if constraints
        .chart
        .as_ref()
        .is_some_and(|chart| chart.rows.len() == k)
    {
        let unit = identity(graph, k);
        let inverse = sketch.solve(SolveKind::General, "inverse", &gram, &unit);
        sketch.output(output::COVECTOR_GRAM_INVERSE, inverse);
    }
    sketch.output(output::COVECTOR_GRAM, gram);
    let reaction = match system.metric {
        Metric::Singular => -&(w * &mu),
        Metric::Definite | Metric::DefiniteAtStart | Metric::Indefinite => {
            &system.mass * &raised_reaction
        }
    };
    Ok(complete(
        system,
        constraints,
        Motion::on_velocities(&PROJECTOR, system, sketch, accel, -&mu, reaction),
    ))
}

/// What the projector is made of.
struct Parts<'a, 'g> {
    /// `M`
    mass: &'a Matrix<'g>,
    /// `r`
    right: &'a Matrix<'g>,
    /// `M^-1 r`
    free: &'a Matrix<'g>,
    /// `M^-1 W`
    lifted: &'a Matrix<'g>,
    /// `G = A M^-1 W`, and how it is solved.
    gram: &'a Matrix<'g>,
    kind: SolveKind,
}

/// Writes `pi = M^-1 W nu` and `D = (M^-1 - pi) r - M^-1 W nu_B`, `G [nu, nu_B] = [A M^-1, B]`.
fn write_projector<'g>(
    constraints: &Constraints<'g>,
    sketch: &mut Sketch<'g>,
    parts: &Parts<'_, 'g>,
) {
    let &Parts {
        mass,
        right,
        free,
        lifted,
        gram,
        kind,
    } = parts;
    let Constraints { a, b, .. } = constraints;
    // A M^-1 is the transpose of M^-1 A^T, which is at hand where W = A^T.
    let raised_rows = if constraints.ideal {
        lifted.transpose()
    } else {
        let solved = sketch.solve(SolveKind::Symmetric, "raised_rows", mass, &a.transpose());
        solved.transpose()
    };
    let nu = sketch.solve(kind, "nu", gram, &raised_rows.beside(b));
    let n = mass.rows();
    let lowered = nu.select_columns(&(0..n).collect::<Vec<_>>());
    let pi = lifted * &lowered;
    let projected = free - &(&pi * right);
    let deviation = -&(lifted * &nu.select_columns(&[n]));
    if constraints.ideal {
        sketch.output(output::COVECTOR_DUAL, lowered.transpose());
    }
    sketch.output(output::PI, pi);
    sketch.output(output::DYNAMICS, &projected + &deviation);
    sketch.output(output::PROJECTED, projected);
    sketch.output(output::DEVIATION, deviation);
    sketch.output(output::METRIC, mass.clone());
}

/// `M`, `r`, or `M + A^T A`, `r - A^T B` where `M` alone is singular. A row whose largest number is far from 1, as of
/// `1e-5*(y' - x') = 0`, is divided by that number.
pub(super) fn regular_metric<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<(Matrix<'g>, Matrix<'g>), Unavailable> {
    match system.metric {
        Metric::Definite | Metric::DefiniteAtStart | Metric::Indefinite => {
            Ok((system.mass.clone(), system.right.clone()))
        }
        Metric::Singular if !constraints.ideal => Err(Unavailable(
            "M is singular and the reaction is not Chetaev's".to_owned(),
        )),
        Metric::Singular => {
            let sizes: Vec<Ex<'g>> = (0..constraints.k())
                .map(|row| reciprocal_square(&constraints.a.select_rows(&[row])))
                .collect();
            let transposed = constraints.a.transpose();
            let weighted = Matrix::from_fn(system.graph, system.n(), constraints.k(), |i, j| {
                transposed[(i, j)] * sizes[j]
            });
            let mass = &system.mass + &(&weighted * &constraints.a);
            Ok((mass, &system.right - &(&weighted * &constraints.b)))
        }
    }
}

/// Largest numbers of rows of usual size.
const USUAL: std::ops::RangeInclusive<f64> = 1e-2..=1e2;

/// `1/c^2` of the largest number `c` in a row that is far from 1; else 1.
fn reciprocal_square<'g>(row: &Matrix<'g>) -> Ex<'g> {
    let numbers = row.entries().iter().filter_map(|x| x.as_rational());
    let sizes = numbers.map(|x| x.abs()).filter(|x| !x.is_zero());
    let largest = sizes.max_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
    let graph = row.entries()[0].graph();
    let unusual = largest.filter(|x| !USUAL.contains(&x.to_f64()));
    let inverse = unusual.and_then(|x| x.recip());
    inverse.map_or_else(|| graph.one(), |x| graph.number(&x * &x))
}
