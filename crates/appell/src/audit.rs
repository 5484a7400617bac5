//! Expressions of the file along a computed motion, in whichever carrier gives them a value.

use crate::derived::Derived;
use crate::nearest::parameters_of;
use crate::prepared::Prepared;
use crate::report::drawn;
use appell_expr::{Id, Unbound};
use appell_flow::{Interpreter, Trajectory};
use appell_mech::{Carrier, Equations, FORMALISMS, output};
use appell_model::{ClaimKind, Model};
use std::cell::OnceCell;
use std::rc::Rc;

/// A formalism's equations with the samples of a motion in its carrier.
pub(crate) struct Sampled<'g> {
    pub equations: Rc<Derived<'g>>,
    pub states: Vec<(f64, Vec<f64>)>,
}

/// A motion in the carrier it was computed in, and in that of the parameters if it has one.
pub(crate) struct Audit<'p, 'g> {
    pub p: &'p Prepared<'g>,
    own: Sampled<'g>,
    /// The parameters at the start, if they are known.
    z: Option<Vec<f64>>,
    on_parameters: OnceCell<Option<Sampled<'g>>>,
}

/// A compiled expression with the states it is to be evaluated at.
pub(crate) struct Expression<'a> {
    pub field: Rc<Interpreter>,
    pub states: &'a [(f64, Vec<f64>)],
}

pub(crate) fn claim_output(index: usize) -> String {
    format!("claim {index}")
}

pub(crate) fn domain_output(index: usize) -> String {
    format!("domain {index}")
}

pub(crate) fn stop_output(index: usize) -> String {
    format!("stop {index}")
}

pub(crate) fn plot_output(plot: usize, curve: usize) -> String {
    format!("plot {plot} {curve}")
}

pub(crate) fn drawn_output(index: usize) -> String {
    format!("drawn {index}")
}

/// Adds the expressions of claims, stops, plots and of what is drawn to the outputs.
pub(crate) fn write_outputs(model: &Model, equations: &mut Equations<'_>) {
    let graph = equations.sketch.graph();
    let mut write = |name: String, ids: &[Id]| equations.sketch.output_list(&name, &graph.exs(ids));
    for (index, claim) in model.claims.iter().enumerate() {
        match &claim.kind {
            ClaimKind::Constant(x) => write(claim_output(index), &[*x]),
            ClaimKind::Equation(rows) => write(claim_output(index), rows),
            ClaimKind::Always(condition) => write(claim_output(index), &[condition.difference]),
            ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => {}
        }
        let domain: Vec<Id> = claim.domain.iter().map(|c| c.difference).collect();
        write(domain_output(index), &domain);
    }
    for (index, stop) in model.simulate.stop.iter().enumerate() {
        write(stop_output(index), &[stop.difference]);
    }
    for (i, plot) in model.plots.iter().enumerate() {
        for (j, (_, y)) in plot.y.iter().enumerate() {
            write(plot_output(i, j), &[plot.x.1, *y]);
        }
    }
    for (index, ids) in drawn(model).iter().enumerate() {
        write(drawn_output(index), ids);
    }
}

impl<'p, 'g> Audit<'p, 'g> {
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
        Self {
            p,
            own: Sampled { equations, states },
            z: z.map(<[f64]>::to_vec),
            on_parameters: OnceCell::new(),
        }
    }

    /// The named outputs as an expression in the first carrier that has a value for them.
    ///
    /// # Errors
    /// None has: the reasons.
    pub fn expression(&self, names: &[&str]) -> Result<Expression<'_>, String> {
        let on = |carrier: &'_ Sampled<'g>| carrier.equations.interpreter(names);
        let own = on(&self.own).map(|field| (field, &self.own.states));
        let found = own.or_else(|unbound| {
            let other = self.parametric().ok_or_else(|| unbound.clone())?;
            let field = on(other).map_err(|_| unbound)?;
            Ok((field, &other.states))
        });
        let missing: Unbound = match found {
            Ok((field, states)) => return Ok(Expression { field, states }),
            Err(unbound) => unbound,
        };
        let why = self
            .own()
            .equations
            .unavailable
            .iter()
            .map(|(_, why)| why.to_string());
        Err([missing.to_string()]
            .into_iter()
            .chain(why)
            .collect::<Vec<_>>()
            .join("; "))
    }

    /// The equations the motion was computed with, and its states.
    pub fn own(&self) -> &Sampled<'g> {
        &self.own
    }

    /// The same on the parameters, where that is another carrier.
    fn parametric(&self) -> Option<&Sampled<'g>> {
        let found = || match self.own.equations.carrier {
            Carrier::Parameters => None,
            Carrier::Velocities | Carrier::Momenta => {
                on_parameters(self.p, &self.own, self.z.as_deref())
            }
        };
        self.on_parameters.get_or_init(found).as_ref()
    }
}

/// The same samples with the parameters `z` in place of the velocities, following their branch.
fn on_parameters<'g>(
    p: &Prepared<'g>,
    own: &Sampled<'g>,
    z: Option<&[f64]>,
) -> Option<Sampled<'g>> {
    let derived = FORMALISMS.iter().filter_map(|form| p.form(form).ok());
    let equations = derived
        .filter(|e| e.carrier == Carrier::Parameters)
        .take(1)
        .next()?;
    let velocity = own.equations.interpreter(&[output::VELOCITY]).ok()?;
    let n = p.system.n();
    let mut branch = z.map(<[f64]>::to_vec);
    let mut states = Vec::with_capacity(own.states.len());
    for (t, y) in &own.states {
        let v = velocity.results(*t, y).ok()?;
        branch = parameters_of(p, *t, &y[..n], &v, branch.as_deref());
        states.push((*t, [&y[..n], branch.as_deref()?].concat()));
    }
    Some(Sampled { equations, states })
}
