//! The equation of Udwadia and Kalaba.

use crate::complete::{Motion, complete};
use crate::constraints::Constraints;
use crate::constraints::parametric_only;
use crate::equations::Equations;
use crate::equations::Formalism;
use crate::formalisms::chetaev_only;
use crate::system::{Metric, System};
use crate::unavailable::Unavailable;
use appell_expr::{Matrix, Sketch, SolveKind};

/// `q'' = a + M^-1/2 (A M^-1/2)^+ (b - A a)`, `M a = r`, `b = -B`, on `(q, v)`; `M` positive definite.
///
/// With `C = A M^-1/2` and `C^+ = C^T (C C^T)^+`, which holds at every rank, the correction is
/// `M^-1/2 C^T (C C^T)^+ (b - A a) = M^-1 A^T (A M^-1 A^T)^+ (b - A a)`: no root of `M` is needed. The
/// pseudo-inverse of the symmetric `C C^T` takes a right side in its range to the solution of
/// least norm, so rows may be dependent; that solution is `lambda`. Rows that contradict one
/// another have no solution here (the printed formula would give a best approximation, which
/// is no motion on the constraint).
pub static UDWADIA_KALABA: Formalism = Formalism {
    id: "udwadia-kalaba",
    title: "The Udwadia-Kalaba equation",
    statement: "q'' = a + M^{-1/2} (A M^{-1/2})^+ (b - A a),  M a = r,  b = -B",
    latex: r"\ddot{q} = a + M^{-1/2} \left(A M^{-1/2}\right)^{+} (b - A a),\quad M a = r,\quad b = -B",
    sources: &["[udwadia1992]"],
    recipe: &[],
    derive,
};

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    chetaev_only(constraints)?;
    parametric_only(system, constraints)?;
    if matches!(system.metric, Metric::Indefinite | Metric::Singular) {
        let why = "M is not positive definite: it has no root M^1/2";
        return Err(Unavailable(why.to_owned()));
    }
    let Constraints { a, b, .. } = constraints;
    let mut sketch = Sketch::new(system.graph);
    let kind = SolveKind::PositiveDefinite;
    let free = sketch.solve(kind, "a", &system.mass, &system.right);
    let transposed = a.transpose();
    let lifted = sketch.solve(kind, "lifted", &system.mass, &transposed);
    let missing = -&(b + &(a * &free));
    let lambda = constraints.multiplier_symbols(system.graph);
    pseudo_inverse(&mut sketch, &lambda, &(a * &lifted), &missing);
    let accel = &free + &(&lifted * &lambda);
    let reaction = &transposed * &lambda;
    Ok(complete(
        system,
        constraints,
        Motion::on_velocities(&UDWADIA_KALABA, system, sketch, accel, lambda, reaction),
    ))
}

/// `x = S^+ y` for a symmetric `S` with `y` in its range: the solution of least norm.
fn pseudo_inverse<'g>(
    sketch: &mut Sketch<'g>,
    x: &Matrix<'g>,
    symmetric: &Matrix<'g>,
    y: &Matrix<'g>,
) {
    let kind = SolveKind::OfRows { unique: 0 };
    sketch.solve_for(kind, "the multipliers", x, symmetric, y);
}
