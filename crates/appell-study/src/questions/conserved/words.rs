//! Integrals as they are written, and what was searched, in words.

use super::ansatz::Ansatz;
use super::named::{CandidateKind, Named};
use super::search::Combination;
use super::staged_search::CandidateIntegral;
use crate::constraints::candidates::factor::{Factor, whole_numbers};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Printer, Rational, Style};

/// What combinations are made of.
pub(super) struct Generators<'a, 'g> {
    /// The factors of products.
    pub generators: &'a [Ex<'g>],
    /// The same as they are written.
    pub shown: &'a [Ex<'g>],
    /// What the factors of products are multiplied by, besides numbers.
    pub constants: &'a [Ex<'g>],
}

impl<'g> Generators<'_, 'g> {
    fn factor(&self, factor: &Factor) -> Option<Ex<'g>> {
        let one = self.generators.first()?.graph().one();
        Some(factor.written(one, self.constants))
    }

    /// `Sum c_k` times the products; `None` for an empty sum.
    fn value(&self, combination: &[(Factor, Vec<usize>)]) -> Option<Ex<'g>> {
        self.sum(self.generators, combination)
    }

    fn print(&self, combination: &[(Factor, Vec<usize>)]) -> Option<String> {
        self.sum(self.shown, combination).map(print)
    }

    fn sum(&self, generators: &[Ex<'g>], combination: &[(Factor, Vec<usize>)]) -> Option<Ex<'g>> {
        let graph = self.generators.first()?.graph();
        let terms = combination.iter().map(|(factor, monomial)| {
            let places = monomial.iter();
            let factors = places.filter_map(|i| generators.get(*i)).copied();
            let factors: Vec<Ex<'g>> = factors.chain(self.factor(factor)).collect();
            graph.product(&factors)
        });
        let terms: Vec<Ex<'g>> = terms.collect();
        (!terms.is_empty()).then(|| graph.sum(&terms))
    }
}

/// Combinations of candidates with names; of an energy with momenta, a moving energy
/// [fassosansonetto2016].
pub(super) fn of_named<'g>(
    p: &Prepared<'g>,
    named: &[Named<'g>],
    generators: &Generators<'_, 'g>,
    combination: &Combination,
) -> Option<CandidateIntegral<'g>> {
    let candidate = |product: &[usize]| match product {
        [one] => named.get(*one),
        _ => None,
    };
    let mut texts: Vec<String> = Vec::new();
    let mut rest: Combination = Vec::new();
    // An energy that stands for many terms is written by its name.
    for (factor, monomial) in combination {
        match candidate(monomial).and_then(|candidate| candidate.text) {
            Some(text) => texts.push(match generators.factor(factor)? {
                factor if factor.is_one() => text.to_owned(),
                factor => format!("({})*{text}", print(factor)),
            }),
            None => rest.push((factor.clone(), monomial.clone())),
        }
    }
    if texts.is_empty() {
        rest = cleared(rest);
    }
    texts.extend(generators.print(&rest));
    let involved: Vec<&Named<'g>> = combination
        .iter()
        .filter_map(|(_, monomial)| candidate(monomial))
        .collect();
    let has = |sort: CandidateKind| involved.iter().any(|candidate| candidate.sort == sort);
    let energy = has(CandidateKind::Energy);
    let kind = match involved.as_slice() {
        [one] => one.kind.clone(),
        _ => match (
            energy,
            has(CandidateKind::Momentum),
            has(CandidateKind::ConstantForce),
        ) {
            (true, true, _) => "moving energy".to_owned(),
            (true, false, true) => "energy less the work of constant forces".to_owned(),
            (true, false, false) => "combination of energies".to_owned(),
            (false, _, true) => "momentum less the impulse of constant forces".to_owned(),
            (false, _, false) => "combination of momenta".to_owned(),
        },
    };
    Some(CandidateIntegral {
        text: texts.join(" + ").replace("+ -", "- "),
        kind,
        rate: p.system.total_rate(generators.value(combination)?),
        value: generators.value(combination)?,
        shown: generators.value(combination)?,
        degree: if energy { 2 } else { 1 },
        energy,
        simple: true,
    })
}

/// Combinations of monomials, of some degree in the velocities.
pub(super) fn of_monomials<'g>(
    p: &Prepared<'g>,
    generators: &Generators<'_, 'g>,
    combination: &Combination,
    (degree, simple): (usize, bool),
) -> Option<CandidateIntegral<'g>> {
    let kind = match degree {
        0 => "position",
        1 => "linear in the velocities",
        2 => "quadratic in the velocities",
        3 => "cubic in the velocities",
        4 => "quartic in the velocities",
        5 => "of degree 5 in the velocities",
        _ => "of degree 6 in the velocities",
    };
    let whole = cleared(combination.clone());
    Some(CandidateIntegral {
        text: generators.print(&whole)?,
        kind: kind.to_owned(),
        rate: p.system.total_rate(generators.value(&whole)?),
        value: generators.value(&whole)?,
        shown: generators.value(&whole)?,
        degree,
        energy: false,
        simple,
    })
}

pub(super) fn print(x: Ex<'_>) -> String {
    Printer::new(x.graph(), Style::Text).print(x)
}

/// The same combination up to a factor, without denominators and common divisors, unless the
/// numbers would become long.
fn cleared(mut combination: Combination) -> Combination {
    let count = combination
        .first()
        .map_or(0, |(factor, _)| factor.powers.len());
    for i in 0..count {
        let powers = combination
            .iter()
            .filter_map(|(factor, _)| factor.powers.get(i));
        let least = powers.copied().min().unwrap_or(0);
        for power in combination
            .iter_mut()
            .filter_map(|(factor, _)| factor.powers.get_mut(i))
        {
            *power -= least;
        }
    }
    let numbers: Vec<Rational> = combination.iter().map(|(f, _)| f.number.clone()).collect();
    if let Some(numbers) = whole_numbers(&numbers) {
        for ((factor, _), number) in combination.iter_mut().zip(numbers) {
            factor.number = Rational::from(number);
        }
    }
    combination
}

/// What was searched.
pub(super) fn searched(
    named: &[Named<'_>],
    ansatz: &Ansatz<'_>,
    (more, notes): (&[String], &[String]),
) -> String {
    let forces = named
        .iter()
        .filter(|candidate| candidate.sort == CandidateKind::ConstantForce);
    let forces = forces.count();
    let with_forces = match forces {
        0 => "",
        _ => ", with the work and the impulse of constant forces",
    };
    let others = named.len() - forces;
    let mut parts = vec![format!(
        "combinations of {others} energies and momenta{with_forces}"
    )];
    parts.extend(
        ansatz
            .families
            .iter()
            .map(|family| format!("{} ({} candidates)", family.words, family.monomials.len())),
    );
    parts.extend(more.iter().cloned());
    let left_out = ansatz.left_out.iter();
    parts.extend(left_out.map(|what| format!("left out: {what}")));
    parts.extend(notes.iter().cloned());
    parts.join("; ")
}

/// Functions so many of which are named.
const NAMED: usize = 4;

/// What is left out because it changes at a state of the model.
pub(super) fn of_another_part((at, texts): &(String, Vec<String>)) -> String {
    let named = texts.iter().take(NAMED).map(|text| format!("`{text}`"));
    let named: Vec<String> = named.collect();
    let rest = match texts.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "left out, for they are constant on another part of the constraints and change {at}: {}{rest}",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denominators_and_common_factors_are_cleared() {
        let factor = |n: i64, d: i64, powers: &[i64]| Factor {
            number: Rational::new(n, d),
            powers: powers.to_vec(),
        };
        let given = vec![
            (factor(-4, 3, &[-1, 2]), vec![0]),
            (factor(2, 1, &[0, 1]), vec![1]),
        ];
        let wanted = vec![
            (factor(-2, 1, &[0, 1]), vec![0]),
            (factor(3, 1, &[1, 0]), vec![1]),
        ];
        assert_eq!(cleared(given), wanted);
        let long = [Rational::new(1, 1 << 23), Rational::new(1, 5)];
        assert_eq!(whole_numbers(&long), None);
    }
}
