//! The motion over one step, by its dense output.

use crate::step::Stepper;

/// The motion from `t` to `t + h`; places in it are parts `theta` of the step, from 0 to 1.
pub(crate) struct Passage<'a> {
    pub stepper: &'a Stepper<'a>,
    pub t: f64,
    pub h: f64,
    /// The start.
    pub y: &'a [f64],
    /// The end.
    pub end: &'a [f64],
}

impl Passage<'_> {
    pub fn time(&self, theta: f64) -> f64 {
        self.t + theta * self.h
    }

    pub fn state(&self, theta: f64) -> Vec<f64> {
        if theta >= 1.0 {
            return self.end.to_vec();
        }
        let mut state = vec![0.0; self.y.len()];
        self.stepper.dense(self.y, theta, &mut state);
        state
    }
}
