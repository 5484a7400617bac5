//! One member as a single motion.

use super::march::Shared;
use crate::field::{Field, Pinned};
use crate::integrate::integrate;
use crate::motion::Control;
use crate::trajectory::Trajectory;

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
            last: parameters,
        });
        let motion = pinned.map(|field| field as &dyn Field);
        let t = self.members.t;
        integrate(&motion, self.method, t, y, self.options, control)
    }
}
