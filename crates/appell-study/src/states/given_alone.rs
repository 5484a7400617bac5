//! What the file says of its start, where the constraints contradict it.

use crate::states::nearest::parameters_of;
use crate::states::residuals::scaled_residual;
use crate::states::start::{Given, at_rest};
use crate::states::velocity_problem::VelocityProblem;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use crate::values::rows::SOLVED;

/// What the equations of the file say of a start that the constraints contradict, with the rest nearest to rest: others may
/// begin elsewhere. `None` where they contradict each other.
pub(crate) fn said<'g>(p: &Prepared<'g>, given: &Given<'g>) -> Option<Start> {
    let (t, remarks) = (p.constant(p.model.initial.time), &mut Vec::new());
    let rows = p.rows(&given.positions, &[], &p.system.q);
    let found = rows.minimize(t, &[], &at_rest(p)).ok();
    let q = found.filter(|found| found.residual <= SOLVED)?.w;
    let problem = VelocityProblem::new(p, t, &q, given).ok()?;
    let wanted = problem.wanted(p, given, remarks).ok();
    let wanted = wanted.filter(|found| found.residual <= SOLVED)?;
    let (v, z) = problem.split(&wanted.w);
    let residual = p.measure(t, &q, &v).map(|m| scaled_residual(&m));
    let residual = residual.unwrap_or(f64::NAN);
    Some(Start {
        t,
        z: z.or_else(|| parameters_of(p, t, &q, &v, None)),
        q,
        v,
        given: Vec::new(),
        projected: true,
        residual_before: residual,
        residual_after: residual,
        remarks: Vec::new(),
    })
}
