//! Steps that end where the right-hand side jumps.
//!
//! A step whose stages all lie before and behind a short pulse does not see it, and one of whose stages some do has an
//! error of low order. So a step ends just before the first zero of a quantity at whose zeros the right-hand side jumps,
//! one of a few units in the last place of the time leads across, and the method begins anew.

use crate::evaluation::Workspace;
use crate::field::{Field, values};
use crate::interpolant::{AlongStep, Interpolant};
use crate::linear::max_norm;
use crate::motion::{CrossingSense, Motion};
use crate::rules::GROW;
use crate::stop::{becomes_true, first_zero_of};

/// A step across a jump is so many times the least step.
const ACROSS: f64 = 4.0;
/// After so many shorter steps towards one jump the next is taken as it is.
const TRIES: usize = 20;
/// Jumps that follow each other within so many least steps, or would if the motion went on with the slope that it has
/// behind them, so many of them, are a motion that slides along one.
const AT_ONCE: f64 = 1e3;
const SLIDING: usize = 200;
/// Where steps have ended at so many corners one after the other, the next that comes within this part of a step is the same.
const CORNERS: usize = 3;
const SAME: f64 = 1e-3;
/// One at once counts as so many that follow each other soon, within so many least steps.
const SURE: usize = 4;
const SOON: f64 = 1e5;

/// Where a motion stands beside the jumps of its right-hand side.
#[derive(Debug, Default)]
pub(crate) struct Switching {
    phase: Phase,
    /// The step that was wanted before the jump was seen.
    wanted: f64,
    /// The length of the last step towards it.
    approach: f64,
    /// Whether the step across changes the sign of a quantity, and whether the motion behind it leads to a jump at once.
    crossed: bool,
    returns: bool,
    tries: usize,
    /// The step that was wanted before one was shortened to end at a corner, and how many such came one after the other.
    before_corner: Option<f64>,
    corners: usize,
    /// The time of the last step across, and how many came at once or soon.
    last: Option<f64>,
    close: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Phase {
    #[default]
    Free,
    /// The step is to end just before a jump.
    Towards,
    /// The step is to lead across one.
    Across,
}

impl Switching {
    /// The first step of a motion, instead of `h`: one across, where the right-hand side jumps at the start. The slope there
    /// is that of neither side.
    pub fn first(&mut self, h: f64, jumps: bool, least: f64) -> f64 {
        if !jumps || h.abs() <= 2.0 * ACROSS * least {
            return h;
        }
        self.phase = Phase::Across;
        self.note(h);
        self.approach = h.abs();
        (2.0 * ACROSS * least).copysign(h)
    }

    /// Looks across the step that leads from one state to another.
    pub fn cross(
        &mut self,
        (quantities, field): (&dyn Field, &dyn Field),
        workspace: &mut Workspace,
        ends: [(f64, &[f64]); 2],
        least: f64,
    ) {
        let [(start, _), (end, y)] = ends;
        self.crossed = changes_sign(quantities, workspace, ends);
        let shortly = (AT_ONCE * least).copysign(end - start);
        let ahead = ahead(field, workspace, (end, y), shortly);
        let returns = |y_ahead: Vec<f64>| {
            let ends = [(end, y), (end + shortly, &y_ahead[..])];
            changes_sign(quantities, workspace, ends)
        };
        self.returns = ahead.is_some_and(returns);
    }

    /// Whether jumps are looked for in the step in hand.
    pub fn looks(&self) -> bool {
        self.phase != Phase::Across && self.tries < TRIES
    }

    /// Whether the step leads across a jump, where its error says nothing.
    pub fn crosses(&self) -> bool {
        self.phase == Phase::Across
    }

    /// Whether the motion crosses one jump to and fro, so that it does not get on.
    pub fn slides(&self) -> bool {
        self.close >= SLIDING
    }

    /// The length of the step to take instead of that in hand, whose error is in units of the tolerance: up to the first jump
    /// or corner within it. None where it may stand.
    pub fn shorter(
        &mut self,
        motion: &Motion<'_>,
        workspace: &mut Workspace,
        interpolant: &Interpolant,
        error: f64,
        least: f64,
    ) -> Option<f64> {
        let h = interpolant.span.h;
        let place = first_zero(motion.switches?, workspace, interpolant)?;
        let at = (place, least / h.abs());
        if !is_continuous_at(motion, workspace, interpolant, at) {
            return self.instead(h, place, error, least);
        }
        // Where the quantity is small beside its errors, it changes its sign in each step, near its beginning.
        let is_new = self.corners < CORNERS || place > SAME;
        let ends_there = error <= 1.0 && is_new;
        // Times are rounded: a step that would not become shorter stands.
        let is_shorter = |length: &f64| h.abs() - length.abs() > ACROSS * least;
        let length = up_to_corner(h, place).filter(|_| ends_there);
        let length = length.filter(is_shorter)?;
        self.before_corner.get_or_insert(h);
        Some(length)
    }

    /// The length of the step to take instead of `h`, in which a jump was found at `place`; none where it may stand, for
    /// the jump is at its very end, or its error, in units of the tolerance, makes it shorter anyway.
    fn instead(&mut self, h: f64, place: f64, error: f64, least: f64) -> Option<f64> {
        let across = ACROSS * least;
        let length = place * h.abs();
        if length <= across {
            self.phase = Phase::Across;
            self.approach = across;
            self.note(h);
            return Some((2.0 * across).copysign(h));
        }
        let at_end = h.abs() - length <= across;
        let landing = length - 0.5 * across;
        if at_end || error > 1.0 && landing > 0.9 * h.abs() {
            return None;
        }
        self.tries += 1;
        self.approach = landing;
        self.note(h);
        self.phase = Phase::Towards;
        Some(landing.copysign(h))
    }

    /// Counts the steps across that follow each other at once; one whose stages lie on both sides may end on either.
    fn count(&mut self, t: f64, least: f64) {
        let since = self
            .last
            .map_or(f64::INFINITY, |last| (t - last).abs() / least);
        let weight = match since {
            _ if self.returns => SURE,
            since if since <= AT_ONCE => SURE,
            since if since <= SOON => 1,
            _ => 0,
        };
        self.close = if weight > 0 { self.close + weight } else { 0 };
        self.last = Some(t);
    }

    fn note(&mut self, h: f64) {
        if self.wanted == 0.0 {
            self.wanted = h;
        }
    }

    /// The next step after one that was refused for its error.
    pub fn refused(&mut self) {
        self.phase = Phase::Free;
        self.before_corner = None;
    }

    /// A step was taken to the time `t`: the length of the next, if that is not for its error to say, and whether the
    /// method begins anew.
    pub fn taken(&mut self, t: f64, least: f64) -> Option<(f64, bool)> {
        self.tries = 0;
        let before_corner = self.before_corner.take();
        self.corners = before_corner.map_or(0, |_| self.corners + 1);
        match self.phase {
            Phase::Free => before_corner.map(|h| (h, false)),
            Phase::Towards => {
                self.phase = Phase::Across;
                Some(((2.0 * ACROSS * least).copysign(self.wanted), false))
            }
            // What a step with a large error tells of jumps may be wrong: the next is not as long.
            Phase::Across if !self.crossed => {
                self.count(t, least);
                self.phase = Phase::Free;
                let wanted = std::mem::take(&mut self.wanted);
                let length = wanted.abs().min(GROW * self.approach);
                Some((length.copysign(wanted), false))
            }
            Phase::Across => {
                self.count(t, least);
                self.phase = Phase::Free;
                Some((std::mem::take(&mut self.wanted), true))
            }
        }
    }
}

/// What a quantity jumps by with the time alone in a step from one state to another. Steps end beside jumps, so it is
/// looked at around both ends, or once in a step that leads across one.
pub(crate) fn jump(
    quantity: &dyn Field,
    workspace: &mut Workspace,
    [before, after]: [(f64, &[f64]); 2],
    least: f64,
) -> f64 {
    let mut value = |t: f64, y: &[f64]| values(quantity, workspace, t, y)[0];
    let ((t, y), (end, y_end)) = (before, after);
    let beside = (4.0 * ACROSS * least).copysign(end - t);
    let found = match (end - t).abs() <= 2.0 * beside.abs() {
        true => value(end, y) - value(t, y),
        false => {
            let first = value(t + beside, y) - value(t, y);
            first + value(end, y_end) - value(end - beside, y_end)
        }
    };
    if found.is_finite() { found } else { 0.0 }
}

/// The state after a short time, by the slope.
fn ahead(
    field: &dyn Field,
    workspace: &mut Workspace,
    (t, y): (f64, &[f64]),
    short: f64,
) -> Option<Vec<f64>> {
    let slope = values(field, workspace, t, y);
    let ahead: Vec<f64> = y.iter().zip(&slope).map(|(y, k)| y + short * k).collect();
    ahead.iter().all(|x| x.is_finite()).then_some(ahead)
}

/// A slope that changes by more than this part of its size within a few least steps jumps.
const JUMPED: f64 = 1e-6;

/// Whether the right-hand side jumps at a state, between this and the next states.
pub(crate) fn jumps_at(
    field: &dyn Field,
    workspace: &mut Workspace,
    (t, y): (f64, &[f64]),
    least: f64,
) -> bool {
    let short = ACROSS * least;
    let Some(next) = ahead(field, workspace, (t, y), short) else {
        return false;
    };
    let here = values(field, workspace, t, y);
    let there = values(field, workspace, t + short, &next);
    let largest = |values: &[f64]| max_norm(values.iter());
    let apart = here.iter().zip(&there).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, f64::max) > JUMPED * largest(&here).max(largest(&there))
}

/// Whether one of the quantities changes its sign between two states with their times.
fn changes_sign(
    quantities: &dyn Field,
    workspace: &mut Workspace,
    [before, after]: [(f64, &[f64]); 2],
) -> bool {
    let mut values = |(t, y): (f64, &[f64])| values(quantities, workspace, t, y);
    let mut both = values(before).into_iter().zip(values(after));
    both.any(|(a, b)| becomes_true(CrossingSense::Either, a, b))
}

/// A step ends beyond a corner by so much of itself, and one that begins so near to it sees it no more.
const PAST: f64 = 1e-6;

/// The length of the step to take instead of `h`, in which the right-hand side has a corner at `place` and does not jump; none
/// where it may stand. Steps end there, since none would see a narrow barrier between two corners; the method need
/// not begin anew.
fn up_to_corner(h: f64, place: f64) -> Option<f64> {
    let is_inside = place > PAST && place < 1.0 - PAST;
    is_inside.then_some(place * h * (1.0 + 0.5 * PAST))
}

/// Both sides of a zero are not looked for beyond this part of the step.
const WIDEST: f64 = 1e-3;

/// Whether the right-hand side, what is accounted for and the rows of the manifold are the same, but for rounding, on both
/// sides of a zero within a step: nearest to it where a quantity has different signs, which may be rounded.
fn is_continuous_at(
    motion: &Motion<'_>,
    workspace: &mut Workspace,
    interpolant: &Interpolant,
    (place, least): (f64, f64),
) -> bool {
    let Some(quantities) = motion.switches else {
        return false;
    };
    let mut gap = ACROSS * least;
    let mut sides = || loop {
        let ends = [place - gap, place + gap].map(|theta| {
            let theta = theta.clamp(0.0, 1.0);
            let mut state = Vec::new();
            interpolant.sketch(theta, &mut state);
            (interpolant.time(theta), state)
        });
        let [(a, y), (b, z)] = &ends;
        if changes_sign(quantities, workspace, [(*a, y), (*b, z)]) {
            return Some(ends);
        }
        gap *= 10.0;
        if gap > WIDEST {
            return None;
        }
    };
    let Some(ends) = sides() else {
        return false;
    };
    let mut of = |field: &dyn Field| {
        let both = ends.each_ref();
        both.map(|(t, y)| values(field, workspace, *t, y))
    };
    let size = |all: &[Vec<f64>; 2]| {
        let all = all.iter().flatten();
        all.fold(0.0_f64, |most, x| most.max(x.abs()))
    };
    let near = |all: &[Vec<f64>; 2], size: f64| {
        let mut pairs = all[0].iter().zip(&all[1]);
        pairs.all(|(a, b)| (a - b).abs() <= JUMPED * size)
    };
    let field = of(motion.field);
    let mut stages = motion.stages.iter();
    let mut accounted = motion.switched.iter().map(|switched| of(switched.value));
    near(&field, size(&field))
        && accounted.all(|both| near(&both, size(&both)))
        && stages.all(|stage| {
            let (rows, terms) = (of(stage.residual), of(stage.magnitudes));
            let slopes = of(stage.jacobian);
            near(&rows, size(&terms)) && near(&slopes, size(&slopes))
        })
}

/// The first place in a step, by an estimate of the motion within it, at which one of the quantities changes its sign.
fn first_zero(
    quantities: &dyn Field,
    workspace: &mut Workspace,
    interpolant: &Interpolant,
) -> Option<f64> {
    let mut along = AlongStep::new(quantities, workspace, interpolant);
    let zeros =
        (0..quantities.outputs()).filter_map(|i| first_zero_of(&mut |theta| along.at(theta)[i]));
    zeros.reduce(f64::min)
}
