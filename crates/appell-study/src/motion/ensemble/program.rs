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

/// The equations with the parameters that differ as inputs after the state.
struct Source<'a, 'g> {
    equations: &'a Equations<'g>,
    inputs: Vec<Ex<'g>>,
    /// The values of the last inputs.
    fixed: Vec<f64>,
}

impl Source<'_, '_> {
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
const CORRECTIONS: [&str; 2] = ["position correction", "velocity correction"];
const GRAM: &str = "A M^-1 A^T";

/// Writes the tapes; `varied` are the places of the parameters that differ, `rank` the regular rank of the
/// constraints where it is known.
pub(super) fn program<'g>(
    p: &Prepared<'g>,
    equations: &mut Equations<'g>,
    varied: &[usize],
    rank: Option<usize>,
) -> Result<EnsembleProgram, Diagnostic> {
    let n = p.system.n();
    let (by_fibre, fibre_metric) = match equations.carrier {
        Carrier::Momenta => (output::PHI_P, output::H_PP),
        Carrier::Velocities | Carrier::Parameters => (function::PHI_V, function::MASS),
    };
    // Of each stage what moves, and residual, Jacobian, metric.
    let mut stages = Vec::new();
    if p.constraints.holonomic().next().is_some() {
        let names = [function::POSITION, function::POSITION_Q, function::MASS];
        stages.push((0..n, names));
    }
    let rows = |equations: &Equations<'_>, name: &str| {
        equations.sketch.get(name).map_or(0, |matrix| matrix.rows())
    };
    if equations.carrier != Carrier::Parameters && rows(equations, function::PHI) > 0 {
        stages.push((n..2 * n, [function::PHI, by_fibre, fibre_metric]));
    }
    for ((_, names), correction) in stages.iter().zip(CORRECTIONS) {
        write_correction(equations, *names, correction);
    }
    let k = p.constraints.k();
    let definite = k > 0 && p.system.metric == Metric::Definite;
    if definite {
        write_gram(equations);
    }
    let is_varied = |i: &usize| varied.contains(i);
    let symbols = |indices: &mut dyn Iterator<Item = usize>| -> Vec<Ex<'g>> {
        indices.map(|i| equations.parameters[i]).collect()
    };
    let fixed = || (0..p.parameters.len()).filter(|i| !is_varied(i));
    let source = Source {
        inputs: [
            vec![equations.t],
            equations.state.clone(),
            symbols(&mut varied.iter().copied()),
            symbols(&mut fixed()),
        ]
        .concat(),
        fixed: fixed().map(|i| p.parameters[i]).collect(),
        equations,
    };
    let stage = |((moved, [residual, jacobian, metric]), correction): ((_, [&str; 3]), &str)| {
        Ok(StageProgram {
            moved,
            residual: source.tape(residual)?,
            magnitudes: source.magnitudes(residual)?,
            jacobian: source.tape(jacobian)?,
            metric: source.tape(metric)?,
            correction: source.tape(correction)?,
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
        stages: stages
            .into_iter()
            .zip(CORRECTIONS)
            .map(stage)
            .collect::<Result<_, Diagnostic>>()?,
        stops: stops.map(stop).collect::<Result<_, Diagnostic>>()?,
        monitored,
    })
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
