//! The equations of a formalism as text, as LaTeX and for programs.

use crate::derivation::{
    Common, Definition, Derivation, Exhibit, RESULTS, Results, Row, Step, Table,
};
use appell_expr::Style;
use appell_expr::limits::attempt;
use appell_mech::{Formalism, Unavailable, output};
use appell_study::questions::closed_forms::{GEOMETRIC, shown_equations};
use appell_study::values::prepared::Prepared;
use serde::Serialize;
use serde_json::{Value, json};

/// The results without which the equations say nothing of the motion.
const MOTION: [&str; 2] = [output::ACCEL, output::LAMBDA];

/// The equations of one formalism as plain text; with `steps` every intermediate object too.
///
/// # Errors
/// The formalism does not apply to the model.
pub fn derivation_text(
    p: &Prepared<'_>,
    form: &Formalism,
    steps: bool,
) -> Result<String, Unavailable> {
    derivation(p, form, steps, Style::Text).map(|derivation| harmless(&derivation.text()))
}

/// The same as a fragment of LaTeX that needs the package `amsmath` only.
///
/// # Errors
/// The formalism does not apply to the model.
pub fn derivation_latex(
    p: &Prepared<'_>,
    form: &Formalism,
    steps: bool,
) -> Result<String, Unavailable> {
    derivation(p, form, steps, Style::Latex).map(|derivation| harmless(&derivation.latex()))
}

/// The same as a fragment of HTML with MathML, to be put into any page or notebook.
///
/// # Errors
/// The formalism does not apply to the model.
pub fn derivation_mathml(
    p: &Prepared<'_>,
    form: &Formalism,
    steps: bool,
) -> Result<String, Unavailable> {
    derivation(p, form, steps, Style::Latex).map(|derivation| derivation.mathml())
}

/// The same as one line of JSON for several formalisms: `{"forms": [{"form", ..}, ..]}`, formulas as
/// text that the parser reads. A formalism that does not apply has `unavailable` with the reason.
pub fn derivation_json(p: &Prepared<'_>, forms: &[&'static Formalism], steps: bool) -> String {
    let written = |form: &Formalism| {
        let derived = derivation(p, form, steps, Style::Text);
        derived.map(|derivation| json!(Document::new(&derivation)))
    };
    let form = |form: &&'static Formalism| match attempt(|| written(form)) {
        Ok(Ok(derivation)) => derivation,
        Ok(Err(why)) => json!({"form": form.id, "unavailable": why.to_string()}),
        Err(why) => json!({"form": form.id, "unavailable": format!("not derived: {why}")}),
    };
    let forms: Vec<Value> = forms.iter().map(form).collect();
    super::json_line(&json!({ "forms": forms }))
}

fn derivation(
    p: &Prepared<'_>,
    form: &Formalism,
    steps: bool,
    style: Style,
) -> Result<Derivation, Unavailable> {
    let (equations, constraints) = shown_equations(p, form)?;
    let results = RESULTS.iter().map(|(name, _)| *name);
    let all: Vec<&str> = results
        .chain(form.recipe.iter().map(|object| object.output))
        .collect();
    let objects = form.recipe.iter().map(|object| object.output);
    let geometry: Vec<&str> = MOTION.into_iter().chain(objects).collect();
    let wanted: &[&str] = match (steps, form.id) {
        (true, _) => &all,
        (false, GEOMETRIC) => &geometry,
        (false, _) => &MOTION,
    };
    Ok(Derivation::new(
        &p.system,
        &constraints,
        &equations,
        style,
        wanted,
    ))
}

/// With every intermediate object, among derivations of other forms in the same notation. With `short`,
/// matrices that are certainly too long for a page are left out.
pub(crate) fn derivation_beside<'g>(
    p: &Prepared<'g>,
    form: &Formalism,
    style: Style,
    short: bool,
    common: &mut Option<Common<'g>>,
) -> Result<Derivation, Unavailable> {
    let (equations, constraints) = shown_equations(p, form)?;
    let results = RESULTS.iter().map(|(name, _)| *name);
    let recipe = form.recipe.iter().map(|object| object.output);
    let all: Vec<&str> = results.chain(recipe).collect();
    let of = (&p.system, &constraints, &equations);
    Ok(Derivation::beside(of, style, &all, short, common))
}

/// Titles and names come from the file: what would steer a terminal in them is replaced.
pub(crate) fn harmless(text: &str) -> String {
    text.lines().map(|line| super::plain(line) + "\n").collect()
}

/// A derivation for programs, in this order.
#[derive(Serialize)]
struct Document<'d> {
    form: &'d str,
    title: &'d str,
    form_title: &'d str,
    statement: &'d str,
    sources: &'d [String],
    coordinates: &'d [String],
    parameters: &'d [String],
    energies: Vec<Value>,
    tables: Vec<Value>,
    rows: Vec<Value>,
    abbreviations: Vec<Value>,
    state: &'d [String],
    steps: Vec<Value>,
    rate: Vec<Value>,
    recipe_steps: Vec<Value>,
    recipe: Vec<Value>,
    result_steps: Vec<Value>,
    results: Vec<Value>,
    notes: &'d [String],
}

impl<'d> Document<'d> {
    fn new(derivation: &'d Derivation) -> Self {
        let shared =
            (!derivation.shared.is_empty()).then(|| Step::Define(derivation.shared.clone()));
        Self {
            form: &derivation.form,
            title: &derivation.title,
            form_title: &derivation.form_title,
            statement: &derivation.statement,
            sources: &derivation.sources,
            coordinates: &derivation.coordinates,
            parameters: &derivation.parameters,
            energies: definitions(&derivation.energies),
            tables: derivation.tables.iter().map(table).collect(),
            rows: derivation.rows.iter().map(row).collect(),
            abbreviations: definitions(&derivation.abbreviations),
            state: &derivation.state,
            steps: derivation.steps.iter().map(step).collect(),
            rate: definitions(&derivation.rate),
            recipe_steps: derivation.recipe_steps.iter().map(step).collect(),
            recipe: derivation.recipe.iter().map(exhibit).collect(),
            result_steps: shared
                .iter()
                .chain(&derivation.result_steps)
                .map(step)
                .collect(),
            results: derivation.results.iter().map(results).collect(),
            notes: &derivation.notes,
        }
    }
}

fn definition(Definition { name, value }: &Definition) -> Value {
    json!({"name": name, "value": value})
}

fn definitions(list: &[Definition]) -> Vec<Value> {
    list.iter().map(definition).collect()
}

fn table(
    Table {
        name,
        meaning,
        entries,
    }: &Table,
) -> Value {
    let entries: Vec<Vec<Value>> = entries.iter().map(|row| definitions(row)).collect();
    json!({"name": name, "meaning": meaning, "entries": entries})
}

fn exhibit(
    Exhibit {
        output,
        formula,
        table: shown,
        left_out: _,
    }: &Exhibit,
) -> Value {
    let mut value = table(shown);
    value["formula"] = json!(formula);
    value["output"] = json!(output);
    value
}

fn row(Row { name, left, remark }: &Row) -> Value {
    json!({"name": name, "left": left, "remark": remark})
}

fn step(step: &Step) -> Value {
    match step {
        Step::Define(list) => json!({"define": definitions(list)}),
        Step::Solve {
            name,
            kind,
            matrix,
            unknowns,
            right,
        } => {
            json!({"solve": name, "kind": kind, "matrix": matrix, "unknowns": unknowns, "right": right})
        }
        Step::Solved {
            name,
            least_norm,
            unknowns,
        } => {
            json!({"solved": name, "least_norm": least_norm, "unknowns": definitions(unknowns)})
        }
    }
}

fn results(
    Results {
        output,
        meaning,
        entries,
    }: &Results,
) -> Value {
    json!({"output": output, "meaning": meaning, "entries": definitions(entries)})
}
