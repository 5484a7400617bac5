//! `T`, `V`, `L`: what is given, plus what particles and bodies add.

use crate::algebra;
use crate::bodies;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::Table;
use crate::draft::Draft;
use crate::entries::entries;
use crate::formula::{Formula, formula};
use crate::frames;
use crate::keys::MODEL;
use crate::model::{Body, Value, Vector};
use crate::names::Named;
use crate::settings;
use crate::suggest::did_you_mean;
use crate::world::{Mode, Slot, World};
use appell_expr::{Id, Rational};

/// `T` = `[energy] kinetic` + `Sum 1/2 m v.v` + `Sum 1/2 omega.I omega` of particles and bodies.
pub(crate) fn kinetic(draft: &Draft, world: &World, report: &mut Report) -> Slot {
    let graph = world.graph;
    let half = graph.number(Rational::new(1, 2));
    let of_mass = |mass: Id, place: usize, mode: usize| {
        let v = vector(world.places[place].velocity, mode)?;
        Some((half * graph.ex(mass) * algebra::dot(graph, v, v)).id())
    };
    let of_rotation = |body: usize, inertia: [Vector; 3], mode: usize| {
        let spin = match world.bodies[body].frame? {
            None => algebra::null(graph),
            frame if mode == Mode::Plain as usize => frames::resal(world, frame, inertia)?.0,
            Some(frame) => world.frames[frame].attitude[mode]?.spin,
        };
        Some(bodies::rotational_energy(graph, spin, inertia))
    };
    with_bodies(&draft.kinetic, of_mass, of_rotation, draft, world, report)
}

/// `V` = `[energy] potential` + `Sum -m g.r` of particles and bodies.
pub(crate) fn potential(draft: &Draft, world: &World, report: &mut Report) -> Slot {
    let graph = world.graph;
    let gravity = gravity(draft, world, report);
    let of_mass = |mass: Id, place: usize, mode: usize| {
        let r = vector(world.places[place].position, mode)?;
        Some((-(graph.ex(mass) * algebra::dot(graph, gravity?, r))).id())
    };
    let of_rotation = |_, _, _| Some(graph.zero().id());
    with_bodies(&draft.potential, of_mass, of_rotation, draft, world, report)
}

/// `gravity`, the null vector where none is given.
pub(crate) fn gravity(draft: &Draft, world: &World, report: &mut Report) -> Option<Vector> {
    match &draft.gravity {
        Some(formula) => world.vector(formula, &settings::GRAVITY, report),
        None => Some(algebra::null(world.graph)),
    }
}

fn vector(slot: Slot, mode: usize) -> Option<Vector> {
    match slot {
        Slot::Known(values) => match values[mode] {
            Value::Vector(a) => Some(a),
            Value::Scalar(_) => None,
        },
        Slot::Failed | Slot::Late => None,
    }
}

/// What is given plus a part of each mass and each rotation, in both modes.
fn with_bodies(
    given: &Option<Formula>,
    of_mass: impl Fn(Id, usize, usize) -> Option<Id>,
    of_rotation: impl Fn(usize, [Vector; 3], usize) -> Option<Id>,
    draft: &Draft,
    world: &World,
    report: &mut Report,
) -> Slot {
    let stated = match given {
        Some(formula) => match world.scalar(formula, &settings::ENERGY, report) {
            Some(plain) => match world.slot(formula, &settings::ENERGY, &mut Report::default()) {
                Slot::Known([_, Value::Scalar(inspected)]) => [plain, inspected],
                _ => [plain, plain],
            },
            None => return Slot::Failed,
        },
        None => [world.graph.zero().id(); 2],
    };
    // What is wrong with a mass or an inertia is reported where the bodies are put together.
    let mut unheard = Report::default();
    let of_particles = draft.particles.iter();
    let of_particles = of_particles.map(|p| {
        Some((
            world.scalar(p.mass.as_ref()?, &settings::MASS, &mut unheard)?,
            p.place,
        ))
    });
    let mut masses: Vec<Option<(Id, usize)>> = of_particles.collect();
    let mut inertias = Vec::new();
    for (index, body) in draft.bodies.iter().enumerate() {
        masses.push(bodies::mass(body, world, &mut unheard).map(|mass| (mass, body.place)));
        inertias.push(bodies::inertia_matrix(body, world, &mut unheard).map(|i| (index, i)));
    }
    let sum = |mode: usize| {
        let translations = masses
            .iter()
            .map(|part| of_mass(part.as_ref()?.0, part.as_ref()?.1, mode));
        let rotations = inertias.iter().map(|part| {
            let (body, inertia) = part.as_ref()?;
            of_rotation(*body, *inertia, mode)
        });
        let parts: Option<Vec<Id>> = translations
            .chain(rotations)
            .chain([Some(stated[mode])])
            .collect();
        Some(Value::Scalar(
            world.graph.sum(&world.graph.exs(&parts?)).id(),
        ))
    };
    match (sum(0), sum(1)) {
        (Some(plain), Some(inspected)) => Slot::Known([plain, inspected]),
        _ => Slot::Failed,
    }
}

/// The energies of the model, once everything is worked out.
pub(crate) struct Energies {
    pub(crate) kinetic: Option<Id>,
    pub(crate) potential: Option<Id>,
    pub(crate) lagrangian: Option<Id>,
    /// The part of the Lagrangian that `[energy]` gives.
    pub(crate) given: Option<Id>,
}

/// `T`, `V` and `L`, or an error where there is neither energy nor mass.
pub(crate) fn energies(draft: &Draft, world: &World, report: &mut Report) -> Energies {
    let scalar = |slot: Slot| match slot {
        Slot::Known([Value::Scalar(x), _]) => Some(x),
        _ => None,
    };
    let (kinetic, potential) = (scalar(world.kinetic), scalar(world.potential));
    let difference = kinetic
        .zip(potential)
        .map(|(t, v)| (world.graph.ex(t) - world.graph.ex(v)).id());
    if draft.gravity.is_some() && !draft.has_masses() && !draft.means_energy {
        let message = "`gravity` acts on particles and bodies, and there are none";
        let label = "without effect: put it into the potential energy";
        report.say(Code::Unused, message, draft.gravity_span, label);
    }
    if draft.has_lagrangian {
        // T and V hold the bodies' part only.
        let given = draft
            .lagrangian
            .as_ref()
            .and_then(|f| world.scalar(f, &settings::ENERGY, report));
        let sum = given
            .zip(difference)
            .map(|(l, d)| (world.graph.ex(l) + world.graph.ex(d)).id());
        return Energies {
            kinetic: None,
            potential: None,
            lagrangian: sum,
            given,
        };
    }
    if !draft.has_energy && !draft.has_masses() && !draft.means_energy {
        let message = "the model has neither a kinetic energy nor a mass";
        let label = "add `[energy]` with `kinetic = \"...\"`, `[particles]` or `[bodies]`";
        report.say(Code::NoEnergy, message, draft.energy_span, label);
    }
    Energies {
        kinetic,
        potential,
        lagrangian: difference,
        given: given_difference(draft, world),
    }
}

/// `kinetic - potential` of `[energy]`; what is wrong was said.
fn given_difference(draft: &Draft, world: &World) -> Option<Id> {
    let mut unheard = Report::default();
    let mut part = |formula: &Option<Formula>| match formula {
        Some(formula) => world.scalar(formula, &settings::ENERGY, &mut unheard),
        None => Some(world.graph.zero().id()),
    };
    let (kinetic, potential) = (part(&draft.kinetic)?, part(&draft.potential)?);
    Some((world.graph.ex(kinetic) - world.graph.ex(potential)).id())
}

/// `[particles]` with values.
pub(crate) fn particles(draft: &Draft, world: &World, report: &mut Report) -> Option<Vec<Body>> {
    let mut particles = Vec::new();
    for particle in &draft.particles {
        let place = &world.places[particle.place];
        let mass = particle
            .mass
            .as_ref()
            .and_then(|f| world.scalar(f, &settings::MASS, report));
        let force = particle
            .force
            .as_ref()
            .map(|f| world.vector(f, &settings::FORCE, report));
        let (Some(mass), Some(position), Some(velocity)) =
            (mass, vector(place.position, 0), vector(place.velocity, 0))
        else {
            continue;
        };
        particles.push(Body {
            name: particle.name.clone(),
            span: particle.span,
            mass,
            position,
            velocity,
            force: force.flatten(),
            rotation: None,
        });
    }
    (particles.len() == draft.particles.len()).then_some(particles)
}

/// `[forces]` with values.
pub(crate) fn forces(model: &Table, world: &World, report: &mut Report) -> Vec<(usize, Id)> {
    let mut forces = Vec::new();
    for entry in entries(model, "forces", report) {
        let Some(Named::Coordinate(index)) = world.names.get(&entry.key) else {
            let known: Vec<&str> = world.coordinates.iter().map(|c| c.name.as_str()).collect();
            let message = format!("`{}` in [forces] is not a coordinate", entry.key);
            let otherwise = if MODEL.contains(&entry.key.as_str()) {
                "this is a key of the whole model: write it above the first [table]"
            } else {
                "write a coordinate: a force is the component along it; forces on bodies are `[[loads]]`"
            };
            let label = did_you_mean(&entry.key, known.iter().copied(), otherwise);
            let diagnostic = Diagnostic::new(Code::UnknownName, message, entry.key_span, label);
            report.push(diagnostic.note(format!("known: coordinates {}", known.join(", "))));
            continue;
        };
        if let Some(formula) = formula(&entry.value, &entry.key, report) {
            forces.extend(
                world
                    .scalar(&formula, &settings::FORCE, report)
                    .map(|force| (index, force)),
            );
        }
    }
    forces
}
