//! Real points where rows hold and are independent, enclosed: that there is one is certain, whatever numbers beside it
//! look like.

use crate::states::ranks::parameters_in_force;
use crate::states::scattered_states::{scattered_constrained_state, scattered_state};
use crate::states::start::start;
use crate::values::found::SampleState;
use crate::values::prepared::Prepared;
use appell_expr::{Approach, Ball, Balls, Ex, Rational};

/// Bits of the enclosures.
const BITS: u64 = 256;
/// States from which real points are sought, on the constraints and anywhere.
const SCATTERED: u32 = 4;
const ANYWHERE: u32 = 24;
/// Sizes of the velocities from which they are sought.
const SIZES: [f64; 3] = [1.0, 0.1, 30.0];
/// Products of balls that one search may cost.
const WORK: u64 = 300_000;

/// Whether something is true at a point that is found where the rows hold, solved for these unknowns, and their
/// derivatives by them are independent: given the symbols of the model and their values there.
pub(crate) fn any_regular_point<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    unknowns: &[Ex<'g>],
    mut is_true: impl FnMut(&[Ex<'g>], &[Ball], &mut Balls) -> bool,
) -> bool {
    let mut locus = parameters_in_force(p);
    locus.on(rows.to_vec(), unknowns.to_vec());
    let symbols = locus.symbols().iter();
    let symbols: Vec<Ex<'g>> = symbols.map(|s| p.system.graph.ex(s.id())).collect();
    let Ok(approach) = locus.approach() else {
        return false;
    };
    if approach.work() > WORK {
        return false;
    }
    let mut balls = Balls::new(BITS);
    guesses(p).any(|guess| {
        let point = point_near(p, &approach, rows.len(), &guess, &mut balls);
        point.is_some_and(|point| is_true(&symbols, &point, &mut balls))
    })
}

/// States near which points are sought: the start, states on the constraints, and any.
fn guesses<'p>(p: &'p Prepared<'_>) -> impl Iterator<Item = SampleState> + 'p {
    let begun = start(p).ok().map(|start| (start.t, start.q, start.v));
    let on = (0..SCATTERED).filter_map(|sample| scattered_constrained_state(p, sample));
    let anywhere = (0..ANYWHERE).map(|sample| {
        let (t, q, v) = scattered_state(p, 31 * sample);
        let size = SIZES[sample as usize % SIZES.len()];
        (t, q, v.into_iter().map(|x| size * x).collect())
    });
    begun.into_iter().chain(on).chain(anywhere)
}

fn point_near(
    p: &Prepared<'_>,
    approach: &Approach,
    rows: usize,
    (t, q, v): &SampleState,
    balls: &mut Balls,
) -> Option<Vec<Ball>> {
    let state = [t].into_iter().chain(q).chain(v);
    let numbers = state.chain(&p.parameters);
    let guess: Option<Vec<Rational>> = numbers
        .map(|x| Rational::from_decimal(&format!("{x:.6e}")))
        .collect();
    let found = approach.near(&guess?, balls).ok()?;
    (found.rank == rows && !found.dependent).then_some(found.point)
}
