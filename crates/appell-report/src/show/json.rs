//! Results for programs.

use serde::Serialize;

/// A result as one line of JSON; numbers that are undefined are `null`.
pub fn json_line<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string(value);
    text.expect("results have names for keys, and memory takes everything") + "\n"
}

/// The same with a list of errors, a line of JSON, as its `error`.
pub fn json_with_error<T: Serialize>(value: &T, error: Option<String>) -> String {
    let line = json_line(value);
    match (line.trim_end().strip_suffix('}'), error) {
        (Some(open), Some(list)) => format!("{open},\"error\":{}}}\n", list.trim_end()),
        _ => line,
    }
}

/// What several models answered, each a line of JSON, or the list of errors: one object
/// `{"models": [{"file", "answer"}, {"file", "error"}, ..]}`.
pub fn several_json(answers: &[(String, Result<String, String>)]) -> String {
    let entries = answers.iter().map(|(file, answer)| {
        let file = json_line(file);
        let (key, line) = match answer {
            Ok(line) => ("answer", line),
            Err(list) => ("error", list),
        };
        format!(
            "{{\"file\":{},\"{key}\":{}}}",
            file.trim_end(),
            line.trim_end()
        )
    });
    let entries: Vec<String> = entries.collect();
    format!("{{\"models\":[{}]}}\n", entries.join(","))
}
