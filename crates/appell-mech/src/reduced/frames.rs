//! How frames turn, each from its parent: vectors with few terms.

use super::sheet::{Sheet, Vec3, is_null};
use crate::system::System;
use appell_expr::{Ex, Graph, Id, vanishes};
use appell_model::{Frame, Hinge, Rotation, Vector};
use std::cmp::Reverse;

/// What is done to expressions of the model before they are used: exact values, a heading of 0.
pub(super) type Prepare<'a, 'g> = &'a dyn Fn(Ex<'g>) -> Ex<'g>;

/// A frame: vectors in components in the basis, then the same in its own.
#[derive(Clone)]
pub(super) struct Turning<'g> {
    pub axes: [Vec3<'g>; 3],
    pub omega: Vec3<'g>,
    /// The rate of `omega` at `q'' = 0`.
    pub bias: Vec3<'g>,
    /// `d omega/dv_k`, n.
    pub parts: Vec<Vec3<'g>>,
    pub spin: Vec3<'g>,
    pub own_bias: Vec3<'g>,
    pub own_parts: Vec<Vec3<'g>>,
}

/// The frames of a model.
pub(super) struct Frames<'g> {
    frames: Vec<Turning<'g>>,
    inertial: Turning<'g>,
}

pub(super) fn vector(graph: &Graph, vector: Vector) -> Vec3<'_> {
    vector.map(|x| graph.ex(x))
}

/// `d x/dv_k` of each velocity.
pub(super) fn by_velocities<'g>(
    system: &System<'g>,
    x: Vec3<'g>,
    prepare: Prepare<'_, 'g>,
) -> Vec<Vec3<'g>> {
    let partials = x.map(|x| x.partials(&system.v));
    let part = |k: usize| [0, 1, 2].map(|i: usize| prepare(partials[i][k]));
    (0..system.n()).map(part).collect()
}

impl<'g> Frames<'g> {
    /// In components in the axes of the frame `basis`, or of N. `None` if a frame is its own ancestor, which no model that
    /// was read has.
    pub fn new(
        system: &System<'g>,
        sheet: &mut Sheet<'g>,
        prepare: Prepare<'_, 'g>,
        frames: &[Frame],
        basis: Option<usize>,
    ) -> Option<Self> {
        let (graph, n) = (system.graph, system.n());
        let (zero, one) = (graph.zero(), graph.one());
        let null = sheet.null();
        let axis = |i: usize| [0, 1, 2].map(|j| if i == j { one } else { zero });
        let mut axes = [0, 1, 2].map(axis);
        // From the basis to N.
        let mut below: Vec<(usize, [Vec3<'g>; 3])> = Vec::new();
        let mut frame = basis;
        while let Some(current) = frame.filter(|_| below.len() < frames.len()) {
            let hinge = frames.get(current)?.hinge?;
            let local = hinge.local.map(|column| vector(graph, column).map(prepare));
            below.push((current, axes));
            let rows = [0, 1, 2].map(|j: usize| [0, 1, 2].map(|i: usize| local[i][j]));
            axes = rows.map(|row| sheet.combine(row, &axes));
            frame = hinge.parent;
        }
        let inertial = Turning {
            axes,
            omega: null,
            bias: null,
            parts: vec![null; n],
            spin: null,
            own_bias: null,
            own_parts: vec![null; n],
        };
        let mut known: Vec<Option<Turning<'g>>> = vec![None; frames.len()];
        for _ in 0..frames.len() {
            for (index, frame) in frames.iter().enumerate() {
                let parent = match frame.hinge.and_then(|hinge| hinge.parent) {
                    Some(parent) => known[parent].clone(),
                    None => Some(inertial.clone()),
                };
                let Some(parent) = parent.filter(|_| known[index].is_none()) else {
                    continue;
                };
                let axes = below.iter().find(|(f, _)| *f == index);
                known[index] = Some(match &frame.hinge {
                    Some(hinge) => {
                        let axes = axes.map(|(_, axes)| *axes);
                        hinged(system, sheet, prepare, (&parent, axes), hinge)
                    }
                    None => free(system, sheet, prepare, &inertial, frame),
                });
            }
        }
        let frames = known.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Self { frames, inertial })
    }

    /// A vector in components in N, in those in the basis.
    pub fn in_basis(&self, sheet: &mut Sheet<'g>, x: Vec3<'g>) -> Vec3<'g> {
        sheet.combine(x, &self.inertial.axes)
    }

    /// A vector in components in the basis, in those in N.
    pub fn in_inertial(&self, sheet: &mut Sheet<'g>, x: Vec3<'g>) -> Vec3<'g> {
        sheet.along(x, &self.inertial.axes)
    }

    /// The frame of this index, none for N.
    pub fn at(&self, frame: Option<usize>) -> &Turning<'g> {
        frame.map_or(&self.inertial, |frame| &self.frames[frame])
    }
}

/// A frame on a hinge: `omega = omega_p + rho`, `omega' = omega_p' + rho' + omega_p x rho`, and in its own axes,
/// where `rho` has the same components, `s = R^T s_p + rho`, `s' = R^T s_p' + rho' + (R^T s_p) x rho`. Its axes may be known.
fn hinged<'g>(
    system: &System<'g>,
    sheet: &mut Sheet<'g>,
    prepare: Prepare<'_, 'g>,
    (parent, axes): (&Turning<'g>, Option<[Vec3<'g>; 3]>),
    hinge: &Hinge,
) -> Turning<'g> {
    let graph = system.graph;
    let raw = vector(graph, hinge.relative);
    let relative = raw.map(prepare);
    let rate = raw.map(|x| prepare(system.drift(x)));
    let slopes = by_velocities(system, raw, prepare);
    // The entries of turns about slanting axes are sums.
    let local = hinge
        .local
        .map(|column| sheet.keep_all(vector(graph, column).map(prepare)));

    let axes = axes.unwrap_or_else(|| local.map(|column| sheet.combine(column, &parent.axes)));
    let turn = sheet.combine(relative, &parent.axes);
    let turn_rate = sheet.combine(rate, &parent.axes);
    let omega = sheet.sum(&[parent.omega, turn]);
    let gyration = sheet.cross(parent.omega, turn);
    let bias = sheet.sum(&[parent.bias, turn_rate, gyration]);

    let carried = sheet.along(parent.spin, &local);
    let spin = sheet.sum(&[carried, relative]);
    let carried_bias = sheet.along(parent.own_bias, &local);
    let gyration = sheet.cross(carried, relative);
    let own_bias = sheet.sum(&[carried_bias, rate, gyration]);

    let mut parts = Vec::with_capacity(slopes.len());
    let mut own_parts = Vec::with_capacity(slopes.len());
    for (k, slope) in slopes.iter().enumerate() {
        let part = sheet.combine(*slope, &parent.axes);
        parts.push(sheet.sum(&[parent.parts[k], part]));
        let carried = sheet.along(parent.own_parts[k], &local);
        own_parts.push(sheet.sum(&[carried, *slope]));
    }
    Turning {
        axes,
        omega,
        bias,
        parts,
        spin,
        own_bias,
        own_parts,
    }
}

/// A frame by a quaternion.
fn free<'g>(
    system: &System<'g>,
    sheet: &mut Sheet<'g>,
    prepare: Prepare<'_, 'g>,
    inertial: &Turning<'g>,
    frame: &Frame,
) -> Turning<'g> {
    let graph = system.graph;
    let raw = vector(graph, frame.omega);
    let mut turned = |x: Vec3<'g>| sheet.combine(x, &inertial.axes);
    let axes = frame
        .axes
        .map(|axis| turned(vector(graph, axis).map(prepare)));
    let omega = turned(raw.map(prepare));
    let bias = turned(raw.map(|x| prepare(system.drift(x))));
    let parts = by_velocities(system, raw, prepare);
    let parts: Vec<Vec3<'g>> = parts.into_iter().map(turned).collect();
    Turning {
        spin: sheet.along(omega, &axes),
        own_bias: sheet.along(bias, &axes),
        own_parts: parts.iter().map(|x| sheet.along(*x, &axes)).collect(),
        axes,
        omega,
        bias,
        parts,
    }
}

/// The frame that a body is fixed in, inner none for N; none if there is no such frame.
pub(super) fn frame_of(
    frames: &[Frame],
    graph: &Graph,
    rotation: &Rotation,
) -> Option<Option<usize>> {
    let found = frames
        .iter()
        .position(|frame| frame.axes == rotation.axes && frame.omega == rotation.omega);
    let rests = || rotation.omega.iter().all(|x| graph.ex(*x).is_zero());
    found.map(Some).or_else(|| rests().then_some(None))
}

/// The spin of a body, its rate at `q'' = 0` and its parts, in axes in which the inertia is constant though they
/// take no part in turns about an axis of symmetry; then the angular velocity of these axes.
pub(super) struct Spin<'g> {
    pub spin: Vec3<'g>,
    pub bias: Vec3<'g>,
    pub parts: Vec<Vec3<'g>>,
    pub turning: Vec3<'g>,
}

pub(super) fn spin<'g>(
    system: &System<'g>,
    sheet: &mut Sheet<'g>,
    prepare: Prepare<'_, 'g>,
    frames: &Frames<'g>,
    (mut frame, inertia): (Option<usize>, [Vec3<'g>; 3]),
) -> Spin<'g> {
    let graph = system.graph;
    let mut relative = sheet.null();
    let hinge = |frame: Option<usize>| system.model.frames[frame?].hinge;
    while let Some(joint) = hinge(frame).filter(|hinge| keeps(graph, hinge, &inertia)) {
        let local = joint.local.map(|column| vector(graph, column));
        let lowered = super::sheet::combined(relative, &local);
        let turn = vector(graph, joint.relative);
        relative = [0, 1, 2].map(|i: usize| lowered[i] + turn[i]);
        frame = joint.parent;
    }
    let turning = frames.at(frame);
    let rate = relative.map(|x| prepare(system.drift(x)));
    let slopes = by_velocities(system, relative, prepare);
    let parts = turning.own_parts.iter().zip(slopes);
    Spin {
        spin: sheet.sum(&[turning.spin, relative.map(prepare)]),
        bias: sheet.sum(&[turning.own_bias, rate]),
        parts: parts
            .map(|(part, slope)| sheet.sum(&[*part, slope]))
            .collect(),
        turning: turning.spin,
    }
}

/// Whether a symmetric matrix has the same entries in the parent's axes: `R I = I R`.
fn keeps<'g>(graph: &'g Graph, hinge: &Hinge, matrix: &[Vec3<'g>; 3]) -> bool {
    let local = hinge.local.map(|column| vector(graph, column));
    let entry = |i: usize, j: usize| {
        let terms: Vec<Ex<'g>> = (0..3)
            .map(|k| local[k][i] * matrix[k][j] - matrix[i][k] * local[j][k])
            .collect();
        graph.sum(&terms)
    };
    (0..9).all(|k| vanishes(entry(k / 3, k % 3)))
}

/// Offsets that are constant in frames: a position is `base + Sum_F R_F c_F`.
pub(super) struct Arms<'g> {
    pub base: Vec3<'g>,
    pub arms: Vec<(usize, Vec3<'g>)>,
}

/// The angle of each frame that is turned by a coordinate of its own, with its axis.
pub(super) struct Angles<'g> {
    angles: Vec<Option<(Ex<'g>, Vec3<'g>)>>,
    /// All angles at 0.
    at_zero: Vec<(Ex<'g>, Ex<'g>)>,
}

impl<'g> Angles<'g> {
    pub fn new(system: &System<'g>) -> Self {
        let graph = system.graph;
        let angle = |frame: &Frame| {
            let hinge = frame.hinge?;
            let entries = hinge.local.iter().flatten().map(|x| graph.ex(*x));
            let symbols = graph.symbols_of(&entries.collect::<Vec<_>>());
            let mut coordinates = (0..system.n()).filter(|k| symbols.contains(&system.q[*k]));
            let (k, None) = (coordinates.next()?, coordinates.next()) else {
                return None;
            };
            let at_zero = [(system.q[k], graph.zero())];
            let is_unit = (0..9).all(|e| {
                let entry = graph.ex(hinge.local[e / 3][e % 3]).substitute(&at_zero);
                vanishes(entry - graph.int(i64::from(e / 3 == e % 3)))
            });
            let axis = vector(graph, hinge.relative).map(|x| x.diff(system.v[k]));
            (is_unit && !symbols.contains(&system.t)).then_some((system.q[k], axis))
        };
        let mut angles: Vec<Option<(Ex<'g>, Vec3<'g>)>> =
            system.model.frames.iter().map(angle).collect();
        let all: Vec<Id> = angles.iter().flatten().map(|(q, _)| q.id()).collect();
        for slot in &mut angles {
            *slot = slot.filter(|(q, _)| all.iter().filter(|id| **id == q.id()).count() == 1);
        }
        let zero = graph.zero();
        let at_zero = angles.iter().flatten().map(|(q, _)| (*q, zero)).collect();
        Self { angles, at_zero }
    }

    /// The angle of a frame.
    pub fn of(&self, frame: usize) -> Option<(Ex<'g>, Vec3<'g>)> {
        self.angles[frame]
    }

    /// The frames with angles of their own, those with the most ancestors first.
    pub fn deepest_first(&self, system: &System<'g>) -> Vec<(usize, Ex<'g>)> {
        let frames = &system.model.frames;
        let parent = |f: &usize| frames[*f].hinge.and_then(|hinge| hinge.parent);
        let depth = |f: usize| {
            std::iter::successors(Some(f), parent)
                .take(frames.len())
                .count()
        };
        let with_angle = (0..frames.len()).filter_map(|f| Some((f, self.angles[f]?.0)));
        let mut sorted: Vec<(usize, Ex<'g>)> = with_angle.collect();
        sorted.sort_unstable_by_key(|(f, _)| (Reverse(depth(*f)), *f));
        sorted
    }

    /// A vector with all angles at 0.
    pub fn at_rest(&self, x: Vec3<'g>) -> Vec3<'g> {
        x.map(|x| x.substitute(&self.at_zero))
    }

    /// Finds the arms of a vector, from the leaves to the root: what turns with an angle is `-d^2/dangle^2`. `None`
    /// if the vector is not made so.
    pub fn arms(&self, system: &System<'g>, position: Vec3<'g>) -> Option<Arms<'g>> {
        let graph = system.graph;
        let frames = &system.model.frames;
        let depth = |frame: usize| {
            let parent = |f: &usize| frames[*f].hinge.and_then(|hinge| hinge.parent);
            std::iter::successors(Some(frame), parent)
                .take(frames.len())
                .count()
        };
        let symbols = graph.symbols_of(&position);
        let mut involved: Vec<usize> = (0..frames.len())
            .filter(|f| self.angles[*f].is_some_and(|(q, _)| symbols.contains(&q)))
            .collect();
        involved.sort_unstable_by_key(|f| (Reverse(depth(*f)), *f));
        let is_above = |above: usize, frame: usize| {
            let parent = |f: &usize| frames[*f].hinge.and_then(|hinge| hinge.parent);
            std::iter::successors(Some(frame), parent)
                .take(frames.len())
                .any(|f| f == above)
        };
        let mut arms: Vec<(usize, Vec3<'g>)> = Vec::new();
        for frame in involved {
            let (q, axis) = self.angles[frame]?;
            let bent = position.map(|x| -x.diff(q).diff(q).substitute(&self.at_zero));
            let mut arm = bent;
            for (other, deeper) in arms.iter().filter(|(other, _)| is_above(frame, *other)) {
                debug_assert_ne!(*other, frame);
                let along = super::sheet::dot(axis, *deeper);
                arm = [0, 1, 2].map(|i: usize| arm[i] - (deeper[i] - along * axis[i]));
            }
            let arm = arm.map(|x| plain(system, x));
            if !is_null(&arm) {
                arms.push((frame, arm));
            }
        }
        let turned = |of: &dyn Fn(usize, Vec3<'g>) -> Vec3<'g>| {
            arms.iter().fold([graph.zero(); 3], |sum, (frame, arm)| {
                let term = of(*frame, *arm);
                [0, 1, 2].map(|i: usize| sum[i] + term[i])
            })
        };
        let at_zero = position.map(|x| x.substitute(&self.at_zero));
        let straight = turned(&|_, arm| arm);
        let base = [0, 1, 2].map(|i: usize| plain(system, at_zero[i] - straight[i]));
        let whole = turned(&|frame, arm| {
            let axes = frames[frame].axes.map(|axis| vector(graph, axis));
            super::sheet::combined(arm, &axes)
        });
        let same = (0..3).all(|i| vanishes(position[i] - base[i] - whole[i]));
        let variables: Vec<Ex<'g>> = system.q.iter().chain([&system.t]).copied().collect();
        let constant = |x: &Ex<'g>| !variables.iter().any(|s| x.depends_on(*s));
        let fixed = arms.iter().all(|(_, arm)| arm.iter().all(constant));
        (same && fixed).then_some(Arms { base, arms })
    }
}

/// An expression that is a coordinate or 0, as such.
fn plain<'g>(system: &System<'g>, x: Ex<'g>) -> Ex<'g> {
    let symbols = x.symbols();
    let coordinate = system.q.iter().find(|q| symbols.contains(q));
    let candidate = coordinate.copied().unwrap_or(system.graph.zero());
    match x.as_rational().is_none() && vanishes(x - candidate) {
        true => candidate,
        false => x,
    }
}

/// A point: its velocity by each velocity, and its acceleration at `q'' = 0`, in components in the basis.
#[derive(Clone)]
pub(super) struct Point<'g> {
    /// What its velocity has besides turning arms, n.
    base: Vec<Vec3<'g>>,
    /// Vectors that turn with frames; none for N.
    arms: Vec<(Option<usize>, Vec3<'g>)>,
    pub bias: Vec3<'g>,
}

impl<'g> Point<'g> {
    /// The point at `base + Sum R_F c_F`.
    pub fn on_arms(
        system: &System<'g>,
        sheet: &mut Sheet<'g>,
        prepare: Prepare<'_, 'g>,
        frames: &Frames<'g>,
        arms: &Arms<'g>,
    ) -> Self {
        let velocity = arms.base.map(|x| system.drift(x));
        let base = by_velocities(system, velocity, prepare);
        let mut terms = vec![velocity.map(|x| prepare(system.drift(x)))];
        let mut turned = Vec::new();
        for (frame, arm) in &arms.arms {
            let turning = frames.at(Some(*frame));
            let arm = sheet.combine(arm.map(prepare), &turning.axes);
            terms.push(sheet.cross(turning.bias, arm));
            let swept = sheet.cross(turning.omega, arm);
            terms.push(sheet.cross(turning.omega, swept));
            turned.push((Some(*frame), arm));
        }
        Self {
            base,
            arms: turned,
            bias: sheet.sum(&terms),
        }
    }

    /// A point of this velocity, as it was written.
    pub fn as_written(
        system: &System<'g>,
        sheet: &mut Sheet<'g>,
        prepare: Prepare<'_, 'g>,
        velocity: Vec3<'g>,
    ) -> Self {
        let base = by_velocities(system, velocity, prepare);
        let bias = velocity.map(|x| prepare(system.drift(x)));
        Self {
            base: base.into_iter().map(|x| sheet.keep_all(x)).collect(),
            arms: Vec::new(),
            bias: sheet.keep_all(bias),
        }
    }

    /// The matter of a body in a frame at an offset with this rate.
    pub fn matter(
        &self,
        sheet: &mut Sheet<'g>,
        frames: &Frames<'g>,
        frame: Option<usize>,
        [offset, rate]: [Vec3<'g>; 2],
    ) -> Self {
        let turning = frames.at(frame);
        let turned = sheet.cross(turning.bias, offset);
        let carried = sheet.cross(turning.omega, rate);
        let mut point = self.clone();
        point.bias = sheet.sum(&[self.bias, turned, carried]);
        point.arms.push((frame, offset));
        point
    }

    /// `dv/dv_k`: arms that turn together are added first.
    pub fn part(&self, sheet: &mut Sheet<'g>, frames: &Frames<'g>, k: usize) -> Vec3<'g> {
        let mut groups: Vec<(Vec3<'g>, Vec<Vec3<'g>>)> = Vec::new();
        for (frame, arm) in &self.arms {
            let axis = frames.at(*frame).parts[k];
            if is_null(&axis) {
                continue;
            }
            match groups.iter_mut().find(|(other, _)| *other == axis) {
                Some((_, arms)) => arms.push(*arm),
                None => groups.push((axis, vec![*arm])),
            }
        }
        let mut terms = vec![self.base[k]];
        for (axis, arms) in groups {
            let arm = sheet.sum(&arms);
            terms.push(sheet.cross(axis, arm));
        }
        sheet.sum(&terms)
    }
}
