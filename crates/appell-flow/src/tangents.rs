//! A function with its derivatives along directions, as a field: the tangent flow, and what is read of it.

use crate::backend::{Backend, Compiled};
use crate::direction::Direction;
use crate::drive::Drive;
use crate::evaluation::{EvalError, Workspace};
use crate::field::Field;
use crate::parameters::Parameters;
use crate::tape::Tape;
use crate::unsupported::Unsupported;
use appell_expr::Program;
use std::sync::Arc;

/// `f(t, y)` and behind it `df` along each direction, as a field of `y` and behind it the part of each direction in
/// `y`. Derivatives are exact.
///
/// Of a right-hand side this is that of the equations of variation, `w' = f_y w + f_p dp` for each direction `w`.
pub struct Tangents {
    compiled: Compiled,
    drive: Option<Arc<Drive>>,
    directions: Vec<Direction>,
    /// The components that change, and those that do not.
    state: usize,
    still: usize,
}

impl Tangents {
    /// The derivatives of a program whose last inputs have these values.
    ///
    /// # Errors
    /// As for [`Compiled::new`].
    pub fn new(
        program: &Program,
        parameters: &Parameters,
        directions: &[Direction],
        backend: &Backend,
    ) -> Result<Tangents, Unsupported> {
        Self::beside(program, parameters, directions, 0, backend)
    }

    /// The same where the last `still` components of the state do not change along any direction: parameters that
    /// differ from motion to motion. They stand at the end, behind the directions.
    ///
    /// # Errors
    /// As for [`Compiled::new`].
    pub fn beside(
        program: &Program,
        parameters: &Parameters,
        directions: &[Direction],
        still: usize,
        backend: &Backend,
    ) -> Result<Tangents, Unsupported> {
        let parameters = parameters.for_program(program);
        let tape = Tape::with_tangents(program, &parameters, directions, still);
        Ok(Tangents {
            compiled: Compiled::new(tape, backend)?,
            drive: parameters.drive().map(Arc::clone),
            directions: directions.to_vec(),
            state: program.inputs.len() - parameters.len() - 1 - still,
            still,
        })
    }

    /// The state with its directions, then what is driven with its changes.
    fn driven(&self, drive: &Drive, t: f64, y: &[f64], all: &mut Vec<f64>) {
        all.clear();
        all.extend_from_slice(y);
        let count = drive.count();
        all.resize(y.len() + count * (1 + self.directions.len()), 0.0);
        let values = &mut all[y.len()..];
        let (state, changes) = y.split_at(self.state);
        drive.values(t, state, &mut values[..count]);
        for (d, direction) in self.directions.iter().enumerate() {
            let dy = &changes[d * self.state..(d + 1) * self.state];
            let rates = &mut values[(d + 1) * count..(d + 2) * count];
            drive.changes(t, state, dy, direction, rates);
        }
    }
}

impl Field for Tangents {
    fn inputs(&self) -> usize {
        self.state * (1 + self.directions.len()) + self.still
    }

    fn outputs(&self) -> usize {
        self.compiled.outputs()
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        match self.drive {
            None => self.compiled.as_any(),
            Some(_) => None,
        }
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let y = &y[..self.inputs()];
        let Some(drive) = &self.drive else {
            return self.compiled.eval(workspace, t, y, out);
        };
        let mut all = std::mem::take(&mut workspace.driven);
        self.driven(drive, t, y, &mut all);
        let answer = self.compiled.eval(workspace, t, &all, out);
        workspace.driven = all;
        answer
    }
}
