//! Balls hold the true value: against values to 60 digits from elsewhere, at many precisions and with
//! arguments of every size, exact and wide ones.

use crate::common;
use appell_expr::{
    Ball, Balls, Function, Graph, Locus, NoValue, Numbers, Rational, SlotSolve, SolveKind,
};

/// `name argument .. = value`, from mpmath.
const VALUES: &str = include_str!("data/enclosures.txt");

struct Known {
    name: String,
    arguments: Vec<Rational>,
    value: Rational,
}

fn known() -> Vec<Known> {
    let number = |text: &str| Rational::from_decimal(text).unwrap_or_else(|| panic!("{text}"));
    let of = |line: &str| {
        let (left, right) = line.split_once(" = ")?;
        let mut words = left.split(' ');
        Some(Known {
            name: words.next()?.to_owned(),
            arguments: words.map(number).collect(),
            value: number(right),
        })
    };
    let lines = VALUES.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| of(line).expect("name = value")).collect()
}

/// The named operation over balls.
fn value(balls: &mut Balls, known: &Known, x: &[Ball]) -> Result<Ball, NoValue> {
    let whole = |i: usize| known.arguments[i].to_i64().expect("a small number");
    match known.name.as_str() {
        "add" => Ok(balls.add(&x[0], &x[1])),
        "mul" => Ok(balls.mul(&x[0], &x[1])),
        "div" => {
            let inverse = balls.exact_power(&x[1], &Rational::from(-1))?;
            Ok(balls.mul(&x[0], &inverse))
        }
        "pow" => balls.power(&x[0], &x[1]),
        "root" => balls.exact_power(&x[0], &Rational::new(1, whole(1))),
        "ipow" => balls.exact_power(&x[0], &Rational::from(whole(1))),
        name => {
            let function = Function::from_name(name).expect("a function");
            balls.call(function, &x.iter().collect::<Vec<_>>())
        }
    }
}

/// The known value with the error of its 60 digits.
fn reference(known: &Known, bits: u64) -> Ball {
    let ball = |x: &Rational| Ball::rational(x, bits);
    let mut balls = Balls::new(bits);
    // The 60th digit may be off by one.
    let unit = Rational::from_decimal("1e-59").expect("a number");
    let off = balls.mul(&ball(&known.value), &ball(&unit));
    let above = balls.add(&ball(&known.value), &off);
    let below = ball(&known.value).minus(&off, bits);
    let [low, high] = [&below, &above];
    balls.hull(low, high)
}

#[test]
fn the_true_value_lies_within() {
    let mut tried = 0;
    for bits in [64, 100, 256, 777, 1500] {
        let mut balls = Balls::new(bits);
        for known in known() {
            let x: Vec<Ball> = known
                .arguments
                .iter()
                .map(|x| Ball::rational(x, bits))
                .collect();
            let text = || format!("{} {:?} at {bits} bits", known.name, known.arguments);
            let Ok(found) = value(&mut balls, &known, &x) else {
                // With few bits an argument near a pole or an end may be too wide.
                assert!(bits < 777, "{}", text());
                continue;
            };
            tried += 1;
            let reference = reference(&known, 2 * bits + 256);
            assert!(found.meets(&reference), "{}: {found:?}", text());
        }
    }
    assert!(tried > 1000, "{tried}");
}

/// Small, too: with 1100 bits every argument is reduced, and no more is lost than it costs.
#[test]
fn the_balls_are_small() {
    let mut balls = Balls::new(1100);
    for known in known() {
        let x: Vec<Ball> = known
            .arguments
            .iter()
            .map(|x| Ball::rational(x, 1100))
            .collect();
        let found = value(&mut balls, &known, &x).unwrap_or_else(|_| panic!("{}", known.name));
        let size = known.value.to_f64().abs();
        let scale = if size > 1e-290 && size < 1e290 {
            size
        } else {
            1.0
        };
        let text = || format!("{} {:?}: {:e}", known.name, known.arguments, found.error());
        assert!(found.error() <= 1e-40 * scale || size > 1e290, "{}", text());
    }
}

/// Arguments that are known to a few digits only: `(x + big) - big`.
#[test]
fn wide_arguments_hold_the_true_value() {
    let mut tried = 0;
    for digits in [0, 5, 9, 14, 17, 18, 19, 20, 21] {
        let big = Rational::from(10).pow(digits).expect("a power");
        let mut balls = Balls::new(64);
        let big = balls.number(&big);
        for known in known() {
            let wide = |x: &Rational, balls: &mut Balls| {
                let x = Ball::rational(x, 64);
                balls.add(&x, &big).minus(&big, 64)
            };
            // Exponents that have to be exact stay so.
            let exact = usize::from(matches!(known.name.as_str(), "root" | "ipow"));
            let count = known.arguments.len() - exact;
            let mut x: Vec<Ball> = Vec::new();
            for argument in &known.arguments[..count] {
                x.push(wide(argument, &mut balls));
            }
            let Ok(found) = value(&mut balls, &known, &x) else {
                continue;
            };
            tried += 1;
            let text = || format!("{} {:?} beside 1e{digits}", known.name, known.arguments);
            assert!(
                found.meets(&reference(&known, 512)),
                "{}: {found:?}",
                text()
            );
        }
    }
    assert!(tried > 1000, "{tried}");
}

/// Piecewise functions: one side where the ball tells, all that may be where it does not.
#[test]
fn pieces_are_enclosed() {
    let mut balls = Balls::new(64);
    let ball = |text: &str| Ball::rational(&Rational::from_decimal(text).expect("a number"), 64);
    let (one, two) = (ball("1"), ball("-2"));
    let third = Ball::rational(&Rational::new(1, 3), 64);
    let doubt = third.minus(&third, 64);
    assert!(!doubt.excludes_zero() && !doubt.is_zero());
    let mut call = |f: Function, x: &[&Ball]| balls.call(f, x);
    let exactly =
        |x: Result<Ball, NoValue>, y: i64| x.expect("known").minus(&Ball::from(y), 64).is_zero();
    assert!(exactly(call(Function::Abs, &[&two]), 2));
    assert!(exactly(call(Function::Sign, &[&two]), -1));
    assert!(exactly(call(Function::Sign, &[&Ball::zero()]), 0));
    assert!(exactly(call(Function::Min, &[&one, &two]), -2));
    assert!(exactly(call(Function::Max, &[&one, &two]), 1));
    assert_eq!(call(Function::Sign, &[&doubt]).err(), Some(NoValue::Wide));
    let size = call(Function::Abs, &[&doubt]).expect("enclosed");
    assert!(size.is_not_negative() && size.error() < 1e-18);
    for (a, b) in [(&doubt, &Ball::zero()), (&Ball::zero(), &doubt)] {
        for f in [Function::Min, Function::Max] {
            let found = call(f, &[a, b]).expect("enclosed");
            assert!(found.meets(&Ball::zero()) && found.error() < 1e-18);
        }
    }
    // The cut of the angle, poles, ends of domains.
    assert_eq!(
        call(Function::Atan2, &[&doubt, &two]).err(),
        Some(NoValue::Wide)
    );
    assert!(call(Function::Atan2, &[&doubt, &one]).is_ok());
    assert_eq!(call(Function::Log, &[&two]).err(), Some(NoValue::Undefined));
    assert_eq!(call(Function::Log, &[&doubt]).err(), Some(NoValue::Wide));
    assert_eq!(
        call(Function::Asin, &[&two]).err(),
        Some(NoValue::Undefined)
    );
    assert_eq!(
        balls.exact_power(&two, &Rational::new(1, 2)).err(),
        Some(NoValue::Undefined)
    );
    assert_eq!(
        balls.exact_power(&doubt, &Rational::new(1, 2)).err(),
        Some(NoValue::Wide)
    );
    assert_eq!(
        balls.exact_power(&doubt, &Rational::from(-1)).err(),
        Some(NoValue::Wide)
    );
    let square = balls
        .exact_power(&doubt, &Rational::from(2))
        .expect("enclosed");
    assert!(square.is_not_negative());
    assert!(balls.exact_power(&square, &Rational::new(1, 2)).is_ok());
}

fn solve(kind: SolveKind, matrix: &[i64], right: &[i64], bits: u64) -> Result<Vec<Ball>, NoValue> {
    let n = right.len();
    let solve = SlotSolve {
        name: "x".to_owned(),
        kind,
        size: n,
        columns: 1,
        matrix: Vec::new(),
        right: Vec::new(),
        unknowns: 0,
    };
    let seventh = Rational::new(1, 7);
    let ball = |x: &i64, balls: &mut Balls| {
        let scaled = balls.number(&seventh);
        balls.mul(&Ball::from(*x), &scaled)
    };
    let mut balls = Balls::new(bits);
    let matrix = matrix.iter().map(|x| ball(x, &mut balls)).collect();
    let mut right: Vec<Ball> = right.iter().map(|x| ball(x, &mut balls)).collect();
    balls.solve(&solve, matrix, &mut right).map(|()| right)
}

#[track_caller]
fn assert_solution(found: &[Ball], wanted: &[(i64, i64)]) {
    for (x, (p, q)) in found.iter().zip(wanted) {
        let wanted = Ball::rational(&Rational::new(*p, *q), 512);
        assert!(
            x.meets(&wanted) && x.error() < 1e-60,
            "{x:?} is not {p}/{q}"
        );
    }
}

/// Hilbert's matrix times its denominators, and matrices whose rows depend on each other.
#[test]
fn linear_systems_are_enclosed() {
    let general = SolveKind::General;
    let found = solve(general, &[2, 1, 1, 3], &[1, 2], 256).expect("regular");
    assert_solution(&found, &[(1, 5), (3, 5)]);
    // 840 H_4 x = 840 (1, 0, 0, 0): the first column of the inverse.
    let hilbert: Vec<i64> = (0..16).map(|k| 840 / (k / 4 + k % 4 + 1)).collect();
    let found = solve(SolveKind::PositiveDefinite, &hilbert, &[840, 0, 0, 0], 256);
    assert_solution(
        &found.expect("regular"),
        &[(16, 1), (-120, 1), (240, 1), (-140, 1)],
    );
    let twice = [1, 2, 2, 4];
    assert!(solve(general, &twice, &[1, 2], 256).is_err());
    let least = SolveKind::OfRows { unique: 0 };
    let found = solve(least, &twice, &[1, 2], 256).expect("consistent");
    assert_solution(&found, &[(1, 5), (2, 5)]);
    assert_eq!(
        solve(least, &twice, &[1, 3], 256).err(),
        Some(NoValue::Undefined)
    );
    let unique = SolveKind::OfRows { unique: 1 };
    assert!(solve(unique, &twice, &[1, 2], 256).is_err());
    // The first unknown is the same in every solution.
    let found = solve(unique, &[1, 0, 0, 0, 1, 1, 0, 1, 1], &[3, 5, 5], 256).expect("unique");
    assert_solution(&found, &[(3, 1), (5, 2), (5, 2)]);
}

/// Nearly singular: too wide with few bits, solved with more.
#[test]
fn more_bits_solve_what_few_do_not() {
    let big = 1_i64 << 40;
    let matrix = [big, big + 1, big - 1, big];
    assert!(solve(SolveKind::General, &matrix, &[1, 1], 64).is_err());
    let found = solve(SolveKind::General, &matrix, &[1, 1], 512).expect("regular");
    assert_solution(&found, &[(-1, 1), (1, 1)]);
}

#[test]
fn only_certain_digits_are_printed() {
    let third = Ball::rational(&Rational::new(1, 3), 256);
    assert_eq!(third.decimal(20), "3.3333333333333333333e-1");
    let few = Ball::rational(&Rational::new(1, 3), 40);
    let digits = few.decimal(20);
    assert!(
        digits.len() < 16 && digits.starts_with("3.333333"),
        "{digits}"
    );
    let doubt = third.minus(&third, 256);
    let digits = doubt.decimal(20);
    assert!(digits.starts_with("0e-7"), "{digits}");
    assert_eq!(Ball::zero().decimal(20), "0");
    assert_eq!(Ball::from(-1250).decimal(4), "-1.250e3");
}

/// Newton's method and its inclusion, with rows of very different sizes: the exact root lies within.
#[test]
fn states_on_rows_are_enclosed() {
    let g = Graph::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| g.symbol(name));
    let rows = [
        "1e60*(x^2 + y^2 - 2)",
        "1e-60*(x - y*z)",
        "(x - y*z)*exp(y)",
    ];
    for (count, dependent) in [(2, false), (3, true)] {
        let mut locus = Locus::new(vec![x, y, z]);
        let rows = rows[..count].iter().map(|row| common::read(&g, row));
        locus.on(rows.collect(), vec![x, y]);
        let approach = locus.approach().expect("it speaks of its symbols");
        let guess = [
            Rational::new(2, 5),
            Rational::new(7, 5),
            Rational::new(1, 3),
        ];
        for bits in [128, 256, 1024] {
            let mut balls = Balls::new(bits);
            let found = approach.near(&guess, &mut balls).expect("it is near");
            assert_eq!((found.rank, found.dependent), (2, dependent));
            let fifth = Ball::rational(&Rational::new(1, 5), 2048);
            let wanted = Balls::new(2048).exact_power(&fifth, &Rational::new(1, 2));
            let wanted = wanted.expect("positive");
            assert!(found.point[0].meets(&wanted), "{bits}: {:?}", found.point);
            assert!(found.point[0].error() < 1e-30 && !found.point[0].is_zero());
        }
    }
}

/// A double root has no certain neighbourhood, a point off the real rows has no root.
#[test]
fn states_that_cannot_be_verified_are_none() {
    let g = Graph::new();
    let [x, y] = ["x", "y"].map(|name| g.symbol(name));
    for rows in [
        "(x - y)^2 + (x - 1/3)^2",
        "x^2 + y^2 + 1/10^12",
        "abs(x) + 1/10^9",
        "(3*x - 1)^3",
    ] {
        let mut locus = Locus::new(vec![x, y]);
        locus.on(vec![common::read(&g, rows)], vec![x, y]);
        let approach = locus.approach().expect("it speaks of its symbols");
        let guess = [Rational::new(2, 5), Rational::new(7, 5)];
        let found = approach.near(&guess, &mut Balls::new(256));
        assert!(found.is_err(), "{rows}: {found:?}");
    }
}

/// The three answers at every scale: what is tiny is not 0, what cancels at 1e60 is.
#[test]
fn verdicts_do_not_depend_on_scale() {
    use appell_expr::{Verdict, verdict};
    let g = Graph::new();
    for scale in ["1e-60", "1e-40", "1", "1e30", "1e60"] {
        for (text, holds) in [
            ("log(2 + x^2)", false),
            ("log(2*exp(x)) - log(2) - x", true),
            ("log(2*exp(x)) - log(2) - x*(1 + 1e-90)", false),
            (
                "sqrt(x^2 + 1 + 2*y^2 + 2*sqrt(y^2 + 1)) - sqrt((sqrt(y^2 + 1) + 1)^2 + y^2 + x^2 - 1)",
                true,
            ),
            ("sin(2*x) - 2*sin(x)*cos(x)", true),
            ("sin(2*x) - (2 + 1e-70)*sin(x)*cos(x)", false),
            ("exp(x*y)*1e-300", false),
        ] {
            let x = common::read(&g, &format!("{scale}*({text})"));
            let found = verdict(x);
            let refuted = matches!(found, Verdict::Refuted(_));
            assert_eq!(refuted, !holds, "{scale}*({text}): {found:?}");
        }
    }
}
