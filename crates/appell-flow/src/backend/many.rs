//! A function at many states: side by side where there is no machine code for it.

use super::Compiled;
use super::lanes::Interpretation;
use super::vectorised::vectorised;
use crate::evaluation::{EvalError, Workspace};
use crate::field::Field;
use crate::lanes::{Bits, LANES, Lanes};

/// Fewer states are taken one after the other.
const FEW: usize = 4;

impl Compiled {
    /// The values at each state, to the bits of those that the tape has there.
    pub fn at_all(
        &self,
        workspace: &mut Workspace,
        states: &[(f64, &[f64])],
    ) -> Vec<Result<Vec<f64>, EvalError>> {
        let mut found = Vec::with_capacity(states.len());
        let mut registers = Vec::new();
        for block in states.chunks(LANES) {
            let side_by_side = block.len() >= FEW && self.is_for_lanes(workspace);
            let (refused, values) = match side_by_side {
                true => self.block(&mut registers, block),
                false => (!0, Vec::new()),
            };
            for (lane, (t, y)) in block.iter().enumerate() {
                found.push(match refused >> lane & 1 {
                    0 => Ok(values.iter().map(|x| x.0[lane]).collect()),
                    _ => self.at_one(workspace, *t, y),
                });
            }
        }
        found
    }

    fn at_one(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
        let mut values = vec![0.0; self.outputs()];
        self.eval(workspace, t, &y[..self.inputs()], &mut values)?;
        Ok(values)
    }

    /// Whether the tape is interpreted, solves nothing by a routine, and may do so for the ranks that are held. A block
    /// takes about as long as a state by itself, and counts as one.
    fn is_for_lanes(&self, workspace: &mut Workspace) -> bool {
        workspace.linear.rewind();
        self.tape.solves.iter().all(|solve| solve.direct.is_some())
            && self.tape.has_full_ranks(&workspace.linear)
            && self.machine(1, &workspace.linear).is_none()
    }

    /// The values of a block, and the lanes that are to be taken alone.
    fn block(&self, registers: &mut Vec<Lanes>, states: &[(f64, &[f64])]) -> (Bits, Vec<Lanes>) {
        let tape = &self.tape;
        if registers.is_empty() {
            registers.resize(tape.first() + tape.ops.len(), Lanes::default());
            let constants = registers[tape.inputs..].iter_mut().zip(&tape.constants);
            constants.for_each(|(register, x)| *register = Lanes::all(*x));
        }
        let count = self.inputs();
        let mut t = Lanes::all(states[0].0);
        let mut y = vec![Lanes::default(); count];
        let mut p = vec![Lanes::default(); tape.inputs() - count];
        let mut driven = vec![0.0; p.len()];
        for lane in 0..LANES {
            // Lanes that are left over repeat the last state.
            let (time, state) = states[lane.min(states.len() - 1)];
            t.0[lane] = time;
            for (lanes, x) in y.iter_mut().zip(state) {
                lanes.0[lane] = *x;
            }
            if let Some(drive) = &self.drive {
                drive.values(time, &state[..count], &mut driven);
            }
            for (lanes, x) in p.iter_mut().zip(&driven) {
                lanes.0[lane] = *x;
            }
        }
        let mut values = vec![Lanes::default(); tape.outputs()];
        let refused = vectorised(Interpretation {
            tape,
            registers,
            t: &t,
            y: &y,
            p: &p,
            out: &mut values,
        });
        (refused, values)
    }
}
