//! Which rows follow from others, which only touch them, and which contradict them.

use super::SampledConstraints;
use super::conditions::Ranks;
use super::contrived::active_rows;
use crate::states::agreement::{agreement, agreement_anywhere};
use crate::states::corners::is_constant_between_jumps;
use crate::states::ranks::of_rows;
use crate::states::said_together::said_together;
use crate::states::start::start;
use crate::values::found::Agreement;
use crate::values::prepared::Prepared;
use appell_expr::Ex;
use appell_mech::{function, is_affine};
use appell_model::Code;

impl<'g> SampledConstraints<'_, 'g> {
    /// Whether an active row is no consequence of those before it though its derivatives depend on theirs.
    pub(super) fn touches(&self, index: usize) -> bool {
        self.ranks().touching.contains(&index)
    }

    /// Whether an active row adds nothing to those before it.
    pub(super) fn is_dependent(&self, index: usize) -> bool {
        let Ranks {
            of_first, known, ..
        } = self.ranks();
        *known && of_first[index + 1] == of_first[index]
    }

    /// Whether an active row follows from those before it, as far as is known.
    pub(super) fn is_redundant(&self, index: usize) -> bool {
        let row = self.p.constraints.active().nth(index);
        // What has no derivatives, as `sign(x) = 1`, need not follow from anything.
        let is_constant = row.is_some_and(|row| is_constant_between_jumps(self.p, row));
        if is_constant || self.is_said_with_others(index) {
            return false;
        }
        let apart = self.contradicting_rows();
        let in_order = apart.iter().all(|row| self.is_dependent(*row));
        self.is_dependent(index) && in_order && !apart.contains(&index)
    }

    /// Whether no state was found that satisfies all rows.
    pub(super) fn contradict(&self) -> bool {
        start(self.p).is_err_and(|why| why.code == Code::InconsistentConstraints)
    }

    /// Whether a row on velocities that touches others is said by rows that these say together.
    pub(super) fn is_said_with_others(&self, index: usize) -> bool {
        let curved = |phi: Ex<'g>| !is_affine(&self.p.system, phi);
        active_rows(self.p)[index].1.is_some_and(curved) && said_together(self.p).is_some()
    }

    /// The active rows that depend on others at the start, and do not follow from them.
    pub(super) fn contradicting_rows(&self) -> &[usize] {
        &self.dependent_rows().apart
    }

    /// Whether an active row that adds nothing is known to follow from the others, and does not only seem to.
    pub(super) fn is_known_to_follow(&self, index: usize) -> bool {
        !self.dependent_rows().open.contains(&index)
    }

    fn dependent_rows(&self) -> &DependentRows {
        self.dependent.get_or_init(|| {
            let p = self.p;
            if self.contradict() {
                let all = 0..p.constraints.k();
                return DependentRows {
                    apart: all.filter(|row| self.is_dependent(*row)).collect(),
                    open: Vec::new(),
                };
            }
            // A singular start says nothing of other states.
            let is_usual = |rank: usize| self.ranks().of_first.last() == Some(&rank);
            let found = agreement_at_start(p, is_usual);
            let found = found.unwrap_or_else(|| {
                let (dependent, kept): (Vec<usize>, Vec<usize>) =
                    (0..p.constraints.k()).partition(|row| self.is_dependent(*row));
                agreement_anywhere(p, &kept, &dependent)
            });
            let (apart, open) = match found {
                Agreement::Apart(rows, _) => (rows, Vec::new()),
                Agreement::Open(rows) => (Vec::new(), rows),
                Agreement::Follow => (Vec::new(), Vec::new()),
            };
            DependentRows { apart, open }
        })
    }
}

/// Whether the rows whose derivatives depend on those of others at the start follow from these about it, as far as is known.
pub(super) fn follow_at_start(p: &Prepared<'_>) -> bool {
    let found = agreement_at_start(p, |_| true);
    matches!(found, Some(Agreement::Follow | Agreement::Open(_)))
}

/// How the rows agree about the start, if some depend on others there, and their rank is one that counts.
fn agreement_at_start(p: &Prepared<'_>, counts: impl Fn(usize) -> bool) -> Option<Agreement> {
    let start = start(p).ok()?;
    let a = p.measure(start.t, &start.q, &start.v)?.table(function::A);
    let rank = of_rows(p, &a).filter(|rank| *rank < a.rows && counts(*rank))?;
    Some(agreement(p, (start.t, &start.q, &start.v), &a, rank))
}

/// Active rows that depend on others.
#[derive(Debug)]
pub(super) struct DependentRows {
    /// Those that do not follow from the others.
    apart: Vec<usize>,
    /// Those of which that is not known.
    open: Vec<usize>,
}
