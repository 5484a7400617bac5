//! Maggi's equations: Lagrange's, projected on the directions that the constraints leave free.

use crate::complete::{Motion, complete};
use crate::constraints::Constraints;
use crate::equations::Equations;
use crate::equations::Formalism;
use crate::formalisms::quasi_velocities::{FRAME, Frame, multipliers};
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::Sketch;

/// `Y_1^T (d/dt L_v - L_q - F) = 0` with `v = Y_1 z + Z`, `A Y_1 = 0`, `A Y_2 = I`, on `(q, z)`.
///
/// Solved, `(Y_1^T M Y_1) z' = Y_1^T (r - M (Y_1' z + Z'))`; `lambda = Y_2^T (M q'' - r)`. The rows
/// must be affine in `v`; they may depend on `t`, and be dependent: then `lambda` is the least in
/// norm. `Y_1 = Psi` where the model gives `v = psi(q, z, t)` affine in `z`; otherwise the model's
/// motion variables, or independent velocities, are the `z`, and the frame is singular where they
/// do not determine the others.
pub static MAGGI: Formalism = Formalism {
    id: "maggi",
    title: "Maggi's equations",
    statement: "v = Y_1 z + Z,  (Y_1^T M Y_1) z' = Y_1^T (r - M (Y_1' z + Z')),  lambda = Y_2^T (M q'' - r)",
    latex: r"v = Y_{1} z + Z,\quad (Y_{1}^{\mathsf{T}} M Y_{1})\, \dot{z} = Y_{1}^{\mathsf{T}} \left(r - M (\dot{Y}_{1} z + \dot{Z})\right),\quad \lambda = Y_{2}^{\mathsf{T}} (M \ddot{q} - r)",
    sources: &["[maggi1896]", "[maggi1901]", "[neimark1972, chap. III]"],
    recipe: FRAME,
    derive,
};

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    let mut sketch = Sketch::new(system.graph);
    let frame = Frame::of_affine_rows(system, constraints, &mut sketch)?;
    let along_motion = |x| system.drift(x);
    let rates = frame.derivatives(&mut sketch, &[&along_motion]);
    let drift = rates[0].at(&frame.u);
    let free = &frame.vectors.free;
    let transposed = free.transpose();
    let gram = &(&transposed * &system.mass) * free;
    let right = &transposed * &(&system.right - &(&system.mass * &drift));
    let rate = frame.rate_symbols(system.graph);
    let name = "the equations of motion";
    sketch.solve_for(system.solve_kind(), name, &rate, &gram, &right);
    frame.write(&mut sketch);
    let accel = &(free * &rate) + &drift;
    let reaction = &(&system.mass * &accel) - &system.right;
    let along_fixed = &frame.vectors.fixed.transpose() * &reaction;
    let lambda = multipliers(system, constraints, &along_fixed, &reaction, &mut sketch);
    let motion = Motion::on_velocities(&MAGGI, system, sketch, accel, lambda, reaction);
    Ok(complete(
        system,
        constraints,
        motion.with_own(frame.fibre(rate)),
    ))
}
