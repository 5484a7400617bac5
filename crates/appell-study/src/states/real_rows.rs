//! A row by simpler rows that the same real velocities satisfy.

use crate::values::exact_values::{Values, closed_values};
use crate::values::prepared::Prepared;
use appell_expr::{
    Condition, Ex, Function, Id, Node, Range, RealForm, is_on_a_convex_domain, range, real_form,
    vanishes,
};
use appell_mech::is_folded;
use std::cell::RefCell;
use std::collections::HashMap;

/// What a row says over the real numbers.
#[derive(Debug, Clone)]
pub(crate) struct RealRow<'g> {
    /// Rows that say the same: the row itself where no simpler ones were found, none where it says
    /// nothing.
    pub rows: Vec<Ex<'g>>,
    /// The row itself, with the corners that signs do not smooth.
    pub plain: Ex<'g>,
    /// Whether that has corners.
    pub plain_corners: bool,
    /// Whether it is said by other rows than the one that was written.
    pub changed: bool,
    /// Why they say the same, or why no velocity satisfies it.
    pub why: String,
    /// What has to hold besides.
    pub sides: Vec<Condition<'g>>,
    /// What it needs to have a value, where neither the rows nor `sides` say it.
    pub domain: Vec<Condition<'g>>,
    /// Whether no real velocity satisfies it.
    pub nowhere: bool,
    /// The functions of velocities in it that have corners or jumps, and those of the place that jump.
    pub corners: Vec<String>,
}

impl RealRow<'_> {
    /// What has to hold besides its rows, in words.
    pub fn conditions(&self) -> Vec<String> {
        let all = self.sides.iter().chain(&self.domain);
        all.map(ToString::to_string).collect()
    }

    /// Why it is no smooth row, if it has corners.
    pub fn piecewise(&self) -> Option<String> {
        (!self.corners.is_empty()).then(|| {
            let corners = self.corners.join(", ");
            format!("it is piecewise, by {corners}: what holds on one piece need not on another")
        })
    }
}

/// The signs of expressions with the values of the parameters that are in force.
pub(crate) struct Signs<'g> {
    values: Values<'g>,
    /// Those that were asked for: a file may define thousands, each by the one before.
    known: RefCell<HashMap<Id, Range>>,
}

impl<'g> Signs<'g> {
    pub fn new(p: &Prepared<'g>) -> Self {
        Self {
            values: closed_values(p),
            known: RefCell::default(),
        }
    }

    pub fn of(&self, x: Ex<'g>) -> Range {
        range(x, &|symbol| self.symbol(symbol))
    }

    fn symbol(&self, symbol: Ex<'g>) -> Range {
        if let Some(known) = self.known.borrow().get(&symbol.id()) {
            return known.clone();
        }
        let entry = self.values.iter().find(|(x, _)| *x == symbol);
        let unknown = |_: Ex<'g>| Range::all();
        let found = entry.map_or_else(Range::all, |(_, value)| range(*value, &unknown));
        self.known.borrow_mut().insert(symbol.id(), found.clone());
        found
    }

    /// See [`is_on_a_convex_domain`].
    pub fn is_on_a_convex_domain(&self, x: Ex<'g>, moving: &[Ex<'g>]) -> bool {
        is_on_a_convex_domain(x, moving, &|symbol| self.symbol(symbol))
    }

    /// The real zeros of an expression, solved for some symbols.
    pub fn zeros(&self, x: Ex<'g>, moving: &[Ex<'g>]) -> RealForm<'g> {
        real_form(x, moving, &|symbol| self.symbol(symbol))
    }

    /// The same by the signs of the parameters alone, for what is printed: with their values, sums of numbers would be
    /// equations.
    pub fn zeros_by_signs(&self, x: Ex<'g>, moving: &[Ex<'g>]) -> RealForm<'g> {
        real_form(x, moving, &|symbol| self.symbol(symbol).of_its_sign())
    }
}

/// Reads a row.
pub(crate) fn real_row<'g>(p: &Prepared<'g>, phi: Ex<'g>) -> RealRow<'g> {
    let v = &p.system.v;
    let found = Signs::new(p).zeros(phi, v);
    let free = real_form(phi, v, &|_| Range::all());
    let by_values = (&free.rows, free.nowhere) != (&found.rows, found.nowhere);
    let changed = found.nowhere || found.rows != [phi];
    let mut why = found.why.join(", ");
    if changed && by_values {
        why.push_str(", for the values of the parameters");
    }
    let mut kinks = corners(&found.rows, v);
    kinks.extend(signs(&found.rows, &p.system.q));
    kinks.extend(lengths(&found.rows, v));
    RealRow {
        corners: kinks,
        plain_corners: !corners(&[found.plain], v).is_empty(),
        plain: found.plain,
        changed,
        why,
        sides: found.sides,
        domain: found.domain,
        nowhere: found.nowhere,
        rows: found.rows,
    }
}

/// Functions of velocities with corners or jumps.
fn corners(rows: &[Ex<'_>], v: &[Ex<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let Some(graph) = rows.first().map(|row| row.graph()) else {
        return found;
    };
    let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
    for id in graph.reachable(&roots) {
        let x = graph.ex(id);
        let has_corner = match x.node() {
            Node::Call(f, _) => !f.is_smooth() || f == Function::Sign || is_folded(x, v),
            _ => false,
        };
        if has_corner && v.iter().any(|v| x.depends_on(graph.ex(v.id()))) {
            found.push(x.to_string());
        }
    }
    found
}

/// Absolute values of functions of the place on one side of whose zeros a velocity no longer enters the row, as `y'` of
/// `(abs(x) - x) y' = z'` where `x > 0`.
fn lengths<'g>(rows: &[Ex<'g>], v: &[Ex<'g>]) -> Vec<String> {
    let Some(graph) = rows.first().map(|row| row.graph()) else {
        return Vec::new();
    };
    let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
    let slopes = rows.iter().flat_map(|row| row.partials(v));
    let slopes: Vec<Ex<'g>> = slopes.filter(|slope| !slope.is_zero()).collect();
    let of_place = |id| match graph.node(id) {
        Node::Call(Function::Abs, u) => {
            Some((graph.ex(id), graph.ex(u[0]))).filter(|(_, u)| !u.depends_on_any(v))
        }
        _ => None,
    };
    let is_lost = |(length, u): &(Ex<'g>, Ex<'g>)| {
        let sides = [*u, -*u].map(|side| [(*length, side)]);
        let mut all = slopes.iter().filter(|slope| slope.depends_on(*length));
        all.any(|slope| sides.iter().any(|side| vanishes(slope.substitute(side))))
    };
    let lengths = graph.reachable(&roots).into_iter().filter_map(of_place);
    lengths
        .filter(is_lost)
        .map(|(x, _)| x.to_string())
        .collect()
}

/// Signs, maxima and minima of functions of the place: the row is another one on either side of where they
/// change.
fn signs(rows: &[Ex<'_>], q: &[Ex<'_>]) -> Vec<String> {
    let Some(graph) = rows.first().map(|row| row.graph()) else {
        return Vec::new();
    };
    let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
    let mut found = Vec::new();
    for id in graph.reachable(&roots) {
        let u = match graph.node(id) {
            Node::Call(Function::Sign, u) => graph.ex(u[0]),
            Node::Call(Function::Max | Function::Min, u) => graph.ex(u[0]) - graph.ex(u[1]),
            _ => continue,
        };
        let changes = q.iter().any(|q| u.depends_on(graph.ex(q.id())));
        if changes && !range(u, &|_| Range::all()).excludes_zero() {
            found.push(graph.ex(id).to_string());
        }
    }
    found
}

/// A statement with its reason, where there is one in words: of `1/x = 0` there is none.
pub(crate) fn with_reason(statement: &str, why: &str) -> String {
    match why {
        "" => statement.to_owned(),
        why => format!("{statement}: {why}"),
    }
}
