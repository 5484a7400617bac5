//! Programs in double precision: plain values, and values with the size of their terms.

use crate::evaluation::{EvalError, Workspace};
use crate::field::Field;
use crate::functions::{slope, solve_numerically};
use crate::linear::Scratch;
use crate::parameters::Parameters;
use appell_expr::{Function, Numbers, Program, Rational, SlotSolve, SolveKind, elementary};
use std::sync::Arc;

/// A program whose parameters have values: a field of `(t, y)`.
///
/// The program's inputs are `t`, the state, the parameters, in this order.
#[derive(Debug, Clone)]
pub struct Interpreter {
    /// Shared by all values of the parameters.
    program: Arc<Program>,
    numbers: Arc<[f64]>,
    /// Driven only where the program reads what is driven.
    parameters: Parameters,
}

impl Interpreter {
    /// Fixes the values of the last inputs of the program.
    pub fn new(program: Program, parameters: impl Into<Parameters>) -> Self {
        let mut scratch = Scratch::default();
        let numbers = program.convert_numbers(&mut Doubles {
            scratch: &mut scratch,
        });
        Self {
            parameters: parameters.into().for_program(&program),
            program: Arc::new(program),
            numbers: numbers.into(),
        }
    }

    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The values of the last inputs.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The results at `(t, y)`, all outputs one after the other, where they need not be finite.
    ///
    /// # Errors
    /// A linear solve that fails.
    pub fn results(&self, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
        let mut out = vec![0.0; self.outputs()];
        self.eval(&mut Workspace::default(), t, y, &mut out)?;
        Ok(out)
    }

    /// The results with the size of their terms: what rounding errors are to be compared with.
    ///
    /// # Errors
    /// A linear solve that fails.
    pub fn measured(&self, t: f64, y: &[f64]) -> Result<Vec<Measured>, EvalError> {
        let mut scratch = Scratch::default();
        let doubles = Doubles {
            scratch: &mut scratch,
        };
        let mut system = MeasuredDoubles(doubles);
        let numbers: Vec<Measured> = self.numbers.iter().map(|x| Measured::exact(*x)).collect();
        let inputs = self.input_values(t, y);
        let mut values: Vec<Measured> = inputs.map(Measured::exact).collect();
        self.program.run(&mut system, &numbers, &mut values)?;
        Ok(self.result_slots().map(|slot| values[slot]).collect())
    }

    /// The same program with other values of the parameters.
    pub fn with_parameters(&self, parameters: impl Into<Parameters>) -> Self {
        Self {
            parameters: parameters.into().for_program(&self.program),
            ..self.clone()
        }
    }

    /// All inputs of the program at `(t, y)`.
    pub(crate) fn input_values(&self, t: f64, y: &[f64]) -> impl Iterator<Item = f64> {
        let mut parameters = self.parameters.to_vec();
        self.parameters.drive_into(t, y, &mut parameters);
        let state = y.iter().copied();
        [t].into_iter().chain(state).chain(parameters)
    }

    pub(crate) fn result_slots(&self) -> impl Iterator<Item = usize> {
        self.program
            .outputs
            .iter()
            .flat_map(|output| output.slots.iter().map(|s| *s as usize))
    }
}

impl Field for Interpreter {
    fn inputs(&self) -> usize {
        self.program
            .inputs
            .len()
            .saturating_sub(1 + self.parameters.len())
    }

    fn outputs(&self) -> usize {
        self.program.result_len()
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let Workspace { values, linear, .. } = workspace;
        values.clear();
        values.push(t);
        values.extend_from_slice(&y[..self.inputs()]);
        values.extend_from_slice(&self.parameters);
        self.parameters.drive_into(t, &y[..self.inputs()], values);
        self.program
            .run(&mut Doubles { scratch: linear }, &self.numbers, values)?;
        for (out, slot) in out.iter_mut().zip(self.result_slots()) {
            *out = values[slot];
        }
        Ok(())
    }
}

/// The sizes of a program's results instead of the results: see [`Measured`].
#[derive(Debug, Clone)]
pub struct TermSizes(pub Interpreter);

impl Field for TermSizes {
    fn inputs(&self) -> usize {
        self.0.inputs()
    }

    fn outputs(&self) -> usize {
        self.0.outputs()
    }

    fn eval(
        &self,
        _: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let measured = self.0.measured(t, &y[..self.inputs()])?;
        for (out, x) in out.iter_mut().zip(measured) {
            *out = x.size;
        }
        Ok(())
    }
}

/// The number system of double precision. Poles and roots of negative numbers give NaN.
pub(crate) struct Doubles<'w> {
    pub(crate) scratch: &'w mut Scratch,
}

impl Numbers for Doubles<'_> {
    type Value = f64;
    type Error = EvalError;

    fn number(&mut self, x: &Rational) -> f64 {
        x.to_f64()
    }

    fn pi(&mut self) -> f64 {
        std::f64::consts::PI
    }

    fn add(&mut self, x: &f64, y: &f64) -> f64 {
        x + y
    }

    fn mul(&mut self, x: &f64, y: &f64) -> f64 {
        x * y
    }

    fn exact_power(&mut self, x: &f64, e: &Rational) -> Result<f64, EvalError> {
        Ok(e.power_of(*x))
    }

    fn power(&mut self, x: &f64, y: &f64) -> Result<f64, EvalError> {
        Ok(elementary::power(*x, *y))
    }

    fn call(&mut self, f: Function, x: &[&f64]) -> Result<f64, EvalError> {
        Ok(f.value(*x[0], x.get(1).map_or(0.0, |y| **y)))
    }

    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<f64>,
        right: &mut Vec<f64>,
    ) -> Result<(), EvalError> {
        solve_numerically(solve, &matrix, right, self.scratch)
    }
}

/// A value and the size of the terms it was summed from: its rounding error is about
/// `2^-52 size`, however much of it has cancelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The value.
    pub value: f64,
    /// The same sum with absolute values of all terms; functions and factors to first order.
    pub size: f64,
}

/// What is off by more than this part of its terms is no error: beside first orders, products of errors count by it.
pub(crate) const LARGEST_ERROR: f64 = 1e-8;
/// An angle beyond this is known to more digits than other numbers: what is beyond counts by a thousandth. Else nothing
/// would be wrong of a wheel that has turned for hours, and rounding is still 1e-13 of what counts.
pub(crate) const WIDE_ANGLE: f64 = 1e4;
pub(crate) const BEYOND: f64 = 1e-3;
/// Sine and cosine of an angle as large as this are known to five digits at most, and beside its size any equation between
/// them would hold: nothing is known of them.
pub(crate) const LOST_ANGLE: f64 = 1e11;

impl Measured {
    fn exact(value: f64) -> Self {
        Self {
            value,
            size: value.abs(),
        }
    }

    /// The size of a product. With `d = size - |value|` it is `|x y| + |x| dy + |y| dx + 1e-8 dx dy`: what cancels in
    /// one factor is carried by the other's value, not by its terms.
    fn product(x: &Self, y: &Self) -> f64 {
        let (plain, other) = (x.value.abs(), y.value.abs());
        let more = other + LARGEST_ERROR * (y.size - other);
        plain * y.size + (x.size - plain) * more
    }

    /// What the size of an angle counts as: `min(s, 1e4 + 1e-3 s)`, infinite where the angle is lost.
    fn of_angle(size: f64) -> f64 {
        match size < LOST_ANGLE {
            true => size.min(WIDE_ANGLE + BEYOND * size),
            false => f64::INFINITY,
        }
    }

    /// A function value with the function's derivative: `|f| + |f'| size`.
    fn through(value: f64, slope: f64, size: f64) -> Self {
        let carried = slope.abs() * size;
        Self {
            value,
            size: value.abs() + if carried.is_nan() { 0.0 } else { carried },
        }
    }
}

/// Terms that are no further from what `min` and `max` choose than this part of their sizes might be chosen.
pub(crate) const CLOSE: f64 = 1e-12;

/// The size of what is chosen of some terms: that of those which might be.
fn chosen(value: f64, terms: &[&Measured]) -> f64 {
    let is_chosen = |x: &&&Measured| (x.value - value).abs() < CLOSE * x.size;
    let sizes = terms.iter().filter(is_chosen).map(|x| x.size);
    sizes.fold(value.abs(), f64::max)
}

/// The number system of [`Measured`].
struct MeasuredDoubles<'w>(Doubles<'w>);

impl Numbers for MeasuredDoubles<'_> {
    type Value = Measured;
    type Error = EvalError;

    fn number(&mut self, x: &Rational) -> Measured {
        Measured::exact(x.to_f64())
    }

    fn pi(&mut self) -> Measured {
        Measured::exact(std::f64::consts::PI)
    }

    fn add(&mut self, x: &Measured, y: &Measured) -> Measured {
        Measured {
            value: x.value + y.value,
            size: x.size + y.size,
        }
    }

    fn mul(&mut self, x: &Measured, y: &Measured) -> Measured {
        Measured {
            value: x.value * y.value,
            size: Measured::product(x, y),
        }
    }

    fn exact_power(&mut self, x: &Measured, e: &Rational) -> Result<Measured, EvalError> {
        let value = e.power_of(x.value);
        Ok(match e.to_i64() {
            Some(1) => *x,
            // Two factors count as rounded: with all, a sum near 1 to a high power were lost in its terms.
            Some(n) if n > 1 => {
                let others = Rational::from(n - 2).power_of(x.value.abs());
                Measured {
                    value,
                    size: others * Measured::product(x, x),
                }
            }
            _ => Measured::through(value, e.to_f64() * value / x.value, x.size),
        })
    }

    fn power(&mut self, x: &Measured, y: &Measured) -> Result<Measured, EvalError> {
        let value = elementary::power(x.value, y.value);
        let by_base = Measured::through(value, y.value * value / x.value, x.size);
        let by_exponent = Measured::through(0.0, value * elementary::log(x.value), y.size);
        Ok(Measured {
            value,
            size: by_base.size + by_exponent.size,
        })
    }

    fn call(&mut self, f: Function, x: &[&Measured]) -> Result<Measured, EvalError> {
        let (at, second) = (x[0].value, x.get(1).map_or(0.0, |y| y.value));
        let value = f.value(at, second);
        let slope = slope(f, at, value);
        let size = x.iter().map(|x| x.size).fold(0.0, f64::max);
        Ok(match f {
            Function::Min | Function::Max => Measured {
                value,
                size: chosen(value, x),
            },
            Function::Abs => Measured { value, size },
            Function::Atan2 => Measured::through(value, 1.0 / elementary::hypot(at, second), size),
            Function::Sin | Function::Cos | Function::Tan => {
                Measured::through(value, slope, Measured::of_angle(size))
            }
            _ => Measured::through(value, slope, size),
        })
    }

    /// The size of a solution of `A x = b` is `|A^-1| (|A| |x| + |b|)`, which bounds what rounding of
    /// the terms does to it; where the equations are missed by more than that, as elimination may do beside zeros, by what
    /// they are missed by; where the matrix may be singular, its own.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Measured>,
        right: &mut Vec<Measured>,
    ) -> Result<(), EvalError> {
        let plain = |x: &[Measured]| x.iter().map(|x| x.value).collect::<Vec<f64>>();
        let (n, values) = (solve.size, plain(&matrix));
        let mut solution = plain(right);
        self.0.solve(solve, values.clone(), &mut solution)?;
        let inverse = match solve.kind {
            SolveKind::OfRows { .. } => None,
            _ => {
                let mut inverse: Vec<f64> =
                    (0..n * n).map(|k| f64::from(k % (n + 1) == 0)).collect();
                self.0
                    .solve(solve, values, &mut inverse)
                    .ok()
                    .map(|()| inverse)
            }
        };
        let columns = right.len().checked_div(n).unwrap_or(0);
        let term = |i: usize, c: usize| -> f64 {
            let b = right[i * columns + c];
            let (mut size, mut missed) = (b.size, b.value);
            for j in 0..n {
                let (entry, x) = (matrix[i * n + j], solution[j * columns + c]);
                size += entry.size * x.abs();
                missed -= entry.value * x;
            }
            size.max(missed.abs() / f64::EPSILON)
        };
        let terms: Vec<f64> = (0..right.len())
            .map(|k| term(k / columns, k % columns))
            .collect();
        let carried = |inverse: &Vec<f64>, k: usize| -> f64 {
            let (i, c) = (k / columns, k % columns);
            (0..n)
                .map(|j| inverse[i * n + j].abs() * terms[j * columns + c])
                .sum()
        };
        let sized = |(k, value): (usize, &f64)| Measured {
            value: *value,
            size: value
                .abs()
                .max(inverse.as_ref().map_or(0.0, |inverse| carried(inverse, k))),
        };
        *right = solution.iter().enumerate().map(sized).collect();
        Ok(())
    }
}
