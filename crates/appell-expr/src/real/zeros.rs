//! The real zeros of an expression, by simpler expressions that have the same.
//!
//! Prime fields see complex zero sets: `x^2 + y^2 = 0` is a pair of lines there. Over the real
//! numbers a factor that is nowhere zero says nothing, a sum of which no term is negative
//! vanishes where all its terms do, and a one-to-one function can be undone. Each step is an
//! equivalence wherever the expression is defined; what none applies to stays as it is.

mod roots;

use super::domain::Comparison::{self, NotNegative, Positive};
use super::domain::{Condition, domain, unsaid, with_relations_of};
use super::form::squares;
use super::monotone::arguments;
use super::range::{Range, range};
use crate::fraction::Fractions;
use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::num::Rational;
use num_integer::Integer;
use rustc_hash::FxHashMap;

/// Bases with their exponents.
type Factors = [(Id, Rational)];

/// Steps one after the other.
const MAX_STEPS: usize = 16;
/// Sums of more terms are not looked at as squares.
const MAX_TERMS: usize = 12;

/// Where an expression vanishes.
#[derive(Debug, Clone)]
pub struct RealForm<'g> {
    /// It vanishes where all of these do; everywhere if there are none.
    pub rows: Vec<Ex<'g>>,
    /// The expression itself, roots of squares written as absolute values, and these and others without
    /// corners where signs are known.
    pub plain: Ex<'g>,
    /// Whether it vanishes nowhere.
    pub nowhere: bool,
    /// What has to hold besides.
    pub sides: Vec<Condition<'g>>,
    /// What the expression needs to have a value, where neither `rows` nor `sides` say it.
    pub domain: Vec<Condition<'g>>,
    /// Why, in words.
    pub why: Vec<String>,
}

/// The zeros of `x` among real values of its symbols, which lie where `symbol` says. Equations are
/// solved for expressions in the `moving` symbols only.
pub fn real_form<'g>(
    x: Ex<'g>,
    moving: &[Ex<'g>],
    symbol: &dyn Fn(Ex<'g>) -> Range,
) -> RealForm<'g> {
    let mut reader = Reader {
        moving,
        symbol,
        why: Vec::new(),
        sides: Vec::new(),
    };
    let plain = reader.resolved(x);
    let set = reader.zeros(plain, MAX_STEPS);
    let nowhere = matches!(set, Set::Nowhere);
    let rows = match set {
        Set::At(rows) => without_repetition(rows),
        Set::Everywhere | Set::Nowhere => Vec::new(),
    };
    let needed = domain(plain, moving, symbol);
    let sides = with_relations_of(reader.sides, &needed);
    RealForm {
        domain: unsaid(needed, &rows, &sides, symbol),
        rows,
        plain,
        nowhere,
        sides,
        why: reader.why,
    }
}

/// Without rows that are there twice, or vanish with one of their factors.
fn without_repetition(rows: Vec<Ex<'_>>) -> Vec<Ex<'_>> {
    let mut kept: Vec<Ex<'_>> = Vec::new();
    for row in &rows {
        let follows = |row: &Ex<'_>| match row.node() {
            Node::Product(factors) => factors
                .iter()
                .any(|(x, e)| !e.is_negative() && rows.iter().any(|other| other.id() == *x)),
            _ => false,
        };
        if !kept.contains(row) && !follows(row) {
            kept.push(*row);
        }
    }
    kept
}

/// Drops factors that vanish only where another one does: `x^2 + y^2` beside `x`.
fn without_parts<'g>(factors: &mut Vec<(Ex<'g>, Set<'g>)>) {
    let rows = |set: &Set<'g>| match set {
        Set::At(rows) => rows.clone(),
        Set::Everywhere | Set::Nowhere => Vec::new(),
    };
    let all: Vec<Vec<Ex<'g>>> = factors.iter().map(|(_, set)| rows(set)).collect();
    let lies_in = |narrow: &[Ex<'g>], wide: &[Ex<'g>]| {
        wide.len() < narrow.len() && wide.iter().all(|row| narrow.contains(row))
    };
    let is_part = |narrow: &Vec<Ex<'g>>| {
        all.iter()
            .any(|wide| !wide.is_empty() && lies_in(narrow, wide))
    };
    let mut parts = all.iter().map(is_part);
    factors.retain(|_| !parts.next().unwrap_or_default());
}

enum Set<'g> {
    Everywhere,
    Nowhere,
    At(Vec<Ex<'g>>),
}

/// What is known of the symbols, and what was found on the way.
struct Reader<'r, 'g> {
    moving: &'r [Ex<'g>],
    symbol: &'r dyn Fn(Ex<'g>) -> Range,
    why: Vec<String>,
    sides: Vec<Condition<'g>>,
}

impl<'g> Reader<'_, 'g> {
    fn range(&self, x: Ex<'g>) -> Range {
        range(x, self.symbol)
    }

    fn moves(&self, x: Ex<'g>) -> bool {
        x.depends_on_any(self.moving)
    }

    /// Whether it is affine in what moves.
    fn is_straight(&self, x: Ex<'g>) -> bool {
        let slopes = x.partials(self.moving);
        slopes.into_iter().all(|slope| !self.moves(slope))
    }

    fn note(&mut self, why: String) {
        if !self.why.contains(&why) {
            self.why.push(why);
        }
    }

    fn side(&mut self, x: Ex<'g>, comparison: Comparison) {
        let side = Condition::new(x, comparison);
        if !self.sides.contains(&side) && !side.is_met_by(&self.range(x)) {
            self.sides.push(side);
        }
    }

    /// An expression that vanishes nowhere, for a function that has no such value.
    fn out_of_range(&mut self, f: Function, graph: &'g Graph) -> Ex<'g> {
        self.note(format!("{} has no such value", f.name()));
        graph.one()
    }

    /// Notes that these have to be positive; whether they can be.
    fn positive(&mut self, xs: [Ex<'g>; 2]) -> bool {
        for x in xs {
            if !self.range(x).is_positive() {
                self.side(x, Positive);
            }
        }
        !xs.iter().any(|x| self.range(*x).is_nonpositive())
    }

    fn zeros(&mut self, x: Ex<'g>, steps: usize) -> Set<'g> {
        if x.is_zero() {
            return Set::Everywhere;
        }
        let range = self.range(x);
        if range.excludes_zero() {
            let sign = if range.is_positive() {
                "positive"
            } else {
                "negative"
            };
            if !x.is_one() {
                self.note(format!("{x} is {sign}"));
            }
            return Set::Nowhere;
        }
        if steps == 0 {
            return Set::At(vec![x]);
        }
        match x.node() {
            Node::Product(factors) => self.of_product(x, &factors, steps - 1),
            Node::Sum(constant, terms) => self.of_sum(x, &constant, &terms, steps - 1),
            Node::Call(f, arguments) => self.of_call(x, f, &arguments, steps - 1),
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Power(..) => Set::At(vec![x]),
        }
    }

    /// Where one of the factors vanishes: those that never do say nothing, nor do powers.
    fn of_product(&mut self, x: Ex<'g>, factors: &[(Id, Rational)], steps: usize) -> Set<'g> {
        let graph = x.graph();
        let mut kept: Vec<(Ex<'g>, Set<'g>)> = Vec::new();
        let sides = self.sides.len();
        for (id, e) in factors.iter().filter(|(_, e)| !e.is_negative()) {
            let base = graph.ex(*id);
            let range = self.range(base);
            if range.excludes_zero() {
                let sign = if range.is_positive() {
                    "positive"
                } else {
                    "negative"
                };
                self.note(format!("the factor {base} is {sign}"));
                continue;
            }
            let notes = self.why.len();
            match self.zeros(base, steps) {
                Set::Nowhere => {}
                Set::Everywhere => return Set::Everywhere,
                set => {
                    if !e.is_one() {
                        let why = "a power vanishes where its base does".to_owned();
                        if !self.why.contains(&why) {
                            self.why.insert(notes, why);
                        }
                    }
                    kept.push((base, set));
                }
            }
        }
        // With sides each factor has its own, and none is known to lie in another.
        if self.sides.len() == sides {
            without_parts(&mut kept);
        }
        if kept.len() == 1 {
            return kept.remove(0).1;
        }
        let one = |(base, set): (Ex<'g>, Set<'g>)| match set {
            Set::At(rows) if rows.len() == 1 => rows[0],
            _ => base,
        };
        let mut bases: Vec<Ex<'g>> = Vec::new();
        for base in kept.into_iter().map(one) {
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
        match bases.is_empty() {
            // Only poles: 1/x vanishes nowhere.
            true => Set::Nowhere,
            false => Set::At(vec![graph.product(&bases)]),
        }
    }

    /// Where all of these vanish.
    fn all_of(&mut self, xs: &[Ex<'g>], steps: usize) -> Set<'g> {
        let mut rows = Vec::new();
        for x in xs {
            match self.zeros(*x, steps) {
                Set::Nowhere => return Set::Nowhere,
                Set::Everywhere => {}
                Set::At(zeros) => rows.extend(zeros),
            }
        }
        match rows.is_empty() {
            true => Set::Everywhere,
            false => Set::At(rows),
        }
    }

    fn of_sum(
        &mut self,
        x: Ex<'g>,
        constant: &Rational,
        terms: &[(Id, Rational)],
        steps: usize,
    ) -> Set<'g> {
        let graph = x.graph();
        let term = |(id, c): &(Id, Rational)| graph.ex(*id).scale(c);
        if let ([(only, _)], true) = (terms, constant.is_zero()) {
            return self.zeros(graph.ex(*only), steps);
        }
        let parts: Vec<Ex<'g>> = terms.iter().map(term).collect();
        if let Some(ends) = self.at_ends(constant, &parts) {
            self.note(format!(
                "{x} is 0 only where each of its terms is at its end"
            ));
            return self.all_of(&ends, steps);
        }
        if let Some(found) = squares(x).filter(|found| found.rest.is_zero()) {
            let count = found.lines.len();
            let what = if count == 1 { "square" } else { "squares" };
            self.note(format!("{x} is a sum of {count} {what}"));
            return self.all_of(&found.lines, steps);
        }
        let moving: Vec<&(Id, Rational)> = terms
            .iter()
            .filter(|(id, _)| self.moves(graph.ex(*id)))
            .collect();
        if let [(id, c)] = moving.as_slice() {
            let rest = graph.sum(&[x, -term(&(*id, c.clone()))]);
            let value = c.recip().map(|c| (-rest).scale(&c));
            if let Some(solved) = value.and_then(|value| self.solved(graph.ex(*id), value)) {
                return self.zeros(solved, steps);
            }
        }
        if let Some(solved) = self.without_arc(x, terms) {
            return self.zeros(solved, steps);
        }
        if let ([(a, c), (b, d)], true) = (terms, constant.is_zero()) {
            let ratio = (d / c).map(|ratio| -&ratio);
            let solved = ratio.and_then(|r| self.matched(graph.ex(*a), &r, graph.ex(*b)));
            if let Some(solved) = solved {
                return self.zeros(solved, steps);
            }
        }
        // What is affine is as simple as it can be; most rows are, and what follows is dear.
        if self.is_straight(x) {
            return Set::At(vec![x]);
        }
        if let Some([u, w]) = arguments(x, self.moving, self.symbol) {
            self.note(format!("one strictly monotone function of {u} and of {w}"));
            return self.zeros(u - w, steps);
        }
        self.of_roots(x, terms, steps)
            .unwrap_or_else(|| Set::At(vec![x]))
    }

    /// What vanishes where a sum does whose terms are all at least, or all at most, numbers that add up
    /// to 0.
    fn at_ends(&self, constant: &Rational, parts: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
        let ranges: Vec<Range> = parts.iter().map(|x| self.range(*x)).collect();
        let ends = |end: &dyn Fn(&Range) -> Option<Rational>| -> Option<Vec<Ex<'g>>> {
            let ends: Vec<Rational> = ranges.iter().map(end).collect::<Option<_>>()?;
            let sum = ends.iter().fold(constant.clone(), |sum, end| &sum + end);
            let gaps = parts.iter().zip(&ends);
            let gap = |(x, end): (&Ex<'g>, &Rational)| *x - x.graph().number(end.clone());
            sum.is_zero().then(|| gaps.map(gap).collect())
        };
        if parts.len() < 2 {
            return None;
        }
        ends(&|range| range.least().cloned()).or_else(|| ends(&|range| range.greatest().cloned()))
    }

    /// `u - cos w` for a sum that vanishes where `acos u = w` does, which is its only arc.
    fn without_arc(&mut self, x: Ex<'g>, terms: &[(Id, Rational)]) -> Option<Ex<'g>> {
        use Function::{Acos, Asin};
        let graph = x.graph();
        let is_arc = |(id, _): &&(Id, Rational)| match graph.node(*id) {
            Node::Call(Asin | Acos, u) => self.moves(graph.ex(u[0])),
            _ => false,
        };
        let mut arcs = terms.iter().filter(is_arc);
        let (Some((id, c)), None) = (arcs.next(), arcs.next()) else {
            return None;
        };
        let arc = graph.ex(*id);
        let rest = -(x - arc.scale(c)).scale(&c.recip()?);
        self.solved(arc, rest)
    }

    fn of_call(&mut self, x: Ex<'g>, f: Function, arguments: &[Id], steps: usize) -> Set<'g> {
        use Function::{Abs, Acos, Asin, Atan, Atan2, Log, Max, Min, Sign, Sinh, Tanh};
        let graph = x.graph();
        let u = graph.ex(arguments[0]);
        let one = |id: usize| graph.ex(arguments[id]);
        match f {
            Abs | Sign | Sinh | Tanh | Atan | Asin => {
                self.note(format!("{} vanishes at 0 only", f.name()));
                self.zeros(u, steps)
            }
            Log | Acos => {
                self.note(format!("{} vanishes at 1 only", f.name()));
                self.zeros(u - 1, steps)
            }
            Max | Min => {
                let both = [one(0), one(1)].map(|x| self.range(x));
                let up = both.iter().all(Range::is_nonnegative);
                let down = both.iter().all(Range::is_nonpositive);
                match (f, up, down) {
                    (Max, true, _) | (Min, _, true) => self.all_of(&[one(0), one(1)], steps),
                    (Max, _, true) | (Min, true, _) => self.zeros(one(0) * one(1), steps),
                    _ => Set::At(vec![x]),
                }
            }
            Atan2 => {
                self.side(one(1), Positive);
                self.note("atan2(y, x) = 0 is the half line y = 0, x > 0".to_owned());
                self.zeros(u, steps)
            }
            _ => Set::At(vec![x]),
        }
    }

    /// `function(u) = value` as one expression to vanish, if it can be undone.
    ///
    /// One piece: a table of functions, and what undoes each.
    fn solved(&mut self, x: Ex<'g>, value: Ex<'g>) -> Option<Ex<'g>> {
        use Function::{Abs, Acos, Asin, Atan, Atan2, Cos, Cosh, Exp, Log, Sin, Sinh, Tanh};
        let graph = x.graph();
        let range = self.range(value);
        let zero = Rational::zero();
        let acosh = |k: Ex<'g>| (k + (k.pow(2) - 1).sqrt()).call(Log);
        let short = Rational::new(3, 2);
        let inside = range.is_within(&-&short, &short);
        let result = match x.node() {
            Node::Call(f, arguments) => {
                let u = graph.ex(arguments[0]);
                let plain = match f {
                    Exp => {
                        if !range.is_positive() {
                            self.side(value, Positive);
                        }
                        u - value.call(Log)
                    }
                    Log => u - value.call(Exp),
                    Sinh => u - (value + (value.pow(2) + 1).sqrt()).call(Log),
                    Tanh => {
                        if !self.positive([graph.one() - value, graph.one() + value]) {
                            return Some(self.out_of_range(f, graph));
                        }
                        u - ((graph.one() + value) / (graph.one() - value)).call(Log) / 2
                    }
                    Atan => {
                        let quarter_turn = graph.pi() / 2;
                        if !inside && !self.positive([quarter_turn - value, quarter_turn + value]) {
                            return Some(self.out_of_range(f, graph));
                        }
                        u - value.call(Function::Tan)
                    }
                    Asin if inside => u - value.sin(),
                    Acos => {
                        if !range.is_within(&zero, &Rational::from(3)) {
                            self.side(value, NotNegative);
                            self.side(graph.pi() - value, NotNegative);
                        }
                        u - value.cos()
                    }
                    Asin if !inside => {
                        self.side(graph.pi() / 2 - value, NotNegative);
                        self.side(graph.pi() / 2 + value, NotNegative);
                        u - value.sin()
                    }
                    // At its ends a sine turns, and the sine of half the angle passes through 0.
                    Cos if value.is_one() => (u / 2).sin(),
                    Cos if (-value).is_one() => (u / 2).cos(),
                    Sin if value.is_one() => (u / 2 - graph.pi() / 4).sin(),
                    Sin if (-value).is_one() => (u / 2 + graph.pi() / 4).sin(),
                    Cosh if value.is_one() => u,
                    Cosh if self.range(value - 1).is_positive() => {
                        (u - acosh(value)) * (u + acosh(value))
                    }
                    Abs if range.is_positive() => (u - value) * (u + value),
                    Atan2 => {
                        let w = graph.ex(arguments[1]);
                        if !range.is_within(&Rational::from(-3), &Rational::from(3)) {
                            self.side(graph.pi() - value, NotNegative);
                            self.side(graph.pi() + value, Positive);
                        }
                        self.side(u * value.sin() + w * value.cos(), Positive);
                        u * value.cos() - w * value.sin()
                    }
                    _ => return None,
                };
                self.note(format!("{} is undone", f.name()));
                plain
            }
            Node::Power(base, u) => {
                let base = graph.ex(base);
                if self.moves(base) && range.is_positive() {
                    // Over the real numbers it is defined for all exponents where its base is positive.
                    self.side(base, Positive);
                    self.note("powers are undone".to_owned());
                    return Some(graph.ex(u) * base.call(Log) - value.call(Log));
                }
                let grows = self.range(base).is_positive() && self.range(base - 1).excludes_zero();
                if !grows || self.moves(base) {
                    return None;
                }
                if !range.is_positive() {
                    self.side(value, Positive);
                }
                self.note(format!("powers of {base} are undone"));
                graph.ex(u) - value.call(Log) / base.call(Log)
            }
            Node::Product(factors) => self.solved_power(graph, &factors, value)?,
            _ => return None,
        };
        Some(result)
    }

    /// `Prod u^e = value` with a common power taken off.
    fn solved_power(
        &mut self,
        graph: &'g Graph,
        factors: &[(Id, Rational)],
        value: Ex<'g>,
    ) -> Option<Ex<'g>> {
        let range = self.range(value);
        if let [(u, e)] = factors
            && !e.is_integer()
        {
            // A root is not negative, and its radicand is what its power says.
            if !range.is_nonnegative() {
                return None;
            }
            self.note("a root that is not negative is undone".to_owned());
            return Some(graph.ex(*u) - value.pow_rational(&e.recip()?));
        }
        let power = common_power(factors)?;
        let root = |x: Ex<'g>| x.pow_rational(&Rational::new(1, power));
        let u = rooted(graph, factors, power);
        if power % 2 == 0 {
            // Squares are left to quadratic forms.
            if power < 4 || !range.is_positive() {
                return None;
            }
            return Some((u - root(value)) * (u + root(value)));
        }
        let solved = match (range.is_nonnegative(), range.is_nonpositive()) {
            (true, _) => u - root(value),
            (_, true) => u + root(-value),
            _ => return None,
        };
        self.note("odd powers are one to one".to_owned());
        Some(solved)
    }

    /// `f(u) = ratio f(w)` as one expression to vanish.
    fn matched(&mut self, x: Ex<'g>, ratio: &Rational, y: Ex<'g>) -> Option<Ex<'g>> {
        use Function::{Abs, Asin, Atan, Cosh, Exp, Log, Sinh, Tanh};
        let graph = x.graph();
        let unit = ratio.abs().is_one();
        match (x.node(), y.node()) {
            (Node::Call(f, a), Node::Call(g, b)) if f == g => {
                let (u, w) = (graph.ex(a[0]), graph.ex(b[0]));
                let solved = match f {
                    Exp if !ratio.is_negative() => u - w - graph.number(ratio.clone()).call(Log),
                    Log if ratio.is_one() => {
                        if !self.range(u).is_positive() {
                            self.side(u, Positive);
                        }
                        u - w
                    }
                    Asin | Atan | Sinh | Tanh if unit => u - w.scale(ratio),
                    Cosh if ratio.is_one() => (u - w) * (u + w),
                    Abs if !ratio.is_negative() => (u - w.scale(ratio)) * (u + w.scale(ratio)),
                    _ => return None,
                };
                self.note(format!("{} is the same on both sides", f.name()));
                Some(solved)
            }
            (Node::Product(a), Node::Product(b)) => {
                if let ([(u, e)], [(w, f)]) = (&*a, &*b)
                    && e == f
                    && !e.is_integer()
                    && !ratio.is_negative()
                {
                    let (u, w) = (graph.ex(*u), graph.ex(*w));
                    let scale = graph.number(ratio.clone()).pow_rational(&e.recip()?);
                    if !self.range(u).is_nonnegative() && !self.range(w).is_nonnegative() {
                        self.side(u, NotNegative);
                    }
                    self.note("both sides are the same root".to_owned());
                    return Some(u - scale * w);
                }
                self.matched_powers(graph, &a, &b, ratio)
            }
            _ => None,
        }
    }

    /// `u^p = ratio w^p`.
    fn matched_powers(
        &mut self,
        graph: &'g Graph,
        a: &Factors,
        b: &Factors,
        ratio: &Rational,
    ) -> Option<Ex<'g>> {
        let power = common_power(a)?.gcd(&common_power(b)?);
        if power < 3 || (power % 2 == 0 && ratio.is_negative()) {
            return None;
        }
        let (u, w) = (rooted(graph, a, power), rooted(graph, b, power));
        let size = graph.number(ratio.abs());
        let w = size.pow_rational(&Rational::new(1, power)) * w;
        if power % 2 == 0 {
            return Some((u - w) * (u + w));
        }
        self.note("odd powers are one to one".to_owned());
        Some(if ratio.is_negative() { u + w } else { u - w })
    }

    /// Roots of squares as absolute values, and these without their corners where a sign is known.
    fn resolved(&mut self, x: Ex<'g>) -> Ex<'g> {
        let graph = x.graph();
        let mut image: FxHashMap<Id, Id> = FxHashMap::default();
        for id in graph.reachable(&[x.id()]) {
            let rebuilt = graph.rebuilt(id, &image);
            let new = match rebuilt.node() {
                Node::Product(factors) => self.without_roots(rebuilt, &factors),
                Node::Call(f, arguments) => self.without_corner(rebuilt, f, &arguments),
                _ => rebuilt,
            };
            image.insert(id, new.id());
        }
        graph.ex(image[&x.id()])
    }

    fn without_roots(&mut self, x: Ex<'g>, factors: &[(Id, Rational)]) -> Ex<'g> {
        let graph = x.graph();
        let mut changed = false;
        let mut all = Vec::with_capacity(factors.len());
        for (id, e) in factors {
            let base = graph.ex(*id);
            let twice = (!e.is_integer())
                .then(|| (e * &Rational::from(2)).to_i64())
                .flatten();
            match twice.and_then(|k| Some((self.root_of_square(base)?, k))) {
                Some((root, k)) => {
                    changed = true;
                    all.push(self.size_of(root).pow(k));
                }
                None => all.push(base.pow_rational(e)),
            }
        }
        match changed {
            true => graph.product(&all),
            false => x,
        }
    }

    /// `|x|`
    fn size_of(&self, x: Ex<'g>) -> Ex<'g> {
        let range = self.range(x);
        match (range.is_nonnegative(), range.is_nonpositive()) {
            (true, _) => x,
            (_, true) => -x,
            _ => x.call(Function::Abs),
        }
    }

    /// `r` with `r^2 = x`.
    fn root_of_square(&self, x: Ex<'g>) -> Option<Ex<'g>> {
        let graph = x.graph();
        match x.node() {
            Node::Product(factors) => {
                let even = |e: &Rational| e.to_i64().is_some_and(|e| e % 2 == 0);
                let all = factors.iter().all(|(_, e)| even(e));
                all.then(|| rooted(graph, &factors, 2))
            }
            Node::Sum(_, terms) if terms.len() <= MAX_TERMS => {
                let symbols = x.symbols();
                let polynomial = symbols.iter().any(|s| self.moving.contains(s));
                polynomial
                    .then(|| Fractions::new(graph, &symbols).square_root(x))
                    .flatten()
            }
            _ => None,
        }
    }

    fn without_corner(&mut self, x: Ex<'g>, f: Function, arguments: &[Id]) -> Ex<'g> {
        let graph = x.graph();
        let u = graph.ex(arguments[0]);
        match f {
            Function::Abs => self.size_of(u),
            Function::Sign => {
                let range = self.range(u);
                match (range.is_positive(), range.is_negative()) {
                    (true, _) => graph.one(),
                    (_, true) => -graph.one(),
                    _ => x,
                }
            }
            Function::Max | Function::Min => {
                let w = graph.ex(arguments[1]);
                let gap = self.range(u - w);
                let first = f == Function::Max;
                match (gap.is_nonnegative(), gap.is_nonpositive()) {
                    (true, _) => {
                        if first {
                            u
                        } else {
                            w
                        }
                    }
                    (_, true) => {
                        if first {
                            w
                        } else {
                            u
                        }
                    }
                    _ => x,
                }
            }
            _ => x,
        }
    }
}

/// The largest whole number that divides all exponents, which are whole and positive.
fn common_power(factors: &[(Id, Rational)]) -> Option<i64> {
    let mut common = 0;
    for (_, e) in factors {
        let e = e.to_i64().filter(|e| *e > 0)?;
        common = common.gcd(&e);
    }
    (common > 1).then_some(common)
}

/// `Prod x^(e/power)`
fn rooted<'g>(graph: &'g Graph, factors: &[(Id, Rational)], power: i64) -> Ex<'g> {
    let divided = factors.iter().map(|(x, e)| {
        let e = e * &Rational::new(1, power);
        graph.ex(*x).pow_rational(&e)
    });
    graph.product(&divided.collect::<Vec<_>>())
}
