//! Equations for chains and trees of many bodies, in which each row has few entries.
//!
//! The equations are those of the multipliers, but accelerations of centres and angular accelerations are unknowns
//! of their own, `u = (q'', a_1, alpha_1, ..)`, each defined by those of its neighbour. Gauss' principle: `u`
//! makes `1/2 u.H u - u.f` least subject to the definitions `C u = c` and the rows `A u + B = 0`,
//! ```text
//! [H, -C^T, -A^T; -C, 0, 0; -A, 0, 0] (u; mu; lambda) = (f; -c; B)
//! ```
//! where `H` holds masses and inertias and `mu` are the forces that links exert on each other. The mass matrix in
//! coordinates alone would be full. Written out along its zeros, the elimination takes as many operations as there are
//! links: the recursion over articulated bodies [featherstone1983] is one order of it.
//!
//! Vectors are in components in N. A centre is that of another body and arms that turn with frames; what is not made of arms
//! is differentiated by the coordinates.

use super::Reduced;
mod rows;

use super::frames::{Angles, Prepare, frame_of, vector};
use super::scene::given_force;
use super::sheet::{Sheet, Vec3, combined, dot, is_null};
use crate::constraints::Constraints;
use crate::energy;
use crate::output;
use crate::system::System;
use appell_expr::{Ex, Matrix, Node, SolveKind};
use appell_model::{Frame, Rotation, Vector};
use rows::is_idle_as_read;
use std::collections::BTreeMap;

/// Centres that are so few arms apart are neighbours; else all bodies are looked at.
const NEAR: usize = 6;

/// The acceleration of one component: `Sum terms_k u_k + rest`.
#[derive(Clone)]
struct Rate<'g> {
    terms: BTreeMap<usize, Ex<'g>>,
    rest: Ex<'g>,
}

/// A vector with its rate.
#[derive(Clone)]
struct Moving<'g> {
    value: Vec3<'g>,
    rate: [Rate<'g>; 3],
}

/// A frame: its axes, and its angular velocity.
#[derive(Clone)]
struct Turning<'g> {
    axes: [Vec3<'g>; 3],
    omega: Moving<'g>,
}

/// An offset `Sum_F R_F c_F + rest`, with `c_F` in components in the frame F.
struct Offset<'g> {
    arms: Vec<(usize, Vec3<'g>)>,
    rest: Vec3<'g>,
}

struct Writer<'s, 'g> {
    system: &'s System<'g>,
    constraints: &'s Constraints<'g>,
    prepare: Prepare<'s, 'g>,
    sheet: Sheet<'g>,
    angles: Angles<'g>,
    /// The frames with angles of their own, the deepest first.
    leaves: Vec<(usize, Ex<'g>)>,
    frames: Vec<Turning<'g>>,
    /// The velocities of the centres, and what turns each body.
    centres: Vec<Moving<'g>>,
    spins: Vec<Option<Turning<'g>>>,
    /// The unknowns u, first q''.
    unknowns: Vec<Ex<'g>>,
    /// `u_k - Sum terms u - rest = 0` of each unknown behind q''.
    definitions: Vec<Rate<'g>>,
    inertia: BTreeMap<(usize, usize), Vec<Ex<'g>>>,
    right: BTreeMap<usize, Vec<Ex<'g>>>,
}

/// The equations, as [`super::reduced`] gives them.
pub(super) fn write<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Option<Reduced<'g>> {
    let prepare = |x: Ex<'g>| system.standing(x);
    let graph = system.graph;
    let angles = Angles::new(system);
    let mut writer = Writer {
        unknowns: (0..system.n()).map(|k| unknown(system, k)).collect(),
        system,
        constraints,
        prepare: &prepare,
        sheet: Sheet::new(graph, true),
        leaves: angles.deepest_first(system),
        angles,
        frames: Vec::new(),
        centres: Vec::new(),
        spins: Vec::new(),
        definitions: Vec::new(),
        inertia: BTreeMap::new(),
        right: BTreeMap::new(),
    };
    writer.turn_frames()?;
    writer.place_bodies();
    writer.add_bodies();
    writer.add_forces();
    let rows = writer.rows();
    Some(writer.solve(&rows))
}

fn unknown<'g>(system: &System<'g>, k: usize) -> Ex<'g> {
    system.graph.symbol(&format!("reduced rate[{}]", k + 1))
}

impl<'s, 'g> Writer<'s, 'g> {
    fn still(&self) -> Rate<'g> {
        Rate {
            terms: BTreeMap::new(),
            rest: self.system.graph.zero(),
        }
    }

    /// What does not move.
    fn fixed(&self) -> Moving<'g> {
        Moving {
            value: self.sheet.null(),
            rate: std::array::from_fn(|_| self.still()),
        }
    }

    /// `Sum_j factors_j rates_j + rest`
    fn total(&mut self, parts: &[(Ex<'g>, &Rate<'g>)], rest: &[Ex<'g>]) -> Rate<'g> {
        let graph = self.system.graph;
        let mut terms: BTreeMap<usize, Vec<Ex<'g>>> = BTreeMap::new();
        let mut rests = rest.to_vec();
        for (factor, rate) in parts.iter().filter(|(factor, _)| !factor.is_zero()) {
            for (k, x) in &rate.terms {
                terms.entry(*k).or_default().push(*factor * *x);
            }
            rests.push(*factor * rate.rest);
        }
        let terms = terms.into_iter();
        let terms = terms.map(|(k, all)| (k, self.sheet.keep(graph.sum(&all))));
        Rate {
            terms: terms.filter(|(_, term)| !term.is_zero()).collect(),
            rest: self.sheet.keep(graph.sum(&rests)),
        }
    }

    /// The rates of a vector that is a sum of `rates` and of `alpha x arm`.
    fn sum_of(
        &mut self,
        rates: &[[Rate<'g>; 3]],
        swept: &[([Rate<'g>; 3], Vec3<'g>)],
        rest: &[Vec3<'g>],
    ) -> [Rate<'g>; 3] {
        let one = self.system.graph.one();
        std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let whole = rates.iter().map(|rate| (one, &rate[i]));
            let swept = swept
                .iter()
                .flat_map(|(alpha, arm)| [(arm[k], &alpha[j]), (-arm[j], &alpha[k])]);
            let parts: Vec<(Ex<'g>, &Rate<'g>)> = whole.chain(swept).collect();
            let rest: Vec<Ex<'g>> = rest.iter().map(|x| x[i]).collect();
            self.total(&parts, &rest)
        })
    }

    /// The rate of a function of `(q, v, t)`: by the velocities that it speaks of, and at `q'' = 0`.
    fn rate_of(&mut self, x: Ex<'g>) -> Rate<'g> {
        let system = self.system;
        let symbols = x.symbols();
        let mut rate = self.still();
        for (k, v) in system.v.iter().enumerate() {
            if symbols.contains(v) {
                let slope = self.sheet.keep((self.prepare)(x.diff(*v)));
                rate.terms.insert(k, slope);
            }
        }
        rate.rest = self.sheet.keep((self.prepare)(system.drift(x)));
        rate
    }

    /// Makes rates that depend on several unknowns unknowns themselves.
    fn name(&mut self, rate: &mut [Rate<'g>; 3]) {
        for component in rate
            .iter_mut()
            .filter(|component| component.terms.len() > 1)
        {
            let k = self.unknowns.len();
            self.unknowns.push(unknown(self.system, k));
            let alias = Rate {
                terms: BTreeMap::from([(k, self.system.graph.one())]),
                ..self.still()
            };
            self.definitions.push(std::mem::replace(component, alias));
        }
    }

    fn turn_frames(&mut self) -> Option<()> {
        let frames = &self.system.model.frames;
        let carry = self.carrying();
        let mut known: Vec<Option<Turning<'g>>> = vec![None; frames.len()];
        for _ in 0..frames.len() {
            for (index, frame) in frames.iter().enumerate() {
                let parent = frame.hinge.and_then(|hinge| hinge.parent);
                if known[index].is_some() || parent.is_some_and(|p| known[p].is_none()) {
                    continue;
                }
                let parent = parent.and_then(|p| known[p].clone());
                let mut turning = self.turned(parent, frame);
                if carry[index] {
                    self.name(&mut turning.omega.rate);
                }
                known[index] = Some(turning);
            }
        }
        self.frames = known.into_iter().collect::<Option<Vec<_>>>()?;
        Some(())
    }

    /// Which frames carry bodies.
    fn carrying(&self) -> Vec<bool> {
        let model = self.system.model;
        let mut carry = vec![false; model.frames.len()];
        for rotation in model
            .bodies
            .iter()
            .filter_map(|body| body.rotation.as_ref())
        {
            if let Some(Some(frame)) = frame_of(&model.frames, self.system.graph, rotation) {
                carry[frame] = true;
            }
        }
        carry
    }

    /// A frame on a hinge: `omega = omega_p + rho`, `omega' = omega_p' + rho' + omega_p x rho`.
    fn turned(&mut self, parent: Option<Turning<'g>>, frame: &Frame) -> Turning<'g> {
        let graph = self.system.graph;
        let Some(hinge) = &frame.hinge else {
            return self.written(frame.axes, frame.omega);
        };
        let parent = parent.unwrap_or_else(|| self.inertial());
        let local = hinge.local.map(|column| {
            let column = vector(graph, column).map(self.prepare);
            self.sheet.keep_all(column)
        });
        let axes = local.map(|column| self.sheet.combine(column, &parent.axes));
        let raw = vector(graph, hinge.relative);
        let turn = self.sheet.combine(raw.map(self.prepare), &parent.axes);
        let gyration = self.sheet.cross(parent.omega.value, turn);
        let rates = raw.map(|x| self.rate_of(x));
        let along: [Rate<'g>; 3] = std::array::from_fn(|i| {
            let parts: Vec<_> = (0..3).map(|j| (parent.axes[j][i], &rates[j])).collect();
            self.total(&parts, &[gyration[i]])
        });
        Turning {
            axes,
            omega: Moving {
                value: self.sheet.sum(&[parent.omega.value, turn]),
                rate: self.sum_of(&[parent.omega.rate, along], &[], &[]),
            },
        }
    }

    fn inertial(&self) -> Turning<'g> {
        let graph = self.system.graph;
        let axis = |i: usize| [0, 1, 2].map(|j| graph.int(i64::from(i == j)));
        Turning {
            axes: [0, 1, 2].map(axis),
            omega: self.fixed(),
        }
    }

    /// Axes as they were read.
    fn written(&mut self, axes: [Vector; 3], omega: Vector) -> Turning<'g> {
        let graph = self.system.graph;
        let axes = axes.map(|axis| {
            let axis = vector(graph, axis).map(self.prepare);
            self.sheet.keep_all(axis)
        });
        Turning {
            axes,
            omega: self.moving(vector(graph, omega)),
        }
    }

    /// A vector as it was read, with its rate.
    fn moving(&mut self, x: Vec3<'g>) -> Moving<'g> {
        Moving {
            value: self.sheet.keep_all(x.map(self.prepare)),
            rate: x.map(|x| self.rate_of(x)),
        }
    }

    fn place_bodies(&mut self) {
        let (model, graph) = (self.system.model, self.system.graph);
        for (index, body) in model.bodies.iter().enumerate() {
            let spin = body.rotation.as_ref().map(|rotation| self.spin(rotation));
            let (base, offset) = self.neighbour(index);
            let base = base.map(|i| self.centres[i].clone());
            let base = base.unwrap_or_else(|| self.fixed());
            let mut centre = self.carried(&base, offset);
            if !graph.ex(body.mass).is_zero() {
                self.name(&mut centre.rate);
            }
            self.spins.push(spin);
            self.centres.push(centre);
        }
    }

    /// What turns a body.
    fn spin(&mut self, rotation: &Rotation) -> Turning<'g> {
        let graph = self.system.graph;
        match frame_of(&self.system.model.frames, graph, rotation) {
            Some(Some(frame)) => self.frames[frame].clone(),
            Some(None) => self.inertial(),
            None => {
                let mut turning = self.written(rotation.axes, rotation.omega);
                self.name(&mut turning.omega.rate);
                turning
            }
        }
    }

    /// The body before this one whose centre is nearest, none for the origin of N, and the way from there.
    fn neighbour(&self, index: usize) -> (Option<usize>, Vec3<'g>) {
        let (graph, bodies) = (self.system.graph, &self.system.model.bodies);
        let place = |of: usize| vector(graph, bodies[of].position);
        let position = place(index);
        let from = |other: Option<usize>| match other {
            Some(other) => difference(position, place(other)),
            None => position,
        };
        let arms = |x: Vec3<'g>| x.map(summands).iter().sum::<usize>();
        let mut best: Option<(usize, Option<usize>, Vec3<'g>)> = None;
        for other in [None].into_iter().chain((0..index).rev().map(Some)) {
            let way = from(other);
            let count = arms(way);
            if best.as_ref().is_none_or(|(least, ..)| count < *least) {
                best = Some((count, other, way));
            }
            if other.is_some() && best.as_ref().is_some_and(|(least, ..)| *least <= NEAR) {
                break;
            }
        }
        best.map_or((None, position), |(_, other, way)| (other, way))
    }

    /// The velocity of a point at an offset from another, and its rate:
    /// `omega x r + R c'` and `alpha x r + omega x (omega x r) + 2 omega x R c' + R c''` for each arm `r = R c`.
    fn carried(&mut self, base: &Moving<'g>, offset: Vec3<'g>) -> Moving<'g> {
        let Offset { arms, rest } = self.split(offset);
        let (mut values, mut rates) = (vec![base.value], vec![base.rate.clone()]);
        let (mut swept, mut rests) = (Vec::new(), Vec::new());
        for (frame, arm) in arms {
            let turning = self.frames[frame].clone();
            let omega = turning.omega.value;
            let r = self.sheet.combine(arm.map(self.prepare), &turning.axes);
            let slope = arm.map(|x| self.system.drift(x));
            let grown = self.sheet.combine(slope.map(self.prepare), &turning.axes);
            let turned = self.sheet.cross(omega, r);
            let twice = self.sheet.sum(&[turned, grown, grown]);
            values.extend([turned, grown]);
            rests.push(self.sheet.cross(omega, twice));
            swept.push((turning.omega.rate.clone(), r));
            if !is_null(&slope) {
                let slope_rate = slope.map(|x| self.rate_of(x));
                rates.push(self.along(&slope_rate, &turning.axes));
            }
        }
        if !is_null(&rest) {
            let moving = self.moving(rest.map(|x| self.system.drift(x)));
            values.push(moving.value);
            rates.push(moving.rate);
        }
        Moving {
            value: self.sheet.sum(&values),
            rate: self.sum_of(&rates, &swept, &rests),
        }
    }

    /// `Sum_j x_j axes_j` of rates.
    fn along(&mut self, x: &[Rate<'g>; 3], axes: &[Vec3<'g>; 3]) -> [Rate<'g>; 3] {
        std::array::from_fn(|i| {
            let parts: Vec<_> = (0..3).map(|j| (axes[j][i], &x[j])).collect();
            self.total(&parts, &[])
        })
    }

    /// An offset as arms, from the leaves to the root: what turns with an angle is `-d^2/dangle^2` of what no deeper
    /// frame turns. Each is subtracted, so that the sum is right whatever the offset is made of.
    fn split(&self, offset: Vec3<'g>) -> Offset<'g> {
        let graph = self.system.graph;
        let frames = &self.system.model.frames;
        let (mut rest, mut arms) = (offset, Vec::new());
        let mut symbols = graph.symbols_of(&rest);
        for (frame, q) in self.leaves.clone() {
            if !symbols.contains(&q) {
                continue;
            }
            let arm = self.angles.at_rest(rest.map(|x| -x.diff(q).diff(q)));
            let axes = frames[frame].axes.map(|axis| vector(graph, axis));
            let turned = combined(arm, &axes);
            let left: Vec3<'g> = std::array::from_fn(|i| rest[i] - turned[i]);
            if left.iter().any(|x| x.depends_on(q)) {
                continue;
            }
            arms.push((frame, arm));
            rest = left;
            symbols = graph.symbols_of(&rest);
        }
        Offset { arms, rest }
    }

    /// Masses and inertias with what acts on them: gravity, and forces of inertia at `u = 0`.
    fn add_bodies(&mut self) {
        let (model, graph) = (self.system.model, self.system.graph);
        let gravity = vector(graph, model.gravity).map(self.prepare);
        for (index, body) in model.bodies.iter().enumerate() {
            let mass = (self.prepare)(graph.ex(body.mass));
            let zero = graph.zero();
            let diagonal = |i: usize| [0, 1, 2].map(|j| if i == j { mass } else { zero });
            let fall = gravity.map(|x| mass * x);
            let rate = self.centres[index].rate.clone();
            self.add(&rate, [0, 1, 2].map(diagonal), fall);
            if let (Some(rotation), Some(spin)) = (&body.rotation, self.spins[index].clone()) {
                self.add_rotation(rotation, &spin);
            }
        }
    }

    /// Euler's equations along N: `R I R^T alpha = -omega x (R I R^T omega)`.
    fn add_rotation(&mut self, rotation: &Rotation, spin: &Turning<'g>) {
        let graph = self.system.graph;
        let local = rotation
            .inertia
            .map(|row| vector(graph, row).map(self.prepare));
        let along: [Vec3<'g>; 3] = local.map(|row| self.sheet.combine(row, &spin.axes));
        let is_round = (0..9).all(|k| match (k / 3, k % 3) {
            (i, j) if i == j => local[i][i] == local[0][0],
            (i, j) => local[i][j].is_zero(),
        });
        let entry = |i: usize, j: usize| match is_round {
            true if i == j => local[0][0],
            true => graph.zero(),
            false => graph.sum(&[0, 1, 2].map(|k: usize| spin.axes[k][i] * along[k][j])),
        };
        let mut inertia: [Vec3<'g>; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| entry(i.min(j), i.max(j))));
        inertia = inertia.map(|row| self.sheet.keep_all(row));
        let omega = spin.omega.value;
        let momentum = self.sheet.keep_all(inertia.map(|row| dot(row, omega)));
        let gyration = self.sheet.cross(omega, momentum);
        self.add(&spin.omega.rate, inertia, gyration.map(|x| -x));
    }

    /// Adds `inertia rate = force` along the rates.
    fn add(&mut self, rate: &[Rate<'g>; 3], inertia: [Vec3<'g>; 3], force: Vec3<'g>) {
        let graph = self.system.graph;
        let rest = [0, 1, 2].map(|i: usize| rate[i].rest);
        let force: Vec3<'g> = std::array::from_fn(|i| force[i] - dot(inertia[i], rest));
        self.push(rate, force);
        let mut parts: BTreeMap<usize, Vec3<'g>> = BTreeMap::new();
        for (i, component) in rate.iter().enumerate() {
            for (k, x) in &component.terms {
                parts.entry(*k).or_insert([graph.zero(); 3])[i] = *x;
            }
        }
        for (k, part) in &parts {
            let inertial = self.sheet.keep_all(inertia.map(|row| dot(row, *part)));
            for (j, other) in parts.range(..=k) {
                let entry = dot(*other, inertial);
                self.inertia.entry((*k, *j)).or_default().push(entry);
            }
        }
    }

    /// Adds a force along the rate of a vector.
    fn push(&mut self, rate: &[Rate<'g>; 3], force: Vec3<'g>) {
        let force = self.sheet.keep_all(force);
        for (i, component) in rate.iter().enumerate() {
            for (k, x) in &component.terms {
                self.right.entry(*k).or_default().push(*x * force[i]);
            }
        }
    }

    /// Active forces, and what `[energy]` gives.
    fn add_forces(&mut self) {
        let (system, graph) = (self.system, self.system.graph);
        let given = given_force(system).map(self.prepare);
        let along = system.model.forces.iter();
        let along: Vec<(usize, Ex<'g>)> = along
            .map(|(k, force)| (*k, (self.prepare)(graph.ex(*force))))
            .collect();
        for (k, force) in given.entries().iter().copied().enumerate().chain(along) {
            if !force.is_zero() {
                self.right.entry(k).or_default().push(force);
            }
        }
        let mass = system.mass_given.map(self.prepare);
        for i in 0..system.n() {
            for j in (0..=i).filter(|j| !mass[(i, *j)].is_zero()) {
                self.inertia.entry((i, j)).or_default().push(mass[(i, j)]);
            }
        }
        let at = [graph.zero().id(); 3];
        for (index, body) in system.model.bodies.iter().enumerate() {
            let torque = body.rotation.as_ref().and_then(|rotation| rotation.torque);
            self.load(index, at, body.force, torque, false);
        }
        for load in &system.model.loads {
            self.load(load.body, load.at, load.force, load.torque, false);
            if let Some((other, at)) = load.against {
                self.load(other, at, load.force, load.torque, true);
            }
        }
    }

    /// A force at an offset from the centre of a body, and a torque.
    fn load(
        &mut self,
        body: usize,
        at: Vector,
        force: Option<Vector>,
        torque: Option<Vector>,
        is_opposite: bool,
    ) {
        let graph = self.system.graph;
        let read = |x: Option<Vector>| match x {
            Some(x) if is_opposite => vector(graph, x).map(|x| -(self.prepare)(x)),
            Some(x) => vector(graph, x).map(self.prepare),
            None => [graph.zero(); 3],
        };
        let (force, torque) = (read(force), read(torque));
        let force = self.sheet.keep_all(force);
        let rate = self.centres[body].rate.clone();
        self.push(&rate, force);
        if let Some(spin) = self.spins[body].clone() {
            let arm = self.sheet.keep_all(vector(graph, at).map(self.prepare));
            let moment = self.sheet.cross(arm, force);
            let torque = self.sheet.sum(&[torque, moment]);
            self.push(&spin.omega.rate, torque);
        }
    }

    /// The matrix and the right side: u, then the forces that belong to definitions, then the multipliers of rows.
    fn entries(&self, rows: &[Rate<'g>]) -> (Matrix<'g>, Matrix<'g>) {
        let (n, graph) = (self.system.n(), self.system.graph);
        let (unknowns, defined) = (self.unknowns.len(), self.definitions.len());
        let size = unknowns + defined + rows.len();
        let mut entries = vec![graph.zero(); size * size];
        let mut right = vec![graph.zero(); size];
        for ((i, j), terms) in &self.inertia {
            let sum = graph.sum(terms);
            (entries[i * size + j], entries[j * size + i]) = (sum, sum);
        }
        for (i, terms) in &self.right {
            right[*i] = graph.sum(terms);
        }
        let mut border = |row: usize, j: usize, x: Ex<'g>| {
            (entries[row * size + j], entries[j * size + row]) = (x, x);
        };
        for (i, definition) in self.definitions.iter().enumerate() {
            border(unknowns + i, n + i, -graph.one());
            let terms = definition.terms.iter();
            terms.for_each(|(j, x)| border(unknowns + i, *j, *x));
            right[unknowns + i] = -definition.rest;
        }
        for (i, row) in rows.iter().enumerate() {
            let place = unknowns + defined + i;
            row.terms.iter().for_each(|(j, x)| border(place, *j, -*x));
            right[place] = row.rest;
        }
        let matrix = Matrix::from_fn(graph, size, size, |i, j| entries[i * size + j]);
        (matrix, Matrix::column(graph, right))
    }

    /// The whole system, and the results.
    fn solve(mut self, rows: &[Rate<'g>]) -> Reduced<'g> {
        let (system, graph) = (self.system, self.system.graph);
        let (unknowns, defined, k) = (self.unknowns.len(), self.definitions.len(), rows.len());
        let (matrix, right) = self.entries(rows);
        let symbols = |name: &str, count: usize| -> Vec<Ex<'g>> {
            let symbol = |i: usize| graph.symbol(&format!("reduced {name}[{}]", i + 1));
            (0..count).map(symbol).collect()
        };
        let lambda = symbols("lambda", k);
        let all = [
            self.unknowns.clone(),
            symbols("force", defined),
            lambda.clone(),
        ]
        .concat();
        let kind = match k {
            0 if defined == 0 => system.solve_kind(),
            0 => SolveKind::Symmetric,
            _ => SolveKind::OfRows {
                unique: unknowns + defined,
            },
        };
        self.sheet.sketch.solve_for(
            kind,
            "the equations of motion",
            &Matrix::column(graph, all),
            &matrix,
            &right,
        );
        self.finish(&lambda)
    }

    fn finish(self, lambda: &[Ex<'g>]) -> Reduced<'g> {
        let (system, graph) = (self.system, self.system.graph);
        let accel = Matrix::column(graph, self.unknowns[..system.n()].to_vec());
        let rows = self.constraints.active();
        let works = rows
            .zip(lambda)
            .map(|(row, multiplier)| match is_idle_as_read(system, row) {
                true => graph.zero(),
                false => *multiplier,
            });
        let lambda = Matrix::column(graph, works.collect());
        let rates = energy::work(system, self.constraints, &lambda);
        let mut sketch = self.sheet.sketch;
        let [rate, acceleration, work] = output::SHORT.map(|(_, short)| short);
        sketch.output(rate, system.velocity().above(&accel));
        sketch.output(acceleration, accel);
        sketch.output_list(work, &rates);
        Reduced {
            sketch,
            free: (0..system.n()).collect(),
        }
    }
}

/// The difference of two vectors, whichever way it is shorter: in the algebra long sums stay whole within others.
fn difference<'g>(x: Vec3<'g>, y: Vec3<'g>) -> Vec3<'g> {
    std::array::from_fn(|i| {
        let whole = x[i] - y[i];
        let [one, other] = [terms(x[i]), terms(y[i])];
        let other = other.into_iter().map(|x| -x);
        let all: Vec<Ex<'g>> = one.into_iter().chain(other).collect();
        let apart = x[i].graph().sum(&all);
        match summands(apart) < summands(whole) {
            true => apart,
            false => whole,
        }
    })
}

/// The terms of a sum.
fn terms(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
    match x.node() {
        Node::Sum(constant, terms) => {
            let terms = terms.iter();
            let terms = terms.map(|(id, factor)| graph.number(factor.clone()) * graph.ex(*id));
            terms.chain([graph.number(constant)]).collect()
        }
        _ => vec![x],
    }
}

/// How many terms a sum has.
fn summands(x: Ex<'_>) -> usize {
    match x.node() {
        Node::Sum(_, terms) => terms.len(),
        _ => usize::from(!x.is_zero()),
    }
}
