//! The gallery: model files that come with Appell.

/// One model of the gallery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The file's name without its ending.
    pub name: &'static str,
    /// The model text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/gallery.rs"));

/// Every model, by name in alphabetical order.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// The model of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

impl Entry {
    /// The model's title, for lists.
    pub fn title(&self) -> &'static str {
        let lines = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("title"));
        let quoted = lines.filter_map(|rest| rest.split('"').nth(1));
        quoted.take(1).next().unwrap_or(self.name)
    }
}
