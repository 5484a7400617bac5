//! Inverse functions of functions where conditions keep the argument on the principal branch:
//! `asin(sin x) = x` for `-pi/2 <= x <= pi/2`.

use crate::function::Function;
use crate::num::Rational;
use crate::program::{Operation, Program, Slot, Statement};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// `u + v pi`.
#[derive(Debug, Clone, PartialEq)]
struct Bound {
    rational: Rational,
    turns: Rational,
}

/// `constant + Sum c_i x_i`.
#[derive(Debug, Clone)]
struct Form {
    constant: Bound,
    terms: BTreeMap<Slot, Rational>,
}

/// The same program where the slots in `positive` are positive.
pub(crate) fn on_principal_branches<'p>(
    program: &'p Program,
    positive: &[Slot],
) -> Cow<'p, Program> {
    if positive.is_empty() {
        return Cow::Borrowed(program);
    }
    let operations = program.statements.iter().filter_map(|s| match s {
        Statement::Let(slot, operation) => Some((*slot, operation)),
        Statement::Solve(_) => None,
    });
    let operations: FxHashMap<Slot, &Operation> = operations.collect();
    let form = |slot: Slot| form(program, &operations, slot);
    let conditions: Vec<Form> = positive.iter().map(|slot| form(*slot)).collect();
    let inner = |operation: &Operation| {
        let Operation::Call(outer, x) = operation else {
            return None;
        };
        let Operation::Call(inner, argument) = operations.get(x.first()?)? else {
            return None;
        };
        let half = Rational::new(1, 2);
        let [low, high] = match (outer, inner) {
            (Function::Asin, Function::Sin) | (Function::Atan, Function::Tan) => [-&half, half],
            (Function::Acos, Function::Cos) => [Rational::zero(), Rational::one()],
            _ => return None,
        };
        let argument = *argument.first()?;
        let angle = form(argument);
        let bounds = |side: &dyn Fn(&Form) -> bool| conditions.iter().any(side);
        let kept =
            bounds(&|c| c.keeps_above(&angle, &low)) && bounds(&|c| c.keeps_below(&angle, &high));
        kept.then_some(argument)
    };
    let replaced = program.statements.iter().map(|statement| match statement {
        Statement::Let(slot, operation) => inner(operation).map(|x| {
            let terms = Box::new([(x, Program::ONE)]);
            (*slot, Operation::Sum(Program::ZERO, terms))
        }),
        Statement::Solve(_) => None,
    });
    let replaced: Vec<Option<(Slot, Operation)>> = replaced.collect();
    if replaced.iter().all(Option::is_none) {
        return Cow::Borrowed(program);
    }
    let statements = program.statements.iter().zip(replaced);
    let statements = statements.map(|(old, replaced)| match replaced {
        Some((slot, operation)) => Statement::Let(slot, operation),
        None => old.clone(),
    });
    Cow::Owned(Program {
        statements: statements.collect(),
        ..program.clone()
    })
}

/// A slot as a sum of slots that are none.
fn form(program: &Program, operations: &FxHashMap<Slot, &Operation>, slot: Slot) -> Form {
    let number = |index: u32| program.numbers[index as usize].clone();
    let mut found = Form {
        constant: Bound {
            rational: Rational::zero(),
            turns: Rational::zero(),
        },
        terms: BTreeMap::new(),
    };
    let mut open = vec![(slot, Rational::one())];
    while let Some((slot, scale)) = open.pop() {
        match operations.get(&slot) {
            Some(Operation::Sum(constant, terms)) => {
                let constant = &scale * &number(*constant);
                found.constant.rational = &found.constant.rational + &constant;
                open.extend(terms.iter().map(|(x, c)| (*x, &scale * &number(*c))));
            }
            Some(Operation::Pi) => found.constant.turns = &found.constant.turns + &scale,
            _ => {
                let entry = found.terms.entry(slot).or_insert_with(Rational::zero);
                *entry = &*entry + &scale;
            }
        }
    }
    found.terms.retain(|_, c| !c.is_zero());
    found
}

impl Form {
    /// The `s` and `r` of this form as `s x + r`.
    fn over(&self, x: &Self) -> Option<(Rational, Bound)> {
        let (slot, c) = x.terms.first_key_value()?;
        let scale = self.terms.get(slot)? * &c.recip()?;
        let same = |(slot, c): (&Slot, &Rational)| self.terms.get(slot) == Some(&(&scale * c));
        if self.terms.len() != x.terms.len() || !x.terms.iter().all(same) {
            return None;
        }
        let rest = |value: &Rational, of: &Rational| value - &(&scale * of);
        let rest = Bound {
            rational: rest(&self.constant.rational, &x.constant.rational),
            turns: rest(&self.constant.turns, &x.constant.turns),
        };
        Some((scale, rest))
    }

    /// Whether `x >= low pi` where this is positive: `s x + r > 0` with `s > 0` and `-r/s >= low pi`.
    fn keeps_above(&self, x: &Self, low: &Rational) -> bool {
        let Some((scale, rest)) = self.over(x) else {
            return false;
        };
        !scale.is_negative() && rest.plus(&(low * &scale)).is_nonpositive()
    }

    /// Whether `x <= high pi` where this is positive: `s x + r > 0` with `s < 0` and `-r/s <= high pi`.
    fn keeps_below(&self, x: &Self, high: &Rational) -> bool {
        let Some((scale, rest)) = self.over(x) else {
            return false;
        };
        scale.is_negative() && rest.plus(&(high * &scale)).is_nonpositive()
    }
}

impl Bound {
    /// The sum with a multiple of pi.
    fn plus(&self, turns: &Rational) -> Self {
        Self {
            rational: self.rational.clone(),
            turns: &self.turns + turns,
        }
    }

    fn is_nonpositive(&self) -> bool {
        let digits = 3_141_592_653_589_793;
        let unit = 1_000_000_000_000_000;
        let ends = [digits, digits + 1].map(|n| Rational::new(n, unit));
        let values = ends.map(|pi| &self.rational + &(&self.turns * &pi));
        values.iter().all(|x| x.is_negative() || x.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::super::locus::compile;
    use super::*;
    use crate::graph::{Ex, Graph, Id};

    /// Whether a function of a function is its argument where these are positive.
    fn is_argument(outer: Function, inner: Function, positive: fn(&[Ex<'_>]) -> Vec<Id>) -> bool {
        let g = Graph::new();
        let u = ["x", "y"].map(|name| g.symbol(name));
        let angle = u[0] + 2 * u[1];
        let value = angle.call(inner).call(outer);
        let conditions = g.exs(&positive(&[u[0], u[1], g.pi(), angle]));
        let program = compile(&u, &[&[value][..], &conditions].concat()).expect("closed");
        let slots: Vec<Slot> = program.outputs[0].slots[1..].to_vec();
        let written = on_principal_branches(&program, &slots);
        matches!(written, Cow::Owned(_))
    }

    #[test]
    fn arguments_on_the_principal_branch() {
        use Function::{Acos, Asin, Atan, Cos, Sin, Tan};
        fn all(xs: &[Ex<'_>]) -> Vec<Id> {
            xs.iter().map(|x| x.id()).collect()
        }
        let half: fn(&[Ex<'_>]) -> Vec<Id> = |u| all(&[u[3] + u[2] / 2, u[2] / 2 - u[3]]);
        assert!(is_argument(Asin, Sin, half) && is_argument(Atan, Tan, half));
        assert!(!is_argument(Acos, Cos, half) && !is_argument(Asin, Cos, half));
        assert!(is_argument(Acos, Cos, |u| all(&[u[3], -(2 * u[3]) + 3])));
        assert!(is_argument(Asin, Sin, |u| all(&[
            u[3] + 1,
            -(2 * u[3]) + 3
        ])));
        assert!(
            !is_argument(Asin, Sin, |u| all(&[u[3] + 1, -(2 * u[3]) + 4])),
            "2 > pi/2"
        );
        assert!(
            !is_argument(Asin, Sin, |u| all(&[u[3] + u[2] / 2])),
            "one side"
        );
        assert!(
            !is_argument(Asin, Sin, |u| all(&[u[0] + 1, -u[0] + 1])),
            "of another angle"
        );
    }
}
