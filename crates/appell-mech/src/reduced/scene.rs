//! What is reduced, as it was read: arms, contacts, rows that do no work.

use super::frames::{Angles, Arms, frame_of, vector};
use super::sheet::Vec3;
use crate::constraints::{ConstraintRow, Constraints};
use crate::distribution::is_affine;
use crate::system::{System, gradient};
use appell_expr::{Ex, Matrix, vanishes};
use appell_model::{Level, MaterialPoint};

/// How vectors are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As turning arms, step by step.
    Arms,
    /// By the formulas of the file, which the algebra sees through: shorter where much of them cancels.
    Formulas,
    /// With accelerations of bodies as unknowns of their own: shorter where many bodies hang on each other.
    Chains,
}

impl Style {
    /// All of them.
    pub const ALL: [Style; 3] = [Style::Arms, Style::Chains, Style::Formulas];
}

/// What a model's vectors are made of, as it was read.
pub(super) struct Scene<'g> {
    pub angles: Angles<'g>,
    /// The centres of the bodies; none where a centre is not made of arms that are constant in frames.
    pub centres: Vec<Option<Arms<'g>>>,
    /// Of each active row.
    pub rows: Vec<Source<'g>>,
    /// Whether the reaction of each active row does no work.
    pub idle: Vec<bool>,
}

/// What an active row is about.
pub(super) enum Source<'g> {
    /// A component in N of the velocity of matter of a body, at an offset from its centre, vanishes.
    Contact {
        body: usize,
        offset: Vec3<'g>,
        axis: usize,
    },
    Other,
}

impl<'g> Scene<'g> {
    pub fn new(system: &System<'g>, constraints: &Constraints<'g>, style: Style) -> Self {
        let angles = Angles::new(system);
        let bodies = system.model.bodies.iter();
        let active = constraints.active();
        let idle = active.clone().map(|row| is_idle(system, row)).collect();
        let (centres, rows) = match style {
            Style::Arms => (
                bodies
                    .map(|body| angles.arms(system, vector(system.graph, body.position)))
                    .collect(),
                active.map(|row| source(system, row)).collect(),
            ),
            Style::Formulas | Style::Chains => (
                bodies.map(|_| None).collect(),
                active.map(|_| Source::Other).collect(),
            ),
        };
        Self {
            angles,
            centres,
            rows,
            idle,
        }
    }

    /// What the centres have besides turning arms; `None` where one is not made of arms.
    pub fn bases(&self) -> Option<Vec<Vec3<'g>>> {
        let centres = self.centres.iter().map(Option::as_ref);
        centres.map(|arms| Some(arms?.base)).collect()
    }

    /// Whether the components of a contact along all axes of N are rows.
    pub fn is_whole(&self, source: &Source<'g>) -> bool {
        let Source::Contact { body, offset, .. } = source else {
            return false;
        };
        (0..3).all(|wanted| self.has_contact(*body, offset, wanted))
    }

    /// Whether the component of a contact along an axis of N is a row.
    pub fn has_contact(&self, body: usize, offset: &Vec3<'g>, axis: usize) -> bool {
        self.rows.iter().any(|row| {
            matches!(row, Source::Contact { body: b, offset: o, axis: a }
                if (*b, o, *a) == (body, offset, axis))
        })
    }
}

/// The coordinates that are these components of all bases, or inner none where they are constants; outer none where
/// they are anything else.
pub(super) fn same_coordinates<'g, const N: usize>(
    system: &System<'g>,
    bases: impl Iterator<Item = [Ex<'g>; N]>,
) -> Option<Option<[usize; N]>> {
    let mut found: Option<[usize; N]> = None;
    let moves = |x: &Ex<'g>| {
        let symbols = x.symbols();
        let mut variables = system.q.iter().chain([&system.t]);
        variables.any(|symbol| symbols.contains(symbol))
    };
    for base in bases.filter(|base| base.iter().any(moves)) {
        let places = base.map(|x| system.q.iter().position(|q| *q == x));
        let indices: Vec<usize> = places.into_iter().collect::<Option<_>>()?;
        let coordinates: [usize; N] = indices.try_into().ok()?;
        if found.is_some_and(|found| found != coordinates) {
            return None;
        }
        found = Some(coordinates);
    }
    Some(found)
}

/// What a row is about.
fn source<'g>(system: &System<'g>, row: &ConstraintRow<'g>) -> Source<'g> {
    let graph = system.graph;
    let points = || system.model.material_points.iter();
    let of = |point: &MaterialPoint| {
        let axis = (0..3).find(|i| point.velocity_symbols[*i] == row.inspected.id())?;
        let body = &system.model.bodies[point.body];
        let offset =
            [0, 1, 2].map(|i: usize| graph.ex(point.position[i]) - graph.ex(body.position[i]));
        let turns = body.rotation.as_ref();
        let held = offset.iter().all(|x| x.is_zero())
            || turns
                .is_some_and(|rotation| frame_of(&system.model.frames, graph, rotation).is_some());
        held.then_some(Source::Contact {
            body: point.body,
            offset,
            axis,
        })
    };
    match row.level {
        Level::Velocity => points().find_map(of).unwrap_or(Source::Other),
        Level::Position | Level::Acceleration => Source::Other,
    }
}

/// Whether the reaction of a row does no work where the row holds: `A v = c phi`, as of what is homogeneous in `v`.
pub(super) fn is_idle<'g>(system: &System<'g>, row: &ConstraintRow<'g>) -> bool {
    let Some(phi) = row.phi else {
        return false;
    };
    is_linear_form(system, phi) || {
        let terms = row.a.iter().zip(&system.v).map(|(a, v)| *a * *v);
        let power = system.graph.sum(&terms.collect::<Vec<_>>());
        (1..=2).any(|degree| vanishes(power - degree * phi))
    }
}

/// Whether an expression is seen to be linear in the velocities without a rest: it is affine, and vanishes at rest.
fn is_linear_form<'g>(system: &System<'g>, phi: Ex<'g>) -> bool {
    let zero = system.graph.zero();
    let at_rest: Vec<(Ex<'g>, Ex<'g>)> = system.v.iter().map(|v| (*v, zero)).collect();
    is_affine(system, phi) && phi.substitute(&at_rest).is_zero()
}

/// `L_q - L_vq v - L_vt` of what `[energy]` gives.
pub(super) fn given_force<'g>(system: &System<'g>) -> Matrix<'g> {
    let given = system.graph.ex(system.model.lagrangian_given);
    let momentum = gradient(system.graph, given, &system.v);
    &gradient(system.graph, given, &system.q) - &momentum.map(|x| system.drift(x))
}
