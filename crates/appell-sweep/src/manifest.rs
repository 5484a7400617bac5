//! What stands in `manifest.json`: which study a folder holds.

use crate::columns::hexadecimal;
use crate::folder::Folder;
use crate::problem::Problem;
use appell_expr::elementary;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::env::consts::{ARCH, OS};
use std::fs;

/// The study that a folder holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The version of Appell.
    pub version: String,
    /// The digest of the model's text and of what was left out of it.
    pub model: String,
    /// The digest of what the design says.
    pub design: String,
    /// How many members there are.
    pub members: u64,
    /// How many of them a part has.
    pub shard: u64,
    /// How many parts there are.
    pub parts: u64,
    /// The columns of the parts.
    pub columns: Vec<String>,
    /// What runs the programs, as asked for.
    pub backend: String,
    /// The machine that began the study.
    pub machine: String,
}

/// The file's name.
pub const NAME: &str = "manifest.json";

/// The digest of a text.
pub(crate) fn digest(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// The name of a part's file.
pub fn part_name(part: u64) -> String {
    format!("part-{part:05}.parquet")
}

/// The name of the file of a part's section.
pub fn section_name(section: &str, part: u64) -> String {
    format!("section-{section}-{part:05}.parquet")
}

/// The processor and the system, and what numbers may depend on.
pub fn machine() -> String {
    let mut words = vec![ARCH.to_owned(), OS.to_owned()];
    #[cfg(target_arch = "x86_64")]
    {
        let features = [
            ("fma", std::arch::is_x86_feature_detected!("fma")),
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
            ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
        ];
        let there = features.into_iter().filter(|(_, there)| *there);
        words.extend(there.map(|(name, _)| name.to_owned()));
    }
    // The elementary functions of the system's library, which chooses them by processor and version.
    words.push(format!("functions {:016x}", elementary::fingerprint()));
    words.join(" ")
}

impl Manifest {
    fn text(&self) -> String {
        let value = json!({
            "version": self.version,
            "model_sha256": self.model,
            "design_sha256": self.design,
            "members": self.members,
            "shard": self.shard,
            "parts": self.parts,
            "columns": self.columns,
            "backend": self.backend,
            "machine": self.machine,
        });
        format!("{value:#}\n")
    }

    /// What a part says of itself: its number, and the study it belongs to.
    pub(crate) fn mark(&self, part: u64) -> String {
        format!("{part} {} {}", self.model, self.design)
    }

    fn parsed(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let word = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let count = |key: &str| value.get(key)?.as_u64();
        let names = value.get("columns")?.as_array()?.iter();
        Some(Self {
            version: word("version")?,
            model: word("model_sha256")?,
            design: word("design_sha256")?,
            members: count("members")?,
            shard: count("shard").filter(|shard| *shard > 0)?,
            parts: count("parts")?,
            columns: names
                .map(|name| Some(name.as_str()?.to_owned()))
                .collect::<Option<_>>()?,
            backend: word("backend")?,
            machine: word("machine")?,
        })
    }

    /// The manifest of a folder, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn of(folder: &Folder) -> Result<Option<Self>, Problem> {
        let path = folder.file(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Problem::of_file(&path, "cannot be read", &error)),
        };
        let manifest = Self::parsed(&text).ok_or_else(|| {
            Problem::words(format!("`{}` is no manifest of a study", path.display()))
        })?;
        Ok(Some(manifest))
    }

    /// The manifest of a folder.
    ///
    /// # Errors
    /// As for [`Self::of`]; there is none.
    pub fn required(folder: &Folder) -> Result<Self, Problem> {
        let none = || {
            let path = folder.path().display();
            Problem::words(format!("there is no study in `{path}`"))
        };
        Self::of(folder)?.ok_or_else(none)
    }

    /// Writes it into a folder, or compares it with the one that is there.
    ///
    /// # Errors
    /// The folder holds another study.
    pub fn agree(&self, folder: &Folder) -> Result<(), Problem> {
        if Self::of(folder)?.is_none() {
            folder.put_new(NAME, self.text().as_bytes())?;
        }
        let Some(there) = Self::of(folder)? else {
            return Err(Problem::words("the manifest was removed meanwhile"));
        };
        let differs = [
            ("version of Appell", self.version != there.version),
            ("model", self.model != there.model),
            (
                "design",
                self.design != there.design
                    || self.shard != there.shard
                    || self.members != there.members,
            ),
            ("choice of --exact", self.backend != there.backend),
            ("set of columns", self.columns != there.columns),
        ];
        let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) else {
            return Ok(());
        };
        let path = folder.path().display();
        let message = match what {
            "version of Appell" => format!(
                "`{path}` was begun by Appell {}, this is {}",
                there.version, self.version
            ),
            _ => format!("`{path}` holds a study of another {what}"),
        };
        Err(Problem::with_hint(
            message,
            "give another folder with -o, or remove this one",
        ))
    }
}
