//! Results as text, files and pictures. Nothing is computed here.
//!
//! Every text is plain: control characters of names and titles are replaced.

mod check;
mod conserved;
mod derivation;
mod diagnostic;
mod ensemble;
mod equilibria;
mod eval;
mod json;
mod layout;
mod linearize;
mod number;
mod plots;
mod proof;
mod run;
mod table;

pub use check::check_text;
pub use conserved::conserved_text;
pub use derivation::{derivation_json, derivation_latex, derivation_text};
pub use diagnostic::diagnostic_text;
pub use ensemble::{ensemble_summary, ensemble_text, write_ensemble_csv, write_ensemble_json};
pub use eval::eval_text;
pub use json::json_line;
pub use layout::plain;
pub use linearize::{linearize_json, linearize_text, sweep_svgs, sweep_text};
pub use plots::svgs;
pub use proof::proof_text;
pub use run::run_text;
pub use table::{write_csv, write_json};
