//! Scalars and vectors: which operations there are, and what they give.

use crate::model::{Value, Vector};
use appell_expr::{Ex, Function, Graph, Id, Node, Operator, Rational};

/// Why an operation cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The kinds of the operands do not fit; the sentence and the remedy.
    Kinds(&'static str, &'static str),
    /// An exact zero below the line.
    Zero,
}

/// The sentence and the remedy for operands that are neither scalars nor vectors together.
const MIXED: Refusal = Refusal::Kinds(
    "a vector and a scalar cannot be added",
    "take a component with `dot(..., N.x)`, or make both vectors",
);

/// `left operator right`.
pub(crate) fn combined(
    graph: &Graph,
    operator: Operator,
    left: Value,
    right: Value,
) -> Result<Value, Refusal> {
    use Value::{Scalar, Vector};
    match (operator, left, right) {
        (_, Scalar(a), Scalar(b)) => scalars(operator, graph.ex(a), graph.ex(b)),
        (Operator::Add, Vector(a), Vector(b)) => Ok(Vector(add(graph, a, b))),
        (Operator::Sub, Vector(a), Vector(b)) => Ok(Vector(subtract(graph, a, b))),
        (Operator::Add | Operator::Sub, _, _) => Err(MIXED),
        (Operator::Mul, Scalar(c), Vector(a)) | (Operator::Mul, Vector(a), Scalar(c)) => {
            Ok(Vector(scale(graph, graph.ex(c), a)))
        }
        (Operator::Mul, Vector(_), Vector(_)) => Err(Refusal::Kinds(
            "the product of two vectors is not one operation",
            "write `dot(a, b)` or `cross(a, b)`",
        )),
        (Operator::Div, Vector(_), Scalar(c)) if graph.ex(c).is_zero() => Err(Refusal::Zero),
        (Operator::Div, Vector(a), Scalar(c)) => Ok(Vector(scale(graph, graph.ex(c).recip(), a))),
        (Operator::Div, _, Vector(_)) => Err(Refusal::Kinds(
            "nothing can be divided by a vector",
            "divide by its `norm(...)`",
        )),
        (Operator::Pow, _, _) => Err(Refusal::Kinds(
            "vectors have no powers",
            "write `dot(a, a)` for the square of a vector",
        )),
    }
}

fn scalars(operator: Operator, a: Ex<'_>, b: Ex<'_>) -> Result<Value, Refusal> {
    let value = match operator {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mul => with_signs(a * b),
        Operator::Div if b.is_zero() => return Err(Refusal::Zero),
        Operator::Div => with_signs(a / b),
        Operator::Pow if a.is_zero() && b.as_rational().is_some_and(|e| e.is_negative()) => {
            return Err(Refusal::Zero);
        }
        Operator::Pow => match b.as_rational() {
            Some(exponent) => power(a, &exponent),
            None => a.power(b),
        },
    };
    Ok(Value::Scalar(value.id()))
}

/// `a + b`
pub(crate) fn add(graph: &Graph, a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| (graph.ex(a[i]) + graph.ex(b[i])).id())
}

/// `a - b`
pub(crate) fn subtract(graph: &Graph, a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| (graph.ex(a[i]) - graph.ex(b[i])).id())
}

/// `c a`
pub(crate) fn scale(graph: &Graph, c: Ex<'_>, a: Vector) -> Vector {
    a.map(|x| with_signs(graph.ex(c.id()) * graph.ex(x)).id())
}

/// `-a`
pub(crate) fn negated(graph: &Graph, value: Value) -> Value {
    match value {
        Value::Scalar(x) => Value::Scalar((-graph.ex(x)).id()),
        Value::Vector(a) => Value::Vector(a.map(|x| (-graph.ex(x)).id())),
    }
}

/// `a . b`
pub(crate) fn dot(graph: &Graph, a: Vector, b: Vector) -> Ex<'_> {
    let products = [0, 1, 2].map(|i| graph.ex(a[i]) * graph.ex(b[i]));
    graph.sum(&products)
}

/// `a x b`
pub(crate) fn cross(graph: &Graph, a: Vector, b: Vector) -> Vector {
    let component = |i: usize| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (graph.ex(a[j]) * graph.ex(b[k]) - graph.ex(a[k]) * graph.ex(b[j])).id()
    };
    std::array::from_fn(component)
}

/// `|a|`
pub(crate) fn norm(graph: &Graph, a: Vector) -> Ex<'_> {
    sqrt(dot(graph, a, a))
}

/// `sqrt(x)`
pub(crate) fn sqrt(x: Ex<'_>) -> Ex<'_> {
    power(x, &Rational::new(1, 2))
}

/// `x^r`. The root of squares is written as what it is, `sqrt(4*u^2) = 2*abs(u)`: its corner is to be seen.
fn power<'g>(x: Ex<'g>, r: &Rational) -> Ex<'g> {
    match squares(x).filter(|_| !r.is_integer()) {
        Some((c, factors)) => {
            let graph = x.graph();
            let root = |(u, e): (Id, Rational)| match is_even(&(&e * r)) {
                true => graph.ex(u).pow_rational(&(&e * r)),
                false => graph.ex(u).call(Function::Abs).pow_rational(&(&e * r)),
            };
            let roots: Vec<Ex<'g>> = factors.into_iter().map(root).collect();
            graph.number(c).pow_rational(r) * graph.product(&roots)
        }
        None => x.pow_rational(r),
    }
}

/// With `sign(u)` for `u/abs(u)`: its jump is to be seen.
fn with_signs(x: Ex<'_>) -> Ex<'_> {
    let graph = x.graph();
    let product = match x.node() {
        Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
            graph.node(terms[0].0)
        }
        node => node,
    };
    let Node::Product(factors) = product else {
        return x;
    };
    let minus_one = Rational::from(-1);
    let signs = factors.iter().filter(|(_, e)| *e == minus_one);
    let signs = signs.filter_map(|(id, _)| match graph.node(*id) {
        Node::Call(Function::Abs, u) => {
            let is_odd = |e: &Rational| e.to_i64().is_some_and(|e| e > 0 && e % 2 == 1);
            let above = factors.iter().any(|(base, e)| *base == u[0] && is_odd(e));
            above.then(|| graph.ex(u[0]))
        }
        _ => None,
    });
    let signs: Vec<Ex<'_>> = signs.collect();
    let quotients = signs
        .iter()
        .map(|u| u.call(Function::Sign) * u.call(Function::Abs) / *u);
    graph.product(&[vec![x], quotients.collect()].concat())
}

/// `c` and `u_i^e_i`, all `e_i` even, where an expression is a product of these.
fn squares(x: Ex<'_>) -> Option<(Rational, Vec<(Id, Rational)>)> {
    let (c, product) = match x.node() {
        Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
            let (term, c) = terms.first()?;
            (c.clone(), x.graph().node(*term))
        }
        node => (Rational::from(1), node),
    };
    let Node::Product(factors) = product else {
        return None;
    };
    let fits = !c.is_negative() && factors.iter().all(|(_, e)| is_even(e));
    fits.then(|| (c, factors.into_vec()))
}

fn is_even(e: &Rational) -> bool {
    e.to_i64().is_some_and(|e| e % 2 == 0)
}

/// The vector 0.
pub(crate) fn null(graph: &Graph) -> Vector {
    [graph.zero().id(); 3]
}

/// The axis of N of this index.
pub(crate) fn axis(graph: &Graph, index: usize) -> Vector {
    std::array::from_fn(|i| graph.int(i64::from(i == index)).id())
}

/// The components of a value: one or three.
pub(crate) fn components(value: Value) -> Vec<appell_expr::Id> {
    match value {
        Value::Scalar(x) => vec![x],
        Value::Vector(a) => a.to_vec(),
    }
}

/// Applies a map to each component.
pub(crate) fn try_map<E>(
    value: Value,
    mut map: impl FnMut(appell_expr::Id) -> Result<appell_expr::Id, E>,
) -> Result<Value, E> {
    Ok(match value {
        Value::Scalar(x) => Value::Scalar(map(x)?),
        Value::Vector([x, y, z]) => Value::Vector([map(x)?, map(y)?, map(z)?]),
    })
}
