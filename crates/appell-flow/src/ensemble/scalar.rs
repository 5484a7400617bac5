//! One member as a single motion.

use super::march::Shared;
use crate::evaluation::{EvalError, Workspace};
use crate::field::Field;
use crate::integrate::integrate;
use crate::motion::Control;
use crate::trajectory::Trajectory;

/// A field with values for the parameters that differ.
struct Pinned<'a> {
    field: &'a dyn Field,
    parameters: &'a [f64],
}

impl Field for Pinned<'_> {
    fn inputs(&self) -> usize {
        self.field.inputs() - self.parameters.len()
    }

    fn outputs(&self) -> usize {
        self.field.outputs()
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        if self.parameters.is_empty() {
            return self.field.eval(workspace, t, y, out);
        }
        let all = [&y[..self.inputs()], self.parameters].concat();
        self.field.eval(workspace, t, &all, out)
    }
}

impl Shared<'_> {
    /// The motion of a member.
    pub fn run_alone(
        &self,
        y: &[f64],
        parameters: &[f64],
        control: &mut Control<'_>,
    ) -> Trajectory {
        let pinned = self.program.motion.map(|field| Pinned {
            field: &**field,
            parameters,
        });
        let motion = pinned.map(|field| field as &dyn Field);
        let t = self.members.t;
        integrate(&motion, self.method, t, y, self.options, control)
    }
}
