//! Charts of studies: columns of a folder as a [`Chart`].

use appell_model::nearest;
use appell_report::chart::{Chart, Colour};
use appell_sweep::columns::{Column, Data};
use appell_sweep::{Folder, Problem, section, table, units};

/// Which columns of a study a chart shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChartColumns {
    /// The abscissa, the ordinate and the colour.
    pub names: [String; 3],
    /// The section whose rows are shown in place of the members; its columns are its own and those of its members.
    pub section: Option<String>,
    /// What stands at the abscissa, the ordinate and the colour in place of the names with their units.
    pub labels: [Option<String>; 3],
    /// What stands above the chart; may be empty.
    pub title: String,
}

/// A chart of what is done of a study.
///
/// # Errors
/// There is no study, no part of it is done yet, it has no such column or section, or a column of an axis holds words.
pub fn study_chart(folder: &Folder, wanted: &ChartColumns) -> Result<Chart, Problem> {
    let columns = match &wanted.section {
        Some(name) => section(folder, name),
        None => table(folder),
    }?;
    let units = units(folder)?;
    for name in &wanted.names {
        known(&columns, name)?;
    }
    let unit = |place: usize| {
        let found = units
            .iter()
            .find(|(other, _)| *other == wanted.names[place]);
        match (found, &wanted.labels[place]) {
            (Some((_, unit)), None) => unit.clone(),
            _ => String::new(),
        }
    };
    let label = |place: usize| {
        wanted.labels[place]
            .as_ref()
            .unwrap_or(&wanted.names[place])
    };
    let [x, y, colour] = &wanted.names;
    let members = match data(&columns, "member") {
        Some(Data::Whole(members)) => members.clone(),
        _ => Vec::new(),
    };
    Ok(Chart {
        title: wanted.title.clone(),
        labels: [0, 1, 2].map(|place| label(place).clone()),
        units: [0, 1, 2].map(unit),
        x: numbers(&columns, x)?,
        y: numbers(&columns, y)?,
        colour: in_colours(&columns, colour),
        members,
    })
}

fn known(columns: &[Column], name: &str) -> Result<(), Problem> {
    let names = || columns.iter().map(|column| column.name.as_str());
    if columns.is_empty() {
        return Err(Problem::words("no part of the study is done yet"));
    }
    if names().any(|known| known == name) {
        return Ok(());
    }
    let near = nearest(name, names()).map(|near| format!("did you mean `{near}`? "));
    let all = names().collect::<Vec<_>>().join(", ");
    Err(Problem::with_hint(
        format!("the study has no column `{name}`"),
        format!("{}its columns: {all}", near.unwrap_or_default()),
    ))
}

fn data<'c>(columns: &'c [Column], name: &str) -> Option<&'c Data> {
    let column = columns.iter().find(|column| column.name == name);
    column.map(|column| &column.data)
}

fn numbers(columns: &[Column], name: &str) -> Result<Vec<f64>, Problem> {
    match data(columns, name) {
        Some(Data::Numbers(numbers)) => Ok(numbers.clone()),
        Some(Data::Whole(numbers)) => Ok(numbers.iter().map(|x| *x as f64).collect()),
        _ => Err(Problem::words(format!(
            "the column `{name}` holds words: only colours can be words"
        ))),
    }
}

fn in_colours(columns: &[Column], name: &str) -> Colour {
    match data(columns, name) {
        Some(Data::Numbers(numbers)) => Colour::Numbers(numbers.clone()),
        Some(Data::Whole(numbers)) => Colour::Numbers(numbers.iter().map(|x| *x as f64).collect()),
        Some(Data::Words { words, codes }) => Colour::Words {
            words: words.clone(),
            codes: codes.clone(),
        },
        None => Colour::Numbers(Vec::new()),
    }
}
