//! Identities are proved, near-identities are not, on surfaces too; every stack is small.

use appell_expr::{
    Bound, Ex, Finding, Function, Graph, Locus, Program, Question, Rational, Results, Sketch,
    Verdict, decide, opaque_functions, vanishes, verdict,
};

fn program<'g>(symbols: &[Ex<'g>], values: &[Ex<'g>]) -> Program {
    let mut sketch = Sketch::new(values[0].graph());
    sketch.output_list("x", values);
    sketch
        .program(symbols, &["x"])
        .expect("all symbols are inputs")
}

fn all(program: usize, range: std::ops::Range<usize>) -> Results {
    Results { program, range }
}

fn zero() -> Question {
    Question {
        left: all(0, 0..1),
        right: None,
        positive: None,
    }
}

fn finding(x: Ex<'_>) -> Finding {
    let locus = Locus::new(x.symbols());
    let program = program(locus.symbols(), &[x]);
    decide(&locus, &[program], &[zero()])
        .expect("closed")
        .remove(0)
}

fn bound(x: Ex<'_>) -> Bound {
    match finding(x) {
        Finding::Holds(bound) => bound,
        other => panic!("{x}: {other:?}"),
    }
}

#[test]
fn identities_hold() {
    let g = Graph::new();
    let (x, y, z) = (g.symbol("x"), g.symbol("y"), g.symbol("z"));
    let third = g.number(Rational::new(1, 3));
    for identity in [
        (x + y).pow(2) - x.pow(2) - 2 * (x * y) - y.pow(2),
        (x.sin() * y).pow(2) + (x.cos() * y).pow(2) - y.pow(2),
        (x * y).sqrt() - x.sqrt() * y.sqrt(),
        x.call(Function::Exp) * (-x).call(Function::Exp) - 1,
        x / x - 1,
        x.call(Function::Log) * y - y * x.call(Function::Log),
        (2 * x).sin() - 2 * (x.sin() * x.cos()),
        (x + y).sin() - x.sin() * y.cos() - x.cos() * y.sin(),
        (3 * x).cos() - 4 * x.cos().pow(3) + 3 * x.cos(),
        (x * third).sin().pow(3) * 4.into_ex(&g) - 3 * (x * third).sin() + x.sin(),
        (x * (y + z)).cos() - (x * y + x * z).cos(),
        (g.pi() / 3).cos() * 2.into_ex(&g) - 1,
        (x + g.pi() / 2).sin() - x.cos(),
        x.call(Function::Cosh).pow(2) - x.call(Function::Sinh).pow(2) - 1,
        (2 * x).call(Function::Exp) - x.call(Function::Exp).pow(2),
        x.power(y + 2) - x.pow(2) * x.power(y),
        x.call(Function::Abs) - x.pow(2).sqrt(),
        x.call(Function::Abs) * x.call(Function::Sign) - x,
        g.call(Function::Max, &[x, y]) + g.call(Function::Min, &[x, y]) - x - y,
        x.call(Function::Tan) - x.sin() / x.cos(),
        (x.pow(2) + 2 * x.sqrt() * x + x).sqrt() * 0.into_ex(&g),
    ] {
        assert!(vanishes(identity), "{identity}");
    }
}

/// Integers as expressions, to keep formulas readable.
trait IntoEx {
    fn into_ex(self, g: &Graph) -> Ex<'_>;
}

impl IntoEx for i64 {
    fn into_ex(self, g: &Graph) -> Ex<'_> {
        g.int(self)
    }
}

#[test]
fn other_equations_do_not() {
    let g = Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let off = g.number(Rational::new(10_000_001, 10_000_000));
    for wrong in [
        x + y,
        x.pow(2).sqrt() - x,
        x.sin() - x.cos(),
        x.pow(7) - x,
        x.call(Function::Tan) - x,
        (x + y).pow(3) - x.pow(3) - y.pow(3) - 3 * (x * y) * (x + y)
            + g.number(Rational::new(1, 1_000_000_007)),
        (2 * x).sin() - 2 * off * (x.sin() * x.cos()),
        (x + y).cos() - x.cos() * y.cos() - x.sin() * y.sin(),
        (g.pi() / 10).sin() * g.int(4) + 1 + g.int(5).sqrt(),
        g.int(6).sqrt() + g.int(2).sqrt() * g.int(3).sqrt(),
        (x.pow(2).sqrt() + x) * (y.pow(2).sqrt() + y),
        x.call(Function::Abs) + x,
    ] {
        assert!(!vanishes(wrong), "{wrong}");
        assert_eq!(finding(wrong), Finding::Fails, "{wrong}");
    }
}

/// Zero on all sign patterns but one: hard for sampling, and for a careless count of points.
#[test]
fn a_rare_sign_pattern_is_found() {
    let g = Graph::new();
    let names = ["a", "b", "c", "d", "e", "f"];
    let factors: Vec<Ex<'_>> = names
        .iter()
        .map(|name| {
            let x = g.symbol(name);
            x.pow(2).sqrt() + x
        })
        .collect();
    assert_eq!(finding(g.product(&factors)), Finding::Fails);
    let factors: Vec<Ex<'_>> = names
        .iter()
        .map(|name| {
            let x = g.symbol(name);
            x.call(Function::Abs) + x
        })
        .collect();
    assert_eq!(finding(g.product(&factors)), Finding::Fails);
}

#[test]
fn bounds_are_stated_and_small() {
    let g = Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let cube = bound((x + y).pow(3) - x.pow(3) - y.pow(3) - 3 * (x * y) * (x + y));
    assert_eq!(cube.degree, 3);
    assert!(cube.exponent <= -64.0 && cube.points <= 3, "{cube:?}");
    let signs = bound(x.call(Function::Abs) - x.pow(2).sqrt());
    assert!(signs.exponent <= -64.0 && signs.points > 60, "{signs:?}");
    // Independent roots need no more points than polynomials.
    let roots = bound((x + 1).sqrt() * (y + 1).sqrt() * (x + 1).sqrt() - (y + 1).sqrt() * (x + 1));
    assert!(roots.points < 20, "{roots:?}");
    let wide = bound((x + y).pow(4000) * (x - y).pow(4000) - (x.pow(2) - y.pow(2)).pow(4000));
    assert!(wide.degree >= 8000 && wide.exponent <= -64.0, "{wide:?}");
}

/// Identities made by expansion: `p q - expand(p q)` for random polynomials in sines.
#[test]
fn random_identities_by_expansion() {
    let g = Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let atoms = [
        x.sin(),
        y.cos(),
        x * y,
        (x + 2 * y).cos(),
        y.sqrt(),
        g.one(),
    ];
    let mut state = 12_345_u64;
    let mut next = |bound: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    for _ in 0..20 {
        let mut side = || -> Vec<Ex<'_>> {
            (0..4)
                .map(|_| {
                    let c = i64::try_from(next(19)).unwrap_or(1) - 9;
                    c * atoms[usize::try_from(next(6)).unwrap_or(0)]
                })
                .collect()
        };
        let (p, q) = (side(), side());
        let product = g.sum(&p) * g.sum(&q);
        let expanded: Vec<Ex<'_>> = p
            .iter()
            .flat_map(|a| q.iter().map(move |b| *a * *b))
            .collect();
        let identity = product - g.sum(&expanded);
        assert!(vanishes(identity), "{identity}");
        let seventh_digit = g.number(Rational::new(1, 10_000_000));
        let near = identity + seventh_digit * atoms[0];
        assert!(!vanishes(near), "{near}");
    }
}

#[test]
fn a_surface_and_its_sheet() {
    let g = Graph::new();
    let (a, x, y, z) = (g.symbol("a"), g.symbol("x"), g.symbol("y"), g.symbol("z"));
    let mut locus = Locus::new(vec![a, x, y, z]);
    let cone = z.pow(2) - a.pow(2) * (x.pow(2) + y.pow(2));
    locus.on(vec![cone], vec![x, y, z]);
    let on_both = z.pow(4) - a.pow(2) * z.pow(2) * (x.pow(2) + y.pow(2));
    let slant = z - a.call(Function::Abs) * (x.pow(2) + y.pow(2)).sqrt();
    let programs = [program(locus.symbols(), &[on_both, slant, z])];
    let on_sheet = Question {
        left: all(0, 1..2),
        right: None,
        positive: Some(all(0, 2..3)),
    };
    let everywhere = Question {
        left: all(0, 1..2),
        ..zero()
    };
    let found = decide(&locus, &programs, &[zero(), everywhere, on_sheet]).expect("closed");
    assert!(matches!(found[0], Finding::Holds(_)), "{found:?}");
    assert_eq!(found[1], Finding::Fails, "z may be negative");
    assert!(matches!(found[2], Finding::Holds(_)), "{found:?}");
}

#[test]
fn a_reducible_surface_is_met_on_all_its_sheets() {
    let g = Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let mut locus = Locus::new(vec![x, y]);
    locus.on(vec![(x - y) * (x + y)], vec![x, y]);
    let programs = [program(locus.symbols(), &[x - y, x.pow(2) - y.pow(2)])];
    let second = Question {
        left: all(0, 1..2),
        ..zero()
    };
    let found = decide(&locus, &programs, &[zero(), second]).expect("closed");
    assert_eq!(found[0], Finding::FailsAtSome);
    assert!(matches!(found[1], Finding::Holds(_)), "{found:?}");
}

/// Zero on all sheets but one of eight.
#[test]
fn a_rare_sheet_is_found() {
    let g = Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let sheets: Vec<Ex<'_>> = (1..=8).map(|k| x - k * y).collect();
    for missing in [2, 7] {
        let mut locus = Locus::new(vec![x, y]);
        locus.on(vec![g.product(&sheets)], vec![x]);
        let mut others = sheets.clone();
        others.remove(missing);
        let programs = [
            program(locus.symbols(), &[g.product(&others)]),
            program(locus.symbols(), &[g.product(&sheets) * x]),
        ];
        let all_sheets = Question {
            left: all(1, 0..1),
            ..zero()
        };
        let found = decide(&locus, &programs, &[zero(), all_sheets]).expect("closed");
        assert_eq!(found[0], Finding::FailsAtSome);
        assert!(matches!(found[1], Finding::Holds(_)), "{found:?}");
    }
}

/// Two quadrics with all unknowns in both: an equation of their intersection, which is one
/// surface, and one that holds on a sheet of a reducible intersection only.
#[test]
fn coupled_quadrics() {
    let g = Graph::new();
    let symbols = ["a", "x", "y", "z", "w"].map(|name| g.symbol(name));
    let [a, x, y, z, w] = symbols;
    let sphere = x.pow(2) + y.pow(2) + z.pow(2) + w.pow(2) - a;
    let other = x.pow(2) - 2 * y.pow(2) + 3 * (z * w) + x * y - 1;
    let mut locus = Locus::new(symbols.to_vec());
    locus.on(vec![sphere, other], symbols[1..].to_vec());
    let product = (x + y) * sphere - (z - w) * other;
    let near =
        x.pow(2) + y.pow(2) + z.pow(2) + w.pow(2) * g.number(Rational::new(9_999_999, 10_000_000))
            - a;
    let second = |i: usize| Question {
        left: all(0, i..i + 1),
        ..zero()
    };
    let programs = [program(locus.symbols(), &[product, near, x - y])];
    let found = decide(&locus, &programs, &[zero(), second(1), second(2)]).expect("closed");
    let Finding::Holds(bound) = found[0] else {
        panic!("{found:?}");
    };
    // With four sheets that might be apart, 64 bits need log(2^-64)/log(15/16) = 687 points.
    assert!(bound.points < 100, "one surface: {bound:?}");
    assert!(
        bound.degree > 16,
        "the degrees of both rows multiply: {bound:?}"
    );
    assert_eq!(found[1], Finding::Fails);
    assert_eq!(found[2], Finding::Fails);

    // x^2 + y^2 = a with x^4 - y^4 = a (x + y): x + y = 0, or x - y = 1 with x^2 + y^2 = a.
    let mut locus = Locus::new(symbols.to_vec());
    let circle = x.pow(2) + y.pow(2) - a;
    locus.on(vec![circle, x.pow(4) - y.pow(4) - a * (x + y)], vec![x, y]);
    let programs = [program(
        locus.symbols(),
        &[(x + y) * (x - y - 1), x + y, x - y - 1],
    )];
    let found = decide(&locus, &programs, &[zero(), second(1), second(2)]).expect("closed");
    assert!(matches!(found[0], Finding::Holds(_)), "{found:?}");
    assert!(found[1].fails() && found[2].fails(), "{found:?}");
}

#[test]
fn no_points_is_no_proof() {
    let g = Graph::new();
    let x = g.symbol("x");
    let root_of_minus_square = (-x.pow(2)).sqrt();
    assert!(matches!(
        finding(root_of_minus_square - root_of_minus_square * 1.into_ex(&g)),
        Finding::Holds(_)
    ));
    let never = root_of_minus_square * x - x.pow(2);
    assert!(matches!(finding(never), Finding::Open(_)));
    assert!(!vanishes(never));
}

#[test]
fn three_answers() {
    let g = Graph::new();
    let (x, y, z) = (g.symbol("x"), g.symbol("y"), g.symbol("z"));
    assert!(matches!(
        verdict((2 * x).sin() - 2 * (x.sin() * x.cos())),
        Verdict::Proved(_)
    ));
    // Machin's formula, by Gaussian primes.
    let arc = |n: i64| g.number(Rational::new(1, n)).call(Function::Atan);
    let machin = 4 * arc(5) - arc(239) - g.pi() / 4;
    assert!(matches!(verdict(machin), Verdict::Proved(_)));
    let off = g.number(Rational::new(10_000_001, 10_000_000));
    for wrong in [
        (2 * x).sin() - 2 * off * (x.sin() * x.cos()),
        x.call(Function::Log) + y.call(Function::Log) - (2 * x * y).call(Function::Log),
        g.number(Rational::new(1, 1_000_000)),
    ] {
        let Verdict::Refuted(witness) = verdict(wrong) else {
            panic!("{wrong}: {:?}", verdict(wrong));
        };
        assert_eq!(witness.at.len(), wrong.symbols().len());
        assert_ne!(witness.values[0], witness.values[1]);
    }
    // True, but no relation that is looked for: never refuted.
    for open in [
        g.number(Rational::from(2)).sin().call(Function::Asin) - g.pi() + 2,
        (x * y).power(z) - x.power(z) * y.power(z),
    ] {
        assert!(matches!(verdict(open), Verdict::Undecided { .. }), "{open}");
    }
}

#[test]
fn opaque_functions_are_named() {
    let g = Graph::new();
    let x = g.symbol("x");
    let p = program(
        &[x],
        &[x.call(Function::Log) + x.sin() + x.call(Function::Atan)],
    );
    assert_eq!(opaque_functions(&p), vec!["atan", "log"]);
}

#[test]
fn long_chains_need_little_stack() {
    let work = || {
        let g = Graph::new();
        let x = g.symbol("x");
        let mut y = x;
        for _ in 0..20_000 {
            y = (y + x) * g.number(Rational::new(1, 2));
        }
        let long = (y - x).sin();
        assert!(vanishes(long - (y - x).sin() * x / x));
    };
    let thread = std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(work);
    thread.expect("a thread").join().expect("no overflow");
}
