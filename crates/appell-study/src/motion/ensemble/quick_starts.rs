//! Starts that equations and constraints determine, by functions that are compiled once for all members, in threads.

use super::members::{Column, Members};
use super::starts::{Finder, is_small};
use crate::values::derived::fields::{compiled, sizes};
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix, Sketch, elementary};
use appell_flow::backend::AUTO;
use appell_flow::threads;
use appell_flow::{Compiled, Field, Interpreter, Workspace, linear};
use appell_mech::Carrier;
use appell_model::Diagnostic;
use std::sync::Mutex;

/// Corrections of Newton's method at most.
const CORRECTIONS: usize = 10;
/// Each correction is at most this part of the one before: so near to a solution there is no other one.
const CONTRACTION: f64 = 0.25;
/// Members for which a thread pays.
const HANDFUL: usize = 256;

/// Functions of `(t, q, w, p)`: `w` are the velocities and what `z` equations speak of, `p` the parameters that differ.
pub(super) struct QuickStarts<'p> {
    columns: &'p [Column],
    t: f64,
    /// The file's start: `q`, then `w`.
    base: Vec<f64>,
    /// The number of coordinates.
    n: usize,
    /// What holds of coordinates, then of velocities, where they are not to be moved.
    sufficient: [Rows; 2],
    /// What else holds after a correction, and where the start follows parameters that differ.
    given: Rows,
    follows: bool,
    /// Of coordinates, then of velocities; none where they are not determined.
    levels: [Option<Level>; 2],
}

/// Rows with the sizes of their terms.
struct Rows(Option<(Compiled, Box<dyn Field>)>);

/// As many rows as unknowns.
struct Level {
    rows: Compiled,
    jacobian: Compiled,
    /// The places of the unknowns among `(q, w)`.
    free: Vec<usize>,
}

/// Room of one thread.
#[derive(Default)]
struct Buffers {
    workspace: Workspace,
    inputs: Vec<f64>,
    values: Vec<f64>,
    sizes: Vec<f64>,
    jacobian: Vec<f64>,
    step: Vec<f64>,
    scratch: linear::Scratch,
}

impl<'p> QuickStarts<'p> {
    /// `varied` are the places of the parameters that differ, which the start `follows` or not. `None` where the members' states are not `(q, v)`.
    pub fn new<'g>(
        p: &Prepared<'g>,
        finder: &Finder<'p, 'g>,
        base: &Start,
        (varied, follows): (&[usize], bool),
    ) -> Result<Option<QuickStarts<'p>>, Diagnostic> {
        if finder.carrier != Carrier::Velocities {
            return Ok(None);
        }
        let [positions, velocities] = &finder.levels;
        let (n, q) = (p.system.n(), &p.system.q);
        let all: Vec<Ex<'g>> = q.iter().chain(&velocities.w).copied().collect();
        let mut start = [&base.q[..], &base.v].concat();
        start.extend(base.z.iter().flatten().take(all.len() - start.len()));
        if start.len() != all.len() {
            return Ok(None);
        }
        let functions = Functions::new(p, &all, varied);
        let both = |level: fn(&super::starts::Level<'g>) -> Vec<Ex<'g>>| {
            [level(positions), level(velocities)].concat()
        };
        let given = both(|level| [level.independent.clone(), level.given.clone()].concat());
        let level = |symbolic: &super::starts::Level<'g>, first: usize| {
            let free = symbolic.free.iter().enumerate().filter(|(_, free)| **free);
            let free: Vec<usize> = free.map(|(i, _)| first + i).collect();
            Level::new(&functions, &symbolic.independent, free, base.t, &start)
        };
        let levels = [level(positions, 0)?, level(velocities, n)?];
        Ok(Some(QuickStarts {
            columns: finder.columns,
            t: base.t,
            base: start,
            n,
            sufficient: [
                functions.rows(&positions.sufficient(p))?,
                functions.rows(&velocities.sufficient(p))?,
            ],
            given: functions.rows(&given)?,
            follows,
            levels,
        }))
    }

    /// The states `(q, v)` of members whose parameters that differ stand in rows one after the other; NaN where one is
    /// not found so.
    pub fn states(&self, members: &Members, parameters: &[f64], count: usize) -> Vec<f64> {
        let (width, varied) = (2 * self.n, parameters.len() / members.count.max(1));
        let mut states = vec![f64::NAN; members.count * width];
        let part = members.count.div_ceil(count).max(HANDFUL);
        let library = elementary::current();
        let run = |first: usize, states: &mut [f64]| {
            let mut buffers = Buffers::default();
            for (k, state) in states.chunks_exact_mut(width.max(1)).enumerate() {
                let member = first + k;
                let parameters = &parameters[member * varied..(member + 1) * varied];
                if self.find(&mut buffers, members.row(member), parameters) {
                    state.copy_from_slice(&buffers.inputs[..width]);
                }
            }
        };
        let parts = Mutex::new(states.chunks_mut((part * width).max(1)).enumerate());
        let next = || parts.lock().ok()?.next();
        let work = || {
            while let Some((k, states)) = next() {
                elementary::within(library, || run(k * part, states));
            }
        };
        // This thread does what others leave, all where there are none.
        let others = members.count.div_ceil(part).saturating_sub(1);
        std::thread::scope(|scope| {
            threads::start(scope, others, || work);
            work();
        });
        states
    }

    /// Writes the state of a member to the first inputs, if it is found.
    fn find(&self, buffers: &mut Buffers, row: &[f64], parameters: &[f64]) -> bool {
        buffers.inputs.clear();
        buffers.inputs.extend_from_slice(&self.base);
        buffers.inputs.extend_from_slice(parameters);
        for (column, x) in self.columns.iter().zip(row) {
            match column {
                Column::Coordinate(i) => buffers.inputs[*i] = *x,
                Column::Velocity(i) => buffers.inputs[self.n + *i] = *x,
                Column::Parameter(_) => {}
            }
        }
        if parameters.iter().any(|x| x.is_nan()) {
            return false;
        }
        let is_sufficient = |buffers: &mut Buffers| {
            self.sufficient
                .iter()
                .all(|rows| rows.hold(buffers, self.t))
        };
        if is_sufficient(buffers) && (!self.follows || self.given.hold(buffers, self.t)) {
            return true;
        }
        let mut levels = self.sufficient.iter().zip(&self.levels);
        levels.all(|(rows, level)| {
            let mut solves = || {
                level
                    .as_ref()
                    .is_some_and(|solver| solver.solve(buffers, self.t))
            };
            solves() || level.is_none() && rows.hold(buffers, self.t)
        }) && is_sufficient(buffers)
            && self.given.hold(buffers, self.t)
    }
}

impl Rows {
    /// Whether all hold but for rounding.
    fn hold(&self, buffers: &mut Buffers, t: f64) -> bool {
        let Some((rows, terms)) = &self.0 else {
            return true;
        };
        buffers.values.resize(rows.outputs(), 0.0);
        buffers.sizes.resize(rows.outputs(), 0.0);
        let (workspace, inputs) = (&mut buffers.workspace, &buffers.inputs);
        rows.eval(workspace, t, inputs, &mut buffers.values).is_ok()
            && terms.eval(workspace, t, inputs, &mut buffers.sizes).is_ok()
            && buffers
                .values
                .iter()
                .zip(&buffers.sizes)
                .all(|(c, size)| is_small(*c, *size))
    }
}

impl Level {
    /// Of the rows those that determine the unknowns at the file's start; `None` where they do not. What else they say
    /// is looked at once a solution is found.
    fn new<'g>(
        functions: &Functions<'_, 'g>,
        rows: &[Ex<'g>],
        free: Vec<usize>,
        t: f64,
        start: &[f64],
    ) -> Result<Option<Level>, Diagnostic> {
        let unknowns: Vec<Ex<'g>> = free.iter().map(|i| functions.inputs[1 + i]).collect();
        let slopes = |rows: &[Ex<'g>]| {
            let jacobian = Matrix::jacobian(functions.p.system.graph, rows, &unknowns);
            functions.function(jacobian.entries())
        };
        let inputs = [start, &functions.varied].concat();
        let Ok(at_start) = slopes(rows).results(t, &inputs) else {
            return Ok(None);
        };
        let chosen = independent(at_start, free.len());
        if chosen.len() != free.len() {
            return Ok(None);
        }
        let rows: Vec<Ex<'g>> = chosen.into_iter().map(|row| rows[row]).collect();
        Ok(Some(Level {
            rows: functions.compiled(&rows)?,
            jacobian: compiled(&slopes(&rows), &AUTO)?,
            free,
        }))
    }

    /// Newton's method, as long as it contracts: the solution near the file's start.
    fn solve(&self, buffers: &mut Buffers, t: f64) -> bool {
        let count = self.free.len();
        if count == 0 {
            return true;
        }
        let mut last = f64::INFINITY;
        buffers.values.resize(count, 0.0);
        buffers.step.resize(count, 0.0);
        buffers.jacobian.resize(count * count, 0.0);
        for _ in 0..CORRECTIONS {
            let (workspace, inputs) = (&mut buffers.workspace, &buffers.inputs);
            let known = self
                .rows
                .eval(workspace, t, inputs, &mut buffers.values)
                .is_ok()
                && self
                    .jacobian
                    .eval(workspace, t, inputs, &mut buffers.jacobian)
                    .is_ok();
            let solved = known
                && linear::lu(
                    count,
                    &buffers.jacobian,
                    &buffers.values,
                    &mut buffers.step,
                    &mut buffers.scratch,
                )
                .is_ok();
            if !solved {
                return false;
            }
            let (mut length, mut size) = (0.0, 0.0);
            for (i, step) in self.free.iter().zip(&buffers.step) {
                buffers.inputs[*i] -= step;
                length = f64::max(length, step.abs());
                size = f64::max(size, buffers.inputs[*i].abs());
            }
            if !length.is_finite() {
                return false;
            }
            if length <= 4.0 * f64::EPSILON * size {
                return true;
            }
            // What is left at the end is rounding, which contracts no more.
            if length > CONTRACTION * last {
                return length <= 1e-12 * size;
            }
            last = length;
        }
        false
    }
}

/// Rows of this width that are independent, by elimination with the largest of what is left, which is not small beside
/// its row.
fn independent(mut slopes: Vec<f64>, width: usize) -> Vec<usize> {
    const SMALL: f64 = 1e-6;
    let largest = |row: &[f64]| linear::max_norm(row.iter());
    let sizes: Vec<f64> = slopes.chunks(width.max(1)).map(largest).collect();
    let mut chosen = Vec::new();
    while chosen.len() < width {
        let rest = (0..sizes.len()).filter(|row| !chosen.contains(row));
        let left = |row: usize| largest(&slopes[row * width..(row + 1) * width]) / sizes[row];
        let Some(pivot) = rest.max_by(|a, b| left(*a).total_cmp(&left(*b))) else {
            break;
        };
        // No number is no pivot either.
        if !(left(pivot) > SMALL && left(pivot) < f64::INFINITY) {
            break;
        }
        let pivot_row = slopes[pivot * width..(pivot + 1) * width].to_vec();
        let column = (0..width).max_by(|a, b| pivot_row[*a].abs().total_cmp(&pivot_row[*b].abs()));
        let column = column.unwrap_or(0);
        chosen.push(pivot);
        for row in slopes.chunks_mut(width) {
            let factor = row[column] / pivot_row[column];
            row.iter_mut()
                .zip(&pivot_row)
                .for_each(|(x, y)| *x -= factor * y);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Functions with the parameters that differ as last inputs.
struct Functions<'a, 'g> {
    p: &'a Prepared<'g>,
    inputs: Vec<Ex<'g>>,
    /// The file's values of the parameters that differ, and of those behind them.
    varied: Vec<f64>,
    fixed: Vec<f64>,
}

impl<'a, 'g> Functions<'a, 'g> {
    fn new(p: &'a Prepared<'g>, state: &[Ex<'g>], varied: &[usize]) -> Functions<'a, 'g> {
        let symbol = |i: usize| p.system.graph.ex(p.model.parameters[i].symbol);
        let others = || (0..p.parameters.len()).filter(|i| !varied.contains(i));
        let inputs = [p.system.t].into_iter().chain(state.iter().copied());
        let parameters = varied.iter().copied().chain(others()).map(symbol);
        Functions {
            inputs: inputs.chain(parameters).collect(),
            varied: varied.iter().map(|i| p.parameters[*i]).collect(),
            fixed: others().map(|i| p.parameters[i]).collect(),
            p,
        }
    }

    fn function(&self, values: &[Ex<'g>]) -> Interpreter {
        let mut sketch = Sketch::new(self.p.system.graph);
        sketch.output_list("values", values);
        let program = sketch.program(&self.inputs, &["values"]);
        let program = program.expect("rows are made of t, q, v, z and parameters");
        Interpreter::new(program, &self.fixed)
    }

    fn compiled(&self, values: &[Ex<'g>]) -> Result<Compiled, Diagnostic> {
        compiled(&self.function(values), &AUTO)
    }

    fn rows(&self, rows: &[Ex<'g>]) -> Result<Rows, Diagnostic> {
        if rows.is_empty() {
            return Ok(Rows(None));
        }
        let function = self.function(rows);
        Ok(Rows(Some((
            compiled(&function, &AUTO)?,
            sizes(&function, &AUTO)?,
        ))))
    }
}
