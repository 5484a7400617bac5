//! Evaluated states as tables.

use super::check::status_word;
use super::layout::{Page, columns, wrapped};
use super::number::{size, value};
use appell_study::questions::eval::{Evaluation, ForceValue, FormValues, StateValues};
use appell_study::values::prepared::Prepared;

/// Everything at the given states: what `appell eval` prints.
pub fn eval_text(p: &Prepared<'_>, evaluation: &Evaluation) -> String {
    let mut page = Page::default();
    page.line(&p.model.title);
    let mut told = None;
    for (index, state) in evaluation.states.iter().enumerate() {
        let why = state
            .why
            .as_ref()
            .map_or_else(String::new, |why| format!(": {why}"));
        page.line("");
        page.line(&format!(
            "state {index}, t = {}, {}{why}",
            value(state.t),
            status_word(state.status)
        ));
        page.entry("motion", columns(&motion_rows(p, state)));
        page.entry("rows", columns(&constraint_rows(p, state)));
        page.entry("energy", energy_lines(state));
        page.entry("forces", state.forces.iter().map(force_line));
        // Once for all states that it is true of.
        if state.indeterminate.as_ref() != told {
            told = state.indeterminate.as_ref();
            page.entry("", told.iter().flat_map(|found| wrapped(&found.text)));
        }
        page.entry(
            "no value",
            state
                .forms
                .iter()
                .filter_map(|(id, form)| missing_line(id, form)),
        );
    }
    page.finish()
}

/// One row for each coordinate: `q`, `v`, the reaction, and `q''` in every form that has it.
fn motion_rows(p: &Prepared<'_>, state: &StateValues) -> Vec<Vec<String>> {
    let accelerations: Vec<(&str, &[f64])> = state
        .forms
        .iter()
        .filter_map(|(id, form)| acceleration(id, form))
        .collect();
    let head = ["", "q", "q'", "reaction"].map(str::to_owned).into_iter();
    let head = head.chain(accelerations.iter().map(|(id, _)| format!("q'' {id}")));
    let row = |(i, coordinate): (usize, &appell_model::Coordinate)| {
        let lists = [Some(&state.q), state.v.as_ref(), state.reaction.as_ref()];
        let entries = lists
            .into_iter()
            .map(|list| entry(list.map(Vec::as_slice), i));
        let forms = accelerations.iter().map(|(_, accel)| entry(Some(accel), i));
        [coordinate.name.clone()]
            .into_iter()
            .chain(entries)
            .chain(forms)
            .collect()
    };
    let rows = p.model.coordinates.iter().enumerate().map(row);
    [head.collect()].into_iter().chain(rows).collect()
}

fn entry(list: Option<&[f64]>, index: usize) -> String {
    list.and_then(|list| list.get(index))
        .map_or_else(|| "-".to_owned(), |x| value(*x))
}

fn acceleration<'a>(id: &&'static str, form: &'a FormValues) -> Option<(&'static str, &'a [f64])> {
    match form {
        FormValues::Values { accel, .. } => Some((*id, accel)),
        FormValues::Unavailable { .. } | FormValues::Undefined { .. } => None,
    }
}

/// One row for each constraint row: residual and multiplier.
fn constraint_rows(p: &Prepared<'_>, state: &StateValues) -> Vec<Vec<String>> {
    if p.constraints.rows.is_empty() {
        return Vec::new();
    }
    let head = ["", "residual", "multiplier"].map(str::to_owned).to_vec();
    let row = |(i, row): (usize, &appell_mech::ConstraintRow<'_>)| {
        let residual = state.residual.as_ref().and_then(|list| list.get(i));
        let residual = residual.map_or_else(|| "-".to_owned(), |x| size(*x));
        vec![
            row.name.clone(),
            residual,
            entry(state.lambda.as_deref(), i),
        ]
    };
    let rows = p.constraints.rows.iter().enumerate().map(row);
    [head].into_iter().chain(rows).collect()
}

fn energy_lines(state: &StateValues) -> Vec<String> {
    let item = |name: &str, x: Option<f64>| x.map(|x| format!("{name} = {}", value(x)));
    let plain = [
        ("E", state.energy),
        ("dE/dt", state.energy_rate),
        ("R.v", state.reaction_power),
    ];
    let star = [
        ("E*", state.energy_star),
        ("dE*/dt", state.energy_star_rate),
    ];
    let line = |items: &[(&str, Option<f64>)]| {
        let known: Vec<String> = items
            .iter()
            .filter_map(|(name, x)| item(name, *x))
            .collect();
        (!known.is_empty()).then(|| known.join(", "))
    };
    let why = state
        .energy_star_why
        .as_ref()
        .map(|why| format!("no E*: {why}"));
    [line(&plain), line(&star), why]
        .into_iter()
        .flatten()
        .collect()
}

/// `c on B at Q (x, y, z): (X, Y, Z), couple (L, M, N)`
fn force_line(force: &ForceValue) -> String {
    let triple = |x: &[f64; 3]| format!("({})", x.map(value).join(", "));
    let ForceValue { constraint, on, .. } = force;
    let mut line = format!("{constraint} on {on}");
    let couple = format!("couple {}", triple(&force.torque));
    if force.point.as_deref() == Some("couple") {
        line += &format!(": {couple}");
    } else {
        let is_other = |name: &&String| *name != on;
        let name = force.point.as_ref().filter(is_other);
        let name = name.map_or_else(String::new, |name| format!("{name} "));
        let (at, vector) = (triple(&force.at), triple(&force.force));
        line += &format!(" at {name}{at}: {vector}");
        if force.torque != [0.0; 3] {
            line += &format!(", {couple}");
        }
    }
    if !force.unique {
        line += ", not unique";
    }
    if force.rule == "gauss" {
        line += ", distributed by Gauss' principle, as an ideal guide's";
    }
    line
}

fn missing_line(id: &str, form: &FormValues) -> Option<String> {
    match form {
        FormValues::Values { .. } => None,
        FormValues::Unavailable { unavailable } => Some(format!("{id}: {unavailable}")),
        FormValues::Undefined { why, .. } => Some(format!("{id}: {why}")),
    }
}
