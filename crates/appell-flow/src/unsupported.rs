//! Why a backend or a method cannot be used.

use std::fmt;

/// Why a backend or a method cannot be used here: for this field, with these options, on this machine. One sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

impl From<String> for Unsupported {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl From<&str> for Unsupported {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}
