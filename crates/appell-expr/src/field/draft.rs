//! Programs in the making: statements are added, what is there keeps its slots.

use crate::num::Rational;
use crate::program::{Operation, Program, Slot, Statement};

/// A program whose statements are written anew.
#[derive(Debug)]
pub(crate) struct Draft {
    pub out: Program,
}

impl Draft {
    /// A program with the inputs, outputs and numbers of another, and no statements yet.
    pub fn of(program: &Program) -> Self {
        Self {
            out: Program {
                inputs: program.inputs.clone(),
                statements: Vec::with_capacity(program.statements.len()),
                outputs: program.outputs.clone(),
                numbers: program.numbers.clone(),
                slots: program.slots,
            },
        }
    }

    /// Adds an operation and gives the slot of its value.
    pub fn push(&mut self, operation: Operation) -> Slot {
        let slot = Slot::try_from(self.out.slots).expect("fewer than 2^32 slots");
        self.out.slots += 1;
        self.out.statements.push(Statement::Let(slot, operation));
        slot
    }

    /// The place of a number.
    pub fn number(&mut self, x: &Rational) -> u32 {
        let known = self.out.numbers.iter().position(|y| y == x);
        let index = known.unwrap_or_else(|| {
            self.out.numbers.push(x.clone());
            self.out.numbers.len() - 1
        });
        u32::try_from(index).expect("fewer than 2^32 numbers")
    }

    /// `constant + Sum c_i x_i`.
    pub fn sum(&mut self, constant: &Rational, terms: &[(Slot, Rational)]) -> Operation {
        let constant = self.number(constant);
        let terms = terms.iter().map(|(x, c)| (*x, self.number(c)));
        Operation::Sum(constant, terms.collect())
    }

    /// `x^e`.
    pub fn power(&mut self, x: Slot, e: Rational) -> Slot {
        self.push(Operation::Product([(x, e)].into()))
    }

    /// A number as a value.
    pub fn constant(&mut self, x: &Rational) -> Slot {
        let operation = self.sum(x, &[]);
        self.push(operation)
    }
}

/// `x y`.
pub(crate) fn product(x: Slot, y: Slot) -> Operation {
    if x == y {
        return Operation::Product([(x, Rational::from(2))].into());
    }
    Operation::Product([(x, Rational::one()), (y, Rational::one())].into())
}
