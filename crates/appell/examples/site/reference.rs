//! The kept pages of the reference: the model format, errors, the glossary.

use appell::format::{ANY_SECTION, FORMULAS, Key, LANGUAGE, Presence, SECTIONS, Section, TOML};
use appell::glossary::GLOSSARY;
use appell::{CODES, Code};
use std::fs;
use std::path::{Path, PathBuf};

/// The pages with their names.
pub fn pages() -> [(&'static str, String); 3] {
    [
        ("format.md", format()),
        ("errors.md", errors()),
        ("glossary.md", format!("{}\n", GLOSSARY.trim_end())),
    ]
}

/// Where they are kept.
pub fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name)
}

/// Writes them.
pub fn write() -> Result<(), String> {
    for (name, text) in pages() {
        let path = place(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

const HEAD: &str = "\
# The model format

Written by `cargo xtask reference` from the tables of the reader; do not edit it.

A model is a TOML 1.0 file with formulas in strings. Nothing in it can run code, read a file or use the network. Unknown keys are errors, with the
nearest right one. `appell explain loads` prints a section of this page, `appell explain loads.against` a key; `appell schema` prints the JSON Schema that
editors complete and check by. The order of sections does not matter, but keys that are no tables stand first.

A small model:

```toml
coordinates = [\"x\", \"y\", \"theta\"]

[parameters]
m = 1
J = 0.2

[energy]
kinetic = \"m*(x'^2 + y'^2)/2 + J*theta'^2/2\"

[constraints]
blade = \"x'*sin(theta) - y'*cos(theta) = 0\"

[initial]
state = [\"x' = 1\", \"theta' = 2\"]

[simulate]
until = 10
```

";

fn format() -> String {
    let mut text = HEAD.to_owned();
    // One page has one title.
    text += &LANGUAGE.replacen("# Formulas", "## Formulas", 1);
    for section in SECTIONS {
        text += &of_section(section);
    }
    text += "\n## Errors of every section\n\n";
    text += &codes(ANY_SECTION);
    text += "\n## Errors of TOML\n\n";
    text += &codes(TOML);
    text += "\n## Errors of formulas\n\n";
    text += &codes(FORMULAS);
    text
}

fn of_section(section: &Section) -> String {
    let mut text = format!("\n## `{}`\n\n{}\n", section.written, section.about);
    text += "\n| key | takes | if left out | meaning |\n|---|---|---|---|\n";
    for key in section.keys {
        text += &row(key);
    }
    if !section.one_of.is_empty() {
        let keys: Vec<String> = section
            .one_of
            .iter()
            .map(|key| format!("`{key}`"))
            .collect();
        text += &format!("\nAt least one of {} is needed.\n", keys.join(", "));
    }
    text += &format!("\n```toml\n{}```\n", section.example);
    if !section.errors.is_empty() {
        text += &format!("\nErrors:\n\n{}", codes(section.errors));
    }
    text
}

fn row(key: &Key) -> String {
    let left_out = match key.presence {
        Presence::Required => "**required**",
        Presence::Default(default) => default,
    };
    let admits = key.admits();
    let admits = admits.map(|what| format!(" May contain {what}."));
    let about = format!("{}{}", key.about, admits.unwrap_or_default());
    let cell = |text: &str| text.replace('|', "\\|");
    format!(
        "| `{}` | {} | {} | {} |\n",
        key.name,
        cell(&key.takes()),
        cell(left_out),
        cell(&about)
    )
}

/// A list of codes that leads to their explanations.
fn codes(codes: &[Code]) -> String {
    let line = |code: &Code| {
        format!(
            "- [{0}](errors.md#{1}): {2}\n",
            code.id(),
            anchor(*code),
            code.title()
        )
    };
    codes.iter().map(line).collect()
}

/// The heading of a code, as generators make an address of it.
fn anchor(code: Code) -> String {
    let heading = format!("{}: {}", code.id(), code.title()).to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn errors() -> String {
    let mut text = String::from(
        "# Errors and warnings\n\nWritten by `cargo xtask reference` from the texts of `appell explain`; do not edit it.\n\n\
         Each message has a code, a place, what is wrong and mostly what to write. Codes of warnings begin with W. Each is explained here by a \
         model that has it and one that is corrected.\n",
    );
    for code in CODES {
        let page = code.explanation().trim_end();
        text += &format!("\n{}\n", page.replacen("# ", "## ", 1));
    }
    text
}
