//! Integrals `f(q, t)` of holonomic combinations, within an ansatz.
//!
//! Candidates are coordinates, the time, functions that occur in the rows, their products by
//! pairs, and each term of a row times its coordinate, with the parameters that occur as factors.
//! The combinations with constant coefficients that are constant on every motion are a null space
//! in a prime field; each is proved by identity testing.

use crate::prepared::Prepared;
use appell_expr::{
    Ex, Finding, Fractions, Function, Matrix, Node, Rational, generic_rank, relations, vanish_on,
};
use appell_mech::{forms, is_affine, states_on};

/// More candidates are not tried.
const MAX_CANDIDATES: usize = 160;

/// A function that is constant on every motion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Integral {
    /// `f(q, t)`.
    pub function: String,
    /// The rows that it is a combination of.
    pub rows: Vec<String>,
    /// `f'` as a combination of the rows with constant coefficients, if it is one.
    pub combination: Option<String>,
}

impl Integral {
    /// The integral and where it comes from.
    pub fn words(&self) -> String {
        let Self {
            function,
            rows,
            combination,
        } = self;
        match combination {
            Some(combination) => format!("{function} = const, its rate is {combination}"),
            None => format!("{function} = const, from {}", rows.join(", ")),
        }
    }
}

/// Up to `wanted` independent integrals of the rows, none of them a function of `known`.
pub(super) fn integrals<'g>(
    p: &Prepared<'g>,
    rows: &[(&str, Ex<'g>)],
    known: &[Ex<'g>],
    wanted: usize,
) -> Vec<Integral> {
    let system = &p.system;
    let all: Vec<Ex<'g>> = rows.iter().map(|(_, row)| *row).collect();
    let on_rows = states_on(system, &p.constraints, &all, &[]);
    let candidates = candidates(p, &all);
    let rates: Vec<Ex<'g>> = candidates.iter().map(|f| system.drift(*f)).collect();
    let columns = Matrix::from_fn(system.graph, 1, rates.len(), |_, j| rates[j]);
    let mut found: Vec<Ex<'g>> = known.to_vec();
    let mut integrals = Vec::new();
    for constants in relations(&on_rows, &columns) {
        if integrals.len() == wanted {
            break;
        }
        let f = combined(system.graph.zero(), &constants, &candidates);
        if !is_new(p, &found, f) {
            continue;
        }
        if !matches!(vanish_on(&on_rows, &[system.drift(f)]), Finding::Holds(_)) {
            continue;
        }
        found.push(f);
        integrals.push(described(p, rows, f));
    }
    integrals
}

fn combined<'g>(zero: Ex<'g>, constants: &[Rational], terms: &[Ex<'g>]) -> Ex<'g> {
    let terms = constants.iter().zip(terms).filter(|(c, _)| !c.is_zero());
    let terms: Vec<Ex<'g>> = terms.map(|(c, f)| f.scale(c)).collect();
    zero.graph().sum(&terms)
}

/// Whether the gradient of `f` is independent of those of the others.
fn is_new<'g>(p: &Prepared<'g>, others: &[Ex<'g>], f: Ex<'g>) -> bool {
    let all = [others, &[f]].concat();
    let gradients = Matrix::jacobian(p.system.graph, &all, &p.system.q);
    let locus = states_on(&p.system, &p.constraints, &[], &[]);
    let order: Vec<usize> = (0..p.system.n()).collect();
    let found = generic_rank(&locus, &gradients, &order);
    found.is_some_and(|found| found.rows.contains(&others.len()))
}

/// Which rows make up `f'`, and how.
fn described<'g>(p: &Prepared<'g>, rows: &[(&str, Ex<'g>)], f: Ex<'g>) -> Integral {
    let system = &p.system;
    let rate = system.drift(f);
    let mut needed: Vec<(&str, Ex<'g>)> = rows.to_vec();
    let mut index = 0;
    while index < needed.len() {
        let fewer: Vec<Ex<'g>> = needed
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != index)
            .map(|(_, (_, row))| *row)
            .collect();
        let locus = states_on(system, &p.constraints, &fewer, &[]);
        if matches!(vanish_on(&locus, &[rate]), Finding::Holds(_)) {
            needed.remove(index);
        } else {
            index += 1;
        }
    }
    let parts: Vec<Ex<'g>> = needed.iter().map(|(_, row)| *row).chain([rate]).collect();
    let anywhere = states_on(system, &p.constraints, &[], &[]);
    let columns = Matrix::from_fn(system.graph, 1, parts.len(), |_, j| parts[j]);
    let relation = relations(&anywhere, &columns).into_iter().next();
    let combination = relation
        .filter(|c| !vanish_on(&anywhere, &[combined(rate, c, &parts)]).fails())
        .map(|c| {
            let names = needed.iter().map(|(name, _)| system.graph.symbol(name));
            let names: Vec<Ex<'g>> = names.collect();
            (-combined(rate, &c[..names.len()], &names)).to_string()
        });
    Integral {
        function: f.to_string(),
        rows: needed.iter().map(|(name, _)| (*name).to_owned()).collect(),
        combination,
    }
}

/// The functions of the ansatz, simple ones first.
fn candidates<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let system = &p.system;
    let parameters: Vec<Ex<'g>> = p
        .model
        .parameters
        .iter()
        .map(|x| system.graph.ex(x.symbol))
        .collect();
    let mut atoms = system.q.clone();
    if super::integrable::needs_time(p, rows) {
        atoms.push(system.t);
    }
    atoms.extend(functions(system.graph, &system.v, rows));
    let (mut scales, mut primitives) = (vec![system.graph.one()], Vec::new());
    let mut field = Fractions::new(system.graph, &[]);
    for row in rows.iter().filter(|row| is_affine(system, **row)) {
        let line = forms(system, &[*row]);
        let variables = system.q.iter().chain([&system.t]);
        for (entry, x) in line.entries().iter().zip(variables) {
            for term in field.monomials(*entry).unwrap_or_default() {
                push_new(&mut primitives, term * *x);
                let factors = parameters.iter().filter(|a| term.depends_on(**a));
                let scale = factors.fold(system.graph.one(), |s, a| s * *a);
                push_new(&mut scales, scale);
            }
        }
    }
    let mut list = Vec::new();
    let pairs = || {
        let places = 0..atoms.len();
        places.flat_map(|i| (i..atoms.len()).map(move |j| (i, j)))
    };
    for scale in &scales {
        for atom in &atoms {
            push_new(&mut list, *scale * *atom);
        }
    }
    for primitive in primitives {
        push_new(&mut list, primitive);
    }
    // Rows q' + c q = .. have integrating factors exp(c t).
    for scale in scales.iter().filter(|_| atoms.contains(&system.t)) {
        let factor = (*scale * system.t).call(Function::Exp);
        for q in &system.q {
            push_new(&mut list, *q * factor);
        }
    }
    for scale in &scales {
        for (i, j) in pairs() {
            push_new(&mut list, *scale * atoms[i] * atoms[j]);
        }
    }
    list.truncate(MAX_CANDIDATES);
    list
}

fn push_new<'g>(list: &mut Vec<Ex<'g>>, x: Ex<'g>) {
    if !list.contains(&x) && x.as_rational().is_none() {
        list.push(x);
    }
}

/// Functions of coordinates and time that occur in the rows; of sines and cosines both.
fn functions<'g>(graph: &'g appell_expr::Graph, v: &[Ex<'g>], rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
    let mut found = Vec::new();
    for id in graph.reachable(&roots) {
        let x = graph.ex(id);
        if v.iter().any(|v| x.depends_on(*v)) {
            continue;
        }
        match x.node() {
            Node::Call(Function::Sin | Function::Cos, arguments) => {
                let angle = graph.ex(arguments[0]);
                push_new(&mut found, angle.sin());
                push_new(&mut found, angle.cos());
            }
            Node::Call(..) | Node::Power(..) => push_new(&mut found, x),
            _ => {}
        }
    }
    found
}
