//! The equations of motion as a function `y' = f(t, y)`, for integrators of one's own.

use crate::motion::choices::derived_for;
use crate::values::derived::fields::{compiled, fields_of};
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_flow::backend::AUTO;
use appell_flow::{CFunction, Compiled, Dual, Field, Interpreter, Workspace};
use appell_mech::{Formalism, output};
use std::fmt;
use std::sync::Arc;

/// `y' = f(t, y)` of one form, with the values of the parameters; `y` are the carrier's coordinates.
///
/// Constraints hold along exact solutions only: nothing is projected here.
#[derive(Clone)]
pub struct RightSide {
    /// The names of `y`.
    pub state_names: Vec<String>,
    field: Arc<Interpreter>,
    compiled: Arc<Compiled>,
}

impl RightSide {
    /// Compiles the right-hand side of a form; by default of the first that applies.
    ///
    /// # Errors
    /// The form does not apply.
    pub fn new(p: &Prepared<'_>, form: Option<&'static Formalism>) -> Result<Self, Error> {
        let equations = derived_for(p, form)?;
        let field = fields_of(&equations, &[output::RATE])?;
        Ok(Self {
            compiled: Arc::new(compiled(&field, &AUTO)?),
            field: Arc::new((*field).clone()),
            state_names: equations.input_names(),
        })
    }

    /// `f(t, y)`.
    ///
    /// # Errors
    /// In words: a singular state; `y` of another length than [`RightSide::state_names`].
    pub fn eval(&self, t: f64, y: &[f64]) -> Result<Vec<f64>, Error> {
        self.check(y)?;
        let mut out = vec![0.0; self.compiled.outputs()];
        let answer = self
            .compiled
            .eval(&mut Workspace::default(), t, y, &mut out);
        answer.map(|()| out).map_err(|error| (*error).into())
    }

    /// The derivative `f_y`, row by row, exact by dual numbers.
    ///
    /// # Errors
    /// As [`RightSide::eval`]; a corner, such as `abs` at 0.
    pub fn jacobian(&self, t: f64, y: &[f64]) -> Result<Vec<f64>, Error> {
        self.check(y)?;
        let unit = |i: usize| (0..y.len()).map(|j| f64::from(u8::from(i == j))).collect();
        let directions: Vec<Vec<f64>> = (0..y.len()).map(unit).collect();
        let rates = self.field.duals(t, y, &directions);
        let rates = rates?;
        let row = |rate: &Dual| (0..y.len()).map(|j| rate.along(j)).collect::<Vec<f64>>();
        Ok(rates.iter().flat_map(row).collect())
    }

    /// `f` as a C function, which any thread may call; none where this machine cannot make machine code.
    pub fn c_function(&self) -> Option<CFunction<'_>> {
        self.compiled.c_function()
    }

    fn check(&self, y: &[f64]) -> Result<(), Error> {
        let (given, needed) = (y.len(), self.state_names.len());
        match given == needed {
            true => Ok(()),
            false => Err(Error::Argument(format!(
                "the state has {given} numbers, {needed} are needed"
            ))),
        }
    }
}

impl fmt::Debug for RightSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RightSide({})", self.state_names.join(", "))
    }
}
