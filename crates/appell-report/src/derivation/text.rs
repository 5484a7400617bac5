//! A derivation as plain text.

use super::layout::{WIDTH, aligned, beside, bracketed, broken, equations, width};
use super::{Definition, Derivation, Results, Row, Step, Table};
use appell_expr::Style;

/// The formulas stand so far from the margin.
const INDENT: usize = 4;

/// Writes the whole derivation.
pub(super) fn write(derivation: &Derivation) -> String {
    let sections = [
        heading(derivation),
        system(derivation),
        constraints(derivation),
        motion(derivation),
        results(derivation),
        notes(derivation),
    ];
    let sections: Vec<String> =
        sections.iter().filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n")).collect();
    sections.join("\n\n") + "\n"
}

fn indented(line: &str) -> String {
    format!("{}{line}", " ".repeat(INDENT))
}

fn heading(derivation: &Derivation) -> Vec<String> {
    let mut lines = vec![derivation.title.clone()];
    lines.extend(derivation.origin.clone());
    lines.push(String::new());
    lines.push(derivation.form_title.clone());
    lines.extend(paragraph(&derivation.statement, ",  ", INDENT));
    lines.extend(paragraph(&derivation.sources.join(", "), " ", INDENT));
    lines
}

fn system(derivation: &Derivation) -> Vec<String> {
    let mut lines = vec!["System".to_owned()];
    let list = |names: &[String]| names.join(", ");
    lines.extend(paragraph(&format!("coordinates q = ({})", list(&derivation.coordinates)), " ", INDENT));
    if !derivation.parameters.is_empty() {
        lines.extend(paragraph(&format!("parameters {}", list(&derivation.parameters)), " ", INDENT));
    }
    lines.extend(aligned(&derivation.energies, INDENT));
    let (of_rows, of_motion): (Vec<&Table>, Vec<&Table>) =
        derivation.tables.iter().partition(|table| ["A", "B", "W"].contains(&table.name.as_str()));
    lines.extend(tables(&of_motion));
    if of_rows.is_empty() {
        lines.extend(abbreviations(derivation));
    }
    lines
}

fn constraints(derivation: &Derivation) -> Vec<String> {
    if derivation.rows.is_empty() {
        return vec!["No constraints".to_owned()];
    }
    let mut lines = vec!["Constraints".to_owned()];
    let wide = derivation.rows.iter().map(|row| width(&row.name, Style::Text) + 1).max();
    for Row { name, left, remark } in &derivation.rows {
        let head = format!("{:<1$} ", format!("{name}:"), wide.unwrap_or(0));
        let hang = INDENT + width(&head, Style::Text);
        let equation = format!("{left} = 0");
        for (index, line) in broken(&equation, WIDTH - hang.min(WIDTH / 2), Style::Text).iter().enumerate() {
            let head = if index == 0 { indented(&head) } else { " ".repeat(hang) };
            lines.push(format!("{head}{line}"));
        }
        if !remark.is_empty() {
            lines.push(format!("{}({remark})", " ".repeat(hang)));
        }
    }
    let of_rows: Vec<&Table> = derivation
        .tables
        .iter()
        .filter(|table| ["A", "B", "W"].contains(&table.name.as_str()))
        .collect();
    if !of_rows.is_empty() {
        lines.push(String::new());
        lines.push(indented("differentiated, A q'' + B = 0:"));
        lines.extend(tables(&of_rows));
        lines.extend(abbreviations(derivation));
    }
    lines
}

fn abbreviations(derivation: &Derivation) -> Vec<String> {
    if derivation.abbreviations.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), indented("where")];
    lines.extend(aligned(&derivation.abbreviations, INDENT));
    lines
}

/// Matrices next to each other where they fit, else one after the other.
fn tables(tables: &[&Table]) -> Vec<String> {
    let mut lines = Vec::new();
    for table in tables {
        lines.push(String::new());
        lines.push(indented(&format!("{}, {}:", table.name, table.meaning)));
        lines.extend(matrix(table));
    }
    let labels: Vec<String> = tables
        .iter()
        .enumerate()
        .map(|(at, table)| format!("{}{} = ", if at == 0 { "" } else { "    " }, table.name))
        .collect();
    let _ = labels;
    lines
}

/// A matrix in brackets, or its entries one by one.
fn matrix(table: &Table) -> Vec<String> {
    let values: Vec<Vec<String>> =
        table.entries.iter().map(|row| row.iter().map(|d| d.value.clone()).collect()).collect();
    if values.iter().flatten().all(|value| value == "0") {
        return vec![indented(&format!("{} = 0", table.name))];
    }
    let label = format!("{} = ", table.name);
    beside(&[(&label, bracketed(&values))], INDENT)
        .unwrap_or_else(|| aligned(&listed(table), INDENT))
}

fn listed(table: &Table) -> Vec<Definition> {
    table.entries.iter().flatten().filter(|d| d.value != "0").cloned().collect()
}

fn motion(derivation: &Derivation) -> Vec<String> {
    let mut lines = vec![format!("Equations of motion for ({})", derivation.state.join(", "))];
    for step in &derivation.steps {
        lines.extend(self::step(step));
        lines.push(String::new());
    }
    lines.pop();
    lines
}

fn step(step: &Step) -> Vec<String> {
    let _ = step;
    Vec::new()
}

fn results(derivation: &Derivation) -> Vec<String> {
    let _: &[Results] = &derivation.results;
    let _ = equations;
    Vec::new()
}

fn notes(derivation: &Derivation) -> Vec<String> {
    derivation.notes.iter().flat_map(|note| paragraph(note, " ", 0)).collect()
}

/// Words in lines, broken after `separator` only.
fn paragraph(text: &str, separator: &str, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_inclusive(separator) {
        match lines.last_mut() {
            Some(line) if width(line, Style::Text) + width(word.trim_end(), Style::Text) <= WIDTH => {
                line.push_str(word);
            }
            _ => lines.push(format!("{}{word}", " ".repeat(indent))),
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}
