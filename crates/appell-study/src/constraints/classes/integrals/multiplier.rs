//! Integrating factors `mu = Prod l_i^a_i exp(Sum c_j g_j)` of a form: `d(mu omega) = 0` is linear in
//! the numbers `a_i` and `c_j`, since `d log mu ^ omega + d omega = 0` (Prelle and Singer).

use super::forms::{Form, differential};
use super::kernel::States;
use super::shape::sum;
use super::symmetry::{direction, dot};
use super::terms::Term;
use crate::constraints::candidates::product::LogSum;
use appell_expr::{Ex, Function};

/// An integrating factor of the form within these terms.
pub(super) fn integrating_factor<'g>(
    states: &States<'_, 'g>,
    form: &Form<'g>,
    coordinates: &[Ex<'g>],
    terms: &[Term<'g>],
) -> Option<Ex<'g>> {
    let graph = states.p.system.graph;
    let [u, w] = ["u", "w"].map(|name| direction(graph, name, coordinates.len()));
    let (on_u, on_w) = (dot(form, &u), dot(form, &w));
    let mut columns: Vec<Ex<'g>> = Vec::new();
    for term in terms {
        let slopes: Vec<Ex<'g>> = coordinates.iter().map(|q| term.diff(*q)).collect();
        columns.push(dot(&slopes, &u) * on_w - dot(&slopes, &w) * on_u);
    }
    columns.push(differential(form, &u, &w, coordinates));
    let extra = [u, w].concat();
    let relations = states.relations(&[], &extra, &columns);
    let relation = relations.into_iter().find(|relation| {
        let end = relation.last().map(|(place, _)| *place);
        end == Some(terms.len())
    })?;
    let exponent = sum(states, terms, &relation[..relation.len() - 1]);
    factor_of(&exponent)
}

/// `exp` of the sum, where the exponents of all factors are numbers.
fn factor_of<'g>(sum: &LogSum<'g>) -> Option<Ex<'g>> {
    let powers = sum.logs.iter().map(|(l, exponent)| {
        let exponent = exponent.as_number()?;
        Some(l.pow_rational(exponent))
    });
    let powers: Vec<Ex<'g>> = powers.collect::<Option<_>>()?;
    let product = sum.one.graph().product(&powers);
    Some(match sum.rest.is_empty() {
        false => product * sum.rest_over(None).call(Function::Exp),
        true => product,
    })
}
