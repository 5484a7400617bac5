//! Rows that depend on each other: their multipliers, and the forces of single rows with them, are statically
//! indeterminate. A claim about them is a claim about a choice, unless the choice does not matter to it.

use crate::questions::eval::null_multipliers;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Function};
use appell_mech::{ConstraintRow, Equations, System};
use appell_model::Quantity;

/// Why nothing is said of such a claim.
pub(super) const INDETERMINATE: &str = "rows depend on each other, and this force is statically indeterminate: what is shown is that of the \
     least multipliers, and others belong to the same motion";

/// Parts of a sum that cancel to this are nothing.
const ROUNDING: f64 = 1e-9;
/// States at which it is looked, of so many that are sought: a special one may hide that a force is a choice.
const STATES: usize = 3;
const SOUGHT: u32 = 12;

/// The multipliers without reaction, `W nu = 0`, and what they would change.
pub(super) struct Indeterminate<'a, 'g> {
    p: &'a Prepared<'g>,
    form: &'a Equations<'g>,
    /// Times, states `(q, v)`, and a basis of these multipliers there.
    states: Vec<(f64, Vec<f64>, Vec<Vec<f64>>)>,
}

impl<'a, 'g> Indeterminate<'a, 'g> {
    /// What is known without a program of its own; `None` where rows are independent.
    pub(super) fn new(p: &'a Prepared<'g>, form: &'a Equations<'g>) -> Option<Self> {
        let chart = p.constraints.chart.as_ref()?;
        if chart.rows.len() == p.constraints.k() {
            return None;
        }
        let scattered = (0..SOUGHT).filter_map(|sample| scattered_constrained_state(p, sample));
        let mut found: Vec<_> = scattered.take(STATES).collect();
        if found.is_empty() {
            found.extend(start(p).ok().map(|start| (start.t, start.q, start.v)));
        }
        let with_null = |(t, q, v): (f64, Vec<f64>, Vec<f64>)| {
            let null = null_multipliers(p, (t, &q, &v));
            (t, [q, v].concat(), null)
        };
        let states = found.into_iter().map(with_null).collect();
        Some(Self { p, form, states })
    }

    /// Whether one of the expressions that are claimed to vanish changes with these multipliers.
    pub(super) fn changes(&self, claimed: &[Ex<'g>]) -> bool {
        claimed.iter().any(|gap| {
            let parts = self.parts(gap);
            !parts.is_empty()
                && self.states.iter().any(|(t, state, null)| {
                    null.iter().any(|nu| self.change(&parts, (*t, state), nu))
                })
        })
    }

    /// For each quantity in it that multipliers change: its factor, and what each multiplier gives to it.
    fn parts(&self, gap: &Ex<'g>) -> Vec<(Ex<'g>, Vec<[Ex<'g>; 3]>, usize)> {
        let graph = self.p.system.graph;
        let quantities = self.p.model.quantities.iter();
        let part = |(quantity, symbol): &(Quantity, _)| {
            let symbol = graph.ex(*symbol);
            let (by_row, axis) = gap.depends_on(symbol).then(|| self.by_row(quantity))??;
            Some((gap.diff(symbol), by_row, axis))
        };
        quantities.filter_map(part).collect()
    }

    /// The derivative of a quantity by each multiplier, beside what tells its size, as the other components of the same
    /// vector; and which of the three it is. `None` for what has nothing to do with multipliers.
    fn by_row(&self, quantity: &Quantity) -> Option<(Vec<[Ex<'g>; 3]>, usize)> {
        let (system, rows) = (&self.p.system, &self.p.constraints.rows);
        let (zero, one) = (system.graph.zero(), system.graph.one());
        let active = || rows.iter().enumerate().filter(|(_, row)| row.is_active());
        match quantity {
            Quantity::Multiplier(own) => {
                let each =
                    active().map(|(row, _)| [if row == *own { one } else { zero }, zero, zero]);
                Some((each.collect(), 0))
            }
            Quantity::Power(constraint) => {
                let each = active().map(|(_, row)| match row.constraint == *constraint {
                    true => power(system, row),
                    false => [zero; 3],
                });
                Some((each.collect(), 0))
            }
            Quantity::ReactionForce(body, axis) => Some((self.on_body(*body, 0), *axis)),
            Quantity::ReactionMoment(body, axis) => Some((self.on_body(*body, 3), *axis)),
            Quantity::Rate(inner) | Quantity::Partial(inner, _) => self.by_row(inner),
            _ => None,
        }
    }

    /// The force on a body by each multiplier, or from line 3 on the moment about its centre of mass.
    fn on_body(&self, body: usize, line: usize) -> Vec<[Ex<'g>; 3]> {
        let zero = self.p.system.graph.zero();
        let mut found = vec![[zero; 3]; self.p.constraints.k()];
        for force in self.form.forces.iter().filter(|f| f.body == Some(body)) {
            let directions = force.about_centre(&self.p.system);
            for (column, row) in force.rows.iter().enumerate() {
                for (axis, sum) in found[*row].iter_mut().enumerate() {
                    *sum = *sum + directions[(line + axis, column)];
                }
            }
        }
        found
    }

    /// Whether these multipliers change the sum at a state. A factor that is no function of the state counts as 1.
    fn change(
        &self,
        parts: &[(Ex<'g>, Vec<[Ex<'g>; 3]>, usize)],
        (t, state): (f64, &[f64]),
        nu: &[f64],
    ) -> bool {
        let (mut sum, mut size) = (0.0_f64, 0.0_f64);
        for (factor, by_row, axis) in parts {
            let factor = self.value(&[*factor], t, state);
            let factor = factor.map_or(1.0, |values| values[0]);
            let Some(given) = self.value(by_row.as_flattened(), t, state) else {
                return true;
            };
            for (given, nu) in given.as_chunks::<3>().0.iter().zip(nu) {
                let largest = given.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
                sum += factor * given[*axis] * nu;
                size += (factor * largest * nu).abs();
            }
        }
        sum.abs() > ROUNDING * size || sum.is_nan()
    }

    /// Functions of time, state and parameters at a state; `None` where they are no such functions.
    fn value(&self, xs: &[Ex<'g>], t: f64, state: &[f64]) -> Option<Vec<f64>> {
        let graph = self.p.system.graph;
        let quantities = self.p.model.quantities.iter();
        let mut symbols = quantities.map(|(_, symbol)| graph.ex(*symbol));
        let is_of_state = !symbols.any(|symbol| xs.iter().any(|x| x.depends_on(symbol)));
        is_of_state.then(|| self.p.functions_of(xs).results(t, state).ok())?
    }
}

/// The power of a row for a multiplier of 1, and the size of its terms.
fn power<'g>(system: &System<'g>, row: &ConstraintRow<'g>) -> [Ex<'g>; 3] {
    let graph = system.graph;
    let terms = row.direction().iter().zip(&system.v);
    let terms: Vec<Ex<'g>> = terms.map(|(w, v)| *w * *v).collect();
    let sizes: Vec<Ex<'g>> = terms.iter().map(|x| x.call(Function::Abs)).collect();
    [graph.sum(&terms), graph.sum(&sizes), graph.zero()]
}
