//! Where eigenvalues cross the imaginary axis as a parameter grows.

/// `(re, im)`.
pub(super) type Complex = (f64, f64);

/// A parameter with its eigenvalues.
pub(super) type Point = (f64, Vec<Complex>);

/// Eigenvalues that depend on a parameter; none where they have no value.
pub(super) type Family<'f> = dyn FnMut(f64) -> Option<Vec<Complex>> + 'f;

/// What was found along a parameter.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    /// What crosses the axis.
    pub found: Vec<AxisCrossing>,
    /// Between which values other numbers of eigenvalues lie to the right of the axis and none are known on the way.
    pub unlocated: Vec<[f64; 2]>,
}

/// One eigenvalue, or a pair, that crosses the axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AxisCrossing {
    /// The parameter.
    pub value: f64,
    /// The imaginary part there, not negative.
    pub frequency: f64,
    /// Whether the real part becomes positive as the parameter grows.
    pub rises: bool,
    /// Whether it passes from one sign to the other; else it leaves the axis, or comes to stay there.
    pub passes: bool,
    /// How many eigenvalues have a positive real part below and above.
    pub unstable: (usize, usize),
}

/// Real parts within this part of their eigenvalue are zero, the noise of neutral pairs; or within that of the largest.
const NEUTRAL: f64 = 1e-9;
const NOISE: f64 = 1e-12;
/// Imaginary parts within this part of the largest eigenvalue are zero.
const REAL: f64 = 1e-7;
/// Brackets of this part of the whole range are narrow enough to follow an eigenvalue through zero.
const NEAR: f64 = 1e-8;
/// Intervals are halved as many times where two eigenvalues seem to cross against each other, or may be mistaken for
/// each other.
const DEPTH: usize = 8;
/// A bracket is halved to the last digit by so many halvings.
const HALVINGS: usize = 52;
/// A bracket is divided at the first of these parts where there are eigenvalues.
const PARTS: [f64; 5] = [0.5, 0.382, 0.618, 0.146, 0.854];
/// The range is looked at in at least so many intervals: two eigenvalues may exchange their places within one.
const INTERVALS: usize = 256;
/// An eigenvalue is followed where it moves by less than this part of its distance from the others.
const FOLLOWED: f64 = 0.5;

/// The crossings between the first and the last point of an ascending grid.
///
/// Between two points at which different numbers of eigenvalues lie to the right of the axis, or on
/// different sides of it along a branch, the parameter is found by halving. A real part that passes through zero is
/// then followed to its zero; one that leaves the axis, as where two imaginary eigenvalues meet, changes like a
/// square root and is found as sharply. What leaves the axis and returns within one interval is missed.
pub(super) fn crossings(grid: &[Point], family: &mut Family<'_>) -> Crossings {
    let sizes = grid
        .iter()
        .flat_map(|(_, values)| values)
        .map(|x| x.0.hypot(x.1));
    let size = sizes.fold(0.0, f64::max);
    let mut search = Search {
        family,
        range: match grid {
            [first, .., last] => last.0 - first.0,
            _ => 0.0,
        },
        noise: NOISE * size,
        real: REAL * size,
        least: INTERVALS
            .div_ceil(grid.len().max(2) - 1)
            .next_power_of_two()
            .ilog2() as usize,
        all: Crossings::default(),
    };
    for pair in grid.windows(2) {
        if pair[0].1.len() == pair[1].1.len() {
            search.between(&pair[0], &pair[1], 0);
        }
    }
    search.all
}

struct Search<'s, 'f> {
    family: &'s mut Family<'f>,
    range: f64,
    noise: f64,
    real: f64,
    /// How often each interval of the grid is halved at least.
    least: usize,
    all: Crossings,
}

impl Search<'_, '_> {
    fn unstable(&self, values: &[Complex]) -> usize {
        values.iter().filter(|x| self.side(**x) > 0).count()
    }

    fn neutral(&self, x: Complex) -> f64 {
        NEUTRAL * x.0.hypot(x.1) + self.noise
    }

    /// -1, 0 or 1.
    fn side(&self, x: Complex) -> i8 {
        let neutral = self.neutral(x);
        i8::from(x.0 > neutral) - i8::from(x.0 < -neutral)
    }

    fn at(&mut self, value: f64) -> Option<Point> {
        Some((value, (self.family)(value)?))
    }

    /// The eigenvalues between two parameters, as many as there are at these: in the middle, or elsewhere if there are none.
    fn within(&mut self, low: &Point, high: &Point) -> Option<Point> {
        PARTS.into_iter().find_map(|part| {
            let value = low.0 + part * (high.0 - low.0);
            let found = self.at(value).filter(|_| low.0 < value && value < high.0)?;
            (found.1.len() == low.1.len()).then_some(found)
        })
    }

    fn between(&mut self, low: &Point, high: &Point, depth: usize) {
        let sides = |s: &Self| (s.unstable(&low.1), s.unstable(&high.1));
        let (below, above) = sides(self);
        if below == above {
            let order = matching(&low.1, &high.1);
            let pairs = low.1.iter().zip(&order).map(|(x, j)| (*x, high.1[*j]));
            let pairs: Vec<(Complex, Complex)> = pairs.collect();
            // One that stands on the axis at one end may have crossed it and come back near there.
            let leaves = |(x, y): &(Complex, Complex)| (self.side(*x) == 0) != (self.side(*y) == 0);
            let is_left = pairs.iter().any(leaves);
            let crosses = |(x, y): &(Complex, Complex)| self.side(*x) * self.side(*y) < 0;
            let crossed: Vec<(Complex, Complex)> = pairs.into_iter().filter(crosses).collect();
            let is_sure = depth >= self.least && crossed.is_empty() && !is_left;
            if depth < DEPTH && !(is_sure && are_followed(&low.1, &high.1, &order)) {
                return self.split(low, high, depth);
            }
            let real = self.real;
            for (x, y) in crossed.into_iter().filter(|(x, _)| x.1 >= -real) {
                self.pass((low.0, x), (high.0, y), (below, above));
            }
            return;
        }
        let bracket = (low.clone(), high.clone());
        let Some((low, high)) = self.halved(bracket, NEAR, (below, above), depth) else {
            return;
        };
        if self.record(&low, &high, (below, above), true) {
            return;
        }
        if let Some((low, high)) = self.halved((low, high), 0.0, (below, above), depth) {
            self.record(&low, &high, (below, above), false);
        }
    }

    /// The bracket of a change in the number of unstable eigenvalues, not wider than `width` of the
    /// whole range; none if it breaks up into several, which are then looked at one by one, or if there are no
    /// eigenvalues within, which is noted.
    fn halved(
        &mut self,
        (mut low, mut high): (Point, Point),
        width: f64,
        (below, above): (usize, usize),
        depth: usize,
    ) -> Option<(Point, Point)> {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low.0 + high.0);
            let narrow = high.0 - low.0 <= width * self.range;
            if narrow || middle <= low.0 || middle >= high.0 {
                break;
            }
            let Some(middle) = self.within(&low, &high) else {
                self.all.unlocated.push([low.0, high.0]);
                return None;
            };
            match self.unstable(&middle.1) {
                count if count == below => low = middle,
                count if count == above => high = middle,
                _ => {
                    self.between(&low, &middle, depth);
                    self.between(&middle, &high, depth);
                    return None;
                }
            }
        }
        Some((low, high))
    }

    /// Notes an eigenvalue that changes sides between two parameters at which as many are unstable: another does against it.
    fn pass(&mut self, low: (f64, Complex), high: (f64, Complex), unstable: (usize, usize)) {
        let rises = high.1.0 > low.1.0;
        let frequency = if rises { high.1.1 } else { low.1.1 };
        let Some(value) = self.zero(low, high) else {
            return;
        };
        self.all.found.push(AxisCrossing {
            value,
            frequency: if frequency <= self.real {
                0.0
            } else {
                frequency
            },
            rises,
            passes: true,
            unstable,
        });
    }

    fn split(&mut self, low: &Point, high: &Point, depth: usize) {
        if let Some(middle) = self.within(low, high) {
            self.between(low, &middle, depth + 1);
            self.between(&middle, high, depth + 1);
        }
    }

    /// Notes the eigenvalues that change sides between two neighbouring parameters, each pair once;
    /// false, and nothing noted, if `passing` and one of them does not pass from one sign to the other.
    fn record(
        &mut self,
        low: &Point,
        high: &Point,
        unstable: (usize, usize),
        passing: bool,
    ) -> bool {
        let order = matching(&low.1, &high.1);
        let is_unstable = |x: Complex| self.side(x) > 0;
        let crossed = low.1.iter().zip(&order).map(|(x, j)| (*x, high.1[*j]));
        let crossed = crossed.filter(|(x, y)| is_unstable(*x) != is_unstable(*y));
        // Of each that which is on the right of the axis, and whether it came there.
        let crossed = crossed.map(|(x, y)| {
            if is_unstable(y) {
                (y, true)
            } else {
                (x, false)
            }
        });
        let crossed: Vec<(Complex, bool)> = crossed.filter(|(x, _)| x.1 >= -self.real).collect();
        let mut found = Vec::new();
        for (eigenvalue, rises) in crossed {
            let passage = self.passage(high.0, eigenvalue);
            if passing && passage.is_none() {
                return false;
            }
            found.push(AxisCrossing {
                value: passage.unwrap_or(if rises { high.0 } else { low.0 }),
                frequency: if eigenvalue.1 <= self.real {
                    0.0
                } else {
                    eigenvalue.1
                },
                rises,
                passes: passage.is_some(),
                unstable,
            });
        }
        self.all.found.append(&mut found);
        true
    }

    /// The zero of the real part near a parameter, if it passes from one sign to the other there.
    fn passage(&mut self, value: f64, eigenvalue: Complex) -> Option<f64> {
        let scale = self.range;
        for width in [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let (low, high) = (value - width * scale, value + width * scale);
            let low = (low, nearest(&self.at(low)?.1, eigenvalue)?);
            let high = (high, nearest(&self.at(high)?.1, eigenvalue)?);
            let neutral = self.neutral(low.1).max(self.neutral(high.1));
            let clear = low.1.0.abs().min(high.1.0.abs()) > 10.0 * neutral;
            if clear && low.1.0 * high.1.0 < 0.0 {
                return self.zero(low, high);
            }
        }
        None
    }

    /// The zero of a real part between two of different signs, by false position; the weight of an end
    /// that stays is halved (the Illinois method).
    fn zero(&mut self, first: (f64, Complex), second: (f64, Complex)) -> Option<f64> {
        let (mut old, mut new) = (first, second);
        let mut weight = old.1.0;
        for _ in 0..HALVINGS {
            let (a, b) = (weight, new.1.0);
            let place = new.0 - b * (new.0 - old.0) / (b - a);
            if place <= old.0.min(new.0) || place >= old.0.max(new.0) {
                break;
            }
            let part = (place - old.0) / (new.0 - old.0);
            let mixed = |x: f64, y: f64| x + part * (y - x);
            let guess = (mixed(old.1.0, new.1.0), mixed(old.1.1, new.1.1));
            let there = (place, nearest(&self.at(place)?.1, guess)?);
            if there.1.0 == 0.0 {
                return Some(place);
            }
            if there.1.0 * b < 0.0 {
                (old, weight) = (new, b);
            } else {
                weight *= 0.5;
            }
            new = there;
        }
        Some(new.0)
    }
}

fn distance(x: Complex, y: Complex) -> f64 {
    (x.0 - y.0).hypot(x.1 - y.1)
}

/// Whether each eigenvalue has moved by less than a part of its distance from the others, at either end.
fn are_followed(from: &[Complex], to: &[Complex], order: &[usize]) -> bool {
    let apart = |values: &[Complex], place: usize| {
        let others = values.iter().enumerate().filter(|(i, _)| *i != place);
        let distances = others.map(|(_, x)| distance(*x, values[place]));
        distances.fold(f64::INFINITY, f64::min)
    };
    order.iter().enumerate().all(|(i, j)| {
        let way = distance(from[i], to[*j]);
        way <= FOLLOWED * apart(from, i).min(apart(to, *j))
    })
}

fn nearest(values: &[Complex], x: Complex) -> Option<Complex> {
    let by_distance = |a: &&Complex, b: &&Complex| distance(**a, x).total_cmp(&distance(**b, x));
    values.iter().min_by(by_distance).copied()
}

/// For each eigenvalue its successor: the nearest pairs first.
pub(super) fn matching(from: &[Complex], to: &[Complex]) -> Vec<usize> {
    let mut pairs: Vec<(f64, usize, usize)> = from
        .iter()
        .enumerate()
        .flat_map(|(i, x)| {
            to.iter()
                .enumerate()
                .map(move |(j, y)| (distance(*x, *y), i, j))
        })
        .collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut order = vec![usize::MAX; from.len()];
    let mut taken = vec![false; to.len()];
    for (_, i, j) in pairs {
        if order[i] == usize::MAX && !taken[j] {
            (order[i], taken[j]) = (j, true);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crossings on a grid of `count` intervals.
    fn found(
        (from, to, count): (f64, f64, usize),
        family: impl Fn(f64) -> Vec<Complex>,
    ) -> Vec<AxisCrossing> {
        let value = |i: usize| from + (to - from) * i as f64 / count as f64;
        let grid: Vec<_> = (0..=count).map(|i| (value(i), family(value(i)))).collect();
        crossings(&grid, &mut |value| Some(family(value))).found
    }

    fn values(found: &[AxisCrossing]) -> Vec<(f64, f64, bool)> {
        found
            .iter()
            .map(|x| (x.value, x.frequency, x.rises))
            .collect()
    }

    fn root(square: f64) -> [Complex; 2] {
        let length = square.abs().sqrt();
        match square < 0.0 {
            true => [(0.0, -length), (0.0, length)],
            false => [(-length, 0.0), (length, 0.0)],
        }
    }

    #[test]
    fn real_eigenvalues_and_pairs_are_found_to_the_last_digits() {
        let third = 1.0 / 3.0;
        let family = |p: f64| {
            vec![
                (p - third, 0.0),
                (0.7 - p, 2.0),
                (0.7 - p, -2.0),
                (-9.0, 0.0),
            ]
        };
        let all = values(&found((0.0, 1.0, 10), family));
        assert_eq!(all.len(), 2, "{all:?}");
        assert!((all[0].0 - third).abs() < 1e-15 && all[0].2 && all[0].1 == 0.0);
        assert!((all[1].0 - 0.7).abs() < 1e-15 && !all[1].2 && (all[1].1 - 2.0).abs() < 1e-9);
    }

    #[test]
    fn crossings_on_the_grid_are_found_once() {
        for count in [2, 4, 10] {
            let all = values(&found((0.0, 1.0, count), |p| {
                vec![(p - 0.5, 0.0), (-1.0, 0.0)]
            }));
            assert_eq!(all.len(), 1, "{all:?}");
            assert!((all[0].0 - 0.5).abs() < 1e-15);
        }
    }

    /// A pair on the axis at a place of the grid that returns to it soon after.
    #[test]
    fn what_returns_beside_the_grid_is_found() {
        for (beside, count) in [(1.01, 20), (1.002, 20), (1.0005, 40)] {
            let pair = |p: f64| {
                let real = -(p - 1.0) * (p - beside);
                vec![(real, 1.0), (real, -1.0)]
            };
            let all = values(&found((0.0, 2.0, count), pair));
            assert_eq!(all.len(), 2, "{beside}: {all:?}");
            assert!((all[0].0 - 1.0).abs() < 1e-9 && all[0].2, "{all:?}");
            assert!((all[1].0 - beside).abs() < 1e-9 && !all[1].2, "{all:?}");
        }
        let touches = |p: f64| vec![(-(p - 1.0).powi(2), 1.0), (-(p - 1.0).powi(2), -1.0)];
        assert_eq!(found((0.0, 2.0, 20), touches), []);
    }

    #[test]
    fn neutral_eigenvalues_do_not_cross() {
        let noise = |p: f64| 1e-16 * (1e5 * p).sin();
        let family = |p: f64| vec![(noise(p), 1.0), (noise(p), -1.0), (-1.0 - p, 0.0)];
        assert_eq!(found((0.0, 1.0, 50), family), []);
    }

    #[test]
    fn an_eigenvalue_that_leaves_the_axis_is_found() {
        let all = values(&found((0.0, 1.0, 7), |p| root(p - 0.3).to_vec()));
        assert_eq!(all.len(), 1);
        assert!(
            (all[0].0 - 0.3).abs() < 1e-14 && all[0].2 && all[0].1 == 0.0,
            "{all:?}"
        );
        let all = values(&found((0.0, 1.0, 7), |p| root(0.3 - p).to_vec()));
        assert!((all[0].0 - 0.3).abs() < 1e-14 && !all[0].2, "{all:?}");
    }

    #[test]
    fn opposite_crossings_in_one_interval_are_told_apart() {
        let family = |p: f64| vec![(p - 0.41, 0.0), (0.43 - p, 5.0), (0.43 - p, -5.0)];
        let all = values(&found((0.0, 1.0, 2), family));
        assert_eq!(all.iter().map(|x| x.2).collect::<Vec<_>>(), [true, false]);
        assert!((all[0].0 - 0.41).abs() < 1e-14 && (all[1].0 - 0.43).abs() < 1e-14);
        // What returns between two points of the grid is seen where it stays for 1/256 of the range.
        let all = values(&found((0.0, 1.0, 1), |p| {
            vec![(0.01 - (p - 0.5).powi(2), 0.0)]
        }));
        assert_eq!(
            all.iter().map(|x| x.2).collect::<Vec<_>>(),
            [true, false],
            "{all:?}"
        );
        assert!((all[0].0 - 0.4).abs() < 1e-12 && (all[1].0 - 0.6).abs() < 1e-12);
    }

    /// A pair and a real eigenvalue cross against each other at one parameter; two pairs do; on any grid.
    #[test]
    fn crossings_at_one_parameter_are_told_apart() {
        let decay = |p: f64| 0.5 * (-1.0 + (1.0 - 4.0 * (p - 0.4)).max(0.0).sqrt());
        for count in [3, 10, 100] {
            let family = |p: f64| {
                let grows = 0.5 * (p - 0.4);
                vec![
                    (grows, 1.0),
                    (grows, -1.0),
                    (decay(p), 0.0),
                    (-1.0 - decay(p), 0.0),
                ]
            };
            let mut all = values(&found((0.0, 0.6, count), family));
            all.sort_by(|a, b| a.1.total_cmp(&b.1));
            let wanted = [(0.0, false), (1.0, true)];
            assert_eq!(all.len(), 2, "{count}: {all:?}");
            for (found, (frequency, rises)) in all.iter().zip(wanted) {
                assert!((found.0 - 0.4).abs() < 1e-9, "{count}: {all:?}");
                assert!(
                    (found.1 - frequency).abs() < 1e-6 && found.2 == rises,
                    "{all:?}"
                );
            }
            let pairs = |p: f64| {
                let (x, y, root) = (0.5 * (p - 0.4), 0.4 - p, 2f64.sqrt());
                vec![(x, 1.0), (x, -1.0), (y, root), (y, -root)]
            };
            let all = values(&found((0.0, 0.9, count), pairs));
            assert_eq!(all.len(), 2, "{count}: {all:?}");
            assert!(
                all.iter().all(|x| (x.0 - 0.4).abs() < 1e-12),
                "{count}: {all:?}"
            );
            // One appears before the other has vanished.
            let real = |p: f64| [root(p - 0.41), root(0.45 - p)].concat();
            let all = values(&found((0.0, 0.9, count), real));
            let places: Vec<f64> = all.iter().map(|x| x.0).collect();
            assert!(
                places.iter().any(|x| (x - 0.41).abs() < 1e-9),
                "{count}: {all:?}"
            );
            assert!(
                places.iter().any(|x| (x - 0.45).abs() < 1e-9),
                "{count}: {all:?}"
            );
        }
    }

    /// A slow pair beside a fast one.
    #[test]
    fn stiffness_hides_no_crossing() {
        let family = |p: f64| {
            let slow = 5e-4 * (p - 0.4);
            vec![(-0.5, 1e5), (-0.5, -1e5), (slow, 1.0), (slow, -1.0)]
        };
        let all = values(&found((0.0, 1.0, 4), family));
        assert_eq!(all.len(), 1, "{all:?}");
        assert!((all[0].0 - 0.4).abs() < 1e-9 && all[0].2, "{all:?}");
    }

    #[test]
    fn a_change_of_stability_within_a_gap_is_told() {
        let grid = [(0.0, vec![(-1.0, 0.0)]), (1.0, vec![(1.0, 0.0)])];
        let all = crossings(&grid, &mut |_| None);
        assert_eq!((all.found, all.unlocated), (vec![], vec![[0.0, 1.0]]));
    }

    /// The first value that is looked at has no eigenvalues, and the crossing is beside it.
    #[test]
    fn a_gap_hides_no_crossing() {
        let family = |p: f64| (p != 1.0).then(|| vec![(0.7 - p, 0.0)]);
        let grid = [0.0, 2.0].map(|p| (p, family(p).expect("a value")));
        let all = crossings(&grid, &mut |p| family(p));
        assert_eq!(all.unlocated, [] as [[f64; 2]; 0]);
        assert_eq!(all.found.len(), 1);
        assert!((all.found[0].value - 0.7).abs() < 1e-12);
    }
}
