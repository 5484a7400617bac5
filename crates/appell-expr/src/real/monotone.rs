//! Sums that are `F(u) - F(w)` with one strictly monotone `F`: they vanish where `u = w` does.

use super::range::{Range, range};
use crate::graph::{Ex, Graph, Id, Node};

/// The argument of `F`; no name in a model has spaces.
const ARGUMENT: &str = "argument of both sides";
/// More subexpressions than this are not tried as arguments.
const MAX_CANDIDATES: usize = 24;

/// `u` and `w`, if the sum is such a difference of functions of the `moving` symbols.
pub(super) fn arguments<'g>(
    x: Ex<'g>,
    moving: &[Ex<'g>],
    symbol: &dyn Fn(Ex<'g>) -> Range,
) -> Option<[Ex<'g>; 2]> {
    let graph = x.graph();
    let Node::Sum(constant, terms) = x.node() else {
        return None;
    };
    if !constant.is_zero() || terms.len() < 2 {
        return None;
    }
    let terms: Vec<Ex<'g>> = terms.iter().map(|(id, c)| graph.ex(*id).scale(c)).collect();
    let [left, right] = sides(&terms, moving)?;
    let (left, right) = (graph.sum(&left), -graph.sum(&right));
    let rights = written(right, moving);
    written(left, moving).into_iter().find_map(|(u, f)| {
        let (w, _) = rights.iter().find(|(_, other)| *other == f)?;
        grows_or_falls(f, symbol).then_some([u, *w])
    })
}

/// The terms in two groups that have no moving symbol in common.
fn sides<'g>(terms: &[Ex<'g>], moving: &[Ex<'g>]) -> Option<[Vec<Ex<'g>>; 2]> {
    let symbols_of = |x: &Ex<'g>| -> Vec<Ex<'g>> {
        let inside = moving.iter().filter(|v| x.depends_on(**v));
        inside.copied().collect()
    };
    let mut groups: Vec<(Vec<Ex<'g>>, Vec<Ex<'g>>)> = Vec::new();
    for term in terms {
        let mut joined = (symbols_of(term), vec![*term]);
        if joined.0.is_empty() {
            return None;
        }
        let (with, without): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(symbols, _)| symbols.iter().any(|s| joined.0.contains(s)));
        for (symbols, terms) in with {
            joined.0.extend(symbols);
            joined.1.extend(terms);
        }
        groups = without;
        groups.push(joined);
    }
    let mut groups = groups.into_iter().map(|(_, terms)| terms);
    match (groups.next(), groups.next(), groups.next()) {
        (Some(left), Some(right), None) => Some([left, right]),
        _ => None,
    }
}

/// All ways to write an expression as a function of one argument: the argument and the function.
fn written<'g>(x: Ex<'g>, moving: &[Ex<'g>]) -> Vec<(Ex<'g>, Ex<'g>)> {
    let graph = x.graph();
    let s = graph.symbol(ARGUMENT);
    let moves = |x: Ex<'g>| moving.iter().any(|v| x.depends_on(*v));
    let inside: Vec<Ex<'g>> = graph.exs(&graph.reachable(&[x.id()]));
    let inside = inside.into_iter().filter(|u| *u != x && moves(*u));
    let mut found: Vec<(Ex<'g>, Ex<'g>)> = Vec::new();
    for u in inside.take(MAX_CANDIDATES) {
        let whole = x.substitute(&[(u, s)]);
        let solved = moving.iter().filter_map(|v| {
            let slope = u.diff(*v);
            if slope.is_zero() || moves(slope) {
                return None;
            }
            let rest = u - slope * *v;
            Some(x.substitute(&[(*v, (s - rest) / slope)]))
        });
        let mut all = [whole].into_iter().chain(solved);
        if let Some(f) = all.find(|f| !moves(*f)) {
            found.push((u, f));
            found.push((-u, f.substitute(&[(s, -s)])));
        }
    }
    found
}

/// Whether a function of the argument is strictly monotone, whatever the other symbols are.
fn grows_or_falls<'g>(f: Ex<'g>, symbol: &dyn Fn(Ex<'g>) -> Range) -> bool {
    let slope = f.diff(f.graph().symbol(ARGUMENT));
    let bounds = range(slope, symbol);
    if !is_on_an_interval(f, symbol) {
        return false;
    }
    if bounds.is_positive() || bounds.is_negative() {
        return true;
    }
    // The slope of an analytic function that is not constant vanishes at isolated places only.
    let one_sided = bounds.is_nonnegative() || bounds.is_nonpositive();
    let alone = f.symbols().len() == 1;
    one_sided && alone && !slope.is_zero() && is_analytic(f.graph(), f.id())
}

/// Whether a function is continuous, with an interval for its domain: the slope of the tangent is positive on
/// each of its branches, which have values in common.
fn is_on_an_interval<'g>(f: Ex<'g>, symbol: &dyn Fn(Ex<'g>) -> Range) -> bool {
    let graph = f.graph();
    let s = graph.symbol(ARGUMENT);
    if let Node::Product(factors) = f.node()
        && let [(base, _)] = &*factors
        && !graph.ex(*base).diff(s).depends_on(s)
    {
        // The two branches of an odd power have no value in common.
        return true;
    }
    is_on_a_convex_domain(f, &[s], symbol)
}

/// Whether a function is seen to be continuous in some symbols, with a convex domain in their space: it has no poles or jumps, and
/// roots and the like are taken of linear functions only.
pub fn is_on_a_convex_domain<'g>(
    f: Ex<'g>,
    moving: &[Ex<'g>],
    symbol: &dyn Fn(Ex<'g>) -> Range,
) -> bool {
    use crate::function::Function::{Acos, Asin, Atan2, Log, Sign, Tan};
    let graph = f.graph();
    let moves = |x: Ex<'g>| x.depends_on_any(moving);
    let straight = |x: Ex<'g>| moving.iter().all(|s| !moves(x.diff(*s)));
    let never_zero = |x: Ex<'g>| range(x, symbol).excludes_zero();
    let inside = graph.exs(&graph.reachable(&[f.id()])).into_iter();
    inside.filter(|x| moves(*x)).all(|x| match x.node() {
        Node::Product(factors) => factors.iter().all(|(base, e)| {
            let base = graph.ex(*base);
            let whole = !e.is_negative() && (e.is_integer() || straight(base));
            whole || !moves(base) || never_zero(base)
        }),
        Node::Power(base, _) => {
            let base = graph.ex(base);
            !moves(base) || straight(base) || never_zero(base)
        }
        Node::Call(Log, u) => straight(graph.ex(u[0])) || never_zero(graph.ex(u[0])),
        Node::Call(Asin | Acos, u) => straight(graph.ex(u[0])),
        Node::Call(Tan | Atan2 | Sign, _) => false,
        Node::Call(..) | Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum(..) => true,
    })
}

fn is_analytic(graph: &Graph, id: Id) -> bool {
    graph
        .reachable(&[id])
        .into_iter()
        .all(|id| match graph.node(id) {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Sum(..) => true,
            Node::Product(factors) => factors
                .iter()
                .all(|(_, e)| e.is_integer() && !e.is_negative()),
            Node::Power(..) => false,
            Node::Call(f, _) => {
                use crate::function::Function::{Atan, Cos, Cosh, Exp, Sin, Sinh, Tanh};
                matches!(f, Atan | Cos | Cosh | Exp | Sin | Sinh | Tanh)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::super::zeros::real_form;
    use super::*;
    use crate::function::Function;

    type Built = for<'g> fn(Ex<'g>) -> Ex<'g>;

    /// The rows that `F(x) = F(y)` says.
    fn rows(of: Built) -> Vec<String> {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let form = real_form(of(x) - of(y), &[x, y], &|_| Range::all());
        form.rows.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn one_monotone_function_of_two_arguments_is_undone() {
        let growing: [Built; 7] = [
            |x| x + x.call(Function::Sinh),
            |x| x + x.call(Function::Exp),
            |x| x + x.pow(3),
            |x| x.pow(3) + x.pow(5),
            |x| 2 * x + x.sin(),
            |x| 3 * x + (3 * x).call(Function::Atan),
            |x| x * x.pow(2).call(Function::Exp),
        ];
        for of in growing {
            let rows = rows(of);
            assert!(
                ["x - y", "-y + x", "y - x", "-x + y"].contains(&rows[0].as_str()),
                "{rows:?}"
            );
        }
    }

    #[test]
    fn others_are_not() {
        let bent: [Built; 6] = [
            |x| x.call(Function::Tan),
            |x| x - x.pow(-1),
            |x| x + (2 * x).call(Function::Tan),
            |x| x + 2 * x.sin(),
            |x| x - x.pow(3),
            |x| x + x.call(Function::Cosh),
        ];
        for of in bent {
            let rows = rows(of);
            assert!(rows[0].contains("x") && rows[0].len() > 6, "{rows:?}");
        }
    }

    #[test]
    fn arguments_may_be_products_and_squares() {
        let g = Graph::new();
        let (x, y, z) = (g.symbol("x"), g.symbol("y"), g.symbol("z"));
        let of = |u: Ex<'_>| u.id();
        let (left, right) = (
            x + x.call(Function::Sinh),
            y * z + (y * z).call(Function::Sinh),
        );
        let found = arguments(left - right, &[x, z], &|_| Range::all());
        let found = found.expect("u = x, w = y z").map(of);
        assert_eq!(found, [of(x), of(y * z)]);
        let power = |u: Ex<'_>| u.pow(2).call(Function::Exp).id();
        let (a, b) = (g.ex(power(x)) + x.pow(2), g.ex(power(z)) + z.pow(2));
        let found = arguments(a - b, &[x, z], &|_| Range::all());
        assert_eq!(
            found.expect("squares").map(of),
            [of(x.pow(2)), of(z.pow(2))]
        );
    }
}
