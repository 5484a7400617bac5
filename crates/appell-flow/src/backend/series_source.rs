//! The Taylor series of a motion in C: all sums are written out, in a function for each order, since compilers take long over
//! a function of thousands of lines.

use super::c_source::{number, read};
use crate::rules::PROBES;
use crate::tape::Tape;
use crate::tape::series::{Auxiliary, NONE, Plan, Slot, Step};
use std::fmt::Write as _;

/// The functions of the orders beyond 0, and the statements that begin with the values of registers and call them. The
/// coefficients of the motion are written to `rows`, a row of all components for each order; those of all series stand in
/// a table `x`.
pub(super) fn coefficients(tape: &Tape, plan: &Plan, order: usize) -> [String; 2] {
    let stride = order + 1;
    let mut series = Coefficients {
        tape,
        plan,
        known: vec![vec![false; stride]; plan.count],
        has_inverse: vec![false; plan.count],
        text: String::new(),
    };
    series.line(&format!("double x[{}];", plan.count * (stride + 1)));
    series.first();
    series.integrate(0);
    series.set(0, 1, "1.0");
    for k in 1..order {
        series.line(&format!("order{k}(x, rows);"));
    }
    let statements = std::mem::take(&mut series.text);
    for k in 1..order {
        series.line(&format!(
            "static __attribute__((noinline)) void order{k}(double *restrict x, double *restrict rows) {{"
        ));
        for step in &plan.steps {
            series.step(*step, k);
        }
        series.integrate(k);
        series.line("}");
    }
    [series.text, statements]
}

/// Writes the function of what the slope is off; places where the right-hand side has no value do not count.
pub(super) fn defect(text: &mut String, n: usize, order: usize) {
    let parts = PROBES.map(number).join(", ");
    let _ = writeln!(
        text,
        "#define EACH _Pragma(\"GCC unroll 16\") for (int c = 0; c < {n}; c++)\n\
         double appell_defect(double t, double h, const double *restrict rows,\n                     \
         const double *restrict scale, void *data) {{\n  \
         static const double parts[] = {{{parts}}};\n  \
         double y[{n}], slope[{n}], rate[{n}], worst = 0.0;\n  \
         for (int i = 0; i < {count}; i++) {{\n    \
         const double x = parts[i] * h;\n    \
         EACH y[c] = rows[{order} * {n} + c], slope[c] = 0.0;\n    \
         for (int k = {order}; k > 0; k--)\n      \
         EACH slope[c] = slope[c] * x + y[c], y[c] = y[c] * x + rows[(k - 1) * {n} + c];\n    \
         if (field(t + x, y, rate, data)) continue;\n    \
         double sum = 0.0;\n    \
         EACH {{ const double off = (slope[c] - rate[c]) * h / scale[c]; sum += off * off; }}\n    \
         if (sum > worst) worst = sum;\n  }}\n  \
         return sqrt(worst / {n});\n}}",
        count = PROBES.len()
    );
}

/// Products in the sums of a plan to an order.
pub(super) fn products(plan: &Plan, order: usize) -> usize {
    let sums = plan.steps.iter().map(|step| match step {
        Step::Mul { .. } | Step::Div { .. } | Step::Over { .. } => 2,
        Step::Integral { .. } | Step::MinusIntegral { .. } | Step::Quotient { .. } => 2,
        Step::Square { .. } | Step::Sqrt { .. } => 1,
        Step::Power { .. } => 4,
        Step::Angle { .. } => 6,
        _ => 0,
    });
    sums.sum::<usize>() * order * order / 4 + plan.steps.len() * order
}

struct Coefficients<'a> {
    tape: &'a Tape,
    plan: &'a Plan,
    /// Per series and order, whether it stands in the table; what does not is 0.
    known: Vec<Vec<bool>>,
    /// Per series, whether `1 / x_0` stands behind its coefficients.
    has_inverse: Vec<bool>,
    text: String,
}

impl Coefficients<'_> {
    fn line(&mut self, line: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "  {line}");
    }

    /// The place of a coefficient.
    fn place(&self, x: Slot, k: usize) -> String {
        let places = self.known[x as usize].len() + 1;
        format!("x[{}]", x as usize * places + k)
    }

    fn at(&self, x: Slot, k: usize) -> Option<String> {
        self.known[x as usize][k].then(|| self.place(x, k))
    }

    fn set(&mut self, z: Slot, k: usize, value: &str) {
        self.known[z as usize][k] = true;
        let place = self.place(z, k);
        self.line(&format!("{place} = {value};"));
    }

    /// Order 0, of registers and of what stands in none.
    fn first(&mut self) {
        let plan = self.plan;
        let value = |register| read(self.tape, register);
        let registers = (0..).zip(&plan.slots).filter(|(_, slot)| **slot != NONE);
        let mut all: Vec<(Slot, String)> = registers.map(|(x, slot)| (*slot, value(x))).collect();
        let begin = plan.count - plan.auxiliary.len();
        for (slot, (auxiliary, register)) in (begin as Slot..).zip(&plan.auxiliary) {
            let x = value(*register);
            let value = match *auxiliary {
                Auxiliary::Zero => continue,
                Auxiliary::Sin => format!("sin({x})"),
                Auxiliary::Cos => format!("cos({x})"),
                Auxiliary::Sinh => format!("sinh({x})"),
                Auxiliary::Cosh => format!("cosh({x})"),
                Auxiliary::Log => format!("log({x})"),
                Auxiliary::Plus => format!("1.0 + {x} * {x}"),
                Auxiliary::Minus => format!("1.0 - {x} * {x}"),
                Auxiliary::Root => format!("sqrt(1.0 - {x} * {x})"),
                Auxiliary::MinusRoot => format!("-sqrt(1.0 - {x} * {x})"),
                Auxiliary::Norm(y) => format!("{x} * {x} + {y} * {y}", y = value(y)),
                Auxiliary::Exponent(y) => format!("{} * log({x})", value(y)),
            };
            all.push((slot, value));
        }
        for (slot, value) in all {
            if self.at(slot, 0).is_none() {
                self.set(slot, 0, &value);
            }
        }
    }

    /// Order `k + 1` of the motion, `y_{k+1} = f_k / (k + 1)`.
    fn integrate(&mut self, k: usize) {
        let tape = self.tape;
        let n = tape.outputs.len();
        let factor = number(1.0 / (k + 1) as f64);
        for (i, output) in tape.outputs.iter().enumerate() {
            if k == 0 {
                self.line(&format!("rows[{i}] = y[{i}];"));
            }
            let rate = self.at(self.plan.slots[*output as usize], k);
            let next = rate.map(|rate| format!("{rate} * {factor}"));
            let place = format!("rows[{}]", (k + 1) * n + i);
            let value = next.clone().unwrap_or_else(|| number(0.0));
            self.line(&format!("{place} = {value};"));
            if let Some(next) = next.filter(|_| i + 1 < tape.inputs) {
                self.set(i as Slot + 1, k + 1, &next);
            }
        }
    }

    /// `Sum_{j = from}^{to} x_j y_{k-j}`, in two sums side by side, so that one need not wait for the other.
    fn sum(&self, x: Slot, y: Slot, k: usize, from: usize, to: usize) -> Option<String> {
        let term = |j: usize| Some(format!("{} * {}", self.at(x, j)?, self.at(y, k - j)?));
        let terms: Vec<String> = (from..=to).filter_map(term).collect();
        let (first, second) = terms.split_at(terms.len().div_ceil(2));
        let sums = [first, second].map(|terms| terms.join(" + "));
        match (first.is_empty(), second.is_empty()) {
            (true, _) => None,
            (_, true) => Some(sums[0].clone()),
            _ => Some(format!("({}) + ({})", sums[0], sums[1])),
        }
    }

    /// `Sum_{j = from}^{k - from} x_j x_{k-j}`, each pair once.
    fn square(&self, x: Slot, k: usize, from: usize) -> Option<String> {
        let pairs = k.div_ceil(2);
        let twice = (pairs > from).then(|| self.sum(x, x, k, from, pairs - 1));
        let twice = twice.flatten().map(|sum| format!("2.0 * ({sum})"));
        let middle = (k.is_multiple_of(2) && k / 2 >= from).then(|| self.at(x, k / 2));
        let middle = middle.flatten().map(|x| format!("{x} * {x}"));
        joined(twice, "+", middle)
    }

    /// `1 / x_0`
    fn inverse(&mut self, x: Slot) -> String {
        let place = self.place(x, self.known[x as usize].len());
        if !std::mem::replace(&mut self.has_inverse[x as usize], true) {
            let value = self.at(x, 0).unwrap_or_else(|| number(0.0));
            self.line(&format!("{place} = 1.0 / {value};"));
        }
        place
    }

    /// Writes the coefficient of order `k` of a series from those of lower order: the formulas of
    /// [`Plan::order`](crate::tape::series).
    ///
    /// One piece: a table of recurrences, one row for each kind of step.
    fn step(&mut self, step: Step, k: usize) {
        let over = number(1.0 / k as f64);
        let times = |x: Option<String>, factor: &str| x.map(|x| format!("({x}) * {factor}"));
        let (z, value) = match step {
            Step::Neg { z, x } => (z, joined(None, "-", self.at(x, k))),
            Step::Copy { z, x } => (z, self.at(x, k)),
            Step::Add { z, x, y } => (z, joined(self.at(x, k), "+", self.at(y, k))),
            Step::Sub { z, x, y } => (z, joined(self.at(x, k), "-", self.at(y, k))),
            Step::Mul { z, x, y } => (z, self.sum(x, y, k, 0, k)),
            Step::Scale { z, x, c } => {
                let factor = self.at(c, 0).unwrap_or_else(|| number(0.0));
                (z, times(self.at(x, k), &factor))
            }
            Step::Square { z, x } => (z, self.square(x, k, 0)),
            Step::Div { z, x, y } => {
                let rest = joined(self.at(x, k), "-", self.sum(y, z, k, 1, k));
                (z, times(rest, &self.inverse(y)))
            }
            Step::Over { z, y } => {
                let rest = joined(None, "-", self.sum(y, z, k, 1, k));
                (z, times(rest, &self.inverse(y)))
            }
            Step::Unscale { z, x, c } => (z, times(self.at(x, k), &self.inverse(c))),
            Step::Sqrt { z, x } => {
                let rest = joined(self.at(x, k), "-", self.square(z, k, 1));
                (z, times(rest, &format!("0.5 * {}", self.inverse(z))))
            }
            Step::Rate { z, x } => (z, times(self.at(x, k), &number(k as f64))),
            Step::Integral { z, y, rate } => (z, times(self.sum(rate, y, k, 1, k), &over)),
            Step::MinusIntegral { z, y, rate } => {
                let sum = self.sum(rate, y, k, 1, k);
                (z, times(sum, &number(-1.0 / k as f64)))
            }
            Step::Quotient { z, y, rate, dz } => {
                let rest = joined(self.at(rate, k), "-", self.sum(dz, y, k, 1, k - 1));
                (z, self.own_rate(dz, k, rest, y))
            }
            Step::Power { z, x, a, rate, dz } => {
                let exponent = self.at(a, 0).unwrap_or_else(|| number(0.0));
                let first = times(self.sum(rate, z, k, 1, k), &exponent);
                let rest = joined(first, "-", self.sum(dz, x, k, 1, k - 1));
                (z, self.own_rate(dz, k, rest, x))
            }
            Step::Angle {
                z,
                w,
                x,
                y,
                rates,
                dz,
            } => {
                let [first, second] =
                    [(rates.1, x), (rates.0, y)].map(|(x, y)| self.sum(x, y, k, 1, k));
                let turn = joined(first, "-", second);
                let rest = joined(turn, "-", self.sum(dz, w, k, 1, k - 1));
                (z, self.own_rate(dz, k, rest, w))
            }
            Step::Branch { .. } | Step::Solve(_) => return,
        };
        if let Some(value) = value {
            self.set(z, k, &value);
        }
    }

    /// `k z_k = rest / y_0`, kept as a coefficient of `t z'`; `z_k`.
    fn own_rate(&mut self, dz: Slot, k: usize, rest: Option<String>, y: Slot) -> Option<String> {
        let inverse = self.inverse(y);
        self.set(dz, k, &format!("({}) * {inverse}", rest?));
        Some(format!(
            "{} * {}",
            self.place(dz, k),
            number(1.0 / k as f64)
        ))
    }
}

/// Two terms with a sign between them, as far as they are not 0.
fn joined(x: Option<String>, sign: &str, y: Option<String>) -> Option<String> {
    match (x, y) {
        (x, None) => x,
        (None, Some(y)) if sign == "+" => Some(y),
        (None, Some(y)) => Some(format!("{sign}({y})")),
        (Some(x), Some(y)) => Some(format!("{x} {sign} ({y})")),
    }
}
