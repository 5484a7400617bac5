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
        self.text_of("title").unwrap_or(self.name)
    }

    /// What the model shows, for lists.
    pub fn about(&self) -> Option<&'static str> {
        self.text_of("about")
    }

    /// The text of a key above the first table.
    fn text_of(&self, key: &str) -> Option<&'static str> {
        let mut rest = self.text;
        while !rest.is_empty() && !rest.starts_with('[') {
            let after = rest.strip_prefix(key).map(str::trim_start);
            if let Some(value) = after.and_then(|after| after.strip_prefix('=')) {
                let long = value.trim_start().starts_with("\"\"\"");
                let quote = if long { "\"\"\"" } else { "\"" };
                return value.split(quote).nth(1).map(str::trim);
            }
            rest = rest.split_once('\n').map_or("", |(_, below)| below);
        }
        None
    }
}
