//! An explicit Runge-Kutta step, taken at once by machine code.

use super::native::{Context, ExplicitStep, Machine};
use super::vectorised::{Vectorised, vectorised};
use crate::linear::Scratch;
use crate::step::{Combine, ErrorSums, Finite};
use crate::tableau::Tableau;
use crate::tape::Tape;

/// A step to be taken.
pub(crate) struct Stages<'a> {
    pub tableau: &'static Tableau,
    pub step: ExplicitStep<'a>,
    /// Room for one state.
    pub argument: &'a mut [f64],
    pub scratch: &'a mut Scratch,
}

impl Stages<'_> {
    /// Takes the step; whether no system was refused and all slopes are finite.
    pub(super) fn run(&mut self, machine: &Machine, tape: &Tape) -> bool {
        let n = self.step.y.len();
        let fits = tape.outputs.len() == n && tape.inputs - 1 <= n && self.step.end.len() == n;
        if !fits || self.argument.len() != n {
            return false;
        }
        let mut context = machine.context(self.scratch);
        match machine.trial(self.tableau, tape) {
            Some(trial) => machine.call_trial(trial, &mut context, &mut self.step),
            None => vectorised(OneByOne {
                tableau: self.tableau,
                step: &mut self.step,
                argument: self.argument,
                machine,
                context: &mut context,
            }),
        }
    }
}

/// The step with a call for each slope.
struct OneByOne<'a, 's, 'c> {
    tableau: &'static Tableau,
    step: &'a mut ExplicitStep<'s>,
    argument: &'a mut [f64],
    machine: &'a Machine,
    context: &'a mut Context<'c>,
}

impl Vectorised for OneByOne<'_, '_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let ExplicitStep { t, h, y, .. } = *self.step;
        let (n, all) = (y.len(), &mut *self.step.slopes);
        let rows = self.tableau.stages.iter().zip(self.tableau.nodes);
        for (i, (weights, node)) in rows.enumerate().skip(1) {
            let (slopes, rest) = all.split_at_mut(i * n);
            let out = &mut *self.argument;
            Combine {
                y,
                h,
                weights,
                slopes,
                out,
            }
            .run();
            let answer =
                self.machine
                    .call(self.context, t + node * h, self.argument, &mut rest[..n]);
            if !answer {
                return false;
            }
        }
        let (weights, count) = (self.tableau.weights, self.tableau.stage_count());
        let (slopes, rest) = all.split_at_mut(count * n);
        let end = &mut *self.step.end;
        Combine {
            y,
            h,
            weights,
            slopes,
            out: end,
        }
        .run();
        ErrorSums {
            weights: &self.tableau.error,
            slopes,
            out: self.step.errors,
        }
        .run();
        let arrives = self.step.arrives;
        if arrives && !self.machine.call(self.context, t + h, end, &mut rest[..n]) {
            return false;
        }
        Finite(&all[n..n * (count + usize::from(arrives))]).run()
    }
}
