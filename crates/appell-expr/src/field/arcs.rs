//! Angles with a point on the circle that is given by algebra: what `asin`, `acos`, `atan` and
//! `atan2` are in a prime field.
//!
//! All are made of angles between `-pi/2` and `pi/2`, whose cosine is a root. Two or three such
//! angles have a sum below `3 pi/2`, so that a relation of their points, up to quarter turns, is
//! one of the angles: only where a half turn is left, a sign decides. An angle whose point is no such
//! sum of earlier ones is an independent unknown.

use super::prime::{Circle, InadmissibleDraw, PrimeField};
use crate::program::Numbers;

/// Multiples of this part of a turn are recognised: 3 degrees.
const PARTS: u64 = 120;
/// Sums of two are looked for among so many angles.
const MAX_PAIRS: usize = 16;

/// How many quarter turns lie between a point and a sum of others.
enum Gap {
    Quarters(i32),
    HalfTurn,
}

impl PrimeField {
    /// `asin x`.
    pub(super) fn arc_sine(&mut self, x: u64) -> Result<u64, InadmissibleDraw> {
        let f = self.f;
        let c = self.square_root(f.minus(1, f.times(x, x)))?;
        self.arc(Circle { s: x, c }, None)
    }

    /// `atan x`.
    pub(super) fn arc_tangent(&mut self, x: u64) -> Result<u64, InadmissibleDraw> {
        let f = self.f;
        let r = self.square_root(f.plus(1, f.times(x, x)))?;
        let c = f.inverse(r).ok_or(InadmissibleDraw)?;
        let known = self.angle_of_slope(x);
        let s = f.times(x, c);
        self.arc(Circle { s, c }, known)
    }

    /// `acos x = pi/2 - asin x`.
    pub(super) fn arc_cosine(&mut self, x: u64) -> Result<u64, InadmissibleDraw> {
        let asin = self.arc_sine(x)?;
        Ok(self.f.minus(self.quarter_turns(1), asin))
    }

    /// `atan2(y, x)`, 0 at the origin; else twice the angle of half the size, which lies between `-pi/2` and `pi/2`.
    pub(super) fn arc_of_point(&mut self, y: u64, x: u64) -> Result<u64, InadmissibleDraw> {
        let f = self.f;
        let r = self.square_root(f.plus(f.times(x, x), f.times(y, y)))?;
        if r == 0 {
            return Ok(0);
        }
        let scale = f.inverse(r).ok_or(InadmissibleDraw)?;
        let (s, c) = (f.times(y, scale), f.times(x, scale));
        let half = self.square_root(self.half(f.plus(1, c)))?;
        if half == 0 {
            // On the cut.
            return Ok(self.quarter_turns(2));
        }
        let over = f.inverse(f.plus(half, half)).ok_or(InadmissibleDraw)?;
        let known = self.angle_of_whole(y, x);
        let known = known.map(|angle| self.half(angle));
        let s = f.times(s, over);
        let angle = self.arc(Circle { s, c: half }, known)?;
        Ok(f.plus(angle, angle))
    }

    /// A part of a turn, with its point.
    fn part_of_turn(&mut self, parts: u64) -> (Circle, u64) {
        let pi = self.pi();
        let share = self.f.inverse(parts).unwrap_or_default();
        let angle = self.f.times(self.f.plus(pi, pi), share);
        (self.unit_turn(parts), angle)
    }

    /// The arcs that are known from the beginning.
    pub(super) fn begin_arcs(&mut self) {
        if self.functions.arcs.is_empty() {
            self.functions.arcs = [8, 6, 12].map(|part| self.part_of_turn(part)).to_vec();
        }
    }

    fn quarter_turns(&mut self, k: i32) -> u64 {
        let pi = self.pi();
        let quarter = self.half(pi);
        let size = self.f.times(quarter, u64::from(k.unsigned_abs()));
        if k < 0 { self.f.negate(size) } else { size }
    }

    /// The angle between `-pi/2` and `pi/2` of a point with a cosine that is a root; `known` by other means, if at
    /// all.
    fn arc(&mut self, point: Circle, known: Option<u64>) -> Result<u64, InadmissibleDraw> {
        if point.c == 0 {
            let sign = if point.s == 1 { 1 } else { -1 };
            return Ok(self.quarter_turns(sign));
        }
        if let Some(angle) = self.rational_arc(point) {
            return Ok(angle);
        }
        self.begin_arcs();
        let others = self.functions.arcs.clone();
        if let Some(angle) = self.related_arc(point, &others)? {
            return Ok(angle);
        }
        let angle = known.unwrap_or_else(|| self.element());
        self.functions.arcs.push((point, angle));
        Ok(angle)
    }

    /// A multiple of 3 degrees.
    fn rational_arc(&mut self, point: Circle) -> Option<u64> {
        let is_neutral = |x: Circle| x.s == 0 && x.c == 1;
        if !is_neutral(self.times(point, PARTS)) {
            return None;
        }
        let unit = self.unit_turn(PARTS);
        let quarter = PARTS / 4;
        let k = (0..quarter).find_map(|k| {
            let multiple = self.times(unit, k);
            [(multiple, 1), (self.reflected(multiple), -1)]
                .into_iter()
                .find(|(x, _)| *x == point)
                .map(|(_, sign)| (k, sign))
        });
        let (k, sign) = k?;
        let f = self.f;
        let part = f.times(f.times(f.plus(self.pi(), self.pi()), k), f.inverse(PARTS)?);
        Some(if sign < 0 { f.negate(part) } else { part })
    }

    /// An angle that is a sum of one or two others or half of another, up to quarter turns.
    fn related_arc(
        &mut self,
        point: Circle,
        known: &[(Circle, u64)],
    ) -> Result<Option<u64>, InadmissibleDraw> {
        let f = self.f;
        let double = self.joined(point, point);
        for (circle, angle) in known {
            for (signed, angle) in self.both_signs(*circle, *angle) {
                if let Some(Gap::Quarters(k)) = self.gap(point, signed) {
                    return Ok(Some(f.plus(angle, self.quarter_turns(k))));
                }
                let twice = match self.gap(double, signed) {
                    Some(Gap::Quarters(k)) => self.quarter_turns(k),
                    // The double is beyond a quarter turn, the other angle on the other side.
                    Some(Gap::HalfTurn) => self.half_turn(point.s, f.negate(signed.s))?,
                    None => continue,
                };
                return Ok(Some(self.half(f.plus(angle, twice))));
            }
        }
        let known = &known[..known.len().min(MAX_PAIRS)];
        for (i, first) in known.iter().enumerate() {
            for second in &known[i..] {
                if let Some(angle) = self.sum_of_two(point, *first, *second)? {
                    return Ok(Some(angle));
                }
            }
        }
        Ok(None)
    }

    fn sum_of_two(
        &mut self,
        point: Circle,
        first: (Circle, u64),
        second: (Circle, u64),
    ) -> Result<Option<u64>, InadmissibleDraw> {
        let f = self.f;
        for (signed, angle) in self.both_signs(first.0, first.1) {
            for (other, more) in self.both_signs(second.0, second.1) {
                let turn = match self.gap(point, self.joined(signed, other)) {
                    Some(Gap::Quarters(k)) => self.quarter_turns(k),
                    // The sum is beyond a quarter turn, on the side of both.
                    Some(Gap::HalfTurn) => f.negate(self.half_turn(signed.s, other.s)?),
                    None => continue,
                };
                return Ok(Some(f.plus(f.plus(angle, more), turn)));
            }
        }
        Ok(None)
    }

    /// `pi` with the sign of both sines, which real angles have in common here.
    fn half_turn(&mut self, s: u64, other: u64) -> Result<u64, InadmissibleDraw> {
        let (sign, second) = (self.sign(s), self.sign(other));
        if sign != second && second != 0 {
            return Err(InadmissibleDraw);
        }
        let pi = self.pi();
        Ok(self.f.times(sign, pi))
    }

    fn both_signs(&self, point: Circle, angle: u64) -> [(Circle, u64); 2] {
        [
            (point, angle),
            (self.reflected(point), self.f.negate(angle)),
        ]
    }

    fn reflected(&self, point: Circle) -> Circle {
        Circle {
            s: self.f.negate(point.s),
            ..point
        }
    }

    /// What is left between a point and another, if it is a multiple of a quarter turn.
    fn gap(&self, point: Circle, from: Circle) -> Option<Gap> {
        let rest = self.joined(point, self.reflected(from));
        let minus_one = self.f.negate(1);
        match (rest.s, rest.c) {
            (0, 1) => Some(Gap::Quarters(0)),
            (1, 0) => Some(Gap::Quarters(1)),
            (s, 0) if s == minus_one => Some(Gap::Quarters(-1)),
            (0, c) if c == minus_one => Some(Gap::HalfTurn),
            _ => None,
        }
    }
}
