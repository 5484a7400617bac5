//! One part: its members' values, their motions, and what is kept of them.

use crate::columns::{Column, Data};
use crate::design::Design;
use crate::problem::Problem;
use crate::reduce::{Bound, Cell, Section};
use appell_flow::ensemble::{Ending, Report};
use appell_flow::{Control, ExitKind, Field, Workspace};
use appell_model::Model;
use appell_study::motion::ensemble::{Ensemble, Look, Members, Parts};
use std::collections::HashMap;

/// What all parts have in common.
pub(crate) struct Task<'t, 'n, 'p, 'g> {
    pub design: &'t Design,
    pub bound: &'t Bound,
    pub parts: &'t Parts<'n, 'p, 'g>,
    /// Every so many of the places that are looked at are kept as samples.
    pub every: usize,
    /// Whether the energy is constant.
    pub keeps_energy: bool,
}

/// A part that is done.
pub(crate) struct Outcome {
    pub columns: Vec<Column>,
    pub sections: Vec<Section>,
    pub backend: String,
    pub remarks: Vec<(u64, String)>,
}

/// The words for how members end.
const WORDS: [&str; 10] = [
    "finished",
    "stopped",
    "singular",
    "rank-rose",
    "sheet-lost",
    "underflow",
    "error",
    "steps-exhausted",
    "interrupted",
    "refused",
];

impl Task<'_, '_, '_, '_> {
    /// Empty columns of a part.
    pub fn columns(&self, model: &Model) -> Vec<Column> {
        let mut columns = vec![Column::new("member", Data::Whole(Vec::new()))];
        let varied = self.design.shown_columns(model);
        columns.extend(varied.into_iter().map(Column::numbers));
        columns.push(words_of_endings());
        let names = self.parts.state_names().iter().cloned();
        let numbers = ["t".to_owned()]
            .into_iter()
            .chain(names)
            .chain(["energy_defect".to_owned()]);
        columns.extend(numbers.map(Column::numbers));
        columns.extend(self.bound.columns());
        columns
    }

    /// The units of the parameters that differ, as lines of a name, a tab and a unit.
    pub fn units(&self) -> String {
        let parameters = self.parts.model().parameters.iter();
        let known = parameters.filter_map(|own| Some((&own.name, own.unit.as_ref()?)));
        let varied =
            known.filter(|(name, _)| self.design.names.iter().any(|(own, _)| own == *name));
        varied
            .map(|(name, unit)| format!("{name}\t{unit}\n"))
            .collect()
    }
}

fn words_of_endings() -> Column {
    let words = WORDS.map(str::to_owned).to_vec();
    let codes = Vec::new();
    Column::new("status", Data::Words { words, codes })
}

/// A member on its way.
#[derive(Default)]
struct Way {
    times: Vec<f64>,
    /// The values of the watched expressions.
    values: Vec<f64>,
    /// States of the samples that are kept.
    kept: Vec<f64>,
}

/// What is known of a member at its end, beside its state.
struct Known {
    cells: Vec<Cell>,
    kept: Vec<f64>,
    defect: f64,
}

/// Looks at the motions of a part while they are computed.
struct Watch<'w, 't, 'n, 'p, 'g> {
    task: &'w Task<'t, 'n, 'p, 'g>,
    first: u64,
    times: Vec<f64>,
    ways: HashMap<usize, Way>,
    known: Vec<Option<Known>>,
    sections: Vec<Vec<Section>>,
    workspace: Workspace,
    room: Vec<f64>,
    energies: Energies,
}

/// Computes a part; none where it was interrupted.
pub(crate) fn compute(
    task: &Task<'_, '_, '_, '_>,
    part: u64,
    control: &mut Control<'_>,
) -> Result<Option<Outcome>, Problem> {
    let design = task.design;
    let first = part * design.shard;
    let count = design.shard.min(design.members() - first) as usize;
    let mut values = Vec::with_capacity(count * design.names.len());
    (first..first + count as u64).for_each(|member| design.values.row(member, &mut values));
    let members = Members::new(design.columns(), values);
    let mut watch = Watch::new(task, first, count);
    let mut look = |member, look: Look<'_>| watch.look(member, &look);
    let done = task.parts.looked_at(&members, &mut look, control)?;
    if done.exit() == ExitKind::Interrupted {
        return Ok(None);
    }
    Ok(Some(watch.outcome(&done, &members)))
}

impl<'w, 't, 'n, 'p, 'g> Watch<'w, 't, 'n, 'p, 'g> {
    fn new(task: &'w Task<'t, 'n, 'p, 'g>, first: u64, count: usize) -> Self {
        Self {
            times: task.parts.look_times().to_vec(),
            task,
            first,
            ways: HashMap::new(),
            known: (0..count).map(|_| None).collect(),
            sections: (0..count).map(|_| Vec::new()).collect(),
            workspace: Workspace::default(),
            room: Vec::new(),
            energies: Energies::default(),
        }
    }

    fn look(&mut self, member: usize, look: &Look<'_>) {
        match look.report {
            Report::Sample { index, y, .. } => {
                let mut way = self.ways.remove(&member).unwrap_or_default();
                self.watch(&mut way, self.times[index], y, look.parameters);
                if self.task.design.samples > 0 && index % self.task.every == 0 {
                    way.kept.extend_from_slice(y);
                }
                self.ways.insert(member, way);
            }
            Report::End { t, y, ending, .. } => {
                let mut way = self.ways.remove(&member).unwrap_or_default();
                if ending != Ending::Interrupted {
                    self.end(member, &mut way, t, y, look);
                }
            }
        }
    }

    /// The values of the watched expressions at a state.
    fn watch(&mut self, way: &mut Way, t: f64, y: &[f64], parameters: &[f64]) {
        let Some(field) = self.task.parts.watched() else {
            return;
        };
        self.room.clear();
        self.room.extend_from_slice(y);
        self.room.extend_from_slice(parameters);
        let place = way.values.len();
        way.times.push(t);
        way.values.resize(place + field.outputs(), f64::NAN);
        if field
            .eval(&mut self.workspace, t, &self.room, &mut way.values[place..])
            .is_err()
        {
            way.values[place..].fill(f64::NAN);
        }
    }

    fn end(&mut self, member: usize, way: &mut Way, t: f64, y: &[f64], look: &Look<'_>) {
        let width = self.task.bound.expressions.len();
        // Two places that nearly coincide are one: no polynomial goes through both.
        let apart = match self.times.get(1) {
            Some(second) => 0.1 * (second - self.times[0]).abs(),
            None => 0.0,
        };
        if way.times.len() > 1
            && way
                .times
                .last()
                .is_some_and(|last| (t - last).abs() <= apart)
        {
            way.times.pop();
            way.values.truncate(way.times.len() * width);
        }
        self.watch(way, t, y, look.parameters);
        let mut sections = self.task.bound.sections();
        let number = self.first + member as u64;
        let cells = match way.times.is_empty() {
            true => self.task.bound.nothing(),
            false => self
                .task
                .bound
                .row(number, &way.times, &way.values, &mut sections),
        };
        self.sections[member] = sections;
        self.known[member] = Some(Known {
            cells,
            kept: std::mem::take(&mut way.kept),
            defect: self.defect(t, y, look),
        });
    }

    /// By how much an energy that should be constant has changed.
    fn defect(&mut self, t: f64, y: &[f64], look: &Look<'_>) -> f64 {
        let Some(field) = self.task.parts.energy().filter(|_| self.task.keeps_energy) else {
            return f64::NAN;
        };
        let (begin, _) = self.task.parts.times();
        let before = self.energies.at(field, begin, look.start, look.parameters);
        let after = self.energies.at(field, t, y, look.parameters);
        after - before
    }

    /// The columns of the part.
    fn outcome(mut self, done: &Ensemble, members: &Members) -> Outcome {
        let mut columns = self.task.columns(self.task.parts.model());
        let samples = self.task.design.samples;
        let width = members.columns.len();
        let nothing = self.task.bound.nothing();
        for member in 0..members.count {
            let known = self.known[member].take();
            let status = WORDS.iter().position(|word| *word == done.word(member));
            let own = &members.values[member * width..(member + 1) * width];
            for sample in 0..samples.max(1) {
                let (t, y) = self.state(done, member, known.as_ref(), sample);
                let defect = known.as_ref().map_or(f64::NAN, |known| known.defect);
                let cells = known.as_ref().map_or(&nothing, |known| &known.cells);
                let given = own.iter().map(|x| Cell::Number(*x));
                let state = [t].into_iter().chain(y).chain([defect]).map(Cell::Number);
                let row = given.chain([Cell::Word(status)]).chain(state);
                add(
                    &mut columns,
                    self.first + member as u64,
                    row.chain(cells.iter().copied()),
                );
            }
        }
        let remarks = done.remarks.iter();
        Outcome {
            columns,
            sections: joined(self.task.bound.sections(), self.sections),
            backend: done.backend.clone(),
            remarks: remarks
                .map(|(member, why)| (self.first + *member as u64, why.clone()))
                .collect(),
        }
    }

    /// Time and state of a row: the end, or a sample.
    fn state(
        &self,
        done: &Ensemble,
        member: usize,
        known: Option<&Known>,
        sample: usize,
    ) -> (f64, Vec<f64>) {
        if self.task.design.samples == 0 {
            return (done.t[member], done.state(member).to_vec());
        }
        let n = done.state_names.len();
        let kept = known.and_then(|known| known.kept.get(sample * n..(sample + 1) * n));
        let nothing = || vec![f64::NAN; n];
        (
            self.times[sample * self.task.every],
            kept.map_or_else(nothing, <[f64]>::to_vec),
        )
    }
}

/// The energies at the beginning and the end.
#[derive(Default)]
struct Energies {
    workspace: Workspace,
    room: Vec<f64>,
}

impl Energies {
    fn at(&mut self, field: &dyn Field, t: f64, y: &[f64], parameters: &[f64]) -> f64 {
        self.room.clear();
        self.room.extend_from_slice(y);
        self.room.extend_from_slice(parameters);
        let mut out = [f64::NAN];
        let found = field.eval(&mut self.workspace, t, &self.room, &mut out);
        found.map_or(f64::NAN, |()| out[0])
    }
}

/// Appends a row.
fn add(columns: &mut [Column], member: u64, cells: impl Iterator<Item = Cell>) {
    if let Data::Whole(members) = &mut columns[0].data {
        members.push(member as i64);
    }
    for (column, cell) in columns[1..].iter_mut().zip(cells) {
        cell.add_to(&mut column.data);
    }
}

/// The rows of all members' sections, in their order.
fn joined(mut all: Vec<Section>, members: Vec<Vec<Section>>) -> Vec<Section> {
    for (own, section) in all.iter_mut().enumerate() {
        let rows = members
            .iter()
            .filter_map(|sections| Some(sections.get(own)?.columns.clone()));
        let empty = std::mem::take(&mut section.columns);
        section.columns = crate::columns::below([empty].into_iter().chain(rows));
    }
    all
}
