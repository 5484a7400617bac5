//! Machine code over lanes by the system's C compiler: functions of a motion, and the step of a method with
//! these functions in it, as far as the step is an ordinary one.
#![allow(
    unsafe_code,
    reason = "a library is loaded, and its addresses become functions that are called"
)]

use super::angles::vectors;
use super::c_source::{Guards, number, value};
use super::cc::{Contraction, library_of};
use crate::lane_step::{Advance, Advanced, Block, Manifold, Trial, Tried};
use crate::lanes::{Bits, LANES, Lanes, Mask};
use crate::rules::rules;
use crate::tableau::Tableau;
use crate::tape::{Op, Register, Tape};
use crate::unsupported::Unsupported;
use libloading::Library;
use std::fmt::Write as _;

/// What follows the vectors in every source: their elementary functions.
const HEAD: &str = include_str!("lanes.c");
/// What follows the stages of a step.
const STEP: &str = include_str!("lanes_step.c");

/// The numbers in a vector of the C code, and the vectors for all lanes.
const WIDTH: usize = 8;
const HALVES: usize = LANES / WIDTH;

const ARGUMENTS: &str = "const V *restrict y, const V *restrict p, V *restrict out";

/// Functions with more operations than this are not copied into each stage: the time to compile grows with
/// their number, and the call is a small part of what they do.
const INLINED: usize = 200;

/// `(t, y, p, out)`: the lanes in which a system was refused, as bits.
type Function = unsafe extern "C" fn(*const Lanes, *const Lanes, *const Lanes, *mut Lanes) -> u32;

/// A step as the code takes it; lanes as bits.
#[repr(C)]
struct Step {
    t: *const Lanes,
    h: *const Lanes,
    y: *const Lanes,
    p: *const Lanes,
    least: *const Lanes,
    largest: *const Lanes,
    slopes: *mut Lanes,
    end: *mut Lanes,
    error: *mut Lanes,
    least_end: *mut Lanes,
    largest_end: *mut Lanes,
    rtol: f64,
    atol: f64,
    active: u32,
    good: u32,
    strange: u32,
    suspicious: u32,
}

/// What lanes go on with, likewise.
#[repr(C)]
struct Going {
    taken: *const Lanes,
    end: *const Lanes,
    last: *const Lanes,
    error: *const Lanes,
    least_end: *const Lanes,
    largest_end: *const Lanes,
    t: *mut Lanes,
    h: *mut Lanes,
    y: *mut Lanes,
    slopes: *mut Lanes,
    least: *mut Lanes,
    largest: *mut Lanes,
    steps: *mut Lanes,
    rejected: *mut Lanes,
    rejected_last: *mut Mask,
    until: f64,
    max_step: f64,
    max_steps: f64,
    good: u32,
    refused: u32,
    arrived: u32,
    brief: u32,
    spent: u32,
}

/// The sizes that the code relies on.
#[derive(Debug, Clone)]
struct Shape {
    state: usize,
    parameters: usize,
    /// Of each function.
    outputs: Vec<usize>,
    stages: usize,
}

/// The code of a motion over lanes.
pub(crate) struct NativeLanes {
    functions: Vec<Function>,
    step: unsafe extern "C" fn(*mut Step),
    advance: unsafe extern "C" fn(*mut Going),
    shape: Shape,
    /// Keeps the code in memory.
    _library: Library,
}

impl NativeLanes {
    /// Compiles functions, each of some tapes one after the other: the right-hand side that the steps of the
    /// method are taken with, those of the manifold, others.
    ///
    /// # Errors
    /// In words: no compiler, no place for the cache.
    pub fn new(
        functions: &[Vec<Tape>],
        parameters: usize,
        manifold: &Manifold,
        method: &Tableau,
    ) -> Result<NativeLanes, Unsupported> {
        let outputs = |tapes: &Vec<Tape>| tapes.iter().map(|tape| tape.outputs.len()).sum();
        let outputs: Vec<usize> = functions.iter().map(outputs).collect();
        let inputs = functions
            .first()
            .and_then(|tapes| tapes.first())
            .map_or(1, |tape| tape.inputs);
        let fits = functions.iter().flatten().all(|tape| tape.inputs == inputs);
        let state = outputs.first().copied().unwrap_or(0);
        if !fits || inputs != 1 + state + parameters {
            return Err("the functions of the motion read different states".into());
        }
        let shape = Shape {
            state,
            parameters,
            outputs,
            stages: method.stage_count(),
        };
        let library = library_of(Contraction::Allowed, |conditions| {
            source(functions, &shape, manifold, method, conditions)
        })?;
        let words =
            |error: libloading::Error| format!("{} cannot be loaded: {error}", library.display());
        // SAFETY: the library lies in a folder that only the user can write to and was compiled from the
        // source of these very functions, which have these signatures and no initialisers.
        unsafe {
            let library = Library::new(&library).map_err(words)?;
            let function = |k: usize| {
                library
                    .get::<Function>(format!("appell_function_{k}\0").as_bytes())
                    .map(|symbol| *symbol)
                    .map_err(words)
            };
            let functions = (0..functions.len())
                .map(function)
                .collect::<Result<_, _>>()?;
            let advance = *library
                .get::<unsafe extern "C" fn(*mut Going)>(b"appell_advance\0")
                .map_err(words)?;
            let step = *library
                .get::<unsafe extern "C" fn(*mut Step)>(b"appell_step\0")
                .map_err(words)?;
            Ok(NativeLanes {
                functions,
                step,
                advance,
                shape,
                _library: library,
            })
        }
    }

    /// Calls the function of this place; the lanes that were refused as bits.
    #[inline(always)]
    pub fn call(
        &self,
        place: usize,
        t: &Lanes,
        y: &[Lanes],
        p: &[Lanes],
        out: &mut [Lanes],
    ) -> Bits {
        let shape = &self.shape;
        let (y, p) = (&y[..shape.state], &p[..shape.parameters]);
        let out = &mut out[..shape.outputs[place]];
        let function = self.functions[place];
        // SAFETY: the function reads and writes as many numbers as the slices have.
        unsafe { function(t, y.as_ptr(), p.as_ptr(), out.as_mut_ptr()) as Bits }
    }

    /// Tries a step in the lanes that are active.
    #[inline(always)]
    pub fn step(&self, trial: &mut Trial<'_>) -> Tried {
        let shape = &self.shape;
        let (y, p) = (&trial.y[..shape.state], &trial.p[..shape.parameters]);
        let slopes = &mut trial.slopes[..shape.state * (shape.stages + 1)];
        let end = &mut trial.end[..shape.state];
        let mut step = Step {
            t: trial.t,
            h: trial.h,
            y: y.as_ptr(),
            p: p.as_ptr(),
            least: trial.least,
            largest: trial.largest,
            slopes: slopes.as_mut_ptr(),
            end: end.as_mut_ptr(),
            error: trial.error,
            least_end: trial.least_end,
            largest_end: trial.largest_end,
            rtol: trial.rtol,
            atol: trial.atol,
            active: trial.active.into(),
            good: 0,
            strange: 0,
            suspicious: 0,
        };
        // SAFETY: the function reads and writes as many numbers as the slices have, and one for each lane
        // elsewhere.
        unsafe { (self.step)(&raw mut step) };
        Tried {
            good: step.good as Bits,
            strange: step.strange as Bits,
            suspicious: step.suspicious as Bits,
        }
    }

    /// Takes the steps that are good, shortens those that are refused.
    #[inline(always)]
    pub fn advance(&self, block: &mut Block, advance: &Advance<'_>) -> Advanced {
        let shape = &self.shape;
        let (slopes, last) =
            block.slopes[..shape.state * (shape.stages + 1)].split_at_mut(block.last);
        let end = &block.end[..shape.state];
        let y = &mut block.y[..shape.state];
        let mut going = Going {
            taken: advance.taken,
            end: end.as_ptr(),
            last: last[..shape.state].as_ptr(),
            error: &raw const block.error,
            least_end: &raw const block.least_end,
            largest_end: &raw const block.largest_end,
            t: &raw mut block.t,
            h: &raw mut block.h,
            y: y.as_mut_ptr(),
            slopes: slopes[..shape.state].as_mut_ptr(),
            least: &raw mut block.least,
            largest: &raw mut block.largest,
            steps: &raw mut block.steps,
            rejected: &raw mut block.rejected,
            rejected_last: &raw mut block.rejected_last,
            until: advance.until,
            max_step: advance.max_step,
            max_steps: advance.max_steps,
            good: advance.good.into(),
            refused: advance.refused.into(),
            arrived: 0,
            brief: 0,
            spent: 0,
        };
        // SAFETY: as for a step.
        unsafe { (self.advance)(&raw mut going) };
        Advanced {
            arrived: going.arrived as Bits,
            brief: going.brief as Bits,
            spent: going.spent as Bits,
        }
    }
}

fn source(
    functions: &[Vec<Tape>],
    shape: &Shape,
    manifold: &Manifold,
    method: &Tableau,
    conditions: &[&str],
) -> String {
    let mut text = String::new();
    for condition in conditions {
        line(&mut text, &format!("/* {} */", condition.replace("*/", "")));
    }
    text.push_str(&vectors(WIDTH));
    text.push_str(HEAD);
    line(&mut text, &format!("enum {{ HALVES = {HALVES} }};"));
    for (k, tapes) in functions.iter().enumerate() {
        // Who takes a slope sees whether it is finite: the guards of its solutions need not ask.
        let guards = if k == 0 { Guards::Pivots } else { Guards::All };
        function(&mut text, k, tapes, shape.state, guards);
        entry(&mut text, k);
    }
    let results = shape.outputs.iter().max().copied().unwrap_or(0).max(1);
    line(&mut text, &format!("#define STATE {}", shape.state.max(1)));
    line(&mut text, &format!("#define RESULTS {results}"));
    for (name, value) in rules() {
        line(&mut text, &format!("#define {name} {value:e}"));
    }
    line(
        &mut text,
        &format!("#define ROOT(x) ({})", root(method.order)),
    );
    text.push_str(STEP);
    stages(&mut text, shape, method);
    step(&mut text, shape, manifold);
    text
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}

/// A function of one half of the lanes.
fn function(text: &mut String, k: usize, tapes: &[Tape], state: usize, guards: Guards) {
    let length: usize = tapes.iter().map(|tape| tape.ops.len()).sum();
    let inlined = if length <= INLINED {
        "inline __attribute__((always_inline))"
    } else {
        "__attribute__((noinline))"
    };
    line(
        text,
        &format!("static {inlined} M f{k}(V t, {ARGUMENTS}) {{\n  M holds = EVERY;"),
    );
    let mut first = 0;
    for tape in tapes {
        // Each in a block of its own, for their registers have the same names.
        line(text, "  {");
        let mut writer = Writer {
            tape,
            state,
            guards,
            text,
        };
        for (k, op) in tape.ops.iter().enumerate() {
            writer.op(tape.first() + k, *op);
        }
        for (k, register) in tape.outputs.iter().enumerate() {
            let value = writer.read(*register);
            writer.line(&format!("out[{} * HALVES] = {value};", first + k));
        }
        first += tape.outputs.len();
        line(text, "  }");
    }
    line(text, "  return holds;\n}");
}

/// A function for callers from outside.
fn entry(text: &mut String, k: usize) {
    line(
        text,
        &format!(
            "unsigned appell_function_{k}(const V *restrict t, {ARGUMENTS}) {{\n  unsigned refused = 0;\n  \
             _Pragma(\"GCC unroll 8\") for (int b = 0; b < HALVES; b++) refused |= bits(~f{k}(t[b], y + b, p + b, \
             out + b)) << {WIDTH} * b;\n  return refused;\n}}"
        ),
    );
}

struct Writer<'a> {
    tape: &'a Tape,
    state: usize,
    guards: Guards,
    text: &'a mut String,
}

impl Writer<'_> {
    fn read(&self, register: Register) -> String {
        let place = register as usize;
        match self.tape.constant(register) {
            _ if place == 0 => "t".to_owned(),
            _ if place <= self.state => format!("y[{} * HALVES]", place - 1),
            _ if place < self.tape.inputs => format!("p[{} * HALVES]", place - 1 - self.state),
            Some(x) => format!("ALL({})", number(x)),
            None => format!("r{place}"),
        }
    }

    fn line(&mut self, text: &str) {
        line(self.text, &format!("  {text}"));
    }

    fn op(&mut self, target: usize, op: Op) {
        let value = match op {
            Op::SinCos(x) => {
                let x = self.read(x);
                self.line(&format!("V r{target}, r{};", target + 1));
                self.line(&format!("v_sin_cos({x}, &r{target}, &r{});", target + 1));
                return;
            }
            Op::Solve(index) => return self.solve(target, index),
            Op::Part => return,
            _ => value(op, "v_", |register| self.read(register)),
        };
        self.line(&format!("const V r{target} = {value};"));
    }

    /// The written-out solution, which counts where its guards hold.
    fn solve(&mut self, target: usize, index: u32) {
        let tape = self.tape;
        let solve = &tape.solves[index as usize];
        let Some(direct) = &solve.direct else {
            // Refused in every lane, as where a guard fails.
            self.line("holds = holds & 0;");
            for k in 0..solve.right.len() {
                self.line(&format!("const V r{} = ALL(NAN);", target + k));
            }
            return;
        };
        for (a, b) in self.guards.of(tape, direct) {
            let (a, b) = (self.read(a), self.read(b));
            self.line(&format!("holds = holds & ({a} > {b});"));
        }
        for (k, register) in direct.solution.iter().enumerate() {
            let value = self.read(*register);
            self.line(&format!("const V r{} = {value};", target + k));
        }
    }
}

/// `Sum_j weights_j k_j[c]`, without terms of weight 0.
fn combination(weights: &[f64]) -> String {
    let terms = weights.iter().enumerate().filter(|(_, w)| **w != 0.0);
    let terms: Vec<String> = terms
        .map(|(j, w)| format!("{} * K({j})", number(*w)))
        .collect();
    if terms.is_empty() {
        "ALL(0.0)".to_owned()
    } else {
        terms.join(" + ")
    }
}

/// The same where `sum` is known to be that of other weights: what is left to add, if this is shorter. The
/// coarse estimate of an error differs from the step in a few weights only.
fn combination_from(sum: &str, known: &[f64], weights: &[f64]) -> String {
    let at = |row: &[f64], j: usize| row.get(j).copied().unwrap_or(0.0);
    let rest: Vec<f64> = (0..known.len().max(weights.len()))
        .map(|j| at(weights, j) - at(known, j))
        .collect();
    let terms = |row: &[f64]| row.iter().filter(|w| **w != 0.0).count();
    if terms(&rest) < terms(weights) {
        format!("{sum} + {}", combination(&rest))
    } else {
        combination(weights)
    }
}

/// `x^(-1/(2 order))` (by square roots where these suffice, for logarithms cost more), the `order`-th root of an error whose square is `x`.
fn root(order: u32) -> String {
    if order.is_power_of_two() {
        format!("root((x), {})", order.trailing_zeros() + 1)
    } else {
        format!("v_exp(-v_log(x) / {}.0)", 2 * order)
    }
}

/// The stages of a trial step, its end, and the square of the error in units of the tolerance.
fn stages(text: &mut String, shape: &Shape, method: &Tableau) {
    let n = shape.state;
    line(
        text,
        &format!(
            "#define K(j) k[AT((j) * {n} + c)]\n\
             INLINE void stages(const Step *s, const V *restrict y, const V *restrict p, V *restrict k, V *restrict \
             end,\n    V *restrict inverse, M *restrict holds) {{\n  const V *t = s->t, *h = s->h;\n  V a[STATE * \
             HALVES];\n  HALF holds[b] = EVERY;"
        ),
    );
    for (i, (row, node)) in method.stages.iter().zip(method.nodes).enumerate().skip(1) {
        let sum = combination(row);
        let (node, place) = (number(*node), i * n);
        line(
            text,
            &format!(
                "  HALF {{\n    FOR(c, 0, {n}) a[AT(c)] = y[AT(c)] + h[b] * ({sum});\n    holds[b] &= f0(t[b] + {node} \
                 * h[b], a + b, p + b, k + AT({place}));\n  }}"
            ),
        );
    }
    line(
        text,
        &format!(
            "  V fine[HALVES], coarse[HALVES];\n  HALF fine[b] = coarse[b] = ALL(0.0);\n  FOR(c, 0, {n}) HALF {{\n    \
             const V sum = {};\n    end[AT(c)] = y[AT(c)] + h[b] * sum;\n    const V size = s->atol + s->rtol * \
             v_maximum(v_fabs(y[AT(c)]), v_fabs(end[AT(c)]));\n    inverse[AT(c)] = near_inverse(v_maximum(size, \
             ALL(2.2250738585072014e-308)));\n    const V e = ({}) * inverse[AT(c)], g = ({}) * inverse[AT(c)];\n    \
             fine[b] += e * e;\n    coarse[b] += g * g;\n  }}\n  HALF s->error[b] = pick(fine[b] == 0, ALL(0.0), \
             h[b] * h[b] * fine[b] / ({n} * (fine[b] + 0.01 * coarse[b])) * fine[b]);\n}}",
            combination(method.weights),
            combination(method.error.fine),
            combination_from("sum", method.weights, method.error.coarse)
        ),
    );
}

/// The step: trial, projection, the slope at the end, the first look for singular states.
fn step(text: &mut String, shape: &Shape, manifold: &Manifold) {
    let last = shape.stages * shape.state;
    line(
        text,
        &format!(
            "void appell_step(Step *s) {{\n  V *last = s->slopes + {last} * HALVES, inverse[STATE * HALVES], \
             t[HALVES];\n  M holds[HALVES], good[HALVES], strange[HALVES], suspicious[HALVES];\n  Settled \
             settled;\n  stages(s, s->y, s->p, s->slopes, s->end, inverse, holds);\n  begin(s, holds, t, good, \
             strange, suspicious, &settled);"
        ),
    );
    for (k, (rows, moved)) in manifold.stages.iter().enumerate() {
        let (place, first, count) = (1 + k, moved.start, moved.len());
        line(
            text,
            &format!(
                "  settle(f{place}, {rows}, {first}, {count}, t, s->p, s->end, inverse, good, &settled);"
            ),
        );
    }
    line(text, "  arrive(f0, s, t, last, &settled, good, strange);");
    if let Some(rows) = manifold.monitored {
        let place = 1 + manifold.stages.len();
        line(
            text,
            &format!("  look(f{place}, {rows}, s, t, last, suspicious);"),
        );
    }
    line(text, "  finish(s, good, strange, suspicious);\n}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::check::Numbers;
    use crate::method::DOP853;
    use appell_expr::{Function as Name, Operation, Output, Program, Rational, Statement};

    /// `x' = sin x`, and the functions of `x` that the head writes.
    fn functions() -> Option<NativeLanes> {
        let names = [Name::Sin, Name::Cos, Name::Exp, Name::Log, Name::Atan];
        let program = |names: &[Name]| Program {
            inputs: vec!["t".to_owned(), "x".to_owned()],
            statements: (2..)
                .zip(names)
                .map(|(slot, name)| Statement::Let(slot, Operation::Call(*name, Box::new([1]))))
                .collect(),
            outputs: vec![Output {
                name: "values".to_owned(),
                rows: names.len(),
                columns: 1,
                slots: (2..2 + names.len() as u32).collect(),
            }],
            numbers: vec![
                Rational::new(0, 1),
                Rational::new(1, 1),
                Rational::new(-1, 1),
            ],
            slots: 2 + names.len(),
        };
        let tape = |names: &[Name]| vec![Tape::new(&program(names), &[])];
        let manifold = Manifold {
            stages: Vec::new(),
            monitored: None,
        };
        let made = NativeLanes::new(
            &[tape(&names[..1]), tape(&names)],
            0,
            &manifold,
            DOP853.tableau?,
        );
        if let Err(why) = &made {
            println!("not tested here: {why}");
        }
        made.ok()
    }

    /// The distance in units in the last place of `b`.
    fn units(a: f64, b: f64) -> f64 {
        if a == b || a.is_nan() && b.is_nan() {
            return 0.0;
        }
        let unit = f64::from_bits(b.abs().to_bits() + 1) - b.abs();
        (a - b).abs() / unit
    }

    #[test]
    fn elementary_functions_over_lanes_are_the_usual_ones_to_two_units() {
        let Some(native) = functions() else {
            return;
        };
        let mut numbers = Numbers(7);
        let mut arguments: Vec<f64> = (0..40_000)
            .map(|k| match k % 5 {
                0 => 1e5 * numbers.next(),
                1 => 10.0 * numbers.next(),
                2 => 700.0 * numbers.next(),
                3 => 1.0 + 1e-3 * numbers.next(),
                _ => (300.0 * numbers.next()).exp2() * numbers.next(),
            })
            .collect();
        // Next to multiples of a right angle little is left of the argument.
        arguments.extend(
            (0..60_000)
                .step_by(7)
                .map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2),
        );
        let awkward = [
            0.0,
            -0.0,
            1e300,
            -1e22,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        arguments.extend(awkward);
        arguments.extend([
            5e-324, 1e-310, 710.0, -745.1, -800.0, 99_999.999, 100_000.1, 1.0,
        ]);
        for block in arguments.chunks(LANES) {
            let mut x = Lanes::all(0.5);
            x.0[..block.len()].copy_from_slice(block);
            let mut out = [Lanes::default(); 5];
            let refused = native.call(1, &Lanes::all(0.0), &[x], &[], &mut out);
            assert_eq!(refused, 0);
            for (lane, x) in block.iter().enumerate() {
                let wanted = [x.sin(), x.cos(), x.exp(), x.ln(), x.atan()];
                for (out, wanted) in out.iter().zip(wanted) {
                    let off = units(out.0[lane], wanted);
                    assert!(off <= 2.0, "{x:e}: {:e} {wanted:e}, {off}", out.0[lane]);
                }
            }
        }
        // The sign of zero is kept.
        let mut out = [Lanes::default(); 5];
        native.call(1, &Lanes::all(0.0), &[Lanes::all(-0.0)], &[], &mut out);
        assert!(out[0].0[3].is_sign_negative());
    }

    #[test]
    fn what_is_far_away_in_one_lane_does_not_touch_the_others() {
        let Some(native) = functions() else {
            return;
        };
        let mut x = Lanes(std::array::from_fn(|i| 1.37 * i as f64 - 7.5));
        let (mut calm, mut mixed) = ([Lanes::default(); 5], [Lanes::default(); 5]);
        native.call(1, &Lanes::all(0.0), &[x], &[], &mut calm);
        x.0[4] = 1e9;
        native.call(1, &Lanes::all(0.0), &[x], &[], &mut mixed);
        for (calm, mixed) in calm.iter().zip(&mixed) {
            for lane in (0..LANES).filter(|lane| *lane != 4) {
                assert_eq!(calm.0[lane].to_bits(), mixed.0[lane].to_bits());
            }
        }
    }
}
