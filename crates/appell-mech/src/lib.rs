//! Appell's mechanics: a model becomes equations of motion, in every formalism of the table.
//!
//! ```text
//! Model -> System + Constraints -> Equations -> Program
//! ```
//!
//! The notation is that of `NOTATION.md`: `M q'' = r + A^T lambda`, `A q'' + B = 0`. Nothing
//! here computes with floating point numbers or knows an output format.

mod constraints;
mod dependence;
mod distribution;
mod energy;
mod equations;
mod forces;
mod formalism;
mod formalisms;
mod quantities;
mod restricted;
mod state;
mod system;

pub use constraints::{Chart, ConstraintRow, Constraints, Parametrisation, Standing};
pub use distribution::{
    Growth, Solved, forms, growth_of_affine_rows, growth_of_any_rows, is_affine, solved, states_on,
};
pub use equations::{Carrier, Equations, output};
pub use forces::{ConstraintForce, Rule, directions_output};
pub use formalism::{FORMALISMS, Formalism, Index, Object, Unavailable};
pub use formalisms::gibbs_appell::gibbs_appell_in_chart;
pub use state::{function, state_functions};
pub use system::{ActiveForce, Metric, System};
