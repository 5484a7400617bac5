//! `[constraints]`: rows `phi = lhs - rhs`, their levels, and reactions of their own.

use crate::algebra;
use crate::bodies;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Node, Table};
use crate::entries::entries;
use crate::formula::{Written, formula, sentence};
use crate::keys;
use crate::loads;
use crate::model::{Constraint, Level, Pull, Reaction, Row, Vector};
use crate::names::Named;
use crate::settings::{self, Symbol};
use crate::suggest::did_you_mean;
use crate::world::{Mode, World};
use appell_expr::{Ex, Id, Span, is_free_of, vanishes};

/// More rows than this are refused.
const MAX_ROWS: usize = 600;

/// `[constraints]` with values. The rows of each are entered into the world, for multipliers.
pub(crate) fn read(model: &Table, world: &mut World, report: &mut Report) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    let mut first = 0;
    for (index, entry) in entries(model, "constraints", report).iter().enumerate() {
        let errors = report.errors();
        let found = constraint(entry, world, report);
        let Some(constraint) = found.filter(|_| report.errors() == errors) else {
            continue;
        };
        let count = constraint.rows.len();
        world.constraints[index].rows = Some((first, count));
        first += count;
        if first > MAX_ROWS {
            let message = format!("more than {MAX_ROWS} constraint rows");
            report.say(Code::TooLarge, message, entry.key_span, "too many");
            break;
        }
        constraints.push(constraint);
    }
    for (count, (frame, e)) in world.quaternions.iter().enumerate() {
        // A quaternion that turns several frames has one norm.
        let is_same = |(_, other): &(usize, [usize; 4])| other.iter().all(|i| e.contains(i));
        if !world.quaternions[..count].iter().any(is_same) {
            constraints.push(unit_norm(*frame, *e, model, world));
        }
    }
    constraints
}

/// `e.e = 1` of a quaternion: a holonomic row, added by the tool.
fn unit_norm(frame: usize, e: [usize; 4], model: &Table, world: &World) -> Constraint {
    let graph = world.graph;
    let names = e.map(|i| world.coordinates[i].name.as_str());
    let squares = e.map(|i| graph.ex(world.coordinates[i].q).pow(2));
    let phi = (graph.sum(&squares) - graph.one()).id();
    let frame = &world.frames[frame].name;
    let taken = |name: &str| world.constraints.iter().any(|c| c.name == name);
    let mut name = format!("unit_{frame}");
    while taken(&name) {
        name.push('_');
    }
    Constraint {
        name,
        text: format!("{} = 1", names.map(|e| format!("{e}^2")).join(" + ")),
        span: model
            .get("frames")
            .map_or(Span::default(), |entry| entry.key_span),
        rows: vec![Row {
            phi,
            level: Level::Position,
            inspected: phi,
            reaction: None,
        }],
        added: true,
        at: None,
    }
}

fn constraint(entry: &Entry, world: &World, report: &mut Report) -> Option<Constraint> {
    let mut constraint = Constraint {
        name: entry.key.clone(),
        text: String::new(),
        span: entry.value.span,
        rows: Vec::new(),
        added: false,
        at: None,
    };
    let nodes = entry.value.one_or_more();
    if nodes.is_empty() {
        let label = "write an equation in a string, or a list of tables with `equation`";
        let message = format!("constraint `{}` has no equation", entry.key);
        return report.reject(Code::BadValue, message, entry.value.span, label);
    }
    for node in nodes {
        let Some(written) = rows(node, &entry.key, world, &mut constraint.rows, report) else {
            continue;
        };
        if let Kind::Table(table) = &node.kind
            && let Some(at) = table.get("at")
        {
            constraint.at = point_of_force(&at.value, world, report).or(constraint.at);
        }
        if constraint.text.is_empty() {
            constraint.text = written.on_one_line();
            constraint.span = written.text.contents();
        }
    }
    Some(constraint)
}

/// `at`: the index among the points of the one at which the force of a constraint acts.
fn point_of_force(node: &Node, world: &World, report: &mut Report) -> Option<usize> {
    let text = node.text("at", report)?;
    let place = text.contents();
    if world.places.iter().any(|place| place.carrier.is_some()) {
        let message = "where this force acts is known from the particles and bodies";
        let label = "leave `at` out; say what is constrained with `v(P)` or `v(body, r)`";
        return report.reject(Code::NotAllowed, message, place, label);
    }
    let point = world
        .places
        .iter()
        .position(|place| place.name == text.value);
    if point.is_none() {
        match world.names.get(&text.value) {
            Some(named) => {
                let message = format!("`{}` is {}, not a point", text.value, named.kind());
                let label = "write the name of one of [points]";
                report.say(Code::Arguments, message, place, label);
            }
            None => world.names.unknown_point(&text.value, place, report),
        }
    }
    point
}

/// An equation, and the direction of its reaction where it has one of its own.
struct Equation<'d> {
    written: Written,
    /// The key `reaction`, and the direction unless it is in error.
    reaction: Option<(&'d Entry, Option<Reaction>)>,
}

/// An equation in a string, or a table with `equation` and `reaction`.
fn equation<'d>(
    node: &'d Node,
    name: &str,
    world: &World,
    report: &mut Report,
) -> Option<Equation<'d>> {
    match &node.kind {
        Kind::Text(_) => {
            let written = sentence(node, name, report)?;
            Some(Equation {
                written,
                reaction: None,
            })
        }
        Kind::Table(_) => {
            let owner = format!("constraint {name}");
            let table = node.table(&owner, keys::CONSTRAINT, report)?;
            let reaction = table.get("reaction");
            let reaction = reaction.map(|entry| (entry, direction(&entry.value, world, report)));
            let equation = table.required("equation", &owner, node.span, report)?;
            let written = sentence(equation, "equation", report)?;
            Some(Equation { written, reaction })
        }
        _ => {
            let wanted = "an equation in a string, or a table with `equation`";
            report.refuse(node.wrong_type(name, wanted))
        }
    }
}

/// The rows of one equation.
fn rows(
    node: &Node,
    name: &str,
    world: &World,
    rows: &mut Vec<Row>,
    report: &mut Report,
) -> Option<Written> {
    let Equation { written, reaction } = equation(node, name, world, report)?;
    let phis = world.equation(&written, &settings::CONSTRAINT, Mode::Plain, report)?;
    if let (Some((entry, _)), true) = (&reaction, phis.len() > 1) {
        let message = "a vector equation has a reaction for each of its components";
        let label = "write one equation per component, each with its `reaction`";
        return report.reject(Code::Reaction, message, entry.key_span, label);
    }
    // What is wrong was said the first time.
    let mut unheard = Report::default();
    let inspected = world
        .equation(
            &written,
            &settings::CONSTRAINT,
            Mode::Inspected,
            &mut unheard,
        )
        .filter(|inspected| inspected.len() == phis.len())
        .unwrap_or_else(|| phis.clone());
    let reaction = reaction.and_then(|(_, direction)| direction);
    let levels: Vec<Option<Level>> = phis.iter().map(|phi| level(*phi, world)).collect();
    let highest = levels.iter().flatten().max_by_key(|level| **level as u8);
    let highest = highest.copied().unwrap_or(Level::Position);
    let parts: &[&str] = match phis.len() {
        1 => &["this constraint"],
        _ => &["the x component", "the y component", "the z component"],
    };
    for (((phi, inspected), level), part) in phis.into_iter().zip(inspected).zip(levels).zip(parts)
    {
        check(phi, level, part, &written, world, report)?;
        let level = level.unwrap_or(highest);
        rows.push(Row {
            phi,
            level,
            inspected,
            reaction: reaction.clone(),
        });
    }
    Some(written)
}

/// The level of a row; none if no coordinate occurs in it.
fn level(phi: Id, world: &World) -> Option<Level> {
    let symbols = world.graph.ex(phi).symbols();
    let occurs = |kind| symbols.iter().any(|s| world.symbol(s.id()) == Some(kind));
    if occurs(Symbol::Acceleration) {
        Some(Level::Acceleration)
    } else if occurs(Symbol::Velocity) {
        Some(Level::Velocity)
    } else {
        occurs(Symbol::Coordinate).then_some(Level::Position)
    }
}

/// Refuses rows that constrain nothing, and rows that are not linear in the accelerations.
fn check(
    phi: Id,
    level: Option<Level>,
    part: &str,
    written: &Written,
    world: &World,
    report: &mut Report,
) -> Option<()> {
    let phi = world.graph.ex(phi);
    let place = written.text.contents();
    refuse_input(phi, level, written, world, report)?;
    match level {
        None if vanishes(phi) => Some(()),
        None => {
            let message = format!("{part} says nothing about the coordinates");
            let label = "no motion can make it hold, or fail to hold";
            report.reject(Code::NoCoordinate, message, place, label)
        }
        Some(Level::Acceleration) if !linear_in_accelerations(phi, world) => {
            let message = format!("{part} is not linear in the accelerations");
            let label = "constraints may be nonlinear in `'`, but must be linear in `''`";
            let note =
                "constraint forces follow from phi' or phi'' = A q'' + B, which is linear in q''";
            report.refuse(
                Diagnostic::new(Code::NonlinearAcceleration, message, place, label).note(note),
            )
        }
        Some(_) => Some(()),
    }
}

/// Rows on the place and on velocities are differentiated, and the rate of an input is not known.
fn refuse_input(
    phi: Ex<'_>,
    level: Option<Level>,
    written: &Written,
    world: &World,
    report: &mut Report,
) -> Option<()> {
    let is_input = |s: &Ex<'_>| world.symbol(s.id()) == Some(Symbol::Input);
    let input = phi.symbols().into_iter().find(is_input);
    let Some(input) = input.filter(|_| level != Some(Level::Acceleration)) else {
        return Some(());
    };
    let name = input.symbol_name().unwrap_or_default();
    let message =
        format!("the input `{name}` appears in a constraint on coordinates or velocities");
    let label = format!("this constraint is differentiated, and the rate of `{name}` is not known");
    let note = format!(
        "write it in accelerations, as `x'' = {name}`, or prescribe it by a function of `t`"
    );
    let place = written.text.contents();
    report.refuse(Diagnostic::new(Code::NotAllowed, message, place, label).note(note))
}

fn linear_in_accelerations(phi: Ex<'_>, world: &World) -> bool {
    let accelerations = || world.coordinates.iter().map(|c| world.graph.ex(c.a));
    accelerations().filter(|a| phi.depends_on(*a)).all(|a| {
        let slope = phi.diff(a);
        accelerations()
            .filter(|b| slope.depends_on(*b))
            .all(|b| is_free_of(slope, b))
    })
}

/// `reaction`: its direction `W(q, v, t)`, one component per coordinate.
fn direction(node: &Node, world: &World, report: &mut Report) -> Option<Reaction> {
    let table = node.any_table("reaction", report)?;
    let is_coordinate = matches!(world.names.get("on"), Some(Named::Coordinate(_)));
    let direction = if table.get("on").is_some() && !is_coordinate {
        on_body(table, node.span, world, report)?
    } else {
        Reaction {
            components: by_coordinates(table, world, report)?,
            on: Vec::new(),
        }
    };
    if direction
        .components
        .iter()
        .all(|w| world.graph.ex(*w).is_zero())
    {
        let message = "this reaction has no direction";
        let label = "write `{ x = \"1\" }`, `{ on = \"P\", force = \"N.x\" }`, or `{ on = \"B\", torque = \"N.z\", against = \"C\" }`";
        return report.reject(Code::Reaction, message, node.span, label);
    }
    Some(direction)
}

/// `{ x = "1", theta = "-r" }`
fn by_coordinates(table: &Table, world: &World, report: &mut Report) -> Option<Vec<Id>> {
    let mut direction = vec![world.graph.zero().id(); world.coordinates.len()];
    let errors = report.errors();
    for entry in &table.entries {
        let Some(Named::Coordinate(index)) = world.names.get(&entry.key) else {
            let known = world.coordinates.iter().map(|c| c.name.as_str());
            let message = format!("`{}` in a reaction is not a coordinate", entry.key);
            let label = did_you_mean(&entry.key, known, "write coordinates, or `on` and `force`");
            report.say(Code::UnknownName, message, entry.key_span, label);
            continue;
        };
        if let Some(formula) = formula(&entry.value, &entry.key, report)
            && let Some(component) = world.scalar(&formula, &settings::REACTION, report)
        {
            direction[index] = component;
        }
    }
    (report.errors() == errors).then_some(direction)
}

/// `{ on = "B", force = "N.x", torque = "N.z", against = "C" }`: a force at the mass centre of B, a couple on it, and the
/// opposite of both on C.
fn on_body(table: &Table, place: Span, world: &World, report: &mut Report) -> Option<Reaction> {
    table.check_keys("a reaction", keys::REACTION, report);
    let on = table
        .required("on", "the reaction", place, report)?
        .text("on", report)?;
    let mut vector = |key: &str| match table.get(key) {
        Some(entry) => {
            let formula = formula(&entry.value, key, report)?;
            world
                .vector(&formula, &settings::REACTION, report)
                .map(Some)
        }
        None => Some(None),
    };
    let (force, torque) = (vector("force"), vector("torque"));
    let body = bodies::carrier(on, world, report)?;
    let graph = world.graph;
    let null = algebra::null(graph);
    let against = match table.get("against") {
        Some(entry) => loads::opponent(entry, body, Some(null), world, report).map(Some),
        None => Some(None),
    };
    let (force, torque, against) = (force?, torque?, against?);
    if force.is_none() && torque.is_none() {
        let message = "a reaction without force and torque";
        let label = "add `force`, or `torque`";
        return report.reject(Code::MissingKey, message, place, label);
    }
    let others = against.map(|(other, _)| other);
    let entry = table.get("torque");
    loads::refuse_torque_on_a_particle(entry, [Some(body), others], world, report)?;
    let (force, torque) = (force.unwrap_or(null), torque.unwrap_or(null));
    let mut on = vec![Pull {
        body,
        force,
        torque,
    }];
    if let Some((body, arm)) = against {
        let moment = algebra::add(graph, torque, algebra::cross(graph, arm, force));
        on.push(Pull {
            body,
            force: algebra::subtract(graph, null, force),
            torque: algebra::subtract(graph, null, moment),
        });
    }
    let mut components = vec![graph.zero(); world.coordinates.len()];
    for pull in &on {
        let shares = generalised(pull, world)?;
        let sums = components.iter_mut().zip(shares);
        sums.for_each(|(sum, share)| *sum = *sum + share);
    }
    Some(Reaction {
        components: components.into_iter().map(Ex::id).collect(),
        on,
    })
}

/// `f . d pos/dq + tau . d omega/dq'`, for each coordinate.
fn generalised<'w>(pull: &Pull, world: &'w World) -> Option<Vec<Ex<'w>>> {
    let graph = world.graph;
    let mut places = world.places.iter();
    let place = places.find(|place| place.carrier == Some(pull.body))?;
    let position = bodies::known(place.position)?;
    let mut rigid = 0..world.bodies.len();
    let turns = rigid.find(|b| world.places[world.bodies[*b].place].carrier == Some(pull.body));
    let omega = match turns {
        Some(body) => bodies::spin(body, world)?.omega,
        None => algebra::null(graph),
    };
    let by = |vector: Vector, x: Id| vector.map(|id| graph.ex(id).diff(graph.ex(x)).id());
    let component = |q: Id, v: Id| {
        algebra::dot(graph, pull.force, by(position, q))
            + algebra::dot(graph, pull.torque, by(omega, v))
    };
    let coordinates = world.coordinates.iter();
    Some(coordinates.map(|c| component(c.q, c.v)).collect())
}
