//! Where the members begin: what columns say, what the file says, and what follows from the constraints.

use super::members::{Column, Members};
use super::refused;
use crate::states::nearest::{mass_at, parameters_of};
use crate::states::residuals::velocity_rows;
use crate::states::start::{Given, ROUNDING, given, is_determined, missed, start, start_of};
use crate::values::derived::fields::{compiled, sizes};
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use crate::values::rows::{Goal, SOLVED, identity};
use appell_expr::{Ex, Sketch};
use appell_flow::backend::AUTO;
use appell_flow::{Compiled, Field, Interpreter, Workspace};
use appell_mech::{Carrier, function, state_functions};
use appell_model::{Diagnostic, Inconsistent, impossible_inertias, inconsistent_start};

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
        let own = |i: usize| now.get(i).is_some_and(|x| *x == p.parameters[i]);
        let mut differs: Vec<bool> = given.iter().map(Option::is_some).collect();
        for _ in 0..parameters.len() {
            for i in 0..parameters.len() {
                let depends = |j: usize| differs[j] && values[i].depends_on(symbols[j]);
                differs[i] |= own(i) && (0..parameters.len()).any(depends);
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
    fn values(&self, p: &Prepared<'_>, row: &[f64]) -> Result<Vec<f64>, String> {
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
        match impossible_inertias(p.model, &values).into_iter().next() {
            Some(fault) => Err(fault.message),
            None => Ok(values),
        }
    }
}

/// Finds the states that members begin with.
struct Finder<'p, 'g> {
    columns: &'p [Column],
    carrier: Carrier,
    /// What columns or the file's equations say, of coordinates and velocities.
    fixed: [Vec<bool>; 2],
    holonomic: Vec<Ex<'g>>,
    velocity: Vec<Ex<'g>>,
    /// The rows of the constraints on both levels.
    rows: Interpreter,
}

/// The members whose parameters are the file's, of which there may be millions.
struct Plain<'p> {
    columns: &'p [Column],
    carrier: Carrier,
    base: &'p Start,
    /// The rows of the constraints on both levels, and the sizes of their terms; none without constraints.
    rows: Option<(Compiled, Box<dyn Field>)>,
    workspace: Workspace,
    /// Room for the results of both.
    room: [Vec<f64>; 2],
}

/// All members' beginnings.
///
/// # Errors
/// The file's own start cannot be found.
pub(super) fn starts(
    p: &Prepared<'_>,
    members: &Members,
    columns: &[Column],
    dependence: &Dependence,
    carrier: Carrier,
) -> Result<Starts, Diagnostic> {
    let mut starts = Starts {
        states: Vec::new(),
        parameters: Vec::with_capacity(members.count * dependence.varied.len()),
        refused: Vec::new(),
        moved: 0,
    };
    let base = start(p)?;
    let width = carrier_width(p, carrier, &base)?;
    starts.states.reserve_exact(members.count * width);
    let given = given(p);
    let finder = Finder::new(p, columns, carrier, &given);
    let follows = start_follows(p, dependence, &base, &given);
    let mut plain = Plain::new(p, columns, carrier, &base, &finder.rows)?;
    // The last parameters, with what depends on them.
    let mut own: Option<(Vec<f64>, Prepared<'_>)> = None;
    let mut begin = |row: &[f64], values: Vec<f64>, states: &mut Vec<f64>| {
        if !follows && plain.add(row, states) {
            return Ok(false);
        }
        let (state, moved) = match follows {
            false => finder.state(p, &base, row)?,
            true => {
                let same = own.take().filter(|(old, _)| *old == values);
                let (_, p) = own.insert(same.unwrap_or_else(|| {
                    let other = p.with_parameters_of_start(&values);
                    (values, other)
                }));
                let base = start_of(p, &given).map_err(|why| why.message)?;
                finder.state(p, &base, row)?
            }
        };
        states.extend(state);
        Ok(moved)
    };
    for member in 0..members.count {
        let row = members.row(member);
        let begun = dependence.values(p, row).and_then(|values| {
            let varied = dependence.varied.iter().map(|i| values[*i]);
            starts.parameters.extend(varied);
            begin(row, values, &mut starts.states)
        });
        match begun {
            Ok(moved) => starts.moved += usize::from(moved),
            Err(why) => {
                starts.refused.push((member, why));
                starts.states.resize((member + 1) * width, f64::NAN);
                let parameters = (member + 1) * dependence.varied.len();
                starts.parameters.resize(parameters, f64::NAN);
            }
        }
    }
    Ok(starts)
}

/// Whether the start depends on parameters that differ: by an equation, by a constraint, or by the kinetic energy
/// where that chooses what they leave open.
fn start_follows<'g>(
    p: &Prepared<'g>,
    dependence: &Dependence,
    base: &Start,
    given: &Given<'g>,
) -> bool {
    let graph = p.system.graph;
    let mut rows: Vec<Ex<'_>> = vec![graph.ex(p.model.initial.time)];
    rows.extend(p.constraints.positions());
    rows.extend(velocity_rows(p));
    rows.extend(given.positions.iter().chain(&given.velocities));
    rows.extend(
        p.constraints
            .parametric
            .iter()
            .flat_map(|own| own.psi.entries()),
    );
    let varied = dependence.varied.iter();
    let mut varied = varied.map(|i| graph.ex(p.model.parameters[*i].symbol));
    let speaks = |x: Ex<'_>| rows.iter().any(|row| row.depends_on(x));
    !dependence.varied.is_empty() && (varied.any(speaks) || !is_determined(p, base, given))
}

fn carrier_width(p: &Prepared<'_>, carrier: Carrier, base: &Start) -> Result<usize, Diagnostic> {
    let state = p.carrier_state(carrier, base.t, &base.q, &base.v, base.z.as_deref());
    let state = state.ok_or_else(|| refused("no parameters z give the initial velocity"))?;
    Ok(state.len())
}

impl<'p, 'g> Finder<'p, 'g> {
    fn new(
        p: &Prepared<'g>,
        columns: &'p [Column],
        carrier: Carrier,
        given: &Given<'g>,
    ) -> Finder<'p, 'g> {
        let named = |x: &Ex<'g>, column: Column| {
            let rows = given.positions.iter().chain(&given.velocities);
            columns.contains(&column) || rows.into_iter().any(|row| row.depends_on(*x))
        };
        let q = p.system.q.iter().enumerate();
        let v = p.system.v.iter().enumerate();
        let holonomic = p.constraints.holonomic();
        let functions = state_functions(&p.system, &p.constraints);
        Finder {
            columns,
            carrier,
            fixed: [
                q.map(|(i, q)| named(q, Column::Coordinate(i))).collect(),
                v.map(|(i, v)| named(v, Column::Velocity(i))).collect(),
            ],
            holonomic: holonomic.filter_map(|row| row.position).collect(),
            velocity: velocity_rows(p),
            rows: p.compile(&functions, &[function::POSITION, function::PHI]),
        }
    }

    /// The carrier's coordinates of a member with the parameters of `p`, whose own start is `base`, and whether
    /// they were moved on to the constraints.
    fn state(
        &self,
        p: &Prepared<'g>,
        base: &Start,
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
        if !self.holds(p, t, &[&q[..], &v].concat()) {
            (q, v, moved) = self.mend(p, t, q, v)?;
        }
        let z = match self.carrier {
            Carrier::Parameters => parameters_of(p, t, &q, &v, base.z.as_deref()),
            Carrier::Velocities | Carrier::Momenta => None,
        };
        let state = p.carrier_state(self.carrier, t, &q, &v, z.as_deref());
        let state = state.ok_or("no parameters z give the initial velocity")?;
        Ok((state, moved))
    }

    /// Whether a state is on the constraints but for rounding.
    fn holds(&self, p: &Prepared<'g>, t: f64, state: &[f64]) -> bool {
        let rows = self.rows.with_parameters(p.parameters.clone());
        let rows = rows.measured(t, state);
        p.constraints.k() == 0
            || rows.is_ok_and(|rows| rows.iter().all(|x| is_small(x.value, x.size)))
    }

    /// First moves what nobody gave; then, if the file says `inconsistent = "project"`, all but what it
    /// keeps.
    fn mend(
        &self,
        p: &Prepared<'g>,
        t: f64,
        q: Vec<f64>,
        v: Vec<f64>,
    ) -> Result<(Vec<f64>, Vec<f64>, bool), String> {
        let initial = &p.model.initial;
        let project = initial.inconsistent == Some(Inconsistent::Project);
        let n = p.system.n();
        let open = |fixed: &[bool]| -> Vec<bool> { fixed.iter().map(|fixed| !fixed).collect() };
        let but = |keep: &[usize]| -> Vec<bool> { (0..n).map(|i| !keep.contains(&i)).collect() };
        let metric = mass_at(p, t, &q, &v).unwrap_or_else(|| identity(n));
        let position = |free: Vec<bool>| {
            let goal = Goal::nearest(metric.clone(), q.clone(), free);
            let rows = p.rows(&self.holonomic, &[], &p.system.q);
            let found = rows.least(t, &[], &goal).ok();
            found.filter(|found| found.residual <= SOLVED)
        };
        let mut moved = false;
        let by_free = position(open(&self.fixed[0]));
        let q = match by_free {
            Some(found) => found.w,
            None if project => {
                moved = true;
                let found = position(but(&initial.keep_positions));
                found
                    .ok_or("no coordinates nearby satisfy the constraints")?
                    .w
            }
            None => {
                let m = p.measure(t, &q, &v);
                let rows = p.constraints.holonomic();
                let residuals = m.map_or_else(Vec::new, |m| m.table(function::POSITION).entries);
                let misses: Vec<(usize, f64)> = rows
                    .zip(&residuals)
                    .filter(|(_, x)| x.value.abs() > ROUNDING * x.size)
                    .map(|(row, x)| (row.constraint, x.value))
                    .collect();
                return Err(in_words(inconsistent_start(p.model, &misses)));
            }
        };
        let velocity = |free: Vec<bool>| {
            let metric = mass_at(p, t, &q, &v)?;
            let goal = Goal::nearest(metric, v.clone(), free);
            let rows = p.rows(&self.velocity, &p.system.q, &p.system.v);
            let found = rows.least(t, &q, &goal).ok();
            found.filter(|found| found.residual <= SOLVED)
        };
        let v = match velocity(open(&self.fixed[1])) {
            Some(found) => found.w,
            None if project => {
                moved = true;
                let found = velocity(but(&initial.keep));
                found
                    .ok_or("no velocities nearby satisfy the constraints")?
                    .w
            }
            None => return Err(in_words(missed(p, t, &q, &v))),
        };
        Ok((q, v, moved))
    }
}

impl<'p> Plain<'p> {
    fn new(
        p: &Prepared<'_>,
        columns: &'p [Column],
        carrier: Carrier,
        base: &'p Start,
        rows: &Interpreter,
    ) -> Result<Plain<'p>, Diagnostic> {
        let compiled = || Ok((compiled(rows, &AUTO)?, sizes(rows, &AUTO)?));
        let constrained = p.constraints.k() > 0;
        Ok(Plain {
            columns,
            carrier,
            base,
            rows: constrained.then(compiled).transpose()?,
            workspace: Workspace::default(),
            room: [(); 2].map(|()| vec![0.0; rows.outputs()]),
        })
    }

    /// Appends the state of a member that is what columns and the file say, if it is one: `(q, v)` on the
    /// constraints.
    fn add(&mut self, row: &[f64], states: &mut Vec<f64>) -> bool {
        let n = self.base.q.len();
        let first = states.len();
        states.extend_from_slice(&self.base.q);
        states.extend_from_slice(&self.base.v);
        for (column, x) in self.columns.iter().zip(row) {
            match column {
                Column::Coordinate(i) => states[first + i] = *x,
                Column::Velocity(i) => states[first + n + i] = *x,
                Column::Parameter(_) => {}
            }
        }
        let on = self.carrier == Carrier::Velocities && self.holds(&states[first..]);
        if !on {
            states.truncate(first);
        }
        on
    }

    fn holds(&mut self, state: &[f64]) -> bool {
        let Some((rows, sizes)) = &self.rows else {
            return true;
        };
        let ([values, terms], t) = (&mut self.room, self.base.t);
        let known = rows.eval(&mut self.workspace, t, state, values).is_ok()
            && sizes.eval(&mut self.workspace, t, state, terms).is_ok();
        known
            && values
                .iter()
                .zip(&*terms)
                .all(|(c, size)| is_small(*c, *size))
    }
}

/// Whether a row holds but for rounding; what is no number does not.
fn is_small(c: f64, size: f64) -> bool {
    c == 0.0 || c.abs() <= ROUNDING * size
}

/// What a diagnostic says, in one line.
fn in_words(diagnostic: Diagnostic) -> String {
    let labels = [diagnostic.label].into_iter().chain(diagnostic.more);
    let texts = labels.map(|label| label.text).chain(diagnostic.notes);
    let said = texts.filter(|text| !text.is_empty());
    said.fold(diagnostic.message, |all, text| format!("{all}; {text}"))
}
