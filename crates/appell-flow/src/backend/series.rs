//! Taylor series by machine code.

use super::native::{Machine, SeriesCode};
use crate::linear::Scratch;
use crate::tape::Tape;
use std::sync::Arc;

/// The series of one tape to one order.
pub(crate) struct CompiledSeries<'a> {
    machine: &'a Machine,
    tape: &'a Tape,
    code: Arc<SeriesCode>,
}

impl<'a> CompiledSeries<'a> {
    /// `None` where there is no such code.
    pub(super) fn new(machine: &'a Machine, tape: &'a Tape, order: usize) -> Option<Self> {
        let code = machine.series(order, tape)?;
        Some(Self {
            machine,
            tape,
            code,
        })
    }

    /// Writes the coefficients of the motion through `(t, y)`, a row of all components for each order; whether all
    /// written-out solutions count and all coefficients are finite.
    pub fn expand(&self, scratch: &mut Scratch, t: f64, y: &[f64], rows: &mut Vec<f64>) -> bool {
        scratch.rewind();
        self.tape.is_regular(scratch)
            && self.machine.expand(&self.code, scratch, (t, y), rows)
            && rows.iter().all(|x| x.is_finite())
    }

    /// The root mean square, where it is worst, of what the slope of the polynomials with these coefficients is off over a
    /// step of length `h` from `t`, in units of the scale; `None` where machine code may not be used.
    pub fn defect(
        &self,
        scratch: &mut Scratch,
        step: (f64, f64),
        rows: &[f64],
        scale: &[f64],
    ) -> Option<f64> {
        scratch.rewind();
        let is_regular = self.tape.is_regular(scratch);
        is_regular.then(|| self.machine.defect(&self.code, scratch, step, rows, scale))
    }
}

#[cfg(all(test, feature = "cc"))]
mod tests {
    use crate::backend::{CC, Compiled};
    use crate::evaluation::Workspace;
    use crate::tape::series::{Expansion, Series};
    use crate::tape::{Op, Register, Tape};
    use appell_expr::Function;

    const ORDER: usize = 12;

    /// `y_i' = f_i(u, w)` with `u = 0.4 + 0.3 sin(t + y_1 / 5)`, `w = 1.7 + cos t`, for all operations that do not change
    /// their formulas, and with constants.
    fn tape() -> Tape {
        let constants = vec![0.4, 0.3, 0.5, 0.2, 1.7];
        let (u, w, c) = (11, 13, 6);
        let mut ops = vec![
            Op::Mul(1, 5),
            Op::Add(0, 7),
            Op::Call(Function::Sin, 8, 8),
            Op::Mul(3, 9),
            Op::Add(10, 2),
            Op::Call(Function::Cos, 0, 0),
            Op::Add(12, 6),
        ];
        let mut outputs: Vec<Register> = Vec::new();
        let functions = Function::TABLE.iter().filter(|(f, ..)| f.arity() == 1);
        let functions = functions.map(|(f, ..)| Op::Call(*f, u, u));
        let pairs = [(u, w), (u, c), (c, u)].into_iter().flat_map(|(x, y)| {
            [
                Op::Add(x, y),
                Op::Sub(x, y),
                Op::Mul(x, y),
                Op::Div(x, y),
                Op::Power(x, y),
            ]
        });
        let angles = [(u, w), (w, u), (u, c)].map(|(x, y)| Op::Call(Function::Atan2, x, y));
        let others = [Op::Neg(u), Op::Sqrt(u), Op::Mul(u, u), Op::Add(0, 0)];
        for op in functions.chain(pairs).chain(angles).chain(others) {
            if matches!(op, Op::Call(Function::Abs | Function::Sign, ..)) {
                continue;
            }
            outputs.push(7 + ops.len() as Register);
            ops.push(op);
        }
        outputs.extend([7 + ops.len() as Register, 8 + ops.len() as Register, c]);
        ops.extend([Op::SinCos(u), Op::Part]);
        Tape {
            inputs: 2,
            constants,
            ops,
            solves: Vec::new(),
            outputs,
        }
    }

    /// Their slopes are the right-hand side to the end of the series, and beyond its radius they are not.
    #[test]
    fn coefficients_are_those_of_the_interpreter() {
        let Ok(compiled) = Compiled::new(tape(), &CC) else {
            println!("not tested here: no C compiler");
            return;
        };
        let code = compiled.series(ORDER).expect("machine code");
        let (tape, mut workspace) = (tape(), Workspace::default());
        let y = vec![0.1; tape.outputs.len()];
        for t in [0.0, 0.7] {
            let (mut wanted, mut rows) = (Expansion::default(), Vec::new());
            let series = Series::new(&tape, ORDER).expand(&mut workspace, t, &y, 1.0, &mut wanted);
            assert!(series.is_ok() && code.expand(&mut workspace.linear, t, &y, &mut rows));
            assert_eq!(rows.len(), wanted.rows.len());
            let scale = vec![1.0; y.len()];
            for (h, holds) in [(0.05, true), (2.0, false)] {
                let off = code.defect(&mut workspace.linear, (t, h), &rows, &scale);
                let off = off.expect("machine code");
                assert_eq!(off < 1e-9, holds, "{off} over {h}");
            }
            for (i, (found, wanted)) in rows.iter().zip(&wanted.rows).enumerate() {
                let (order, output) = (i / y.len(), i % y.len());
                let off = (found - wanted).abs() / wanted.abs().max(1e-3);
                assert!(
                    off < 1e-11,
                    "order {order} of {output} at {t}: {found} for {wanted}"
                );
            }
        }
    }
}
