//! Motions that cannot go on where a force or a constraint jumps, as dry friction holds a body at rest.

use crate::motion::underflow::state;
use crate::values::outputs::{JumpOf, StateJump, jumps_of_state, unsmoothed};
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::{Ex, Function, Node};
use appell_flow::outcome::{steps_exhausted, too_small};
use appell_flow::{Motion, Outcome, Trajectory};
use appell_mech::Carrier;

/// What falls to this part of its largest value, at the end of a motion that cannot go on, is 0 but for steps
/// to and fro.
const VANISHED: f64 = 1e-6;
/// And what is never larger, as where a motion begins at rest.
const REST: f64 = 1e-9;

/// How the motion ended, where its steps were used up or became too small since a force jumps at the velocities
/// that it has come to: on both sides the force drives them back (a sliding motion in Filippov's sense). Or since a
/// constraint jumps there, which asks of the velocities to jump.
pub(crate) fn with_jump(
    p: &Prepared<'_>,
    carrier: Carrier,
    trajectory: &Trajectory,
) -> Option<String> {
    let jumps_of_state = jumps_of_state(p.model).into_iter().map(Jump::of_state);
    if let Outcome::Impassable { at, condition } = &trajectory.outcome {
        let mut jumps = jumps_of_state.filter(|jump| jump.condition.as_ref() == Some(condition));
        let so = jumps.next().map(|jump| jump.words())?;
        return Some(format!(
            "The motion cannot go on beyond this place, {at}: {so}"
        ));
    }
    let short = match &trajectory.outcome {
        Outcome::StepsExhausted { .. } | Outcome::Underflow { .. } => &trajectory.outcome,
        _ => return None,
    };
    let jumps = jumps_of_state.chain(jumps_of_rows(p));
    let mut jumps = jumps.chain(jumps_of_forces(p));
    let jump = jumps.find_map(|jump| {
        let (largest, last) = largest_and_last(p, carrier, trajectory, jump.vanishing)?;
        (last <= VANISHED * largest || largest <= REST).then_some(jump)
    })?;
    let why = jump.words();
    match short {
        Outcome::Underflow { at, step } => Some(too_small(at, *step, &why)),
        Outcome::StepsExhausted { at, steps } => Some(steps_exhausted(at, *steps, &why)),
        _ => None,
    }
}

/// States at which the size of a jump is looked at, and what of its terms is none.
const STATES: u32 = 3;
const NONE: f64 = 1e-12;

/// A motion without the places at which nothing jumps for these values of the parameters: `k*sign(x)` where `k = 0`.
pub(crate) fn without_idle_jumps<F>(p: &Prepared<'_>, motion: &mut Motion<'_, F>) {
    if !motion.stops.iter().any(|stop| stop.impassable) {
        return;
    }
    let n = 2 * p.system.n() as u32;
    let is_none_at = |jump: &StateJump<'_>, sample: u32| {
        let sizes: Vec<Ex<'_>> = jump
            .sizes
            .iter()
            .map(|x| p.system.graph.ex(x.id()))
            .collect();
        let state: Vec<f64> = (0..n).map(|i| scattered(sample * n + i)).collect();
        let sizes = p.functions_of(&sizes).measured(0.5, &state);
        sizes.is_ok_and(|sizes| sizes.iter().all(|x| x.value.abs() <= NONE * x.size))
    };
    let is_idle = |jump: &StateJump<'_>| (1..=STATES).all(|sample| is_none_at(jump, sample));
    let idle = jumps_of_state(p.model).into_iter().filter(is_idle);
    let idle: Vec<String> = idle.map(|jump| jump.condition()).collect();
    motion
        .stops
        .retain(|stop| !stop.impassable || !idle.contains(&stop.text));
}

/// A place where a force or a constraint jumps.
struct Jump<'g> {
    /// What is 0 there.
    vanishing: Ex<'g>,
    /// What that does, and what helps.
    so: String,
    /// The condition of a motion that has come to it, where no motion leads through.
    condition: Option<String>,
}

impl<'g> Jump<'g> {
    fn of_force(vanishing: Ex<'g>, smooth: &str) -> Self {
        let so = format!(
            "where the force jumps, and each step crosses the jump anew, as where dry friction holds a body at rest. \
             End the motion before it with a `stop` condition, or use a force without a jump, as {smooth} with a small \
             velocity `v0`."
        );
        Self {
            vanishing,
            so,
            condition: None,
        }
    }

    fn of_state(jump: StateJump<'g>) -> Self {
        let so = match &jump.of {
            JumpOf::Range { function, .. } => format!(
                "and beyond, the constraint asks for a value out of the range of `{function}`: no velocities satisfy it. End the \
                 motion before it with a `stop` condition; where another branch is meant too, write the constraint without this \
                 function, as `z^2 = u` for `z = sqrt(u)`."
            ),
            JumpOf::Momentum => {
                "where the momentum jumps, for a position or the kinetic energy has a corner: the velocities would have to \
                 jump as well, and no equation of motion says how. End the motion before it with a `stop` condition, or \
                 round the corner, as `sqrt(u^2 + e^2)` does for `abs(u)`."
                    .to_owned()
            }
            JumpOf::Energy => {
                "where the potential energy jumps: the force is infinite there. End the motion before it with a `stop` \
                 condition, or use a potential without a jump, as with `tanh(u/e)` for `sign(u)`."
                    .to_owned()
            }
        };
        Self {
            vanishing: jump.u,
            so,
            condition: Some(jump.condition()),
        }
    }

    fn words(&self) -> String {
        format!(
            "`{}` is 0 there but for rounding, {}",
            self.vanishing, self.so
        )
    }

    fn of_row(vanishing: Ex<'g>, row: &str) -> Self {
        let so = format!(
            "where the constraint `{row}` jumps: the velocities would have to jump with it, and no equation of motion \
             says how. End the motion before it with a `stop` condition, or write a constraint without a jump."
        );
        Self {
            vanishing,
            so,
            condition: None,
        }
    }
}

/// `u` of every `sign(u)` in a row `phi(q, v, t) = 0`.
fn jumps_of_rows<'g>(p: &Prepared<'g>) -> impl Iterator<Item = Jump<'g>> {
    let graph = p.system.graph;
    let rows = p.constraints.rows.iter();
    rows.filter_map(|row| Some((row, row.phi?)))
        .flat_map(move |(row, phi)| {
            let reached = graph.reachable(&[phi.id()]).into_iter();
            reached.filter_map(move |id| match graph.node(id) {
                Node::Call(Function::Sign, u) => Some(Jump::of_row(graph.ex(u[0]), &row.name)),
                _ => None,
            })
        })
}

/// `u` of every `sign(u)` that no factor makes continuous, and the roots by which velocities are divided, in the active forces.
fn jumps_of_forces<'g>(p: &Prepared<'g>) -> Vec<Jump<'g>> {
    let graph = p.system.graph;
    let forces: Vec<_> = p.system.force.entries().iter().map(|x| x.id()).collect();
    let (mut found, jumping) = (Vec::new(), unsmoothed(graph, &forces));
    for id in graph.reachable(&forces) {
        match graph.node(id) {
            Node::Call(Function::Sign, u) if jumping.contains(&id) => {
                let vanishing = graph.ex(u[0]);
                let smooth = format!("`tanh(({vanishing})/v0)`");
                found.push(Jump::of_force(vanishing, &smooth));
            }
            Node::Product(factors) => {
                let below = factors
                    .iter()
                    .filter(|(_, e)| e.is_negative() && !e.is_integer());
                for (base, _) in below {
                    let vanishing = graph.ex(*base);
                    if p.system.v.iter().any(|v| vanishing.depends_on(*v)) {
                        let smooth = format!("`sqrt({vanishing} + v0^2)` in the denominator,");
                        found.push(Jump::of_force(vanishing, &smooth));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// The largest absolute value of an expression of the state over the samples of a motion, and that at its end.
fn largest_and_last(
    p: &Prepared<'_>,
    carrier: Carrier,
    trajectory: &Trajectory,
    x: Ex<'_>,
) -> Option<(f64, f64)> {
    let compiled = p.functions_of(&[p.system.graph.ex(x.id())]);
    let value = |sample: &appell_flow::Sample| -> Option<f64> {
        let state = state(p, carrier, sample.t, &sample.y)?;
        let values = compiled
            .results(state.t, &[state.q, state.v].concat())
            .ok()?;
        values.first().map(|value| value.abs())
    };
    let last = value(trajectory.samples.last()?)?;
    let values = trajectory.samples.iter().filter_map(value);
    Some((values.fold(last, f64::max), last))
}
