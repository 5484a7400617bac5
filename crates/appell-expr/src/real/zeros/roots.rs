//! Real zeros of sums with square roots: a root is what is not negative and has its square.

use super::{Comparison, MAX_TERMS, Reader, Set};
use crate::fraction::simplified;
use crate::function::Function;
use crate::graph::{Ex, Id, Node};
use crate::num::Rational;

impl<'g> Reader<'_, 'g> {
    /// A sum with square roots by one without these, if that is simpler.
    pub(super) fn of_roots(
        &mut self,
        x: Ex<'g>,
        terms: &[(Id, Rational)],
        steps: usize,
    ) -> Option<Set<'g>> {
        if let Some(solved) = self.without_root(x, terms) {
            return Some(self.zeros(solved, steps));
        }
        self.of_groups(x, terms, steps)
            .or_else(|| self.without_denominator(x, terms, steps))
            .or_else(|| self.without_any_root(x, terms, steps))
    }

    /// Where each part vanishes, for a sum of parts of one sign that have no moving symbol in common.
    fn of_groups(&mut self, x: Ex<'g>, terms: &[(Id, Rational)], steps: usize) -> Option<Set<'g>> {
        let groups = apart(x, terms, self.moving).filter(|groups| groups.len() > 1)?;
        let signs: Option<Vec<bool>> = groups.iter().map(|x| self.sign_of_excess(*x)).collect();
        let signs = signs?;
        signs.iter().all(|sign| *sign == signs[0]).then(|| {
            self.note("a root is at least what has a smaller square".to_owned());
            self.all_of(&groups, steps)
        })
    }

    /// Whether `c (sqrt(u) - w)` is nowhere negative, or nowhere positive, by `u - w^2 >= 0`.
    fn sign_of_excess(&self, x: Ex<'g>) -> Option<bool> {
        let Node::Sum(_, terms) = x.node() else {
            return None;
        };
        terms.iter().find_map(|(id, c)| {
            let (u, rest) = root_beside(x, *id, c)?;
            let gap = self.range(simplified(u - rest.pow(2)));
            gap.is_nonnegative().then(|| !c.is_negative())
        })
    }

    /// Without roots in denominators, if what is left is affine: these are positive where the row has a value.
    fn without_denominator(
        &mut self,
        x: Ex<'g>,
        terms: &[(Id, Rational)],
        steps: usize,
    ) -> Option<Set<'g>> {
        let graph = x.graph();
        let by = terms.iter().take(MAX_TERMS).find_map(|(id, _)| {
            let Node::Product(factors) = graph.node(*id) else {
                return None;
            };
            let mut below = factors
                .iter()
                .filter(|(_, e)| e.is_negative() && !e.is_integer());
            below.find(|(u, _)| self.moves(graph.ex(*u))).cloned()
        })?;
        let Node::Sum(constant, _) = x.node() else {
            return None;
        };
        let parts = terms
            .iter()
            .map(|(id, c)| divided(graph.ex(*id), &by).scale(c));
        let constant = divided(graph.one(), &by).scale(&constant);
        let parts: Vec<Ex<'g>> = parts.chain([constant]).collect();
        self.if_straight(|reader| {
            reader.note("a root in a denominator is positive".to_owned());
            reader.zeros(graph.sum(&parts), steps)
        })
    }

    /// Zeros that are affine; nothing was noted where they are not.
    fn if_straight(&mut self, zeros: impl FnOnce(&mut Self) -> Set<'g>) -> Option<Set<'g>> {
        let known = (self.why.clone(), self.sides.clone());
        match zeros(self) {
            Set::At(rows) if rows.iter().all(|row| self.is_straight(*row)) => Some(Set::At(rows)),
            _ => {
                (self.why, self.sides) = known;
                None
            }
        }
    }

    /// `u - w^2` for a sum that vanishes where `sqrt(u) = w` with a `w` that is not negative.
    fn without_root(&mut self, x: Ex<'g>, terms: &[(Id, Rational)]) -> Option<Ex<'g>> {
        let mut roots = terms.iter().take(MAX_TERMS);
        let (u, rest) = roots.find_map(|(id, c)| {
            root_beside(x, *id, c).filter(|(_, rest)| self.range(*rest).is_nonnegative())
        })?;
        self.note("a root is what is not negative and has its square".to_owned());
        let square = match rest.node() {
            Node::Call(Function::Abs, inside) => x.graph().ex(inside[0]).pow(2),
            _ => rest.pow(2),
        };
        Some(u - square)
    }

    /// As [`Reader::without_root`] where the sign of `w` is open, if what is left is simpler than that.
    fn without_any_root(
        &mut self,
        x: Ex<'g>,
        terms: &[(Id, Rational)],
        steps: usize,
    ) -> Option<Set<'g>> {
        terms.iter().take(MAX_TERMS).find_map(|(id, c)| {
            let (u, rest) = root_beside(x, *id, c)?;
            self.if_straight(|reader| {
                reader.side(rest, Comparison::NotNegative);
                reader.note("a root is what is not negative and has its square".to_owned());
                reader.zeros(simplified(u - rest.pow(2)), steps)
            })
        })
    }
}

/// `u` and `w` of a sum `c (sqrt(u) - w)` with this term.
fn root_beside<'g>(x: Ex<'g>, term: Id, c: &Rational) -> Option<(Ex<'g>, Ex<'g>)> {
    let graph = x.graph();
    let Node::Product(factors) = graph.node(term) else {
        return None;
    };
    let [(u, e)] = &*factors else { return None };
    let rest = -(x - graph.ex(term).scale(c)).scale(&c.recip()?);
    (e + e).is_one().then_some((graph.ex(*u), rest))
}

/// `x / u^e` for a positive `u`.
fn divided<'g>(x: Ex<'g>, (u, e): &(Id, Rational)) -> Ex<'g> {
    let graph = x.graph();
    let power = |e: &Rational| graph.ex(*u).pow_rational(e);
    let Node::Product(factors) = x.node() else {
        return x * power(&-e);
    };
    let has_it = factors.iter().any(|(base, _)| base == u);
    let rest = factors.iter().map(|(base, own_e)| match base == u {
        true => power(&(own_e - e)),
        false => graph.ex(*base).pow_rational(own_e),
    });
    let all = rest.chain((!has_it).then(|| power(&-e)));
    graph.product(&all.collect::<Vec<_>>())
}

/// A sum as sums of terms that have no moving symbol in common; `None` with terms that have none at all.
fn apart<'g>(x: Ex<'g>, terms: &[(Id, Rational)], moving: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
    let graph = x.graph();
    let is_whole = matches!(x.node(), Node::Sum(constant, _) if constant.is_zero());
    let mut groups: Vec<(Vec<Ex<'g>>, Vec<Ex<'g>>)> = Vec::new();
    for (id, c) in terms.iter().take(MAX_TERMS + 1) {
        let term = graph.ex(*id);
        let inside = moving.iter().filter(|s| term.depends_on(**s)).copied();
        let mut joined = (inside.collect::<Vec<_>>(), vec![term.scale(c)]);
        if joined.0.is_empty() {
            return None;
        }
        let meets = |(symbols, _): &(Vec<Ex<'g>>, _)| symbols.iter().any(|s| joined.0.contains(s));
        let (near, far): (Vec<_>, Vec<_>) = groups.into_iter().partition(meets);
        for (symbols, terms) in near {
            joined.0.extend(symbols);
            joined.1.extend(terms);
        }
        groups = far;
        groups.push(joined);
    }
    let sums = groups.iter().map(|(_, terms)| graph.sum(terms));
    (is_whole && terms.len() <= MAX_TERMS).then(|| sums.collect())
}
