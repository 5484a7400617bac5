//! The motion as numbers.

use crate::outcome::{Outcome, Place};

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
    /// The method at the end, by its name in the table.
    pub method: &'static str,
    /// Why this method, where the tool chose it.
    pub why: Option<String>,
    /// By how many tolerances a step may have erred: 1, but where the step was fixed.
    pub coarseness: f64,
    /// What the user should know of the method on this motion, in sentences.
    pub remarks: Vec<String>,
    /// Where watched conditions became true, by their index, in the order of the motion.
    pub passed: Vec<(usize, Sample)>,
    /// The change of the energy by resets of the state, a part of that by projections; none where nothing was reset.
    pub reset_work: Option<f64>,
    /// How the motion ended.
    pub outcome: Outcome,
}

/// What is reported in the end.
#[derive(Default)]
pub(crate) struct Record {
    pub samples: Vec<Sample>,
    pub steps: usize,
    pub rejected: usize,
    pub max_residual: f64,
    pub projection_work: f64,
    pub passed: Vec<(usize, Sample)>,
}

impl Trajectory {
    /// The motion of no length that ends where it begins.
    pub fn standing(method: &'static str, t: f64, y: &[f64]) -> Trajectory {
        let at = Place { t, state: vec![] };
        Trajectory {
            samples: vec![Sample {
                t,
                y: y.to_vec(),
                projection_work: 0.0,
            }],
            steps: 0,
            rejected: 0,
            rhs_evaluations: 0,
            max_residual: 0.0,
            projection_work: 0.0,
            method,
            why: None,
            coarseness: 1.0,
            remarks: Vec::new(),
            passed: Vec::new(),
            reset_work: None,
            outcome: Outcome::Finished { at },
        }
    }
}
