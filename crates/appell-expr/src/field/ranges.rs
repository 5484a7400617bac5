//! Bounds and signs of the values of a program, wherever all of them are real numbers.

use super::constants::exact;
use crate::function::Function;
use crate::num::Rational;
use crate::program::{Operation, Program, Slot, Statement};
use num_integer::Integer;
use rustc_hash::FxHashMap;

/// Longer ends are rounded outwards.
const MAX_BITS: u64 = 64;

/// An interval, perhaps without an end, and perhaps without zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Range {
    pub low: Option<Rational>,
    pub high: Option<Rational>,
    pub nonzero: bool,
}

impl Range {
    pub fn at_least(low: Rational) -> Self {
        Self {
            low: Some(low),
            ..Self::default()
        }
    }

    pub fn at_most(high: Rational) -> Self {
        Self {
            high: Some(high),
            ..Self::default()
        }
    }

    pub fn between(low: Rational, high: Rational) -> Self {
        Self {
            low: Some(low),
            high: Some(high),
            nonzero: false,
        }
    }

    /// All positive numbers.
    pub fn positive() -> Self {
        Self {
            nonzero: true,
            ..Self::at_least(Rational::zero())
        }
    }

    /// What is in both.
    pub fn and(&self, other: &Self) -> Self {
        let larger = |x: &Option<Rational>, y: &Option<Rational>| x.clone().max(y.clone());
        let high = match (&self.high, &other.high) {
            (Some(x), Some(y)) => Some(x.min(y).clone()),
            (x, y) => x.as_ref().or(y.as_ref()).cloned(),
        };
        Self {
            low: larger(&self.low, &other.low),
            high,
            nonzero: self.nonzero || other.nonzero,
        }
    }

    pub fn is_nonnegative(&self) -> bool {
        self.low.as_ref().is_some_and(|low| !low.is_negative())
    }

    pub fn is_nonpositive(&self) -> bool {
        self.negative().is_nonnegative()
    }

    pub fn is_nonzero(&self) -> bool {
        let beyond = |end: &Option<Rational>| end.as_ref().is_some_and(|x| !x.is_zero());
        self.nonzero
            || (self.is_nonnegative() && beyond(&self.low))
            || (self.is_nonpositive() && beyond(&self.high))
    }

    pub fn is_positive(&self) -> bool {
        self.is_nonnegative() && self.is_nonzero()
    }

    pub fn is_negative(&self) -> bool {
        self.is_nonpositive() && self.is_nonzero()
    }

    /// Whether all of it lies between the numbers.
    pub fn is_within(&self, low: &Rational, high: &Rational) -> bool {
        self.low.as_ref().is_some_and(|x| x >= low) && self.high.as_ref().is_some_and(|x| x <= high)
    }

    /// The same with ends of few digits, a little wider.
    fn short(self) -> Self {
        let nonzero = self.is_nonzero();
        Self {
            low: self.low.and_then(|x| shortened(x, false)),
            high: self.high.and_then(|x| shortened(x, true)),
            nonzero,
        }
    }

    fn negative(&self) -> Self {
        Self {
            low: self.high.as_ref().map(|x| -x),
            high: self.low.as_ref().map(|x| -x),
            nonzero: self.nonzero,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let sum = |x: &Option<Rational>, y: &Option<Rational>| Some(x.as_ref()? + y.as_ref()?);
        let signs = [self, other];
        let one_sided =
            signs.iter().all(|x| x.is_nonnegative()) || signs.iter().all(|x| x.is_nonpositive());
        Self {
            low: sum(&self.low, &other.low),
            high: sum(&self.high, &other.high),
            nonzero: one_sided && signs.iter().any(|x| x.is_nonzero()),
        }
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negative())
    }

    /// The range of `constant + Sum c x`.
    pub fn of_sum<'r>(
        constant: &Rational,
        terms: impl Iterator<Item = (&'r Self, &'r Rational)>,
    ) -> Self {
        let start = Self::between(constant.clone(), constant.clone());
        terms.fold(start, |sum, (x, c)| sum.plus(&x.scaled(c)))
    }

    fn scaled(&self, c: &Rational) -> Self {
        if c.is_zero() {
            return Self::between(Rational::zero(), Rational::zero());
        }
        let turned = if c.is_negative() {
            self.negative()
        } else {
            self.clone()
        };
        let size = c.abs();
        Self {
            low: turned.low.map(|x| &x * &size),
            high: turned.high.map(|x| &x * &size),
            nonzero: self.nonzero,
        }
    }

    fn times(&self, other: &Self) -> Self {
        if self.is_nonpositive() && !self.is_nonnegative() {
            return self.negative().times(other).negative();
        }
        if other.is_nonpositive() && !other.is_nonnegative() {
            return self.times(&other.negative()).negative();
        }
        let nonzero = self.is_nonzero() && other.is_nonzero();
        let product = |x: &Option<Rational>, y: &Option<Rational>| Some(x.as_ref()? * y.as_ref()?);
        if self.is_nonnegative() && other.is_nonnegative() {
            return Self {
                low: product(&self.low, &other.low),
                high: product(&self.high, &other.high),
                nonzero,
            };
        }
        let corners = [
            product(&self.low, &other.low),
            product(&self.low, &other.high),
            product(&self.high, &other.low),
            product(&self.high, &other.high),
        ];
        let corners: Option<Vec<Rational>> = corners.into_iter().collect();
        let end = |corners: &Vec<Rational>, least: bool| match least {
            true => corners.iter().min().cloned(),
            false => corners.iter().max().cloned(),
        };
        Self {
            low: corners.as_ref().and_then(|c| end(c, true)),
            high: corners.as_ref().and_then(|c| end(c, false)),
            nonzero,
        }
    }

    /// The range of `|x|`.
    fn size(&self) -> Self {
        if self.is_nonnegative() {
            return self.clone();
        }
        if self.is_nonpositive() {
            return self.negative();
        }
        let high = match (&self.low, &self.high) {
            (Some(low), Some(high)) => Some(low.abs().max(high.clone())),
            _ => None,
        };
        Self {
            low: Some(Rational::zero()),
            high,
            nonzero: self.nonzero,
        }
    }

    fn reciprocal(&self) -> Self {
        if self.is_nonpositive() && !self.is_nonnegative() {
            return self.negative().reciprocal().negative();
        }
        if !self.is_nonnegative() {
            return Self {
                nonzero: true,
                ..Self::default()
            };
        }
        let inverse = |x: &Option<Rational>| x.as_ref().and_then(Rational::recip);
        Self {
            low: Some(inverse(&self.high).unwrap_or_else(Rational::zero)),
            high: inverse(&self.low),
            nonzero: true,
        }
    }

    /// The range of `x^e`; that of an even root has no negative number.
    fn power(&self, e: &Rational) -> Self {
        if e.is_negative() {
            return self.power(&-e).reciprocal();
        }
        let even = |x: num_bigint::BigInt| x.is_even();
        let base = if even(e.denominator()) {
            self.and(&Self::at_least(Rational::zero()))
        } else if even(e.numerator()) {
            self.size()
        } else {
            self.clone()
        };
        let end = |x: &Option<Rational>, up: bool| {
            let x = x.as_ref()?;
            exact_power(x, e).or_else(|| beside_power(x, up))
        };
        Self {
            low: end(&base.low, false),
            high: end(&base.high, true),
            nonzero: base.is_nonzero(),
        }
    }

    /// Where the function has its values.
    fn call(function: Function, x: &[&Self]) -> Self {
        let number = |n: i64, d: i64| Rational::new(n, d);
        let odd = |bound: Option<Rational>| {
            let zero = Rational::zero;
            let low = if x[0].is_nonnegative() {
                Some(zero())
            } else {
                bound.as_ref().map(|b| -b)
            };
            let high = if x[0].is_nonpositive() {
                Some(zero())
            } else {
                bound
            };
            Self {
                low,
                high,
                nonzero: x[0].is_nonzero(),
            }
        };
        let above = |y: i64| {
            x[0].low
                .as_ref()
                .is_some_and(|low| *low >= Rational::from(y))
        };
        let below = |y: i64| {
            x[0].high
                .as_ref()
                .is_some_and(|high| *high <= Rational::from(y))
        };
        let quarter = || number(1571, 1000);
        let half = || number(3142, 1000);
        match function {
            Function::Sin | Function::Cos => Self::between(number(-1, 1), number(1, 1)),
            Function::Sign | Function::Tanh => odd(Some(number(1, 1))),
            Function::Asin | Function::Atan => odd(Some(quarter())),
            Function::Sinh => odd(None),
            Function::Acos => Self::between(Rational::zero(), half()),
            Function::Cosh => Self::at_least(number(1, 1)),
            Function::Exp if above(0) => Self::at_least(number(1, 1)),
            Function::Exp => Self::positive(),
            Function::Log if above(1) => Self::at_least(Rational::zero()),
            Function::Log if below(1) => Self::at_most(Rational::zero()),
            Function::Tan | Function::Log => Self::default(),
            Function::Abs => x[0].size(),
            Function::Atan2 => Self::between(-&half(), half()),
            Function::Max => x[0].max(x[1]),
            Function::Min => x[0].negative().max(&x[1].negative()).negative(),
        }
    }

    /// The range of the greater of two numbers.
    fn max(&self, other: &Self) -> Self {
        let (both, high) = ([self, other], self.high.as_ref().zip(other.high.as_ref()));
        Self {
            low: self.low.clone().max(other.low.clone()),
            high: high.map(|(a, b)| a.max(b).clone()),
            nonzero: both.iter().any(|x| x.is_positive()) || both.iter().all(|x| x.is_negative()),
        }
    }
}

fn shortened(x: Rational, up: bool) -> Option<Rational> {
    let long = x.numerator().bits().max(x.denominator().bits()) > MAX_BITS;
    if long { beside_power(&x, up) } else { Some(x) }
}

fn exact_power(x: &Rational, e: &Rational) -> Option<Rational> {
    let (n, d) = e.to_i64s()?;
    match (d, x.is_negative()) {
        (1, _) => x.pow(n),
        (_, false) => x.root(u32::try_from(d).ok()?)?.pow(n),
        (_, true) => None,
    }
}

/// A bound of `x^e`, `e > 0`, that needs no root: 0 or 1 beyond `x` and its powers.
fn beside_power(x: &Rational, up: bool) -> Option<Rational> {
    let one = Rational::one();
    match (up, *x >= one, x.is_negative()) {
        (false, true, _) | (true, false, false) => Some(one),
        (false, false, false) | (true, false, true) => Some(Rational::zero()),
        _ => None,
    }
}

/// The ranges of these slots and of all that they are computed from, by what is known of some and by what must hold
/// for the program to have real values: radicands are not negative, arguments of `log` are positive. Of other slots
/// no more is said than that.
pub(crate) fn ranges_at(
    program: &Program,
    known: &FxHashMap<Slot, Range>,
    slots: &[Slot],
) -> Vec<Range> {
    let needed = needed(program, slots);
    evaluate(program, known, false, |slot| needed[slot as usize])
}

/// Which slots these are computed from, themselves included.
pub(crate) fn needed(program: &Program, slots: &[Slot]) -> Vec<bool> {
    let mut needed = vec![false; program.slots];
    for slot in slots {
        needed[*slot as usize] = true;
    }
    for statement in program.statements.iter().rev() {
        if let Statement::Let(slot, operation) = statement
            && needed[*slot as usize]
        {
            operation.for_each_argument(|x| needed[x as usize] = true);
        }
    }
    needed
}

/// The ranges of the first so many results of a program whose other results are positive, in the
/// closure of its domain: what has a pole or a logarithm there may vanish.
pub(crate) fn ranges_of(program: &Program, count: usize) -> Vec<Range> {
    let (_, mut known) = exact(program);
    let slots: Vec<Slot> = program
        .outputs
        .iter()
        .flat_map(|o| o.slots.clone())
        .collect();
    for slot in &slots[count..] {
        let place = known.entry(*slot).or_default();
        *place = place.and(&Range::positive());
    }
    let ranges = evaluate(program, &known, true, |_| true);
    slots[..count]
        .iter()
        .map(|slot| ranges[*slot as usize].clone())
        .collect()
}

fn evaluate(
    program: &Program,
    known: &FxHashMap<Slot, Range>,
    closed: bool,
    is_wanted: impl Fn(Slot) -> bool,
) -> Vec<Range> {
    let mut ranges = vec![Range::default(); program.slots];
    let note = |ranges: &mut [Range], slot: Slot, range: &Range| {
        let place = &mut ranges[slot as usize];
        *place = place.and(range);
    };
    for (slot, range) in known {
        note(&mut ranges, *slot, range);
    }
    let operations = || {
        program
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Let(slot, operation) => Some((*slot, operation)),
                Statement::Solve(_) => None,
            })
    };
    for (slot, mut range) in operations().flat_map(|(_, operation)| required(operation)) {
        range.nonzero &= !closed;
        note(&mut ranges, slot, &range);
    }
    let facts = LinearFacts::new(program, &ranges);
    for (slot, range) in facts.of_single_terms() {
        note(&mut ranges, slot, &range);
    }
    for (slot, operation) in operations().filter(|(slot, _)| is_wanted(*slot)) {
        let mut range = evaluated(program, operation, &ranges).and(&facts.range(operation));
        // Powers below zero have values where their base has none.
        range.nonzero &= !closed || !has_pole(operation, &ranges);
        let place = &mut ranges[slot as usize];
        *place = place.and(&range).short();
    }
    ranges
}

/// Sums that are not negative: what they say of their multiples.
struct LinearFacts<'p> {
    program: &'p Program,
    /// The terms of `Sum c_i x_i` and what is known of it.
    sums: Vec<(&'p [(Slot, u32)], Range)>,
}

impl<'p> LinearFacts<'p> {
    fn new(program: &'p Program, ranges: &[Range]) -> Self {
        let sums = program
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Let(slot, Operation::Sum(constant, terms)) if !terms.is_empty() => {
                    let range = &ranges[*slot as usize];
                    let constant = &program.numbers[*constant as usize];
                    let known = range.low.is_some() || range.high.is_some();
                    known.then(|| {
                        let one = Rational::one();
                        let mut shifted = Range::of_sum(&-constant, [(range, &one)].into_iter());
                        // Strict bounds stay so where they are at zero only.
                        shifted.nonzero = range.nonzero && constant.is_zero();
                        (&**terms, shifted)
                    })
                }
                _ => None,
            });
        Self {
            program,
            sums: sums.collect(),
        }
    }

    /// Bounds of single slots.
    fn of_single_terms(&self) -> Vec<(Slot, Range)> {
        let single = self.sums.iter().filter_map(|(terms, range)| match terms {
            [(x, c)] => {
                let inverse = self.program.numbers[*c as usize].recip()?;
                Some((*x, range.scaled(&inverse)))
            }
            _ => None,
        });
        single.collect()
    }

    /// What is known of a sum with proportional terms.
    fn range(&self, operation: &Operation) -> Range {
        let Operation::Sum(constant, terms) = operation else {
            return Range::default();
        };
        let number = |index: u32| &self.program.numbers[index as usize];
        let related = self.sums.iter().filter_map(|(known, range)| {
            let ratio = (number(terms.first()?.1) / number(known.first()?.1))?;
            let mut pairs = terms.iter().zip(*known);
            let proportional = terms.len() == known.len()
                && pairs.all(|((x, c), (y, d))| x == y && *number(*c) == &ratio * number(*d));
            proportional.then(|| Range::of_sum(number(*constant), [(range, &ratio)].into_iter()))
        });
        related.fold(Range::default(), |all, range| all.and(&range))
    }
}

fn has_pole(operation: &Operation, ranges: &[Range]) -> bool {
    match operation {
        Operation::Product(factors) => factors
            .iter()
            .any(|(x, e)| e.is_negative() && !ranges[*x as usize].is_nonzero()),
        _ => false,
    }
}

/// What an operation asks of its arguments.
fn required(operation: &Operation) -> Vec<(Slot, Range)> {
    match operation {
        Operation::Product(factors) => {
            let roots = factors.iter().filter_map(|(x, e)| {
                let root = e.denominator().is_even();
                let pole = e.is_negative();
                let low = root.then(Rational::zero);
                let range = Range {
                    low,
                    high: None,
                    nonzero: pole,
                };
                (root || pole).then_some((*x, range))
            });
            roots.collect()
        }
        Operation::Call(Function::Log, x) => vec![(x[0], Range::positive())],
        Operation::Call(Function::Asin | Function::Acos, x) => {
            let one = Rational::one();
            vec![(x[0], Range::between(-&one, one))]
        }
        _ => Vec::new(),
    }
}

fn evaluated(program: &Program, operation: &Operation, ranges: &[Range]) -> Range {
    let number = |index: u32| &program.numbers[index as usize];
    let exactly = |x: &Rational| Range::between(x.clone(), x.clone());
    let at = |slot: &Slot| &ranges[*slot as usize];
    match operation {
        Operation::Number(index) => exactly(number(*index)),
        Operation::Pi => Range::between(Rational::new(3141, 1000), Rational::new(3142, 1000)),
        Operation::Sum(constant, terms) => Range::of_sum(
            number(*constant),
            terms.iter().map(|(x, c)| (at(x), number(*c))),
        ),
        Operation::Product(factors) => {
            let powers = factors.iter().map(|(x, e)| at(x).power(e));
            powers.fold(exactly(&Rational::one()), |product, power| {
                product.times(&power)
            })
        }
        Operation::Power(base, _) if at(base).is_nonnegative() => Range {
            nonzero: at(base).is_nonzero(),
            ..Range::at_least(Rational::zero())
        },
        Operation::Power(..) => Range::default(),
        Operation::Call(function, x) => {
            let arguments: Vec<&Range> = x.iter().map(at).collect();
            Range::call(*function, &arguments)
        }
    }
}
