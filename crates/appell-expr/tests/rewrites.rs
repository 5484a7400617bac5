//! The laws of the algebra: every row of the table holds, nothing else is rewritten, and no
//! rewrite changes a value.

use crate::common::{self, Points, point, read, value, value_as_written};
use appell_expr::{Fraction, Fractions, Graph, REWRITES, Rational};
use num_rational::BigRational;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[test]
fn every_row_of_the_table_holds() {
    for row in REWRITES {
        let g = Graph::new();
        let (before, after) = (read(&g, row.before), read(&g, row.after));
        assert_eq!(
            before, after,
            "{}: {} is {before}, not {after}",
            row.name, row.before
        );
        assert_eq!(
            after.to_string(),
            read(&g, &after.to_string()).to_string(),
            "{}",
            row.name
        );
    }
}

#[test]
fn the_rows_have_names_of_their_own() {
    let mut names: Vec<&str> = REWRITES.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), REWRITES.len());
}

/// Pairs that agree somewhere, or look as if they did, and are kept apart.
const KEPT: &[(&str, &str)] = &[
    ("x/x", "1"),
    ("x^2/x", "x"),
    ("x/x^2", "1/x"),
    ("x*x^(-2)*x", "1"),
    ("(x + y)/(x + y)", "1"),
    ("1/(1/x)", "x"),
    ("(1/x)^(-2)", "x^2"),
    ("(x/x)^2", "1"),
    ("sqrt(x^2)", "x"),
    ("sqrt(x^2)", "abs(x)"),
    ("sqrt(x)^2", "x"),
    ("sqrt(x)*sqrt(x)", "x"),
    ("sqrt(x)*sqrt(y)", "sqrt(x*y)"),
    ("sqrt(x^4)", "x^2"),
    ("(x^3)^(1/3)", "x"),
    ("x^(1/2)*x^(-1/2)", "1"),
    ("log(exp(x))", "x"),
    ("exp(log(x))", "x"),
    ("exp(x)*exp(y)", "exp(x + y)"),
    ("log(x^2)", "2*log(x)"),
    ("log(x*y)", "log(x) + log(y)"),
    ("abs(x)^2", "x^2"),
    ("abs(x)", "x"),
    ("abs(x*y)", "abs(x)*abs(y)"),
    ("sign(x)*abs(x)", "x"),
    ("x^a*x^b", "x^(a + b)"),
    ("(x^a)^b", "x^(a*b)"),
    ("(x*y)^a", "x^a*y^a"),
    ("0^x", "0"),
    ("x^0.5*x^0.5", "x"),
    ("sin(asin(x))", "x"),
    ("asin(sin(x))", "x"),
    ("tan(x)", "sin(x)/cos(x)"),
    ("cosh(x)^2 - sinh(x)^2", "1"),
    ("2*sin(x)^2 + 3*cos(x)^2", "5"),
    ("sin(x)^2 + cos(y)^2", "1"),
    ("sin(x)^2 - cos(x)^2", "-1"),
    ("sin(2*x)", "2*sin(x)*cos(x)"),
    ("sin(pi/3)", "sqrt(3)/2"),
    ("tan(pi/2)", "0"),
    ("acos(-x)", "acos(x)"),
    ("log(-x)", "-log(x)"),
    ("exp(-x)", "-exp(x)"),
    ("atan2(y, x)", "atan(y/x)"),
    ("min(x, y)", "min(y, x)"),
    ("(x + y)^2", "x^2 + 2*x*y + y^2"),
    ("x*(y + z)", "x*y + x*z"),
    ("x*y/(x*z)", "y/z"),
];

#[test]
fn what_is_no_identity_is_not_rewritten() {
    for (left, right) in KEPT {
        let g = Graph::new();
        let (x, y) = (read(&g, left), read(&g, right));
        assert_ne!(x, y, "{left} became {x}");
    }
}

#[test]
fn a_pole_stays_a_pole() {
    let origin = point(&[("x", 0.0), ("y", 1.0)]);
    for text in ["x/x", "y*x/x", "x^2/x", "(x^2 + x)/x", "x*x^(-1) + y"] {
        let g = Graph::new();
        assert!(
            !value(read(&g, text), &origin).is_finite(),
            "{text} is {}",
            read(&g, text)
        );
    }
}

#[test]
fn numbers_beyond_reason_are_left_alone() {
    let g = Graph::new();
    let tower = read(&g, "7^(10^9)");
    assert_eq!(tower, read(&g, &tower.to_string()));
    assert!(tower.as_rational().is_none());
    let pole = read(&g, "0^(-1)");
    assert!(pole.as_rational().is_none(), "1/0 is not a number: {pole}");
}

/// Formulas as text with three names, brackets around every part.
fn formula() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::sample::select(vec!["x", "y", "z"]).prop_map(str::to_owned),
        2 => (0..5).prop_map(|n: i32| n.to_string()),
        1 => prop::sample::select(vec!["1/3", "0.5"]).prop_map(|s| format!("({s})")),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let function = prop::sample::select(vec![
            "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "abs", "exp",
        ]);
        let exponent = prop::sample::select(vec![
            "2", "3", "-1", "-2", "(1/2)", "(-1/2)", "(3/2)", "0", "1",
        ]);
        prop_oneof![
            4 => (inner.clone(), prop::sample::select(vec!["+", "-", "*"]), inner.clone())
                .prop_map(|(a, o, b)| format!("({a} {o} {b})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}/{b})")),
            1 => inner.clone().prop_map(|a| format!("(-{a})")),
            1 => inner.clone().prop_map(|a| format!("(a*sin({a})^2 + cos({a})^2*a)")),
            2 => (inner.clone(), exponent).prop_map(|(a, e)| format!("({a})^{e}")),
            1 => (function, inner).prop_map(|(f, a)| format!("{f}({a})")),
        ]
    })
}

/// Quotients of polynomials as text.
fn quotient() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["x", "y", "z"]).prop_map(str::to_owned),
        2 => (1..6).prop_map(|n: i32| n.to_string()),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            4 => (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/"]), inner.clone())
                .prop_map(|(a, o, b)| format!("({a} {o} {b})")),
            1 => inner.prop_map(|a| format!("({a})^2")),
        ]
    })
}

/// Integers of every size, those close to the bounds of machine integers among them.
fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![
        3 => -20..20i64,
        1 => any::<i64>(),
        1 => (0..3i64).prop_map(|n| i64::MAX - n),
        1 => (0..3i64).prop_map(|n| i64::MIN + n),
    ]
}

fn rational() -> impl Strategy<Value = (Rational, BigRational)> {
    (
        integer(),
        integer().prop_filter("a denominator", |d| *d != 0),
    )
        .prop_map(|(n, d)| {
            let exact = BigRational::new(n.into(), d.into());
            let quotient = &Rational::from(n) / &Rational::from(d);
            (quotient.expect("not by 0"), exact)
        })
}

/// Whether a number is this one, in lowest terms.
fn is(x: &Rational, exact: &BigRational) -> bool {
    x.numerator() == *exact.numer() && x.denominator() == *exact.denom()
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(11), cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Numbers are those of a library that knows no machine integers, in lowest terms, and equal ones
    /// are one, however they were made.
    #[test]
    fn rationals_are_exact(x in rational(), y in rational(), z in rational()) {
        let ((x, a), (y, b), (z, _c)) = (x, y, z);
        prop_assert!(is(&(&x + &y), &(&a + &b)) && is(&(&x - &y), &(&a - &b)));
        prop_assert!(is(&(&x * &y), &(&a * &b)) && is(&-&x, &-&a));
        if !y.is_zero() {
            let quotient = (&x / &y).expect("not by 0");
            prop_assert!(is(&quotient, &(&a / &b)));
            prop_assert_eq!(&quotient * &y, x.clone());
        }
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(&(&x + &y) - &y, x.clone());
        prop_assert_eq!(&(&x + &y) * &z, &(&x * &z) + &(&y * &z));
        let cube = x.pow(3).expect("small");
        prop_assert!(is(&cube, &(&a * &a * &a)));
        if !x.is_negative() {
            prop_assert_eq!(cube.root(3), Some(x));
        }
    }

    /// A number is read back from its text.
    #[test]
    fn texts_of_numbers_are_read_back(x in rational()) {
        let g = Graph::new();
        prop_assert_eq!(read(&g, &x.0.to_string()).as_rational(), Some(x.0));
    }

    /// Rational functions form a field, and writing one and reading it changes nothing.
    #[test]
    fn fractions_form_a_field(a in quotient(), b in quotient(), c in quotient()) {
        let g = Graph::new();
        let symbols = ["x", "y", "z"].map(|name| g.symbol(name));
        let mut field = Fractions::new(&g, &symbols);
        let all = [a, b, c].map(|text| field.read(read(&g, &text)));
        if let [Some(a), Some(b), Some(c)] = &all
            && let (Some(ab), Some(ba)) = (field.times(a, b), field.times(b, a))
            && let (Some(sum), Some(bc)) = (field.plus(a, b), field.times(b, c))
            && let (Some(left), Some(ac)) = (field.times(&sum, c), field.times(a, c))
            && let (Some(right), Some(threefold)) = (field.plus(&ac, &bc), field.times(&ab, c))
        {
            // Large ones may keep a common factor, so that equal ones are compared by their values.
            let at = point(&[("x", 0.7), ("y", 1.3), ("z", 1.9)]);
            let same = |p: &Fraction, q: &Fraction| {
                let [p, q] = [p, q].map(|f| value(field.write(f), &at));
                (p - q).abs() <= 1e-6 * p.abs().max(1.0) || !p.is_finite() || !q.is_finite()
            };
            prop_assert!(same(&ab, &ba) && same(&left, &right));
            if let Some(again) = field.times(a, &bc) {
                prop_assert!(same(&threefold, &again));
            }
            if let Some(inverse) = field.inverse(a).filter(|_| !a.is_zero())
                && let Some(one) = field.times(a, &inverse) {
                    let one = value(field.write(&one), &at);
                    prop_assert!((one - 1.0).abs() <= 1e-6 || !one.is_finite());
                }
            let written = field.write(a);
            let value = value(written, &at);
            let again = field.read(written).map(|a| field.write(&a));
            let again = again.map_or(value, |a| common::value(a, &at));
            let close = (again - value).abs() <= 1e-6 * value.abs().max(1.0);
            prop_assert!(close || !value.is_finite() || !again.is_finite(), "{}", written);
        }
    }

    /// In lowest terms a rational function has the values that it had.
    #[test]
    fn lowest_terms_keep_values(text in quotient()) {
        let g = Graph::new();
        let symbols = ["x", "y", "z"].map(|name| g.symbol(name));
        let simplified = Fractions::new(&g, &symbols).simplified(read(&g, &text));
        let mut points = Points(3);
        for _ in 0..3 {
            let at = ["x", "y", "z"].map(|name| (name, points.between(0.4, 1.9)));
            let at = point(&at);
            let expected = value_as_written(&text, &at);
            if expected.is_finite() && expected.abs() < 1e3 {
                let got = value(simplified, &at);
                let close = (got - expected).abs() <= 1e-6 * expected.abs().max(1.0);
                // What vanishes exactly in the algebra may stand in a denominator as written.
                prop_assert!(close || !got.is_finite(), "{}: {} became {} = {}", text, expected, simplified, got);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Worked out as written and worked out from the graph, a formula has one value.
    #[test]
    fn rewriting_keeps_values(text in formula()) {
        let g = Graph::new();
        let x = read(&g, &text);
        let mut points = Points(1);
        for _ in 0..4 {
            let mut at = point(&[]);
            for name in ["a", "x", "y", "z"] {
                at.insert(name.to_owned(), points.between(0.3, 1.7));
            }
            let expected = value_as_written(&text, &at);
            // Far out, rounding errors of a quotient of differences say nothing.
            if expected.is_finite() && expected.abs() < 1e3 {
                let got = value(x, &at);
                let close = (got - expected).abs() <= 1e-9 * expected.abs().max(1.0);
                // What vanishes exactly in the algebra may stand in a denominator as written.
                prop_assert!(close || !got.is_finite(), "{}: {} became {} = {}", text, expected, x, got);
            }
        }
    }

    /// What is printed is read back as the same expression.
    #[test]
    fn texts_are_read_back(text in formula()) {
        let g = Graph::new();
        let x = read(&g, &text);
        let printed = x.to_string();
        prop_assert_eq!(read(&g, &printed).id(), x.id(), "{} printed {}", text, printed);
    }

    /// The same formula looks the same whatever the graph was used for before.
    #[test]
    fn texts_do_not_depend_on_what_was_built_before(
        text in formula(), before in prop::collection::vec(formula(), 3)
    ) {
        let (fresh, used) = (Graph::new(), Graph::new());
        let others: Vec<_> = before.iter().map(|text| read(&used, text)).collect();
        let all = used.product(&[used.sum(&others), others[0]]);
        prop_assert_eq!(read(&fresh, &text).to_string(), read(&used, &text).to_string());
        let x = fresh.symbol("x");
        prop_assert_eq!(
            read(&fresh, &text).diff(x).to_string(),
            read(&used, &text).diff(used.symbol("x")).to_string(),
            "{} after {}", text, all
        );
    }

    /// The order of terms is one: of two that differ one is first, and of three none is before itself.
    #[test]
    fn the_order_of_terms_is_total(texts in prop::collection::vec(formula(), 3)) {
        let g = Graph::new();
        let ids: Vec<_> = texts.iter().map(|text| read(&g, text).id()).collect();
        let [a, b, c] = ids[..] else { unreachable!() };
        for (x, y) in [(a, b), (b, c), (a, c)] {
            prop_assert_eq!(g.order(x, y), g.order(y, x).reverse());
            prop_assert_eq!(g.order(x, y).is_eq(), x == y);
        }
        let mut orders = [a, b, c];
        orders.sort_by(|x, y| g.order(*x, *y));
        prop_assert!(g.order(orders[0], orders[2]).is_le(), "{:?}", texts);
    }
}
