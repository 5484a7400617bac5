//! What a model declares, collected before any formula gets a value.

use crate::bodies;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Node, Table};
use crate::draft::{Defined, Draft, ParameterDraft, ParticleDraft};
use crate::entries::entries;
use crate::formula::{Formula, formula, value};
use crate::frames;
use crate::keys;
use crate::model::Value;
use crate::names::Named;
use crate::settings::Symbol;
use crate::world::{Rows, Slot, World};
use appell_expr::{Rational, Span};

/// More coordinates than this are refused.
const MAX_COORDINATES: usize = 300;

/// Collects all declarations and puts the symbols of coordinates, parameters and motion
/// variables into the world.
pub(crate) fn collect(model: &Table, world: &mut World, report: &mut Report) -> Draft {
    let mut draft = Draft::default();
    coordinates(model, world, report);
    let declaring = [
        "parameters",
        "inputs",
        "define",
        "points",
        "particles",
        "frames",
        "bodies",
    ];
    let misread = |key: &&str| {
        model
            .get(key)
            .is_some_and(|e| !matches!(e.value.kind, Kind::Table(_)))
    };
    world.names.incomplete |= declaring.iter().any(misread);
    world.names.incomplete |= keys::stands_for(model, keys::MODEL, &declaring);
    for entry in entries(model, "parameters", report) {
        let named = Named::Parameter(draft.parameters.len());
        world
            .names
            .declare(&entry.key, entry.key_span, named, report);
        world.add_parameter(&entry.key, Symbol::Parameter);
        draft.parameters.push(parameter(entry, report));
    }
    for entry in entries(model, "inputs", report) {
        let named = Named::Input(draft.parameters.len());
        world
            .names
            .declare(&entry.key, entry.key_span, named, report);
        world.add_parameter(&entry.key, Symbol::Input);
        draft.parameters.push(input(entry, report));
    }
    for entry in entries(model, "define", report) {
        let index = draft.definitions.len();
        world
            .names
            .declare(&entry.key, entry.key_span, Named::Definition(index), report);
        world.definitions.push(Slot::Failed);
        draft.definitions.push(defined(entry, &entry.value, report));
    }
    places(model, &mut draft, world, report);
    energies(model, &mut draft, report);
    draft.frames = frames::collect(model, world, report);
    bodies::collect(model, &mut draft, world, report);
    draft.motion = crate::motion::collect(model, world, report);
    for entry in entries(model, "constraints", report) {
        world.graph.declare_word(&entry.key);
        world.constraints.push(Rows {
            name: entry.key.clone(),
            rows: None,
        });
    }
    draft
}

fn coordinates(model: &Table, world: &mut World, report: &mut Report) {
    if keys::stands_for(model, keys::MODEL, &["coordinates"]) {
        world.names.incomplete = true;
        return;
    }
    let Some(node) = model.required("coordinates", "the model", Span::default(), report) else {
        world.names.incomplete = true;
        return;
    };
    let errors = report.errors();
    let names = node.texts("coordinates", report).unwrap_or_default();
    world.names.incomplete |= report.errors() > errors;
    if names.is_empty() && matches!(node.kind, Kind::List(_)) {
        let label = "name at least one, such as `[\"x\"]`";
        report.say(Code::BadValue, "there are no coordinates", node.span, label);
    }
    if names.len() > MAX_COORDINATES {
        let message = format!(
            "{} coordinates, more than the limit of {MAX_COORDINATES}",
            names.len()
        );
        report.say(Code::TooLarge, message, node.span, "too many");
    }
    for (index, text) in names.into_iter().take(MAX_COORDINATES).enumerate() {
        let place = if text.value.is_empty() {
            text.span
        } else {
            text.contents()
        };
        world
            .names
            .declare(&text.value, place, Named::Coordinate(index), report);
        world.add_coordinate(&text.value, place);
    }
}

fn parameter(entry: &Entry, report: &mut Report) -> ParameterDraft {
    let name = entry.key.clone();
    let mut draft = undescribed(entry, false);
    let Kind::Table(_) = entry.value.kind else {
        draft.value = value(&entry.value, &name, report);
        return draft;
    };
    let Some(table) = entry
        .value
        .table(&format!("parameter {name}"), keys::PARAMETER, report)
    else {
        return draft;
    };
    if let Some(node) = table.required(
        "value",
        &format!("parameter {name}"),
        entry.key_span,
        report,
    ) {
        draft.span = node.span;
        draft.value = value(node, "value", report);
    }
    let limit = |key: &str, report: &mut Report| {
        table
            .get(key)
            .and_then(|entry| formula(&entry.value, key, report))
    };
    draft.min = limit("min", report);
    draft.max = limit("max", report);
    draft.unit = table.optional_text("unit", report);
    draft.unit_span = table
        .get("unit")
        .map_or(draft.span, |entry| entry.value.span);
    draft.about = table.optional_text("about", report);
    draft
}

/// An input; without a value it is 0 where nothing drives it.
fn input(entry: &Entry, report: &mut Report) -> ParameterDraft {
    let mut draft = undescribed(entry, true);
    let Kind::Table(_) = entry.value.kind else {
        draft.value = value(&entry.value, &entry.key, report);
        return draft;
    };
    let owner = format!("input {}", entry.key);
    let Some(table) = entry.value.table(&owner, keys::INPUT, report) else {
        return draft;
    };
    draft.value = match table.get("value") {
        Some(given) => value(&given.value, "value", report),
        None => Some(Formula::Number(Rational::zero(), entry.value.span)),
    };
    draft.unit = table.optional_text("unit", report);
    draft.unit_span = table
        .get("unit")
        .map_or(draft.span, |entry| entry.value.span);
    draft.about = table.optional_text("about", report);
    draft
}

/// A parameter or an input of which only the name is known.
fn undescribed(entry: &Entry, is_input: bool) -> ParameterDraft {
    ParameterDraft {
        name: entry.key.clone(),
        is_input,
        span: entry.value.span,
        value: None,
        unit: None,
        unit_span: entry.value.span,
        about: None,
        min: None,
        max: None,
    }
}

fn defined(entry: &Entry, node: &Node, report: &mut Report) -> Defined {
    let formula = formula(node, &entry.key, report);
    Defined {
        name: entry.key.clone(),
        span: entry.key_span,
        formula,
    }
}

fn places(model: &Table, draft: &mut Draft, world: &mut World, report: &mut Report) {
    for entry in entries(model, "points", report) {
        let named = Named::Place(draft.places.len());
        world
            .names
            .declare(&entry.key, entry.key_span, named, report);
        world.add_place(entry, None);
        draft.places.push(defined(entry, &entry.value, report));
    }
    for entry in entries(model, "particles", report) {
        let (place, particle) = (draft.places.len(), draft.particles.len());
        world
            .names
            .declare(&entry.key, entry.key_span, Named::Place(place), report);
        world.add_place(entry, Some(particle));
        let owner = format!("particle {}", entry.key);
        let table = entry.value.table(&owner, keys::PARTICLE, report);
        let mut required = |key: &str| {
            let node = table?.required(key, &owner, entry.key_span, report)?;
            formula(node, key, report)
        };
        let position = required("position");
        let mass = required("mass");
        let force = table
            .and_then(|t| t.get("force"))
            .and_then(|e| formula(&e.value, "force", report));
        let (name, span) = (entry.key.clone(), entry.key_span);
        draft.places.push(Defined {
            name: name.clone(),
            span,
            formula: position,
        });
        draft.particles.push(ParticleDraft {
            name,
            span,
            place,
            mass,
            force,
        });
    }
}

fn energies(model: &Table, draft: &mut Draft, report: &mut Report) {
    if let Some(entry) = model.get("gravity") {
        draft.gravity = formula(&entry.value, "gravity", report);
        draft.gravity_span = entry.key_span;
    }
    let list = |key| {
        model
            .get(key)
            .is_some_and(|entry| matches!(entry.value.kind, Kind::List(_)))
    };
    draft.means_energy = list("bodies")
        || list("particles")
        || keys::stands_for(model, keys::MODEL, &["energy", "bodies", "particles"]);
    let Some(entry) = model.get("energy") else {
        return;
    };
    draft.energy_span = entry.key_span;
    let Some(table) = entry.value.table("[energy]", keys::ENERGY, report) else {
        return;
    };
    draft.means_energy |= keys::stands_for(table, keys::ENERGY, &["kinetic", "lagrangian"]);
    let mut part = |key: &str| table.get(key).and_then(|e| formula(&e.value, key, report));
    draft.kinetic = part("kinetic");
    draft.potential = part("potential");
    draft.lagrangian = part("lagrangian");
    draft.has_lagrangian = table.get("lagrangian").is_some();
    draft.has_energy = draft.has_lagrangian || table.get("kinetic").is_some();
    let beside = table.get("kinetic").or_else(|| table.get("potential"));
    if let (Some(lagrangian), Some(other)) = (table.get("lagrangian"), beside) {
        let message = "a Lagrangian stands beside the energies it is made of";
        let label = "give either `lagrangian`, or `kinetic` and `potential`";
        let diagnostic = Diagnostic::new(Code::TwoLagrangians, message, lagrangian.key_span, label);
        report.push(diagnostic.also(other.key_span, "given too"));
    }
}

impl World<'_> {
    /// `[define]` with values, in the file's order.
    pub(crate) fn known_definitions(&self, draft: &Draft) -> Vec<(String, Value)> {
        let values = self.definitions.iter().zip(&draft.definitions);
        let known = values.filter_map(|(slot, defined)| match slot {
            Slot::Known([value, _]) => Some((defined.name.clone(), *value)),
            Slot::Failed | Slot::Late => None,
        });
        known.collect()
    }
}
