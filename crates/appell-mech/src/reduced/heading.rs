//! Motions that do not depend on the heading: all vectors may be written at heading 0 and turned in the end.

use super::frames::vector;
use super::scene::{Scene, Source, given_force, same_coordinates};
use super::sheet::{Sheet, Vec3, combined};
use crate::constraints::Constraints;
use crate::system::System;
use appell_expr::{Ex, Graph, vanishes};
use appell_model::Hinge;

/// An angle about an axis of N that all frames turn with, and that nothing else speaks of.
pub(super) struct Heading<'g> {
    angle: Ex<'g>,
    /// Its frame's axes, in components in N.
    local: [Vec3<'g>; 3],
    /// The axis of N, and the two others.
    axis: usize,
    /// The coordinates along the two others; none where no body moves along them by a coordinate.
    pair: Option<[usize; 2]>,
    graph: &'g Graph,
}

impl<'g> Heading<'g> {
    /// The heading of a model, if everything that is assembled is the same, turned, for every heading.
    pub fn find(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        scene: &Scene<'g>,
    ) -> Option<Self> {
        let graph = system.graph;
        let root = root(system)?;
        let hinge = system.model.frames[root].hinge?;
        let (angle, along) = scene.angles.of(root)?;
        let axis = (0..3).find(|i| along[*i].as_rational().is_some_and(|x| !x.is_zero()))?;
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        let upright = others.iter().all(|i| along[*i].is_zero());
        let bases = scene.bases()?;
        let beside = bases.iter().map(|base| others.map(|i| base[i]));
        let pair = same_coordinates(system, beside)?;
        let heading = Self {
            angle,
            local: hinge.local.map(|column| vector(graph, column)),
            axis,
            pair,
            graph,
        };
        let fits = upright
            && heading.fits_frames(system, root)
            && heading.fits_forces(system)
            && bases
                .iter()
                .all(|base| heading.is_free(system, &[base[axis]]))
            && heading.fits_rows(system, constraints, scene);
        fits.then_some(heading)
    }

    /// What the angle is replaced by.
    pub fn at_zero(&self) -> (Ex<'g>, Ex<'g>) {
        (self.angle, self.graph.zero())
    }

    /// Turns accelerations to the heading.
    pub fn turn(&self, sheet: &mut Sheet<'g>, accel: &mut [Ex<'g>]) {
        let Some(pair) = self.pair else { return };
        let mut components = sheet.null();
        for (k, i) in pair.iter().zip(self.others()) {
            components[i] = sheet.keep(accel[*k]);
        }
        let turned = combined(components, &self.local);
        for (k, i) in pair.iter().zip(self.others()) {
            accel[*k] = turned[i];
        }
    }

    fn others(&self) -> [usize; 2] {
        [(self.axis + 1) % 3, (self.axis + 2) % 3]
    }

    /// Whether expressions speak neither of the heading nor of the places along the two axes, nor of their rates.
    fn is_free(&self, system: &System<'g>, xs: &[Ex<'g>]) -> bool {
        let symbols = self.graph.symbols_of(xs);
        let pair = self.pair.iter().flatten();
        let mut banned = pair
            .flat_map(|k| [system.q[*k], system.v[*k]])
            .chain([self.angle]);
        !banned.any(|symbol| symbols.contains(&symbol))
    }

    /// Whether no frame but the root speaks of the heading.
    fn fits_frames(&self, system: &System<'g>, root: usize) -> bool {
        let exs = |hinge: &Hinge, local: bool| {
            let columns = hinge.local.iter().flatten().filter(|_| local);
            let all = columns.chain(&hinge.relative).map(|x| self.graph.ex(*x));
            all.collect::<Vec<_>>()
        };
        let frames = system.model.frames.iter().enumerate();
        frames
            .filter_map(|(index, frame)| Some((index, frame.hinge?)))
            .all(|(index, hinge)| self.is_free(system, &exs(&hinge, index != root)))
    }

    /// Whether gravity acts along the axis, and forces and given energies leave the heading alone.
    fn fits_forces(&self, system: &System<'g>) -> bool {
        let gravity = vector(self.graph, system.model.gravity);
        let force = &system.force + &given_force(system);
        let pair = || self.pair.iter().flatten();
        let bodies = system.model.bodies.iter();
        let constants = bodies.flat_map(|body| {
            let inertia = body
                .rotation
                .iter()
                .flat_map(|rotation| rotation.inertia.as_flattened());
            [body.mass].into_iter().chain(inertia.copied())
        });
        let constants: Vec<Ex<'g>> = constants.map(|x| self.graph.ex(x)).collect();
        self.others().iter().all(|i| gravity[*i].is_zero())
            && self.is_free(system, &gravity)
            && self.is_free(system, &constants)
            && self.is_free(system, force.entries())
            && pair().all(|k| force[(*k, 0)].is_zero())
            && self.is_free(system, system.mass_given.entries())
            && pair().all(|k| (0..system.n()).all(|i| system.mass_given[(i, *k)].is_zero()))
    }

    /// Whether rows are whole contacts, turned with the heading, or do not speak of it.
    fn fits_rows(
        &self,
        system: &System<'g>,
        constraints: &Constraints<'g>,
        scene: &Scene<'g>,
    ) -> bool {
        let active = constraints.active();
        let mut rows = active.zip(&scene.rows).zip(&scene.idle);
        rows.all(|((row, source), idle)| match source {
            _ if !idle => false,
            Source::Contact { body, offset, axis } => {
                let whole = |other: usize| scene.has_contact(*body, offset, other);
                let complete = *axis == self.axis || self.others().into_iter().all(whole);
                complete && self.turns(*offset)
            }
            Source::Other => {
                let entries: Vec<Ex<'g>> = row.a.iter().copied().chain([row.b]).collect();
                let still = |k: &usize| row.a[*k].is_zero();
                self.is_free(system, &entries) && self.pair.iter().flatten().all(still)
            }
        })
    }

    /// Whether a vector is that at heading 0, turned.
    fn turns(&self, x: Vec3<'g>) -> bool {
        let at_zero = x.map(|x| x.substitute(&[self.at_zero()]));
        let turned = combined(at_zero, &self.local);
        (0..3).all(|i| vanishes(x[i] - turned[i]))
    }
}

/// The frame that all others turn with.
fn root(system: &System<'_>) -> Option<usize> {
    let frames = &system.model.frames;
    let mut roots =
        (0..frames.len()).filter(|i| frames[*i].hinge.is_none_or(|hinge| hinge.parent.is_none()));
    match (roots.next(), roots.next()) {
        (Some(root), None) => Some(root),
        _ => None,
    }
}
