//! Constraint forces as vectors on particles and bodies.

use crate::bodies::{column, cross, inertia};
use crate::constraints::{ConstraintRow, Constraints};
use crate::output;
use crate::system::{Metric, System};
use appell_expr::{Ex, Locus, Matrix, Sketch, SolveKind, generic_rank, is_free_of, vanishes};
use appell_model::{Level, Model, Vector};

/// How the force vectors of a constraint were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Read off the dot products: the row is `Sum_P W_P . a(P) + Sum_B tau_B . alpha(B) + ..`, the force
    /// `lambda W_P` at P, the couple `lambda tau_B`; or the file says on which body the reaction acts.
    /// [roithmayr2010, sect. 5]
    Inspection,
    /// The row is written in coordinates: `m_P J_P M^-1 W lambda` at the mass centre P, and the couple
    /// `I_P Omega_P M^-1 W lambda` (Gauss).
    Gauss,
    /// The file says at which point: the force `F` of least length with `J^T F = W lambda`, `J = d pos(P)/dq`.
    Place,
}

/// The force of one entry of `[constraints]` on one particle or body.
#[derive(Debug, Clone)]
pub struct ConstraintForce<'g> {
    /// The index of the entry of `[constraints]`.
    pub constraint: usize,
    /// The index of the particle or body; none in a model by coordinates.
    pub body: Option<usize>,
    /// What it takes hold of.
    pub hold: Hold,
    /// How it was found.
    pub rule: Rule,
    /// The active rows it belongs to.
    pub rows: Vec<usize>,
    /// Force and couple are `directions lambda_rows`, 6 x rows.
    pub directions: Matrix<'g>,
    /// The point of application, 3 x 1.
    pub at: Matrix<'g>,
    /// The force, 3 x 1.
    pub force: Matrix<'g>,
    /// The couple besides the force's moment about `at`, 3 x 1.
    pub torque: Matrix<'g>,
}

impl<'g> ConstraintForce<'g> {
    /// The directions of the force and of its moment about the mass centre, 6 x rows.
    pub fn about_centre(&self, system: &System<'g>) -> Matrix<'g> {
        let centre = match self.body {
            Some(body) => column(system.graph, system.model.bodies[body].position),
            None => self.at.clone(),
        };
        let forces = self.directions.select_rows(&[0, 1, 2]);
        let couples = self.directions.select_rows(&[3, 4, 5]);
        let moments = &couples + &moments(&(&self.at - &centre), &forces);
        forces.above(&moments)
    }

    /// The name of the particle or body it acts on; of the point where there is none.
    pub fn on<'m>(&self, model: &'m Model) -> &'m str {
        match (self.body, self.hold) {
            (Some(body), _) => &model.bodies[body].name,
            (None, Hold::Place(point)) => &model.points[point].name,
            (None, _) => "",
        }
    }
}

/// What a constraint force takes hold of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// The point of this index among the model's material points.
    Point(usize),
    /// The point of this index among the model's points, in a model by coordinates.
    Place(usize),
    /// The body as a whole: a couple without force.
    Couple,
}

/// The output that holds the directions of the force of this index.
pub fn directions_output(index: usize) -> String {
    format!("directions {index}")
}

/// Writes the forces of every constraint on every particle and body it acts on.
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
    let parts = [
        (
            output::FORCES,
            forces.iter().map(|f| &f.force).collect::<Vec<_>>(),
        ),
        (output::TORQUES, forces.iter().map(|f| &f.torque).collect()),
        (output::POINTS, forces.iter().map(|f| &f.at).collect()),
    ];
    for (name, vectors) in parts {
        let all = vectors.into_iter().flat_map(|x| x.entries().to_vec());
        sketch.output_list(name, &all.collect::<Vec<_>>());
    }
    forces
}

fn forces_of_constraint<'g>(
    system: &System<'g>,
    constraint: usize,
    rows: &[&ConstraintRow<'g>],
    lambda: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) -> Vec<ConstraintForce<'g>> {
    if let Some(point) = system.model.constraints[constraint].at {
        let force = force_at(system, constraint, point, rows, lambda, sketch);
        return force.into_iter().collect();
    }
    let inspected = rows.iter().all(|row| acts_on_bodies(system, row));
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
    let multipliers = lambda.select_rows(&indices);
    let mut forces = Vec::new();
    for body in 0..system.model.bodies.len() {
        let grip = match (&lifted, inspected) {
            (_, true) => inspected_grip(system, rows, body),
            (Some(lifted), false) => Some(gauss_grip(system, body, lifted)),
            (None, false) => None,
        };
        let Some(grip) = grip.filter(|g| !(g.forces.is_zero() && g.couples.is_zero())) else {
            continue;
        };
        forces.push(ConstraintForce {
            constraint,
            body: Some(body),
            hold: grip.hold,
            rule,
            rows: indices.clone(),
            at: column(system.graph, system.model.material_points[grip.at].position),
            force: &grip.forces * &multipliers,
            torque: &grip.couples * &multipliers,
            directions: grip.forces.above(&grip.couples),
        });
    }
    forces
}

/// The force of the rows at a point of `[points]`: the least `F` with `J^T F = W`, where that can be solved at
/// every state; none where the reaction is more than a force at this point. With independent rows `J_R` and
/// `J = C J_R` it is `C (C^T C)^-1 y`, `J_R J_R^T y = J_R W`: regular systems, since the rank is known exactly.
fn force_at<'g>(
    system: &System<'g>,
    constraint: usize,
    point: usize,
    rows: &[&ConstraintRow<'g>],
    lambda: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) -> Option<ConstraintForce<'g>> {
    let graph = system.graph;
    let at = column(graph, system.model.points[point].position);
    let partial = Matrix::jacobian(graph, at.entries(), &system.q);
    let w = Matrix::from_fn(graph, system.n(), rows.len(), |i, j| rows[j].direction()[i]);
    let rank = |matrix: &Matrix<'g>| {
        let locus = Locus::new(graph.symbols_of(matrix.entries()));
        let columns: Vec<usize> = (0..matrix.columns()).collect();
        generic_rank(&locus, matrix, &columns)
    };
    let found = rank(&partial)?;
    if found.rank == 0 || found.rank != rank(&partial.above(&w.transpose()))?.rank {
        return None;
    }
    let independent = partial.select_rows(&found.rows);
    let gram = &independent * &independent.transpose();
    let by_rows = &independent * &partial.transpose();
    let mut solve = |name, matrix: &Matrix<'g>, right: &Matrix<'g>| {
        sketch.solve(SolveKind::PositiveDefinite, name, matrix, right)
    };
    let c = solve("c", &gram, &by_rows).transpose();
    let y = solve("y", &gram, &(&independent * &w));
    let forces = &c * &solve("f", &(&c.transpose() * &c), &y);
    let indices: Vec<usize> = rows.iter().filter_map(|row| row.active_index()).collect();
    Some(ConstraintForce {
        constraint,
        body: None,
        hold: Hold::Place(point),
        rule: Rule::Place,
        force: &forces * &lambda.select_rows(&indices),
        torque: Matrix::zero(graph, 3, 1),
        directions: forces.above(&Matrix::zero(graph, 3, rows.len())),
        rows: indices,
        at,
    })
}

/// How the rows of a constraint hold a body.
struct Grip<'g> {
    hold: Hold,
    /// The index of the point of application.
    at: usize,
    /// 3 x rows
    forces: Matrix<'g>,
    /// 3 x rows
    couples: Matrix<'g>,
}

/// Whether the row says by itself where its reaction acts: it is made of the kinematics of particles
/// and bodies alone, according to its level, or its reaction was given as a force on one of them.
fn acts_on_bodies(system: &System<'_>, row: &ConstraintRow<'_>) -> bool {
    let explicit = match row.level {
        Level::Position => &system.q,
        Level::Velocity => &system.v,
        Level::Acceleration => &system.a,
    };
    let inspectable = || explicit.iter().all(|x| is_free_of(row.inspected, *x));
    !row.reaction_on.is_empty() || (row.reaction.is_none() && inspectable())
}

/// What inspection shows of the hold on a body, with the stand-ins replaced; none if there is none.
fn inspected_grip<'g>(
    system: &System<'g>,
    rows: &[&ConstraintRow<'g>],
    body: usize,
) -> Option<Grip<'g>> {
    let (graph, model) = (system.graph, system.model);
    let points =
        (0..model.material_points.len()).filter(|p| model.material_points[*p].body == body);
    let points: Vec<(usize, Matrix<'g>)> = points
        .map(|p| (p, at_point(system, rows, p)))
        .filter(|(_, forces)| !forces.is_zero())
        .collect();
    let couples = couples_on(system, rows, body);
    let centre = column(graph, model.bodies[body].position);
    match &points[..] {
        [] if couples.is_zero() => None,
        [] => Some(Grip {
            hold: Hold::Couple,
            at: body,
            forces: Matrix::zero(graph, 3, rows.len()),
            couples,
        }),
        [(point, forces)] => Some(Grip {
            hold: Hold::Point(*point),
            at: *point,
            forces: forces.clone(),
            couples,
        }),
        // Several points of one body: their forces together, at its centre.
        _ => {
            let mut grip = Grip {
                hold: Hold::Point(body),
                at: body,
                forces: Matrix::zero(graph, 3, rows.len()),
                couples,
            };
            for (point, forces) in &points {
                let arm = &column(graph, model.material_points[*point].position) - &centre;
                grip.forces = &grip.forces + forces;
                grip.couples = &grip.couples + &moments(&arm, forces);
            }
            Some(grip)
        }
    }
}

/// `arm x f` for each column.
fn moments<'g>(arm: &Matrix<'g>, forces: &Matrix<'g>) -> Matrix<'g> {
    let turned: Vec<Matrix<'g>> = (0..forces.columns())
        .map(|j| cross(arm, &forces.select_columns(&[j])))
        .collect();
    let graph = arm[(0, 0)].graph();
    Matrix::from_fn(graph, 3, forces.columns(), |i, j| turned[j][(i, 0)])
}

/// `W`, the derivatives of the rows by place, velocity or acceleration of a material point, 3 x rows.
fn at_point<'g>(system: &System<'g>, rows: &[&ConstraintRow<'g>], index: usize) -> Matrix<'g> {
    let graph = system.graph;
    let point = &system.model.material_points[index];
    let masked = Matrix::from_fn(graph, 3, rows.len(), |i, j| {
        if !rows[j].reaction_on.is_empty() {
            let pulls = rows[j].reaction_on.iter().filter(|(on, ..)| *on == index);
            return graph.sum(&pulls.map(|(_, force, _)| force[i]).collect::<Vec<_>>());
        }
        let stand_in = match rows[j].level {
            Level::Position => point.position_symbols[i],
            Level::Velocity => point.velocity_symbols[i],
            Level::Acceleration => point.acceleration_symbols[i],
        };
        rows[j].inspected.diff(graph.ex(stand_in))
    });
    unmasked(system, &masked)
}

/// The couples of the rows on a body, 3 x rows: the derivatives by `omega` or `alpha`; for a row in
/// places the moment `Sum e x phi_e` over the axes of the body.
fn couples_on<'g>(system: &System<'g>, rows: &[&ConstraintRow<'g>], body: usize) -> Matrix<'g> {
    let graph = system.graph;
    let Some(rotation) = &system.model.bodies[body].rotation else {
        return Matrix::zero(graph, 3, rows.len());
    };
    let by = |row: &ConstraintRow<'g>, symbols: Vector| {
        let entries = symbols.map(|x| row.inspected.diff(graph.ex(x)));
        Matrix::column(graph, entries.to_vec())
    };
    let couples: Vec<Matrix<'g>> = rows
        .iter()
        .map(|row| match row.level {
            _ if !row.reaction_on.is_empty() => {
                let pulls = row.reaction_on.iter().filter(|(on, ..)| *on == body);
                let zero = Matrix::zero(graph, 3, 1);
                pulls.fold(zero, |sum, (.., torque)| {
                    &sum + &Matrix::column(graph, torque.to_vec())
                })
            }
            Level::Velocity => by(row, rotation.omega_symbols),
            Level::Acceleration => by(row, rotation.alpha_symbols),
            Level::Position => {
                let axes = rotation.axis_symbols.into_iter().flatten();
                let zero = Matrix::zero(graph, 3, 1);
                axes.fold(zero, |sum, e| &sum + &cross(&column(graph, e), &by(row, e)))
            }
        })
        .collect();
    let masked = Matrix::from_fn(graph, 3, rows.len(), |i, j| couples[j][(i, 0)]);
    unmasked(system, &masked)
}

/// The same with what the stand-ins stand for.
fn unmasked<'g>(system: &System<'g>, masked: &Matrix<'g>) -> Matrix<'g> {
    if masked.is_zero() {
        return masked.clone();
    }
    let (graph, model) = (system.graph, system.model);
    let mut back: Vec<(Ex<'g>, Ex<'g>)> = Vec::new();
    let mut replace = |symbols: Vector, by: Vector| {
        back.extend(graph.exs(&symbols).into_iter().zip(graph.exs(&by)));
    };
    for point in &model.material_points {
        replace(point.position_symbols, point.position);
        replace(point.velocity_symbols, point.velocity);
    }
    for rotation in model
        .bodies
        .iter()
        .filter_map(|body| body.rotation.as_ref())
    {
        replace(rotation.omega_symbols, rotation.omega);
        for (symbols, axis) in rotation
            .axis_symbols
            .into_iter()
            .flatten()
            .zip(rotation.axes)
        {
            replace(symbols, axis);
        }
    }
    masked.substitute(&back)
}

/// `M^-1 W`, n x rows, where `M` comes from particles and bodies alone and is regular.
fn lifted_directions<'g>(
    system: &System<'g>,
    rows: &[&ConstraintRow<'g>],
    sketch: &mut Sketch<'g>,
) -> Option<Matrix<'g>> {
    if system.metric == Metric::Singular || !kinetic_energy_is_of_bodies(system) {
        return None;
    }
    let graph = system.graph;
    let w = Matrix::from_fn(graph, system.n(), rows.len(), |i, j| rows[j].direction()[i]);
    Some(sketch.solve(system.solve_kind(), "lifted", &system.mass, &w))
}

/// Whether `T` is that of particles and bodies alone.
pub fn kinetic_energy_is_of_bodies(system: &System<'_>) -> bool {
    let none_given = || system.mass_given.entries().iter().all(|m| vanishes(*m));
    !system.model.bodies.is_empty() && none_given()
}

/// `m J M^-1 W` and `I Omega M^-1 W`, in components in N.
fn gauss_grip<'g>(system: &System<'g>, index: usize, lifted: &Matrix<'g>) -> Grip<'g> {
    let graph = system.graph;
    let body = &system.model.bodies[index];
    let by = |velocity: Vector| Matrix::jacobian(graph, &graph.exs(&velocity), &system.v);
    let mass = graph.ex(body.mass);
    let couples = match &body.rotation {
        Some(rotation) => {
            let axes = Matrix::from_fn(graph, 3, 3, |i, j| graph.ex(rotation.axes[j][i]));
            &(&(&axes * &inertia(graph, rotation)) * &by(rotation.spin)) * lifted
        }
        None => Matrix::zero(graph, 3, lifted.columns()),
    };
    Grip {
        hold: Hold::Point(index),
        at: index,
        forces: (&by(body.velocity) * lifted).map(|x| mass * x),
        couples,
    }
}
