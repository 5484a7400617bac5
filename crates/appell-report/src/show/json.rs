//! Results for programs.

use serde::Serialize;

/// A result as one line of JSON; numbers that are undefined are `null`.
pub fn json_line<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string(value);
    text.expect("results have names for keys, and memory takes everything") + "\n"
}
