//! `[[plots]]` and `[animation]`.

use crate::algebra;
use crate::bodies;
use crate::diagnostic::Report;
use crate::document::{Entry, Kind, Node, Table};
use crate::formula::{Formula, Written, formula, sentence};
use crate::keys;
use crate::model::{Animation, Arrow, Plot, Shape, Value, Vector};
use crate::names::Named;
use crate::settings;
use crate::world::{Slot, World};
use appell_expr::{AstKind, Id};

/// `[[plots]]` with values.
pub(crate) fn plots(model: &Table, world: &World, report: &mut Report) -> Vec<Plot> {
    let Some(entry) = model.get("plots") else {
        return Vec::new();
    };
    let nodes = entry.value.list("plots", report).unwrap_or_default();
    nodes
        .iter()
        .filter_map(|node| plot(node, world, report))
        .collect()
}

fn plot(node: &Node, world: &World, report: &mut Report) -> Option<Plot> {
    let table = node.table("a plot", keys::PLOT, report)?;
    let title = table.optional_text("title", report).unwrap_or_default();
    let x = table.required("x", "the plot", node.span, report);
    let y = table.required("y", "the plot", node.span, report);
    let x = x.and_then(|x| curve(x, "x", world, report));
    let y: Vec<_> = y?
        .one_or_more()
        .iter()
        .map(|y| curve(y, "y", world, report))
        .collect();
    Some(Plot {
        title,
        x: x?,
        y: y.into_iter().collect::<Option<_>>()?,
    })
}

/// A scalar with its text.
fn curve(node: &Node, key: &str, world: &World, report: &mut Report) -> Option<(String, Id)> {
    let written = sentence(node, key, report)?;
    let text = written.on_one_line();
    let formula = Formula::Written(Box::new(written));
    Some((text, world.scalar(&formula, &settings::CURVE, report)?))
}

/// `[animation]` with values.
pub(crate) fn animation(model: &Table, world: &World, report: &mut Report) -> Option<Animation> {
    let table = model
        .get("animation")?
        .value
        .table("[animation]", keys::ANIMATION, report)?;
    let plane = table
        .get("plane")
        .and_then(|e| e.value.word("plane", keys::PLANES, report));
    let mut animation = Animation {
        plane: plane.map(str::to_owned),
        trail: Vec::new(),
        arrows: Vec::new(),
        shapes: Vec::new(),
    };
    let list = |key: &str, report: &mut Report| {
        let entry: Option<&Entry> = table.get(key);
        entry
            .and_then(|e| e.value.list(key, report))
            .unwrap_or_default()
    };
    for node in list("trail", report) {
        animation.trail.extend(trail(node, world, report));
    }
    for node in list("arrows", report) {
        animation.arrows.extend(arrow(node, world, report));
    }
    for node in list("bodies", report) {
        animation.shapes.extend(shape(node, world, report));
    }
    Some(animation)
}

/// The name of a point, or a vector expression.
fn trail(node: &Node, world: &World, report: &mut Report) -> Option<(String, Vector)> {
    let written = sentence(node, "an element of trail", report)?;
    let text = written.on_one_line();
    if let AstKind::Name(name) = &written.sentence.ast.node(written.sentence.lhs).kind {
        match world.names.get(name) {
            Some(Named::Place(place)) if written.sentence.relation.is_none() => {
                return Some((text, position(world, place)?));
            }
            Some(Named::Body(body)) if written.sentence.relation.is_none() => {
                return Some((text, position(world, world.bodies[body].place)?));
            }
            _ => {}
        }
    }
    let vector = world.vector(
        &Formula::Written(Box::new(written)),
        &settings::TRAIL,
        report,
    )?;
    Some((text, vector))
}

fn position(world: &World, place: usize) -> Option<Vector> {
    match world.places[place].position {
        Slot::Known([Value::Vector(position), _]) => Some(position),
        _ => None,
    }
}

/// A vector, drawn at the first point it speaks of.
fn arrow(node: &Node, world: &World, report: &mut Report) -> Option<Arrow> {
    let written = sentence(node, "an element of arrows", report)?;
    let text = written.on_one_line();
    let at = first_place(&written, world).and_then(|place| position(world, place));
    let vector = world.vector(
        &Formula::Written(Box::new(written)),
        &settings::ARROW,
        report,
    )?;
    Some(Arrow {
        text,
        at: at.unwrap_or_else(|| algebra::null(world.graph)),
        vector,
    })
}

fn first_place(written: &Written, world: &World) -> Option<usize> {
    written
        .sentence
        .ast
        .nodes
        .iter()
        .find_map(|node| match &node.kind {
            AstKind::Name(name) => match world.names.get(name) {
                Some(Named::Place(place)) => Some(place),
                Some(Named::Body(body)) => Some(world.bodies[body].place),
                _ => None,
            },
            _ => None,
        })
}

fn shape(node: &Node, world: &World, report: &mut Report) -> Option<Shape> {
    let table = node.table("a shape", keys::SHAPE, report)?;
    let shape = table.required("shape", "the body", node.span, report)?;
    let shape = shape.word("shape", keys::SHAPES, report)?.to_owned();
    // A wrong name is reported, and the rest is read all the same.
    let named = table.get("body");
    let body = named.and_then(|entry| {
        let text = entry.value.text("body", report)?;
        bodies::carrier(text, world, report)
    });
    let mut values = Vec::new();
    let given = table.entries.iter();
    for entry in given.filter(|entry| !["shape", "body"].contains(&entry.key.as_str())) {
        if let Some(value) = shape_value(entry, body, world, report) {
            values.push((entry.key.clone(), value));
        }
    }
    (named.is_some() == body.is_some()).then_some(Shape {
        shape,
        body,
        values,
    })
}

fn shape_value(
    entry: &Entry,
    body: Option<usize>,
    world: &World,
    report: &mut Report,
) -> Option<Value> {
    if let (Kind::Text(text), "axis") = (&entry.value.kind, entry.key.as_str())
        && let Some(index) = ["x", "y", "z"].iter().position(|axis| *axis == text.value)
    {
        return Some(Value::Vector(axis_of(body, index, world)));
    }
    let formula = formula(&entry.value, &entry.key, report)?;
    match entry.key.as_str() {
        "at" | "along" | "axis" => world
            .vector(&formula, &settings::TRAIL, report)
            .map(Value::Vector),
        _ => world
            .scalar(&formula, &settings::TRAIL, report)
            .map(Value::Scalar),
    }
}

/// The axis of this index of a body's frame, or of N.
fn axis_of(carrier: Option<usize>, index: usize, world: &World) -> Vector {
    let of_carrier = |body: &usize| world.places[world.bodies[*body].place].carrier == carrier;
    let body = (0..world.bodies.len()).find(|body| carrier.is_some() && of_carrier(body));
    match body.and_then(|body| bodies::spin(body, world)) {
        Some(attitude) => attitude.axes[index],
        None => algebra::axis(world.graph, index),
    }
}
