//! Where the members begin: what columns say, what the file says, and what follows from the constraints.

use super::members::{Column, Members};
use super::quick_starts::QuickStarts;
use super::refused;
use crate::states::given_alone::said;
use crate::states::nearest::{mass_at, parameters_of, project_velocities};
use crate::states::residuals::{rows_of_motion, velocity_rows};
use crate::states::start::{
    Given, ROUNDING, given, given_beside, is_determined, missed, motion_rows, start, start_of,
};
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use crate::values::rows::{Goal, SOLVED, identity};
use appell_expr::{Ex, Sketch};
use appell_flow::Interpreter;
use appell_mech::{Carrier, function};
use appell_model::{Code, Diagnostic, Inconsistent, impossible_values, inconsistent_start};

/// How members begin.
pub(super) struct Starts {
    /// The carrier's coordinates, member by member.
    pub states: Vec<f64>,
    /// The parameters that differ, member by member.
    pub parameters: Vec<f64>,
    /// Why a member cannot begin.
    pub refused: Vec<(usize, String)>,
    /// How many members were moved on to the constraints.
    pub moved: usize,
    count: usize,
}

impl Starts {
    fn all(count: usize, states: Vec<f64>, parameters: Vec<f64>) -> Starts {
        Starts {
            count,
            states,
            parameters,
            refused: Vec::new(),
            moved: 0,
        }
    }

    /// A member without a start has no parameters either.
    fn refuse(&mut self, member: usize, why: String) {
        let none = |all: &mut [f64], count: usize| {
            let width = all.len().checked_div(count).unwrap_or(0);
            all[member * width..(member + 1) * width].fill(f64::NAN);
        };
        none(&mut self.states, self.count);
        none(&mut self.parameters, self.count);
        self.refused.push((member, why));
    }
}

/// The parameters as functions of those that columns give.
pub(super) struct Dependence {
    /// The parameters' expressions, then their limits, as functions of all parameters.
    table: Interpreter,
    /// Which parameters differ from member to member.
    pub varied: Vec<usize>,
    given: Vec<Option<usize>>,
}

impl Dependence {
    pub fn new(p: &Prepared<'_>, columns: &[Column]) -> Dependence {
        let graph = p.system.graph;
        let parameters = &p.model.parameters;
        let symbols: Vec<Ex<'_>> = parameters.iter().map(|p| graph.ex(p.symbol)).collect();
        let infinite = |id: Option<_>, otherwise: Ex<'_>| id.map_or(otherwise.id(), |id| id);
        let mut sketch = Sketch::new(graph);
        let values: Vec<Ex<'_>> = parameters.iter().map(|p| graph.ex(p.value)).collect();
        let limits = parameters.iter().zip(&symbols).flat_map(|(p, symbol)| {
            [infinite(p.min, *symbol), infinite(p.max, *symbol)].map(|id| graph.ex(id))
        });
        let all: Vec<Ex<'_>> = values.iter().copied().chain(limits).collect();
        sketch.output_list("values", &all);
        let inputs: Vec<Ex<'_>> = [p.system.t].into_iter().chain(symbols.clone()).collect();
        let program = sketch.program(&inputs, &["values"]);
        let program = program.expect("parameters are functions of parameters");
        let table = Interpreter::new(program, &[]);
        let place = |i: usize| columns.iter().position(|c| *c == Column::Parameter(i));
        let given: Vec<Option<usize>> = (0..parameters.len()).map(place).collect();
        let now = table.results(0.0, &p.parameters).unwrap_or_default();
        // What has another value than its expression was given on the command line.
        let as_written = |i: usize| now.get(i).is_some_and(|x| *x == p.parameters[i]);
        let mut differs: Vec<bool> = given.iter().map(Option::is_some).collect();
        for _ in 0..parameters.len() {
            for i in 0..parameters.len() {
                let depends = |j: usize| differs[j] && values[i].depends_on(symbols[j]);
                differs[i] |= as_written(i) && (0..parameters.len()).any(depends);
            }
        }
        let varied = (0..parameters.len()).filter(|i| differs[*i]).collect();
        Dependence {
            table,
            varied,
            given,
        }
    }

    /// The parameters of a member; empty where none differ.
    pub fn values(&self, p: &Prepared<'_>, row: &[f64]) -> Result<Vec<f64>, String> {
        if self.varied.is_empty() {
            return Ok(Vec::new());
        }
        let mut values = p.parameters.to_vec();
        for (value, place) in values.iter_mut().zip(&self.given) {
            *value = place.map_or(*value, |place| row[place]);
        }
        // Definitions are acyclic: after at most so many rounds all are known.
        for _ in 0..=self.varied.len() {
            let found = self.table.results(0.0, &values).unwrap_or_default();
            for i in self.varied.iter().filter(|i| self.given[**i].is_none()) {
                values[*i] = found.get(*i).copied().unwrap_or(f64::NAN);
            }
        }
        let found = self.table.results(0.0, &values).unwrap_or_default();
        for i in &self.varied {
            let (name, value) = (&p.model.parameters[*i].name, values[*i]);
            let limit = |k: usize| found.get(values.len() + 2 * i + k).copied();
            let (low, high) = (limit(0).unwrap_or(value), limit(1).unwrap_or(value));
            if !value.is_finite() {
                return Err(format!("parameter `{name}` is not a finite number"));
            }
            if value < low {
                return Err(format!("parameter `{name}` = {value} is below {low}"));
            }
            if value > high {
                return Err(format!("parameter `{name}` = {value} is above {high}"));
            }
        }
        match impossible_values(p.model, &values).into_iter().next() {
            Some(fault) => Err(fault.message),
            None => Ok(values),
        }
    }
}

/// Finds the states that members begin with.
pub(super) struct Finder<'p, 'g> {
    pub columns: &'p [Column],
    pub carrier: Carrier,
    /// Of coordinates, then of velocities.
    pub levels: [Level<'g>; 2],
}

/// How coordinates, or velocities, are found.
pub(super) struct Level<'g> {
    /// The file's equations for what no column names.
    pub given: Vec<Ex<'g>>,
    /// The constraints.
    pub constraints: Vec<Ex<'g>>,
    /// The constraints with those of the equations that say more at the file's start.
    pub independent: Vec<Ex<'g>>,
    /// The unknowns: all coordinates, or all velocities and the `z` that equations speak of.
    pub w: Vec<Ex<'g>>,
    /// Whether the file's start satisfies both, so that what says no more than others there follows from them.
    holds: bool,
    /// Which unknowns no column names.
    pub free: Vec<bool>,
    /// Which of these no equation speaks of, and all `z`.
    pub open: Vec<bool>,
}

/// The file's start, from which members differ.
pub(super) struct Base {
    pub start: Start,
    /// Whether it satisfies the constraints.
    pub holds: bool,
}

impl Base {
    /// The file's start; where it misses the constraints but members begin elsewhere, what its equations say.
    ///
    /// # Errors
    /// No member can begin, for none has a start of its own.
    pub fn new(
        p: &Prepared<'_>,
        columns: &[Column],
        dependence: &Dependence,
    ) -> Result<Base, Diagnostic> {
        let why = match start(p) {
            Ok(start) => return Ok(Base { start, holds: true }),
            Err(why) => why,
        };
        let given = given(p);
        let is_of_state = |column: &Column| !matches!(column, Column::Parameter(_));
        let differ = columns.iter().any(is_of_state) || rows_follow(p, dependence, &given);
        let said = said(p, &given).filter(|_| differ && why.code == Code::InconsistentStart);
        let start = said.ok_or(why)?;
        Ok(Base {
            start,
            holds: false,
        })
    }
}

/// All members' beginnings, as far as functions that are compiled for all find them; the others are still to be
/// searched, a tenth of a millisecond each and more. A state has so many numbers.
///
/// # Errors
/// The file's own start cannot be found, nor do members begin elsewhere.
pub(super) fn starts<'s, 'g>(
    p: &'s Prepared<'g>,
    members: &'s Members,
    columns: &'s [Column],
    dependence: &'s Dependence,
    (carrier, width, threads): (Carrier, usize, usize),
) -> Result<(Starts, Search<'s, 'g>), Diagnostic> {
    let Base { start: base, holds } = Base::new(p, columns, dependence)?;
    if holds {
        check_carrier(p, carrier, &base)?;
    }
    let given = given(p);
    let finder = Finder::new(p, columns, carrier, (&base, holds));
    let follows = start_follows(p, dependence, &base, &given);
    let varied = &dependence.varied;
    let (parameters, faults) = parameters(p, members, dependence);
    // Where the kinetic energy chooses, what is nearest to the member's own start is looked for.
    let quick = match !follows || is_determined(p, &base, &given) {
        true => QuickStarts::new(p, &finder, &base, (varied, follows))?,
        false => None,
    };
    let states = match quick {
        Some(quick) => quick.states(members, &parameters, threads),
        None => vec![f64::NAN; members.count * width],
    };
    let unknown = states
        .chunks_exact(width.max(1))
        .map(|state| state[0].is_nan());
    let mut is_open: Vec<bool> = unknown.collect();
    let mut starts = Starts::all(members.count, states, parameters);
    for (member, why) in faults {
        is_open[member] = false;
        starts.refuse(member, why);
    }
    let open = (0..members.count).filter(|member| is_open[*member]);
    let search = Search {
        p,
        members,
        dependence,
        open: open.collect(),
        finder,
        base,
        given,
        follows,
        last: None,
    };
    Ok((starts, search))
}

/// How the other members' states are looked for.
pub(super) struct Search<'p, 'g> {
    p: &'p Prepared<'g>,
    members: &'p Members,
    dependence: &'p Dependence,
    /// Members whose start is not known yet.
    pub open: Vec<usize>,
    finder: Finder<'p, 'g>,
    base: Start,
    /// The file's equations.
    given: Given<'g>,
    /// Whether the start follows the parameters that differ.
    follows: bool,
    /// The last parameters, with what depends on them.
    last: Option<(Vec<f64>, Prepared<'g>)>,
}

impl Search<'_, '_> {
    /// Finds the starts of some members.
    pub fn settle(&mut self, members: &[usize], starts: &mut Starts) {
        for &member in members {
            let row = self.members.row(member);
            let values = self.dependence.values(self.p, row);
            match values.and_then(|values| self.state(row, values)) {
                Ok((found, moved)) => {
                    let first = member * found.len();
                    starts.states[first..first + found.len()].copy_from_slice(&found);
                    starts.moved += usize::from(moved);
                }
                Err(why) => starts.refuse(member, why),
            }
        }
    }

    /// The state of a member with these columns and parameters, and whether it was moved on to the constraints.
    fn state(&mut self, row: &[f64], values: Vec<f64>) -> Result<(Vec<f64>, bool), String> {
        if !self.follows {
            return self.finder.state(self.p, (&self.base, true), row);
        }
        let same = self.last.take().filter(|(old, _)| *old == values);
        let (_, p) = self.last.insert(same.unwrap_or_else(|| {
            let other = self.p.with_parameters_of_start((&values).into());
            (values, other)
        }));
        // What misses the constraints with these parameters may be what columns give otherwise.
        let (base, holds) = match start_of(p, &self.given) {
            Ok(base) => (base, true),
            Err(why) => (said(p, &self.given).ok_or(why.message)?, false),
        };
        self.finder.state(p, (&base, holds), row)
    }
}

/// The parameters that differ, member by member, and why a member's cannot be.
fn parameters(
    p: &Prepared<'_>,
    members: &Members,
    dependence: &Dependence,
) -> (Vec<f64>, Vec<(usize, String)>) {
    let varied = &dependence.varied;
    let mut parameters = Vec::with_capacity(members.count * varied.len());
    let mut faults = Vec::new();
    for member in 0..members.count {
        match dependence.values(p, members.row(member)) {
            Ok(values) => parameters.extend(varied.iter().map(|i| values[*i])),
            Err(why) => {
                faults.push((member, why));
                parameters.resize(parameters.len() + varied.len(), f64::NAN);
            }
        }
    }
    (parameters, faults)
}

/// Whether the start depends on parameters that differ: by an equation, by a constraint, or by the kinetic energy
/// where that chooses what they leave open.
fn start_follows<'g>(
    p: &Prepared<'g>,
    dependence: &Dependence,
    base: &Start,
    given: &Given<'g>,
) -> bool {
    let is_open = || !is_determined(p, base, given);
    !dependence.varied.is_empty() && (rows_follow(p, dependence, given) || is_open())
}

/// Whether a parameter that differs stands in the constraints or the equations of the start.
fn rows_follow<'g>(p: &Prepared<'g>, dependence: &Dependence, given: &Given<'g>) -> bool {
    let graph = p.system.graph;
    let mut rows: Vec<Ex<'_>> = vec![graph.ex(p.model.initial.time)];
    rows.extend(p.constraints.positions());
    rows.extend(velocity_rows(p));
    rows.extend(given.positions.iter().chain(&given.velocities));
    rows.extend(
        p.constraints
            .parametric
            .iter()
            .flat_map(|parametrisation| parametrisation.psi.entries()),
    );
    let varied = dependence.varied.iter();
    let mut varied = varied.map(|i| graph.ex(p.model.parameters[*i].symbol));
    let speaks = |x: Ex<'_>| rows.iter().any(|row| row.depends_on(x));
    varied.any(speaks)
}

fn check_carrier(p: &Prepared<'_>, carrier: Carrier, base: &Start) -> Result<(), Diagnostic> {
    let state = p.carrier_state(carrier, base.t, &base.q, &base.v, base.z.as_deref());
    let none = || refused("no parameters z give the initial velocity");
    state.map(drop).ok_or_else(none)
}

impl<'g> Level<'g> {
    /// The rows on unknowns with the values `w` at the file's start, of which columns give some.
    fn new(
        p: &Prepared<'g>,
        (t, fixed, w, holds): (f64, &[f64], &[f64], bool),
        given: &[Ex<'g>],
        constraints: Vec<Ex<'g>>,
        (symbols, columns): (Vec<Ex<'g>>, Vec<bool>),
    ) -> Level<'g> {
        let q = &p.system.q[..fixed.len()];
        let free: Vec<bool> = columns.iter().map(|column| !column).collect();
        let rank = |rows: &[Ex<'g>]| p.rows(rows, q, &symbols).rank(t, fixed, w, &free);
        let mut independent = constraints.clone();
        let mut last = rank(&independent);
        for row in given {
            independent.push(*row);
            match rank(&independent) {
                more if more > last => last = more,
                _ => _ = independent.pop(),
            }
        }
        let of_motion = |x: &Ex<'g>| !p.system.q.contains(x) && !p.system.v.contains(x);
        let spoken = |x: &Ex<'g>| !of_motion(x) && given.iter().any(|row| row.depends_on(*x));
        let open = symbols.iter().zip(&free);
        let open = open.map(|(x, free)| *free && !spoken(x)).collect();
        Level {
            given: given.to_vec(),
            constraints,
            independent,
            holds,
            w: symbols,
            free,
            open,
        }
    }

    /// What a state satisfies that is not to be changed: what else the file's equations say follows, or contradicts.
    pub fn sufficient(&self, p: &Prepared<'g>) -> Vec<Ex<'g>> {
        if !self.holds {
            return self.all();
        }
        let of_state = self.w.len() == p.system.n();
        let rows = velocity_rows(p);
        let says_more = self.independent.len() > self.constraints.len();
        // Where `v = psi` stands alone no row without `z` says which velocities there are.
        match of_state || says_more || rows.is_empty() {
            true => self.independent.clone(),
            false => rows,
        }
    }

    /// Whether there is an unknown that no column names.
    pub fn is_open(&self) -> bool {
        self.free.contains(&true)
    }

    /// Constraints and equations.
    fn all(&self) -> Vec<Ex<'g>> {
        [&self.constraints[..], &self.given].concat()
    }

    /// Whether rows hold but for rounding.
    fn hold(&self, p: &Prepared<'g>, rows: &[Ex<'g>], t: f64, fixed: &[f64], w: &[f64]) -> bool {
        let rows = p.rows(rows, &p.system.q[..fixed.len()], &self.w);
        let rows = rows.residuals(t, &[fixed, w].concat());
        rows.is_ok_and(|rows| rows.iter().all(|(c, size)| is_small(*c, *size)))
    }

    /// The unknowns nearest to `w`: equations and constraints hold; where both cannot, the constraints, and what
    /// equations speak of stays.
    fn solve(
        &self,
        p: &Prepared<'g>,
        (t, fixed, w): (f64, &[f64], &[f64]),
        metric: &[f64],
    ) -> Option<Vec<f64>> {
        let solve = |rows: &[Ex<'g>], free: &[bool]| {
            let goal = Goal::nearest(metric.to_vec(), w.to_vec(), free.to_vec());
            let rows = p.rows(rows, &p.system.q[..fixed.len()], &self.w);
            let solved = |most: Option<usize>| {
                let found = rows.least_of_rank(t, fixed, &goal, most).ok()?;
                (found.residual <= SOLVED).then_some(found.w)
            };
            // A row may say nothing of what is free, as `x'*sin(th) = y'*cos(th)` of `x'` at `th = 0`.
            solved(None).or_else(|| solved(Some(rows.rank(t, fixed, w, free)?)))
        };
        let whole = |rows: &[Ex<'g>]| {
            let found = solve(rows, &self.free);
            found.filter(|w| self.hold(p, &self.given, t, fixed, w))
        };
        // Equations that say no more than others at the file's start may say more at the member's.
        let both = whole(&self.independent).or_else(|| whole(&self.all()));
        both.or_else(|| solve(&self.constraints, &self.open))
    }
}

impl<'p, 'g> Finder<'p, 'g> {
    fn new(
        p: &Prepared<'g>,
        columns: &'p [Column],
        carrier: Carrier,
        (base, holds): (&Start, bool),
    ) -> Finder<'p, 'g> {
        let coordinates = &p.model.coordinates;
        let names: Vec<String> = columns
            .iter()
            .filter_map(|column| match column {
                Column::Coordinate(i) => Some(coordinates[*i].name.clone()),
                Column::Velocity(i) => Some(format!("{}'", coordinates[*i].name)),
                Column::Parameter(_) => None,
            })
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let given = given_beside(p, &names);
        let n = p.system.n();
        let named = |column: fn(usize) -> Column| -> Vec<bool> {
            (0..n).map(|i| columns.contains(&column(i))).collect()
        };
        let of_coordinates = Level::new(
            p,
            (base.t, &[], &base.q, holds),
            &given.positions,
            p.constraints.positions().collect(),
            (p.system.q.clone(), named(Column::Coordinate)),
        );
        let (mut rows, mut w) = (velocity_rows(p), p.system.v.clone());
        let (mut at, mut fixed) = (base.v.clone(), named(Column::Velocity));
        let gives_velocities = columns.iter().any(|c| matches!(c, Column::Velocity(_)));
        let of_motion = match gives_velocities && p.constraints.motion_alone().is_some() {
            true => rows_of_motion(p),
            false => motion_rows(p, &given),
        };
        let z = base.z.as_ref().zip(of_motion);
        if let Some((z, (of_motion, symbols))) = z {
            rows.extend(of_motion);
            w.extend(symbols);
            at.extend(z);
            fixed.resize(w.len(), false);
        }
        let of_velocities = Level::new(
            p,
            (base.t, &base.q, &at, holds),
            &given.velocities,
            rows,
            (w, fixed),
        );
        Finder {
            columns,
            carrier,
            levels: [of_coordinates, of_velocities],
        }
    }

    /// The carrier's coordinates of a member with the parameters of `p`, whose own start is `base`, which satisfies the
    /// constraints or not, and whether they were moved on to the constraints.
    fn state(
        &self,
        p: &Prepared<'g>,
        (base, holds): (&Start, bool),
        row: &[f64],
    ) -> Result<(Vec<f64>, bool), String> {
        let (mut q, mut v) = (base.q.clone(), base.v.clone());
        for (column, x) in self.columns.iter().zip(row) {
            match column {
                Column::Coordinate(i) => q[*i] = *x,
                Column::Velocity(i) => v[*i] = *x,
                Column::Parameter(_) => {}
            }
        }
        let t = base.t;
        let mut moved = false;
        if !self.holds(p, t, (&q, &v, base.z.as_deref()), holds) {
            (q, v, moved) = self.moved_to_rows(p, base, q, v)?;
        }
        let z = match self.carrier {
            Carrier::Parameters => parameters_of(p, t, &q, &v, base.z.as_deref()),
            Carrier::Velocities | Carrier::Momenta => None,
        };
        let state = p.carrier_state(self.carrier, t, &q, &v, z.as_deref());
        let state = state.ok_or("no parameters z give the initial velocity")?;
        Ok((state, moved))
    }

    /// Whether a state can stay as it is, made of one that holds or not.
    fn holds(
        &self,
        p: &Prepared<'g>,
        t: f64,
        (q, v, z): (&[f64], &[f64], Option<&[f64]>),
        holds: bool,
    ) -> bool {
        let [positions, velocities] = &self.levels;
        let z = z.filter(|_| velocities.w.len() > v.len());
        let w = [v, z.unwrap_or_default()].concat();
        // What follows at the file's start from the rest need not here.
        let sufficient = |level: &Level<'g>| match (holds, level.is_open()) {
            (true, false) => level.sufficient(p),
            (true, true) => [level.sufficient(p), level.given.clone()].concat(),
            (false, _) => level.all(),
        };
        positions.hold(p, &sufficient(positions), t, &[], q)
            && velocities.hold(p, &sufficient(velocities), t, q, &w)
    }

    /// First moves what nobody gave; then, if the file says `inconsistent = "project"`, all but what it
    /// keeps.
    fn moved_to_rows(
        &self,
        p: &Prepared<'g>,
        base: &Start,
        q: Vec<f64>,
        v: Vec<f64>,
    ) -> Result<(Vec<f64>, Vec<f64>, bool), String> {
        let (t, n) = (base.t, p.system.n());
        let initial = &p.model.initial;
        let project = initial.inconsistent == Some(Inconsistent::Project);
        let but = |keep: &[usize]| -> Vec<bool> { (0..n).map(|i| !keep.contains(&i)).collect() };
        let [positions, velocities] = &self.levels;
        let metric = mass_at(p, t, &q, &v).unwrap_or_else(|| identity(n));
        let mut moved = false;
        let q = match positions.solve(p, (t, &[], &q), &metric) {
            Some(found) => found,
            None if project => {
                moved = true;
                let rows = p.rows(&positions.constraints, &[], &p.system.q);
                let goal = Goal::nearest(metric, q, but(&initial.keep_positions));
                let found = rows.minimize(t, &[], &goal).ok();
                let found = found.filter(|found| found.residual <= SOLVED);
                found
                    .ok_or("no coordinates nearby satisfy the constraints")?
                    .w
            }
            None => return Err(missed_positions(p, t, &q, &v)),
        };
        let z = base.z.as_deref().filter(|_| velocities.w.len() > n);
        let w = [&v, z.unwrap_or_default()].concat();
        let mass = mass_at(p, t, &q, &v);
        let found = mass.and_then(|mass| {
            let mut metric = vec![0.0; w.len() * w.len()];
            for (i, row) in mass.chunks(n).enumerate() {
                metric[i * w.len()..i * w.len() + n].copy_from_slice(row);
            }
            velocities.solve(p, (t, &q, &w), &metric)
        });
        let v = match found {
            Some(found) => found[..n].to_vec(),
            None if project => {
                moved = true;
                project_velocities(p, t, &q, &v, &but(&initial.keep))
                    .ok_or("no velocities nearby satisfy the constraints")?
            }
            None => return Err(in_words(missed(p, t, &q, &v))),
        };
        Ok((q, v, moved))
    }
}

/// The holonomic constraints that coordinates miss, in words.
fn missed_positions(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> String {
    let m = p.measure(t, q, v);
    let residuals = m.map_or_else(Vec::new, |m| m.table(function::POSITION).entries);
    let misses: Vec<(usize, f64)> = p
        .constraints
        .holonomic()
        .zip(&residuals)
        .filter(|(_, x)| x.value.abs() > ROUNDING * x.size)
        .map(|(row, x)| (row.constraint, x.value))
        .collect();
    in_words(inconsistent_start(p.model, &misses))
}

/// Whether a row holds but for rounding; what is no number does not.
pub(super) fn is_small(c: f64, size: f64) -> bool {
    c == 0.0 || c.abs() <= ROUNDING * size
}

/// What a diagnostic says, in one line.
fn in_words(diagnostic: Diagnostic) -> String {
    let labels = [diagnostic.label].into_iter().chain(diagnostic.more);
    let texts = labels.map(|label| label.text).chain(diagnostic.notes);
    let said = texts.filter(|text| !text.is_empty());
    said.fold(diagnostic.message, |all, text| format!("{all}; {text}"))
}
