//! Benenti's second kind: the free motion projected on to the constraint.

use crate::constraints::Constraints;
use crate::equations::{Carrier, Equations, Motion, complete};
use crate::formalism::{Formalism, Unavailable};
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
    derive,
};

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
    let reaction = match system.metric {
        Metric::Singular => -&(w * &mu),
        Metric::Definite | Metric::Indefinite => &system.mass * &raised_reaction,
    };
    Ok(complete(
        system,
        constraints,
        Motion {
            formalism: &PROJECTOR,
            sketch,
            carrier: Carrier::Velocities,
            inputs: system.v.clone(),
            input_rates: accel.clone(),
            own: None,
            accel,
            lambda: -&mu,
            reaction,
        },
    ))
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
