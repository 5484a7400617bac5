//! Equations with signs and angles where these jump: random points never lie there.

use super::claims::is_never;
use super::constraint_set::ConstraintSet;
use crate::values::outputs::switch;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Function, Id, Matrix, Node, Range, range, vanish_on};
use appell_model::Condition;

/// Where an equation fails that holds wherever no sign or angle in it or in the rows jumps, in words; it is claimed in a
/// domain, where some expressions are positive.
pub(super) fn exception<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    zeros: &Matrix<'g>,
    (domain, positive): (&[Condition], &[Ex<'g>]),
) -> Option<String> {
    let of_state = |x: &Ex<'g>| x.symbols().iter().all(|s| set.symbols.contains(s));
    if set.is_parametrised() || !zeros.entries().iter().all(of_state) {
        return None;
    }
    let rows = [&set.position_rows, &set.velocity_rows];
    let all: Vec<Ex<'g>> = rows
        .into_iter()
        .flatten()
        .chain(zeros.entries())
        .copied()
        .collect();
    let calls = jumping_calls(&all);
    let mut jumps = calls
        .iter()
        .flat_map(|call| jumps_of(p, *call, &calls, positive));
    let graph = p.system.graph;
    jumps.find_map(|jump| {
        let zero = jump.zero.symbol_name().map(|_| (jump.zero, graph.zero()));
        let there: Vec<_> = jump.by.iter().copied().chain(zero).collect();
        let is_outside = |condition: &Condition| {
            let gap = graph.ex(condition.difference).substitute(&there);
            is_never(condition, &range(gap, &sign_of_symbol(positive)))
        };
        if domain.iter().any(is_outside) {
            return None;
        }
        let locus = set.locus_where(jump.zero, &jump.by);
        let fails = |by: &[(Ex<'g>, Ex<'g>)]| {
            let values = zeros.entries().iter().map(|x| x.substitute(by));
            vanish_on(&locus, &values.collect::<Vec<_>>()).fails()
        };
        // Roots of `x^2 + y^2` are those of `x^2` where 0 is put in for y; what has no value there does not fail.
        (fails(&jump.by) && fails(&there)).then_some(jump.words)
    })
}

/// A place where functions jump.
struct Jump<'g> {
    /// What is 0 there.
    zero: Ex<'g>,
    /// Functions with their values there.
    by: Vec<(Ex<'g>, Ex<'g>)>,
    /// What is said where an equation fails there.
    words: String,
}

/// The calls of `sign`, `abs` and `atan2` in some expressions.
fn jumping_calls<'g>(xs: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let Some(graph) = xs.first().map(|x| x.graph()) else {
        return Vec::new();
    };
    let roots: Vec<_> = xs.iter().map(|x| x.id()).collect();
    let jumps = |id: &Id| {
        let node = graph.node(*id);
        matches!(
            node,
            Node::Call(Function::Sign | Function::Abs | Function::Atan2, _)
        )
    };
    let inside = graph.reachable(&roots).into_iter().filter(jumps);
    inside.map(|id| graph.ex(id)).collect()
}

/// The ranges of symbols of which some are positive.
fn sign_of_symbol<'g>(positive: &[Ex<'g>]) -> impl Fn(Ex<'g>) -> Range {
    |symbol| match positive.contains(&symbol) {
        true => Range::above(0, false),
        false => Range::all(),
    }
}

/// Where a call jumps: `sign(u)` at each factor of `u` that may be 0, `atan2(y, x)` at `y = 0` where `x` may be negative.
fn jumps_of<'g>(
    p: &Prepared<'g>,
    call: Ex<'g>,
    calls: &[Ex<'g>],
    positive: &[Ex<'g>],
) -> Vec<Jump<'g>> {
    let graph = p.system.graph;
    let of_symbol = sign_of_symbol(positive);
    let varies = |u: &Ex<'g>| {
        let states = [&p.system.q, &p.system.v].into_iter().flatten();
        states.chain([&p.system.t]).any(|s| u.depends_on(*s))
    };
    let has_sign = |u: &Ex<'g>| {
        let told = positive.contains(u) || positive.contains(&-*u);
        told || range(*u, &of_symbol).excludes_zero()
    };
    let zeros = |u: Ex<'g>| factors(u).into_iter().filter(|f| varies(f) && !has_sign(f));
    match call.node() {
        Node::Call(Function::Sign, of) => {
            let u = graph.ex(of[0]);
            zeros(u).map(|zero| sign_jump(u, zero, calls)).collect()
        }
        Node::Call(Function::Atan2, of) => {
            let (y, x) = (graph.ex(of[0]), graph.ex(of[1]));
            let may_be_negative = !positive.contains(&x) && !range(x, &of_symbol).is_nonnegative();
            let behind = may_be_negative && x.symbol_name().is_some();
            let zeros = zeros(y).filter(|_| behind);
            zeros
                .map(|zero| angle_jump(call, (zero, x), calls))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Signs and absolute values of what has the factor `zero` are 0 there.
fn sign_jump<'g>(u: Ex<'g>, zero: Ex<'g>, calls: &[Ex<'g>]) -> Jump<'g> {
    let graph = u.graph();
    let is_zero = |call: &&Ex<'g>| match call.node() {
        Node::Call(Function::Sign | Function::Abs, of) => vanishes_with(graph.ex(of[0]), zero),
        _ => false,
    };
    let are_zero = calls.iter().filter(is_zero);
    Jump {
        zero,
        by: are_zero.map(|call| (*call, graph.zero())).collect(),
        words: format!(
            "it holds where {u} is not 0; where {zero} = 0 that sign is 0, and it fails"
        ),
    }
}

/// Angles of points `(x, y)` where `y` has the factor `zero` are pi there, if `x` is negative: `-sqrt(x)` stands for it, so that
/// roots of `x^2` have their signs.
fn angle_jump<'g>(call: Ex<'g>, (zero, x): (Ex<'g>, Ex<'g>), calls: &[Ex<'g>]) -> Jump<'g> {
    let graph = x.graph();
    let is_pi = |call: &&Ex<'g>| match call.node() {
        Node::Call(Function::Atan2, of) => of[1] == x.id() && vanishes_with(graph.ex(of[0]), zero),
        _ => false,
    };
    let are_pi = calls.iter().filter(is_pi).map(|call| (*call, graph.pi()));
    let behind = (x, -x.sqrt());
    Jump {
        zero: zero.substitute(&[behind]),
        by: are_pi.chain([behind]).collect(),
        words: format!(
            "it holds where {zero} is not 0; where {zero} = 0 and {x} is negative, {call} is pi, and it fails"
        ),
    }
}

/// Whether `zero` is a factor of it, but for the sign.
fn vanishes_with<'g>(u: Ex<'g>, zero: Ex<'g>) -> bool {
    let all = factors(u);
    all.contains(&zero) || all.contains(&-zero)
}

/// The factors of a product that make it 0, without their powers; of anything else itself.
fn factors(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
    let x = match x.node() {
        Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
            graph.ex(terms[0].0)
        }
        _ => x,
    };
    match x.node() {
        Node::Product(factors) => {
            let zeros = factors.iter().filter(|(_, e)| !e.is_negative());
            zeros.map(|(base, _)| graph.ex(*base)).collect()
        }
        _ => vec![x],
    }
}

/// Both sides of each place where expressions change from one formula to another: `abs(u)` at `u = 0`, `max(a, b)` at
/// `a = b`.
pub(super) fn both_sides<'g>(p: &Prepared<'g>, zeros: &Matrix<'g>) -> Vec<Vec<Ex<'g>>> {
    let graph = p.system.graph;
    let roots: Vec<_> = zeros.entries().iter().map(|x| x.id()).collect();
    let inside = graph.reachable(&roots).into_iter();
    let switches = inside.filter_map(|id| switch(graph, id));
    switches.flat_map(|u| [vec![u], vec![-u]]).collect()
}
