//! Units: what `kg m^2/s` is in powers of the SI base units, and which formulas contradict the units of a model.

mod check;
mod form;
mod table;

pub(crate) use check::check;
pub(crate) use form::{Form, Unknown};
pub use table::Dimension;
pub(crate) use table::nearest_unit;

use appell_expr::Id;
use std::collections::HashMap;

/// What is known of the dimensions in a model whose units do not contradict its formulas.
#[derive(Debug, Clone, Default)]
pub struct Dimensions {
    /// Of coordinates, their rates, parameters and motion variables, by their symbols.
    pub symbols: HashMap<Id, Dimension>,
    /// Of energies.
    pub energy: Option<Dimension>,
    /// Of places of points and bodies.
    pub length: Option<Dimension>,
}
