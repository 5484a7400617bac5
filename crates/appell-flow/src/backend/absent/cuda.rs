//! Stands for GPUs where they were left out of the build: there is never any.

use super::Backend;
use crate::lane_step::{Begin, Chunk, Manifold};
use crate::tableau::Tableau;
use crate::tape::Tape;
use crate::unsupported::Unsupported;

const ABSENT: &str = "it was left out of this build, feature `cuda`";

/// The code of a motion on a device, of which there is none.
pub(crate) enum DeviceCode {}

/// # Errors
/// Always.
pub fn device_report(_: &str, _: (i32, i32)) -> Result<String, Unsupported> {
    Err(ABSENT.into())
}

/// # Errors
/// Always.
pub(super) fn examine(_: &Backend) -> Result<(), Unsupported> {
    Err(ABSENT.into())
}

impl DeviceCode {
    /// # Errors
    /// Always.
    pub fn new(
        _: (&[Vec<Tape>], usize),
        _: &Manifold,
        _: &Tableau,
        _: &[f64],
        _: &Backend,
    ) -> Result<Self, Unsupported> {
        Err(ABSENT.into())
    }

    /// # Errors
    /// Always.
    pub fn source(
        _: (&[Vec<Tape>], usize),
        _: &Manifold,
        _: &Tableau,
        _: bool,
    ) -> Result<String, Unsupported> {
        Err(ABSENT.into())
    }

    /// # Errors
    /// None.
    pub fn run(&self, _: &mut Chunk, _: f64, _: &Begin, _: f64) -> Result<f64, Unsupported> {
        match *self {}
    }
}
