//! Relations between terms as sums.

use super::kernel::{Relation, States};
use super::terms::Term;
use crate::constraints::candidates::factor::{Factor, whole_numbers};
use crate::constraints::candidates::product::LogSum;
use appell_expr::Rational;

/// The sum that a relation tells of.
pub(super) fn sum<'g>(
    states: &States<'_, 'g>,
    terms: &[Term<'g>],
    relation: &[(usize, Factor)],
) -> LogSum<'g> {
    let one_of = |(place, factor): &(usize, Factor)| (terms[*place].value, factor.clone());
    let (logs, rest): (Vec<_>, Vec<_>) =
        relation.iter().partition(|(place, _)| terms[*place].is_log);
    LogSum {
        logs: logs.into_iter().map(one_of).collect(),
        rest: rest.into_iter().map(one_of).collect(),
        constants: states.constants.clone(),
        one: states.p.system.graph.one(),
    }
}

/// The sum of a relation between terms, the smallest whole factors where there are no logarithms.
pub(super) fn sum_of<'g>(
    states: &States<'_, 'g>,
    terms: &[Term<'g>],
    relation: &Relation,
) -> LogSum<'g> {
    let plain = relation.iter().all(|(place, _)| !terms[*place].is_log);
    let numbers: Vec<Rational> = relation.iter().map(|(_, x)| x.number.clone()).collect();
    match whole_numbers(&numbers).filter(|_| plain) {
        Some(whole) => {
            let cleared = relation.iter().zip(whole).map(|((place, factor), n)| {
                let number = Rational::from(n);
                let powers = factor.powers.clone();
                (*place, Factor { number, powers })
            });
            sum(states, terms, &cleared.collect::<Relation>())
        }
        None => sum(states, terms, relation),
    }
}
