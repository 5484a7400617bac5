//! Where a force jumps or bends, a velocity bends: between two looks no polynomial through the places on both sides is the
//! motion there. Those through the places on one side each are: they meet where it bends.
//!
//! Bends are sought where polynomials do not follow, and where a fourth difference stands out. Beside them polynomials go
//! through places of one side only, so that few looks around a bend are enough.

use super::closer::{NODES, first_around};
use super::path::{Allowed, Path, divided, newton};
use appell_flow::root::bisect;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::ops::Range;

/// Polynomials of both sides differ by no more than so many times what is allowed where they meet.
const MEETS: f64 = 4.0;
/// So near to a place, as a part of the interval, they meet at it.
const BESIDE: f64 = 1e-6;
/// A fourth difference stands out that is so many times what is allowed for a velocity, and so many times one of those that
/// are `FAR` places away.
const OUTSTANDING: f64 = 8.0;
const FAR: usize = 5;
/// In a longer run of intervals the motion is fast, and no force jumps.
const LONGEST: usize = 2 * NODES;
/// Places of one side.
const OF_A_SIDE: usize = NODES / 2;
/// Their values and velocities.
const TERMS_OF_A_SIDE: usize = 2 * OF_A_SIDE;

/// Where a motion bends, and whether it is followed otherwise.
pub(crate) struct Bends {
    /// In the order of the motion.
    bends: Vec<Bend>,
    /// Whether polynomials tell what is between the places.
    pub is_followed: bool,
}

/// A bend.
#[derive(Debug, Clone)]
pub(super) struct Bend {
    /// The place before it.
    pub place: usize,
    /// When each coordinate bends; none where it does not.
    pub times: Vec<Option<Meeting>>,
}

/// Where the polynomials of both sides meet, with the same velocity: where that jumped, as at a stiff wall, more happened than
/// the places tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    pub t: f64,
    /// Whether it is a place of the motion: both sides go through those, and meet there also where nothing bends.
    is_at_place: bool,
    /// By how much they differ there, in what is allowed.
    off: f64,
}

impl Meeting {
    /// One between places comes first, then the closer one.
    fn order(&self, other: &Self) -> Ordering {
        let of_places = self.is_at_place.cmp(&other.is_at_place);
        of_places.then(self.off.total_cmp(&other.off))
    }
}

/// The polynomial through places on one side: their times, and Newton's terms.
#[derive(Debug, Clone, Default)]
pub(super) struct Side {
    nodes: Vec<f64>,
    terms: [f64; TERMS_OF_A_SIDE],
}

impl Side {
    /// Value and slope at a time.
    pub fn at(&self, t: f64) -> (f64, f64) {
        newton(&self.nodes, &self.terms[..2 * self.nodes.len()], 2, t)
    }
}

impl Bends {
    /// None, where nobody looks at the motion.
    pub fn none() -> Self {
        Self {
            bends: Vec::new(),
            is_followed: true,
        }
    }

    /// What bends in the interval behind a place.
    pub(super) fn behind(&self, place: usize) -> Option<&Bend> {
        let found = self.bends.binary_search_by_key(&place, |bend| bend.place);
        found.ok().map(|number| &self.bends[number])
    }

    /// The places, of so many, around the interval behind one between which nothing bends but perhaps there.
    pub(super) fn segment(&self, place: usize, all: usize) -> Range<usize> {
        let before = self.bends.partition_point(|bend| bend.place < place);
        let first = before
            .checked_sub(1)
            .map_or(0, |number| self.bends[number].place + 1);
        let after = self.bends[before..].iter().find(|bend| bend.place > place);
        first..after.map_or(all, |bend| bend.place + 1)
    }

    /// The times at which velocities bend, each with the place before it.
    pub fn times(&self) -> Vec<(usize, f64)> {
        let each = self.bends.iter().flat_map(|bend| {
            let times = bend.times.iter().flatten();
            times.map(|meeting| (bend.place, meeting.t))
        });
        each.collect()
    }
}

impl Path<'_> {
    /// Where the motion bends. What is smaller than `nothing` is not looked at.
    pub fn bends(&self, nothing: f64) -> Bends {
        let count = self.times.len();
        let mut found = Bends {
            bends: Vec::new(),
            is_followed: count < 2,
        };
        if count <= 2 * NODES {
            return found;
        }
        let allowed = self.allowed(nothing);
        let all = (0..count - 1).collect();
        let missed = self.missed(&allowed, all, &found);
        let mut suspects = [&missed[..], &self.suspects(&allowed)].concat();
        suspects.sort_unstable();
        suspects.dedup();
        let mut open = runs(&suspects);
        open.retain(|run| run.len() <= LONGEST);
        while let Some(run) = open.pop() {
            let bends = run.iter().filter_map(|k| self.bend(*k, &allowed, &found));
            let worst = |bend: &Bend| bend.times.iter().flatten().copied().max_by(Meeting::order);
            let worst = bends.filter_map(|bend| Some((worst(&bend)?, bend)));
            let Some((_, best)) = worst.min_by(|(a, _), (b, _)| a.order(b)) else {
                continue;
            };
            let place = best.place;
            let at = found.bends.partition_point(|bend| bend.place < place);
            found.bends.insert(at, best);
            let rest: Vec<usize> = run.into_iter().filter(|k| *k != place).collect();
            open.extend(runs(&rest));
        }
        let rest = (0..count - 1).filter(|k| found.behind(*k).is_none());
        let left = match found.bends.is_empty() {
            true => missed,
            false => self.missed(&allowed, rest.collect(), &found),
        };
        found.is_followed = left.is_empty();
        found
    }

    /// The intervals, of some, in which polynomials do not follow.
    fn missed(&self, allowed: &[Allowed], among: Vec<usize>, bends: &Bends) -> Vec<usize> {
        let mut known = Default::default();
        let mut is_missed = |k: &usize| {
            let mut coordinates = 0..allowed.len();
            coordinates.any(|i| self.is_missed(*k, i, allowed, (&mut known, bends)))
        };
        among.into_iter().filter(|k| is_missed(k)).collect()
    }

    /// The intervals around places at which the fourth difference of a velocity stands out: polynomials of two lengths may agree
    /// where a force jumps a little.
    fn suspects(&self, allowed: &[Allowed]) -> Vec<usize> {
        let count = self.times.len();
        let mut found = Vec::new();
        for (i, allowed) in allowed.iter().enumerate() {
            let rate = |k: usize| self.value(k, i + self.n / 2);
            let fourth = |k: usize| {
                let sides = rate(k - 2) + rate(k + 2) - 4.0 * (rate(k - 1) + rate(k + 1));
                (sides + 6.0 * rate(k)).abs()
            };
            let all: Vec<f64> = (2..count - 2).map(fourth).collect();
            for (number, size) in all.iter().enumerate() {
                let beside = [number.checked_sub(FAR), Some(number + FAR)];
                let beside = beside
                    .into_iter()
                    .flatten()
                    .filter_map(|other| all.get(other));
                let usual = beside.copied().fold(f64::INFINITY, f64::min);
                if *size > OUTSTANDING * allowed.rate.max(usual) {
                    found.extend(number..(number + 4).min(count - 1));
                }
            }
        }
        found
    }

    /// The bend behind a place, if there is one.
    fn bend(&self, k: usize, allowed: &[Allowed], bends: &Bends) -> Option<Bend> {
        let mut known = Default::default();
        let times = allowed.iter().enumerate().map(|(i, each)| {
            let sides = self.sides(k, i, bends);
            if sides.iter().any(|side| side.nodes.len() < OF_A_SIDE) {
                return None;
            }
            let misses = self.misses(k, i, &sides) > OUTSTANDING * each.rate;
            if !misses && !self.is_missed(k, i, allowed, (&mut known, bends)) {
                return Some(None);
            }
            let allowed = self.allowed_behind(k, i, each);
            self.meeting(k, &sides, &allowed).map(Some)
        });
        let times: Option<Vec<Option<Meeting>>> = times.collect();
        let times = times.filter(|times| times.iter().any(Option::is_some))?;
        Some(Bend { place: k, times })
    }

    /// By how much the polynomials of both sides miss the velocity on the other side of an interval.
    fn misses(&self, k: usize, i: usize, [left, right]: &[Side; 2]) -> f64 {
        let rate = i + self.n / 2;
        let off = |side: &Side, k: usize| (side.at(self.times[k]).1 - self.value(k, rate)).abs();
        off(left, k + 1).max(off(right, k))
    }

    /// The polynomials of a coordinate through the places on either side of an interval.
    pub(super) fn sides(&self, k: usize, i: usize, bends: &Bends) -> [Side; 2] {
        let segment = bends.segment(k, self.times.len());
        let before: Vec<usize> = (segment.start..k + 1).rev().take(OF_A_SIDE).collect();
        let after: Vec<usize> = (k + 1..segment.end).take(OF_A_SIDE).collect();
        [before, after].map(|places| {
            let column = |index: usize| places.iter().map(move |place| self.value(*place, index));
            let values: Vec<f64> = column(i).collect();
            let rates: Vec<f64> = column(i + self.n / 2).collect();
            let nodes: Vec<f64> = places.iter().map(|place| self.times[*place]).collect();
            let terms = divided(&nodes, &values, Some(&rates));
            Side { nodes, terms }
        })
    }

    /// Where both sides meet behind a place: as a force jumps there, or as it bends.
    fn meeting(&self, k: usize, [left, right]: &[Side; 2], allowed: &Allowed) -> Option<Meeting> {
        let (a, b) = (self.times[k], self.times[k + 1]);
        let apart = |t: f64| {
            let ((q, v), (other, rate)) = (left.at(t), right.at(t));
            (q - other, v - rate)
        };
        let small = 1e-3 * (b - a);
        let accelerations = |t: f64| apart(t + small).1 - apart(t - small).1;
        let roots = [root(a, b, &|t| apart(t).1), root(a, b, &accelerations)];
        let meetings = roots.into_iter().flatten().map(|t| {
            let (q, v) = apart(t);
            let off = (q.abs() / allowed.value).max(v.abs() / allowed.rate);
            let is_at_place = (t - a).abs().min((b - t).abs()) <= BESIDE * (b - a).abs();
            Meeting {
                t,
                is_at_place,
                off,
            }
        });
        let close = meetings.filter(|meeting| meeting.off <= MEETS);
        close.min_by(Meeting::order)
    }
}

/// Where a function changes its sign between two times; none where it has the same at both.
fn root(a: f64, b: f64, f: &dyn Fn(f64) -> f64) -> Option<f64> {
    let first = f(a) > 0.0;
    let changed = |t: f64| Ok::<_, Infallible>((f(t) > 0.0) != first);
    let Ok(t) = bisect(a, b, changed);
    ((f(b) > 0.0) != first).then_some(t)
}

/// Numbers that follow each other, together.
fn runs(numbers: &[usize]) -> Vec<Vec<usize>> {
    let follows = |a: &usize, b: &usize| a + 1 == *b;
    numbers.chunk_by(follows).map(<[usize]>::to_vec).collect()
}

/// The first of the places around the interval behind place `k`, all of a segment.
pub(super) fn first_within(k: usize, segment: &Range<usize>) -> (usize, usize) {
    let count = NODES.min(segment.len());
    let first = first_around(k - segment.start, count, segment.len());
    (segment.start + first, count)
}
