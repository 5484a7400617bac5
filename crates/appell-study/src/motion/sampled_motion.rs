//! Expressions of the file along a computed motion, in whichever carrier gives them a value.

use crate::states::nearest::parameters_of;
use crate::values::derived::{Derived, MeasuredValues};
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_expr::Unbound;
use appell_flow::{Outcome, Trajectory};
use appell_mech::{Carrier, Unavailable, output};
use std::cell::OnceCell;
use std::rc::Rc;

/// A formalism's equations with the samples of a motion in its carrier.
pub struct Sampled<'g> {
    /// The equations with the outputs of the file.
    pub equations: Rc<Derived<'g>>,
    /// Times and states.
    pub states: Vec<(f64, Vec<f64>)>,
}

/// A motion in the carrier it was computed in, and in that of the parameters if it has one.
pub struct SampledMotion<'p, 'g> {
    /// The model.
    pub p: &'p Prepared<'g>,
    sampled: Sampled<'g>,
    /// The part of a motion that ends for want of values before digits are lost there: its first time, and the last one.
    sound: Option<[f64; 2]>,
    /// The parameters at the start, if they are known.
    z: Option<Vec<f64>>,
    on_parameters: OnceCell<Option<Sampled<'g>>>,
}

/// A compiled expression with the states it is to be evaluated at.
pub struct Expression<'a> {
    /// The expression with the sizes of its terms.
    pub field: Rc<MeasuredValues>,
    /// Times and states.
    pub states: &'a [(f64, Vec<f64>)],
}

/// The last part of a motion into a singular state, in which digits are lost.
const LOST: f64 = 0.02;

fn samples_of(trajectory: &Trajectory) -> impl Iterator<Item = f64> {
    trajectory.samples.iter().map(|sample| sample.t)
}

impl<'p, 'g> SampledMotion<'p, 'g> {
    /// Prepares the samples of a motion that was computed with these equations.
    pub fn new(
        p: &'p Prepared<'g>,
        equations: Rc<Derived<'g>>,
        trajectory: &Trajectory,
        z: Option<&[f64]>,
    ) -> Self {
        let length = equations.state.len();
        let samples = trajectory.samples.iter();
        let states = samples
            .map(|sample| (sample.t, sample.y[..length].to_vec()))
            .collect();
        let ends = [samples_of(trajectory).next(), samples_of(trajectory).last()];
        let sound = match (&trajectory.outcome, ends) {
            // Not even the start has accelerations.
            (Outcome::EvalError { .. }, [Some(first), Some(last)]) if first == last => {
                Some([f64::NAN; 2])
            }
            (
                Outcome::Singular { .. }
                | Outcome::SheetLost { .. }
                | Outcome::Underflow { .. }
                | Outcome::EvalError { .. },
                [Some(first), Some(last)],
            ) => Some([first, last - LOST * (last - first)]),
            _ => None,
        };
        Self {
            p,
            sampled: Sampled { equations, states },
            sound,
            z: z.map(<[f64]>::to_vec),
            on_parameters: OnceCell::new(),
        }
    }

    /// Whether digits may be lost at a time, since the motion ends there for want of values.
    pub fn loses_digits_at(&self, t: f64) -> bool {
        let within = |[first, last]: &[f64; 2]| (t - first).abs() <= (last - first).abs();
        self.sound.as_ref().is_some_and(|sound| !within(sound))
    }

    /// The named outputs as an expression in the first carrier that has a value for them.
    ///
    /// # Errors
    /// None has: the reasons.
    pub fn expression(&self, names: &[&str]) -> Result<Expression<'_>, Error> {
        let on = |carrier: &'_ Sampled<'g>| carrier.equations.interpreter(names);
        let found = on(&self.sampled).map(|_| &self.sampled).or_else(|unbound| {
            let other = self.parametric().filter(|other| on(other).is_ok());
            other.ok_or(unbound)
        });
        let missing: Unbound = match found {
            Ok(Sampled { equations, states }) => {
                let field = equations.measured_values(names)?;
                return Ok(Expression { field, states });
            }
            Err(unbound) => unbound,
        };
        let why = self
            .own()
            .equations
            .unavailable
            .iter()
            .map(|(_, why)| why.to_string());
        let mut all = vec![missing.to_string()];
        for why in why {
            if !all.contains(&why) {
                all.push(why);
            }
        }
        Err(Unavailable(all.join("; ")).into())
    }

    /// The equations the motion was computed with, and its states.
    pub fn own(&self) -> &Sampled<'g> {
        &self.sampled
    }

    /// The same on the parameters, where that is another carrier.
    fn parametric(&self) -> Option<&Sampled<'g>> {
        let found = || match self.sampled.equations.carrier {
            Carrier::Parameters => None,
            Carrier::Velocities | Carrier::Momenta => {
                on_parameters(self.p, &self.sampled, self.z.as_deref())
            }
        };
        self.on_parameters.get_or_init(found).as_ref()
    }
}

/// The same samples with the parameters `z` in place of the velocities, following their branch.
fn on_parameters<'g>(
    p: &Prepared<'g>,
    sampled: &Sampled<'g>,
    z: Option<&[f64]>,
) -> Option<Sampled<'g>> {
    let equations = p.forms().find(|form| form.carrier == Carrier::Parameters)?;
    let velocity = sampled.equations.interpreter(&[output::VELOCITY]).ok()?;
    let n = p.system.n();
    let mut branch = z.map(<[f64]>::to_vec);
    let mut states = Vec::with_capacity(sampled.states.len());
    for (t, y) in &sampled.states {
        let v = velocity.results(*t, y).ok()?;
        branch = parameters_of(p, *t, &y[..n], &v, branch.as_deref());
        states.push((*t, [&y[..n], branch.as_deref()?].concat()));
    }
    Some(Sampled { equations, states })
}
