//! Where the members begin: what columns say, what the file says, and what follows from the constraints.

use super::members::{Column, Members};
use super::refused;
use crate::states::nearest::{mass_at, parameters_of};
use crate::states::residuals::velocity_rows;
use crate::states::start::{ROUNDING, given, missed, start};
use crate::values::derived::fields::{compiled, sizes};
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use crate::values::rows::{Goal, Rows, SOLVED, identity};
use appell_expr::{Ex, Sketch};
use appell_flow::backend::AUTO;
use appell_flow::{Compiled, Field, Interpreter, Workspace};
use appell_mech::{Carrier, function, state_functions};
use appell_model::{Diagnostic, Inconsistent, impossible_inertias, inconsistent_start};
use std::rc::Rc;

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

    /// The parameters of a member.
    fn values(&self, p: &Prepared<'_>, row: &[f64]) -> Result<Vec<f64>, String> {
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
    p: &'p Prepared<'g>,
    columns: &'p [Column],
    carrier: Carrier,
    base: Start,
    projector: StartProjector,
    /// The rows of the constraints on both levels, and the sizes of their terms.
    rows: Compiled,
    sizes: Box<dyn Field>,
    workspace: Workspace,
    /// Room for the results of both.
    room: [Vec<f64>; 2],
}

/// Brings states on to the constraints.
struct StartProjector {
    /// What columns or the file's equations say, of coordinates and velocities.
    fixed: [Vec<bool>; 2],
    holonomic: Rc<Rows>,
    velocity: Rc<Rows>,
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
    let mut finder = Finder::new(p, columns, carrier, base)?;
    let follows = start_follows(p, dependence);
    // The last parameters, with what depends on them.
    let mut own: Option<(Vec<f64>, Prepared<'_>)> = None;
    for member in 0..members.count {
        let row = members.row(member);
        if dependence.varied.is_empty() && finder.plain(row, &mut starts.states) {
            continue;
        }
        let mut state = None;
        let mut values = p.parameters.to_vec();
        let found = match dependence.varied.is_empty() {
            true => finder.state(row),
            false => dependence.values(p, row).and_then(|new| {
                values = new;
                if !follows {
                    return finder.state(row);
                }
                if own.as_ref().is_none_or(|(old, _)| *old != values) {
                    own = Some((values.clone(), p.with_parameters(&values)));
                }
                let Some((_, prepared)) = &own else {
                    return finder.state(row);
                };
                let base = start(prepared).map_err(|why| why.message)?;
                let mut finder = Finder::new(prepared, columns, carrier, base).map_err(in_words)?;
                finder.state(row)
            }),
        };
        match found {
            Ok((found, moved)) => {
                starts.moved += usize::from(moved);
                state = Some(found);
            }
            Err(why) => starts.refused.push((member, why)),
        }
        let nothing = || vec![f64::NAN; width];
        starts.states.extend(state.unwrap_or_else(nothing));
        let varied = dependence.varied.iter().map(|i| values[*i]);
        starts.parameters.extend(varied);
    }
    Ok(starts)
}

/// Whether anything that the start is found from depends on parameters that differ.
fn start_follows(p: &Prepared<'_>, dependence: &Dependence) -> bool {
    let graph = p.system.graph;
    let varied: Vec<Ex<'_>> = dependence
        .varied
        .iter()
        .map(|i| graph.ex(p.model.parameters[*i].symbol))
        .collect();
    let given = given(p);
    let time = graph.ex(p.model.initial.time);
    let position = p.constraints.rows.iter().filter_map(|row| row.position);
    let velocity = p.constraints.rows.iter().filter_map(|row| row.phi);
    let mut rows: Vec<Ex<'_>> = [time].into_iter().chain(position).chain(velocity).collect();
    rows.extend(given.positions.iter().chain(&given.velocities));
    let speaks = |x: &Ex<'_>| rows.iter().any(|row| row.depends_on(*x));
    let all = p.system.q.iter().chain(&p.system.v);
    let mut all = all.filter(|x| {
        !given
            .positions
            .iter()
            .chain(&given.velocities)
            .any(|row| row.depends_on(**x))
    });
    // What is left open is chosen by the kinetic energy, in which parameters may stand.
    varied.iter().any(speaks) || (!varied.is_empty() && all.next().is_some())
}

fn carrier_width(p: &Prepared<'_>, carrier: Carrier, base: &Start) -> Result<usize, Diagnostic> {
    let state = p.carrier_state(carrier, base.t, &base.q, &base.v, base.z.as_deref());
    let state = state.ok_or_else(|| refused("no parameters z give the initial velocity"))?;
    Ok(state.len())
}

impl<'p, 'g> Finder<'p, 'g> {
    fn new(
        p: &'p Prepared<'g>,
        columns: &'p [Column],
        carrier: Carrier,
        base: Start,
    ) -> Result<Finder<'p, 'g>, Diagnostic> {
        let given = given(p);
        let named = |x: &Ex<'g>, column: Column| {
            let rows = given.positions.iter().chain(&given.velocities);
            columns.contains(&column) || rows.into_iter().any(|row| row.depends_on(*x))
        };
        let q = p.system.q.iter().enumerate();
        let v = p.system.v.iter().enumerate();
        let fixed = [
            q.map(|(i, q)| named(q, Column::Coordinate(i))).collect(),
            v.map(|(i, v)| named(v, Column::Velocity(i))).collect(),
        ];
        let holonomic: Vec<Ex<'g>> = p
            .constraints
            .holonomic()
            .filter_map(|row| row.position)
            .collect();
        let functions = state_functions(&p.system, &p.constraints);
        let rows = p.compile(&functions, &[function::POSITION, function::PHI]);
        Ok(Finder {
            rows: compiled(&rows, &AUTO)?,
            sizes: sizes(&rows, &AUTO)?,
            workspace: Workspace::default(),
            room: [(); 2].map(|()| vec![0.0; rows.outputs()]),
            p,
            columns,
            carrier,
            base,
            projector: StartProjector {
                fixed,
                holonomic: p.rows(&holonomic, &[], &p.system.q),
                velocity: p.rows(&velocity_rows(p), &p.system.q, &p.system.v),
            },
        })
    }

    /// The carrier's coordinates of a member, and whether they were moved on to the constraints.
    fn state(&mut self, row: &[f64]) -> Result<(Vec<f64>, bool), String> {
        let (mut q, mut v) = (self.base.q.clone(), self.base.v.clone());
        for (column, x) in self.columns.iter().zip(row) {
            match column {
                Column::Coordinate(i) => q[*i] = *x,
                Column::Velocity(i) => v[*i] = *x,
                Column::Parameter(_) => {}
            }
        }
        let (p, t) = (self.p, self.base.t);
        let misses = self.misses(t, &q, &v);
        let mut moved = false;
        if misses {
            (q, v, moved) = self.projector.mend(p, t, q, v)?;
        }
        let z = match self.carrier {
            Carrier::Parameters => parameters_of(p, t, &q, &v, self.base.z.as_deref()),
            Carrier::Velocities | Carrier::Momenta => None,
        };
        let state = p.carrier_state(self.carrier, t, &q, &v, z.as_deref());
        let state = state.ok_or("no parameters z give the initial velocity")?;
        Ok((state, moved))
    }

    /// Appends the state of a member that is what columns and the file say, if it is one: `(q, v)` on the
    /// constraints. There may be millions.
    fn plain(&mut self, row: &[f64], states: &mut Vec<f64>) -> bool {
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
        let on = self.carrier == Carrier::Velocities && self.holds(self.base.t, &states[first..]);
        if !on {
            states.truncate(first);
        }
        on
    }

    fn misses(&mut self, t: f64, q: &[f64], v: &[f64]) -> bool {
        !self.holds(t, &[q, v].concat())
    }

    /// Whether a state is on the constraints but for rounding.
    fn holds(&mut self, t: f64, state: &[f64]) -> bool {
        if self.p.constraints.k() == 0 {
            return true;
        }
        let [rows, sizes] = &mut self.room;
        let workspace = &mut self.workspace;
        let known = self.rows.eval(workspace, t, state, rows).is_ok()
            && self.sizes.eval(workspace, t, state, sizes).is_ok();
        // What is no number does not hold.
        let small = |(c, size): (&f64, &f64)| *c == 0.0 || c.abs() <= ROUNDING * size;
        known && rows.iter().zip(sizes.iter()).all(small)
    }
}

impl StartProjector {
    /// First moves what nobody gave; then, if the file says `inconsistent = "project"`, all but what it
    /// keeps.
    fn mend(
        &self,
        p: &Prepared<'_>,
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
            let found = self.holonomic.least(t, &[], &goal).ok();
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
            let found = self.velocity.least(t, &q, &goal).ok();
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

/// What a diagnostic says, in one line.
fn in_words(diagnostic: Diagnostic) -> String {
    let labels = [diagnostic.label].into_iter().chain(diagnostic.more);
    let texts = labels.map(|label| label.text).chain(diagnostic.notes);
    let said = texts.filter(|text| !text.is_empty());
    said.fold(diagnostic.message, |all, text| format!("{all}; {text}"))
}
