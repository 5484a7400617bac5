//! Where the values of trigonometric polynomials lie, by their Fourier series.
//!
//! `2 sin(a) cos(a) sin(b) cos(b) + 2 cos(a)^2 cos(b)^2 - cos(a)^2 - cos(b)^2 - 1` is `cos(2 a - 2 b)/2 - 3/2`, which is
//! nowhere 0: no value is farther from the mean than all amplitudes together.

use super::range::Range;
use crate::function::Function;
use crate::graph::{Ex, Graph, Id, Node};
use crate::num::Rational;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Longer series, and expressions of more nodes, are left alone.
const MAX_TERMS: usize = 100;
const MAX_NODES: usize = 200;
/// Higher powers are left alone.
const MAX_POWER: i64 = 8;

/// How often each angle is in an argument; angles that are not there are left out.
type Frequency = BTreeMap<Id, i64>;

/// `Sum (a + i b) exp(i k.angles)` over frequencies `k`, as `a` and `b`.
type Series = BTreeMap<Frequency, (Rational, Rational)>;

/// The range of a sum of products of sines, cosines and symbols of which `value` knows the values.
pub(super) fn range_by_amplitudes<'g>(
    x: Ex<'g>,
    value: &dyn Fn(Id) -> Option<Rational>,
) -> Option<Range> {
    let graph = x.graph();
    let mut known: FxHashMap<Id, Series> = FxHashMap::default();
    for id in in_order(graph, x.id())? {
        let expansion = series(graph, id, &known, value)?;
        known.insert(id, expansion);
    }
    let mut series = known.remove(&x.id())?;
    let mean = series.remove(&Frequency::new());
    let mean = mean.map_or_else(Rational::zero, |(mean, _)| mean);
    if series.is_empty() {
        return Some(Range::at(mean));
    }
    let amplitudes = series.values().map(|(a, b)| &a.abs() + &b.abs());
    let all = amplitudes.fold(Rational::zero(), |sum, amplitude| &sum + &amplitude);
    Some(Range::closed(&mean - &all, &mean + &all))
}

/// The nodes of an expression, each after those that it is made of; arguments of functions are not looked at. None of
/// long expressions.
fn in_order(graph: &Graph, root: Id) -> Option<Vec<Id>> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut open = vec![(root, false)];
    while let Some((id, is_left)) = open.pop() {
        if is_left {
            order.push(id);
            continue;
        }
        if !seen.insert(id) {
            continue;
        }
        open.push((id, true));
        match graph.node(id) {
            Node::Sum(_, terms) => open.extend(terms.iter().map(|(x, _)| (*x, false))),
            Node::Product(factors) => open.extend(factors.iter().map(|(x, _)| (*x, false))),
            _ => {}
        }
        if seen.len() + open.len() > MAX_NODES {
            return None;
        }
    }
    Some(order)
}

/// The series of a node by those of the nodes that it is made of.
fn series(
    graph: &Graph,
    id: Id,
    known: &FxHashMap<Id, Series>,
    value: &dyn Fn(Id) -> Option<Rational>,
) -> Option<Series> {
    let constant = |c: Rational| Series::from([(Frequency::new(), (c, Rational::zero()))]);
    match graph.node(id) {
        Node::Number(c) => Some(constant(c)),
        Node::Symbol(_) => value(id).map(constant),
        Node::Sum(c, terms) => {
            let mut sum = constant(c);
            for (term, factor) in &*terms {
                for (k, (a, b)) in known.get(term)? {
                    add(&mut sum, k.clone(), (a * factor, b * factor));
                }
            }
            (sum.len() <= MAX_TERMS).then_some(sum)
        }
        Node::Product(factors) => {
            let mut product = constant(Rational::one());
            for (factor, power) in &*factors {
                let power = power.to_i64().filter(|n| (1..=MAX_POWER).contains(n))?;
                for _ in 0..power {
                    product = times(&product, known.get(factor)?)?;
                }
            }
            Some(product)
        }
        Node::Call(f @ (Function::Sin | Function::Cos), argument) => {
            let half = Rational::new(1, 2);
            let frequency = frequency(graph, argument[0]);
            let opposite = frequency.iter().map(|(angle, n)| (*angle, -n)).collect();
            // cos = (e^+ + e^-)/2, sin = -i (e^+ - e^-)/2.
            let [ahead, back] = match f {
                Function::Cos => [(half.clone(), Rational::zero()), (half, Rational::zero())],
                _ => [(Rational::zero(), -&half), (Rational::zero(), half)],
            };
            let mut wave = Series::new();
            add(&mut wave, frequency, ahead);
            add(&mut wave, opposite, back);
            Some(wave)
        }
        _ => None,
    }
}

fn add(sum: &mut Series, k: Frequency, (a, b): (Rational, Rational)) {
    let (a, b) = match sum.remove(&k) {
        Some(old) => (&old.0 + &a, &old.1 + &b),
        None => (a, b),
    };
    if !(a.is_zero() && b.is_zero()) {
        sum.insert(k, (a, b));
    }
}

fn times(one: &Series, other: &Series) -> Option<Series> {
    let mut product = Series::new();
    for (k, (a, b)) in one {
        for (l, (c, d)) in other {
            let mut both = k.clone();
            for (angle, n) in l {
                let sum = both.remove(angle).unwrap_or(0).checked_add(*n)?;
                if sum != 0 {
                    both.insert(*angle, sum);
                }
            }
            let real = &(a * c) - &(b * d);
            let imaginary = &(a * d) + &(b * c);
            add(&mut product, both, (real, imaginary));
        }
        if product.len() > MAX_TERMS {
            return None;
        }
    }
    Some(product)
}

/// An argument as a sum of whole multiples of angles; one angle if it is none.
fn frequency(graph: &Graph, argument: Id) -> Frequency {
    let whole = |c: &Rational| c.to_i64().filter(|n| n.abs() <= 1_000);
    let sum = match graph.node(argument) {
        Node::Sum(c, terms) if c.is_zero() => {
            let each = terms.iter().map(|(angle, c)| Some((*angle, whole(c)?)));
            each.collect::<Option<Frequency>>()
        }
        _ => None,
    };
    sum.unwrap_or_else(|| Frequency::from([(argument, 1)]))
}
