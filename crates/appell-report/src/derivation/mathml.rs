//! A derivation as HTML with MathML.

use super::latex::{aligned, bracketed, constraint, fits, matrix, names_width, remarks, typeset};
use super::layout::equations;
use super::vocabulary;
use super::{Definition, Derivation, Exhibit, Step, Table};
use crate::lettering::escape;
use crate::mathml::{display, inline};
use appell_expr::Style;
use std::cell::RefCell;
use std::collections::HashMap;

/// The parts of a derivation as HTML, for pages that arrange them in their own way.
pub(crate) struct Parts {
    /// The equations in general, and where they come from.
    pub statement: String,
    /// Coordinates, energies, matrices, constraint rows.
    pub system: String,
    /// How the motion follows.
    pub motion: String,
    /// The objects of the paper's recipe.
    pub recipe: String,
    /// What else follows.
    pub results: String,
    /// Remarks.
    pub notes: String,
}

/// Formulas by their LaTeX, for many are the same in several forms; and those that wait until they are
/// looked at, since all together are too much for a page.
#[derive(Default)]
pub(crate) struct Typeset {
    known: HashMap<String, String>,
    /// The LaTeX of formulas that wait.
    pub late: Vec<String>,
    /// Bytes of markup written, and how many there may be at present; no bound without a number.
    spent: usize,
    most: Option<usize>,
}

/// Bytes of MathML for a byte of LaTeX, about.
const SWELLING: usize = 8;

impl Typeset {
    /// The next formulas may take so many bytes together.
    pub(crate) fn allow(&mut self, bytes: usize) {
        self.most = Some(self.spent + bytes);
    }

    /// The bytes written so far.
    pub(crate) fn spent(&self) -> usize {
        self.spent
    }

    /// A formula may be wider than the page: it has a scroll bar of its own. One that is not allowed any
    /// more waits under its number.
    fn block(&mut self, latex: &str) -> String {
        let known = self.known.get(latex).cloned();
        let size = known.as_ref().map_or(SWELLING * latex.len(), String::len);
        if self.most.is_some_and(|most| self.spent + size > most) {
            let number = self.late.iter().position(|late| late == latex);
            let number = number.unwrap_or_else(|| {
                self.late.push(latex.to_owned());
                self.late.len() - 1
            });
            return format!(
                "<div class=\"formula late\" data-late=\"{number}\"><p class=\"remark\">A formula of \
                 {} characters: with scripts it stands here, and <code>appell derive</code> prints it.</p></div>\n",
                latex.len()
            );
        }
        let block =
            known.unwrap_or_else(|| format!("<div class=\"formula\">{}</div>\n", display(latex)));
        self.spent += block.len();
        self.known.insert(latex.to_owned(), block.clone());
        block
    }
}

/// Writes the parts.
pub(crate) fn parts(derivation: &Derivation, typeset: &RefCell<Typeset>) -> Parts {
    let writer = Writer { typeset };
    let motion = writer.motion(derivation);
    let (system, constraints) = (writer.system(derivation), writer.constraints(derivation));
    Parts {
        statement: heading(derivation),
        system: system + &constraints,
        motion,
        recipe: writer.recipe(derivation),
        results: writer.results(derivation),
        notes: derivation
            .notes
            .iter()
            .map(|note| paragraph(note))
            .collect(),
    }
}

/// Writes the whole derivation.
pub(super) fn write(derivation: &Derivation) -> String {
    let parts = parts(derivation, &RefCell::default());
    let title = escape(&derivation.form_title);
    [
        format!("<section class=\"derivation\"><h3>{title}</h3>\n"),
        parts.statement,
        folded("System and constraints", &parts.system),
        parts.motion,
        folded("The recipe, step by step", &parts.recipe),
        folded("Results", &parts.results),
        parts.notes,
        "</section>\n".to_owned(),
    ]
    .concat()
}

/// What is shown when it is asked for; nothing for nothing.
pub(crate) fn folded(title: &str, content: &str) -> String {
    match content {
        "" => String::new(),
        _ => format!(
            "<details><summary>{}</summary>\n{content}</details>\n",
            escape(title)
        ),
    }
}

/// Writes formulas, each once.
struct Writer<'t> {
    typeset: &'t RefCell<Typeset>,
}

fn heading(derivation: &Derivation) -> String {
    let sources = escape(&derivation.sources.join(", "));
    format!(
        "<div class=\"formula\">{}</div>\n<p class=\"sources\">{sources}</p>\n",
        display(&derivation.statement)
    )
}

impl Writer<'_> {
    fn system(&self, derivation: &Derivation) -> String {
        let coordinates = inline(&format!("q = ({})", derivation.coordinates.join(", ")));
        let parameters: Vec<String> = derivation.parameters.iter().map(|p| inline(p)).collect();
        let parameters = match parameters.is_empty() {
            true => String::new(),
            false => format!(" and parameters {}", parameters.join(", ")),
        };
        let (of_rows, of_motion) = derivation.parted_tables();
        let mut html = format!("<p>Coordinates {coordinates}{parameters}.</p>\n");
        html.push_str(&self.definitions(&derivation.energies));
        html.push_str(&self.tables(&of_motion));
        if of_rows.is_empty() {
            html.push_str(&self.abbreviations(derivation));
        }
        html
    }

    fn constraints(&self, derivation: &Derivation) -> String {
        if derivation.rows.is_empty() {
            return "<p>No constraints.</p>\n".to_owned();
        }
        let names = names_width(&derivation.rows);
        let rows = derivation.rows.iter().map(|row| constraint(row, names));
        let rows: Vec<String> = rows.collect();
        let rows = format!(
            "\\begin{{align*}}\n{}\n\\end{{align*}}",
            rows.join(" \\\\\n")
        );
        let mut html = self.block(&rows);
        for said in remarks(&derivation.rows) {
            html.push_str(&format!("<p class=\"remark\">{}</p>\n", escape(&said)));
        }
        let (of_rows, _) = derivation.parted_tables();
        if !of_rows.is_empty() {
            let form = inline(r"A \ddot{q} + B = 0");
            html.push_str(&format!("<p>Differentiated, {form} with</p>\n"));
            html.push_str(&self.tables(&of_rows));
            html.push_str(&self.abbreviations(derivation));
        }
        html
    }

    fn abbreviations(&self, derivation: &Derivation) -> String {
        let title = match derivation.abbreviations.len() {
            1 => "where, with 1 abbreviation".to_owned(),
            n => format!("where, with {n} abbreviations"),
        };
        folded(&title, &self.definitions(&derivation.abbreviations))
    }

    /// What the matrices are, then each of them.
    fn tables(&self, tables: &[&Table]) -> String {
        let mut html = String::new();
        for table in tables {
            html.push_str(&format!(
                "<p>{} is {}:</p>\n{}",
                inline(&table.name),
                words(table.meaning),
                self.entries(table)
            ));
        }
        html
    }

    /// A matrix, or its entries one by one where it is too wide.
    fn entries(&self, table: &Table) -> String {
        match matrix(table) {
            Some(matrix) => self.block(&matrix),
            None => {
                let listed = table.listed();
                let omitted = listed.len() < table.entries.iter().map(Vec::len).sum();
                let remark = match omitted {
                    true => format!("<p class=\"remark\">({})</p>\n", table.omission()),
                    false => String::new(),
                };
                format!("{}{remark}", self.definitions(&listed))
            }
        }
    }

    fn motion(&self, derivation: &Derivation) -> String {
        let state = inline(&format!("({})", derivation.state.join(", ")));
        let mut html = format!("<p class=\"head\">Equations of motion for {state}</p>\n");
        html.extend(derivation.steps.iter().map(|step| self.step(step)));
        html.push_str(&self.definitions(&derivation.unsaid_rates()));
        html
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::Define(list) => self.definitions(list),
            Step::Solve {
                name,
                kind,
                matrix,
                unknowns,
                right,
            } => {
                let head = format!("<p>{}:</p>\n", escape(&vocabulary::system_of(name, kind)));
                let body = if fits(&[matrix, unknowns, right]) {
                    let [matrix, unknowns, right] = [matrix, unknowns, right].map(|m| bracketed(m));
                    self.block(&format!("{matrix} {unknowns} = {right}"))
                } else {
                    self.definitions(&equations(matrix, unknowns, right, Style::Latex))
                };
                head + &body
            }
            Step::Solved {
                name,
                least_norm,
                unknowns,
            } => {
                let remark = match least_norm {
                    true => " (0 for a multiplier whose denominator vanishes)",
                    false => "",
                };
                format!(
                    "<p>{}{remark}:</p>\n{}",
                    escape(vocabulary::solved_for(name)),
                    self.definitions(unknowns)
                )
            }
        }
    }

    fn recipe(&self, derivation: &Derivation) -> String {
        let mut html: String = derivation
            .recipe_steps
            .iter()
            .map(|step| self.step(step))
            .collect();
        for exhibit in &derivation.recipe {
            html.push_str(&self.object(exhibit));
        }
        html
    }

    /// An object: its letter, what it is, its value.
    fn object(&self, exhibit: &Exhibit) -> String {
        let table = &exhibit.table;
        let head = match exhibit.formula.as_str() {
            "" => table.name.clone(),
            formula => format!("{} = {formula}", table.name),
        };
        let value = match exhibit.is_number() {
            _ if exhibit.left_out => "<p class=\"remark\">(too long for a page: \
                <code>appell derive</code> prints it)</p>\n"
                .to_owned(),
            true => self.definitions(&table.entries.concat()),
            false => self.entries(table),
        };
        format!(
            "<p>{}, {}:</p>\n{value}",
            inline(&head),
            words(table.meaning)
        )
    }

    fn results(&self, derivation: &Derivation) -> String {
        let (mut html, mut heading) = (String::new(), "");
        for results in &derivation.results {
            let entries = results.unsaid();
            if entries.is_empty() {
                continue;
            }
            if entries.iter().any(|entry| entry.name == "E^{*}") {
                html.extend(derivation.result_steps.iter().map(|step| self.step(step)));
            }
            if results.meaning != heading {
                heading = results.meaning;
                html.push_str(&format!("<p>{}:</p>\n", words(heading)));
            }
            html.push_str(&self.definitions(&entries));
        }
        if derivation.has_results() && !derivation.shared.is_empty() {
            html.push_str("<p>where</p>\n");
            html.push_str(&self.definitions(&derivation.shared));
        }
        html
    }

    fn definitions(&self, list: &[Definition]) -> String {
        let displays = aligned(list);
        displays.iter().map(|display| self.block(display)).collect()
    }

    fn block(&self, latex: &str) -> String {
        self.typeset.borrow_mut().block(latex)
    }
}

fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// Words with formulas among them.
fn words(text: &str) -> String {
    typeset(text, escape, inline)
}
