//! Gauss' principle of least constraint, as a minimum over the accelerations that are possible.

use crate::complete::{Motion, complete};
use crate::constraints::Constraints;
use crate::constraints::parametric_only;
use crate::equations::{Argument, Equations};
use crate::equations::{Formalism, Index, Object};
use crate::formalisms::gibbs_appell::least_multipliers;
use crate::formalisms::projector::regular_metric;
use crate::formalisms::{chetaev_only, identity};
use crate::output;
use crate::system::{Metric, System};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch, SolveKind};

/// `q''` minimises `G = 1/2 (q'' - a).M (q'' - a)`, `M a = r`, over `A q'' + B = 0`; on `(q, v)`.
///
/// Range and null space of `A` are taken apart, no multiplier enters. With a diagonal `D > 0`
/// and `Y` from `(A D^-1 A^T) Y = A`, `P = 1 - D^-1 A^T Y` projects on to `ker A` along its
/// D-orthogonal complement, in which the least solution `e` of `A e = -B` lies. The accelerations
/// that are possible are `q'' = e + eta`, `eta = P eta`; there `G` is stationary where
/// `P^T (M q'' - r) = 0`, which determines `eta` as `(P^T M P + D - D P) eta = P^T (r - M e)`.
/// This matrix is positive definite exactly if `M` is on `ker A`: redundant rows, and an `M` that is
/// singular elsewhere, are legal. `D` is the diagonal of `M` where `M` is definite, so that units
/// do not matter, else the unit matrix.
///
/// The minimum is exhibited: [`output::GAUSS`] is `G` at `q''`, [`output::GAUSS_AROUND`] at
/// `q''` plus each column of `P`, which span `ker A`. Where `M` is indefinite, `G` is stationary,
/// and least only where `M` is positive definite on `ker A`. Where `M` is singular, so that no `a`
/// is determined, `G` is that of `M + A^T A` and `r - A^T B`: on `A q'' + B = 0` the two differ by
/// a constant.
/// Afterwards `R = M q'' - r`, and `lambda` is the least in norm with `A^T lambda = R`.
pub static GAUSS: Formalism = Formalism {
    id: "gauss",
    title: "Gauss' principle of least constraint",
    statement: "q'' minimises G = 1/2 (q'' - a).M (q'' - a) under A q'' + B = 0,  M a = r",
    latex: r"\ddot{q} \text{ minimises } G = \frac{1}{2} (\ddot{q} - a)^{\mathsf{T}} M (\ddot{q} - a) \text{ under } A \ddot{q} + B = 0,\quad M a = r",
    sources: &["[gauss1829]", "[benenti2007, (4.8)]"],
    recipe: RECIPE,
    derive,
};

/// The constraint at the actual acceleration, and around it.
const RECIPE: &[Object] = &[
    Object {
        letter: "[a^i]",
        latex: "[a^i]",
        formula: "M^-1 r",
        meaning: "the acceleration of the free motion",
        output: output::FREE_ACCEL,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "G",
        latex: "G",
        formula: "1/2 (q'' - a).M (q'' - a)",
        meaning: "the constraint as a function of the acceleration",
        output: output::GAUSS_FUNCTION,
        indices: &[],
    },
    Object {
        letter: "[P^i_j]",
        latex: "[P^i_j]",
        formula: "",
        meaning: "the projector on ker A; its columns span the virtual displacements",
        output: output::VIRTUAL,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "G(q'')",
        latex: r"G(\ddot{q})",
        formula: "",
        meaning: "the constraint at the actual acceleration",
        output: output::GAUSS,
        indices: &[],
    },
    Object {
        letter: "G(q'' + P_i)",
        latex: "G(q'' + P_i)",
        formula: "",
        meaning: "the constraint at possible accelerations around it, P_i the projection of a unit one",
        output: output::GAUSS_AROUND,
        indices: &[Index::Coordinate],
    },
];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    chetaev_only(constraints)?;
    parametric_only(system, constraints)?;
    let (metric, free_right) = regular_metric(system, constraints)?;
    let mut sketch = Sketch::new(system.graph);
    let Decomposition {
        scale,
        projector,
        shortest,
    } = Decomposition::new(system, constraints, &mut sketch);
    let (mass, transposed) = (&system.mass, projector.transpose());
    let across = &scale - &(&scale * &projector);
    let matrix = &(&(&transposed * mass) * &projector) + &across;
    let right = &transposed * &(&system.right - &(mass * &shortest));
    let along = sketch.solve(system.solve_kind(), "eta", &matrix, &right);
    let accel = &shortest + &along;

    let reaction = &(mass * &accel) - &system.right;
    let lambda = least_multipliers(system, constraints, &mut sketch, &reaction);

    let free = sketch.solve(system.solve_kind(), "a", &metric, &free_right);
    let constraint = |accel: &Matrix<'g>| {
        let gap = accel - &free;
        gap.dot(&(&metric * &gap)) / 2
    };
    let around: Vec<Ex<'g>> = (0..system.n())
        .map(|j| constraint(&(&accel + &projector.select_columns(&[j]))))
        .collect();
    let names = system.a.iter().filter_map(|a| a.symbol_name());
    let arguments = Argument::all(system.graph, names);
    let function = constraint(&Argument::symbols(system.graph, &arguments));
    sketch.output_list(output::GAUSS_FUNCTION, &[function]);
    sketch.output(output::FREE_ACCEL, free.clone());
    sketch.output(output::VIRTUAL, projector.clone());
    sketch.output_list(output::GAUSS, &[constraint(&accel)]);
    sketch.output_list(output::GAUSS_AROUND, &around);
    let mut equations = complete(
        system,
        constraints,
        Motion::on_velocities(&GAUSS, system, sketch, accel, lambda, reaction),
    );
    equations.arguments = arguments;
    equations.remark = remark(system.metric);
    Ok(equations)
}

/// What becomes of the minimum where `M` is not definite.
fn remark(metric: Metric) -> Option<String> {
    let words = match metric {
        Metric::Definite => return None,
        Metric::DefiniteAtStart | Metric::Indefinite => {
            "M is indefinite: G is stationary at the actual acceleration, and least only where M is \
             positive definite on ker A."
        }
        Metric::Singular => {
            "M is singular: in G stand M + A^T A for M and r - A^T B for r, which on \
             A q'' + B = 0 changes G by a constant only."
        }
    };
    Some(words.to_owned())
}

/// The accelerations taken apart into `ker A` and its D-orthogonal complement.
struct Decomposition<'g> {
    /// `D`, n x n, diagonal.
    scale: Matrix<'g>,
    /// `P`, n x n: `A P = 0`, `P = 1` on `ker A`, `D P` symmetric.
    projector: Matrix<'g>,
    /// `e`, n x 1: `A e = -B`, `P e = 0`.
    shortest: Matrix<'g>,
}

impl<'g> Decomposition<'g> {
    fn new(system: &System<'g>, constraints: &Constraints<'g>, sketch: &mut Sketch<'g>) -> Self {
        let Constraints { a, b, .. } = constraints;
        let (graph, n) = (system.graph, system.n());
        let scale = match system.metric {
            Metric::Definite => Matrix::from_fn(graph, n, n, |i, j| {
                if i == j {
                    system.mass[(i, i)]
                } else {
                    graph.zero()
                }
            }),
            Metric::DefiniteAtStart | Metric::Indefinite | Metric::Singular => identity(graph, n),
        };
        let weighted = Matrix::from_fn(graph, a.rows(), n, |i, j| a[(i, j)] / scale[(j, j)]);
        let gram = &weighted * &a.transpose();
        let kind = SolveKind::OfRows { unique: 0 };
        let solution = sketch.solve(kind, "Y", &gram, &a.beside(b));
        let back = weighted.transpose();
        let range = &back * &solution.select_columns(&(0..n).collect::<Vec<_>>());
        Self {
            projector: &identity(graph, n) - &range,
            shortest: -&(&back * &solution.select_columns(&[n])),
            scale,
        }
    }
}
