//! Numbers and texts, one into the other and back: decimals as the standard library reads them, formulas with every
//! function as they were.

use crate::common::read;
use appell_expr::{Function, Graph, Rational};
use num_rational::BigRational;
use num_traits::Pow;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A decimal, of any number of digits and from below the smallest double to above the largest.
fn decimal() -> impl Strategy<Value = String> {
    let exponent = prop_oneof![3 => -30..30i32, 2 => -345..-300i32, 1 => 280..310i32];
    let parts = (any::<bool>(), "[0-9]{1,30}", "[0-9]{0,30}", exponent);
    parts.prop_map(|(negative, whole, part, exponent)| {
        let sign = if negative { "-" } else { "" };
        let point = if part.is_empty() { "" } else { "." };
        format!("{sign}{whole}{point}{part}e{exponent}")
    })
}

/// A double of any size that is a number.
fn double() -> impl Strategy<Value = f64> {
    any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("a number", |x| x.is_finite())
}

/// A formula with every function there is, and exponents that are no numbers.
fn formula() -> impl Strategy<Value = String> {
    let names = vec!["x", "y", "theta", "x'", "y''", "m_1", "pi"];
    let leaf = prop_oneof![
        4 => prop::sample::select(names).prop_map(str::to_owned),
        2 => (0..1_000_000i64).prop_map(|n| n.to_string()),
        1 => (1..100i64, 1..100i64).prop_map(|(n, d)| format!("({n}/{d})")),
        1 => (0..1000u32, -12..12i32).prop_map(|(n, e)| format!("{n}.5e{e}")),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let functions = Function::TABLE.map(|(function, ..)| function).to_vec();
        let sign = prop::sample::select(vec!["+", "-", "*", "/", "^"]);
        let call = |(function, x, y): (Function, String, String)| match function.arity() {
            2 => format!("{}({x}, {y})", function.name()),
            _ => format!("{}({x})", function.name()),
        };
        prop_oneof![
            4 => (inner.clone(), sign, inner.clone()).prop_map(|(x, o, y)| format!("({x}){o}({y})")),
            1 => inner.clone().prop_map(|x| format!("-({x})")),
            1 => inner.clone().prop_map(|x| format!("sqrt({x})")),
            3 => (prop::sample::select(functions), inner.clone(), inner).prop_map(call),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(29),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn decimals_become_the_nearest_double(text in decimal()) {
        let exact = Rational::from_decimal(&text).expect("a decimal");
        let expected: f64 = text.parse().expect("a decimal");
        // A fraction knows no negative zero.
        prop_assert_eq!(exact.to_f64() + 0.0, expected + 0.0, "{}", text);
    }

    #[test]
    fn doubles_are_read_back(x in double()) {
        let exact = Rational::from_decimal(&format!("{x:e}")).expect("a decimal");
        prop_assert_eq!(exact.to_f64() + 0.0, x + 0.0);
    }

    #[test]
    fn rounding_keeps_the_order(a in decimal(), b in decimal()) {
        let [a, b] = [a, b].map(|text| Rational::from_decimal(&text).expect("a decimal"));
        let (less, more) = if a <= b { (a, b) } else { (b, a) };
        prop_assert!(less.to_f64() <= more.to_f64());
    }

    #[test]
    fn powers_are_products(n in -1000..1000i64, d in 1..1000i64, exponent in -12..12i64) {
        let (x, exact) = (Rational::new(n, d), BigRational::new(n.into(), d.into()));
        let power = x.pow(exponent);
        prop_assert_eq!(power.is_none(), n == 0 && exponent < 0);
        if let Some(power) = power {
            let size = exact.pow(exponent.unsigned_abs());
            let expected = if exponent < 0 { size.recip() } else { size };
            prop_assert_eq!(&power.numerator(), expected.numer());
            prop_assert_eq!(&power.denominator(), expected.denom());
        }
    }

    #[test]
    fn roots_are_roots(n in 0..1000i64, d in 1..1000i64, degree in 1..9u32) {
        let x = Rational::new(n, d);
        let power = x.pow(i64::from(degree)).expect("small");
        prop_assert_eq!(power.root(degree), Some(x));
        let beside = &power + &Rational::new(1, 1_000_003);
        if let Some(root) = beside.root(degree) {
            prop_assert_eq!(root.pow(i64::from(degree)), Some(beside));
        }
    }

    #[test]
    fn formulas_with_every_function_are_read_back(text in formula()) {
        let g = Graph::new();
        let x = read(&g, &text);
        let printed = x.to_string();
        prop_assert_eq!(read(&g, &printed).id(), x.id(), "{} printed {}", text, printed);
        let fresh = Graph::new();
        prop_assert_eq!(read(&fresh, &printed).to_string(), printed);
    }
}
