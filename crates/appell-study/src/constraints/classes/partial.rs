//! Rows that say what others do where these satisfy conditions besides: those that the domains of functions leave.

use super::contrived::Nonlinearity;
use crate::states::real_rows::RealRow;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Rational, vanishes};

impl<'g> RealRow<'g> {
    /// Why other rows say the same, and where.
    pub(super) fn words(&self) -> String {
        let why = match self.why.as_str() {
            "" => "it is a root in disguise",
            why => why,
        };
        format!("{why}{}", self.place())
    }

    /// `; where ..` with what has to hold besides its rows.
    pub(super) fn place(&self) -> String {
        match self.conditions().as_slice() {
            [] => String::new(),
            conditions => format!("; where {}", conditions.join(", ")),
        }
    }

    /// The nature of a row that is affine in the velocities at which it has a value: `sin(asin(x')) = y'` is a part of a
    /// plane.
    pub(super) fn affine_nature(&self, p: &Prepared<'g>) -> Nonlinearity<'g> {
        if self.domain.is_empty() {
            return Nonlinearity::Affine;
        }
        Nonlinearity::Contrived {
            why: format!("it holds where a linear row does{}", self.place()),
            branches: vec![vec![written_out(p, self.plain)]],
            settled: true,
            by_numbers: false,
            at_start: false,
            given: false,
            bound: f64::NEG_INFINITY,
        }
    }
}

impl<'g> Nonlinearity<'g> {
    /// With what has to hold besides where it is contrived.
    pub(super) fn with_conditions(mut self, row: &RealRow<'g>) -> Self {
        if let Self::Contrived { why, .. } = &mut self {
            why.push_str(&row.place());
        }
        self
    }
}

/// An affine row by its slopes at one of these velocities, if there they have the values that they have elsewhere:
/// `sqrt(x')^2` has none at rest.
fn written_out<'g>(p: &Prepared<'g>, row: Ex<'g>) -> Ex<'g> {
    let (v, graph) = (&p.system.v, p.system.graph);
    let by_slopes = |at: Rational| {
        let value = graph.number(at);
        let there: Vec<_> = v.iter().map(|v| (*v, value)).collect();
        let slopes = row.partials(v).into_iter().zip(v);
        let terms = slopes.map(|(a, v)| a.substitute(&there) * (*v - value));
        let terms: Vec<Ex<'g>> = terms.chain([row.substitute(&there)]).collect();
        graph.sum(&terms)
    };
    let places = [Rational::zero(), Rational::one(), Rational::new(1, 4)];
    let mut plain = places.into_iter().map(by_slopes);
    plain.find(|plain| vanishes(*plain - row)).unwrap_or(row)
}
