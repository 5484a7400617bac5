//! Whether sections meet what is known of constructed sets, and whether bounds count all of it.
//!
//! The components, degrees and ranks are those of textbooks. Of an irreducible polynomial a random
//! specialisation has one root on average, so that a section has one point on average in every
//! component; in a component of degree 1 it has exactly one.

use super::arithmetic::Random;
use super::identity::{Bound, Cover, Finding, Question, decide, vanishes};
use super::locus::{Base, Drawing, Locus, compile, results};
use super::prime::PrimeField;
use super::surface::Parts;
use crate::function::Function;
use crate::graph::{Ex, Graph};

const TURNS: u64 = 40_320;
/// Wanted of every proof.
const EXPONENT: f64 = -64.0;

fn symbols(g: &Graph) -> [Ex<'_>; 6] {
    ["a", "b", "c", "d", "e", "f"].map(|name| g.symbol(name))
}

fn settled(locus: &Locus<'_>) -> (Drawing, Parts) {
    let mut drawing = Drawing::new(locus).expect("closed");
    drawing.settle(
        locus,
        Base {
            denominator: 1,
            m: TURNS,
        },
    );
    let error = drawing.error();
    let parts = drawing.parts().next().cloned();
    (drawing, parts.unwrap_or_else(|| panic!("{error:?}")))
}

/// Of so many draws, how many points each has at which the members of a list vanish, and how many
/// points it has.
fn counts(
    drawing: &Drawing,
    locus: &Locus<'_>,
    members: &[Ex<'_>],
    draws: usize,
) -> Vec<(Vec<usize>, usize)> {
    let program = compile(locus.symbols(), members).expect("closed");
    let mut random = Random(23);
    let mut of_draw = || {
        let mut field = PrimeField::draw(&mut random, TURNS);
        let points = drawing.points(&mut field, 0).ok()?;
        let mut vanishing = vec![0; members.len()];
        for point in &points {
            let values = results(&program, &mut field, point).ok()?;
            for (count, value) in vanishing.iter_mut().zip(values) {
                *count += usize::from(value == 0);
            }
        }
        Some((vanishing, points.len()))
    };
    (0..draws).filter_map(|_| of_draw()).collect()
}

fn on<'g>(symbols: &[Ex<'g>], rows: &[Ex<'g>], unknowns: &[Ex<'g>]) -> Locus<'g> {
    let mut locus = Locus::new(symbols.to_vec());
    locus.on(rows.to_vec(), unknowns.to_vec());
    locus
}

fn mean(counts: &[(Vec<usize>, usize)], of: impl Fn(&(Vec<usize>, usize)) -> usize) -> f64 {
    counts.iter().map(of).sum::<usize>() as f64 / counts.len() as f64
}

/// Bezout: 2 times 3 linear spaces, each met once by every section.
#[test]
fn a_section_meets_every_factor_of_two_products() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, d, ..] = u;
    let left = [b + a * c, 2 * b - c + 3 * d + 1];
    let right = [d - a, b + 5 * c - d, 7 * b + c - a * d + 2];
    let rows = [g.product(&left), g.product(&right)];
    let locus = on(&u, &rows, &u[1..4]);
    let (drawing, parts) = settled(&locus);
    assert_eq!((parts.degree, parts.is_one, parts.branches), (6, false, 0));
    let pairs = left
        .iter()
        .flat_map(|x| right.iter().map(|y| x.pow(2) + 3 * y.pow(2)));
    let pairs: Vec<Ex<'_>> = pairs.collect();
    let met = counts(&drawing, &locus, &pairs, 20);
    assert_eq!(met.len(), 20, "every draw has points");
    assert!(met.iter().all(|m| *m == (vec![1; 6], 6)), "{met:?}");
}

/// A linear factor, a quadric, and a cubic: 1, 1 and 1 points on average, 6 in all at most.
#[test]
fn factors_of_higher_degree_are_met_in_their_share() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, d, ..] = u;
    let quadric = b.pow(2) + a * c * d - c.pow(2) - 3;
    let cubic = c.pow(3) + a * b * d + d.pow(3) - b + 5;
    let factors = [b - 2 * c + a * d, quadric, cubic];
    let locus = on(&u, &[g.product(&factors)], &u[1..4]);
    let (drawing, parts) = settled(&locus);
    assert_eq!((parts.degree, parts.is_one), (6, false));
    let met = counts(&drawing, &locus, &factors, 400);
    assert_eq!(met.len(), 400);
    assert!(met.iter().all(|(on, _)| on[0] == 1 && on[1] % 2 == 0));
    for factor in 0..3 {
        let share = mean(&met, |m| m.0[factor]);
        assert!((share - 1.0).abs() < 0.3, "{factor}: {share}");
    }
    let full = |count: usize, factor: usize| met.iter().any(|m| m.0[factor] == count);
    assert!(full(2, 1) && full(3, 2), "all points of a factor at once");
}

/// `v1 x v2 = 0`: matrices of rank 1, the cone over a line times a plane, of degree 3 in codimension 2;
/// two of the three rows cut out a space beside it.
#[test]
fn a_space_beside_parallel_vectors() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, d, e, f] = u;
    let cross = [a * e - b * d, a * f - c * d, b * f - c * e];
    let all = on(&u, &cross, &u);
    let (_, parts) = settled(&all);
    assert_eq!(
        (parts.degree, parts.is_one, parts.has_singular),
        (3, true, false)
    );
    let two = on(&u, &cross[..2], &u);
    let (drawing, parts) = settled(&two);
    assert_eq!(
        (parts.degree, parts.is_one, parts.has_singular),
        (4, false, false)
    );
    let members = [a.pow(2) + 3 * d.pow(2), cross[2]];
    let met = counts(&drawing, &two, &members, 400);
    assert!(
        met.iter()
            .all(|(on, points)| on[0] == 1 && on[1] + 1 == *points)
    );
    let share = mean(&met, |m| m.0[1]);
    assert!((share - 1.0).abs() < 0.3, "{share}");
}

/// Two quadrics through a twisted cubic meet in it and a line, each with a cone over it here.
#[test]
fn a_line_beside_a_twisted_cubic() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, d, ..] = u;
    let rows = [a * c - b.pow(2), a * d - b * c, b * d - c.pow(2)];
    let (_, parts) = settled(&on(&u, &rows, &u[..4]));
    assert_eq!((parts.degree, parts.is_one), (3, true));
    let two = on(&u, &rows[..2], &u[..4]);
    let (drawing, parts) = settled(&two);
    assert_eq!((parts.degree, parts.is_one), (4, false));
    let met = counts(&drawing, &two, &[a.pow(2) + 3 * b.pow(2), rows[2]], 300);
    assert!(
        met.iter()
            .all(|(on, points)| on[0] == 1 && on[1] + 1 == *points)
    );
    assert!(met.iter().any(|(_, points)| *points == 4));
}

/// A plane and a line: the rows are independent on the line only, which lies in higher codimension.
#[test]
fn components_of_every_dimension_are_looked_at() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, ..] = u;
    let locus = on(&u, &[a * c, b * c], &u[..3]);
    let (drawing, parts) = settled(&locus);
    assert!(parts.has_singular && !parts.is_one, "{parts:?}");
    let met = counts(&drawing, &locus, &[a.pow(2) + 3 * b.pow(2), c], 20);
    assert!(!met.is_empty());
    assert!(met.iter().all(|m| *m == (vec![1, 0], 1)), "{met:?}");
    // A surface of degree 2 beside two planes' line and a point, of full rank everywhere.
    let quadric = a * b - c;
    let locus = on(
        &u,
        &[quadric * (a + b + c - 1), quadric * (a - 2 * b)],
        &u[..3],
    );
    let (_, parts) = settled(&locus);
    assert!(parts.has_singular && !parts.is_one, "{parts:?}");
}

/// `c = sqrt(b^2)` is a half of each of two lines: a section meets each line once, on the right half in half
/// of all draws. The third line is met always, although it has two points on a section with both roots.
#[test]
fn both_sheets_of_a_root_are_met() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, ..] = u;
    for root in [b.pow(2).sqrt(), b.call(Function::Abs)] {
        let third = c + 3 * b + a;
        let row = (c - root) * third;
        let locus = on(&u, &[row], &[b, c]);
        let (drawing, parts) = settled(&locus);
        assert_eq!((parts.degree, parts.branches, parts.is_one), (4, 1, false));
        let met = counts(&drawing, &locus, &[c - b, c + b, third, row], 400);
        assert_eq!(met.len(), 400);
        for side in 0..2 {
            let share = mean(&met, |m| m.0[side]);
            assert!((share - 0.5).abs() < 0.12, "{root}: {share}");
        }
        assert!(
            met.iter()
                .all(|(on, points)| on[2] == 1 && on[3] == *points)
        );
    }
    // Two roots, four signs: |b| = |c| is two lines, met once each with one of them.
    let locus = on(&u, &[b.pow(2).sqrt() - c.call(Function::Abs)], &[b, c]);
    let (drawing, parts) = settled(&locus);
    assert_eq!((parts.branches, parts.is_one), (2, false));
    let met = counts(&drawing, &locus, &[c - b, c + b], 40);
    assert!(
        met.len() == 40 && met.iter().all(|m| *m == (vec![1, 1], 2)),
        "{met:?}"
    );
}

/// `sin b = 0`: the angles 0 and pi, each met once by every section, whatever half tangents reach.
#[test]
fn both_angles_without_a_sine_are_met() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, ..] = u;
    let locus = on(&u, &[b.sin() * (a.pow(2) + 1)], &[b]);
    let (drawing, parts) = settled(&locus);
    assert_eq!((parts.degree, parts.is_one), (2, false));
    let met = counts(&drawing, &locus, &[b.cos() - 1, b.cos() + 1], 20);
    assert!(
        met.len() == 20 && met.iter().all(|m| *m == (vec![1, 1], 2)),
        "{met:?}"
    );
}

/// The proof of something that vanishes on a set.
fn proof(locus: &Locus<'_>, zero: Ex<'_>) -> Bound {
    let program = compile(locus.symbols(), &[zero]).expect("closed");
    let question = Question::zeros(1);
    match decide(locus, &[program], &[question])
        .expect("closed")
        .remove(0)
    {
        Finding::Holds(bound) => bound,
        other => panic!("{zero}: {other:?}"),
    }
}

/// A component of degree d of which nothing is known but that it has a point on a share 1/d of all
/// sections, or `2^-k/d` with k signs to be right, is missed by n sections with `(1 - 2^-k/d)^n`.
fn assert_counts_missed(what: &str, bound: &Bound, degree: usize, signs: i32) {
    let Cover {
        is_one, sections, ..
    } = bound.cover;
    let share = 1.0 / (degree as f64 * 2f64.powi(signs));
    let chance = sections as f64 * (1.0 - share).log2();
    assert!(!is_one && bound.cover.degree == degree, "{what}: {bound:?}");
    assert!(bound.exponent <= EXPONENT, "{what}: {bound:?}");
    assert!(
        bound.exponent >= chance - 1e-9,
        "{what}: {chance}, {bound:?}"
    );
    assert!(
        chance <= EXPONENT,
        "{what}: {sections} sections are too few"
    );
}

#[test]
fn bounds_count_the_components_that_sections_may_miss() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, d, ..] = u;
    for degree in [2, 3, 5] {
        let factors: Vec<Ex<'_>> = (1..=degree).map(|k| b + k * c + k * k * a - d).collect();
        let row = g.product(&factors);
        let degree = usize::try_from(degree).expect("small");
        let bound = proof(&on(&u, &[row], &[b, c]), row * d);
        assert_counts_missed("planes", &bound, degree, 0);
    }
    let squares = (b - c) * (b + c) * (b.pow(2) + a * c.pow(2) - d);
    let bound = proof(&on(&u, &[squares], &[b, c]), squares);
    assert_counts_missed("lines and a circle", &bound, 4, 0);
    let row = (c - b.pow(2).sqrt()) * (c + 3 * b + a);
    let on_both = (c.pow(2) - b.pow(2)) * (c + 3 * b + a);
    let bound = proof(&on(&u, &[row], &[b, c]), on_both);
    assert_counts_missed("a root", &bound, 4, 1);
    // Two surfaces one after the other: the shares multiply.
    let mut locus = on(&u, &[(a - b) * (a + b)], &[a, b]);
    locus.on(vec![(c - a * d) * (c + d) * (c - 2 * d)], vec![c, d]);
    let both = (a.pow(2) - b.pow(2)) + (c - a * d) * (c + d) * (c - 2 * d);
    assert_counts_missed("two products", &proof(&locus, both), 6, 0);
}

/// Zero, written so that nothing sees it.
fn zero(x: Ex<'_>) -> Ex<'_> {
    (x + 1).pow(2) - x.pow(2) - 2 * x - 1
}

/// `log2` of the chance that an identity is false although it held at one point.
fn per_point(bound: &Bound) -> f64 {
    assert!(bound.exponent <= EXPONENT, "{bound:?}");
    assert!(bound.cover.is_one, "{bound:?}");
    bound.exponent / bound.points as f64
}

/// A polynomial of degree d vanishes at a share of at most d/p of all points [schwartz1980], p < 2^61.
#[test]
fn bounds_count_degrees() {
    let g = Graph::new();
    let u = symbols(&g);
    let [a, b, c, ..] = u;
    let free = Locus::new(u.to_vec());
    for e in [1, 10, 1000, 100_000] {
        let zero = (a + b).pow(e) * (a - b).pow(e) - (a.pow(2) - b.pow(2)).pow(e);
        let bound = proof(&free, zero);
        let degree = 2.0 * f64::from(u32::try_from(e).expect("small"));
        assert!(bound.degree as f64 >= degree);
        let chance = degree.log2() - 61.0;
        assert!(bound.exponent >= bound.points as f64 * chance, "{bound:?}");
        assert!(per_point(&bound) >= chance);
        // An integer of so many bits is a multiple of one prime of 60 bits for every 60; there are
        // 2^60/(log 2^61) such primes, a share 1/phi(m) of them -1 modulo m = 40320.
        let primes = (2f64.powi(60) / 42.3 / 9216.0).log2();
        let lost = (degree / 60.0).max(1.0).log2() - primes;
        assert!(per_point(&bound) >= lost, "{bound:?}");
    }
    // Coefficients of 1 only: the degree alone counts.
    let e = 1i64 << 40;
    let bound = proof(
        &free,
        (a.pow(e) + b) * (a.pow(e) - b) - a.pow(2 * e) + b.pow(2),
    );
    assert!(per_point(&bound) >= 41.0 - 61.0, "{bound:?}");
    // A root on a surface: the norm to the coordinates has twice the degree, and it exists at half
    // of all points; on a cubic three times the degree, at a third of all points.
    let plain = per_point(&proof(&free, zero(a)));
    let one = on(&u, &[a.pow(2) + b.pow(2) - c], &[a, b]);
    let of_circle = per_point(&proof(&one, zero(a)));
    assert!(of_circle - plain >= 2.0, "{of_circle}, {plain}");
    let cubic = on(&u, &[a.pow(3) + b.pow(3) + b - c], &[a, b]);
    let of_cubic = per_point(&proof(&cubic, zero(a)));
    assert!(of_cubic - plain >= 2.0 * 3f64.log2(), "{of_cubic}, {plain}");
}

/// Every root doubles the degree of the norm, and it exists at half of all points.
#[test]
fn bounds_count_roots() {
    let g = Graph::new();
    let u = symbols(&g);
    let free = Locus::new(u.to_vec());
    let one = u[0].sqrt();
    let with = |count: usize| {
        let roots: Vec<Ex<'_>> = u[..count].iter().map(|x| x.sqrt()).collect();
        let sum = g.sum(&roots);
        let zero = (sum + one) * (sum - one) - sum.pow(2) + one.pow(2);
        per_point(&proof(&free, zero))
    };
    for count in 1..4 {
        let more = with(count + 1) - with(count);
        assert!(more >= 2.0 - 1e-9, "{count}: {more}");
    }
    // Many roots: points are drawn for them, whatever the prime.
    let more = with(6) - with(5);
    assert!(more >= 1.0 - 1e-9, "{more}");
    // A root that is a sign in disguise: half of all points have the right one.
    let [a, b, ..] = u;
    for (signs, zero) in [
        (1, a.pow(2).sqrt() - a.call(Function::Abs)),
        (
            2,
            (a.pow(2) * b.pow(2)).sqrt() - a.pow(2).sqrt() * b.call(Function::Abs),
        ),
    ] {
        let bound = proof(&free, zero);
        let chance = bound.points as f64 * (1.0 - 2f64.powi(-signs)).log2();
        assert!(
            bound.exponent <= EXPONENT && bound.exponent >= chance - 1e-9,
            "{bound:?}"
        );
    }
}

/// Fifteen distances between six points of the plane, squares together at one of 2^15 random points.
#[test]
fn points_are_drawn_for_many_roots() {
    let g = Graph::new();
    let names = (0..6).flat_map(|i| [format!("x{i}"), format!("y{i}")]);
    let u: Vec<Ex<'_>> = names.map(|name| g.symbol(&name)).collect();
    let pairs = (0..6).flat_map(|i| (0..i).map(move |j| (i, j)));
    let squares =
        pairs.map(|(i, j)| (u[2 * i] - u[2 * j]).pow(2) + (u[2 * i + 1] - u[2 * j + 1]).pow(2));
    let squares: Vec<Ex<'_>> = squares.collect();
    let free = Locus::new(u.clone());
    let roots: Vec<Ex<'_>> = squares.iter().map(|x| x.sqrt()).collect();
    let program = compile(free.symbols(), &roots).expect("closed");
    let mut drawing = Drawing::new(&free).expect("closed");
    assert_eq!(drawing.heed(&program), 15);
    let mut random = Random(5);
    let mut refused = 0;
    for _ in 0..20 {
        let mut field = PrimeField::draw(&mut random, TURNS);
        let points = drawing.points(&mut field, 0).expect("a point");
        let values = results(&program, &mut field, &points[0]).expect("all roots exist");
        assert!(values.iter().all(|x| field.f.is_square(*x)));
        refused = refused.max(field.roots.no_squares.len());
    }
    assert!(refused >= 10, "radicands are met as no squares: {refused}");
    let sum = g.sum(&roots);
    let bound = proof(
        &free,
        (sum + u[0]).pow(2) - sum.pow(2) - 2 * u[0] * sum - u[0].pow(2),
    );
    assert!(bound.exponent <= EXPONENT && bound.points >= 3, "{bound:?}");
    // 15 for the norm, 15 for existence.
    assert!(per_point(&bound) >= 30.0 + 2f64.log2() - 61.0, "{bound:?}");
    assert!(!vanishes(sum - roots[0]));
    // Roots that never exist together leave it open.
    let opposite: Vec<Ex<'_>> = squares[..5].iter().map(|x| (-*x).sqrt()).collect();
    let both = g.sum(&opposite) + sum;
    assert!(!vanishes((both + 1).pow(2) - both.pow(2) - 2 * both - 1));
}
