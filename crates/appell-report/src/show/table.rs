//! The samples of a motion as files.

use appell_expr::limits::pressing;
use appell_study::motion::samples::SampleTable;
use serde::ser::{Serialize, Serializer};
use std::io::{self, Write};

/// Writes comma-separated values: a line of names, then a line for each sample.
///
/// Numbers are the shortest that read back as the same double; what is undefined is empty.
///
/// # Errors
/// Those of the writer.
pub fn write_csv(table: &SampleTable, out: &mut dyn Write) -> io::Result<()> {
    write_csv_line(&table.columns, None, out)?;
    // Who is stopped writes what there is time for, in whole lines.
    for row in table.rows.iter().take_while(|_| pressing() < 2) {
        write_csv_line(&table.columns, Some(row), out)?;
    }
    Ok(())
}

/// One line of the same: the names of the columns, or a row.
///
/// # Errors
/// Those of the writer.
pub fn write_csv_line(
    columns: &[String],
    row: Option<&[f64]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let cells: Vec<String> = match row {
        Some(row) => row.iter().map(|x| number(*x)).collect(),
        None => columns.iter().map(|name| quoted(name)).collect(),
    };
    writeln!(out, "{}", cells.join(","))
}

/// The name as a field: in quotes where a comma, a quote or a line end stands in it.
pub(super) fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name.to_owned()
}

pub(super) fn number(x: f64) -> String {
    if x.is_finite() {
        format!("{x:?}")
    } else {
        String::new()
    }
}

/// Writes one JSON object: each column's name with the list of its values, in the table's order.
///
/// What is undefined is `null`.
///
/// # Errors
/// Those of the writer.
pub fn write_json(table: &SampleTable, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Columns(table))?;
    writeln!(out)
}

/// A table seen as its columns.
struct Columns<'t>(&'t SampleTable);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = self.0;
        let column = |j: usize| -> Vec<f64> { table.rows.iter().map(|row| row[j]).collect() };
        let columns = table.columns.iter().enumerate();
        serializer.collect_map(columns.map(|(j, name)| (name, column(j))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> SampleTable {
        let columns = ["t", "x", "lambda[a,\"b\"]"].map(str::to_owned).to_vec();
        SampleTable {
            columns,
            rows: vec![vec![0.0, 0.1 + 0.2, f64::NAN], vec![1e-7, -2.5e300, 3.0]],
        }
    }

    fn written(write: impl Fn(&SampleTable, &mut dyn Write) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&table(), &mut out).expect("memory takes everything");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn csv_has_quoted_names_exact_numbers_and_empty_cells() {
        let expected = "t,x,\"lambda[a,\"\"b\"\"]\"\n0.0,0.30000000000000004,\n1e-7,-2.5e300,3.0\n";
        assert_eq!(written(write_csv), expected);
    }

    #[test]
    fn json_has_a_list_for_each_column_in_order() {
        let expected = concat!(
            r#"{"t":[0.0,1e-7],"x":[0.30000000000000004,-2.5e+300],"#,
            r#""lambda[a,\"b\"]":[null,3.0]}"#,
            "\n"
        );
        assert_eq!(written(write_json).replace("e300", "e+300"), expected);
    }
}
