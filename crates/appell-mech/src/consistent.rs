//! Equations that read velocities on the constraints only.

use crate::constraints::Constraints;
use crate::equations::Equations;
use crate::output;
use crate::system::System;
use appell_expr::{Matrix, Program, Sketch, SolveKind, Unbound};

/// The rates of the state and of the ledger for velocities beside the constraints too: these are first moved on to the constraints,
/// least in the kinetic metric, `[M, A^T; A, 0] (dv, nu) = (0, -phi)`.
///
/// On the constraints nothing changes. The stages of a step lie beside them by errors of a low order, where a form
/// in independent velocities reads only these, and each other choice of them gives another field, the worse the
/// nearer the choice is to a singular one: the error of the step hangs on that. `None` without rows for velocities.
pub fn rate_on_constraints<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
) -> Option<Result<Program, Unbound>> {
    let (graph, n) = (system.graph, system.n());
    let rows: Vec<_> = constraints.active().collect();
    let places: Vec<usize> = (0..rows.len()).filter(|i| rows[*i].phi.is_some()).collect();
    if places.is_empty() {
        return None;
    }
    let column = |name: &str, count: usize| {
        let symbol = |i: usize| graph.symbol(&format!("{name}[{}]", i + 1));
        Matrix::column(graph, (0..count).map(symbol).collect())
    };
    let (move_by, nu) = (column("move", n), column("nu", places.len()));
    let a = constraints.a.select_rows(&places);
    let phi = places.iter().filter_map(|i| rows[*i].phi).collect();
    let lower = a.beside(&Matrix::zero(graph, places.len(), places.len()));
    let mut sketch = Sketch::new(graph);
    sketch.solve_for(
        SolveKind::OfRows { unique: n },
        "the velocities on the constraints",
        &move_by.above(&nu),
        &system.mass.beside(&a.transpose()).above(&lower),
        &Matrix::zero(graph, n, 1).above(&-&Matrix::column(graph, phi)),
    );
    let moved = system.v.iter().zip(move_by.entries());
    let moved: Vec<_> = moved.map(|(v, by)| (*v, *v + *by)).collect();
    let names = [output::RATE, output::WORK];
    sketch.continue_with(&equations.sketch, &names, &moved);
    Some(sketch.program(&equations.inputs(), &names))
}
