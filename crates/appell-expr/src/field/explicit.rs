//! Programs with their logarithms, powers and constants written out, and with what is known of
//! signs.
//!
//! Where all of a program is real, `log(x^2 y)` is `2 log|x| + log|y|`, `b^e` is `exp(e log b)` for
//! `b > 0`, a number under `log` is a product of primes, constants of square roots have one form.
//! What must be positive (arguments of `log`, and what has a known sign and stands under a root,
//! in `abs` or `sign`) gets a root of its own, which is not read: a field has a point only where
//! that root exists, as the real numbers do.

use super::constants::exact;
use super::draft::{Draft, product};
use super::ranges::{Range, ranges_at};
use crate::function::Function;
use crate::num::Rational;
use crate::program::{Operation, Program, Slot, Statement};
use num_integer::Integer;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// At most so many roots are added for signs: each halves the points of a field.
const MAX_CONDITIONS: usize = 8;
/// Prime factors of numbers under `log` are looked for below this.
const MAX_PRIME: u64 = 1000;
/// Products within products are opened so often.
const MAX_DEPTH: usize = 32;

/// The same function where all of it is real.
pub(crate) fn explicit(program: &Program) -> Cow<'_, Program> {
    rewritten(program, &[], 0)
}

/// The same function where all of it is real and the slots in `positive` are positive; points
/// are left out where signs are not those of real numbers.
pub(crate) fn explicit_where<'p>(program: &'p Program, positive: &[Slot]) -> Cow<'p, Program> {
    rewritten(program, positive, MAX_CONDITIONS)
}

fn rewritten<'p>(program: &'p Program, positive: &[Slot], conditions: usize) -> Cow<'p, Program> {
    let is_concerned = |statement: &Statement| match statement {
        Statement::Let(_, operation) => is_concerned(operation),
        Statement::Solve(_) => false,
    };
    if !program.statements.iter().any(is_concerned) {
        return Cow::Borrowed(program);
    }
    let (written, mut known) = exact(program);
    for slot in positive {
        known.insert(*slot, Range::positive());
    }
    let program = written.map_or(Cow::Borrowed(program), Cow::Owned);
    let ranges = ranges_at(&program, &known, &signed(&program));
    Cow::Owned(Writer::new(&program, ranges, conditions).written())
}

/// Whether an operation may be written in another way, or asks for conditions.
pub(crate) fn is_concerned(operation: &Operation) -> bool {
    use Function::{Abs, Log, Max, Min, Sign};
    match operation {
        Operation::Power(..) | Operation::Call(Abs | Log | Max | Min | Sign, _) | Operation::Pi => {
            true
        }
        Operation::Product(factors) => factors.iter().any(|(_, e)| !e.is_integer()),
        _ => false,
    }
}

/// The slots whose signs count, or those of what they are made of: what stands under logarithms, powers and even
/// roots, in `abs`, `sign`, `min` and `max`, and in results beside a root.
fn signed(program: &Program) -> Vec<Slot> {
    use Function::{Abs, Log, Max, Min, Sign};
    let mut slots = Vec::new();
    let mut roots: FxHashSet<Slot> = FxHashSet::default();
    let results: FxHashSet<Slot> = program
        .outputs
        .iter()
        .flat_map(|o| o.slots.clone())
        .collect();
    for statement in &program.statements {
        let Statement::Let(slot, operation) = statement else {
            continue;
        };
        match operation {
            Operation::Call(Abs | Log | Max | Min | Sign, x) => slots.extend(&**x),
            Operation::Power(base, _) => slots.push(*base),
            Operation::Product(factors) => {
                let rooted = factors.iter().filter(|(_, e)| e.denominator().is_even());
                let before = slots.len();
                slots.extend(rooted.map(|(x, _)| *x));
                if slots.len() > before {
                    roots.insert(*slot);
                }
            }
            Operation::Sum(_, terms)
                if results.contains(slot) && terms.iter().any(|(x, _)| roots.contains(x)) =>
            {
                slots.extend(terms.iter().map(|(x, _)| *x));
            }
            _ => {}
        }
    }
    slots
}

struct Writer<'p> {
    program: &'p Program,
    ranges: Vec<Range>,
    draft: Draft,
    operations: FxHashMap<Slot, Cow<'p, Operation>>,
    /// `log|x|` by `x`.
    logarithms: FxHashMap<Slot, Slot>,
    /// `log p` by `p`.
    of_numbers: FxHashMap<Rational, Slot>,
    /// What has a root of its own already.
    rooted: FxHashSet<Slot>,
    square_numbers: FxHashSet<u64>,
    /// How many roots may still be added for signs.
    conditions: usize,
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program, ranges: Vec<Range>, conditions: usize) -> Self {
        let operations = program.statements.iter().filter_map(|s| match s {
            Statement::Let(slot, operation) => Some((*slot, Cow::Borrowed(operation))),
            Statement::Solve(_) => None,
        });
        Self {
            program,
            ranges,
            draft: Draft::of(program),
            operations: operations.collect(),
            logarithms: FxHashMap::default(),
            of_numbers: FxHashMap::default(),
            rooted: FxHashSet::default(),
            square_numbers: FxHashSet::default(),
            conditions,
        }
    }

    fn written(mut self) -> Program {
        for statement in &self.program.statements {
            let Statement::Let(slot, operation) = statement else {
                self.draft.out.statements.push(statement.clone());
                continue;
            };
            self.note_signs(operation);
            let written = match operation {
                Operation::Call(Function::Log, x) => Some(self.logarithm(x[0])),
                Operation::Power(base, e) if self.range(*base).is_positive() => {
                    Some(self.power(*base, *e))
                }
                _ => None,
            };
            if let Some(written) = &written {
                self.operations.insert(*slot, Cow::Owned(written.clone()));
            }
            let operation = written.unwrap_or_else(|| operation.clone());
            self.draft
                .out
                .statements
                .push(Statement::Let(*slot, operation));
        }
        if self.conditions > 0 {
            self.note_results();
        }
        self.draft.out
    }

    /// A result `c (sqrt(..) - y)` is asked about where `y` has the sign of a root.
    fn note_results(&mut self) {
        let slots = self.program.outputs.iter().flat_map(|output| &output.slots);
        for slot in slots.copied().collect::<Vec<_>>() {
            let Some(Operation::Sum(constant, terms)) = self.operation(slot) else {
                continue;
            };
            let roots = (0..terms.len()).filter(|i| self.is_root(terms[*i].0));
            for root in roots.collect::<Vec<_>>() {
                self.require_rest(constant, &terms, root);
            }
        }
    }

    /// Adds a root of `y`, where that is known to be positive.
    fn require_rest(&mut self, constant: u32, terms: &[(Slot, u32)], root: usize) {
        let numbers = &self.draft.out.numbers;
        let number = |index: u32| numbers[index as usize].clone();
        let Some(scale) = number(terms[root].1)
            .recip()
            .filter(|_| self.conditions > 0)
        else {
            return;
        };
        let others = terms.iter().enumerate().filter(|(i, _)| *i != root);
        let others = others.map(|(_, (x, c))| (*x, -&(&number(*c) * &scale)));
        let others: Vec<(Slot, Rational)> = others.collect();
        let constant = -&(&number(constant) * &scale);
        let ranges: Vec<Range> = others.iter().map(|(x, _)| self.range(*x)).collect();
        let pairs = ranges.iter().zip(others.iter().map(|(_, c)| c));
        if Range::of_sum(&constant, pairs).is_positive() {
            let rest = self.draft.sum(&constant, &others);
            let rest = self.push(rest);
            self.draft.power(rest, Rational::new(1, 2));
            self.conditions -= 1;
        }
    }

    fn is_root(&self, slot: Slot) -> bool {
        match self.operations.get(&slot).map(|operation| &**operation) {
            Some(Operation::Product(factors)) => {
                factors.iter().all(|(_, e)| e.denominator().is_even())
            }
            _ => false,
        }
    }

    /// `log x` as a sum over the factors of `x`, which must be positive.
    fn logarithm(&mut self, x: Slot) -> Operation {
        self.require(x);
        let terms = self.log_terms(x);
        self.draft.sum(&Rational::zero(), &terms)
    }

    /// `b^e = exp(e log b)`.
    fn power(&mut self, base: Slot, e: Slot) -> Operation {
        self.require(base);
        let terms = self.log_terms(base);
        let sum = self.draft.sum(&Rational::zero(), &terms);
        let log = self.push(sum);
        let exponent = self.push(product(e, log));
        Operation::Call(Function::Exp, [exponent].into())
    }

    fn push(&mut self, operation: Operation) -> Slot {
        let slot = self.draft.push(operation.clone());
        self.operations.insert(slot, Cow::Owned(operation));
        slot
    }

    /// What defines a slot, if that is known.
    fn operation(&self, slot: Slot) -> Option<Operation> {
        Some(self.operations.get(&slot)?.clone().into_owned())
    }

    fn range(&self, slot: Slot) -> Range {
        self.ranges.get(slot as usize).cloned().unwrap_or_default()
    }

    /// `log|x|` as `Sum c_i y_i`.
    fn log_terms(&mut self, x: Slot) -> Vec<(Slot, Rational)> {
        let mut terms = Vec::new();
        self.add_log(x, &Rational::one(), MAX_DEPTH, &mut terms);
        terms
    }

    /// Adds `e log|x|`.
    fn add_log(&mut self, x: Slot, e: &Rational, depth: usize, terms: &mut Vec<(Slot, Rational)>) {
        let number = |draft: &Draft, index: u32| draft.out.numbers[index as usize].clone();
        let operation = self.operation(x).filter(|_| depth > 0);
        match operation {
            Some(Operation::Number(index)) => {
                let value = number(&self.draft, index);
                self.add_log_of_number(&value, e, terms);
            }
            Some(Operation::Sum(constant, summands)) if summands.is_empty() => {
                let value = number(&self.draft, constant);
                self.add_log_of_number(&value, e, terms);
            }
            Some(Operation::Sum(constant, summands))
                if summands.len() == 1 && number(&self.draft, constant).is_zero() =>
            {
                let c = number(&self.draft, summands[0].1);
                self.add_log_of_number(&c, e, terms);
                self.add_log(summands[0].0, e, depth - 1, terms);
            }
            Some(Operation::Product(factors)) => {
                for (y, k) in &*factors {
                    self.add_log(*y, &(e * k), depth - 1, terms);
                }
            }
            Some(Operation::Call(Function::Exp, u)) => terms.push((u[0], e.clone())),
            Some(Operation::Call(Function::Abs, y)) => self.add_log(y[0], e, depth - 1, terms),
            _ => {
                let known = self.logarithms.get(&x).copied();
                let log =
                    known.unwrap_or_else(|| self.push(Operation::Call(Function::Log, [x].into())));
                self.logarithms.insert(x, log);
                terms.push((log, e.clone()));
            }
        }
    }

    fn add_log_of_number(&mut self, x: &Rational, e: &Rational, terms: &mut Vec<(Slot, Rational)>) {
        if x.is_zero() {
            return self.give_up();
        }
        let size = x.abs();
        let (Some(n), Some(d)) = (size.numerator().to_u64(), size.denominator().to_u64()) else {
            terms.push((self.log_of(size), e.clone()));
            return;
        };
        for (integer, sign) in [(n, 1), (d, -1)] {
            for (factor, count) in factors(integer) {
                let factor = Rational::from_decimal(&factor.to_string());
                let log = self.log_of(factor.unwrap_or_else(Rational::one));
                terms.push((log, e * &Rational::from(sign * count)));
            }
        }
    }

    fn log_of(&mut self, x: Rational) -> Slot {
        if let Some(slot) = self.of_numbers.get(&x) {
            return *slot;
        }
        let constant = self.draft.sum(&x, &[]);
        let constant = self.push(constant);
        let log = self.push(Operation::Call(Function::Log, [constant].into()));
        self.of_numbers.insert(x, log);
        log
    }

    /// Adds a root of `x`, which exists where `x` is positive.
    fn require(&mut self, x: Slot) {
        if self.range(x).is_negative() {
            self.give_up();
        }
        let is_number = matches!(self.operation(x), Some(Operation::Number(_)));
        if !is_number && self.rooted.insert(x) {
            self.draft.power(x, Rational::new(1, 2));
        }
    }

    /// No point is one of the program: -1 is no square in any of the fields.
    fn give_up(&mut self) {
        let minus_one = self.draft.constant(&Rational::from(-1));
        self.draft.power(minus_one, Rational::new(1, 2));
    }

    /// Where the sign of something counts, adds the roots of what has a known sign.
    fn note_signs(&mut self, operation: &Operation) {
        match operation {
            Operation::Product(factors) => {
                for (x, _) in factors.iter().filter(|(_, e)| e.denominator().is_even()) {
                    // A root of x itself exists or not; what it is made of has signs.
                    self.rooted.insert(*x);
                    if self.range(*x).is_negative() {
                        self.give_up();
                    }
                    self.require_signs(*x, MAX_DEPTH);
                }
            }
            Operation::Call(Function::Abs, x) => self.require_signs(x[0], MAX_DEPTH),
            // Where it is 0 its sign is 0, not 1.
            Operation::Call(Function::Sign, x) if self.range(x[0]).is_nonzero() => {
                self.require_signs(x[0], MAX_DEPTH);
            }
            Operation::Call(Function::Min | Function::Max, x) => self.require_order(x[0], x[1]),
            _ => {}
        }
    }

    fn require_signs(&mut self, x: Slot, depth: usize) {
        if depth == 0 || self.conditions == 0 {
            return;
        }
        let number = |draft: &Draft, index: u32| draft.out.numbers[index as usize].clone();
        match self.operation(x) {
            Some(Operation::Product(factors)) => {
                for (y, _) in &*factors {
                    self.require_signs(*y, depth - 1);
                }
            }
            Some(Operation::Sum(constant, summands))
                if summands.len() == 1 && number(&self.draft, constant).is_zero() =>
            {
                let c = number(&self.draft, summands[0].1).abs();
                self.require_number(&c);
                self.require_signs(summands[0].0, depth - 1);
            }
            _ => self.require_sign(x),
        }
    }

    /// Positive numbers are squares, and so are their factors; those of small primes always are.
    fn require_number(&mut self, c: &Rational) {
        let (Some(n), Some(d)) = (c.numerator().to_u64(), c.denominator().to_u64()) else {
            return;
        };
        for (q, _) in factors(n).into_iter().chain(factors(d)) {
            let new = q > 7 && self.conditions > 0 && self.square_numbers.insert(q);
            if let (true, Ok(q)) = (new, i64::try_from(q)) {
                let constant = self.draft.constant(&Rational::from(q));
                self.draft.power(constant, Rational::new(1, 2));
                self.conditions -= 1;
            }
        }
    }

    /// Real numbers that are not negative are squares.
    fn require_sign(&mut self, x: Slot) {
        let range = self.range(x);
        if self.rooted.contains(&x) || self.conditions == 0 {
            return;
        }
        if range.is_nonnegative() {
            self.conditions -= 1;
            self.require(x);
        } else if range.is_nonpositive() {
            self.conditions -= 1;
            self.rooted.insert(x);
            let opposite = self
                .draft
                .sum(&Rational::zero(), &[(x, Rational::from(-1))]);
            let opposite = self.push(opposite);
            self.draft.power(opposite, Rational::new(1, 2));
        }
    }

    /// The sign of `x - y`, on which `min` and `max` hang.
    fn require_order(&mut self, x: Slot, y: Slot) {
        if self.conditions == 0 {
            return;
        }
        let gap = self.range(x).minus(&self.range(y));
        let sign = match (gap.is_nonnegative(), gap.is_nonpositive()) {
            (true, _) => 1,
            (_, true) => -1,
            _ => return,
        };
        let terms = [(x, Rational::from(sign)), (y, Rational::from(-sign))];
        let gap = self.draft.sum(&Rational::zero(), &terms);
        let gap = self.push(gap);
        self.draft.power(gap, Rational::new(1, 2));
        self.conditions -= 1;
    }
}

/// Small prime factors and what is left, with their multiplicities.
fn factors(mut n: u64) -> Vec<(u64, i64)> {
    let mut found = Vec::new();
    let mut q = 2;
    while q < MAX_PRIME && q * q <= n {
        let mut count = 0;
        while n.is_multiple_of(q) {
            n /= q;
            count += 1;
        }
        if count > 0 {
            found.push((q, count));
        }
        q += 1;
    }
    if n > 1 {
        found.push((n, 1));
    }
    found
}
