//! Tapes of programs with their derivatives: the program is run over registers with derivatives instead of
//! numbers, so that what is left is again a tape, for every backend [griewank2008, sect. 3.1].

use super::Tape;
use super::build::{Builder, ONE, Value, ZERO};
use crate::direction::Direction;
use crate::parameters::Parameters;
use appell_expr::{Function, Numbers, Program, Rational, SlotSolve};
use std::convert::Infallible;

/// A register with its derivatives along the directions; without any where all of them vanish.
#[derive(Clone)]
struct Moving {
    value: Value,
    along: Vec<Value>,
}

impl Moving {
    fn still(value: Value) -> Moving {
        Moving {
            value,
            along: Vec::new(),
        }
    }

    fn along(&self, direction: usize) -> Value {
        self.along.get(direction).copied().unwrap_or(ZERO)
    }
}

/// The tape of a program's results and, behind them, their derivatives, direction after direction.
///
/// It reads the time, the state, the state's part of each direction, the last `still` components of the state, which do
/// not change along any direction, then what is driven and its change along each direction. Beside a corner (`abs` at 0, `min` of equal numbers) the mean of both derivatives is taken.
pub(super) fn tape(
    program: &Program,
    parameters: &Parameters,
    directions: &[Direction],
    still: usize,
) -> Tape {
    let driven = parameters.driven_count();
    let state = program.inputs.len() - parameters.len() - 1 - still;
    let mut system = Tangents {
        builder: Builder::default(),
        count: directions.len(),
    };
    let mut values = system.inputs(parameters, directions, (state, still, driven));
    let numbers = program.convert_numbers(&mut system);
    let Ok(()) = program.run(&mut system, &numbers, &mut values);
    let slots = program.outputs.iter().flat_map(|output| &output.slots);
    let results: Vec<&Moving> = slots.map(|slot| &values[*slot as usize]).collect();
    let plain = results.iter().map(|result| result.value);
    let derivatives = (0..directions.len()).flat_map(|d| results.iter().map(move |x| x.along(d)));
    let all: Vec<Value> = plain.chain(derivatives).collect();
    let inputs = 1 + (state + driven) * (1 + directions.len()) + still;
    system.builder.finish(inputs, &all)
}

/// The number system of [`Moving`].
struct Tangents {
    builder: Builder,
    count: usize,
}

impl Tangents {
    /// The values of a program's inputs: the time, the state, the parameters that are fixed, those that are driven.
    fn inputs(
        &mut self,
        parameters: &Parameters,
        directions: &[Direction],
        (state, still, driven): (usize, usize, usize),
    ) -> Vec<Moving> {
        let count = directions.len();
        let fixed = parameters.len() - driven;
        let constants = |changes: Vec<f64>| -> Vec<Value> {
            match changes.iter().all(|x| *x == 0.0) {
                true => Vec::new(),
                false => changes.into_iter().map(Value::Constant).collect(),
            }
        };
        let mut inputs = vec![Moving {
            value: self.builder.input(0),
            along: constants(directions.iter().map(|d| d.time).collect()),
        }];
        let behind = 1 + state * (1 + count);
        let first = behind + still;
        inputs.extend((0..state).map(|i| self.moving(1 + i, state, count)));
        let place = behind as u32..first as u32;
        inputs.extend(place.map(|i| Moving::still(self.builder.input(i))));
        for (j, value) in parameters.iter().take(fixed).enumerate() {
            let changes = directions.iter().map(|d| d.parameters[j]).collect();
            inputs.push(Moving {
                value: Value::Constant(*value),
                along: constants(changes),
            });
        }
        inputs.extend((0..driven).map(|i| self.moving(first + i, driven, count)));
        inputs
    }

    /// The input of this place, one of so many that stand together, with their changes behind them.
    fn moving(&mut self, place: usize, size: usize, count: usize) -> Moving {
        let input = |builder: &mut Builder, k: usize| builder.input((place + k * size) as u32);
        Moving {
            value: input(&mut self.builder, 0),
            along: (1..=count).map(|k| input(&mut self.builder, k)).collect(),
        }
    }

    /// `a b`; nothing where the differential `b` vanishes, whatever its factor is.
    fn term(&mut self, a: Value, b: Value) -> Value {
        match b == ZERO {
            true => ZERO,
            false => self.builder.mul(a, b),
        }
    }

    /// `a dx + b dy`
    fn combined(&mut self, a: Value, x: &Moving, b: Value, y: &Moving) -> Vec<Value> {
        if x.along.is_empty() && y.along.is_empty() {
            return Vec::new();
        }
        let mut sums = Vec::with_capacity(self.count);
        for d in 0..self.count {
            let (first, second) = (self.term(a, x.along(d)), self.term(b, y.along(d)));
            sums.push(self.builder.add(first, second));
        }
        sums
    }

    /// `a dx`
    fn scaled(&mut self, a: Value, x: &Moving) -> Vec<Value> {
        self.combined(a, x, ZERO, &Moving::still(ZERO))
    }

    /// `1 + c x^2`
    fn one_and_square(&mut self, c: f64, x: Value) -> Value {
        let square = self.builder.mul(x, x);
        let square = self.builder.mul(square, Value::Constant(c));
        self.builder.add(ONE, square)
    }

    /// `f'(x)`, where `f(x) = value`, for functions of one argument.
    fn slope(&mut self, f: Function, x: Value, value: Value) -> Value {
        match f {
            Function::Sin => self.builder.apply(Function::Cos, &[x]),
            Function::Cos => {
                let sin = self.builder.apply(Function::Sin, &[x]);
                self.builder.neg(sin)
            }
            Function::Sinh => self.builder.apply(Function::Cosh, &[x]),
            Function::Cosh => self.builder.apply(Function::Sinh, &[x]),
            Function::Abs => self.builder.apply(Function::Sign, &[x]),
            Function::Exp => value,
            Function::Log => self.builder.recip(x),
            Function::Tan => self.one_and_square(1.0, value),
            Function::Tanh => self.one_and_square(-1.0, value),
            Function::Atan => {
                let square = self.one_and_square(1.0, x);
                self.builder.recip(square)
            }
            Function::Asin | Function::Acos => {
                let square = self.one_and_square(-1.0, x);
                let slope = self.builder.exponent(square, &Rational::new(-1, 2));
                match f {
                    Function::Asin => slope,
                    _ => self.builder.neg(slope),
                }
            }
            Function::Sign | Function::Atan2 | Function::Min | Function::Max => ZERO,
        }
    }

    /// The derivatives of a function of two arguments by each.
    fn slopes(&mut self, f: Function, x: Value, y: Value) -> (Value, Value) {
        match f {
            Function::Atan2 => {
                let (square, other) = (self.builder.mul(x, x), self.builder.mul(y, y));
                let square = self.builder.add(square, other);
                let reciprocal = self.builder.recip(square);
                let (first, second) = (
                    self.builder.mul(y, reciprocal),
                    self.builder.mul(x, reciprocal),
                );
                (first, self.builder.neg(second))
            }
            Function::Min | Function::Max => {
                let difference = self.builder.sub(x, y);
                let sign = self.builder.apply(Function::Sign, &[difference]);
                let half = self.builder.mul(sign, Value::Constant(0.5));
                let greater = self.builder.add(Value::Constant(0.5), half);
                let less = self.builder.sub(Value::Constant(0.5), half);
                match f {
                    Function::Max => (greater, less),
                    _ => (less, greater),
                }
            }
            _ => (ZERO, ZERO),
        }
    }

    /// `dB - dA X`, for each entry of `B` along each direction.
    fn moved_right(
        &mut self,
        solve: &SlotSolve,
        matrix: &[Moving],
        right: &[Moving],
        x: &[Value],
    ) -> Vec<Value> {
        let (n, columns) = (solve.size, solve.columns);
        let mut moved = Vec::with_capacity(right.len() * self.count);
        for (place, b) in right.iter().enumerate() {
            let row = &matrix[place / columns * n..(place / columns + 1) * n];
            for d in 0..self.count {
                let mut rest = b.along(d);
                for (j, a) in row.iter().enumerate() {
                    let term = self.term(x[j * columns + place % columns], a.along(d));
                    rest = self.builder.sub(rest, term);
                }
                moved.push(rest);
            }
        }
        moved
    }
}

impl Numbers for Tangents {
    type Value = Moving;
    type Error = Infallible;

    fn number(&mut self, x: &Rational) -> Moving {
        Moving::still(Value::Constant(x.to_f64()))
    }

    fn pi(&mut self) -> Moving {
        Moving::still(Value::Constant(std::f64::consts::PI))
    }

    fn add(&mut self, x: &Moving, y: &Moving) -> Moving {
        Moving {
            value: self.builder.add(x.value, y.value),
            along: self.combined(ONE, x, ONE, y),
        }
    }

    fn mul(&mut self, x: &Moving, y: &Moving) -> Moving {
        Moving {
            value: self.builder.mul(x.value, y.value),
            along: self.combined(y.value, x, x.value, y),
        }
    }

    /// `d x^e = e x^(e-1) dx`
    fn exact_power(&mut self, x: &Moving, e: &Rational) -> Result<Moving, Infallible> {
        let value = self.builder.exponent(x.value, e);
        if x.along.is_empty() {
            return Ok(Moving::still(value));
        }
        let below = &e.clone() - &Rational::one();
        let power = self.builder.exponent(x.value, &below);
        let slope = self.builder.mul(power, Value::Constant(e.to_f64()));
        Ok(Moving {
            value,
            along: self.scaled(slope, x),
        })
    }

    /// `d x^y = y x^(y-1) dx + x^y log x dy`
    fn power(&mut self, x: &Moving, y: &Moving) -> Result<Moving, Infallible> {
        let value = self.builder.raise(x.value, y.value);
        let below = self.builder.sub(y.value, ONE);
        let power = self.builder.raise(x.value, below);
        let by_base = self.builder.mul(power, y.value);
        let by_exponent = match y.along.is_empty() {
            true => ZERO,
            false => {
                let log = self.builder.apply(Function::Log, &[x.value]);
                self.builder.mul(value, log)
            }
        };
        let along = self.combined(by_base, x, by_exponent, y);
        Ok(Moving { value, along })
    }

    fn call(&mut self, f: Function, x: &[&Moving]) -> Result<Moving, Infallible> {
        let arguments: Vec<Value> = x.iter().map(|x| x.value).collect();
        let value = self.builder.apply(f, &arguments);
        let along = match x {
            [x] if !x.along.is_empty() => {
                let slope = self.slope(f, x.value, value);
                self.scaled(slope, x)
            }
            [x, y] if !x.along.is_empty() || !y.along.is_empty() => {
                let (by_first, by_second) = self.slopes(f, x.value, y.value);
                self.combined(by_first, x, by_second, y)
            }
            _ => Vec::new(),
        };
        Ok(Moving { value, along })
    }

    /// `A X = B` and, with the same matrix, `A dX = dB - dA X`; of a redundant system some solution's derivative.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Moving>,
        right: &mut Vec<Moving>,
    ) -> Result<(), Infallible> {
        let plain: Vec<Value> = matrix.iter().map(|a| a.value).collect();
        let mut x: Vec<Value> = right.iter().map(|b| b.value).collect();
        let Ok(()) = self.builder.solve(solve, plain.clone(), &mut x);
        let mut moved = self.moved_right(solve, &matrix, right, &x);
        if moved.iter().all(|entry| *entry == ZERO) {
            *right = x.into_iter().map(Moving::still).collect();
            return Ok(());
        }
        let several = SlotSolve {
            columns: solve.columns * self.count,
            ..solve.clone()
        };
        let Ok(()) = self.builder.solve(&several, plain, &mut moved);
        let along = moved.chunks(self.count).map(<[Value]>::to_vec);
        let pairs = x.into_iter().zip(along);
        *right = pairs
            .map(|(value, along)| Moving { value, along })
            .collect();
        Ok(())
    }
}
