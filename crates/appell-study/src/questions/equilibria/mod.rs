//! Equilibria and steady motions: where the vector field of the constrained system does not move.

mod angles;
mod dimension;
mod essential;
pub(crate) mod solve;
mod stability;

use crate::questions::least_energy::{BY_ENERGY, LeastEnergy};
use crate::questions::linearize::Linearizer;
use crate::states::given_states::State;
use crate::states::nearest::{nearest_on_constraints, parameters_of};
use crate::states::start::start;
use crate::states::status::{Status, judge};
use crate::values::error::Error;
use crate::values::parameters::unknown;
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use crate::values::stationary::is_stationary;
use angles::{is_angle, turning, without_turns};
use appell_flow::{Interpreter, linear};
use appell_mech::{Balance, Fibre, function};
use appell_model::Diagnostic;
use essential::{Reduction, accelerations, parametric_rates};
use serde::Serialize;
use solve::{Solution, Solver, unit};
use stability::stability;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::rc::Rc;

/// A range of starting values for a coordinate `x` or a velocity `x'`.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// The coordinate or velocity.
    pub name: String,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
}

impl Interval {
    /// The unit of what lies in it: half of its width, as far as that is not usual.
    fn unit(&self) -> f64 {
        unit(0.5 * (self.high - self.low))
    }
}

/// What was found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Equilibria {
    /// How it was looked for, in words.
    pub searched: String,
    /// What a steady motion keeps constant: the parameters `z`, or independent velocities.
    pub steady_in: Vec<String>,
    /// The coordinates on which nothing of this depends: they may run on in a steady motion.
    pub ignorable: Vec<String>,
    /// Each equilibrium and each steady motion once.
    pub states: Vec<SteadyState>,
    /// States of rest that are no equilibria, because they are singular, or that are not known to be.
    pub excluded: Vec<Excluded>,
    /// Why something is missing, by its name.
    pub why: BTreeMap<&'static str, String>,
}

/// An equilibrium or a steady motion.
#[derive(Debug, Clone, Serialize)]
pub struct SteadyState {
    /// Which of the two.
    pub kind: Kind,
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub q: Vec<f64>,
    /// The velocities.
    pub v: Vec<f64>,
    /// The parameters, where the model has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<Vec<f64>>,
    /// The largest rate that should be 0, from the equations of motion.
    pub residual: f64,
    /// The dimension of the set of such states around it, where it is known; 0 if it is isolated.
    pub family: Option<usize>,
    /// In how many directions the linear part of the equations leaves open whether there are others.
    pub open: usize,
    /// The kind of state.
    pub status: Status,
    /// Whether it is stable by its energy or in the linear approximation, unstable or undecided, in words.
    pub stability: String,
}

/// Rest or motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `v = 0` and `q'' = 0`.
    Equilibrium,
    /// The fibre coordinates and the coordinates that are not ignorable stay constant.
    SteadyMotion,
}

/// A state of rest that had to be left out.
#[derive(Debug, Clone, Serialize)]
pub struct Excluded {
    /// The coordinates.
    pub q: Vec<f64>,
    /// The velocities.
    pub v: Vec<f64>,
    /// The reason.
    pub why: String,
}

/// So many starts in a box are a round; there are at most [`AGAIN`] rounds more, each only if that before found something new.
const STARTS: u32 = 24;
const AGAIN: u32 = 8;
/// Velocities below this, beside that of the initial state if it is less than one, are rest; so are terms of a row beside
/// their sizes.
const REST: f64 = 1e-9;
/// A rate above this means that the equations of motion do not confirm the state.
const CONFIRMED: f64 = 1e-7;
/// States that differ by less are one.
const SAME: f64 = 1e-6;
/// A coordinate counts in a row where it makes out this part of its terms.
const COUNTS: f64 = 1e-4;
/// So many starts say how large the terms of the equations are.
const PLACES: usize = 6;
/// How far beside a start accelerations are looked at, relative to its coordinates, and the part of them that counts.
const BESIDE: f64 = 0.1;
const PART_BESIDE: f64 = 1e-3;
/// Steps from one member of a family to another.
const PACES: u32 = 24;
/// The longest and the shortest step on a family, beside the one that was aimed at.
const LONGEST: f64 = 2.0;
const SHORTEST: f64 = 0.05;

/// Equilibria and steady motions near the model's initial state, or from starts all over a box:
/// [benenti2007, Remarks 7.4, 7.5] with the equations corrected (`psi_q psi`).
///
/// Steady are motions on which the parameters `z`, or independent velocities, are constant, and with
/// them every coordinate that their rates depend on. That the others are ignorable is seen by moving
/// them at several states.
///
/// # Errors
/// A name that is no coordinate and no velocity.
pub fn equilibria(p: &Prepared<'_>, ranges: &[Interval]) -> Result<Equilibria, Error> {
    let p = p.in_numbers().exact();
    let without_zeros = p.without_zeros();
    let p = without_zeros.as_ref().unwrap_or(p);
    for range in ranges {
        index_of(p, &range.name)?;
    }
    let mut found = Equilibria {
        searched: match ranges.is_empty() {
            true => {
                "from the initial state: the nearest in the sense of Newton's method".to_owned()
            }
            false => {
                "by Newton's method from starts all over the box; there may be others".to_owned()
            }
        },
        ..Equilibria::default()
    };
    let turning = turning(p, ranges);
    if !turning.is_empty() {
        let names = turning.join(", ");
        let one = format!("; of states that differ by multiples of 2 pi in {names} one is shown");
        found.searched.push_str(&one);
    }
    if !is_stationary(p) {
        let why =
            "something depends on the time, and equilibria of such models are not searched for";
        found.why.insert("states", why.to_owned());
        return Ok(found);
    }
    let Some((t, starts)) = starts(p, ranges) else {
        let why = "no initial state was found from which to look";
        found.why.insert("states", why.to_owned());
        return Ok(found);
    };
    let accelerations = accelerations(p);
    let search = Search {
        p,
        rate: unit_of_rates(p, accelerations.as_deref(), t, &starts),
        accelerations,
        angles: vec![OnceCell::new(); p.system.n()],
        ranges,
        t,
        starts,
        linearizer: Linearizer::new(p).ok(),
        least_energy: LeastEnergy::new(p),
    };
    search.rest(&mut found);
    match Reduction::new(p) {
        Some(reduction) => search.steady(&reduction, &mut found),
        None => {
            let why = "steady motions need accelerations that are determined, and none were found";
            found.why.insert("steady_in", why.to_owned());
        }
    }
    Ok(found)
}

/// The place of a name among `q, v`.
fn index_of(p: &Prepared<'_>, name: &str) -> Result<usize, Diagnostic> {
    let all = p.model.state_names();
    let place = all.iter().position(|other| other == name);
    let known = || all.iter().map(String::as_str).collect();
    place.ok_or_else(|| unknown("coordinate or velocity", name, known()))
}

type StartPoint = (Vec<f64>, Vec<f64>);

/// The initial state, and the starts of the box if there is one.
fn starts(p: &Prepared<'_>, ranges: &[Interval]) -> Option<(f64, Vec<StartPoint>)> {
    let n = p.system.n();
    let (t, q, v) = match start(p) {
        Ok(start) => (start.t, start.q, start.v),
        Err(_) => {
            let zero = vec![0.0; n];
            let (q, v) = nearest_on_constraints(p, 0.0, &zero, &zero)?;
            (0.0, q, v)
        }
    };
    if ranges.is_empty() {
        return Some((t, vec![(q, v)]));
    }
    // What the holonomic rows make of the other coordinates may have several branches, as that of a coupler.
    let is_bound = |i: &usize| {
        let mut rows = p.constraints.positions();
        rows.any(|row| row.depends_on(p.system.q[*i]))
    };
    let bound: Vec<usize> = (0..n).filter(is_bound).collect();
    let place = |sample: u32| -> StartPoint {
        let mut state = [&q[..], &v[..]].concat();
        for i in bound.iter().filter(|_| sample % 2 == 1) {
            state[*i] += PI * scattered(41 * sample + *i as u32);
        }
        for (axis, range) in (0u32..).zip(ranges) {
            // The multiples of irrational numbers, modulo 1, fill the box evenly.
            let turn = (f64::from(axis) + 2.0).sqrt() + 0.5 * (5.0_f64.sqrt() - 1.0);
            let part = (0.5 + f64::from(sample) * turn).fract();
            if let Ok(index) = index_of(p, &range.name) {
                state[index] = range.low + part * (range.high - range.low);
            }
        }
        let v = state.split_off(n);
        (state, v)
    };
    // The file's start may be the only one near enough.
    let state = [&q[..], &v[..]].concat();
    let inside = ranges.iter().all(|range| {
        let index = index_of(p, &range.name);
        index.is_ok_and(|i| (range.low..=range.high).contains(&state[i]))
    });
    let given = inside.then(|| (q.clone(), v.clone()));
    let all = (0..STARTS * AGAIN).map(place);
    Some((t, given.into_iter().chain(all).collect()))
}

struct Search<'p, 'g> {
    p: &'p Prepared<'g>,
    ranges: &'p [Interval],
    t: f64,
    starts: Vec<StartPoint>,
    linearizer: Option<Linearizer<'g>>,
    least_energy: Option<LeastEnergy>,
    accelerations: Option<Rc<Interpreter>>,
    /// The unit of accelerations, by those of the starts at rest.
    rate: f64,
    /// Which coordinates are angles, as far as that was asked.
    angles: Vec<OnceCell<bool>>,
}

impl<'g> Search<'_, 'g> {
    /// Equilibria, unless every state of rest is singular.
    fn rest(&self, found: &mut Equilibria) {
        let p = self.p;
        if let Some(excluded) = self.singular_rest() {
            found.excluded.push(excluded);
            return;
        }
        let balance = Balance::at_rest(&p.system, &p.constraints);
        let n = p.system.n();
        let parametric_only = p.constraints.motion_alone().is_some();
        let guess = |(q, v): &StartPoint| -> Option<Vec<f64>> {
            if parametric_only {
                let z = parameters_of(p, self.t, q, v, None)?;
                return Some([&q[..], &z].concat());
            }
            Some([&q[..], &self.multipliers(q, &vec![0.0; n])].concat())
        };
        let solver = self.solver(&balance, n, &guess);
        let all = self.solutions(&solver, n, &guess, &|_| true);
        let (all, doubtful): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|solution| solution.known);
        self.doubt(found, &doubtful);
        for solution in all {
            let is_boxed = |i| {
                self.ranges
                    .iter()
                    .any(|range| index_of(p, &range.name).ok() == Some(i))
            };
            let turns = |i| !is_boxed(i) && self.is_angle(i);
            let q = without_turns(&solution.w[..n], &self.starts[0].0, turns);
            let (z, v) = match parametric_only {
                true => (Some(solution.w[n..].to_vec()), vec![0.0; n]),
                false => (None, vec![0.0; n]),
            };
            let around = around(&solver, self.t, &solution);
            self.report(found, Kind::Equilibrium, (q, v, z), around, &|a| a.to_vec());
        }
        let none = found.states.is_empty() && found.excluded.is_empty();
        if none {
            found.why.insert("equilibria", self.why_no_rest());
        }
    }

    /// States at which forces are rounding, or go to 0 without a zero: one of them is told.
    fn doubt(&self, found: &mut Equilibria, doubtful: &[Solution]) {
        let Some(first) = doubtful.first() else {
            return;
        };
        let q = first.w[..self.p.system.n()].to_vec();
        let places = self.p.model.coordinates.iter().zip(&q);
        let at: Vec<String> = places
            .map(|(c, q)| format!("{} = {q:.6}", c.name))
            .collect();
        let others = match doubtful.len() {
            1 => String::new(),
            2 => " (as at another)".to_owned(),
            n => format!(" (as at {} others)", n - 1),
        };
        let why = format!(
            "undecided at {}{others}: the forces that remain there are rounding errors, or tend to 0 without a known zero",
            at.join(", ")
        );
        found.excluded.push(Excluded {
            v: vec![0.0; q.len()],
            q,
            why,
        });
    }

    /// Steady motions that are no equilibria.
    fn steady(&self, reduction: &Reduction<'_, 'g>, found: &mut Equilibria) {
        let (p, n) = (self.p, self.p.system.n());
        let Some(fibre) = reduction.fibre() else {
            return;
        };
        let names = |i: &usize| p.model.coordinates[*i].name.clone();
        let ignorable = (0..n).filter(|i| !reduction.essential.contains(i));
        found.ignorable = ignorable.map(|i| names(&i)).collect();
        found.steady_in = match &fibre {
            Fibre::Velocities(chart) => {
                let names = chart.independent.iter().map(names);
                names.map(|name| format!("{name}'")).collect()
            }
            Fibre::Parameters(_) => {
                let variables = p.model.motion.variables.iter();
                variables.map(|z| z.name.clone()).collect()
            }
        };
        let balance = Balance::steady(&p.system, &p.constraints, fibre, &reduction.essential);
        let given = self
            .starts
            .first()
            .map_or(0.0, |(_, v)| linear::max_norm(v));
        let rest = REST * if given > 0.0 { given.min(1.0) } else { 1.0 };
        let moving = |solution: &Solution| {
            if !solution.known {
                return false;
            }
            let v = self.velocities(reduction, &solution.w);
            v.is_some_and(|v| linear::max_norm(&v) > rest)
        };
        let count = n + match &fibre {
            Fibre::Parameters(psi) => psi.z.len(),
            Fibre::Velocities(_) => n - reduction.essential.len(),
        };
        let guess = |(q, v): &StartPoint| self.guess(reduction, q, v);
        let solver = self.solver(&balance, count, &guess);
        for solution in self.solutions(&solver, count, &guess, &moving) {
            let Some(v) = self.velocities(reduction, &solution.w) else {
                continue;
            };
            let q = solution.w[..n].to_vec();
            let z = matches!(fibre, Fibre::Parameters(_)).then(|| solution.w[n..].to_vec());
            let around = around(&solver, self.t, &solution);
            // What is ignorable was found at other states: here it is moved once more.
            let size = v.iter().fold(self.rate, |size: f64, v| size.max(v * v));
            let moved = reduction.moved_residual(self.t, &q, &v, z.as_deref());
            if !moved.is_some_and(|moved| moved <= CONFIRMED * size) {
                continue;
            }
            let kept = |rates: &[f64]| match &fibre {
                Fibre::Velocities(chart) => chart.independent.iter().map(|i| rates[*i]).collect(),
                Fibre::Parameters(_) => rates.to_vec(),
            };
            self.report(found, Kind::SteadyMotion, (q, v, z), around, &kept);
        }
    }

    /// The unknowns of a steady motion at a state.
    fn guess(&self, reduction: &Reduction<'_, 'g>, q: &[f64], v: &[f64]) -> Option<Vec<f64>> {
        let p = self.p;
        let Some(chart) = &reduction.chart else {
            let z = parameters_of(p, self.t, q, v, None)?;
            return Some([q, &z].concat());
        };
        let moving = (0..p.system.n()).filter(|i| !reduction.essential.contains(i));
        let moving = moving.map(|i| v[i]);
        let dependent = chart.dependent.iter().map(|_| 0.0);
        let lambda = self.multipliers(q, v);
        let unknowns = q
            .iter()
            .copied()
            .chain(moving)
            .chain(dependent)
            .chain(lambda);
        Some(unknowns.collect())
    }

    /// The velocities of a solution of the steady equations.
    fn velocities(&self, reduction: &Reduction<'_, 'g>, w: &[f64]) -> Option<Vec<f64>> {
        let n = self.p.system.n();
        if reduction.chart.is_none() {
            return self.p.velocities(self.t, &w[..n], &w[n..]);
        }
        let mut moving = w[n..].iter().copied();
        let velocity = |i: usize| match reduction.essential.contains(&i) {
            true => Some(0.0),
            false => moving.next(),
        };
        (0..n).map(velocity).collect()
    }

    /// The multipliers of the active rows at a state; 0 where they have no value.
    fn multipliers(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let (p, k) = (self.p, self.p.constraints.k());
        let values = rates(self.accelerations.as_deref(), self.t, &[q, v].concat(), 0);
        let values = values.filter(|values| values.iter().all(|x| x.is_finite()));
        let rows = p.constraints.rows.iter().enumerate();
        let active = rows.filter(|(_, row)| row.is_active());
        let value = |(index, _)| {
            values
                .as_ref()
                .map_or(0.0, |values| values[p.system.n() + index])
        };
        active.map(value).take(k).collect()
    }

    /// Judges a state, confirms it by the equations of motion, and notes it.
    fn report(
        &self,
        found: &mut Equilibria,
        kind: Kind,
        (q, v, z): (Vec<f64>, Vec<f64>, Option<Vec<f64>>),
        (dimension, open): (Option<usize>, usize),
        kept: &dyn Fn(&[f64]) -> Vec<f64>,
    ) {
        let p = self.p;
        let judgement = judge(p, self.t, &q, &v, z.as_deref());
        if !judgement.has_motion() {
            let why = judgement
                .why
                .unwrap_or_else(|| "nothing determines the motion here".to_owned());
            found.excluded.push(Excluded { q, v, why });
            return;
        }
        let rates = match &z {
            Some(z) => {
                let state = [&q[..], z].concat();
                rates(parametric_rates(p).as_deref(), self.t, &state, p.system.n())
            }
            None => {
                let state = [&q[..], &v].concat();
                let accel = rates(self.accelerations.as_deref(), self.t, &state, 0);
                accel.map(|a| kept(&a[..p.system.n()]))
            }
        };
        let residual = rates.map_or(f64::NAN, |r| linear::max_norm(r.iter()));
        let size = v.iter().fold(self.rate, |size: f64, v| size.max(v * v));
        if residual.is_nan() || residual > CONFIRMED * size {
            return;
        }
        // Multipliers that are not unique are no family of states.
        let (k, rank) = (p.constraints.k(), judgement.rank.a.unwrap_or(0));
        let ambiguous = if z.is_some() { 0 } else { k - rank.min(k) };
        let known = dimension.filter(|dimension| ambiguous == 0 || *dimension == open);
        let family = known.map(|dimension| dimension.saturating_sub(ambiguous));
        let open = open.saturating_sub(ambiguous);
        let state = State {
            t: self.t,
            q: q.clone(),
            v: Some(v.clone()),
            z: z.clone(),
        };
        let stability = self.stability(kind, &state, family);
        found.states.push(SteadyState {
            kind,
            t: self.t,
            q,
            v,
            z,
            residual,
            family,
            open,
            status: judgement.status,
            stability,
        });
    }

    /// Whether a state is stable by its energy or in the linear approximation, in words.
    fn stability(&self, kind: Kind, state: &State, family: Option<usize>) -> String {
        let least = self.least_energy.as_ref();
        let is_least = least.is_some_and(|least| least.is_least_at(state.t, &state.q));
        match is_least && kind == Kind::Equilibrium {
            true => BY_ENERGY.to_owned(),
            false => stability(self.linearizer.as_ref(), self.p, state, family),
        }
    }

    /// The equations in units by the starts; the first `count` unknowns are coordinates, and velocities or parameters.
    fn solver(
        &self,
        balance: &Balance<'g>,
        count: usize,
        guess: &dyn Fn(&StartPoint) -> Option<Vec<f64>>,
    ) -> Solver {
        let mut solver = Solver::new(self.p, balance);
        let places = self.starts.iter().take(PLACES).filter_map(guess);
        let places: Vec<Vec<f64>> = places.collect();
        let coordinates = self.units(&solver, places.first());
        let largest = |j: usize| places.iter().fold(0.0, |size: f64, w| size.max(w[j].abs()));
        let unit_of = |j: usize| {
            coordinates
                .get(j)
                .copied()
                .unwrap_or_else(|| unit(largest(j)))
        };
        let given: Vec<f64> = (0..count).map(unit_of).collect();
        solver.choose_units(self.t, &places, &given);
        solver
    }

    /// The units of the coordinates: half of their range in the box; else their value at the start, where it counts in all
    /// rows that feel it; else the largest such value of the others.
    fn units(&self, solver: &Solver, start: Option<&Vec<f64>>) -> Vec<f64> {
        let n = self.p.system.n();
        let zero = vec![0.0; solver.size];
        let start = start.unwrap_or(&zero);
        let weights = match start[..n].iter().any(|q| unit(q.abs()) != 1.0) {
            true => solver.weights(self.t, start),
            false => vec![0.0; n],
        };
        let counts = |i: &usize| weights[*i] >= COUNTS && !self.is_angle(*i);
        let lengths: Vec<usize> = (0..n).filter(counts).collect();
        let size = lengths.iter().map(|i| start[*i].abs()).fold(0.0, f64::max);
        let unit_of = |i: usize| {
            let mut ranges = self.ranges.iter();
            let range = ranges.find(|range| index_of(self.p, &range.name).ok() == Some(i));
            match range.map(Interval::unit) {
                Some(width) if width > 1.0 && self.is_angle(i) => 1.0,
                Some(width) => width,
                None if lengths.contains(&i) => unit(start[i].abs()),
                None if lengths.is_empty() || self.is_angle(i) => 1.0,
                None => unit(size),
            }
        };
        (0..n).map(unit_of).collect()
    }

    /// The solutions of a kind from the starts, each once: more starts as long as they find something new.
    fn solutions(
        &self,
        solver: &Solver,
        count: usize,
        guess: &dyn Fn(&StartPoint) -> Option<Vec<f64>>,
        is_meant: &dyn Fn(&Solution) -> bool,
    ) -> Vec<Solution> {
        let mut known: Vec<Solution> = Vec::new();
        for starts in self.starts.chunks(STARTS as usize) {
            let before = known.len();
            let found = starts
                .iter()
                .filter_map(|start| solver.solve_around(self.t, &guess(start)?));
            known.extend(found.filter(|solution| is_meant(solution)));
            known = self.each_once(solver, known, count);
            if known.len() == before {
                break;
            }
        }
        known
    }

    /// One of each isolated solution inside the box, one of each family; the first `count` unknowns count.
    fn each_once(&self, solver: &Solver, solutions: Vec<Solution>, count: usize) -> Vec<Solution> {
        let mut distinct: Vec<Solution> = Vec::new();
        let inside = solutions
            .into_iter()
            .filter(|solution| self.is_inside(&solution.w));
        let (sure, doubtful): (Vec<_>, Vec<_>) = inside.partition(|solution| solution.known);
        for solution in sure.into_iter().chain(doubtful) {
            let known = distinct.iter().any(|other| {
                let near = self.is_near(solver, &solution.w[..count], &other.w[..count]);
                near || (solver.size > solution.rank
                    && self.connected(solver, other, &solution, count))
            });
            if !known {
                distinct.push(solution);
            }
        }
        distinct
    }

    /// Whether the boxed coordinates lie in the box.
    fn is_inside(&self, w: &[f64]) -> bool {
        let n = self.p.system.n();
        self.ranges.iter().all(|range| {
            let index = index_of(self.p, &range.name).ok().filter(|i| *i < n);
            let beside = SAME * range.unit().min(1.0);
            index.is_none_or(|i| (range.low - beside..=range.high + beside).contains(&w[i]))
        })
    }

    fn is_angle(&self, index: usize) -> bool {
        let known = self.angles.get(index);
        known.is_some_and(|known| *known.get_or_init(|| is_angle(self.p, index)))
    }

    /// Whether two states differ by rounding, and full turns of angles.
    fn is_near(&self, solver: &Solver, a: &[f64], b: &[f64]) -> bool {
        let turn = std::f64::consts::TAU;
        let in_units = |(i, x): (usize, &f64)| x.abs() / solver.unit(i);
        let size = a.iter().enumerate().map(in_units).fold(0.0, f64::max);
        let pairs = a.iter().zip(b).enumerate();
        let mut near = pairs.map(|(i, (a, b))| {
            let unit = solver.unit(i);
            // In a wide box states lie no less close together.
            let same = SAME * (unit.min(1.0) + unit * size);
            let gap = (a - b).abs();
            match gap > same && self.is_angle(i) {
                true => (gap - turn * (gap / turn).round()).abs() <= same,
                false => gap <= same,
            }
        });
        near.all(|near| near)
    }

    /// Whether small steps on the solutions lead from one to the other.
    fn connected(&self, solver: &Solver, from: &Solution, to: &Solution, count: usize) -> bool {
        let gap = |a: &[f64], b: &[f64]| -> f64 {
            let gaps = a.iter().zip(b).map(|(a, b)| a - b).enumerate();
            let squares = gaps.map(|(i, gap)| (gap / solver.unit(i)).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let pace = gap(&from.w, &to.w) / f64::from(PACES);
        let mut w = from.w.clone();
        for _ in 0..2 * PACES {
            let part = (pace / gap(&w, &to.w)).min(1.0);
            let aim = w.iter().zip(&to.w);
            let aim: Vec<f64> = aim.map(|(w, end)| w + part * (end - w)).collect();
            let Some(next) = solver.solve(self.t, &aim) else {
                return false;
            };
            // A long way is a leap to another set, a short one a set that ends here.
            let way = gap(&next.w, &w) / pace;
            if way > LONGEST {
                return false;
            }
            w = next.w;
            if self.is_near(solver, &w[..count], &to.w[..count]) {
                return true;
            }
            if way < SHORTEST {
                return false;
            }
        }
        false
    }

    /// The reason if the constraints lose rank wherever the velocities vanish.
    fn singular_rest(&self) -> Option<Excluded> {
        let (p, n) = (self.p, self.p.system.n());
        let zero = vec![0.0; n];
        let moved = |sample: u32| -> Vec<f64> {
            let q = self.starts.first().map_or(&zero, |start| &start.0);
            let shift =
                |(i, q): (u32, &f64)| q + 0.5 * f64::from(sample) * scattered(17 * sample + i);
            (0u32..).zip(q).map(shift).collect()
        };
        let places = (0..3).map(moved);
        let judged: Vec<_> = places
            .map(|q| (judge(p, self.t, &q, &zero, None), q))
            .collect();
        let singular = |status| matches!(status, Status::Singular);
        if !judged
            .iter()
            .all(|(judgement, _)| singular(judgement.status))
        {
            return None;
        }
        let (judgement, q) = judged.into_iter().next()?;
        let active = p.constraints.active();
        let names: Vec<String> = active.map(|row| format!("`{}`", row.name)).collect();
        let why = judgement.why.unwrap_or_default();
        let why = format!(
            "v = 0 is a singular state of {} wherever the system is: {why}. At rest the constraint is not \
             regular, so whether it can stay at rest does not follow from the equations of motion",
            names.join(", ")
        );
        Some(Excluded { q, v: zero, why })
    }

    /// Why there is no equilibrium.
    fn why_no_rest(&self) -> String {
        let p = self.p;
        let zero = vec![0.0; p.system.n()];
        let active = p
            .constraints
            .rows
            .iter()
            .filter(|row| row.is_active() && row.phi.is_some());
        let active: Vec<_> = active.collect();
        let off = |q: &[f64]| -> Vec<usize> {
            let phi = p.measure(self.t, q, &zero).map(|m| m.table(function::PHI));
            let (values, sizes) = phi.map_or_else(Default::default, |x| (x.values(), x.sizes()));
            let rows = values.iter().zip(&sizes).enumerate();
            rows.filter(|(_, (x, size))| x.abs() > REST * *size)
                .map(|(row, _)| row)
                .collect()
        };
        let missed = self.starts.iter().map(|(q, _)| off(q));
        let common = missed.reduce(|a, b| a.into_iter().filter(|row| b.contains(row)).collect());
        match common
            .unwrap_or_default()
            .first()
            .and_then(|row| active.get(*row))
        {
            Some(row) => format!(
                "at rest `{}` does not hold at any state that was tried",
                row.name
            ),
            None => "no state of rest was found at which the forces balance".to_owned(),
        }
    }
}

/// The dimension of the set of solutions around one, and that of the null space there.
fn around(solver: &Solver, t: f64, solution: &Solution) -> (Option<usize>, usize) {
    let dimension = solver.dimension(t, solution);
    let open = solver.size - solution.rank;
    (dimension, open.max(usize::from(dimension.is_none())))
}

/// The unit of accelerations, by those of the first starts at rest; where these are equilibria, by those beside them.
fn unit_of_rates(
    p: &Prepared<'_>,
    field: Option<&Interpreter>,
    t: f64,
    starts: &[StartPoint],
) -> f64 {
    let rate = |q: &[f64]| {
        let state = [q, &vec![0.0; q.len()]].concat();
        let all = rates(field, t, &state, 0)?;
        let size = linear::max_norm(all[..q.len()].iter());
        size.is_finite().then_some(size)
    };
    let beside = |q: &[f64]| {
        let reach = |q: f64| BESIDE * if q == 0.0 { 1.0 } else { q.abs() };
        let moved: Vec<f64> = (0..)
            .zip(q)
            .map(|(i, q)| q + scattered(i) * reach(*q))
            .collect();
        let (q, _) = nearest_on_constraints(p, t, &moved, &vec![0.0; q.len()])?;
        rate(&q)
    };
    let all = starts.iter().take(PLACES).flat_map(|(q, _)| {
        let beside = beside(q).map(|size| PART_BESIDE * size);
        [rate(q), beside].into_iter().flatten()
    });
    unit(all.fold(0.0, f64::max))
}

/// The results behind the first `skipped`.
fn rates(field: Option<&Interpreter>, t: f64, state: &[f64], skipped: usize) -> Option<Vec<f64>> {
    let values = field?.results(t, state).ok()?;
    Some(values.get(skipped..)?.to_vec())
}
