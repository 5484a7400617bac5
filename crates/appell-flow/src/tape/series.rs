//! Taylor series of a motion `y' = f(t, y)` by recurrence along the operations of a tape
//! [jorba2005; moore1979, sect. 3.4; griewank2008, sect. 13.2].
//!
//! Every register has its coefficients `x_0, x_1, ...` in powers of the time since the expansion point,
//! once forwards and once backwards, so that a product is a sum over two runs of memory. Order 0 is a run of
//! the tape; then all operations that vary in time are done for order 1, then for order 2, and so on, with
//! `y_{k+1} = f_k / (k + 1)`. What is constant in time takes no part in convolutions.

mod plan;

use super::{Register, Tape};
use crate::evaluation::{EvalError, Workspace};
use crate::linear::Factored;
use std::convert::Infallible;

/// The place of a series.
pub(crate) type Slot = u32;

/// No series.
pub(crate) const NONE: Slot = Slot::MAX;

/// The recurrence for one operation: the coefficient `z_k` from those of lower order and from `x_k`, `y_k`.
#[derive(Debug, Clone, Copy)]
#[rustfmt::skip]
pub(crate) enum Step {
    /// `z = -x`
    Neg { z: Slot, x: Slot },
    /// `z = x` beyond order 0.
    Copy { z: Slot, x: Slot },
    Add { z: Slot, x: Slot, y: Slot },
    Sub { z: Slot, x: Slot, y: Slot },
    Mul { z: Slot, x: Slot, y: Slot },
    /// `z = c x` with a constant `c`.
    Scale { z: Slot, x: Slot, c: Slot },
    Square { z: Slot, x: Slot },
    /// `y z = x`
    Div { z: Slot, x: Slot, y: Slot },
    /// `y z = c` with a constant `c`.
    Over { z: Slot, y: Slot },
    /// `z = x / c` with a constant `c`.
    Unscale { z: Slot, x: Slot, c: Slot },
    /// `z^2 = x`
    Sqrt { z: Slot, x: Slot },
    /// `z = j x_j`, the series of `t x'`.
    Rate { z: Slot, x: Slot },
    /// `z' = y x'`, from `rate = t x'`.
    Integral { z: Slot, y: Slot, rate: Slot },
    /// `z' = -y x'`
    MinusIntegral { z: Slot, y: Slot, rate: Slot },
    /// `y z' = x'`, with `rate` that of `x` and `dz` that of `z`.
    Quotient { z: Slot, y: Slot, rate: Slot, dz: Slot },
    /// `x z' = a z x'` with a constant `a`.
    Power { z: Slot, x: Slot, a: Slot, rate: Slot, dz: Slot },
    /// `w z' = x y' - y x'` with `w = x^2 + y^2`.
    Angle { z: Slot, w: Slot, x: Slot, y: Slot, rates: (Slot, Slot), dz: Slot },
    /// `z = +-x` by the branch taken.
    Branch { z: Slot, switch: u32 },
    /// The unknowns of a linear system.
    Solve(u32),
}

/// Where an operation changes its formula: `|x|`, `sign x` at `x = 0`, `min`, `max` at `x = y`.
#[derive(Debug, Clone, Copy)]
struct Switch {
    x: Slot,
    y: Option<Slot>,
    /// What the operation is above and below.
    above: (f64, bool),
    below: (f64, bool),
}

/// A solve by recurrence: `A_0 x_k = b_k - Sum_{j >= 1} A_j x_{k-j}` with one factorisation.
struct System {
    index: usize,
    matrix: Vec<Slot>,
    right: Vec<Slot>,
    unknowns: Vec<Slot>,
    factored: Factored,
}

/// What is to be done for each order, for one choice between written-out and numerical solutions.
#[derive(Default)]
pub(crate) struct Plan {
    pub steps: Vec<Step>,
    switches: Vec<Switch>,
    systems: Vec<System>,
    /// Per register, its series.
    pub slots: Vec<Slot>,
    /// Auxiliary series: what they are at order 0, in the order of their slots from the first.
    pub auxiliary: Vec<(Auxiliary, Register)>,
    pub count: usize,
}

/// A series that no register holds, by its value at order 0.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Auxiliary {
    Zero,
    Sin,
    Cos,
    Sinh,
    Cosh,
    Log,
    /// `1 + x^2`, `1 - x^2`
    Plus,
    Minus,
    /// `sqrt(1 - x^2)`, and its negative
    Root,
    MinusRoot,
    /// `x^2 + y^2`
    Norm(Register),
    /// `y log x`
    Exponent(Register),
}

/// The series of one tape to a fixed order.
pub(crate) struct Series<'a> {
    tape: &'a Tape,
    order: usize,
    /// With written-out solutions; and with numerical ones for all systems, made when first needed.
    direct: Plan,
    numerical: Option<Plan>,
    registers: Vec<f64>,
    /// The plan of the last expansion.
    written: Option<bool>,
    /// Rows of `order + 1`: forwards, and backwards.
    forward: Vec<f64>,
    backward: Vec<f64>,
    solving: Solving,
}

/// Room for one order of a linear system.
#[derive(Default)]
struct Solving {
    right: Vec<f64>,
    solution: Vec<f64>,
}

/// The polynomials of a motion about one point.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expansion {
    /// The coefficients, a row of all components for each order.
    pub rows: Vec<f64>,
    /// The polynomials that must keep their signs, a row for each, and these signs.
    switches: Vec<f64>,
    signs: Vec<f64>,
}

impl<'a> Series<'a> {
    pub fn new(tape: &'a Tape, order: usize) -> Series<'a> {
        let direct = Plan::new(tape, true);
        Series {
            tape,
            order,
            numerical: None,
            registers: Vec::new(),
            written: None,
            forward: Vec::new(),
            backward: Vec::new(),
            solving: Solving::default(),
            direct,
        }
    }

    /// Writes the coefficients of the motion through `(t, y)`; `ahead` is the direction of time, which
    /// decides the branch of what stands at a corner.
    ///
    /// # Errors
    /// Those of the tape; a coefficient that is not finite.
    pub fn expand(
        &mut self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        ahead: f64,
        out: &mut Expansion,
    ) -> Result<(), EvalError> {
        let tape = self.tape;
        let written = self.values(workspace, t, y)?;
        let plan = match written {
            true => &mut self.direct,
            false => self.numerical.get_or_insert_with(|| Plan::new(tape, false)),
        };
        let stride = self.order + 1;
        // Every coefficient that varies is written anew; the others are zero beyond order 0.
        if self.written != Some(written) {
            self.written = Some(written);
            for table in [&mut self.forward, &mut self.backward] {
                table.clear();
                table.resize(plan.count * stride, 0.0);
            }
        }
        let mut table = Table {
            stride,
            forward: &mut self.forward,
            backward: &mut self.backward,
        };
        plan.begin(tape, &self.registers, &workspace.linear, &mut table)?;
        out.begin(&y[..tape.outputs.len()], stride, plan.switches.len());
        plan.first_signs(&table, &mut out.signs);
        plan.integrate(tape, 0, &mut table, out);
        table.set(0, 1, 1.0);
        for k in 1..self.order {
            plan.order(k, &mut table, ahead, &mut out.signs, &mut self.solving)?;
            plan.integrate(tape, k, &mut table, out);
        }
        if !out.rows.iter().all(|x| x.is_finite()) {
            return Err(EvalError::NotFinite {
                what: "a Taylor coefficient of the motion".to_owned(),
            });
        }
        out.switches.clear();
        for switch in &plan.switches {
            let difference = |k: usize| switch.difference(&table, k);
            out.switches.extend((0..self.order).map(difference));
        }
        Ok(())
    }

    /// Order 0, a run of the tape; tells whether the written-out solutions hold here.
    fn values(&mut self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<bool, EvalError> {
        let tape = self.tape;
        self.registers.clear();
        self.registers.push(t);
        self.registers.extend_from_slice(&y[..tape.inputs - 1]);
        self.registers.extend_from_slice(&tape.constants);
        self.registers.resize(tape.first() + tape.ops.len(), 0.0);
        workspace.linear.rewind();
        let regular = tape.is_regular(&workspace.linear);
        tape.run(&mut self.registers, &mut workspace.linear)?;
        let at = |register: Register| self.registers[register as usize];
        Ok(regular && tape.is_written_out(at))
    }
}

impl Expansion {
    /// Has the coefficients written by code for formulas that do not change; whether it could.
    pub fn by(&mut self, write: impl FnOnce(&mut Vec<f64>) -> bool) -> bool {
        self.switches.clear();
        self.signs.clear();
        write(&mut self.rows)
    }

    /// The motion at order 0, and room for the other orders.
    fn begin(&mut self, y: &[f64], stride: usize, switches: usize) {
        self.rows.clear();
        self.rows.extend_from_slice(y);
        self.rows.resize(y.len() * stride, 0.0);
        self.signs.clear();
        self.signs.resize(switches, 0.0);
    }

    /// The state after the time `h`.
    pub fn state(&self, n: usize, h: f64, out: &mut [f64]) {
        out.fill(0.0);
        for row in self.rows.chunks_exact(n.max(1)).rev() {
            out.iter_mut()
                .zip(row)
                .for_each(|(out, c)| *out = *out * h + c);
        }
    }

    /// The first place within a step of length `h` beyond a corner, if there is one.
    pub fn corner(&self, h: f64) -> Option<f64> {
        let count = self.signs.len();
        let length = self.switches.len().checked_div(count)?;
        let polynomials = self.switches.chunks_exact(length).zip(&self.signs);
        let crossing = |(coefficients, sign): (&[f64], &f64)| {
            let value = |theta: f64| {
                let x = theta * h;
                coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
            };
            let crossed = |theta: f64| sign * value(theta) < 0.0;
            let place = |i: usize| i as f64 / CORNERS as f64;
            let part = (1..=CORNERS).find(|i| crossed(place(*i)))?;
            let holds = |theta| Ok::<bool, Infallible>(crossed(theta));
            crate::root::bisect(place(part - 1), place(part), holds).ok()
        };
        let first = polynomials.filter_map(crossing).fold(2.0, f64::min);
        (first <= 1.0).then_some(first)
    }
}

/// Parts of a step between which the signs at corners are compared.
const CORNERS: usize = 8;

/// All coefficients.
struct Table<'t> {
    stride: usize,
    forward: &'t mut [f64],
    backward: &'t mut [f64],
}

impl Table<'_> {
    fn at(&self, slot: Slot, k: usize) -> f64 {
        self.forward[slot as usize * self.stride + k]
    }

    fn set(&mut self, slot: Slot, k: usize, value: f64) {
        let place = slot as usize * self.stride;
        self.forward[place + k] = value;
        self.backward[place + self.stride - 1 - k] = value;
    }

    /// `Sum_{j = from}^{to} x_j y_{k-j}`
    #[inline]
    fn sum(&self, x: Slot, y: Slot, k: usize, from: usize, to: usize) -> f64 {
        let x = x as usize * self.stride;
        let y = y as usize * self.stride + self.stride - 1 - k;
        dot(
            &self.forward[x + from..x + to + 1],
            &self.backward[y + from..y + to + 1],
        )
    }
}

/// Four sums side by side, so that one need not wait for the other.
#[inline]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (x4, y4) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest = x4.remainder().iter().zip(y4.remainder());
    let rest: f64 = rest.map(|(x, y)| x * y).sum();
    for (x, y) in x4.zip(y4) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

impl Plan {
    /// Order 0, and the factorisations.
    fn begin(
        &mut self,
        tape: &Tape,
        registers: &[f64],
        scratch: &crate::linear::Scratch,
        table: &mut Table,
    ) -> Result<(), EvalError> {
        for (register, slot) in self.slots.iter().enumerate() {
            if *slot != NONE {
                table.set(*slot, 0, registers[register]);
            }
        }
        let at = |register: Register| registers[register as usize];
        let first = self.count - self.auxiliary.len();
        for (slot, (auxiliary, register)) in (first..).zip(&self.auxiliary) {
            let x = at(*register);
            let value = match *auxiliary {
                Auxiliary::Zero => 0.0,
                Auxiliary::Sin => x.sin(),
                Auxiliary::Cos => x.cos(),
                Auxiliary::Sinh => x.sinh(),
                Auxiliary::Cosh => x.cosh(),
                Auxiliary::Log => x.ln(),
                Auxiliary::Plus => 1.0 + x * x,
                Auxiliary::Minus => 1.0 - x * x,
                Auxiliary::Root => (1.0 - x * x).sqrt(),
                Auxiliary::MinusRoot => -(1.0 - x * x).sqrt(),
                Auxiliary::Norm(y) => x * x + at(y) * at(y),
                Auxiliary::Exponent(y) => at(y) * x.ln(),
            };
            table.set(slot as Slot, 0, value);
        }
        let consistent = |index: usize| {
            let before = tape.solves[..index].iter();
            let place = before.filter(|solve| solve.is_consistent()).count();
            tape.solves[index].is_consistent().then_some(place)
        };
        for system in &mut self.systems {
            let statement = &tape.solves[system.index].statement;
            let held = consistent(system.index).and_then(|place| scratch.held(place));
            let entries = system.matrix.iter().map(|slot| table.at(*slot, 0));
            let loose = tape.solves[system.index].is_consistent();
            system
                .factored
                .prepare(statement.size, entries, loose, held)
                .map_err(|_| EvalError::Singular {
                    what: format!("the linear system for {}", statement.name),
                })?;
        }
        Ok(())
    }

    fn first_signs(&self, table: &Table, signs: &mut [f64]) {
        for (switch, sign) in self.switches.iter().zip(signs) {
            *sign = sign_of(switch.difference(table, 0));
        }
    }

    /// Order `k + 1` of the motion, `y_{k+1} = f_k / (k + 1)`.
    fn integrate(&self, tape: &Tape, k: usize, table: &mut Table, out: &mut Expansion) {
        let (n, factor) = (tape.outputs.len(), 1.0 / (k + 1) as f64);
        for (i, output) in tape.outputs.iter().enumerate() {
            let slot = self.slots[*output as usize];
            let next = table.at(slot, k) * factor;
            out.rows[(k + 1) * n + i] = next;
            if i + 1 < tape.inputs {
                table.set(i as Slot + 1, k + 1, next);
            }
        }
    }

    /// All series to order `k`.
    ///
    /// One piece: a table of recurrences, one row for each kind of step.
    fn order(
        &mut self,
        k: usize,
        table: &mut Table,
        ahead: f64,
        signs: &mut [f64],
        solving: &mut Solving,
    ) -> Result<(), EvalError> {
        let over = 1.0 / k as f64;
        for step in &self.steps {
            let (z, value) = match *step {
                Step::Neg { z, x } => (z, -table.at(x, k)),
                Step::Copy { z, x } => (z, table.at(x, k)),
                Step::Add { z, x, y } => (z, table.at(x, k) + table.at(y, k)),
                Step::Sub { z, x, y } => (z, table.at(x, k) - table.at(y, k)),
                Step::Mul { z, x, y } => (z, table.sum(x, y, k, 0, k)),
                Step::Scale { z, x, c } => (z, table.at(x, k) * table.at(c, 0)),
                Step::Square { z, x } => (z, square(table, x, k, 0)),
                Step::Div { z, x, y } => {
                    let rest = table.at(x, k) - table.sum(y, z, k, 1, k);
                    (z, rest / table.at(y, 0))
                }
                Step::Over { z, y } => (z, -table.sum(y, z, k, 1, k) / table.at(y, 0)),
                Step::Unscale { z, x, c } => (z, table.at(x, k) / table.at(c, 0)),
                Step::Sqrt { z, x } => {
                    let rest = table.at(x, k) - square(table, z, k, 1);
                    (z, rest / (2.0 * table.at(z, 0)))
                }
                Step::Rate { z, x } => (z, table.at(x, k) * k as f64),
                Step::Integral { z, y, rate } => (z, over * table.sum(rate, y, k, 1, k)),
                Step::MinusIntegral { z, y, rate } => (z, -over * table.sum(rate, y, k, 1, k)),
                Step::Quotient { z, y, rate, dz } => {
                    let rest = table.at(rate, k) - table.sum(dz, y, k, 1, k - 1);
                    let own_k = rest / table.at(y, 0);
                    table.set(dz, k, own_k);
                    (z, over * own_k)
                }
                Step::Power { z, x, a, rate, dz } => {
                    // Sum_j x_j (k - j) z_{k-j} = a Sum_j j x_j z_{k-j}
                    let own_part = table.sum(dz, x, k, 1, k - 1);
                    let rest = table.at(a, 0) * table.sum(rate, z, k, 1, k) - own_part;
                    let own_k = rest / table.at(x, 0);
                    table.set(dz, k, own_k);
                    (z, over * own_k)
                }
                Step::Angle {
                    z,
                    w,
                    x,
                    y,
                    rates,
                    dz,
                } => {
                    let turn = table.sum(rates.1, x, k, 1, k) - table.sum(rates.0, y, k, 1, k);
                    let own_k = (turn - table.sum(dz, w, k, 1, k - 1)) / table.at(w, 0);
                    table.set(dz, k, own_k);
                    (z, over * own_k)
                }
                Step::Branch { z, switch } => {
                    let index = switch as usize;
                    let switch = &self.switches[index];
                    if signs[index] == 0.0 {
                        let flip = if k % 2 == 1 { ahead.signum() } else { 1.0 };
                        signs[index] = sign_of(flip * switch.difference(table, k));
                    }
                    (z, switch.value(table, signs[index], k))
                }
                Step::Solve(index) => {
                    let system = &mut self.systems[index as usize];
                    system.order(k, table, solving)?;
                    continue;
                }
            };
            table.set(z, k, value);
        }
        Ok(())
    }
}

/// `Sum_{j = from}^{k - from} x_j x_{k-j}`, each pair once.
fn square(table: &Table, x: Slot, k: usize, from: usize) -> f64 {
    let pairs = k.div_ceil(2);
    let twice = match pairs > from {
        true => 2.0 * table.sum(x, x, k, from, pairs - 1),
        false => 0.0,
    };
    match k.is_multiple_of(2) && k / 2 >= from {
        true => twice + table.at(x, k / 2) * table.at(x, k / 2),
        false => twice,
    }
}

fn sign_of(x: f64) -> f64 {
    match x == 0.0 || x.is_nan() {
        true => 0.0,
        false => x.signum(),
    }
}

impl Switch {
    fn difference(&self, table: &Table, k: usize) -> f64 {
        table.at(self.x, k) - self.y.map_or(0.0, |y| table.at(y, k))
    }

    /// The coefficient by the branch of this sign.
    fn value(&self, table: &Table, sign: f64, k: usize) -> f64 {
        let (factor, second) = if sign < 0.0 { self.below } else { self.above };
        let slot = self.y.filter(|_| second).unwrap_or(self.x);
        factor * table.at(slot, k)
    }
}

impl System {
    fn order(
        &mut self,
        k: usize,
        table: &mut Table,
        solving: &mut Solving,
    ) -> Result<(), EvalError> {
        let Solving { right, solution } = solving;
        let columns = self.right.len().checked_div(self.size()).unwrap_or(0);
        right.clear();
        for (place, b) in self.right.iter().enumerate() {
            let (i, c) = (place / columns, place % columns);
            let row = &self.matrix[i * self.size()..(i + 1) * self.size()];
            let moved = row.iter().enumerate().map(|(j, a)| {
                let x = self.unknowns[j * columns + c];
                table.sum(*a, x, k, 1, k)
            });
            right.push(table.at(*b, k) - moved.sum::<f64>());
        }
        let answer = self.factored.solve(right, solution);
        answer.map_err(|_| EvalError::NotFinite {
            what: "a Taylor coefficient of a linear system".to_owned(),
        })?;
        for (slot, x) in self.unknowns.iter().zip(solution) {
            table.set(*slot, k, *x);
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.matrix.len().isqrt()
    }
}
