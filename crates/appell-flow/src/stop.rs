//! Where a condition becomes true within a step.

use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, evaluate, values};
use crate::interpolant::Interpolant;
use crate::linear::max_norm;
use crate::motion::{CrossingSense, Stop};
use crate::root::{bisect, minimum};

/// Parts of a step between which the sign of a condition's quantity is compared.
pub(crate) const PARTS: usize = 8;

/// Where the parts do not show the course of a quantity, each is divided likewise, and its parts once more.
const DEPTH: usize = 2;
/// Two places more, in no proportion to the parts: what oscillates in step with these does not with them.
pub(crate) const PROBES: [f64; 2] = [0.190_983, 0.763_932];
/// What a quantity may deviate by between places that show its course, as a part of what it changes by.
const COARSE: f64 = 0.1;

/// A quantity this small at the very start, relative to its values in the first step, is zero: a motion
/// that starts on a surface is on the side where it is [`SHORTLY`] after.
pub(crate) const ZERO: f64 = 1e-12;
/// A quantity of this size where a motion begins is on its side of zero, however small.
pub const BARELY: f64 = f64::MIN_POSITIVE;
/// Small parts of the first step, or of a part of it: at the first where the quantity is more than [`SEEN`] of its values
/// there its sign is beyond rounding.
pub(crate) const SHORTLY: [f64; 3] = [1e-6, 1e-4, 1e-2];
pub(crate) const SEEN: f64 = 1e-9;
/// The part of a step over which slopes are measured.
pub(crate) const SLOPE: f64 = 1e-4;

/// The quantity of a condition at the ends of a part of a step, and its slopes there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub gaps: [f64; 2],
    pub slopes: [f64; 2],
}

/// How a step begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Beginning {
    /// The motion begins.
    Start,
    /// Inputs may have jumped.
    Jump {
        /// The quantity of the condition before.
        before: f64,
        /// Whether the motion begins here.
        starts: bool,
    },
    /// As the step before has ended.
    Onward,
}

impl Beginning {
    /// For the condition of this place, of those whose quantities before a jump are known.
    pub fn of(is_first: bool, left: Option<&[f64]>, place: usize) -> Beginning {
        match left.and_then(|left| left.get(place)) {
            Some(before) => Beginning::Jump {
                before: *before,
                starts: is_first,
            },
            None if is_first => Beginning::Start,
            None => Beginning::Onward,
        }
    }
}

/// The quantities of conditions at a state; NaN where one has no value.
pub fn quantities<'f>(
    conditions: impl Iterator<Item = &'f dyn Field>,
    workspace: &mut Workspace,
    t: f64,
    y: &[f64],
) -> Vec<f64> {
    let of = |gap: &dyn Field| {
        let mut value = [0.0];
        let found = evaluate(gap, workspace, t, y, &mut value);
        found.map_or(f64::NAN, |()| value[0])
    };
    conditions.map(of).collect()
}

/// The most corners of one step.
const MOST_CORNERS: usize = 1000;

/// A quantity that stays below so many times what the tolerances of a step make of it is 0 but for errors.
const ERRORS: f64 = 1e3;
/// Parts of a step at which that is looked at.
const LOOKS: [f64; 4] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0];

/// Which quantities are not 0 but for errors of a step with these tolerances, as `x^2 + y^2 - 1` on a circle is: that has
/// no zeros where it vanishes.
fn beyond_errors(
    quantities: &dyn Field,
    workspace: &mut Workspace,
    interpolant: &Interpolant,
    scale: &[f64],
) -> Vec<bool> {
    let mut at = |theta: f64, signs: [f64; 2]| {
        let mut state = interpolant.state(theta);
        let moves = state.iter_mut().zip(scale).zip(signs.iter().cycle());
        moves.for_each(|((x, scale), sign)| *x += sign * scale);
        values(quantities, workspace, interpolant.time(theta), &state)
    };
    let looks = LOOKS.map(|theta| at(theta, [0.0; 2]));
    let moved = [[1.0, 1.0], [1.0, -1.0]].map(|signs| at(0.0, signs));
    let is_beyond = |i: usize| {
        let mut sizes = looks.iter().map(|all| all[i].abs());
        let errors: f64 = moved.iter().map(|all| (all[i] - looks[0][i]).abs()).sum();
        // What has no value somewhere is looked at.
        !sizes.all(|size| size <= ERRORS * errors)
    };
    (0..quantities.outputs()).map(is_beyond).collect()
}

/// The places in a step with these tolerances at which conditions may jump or have a corner, by the quantities that vanish
/// there.
pub(crate) fn corners(
    quantities: Option<&dyn Field>,
    workspace: &mut Workspace,
    interpolant: &Interpolant,
    scale: &[f64],
) -> Vec<f64> {
    let Some(quantities) = quantities else {
        return Vec::new();
    };
    let counts = beyond_errors(quantities, workspace, interpolant, scale);
    let (mut state, mut found) = (Vec::new(), Vec::new());
    for i in (0..quantities.outputs()).filter(|i| counts[*i]) {
        let mut gap = |theta: f64| {
            interpolant.write(theta, &mut state);
            let t = interpolant.time(theta);
            Ok(values(quantities, workspace, t, &state)[i])
        };
        let mut search = Search {
            crossing: CrossingSense::Either,
            gap: &mut gap,
            most: MOST_CORNERS,
            found: Vec::new(),
        };
        if search.within([0.0, 1.0], false, DEPTH).is_ok() {
            found.extend(search.found);
        }
    }
    found.retain(|place| (f64::MIN_POSITIVE..1.0).contains(place));
    found.sort_unstable_by(f64::total_cmp);
    found.dedup();
    found.truncate(MOST_CORNERS);
    found
}

/// The condition that becomes true first and the part of the step where it does; between `corners` conditions are smooth.
pub(crate) fn first_stop(
    stops: &[Stop<&dyn Field>],
    workspace: &mut Workspace,
    (interpolant, corners): (&Interpolant, &[f64]),
    beginning: impl Fn(usize) -> Beginning,
) -> Result<Option<(usize, f64)>, EvalError> {
    let mut first: Option<(usize, f64)> = None;
    for (index, stop) in stops.iter().enumerate() {
        let met = crossings(stop, workspace, (interpolant, corners), beginning(index), 1)?;
        let place = met.first().copied();
        let earlier = |place: &f64| first.is_none_or(|(_, earliest)| *place < earliest);
        if let Some(place) = place.filter(earlier) {
            first = Some((index, place));
        }
    }
    Ok(first)
}

/// The places in the step at which a condition becomes true, the first `most` of them; between `corners` it is smooth.
pub(crate) fn crossings(
    stop: &Stop<&dyn Field>,
    workspace: &mut Workspace,
    (interpolant, corners): (&Interpolant, &[f64]),
    beginning: Beginning,
    most: usize,
) -> Result<Vec<f64>, EvalError> {
    let mut gap = gap_of(stop, workspace, interpolant);
    let (jumps, starts) = match beginning {
        Beginning::Jump { before, starts } => {
            let now = gap(0.0)?;
            let jumps = becomes_true(stop.crossing, before, now);
            (jumps, starts && now == before)
        }
        Beginning::Start => (false, true),
        Beginning::Onward => (false, false),
    };
    let mut search = Search {
        crossing: stop.crossing,
        gap: &mut gap,
        most,
        found: if jumps { vec![0.0] } else { Vec::new() },
    };
    let ends = corners.iter().copied().chain([1.0]);
    let mut from = 0.0;
    for to in ends {
        if search.found.len() < most {
            search.within([from, to], starts && from == 0.0, DEPTH)?;
        }
        from = to;
    }
    Ok(search.found)
}

/// The first place in the step at which a quantity crosses zero; NaN where it has no value.
pub(crate) fn first_zero_of(gap: &mut dyn FnMut(f64) -> f64) -> Option<f64> {
    let mut search = Search {
        crossing: CrossingSense::Either,
        gap: &mut |theta| Ok(gap(theta)),
        most: 1,
        found: Vec::new(),
    };
    search.within([0.0, 1.0], false, DEPTH).ok()?;
    search.found.first().copied()
}

/// The quantity of a condition at a part of the step.
fn gap_of<'a>(
    stop: &'a Stop<&dyn Field>,
    workspace: &'a mut Workspace,
    interpolant: &'a Interpolant<'_>,
) -> impl FnMut(f64) -> Result<f64, EvalError> + 'a {
    let mut state = Vec::new();
    move |theta: f64| -> Result<f64, EvalError> {
        let mut gap = [0.0];
        interpolant.write(theta, &mut state);
        let found = evaluate(
            stop.gap,
            workspace,
            interpolant.time(theta),
            &state,
            &mut gap,
        );
        match found.map_err(|error| *error) {
            Ok(()) => Ok(gap[0]),
            // Where it has no value the condition is not true.
            Err(EvalError::NotFinite { .. }) => Ok(f64::NAN),
            Err(error) => Err(error),
        }
    }
}

/// So many places are looked at for that where a condition is most true.
const LOOKED_AT: usize = 64;

/// The place at which a condition that became true at `from` is most true before it ceases to be, or the step ends.
pub(crate) fn deepest(
    stop: &Stop<&dyn Field>,
    workspace: &mut Workspace,
    interpolant: &Interpolant,
    from: f64,
) -> Result<f64, EvalError> {
    let mut gap = gap_of(stop, workspace, interpolant);
    let sign = match stop.crossing {
        CrossingSense::Rising => -1.0,
        CrossingSense::Falling | CrossingSense::Either => 1.0,
    };
    let mut depth = |theta: f64| {
        gap(theta).map(|gap| match gap.is_nan() {
            true => f64::INFINITY,
            false => sign * gap,
        })
    };
    let width = (1.0 - from) / LOOKED_AT as f64;
    let (mut best, mut least) = (from, depth(from)?);
    for i in 1..=LOOKED_AT {
        let place = from + width * i as f64;
        let value = depth(place)?;
        if value >= 0.0 {
            break;
        }
        if value < least {
            (best, least) = (place, value);
        }
    }
    let ends = [(best - width).max(from), (best + width).min(1.0)];
    let (place, value) = minimum(ends[0], ends[1], depth)?;
    Ok(if value < least { place } else { best })
}

/// Places in a step of which one is the last before a gap is negative.
const PLACES: usize = 16;

/// The part of a step at which a gap is negative first, roughly, by cubic interpolation.
pub(crate) fn first_negative(
    gap: &dyn Field,
    workspace: &mut Workspace,
    interpolant: &Interpolant,
) -> Result<Option<f64>, EvalError> {
    let mut state = Vec::new();
    let mut negative = |place: usize| -> Result<bool, EvalError> {
        let theta = place as f64 / PLACES as f64;
        let mut value = [0.0];
        interpolant.sketch(theta, &mut state);
        evaluate(gap, workspace, interpolant.time(theta), &state, &mut value)?;
        Ok(value[0] < 0.0)
    };
    // Each quarter, then the places before the first that was found.
    for quarter in (PLACES / 4..=PLACES).step_by(PLACES / 4) {
        if !negative(quarter)? {
            continue;
        }
        for place in quarter - PLACES / 4 + 1..quarter {
            if negative(place)? {
                return Ok(Some(place as f64 / PLACES as f64));
            }
        }
        return Ok(Some(quarter as f64 / PLACES as f64));
    }
    Ok(None)
}

/// A search for the places in a step at which a condition becomes true.
struct Search<'a> {
    crossing: CrossingSense,
    /// The quantity at a part of the step.
    gap: &'a mut dyn FnMut(f64) -> Result<f64, EvalError>,
    most: usize,
    found: Vec<f64>,
}

impl Search<'_> {
    /// Looks in a stretch of the step, at its parts one after the other, whose gaps they share; where these do not
    /// show the course of the quantity, in each part as in a stretch of its own. A motion `begins` at the first.
    fn within(&mut self, stretch: [f64; 2], begins: bool, depth: usize) -> Result<(), EvalError> {
        let [from, to] = stretch;
        let place = |x: f64| if x == 1.0 { to } else { from + (to - from) * x };
        let part = |i: usize| place(i as f64 / PARTS as f64);
        let mut gaps = [0.0; PARTS + 1];
        for (i, value) in gaps.iter_mut().enumerate() {
            *value = (self.gap)(part(i))?;
        }
        let probes = PROBES.map(place);
        let probes = [(self.gap)(probes[0])?, (self.gap)(probes[1])?];
        if depth > 0 && !is_resolved(&gaps, probes) {
            for i in 0..PARTS {
                if self.found.len() >= self.most {
                    break;
                }
                self.within([part(i), part(i + 1)], begins && i == 0, depth - 1)?;
            }
            return Ok(());
        }
        let mut start = from;
        if begins {
            (start, gaps[0]) = self.at_start(&gaps, place)?;
        }
        for i in 0..PARTS {
            if self.found.len() >= self.most {
                break;
            }
            // Before the start is seen on its side there is rounding.
            let first = if i == 0 { start } else { part(i) };
            let ends = [(first, gaps[i]), (part(i + 1), gaps[i + 1])];
            match self.turn(ends, &gaps, i, place)? {
                Some(turn) => {
                    self.between([ends[0], turn])?;
                    self.between([turn, ends[1]])?;
                }
                None => self.between(ends)?,
            }
        }
        Ok(())
    }

    /// The place within a part, and the quantity there, where it turns on the other side of zero than that on which it
    /// is at both ends: it crosses zero twice in the part, and in each direction once.
    fn turn(
        &mut self,
        [(a, start), (b, end)]: [(f64, f64); 2],
        gaps: &[f64; PARTS + 1],
        part: usize,
        place: impl Fn(f64) -> f64,
    ) -> Result<Option<(f64, f64)>, EvalError> {
        if start.is_nan() != end.is_nan() {
            return self.beside_gap([(a, start), (b, end)]);
        }
        if has_peak(gaps, part) {
            let peak = self.peak([(a, start), (b, end)])?;
            if peak.is_some() {
                return Ok(peak);
            }
        }
        if !comes_near(gaps, part) {
            return Ok(None);
        }
        let [before, after] = beside(part).map(place);
        let sides = [(self.gap)(before)?, (self.gap)(after)?];
        if !Part::new(gaps, part, sides).turns() {
            return Ok(None);
        }
        let side = start.signum();
        let (turn, least) = minimum(a, b, |theta| (self.gap)(theta).map(|gap| side * gap))?;
        Ok(reaches(self.crossing, least).then_some((turn, side * least)))
    }

    /// A place beside that where the quantity ceases to have a value, as at a pole or the end of a root, where it is on the other
    /// side of zero than at that end of the part at which it has one.
    fn beside_gap(
        &mut self,
        [(a, start), (b, end)]: [(f64, f64); 2],
    ) -> Result<Option<(f64, f64)>, EvalError> {
        let ends = end.is_nan();
        let edge = bisect(a, b, |theta| {
            let is_known = !(self.gap)(theta)?.is_nan();
            Ok::<bool, EvalError>(is_known != ends)
        })?;
        let (at, way, known) = match ends {
            true => (edge, a - b, start),
            false => (edge, b - a, end),
        };
        for part in &AROUND[1..] {
            let place = at + part * way;
            let gap = (self.gap)(place)?;
            if reaches(self.crossing, known.signum() * gap) {
                return Ok(Some((place, gap)));
            }
        }
        Ok(None)
    }

    /// The place of a peak of the quantity, or beside its pole, where it is on the other side of zero than at both ends.
    fn peak(
        &mut self,
        [(a, start), (b, end)]: [(f64, f64); 2],
    ) -> Result<Option<(f64, f64)>, EvalError> {
        // Beside this end it goes away from it only.
        let side = start.signum();
        let foot = side * (side * start).max(side * end);
        let farthest = |gap: f64| match gap.is_nan() {
            true => f64::NEG_INFINITY,
            false => -(gap - foot).abs(),
        };
        let (peak, _) = minimum(a, b, |theta| (self.gap)(theta).map(farthest))?;
        for part in AROUND {
            for place in [peak - part * (b - a), peak + part * (b - a)] {
                let gap = (self.gap)(place)?;
                let is_within = a < place && place < b;
                if is_within && reaches(self.crossing, side * gap) {
                    return Ok(Some((place, gap)));
                }
            }
        }
        Ok(None)
    }

    /// Finds where the condition becomes true between two places with their quantities, if it does.
    fn between(&mut self, [(a, start), (b, end)]: [(f64, f64); 2]) -> Result<(), EvalError> {
        if self.found.len() < self.most && becomes_true(self.crossing, start, end) {
            let true_now = |theta| -> Result<bool, EvalError> {
                Ok(becomes_true(self.crossing, start, (self.gap)(theta)?))
            };
            self.found.push(bisect(a, b, true_now)?);
        }
        Ok(())
    }

    /// The place where the motion begins, and the quantity there; shortly after, where it is zero there.
    fn at_start(
        &mut self,
        gaps: &[f64; PARTS + 1],
        place: impl Fn(f64) -> f64,
    ) -> Result<(f64, f64), EvalError> {
        let (mut at, mut start) = (place(0.0), gaps[0]);
        let largest = max_norm(gaps.iter());
        if start.abs() > ZERO * largest {
            return Ok((at, start));
        }
        for shortly in SHORTLY {
            at = place(shortly);
            start = (self.gap)(at)?;
            if start.abs() > SEEN * largest {
                break;
            }
        }
        let before = if gaps[0].abs() == BARELY {
            gaps[0]
        } else {
            0.0
        };
        if becomes_true(self.crossing, before, start) {
            self.found.push(0.0);
        }
        Ok((at, start))
    }
}

/// Whether the quantity at the ends of the parts, and at [`PROBES`], shows its course: the polynomial of degree 4
/// through every other end meets the rest, beside what they change by. What is far from zero beside its changes needs
/// not be known.
pub(crate) fn is_resolved(gaps: &[f64; PARTS + 1], probes: [f64; 2]) -> bool {
    let all = || gaps.iter().chain(&probes);
    let least = all().fold(f64::INFINITY, |least, g| least.min(*g));
    let most = all().fold(-f64::INFINITY, |most, g| most.max(*g));
    let nearest = all().fold(f64::INFINITY, |near, g| near.min(g.abs()));
    let changes = most - least;
    let rest = [gaps[1], gaps[3], gaps[5], gaps[7], probes[0], probes[1]];
    let meets = |(weights, value): (&[f64; 5], f64)| {
        let through: f64 = (0..5).map(|j| weights[j] * gaps[2 * j]).sum();
        // What has no value is no course.
        (through - value).abs() <= COARSE * changes || through.is_nan() || value.is_nan()
    };
    nearest > 2.0 * changes || THROUGH.iter().zip(rest).all(meets)
}

/// The polynomial through every other end, between them and at the probes.
const THROUGH: [[f64; 5]; 6] = [
    weights(0.125),
    weights(0.375),
    weights(0.625),
    weights(0.875),
    weights(PROBES[0]),
    weights(PROBES[1]),
];

/// The polynomials of Lagrange that are 1 at one of the places 0, 1/4, .., 1 and 0 at the others.
const fn weights(x: f64) -> [f64; 5] {
    let mut found = [1.0; 5];
    let mut j = 0;
    while j < 5 {
        let mut i = 0;
        while i < 5 {
            if i != j {
                found[j] *= (4.0 * x - i as f64) / (j as f64 - i as f64);
            }
            i += 1;
        }
        j += 1;
    }
    found
}

/// Parts of a part of a step, beside a peak or pole: on one side of a pole a quantity may be on the other side of zero.
const AROUND: [f64; 5] = [0.0, 1e-12, 1e-10, 1e-8, 1e-6];
/// What a quantity changes by grows towards a pole at least so, and so much where it is seen from one side only.
const STEEPER: f64 = 1.3;
const STEEP: f64 = 2.0;

/// Whether the quantity may have a pole or a narrow peak within a part of the step, on one side of zero at both ends: it
/// changes faster and faster towards it.
pub(crate) fn has_peak(gaps: &[f64; PARTS + 1], part: usize) -> bool {
    if gaps[part] * gaps[part + 1] <= 0.0 {
        return false;
    }
    let change = |i: usize| (gaps[i + 1] - gaps[i]).abs();
    let grows = |near: usize, far: usize, by: f64| change(near) > by * change(far);
    let before = (part >= 2).then(|| (part - 1, part - 2));
    let after = (part + 2 < PARTS).then(|| (part + 1, part + 2));
    match (before, after) {
        (Some((near, far)), Some((next, last))) => {
            grows(near, far, STEEPER) && grows(next, last, STEEPER)
        }
        (Some((near, far)), None) | (None, Some((near, far))) => grows(near, far, STEEP),
        (None, None) => false,
    }
}

/// Whether parts on both sides of a part show how the quantity changes towards it.
pub(crate) fn is_inner(part: usize) -> bool {
    part >= 2 && part + 2 < PARTS
}

/// Whether the quantity may come to zero and turn back within a part of the step: it is no farther from zero than it
/// changes in the step.
pub(crate) fn comes_near(gaps: &[f64; PARTS + 1], part: usize) -> bool {
    let least = gaps.iter().fold(f64::INFINITY, |least, g| least.min(*g));
    let most = gaps.iter().fold(-f64::INFINITY, |most, g| most.max(*g));
    gaps[part].abs().min(gaps[part + 1].abs()) <= 2.0 * (most - least)
}

/// Places beside the ends of a part, over which slopes are measured: outside it, so that no turn hides there, but
/// within the step.
pub(crate) fn beside(part: usize) -> [f64; 2] {
    let [a, b] = [part, part + 1].map(|i| i as f64 / PARTS as f64);
    let before = if part == 0 { SLOPE } else { a - SLOPE };
    let after = if part + 1 == PARTS {
        1.0 - SLOPE
    } else {
        b + SLOPE
    };
    [before, after]
}

impl Part {
    /// From the quantity at the ends of all parts, and beside this one.
    pub fn new(gaps: &[f64; PARTS + 1], part: usize, at_sides: [f64; 2]) -> Part {
        let sides = beside(part);
        let slope = |end: usize| {
            let place = (part + end) as f64 / PARTS as f64;
            (at_sides[end] - gaps[part + end]) / (sides[end] - place)
        };
        Part {
            gaps: [gaps[part], gaps[part + 1]],
            slopes: [slope(0), slope(1)],
        }
    }

    /// Whether a quantity that is on one side of zero at both ends turns between them on its way to the other: it
    /// falls towards zero at one end and rises from it at the other.
    pub fn turns(&self) -> bool {
        let side = self.gaps[0].signum();
        let [falls, rises] = self.slopes.map(|slope| side * slope);
        side * self.gaps[1] > 0.0 && falls < 0.0 && rises > 0.0
    }
}

/// Whether a quantity that turns, with the least value `least` along its side of zero, crosses zero before and after
/// it; what touches zero only becomes neither positive nor negative.
pub(crate) fn reaches(crossing: CrossingSense, least: f64) -> bool {
    least < 0.0 || least == 0.0 && crossing == CrossingSense::Either
}

/// Whether a condition that is judged by `before` and `after` has become true. It is not true where its quantity has no
/// value, NaN.
pub fn becomes_true(crossing: CrossingSense, before: f64, after: f64) -> bool {
    let before = if before.is_nan() { 0.0 } else { before };
    match crossing {
        CrossingSense::Rising => before <= 0.0 && after > 0.0,
        CrossingSense::Falling => before >= 0.0 && after < 0.0,
        CrossingSense::Either => {
            before != 0.0 && after == 0.0
                || before < 0.0 && after > 0.0
                || before > 0.0 && after < 0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_turns_where_its_slopes_lead_towards_zero_and_from_it() {
        let part = |gaps, slopes| Part { gaps, slopes };
        assert!(part([0.9, 0.9], [-4.0, 4.0]).turns(), "from above");
        assert!(part([-0.9, -0.9], [4.0, -4.0]).turns(), "from below");
        assert!(!part([0.9, 0.9], [4.0, -4.0]).turns(), "away");
        assert!(!part([0.9, 1.9], [-1.0, -1.0]).turns(), "no turn");
        // x^2 - 1 at the ends of the second part of eight from 0.
        let gaps = [-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let [before, after] = beside(1);
        let slopes = Part::new(&gaps, 1, [before, after]).slopes;
        assert!(slopes[0] < 0.0 && slopes[1] > 0.0, "{slopes:?}");
    }

    #[test]
    fn quick_changes_are_not_resolved_by_a_few_places() {
        let of = |f: &dyn Fn(f64) -> f64| {
            let mut gaps = [0.0; PARTS + 1];
            let places = (0..=PARTS).map(|i| i as f64 / PARTS as f64);
            gaps.iter_mut().zip(places).for_each(|(g, x)| *g = f(x));
            is_resolved(&gaps, PROBES.map(f))
        };
        for power in 0..5 {
            assert!(of(&|x| 3.0 * (x - 0.4).powi(power) - 0.1), "{power}");
        }
        assert!(of(&|x| (3.0 * x).sin()) && of(&|x| (-5.0 * x).exp() - 0.2));
        assert!(of(&|_| 1.0 / 3.0) && of(&|_| f64::NAN) && of(&|_| 0.0));
        assert!(of(&|x| 9.0 + (50.0 * x).sin()), "far from zero");
        for often in [9.0, 16.0, 50.0, 333.0] {
            assert!(!of(&|x| (often * x).sin() + 0.3), "{often}");
        }
    }

    #[test]
    fn what_comes_often_is_met_often() {
        for (often, most) in [(5.0, 5), (50.0, 50), (150.0, 150)] {
            let mut gap = |x: f64| Ok((often * std::f64::consts::PI * (x + 1e-4)).sin());
            let mut search = Search {
                crossing: CrossingSense::Either,
                gap: &mut gap,
                most: usize::MAX,
                found: Vec::new(),
            };
            search.within([0.0, 1.0], true, DEPTH).expect("values");
            assert_eq!(search.found.len(), most, "{often}");
            let exact = (1..).map(|i| f64::from(i) / often - 1e-4);
            for (place, exact) in search.found.iter().zip(exact) {
                assert!((place - exact).abs() < 1e-12, "{place} {exact}");
            }
        }
    }

    /// The places in a step at which a condition on `f` becomes true.
    fn met(crossing: CrossingSense, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut gap = |x: f64| Ok(f(x));
        let mut search = Search {
            crossing,
            gap: &mut gap,
            most: usize::MAX,
            found: Vec::new(),
        };
        search.within([0.0, 1.0], false, DEPTH).expect("values");
        search.found
    }

    #[test]
    fn both_crossings_beside_a_turn_are_found() {
        use CrossingSense::{Either, Falling, Rising};
        // Both within the fourth part of eight, on either side of zero.
        let roots = [0.42, 0.45];
        for side in [1.0, -1.0] {
            let close = |x: f64| side * (x - roots[0]) * (x - roots[1]);
            let [falls, rises] = if side > 0.0 { [0, 1] } else { [1, 0] };
            let expected = [
                (Either, roots.to_vec()),
                (Falling, vec![roots[falls]]),
                (Rising, vec![roots[rises]]),
            ];
            for (crossing, places) in expected {
                let found = met(crossing, close);
                assert_eq!(found.len(), places.len(), "{side} {crossing:?} {found:?}");
                let apart = found.iter().zip(&places).map(|(a, b)| (a - b).abs());
                assert!(apart.fold(0.0, f64::max) < 1e-14, "{crossing:?} {found:?}");
            }
        }
        for crossing in [Falling, Rising] {
            assert!(
                met(crossing, |x| (x - 0.4375).powi(2)).is_empty(),
                "touches"
            );
        }
    }

    /// Thresholds that are passed just before the quantity ceases to have a value, and just after it begins to.
    #[test]
    fn crossings_beside_the_end_of_a_domain_are_found() {
        use CrossingSense::{Falling, Rising};
        for end in [0.11, 0.3, 0.437, 0.5, 0.99] {
            let root = met(Falling, |x| (end - x).sqrt() - 1e-3);
            assert!(
                root.len() == 1 && (root[0] - (end - 1e-6)).abs() < 1e-12,
                "{root:?}"
            );
            let logarithm = met(Falling, |x| (end - x).ln() + 20.0);
            assert_eq!(logarithm.len(), 1, "{end}");
            let begins = met(Rising, |x| (x - end).sqrt() - 1e-3);
            assert!(
                begins.len() == 1 && (begins[0] - (end + 1e-6)).abs() < 1e-12,
                "{begins:?}"
            );
        }
    }

    /// Thresholds that a quantity exceeds beside a pole, which leads through infinity or back, and at a narrow peak.
    #[test]
    fn poles_and_narrow_peaks_are_found() {
        use CrossingSense::{Either, Falling};
        for pole in [0.03, 0.2, 0.25, 0.3, 1.0 / 3.0, 0.45, 0.5, 0.71, 0.96] {
            let back = met(Falling, |x| 1e5 - 1.0 / (x - pole).abs());
            assert_eq!(back.len(), 1, "{pole} {back:?}");
            assert!((back[0] - (pole - 1e-5)).abs() < 1e-9, "{pole} {back:?}");
            let through = met(Falling, |x| 1e5 - (1.0 / (pole - x)));
            assert_eq!(through.len(), 1, "{pole} {through:?}");
            let narrow = met(Either, |x| 5e4 - 1.0 / (1e-5 + (x - pole).powi(2)));
            assert_eq!(narrow.len(), 2, "{pole} {narrow:?}");
            // The pole itself has no value.
            let lost = met(Falling, |x| {
                let far = (3.0 * x - 3.0 * pole).abs();
                if far == 0.0 {
                    f64::NAN
                } else {
                    200.0 - 0.7 / far
                }
            });
            let first = lost.first().map(|place| place - pole + 0.7 / 600.0);
            assert!(first.is_some_and(|x| x.abs() < 1e-9), "{pole} {lost:?}");
            let low = met(Either, |x| 2e5 - 1.0 / (1e-5 + (x - pole).powi(2)));
            assert!(low.is_empty(), "{pole} {low:?}");
        }
    }

    #[test]
    fn conditions_become_true_only_by_crossing() {
        use CrossingSense::{Either, Falling, Rising};
        assert!(becomes_true(Rising, -1.0, 1.0) && !becomes_true(Rising, 1.0, 2.0));
        assert!(becomes_true(Falling, 1.0, -1.0) && !becomes_true(Falling, 1.0, 0.0));
        assert!(becomes_true(Either, 1.0, -1.0) && becomes_true(Either, -1.0, 0.0));
        assert!(
            !becomes_true(Either, 0.0, 1.0),
            "starting on the surface is no crossing"
        );
    }
}
