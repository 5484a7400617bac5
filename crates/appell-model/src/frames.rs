//! `[frames]`: rotations about axes, one after the other, and unit quaternions.

use crate::algebra;
use crate::attitude::Attitude;
use crate::attitude::Joint;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Table};
use crate::draft::Axis;
use crate::draft::FrameDraft;
use crate::draft::Turn;
use crate::entries::entries;
use crate::formula::{Formula, formula};
use crate::keys;
use crate::model::{Frame, Hinge, Model, Value, Vector};
use crate::names::Named;
use crate::numeric::evaluate;
use crate::settings;
use crate::text::Text;
use crate::world::{Mode, NoRate, Slot, World};
use appell_expr::{AstKind, Ex, Graph, Id, vanishes};
use std::collections::HashMap;

/// `omega` of a body in a frame, and the angular velocity of its axes of Resal: axes in which its inertia is
/// constant though they do not take part in turns about an axis of symmetry. Both in components in these axes.
pub(crate) fn resal(
    world: &World,
    mut frame: Option<usize>,
    inertia: [Vector; 3],
) -> Option<(Vector, Vector)> {
    let graph = world.graph;
    let mut relative = algebra::null(graph);
    let joint = |frame: Option<usize>| frame.and_then(|frame| world.frames[frame].joint);
    while let Some(joint) = joint(frame).filter(|joint| joint.keeps(graph, inertia)) {
        let lowered = joint.lower(graph, relative);
        relative = algebra::add(graph, lowered, joint.relative);
        frame = joint.parent;
    }
    let turning = match frame {
        None => algebra::null(graph),
        Some(frame) => world.frames[frame].attitude[Mode::Plain as usize]?.spin,
    };
    Some((algebra::add(graph, turning, relative), turning))
}

/// The entries of `[frames]`.
pub(crate) fn collect(model: &Table, world: &mut World, report: &mut Report) -> Vec<FrameDraft> {
    let mut frames = Vec::new();
    for entry in entries(model, "frames", report) {
        let named = Named::Frame(frames.len());
        world
            .names
            .declare(&entry.key, entry.key_span, named, report);
        world.add_frame(&entry.key);
        frames.push(frame(entry, report));
    }
    frames
}

fn frame(entry: &Entry, report: &mut Report) -> FrameDraft {
    let owner = format!("frame {}", entry.key);
    let table = entry.value.table(&owner, keys::FRAME, report);
    let parent = table.and_then(|table| {
        let node = &table.get("parent")?.value;
        node.text("parent", report).cloned()
    });
    FrameDraft {
        name: entry.key.clone(),
        span: entry.key_span,
        parent,
        turn: table.and_then(|table| turn(table, entry, report)),
    }
}

fn turn(table: &Table, entry: &Entry, report: &mut Report) -> Option<Turn> {
    let label = "write `angle` and `axis`, or `quaternion`";
    match (
        table.get("angle"),
        table.get("axis"),
        table.get("quaternion"),
    ) {
        (Some(angle), Some(about), None) => {
            let angle = formula(&angle.value, "angle", report);
            let about = axis(about, report);
            Some(Turn::Angle(angle?, about?))
        }
        (None, None, Some(quaternion)) => self::quaternion(quaternion, report),
        (_, _, Some(quaternion)) => {
            let message = format!("frame {} is turned in two ways", entry.key);
            report.reject(Code::Turn, message, quaternion.key_span, label)
        }
        (Some(angle), None, None) => {
            let message = format!("frame {} has an angle and no axis", entry.key);
            let label = "add `axis = \"z\"`, or a vector in the parent";
            report.reject(Code::Turn, message, angle.key_span, label)
        }
        (None, _, None) => {
            let message = format!("frame {} is not turned", entry.key);
            report.reject(Code::Turn, message, entry.key_span, label)
        }
    }
}

fn axis(entry: &Entry, report: &mut Report) -> Option<Axis> {
    let text = entry.value.text("axis", report)?;
    let (name, backwards) = match text.value.trim().strip_prefix('-') {
        Some(name) => (name.trim_start(), true),
        None => (text.value.as_str(), false),
    };
    match ["x", "y", "z"].iter().position(|axis| *axis == name) {
        Some(index) => Some(Axis::Principal { index, backwards }),
        None => formula(&entry.value, "axis", report).map(Axis::Components),
    }
}

fn quaternion(entry: &Entry, report: &mut Report) -> Option<Turn> {
    let nodes = entry.value.list("quaternion", report)?;
    let parts: Vec<Formula> = nodes
        .iter()
        .filter_map(|node| formula(node, "an element of quaternion", report))
        .collect();
    match (nodes.len(), <[Formula; 4]>::try_from(parts)) {
        (4, Ok(parts)) => Some(Turn::Quaternion(parts)),
        (4, Err(_)) => None,
        (count, _) => {
            let message = format!("a quaternion with {count} components");
            let label = "write four coordinates, the scalar part first";
            report.reject(Code::Turn, message, entry.value.span, label)
        }
    }
}

/// The index of the parent; none for N, or in error.
pub(crate) fn parent(draft: &FrameDraft, world: &World) -> Option<usize> {
    match world.names.get(&draft.parent.as_ref()?.value) {
        Some(Named::Frame(index)) => Some(index),
        _ => None,
    }
}

/// Works out how a frame lies and turns.
pub(crate) fn resolve(
    index: usize,
    draft: &FrameDraft,
    world: &mut World,
    report: &mut Report,
) -> Option<()> {
    let parent = match &draft.parent {
        Some(parent) => named_frame(parent, world, report)?,
        None => None,
    };
    let attitude = |world: &World, mode: Mode| match parent {
        None => Some(Attitude::inertial(world.graph)),
        Some(parent) => world.frames[parent].attitude[mode as usize],
    };
    let plain = attitude(world, Mode::Plain)?;
    let inspected = attitude(world, Mode::Inspected)?;
    let turned = match draft.turn.as_ref()? {
        Turn::Angle(angle, axis) => {
            let axis = direction(axis, parent.is_none(), world, report)?;
            let Slot::Known([Value::Scalar(angle), Value::Scalar(seen)]) =
                scalar_slot(angle, &settings::ANGLE, world, report)
            else {
                return None;
            };
            let turn = |from: Attitude, angle: Id| {
                let joint = about(world, parent, axis, angle)?;
                let turned = from.turned(world.graph, joint.local, joint.relative);
                Ok::<_, NoRate>((turned, joint))
            };
            let (plain, inspected) = (turn(plain, angle), turn(inspected, seen));
            world.frames[index].joint = plain.as_ref().ok().map(|(_, joint)| *joint);
            [plain, inspected].map(|turned| turned.map(|(attitude, _)| attitude))
        }
        Turn::Quaternion(parts) => {
            let e = quaternion_coordinates(parts, world, report)?;
            for (i, part) in e.into_iter().enumerate() {
                world.coordinates[part].rest = i32::from(i == 0);
            }
            world.quaternions.push((index, e));
            let e = e.map(|i| (world.coordinates[i].q, world.coordinates[i].v));
            [
                Ok(by_quaternion(world.graph, plain, e)),
                Ok(by_quaternion(world.graph, inspected, e)),
            ]
        }
    };
    let [Ok(plain), Ok(mut inspected)] = turned else {
        world.exhausted.set(true);
        let message = format!(
            "the rotation of `{}` takes more than can be read",
            draft.name
        );
        return report.reject(Code::TooLarge, message, draft.span, "simplify its angle");
    };
    if let Some(body) = world.frames[index].carries {
        inspected = stand_ins(world, index, body, plain);
    }
    world.frames[index].attitude = [Some(plain), Some(inspected)];
    Some(())
}

/// The frame of this name, none for N, or an error.
pub(crate) fn named_frame(
    text: &Text,
    world: &World,
    report: &mut Report,
) -> Option<Option<usize>> {
    match (text.value.as_str(), world.names.get(&text.value)) {
        ("N", _) => Some(None),
        (_, Some(Named::Frame(index))) => Some(Some(index)),
        (name, Some(named)) => {
            let message = format!("`{name}` is {}, not a frame", named.kind());
            let label = "write `N` or a frame of [frames]";
            report.reject(Code::NotAQuantity, message, text.contents(), label)
        }
        (name, None) => {
            world.names.unknown_frame(name, text.contents(), report);
            None
        }
    }
}

fn scalar_slot(
    formula: &Formula,
    setting: &settings::Setting,
    world: &World,
    report: &mut Report,
) -> Slot {
    match world.scalar(formula, setting, report) {
        Some(_) => world.slot(formula, setting, &mut Report::default()),
        None => Slot::Failed,
    }
}

/// A unit vector in components in the parent.
fn direction(axis: &Axis, in_inertial: bool, world: &World, report: &mut Report) -> Option<Vector> {
    let graph = world.graph;
    let formula = match axis {
        Axis::Principal { index, backwards } => {
            let sign = graph.int(if *backwards { -1 } else { 1 });
            return Some(algebra::scale(graph, sign, algebra::axis(graph, *index)));
        }
        Axis::Components(formula) => formula,
    };
    let of_a_frame = |written: &crate::formula::Written| {
        let nodes = &written.sentence.ast.nodes;
        nodes
            .iter()
            .any(|node| matches!(node.kind, AstKind::Axis { .. }))
    };
    if formula.written().is_some_and(of_a_frame) && !in_inertial {
        let message = "the axis of a frame is given in components in its parent";
        let label = "write `x`, `y`, `z`, or three components such as `[0, 1, 1]`";
        return report.reject(Code::Turn, message, formula.span(), label);
    }
    let axis = world.vector(formula, &settings::AXIS, report)?;
    let square = algebra::dot(graph, axis, axis);
    if vanishes(square) {
        let message = "the null vector is no axis";
        return report.reject(Code::Turn, message, formula.span(), "this is exactly 0");
    }
    if vanishes(square - graph.one()) {
        return Some(axis);
    }
    Some(algebra::scale(graph, square.sqrt().recip(), axis))
}

/// Errors about axes that are null vectors for these values of the parameters.
pub(crate) fn without_axis(model: &Model, values: &HashMap<Id, f64>) -> Vec<Diagnostic> {
    let graph = &model.graph;
    // Axes in coordinates have no value here, whatever these are.
    let is_known = |x: &Id| {
        let x = graph.ex(*x);
        let known = |symbol: &Ex<'_>| values.contains_key(&symbol.id());
        x.as_rational().is_none() && x.symbols().iter().all(known)
    };
    let is_null = |frame: &&Frame| {
        let axis = frame.hinge.iter().flat_map(|hinge| hinge.axis);
        let mut known = axis.filter(is_known);
        known.any(|x| !evaluate(graph, x, values).is_finite())
    };
    let frames = model.frames.iter().filter(is_null);
    let error = |frame: &Frame| {
        let message = format!(
            "the axis of `{}` is the null vector with these values",
            frame.name
        );
        Diagnostic::new(Code::Turn, message, frame.span, "give it a direction")
    };
    frames.map(error).collect()
}

/// `R = c E + s [n] + (1 - c) n n^T`, turning with `angle' n`.
fn about(world: &World, parent: Option<usize>, n: Vector, angle: Id) -> Result<Joint, NoRate> {
    let graph = world.graph;
    let rate = graph.ex(world.rate(angle)?);
    let angle = graph.ex(angle);
    let (c, s) = (angle.cos(), angle.sin());
    let column = |j: usize| -> Vector {
        let turned = algebra::cross(graph, n, algebra::axis(graph, j));
        std::array::from_fn(|i| {
            let along = (graph.one() - c) * graph.ex(n[i]) * graph.ex(n[j]);
            let diagonal = if i == j { c } else { graph.zero() };
            (diagonal + s * graph.ex(turned[i]) + along).id()
        })
    };
    Ok(Joint {
        parent,
        axis: n,
        local: [column(0), column(1), column(2)],
        relative: algebra::scale(graph, rate, n),
    })
}

/// Four different coordinates.
fn quaternion_coordinates(
    parts: &[Formula; 4],
    world: &World,
    report: &mut Report,
) -> Option<[usize; 4]> {
    let mut found = [0; 4];
    for (i, part) in parts.iter().enumerate() {
        let id = world.scalar(part, &settings::QUATERNION, report)?;
        let coordinate = world.coordinate(id);
        let Some(index) = coordinate.filter(|index| !found[..i].contains(index)) else {
            let message = "a quaternion is made of four coordinates";
            let label = "write the name of a coordinate, each once";
            return report.reject(Code::Turn, message, part.span(), label);
        };
        found[i] = index;
    }
    Some(found)
}

/// The rotation of `e / |e|`, scalar first, and `omega = 2 E e' / e.e`, in components in the frame.
///
/// On `|e| = 1` these are the usual formulas. With `e.e` they are a rotation and its angular velocity
/// off it too: only then do Lagrange's equations in `e` say the same as Euler's, and nothing depends
/// on the length of `e`, so that the norm row carries neither force nor couple.
fn by_quaternion(graph: &Graph, from: Attitude, e: [(Id, Id); 4]) -> Attitude {
    let [(e0, d0), (e1, d1), (e2, d2), (e3, d3)] = e.map(|(q, v)| (graph.ex(q), graph.ex(v)));
    let [s0, s1, s2, s3] = [e0 * e0, e1 * e1, e2 * e2, e3 * e3];
    let one = (s0 + s1 + s2 + s3).recip();
    let two = graph.int(2);
    let vector = |components: [Ex<'_>; 3]| components.map(|x| (one * x).id());
    let local = [
        [
            s0 + s1 - s2 - s3,
            two * (e1 * e2 + e0 * e3),
            two * (e1 * e3 - e0 * e2),
        ],
        [
            two * (e1 * e2 - e0 * e3),
            s0 - s1 + s2 - s3,
            two * (e2 * e3 + e0 * e1),
        ],
        [
            two * (e1 * e3 + e0 * e2),
            two * (e2 * e3 - e0 * e1),
            s0 - s1 - s2 + s3,
        ],
    ];
    let relative = [
        two * (e0 * d1 - e1 * d0 + e3 * d2 - e2 * d3),
        two * (e0 * d2 - e2 * d0 - e3 * d1 + e1 * d3),
        two * (e0 * d3 - e3 * d0 + e2 * d1 - e1 * d2),
    ];
    from.turned(graph, local.map(vector), vector(relative))
}

/// The frame of a body as constraints are inspected: its axes `e` and its `omega` are symbols, with
/// `e' = omega x e`, `omega' = alpha`.
fn stand_ins(world: &mut World, index: usize, body: usize, plain: Attitude) -> Attitude {
    let graph = world.graph;
    let (frame, body) = (
        world.frames[index].name.clone(),
        world.bodies[body].name.clone(),
    );
    let axes = ["x", "y", "z"].map(|axis| world.components(&format!("{frame}.{axis}")));
    let [omega, alpha] = ["omega", "alpha"].map(|f| world.stand_ins(f, &body));
    for (axis, plain) in axes.into_iter().zip(plain.axes) {
        let rate = algebra::cross(graph, omega, axis);
        world.rates.extend(axis.into_iter().zip(rate));
        world.unmasked.extend(axis.into_iter().zip(plain));
    }
    world.rates.extend(omega.into_iter().zip(alpha));
    world.unmasked.extend(omega.into_iter().zip(plain.omega));
    let spin = axes.map(|axis| algebra::dot(graph, omega, axis).id());
    Attitude { axes, omega, spin }
}

/// `[frames]` with values, in the file's order.
pub(crate) fn known(drafts: &[FrameDraft], world: &World) -> Vec<Frame> {
    let frames = drafts.iter().zip(&world.frames);
    let known = frames.filter_map(|(draft, frame)| {
        let attitude = frame.attitude[Mode::Plain as usize]?;
        Some(Frame {
            name: draft.name.clone(),
            span: draft.span,
            axes: attitude.axes,
            omega: attitude.omega,
            hinge: frame.joint.map(|joint| Hinge {
                parent: joint.parent,
                axis: joint.axis,
                local: joint.local,
                relative: joint.relative,
            }),
        })
    });
    known.collect()
}
