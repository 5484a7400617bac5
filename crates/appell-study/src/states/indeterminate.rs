//! Rows that depend on each other, `W nu = 0`: their multipliers, and the forces of single rows with them, are statically
//! indeterminate. Those of the least multipliers are shown, and `lambda + nu` belongs to the same motion.

use crate::states::nearest::parameters_of;
use crate::states::ranks::of_rows;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::states::status::{Status, judge};
use crate::values::found::Start;
use crate::values::measurement::Table;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Id};
use appell_flow::{Interpreter, linear};
use appell_mech::{ConstraintForce, Equations, Rule, directions_output, function, output};
use appell_model::Quantity;
use serde::Serialize;

/// Parts of a sum that cancel to this are nothing.
const ROUNDING: f64 = 1e-9;
/// States at which it is looked, of so many that are sought: a special one may hide that a force is a choice.
const STATES: usize = 3;
const SOUGHT: u32 = 12;
/// Names that a sentence lists; more help nobody.
const LISTED: usize = 12;

/// What is said where rows depend on each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Indeterminate {
    /// The rows that depend on each other.
    pub rows: Vec<String>,
    /// The forces that are not unique.
    pub forces: Vec<NonuniqueForce>,
    /// Whether the force and the moment of all constraints together is unique on every particle and body.
    pub total_on_each: bool,
    /// The same in words.
    pub text: String,
}

/// The force of an entry of `[constraints]` on a particle or body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NonuniqueForce {
    /// The entry.
    pub constraint: String,
    /// The particle or body.
    pub on: String,
}

/// The multipliers without reaction at some states, and what they would change.
pub struct IndeterminateForces<'p, 'g> {
    p: &'p Prepared<'g>,
    forces: &'p [ConstraintForce<'g>],
    places: Vec<MultiplierSample>,
}

/// One state.
struct MultiplierSample {
    t: f64,
    /// Coordinates and velocities.
    state: Vec<f64>,
    /// A basis of the multipliers without reaction, one number an active row.
    null: Vec<Vec<f64>>,
    /// `W_a . v` of each active row, and the size of its terms.
    powers: Vec<(f64, f64)>,
    /// Of each force the force and the moment about the mass centre by each multiplier.
    lines: Vec<Wrenches>,
}

/// Whether rows depend on each other where a motion starts.
fn is_redundant_at(p: &Prepared<'_>, start: &Start) -> bool {
    let measured = p.measure(start.t, &start.q, &start.v);
    let is_full = measured.is_none_or(|m| m.table(function::A).has_full_rank());
    let status = || judge(p, start.t, &start.q, &start.v, start.z.as_deref()).status;
    !is_full && status() == Status::Redundant
}

/// What each multiplier of a force gives: three components of the force and three of its moment.
struct Wrenches {
    values: Vec<[f64; 6]>,
    /// The sizes of their terms: of the force, and of the moment.
    sizes: Vec<[f64; 2]>,
}

/// A quantity in a formula: its factor there, and which it is.
type Part<'p, 'g> = (Ex<'g>, &'p Quantity);

impl<'p, 'g> IndeterminateForces<'p, 'g> {
    /// What is open on the forces of a form at almost every state; `None` where rows are independent.
    pub fn new(p: &'p Prepared<'g>, form: &'p Equations<'g>) -> Option<Self> {
        // States elsewhere may satisfy the rows in another way, in which they are independent.
        let initial = start(p).ok();
        let is_redundant = initial
            .as_ref()
            .is_some_and(|start| is_redundant_at(p, start));
        let chart = p.constraints.chart.as_ref();
        let is_full = chart.is_none_or(|chart| chart.rows.len() == p.constraints.k());
        if is_full && !is_redundant {
            return None;
        }
        let scattered = (0..SOUGHT).filter_map(|sample| scattered_constrained_state(p, sample));
        let mut found: Vec<_> = scattered.take(STATES).collect();
        let is_needed = found.is_empty() || is_redundant;
        found.extend(
            initial
                .filter(|_| is_needed)
                .map(|start| (start.t, start.q, start.v)),
        );
        let names = outputs(form);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let field = Interpreter::new(form.program(&names).ok()?, &p.parameters);
        let place = |(t, q, v): (f64, Vec<f64>, Vec<f64>)| {
            let z = parameters_of(p, t, &q, &v, None);
            let state = p.carrier_state(form.carrier, t, &q, &v, z.as_deref())?;
            let values = field.results(t, &state).ok()?;
            let null = null_multipliers(p, (t, &q, &v));
            MultiplierSample::new(p, &form.forces, (t, &q, &v), null, &|name| {
                let range = field.program().range(name).unwrap_or_default();
                values[range].to_vec()
            })
        };
        let places = found.into_iter().filter_map(place).collect();
        Some(Self {
            p,
            forces: &form.forces,
            places,
        })
    }

    /// Whether the multiplier of an active row is a choice, as far as the states tell.
    pub(crate) fn is_choice(&self, row: usize) -> bool {
        let has_share = |nu: &Vec<f64>| nu.get(row).is_none_or(|share| *share != 0.0);
        let mut places = self.places.iter();
        self.places.is_empty() || places.any(|place| place.null.iter().any(has_share))
    }

    /// What is open at one state with these multipliers, where the outputs of a form are known.
    pub(crate) fn at(
        p: &'p Prepared<'g>,
        forces: &'p [ConstraintForce<'g>],
        state: (f64, &[f64], &[f64]),
        null: Vec<Vec<f64>>,
        output: &dyn Fn(&str) -> Vec<f64>,
    ) -> Self {
        let place = MultiplierSample::new(p, forces, state, null, output);
        let places = place.into_iter().collect();
        Self { p, forces, places }
    }

    /// What is to be said of it; `None` where nothing is open.
    pub fn said(&self) -> Option<Indeterminate> {
        let active = self.p.constraints.active();
        let shares = |index: usize| {
            let mut all = self.places.iter().flat_map(|place| &place.null);
            all.any(|nu| nu[index] != 0.0)
        };
        let rows = active.enumerate().filter(|(index, _)| shares(*index));
        let rows: Vec<String> = rows.map(|(_, row)| row.name.clone()).collect();
        if rows.is_empty() {
            return None;
        }
        let model = self.p.model;
        let mut forces: Vec<NonuniqueForce> = Vec::new();
        for (index, force) in self.forces.iter().enumerate() {
            let nonunique = NonuniqueForce {
                constraint: model.constraints[force.constraint].name.clone(),
                on: force.on(model).to_owned(),
            };
            if self.is_open(|other| other == index) && !forces.contains(&nonunique) {
                forces.push(nonunique);
            }
        }
        let placed = |constraint: usize| {
            let mut all = self.forces.iter();
            all.any(|f| f.constraint == constraint && f.body.is_some())
        };
        let on = |body| self.is_open(|index| self.forces[index].body == Some(body));
        let mut active = self.p.constraints.active();
        let total_on_each =
            active.all(|row| placed(row.constraint)) && !(0..model.bodies.len()).any(on);
        let text = in_words(&rows, &forces, total_on_each);
        Some(Indeterminate {
            rows,
            forces,
            total_on_each,
            text,
        })
    }

    /// Whether the sum of these forces is a choice.
    fn is_open(&self, includes: impl Fn(usize) -> bool) -> bool {
        self.places.iter().any(|place| {
            place.null.iter().any(|nu| {
                (0..6).any(|axis| {
                    let (sum, size) = place.component(self.forces, &includes, axis, nu);
                    matters(sum, size)
                })
            })
        })
    }

    /// Whether one of the expressions that are claimed to vanish, or to keep a sign, changes with these multipliers.
    pub fn changes(&self, claimed: &[Id]) -> bool {
        let claimed = self.p.system.graph.exs(claimed);
        claimed.iter().any(|gap| {
            let parts = self.parts(gap);
            !parts.is_empty()
                && self.places.iter().any(|place| {
                    let changed_by = |nu: &Vec<f64>| self.change(place, &parts, nu);
                    place.null.iter().any(changed_by)
                })
        })
    }

    /// The quantities in a formula that multipliers change.
    fn parts(&self, gap: &Ex<'g>) -> Vec<Part<'p, 'g>> {
        let graph = self.p.system.graph;
        let quantities = self.p.model.quantities.iter();
        let part = |(quantity, symbol): &'p (Quantity, Id)| {
            let symbol = graph.ex(*symbol);
            (is_of_rows(quantity) && gap.depends_on(symbol)).then(|| (gap.diff(symbol), quantity))
        };
        quantities.filter_map(part).collect()
    }

    /// Whether these multipliers change the sum at a state. A factor that is no function of the state counts as 1.
    fn change(&self, place: &MultiplierSample, parts: &[Part<'_, 'g>], nu: &[f64]) -> bool {
        let (mut sum, mut size) = (0.0_f64, 0.0_f64);
        for (factor, quantity) in parts {
            let factor = self.value(*factor, place).unwrap_or(1.0);
            let (change, terms) = self.by(quantity, place, nu);
            (sum, size) = (sum + factor * change, size + (factor * terms).abs());
        }
        matters(sum, size)
    }

    /// By how much these multipliers change a quantity, and the size of the terms.
    fn by(&self, quantity: &Quantity, place: &MultiplierSample, nu: &[f64]) -> (f64, f64) {
        let rows = &self.p.constraints.rows;
        match quantity {
            Quantity::Multiplier(row) => {
                let entry = rows[*row].active_index().map_or(0.0, |index| nu[index]);
                (entry, entry.abs())
            }
            Quantity::Power(constraint) => {
                let of_constraint = rows.iter().filter(|row| row.constraint == *constraint);
                let indices = of_constraint.filter_map(|row| row.active_index());
                indices.fold((0.0, 0.0), |(sum, size), index| {
                    let (power, terms) = place.powers[index];
                    (sum + power * nu[index], size + (terms * nu[index]).abs())
                })
            }
            Quantity::ReactionForce(body, axis) | Quantity::ReactionMoment(body, axis) => {
                let line = match quantity {
                    Quantity::ReactionForce(..) => *axis,
                    _ => 3 + axis,
                };
                let is_of_body = |index: usize| self.forces[index].body == Some(*body);
                place.component(self.forces, &is_of_body, line, nu)
            }
            Quantity::Rate(inner) | Quantity::Partial(inner, _) => self.by(inner, place, nu),
            _ => (0.0, 0.0),
        }
    }

    /// A function of time, state and parameters at a state; `None` for what is no such function.
    fn value(&self, x: Ex<'g>, place: &MultiplierSample) -> Option<f64> {
        let system = &self.p.system;
        let parameters = system.model.parameters.iter();
        let parameters: Vec<Ex<'g>> = parameters
            .map(|parameter| system.graph.ex(parameter.symbol))
            .collect();
        let known = |symbol: &Ex<'g>| {
            *symbol == system.t
                || [&system.q, &system.v, &parameters]
                    .iter()
                    .any(|all| all.contains(symbol))
        };
        if !x.symbols().iter().all(known) {
            return None;
        }
        let values = self.p.functions_of(&[x]).results(place.t, &place.state);
        values.ok().map(|values| values[0])
    }
}

impl MultiplierSample {
    fn new<'g>(
        p: &Prepared<'g>,
        forces: &[ConstraintForce<'g>],
        (t, q, v): (f64, &[f64], &[f64]),
        null: Vec<Vec<f64>>,
        output: &dyn Fn(&str) -> Vec<f64>,
    ) -> Option<Self> {
        let state = [q, v].concat();
        let bodies = p.model.bodies.iter();
        let centres: Vec<Ex<'g>> = bodies
            .flat_map(|body| p.system.graph.exs(&body.position))
            .collect();
        let centres = p.functions_of(&centres).results(t, &state).ok()?;
        let points = output(output::POINTS);
        let three = |of: &[f64], index: usize| [0, 1, 2].map(|axis| of[3 * index + axis]);
        let lines = forces.iter().enumerate().map(|(index, force)| {
            let centre = force.body.map(|body| three(&centres, body));
            let at = three(&points, index);
            let arm = centre.map_or([0.0; 3], |centre| [0, 1, 2].map(|i| at[i] - centre[i]));
            let reach = centre.map_or(0.0, |centre| {
                linear::max_norm(&at) + linear::max_norm(&centre)
            });
            Wrenches::new(
                &output(&directions_output(index)),
                force.rows.len(),
                arm,
                reach,
            )
        });
        let w = p.measure(t, q, v)?.table(function::W);
        let powers = (0..w.columns).map(|row| {
            let column = (0..w.rows).map(|i| w.entries[i * w.columns + row].value);
            let column: Vec<f64> = column.collect();
            let power = column.iter().zip(v).map(|(w, v)| w * v).sum();
            (power, linear::max_norm(&column) * linear::max_norm(v))
        });
        Some(Self {
            lines: lines.collect(),
            powers: powers.collect(),
            t,
            state,
            null,
        })
    }

    /// A component of the sum of some forces for these multipliers, from 3 on of their moments, and the size of its
    /// terms.
    fn component(
        &self,
        forces: &[ConstraintForce<'_>],
        includes: &impl Fn(usize) -> bool,
        axis: usize,
        nu: &[f64],
    ) -> (f64, f64) {
        let (mut sum, mut size) = (0.0_f64, 0.0_f64);
        let all = forces.iter().zip(&self.lines).enumerate();
        for (_, (force, lines)) in all.filter(|(index, _)| includes(*index)) {
            for (column, row) in force.rows.iter().enumerate() {
                sum += lines.values[column][axis] * nu[*row];
                size += (lines.sizes[column][axis / 3] * nu[*row]).abs();
            }
        }
        (sum, size)
    }
}

impl Wrenches {
    /// From the directions, 6 x rows, the arm from the mass centre and the size of what it is a difference of.
    fn new(directions: &[f64], rows: usize, arm: [f64; 3], reach: f64) -> Self {
        let entry = |line: usize, column: usize| directions[line * rows + column];
        let column = |column: usize| {
            let force = [0, 1, 2].map(|axis| entry(axis, column));
            let couple = [3, 4, 5].map(|axis| entry(axis, column));
            let [x, y, z] = [0, 1, 2].map(|axis| {
                let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
                couple[axis] + arm[j] * force[k] - arm[k] * force[j]
            });
            let sizes = [
                linear::max_norm(&force),
                linear::max_norm(&couple) + reach * linear::max_norm(&force),
            ];
            ([force[0], force[1], force[2], x, y, z], sizes)
        };
        let (values, sizes) = (0..rows).map(column).unzip();
        Self { values, sizes }
    }
}

/// The outputs of a form that tell where each multiplier acts.
fn outputs(form: &Equations<'_>) -> Vec<String> {
    let directions = (0..form.forces.len()).map(directions_output);
    [output::POINTS.to_owned()]
        .into_iter()
        .chain(directions)
        .collect()
}

/// Whether a quantity is made of multipliers that may be a choice; the reaction as a whole is none.
fn is_of_rows(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::Multiplier(_)
        | Quantity::Power(_)
        | Quantity::ReactionForce(..)
        | Quantity::ReactionMoment(..) => true,
        Quantity::Rate(inner) | Quantity::Partial(inner, _) => is_of_rows(inner),
        _ => false,
    }
}

fn matters(sum: f64, size: f64) -> bool {
    sum.abs() > ROUNDING * size || sum.is_nan()
}

/// The remark of answers.
fn in_words(rows: &[String], forces: &[NonuniqueForce], total_on_each: bool) -> String {
    let listed = |names: Vec<String>| {
        let more = names.len().saturating_sub(LISTED);
        let mut shown = names[..names.len() - more].join(", ");
        if more > 0 {
            shown += &format!(" and {more} more");
        }
        shown
    };
    let named = |force: &NonuniqueForce| match force.on.as_str() {
        "" => force.constraint.clone(),
        on => format!("{} on {on}", force.constraint),
    };
    let of = match forces {
        [] => "of the multipliers the least are shown".to_owned(),
        forces => format!(
            "of the forces of {} those of the least multipliers are shown",
            listed(forces.iter().map(named).collect())
        ),
    };
    let total = match total_on_each {
        true => "the total force and moment on each particle and body is unique",
        false => "only their total, the generalised reaction, is unique",
    };
    let dependent = match rows {
        [row] => format!("the row {row} depends on others"),
        rows => format!("the rows {} depend on each other", listed(rows.to_vec())),
    };
    format!(
        "statically indeterminate: {dependent}; {of}, and others belong to the same motion; {total}"
    )
}

/// The entries of `[constraints]` that a motor keeps, by their `reaction` or because they prescribe a motion in time, and
/// whose forces on several particles and bodies are found by Gauss' principle: as an ideal guide would exert them.
pub fn distributed(p: &Prepared<'_>, forces: &[ConstraintForce<'_>]) -> Vec<String> {
    let is_servo = |constraint: usize| {
        let mut rows = p.constraints.rows.iter();
        rows.any(|row| {
            let time = || row.residual(&p.system).depends_on(p.system.t);
            row.constraint == constraint && (row.reaction.is_some() || time())
        })
    };
    let by_gauss = |constraint: usize| {
        let of_constraint = forces.iter().filter(|f| f.constraint == constraint);
        of_constraint.filter(|f| f.rule == Rule::Gauss).count() > 1
    };
    let entries = p.model.constraints.iter().enumerate();
    let entries = entries.filter(|(index, _)| by_gauss(*index) && is_servo(*index));
    entries.map(|(_, entry)| entry.name.clone()).collect()
}

/// A basis of the multipliers without reaction, `W nu = 0`.
pub(crate) fn null_multipliers(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
) -> Vec<Vec<f64>> {
    let Some(m) = p.measure(t, q, v) else {
        return Vec::new();
    };
    let w = m.table(function::W);
    let most = of_rows(p, &m.table(function::A));
    let mut basis = linear::null_space(most, w.rows, w.columns, &w.values(), &w.sizes());
    basis.iter_mut().for_each(|nu| drop_rounding(nu, &w));
    basis
}

/// Puts 0 for the multipliers of rows that have a share in `W nu = 0` by rounding alone.
fn drop_rounding(nu: &mut [f64], w: &Table) {
    let line = |row: usize| (0..w.rows).map(move |i| w.entries[i * w.columns + row].value);
    let force = |row: usize| line(row).fold(0.0, |size: f64, x| size.max(x.abs()));
    let shares: Vec<f64> = (0..nu.len())
        .map(|row| nu[row].abs() * force(row))
        .collect();
    let largest = shares.iter().copied().fold(0.0, f64::max);
    for (nu, share) in nu.iter_mut().zip(shares) {
        if share > 0.0 && share <= ROUNDING * largest {
            *nu = 0.0;
        }
    }
}
