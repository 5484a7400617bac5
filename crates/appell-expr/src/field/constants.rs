//! Constants of square roots and of sines of rational angles, each written in one way.
//!
//! A prime field cannot tell `sqrt(2)` from `-sqrt(2)` but by its squares, so that
//! `sqrt(3 + 2*sqrt(2)) = 1 + sqrt(2)` holds in half of the fields only. Here such constants are
//! real numbers in a [`Tower`], with one form and a known sign; a field then has any one of
//! their conjugates, the same for all of them.

use super::draft::Draft;
use super::ranges::Range;
use super::tower::{Element, Tower, is_small, plus, rational, scaled};
use crate::function::Function;
use crate::num::Rational;
use crate::program::{Operation, Program, Slot, Statement};
use rustc_hash::FxHashMap;

/// A program with its constants in one form, and the ranges of all constants.
pub(crate) fn exact(program: &Program) -> (Option<Program>, FxHashMap<Slot, Range>) {
    let mut reader = Reader {
        program,
        tower: Tower::default(),
        values: FxHashMap::default(),
        turns: FxHashMap::default(),
    };
    for statement in &program.statements {
        if let Statement::Let(slot, operation) = statement {
            reader.read(*slot, operation);
        }
    }
    let ranges = reader.ranges();
    let written = (!reader.tower.radicands.is_empty()).then(|| reader.written());
    (written, ranges)
}

struct Reader<'p> {
    program: &'p Program,
    tower: Tower,
    values: FxHashMap<Slot, Element>,
    /// Multiples of pi.
    turns: FxHashMap<Slot, Rational>,
}

impl Reader<'_> {
    fn read(&mut self, slot: Slot, operation: &Operation) {
        if let Some(turn) = self.turn(operation) {
            self.turns.insert(slot, turn);
        } else if let Some(value) = self.value(operation).filter(|x| is_small(x)) {
            self.values.insert(slot, value);
        }
    }

    fn number(&self, index: u32) -> &Rational {
        &self.program.numbers[index as usize]
    }

    fn turn(&self, operation: &Operation) -> Option<Rational> {
        match operation {
            Operation::Pi => Some(Rational::one()),
            Operation::Sum(constant, terms) if self.number(*constant).is_zero() => match **terms {
                [(x, c)] => Some(self.turns.get(&x)? * self.number(c)),
                _ => None,
            },
            _ => None,
        }
    }

    fn value(&mut self, operation: &Operation) -> Option<Element> {
        match operation {
            Operation::Number(index) => Some(rational(self.number(*index).clone())),
            Operation::Sum(constant, terms) => {
                let mut sum = rational(self.number(*constant).clone());
                for (x, c) in terms {
                    sum = plus(&sum, &scaled(self.values.get(x)?, self.number(*c)));
                }
                Some(sum)
            }
            Operation::Product(factors) => {
                let mut product = rational(Rational::one());
                for (x, e) in factors {
                    let base = self.values.get(x)?.clone();
                    let power = power(&mut self.tower, base, e)?;
                    product = self.tower.times(&product, &power);
                }
                Some(product)
            }
            Operation::Call(function, x) => self.call(*function, x),
            Operation::Pi | Operation::Power(..) => None,
        }
    }

    fn call(&mut self, function: Function, x: &[Slot]) -> Option<Element> {
        if let Some(turn) = self.turns.get(&x[0]) {
            let (s, c) = self.tower.point(turn)?;
            return match function {
                Function::Sin => Some(s),
                Function::Cos => Some(c),
                Function::Tan => Some(self.tower.times(&s, &self.tower.inverse(&c)?)),
                _ => None,
            };
        }
        let value = self.values.get(&x[0])?.clone();
        let signed = |s: i32, x: &Element| scaled(x, &Rational::from(i64::from(s)));
        match function {
            Function::Abs => Some(signed(self.tower.sign(&value), &value)),
            Function::Sign => Some(signed(self.tower.sign(&value), &rational(Rational::one()))),
            Function::Min | Function::Max => {
                let other = self.values.get(&x[1])?.clone();
                let gap = plus(&value, &scaled(&other, &Rational::from(-1)));
                let first_is_less = self.tower.sign(&gap) < 0;
                Some(match first_is_less == (function == Function::Min) {
                    true => value,
                    false => other,
                })
            }
            _ => None,
        }
    }

    fn ranges(&self) -> FxHashMap<Slot, Range> {
        let range = |(slot, x): (&Slot, &Element)| {
            let (low, high) = self.tower.bounds(x)?;
            let nonzero = !x.is_empty();
            let mut range = Range::between(low, high);
            // The bounds have a width, the sign has none.
            match self.tower.sign(x) {
                1 => range = range.and(&Range::at_least(Rational::zero())),
                -1 => range = range.and(&Range::at_most(Rational::zero())),
                _ => {}
            }
            Some((*slot, Range { nonzero, ..range }))
        };
        self.values.iter().filter_map(range).collect()
    }

    /// The program with every irrational constant in its own form.
    fn written(&self) -> Program {
        let mut writer = Writer {
            tower: &self.tower,
            draft: Draft::of(self.program),
            roots: vec![None; self.tower.radicands.len()],
        };
        for statement in &self.program.statements {
            let constant = match statement {
                Statement::Let(
                    slot,
                    Operation::Product(_) | Operation::Call(..) | Operation::Sum(..),
                ) => self.values.get(slot).map(|x| (*slot, x)),
                _ => None,
            };
            let statement = match constant {
                Some((slot, x)) => Statement::Let(slot, writer.operation(x)),
                None => statement.clone(),
            };
            writer.draft.out.statements.push(statement);
        }
        writer.draft.out
    }
}

/// `x^e` for exponents with a power of two below the line.
fn power(tower: &mut Tower, x: Element, e: &Rational) -> Option<Element> {
    let (n, d) = e.to_i64s()?;
    if !d.unsigned_abs().is_power_of_two() {
        return None;
    }
    let mut root = x;
    for _ in 0..d.trailing_zeros() {
        root = tower.root(&root)?;
    }
    tower.power(&root, n)
}

struct Writer<'t> {
    tower: &'t Tower,
    draft: Draft,
    /// The slots of the generators.
    roots: Vec<Option<Slot>>,
}

impl Writer<'_> {
    fn operation(&mut self, x: &[Rational]) -> Operation {
        let mut terms = Vec::new();
        for (place, c) in x.iter().enumerate().skip(1) {
            if c.is_zero() {
                continue;
            }
            let indices = (0..self.roots.len()).filter(|k| place >> k & 1 == 1);
            let factors: Vec<usize> = indices.collect();
            let factors = factors.into_iter().map(|k| (self.root(k), Rational::one()));
            let factors: Vec<(Slot, Rational)> = factors.collect();
            let product = match factors.as_slice() {
                [(root, _)] => *root,
                _ => self.draft.push(Operation::Product(factors.into())),
            };
            terms.push((product, c.clone()));
        }
        let constant = x.first().cloned().unwrap_or_else(Rational::zero);
        self.draft.sum(&constant, &terms)
    }

    fn root(&mut self, index: usize) -> Slot {
        if let Some(slot) = self.roots[index] {
            return slot;
        }
        let tower = self.tower;
        let radicand = self.operation(&tower.radicands[index]);
        let radicand = self.draft.push(radicand);
        let slot = self.draft.power(radicand, Rational::new(1, 2));
        self.roots[index] = Some(slot);
        slot
    }
}
