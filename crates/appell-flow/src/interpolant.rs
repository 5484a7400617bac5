//! The motion over one step, by its dense output.

use crate::step::{Span, Stepper};

/// The motion from `t` to `t + h`; places in it are parts `theta` of the step, from 0 to 1.
#[derive(Clone, Copy)]
pub(crate) struct Interpolant<'a> {
    pub stepper: &'a dyn Stepper,
    pub span: Span<'a>,
}

impl Interpolant<'_> {
    pub fn time(&self, theta: f64) -> f64 {
        self.span.t + theta * self.span.h
    }

    /// Writes the state at a place.
    pub fn write(&self, theta: f64, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(self.span.end);
        if theta < 1.0 {
            self.stepper.dense(&self.span, theta, out);
        }
    }

    /// Writes an estimate of the state at a place that needs no dense output.
    pub fn sketch(&self, theta: f64, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(self.span.end);
        if theta != 1.0 {
            self.stepper.sketch(&self.span, theta, out);
        }
    }

    pub fn state(&self, theta: f64) -> Vec<f64> {
        let mut state = Vec::new();
        self.write(theta, &mut state);
        state
    }
}
