//! `[initial]` and `[simulate]`: where a motion starts, and how far it is followed.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Table};
use crate::format::MAX_SAMPLES;
use crate::formula::{Formula, Written, formula, sentences};
use crate::keys;
use crate::model::{Condition, Inconsistent, Initial, Simulate};
use crate::motion::{Rated, named_rate, push_new};
use crate::names::Named;
use crate::parameters::in_parameters;
use crate::settings;
use crate::world::{Mode, World};
use appell_expr::{AstKind, Id, Span};

/// `[initial]` with values.
pub(crate) fn read(model: &Table, world: &World, report: &mut Report) -> Initial {
    let mut initial = Initial {
        time: world.graph.zero().id(),
        state: Vec::new(),
        keep: Vec::new(),
        keep_positions: Vec::new(),
        inconsistent: None,
        span: Span::default(),
    };
    let Some(entry) = model.get("initial") else {
        return initial;
    };
    initial.span = entry.key_span;
    let Some(table) = entry.value.any_table("[initial]", report) else {
        return initial;
    };
    check_keys(table, world, report);
    if let Some(time) = time(table, "t", world, report) {
        initial.time = time;
    }
    if let Some(state) = table.get("state") {
        initial.state = equations(state, "state", &settings::START, world, report);
    }
    if let Some(keep) = table.get("keep") {
        for written in sentences(&keep.value, "keep", report).unwrap_or_default() {
            keep_one(&written, &mut initial, world, report);
        }
    }
    let word = |entry: &Entry, report: &mut Report| {
        entry
            .value
            .word("inconsistent", &["project", "error"], report)
    };
    initial.inconsistent = match table.get("inconsistent").and_then(|e| word(e, report)) {
        Some("project") => Some(Inconsistent::Project),
        Some(_) => Some(Inconsistent::Error),
        None => None,
    };
    initial
}

/// Reports keys that are not known; `x = 1` is an equation of the state.
fn check_keys(table: &Table, world: &World, report: &mut Report) {
    let unknown = |entry: &&Entry| !keys::INITIAL.contains(&entry.key.as_str());
    for entry in table.entries.iter().filter(unknown) {
        let quantity = match world.names.get(entry.key.trim_end_matches('\'')) {
            Some(Named::Coordinate(_) | Named::Variable(_) | Named::Definition(_)) => true,
            Some(_) | None => false,
        };
        if !quantity {
            report.push(keys::unknown_key(entry, "[initial]", keys::INITIAL));
            continue;
        }
        let value = match &entry.value.kind {
            Kind::Number(number) => number.to_f64().to_string(),
            Kind::Text(text) => text.value.clone(),
            _ => "..".to_owned(),
        };
        let message = format!("unknown key `{}` in [initial]", entry.key);
        let label = format!("write `state = [\"{} = {value}\"]`", entry.key);
        let note = "the equations of the initial state stand in one list, such as `state = [\"x = 1\", \"x' = 0\"]`";
        let diagnostic = Diagnostic::new(Code::UnknownKey, message, entry.key_span, label);
        report.push(diagnostic.note(note));
    }
}

/// One entry of `keep`.
fn keep_one(written: &Written, initial: &mut Initial, world: &World, report: &mut Report) {
    let place = written.text.contents();
    let twice = match named_rate(written, world) {
        Some(Rated::Velocity(i)) => push_new(&mut initial.keep, i),
        Some(Rated::Coordinate(i)) => push_new(&mut initial.keep_positions, i),
        Some(Rated::Variable(_)) | None => {
            let message = "`keep` lists velocities and coordinates";
            let label = "write `x'` or `x` for a coordinate x";
            return report.say(Code::BadValue, message, place, label);
        }
    };
    if twice {
        let message = format!("`{}` is listed twice", written.on_one_line());
        report.say(Code::BadValue, message, place, "remove one of them");
    }
}

/// A list of equations, a vector equation giving three conditions.
pub(crate) fn equations(
    entry: &Entry,
    key: &str,
    setting: &settings::Setting,
    world: &World,
    report: &mut Report,
) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for written in sentences(&entry.value, key, report).unwrap_or_default() {
        if key == "state" && is_the_time(&written) {
            let message = "the time is no part of the state";
            let label = "write `t = ...` in [initial], outside the list";
            report.say(Code::NotAllowed, message, written.text.contents(), label);
            continue;
        }
        let rows = world
            .equation(&written, setting, Mode::Plain, report)
            .unwrap_or_default();
        conditions.extend(
            rows.into_iter()
                .map(|row| world.as_condition(row, &written)),
        );
    }
    conditions
}

/// `t = 2`
fn is_the_time(written: &Written) -> bool {
    let sentence = &written.sentence;
    let left = &sentence.ast.node(sentence.lhs).kind;
    sentence.rhs.is_some() && matches!(left, AstKind::Name(name) if name == "t")
}

/// A time: an expression in parameters.
fn time(table: &Table, key: &str, world: &World, report: &mut Report) -> Option<Id> {
    let formula: Formula = formula(&table.get(key)?.value, key, report)?;
    match formula.written() {
        Some(_) => world.scalar(&formula, &settings::TIME, report),
        None => in_parameters(&formula, world, report),
    }
}

/// `[simulate]` with values.
pub(crate) fn simulate(model: &Table, world: &World, report: &mut Report) -> Simulate {
    let mut simulate = Simulate::default();
    let Some(entry) = model.get("simulate") else {
        return simulate;
    };
    let Some(table) = entry.value.table("[simulate]", keys::SIMULATE, report) else {
        return simulate;
    };
    simulate.until = time(table, "until", world, report);
    simulate.rtol = table
        .get("rtol")
        .and_then(|e| e.value.positive("rtol", report));
    simulate.atol = table
        .get("atol")
        .and_then(|e| e.value.positive("atol", report));
    simulate.max_step = table
        .get("max_step")
        .and_then(|e| e.value.positive("max_step", report));
    simulate.method = table.optional_text("method", report);
    let method = table.get("method");
    simulate.method_span = method.map_or_else(Span::default, |entry| entry.value.span);
    simulate.samples = table
        .get("samples")
        .and_then(|e| e.value.count("samples", MAX_SAMPLES.into(), report));
    if let Some(stop) = table.get("stop") {
        let stops = sentences(&stop.value, "stop", report).unwrap_or_default();
        simulate.stop = stops
            .iter()
            .filter_map(|w| world.condition(w, &settings::ANYTHING, report))
            .collect();
    }
    simulate
}
