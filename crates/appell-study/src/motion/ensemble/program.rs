//! The tapes of a motion whose parameters may differ from member to member.

use crate::motion::ensemble::refused;
use crate::values::derived::fields::crossing;
use crate::values::outputs::stop_output;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix, Program, SolveKind, Unbound};
use appell_flow::ensemble::{
    EnsembleProgram, Magnitudes, MonitoredRowsProgram, StageProgram, StopProgram,
};
use appell_flow::{Interpreter, Tape};
use appell_mech::{Carrier, Equations, Metric, function, output};
use appell_model::Diagnostic;
use std::ops::Range;

/// The equations with the parameters that differ as inputs after the state.
struct Source<'a, 'g> {
    equations: &'a Equations<'g>,
    inputs: Vec<Ex<'g>>,
    /// The values of the last inputs.
    fixed: Vec<f64>,
}

impl<'a, 'g> Source<'a, 'g> {
    fn new(p: &Prepared<'g>, equations: &'a Equations<'g>, varied: &[usize]) -> Self {
        let fixed = || (0..p.parameters.len()).filter(|i| !varied.contains(i));
        let places = varied.iter().copied().chain(fixed());
        let state = equations.state.iter().copied();
        let inputs = [equations.t].into_iter().chain(state);
        Self {
            inputs: inputs
                .chain(places.map(|i| equations.parameters[i]))
                .collect(),
            fixed: fixed().map(|i| p.parameters[i]).collect(),
            equations,
        }
    }

    fn program(&self, name: &str) -> Result<Program, Diagnostic> {
        let program = self.equations.sketch.program(&self.inputs, &[name]);
        program.map_err(|Unbound(name)| {
            let id = self.equations.formalism.id;
            refused(format!("`{name}` has no value in the formalism `{id}`"))
        })
    }

    fn tape(&self, name: &str) -> Result<Tape, Diagnostic> {
        Ok(Tape::new(&self.program(name)?, &self.fixed))
    }

    fn magnitudes(&self, name: &str) -> Result<Magnitudes, Diagnostic> {
        let program = self.program(name)?;
        Ok(match Tape::of_sizes(&program, &self.fixed) {
            Some(tape) => Magnitudes::Tape(tape),
            None => Magnitudes::Program(Interpreter::new(program, &self.fixed)),
        })
    }
}

/// Names of the outputs that only ensembles have.
const POSITION_CORRECTION: &str = "position correction";
const VELOCITY_CORRECTION: &str = "velocity correction";
const GRAM: &str = "A M^-1 A^T";

/// Writes the tapes; `varied` are the places of the parameters that differ, `rank` the regular rank of the
/// constraints where it is known.
pub(super) fn program<'g>(
    p: &Prepared<'g>,
    equations: &mut Equations<'g>,
    varied: &[usize],
    rank: Option<usize>,
) -> Result<EnsembleProgram, Diagnostic> {
    let restored = restored(p, equations);
    for stage in &restored {
        write_correction(
            equations,
            [stage.residual, stage.jacobian, stage.metric],
            stage.correction,
        );
    }
    let k = p.constraints.k();
    let definite = k > 0 && p.system.metric == Metric::Definite;
    if definite {
        write_gram(equations);
    }
    let source = Source::new(p, equations, varied);
    let stage = |stage: Restored| {
        Ok(StageProgram {
            residual: source.tape(stage.residual)?,
            magnitudes: source.magnitudes(stage.residual)?,
            jacobian: source.tape(stage.jacobian)?,
            metric: source.tape(stage.metric)?,
            correction: source.tape(stage.correction)?,
            moved: stage.moved,
        })
    };
    let stop = |(index, condition): (usize, &appell_model::Condition)| {
        Ok(StopProgram {
            gap: source.tape(&stop_output(index))?,
            crossing: crossing(condition),
            text: condition.text.clone(),
        })
    };
    let monitored = match k {
        0 => None,
        rows => Some(MonitoredRowsProgram {
            jacobian: source.tape(function::A)?,
            metric: source.tape(function::MASS)?,
            rows,
            rank,
            gram: definite.then(|| source.tape(GRAM)).transpose()?,
        }),
    };
    let stops = p.model.simulate.stop.iter().enumerate();
    Ok(EnsembleProgram {
        names: source.equations.input_names(),
        parameters: varied.len(),
        rate: source.tape(output::RATE)?,
        stages: restored
            .into_iter()
            .map(stage)
            .collect::<Result<_, Diagnostic>>()?,
        stops: stops.map(stop).collect::<Result<_, Diagnostic>>()?,
        monitored,
    })
}

/// Equations that are restored after a step: which components move, and the names of the outputs.
struct Restored {
    moved: Range<usize>,
    residual: &'static str,
    jacobian: &'static str,
    metric: &'static str,
    correction: &'static str,
}

/// Positions first, then velocities or momenta.
fn restored(p: &Prepared<'_>, equations: &Equations<'_>) -> Vec<Restored> {
    let n = p.system.n();
    let positions = Restored {
        moved: 0..n,
        residual: function::POSITION,
        jacobian: function::POSITION_Q,
        metric: function::MASS,
        correction: POSITION_CORRECTION,
    };
    let (jacobian, metric) = match equations.carrier {
        Carrier::Momenta => (output::PHI_P, output::H_PP),
        Carrier::Velocities | Carrier::Parameters => (function::PHI_V, function::MASS),
    };
    let velocities = Restored {
        moved: n..2 * n,
        residual: function::PHI,
        jacobian,
        metric,
        correction: VELOCITY_CORRECTION,
    };
    let rows = equations
        .sketch
        .get(function::PHI)
        .map_or(0, |phi| phi.rows());
    let holonomic = p.constraints.holonomic().next().map(|_| positions);
    let free = equations.carrier != Carrier::Parameters && rows > 0;
    holonomic
        .into_iter()
        .chain(free.then_some(velocities))
        .collect()
}

/// `dw` of `[W, J^T; J, 0] (dw, mu) = (0, -c)`, as a single motion is projected.
fn write_correction(equations: &mut Equations<'_>, names: [&str; 3], correction: &str) {
    let [Some(c), Some(jacobian), Some(metric)] =
        names.map(|name| equations.sketch.get(name).cloned())
    else {
        return;
    };
    let graph = equations.sketch.graph();
    let (rows, n) = (jacobian.rows(), jacobian.columns());
    let below = jacobian.beside(&Matrix::zero(graph, rows, rows));
    let saddle = metric.beside(&jacobian.transpose()).above(&below);
    let right = Matrix::zero(graph, n, 1).above(&-&c);
    let sketch = &mut equations.sketch;
    let solution = sketch.solve(SolveKind::Symmetric, correction, &saddle, &right);
    let moves: Vec<usize> = (0..n).collect();
    sketch.output(correction, solution.select_rows(&moves));
}

/// `A M^-1 A^T` for a definite `M`.
fn write_gram(equations: &mut Equations<'_>) {
    let names = [function::A, function::MASS];
    let [Some(a), Some(mass)] = names.map(|name| equations.sketch.get(name).cloned()) else {
        return;
    };
    let sketch = &mut equations.sketch;
    let kind = SolveKind::PositiveDefinite;
    let raised = sketch.solve(kind, "monitored", &mass, &a.transpose());
    sketch.output(GRAM, &a * &raised);
}
