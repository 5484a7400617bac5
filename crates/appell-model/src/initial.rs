//! `[initial]` and `[simulate]`: where a motion starts, and how far it is followed.

use crate::codes::Code;
use crate::diagnostic::Report;
use crate::document::{Entry, Table};
use crate::formula::{Formula, Written, formula, sentences};
use crate::keys;
use crate::model::{Condition, Inconsistent, Initial, Simulate};
use crate::motion::{Rated, named_rate, push_new};
use crate::parameters::in_parameters;
use crate::settings;
use crate::world::{Mode, World};
use appell_expr::{Id, Span};

/// More samples than this are refused.
const MAX_SAMPLES: i64 = 10_000_000;

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
    let Some(table) = entry.value.table("[initial]", keys::INITIAL, report) else {
        return initial;
    };
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
    simulate.method = table.optional_text("method", report);
    simulate.samples = table
        .get("samples")
        .and_then(|e| e.value.count("samples", MAX_SAMPLES, report));
    if let Some(stop) = table.get("stop") {
        let stops = sentences(&stop.value, "stop", report).unwrap_or_default();
        simulate.stop = stops
            .iter()
            .filter_map(|w| world.condition(w, &settings::ANYTHING, report))
            .collect();
    }
    simulate
}
