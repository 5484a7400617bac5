//! `appell chart`: a picture of a study.

use super::Exit;
use super::sweep::problem;
use crate::args;
use crate::output;
use crate::problem::Problem;
use crate::target::{self, write_whole};
use appell::chart::{Chart, Colour, png, svg};
use appell::nearest_word;
use appell::studies::columns::{Column, Data};
use appell::studies::{Folder, section, table, units};
use std::path::Path;

/// How a picture is written.
type Format = fn(&Chart) -> Vec<u8>;

/// Draws the study, and writes the pictures.
pub fn chart(args: &args::Chart) -> Result<Exit, Problem> {
    output::apart(&args.output)?;
    let formats: Vec<Format> = args
        .output
        .iter()
        .map(|path| format(path))
        .collect::<Result<_, _>>()?;
    let folder = Folder::new(&args.study);
    let columns = match &args.section {
        Some(name) => section(&folder, name),
        None => table(&folder),
    };
    let columns = columns.map_err(problem)?;
    let units = units(&folder).map_err(problem)?;
    let names = [&args.x, &args.y, &args.colour];
    for name in names {
        known(&columns, name)?;
    }
    let unit = |name: &str| {
        let own = units.iter().find(|(own, _)| own == name);
        own.map_or_else(String::new, |(_, unit)| unit.clone())
    };
    let x = numbers(&columns, &args.x)?;
    let y = numbers(&columns, &args.y)?;
    let said = [&args.x_label, &args.y_label, &args.colour_label];
    let own = |place: usize| said[place].clone();
    let chart = Chart {
        title: args.title.clone(),
        labels: [0, 1, 2].map(|place| own(place).unwrap_or_else(|| names[place].clone())),
        units: [0, 1, 2]
            .map(|place| own(place).map_or_else(|| unit(names[place]), |_| String::new())),
        x,
        y,
        colour: colour(&columns, &args.colour),
    };
    for (path, format) in args.output.iter().zip(formats) {
        let bytes = format(&chart);
        write_whole(path, |out| out.write_all(&bytes))?;
    }
    Ok(Exit::Done)
}

fn format(path: &Path) -> Result<Format, Problem> {
    let ending = path
        .extension()
        .map(|own| own.to_string_lossy().to_lowercase());
    let format: Format = match ending.as_deref() {
        Some("svg") => |chart| svg(chart).into_bytes(),
        Some("png") => png,
        None if target::is_stream(path) => |chart| svg(chart).into_bytes(),
        _ => {
            let message = format!("`{}`: charts end in .svg or .png", path.display());
            return Err(Problem::new(message));
        }
    };
    let folder = target::folder_of(path);
    match folder.is_dir() {
        true => Ok(format),
        false => Err(Problem::new(format!(
            "there is no folder `{}`",
            folder.display()
        ))),
    }
}

fn known(columns: &[Column], name: &str) -> Result<(), Problem> {
    let names = || columns.iter().map(|column| column.name.as_str());
    if columns.is_empty() {
        return Err(Problem::new("no part of the study is done yet"));
    }
    if names().any(|own| own == name) {
        return Ok(());
    }
    let problem = Problem::new(format!("the study has no column `{name}`"));
    let problem = match nearest_word(name, names()) {
        Some(near) => problem.note(format!("did you mean `{near}`?")),
        None => problem,
    };
    let all = names().collect::<Vec<_>>().join(", ");
    Err(problem.note(format!("its columns: {all}")))
}

fn numbers(columns: &[Column], name: &str) -> Result<Vec<f64>, Problem> {
    let column = columns.iter().find(|column| column.name == name);
    match column.map(|column| &column.data) {
        Some(Data::Numbers(numbers)) => Ok(numbers.clone()),
        Some(Data::Whole(numbers)) => Ok(numbers.iter().map(|x| *x as f64).collect()),
        _ => Err(Problem::new(format!(
            "the column `{name}` holds words: only colours can be words"
        ))),
    }
}

fn colour(columns: &[Column], name: &str) -> Colour {
    let column = columns.iter().find(|column| column.name == name);
    match column.map(|column| &column.data) {
        Some(Data::Numbers(numbers)) => Colour::Numbers(numbers.clone()),
        Some(Data::Whole(numbers)) => Colour::Numbers(numbers.iter().map(|x| *x as f64).collect()),
        Some(Data::Words { words, codes }) => Colour::Words {
            words: words.clone(),
            codes: codes.clone(),
        },
        None => Colour::Numbers(Vec::new()),
    }
}
