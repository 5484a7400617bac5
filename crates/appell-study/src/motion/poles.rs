//! Poles of the user's own parameters of the velocities, as of `y' = u*tan(theta)` where `theta` passes a right angle.
//!
//! Beside one a parameter is small and its part in the velocities is not, so that errors of the parameter within the
//! tolerances are large ones of the motion.

use crate::values::derived::Derived;
use crate::values::derived::fields::{compiled, fields_of};
use appell_flow::{
    Backend, Compiled, CrossingSense, EvalError, Field, Options, Outcome, Quantity, Stop, Workspace,
};
use appell_mech::{Carrier, output};
use appell_model::Diagnostic;

/// Tells the end of a part of the motion from the user's stop conditions.
const NEAR: &str = "the velocities have a pole as functions of the parameters";

/// Parameters are left where their errors within the tolerances make more than so many tolerances of the velocities.
const AMPLIFIED: f64 = 30.0;

/// The distance to a pole: what the tolerances allow of the velocities, less what they allow of the parameters in these.
pub(crate) struct Poles {
    /// `Psi^T M Psi`.
    gram: Compiled,
    /// The number of coordinates.
    n: usize,
    rtol: f64,
    atol: f64,
    /// The lengths of the columns of `Psi` in the metric at the start.
    lengths: Vec<f64>,
}

impl Poles {
    /// None where a form does not move by parameters, or these say nothing of the velocities at the start.
    ///
    /// # Errors
    /// A form without these functions.
    pub fn of(
        equations: &Derived<'_>,
        n: usize,
        backend: &Backend,
        options: &Options,
        (t, y): (f64, &[f64]),
    ) -> Result<Option<Self>, Diagnostic> {
        let known = equations.sketch.get(output::GRAM).is_some();
        if equations.carrier != Carrier::Parameters || !known {
            return Ok(None);
        }
        let mut poles = Self {
            gram: compiled(&*fields_of(equations, &[output::GRAM])?, backend)?,
            n,
            rtol: options.rtol,
            atol: options.atol,
            lengths: Vec::new(),
        };
        let at_start = poles.lengths(&mut Workspace::default(), t, y);
        poles.lengths = at_start.map(|(lengths, _)| lengths).unwrap_or_default();
        let known = !poles.lengths.is_empty() && poles.lengths.iter().all(|length| *length > 0.0);
        Ok(known.then_some(poles))
    }

    /// The condition under which the parameters are left.
    pub fn leave(&self) -> Stop<&dyn Field> {
        Stop {
            gap: self,
            crossing: CrossingSense::Falling,
            text: NEAR.to_owned(),
            deepest: false,
            impassable: false,
        }
    }

    /// The lengths of the columns of `Psi` in the metric, and that of `Psi z`.
    fn lengths(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
    ) -> Result<(Vec<f64>, f64), Box<EvalError>> {
        let mut gram = vec![0.0; self.gram.outputs()];
        self.gram
            .eval(workspace, t, &y[..self.gram.inputs()], &mut gram)?;
        let m = gram.len().isqrt();
        let z = &y[self.n..self.n + m];
        let lengths = (0..m).map(|j| gram[j * m + j].max(0.0).sqrt());
        let square = |(k, x): (usize, &f64)| x * z[k / m] * z[k % m];
        let speed: f64 = gram.iter().enumerate().map(square).sum();
        Ok((lengths.collect(), speed.max(0.0).sqrt()))
    }
}

impl Quantity for Poles {
    fn inputs(&self) -> usize {
        self.gram.inputs()
    }

    fn value(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<f64, Box<EvalError>> {
        let (lengths, speed) = self.lengths(workspace, t, y)?;
        let gap = |((j, length), first): ((usize, &f64), &f64)| {
            let allowed = self.atol * first + self.rtol * speed;
            AMPLIFIED * allowed - length * (self.atol + self.rtol * y[self.n + j].abs())
        };
        let gaps = lengths.iter().enumerate().zip(&self.lengths).map(gap);
        Ok(gaps.fold(f64::INFINITY, f64::min))
    }
}

/// Whether a motion was left near a pole.
pub(crate) fn is_near(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Stopped { condition, .. } if condition == NEAR)
}

/// Why it was left, in words.
pub(crate) fn in_words(equations: &Derived<'_>, n: usize) -> String {
    let names = equations.input_names();
    let quoted = names.iter().skip(n).map(|name| format!("`{name}`"));
    format!(
        "small errors of {} make large errors of the velocities from there on, as near a pole of `psi`",
        quoted.collect::<Vec<_>>().join(", ")
    )
}
