//! Stands for C over lanes where that was left out of the build: there is never any.

use super::cc::{ABSENT, Contraction};
use crate::lane_step::{Advance, Advanced, Begin, Block, Manifold, Trial, Tried};
use crate::lanes::{Bits, Lanes};
use crate::tableau::Tableau;
use crate::tape::Tape;
use crate::unsupported::Unsupported;

/// The code of a motion over lanes, of which there is none.
pub(crate) enum NativeLanes {}

impl NativeLanes {
    /// # Errors
    /// Always.
    pub(super) fn new(
        _: Contraction,
        _: &[Vec<Tape>],
        _: usize,
        _: &Manifold,
        _: &Tableau,
    ) -> Result<Self, Unsupported> {
        Err(Unsupported(ABSENT.to_owned()))
    }

    /// A function of one state in each lane.
    pub fn call(&self, _: usize, _: &Lanes, _: &[Lanes], _: &[Lanes], _: &mut [Lanes]) -> Bits {
        match *self {}
    }

    /// How members begin.
    pub fn begin(&self, _: &mut Block, _: &Begin) -> Bits {
        match *self {}
    }

    /// A trial step.
    pub fn step(&self, _: &mut Trial<'_>) -> Tried {
        match *self {}
    }

    /// What becomes of the lanes after it.
    pub fn advance(&self, _: &mut Block, _: &Advance<'_>) -> Advanced {
        match *self {}
    }
}
