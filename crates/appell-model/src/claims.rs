//! `[claims]`: what the model's writer holds to be true.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Node, Table};
use crate::entries::entries;
use crate::formula::{formula, sentence};
use crate::initial::equations;
use crate::keys::{self, unknown_word};
use crate::model::{Claim, ClaimKind, Condition};
use crate::settings::{self, Symbol};
use crate::world::{Mode, World};
use appell_expr::{Id, Span};

/// `[claims]` with values.
pub(crate) fn read(model: &Table, world: &World, report: &mut Report) -> Vec<Claim> {
    let mut claims = Vec::new();
    let before = world.differentiated.borrow().len();
    for entry in entries(model, "claims", report) {
        claims.extend(claim(entry, world, report));
        world.differentiated.borrow_mut().truncate(before);
    }
    claims
}

fn claim(entry: &Entry, world: &World, report: &mut Report) -> Option<Claim> {
    let owner = format!("claim {}", entry.key);
    let heard = world.heard.borrow().len();
    let table = entry.value.table(&owner, keys::CLAIM, report)?;
    let mut kinds = table
        .entries
        .iter()
        .filter(|e| keys::CLAIM_KINDS.contains(&e.key.as_str()));
    let kind = match (kinds.next(), kinds.next()) {
        (Some(only), None) => kind(only, world, report),
        (Some(first), Some(second)) => {
            let message = format!("claim `{}` claims several things", entry.key);
            let label = "make it a claim of its own";
            let diagnostic = Diagnostic::new(Code::ClaimKind, message, second.key_span, label);
            report.refuse(diagnostic.also(first.key_span, "claimed already"))
        }
        (None, _) => {
            let message = format!("claim `{}` claims nothing", entry.key);
            let words = keys::CLAIM_KINDS.join(", ");
            let label = "add what it claims";
            let diagnostic = Diagnostic::new(Code::ClaimKind, message, entry.key_span, label);
            report.refuse(diagnostic.note(format!("one of: {words}")))
        }
    };
    let domain = table
        .get("where")
        .map(|e| conditions(&e.value, world, report))
        .unwrap_or_default();
    let tolerance = table
        .get("tolerance")
        .and_then(|e| e.value.positive("tolerance", report));
    let refuted = table
        .get("refuted")
        .and_then(|e| e.value.boolean("refuted", report));
    if refuted == Some(true) {
        // What is wrong as printed may be wrong in its dimensions too.
        world.heard.borrow_mut().truncate(heard);
    }
    let (cite, about) = (
        table.optional_text("cite", report),
        table.optional_text("about", report),
    );
    Some(Claim {
        name: entry.key.clone(),
        span: entry.key_span,
        kind: kind?,
        domain,
        formulas: formulas_of(table, world),
        differentiated: world.differentiated.borrow().clone(),
        cite,
        about,
        tolerance,
        refuted: refuted.unwrap_or(false),
    })
}

/// The formulas of an equation; faults in them have been told already.
fn formulas_of(table: &Table, world: &World) -> Vec<Id> {
    let mut told = Report::default();
    let equation = table.get("equation");
    let written = equation.and_then(|entry| sentence(&entry.value, "equation", &mut told));
    written.map_or_else(Vec::new, |written| world.formulas(&written, &mut told))
}

fn kind(entry: &Entry, world: &World, report: &mut Report) -> Option<ClaimKind> {
    let (key, node) = (entry.key.as_str(), &entry.value);
    match key {
        "constant" => {
            let formula = formula(node, key, report)?;
            let value = world.scalar(&formula, &settings::CONSTANT, report)?;
            warn_of_parameter(value, node, world, report);
            Some(ClaimKind::Constant(value))
        }
        "equation" => {
            let written = sentence(node, key, report)?;
            world
                .equation(&written, &settings::ANYTHING, Mode::Plain, report)
                .map(ClaimKind::Equation)
        }
        "always" => {
            let written = sentence(node, key, report)?;
            world
                .condition(&written, &settings::ANYTHING, report)
                .map(ClaimKind::Always)
        }
        "class" => classes(node, report).map(ClaimKind::Class),
        "singular_at" => {
            let errors = report.errors();
            let states = equations(entry, key, &settings::SINGULAR, world, report);
            if states.is_empty() && report.errors() == errors {
                let message = "a claim that no states are singular";
                let label = "write the equations of the states";
                return report.reject(Code::BadValue, message, node.span, label);
            }
            (report.errors() == errors).then_some(ClaimKind::SingularAt(states))
        }
        _ => {
            let names = words(node, key, report)?;
            if names.len() < 2 {
                let label = "name two formalisms at least";
                let message = "an equivalence of fewer than two formalisms";
                return report.reject(Code::BadValue, message, node.span, label);
            }
            Some(ClaimKind::Equivalent(
                names.into_iter().map(|(name, _)| name).collect(),
            ))
        }
    }
}

/// A parameter is constant in every motion, also one that is called `E`.
fn warn_of_parameter(value: Id, node: &Node, world: &World, report: &mut Report) {
    if matches!(world.symbols.get(&value), Some(Symbol::Parameter)) {
        let message = "a claim that a parameter is constant";
        let label = "this is a parameter here, which changes in no motion";
        report.say(Code::Unused, message, node.span, label);
    }
}

/// One condition, or a list.
fn conditions(node: &Node, world: &World, report: &mut Report) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for node in node.one_or_more() {
        if let Some(written) = sentence(node, "where", report) {
            conditions.extend(world.condition(&written, &settings::ANYTHING, report));
        }
    }
    conditions
}

/// The words of the classification.
fn classes(node: &Node, report: &mut Report) -> Option<Vec<String>> {
    let errors = report.errors();
    let words = words(node, "class", report)?;
    if words.is_empty() {
        let message = "a claim that a constraint has none of the classes";
        return report.reject(Code::BadValue, message, node.span, "name one at least");
    }
    for (word, place) in words
        .iter()
        .filter(|(word, _)| !keys::CLASSES.contains(&word.as_str()))
    {
        report.push(unknown_word(word, *place, "class", keys::CLASSES));
    }
    (report.errors() == errors).then(|| words.into_iter().map(|(word, _)| word).collect())
}

/// The words of a list of strings, or of one string with commas, each with its place.
fn words(node: &Node, key: &str, report: &mut Report) -> Option<Vec<(String, Span)>> {
    let text = match &node.kind {
        Kind::Text(text) => text,
        Kind::List(_) => {
            let texts = node.texts(key, report)?;
            return Some(
                texts
                    .into_iter()
                    .map(|text| (text.value.clone(), text.contents()))
                    .collect(),
            );
        }
        _ => return report.refuse(node.wrong_type(key, "a list of words")),
    };
    let mut words = Vec::new();
    let mut start = 0;
    for part in text.value.split(',') {
        let word = part.trim();
        let from = start + part.len() - part.trim_start().len();
        words.push((
            word.to_owned(),
            text.place(Span::new(from, from + word.len())),
        ));
        start += part.len() + 1;
    }
    Some(words)
}
