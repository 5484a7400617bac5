//! Rational functions in lowest terms, for texts that a person would write.
//!
//! Verdicts never rest on these: what is found here is proved by identity testing.

mod polynomial;

use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::num::Rational;
use polynomial::{MAX_TERMS, Polynomial};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Multiples of an angle beyond this stay whole.
const MAX_MULTIPLE: i64 = 4;
/// Products of terms in one field.
const MAX_WORK: usize = 400_000;
/// Powers beyond this stay whole.
const MAX_POWER: i64 = 12;

/// The field of rational functions of some unknowns: symbols, sines and cosines, roots, and
/// whatever else cannot be taken apart.
pub struct Fractions<'g> {
    graph: &'g Graph,
    unknowns: Vec<Ex<'g>>,
    /// What the square of an unknown is: `sin^2 = 1 - cos^2`, of a root its radicand.
    squares: Vec<Option<Polynomial>>,
    places: FxHashMap<Id, usize>,
    /// Products of terms that may still be formed; without any left nothing is found any more.
    work: Cell<usize>,
    /// Whether squares of cosines are replaced in place of those of sines.
    by_sines: bool,
}

/// A quotient of polynomials without common factors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fraction {
    top: Polynomial,
    bottom: Polynomial,
}

impl Fraction {
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.top.is_zero()
    }

    /// How many terms it has, above and below.
    pub fn size(&self) -> usize {
        self.top.terms.len() + self.bottom.terms.len()
    }

    fn whole(top: Polynomial) -> Self {
        let bottom = Polynomial::one();
        Self { top, bottom }
    }
}

/// An expression by its rational function in the symbols that it has.
pub fn simplified(x: Ex<'_>) -> Ex<'_> {
    Fractions::new(x.graph(), &x.symbols()).simplified(x)
}

impl<'g> Fractions<'g> {
    /// The field of these symbols; the first weigh most in the order of terms.
    pub fn new(graph: &'g Graph, symbols: &[Ex<'g>]) -> Self {
        let mut field = Self {
            graph,
            unknowns: Vec::new(),
            squares: Vec::new(),
            places: FxHashMap::default(),
            work: Cell::new(MAX_WORK),
            by_sines: false,
        };
        for symbol in symbols {
            field.place(*symbol);
        }
        field
    }

    /// With so many products of terms at most, where less is at stake.
    #[must_use]
    pub fn within(self, work: usize) -> Self {
        self.work.set(work);
        self
    }

    /// How many products of terms may still be formed.
    pub fn left(&self) -> usize {
        self.work.get()
    }

    /// With `cos^2 = 1 - sin^2` in place of `sin^2 = 1 - cos^2`.
    #[must_use]
    pub fn by_sines(self) -> Self {
        let by_sines = true;
        Self { by_sines, ..self }
    }

    /// From now on this symbol's square is what a polynomial of the others says, as a row does.
    ///
    /// `None`, and nothing changes, if that is no polynomial or has the symbol in it.
    pub fn relate(&mut self, symbol: Ex<'g>, square: Ex<'g>) -> Option<()> {
        let place = self.place(symbol);
        let square = self.read(square)?;
        if square.bottom != Polynomial::one() || square.top.has(place) {
            return None;
        }
        self.squares[place] = Some(square.top);
        Some(())
    }

    fn place(&mut self, x: Ex<'g>) -> usize {
        let next = self.unknowns.len();
        let place = *self.places.entry(x.id()).or_insert(next);
        if place == next {
            self.unknowns.push(x);
            self.squares.push(None);
        }
        place
    }

    /// The expression as a rational function; `None` if that is too large.
    pub fn read(&mut self, x: Ex<'g>) -> Option<Fraction> {
        if self.work.get() == 0 {
            return None;
        }
        let mut known: FxHashMap<Id, Option<Fraction>> = FxHashMap::default();
        for id in self.graph.reachable(&[x.id()]) {
            let value = self.read_node(id, &known);
            known.insert(id, value);
        }
        known.remove(&x.id())?
    }

    fn read_node(&mut self, id: Id, known: &FxHashMap<Id, Option<Fraction>>) -> Option<Fraction> {
        let of = |id: &Id| known.get(id).cloned().flatten();
        match self.graph.node(id) {
            Node::Number(c) => Some(Fraction::whole(Polynomial::constant(c))),
            Node::Sum(c, terms) => {
                let mut sum = Fraction::whole(Polynomial::constant(c));
                for (x, c) in &*terms {
                    let mut term = of(x)?;
                    term.top = term.top.scale(c);
                    sum = self.plus(&sum, &term)?;
                }
                Some(sum)
            }
            Node::Product(factors) => {
                let mut product = Fraction::whole(Polynomial::one());
                for (x, e) in &*factors {
                    let factor = self.read_power(*x, e, of(x))?;
                    product = self.times(&product, &factor)?;
                }
                Some(product)
            }
            Node::Call(f @ (Function::Sin | Function::Cos), arguments) => {
                Some(self.read_angle(f, self.graph.ex(arguments[0])))
            }
            Node::Pi | Node::Symbol(_) | Node::Power(..) | Node::Call(..) => {
                let place = self.place(self.graph.ex(id));
                Some(Fraction::whole(Polynomial::unknown(place)))
            }
        }
    }

    fn read_power(&mut self, x: Id, e: &Rational, base: Option<Fraction>) -> Option<Fraction> {
        let opaque = |field: &mut Self, e: &Rational| {
            let place = field.place(field.graph.ex(x).pow_rational(e));
            Some(Fraction::whole(Polynomial::unknown(place)))
        };
        let (whole, half) = match (e.to_i64(), (e + e).to_i64()) {
            (Some(k), _) => (k, false),
            (None, Some(twice)) => (twice.div_euclid(2), true),
            (None, None) => return opaque(self, e),
        };
        let base = base?;
        if whole.abs() > MAX_POWER {
            return opaque(self, e);
        }
        let mut result = Fraction::whole(Polynomial::one());
        let factor = if whole < 0 {
            self.inverse(&base)?
        } else {
            base.clone()
        };
        for _ in 0..whole.abs() {
            result = self.times(&result, &factor)?;
        }
        if half {
            let place = self.place(self.graph.ex(x).sqrt());
            if base.bottom == Polynomial::one() {
                self.squares[place] = Some(base.top);
            }
            let root = Fraction::whole(Polynomial::unknown(place));
            result = self.times(&result, &root)?;
        }
        Some(result)
    }

    /// Sines and cosines of sums by those of their parts.
    fn read_angle(&mut self, f: Function, x: Ex<'g>) -> Fraction {
        let parts = match x.node() {
            Node::Sum(c, terms) if c.is_zero() => terms
                .iter()
                .map(|(x, c)| Some((self.graph.ex(*x), c.to_i64()?)))
                .collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let parts = parts.filter(|parts| parts.iter().all(|(_, c)| c.abs() <= MAX_MULTIPLE));
        let angle = parts.and_then(|parts| {
            let (mut s, mut c) = (Polynomial::default(), Polynomial::one());
            for (x, k) in parts {
                let (sin, cos) = self.base_angle(x);
                let sin = sin.scale(&Rational::from(k.signum()));
                for _ in 0..k.abs() {
                    let next_s = s.times(&cos)?.plus(&c.times(&sin)?);
                    let next_c = c.times(&cos)?.minus(&s.times(&sin)?);
                    (s, c) = (self.reduced(next_s)?, self.reduced(next_c)?);
                }
            }
            Some((s, c))
        });
        let (sin, cos) = angle.unwrap_or_else(|| self.base_angle(x));
        Fraction::whole(if f == Function::Sin { sin } else { cos })
    }

    fn base_angle(&mut self, x: Ex<'g>) -> (Polynomial, Polynomial) {
        let (s, c) = (self.place(x.sin()), self.place(x.cos()));
        let (kept, other) = if self.by_sines { (s, c) } else { (c, s) };
        let kept = Polynomial::unknown(kept);
        if let Some(square) = kept.times(&kept) {
            self.squares[other] = Some(Polynomial::one().minus(&square));
        }
        (Polynomial::unknown(s), Polynomial::unknown(c))
    }

    /// With squares of sines and roots replaced.
    fn reduced(&self, mut p: Polynomial) -> Option<Polynomial> {
        for (place, square) in self.squares.iter().enumerate() {
            let Some(square) = square else { continue };
            while p.degree(place) > 1 {
                let unknown = Polynomial::unknown(place);
                let mut result = Polynomial::default();
                for (power, c) in p.coefficients(place).iter().enumerate() {
                    let term = match power {
                        0 => c.clone(),
                        1 => c.times(&unknown)?,
                        _ => {
                            let mut term = c.times(square)?;
                            for _ in 2..power {
                                term = term.times(&unknown)?;
                            }
                            term
                        }
                    };
                    result = result.plus(&term);
                }
                p = result;
            }
        }
        (p.terms.len() <= MAX_TERMS).then_some(p)
    }

    fn lowest(&self, top: Polynomial, bottom: Polynomial) -> Option<Fraction> {
        let (top, bottom) = (self.reduced(top)?, self.reduced(bottom)?);
        if bottom.is_zero() || self.work.get() == 0 {
            return None;
        }
        if bottom.is_one() {
            return Some(Fraction { top, bottom });
        }
        let common = top.gcd(&bottom, &self.work);
        let (top, bottom) = (top.over(&common)?, bottom.over(&common)?);
        let clean = bottom.primitive();
        let scale = clean.over(&bottom)?.as_constant()?;
        Some(Fraction {
            top: top.scale(&scale),
            bottom: clean,
        })
    }

    /// Takes the products of these many terms off the work; `None` once none is left.
    fn spend(&self, x: &Fraction, y: &Fraction) -> Option<()> {
        let left = self.work.get().saturating_sub(x.size() * y.size());
        self.work.set(left);
        (left > 0).then_some(())
    }

    /// `x + y`.
    pub fn plus(&self, x: &Fraction, y: &Fraction) -> Option<Fraction> {
        self.spend(x, y)?;
        if x.bottom == y.bottom {
            return self.lowest(x.top.plus(&y.top), x.bottom.clone());
        }
        let top = x.top.times(&y.bottom)?.plus(&y.top.times(&x.bottom)?);
        self.lowest(top, x.bottom.times(&y.bottom)?)
    }

    /// `x y`.
    pub fn times(&self, x: &Fraction, y: &Fraction) -> Option<Fraction> {
        self.spend(x, y)?;
        self.lowest(x.top.times(&y.top)?, x.bottom.times(&y.bottom)?)
    }

    /// `1/x`, unless `x = 0`.
    pub fn inverse(&self, x: &Fraction) -> Option<Fraction> {
        if x.is_zero() {
            return None;
        }
        self.lowest(x.bottom.clone(), x.top.clone())
    }

    /// The expression of a rational function.
    pub fn write(&self, x: &Fraction) -> Ex<'g> {
        let top = self.write_polynomial(&x.top);
        if x.bottom == Polynomial::one() {
            top
        } else {
            top / self.write_polynomial(&x.bottom)
        }
    }

    fn write_polynomial(&self, p: &Polynomial) -> Ex<'g> {
        let term = |(m, c): (&Vec<u32>, &Rational)| {
            let powers = m.iter().enumerate().filter(|(_, e)| **e > 0);
            let factors: Vec<Ex<'g>> = powers
                .map(|(place, e)| self.unknowns[place].pow(i64::from(*e)))
                .collect();
            self.graph.product(&factors).scale(c)
        };
        let terms: Vec<Ex<'g>> = p.terms.iter().rev().map(term).collect();
        self.graph.sum(&terms)
    }

    /// The expression in lowest terms, or as it is if that is too large.
    pub fn simplified(&mut self, x: Ex<'g>) -> Ex<'g> {
        match self.read(x) {
            Some(fraction) => self.write(&fraction),
            None => x,
        }
    }

    /// The same numbers up to a common factor, without denominators or common divisors.
    pub fn cleared(&mut self, xs: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
        let fractions: Vec<Fraction> = xs.iter().map(|x| self.read(*x)).collect::<Option<_>>()?;
        let mut common = Polynomial::one();
        for x in &fractions {
            let shared = common.gcd(&x.bottom, &self.work);
            common = common.times(&x.bottom.over(&shared)?)?;
        }
        let tops = fractions.iter().map(|x| {
            let factor = common.over(&x.bottom)?;
            self.reduced(x.top.times(&factor)?)
        });
        let tops: Vec<Polynomial> = tops.collect::<Option<_>>()?;
        let scaled = self.without_hidden_factors(self.coprime(&tops)?);
        let joined = scaled.iter().find(|x| !x.is_zero())?;
        let scale = joined.primitive().over(joined)?.as_constant()?;
        let write = |x: &Polynomial| self.write_polynomial(&x.scale(&scale));
        Some(scaled.iter().map(write).collect())
    }

    /// Polynomials without their common divisor.
    fn coprime(&self, tops: &[Polynomial]) -> Option<Vec<Polynomial>> {
        let divisor = self.common_divisor(tops).primitive();
        tops.iter().map(|x| x.over(&divisor)).collect()
    }

    /// Without common factors that rewritten squares hide: `(1 - cos^2, sin cos)` is `(sin, cos)`, which is seen
    /// once both are multiplied by `sin` and its square is written out.
    fn without_hidden_factors(&self, mut xs: Vec<Polynomial>) -> Vec<Polynomial> {
        let size = |xs: &[Polynomial]| -> (u64, usize) {
            let terms = xs.iter().flat_map(|x| x.terms.keys());
            let degree = terms.map(|m| m.iter().map(|e| u64::from(*e)).sum::<u64>());
            (degree.sum(), xs.iter().map(|x| x.terms.len()).sum())
        };
        let occurs = |place: &usize| xs.iter().any(|x| x.has(*place));
        let hidden = (0..self.squares.len()).filter(|place| self.squares[*place].is_some());
        let hidden: Vec<usize> = hidden.filter(occurs).collect();
        for place in hidden {
            let unknown = Polynomial::unknown(place);
            let times = |x: &Polynomial| self.reduced(x.times(&unknown)?);
            let other: Option<Vec<_>> = xs.iter().map(times).collect();
            if let Some(other) = other.and_then(|other| self.coprime(&other))
                && size(&other) < size(&xs)
            {
                xs = other;
            }
        }
        xs
    }

    /// The terms of the numerator, without their coefficients.
    pub fn monomials(&mut self, x: Ex<'g>) -> Option<Vec<Ex<'g>>> {
        let top = self.read(x)?.top;
        let single = |m: &Vec<u32>| Polynomial::term(m.clone(), Rational::one());
        let terms = top.terms.keys().map(|m| self.write_polynomial(&single(m)));
        Some(terms.collect())
    }

    /// Whether some two of the expressions, or all of them, have squares that add up to something
    /// free of these symbols and not zero, so that they have no common zero.
    pub fn has_no_zero(&mut self, xs: &[Ex<'g>], symbols: &[Ex<'g>]) -> bool {
        let places: Vec<usize> = symbols.iter().map(|s| self.place(*s)).collect();
        let squares: Vec<Polynomial> = xs
            .iter()
            .filter_map(|x| {
                let top = self.read(*x)?.top;
                self.reduced(top.times(&top)?)
            })
            .collect();
        let free = |p: &Polynomial| {
            let functions = p.unknowns().into_iter().filter(|place| {
                let x = self.unknowns[*place];
                symbols.iter().any(|s| x.depends_on(*s))
            });
            !p.is_zero() && p.total_degree(&places) == 0 && functions.count() == 0
        };
        let sums = (0..squares.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let all = squares.iter().fold(Polynomial::default(), |s, x| s.plus(x));
        squares.len() > 1
            && (free(&all)
                || sums
                    .into_iter()
                    .any(|(i, j)| free(&squares[i].plus(&squares[j]))))
    }

    /// The square root, if the expression is the square of a rational function.
    pub fn square_root(&mut self, x: Ex<'g>) -> Option<Ex<'g>> {
        let Fraction { top, bottom } = self.read(x)?;
        let square = self.reduced(top.times(&bottom)?)?;
        let root = self.lowest(square.square_root()?, bottom)?;
        Some(self.write(&root))
    }

    /// Numerator and denominator; this has coprime integer coefficients, the leading one positive.
    pub fn quotient(&mut self, x: Ex<'g>) -> Option<[Ex<'g>; 2]> {
        let Fraction { top, bottom } = self.read(x)?;
        let primitive = bottom.primitive();
        let scale = primitive.over(&bottom)?.as_constant()?;
        let top = top.scale(&scale);
        Some([top, primitive].map(|part| self.write_polynomial(&part)))
    }

    /// Factors with these symbols in them, without repetition: what divides the coefficients by
    /// one of the symbols, and what divides derivatives, is split off.
    pub fn parts(&mut self, x: Ex<'g>, symbols: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
        let whole = self.read(x)?.top;
        let moves = |place: &usize| {
            let x = self.unknowns[*place];
            symbols.iter().any(|s| x.depends_on(*s))
        };
        let places: Vec<usize> = whole.unknowns().into_iter().filter(moves).collect();
        let mut open = vec![whole];
        let mut parts: Vec<Polynomial> = Vec::new();
        while let Some(p) = open.pop() {
            if p.total_degree(&places) == 0 {
                continue;
            }
            match self.divisor(&p, &places) {
                Some(divisor) => {
                    open.push(p.over(&divisor)?);
                    open.push(divisor);
                }
                None => {
                    let p = self.without(&p, &places)?.primitive();
                    if !parts.contains(&p) {
                        parts.push(p);
                    }
                }
            }
        }
        parts.sort_by_key(|p| std::cmp::Reverse(p.terms.len()));
        Some(parts.iter().map(|p| self.write_polynomial(p)).collect())
    }

    /// A proper divisor that contains one of these unknowns.
    fn divisor(&self, p: &Polynomial, places: &[usize]) -> Option<Polynomial> {
        let degree = p.total_degree(places);
        let proper = |d: &Polynomial| (1..degree).contains(&d.total_degree(places));
        let content = |place: &usize| self.common_divisor(&p.coefficients(*place));
        let contents = places.iter().map(content);
        let repeated = places
            .iter()
            .map(|place| p.gcd(&p.diff(*place), &self.work));
        contents.chain(repeated).find(proper)
    }

    /// Without the factor that is free of these unknowns.
    fn without(&self, p: &Polynomial, places: &[usize]) -> Option<Polynomial> {
        let mut coefficients = vec![p.clone()];
        for place in places {
            let split = coefficients.iter().flat_map(|c| c.coefficients(*place));
            coefficients = split.filter(|c| !c.is_zero()).collect();
        }
        p.over(&self.common_divisor(&coefficients).primitive())
    }

    fn common_divisor(&self, ps: &[Polynomial]) -> Polynomial {
        ps.iter()
            .fold(Polynomial::default(), |g, p| match g.is_zero() {
                true => p.clone(),
                false => g.gcd(p, &self.work),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_cancel_and_sines_reduce() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let mut field = Fractions::new(&g, &[x, y]);
        let quotient = (x.pow(2) - y.pow(2)) / (x + y);
        assert_eq!(field.simplified(quotient), x - y);
        let one = y.sin().pow(2) / y.cos() + y.cos();
        assert_eq!(field.simplified(one), y.cos().recip());
        let angles = (x + y).sin() - x.sin() * y.cos() - x.cos() * y.sin();
        assert!(field.simplified(angles).is_zero());
        let cleared = field.cleared(&[y / x, g.one(), x / y]);
        assert_eq!(cleared, Some(vec![y.pow(2), x * y, x.pow(2)]));
        let (s, c) = (y.sin(), y.cos());
        let blade = field.cleared(&[c.pow(2) - 1, s * c]);
        assert_eq!(blade, Some(vec![s, -c]));
        let root = field.cleared(&[x * y, x.sqrt() * y.pow(2)]);
        assert_eq!(root, Some(vec![x.sqrt(), y]));
    }

    #[test]
    fn squares_of_symbols_reduce() {
        let g = Graph::new();
        let (x, y, a) = (g.symbol("x"), g.symbol("y"), g.symbol("a"));
        let mut field = Fractions::new(&g, &[x, y, a]).within(1_000);
        assert_eq!(field.relate(x, g.one() - y.pow(2)), Some(()));
        assert_eq!(field.relate(y, x / a), None);
        assert_eq!(field.simplified(a * x.pow(3) + a * x * y.pow(2)), a * x);
        assert_eq!(field.simplified(x / (x.pow(2) + y.pow(2))), x);
    }

    #[test]
    fn parts_of_products() {
        let g = Graph::new();
        let (x, y, a) = (g.symbol("x"), g.symbol("y"), g.symbol("a"));
        let mut field = Fractions::new(&g, &[x, y, a]);
        let square = (a * x - y).pow(2) * a;
        assert_eq!(field.parts(square, &[x, y]), Some(vec![a * x - y]));
        let parts = field.parts(x * (x + a * y) / a, &[x, y]).expect("small");
        assert_eq!(parts, vec![x + a * y, x]);
        assert_eq!(field.square_root(4 * (x / y).pow(2)), Some(2 * x / y));
        assert_eq!(field.square_root(x), None);
    }
}
