//! Exact derivatives of one function by everything that it reads: programs run backwards.

use crate::evaluation::EvalError;
use crate::functions::{slope, solve_numerically};
use crate::interp::{Doubles, Interpreter};
use crate::linear::Scratch;
use appell_expr::{Function, Operation, Rational, SlotSolve, SolveKind, Statement};

/// The results of a program, and the derivatives of a weighted sum of them by all of its inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pullback {
    /// The results.
    pub results: Vec<f64>,
    /// By the time.
    pub time: f64,
    /// By the components of the state.
    pub state: Vec<f64>,
    /// By the parameters; those that are driven as if they were constants.
    pub parameters: Vec<f64>,
}

impl Interpreter {
    /// The derivatives of `Sum_i weights_i f_i(t, y, p)` by `t`, `y` and `p`, at the cost of a few evaluations however many
    /// these are [griewank2008, sect. 3.2]. `rank` is that of constraint rows which depend on each other all about the state.
    ///
    /// # Errors
    /// A linear solve that fails; a corner that matters, such as `abs` at 0.
    pub fn pullback(
        &self,
        t: f64,
        y: &[f64],
        weights: &[f64],
        rank: Option<usize>,
    ) -> Result<Pullback, EvalError> {
        let program = self.program();
        let mut values: Vec<f64> = self.input_values(t, y).collect();
        let mut scratch = Scratch::default();
        scratch.set_row_rank(rank);
        let mut system = Doubles {
            scratch: &mut scratch,
        };
        let numbers = program.convert_numbers(&mut system);
        program.run(&mut system, &numbers, &mut values)?;
        let mut reverse = Reverse {
            values: &values,
            numbers: &numbers,
            bars: vec![0.0; program.slots],
            scratch: &mut scratch,
        };
        for (slot, weight) in self.result_slots().zip(weights) {
            reverse.bars[slot] += weight;
        }
        for statement in program.statements.iter().rev() {
            match statement {
                Statement::Let(slot, operation) => {
                    let bar = reverse.bars[*slot as usize];
                    if bar != 0.0 {
                        reverse.through(*slot as usize, operation, bar)?;
                    }
                }
                Statement::Solve(solve) => reverse.through_solve(solve)?,
            }
        }
        let bars = reverse.bars;
        Ok(Pullback {
            results: self.result_slots().map(|slot| values[slot]).collect(),
            time: bars[0],
            state: bars[1..=y.len()].to_vec(),
            parameters: bars[1 + y.len()..program.inputs.len()].to_vec(),
        })
    }
}

/// The values of a run, and how the sum changes with each.
struct Reverse<'r> {
    values: &'r [f64],
    numbers: &'r [f64],
    bars: Vec<f64>,
    scratch: &'r mut Scratch,
}

impl Reverse<'_> {
    fn through(&mut self, slot: usize, operation: &Operation, bar: f64) -> Result<(), EvalError> {
        match operation {
            Operation::Number(_) | Operation::Pi => {}
            Operation::Sum(_, terms) => {
                for (x, coefficient) in terms {
                    self.bars[*x as usize] += bar * self.numbers[*coefficient as usize];
                }
            }
            Operation::Product(factors) => {
                for (place, (x, exponent)) in factors.iter().enumerate() {
                    let others = factors.iter().enumerate().filter(|(i, _)| *i != place);
                    let others: f64 = others
                        .map(|(_, (y, e))| e.power_of(self.values[*y as usize]))
                        .product();
                    let below = exponent - &Rational::one();
                    let derivative = exponent.to_f64() * below.power_of(self.values[*x as usize]);
                    self.bars[*x as usize] += bar * others * derivative;
                }
            }
            Operation::Power(base, exponent) => {
                let (x, e) = (self.values[*base as usize], self.values[*exponent as usize]);
                let value = self.values[slot];
                self.bars[*base as usize] += bar * e * x.powf(e - 1.0);
                if value != 0.0 {
                    self.bars[*exponent as usize] += bar * value * x.ln();
                }
            }
            Operation::Call(f, arguments) => {
                let at = |i: usize| arguments.get(i).map_or(0.0, |x| self.values[*x as usize]);
                let slopes = slopes(*f, at(0), at(1), self.values[slot])?;
                for (x, slope) in arguments.iter().zip(slopes) {
                    self.bars[*x as usize] += bar * slope;
                }
            }
        }
        Ok(())
    }

    /// `K X = R`: with `K^T Y = X_bar` the sum changes by `Y` with `R` and by `-Y X^T` with `K`.
    fn through_solve(&mut self, solve: &SlotSolve) -> Result<(), EvalError> {
        let (n, r) = (solve.size, solve.columns);
        let first = solve.unknowns as usize;
        let mut y = self.bars[first..first + n * r].to_vec();
        if y.iter().all(|bar| *bar == 0.0) {
            return Ok(());
        }
        let entry = |i: usize, j: usize| self.values[solve.matrix[i * n + j] as usize];
        let turned = matches!(solve.kind, SolveKind::General | SolveKind::Chosen);
        let matrix: Vec<f64> = (0..n * n)
            .map(|place| match turned {
                true => entry(place % n, place / n),
                false => entry(place / n, place % n),
            })
            .collect();
        solve_numerically(solve, &matrix, &mut y, self.scratch)?;
        for (slot, y) in solve.right.iter().zip(&y) {
            self.bars[*slot as usize] += y;
        }
        for i in 0..n {
            for j in 0..n {
                let columns = 0..r;
                let moved = columns.map(|c| y[i * r + c] * self.values[first + j * r + c]);
                let moved: f64 = moved.sum();
                self.bars[solve.matrix[i * n + j] as usize] -= moved;
            }
        }
        Ok(())
    }
}

/// The derivatives of a function by its arguments.
fn slopes(f: Function, x: f64, y: f64, value: f64) -> Result<[f64; 2], EvalError> {
    let corner = || EvalError::NotFinite {
        what: format!("the derivative of `{}` at its corner", f.name()),
    };
    Ok(match f {
        Function::Abs | Function::Sign if x == 0.0 => return Err(corner()),
        Function::Min | Function::Max if x == y => return Err(corner()),
        Function::Abs => [x.signum(), 0.0],
        Function::Sign => [0.0, 0.0],
        Function::Min | Function::Max if value == x => [1.0, 0.0],
        Function::Min | Function::Max => [0.0, 1.0],
        Function::Atan2 => {
            let square = x * x + y * y;
            [y / square, -x / square]
        }
        _ => [slope(f, x, value), 0.0],
    })
}
