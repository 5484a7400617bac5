//! Functions of the state alone, for ranks, projections and the rank monitor.

use crate::constraints::Constraints;
use crate::system::System;
use appell_expr::{Matrix, Sketch};

/// Names of the functions that [`state_functions`] writes, of `(t, q, v)`.
///
/// k active rows, h holonomic rows.
pub mod function {
    /// `M`, n x n.
    pub const MASS: &str = "M";
    /// `A`, k x n.
    pub const A: &str = "A";
    /// `W`, n x k.
    pub const W: &str = "W";
    /// `B`, k x 1.
    pub const B: &str = "B";
    /// `phi` of the active rows, without those given on acceleration level.
    pub const PHI: &str = "phi";
    /// `phi_q` of the same rows.
    pub const PHI_Q: &str = "phi_q";
    /// `phi_v` of the same rows.
    pub const PHI_V: &str = "phi_v";
    /// `f` of the holonomic rows, h.
    pub const POSITION: &str = "f";
    /// `f_q`, h x n.
    pub const POSITION_Q: &str = "f_q";
    /// `p = L_v`, n.
    pub const MOMENTUM: &str = "p";
    /// `r`, n.
    pub const RIGHT: &str = "r";
}

/// The functions of [`function`] as a program of their own; no step of it needs a solve.
pub fn state_functions<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Sketch<'g> {
    let mut sketch = Sketch::new(system.graph);
    write_state_functions(system, constraints, &mut sketch);
    sketch
}

/// Adds the functions of [`function`] to a program.
pub(crate) fn write_state_functions<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    sketch: &mut Sketch<'g>,
) {
    let graph = system.graph;
    let active = constraints.active();
    let phi: Vec<_> = active.filter_map(|row| row.phi).collect();
    let position: Vec<_> = constraints
        .holonomic()
        .filter_map(|row| row.position)
        .collect();
    sketch.output(function::MASS, system.mass.clone());
    sketch.output(function::A, constraints.a.clone());
    sketch.output(function::W, constraints.w.clone());
    sketch.output(function::B, constraints.b.clone());
    sketch.output_list(function::PHI, &phi);
    sketch.output(function::PHI_Q, Matrix::jacobian(graph, &phi, &system.q));
    sketch.output(function::PHI_V, Matrix::jacobian(graph, &phi, &system.v));
    sketch.output_list(function::POSITION, &position);
    sketch.output(
        function::POSITION_Q,
        Matrix::jacobian(graph, &position, &system.q),
    );
    sketch.output(function::MOMENTUM, system.momentum.clone());
    sketch.output(function::RIGHT, system.right.clone());
}
