//! The expressions of a file as further outputs of its equations, by name.

mod row_ranges;

use crate::values::narrow::{conditions, narrow_functions, quantities};
use appell_expr::{Ex, Function, Graph, Id, Node, Rational, corner, is_nowhere_defined, vanishes};
use appell_mech::Equations;
use appell_model::{Claim, ClaimKind, Model, Value};
pub(crate) use row_ranges::ends_of_rows;
use std::slice;

/// The output of a claim.
pub(crate) fn claim_output(index: usize) -> String {
    format!("claim {index}")
}

/// The terms of the sums in a claim, one row after the other.
pub(crate) fn claim_terms_output(index: usize) -> String {
    format!("claim {index} terms")
}

/// The terms of each sum that a claim says to be constant, 0, or of a sign, as it is written; none where no sum can hide a
/// term, unless the claim has a tolerance of its own, which refers to them.
pub(crate) fn claim_terms(graph: &Graph, claim: &Claim) -> Vec<Vec<Id>> {
    let rows = match (&claim.kind, claim.tolerance) {
        (ClaimKind::Constant(x), None) => slice::from_ref(x),
        (ClaimKind::Equation(rows), _) => rows,
        (ClaimKind::Always(condition), Some(_)) => slice::from_ref(&condition.difference),
        _ => return Vec::new(),
    };
    let terms = |row: &Id| match graph.node(*row) {
        Node::Sum(constant, terms) => {
            let number = (!constant.is_zero()).then(|| graph.number(constant.clone()).id());
            let scaled = terms.iter().map(|(x, c)| graph.ex(*x).scale(c).id());
            number.into_iter().chain(scaled).collect()
        }
        _ => vec![*row],
    };
    let all: Vec<Vec<Id>> = rows.iter().map(terms).collect();
    match claim.tolerance.is_some() || all.iter().any(|terms| terms.len() > 1) {
        true => all,
        false => Vec::new(),
    }
}

/// The conditions under which a claim is made.
pub(crate) fn domain_output(index: usize) -> String {
    format!("domain {index}")
}

/// The quantity of a stop condition.
pub(crate) fn stop_output(index: usize) -> String {
    format!("stop {index}")
}

/// Abscissa and ordinate of a curve.
pub(crate) fn plot_output(plot: usize, curve: usize) -> String {
    format!("plot {plot} {curve}")
}

/// The coordinates of a drawn thing.
pub fn drawn_output(index: usize) -> String {
    format!("drawn {index}")
}

/// Quantities at whose zeros the accelerations may jump or have a corner.
pub(crate) const SWITCHES: &str = "switches";

/// Quantities of functions that are felt in a narrow place: see [`narrow_functions`].
pub(crate) const NARROW: &str = "narrow functions";
pub(crate) const PEAKS: &str = "peaks";
/// Quantities at whose zeros conditions along the motion may jump or have a corner.
pub(crate) const CONDITIONS: &str = "switches of conditions";

/// A quantity at whose zero no motion goes on.
pub(crate) fn state_jump_output(index: usize) -> String {
    format!("jump {index}")
}

/// `u` of a `sign(u)` by which the momenta `L_v` or the Lagrangian jump, or a quantity with whose sign a row ceases to hold, so
/// that no motion leads through `u = 0`.
#[derive(Debug, Clone)]
pub struct StateJump<'g> {
    /// What is 0 there.
    pub u: Ex<'g>,
    /// At whose zero a motion ends: `u`, or beside that as far as rounding goes.
    pub gap: Ex<'g>,
    /// What jumps.
    pub of: JumpOf,
    /// By how much: that of each momentum, or of the energy.
    pub sizes: Vec<Ex<'g>>,
}

/// What jumps where no motion leads through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JumpOf {
    /// The momentum, as where a position has the corner `abs(u)`: there the velocities would have to jump, which no equation
    /// of motion between the jumps does.
    Momentum,
    /// The potential energy, as `sign(x)`.
    Energy,
    /// The solvability of the constraint of this index: beyond, it asks a function for a value out of its range.
    Range {
        /// The index.
        constraint: usize,
        /// As `sqrt(c^2 - x'^2)`.
        function: String,
    },
}

impl StateJump<'_> {
    /// The condition of a motion that has come to it.
    pub(crate) fn condition(&self) -> String {
        let u = self.u;
        match &self.of {
            JumpOf::Momentum => format!("the momentum jumps where `{u}` is 0"),
            JumpOf::Energy => format!("the potential energy jumps where `{u}` is 0"),
            JumpOf::Range { function, .. } => {
                format!(
                    "a constraint asks for a value out of the range of `{function}` where `{u}` is negative"
                )
            }
        }
    }
}

/// The places that no motion leads through.
pub fn jumps_of_state(model: &Model) -> Vec<StateJump<'_>> {
    [jumps_of_lagrangian(model), ends_of_rows(model)].concat()
}

fn jumps_of_lagrangian(model: &Model) -> Vec<StateJump<'_>> {
    let graph = &model.graph;
    let has_corner = |id: &Id| switch(graph, *id).is_some();
    if !graph.reachable(&[model.lagrangian]).iter().any(has_corner) {
        return Vec::new();
    }
    let lagrangian = graph.ex(model.lagrangian);
    let coordinates = model.coordinates.iter();
    let momenta = coordinates.map(|q| lagrangian.diff(graph.ex(q.v)));
    let momenta: Vec<Ex<'_>> = momenta.collect();
    let of_state = model.coordinates.iter().flat_map(|q| [q.q, q.v]);
    let moving: Vec<Ex<'_>> = of_state
        .chain([model.time])
        .map(|id| graph.ex(id))
        .collect();
    let signs_in = |xs: &[Ex<'_>]| {
        let ids: Vec<Id> = xs.iter().map(|x| x.id()).collect();
        let signs = unsmoothed(graph, &ids).into_iter();
        let found = signs.filter_map(|id| match graph.node(id) {
            Node::Call(Function::Sign, u) => Some((graph.ex(id), graph.ex(u[0]))),
            _ => None,
        });
        let each = |(sign, u): (_, _)| factors(u).into_iter().map(move |factor| (sign, factor));
        let found = found.flat_map(each);
        found
            .filter(|(_, u)| u.depends_on_any(&moving))
            .collect::<Vec<_>>()
    };
    let mut found: Vec<StateJump<'_>> = Vec::new();
    let mut add = |u: Ex<'_>, of: JumpOf, sizes: Vec<Ex<'_>>| {
        let is_new = found.iter().all(|jump| jump.u.id() != u.id());
        if is_new && sizes.iter().any(|size| !size.is_zero() && !vanishes(*size)) {
            found.push(StateJump {
                u: graph.ex(u.id()),
                gap: graph.ex(u.id()),
                of,
                sizes: sizes.iter().map(|size| graph.ex(size.id())).collect(),
            });
        }
    };
    for (sign, u) in signs_in(&momenta) {
        let sizes = momenta.iter().map(|p| jump_at(*p, sign, u).0);
        add(u, JumpOf::Momentum, sizes.collect());
    }
    // What jumps with the time alone is accounted for, and what cannot be told is left to the ledger.
    let coordinates = model.coordinates.iter().map(|q| graph.ex(q.q));
    let coordinates: Vec<Ex<'_>> = coordinates.collect();
    for (sign, u) in signs_in(&[lagrangian]) {
        let (there, is_known) = jump_at(lagrangian, sign, u);
        if is_known && u.depends_on_any(&coordinates) {
            add(u, JumpOf::Energy, vec![there]);
        }
    }
    found
}

/// With which a product changes its sign, each by itself.
fn factors(u: Ex<'_>) -> Vec<Ex<'_>> {
    match u.node() {
        Node::Product(factors) => {
            let is_odd = |e: &Rational| e.to_i64().is_some_and(|e| e % 2 != 0);
            let odd = factors.iter().filter(|(_, e)| is_odd(e));
            odd.map(|(base, _)| u.graph().ex(*base)).collect()
        }
        _ => vec![u],
    }
}

/// What an expression jumps by where the factor `u` of what `sign` is taken of is 0: nothing, for `max(x, 0)*(sign(x) + 1)`; and
/// whether `u = 0` could be put in.
fn jump_at<'g>(x: Ex<'g>, sign: Ex<'g>, u: Ex<'g>) -> (Ex<'g>, bool) {
    let graph = x.graph();
    let side = |value: i64| x.substitute(&[(sign, graph.int(value))]);
    let jump = side(1) - side(-1);
    let at_zero = u.symbols().into_iter().find_map(|symbol| {
        let slope = u.diff(symbol);
        let is_linear = !slope.is_zero() && !slope.depends_on(symbol);
        is_linear.then(|| (symbol, symbol - u / slope))
    });
    match at_zero {
        Some(pair) => (jump.substitute(&[pair]), true),
        // A jump that does not depend on the place is there wherever it is.
        None if !jump.depends_on_any(&u.symbols()) => (jump, true),
        None => (jump.substitute(&[(u, graph.int(0))]), false),
    }
}

/// Whether a formula of a claim has no value for any real numbers, as a root of what is negative.
pub(crate) fn has_no_value(graph: &Graph, claim: &Claim) -> bool {
    let constant = match claim.kind {
        ClaimKind::Constant(x) => Some(x),
        _ => None,
    };
    let formulas: Vec<Id> = claim.formulas.iter().copied().chain(constant).collect();
    is_nowhere_defined(&graph.exs(&formulas))
}

/// What `sign` and `abs` are taken of, and the differences of what `max` and `min` choose from, in expressions, as those of equations; but
/// for constants, and where a factor takes it away (`x*abs(x)` has no corner). A corner is a switch as a jump is: a narrow barrier
/// `max(0, min(x - 5, 5.01 - x))` lies between two zeros of what is chosen, and no step leads past it unseen.
pub fn switches<'g>(model: &Model, graph: &'g Graph, expressions: &[Id]) -> Vec<Ex<'g>> {
    let changes = |x: &Ex<'g>| {
        let constant = |symbol: &Ex<'_>| {
            model
                .parameters
                .iter()
                .any(|parameter| !parameter.is_input && parameter.symbol == symbol.id())
        };
        !x.symbols().iter().all(constant)
    };
    let calls = unsmoothed(graph, expressions).into_iter();
    let found = calls.filter_map(|id| switch(graph, id)).filter(changes);
    let mut found: Vec<Ex<'g>> = found.collect();
    found.sort_unstable_by_key(|x| x.id());
    found.dedup_by_key(|x| x.id());
    found
}

/// What changes its sign where a function changes from one formula to another, or jumps: `u` of `abs(u)`, `a - b` of
/// `max(a, b)`.
pub(crate) fn switch(graph: &Graph, id: Id) -> Option<Ex<'_>> {
    match graph.node(id) {
        // The cut of `atan2(y, x)` is a part of `y = 0`.
        Node::Call(Function::Atan2, u) => Some(graph.ex(u[0])),
        _ => corner(graph, id),
    }
}

/// The calls that stand in expressions somewhere but as a factor that another one smooths: `sign(u)` beside a power of `u` or
/// `abs(u)`, as in `sqrt(abs(u))*sign(u)`, jumps nowhere, and `abs(u)` beside `u` or `sign(u)`, as in the drag
/// `-abs(u)*u`, has no corner.
pub(crate) fn unsmoothed(graph: &Graph, expressions: &[Id]) -> Vec<Id> {
    let is_call = |id: Id| graph.look(id, |node| matches!(node, Node::Call(..)));
    let mut found = expressions.to_vec();
    found.retain(|id| is_call(*id));
    for id in graph.reachable(expressions) {
        graph.look(id, |node| {
            node.for_each_child(|child| {
                if is_call(child) && !is_smoothed(graph, node, child) {
                    found.push(child);
                }
            });
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// See [`unsmoothed`].
fn is_smoothed(graph: &Graph, node: &Node, factor: Id) -> bool {
    let Node::Product(factors) = node else {
        return false;
    };
    let Node::Call(kind, u) = graph.node(factor) else {
        return false;
    };
    let partner = match kind {
        Function::Sign => Function::Abs,
        Function::Abs => Function::Sign,
        _ => return false,
    };
    let vanishes = |base: Id| match graph.node(base) {
        Node::Call(function, other) => function == partner && other[0] == u[0],
        _ => false,
    };
    let mut above = factors.iter().filter(|(_, e)| !e.is_negative());
    above.clone().any(|(base, _)| *base == factor)
        && above.any(|(base, _)| *base == u[0] || vanishes(*base))
}

/// Adds the expressions of claims, stops, plots, of what is drawn and of jumps to the outputs.
pub(crate) fn write_outputs(model: &Model, equations: &mut Equations<'_>) {
    let graph = equations.sketch.graph();
    let jumps = switches(model, graph, &equations.sketch.expressions());
    if !jumps.is_empty() {
        equations.sketch.output_list(SWITCHES, &jumps);
    }
    let of_conditions = switches(model, graph, &conditions(model));
    if !of_conditions.is_empty() {
        equations.sketch.output_list(CONDITIONS, &of_conditions);
    }
    let narrow = quantities(&narrow_functions(model, equations));
    for (name, list) in [NARROW, PEAKS].into_iter().zip(&narrow) {
        if !list.is_empty() {
            equations.sketch.output_list(name, list);
        }
    }
    let mut write = |name: String, ids: &[Id]| equations.sketch.output_list(&name, &graph.exs(ids));
    for (index, claim) in model.claims.iter().enumerate() {
        write(
            claim_terms_output(index),
            &claim_terms(graph, claim).concat(),
        );
        match &claim.kind {
            ClaimKind::Constant(x) => write(claim_output(index), &[*x]),
            ClaimKind::Equation(rows) => write(claim_output(index), rows),
            ClaimKind::Always(condition) => write(claim_output(index), &[condition.difference]),
            ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => {}
        }
        let domain: Vec<Id> = claim.domain.iter().map(|c| c.difference).collect();
        write(domain_output(index), &domain);
    }
    for (index, stop) in model.simulate.stop.iter().enumerate() {
        write(stop_output(index), &[stop.difference]);
    }
    for (index, jump) in jumps_of_state(model).into_iter().enumerate() {
        write(state_jump_output(index), &[jump.gap.id()]);
    }
    for (i, plot) in model.plots.iter().enumerate() {
        for (j, (_, y)) in plot.y.iter().enumerate() {
            write(plot_output(i, j), &[plot.x.1, *y]);
        }
    }
    for (index, ids) in drawn(model).iter().enumerate() {
        write(drawn_output(index), ids);
    }
}

/// The vectors that a scene needs, as lists of components, in the order in which `scene` of the page reads them:
/// the centre of each body with its axes, then trails, arrows and shapes of the file.
pub fn drawn(model: &Model) -> Vec<Vec<Id>> {
    let bodies = model.bodies.iter().map(|body| {
        let axes = body.rotation.iter().flat_map(|rotation| rotation.axes);
        [body.position].into_iter().chain(axes).flatten().collect()
    });
    let Some(animation) = &model.animation else {
        return bodies.collect();
    };
    let trails = animation.trail.iter().map(|(_, at)| at.to_vec());
    let arrows = animation
        .arrows
        .iter()
        .map(|arrow| [arrow.at, arrow.vector].concat());
    let shapes = animation.shapes.iter().map(|shape| {
        let values = shape.values.iter().flat_map(|(_, value)| ids(value));
        values
            .chain(shape.axes.into_iter().flatten().flatten())
            .collect()
    });
    bodies.chain(trails).chain(arrows).chain(shapes).collect()
}

/// The components of a value.
pub fn ids(value: &Value) -> Vec<Id> {
    match value {
        Value::Scalar(x) => vec![*x],
        Value::Vector(vector) => vector.to_vec(),
    }
}
