//! The bodies of `[animation]`: shapes with their places, directions and sizes.

use crate::algebra;
use crate::attitude::Attitude;
use crate::bodies;
use crate::codes::Code;
use crate::diagnostic::Report;
use crate::document::{Entry, Kind, Node, Table};
use crate::format::words::NEEDED;
use crate::formula::{Formula, formula, sentence};
use crate::frames::named_frame;
use crate::keys;
use crate::model::{Shape, Value, Vector};
use crate::places;
use crate::settings;
use crate::world::{Mode, World};

/// Keys whose values are words, not formulas.
const WORDS: [&str; 6] = ["shape", "body", "frame", "colour", "label", "trail"];

pub(crate) fn shape(node: &Node, world: &World, report: &mut Report) -> Option<Shape> {
    let table = node.table("a shape", keys::SHAPE, report)?;
    let shape = table.required("shape", "the body", node.span, report)?;
    let shape = shape.word("shape", keys::SHAPES, report)?.to_owned();
    let needed = NEEDED.iter().find(|(kind, _)| *kind == shape);
    for key in needed.iter().flat_map(|(_, keys)| keys.iter()) {
        table.required(key, &format!("the {shape}"), node.span, report)?;
    }
    // A wrong name is reported, and the rest is read all the same.
    let named = table.get("body");
    let body = named.and_then(|entry| {
        let text = entry.value.text("body", report)?;
        bodies::carrier(text, world, report)
    });
    let axes = table
        .get("frame")
        .and_then(|entry| frame(entry, world, report));
    let known = Known { body, axes };
    let mut values = Vec::new();
    let given = table.entries.iter();
    for entry in given.filter(|entry| !WORDS.contains(&entry.key.as_str())) {
        values.extend(shape_values(entry, &known, world, report));
    }
    (named.is_some() == body.is_some()).then_some(Shape {
        shape,
        body,
        axes,
        values,
        colour: table.get("colour").and_then(|entry| colour(entry, report)),
        label: table.optional_text("label", report).unwrap_or_default(),
        trail: table.get("trail").and_then(|entry| flag(entry, report)),
    })
}

/// What directions may be taken from.
struct Known {
    body: Option<usize>,
    axes: Option<[Vector; 3]>,
}

/// The axes of the frame that a shape turns with.
fn frame(entry: &Entry, world: &World, report: &mut Report) -> Option<[Vector; 3]> {
    let text = entry.value.text("frame", report)?;
    match named_frame(text, world, report)? {
        None => Some(Attitude::inertial(world.graph).axes),
        Some(frame) => Some(world.frames[frame].attitude[Mode::Plain as usize]?.axes),
    }
}

/// A word, or `#` with three or six digits.
fn colour(entry: &Entry, report: &mut Report) -> Option<String> {
    let text = entry.value.text("colour", report)?;
    let digits = text.value.strip_prefix('#').unwrap_or_default();
    if [3, 6].contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Some(text.value.clone());
    }
    let word = entry.value.word("colour", keys::COLOURS, report)?;
    Some(word.to_owned())
}

fn flag(entry: &Entry, report: &mut Report) -> Option<bool> {
    match entry.value.kind {
        Kind::Boolean(flag) => Some(flag),
        _ => {
            let message = format!("`{}` is `true` or `false`", entry.key);
            let label = format!("this is {}", entry.value.kind.name());
            report.reject(Code::WrongType, message, entry.value.span, label)
        }
    }
}

/// The values under a key: a list of formulas has one each.
fn shape_values(
    entry: &Entry,
    known: &Known,
    world: &World,
    report: &mut Report,
) -> Vec<(String, Value)> {
    let key = entry.key.as_str();
    if let (Kind::Text(text), "axis") = (&entry.value.kind, key)
        && let Some(index) = ["x", "y", "z"].iter().position(|axis| *axis == text.value)
    {
        return vec![(
            entry.key.clone(),
            Value::Vector(axis_of(known, index, world)),
        )];
    }
    let nodes: Vec<&Node> = match (&entry.value.kind, key) {
        (Kind::List(nodes), "points" | "radii" | "size") => nodes.iter().collect(),
        _ => vec![&entry.value],
    };
    if key == "radii" && nodes.len() != 3 {
        let message = "an ellipsoid has three radii".to_owned();
        let label = "write `radii = [\"a\", \"b\", \"c\"]`".to_owned();
        let _: Option<()> = report.reject(Code::Arguments, message, entry.value.span, label);
        return Vec::new();
    }
    let value = |node: &&Node, report: &mut Report| match key {
        "at" | "from" | "to" | "points" => place(node, key, world, report).map(Value::Vector),
        "along" | "axis" | "normal" => {
            let formula = formula(node, key, report)?;
            world
                .vector(&formula, &settings::TRAIL, report)
                .map(Value::Vector)
        }
        _ => {
            let formula = formula(node, key, report)?;
            world
                .scalar(&formula, &settings::TRAIL, report)
                .map(Value::Scalar)
        }
    };
    let values = nodes.iter().filter_map(|node| value(node, report));
    values.map(|value| (entry.key.clone(), value)).collect()
}

/// The name of a point or body, or a vector expression.
fn place(node: &Node, key: &str, world: &World, report: &mut Report) -> Option<Vector> {
    if !matches!(node.kind, Kind::Text(_)) {
        let formula = formula(node, key, report)?;
        return world.vector(&formula, &settings::TRAIL, report);
    }
    let written = sentence(node, key, report)?;
    if let Some(place) = places::named_place(&written, world) {
        return places::position(world, place);
    }
    let formula = Formula::Written(Box::new(written));
    world.vector(&formula, &settings::TRAIL, report)
}

/// The axis of this index of the shape's frame, of its body's frame, or of N.
fn axis_of(known: &Known, index: usize, world: &World) -> Vector {
    if let Some(axes) = known.axes {
        return axes[index];
    }
    let carrier = known.body;
    let of_carrier = |body: &usize| world.places[world.bodies[*body].place].carrier == carrier;
    let body = (0..world.bodies.len()).find(|body| carrier.is_some() && of_carrier(body));
    match body.and_then(|body| bodies::spin(body, world)) {
        Some(attitude) => attitude.axes[index],
        None => algebra::axis(world.graph, index),
    }
}

/// `force_scale`: a number above zero.
pub(crate) fn force_scale(
    table: &Table,
    world: &World,
    report: &mut Report,
) -> Option<appell_expr::Id> {
    let entry = table.get("force_scale")?;
    let formula = formula(&entry.value, "force_scale", report)?;
    world.scalar(&formula, &settings::TIME, report)
}

#[cfg(test)]
mod tests {
    use crate::model::{Model, Value};

    fn model(shape: &str) -> Result<Model, Vec<String>> {
        let text = format!(
            "coordinates = ['x']\n[parameters]\na = 2\n[frames]\nB = {{ parent = 'N', angle = 'x', axis = 'z' }}\n\
             [points]\nQ = '[0, 1, 0]'\n[particles]\nP = {{ mass = 1, position = '[x, 0, 0]' }}\n\
             [animation]\nbodies = [{{ {shape} }}]\n"
        );
        let found = crate::read("m.toml", &text);
        let words = |faults: Vec<crate::Diagnostic>| {
            faults.into_iter().map(|fault| fault.message).collect()
        };
        found.map(|(model, _)| model).map_err(words)
    }

    #[test]
    fn every_shape_is_read() {
        let rows = [
            ("shape = 'line', from = 'P', to = 'Q', width = 0.1", 3),
            ("shape = 'polyline', points = ['P', 'Q', '[a, 0, 0]']", 3),
            (
                "shape = 'spring', from = 'P', to = '[0, 0, 0]', radius = 'a/10'",
                3,
            ),
            ("shape = 'ellipsoid', at = 'P', radii = ['a', 1, 0.5]", 4),
            ("shape = 'plate', frame = 'B', size = [1, 2]", 2),
            ("shape = 'ground', size = 4, normal = 'B.x'", 2),
            (
                "shape = 'cylinder', axis = 'y', frame = 'B', radius = 1, length = 2",
                3,
            ),
            ("shape = 'cone', along = 'B.x', radius = 1, length = 2", 3),
            ("shape = 'blade', at = 'P', along = 'B.x', length = 1", 3),
        ];
        for (text, values) in rows {
            let model = model(text).unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
            let animation = model.animation.as_ref().expect("an animation");
            assert_eq!(animation.shapes[0].values.len(), values, "{text}");
            assert_eq!(
                animation.shapes[0].axes.is_some(),
                text.contains("frame"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_name_of_a_point_is_its_place() {
        let model =
            model("shape = 'line', from = 'Q', to = 'P', colour = '#12aBf0', trail = false")
                .expect("it is right");
        let shape = &model.animation.as_ref().expect("an animation").shapes[0];
        let place = |name: &str| model.points.iter().find(|point| point.name == name);
        match shape.values[0].1 {
            Value::Vector(from) => assert_eq!(Some(from), place("Q").map(|point| point.position)),
            Value::Scalar(_) => panic!("a place is a vector"),
        }
        assert_eq!(
            (shape.colour.as_deref(), shape.trail),
            (Some("#12aBf0"), Some(false))
        );
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_in_words() {
        let rows = [
            ("shape = 'line', from = 'P'", "has no `to`"),
            ("shape = 'ellipsoid', radii = [1, 2]", "three radii"),
            (
                "shape = 'ball', radius = 1, colour = 'url(x)'",
                "not a word of `colour`",
            ),
            (
                "shape = 'ball', radius = 1, colour = '#12345'",
                "not a word of `colour`",
            ),
            (
                "shape = 'ball', radius = 1, trail = 'no'",
                "`true` or `false`",
            ),
            ("shape = 'ball', radius = 1, frame = 'P'", "not a frame"),
            ("shape = 'bal', radius = 1", "not a word of `shape`"),
        ];
        for (text, expected) in rows {
            let faults = model(text).expect_err("it is wrong");
            assert!(
                faults.iter().any(|fault| fault.contains(expected)),
                "{text}: {faults:?}"
            );
        }
    }
}
