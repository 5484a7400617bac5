//! A motion in C: the functions over the numbers V, the step of a method with these functions in it, as far as the step
//! is an ordinary one, and how a motion begins. In the vector extensions of GCC and Clang for lanes of the processor, in
//! CUDA C with a number in each thread.

use super::angles::vectors;
use super::c_source::{Guards, number, value};
use crate::lane_step::{Manifold, Monitored};
use crate::lanes::LANES;
use crate::rules::rules;
use crate::tableau::Tableau;
use crate::tape::{Op, Register, Tape};
use std::fmt::Write as _;

/// What V is, and what is written beside the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Numbers side by side.
    Vectors,
    /// One number.
    #[cfg_attr(
        not(feature = "cuda"),
        allow(dead_code, reason = "written for devices")
    )]
    Scalars {
        /// With the dense output of a step.
        sampled: bool,
    },
}

/// The numbers in a vector of the C code, and the vectors for all lanes.
pub(super) const WIDTH: usize = 8;
const HALVES: usize = LANES / WIDTH;

const ARGUMENTS: &str = "const V *restrict y, const V *restrict p, V *restrict out";

/// Functions with more operations than this are not copied into each stage: the time to compile grows with
/// their number, and the call is a small part of what they do.
const INLINED: usize = 200;

/// The sizes that the code relies on.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub state: usize,
    pub parameters: usize,
    /// Of each function.
    pub outputs: Vec<usize>,
    pub stages: usize,
    /// The numbers of the rank monitor.
    pub rows: usize,
}

impl Shape {
    /// That of these functions; none where they read different states.
    pub fn of(
        functions: &[Vec<Tape>],
        parameters: usize,
        manifold: &Manifold,
        method: &Tableau,
    ) -> Option<Shape> {
        let outputs = |tapes: &Vec<Tape>| tapes.iter().map(|tape| tape.outputs.len()).sum();
        let outputs: Vec<usize> = functions.iter().map(outputs).collect();
        let state = outputs.first().copied().unwrap_or(0);
        let mut tapes = functions.iter().flatten();
        let fits = tapes.all(|tape| tape.inputs == 1 + state + parameters);
        fits.then_some(Shape {
            state,
            parameters,
            outputs,
            stages: method.stage_count(),
            rows: manifold.monitored.map_or(0, Monitored::len),
        })
    }
}

/// The source.
pub(super) fn source(
    dialect: Dialect,
    functions: &[Vec<Tape>],
    shape: &Shape,
    manifold: &Manifold,
    method: &Tableau,
) -> String {
    let mut text = String::new();
    match dialect {
        Dialect::Vectors => {
            text.push_str(&vectors(WIDTH));
            text.push_str(include_str!("lanes.c"));
            line(&mut text, &format!("enum {{ HALVES = {HALVES} }};"));
        }
        Dialect::Scalars { .. } => {
            text.push_str(include_str!("scalars.c"));
            text.push_str(include_str!("sin_cos.c"));
            line(&mut text, "enum { HALVES = 1 };");
        }
    }
    text.push_str(include_str!("elementary.c"));
    for (k, tapes) in functions.iter().enumerate() {
        // Who takes a slope sees whether it is finite: the guards of its solutions need not ask.
        let guards = if k == 0 { Guards::Pivots } else { Guards::All };
        function(&mut text, k, tapes, shape.state, guards);
        if dialect == Dialect::Vectors {
            entry(&mut text, k);
        }
    }
    definitions(&mut text, shape, manifold, method);
    text.push_str(include_str!("lanes_step.c"));
    stages(&mut text, shape, method);
    projection(&mut text, manifold);
    let sampled = dialect == Dialect::Scalars { sampled: true };
    let dense_stages = method.dense.stages.len() * usize::from(sampled);
    line(
        &mut text,
        &format!("#define SLOPES {}", shape.stages + 1 + dense_stages),
    );
    if sampled {
        dense(&mut text, shape, method);
    }
    text.push_str(include_str!("lanes_whole.c"));
    text
}

/// The numbers that the code relies on.
fn definitions(text: &mut String, shape: &Shape, manifold: &Manifold, method: &Tableau) {
    let results = shape.outputs.iter().max().copied().unwrap_or(0).max(1);
    for (name, value) in [
        ("STATE", shape.state.max(1)),
        ("PARAMETERS", shape.parameters),
        ("RESULTS", results),
        ("STAGES", shape.stages),
        ("ROWS", shape.rows),
    ] {
        line(text, &format!("#define {name} {value}"));
    }
    for (name, value) in rules() {
        line(text, &format!("#define {name} {value:e}"));
    }
    line(
        text,
        &format!("#define ORDER {:e}", f64::from(method.order)),
    );
    line(text, &format!("#define ROOT(x) ({})", root(method.order)));
    if let Some(Monitored { rows, columns }) = manifold.monitored {
        let place = 1 + manifold.stages.len();
        line(
            text,
            &format!(
                "#define MONITOR f{place}\n#define MONITORED {rows}\n#define COLUMNS {columns}"
            ),
        );
    }
}

fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}

/// A function of one half of the lanes.
fn function(text: &mut String, k: usize, tapes: &[Tape], state: usize, guards: Guards) {
    let length: usize = tapes.iter().map(|tape| tape.ops.len()).sum();
    let inlined = if length <= INLINED {
        "INLINE"
    } else {
        "NOINLINE"
    };
    line(
        text,
        &format!("{inlined} M f{k}(V t, {ARGUMENTS}) {{\n  M holds = EVERY;"),
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
             UNROLL(8) for (int b = 0; b < HALVES; b++) refused |= bits(NOT(f{k}(t[b], y + b, p + b, \
             out + b))) << {WIDTH} * b;\n  return refused;\n}}"
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
            self.line("holds = NOT(EVERY);");
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

/// The stages of the dense output, and the coefficients of [`Dense`](crate::tableau::Dense), of one member.
fn dense(text: &mut String, shape: &Shape, method: &Tableau) {
    let (n, last) = (shape.state, shape.stages);
    line(
        text,
        &format!(
            "#define SAMPLED\n#define DENSE {}\nINLINE M dense(V t, V h, const V *y, const V *p, V *k, const V *end, V \
             *f) {{\n  const int b = 0;\n  M good = EVERY;\n  V a[STATE];",
            method.dense_count()
        ),
    );
    let stages = method.dense.stages.iter().zip(method.dense.nodes);
    for (i, (row, node)) in stages.enumerate() {
        let (sum, node, place) = (combination(row), number(*node), (last + 1 + i) * n);
        line(
            text,
            &format!(
                "  FOR(c, 0, {n}) a[c] = y[c] + h * ({sum});\n  good &= f0(t + {node} * h, a, p, k + {place});\n  good &= \
                 all_finite(k + {place});"
            ),
        );
    }
    line(
        text,
        &format!(
            "  FOR(c, 0, {n}) {{\n    const V rise = f[c] = end[c] - y[c], start = f[{n} + c] = h * K(0) - rise;\n    \
             f[2 * {n} + c] = rise - h * K({last}) - start;"
        ),
    );
    for (i, weights) in method.dense.weights.iter().enumerate() {
        let sum = combination(weights);
        line(text, &format!("    f[{} * {n} + c] = h * ({sum});", 3 + i));
    }
    line(text, "  }\n  return good;\n}");
}

/// Newton's corrections of each stage of the constraints.
fn projection(text: &mut String, manifold: &Manifold) {
    line(
        text,
        "INLINE void project(const V *t, const V *p, V *end, const V *inverse, const M *lanes, Settled *settled) {",
    );
    for (k, (rows, moved)) in manifold.stages.iter().enumerate() {
        let (place, first, count) = (1 + k, moved.start, moved.len());
        let arguments = format!("{rows}, {first}, {count}, t, p, end, inverse, lanes, settled");
        line(text, &format!("  settle(f{place}, {arguments});"));
    }
    line(text, "}");
}
