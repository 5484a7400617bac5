//! The rank of the rows at states about one, which tells whether it drops there.

use crate::states::agreement::StateRef;
use crate::states::charts::{INERT, units};
use crate::states::nearest::{nearest_of_rank, nearest_on_constraints};
use crate::states::ranks::of_rows;
use crate::states::real_rows::real_row;
use crate::states::residuals::scaled_residual;
use crate::states::start::start;
use crate::states::status::{ON_CONSTRAINT, flat_rows};
use crate::values::measurement::{Measurement, Table};
use crate::values::prepared::Prepared;
use crate::values::rows::{Goal, SOLVED, identity, independent_rows};
use crate::values::scattered::{are_within, moved, scattered};
use appell_expr::{Ex, degree_in};
use appell_flow::{Measured, linear};
use appell_mech::function;

/// What holds at states on the constraints around one.
pub(super) struct RankAround {
    /// The largest rank of `A`.
    pub rank: usize,
    /// For each row with a `phi`, whether all its derivatives vanish everywhere.
    pub flat: Vec<bool>,
}

/// So many states are looked at.
const STATES: u32 = 6;
/// How far from the state they are sought.
const AWAY: f64 = 0.5;
/// How close by, where the rank is larger there: a step away may be on another component, as `x + y = pi` is of
/// `sin(x) = sin(y)`.
const CLOSE: [f64; 2] = [0.1, 0.02];
/// Farther than so many such steps no state is close by.
const FEW: f64 = 10.0;
/// States that are sought at a distance and found within this part of it are that at hand.
const HERE: f64 = 1e-3;
/// States are found to this part of their terms, and those at double roots are less than this off.
const FOUND: f64 = 1e-12;
const OFF: f64 = 1e-5;
/// Singular values are alike up to this ratio.
const ALIKE: f64 = 3.0;
/// So many states close by have to be found to say that the rank does not drop.
const ENOUGH: usize = 3;

/// Looks at states on the constraints around this one, and at itself.
pub(super) fn rank_around(
    p: &Prepared<'_>,
    here: &Measurement<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> RankAround {
    let rank = of_rows(p, &here.table(function::A)).unwrap_or(0);
    let mut found = RankAround {
        rank,
        flat: flat_rows(here),
    };
    // Elsewhere rows cannot have a larger rank than all of theirs, and one that is not flat here is not flat everywhere.
    let all_is_known = rank == p.constraints.k() && !found.flat.contains(&true);
    if all_is_known || are_constant(p) {
        return found;
    }
    let around = Around {
        p,
        state: (t, q, v),
        rank,
        positions: here.table(function::POSITION_Q).rank(),
        real_rows: found.flat.contains(&true).then(|| real_rows_of(p)),
    };
    for there in around.states(AWAY) {
        found.rank = found.rank.max(there.rank);
        let flat = found.flat.iter_mut().zip(there.flat);
        flat.for_each(|(flat, there)| *flat &= there);
    }
    let size = Some(linear::max_norm(q)).filter(|size| *size > 0.0);
    let size = size.map_or(1.0, |size| size.min(1.0));
    // The first state with the rank that is found from afar is enough to say that it is that of the component.
    let most_close = |step: f64| {
        let mut close = around.close(step * size);
        let most = close.try_fold((0, rank), |(count, most), there| {
            (there.rank < found.rank).then_some((count + 1, most.max(there.rank)))
        });
        most.filter(|(count, _)| *count >= ENOUGH)
            .map(|(_, most)| most)
    };
    if found.rank > rank
        && let Some(most) = CLOSE.into_iter().find_map(most_close)
    {
        found.rank = most;
    }
    found
}

/// A state whose neighbours are looked at.
struct Around<'p, 'g> {
    p: &'p Prepared<'g>,
    state: (f64, &'p [f64], &'p [f64]),
    /// The rank of `A` at it, and that of the derivatives of the holonomic rows.
    rank: usize,
    positions: Option<usize>,
    /// What the rows say over the real numbers, where one of them is flat.
    real_rows: Option<Vec<Ex<'g>>>,
}

impl Around<'_, '_> {
    /// What holds at the states that are found by steps of this length.
    fn states(&self, step: f64) -> impl Iterator<Item = RankAround> + '_ {
        (0..STATES).filter_map(move |sample| self.at(sample, step, f64::INFINITY))
    }

    /// The same of those that are found close by: on other components velocities may be far away.
    fn close(&self, step: f64) -> impl Iterator<Item = RankAround> + '_ {
        (0..STATES).filter_map(move |sample| self.at(sample, step, FEW * step))
    }

    /// Whether coordinates that were sought at such a distance are those at hand: where equations are quadratic about a
    /// state, Newton's method leads to it from everywhere.
    fn is_here(&self, q: &[f64], step: f64) -> bool {
        let mut holonomic = self.p.constraints.holonomic();
        holonomic.next().is_some() && are_within(self.state.1, q, HERE * step)
    }

    /// A state elsewhere at which some rows, more than here, but not all, are independent.
    fn of_higher_rank(&self, from: StateRef<'_>, step: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let constraints = &self.p.constraints;
        let (holonomic, positions) = (constraints.holonomic().count(), self.positions?);
        let mut ranks = self.rank + 1..constraints.k();
        ranks.find_map(|rank| {
            let positions = (positions + rank - self.rank).min(holonomic);
            let found = nearest_of_rank(self.p, from, (positions, rank))?;
            (!self.is_here(&found.0, step)).then_some(found)
        })
    }

    fn at(&self, sample: u32, step: f64, most: f64) -> Option<RankAround> {
        let (p, (t, q_here, v_here)) = (self.p, self.state);
        let known = self.positions.map(|positions| (positions, self.rank));
        let known = known.filter(|_| self.rank < p.constraints.k());
        let t = t + 0.2 * step * f64::from(sample) * scattered(911 + sample);
        let q = nearby(q_here, step, 101 * sample + 3);
        let v = nearby(v_here, step, 101 * sample + 53);
        let beside = self.real_rows.as_ref().and_then(|_| p.measure(t, &q, &v));
        let dependent = known.and_then(|known| nearest_of_rank(p, (t, &q, &v), known));
        let found = dependent.or_else(|| nearest_on_constraints(p, t, &q, &v));
        let elsewhere = found.filter(|(q, _)| !self.is_here(q, step));
        let (q, v) = elsewhere.or_else(|| self.of_higher_rank((t, &q, &v), step))?;
        let real = self.real_rows.as_ref();
        let v = real
            .and_then(|rows| on_real_rows(p, rows, t, &q, &v))
            .unwrap_or(v);
        if !are_within(q_here, &q, most) || !are_within(v_here, &v, most) {
            return None;
        }
        let m = p.measure(t, &q, &v)?;
        let flat = match &beside {
            Some(beside) => flat_beside(&m, beside),
            None => flat_rows(&m),
        };
        let mut a = m.table(function::A);
        for (row, _) in flat.iter().enumerate().filter(|(_, flat)| **flat) {
            let range = row * a.columns..(row + 1) * a.columns;
            a.entries[range].fill(Measured {
                value: 0.0,
                size: 0.0,
            });
        }
        let mut rank = of_rows(p, &a).unwrap_or(0);
        if known.is_some() && rank > self.rank {
            rank = rank.min(sure_rank(&m, &a, 0.0).max(self.rank));
            // Rows that depend on each other where they hold look independent beside it, the less the closer.
            while rank > self.rank && keeps_rank(p, (t, &q, &v), rank) == Some(false) {
                rank -= 1;
            }
        }
        Some(RankAround { rank, flat })
    }
}

/// These numbers, each moved by a fixed pseudo-random amount of at most two such steps.
fn nearby(x: &[f64], step: f64, shift: u32) -> Vec<f64> {
    let pairs = x.iter().zip(shift..);
    pairs
        .map(|(x, index)| x + step * scattered(index))
        .collect()
}

/// The rank of rows at a state that they keep to many digits, or miss by such a part of their terms: it is known to half of
/// these digits where they depend on each other.
fn sure_rank(m: &Measurement<'_>, a: &Table, missed: f64) -> usize {
    let units = units(m, INERT);
    let entries = a.values().into_iter().enumerate();
    let scaled: Vec<f64> = entries.map(|(k, x)| x * units[k % a.columns]).collect();
    independent_rows(a.rows, &scaled, scaled_residual(m).max(missed))
}

/// The ranks of the first 0, 1, 2, .. rows of `A` at the start, as far as its digits tell: random points need not meet its
/// component.
pub(crate) fn ranks_at_start(p: &Prepared<'_>) -> Option<Vec<usize>> {
    let start = start(p).ok()?;
    let m = p.measure(start.t, &start.q, &start.v)?;
    let a = m.table(function::A);
    let first = |rows: usize| Table {
        rows,
        columns: a.columns,
        entries: a.entries[..rows * a.columns].to_vec(),
    };
    Some(
        (0..=a.rows)
            .map(|rows| sure_rank(&m, &first(rows), FOUND))
            .collect(),
    )
}

/// Whether the last singular value that the rank of `A` counts keeps its size where a state is moved by what Newton's method
/// leaves at a double root: there rows look independent beside the state that is meant.
pub(crate) fn keeps_rank(p: &Prepared<'_>, (t, q, v): StateRef<'_>, rank: usize) -> Option<bool> {
    let last = |q: &[f64], v: &[f64]| {
        let a = p.measure(t, q, v)?.table(function::A);
        let all = linear::singular_values(a.rows, a.columns, &a.values());
        all.get(rank.checked_sub(1)?).copied()
    };
    let (here, there) = (last(q, v)?, last(&moved(q, OFF, 41), &moved(v, OFF, 83))?);
    Some(here <= ALIKE * there && there <= ALIKE * here)
}

/// Derivatives below this part of those at a state off the constraints vanish on them.
const FLAT: f64 = 1e-6;

/// What the rows say over the real numbers: Newton's method finds states on a square to half the digits only.
fn real_rows_of<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let active = p.constraints.active();
    let phis = active.filter_map(|row| row.phi);
    phis.flat_map(|phi| real_row(p, phi).rows).collect()
}

/// The velocities moved on to these rows, if they satisfy the model's rows as well.
fn on_real_rows<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Option<Vec<f64>> {
    let rows = p.rows(rows, &p.system.q, &p.system.v);
    let goal = Goal::nearest(identity(v.len()), v.to_vec(), vec![true; v.len()]);
    let found = rows.minimize(t, q, &goal).ok()?;
    let holds = scaled_residual(&p.measure(t, q, &found.w)?) <= ON_CONSTRAINT;
    (found.residual <= SOLVED && holds).then_some(found.w)
}

/// Which rows have hardly any derivative at a state on the constraints, though they have some beside it.
fn flat_beside(m: &Measurement<'_>, beside: &Measurement<'_>) -> Vec<bool> {
    let [here, other] = [m, beside].map(|m| {
        let all = m.table(function::PHI_Q).beside(&m.table(function::PHI_V));
        let lines = all.entries.chunks(all.columns.max(1));
        let largest = |line: &[Measured]| {
            line.iter()
                .fold(0.0, |most: f64, x| most.max(x.value.abs()))
        };
        lines.map(largest).collect::<Vec<f64>>()
    });
    let pairs = here.iter().zip(&other).zip(flat_rows(m));
    pairs
        .map(|((x, other), flat)| flat || *x <= FLAT * other)
        .collect()
}

/// Whether the derivatives of all rows are the same at every state: linear rows with constant coefficients.
fn are_constant<'g>(p: &Prepared<'g>) -> bool {
    let (t, q, v) = (p.system.t, &p.system.q, &p.system.v);
    let constant = |phi: Ex<'g>| {
        let symbols = phi.symbols();
        let fixed = |x: &Ex<'g>| *x != t && !q.contains(x);
        symbols.iter().all(fixed) && degree_in(phi, v).is_some_and(|degree| degree <= 1)
    };
    let mut rows = p.constraints.rows.iter();
    rows.all(|row| row.position.is_none() && row.phi.is_some_and(constant))
}
