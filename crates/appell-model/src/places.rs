//! Places that a formula names.

use crate::formula::Written;
use crate::model::{Value, Vector};
use crate::names::Named;
use crate::world::{Slot, World};
use appell_expr::AstKind;

/// The place that a text names, if it is the name of a point or a body and nothing more.
pub(crate) fn named_place(written: &Written, world: &World) -> Option<usize> {
    let AstKind::Name(name) = &written.sentence.ast.node(written.sentence.lhs).kind else {
        return None;
    };
    match world.names.get(name) {
        _ if written.sentence.relation.is_some() => None,
        Some(Named::Place(place)) => Some(place),
        Some(Named::Body(body)) => Some(world.bodies[body].place),
        _ => None,
    }
}

/// The position of a place, if it is known.
pub(crate) fn position(world: &World, place: usize) -> Option<Vector> {
    match world.places[place].position {
        Slot::Known([Value::Vector(position), _]) => Some(position),
        _ => None,
    }
}
