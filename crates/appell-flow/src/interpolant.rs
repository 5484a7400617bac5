//! The motion over one step, by its dense output.

use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, values};
use crate::step::{Span, Stepper};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The motion from `t` to `t + h`; places in it are parts `theta` of the step, from 0 to 1.
#[derive(Clone, Copy)]
pub(crate) struct Interpolant<'a> {
    pub stepper: &'a dyn Stepper,
    pub span: Span<'a>,
}

/// Quantities along a step, by an estimate of the motion within it; each place is looked at once.
pub(crate) struct AlongStep<'a> {
    quantities: &'a dyn Field,
    workspace: &'a mut Workspace,
    interpolant: &'a Interpolant<'a>,
    state: Vec<f64>,
    seen: FxHashMap<u64, Rc<[f64]>>,
}

impl<'a> AlongStep<'a> {
    pub fn new(
        quantities: &'a dyn Field,
        workspace: &'a mut Workspace,
        interpolant: &'a Interpolant<'a>,
    ) -> Self {
        Self {
            quantities,
            workspace,
            interpolant,
            state: Vec::new(),
            seen: FxHashMap::default(),
        }
    }

    /// The quantities at a place; NaN where they have no value.
    pub fn at(&mut self, theta: f64) -> Rc<[f64]> {
        if let Some(known) = self.seen.get(&theta.to_bits()) {
            return Rc::clone(known);
        }
        self.interpolant.sketch(theta, &mut self.state);
        let t = self.interpolant.time(theta);
        let found: Rc<[f64]> = values(self.quantities, self.workspace, t, &self.state).into();
        self.seen.insert(theta.to_bits(), Rc::clone(&found));
        found
    }
}

impl<'a> Interpolant<'a> {
    /// Of a step that was tried: what its dense output needs is made ready.
    pub fn completed(stepper: &'a mut dyn Stepper, span: Span<'a>) -> Result<Self, EvalError> {
        stepper.complete(&span)?;
        Ok(Self { stepper, span })
    }

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
