//! Tables of members: CSV, Parquet, NPZ.

use crate::columns::{self, Data};
use std::fs;
use std::path::Path;

/// Larger tables are no designs.
const MOST_BYTES: u64 = 8 << 30;

/// Names, then numbers row by row.
type Table = (Vec<String>, Vec<f64>);

/// Reads a table by the ending of its name.
///
/// # Errors
/// In words.
pub(crate) fn read(path: &Path) -> Result<Table, String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if about.len() > MOST_BYTES {
        return Err("it has more than 8 GiB".to_owned());
    }
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase());
    let columns = match ending.as_deref() {
        Some("csv") => return csv(&fs::read_to_string(path).map_err(|error| error.to_string())?),
        Some("parquet") => parquet(path)?,
        Some("npz") => crate::npz::read(&fs::read(path).map_err(|error| error.to_string())?)?,
        _ => return Err("tables end in .csv, .parquet or .npz".to_owned()),
    };
    in_rows(columns)
}

/// Columns as rows.
fn in_rows(columns: Vec<(String, Vec<f64>)>) -> Result<Table, String> {
    let count = columns.first().map_or(0, |(_, numbers)| numbers.len());
    for (name, numbers) in &columns {
        if numbers.len() != count {
            return Err(format!(
                "the column `{name}` has {} numbers, the first one {count}",
                numbers.len()
            ));
        }
        if let Some(row) = numbers.iter().position(|x| !x.is_finite()) {
            let row = row + 1;
            return Err(format!("row {row}, column `{name}`: no finite number"));
        }
    }
    let rows = (0..count).flat_map(|row| columns.iter().map(move |(_, numbers)| numbers[row]));
    let rows = rows.collect();
    Ok((columns.into_iter().map(|(name, _)| name).collect(), rows))
}

fn csv(text: &str) -> Result<Table, String> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cells = |line: &'_ str| -> Vec<String> {
        line.split(',')
            .map(|cell| cell.trim().trim_matches('"').to_owned())
            .collect()
    };
    let names = cells(
        lines
            .next()
            .ok_or("there is no line of names, such as x,x',m")?,
    );
    let mut numbers = Vec::new();
    for (row, line) in (1..).zip(lines) {
        let fields = cells(line);
        if fields.len() != names.len() {
            return Err(format!(
                "row {row} has {} numbers, the line of names has {}: numbers have a point, and commas stand between them",
                fields.len(),
                names.len()
            ));
        }
        for (cell, name) in fields.iter().zip(&names) {
            let x = cell.parse().ok().filter(|x: &f64| x.is_finite());
            numbers.push(x.ok_or_else(|| {
                format!("row {row}, column `{name}`: `{cell}` is no finite number")
            })?);
        }
    }
    Ok((names, numbers))
}

fn parquet(path: &Path) -> Result<Vec<(String, Vec<f64>)>, String> {
    let (columns, _) = columns::read(path)?;
    let numbers = columns.into_iter().map(|column| match column.data {
        Data::Numbers(numbers) => Ok((column.name, numbers)),
        Data::Whole(numbers) => Ok((column.name, numbers.into_iter().map(|x| x as f64).collect())),
        Data::Words { .. } => Err(format!("the column `{}` holds words", column.name)),
    });
    numbers.collect()
}
