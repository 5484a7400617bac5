//! Doubt about constants: whether `16 atan(1/5) - 4 atan(1/239) - pi` is 0 decides what a row is, and neither a prime
//! field, where arcs are unknowns, nor any number of digits tells that it is.

use crate::states::said_together::small_fraction;
use crate::values::exact_values::closed_values;
use crate::values::parameters::enclosed_numbers;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Function, Node, Verdict, vanishes, verdict};
use appell_mech::System;

/// Longer rows, and rows with more derivatives, are not looked at.
const MAX_NODES: usize = 400;
const MAX_DERIVATIVES: usize = 400;
/// So many inverse functions of constants are compared, and with so many quarters of a turn.
const MAX_NUMBERS: usize = 12;
const TURNS: i64 = 8;

/// The part of an affine row that is free of the velocities: `phi - phi_v v`, which has a value at rest too where
/// `log(x')` has none.
pub(super) fn free_part<'g>(system: &System<'g>, phi: Ex<'g>) -> Ex<'g> {
    let slopes = phi.partials(&system.v);
    let products = slopes.iter().zip(&system.v).map(|(a, v)| *a * *v);
    phi - system.graph.sum(&products.collect::<Vec<_>>())
}

/// Why it is not certain what rows are, if it is not: some of their derivatives, or what is free of velocities, is
/// neither known to vanish nor different from 0 at any state by as many digits as are affordable.
pub(super) fn doubt<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<String> {
    let mut values = closed_values(p);
    if let Some(relation) = unproved_relation(p, rows, &values) {
        return Some(format!("whether {relation} is 0 is not known"));
    }
    values.retain(|(_, x)| has_unknown_constants(&[*x]));
    let said: Vec<Ex<'g>> = rows.iter().map(|row| row.substitute(&values)).collect();
    let roots: Vec<_> = said.iter().map(|row| row.id()).collect();
    let long = p.system.graph.reachable(&roots).len() > MAX_NODES;
    if long || !has_unknown_constants(&said) {
        return None;
    }
    let system = &p.system;
    let places: Vec<Ex<'g>> = [system.t]
        .into_iter()
        .chain(system.q.iter().copied())
        .collect();
    let all: Vec<Ex<'g>> = [system.v.as_slice(), &places].concat();
    let mut xs: Vec<Ex<'g>> = Vec::new();
    for row in said {
        let free = free_part(system, row);
        let slopes = row.partials(&system.v);
        let second = slopes.iter().flat_map(|a| a.partials(&all));
        let mut derivatives: Vec<Ex<'g>> = second.chain(free.partials(&places)).collect();
        derivatives.extend(slopes);
        derivatives.push(free);
        xs.extend(derivatives);
    }
    if xs.len() > MAX_DERIVATIVES {
        return None;
    }
    let mut asked: Vec<Ex<'g>> = Vec::new();
    for x in xs.into_iter().filter(|x| has_unknown_constants(&[*x])) {
        if !asked.contains(&x) {
            asked.push(x);
        }
    }
    let open = |x: &&Ex<'g>| !vanishes(**x) && matches!(verdict(**x), Verdict::Undecided { .. });
    let found = asked.iter().find(open)?;
    Some(format!("whether {found} is 0 is not known"))
}

/// The difference of numbers in rows that agree to 75 digits, and are not known to be equal: `acos(cos(1)) - 1`. Random points
/// take them for any two numbers.
fn unproved_relation<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    values: &[(Ex<'g>, Ex<'g>)],
) -> Option<Ex<'g>> {
    let graph = p.system.graph;
    let rows = rows.iter().map(|row| row.substitute(values).id());
    let all = graph.reachable(&rows.collect::<Vec<_>>()).into_iter();
    let all = all.map(|id| graph.ex(id));
    let numbers = all.filter(|x| is_inverse(*x) && x.symbols().is_empty());
    let numbers: Vec<Ex<'g>> = numbers.take(MAX_NUMBERS).collect();
    let sizes = enclosed_numbers(graph, &numbers).filter(|_| !numbers.is_empty())?;
    let pi = graph.pi();
    let rational = |x: f64| small_fraction(x).map(|r| graph.number(r));
    let mut relations = Vec::new();
    for (place, (x, size)) in numbers.iter().zip(&sizes).enumerate() {
        let turns = (-TURNS..=TURNS).map(|k| (k * pi / 2, std::f64::consts::FRAC_PI_2 * k as f64));
        relations
            .extend(turns.filter_map(|(turn, angle)| Some(*x - turn - rational(size - angle)?)));
        relations.extend(rational(size / std::f64::consts::PI).map(|r| *x - r * pi));
        let before = numbers.iter().zip(&sizes).take(place);
        relations.extend(before.filter_map(|(y, other)| Some(*x - rational(size / other)? * *y)));
    }
    let agree = |x: &Ex<'g>| enclosed_numbers(graph, &[*x]).is_some_and(|x| x == [0.0]);
    let mut open = relations.into_iter().filter(|x| !x.is_zero() && agree(x));
    open.find(|x| !vanishes(*x))
}

/// Whether an expression is the value of a function that inverts another one, or a power with any exponent.
fn is_inverse(x: Ex<'_>) -> bool {
    use Function::{Acos, Asin, Atan, Atan2, Log};
    matches!(
        x.node(),
        Node::Call(Acos | Asin | Atan | Atan2 | Log, _) | Node::Power(..)
    )
}

/// Whether functions of constants occur between which there may be relations: all but sines and their like of parts of
/// a turn, which are algebraic numbers.
fn has_unknown_constants(xs: &[Ex<'_>]) -> bool {
    let Some(graph) = xs.first().map(|x| x.graph()) else {
        return false;
    };
    let roots: Vec<_> = xs.iter().map(|x| x.id()).collect();
    let of_turn = |x: Ex<'_>| (x / x.graph().pi()).as_rational().is_some();
    let mut all = graph.reachable(&roots).into_iter().map(|id| graph.ex(id));
    all.any(|x| {
        let is_unknown = match x.node() {
            Node::Call(Function::Sin | Function::Cos | Function::Tan, arguments) => {
                !of_turn(graph.ex(arguments[0]))
            }
            Node::Call(..) | Node::Power(..) => true,
            _ => false,
        };
        is_unknown && x.symbols().is_empty()
    })
}
