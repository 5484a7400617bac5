//! One self-contained page: equations, motion and forces in a file that opens anywhere.
//!
//! [`Page`] is what it says, [`write()`] the file. The page loads nothing and sends nothing: its one
//! script and one style are named by their hashes in a content-security policy, and every text of
//! the model is escaped. What it shows was computed elsewhere.

mod data;
mod forms;
mod html;
mod last_frame;
mod pens;
mod scene;
mod security;
mod tracks;

use crate::derivation::Derivation;
use crate::plot::Figure;

pub(crate) use data::text;
pub use html::{Assets, Pieces, pieces, write};
pub use scene::{Arrow, Kind, Mark, Scene, Shape, Toggle, Track, Trail};
pub(crate) use security::{base64, policy};
pub use security::{digest, packed};

/// What a page says.
#[derive(Debug, Clone)]
pub struct Page {
    /// The title of the model.
    pub title: String,
    /// Where the model says it comes from.
    pub origin: Option<String>,
    /// What the model says of itself.
    pub about: Option<String>,
    /// How the motion ended, a sentence.
    pub outcome: String,
    /// What else is to be said of it, in sentences.
    pub summary: Vec<String>,
    /// Whether all is well: it ended as it should, the energy balances, no claim fails.
    pub well: bool,
    /// The name of the model file.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The parameters, with the values used.
    pub parameters: Vec<Parameter>,
    /// What the model is, in words: an aspect and its lines.
    pub classification: Vec<(String, Vec<String>)>,
    /// What the reader should be warned of.
    pub warnings: Vec<String>,
    /// The id of the form that was run.
    pub form: &'static str,
    /// The equations, a tab each.
    pub forms: Vec<Form>,
    /// Groups of statements with their verdicts.
    pub proof: Vec<ProofGroup>,
    /// The claims of the file.
    pub claims: Vec<Claim>,
    /// The times of the samples.
    pub times: Vec<f64>,
    /// What moves; none for a model without places.
    pub scene: Option<Scene>,
    /// The plots. Their points belong to [`Page::times`], one by one.
    pub plots: Vec<Plot>,
    /// How the page was made.
    pub provenance: Vec<(String, String)>,
}

/// A parameter with the value used.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name, in LaTeX.
    pub latex: String,
    /// Its value.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// What it is.
    pub about: String,
}

/// The equations of one formalism.
#[derive(Debug, Clone)]
pub struct Form {
    /// Its id on the command line.
    pub id: &'static str,
    /// Its name in print.
    pub title: &'static str,
    /// The equations in the notation of LaTeX, or a sentence why there are none.
    pub derivation: Result<Derivation, String>,
}

/// Statements of one kind with their verdicts.
#[derive(Debug, Clone)]
pub struct ProofGroup {
    /// What they are.
    pub title: String,
    /// Statement, verdict in words, and whether it was proved: `None` if undecided.
    pub rows: Vec<(String, String, Option<bool>)>,
}

/// A claim of the file, with what became of it.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// As written.
    pub text: String,
    /// What the proof says.
    pub proof: String,
    /// What the motion says.
    pub motion: String,
    /// Whether it holds; `None` if undecided.
    pub holds: Option<bool>,
    /// Its source and remark.
    pub cite: String,
}

/// A plot of the page.
#[derive(Debug, Clone)]
pub struct Plot {
    /// What is drawn.
    pub figure: Figure,
    /// Whether its abscissa is the time.
    pub over_time: bool,
}
