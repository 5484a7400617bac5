//! A tape in C: its function, and the stages of a step with it in each.

use super::angles::{Angles, vectors};
use super::cc::Contraction;
use super::series_source::{coefficients, defect};
use crate::tableau::Tableau;
use crate::tape::series::Plan;
use crate::tape::{Direct, Op, Register, Tape, TapeSolve};
use appell_expr::Function;
use std::fmt::Write as _;

/// The C source of a tape; what else decides on the code stands in its first lines.
pub(super) fn source(tape: &Tape, contraction: Contraction, conditions: &str) -> String {
    let code = Code::new(tape, contraction, Guards::All);
    let mut text = code.head(conditions);
    code.field(&mut text, "int appell_field");
    text
}

/// The C source of a step. Sums of slopes are taken in vectors of four, but the last slope is added by
/// components: it has only just been written so, and the processor would wait before it reads it otherwise.
pub(super) fn trial_source(
    tape: &Tape,
    tableau: &Tableau,
    contraction: Contraction,
    conditions: &str,
) -> String {
    let code = Code::new(tape, contraction, Guards::Pivots);
    let mut text = code.head(conditions);
    code.field(
        &mut text,
        "static inline __attribute__((always_inline)) int field",
    );
    let (n, count) = (tape.outputs.len(), tableau.stage_count());
    let _ = writeln!(
        text,
        "typedef double W __attribute__((vector_size(32), aligned(8), may_alias));\n\
         #define K(j) k[(j) * {n} + c]\n\
         #define K4(j) (*(const W *)(k + (j) * {n} + c))\n\
         #define EACH(first, step) _Pragma(\"GCC unroll 16\") for (int c = first; c < {n} / step * step; c += step)\n\
         int appell_trial(double t, double h, const double *restrict y, double *restrict k,\n                 \
         double *restrict end, double *restrict errors, int arrives, void *data) {{\n  double a[{n}];"
    );
    let stages = tableau.stages.iter().zip(tableau.nodes).enumerate();
    for (i, (row, node)) in stages.skip(1) {
        stage(&mut text, "a", n, row);
        let (node, first) = (number(*node), i * n);
        let _ = writeln!(
            text,
            "  if (field(t + {node} * h, a, k + {first}, data)) return 1;"
        );
    }
    stage(&mut text, "end", n, tableau.weights);
    let last = count * n;
    let _ = writeln!(
        text,
        "  if (arrives && field(t + h, end, k + {last}, data)) return 1;\n  \
         if (!arrives) {{ EACH(0, 1) k[{last} + c] = 0.0; }}"
    );
    let error = &tableau.error;
    for (weights, first) in [(error.fine, 0), (error.coarse, n)] {
        let sums = sums(&terms(weights));
        over(&mut text, n, &format!("errors[{first} + c]"), &sums);
    }
    // What is not finite is not 0 when it is multiplied by 0; most slopes are in the errors.
    let is_seen = |j: &usize| error.fine.get(*j).is_some_and(|weight| *weight != 0.0);
    let others = (1..=count).filter(|j| !is_seen(j));
    let others: Vec<(usize, f64)> = others.map(|j| (j, 0.0)).collect();
    let [by_four, by_one] = sums(&others);
    let _ = writeln!(
        text,
        "  W zeros = {{0}};\n  double zero = 0.0;\n  \
         EACH(0, 4) zeros += 0.0 * *(W *)&errors[c]{by_four};\n  \
         EACH({n} / 4 * 4, 1) zero += 0.0 * errors[c]{by_one};\n  \
         return zero + zeros[0] + zeros[1] + zeros[2] + zeros[3] != 0.0;\n}}"
    );
    text
}

/// The C source of the Taylor series of a motion to an order, and of what its slope is off over a step.
pub(super) fn series_source(tape: &Tape, plan: &Plan, order: usize, conditions: &str) -> String {
    let code = Code::new(tape, Contraction::Allowed, Guards::All);
    let mut text = code.head(conditions);
    code.field(&mut text, "static int field");
    defect(&mut text, tape.outputs.len(), order);
    let [orders, statements] = coefficients(tape, plan, order);
    text += &orders;
    let mut writer = Writer {
        tape,
        guards: Guards::All,
        otherwise: Otherwise::Refuse,
        text: &mut text,
    };
    writer.line(
        "int appell_series(double t, const double *restrict y, double *restrict rows, void *data) {",
    );
    code.operations(&mut writer);
    text += &statements;
    text + "  return 0;\n}\n"
}

/// The weights that are not 0, with the numbers of their slopes.
fn terms(weights: &[f64]) -> Vec<(usize, f64)> {
    let all = weights.iter().copied().enumerate();
    all.filter(|(_, weight)| *weight != 0.0).collect()
}

/// ` + w_j k_j ...`, for vectors of four components and for one, in the order of the sums that are not compiled.
fn sums(terms: &[(usize, f64)]) -> [String; 2] {
    ["K4", "K"].map(|slope| {
        let terms = terms.iter();
        terms
            .map(|(j, weight)| format!(" + {} * {slope}({j})", number(*weight)))
            .collect()
    })
}

/// Writes sums, which begin with 0 as those that are not compiled, to the components of a target.
fn over(text: &mut String, n: usize, target: &str, [by_four, by_one]: &[String; 2]) {
    let _ = writeln!(
        text,
        "  EACH(0, 4) *(W *)&{target} = (W){{0}}{by_four};\n  \
         EACH({n} / 4 * 4, 1) {target} = 0.0{by_one};"
    );
}

/// `target = y + h Sum_j weights_j k_j`.
fn stage(text: &mut String, target: &str, n: usize, weights: &[f64]) {
    let terms = terms(weights);
    let (before, last) = terms.split_at(terms.len().saturating_sub(1));
    let target = format!("{target}[c]");
    over(text, n, &target, &sums(before));
    let [_, last] = sums(last);
    let _ = writeln!(text, "  EACH(0, 1) {target} = y[c] + h * ({target}{last});");
}

/// How the function of a tape is written.
struct Code<'a> {
    tape: &'a Tape,
    /// Those that are evaluated side by side.
    angles: Angles,
    guards: Guards,
}

/// Which of the guards of written-out solutions are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Guards {
    All,
    /// Those that ask whether a solution is finite are left out: whoever takes the slopes asks it of them.
    Pivots,
}

impl Guards {
    /// The pairs `(a, b)` of a solution that must be `a > b`.
    pub fn of(self, tape: &Tape, direct: &Direct) -> impl Iterator<Item = (Register, Register)> {
        let asked =
            move |a: Register| self == Guards::All || tape.constant(a) != Some(f64::INFINITY);
        let guards = direct.guards.iter().copied();
        guards.filter(move |(a, _)| asked(*a))
    }
}

/// What is done where a written-out solution does not count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    /// The numerical routine is called.
    Help,
    /// The whole is begun anew by the function that calls it.
    Whole,
    /// Whoever calls is told.
    Refuse,
}

impl<'a> Code<'a> {
    /// Angles are evaluated alone where the bits must be those of the mathematical library.
    fn new(tape: &'a Tape, contraction: Contraction, guards: Guards) -> Code<'a> {
        let angles = match contraction {
            Contraction::Allowed => Angles::of(tape),
            Contraction::Off => Angles::default(),
        };
        Code {
            tape,
            angles,
            guards,
        }
    }

    /// What else decides on the code, and what the functions rely on.
    fn head(&self, conditions: &str) -> String {
        let vectors = self.angles.width().map(vectors).unwrap_or_default();
        format!("{conditions}{HEAD}{vectors}")
    }

    /// Writes the function. Where solutions are written out, a function of its own does the same with help where one
    /// does not count, so that this one needs neither room nor a second way through.
    fn field(&self, text: &mut String, name: &str) {
        let is_written_out = |solve: &TapeSolve| solve.direct.is_some();
        let refers = self.tape.solves.iter().any(is_written_out);
        if refers {
            let whole = "static __attribute__((noinline, cold)) int whole";
            self.function(text, whole, Otherwise::Help);
        }
        let otherwise = if refers {
            Otherwise::Whole
        } else {
            Otherwise::Help
        };
        self.function(text, name, otherwise);
    }

    fn function(&self, text: &mut String, name: &str, otherwise: Otherwise) {
        let tape = self.tape;
        let guards = match otherwise {
            Otherwise::Whole => self.guards,
            Otherwise::Help | Otherwise::Refuse => Guards::All,
        };
        let mut writer = Writer {
            tape,
            guards,
            otherwise,
            text,
        };
        writer.line(&format!(
            "{name}(double t, const double *restrict y, double *restrict out, void *data) {{"
        ));
        self.operations(&mut writer);
        for (k, register) in tape.outputs.iter().enumerate() {
            let value = writer.read(*register);
            writer.line(&format!("out[{k}] = {value};"));
        }
        writer.line("return 0;\n}");
    }

    /// Writes all operations.
    fn operations(&self, writer: &mut Writer) {
        let tape = self.tape;
        let (early, others): (Vec<usize>, Vec<usize>) =
            (0..tape.ops.len()).partition(|k| self.angles.is_early(*k));
        let is_angle = |k: &usize| matches!(tape.ops[*k], Op::SinCos(_));
        for k in early.iter().filter(|k| !is_angle(k)) {
            writer.op(tape.first() + k, tape.ops[*k]);
        }
        writer.angles(&self.angles);
        for k in others {
            writer.op(tape.first() + k, tape.ops[k]);
        }
    }
}

const HEAD: &str = "\
#include <math.h>
static inline double smaller(double x, double y) { return x < y || x != x ? x : y; }
static inline double larger(double x, double y) { return x > y || x != x ? x : y; }
static inline double or_zero(double x) { return x == x ? x : 0; }
static inline double sign(double x) { return x == 0 ? 0 : x != x ? x : copysign(1, x); }
typedef unsigned fallback(void *, unsigned, double *);
";

struct Writer<'a> {
    tape: &'a Tape,
    guards: Guards,
    otherwise: Otherwise,
    text: &'a mut String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {line}");
    }

    fn read(&self, register: Register) -> String {
        read(self.tape, register)
    }

    fn angles(&mut self, angles: &Angles) {
        let mut text = String::new();
        angles.write(&mut text, self.tape, |register| self.read(register));
        self.text.push_str(&text);
    }

    fn op(&mut self, target: usize, op: Op) {
        let value = match op {
            Op::SinCos(x) => {
                let x = self.read(x);
                self.line(&format!(
                    "const double r{target} = sin({x}), r{} = cos({x});",
                    target + 1
                ));
                return;
            }
            Op::Solve(index) => {
                let tape = self.tape;
                return self.solve(target, index, &tape.solves[index as usize]);
            }
            Op::Part => return,
            _ => value(op, "", |register| self.read(register)),
        };
        self.line(&format!("const double r{target} = {value};"));
    }

    fn solve(&mut self, target: usize, index: u32, solve: &TapeSolve) {
        let unknowns = (0..solve.right.len()).map(|k| format!("r{}", target + k));
        let unknowns: Vec<String> = unknowns.collect();
        self.line(&format!("double {};", unknowns.join(", ")));
        let holds = match &solve.direct {
            None => "0".to_owned(),
            Some(direct) => self.guards(direct),
        };
        let found = solve.direct.iter().flat_map(|direct| &direct.solution);
        let found = unknowns.iter().zip(found);
        let found: Vec<String> = found
            .map(|(unknown, register)| format!("{unknown} = {};", self.read(*register)))
            .collect();
        if self.otherwise == Otherwise::Whole && solve.direct.is_some() {
            self.line(&format!(
                "if (__builtin_expect(!({holds}), 0)) return whole(t, y, out, data);"
            ));
            return found.iter().for_each(|line| self.line(line));
        }
        if self.otherwise == Otherwise::Refuse || solve.is_left_out() {
            self.line(&format!("if (__builtin_expect(!({holds}), 0)) return 1;"));
            return found.iter().for_each(|line| self.line(line));
        }
        self.line(&format!("if (__builtin_expect({holds}, 1)) {{"));
        found.iter().for_each(|line| self.line(line));
        let length = solve.matrix.len() + solve.right.len();
        self.line(&format!("}} else {{\n    double work[{length}];"));
        for (k, register) in solve.matrix.iter().chain(&solve.right).enumerate() {
            let value = self.read(*register);
            self.line(&format!("  work[{k}] = {value};"));
        }
        self.line(&format!(
            "  if ((*(fallback **)data)(data, {index}u, work)) return 1;"
        ));
        for (k, unknown) in unknowns.iter().enumerate() {
            self.line(&format!("  {unknown} = work[{k}];"));
        }
        self.line("}");
    }

    /// Whether a solution counts, as a condition.
    fn guards(&self, direct: &Direct) -> String {
        let guards = self.guards.of(self.tape, direct);
        let guards = guards.map(|(a, b)| format!("({} > {})", self.read(a), self.read(b)));
        let guards: Vec<String> = guards.collect();
        match guards.is_empty() {
            true => "1".to_owned(),
            false => guards.join(" & "),
        }
    }
}

/// What the value of a register is called.
pub(super) fn read(tape: &Tape, register: Register) -> String {
    let place = register as usize;
    match tape.constant(register) {
        _ if place == 0 => "t".to_owned(),
        _ if place < tape.inputs => format!("y[{}]", place - 1),
        Some(x) => number(x),
        None => format!("r{place}"),
    }
}

/// What one operation computes, of the values of its registers; functions have names with a prefix.
pub(super) fn value(op: Op, prefix: &str, read: impl Fn(Register) -> String) -> String {
    let call = |name: &str, x: &[Register]| {
        let x: Vec<String> = x.iter().map(|x| read(*x)).collect();
        format!("{prefix}{name}({})", x.join(", "))
    };
    let between = |sign: &str, x, y| format!("{} {sign} {}", read(x), read(y));
    match op {
        Op::Neg(x) => format!("-{}", read(x)),
        Op::Abs(x) => call("fabs", &[x]),
        Op::Sqrt(x) => call("sqrt", &[x]),
        Op::OrZero(x) => call("or_zero", &[x]),
        Op::Add(x, y) => between("+", x, y),
        Op::Sub(x, y) => between("-", x, y),
        Op::Mul(x, y) => between("*", x, y),
        Op::Div(x, y) => between("/", x, y),
        Op::Power(x, y) => call("pow", &[x, y]),
        Op::Call(f, x, y) => call(name(f), &[x, y][..f.arity()]),
        Op::SinCos(_) | Op::Solve(_) | Op::Part => String::new(),
    }
}

/// A number that reads back to the last bit.
pub(super) fn number(x: f64) -> String {
    if x.is_nan() {
        "NAN".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 { "INFINITY" } else { "(-INFINITY)" }.to_owned()
    } else if x < 0.0 {
        format!("({x:e})")
    } else {
        // An exponent makes it a double.
        format!("{x:e}")
    }
}

/// What C calls a function.
pub(super) fn name(f: Function) -> &'static str {
    match f {
        Function::Abs => "fabs",
        Function::Min => "smaller",
        Function::Max => "larger",
        Function::Sign => "sign",
        _ => f.name(),
    }
}
