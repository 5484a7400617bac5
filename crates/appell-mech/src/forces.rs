//! Constraint forces as vectors on particles.

use crate::constraints::{ConstraintRow, Constraints};
use crate::equations::output;
use crate::system::{Metric, System};
use appell_expr::{Ex, Matrix, Sketch, vanishes};
use appell_model::{Level, Particle};

/// How the force vectors of a constraint were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Read off the dot products: the row is `Sum_P W_P . a(P) + ..`, the force `lambda W_P`; or the
    /// file says on which particle the reaction acts.
    /// [roithmayr2010, sect. 5]
    Inspection,
    /// The row is written in coordinates: `C_P = m_P J_P M^-1 W lambda` (Gauss).
    Gauss,
}

/// The force of one entry of `[constraints]` on one particle, applied at the particle.
#[derive(Debug, Clone)]
pub struct ConstraintForce<'g> {
    /// The index of the entry of `[constraints]`.
    pub constraint: usize,
    /// The index of the particle.
    pub particle: usize,
    /// How it was found.
    pub rule: Rule,
    /// The active rows it belongs to.
    pub rows: Vec<usize>,
    /// The force is `directions lambda_rows`, 3 x rows.
    pub directions: Matrix<'g>,
    /// The force, 3 x 1.
    pub force: Matrix<'g>,
}

/// The output that holds the directions of the force of this index.
pub fn directions_output(index: usize) -> String {
    format!("directions {index}")
}

/// Writes the forces of every constraint on every particle it acts on.
pub(crate) fn write<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    lambda: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) -> Vec<ConstraintForce<'g>> {
    let mut forces = Vec::new();
    for constraint in 0..system.model.constraints.len() {
        let rows: Vec<&ConstraintRow<'g>> = constraints
            .rows
            .iter()
            .filter(|row| row.constraint == constraint && row.is_active())
            .collect();
        if !rows.is_empty() {
            forces.extend(forces_of_constraint(
                system, constraint, &rows, lambda, sketch,
            ));
        }
    }
    for (index, force) in forces.iter().enumerate() {
        sketch.output(&directions_output(index), force.directions.clone());
    }
    let all = forces
        .iter()
        .flat_map(|f| f.force.entries().to_vec())
        .collect::<Vec<_>>();
    sketch.output_list(output::FORCES, &all);
    forces
}

fn forces_of_constraint<'g>(
    system: &System<'g>,
    constraint: usize,
    rows: &[&ConstraintRow<'g>],
    lambda: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) -> Vec<ConstraintForce<'g>> {
    let inspected = rows.iter().all(|row| acts_on_particles(system, row));
    let lifted = if inspected {
        None
    } else {
        lifted_directions(system, rows, sketch)
    };
    let rule = if inspected {
        Rule::Inspection
    } else {
        Rule::Gauss
    };
    let indices: Vec<usize> = rows.iter().filter_map(|row| row.active_index()).collect();
    let own = lambda.select_rows(&indices);
    let mut forces = Vec::new();
    for (particle, body) in system.model.particles.iter().enumerate() {
        let directions = match (&lifted, inspected) {
            (_, true) => inspected_directions(system, rows, particle),
            (Some(lifted), false) => gauss_directions(system, body, lifted),
            (None, false) => continue,
        };
        if !directions.is_zero() {
            let force = &directions * &own;
            forces.push(ConstraintForce {
                constraint,
                particle,
                rule,
                rows: indices.clone(),
                directions,
                force,
            });
        }
    }
    forces
}

/// Whether the row says by itself where its reaction acts: it is made of `pos(P)`, `v(P)` or `a(P)`
/// alone, according to its level, or its reaction was given as a force on a particle.
fn acts_on_particles(system: &System<'_>, row: &ConstraintRow<'_>) -> bool {
    let explicit = match row.level {
        Level::Position => &system.q,
        Level::Velocity => &system.v,
        Level::Acceleration => &system.a,
    };
    let inspectable = || explicit.iter().all(|x| vanishes(row.inspected.diff(*x)));
    row.reaction_on.is_some() || (row.reaction.is_none() && inspectable())
}

/// `W_P`, the derivative of the row by `pos(P)`, `v(P)` or `a(P)` according to its level, 3 x rows,
/// with the stand-ins replaced.
fn inspected_directions<'g>(
    system: &System<'g>,
    rows: &[&ConstraintRow<'g>],
    particle: usize,
) -> Matrix<'g> {
    let graph = system.graph;
    let body = &system.model.particles[particle];
    let mut back: Vec<(Ex<'g>, Ex<'g>)> = Vec::new();
    for p in &system.model.particles {
        for i in 0..3 {
            back.push((graph.ex(p.position_symbols[i]), graph.ex(p.position[i])));
            back.push((graph.ex(p.velocity_symbols[i]), graph.ex(p.velocity[i])));
        }
    }
    Matrix::from_fn(graph, 3, rows.len(), |i, j| {
        if let Some((on, force)) = rows[j].reaction_on {
            return if on == particle {
                force[i]
            } else {
                graph.zero()
            };
        }
        let stand_in = match rows[j].level {
            Level::Position => body.position_symbols[i],
            Level::Velocity => body.velocity_symbols[i],
            Level::Acceleration => body.acceleration_symbols[i],
        };
        rows[j].inspected.diff(graph.ex(stand_in))
    })
    .substitute(&back)
}

/// `M^-1 W`, n x rows, where `M` comes from the particles alone and is regular.
fn lifted_directions<'g>(
    system: &System<'g>,
    rows: &[&ConstraintRow<'g>],
    sketch: &mut Sketch<'g>,
) -> Option<Matrix<'g>> {
    if system.metric == Metric::Singular || !kinetic_energy_is_of_particles(system) {
        return None;
    }
    let graph = system.graph;
    let w = Matrix::from_fn(graph, system.n(), rows.len(), |i, j| rows[j].direction()[i]);
    Some(sketch.solve(system.solve_kind(), "lifted", &system.mass, &w))
}

/// Whether `T` is that of the particles alone: every inertia is that of a particle.
pub fn kinetic_energy_is_of_particles(system: &System<'_>) -> bool {
    let graph = system.graph;
    let Some(kinetic) = system.model.kinetic else {
        return false;
    };
    let mut rest = graph.ex(kinetic);
    for particle in &system.model.particles {
        let v = Matrix::column(graph, graph.exs(&particle.velocity));
        rest = rest - graph.ex(particle.mass) * v.dot(&v) / 2;
    }
    !system.model.particles.is_empty() && vanishes(rest)
}

/// `m_P J_P M^-1 W`, 3 x rows.
fn gauss_directions<'g>(
    system: &System<'g>,
    particle: &Particle,
    lifted: &Matrix<'g>,
) -> Matrix<'g> {
    let graph = system.graph;
    let partial = Matrix::jacobian(graph, &graph.exs(&particle.position), &system.q);
    let mass = graph.ex(particle.mass);
    (&partial * lifted).map(|x| mass * x)
}
