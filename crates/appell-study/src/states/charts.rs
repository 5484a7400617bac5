//! The choice of independent velocities, by the conditioning of `A`.

use crate::states::ranks::most;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::states::wrong_motion::refuse_wrong_motion;
use crate::values::error::Error;
use crate::values::measurement::{Measurement, Table};
use crate::values::parameters::Override;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, degree_in};
use appell_flow::linear;
use appell_mech::{Carrier, Chart, Equations, function};
use appell_model::Model;

/// Whether a form speaks of independent velocities while its programs read all of them.
pub fn has_charts(equations: &Equations<'_>) -> bool {
    equations.carrier == Carrier::Velocities && equations.state_names != equations.input_names()
}

/// Whether a form moves by all coordinates and velocities, and by nothing of its own.
pub fn is_in_velocities(equations: &Equations<'_>) -> bool {
    equations.carrier == Carrier::Velocities && !has_charts(equations)
}

/// The smallest singular value of `A` on the rows and dependent columns of a chart: columns in the given
/// units, each row of unit length. 1 without dependent velocities: then no chart can fail.
pub(crate) fn conditioning(a: &[f64], units: &[f64], chart: &Chart) -> f64 {
    let n = units.len();
    let Chart {
        rows, dependent, ..
    } = chart;
    let mut square = Vec::with_capacity(rows.len() * dependent.len());
    for row in rows {
        let line = &a[row * n..(row + 1) * n];
        let scaled = |j: usize| line[j] * units[j];
        let length = (0..n).map(|j| scaled(j).powi(2)).sum::<f64>().sqrt();
        square.extend(dependent.iter().map(|j| scaled(*j) / length));
    }
    let sigma = linear::singular_values(rows.len(), dependent.len(), &square);
    sigma.last().copied().unwrap_or(1.0)
}

/// The unit of each velocity in which all have the same kinetic energy, `M_jj^-1/2`; those with little
/// inertia beside the largest are given so much.
pub fn units(m: &Measurement<'_>, inert: f64) -> Vec<f64> {
    let mass = m.table(function::MASS);
    let n = mass.rows;
    let weight = |j: usize| mass.entries[j * n + j].value.abs();
    let largest = (0..n).map(weight).fold(0.0, f64::max);
    let floor = if largest > 0.0 { inert * largest } else { 1.0 };
    (0..n)
        .map(|j| weight(j).max(floor).sqrt().recip())
        .collect()
}

/// Velocities with less inertia than this part of the largest count as having so much.
pub const INERT: f64 = 1e-8;

/// The user's independent velocities on independent rows, or ones chosen by the conditioning of
/// `A` at the start, or elsewhere on the constraint where the start is singular.
pub(crate) fn well_conditioned_chart(p: &Prepared<'_>) -> Option<Chart> {
    if p.constraints.chart.is_some() {
        return p.constraints.chart.clone();
    }
    let n = p.system.n();
    let wanted = &p.model.motion.independent_coordinates;
    let candidates: Vec<usize> = (0..n).filter(|i| !wanted.contains(i)).collect();
    let start = start(p).ok().map(|start| (start.t, start.q, start.v));
    let states = start
        .into_iter()
        .chain((0..4).filter_map(|sample| scattered_constrained_state(p, sample)));
    let charts = states.filter_map(|(t, q, v)| chart_at(p, (t, &q, &v), &candidates));
    // The first of the states with the largest rank; more than all rows there cannot be.
    let mut best: Option<Chart> = None;
    for chart in charts {
        let rank = chart.rows.len();
        if best.as_ref().is_none_or(|best| rank > best.rows.len()) {
            best = Some(chart);
        }
        if rank == p.constraints.k() {
            break;
        }
    }
    best
}

/// The chart with dependent velocities out of `candidates` that is well conditioned at a state.
pub fn chart_at(
    p: &Prepared<'_>,
    state: (f64, &[f64], &[f64]),
    candidates: &[usize],
) -> Option<Chart> {
    chosen_at(p, state, candidates, POOR)
}

/// A chart with those of its dependent velocities chosen by numbers that the rows linear in the velocities
/// determine, where it has other rows too.
pub(crate) fn with_linear_part(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
    mut chart: Chart,
) -> Chart {
    let rows = linear_rows(p, &chart);
    if rows.len() == chart.rows.len() {
        return chart;
    }
    let Some(m) = p.measure(t, q, v) else {
        return chart;
    };
    let (a, units) = (m.table(function::A), units(&m, INERT));
    let line = |i: &usize| a.entries[i * a.columns..(i + 1) * a.columns].to_vec();
    let simple = Table {
        rows: rows.len(),
        columns: a.columns,
        entries: rows.iter().flat_map(line).collect(),
    };
    let simple = simple.columns_of(&chart.dependent);
    let scales: Vec<f64> = chart.dependent.iter().map(|j| units[*j]).collect();
    let (values, sizes) = (simple.values(), simple.sizes());
    let pivots = linear::pivots(
        None,
        Some(&scales),
        simple.rows,
        simple.columns,
        &values,
        &sizes,
    );
    if pivots.len() == rows.len() {
        let chosen = pivots.iter().map(|(_, column)| chart.dependent[*column]);
        chart.linear = Some(chosen.collect());
    }
    chart
}

/// Those rows of a chart that are linear in the velocities.
fn linear_rows(p: &Prepared<'_>, chart: &Chart) -> Vec<usize> {
    let active = p.constraints.active();
    let linear = |phi: Ex<'_>| degree_in(phi, &p.system.v).is_some_and(|degree| degree <= 1);
    let linear: Vec<bool> = active.map(|row| row.phi.is_some_and(linear)).collect();
    let rows = chart.rows.iter().copied();
    rows.filter(|row| linear[*row]).collect()
}

/// The rows linear in the velocities with the dependent velocities that a form takes from them alone, as a chart
/// of their own; `None` for a form that takes all dependent velocities from all rows.
pub(crate) fn linear_part(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    chart: &Chart,
) -> Option<Chart> {
    let is_state = |i: &usize| {
        let name = p.system.v[*i].symbol_name();
        name.is_some_and(|name| equations.state_names.contains(&name))
    };
    let embedded: Vec<usize> = chart
        .dependent
        .iter()
        .copied()
        .filter(|i| !is_state(i))
        .collect();
    let rows = linear_rows(p, chart);
    (embedded.len() == rows.len() && rows.len() < chart.rows.len()).then(|| Chart {
        rows,
        dependent: embedded,
        independent: Vec::new(),
        linear: None,
    })
}

/// The best conditioned chart at a state; on `rows`, where these are nearly as independent as any others.
pub fn best_chart_at(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
    rows: &[usize],
) -> Option<Chart> {
    let n = p.system.n();
    let everywhere: Vec<usize> = (0..n).collect();
    let free = chosen_at(p, (t, q, v), &everywhere, 1.0)?;
    let m = p.measure(t, q, v)?;
    let (a, units) = (m.table(function::A), units(&m, INERT));
    let (values, sizes) = (a.values(), a.sizes());
    let of_rows = |entries: &[f64]| -> Vec<f64> {
        let row = |i: &usize| entries[i * n..(i + 1) * n].iter().copied();
        rows.iter().flat_map(row).collect()
    };
    let (entries, entry_sizes) = (of_rows(&values), of_rows(&sizes));
    let pivots = linear::pivots(None, Some(&units), rows.len(), n, &entries, &entry_sizes);
    if pivots.len() < rows.len() || free.rows.len() != rows.len() {
        return Some(free);
    }
    let dependent: Vec<usize> = pivots.iter().map(|(_, column)| *column).collect();
    let independent: Vec<usize> = (0..n).filter(|i| !dependent.contains(i)).collect();
    let kept = Chart::new(n, &independent, rows.to_vec());
    let [quality, best] = [&kept, &free].map(|chart| conditioning(&values, &units, chart));
    Some(if quality >= POOR * best { kept } else { free })
}

/// A chart that is conditioned no worse than a part of the best.
fn chosen_at(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
    candidates: &[usize],
    poor: f64,
) -> Option<Chart> {
    let m = p.measure(t, q, v)?;
    let (whole, units) = (m.table(function::A), units(&m, INERT));
    let most = most(p, &whole);
    let a = whole.columns_of(candidates);
    a.rank()?;
    let (values, sizes) = (a.values(), a.sizes());
    let scales: Vec<f64> = candidates.iter().map(|j| units[*j]).collect();
    let chart = |scales: Option<&[f64]>| {
        let pivots = linear::pivots(most, scales, a.rows, a.columns, &values, &sizes);
        let chart = of_pivots(p.system.n(), candidates, &pivots);
        let quality = conditioning(&whole.values(), &units, &chart);
        (chart, quality)
    };
    // Pivots in units of their own keep the choice that the shape of the rows suggests, but take a column of
    // rounding errors for one as good as any other.
    let (plain, quality) = chart(None);
    let (kinetic, best) = chart(Some(&scales));
    let shorter = kinetic.rows.len() < plain.rows.len();
    let good = quality >= poor * best || (shorter && quality > NOISE);
    Some(if good { plain } else { kinetic })
}

/// Choices that are conditioned worse than this part of the best are not taken.
const POOR: f64 = 0.1;
/// Choices conditioned no better than this are rounding errors.
const NOISE: f64 = 1e-8;

/// The chart in which these pivots, places among `candidates`, are dependent.
fn of_pivots(n: usize, candidates: &[usize], pivots: &[(usize, usize)]) -> Chart {
    let mut rows: Vec<usize> = pivots.iter().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    let dependent: Vec<usize> = pivots
        .iter()
        .map(|(_, column)| candidates[*column])
        .collect();
    let independent: Vec<usize> = (0..n).filter(|i| !dependent.contains(i)).collect();
    Chart::new(n, &independent, rows)
}

/// Rows in the place of `chosen`, as many, that stay independent of each other at all these states: of redundant rows a
/// choice that is good at one state fails at another. `chosen` where they are nearly as good.
pub fn lasting_rows(
    p: &Prepared<'_>,
    states: &[(f64, &[f64], &[f64])],
    chosen: &[usize],
) -> Vec<usize> {
    let known = states
        .iter()
        .filter_map(|state| UnitRows::new(p, *state, chosen.len()));
    let known: Vec<UnitRows> = known.collect();
    let worst = |rows: &[usize]| known.iter().map(|at| at.quality(rows)).fold(1.0, f64::min);
    let redundant = known.first().is_some_and(|at| chosen.len() < at.rows.len());
    if !redundant || chosen.is_empty() {
        return chosen.to_vec();
    }
    let (mut best, mut quality) = (chosen.to_vec(), worst(chosen));
    for _ in 0..chosen.len() {
        let exchanged = exchanges(&best, known[0].rows.len());
        let judged = exchanged.map(|rows| (worst(&rows), rows));
        let Some((better, rows)) = judged.max_by(|a, b| a.0.total_cmp(&b.0)) else {
            break;
        };
        if better <= quality {
            break;
        }
        (best, quality) = (rows, better);
    }
    if worst(chosen) >= LASTING * quality {
        return chosen.to_vec();
    }
    best
}

/// Rows that are so good, beside the best, are kept.
const LASTING: f64 = 0.9;

/// The choices of rows, out of so many, that differ from one in one row.
fn exchanges(rows: &[usize], count: usize) -> impl Iterator<Item = Vec<usize>> + '_ {
    let others = (0..count).filter(|row| !rows.contains(row));
    others.flat_map(move |other| {
        (0..rows.len()).map(move |place| {
            let mut exchanged = rows.to_vec();
            exchanged[place] = other;
            exchanged.sort_unstable();
            exchanged
        })
    })
}

/// The rows of `A` at a state, columns in units of the velocities, each row of unit length.
struct UnitRows {
    rows: Vec<Vec<f64>>,
    /// The smallest singular value that is not zero, of all of them.
    least: f64,
}

impl UnitRows {
    /// `None` at states where the rank is lower than this.
    fn new(p: &Prepared<'_>, (t, q, v): (f64, &[f64], &[f64]), rank: usize) -> Option<Self> {
        let m = p.measure(t, q, v)?;
        let (a, units) = (m.table(function::A).values(), units(&m, INERT));
        let unit = |row: &[f64]| -> Vec<f64> {
            let scaled: Vec<f64> = row.iter().zip(&units).map(|(x, unit)| x * unit).collect();
            let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
            let length = if length > 0.0 { length } else { 1.0 };
            scaled.iter().map(|x| x / length).collect()
        };
        let rows: Vec<Vec<f64>> = a.chunks(units.len().max(1)).map(unit).collect();
        let sigma = linear::singular_values(rows.len(), units.len(), &rows.concat());
        let least = *sigma.get(rank.checked_sub(1)?)?;
        (least > NOISE).then_some(Self { rows, least })
    }

    /// How independent some rows are, beside all.
    fn quality(&self, rows: &[usize]) -> f64 {
        let chosen: Vec<f64> = rows
            .iter()
            .flat_map(|row| self.rows[*row].clone())
            .collect();
        let columns = chosen.len().checked_div(rows.len()).unwrap_or(0);
        let sigma = linear::singular_values(rows.len(), columns, &chosen);
        sigma.last().map_or(1.0, |last| last / self.least)
    }
}

/// Whether a choice of independent velocities is too poor at a state to compute with.
pub(crate) fn is_worn(p: &Prepared<'_>, chart: &Chart, (t, q, v): (f64, &[f64], &[f64])) -> bool {
    let everywhere: Vec<usize> = (0..p.system.n()).collect();
    let Some(m) = p.measure(t, q, v) else {
        return false;
    };
    let (a, units) = (m.table(function::A).values(), units(&m, INERT));
    let Some(best) = chart_at(p, (t, q, v), &everywhere) else {
        return false;
    };
    let [quality, best] = [chart, &best].map(|chart| conditioning(&a, &units, chart));
    quality < WORN_OUT * best
}

/// Choices that are conditioned worse than this part of the best are worn out.
const WORN_OUT: f64 = 1e-5;

impl<'g> Prepared<'g> {
    /// Evaluates the parameters and derives the mechanics, without the constraints in `dropped`.
    ///
    /// # Errors
    /// An override of an unknown parameter, a value that is not finite or outside its limits, an
    /// unknown constraint, a `[motion]` that contradicts the constraints.
    pub fn new(
        model: &'g Model,
        overrides: &[Override],
        dropped: &[String],
    ) -> Result<Self, Error> {
        let mut prepared = Self::without_chart(model, overrides, dropped)?;
        refuse_wrong_motion(&prepared)?;
        let chart = well_conditioned_chart(&prepared);
        prepared.choose_chart(chart);
        Ok(prepared)
    }
}
