//! One file for each formalism; [`crate::FORMALISMS`] is their table.

pub(crate) mod boltzmann_hamel;
pub(crate) mod chaplygin;
pub(crate) mod connection;
pub(crate) mod gauss;
pub(crate) mod gibbs_appell;
pub(crate) mod hamilton;
pub(crate) mod kane;
pub(crate) mod maggi;
pub(crate) mod multipliers;
pub(crate) mod projector;
pub(crate) mod quasi_velocities;
pub(crate) mod udwadia_kalaba;
pub(crate) mod voronec;

use crate::constraints::Constraints;
use crate::equations::Formalism;
use crate::unavailable::Unavailable;
use appell_expr::{Graph, Matrix};

/// Every formalism, in the order in which they are shown.
pub static FORMALISMS: &[&Formalism] = &[
    &multipliers::MULTIPLIERS,
    &projector::PROJECTOR,
    &gibbs_appell::GIBBS_APPELL,
    &gauss::GAUSS,
    &udwadia_kalaba::UDWADIA_KALABA,
    &hamilton::HAMILTON,
    &maggi::MAGGI,
    &boltzmann_hamel::BOLTZMANN_HAMEL,
    &voronec::VORONEC,
    &chaplygin::CHAPLYGIN,
    &kane::KANE,
    &connection::CONNECTION,
];

impl Formalism {
    /// The formalism of this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        FORMALISMS.iter().copied().find(|f| f.id == id)
    }
}

/// Most forms presume reactions in the directions `A^T`.
fn chetaev_only(constraints: &Constraints<'_>) -> Result<(), Unavailable> {
    if constraints.ideal {
        Ok(())
    } else {
        Err(Unavailable("the reaction is not Chetaev's".to_owned()))
    }
}

/// The unit matrix, n x n.
pub(crate) fn identity(graph: &Graph, n: usize) -> Matrix<'_> {
    Matrix::from_fn(graph, n, n, |i, j| graph.int(i64::from(i == j)))
}
