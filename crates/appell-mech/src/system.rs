//! The mechanical system: `M q'' = r` without its constraints.

use crate::bodies;
use appell_expr::{Ex, Graph, Id, Matrix, SolveKind};
use appell_model::{Model, Vector};
use std::cell::RefCell;
use std::collections::HashMap;

/// What is known of the mass matrix; decided by numbers, since it depends on the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// `M` is positive definite.
    Definite,
    /// `M` is positive definite where the motion begins, and indefinite at other states.
    DefiniteAtStart,
    /// `M` is regular but indefinite (pseudo-Riemannian).
    Indefinite,
    /// `M` is singular and `M + A^T A` is not: unit quaternions, massless axles.
    Singular,
}

/// An active force that is not in the Lagrangian.
#[derive(Debug, Clone)]
pub struct ActiveForce<'g> {
    /// The body it acts on, the load, or the coordinate it is a component along.
    pub name: String,
    /// Its Lagrangian components `F_i(q, v, t)`, n x 1.
    pub components: Matrix<'g>,
}

/// A regular Lagrangian system `d/dt L_v - L_q = F`, written `M q'' = r`.
#[derive(Clone)]
pub struct System<'g> {
    /// The model it comes from.
    pub model: &'g Model,
    /// The algebra its expressions live in.
    pub graph: &'g Graph,
    /// What is known of `M`.
    pub metric: Metric,
    /// The symbol `t`.
    pub t: Ex<'g>,
    /// The symbols `q`, n.
    pub q: Vec<Ex<'g>>,
    /// The symbols `v = q'`, n.
    pub v: Vec<Ex<'g>>,
    /// The symbols `q''`, n.
    pub a: Vec<Ex<'g>>,
    /// `L(q, v, t)`.
    pub lagrangian: Ex<'g>,
    /// `p = L_v`, n x 1.
    pub momentum: Matrix<'g>,
    /// `M = L_vv`, n x n.
    pub mass: Matrix<'g>,
    /// The part of `M` that `[energy]` gives, not particles and bodies.
    pub mass_given: Matrix<'g>,
    /// `r = L_q - L_vq v - L_vt + F`, n x 1 (theory: Benenti's `L_i`).
    pub right: Matrix<'g>,
    /// `F`, all active forces that are not in `L`, n x 1.
    pub force: Matrix<'g>,
    /// The parts of `F`.
    pub active: Vec<ActiveForce<'g>>,
    /// `E = v . L_v - L`.
    pub energy: Ex<'g>,
    /// Parameters that stand at their exact values in all of this; elsewhere they are free.
    pub fixed: Vec<(Ex<'g>, Ex<'g>)>,
    /// Expressions in which constants vanish exactly that rounded numbers would leave, as `a + b - c` where `a = 0.1`,
    /// `b = 0.2`, `c = 0.3`, and the same without these: they do not stand in any of this.
    pub vanishing: Vec<(Ex<'g>, Ex<'g>)>,
    /// Which expressions are known to be affine in the velocities, and which not: asked of each pair of rows.
    pub straight: RefCell<HashMap<Id, bool>>,
}

impl<'g> System<'g> {
    /// Derives `M` and `r` from the model's Lagrangian and forces.
    pub fn new(model: &'g Model, metric: Metric) -> Self {
        let graph = &model.graph;
        let symbols = |pick: fn(&appell_model::Coordinate) -> appell_expr::Id| {
            model
                .coordinates
                .iter()
                .map(|c| graph.ex(pick(c)))
                .collect::<Vec<_>>()
        };
        let (q, v, a) = (symbols(|c| c.q), symbols(|c| c.v), symbols(|c| c.a));
        let t = graph.ex(model.time);
        let lagrangian = graph.ex(model.lagrangian);
        let given = graph.ex(model.lagrangian_given);
        let velocity = Matrix::column(graph, v.clone());
        let one = graph.one();
        let frozen: Vec<_> = q
            .iter()
            .copied()
            .zip(v.iter().copied())
            .chain([(t, one)])
            .collect();
        let drift = |x: Ex<'g>| x.rate(&frozen);
        // L = L_given + T - V of particles and bodies.
        let bodies = bodies::contributions(model, &v, &drift);
        let given_momentum = gradient(graph, given, &v);
        let given_mass = Matrix::jacobian(graph, given_momentum.entries(), &v);
        let given_right = &gradient(graph, given, &q) - &given_momentum.map(drift);
        let active = active_forces(model, &v);
        let zero = Matrix::zero(graph, q.len(), 1);
        let force = active.iter().fold(zero, |sum, f| &sum + &f.components);
        let right = &(&given_right + &bodies.right) + &force;
        let momentum = &given_momentum + &bodies.momentum;
        let energy = velocity.dot(&momentum) - lagrangian;
        Self {
            model,
            graph,
            metric,
            t,
            q,
            v,
            a,
            lagrangian,
            momentum,
            mass: &given_mass + &bodies.mass,
            mass_given: given_mass,
            right,
            force,
            active,
            energy,
            fixed: Vec::new(),
            vanishing: Vec::new(),
            straight: RefCell::default(),
        }
    }

    /// The same system with exact values in the place of some parameters.
    pub fn with_values(&self, values: &[(Ex<'g>, Ex<'g>)]) -> Self {
        let fixed = values.to_vec();
        Self {
            fixed,
            ..self.replaced(values)
        }
    }

    /// The same system without constants that vanish, see [`System::vanishing`].
    pub fn without(&self, vanishing: &[(Ex<'g>, Ex<'g>)]) -> Self {
        Self {
            vanishing: vanishing.to_vec(),
            ..self.replaced(vanishing)
        }
    }

    /// An expression of the model, as it stands in this system.
    pub fn standing(&self, x: Ex<'g>) -> Ex<'g> {
        let by = [&self.vanishing, &self.fixed].into_iter();
        by.filter(|by| !by.is_empty())
            .fold(x, |x, by| x.substitute(by))
    }

    fn replaced(&self, by: &[(Ex<'g>, Ex<'g>)]) -> Self {
        let scalar = |x: Ex<'g>| x.substitute(by);
        let matrix = |m: &Matrix<'g>| m.substitute(by);
        let active = self.active.iter().map(|force| ActiveForce {
            name: force.name.clone(),
            components: matrix(&force.components),
        });
        Self {
            lagrangian: scalar(self.lagrangian),
            momentum: matrix(&self.momentum),
            mass: matrix(&self.mass),
            mass_given: matrix(&self.mass_given),
            right: matrix(&self.right),
            force: matrix(&self.force),
            active: active.collect(),
            energy: scalar(self.energy),
            ..self.clone()
        }
    }

    /// The number n of coordinates.
    pub fn n(&self) -> usize {
        self.q.len()
    }

    /// `v` as a vector, n x 1.
    pub fn velocity(&self) -> Matrix<'g> {
        Matrix::column(self.graph, self.v.clone())
    }

    /// `d/dt` of a function of `(q, v, t)`, with the symbols `q''` for the accelerations.
    pub fn total_rate(&self, x: Ex<'g>) -> Ex<'g> {
        let one = self.graph.one();
        let rates = self.q.iter().zip(&self.v).chain(self.v.iter().zip(&self.a));
        let rates: Vec<_> = rates
            .map(|(s, rate)| (*s, *rate))
            .chain([(self.t, one)])
            .collect();
        x.rate(&rates)
    }

    /// `x_q v + x_t` of a function of `(q, .., t)`: the rate at frozen velocities.
    pub fn drift(&self, x: Ex<'g>) -> Ex<'g> {
        let rates = self.q.iter().zip(&self.v).map(|(q, v)| (*q, *v));
        let rates: Vec<_> = rates.chain([(self.t, self.graph.one())]).collect();
        x.rate(&rates)
    }

    /// `A = F - V_q` where the file gives a potential `V(q, t)`, else `F`: all active forces, n x 1.
    pub fn active_forces(&self) -> Matrix<'g> {
        match self.kinetic_of_positional_potential() {
            Some(kinetic) => {
                let by_q = gradient(self.graph, self.lagrangian - kinetic, &self.q);
                &self.force + &by_q
            }
            None => self.force.clone(),
        }
    }

    /// The velocities that Kane's method inspects, in components in N, by name: of each particle and
    /// mass centre, and `omega` of each body.
    pub fn inspected_velocities(&self) -> Vec<(String, Vector)> {
        let bodies = self.model.bodies.iter();
        let inspected = bodies.flat_map(|body| {
            let omega = body
                .rotation
                .as_ref()
                .map(|r| (format!("omega({})", body.name), r.omega));
            [Some((body.name.clone(), body.velocity)), omega]
        });
        inspected.flatten().collect()
    }

    /// `T` where the file gives it and a potential `V(q, t)`.
    pub fn kinetic_of_positional_potential(&self) -> Option<Ex<'g>> {
        let potential = self.graph.ex(self.model.potential?);
        let positional = !self.v.iter().any(|v| potential.depends_on(*v));
        let kinetic = self.graph.ex(self.model.kinetic?);
        positional.then_some(kinetic)
    }

    /// How `M`, and matrices that are definite exactly if it is, are to be solved with.
    pub fn solve_kind(&self) -> SolveKind {
        match self.metric {
            Metric::Definite => SolveKind::PositiveDefinite,
            Metric::DefiniteAtStart | Metric::Indefinite | Metric::Singular => SolveKind::Symmetric,
        }
    }
}

/// `dx/dsymbols`, n x 1.
pub(crate) fn gradient<'g>(graph: &'g Graph, x: Ex<'g>, symbols: &[Ex<'g>]) -> Matrix<'g> {
    Matrix::column(graph, x.partials(symbols))
}

/// `[forces]` component by component, and the forces and torques on particles and bodies.
fn active_forces<'g>(model: &'g Model, v: &[Ex<'g>]) -> Vec<ActiveForce<'g>> {
    let graph = &model.graph;
    let along = model.forces.iter().map(|(index, force)| ActiveForce {
        name: model.coordinates[*index].name.clone(),
        components: Matrix::from_fn(graph, v.len(), 1, |i, _| {
            if i == *index {
                graph.ex(*force)
            } else {
                graph.zero()
            }
        }),
    });
    let centre = [graph.zero().id(); 3];
    let of_bodies = model.bodies.iter().filter_map(|body| {
        let torque = body.rotation.as_ref().and_then(|rotation| rotation.torque);
        (body.force.is_some() || torque.is_some()).then(|| ActiveForce {
            name: body.name.clone(),
            components: bodies::generalised(body, centre, body.force, torque, v, graph),
        })
    });
    let loads = model.loads.iter().enumerate().map(|(index, load)| {
        let on = |body: usize, at: Vector| {
            let body = &model.bodies[body];
            bodies::generalised(body, at, load.force, load.torque, v, graph)
        };
        let name = |body: usize| &model.bodies[body].name;
        let on_body = on(load.body, load.at);
        match load.against {
            Some((other, at)) => ActiveForce {
                name: format!(
                    "load {} on {} against {}",
                    index + 1,
                    name(load.body),
                    name(other)
                ),
                components: &on_body - &on(other, at),
            },
            None => ActiveForce {
                name: format!("load {} on {}", index + 1, name(load.body)),
                components: on_body,
            },
        }
    });
    along.chain(of_bodies).chain(loads).collect()
}
