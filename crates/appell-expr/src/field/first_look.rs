//! A first look at expressions: of most that do not vanish it is seen at one point, which costs a part of a decision.

use super::arithmetic::Random;
use super::locus::results;
use super::prime::PrimeField;
use crate::elementary;
use crate::function::Function;
use crate::graph::Graph;
use crate::num::Rational;
use crate::program::{Numbers, Operation, Program, SlotSolve, Statement};

/// Whether a program is seen at one point not to vanish.
pub(super) fn is_refuted(graph: &Graph, program: &Program) -> bool {
    match is_plain(program) {
        true => is_refuted_in_field(graph, program),
        false => is_refuted_by_numbers(program),
    }
}

/// Whether it is a rational function of symbols and of their sines and cosines, in which nothing is to be written out.
fn is_plain(program: &Program) -> bool {
    let inputs = program.inputs.len();
    program.statements.iter().all(|statement| match statement {
        Statement::Let(_, Operation::Number(_) | Operation::Sum(..)) => true,
        Statement::Let(_, Operation::Product(factors)) => {
            factors.iter().all(|(_, e)| e.is_integer())
        }
        Statement::Let(_, Operation::Call(Function::Sin | Function::Cos, x)) => {
            usize::try_from(x[0]).is_ok_and(|slot| slot < inputs)
        }
        _ => false,
    })
}

/// A field for a first look at expressions.
#[derive(Default)]
struct FirstLook(Option<PrimeField>);

fn is_refuted_in_field(graph: &Graph, program: &Program) -> bool {
    graph.kept(|FirstLook(field): &mut FirstLook| {
        let field = field.get_or_insert_with(|| PrimeField::draw(&mut Random(0x1f83_d9ab), 4));
        field.begin_again(false);
        let inputs = program.inputs.len();
        let point: Vec<u64> = (0..inputs).map(|_| field.element()).collect();
        let values = results(program, field, &point);
        values.is_ok_and(|values| values.iter().any(|x| *x != 0))
    })
}

/// Values beyond so many of their error bounds are not 0, whatever the bounds themselves are rounded by.
const SURE: f64 = 1e3;

fn is_refuted_by_numbers(program: &Program) -> bool {
    // Spread out, and below 1: under roots stand sums such as `1 - x^2`.
    let spread = |k: usize| 0.1 + 0.8 * (k as f64 * 0.618_033_988_75).fract();
    let point = (0..program.inputs.len()).map(|k| Bounded::exact(spread(k)));
    let mut values: Vec<Bounded> = point.collect();
    let numbers = program.convert_numbers(&mut Doubles);
    let known = program.run(&mut Doubles, &numbers, &mut values).is_ok();
    let slots = program.outputs.iter().flat_map(|output| &output.slots);
    let mut results = slots.map(|slot| values[*slot as usize]);
    known && results.any(Bounded::is_surely_not_zero)
}

/// A number, and a bound of its error.
#[derive(Debug, Clone, Copy)]
struct Bounded {
    value: f64,
    error: f64,
}

/// Four times what an operation is rounded by at most, and more than functions err.
const ROUNDING: f64 = 2.0 * f64::EPSILON;

impl Bounded {
    fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// A result with what it has inherited, and its own rounding.
    fn rounded(value: f64, inherited: f64) -> Self {
        let error = inherited + ROUNDING * value.abs();
        Self { value, error }
    }

    fn is_surely_not_zero(self) -> bool {
        self.value.is_finite() && self.value.abs() > SURE * self.error
    }

    fn times(self, other: Self) -> Self {
        let (x, y) = (self.value.abs(), other.value.abs());
        let inherited = x * other.error + y * self.error + self.error * other.error;
        Self::rounded(self.value * other.value, inherited)
    }

    /// `1/x`, where that is surely no pole.
    fn recip(self) -> Result<Self, Unknown> {
        let value = 1.0 / self.value;
        let inherited = 2.0 * self.error * value * value;
        self.is_surely_not_zero()
            .then(|| Self::rounded(value, inherited))
            .ok_or(Unknown)
    }

    /// The root, of what is surely positive.
    fn sqrt(self) -> Result<Self, Unknown> {
        let value = self.value.sqrt();
        let positive = self.value > 0.0 && self.is_surely_not_zero();
        positive
            .then(|| Self::rounded(value, self.error / value))
            .ok_or(Unknown)
    }

    /// `x^n` for `n > 0`, by squaring.
    fn repeated(self, n: u32) -> Self {
        if n == 1 {
            return self;
        }
        let half = self.repeated(n / 2);
        let square = half.times(half);
        if n % 2 == 1 {
            square.times(self)
        } else {
            square
        }
    }
}

/// A value that is not to be had in this way.
struct Unknown;

/// Double precision with bounds, for sums, products, roots, sines and cosines.
struct Doubles;

impl Numbers for Doubles {
    type Value = Bounded;
    type Error = Unknown;

    fn number(&mut self, x: &Rational) -> Bounded {
        Bounded::rounded(x.to_f64(), 0.0)
    }

    fn pi(&mut self) -> Bounded {
        Bounded::rounded(std::f64::consts::PI, 0.0)
    }

    fn add(&mut self, x: &Bounded, y: &Bounded) -> Bounded {
        Bounded::rounded(x.value + y.value, x.error + y.error)
    }

    fn mul(&mut self, x: &Bounded, y: &Bounded) -> Bounded {
        x.times(*y)
    }

    fn exact_power(&mut self, x: &Bounded, e: &Rational) -> Result<Bounded, Unknown> {
        let (n, degree) = e.to_i64s().ok_or(Unknown)?;
        let base = match degree {
            1 => *x,
            2 => x.sqrt()?,
            _ => return Err(Unknown),
        };
        let base = if n < 0 { base.recip()? } else { base };
        match u32::try_from(n.unsigned_abs()) {
            Ok(0) => Ok(Bounded::exact(1.0)),
            Ok(n) => Ok(base.repeated(n)),
            Err(_) => Err(Unknown),
        }
    }

    fn power(&mut self, _: &Bounded, _: &Bounded) -> Result<Bounded, Unknown> {
        Err(Unknown)
    }

    fn call(&mut self, f: Function, x: &[&Bounded]) -> Result<Bounded, Unknown> {
        let Bounded { value, error } = *x[0];
        match f {
            // They change by no more than their arguments.
            Function::Sin => Ok(Bounded::rounded(elementary::sin(value), error)),
            Function::Cos => Ok(Bounded::rounded(elementary::cos(value), error)),
            _ => Err(Unknown),
        }
    }

    fn solve(
        &mut self,
        _: &SlotSolve,
        _: Vec<Bounded>,
        _: &mut Vec<Bounded>,
    ) -> Result<(), Unknown> {
        Err(Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::super::locus::compile;
    use super::is_refuted_by_numbers;
    use crate::{Ex, Graph, Rational, vanishes};

    fn refuted(x: Ex<'_>) -> bool {
        is_refuted_by_numbers(&compile(&x.symbols(), &[x]).expect("closed"))
    }

    #[test]
    fn what_vanishes_is_never_refuted() {
        let g = Graph::new();
        let (x, y, z) = (g.symbol("x"), g.symbol("y"), g.symbol("z"));
        let long = (x.sin() + y.sqrt() + z).pow(9);
        let third = g.number(Rational::new(1, 3));
        for zero in [
            x.sqrt() * y.sqrt() - (x * y).sqrt(),
            (x + y) * (x + y).sqrt().recip() - (x + y).sqrt(),
            ((x + y).pow(2) - x.pow(2) - 2 * (x * y) - y.pow(2)) * long,
            3 * (x * third + y) - x - 3 * y,
            (y - y.sqrt().pow(2)) * long,
            (2 * x).sin() - 2 * (x.sin() * x.cos()),
        ] {
            assert!(!refuted(zero), "{zero}");
        }
    }

    #[test]
    fn what_does_not_vanish_needs_no_decision() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        for other in [
            x.sqrt() + y,
            (g.one() - x.pow(2)).sqrt() - (g.one() - y.pow(2)).sqrt(),
            (x + y.sqrt()).sin() - x.sin(),
            (x.sqrt() + y).pow(-3) - x,
        ] {
            assert!(!vanishes(other), "{other}");
        }
        assert!(g.decided().is_empty(), "{:?}", g.decided());
        // Where a root, or a value, does not exist, nothing is seen.
        assert!(!refuted((-x).sqrt() + y) && !refuted(x.power(y) + 1));
    }
}
