//! Canonical forms: the automatic rewrites, all of them, and nothing else.
//!
//! A rewrite holds wherever its left side is defined, and never enlarges the set where the
//! expression is defined: `x/x`, `sqrt(x)^2` and `sqrt(x^2)` stay as they are. The exceptions
//! are stated as conditions: what is multiplied by an exact 0, or cancels term by term, is
//! dropped with its poles.

use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::num::Rational;
use rustc_hash::FxHashMap;

/// One automatic rewrite, as documentation and as a test case.
#[derive(Debug, Clone, Copy)]
pub struct Rewrite {
    /// Its name.
    pub name: &'static str,
    /// A formula before.
    pub before: &'static str,
    /// The same formula after.
    pub after: &'static str,
    /// When it applies.
    pub condition: &'static str,
}

const fn row(
    name: &'static str,
    before: &'static str,
    after: &'static str,
    condition: &'static str,
) -> Rewrite {
    Rewrite {
        name,
        before,
        after,
        condition,
    }
}

/// Every automatic rewrite.
#[rustfmt::skip]
pub const REWRITES: &[Rewrite] = &[
    row("numbers are exact",        "1/3 + 1/6",           "1/2",             "results of at most 4096 bits for powers"),
    row("zero term",                "x + 0",               "x",               "always"),
    row("like terms",               "2*x + y + 3*x",       "5*x + y",         "always"),
    row("cancellation",             "x - x",               "0",               "where x is defined"),
    row("order of terms",           "y + x - y - x",       "0",               "always; sums and products are sets"),
    row("nested products",          "x*(y*z)/z^2",         "x*y*z/z^2",       "the inner product has at most 24 factors"),
    row("nested sums",              "x + (y + z) - z",     "x + y",           "the inner sum has at most 24 terms"),
    row("number times sum",         "2*(x + y) - 2*y",     "2*x",             "the sum has at most 24 terms"),
    row("zero factor",              "0*x",                 "0",               "where x is defined"),
    row("unit factor",              "1*x",                 "x",               "always"),
    row("like factors",             "x^2*y*x",             "x^3*y",           "exponents of one sign; both integers, or a sum that is not one"),
    row("power of a power",         "(x^2)^3",             "x^6",             "outer exponent an integer; not if a pole or a branch would vanish"),
    row("root of squares",          "sqrt(x^2 + y^2)^2",   "x^2 + y^2",       "positive exponents, a sum of even powers"),
    row("power of a product",       "(x*y)^2",             "x^2*y^2",         "integer exponents, at most 24 factors"),
    row("power of a number",        "(9/4)^(1/2)",         "3/2",             "the result is rational"),
    row("zeroth power",             "x^0",                 "1",               "where x is defined"),
    row("first power",              "x^1",                 "x",               "always"),
    row("exponent that is a number","x^(2 + 1)",           "x^3",             "always"),
    row("power of one",             "1^x",                 "1",               "where x is defined"),
    row("Pythagoras",               "a*sin(x)^2 + a*cos(x)^2", "a",           "equal cofactors and coefficients"),
    row("odd functions",            "sin(y - x)",          "-sin(x - y)",     "sin tan asin atan sinh tanh sign; leading coefficient negative"),
    row("even functions",           "cos(y - x)",          "cos(x - y)",      "cos cosh abs; leading coefficient negative"),
    row("exact values",             "cos(0) + sin(pi/2)",  "2",               "at 0, at 1 for log, at multiples of pi/2 for sin, cos, of pi/4 for tan"),
];

/// Sums and products longer than this stay whole inside others: flattening chains is quadratic.
const MAX_INLINE_TERMS: usize = 24;
/// Higher roots of numbers are left as they are.
const MAX_ROOT_DEGREE: u32 = 64;

impl Graph {
    /// `Sum x_i`.
    ///
    /// # Panics
    /// If a term lives in another graph; so do products and functions.
    pub fn sum(&self, terms: &[Ex<'_>]) -> Ex<'_> {
        self.assert_own(terms);
        let one = Rational::one();
        self.linear(terms.iter().map(|x| (x.id(), one.clone())))
    }

    /// `Prod x_i`.
    pub fn product(&self, factors: &[Ex<'_>]) -> Ex<'_> {
        self.assert_own(factors);
        let one = Rational::one();
        self.monomial(factors.iter().map(|x| (x.id(), one.clone())))
    }

    /// `Sum c_i x_i` in canonical form.
    pub(crate) fn linear(&self, terms: impl Iterator<Item = (Id, Rational)>) -> Ex<'_> {
        let mut constant = Rational::zero();
        let mut collected: Vec<(Id, Rational)> = Vec::new();
        for (id, c) in terms {
            self.look(id, |node| match node {
                Node::Number(n) => constant = &constant + &(&c * n),
                Node::Sum(inner, parts) if parts.len() <= MAX_INLINE_TERMS => {
                    constant = &constant + &(&c * inner);
                    collected.extend(parts.iter().map(|(x, factor)| (*x, &c * factor)));
                }
                _ => collected.push((id, c)),
            });
        }
        let collected = self.like_terms(collected);
        if collected.iter().any(|(id, _)| self.has_squared_sine(*id)) {
            let mut terms: FxHashMap<Id, Rational> = collected.iter().cloned().collect();
            let order = collected.iter().map(|(id, _)| *id);
            self.apply_pythagoras(order, &mut terms, &mut constant);
            if terms.len() < collected.len() {
                // The cofactors that are left may be sums or numbers: collect once more.
                let rest = self.number(constant);
                let again = terms.into_iter().chain([(rest.id(), Rational::one())]);
                return self.linear(again);
            }
        }
        self.finished_sum(constant, collected)
    }

    fn finished_sum(&self, constant: Rational, terms: Vec<(Id, Rational)>) -> Ex<'_> {
        if terms.is_empty() {
            return self.number(constant);
        }
        if let (true, [(id, c)]) = (constant.is_zero(), terms.as_slice())
            && c.is_one()
        {
            return self.ex(*id);
        }
        self.intern(Node::Sum(constant, terms.into()))
    }

    /// Whether it is a product with a factor `sin(x)^2`.
    fn has_squared_sine(&self, id: Id) -> bool {
        let is_sine = |x: Id| self.look(x, |x| matches!(x, Node::Call(Function::Sin, _)));
        self.look(id, |node| match node {
            Node::Product(factors) => factors
                .iter()
                .any(|(x, e)| e.to_i64() == Some(2) && is_sine(*x)),
            _ => false,
        })
    }

    /// Replaces `c u sin(x)^2 + c u cos(x)^2` by `c u` while there is such a pair; of several
    /// pairs the first in the order given.
    fn apply_pythagoras(
        &self,
        order: impl Iterator<Item = Id>,
        terms: &mut FxHashMap<Id, Rational>,
        constant: &mut Rational,
    ) {
        for id in order {
            let Some(c) = terms.get(&id).cloned() else {
                continue;
            };
            let Some((partner, cofactor)) = self.pythagorean_partner(id, terms, &c) else {
                continue;
            };
            terms.remove(&id);
            terms.remove(&partner);
            match cofactor {
                Some(u) => add_coefficient(terms, u, &c),
                None => *constant = &*constant + &c,
            }
        }
    }

    /// For `u sin(x)^2`: the id of `u cos(x)^2` if that is a term with coefficient `c`, and `u`.
    fn pythagorean_partner(
        &self,
        id: Id,
        terms: &FxHashMap<Id, Rational>,
        c: &Rational,
    ) -> Option<(Id, Option<Id>)> {
        let Node::Product(factors) = self.node(id) else {
            return None;
        };
        let two = Rational::from(2);
        for (position, (base, exponent)) in factors.iter().enumerate() {
            if *exponent != two {
                continue;
            }
            let Node::Call(Function::Sin, argument) = self.node(*base) else {
                continue;
            };
            let cosine = self.intern(Node::Call(Function::Cos, argument));
            let others = || factors.iter().enumerate().filter(|(i, _)| *i != position);
            let cofactors = || others().map(|(_, (x, e))| (*x, e.clone()));
            let partner = self
                .monomial(cofactors().chain([(cosine.id(), two.clone())]))
                .id();
            if partner != id && terms.get(&partner) == Some(c) {
                let cofactor = (factors.len() > 1).then(|| self.monomial(cofactors()).id());
                return Some((partner, cofactor));
            }
        }
        None
    }

    /// `Prod x_i ^ e_i` in canonical form.
    pub(crate) fn monomial(&self, factors: impl Iterator<Item = (Id, Rational)>) -> Ex<'_> {
        let mut coefficient = Rational::one();
        let mut collected: Vec<(Id, Rational)> = Vec::new();
        for (id, exponent) in factors {
            self.multiply_in(&mut collected, &mut coefficient, id, exponent);
        }
        if coefficient.is_zero() {
            return self.zero();
        }
        let factors = self.like_factors(collected);
        let rest = match factors.as_slice() {
            [] => return self.number(coefficient),
            [(id, e)] if e.is_one() => self.ex(*id),
            _ => self.intern(Node::Product(factors.into())),
        };
        rest.scale(&coefficient)
    }

    /// Multiplies `id ^ e` into the factors collected so far.
    fn multiply_in(
        &self,
        collected: &mut Vec<(Id, Rational)>,
        coefficient: &mut Rational,
        id: Id,
        e: Rational,
    ) {
        if e.is_zero() {
            return;
        }
        self.look(id, |node| match node {
            Node::Number(n) => match number_power(n, &e) {
                Some(value) => *coefficient = &*coefficient * &value,
                None => collected.push((id, e)),
            },
            Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
                let (x, c) = &terms[0];
                match number_power(c, &e).filter(|_| e.is_integer()) {
                    Some(value) => {
                        *coefficient = &*coefficient * &value;
                        self.multiply_in(collected, coefficient, *x, e);
                    }
                    None => collected.push((id, e)),
                }
            }
            Node::Product(factors)
                if factors.len() <= MAX_INLINE_TERMS
                    && factors.iter().all(|(x, f)| {
                        powers_multiply(f, &e) || self.is_root_of_squares(*x, [f, &e])
                    }) =>
            {
                collected.extend(factors.iter().map(|(x, f)| (*x, f * &e)));
            }
            _ => collected.push((id, e)),
        });
    }

    /// A function of its arguments, which must be as many as its arity.
    pub fn call(&self, function: Function, arguments: &[Ex<'_>]) -> Ex<'_> {
        debug_assert_eq!(arguments.len(), function.arity(), "{function:?}");
        self.assert_own(arguments);
        if let [x] = arguments {
            let x = self.ex(x.id());
            if let Some(value) = exact_value(function, x) {
                return value;
            }
            if let Some(sign) = parity(function).filter(|_| x.leads_negative()) {
                return self.call(function, &[-x]).scale(&Rational::from(sign));
            }
        }
        let ids = arguments.iter().map(|x| x.id()).collect();
        self.intern(Node::Call(function, ids))
    }
}

impl<'g> Ex<'g> {
    /// `c self`.
    pub fn scale(self, c: &Rational) -> Self {
        let graph = self.graph();
        if c.is_one() {
            return self;
        }
        // What is canonical stays so: no terms meet, and the same pairs are missing.
        let scaled = self.look(|node| match node {
            Node::Sum(constant, terms) if terms.len() <= MAX_INLINE_TERMS && !c.is_zero() => {
                let terms = terms.iter().map(|(x, factor)| (*x, c * factor));
                Some((c * constant, terms.collect()))
            }
            _ => None,
        });
        match scaled {
            Some((constant, terms)) => graph.finished_sum(constant, terms),
            None => graph.linear([(self.id(), c.clone())].into_iter()),
        }
    }

    /// `self ^ exponent` for a number.
    pub fn pow_rational(self, exponent: &Rational) -> Self {
        self.graph()
            .monomial([(self.id(), exponent.clone())].into_iter())
    }

    /// `self ^ exponent` for any exponent.
    pub fn power(self, exponent: Self) -> Self {
        self.graph().assert_own(&[exponent]);
        match exponent.node() {
            Node::Number(e) => self.pow_rational(&e),
            _ if self.is_one() => self,
            _ => self.graph().intern(Node::Power(self.id(), exponent.id())),
        }
    }

    /// Whether it is an odd multiple of `pi/2`, where the tangent has its poles.
    pub fn is_odd_quarter_turn(self) -> bool {
        eighth_turns(self).is_some_and(|k| k % 4 == 2)
    }

    /// Whether its canonical form begins with a minus sign.
    fn leads_negative(self) -> bool {
        match self.node() {
            Node::Number(n) => n.is_negative(),
            Node::Sum(_, terms) => terms[0].1.is_negative(),
            _ => false,
        }
    }
}

fn add_coefficient(terms: &mut FxHashMap<Id, Rational>, id: Id, c: &Rational) {
    let sum = terms.get(&id).map_or_else(|| c.clone(), |old| old + c);
    terms.insert(id, sum);
}

impl Graph {
    /// Terms in order, their coefficients added.
    fn like_terms(&self, mut terms: Vec<(Id, Rational)>) -> Vec<(Id, Rational)> {
        self.sort_terms(&mut terms);
        terms.dedup_by(|(next, c), (kept, sum)| {
            let same = next == kept;
            if same {
                *sum = &*sum + c;
            }
            same
        });
        terms.retain(|(_, c)| !c.is_zero());
        terms
    }

    /// Factors in order, the powers of each joined as far as that keeps the domain.
    fn like_factors(&self, mut factors: Vec<(Id, Rational)>) -> Vec<(Id, Rational)> {
        // In the order in which they came, where the bases are equal.
        self.sort_factors(&mut factors);
        let mut joined: Vec<(Id, Rational)> = Vec::with_capacity(factors.len());
        let mut start = 0;
        for (id, e) in factors {
            if joined.last().is_none_or(|(last, _)| *last != id) {
                start = joined.len();
                joined.push((id, e));
                continue;
            }
            let powers = joined[start..].iter_mut();
            let joins =
                |old: &Rational| exponents_add(old, &e) || self.is_root_of_squares(id, [old, &e]);
            match powers.map(|(_, e)| e).find(|old| joins(old)) {
                Some(old) => *old = &*old + &e,
                None => joined.push((id, e)),
            }
            joined[start..].sort_unstable();
        }
        joined
    }
}

impl Graph {
    /// Whether both exponents are positive, the second an integer or both roots, of a base that is a sum of even powers:
    /// its roots have its own domain.
    fn is_root_of_squares(&self, base: Id, [a, b]: [&Rational; 2]) -> bool {
        if a.is_negative() || b.is_negative() || a.is_integer() && b.is_integer() {
            return false;
        }
        let is_even = |e: &Rational| e.to_i64().is_some_and(|e| e > 0 && e % 2 == 0);
        let is_square = |id: Id| {
            self.look(id, |node| match node {
                Node::Product(factors) => factors.iter().all(|(_, e)| is_even(e)),
                _ => false,
            })
        };
        self.look(base, |node| match node {
            Node::Sum(constant, terms) => {
                let mut terms = terms.iter();
                !constant.is_negative() && terms.all(|(x, c)| !c.is_negative() && is_square(*x))
            }
            _ => is_square(base),
        })
    }
}

/// `x^a x^b = x^(a+b)` with the same domain: no pole cancels and no branch point vanishes.
fn exponents_add(a: &Rational, b: &Rational) -> bool {
    let both_integer = a.is_integer() && b.is_integer();
    a.is_negative() == b.is_negative() && (both_integer || !(a + b).is_integer())
}

/// `(x^f)^e = x^(f e)` with the same domain, and real on the same branch.
fn powers_multiply(f: &Rational, e: &Rational) -> bool {
    let keeps_branch = f.is_integer() || !(f * e).is_integer();
    let keeps_pole = !(f.is_negative() && e.is_negative());
    e.is_integer() && keeps_branch && keeps_pole
}

/// `n ^ e` where that is a rational number of reasonable size.
fn number_power(n: &Rational, e: &Rational) -> Option<Rational> {
    if e.is_one() {
        return Some(n.clone());
    }
    let degree = u32::try_from(e.denominator())
        .ok()
        .filter(|d| *d <= MAX_ROOT_DEGREE)?;
    let base = if degree == 1 {
        n.clone()
    } else {
        n.root(degree)?
    };
    base.pow(i64::try_from(e.numerator()).ok()?)
}

/// 1 for even functions, -1 for odd ones.
fn parity(function: Function) -> Option<i64> {
    use Function::{Abs, Asin, Atan, Cos, Cosh, Sign, Sin, Sinh, Tan, Tanh};
    match function {
        Cos | Cosh | Abs => Some(1),
        Sin | Tan | Asin | Atan | Sinh | Tanh | Sign => Some(-1),
        _ => None,
    }
}

fn exact_value(function: Function, x: Ex<'_>) -> Option<Ex<'_>> {
    use Function::{Abs, Asin, Atan, Cos, Cosh, Exp, Log, Sign, Sin, Sinh, Tan, Tanh};
    let graph = x.graph();
    if let Some(n) = x.as_rational() {
        return match function {
            Sin | Tan | Asin | Atan | Sinh | Tanh if n.is_zero() => Some(graph.zero()),
            Cos | Cosh | Exp if n.is_zero() => Some(graph.one()),
            Log if n.is_one() => Some(graph.zero()),
            Abs => Some(graph.number(n.abs())),
            Sign if n.is_zero() => Some(graph.zero()),
            Sign => Some(graph.int(if n.is_negative() { -1 } else { 1 })),
            _ => None,
        };
    }
    let eighth_turns = eighth_turns(x)?;
    let of_quarters = |eighths: usize, values: [i64; 4]| {
        eighths
            .is_multiple_of(2)
            .then(|| graph.int(values[eighths / 2 % 4]))
    };
    match function {
        Cos => of_quarters(eighth_turns, [1, 0, -1, 0]),
        Sin => of_quarters(eighth_turns, [0, 1, 0, -1]),
        Tan if eighth_turns % 4 != 2 => Some(graph.int([0, 1, 0, -1][eighth_turns % 4])),
        _ => None,
    }
}

/// `k mod 8` for `x = k pi/4`.
fn eighth_turns(x: Ex<'_>) -> Option<usize> {
    let multiple = match x.node() {
        Node::Pi => Rational::one(),
        Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
            let (y, c) = &terms[0];
            matches!(x.graph().node(*y), Node::Pi).then(|| c.clone())?
        }
        _ => return None,
    };
    let turns = (&multiple * &Rational::from(4)).to_i64()?;
    usize::try_from(turns.rem_euclid(8)).ok()
}
