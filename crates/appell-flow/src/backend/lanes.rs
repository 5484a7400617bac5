//! Functions over lanes: interpreted, one lane after the other in machine code, or compiled with lanes.

use super::cc::Contraction;
use super::cc_lanes::NativeLanes;
use super::vectorised::{Vectorised, vectorised};
use super::{Backend, CC, CC_EXACT, Compiled, INTERP, JIT};
use crate::evaluation::Workspace;
use crate::field::Field;
use crate::lane_step::{Manifold, Trial};
use crate::lanes::{Bits, LANES, Lanes, Mask};
use crate::tableau::Tableau;
use crate::tape::{Op, Tape, or_zero};
use crate::unsupported::Unsupported;
use appell_expr::{Function, elementary};

/// The functions of a motion over lanes, ready to be called. Each is some tapes, one after the other.
pub(crate) struct LaneCode {
    functions: Vec<Vec<Tape>>,
    method: &'static Tableau,
    code: Code,
}

enum Code {
    Interpreted,
    /// A lane at a time.
    Single(Vec<Vec<Compiled>>),
    Native(NativeLanes),
}

/// Buffers for the intermediate values of one thread.
#[derive(Default)]
pub(crate) struct Buffers {
    /// The registers of each tape, constants filled in; tapes are counted through all functions.
    registers: Vec<Vec<Vec<Lanes>>>,
    argument: Vec<Lanes>,
    workspace: Workspace,
    single: (Vec<f64>, Vec<f64>),
}

impl LaneCode {
    /// Makes functions ready; the first is the right-hand side. `auto` compiles where `often` says that
    /// this pays and the machine has a compiler.
    ///
    /// # Errors
    /// Why this machine cannot, in words.
    pub fn new(
        functions: Vec<Vec<Tape>>,
        parameters: usize,
        manifold: Manifold,
        method: &'static Tableau,
        backend: &Backend,
        often: bool,
    ) -> Result<LaneCode, Unsupported> {
        let native = |contraction| {
            NativeLanes::new(contraction, &functions, parameters, &manifold, method)
                .map(Code::Native)
        };
        let code = if backend.id == CC.id {
            native(Contraction::Allowed)?
        } else if backend.id == CC_EXACT.id {
            native(Contraction::Off)?
        } else if backend.id == JIT.id {
            let each = |tapes: &Vec<Tape>| {
                let compiled = |tape: &Tape| Compiled::new(tape.clone(), backend);
                tapes.iter().map(compiled).collect::<Result<_, _>>()
            };
            Code::Single(functions.iter().map(each).collect::<Result<_, _>>()?)
        } else if backend.id == INTERP.id || !often {
            Code::Interpreted
        } else {
            native(Contraction::Allowed).unwrap_or(Code::Interpreted)
        };
        Ok(LaneCode {
            functions,
            method,
            code,
        })
    }

    /// What runs the functions, in words.
    pub fn words(&self) -> &'static str {
        match self.code {
            Code::Interpreted => INTERP.title,
            Code::Single(_) => JIT.title,
            Code::Native(_) => CC.title,
        }
    }

    /// The number of functions.
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// The number of results of a function.
    pub fn outputs(&self, place: usize) -> usize {
        self.functions[place].iter().map(|t| t.outputs.len()).sum()
    }

    /// Buffers for one thread.
    pub fn buffers(&self) -> Buffers {
        let registers = |tape: &Tape| {
            let mut registers = vec![Lanes::default(); tape.first() + tape.ops.len()];
            for (register, x) in registers[tape.inputs..].iter_mut().zip(&tape.constants) {
                *register = Lanes::all(*x);
            }
            registers
        };
        let registers = |tapes: &Vec<Tape>| tapes.iter().map(registers).collect();
        Buffers {
            registers: self.functions.iter().map(registers).collect(),
            argument: vec![Lanes::default(); self.outputs(0)],
            ..Buffers::default()
        }
    }

    /// Calls a function; the lanes in which it has no value, as bits.
    #[inline(always)]
    pub fn call(
        &self,
        place: usize,
        buffers: &mut Buffers,
        t: &Lanes,
        y: &[Lanes],
        p: &[Lanes],
        out: &mut [Lanes],
    ) -> Bits {
        match &self.code {
            Code::Native(native) => native.call(place, t, y, p, out),
            Code::Interpreted => self.interpret(place, buffers, t, y, p, out),
            Code::Single(functions) => one_by_one(&functions[place], buffers, t, y, p, out),
        }
    }

    /// The code that takes whole steps.
    #[inline(always)]
    pub fn native(&self) -> Option<&NativeLanes> {
        match &self.code {
            Code::Native(native) => Some(native),
            _ => None,
        }
    }

    fn interpret(
        &self,
        place: usize,
        buffers: &mut Buffers,
        t: &Lanes,
        y: &[Lanes],
        p: &[Lanes],
        out: &mut [Lanes],
    ) -> Bits {
        let mut refused = 0;
        let mut first = 0;
        for (tape, registers) in self.functions[place]
            .iter()
            .zip(&mut buffers.registers[place])
        {
            let out = &mut out[first..first + tape.outputs.len()];
            first += out.len();
            refused |= vectorised(Interpretation {
                tape,
                registers,
                t,
                y,
                p,
                out,
            });
        }
        refused
    }

    /// Takes the stages of a step; the lanes in which a stage has no value, as bits.
    pub fn trial(&self, buffers: &mut Buffers, trial: &mut Trial<'_>) -> Bits {
        let (method, n) = (self.method, trial.y.len());
        let mut argument = std::mem::take(&mut buffers.argument);
        let mut refused = 0;
        for (i, (row, node)) in method.stages.iter().zip(method.nodes).enumerate().skip(1) {
            let t = *trial.t + Lanes::all(*node) * *trial.h;
            let (done, next) = trial.slopes.split_at_mut(i * n);
            vectorised(Combination {
                first: trial.y,
                factor: *trial.h,
                weights: row,
                slopes: done,
                out: &mut argument,
            });
            refused |= self.call(0, buffers, &t, &argument, trial.p, &mut next[..n]);
        }
        buffers.argument = argument;
        vectorised(Combination {
            first: trial.y,
            factor: *trial.h,
            weights: method.weights,
            slopes: trial.slopes,
            out: trial.end,
        });
        *trial.error = vectorised(Estimate { method, trial });
        refused
    }
}

/// `out = first + factor Sum_j weights_j slopes_j`, the slopes in rows of the length of `first`.
pub(crate) struct Combination<'a> {
    pub first: &'a [Lanes],
    pub factor: Lanes,
    pub weights: &'a [f64],
    pub slopes: &'a [Lanes],
    pub out: &'a mut [Lanes],
}

impl Vectorised for Combination<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let n = self.first.len();
        for c in 0..n {
            let sum = weighted(self.weights, self.slopes, n, c);
            self.out[c] = self.first[c] + self.factor * sum;
        }
    }
}

#[inline(always)]
fn weighted(weights: &[f64], slopes: &[Lanes], n: usize, c: usize) -> Lanes {
    let mut sum = Lanes::all(0.0);
    for (j, weight) in weights.iter().enumerate() {
        if *weight != 0.0 {
            sum = sum + Lanes::all(*weight) * slopes[j * n + c];
        }
    }
    sum
}

/// The square of the error of a trial step as [`ErrorEstimate`](crate::method::ErrorEstimate) says, in units of
/// the tolerance.
struct Estimate<'a, 'b> {
    method: &'static Tableau,
    trial: &'a Trial<'b>,
}

impl Vectorised for Estimate<'_, '_> {
    type Output = Lanes;

    #[inline(always)]
    fn run(self) -> Lanes {
        let Estimate { method, trial } = self;
        let n = trial.y.len();
        let (mut fine, mut coarse) = (Lanes::all(0.0), Lanes::all(0.0));
        for c in 0..n {
            let scale = scale(trial.y[c], trial.end[c], trial.rtol, trial.atol);
            let e = weighted(method.error.fine, trial.slopes, n, c) / scale;
            let g = weighted(method.error.coarse, trial.slopes, n, c) / scale;
            fine = fine + e * e;
            coarse = coarse + g * g;
        }
        let both = fine + Lanes::all(0.01) * coarse;
        let h = *trial.h;
        let error = h * h * fine / (Lanes::all(n as f64) * both) * fine;
        let exact = fine.equals(Lanes::all(0.0));
        exact.choose(Lanes::all(0.0), error)
    }
}

/// The tolerance of a component over a step.
#[inline(always)]
pub(crate) fn scale(start: Lanes, end: Lanes, rtol: f64, atol: f64) -> Lanes {
    let size = start.abs().max(end.abs());
    (Lanes::all(atol) + Lanes::all(rtol) * size).max(Lanes::all(f64::MIN_POSITIVE))
}

/// A tape over lanes; gives the lanes in which a written-out solution may not be used, as bits.
pub(super) struct Interpretation<'a> {
    pub tape: &'a Tape,
    pub registers: &'a mut [Lanes],
    pub t: &'a Lanes,
    pub y: &'a [Lanes],
    pub p: &'a [Lanes],
    pub out: &'a mut [Lanes],
}

impl Vectorised for Interpretation<'_> {
    type Output = Bits;

    #[inline(always)]
    fn run(self) -> Bits {
        let Interpretation {
            tape,
            registers,
            t,
            y,
            p,
            out,
        } = self;
        let state = tape.inputs - 1 - p.len();
        registers[0] = *t;
        registers[1..=state].copy_from_slice(&y[..state]);
        registers[1 + state..tape.inputs].copy_from_slice(p);
        let mut holds = Mask::ALL;
        for (target, op) in (tape.first()..).zip(&tape.ops) {
            let at = |register: u32| registers[register as usize];
            let value = match *op {
                Op::Neg(x) => -at(x),
                Op::Abs(x) => at(x).abs(),
                Op::Sqrt(x) => at(x).sqrt(),
                Op::OrZero(x) => at(x).map(or_zero),
                Op::Add(x, y) => at(x) + at(y),
                Op::Sub(x, y) => at(x) - at(y),
                Op::Mul(x, y) => at(x) * at(y),
                Op::Div(x, y) => at(x) / at(y),
                Op::Power(x, y) => at(x).zip(at(y), elementary::power),
                Op::Call(function, x, y) => each(function, at(x), at(y)),
                Op::SinCos(x) => {
                    let x = at(x);
                    registers[target + 1] = each(Function::Cos, x, x);
                    each(Function::Sin, x, x)
                }
                Op::Solve(index) => {
                    let direct = tape.solves[index as usize].direct.as_ref();
                    let Some(direct) = direct else {
                        return !0;
                    };
                    for (a, b) in &direct.guards {
                        holds = holds.and(at(*b).below(at(*a)));
                    }
                    for (k, register) in direct.solution.iter().enumerate() {
                        registers[target + k] = registers[*register as usize];
                    }
                    continue;
                }
                Op::Part => continue,
            };
            registers[target] = value;
        }
        for (out, register) in out.iter_mut().zip(&tape.outputs) {
            *out = registers[*register as usize];
        }
        !holds.bits()
    }
}

#[inline(never)]
fn each(function: Function, x: Lanes, y: Lanes) -> Lanes {
    x.zip(y, |x, y| function.value(x, y))
}

fn one_by_one(
    functions: &[Compiled],
    buffers: &mut Buffers,
    t: &Lanes,
    y: &[Lanes],
    p: &[Lanes],
    out: &mut [Lanes],
) -> Bits {
    let (state, results) = &mut buffers.single;
    let mut refused = 0;
    for lane in 0..LANES {
        state.clear();
        state.extend(y.iter().chain(p).map(|x| x.0[lane]));
        let mut first = 0;
        for function in functions {
            results.resize(function.outputs(), 0.0);
            let answer = function.eval(&mut buffers.workspace, t.0[lane], state, results);
            refused |= Bits::from(answer.is_err()) << lane;
            for (out, x) in out[first..].iter_mut().zip(results.iter()) {
                out.0[lane] = *x;
            }
            first += results.len();
        }
    }
    refused
}
