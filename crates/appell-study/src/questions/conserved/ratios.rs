//! Products of powers and exponentials, and quotients of linear functions of the velocities.
//!
//! `Prod l_i^a_i exp(Sum c_j g_j)` is an integral where `Sum a_i l_i'/l_i + Sum c_j g_j' = 0`, which
//! is linear in the numbers (Darboux; the `l_i` need not be Darboux polynomials one by one).
//! And where `l' = (w'/w) l`, `l/w` is one.

use super::ansatz::{Ansatz, plain, products};
use super::search::Combination;
use super::staged_search::CandidateIntegral;
use super::words::{self, Generators, print};
use crate::constraints::candidates::factor::Factor;
use crate::constraints::candidates::product::LogSum;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Node, vanishes};

/// More velocities are not added and subtracted by pairs.
const MAX_PAIRED: usize = 6;
/// Products in the exponent, and their degree.
const EXPONENTS: (usize, usize) = (80, 2);
/// Numerators of quotients.
const NUMERATORS: usize = 120;
/// Denominators of quotients.
const MAX_DENOMINATORS: usize = 6;

/// What a product may be made of: logarithms of the first so many, then functions.
pub(super) struct Basis<'g> {
    pub values: Vec<Ex<'g>>,
    pub logs: usize,
}

/// Velocities, their sums and differences by pairs, functions of place; in the exponent these.
pub(super) fn ground<'g>(p: &Prepared<'g>, ansatz: &Ansatz<'g>) -> Basis<'g> {
    let v = &p.system.v;
    let mut logs: Vec<Ex<'g>> = v.clone();
    logs.extend(ansatz.forms.iter().map(|place| ansatz.generators[*place]));
    if v.len() <= MAX_PAIRED {
        let pairs = (0..v.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        for (i, j) in pairs {
            logs.extend([v[i] + v[j], v[i] - v[j], v[i].pow(2) + v[j].pow(2)]);
        }
    }
    let atoms = ansatz
        .atoms
        .iter()
        .map(|(place, _)| ansatz.generators[*place]);
    let is_power = |x: &Ex<'g>| matches!(x.node(), Node::Product(_));
    logs.extend(atoms.filter(|x| !is_power(x)));
    let mut values: Vec<Ex<'g>> = Vec::new();
    for x in logs {
        if !values.contains(&x) && x.as_rational().is_none() {
            values.push(x);
        }
    }
    let count = values.len();
    let room = |degree: usize| products(&ansatz.atoms, degree, EXPONENTS.0);
    let exponents = (1..=EXPONENTS.1).rev().find_map(room).unwrap_or_default();
    let graph = p.system.graph;
    values.extend(exponents.iter().filter(|x| !x.is_empty()).map(|monomial| {
        let factors = monomial.iter().map(|place| ansatz.generators[*place]);
        graph.product(&factors.collect::<Vec<_>>())
    }));
    Basis {
        values,
        logs: count,
    }
}

impl<'g> Basis<'g> {
    /// The rates whose relations are sought.
    pub fn rates(&self, p: &Prepared<'g>) -> Vec<Ex<'g>> {
        let rate = |(i, x): (usize, &Ex<'g>)| match i < self.logs {
            true => p.system.total_rate(*x) / *x,
            false => p.system.total_rate(*x),
        };
        self.values.iter().enumerate().map(rate).collect()
    }

    /// The product of a relation; none if no velocity is in it, or nothing of it is a logarithm.
    pub fn product(
        &self,
        p: &Prepared<'g>,
        relation: &[(usize, Factor)],
        constants: &[Ex<'g>],
    ) -> Option<CandidateIntegral<'g>> {
        let (logs, rest): (Vec<_>, Vec<_>) = relation.iter().partition(|(i, _)| *i < self.logs);
        let moves =
            |(i, _): &&(usize, Factor)| p.system.v.iter().any(|v| self.values[*i].depends_on(*v));
        if !logs.iter().any(moves) {
            return None;
        }
        let with_value = |(i, factor): &(usize, Factor)| (self.values[*i], factor.clone());
        let one = p.system.graph.one();
        let sum = LogSum {
            logs: logs.into_iter().map(with_value).collect(),
            rest: rest.into_iter().map(with_value).collect(),
            constants: constants.to_vec(),
            one,
        };
        // A logarithm has no value where its factor is 0 on the constraints; the product, the quotient and their rates have.
        let shown = sum.as_product();
        let value = match sum.is_quotient() {
            true => shown,
            false => sum.value(),
        };
        Some(CandidateIntegral {
            text: print(shown),
            kind: "product of powers and exponentials".to_owned(),
            value,
            shown,
            rate: p.system.total_rate(shown),
            degree: usize::MAX,
            energy: false,
            simple: false,
        })
    }
}

/// Numerators of quotients: velocities times products of functions of place.
pub(super) fn numerators<'g>(p: &Prepared<'g>, ansatz: &Ansatz<'g>) -> Vec<Ex<'g>> {
    let graph = p.system.graph;
    let product = |places: &[usize]| {
        let factors = places.iter().map(|place| ansatz.generators[*place]);
        graph.product(&factors.collect::<Vec<_>>())
    };
    let v = &p.system.v;
    let room = NUMERATORS / (v.len() + 1);
    let atoms = (0..=2)
        .rev()
        .find_map(|degree| products(&ansatz.atoms, degree, room));
    let atoms = atoms
        .or_else(|| products(&plain(&[]), 0, 1))
        .unwrap_or_default();
    let scales: Vec<Ex<'g>> = [graph.one()].iter().chain(v).copied().collect();
    let all = scales
        .iter()
        .flat_map(|w| atoms.iter().map(|f| product(f) * *w));
    all.collect()
}

/// Velocities that quotients are tried with.
pub(super) fn denominators<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    p.system.v.iter().copied().take(MAX_DENOMINATORS).collect()
}

/// The quotient of a combination of numerators and a velocity.
pub(super) fn quotient<'g>(
    p: &Prepared<'g>,
    (numerators, w): (&[Ex<'g>], Ex<'g>),
    relation: &[(usize, Factor)],
    constants: &[Ex<'g>],
) -> Option<CandidateIntegral<'g>> {
    let generators = Generators {
        generators: numerators,
        shown: numerators,
        constants,
    };
    let terms = relation
        .iter()
        .map(|(i, factor)| (factor.clone(), vec![*i]));
    let combination: Combination = terms.collect();
    let integral = words::of_monomials(p, &generators, &combination, (1, false))?;
    // Nothing is left of the velocity where it is a factor of the numerator.
    if vanishes(integral.value.substitute(&[(w, w.graph().zero())])) {
        return None;
    }
    let value = integral.value / w;
    Some(CandidateIntegral {
        text: print(value),
        kind: "quotient of linear functions of the velocities".to_owned(),
        rate: p.system.total_rate(value),
        value,
        shown: value,
        degree: usize::MAX,
        ..integral
    })
}
