//! The compiled functions of a motion: all that the integrator sees of the mechanics.

use super::Derived;
use crate::values::outputs::stop_output;
use appell_expr::{Relation, Unbound};
use appell_flow::{
    Backend, Compiled, Crossing, Field, Interpreter, MonitoredRows, Motion, Stage, Stop, Tape,
    TermSizes, Velocities,
};
use appell_mech::{Carrier, Constraints, System, function, output, rate_on_constraints};
use appell_model::{Code, Condition, Diagnostic};
use std::rc::Rc;

/// Compiles outputs; an expression about something unavailable is the user's error.
pub(crate) fn fields_of(
    equations: &Derived<'_>,
    names: &[&str],
) -> Result<Rc<Interpreter>, Diagnostic> {
    match equations.interpreter(names) {
        Ok(field) => Ok(field),
        Err(Unbound(name)) => {
            let message = format!(
                "`{name}` has no value in the formalism `{}`",
                equations.formalism.id
            );
            let diagnostic = Diagnostic::new(Code::NotAllowed, message, Default::default(), "");
            let reasons = equations.unavailable.iter().map(|(_, why)| why.to_string());
            Err(reasons.fold(diagnostic, Diagnostic::note))
        }
    }
}

/// An interpreted field as a backend runs it.
pub(crate) fn compiled(field: &Interpreter, backend: &Backend) -> Result<Compiled, Diagnostic> {
    ready(Tape::new(field.program(), field.parameters()), backend)
}

fn ready(tape: Tape, backend: &Backend) -> Result<Compiled, Diagnostic> {
    Compiled::new(tape, backend).map_err(|why| {
        let message = format!("the backend `{}` cannot be used here: {why}", backend.id);
        Diagnostic::new(Code::NotAllowed, message, Default::default(), "")
    })
}

/// The sizes of the terms of a field, compiled where it solves no linear system.
pub(crate) fn sizes(field: &Interpreter, backend: &Backend) -> Result<Box<dyn Field>, Diagnostic> {
    Ok(match Tape::of_sizes(field.program(), field.parameters()) {
        Some(tape) => Box::new(ready(tape, backend)?),
        None => Box::new(TermSizes(field.clone())),
    })
}

/// The compiled functions of a motion.
pub struct Fields {
    rate: Compiled,
    energy: Compiled,
    position: Compiled,
    position_sizes: Box<dyn Field>,
    position_jacobian: Compiled,
    phi: Compiled,
    phi_sizes: Box<dyn Field>,
    phi_jacobian: Compiled,
    mass: Compiled,
    /// What measures changes of the carrier's coordinates: `M`, of momenta `M^-1`.
    fibre_metric: Compiled,
    a: Compiled,
    /// One for each stop condition of the file.
    stops: Vec<Compiled>,
    carrier: Carrier,
    rows: usize,
}

impl Fields {
    /// Compiles the equations.
    ///
    /// # Errors
    /// An expression that speaks of something unavailable; a backend that this machine does not have.
    pub fn new(
        equations: &Derived<'_>,
        system: &System<'_>,
        constraints: &Constraints<'_>,
        backend: &Backend,
    ) -> Result<Self, Diagnostic> {
        let rate = fields_of(equations, &[output::RATE, output::WORK])?;
        Self::with_rate(equations, system, constraints, &rate, backend)
    }

    /// The same for a form in independent velocities: beside the constraints its field is that on them.
    ///
    /// # Errors
    /// As for [`Fields::new`].
    pub fn in_chart(
        equations: &Derived<'_>,
        system: &System<'_>,
        constraints: &Constraints<'_>,
        backend: &Backend,
    ) -> Result<Self, Diagnostic> {
        match rate_on_constraints(system, constraints, equations) {
            Some(Ok(program)) => {
                let rate = Interpreter::new(program, &equations.parameters);
                Self::with_rate(equations, system, constraints, &rate, backend)
            }
            _ => Self::new(equations, system, constraints, backend),
        }
    }

    fn with_rate(
        equations: &Derived<'_>,
        system: &System<'_>,
        constraints: &Constraints<'_>,
        rate: &Interpreter,
        backend: &Backend,
    ) -> Result<Self, Diagnostic> {
        let program = |names: &[&str]| fields_of(equations, names);
        let compile = |names: &[&str]| compiled(&*program(names)?, backend);
        let (by_fibre, fibre_metric) = match equations.carrier {
            Carrier::Momenta => (output::PHI_P, output::H_PP),
            Carrier::Velocities | Carrier::Parameters => (function::PHI_V, function::MASS),
        };
        Ok(Self {
            rate: compiled(rate, backend)?,
            energy: compile(&[output::ENERGY])?,
            position: compile(&[function::POSITION])?,
            position_sizes: sizes(&*program(&[function::POSITION])?, backend)?,
            position_jacobian: compile(&[function::POSITION_Q])?,
            phi: compile(&[function::PHI])?,
            phi_sizes: sizes(&*program(&[function::PHI])?, backend)?,
            phi_jacobian: compile(&[by_fibre])?,
            mass: compile(&[function::MASS])?,
            fibre_metric: compile(&[fibre_metric])?,
            a: compile(&[function::A])?,
            stops: (0..system.model.simulate.stop.len())
                .map(|index| compile(&[&stop_output(index)]))
                .collect::<Result<_, _>>()?,
            carrier: equations.carrier,
            rows: constraints.k(),
        })
    }

    /// The motion with its manifold, stops and rank monitor; `rank` is the regular rank if it is known.
    pub fn motion<'a>(
        &'a self,
        system: &'a System<'_>,
        constraints: &Constraints<'_>,
        names: &'a [String],
        rank: Option<usize>,
    ) -> Motion<'a> {
        let n = system.n();
        let mut stages = Vec::new();
        if constraints.holonomic().next().is_some() {
            stages.push(Stage {
                moved: 0..n,
                residual: &self.position,
                magnitudes: &*self.position_sizes,
                jacobian: &self.position_jacobian,
                metric: &self.mass,
                rank: None,
            });
        }
        // On (q, z) every velocity satisfies the constraints.
        if self.carrier != Carrier::Parameters && self.phi.outputs() > 0 {
            stages.push(Stage {
                moved: n..2 * n,
                residual: &self.phi,
                magnitudes: &*self.phi_sizes,
                jacobian: &self.phi_jacobian,
                metric: &self.fibre_metric,
                rank: rank.filter(|_| self.phi.outputs() == self.rows),
            });
        }
        let conditions = system.model.simulate.stop.iter().zip(&self.stops);
        Motion {
            names,
            field: &self.rate,
            stages,
            energy: Some(&self.energy),
            stops: conditions
                .map(|(condition, gap)| stop(condition, gap))
                .collect(),
            leave: None,
            monitored: (self.rows > 0).then_some(MonitoredRows {
                jacobian: &self.a,
                metric: &self.mass,
                rows: self.rows,
                rank,
            }),
            velocities: (self.carrier == Carrier::Velocities).then_some(Velocities {
                q: 0..n,
                v: n..2 * n,
            }),
        }
    }
}

fn stop<'a>(condition: &Condition, gap: &'a Compiled) -> Stop<'a> {
    Stop {
        gap,
        crossing: crossing(condition),
        text: condition.text.clone(),
    }
}

/// How the quantity of a stop condition crosses zero.
pub(crate) fn crossing(condition: &Condition) -> Crossing {
    match condition.relation {
        Relation::Less | Relation::LessEqual => Crossing::Falling,
        Relation::Greater | Relation::GreaterEqual => Crossing::Rising,
        Relation::Equal => Crossing::Either,
    }
}
