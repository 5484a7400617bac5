//! The claims of a file, held against the motions of members.

use crate::motion::along::{Accuracy, ClaimResult, Layout, judged};
use appell_flow::{EvalError, Field, Measured, Workspace};
use appell_model::Claim;

/// A claim that speaks of a motion, ready for the motions of members; compiled once, for threads.
pub struct MemberClaim {
    pub(super) claim: Claim,
    /// Where what it says stands among the values.
    pub(super) layout: Layout,
    /// As functions of `(t, y, p)`.
    pub(super) values: Box<dyn Field>,
    /// The sizes of their terms.
    pub(super) sizes: Box<dyn Field>,
    /// The relative and the absolute tolerance of the motions.
    pub(super) tolerances: (f64, f64),
}

impl MemberClaim {
    /// What became of the claim at states of a member with these values of the parameters that differ, after so many steps,
    /// as [`judge_claims`](crate::motion::claims) of a run.
    pub fn judged<'s>(
        &self,
        workspace: &mut Workspace,
        states: impl Iterator<Item = (f64, &'s [f64])>,
        parameters: &[f64],
        steps: u32,
    ) -> ClaimResult {
        let mut all = Vec::new();
        let values = &mut |t: f64, y: &[f64]| {
            all.clear();
            all.extend_from_slice(y);
            all.extend_from_slice(parameters);
            self.measured(workspace, t, &all)
        };
        let found: Vec<_> = states.map(|(t, y)| ((t, y), values(t, y))).collect();
        let (rtol, atol) = self.tolerances;
        let accuracy = Accuracy {
            rtol,
            atol,
            steps: steps as usize,
        };
        judged(&self.claim, &self.layout, found, values, accuracy)
    }

    fn measured(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<Measured>, EvalError> {
        let count = self.values.outputs();
        let (mut values, mut sizes) = (vec![0.0; count], vec![0.0; count]);
        self.values.eval(workspace, t, y, &mut values)?;
        self.sizes.eval(workspace, t, y, &mut sizes)?;
        let pairs = values.into_iter().zip(sizes);
        Ok(pairs
            .map(|(value, size)| Measured { value, size })
            .collect())
    }
}
