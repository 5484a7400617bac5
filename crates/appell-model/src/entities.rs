//! Definitions, points, particles, motion variables and energies, worked out in an order in
//! which each comes after what it needs.

use crate::algebra;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::draft::Draft;
use crate::formula::{Formula, Written};
use crate::model::{Value, Vector};
use crate::names::Named;
use crate::order::order;
use crate::settings;
use crate::world::{NoRate, Slot, World};
use appell_expr::{AstKind, Id, Span};

/// Something defined by formulas.
#[derive(Debug, Clone, Copy)]
enum Item {
    Definition(usize),
    Place(usize),
    Variable(usize),
    Kinetic,
    Potential,
}

/// The order found, and which definitions have to wait for the constraints.
pub(crate) struct Plan {
    items: Vec<Item>,
    order: Vec<usize>,
    late: Vec<bool>,
}

/// Finds the order and reports cycles.
pub(crate) fn plan(draft: &Draft, world: &World, report: &mut Report) -> Plan {
    let items = all_items(draft, world);
    let places = draft.places.len();
    let index = |item: Item| match item {
        Item::Definition(i) => i,
        Item::Place(i) => draft.definitions.len() + i,
        Item::Variable(i) => draft.definitions.len() + places + i,
        Item::Kinetic => items.len() - 2,
        Item::Potential => items.len() - 1,
    };
    let needs: Vec<Vec<usize>> = items
        .iter()
        .map(|item| {
            let mut needs: Vec<usize> = item_needs(*item, draft, world)
                .into_iter()
                .map(index)
                .collect();
            needs.sort_unstable();
            needs.dedup();
            needs
        })
        .collect();
    let found = order(&needs);
    for cycle in &found.cycles {
        let members: Vec<Item> = cycle.iter().map(|i| items[*i]).collect();
        report.push(cyclic(&members, draft, world));
    }
    let mut late: Vec<bool> = items
        .iter()
        .map(|item| speaks_of_results(*item, draft, world))
        .collect();
    for i in &found.order {
        late[*i] = late[*i]
            || (matches!(items[*i], Item::Definition(_)) && needs[*i].iter().any(|n| late[*n]));
    }
    Plan {
        items,
        order: found.order,
        late,
    }
}

/// Works out everything that does not speak of results of mechanics.
pub(crate) fn resolve(plan: &Plan, draft: &Draft, world: &mut World, report: &mut Report) {
    for i in &plan.order {
        match (plan.items[*i], plan.late[*i]) {
            (Item::Definition(d), true) => world.definitions[d] = Slot::Late,
            (item, _) => work_out(item, draft, world, report),
        }
    }
}

/// Works out the rest, once the constraints are known.
pub(crate) fn resolve_late(plan: &Plan, draft: &Draft, world: &mut World, report: &mut Report) {
    for i in plan.order.iter().filter(|i| plan.late[**i]) {
        if let Item::Definition(_) = plan.items[*i] {
            work_out(plan.items[*i], draft, world, report);
        }
    }
}

fn all_items(draft: &Draft, world: &World) -> Vec<Item> {
    let definitions = (0..draft.definitions.len()).map(Item::Definition);
    let places = (0..draft.places.len()).map(Item::Place);
    let variables = (0..world.variables.len()).map(Item::Variable);
    definitions
        .chain(places)
        .chain(variables)
        .chain([Item::Kinetic, Item::Potential])
        .collect()
}

/// The formulas of an item, each with the number of nodes at its start that do not count.
fn formulas<'d>(item: Item, draft: &'d Draft) -> Vec<(&'d Written, usize)> {
    let whole =
        |formula: &'d Option<Formula>| formula.as_ref().and_then(Formula::written).map(|w| (w, 0));
    let masses = || draft.particles.iter().filter_map(|p| whole(&p.mass));
    match item {
        Item::Definition(i) => whole(&draft.definitions[i].formula).into_iter().collect(),
        Item::Place(i) => whole(&draft.places[i].formula).into_iter().collect(),
        Item::Variable(i) => {
            let equations = draft.motion.definitions.as_deref().unwrap_or_default();
            let written = equations.get(i).and_then(Option::as_ref);
            written
                .map(|w| (w, w.sentence.lhs.index() + 1))
                .into_iter()
                .collect()
        }
        Item::Kinetic => whole(&draft.kinetic).into_iter().chain(masses()).collect(),
        Item::Potential => {
            let own = [whole(&draft.potential), whole(&draft.gravity)];
            own.into_iter().flatten().chain(masses()).collect()
        }
    }
}

fn item_needs(item: Item, draft: &Draft, world: &World) -> Vec<Item> {
    let mut needs = Vec::new();
    if matches!(item, Item::Kinetic | Item::Potential) {
        needs.extend(
            draft
                .particles
                .iter()
                .map(|particle| Item::Place(particle.place)),
        );
    }
    for (written, skipped) in formulas(item, draft) {
        for node in &written.sentence.ast.nodes[skipped..] {
            let AstKind::Name(name) = &node.kind else {
                continue;
            };
            match (name.as_str(), world.names.get(name)) {
                ("T", _) => needs.push(Item::Kinetic),
                ("V", _) => needs.push(Item::Potential),
                (_, Some(Named::Definition(i))) => needs.push(Item::Definition(i)),
                (_, Some(Named::Place(i))) => needs.push(Item::Place(i)),
                (_, Some(Named::Variable(i))) if world.variables[i].definition.is_some() => {
                    needs.push(Item::Variable(i));
                }
                _ => {}
            }
        }
    }
    needs
}

/// Whether a definition itself names a result of mechanics.
fn speaks_of_results(item: Item, draft: &Draft, world: &World) -> bool {
    let Item::Definition(_) = item else {
        return false;
    };
    let mut nodes = formulas(item, draft)
        .into_iter()
        .flat_map(|(w, _)| &w.sentence.ast.nodes);
    nodes.any(|node| world.names_result(&node.kind))
}

fn cyclic(members: &[Item], draft: &Draft, world: &World) -> Diagnostic {
    let about = |item: &Item| -> (String, Span) {
        match *item {
            Item::Definition(i) => (draft.definitions[i].name.clone(), draft.definitions[i].span),
            Item::Place(i) => (draft.places[i].name.clone(), draft.places[i].span),
            Item::Variable(i) => {
                let name = world
                    .graph
                    .ex(world.variables[i].symbol)
                    .symbol_name()
                    .unwrap_or_default();
                let place = formulas(*item, draft)
                    .first()
                    .map(|(w, _)| w.text.contents());
                (name, place.unwrap_or_default())
            }
            Item::Kinetic => ("T".into(), draft.energy_span),
            Item::Potential => ("V".into(), draft.energy_span),
        }
    };
    const SHOWN: usize = 6;
    let (first, place) = about(&members[0]);
    let mut chain: Vec<String> = members
        .iter()
        .take(SHOWN)
        .map(|m| format!("`{}`", about(m).0))
        .collect();
    if members.len() > SHOWN {
        chain.push("...".into());
    }
    chain.push(format!("`{first}`"));
    let message = format!("`{first}` is defined by itself");
    let mut diagnostic = Diagnostic::new(
        Code::Cycle,
        message,
        place,
        "write one of them without the others",
    );
    for member in members.iter().skip(1).take(SHOWN) {
        diagnostic = diagnostic.also(about(member).1, "part of the cycle");
    }
    diagnostic.note(format!("the cycle: {}", chain.join(" needs ")))
}

fn work_out(item: Item, draft: &Draft, world: &mut World, report: &mut Report) {
    match item {
        Item::Definition(i) => {
            if let Some(formula) = &draft.definitions[i].formula {
                world.definitions[i] = world.slot(formula, &settings::ANYTHING, report);
            }
        }
        Item::Place(i) => {
            if let Some(formula) = &draft.places[i].formula {
                place(i, formula, world, report);
            }
        }
        Item::Variable(i) => {
            let equation = draft
                .motion
                .definitions
                .as_ref()
                .and_then(|all| all[i].as_ref());
            if let Some(sides) =
                equation.and_then(|e| world.right_sides(e, &settings::VARIABLE, report))
            {
                world.variables[i].definition = Some(Slot::Known(sides.map(Value::Scalar)));
            }
        }
        Item::Kinetic => world.kinetic = crate::energy::kinetic(draft, world, report),
        Item::Potential => world.potential = crate::energy::potential(draft, world, report),
    }
}

/// Position and velocity of a point or particle.
fn place(index: usize, formula: &Formula, world: &mut World, report: &mut Report) {
    let Some(plain) = world.vector(formula, &settings::POSITION, report) else {
        return;
    };
    let name = world.places[index].name.clone();
    let (position, velocity) = if world.places[index].particle.is_some() {
        let [position, velocity, acceleration] =
            ["pos", "v", "a"].map(|f| world.stand_ins(f, &name));
        let pairs = |from: Vector, to: Vector| from.into_iter().zip(to);
        world
            .rates
            .extend(pairs(position, velocity).chain(pairs(velocity, acceleration)));
        (position, Ok(velocity))
    } else {
        let inspected = match world.slot(formula, &settings::POSITION, &mut Report::default()) {
            Slot::Known([_, Value::Vector(a)]) => a,
            _ => plain,
        };
        (inspected, rates(world, inspected))
    };
    let (Ok(plain_velocity), Ok(velocity)) = (rates(world, plain), velocity) else {
        world.exhausted.set(true);
        let message = format!("the velocity of `{name}` takes more than can be read");
        report.say(
            Code::TooLarge,
            message,
            formula.span(),
            "simplify this position",
        );
        return;
    };
    let vectors = |plain, inspected| Slot::Known([Value::Vector(plain), Value::Vector(inspected)]);
    world.places[index].position = vectors(plain, position);
    world.places[index].velocity = vectors(plain_velocity, velocity);
}

fn rates(world: &World, vector: Vector) -> Result<Vector, NoRate> {
    match algebra::try_map(Value::Vector(vector), |x: Id| world.rate(x))? {
        Value::Vector(rates) => Ok(rates),
        Value::Scalar(_) => Err(NoRate::TooLarge),
    }
}
