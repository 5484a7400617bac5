//! What is to be done for each order of the series, from the operations of a tape.

use super::{Auxiliary, NONE, Plan, Slot, Step, Switch, System};
use crate::linear::Factored;
use crate::tape::{Op, Register, Tape};
use appell_expr::Function;
use rustc_hash::FxHashMap;

impl Plan {
    /// The plan with written-out solutions where there are some, or with numerical ones for all systems.
    pub fn new(tape: &Tape, direct: bool) -> Plan {
        let mut planner = Planner::new(tape, direct);
        for (target, op) in (tape.first()..).zip(&tape.ops) {
            planner.op(target, op);
        }
        planner.plan
    }

    /// Whether sums and products give all coefficients: nothing has corners, nor is solved order by order.
    #[cfg(feature = "cc")]
    pub fn is_smooth(&self) -> bool {
        self.switches.is_empty() && self.systems.is_empty()
    }
}

/// The registers that hold the solution of a written-out system.
fn written_out<'t>(tape: &'t Tape, direct: bool, op: &Op) -> Option<&'t [Register]> {
    match op {
        Op::Solve(index) if direct => {
            let direct = tape.solves[*index as usize].direct.as_ref()?;
            Some(&direct.solution)
        }
        _ => None,
    }
}

/// A plan in the making.
struct Planner<'t> {
    tape: &'t Tape,
    direct: bool,
    plan: Plan,
    /// Whether a register is needed beyond order 0, and whether it varies.
    live: Vec<bool>,
    varies: Vec<bool>,
    /// Series of `t x'` by that of `x`, which all functions of `x` share.
    rates: FxHashMap<Slot, Slot>,
}

impl<'t> Planner<'t> {
    /// Gives slots to all registers that count beyond order 0; auxiliary series follow them.
    fn new(tape: &'t Tape, direct: bool) -> Planner<'t> {
        let registers = tape.first() + tape.ops.len();
        let mut planner = Planner {
            tape,
            direct,
            plan: Plan::default(),
            live: vec![false; registers],
            varies: vec![false; registers],
            rates: FxHashMap::default(),
        };
        planner.varies[..tape.inputs].fill(true);
        planner.mark();
        let mut slots = vec![NONE; registers];
        (0..tape.inputs).for_each(|i| slots[i] = i as Slot);
        let mut count = tape.inputs;
        for (register, slot) in slots.iter_mut().enumerate().skip(tape.inputs) {
            if planner.live[register] {
                *slot = count as Slot;
                count += 1;
            }
        }
        planner.plan.count = count;
        planner.plan.slots = slots;
        planner.alias();
        planner
    }

    /// Marks what is live, from the results backwards.
    fn mark(&mut self) {
        let tape = self.tape;
        for output in &tape.outputs {
            self.live[*output as usize] = true;
        }
        for (place, op) in tape.ops.iter().enumerate().rev() {
            let target = tape.first() + place;
            let followed = match op {
                Op::Solve(index) => tape.solves[*index as usize].right.len(),
                Op::SinCos(_) => 2,
                _ => 1,
            };
            let needed = self.live[target..target + followed]
                .iter()
                .any(|live| *live);
            if !needed || *op == Op::Part {
                continue;
            }
            // The matrix of a written-out system is needed at order 0 only, where the tape has it.
            if let Some(solution) = written_out(tape, self.direct, op) {
                for (k, register) in solution.iter().enumerate() {
                    self.live[*register as usize] |= self.live[target + k];
                }
                continue;
            }
            self.live[target..target + followed].fill(true);
            for register in tape.arguments(op) {
                self.live[register as usize] = true;
            }
        }
    }

    /// Unknowns of written-out systems have the series of their solutions.
    fn alias(&mut self) {
        for (target, op) in (self.tape.first()..).zip(&self.tape.ops) {
            let solution = written_out(self.tape, self.direct, op).unwrap_or_default();
            for (k, register) in solution.iter().enumerate() {
                if self.live[target + k] {
                    self.plan.slots[target + k] = self.plan.slots[*register as usize];
                }
            }
        }
    }

    fn slot(&self, register: Register) -> Slot {
        self.plan.slots[register as usize]
    }

    fn auxiliary(&mut self, what: Auxiliary, register: Register) -> Slot {
        self.plan.auxiliary.push((what, register));
        self.plan.count += 1;
        self.plan.count as Slot - 1
    }

    /// The series of `t x'`.
    fn rate(&mut self, x: Register) -> Slot {
        self.rate_of(self.slot(x))
    }

    fn rate_of(&mut self, x: Slot) -> Slot {
        if let Some(slot) = self.rates.get(&x) {
            return *slot;
        }
        let z = self.auxiliary(Auxiliary::Zero, 0);
        self.plan.steps.push(Step::Rate { z, x });
        self.rates.insert(x, z);
        z
    }

    /// `x^y`; with a varying exponent, `exp(y log x)`, since `x z' = y z x'` holds for a
    /// constant one only.
    fn power(&mut self, target: usize, x: Register, y: Register) {
        let z = self.plan.slots[target];
        let dz = self.auxiliary(Auxiliary::Zero, x);
        let (first, second) = (self.slot(x), self.slot(y));
        if !self.varies[y as usize] {
            let (x, a, rate) = (first, second, self.rate(x));
            let step = Step::Power { z, x, a, rate, dz };
            return self.plan.steps.push(step);
        }
        let log = self.auxiliary(Auxiliary::Log, x);
        let rate = self.rate(x);
        self.plan.steps.push(Step::Quotient {
            z: log,
            y: first,
            rate,
            dz,
        });
        let exponent = self.auxiliary(Auxiliary::Exponent(y), x);
        self.plan.steps.push(Step::Mul {
            z: exponent,
            x: second,
            y: log,
        });
        let rate = self.rate_of(exponent);
        self.plan.steps.push(Step::Integral { z, y: z, rate });
    }

    /// The unknowns of a system: aliases of what is written out, or a recurrence, in which the matrix of
    /// order 0 is factored once for all orders.
    fn solve(&mut self, target: usize, index: usize, varies: bool) {
        let solve = &self.tape.solves[index];
        if let Some(direct) = solve.direct.as_ref().filter(|_| self.direct) {
            for (k, register) in direct.solution.iter().enumerate() {
                self.varies[target + k] = self.varies[*register as usize];
            }
            return;
        }
        let unknowns = target..target + solve.right.len();
        if !self.live[target] {
            return;
        }
        self.varies[unknowns.clone()].fill(varies);
        if !varies {
            return;
        }
        let slots = |registers: &[Register]| registers.iter().map(|x| self.slot(*x)).collect();
        let system = System {
            index,
            matrix: slots(&solve.matrix),
            right: slots(&solve.right),
            unknowns: self.plan.slots[unknowns].to_vec(),
            factored: Factored::default(),
        };
        let place = self.plan.systems.len() as u32;
        self.plan.systems.push(system);
        self.plan.steps.push(Step::Solve(place));
    }

    /// Adds what one operation asks for, if it varies and is needed; what is constant has no coefficients
    /// beyond order 0.
    fn op(&mut self, target: usize, op: &Op) {
        let tape = self.tape;
        let varies = tape.arguments(op).any(|x| self.varies[x as usize]);
        if let Op::Solve(index) = op {
            return self.solve(target, *index as usize, varies);
        }
        if !self.live[target] || *op == Op::Part {
            return;
        }
        let z = self.plan.slots[target];
        self.varies[target] = varies;
        if !varies {
            return;
        }
        let slot = |register: Register| self.plan.slots[register as usize];
        let step = match *op {
            Op::Neg(x) => Step::Neg { z, x: slot(x) },
            Op::Add(x, y) | Op::Sub(x, y) | Op::Mul(x, y) | Op::Div(x, y) => {
                self.arithmetic(op, z, x, y)
            }
            Op::Sqrt(x) => Step::Sqrt { z, x: slot(x) },
            Op::Abs(x) => return self.branch(z, x, None, (1.0, false), (-1.0, false)),
            Op::OrZero(x) => return self.branch(z, x, None, (1.0, false), (1.0, false)),
            Op::Power(x, y) => return self.power(target, x, y),
            Op::SinCos(x) => {
                self.varies[target + 1] = true;
                let cos = slot(target as Register + 1);
                return self.pair(x, z, cos, true);
            }
            Op::Call(f, x, y) => return self.call(target as Register, f, x, y),
            Op::Solve(_) | Op::Part => return,
        };
        self.plan.steps.push(step);
    }

    /// Sums, products and quotients. A constant operand spares the convolution: beyond order 0 its
    /// coefficients are zero.
    fn arithmetic(&self, op: &Op, z: Slot, a: Register, b: Register) -> Step {
        let constant = |register: Register| !self.varies[register as usize];
        let (x, y) = (self.slot(a), self.slot(b));
        match op {
            Op::Add(..) if constant(b) => Step::Copy { z, x },
            Op::Add(..) if constant(a) => Step::Copy { z, x: y },
            Op::Add(..) => Step::Add { z, x, y },
            Op::Sub(..) if constant(b) => Step::Copy { z, x },
            Op::Sub(..) if constant(a) => Step::Neg { z, x: y },
            Op::Sub(..) => Step::Sub { z, x, y },
            Op::Mul(..) if a == b => Step::Square { z, x },
            Op::Mul(..) if constant(b) => Step::Scale { z, x, c: y },
            Op::Mul(..) if constant(a) => Step::Scale { z, x: y, c: x },
            Op::Mul(..) => Step::Mul { z, x, y },
            _ if constant(b) => Step::Unscale { z, x, c: y },
            _ if constant(a) => Step::Over { z, y },
            _ => Step::Div { z, x, y },
        }
    }

    /// One of two formulas, `(factor, of the second operand)`, by the sign of `x - y`.
    fn branch(
        &mut self,
        z: Slot,
        x: Register,
        y: Option<Register>,
        above: (f64, bool),
        below: (f64, bool),
    ) {
        let switch = self.plan.switches.len() as u32;
        self.plan.switches.push(Switch {
            x: self.slot(x),
            y: y.map(|y| self.slot(y)),
            above,
            below,
        });
        self.plan.steps.push(Step::Branch { z, switch });
    }

    /// `sin`, `cos` or their hyperbolic sisters, each the integral of the other.
    fn pair(&mut self, x: Register, sine: Slot, cosine: Slot, circular: bool) {
        let rate = self.rate(x);
        let (y, z) = (cosine, sine);
        self.plan.steps.push(Step::Integral { z, y, rate });
        let (y, z) = (sine, cosine);
        self.plan.steps.push(match circular {
            true => Step::MinusIntegral { z, y, rate },
            false => Step::Integral { z, y, rate },
        });
    }

    /// Elementary functions by the differential equations that they satisfy.
    fn call(&mut self, target: Register, f: Function, x: Register, y: Register) {
        let z = self.slot(target);
        match f {
            Function::Sin => {
                let cosine = self.auxiliary(Auxiliary::Cos, x);
                self.pair(x, z, cosine, true);
            }
            Function::Sinh => {
                let cosine = self.auxiliary(Auxiliary::Cosh, x);
                self.pair(x, z, cosine, false);
            }
            Function::Cos => {
                let sine = self.auxiliary(Auxiliary::Sin, x);
                self.pair(x, sine, z, true);
            }
            Function::Cosh => {
                let sine = self.auxiliary(Auxiliary::Sinh, x);
                self.pair(x, sine, z, false);
            }
            Function::Exp => {
                let rate = self.rate(x);
                self.plan.steps.push(Step::Integral { z, y: z, rate });
            }
            Function::Log => {
                let rate = self.rate(x);
                let dz = self.auxiliary(Auxiliary::Zero, x);
                let y = self.slot(x);
                self.plan.steps.push(Step::Quotient { z, y, rate, dz });
            }
            Function::Tan => self.tangent(target, x, true),
            Function::Tanh => self.tangent(target, x, false),
            Function::Atan => self.arc_tangent(z, x),
            Function::Asin => self.arc(z, x, Auxiliary::Root),
            Function::Acos => self.arc(z, x, Auxiliary::MinusRoot),
            Function::Atan2 => self.angle(z, y, x),
            Function::Abs => self.branch(z, x, None, (1.0, false), (-1.0, false)),
            Function::Sign => self.branch(z, x, None, (0.0, false), (0.0, false)),
            Function::Max => self.branch(z, x, Some(y), (1.0, false), (1.0, true)),
            Function::Min => self.branch(z, x, Some(y), (1.0, true), (1.0, false)),
        }
    }

    /// `z' = u x'` with `u = 1 + z^2` of the tangent, `u = 1 - z^2` of its hyperbolic sister.
    fn tangent(&mut self, target: Register, x: Register, circular: bool) {
        let (z, rate) = (self.slot(target), self.rate(x));
        if circular {
            let u = self.auxiliary(Auxiliary::Plus, target);
            self.plan.steps.push(Step::Integral { z, y: u, rate });
            self.plan.steps.push(Step::Square { z: u, x: z });
            return;
        }
        let u = self.auxiliary(Auxiliary::Minus, target);
        self.plan.steps.push(Step::Integral { z, y: u, rate });
        let squared = self.auxiliary(Auxiliary::Zero, x);
        self.plan.steps.push(Step::Square { z: squared, x: z });
        self.plan.steps.push(Step::Neg { z: u, x: squared });
    }

    /// `(1 + x^2) z' = x'`
    fn arc_tangent(&mut self, z: Slot, x: Register) {
        let rate = self.rate(x);
        let dz = self.auxiliary(Auxiliary::Zero, x);
        let y = self.auxiliary(Auxiliary::Plus, x);
        let x = self.slot(x);
        self.plan.steps.push(Step::Square { z: y, x });
        self.plan.steps.push(Step::Quotient { z, y, rate, dz });
    }

    /// Arc sine and cosine: `w z' = x'` and `w' = -x z'` with the root `w = +-sqrt(1 - x^2)`.
    fn arc(&mut self, z: Slot, x: Register, root: Auxiliary) {
        let rate = self.rate(x);
        let dz = self.auxiliary(Auxiliary::Zero, x);
        let w = self.auxiliary(root, x);
        self.plan.steps.push(Step::Quotient { z, y: w, rate, dz });
        let (z, y, rate) = (w, self.slot(x), dz);
        self.plan.steps.push(Step::MinusIntegral { z, y, rate });
    }

    /// The angle of the point `(x, y)`: `w z' = x y' - y x'` with `w = x^2 + y^2`.
    fn angle(&mut self, z: Slot, x: Register, y: Register) {
        let rates = (self.rate(x), self.rate(y));
        let dz = self.auxiliary(Auxiliary::Zero, y);
        let w = self.auxiliary(Auxiliary::Norm(x), y);
        let one = self.auxiliary(Auxiliary::Zero, y);
        let two = self.auxiliary(Auxiliary::Zero, y);
        let (x, y) = (self.slot(x), self.slot(y));
        self.plan.steps.extend([
            Step::Square { z: one, x },
            Step::Square { z: two, x: y },
            Step::Add {
                z: w,
                x: one,
                y: two,
            },
            Step::Angle {
                z,
                w,
                x,
                y,
                rates,
                dz,
            },
        ]);
    }
}
