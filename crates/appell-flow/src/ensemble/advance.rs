//! What the lanes go on with after a trial step: step control, least steps, budgets.

use crate::backend::vectorised::Vectorised;
use crate::control::least_step;
use crate::lane_step::{Advance, Advanced, Block};
use crate::lanes::{Lanes, Mask};
use crate::rules::{GROW, SAFETY, SHRINK};

/// Takes the steps that are good, shortens those that are refused; control as for a single motion, with a
/// method of this order.
pub(super) struct Advancing<'a, 'b> {
    pub block: &'a mut Block,
    pub advance: &'a Advance<'b>,
    pub order: u32,
}

impl Vectorised for Advancing<'_, '_> {
    type Output = Advanced;

    #[inline(always)]
    fn run(self) -> Advanced {
        let Advancing {
            block,
            advance,
            order,
        } = self;
        let (good, refused) = (Mask::of_bits(advance.good), Mask::of_bits(advance.refused));
        let (h, until) = (*advance.taken, Lanes::all(advance.until));
        let n = block.y.len();
        let last = block.last;
        for c in 0..n {
            block.y[c] = good.choose(block.end[c], block.y[c]);
            block.slopes[c] = good.choose(block.slopes[last + c], block.slopes[c]);
        }
        for (row, end) in block.rows.iter_mut().zip(&block.rows_end) {
            *row = good.choose(*end, *row);
        }
        block.largest = good.choose(block.largest_end, block.largest);
        let ends = h.equals(until - block.t);
        block.t = good.choose(ends.choose(until, block.t + h), block.t);
        let (one, shrink) = (Lanes::all(1.0), Lanes::all(SHRINK));
        let error = block.error.max(Lanes::all(1e-40)).min(Lanes::all(1e300));
        let power = Lanes::all(-0.5 / f64::from(order)) * error.log2();
        let wanted = Lanes::all(SAFETY) * power.exp2();
        let limit = block.rejected_last.choose(one, Lanes::all(GROW));
        let factor = wanted.max(shrink).min(limit);
        let kept = shrink.at_most(wanted);
        let shorter = kept.choose(wanted.min(Lanes::all(SAFETY)), shrink);
        block.h = good.choose(h * factor, refused.choose(h * shorter, block.h));
        block.rejected_last = block.rejected_last.and(good.not()).or(refused);
        block.steps = good.choose(block.steps + one, block.steps);
        block.rejected = refused.choose(block.rejected + one, block.rejected);
        let left = (until - block.t).abs().min(Lanes::all(advance.max_step));
        let least = block.t.zip(left, least_step);
        let arrived = good.and(ends);
        // Towards a pole every step may be taken while the time stands still.
        let shrinks = block.h.abs().below(h.abs()).and(good).and(arrived.not());
        let brief = block.h.abs().at_most(least).and(refused.or(shrinks));
        let budget = Lanes::all(advance.max_steps);
        let spent = budget.at_most(block.steps + block.rejected);
        Advanced {
            arrived: arrived.bits(),
            brief: brief.bits(),
            spent: spent.and(good.or(refused)).bits(),
        }
    }
}
