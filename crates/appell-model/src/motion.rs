//! `[motion]`: velocities in terms of motion variables, or motion variables in terms of
//! velocities.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::Table;
use crate::draft::MotionDraft;
use crate::formula::{Written, sentences};
use crate::keys;
use crate::model::{Motion, MotionVariable, Value};
use crate::names::Named;
use crate::settings;
use crate::world::{Slot, World};
use appell_expr::{AstId, AstKind, Id, Relation, Span};

/// What an equation of `[motion]` is solved for.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    /// `x' = ...`
    Velocity(usize),
    /// `u1 = ...`
    Variable(usize),
}

/// Declares the motion variables and sorts the equations.
pub(crate) fn collect(model: &Table, world: &mut World, report: &mut Report) -> MotionDraft {
    let mut draft = MotionDraft::default();
    let Some(entry) = model.get("motion") else {
        return draft;
    };
    draft.span = entry.key_span;
    let errors = report.errors();
    let Some(table) = entry.value.table("[motion]", keys::MOTION, report) else {
        return draft;
    };
    let names = table
        .get("variables")
        .and_then(|e| e.value.texts("variables", report))
        .unwrap_or_default();
    world.names.incomplete |= report.errors() > errors;
    for (index, text) in names.iter().enumerate() {
        world
            .names
            .declare(&text.value, text.contents(), Named::Variable(index), report);
    }
    if let Some(independent) = table.get("independent") {
        draft.independent =
            sentences(&independent.value, "independent", report).unwrap_or_default();
    }
    let equations = match (table.get("equations"), table.get("variables")) {
        (Some(equations), _) => {
            sentences(&equations.value, "equations", report).unwrap_or_default()
        }
        (None, Some(variables)) => {
            let message = "motion variables have no equations";
            let label =
                "add `equations`, such as [\"x' = z1*cos(theta)\", ...] or [\"u1 = x'\", ...]";
            report.say(Code::MotionEquations, message, variables.key_span, label);
            Vec::new()
        }
        (None, None) => Vec::new(),
    };
    let targets: Vec<Option<Target>> = equations.iter().map(|e| target(world, e, report)).collect();
    let defined = targets
        .iter()
        .flatten()
        .next()
        .is_some_and(|t| matches!(t, Target::Variable(_)));
    for text in &names {
        world.add_variable(&text.value, defined);
    }
    if targets.iter().flatten().next().is_some() {
        let place = table
            .get("equations")
            .map_or(entry.key_span, |e| e.key_span);
        sort(
            &mut draft, equations, &targets, defined, place, world, report,
        );
    }
    draft
}

/// What stands alone on the left.
fn target(world: &World, written: &Written, report: &mut Report) -> Option<Target> {
    let sentence = &written.sentence;
    let name = |id: AstId| match &sentence.ast.node(id).kind {
        AstKind::Name(name) => world.names.get(name),
        _ => None,
    };
    let is_equation = sentence
        .relation
        .is_some_and(|(relation, _)| relation == Relation::Equal);
    let named = match sentence.ast.node(sentence.lhs).kind {
        AstKind::Prime(inner, 1) => {
            name(inner).filter(|named| matches!(named, Named::Coordinate(_)))
        }
        _ => name(sentence.lhs).filter(|named| matches!(named, Named::Variable(_))),
    };
    match named.filter(|_| is_equation) {
        Some(Named::Coordinate(i)) => Some(Target::Velocity(i)),
        Some(Named::Variable(i)) => Some(Target::Variable(i)),
        _ => {
            let place = written.place(sentence.ast.node(sentence.lhs).span);
            let message = "an equation of [motion] gives a velocity or a motion variable";
            let label = "write `x' = ...` for a coordinate x, or `u1 = ...` for a motion variable";
            report.reject(Code::MotionForm, message, place, label)
        }
    }
}

/// Gives each coordinate, or each variable, its equation.
fn sort(
    draft: &mut MotionDraft,
    equations: Vec<Written>,
    targets: &[Option<Target>],
    defined: bool,
    place: Span,
    world: &World,
    report: &mut Report,
) {
    let count = if defined {
        world.variables.len()
    } else {
        world.coordinates.len()
    };
    let mut sorted: Vec<Option<Written>> = vec![None; count];
    for (written, target) in equations.into_iter().zip(targets) {
        let index = match target {
            Some(Target::Velocity(i)) if !defined => *i,
            Some(Target::Variable(i)) if defined => *i,
            Some(_) => {
                let message = "the two forms of [motion] are mixed";
                let label = "give all velocities by motion variables, or all motion variables by velocities";
                report.say(Code::MotionForm, message, written.text.contents(), label);
                continue;
            }
            None => continue,
        };
        let name = equation_of(world, defined, index);
        match &sorted[index] {
            None => sorted[index] = Some(written),
            Some(first) => {
                let message = format!("`{name}` is given by two equations");
                let again = written.text.contents();
                let diagnostic =
                    Diagnostic::new(Code::MotionEquations, message, again, "remove one of them");
                report.push(diagnostic.also(first.text.contents(), "given here already"));
            }
        }
    }
    // An equation that was not understood may be the one that is missing.
    if targets.iter().all(Option::is_some) {
        for index in (0..count).filter(|index| sorted[*index].is_none()) {
            missing(&equation_of(world, defined, index), place, report);
        }
    }
    if defined {
        draft.definitions = Some(sorted)
    } else {
        draft.psi = Some(sorted)
    }
}

fn missing(name: &str, place: Span, report: &mut Report) {
    let message = format!("`{name}` has no equation in [motion]");
    let label = format!("add \"{name} = ...\"");
    report.say(Code::MotionEquations, message, place, label);
}

/// The left side of the equation of this index.
fn equation_of(world: &World, defined: bool, index: usize) -> String {
    let id = if defined {
        world.variables[index].symbol
    } else {
        world.coordinates[index].v
    };
    world.graph.ex(id).symbol_name().unwrap_or_default()
}

/// `[motion]` with values. The definitions of motion variables have theirs already.
pub(crate) fn read(draft: &MotionDraft, world: &World, report: &mut Report) -> Motion {
    let variables = world.variables.iter().map(|variable| MotionVariable {
        name: world
            .graph
            .ex(variable.symbol)
            .symbol_name()
            .unwrap_or_default(),
        symbol: variable.symbol,
        rate: variable.rate,
    });
    let mut motion = Motion {
        span: draft.span,
        variables: variables.collect(),
        ..Motion::default()
    };
    if let Some(equations) = &draft.psi {
        let velocities: Vec<Option<Id>> = equations
            .iter()
            .map(|e| world.right_side(e.as_ref()?, &settings::PSI, report))
            .collect();
        motion.psi = velocities.into_iter().collect();
    }
    if draft.definitions.is_some() {
        let definitions = world
            .variables
            .iter()
            .map(|variable| match variable.definition {
                Some(Slot::Known([Value::Scalar(u), _])) => Some(u),
                _ => None,
            });
        motion.definitions = definitions.collect();
    }
    for written in &draft.independent {
        independent(written, world, &mut motion, report);
    }
    motion
}

/// One entry of `independent`.
fn independent(written: &Written, world: &World, motion: &mut Motion, report: &mut Report) {
    let twice = match named_rate(written, world) {
        Some(Rated::Velocity(i)) => push_new(&mut motion.independent_coordinates, i),
        Some(Rated::Variable(i)) => push_new(&mut motion.independent_variables, i),
        _ => {
            let message = "`independent` lists velocities and motion variables";
            let label = "write `x'` for a coordinate x, or the name of a motion variable";
            report.say(Code::BadValue, message, written.text.contents(), label);
            return;
        }
    };
    if twice {
        let message = format!("`{}` is listed twice", written.on_one_line());
        report.say(
            Code::BadValue,
            message,
            written.text.contents(),
            "remove one of them",
        );
    }
}

/// Whether the index was there already.
pub(crate) fn push_new(list: &mut Vec<usize>, index: usize) -> bool {
    let known = list.contains(&index);
    if !known {
        list.push(index);
    }
    known
}

/// What one entry of `independent` or `keep` names.
pub(crate) enum Rated {
    /// `x'`
    Velocity(usize),
    /// `x`
    Coordinate(usize),
    /// `u1`
    Variable(usize),
}

/// The velocity, coordinate or motion variable that is all of a formula.
pub(crate) fn named_rate(written: &Written, world: &World) -> Option<Rated> {
    let sentence = &written.sentence;
    let name = |id: AstId| match &sentence.ast.node(id).kind {
        AstKind::Name(name) => world.names.get(name),
        _ => None,
    };
    if sentence.relation.is_some() {
        return None;
    }
    match sentence.ast.node(sentence.lhs).kind {
        AstKind::Prime(inner, 1) => match name(inner) {
            Some(Named::Coordinate(i)) => Some(Rated::Velocity(i)),
            _ => None,
        },
        _ => match name(sentence.lhs) {
            Some(Named::Coordinate(i)) => Some(Rated::Coordinate(i)),
            Some(Named::Variable(i)) => Some(Rated::Variable(i)),
            _ => None,
        },
    }
}
