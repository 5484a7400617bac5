//! Appell's model files: TOML text to names, expressions and diagnostics.
//!
//! [`read`] is the whole crate: text in, a [`Model`] and warnings out, or everything that is
//! wrong with the text. What each kind of error means is in [`Code::explanation`].
//!
//! ```
//! let text = r#"
//! coordinates = ["x", "y"]
//! [energy]
//! kinetic = "1/2*(x'^2 + y'^2)"
//! [constraints]
//! ramp = "y' = 2*x'"
//! "#;
//! let (model, warnings) = appell_model::read("ramp.toml", text).expect("a good model");
//! assert!(warnings.is_empty());
//! assert_eq!(model.constraints[0].rows[0].level, appell_model::Level::Velocity);
//! ```

mod algebra;
mod alike;
mod attitude;
mod bodies;
mod claims;
mod codes;
mod collect;
mod constraints;
mod diagnostic;
mod dimension;
mod document;
mod draft;
mod elaborate;
mod elsewhere;
mod energy;
mod entities;
mod entries;
mod exercise;
pub mod format;
mod formula;
mod frames;
mod function_names;
pub mod glossary;
mod initial;
mod keys;
mod kinematics;
mod later;
mod loads;
mod malformed;
mod mentioned;
mod model;
mod motion;
mod names;
mod numeric;
mod order;
mod outline;
mod outside;
mod parameters;
mod places;
mod plots;
mod read;
mod render;
mod sentences;
mod settings;
mod shapes;
mod source;
mod suggest;
mod text;
mod units;
mod world;

pub use bodies::impossible_values;
pub use codes::{CODES, Code, Severity, Stage};
pub use diagnostic::{Diagnostic, Label};
pub use dimension::{Dimension, Dimensions};
pub use exercise::{
    EXERCISE as EXERCISE_KEYS, Exercise, STEP as STEP_KEYS, Step, Wanted, read_exercise,
};
pub use keys::{ENERGY as ENERGY_KEYS, MODEL as MODEL_KEYS};
pub use later::{
    contradictory_motion, inconsistent_constraints, inconsistent_start, singular_coordinates,
    singular_kinetic_energy,
};
pub use model::{
    Animation, Arrow, Body, Claim, ClaimKind, Condition, Constraint, Coordinate, Frame, Hinge,
    Inconsistent, Initial, Level, Load, MaterialPoint, Model, Motion, MotionVariable, Parameter,
    Plot, Point, Quantity, Reaction, Rotation, Row, Shape, Simulate, Value, Vector,
};
pub use outside::{
    GivenClaim, expression_in_parameters, expression_of_output, expression_of_state, left_side,
    with_claims, with_forces, with_initial, with_start, with_time,
};
pub use read::read;
pub use render::{harmless, render, render_all};
pub use source::{Place, Source};
pub use suggest::nearest;

/// Errors and warnings in the order of the text.
pub type Diagnostics = Vec<Diagnostic>;
