//! From the text of a file to a model, in one screen.

use crate::Diagnostics;
use crate::alike;
use crate::bodies;
use crate::claims;
use crate::codes::{Code, Severity};
use crate::collect;
use crate::constraints;
use crate::diagnostic::Report;
use crate::document::{self, Kind, Table};
use crate::draft::Draft;
use crate::energy;
use crate::entities;
use crate::frames;
use crate::initial;
use crate::keys;
use crate::loads;
use crate::model::Model;
use crate::motion;
use crate::parameters;
use crate::plots;
use crate::source::Source;
use crate::units;
use crate::world::World;
use appell_expr::{Graph, Rational};

/// Reads a model: the model with warnings, or everything that is wrong with it.
///
/// `file_name` appears in messages only; no file is opened. Nothing in a model can run code.
///
/// # Errors
/// All diagnostics in the order of the text, at least one of them an error. A file that is not
/// TOML gives one; otherwise as many as can be found without guessing.
pub fn read(file_name: &str, text: &str) -> Result<(Model, Diagnostics), Diagnostics> {
    let source = Source::new(file_name, text);
    let mut report = Report::default();
    let table = document::parse(&source, &mut report);
    let model = table.and_then(|table| build(source, &table, &mut report));
    let diagnostics = report.finish()?;
    match model {
        Some(model) => Ok((model, diagnostics)),
        None => Err(diagnostics),
    }
}

/// The order of work: names, then what formulas can refer to, then the formulas of each section.
///
/// One piece: a line for each section of a file, and what has to stand before what is read off here.
fn build(source: Source, table: &Table, report: &mut Report) -> Option<Model> {
    table.check_keys("the model", keys::MODEL, report);
    check_version(table, report);
    let graph = Graph::new();
    let mut world = World::new(&graph);
    let draft = collect::collect(table, &mut world, report);
    world.only_lagrangian = draft.has_lagrangian;
    let plan = entities::plan(&draft, &world, report);
    let (parameters, numbers) = parameters::read(&draft, &world, report);
    entities::resolve(&plan, &draft, &mut world, report);
    bodies::stand_ins(&mut world);
    let energies = energy::energies(&draft, &world, report);
    let gravity = energy::gravity(&draft, &world, &mut Report::default());
    let particles = energy::particles(&draft, &world, report);
    let rigid = bodies::bodies(&draft, &world, report);
    loads::place_definitions(&plan, &draft, table, &mut world);
    let loads = loads::loads(table, &world, report);
    let forces = energy::forces(table, &world, report);
    let constraints = constraints::read(table, &mut world, report);
    entities::resolve_late(&plan, &draft, &mut world, report);
    let motion = motion::read(&draft.motion, &world, report);
    let initial = initial::read(table, &world, report);
    let simulate = initial::simulate(table, &world, report);
    let claims = claims::read(table, &world, report);
    let plots = plots::plots(table, &world, report);
    let animation = plots::animation(table, &world, report);
    let mut text = |key: &str| table.optional_text(key, report);
    let (title, origin, about) = (text("title"), text("source"), text("about"));
    check_size(&world, &draft, report);
    if report.errors() > 0 {
        return None;
    }
    let dimensions = units::check(&draft, table, &world, report);
    if report.errors() > 0 {
        return None;
    }
    let quantities = world.results.borrow_mut().take();
    let (definitions, points) = (world.known_definitions(&draft), world.known_points());
    let frames = frames::known(&draft.frames, &world);
    let bodies = [particles?, rigid?].concat();
    let material_points = bodies::material_points(&bodies, &world);
    let (time, coordinates) = (world.time.id(), world.coordinates);
    let model = Model {
        title: title.unwrap_or_else(|| source.name.clone()),
        source,
        origin,
        about,
        coordinates,
        time,
        parameters,
        definitions,
        points,
        frames,
        bodies,
        material_points,
        loads,
        gravity: gravity?,
        kinetic: energies.kinetic,
        potential: energies.potential,
        lagrangian: energies.lagrangian?,
        lagrangian_given: energies.given?,
        forces,
        constraints,
        motion,
        initial,
        simulate,
        claims,
        plots,
        animation,
        quantities,
        dimensions,
        graph,
    };
    let faults = bodies::faults(&model, &numbers);
    let sound = faults.iter().all(|fault| fault.severity != Severity::Error);
    faults.into_iter().for_each(|fault| report.push(fault));
    alike::check(&model, report);
    sound.then_some(model)
}

/// Reports a model that was found too large in a second pass, which says nothing itself.
fn check_size(world: &World, draft: &Draft, report: &mut Report) {
    if world.exhausted.get() && report.errors() == 0 {
        let message = "the model takes more expressions than can be read";
        report.say(Code::TooLarge, message, draft.energy_span, "simplify it");
    }
}

/// `appell = 1`
fn check_version(table: &Table, report: &mut Report) {
    let Some(entry) = table.get("appell") else {
        return;
    };
    match &entry.value.kind {
        Kind::Number(version) if *version == Rational::one() => {}
        Kind::Number(version) => {
            let message = format!("version {version} of the model format is not known");
            let label = "this program reads `appell = 1`";
            report.say(Code::BadValue, message, entry.value.span, label);
        }
        _ => report.push(entry.value.wrong_type("appell", "the number 1")),
    }
}
