//! Small deviations from the motions of members: Lyapunov exponents of each.

use super::starts::Dependence;
use crate::motion::lyapunov::{
    Deviations, Lyapunov, LyapunovOptions, durations, exponents, has_no_rows, tangent_space,
};
use crate::states::charts::is_in_velocities;
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_flow::method::Method;
use appell_flow::{Control, Field, Interpreter, Motion, Options, Pinned, integrate};
use appell_mech::Equations;
use appell_model::Code;

/// What is asked for of each member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponents {
    /// How many, the largest first.
    pub count: usize,
    /// How long the motion goes before growth is counted.
    pub discard: f64,
    /// The time between two orthonormalisations; by default a thousandth of the motion.
    pub interval: Option<f64>,
}

/// The motion of a member with deviations from it; compiled once, for threads.
pub struct MemberDeviations {
    asked: Exponents,
    /// Over the state, the deviations and behind them the parameters that differ.
    motion: Motion<'static, Box<dyn Field>>,
    /// The components of the state, and of each deviation.
    names: Vec<String>,
    settings: Options,
    method: &'static Method,
    durations: (f64, f64),
    /// The functions of `(t, (q, v))` with the file's parameters.
    functions: Interpreter,
    parameters: Vec<f64>,
    /// Which of the parameters differ.
    varied: Vec<usize>,
    is_free: bool,
}

impl MemberDeviations {
    /// What all members have in common; `(t, state)` is the start of the file, where it satisfies the constraints; `motion`
    /// has its parts compiled.
    ///
    /// # Errors
    /// A form whose state is not `(q, v)`; more exponents than deviations; times that do not fit.
    pub(super) fn new(
        p: &Prepared<'_>,
        equations: &Equations<'_>,
        dependence: &Dependence,
        (method, settings): (&'static Method, &Options),
        asked: Exponents,
        (t, state): (f64, Option<&[f64]>),
        motion: impl FnOnce() -> Result<Motion<'static, Box<dyn Field>>, appell_model::Diagnostic>,
    ) -> Result<Self, Error> {
        if !is_in_velocities(equations) {
            return Err(Error::question(
                Code::NotAllowed,
                format!(
                    "deviations are computed in forms whose state is (q, v), such as `multipliers`, not in `{}`",
                    equations.formalism.id
                ),
            ));
        }
        crate::motion::lyapunov::refuse_jumps(p)?;
        let is_free = has_no_rows(p);
        let basis = state.and_then(|state| tangent_space(p.functions(), is_free, t, state));
        if let Some(basis) = basis {
            crate::motion::lyapunov::refuse_count(asked.count, basis.len())?;
        }
        let options = LyapunovOptions {
            discard: asked.discard,
            interval: asked.interval,
            ..LyapunovOptions::default()
        };
        let inputs = equations.input_names();
        let deviation = |d: usize| {
            inputs
                .clone()
                .into_iter()
                .map(move |name| format!("d{d} {name}"))
        };
        let deviations: Vec<String> = (1..=asked.count).flat_map(deviation).collect();
        Ok(Self {
            asked,
            motion: motion()?,
            names: [inputs.clone(), deviations].concat(),
            durations: durations(&options, t, settings.until)?,
            settings: settings.clone(),
            method,
            functions: p.functions().clone(),
            parameters: p.parameters.to_vec(),
            varied: dependence.varied.clone(),
            is_free,
        })
    }

    /// What was asked for.
    pub fn asked(&self) -> Exponents {
        self.asked
    }

    /// The exponents of the motion from a state of a member with these values of the parameters that differ.
    ///
    /// # Errors
    /// The constraints have no tangent space, or leave fewer deviations.
    pub fn exponents(
        &self,
        t: f64,
        state: &[f64],
        parameters: &[f64],
        control: &mut Control<'_>,
    ) -> Result<Lyapunov, Error> {
        let mut all = self.parameters.clone();
        for (place, value) in self.varied.iter().zip(parameters) {
            all[*place] = *value;
        }
        let functions = self.functions.with_parameters(all);
        let pinned = self.motion.map(|field| Pinned::new(&**field, parameters));
        let motion = Motion {
            names: &self.names,
            ..pinned.map(|field| field as &dyn Field)
        };
        let deviations = Deviations {
            integrate: &|t, y, settings, control| {
                integrate(&motion, self.method, t, y, settings, control)
            },
            tangents: &|t, state| tangent_space(&functions, self.is_free, t, state),
            settings: &self.settings,
            count: self.asked.count,
        };
        exponents(&deviations, (t, state.to_vec()), self.durations, control)
    }
}
