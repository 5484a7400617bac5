//! The shapes of rows in the velocities: linear, affine, homogeneous or general, and cones.

use super::SampledConstraints;
use super::cones::{degree, power};
use super::doubt::free_part;
use crate::values::exact_values::closed_values;
use appell_expr::{Ex, Finding, Locus, Rational, vanish_on, vanishes};
use appell_mech::{ConstraintRow, is_affine};
use appell_model::Level;

/// Words that a constraint has when all its rows have them.
const SHAPES: [&str; 6] = [
    "linear",
    "affine",
    "homogeneous",
    "general",
    "cone",
    "holonomic",
];

impl<'g> SampledConstraints<'_, 'g> {
    /// The rows whose shape is that of a row: those that say the same, where no sides are left out, and no domain that
    /// multiples of velocities leave.
    pub(super) fn shaped(&self, row: &ConstraintRow<'g>) -> Option<Vec<Ex<'g>>> {
        let index = row.active_index()?;
        let real = self.reals()[index].as_ref()?;
        let plain = real.changed && real.sides.is_empty() && !real.rows.is_empty();
        (plain && self.has_multiples(index)).then(|| real.rows.clone())
    }

    /// Whether a row has no value at some velocities: on a part of a plane it is not linear.
    fn has_a_domain(&self, row: &ConstraintRow<'g>) -> bool {
        let real = row.active_index().and_then(|i| self.reals()[i].as_ref());
        real.is_some_and(|real| !real.domain.is_empty())
    }

    pub(super) fn degrees(&self, row: &ConstraintRow<'g>) -> Vec<Option<Rational>> {
        let rows = self
            .shaped(row)
            .unwrap_or_else(|| row.phi.into_iter().collect());
        match rows.is_empty() {
            true => vec![None],
            false => {
                let in_force = |d: Ex<'g>| d.substitute(&closed_values(self.p)).as_rational();
                let value = |d: Ex<'g>| d.as_rational().or_else(|| in_force(d));
                let has_multiples = row.active_index().is_none_or(|i| self.has_multiples(i));
                let degrees = rows.iter().map(|row| degree(self.p, *row));
                let degrees = degrees.map(|d| d.filter(|_| has_multiples));
                degrees.map(|d| d.and_then(value)).collect()
            }
        }
    }

    /// `log2` of the largest probability that a shape is wrong: it rests on derivatives that vanish.
    pub(super) fn bound_of_shapes(&self, rows: &[&ConstraintRow<'g>]) -> f64 {
        let (v, graph) = (&self.p.system.v, self.p.system.graph);
        let said = rows.iter().flat_map(|row| {
            let phi = || row.phi.into_iter().collect();
            self.shaped(row).unwrap_or_else(phi)
        });
        let at_rest: Vec<_> = v.iter().map(|v| (*v, graph.zero())).collect();
        let bounds = said.flat_map(|phi| {
            let slopes = phi.partials(v);
            let bends = slopes.iter().flat_map(|a| a.partials(v));
            let cone = degree(self.p, phi).map(|d| power(self.p, phi) - phi * d);
            let zeros = bends.chain([phi.substitute(&at_rest)]).chain(cone);
            zeros.map(bound_of_zero).collect::<Vec<_>>()
        });
        bounds.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The shapes in the velocities of what a row says.
    pub(super) fn shapes(&self, row: &ConstraintRow<'g>) -> Vec<Vec<&'static str>> {
        let Some(phi) = row.phi else {
            return vec![vec!["general"]];
        };
        let piecewise = row
            .active_index()
            .and_then(|index| self.reals()[index].as_ref());
        let smooth = piecewise.is_none_or(|real| real.corners.is_empty());
        let mut said = self.shaped(row).unwrap_or_else(|| vec![phi]);
        // What is said of the place alone leaves the velocities there as they are: `y = 0` of `x'^2 + y^2 = 0`.
        let moves = |phi: &Ex<'g>| phi.depends_on_any(&self.p.system.v);
        if said.iter().any(moves) {
            said.retain(moves);
        }
        let shapes = said.into_iter().map(|phi| self.shape(row, phi, smooth));
        shapes.collect()
    }

    fn shape(&self, row: &ConstraintRow<'g>, phi: Ex<'g>, smooth: bool) -> Vec<&'static str> {
        let system = &self.p.system;
        let straight = smooth && is_affine(system, phi) && !self.has_a_domain(row);
        let has_multiples = row.active_index().is_none_or(|i| self.has_multiples(i));
        let degree = degree(self.p, phi).filter(|_| has_multiples);
        let mut words = match (straight, &degree) {
            (true, _) if vanishes(free_part(system, phi)) => vec!["linear", "homogeneous"],
            (true, _) => vec!["affine"],
            (false, Some(_)) => vec!["homogeneous"],
            (false, None) => vec!["general"],
        };
        if degree.is_some() || self.is_invariant(row) {
            words.push("cone");
        }
        if row.level == Level::Position {
            words.push("holonomic");
        }
        words
    }
}

/// The words that all shapes have; rows of different shapes have together the narrowest one that admits them all.
pub(super) fn common_shape(shapes: &[Vec<&str>]) -> Vec<&'static str> {
    if shapes.is_empty() {
        return Vec::new();
    }
    let common = |word: &&str| shapes.iter().all(|shape| shape.contains(word));
    let mut words: Vec<&'static str> = SHAPES.into_iter().filter(common).collect();
    if !SHAPES[..4].iter().any(|word| words.contains(word)) {
        let straight = |shape: &Vec<&str>| shape.contains(&"linear") || shape.contains(&"affine");
        let all = shapes.iter().all(straight);
        words.insert(0, if all { "affine" } else { "general" });
    }
    words
}

/// `log2` of the probability that an expression is found to vanish although it does not.
fn bound_of_zero(x: Ex<'_>) -> f64 {
    if x.as_rational().is_some() {
        return f64::NEG_INFINITY;
    }
    match vanish_on(&Locus::new(x.symbols()), &[x]) {
        Finding::Holds(bound) => bound.exponent,
        Finding::Fails | Finding::FailsAtSome | Finding::Open(_) => f64::NEG_INFINITY,
    }
}
