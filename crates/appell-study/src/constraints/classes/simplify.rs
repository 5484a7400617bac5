//! The model with contrived rows replaced by the linear ones that say the same.

use super::SampledConstraints;
use super::contrived::{Nonlinearity, SHEET_OPEN, equation};
use super::singular_set::singular_set;
use crate::states::real_rows::{RealRow, Signs};
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Finding, Node, Question, Results, decide, denominators_of, vanish_on};
use appell_mech::{Formalism, is_affine, output, states_on};
use appell_model::Model;
use serde::Serialize;

/// A model file with simpler rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simplified {
    /// The whole file.
    #[serde(skip)]
    pub text: String,
    /// What was put in the place of what.
    pub replaced: Vec<Replacement>,
}

/// A constraint with its simpler rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replacement {
    /// The entry of `[constraints]`.
    pub constraint: String,
    /// As it was written.
    pub was: String,
    /// The rows that replace it.
    pub by: Vec<String>,
    /// Whether accelerations and reactions are unchanged: `proved`, or `undecided` with `why`.
    pub verdict: &'static str,
    /// The bound of the proof, or what stood in its way.
    pub why: String,
    /// The sheets that the simpler row leaves out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Replaces the contrived rows, on the sheet of the start where they have several.
///
/// # Errors
/// An entry that cannot be replaced in the text, or a text that is no longer a model.
pub fn simplify(p: &Prepared<'_>) -> Result<Simplified, Error> {
    let p = p.exact();
    let sampled = SampledConstraints::new(p);
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    let mut replaced = Vec::new();
    for (index, row) in p.constraints.rows.iter().enumerate() {
        let Some(active) = row.active_index() else {
            continue;
        };
        let nature = &sampled.natures()[active];
        let Nonlinearity::Contrived { branches, .. } = nature else {
            continue;
        };
        if nature.is_of_several_sheets() {
            return Err(Error::Argument(format!(
                "`{}` cannot be made simpler: {SHEET_OPEN}",
                row.name
            )));
        }
        let entry = &p.model.constraints[row.constraint];
        let Some((rows, others)) = branches.split_first() else {
            continue;
        };
        if !rows.iter().all(|row| is_affine(&p.system, *row)) {
            continue;
        }
        if entry.rows.len() > 1 || row.reaction.is_some() {
            return Err(Error::Argument(format!(
                "`{}` is more than one row, or its reaction has its own direction: write the rows yourself",
                row.name
            )));
        }
        let (verdict, mut why) = unchanged(p, index, rows);
        let place = sampled.reals()[active].as_ref().map(RealRow::place);
        why.push_str(&place.unwrap_or_default());
        let texts: Vec<String> = rows.iter().map(|row| equation(*row)).collect();
        edits.push((entry.span.start, entry.span.end, quoted(p, entry, &texts)));
        replaced.push(Replacement {
            constraint: entry.name.clone(),
            was: entry.text.clone(),
            by: texts,
            verdict,
            why,
            left_out: others.iter().map(|rows| together(rows)).collect(),
        });
    }
    edits.sort_unstable_by_key(|(start, ..)| std::cmp::Reverse(*start));
    let mut text = p.model.source.text.clone();
    for (start, end, new) in edits {
        text.replace_range(start..end, &new);
    }
    let (model, _) = appell_model::read(&p.model.source.name, &text).map_err(|errors| {
        let why = errors.first().map_or("", |error| error.message.as_str());
        Error::Argument(format!(
            "the simpler model could not be written here: {why}"
        ))
    })?;
    tell_newly_singular(p, &model, &mut replaced);
    Ok(Simplified { text, replaced })
}

/// Adds where a simpler model is singular that is not in the list of the given one: solved for some velocities, rows say less
/// where these are not those that others leave free.
fn tell_newly_singular(p: &Prepared<'_>, simpler: &Model, replaced: &mut [Replacement]) {
    let mut proved = replaced.iter_mut().filter(|x| x.verdict == "proved");
    let Some(first) = proved.next() else {
        return;
    };
    let Ok(simpler) = Prepared::new(simpler, &[], &[]) else {
        return;
    };
    let given = singular_set(p).real.unwrap_or_default();
    let mut branches = singular_set(simpler.exact()).real.unwrap_or_default();
    branches.retain(|branch| !given.contains(branch));
    if branches.is_empty() {
        return;
    }
    let branches = branches.join(", or ");
    for replacement in [first].into_iter().chain(proved) {
        replacement.why.push_str(&format!(
            "; the simpler file is singular where {branches}, and the given one need not be"
        ));
    }
}

fn together(rows: &[Ex<'_>]) -> String {
    let texts: Vec<String> = rows.iter().map(|row| equation(*row)).collect();
    texts.join(", ")
}

/// What stands between the quotes; further rows as entries of their own.
fn quoted(p: &Prepared<'_>, entry: &appell_model::Constraint, texts: &[String]) -> String {
    let quote = match p.model.source.text[entry.span.end..].starts_with("\"\"\"") {
        true => "\"\"\"",
        false => "\"",
    };
    let mut new = texts.first().cloned().unwrap_or_default();
    for (number, text) in texts.iter().enumerate().skip(1) {
        let name = format!("{}_{}", entry.name, number + 1);
        new.push_str(&format!("{quote}\n{name} = {quote}{text}"));
    }
    new
}

/// What is to be added where one of several sheets has a root in it: motions on the row pass through the zeros of that, and
/// are on another sheet then.
pub(super) fn beyond<'g>(p: &Prepared<'g>, sheets: &[Vec<Ex<'g>>]) -> String {
    let mut rows = sheets.iter().flatten().filter(|_| sheets.len() > 1);
    let found = rows.find_map(|row| vanishing_radicand(p, *row));
    found.map_or_else(String::new, |x| {
        format!(
            "; its sheets may meet where {x} is 0, and beyond such states it is another linear row"
        )
    })
}

/// What a row has a root of, if that may be 0, or what may be below the line in it: `y' = sqrt(x^2) z'` is not `y' = x z'`
/// beyond `x = 0`, nor is `y' = sqrt(1 + 1/x^2) z'` what is smooth there.
fn vanishing_radicand<'g>(p: &Prepared<'g>, row: Ex<'g>) -> Option<Ex<'g>> {
    let graph = p.system.graph;
    let signs = Signs::new(p);
    let radicand = |id| match graph.node(id) {
        Node::Product(factors) => {
            let mut roots = factors.into_iter().filter(|(_, power)| !power.is_integer());
            roots.find_map(|(base, _)| {
                let base = graph.ex(base);
                let mut all = [base].into_iter().chain(denominators_of(base));
                all.find(|x| !signs.of(*x).excludes_zero())
            })
        }
        _ => None,
    };
    graph.reachable(&[row.id()]).into_iter().find_map(radicand)
}

/// Whether `multipliers` gives the same accelerations and reactions where the simpler row holds.
fn unchanged<'g>(p: &Prepared<'g>, index: usize, rows: &[Ex<'g>]) -> (&'static str, String) {
    let open = |why: &str| ("undecided", why.to_owned());
    let [phi] = rows else {
        return open("it becomes several rows, and has no derivatives as written");
    };
    if let Some(x) = vanishing_radicand(p, *phi) {
        return open(&format!(
            "it contains a root with {x} in it, and beyond the zeros of that it is another constraint"
        ));
    }
    let (system, old) = (&p.system, &p.constraints);
    let new = old.with_row(system, index, *phi);
    let active = new.active();
    let on: Vec<Ex<'g>> = active.filter_map(|row| row.phi).collect();
    let locus = states_on(system, &new, &on, &[]);
    if matches!(vanish_on(&locus, &old.rows[index].a), Finding::Holds(_)) {
        return open("as written it has no derivatives where it holds, and so no motion");
    }
    let Some(form) = Formalism::find("multipliers") else {
        return open("there is no formalism to compare in");
    };
    let names = [output::ACCEL, output::REACTION];
    let mut programs = Vec::new();
    for constraints in [old, &new] {
        let equations = match (form.derive)(system, constraints) {
            Ok(equations) => equations,
            Err(why) => return open(&why.to_string()),
        };
        match equations.sketch.program(locus.symbols(), &names) {
            Ok(program) => programs.push(program),
            Err(unbound) => return open(&unbound.to_string()),
        }
    }
    let results = |program: usize| Results {
        program,
        range: 0..2 * system.n(),
    };
    let question = Question {
        left: results(0),
        right: Some(results(1)),
        positive: None,
    };
    match decide(&locus, &programs, &[question]).map(|mut found| found.pop()) {
        Ok(Some(Finding::Holds(bound))) => (
            "proved",
            format!("but for a probability of 2^{}", bound.exponent.ceil()),
        ),
        Ok(Some(Finding::Fails | Finding::FailsAtSome)) => {
            open("accelerations or reactions differ")
        }
        Ok(Some(Finding::Open(why))) => ("undecided", why),
        Ok(None) => open("nothing was asked"),
        Err(unbound) => open(&unbound.to_string()),
    }
}
