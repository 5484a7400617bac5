//! One member as a single motion.

use super::march::Shared;
use crate::evaluation::Workspace;
use crate::field::{Field, Pinned};
use crate::integrate::integrate;
use crate::method::{AUTO, stiff_decay};
use crate::motion::Control;
use crate::tape::jacobian::Derivatives;
use crate::trajectory::Trajectory;

impl Shared<'_> {
    /// Whether a motion that lanes follow with steps of this length is stiff, and the choice of the method is ours.
    pub fn is_stiff(&self, t: f64, y: &[f64], parameters: &[f64], h: f64) -> bool {
        let tape = self.program.motion.field.tape();
        let Some(tape) = tape.filter(|_| self.method.id == AUTO.id) else {
            return false;
        };
        let room = (&mut Workspace::default(), &mut Derivatives::default());
        stiff_decay(&tape.pinned(parameters), room, (t, y), h).is_some()
    }

    /// The motion of a member.
    pub fn run_alone(
        &self,
        y: &[f64],
        parameters: &[f64],
        control: &mut Control<'_>,
    ) -> Trajectory {
        let motion = &self.program.motion;
        let pinned = motion.map(|field| Pinned::new(&**field, parameters));
        let motion = pinned.map(|field| field as &dyn Field);
        let t = self.members.t;
        integrate(&motion, self.method, t, y, self.options, control)
    }
}
