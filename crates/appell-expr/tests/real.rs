//! Signs and zero sets over the real numbers.

use crate::common::read;
use appell_expr::{Graph, Range, Rational, range, real_form};

fn sign(text: &str) -> &'static str {
    let g = Graph::new();
    let range = range(read(&g, text), &|_| Range::all());
    match () {
        () if range.is_positive() => "+",
        () if range.is_negative() => "-",
        () if range.is_nonnegative() => "+0",
        () if range.is_nonpositive() => "-0",
        () => "?",
    }
}

#[test]
fn signs_of_expressions() {
    for (text, wanted) in [
        ("x^2 + 1", "+"),
        ("-x^2 - y^4", "-0"),
        ("x^2 - 1", "?"),
        ("x^2 + 1 - 1", "+0"),
        ("exp(x)", "+"),
        ("exp(x) - 1", "?"),
        ("exp(x^2) - 1", "+0"),
        ("cosh(x) - 1", "+0"),
        ("1 - cosh(x)", "-0"),
        ("2 + sin(x)", "+"),
        ("1 + sin(x)", "+0"),
        ("sin(x)/2 - 1", "-"),
        // cos(2 x - 2 y)/2 - 3/2, 1 - cos(x - y), and sin(2 x)^2 - 1/4, which is 0 somewhere.
        (
            "2*sin(x)*cos(x)*sin(y)*cos(y) + 2*cos(x)^2*cos(y)^2 - cos(x)^2 - cos(y)^2 - 1",
            "-",
        ),
        ("1 - cos(x)*cos(y) - sin(x)*sin(y)", "+0"),
        ("4*sin(x)^2*cos(x)^2 - 1/4", "?"),
        ("tanh(x) - 1", "-"),
        ("tanh(x)", "?"),
        ("atan(x) + 2", "+"),
        ("atan(x) - 3/2", "?"),
        ("atan(x) + 11/7", "+"),
        ("sqrt(x) + 1", "+"),
        ("sqrt(x)", "+0"),
        ("sqrt(1 + x^2) - 1", "+0"),
        ("1/(1 + x^2)", "+"),
        ("1/x^2", "+"),
        ("1/x", "?"),
        ("-1/(2 + cos(x))", "-"),
        ("x^2 - x*y + y^2", "+0"),
        ("x^2 - 2*x*y + y^2", "+0"),
        ("x^2 - 3*x*y + y^2", "?"),
        ("x^2 - x + 1", "+"),
        ("x^2 - 2*x + 1", "+0"),
        ("2*x - x^2 - 2", "-"),
        ("x^4 + x^2*y^2 + 1/3", "+"),
        ("x^3", "?"),
        ("abs(x)", "+0"),
        ("abs(x^2 + 1)", "+"),
        ("max(x^2, y)", "+0"),
        ("min(x^2, y)", "?"),
        ("min(x^2, y^2 + 1)", "+0"),
        ("max(x, 1)", "+"),
        ("log(1 + x^2)", "+0"),
        ("log(2 + x^2)", "+"),
        ("log(x)", "?"),
        ("acos(x)", "+0"),
        ("sign(1 + x^2)", "+"),
        ("(x^2 + 1)*(y^2 + 2)", "+"),
        ("(x^2 + 1)*(-y^2 - 2)", "-"),
        ("pi - 3", "+"),
        ("pi - 22/7", "-"),
        ("sin(x)*sin(y)", "?"),
        ("sin(x)^2 + sin(y)^2 - 3", "-"),
        ("exp(-x^2)", "+"),
        ("exp(-x^2) - 1", "-0"),
        ("1 - exp(-1 - x^2)", "+"),
    ] {
        assert_eq!(sign(text), wanted, "{text}");
    }
}

/// The rows that vanish where an expression does, `none` where it vanishes nowhere.
fn zeros(text: &str) -> String {
    let g = Graph::new();
    let moving = ["x'", "y'", "z'"].map(|v| g.symbol(v));
    let form = real_form(read(&g, text), &moving, &|_| Range::all());
    if form.nowhere {
        return "none".to_owned();
    }
    let mut rows: Vec<String> = form.rows.iter().map(ToString::to_string).collect();
    rows.sort();
    rows.join(", ")
}

fn same(text: &str, wanted: &str) {
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
        letters.sort_unstable();
        letters
    };
    let found = zeros(text);
    assert_eq!(letters(&found), letters(wanted), "{text}: {found}");
}

#[test]
fn zero_sets_of_products_sums_and_functions() {
    for (text, wanted) in [
        ("(x'^2 + 1)*(y' - x*z')", "y' - x*z'"),
        ("exp(x)*cosh(y')*x'", "x'"),
        ("(y' - x*z')^4", "y' - x*z'"),
        ("(2 + sin(x'))*y'^3/(1 + z'^2)", "y'"),
        ("x'^4 + y'^4 + z'^4", "x', y', z'"),
        ("(x' - y)^2 + (y' - x)^2", "x' - y, y' - x"),
        ("x'^2 + y'^2 + 1", "none"),
        ("exp(x')", "none"),
        ("exp(x' - y') - 1", "x' - y'"),
        ("tanh(x' - y')", "x' - y'"),
        ("sinh(x')", "x'"),
        ("atan(x' - y*z')", "x' - y*z'"),
        ("log(x' + y')", "x' + y' - 1"),
        ("log(1 + x'^2)", "x'"),
        ("sqrt(x'^2 + y'^2)", "x', y'"),
        ("x'^3 - y'^3", "x' - y'"),
        ("x'^3 - 8*y^3*y'^3", "x' - 2*y*y'"),
        ("x'^3 + 27", "x' + 3"),
        ("x'^4 - y'^4", "(x' - y')*(x' + y')"),
        ("x'*(x'^2 + y'^2)", "x'"),
        ("x'*(x'^2 + (y' - 1)^2)*z'^2", "x'*z'"),
        ("x'/sqrt(x'^2 + y'^2) - 1", "y'"),
        ("x'/sqrt(x'^2 + y'^2) - 3/5", "x'/sqrt(x'^2 + y'^2) - 3/5"),
        (
            "sqrt(x'^2 + y'^2) - sqrt(z'^2 + 1)",
            "x'^2 + y'^2 - 1 - z'^2",
        ),
        ("sqrt(x'^2 + y'^2) - 5", "x'^2 + y'^2 - 25"),
        ("cosh(x') - 1", "x'"),
        ("abs(x')", "x'"),
        ("abs(x') + abs(y' - z)", "x', y' - z"),
        ("max(abs(x'), y'^2)", "x', y'"),
        ("exp(x') - exp(y')", "x' - y'"),
        ("exp(x')*0 + 3^x' - 1", "x'"),
        ("sqrt(x'^2 + 2*x'*y' + y'^2)", "x' + y'"),
        ("x'^2 - 2*x'*y' + 2*y'^2 - 2*y' + 1", "x' - 1, y' - 1"),
        ("exp(x') + 1", "none"),
        ("tanh(x') - 1", "none"),
        ("atan(x') - 2", "none"),
        ("x'^4 + 1", "none"),
        ("x'^4 + y'^4 - x'*y' + 1", "none"),
        ("-x'^2 - y'^2*z'^2 + x'*y'*z' - 1", "none"),
        ("x'^4*y'^2 + x'^2*y'^4 - 3*x'^2*y'^2 + 11/10", "none"),
        ("x'^4 + y'^4 - 3*x'*y' + 1", "x'^4 + y'^4 - 3*x'*y' + 1"),
        (
            "x'^4*y'^2 + x'^2*y'^4 - 3*x'^2*y'^2 + 1",
            "x'^4*y'^2 + x'^2*y'^4 - 3*x'^2*y'^2 + 1",
        ),
        ("z' - exp(x')", "z' - exp(x')"),
        ("x'^2 + y'^2 - z'^2", "x'^2 + y'^2 - z'^2"),
        ("sin(x')", "sin(x')"),
        ("x'^2 + cosh(y') - 1", "x', y'"),
        ("x'^2 + y'^4 + 2*cosh(z' - x) - 2", "x', y', z' - x"),
        ("sqrt(x'^2 + y'^2) - sqrt(z'^2)", "x'^2 + y'^2 - z'^2"),
        ("sqrt(x'^2 + y'^2) - 2*z'^2", "x'^2 + y'^2 - 4*z'^4"),
    ] {
        same(text, wanted);
    }
}

/// What vanishes everywhere has no rows.
#[test]
fn zero_set_of_zero() {
    let g = Graph::new();
    let form = real_form(g.zero(), &[], &|_| Range::all());
    assert!(form.rows.is_empty() && !form.nowhere);
}

/// `cos(1)` is less than `sin(1)`: functions of numbers are known closely.
#[test]
fn signs_of_numbers() {
    for (text, wanted) in [
        ("cos(1)", "+"),
        ("sin(1) - cos(1)", "+"),
        ("1 - cos(1)^2", "+"),
        ("sin(1)^2 + cos(1)^2 - 1", "+0"),
        ("sqrt(2) - 3/2", "-"),
        ("2^(1/3) - 5/4", "+"),
        ("exp(1) - pi", "-"),
        ("log(2) - 7/10", "-"),
        ("cos(pi/7) - 9/10", "+"),
        ("tan(2)", "-"),
        ("atan2(-1, -2) + 2", "-"),
        ("exp(-1000)", "+"),
        ("x^2 + cos(2)", "?"),
        ("x^2 - cos(2)", "+"),
    ] {
        assert_eq!(sign(text), wanted, "{text}");
    }
}

/// Each of thirty sums has the one before in two terms: 2^30 terms, if it were written out.
#[test]
fn signs_of_nested_sums_are_found_at_once() {
    let g = Graph::new();
    let [p, q, x] = ["p", "q", "x"].map(|name| g.symbol(name));
    let nested = (0..30).fold(x.cos() + 3, |f, _| p * f + q * f);
    let halves = |symbol| match symbol == p || symbol == q {
        true => Range::at(Rational::new(1, 2)),
        false => Range::all(),
    };
    // Nothing but `cos(x) + 3`.
    assert!(range(nested - 1, &halves).is_positive());
    assert!(!range(nested - 3, &halves).excludes_zero());
}

/// Roots of squares are absolute values, and not these where the sign is known.
#[test]
fn roots_of_squares() {
    same("z' - sqrt(x'^2)", "z' - abs(x')");
    same("z' - sqrt((1 + x'^2)^2)", "z' - 1 - x'^2");
    same("z' - sqrt(x'^2 - 2*x' + 1)", "z' - abs(x' - 1)");
    same("z' - max(x'^2 + 1, -y'^2)", "z' - x'^2 - 1");
    same("z' - abs(-3 - cosh(y'))", "z' - cosh(y') - 3");
}
