//! The equations of motion as a function `y' = f(t, y)`, for integrators of one's own.

use crate::motion::choices::{backend_for, derived_for, form_of_dependent_rows};
use crate::states::ranks::{row_rank, workspace_of};
use crate::values::derived::fields::{compiled, fields_of};
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_flow::{
    Backend, CFunction, Compiled, Direction, Dual, Field, Interpreter, Tape, Unsupported,
};
use appell_mech::{Carrier, Formalism, output};
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// `y' = f(t, y)` of one form, with the values of the parameters; `y` are the carrier's coordinates.
///
/// Constraints hold along exact solutions only: nothing is projected here.
#[derive(Clone)]
pub struct RightSide {
    /// The names of `y`.
    pub state_names: Vec<String>,
    /// The names of the parameters, then of the inputs: the entries of `p`.
    pub parameter_names: Vec<String>,
    /// What `p` is where it is not given.
    pub parameters: Vec<f64>,
    /// Reads `p` after `y`; made when it is first asked for.
    open: Arc<OnceLock<Result<Compiled, Unsupported>>>,
    field: Arc<Interpreter>,
    /// What is differentiated: the same on the constraints.
    differentiable: Arc<Interpreter>,
    compiled: Arc<Compiled>,
    backend: &'static Backend,
    /// The rank of rows that depend on each other.
    rank: Option<usize>,
}

impl RightSide {
    /// Compiles the right-hand side of a form, by default of the first that applies, for a backend, by default `auto`.
    ///
    /// # Errors
    /// The form does not apply; there is no such backend, or this machine does not have it.
    pub fn new(
        p: &Prepared<'_>,
        form: Option<&'static Formalism>,
        backend: Option<&str>,
    ) -> Result<Self, Error> {
        let (usable, remark) = backend_for(backend)?;
        // Another one in its place could not be told.
        if let Some(why) = remark {
            return Err(Error::Argument(why));
        }
        let equations = derived_for(p, form)?;
        let field = fields_of(&equations, &[output::RATE])?;
        let other = form_of_dependent_rows(p).filter(|_| equations.carrier == Carrier::Velocities);
        let differentiable = match other {
            Some(form) => fields_of(&*p.form(form)?, &[output::RATE])?,
            None => Rc::clone(&field),
        };
        Ok(Self {
            parameter_names: p.model.parameters.iter().map(|x| x.name.clone()).collect(),
            parameters: p.parameters.to_vec(),
            open: Arc::default(),
            compiled: Arc::new(compiled(&field, usable)?),
            backend: usable,
            field: Arc::new((*field).clone()),
            differentiable: Arc::new((*differentiable).clone()),
            rank: row_rank(p),
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
            .eval(&mut workspace_of(self.rank), t, y, &mut out);
        answer.map(|()| out).map_err(|error| (*error).into())
    }

    /// `f(t, y, p)` for each column of `y`, given row by row as the results are; `p` has one column, or as many.
    /// Nothing is compiled anew for other values of `p`.
    ///
    /// # Errors
    /// As [`RightSide::eval`]; `p` of another length than [`RightSide::parameter_names`].
    pub fn eval_with(
        &self,
        t: f64,
        y: &[f64],
        p: &[f64],
        columns: usize,
    ) -> Result<Vec<f64>, Error> {
        let (n, m) = (self.state_names.len(), self.parameter_names.len());
        if y.len() != n * columns {
            return Err(miscounted("the state", y.len(), n * columns, &[]));
        }
        let alone = p.len() == m;
        if !alone && p.len() != m * columns {
            return Err(miscounted("p", p.len(), m, &self.parameter_names));
        }
        let compiled = self.open()?;
        let (mut workspace, mut all) = (workspace_of(self.rank), vec![0.0; n + m]);
        let (mut rates, mut out) = (vec![0.0; n], vec![0.0; n * columns]);
        for column in 0..columns {
            (0..n).for_each(|i| all[i] = y[i * columns + column]);
            match alone {
                true => all[n..].copy_from_slice(p),
                false => (0..m).for_each(|i| all[n + i] = p[i * columns + column]),
            }
            let answer = compiled.eval(&mut workspace, t, &all, &mut rates);
            answer.map_err(|error| Error::from(*error))?;
            (0..n).for_each(|i| out[i * columns + column] = rates[i]);
        }
        Ok(out)
    }

    fn open(&self) -> Result<&Compiled, Error> {
        let none: &[f64] = &[];
        let made = self
            .open
            .get_or_init(|| Compiled::new(Tape::new(self.field.program(), none), self.backend));
        made.as_ref().map_err(|why| Error::Argument(why.0.clone()))
    }

    /// The derivative `f_y`, row by row, exact by dual numbers.
    ///
    /// # Errors
    /// As [`RightSide::eval`]; a corner, such as `abs` at 0.
    pub fn jacobian(&self, t: f64, y: &[f64]) -> Result<Vec<f64>, Error> {
        jacobian((&self.differentiable, self.rank), t, y, self.check(y))
    }

    /// The same with other values of the parameters.
    ///
    /// # Errors
    /// As [`RightSide::eval_with`].
    pub fn jacobian_with(&self, t: f64, y: &[f64], p: &[f64]) -> Result<Vec<f64>, Error> {
        let (given, needed) = (p.len(), self.parameters.len());
        let fits = match given == needed {
            true => self.check(y),
            false => Err(miscounted("p", given, needed, &self.parameter_names)),
        };
        jacobian(
            (&self.differentiable.with_parameters(p), self.rank),
            t,
            y,
            fits,
        )
    }

    /// The derivatives `f_p`, then `f_t`, row by row.
    ///
    /// # Errors
    /// As [`RightSide::jacobian_with`].
    pub fn parameter_jacobian(&self, t: f64, y: &[f64], p: &[f64]) -> Result<Vec<f64>, Error> {
        let (given, needed) = (p.len(), self.parameters.len());
        if given != needed {
            return Err(miscounted("p", given, needed, &self.parameter_names));
        }
        self.check(y)?;
        let field = self.differentiable.with_parameters(p);
        let (rows, still) = (self.state_names.len(), vec![0.0; y.len()]);
        let mut entries = vec![0.0; rows * (needed + 1)];
        for column in 0..=needed {
            let mut direction = Direction::of_state(needed);
            match direction.parameters.get_mut(column) {
                Some(entry) => *entry = 1.0,
                None => direction.time = 1.0,
            }
            let rates = field.duals_along(t, y, &still, &direction, self.rank)?;
            for (row, rate) in rates.iter().enumerate() {
                entries[row * (needed + 1) + column] = rate.along(0);
            }
        }
        Ok(entries)
    }

    /// `f` as a C function, which any thread may call; none where this machine cannot make machine code.
    pub fn c_function(&self) -> Option<CFunction<'_>> {
        self.compiled.c_function()
    }

    fn check(&self, y: &[f64]) -> Result<(), Error> {
        let (given, needed) = (y.len(), self.state_names.len());
        match given == needed {
            true => Ok(()),
            false => Err(miscounted("the state", given, needed, &[])),
        }
    }
}

/// An array of another length than is needed, with the names of its entries.
fn miscounted(what: &str, given: usize, needed: usize, names: &[String]) -> Error {
    let names = match names.is_empty() {
        true => String::new(),
        false => format!(": {}", names.join(", ")),
    };
    Error::Argument(format!(
        "{what} has {given} numbers, {needed} are needed{names}"
    ))
}

fn jacobian(
    (field, rank): (&Interpreter, Option<usize>),
    t: f64,
    y: &[f64],
    fits: Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    fits?;
    let unit = |i: usize| (0..y.len()).map(|j| f64::from(u8::from(i == j))).collect();
    let directions: Vec<Vec<f64>> = (0..y.len()).map(unit).collect();
    let rates = field.duals(t, y, &directions, rank);
    let rates = rates?;
    let row = |rate: &Dual| (0..y.len()).map(|j| rate.along(j)).collect::<Vec<f64>>();
    Ok(rates.iter().flat_map(row).collect())
}

impl fmt::Debug for RightSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RightSide({})", self.state_names.join(", "))
    }
}
