//! `[parameters]` and `[inputs]`: exact values, or expressions in other parameters.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::draft::{Draft, ParameterDraft};
use crate::formula::{Formula, Written};
use crate::model::Parameter;
use crate::names::Named;
use crate::numeric::evaluate;
use crate::order::order;
use crate::settings;
use crate::world::World;
use appell_expr::{AstKind, Id};
use std::collections::HashMap;

/// A value at a limit is within it, though both are rounded: 0.3 is not below `0.1 + 0.2`.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// `[parameters]`, then `[inputs]`, with values, each finite and within its limits, and these as numbers.
pub(crate) fn read(
    draft: &Draft,
    world: &World,
    report: &mut Report,
) -> (Vec<Parameter>, HashMap<Id, f64>) {
    let drafts = &draft.parameters;
    let needs: Vec<Vec<usize>> = drafts.iter().map(|p| needs(p, world)).collect();
    let found = order(&needs);
    for cycle in &found.cycles {
        report.push(cyclic(cycle, drafts));
    }
    let mut numbers: HashMap<Id, f64> = HashMap::new();
    let mut parameters: Vec<Option<Parameter>> = drafts.iter().map(|_| None).collect();
    for index in found.order {
        let draft = &drafts[index];
        let value = draft
            .value
            .as_ref()
            .and_then(|f| in_parameters(f, world, report));
        let Some(value) = value else { continue };
        let symbol = world.parameters[index].id();
        if needs[index]
            .iter()
            .all(|need| numbers.contains_key(&world.parameters[*need].id()))
        {
            let number = evaluate(world.graph, value, &numbers);
            check_finite(draft, number, report);
            numbers.insert(symbol, number);
        }
        parameters[index] = Some(plain(draft, symbol, value));
    }
    for (parameter, draft) in parameters.iter_mut().zip(drafts) {
        if let Some(parameter) = parameter {
            let number = numbers.get(&parameter.symbol).copied().unwrap_or(f64::NAN);
            let mut limit = |formula: &Option<Formula>, respects: fn(&f64, &f64) -> bool| {
                let formula = formula.as_ref()?;
                let limit = in_parameters(formula, world, report)?;
                let bound = evaluate(world.graph, limit, &numbers);
                let is_at = (number - bound).abs() <= ROUNDING * bound.abs();
                if number.is_finite() && !bound.is_nan() && !is_at && !respects(&number, &bound) {
                    report.push(outside(draft, number, formula, bound));
                }
                Some(limit)
            };
            parameter.min = limit(&draft.min, f64::ge);
            parameter.max = limit(&draft.max, f64::le);
        }
    }
    (parameters.into_iter().flatten().collect(), numbers)
}

/// A parameter whose limits are not read yet.
fn plain(draft: &ParameterDraft, symbol: Id, value: Id) -> Parameter {
    Parameter {
        name: draft.name.clone(),
        is_input: draft.is_input,
        span: draft.span,
        symbol,
        value,
        unit: draft.unit.clone(),
        about: draft.about.clone(),
        min: None,
        max: None,
    }
}

/// The parameters that the value of a parameter is made of.
fn needs(draft: &ParameterDraft, world: &World) -> Vec<usize> {
    let written = draft.value.as_ref().and_then(Formula::written);
    let nodes = written.map_or(&[][..], |w| &w.sentence.ast.nodes);
    let parameter = |kind: &AstKind| match kind {
        AstKind::Name(name) => match world.names.get(name) {
            Some(Named::Parameter(i)) => Some(i),
            _ => None,
        },
        _ => None,
    };
    nodes
        .iter()
        .filter_map(|node| parameter(&node.kind))
        .collect()
}

/// The value of a formula in parameters alone.
pub(crate) fn in_parameters(formula: &Formula, world: &World, report: &mut Report) -> Option<Id> {
    if let Some(written) = formula.written() {
        only_parameters(written, world, report)?;
    }
    world.scalar(formula, &settings::PARAMETER, report)
}

/// Definitions have no values yet, so they are refused by name.
fn only_parameters(written: &Written, world: &World, report: &mut Report) -> Option<()> {
    for node in &written.sentence.ast.nodes {
        let AstKind::Name(name) = &node.kind else {
            continue;
        };
        let kind = match world.names.get(name) {
            Some(Named::Parameter(_)) | None if !matches!(name.as_str(), "T" | "V") => continue,
            Some(named) => named.kind(),
            None => "an energy",
        };
        let message = format!("`{name}` cannot stand in {}", settings::PARAMETER.what);
        let label = format!("{kind} is not admitted here");
        let note = "parameters are made of numbers and other parameters";
        let place = written.place(node.span);
        return report.refuse(Diagnostic::new(Code::NotAllowed, message, place, label).note(note));
    }
    Some(())
}

fn cyclic(cycle: &[usize], drafts: &[ParameterDraft]) -> Diagnostic {
    let first = &drafts[cycle[0]];
    let message = format!("the parameter `{}` is defined by itself", first.name);
    let mut names: Vec<String> = cycle
        .iter()
        .take(6)
        .map(|i| format!("`{}`", drafts[*i].name))
        .collect();
    names.push(format!("`{}`", first.name));
    let label = "give one of them a number";
    Diagnostic::new(Code::Cycle, message, first.span, label)
        .note(format!("the cycle: {}", names.join(" needs ")))
}

fn check_finite(draft: &ParameterDraft, number: f64, report: &mut Report) {
    if !number.is_finite() {
        let message = format!("the value of `{}` is not a finite number", draft.name);
        let label = if number.is_nan() {
            "this has no value"
        } else {
            "this is infinite"
        };
        report.say(Code::NotFinite, message, draft.span, label);
    }
}

fn outside(draft: &ParameterDraft, number: f64, limit: &Formula, bound: f64) -> Diagnostic {
    let message = format!("the value of `{}` is outside its limits", draft.name);
    let label = format!("this is {number}");
    Diagnostic::new(Code::OutsideLimits, message, draft.span, label)
        .also(limit.span(), format!("this is {bound}"))
}
