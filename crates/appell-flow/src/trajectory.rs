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
    /// States at ends of steps, wherever the samples are.
    pub ends: StepEnds,
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
    pub ends: StepEnds,
}

impl Record {
    /// Notes the state at the end of a step.
    pub fn note_end(&mut self, t: f64, y: &[f64]) {
        self.ends.note(t, self.projection_work, y);
    }
}

/// States at ends of steps: at each, until there are [many](StepEnds::MAX_COUNT), then at every second, every fourth and
/// so on. Who asks for samples does not know where the steps end, so that samples may all meet a motion in the same
/// phase, and these states do not.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepEnds {
    /// Rows of the time, the work of projection and the state: one piece of memory for all.
    rows: Vec<f64>,
    /// The length of a row.
    width: usize,
    /// Of `2^power` steps one is kept.
    power: u32,
    /// Steps since the last that was kept.
    passed: u64,
}

impl StepEnds {
    /// More are not kept.
    pub const MAX_COUNT: usize = 1024;
    /// Room for so many is made at first.
    const FIRST: usize = 32;

    /// In the order of the motion.
    pub fn states(&self) -> impl Iterator<Item = Sample> {
        self.rows.chunks_exact(self.width.max(2)).map(|row| Sample {
            t: row[0],
            y: row[2..].to_vec(),
            projection_work: row[1],
        })
    }

    /// Keeps what is not `None`, in place of each state.
    pub fn map(&mut self, change: impl FnMut(Sample) -> Option<Sample>) {
        let changed: Vec<Sample> = self.states().filter_map(change).collect();
        self.rows.clear();
        changed.iter().for_each(|state| self.push(state));
    }

    /// Takes the states of a motion that goes on where this one ended.
    pub fn extend(&mut self, later: impl IntoIterator<Item = Sample>) {
        later.into_iter().for_each(|state| self.push(&state));
        while self.count() > Self::MAX_COUNT {
            self.thin();
        }
    }

    /// Takes the end of a step.
    pub(crate) fn note(&mut self, t: f64, projection_work: f64, y: &[f64]) {
        self.passed += 1;
        if self.count() == Self::MAX_COUNT {
            self.thin();
        }
        if self.passed >> self.power > 0 {
            self.passed = 0;
            self.row(t, projection_work, y);
        }
    }

    fn push(&mut self, state: &Sample) {
        self.row(state.t, state.projection_work, &state.y);
    }

    fn row(&mut self, t: f64, projection_work: f64, y: &[f64]) {
        if self.rows.is_empty() {
            self.width = 2 + y.len();
            self.rows.reserve(Self::FIRST * self.width);
        }
        debug_assert_eq!(self.width, 2 + y.len(), "the states of a motion are alike");
        self.rows.extend([t, projection_work]);
        self.rows.extend_from_slice(y);
    }

    fn count(&self) -> usize {
        self.rows.len() / self.width.max(2)
    }

    fn thin(&mut self) {
        let (width, count) = (self.width, self.count() / 2);
        for k in 0..count {
            let second = (2 * k + 1) * width;
            self.rows.copy_within(second..second + width, k * width);
        }
        self.rows.truncate(count * width);
        self.power += 1;
    }
}

impl Trajectory {
    /// A motion that a method cannot compute: its start.
    pub(crate) fn unsuitable(
        names: &[String],
        method: &'static str,
        t: f64,
        y: &[f64],
        why: String,
    ) -> Trajectory {
        let state = names.iter().cloned().zip(y.iter().copied());
        let at = Place {
            t,
            state: state.collect(),
        };
        Trajectory {
            outcome: Outcome::Unsuitable { at, method, why },
            ..Trajectory::standing(method, t, y)
        }
    }

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
            ends: StepEnds::default(),
            reset_work: None,
            outcome: Outcome::Finished { at },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a million steps some hundred ends are kept, evenly.
    #[test]
    fn ends_of_many_steps_are_thinned() {
        let mut ends = StepEnds::default();
        for step in 1..=1_000_000 {
            ends.note(f64::from(step), 0.0, &[f64::from(-step)]);
        }
        assert!(ends.states().all(|end| end.y == [-end.t]));
        let times: Vec<f64> = ends.states().map(|end| end.t).collect();
        assert!((StepEnds::MAX_COUNT / 2..=StepEnds::MAX_COUNT).contains(&times.len()));
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.clone().all(|gap| gap == times[1] - times[0]));
        assert!(times[times.len() - 1] > 999_000.0);
    }
}
