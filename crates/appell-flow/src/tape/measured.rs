//! The sizes of a program's results as a tape: [`Measured`](crate::Measured) written out.

use super::Tape;
use super::build::{Builder, ONE, Value, ZERO};
use crate::interp::{BEYOND, CLOSE, LARGEST_ERROR, LOST_ANGLE, WIDE_ANGLE};
use crate::parameters::Parameters;
use appell_expr::{Function, Numbers, Program, Rational, SlotSolve};

/// The inverse of a matrix is written out for its sizes, where it takes at most so many operations.
const MOST_OPERATIONS: usize = 20_000;

/// A value and the size of its terms.
#[derive(Clone, Copy)]
struct Pair {
    value: Value,
    size: Value,
}

/// What cannot be written out.
struct Unwritten;

/// The number system of pairs.
struct Pairs(Builder);

/// The tape of the sizes of a program's results; `None` with large linear systems.
pub(super) fn tape(program: &Program, parameters: &Parameters) -> Option<Tape> {
    let mut pairs = Pairs(Builder::default());
    let inputs = pairs.0.inputs(program, parameters);
    let mut values: Vec<Pair> = inputs.into_iter().map(|x| pairs.exact(x)).collect();
    let numbers = program.convert_numbers(&mut pairs);
    program.run(&mut pairs, &numbers, &mut values).ok()?;
    let results = program.outputs.iter().flat_map(|output| &output.slots);
    let sizes: Vec<Value> = results.map(|slot| values[*slot as usize].size).collect();
    let free = program.inputs.len() - parameters.len() + parameters.driven_count();
    Some(pairs.0.finish(free, &sizes))
}

impl Pairs {
    fn exact(&mut self, value: Value) -> Pair {
        let size = self.0.abs(value);
        Pair { value, size }
    }

    /// As [`Measured`](crate::Measured) has it.
    fn product(&mut self, x: &Pair, y: &Pair) -> Value {
        let (plain, other) = (self.0.abs(x.value), self.0.abs(y.value));
        let mut beside = |size: Value, value: Value| match size == value {
            true => ZERO,
            false => self.0.sub(size, value),
        };
        let (dx, dy) = (beside(x.size, plain), beside(y.size, other));
        let more = self.0.mul(dy, Value::Constant(LARGEST_ERROR));
        let more = self.0.add(other, more);
        let carried = self.0.mul(dx, more);
        let direct = self.0.mul(plain, y.size);
        self.0.add(direct, carried)
    }

    /// `|f| + |f'| size`, where an undefined slope counts as zero.
    fn through(&mut self, value: Value, slope: Value, size: Value) -> Pair {
        let slope = self.0.abs(slope);
        let carried = self.0.mul(slope, size);
        let carried = self.0.or_zero(carried);
        let magnitude = self.0.abs(value);
        let size = self.0.add(magnitude, carried);
        Pair { value, size }
    }

    /// The size of what `min` and `max` choose: the largest of those terms which might be it.
    fn chosen(&mut self, value: Value, terms: &[&Pair]) -> Value {
        let mut all = self.0.abs(value);
        for term in terms {
            let apart = self.0.sub(term.value, value);
            let apart = self.0.abs(apart);
            let close = self.0.mul(term.size, Value::Constant(CLOSE));
            let within = self.0.sub(close, apart);
            let sign = self.0.apply(Function::Sign, &[within]);
            let might_be = self.0.apply(Function::Max, &[sign, ZERO]);
            let size = self.0.mul(might_be, term.size);
            all = self.0.apply(Function::Max, &[all, size]);
        }
        all
    }

    /// The size of an angle: `min(s, 1e4 + 1e-3 s)`, infinite from [`LOST_ANGLE`] on, where `1/max(0, 1e11 - s)` is.
    fn of_angle(&mut self, size: Value) -> Value {
        let beyond = self.0.mul(size, Value::Constant(BEYOND));
        let wide = self.0.add(beyond, Value::Constant(WIDE_ANGLE));
        let known = self.0.apply(Function::Min, &[size, wide]);
        let left = self.0.sub(Value::Constant(LOST_ANGLE), size);
        let left = self.0.apply(Function::Max, &[left, ZERO]);
        let reciprocal = self.0.recip(left);
        let lost = self.0.mul(reciprocal, Value::Constant(f64::from_bits(1)));
        self.0.add(known, lost)
    }

    /// The terms of an equation `a x = b`, or what it is missed by where that is more.
    fn terms(&mut self, a: &[Pair], x: impl Fn(usize) -> Value, b: Pair) -> Value {
        let (mut size, mut missed) = (b.size, b.value);
        for (j, entry) in a.iter().enumerate() {
            let plain = self.0.abs(x(j));
            let term = self.0.mul(entry.size, plain);
            size = self.0.add(size, term);
            let product = self.0.mul(entry.value, x(j));
            missed = self.0.sub(missed, product);
        }
        let missed = self.0.abs(missed);
        let missed = self.0.mul(missed, Value::Constant(1.0 / f64::EPSILON));
        self.0.apply(Function::Max, &[size, missed])
    }

    fn quotient(&mut self, x: Value, y: Value) -> Value {
        let reciprocal = self.0.recip(y);
        self.0.mul(x, reciprocal)
    }

    fn slope(&mut self, f: Function, x: Value, value: Value) -> Value {
        let builder = &mut self.0;
        let square = |builder: &mut Builder, x: Value| builder.mul(x, x);
        match f {
            Function::Sin => builder.apply(Function::Cos, &[x]),
            Function::Cos => builder.apply(Function::Sin, &[x]),
            Function::Sinh => builder.apply(Function::Cosh, &[x]),
            Function::Cosh => builder.apply(Function::Sinh, &[x]),
            Function::Exp => value,
            Function::Log => builder.recip(x),
            Function::Tan => {
                let square = square(builder, value);
                builder.add(ONE, square)
            }
            Function::Tanh => {
                let square = square(builder, value);
                builder.sub(ONE, square)
            }
            Function::Atan => {
                let square = square(builder, x);
                let sum = builder.add(ONE, square);
                builder.recip(sum)
            }
            Function::Asin | Function::Acos => {
                let square = square(builder, x);
                let rest = builder.sub(ONE, square);
                builder.exponent(rest, &Rational::new(-1, 2))
            }
            _ => ONE,
        }
    }
}

impl Numbers for Pairs {
    type Value = Pair;
    type Error = Unwritten;

    fn number(&mut self, x: &Rational) -> Pair {
        self.exact(Value::Constant(x.to_f64()))
    }

    fn pi(&mut self) -> Pair {
        self.exact(Value::Constant(std::f64::consts::PI))
    }

    fn add(&mut self, x: &Pair, y: &Pair) -> Pair {
        Pair {
            value: self.0.add(x.value, y.value),
            size: self.0.add(x.size, y.size),
        }
    }

    fn mul(&mut self, x: &Pair, y: &Pair) -> Pair {
        Pair {
            value: self.0.mul(x.value, y.value),
            size: self.product(x, y),
        }
    }

    fn exact_power(&mut self, x: &Pair, e: &Rational) -> Result<Pair, Unwritten> {
        let value = self.0.exponent(x.value, e);
        match e.to_i64() {
            Some(1) => return Ok(*x),
            // As the interpreter does it.
            Some(n) if n > 1 => {
                let plain = self.0.abs(x.value);
                let others = self.0.exponent(plain, &Rational::from(n - 2));
                let two = self.product(x, x);
                let size = self.0.mul(others, two);
                return Ok(Pair { value, size });
            }
            _ => {}
        }
        let scaled = self.0.mul(value, Value::Constant(e.to_f64()));
        let slope = self.quotient(scaled, x.value);
        Ok(self.through(value, slope, x.size))
    }

    fn power(&mut self, x: &Pair, y: &Pair) -> Result<Pair, Unwritten> {
        let value = self.0.raise(x.value, y.value);
        let scaled = self.0.mul(y.value, value);
        let slope = self.quotient(scaled, x.value);
        let by_base = self.through(value, slope, x.size);
        let log = self.0.apply(Function::Log, &[x.value]);
        let slope = self.0.mul(value, log);
        let by_exponent = self.through(ZERO, slope, y.size);
        let size = self.0.add(by_base.size, by_exponent.size);
        Ok(Pair { value, size })
    }

    fn call(&mut self, f: Function, x: &[&Pair]) -> Result<Pair, Unwritten> {
        let values: Vec<Value> = x.iter().map(|x| x.value).collect();
        let value = self.0.apply(f, &values);
        let larger =
            |builder: &mut Builder, x: Value, y: &&Pair| builder.apply(Function::Max, &[x, y.size]);
        let size = x[1..]
            .iter()
            .fold(x[0].size, |size, y| larger(&mut self.0, size, y));
        Ok(match f {
            Function::Min | Function::Max => Pair {
                value,
                size: self.chosen(value, x),
            },
            Function::Abs => Pair { value, size },
            Function::Atan2 => {
                let squares = values
                    .iter()
                    .map(|x| self.0.mul(*x, *x))
                    .collect::<Vec<_>>();
                let sum = squares.into_iter().fold(ZERO, |sum, x| self.0.add(sum, x));
                let slope = self.0.exponent(sum, &Rational::new(-1, 2));
                self.through(value, slope, size)
            }
            _ => {
                let slope = self.slope(f, values[0], value);
                let size = match f {
                    Function::Sin | Function::Cos | Function::Tan => self.of_angle(size),
                    _ => size,
                };
                self.through(value, slope, size)
            }
        })
    }

    /// As [`Measured`](crate::Measured) has it: `max(|x|, |A^-1| (|A| |x| + |b|))`; of systems that may be singular too,
    /// for where they are the inverse has no value.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Pair>,
        right: &mut Vec<Pair>,
    ) -> Result<(), Unwritten> {
        let (n, columns) = (solve.size, solve.columns);
        if n * n * (n + columns) > MOST_OPERATIONS {
            return Err(Unwritten);
        }
        // The inverse beside the solution, from one elimination.
        let width = columns + n;
        let entry = |i: usize, c: usize| match c.checked_sub(columns) {
            None => right[i * columns + c].value,
            Some(j) if i == j => ONE,
            Some(_) => ZERO,
        };
        let places = (0..n).flat_map(|i| (0..width).map(move |c| (i, c)));
        let mut all: Vec<Value> = places.map(|(i, c)| entry(i, c)).collect();
        let statement = SlotSolve {
            columns: width,
            ..solve.clone()
        };
        let values = matrix.iter().map(|x| x.value).collect();
        self.0.system(&statement, values, &mut all);
        let x = |i: usize, c: usize| all[i * width + c];
        let mut sized = right.clone();
        for c in 0..columns {
            let terms = (0..n)
                .map(|i| self.terms(&matrix[i * n..][..n], |j| x(j, c), right[i * columns + c]));
            let terms: Vec<Value> = terms.collect();
            for i in 0..n {
                let (value, mut carried) = (x(i, c), ZERO);
                for (j, size) in terms.iter().enumerate() {
                    let inverse = self.0.abs(x(i, columns + j));
                    let part = self.0.mul(inverse, *size);
                    carried = self.0.add(carried, part);
                }
                let magnitude = self.0.abs(value);
                let size = self.0.apply(Function::Max, &[magnitude, carried]);
                sized[i * columns + c] = Pair { value, size };
            }
        }
        *right = sized;
        Ok(())
    }
}
