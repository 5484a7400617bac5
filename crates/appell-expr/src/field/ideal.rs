//! All solutions of small polynomial systems modulo a prime.
//!
//! A Groebner basis by Buchberger's algorithm with the criteria of Gebauer and Moeller
//! [gebauer1988]; where the solutions are finitely many, the powers of a random linear form of them
//! give their number, how they split, and each one over the field [cox2005, ch. 2].

use super::arithmetic::{Modulus, Random};
use super::linear;
use super::root::{all_roots, splitting, squarefree, value_at, without_common_roots};
use super::sparse::{MAX_TERMS, Monomial, Sparse};
use crate::limits::look;

/// Systems with more solutions, counted with multiplicity, are refused.
const MAX_SOLUTIONS: usize = 60;
/// Multiplications of coefficients before giving up.
const MAX_WORK: usize = 4_000_000;

/// The solutions of a system that has finitely many.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Solutions {
    /// How many there are over an algebraic closure, each counted once.
    pub count: usize,
    /// Bit d is set if some of the factors over the field have degree d together.
    pub sums: u64,
    /// Those over the field.
    pub points: Vec<Vec<u64>>,
}

/// Why a system was not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsolved {
    /// It has infinitely many solutions.
    Infinite,
    /// It takes too much work.
    TooLarge,
}

/// All solutions of `system = 0` in the first `n` unknowns at which none of `factors` vanishes.
pub(crate) fn solutions(
    f: Modulus,
    random: &mut Random,
    n: usize,
    system: &[Sparse],
    factors: &[Sparse],
) -> Result<Solutions, Unsolved> {
    let mut basis = Basis::of(f, system)?;
    let mut quotient = Quotient::new(f, n, &basis)?;
    if let Some(more) = quotient.squarefree_polynomials(random)? {
        // The radical: with these its solutions are simple [cox2005, ch. 2, (2.7)].
        basis = Basis::of(f, &[basis.elements, more].concat())?;
        quotient = Quotient::new(f, n, &basis)?;
    }
    quotient.solutions(random, &mut basis, factors)
}

/// Whether `system = 0` has no solution over an algebraic closure: its basis holds a number.
pub(crate) fn has_no_solution(f: Modulus, system: &[Sparse]) -> Result<bool, Unsolved> {
    let basis = Basis::of(f, system)?;
    Ok(basis.leads().iter().any(|(_, lead)| *lead == Monomial::ONE))
}

/// A reduced Groebner basis.
struct Basis {
    f: Modulus,
    elements: Vec<Sparse>,
    /// Those whose leading monomials no other one divides: what others can do, these can.
    minimal: Vec<usize>,
    work: usize,
}

/// Two elements whose leading terms are to cancel.
#[derive(Clone, Copy)]
struct Pair {
    first: usize,
    second: usize,
    multiple: Monomial,
}

impl Basis {
    /// Elements none of which reduces the leading term of another.
    fn new(f: Modulus, elements: Vec<Sparse>) -> Self {
        Self {
            f,
            minimal: (0..elements.len()).collect(),
            elements,
            work: 0,
        }
    }

    fn of(f: Modulus, system: &[Sparse]) -> Result<Self, Unsolved> {
        let mut basis = Self::new(f, Vec::new());
        let mut inputs: Vec<&Sparse> = system.iter().filter(|x| !x.is_zero()).collect();
        inputs.sort_by_key(|x| x.leading().map(|(monomial, _)| *monomial));
        let mut pairs: Vec<Pair> = Vec::new();
        for input in inputs {
            let reduced = basis.reduced(input)?;
            basis.add(reduced, &mut pairs);
        }
        while let Some(next) = smallest(&pairs) {
            look();
            let pair = pairs.swap_remove(next);
            let difference = basis.cancelled(&pair);
            let reduced = basis.reduced(&difference)?;
            basis.add(reduced, &mut pairs);
        }
        basis.interreduce()?;
        Ok(basis)
    }

    fn lead(&self, index: usize) -> Monomial {
        let leading = self.elements[index].leading();
        leading.map_or(Monomial::ONE, |(monomial, _)| *monomial)
    }

    /// The leading monomials of the minimal elements, with their places, but of one that is taken out.
    fn leads(&self) -> Vec<(usize, Monomial)> {
        let leading = |index: &usize| Some((*index, self.elements[*index].leading()?.0));
        self.minimal.iter().filter_map(leading).collect()
    }

    /// Adds an element and the pairs that it makes necessary.
    fn add(&mut self, x: Sparse, pairs: &mut Vec<Pair>) {
        let Some((lead, c)) = x.leading().copied() else {
            return;
        };
        let inverse = self.f.inverse(c).unwrap_or(1);
        let new = self.elements.len();
        self.elements.push(x.scaled(self.f, inverse));
        let multiple = |first: usize| self.lead(first).least_common_multiple(lead);
        // A pair whose multiple the new lead divides is covered by two pairs with it.
        pairs.retain(|pair| {
            let covered = pair.multiple.over(lead).is_some()
                && multiple(pair.first) != pair.multiple
                && multiple(pair.second) != pair.multiple;
            !covered
        });
        let fresh = self.minimal.iter().map(|first| Pair {
            first: *first,
            second: new,
            multiple: multiple(*first),
        });
        let fresh: Vec<Pair> = fresh.collect();
        for (index, pair) in fresh.iter().enumerate() {
            let divides = |other: &Pair| pair.multiple.over(other.multiple).is_some();
            let covered = fresh
                .iter()
                .enumerate()
                .any(|(k, other)| divides(other) && (other.multiple != pair.multiple || k < index));
            let coprime = pair.multiple == self.lead(pair.first).times(lead);
            if !covered && !coprime {
                pairs.push(*pair);
            }
        }
        let minimal = std::mem::take(&mut self.minimal).into_iter();
        let minimal = minimal.filter(|index| self.lead(*index).over(lead).is_none());
        self.minimal = minimal.chain([new]).collect();
    }

    /// The combination of two elements in which their leading terms cancel.
    fn cancelled(&self, pair: &Pair) -> Sparse {
        let raised = |index: usize| {
            let by = pair.multiple.over(self.lead(index));
            shifted(&self.elements[index], by.unwrap_or(Monomial::ONE))
        };
        raised(pair.first).plus(self.f, self.f.negate(1), &raised(pair.second))
    }

    /// The remainder by all elements.
    fn reduced(&mut self, x: &Sparse) -> Result<Sparse, Unsolved> {
        let leads = self.leads();
        let mut rest = x.terms.clone();
        let mut next = Vec::with_capacity(rest.len());
        let mut remainder = Sparse::default();
        // The first so many terms of the rest are dealt with.
        let mut done = 0;
        while let Some((monomial, c)) = rest.get(done).copied() {
            look();
            match divisor(&leads, monomial) {
                Some((index, by)) => {
                    let element = &self.elements[index].terms;
                    self.work += element.len() + rest.len() - done;
                    // The elements are monic: the leading terms cancel.
                    let factor = self.f.negate(c);
                    let less = (factor, by, &element[1..]);
                    plus_multiple(self.f, &rest[done + 1..], less, &mut next);
                    std::mem::swap(&mut rest, &mut next);
                    done = 0;
                }
                None => {
                    remainder.terms.push((monomial, c));
                    done += 1;
                }
            }
            if self.work > MAX_WORK || rest.len() - done > MAX_TERMS || monomial.degree() > 200 {
                return Err(Unsolved::TooLarge);
            }
        }
        Ok(remainder)
    }

    /// Leaves the minimal elements, each reduced by the others.
    fn interreduce(&mut self) -> Result<(), Unsolved> {
        let minimal = std::mem::take(&mut self.minimal).into_iter();
        let minimal = minimal.map(|index| std::mem::take(&mut self.elements[index]));
        *self = Self {
            work: self.work,
            ..Self::new(self.f, minimal.collect())
        };
        for index in 0..self.elements.len() {
            let element = std::mem::take(&mut self.elements[index]);
            self.elements[index] = self.reduced(&element)?;
        }
        Ok(())
    }
}

/// The first leading monomial that divides this one, and the quotient.
fn divisor(leads: &[(usize, Monomial)], monomial: Monomial) -> Option<(usize, Monomial)> {
    let mut leads = leads.iter();
    leads.find_map(|(index, lead)| Some((*index, monomial.over(*lead)?)))
}

/// The pair with the smallest common multiple.
fn smallest(pairs: &[Pair]) -> Option<usize> {
    (0..pairs.len()).min_by_key(|i| pairs[*i].multiple)
}

/// `terms + factor by others`, term by term in their order.
fn plus_multiple(
    f: Modulus,
    terms: &[(Monomial, u64)],
    (factor, by, others): (u64, Monomial, &[(Monomial, u64)]),
    sum: &mut Vec<(Monomial, u64)>,
) {
    sum.clear();
    let mut terms = terms.iter().copied().peekable();
    for (monomial, c) in others {
        let monomial = monomial.times(by);
        while let Some(before) = terms.next_if(|(m, _)| *m > monomial) {
            sum.push(before);
        }
        let scaled = f.times(factor, *c);
        let c = match terms.next_if(|(m, _)| *m == monomial) {
            Some((_, old)) => f.plus(old, scaled),
            None => scaled,
        };
        if c != 0 {
            sum.push((monomial, c));
        }
    }
    sum.extend(terms);
}

fn shifted(x: &Sparse, by: Monomial) -> Sparse {
    let terms = x.terms.iter().map(|(monomial, c)| (monomial.times(by), *c));
    Sparse {
        terms: terms.collect(),
    }
}

/// A sum of powers of which as many components vanish as can.
struct Reduced {
    rest: Vec<u64>,
    /// The first component that does not.
    pivot: usize,
    /// The coefficients of the powers.
    sum: Vec<u64>,
}

impl Reduced {
    /// The power of this number, less multiples of what the lower ones were reduced to.
    fn new(f: Modulus, power: &[u64], number: usize, echelon: &[Self]) -> Self {
        let mut rest = power.to_vec();
        let mut sum = vec![0; number + 1];
        sum[number] = 1;
        look();
        for row in echelon {
            let factor = f.negate(rest[row.pivot]);
            if factor != 0 {
                let less = |to: &mut [u64], from: &[u64]| {
                    for (x, y) in to.iter_mut().zip(from).filter(|(_, y)| **y != 0) {
                        *x = f.plus(*x, f.times(factor, *y));
                    }
                };
                less(&mut rest, &row.rest);
                less(&mut sum, &row.sum);
            }
        }
        let pivot = rest.iter().position(|x| *x != 0).unwrap_or_default();
        Self { rest, pivot, sum }
    }

    /// The multiple whose pivot is 1.
    fn monic(mut self, f: Modulus) -> Self {
        let factor = f.inverse(self.rest[self.pivot]).unwrap_or_default();
        for x in self.rest.iter_mut().chain(&mut self.sum) {
            *x = f.times(*x, factor);
        }
        self
    }
}

/// The polynomials modulo an ideal with finitely many zeros.
struct Quotient {
    f: Modulus,
    n: usize,
    /// The monomials that no leading one divides, and how many they are.
    standard: Vec<Monomial>,
    size: usize,
    /// By the unknown: the products of all these monomials with it, as columns.
    products: Vec<Vec<Vec<u64>>>,
}

impl Quotient {
    fn new(f: Modulus, n: usize, basis: &Basis) -> Result<Self, Unsolved> {
        let leads: Vec<Monomial> = (0..basis.elements.len()).map(|i| basis.lead(i)).collect();
        if leads.contains(&Monomial::ONE) {
            return Ok(Self {
                f,
                n,
                standard: Vec::new(),
                size: 0,
                products: Vec::new(),
            });
        }
        let bounded = |unknown| leads.iter().any(|lead| lead.pure_power() == Some(unknown));
        if !(0..n).all(bounded) {
            return Err(Unsolved::Infinite);
        }
        let standard = standard_monomials(n, &leads)?;
        let mut reducer = Basis::new(f, basis.elements.clone());
        let mut products = Vec::new();
        for unknown in 0..n {
            let mut columns = Vec::new();
            for monomial in &standard {
                let raised = Sparse {
                    terms: vec![(monomial.times(Monomial::unknown(unknown)), 1)],
                };
                columns.push(coordinates(&standard, &reducer.reduced(&raised)?));
            }
            products.push(columns);
        }
        Ok(Self {
            f,
            n,
            size: standard.len(),
            standard,
            products,
        })
    }

    /// The product of an element with a combination of the unknowns.
    fn product(&self, form: &[u64], x: &[u64]) -> Vec<u64> {
        let f = self.f;
        let mut result = vec![0; self.size];
        for (columns, a) in self.products.iter().zip(form).filter(|(_, a)| **a != 0) {
            for (column, b) in columns.iter().zip(x).filter(|(_, b)| **b != 0) {
                let factor = f.times(*a, *b);
                for (sum, c) in result.iter_mut().zip(column).filter(|(_, c)| **c != 0) {
                    *sum = f.plus(*sum, f.times(factor, *c));
                }
            }
        }
        result
    }

    /// The powers `1, l, l^2, ..` of a linear form as far as they are independent, and the monic
    /// polynomial of least degree that it satisfies.
    fn powers(&self, form: &[u64]) -> (Vec<Vec<u64>>, Vec<u64>) {
        let f = self.f;
        let mut powers: Vec<Vec<u64>> = Vec::new();
        let mut echelon: Vec<Reduced> = Vec::new();
        let mut next = self.one();
        loop {
            let reduced = Reduced::new(f, &next, powers.len(), &echelon);
            if reduced.rest.iter().all(|x| *x == 0) {
                return (powers, reduced.sum);
            }
            echelon.push(reduced.monic(f));
            let raised = self.product(form, &next);
            powers.push(std::mem::replace(&mut next, raised));
        }
    }

    fn one(&self) -> Vec<u64> {
        // The smallest of the standard monomials is 1.
        let mut one = vec![0; self.size];
        one[0] = 1;
        one
    }

    /// For each unknown a polynomial without repeated factors that vanishes at all solutions;
    /// `None` where the solutions are simple.
    fn squarefree_polynomials(&self, random: &mut Random) -> Result<Option<Vec<Sparse>>, Unsolved> {
        if self.size == 0 {
            return Ok(None);
        }
        let form: Vec<u64> = (0..self.n).map(|_| random.below(self.f.p)).collect();
        let (_, least) = self.powers(&form);
        let simple = squarefree(self.f, &least).is_some_and(|x| x.len() == self.size + 1);
        if simple {
            return Ok(None);
        }
        let by_unknown = (0..self.n).map(|unknown| {
            let mut form = vec![0; self.n];
            form[unknown] = 1;
            let (_, least) = self.powers(&form);
            let simple = squarefree(self.f, &least).ok_or(Unsolved::TooLarge)?;
            let x = Sparse::unknown(unknown);
            let mut sum = Sparse::default();
            for c in simple.iter().rev() {
                sum = sum.times(self.f, &x).ok_or(Unsolved::TooLarge)?;
                sum = sum.plus(self.f, 1, &Sparse::constant(*c));
            }
            Ok(sum)
        });
        by_unknown.collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// All solutions, which must be simple, at which no factor vanishes.
    fn solutions(
        &self,
        random: &mut Random,
        basis: &mut Basis,
        factors: &[Sparse],
    ) -> Result<Solutions, Unsolved> {
        let (f, size) = (self.f, self.size);
        if size == 0 {
            return Ok(Solutions {
                sums: 1,
                ..Solutions::default()
            });
        }
        let form: Vec<u64> = (0..self.n).map(|_| random.below(f.p)).collect();
        let (powers, least) = self.powers(&form);
        if powers.len() < size {
            return Err(Unsolved::TooLarge);
        }
        let matrix: Vec<u64> = (0..size)
            .flat_map(|i| powers.iter().map(move |power| power[i]))
            .collect();
        let mut elements: Vec<Vec<u64>> = (0..self.n)
            .map(|unknown| self.products[unknown][0].clone())
            .collect();
        for factor in factors {
            elements.push(coordinates(&self.standard, &basis.reduced(factor)?));
        }
        let right: Vec<u64> = (0..size)
            .flat_map(|i| elements.iter().map(move |element| element[i]))
            .collect();
        let by_powers = linear::solve(f, size, &matrix, &right).ok_or(Unsolved::TooLarge)?;
        // Each element as a polynomial in the form.
        let polynomial = |index: usize| -> Vec<u64> {
            let coefficients = (0..size).map(|k| by_powers[k * elements.len() + index]);
            coefficients.collect()
        };
        let mut least = least;
        for index in self.n..elements.len() {
            least =
                without_common_roots(f, &least, &polynomial(index)).ok_or(Unsolved::TooLarge)?;
        }
        let roots = all_roots(f, random, &least);
        let unknowns: Vec<Vec<u64>> = (0..self.n).map(polynomial).collect();
        let point = |root: &u64| unknowns.iter().map(|x| value_at(f, x, *root)).collect();
        Ok(Solutions {
            count: least.len() - 1,
            sums: splitting(f, &least).ok_or(Unsolved::TooLarge)?,
            points: roots.iter().map(point).collect(),
        })
    }
}

/// The monomials that no leading one divides, 1 first.
fn standard_monomials(n: usize, leads: &[Monomial]) -> Result<Vec<Monomial>, Unsolved> {
    let mut found = vec![Monomial::ONE];
    let mut next = 0;
    while next < found.len() {
        for unknown in 0..n {
            let raised = found[next].times(Monomial::unknown(unknown));
            let standard = leads.iter().all(|lead| raised.over(*lead).is_none());
            if standard && !found.contains(&raised) {
                found.push(raised);
            }
        }
        if found.len() > MAX_SOLUTIONS {
            return Err(Unsolved::TooLarge);
        }
        next += 1;
    }
    Ok(found)
}

fn coordinates(standard: &[Monomial], x: &Sparse) -> Vec<u64> {
    let coefficient = |monomial: &Monomial| {
        let term = x.terms.iter().find(|(m, _)| m == monomial);
        term.map_or(0, |(_, c)| *c)
    };
    standard.iter().map(coefficient).collect()
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::random_prime;
    use super::*;

    struct Ring {
        f: Modulus,
        random: Random,
    }

    impl Ring {
        fn new(seed: u64) -> Self {
            let mut random = Random(seed);
            Self {
                f: random_prime(&mut random, 4),
                random,
            }
        }

        /// A polynomial with random coefficients of this degree.
        fn dense(&mut self, n: usize, degree: u16) -> Sparse {
            let mut sum = Sparse::constant(self.random.below(self.f.p));
            for _ in 0..degree {
                let mut linear = Sparse::constant(self.random.below(self.f.p));
                for unknown in 0..n {
                    let c = self.random.below(self.f.p);
                    linear = linear.plus(self.f, c, &Sparse::unknown(unknown));
                }
                sum = sum.times(self.f, &linear).expect("small");
                sum = sum.plus(self.f, 1, &linear);
            }
            sum
        }

        fn solve(&mut self, n: usize, system: &[Sparse]) -> Result<Solutions, Unsolved> {
            let found = solutions(self.f, &mut self.random, n, system, &[]);
            for point in found.iter().flat_map(|found| &found.points) {
                assert!(system.iter().all(|x| x.at(self.f, point) == 0));
            }
            found
        }
    }

    /// What is added term by term is what products and sums of polynomials give.
    #[test]
    fn multiples_are_added_as_products_are() {
        let mut ring = Ring::new(11);
        let (x, y) = (ring.dense(3, 4), ring.dense(3, 2));
        let f = ring.f;
        let by = Monomial::unknown(1).times(Monomial::unknown(2));
        let product = Sparse::unknown(1)
            .times(f, &Sparse::unknown(2))
            .and_then(|by| by.times(f, &y));
        let product = product.expect("small");
        let factor = ring.random.below(f.p);
        let mut sum = vec![(Monomial::ONE, 1)];
        plus_multiple(f, &x.terms, (factor, by, &y.terms), &mut sum);
        assert_eq!(sum, x.plus(f, factor, &product).terms);
        plus_multiple(f, &product.terms, (f.negate(1), by, &y.terms), &mut sum);
        assert!(sum.is_empty());
    }

    #[test]
    fn curves_and_surfaces_meet_as_often_as_bezout_says() {
        for seed in 0..20 {
            let mut ring = Ring::new(seed);
            for degrees in [
                vec![3],
                vec![2, 2],
                vec![4, 3],
                vec![2, 2, 2],
                vec![1, 2, 3],
            ] {
                let n = degrees.len();
                let system: Vec<Sparse> = degrees.iter().map(|d| ring.dense(n, *d)).collect();
                let found = ring.solve(n, &system).expect("finitely many");
                let product: u16 = degrees.iter().product();
                assert_eq!(found.count, usize::from(product));
                assert!(found.points.len() <= found.count);
            }
        }
    }

    #[test]
    fn every_solution_of_products_of_lines_is_found() {
        let mut ring = Ring::new(3);
        let lines: Vec<Sparse> = (0..5).map(|_| ring.dense(2, 1)).collect();
        let f = ring.f;
        let product = |x: &[Sparse]| {
            x.iter().fold(Sparse::constant(1), |all, x| {
                all.times(f, x).expect("small")
            })
        };
        let system = [product(&lines[..2]), product(&lines[2..])];
        let found = ring.solve(2, &system).expect("points");
        assert_eq!((found.count, found.points.len()), (6, 6));
        assert_eq!(found.sums, 0b111_1111);
        // The same with repeated factors.
        let system = [
            product(&[lines[0].clone(), lines[0].clone()]),
            product(&lines[2..]),
        ];
        let found = ring.solve(2, &system).expect("points");
        assert_eq!((found.count, found.points.len()), (3, 3));
    }

    #[test]
    fn solutions_at_which_a_factor_vanishes_do_not_count() {
        let mut ring = Ring::new(4);
        let lines: Vec<Sparse> = (0..4).map(|_| ring.dense(2, 1)).collect();
        let f = ring.f;
        let system = [0, 2].map(|i| lines[i].times(f, &lines[i + 1]).expect("small"));
        let found = solutions(f, &mut ring.random, 2, &system, &lines[..1]);
        let found = found.expect("two points");
        assert_eq!((found.count, found.points.len(), found.sums), (2, 2, 0b111));
    }

    #[test]
    fn nothing_and_too_much() {
        let mut ring = Ring::new(5);
        let line = ring.dense(2, 1);
        let shifted = line.plus(ring.f, 1, &Sparse::constant(1));
        let found = ring.solve(2, &[line.clone(), shifted]).expect("no point");
        assert_eq!((found.count, found.points.len()), (0, 0));
        assert_eq!(ring.solve(2, &[line]), Err(Unsolved::Infinite));
        let large: Vec<Sparse> = (0..7).map(|_| ring.dense(7, 2)).collect();
        assert_eq!(ring.solve(7, &large), Err(Unsolved::TooLarge));
    }

    /// The twisted cubic: three quadrics, a plane section has three points.
    #[test]
    fn more_equations_than_unknowns() {
        let mut ring = Ring::new(9);
        let planes: Vec<Sparse> = (0..4).map(|_| ring.dense(2, 1)).collect();
        let f = ring.f;
        let minor = |i: usize, j: usize, k: usize, l: usize| {
            let left = planes[i].times(f, &planes[j]).expect("small");
            let right = planes[k].times(f, &planes[l]).expect("small");
            left.plus(f, f.negate(1), &right)
        };
        let system = [minor(0, 2, 1, 1), minor(0, 3, 1, 2), minor(1, 3, 2, 2)];
        let found = ring.solve(2, &system).expect("three points");
        assert_eq!(found.count, 3);
    }
}
