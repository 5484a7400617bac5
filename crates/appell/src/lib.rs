//! Appell: mechanics with constraints on velocities, from a model file to a motion.
//!
//! ```text
//! text -> read -> Prepared::new -> (derive | check | eval | prove | run | ..) -> show | report | export
//! ```
//!
//! ```
//! let entry = appell::gallery::find("perpendicular").expect("it is in the gallery");
//! let (model, _warnings) = appell::read("perpendicular.toml", entry.text).expect("it is right");
//! let prepared = appell::Prepared::new(&model, &[], &[]).expect("its parameters are");
//! let run = appell::run(&prepared, &appell::RunOptions::default(), &mut Default::default());
//! assert!(run.expect("it moves").claims.iter().all(|claim| claim.holds == Some(true)));
//! ```

pub mod gallery;

// A text becomes a model, or diagnostics with places and hints.
pub use appell_expr::{Rational, limits};
pub use appell_model::{
    CODES, Code, Diagnostic, ENERGY_KEYS, MODEL_KEYS, Model, Severity, Source,
    nearest as nearest_word, read, render, render_all, with_initial,
};

// A model with values for its parameters is prepared once, and asked many questions.
pub use appell_study::questions::arguments::{
    ParameterArgument, parse_interval, parse_override, parse_parameter,
};
pub use appell_study::states::given_states::{State, StatesError, read_states};
pub use appell_study::values::found::Start;
pub use appell_study::values::parameters::Override;
pub use appell_study::values::prepared::Prepared;

// The equations of motion: one row of a table a formalism.
pub use appell_mech::{Equations, FORMALISMS, Formalism, Unavailable};
pub use appell_study::questions::closed_forms::shown_equations;

// What the constraints are, and what kind of state this is.
pub use appell_study::constraints::classes::{ConstraintClass, Replacement, Simplified, simplify};
pub use appell_study::questions::check::{Check, InitialState, check};
pub use appell_study::questions::eval::{
    Evaluation, ForceValue, FormValues, SecondSet, StateValues, eval,
};
pub use appell_study::states::departures::Departures;
pub use appell_study::states::status::{Judgement, Ranks, Status};

// What is true of the model.
pub use appell_study::questions::conserved::{
    Conserved, ConservedOptions, Integral, conserved, conserved_with,
};
pub use appell_study::questions::prove::{Proof, prove, prove_seeded, prove_with};
pub use appell_study::questions::{conserved, prove};

// The motion, one or many.
pub use appell_flow::ensemble::Ending;
pub use appell_flow::method::{AUTO, METHODS};
pub use appell_flow::{BACKENDS, Control, ExitKind};
pub use appell_study::motion::choices::RunOptions;
pub use appell_study::motion::claims::ClaimResult;
pub use appell_study::motion::ensemble::{
    Ensemble, EnsembleOptions, Members, Samples, ensemble, read_members,
};
pub use appell_study::motion::ledger::Ledger;
pub use appell_study::motion::right_side::RightSide;
pub use appell_study::motion::run::{PlotData, Run, RunSummary, run};
pub use appell_study::motion::samples::SampleTable;

// Where nothing moves, and what happens close to it.
pub use appell_study::questions::equilibria::{
    Equilibria, Excluded, Interval, Kind, SteadyState, equilibria,
};
pub use appell_study::questions::linearize::{
    Crossing, Gap, Linearization, Range, Refused, Sweep, linearize, sweep,
};

// Text, tables, pages, code and references.
pub use appell_report::cite::{Citations, cite};
pub use appell_report::code::{LANGUAGES, Language};
pub use appell_report::export::{Exported, export};
pub use appell_report::report::{Report, report};
pub use appell_report::show;
