//! Small deviations from an equilibrium or a steady motion, on the constraint set.

mod control;
mod crossings;
mod reduction;
mod stability;
mod steady;
pub(crate) use steady::NOT_STEADY;
mod sweep;

pub use control::{ControlMatrices, LinearizationAlong, linearize_along};
pub use sweep::{Crossing, Gap, Range, Sweep, sweep};

use crate::questions::least_energy::LeastEnergy;
use crate::states::given_states::State;
use crate::states::nearest::parameters_of;
use crate::states::ranks::{row_rank, workspace_of};
use crate::states::residuals::scaled_residual;
use crate::states::start::start;
use crate::states::status::{ON_CONSTRAINT, judge};
use crate::values::error::Error;
use crate::values::prepared::{NO_PARAMETERS, Prepared};
use crate::values::scattered::scattered;
use crate::values::stationary::is_stationary;
use appell_flow::linear::{self, Known};
use appell_flow::{Field, Interpreter};
use appell_mech::{Carrier, Equations, FORMALISMS, Metric, output};
use appell_model::{Code, Diagnostic};
use reduction::Reduction;
use serde::Serialize;

/// The linear equations `xi' = P X_x N xi` about a state, in coordinates and velocities that are
/// independent there.
///
/// `x = (q, v)` with the field `X`. `N`, 2n x (2n - 2h - k), is the basis of the kernel of
/// `[f_q, 0; (f_q v + f_t)_q, f_q; phi_q, phi_v]` that has a unit matrix in the rows of the
/// independent ones, and `P` picks these rows: `P N = 1`, so that `P N' = 0`. For h holonomic and k other rows; a row
/// given on acceleration level restricts no deviation, its `phi` is a constant of the motion. Derivatives are exact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Linearization {
    /// The names of `xi`.
    pub state_names: Vec<String>,
    /// `P X_x N`, row by row.
    pub matrix: Vec<Vec<f64>>,
    /// `(re, im)`, by real, then imaginary part.
    pub eigenvalues: Vec<(f64, f64)>,
    /// How many of them are zero.
    #[serde(skip)]
    pub zeros: usize,
    /// What rounding may have added to the entries of the matrix, row by row.
    #[serde(skip)]
    pub rounding: Vec<f64>,
    /// Whether it is a state of rest in which the energy is known to have a strict minimum: then it is stable.
    #[serde(skip)]
    pub has_least_energy: bool,
    /// The state: `t`, then the names and values of what the equations read.
    #[serde(skip)]
    pub at: (f64, Vec<(String, f64)>),
    /// The coordinates that move.
    #[serde(skip)]
    pub moving: Vec<String>,
    /// The parts of inputs and outputs, where the model has inputs or outputs were asked for.
    #[serde(flatten)]
    pub control: Option<ControlMatrices>,
}

impl Linearization {
    /// What is known of each eigenvalue, where every entry of the matrix is known to this part of itself.
    pub fn growth(&self, part: f64) -> Vec<Known> {
        let size = self.matrix.len();
        let matrix = self.matrix.concat();
        linear::growth(size, (&matrix, &self.rounding), &self.eigenvalues, part)
    }
}

/// Linearises about a state, or about the model's start.
///
/// # Errors
/// A state that is not steady, off the constraints or singular; a start that cannot be found.
pub fn linearize(p: &Prepared<'_>, state: Option<&State>) -> Result<Linearization, Error> {
    linearize_with(p, state, &[])
}

/// The same with outputs: columns of a run's table, or expressions in coordinates, velocities, parameters and inputs;
/// without any the coordinates and velocities, where the model has inputs.
///
/// # Errors
/// As for [`linearize`]; an output that is neither, or has no derivative.
pub fn linearize_with(
    p: &Prepared<'_>,
    state: Option<&State>,
    outputs: &[String],
) -> Result<Linearization, Error> {
    let p = p.in_numbers();
    let linearizer = Linearizer::new(p)?;
    let at = linearizer.place(p, state)?;
    check_regular(p, &at)?;
    let rests = at.v.iter().all(|v| *v == 0.0);
    let least = rests.then(|| LeastEnergy::new(p)).flatten();
    let found = Linearization {
        has_least_energy: least.is_some_and(|energy| energy.is_least_at(at.t, &at.y[..at.v.len()])),
        ..linearizer.about(p, at.clone())?
    };
    let has_inputs = p
        .model
        .parameters
        .iter()
        .any(|parameter| parameter.is_input);
    if !has_inputs && outputs.is_empty() {
        return Ok(found);
    }
    let control = Some(control::matrices(&linearizer, p, &at, outputs)?);
    Ok(Linearization { control, ..found })
}

/// The motion must exist and be unique at the state.
fn check_regular(p: &Prepared<'_>, at: &OperatingPoint) -> Result<(), Error> {
    let judgement = judge(p, at.t, &at.y[..at.v.len()], &at.v, at.z.as_deref());
    let why = judgement.why.clone().unwrap_or_default();
    match judgement.has_motion() {
        true => Ok(()),
        false => Err(Error::NoValue(format!(
            "there are no linear equations at a singular state: {why}"
        ))),
    }
}

/// A shift by some units of the last place.
const LAST_PLACES: f64 = 4.0 * f64::EPSILON;
/// Rounding errors are seen in as many trials, and are at most as many times their differences.
const TRIALS: u32 = 3;
const SPREAD: f64 = 8.0;

/// A state of the carrier with the velocities.
#[derive(Clone)]
pub(crate) struct OperatingPoint {
    t: f64,
    /// The coordinates and the carrier's own: what the equations read after `t`.
    y: Vec<f64>,
    v: Vec<f64>,
    /// The parameters of the velocities, if they are known.
    z: Option<Vec<f64>>,
}

/// The field and its derivatives, compiled once for all states and parameters.
pub(crate) struct Linearizer<'g> {
    equations: Equations<'g>,
    metric: Metric,
    /// Outputs [`output::RATE`], [`output::ACCEL`], [`output::REACTION`].
    field: Interpreter,
    names: Vec<String>,
    stationary: bool,
    /// The rank of rows that depend on each other.
    rank: Option<usize>,
}

/// What is known of the field around a state.
pub(crate) struct Local {
    /// The columns of `N`.
    basis: Vec<Vec<f64>>,
    /// `P X_x N`, row by row.
    matrix: Vec<f64>,
}

impl<'g> Linearizer<'g> {
    pub fn new(p: &Prepared<'g>) -> Result<Self, Error> {
        let equations = FORMALISMS
            .iter()
            .find_map(|form| (form.derive)(&p.system, &p.constraints).ok());
        let refused = || Error::question(Code::BadValue, "no formalism applies to this model");
        let equations = equations.ok_or_else(refused)?;
        let program = equations.program(&[output::RATE, output::ACCEL, output::REACTION]);
        let program = program.map_err(|_| refused())?;
        Ok(Self {
            metric: p.system.metric,
            field: Interpreter::new(program, &p.parameters),
            names: equations.input_names(),
            stationary: is_stationary(p),
            rank: row_rank(p),
            equations,
        })
    }

    /// Takes over new values of the parameters; derives anew only where `M` is of another kind.
    pub fn follow(&mut self, p: &Prepared<'g>) -> Result<(), Error> {
        if p.system.metric == self.metric {
            self.field = self.field.with_parameters(&p.parameters);
            self.rank = row_rank(p);
        } else {
            *self = Self::new(p)?;
        }
        Ok(())
    }

    /// The linear equations about a state.
    pub fn about(&self, p: &Prepared<'_>, at: OperatingPoint) -> Result<Linearization, Error> {
        let reduction = Reduction::new(p, &at, self.equations.carrier)?;
        steady::check_accelerations(self, p, &at)?;
        let local = self.local(p, &at, &reduction)?;
        reduction.check(p, &at, &local.basis)?;
        let moving = steady::check_motion(self, p, &at, &reduction, &local)?;
        let size = reduction.independent.len();
        let changes = self.changes(p, &at, &reduction, &local.matrix);
        let rounding: Vec<f64> = changes.iter().map(|change| SPREAD * change).collect();
        let matrix = without_noise(local.matrix, &rounding);
        let spectrum = linear::spectrum_beside(size, &matrix, &rounding).map_err(|_| {
            Error::NoValue("the eigenvalues of the linear equations were not found".to_owned())
        })?;
        let name = |i: &usize| self.names[*i].clone();
        Ok(Linearization {
            state_names: reduction.independent.iter().map(name).collect(),
            matrix: matrix.chunks(size.max(1)).map(<[f64]>::to_vec).collect(),
            eigenvalues: spectrum.all(),
            zeros: spectrum.zeros,
            rounding,
            has_least_energy: false,
            moving: moving.iter().map(name).collect(),
            at: (at.t, self.names.iter().cloned().zip(at.y).collect()),
            control: None,
        })
    }

    /// The state in the carrier, on the constraints; the model's start if none is given.
    pub fn place(&self, p: &Prepared<'_>, state: Option<&State>) -> Result<OperatingPoint, Error> {
        let (t, q, v, z) = match state {
            Some(State { t, q, v, z }) => {
                let v = v.clone().or_else(|| p.velocities(*t, q, z.as_deref()?));
                let missing = "v = psi(q, z, t) has no value at these parameters";
                let v = v.ok_or_else(|| Error::NoValue(missing.to_owned()))?;
                (*t, q.clone(), v, z.clone())
            }
            None => {
                let start = start(p)?;
                (start.t, start.q, start.v, start.z)
            }
        };
        let residual = p.measure(t, &q, &v).map_or(0.0, |m| scaled_residual(&m));
        if residual > ON_CONSTRAINT {
            let what = format!("the state misses the constraints by {residual:.3e} of their terms");
            let off = Diagnostic::new(Code::InconsistentStart, what, Default::default(), "");
            let remedy = "give a state that satisfies them; expressions in the parameters, as \"-vx/rr\", move along \
                          a sweep";
            return Err(off.note(remedy).into());
        }
        let carrier = self.equations.carrier;
        let z = match carrier {
            Carrier::Parameters => z.or_else(|| parameters_of(p, t, &q, &v, None)),
            Carrier::Velocities | Carrier::Momenta => z,
        };
        let y = p.carrier_state(carrier, t, &q, &v, z.as_deref());
        let y = y.ok_or_else(|| Error::no_value(NO_PARAMETERS))?;
        Ok(OperatingPoint { t, y, v, z })
    }

    /// `N` and `P X_x N` at a state.
    fn local(
        &self,
        p: &Prepared<'_>,
        at: &OperatingPoint,
        reduction: &Reduction,
    ) -> Result<Local, Error> {
        let basis = reduction.basis(p, at)?;
        let matrix = self.derivatives(&self.field, at, reduction, &basis)?;
        Ok(Local { basis, matrix })
    }

    /// By how much the entries of the matrix change where state and parameters are shifted by some units of their last
    /// places.
    fn changes(
        &self,
        p: &Prepared<'_>,
        at: &OperatingPoint,
        reduction: &Reduction,
        matrix: &[f64],
    ) -> Vec<f64> {
        let mut changes = vec![0.0_f64; matrix.len()];
        for trial in 0..TRIALS {
            let shifted = |x: &[f64], least: f64, first: u32| -> Vec<f64> {
                let indices = (97 * trial + first)..;
                let shift =
                    |(x, i): (&f64, u32)| x + LAST_PLACES * x.abs().max(least) * scattered(i);
                x.iter().zip(indices).map(shift).collect()
            };
            let there = OperatingPoint {
                t: at.t,
                y: shifted(&at.y, 1.0, 11),
                v: at.v.clone(),
                z: None,
            };
            let parameters = shifted(&p.parameters, 0.0, 53);
            let field = self.field.with_parameters(&parameters);
            let basis = reduction.basis(p, &there);
            let around =
                basis.and_then(|basis| self.derivatives(&field, &there, reduction, &basis));
            // At the border of a domain the field has no value on one side.
            let Ok(around) = around else { continue };
            for (change, (exact, around)) in changes.iter_mut().zip(matrix.iter().zip(around)) {
                *change = change.max((exact - around).abs());
            }
        }
        changes
    }

    /// A named output of the field at a state.
    fn value(&self, at: &OperatingPoint, name: &str) -> Result<Vec<f64>, Error> {
        let mut values = vec![0.0; self.field.outputs()];
        let found = (self.field).eval(&mut workspace_of(self.rank), at.t, &at.y, &mut values);
        found.map_err(|error| Error::NoValue(error.to_string()))?;
        let range = self.field.program().range(name).unwrap_or_default();
        Ok(values[range].to_vec())
    }

    /// `P X_x N`, row by row; `field` may have other values of the parameters.
    fn derivatives(
        &self,
        field: &Interpreter,
        at: &OperatingPoint,
        reduction: &Reduction,
        basis: &[Vec<f64>],
    ) -> Result<Vec<f64>, Error> {
        let duals = field.duals(at.t, &at.y, basis, self.rank);
        let duals = duals.map_err(|error| {
            Error::NoValue(format!("the field has no derivative here: {error}"))
        })?;
        let rows = reduction.independent.iter();
        let along = |i: &usize| {
            (0..basis.len())
                .map(|j| duals[*i].along(j))
                .collect::<Vec<f64>>()
        };
        let matrix: Vec<f64> = rows.flat_map(along).collect();
        if matrix.iter().all(|x| x.is_finite()) {
            Ok(matrix)
        } else {
            let why = "the field has no derivative here: a value is not finite";
            Err(Error::NoValue(why.to_owned()))
        }
    }
}

/// The matrix with zeros for entries that are nothing but rounding.
///
/// Balancing would take such an entry for a small unit and blow it up.
fn without_noise(matrix: Vec<f64>, rounding: &[f64]) -> Vec<f64> {
    let entry = |(x, rounding): (f64, &f64)| if x.abs() <= *rounding { 0.0 } else { x };
    matrix.into_iter().zip(rounding).map(entry).collect()
}
