//! Steps that end, or lead across, where the right-hand side jumps or is felt in a narrow place.

use super::{Refusal, Run};
use crate::control::least_step;
use crate::interpolant::Interpolant;
use crate::outcome::Outcome;
use crate::step::Span;
use crate::switching::jumps_at;

impl Run<'_> {
    /// Shortens the step in hand, or leads it across, where the right-hand side jumps within it.
    pub(super) fn look_for_jumps(&mut self, h: f64, error: f64) -> Result<(), Refusal> {
        let Some(quantities) = self.motion.switches else {
            return Ok(());
        };
        if self.switching.crosses() {
            let ends = [(self.t, &*self.y), (self.t + h, &*self.end)];
            let (fields, least) = ((quantities, self.motion.field), self.smallest());
            self.switching
                .cross(fields, &mut self.workspace, ends, least);
        }
        if !self.switching.looks() {
            return Ok(());
        }
        let (motion, least) = (self.motion, self.smallest());
        let span = Span::new(self.t, h, &self.y, &self.end);
        let interpolant = Interpolant::completed(&mut *self.stepper, span)?;
        let workspace = &mut self.workspace;
        let switching = &mut self.switching;
        let instead = switching.shorter(motion, workspace, &interpolant, error, least);
        instead.map_or(Ok(()), |h| Err(Refusal::Jump(h)))
    }

    /// Shortens the step in hand where a function is felt in a narrow place within it.
    pub(super) fn look_for_narrow_places(&mut self, h: f64) -> Result<(), Refusal> {
        let quantities = [self.motion.narrow, self.motion.peaks];
        if quantities.iter().all(Option::is_none) {
            return Ok(());
        }
        let span = Span::new(self.t, h, &self.y, &self.end);
        let interpolant = Interpolant::completed(&mut *self.stepper, span)?;
        let (workspace, least) = (&mut self.workspace, least_step(self.t, h));
        let part = self.narrow.shorter(quantities, workspace, &interpolant);
        let shorter = part.map(|part| part * h).filter(|h| h.abs() > least);
        shorter.map_or(Ok(()), |h| Err(Refusal::Jump(h)))
    }

    /// Goes on before or behind a jump of the right-hand side: there the method begins anew.
    pub(super) fn beside_jump(&mut self, h: f64, next: f64, anew: bool) -> Option<Outcome> {
        if self.switching.slides() {
            let (at, step) = (self.place(), h);
            return Some(Outcome::Underflow { at, step });
        }
        self.h = next;
        let begun = anew.then(|| self.stepper.start(self.t, &self.y));
        begun?.err().map(|error| self.error(error))
    }

    /// The first step leads across where the right-hand side jumps at the start.
    pub(super) fn begin_beside_jump(&mut self, limit: f64) {
        let (field, least) = (self.motion.field, least_step(self.t, limit));
        let at = (self.t, &self.y[..]);
        let jumps = self.motion.switches.is_some()
            && jumps_at(field, &mut self.workspace, at, least.copysign(limit));
        self.h = self.switching.first(self.h, jumps, least);
    }
}
