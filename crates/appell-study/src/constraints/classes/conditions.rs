//! How many conditions the rows of a model are: ranks of what they say, and rows that touch.

use super::contrived::active_rows;
use super::redundancy::follow_at_start;
use super::{COMPONENTS, SampledConstraints};
use crate::states::rank_around::ranks_at_start;
use crate::states::status::{Judgement, Status};
use crate::states::touching::dependent_at_start;
use appell_expr::{Ex, Finding, Matrix, Sketch, generic_rank, rank_is_exact, tally_on};
use appell_flow::{Measured, linear};
use appell_mech::{Chart, is_affine, states_in_chart, states_on};

/// How many conditions the first 0, 1, 2, .. active rows are.
pub(super) struct Ranks {
    pub(super) of_first: Vec<usize>,
    /// Rows whose derivatives depend on those of earlier rows wherever all hold, and that are no consequence of
    /// them: they touch, as a circle and its tangent do.
    pub(super) touching: Vec<usize>,
    /// Whether a state is known at which all rows hold: without one nothing is said.
    pub(super) known: bool,
    /// `log2` of the probability that the last is larger; none where they were found in double precision.
    pub(super) bound: Option<f64>,
}

impl<'g> SampledConstraints<'_, 'g> {
    /// The degrees of freedom at almost every state; about a start that was judged, where rows depend on each other that on
    /// other components do not, as `x y = 0`, `x z = 0`, or where more are independent than at a singular one.
    pub(crate) fn freedoms(&self, start: Option<&Judgement>) -> usize {
        let with = |rank| self.p.constraints.freedoms(self.p.system.n(), rank);
        // The derivatives of squares and of rows that touch say less than these do, at any state.
        let says_more = |row: usize| self.is_flat(row) || self.touches(row);
        let says_more = || (0..self.equivalent_rows().len()).any(says_more);
        let about = start.and_then(|judged| match judged.status {
            Status::Redundant => judged.rank.a,
            Status::Singular if says_more() => None,
            Status::Singular => judged
                .generic_rank
                .filter(|rank| Some(*rank) > judged.rank.a),
            _ => None,
        });
        let generic = with(self.rank());
        about.map_or(generic, |rank| generic.max(with(rank)))
    }

    /// The ranks of the first so many active rows, by what they say where they hold.
    pub(super) fn ranks(&self) -> &Ranks {
        self.ranks.get_or_init(|| {
            let (system, named) = (&self.p.system, active_rows(self.p));
            let said = self.equivalent_rows();
            let all: Vec<Ex<'g>> = said.concat();
            // Random points take numbers that may be equal for any two.
            let velocities = named.iter().all(|(_, phi)| phi.is_some());
            let velocities = velocities && self.undecided_reason().is_none();
            let found = velocities.then(|| {
                // The rank of affine rows is the same at all velocities.
                let affine = all.iter().all(|row| is_affine(system, *row));
                let on = if affine { &[] } else { all.as_slice() };
                let locus = states_on(system, &self.p.constraints, on, &[]);
                let slopes = Matrix::jacobian(system.graph, &all, &system.v);
                let order: Vec<usize> = (0..system.n()).collect();
                let found = generic_rank(&locus, &slopes, &order)?;
                let bound = match rank_is_exact(&locus, &slopes, &found) {
                    Finding::Holds(bound) => Some(bound.exponent),
                    _ => None,
                };
                Some((found.rows, bound))
            });
            let ends = said.iter().scan(0, |end, rows| {
                *end += rows.len();
                Some(*end)
            });
            let found = found.flatten();
            let on_random_points = found.is_some();
            let (of_first, bound) = match found {
                Some((rows, bound)) => {
                    let below = |end: usize| rows.iter().filter(|row| **row < end).count();
                    ([0].into_iter().chain(ends).map(below).collect(), bound)
                }
                None => (self.ranks_at_views(), None),
            };
            // On the component of the start the rank may be larger than on the one that random points met. Where there are
            // none, the other states may lie beside the rows, as of rows that touch, by half of their digits.
            let at_start = ranks_at_start(self.p).filter(|ranks| {
                let is_larger = ranks.last() > of_first.last();
                let is_smaller = !on_random_points && ranks.last() < of_first.last();
                is_larger || is_smaller && follow_at_start(self.p)
            });
            let (mut of_first, bound) = match at_start {
                Some(ranks) => (ranks, None),
                None => (of_first, bound),
            };
            let touching = self.touching(&of_first);
            let added = |row: &&usize| of_first[**row + 1] == of_first[**row];
            let added: Vec<usize> = touching.iter().filter(added).copied().collect();
            for row in &added {
                of_first[row + 1..].iter_mut().for_each(|rank| *rank += 1);
            }
            Ranks {
                of_first,
                touching,
                known: on_random_points || self.found,
                bound,
            }
        })
    }

    /// Of the rows that add nothing to the rank of the first so many: those that are no consequence of those that add
    /// to it. They leave one dimension less.
    fn touching(&self, of_first: &[usize]) -> Vec<usize> {
        let said = self.equivalent_rows();
        let curved = |row: usize| said[row].iter().any(|x| !is_affine(&self.p.system, *x));
        let adding = (0..said.len()).filter(|row| of_first[row + 1] > of_first[*row]);
        let adding: Vec<usize> = adding.collect();
        let touches = |row: &usize| {
            let before: Vec<Ex<'g>> = adding
                .iter()
                .flat_map(|other| said[*other].clone())
                .collect();
            let bent = (0..=*row).any(curved);
            bent && of_first[row + 1] == of_first[*row] && !said[*row].is_empty() && {
                let (system, constraints) = (&self.p.system, &self.p.constraints);
                let chart = constraints.chart.as_ref();
                let is_chosen =
                    |chart: &Chart| chart.rows.iter().all(|other| adding.contains(other));
                let locus = match chart.is_some_and(is_chosen) {
                    true => states_in_chart(system, constraints, &before),
                    false => states_on(system, constraints, &before, &[]),
                };
                // Where it holds on some of several components, the start is on one of these.
                let (other, zero) = tally_on(&locus, &said[*row], COMPONENTS);
                other > 0 && zero == 0
            }
        };
        let holonomic = dependent_at_start(self.p).touching;
        (0..said.len())
            .filter(|row| holonomic.contains(row) || touches(row))
            .collect()
    }

    /// The largest rank of the first so many active rows at the states that are looked at, of these those
    /// on the sheet of the start.
    fn ranks_at_views(&self) -> Vec<usize> {
        let system = &self.p.system;
        let active = self.p.constraints.active();
        let slopes = active
            .zip(self.equivalent_rows())
            .map(|(row, said)| match row.phi {
                Some(_) => said
                    .iter()
                    .flat_map(|row| row.partials(&system.v))
                    .collect(),
                None => row.a.clone(),
            });
        let slopes: Vec<Vec<Ex<'g>>> = slopes.collect();
        let mut sketch = Sketch::new(system.graph);
        let width = slopes.iter().map(Vec::len).sum();
        sketch.output_list("slopes", &slopes.concat());
        sketch.output_list("rows", &self.equivalent_rows().concat());
        let field = self.p.compile(&sketch, &["slopes", "rows"]);
        let views = self.views.iter();
        let views = views.map(|view| (view.t, view.q.clone(), view.v.clone()));
        let measured =
            |(t, q, v): (f64, Vec<f64>, Vec<f64>)| field.measured(t, &[q, v].concat()).ok();
        let all: Vec<Vec<Measured>> = views.filter_map(measured).collect();
        let holds = |x: &Measured| x.value.abs() <= 1e-9 * x.size;
        let on = |table: &&Vec<Measured>| table[width..].iter().all(holds);
        let tables: Vec<&Vec<Measured>> = all.iter().filter(on).collect();
        let mut ends = vec![0];
        for of_row in &slopes {
            ends.push(ends.last().copied().unwrap_or(0) + of_row.len());
        }
        let rank = |end: usize| {
            let of = |table: &&Vec<Measured>| rank_of(&table[..end], system.n());
            tables.iter().filter_map(of).max().unwrap_or(0)
        };
        ends.into_iter().map(rank).collect()
    }
}

/// The rank of rows of so many columns; `None` where one has no value.
fn rank_of(entries: &[Measured], columns: usize) -> Option<usize> {
    let values: Vec<f64> = entries.iter().map(|x| x.value).collect();
    let sizes: Vec<f64> = entries.iter().map(|x| x.size).collect();
    let known = values.iter().chain(&sizes).all(|x| x.is_finite());
    known.then(|| linear::rank(values.len() / columns.max(1), columns, &values, &sizes))
}
