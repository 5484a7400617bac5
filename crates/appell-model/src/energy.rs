//! `T`, `V`, `L`: what is given, plus the particles'.

use crate::algebra;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::Table;
use crate::draft::{Draft, entries};
use crate::formula::{Formula, formula};
use crate::keys::MODEL;
use crate::model::{Particle, Value, Vector};
use crate::names::Named;
use crate::settings;
use crate::suggest::did_you_mean;
use crate::world::{Slot, World};
use appell_expr::{Id, Rational};

/// `T` = `[energy] kinetic` + `Sum 1/2 m v.v` of the particles.
pub(crate) fn kinetic(draft: &Draft, world: &World, report: &mut Report) -> Slot {
    let half = world.graph.number(Rational::new(1, 2));
    let of_particle = |mass: Id, place: usize, mode: usize| {
        let v = vector(world.places[place].velocity, mode)?;
        Some((half * world.graph.ex(mass) * algebra::dot(world.graph, v, v)).id())
    };
    with_particles(&draft.kinetic, of_particle, draft, world, report)
}

/// `V` = `[energy] potential` + `Sum -m g.r` of the particles.
pub(crate) fn potential(draft: &Draft, world: &World, report: &mut Report) -> Slot {
    let gravity = match &draft.gravity {
        Some(formula) => world.vector(formula, &settings::GRAVITY, report),
        None => Some(algebra::null(world.graph)),
    };
    let of_particle = |mass: Id, place: usize, mode: usize| {
        let r = vector(world.places[place].position, mode)?;
        Some((-(world.graph.ex(mass) * algebra::dot(world.graph, gravity?, r))).id())
    };
    with_particles(&draft.potential, of_particle, draft, world, &mut *report)
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

/// What is given plus a part of each particle, in both modes.
fn with_particles(
    given: &Option<Formula>,
    part: impl Fn(Id, usize, usize) -> Option<Id>,
    draft: &Draft,
    world: &World,
    report: &mut Report,
) -> Slot {
    let own = match given {
        Some(formula) => match world.scalar(formula, &settings::ENERGY, report) {
            Some(plain) => match world.slot(formula, &settings::ENERGY, &mut Report::default()) {
                Slot::Known([_, Value::Scalar(inspected)]) => [plain, inspected],
                _ => [plain, plain],
            },
            None => return Slot::Failed,
        },
        None => [world.graph.zero().id(); 2],
    };
    let masses: Option<Vec<(Id, usize)>> = draft
        .particles
        .iter()
        .map(|p| Some((mass(p.mass.as_ref()?, world)?, p.place)))
        .collect();
    let sum = |mode: usize| {
        let parts = masses
            .as_ref()?
            .iter()
            .map(|(mass, place)| part(*mass, *place, mode));
        let parts: Option<Vec<Id>> = parts.chain([Some(own[mode])]).collect();
        Some(Value::Scalar(
            world.graph.sum(&world.graph.exs(&parts?)).id(),
        ))
    };
    match (sum(0), sum(1)) {
        (Some(plain), Some(inspected)) => Slot::Known([plain, inspected]),
        _ => Slot::Failed,
    }
}

/// A mass; what is wrong with it is reported in [`particles`].
fn mass(formula: &Formula, world: &World) -> Option<Id> {
    world.scalar(formula, &settings::MASS, &mut Report::default())
}

/// The energies of the model, once everything is worked out.
pub(crate) struct Energies {
    pub(crate) kinetic: Option<Id>,
    pub(crate) potential: Option<Id>,
    pub(crate) lagrangian: Option<Id>,
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
    if draft.gravity.is_some() && draft.particles.is_empty() && !draft.has_bodies {
        let message = "`gravity` acts on particles and bodies, and there are none";
        let label = "without effect: put it into the potential energy";
        report.say(Code::Unused, message, draft.gravity_span, label);
    }
    if draft.has_lagrangian {
        // T and V hold the particles' part only.
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
        };
    }
    if !draft.has_energy && draft.particles.is_empty() && !draft.has_bodies {
        let message = "the model has neither a kinetic energy nor a particle";
        let label = "add `[energy]` with `kinetic = \"...\"`, or `[particles]`";
        report.say(Code::NoEnergy, message, draft.energy_span, label);
    }
    Energies {
        kinetic,
        potential,
        lagrangian: difference,
    }
}

/// `[particles]` with values.
pub(crate) fn particles(
    draft: &Draft,
    world: &World,
    report: &mut Report,
) -> Option<Vec<Particle>> {
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
        let stand_ins = |function| world.stand_ins(function, &particle.name);
        let (Some(mass), Some(position), Some(velocity)) =
            (mass, vector(place.position, 0), vector(place.velocity, 0))
        else {
            continue;
        };
        particles.push(Particle {
            name: particle.name.clone(),
            span: particle.span,
            mass,
            position,
            velocity,
            force: force.flatten(),
            position_symbols: stand_ins("pos"),
            velocity_symbols: stand_ins("v"),
            acceleration_symbols: stand_ins("a"),
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
                "a force is the component along a coordinate"
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
