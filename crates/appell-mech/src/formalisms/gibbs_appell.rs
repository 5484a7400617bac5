//! Benenti's first kind: the Gibbs-Appell equations in parameters of the velocities.

use crate::constraints::{Constraints, Parametrisation};
use crate::equations::{Carrier, Equations, Motion, complete};
use crate::formalism::{Formalism, Unavailable};
use crate::system::System;
use appell_expr::{Matrix, Sketch, SolveKind};

/// `q' = psi`, `(Psi^T M Psi) z' = Psi^T (r - M (psi_q psi + psi_t))`, on `(q, z)`.
///
/// The paper's (6.1)-(7.5) lack `M psi_q psi`; here it is. Afterwards `R = M q'' - r` with
/// `q'' = Psi z' + psi_q psi + psi_t`, and `lambda` is the least in norm with `A^T lambda = R`.
pub static GIBBS_APPELL: Formalism = Formalism {
    id: "gibbs-appell",
    title: "Gibbs-Appell equations in parameters (Benenti's first kind)",
    statement: "q' = psi,  (Psi^T M Psi) z' = Psi^T (r - M (psi_q psi + psi_t))",
    sources: &[
        "[benenti2007, (7.1), mended]",
        "[appell1900]",
        "[gibbs1879]",
    ],
    derive,
};

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    if !constraints.ideal {
        return Err(Unavailable("the reaction is not Chetaev's".to_owned()));
    }
    if constraints.has_dropped_rows() {
        return Err(Unavailable(
            "psi no longer describes the motion: a constraint is dropped".to_owned(),
        ));
    }
    let Some(parametric) = &constraints.parametric else {
        return Err(Unavailable(
            "the model gives no v = psi(q, z, t) in [motion]".to_owned(),
        ));
    };
    let Parametrisation {
        z,
        rates,
        psi,
        partial,
    } = parametric;
    let mut sketch = Sketch::new(system.graph);
    for (v, psi) in system.v.iter().zip(psi.entries()) {
        sketch.bind(*v, *psi);
    }
    let transposed = partial.transpose();
    let gram = &(&transposed * &system.mass) * partial;
    let drift = psi.map(|x| system.drift(x));
    let right = &transposed * &(&system.right - &(&system.mass * &drift));
    let rate = Matrix::column(system.graph, rates.clone());
    sketch.solve_for(
        system.solve_kind(),
        "the equations of motion",
        &rate,
        &gram,
        &right,
    );
    let accel = &(partial * &rate) + &drift;
    let reaction = &(&system.mass * &accel) - &system.right;
    let a = &constraints.a;
    let normal = a * &a.transpose();
    let lambda = constraints.multiplier_symbols(system.graph);
    let kind = SolveKind::Consistent { unique: 0 };
    sketch.solve_for(kind, "the multipliers", &lambda, &normal, &(a * &reaction));
    Ok(complete(
        system,
        constraints,
        Motion {
            formalism: &GIBBS_APPELL,
            sketch,
            carrier: Carrier::Parameters,
            inputs: z.clone(),
            input_rates: rate,
            own: None,
            accel,
            lambda,
            reaction,
        },
    ))
}
