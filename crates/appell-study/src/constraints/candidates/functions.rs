//! The functions of place and time that a model is made of.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, Function, Graph, Id, Node, Rational};
use std::collections::{HashMap, HashSet};

/// A function of coordinates and time that occurs in the model.
#[derive(Debug, Clone)]
pub(crate) struct Atom<'g> {
    /// Itself.
    pub value: Ex<'g>,
    /// Of which coordinates.
    pub of: Vec<usize>,
    /// Whether its square is a polynomial in the others, as `sin^2` is.
    pub once: bool,
}

/// What an expression depends on.
#[derive(Debug, Clone, Default)]
struct DependsOn {
    coordinates: HashSet<usize>,
    velocities: bool,
    time: bool,
}

/// Coordinates where they do not only stand in sines and cosines, the time where it occurs, the
/// functions of them that occur, their companions (`cos` with `sin`), and powers that are not whole.
pub(crate) fn atoms<'g>(p: &Prepared<'g>) -> Vec<Atom<'g>> {
    let roots = roots(p);
    let graph = p.system.graph;
    let of = dependences(p, &roots);
    let (found, turning) = functions_of_place(graph, &roots, &of);
    let algebraic = algebraic(p, &roots);
    let coordinates = p.system.q.iter().enumerate();
    let coordinates =
        coordinates.filter(|(i, q)| algebraic.contains(&q.id()) || !turning.contains(i));
    let mut atoms: Vec<Atom<'g>> = coordinates
        .map(|(i, q)| Atom {
            value: *q,
            of: vec![i],
            once: false,
        })
        .collect();
    if of.values().any(|of| of.time) {
        let value = p.system.t;
        let (of, once) = (Vec::new(), false);
        atoms.push(Atom { value, of, once });
    }
    for (value, once, of) in found {
        if atoms.iter().all(|atom| atom.value != value) {
            let mut of: Vec<usize> = of.coordinates.iter().copied().collect();
            of.sort_unstable();
            atoms.push(Atom { value, of, once });
        }
    }
    atoms
}

/// The functions and powers of coordinates and time, whether each is taken once only, and the coordinates that
/// stand in sines, cosines and tangents.
fn functions_of_place<'g, 'd>(
    graph: &'g Graph,
    roots: &[Ex<'g>],
    of: &'d HashMap<Id, DependsOn>,
) -> (Vec<(Ex<'g>, bool, &'d DependsOn)>, HashSet<usize>) {
    let only_place = |x: Id| {
        let of = of.get(&x).filter(|of| !of.velocities)?;
        (of.time || !of.coordinates.is_empty()).then_some(of)
    };
    let mut found: Vec<(Ex<'g>, bool, &DependsOn)> = Vec::new();
    let mut turning: HashSet<usize> = HashSet::new();
    let ids: Vec<Id> = roots.iter().map(|x| x.id()).collect();
    for id in graph.reachable(&ids) {
        match graph.node(id) {
            Node::Call(function, arguments) => {
                let Some(of) = only_place(id) else { continue };
                let periodic = [Function::Sin, Function::Cos, Function::Tan].contains(&function);
                if periodic {
                    turning.extend(&of.coordinates);
                }
                let Some(argument) = arguments.first() else {
                    continue;
                };
                let companions = companions(function, graph.ex(*argument), graph.ex(id));
                found.extend(companions.into_iter().map(|(x, once)| (x, once, of)));
            }
            Node::Product(factors) => {
                for (base, exponent) in &factors {
                    let Some(of) = only_place(*base) else {
                        continue;
                    };
                    let powers = powers(graph.ex(*base), exponent);
                    found.extend(powers.into_iter().map(|x| (x, false, of)));
                }
            }
            Node::Power(..) => found.extend(only_place(id).map(|of| (graph.ex(id), false, of))),
            _ => {}
        }
    }
    (found, turning)
}

/// The parameters, and the functions of them that occur.
pub(crate) fn constants<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let graph = p.system.graph;
    let roots = roots(p);
    let of = dependences(p, &roots);
    let is_constant = |x: &Id| {
        of.get(x)
            .is_some_and(|of| !of.velocities && !of.time && of.coordinates.is_empty())
    };
    let ids: Vec<Id> = roots.iter().map(|x| x.id()).collect();
    // An input is no constant.
    let parameters = p.model.constants().map(|parameter| parameter.symbol);
    let driven = |id: Id| {
        let mut inputs = p.model.inputs();
        inputs.any(|input| graph.ex(id).depends_on(graph.ex(input.symbol)))
    };
    let calls = graph.reachable(&ids).into_iter().filter(|id| {
        let is_function = matches!(graph.node(*id), Node::Call(..) | Node::Power(..));
        is_constant(id) && is_function && !driven(*id)
    });
    parameters.chain(calls).map(|id| graph.ex(id)).collect()
}

/// What the equations of motion are made of.
fn roots<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let (system, graph) = (&p.system, p.system.graph);
    let rows = p.constraints.rows.iter();
    let rows = rows.flat_map(|row| row.position.or(row.phi).into_iter().chain([row.b]));
    let directions = p.constraints.w.entries().iter().copied();
    let psi = p.constraints.parametric.iter();
    let psi = psi.flat_map(|parametric| parametric.psi.entries().iter().copied());
    let bodies = p.model.bodies.iter().flat_map(|body| {
        let axes = body.rotation.iter().flat_map(|rotation| rotation.axes);
        [body.position].into_iter().chain(axes).flatten()
    });
    [system.lagrangian]
        .into_iter()
        .chain(system.force.entries().iter().copied())
        .chain(rows)
        .chain(directions)
        .chain(psi)
        .chain(bodies.map(|x| graph.ex(x)))
        .collect()
}

/// By id, for all that the roots are made of.
fn dependences(p: &Prepared<'_>, roots: &[Ex<'_>]) -> HashMap<Id, DependsOn> {
    let (system, graph) = (&p.system, p.system.graph);
    let ids: Vec<Id> = roots.iter().map(|x| x.id()).collect();
    let z = p.constraints.parametric.iter().flat_map(|of| &of.z);
    let fibre: HashSet<Id> = system
        .v
        .iter()
        .chain(&system.a)
        .chain(z)
        .map(|x| x.id())
        .collect();
    let place = |id: Id| system.q.iter().position(|q| q.id() == id);
    let mut all: HashMap<Id, DependsOn> = HashMap::new();
    for id in graph.reachable(&ids) {
        let mut of = DependsOn {
            coordinates: place(id).into_iter().collect(),
            velocities: fibre.contains(&id),
            time: id == system.t.id(),
        };
        graph.node(id).for_each_child(|child| {
            if let Some(part) = all.get(&child) {
                of.coordinates.extend(&part.coordinates);
                of.velocities |= part.velocities;
                of.time |= part.time;
            }
        });
        all.insert(id, of);
    }
    all
}

/// The symbols that occur outside of functions.
fn algebraic(p: &Prepared<'_>, roots: &[Ex<'_>]) -> HashSet<Id> {
    let graph = p.system.graph;
    let mut seen: HashSet<Id> = HashSet::new();
    let mut pending: Vec<Id> = roots.iter().map(|x| x.id()).collect();
    while let Some(id) = pending.pop() {
        let node = graph.node(id);
        if seen.insert(id) && !matches!(node, Node::Call(..)) {
            node.for_each_child(|child| pending.push(child));
        }
    }
    seen
}

/// A function with those that its derivatives are made of, and whether one of each is enough.
pub(crate) fn companions<'g>(f: Function, u: Ex<'g>, call: Ex<'g>) -> Vec<(Ex<'g>, bool)> {
    match f {
        Function::Sin | Function::Cos => vec![(u.cos(), false), (u.sin(), true)],
        Function::Tan => vec![(u.cos(), false), (u.sin(), true), (u.cos().recip(), false)],
        Function::Exp => vec![(call, false), (call.recip(), false)],
        Function::Sinh | Function::Cosh | Function::Tanh => {
            let [sinh, cosh] = [Function::Sinh, Function::Cosh].map(|f| u.call(f));
            vec![(cosh, false), (sinh, true)]
        }
        _ => vec![(call, false)],
    }
}

/// `1/x` and `x^(k/d)` with its inverse; none for `x^2`, which is a polynomial.
pub(crate) fn powers<'g>(base: Ex<'g>, exponent: &Rational) -> Vec<Ex<'g>> {
    if !exponent.is_integer() {
        let least = i64::try_from(exponent.denominator()).unwrap_or(1).max(1);
        let root = base.pow_rational(&Rational::new(1, least));
        return vec![root, root.recip()];
    }
    match exponent.is_negative() {
        true => vec![base.recip()],
        false => Vec::new(),
    }
}
