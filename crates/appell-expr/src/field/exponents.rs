//! Powers whose exponents are numbers because the points have them: `x^n` with `n = 2` is `x^2`.

use super::locus::{Locus, Step};
use crate::num::Rational;
use crate::program::{Operation, Program, Slot, Statement};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The same program at the points of the locus, whole and half powers written as such.
pub(super) fn with_known_exponents<'p>(
    program: &'p Program,
    locus: &Locus<'_>,
) -> Cow<'p, Program> {
    let is_power = |s: &Statement| matches!(s, Statement::Let(_, Operation::Power(..)));
    if !program.statements.iter().any(is_power) {
        return Cow::Borrowed(program);
    }
    let mut known = numbers_of(locus);
    let mut written = program.clone();
    for statement in &mut written.statements {
        let Statement::Let(slot, operation) = statement else {
            continue;
        };
        if let Operation::Power(base, e) = operation
            && let Some(e) = known.get(e).filter(|e| is_simple(e))
        {
            *operation = Operation::Product([(*base, e.clone())].into());
        }
        if let Some(value) = value_of(operation, &known, &program.numbers) {
            known.insert(*slot, value);
        }
    }
    Cow::Owned(written)
}

/// Whole numbers and halves: roots of other orders are left to logarithms.
fn is_simple(e: &Rational) -> bool {
    (e + e).is_integer()
}

/// The symbols of the locus that are set to numbers, by their slots.
fn numbers_of(locus: &Locus<'_>) -> FxHashMap<Slot, Rational> {
    let of_step = |step: &Step<'_>| match step {
        Step::Set(symbol, value) => {
            let place = locus.symbols.iter().position(|s| s == symbol)?;
            Some((Slot::try_from(place).ok()?, value.as_rational()?))
        }
        Step::On(..) | Step::Where(_) | Step::Off(_) => None,
    };
    locus.steps.iter().filter_map(of_step).collect()
}

/// The number that an operation gives, if its arguments are known.
fn value_of(
    operation: &Operation,
    known: &FxHashMap<Slot, Rational>,
    numbers: &[Rational],
) -> Option<Rational> {
    let number = |place: u32| numbers[place as usize].clone();
    match operation {
        Operation::Number(place) => Some(number(*place)),
        Operation::Sum(constant, terms) => {
            terms.iter().try_fold(number(*constant), |sum, (x, c)| {
                Some(&sum + &(known.get(x)? * &number(*c)))
            })
        }
        Operation::Product(factors) => {
            factors.iter().try_fold(Rational::one(), |product, (x, e)| {
                let x = known.get(x)?;
                match e.to_i64()? {
                    1 => Some(&product * x),
                    -1 => Some(&product * &x.recip()?),
                    2 => Some(&product * &(x * x)),
                    _ => None,
                }
            })
        }
        Operation::Pi | Operation::Power(..) | Operation::Call(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::identity::{Finding, Question, Results, decide};
    use super::super::locus::compile;
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn an_exponent_with_a_value_is_a_number() {
        let g = Graph::new();
        let (x, n) = (g.symbol("x"), g.symbol("n"));
        let mut locus = Locus::new(vec![x, n]);
        locus.set(n, g.number(Rational::from(2)));
        let holds = x.power(2 * n - 1) - x.pow(3);
        let fails = x.power(2 * n - 1) - x.pow(4);
        let program = compile(locus.symbols(), &[holds, fails]).expect("closed");
        let question = |i: usize| Question {
            left: Results {
                program: 0,
                range: i..i + 1,
            },
            right: None,
            positive: None,
        };
        let findings = decide(&locus, &[program], &[question(0), question(1)]).expect("closed");
        assert!(matches!(findings[0], Finding::Holds(_)), "{findings:?}");
        assert!(findings[1].fails(), "{findings:?}");
    }
}
