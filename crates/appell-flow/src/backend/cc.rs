//! Machine code by the system's C compiler, kept in a private cache under the user's own.
#![allow(
    unsafe_code,
    reason = "a library is loaded and its address becomes a function"
)]

use super::cache::{Compiler, hash, library};
use super::native::{Entry, Machine, Trial, TrialEntry};
use crate::tableau::Tableau;
use crate::tape::{Direct, Op, Register, Tape, TapeSolve};
use crate::unsupported::Unsupported;
use appell_expr::Function;
use libloading::Library;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether `a b + c` may be rounded once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contraction {
    Allowed,
    Off,
}

impl Contraction {
    /// What the compiler is told. For equal bits it must not evaluate functions itself, for it rounds better
    /// than the mathematical library does.
    fn flags(self) -> Vec<String> {
        match self {
            Contraction::Allowed => vec!["-ffp-contract=fast".to_owned()],
            Contraction::Off => {
                let table = Function::TABLE
                    .iter()
                    .filter(|(f, ..)| name(*f) == f.name());
                let names = table.map(|(_, name, _)| *name).chain(["pow"]);
                let own = names.map(|name| format!("-fno-builtin-{name}"));
                own.chain(["-ffp-contract=off".to_owned()]).collect()
            }
        }
    }
}

/// Functions keep the meaning of IEEE; only `errno` and traps, which nobody reads, are given up. With `-O3`
/// GCC gathers scalars into vectors, which costs more here than it gains.
const FLAGS: [&str; 7] = [
    "-O2",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
    "-w",
];

/// Fields with more operations than this are not copied into each stage: the calls cost little there.
const INLINED: usize = 300;

/// Compiles a tape, or loads what was compiled before.
///
/// # Errors
/// In words: no compiler, no place for the cache, or one that others can write to.
pub(super) fn compile(tape: &Tape, contraction: Contraction) -> Result<Machine, Unsupported> {
    let library = library_of(contraction, |conditions| source(tape, conditions))?;
    let machine = load(&library, tape)?;
    let trials = match contraction {
        Contraction::Allowed => {
            |tape: &Tape, tableau: &Tableau| trial(tape, tableau, Contraction::Allowed)
        }
        Contraction::Off => |tape: &Tape, tableau: &Tableau| trial(tape, tableau, Contraction::Off),
    };
    // SAFETY: `trial` makes code for the tape and the tableau that it is given.
    Ok(unsafe { machine.with_trials(trials) })
}

/// Code for the stages of a method with the field in each; `None` where that does not pay, or where the
/// compiler, which made the field before, fails now.
fn trial(tape: &Tape, tableau: &Tableau, contraction: Contraction) -> Option<Trial> {
    if tape.ops.len() > INLINED {
        return None;
    }
    let written = |conditions: &[&str]| trial_source(tape, tableau, conditions);
    let library = library_of(contraction, written).ok()?;
    // SAFETY: as in `load`; the source has the signature of `TrialEntry`.
    unsafe {
        let library = Library::new(library).ok()?;
        let entry = *library.get::<TrialEntry>(b"appell_trial\0").ok()?;
        Some(Trial {
            entry,
            stages: tableau.stage_count(),
            _owner: Box::new(library),
        })
    }
}

/// The library of a source, which is written from what else decides on the code.
pub(super) fn library_of(
    contraction: Contraction,
    source: impl FnOnce(&[&str]) -> String,
) -> Result<PathBuf, Unsupported> {
    let contract = contraction.flags();
    let arguments = FLAGS.iter().map(|flag| (*flag).to_owned());
    let compiler = Compiler::of_system(arguments.chain(contract.iter().cloned()).collect());
    let (name, flags, contract) = (compiler.name(), FLAGS.join(" "), contract.join(" "));
    let text = source(&[&name, &flags, &contract, &processor()]);
    library(&compiler, &text)
}

/// For any processor of this kind; only what the source shows is to be seen.
const PORTABLE: [&str; 6] = [
    "-O2",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-fPIC",
    "-shared",
    "-w",
];

/// A shared library of a source in C, for programs on other machines of this kind.
///
/// # Errors
/// In words: no compiler, one that fails, no place for the cache, a library that cannot be read.
pub(super) fn shared_library(source: &str) -> Result<Vec<u8>, Unsupported> {
    let flags = PORTABLE.iter().map(|flag| (*flag).to_owned()).collect();
    let compiler = Compiler::of_system(flags);
    let text = format!("// {} {}\n{source}", compiler.name(), PORTABLE.join(" "));
    let path = library(&compiler, &text)?;
    fs::read(&path).map_err(|error| Unsupported(format!("{}: {error}", path.display())))
}

fn load(library: &Path, tape: &Tape) -> Result<Machine, Unsupported> {
    let words =
        |error: libloading::Error| format!("{} cannot be loaded: {error}", library.display());
    // SAFETY: the library lies in a folder that only the user can write to and was compiled from the source
    // of this very tape, which has the signature of `Entry` and no initialisers.
    unsafe {
        let library = Library::new(library).map_err(words)?;
        let entry: Entry = *library.get::<Entry>(b"appell_field\0").map_err(words)?;
        Ok(Machine::new(entry, tape, Box::new(library)))
    }
}

/// What the code is made for: a cache may be shared by machines.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let wanted = |line: &&str| line.starts_with("model name") || line.starts_with("flags");
    let lines: Vec<&str> = text.lines().filter(wanted).take(2).collect();
    format!(
        "{} {:032x}",
        std::env::consts::ARCH,
        hash(lines.join("\n").as_bytes())
    )
}

/// The C source of a tape; what else decides on the code stands in its first lines.
fn source(tape: &Tape, conditions: &[&str]) -> String {
    let mut text = head(conditions);
    field(&mut text, tape, "int appell_field");
    text
}

/// The C source of the stages of a step.
fn trial_source(tape: &Tape, tableau: &Tableau, conditions: &[&str]) -> String {
    let mut text = head(conditions);
    field(
        &mut text,
        tape,
        "static inline __attribute__((always_inline)) int field",
    );
    let n = tape.outputs.len();
    let line = |text: &mut String, words: &str| writeln!(text, "{words}").unwrap_or_default();
    line(
        &mut text,
        &format!(
            "#define K(j) k[(j) * {n} + c]\n#define EACH _Pragma(\"GCC unroll 16\") for (int c = 0; c < {n}; c++)\n\
             int appell_trial(double t, double h, const double *restrict y, double *restrict k,\n                 \
             double *restrict end, void *data) {{\n  double a[{n}];"
        ),
    );
    let stages = tableau.stages.iter().zip(tableau.nodes).enumerate();
    for (i, (row, node)) in stages.skip(1) {
        let sum = combination(row);
        line(&mut text, &format!("  EACH a[c] = y[c] + h * ({sum});"));
        let (node, first) = (number(*node), i * n);
        line(
            &mut text,
            &format!("  if (field(t + {node} * h, a, k + {first}, data)) return 1;"),
        );
    }
    let sum = combination(tableau.weights);
    line(
        &mut text,
        &format!("  EACH end[c] = y[c] + h * ({sum});\n  return 0;\n}}"),
    );
    text
}

/// `Sum_j weights_j k_j[c]` without terms of weight 0, in the order and with the first zero of the sums that
/// are not compiled.
fn combination(weights: &[f64]) -> String {
    let terms = weights
        .iter()
        .enumerate()
        .filter(|(_, weight)| **weight != 0.0);
    let terms = terms.map(|(j, weight)| format!("{} * K({j})", number(*weight)));
    let terms: Vec<String> = ["0.0".to_owned()].into_iter().chain(terms).collect();
    terms.join(" + ")
}

fn head(conditions: &[&str]) -> String {
    let comments = conditions
        .iter()
        .map(|c| format!("/* {} */\n", c.replace("*/", "")));
    comments.chain([HEAD.to_owned()]).collect()
}

/// Writes the function of a tape. Where solutions are written out, a function of its own does the same with
/// help where one does not count, so that this one needs neither room nor a second way through.
fn field(text: &mut String, tape: &Tape, name: &str) {
    let is_written_out = |solve: &TapeSolve| solve.direct.is_some();
    let refers = tape.solves.iter().any(is_written_out);
    if refers {
        let whole = "static __attribute__((noinline, cold)) int whole";
        function(text, tape, whole, Otherwise::Help);
    }
    let otherwise = if refers {
        Otherwise::Whole
    } else {
        Otherwise::Help
    };
    function(text, tape, name, otherwise);
}

/// What is done where a written-out solution does not count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    /// The numerical routine is called.
    Help,
    /// The whole is begun anew by the function that calls it.
    Whole,
}

fn function(text: &mut String, tape: &Tape, name: &str, otherwise: Otherwise) {
    let mut writer = Writer {
        tape,
        otherwise,
        text,
    };
    writer.line(&format!(
        "{name}(double t, const double *restrict y, double *restrict out, void *data) {{"
    ));
    for (k, op) in tape.ops.iter().enumerate() {
        writer.op(tape.first() + k, *op);
    }
    for (k, register) in tape.outputs.iter().enumerate() {
        let value = writer.read(*register);
        writer.line(&format!("out[{k}] = {value};"));
    }
    writer.line("return 0;\n}");
}

const HEAD: &str = "\
#include <math.h>
static inline double minimum(double x, double y) { return x < y || y != y ? x : y; }
static inline double maximum(double x, double y) { return x > y || y != y ? x : y; }
static inline double sign(double x) { return x == 0 ? 0 : x != x ? x : copysign(1, x); }
typedef unsigned fallback(void *, unsigned, double *);
";

struct Writer<'a> {
    tape: &'a Tape,
    otherwise: Otherwise,
    text: &'a mut String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {line}");
    }

    fn read(&self, register: Register) -> String {
        let place = register as usize;
        match self.tape.constant(register) {
            _ if place == 0 => "t".to_owned(),
            _ if place < self.tape.inputs => format!("y[{}]", place - 1),
            Some(x) => number(x),
            None => format!("r{place}"),
        }
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
            Some(direct) if direct.guards.is_empty() => "1".to_owned(),
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

    fn guards(&self, direct: &Direct) -> String {
        let guards = direct.guards.iter();
        let guards = guards.map(|(a, b)| format!("({} > {})", self.read(*a), self.read(*b)));
        guards.collect::<Vec<String>>().join(" & ")
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
fn name(f: Function) -> &'static str {
    match f {
        Function::Abs => "fabs",
        Function::Min => "minimum",
        Function::Max => "maximum",
        Function::Sign => "sign",
        _ => f.name(),
    }
}
