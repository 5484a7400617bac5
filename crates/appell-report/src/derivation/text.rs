//! A derivation as plain text.

use super::layout::{WIDTH, aligned, beside, bracketed, broken, equations, page, values, width};
use super::vocabulary::{solved_for, system_of};
use super::{Definition, Derivation, Row, Step, Table};
use crate::padding;
use appell_expr::Style;
use appell_mech::output;

/// Formulas stand so far from the margin.
const INDENT: usize = 4;

/// Writes the whole derivation.
pub(super) fn write(derivation: &Derivation) -> String {
    let sections = [
        heading(derivation),
        system(derivation),
        constraints(derivation),
        motion(derivation),
        recipe(derivation),
        results(derivation),
        notes(derivation),
    ];
    page(&sections)
}

fn heading(derivation: &Derivation) -> Vec<String> {
    let mut lines = paragraph(&derivation.title, " ", 0);
    lines.extend(
        derivation
            .origin
            .iter()
            .flat_map(|origin| paragraph(origin, " ", 0)),
    );
    lines.push(String::new());
    lines.push(derivation.form_title.clone());
    lines.extend(paragraph(&derivation.statement, ",  ", INDENT));
    lines.extend(paragraph(&derivation.sources.join(", "), " ", INDENT));
    lines
}

fn system(derivation: &Derivation) -> Vec<String> {
    let mut lines = vec!["System".to_owned()];
    let coordinates = derivation.coordinates.join(", ");
    lines.extend(paragraph(
        &format!("coordinates q = ({coordinates})"),
        " ",
        INDENT,
    ));
    if !derivation.parameters.is_empty() {
        let parameters = derivation.parameters.join(", ");
        lines.extend(paragraph(&format!("parameters {parameters}"), " ", INDENT));
    }
    lines.extend(aligned(&derivation.energies, INDENT));
    let (of_rows, of_motion) = derivation.parted_tables();
    lines.push(String::new());
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
    let column = derivation
        .rows
        .iter()
        .map(|row| width(&row.name, Style::Text))
        .max();
    for row in &derivation.rows {
        lines.extend(constraint(row, column.unwrap_or(0)));
    }
    let (of_rows, _) = derivation.parted_tables();
    if !of_rows.is_empty() {
        lines.push(String::new());
        lines.push(indented("differentiated, A q'' + B = 0 with"));
        lines.extend(tables(&of_rows));
        lines.extend(abbreviations(derivation));
    }
    lines
}

fn constraint(row: &Row, column: usize) -> Vec<String> {
    let Row { name, left, remark } = row;
    let head = indented(&(padding::left(&format!("{name}:"), column + 1) + "  "));
    let hang = width(&head, Style::Text).min(WIDTH / 2);
    let mut lines = broken(&format!("{left} = 0"), WIDTH - hang, Style::Text);
    lines.extend((!remark.is_empty()).then(|| format!("({remark})")));
    let heads = std::iter::once(head.as_str()).chain(std::iter::repeat(""));
    heads
        .zip(lines)
        .map(|(head, line)| padding::left(head, hang) + &line)
        .collect()
}

fn abbreviations(derivation: &Derivation) -> Vec<String> {
    if derivation.abbreviations.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), indented("where")];
    lines.extend(aligned(&derivation.abbreviations, INDENT));
    lines
}

/// What the matrices are, then the matrices, next to each other where they fit.
fn tables(tables: &[&Table]) -> Vec<String> {
    let meaning = |table: &&Table| format!("{} is {}", table.name, table.meaning);
    let meanings: Vec<String> = tables.iter().map(meaning).collect();
    let mut lines = paragraph(&meanings.join(", "), " ", INDENT);
    lines.push(String::new());
    let labels: Vec<String> = tables
        .iter()
        .map(|table| format!("{} = ", table.name))
        .collect();
    let gap = ("    ", Vec::new());
    let blocks = labels
        .iter()
        .zip(tables)
        .map(|(label, table)| (label.as_str(), block(table)));
    let spaced: Vec<_> = blocks
        .flat_map(|block| [gap.clone(), block])
        .skip(1)
        .collect();
    match beside(&spaced, INDENT) {
        Some(all) => lines.extend(all),
        None => {
            let each: Vec<String> = tables.iter().map(|table| alone(table).join("\n")).collect();
            lines.push(each.join("\n\n"));
        }
    }
    lines
}

fn block(table: &Table) -> Vec<String> {
    if table.is_zero() {
        vec!["0".to_owned()]
    } else {
        bracketed(&values(&table.entries))
    }
}

/// A matrix in brackets, or its entries one by one.
fn alone(table: &Table) -> Vec<String> {
    let label = format!("{} = ", table.name);
    beside(&[(&label, block(table))], INDENT).unwrap_or_else(|| {
        let mut lines = aligned(&table.listed(), INDENT);
        let omitted = table.listed().len() < table.entries.iter().map(Vec::len).sum();
        lines.extend(omitted.then(|| indented(table.omission())));
        lines
    })
}

fn motion(derivation: &Derivation) -> Vec<String> {
    let state = derivation.state.join(", ");
    let mut lines = paragraph(&format!("Equations of motion for ({state})"), " ", 0);
    lines.extend(steps(&derivation.steps).into_iter().skip(1));
    let rates: Vec<Definition> = derivation.unsaid_rates();
    lines.extend((!rates.is_empty()).then(String::new));
    lines.extend(aligned(&rates, INDENT));
    lines
}

/// Each step after an empty line.
fn steps(steps: &[Step]) -> Vec<String> {
    let each = steps
        .iter()
        .map(|step| [vec![String::new()], self::step(step)].concat());
    each.flatten().collect()
}

fn step(step: &Step) -> Vec<String> {
    match step {
        Step::Define(definitions) => aligned(definitions, INDENT),
        Step::Solve {
            name,
            kind,
            matrix,
            unknowns,
            right,
        } => {
            let mut lines = vec![indented(&format!("{}:", system_of(name, kind)))];
            let blocks = [
                ("", bracketed(matrix)),
                (" ", bracketed(unknowns)),
                (" = ", bracketed(right)),
            ];
            lines.extend(beside(&blocks, INDENT).unwrap_or_else(|| {
                let rows = equations(matrix, unknowns, right, Style::Text);
                rows.iter().flat_map(equation).collect()
            }));
            lines
        }
        Step::Solved {
            name,
            least_norm,
            unknowns,
        } => {
            let remark = if *least_norm {
                " (0 for a multiplier whose denominator vanishes)"
            } else {
                ""
            };
            let mut lines = vec![indented(&format!("{}{remark}:", solved_for(name)))];
            lines.extend(aligned(unknowns, INDENT));
            lines
        }
    }
}

/// One row of a system, the right side on a line of its own where it must be.
fn equation(row: &Definition) -> Vec<String> {
    let whole = format!("{} = {}", row.name, row.value);
    if width(&whole, Style::Text) <= WIDTH - INDENT {
        return vec![indented(&whole)];
    }
    let left = broken(&row.name, WIDTH - 2 * INDENT, Style::Text);
    let right = broken(&row.value, WIDTH - 3 * INDENT, Style::Text);
    let heads = std::iter::once("= ").chain(std::iter::repeat("  "));
    let right = heads.zip(right).map(|(head, line)| format!("{head}{line}"));
    let first = left.iter().take(1).map(|line| indented(line));
    let others = left
        .iter()
        .skip(1)
        .cloned()
        .chain(right)
        .map(|line| indented(&indented(&line)));
    first.chain(others).collect()
}

/// Each object of the recipe: its letter, what it is, its value.
fn recipe(derivation: &Derivation) -> Vec<String> {
    let mut lines = steps(&derivation.recipe_steps);
    for exhibit in &derivation.recipe {
        let table = &exhibit.table;
        let formula = match exhibit.formula.as_str() {
            "" => String::new(),
            formula => format!(" = {formula}"),
        };
        let head = format!("{}{formula}, {}:", table.name, table.meaning);
        lines.push(String::new());
        lines.extend(paragraph(&head, " ", INDENT));
        if exhibit.is_number() {
            lines.extend(aligned(&table.entries.concat(), INDENT));
        } else {
            lines.extend(alone(table));
        }
    }
    if !lines.is_empty() {
        lines[0] = "Recipe".to_owned();
    }
    lines
}

fn results(derivation: &Derivation) -> Vec<String> {
    let mut lines = Vec::new();
    let mut heading = "";
    for results in &derivation.results {
        let entries = results.unsaid();
        if results.output == output::ENERGY_STAR {
            lines.extend(steps(&derivation.result_steps));
        }
        if !entries.is_empty() && results.meaning != heading {
            heading = results.meaning;
            lines.extend([String::new(), indented(heading)]);
        }
        lines.extend(aligned(&entries, 2 * INDENT));
    }
    if derivation.has_results() && !derivation.shared.is_empty() {
        lines.extend([String::new(), indented("where")]);
        lines.extend(aligned(&derivation.shared, 2 * INDENT));
    }
    if !lines.is_empty() {
        lines[0] = "Results".to_owned();
    }
    lines
}

fn notes(derivation: &Derivation) -> Vec<String> {
    derivation
        .notes
        .iter()
        .flat_map(|note| paragraph(note, " ", 0))
        .collect()
}

fn indented(line: &str) -> String {
    format!("{}{line}", " ".repeat(INDENT))
}

/// Words in lines, broken after `separator` only.
fn paragraph(text: &str, separator: &str, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_inclusive(separator) {
        let added = width(word.trim_end(), Style::Text);
        match lines.last_mut() {
            Some(line) if width(line, Style::Text) + added <= WIDTH => line.push_str(word),
            _ => lines.push(format!("{}{word}", " ".repeat(indent))),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}
