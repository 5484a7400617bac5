//! A study: its parts computed, each once, and what there is of them.

use crate::columns::{self, Column, Data, Remarks};
use crate::design::Design;
use crate::document::Report;
use crate::folder::Folder;
use crate::manifest::{Manifest, digest, machine, part_name, section_name};
use crate::part::{self, Outcome, Task};
use crate::problem::Problem;
use crate::reduce::{self, Bound};
use appell_expr::elementary::{self, Elementary};
use appell_flow::Control;
use appell_model::{Code, Model};
use appell_study::motion::choices::RunOptions;
use appell_study::motion::ensemble::{EnsembleOptions, Observables, in_parts};
use appell_study::values::prepared::Prepared;
use std::collections::BTreeMap;
use std::path::Path;

/// What is asked for beside the design.
#[derive(Debug, Clone, Default)]
pub struct SweepOptions {
    /// Which share of the parts, of how many: those with a number that leaves this remainder.
    pub shard: Option<(u64, u64)>,
    /// How many threads; 0 for one for each processor.
    pub threads: usize,
    /// Whether numbers may not depend on the processor.
    pub exact: bool,
    /// What was left out of the model, or said of it beside its text.
    pub said: String,
}

/// What there is of a study.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// How many members there are.
    pub members: u64,
    /// How many are done.
    pub done: u64,
    /// How many parts there are.
    pub parts: u64,
    /// How many are done.
    pub parts_done: u64,
    /// How members ended, of the parts that were looked at: all by [`status`], by [`sweep`] those of its share.
    pub endings: BTreeMap<String, u64>,
    /// What computed the parts: machine and backend, where there are several.
    pub origins: Vec<String>,
    /// What is to be said of some members, of the parts that were looked at: the first hundred.
    pub remarks: Vec<(u64, String)>,
    /// Of how many members nothing is said that there is to say.
    pub left_out: u64,
    /// How many were moved on to the constraints at their start.
    pub moved: u64,
}

impl Progress {
    /// The counts as JSON: `{"members": .., "done": .., "parts": .., "parts_done": ..}`.
    pub fn json(&self) -> String {
        let Self {
            members,
            done,
            parts,
            parts_done,
            ..
        } = self;
        format!(
            "{{\"members\":{members},\"done\":{done},\"parts\":{parts},\"parts_done\":{parts_done}}}"
        )
    }
}

impl Manifest {
    /// What there is before anything is done.
    fn nothing_done(&self) -> Progress {
        Progress {
            members: self.members,
            parts: self.parts,
            ..Progress::default()
        }
    }
}

impl Progress {
    /// One more part is done.
    fn add(&mut self, manifest: &Manifest, part: u64) {
        self.parts_done += 1;
        self.done += manifest.shard.min(manifest.members - part * manifest.shard);
    }

    /// What is said of the members of a part.
    fn hear(&mut self, (remarks, moved): (Vec<(u64, String)>, u64)) {
        let room = MAX_REMARKS.saturating_sub(self.remarks.len());
        self.left_out += remarks.len().saturating_sub(room) as u64;
        self.remarks.extend(remarks.into_iter().take(room));
        self.moved += moved;
    }
}

/// More sentences about members nobody reads.
const MAX_REMARKS: usize = 100;

/// What a call computed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Done {
    /// What there is now.
    pub progress: Progress,
    /// How many parts this call computed.
    pub computed: u64,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

/// Gives the model the conditions of the design that end a motion.
///
/// # Errors
/// What is wrong with them.
pub fn apply(design: &Design, model: &mut Model) -> Result<(), Problem> {
    let Some(stop) = &design.stop else {
        return Ok(());
    };
    let mut report = Report::default();
    let conditions = stop
        .iter()
        .filter_map(|(text, span)| reduce::condition(model, text, *span, &mut report));
    let conditions: Vec<_> = conditions.collect();
    if !report.0.is_empty() {
        return Err(Problem::Design(design.source.clone(), report.0));
    }
    model.simulate.stop = conditions;
    Ok(())
}

/// What the design says of this model: reductions with their expressions.
fn bound(design: &Design, model: &Model) -> Result<Bound, Problem> {
    let mut report = Report::default();
    design.check_names(model, &mut report);
    let bound = reduce::bind(&design.reduce, model, &mut report);
    match report.0.is_empty() {
        true => Ok(bound),
        false => Err(Problem::Design(design.source.clone(), report.0)),
    }
}

/// How many places of each motion are looked at, and which of them are kept: every so many.
fn places(design: &Design, bound: &Bound) -> (Option<usize>, usize) {
    match (design.samples.checked_sub(1), bound.looks()) {
        (None, false) => (None, 1),
        (None, true) => (Some(design.looks), 1),
        (Some(kept), false) => (Some(kept + 1), 1),
        (Some(kept), true) => {
            let every = (design.looks - 1).div_ceil(kept);
            (Some(kept * every + 1), every)
        }
    }
}

/// What is to be known of a study before it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// How many members.
    pub members: u64,
    /// How many rows, at most.
    pub rows: u128,
    /// How many bytes, before they are compressed.
    pub bytes: u128,
}

/// Beyond so many rows, or bytes, a study is begun only by who says so.
const MANY_ROWS: u128 = 20_000_000;
const MANY_BYTES: u128 = 8_000_000_000;

impl Estimate {
    /// Whether it is so large that one should be asked.
    pub fn is_large(&self) -> bool {
        self.rows > MANY_ROWS || self.bytes > MANY_BYTES
    }
}

/// How large a study is.
///
/// # Errors
/// What is wrong with the design for this model.
pub fn estimate(model: &Model, design: &Design) -> Result<Estimate, Problem> {
    let bound = bound(design, model)?;
    let members = design.members();
    let rows = u128::from(members) * design.samples.max(1) as u128;
    let columns = 4 + design.names.len() + 2 * model.coordinates.len() + bound.columns().len();
    Ok(Estimate {
        members,
        rows,
        bytes: rows * columns as u128 * 8,
    })
}

/// Computes what is missing of a study, or of a share of it.
///
/// One piece: what is made ready, one thing after the other, and the parts.
///
/// # Errors
/// A wrong design; a folder of another study; a part that somebody changed; what cannot be written.
pub fn sweep(
    prepared: &Prepared<'_>,
    design: &Design,
    folder: &Path,
    order: &SweepOptions,
    control: &mut Control<'_>,
) -> Result<Done, Problem> {
    let bound = bound(design, prepared.model)?;
    let (looks, every) = places(design, &bound);
    if order.exact != (elementary::current() == Elementary::Own) {
        return Err(Problem::words(
            "a model is prepared for exact studies, or for others: see `exactly`",
        ));
    }
    let backend = if order.exact { "interp" } else { "auto" };
    let options = EnsembleOptions {
        run: RunOptions {
            until: design.until,
            rtol: design.rtol,
            atol: design.atol,
            method: design.method.clone(),
            backend: Some(backend.to_owned()),
            samples: looks,
            ..RunOptions::default()
        },
        threads: order.threads,
    };
    let names = design.columns();
    let observables = Observables {
        expressions: &bound.watched,
        exponents: bound.exponents,
        claims: &bound.claims,
    };
    let (whole, folder) = (design.members() as usize, Folder::new(folder));
    in_parts(
        prepared,
        &names,
        Some(whole),
        &options,
        &observables,
        |parts| {
            let task = Task {
                design,
                bound: &bound,
                parts,
                every,
                keeps_energy: parts.keeps_energy(),
                threads: order.threads,
            };
            let columns = task.columns(prepared.model).into_iter();
            let columns: Vec<String> = columns.map(|column| column.name).collect();
            refuse_equal_names(design, &columns)?;
            refuse_equal_notes(design, &bound)?;
            let manifest = Manifest {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                model: digest(&format!("{}\n{}", prepared.model.source.text, order.said)),
                design: digest(&design.canonical()),
                members: design.members(),
                shard: design.shard,
                parts: design.parts(),
                columns,
                backend: if order.exact { EXACT } else { backend }.to_owned(),
                machine: machine(),
            };
            folder.make()?;
            manifest.agree(&folder)?;
            folder.sweep();
            share(&task, &folder, &manifest, order, control)
        },
    )?
}

/// The first name that stands among them twice.
fn repeated(names: &[String]) -> Option<&String> {
    let twice = |(place, name): &(usize, &String)| names[..*place].contains(name);
    let found = names.iter().enumerate().find(twice);
    found.map(|(_, name)| name)
}

/// So has the table of a section, which has the member and the time anyhow.
fn refuse_equal_notes(design: &Design, bound: &Bound) -> Result<(), Problem> {
    for section in bound.sections() {
        let columns: Vec<String> = section
            .columns
            .into_iter()
            .map(|column| column.name)
            .collect();
        let Some(name) = repeated(&columns) else {
            continue;
        };
        let reduction = design.reduce.iter().find(|spec| spec.gives(&section.name));
        let span = reduction.map_or_else(Default::default, |spec| spec.place());
        let message = format!("the section `{}` has two columns `{name}`", section.name);
        let mut report = Report::default();
        let label = "leave one out of `of`; the member and the time are noted anyhow";
        report.say::<()>(Code::NameTaken, message, span, label);
        return Err(Problem::Design(design.source.clone(), report.0));
    }
    Ok(())
}

/// A table has one column of each name.
fn refuse_equal_names(design: &Design, columns: &[String]) -> Result<(), Problem> {
    let Some(name) = repeated(columns) else {
        return Ok(());
    };
    let reductions = design.reduce.iter();
    let reduction = reductions.rev().find(|spec| spec.gives(name));
    let varied = design.names.iter().find(|(parameter, _)| parameter == name);
    let (what, span, label) = match (reduction, varied) {
        (Some(spec), _) => ("reduction", spec.place(), "give the reduction another name"),
        (None, Some((_, span))) => (
            "parameter",
            *span,
            "give the parameter another name in the model",
        ),
        (None, None) => (
            "state",
            Default::default(),
            "give it another name in the model",
        ),
    };
    let message = format!("the {what} `{name}` has the name of another column of the table");
    let mut report = Report::default();
    report.say::<()>(Code::NameTaken, message, span, label);
    Err(Problem::Design(design.source.clone(), report.0))
}

/// Computes the parts of a share that are missing.
fn share(
    task: &Task<'_, '_, '_, '_>,
    folder: &Folder,
    manifest: &Manifest,
    order: &SweepOptions,
    control: &mut Control<'_>,
) -> Result<Done, Problem> {
    let (remainder, of) = order.shard.unwrap_or((0, 1));
    let parts: Vec<u64> = (0..manifest.parts)
        .filter(|part| part % of == remainder)
        .collect();
    let mut done = Done {
        progress: manifest.nothing_done(),
        ..Done::default()
    };
    let mut missing = Vec::new();
    for part in &parts {
        match looked_at(folder, manifest, *part)? {
            Some((columns, remarks)) => {
                count_endings(&columns, &mut done.progress.endings);
                done.progress.hear(said_of_members(&remarks));
            }
            None => missing.push(*part),
        }
    }
    let count = missing.len() as f64;
    for (place, part) in missing.into_iter().enumerate() {
        let whole = &mut control.progress;
        let mut part_of = |x: f64| {
            if let Some(tell) = whole {
                tell((place as f64 + x) / count);
            }
        };
        let mut part_control = Control {
            cancel: control.cancel,
            progress: Some(&mut part_of),
            stream: None,
        };
        let outcome = part::compute(task, part, &mut part_control)?;
        let Some(outcome) = outcome else {
            done.interrupted = true;
            break;
        };
        keep(task, folder, (manifest, part), &outcome)?;
        done.computed += 1;
        count_endings(&outcome.columns, &mut done.progress.endings);
        done.progress.hear((outcome.remarks, outcome.moved));
    }
    // What others did is theirs to look at.
    for part in (0..manifest.parts).filter(|part| folder.file(&part_name(*part)).exists()) {
        done.progress.add(manifest, part);
    }
    Ok(done)
}

/// Puts a part in its place, its sections before it: then it is done.
fn keep(
    task: &Task<'_, '_, '_, '_>,
    folder: &Folder,
    (manifest, part): (&Manifest, u64),
    outcome: &Outcome,
) -> Result<(), Problem> {
    let mut remarks = origin(&outcome.backend);
    remarks.push((PART.to_owned(), manifest.mark(part)));
    remarks.push((UNITS.to_owned(), task.units()));
    let of_members = outcome.remarks.iter();
    let lines = of_members.map(|(member, why)| format!("{member}\t{}\n", why.replace('\n', " ")));
    remarks.push((REMARKS.to_owned(), lines.collect()));
    remarks.push((MOVED.to_owned(), outcome.moved.to_string()));
    for section in &outcome.sections {
        let (bytes, sum) = columns::bytes(&section.columns, &origin(&outcome.backend))?;
        folder.put(&section_name(&section.name, part), &bytes)?;
        remarks.push((format!("{SECTION}{}", section.name), sum));
    }
    let (bytes, _) = columns::bytes(&outcome.columns, &remarks)?;
    folder.put(&part_name(part), &bytes)
}

const PART: &str = "appell.part";
const SECTION: &str = "appell.section.";
const UNITS: &str = "appell.units";
const BACKEND: &str = "appell.backend";
const MACHINE: &str = "appell.machine";
const REMARKS: &str = "appell.remarks";
const MOVED: &str = "appell.moved";

/// The value of a remark; empty where it is not there.
fn said<'r>(remarks: &'r Remarks, key: &str) -> &'r str {
    let found = remarks.iter().find(|(name, _)| name == key);
    found.map_or("", |(_, value)| value)
}

/// What a part says of its members, and how many were moved.
fn said_of_members(remarks: &Remarks) -> (Vec<(u64, String)>, u64) {
    let lines = said(remarks, REMARKS).lines();
    let each = lines.filter_map(|line| {
        let (member, why) = line.split_once('\t')?;
        Some((member.parse().ok()?, why.to_owned()))
    });
    (each.collect(), said(remarks, MOVED).parse().unwrap_or(0))
}

fn origin(backend: &str) -> Remarks {
    vec![
        (BACKEND.to_owned(), backend.to_owned()),
        (MACHINE.to_owned(), machine()),
    ]
}

/// A part with its remarks, if it is there, and whole with its sections.
fn looked_at(
    folder: &Folder,
    manifest: &Manifest,
    part: u64,
) -> Result<Option<(Vec<Column>, Remarks)>, Problem> {
    let name = part_name(part);
    let path = folder.file(&name);
    if !path.exists() {
        return Ok(None);
    }
    let damaged = |name: &str, why: String| {
        let path = folder.file(name);
        Problem::with_hint(
            format!("`{}`: {why}", path.display()),
            format!(
                "remove `{}` and call again: it is computed anew",
                folder.file(&part_name(part)).display()
            ),
        )
    };
    let (columns, remarks) = columns::read_own(&path).map_err(|why| damaged(&name, why))?;
    // Parts of earlier versions do not say what they belong to, but for their members.
    let mark = said(&remarks, PART);
    let is_marked = mark.is_empty() || mark == manifest.mark(part);
    if !is_marked || !begins_with(&columns, part * manifest.shard) {
        let why = "it is another part, or belongs to another study";
        return Err(damaged(&name, why.to_owned()));
    }
    for (key, sum) in &remarks {
        let Some(section) = key.strip_prefix(SECTION) else {
            continue;
        };
        let name = section_name(section, part);
        let digest = columns::verified(&folder.file(&name)).map_err(|why| damaged(&name, why))?;
        if digest != *sum {
            return Err(damaged(&name, "it belongs to another part".to_owned()));
        }
    }
    Ok(Some((columns, remarks)))
}

/// Whether the first row of a part is that of a member, where there is one.
fn begins_with(columns: &[Column], member: u64) -> bool {
    let members = columns.iter().find(|column| column.name == "member");
    match members.map(|column| &column.data) {
        Some(Data::Whole(members)) => members.first().is_none_or(|first| *first == member as i64),
        _ => false,
    }
}

/// The word of the manifest for a study whose bits are the same on every machine.
const EXACT: &str = "exact";

/// Does something with a model as a study does, from the reading of its text on: where `exact`, without compiled C and
/// with elementary functions of our own, so that numbers have the same bits on every machine.
pub fn exactly<T>(exact: bool, work: impl FnOnce() -> T) -> T {
    match exact {
        true => elementary::within(Elementary::Own, work),
        false => work(),
    }
}

/// What there is of a study in a folder. Every part is read and held against its digest.
///
/// # Errors
/// There is no study; a part that somebody changed.
pub fn status(folder: &Folder) -> Result<Progress, Problem> {
    let manifest = Manifest::required(folder)?;
    let mut progress = manifest.nothing_done();
    let mut origins: Vec<String> = Vec::new();
    for part in 0..manifest.parts {
        let Some((columns, remarks)) = looked_at(folder, &manifest, part)? else {
            continue;
        };
        progress.add(&manifest, part);
        count_endings(&columns, &mut progress.endings);
        progress.hear(said_of_members(&remarks));
        let origin = format!("{}, {}", said(&remarks, BACKEND), said(&remarks, MACHINE));
        if manifest.backend != EXACT && !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    progress.origins = origins;
    Ok(progress)
}

/// Counts a word for each member: the first row of each.
fn count_endings(columns: &[Column], endings: &mut BTreeMap<String, u64>) {
    let find = |name: &str| {
        columns
            .iter()
            .find(|column| column.name == name)
            .map(|column| &column.data)
    };
    let (Some(Data::Whole(members)), Some(Data::Words { words, codes })) =
        (find("member"), find("status"))
    else {
        return;
    };
    for (row, (member, code)) in members.iter().zip(codes).enumerate() {
        if row == 0 || members[row - 1] != *member {
            *endings.entry(words[*code as usize].clone()).or_default() += 1;
        }
    }
}

/// All rows of the parts that are done, in the order of the members.
///
/// # Errors
/// As for [`status`].
pub fn table(folder: &Folder) -> Result<Vec<Column>, Problem> {
    let manifest = Manifest::required(folder)?;
    let mut tables = Vec::new();
    for part in 0..manifest.parts {
        tables.extend(looked_at(folder, &manifest, part)?.map(|(columns, _)| columns));
    }
    Ok(columns::below(tables))
}

/// All rows of a section of the parts that are done, in the order of the members; behind its own columns those of the
/// members that it does not have, such as what differs.
///
/// # Errors
/// As for [`status`]; there is no such section.
pub fn section(folder: &Folder, name: &str) -> Result<Vec<Column>, Problem> {
    let manifest = Manifest::required(folder)?;
    let mut tables = Vec::new();
    for part in 0..manifest.parts {
        let Some((members, remarks)) = looked_at(folder, &manifest, part)? else {
            continue;
        };
        let sections = remarks
            .iter()
            .filter_map(|(key, _)| key.strip_prefix(SECTION));
        let sections: Vec<&str> = sections.collect();
        if !sections.contains(&name) {
            let there = match sections.is_empty() {
                true => "it has none".to_owned(),
                false => format!("its sections: {}", sections.join(", ")),
            };
            return Err(Problem::with_hint(
                format!("the study has no section `{name}`"),
                there,
            ));
        }
        let path = folder.file(&section_name(name, part));
        let read = columns::read_own(&path);
        let (rows, _) =
            read.map_err(|why| Problem::words(format!("`{}`: {why}", path.display())))?;
        tables.push(with_members(rows, &members));
    }
    Ok(columns::below(tables))
}

/// The rows of a section beside what is known of their members.
fn with_members(mut rows: Vec<Column>, members: &[Column]) -> Vec<Column> {
    let whole = |columns: &[Column]| match columns.first().map(|column| &column.data) {
        Some(Data::Whole(numbers)) => numbers.clone(),
        _ => Vec::new(),
    };
    // Rows of a part are in the order of its members; the first of several has what differs.
    let all = whole(members);
    let places = whole(&rows);
    let places = places
        .iter()
        .map(|number| all.partition_point(|member| member < number));
    let places: Vec<usize> = places.collect();
    for column in members {
        if rows.iter().all(|other| other.name != column.name) {
            rows.push(Column::new(&column.name, column.data.at(&places)));
        }
    }
    rows
}

/// The units of columns, of those that have one.
///
/// # Errors
/// There is no study.
pub fn units(folder: &Folder) -> Result<Vec<(String, String)>, Problem> {
    let Some(manifest) = Manifest::of(folder)? else {
        return Ok(Vec::new());
    };
    for part in 0..manifest.parts {
        let Some((_, remarks)) = looked_at(folder, &manifest, part)? else {
            continue;
        };
        let remark = remarks.iter().find(|(key, _)| key == UNITS);
        let lines = remark.map_or("", |(_, text)| text).lines();
        let units = lines.filter_map(|line| line.split_once('\t'));
        return Ok(units
            .map(|(name, unit)| (name.to_owned(), unit.to_owned()))
            .collect());
    }
    Ok(Vec::new())
}
