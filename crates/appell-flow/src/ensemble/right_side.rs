//! The right-hand side over lanes by itself.

use crate::backend::{Backend, Buffers, LaneCode};
use crate::lane_step::Manifold;
use crate::lanes::Lanes;
use crate::method::DOP853;
use crate::tape::Tape;
use crate::unsupported::Unsupported;

/// The right-hand side of `y' = F(t, y)` over lanes, as ensembles evaluate it.
pub struct RightSide {
    code: LaneCode,
    buffers: Buffers,
}

impl RightSide {
    /// Makes a tape of `(t, y)` ready, with as many results as `y` has components.
    ///
    /// # Errors
    /// In words: another number of results, a linear system that is not written out, a backend that this
    /// machine does not have.
    pub fn new(tape: Tape, backend: &Backend) -> Result<RightSide, Unsupported> {
        if tape.inputs != 1 + tape.outputs.len() {
            return Err("a right-hand side has as many results as the state has components".into());
        }
        if tape.solves.iter().any(|solve| solve.direct.is_none()) {
            return Err("a linear system of the right-hand side cannot be written out".into());
        }
        let tableau = DOP853.tableau.ok_or("the method has no tableau")?;
        let manifold = Manifold {
            stages: Vec::new(),
            monitored: None,
        };
        let code = LaneCode::new(vec![vec![tape]], 0, manifold, tableau, backend, true)?;
        let buffers = code.buffers();
        Ok(RightSide { code, buffers })
    }

    /// `F(t, y)`, lane by lane; `false` where a lane is refused by the pivots of a linear system. Values need not
    /// be finite. `y` and `out` have a row for each component.
    #[inline]
    pub fn eval(&mut self, t: &Lanes, y: &[Lanes], out: &mut [Lanes]) -> bool {
        self.code.call(0, &mut self.buffers, t, y, &[], out) == 0
    }
}
