//! `[bodies]`: rigid bodies.

use crate::algebra;
use crate::codes::{Code, Severity};
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Entry, Kind, Node, Table};
use crate::draft::{BodyDraft, Defined, Draft, InertiaDraft};
use crate::entries::entries;
use crate::formula::{Formula, formula};
use crate::frames::{self, named_frame};
use crate::keys;
use crate::model::{Body, MaterialPoint, Model, Rotation, Value, Vector};
use crate::names::Named;
use crate::numeric::evaluate;
use crate::settings;
use crate::text::Text;
use crate::world::{Mode, Slot, World};
use appell_expr::{Graph, Id, Rational};
use std::collections::HashMap;

/// The entries of `[bodies]`.
pub(crate) fn collect(model: &Table, draft: &mut Draft, world: &mut World, report: &mut Report) {
    for entry in entries(model, "bodies", report) {
        let (body, place) = (draft.bodies.len(), draft.places.len());
        world
            .names
            .declare(&entry.key, entry.key_span, Named::Body(body), report);
        let owner = format!("body {}", entry.key);
        let table = entry.value.table(&owner, keys::BODY, report);
        let frame = table
            .and_then(|t| t.required("frame", &owner, entry.key_span, report))
            .and_then(|node| node.text("frame", report))
            .and_then(|text| named_frame(text, world, report));
        world.add_body(entry, place, frame, draft.particles.len() + body);
        let optional = |key: &str, report: &mut Report| {
            let node = &table?.get(key)?.value;
            formula(node, key, report)
        };
        let position = match table.and_then(|t| t.get("position")) {
            Some(position) => formula(&position.value, "position", report),
            None => Some(Formula::Number(Rational::zero(), entry.key_span)),
        };
        draft.places.push(Defined {
            name: entry.key.clone(),
            span: entry.key_span,
            formula: position,
        });
        draft.bodies.push(BodyDraft {
            name: entry.key.clone(),
            span: entry.key_span,
            place,
            mass: optional("mass", report),
            inertia: table.and_then(|table| inertia(table, entry, report)),
            force: optional("force", report),
            torque: optional("torque", report),
        });
    }
}

/// `[Ixx, Iyy, Izz]`, a symmetric matrix, or `{ xx =, yy =, zz =, xy =, yz =, xz = }`.
fn inertia(table: &Table, body: &Entry, report: &mut Report) -> Option<InertiaDraft> {
    let owner = format!("body {}", body.key);
    let Some(entry) = table.get("inertia") else {
        let message = format!("{owner} has no `inertia`");
        let label = "add `inertia = [Ixx, Iyy, Izz]`, or make it one of [particles]";
        return report.reject(Code::MissingKey, message, body.key_span, label);
    };
    let entries = match &entry.value.kind {
        Kind::List(nodes) => listed_inertia(nodes, &entry.value, report)?,
        Kind::Table(_) => named_inertia(&entry.value, &owner, report)?,
        _ => {
            let wanted = "three principal moments, or a table of matrix entries";
            return report.refuse(entry.value.wrong_type("inertia", wanted));
        }
    };
    Some(InertiaDraft {
        span: entry.value.span,
        entries,
    })
}

fn listed_inertia(
    nodes: &[Node],
    whole: &Node,
    report: &mut Report,
) -> Option<[[Option<Formula>; 3]; 3]> {
    let mut entries: [[Option<Formula>; 3]; 3] = Default::default();
    if nodes.len() != 3 {
        let message = format!("an inertia with {} entries in its list", nodes.len());
        let label = "write `[Ixx, Iyy, Izz]`, or `{ xx = .., xy = .. }`";
        return report.reject(Code::Inertia, message, whole.span, label);
    }
    for (i, node) in nodes.iter().enumerate() {
        if !matches!(node.kind, Kind::List(_)) {
            entries[i][i] = Some(formula(node, "an element of inertia", report)?);
            continue;
        }
        let row = node.list("a row of inertia", report)?;
        if row.len() != 3 {
            let message = format!("a row of an inertia matrix with {} entries", row.len());
            let label = "write three rows of three";
            return report.reject(Code::Inertia, message, node.span, label);
        }
        for (j, node) in row.iter().enumerate() {
            entries[i][j] = Some(formula(node, "an element of inertia", report)?);
        }
    }
    Some(entries)
}

fn named_inertia(
    node: &Node,
    owner: &str,
    report: &mut Report,
) -> Option<[[Option<Formula>; 3]; 3]> {
    let table = node.table(&format!("the inertia of {owner}"), keys::INERTIA, report)?;
    let mut entries: [[Option<Formula>; 3]; 3] = Default::default();
    for (key, i, j) in [
        ("xx", 0, 0),
        ("yy", 1, 1),
        ("zz", 2, 2),
        ("xy", 0, 1),
        ("yz", 1, 2),
        ("xz", 0, 2),
    ] {
        let Some(entry) = table.get(key) else {
            if i == j {
                table.required(key, "the inertia", node.span, report)?;
            }
            continue;
        };
        let value = formula(&entry.value, key, report)?;
        entries[j][i] = Some(value.clone());
        entries[i][j] = Some(value);
    }
    Some(entries)
}

/// The mass of a body: 0 where none is given.
pub(crate) fn mass(draft: &BodyDraft, world: &World, report: &mut Report) -> Option<Id> {
    match &draft.mass {
        Some(formula) => world.scalar(formula, &settings::MASS, report),
        None => Some(world.graph.zero().id()),
    }
}

/// The inertia matrix, which must be symmetric.
pub(crate) fn inertia_matrix(
    draft: &BodyDraft,
    world: &World,
    report: &mut Report,
) -> Option<[Vector; 3]> {
    let inertia = draft.inertia.as_ref()?;
    let mut matrix = [algebra::null(world.graph); 3];
    for (i, row) in inertia.entries.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            if let Some(entry) = entry {
                matrix[i][j] = world.scalar(entry, &settings::INERTIA, report)?;
            }
        }
    }
    let symmetric = |i: usize, j: usize| {
        appell_expr::vanishes(world.graph.ex(matrix[i][j]) - world.graph.ex(matrix[j][i]))
    };
    if !(symmetric(0, 1) && symmetric(1, 2) && symmetric(0, 2)) {
        let message = format!("the inertia of `{}` is not symmetric", draft.name);
        let label = "write each product of inertia once: `{ xx = .., xy = .. }`";
        return report.reject(Code::Inertia, message, inertia.span, label);
    }
    Some(matrix)
}

/// `omega` of a body: in components in N, and in its own frame.
pub(crate) fn spin(body: usize, world: &World) -> Option<crate::attitude::Attitude> {
    match world.bodies[body].frame? {
        None => Some(crate::attitude::Attitude::inertial(world.graph)),
        Some(frame) => world.frames[frame].attitude[Mode::Plain as usize],
    }
}

/// `omega` of a body's frame as constraints are inspected; none until the frame is known.
pub(crate) fn inspected_omega(body: usize, world: &World) -> Option<Vector> {
    match world.bodies[body].frame? {
        None => Some(algebra::null(world.graph)),
        Some(frame) => Some(world.frames[frame].attitude[Mode::Inspected as usize]?.omega),
    }
}

/// Gives each body that is not the first of its frame an `omega` of its own for inspection.
pub(crate) fn stand_ins(world: &mut World) {
    for body in 0..world.bodies.len() {
        let carried = world.bodies[body].frame.flatten();
        if carried.is_some_and(|frame| world.frames[frame].carries == Some(body)) {
            continue;
        }
        let name = world.bodies[body].name.clone();
        let [omega, alpha] = ["omega", "alpha"].map(|f| world.stand_ins(f, &name));
        world.rates.extend(omega.into_iter().zip(alpha));
        if let Some(attitude) = spin(body, world) {
            world.unmasked.extend(omega.into_iter().zip(attitude.omega));
        }
    }
}

/// `[bodies]` with values.
pub(crate) fn bodies(draft: &Draft, world: &World, report: &mut Report) -> Option<Vec<Body>> {
    let bodies: Vec<Body> = draft
        .bodies
        .iter()
        .enumerate()
        .filter_map(|(index, body)| self::body(index, body, world, report))
        .collect();
    (bodies.len() == draft.bodies.len()).then_some(bodies)
}

fn body(index: usize, draft: &BodyDraft, world: &World, report: &mut Report) -> Option<Body> {
    let mass = mass(draft, world, report);
    let inertia = inertia_matrix(draft, world, report);
    let vector = |formula: &Option<Formula>, setting, report: &mut Report| match formula {
        Some(formula) => world.vector(formula, setting, report).map(Some),
        None => Some(None),
    };
    let force = vector(&draft.force, &settings::FORCE, report);
    let torque = vector(&draft.torque, &settings::TORQUE, report);
    let attitude = spin(index, world)?;
    let stand_ins = |function| world.stand_ins(function, &draft.name);
    let carried = world.bodies[index].frame.flatten();
    let first = carried.filter(|frame| world.frames[*frame].carries == Some(index));
    let axis_symbols = first.map(|frame| {
        let frame = &world.frames[frame].name;
        ["x", "y", "z"].map(|axis| world.components(&format!("{frame}.{axis}")))
    });
    let place = &world.places[draft.place];
    let inertia = inertia?;
    let (resal, turning) = crate::frames::resal(world, carried, inertia)?;
    Some(Body {
        name: draft.name.clone(),
        span: draft.span,
        mass: mass?,
        position: known(place.position)?,
        velocity: known(place.velocity)?,
        force: force?,
        rotation: Some(Rotation {
            axes: attitude.axes,
            omega: attitude.omega,
            spin: attitude.spin,
            resal,
            turning,
            inertia,
            inertia_span: draft.inertia.as_ref()?.span,
            torque: torque?,
            omega_symbols: stand_ins("omega"),
            alpha_symbols: stand_ins("alpha"),
            axis_symbols,
        }),
    })
}

/// The plain value of a vector.
pub(crate) fn known(slot: Slot) -> Option<Vector> {
    match slot {
        Slot::Known([Value::Vector(a), _]) => Some(a),
        _ => None,
    }
}

/// The points constraints take hold of: the centres of `bodies`, then those met while reading.
pub(crate) fn material_points(bodies: &[Body], world: &World) -> Vec<MaterialPoint> {
    let centres = bodies
        .iter()
        .enumerate()
        .map(|(index, body)| MaterialPoint {
            name: Some(body.name.clone()),
            body: index,
            position: body.position,
            velocity: body.velocity,
            position_symbols: world.stand_ins("pos", &body.name),
            velocity_symbols: world.stand_ins("v", &body.name),
            acceleration_symbols: world.stand_ins("a", &body.name),
        });
    centres
        .chain(world.material_points.borrow_mut().drain(..))
        .collect()
}

/// The index among all bodies of the particle or body of this name, or an error.
pub(crate) fn carrier(text: &Text, world: &World, report: &mut Report) -> Option<usize> {
    let name = text.value.as_str();
    match (world.carrier(name), world.names.get(name)) {
        (Some(index), _) => Some(index),
        (None, Some(named)) => {
            let message = format!("`{name}` is {}, not a body", named.kind());
            let label = "forces act on particles and bodies";
            report.reject(Code::Arguments, message, text.contents(), label)
        }
        (None, None) => {
            world.names.unknown_point(name, text.contents(), report);
            None
        }
    }
}

/// `1/2 spin . I spin`
pub(crate) fn rotational_energy(graph: &Graph, spin: Vector, inertia: [Vector; 3]) -> Id {
    let momentum = inertia.map(|row| algebra::dot(graph, row, spin).id());
    (algebra::dot(graph, spin, momentum) / 2).id()
}

/// Errors about inertias that no body has and axes that are null vectors, for these values of the parameters, in the
/// order of [`Model::parameters`]. A file is checked with its own values while it is read; this is for others.
pub fn impossible_values(model: &Model, values: &[f64]) -> Vec<Diagnostic> {
    let symbols = model.parameters.iter().map(|parameter| parameter.symbol);
    let mut all = faults(model, &symbols.zip(values.iter().copied()).collect());
    all.retain(|fault| fault.severity == Severity::Error);
    all
}

/// The same for parameters of these values by symbol, and warnings about masses and inertias that no body has though
/// the model can be used.
pub(crate) fn faults(model: &Model, values: &HashMap<Id, f64>) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for body in &model.bodies {
        let mass = evaluate(&model.graph, body.mass, values);
        if mass < 0.0 {
            let message = format!(
                "the mass of `{}` is {mass}: no body has such a mass",
                body.name
            );
            let label = "a hole may be written so; else correct the sign";
            faults.push(Diagnostic::new(Code::Impossible, message, body.span, label));
        }
        let Some(rotation) = &body.rotation else {
            continue;
        };
        let entry = |i: usize, j: usize| evaluate(&model.graph, rotation.inertia[i][j], values);
        let matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
        let turns = rotation.spin.map(|x| !model.graph.ex(x).is_zero());
        let said = match fault(matrix, turns) {
            Some(why) => Some((
                Code::Inertia,
                why,
                "matrix entries about the mass centre in the body's frame: Ixy = -(integral of x y dm)",
            )),
            None => oddity(matrix).map(|why| {
                let label = "nothing depends on it as the body turns here; moments that do not matter may be 0";
                (Code::Impossible, why, label)
            }),
        };
        if let Some((code, why, label)) = said {
            let message = format!("the inertia of `{}` {why}", body.name);
            faults.push(Diagnostic::new(code, message, rotation.inertia_span, label));
        }
    }
    faults.extend(frames::without_axis(model, values));
    faults
}

/// Rounding of given moments, relative to their sum.
const ROUNDING: f64 = 1e-9;

/// What is wrong with an inertia matrix; entries along axes about which the body never turns do not
/// matter.
fn fault(matrix: [[f64; 3]; 3], turns: [bool; 3]) -> Option<String> {
    let trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
    if !matrix.iter().flatten().all(|x| x.is_finite()) {
        return Some("is not finite".to_owned());
    }
    let scale = matrix
        .iter()
        .flatten()
        .fold(0.0, |s: f64, x| s.max(x.abs()));
    let allowed = ROUNDING * scale;
    let turning: Vec<usize> = (0..3).filter(|i| turns[*i]).collect();
    let block = |i: usize, j: usize| matrix[turning[i]][turning[j]];
    if smallest_eigenvalue(turning.len(), block) < -allowed {
        return Some("is not positive: energy would become negative".to_owned());
    }
    let complement = |i: usize, j: usize| if i == j { trace / 2.0 } else { 0.0 } - matrix[i][j];
    if turning.len() == 3 && smallest_eigenvalue(3, complement) < -allowed {
        return Some(violated(&eigenvalues(3, |i, j| matrix[i][j])));
    }
    None
}

/// What is odd about an inertia matrix of which some entries do not matter, but all three principal moments are given.
fn oddity(matrix: [[f64; 3]; 3]) -> Option<String> {
    let moments = eigenvalues(3, |i, j| matrix[i][j]);
    let sum: f64 = moments.iter().sum();
    let largest = moments.iter().copied().fold(0.0, f64::max);
    let allowed = ROUNDING * moments.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    if moments.iter().any(|x| *x < -allowed) {
        return Some(format!(
            "has principal moments {}: one is negative",
            listed(&moments)
        ));
    }
    let given = moments.iter().all(|x| *x > allowed);
    (given && 2.0 * largest - sum > allowed).then(|| violated(&moments))
}

fn violated(moments: &[f64]) -> String {
    format!(
        "violates the triangle inequality: no moment exceeds the sum of the others, and here they are {}",
        listed(moments)
    )
}

/// Numbers in ascending order, without the digits that are rounding.
fn listed(moments: &[f64]) -> String {
    let mut moments = moments.to_vec();
    moments.sort_unstable_by(f64::total_cmp);
    let largest = moments.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    let unit = 10f64.powf(9.0 - largest.log10().floor());
    let rounded = |x: &f64| format!("{}", (x * unit).round() / unit + 0.0);
    moments.iter().map(rounded).collect::<Vec<_>>().join(", ")
}

/// The smallest eigenvalue of a symmetric matrix.
fn smallest_eigenvalue(n: usize, entry: impl Fn(usize, usize) -> f64) -> f64 {
    eigenvalues(n, entry)
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

/// The eigenvalues of a symmetric matrix, by Jacobi's rotations.
fn eigenvalues(n: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut a: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| entry(i, j)).collect())
        .collect();
    const SWEEPS: usize = 30;
    for _ in 0..SWEEPS {
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, p, q);
            }
        }
    }
    (0..n).map(|i| a[i][i]).collect()
}

/// Makes the entry `p, q` vanish.
fn rotate(a: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
    let (s, c) = angle.sin_cos();
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    let (first, second) = (a[p].clone(), a[q].clone());
    let turned = |c: f64, s: f64| {
        let pairs = first.iter().zip(&second);
        pairs.map(|(x, y)| c * x + s * y).collect()
    };
    (a[p], a[q]) = (turned(c, -s), turned(s, c));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inertias_of_bodies_are_told_from_others() {
        let all = [true; 3];
        let diagonal = |a, b, c| [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
        assert_eq!(fault(diagonal(1.0, 1.0, 2.0), all), None);
        assert!(fault(diagonal(1.0, 1.0, 2.1), all).is_some_and(|why| why.contains("triangle")));
        assert!(fault(diagonal(1.0, 1.0, -0.1), all).is_some_and(|why| why.contains("positive")));
        let flat = [false, false, true];
        assert_eq!(fault(diagonal(0.0, 0.0, 2.0), flat), None);
        // Eigenvalues 1 - 2 and 1 + 2 about z.
        let skew = [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(fault(skew, all).is_some_and(|why| why.contains("positive")));
    }

    #[test]
    fn the_smallest_eigenvalue_of_a_matrix_with_known_ones() {
        // [[2, 1, 0], [1, 2, 1], [0, 1, 2]] has 2 - sqrt 2, 2, 2 + sqrt 2.
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => 1.0,
            _ => 0.0,
        };
        assert!((smallest_eigenvalue(3, entry) - (2.0 - 2.0_f64.sqrt())).abs() < 1e-15);
    }
}
