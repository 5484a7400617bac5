//! What was found out, kept in the user's cache for the next process.

use super::cache;
use crate::unsupported::Unsupported;

/// The note that is kept under what decides on it; none if there is none, or no place for one.
///
/// # Errors
/// In words: a cache or a note of others, or one that was cut short.
pub fn note(decides: &[u8]) -> Result<Option<Vec<u8>>, Unsupported> {
    cache::note(decides)
}

/// Keeps a note in the place of what was kept under the same.
///
/// # Errors
/// In words: no place for the cache, or it cannot be written to.
pub fn keep(decides: &[u8], note: &[u8]) -> Result<(), Unsupported> {
    cache::keep_note(decides, note)
}
