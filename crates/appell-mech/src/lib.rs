//! Appell's mechanics: a model becomes equations of motion, in every formalism of the table.
//!
//! ```text
//! Model -> System + Constraints -> Equations -> Program
//! ```
//!
//! The notation is that of `NOTATION.md`: `M q'' = r + A^T lambda`, `A q'' + B = 0`. Nothing
//! here computes with floating point numbers or knows an output format.

mod balance;
mod bodies;
mod closed_forms;
mod complete;
mod consistent;
mod constraints;
mod dependence;
mod distribution;
mod energy;
mod equations;
mod forces;
mod formalisms;
mod geometry;
mod hidden;
pub mod output;
mod quantities;
mod reduced;
mod restricted;
mod state;
mod state_function;
mod steady;
mod system;
mod unavailable;

pub use balance::StarBalance;
pub use closed_forms::{ClosedForm, Signs, closed_form};
pub use consistent::rate_on_constraints;
pub use constraints::{Chart, ConstraintRow, Constraints, Hidden, Parametrisation, RowStatus};
pub use distribution::{
    Growth, Solved, all_states, forms, growth_of_affine_rows, growth_of_any_rows, is_affine,
    is_folded, put_on_positions, solved, states_in_chart, states_on,
};
pub use energy::ledger_entry;
pub use equations::{Argument, Carrier, Equations, Formalism, Index, Object};
pub use forces::{ConstraintForce, Hold, Rule, directions_output, kinetic_energy_is_of_bodies};
pub use formalisms::FORMALISMS;
pub use formalisms::connection::connection_with_tensors;
pub use formalisms::multipliers::{linear_system, third_derivatives};
pub use geometry::blocks;
pub use hidden::hidden_rows;
pub use reduced::{Choice, Reduced, Style, reduced, reduced_by_choice};
pub use state::{function, state_functions};
pub use steady::{Balance, Fibre};
pub use system::{ActiveForce, Metric, System};
pub use unavailable::Unavailable;
