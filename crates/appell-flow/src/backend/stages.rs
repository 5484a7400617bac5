//! The stages of an explicit Runge-Kutta step, taken at once by machine code.

use super::native::{Context, Machine};
use super::vectorised::{Vectorised, vectorised};
use crate::linear::Scratch;
use crate::step::{Combine, Finite};
use crate::tableau::Tableau;
use crate::tape::Tape;

/// A step of length `h` from `(t, y)`.
pub(crate) struct Stages<'a> {
    pub tableau: &'static Tableau,
    pub t: f64,
    pub h: f64,
    pub y: &'a [f64],
    /// Rows of the length of `y`; the first is the slope at the start, the others are written.
    pub slopes: &'a mut [f64],
    /// Room for one state.
    pub argument: &'a mut [f64],
    /// The end of the step is written here.
    pub end: &'a mut [f64],
    pub scratch: &'a mut Scratch,
}

impl Stages<'_> {
    /// Takes the stages; whether no system was refused and all slopes are finite.
    pub(super) fn run(&mut self, machine: &Machine, tape: &Tape) -> bool {
        let n = self.y.len();
        let fits = tape.outputs.len() == n && tape.inputs - 1 <= n && self.end.len() == n;
        if !fits || self.argument.len() != n {
            return false;
        }
        let count = self.tableau.stage_count();
        let mut context = machine.context(self.scratch);
        let done = match machine.trial(self.tableau, tape) {
            Some(trial) => {
                let slopes = &mut self.slopes[..n * count];
                machine.call_trial(
                    trial,
                    &mut context,
                    (self.t, self.h),
                    self.y,
                    slopes,
                    self.end,
                )
            }
            None => vectorised(OneByOne {
                tableau: self.tableau,
                place: (self.t, self.h),
                y: self.y,
                slopes: self.slopes,
                argument: self.argument,
                end: self.end,
                machine,
                context: &mut context,
            }),
        };
        done && vectorised(Finite(&self.slopes[n..n * count]))
    }
}

/// The stages with a call for each.
struct OneByOne<'a, 'c> {
    tableau: &'static Tableau,
    /// `(t, h)`
    place: (f64, f64),
    y: &'a [f64],
    slopes: &'a mut [f64],
    argument: &'a mut [f64],
    end: &'a mut [f64],
    machine: &'a Machine,
    context: &'a mut Context<'c>,
}

impl Vectorised for OneByOne<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let ((t, h), y, n) = (self.place, self.y, self.y.len());
        let rows = self.tableau.stages.iter().zip(self.tableau.nodes);
        for (i, (weights, node)) in rows.enumerate().skip(1) {
            let (slopes, rest) = self.slopes.split_at_mut(i * n);
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
        let (weights, slopes, out) = (self.tableau.weights, &*self.slopes, self.end);
        Combine {
            y,
            h,
            weights,
            slopes,
            out,
        }
        .run();
        true
    }
}
