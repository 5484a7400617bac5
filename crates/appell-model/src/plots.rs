//! `[[plots]]` and `[animation]`.

use crate::algebra;
use crate::diagnostic::Report;
use crate::document::{Entry, Node, Table};
use crate::formula::{Formula, Written, sentence};
use crate::keys;
use crate::model::{Animation, Arrow, Plot, Vector};
use crate::names::Named;
use crate::places::{named_place, position};
use crate::settings;
use crate::shapes;
use crate::world::World;
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
        force_scale: shapes::force_scale(table, world, report),
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
        animation.shapes.extend(shapes::shape(node, world, report));
    }
    Some(animation)
}

/// The name of a point, or a vector expression.
fn trail(node: &Node, world: &World, report: &mut Report) -> Option<(String, Vector)> {
    let written = sentence(node, "an element of trail", report)?;
    let text = written.on_one_line();
    if let Some(place) = named_place(&written, world) {
        return Some((text, position(world, place)?));
    }
    let vector = world.vector(
        &Formula::Written(Box::new(written)),
        &settings::TRAIL,
        report,
    )?;
    Some((text, vector))
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
