//! Results as text, files and pictures. Nothing is computed here.
//!
//! Every text is plain: control characters of names and titles are replaced.

mod arrow;
mod check;
mod conserved;
mod derivation;
mod diagnostic;
mod ensemble;
mod equilibria;
mod eval;
mod flatbuffers;
mod json;
mod layout;
mod linearize;
mod model;
mod npz;
mod number;
mod plots;
mod proof;
mod run;
mod runs;
mod table;

pub use arrow::{
    write_arrow, write_arrow_stream, write_ensemble_arrow, write_ensemble_arrow_stream,
};
pub(crate) use check::check_entries;
pub use check::check_text;
pub use conserved::conserved_text;
pub(crate) use derivation::{derivation_beside, harmless};
pub use derivation::{derivation_json, derivation_latex, derivation_mathml, derivation_text};
pub use diagnostic::{diagnostic_text, diagnostics_json, words_json};
pub use ensemble::{ensemble_summary, ensemble_text, write_ensemble_csv, write_ensemble_json};
pub use eval::eval_text;
pub use json::{json_line, json_with_error, several_json};
pub use layout::{fitted, plain};
pub use linearize::{linearize_json, linearize_text, sweep_pictures, sweep_text};
pub use model::model_json;
pub use npz::{write_ensemble_npz, write_npz};
pub(crate) use number::{size, value};
pub(crate) use plots::figure;
pub use plots::pictures;
pub use proof::{proof_text, verdict_lines};
pub(crate) use proof::{refuting, words};
pub(crate) use run::remarks_on_forces;
pub use run::run_text;
pub(crate) use run::verdict;
pub use runs::{Failure, FormRun, forms_json, forms_text, runs_json, runs_text};
pub use table::{write_csv, write_csv_line, write_json};
