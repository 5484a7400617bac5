//! The compiled functions of a motion: all that the integrator sees of the mechanics.

use crate::audit::stop_output;
use crate::prepared::Prepared;
use appell_expr::{Relation, Unbound};
use appell_flow::{Crossing, Interpreter, Motion, Stage, Stop, TermSizes, Watch};
use appell_mech::{Carrier, Equations, function, output};
use appell_model::{Code, Condition, Diagnostic};

/// Compiles outputs; an expression about something unavailable is the user's error.
pub(crate) fn fields_of(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    names: &[&str],
) -> Result<Interpreter, Diagnostic> {
    match equations.program(names) {
        Ok(program) => Ok(Interpreter::new(program, &p.parameters)),
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

/// The compiled functions of a motion.
pub(crate) struct Fields {
    rate: Interpreter,
    energy: Interpreter,
    position: Interpreter,
    position_sizes: TermSizes,
    position_jacobian: Interpreter,
    phi: Interpreter,
    phi_sizes: TermSizes,
    phi_jacobian: Interpreter,
    mass: Interpreter,
    /// What measures changes of the carrier's coordinates: `M`, of momenta `M^-1`.
    fibre_metric: Interpreter,
    a: Interpreter,
    /// One for each stop condition of the file.
    stops: Vec<Interpreter>,
    carrier: Carrier,
    rows: usize,
}

impl Fields {
    /// Compiles the equations.
    ///
    /// # Errors
    /// An expression that speaks of something unavailable.
    pub fn new(p: &Prepared<'_>, equations: &Equations<'_>) -> Result<Self, Diagnostic> {
        let compile = |names: &[&str]| fields_of(p, equations, names);
        let (by_fibre, fibre_metric) = match equations.carrier {
            Carrier::Momenta => (output::PHI_P, output::H_PP),
            Carrier::Velocities | Carrier::Parameters => (function::PHI_V, function::MASS),
        };
        Ok(Self {
            rate: compile(&[output::RATE, output::WORK])?,
            energy: compile(&[output::ENERGY])?,
            position: compile(&[function::POSITION])?,
            position_sizes: TermSizes(compile(&[function::POSITION])?),
            position_jacobian: compile(&[function::POSITION_Q])?,
            phi: compile(&[function::PHI])?,
            phi_sizes: TermSizes(compile(&[function::PHI])?),
            phi_jacobian: compile(&[by_fibre])?,
            mass: compile(&[function::MASS])?,
            fibre_metric: compile(&[fibre_metric])?,
            a: compile(&[function::A])?,
            stops: (0..p.model.simulate.stop.len())
                .map(|index| compile(&[&stop_output(index)]))
                .collect::<Result<_, _>>()?,
            carrier: equations.carrier,
            rows: p.constraints.k(),
        })
    }

    /// The motion with its manifold, stops and watch; `rank` is the regular rank if it is known.
    pub fn motion<'a>(
        &'a self,
        p: &'a Prepared<'_>,
        names: &'a [String],
        rank: Option<usize>,
    ) -> Motion<'a> {
        let n = p.system.n();
        let mut stages = Vec::new();
        if p.constraints.holonomic().next().is_some() {
            stages.push(Stage {
                moved: 0..n,
                residual: &self.position,
                magnitudes: &self.position_sizes,
                jacobian: &self.position_jacobian,
                metric: &self.mass,
            });
        }
        // On (q, z) every velocity satisfies the constraints.
        if self.carrier != Carrier::Parameters && self.phi.program().result_len() > 0 {
            stages.push(Stage {
                moved: n..2 * n,
                residual: &self.phi,
                magnitudes: &self.phi_sizes,
                jacobian: &self.phi_jacobian,
                metric: &self.fibre_metric,
            });
        }
        let conditions = p.model.simulate.stop.iter().zip(&self.stops);
        Motion {
            names,
            field: &self.rate,
            stages,
            energy: Some(&self.energy),
            stops: conditions
                .map(|(condition, gap)| stop(condition, gap))
                .collect(),
            watch: (self.rows > 0).then_some(Watch {
                jacobian: &self.a,
                metric: &self.mass,
                rows: self.rows,
                rank,
            }),
        }
    }
}

fn stop<'a>(condition: &Condition, gap: &'a Interpreter) -> Stop<'a> {
    let crossing = match condition.relation {
        Relation::Less | Relation::LessEqual => Crossing::Falling,
        Relation::Greater | Relation::GreaterEqual => Crossing::Rising,
        Relation::Equal => Crossing::Either,
    };
    Stop {
        gap,
        crossing,
        text: condition.text.clone(),
    }
}
