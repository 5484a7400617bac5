//! Where an expression has a value over the real numbers: the one table of what functions and powers need.

use super::form::squares;
use super::range::{Range, range};
use crate::function::Function;
use crate::graph::{Ex, Node};
use crate::num::Rational;
use std::fmt;

/// How something has to stand to 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// It is above it.
    Positive,
    /// It is not below it.
    NotNegative,
    /// It is another number.
    NotZero,
}

/// A condition on real values of symbols.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition<'g> {
    /// What is held against 0.
    pub of: Ex<'g>,
    /// How it has to stand to it.
    pub comparison: Comparison,
}

impl fmt::Display for Condition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.comparison {
            Comparison::Positive => ">",
            Comparison::NotNegative => ">=",
            Comparison::NotZero => "!=",
        };
        write!(f, "{} {sign} 0", self.of)
    }
}

impl<'g> Condition<'g> {
    pub(super) fn new(of: Ex<'g>, comparison: Comparison) -> Self {
        Self { of, comparison }
    }

    /// Whether all values in a range satisfy it.
    pub(super) fn is_met_by(&self, range: &Range) -> bool {
        match self.comparison {
            Comparison::Positive => range.is_positive(),
            Comparison::NotNegative => range.is_nonnegative(),
            Comparison::NotZero => range.excludes_zero(),
        }
    }

    /// Whether it says this of the same expression, and perhaps more.
    fn says(&self, other: &Self) -> bool {
        self.of == other.of
            && (self.comparison == other.comparison || self.comparison == Comparison::Positive)
    }

    /// Whether it holds wherever some rows vanish and other conditions hold.
    fn follows_from(
        &self,
        rows: &[Ex<'g>],
        known: &[Self],
        symbol: &dyn Fn(Ex<'g>) -> Range,
    ) -> bool {
        let known_symbol = |s: Ex<'g>| {
            let mut signs = known.iter().filter(|c| c.of == s);
            match signs.find(|c| c.comparison != Comparison::NotZero) {
                Some(sign) => Range::above(0, sign.comparison == Comparison::NotNegative),
                None => symbol(s),
            }
        };
        let holds = |of: Ex<'g>| {
            let same = Self::new(of, self.comparison);
            known.iter().any(|c| c.says(&same)) || self.is_met_by(&range(of, &known_symbol))
        };
        holds(self.of)
            || self.is_off_rest_of(known)
            || rows.iter().any(|row| match row.node() {
                Node::Product(factors) => {
                    let graph = row.graph();
                    let mut vanishing = factors.iter().filter(|(_, e)| !e.is_negative());
                    vanishing.all(|(x, _)| forms_on(self.of, graph.ex(*x)).into_iter().any(holds))
                }
                _ => forms_on(self.of, *row).into_iter().any(holds),
            })
    }
}

impl<'g> Condition<'g> {
    /// Whether it says that symbols are not all 0, and something is not 0 that is where they are.
    fn is_off_rest_of(&self, known: &[Self]) -> bool {
        let lines = squares(self.of).filter(|found| found.rest.is_zero());
        let lines = lines.map_or_else(Vec::new, |found| found.lines);
        let are_symbols = lines.iter().all(|line| line.symbol_name().is_some());
        let at_zero: Vec<_> = lines.iter().map(|s| (*s, s.graph().zero())).collect();
        let excludes = |c: &Self| {
            c.comparison != Comparison::NotNegative && c.of.substitute(&at_zero).is_zero()
        };
        are_symbols && known.iter().any(excludes)
    }
}

/// What an expression is where a row vanishes: without one of its terms, or without a symbol for which the row is solved.
fn forms_on<'g>(x: Ex<'g>, row: Ex<'g>) -> Vec<Ex<'g>> {
    let (of_x, of_row) = (terms(x), terms(row));
    let common = of_row.iter().filter_map(|(term, c)| {
        let (_, d) = of_x.iter().find(|(other, _)| other == term)?;
        Some(x - row.scale(&(d / c)?))
    });
    let solved = row.symbols().into_iter().filter_map(|s| {
        let slope = row.diff(s).as_rational()?.recip()?;
        let value = s - row.scale(&slope);
        x.depends_on(s).then(|| x.substitute(&[(s, value)]))
    });
    common.chain(solved).collect()
}

/// The terms of a sum with their coefficients.
fn terms<'g>(x: Ex<'g>) -> Vec<(Ex<'g>, Rational)> {
    match x.node() {
        Node::Sum(_, terms) => {
            let graph = x.graph();
            terms
                .iter()
                .map(|(id, c)| (graph.ex(*id), c.clone()))
                .collect()
        }
        _ => vec![(x, Rational::one())],
    }
}

/// What an expression needs of its parts to have a value; a point at the origin has no angle.
pub(super) fn needs<'g>(x: Ex<'g>, symbol: &dyn Fn(Ex<'g>) -> Range) -> Vec<Condition<'g>> {
    use Comparison::{NotNegative, NotZero, Positive};
    let graph = x.graph();
    let power = |base, is_whole, is_negative| match (is_whole, is_negative) {
        (true, false) => None,
        (true, true) => Some(Condition::new(base, NotZero)),
        (false, true) => Some(Condition::new(base, Positive)),
        (false, false) => Some(Condition::new(base, NotNegative)),
    };
    match x.node() {
        Node::Product(factors) => {
            let each = factors.iter();
            each.filter_map(|(base, e)| power(graph.ex(*base), e.is_integer(), e.is_negative()))
                .collect()
        }
        Node::Power(base, exponent) => {
            let exponent = range(graph.ex(exponent), symbol);
            let is_whole = exponent.only().is_some_and(|e| e.is_integer());
            power(graph.ex(base), is_whole, !exponent.is_positive())
                .into_iter()
                .collect()
        }
        Node::Call(f, arguments) => {
            let u = graph.ex(arguments[0]);
            match f {
                Function::Log => vec![Condition::new(u, Positive)],
                Function::Asin | Function::Acos => {
                    let ends = [graph.one() - u, graph.one() + u];
                    ends.map(|end| Condition::new(end, NotNegative)).to_vec()
                }
                Function::Tan => vec![Condition::new(u.cos(), NotZero)],
                Function::Atan2 => {
                    let square = u.pow(2) + graph.ex(arguments[1]).pow(2);
                    vec![Condition::new(square, NotZero)]
                }
                _ => Vec::new(),
            }
        }
        Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum(..) => Vec::new(),
    }
}

/// The conditions under which an expression has a value that speak of the `moving` symbols and are not known to hold by
/// the ranges of symbols.
pub fn domain<'g>(
    x: Ex<'g>,
    moving: &[Ex<'g>],
    symbol: &dyn Fn(Ex<'g>) -> Range,
) -> Vec<Condition<'g>> {
    let graph = x.graph();
    let mut found: Vec<Condition<'g>> = Vec::new();
    for id in graph.reachable(&[x.id()]) {
        for condition in needs(graph.ex(id), symbol) {
            let is_open = condition.of.depends_on_any(moving)
                && !condition.is_met_by(&range(condition.of, symbol));
            if is_open && !found.contains(&condition) {
                found.push(condition);
            }
        }
    }
    found
}

/// Conditions as others put them that say the same and more.
pub(super) fn with_relations_of<'g>(
    conditions: Vec<Condition<'g>>,
    others: &[Condition<'g>],
) -> Vec<Condition<'g>> {
    let all = conditions.into_iter();
    all.map(|condition| {
        let mut stronger = others.iter().filter(|other| other.says(&condition));
        stronger.next().copied().unwrap_or(condition)
    })
    .collect()
}

/// Those of some conditions that neither rows nor other conditions say.
pub(super) fn unsaid<'g>(
    conditions: Vec<Condition<'g>>,
    rows: &[Ex<'g>],
    said: &[Condition<'g>],
    symbol: &dyn Fn(Ex<'g>) -> Range,
) -> Vec<Condition<'g>> {
    let mut known = said.to_vec();
    let mut kept: Vec<Condition<'g>> = Vec::new();
    for condition in conditions {
        if !condition.follows_from(rows, &known, symbol) {
            known.push(condition);
            kept.push(condition);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::zeros::real_form;
    use super::*;
    use crate::graph::Graph;

    type Row = for<'g> fn([Ex<'g>; 2]) -> Ex<'g>;

    /// The zeros of a row, and where they are to be taken.
    fn said(of: Row) -> (Vec<String>, Vec<String>) {
        let g = Graph::new();
        let xy = [g.symbol("x"), g.symbol("y")];
        let form = real_form(of(xy), &xy, &|_| Range::all());
        let texts = |all: &[Condition<'_>]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let rows = form.rows.iter().map(ToString::to_string).collect();
        (rows, [texts(&form.sides), texts(&form.domain)].concat())
    }

    #[test]
    fn undone_functions_and_cancelled_factors_leave_their_domains() {
        let rows: [(Row, &[&str]); 8] = [
            (
                |[x, y]| x.call(Function::Asin) - y.call(Function::Asin),
                &["1 - x >= 0", "1 + x >= 0"],
            ),
            (
                |[x, y]| x.call(Function::Acos) - y.call(Function::Acos),
                &["1 - x >= 0", "1 + x >= 0"],
            ),
            (
                |[x, y]| x + x.call(Function::Asin) - y - y.call(Function::Asin),
                &["1 - x >= 0", "1 + x >= 0"],
            ),
            (|[x, y]| x + x.sqrt() - y - y.sqrt(), &["x >= 0"]),
            (|[x, y]| (x - y) / (-x.pow(2) + 1).sqrt(), &["1 - x^2 > 0"]),
            (|[x, y]| (x - y) / (x + 1), &["x + 1 != 0"]),
            (
                |[x, y]| x.call(Function::Log) - y.call(Function::Log),
                &["x > 0"],
            ),
            (|[x, _]| x / (-x.pow(2) + 1).sqrt(), &[]),
        ];
        for (row, conditions) in rows {
            let (rows, mut found) = said(row);
            let mut wanted = conditions.to_vec();
            wanted.sort_unstable();
            found.sort_unstable();
            assert_eq!(found.len(), wanted.len(), "{rows:?}: {found:?}");
        }
    }
}
