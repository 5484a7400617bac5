//! Machine code over lanes by the system's C compiler: functions of a motion, and the trial step of a
//! method with the right-hand side in it.
#![allow(
    unsafe_code,
    reason = "a library is loaded, and its addresses become functions that are called"
)]

use super::cc::{Contraction, library_of, name, number};
use crate::ensemble::Trial;
use crate::lanes::Lanes;
use crate::method::Tableau;
use crate::tape::{Op, Register, Tape};
use libloading::Library;
use std::fmt::Write as _;

/// What every source begins with: vectors and their elementary functions.
const HEAD: &str = include_str!("lanes.c");

/// Functions with more operations than this are not copied into each stage.
const INLINED: usize = 200;

/// `(t, y, p, out)`: the lanes in which a system was refused, as bits.
type Function = unsafe extern "C" fn(*const Lanes, *const Lanes, *const Lanes, *mut Lanes) -> u32;

/// `(t, h, y, p, slopes, end, error, rtol, atol)`: likewise.
type Step = unsafe extern "C" fn(
    *const Lanes,
    *const Lanes,
    *const Lanes,
    *const Lanes,
    *mut Lanes,
    *mut Lanes,
    *mut Lanes,
    f64,
    f64,
) -> u32;

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
    step: Step,
    shape: Shape,
    /// Keeps the code in memory.
    _library: Library,
}

impl NativeLanes {
    /// Compiles functions, each of some tapes one after the other; the first is the right-hand side that
    /// the steps of the method are taken with.
    ///
    /// # Errors
    /// In words: no compiler, no place for the cache.
    pub fn new(
        functions: &[Vec<Tape>],
        parameters: usize,
        method: &Tableau,
    ) -> Result<NativeLanes, String> {
        let outputs = |tapes: &Vec<Tape>| tapes.iter().map(|tape| tape.outputs.len()).sum();
        let outputs: Vec<usize> = functions.iter().map(outputs).collect();
        let inputs = functions
            .first()
            .and_then(|tapes| tapes.first())
            .map_or(1, |tape| tape.inputs);
        let fits = functions.iter().flatten().all(|tape| tape.inputs == inputs);
        let state = outputs.first().copied().unwrap_or(0);
        if !fits || inputs != 1 + state + parameters {
            return Err("the functions of the motion read different states".to_owned());
        }
        let shape = Shape {
            state,
            parameters,
            outputs,
            stages: method.stage_count(),
        };
        let library = library_of(Contraction::Allowed, |conditions| {
            source(functions, &shape, method, conditions)
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
            let step = *library.get::<Step>(b"appell_trial\0").map_err(words)?;
            Ok(NativeLanes {
                functions,
                step,
                shape,
                _library: library,
            })
        }
    }

    /// Calls the function of this place; the lanes that were refused as bits.
    #[inline(always)]
    pub fn call(&self, place: usize, t: &Lanes, y: &[Lanes], p: &[Lanes], out: &mut [Lanes]) -> u8 {
        let shape = &self.shape;
        let (y, p) = (&y[..shape.state], &p[..shape.parameters]);
        let out = &mut out[..shape.outputs[place]];
        let function = self.functions[place];
        // SAFETY: the function reads and writes as many numbers as the slices have.
        unsafe { function(t, y.as_ptr(), p.as_ptr(), out.as_mut_ptr()) as u8 }
    }

    /// Takes the stages of a step.
    #[inline(always)]
    pub fn trial(&self, trial: &mut Trial<'_>) -> u8 {
        let shape = &self.shape;
        let (y, p) = (&trial.y[..shape.state], &trial.p[..shape.parameters]);
        let slopes = &mut trial.slopes[..shape.state * shape.stages];
        let end = &mut trial.end[..shape.state];
        // SAFETY: the function reads and writes as many numbers as the slices have.
        unsafe {
            (self.step)(
                trial.t,
                trial.h,
                y.as_ptr(),
                p.as_ptr(),
                slopes.as_mut_ptr(),
                end.as_mut_ptr(),
                trial.error,
                trial.rtol,
                trial.atol,
            ) as u8
        }
    }
}

fn source(functions: &[Vec<Tape>], shape: &Shape, method: &Tableau, conditions: &[&str]) -> String {
    let mut text = String::new();
    for condition in conditions {
        line(&mut text, &format!("/* {} */", condition.replace("*/", "")));
    }
    text.push_str(HEAD);
    for (k, tapes) in functions.iter().enumerate() {
        function(&mut text, k, tapes, shape.state);
    }
    step(&mut text, shape, method);
    text
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}

/// A function for the stages, and the same for callers from outside.
fn function(text: &mut String, k: usize, tapes: &[Tape], state: usize) {
    let length: usize = tapes.iter().map(|tape| tape.ops.len()).sum();
    let inlined = if length <= INLINED {
        "inline __attribute__((always_inline))"
    } else {
        "__attribute__((noinline))"
    };
    let arguments = "const V *restrict y, const V *restrict p, V *restrict out";
    line(
        text,
        &format!("static {inlined} M f{k}(V t, {arguments}) {{\n  M holds = EVERY;"),
    );
    let mut first = 0;
    for tape in tapes {
        // Each in a block of its own, for their registers have the same names.
        line(text, "  {");
        let mut writer = Writer { tape, state, text };
        for (k, op) in tape.ops.iter().enumerate() {
            writer.op(tape.first() + k, *op);
        }
        for (k, register) in tape.outputs.iter().enumerate() {
            let value = writer.read(*register);
            writer.line(&format!("out[{}] = {value};", first + k));
        }
        first += tape.outputs.len();
        line(text, "  }");
    }
    line(text, "  return holds;\n}");
    line(
        text,
        &format!(
            "unsigned appell_function_{k}(const V *restrict t, {arguments}) {{\n  return bits(~f{k}(*t, y, p, \
             out));\n}}"
        ),
    );
}

struct Writer<'a> {
    tape: &'a Tape,
    state: usize,
    text: &'a mut String,
}

impl Writer<'_> {
    fn read(&self, register: Register) -> String {
        let place = register as usize;
        match self.tape.constant(register) {
            _ if place == 0 => "t".to_owned(),
            _ if place <= self.state => format!("y[{}]", place - 1),
            _ if place < self.tape.inputs => format!("p[{}]", place - 1 - self.state),
            Some(x) => format!("ALL({})", number(x)),
            None => format!("r{place}"),
        }
    }

    fn line(&mut self, text: &str) {
        line(self.text, &format!("  {text}"));
    }

    fn op(&mut self, target: usize, op: Op) {
        let read = |register: Register| self.read(register);
        let value = match op {
            Op::Neg(x) => format!("-{}", read(x)),
            Op::Abs(x) => format!("v_fabs({})", read(x)),
            Op::Sqrt(x) => format!("v_sqrt({})", read(x)),
            Op::Add(x, y) => format!("{} + {}", read(x), read(y)),
            Op::Sub(x, y) => format!("{} - {}", read(x), read(y)),
            Op::Mul(x, y) => format!("{} * {}", read(x), read(y)),
            Op::Div(x, y) => format!("{} / {}", read(x), read(y)),
            Op::Power(x, y) => format!("v_pow({}, {})", read(x), read(y)),
            Op::Call(f, x, y) => match f.arity() {
                1 => format!("v_{}({})", name(f), read(x)),
                _ => format!("v_{}({}, {})", name(f), read(x), read(y)),
            },
            Op::SinCos(x) => {
                let x = read(x);
                self.line(&format!("V r{target}, r{};", target + 1));
                self.line(&format!("v_sin_cos({x}, &r{target}, &r{});", target + 1));
                return;
            }
            Op::Solve(index) => return self.solve(target, index),
            Op::Part => return,
        };
        self.line(&format!("const V r{target} = {value};"));
    }

    /// The written-out solution, which counts where its guards hold.
    fn solve(&mut self, target: usize, index: u32) {
        let tape = self.tape;
        let solve = &tape.solves[index as usize];
        let Some(direct) = &solve.direct else {
            self.line("holds = holds & 0;");
            for k in 0..solve.right.len() {
                self.line(&format!("const V r{} = ALL(NAN);", target + k));
            }
            return;
        };
        for (a, b) in &direct.guards {
            let (a, b) = (self.read(*a), self.read(*b));
            self.line(&format!("holds = holds & ({a} > {b});"));
        }
        for (k, register) in direct.solution.iter().enumerate() {
            let value = self.read(*register);
            self.line(&format!("const V r{} = {value};", target + k));
        }
    }
}

/// `first + factor Sum_j weights_j k_j[c]`, without terms of weight 0.
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

/// The trial step: stages, end, and the error in units of the tolerance.
fn step(text: &mut String, shape: &Shape, method: &Tableau) {
    let n = shape.state;
    line(
        text,
        &format!(
            "#define K(j) k[(j) * {n} + c]\n\
             unsigned appell_trial(const V *restrict time, const V *restrict step, const V *restrict y, const V \
             *restrict p,\n    V *restrict k, V *restrict end, V *restrict error, double rtol, double atol) {{\n  \
             const V t = *time, h = *step;\n  M holds = EVERY;\n  V a[{}];",
            n.max(1)
        ),
    );
    let each = |body: &str| format!("  for (int c = 0; c < {n}; c++) {body}");
    for (i, (row, node)) in method.stages.iter().zip(method.nodes).enumerate().skip(1) {
        line(
            text,
            &each(&format!("a[c] = y[c] + h * ({});", combination(row))),
        );
        line(
            text,
            &format!(
                "  holds = holds & f0(t + {} * h, a, p, k + {});",
                number(*node),
                i * n
            ),
        );
    }
    line(
        text,
        &each(&format!(
            "end[c] = y[c] + h * ({});",
            combination(method.weights)
        )),
    );
    let body = format!(
        "{{\n    const V size = atol + rtol * v_maximum(v_fabs(y[c]), v_fabs(end[c]));\n    const V inverse = 1.0 \
         / v_maximum(size, ALL(2.2250738585072014e-308));\n    const V e = ({}) * inverse, g = ({}) * \
         inverse;\n    fine += e * e;\n    coarse += g * g;\n  }}",
        combination(method.error.fine),
        combination(method.error.coarse)
    );
    line(text, "  V fine = ALL(0.0), coarse = ALL(0.0);");
    line(text, &each(&body));
    line(
        text,
        &format!(
            "  *error = pick(fine == 0, ALL(0.0), v_fabs(h) * fine / v_sqrt({n} * (fine + 0.01 * \
             coarse)));\n  return bits(~holds);\n}}"
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;
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
        let made = NativeLanes::new(&[tape(&names[..1]), tape(&names)], 0, DOP853.tableau?);
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
        let mut x = Lanes([0.1, 0.7, -2.0, 3.0, 11.0, -7.5, 0.3, 1.0]);
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
