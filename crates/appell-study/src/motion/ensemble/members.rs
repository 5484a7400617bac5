//! Members from a table: columns named by coordinates, velocities and parameters.

use crate::states::given_states::shortened;
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_expr::limits::look;
use appell_model::nearest;
use std::io::{BufRead, Read};

/// Longer lines are no table.
const MAX_LINE: u64 = 1_000_000;

/// What a column of members gives a value to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Coordinate(usize),
    Velocity(usize),
    Parameter(usize),
}

/// The members of an ensemble: what they have of their own, row by row. What no column names is as in the
/// file of the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Members {
    /// Names of coordinates, velocities (`x'`) and parameters.
    pub columns: Vec<String>,
    /// A number for each column, row by row.
    pub values: Vec<f64>,
    /// How many members there are.
    pub count: usize,
}

impl Members {
    /// Members of these columns.
    pub fn new(columns: Vec<String>, values: Vec<f64>) -> Members {
        let count = values.len().checked_div(columns.len()).unwrap_or(0);
        Members {
            columns,
            values,
            count,
        }
    }

    /// The numbers of a member.
    pub(super) fn row(&self, member: usize) -> &[f64] {
        let width = self.columns.len();
        &self.values[member * width..(member + 1) * width]
    }

    /// What the columns mean.
    ///
    /// # Errors
    /// In words: an unknown name, one that stands twice, numbers that do not fill the rows.
    pub(super) fn meanings(&self, p: &Prepared<'_>) -> Result<Vec<Column>, Error> {
        if self.values.len() != self.count * self.columns.len() {
            return Err(Error::Argument(format!(
                "{} numbers do not fill {} rows of {} columns",
                self.values.len(),
                self.count,
                self.columns.len()
            )));
        }
        let mut meanings = Vec::new();
        for name in &self.columns {
            let meaning = meaning(p, name)?;
            if meanings.contains(&meaning) {
                return Err(Error::Argument(format!("the column `{name}` occurs twice")));
            }
            meanings.push(meaning);
        }
        Ok(meanings)
    }
}

fn meaning(p: &Prepared<'_>, name: &str) -> Result<Column, Error> {
    let shown = shortened(name);
    let coordinates = || p.model.coordinates.iter().map(|c| c.name.as_str());
    let parameters = || p.model.parameters.iter().map(|p| p.name.as_str());
    let velocity = name.strip_suffix('\'').unwrap_or_default();
    if let Some(i) = coordinates().position(|known| known == name) {
        return Ok(Column::Coordinate(i));
    }
    if let Some(i) = coordinates().position(|known| known == velocity) {
        return Ok(Column::Velocity(i));
    }
    if let Some(i) = parameters().position(|known| known == name) {
        return Ok(Column::Parameter(i));
    }
    let velocities: Vec<String> = coordinates().map(|name| format!("{name}'")).collect();
    let known = coordinates()
        .chain(velocities.iter().map(String::as_str))
        .chain(parameters());
    let known: Vec<&str> = known.collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    Err(Error::Argument(format!(
        "the column `{shown}` is no coordinate, velocity or parameter of the model; {hint}known: {}",
        shortened(&known.join(", "))
    )))
}

/// Reads comma-separated values: a line of names, then a line for each member. Empty lines and lines that
/// begin with `#` are passed over.
///
/// # Errors
/// In words, with row (members count from 1) and column: no header, an unknown name, a row of another
/// length, what is no finite number, a line that no table has, what cannot be read.
pub fn read_members(text: &mut dyn BufRead, p: &Prepared<'_>) -> Result<Members, Error> {
    let mut members = Members::default();
    let mut line = String::new();
    loop {
        look();
        line.clear();
        let read = Read::take(&mut *text, MAX_LINE).read_line(&mut line);
        let read = read.map_err(|error| Error::Argument(format!("it cannot be read: {error}")))?;
        if read as u64 == MAX_LINE {
            let row = members.count + 1;
            return Err(Error::Argument(format!(
                "row {row} is longer than {} MB",
                MAX_LINE / 1_000_000
            )));
        }
        if read == 0 {
            break;
        }
        let content = line.trim().trim_start_matches('\u{feff}');
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let cells = content.split(',').map(|cell| cell.trim().trim_matches('"'));
        if members.columns.is_empty() {
            members.columns = cells.map(str::to_owned).collect();
            members.meanings(p)?;
        } else {
            row(&mut members, cells.collect::<Vec<_>>())?;
        }
    }
    match members.columns.is_empty() {
        true => Err(Error::Argument(
            "there is no line of names, such as x,x',m".to_owned(),
        )),
        false => Ok(members),
    }
}

fn row(members: &mut Members, cells: Vec<&str>) -> Result<(), Error> {
    let row = members.count + 1;
    if cells.len() != members.columns.len() {
        return Err(Error::Argument(format!(
            "row {row} has {} numbers, the line of names has {}: numbers have a point, and commas stand between them",
            cells.len(),
            members.columns.len()
        )));
    }
    for (cell, column) in cells.iter().zip(&members.columns) {
        let value = cell.parse().ok().filter(|x: &f64| x.is_finite());
        let value = value.ok_or_else(|| {
            let cell = shortened(cell);
            Error::Argument(format!(
                "row {row}, column `{column}`: `{cell}` is no finite number"
            ))
        })?;
        members.values.push(value);
    }
    members.count = row;
    Ok(())
}
