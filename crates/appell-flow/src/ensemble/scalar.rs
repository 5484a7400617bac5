//! One member as a single motion.

use super::{EnsembleConfig, EnsembleProgram, Magnitudes};
use crate::backend::{AUTO, Compiled};
use crate::evaluation::{EvalError, Workspace};
use crate::field::Field;
use crate::integrate::integrate;
use crate::interp::TermSizes;
use crate::method::Method;
use crate::motion::{Control, MonitoredRows, Motion, Options, Stage, Stop};
use crate::tape::Tape;
use crate::trajectory::Trajectory;
use crate::unsupported::Unsupported;

/// The fields of a motion, still functions of the parameters that differ.
pub(super) struct ScalarMotion<'a> {
    program: &'a EnsembleProgram,
    options: &'a Options,
    method: &'static Method,
    /// The right-hand side; of each stage residual, magnitudes, Jacobian, metric; the stops; of the rank monitor
    /// Jacobian and metric.
    fields: Vec<Box<dyn Field + 'a>>,
}

/// A field with values for the parameters that differ.
struct Pinned<'a> {
    field: &'a dyn Field,
    parameters: &'a [f64],
}

impl Field for Pinned<'_> {
    fn inputs(&self) -> usize {
        self.field.inputs() - self.parameters.len()
    }

    fn outputs(&self) -> usize {
        self.field.outputs()
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        if self.parameters.is_empty() {
            return self.field.eval(workspace, t, y, out);
        }
        let all = [&y[..self.inputs()], self.parameters].concat();
        self.field.eval(workspace, t, &all, out)
    }
}

impl<'a> ScalarMotion<'a> {
    pub fn new(
        program: &'a EnsembleProgram,
        config: &EnsembleConfig,
        options: &'a Options,
    ) -> Result<ScalarMotion<'a>, Unsupported> {
        // What is run alone seldom is compiled only when it turns out to be run often.
        let compiled = |tape: &Tape| -> Result<Box<dyn Field + 'a>, Unsupported> {
            Ok(Box::new(Compiled::new(tape.clone(), &AUTO)?))
        };
        let mut fields = vec![compiled(&program.rate)?];
        for stage in &program.stages {
            fields.push(compiled(&stage.residual)?);
            fields.push(match &stage.magnitudes {
                Magnitudes::Tape(tape) => compiled(tape)?,
                Magnitudes::Program(program) => Box::new(TermSizes(program.clone())),
            });
            fields.push(compiled(&stage.jacobian)?);
            fields.push(compiled(&stage.metric)?);
        }
        for stop in &program.stops {
            fields.push(compiled(&stop.gap)?);
        }
        if let Some(monitored) = &program.monitored {
            fields.push(compiled(&monitored.jacobian)?);
            fields.push(compiled(&monitored.metric)?);
        }
        Ok(ScalarMotion {
            program,
            options,
            method: config.method,
            fields,
        })
    }

    /// The motion of a member.
    pub fn run(&self, t: f64, y: &[f64], p: &[f64], control: &mut Control<'_>) -> Trajectory {
        let pinned: Vec<Pinned<'_>> = self
            .fields
            .iter()
            .map(|field| Pinned {
                field: &**field,
                parameters: p,
            })
            .collect();
        let (rate, rest) = pinned.split_at(1);
        let (stages, rest) = rest.split_at(4 * self.program.stages.len());
        let (stops, monitored) = rest.split_at(self.program.stops.len());
        let motion = Motion {
            names: &self.program.names,
            field: &rate[0],
            stages: self
                .program
                .stages
                .iter()
                .zip(stages.chunks_exact(4))
                .map(|(stage, fields)| Stage {
                    moved: stage.moved.clone(),
                    residual: &fields[0],
                    magnitudes: &fields[1],
                    jacobian: &fields[2],
                    metric: &fields[3],
                    rank: None,
                })
                .collect(),
            energy: None,
            velocities: None,
            leave: None,
            stops: self
                .program
                .stops
                .iter()
                .zip(stops)
                .map(|(stop, gap)| Stop {
                    gap,
                    crossing: stop.crossing,
                    text: stop.text.clone(),
                })
                .collect(),
            monitored: self
                .program
                .monitored
                .as_ref()
                .zip(monitored.split_first_chunk::<2>())
                .map(|(monitored, ([jacobian, metric], _))| MonitoredRows {
                    jacobian,
                    metric,
                    rows: monitored.rows,
                    rank: monitored.rank,
                }),
        };
        integrate(&motion, self.method, t, y, self.options, control)
    }
}
