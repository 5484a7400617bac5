//! Lagrange's equations of the first kind: multipliers.

use crate::complete::{Motion, complete};
use crate::constraints::Constraints;
use crate::constraints::parametric_only;
use crate::equations::{Argument, Equations};
use crate::equations::{Formalism, Index, Object};
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch, SolveKind};

/// `M q'' = r + W lambda`, `A q'' + B = 0`, on `(q, v)`, as one linear system.
///
/// With Chetaev's reactions `W = A^T` the system is symmetric; redundant consistent rows are
/// legal then, `lambda` is the least in norm and `q''`, `R` are unique. `M` may be indefinite,
/// or singular where `M + A^T A` is not.
pub static MULTIPLIERS: Formalism = Formalism {
    id: "multipliers",
    title: "Lagrange's equations with multipliers",
    statement: "M q'' = r + A^T lambda,  A q'' + B = 0",
    latex: r"M \ddot{q} = r + A^{\mathsf{T}} \lambda,\quad A \ddot{q} + B = 0",
    sources: &[
        "[lagrange1788]",
        "[neimark1972, chap. II]",
        "[benenti2007, (8.6)]",
    ],
    recipe: RECIPE,
    derive,
};

/// Chetaev's virtual displacements.
const RECIPE: &[Object] = &[Object {
    letter: "[A delta q]",
    latex: r"[A\, \delta q]",
    formula: "",
    meaning: "which vanishes for the virtual displacements; the reactions do no work on them",
    output: output::VIRTUAL_ROWS,
    indices: &[Index::Row],
}];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    parametric_only(system, constraints)?;
    let graph = system.graph;
    let mut sketch = Sketch::new(graph);
    let accel = Matrix::column(graph, system.a.clone());
    let lambda = constraints.multiplier_symbols(graph);
    let (matrix, right) = linear_system(system, constraints);
    let name = "the equations of motion";
    let unknowns = accel.above(&lambda);
    sketch.solve_for(kind(system, constraints), name, &unknowns, &matrix, &right);
    let reaction = &constraints.w * &lambda;
    let names = system.model.coordinates.iter();
    let delta = Argument::all(graph, names.map(|q| format!("delta[{}]", q.name)));
    if constraints.ideal {
        let rows = &constraints.a * &Argument::symbols(graph, &delta);
        sketch.output(output::VIRTUAL_ROWS, rows);
    }
    let motion = Motion::on_velocities(&MULTIPLIERS, system, sketch, accel, lambda, reaction);
    Ok(Equations {
        arguments: delta,
        ..complete(system, constraints, motion)
    })
}

/// `[M, -W; -A, 0] (q''; lambda) = (r; B)`, written so that it is symmetric when `W = A^T`: the matrix,
/// (n + k) x (n + k), and the right side.
pub fn linear_system<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> (Matrix<'g>, Matrix<'g>) {
    let k = constraints.k();
    let upper = system.mass.beside(&-&constraints.w);
    let lower = (-&constraints.a).beside(&Matrix::zero(system.graph, k, k));
    (upper.above(&lower), system.right.above(&constraints.b))
}

fn kind(system: &System<'_>, constraints: &Constraints<'_>) -> SolveKind {
    match constraints.ideal {
        true => SolveKind::OfRows { unique: system.n() },
        false => SolveKind::General,
    }
}

/// Appends the rates of the accelerations to the equations with multipliers, `K x = b` differentiated along the
/// motion: `K x' = b' - K' x` for `x = (q'', lambda)`. Returns `q''' = dq''/dt`, n.
///
/// Inputs count as constant: the rates are those of motions under inputs that do not change.
pub fn third_derivatives<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    sketch: &mut Sketch<'g>,
) -> Vec<Ex<'g>> {
    let graph = system.graph;
    let accel = Matrix::column(graph, system.a.clone());
    let found = accel.above(&constraints.multiplier_symbols(graph));
    let (matrix, right) = linear_system(system, constraints);
    let rate = |x: &Matrix<'g>| x.map(|x| system.total_rate(x));
    let right = &rate(&right) - &(&rate(&matrix) * &found);
    let symbols = (0..found.rows()).map(|i| graph.symbol(&format!("third[{i}]")));
    let unknowns = Matrix::column(graph, symbols.collect());
    let name = "the rates of the accelerations";
    sketch.solve_for(kind(system, constraints), name, &unknowns, &matrix, &right);
    unknowns.entries()[..system.n()].to_vec()
}
