//! Stands for the system's C compiler where it was left out of the build.

use super::native::Machine;
use crate::tape::Tape;
use crate::unsupported::Unsupported;

/// Whether `a b + c` may be rounded once.
pub(super) enum Contraction {
    Allowed,
    Off,
}

/// # Errors
/// Always.
pub(super) fn compile(_: &Tape, _: Contraction) -> Result<Machine, Unsupported> {
    Err(Unsupported(ABSENT.to_owned()))
}

/// # Errors
/// Always.
pub(super) fn shared_library(_: &str) -> Result<Vec<u8>, Unsupported> {
    Err(Unsupported(ABSENT.to_owned()))
}

/// Why there is none.
pub(super) const ABSENT: &str = "it was left out of this build, feature `cc`";
