//! The compiled functions of a motion: all that the integrator sees of the mechanics.

use super::Derived;
use crate::values::outputs::{
    JumpOf, NARROW, PEAKS, SWITCHES, jumps_of_state, state_jump_output, stop_output,
};
use appell_expr::{Relation, Unbound};
use appell_flow::backend::AUTO;
use appell_flow::{
    Backend, Compiled, CrossingSense, Field, Interpreter, MonitoredRows, Motion, Parameters,
    SINGULAR, Stage, Stop, Switched, TermSizes, UnprojectedRows, Unsupported, Velocities,
};
use appell_mech::{
    Carrier, ConstraintRow, Constraints, Equations, System, function, output, rate_on_constraints,
};
use appell_model::{Code, Condition, Diagnostic};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Deref;
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
    ready(
        Compiled::of(field.program(), field.parameters(), backend),
        backend,
    )
}

pub(crate) fn ready<T>(made: Result<T, Unsupported>, backend: &Backend) -> Result<T, Diagnostic> {
    made.map_err(|why| {
        let message = format!("the backend `{}` cannot be used here: {why}", backend.id);
        Diagnostic::new(Code::NotAllowed, message, Default::default(), "")
    })
}

/// The sizes of the terms of a field, compiled where it solves no large linear system.
pub(crate) fn sizes(field: &Interpreter, backend: &Backend) -> Result<Box<dyn Field>, Diagnostic> {
    Ok(match compiled_sizes(field, backend)? {
        Some(made) => Box::new(made),
        None => Box::new(TermSizes(field.clone())),
    })
}

/// The same, if it solves no large linear system.
pub(crate) fn compiled_sizes(
    field: &Interpreter,
    backend: &Backend,
) -> Result<Option<Compiled>, Diagnostic> {
    let made = Compiled::of_sizes(field.program(), field.parameters(), backend);
    made.map(|made| ready(made, backend)).transpose()
}

/// A function of a motion, by the names of outputs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wanted {
    /// The outputs, one after the other.
    Values(Vec<String>),
    /// The sizes of their terms.
    Sizes(Vec<String>),
}

impl Wanted {
    fn values(name: &str) -> Wanted {
        Wanted::Values(vec![name.to_owned()])
    }

    fn sizes(name: &str) -> Wanted {
        Wanted::Sizes(vec![name.to_owned()])
    }

    /// The names of the outputs.
    pub fn names(&self) -> Vec<&str> {
        let (Wanted::Values(names) | Wanted::Sizes(names)) = self;
        names.iter().map(String::as_str).collect()
    }

    /// The function as a backend runs it, from the program of its outputs.
    pub fn field<P: Deref<Target = Interpreter>>(
        &self,
        backend: &Backend,
        program: impl FnOnce(&[&str]) -> Result<P, Diagnostic>,
    ) -> Result<Box<dyn Field>, Diagnostic> {
        let program = program(&self.names())?;
        match self {
            Wanted::Values(_) => Ok(Box::new(compiled(&program, backend)?)),
            Wanted::Sizes(_) => sizes(&program, backend),
        }
    }
}

/// What the motion of a system consists of: single runs and ensembles are made from this.
///
/// One piece: each part of the description by its name, in a line.
///
/// `names` are those of the carrier's coordinates, `rank` the regular rank of the constraints if it is known.
pub(crate) fn described<'a>(
    equations: &Equations<'_>,
    system: &System<'_>,
    constraints: &Constraints<'_>,
    names: &'a [String],
    rank: Option<usize>,
) -> Motion<'a, Wanted> {
    let (n, k) = (system.n(), constraints.k());
    let stage = |moved, residual, jacobian, metric, rank, names| Stage {
        moved,
        residual: Wanted::values(residual),
        magnitudes: Wanted::sizes(residual),
        jacobian: Wanted::values(jacobian),
        metric: Wanted::values(metric),
        rank,
        names,
    };
    let name = |row: &ConstraintRow<'_>| row.name.clone();
    let positions = constraints.holonomic().next().map(|_| {
        let (residual, jacobian) = (function::POSITION, function::POSITION_Q);
        let names = constraints.holonomic().map(name).collect();
        stage(0..n, residual, jacobian, function::MASS, None, names)
    });
    // Changes of velocities are measured by `M`, of momenta by `M^-1`.
    let (jacobian, metric) = match equations.carrier {
        Carrier::Momenta => (output::PHI_P, output::H_PP),
        Carrier::Velocities | Carrier::Parameters => (function::PHI_V, function::MASS),
    };
    let phi = equations.sketch.get(function::PHI);
    let rows = phi.map_or(0, |phi| phi.rows());
    // On (q, z) every velocity satisfies the constraints.
    let free = equations.carrier != Carrier::Parameters && rows > 0;
    let velocities = free.then(|| {
        let rank = rank.filter(|_| rows == k);
        let active = constraints.active();
        let names = active.filter(|row| row.phi.is_some()).map(name).collect();
        stage(n..2 * n, function::PHI, jacobian, metric, rank, names)
    });
    let stops = system.model.simulate.stop.iter().enumerate();
    let jumps = jumps_of_state(system.model).into_iter().enumerate();
    let is_dropped = |constraint: usize| {
        let mut active = constraints.active();
        !active.any(|row| row.constraint == constraint)
    };
    let jumps = jumps.filter_map(|(index, jump)| {
        if matches!(jump.of, JumpOf::Range { constraint, .. } if is_dropped(constraint)) {
            return None;
        }
        let output = state_jump_output(index);
        equations.sketch.get(&output)?;
        Some(Stop {
            gap: Wanted::values(&output),
            crossing: CrossingSense::Either,
            text: jump.condition(),
            deepest: false,
            impassable: true,
        })
    });
    Motion {
        names,
        field: Wanted::Values([output::RATE, output::WORK].map(str::to_owned).to_vec()),
        stages: positions.into_iter().chain(velocities).collect(),
        energy: Some(Wanted::values(output::ENERGY)),
        stops: stops
            .map(|(index, condition)| Stop {
                gap: Wanted::values(&stop_output(index)),
                crossing: crossing(condition),
                text: condition.text.clone(),
                deepest: false,
                impassable: false,
            })
            .chain(jumps)
            .collect(),
        watched: Vec::new(),
        switches: equations
            .sketch
            .get(SWITCHES)
            .map(|_| Wanted::values(SWITCHES)),
        narrow: equations.sketch.get(NARROW).map(|_| Wanted::values(NARROW)),
        peaks: equations.sketch.get(PEAKS).map(|_| Wanted::values(PEAKS)),
        corners: None,
        // The work of the moving frames is the first.
        switched: (equations.sketch.get(output::SWITCHED)).map(|_| Switched {
            value: Wanted::values(output::SWITCHED),
            quadrature: 0,
        }),
        leave: None,
        monitored: monitored(equations, constraints, rank),
        unprojected: rank
            .filter(|rank| *rank < k)
            .and_then(|_| unprojected(equations, constraints)),
        velocities: (equations.carrier == Carrier::Velocities).then_some(Velocities {
            q: 0..n,
            v: n..2 * n,
        }),
    }
}

/// Parameters pass through a singular state where `Psi` loses rank to this part; they may come near to one without, as those
/// of a sphere to its pole.
const PASSED: f64 = 1e-9;

/// The rows whose rank is monitored: those of the constraints, or of `Psi^T` where there are parameters alone.
fn monitored(
    equations: &Equations<'_>,
    constraints: &Constraints<'_>,
    rank: Option<usize>,
) -> Option<MonitoredRows<Wanted>> {
    let of = |jacobian, rows, rank, zero| MonitoredRows {
        jacobian: Wanted::values(jacobian),
        metric: Wanted::values(function::MASS),
        rows,
        rank,
        zero,
    };
    match constraints.k() {
        0 => {
            let psi = equations.sketch.get(output::PSI_TRANSPOSED)?;
            Some(of(output::PSI_TRANSPOSED, psi.rows(), None, PASSED))
        }
        k => Some(of(function::A, k, rank, SINGULAR)),
    }
}

/// The rows that nothing restores, if there are any.
fn unprojected(
    equations: &Equations<'_>,
    constraints: &Constraints<'_>,
) -> Option<UnprojectedRows<Wanted>> {
    let rows = constraints.unprojected(equations.carrier == Carrier::Parameters);
    let names: Vec<String> = rows.iter().map(|(row, _)| row.name.clone()).collect();
    let known = equations.sketch.get(output::UNPROJECTED).is_some();
    (known && !names.is_empty()).then(|| UnprojectedRows {
        residual: Wanted::values(output::UNPROJECTED),
        magnitudes: Wanted::sizes(output::UNPROJECTED),
        names,
    })
}

/// The compiled functions of a motion.
pub struct Fields {
    functions: BTreeMap<Wanted, Box<dyn Field>>,
    parameters: Parameters,
    /// Residuals and sizes of the rows that nothing restores: only motions whose rows depend on each other ask for them.
    unprojected: OnceCell<Option<[Box<dyn Field>; 2]>>,
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
        let mut fields = Self {
            functions: BTreeMap::new(),
            parameters: equations.parameters.clone(),
            unprojected: OnceCell::new(),
        };
        let motion = described(equations, system, constraints, &[], None);
        motion.try_map(|wanted| {
            fields.compile(wanted, backend, |names| fields_of(equations, names))
        })?;
        if let Some(Ok(program)) = equations.by_choice(&motion.field.names()) {
            let sure = &*fields_of(equations, &motion.field.names())?;
            let short = Interpreter::new(program, &equations.parameters);
            let field = compiled(&short, backend)?.or(compiled(sure, &AUTO)?);
            fields.functions.insert(motion.field, Box::new(field));
        }
        Ok(fields)
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
        let mut fields = Self::new(equations, system, constraints, backend)?;
        if let Some(Ok(program)) = rate_on_constraints(system, constraints, equations) {
            let rate = described(equations, system, constraints, &[], None).field;
            let program = Interpreter::new(program, &equations.parameters);
            let field = rate.field(backend, |_| Ok(Rc::new(program)))?;
            fields.functions.insert(rate, field);
        }
        Ok(fields)
    }

    /// Compiles a function once.
    fn compile(
        &mut self,
        wanted: &Wanted,
        backend: &Backend,
        program: impl FnOnce(&[&str]) -> Result<Rc<Interpreter>, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        if !self.functions.contains_key(wanted) {
            let field = wanted.field(backend, program)?;
            self.functions.insert(wanted.clone(), field);
        }
        Ok(())
    }

    /// The motion with its manifold, stops and rank monitor; see [`described`].
    pub fn motion<'a>(
        &'a self,
        equations: &Equations<'_>,
        system: &System<'_>,
        constraints: &Constraints<'_>,
        names: &'a [String],
        rank: Option<usize>,
    ) -> Motion<'a> {
        let mut motion = described(equations, system, constraints, names, rank);
        let rows = motion.unprojected.take();
        let unprojected = rows.and_then(|rows| {
            let made = || self.compile_unprojected(equations, &rows).ok();
            let [residual, magnitudes] = self.unprojected.get_or_init(made).as_ref()?;
            Some(UnprojectedRows {
                residual: &**residual,
                magnitudes: &**magnitudes,
                names: rows.names,
            })
        });
        Motion {
            unprojected,
            ..motion.map(|wanted| &*self.functions[wanted])
        }
    }

    fn compile_unprojected(
        &self,
        equations: &Equations<'_>,
        rows: &UnprojectedRows<Wanted>,
    ) -> Result<[Box<dyn Field>; 2], Diagnostic> {
        let field = |wanted: &Wanted| {
            wanted.field(&AUTO, |names| {
                let program = equations.program(names).map_err(|Unbound(name)| {
                    let message = format!("`{name}` has no value");
                    Diagnostic::new(Code::NotAllowed, message, Default::default(), "")
                })?;
                Ok(Rc::new(Interpreter::new(program, &self.parameters)))
            })
        };
        Ok([field(&rows.residual)?, field(&rows.magnitudes)?])
    }
}

/// How the quantity of a condition crosses zero where that becomes true.
pub(crate) fn crossing(condition: &Condition) -> CrossingSense {
    match condition.relation {
        Relation::Less | Relation::LessEqual => CrossingSense::Falling,
        Relation::Greater | Relation::GreaterEqual => CrossingSense::Rising,
        Relation::Equal => CrossingSense::Either,
    }
}
