//! The units that a file gives.

use super::Unknown;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::dimension::{Dimension, nearest_unit};
use crate::document::{Entry, Table};
use crate::draft::Draft;
use crate::entries::entries;
use crate::names::Named;
use crate::suggest::did_you_mean;
use crate::world::World;
use appell_expr::{Id, Span};
use std::collections::{BTreeMap, HashSet};

/// The units that the file gives, of those that are known.
pub(super) struct Given {
    pub symbols: BTreeMap<Unknown, Dimension>,
    /// Coordinates in radians.
    pub angles: HashSet<Id>,
    /// Seconds, if nothing is said.
    pub time: Dimension,
}

pub(super) fn given(draft: &Draft, table: &Table, world: &World, report: &mut Report) -> Given {
    let (mut given, mut time) = (BTreeMap::new(), Dimension::second());
    let mut angles = HashSet::new();
    for (index, parameter) in draft.parameters.iter().enumerate() {
        let Some(unit) = &parameter.unit else {
            continue;
        };
        let symbol = Unknown::Symbol(world.parameters[index].id());
        if let Some(dimension) = read(unit, parameter.unit_span, report) {
            given.insert(symbol, dimension);
        }
    }
    for entry in entries(table, "units", report) {
        if entry.key == "t" {
            time = unit_of_time(entry, report).unwrap_or(time);
            continue;
        }
        let symbol = match world.names.get(&entry.key) {
            Some(Named::Coordinate(i)) => Unknown::Symbol(world.coordinates[i].q),
            Some(Named::Variable(i)) => Unknown::Symbol(world.variables[i].symbol),
            Some(Named::Definition(i)) => Unknown::Definition(i),
            other => {
                let known: Vec<&str> = world.coordinates.iter().map(|c| c.name.as_str()).collect();
                let message = format!("`{}` in [units] is no coordinate", entry.key);
                let otherwise = match other {
                    Some(Named::Parameter(_) | Named::Input(_)) => {
                        "a parameter has its unit beside its value: `{ value = 1, unit = \"kg\" }`"
                    }
                    _ => "write a coordinate, a definition or a motion variable",
                };
                let label = did_you_mean(&entry.key, known.iter().copied(), otherwise);
                report.push(Diagnostic::new(
                    Code::UnknownName,
                    message,
                    entry.key_span,
                    label,
                ));
                continue;
            }
        };
        if let Some(text) = entry.value.text(&entry.key, report)
            && let Some(dimension) = read(&text.value, text.contents(), report)
        {
            if let (Unknown::Symbol(q), "rad") = (&symbol, text.value.trim()) {
                angles.insert(*q);
            }
            given.insert(symbol, dimension);
        }
    }
    Given {
        symbols: given,
        angles,
        time,
    }
}

/// The unit of the time, which is one of times.
fn unit_of_time(entry: &Entry, report: &mut Report) -> Option<Dimension> {
    let text = entry.value.text(&entry.key, report)?;
    let dimension = read(&text.value, text.contents(), report)?;
    if !dimension.is_like(&Dimension::second()) {
        let message = format!("`{}` is no unit of time", text.value.trim());
        let label = "such as s, min, h, d";
        report.push(Diagnostic::new(
            Code::BadValue,
            message,
            text.contents(),
            label,
        ));
        return None;
    }
    Some(dimension)
}

/// A unit; one that is not known is free, but a near miss is told.
fn read(unit: &str, span: Span, report: &mut Report) -> Option<Dimension> {
    let dimension = Dimension::read(unit);
    if dimension.is_none()
        && let Some(near) = nearest_unit(unit)
    {
        let message = format!("the unit `{}` is not known", unit.trim());
        let label = format!("did you mean `{near}`?");
        let note = "a unit that is not known is shown, and nothing is checked by it";
        report.push_once(Diagnostic::new(Code::Unit, message, span, label).note(note));
    }
    dimension
}
