//! Consistent initial states, and states nearest to given ones.

use crate::prepared::{Prepared, scattered};
use crate::status::scaled_residual;
use appell_expr::{Ex, Matrix, Sketch};
use appell_flow::field::Trouble;
use appell_flow::newton::{Found, Least, least};
use appell_flow::{Interpreter, linear};
use appell_mech::function;
use appell_model::{Code, Diagnostic, Inconsistent};
use serde::Serialize;

/// The state a run starts from, and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Start {
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub q: Vec<f64>,
    /// The velocities.
    pub v: Vec<f64>,
    /// The parameters of the velocities, if the model is parametrised.
    pub z: Option<Vec<f64>>,
    /// The equations of `[initial]`, as written.
    pub given: Vec<String>,
    /// Whether the given velocities had to be moved.
    pub projected: bool,
    /// The largest scaled residual of the constraints with the given equations alone.
    pub residual_before: f64,
    /// The same at the state used.
    pub residual_after: f64,
    /// What was chosen for the user, in sentences.
    pub remarks: Vec<String>,
}

/// A residual above this after Newton's method means that there is no solution nearby.
const SOLVED: f64 = 1e-10;
/// Residuals below this are the rounding of the given numbers: moving the state by them is no news.
const ROUNDING: f64 = 1e-9;

/// Rows `c(w) = 0` with their derivatives, and values for the inputs that stay fixed.
struct Rows {
    /// Outputs `c`, `c_w`, and `Sum mu_a d2 c_a/dw dw`; inputs `t, fixed, w, mu, parameters`.
    residual: Interpreter,
    jacobian: Interpreter,
    curvature: Interpreter,
    count: usize,
}

impl Rows {
    /// Compiles the rows `c` as functions of `w`, with `fixed` inputs before it.
    fn new<'g>(p: &Prepared<'g>, c: &[Ex<'g>], fixed: &[Ex<'g>], w: &[Ex<'g>]) -> Self {
        let graph = p.system.graph;
        let mu: Vec<Ex<'g>> = c.iter().map(|_| graph.fresh_symbol("mu")).collect();
        let jacobian = Matrix::jacobian(graph, c, w);
        let lagrangian = Matrix::column(graph, c.to_vec()).dot(&Matrix::column(graph, mu.clone()));
        let gradient: Vec<Ex<'g>> = w.iter().map(|w| lagrangian.diff(*w)).collect();
        let mut sketch = Sketch::new(graph);
        sketch.output_list("c", c);
        sketch.output("c_w", jacobian);
        sketch.output("curvature", Matrix::jacobian(graph, &gradient, w));
        let parameters = p.model.parameters.iter().map(|p| graph.ex(p.symbol));
        let variables = [p.system.t].into_iter().chain(fixed.iter().copied());
        let variables: Vec<Ex<'g>> = variables.chain(w.iter().copied()).collect();
        let plain: Vec<Ex<'g>> = variables
            .iter()
            .copied()
            .chain(parameters.clone())
            .collect();
        let weighted: Vec<Ex<'g>> = variables.into_iter().chain(mu).chain(parameters).collect();
        let compile = |inputs: &[Ex<'g>], name: &str| {
            let program = sketch.program(inputs, &[name]);
            let program = program.expect("rows are made of t, q, v, z and parameters");
            Interpreter::new(program, &p.parameters)
        };
        Self {
            residual: compile(&plain, "c"),
            jacobian: compile(&plain, "c_w"),
            curvature: compile(&weighted, "curvature"),
            count: c.len(),
        }
    }

    /// Minimises `1/2 w.M w + b.w` over the free components, subject to `c(w) = 0`.
    fn least(&self, t: f64, fixed: &[f64], goal: &Goal) -> Result<Found, Trouble> {
        let residual = |w: &[f64], rows: &mut [f64], sizes: &mut [f64]| {
            let measured = self.residual.measured(t, &[fixed, w].concat())?;
            for (i, x) in measured.iter().enumerate() {
                (rows[i], sizes[i]) = (x.value, x.size);
            }
            Ok(())
        };
        let jacobian = |w: &[f64], out: &mut [f64]| {
            out.copy_from_slice(&self.jacobian.results(t, &[fixed, w].concat())?);
            Ok(())
        };
        let curvature = |w: &[f64], mu: &[f64], out: &mut [f64]| {
            out.copy_from_slice(&self.curvature.results(t, &[fixed, w, mu].concat())?);
            Ok(())
        };
        let problem = Least {
            metric: &goal.metric,
            linear: &goal.linear,
            free: &goal.free,
            rows: self.count,
            residual: &residual,
            jacobian: &jacobian,
            curvature: &curvature,
        };
        least(&problem, &goal.start)
    }
}

/// What is to be least, over which components, starting where.
struct Goal {
    metric: Vec<f64>,
    linear: Vec<f64>,
    free: Vec<bool>,
    start: Vec<f64>,
}

impl Goal {
    /// Nearest to `start` in the metric, `b = -M start`.
    fn nearest(metric: Vec<f64>, start: Vec<f64>, free: Vec<bool>) -> Self {
        let n = start.len();
        let row = |i: usize| (0..n).map(|j| metric[i * n + j] * start[j]).sum::<f64>();
        let linear = (0..n).map(|i| -row(i)).collect();
        Self {
            metric,
            linear,
            free,
            start,
        }
    }

    /// The smallest in the Euclidean norm.
    fn smallest(n: usize) -> Self {
        Self::nearest(identity(n), vec![0.0; n], vec![true; n])
    }
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|index| if index / n == index % n { 1.0 } else { 0.0 })
        .collect()
}

/// The symbols of the state equations by what they determine.
struct Given<'g> {
    /// Rows in `(q, t)`, with their texts.
    positions: Vec<Ex<'g>>,
    /// Rows in `(q, v, z, t)`.
    velocities: Vec<Ex<'g>>,
    /// Coordinates that no row mentions.
    unmentioned: Vec<String>,
}

fn given<'g>(p: &Prepared<'g>) -> Given<'g> {
    let graph = p.system.graph;
    let z = p
        .constraints
        .parametric
        .as_ref()
        .map_or(&[][..], |parametric| &parametric.z);
    let moving = |x: Ex<'g>| {
        x.symbols()
            .iter()
            .any(|s| p.system.v.contains(s) || z.contains(s))
    };
    let rows = p
        .model
        .initial
        .state
        .iter()
        .map(|row| graph.ex(row.difference));
    let (velocities, positions): (Vec<_>, Vec<_>) = rows.partition(|x| moving(*x));
    let holonomic: Vec<Ex<'g>> = p
        .constraints
        .holonomic()
        .filter_map(|row| row.position)
        .collect();
    let mentioned = |q: Ex<'g>| {
        positions
            .iter()
            .chain(&holonomic)
            .any(|row| row.depends_on(q))
    };
    let unmentioned = p.system.q.iter().filter(|q| !mentioned(**q));
    let unmentioned = unmentioned.filter_map(|q| q.symbol_name()).collect();
    Given {
        positions,
        velocities,
        unmentioned,
    }
}

/// The start of the model: the two-stage rule of the model format.
///
/// # Errors
/// Equations that contradict the constraints, unless the file says `inconsistent = "project"`.
pub fn start(p: &Prepared<'_>) -> Result<Start, Diagnostic> {
    let t = p.constant(p.model.initial.time);
    let given = given(p);
    let mut remarks = Vec::new();
    if !given.unmentioned.is_empty() {
        remarks.push(format!(
            "not given and left free by the constraints, so 0: {}",
            given.unmentioned.join(", ")
        ));
    }
    let q = positions(p, t, &given)?;
    let (v, z, before, projected) = velocities(p, t, &q, &given, &mut remarks)?;
    let after = p
        .measure(t, &q, &v)
        .map_or(f64::NAN, |m| scaled_residual(&m));
    let z = z.or_else(|| parameters_of(p, t, &q, &v, None));
    let texts = p
        .model
        .initial
        .state
        .iter()
        .map(|row| row.text.clone())
        .collect();
    Ok(Start {
        t,
        q,
        v,
        z,
        given: texts,
        projected,
        residual_before: before,
        residual_after: after,
        remarks,
    })
}

/// Coordinates: the given equations and the holonomic rows hold, what is left free is 0.
fn positions(p: &Prepared<'_>, t: f64, given: &Given<'_>) -> Result<Vec<f64>, Diagnostic> {
    let n = p.system.n();
    let holonomic: Vec<_> = p
        .constraints
        .holonomic()
        .filter_map(|row| row.position)
        .collect();
    let together = [given.positions.clone(), holonomic.clone()].concat();
    let failed =
        |trouble: Trouble| start_error(p, &format!("the coordinates have no value: {trouble}"));
    let found = Rows::new(p, &together, &[], &p.system.q)
        .least(t, &[], &Goal::smallest(n))
        .map_err(failed)?;
    if found.residual <= SOLVED {
        return Ok(snapped(p, t, &given.positions, found.w));
    }
    let alone = Rows::new(p, &given.positions, &[], &p.system.q);
    let wanted = alone.least(t, &[], &Goal::smallest(n)).map_err(failed)?;
    if wanted.residual > SOLVED {
        return Err(start_error(
            p,
            "the equations for the coordinates contradict each other",
        ));
    }
    if p.model.initial.inconsistent != Some(Inconsistent::Project) {
        let what = format!(
            "the given coordinates miss the holonomic constraints by {:.3e}",
            found.residual
        );
        return Err(start_error(p, &what));
    }
    let metric = mass_at(p, t, &wanted.w, &vec![0.0; n]).unwrap_or_else(|| identity(n));
    let free = (0..n)
        .map(|i| !p.model.initial.keep_positions.contains(&i))
        .collect();
    let goal = Goal::nearest(metric, wanted.w, free);
    let moved = Rows::new(p, &holonomic, &[], &p.system.q)
        .least(t, &[], &goal)
        .map_err(failed)?;
    if moved.residual > SOLVED {
        return Err(start_error(
            p,
            "no coordinates nearby satisfy the holonomic constraints",
        ));
    }
    Ok(moved.w)
}

/// Newton's result with the values that equations like `x = 1` give outright put in exactly.
fn snapped<'g>(p: &Prepared<'g>, t: f64, rows: &[Ex<'g>], mut w: Vec<f64>) -> Vec<f64> {
    for row in rows {
        let inside: Vec<usize> = (0..w.len())
            .filter(|i| row.depends_on(p.system.q[*i]))
            .collect();
        if let [i] = inside[..] {
            if row.diff(p.system.q[i]).is_one() {
                let mut sketch = Sketch::new(p.system.graph);
                sketch.output_list("row", &[p.system.q[i] - *row]);
                let zero = vec![0.0; w.len()];
                let field = p.compile(&sketch, &["row"]);
                if let Ok(value) = field.results(t, &[zero.clone(), zero].concat()) {
                    w[i] = value[0];
                }
            }
        }
    }
    w
}

type Velocities = (Vec<f64>, Option<Vec<f64>>, f64, bool);

/// Velocities: the given equations and the constraints hold with least kinetic energy; where
/// they cannot, the given ones are moved least in the kinetic metric, if the file allows it.
fn velocities(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    given: &Given<'_>,
    remarks: &mut Vec<String>,
) -> Result<Velocities, Diagnostic> {
    let n = p.system.n();
    let problem = VelocityProblem::new(p, t, q, given)?;
    let at_rest = vec![0.0; problem.w.len()];
    let wanted = problem.solve(p, &problem.given_rows, at_rest)?;
    let (v_wanted, _) = problem.split(&wanted.w);
    let before = p
        .measure(t, q, &v_wanted)
        .map_or(f64::NAN, |m| scaled_residual(&m));
    let both = [problem.given_rows.clone(), problem.constraint_rows.clone()].concat();
    // From the given velocities on: the constraints may have no derivative at rest.
    let used = problem.solve(p, &both, wanted.w.clone())?;
    if wanted.residual <= SOLVED && before <= ROUNDING && before <= used.residual {
        let (v, z) = problem.split(&wanted.w);
        return Ok((v, z, before, false));
    }
    if used.residual <= SOLVED {
        let (v, z) = problem.split(&used.w);
        if before > ROUNDING {
            remarks.push("velocities that are not given follow from the constraints with least kinetic energy".to_owned());
        }
        return Ok((v, z, before, false));
    }
    if wanted.residual > SOLVED {
        return Err(start_error(
            p,
            "the equations for the velocities contradict each other",
        ));
    }
    if p.model.initial.inconsistent != Some(Inconsistent::Project) {
        return Err(start_error(p, &missed(p, t, q, &v_wanted)));
    }
    let free: Vec<bool> = (0..n).map(|i| !p.model.initial.keep.contains(&i)).collect();
    match project_velocities(p, t, q, &v_wanted, &free) {
        Some(v) => {
            remarks.push(
                "the given velocities were moved to the nearest sheet of the constraints"
                    .to_owned(),
            );
            Ok((v, None, before, true))
        }
        None => Err(start_error(
            p,
            "no velocities nearby satisfy the constraints with those in `keep` untouched",
        )),
    }
}

/// Unknowns `w = (v, z)`; `z` only where an initial equation speaks of it.
struct VelocityProblem<'g> {
    t: f64,
    q: Vec<f64>,
    w: Vec<Ex<'g>>,
    n: usize,
    metric: Vec<f64>,
    linear: Vec<f64>,
    given_rows: Vec<Ex<'g>>,
    constraint_rows: Vec<Ex<'g>>,
}

impl<'g> VelocityProblem<'g> {
    fn new(p: &Prepared<'g>, t: f64, q: &[f64], given: &Given<'g>) -> Result<Self, Diagnostic> {
        let n = p.system.n();
        let mut given_rows = given.velocities.clone();
        let mut w = p.system.v.clone();
        if let Some(parametric) = &p.constraints.parametric {
            let spoken = |z: &Ex<'g>| given.velocities.iter().any(|row| row.depends_on(*z));
            if parametric.z.iter().any(spoken) {
                let rows = p.system.v.iter().zip(parametric.psi.entries());
                given_rows.extend(rows.map(|(v, psi)| *v - *psi));
                w.extend(&parametric.z);
            }
        }
        let zero = vec![0.0; n];
        let Some(at_rest) = p.measure(t, q, &zero) else {
            return Err(start_error(
                p,
                "the mechanics has no value at the given coordinates",
            ));
        };
        let mass = at_rest.table(function::MASS).values();
        let mut metric = vec![0.0; w.len() * w.len()];
        for i in 0..n {
            metric[i * w.len()..i * w.len() + n].copy_from_slice(&mass[i * n..(i + 1) * n]);
        }
        let mut linear = at_rest.table(function::MOMENTUM).values();
        linear.resize(w.len(), 0.0);
        let constraint_rows = velocity_rows(p);
        Ok(Self {
            t,
            q: q.to_vec(),
            w,
            n,
            metric,
            linear,
            given_rows,
            constraint_rows,
        })
    }

    /// Least kinetic energy subject to the rows, found from `start` on.
    fn solve(
        &self,
        p: &Prepared<'g>,
        rows: &[Ex<'g>],
        start: Vec<f64>,
    ) -> Result<Found, Diagnostic> {
        let goal = Goal {
            metric: self.metric.clone(),
            linear: self.linear.clone(),
            free: vec![true; self.w.len()],
            start,
        };
        let compiled = Rows::new(p, rows, &p.system.q, &self.w);
        let failed =
            |trouble: Trouble| start_error(p, &format!("the velocities have no value: {trouble}"));
        compiled.least(self.t, &self.q, &goal).map_err(failed)
    }

    fn split(&self, w: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
        let z = (w.len() > self.n).then(|| w[self.n..].to_vec());
        (w[..self.n].to_vec(), z)
    }
}

/// `phi` of every row that holds on velocity level, derivatives of holonomic ones included.
fn velocity_rows<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    p.constraints
        .rows
        .iter()
        .filter(|row| row.is_active())
        .filter_map(|row| row.phi)
        .collect()
}

fn mass_at(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Option<Vec<f64>> {
    let mass = p.measure(t, q, v)?.table(function::MASS).values();
    mass.iter().all(|x| x.is_finite()).then_some(mass)
}

/// The velocities nearest to `v` in the kinetic metric that satisfy the constraints.
fn project_velocities(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    free: &[bool],
) -> Option<Vec<f64>> {
    let metric = mass_at(p, t, q, v)?;
    let goal = Goal::nearest(metric, v.to_vec(), free.to_vec());
    let rows = Rows::new(p, &velocity_rows(p), &p.system.q, &p.system.v);
    let found = rows.least(t, q, &goal).ok()?;
    (found.residual <= SOLVED).then_some(found.w)
}

/// Coordinates and velocities near the given ones that satisfy the constraints, if any are found.
pub fn nearest_on_constraints(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = p.system.n();
    let holonomic: Vec<_> = p
        .constraints
        .holonomic()
        .filter_map(|row| row.position)
        .collect();
    let mut q = q.to_vec();
    if !holonomic.is_empty() {
        let goal = Goal::nearest(mass_at(p, t, &q, v)?, q, vec![true; n]);
        let found = Rows::new(p, &holonomic, &[], &p.system.q)
            .least(t, &[], &goal)
            .ok()?;
        if found.residual > SOLVED {
            return None;
        }
        q = found.w;
    }
    let v = project_velocities(p, t, &q, v, &vec![true; n])?;
    Some((q, v))
}

/// Parameters `z` with `psi(q, z, t) = v`, by Gauss and Newton's method: the branch of `near`
/// if that is given and leads anywhere, else the first found from scattered starts.
pub fn parameters_of(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    near: Option<&[f64]>,
) -> Option<Vec<f64>> {
    let m = p.constraints.parametric.as_ref()?.z.len();
    let size = v.iter().fold(1.0, |size: f64, v| size.max(v.abs()));
    let scattered_start = |trial: u32| -> Vec<f64> {
        let spread = if trial == 0 { 0.0 } else { size };
        (37 * trial..)
            .take(m)
            .map(|index| spread * scattered(index))
            .collect()
    };
    let starts = near
        .map(<[f64]>::to_vec)
        .into_iter()
        .chain((0..32).map(scattered_start));
    starts.filter_map(|z| gauss_newton(p, t, q, v, z)).next()
}

fn gauss_newton(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    mut z: Vec<f64>,
) -> Option<Vec<f64>> {
    let m = z.len();
    let miss = |z: &[f64]| -> Option<(Vec<f64>, f64)> {
        let psi = p.velocities(t, q, z)?;
        let rest: Vec<f64> = v.iter().zip(&psi).map(|(v, psi)| v - psi).collect();
        let norm = rest.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
        Some((rest, norm))
    };
    let (mut rest, mut norm) = miss(&z)?;
    for _ in 0..60 {
        let partial = p.measure_parametric(t, q, &z)?.table("psi_z").values();
        let columns = |i: usize, j: usize| {
            (0..v.len())
                .map(|l| partial[l * m + i] * partial[l * m + j])
                .sum()
        };
        let normal: Vec<f64> = (0..m * m)
            .map(|index| columns(index / m, index % m))
            .collect();
        let right: Vec<f64> = (0..m)
            .map(|i| (0..v.len()).map(|l| partial[l * m + i] * rest[l]).sum())
            .collect();
        let mut step = vec![0.0; m];
        linear::lu(
            m,
            &normal,
            &right,
            &mut step,
            &mut linear::Scratch::default(),
        )
        .ok()?;
        let better = (0..30).find_map(|halving| {
            let factor = 0.5f64.powi(halving);
            let trial: Vec<f64> = z.iter().zip(&step).map(|(z, dz)| z + factor * dz).collect();
            let (rest, reached) = miss(&trial)?;
            (reached < norm).then_some((trial, rest, reached))
        });
        let Some((trial, next, reached)) = better else {
            break;
        };
        (z, rest, norm) = (trial, next, reached);
    }
    let size = v.iter().fold(1.0, |size: f64, v| size.max(v.abs()));
    (norm <= 1e-12 * size).then_some(z)
}

/// Which rows the given state misses, and by how much.
fn missed(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> String {
    let Some(m) = p.measure(t, q, v) else {
        return "the constraints have no value there".to_owned();
    };
    let names = p
        .constraints
        .rows
        .iter()
        .filter(|row| row.is_active() && row.phi.is_some());
    let table = m.table(function::PHI);
    let missed = names
        .zip(&table.entries)
        .filter(|(_, x)| x.value.abs() > ROUNDING * x.size);
    let missed: Vec<String> = missed
        .map(|(row, x)| format!("`{}` is {:.6e} instead of 0", row.name, x.value))
        .collect();
    format!(
        "the given velocities do not satisfy the constraints: {}",
        missed.join(", ")
    )
}

fn start_error(p: &Prepared<'_>, what: &str) -> Diagnostic {
    Diagnostic::new(Code::InconsistentStart, "the initial state is inconsistent", p.model.initial.span, what)
        .note("remove an equation, or write `inconsistent = \"project\"` in [initial] to move the state to the nearest one that satisfies the constraints")
}

/// A state on the constraints that satisfies further equations, near a guess.
pub fn state_satisfying(
    p: &Prepared<'_>,
    t: f64,
    conditions: &[appell_model::Condition],
    q: &[f64],
    v: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let graph = p.system.graph;
    let n = p.system.n();
    let own = conditions
        .iter()
        .map(|condition| graph.ex(condition.difference));
    let holonomic = p.constraints.holonomic().filter_map(|row| row.position);
    // The constraints' own derivatives may vanish or fail there, so they come second.
    let equations: Vec<Ex<'_>> = own.chain(holonomic).collect();
    let unknowns: Vec<Ex<'_>> = p.system.q.iter().chain(&p.system.v).copied().collect();
    let goal = Goal::nearest(identity(2 * n), [q, v].concat(), vec![true; 2 * n]);
    let found = Rows::new(p, &equations, &[], &unknowns)
        .least(t, &[], &goal)
        .ok()?;
    if found.residual > SOLVED {
        return None;
    }
    let phi = p
        .measure(t, &found.w[..n], &found.w[n..])
        .map_or(f64::INFINITY, |m| scaled_residual(&m));
    if phi <= SOLVED {
        return Some((found.w[..n].to_vec(), found.w[n..].to_vec()));
    }
    let all = [equations, velocity_rows(p)].concat();
    let goal = Goal::nearest(identity(2 * n), found.w, vec![true; 2 * n]);
    let found = Rows::new(p, &all, &[], &unknowns)
        .least(t, &[], &goal)
        .ok()?;
    (found.residual <= SOLVED).then(|| (found.w[..n].to_vec(), found.w[n..].to_vec()))
}
