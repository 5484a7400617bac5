//! Benenti's second kind: the free motion projected on to the constraint.

use crate::constraints::Constraints;
use crate::equations::{Equations, Motion, complete, output};
use crate::formalism::{Formalism, Index, Object, Unavailable};
use crate::formalisms::multipliers::parametric_only;
use crate::system::{Metric, System};
use appell_expr::{Matrix, Sketch, SolveKind};

/// `q'' = (M^-1 - pi) r - M^-1 W G^-1 B`, `G = A M^-1 W`, `pi = M^-1 W G^-1 A M^-1`, on `(q, v)`.
///
/// The contravariant reaction is `R^i = -pi r - M^-1 W G^-1 B`; the covariant one, which is
/// the work-conjugate, `M_ij R^j` (the paper prints the former with a lower index). Where `M`
/// is singular, `M + A^T A` and `r - A^T B` stand for `M` and `r`: the motion is the same.
pub static PROJECTOR: Formalism = Formalism {
    id: "projector",
    title: "Benenti's equations of the second kind (projector)",
    statement: "q'' = (M^-1 - pi) r - M^-1 A^T G^-1 B,  G = A M^-1 A^T,  pi = M^-1 A^T G^-1 A M^-1",
    sources: &["[benenti2007, (8.12)-(8.14)]"],
    recipe: RECIPE,
    derive,
};

/// Remark 8.1 of the paper, without symbolic inverses: `raised` and `nu` solve linear systems.
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
        letter: "[pi^ij]",
        latex: r"[\pi^{ij}]",
        formula: "M^-1 W G^-1 A M^-1",
        meaning: "the projector; nu is the solution of G nu = [A M^-1, B]",
        output: output::PI,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[D^i]",
        latex: "[D^i]",
        formula: "-M^-1 W G^-1 B",
        meaning: "the reaction if there were no r",
        output: output::DEVIATION,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "[R^i]",
        latex: "[R^i]",
        formula: "-pi r + D",
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
        SolveKind::Consistent { unique: 0 }
    } else {
        SolveKind::General
    };
    let mu = sketch.solve(kind, "mu", &gram, &(b + &(a * &free)));
    let raised_reaction = -&(&lifted * &mu);
    let accel = &free + &raised_reaction;
    sketch.output(output::COVECTORS, a.clone());
    sketch.output(output::RAISED_REACTION, raised_reaction.clone());
    write_projector(constraints, &mut sketch, (&mass, &lifted), (&gram, kind));
    sketch.output(output::COVECTOR_GRAM, gram);
    let reaction = match system.metric {
        Metric::Singular => -&(w * &mu),
        Metric::Definite | Metric::Indefinite => &system.mass * &raised_reaction,
    };
    Ok(complete(
        system,
        constraints,
        Motion::on_velocities(&PROJECTOR, system, sketch, (accel, -&mu, reaction)),
    ))
}

/// Writes `pi = M^-1 W nu` and `D = -M^-1 W nu_B`, `G [nu, nu_B] = [A M^-1, B]`.
fn write_projector<'g>(
    constraints: &Constraints<'g>,
    sketch: &mut Sketch<'g>,
    (mass, lifted): (&Matrix<'g>, &Matrix<'g>),
    (gram, kind): (&Matrix<'g>, SolveKind),
) {
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
    let pi = lifted * &nu.select_columns(&(0..n).collect::<Vec<_>>());
    sketch.output(output::PI, pi);
    sketch.output(output::DEVIATION, -&(lifted * &nu.select_columns(&[n])));
    sketch.output(output::METRIC, mass.clone());
}

/// `M`, `r`, or `M + A^T A`, `r - A^T B` where `M` alone is singular.
pub(super) fn regular_metric<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<(Matrix<'g>, Matrix<'g>), Unavailable> {
    match system.metric {
        Metric::Definite | Metric::Indefinite => Ok((system.mass.clone(), system.right.clone())),
        Metric::Singular if !constraints.ideal => Err(Unavailable(
            "M is singular and the reaction is not Chetaev's".to_owned(),
        )),
        Metric::Singular => {
            let transposed = constraints.a.transpose();
            let mass = &system.mass + &(&transposed * &constraints.a);
            Ok((mass, &system.right - &(&transposed * &constraints.b)))
        }
    }
}
