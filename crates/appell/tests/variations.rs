//! Two thousand variations of the models of `strangers/`, the same every time: other parameters, other states on
//! the constraints, rows spelled in other ways, with rows to spare, in another order. Each starts, runs, and ends
//! where the model as it was spelled at first ends, by default and in other forms, each in its turn.
//!
//! The ordinary test tries a few, and those that once failed; `cargo xtask corpus` tries them all and prints how many ended how.
//! `VARIATIONS=10000..20000 cargo test --release -p appell variations::` tries others, each in every form, with
//! `APPELL_CORPUS=whole` in its share of them.

use crate::common::corpus::{Entry, corpus, in_threads, is_whole};
use crate::common::dice::Dice;
use crate::common::words;
use appell::{
    ExitKind, FORMALISMS, Formalism, Model, Override, Prepared, RunOptions, Source, read,
    render_all, run,
};
use std::fmt::Write as _;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// How far the ends of two motions may be apart, relative to the largest number: for tolerances of 1e-10.
const APART: f64 = 1e-7;
/// How many variations there are.
const COUNT: usize = 2000;
/// The ordinary test tries one of each model in so many.
const SHARE: usize = 8;
/// Those that were refused or died before rows kept their exact rank beside the constraints and metrics without
/// inertia in some direction were made regular.
/// Of those from 504 on some were lost where rows depend on each other only where they hold; those from 1015 on,
/// but for one, started from another state than the nearest.
const FOUND: [usize; 21] = [
    290, 329, 365, 425, 431, 504, 506, 507, 638, 645, 647, 656, 754, 785, 789, 928, 941, 1015,
    1065, 1067, 1410,
];
/// One in so many forms is run beside the usual one.
const FORMS_AT_ONCE: usize = 4;

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
        let found = p
            .constraints
            .rows
            .iter()
            .find(|row| row.name == name || row.name == format!("{name}.x"))?;
        Some(Row {
            name: name.to_owned(),
            left: left.trim().to_owned(),
            right: right.trim().to_owned(),
            vector: found.name != name,
            holonomic: found.position.is_some(),
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
    Prepared::new(model, none, &[]).map_err(|error| error.to_string())
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
) -> Result<End, (Fate, String)> {
    let options = RunOptions {
        form,
        until,
        samples: Some(2),
        ..RunOptions::default()
    };
    let motion = run(p, &options, &mut Default::default())
        .map_err(|error| (Fate::Refused, words(p, error)))?;
    if motion.exit != ExitKind::Done {
        return Err((Fate::Died, motion.outcome));
    }
    if motion.max_residual > 1e-9 {
        let words = format!("a residual of {:.1e}", motion.max_residual);
        return Err((Fate::OffTheRows, words));
    }
    let last = motion.table.rows.last().expect("a sample");
    let names = p.model.coordinates.iter();
    let names = names.flat_map(|c| [c.name.clone(), format!("{}'", c.name)]);
    let state = names.map(|name| {
        let place = motion.table.columns.iter().position(|other| *other == name);
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
    // Beside reactions of the file's own, rows to spare would have a share in them.
    let spare = match rows.len() == table.map_or(0, |table| table.len()) {
        true => dice.below(3),
        false => 0,
    };
    for extra in 0..spare {
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

/// How a run of a variation ended, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Alike,
    Differs,
    OffTheRows,
    Died,
    Refused,
}

impl Fate {
    const NAMES: [&'static str; 5] = ["alike", "differs", "off the rows", "died", "refused"];
}

/// A run in a form by its name, and how it ended.
type Ended = (&'static str, Fate);

/// What became of a variation.
#[derive(Default)]
struct Answer {
    ended: Vec<Ended>,
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
        let found = other.state.iter().find(|(known, _)| known == name);
        found.map_or(f64::INFINITY, |(_, y)| (x - y).abs())
    });
    far.fold(0.0, f64::max) / size
}

/// The variation of this number.
fn variation(entries: &[Entry], index: usize, wide: bool) -> Answer {
    let entry = &entries[index % entries.len()];
    let mut dice = Dice::of(index as u64);
    let mut answer = Answer::default();
    let mut document = bare(&entry.text);
    if dice.below(3) > 0 {
        vary_parameters(&mut document, &mut dice);
        // Numbers of the start may have been made for those of the file.
        document["initial"]["inconsistent"] = value("project");
    }
    let until = until(&document);
    let horizon = (0.04 * until).min(0.2);
    let base = document.to_string();
    let result = model(&entry.name, &base).and_then(|model| {
        let p = prepared(&model)?;
        let by_default = |p: &Prepared<'_>, until| {
            let ended = end(p, None, Some(until));
            ended.map_err(|(fate, words)| format!("{}: {words}", Fate::NAMES[fate as usize]))
        };
        if dice.below(3) == 0 {
            return Ok((rows(&document, &p), by_default(&p, horizon)?));
        }
        let reached = by_default(&p, dice.between(0.01, 0.3) * until)?;
        start_from(&mut document, &reached, &mut dice);
        let first = self::model(&entry.name, &document.to_string())?;
        let p = prepared(&first)?;
        let ended = by_default(&p, reached.t + horizon)?;
        Ok((rows(&document, &p), ended))
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
    let chosen = |place: usize| wide || (place + index).is_multiple_of(FORMS_AT_ONCE);
    if let Err(words) = in_forms(&entry.name, &first, &mut answer, chosen) {
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

fn in_forms(
    name: &str,
    first: &End,
    answer: &mut Answer,
    chosen: impl Fn(usize) -> bool,
) -> Result<(), String> {
    let model = model(name, &answer.text)?;
    let p = prepared(&model)?;
    let forms = FORMALISMS.iter().enumerate();
    let forms = forms
        .filter(|(place, _)| chosen(*place))
        .map(|(_, form)| Some(*form));
    for form in [None].into_iter().chain(forms) {
        if form.is_some_and(|form| (form.derive)(&p.system, &p.constraints).is_err()) {
            continue;
        }
        let id = form.map_or("by default", |form| form.id);
        let (fate, words) = match end(&p, form, Some(first.t)) {
            Ok(ended) => match apart(first, &ended) {
                far if far <= APART => (Fate::Alike, String::new()),
                far => (Fate::Differs, format!("{far:.1e}")),
            },
            Err(ended) => ended,
        };
        answer.ended.push((id, fate));
        if fate != Fate::Alike {
            let fate = Fate::NAMES[fate as usize];
            answer.wrong.push(format!("{id}: {fate}: {words}"));
        }
    }
    Ok(())
}

/// How many runs ended how, form by form, as a table.
fn table(ended: &[Ended]) -> String {
    let mut text = format!("{:<16}", "");
    for name in Fate::NAMES {
        let _ = write!(text, "{name:>14}");
    }
    let forms = FORMALISMS.iter().map(|form| form.id);
    for form in ["by default"].into_iter().chain(forms) {
        let _ = write!(text, "\n{form:<16}");
        for fate in 0..Fate::NAMES.len() {
            let count = |(id, met): &&Ended| *id == form && *met as usize == fate;
            let _ = write!(text, "{:>14}", ended.iter().filter(count).count());
        }
    }
    text
}

/// The numbers of the variations that are asked for, and whether each runs in every form.
fn wanted(models: usize) -> (Vec<usize>, bool) {
    let number = |text: &str| text.parse::<usize>().expect("VARIATIONS=FIRST..LAST");
    match std::env::var("VARIATIONS").ok() {
        Some(text) => {
            let (first, last) = text.split_once("..").expect("VARIATIONS=FIRST..LAST");
            ((number(first)..number(last)).collect(), !is_whole())
        }
        None if is_whole() => ((0..COUNT).collect(), false),
        None => ((0..models).step_by(SHARE).chain(FOUND).collect(), false),
    }
}

#[test]
fn variations_of_the_corpus_run_alike() {
    let mut entries = corpus();
    let moves = |entry: &Entry| {
        let motion = entry.refused().is_none() && entry.stops().is_none();
        motion && entry.text.contains("\nuntil = ")
    };
    entries.retain(moves);
    let (numbers, wide) = wanted(entries.len());
    let answers = in_threads(numbers.len(), |place| {
        variation(&entries, numbers[place], wide)
    });
    let (mut ended, mut without, mut wrong) = (Vec::new(), 0, 0);
    for (index, answer) in numbers.iter().zip(answers) {
        let name = &entries[index % entries.len()].name;
        let answer = answer.unwrap_or_else(|panic| Answer {
            wrong: vec![panic],
            ..Answer::default()
        });
        if let Some(words) = &answer.without {
            without += 1;
            println!("=== {index} {name} has no motion: {words}\n{}", answer.text);
        }
        if !answer.wrong.is_empty() {
            wrong += 1;
            let words = answer.wrong.join("\n");
            println!("=== {index} {name}: {words}\n{}", answer.text);
        }
        ended.extend(answer.ended);
    }
    println!("{}", table(&ended));
    println!(
        "{} variations, {} runs, {without} without a motion, {wrong} wrong",
        numbers.len(),
        ended.len()
    );
    assert_eq!(wrong, 0);
}

/// Runs a text by default and in every form, and compares the ends.
#[track_caller]
fn alike(text: &str, until: f64) -> usize {
    let model = model("found.toml", text).unwrap_or_else(|words| panic!("{words}"));
    let p = prepared(&model).unwrap_or_else(|words| panic!("{words}"));
    let first = end(&p, None, Some(until)).unwrap_or_else(|(_, words)| panic!("{words}\n{text}"));
    let mut answer = Answer {
        text: text.to_owned(),
        ..Answer::default()
    };
    in_forms("found.toml", &first, &mut answer, |_| true).expect("it is read");
    assert!(answer.wrong.is_empty(), "{:?}\n{text}", answer.wrong);
    answer.ended.len()
}

/// The watch for singular states took the shortest row for a loss of rank.
#[test]
fn factors_before_rows_are_no_loss_of_rank() {
    for [first, second] in [["1e-4", "1e5"], ["1e6", "1e-3"], ["1", "1e-8"]] {
        let text = format!(
            "coordinates = ['x', 'y', 'psi', 'w']\n[energy]\n\
             kinetic = \"(x'^2 + y'^2 + 0.3*psi'^2 + 0.1*w'^2)/2\"\n[constraints]\n\
             blade = \"{first}*(y'*cos(psi) - x'*sin(psi)) = 0\"\nwheel = \"{second}*w' = {second}*psi'\"\n\
             [initial]\nstate = ['psi = 0.4', \"x' = 1\", \"psi' = 0.7\"]\n"
        );
        assert!(alike(&text, 1.0) >= 8);
    }
}

/// Dependent rows contradict each other a little where coordinates in ten digits miss them: a rolling ball with
/// its contact as a vector row beside the surface, and rows to spare.
#[test]
fn rounded_states_of_rows_to_spare_are_moved_on_to_them() {
    let text = "coordinates = ['x', 'y', 'z', 'e0', 'e1', 'e2', 'e3']\ngravity = '-9.81*N.z'\n[parameters]\n\
         m = 1.662\na = 0.11\nD = 2.3\nOm = 0.541\nJ = '0.63*m*a^2'\n[frames]\n\
         B = { parent = 'N', quaternion = ['e0', 'e1', 'e2', 'e3'] }\n[bodies.ball]\nmass = 'm'\nframe = 'B'\n\
         position = '[x, y, z]'\ninertia = ['J', 'J', 'J']\n[define]\nn = 'pos(ball)/(D + a)'\n\
         slip = 'v(ball, -a*n) - Om*cross(N.z, pos(ball) - a*n)'\nround = 'x^2 + y^2 + z^2 - (D + a)^2'\n\
         [constraints]\n\
         spare_1 = '1.8844306*dot(slip, [-0.1682844, -0.83, -0.9]) - 0.64*dot(slip, [0.1, -0.50348, 0.712]) = 0'\n\
         spare_0 = '-0.0453*round - 1.3*round = 0'\nroll = '-slip = 0'\n\
         dome = '(2 + sin(e1))*(x^2 + y^2 + z^2) = (2 + sin(e1))*(D + a)^2'\n[initial]\nt = 0.18083669680882677\n\
         state = ['x = 1.592338384e-1', \"x' = 3.589698058e-1\", 'y = 1.906943789e-1', \
         \"y' = -3.343072855e-3\", 'z = 2.397160870e0', \"z' = -2.357899111e-2\", 'e0 = 9.252758925e-1', \
         \"e0' = -8.482630282e-1\", 'e1 = 8.491182250e-2', \"e1' = 2.731244500e-1\", 'e2 = 3.294699307e-1', \
         \"e2' = 1.841827947e0\", 'e3 = -1.676426853e-1', \"e3' = -9.237439107e-1\"]\n\
         inconsistent = 'project'\n";
    assert!(alike(text, 0.22) >= 8);
}

/// Coordinates without inertia that no holonomic row speaks of, beside rows to spare.
#[test]
fn what_has_no_inertia_stays_where_rows_do_not_move_it() {
    let text = "coordinates = ['z1', 'z2', 'odo']\n[energy]\nkinetic = \"(1.3*z1'^2 + 0.8*z2'^2)/2\"\n\
         potential = '9.81*(1.3*z1 + 0.8*z2)'\n[constraints]\nrope = '(1.3 + cos(t))*(z1 + z2 + 1.7) = 0'\n\
         again = '0.877*(z1 + z2) = -0.877*1.7'\nodo = \"odo' = 1.35*z1'\"\n[initial]\n\
         inconsistent = 'project'\nstate = ['z1 = -0.6058311285557427', 'z2 = -1.0941688714442573', \
         \"z1' = 0.1783585165138883\", \"z2' = -0.1783585165138\"]\n";
    assert!(alike(text, 1.0) >= 3);
}

/// Rows that depend on each other where they hold, and only there: Newton's method went far astray.
#[test]
fn rows_that_are_dependent_only_where_they_hold_start() {
    for factor in ["1 + x^2", "2 + sin(x)", "1e4", "exp(y)"] {
        for miss in ["0", "3e-12", "1e-7", "0.01"] {
            let text = format!(
                "coordinates = ['x', 'y', 'u', 'w']\n[energy]\n\
                 kinetic = \"(x'^2 + y'^2 + 0.4*u'^2 + w'^2)/2\"\npotential = '9.81*y'\n[constraints]\n\
                 circle = '({factor})*(x^2 + y^2) = ({factor})*1.44'\nother = 'u^2 + w^2 = 0.25'\n\
                 both = '0.59*(x^2 + y^2 - 1.44) - 0.193*(u^2 + w^2 - 0.25) = 0'\n[initial]\n\
                 inconsistent = 'project'\nstate = ['x = 1.2*cos(0.35) + {miss}', 'y = -1.2*sin(0.35)', \
                 'u = 0.3', 'w = 0.4', \"x' = 0.3\", \"u' = 1\"]\n"
            );
            assert!(alike(&text, 0.3) >= 6);
        }
    }
}

/// A state beside rows that depend on each other where they hold, and only there: the nearest on the circle lies
/// towards its middle, with a coordinate without inertia as without.
#[test]
fn the_start_is_the_nearest_state_whatever_the_rows_are_multiplied_by() {
    for (factor, miss, follower) in [
        ("1 + x^2", 0.001, false),
        ("1 + x^2", 0.01, false),
        ("2 + sin(x)", 0.02, false),
        ("1 + x^2", 0.01, true),
        ("2 + sin(x)", 0.02, true),
        ("exp(y)", 0.1, true),
    ] {
        let (name, row) = match follower {
            true => (", 'f'", "follows = \"f' = 0.7*x'\"\n"),
            false => ("", ""),
        };
        let text = format!(
            "coordinates = ['x', 'y', 'u', 'w'{name}]\n[energy]\n\
             kinetic = \"(x'^2 + y'^2 + u'^2 + w'^2)/2\"\n[constraints]\n\
             circle = '({factor})*(x^2 + y^2) = ({factor})*1.44'\nother = 'u^2 + w^2 = 0.25'\n{row}\
             both = '0.59*(x^2 + y^2 - 1.44) - 0.193*(u^2 + w^2 - 0.25) = 0'\n[initial]\n\
             inconsistent = 'project'\nstate = ['x = 1.1 + {miss}', 'y = -0.4', 'u = 0.3', 'w = 0.4 + {miss}']\n"
        );
        let model = model("found.toml", &text).expect("it is read");
        let p = prepared(&model).expect("it has parameters");
        let motion = run(&p, &RunOptions::until(0.0), &mut Default::default());
        let found = motion.unwrap_or_else(|error| panic!("{}", words(&p, error)));
        let radial = |[x, y]: [f64; 2], radius: f64| [x, y].map(|part| part * radius / x.hypot(y));
        let [first, second] = [
            radial([1.1 + miss, -0.4], 1.2),
            radial([0.3, 0.4 + miss], 0.5),
        ];
        let wanted = first.into_iter().chain(second);
        for (found, wanted) in found.start.q.iter().zip(wanted) {
            assert!(
                (found - wanted).abs() < 1e-7,
                "{found} for {wanted}\n{text}"
            );
        }
    }
}
