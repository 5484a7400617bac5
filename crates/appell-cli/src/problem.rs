//! Why a command could not do what it was asked.

use appell::limits::Why;
use appell::show::{self, Failure};
use appell::{Diagnostic, Error, Model, Source};

/// Each ends the program with exit code 2, but for what was stopped.
#[derive(Debug)]
pub enum Problem {
    /// The text of a model is wrong: everything that is, with the text.
    Model(Source, Vec<Diagnostic>),
    /// What is asked of a model does not fit it.
    Question(Source, Box<Diagnostic>),
    /// It was stopped before there was anything to keep.
    Stopped(Why),
    /// Anything else, in words, with remarks on what to do.
    Words(String, Vec<String>),
}

impl Problem {
    /// What a model answers to a question that does not fit it.
    pub fn of(model: &Model, error: impl Into<Error>) -> Self {
        match error.into() {
            Error::Question(diagnostic) => Self::Question(model.source.clone(), diagnostic),
            other => Self::new(other.to_string()),
        }
    }

    /// A problem in words.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Words(message.into(), Vec::new())
    }

    /// For programs: one line, `{"error": [{"code", "message", "file", "line", "column", "hint", ..}, ..]}`.
    pub fn json(&self) -> String {
        format!("{{\"error\":{}}}\n", self.list().trim_end())
    }

    /// The list in it.
    pub fn list(&self) -> String {
        match self {
            Self::Model(source, errors) => show::diagnostics_json(errors, source),
            Self::Question(source, error) => {
                show::diagnostics_json(std::slice::from_ref(error.as_ref()), source)
            }
            Self::Stopped(why) => show::words_json(&format!("nothing was found yet: {why}"), &[]),
            Self::Words(message, notes) => show::words_json(message, notes),
        }
    }

    /// In words and as the list.
    pub fn failure(&self) -> Failure {
        Failure {
            words: self.words(),
            list: self.list(),
        }
    }

    /// What is wrong, in a line.
    pub fn words(&self) -> String {
        match self {
            Self::Model(_, errors) => errors
                .iter()
                .map(|e| e.message.as_str())
                .collect::<Vec<_>>()
                .join("; "),
            Self::Question(_, error) => error.message.clone(),
            Self::Stopped(why) => why.to_string(),
            Self::Words(message, _) => message.clone(),
        }
    }

    /// The same with one more remark; the other kinds have their own.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        if let Self::Words(_, notes) = &mut self {
            notes.push(text.into());
        }
        self
    }
}
