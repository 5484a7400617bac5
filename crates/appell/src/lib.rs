//! Appell: mechanics with constraints on velocities, from a model file to a motion.
//!
//! ```text
//! text -> read -> Prepared::new -> (derive | check | eval | run) -> values to show
//! ```
//!
//! ```
//! let entry = appell::gallery::find("perpendicular").expect("it is in the gallery");
//! let (model, _warnings) = appell::read("perpendicular.toml", entry.text).expect("it is right");
//! let prepared = appell::Prepared::new(&model, &[], &[]).expect("its parameters are");
//! let run = appell::run(&prepared, &appell::RunOptions::default(), &mut Default::default());
//! assert!(run.expect("it moves").claims.iter().all(|claim| claim.holds == Some(true)));
//! ```

pub mod conserved;
pub mod gallery;
pub mod prove;
pub mod show;

mod answers;
mod arguments;
mod audit;
mod charts;
mod check;
mod cite;
mod claims;
mod classes;
mod closed_forms;
mod departures;
mod derived;
mod ensemble;
mod equilibria;
mod eval;
mod export;
mod fields;
mod handover;
mod ledger;
mod linearize;
mod measurement;
mod nearest;
mod parameters;
mod prepared;
mod ranks;
mod report;
mod right_side;
mod run;
mod samples;
mod scattered;
mod special;
mod start;
mod states;
mod status;
mod underflow;

pub use appell_expr::Rational;
pub use appell_flow::ensemble::Ending;
pub use appell_flow::method::{AUTO, METHODS};
pub use appell_flow::{BACKENDS, Control, ExitKind};
pub use appell_mech::{Equations, FORMALISMS, Formalism, Unavailable};
pub use appell_model::nearest as nearest_word;
pub use appell_model::{
    CODES, Code, Diagnostic, ENERGY_KEYS, MODEL_KEYS, Model, Severity, Source, read, render,
    render_all, with_initial,
};
pub use appell_report::code::{LANGUAGES, Language};
pub use arguments::{ParameterArgument, parse_interval, parse_override, parse_parameter};
pub use check::{Check, InitialState, check};
pub use cite::{Citations, cite};
pub use claims::ClaimResult;
pub use classes::{ConstraintClass, Replacement, Simplified, simplify};
pub use closed_forms::shown_equations;
pub use conserved::{Conserved, ConservedOptions, Integral, conserved, conserved_with};
pub use departures::Departures;
pub use ensemble::{Ensemble, EnsembleOptions, Members, Samples, ensemble, read_members};
pub use equilibria::{Equilibria, Excluded, Interval, Kind, SteadyState, equilibria};
pub use eval::{Evaluation, ForceValue, FormValues, SecondSet, StateValues, eval};
pub use export::{Exported, export};
pub use ledger::Ledger;
pub use linearize::{Crossing, Gap, Linearization, Range, Refused, Sweep, linearize, sweep};
pub use parameters::Override;
pub use prepared::{Mechanics, Prepared};
pub use prove::{Proof, prove, prove_seeded, prove_with};
pub use report::{Report, report};
pub use right_side::RightSide;
pub use run::{PlotData, Run, RunOptions, RunSummary, SampleTable, run};
pub use start::Start;
pub use states::{State, StatesError, read_states};
pub use status::{Judgement, Ranks, Status};
