//! `[[loads]]`: forces at points of bodies and torques on them, alone or between two bodies.

use crate::algebra;
use crate::bodies::{carrier, known};
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Node, Table};
use crate::draft::Draft;
use crate::elaborate::values;
use crate::entities::Plan;
use crate::formula::{Formula, Written, formula};
use crate::function_names;
use crate::keys;
use crate::model::{Load, Value, Vector};
use crate::names::{Named, is_name};
use crate::settings;
use crate::text::Text;
use crate::world::{Mode, World};
use appell_expr::{AstKind, Id, vanishes};

/// `[[loads]]` with values.
pub(crate) fn loads(model: &Table, world: &World, report: &mut Report) -> Vec<Load> {
    let Some(entry) = model.get("loads") else {
        return Vec::new();
    };
    let nodes = entry.value.list("loads", report).unwrap_or_default();
    nodes
        .iter()
        .filter_map(|node| load(node, world, report))
        .collect()
}

fn load(node: &Node, world: &World, report: &mut Report) -> Option<Load> {
    let table = node.table("a load", keys::LOAD, report)?;
    let named = table.required("body", "the load", node.span, report)?;
    let named = named.text("body", report)?;
    let body = carrier(named, world, report)?;
    let mut vector = |key: &str, setting| match table.get(key) {
        Some(entry) => {
            let formula = formula(&entry.value, key, report)?;
            world.vector(&formula, setting, report).map(Some)
        }
        None => Some(None),
    };
    let force = vector("force", &settings::FORCE);
    let torque = vector("torque", &settings::TORQUE);
    let at = match table.get("at") {
        Some(entry) => offset(entry, body, &named.value, world, report),
        None => Some(algebra::null(world.graph)),
    };
    let against = match table.get("against") {
        Some(entry) => opponent(entry, body, at, world, report).map(Some),
        None => Some(None),
    };
    let (at, force, torque, against) = (at?, force?, torque?, against?);
    if force.is_none() && torque.is_none() {
        let message = "a load without force and torque";
        let label = "add `force` with `at`, or `torque`";
        return report.reject(Code::MissingKey, message, node.span, label);
    }
    if let (Some(entry), None) = (table.get("at"), force) {
        let message = "a torque has no point of application";
        report.say(Code::Unused, message, entry.key_span, "without effect");
    }
    let others = against.map(|(other, _)| other);
    let entry = table.get("torque").filter(|_| torque.is_some());
    refuse_torque_on_a_particle(entry, [Some(body), others], world, report)?;
    Some(Load {
        body,
        at,
        force,
        torque,
        against,
    })
}

/// Refuses a `torque` where one of those it acts on is a particle.
pub(crate) fn refuse_torque_on_a_particle(
    torque: Option<&Entry>,
    on: [Option<usize>; 2],
    world: &World,
    report: &mut Report,
) -> Option<()> {
    let pointlike = on.into_iter().flatten().any(|body| world.is_particle(body));
    let Some(entry) = torque.filter(|_| pointlike) else {
        return Some(());
    };
    let message = "a particle has no rotation for a torque to act on";
    let label = "make it a body, or write a force";
    report.reject(Code::Arguments, message, entry.key_span, label)
}

/// `against`: the body that has the opposite force at the same place, and the opposite torque.
pub(crate) fn opponent(
    entry: &Entry,
    body: usize,
    at: Option<Vector>,
    world: &World,
    report: &mut Report,
) -> Option<(usize, Vector)> {
    let text = entry.value.text("against", report)?;
    if text.value == "N" {
        let message = "`N` does not move: what acts against it has no effect there";
        let label = "leave `against` out";
        return report.reject(Code::Arguments, message, text.contents(), label);
    }
    let other = opposite(text, world, report)?;
    if other == body {
        let message = "a body does not act against itself";
        let label = "the opposite load cancels this one: name another body";
        return report.reject(Code::Arguments, message, text.contents(), label);
    }
    let graph = world.graph;
    let place = algebra::add(graph, at?, centre(body, world)?);
    let arm = algebra::subtract(graph, place, centre(other, world)?);
    Some((other, arm))
}

/// The particle or body of a name; for the name of a frame the only body that turns with it.
fn opposite(text: &Text, world: &World, report: &mut Report) -> Option<usize> {
    let Some(Named::Frame(frame)) = world.names.get(&text.value) else {
        return carrier(text, world, report);
    };
    let bodies = world.bodies.iter();
    let attached: Vec<_> = bodies
        .filter(|body| body.frame == Some(Some(frame)))
        .collect();
    let label = match &attached[..] {
        [body] => return world.places[body.place].carrier,
        [] => "no body has this frame: name the particle or body that has the opposite load"
            .to_owned(),
        several => {
            let names: Vec<&str> = several.iter().map(|body| body.name.as_str()).collect();
            format!(
                "write one of the bodies that have this frame: {}",
                names.join(", ")
            )
        }
    };
    let message = format!("`{}` is a frame, not a body", text.value);
    report.reject(Code::Arguments, message, text.contents(), label)
}

/// `at`: the place of a force from the mass centre, by the name of a point or as an offset.
fn offset(
    entry: &Entry,
    body: usize,
    name: &str,
    world: &World,
    report: &mut Report,
) -> Option<Vector> {
    if let Kind::Text(text) = &entry.value.kind
        && let Some(place) = place(text, world)
    {
        if world.is_particle(body) && text.value.trim() != name {
            return beside_a_particle(entry, report);
        }
        let centre = centre(body, world)?;
        return Some(algebra::subtract(world.graph, place?, centre));
    }
    if world.is_particle(body) {
        return beside_a_particle(entry, report);
    }
    if let Kind::Text(text) = &entry.value.kind
        && is_name(text.value.trim())
        && world.names.get(text.value.trim()).is_none()
    {
        let place = text.contents();
        world.names.unknown_point(text.value.trim(), place, report);
        return None;
    }
    let formula = formula(&entry.value, "at", report)?;
    if let Some(written) = formula.written() {
        refuse_bare_points(written, name, world, report)?;
    }
    let offset = world.vector(&formula, &settings::OFFSET, report)?;
    match formula.written() {
        Some(written) if is_place(written, body, world) => {
            report.refuse(not_an_offset(written, offset, name, world))
        }
        _ => Some(offset),
    }
}

fn beside_a_particle<T>(entry: &Entry, report: &mut Report) -> Option<T> {
    let message = "a particle is a point: no force acts beside it";
    let label = "remove it, or make the particle a body";
    report.reject(Code::Arguments, message, entry.key_span, label)
}

/// The place that a name stands for: outer none if it is no name of a place, inner none if that is in error.
fn place(text: &Text, world: &World) -> Option<Option<Vector>> {
    let place = match (text.value.trim(), world.names.get(text.value.trim())) {
        ("O", _) => return Some(Some(algebra::null(world.graph))),
        (_, Some(Named::Place(place))) => place,
        (_, Some(Named::Body(body))) => world.bodies[body].place,
        _ => return None,
    };
    Some(known(world.places[place].position))
}

/// The mass centre of the particle or body of this index.
fn centre(carrier: usize, world: &World) -> Option<Vector> {
    let places = world.places.iter();
    let mut carried = places.filter(|place| place.carrier == Some(carrier));
    known(carried.next()?.position)
}

/// Points in a formula stand there as `pos(P)`, which is no offset either.
fn refuse_bare_points(
    written: &Written,
    body: &str,
    world: &World,
    report: &mut Report,
) -> Option<()> {
    let ast = &written.sentence.ast;
    for (node, is_label) in ast.nodes.iter().zip(function_names::labels(ast)) {
        let AstKind::Name(name) = &node.kind else {
            continue;
        };
        if !is_label && world.has_place(name) {
            let message = format!("`{name}` is a point, not a quantity");
            let label = format!("as an offset it is `pos({name}) - pos({body})`");
            let place = written.place(node.span);
            return report.reject(Code::NotAQuantity, message, place, label);
        }
    }
    Some(())
}

/// Works out what definitions are worth where places are symbols of their own, for loads that are given by
/// offsets.
pub(crate) fn place_definitions(plan: &Plan, draft: &Draft, model: &Table, world: &mut World) {
    if model.get("loads").is_none() {
        return;
    }
    for index in plan.definitions() {
        let written = draft.definitions[index].formula.as_ref();
        let Some(written) = written.and_then(Formula::written) else {
            continue;
        };
        // What is wrong was said before.
        let values = values(world, written, Mode::Placed, &mut Report::default());
        if let Some(value) = values[written.sentence.lhs.index()] {
            world.placed.insert(index, value);
        }
    }
}

/// Whether an expression is a place in space rather than an offset from the mass centre of a body.
///
/// All places are moved together, by `d`: an offset does not change, and one that is written as a place less the
/// mass centre changes by `-d` where the place is in coordinates. In coordinates a place is known by a
/// coordinate that moves the body along a unit vector without turning it: an offset does not follow it.
fn is_place(written: &Written, body: usize, world: &World) -> bool {
    let graph = world.graph;
    let values = values(world, written, Mode::Placed, &mut Report::default());
    let (Some(Value::Vector(offset)), Some(centre)) =
        (values[written.sentence.lhs.index()], centre(body, world))
    else {
        return false;
    };
    // With the centre at the origin both are the same.
    if centre.iter().all(|x| vanishes(graph.ex(*x))) {
        return false;
    }
    let moved = [0, 1, 2].map(|axis| moved_together(offset, axis, world));
    let moved_by = |factor: i64| {
        let gap = |i: usize, j: usize| graph.ex(moved[j][i]) - if i == j { factor } else { 0 };
        (0..3).all(|j| (0..3).all(|i| vanishes(gap(i, j))))
    };
    match moved_by(0) {
        true => follows_a_coordinate(offset, body, centre, world),
        false => !moved_by(-1),
    }
}

/// The derivative of a vector as all places move together along an axis of N.
fn moved_together(vector: Vector, axis: usize, world: &World) -> Vector {
    let graph = world.graph;
    let names = world.places.iter().map(|place| place.name.as_str());
    let stand_ins: Vec<Id> = names
        .chain(["O"])
        .map(|name| world.stand_ins("pos", name)[axis])
        .collect();
    vector.map(|x| {
        let x = graph.ex(x);
        let parts = stand_ins.iter().map(|p| x.diff(graph.ex(*p)));
        graph.sum(&parts.collect::<Vec<_>>()).id()
    })
}

/// Whether a coordinate moves the body along a unit vector, and this vector with it.
fn follows_a_coordinate(vector: Vector, body: usize, centre: Vector, world: &World) -> bool {
    let graph = world.graph;
    let rigid = world.bodies.iter();
    let mut rigid = rigid.filter(|b| world.places[b.place].carrier == Some(body));
    let frame = rigid.next().and_then(|b| b.frame.flatten());
    let axes = frame.and_then(|f| world.frames[f].attitude[Mode::Plain.index()]);
    let axes: Vec<Id> = axes.map_or_else(Vec::new, |attitude| attitude.axes.concat());
    world.coordinates.iter().any(|coordinate| {
        let q = graph.ex(coordinate.q);
        if axes.iter().any(|x| graph.ex(*x).depends_on(q)) {
            return false;
        }
        let [along, change] = [centre, vector].map(|a| a.map(|x| graph.ex(x).diff(q).id()));
        let gap = algebra::subtract(graph, along, change);
        vanishes(algebra::dot(graph, along, along) - 1)
            && gap.into_iter().all(|x| vanishes(graph.ex(x)))
    })
}

/// The error about a place that stands for an offset, with what to write instead.
fn not_an_offset(written: &Written, value: Vector, body: &str, world: &World) -> Diagnostic {
    let graph = world.graph;
    let same = |position: Vector| {
        let gap = algebra::subtract(graph, position, value);
        gap.into_iter().all(|x| vanishes(graph.ex(x)))
    };
    let places = world.places.iter();
    let mut named = places.filter(|place| known(place.position).is_some_and(same));
    let remedy = match named.next() {
        Some(place) => format!("write its name, `at = \"{}\"`", place.name),
        None => format!("name it in [points] and write that name, or subtract `pos({body})`"),
    };
    let message = format!("this is a place, not an offset from the mass centre of `{body}`");
    Diagnostic::new(Code::Offset, message, written.text.contents(), remedy).note(
        "an absolute position does not cancel in it: `at` takes the name of a point, or a vector from the mass \
         centre to the place",
    )
}
