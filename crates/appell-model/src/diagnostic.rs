//! What a reader of a model has to say: errors and warnings with their places.

use crate::codes::Code;
use crate::codes::Severity;
use appell_expr::Span;

/// A place with what is to be said there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place in the source.
    pub span: Span,
    /// What is said there; may be empty.
    pub text: String,
}

/// One error or warning. Nothing in it refers to the source but the spans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The row of the table of codes it belongs to.
    pub code: Code,
    /// One sentence: what is wrong.
    pub message: String,
    /// Where, and in short what to do about it.
    pub label: Label,
    /// Other places that matter.
    pub more: Vec<Label>,
    /// Remarks below the text: what is known, what to write instead.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic of this code at this place; the code says whether it is an error.
    pub fn new(
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Self {
            severity: code.severity(),
            code,
            message: message.into(),
            label: Label {
                span,
                text: label.into(),
            },
            more: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same with one more place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.more.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// The same with one more remark.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
}

/// More diagnostics than this help nobody; the rest are counted only. Warnings leave half of the
/// room to errors.
const MAX_SHOWN: usize = 100;

/// The diagnostics collected while reading.
#[derive(Debug, Default)]
pub(crate) struct Report {
    kept: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
}

impl Report {
    /// Adds a diagnostic.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        let most = if diagnostic.severity == Severity::Error {
            MAX_SHOWN
        } else {
            MAX_SHOWN / 2
        };
        if self.kept.len() < most {
            self.kept.push(diagnostic);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds a diagnostic with one place.
    pub(crate) fn say(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) {
        self.push(Diagnostic::new(code, message, span, label));
    }

    /// Adds an error with one place and says that there is nothing to go on with.
    pub(crate) fn reject<T>(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Option<T> {
        self.refuse(Diagnostic::new(code, message, span, label))
    }

    /// Adds a diagnostic unless the same is there already.
    pub(crate) fn push_once(&mut self, diagnostic: Diagnostic) {
        if !self.kept.contains(&diagnostic) {
            self.push(diagnostic);
        }
    }

    /// Adds an error and says that there is nothing to go on with.
    pub(crate) fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.push(diagnostic);
        None
    }

    /// How many errors there were so far.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// All of them in the order of the text: `Ok` if there are only warnings.
    pub(crate) fn finish(mut self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        self.kept
            .sort_by_key(|d| (d.label.span.start, d.label.span.end));
        if let (Some(last), true) = (self.kept.last_mut(), self.dropped > 0) {
            last.notes
                .push(format!("{} more messages are not shown", self.dropped));
        }
        if self.errors == 0 {
            Ok(self.kept)
        } else {
            Err(self.kept)
        }
    }
}
