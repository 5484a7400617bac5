//! The functions of a motion whose parameters may differ from member to member.

use super::claims::MemberClaim;
use crate::motion::along::Layout;
use crate::motion::ensemble::refused;
use crate::motion::tangent_flow::jumps;
use crate::states::ranks::set_position_rank;
use crate::values::derived::fields::{Wanted, described};
use crate::values::narrow::narrow_functions;
use crate::values::outputs::{claim_output, claim_terms, claim_terms_output, domain_output};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix, SolveKind, Unbound};
use appell_flow::backend::AUTO;
use appell_flow::ensemble::EnsembleProgram;
use appell_flow::{Direction, Field, Interpreter, Motion, Stage, Tangents, Tape};
use appell_mech::{Equations, Metric, function, output};
use appell_model::Diagnostic;

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

    fn program(&self, names: &[&str]) -> Result<Interpreter, Diagnostic> {
        let program = self.equations.program_from(&self.inputs, names);
        let program = program.map_err(|Unbound(name)| {
            let id = self.equations.formalism.id;
            refused(format!("`{name}` has no value in the formalism `{id}`"))
        })?;
        Ok(Interpreter::new(program, &self.fixed))
    }

    fn tape(&self, name: &str) -> Result<Tape, Diagnostic> {
        let program = self.program(&[name])?;
        Ok(Tape::new(program.program(), &self.fixed))
    }

    /// What is run alone seldom is compiled only when it turns out to be run often.
    fn field(&self, wanted: &Wanted) -> Result<Box<dyn Field>, Diagnostic> {
        wanted.field(&AUTO, |names| Ok(Box::new(self.program(names)?)))
    }
}

/// The name of an output that only ensembles have.
const ROWS: &str = "A and A M^-1";

/// Writes the functions; `names` are those of the state, `varied` the places of the parameters that differ,
/// `rank` the regular rank of the constraints where it is known.
pub(super) fn program<'n, 'g>(
    p: &Prepared<'g>,
    equations: &mut Equations<'g>,
    names: &'n [String],
    varied: &[usize],
    rank: Option<usize>,
) -> Result<EnsembleProgram<'n>, Diagnostic> {
    let mut motion = described(equations, &p.system, &p.constraints, names, rank);
    set_position_rank(p, &mut motion, rank);
    // Ensembles keep no account of the energy.
    motion.field = Wanted::Values(vec![output::RATE.to_owned()]);
    motion.energy = None;
    // Members with these run alone; a step of the force an error estimate sees.
    let is_local = narrow_functions(p.model, equations)
        .iter()
        .any(|function| function.is_local);
    motion.narrow = motion.narrow.filter(|_| is_local);
    motion.peaks = motion.peaks.filter(|_| is_local);
    let stages = motion.stages.iter();
    let corrections: Vec<String> = stages.map(|stage| correction(equations, stage)).collect();
    // Whether parameters alone are singular is seen of single motions only.
    motion.monitored = motion.monitored.filter(|_| p.constraints.k() > 0);
    let definite = motion.monitored.is_some() && p.system.metric == Metric::Definite;
    if definite {
        write_rows(equations);
    }
    let source = Source::new(p, equations, varied);
    let corrections = corrections.iter().map(|name| source.tape(name));
    Ok(EnsembleProgram {
        motion: motion.try_map(|wanted| source.field(wanted))?,
        parameters: varied.len(),
        corrections: corrections.collect::<Result<_, _>>()?,
        rows: definite.then(|| source.tape(ROWS)).transpose()?,
    })
}

/// A claim with its domain, as functions of `(t, y, p)`; `accuracy` that of the motions.
pub(super) fn claim<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    varied: &[usize],
    index: usize,
    tolerances: (f64, f64),
) -> Result<MemberClaim, Diagnostic> {
    let claim = p.model.claims[index].clone();
    let mut names = vec![claim_output(index), domain_output(index)];
    let mut sums = Vec::new();
    if claim.tolerance.is_some() {
        names.push(claim_terms_output(index));
        sums = claim_terms(p.system.graph, &claim);
    }
    let source = Source::new(p, equations, varied);
    let outputs: Vec<&str> = names.iter().map(String::as_str).collect();
    let program = source.program(&outputs)?;
    let range = |output: &str| program.program().range(output).unwrap_or_default();
    let first = range(&claim_terms_output(index)).start;
    Ok(MemberClaim {
        layout: Layout::new(range(&names[0]).end, first, &sums),
        values: source.field(&Wanted::Values(names.clone()))?,
        sizes: source.field(&Wanted::Sizes(names))?,
        tolerances,
        claim,
    })
}

/// The motion of the state with so many deviations behind it, the parameters that differ at the end.
pub(super) fn with_deviations<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    varied: &[usize],
    count: usize,
    rank: Option<usize>,
) -> Result<Motion<'static, Box<dyn Field>>, Diagnostic> {
    let mut motion = described(equations, &p.system, &p.constraints, &[], rank);
    motion.field = Wanted::Values(vec![output::RATE.to_owned()]);
    motion.energy = None;
    let source = Source::new(p, equations, varied);
    let mut motion = motion.try_map(|wanted| source.field(wanted))?;
    let rate = source.program(&[output::RATE])?;
    let directions = vec![Direction::of_state(source.fixed.len()); count];
    let fixed = rate.parameters();
    let made = Tangents::beside(rate.program(), fixed, &directions, varied.len(), &AUTO);
    motion.field = Box::new(made.map_err(|why| refused(why.0))?);
    motion.velocities = None;
    let stops = jumps(&rate).map_err(|why| refused(why.to_string()))?;
    motion.stops.extend(stops);
    Ok(motion)
}

/// An output as a function of `(t, y, p)`, where the equations have it.
pub(super) fn field<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    varied: &[usize],
    name: &str,
) -> Result<Option<Box<dyn Field>>, Diagnostic> {
    if equations.sketch.get(name).is_none() {
        return Ok(None);
    }
    let wanted = Wanted::Values(vec![name.to_owned()]);
    Source::new(p, equations, varied).field(&wanted).map(Some)
}

/// Writes `dw` of `[W, J^T; J, 0] (dw, mu) = (0, -c)`, as a single motion is projected, and gives its name.
fn correction(equations: &mut Equations<'_>, stage: &Stage<Wanted>) -> String {
    let names = [&stage.residual, &stage.jacobian, &stage.metric].map(|wanted| wanted.names()[0]);
    let correction = format!("{} correction", names[0]);
    let [Some(c), Some(jacobian), Some(metric)] =
        names.map(|name| equations.sketch.get(name).cloned())
    else {
        return correction;
    };
    let graph = equations.sketch.graph();
    let (rows, n) = (jacobian.rows(), jacobian.columns());
    let below = jacobian.beside(&Matrix::zero(graph, rows, rows));
    let saddle = metric.beside(&jacobian.transpose()).above(&below);
    let right = Matrix::zero(graph, n, 1).above(&-&c);
    let sketch = &mut equations.sketch;
    let solution = sketch.solve(SolveKind::Symmetric, &correction, &saddle, &right);
    let moves: Vec<usize> = (0..n).collect();
    sketch.output(&correction, solution.select_rows(&moves));
    correction
}

/// `A` above `(M^-1 A^T)^T` for a definite `M`.
fn write_rows(equations: &mut Equations<'_>) {
    let names = [function::A, function::MASS];
    let [Some(a), Some(mass)] = names.map(|name| equations.sketch.get(name).cloned()) else {
        return;
    };
    let sketch = &mut equations.sketch;
    let kind = SolveKind::PositiveDefinite;
    let raised = sketch.solve(kind, "monitored", &mass, &a.transpose());
    sketch.output(ROWS, a.above(&raised.transpose()));
}
