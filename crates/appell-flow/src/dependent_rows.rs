//! Rows that depend on others: they are left out, and must hold by themselves.

use crate::evaluation::{EvalError, Workspace};
use crate::field::evaluate;
use crate::motion::{Motion, Options};
use crate::project::{Correction, Projector, largest, scaled};
use crate::residual::PART;
use crate::rules::{COARSE, DRIFT, MISSED, ROUNDED};
use crate::trial::MissedRow;

/// Rows on accelerations that miss less than so many absolute tolerances are satisfied: terms may all be rounding.
const ABSOLUTE: f64 = 100.0;

/// So many steps beyond a place at which a row is missed are tried: near it one may hold by the rounding of the other.
const TRIALS: usize = 100;

/// What rows that depend on others may miss along a motion.
pub(crate) struct DependentRows {
    /// Relative to their terms.
    part: f64,
    /// Of rows that nothing restores, by itself.
    least: f64,
    /// How many steps in a row led to states that miss one, and the time of the first of these.
    refused: usize,
    beyond: f64,
    /// It knows the rank of the rows, so that linear systems have a solution where these contradict each other.
    workspace: Workspace,
}

impl DependentRows {
    /// By the tolerances: states that keep rows by themselves keep them as well as they are known.
    pub fn new(motion: &Motion<'_>, options: &Options) -> DependentRows {
        let mut workspace = Workspace::default();
        workspace.linear.set_row_rank(motion.rank());
        let drift = (DRIFT * options.rtol).min(COARSE);
        DependentRows {
            part: drift.max(MISSED),
            least: ABSOLUTE * options.atol,
            refused: 0,
            beyond: 0.0,
            workspace,
        }
    }

    /// Takes note of a step to the time `t` that missed a row.
    pub fn refuse(&mut self, t: f64) {
        if self.refused == 0 {
            self.beyond = t;
        }
        self.refused += 1;
    }

    /// Takes note of a step `h` that was taken to the time `t`.
    pub fn pass(&mut self, t: f64, h: f64) {
        if self.refused > 0 && (t - self.beyond) * h > 0.0 {
            self.refused = 0;
        }
    }

    /// Whether shorter steps are no remedy.
    pub fn are_given_up(&self) -> bool {
        self.refused >= TRIALS
    }

    /// Takes note of what is missed at the start.
    pub fn starts_with(&mut self, missed: f64) {
        self.part = self.part.max(ROUNDED * missed);
    }

    /// A row that is missed at a projected state, if any is. Nothing is evaluated where no row was left out.
    pub fn missed(
        &mut self,
        motion: &Motion<'_>,
        (t, y): (f64, &[f64]),
        (projector, correction): (&Projector<'_>, &Correction),
    ) -> Result<Option<MissedRow>, EvalError> {
        if correction.dependent > self.part {
            return Ok(Some(MissedRow {
                name: projector.missed_row(),
                part: correction.dependent,
            }));
        }
        let Some(rows) = &motion.unprojected else {
            return Ok(None);
        };
        let workspace = &mut self.workspace;
        let count = rows.residual.outputs();
        let (mut residual, mut sizes) = (vec![0.0; count], vec![0.0; count]);
        evaluate(rows.residual, workspace, t, y, &mut residual)?;
        let mut rates = vec![0.0; motion.field.outputs()];
        evaluate(motion.field, workspace, t, y, &mut rates)?;
        let state = rates.iter().take(motion.names.len());
        let fastest = state.fold(0.0, |most: f64, x| most.max(x.abs()));
        // Where rows contradict each other, linear systems have no solution whose terms could be measured.
        let least = match evaluate(rows.magnitudes, workspace, t, y, &mut sizes) {
            Ok(()) => PART * fastest,
            Err(_) => {
                sizes.fill(0.0);
                fastest
            }
        };
        let parts = residual.iter().zip(&sizes).map(|(c, size)| {
            if c.abs() <= self.least {
                return 0.0;
            }
            scaled(*c, size.max(least))
        });
        let (row, part) = largest(parts);
        Ok((part > self.part).then(|| MissedRow {
            name: rows.names[row].clone(),
            part,
        }))
    }
}
