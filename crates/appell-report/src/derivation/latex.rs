//! A derivation as LaTeX.

use super::layout::{broken, equations, page, values, width};
use super::statement::statement;
use super::vocabulary::{solved_for, system_of};
use super::{Definition, Derivation, Exhibit, Row, Step, Table};
use crate::lettering::greek_name;
use appell_expr::{Style, latex_name};

/// The breadth of LaTeX's article, 345 points, in fives, but for what the estimate may miss: formulas that seem wider
/// are broken, matrices written entry by entry.
const WIDTH: usize = 67;
/// What an equality sign with its space takes of it, or the margin of a line that goes on.
const SIGN: usize = 3;
/// The equations of one display: TeX holds all of them in its memory.
const TALLEST: usize = 100;
/// More columns than `pmatrix` takes.
const WIDE: usize = 10;

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
    let mut lines = vec![
        "% needs \\usepackage{amsmath}".to_owned(),
        r"\allowdisplaybreaks".to_owned(),
    ];
    lines.push(format!(
        r"\section*{{\raggedright {}}}",
        escaped(&derivation.title)
    ));
    lines.extend(derivation.origin.iter().map(|origin| escaped(origin)));
    lines.push(String::new());
    lines.push(paragraph(&derivation.form_title));
    lines.push(format!(r"\[ {} \]", derivation.statement));
    lines.push(escaped(&derivation.sources.join(", ")));
    lines
}

fn system(derivation: &Derivation) -> Vec<String> {
    let mut lines = vec![paragraph("System")];
    lines.push(format!(
        "Coordinates $q = ({})$",
        listed(&derivation.coordinates)
    ));
    let parameters: Vec<String> = derivation
        .parameters
        .iter()
        .map(|p| format!("${p}$"))
        .collect();
    if parameters.is_empty() {
        lines.push(".".to_owned());
    } else {
        lines.push(format!("and parameters {}.", parameters.join(", ")));
    }
    lines.extend(aligned(&derivation.energies));
    let (of_rows, of_motion) = derivation.parted_tables();
    lines.extend(tables(&of_motion));
    if of_rows.is_empty() {
        lines.extend(abbreviations(derivation));
    }
    lines
}

/// Names with commas between them, behind which a long list may be broken.
fn listed(names: &[String]) -> String {
    let plain = names.join(", ");
    match width(&plain, Style::Latex) <= WIDTH / 2 {
        true => plain,
        false => names.join(r",\allowbreak "),
    }
}

fn constraints(derivation: &Derivation) -> Vec<String> {
    if derivation.rows.is_empty() {
        return vec!["No constraints.".to_owned()];
    }
    let mut lines = vec![paragraph("Constraints")];
    lines.push(r"\begin{align*}".to_owned());
    let names = names_width(&derivation.rows);
    let rows = derivation.rows.iter().map(|row| constraint(row, names));
    lines.push(rows.collect::<Vec<_>>().join(" \\\\\n"));
    lines.push(r"\end{align*}".to_owned());
    let said = remarks(&derivation.rows);
    lines.extend(
        said.iter()
            .map(|said| format!(r"{{\sloppy {}\par}}", escaped(said))),
    );
    let (of_rows, _) = derivation.parted_tables();
    if !of_rows.is_empty() {
        lines.push(r"Differentiated, $A \ddot{q} + B = 0$ with".to_owned());
        lines.extend(tables(&of_rows));
        lines.extend(abbreviations(derivation));
    }
    lines
}

/// `name: phi = 0`, where the names of all rows are at most so wide.
pub(super) fn constraint(row: &Row, names: usize) -> String {
    let name = format!(r"\text{{{}: }}", escaped(&row.name));
    let room = WIDTH.saturating_sub(names + 2 * SIGN).max(WIDTH / 3);
    let left = broken(&row.left, room, Style::Latex).join(" \\\\\n& \\quad ");
    format!("{name} & {left} = 0")
}

/// What the names of the rows take of a line.
pub(super) fn names_width(rows: &[Row]) -> usize {
    let names = rows.iter().map(|row| row.name.chars().count());
    names.max().unwrap_or(0)
}

/// What is to be said of rows, each once, with the names of the rows.
pub(super) fn remarks(rows: &[Row]) -> Vec<String> {
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.remark.is_empty()) {
        match said.iter_mut().find(|(remark, _)| *remark == row.remark) {
            Some((_, names)) => names.push(&row.name),
            None => said.push((&row.remark, vec![&row.name])),
        }
    }
    let sentence = |(remark, names): (&str, Vec<&str>)| format!("{}: {remark}.", names.join(", "));
    said.into_iter().map(sentence).collect()
}

fn abbreviations(derivation: &Derivation) -> Vec<String> {
    let mut lines = aligned(&derivation.abbreviations);
    if !lines.is_empty() {
        lines.insert(0, "where".to_owned());
    }
    lines
}

/// What the matrices are, then each of them.
fn tables(tables: &[&Table]) -> Vec<String> {
    let meaning = |table: &&Table| format!("${}$ is {}", table.name, formulas(table.meaning));
    let meanings: Vec<String> = tables.iter().map(meaning).collect();
    let mut lines = vec![format!("{}:", meanings.join(", "))];
    // As many beside each other as a page takes.
    let mut displays: Vec<(usize, Vec<String>)> = Vec::new();
    for (table, text) in tables
        .iter()
        .filter_map(|table| Some((table, matrix(table)?)))
    {
        let wide = table_width(table) + 2 * SIGN;
        match displays.last_mut() {
            Some((all, texts)) if *all + wide <= WIDTH => {
                *all += wide;
                texts.push(text);
            }
            _ => displays.push((wide, vec![text])),
        }
    }
    for (_, texts) in displays {
        lines.push(format!("\\[ {} \\]", texts.join(",\n\\quad ")));
    }
    for table in tables.iter().filter(|table| matrix(table).is_none()) {
        lines.extend(aligned(&table.listed()));
        let omitted = table.listed().len() < table.entries.iter().map(Vec::len).sum();
        lines.extend(omitted.then(|| format!("({})", table.omission())));
    }
    lines
}

/// `M = (..)` where that is not too wide.
pub(super) fn matrix(table: &Table) -> Option<String> {
    if table.is_zero() {
        return Some(format!("{} = 0", table.name));
    }
    let entries = values(&table.entries);
    (table_width(table) <= WIDTH).then(|| format!("{} = {}", table.name, bracketed(&entries)))
}

/// Whether matrices fit next to each other.
pub(super) fn fits(matrices: &[&Vec<Vec<String>>]) -> bool {
    let widths = matrices.iter().map(|rows| matrix_width(rows));
    widths.sum::<usize>() <= WIDTH
}

/// A matrix with its brackets: columns are as wide as their widest entries.
fn matrix_width(rows: &[Vec<String>]) -> usize {
    let columns = rows.first().map_or(0, Vec::len);
    let wide = |j: usize| {
        let entries = rows.iter().filter_map(|row| row.get(j));
        entries.map(|x| width(x, Style::Latex)).max().unwrap_or(0)
    };
    (0..columns).map(|j| wide(j) + 2).sum::<usize>() + 2
}

/// `M = (..)`
fn table_width(table: &Table) -> usize {
    let matrix = match table.is_zero() {
        true => 1,
        false => matrix_width(&values(&table.entries)),
    };
    width(&table.name, Style::Latex) + SIGN + matrix
}

pub(super) fn bracketed(rows: &[Vec<String>]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| row.join(" & ")).collect();
    let body = lines.join(" \\\\ ");
    let columns = rows.first().map_or(0, Vec::len);
    if columns <= WIDE {
        return format!(r"\begin{{pmatrix}} {body} \end{{pmatrix}}");
    }
    format!(r"\left(\begin{{array}}{{*{{{columns}}}{{c}}}} {body} \end{{array}}\right)")
}

fn motion(derivation: &Derivation) -> Vec<String> {
    let state = listed(&derivation.state);
    let mut lines = vec![format!(
        r"\paragraph{{Equations of motion}} for $({state})$:"
    )];
    lines.extend(derivation.steps.iter().flat_map(step));
    lines.extend(aligned(&derivation.unsaid_rates()));
    lines
}

fn step(step: &Step) -> Vec<String> {
    match step {
        Step::Define(definitions) => aligned(definitions),
        Step::Solve {
            name,
            kind,
            matrix,
            unknowns,
            right,
        } => {
            let mut lines = vec![format!("{}:", escaped(&system_of(name, kind)))];
            if fits(&[matrix, unknowns, right]) {
                let [matrix, unknowns, right] = [matrix, unknowns, right].map(|m| bracketed(m));
                lines.push(format!("\\[ {matrix}\n{unknowns}\n= {right} \\]"));
            } else {
                lines.extend(aligned(&equations(matrix, unknowns, right, Style::Latex)));
            }
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
            let mut lines = vec![format!("{}{remark}:", escaped(solved_for(name)))];
            lines.extend(aligned(unknowns));
            lines
        }
    }
}

/// Each object of the recipe: its letter, what it is, its value.
fn recipe(derivation: &Derivation) -> Vec<String> {
    let mut lines: Vec<String> = derivation.recipe_steps.iter().flat_map(step).collect();
    for exhibit in &derivation.recipe {
        let table = &exhibit.table;
        let formula = match exhibit.formula.as_str() {
            "" => String::new(),
            formula => format!(" = {formula}"),
        };
        let meaning = formulas(table.meaning);
        lines.push(format!("${}{formula}$, {meaning}:", table.name));
        lines.extend(value(exhibit));
    }
    if !lines.is_empty() {
        lines.insert(0, paragraph("Recipe"));
    }
    lines
}

/// A matrix, or entry by entry where it is too wide.
fn value(exhibit: &Exhibit) -> Vec<String> {
    let table = &exhibit.table;
    match matrix(table).filter(|_| !exhibit.is_number()) {
        Some(matrix) => vec![format!("\\[ {matrix} \\]")],
        None if exhibit.is_number() => aligned(&table.entries.concat()),
        None => {
            let mut lines = aligned(&table.listed());
            let omitted = table.listed().len() < table.entries.iter().map(Vec::len).sum();
            lines.extend(omitted.then(|| format!("({})", table.omission())));
            lines
        }
    }
}

fn results(derivation: &Derivation) -> Vec<String> {
    let mut lines = Vec::new();
    let mut groups: Vec<(&str, Vec<Definition>)> = Vec::new();
    for results in &derivation.results {
        match groups.last_mut() {
            Some((meaning, group)) if *meaning == results.meaning => group.extend(results.unsaid()),
            _ => groups.push((results.meaning, results.unsaid())),
        }
    }
    for (meaning, group) in groups.iter().filter(|(_, group)| !group.is_empty()) {
        if group.iter().any(|entry| entry.name == "E^{*}") {
            lines.extend(derivation.result_steps.iter().flat_map(step));
        }
        lines.push(format!("{}:", formulas(meaning)));
        lines.extend(aligned(group));
    }
    if derivation.has_results() && !derivation.shared.is_empty() {
        lines.push("where".to_owned());
        lines.extend(aligned(&derivation.shared));
    }
    if !lines.is_empty() {
        lines.insert(0, paragraph("Results"));
    }
    lines
}

fn notes(derivation: &Derivation) -> Vec<String> {
    derivation.notes.iter().map(|note| escaped(note)).collect()
}

fn paragraph(title: &str) -> String {
    format!(r"\paragraph{{{}.}}", escaped(title))
}

/// Definitions one below the other, long ones broken between terms.
pub(super) fn aligned(definitions: &[Definition]) -> Vec<String> {
    if definitions.is_empty() {
        return Vec::new();
    }
    let lefts = definitions
        .iter()
        .flat_map(|d| broken(&d.name, WIDTH / 2, Style::Latex));
    let column = lefts
        .map(|line| width(&line, Style::Latex))
        .max()
        .unwrap_or(0);
    let room = WIDTH.saturating_sub(column + SIGN).max(WIDTH / 3);
    let line = |d: &Definition| {
        let left = broken(&d.name, WIDTH / 2, Style::Latex).join(" \\\\\n{}");
        let right = broken(&d.value, room, Style::Latex).join(" \\\\\n&\\quad ");
        format!("{left} &= {right}")
    };
    let lines: Vec<String> = definitions.iter().map(line).collect();
    let displays = lines.chunks(TALLEST).map(|lines| {
        format!(
            "\\begin{{align*}}\n{}\n\\end{{align*}}",
            lines.join(" \\\\\n")
        )
    });
    displays.collect()
}

/// Words as they are, safe in LaTeX.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => safe.extend(['\\', c]),
            '\\' => safe.push_str(r"\textbackslash{}"),
            '~' => safe.push_str(r"\textasciitilde{}"),
            '^' => safe.push_str(r"\textasciicircum{}"),
            '<' | '>' | '|' => safe.push_str(&format!("${c}$")),
            '\u{b5}' => safe.push_str(r"$\mu$"),
            // A blank line would end the paragraph.
            '\n' | '\r' => safe.push(' '),
            _ => match greek_name(c) {
                Some(name) => safe.push_str(&format!("$\\{name}$")),
                None => safe.push(c),
            },
        }
    }
    safe
}

/// Words with formulas among them: letters, Greek ones by their names, and what has a sign of
/// mathematics in it; punctuation and brackets around them are words.
fn formulas(text: &str) -> String {
    typeset(text, escaped, |formula| format!("${formula}$")).replace("$ $", " ")
}

/// The same, words and formulas in LaTeX each written by a function of its own.
pub(super) fn typeset(
    text: &str,
    words: impl Fn(&str) -> String,
    formula: impl Fn(&str) -> String,
) -> String {
    let mut after_equals = false;
    let parts = text.split(' ').map(|word| {
        let core = word.trim_matches(['[', ']', '(', ')', ',', ';', ':']);
        let (before, after) = word.split_once(core).unwrap_or_default();
        let is_formula =
            is_formula(core) || after_equals && core.bytes().all(|b| b.is_ascii_digit());
        after_equals = core == "=";
        match is_formula {
            true => format!("{before}{}{after}", formula(&statement(core))),
            false => words(word),
        }
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn is_formula(word: &str) -> bool {
    let letters = word.bytes().all(|b| b.is_ascii_alphabetic());
    let compound = word.split('-').all(|part| part.len() > 1) && !word.contains(['_', '\'', '^']);
    match letters {
        true => word.len() == 1 && word != "a" || is_greek(word),
        false => word.contains(['_', '\'', '^', '=', '+', '.']) || word.contains('-') && !compound,
    }
}

/// Whether it is the name of a Greek letter.
fn is_greek(word: &str) -> bool {
    let letter = latex_name(word);
    letter.strip_prefix('\\') == Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_safe() {
        assert_eq!(
            escaped("Roithmayr & Hodges, 50% of x_1"),
            r"Roithmayr \& Hodges, 50\% of x\_1"
        );
        assert_eq!(
            escaped("a rod with λ, 5 µm"),
            r"a rod with $\lambda$, 5 $\mu$m"
        );
        assert_eq!(
            formulas("the mass matrix L_vv"),
            r"the mass matrix $L_{vv}$"
        );
        assert_eq!(
            formulas("free motion M q'' = r"),
            r"free motion $M \ddot{q} = r$"
        );
        assert_eq!(
            formulas("the rows, alpha u' + gamma = 0; a quasi-velocity e, k = 1, G nu = [A, B]"),
            r"the rows, $\alpha \dot{u} + \gamma = 0$; a quasi-velocity $e$, $k = 1$, $G \nu =$ [$A$, $B$]"
        );
    }

    #[test]
    fn wide_matrices_need_an_array() {
        let row = |n: usize| vec![vec!["1".to_owned(); n]];
        assert!(bracketed(&row(10)).starts_with(r"\begin{pmatrix} 1 & 1"));
        assert!(bracketed(&row(11)).starts_with(r"\left(\begin{array}{*{11}{c}} 1"));
    }
}
