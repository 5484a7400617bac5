//! Rows that depend on each other: multipliers, and forces of single rows with them, are a choice there. A claim about
//! them is about the choice, unless the choice does not matter to it.

use crate::questions::eval::null_multipliers;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix, Sketch};
use appell_mech::{Equations, directions_output};
use appell_model::Quantity;

/// Why nothing is said of such a claim.
pub(super) const NOT_UNIQUE: &str = "rows depend on each other, and this force is not unique: what is shown is that of the least multipliers, \
     and others belong to the same motion";

/// Parts of a sum that cancel to this are nothing.
const ROUNDING: f64 = 1e-9;

/// Whether what is claimed to vanish changes with multipliers that have no reaction, `W nu = 0`.
pub(super) fn is_a_choice<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    claimed: &Matrix<'g>,
) -> bool {
    let chart = p.constraints.chart.as_ref();
    if chart.is_none_or(|chart| chart.rows.len() == p.constraints.k()) {
        return false;
    }
    let begun = || start(p).ok().map(|start| (start.t, start.q, start.v));
    let Some((t, q, v)) = begun().or_else(|| scattered_constrained_state(p, 0)) else {
        return false;
    };
    let state = [q.as_slice(), &v].concat();
    let null = null_multipliers(p, (t, &q, &v));
    let forces = Directions::at(p, form, t, &state);
    let of_claim = |gap: &Ex<'g>, nu: &[f64]| {
        let (mut sum, mut size) = (0.0, 0.0_f64);
        for (quantity, symbol) in &p.model.quantities {
            let symbol = p.system.graph.ex(*symbol);
            if !gap.depends_on(symbol) {
                continue;
            }
            let Some(change) = forces.change(p, quantity, nu) else {
                continue;
            };
            let factor = gap.diff(symbol).as_rational().map(|x| x.to_f64());
            // What is no fixed multiple of it changes with it.
            let part = factor.map_or(if change == 0.0 { 0.0 } else { f64::INFINITY }, |x| {
                x * change
            });
            (sum, size) = (sum + part, size + part.abs());
        }
        !(sum.abs() <= ROUNDING * size)
    };
    let gaps = claimed.entries();
    null.iter()
        .any(|nu| gaps.iter().any(|gap| of_claim(gap, nu)))
}

/// The directions of all forces at a state.
struct Directions {
    /// For each force its body, its rows, and what each row's multiplier gives: three components, three of the couple.
    forces: Vec<(Option<usize>, Vec<usize>, Vec<f64>)>,
}

impl Directions {
    fn at<'g>(p: &Prepared<'g>, form: &Equations<'g>, t: f64, state: &[f64]) -> Self {
        let mut forces = Vec::new();
        for (index, force) in form.forces.iter().enumerate() {
            let Some(directions) = form.sketch.get(&directions_output(index)) else {
                continue;
            };
            let mut sketch = Sketch::new(p.system.graph);
            sketch.output_list("d", directions.entries());
            let values = p.compile(&sketch, &["d"]).results(t, state);
            if let Ok(values) = values {
                forces.push((force.body, force.rows.clone(), values));
            }
        }
        Self { forces }
    }

    /// By how much a quantity changes with these multipliers; `None` where it has nothing to do with them. Where a
    /// moment or a power changes at all, it counts as one.
    fn change(&self, p: &Prepared<'_>, quantity: &Quantity, nu: &[f64]) -> Option<f64> {
        let rows = p.constraints.rows.iter();
        match quantity {
            Quantity::Multiplier(row) => {
                let own = &p.constraints.rows[*row];
                let place = rows.take(*row).filter(|row| row.is_active()).count();
                Some(if own.is_active() { nu[place] } else { 0.0 })
            }
            Quantity::Power(constraint) => {
                let active = rows.filter(|row| row.is_active()).zip(nu);
                let mut own = active.filter(|(row, _)| row.constraint == *constraint);
                Some(f64::from(own.any(|(_, nu)| *nu != 0.0)))
            }
            Quantity::ReactionForce(body, axis) => Some(self.component(*body, *axis, nu).0),
            Quantity::ReactionMoment(body, _) => {
                let changes = |axis: usize| {
                    let (sum, size) = self.component(*body, axis, nu);
                    sum.abs() > ROUNDING * size
                };
                Some(f64::from((0..6).any(changes)))
            }
            Quantity::Rate(inner) | Quantity::Partial(inner, _) => self.change(p, inner, nu),
            _ => None,
        }
    }

    /// A component of the force on a body, or from 3 on of its couples, and the size of its terms.
    fn component(&self, body: usize, axis: usize, nu: &[f64]) -> (f64, f64) {
        let (mut sum, mut size) = (0.0, 0.0);
        for (_, rows, directions) in self.forces.iter().filter(|(own, ..)| *own == Some(body)) {
            let line = &directions[axis * rows.len()..(axis + 1) * rows.len()];
            for (direction, row) in line.iter().zip(rows) {
                let part = direction * nu[*row];
                (sum, size) = (sum + part, size + part.abs());
            }
        }
        (sum, size)
    }
}
