//! Integrals looked at in numbers: rates at the start and at states that Newton's method finds.
//!
//! Random points of a prime field need not lie on the component of the constraints on which the
//! start lies. What changes at a state of the model is no integral of it.

use super::hunt::Found;
use crate::prepared::Prepared;
use crate::scattered::scattered_constrained_state;
use crate::start::start;
use appell_flow::Interpreter;
use appell_mech::Equations;

/// States besides the start.
const STATES: u32 = 10;
/// A rate below this part of the terms it is summed from is rounding, and what the state misses
/// the constraints by.
const ROUNDING: f64 = 1e-6;
const RATE: &str = "rate of the candidate";

/// For each function whether it changes at one of the states, and where.
pub(super) fn changes<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    found: &[Found<'g>],
) -> Vec<Option<String>> {
    let mut where_it_changes = vec![None; found.len()];
    let scattered = (0..STATES).filter_map(|sample| scattered_constrained_state(p, sample));
    let own = start(p).ok().map(|s| (s.t, s.q, s.v, s.z));
    let states: Vec<_> = own
        .into_iter()
        .chain(scattered.map(|(t, q, v)| (t, q, v, None)))
        .collect();
    for (i, function) in found.iter().enumerate() {
        let Some(rate) = compiled(p, equations, function) else {
            continue;
        };
        where_it_changes[i] = states.iter().enumerate().find_map(|(place, (t, q, v, z))| {
            let state = p.carrier_state(equations.carrier, *t, q, v, z.as_deref())?;
            let rate = rate.measured(*t, &state).ok()?;
            let rate = rate.first()?;
            let moves = rate.value.is_finite() && rate.value.abs() > ROUNDING * rate.size;
            moves.then(|| words(place, v))
        });
    }
    where_it_changes
}

fn words(place: usize, v: &[f64]) -> String {
    match place {
        0 => "at the start".to_owned(),
        _ => {
            let v: Vec<String> = v.iter().map(|v| format!("{v:.3}")).collect();
            format!("where the velocities are {}", v.join(", "))
        }
    }
}

/// The rate as a function of the state.
fn compiled<'g>(
    p: &Prepared<'g>,
    equations: &Equations<'g>,
    found: &Found<'g>,
) -> Option<Interpreter> {
    let mut sketch = equations.sketch.clone();
    sketch.output_list(RATE, &[found.rate]);
    let symbols = [equations.t]
        .into_iter()
        .chain(equations.state.iter().copied());
    let symbols: Vec<_> = symbols
        .chain(equations.parameters.iter().copied())
        .collect();
    let program = sketch.program(&symbols, &[RATE]).ok()?;
    Some(Interpreter::new(program, &p.parameters))
}
