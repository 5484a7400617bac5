//! Derivatives against central differences, substitution, and both on deep expressions.

use crate::common::{Points, on_a_small_stack, point, read, value};
use appell_expr::{Ex, Graph, Matrix, vanishes};
use std::collections::HashMap;

/// Functions, products, powers; each has two values of every name in its domain.
const FUNCTIONS: &[&str] = &[
    "sin(x*y)",
    "cos(x + 2*y)*x",
    "tan(x/2)",
    "asin(x*y/4)",
    "acos(x*y/4)",
    "atan(x - y^2)",
    "sinh(x)*cosh(y)",
    "tanh(x*y)/x",
    "exp(-x^2)*y",
    "log(x + y^2)",
    "abs(x - 3)*y",
    "abs(x - 0.1)",
    "sign(x - 3)*x",
    "atan2(x, y)",
    "atan2(y - 2, x)",
    "min(x^2, 5*y + 9)",
    "max(x, y/9)^2",
    "x^3*y^2",
    "x^2*y/x",
    "sqrt(x^2 + y)",
    "1/sqrt(x + y)^3",
    "(x + y)^(2/3)",
    "x^y",
    "(x*y)^(x - y)",
    "2^x",
    "(x + y)*(x - y)*(x*y + 1)/(x^2 + 1)",
    "sqrt(sin(x)^2 + y*cos(x)^2)",
    "x*(1/(1/x))",
    "pi*x + 3",
];

/// The derivative by five values, of fourth order.
fn central_difference(x: Ex<'_>, at: &HashMap<String, f64>, name: &str) -> f64 {
    let h = 1e-3;
    let shifted = |steps: f64| {
        let mut at = at.clone();
        at.entry(name.to_owned())
            .and_modify(|value| *value += steps * h);
        value(x, &at)
    };
    (8.0 * (shifted(1.0) - shifted(-1.0)) - (shifted(2.0) - shifted(-2.0))) / (12.0 * h)
}

#[test]
fn derivatives_agree_with_central_differences() {
    let mut points = Points(3);
    for text in FUNCTIONS {
        let g = Graph::new();
        let f = read(&g, text);
        for _ in 0..5 {
            let at = point(&[
                ("x", points.between(0.6, 1.6)),
                ("y", points.between(0.6, 1.6)),
            ]);
            for name in ["x", "y"] {
                let got = value(f.diff(g.symbol(name)), &at);
                let expected = central_difference(f, &at, name);
                let error = (got - expected).abs() / expected.abs().max(1.0);
                assert!(
                    error < 1e-8,
                    "d/d{name} {text} at {at:?}: {got}, not {expected}"
                );
            }
        }
    }
}

#[test]
fn derivatives_look_as_in_the_table() {
    let rows = [
        ("x^3", "3*x^2"),
        ("x", "1"),
        ("y", "0"),
        ("sin(x)", "cos(x)"),
        ("cos(2*x)", "-2*sin(2*x)"),
        ("exp(x*y)", "y*exp(x*y)"),
        ("log(x)", "1/x"),
        ("sqrt(x)", "1/(2*sqrt(x))"),
        ("1/x", "-1/x^2"),
        ("abs(x)", "sign(x)"),
        ("sign(x)", "0"),
    ];
    for (text, derivative) in rows {
        let g = Graph::new();
        assert_eq!(
            read(&g, text).diff(g.symbol("x")),
            read(&g, derivative),
            "{text}"
        );
    }
}

/// No division by what may vanish: the derivative of `x^2 y` is finite at 0.
#[test]
fn products_are_differentiated_without_new_poles() {
    let g = Graph::new();
    let origin = point(&[("x", 0.0), ("y", 0.0)]);
    for text in ["x^2*y", "x*y", "x*y*sin(x)", "(x + y)^2*x"] {
        assert_eq!(
            value(read(&g, text).diff(g.symbol("x")), &origin),
            0.0,
            "{text}"
        );
    }
}

#[test]
fn the_rate_is_the_sum_over_all_symbols() {
    let g = Graph::new();
    let rates = [("x", "x'"), ("y", "y'"), ("t", "1")].map(|(s, r)| (read(&g, s), read(&g, r)));
    assert_eq!(
        read(&g, "x^2*y + t*y").rate(&rates),
        read(&g, "2*x*y*x' + (x^2 + t)*y' + y")
    );
}

#[test]
fn symbols_are_replaced_all_at_once() {
    let g = Graph::new();
    let pair = |x: &str, y: &str| (read(&g, x), read(&g, y));
    let swap = [pair("x", "y"), pair("y", "x")];
    assert_eq!(read(&g, "x - 2*y").substitute(&swap), read(&g, "y - 2*x"));
    assert_eq!(read(&g, "x^y").substitute(&swap), read(&g, "y^x"));
    let values = [pair("x", "pi/2"), pair("y", "0")];
    assert_eq!(read(&g, "sin(x)*m + y").substitute(&values), read(&g, "m"));
    assert_eq!(read(&g, "x").substitute(&[]), read(&g, "x"));
    assert_eq!(
        read(&g, "atan2(x, y)").substitute(&[pair("x", "2*z")]),
        read(&g, "atan2(2*z, y)")
    );
}

#[test]
fn symbols_and_dependence() {
    let g = Graph::new();
    let f = read(&g, "z*sin(x) + x");
    let names: Vec<_> = f
        .symbols()
        .into_iter()
        .filter_map(Ex::symbol_name)
        .collect();
    assert_eq!(names, ["x", "z"]);
    assert!(f.depends_on(g.symbol("x")) && !f.depends_on(g.symbol("y")));
}

/// A second derivative of the same function builds nothing new.
/// More symbols than have a bit of their own: what holds one of them is not taken for holding those that share its bit.
#[test]
fn symbols_are_told_apart_however_many_there_are() {
    let g = Graph::new();
    let s: Vec<Ex<'_>> = (0..300).map(|i| g.symbol(&format!("s{i}"))).collect();
    let x: Vec<Ex<'_>> = (0..299).map(|i| s[i].sin() * s[i + 1]).collect();
    let sum = g.sum(&x);
    for i in [0, 1, 127, 128, 129, 255, 256, 298] {
        let other = (i + 128) % 300;
        assert!(x[i].depends_on(s[i]) && x[i].depends_on(s[i + 1]));
        assert!(!x[i].depends_on(s[other]) && !x[i].depends_on_any(&[s[other]]));
        assert_eq!(x[i].symbols(), [s[i], s[i + 1]]);
        assert_eq!(x[i].diff(s[other]), g.zero());
        assert_eq!(x[i].substitute(&[(s[other], g.one())]), x[i]);
        let at_one = x[i].substitute(&[(s[i + 1], g.one())]);
        assert_eq!(at_one, s[i].sin());
        let before = if i > 0 { s[i - 1].sin() } else { g.zero() };
        assert_eq!(sum.diff(s[i]), s[i].cos() * s[i + 1] + before);
        // What is replaced need not be a symbol.
        let others: Vec<Ex<'_>> = x.iter().copied().filter(|y| *y != x[i]).collect();
        assert_eq!(sum.substitute(&[(x[i], g.zero())]), g.sum(&others));
    }
    assert_eq!(sum.symbols().len(), 300);
}

#[test]
fn derivatives_are_remembered() {
    let g = Graph::new();
    let (f, x) = (read(&g, "sin(x*y)^2*exp(x)/y"), read(&g, "x"));
    let first = f.diff(x);
    let size = g.len();
    assert_eq!(f.diff(x), first);
    assert_eq!(g.len(), size);
}

/// `x <- sin(x) + y`, 100,000 times.
fn chain<'g>(g: &'g Graph, length: usize) -> Ex<'g> {
    let (mut x, y) = (g.symbol("x"), g.symbol("y"));
    for _ in 0..length {
        x = x.sin() + y;
    }
    x
}

#[test]
fn deep_expressions_are_differentiated_in_linear_size() {
    on_a_small_stack(|| {
        let g = Graph::new();
        let deep = chain(&g, 100_000);
        let before = g.len();
        let derivative = deep.diff(g.symbol("y"));
        assert!(
            g.len() - before < 5 * before,
            "{} new nodes",
            g.len() - before
        );
        // At the fixed point x = y = 0 the derivative counts the steps.
        let at = point(&[("x", 0.0), ("y", 0.0)]);
        assert_eq!(value(derivative, &at), 100_000.0);
    });
}

#[test]
fn deep_expressions_are_substituted_into() {
    on_a_small_stack(|| {
        let g = Graph::new();
        let deep = chain(&g, 100_000);
        let replaced = deep.substitute(&[(g.symbol("y"), g.zero()), (g.symbol("x"), g.zero())]);
        assert!(replaced.is_zero());
        assert_eq!(g.reachable(&[deep.id()]).len(), 200_002);
        assert_eq!(deep.symbols().len(), 2);
    });
}

/// By the definition for three rows, and 0 for equal ones.
#[test]
fn determinants_are_sums_over_permutations() {
    let g = Graph::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| g.symbol(name));
    let rows = [[a, b, g.zero()], [c, a, b], [b, c, a]];
    let matrix = Matrix::from_fn(&g, 3, 3, |i, j| rows[i][j]);
    let by_hand = a * a * a + b * b * b - a * b * c - b * c * a;
    let found = matrix.determinant().expect("three rows");
    assert!(vanishes(found - by_hand), "{found}");
    let equal = Matrix::from_fn(&g, 2, 2, |_, j| [a, b][j]);
    assert!(equal.determinant().is_some_and(vanishes));
    assert!(
        Matrix::zero(&g, 0, 0)
            .determinant()
            .is_some_and(|x| x.is_one())
    );
    assert!(Matrix::zero(&g, 9, 9).determinant().is_none());
}

/// `(x2 - x1) (x3 - x1) (x3 - x2)`.
#[test]
fn the_determinant_of_vandermonde() {
    let g = Graph::new();
    let x = ["x", "y", "z"].map(|name| g.symbol(name));
    let matrix = Matrix::from_fn(&g, 3, 3, |i, j| x[i].pow(i64::try_from(j).unwrap_or(0)));
    let product = (x[1] - x[0]) * (x[2] - x[0]) * (x[2] - x[1]);
    assert!(
        matrix
            .determinant()
            .is_some_and(|found| vanishes(found - product))
    );
}
