//! Two thousand variations of the models of `strangers/`, the same every time: other parameters, other states on
//! the constraints, rows spelled in other ways, with rows to spare, in another order. Each starts, runs, and ends
//! where the model as it was spelled at first ends, by default and in every form.
//!
//! `VARIATIONS=10000..20000 cargo test --release --test variations` tries others.

mod common;

use appell::{
    ExitKind, FORMALISMS, Formalism, Model, Override, Prepared, RunOptions, Source, read, render,
    render_all, run,
};
use common::corpus::{Entry, corpus, in_threads};
use common::dice::Dice;
use std::fmt::Write as _;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// How far the ends of two motions may be apart, relative to the largest number: for tolerances of 1e-10.
const APART: f64 = 1e-7;
/// Variations that the test tries.
const COUNT: usize = 2000;

/// A row of the file that may be spelled in another way.
#[derive(Clone)]
struct Row {
    name: String,
    left: String,
    right: String,
    vector: bool,
    holonomic: bool,
}

impl Row {
    /// Left minus right.
    fn difference(&self) -> String {
        match self.right.as_str() {
            "0" => format!("({})", self.left),
            right => format!("({} - ({right}))", self.left),
        }
    }

    /// A scalar that vanishes with the row.
    fn scalar(&self, dice: &mut Dice) -> String {
        match self.vector {
            true => {
                let axis = [(); 3].map(|()| dice.decimal(-1.0, 1.0));
                format!("dot({}, [{}])", self.difference(), axis.join(", "))
            }
            false => self.difference(),
        }
    }

    /// The same in other words.
    fn respelled(&self, dice: &mut Dice, coordinate: &str) -> Vec<(String, String)> {
        let Self {
            name, left, right, ..
        } = self;
        let factor = match dice.below(8) {
            0 => "-1".to_owned(),
            1 => "1e-3".to_owned(),
            2 => "1e4".to_owned(),
            3 => format!("(2 + sin({coordinate}))"),
            4 => format!("(1 + {coordinate}^2)"),
            5 => "(1.3 + cos(t))".to_owned(),
            _ => dice.decimal(-5.0, 5.0),
        };
        let difference = self.difference();
        let one = |text: String| vec![(name.clone(), text)];
        match dice.below(6) {
            0 | 1 if right == "0" => one(format!("({factor})*({left}) = 0")),
            0 | 1 => one(format!("({factor})*({left}) = ({factor})*({right})")),
            2 if self.vector => {
                let axes = match dice.below(2) {
                    0 => ["N.x", "N.y", "N.z"],
                    _ => ["N.x + 0.31*N.z", "N.y - 0.2*N.x", "N.z + 0.7*N.y"],
                };
                let rows = ["x", "y", "z"].iter().zip(axes);
                let row = |(end, axis)| {
                    (
                        format!("{name}_{end}"),
                        format!("dot({difference}, {axis}) = 0"),
                    )
                };
                rows.map(row).collect()
            }
            2 => one(format!("{right} = {left}")),
            3 => one(format!("{difference} = 0")),
            _ => one(format!("{left} = {right}")),
        }
    }
}

/// The rows that the file gives as equations alone.
fn rows(document: &DocumentMut, p: &Prepared<'_>) -> Vec<Row> {
    let Some(table) = document.get("constraints").and_then(Item::as_table_like) else {
        return vec![];
    };
    let row = |(name, item): (&str, &Item)| {
        let text = item.as_str()?;
        let (left, right) = text.split_once('=').unwrap_or((text, "0"));
        let own = p
            .constraints
            .rows
            .iter()
            .find(|row| row.name == name || row.name == format!("{name}.x"))?;
        Some(Row {
            name: name.to_owned(),
            left: left.trim().to_owned(),
            right: right.trim().to_owned(),
            vector: own.name != name,
            holonomic: own.position.is_some(),
        })
    };
    table.iter().filter_map(row).collect()
}

/// The file without what does not move anything.
fn bare(text: &str) -> DocumentMut {
    let mut document: DocumentMut = text.parse().expect("TOML");
    for key in ["claims", "plots", "animation"] {
        document.remove(key);
    }
    if let Some(simulate) = document
        .get_mut("simulate")
        .and_then(Item::as_table_like_mut)
    {
        for key in ["stop", "samples", "rtol", "atol", "method"] {
            simulate.remove(key);
        }
    }
    document
}

/// Numbers of the file's parameters changed a little, with other digits.
fn vary_parameters(document: &mut DocumentMut, dice: &mut Dice) {
    let Some(table) = document
        .get_mut("parameters")
        .and_then(Item::as_table_like_mut)
    else {
        return;
    };
    for (_, item) in table.iter_mut() {
        let place = match item.as_table_like_mut() {
            Some(inner) => inner.get_mut("value"),
            None => Some(item),
        };
        let Some(place) = place else { continue };
        let number = place
            .as_float()
            .or_else(|| place.as_integer().map(|i| i as f64));
        let Some(number) = number.filter(|x| *x != 0.0 && dice.below(3) > 0) else {
            continue;
        };
        let digits = [2, 3, 5, 9, 16][dice.below(5)];
        let varied = number * dice.between(0.85, 1.15);
        *place = value(
            format!("{varied:.digits$e}")
                .parse::<f64>()
                .expect("a number"),
        );
    }
}

fn model(name: &str, text: &str) -> Result<Model, String> {
    let read = read(name, text);
    read.map(|(model, _)| model)
        .map_err(|errors| render_all(&errors, &Source::new(name, text), false))
}

fn prepared(model: &Model) -> Result<Prepared<'_>, String> {
    let none: &[Override] = &[];
    Prepared::new(model, none, &[]).map_err(|error| render(&error, &model.source, false))
}

/// Where a motion ends: coordinates and velocities by name.
struct End {
    t: f64,
    state: Vec<(String, f64)>,
}

/// Runs a model in a form; in words what went wrong.
fn end(
    p: &Prepared<'_>,
    form: Option<&'static Formalism>,
    until: Option<f64>,
) -> Result<End, String> {
    let options = RunOptions {
        form,
        until,
        samples: Some(2),
        ..RunOptions::default()
    };
    let motion = run(p, &options, &mut Default::default())
        .map_err(|error| format!("refused: {}", render(&error, &p.model.source, false)))?;
    if motion.exit != ExitKind::Done {
        return Err(format!("died: {}", motion.outcome));
    }
    if motion.max_residual > 1e-9 {
        return Err(format!("off: a residual of {:.1e}", motion.max_residual));
    }
    let last = motion.table.rows.last().expect("a sample");
    let names = p.model.coordinates.iter();
    let names = names.flat_map(|c| [c.name.clone(), format!("{}'", c.name)]);
    let state = names.map(|name| {
        let place = motion.table.columns.iter().position(|own| *own == name);
        (name, last[place.expect("a column")])
    });
    Ok(End {
        t: motion.last_time(),
        state: state.collect(),
    })
}

/// The state in the place of the file's start, moved a little if `moved`.
fn start_from(document: &mut DocumentMut, end: &End, dice: &mut Dice) {
    let mut initial = Table::new();
    initial.insert("t", value(end.t));
    let size = end
        .state
        .iter()
        .fold(0.1, |size: f64, x| size.max(x.1.abs()));
    let kind = dice.below(4);
    let written = end.state.iter().map(|(name, x)| {
        let jump = match (kind, name.ends_with('\'')) {
            (2, true) => 0.3 * size.min(3.0),
            (3, _) => 0.02,
            _ => 0.0,
        };
        let x = x + jump * dice.between(-1.0, 1.0);
        match kind {
            1 => format!("{name} = {x:.9e}"),
            _ => format!("{name} = {x:e}"),
        }
    });
    let written: Array = written.collect();
    initial.insert("state", value(written));
    if kind > 0 {
        initial.insert("inconsistent", value("project"));
    }
    document.insert("initial", Item::Table(initial));
}

/// Rows in other words, in another order, with rows that say nothing new; coordinates in another order, with
/// one that follows another without inertia.
fn respell(document: &mut DocumentMut, rows: &[Row], dice: &mut Dice) {
    let coordinates = document["coordinates"].as_array().expect("a list").clone();
    let mut names: Vec<String> = coordinates
        .iter()
        .filter_map(|x| x.as_str().map(str::to_owned))
        .collect();
    let coordinate = names[dice.below(names.len())].clone();
    let table = document.get("constraints").and_then(Item::as_table_like);
    let mut entries: Vec<(String, Item)> = Vec::new();
    for (name, item) in table.iter().flat_map(|table| table.iter()) {
        match rows.iter().find(|row| row.name == name) {
            Some(row) => {
                let words = row.respelled(dice, &coordinate);
                entries.extend(words.into_iter().map(|(name, text)| (name, value(text))));
            }
            None => entries.push((name.to_owned(), item.clone())),
        }
    }
    for extra in 0..dice.below(3) {
        let holonomic = dice.below(2) == 0;
        let fitting: Vec<&Row> = rows
            .iter()
            .filter(|row| row.holonomic == holonomic)
            .collect();
        if fitting.is_empty() {
            continue;
        }
        let mut text = String::new();
        for _ in 0..1 + dice.below(2) {
            let row = fitting[dice.below(fitting.len())];
            let factor = dice.decimal(-2.0, 2.0);
            let sign = if text.is_empty() { "" } else { " + " };
            let _ = write!(text, "{sign}({factor})*{}", row.scalar(dice));
        }
        entries.push((format!("spare_{extra}"), value(format!("{text} = 0"))));
    }
    if dice.below(4) == 0 {
        let factor = dice.decimal(0.2, 3.0);
        entries.push((
            "follows".to_owned(),
            value(format!("follower' = {factor}*{coordinate}'")),
        ));
        names.push("follower".to_owned());
    }
    if dice.below(2) == 0 {
        dice.shuffle(&mut entries);
    }
    if dice.below(3) == 0 {
        dice.shuffle(&mut names);
    }
    document["coordinates"] = value(names.into_iter().collect::<Array>());
    if !entries.is_empty() {
        let mut table = Table::new();
        for (name, item) in entries {
            table.insert(&name, item);
        }
        document.insert("constraints", Item::Table(table));
    }
}

/// What became of a variation.
#[derive(Default)]
struct Answer {
    runs: usize,
    /// Why the varied model has no start or no motion in its first spelling.
    without: Option<String>,
    wrong: Vec<String>,
    text: String,
}

/// The largest difference of the ends, relative to the largest number; of the coordinates of the first.
fn apart(first: &End, other: &End) -> f64 {
    let size = first
        .state
        .iter()
        .fold(1.0, |size: f64, x| size.max(x.1.abs()));
    let far = first.state.iter().map(|(name, x)| {
        let own = other.state.iter().find(|(own, _)| own == name);
        own.map_or(f64::INFINITY, |(_, y)| (x - y).abs())
    });
    far.fold(0.0, f64::max) / size
}

/// The variation of this number.
fn variation(entries: &[Entry], index: usize) -> Answer {
    let entry = &entries[index % entries.len()];
    let mut dice = Dice::of(index as u64);
    let mut answer = Answer::default();
    let mut document = bare(&entry.text);
    if dice.below(3) > 0 {
        vary_parameters(&mut document, &mut dice);
    }
    let until = until(&document);
    let horizon = (0.04 * until).min(0.2);
    let base = document.to_string();
    let result = model(&entry.name, &base).and_then(|model| {
        let p = prepared(&model)?;
        if dice.below(3) > 0 {
            let reached = end(&p, None, Some(dice.between(0.01, 0.3) * until))?;
            start_from(&mut document, &reached, &mut dice);
            let first = self::model(&entry.name, &document.to_string())?;
            let p = prepared(&first)?;
            Ok((
                rows(&document, &p),
                end(&p, None, Some(reached.t + horizon))?,
            ))
        } else {
            Ok((rows(&document, &p), end(&p, None, Some(horizon))?))
        }
    });
    let (rows, first) = match result {
        Ok(found) => found,
        Err(words) => {
            answer.without = Some(words);
            answer.text = document.to_string();
            return answer;
        }
    };
    respell(&mut document, &rows, &mut dice);
    answer.text = document.to_string();
    if let Err(words) = in_all_forms(&entry.name, &first, &mut answer) {
        answer.wrong.push(words);
    }
    answer
}

fn until(document: &DocumentMut) -> f64 {
    let until = &document["simulate"]["until"];
    until
        .as_float()
        .or_else(|| until.as_integer().map(|i| i as f64))
        .expect("an end time")
}

fn in_all_forms(name: &str, first: &End, answer: &mut Answer) -> Result<(), String> {
    let model = model(name, &answer.text)?;
    let p = prepared(&model)?;
    let forms = FORMALISMS.iter().map(|form| Some(*form));
    for form in [None].into_iter().chain(forms) {
        if form.is_some_and(|form| (form.derive)(&p.system, &p.constraints).is_err()) {
            continue;
        }
        answer.runs += 1;
        let id = form.map_or("default", |form| form.id);
        match end(&p, form, Some(first.t)) {
            Ok(own) => {
                let far = apart(first, &own);
                if !(far <= APART) {
                    answer.wrong.push(format!("{id}: differs: {far:.1e}"));
                }
            }
            Err(words) => answer.wrong.push(format!("{id}: {words}")),
        }
    }
    Ok(())
}

#[test]
fn two_thousand_variations_run_alike_in_every_form() {
    let mut entries = corpus();
    let moves = |entry: &Entry| {
        let motion = entry.refused().is_none() && entry.stops().is_none();
        motion && entry.text.contains("\nuntil = ")
    };
    entries.retain(moves);
    let wanted = std::env::var("VARIATIONS").ok();
    let wanted = wanted.as_deref().and_then(|text| text.split_once(".."));
    let number = |text: &str| text.parse::<usize>().expect("VARIATIONS=FIRST..LAST");
    let (first, last) = wanted.map_or((0, COUNT), |(first, last)| (number(first), number(last)));
    let answers = in_threads(last - first, |index| variation(&entries, first + index));
    let (mut runs, mut without, mut wrong) = (0, 0, 0);
    for (index, answer) in answers.into_iter().enumerate() {
        let index = first + index;
        let name = &entries[index % entries.len()].name;
        match answer {
            Ok(answer) => {
                runs += answer.runs;
                if let Some(words) = &answer.without {
                    without += 1;
                    println!("=== {index} {name} has no motion: {words}\n{}", answer.text);
                }
                if !answer.wrong.is_empty() {
                    wrong += 1;
                    println!(
                        "=== {index} {name}: {}\n{}",
                        answer.wrong.join("\n"),
                        answer.text
                    );
                }
            }
            Err(panic) => {
                wrong += 1;
                println!("=== {index} {name}: {panic}");
            }
        }
    }
    println!(
        "{} variations, {runs} runs, {without} without a motion, {wrong} wrong",
        last - first
    );
    assert_eq!(wrong, 0);
}
