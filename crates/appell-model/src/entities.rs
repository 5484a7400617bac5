//! Definitions, frames, points, particles, bodies, motion variables and energies, worked out in an order in
//! which each comes after what it needs.

use crate::algebra;
use crate::bodies;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::draft::Draft;
use crate::draft::{Axis, Turn};
use crate::formula::{Formula, Written};
use crate::frames;
use crate::model::{MaterialPoint, Value, Vector};
use crate::names::Named;
use crate::order::order;
use crate::settings;
use crate::world::{NoRate, Slot, World};
use appell_expr::{AstKind, Id, Span, vanishes};

/// Something defined by formulas.
#[derive(Debug, Clone, Copy)]
enum Item {
    Definition(usize),
    Frame(usize),
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

impl Plan {
    /// The definitions that do not wait for the constraints, each after those that it needs.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = usize> {
        let early = self.order.iter().filter(|i| !self.late[**i]);
        early.filter_map(|i| match self.items[*i] {
            Item::Definition(index) => Some(index),
            _ => None,
        })
    }
}

/// Finds the order and reports cycles.
pub(crate) fn plan(draft: &Draft, world: &World, report: &mut Report) -> Plan {
    let items = all_items(draft, world);
    let (definitions, frames) = (draft.definitions.len(), draft.frames.len());
    let places = draft.places.len();
    let index = |item: Item| match item {
        Item::Definition(i) => i,
        Item::Frame(i) => definitions + i,
        Item::Place(i) => definitions + frames + i,
        Item::Variable(i) => definitions + frames + places + i,
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
        // A coordinate called `T` or `V` is refused for that.
        let is_misread = matches!(members[..], [Item::Kinetic | Item::Potential]);
        if !(is_misread && report.errors() > 0) {
            report.push(cyclic(&members, draft, world));
        }
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
    let frames = (0..draft.frames.len()).map(Item::Frame);
    let places = (0..draft.places.len()).map(Item::Place);
    let variables = (0..world.variables.len()).map(Item::Variable);
    definitions
        .chain(frames)
        .chain(places)
        .chain(variables)
        .chain([Item::Kinetic, Item::Potential])
        .collect()
}

/// The formulas of an item, each with the number of nodes at its start that do not count.
fn formulas<'d>(item: Item, draft: &'d Draft) -> Vec<(&'d Written, usize)> {
    let whole =
        |formula: &'d Option<Formula>| formula.as_ref().and_then(Formula::written).map(|w| (w, 0));
    let masses = || {
        let of_particles = draft.particles.iter().map(|p| &p.mass);
        let all = of_particles.chain(draft.bodies.iter().map(|b| &b.mass));
        all.filter_map(whole)
    };
    let inertias = || {
        let all = draft.bodies.iter().flat_map(|b| b.inertia_entries());
        all.filter_map(whole)
    };
    match item {
        Item::Definition(i) => whole(&draft.definitions[i].formula).into_iter().collect(),
        Item::Frame(i) => {
            let formulas: Vec<&Formula> = match &draft.frames[i].turn {
                Some(Turn::Angle(angle, Axis::Components(axis))) => vec![angle, axis],
                Some(Turn::Angle(angle, _)) => vec![angle],
                Some(Turn::Quaternion(parts)) => parts.iter().collect(),
                None => Vec::new(),
            };
            let written = formulas.into_iter().filter_map(Formula::written);
            written.map(|w| (w, 0)).collect()
        }
        Item::Place(i) => whole(&draft.places[i].formula).into_iter().collect(),
        Item::Variable(i) => {
            let equations = draft.motion.definitions.as_deref().unwrap_or_default();
            let written = equations.get(i).and_then(Option::as_ref);
            written
                .map(|w| (w, w.sentence.lhs.index() + 1))
                .into_iter()
                .collect()
        }
        Item::Kinetic => whole(&draft.kinetic)
            .into_iter()
            .chain(masses())
            .chain(inertias())
            .collect(),
        Item::Potential => {
            let both = [whole(&draft.potential), whole(&draft.gravity)];
            both.into_iter().flatten().chain(masses()).collect()
        }
    }
}

fn item_needs(item: Item, draft: &Draft, world: &World) -> Vec<Item> {
    let mut needs = Vec::new();
    match item {
        Item::Kinetic | Item::Potential => {
            let particles = draft.particles.iter().map(|particle| particle.place);
            needs.extend(particles.map(Item::Place));
            needs.extend((0..world.bodies.len()).flat_map(|body| of_body(body, world)));
        }
        Item::Frame(i) => needs.extend(frames::parent(&draft.frames[i], world).map(Item::Frame)),
        _ => {}
    }
    for (written, skipped) in formulas(item, draft) {
        for node in &written.sentence.ast.nodes[skipped..] {
            let (AstKind::Name(name) | AstKind::Axis { frame: name, .. }) = &node.kind else {
                continue;
            };
            match (name.as_str(), world.names.get(name)) {
                ("T", _) => needs.push(Item::Kinetic),
                ("V", _) => needs.push(Item::Potential),
                (_, Some(Named::Definition(i))) => needs.push(Item::Definition(i)),
                (_, Some(Named::Place(i))) => needs.push(Item::Place(i)),
                (_, Some(Named::Frame(i))) => needs.push(Item::Frame(i)),
                (_, Some(Named::Body(i))) => needs.extend(of_body(i, world)),
                (_, Some(Named::Variable(i))) if world.variables[i].definition.is_some() => {
                    needs.push(Item::Variable(i));
                }
                _ => {}
            }
        }
    }
    needs
}

/// The centre and the frame of a body.
fn of_body(body: usize, world: &World) -> impl Iterator<Item = Item> {
    let body = &world.bodies[body];
    let frame = body.frame.flatten().map(Item::Frame);
    [Item::Place(body.place)].into_iter().chain(frame)
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
            Item::Frame(i) => (draft.frames[i].name.clone(), draft.frames[i].span),
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
        Item::Frame(i) => {
            // What is wrong is reported there.
            let _known = frames::resolve(i, &draft.frames[i], world, report);
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

/// Position and velocity of a point, a particle or a mass centre.
fn place(index: usize, formula: &Formula, world: &mut World, report: &mut Report) {
    let Some(position) = world.vector(formula, &settings::POSITION, report) else {
        return;
    };
    let name = world.places[index].name.clone();
    let Ok(velocity) = rates(world, position) else {
        return too_large(&name, formula, world, report);
    };
    let plain = [position, velocity];
    let inspected = if world.places[index].carrier.is_some() {
        Some(masked(&name, plain, world))
    } else {
        let inspected = match world.slot(formula, &settings::POSITION, &mut Report::default()) {
            Slot::Known([_, Value::Vector(a)]) => a,
            _ => position,
        };
        match rates(world, inspected) {
            Ok(velocity) => Some(of_point(&name, plain, [inspected, velocity], world)),
            Err(_) => None,
        }
    };
    let Some(inspected) = inspected else {
        return too_large(&name, formula, world, report);
    };
    let vectors = |i: usize| Slot::Known([Value::Vector(plain[i]), Value::Vector(inspected[i])]);
    world.places[index].position = vectors(0);
    world.places[index].velocity = vectors(1);
}

fn too_large(name: &str, formula: &Formula, world: &World, report: &mut Report) {
    world.exhausted.set(true);
    let message = format!("the velocity of `{name}` takes more than can be read");
    let label = "simplify this position";
    report.say(Code::TooLarge, message, formula.span(), label);
}

/// Stand-ins for position and velocity of this name, which are `plain`.
fn masked(name: &str, plain: [Vector; 2], world: &mut World) -> [Vector; 2] {
    let [position, velocity, acceleration] = ["pos", "v", "a"].map(|f| world.stand_ins(f, name));
    let pairs = |from: Vector, to: Vector| from.into_iter().zip(to);
    let rates = pairs(position, velocity).chain(pairs(velocity, acceleration));
    world.rates.extend(rates);
    let unmasked = pairs(position, plain[0]).chain(pairs(velocity, plain[1]));
    world.unmasked.extend(unmasked);
    [position, velocity]
}

/// A point as constraints are inspected: one that is fixed in a body is a point of its own,
/// another is what its position says.
fn of_point(
    name: &str,
    plain: [Vector; 2],
    inspected: [Vector; 2],
    world: &mut World,
) -> [Vector; 2] {
    let fixed = (0..world.bodies.len()).find(|body| is_fixed_in(*body, inspected, world));
    let Some(carrier) = fixed.and_then(|body| world.places[world.bodies[body].place].carrier)
    else {
        return inspected;
    };
    let point = MaterialPoint {
        name: Some(name.to_owned()),
        body: carrier,
        position: plain[0],
        velocity: plain[1],
        position_symbols: world.stand_ins("pos", name),
        velocity_symbols: world.stand_ins("v", name),
        acceleration_symbols: world.stand_ins("a", name),
    };
    world.material_points.borrow_mut().push(point);
    masked(name, plain, world)
}

/// Whether `v = v_C + omega x (r - r_C)` with the stand-ins of a body; its `omega` is that of its
/// frame, which another body may have given its name.
fn is_fixed_in(body: usize, [position, velocity]: [Vector; 2], world: &World) -> bool {
    let (graph, name) = (world.graph, &world.bodies[body].name);
    let [centre, of_centre] = ["pos", "v"].map(|f| world.stand_ins(f, name));
    if !(0..3).all(|i| graph.ex(position[i]).depends_on(graph.ex(centre[i]))) {
        return false;
    }
    let Some(omega) = bodies::inspected_omega(body, world) else {
        return false;
    };
    let arm = algebra::subtract(graph, position, centre);
    let rigid = algebra::add(graph, of_centre, algebra::cross(graph, omega, arm));
    let gap = algebra::subtract(graph, velocity, rigid);
    gap.into_iter().all(|x| vanishes(graph.ex(x)))
}

fn rates(world: &World, vector: Vector) -> Result<Vector, NoRate> {
    match algebra::try_map(Value::Vector(vector), |x: Id| world.rate(x))? {
        Value::Vector(rates) => Ok(rates),
        Value::Scalar(_) => Err(NoRate::TooLarge),
    }
}
