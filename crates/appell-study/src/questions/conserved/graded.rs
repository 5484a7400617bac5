//! Polynomials of higher degree in the velocities.
//!
//! An integral of degree `D` of a natural system has coefficients whose degree grows as that of the
//! velocities falls: with a potential of degree `r`, by `r` for each two velocities. So the products of
//! `j` velocities have coefficients of degree `e + r (D - j)/2`. Where the motion can be run backwards
//! even and odd parts are integrals each.

use super::ansatz::{Family, Monomial, products};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Id, Node, vanishes};
use std::collections::HashMap;

/// At most so many candidates in one family.
const ROOM: usize = 800;
/// Degrees of the coefficients of the highest products of velocities, at most.
const MAX_EXCESS: usize = 3;
/// A potential counts as of no higher degree.
const MAX_RATE: usize = 6;

/// What the coefficients are made of, and what they multiply.
pub(super) struct Basis<'a> {
    /// Functions of place, by their places among the generators; whether each is needed once at most.
    pub atoms: &'a [(usize, bool)],
    /// Pairs of them whose product is 1.
    pub inverse: &'a [(usize, usize)],
    /// Velocities.
    pub fibre: &'a [(usize, bool)],
    /// By how much the degree of the coefficients grows for each two velocities less.
    pub rate: usize,
    /// Whether parts of even and of odd degree may be sought by themselves.
    pub reversible: bool,
}

/// The family of a degree with coefficients of the highest degree for which there is room, and this
/// degree; `None` if there is no room at all.
pub(super) fn family(ground: &Basis<'_>, degree: usize) -> Option<(Family, usize)> {
    (0..=MAX_EXCESS)
        .rev()
        .find_map(|excess| Some((with_excess(ground, degree, excess)?, excess)))
}

fn with_excess(ground: &Basis<'_>, degree: usize, excess: usize) -> Option<Family> {
    let step = if ground.reversible { 2 } else { 1 };
    let mut monomials: Vec<Monomial> = Vec::new();
    let fibre = products(ground.fibre, degree, ROOM)?;
    let mut of_degree: Vec<usize> = (0..=degree).rev().step_by(step).collect();
    of_degree.reverse();
    for j in of_degree {
        let most = excess + (ground.rate * (degree - j)).div_ceil(2);
        let coefficients = products(ground.atoms, most, 4 * ROOM)?;
        let reduced = |f: &&Monomial| {
            let has = |x: &usize| f.contains(x);
            !ground.inverse.iter().any(|(x, y)| has(x) && has(y))
        };
        let coefficients: Vec<&Monomial> = coefficients.iter().filter(reduced).collect();
        for w in fibre.iter().filter(|w| w.len() == j) {
            monomials.extend(coefficients.iter().map(|f| [f.as_slice(), w].concat()));
            if monomials.len() > ROOM {
                return None;
            }
        }
    }
    // Constants are no integrals.
    monomials.retain(|monomial| !monomial.is_empty());
    Some(Family {
        monomials,
        parts: Vec::new(),
        words: String::new(),
    })
}

/// Whether reversed velocities move back: nothing depends on time, the Lagrangian and the forces are even
/// in the velocities, each row is even or odd.
pub(super) fn is_reversible<'g>(p: &Prepared<'g>) -> bool {
    let system = &p.system;
    if p.constraints.parametric.is_some() {
        return false;
    }
    let back: Vec<(Ex<'g>, Ex<'g>)> = system.v.iter().map(|v| (*v, -*v)).collect();
    let is_even = |x: Ex<'g>| vanishes(x - x.substitute(&back));
    let is_odd = |x: Ex<'g>| vanishes(x + x.substitute(&back));
    let rows = p.constraints.active();
    let rows: Option<Vec<Ex<'g>>> = rows.map(|row| row.phi).collect();
    let Some(rows) = rows else { return false };
    let forces = system.force.entries();
    let all = || forces.iter().chain([&system.lagrangian]);
    let timeless = !all().chain(&rows).any(|x| x.depends_on(system.t));
    timeless && all().all(|x| is_even(*x)) && rows.iter().all(|x| is_even(*x) || is_odd(*x))
}

/// The degree of the Lagrangian at rest in functions of place, each of which counts once.
pub(super) fn rate(p: &Prepared<'_>) -> usize {
    let (system, graph) = (&p.system, p.system.graph);
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, graph.zero())).collect();
    let potential = system.lagrangian.substitute(&at_rest);
    let is_place = |id: Id| graph.ex(id) == system.t || system.q.iter().any(|q| q.id() == id);
    let mut degrees: HashMap<Id, usize> = HashMap::new();
    for id in graph.reachable(&[potential.id()]) {
        let of = |x: &Id| degrees.get(x).copied().unwrap_or(0);
        let degree = match graph.node(id) {
            Node::Number(_) | Node::Pi => 0,
            Node::Symbol(_) => usize::from(is_place(id)),
            Node::Sum(_, terms) => terms.iter().map(|(x, _)| of(x)).max().unwrap_or(0),
            Node::Product(factors) => {
                let degree = factors.iter().map(|(x, e)| {
                    let (n, d) = e.to_i64s().unwrap_or((1, 1));
                    let n = usize::try_from(n.unsigned_abs()).unwrap_or(1);
                    match (of(x), e.is_negative() || d != 1) {
                        (0, _) => 0,
                        (_, true) => n,
                        (degree, false) => n * degree,
                    }
                });
                degree.sum()
            }
            Node::Power(x, y) => usize::from(of(&x) + of(&y) > 0),
            Node::Call(_, arguments) => usize::from(arguments.iter().any(|x| of(x) > 0)),
        };
        degrees.insert(id, degree);
    }
    degrees[&potential.id()].clamp(1, MAX_RATE)
}
