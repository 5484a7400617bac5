//! Stands for machine code made in memory where it was left out of the build.

use super::native::Machine;
use crate::tape::Tape;
use crate::unsupported::Unsupported;

/// How hard a compiler would try.
pub(super) enum Effort {
    Quick,
    Best,
}

/// # Errors
/// Always.
pub(super) fn compile(_: &Tape, _: Effort) -> Result<Option<Machine>, Unsupported> {
    Err(Unsupported(
        "it was left out of this build, feature `jit`".to_owned(),
    ))
}
