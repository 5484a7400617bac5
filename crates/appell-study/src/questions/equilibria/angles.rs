//! Which coordinates are angles: states that differ by a whole turn are one.

use super::{Interval, index_of};
use crate::values::outputs::switches;
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::{Ex, Function, Id, Node, vanishes};
use appell_mech::function;
use std::collections::HashSet;

/// Whether everything has the period `2 pi` in this coordinate: it stands in sines and cosines of whole multiples only, or else
/// nothing changes, neither the equations nor the quantities at whose zeros these jump or bend.
fn turns(p: &Prepared<'_>, index: usize) -> bool {
    let (graph, q) = (p.system.graph, p.system.q[index]);
    let rows = p.constraints.rows.iter();
    let rows = rows.flat_map(|row| row.a.iter().copied().chain(row.position).chain([row.b]));
    let (mass, right) = (p.system.mass.entries(), p.system.right.entries());
    let all: Vec<Ex<'_>> = mass.iter().chain(right).copied().chain(rows).collect();
    let ids: Vec<Id> = all.iter().map(|x| x.id()).collect();
    let is_turning = |id: Id| match graph.node(id) {
        Node::Call(Function::Sin | Function::Cos, u) => {
            let slope = graph.ex(u[0]).diff(q).as_rational();
            slope.is_some_and(|slope| slope.is_integer())
        }
        _ => false,
    };
    let inside = graph.reachable(&ids).into_iter();
    let turning: HashSet<Id> = inside.filter(|id| is_turning(*id)).collect();
    let others = graph.reachable_unless(&ids, |id| turning.contains(&id));
    if !others.contains(&q.id()) {
        return true;
    }
    let turn = q + graph.int(2) * graph.pi();
    let switches = switches(p.model, graph, &ids);
    let gaps = all.iter().chain(&switches).filter(|x| x.depends_on(q));
    gaps.map(|x| *x - x.substitute(&[(q, turn)])).all(vanishes)
}

/// The same, where two states do not tell otherwise.
pub(super) fn is_angle(p: &Prepared<'_>, index: usize) -> bool {
    let n = p.system.n() as u32;
    let same = |sample: u32| {
        let q: Vec<f64> = (31 * sample..).take(n as usize).map(scattered).collect();
        let v: Vec<f64> = (31 * sample + 7..)
            .take(n as usize)
            .map(scattered)
            .collect();
        let mut turned = q.clone();
        turned[index] += std::f64::consts::TAU;
        let tables = [
            function::MASS,
            function::RIGHT,
            function::A,
            function::B,
            function::POSITION,
        ];
        let both = p.measure(0.0, &q, &v).zip(p.measure(0.0, &turned, &v));
        both.is_some_and(|(here, there)| {
            tables.iter().all(|name| {
                let (here, there) = (here.table(name), there.table(name));
                let pairs = here.entries.iter().zip(&there.entries);
                pairs
                    .into_iter()
                    .all(|(x, y)| (x.value - y.value).abs() <= 1e-9 * x.size.max(1.0))
            })
        })
    };
    (1..3).all(same) && turns(p, index)
}

/// Coordinates of which those that turn freely are no whole turn away from others.
pub(super) fn without_turns(q: &[f64], near: &[f64], turns: impl Fn(usize) -> bool) -> Vec<f64> {
    let turn = std::f64::consts::TAU;
    let pairs = q.iter().zip(near).enumerate();
    let nearest = |(i, (q, near)): (usize, (&f64, &f64))| match ((q - near) / turn).round() {
        whole if whole != 0.0 && turns(i) => q - turn * whole,
        _ => *q,
    };
    pairs.map(nearest).collect()
}

/// The coordinates with the period `2 pi` whose range is longer than that.
pub(super) fn turning(p: &Prepared<'_>, ranges: &[Interval]) -> Vec<String> {
    let is_long = |range: &&Interval| range.high - range.low > std::f64::consts::TAU;
    let turns = |range: &&Interval| {
        let index = index_of(p, &range.name).ok();
        index.is_some_and(|i| i < p.system.n() && is_angle(p, i))
    };
    let turning = ranges.iter().filter(is_long).filter(turns);
    turning.map(|range| range.name.clone()).collect()
}
