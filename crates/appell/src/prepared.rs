//! A model made ready for numbers: parameters evaluated, mechanics derived.

use crate::nearest::nearest_on_constraints;
use crate::start::start;
use appell_expr::{Ex, Program, Rational, Sketch};
use appell_flow::field::{Field, Workspace};
use appell_flow::{Interpreter, Measured, linear};
use appell_mech::{Carrier, Chart, Constraints, Metric, System, function, state_functions};
use appell_model::{Code, Diagnostic, Model};
use std::ops::Range;

/// A parameter's value from the command line instead of the file's.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The parameter.
    pub name: String,
    /// Its exact value.
    pub value: Rational,
}

/// A model with values for its parameters, its system and its constraints.
pub struct Prepared<'g> {
    /// The model.
    pub model: &'g Model,
    /// `M q'' = r`.
    pub system: System<'g>,
    /// `phi = 0`, `v = psi`.
    pub constraints: Constraints<'g>,
    /// The values of the parameters, in the file's order.
    pub parameters: Vec<f64>,
    /// The functions of [`function`] at `(t, (q, v))`.
    functions: Interpreter,
    /// `(psi, psi_z)` at `(t, (q, z))`.
    parametric: Option<Interpreter>,
}

/// A matrix of numbers with the sizes of their terms, row by row.
#[derive(Debug, Clone)]
pub struct Table {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The entries.
    pub entries: Vec<Measured>,
}

impl<'g> Prepared<'g> {
    /// Evaluates the parameters and derives the mechanics, without the constraints in `dropped`.
    ///
    /// # Errors
    /// An override of an unknown parameter, a value that is not finite or outside its limits, an
    /// unknown constraint.
    pub fn new(
        model: &'g Model,
        overrides: &[Override],
        dropped: &[String],
    ) -> Result<Self, Diagnostic> {
        let parameters = parameter_values(model, overrides)?;
        let mut system = System::new(model, Metric::Definite);
        let constraints = Constraints::new(&system, &indices_of(model, dropped)?);
        let functions = Self::compile_functions(&system, &constraints, &parameters);
        system.metric = generic_metric(&system, &functions);
        let parametric = compile_parametric(&system, &constraints, &parameters);
        let mut prepared = Self {
            model,
            system,
            constraints,
            parameters,
            functions,
            parametric,
        };
        prepared.constraints.chart = well_conditioned_chart(&prepared);
        Ok(prepared)
    }

    fn compile_functions(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        parameters: &[f64],
    ) -> Interpreter {
        let sketch = state_functions(system, constraints);
        let names: Vec<&str> = sketch
            .outputs()
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let program = program(system, &sketch, &names);
        Interpreter::new(program, parameters)
    }

    /// A program of `(t, (q, v), parameters)` as a field of `(t, (q, v))`.
    pub fn compile(&self, sketch: &Sketch<'g>, names: &[&str]) -> Interpreter {
        Interpreter::new(program(&self.system, sketch, names), &self.parameters)
    }

    /// All functions of [`function`] at a state; `None` where a solve or a value fails.
    pub fn measure(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Measurement<'_>> {
        let values = self.functions.measured(t, &[q, v].concat()).ok()?;
        Some(Measurement {
            program: self.functions.program(),
            values,
        })
    }

    /// `psi` and `psi_z` at `(t, q, z)`, if the model has them.
    pub fn measure_parametric(&self, t: f64, q: &[f64], z: &[f64]) -> Option<Measurement<'_>> {
        let parametric = self.parametric.as_ref()?;
        let values = parametric.measured(t, &[q, z].concat()).ok()?;
        Some(Measurement {
            program: parametric.program(),
            values,
        })
    }

    /// `q` with the velocities as a carrier takes them; `z` are the parameters if they are known.
    pub fn carrier_state(
        &self,
        carrier: Carrier,
        t: f64,
        q: &[f64],
        v: &[f64],
        z: Option<&[f64]>,
    ) -> Option<Vec<f64>> {
        let fibre = match carrier {
            Carrier::Velocities => v.to_vec(),
            Carrier::Parameters => z?.to_vec(),
            Carrier::Momenta => self.measure(t, q, v)?.table(function::MOMENTUM).values(),
        };
        Some([q, &fibre].concat())
    }

    /// `v = psi(q, z, t)`.
    pub fn velocities(&self, t: f64, q: &[f64], z: &[f64]) -> Option<Vec<f64>> {
        let psi = self.measure_parametric(t, q, z)?.table("psi");
        let values: Vec<f64> = psi.entries.iter().map(|x| x.value).collect();
        values.iter().all(|v| v.is_finite()).then_some(values)
    }
}

/// The outputs of one program at one state.
#[derive(Debug, Clone)]
pub struct Measurement<'p> {
    program: &'p Program,
    values: Vec<Measured>,
}

impl Measurement<'_> {
    /// The output of this name, which must be there.
    pub fn table(&self, name: &str) -> Table {
        let output = self
            .program
            .outputs
            .iter()
            .find(|output| output.name == name);
        let output = output.expect("the program was compiled with this output");
        let range: Range<usize> = self.program.range(name).unwrap_or_default();
        let entries = self.values[range].to_vec();
        Table {
            rows: output.rows,
            columns: output.columns,
            entries,
        }
    }
}

impl Table {
    /// The rank, entries below `1e-10` of their terms counting as zero; `None` if not finite.
    pub fn rank(&self) -> Option<usize> {
        let (values, sizes) = (self.values(), self.sizes());
        let finite = values.iter().chain(&sizes).all(|x| x.is_finite());
        finite.then(|| linear::rank(self.rows, self.columns, &values, &sizes))
    }

    /// `[self, other]`.
    pub fn beside(&self, other: &Self) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        for i in 0..self.rows {
            entries.extend_from_slice(&self.entries[i * self.columns..(i + 1) * self.columns]);
            entries.extend_from_slice(&other.entries[i * other.columns..(i + 1) * other.columns]);
        }
        Self {
            rows: self.rows,
            columns: self.columns + other.columns,
            entries,
        }
    }

    /// These columns only.
    pub fn columns_of(&self, columns: &[usize]) -> Self {
        let rows = self.entries.chunks(self.columns.max(1));
        let entries = rows
            .flat_map(|row| columns.iter().map(|j| row[*j]))
            .collect();
        Self {
            rows: self.rows,
            columns: columns.len(),
            entries,
        }
    }

    /// The entries' values.
    pub fn values(&self) -> Vec<f64> {
        self.entries.iter().map(|x| x.value).collect()
    }

    /// The sizes of the entries' terms.
    pub fn sizes(&self) -> Vec<f64> {
        self.entries.iter().map(|x| x.size).collect()
    }
}

fn program<'g>(system: &System<'g>, sketch: &Sketch<'g>, names: &[&str]) -> Program {
    let parameters = system
        .model
        .parameters
        .iter()
        .map(|p| system.graph.ex(p.symbol));
    let inputs: Vec<Ex<'g>> = [system.t]
        .into_iter()
        .chain(system.q.iter().copied())
        .chain(system.v.iter().copied())
        .chain(parameters)
        .collect();
    let compiled = sketch.program(&inputs, names);
    compiled.expect("functions of the state are made of t, q, v and parameters")
}

fn compile_parametric<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    parameters: &[f64],
) -> Option<Interpreter> {
    let parametric = constraints.parametric.as_ref()?;
    let mut sketch = Sketch::new(system.graph);
    sketch.output("psi", parametric.psi.clone());
    sketch.output("psi_z", parametric.partial.clone());
    let symbols = system
        .model
        .parameters
        .iter()
        .map(|p| system.graph.ex(p.symbol));
    let inputs: Vec<Ex<'g>> = [system.t]
        .into_iter()
        .chain(system.q.iter().copied())
        .chain(parametric.z.iter().copied())
        .chain(symbols)
        .collect();
    let program = sketch.program(&inputs, &["psi", "psi_z"]);
    let program = program.expect("psi is made of t, q, z and parameters");
    Some(Interpreter::new(program, parameters))
}

/// The indices of constraints given by name.
fn indices_of(model: &Model, names: &[String]) -> Result<Vec<usize>, Diagnostic> {
    let known = || {
        model
            .constraints
            .iter()
            .map(|c| c.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let index = |name: &String| {
        model
            .constraints
            .iter()
            .position(|c| c.name == *name)
            .ok_or_else(|| {
                let message = format!("unknown constraint `{name}`");
                Diagnostic::new(Code::UnknownName, message, Default::default(), "")
                    .note(format!("known: {}", known()))
            })
    };
    names.iter().map(index).collect()
}

/// The values of the parameters, the overrides in place of the file's.
fn parameter_values(model: &Model, overrides: &[Override]) -> Result<Vec<f64>, Diagnostic> {
    let graph = &model.graph;
    let known = || {
        model
            .parameters
            .iter()
            .map(|p| p.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    for wanted in overrides {
        if model.parameters.iter().all(|p| p.name != wanted.name) {
            let message = format!("unknown parameter `{}`", wanted.name);
            let label = "asked for on the command line";
            let diagnostic = Diagnostic::new(Code::UnknownName, message, Default::default(), label);
            return Err(diagnostic.note(format!("known: {}", known())));
        }
    }
    let given: Vec<(Ex<'_>, Ex<'_>)> = model
        .parameters
        .iter()
        .map(|p| {
            let instead = overrides.iter().rev().find(|o| o.name == p.name);
            let value = instead.map_or(graph.ex(p.value), |o| graph.number(o.value.clone()));
            (graph.ex(p.symbol), value)
        })
        .collect();
    model
        .parameters
        .iter()
        .map(|p| {
            let value = closed_value(model, &given, graph.ex(p.symbol));
            let bound = |limit: Option<appell_expr::Id>, none: f64| {
                limit.map_or(none, |limit| closed_value(model, &given, graph.ex(limit)))
            };
            let (min, max) = (bound(p.min, f64::NEG_INFINITY), bound(p.max, f64::INFINITY));
            if !value.is_finite() {
                let message = format!("parameter `{}` is not a finite number", p.name);
                return Err(Diagnostic::new(
                    Code::NotFinite,
                    message,
                    p.span,
                    "its value",
                ));
            }
            if value < min || value > max {
                let message = format!(
                    "parameter `{}` = {value} is not between {min} and {max}",
                    p.name
                );
                return Err(Diagnostic::new(
                    Code::OutsideLimits,
                    message,
                    p.span,
                    "declared here",
                ));
            }
            Ok(value)
        })
        .collect()
}

/// The value of an expression in parameters; NaN if it speaks of anything else.
fn closed_value<'g>(model: &'g Model, given: &[(Ex<'g>, Ex<'g>)], x: Ex<'g>) -> f64 {
    let mut closed = x;
    // Definitions are acyclic, so this ends after at most as many rounds as there are parameters.
    for _ in given {
        if closed.symbols().is_empty() {
            break;
        }
        closed = closed.substitute(given);
    }
    let mut sketch = Sketch::new(&model.graph);
    sketch.output_list("value", &[closed]);
    let Ok(program) = sketch.program(&[model.graph.ex(model.time)], &["value"]) else {
        return f64::NAN;
    };
    let interpreter = Interpreter::new(program, &[]);
    interpreter
        .results(f64::NAN, &[])
        .map_or(f64::NAN, |values| values[0])
}

impl Prepared<'_> {
    /// The value of an expression in parameters, such as `until`.
    pub fn constant(&self, x: appell_expr::Id) -> f64 {
        let graph = &self.model.graph;
        let mut sketch = Sketch::new(graph);
        sketch.output_list("value", &[graph.ex(x)]);
        let field = self.compile(&sketch, &["value"]);
        let nothing = vec![f64::NAN; field.inputs()];
        field
            .results(f64::NAN, &nothing)
            .map_or(f64::NAN, |values| values[0])
    }
}

/// What is known of `M`: looked up at scattered states, since it may depend on them.
///
/// One regular state decides: elsewhere `M` may drop in rank, which is a bad chart there.
fn generic_metric(system: &System<'_>, functions: &Interpreter) -> Metric {
    let n = system.n();
    let mut verdicts = Vec::new();
    let mut workspace = Workspace::default();
    let range = functions
        .program()
        .range(function::MASS)
        .unwrap_or_default();
    let mut out = vec![0.0; functions.outputs()];
    for sample in 0..12u32 {
        let y: Vec<f64> = (0..2 * n as u32)
            .map(|i| scattered(sample * 64 + i))
            .collect();
        let t = 0.5 + scattered(7919 + sample).abs();
        if functions.eval(&mut workspace, t, &y, &mut out).is_err() {
            continue;
        }
        let mass = &out[range.clone()];
        if mass.iter().all(|x| x.is_finite()) {
            verdicts.push(linear::inertia(n, mass));
        }
    }
    let regular = || verdicts.iter().filter(|inertia| inertia.zero == 0);
    if n > 0 && regular().next().is_none() && !verdicts.is_empty() {
        return Metric::Singular;
    }
    if regular().all(|inertia| inertia.negative == 0) {
        Metric::Definite
    } else {
        Metric::Indefinite
    }
}

/// The user's independent velocities on independent rows, or ones chosen by the conditioning of
/// `A` at the start, or elsewhere on the constraint where the start is singular.
fn well_conditioned_chart(p: &Prepared<'_>) -> Option<Chart> {
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
    // The first of the states with the largest rank.
    charts.reduce(|best, next| {
        if next.rows.len() > best.rows.len() {
            next
        } else {
            best
        }
    })
}

/// The chart with dependent velocities out of `candidates` that is well conditioned at a state.
pub(crate) fn chart_at(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
    candidates: &[usize],
) -> Option<Chart> {
    let a = p
        .measure(t, q, v)?
        .table(function::A)
        .columns_of(candidates);
    a.rank()?;
    let pivots = linear::pivots(a.rows, a.columns, &a.values(), &a.sizes());
    let mut rows: Vec<usize> = pivots.iter().map(|(row, _)| *row).collect();
    rows.sort_unstable();
    let dependent: Vec<usize> = pivots
        .iter()
        .map(|(_, column)| candidates[*column])
        .collect();
    let n = p.system.n();
    let independent: Vec<usize> = (0..n).filter(|i| !dependent.contains(i)).collect();
    Some(Chart::new(n, &independent, rows))
}

/// A time, coordinates and velocities without pattern.
pub(crate) fn scattered_state(p: &Prepared<'_>, sample: u32) -> (f64, Vec<f64>, Vec<f64>) {
    let n = p.system.n();
    let t = 1.0 + 0.3 * f64::from(sample);
    let numbers = |shift: u32| (163 * sample + shift..).take(n).map(scattered).collect();
    (t, numbers(11), numbers(71))
}

/// The state on the constraints nearest to a scattered one, if one is found.
pub(crate) fn scattered_constrained_state(
    p: &Prepared<'_>,
    sample: u32,
) -> Option<(f64, Vec<f64>, Vec<f64>)> {
    let (t, q, v) = scattered_state(p, sample);
    let (q, v) = nearest_on_constraints(p, t, &q, &v)?;
    Some((t, q, v))
}

/// Numbers between -2 and 2 without pattern, the same every time.
pub(crate) fn scattered(index: u32) -> f64 {
    let golden = 0.618_033_988_749_894_9;
    let phase = (f64::from(index) + 0.5) * golden;
    let spread = (phase.fract() * 43.758_5).sin();
    2.0 * spread
}
