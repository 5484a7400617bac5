//! Rows that determine unknowns by roots: one after the other, or two at once by elimination.

use super::arithmetic::{Modulus, Random};
use super::root::{
    Polynomial, greatest_common_divisor, interpolate, random_root, resultant, splitting, squarefree,
};

/// Polynomials of higher degree are not asked how they factor.
const MAX_SPLIT: usize = 8;

/// How a polynomial that a draw has met splits modulo its prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    /// The number of its roots in an algebraic closure.
    pub degree: usize,
    /// Bit d is set if some of its factors have degree d together. All bits where this is not
    /// known.
    pub sums: u64,
}

/// What a draw has met, row by row.
pub(crate) type Met = Vec<Split>;

/// What all draws have met in one place: specialisations of one polynomial over a field of
/// rational functions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sheets {
    degree: usize,
    sums: u64,
}

impl Sheets {
    /// The number of sheets, at least 1.
    pub fn count(self) -> usize {
        self.degree.max(1)
    }

    /// Takes account of another specialisation; one whose degree has dropped says nothing.
    pub fn note(&mut self, split: Split) {
        if split.degree > self.degree {
            (self.degree, self.sums) = (split.degree, split.sums);
        } else if split.degree == self.degree {
            self.sums &= split.sums;
        }
    }

    /// Whether the sheets are certainly one surface. A factor of degree d would leave in every
    /// specialisation factors that have degree d together.
    pub fn are_one(self) -> bool {
        (1..self.degree).all(|d| self.sums >> d & 1 == 0)
    }
}

/// A root drawn among those of the polynomial, each counted once; notes how it splits.
pub(crate) fn drawn_root(
    f: Modulus,
    random: &mut Random,
    polynomial: &Polynomial,
    met: &mut Met,
) -> Option<u64> {
    let simple = squarefree(f, polynomial)?;
    let degree = simple.len() - 1;
    let sums = match degree {
        0 | 1 => 1,
        2..=MAX_SPLIT => splitting(f, &simple)?,
        _ => u64::MAX,
    };
    met.push(Split { degree, sums });
    random_root(f, random, &simple)
}

/// A common root `(x, y)` of two polynomials that are given by their values: `y` is a root of
/// their resultant by `x`, `x` a root of what they have in common there.
pub(crate) fn common_root(
    f: Modulus,
    random: &mut Random,
    met: &mut Met,
    mut value: impl FnMut(usize, u64, u64) -> Option<u64>,
) -> Option<(u64, u64)> {
    let mut inner = Random(random.next());
    let mut at = |y: u64| -> Option<[Polynomial; 2]> {
        let first = interpolate(f, &mut inner, |x| value(0, x, y))?;
        let second = interpolate(f, &mut inner, |x| value(1, x, y))?;
        Some([first, second])
    };
    let degrees = at(random.below(f.p))?.map(|p| p.len());
    let eliminant = interpolate(f, random, |y| {
        let both = at(y)?;
        // A leading coefficient that vanishes by chance.
        let regular = both.each_ref().map(Vec::len) == degrees;
        regular.then(|| resultant(f, &both[0], &both[1]))?
    })?;
    let y = drawn_root(f, random, &eliminant, met)?;
    let [first, second] = at(y)?;
    let common = greatest_common_divisor(f, &first, &second)?;
    let x = drawn_root(f, random, &common, met)?;
    Some((x, y))
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::random_prime;
    use super::*;

    #[test]
    fn two_conics_meet_in_four_points() {
        let mut random = Random(23);
        let f = random_prime(&mut random, 4);
        let c: Vec<u64> = (0..6).map(|_| random.below(f.p)).collect();
        let square = |x| f.times(x, x);
        let value = |i: usize, x: u64, y: u64| {
            let quadratic = f.plus(square(x), f.times(c[3 * i], square(y)));
            let mixed = f.times(c[3 * i + 1], f.times(x, y));
            f.plus(f.plus(quadratic, mixed), f.plus(c[3 * i + 2], y))
        };
        let (mut found, mut met) = (Vec::new(), Met::new());
        for _ in 0..60 {
            found.extend(common_root(f, &mut random, &mut met, |i, x, y| {
                Some(value(i, x, y))
            }));
        }
        assert!(
            found
                .iter()
                .all(|(x, y)| value(0, *x, *y) == 0 && value(1, *x, *y) == 0)
        );
        assert!(met.iter().any(|split| split.degree == 4));
        assert!(met.iter().all(|split| [1, 4].contains(&split.degree)));
        // x^2 + y^2 = 13, x^2 - y^2 = 5: all four points, y first, then both signs of x.
        let circle = |i: usize, x: u64, y: u64| {
            let sign = if i == 0 {
                square(y)
            } else {
                f.negate(square(y))
            };
            Some(f.minus(f.plus(square(x), sign), [13, 5][i]))
        };
        let mut met = Met::new();
        let mut found: Vec<(u64, u64)> = (0..60)
            .filter_map(|_| common_root(f, &mut random, &mut met, circle))
            .collect();
        found.sort_unstable();
        found.dedup();
        let (three, two) = (f.negate(3), f.negate(2));
        let mut all = [(3, 2), (3, two), (three, 2), (three, two)];
        all.sort_unstable();
        assert_eq!(found, all);
        assert!(met.iter().all(|split| split.degree == 2));
    }

    #[test]
    fn rows_with_a_common_factor_or_without_a_common_root_give_nothing() {
        let mut random = Random(29);
        let f = random_prime(&mut random, 4);
        let product = |i: usize, x: u64, y: u64| {
            let common = f.plus(f.times(x, y), 1);
            Some(f.times(common, f.plus(x, [y, f.times(2, y)][i])))
        };
        let parallel = |i: usize, x: u64, y: u64| Some(f.plus(f.plus(x, y), [0, 1][i]));
        let met = &mut Met::new();
        assert_eq!(common_root(f, &mut random, met, product), None);
        assert_eq!(common_root(f, &mut random, met, parallel), None);
    }

    #[test]
    fn sheets_are_one_only_if_no_factor_fits_all_that_was_met() {
        let of = |sums: &[u64]| {
            let mut sheets = Sheets::default();
            for sums in sums {
                sheets.note(Split {
                    degree: 4,
                    sums: *sums,
                });
            }
            sheets
        };
        assert!(of(&[0b10001]).are_one(), "irreducible of degree 4");
        assert!(!of(&[0b10101]).are_one(), "2 + 2 always");
        assert!(of(&[0b10101, 0b11011]).are_one(), "2 + 2 and 1 + 3");
        assert!(!of(&[0b11111]).are_one());
        let mut sheets = of(&[0b11111]);
        sheets.note(Split {
            degree: 3,
            sums: 0b1001,
        });
        assert!(!sheets.are_one(), "a degree that has dropped says nothing");
        assert_eq!(sheets.count(), 4);
        assert!(Sheets::default().are_one());
    }
}
