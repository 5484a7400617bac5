//! Where the values of an expression lie: intervals with exact ends over the real numbers.
//!
//! Sound, not sharp: every value that the expression has, wherever it is defined, lies in the
//! range. Terms are taken as independent of each other, but for quadratic forms; functions are sharp at numbers.

use super::domain::{Comparison, Condition, needs};
use super::enclosure::{enclosed_call, enclosed_power};
use super::form::sign_of_form;
use super::fourier::range_by_amplitudes;
use super::means::sign_by_means;
use crate::function::Function;
use crate::graph::{Ex, Id, Node};
use crate::num::Rational;
use crate::precise::Balls;
use crate::sketch::Sketch;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Ends with longer numerators or denominators are given up.
const MAX_BITS: u64 = 512;

/// With so many bits numbers are told from 0.
const NUMBER_BITS: u64 = 256;

/// One end of a range: a number, and whether it belongs to it; `None` is infinite.
type End = Option<(Rational, bool)>;

/// An interval of real numbers that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    low: End,
    high: End,
}

impl Range {
    /// All real numbers.
    pub fn all() -> Self {
        Self::between(None, None)
    }

    /// One number.
    pub fn at(x: Rational) -> Self {
        Self::between(Some((x.clone(), true)), Some((x, true)))
    }

    /// Numbers above this one, itself included or not.
    pub fn above(x: i64, closed: bool) -> Self {
        Self::between(Some((Rational::from(x), closed)), None)
    }

    /// The numbers between two, these included.
    pub(super) fn closed(low: Rational, high: Rational) -> Self {
        Self::within(low, high, true)
    }

    /// The only number in it, if there is no other.
    pub(super) fn only(&self) -> Option<Rational> {
        let (low, high) = (self.least()?, self.greatest()?);
        (low == high).then(|| low.clone())
    }

    fn within(low: Rational, high: Rational, closed: bool) -> Self {
        Self::between(Some((low, closed)), Some((high, closed)))
    }

    fn between(low: End, high: End) -> Self {
        let short = |end: End| {
            end.filter(|(x, _)| x.numerator().bits().max(x.denominator().bits()) <= MAX_BITS)
        };
        Self {
            low: short(low),
            high: short(high),
        }
    }

    /// All numbers of its sign, if it has one: what is known without its ends.
    pub fn of_its_sign(&self) -> Self {
        match self {
            _ if self.is_positive() => Self::above(0, false),
            _ if self.is_negative() => Self::above(0, false).negated(),
            _ if self.is_nonnegative() && self.is_nonpositive() => self.clone(),
            _ => Self::all(),
        }
    }

    /// Whether every number in it is positive.
    pub fn is_positive(&self) -> bool {
        let zero = Rational::zero();
        self.low
            .as_ref()
            .is_some_and(|(x, closed)| *x > zero || (*x == zero && !closed))
    }

    /// Whether every number in it is negative.
    pub fn is_negative(&self) -> bool {
        self.negated().is_positive()
    }

    /// Whether no number in it is negative.
    pub fn is_nonnegative(&self) -> bool {
        self.low
            .as_ref()
            .is_some_and(|(x, _)| *x >= Rational::zero())
    }

    /// Whether no number in it is positive.
    pub fn is_nonpositive(&self) -> bool {
        self.negated().is_nonnegative()
    }

    /// Whether 0 is not in it.
    pub fn excludes_zero(&self) -> bool {
        self.is_positive() || self.is_negative()
    }

    /// Whether it lies between two numbers, these excluded.
    pub fn is_within(&self, low: &Rational, high: &Rational) -> bool {
        let above = self.low.as_ref().is_some_and(|(x, _)| x > low);
        above && self.high.as_ref().is_some_and(|(x, _)| x < high)
    }

    /// The least number in it, if there is one.
    pub fn least(&self) -> Option<&Rational> {
        let (low, closed) = self.low.as_ref()?;
        closed.then_some(low)
    }

    /// Both ends, whether or not they belong to it, if it is bounded.
    pub(super) fn ends(&self) -> Option<(&Rational, &Rational)> {
        Some((&self.low.as_ref()?.0, &self.high.as_ref()?.0))
    }

    /// The numbers in both: ranges of the same value.
    fn and(self, other: Option<Self>) -> Self {
        let Some(other) = other else {
            return self;
        };
        let inner = |a: End, b: End, keep: Ordering| match (a, b) {
            (Some((x, c)), Some((y, d))) => Some(match x.cmp(&y) {
                Ordering::Equal => (x, c && d),
                order if order == keep => (x, c),
                _ => (y, d),
            }),
            (a, b) => a.or(b),
        };
        Self {
            low: inner(self.low, other.low, Ordering::Greater),
            high: inner(self.high, other.high, Ordering::Less),
        }
    }

    /// The greatest number in it, if there is one.
    pub fn greatest(&self) -> Option<&Rational> {
        let (high, closed) = self.high.as_ref()?;
        closed.then_some(high)
    }

    /// The range of `-x`.
    pub(super) fn opposite(&self) -> Self {
        self.negated()
    }

    fn negated(&self) -> Self {
        self.scaled(&Rational::from(-1))
    }

    fn plus(&self, other: &Self) -> Self {
        let add = |a: &End, b: &End| {
            let ((x, c), (y, d)) = (a.as_ref()?, b.as_ref()?);
            Some((x + y, *c && *d))
        };
        Self::between(add(&self.low, &other.low), add(&self.high, &other.high))
    }

    fn scaled(&self, c: &Rational) -> Self {
        let scale = |end: &End| end.as_ref().map(|(x, closed)| (x * c, *closed));
        match c.cmp(&Rational::zero()) {
            Ordering::Equal => Self::at(Rational::zero()),
            Ordering::Greater => Self::between(scale(&self.low), scale(&self.high)),
            Ordering::Less => Self::between(scale(&self.high), scale(&self.low)),
        }
    }

    fn times(&self, other: &Self) -> Self {
        if self.is_nonpositive() && !self.is_nonnegative() {
            return self.negated().times(other).negated();
        }
        if other.is_nonpositive() && !other.is_nonnegative() {
            return self.times(&other.negated()).negated();
        }
        let product = |a: &End, b: &End| {
            let ((x, c), (y, d)) = (a.as_ref()?, b.as_ref()?);
            let product = x * y;
            // A zero that is attained makes the product zero, whatever the other is.
            let attained =
                (*c && *d) || (product.is_zero() && ((x.is_zero() && *c) || (y.is_zero() && *d)));
            Some((product, attained))
        };
        if self.is_nonnegative() && other.is_nonnegative() {
            return Self::between(
                product(&self.low, &other.low),
                product(&self.high, &other.high),
            );
        }
        let corners = [
            (&self.low, &other.low),
            (&self.low, &other.high),
            (&self.high, &other.low),
            (&self.high, &other.high),
        ];
        let corners: Option<Vec<Rational>> = corners
            .iter()
            .map(|(a, b)| Some(product(a, b)?.0))
            .collect();
        let corners = corners.unwrap_or_default();
        match (corners.iter().min(), corners.iter().max()) {
            (Some(low), Some(high)) => Self::within(low.clone(), high.clone(), true),
            _ => Self::all(),
        }
    }

    /// `1/x` where x is not 0.
    fn inverse(&self) -> Self {
        if !self.is_nonnegative() {
            return match self.is_nonpositive() {
                true => self.negated().inverse().negated(),
                false => Self::all(),
            };
        }
        let inverse = |end: &End| match end {
            Some((x, closed)) if !x.is_zero() => Some((x.recip()?, *closed)),
            _ => None,
        };
        let low = match &self.high {
            None => Some((Rational::zero(), false)),
            end => inverse(end),
        };
        let low = low.or_else(|| Some((Rational::zero(), false)));
        Self::between(low, inverse(&self.low))
    }

    /// `x^e` for a whole number.
    fn whole_power(&self, e: i64) -> Self {
        if e < 0 {
            return self.whole_power(e.saturating_neg()).inverse();
        }
        let power = |end: &End| {
            let (x, closed) = end.as_ref()?;
            Some((x.pow(e)?, *closed))
        };
        match (e % 2 == 0, self.is_nonnegative(), self.is_nonpositive()) {
            (false, ..) => Self::between(power(&self.low), power(&self.high)),
            (true, true, _) => {
                let low = power(&self.low).or_else(|| Some((Rational::zero(), true)));
                Self::between(low, power(&self.high))
            }
            (true, false, true) => self.negated().whole_power(e),
            (true, false, false) => {
                let (down, up) = (power(&self.low), power(&self.high));
                let high = match (down, up) {
                    (Some(a), Some(b)) => Some(if a.0 > b.0 || (a.0 == b.0 && a.1) {
                        a
                    } else {
                        b
                    }),
                    _ => None,
                };
                Self::between(Some((Rational::zero(), true)), high)
            }
        }
    }

    /// `x^e`; roots are those of numbers that are not negative.
    fn power(&self, e: &Rational) -> Self {
        if let Some(whole) = e.to_i64() {
            return self.whole_power(whole);
        }
        let one = Rational::one();
        let positive = self.is_positive();
        let (mut low, mut high) = ((Rational::zero(), !positive && !e.is_negative()), None);
        let beyond = self.low.as_ref().filter(|(x, _)| *x >= one);
        let short = self.high.as_ref().filter(|(x, _)| *x <= one);
        match (e.is_negative(), beyond, short) {
            (false, Some((x, closed)), _) => low = (one.clone(), *closed && *x == one),
            (false, _, Some(_)) => high = Some((one.clone(), true)),
            (true, Some(_), _) => high = Some((one.clone(), true)),
            (true, _, Some(_)) => low = (one, true),
            _ => {}
        }
        Self::between(Some(low), high)
    }

    /// The range of a growing odd function that stays below a bound, which it does not reach.
    fn odd(&self, bound: Option<Rational>) -> Self {
        let side = |end: &End| {
            let (x, closed) = end.as_ref()?;
            (*x >= Rational::zero()).then(|| (Rational::zero(), *closed && x.is_zero()))
        };
        let low = side(&self.low).or_else(|| bound.clone().map(|b| (-&b, false)));
        let high = side(&self.negated().low).or_else(|| bound.map(|b| (b, false)));
        Self::between(low, high)
    }

    /// The range of the smaller (`Less`) or larger of two numbers.
    fn smaller(&self, other: &Self, keep: Ordering) -> Self {
        let pick = |a: &End, b: &End, outer: bool| match (a, b) {
            (Some((x, c)), Some((y, d))) => Some(match x.cmp(y) {
                Ordering::Equal => (x.clone(), *c || *d),
                order if order == keep => (x.clone(), *c),
                _ => (y.clone(), *d),
            }),
            _ if outer => None,
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let least = keep == Ordering::Less;
        Self::between(
            pick(&self.low, &other.low, least),
            pick(&self.high, &other.high, !least),
        )
    }
}

/// Whether one of these expressions has no value for any real values of the symbols: a root or a
/// logarithm of what is negative, an inverse sine of what is above 1, the angle of a point at the origin.
pub fn is_nowhere_defined(xs: &[Ex<'_>]) -> bool {
    let Some(graph) = xs.first().map(|x| x.graph()) else {
        return false;
    };
    let roots: Vec<Id> = xs.iter().map(|x| x.id()).collect();
    let is_never_met = |condition: Condition<'_>| {
        let (range, sign) = (
            range(condition.of, &|_| Range::all()),
            sign_of_number(condition.of),
        );
        match condition.comparison {
            Comparison::Positive => range.is_nonpositive() || matches!(sign, Some(-1 | 0)),
            Comparison::NotNegative => range.is_negative() || sign == Some(-1),
            Comparison::NotZero => condition.of.is_zero(),
        }
    };
    let all = graph.reachable(&roots).into_iter();
    let mut needed = all.flat_map(|id| needs(graph.ex(id), &|_| Range::all()));
    needed.any(is_never_met)
}

/// The sign of the number that an expression without symbols is, as of `2 - sqrt(5)`, if its digits tell.
fn sign_of_number(x: Ex<'_>) -> Option<i64> {
    if !x.symbols().is_empty() {
        return None;
    }
    let mut sketch = Sketch::new(x.graph());
    sketch.output_list("number", &[x]);
    let program = sketch.program(&[], &["number"]).ok()?;
    let values = Balls::new(NUMBER_BITS).run(&program, &[]).ok()?;
    values.first()?.sign()
}

/// Where the values of an expression lie, if those of its symbols lie where `symbol` says.
pub fn range<'g>(x: Ex<'g>, symbol: &dyn Fn(Ex<'g>) -> Range) -> Range {
    let graph = x.graph();
    let mut known: FxHashMap<Id, Range> = FxHashMap::default();
    for id in graph.reachable(&[x.id()]) {
        let range = of_node(graph.ex(id), symbol, &known);
        known.insert(id, range);
    }
    known.remove(&x.id()).unwrap_or_else(Range::all)
}

fn of_node<'g>(x: Ex<'g>, symbol: &dyn Fn(Ex<'g>) -> Range, known: &FxHashMap<Id, Range>) -> Range {
    let of = |id: &Id| known.get(id).cloned().unwrap_or_else(Range::all);
    match x.node() {
        Node::Number(n) => Range::at(n),
        Node::Pi => {
            let [low, high] = [3_141_592_653_589_793_238, 3_141_592_653_589_793_239];
            let end = |digits| Rational::new(digits, 1_000_000_000_000_000_000);
            Range::within(end(low), end(high), false)
        }
        Node::Symbol(_) => symbol(x),
        Node::Sum(c, terms) => {
            let parts = terms.iter().map(|(x, c)| of(x).scaled(c));
            let sum = parts.fold(Range::at(c), |sum, part| sum.plus(&part));
            match sum.is_nonnegative() || sum.is_nonpositive() {
                true => sum,
                false => {
                    let sign = sign_of_form(x).or_else(|| sign_by_means(x));
                    let by_amplitudes = || range_by_amplitudes(x, &|id| of(&id).only());
                    let has_sign = |r: &Range| r.is_nonnegative() || r.is_nonpositive();
                    sign.or_else(|| by_amplitudes().filter(has_sign))
                        .unwrap_or(sum)
                }
            }
        }
        Node::Product(factors) => {
            let power = |x: &Range, e: &Rational| match e.is_integer() {
                true => x.power(e),
                false => x.power(e).and(enclosed_power(x, e)),
            };
            let parts = factors.iter().map(|(x, e)| power(&of(x), e));
            parts.fold(Range::at(Rational::one()), |all, part| all.times(&part))
        }
        Node::Power(base, _) if of(&base).is_positive() => Range::above(0, false),
        Node::Power(base, _) if of(&base).is_nonnegative() => Range::above(0, true),
        Node::Power(..) => Range::all(),
        Node::Call(f, arguments) => {
            let arguments: Vec<Range> = arguments.iter().map(of).collect();
            of_call(f, &arguments).and(enclosed_call(f, &arguments))
        }
    }
}

fn of_call(f: Function, x: &[Range]) -> Range {
    use Function::{
        Abs, Acos, Asin, Atan, Atan2, Cos, Cosh, Exp, Log, Max, Min, Sign, Sin, Sinh, Tan, Tanh,
    };
    let one = Rational::one();
    let turn = |n: i64| Rational::new(n * 11, 7);
    match f {
        Sin | Cos => Range::within(-&one, one, true),
        Tan => Range::all(),
        Asin => x[0].odd(Some(turn(1))),
        Acos => Range::between(Some((Rational::zero(), true)), Some((turn(2), false))),
        Atan => x[0].odd(Some(turn(1))),
        Sinh => x[0].odd(None),
        Cosh => Range::above(1, !x[0].excludes_zero()),
        Tanh => x[0].odd(Some(one)),
        Exp => {
            let gap = x[0].odd(None);
            let low = match gap.low {
                Some((_, closed)) => (one.clone(), closed),
                None => (Rational::zero(), false),
            };
            Range::between(Some(low), gap.high.map(|(_, closed)| (one, closed)))
        }
        // log(x) has the sign of x - 1.
        Log => x[0].plus(&Range::at(-&one)).odd(None),
        Abs if x[0].is_nonnegative() => x[0].clone(),
        Abs if x[0].is_nonpositive() => x[0].negated(),
        Abs => Range::above(0, !x[0].excludes_zero()),
        Sign if x[0].is_positive() => Range::at(one),
        Sign if x[0].is_negative() => Range::at(-&one),
        Sign => x[0].odd(None).smaller_than_one(),
        Atan2 => Range::within(-&turn(2), turn(2), false),
        Min => x[0].smaller(&x[1], Ordering::Less),
        Max => x[0].smaller(&x[1], Ordering::Greater),
    }
}

impl Range {
    /// The part between -1 and 1.
    fn smaller_than_one(&self) -> Self {
        let one = Rational::one();
        let low = self.low.clone().unwrap_or_else(|| (-&one, true));
        let high = self.high.clone().unwrap_or((one, true));
        Self::between(Some(low), Some(high))
    }
}
