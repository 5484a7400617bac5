//! Degrees as a number system: how large a numerator is after clearing denominators.
//!
//! Every value is `N / Prod f_i^e_i` with polynomials `N`, `f_i` in the unknowns of a draw and
//! integer coefficients. Counted are the degree of `N` and `log2` of the sum of the absolute
//! values of its coefficients; sums bring to the least common denominator, solves count by
//! Cramer's rule. A square root counts half the degree of its radicand: the norm that removes
//! it multiplies the final degree by 2, which is left to the reader of the result. Integers of
//! 128 bits that saturate: a degree beyond them proves nothing anyway.

use crate::function::Function;
use crate::num::Rational;
use crate::program::SolveKind;
use crate::program::{Numbers, SlotSolve};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::rc::Rc;

/// The size of a polynomial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Weight {
    pub degree: u128,
    pub bits: u128,
}

impl Weight {
    const fn new(degree: u128, bits: u128) -> Self {
        Self { degree, bits }
    }

    fn times(self, other: Self) -> Self {
        Self {
            degree: self.degree.saturating_add(other.degree),
            bits: self.bits.saturating_add(other.bits),
        }
    }

    fn power(self, e: u128) -> Self {
        Self {
            degree: self.degree.saturating_mul(e),
            bits: self.bits.saturating_mul(e),
        }
    }

    /// The larger of both, for sums.
    pub fn max(self, other: Self) -> Self {
        Self {
            degree: self.degree.max(other.degree),
            bits: self.bits.max(other.bits),
        }
    }

    fn doubled(self) -> Self {
        Self {
            bits: self.bits.saturating_add(1),
            ..self
        }
    }
}

/// Relations of logarithms that are looked for, and of angles: the square of these is more than
/// their number, times the degree of each, for every pair of values.
const LOGARITHM_CALLS: u128 = 512;
const ARC_CALLS: u128 = 32;

/// Exponents of denominators by their number.
type Denominator = BTreeMap<u32, u128>;

/// A rational function by its size.
#[derive(Debug, Clone)]
pub(crate) struct Size {
    id: u64,
    pub numerator: Weight,
    denominator: Rc<Denominator>,
}

/// Counts degrees.
#[derive(Debug)]
pub(crate) struct Degrees {
    /// Denominator 0 is the least common denominator of all numbers.
    denominators: Vec<Weight>,
    reciprocals: FxHashMap<u64, u32>,
    circles: FxHashMap<u64, u32>,
    next: u64,
    none: Rc<Denominator>,
    /// How many transcendental values there are: two arguments may coincide by chance.
    pub calls: u128,
}

impl Degrees {
    /// For programs whose numbers have this least common denominator, in bits.
    pub fn new(number_bits: u64) -> Self {
        Self {
            denominators: vec![Weight::new(0, number_bits.into())],
            reciprocals: FxHashMap::default(),
            circles: FxHashMap::default(),
            next: 0,
            none: Rc::default(),
            calls: 0,
        }
    }

    /// A random unknown.
    pub fn unknown(&mut self) -> Size {
        self.polynomial(Weight::new(1, 0))
    }

    /// A polynomial of this size.
    pub fn polynomial(&mut self, numerator: Weight) -> Size {
        let none = self.none.clone();
        self.size(numerator, none)
    }

    /// An algebraic unknown, a root of a polynomial with coefficients of this size.
    pub fn algebraic(&mut self, row: &Size) -> Size {
        let unit = Weight::new(1, 1);
        self.polynomial(row.numerator.times(unit))
    }

    /// A common root of polynomials, or a point that it names on a section: the resultant that
    /// removes all unknowns but one has the degree in the coefficients of each polynomial that the
    /// others have together [cox2005, ch. 3, (3.1)].
    pub fn algebraic_system(&mut self, rows: &[Size]) -> Size {
        let unit = Weight::new(1, 1);
        let rows: Vec<Weight> = rows.iter().map(|row| row.numerator.times(unit)).collect();
        let bezout = rows
            .iter()
            .fold(1u128, |all, row| all.saturating_mul(row.degree));
        let powers = rows.iter().map(|row| row.power(bezout / row.degree.max(1)));
        let product = powers.fold(Weight::default(), Weight::times);
        // Expanded, a determinant of so many rows as there are monomials: n! < 2^(n log n).
        let n = rows.iter().fold(1u128, |all, row| {
            all.saturating_mul(row.degree.saturating_add(1))
        });
        let terms = n.saturating_mul(u128::from(n.max(1).ilog2()) + 1);
        self.polynomial(product.times(Weight::new(1, terms.saturating_add(2))))
    }

    /// Rows `A u + b` of this width, solved for some of `u`, the others unknowns.
    pub fn affine_solution(&mut self, affine: &[Size], width: usize) -> Size {
        let mut determinant = Weight::default();
        for row in affine.chunks(width) {
            let common = Self::common(row.iter());
            let cleared = row.iter().map(|x| self.over(x, &common));
            let largest = cleared.fold(Weight::default(), Weight::max);
            let terms = Weight::new(0, u128::from(width.ilog2()) + 1);
            determinant = determinant.times(largest.times(terms));
        }
        let factor = self.new_denominator(determinant);
        let numerator = determinant.times(Weight::new(1, u128::from(width.ilog2()) + 1));
        self.size(numerator, Rc::new([(factor, 1)].into()))
    }

    /// A size that covers both.
    pub fn larger(&mut self, x: &Size, y: &Size) -> Size {
        let common = Self::common([x, y].into_iter());
        let numerator = self.over(x, &common).max(self.over(y, &common));
        self.size(numerator, Rc::new(common))
    }

    /// The size of `x - y` without its denominators.
    pub fn difference(&self, x: &Size, y: &Size) -> Weight {
        let common = Self::common([x, y].into_iter());
        self.over(x, &common).max(self.over(y, &common)).doubled()
    }

    fn size(&mut self, numerator: Weight, denominator: Rc<Denominator>) -> Size {
        self.next += 1;
        Size {
            id: self.next,
            numerator,
            denominator,
        }
    }

    fn new_denominator(&mut self, weight: Weight) -> u32 {
        self.denominators.push(weight);
        u32::try_from(self.denominators.len() - 1).expect("fewer than 2^32 denominators")
    }

    /// `Prod f^(wanted - present)`.
    fn cofactor(&self, wanted: &Denominator, present: &Denominator) -> Weight {
        let factors = wanted.iter().map(|(f, e)| {
            let missing = e - present.get(f).copied().unwrap_or(0);
            self.denominators[*f as usize].power(missing)
        });
        factors.fold(Weight::default(), Weight::times)
    }

    fn whole(&self, denominator: &Denominator) -> Weight {
        self.cofactor(denominator, &BTreeMap::new())
    }

    /// The numerator over a multiple of the denominator.
    fn over(&self, x: &Size, denominator: &Denominator) -> Weight {
        x.numerator
            .times(self.cofactor(denominator, &x.denominator))
    }

    fn reciprocal(&mut self, x: &Size) -> Size {
        let known = self.reciprocals.get(&x.id).copied();
        let factor = known.unwrap_or_else(|| self.new_denominator(x.numerator));
        self.reciprocals.insert(x.id, factor);
        let numerator = self.whole(&x.denominator);
        self.size(numerator, Rc::new([(factor, 1)].into()))
    }

    /// The sine (degree 1) or cosine (degree 2) over `1 + h^2`.
    fn circle(&mut self, x: &Size, degree: u128) -> Size {
        self.calls += 1;
        let known = self.circles.get(&x.id).copied();
        let factor = known.unwrap_or_else(|| self.new_denominator(Weight::new(2, 1)));
        self.circles.insert(x.id, factor);
        self.size(Weight::new(degree, 1), Rc::new([(factor, 1)].into()))
    }

    /// The square of an unknown or its reciprocal.
    fn exponential(&mut self) -> Size {
        self.calls += 1;
        let factor = self.new_denominator(Weight::new(2, 0));
        self.size(Weight::new(2, 0), Rc::new([(factor, 1)].into()))
    }

    /// `x^(1/d)`: half the size for a square root, over the denominators that it needs.
    fn root(&mut self, x: &Size, d: u128) -> Size {
        if d <= 1 {
            return x.clone();
        }
        let mut denominator = Denominator::new();
        let mut radicand = x.numerator;
        for (f, e) in x.denominator.iter() {
            let rounded = e.div_ceil(d);
            denominator.insert(*f, rounded);
            let missing = rounded.saturating_mul(d).saturating_sub(*e);
            radicand = radicand.times(self.denominators[*f as usize].power(missing));
        }
        let numerator = Weight::new(radicand.degree.div_ceil(d), radicand.bits.div_ceil(d));
        self.size(numerator, Rc::new(denominator))
    }

    fn integer_power(&mut self, x: &Size, e: u128) -> Size {
        let denominator = x.denominator.iter().map(|(f, k)| (*f, k.saturating_mul(e)));
        let denominator = Rc::new(denominator.collect());
        self.size(x.numerator.power(e), denominator)
    }

    /// The least common denominator.
    fn common<'a>(sizes: impl Iterator<Item = &'a Size>) -> Denominator {
        let mut common = Denominator::new();
        for size in sizes {
            for (f, e) in size.denominator.iter() {
                let entry = common.entry(*f).or_insert(0);
                *entry = (*entry).max(*e);
            }
        }
        common
    }
}

impl Numbers for Degrees {
    type Value = Size;
    type Error = Infallible;

    fn number(&mut self, x: &Rational) -> Size {
        let bits = u128::from(x.numerator().bits());
        if x.is_integer() {
            return self.polynomial(Weight::new(0, bits));
        }
        let cleared = Weight::new(0, bits).times(self.denominators[0]);
        self.size(cleared, Rc::new([(0, 1)].into()))
    }

    fn pi(&mut self) -> Size {
        self.unknown()
    }

    fn add(&mut self, x: &Size, y: &Size) -> Size {
        if Rc::ptr_eq(&x.denominator, &y.denominator) {
            let sum = x.numerator.max(y.numerator).doubled();
            return self.size(sum, x.denominator.clone());
        }
        let common = Self::common([x, y].into_iter());
        let sum = self.over(x, &common).max(self.over(y, &common)).doubled();
        self.size(sum, Rc::new(common))
    }

    fn mul(&mut self, x: &Size, y: &Size) -> Size {
        let numerator = x.numerator.times(y.numerator);
        let denominator = if y.denominator.is_empty() {
            x.denominator.clone()
        } else {
            let mut product = (*x.denominator).clone();
            for (f, e) in y.denominator.iter() {
                let entry = product.entry(*f).or_insert(0);
                *entry = entry.saturating_add(*e);
            }
            Rc::new(product)
        };
        self.size(numerator, denominator)
    }

    fn exact_power(&mut self, x: &Size, e: &Rational) -> Result<Size, Infallible> {
        let whole = |x: num_bigint::BigInt| u128::try_from(x).unwrap_or(u128::MAX);
        let base = if e.is_negative() {
            self.reciprocal(x)
        } else {
            x.clone()
        };
        let root = self.root(&base, whole(e.denominator()));
        Ok(self.integer_power(&root, whole(e.abs().numerator())))
    }

    fn power(&mut self, _: &Size, _: &Size) -> Result<Size, Infallible> {
        Ok(self.exponential())
    }

    fn call(&mut self, f: Function, x: &[&Size]) -> Result<Size, Infallible> {
        Ok(match f {
            Function::Sin => self.circle(x[0], 1),
            Function::Cos => self.circle(x[0], 2),
            Function::Tan => {
                let (s, c) = (self.circle(x[0], 1), self.circle(x[0], 2));
                let secant = self.reciprocal(&c);
                self.mul(&s, &secant)
            }
            Function::Exp => self.exponential(),
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let up = self.exponential();
                let down = self.exponential();
                let sum = self.add(&up, &down);
                match f {
                    Function::Tanh => {
                        let inverse = self.reciprocal(&sum);
                        self.mul(&sum, &inverse)
                    }
                    _ => {
                        let half = self.number(&Rational::new(1, 2));
                        self.mul(&sum, &half)
                    }
                }
            }
            Function::Sign => self.polynomial(Weight::default()),
            Function::Abs => x[0].clone(),
            Function::Min | Function::Max => {
                let sum = self.add(x[0], x[1]);
                let half = self.number(&Rational::new(1, 2));
                self.mul(&sum, &half)
            }
            Function::Log => {
                self.calls += LOGARITHM_CALLS;
                self.unknown()
            }
            Function::Asin | Function::Acos | Function::Atan | Function::Atan2 => {
                self.calls += ARC_CALLS;
                self.unknown()
            }
        })
    }

    /// Cramer's rule on rows cleared of denominators; the least solution solves twice.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Size>,
        right: &mut Vec<Size>,
    ) -> Result<(), Infallible> {
        let (n, columns) = (solve.size, solve.columns);
        let (mut determinant, mut solution) = (Weight::default(), Weight::default());
        for i in 0..n {
            let left = &matrix[i * n..(i + 1) * n];
            let sides = &right[i * columns..(i + 1) * columns];
            let common = Self::common(left.iter().chain(sides));
            let largest = |entries: &[Size]| {
                let cleared = entries.iter().map(|x| self.over(x, &common));
                cleared.fold(Weight::default(), Weight::max)
            };
            let (row, side) = (largest(left), largest(sides));
            // n! < n^n: the logarithm of n for each row.
            let terms = Weight::new(0, u128::from(n.ilog2()) + 1);
            determinant = determinant.times(row.times(terms));
            solution = solution.times(row.max(side).times(terms));
        }
        if matches!(solve.kind, SolveKind::OfRows { .. }) {
            determinant = determinant.power(2);
            solution = solution.power(3);
        }
        let factor = self.new_denominator(determinant);
        let denominator: Rc<Denominator> = Rc::new([(factor, 1)].into());
        for x in right.iter_mut() {
            *x = self.size(solution, denominator.clone());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_share_their_denominators() {
        let mut d = Degrees::new(0);
        let (x, y) = (d.unknown(), d.unknown());
        let inverse = |d: &mut Degrees, x: &Size, e: i64| {
            let Ok(power) = d.exact_power(x, &Rational::from(e));
            power
        };
        // 1/y + x/y + x^3/y^2 = (y + x y + x^3)/y^2
        let once = inverse(&mut d, &y, -1);
        let second = d.mul(&x, &once);
        let cube = inverse(&mut d, &x, 3);
        let twice = inverse(&mut d, &y, -2);
        let third = d.mul(&cube, &twice);
        let sum = d.add(&once, &second);
        assert_eq!(sum.numerator.degree, 1);
        let sum = d.add(&sum, &third);
        assert_eq!(sum.numerator.degree, 3);
        let root = inverse(&mut d, &sum, 1);
        let Ok(root) = d.exact_power(&root, &Rational::new(1, 2));
        assert_eq!(root.numerator.degree, 2, "sqrt of degree 3 over y");
    }

    /// `x^2 = a`, `x y^2 + b = 0` (degrees 2 and 3 with their coefficients): the resultant that
    /// removes `x` is `a y^4 - b^2`, and `y` to the power d has the norm `(b^2/a)^d`.
    #[test]
    fn a_common_root_counts_by_the_product_of_the_degrees() {
        let mut d = Degrees::new(0);
        let rows = [Weight::new(2, 1), Weight::new(3, 1)].map(|w| d.polynomial(w));
        let root = d.algebraic_system(&rows).numerator;
        assert!(root.degree >= 2 * 2 * 3, "{root:?}");
        let higher = [Weight::new(20, 1), Weight::new(30, 7)].map(|w| d.polynomial(w));
        let root = d.algebraic_system(&higher).numerator;
        assert!(root.degree >= 2 * 20 * 30, "{root:?}");
        assert!(root.bits >= 30 + 20 * 7, "{root:?}");
    }

    #[test]
    fn a_solve_counts_by_cramers_rule() {
        let mut d = Degrees::new(0);
        let entries: Vec<Size> = (0..4).map(|_| d.unknown()).collect();
        let mut right: Vec<Size> = (0..2).map(|_| d.unknown()).collect();
        let solve = SlotSolve {
            name: String::new(),
            kind: SolveKind::General,
            size: 2,
            columns: 1,
            matrix: Vec::new(),
            right: Vec::new(),
            unknowns: 0,
        };
        let Ok(()) = d.solve(&solve, entries, &mut right);
        assert_eq!(right[0].numerator.degree, 2);
        let sum = d.add(&right[0], &right[1]);
        assert_eq!(sum.numerator.degree, 2, "one determinant for all");
    }
}
