//! Reductions: what is computed of each motion where it is computed, so that little is kept of it.

mod bends;
mod closer;
mod curve;
mod guides;
mod path;
mod spectrum;

use crate::columns::{Column, Data};
use crate::document::{Entry, Report, entries};
use appell_expr::{Id, Relation, Span};
use appell_model::{Code, Condition, Model, expression_of_output};
use appell_study::motion::along::holds;
use appell_study::motion::ensemble::{Exponents, is_of_motions};
use appell_study::values::sudden::{phases_of, places_of};
pub(crate) use bends::Bends;
use closer::Between;
pub(crate) use closer::{Looks, between};
use curve::Curve;
pub(crate) use guides::{Guide, Tells};
pub(crate) use path::Path;
pub(crate) use spectrum::Planner;
use std::ops::Range;

/// A reduction, as the design says it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spec {
    name: String,
    place: Span,
    kind: &'static Kind,
    /// The expression or condition; those of classes, one after the other.
    texts: Vec<(String, Span)>,
    /// The words of classes.
    words: Vec<String>,
    /// What is noted at an event.
    of: Vec<(String, Span)>,
    direction: Crossing,
    most: usize,
    /// Lyapunov exponents.
    exponents: Option<Exponents>,
}

/// Which crossings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crossing {
    Rising,
    Falling,
    Both,
}

const DIRECTIONS: [(&str, Crossing); 3] = [
    ("+", Crossing::Rising),
    ("-", Crossing::Falling),
    ("both", Crossing::Both),
];

/// A kind of reduction: its key, its sentence, what stands beside the key.
#[derive(Debug)]
pub struct Kind {
    /// The key.
    pub key: &'static str,
    /// What it gives.
    pub about: &'static str,
    /// Keys beside it.
    with: &'static [&'static str],
    what: Statistic,
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

#[derive(Debug, Clone, Copy)]
enum Statistic {
    Number(fn(&Curve<'_>) -> f64),
    Frequency,
    Event,
    Classes,
    Section,
    Lyapunov,
    Claim,
}

/// The words for a claim's truth.
const TRUTH: [&str; 3] = ["holds", "fails", "undecided"];

/// The kinds of reductions.
pub const KINDS: [Kind; 11] = [
    number("max", "the largest value of an expression", |curve| {
        curve.max()
    }),
    number("min", "the least value", |curve| curve.min()),
    number("mean", "the mean over the time", |curve| curve.mean()),
    number("integral", "the integral over the time", |curve| {
        curve.integral()
    }),
    number("final", "the value at the end", |curve| curve.last()),
    Kind {
        key: "frequency",
        about: "the dominant frequency of an expression, in periods for a unit of time",
        with: &[],
        what: Statistic::Frequency,
    },
    Kind {
        key: "event",
        about: "the first time at which a condition holds, with values there",
        with: &["of"],
        what: Statistic::Event,
    },
    Kind {
        key: "classes",
        about: "the first of several conditions that holds at the end, as a word",
        with: &[],
        what: Statistic::Classes,
    },
    Kind {
        key: "section",
        about: "the states at which an equation becomes true, as rows of files of their own",
        with: &["direction", "of", "most"],
        what: Statistic::Section,
    },
    Kind {
        key: "lyapunov",
        about: "so many Lyapunov exponents on the constraints, the largest first",
        with: &["discard", "interval"],
        what: Statistic::Lyapunov,
    },
    Kind {
        key: "claim",
        about: "whether a claim of the model holds along the motion, as a word, and its deviation",
        with: &[],
        what: Statistic::Claim,
    },
];

const fn number(key: &'static str, about: &'static str, of: fn(&Curve<'_>) -> f64) -> Kind {
    Kind {
        key,
        about,
        with: &[],
        what: Statistic::Number(of),
    }
}

/// Rows of a section that are kept of a member, unless the design says otherwise.
const MAX_SECTION_ROWS: usize = 1000;

/// Reads `[reduce]`.
pub(crate) fn read(entry: &Entry<'_>, report: &mut Report) -> Vec<Spec> {
    let Some(table) = entry.table(report) else {
        return Vec::new();
    };
    let specs = entries(table);
    specs.iter().filter_map(|item| spec(item, report)).collect()
}

fn spec(entry: &Entry<'_>, report: &mut Report) -> Option<Spec> {
    let items = entries(entry.table(report)?);
    let mut kinds = items.iter().filter_map(|item| {
        let kind = KINDS.iter().find(|kind| kind.key == item.key)?;
        Some((item, kind))
    });
    let Some((said, kind)) = kinds.next() else {
        let known = KINDS.iter().map(|kind| kind.key);
        let word = items.first().map_or("", |item| item.key);
        report.unknown(Code::UnknownKey, "reduction", word, entry.span, known);
        return None;
    };
    let mut spec = Spec {
        name: entry.key.to_owned(),
        place: entry.span,
        kind,
        texts: Vec::new(),
        words: Vec::new(),
        of: Vec::new(),
        direction: Crossing::Both,
        most: MAX_SECTION_ROWS,
        exponents: None,
    };
    if matches!(kind.what, Statistic::Section) && !is_part_of_a_file_name(entry.key) {
        let message = format!("`{}` is no name of a section", entry.key);
        return report.say(Code::NotAllowed, message, entry.span, "it names a file");
    }
    match kind.what {
        Statistic::Classes => {
            for class in entries(said.table(report)?) {
                spec.words.push(class.key.to_owned());
                spec.texts.push((class.text(report)?, class.place()));
            }
        }
        Statistic::Lyapunov => {
            spec.exponents = Some(Exponents {
                count: said.count(report)? as usize,
                discard: 0.0,
                interval: None,
            });
        }
        _ => spec.texts.push((said.text(report)?, said.place())),
    }
    let beside = items.iter().filter(|item| item.key != said.key);
    for item in beside {
        spec.read_beside(item, report)?;
    }
    Some(spec)
}

/// Whether a name can stand in that of a file: letters, digits, and `_`, `-`, `'`, `.`, which is not the first.
fn is_part_of_a_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'' | '.' | ' ');
    name.chars().all(is_plain) && !name.starts_with('.') && name.len() <= 100
}

impl Spec {
    /// Where it stands in the design.
    pub fn place(&self) -> Span {
        self.place
    }

    /// Whether it gives a column of this name.
    pub fn gives(&self, column: &str) -> bool {
        let rest = column.strip_prefix(&self.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Reads a key that stands beside that of the kind.
    fn read_beside(&mut self, beside: &Entry<'_>, report: &mut Report) -> Option<()> {
        match beside.key {
            key if !self.kind.with.contains(&key) => {
                let known = self.kind.with.iter().copied();
                report.unknown(Code::UnknownKey, "key", key, beside.span, known);
            }
            "of" => self.of = beside.texts(report)?,
            "most" => self.most = beside.count(report)? as usize,
            "discard" | "interval" => {
                let (time, exponents) = (beside.number(report)?, self.exponents.as_mut()?);
                match beside.key {
                    "discard" => exponents.discard = time,
                    _ => exponents.interval = Some(time),
                }
            }
            _ => {
                let word = beside.text(report)?;
                let Some((_, found)) = DIRECTIONS.iter().find(|(name, _)| *name == word) else {
                    let known = DIRECTIONS.iter().map(|(name, _)| *name);
                    let (what, at) = ("direction", beside.place());
                    report.unknown(Code::UnknownWord, what, &word, at, known);
                    return None;
                };
                self.direction = *found;
            }
        }
        Some(())
    }

    /// All that decides on its numbers.
    pub fn canonical(&self) -> String {
        let texts = |list: &[(String, Span)]| {
            list.iter()
                .map(|(text, _)| text.clone())
                .collect::<Vec<_>>()
        };
        let rest = (self.direction, self.most);
        let text = format!(
            "{:?}",
            (
                &self.name,
                self.kind.key,
                texts(&self.texts),
                &self.words,
                texts(&self.of),
                rest
            )
        );
        // What has none is written as it was before there were any.
        let exponents = self.exponents.map(|e| format!("{e:?}"));
        text + &exponents.unwrap_or_default()
    }
}

/// Reductions with the expressions of a model.
pub(crate) struct Bound {
    /// What is watched along the motions: the expressions in the order in which the reductions read their values, then the
    /// quantities of the guides.
    pub watched: Vec<Id>,
    /// Where expressions may bend within a short time.
    pub guides: Vec<Guide>,
    /// The Lyapunov exponents that are asked for.
    pub exponents: Option<Exponents>,
    /// The places of the claims that are asked for, in the order in which the reductions read what became of them.
    pub claims: Vec<usize>,
    reductions: Vec<Reduction>,
}

struct Reduction {
    spec: Spec,
    /// The first of its expressions: those of its texts, then those that are noted.
    first: usize,
    relations: Vec<Relation>,
}

/// Finds what the reductions speak of in a model.
pub(crate) fn bind(specs: &[Spec], model: &Model, report: &mut Report) -> Bound {
    let (mut expressions, mut reductions) = (Vec::new(), Vec::new());
    let mut claims = Vec::new();
    for spec in specs {
        let first = expressions.len();
        let mut relations = Vec::new();
        for (text, span) in &spec.texts {
            let found = match spec.kind.what {
                Statistic::Claim => {
                    claims.extend(claim(model, text, *span, report));
                    None
                }
                Statistic::Number(_) | Statistic::Frequency => {
                    expression(model, text, *span, report)
                }
                _ => condition(model, text, *span, report).map(|condition| {
                    relations.push(condition.relation);
                    condition.difference
                }),
            };
            expressions.extend(found);
        }
        if matches!(spec.kind.what, Statistic::Section)
            && relations
                .iter()
                .any(|relation| *relation != Relation::Equal)
        {
            let (text, span) = &spec.texts[0];
            let message = format!("`{text}` is no equation");
            report.say::<()>(
                Code::WrongSentence,
                message,
                *span,
                "a section is where an equation holds, as \"y = 0\"",
            );
        }
        let noted = spec
            .of
            .iter()
            .filter_map(|(text, span)| expression(model, text, *span, report));
        expressions.extend(noted.collect::<Vec<_>>());
        reductions.push(Reduction {
            spec: spec.clone(),
            first,
            relations,
        });
    }
    let followed = followed(&reductions, expressions.len());
    let (watched, guides) = with_guides(model, expressions, &followed, &reductions);
    Bound {
        watched,
        guides,
        exponents: one_of_exponents(specs, model, report),
        claims,
        reductions,
    }
}

/// Expressions with the quantities that tell where those that are followed bend; conditions may touch zero, too.
fn with_guides(
    model: &Model,
    mut watched: Vec<Id>,
    followed: &[bool],
    reductions: &[Reduction],
) -> (Vec<Id>, Vec<Guide>) {
    let conditions = reductions
        .iter()
        .filter(|reduction| reduction.has_condition());
    let touches = conditions.map(|reduction| Guide {
        of: reduction.first,
        index: reduction.first,
        tells: Tells::Touches,
    });
    let mut guides: Vec<Guide> = touches.collect();
    let frequencies = reductions
        .iter()
        .filter(|reduction| reduction.is_frequency());
    let frequencies: Vec<usize> = frequencies.map(|reduction| reduction.first).collect();
    for of in 0..watched.len() {
        let x = model.graph.ex(watched[of]);
        let [zeros, tops] = match followed[of] {
            true => places_of(model, x),
            false => Default::default(),
        };
        let phases = match followed[of] || frequencies.contains(&of) {
            true => phases_of(model, x),
            false => Vec::new(),
        };
        let all = [
            (Tells::Zeros, zeros),
            (Tells::Tops, tops),
            (Tells::Turns, phases),
        ];
        let all = all
            .into_iter()
            .flat_map(|(tells, list)| list.into_iter().map(move |x| (x, tells)));
        for (quantity, tells) in all {
            let known = watched.iter().position(|id| *id == quantity.id());
            let index = known.unwrap_or(watched.len());
            if known.is_none() {
                watched.push(quantity.id());
            }
            guides.push(Guide { of, index, tells });
        }
    }
    (watched, guides)
}

/// Of which of so many expressions it matters what is between two looks.
fn followed(reductions: &[Reduction], count: usize) -> Vec<bool> {
    let mut followed = vec![false; count];
    let wanted = reductions
        .iter()
        .filter(|reduction| reduction.is_followed());
    for reduction in wanted {
        // Of a design that is wrong there are fewer.
        let places = followed.get_mut(reduction.range());
        places.unwrap_or_default().fill(true);
    }
    followed
}

/// The place of a claim that speaks of motions.
fn claim(model: &Model, name: &str, span: Span, report: &mut Report) -> Option<usize> {
    let Some(index) = model.claims.iter().position(|claim| claim.name == name) else {
        let known = model.claims.iter().map(|claim| claim.name.as_str());
        report.unknown(Code::UnknownName, "claim", name, span, known);
        return None;
    };
    match is_of_motions(&model.claims[index]) {
        true => Some(index),
        false => report.say(
            Code::NotAllowed,
            format!("the claim `{name}` does not speak of a motion"),
            span,
            "`appell run` and `appell prove` decide it for the model",
        ),
    }
}

/// The exponents that the reductions ask for: the second time they would be the same motions again.
fn one_of_exponents(specs: &[Spec], model: &Model, report: &mut Report) -> Option<Exponents> {
    let mut asked = specs.iter().filter(|spec| spec.exponents.is_some());
    let first = asked.next()?;
    if let Some(second) = asked.next() {
        let message = format!(
            "`{}` and `{}` both ask for Lyapunov exponents",
            first.name, second.name
        );
        let label = "one that asks for more gives the others too";
        return report.say(Code::NotAllowed, message, second.place, label);
    }
    // How many there are is known where the constraints are; each has a column.
    let (asked, most) = (first.exponents?, 2 * model.coordinates.len());
    if asked.count > most {
        let message = format!(
            "there are at most {most} exponents here; {} were asked for",
            asked.count
        );
        return report.say(Code::BadValue, message, first.place, "");
    }
    Some(asked)
}

fn expression(model: &Model, text: &str, span: Span, report: &mut Report) -> Option<Id> {
    match expression_of_output(model, text) {
        Ok(id) => Some(id),
        Err(why) => report.say(
            Code::Formula,
            format!("`{text}`: {}", why.message),
            span,
            "",
        ),
    }
}

/// A condition of a design: two expressions with a relation between them.
pub(crate) fn condition(
    model: &Model,
    text: &str,
    span: Span,
    report: &mut Report,
) -> Option<Condition> {
    let Some((left, right, relation)) = Relation::split(text) else {
        let label = "as \"z < 0\" or \"y = 0\"";
        return report.say(
            Code::WrongSentence,
            format!("`{text}` is no condition"),
            span,
            label,
        );
    };
    let left = expression(model, left.trim(), span, report);
    let right = expression(model, right.trim(), span, report);
    let (left, right) = (model.graph.ex(left?), model.graph.ex(right?));
    Some(Condition {
        difference: (left - right).id(),
        relation,
        text: text.to_owned(),
        span,
    })
}

/// A section's rows, of all members of a part.
pub(crate) struct Section {
    /// Its name.
    pub name: String,
    /// `member`, `t`, and what is noted.
    pub columns: Vec<Column>,
}

/// What was seen of a member's motion.
#[derive(Default)]
pub(crate) struct Seen {
    /// The times at which it was looked at.
    pub times: Vec<f64>,
    /// The values of the watched expressions there, one time after the other.
    pub values: Vec<f64>,
    /// What each of them does between the times.
    pub between: Vec<Between>,
    /// Its Lyapunov exponents.
    pub exponents: Vec<f64>,
    /// Whether the claims hold, and their deviations.
    pub claims: Vec<(Option<bool>, Option<f64>)>,
}

impl Bound {
    /// Whether the motions are looked at between start and end.
    pub fn looks(&self) -> bool {
        let at_end = |reduction: &Reduction| {
            matches!(reduction.spec.kind.key, "final" | "classes" | "lyapunov")
        };
        !self.reductions.iter().all(at_end)
    }

    /// Of which of what is watched it matters what is between two looks.
    pub fn followed(&self) -> Vec<bool> {
        followed(&self.reductions, self.watched.len())
    }

    /// The names of reductions of expressions that bend more often than is followed.
    pub fn cut_short(&self, seen: &Seen) -> Vec<&str> {
        let is_short = |reduction: &&Reduction| {
            let all = &seen.between[reduction.range()];
            all.iter().any(|between| between.is_cut_short)
        };
        let short = self.reductions.iter().filter(is_short);
        short
            .map(|reduction| reduction.spec.name.as_str())
            .collect()
    }

    /// Empty columns for so many members.
    pub fn columns(&self) -> Vec<Column> {
        self.reductions
            .iter()
            .flat_map(Reduction::columns)
            .collect()
    }

    /// Empty files of the sections.
    pub fn sections(&self) -> Vec<Section> {
        let is_section =
            |reduction: &&Reduction| matches!(reduction.spec.kind.what, Statistic::Section);
        let sections = self.reductions.iter().filter(is_section);
        let section = |reduction: &Reduction| {
            let noted = reduction.spec.of.iter().map(|(text, _)| text.clone());
            let numbers = ["t".to_owned()].into_iter().chain(noted);
            let member = Column::new("member", Data::Whole(Vec::new()));
            Section {
                name: reduction.spec.name.clone(),
                columns: [member]
                    .into_iter()
                    .chain(numbers.map(Column::numbers))
                    .collect(),
            }
        };
        sections.map(section).collect()
    }

    /// The rows of the columns for a member, and those of the sections.
    pub fn row(
        &self,
        member: u64,
        seen: &Seen,
        planner: &mut Planner,
        sections: &mut [Section],
    ) -> Vec<Cell> {
        let width = self.watched.len();
        let looks = Looks {
            times: &seen.times,
            values: &seen.values,
            width,
        };
        let curve = |index: usize| Curve::new(looks, &seen.between[index], index);
        let (mut cells, mut section) = (Vec::new(), 0);
        let mut claims = seen.claims.iter();
        for reduction in &self.reductions {
            match reduction.spec.kind.what {
                Statistic::Number(of) => cells.push(Cell::Number(of(&curve(reduction.first)))),
                Statistic::Frequency => {
                    let found = spectrum::frequency(&curve(reduction.first), planner);
                    cells.push(Cell::Number(found));
                }
                Statistic::Event => reduction.event(&curve, &mut cells),
                Statistic::Classes => {
                    let last = |i: usize| curve(reduction.first + i).last();
                    let found = (0..)
                        .zip(&reduction.relations)
                        .find(|(i, relation)| holds(**relation, last(*i)));
                    cells.push(Cell::Word(found.map(|(i, _)| i)));
                }
                Statistic::Section => {
                    reduction.section(member, &curve, &mut sections[section].columns);
                    section += 1;
                }
                Statistic::Lyapunov => {
                    cells.extend(seen.exponents.iter().map(|x| Cell::Number(*x)))
                }
                Statistic::Claim => {
                    let (holds, drift) = claims.next().copied().unwrap_or((None, None));
                    cells.push(Cell::Word(holds.map(|holds| usize::from(!holds))));
                    cells.push(Cell::Number(drift.unwrap_or(f64::NAN)));
                }
            }
        }
        cells
    }

    /// What stands for a member that did not move.
    pub fn nothing(&self) -> Vec<Cell> {
        let cells = self.columns().into_iter().map(|column| match column.data {
            Data::Words { .. } => Cell::Word(None),
            _ => Cell::Number(f64::NAN),
        });
        cells.collect()
    }
}

/// An entry of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    Number(f64),
    /// The index of a word; none for `none`.
    Word(Option<usize>),
}

impl Cell {
    /// Appends it to a column.
    pub fn add_to(self, column: &mut Data) {
        match (self, column) {
            (Self::Number(x), Data::Numbers(numbers)) => numbers.push(x),
            (Self::Word(index), Data::Words { words, codes }) => {
                codes.push(index.unwrap_or(words.len() - 1) as u32);
            }
            _ => {}
        }
    }
}

impl Reduction {
    /// The places of its expressions.
    fn range(&self) -> Range<usize> {
        let texts = match self.spec.kind.what {
            Statistic::Claim | Statistic::Lyapunov => 0,
            _ => self.spec.texts.len(),
        };
        self.first..self.first + texts + self.spec.of.len()
    }

    /// Whether its first expression is held against zero between the looks.
    fn has_condition(&self) -> bool {
        matches!(self.spec.kind.what, Statistic::Event | Statistic::Section)
    }

    /// Whether it is a frequency, which is known from the looks alone.
    fn is_frequency(&self) -> bool {
        matches!(self.spec.kind.what, Statistic::Frequency)
    }

    /// Whether it matters what is between two looks.
    fn is_followed(&self) -> bool {
        match self.spec.kind.what {
            Statistic::Number(_) => self.spec.kind.key != "final",
            Statistic::Event | Statistic::Section => true,
            Statistic::Frequency | Statistic::Classes | Statistic::Lyapunov | Statistic::Claim => {
                false
            }
        }
    }

    fn columns(&self) -> Vec<Column> {
        let name = &self.spec.name;
        match self.spec.kind.what {
            Statistic::Number(_) | Statistic::Frequency => vec![Column::numbers(name.clone())],
            Statistic::Event => {
                let noted = self
                    .spec
                    .of
                    .iter()
                    .map(|(text, _)| format!("{name}.{text}"));
                [name.clone()]
                    .into_iter()
                    .chain(noted)
                    .map(Column::numbers)
                    .collect()
            }
            Statistic::Classes => {
                let words = self
                    .spec
                    .words
                    .iter()
                    .cloned()
                    .chain(["none".to_owned()])
                    .collect();
                let codes = Vec::new();
                vec![Column::new(name, Data::Words { words, codes })]
            }
            Statistic::Lyapunov => {
                let count = self.spec.exponents.map_or(0, |exponents| exponents.count);
                let names = (1..=count).map(|number| format!("{name}.{number}"));
                names.map(Column::numbers).collect()
            }
            Statistic::Claim => {
                let (words, codes) = (TRUTH.map(str::to_owned).to_vec(), Vec::new());
                let deviation = Column::numbers(format!("{name}.deviation"));
                vec![Column::new(name, Data::Words { words, codes }), deviation]
            }
            Statistic::Section => Vec::new(),
        }
    }

    /// The first time at which the condition holds; an equation holds where its sides cross.
    fn event<'v>(&self, curve: &impl Fn(usize) -> Curve<'v>, cells: &mut Vec<Cell>) {
        let gap = curve(self.first);
        let at = match self.relations[0] {
            Relation::Equal => gap.beginnings(Relation::Equal).next(),
            relation
                if [gap.value(0), gap.at_start()]
                    .iter()
                    .any(|x| holds(relation, *x)) =>
            {
                Some(gap.time(0))
            }
            relation => gap.beginnings(relation).next(),
        };
        cells.push(Cell::Number(at.unwrap_or(f64::NAN)));
        let noted = (0..self.spec.of.len()).map(|i| {
            let quantity = curve(self.first + 1 + i);
            Cell::Number(at.map_or(f64::NAN, |t| quantity.at(t)))
        });
        cells.extend(noted);
    }

    fn section<'v>(
        &self,
        member: u64,
        curve: &impl Fn(usize) -> Curve<'v>,
        columns: &mut [Column],
    ) {
        let times = curve(self.first);
        for t in times.zeros(self.spec.direction).take(self.spec.most) {
            let noted = (0..self.spec.of.len()).map(|i| curve(self.first + 1 + i).at(t));
            let row = [t].into_iter().chain(noted);
            if let Data::Whole(members) = &mut columns[0].data {
                members.push(member as i64);
            }
            for (column, x) in columns[1..].iter_mut().zip(row) {
                Cell::Number(x).add_to(&mut column.data);
            }
        }
    }
}
