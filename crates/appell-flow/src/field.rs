//! A function of time and state in numbers: all that the integrator knows of the equations.

use crate::evaluation::{EvalError, Workspace, all_finite};
use crate::tape::Tape;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A function `out = f(t, y)` in double precision.
///
/// It is immutable and `Sync`; buffers belong to the caller, so one field serves many threads.
/// A field reads the first [`inputs`](Field::inputs) components of the state it is given.
pub trait Field: Send + Sync {
    /// The number of components of `y` that are read.
    fn inputs(&self) -> usize;
    /// The number of components that are written.
    fn outputs(&self) -> usize;
    /// Writes `f(t, y)` into `out`, of length [`outputs`](Field::outputs).
    ///
    /// # Errors
    /// [`EvalError`] where the function has no value; `out` is then unspecified. It is boxed so that the
    /// answer of the usual case fits a register.
    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>>;

    /// The operations that compute it, where they are known: for methods that ask for more than values.
    fn tape(&self) -> Option<&Tape> {
        None
    }

    /// The field as a value of its own type, for methods that look for a kind that they know: of a compiled
    /// tape they take several evaluations at once.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

/// A number at each time and state: a [`Field`] of one component.
pub trait Quantity: Send + Sync {
    /// The number of components of `y` that are read.
    fn inputs(&self) -> usize;
    /// The number at `(t, y)`.
    ///
    /// # Errors
    /// As [`Field::eval`].
    fn value(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<f64, Box<EvalError>>;
}

impl<Q: Quantity> Field for Q {
    fn inputs(&self) -> usize {
        Quantity::inputs(self)
    }

    fn outputs(&self) -> usize {
        1
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        out[0] = self.value(workspace, t, y)?;
        Ok(())
    }
}

/// A [`Field`] written as a Rust function, for closed forms and tests.
pub struct Formula<F> {
    inputs: usize,
    outputs: usize,
    function: F,
}

impl<F: Fn(f64, &[f64], &mut [f64]) + Send + Sync> Formula<F> {
    /// The field `function(t, y, out)` with `y` of length `inputs` and `out` of length `outputs`.
    pub fn new(inputs: usize, outputs: usize, function: F) -> Formula<F> {
        Formula {
            inputs,
            outputs,
            function,
        }
    }
}

impl<F: Fn(f64, &[f64], &mut [f64]) + Send + Sync> Field for Formula<F> {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn outputs(&self) -> usize {
        self.outputs
    }

    fn eval(
        &self,
        _: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        (self.function)(t, y, out);
        Ok(())
    }
}

/// Evaluates a field on the leading part of `y` and refuses infinite or undefined values.
///
/// # Errors
/// The field's own, or [`EvalError::NotFinite`].
pub fn evaluate(
    field: &dyn Field,
    workspace: &mut Workspace,
    t: f64,
    y: &[f64],
    out: &mut [f64],
) -> Result<(), Box<EvalError>> {
    field.eval(workspace, t, &y[..field.inputs()], out)?;
    if all_finite(out) {
        return Ok(());
    }
    match out.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Box::new(EvalError::NotFinite {
            what: format!("component {} of the field", index + 1),
        })),
    }
}

/// The quantities at a state, NaN where there are none: a quantity without a value has no zero.
pub(crate) fn values(
    quantities: &dyn Field,
    workspace: &mut Workspace,
    t: f64,
    y: &[f64],
) -> Vec<f64> {
    let mut all = vec![f64::NAN; quantities.outputs()];
    let y = &y[..quantities.inputs()];
    if quantities.eval(workspace, t, y, &mut all).is_err() {
        all.fill(f64::NAN);
    }
    all
}

/// A field with values for the last components that it reads, such as parameters.
pub struct Pinned<'a> {
    field: &'a dyn Field,
    last: &'a [f64],
    /// Made for the methods that ask for it.
    tape: OnceLock<Option<Tape>>,
}

impl<'a> Pinned<'a> {
    /// The field with these values.
    pub fn new(field: &'a dyn Field, last: &'a [f64]) -> Pinned<'a> {
        Pinned {
            field,
            last,
            tape: OnceLock::new(),
        }
    }
}

impl Field for Pinned<'_> {
    fn inputs(&self) -> usize {
        self.field.inputs() - self.last.len()
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
        if self.last.is_empty() {
            return self.field.eval(workspace, t, y, out);
        }
        let all = [&y[..self.inputs()], self.last].concat();
        self.field.eval(workspace, t, &all, out)
    }

    fn tape(&self) -> Option<&Tape> {
        let pinned = || Some(self.field.tape()?.pinned(self.last));
        self.tape.get_or_init(pinned).as_ref()
    }
}

/// The results of several fields, one after the other; NaN for those of one that has no value.
pub struct Joined<'a>(pub Vec<&'a dyn Field>);

impl<'a> Joined<'a> {
    /// Those of one, where there is one, then those of others.
    pub fn of(first: Option<&'a dyn Field>, others: &'a [impl Field]) -> Joined<'a> {
        let others = others.iter().map(|field| field as &dyn Field);
        Joined(first.into_iter().chain(others).collect())
    }

    /// Itself, where there are any.
    pub fn if_any(&self) -> Option<&dyn Field> {
        (!self.0.is_empty()).then_some(self)
    }
}

impl Field for Joined<'_> {
    fn inputs(&self) -> usize {
        self.0.iter().map(|field| field.inputs()).max().unwrap_or(0)
    }

    fn outputs(&self) -> usize {
        self.0.iter().map(|field| field.outputs()).sum()
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        mut out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        for field in &self.0 {
            let (values, rest) = out.split_at_mut(field.outputs());
            if field
                .eval(workspace, t, &y[..field.inputs()], values)
                .is_err()
            {
                values.fill(f64::NAN);
            }
            out = rest;
        }
        Ok(())
    }
}

/// Shared by several motions, so that it is compiled once.
impl<F: Field> Field for Arc<F> {
    fn inputs(&self) -> usize {
        (**self).inputs()
    }

    fn outputs(&self) -> usize {
        (**self).outputs()
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        (**self).eval(workspace, t, y, out)
    }

    fn tape(&self) -> Option<&Tape> {
        (**self).tape()
    }

    fn as_any(&self) -> Option<&dyn Any> {
        (**self).as_any()
    }
}

impl Field for Tape {
    fn inputs(&self) -> usize {
        self.inputs - 1
    }

    fn outputs(&self) -> usize {
        self.outputs.len()
    }

    fn tape(&self) -> Option<&Tape> {
        Some(self)
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        self.evaluate(None, workspace, (t, y), out)
    }
}
