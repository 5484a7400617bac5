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

/// Functions of `(t, q, w, u, mu, p)`: `w` are the velocities, and `z` where equations or states speak of them, `u` and `mu`
/// what [`Nearest`] needs, `p` the parameters that differ.
pub(super) struct QuickStarts<'p> {
    columns: &'p [Column],
    t: f64,
    /// The file's start: `q`, `w`, `u`, then `mu`.
    base: Vec<f64>,
    /// The number of coordinates.
    n: usize,
    /// What holds of coordinates, then of velocities, where they are not to be moved.
    sufficient: [Rows; 2],
    /// What else holds of both after a correction, and where the start follows parameters that differ.
    given: [Rows; 2],
    follows: bool,
    /// Whether columns give all unknowns.
    is_given: bool,
    /// Of coordinates, then of velocities; none where they are not determined.
    levels: [Option<Level>; 2],
    /// Where columns contradict the file's equations.
    nearest: Option<Nearest>,
    fibre: Fibre,
}

/// The velocities nearest to `u` in the kinetic metric that satisfy the constraints, where these are affine: by the rows
/// `M (v - u) + A^T mu = 0` of the components that no equation speaks of, and those of the constraints that are independent.
struct Nearest {
    level: Level,
    /// All constraints.
    constraints: Rows,
    /// Where `u` begins among `(q, w, u, mu)`.
    first: usize,
}

/// What states have beside the coordinates.
enum Fibre {
    Velocities,
    /// `z` with `v = psi(q, z, t)`, near the file's: how they are found, where the rows do not hold.
    Parameters(Rows, Box<Level>),
    Momenta(Compiled),
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
    /// `varied` are the places of the parameters that differ, which the start `follows` or not. `None` where the file's
    /// start does not determine `z`.
    pub fn new<'g>(
        p: &Prepared<'g>,
        finder: &Finder<'p, 'g>,
        base: &Start,
        (varied, follows): (&[usize], bool),
    ) -> Result<Option<QuickStarts<'p>>, Diagnostic> {
        let [positions, velocities] = &finder.levels;
        let (n, q) = (p.system.n(), &p.system.q);
        let mut all: Vec<Ex<'g>> = q.iter().chain(&velocities.w).copied().collect();
        if let (Carrier::Parameters, true, Some(parametric)) = (
            finder.carrier,
            all.len() == 2 * n,
            &p.constraints.parametric,
        ) {
            all.extend(&parametric.z);
        }
        let mut start = [&base.q[..], &base.v].concat();
        start.extend(base.z.iter().flatten().take(all.len() - start.len()));
        if start.len() != all.len() {
            return Ok(None);
        }
        let first = all.len();
        let symbols = Nearest::symbols(p, velocities, follows);
        all.extend(&symbols);
        start.resize(all.len(), 0.0);
        let functions = Functions::new(p, &all, varied);
        let given = |level: &super::starts::Level<'g>| {
            functions.rows(&[&level.independent[..], &level.given].concat())
        };
        let level = |symbolic: &super::starts::Level<'g>, first: usize| {
            let free = symbolic.free.iter().enumerate().filter(|(_, free)| **free);
            let free: Vec<usize> = free.map(|(i, _)| first + i).collect();
            Level::new(&functions, &symbolic.independent, free, base.t, &start)
        };
        let levels = [level(positions, 0)?, level(velocities, n)?];
        let nearest = match symbols.is_empty() {
            true => None,
            false => Nearest::new(&functions, velocities, first, (base.t, &start))?,
        };
        let Some(fibre) = Fibre::new(&functions, finder.carrier, base.t, &start)? else {
            return Ok(None);
        };
        Ok(Some(QuickStarts {
            columns: finder.columns,
            t: base.t,
            base: start,
            n,
            sufficient: [
                functions.rows(&positions.sufficient(p))?,
                functions.rows(&velocities.sufficient(p))?,
            ],
            given: [given(positions)?, given(velocities)?],
            follows,
            is_given: !positions.is_open() && !velocities.is_open(),
            levels,
            nearest,
            fibre,
        }))
    }

    /// The states of members whose parameters that differ stand in rows one after the other; NaN where one is not found
    /// so.
    pub fn states(&self, members: &Members, parameters: &[f64], count: usize) -> Vec<f64> {
        let width = self.n + self.fibre.dimension(self.n);
        let varied = parameters.len() / members.count.max(1);
        let mut states = vec![f64::NAN; members.count * width];
        let part = members.count.div_ceil(count).max(HANDFUL);
        let library = elementary::current();
        let run = |first: usize, states: &mut [f64]| {
            let mut buffers = Buffers::default();
            for (k, state) in states.chunks_exact_mut(width.max(1)).enumerate() {
                let member = first + k;
                let parameters = &parameters[member * varied..(member + 1) * varied];
                let (q, fibre) = state.split_at_mut(self.n);
                if self.find(&mut buffers, members.row(member), parameters)
                    && self.fibre.write(&mut buffers, self.t, self.n, fibre)
                {
                    q.copy_from_slice(&buffers.inputs[..self.n]);
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

    /// Writes coordinates and velocities of a member to the first inputs, if they are found.
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
        let hold = |all: &[Rows; 2], buffers: &mut Buffers| {
            all.iter().all(|rows| rows.hold(buffers, self.t))
        };
        let stays = !self.follows && self.is_given;
        if hold(&self.sufficient, buffers) && (stays || hold(&self.given, buffers)) {
            return true;
        }
        let solves = |k: usize, buffers: &mut Buffers| match &self.levels[k] {
            Some(level) => level.solve(buffers, self.t),
            None => self.sufficient[k].hold(buffers, self.t),
        };
        if !solves(0, buffers) {
            return false;
        }
        let wanted = buffers.inputs[self.n..2 * self.n].to_vec();
        if !solves(1, buffers) || !hold(&self.sufficient, buffers) {
            return false;
        }
        let [positions, velocities] = &self.given;
        if !positions.hold(buffers, self.t) {
            return false;
        }
        velocities.hold(buffers, self.t)
            || self
                .nearest
                .as_ref()
                .is_some_and(|nearest| nearest.find(buffers, self.t, &wanted))
    }
}

impl Nearest {
    /// `u` and `mu`, where columns may contradict the file's equations, which say the same for all members.
    fn symbols<'g>(
        p: &Prepared<'g>,
        velocities: &super::starts::Level<'g>,
        follows: bool,
    ) -> Vec<Ex<'g>> {
        let count = match follows || velocities.given.is_empty() {
            true => 0,
            false => p.system.n() + velocities.constraints.len(),
        };
        let symbol = |i: usize| p.system.graph.symbol(&format!("nearest[{i}]"));
        (0..count).map(symbol).collect()
    }

    /// `None` where the constraints are curved, or do not determine it at the file's start.
    fn new<'g>(
        functions: &Functions<'_, 'g>,
        velocities: &super::starts::Level<'g>,
        first: usize,
        (t, start): (f64, &[f64]),
    ) -> Result<Option<Nearest>, Diagnostic> {
        let system = &functions.p.system;
        let (graph, n, mass) = (system.graph, system.n(), &system.mass);
        let open: Vec<usize> = (0..velocities.w.len())
            .filter(|i| velocities.open[*i])
            .collect();
        let unknowns: Vec<Ex<'g>> = open.iter().map(|i| velocities.w[*i]).collect();
        let slopes = Matrix::jacobian(graph, &velocities.constraints, &unknowns);
        let mut all = slopes.entries().iter().chain(mass.entries());
        if all.any(|x| x.depends_on_any(&velocities.w)) {
            return Ok(None);
        }
        let inputs = [start, &functions.varied].concat();
        let Ok(at_start) = functions.function(slopes.entries()).results(t, &inputs) else {
            return Ok(None);
        };
        let chosen = independent(at_start, open.len());
        let (u, mu) = functions.inputs[1 + first..].split_at(n);
        let balance = |k: usize| {
            let inertia = (0..n)
                .filter(|_| open[k] < n)
                .map(|j| mass[(open[k], j)] * (system.v[j] - u[j]));
            let reactions = chosen.iter().map(|a| slopes[(*a, k)] * mu[*a]);
            graph.sum(&inertia.chain(reactions).collect::<Vec<_>>())
        };
        let constraints = chosen.iter().map(|a| velocities.constraints[*a]);
        let rows: Vec<Ex<'g>> = (0..open.len()).map(balance).chain(constraints).collect();
        let multipliers = chosen.iter().map(|a| first + n + a);
        let free = open.iter().map(|i| n + i).chain(multipliers).collect();
        let Some(level) = Level::new(functions, &rows, free, t, start)? else {
            return Ok(None);
        };
        let constraints = functions.rows(&velocities.constraints)?;
        Ok(Some(Nearest {
            level,
            constraints,
            first,
        }))
    }

    /// Writes the velocities nearest to these to the inputs, if they are found.
    fn find(&self, buffers: &mut Buffers, t: f64, wanted: &[f64]) -> bool {
        let n = wanted.len();
        buffers.inputs[n..2 * n].copy_from_slice(wanted);
        buffers.inputs[self.first..self.first + n].copy_from_slice(wanted);
        self.level.solve(buffers, t) && self.constraints.hold(buffers, t)
    }
}

impl Fibre {
    /// `None` where `z` is not determined at the file's start.
    fn new<'g>(
        functions: &Functions<'_, 'g>,
        carrier: Carrier,
        t: f64,
        start: &[f64],
    ) -> Result<Option<Fibre>, Diagnostic> {
        let system = &functions.p.system;
        Ok(match (carrier, &functions.p.constraints.parametric) {
            (Carrier::Velocities, _) => Some(Fibre::Velocities),
            (Carrier::Momenta, _) => {
                let momenta = functions.compiled(system.momentum.entries())?;
                Some(Fibre::Momenta(momenta))
            }
            (Carrier::Parameters, None) => None,
            (Carrier::Parameters, Some(parametric)) => {
                let pairs = system.v.iter().zip(parametric.psi.entries());
                let rows: Vec<Ex<'g>> = pairs.map(|(v, psi)| *v - *psi).collect();
                let first = 2 * system.n();
                let free = (first..first + parametric.z.len()).collect();
                let level = Level::new(functions, &rows, free, t, start)?;
                let rows = functions.rows(&rows)?;
                level.map(|level| Fibre::Parameters(rows, Box::new(level)))
            }
        })
    }

    /// How many numbers, of a system with `n` coordinates.
    fn dimension(&self, n: usize) -> usize {
        match self {
            Fibre::Parameters(_, level) => level.free.len(),
            Fibre::Velocities | Fibre::Momenta(_) => n,
        }
    }

    /// Writes what belongs to the velocities, if it is found.
    fn write(&self, buffers: &mut Buffers, t: f64, n: usize, fibre: &mut [f64]) -> bool {
        match self {
            Fibre::Velocities => fibre.copy_from_slice(&buffers.inputs[n..2 * n]),
            Fibre::Momenta(momenta) => {
                let (workspace, inputs) = (&mut buffers.workspace, &buffers.inputs);
                return momenta.eval(workspace, t, inputs, fibre).is_ok();
            }
            Fibre::Parameters(rows, level) => {
                let found =
                    rows.hold(buffers, t) || level.solve(buffers, t) && rows.hold(buffers, t);
                if !found {
                    return false;
                }
                fibre.copy_from_slice(&buffers.inputs[2 * n..2 * n + fibre.len()]);
            }
        }
        true
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
                && linear::lu_of_choice(
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
