//! Why a command could not do what it was asked.

use appell::{Diagnostic, Source};

/// Each ends the program with exit code 2.
#[derive(Debug)]
pub enum Problem {
    /// The text of a model is wrong: everything that is, with the text.
    Model(Source, Vec<Diagnostic>),
    /// What is asked of a model does not fit it.
    Question(Source, Diagnostic),
    /// Anything else, in words, with a remedy if there is one.
    Words(String, Option<String>),
}

impl Problem {
    /// A problem in words.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Words(message.into(), None)
    }

    /// A problem in words with its remedy.
    pub fn with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Words(message.into(), Some(hint.into()))
    }
}
