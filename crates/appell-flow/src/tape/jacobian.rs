//! The exact Jacobian of a tape: its operations on numbers with their derivatives along every component of
//! the state [griewank2008, sect. 3.1].

use super::{Op, Register, Tape};
use crate::evaluation::{EvalError, Workspace};
use crate::functions::slope;
use crate::linear::Factored;
use appell_expr::Function;

/// Room for the Jacobians of one tape.
#[derive(Default)]
pub(crate) struct Derivatives {
    registers: Vec<f64>,
    /// A row of derivatives for each register.
    tangents: Vec<f64>,
    factored: Factored,
    right: Vec<f64>,
    solution: Vec<f64>,
}

impl Derivatives {
    /// Writes `df_i / dy_j` at `(t, y)`, a row for each result; the columns are what the tape reads of the
    /// state.
    ///
    /// At a corner (`abs` at 0, `min` of equal numbers) one of the derivatives is taken.
    ///
    /// # Errors
    /// Those of the tape; a derivative that is not finite.
    pub fn jacobian(
        &mut self,
        tape: &Tape,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvalError> {
        let m = tape.inputs - 1;
        let length = tape.first() + tape.ops.len();
        self.registers.clear();
        self.registers.push(t);
        self.registers.extend_from_slice(&y[..m]);
        self.registers.extend_from_slice(&tape.constants);
        self.registers.resize(length, 0.0);
        workspace.linear.rewind();
        let regular = tape.is_regular(&workspace.linear);
        tape.run(&mut self.registers, &mut workspace.linear)?;
        let direct = regular && tape.is_written_out(|x| self.registers[x as usize]);
        self.tangents.clear();
        self.tangents.resize(length * m, 0.0);
        (0..m).for_each(|j| self.tangents[(j + 1) * m + j] = 1.0);
        for (target, op) in (tape.first()..).zip(&tape.ops) {
            match *op {
                Op::Solve(index) => {
                    let index = index as usize;
                    let held = workspace.linear.held(index);
                    self.solve(tape, index, target, m, direct, held)?;
                }
                Op::Part => {}
                Op::SinCos(x) => {
                    let (sin, cos) = (self.registers[target], self.registers[target + 1]);
                    self.combine(m, target, (x, cos), (x, 0.0));
                    self.combine(m, target + 1, (x, -sin), (x, 0.0));
                }
                _ => {
                    let (x, y) = self.partials(target, op);
                    self.combine(m, target, x, y);
                }
            }
        }
        for (row, output) in out.chunks_exact_mut(m.max(1)).zip(&tape.outputs) {
            let place = *output as usize * m;
            row.copy_from_slice(&self.tangents[place..place + m]);
        }
        match out.iter().all(|x| x.is_finite()) {
            true => Ok(()),
            false => Err(EvalError::NotFinite {
                what: "a derivative of the field".to_owned(),
            }),
        }
    }

    /// The arguments of an operation with its derivatives by them.
    fn partials(&self, target: usize, op: &Op) -> ((Register, f64), (Register, f64)) {
        let at = |register: Register| self.registers[register as usize];
        let value = self.registers[target];
        let one = |x: Register, by: f64| ((x, by), (x, 0.0));
        match *op {
            Op::Neg(x) => one(x, -1.0),
            Op::Abs(x) => one(x, at(x).signum()),
            Op::Sqrt(x) => one(x, 0.5 / value),
            Op::OrZero(x) => one(x, 1.0),
            Op::Add(x, y) => ((x, 1.0), (y, 1.0)),
            Op::Sub(x, y) => ((x, 1.0), (y, -1.0)),
            Op::Mul(x, y) => ((x, at(y)), (y, at(x))),
            Op::Div(x, y) => ((x, 1.0 / at(y)), (y, -value / at(y))),
            Op::Power(x, y) => {
                let by_base = at(y) * at(x).powf(at(y) - 1.0);
                let log = if value == 0.0 { 0.0 } else { at(x).ln() };
                ((x, by_base), (y, value * log))
            }
            Op::Call(f, x, y) => match f {
                Function::Abs => one(x, at(x).signum()),
                Function::Sign => one(x, 0.0),
                Function::Min | Function::Max => {
                    let first = f64::from(u8::from(value == at(x)));
                    ((x, first), (y, 1.0 - first))
                }
                Function::Atan2 => {
                    let square = at(x) * at(x) + at(y) * at(y);
                    ((x, at(y) / square), (y, -at(x) / square))
                }
                _ => one(x, slope(f, at(x), value)),
            },
            Op::SinCos(x) | Op::Solve(x) => one(x, 0.0),
            Op::Part => ((0, 0.0), (0, 0.0)),
        }
    }

    /// `dz = a dx + b dy`; a factor does not matter where its differential vanishes.
    fn combine(&mut self, m: usize, z: usize, x: (Register, f64), y: (Register, f64)) {
        let (before, rest) = self.tangents.split_at_mut(z * m);
        for (place, factor) in [x, y] {
            let place = place as usize * m;
            let (Some(row), true) = (before.get(place..place + m), factor != 0.0) else {
                continue;
            };
            for (out, dx) in rest[..m].iter_mut().zip(row) {
                *out += if *dx == 0.0 { 0.0 } else { factor * dx };
            }
        }
    }

    /// `A dX = dB - dA X`
    fn solve(
        &mut self,
        tape: &Tape,
        index: usize,
        target: usize,
        m: usize,
        direct: bool,
        held: Option<usize>,
    ) -> Result<(), EvalError> {
        let solve = &tape.solves[index];
        let row = |register: Register| register as usize * m..(register as usize + 1) * m;
        if let Some(direct) = solve.direct.as_ref().filter(|_| direct) {
            for (k, register) in direct.solution.iter().enumerate() {
                let place = row((target + k) as Register).start;
                self.tangents.copy_within(row(*register), place);
            }
            return Ok(());
        }
        let n = solve.statement.size;
        let columns = solve.statement.columns;
        let error = |_| EvalError::Singular {
            what: format!("the linear system for {}", solve.statement.name),
        };
        let loose = solve.is_consistent();
        let entries = solve.matrix.iter().map(|x| self.registers[*x as usize]);
        let held = held.filter(|_| loose);
        self.factored
            .prepare(n, entries, loose, held)
            .map_err(error)?;
        self.right.clear();
        for (place, b) in solve.right.iter().enumerate() {
            let (i, c) = (place / columns, place % columns);
            let from = self.right.len();
            self.right.extend_from_slice(&self.tangents[row(*b)]);
            for (j, a) in solve.matrix[i * n..(i + 1) * n].iter().enumerate() {
                let x = self.registers[target + j * columns + c];
                let tangent = &self.tangents[row(*a)];
                let right = self.right[from..].iter_mut().zip(tangent);
                right.for_each(|(right, da)| *right -= da * x);
            }
        }
        self.factored
            .solve(&self.right, &mut self.solution)
            .map_err(error)?;
        let place = target * m;
        self.tangents[place..place + self.solution.len()].copy_from_slice(&self.solution);
        Ok(())
    }
}
