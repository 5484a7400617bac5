//! Places in a formula's text.

/// A range of bytes in the text that was given to the parser, half open: `start..end`.
///
/// Spans made by the parser begin and end on character boundaries and lie within the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes `start..end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// From the start of `self` to the end of `last`, which stands further right.
    pub const fn to(self, last: Self) -> Self {
        Self::new(self.start, last.end)
    }

    /// The part of `text` it covers; empty if `text` is not the text it was made for.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}
