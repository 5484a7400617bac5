//! Why a study cannot be made, or be gone on with.

use appell_model::{Diagnostic, Source};
use appell_study::values::error::Error;
use std::io;
use std::path::Path;

/// Why there is no study.
#[derive(Debug)]
pub enum Problem {
    /// The design is wrong: everything that is, with its text.
    Design(Source, Vec<Diagnostic>),
    /// The model has no answer.
    Model(Error),
    /// In words, and what to do.
    Words(String, Option<String>),
}

impl Problem {
    /// In words.
    pub fn words(message: impl Into<String>) -> Self {
        Self::Words(message.into(), None)
    }

    /// The same with what to do.
    pub fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Words(message.into(), Some(hint.into()))
    }

    pub(crate) fn of_file(path: &Path, what: &str, error: &io::Error) -> Self {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some("free some space and call again: what is done is kept".to_owned())
            }
            _ => None,
        };
        Self::Words(format!("`{}` {what}: {error}", path.display()), hint)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Model(error)
    }
}
