//! What moves, from the file's `[animation]` and from the bodies and constraint forces it has.

use crate::page;
use crate::page::{Arrow, Kind, Mark, Scene, Toggle, Track, Trail};
use appell_flow::Interpreter;
use appell_mech::{Equations, Hold, RowStatus, output};
use appell_model::{Animation, Model, Shape, Value};
use appell_study::motion::sampled_motion::SampledMotion;
use appell_study::states::ranks::workspace;
use appell_study::values::outputs::drawn_output;
use appell_study::values::outputs::{drawn, ids};

/// Forces and couples smaller than this at every sample are not drawn.
const NOTHING: f64 = 1e-12;

/// Columns of numbers at the kept samples.
struct Columns(Vec<Vec<f64>>);

impl Columns {
    /// Three columns as places.
    fn track(&self, first: usize) -> Track {
        let place =
            |row: &Vec<f64>| [0, 1, 2].map(|i| row.get(first + i).copied().unwrap_or(f64::NAN));
        self.0.iter().map(place).collect()
    }

    /// The axes of a body or frame, from this column on.
    fn axes(&self, first: usize) -> [Track; 3] {
        [0, 3, 6].map(|column| self.track(first + column))
    }

    /// The first value that is defined.
    fn constant(&self, column: usize) -> f64 {
        let values = self.0.iter().filter_map(|row| row.get(column).copied());
        values
            .filter(|x| x.is_finite())
            .take(1)
            .next()
            .unwrap_or(f64::NAN)
    }
}

/// The scene of a motion; none for a model without places.
pub(super) fn scene(sampled_motion: &SampledMotion<'_, '_>, kept: &[usize]) -> Option<Scene> {
    let model = sampled_motion.p.model;
    let groups = drawn(model);
    let mut columns = groups.iter().enumerate().map(|(index, ids)| {
        let columns = columns(sampled_motion, &drawn_output(index), ids.len(), kept);
        (columns.is_some(), columns.unwrap_or(Columns(Vec::new())))
    });
    let bodies: Vec<Columns> = columns
        .by_ref()
        .take(model.bodies.len())
        .map(|c| c.1)
        .collect();
    let centres: Vec<Track> = bodies.iter().map(|c| c.track(0)).collect();
    let mut scene = Scene {
        up: upwards(sampled_motion),
        ..Scene::default()
    };
    if let Some(animation) = &model.animation {
        scene.plane = animation.plane.as_deref().map(axes_of);
        scene.force_scale = animation.force_scale.map(|x| sampled_motion.p.constant(x));
        for ((name, _), (_, columns)) in animation.trail.iter().zip(columns.by_ref()) {
            scene.trails.push(Trail {
                name: name.clone(),
                at: columns.track(0),
            });
        }
        let arrows: Vec<(bool, Columns)> = columns.by_ref().take(animation.arrows.len()).collect();
        for (shape, (_, columns)) in animation.shapes.iter().zip(columns) {
            scene
                .shapes
                .push(drawn_shape(model, shape, &columns, &bodies));
        }
        forces(sampled_motion, kept, &centres, &mut scene);
        vectors(animation, arrows, &mut scene);
    } else {
        forces(sampled_motion, kept, &centres, &mut scene);
    }
    marks(model, &bodies, &mut scene);
    if scene.trails.is_empty() {
        scene.trails = trails_of_bodies(model, &scene.shapes);
    }
    let empty = scene.trails.is_empty() && scene.marks.is_empty() && scene.shapes.is_empty();
    (!empty).then_some(scene)
}

/// The file's own arrows, of those vectors that are known.
fn vectors(animation: &Animation, columns: Vec<(bool, Columns)>, scene: &mut Scene) {
    let forced = scene.arrows.iter().any(|arrow| arrow.kind == Kind::Force);
    for (arrow, (known, columns)) in animation.arrows.iter().zip(columns) {
        if !known {
            continue;
        }
        let reaction = arrow.text.starts_with("R(");
        scene.arrows.push(Arrow {
            label: arrow.text.clone(),
            kind: if reaction { Kind::Force } else { Kind::Vector },
            toggle: scene.toggles.len(),
            at: columns.track(0),
            vector: columns.track(3),
        });
        // The forces of each constraint say more than their sum.
        let on = !(reaction && forced);
        scene.toggles.push(toggle(&arrow.text, on));
    }
}

/// Where the file names no trail, bodies leave theirs.
fn trails_of_bodies(model: &Model, drawn: &[page::Shape]) -> Vec<Trail> {
    let shapes = model.animation.iter();
    let shapes = shapes.flat_map(|animation| &animation.shapes).zip(drawn);
    let left = shapes.filter(|(shape, _)| leaves_trail(shape));
    let named = centres_in_words(model).into_iter().zip(left);
    let trail = |(name, (_, shape)): (String, (&Shape, &page::Shape))| Trail {
        name,
        at: shape.at.clone(),
    };
    named.map(trail).collect()
}

/// Whether the centre of a shape leaves a trail: as the file says, else that of what is a body.
fn leaves_trail(shape: &Shape) -> bool {
    let body = [
        "rod",
        "disc",
        "ball",
        "box",
        "wheel",
        "ellipsoid",
        "cone",
        "cylinder",
    ];
    shape
        .trail
        .unwrap_or_else(|| body.contains(&shape.shape.as_str()))
}

/// What the centres of the file's shapes are called: by their bodies where there are several, with a
/// number where that is not enough.
fn centres_in_words(model: &Model) -> Vec<String> {
    let shapes = model.animation.iter();
    let shapes = shapes.flat_map(|animation| &animation.shapes);
    let shapes: Vec<&Shape> = shapes.filter(|shape| leaves_trail(shape)).collect();
    let name = |shape: &&Shape| match shape.body {
        _ if shapes.len() == 1 => "centre".to_owned(),
        Some(body) => format!("centre of {}", model.bodies[body].name),
        None => format!("centre of the {}", shape.shape),
    };
    let names: Vec<String> = shapes.iter().map(name).collect();
    let distinct = |(index, name): (usize, &String)| match names[..index]
        .iter()
        .filter(|other| *other == name)
        .count()
    {
        0 => name.clone(),
        before => format!("{name} ({})", before + 1),
    };
    names.iter().enumerate().map(distinct).collect()
}

/// Against gravity, along the axis nearest to that; the third axis where nothing falls.
fn upwards(sampled_motion: &SampledMotion<'_, '_>) -> [f64; 3] {
    let gravity = sampled_motion
        .p
        .model
        .gravity
        .map(|x| sampled_motion.p.constant(x));
    let size = |i: usize| gravity[i].abs();
    let axis = (0..2).fold(2, |best, i| if size(i) > size(best) { i } else { best });
    let falls = size(axis).is_finite() && size(axis) > 0.0;
    let sign = if falls { -gravity[axis].signum() } else { 1.0 };
    [0, 1, 2].map(|i| if i == axis { sign } else { 0.0 })
}

fn toggle(label: &str, on: bool) -> Toggle {
    Toggle {
        label: label.to_owned(),
        constraint: false,
        on,
        why_not: String::new(),
    }
}

fn axes_of(plane: &str) -> [usize; 2] {
    match plane {
        "xz" => [0, 2],
        "yz" => [1, 2],
        _ => [0, 1],
    }
}

/// The values of an output at the kept samples; none if nothing gives them.
fn columns(
    sampled_motion: &SampledMotion<'_, '_>,
    name: &str,
    width: usize,
    kept: &[usize],
) -> Option<Columns> {
    let expression = sampled_motion.expression(&[name]).ok()?;
    let mut workspace = workspace(sampled_motion.p);
    let row = |i: &usize| {
        let state = expression.states.get(*i);
        let values = state.and_then(|(t, y)| expression.field.values(&mut workspace, *t, y).ok());
        values.unwrap_or_else(|| vec![f64::NAN; width])
    };
    Some(Columns(kept.iter().map(row).collect()))
}

/// Particles with their names; bodies that no shape shows as their mass centres and axes.
fn marks(model: &Model, bodies: &[Columns], scene: &mut Scene) {
    let shapes = model.animation.iter();
    let shapes = shapes.flat_map(|animation| &animation.shapes);
    let shown: Vec<usize> = shapes.filter_map(|shape| shape.body).collect();
    for (index, (body, columns)) in model.bodies.iter().zip(bodies).enumerate() {
        let turns = body.rotation.is_some();
        if !turns || !shown.contains(&index) {
            scene.marks.push(Mark {
                name: body.name.clone(),
                axes: turns.then(|| columns.axes(3)),
                at: columns.track(0),
            });
        }
    }
}

fn drawn_shape(model: &Model, shape: &Shape, columns: &Columns, bodies: &[Columns]) -> page::Shape {
    let carrier = shape.body.and_then(|body| bodies.get(body));
    let turns = shape
        .body
        .is_some_and(|body| model.bodies[body].rotation.is_some());
    let mut drawn = page::Shape {
        shape: shape.shape.clone(),
        axes: carrier.filter(|_| turns).map(|body| body.axes(3)),
        colour: shape.colour.clone(),
        label: shape.label.clone(),
        ..page::Shape::default()
    };
    let (mut at, mut first) = (None, 0);
    for (key, value) in &shape.values {
        match (value, key.as_str()) {
            (Value::Scalar(_), _) => drawn.sizes.push((key.clone(), columns.constant(first))),
            (Value::Vector(_), "at") => at = Some(columns.track(first)),
            (Value::Vector(_), "along") => drawn.along = Some(columns.track(first)),
            (Value::Vector(_), "normal") => drawn.normal = Some(columns.track(first)),
            // `from` stands before `to`, in whichever order the file has them.
            (Value::Vector(_), "from") => drawn.points.insert(0, columns.track(first)),
            (Value::Vector(_), "to" | "points") => drawn.points.push(columns.track(first)),
            (Value::Vector(_), _) => drawn.axis = Some(columns.track(first)),
        }
        first += ids(value).len();
    }
    if shape.axes.is_some() {
        drawn.axes = Some(columns.axes(first));
    }
    let origin = || columns.0.iter().map(|_| [0.0; 3]).collect();
    drawn.at = match drawn.points.is_empty() {
        true => at
            .or(carrier.map(|body| body.track(0)))
            .unwrap_or_else(origin),
        false => middle(&drawn.points),
    };
    drawn
}

/// The mean of several places.
fn middle(points: &[Track]) -> Track {
    let samples = points.first().map_or(0, Vec::len);
    let sum = |i: usize, k: usize| points.iter().map(|track| track[i][k]).sum::<f64>();
    (0..samples)
        .map(|i| [0, 1, 2].map(|k| sum(i, k) / points.len() as f64))
        .collect()
}

/// Constraint forces and couples at their points of application, with a switch for each constraint.
fn forces(
    sampled_motion: &SampledMotion<'_, '_>,
    kept: &[usize],
    centres: &[Track],
    scene: &mut Scene,
) {
    let model = sampled_motion.p.model;
    let sampled = sampled_motion.own();
    let tracks = force_tracks(sampled_motion, &sampled.equations, kept);
    let constraints = model.constraints.iter().enumerate();
    // Unit norms of quaternions are the tool's own.
    for (index, constraint) in constraints.filter(|(_, constraint)| !constraint.added) {
        let mine = sampled
            .equations
            .forces
            .iter()
            .zip(&tracks)
            .filter(|(force, _)| force.constraint == index);
        let before = scene.arrows.len();
        for (force, [vector, torque, at]) in mine {
            let body = force.on(model);
            let at = match (force.hold, force.body) {
                (Hold::Couple, Some(body)) => centres[body].clone(),
                _ => at.clone(),
            };
            for (kind, vector) in [(Kind::Force, vector), (Kind::Couple, torque)] {
                if vector.iter().flatten().any(|x| x.abs() > NOTHING) {
                    scene.arrows.push(Arrow {
                        label: format!("{} on {body}", constraint.name),
                        kind,
                        toggle: scene.toggles.len(),
                        at: at.clone(),
                        vector: vector.clone(),
                    });
                }
            }
        }
        let why_not = match scene.arrows.len() > before {
            true => "",
            false => why_no_arrow(sampled_motion, index),
        };
        scene.toggles.push(Toggle {
            label: constraint.name.clone(),
            constraint: true,
            on: why_not.is_empty(),
            why_not: why_not.to_owned(),
        });
    }
}

/// Why a constraint has nothing to show.
fn why_no_arrow(sampled_motion: &SampledMotion<'_, '_>, constraint: usize) -> &'static str {
    let p = sampled_motion.p;
    let rows = || {
        p.constraints
            .rows
            .iter()
            .filter(|row| row.constraint == constraint)
    };
    let forces = &sampled_motion.own().equations.forces;
    if rows().all(|row| matches!(row.status, RowStatus::Merged(_))) {
        return "its force is drawn with the row for velocities that says the same";
    }
    if forces.iter().any(|force| force.constraint == constraint) {
        return "its force vanishes along this motion";
    }
    match (
        p.model.constraints[constraint].at,
        p.model.bodies.is_empty(),
    ) {
        (Some(_), _) => "its reaction is more than a force at this point",
        (None, true) => {
            "the model has no bodies that its force could act on; `at` names a point where it acts"
        }
        (None, false) => "it has no force on a body",
    }
}

/// Force, couple and place of each entry of [`Equations::forces`].
fn force_tracks(
    sampled_motion: &SampledMotion<'_, '_>,
    equations: &Equations<'_>,
    kept: &[usize],
) -> Vec<[Track; 3]> {
    let count = equations.forces.len();
    let names = [output::FORCES, output::TORQUES, output::POINTS];
    let Ok(program) = equations.program(&names) else {
        return Vec::new();
    };
    let field = Interpreter::new(program, &sampled_motion.p.parameters);
    let states = &sampled_motion.own().states;
    let row = |i: &usize| {
        let state = states.get(*i);
        let values = state.and_then(|(t, y)| field.results(*t, y).ok());
        values.unwrap_or_else(|| vec![f64::NAN; 9 * count])
    };
    let columns = Columns(kept.iter().map(row).collect());
    let track = |force: usize, what: usize| columns.track(3 * (what * count + force));
    (0..count)
        .map(|force| [0, 1, 2].map(|what| track(force, what)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_a_file_are_listed_in_the_order_in_which_they_are_read() {
        let text = "coordinates = ['x']\n[frames]\nB = { parent = 'N', angle = 'x', axis = 'z' }\n\
            [bodies.b]\nmass = 1\nframe = 'B'\nposition = '[x, 0, 0]'\ninertia = [1, 1, 1]\n\
            [particles]\nP = { mass = 1, position = '[0, x, 0]' }\n[animation]\ntrail = ['P']\n\
            arrows = ['v(P)']\nbodies = [{ shape = 'rod', body = 'b', along = 'B.x', length = 2 }]\n";
        let (model, _) = appell_model::read("m.toml", text).expect("a good model");
        let widths: Vec<usize> = drawn(&model).iter().map(Vec::len).collect();
        assert_eq!(widths, [3, 12, 3, 6, 4]);
    }

    #[test]
    fn centres_have_different_names() {
        let named = |shapes: &str| {
            let text = format!(
                "coordinates = ['x']\n[frames]\nB = {{ parent = 'N', angle = 'x', axis = 'z' }}\n\
                 [bodies.b]\nmass = 1\nframe = 'B'\nposition = '[x, 0, 0]'\ninertia = [1, 1, 1]\n\
                 [animation]\nbodies = [{shapes}]\n"
            );
            let (model, _) = appell_model::read("m.toml", &text).expect("a good model");
            centres_in_words(&model)
        };
        let (carried, free) = (
            "{ shape = 'ball', body = 'b', radius = 1 }",
            "{ shape = 'ball', at = '[0, x, 0]', radius = 1 }",
        );
        assert_eq!(named(carried), ["centre"]);
        assert_eq!(
            named(&[carried, free, carried, free].join(", ")),
            [
                "centre of b",
                "centre of the ball",
                "centre of b (2)",
                "centre of the ball (2)"
            ]
        );
    }

    #[test]
    fn planes_are_pairs_of_axes() {
        assert_eq!(["xy", "xz", "yz"].map(axes_of), [[0, 1], [0, 2], [1, 2]]);
    }
}
