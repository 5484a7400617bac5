//! Results that are functions of `(q, v_i, t)`: `L*`, `T*`, `alpha`, and Voronec's coefficients.

use crate::constraints::Constraints;
use crate::dependence::Dependence;
use crate::equations::Equations;
use crate::output;
use crate::state_function::{Found, state_function};
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::Ex;
use appell_model::Quantity;

/// Whether its partial derivatives are those at `v_d = alpha(q, v_i, t)`.
pub(crate) fn is_restricted(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::LagrangianStar | Quantity::KineticStar | Quantity::AlphaDependent(_) => true,
        Quantity::Partial(inner, _) => is_restricted(inner),
        _ => false,
    }
}

/// `B_r^nu` for the velocities of the coordinates r (independent) and i (dependent).
pub(crate) fn voronec<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    equations: &mut Equations<'g>,
    r: usize,
    i: usize,
) -> Found<'g> {
    let alpha = Dependence::new(system, constraints)?;
    let place = |list: &[usize], wanted| list.iter().position(|index| *index == wanted);
    let (Some(column), Some(row)) = (
        place(alpha.independent_indices(), r),
        place(alpha.dependent_indices(), i),
    ) else {
        return Err(Unavailable(
            "B(r, x) is for an independent velocity r and a dependent one x".to_owned(),
        ));
    };
    if equations.sketch.get(output::VORONEC).is_none() {
        let rates = Dependence::along_motion(system);
        let slope = alpha.by(&mut equations.sketch, &alpha.independent);
        let b = alpha.coefficients(system, &mut equations.sketch, &slope, &rates);
        equations.sketch.output(output::VORONEC, b);
    }
    let b = equations.sketch.get(output::VORONEC);
    Ok(b.expect("it was written above if it was not there")[(row, column)])
}

/// Derivatives of functions of `(q, v_i, t)`.
pub(crate) struct Restricted<'s, 'g> {
    system: &'s System<'g>,
    constraints: &'s Constraints<'g>,
    alpha: Dependence<'g>,
}

impl<'s, 'g> Restricted<'s, 'g> {
    /// Reads the chart.
    ///
    /// # Errors
    /// No independent velocities.
    pub fn new(
        system: &'s System<'g>,
        constraints: &'s Constraints<'g>,
    ) -> Result<Self, Unavailable> {
        Ok(Self {
            system,
            constraints,
            alpha: Dependence::new(system, constraints)?,
        })
    }

    /// `d f*/dx`; zero for a dependent velocity, as `alpha_x = -1` there or `f*` is free of it.
    pub fn partial(&self, equations: &mut Equations<'g>, f: &Quantity, x: Ex<'g>) -> Found<'g> {
        self.is_argument(x)?;
        let f = self.inner(f)?;
        let alpha_x = self.alpha.by(&mut equations.sketch, &[x]);
        Ok(self.alpha.star(f, &[x], &alpha_x)[(0, 0)])
    }

    /// `d/dt (d f*/dx)` along the motion.
    pub fn partial_rate(
        &self,
        equations: &mut Equations<'g>,
        f: &Quantity,
        x: Ex<'g>,
    ) -> Found<'g> {
        self.is_argument(x)?;
        let f = self.inner(f)?;
        let (alpha, rates) = (&self.alpha, Dependence::along_motion(self.system));
        let alpha_x = alpha.by(&mut equations.sketch, &[x]);
        let alpha_x_rate = alpha.by_rate(&mut equations.sketch, &[x], &alpha_x, &rates);
        Ok(alpha.star_rate(f, &[x], &alpha_x, &alpha_x_rate, &rates)[(0, 0)])
    }

    /// The function itself, of `(q, v, t)`; a derivative only where `alpha` is an expression.
    fn inner(&self, f: &Quantity) -> Found<'g> {
        let Quantity::Partial(inner, x) = f else {
            return state_function(self.system, self.constraints, f);
        };
        let x = self.system.graph.ex(*x);
        self.is_argument(x)?;
        let inner = self.alpha.expression(self.inner(inner)?);
        inner.map(|f| f.diff(x)).ok_or_else(|| {
            Unavailable("second derivatives need a constraint that is solved".to_owned())
        })
    }

    /// `q`, `v`, `t` and parameters.
    fn is_argument(&self, x: Ex<'g>) -> Result<(), Unavailable> {
        let variables = &self.system.model.motion.variables;
        if variables
            .iter()
            .any(|z| z.symbol == x.id() || z.rate == x.id())
        {
            let name = x.symbol_name().unwrap_or_default();
            return Err(Unavailable(format!(
                "L*, T* and alpha are functions of coordinates and velocities, not of {name}"
            )));
        }
        Ok(())
    }
}
