//! Strings of formulas on a page: breaking, aligning, matrices, systems row by row.

use super::Definition;
use super::breaking;
use super::formula_width::points;
use crate::padding;
use appell_expr::Style;

/// The columns of a page of text.
pub(super) const WIDTH: usize = 100;

/// Those sections that have lines, one after the other.
pub(super) fn page(sections: &[Vec<String>]) -> String {
    let filled = sections.iter().filter(|lines| !lines.is_empty());
    let sections: Vec<String> = filled.map(|lines| lines.join("\n")).collect();
    sections.join("\n\n") + "\n"
}

/// How wide a formula is: characters, in LaTeX fives of points.
pub(super) fn width(formula: &str, style: Style) -> usize {
    match style {
        Style::Text => formula.chars().count(),
        Style::Latex => (points(formula) / 5.0).ceil() as usize,
    }
}

/// Breaking goes so many brackets deep.
const DEEPEST: usize = 4;

/// The stretches of a formula between which it may be broken: before the sign of a term, or the
/// sign of division before a bracket, inside `depth` brackets.
pub(super) fn stretches(formula: &str, depth: usize) -> Vec<&str> {
    let bytes = formula.as_bytes();
    let (mut open, mut start) = (0usize, 0);
    let mut stretches = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        let breaks = match byte {
            b' ' => matches!(bytes.get(at + 1..at + 3), Some(b"+ " | b"- ")),
            b'/' => bytes.get(at + 1) == Some(&b'('),
            _ => false,
        };
        match byte {
            b'(' | b'{' | b'[' => open += 1,
            b')' | b'}' | b']' => open = open.saturating_sub(1),
            _ if breaks && open == depth => {
                stretches.push(&formula[start..at]);
                start = at;
            }
            _ => {}
        }
    }
    stretches.push(&formula[start..]);
    stretches
}

/// A term cut before each sign of a product or quotient: the last resort.
fn factors(term: &str) -> Vec<&str> {
    let signs = term
        .match_indices(['*', '/'])
        .map(|(place, _)| place)
        .filter(|place| *place > 0);
    let mut parts = Vec::new();
    let mut start = 0;
    for place in signs {
        parts.push(&term[start..place]);
        start = place;
    }
    parts.push(&term[start..]);
    parts
}

/// Whether a formula has several terms.
fn is_sum(formula: &str) -> bool {
    stretches(formula, 0)
        .iter()
        .skip(1)
        .any(|stretch| stretch.starts_with(' '))
}

/// The formula in lines of at most this width, broken between terms where it must be, also inside brackets.
pub(super) fn broken(formula: &str, most: usize, style: Style) -> Vec<String> {
    if style == Style::Latex {
        return breaking::lines(formula, most);
    }
    let mut parts: Vec<&str> = stretches(formula, 0);
    let is_wide = |part| width(part, style) > most;
    for depth in 1..=DEEPEST {
        let split = |part| match is_wide(part) {
            true => stretches(part, depth),
            false => vec![part],
        };
        parts = parts.into_iter().flat_map(split).collect();
    }
    let split = |part| match is_wide(part) {
        true => factors(part),
        false => vec![part],
    };
    let mut lines: Vec<String> = Vec::new();
    for part in parts.into_iter().flat_map(split) {
        match lines.last_mut() {
            Some(line) if width(line, style) + width(part, style) <= most => line.push_str(part),
            _ => lines.push(part.trim_start().to_owned()),
        }
    }
    lines
}

/// Definitions one below the other, the equality signs too; long ones are broken.
pub(super) fn aligned(definitions: &[Definition], indent: usize) -> Vec<String> {
    let widths = definitions.iter().map(|d| width(&d.name, Style::Text));
    let column = widths.filter(|w| *w <= 24).max().unwrap_or(0);
    let mut lines = Vec::new();
    for Definition { name, value } in definitions {
        let head = format!("{}{} = ", " ".repeat(indent), padding::left(name, column));
        let hang = width(&head, Style::Text);
        for (index, line) in broken(value, WIDTH.saturating_sub(hang), Style::Text)
            .iter()
            .enumerate()
        {
            let head = if index == 0 {
                head.clone()
            } else {
                " ".repeat(hang)
            };
            lines.push(format!("{head}{line}"));
        }
    }
    lines
}

/// The values of a matrix of definitions.
pub(super) fn values(entries: &[Vec<Definition>]) -> Vec<Vec<String>> {
    entries
        .iter()
        .map(|row| row.iter().map(|d| d.value.clone()).collect())
        .collect()
}

/// A matrix in brackets, its columns centred.
pub(super) fn bracketed(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.first().map_or(0, Vec::len);
    let wide = |j: usize| {
        rows.iter()
            .map(|row| width(&row[j], Style::Text))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, w)| padding::centred(cell, *w))
            .collect();
        format!("[ {} ]", cells.join("  "))
    };
    rows.iter().map(line).collect()
}

/// Blocks of lines next to each other, each after its label, if the page is wide enough.
pub(super) fn beside(blocks: &[(&str, Vec<String>)], indent: usize) -> Option<Vec<String>> {
    let height = blocks.iter().map(|(_, lines)| lines.len()).max()?;
    let mut page = vec![" ".repeat(indent); height];
    for (label, lines) in blocks {
        let wide = lines
            .iter()
            .map(|line| width(line, Style::Text))
            .max()
            .unwrap_or(0);
        if wide > WIDTH {
            return None;
        }
        let top = (height - lines.len()) / 2;
        for (at, row) in page.iter_mut().enumerate() {
            let blank = " ".repeat(width(label, Style::Text));
            row.push_str(if at == (height - 1) / 2 {
                label
            } else {
                &blank
            });
            let line = at.checked_sub(top).and_then(|at| lines.get(at));
            row.push_str(&padding::left(line.map_or("", String::as_str), wide));
        }
    }
    let fits = page
        .iter()
        .all(|row| width(row.trim_end(), Style::Text) <= WIDTH);
    fits.then(|| page.iter().map(|row| row.trim_end().to_owned()).collect())
}

/// `Sum_j row_j unknown_j`, what is zero left out.
pub(super) fn product(row: &[String], unknowns: &[&str], style: Style) -> String {
    let mut sum = String::new();
    for (entry, unknown) in row.iter().zip(unknowns).filter(|(entry, _)| *entry != "0") {
        let single = !is_sum(entry);
        let (negative, size) = match entry.strip_prefix('-') {
            Some(size) if single => (true, size),
            _ => (false, entry.as_str()),
        };
        sum.push_str(match (sum.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let times = if style == Style::Latex { r"\, " } else { "*" };
        sum.push_str(&match (size, single, style) {
            ("1", ..) => (*unknown).to_owned(),
            (_, true, _) => format!("{size}{times}{unknown}"),
            (_, false, Style::Text) => format!("({size}){times}{unknown}"),
            (_, false, Style::Latex) => format!(r"\left({size}\right){times}{unknown}"),
        });
    }
    if sum.is_empty() { "0".to_owned() } else { sum }
}

/// The system `matrix unknowns = right` as equations, one by one.
pub(super) fn equations(
    matrix: &[Vec<String>],
    unknowns: &[Vec<String>],
    right: &[Vec<String>],
    style: Style,
) -> Vec<Definition> {
    let columns = unknowns.first().map_or(0, Vec::len);
    let mut equations = Vec::new();
    for column in 0..columns {
        let names: Vec<&str> = unknowns.iter().map(|row| row[column].as_str()).collect();
        for (row, right) in matrix.iter().zip(right) {
            let name = product(row, &names, style);
            equations.push(Definition {
                name,
                value: right[column].clone(),
            });
        }
    }
    equations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn formulas_break_between_terms_only() {
        let formula = "a*(b - c) - sin(x + y) + d";
        assert_eq!(broken(formula, 100, Style::Text), [formula]);
        assert_eq!(
            broken(formula, 12, Style::Text),
            ["a*(b - c)", "- sin(x + y)", "+ d"]
        );
        assert_eq!(
            broken("(a + b + c)/(d - e)", 9, Style::Text),
            ["(a + b", "+ c)", "/(d - e)"]
        );
        assert_eq!(broken("-x", 1, Style::Text), ["-x"]);
    }

    #[test]
    fn latex_is_as_wide_as_it_looks() {
        assert_eq!(width(r"\frac{\dot{\theta}_{1}}{2}", Style::Latex), 3);
        // 51 pt in Computer Modern.
        assert_eq!(width(r"\left(x + y\right)\, \sin \theta", Style::Latex), 11);
        assert_eq!(width("θ'*x", Style::Text), 4);
    }

    #[test]
    fn matrices_stand_side_by_side() {
        let rows = [strings(&["m", "0"]), strings(&["-sin(x)", "1"])];
        let lines = beside(
            &[
                ("M = ", bracketed(&rows)),
                ("   r = ", strings(&["[ 0 ]", "[ 1 ]"])),
            ],
            2,
        );
        let expected = [
            "  M = [    m     0 ]   r = [ 0 ]",
            "      [ -sin(x)  1 ]       [ 1 ]",
        ];
        assert_eq!(lines, Some(strings(&expected)));
        assert_eq!(beside(&[("", vec!["x".repeat(101)])], 0), None);
    }

    #[test]
    fn wide_systems_are_written_row_by_row() {
        let matrix = [strings(&["m + 1", "0", "-a*b"]), strings(&["0", "1", "-1"])];
        let unknowns = [
            strings(&["x''"]),
            strings(&["y''"]),
            strings(&["lambda[c]"]),
        ];
        let right = [strings(&["r"]), strings(&["0"])];
        let got = equations(&matrix, &unknowns, &right, Style::Text);
        assert_eq!(got[0].name, "(m + 1)*x'' - a*b*lambda[c]");
        assert_eq!(
            (got[1].name.as_str(), got[1].value.as_str()),
            ("y'' - lambda[c]", "0")
        );
        assert_eq!(product(&strings(&["0"]), &["x"], Style::Text), "0");
        assert_eq!(
            product(&strings(&["a - b"]), &["x"], Style::Latex),
            r"\left(a - b\right)\, x"
        );
    }

    #[test]
    fn definitions_are_aligned() {
        let definition = |name: &str, value: &str| Definition {
            name: name.into(),
            value: value.into(),
        };
        let lines = aligned(&[definition("x", "1"), definition("theta", "2")], 2);
        assert_eq!(lines, ["  x     = 1", "  theta = 2"]);
        let long = format!("{} + {}", "a".repeat(60), "b".repeat(60));
        assert_eq!(
            aligned(&[definition("x", &long)], 0)[1],
            format!("    + {}", "b".repeat(60))
        );
    }
}
