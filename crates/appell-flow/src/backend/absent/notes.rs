//! Where there is no cache, nothing is kept.

use crate::unsupported::Unsupported;

/// None.
///
/// # Errors
/// None.
pub fn note(_: &[u8]) -> Result<Option<Vec<u8>>, Unsupported> {
    Ok(None)
}

/// Keeps nothing.
///
/// # Errors
/// None.
pub fn keep(_: &[u8], _: &[u8]) -> Result<(), Unsupported> {
    Ok(())
}
