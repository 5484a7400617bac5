//! What integrals may be sums of: functions of place and time, and logarithms of factors.

use crate::constraints::candidates::functions::{companions, powers};
use crate::constraints::classes::factored::{factored, quadratic};
use appell_expr::{Ex, Fractions, Function, Graph, Node, Rational};

/// Factors whose logarithms are tried, at most.
const MAX_FACTORS: usize = 28;
/// Products of functions, at most.
const MAX_PRODUCTS: usize = 130;
/// The largest degree of such a product.
const MAX_DEGREE: usize = 4;

/// A function, or the logarithm of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Term<'g> {
    pub value: Ex<'g>,
    /// Whether `log(value)` is meant.
    pub is_log: bool,
}

impl<'g> Term<'g> {
    pub fn plain(value: Ex<'g>) -> Self {
        Self {
            value,
            is_log: false,
        }
    }

    fn log(value: Ex<'g>) -> Self {
        Self {
            value,
            is_log: true,
        }
    }

    /// The derivative by a symbol.
    pub fn diff(&self, symbol: Ex<'g>) -> Ex<'g> {
        let slope = self.value.diff(symbol);
        match self.is_log {
            true => slope / self.value,
            false => slope,
        }
    }
}

/// Coordinates, and the functions of them in some rows with those that derivatives are made of.
pub(super) fn atoms<'g>(coordinates: &[Ex<'g>], v: &[Ex<'g>], rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let Some(graph) = rows.first().map(|row| row.graph()) else {
        return Vec::new();
    };
    let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
    let mut found = coordinates.to_vec();
    let moves = |x: Ex<'g>| coordinates.iter().any(|q| x.depends_on(*q));
    let only_place = |x: Ex<'g>| moves(x) && !v.iter().any(|v| x.depends_on(*v));
    for id in graph.reachable(&roots) {
        let x = graph.ex(id);
        let more = match x.node() {
            Node::Call(function, arguments) if only_place(x) => {
                let others = companions(function, graph.ex(arguments[0]), x);
                others.into_iter().map(|(x, _)| x).collect()
            }
            Node::Product(factors) => {
                let bases = factors.iter().map(|(base, e)| (graph.ex(*base), e));
                let bases = bases.filter(|(base, _)| only_place(*base));
                bases.flat_map(|(base, e)| powers(base, e)).collect()
            }
            Node::Power(base, _) if only_place(x) => match graph.ex(base) {
                base if moves(base) => vec![x],
                base => vec![x / base.call(Function::Log)],
            },
            _ => Vec::new(),
        };
        for x in more {
            push_new(&mut found, x);
        }
    }
    found
}

pub(super) fn push_new<'g>(list: &mut Vec<Ex<'g>>, x: Ex<'g>) {
    if !list.contains(&x) && x.as_rational().is_none() {
        list.push(x);
    }
}

/// What divides the coefficients of some forms, or is a denominator there or in the derivatives of
/// the functions: each a factor as far as contents, repeated factors, squares and rational roots
/// tell. With the factors of some functions.
pub(super) fn factors<'g>(
    graph: &'g Graph,
    coordinates: &[Ex<'g>],
    forms: &[Vec<Ex<'g>>],
    (atoms, functions): (&[Ex<'g>], &[Ex<'g>]),
) -> Vec<Ex<'g>> {
    let mut field = Fractions::new(graph, coordinates);
    let mut found: Vec<Ex<'g>> = Vec::new();
    let coefficients: Vec<Ex<'g>> = forms.iter().flatten().copied().collect();
    let slopes = atoms.iter().flat_map(|x| x.partials(coordinates));
    let sources: Vec<Ex<'g>> = coordinates
        .iter()
        .chain(functions)
        .copied()
        .chain(coefficients)
        .chain(slopes.filter(|x| !matches!(x.node(), Node::Number(_))))
        .collect();
    for x in sources.into_iter().filter(|x| !x.is_zero()) {
        for x in [x, x.recip()] {
            let parts = field.parts(x, coordinates).unwrap_or_default();
            let whole: Vec<Ex<'g>> = parts
                .into_iter()
                .flat_map(|part| factored(&mut field, part, coordinates))
                .collect();
            for x in whole.into_iter().flat_map(simple_factors) {
                push_new(&mut found, x);
            }
        }
    }
    found.truncate(MAX_FACTORS);
    found
}

/// A tangent is a quotient; the logarithm of an exponential is among the functions.
fn simple_factors(x: Ex<'_>) -> Vec<Ex<'_>> {
    match x.node() {
        Node::Call(Function::Exp, _) => Vec::new(),
        Node::Call(Function::Tan, arguments) => {
            let angle = x.graph().ex(arguments[0]);
            vec![angle.cos(), angle.sin()]
        }
        _ => vec![x],
    }
}

/// Arctangents of quadratic factors without real factors, arcsines of roots of quadratic ones, and
/// logarithms whose derivatives have such denominators.
pub(super) fn arcs<'g>(
    graph: &'g Graph,
    coordinates: &[Ex<'g>],
    factors: &[Ex<'g>],
    atoms: &[Ex<'g>],
) -> Vec<Term<'g>> {
    let mut field = Fractions::new(graph, coordinates);
    let mut found = Vec::new();
    for (q, l) in coordinates
        .iter()
        .flat_map(|q| factors.iter().map(move |l| (*q, *l)))
    {
        let Some((a, b, c)) = quadratic(&mut field, l, q) else {
            continue;
        };
        let gap = field.simplified(4 * a * c - b.pow(2));
        let top = 2 * a * q + b;
        if let Some(root) = field.square_root(gap) {
            let (top, root) = match field.cleared(&[top, root]).as_deref() {
                Some([top, root]) => (*top, *root),
                _ => (top, root),
            };
            found.push(Term::plain((top / root).call(Function::Atan)));
        } else if let Some((root, scale)) = irrational_root(&mut field, gap, coordinates) {
            let ratio = field.simplified(top / root) / scale;
            found.push(Term::plain(ratio.call(Function::Atan) / scale));
        } else if let Some((root, scale)) = irrational_root(&mut field, -gap, coordinates) {
            let ratio = field.simplified(top / root);
            // The square is positive on both sides of the zeros.
            let square = ((ratio - scale) / (ratio + scale)).pow(2);
            found.push(Term::plain(square.call(Function::Log) / scale));
        }
    }
    for atom in atoms {
        found.extend(arcs_of_root(&mut field, *atom, coordinates));
    }
    found
}

/// `x = (r s)^2` with a function `r` and a constant `s`, the root of a small number or of all.
fn irrational_root<'g>(
    field: &mut Fractions<'g>,
    x: Ex<'g>,
    coordinates: &[Ex<'g>],
) -> Option<(Ex<'g>, Ex<'g>)> {
    let graph = x.graph();
    for c in [2, 3, 5, 6, 7, 10, 11, 13, 14, 15] {
        if let Some(root) = field.square_root(c * x) {
            return Some((root.scale(&Rational::new(1, c)), graph.int(c).sqrt()));
        }
    }
    let is_negative = x.as_rational().is_some_and(|x| x.is_negative());
    let still = coordinates.iter().all(|q| !x.depends_on(*q));
    (still && !is_negative).then(|| (graph.one(), x.sqrt()))
}

/// Of `sqrt(a q^2 + b q + c)`.
fn arcs_of_root<'g>(
    field: &mut Fractions<'g>,
    atom: Ex<'g>,
    coordinates: &[Ex<'g>],
) -> Vec<Term<'g>> {
    let Node::Product(powers) = atom.node() else {
        return Vec::new();
    };
    let [(base, exponent)] = &*powers else {
        return Vec::new();
    };
    if *exponent != Rational::new(1, 2) {
        return Vec::new();
    }
    let base = atom.graph().ex(*base);
    let one = |q: &Ex<'g>| {
        let (a, b, c) = quadratic(field, base, *q)?;
        let top = 2 * a * *q + b;
        if let Some(root) = field.square_root(a) {
            return Some(Term::log(top + 2 * root * atom));
        }
        field.square_root(-a)?;
        let width = field.simplified(b.pow(2) - 4 * a * c);
        let root = field.square_root(width).unwrap_or_else(|| width.sqrt());
        let line = field.simplified(-top / root);
        Some(Term::plain(line.call(Function::Asin)))
    };
    coordinates.iter().filter_map(one).collect()
}

/// Products of atoms and the logarithms of factors, the simple ones first.
pub(super) fn sums_of<'g>(
    atoms: &[Ex<'g>],
    factors: &[Ex<'g>],
    arcs: &[Term<'g>],
) -> Vec<Term<'g>> {
    let mut terms: Vec<Term<'g>> = factors.iter().map(|l| Term::log(*l)).collect();
    terms.extend(arcs);
    terms.extend(
        products(atoms, MAX_DEGREE, MAX_PRODUCTS)
            .into_iter()
            .map(Term::plain),
    );
    terms
}

/// Products of up to so many factors, those of few first, until there are enough.
pub(super) fn products<'g>(atoms: &[Ex<'g>], degree: usize, most: usize) -> Vec<Ex<'g>> {
    let mut all: Vec<(usize, Ex<'g>)> = atoms.iter().copied().enumerate().collect();
    let mut found = Vec::new();
    atoms.iter().for_each(|x| push_new(&mut found, *x));
    let mut begin = 0;
    for _ in 1..degree {
        let end = all.len();
        for index in begin..end {
            let (last, shorter) = all[index];
            for (place, x) in atoms.iter().enumerate().skip(last) {
                if found.len() >= most {
                    break;
                }
                let longer = shorter * *x;
                all.push((place, longer));
                push_new(&mut found, longer);
            }
        }
        begin = end;
        if all.len() >= most {
            break;
        }
    }
    found.truncate(most);
    found
}
