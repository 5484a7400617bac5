//! What particles and rigid bodies contribute to `M q'' = r`, from their partial velocities.

use appell_expr::{Ex, Graph, Id, Matrix};
use appell_model::{Body, Model, Rotation, Vector};
use std::collections::BTreeMap;

/// The contributions of all particles and bodies, in the notation of [`crate::System`].
pub(crate) struct Contributions<'g> {
    /// `p = Sum J^T m v + Omega^T I omega`, n x 1.
    pub(crate) momentum: Matrix<'g>,
    /// `M = Sum J^T m J + Omega^T I Omega`, n x n.
    pub(crate) mass: Matrix<'g>,
    /// `r = Sum J^T m (g - J' v) - Omega^T (I Omega' v + Omega_R x I omega)`, n x 1, where `J' v` stands
    /// for the acceleration at `q'' = 0` and `Omega_R` turns the axes in which all is written.
    pub(crate) right: Matrix<'g>,
}

/// Sums over all particles and bodies: Newton and Euler, projected on the partial velocities.
/// `drift` gives `x_q v + x_t`, the rate at frozen velocities.
pub(crate) fn contributions<'g>(
    model: &'g Model,
    v: &[Ex<'g>],
    drift: &dyn Fn(Ex<'g>) -> Ex<'g>,
) -> Contributions<'g> {
    let graph = &model.graph;
    let n = v.len();
    let gravity = column(graph, model.gravity);
    let mut momenta = vec![Vec::new(); n];
    let mut rights = vec![Vec::new(); n];
    let mut masses = vec![vec![Vec::new(); n]; n];
    let mut products = Products::default();
    for body in &model.bodies {
        for motion in motions(body, &gravity, v, drift) {
            for i in 0..n {
                let partial = &motion.partial[i];
                if partial.is_zero() {
                    continue;
                }
                momenta[i].push(partial.dot(&motion.momentum));
                rights[i].push(partial.dot(&motion.force));
                let inertial = &motion.inertia * partial;
                for (j, row) in masses.iter_mut().enumerate().take(i + 1) {
                    if !motion.partial[j].is_zero() {
                        row[i].push(products.dot(&motion.partial[j], &inertial));
                    }
                }
            }
        }
    }
    Contributions {
        momentum: Matrix::from_fn(graph, n, 1, |i, _| graph.sum(&momenta[i])),
        mass: Matrix::from_fn(graph, n, n, |i, j| graph.sum(&masses[i.min(j)][i.max(j)])),
        right: Matrix::from_fn(graph, n, 1, |i, _| graph.sum(&rights[i])),
    }
}

/// Products of vectors: the bodies of a chain share the partial velocities of the links before them.
#[derive(Default)]
struct Products<'g>(BTreeMap<[Id; 6], Ex<'g>>);

impl<'g> Products<'g> {
    /// `x . y` of two vectors in space.
    fn dot(&mut self, x: &Matrix<'g>, y: &Matrix<'g>) -> Ex<'g> {
        let mut entries = x.entries().iter().chain(y.entries());
        let key = std::array::from_fn(|_| entries.next().expect("three of each").id());
        *self.0.entry(key).or_insert_with(|| x.dot(y))
    }
}

/// The translation or the rotation of a body: three equations each.
struct Motion<'g> {
    /// Partial velocities, 3 x 1 for each coordinate.
    partial: Vec<Matrix<'g>>,
    /// 3 x 3
    inertia: Matrix<'g>,
    /// 3 x 1
    momentum: Matrix<'g>,
    /// Gravity and forces of inertia at `q'' = 0`, 3 x 1.
    force: Matrix<'g>,
}

fn motions<'g>(
    body: &Body,
    gravity: &Matrix<'g>,
    v: &[Ex<'g>],
    drift: &dyn Fn(Ex<'g>) -> Ex<'g>,
) -> Vec<Motion<'g>> {
    let graph = gravity[(0, 0)].graph();
    let mut motions = Vec::new();
    let mass = graph.ex(body.mass);
    if !mass.is_zero() {
        let velocity = column(graph, body.velocity);
        let fall = gravity - &velocity.map(drift);
        motions.push(Motion {
            partial: partial_velocities(&velocity, v),
            inertia: Matrix::from_fn(graph, 3, 3, |i, j| if i == j { mass } else { graph.zero() }),
            momentum: velocity.map(|x| mass * x),
            force: fall.map(|x| mass * x),
        });
    }
    if let Some(rotation) = &body.rotation {
        // In axes of Resal, so that a round body's turns about its axis do not appear.
        let spin = column(graph, rotation.resal);
        let inertia = inertia(graph, rotation);
        let momentum = &inertia * &spin;
        let turning = column(graph, rotation.turning);
        let euler = &(&inertia * &spin.map(drift)) + &cross(&turning, &momentum);
        motions.push(Motion {
            partial: partial_velocities(&spin, v),
            force: euler.map(|x| -x),
            inertia,
            momentum,
        });
    }
    motions
}

/// `dx/dv_i` for each velocity.
fn partial_velocities<'g>(velocity: &Matrix<'g>, v: &[Ex<'g>]) -> Vec<Matrix<'g>> {
    let graph = velocity[(0, 0)].graph();
    let jacobian = Matrix::jacobian(graph, velocity.entries(), v);
    (0..v.len())
        .map(|i| jacobian.select_columns(&[i]))
        .collect()
}

/// The inertia matrix, 3 x 3.
pub(crate) fn inertia<'g>(graph: &'g Graph, rotation: &Rotation) -> Matrix<'g> {
    Matrix::from_fn(graph, 3, 3, |i, j| graph.ex(rotation.inertia[i][j]))
}

/// A vector as a column, 3 x 1.
pub(crate) fn column(graph: &Graph, vector: Vector) -> Matrix<'_> {
    Matrix::column(graph, graph.exs(&vector))
}

/// `a x b`, 3 x 1.
pub(crate) fn cross<'g>(a: &Matrix<'g>, b: &Matrix<'g>) -> Matrix<'g> {
    let graph = a[(0, 0)].graph();
    Matrix::from_fn(graph, 3, 1, |i, _| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[(j, 0)] * b[(k, 0)] - a[(k, 0)] * b[(j, 0)]
    })
}

/// `F = J^T f + Omega^T (torque + offset x f)` of a force at an offset from the mass centre and of a
/// torque, n x 1.
pub(crate) fn generalised<'g>(
    body: &Body,
    offset: Vector,
    force: Option<Vector>,
    torque: Option<Vector>,
    v: &[Ex<'g>],
    graph: &'g Graph,
) -> Matrix<'g> {
    let null = || Matrix::zero(graph, 3, 1);
    let force = force.map_or_else(null, |force| column(graph, force));
    let torque = torque.map_or_else(null, |torque| column(graph, torque));
    let by = |velocity: Vector| Matrix::jacobian(graph, &graph.exs(&velocity), v).transpose();
    let of_force = &by(body.velocity) * &force;
    match &body.rotation {
        Some(rotation) => {
            let moment = &torque + &cross(&column(graph, offset), &force);
            &of_force + &(&by(rotation.omega) * &moment)
        }
        None => of_force,
    }
}
