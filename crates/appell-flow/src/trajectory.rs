//! The motion as numbers.

use crate::outcome::Outcome;

/// A reported state.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The time.
    pub t: f64,
    /// State and quadratures, projected to the manifold.
    pub y: Vec<f64>,
    /// The work of projection up to here, this sample's own projection included.
    pub projection_work: f64,
}

/// A computed motion and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// The requested samples that were reached, and the last state if it is not among them.
    pub samples: Vec<Sample>,
    /// Accepted steps.
    pub steps: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Evaluations of the right-hand side.
    pub rhs_evaluations: usize,
    /// The largest residual of the constraints after projection, over the start, steps and samples,
    /// each row relative to its absolute terms.
    pub max_residual: f64,
    /// The change of the energy by the projections of steps and of the last state.
    pub projection_work: f64,
    /// How the motion ended.
    pub outcome: Outcome,
}
