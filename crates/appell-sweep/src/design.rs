//! What is to be computed: which members, how far, and what is kept of each.

mod normal;
mod philox;
mod sobol;
mod values;

pub use values::{Axis, Distribution, Method, Sample, Values};

use crate::document::{Entry, Report, entries};
use crate::reduce::{self, Spec};
use crate::table;
use appell_expr::Span;
use appell_model::{Code, Diagnostic, Model, Source};
use std::path::Path;
use toml_edit::{ImDocument, TableLike};

/// A design: the file of `appell sweep --design`.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// Its text, for messages.
    pub source: Source,
    /// How many samples of each member are kept; 0 for the end alone.
    pub samples: usize,
    /// At how many places the reductions look at a motion.
    pub looks: usize,
    /// How many members a part has.
    pub shard: u64,
    /// The end time, instead of the model's.
    pub until: Option<f64>,
    /// The relative tolerance.
    pub rtol: Option<f64>,
    /// The absolute tolerance.
    pub atol: Option<f64>,
    /// The method of integration.
    pub method: Option<String>,
    /// The conditions that end a motion, instead of the model's.
    pub stop: Option<Vec<(String, Span)>>,
    /// What differs from member to member, with its place in the text.
    pub names: Vec<(String, Span)>,
    /// The values of the members.
    pub values: Values,
    /// What is computed of each motion.
    pub(crate) reduce: Vec<Spec>,
}

const KEYS: [&str; 11] = [
    "samples", "looks", "shard", "until", "rtol", "atol", "method", "stop", "table", "grid",
    "sample",
];
const SHARD: u64 = 50_000;
const LOOKS: usize = 501;
/// More members than a part should hold in memory.
const LARGEST_SHARD: u64 = 1_000_000;

/// Reads a design; `folder` is where the table lies that it may name.
///
/// # Errors
/// Everything that is wrong with it, with places.
pub fn read(name: &str, text: &str, folder: &Path) -> Result<Design, (Source, Vec<Diagnostic>)> {
    let source = Source::new(name, text);
    let document = match ImDocument::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let at = error.span().unwrap_or_default();
            let span = Span::new(at.start, at.end);
            let why = error.message().trim().to_owned();
            return Err((
                source,
                vec![Diagnostic::new(
                    Code::NotToml,
                    "the design is no TOML file",
                    span,
                    why,
                )],
            ));
        }
    };
    let mut report = Report::default();
    let design = design(&source, document.as_table(), folder, &mut report);
    match design.filter(|_| report.0.is_empty()) {
        Some(design) => Ok(design),
        None => Err((source, report.0)),
    }
}

fn design(
    source: &Source,
    root: &dyn TableLike,
    folder: &Path,
    report: &mut Report,
) -> Option<Design> {
    let (mut members, mut last) = (Vec::new(), None);
    let mut design = Design {
        source: source.clone(),
        samples: 0,
        looks: LOOKS,
        shard: SHARD,
        until: None,
        rtol: None,
        atol: None,
        method: None,
        stop: None,
        names: Vec::new(),
        values: Values::Grid(Vec::new()),
        reduce: Vec::new(),
    };
    for entry in entries(root) {
        match entry.key {
            "samples" => design.samples = entry.count(report).unwrap_or(0) as usize,
            "looks" => design.looks = entry.count(report).unwrap_or(0) as usize,
            "shard" => design.shard = entry.count(report).unwrap_or(SHARD),
            "until" => design.until = entry.number(report),
            "rtol" => design.rtol = entry.number(report),
            "atol" => design.atol = entry.number(report),
            "method" => design.method = entry.text(report),
            "stop" => design.stop = entry.texts(report),
            "reduce" => design.reduce = reduce::read(&entry, report),
            "grid" => members.push(grid(&entry, report)),
            "sample" => members.push(sample(&entry, report)),
            "table" => members.push(rows(&entry, folder, report)),
            other => report.unknown(
                Code::UnknownKey,
                "key",
                other,
                entry.span,
                KEYS.into_iter().chain(["reduce"]),
            ),
        }
        if ["grid", "sample", "table"].contains(&entry.key) {
            last = Some(entry.span);
        }
        admissible(&design, &entry, report);
    }
    if members.len() != 1 {
        let message = match members.len() {
            0 => "nothing says which members there are",
            _ => "the members are given more than once",
        };
        let label = "write one of [grid], [sample] and table";
        return report.say(Code::MissingKey, message, last.unwrap_or_default(), label);
    }
    (design.names, design.values) = members.pop()??;
    check_members(&design, report);
    Some(design)
}

fn admissible(design: &Design, entry: &Entry<'_>, report: &mut Report) {
    let why = match entry.key {
        "shard" if design.shard == 0 || design.shard > LARGEST_SHARD => {
            "a part has between 1 and 1000000 members"
        }
        "looks" if !(5..=1_000_000).contains(&design.looks) => {
            "reductions look at 5 to 1000000 places"
        }
        "samples" if design.samples == 1 => "one sample is the end alone: write 0, or 2 or more",
        "samples" if design.samples > 1_000_000 => {
            "at most 1000000 samples of each member are kept"
        }
        _ => return,
    };
    report.say::<()>(Code::BadValue, why, entry.place(), "");
}

fn check_members(design: &Design, report: &mut Report) {
    let at = design
        .names
        .first()
        .map_or_else(Span::default, |(_, span)| *span);
    for (i, (name, span)) in design.names.iter().enumerate() {
        if design.names[..i].iter().any(|(other, _)| other == name) {
            report.say::<()>(
                Code::NameTaken,
                format!("`{name}` is given twice"),
                *span,
                "once is enough",
            );
        }
    }
    match design.values.count() {
        None => report.say::<()>(
            Code::TooLarge,
            "the design has more members than can be counted",
            at,
            "take fewer values",
        ),
        Some(0) => report.say(
            Code::BadValue,
            "the design has no members",
            at,
            "give at least one value",
        ),
        Some(_) => None,
    };
}

type Members = Option<(Vec<(String, Span)>, Values)>;

fn grid(entry: &Entry<'_>, report: &mut Report) -> Members {
    let (mut names, mut axes) = (Vec::new(), Vec::new());
    for parameter in entries(entry.table(report)?) {
        names.push((parameter.key.to_owned(), parameter.span));
        axes.extend(axis(&parameter, report));
    }
    if names.is_empty() {
        return report.say(
            Code::MissingKey,
            "the grid is empty",
            entry.span,
            "name what differs: m = \"0.5:2:16\"",
        );
    }
    (axes.len() == names.len()).then_some((names, Values::Grid(axes)))
}

/// A range `FROM:TO:COUNT`, or a list.
fn axis(entry: &Entry<'_>, report: &mut Report) -> Option<Axis> {
    let Some(text) = entry.item.as_str() else {
        let values = entry.numbers(report)?;
        if values.is_empty() {
            return report.say(
                Code::BadValue,
                format!("`{}` has no values", entry.key),
                entry.place(),
                "give at least one",
            );
        }
        return Some(Axis::List(values));
    };
    let range = || {
        let mut parts = text.split(':').map(str::trim);
        let mut number = || parts.next()?.parse::<f64>().ok().filter(|x| x.is_finite());
        let (from, to) = (number()?, number()?);
        let count = parts.next()?.parse::<u64>().ok()?;
        parts.next().is_none().then_some((from, to, count))
    };
    match range() {
        Some((_, _, 0)) => report.say(
            Code::BadValue,
            format!("`{}` has no values", entry.key),
            entry.place(),
            "COUNT is at least 1",
        ),
        Some((from, to, count)) => Some(Axis::Range(from, to, count)),
        None => {
            let message = format!("`{}` is no range", entry.key);
            report.say(
                Code::BadValue,
                message,
                entry.place(),
                "write FROM:TO:COUNT, as \"0.5:2:16\", or a list",
            )
        }
    }
}

/// `[sample]` while it is read.
struct Draw {
    names: Vec<(String, Span)>,
    columns: Vec<Distribution>,
    count: Option<u64>,
    seed: u64,
    method: Method,
}

fn sample(entry: &Entry<'_>, report: &mut Report) -> Members {
    let mut draw = Draw {
        names: Vec::new(),
        columns: Vec::new(),
        count: None,
        seed: 0,
        method: Method::Sobol,
    };
    for setting in entries(entry.table(report)?) {
        draw.read(&setting, report);
    }
    let at = entry.span;
    let Some(count) = draw.count else {
        let message = "a sample needs its `count`";
        return report.say(Code::MissingKey, message, at, "write count = 1000");
    };
    if draw.names.is_empty() {
        let label = "write [sample.between] m = [0.5, 2]";
        return report.say(Code::MissingKey, "the sample is empty", at, label);
    }
    let (widest, most) = Sample::most_columns();
    if draw.method == Method::Sobol && (draw.names.len() > widest || count > most) {
        let message = format!("Sobol's sequence is kept for {widest} columns and {most} points");
        return report.say(Code::TooLarge, message, at, "take method = \"uniform\"");
    }
    let whole = draw.columns.len() == draw.names.len();
    let values = || Values::Sample(Sample::new(draw.method, draw.seed, count, draw.columns));
    whole.then(|| (draw.names, values()))
}

impl Draw {
    fn read(&mut self, entry: &Entry<'_>, report: &mut Report) {
        const KEYS: [&str; 5] = ["count", "seed", "method", "between", "normal"];
        const METHODS: [&str; 2] = ["sobol", "uniform"];
        match entry.key {
            "count" => self.count = entry.count(report),
            "seed" => self.seed = entry.count(report).unwrap_or(0),
            "between" => self.columns(entry, Distribution::Between, report),
            "normal" => self.columns(entry, Distribution::Normal, report),
            "method" => match entry.text(report).as_deref() {
                Some("sobol") | None => self.method = Method::Sobol,
                Some("uniform") => self.method = Method::Uniform,
                Some(other) => {
                    let known = METHODS.into_iter();
                    report.unknown(Code::UnknownWord, "method", other, entry.place(), known);
                }
            },
            other => {
                report.unknown(Code::UnknownKey, "key", other, entry.span, KEYS.into_iter());
            }
        }
    }

    /// The columns of one kind of distribution.
    fn columns(
        &mut self,
        entry: &Entry<'_>,
        spread: fn(f64, f64) -> Distribution,
        report: &mut Report,
    ) {
        for column in entry.table(report).map(entries).into_iter().flatten() {
            self.names.push((column.key.to_owned(), column.span));
            let Some([a, b]) = column.pair(report) else {
                continue;
            };
            let spread = spread(a, b);
            if matches!(spread, Distribution::Normal(_, deviation) if deviation < 0.0) {
                let (message, label) = ("the deviation is negative", "write [MEAN, DEVIATION]");
                report.say::<()>(Code::BadValue, message, column.place(), label);
            }
            self.columns.push(spread);
        }
    }
}

fn rows(entry: &Entry<'_>, folder: &Path, report: &mut Report) -> Members {
    let path = entry.text(report)?;
    match table::read(&folder.join(&path)) {
        Ok((names, numbers)) => {
            let width = names.len();
            let names = names
                .into_iter()
                .map(|name| (name, entry.place()))
                .collect();
            Some((names, Values::Rows { width, numbers }))
        }
        Err(why) => report.say(
            Code::BadValue,
            format!("`{path}`: {why}"),
            entry.place(),
            "a table of members",
        ),
    }
}

impl Design {
    /// How many members there are.
    pub fn members(&self) -> u64 {
        self.values.count().unwrap_or(0)
    }

    /// How many parts.
    pub fn parts(&self) -> u64 {
        self.members().div_ceil(self.shard)
    }

    /// The names of what differs from member to member.
    pub fn columns(&self) -> Vec<String> {
        self.names.iter().map(|(name, _)| name.clone()).collect()
    }

    /// What decides on the numbers, as a text that does not depend on how the file is laid out.
    pub(crate) fn canonical(&self) -> String {
        let stop: Option<Vec<&String>> = self
            .stop
            .as_ref()
            .map(|stop| stop.iter().map(|(text, _)| text).collect());
        let reduce: Vec<String> = self.reduce.iter().map(Spec::canonical).collect();
        format!(
            "{:?}",
            (
                (self.samples, self.looks, self.shard),
                (self.until, self.rtol, self.atol, &self.method, stop),
                (self.columns(), &self.values, reduce),
            )
        )
    }

    /// Unknown names of what differs from member to member.
    pub(crate) fn check_names(&self, model: &Model, report: &mut Report) {
        let parameters = model.parameters.iter().map(|p| p.name.clone());
        let known: Vec<String> = model.state_names().into_iter().chain(parameters).collect();
        for (name, span) in &self.names {
            if !known.contains(name) {
                report.unknown(
                    Code::UnknownName,
                    "name",
                    name,
                    *span,
                    known.iter().map(String::as_str),
                );
            }
        }
    }

    /// The names of what differs, as columns of a part: a coordinate or velocity is its start, `theta'(0)`.
    pub(crate) fn shown_columns(&self, model: &Model) -> Vec<String> {
        let is_parameter = |name: &str| model.parameters.iter().any(|p| p.name == name);
        let shown = |name: &String| match is_parameter(name) {
            true => name.clone(),
            false => format!("{name}(0)"),
        };
        self.columns().iter().map(shown).collect()
    }
}
