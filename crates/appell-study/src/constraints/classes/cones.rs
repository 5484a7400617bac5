//! Rows that hold at all multiples of the velocities at which they hold: homogeneous rows, and cones.

use super::contrived::{Nonlinearity, active_rows};
use super::{SampledConstraints, View};
use crate::states::real_rows::real_row;
use crate::states::touching_velocities::touching_velocities;
use crate::values::prepared::Prepared;
use appell_expr::{
    Comparison, Condition, Ex, Finding, Fractions, Function, Id, Node, Rational, Sketch, vanish_on,
    vanishes,
};
use appell_flow::Measured;
use appell_mech::{ConstraintRow, states_on};
use std::collections::BTreeMap;

/// A power below this part of its terms may be 0.
const POWERLESS: f64 = 1e-9;
/// At states of this accuracy a row is held against its values at multiples of the velocities,
const EXACT: f64 = 1e-14;
/// which are these.
const MULTIPLES: [f64; 5] = [2.0, 0.5, 10.0, 0.1, 1e3];

impl<'g> SampledConstraints<'_, 'g> {
    /// Whether multiples of the velocities that satisfy a row are proved to satisfy it too.
    pub(super) fn is_invariant(&self, row: &ConstraintRow<'g>) -> bool {
        let (Some(index), Some(phi)) = (row.active_index(), row.phi) else {
            return false;
        };
        let v = &self.p.system.v;
        let is_cut = !self.has_multiples(index) || self.leaves_with_multiples(index);
        // Where rows touch, no points are drawn that tell.
        let touches = self.touches(index) || touching_velocities(self.p) == Some(index);
        if has_periods(phi, v) || is_cut || touches || self.is_flat(index) {
            return false;
        }
        let at_rest: Vec<_> = v.iter().map(|v| (*v, v.graph().zero())).collect();
        let through_rest = |x: &Ex<'g>| vanishes(x.substitute(&at_rest));
        match &self.natures()[index] {
            // With signs that numbers told, there may be more branches.
            Nonlinearity::Contrived {
                branches,
                given: false,
                by_numbers: false,
                ..
            } => match !branches.is_empty() && self.are_affine(branches) {
                true => branches.iter().flatten().all(through_rest),
                false => self.is_powerless(phi),
            },
            Nonlinearity::Contrived { .. }
            | Nonlinearity::Piecewise { .. }
            | Nonlinearity::Nowhere { .. } => false,
            _ => self.is_powerless(phi),
        }
    }

    /// Whether the inequalities and the domain of an active row hold with a velocity at all its positive multiples.
    pub(super) fn has_multiples(&self, index: usize) -> bool {
        let Some(real) = &self.reals()[index] else {
            return true;
        };
        let v = &self.p.system.v;
        let is_homogeneous = |of: Ex<'g>| !of.depends_on_any(v) || degree(self.p, of).is_some();
        let mut all = real.sides.iter().chain(&real.domain);
        all.all(|condition| is_homogeneous(condition.of))
    }

    /// Whether a state is known at which an active row holds, and does not at a multiple of the velocities: it is not 0
    /// there, or has no value.
    pub(super) fn leaves_with_multiples(&self, index: usize) -> bool {
        let named = active_rows(self.p);
        let (Some(phi), Some(real)) = (named[index].1, &self.reals()[index]) else {
            return false;
        };
        let all: Vec<Condition<'g>> = real.sides.iter().chain(&real.domain).copied().collect();
        let mut values = vec![phi];
        values.extend(all.iter().map(|condition| condition.of));
        let mut sketch = Sketch::new(self.p.system.graph);
        sketch.output_list("values", &values);
        let field = self.p.compile(&sketch, &["values"]);
        let at = |view: &View, factor: f64| {
            let v = view.v.iter().map(|v| factor * v);
            let state: Vec<f64> = view.q.iter().copied().chain(v).collect();
            field.measured(view.t, &state).ok()
        };
        let part = |x: &Measured| x.value / x.size;
        let holds = |x: &[Measured]| x[0].value.abs() <= EXACT * x[0].size;
        let is_left = |x: &[Measured]| {
            let mut conditions = all.iter().zip(&x[1..]);
            let is_signed = |c: &Condition<'g>| c.comparison != Comparison::NotZero;
            conditions.any(|(c, x)| is_signed(c) && part(x) < -POWERLESS)
                || part(&x[0]).abs() > POWERLESS
        };
        self.found
            && self.views.iter().any(|view| {
                at(view, 1.0).is_some_and(|x| holds(&x))
                    && MULTIPLES
                        .iter()
                        .any(|factor| at(view, *factor).is_some_and(|x| is_left(&x)))
            })
    }

    /// Whether at no state that was looked at multiples of the velocities leave the row.
    pub(super) fn looks_invariant(&self, row: &ConstraintRow<'g>) -> bool {
        let Some(index) = row.active_index() else {
            return false;
        };
        if self.leaves_with_multiples(index) {
            return false;
        }
        let powerless = |view: &View| {
            let mut rows = view.a.entries.chunks(view.a.columns);
            let pairs = rows.nth(index).unwrap_or_default().iter().zip(&view.v);
            let terms = pairs.map(|(a, v)| (a.value * v, a.size * v.abs()));
            let (power, size) = terms.fold((0.0, 0.0), |(p, s): (f64, f64), (a, b)| (p + a, s + b));
            power.abs() <= POWERLESS * size
        };
        self.views.iter().all(powerless)
    }

    /// Whether `phi_v v = 0` wherever `phi = 0`, on every component of this set: then the motion `v(s) = e^s v` of
    /// velocities stays on it. Each factor is looked at by itself: of a set that may have several components those are
    /// not seen that only meet in real points, as the two of `(y' - 2)^2 + x'^4 = 0` do.
    fn is_powerless(&self, phi: Ex<'g>) -> bool {
        let mut factors = factors(self.p, phi).into_iter();
        factors.all(|factor| {
            degree(self.p, factor).is_some()
                || real_row(self.p, factor).nowhere
                || self.is_one_cone(factor)
        })
    }

    /// Whether the zero set of a factor is one component, and its power vanishes there.
    fn is_one_cone(&self, factor: Ex<'g>) -> bool {
        let (system, constraints) = (&self.p.system, &self.p.constraints);
        let locus = states_on(system, constraints, &[factor], &[]);
        match vanish_on(&locus, &[power(self.p, factor)]) {
            // No points are drawn where the row has no derivative.
            Finding::Holds(bound) => bound.cover.is_one && !bound.cover.has_singular,
            Finding::Fails | Finding::FailsAtSome | Finding::Open(_) => false,
        }
    }
}

/// The factors of a row that speak of velocities, as it is written and as polynomials; denominators are none.
fn factors<'g>(p: &Prepared<'g>, phi: Ex<'g>) -> Vec<Ex<'g>> {
    let (v, graph) = (&p.system.v, p.system.graph);
    let written: Vec<Ex<'g>> = match phi.node() {
        Node::Product(factors) => {
            let above = factors.iter().filter(|(_, e)| !e.is_negative());
            above.map(|(x, _)| graph.ex(*x)).collect()
        }
        _ => vec![phi],
    };
    let mut field = Fractions::new(graph, &phi.symbols());
    let moving = written.into_iter().filter(|x| x.depends_on_any(v));
    let apart = moving.flat_map(|x| match field.parts(x, v) {
        Some(parts) if !parts.is_empty() => parts,
        _ => vec![x],
    });
    apart.collect()
}

/// `phi_v v`.
pub(super) fn power<'g>(p: &Prepared<'g>, phi: Ex<'g>) -> Ex<'g> {
    let v = &p.system.v;
    let slopes = phi.partials(v);
    let products: Vec<Ex<'g>> = slopes.iter().zip(v).map(|(a, v)| *a * *v).collect();
    p.system.graph.sum(&products)
}

/// Whether sines and their like of velocities occur: such rows have sheets without end, of which few are shown.
fn has_periods<'g>(phi: Ex<'g>, v: &[Ex<'g>]) -> bool {
    let graph = phi.graph();
    graph.reachable(&[phi.id()]).into_iter().any(|id| {
        let periodic = matches!(
            graph.node(id),
            Node::Call(Function::Sin | Function::Cos | Function::Tan, _)
        );
        periodic && v.iter().any(|v| graph.ex(id).depends_on(*v))
    })
}

/// `d` with `phi_v v = d phi` (Euler): the degree that the form of `phi` shows, in which parameters may stand, or one of
/// the halves from -2 to 8, which it may hide; 0 where `phi` hangs on the direction of the velocities only.
pub(crate) fn degree<'g>(p: &Prepared<'g>, phi: Ex<'g>) -> Option<Ex<'g>> {
    let v = &p.system.v;
    if phi.partials(v).iter().all(|a| a.is_zero()) {
        return None;
    }
    let power = power(p, phi);
    let graph = p.system.graph;
    let halves = (-4..=16).map(|twice| graph.number(Rational::new(twice, 2)));
    let mut degrees = std::iter::once(shown_degree(phi, v)).chain(halves);
    degrees.find(|d| vanishes(power - phi * *d))
}

/// The degree of an expression in `v` if it is homogeneous and every part of it is: that of the first terms of its sums.
fn shown_degree<'g>(x: Ex<'g>, v: &[Ex<'g>]) -> Ex<'g> {
    let graph = x.graph();
    let mut known: BTreeMap<Id, Ex<'g>> = BTreeMap::new();
    for id in graph.reachable(&[x.id()]) {
        let of = |id: &Id| known.get(id).copied().unwrap_or(graph.zero());
        let degree = match graph.node(id) {
            Node::Symbol(_) if v.iter().any(|v| v.id() == id) => graph.one(),
            Node::Sum(constant, parts) if constant.is_zero() => of(&parts[0].0),
            Node::Product(factors) => {
                let degrees: Vec<Ex<'g>> = factors.iter().map(|(x, e)| of(x).scale(e)).collect();
                graph.sum(&degrees)
            }
            Node::Power(base, exponent) => of(&base) * graph.ex(exponent),
            Node::Call(Function::Abs | Function::Min | Function::Max, parts) => of(&parts[0]),
            _ => graph.zero(),
        };
        known.insert(id, degree);
    }
    known.remove(&x.id()).unwrap_or(graph.zero())
}
