//! Real points of rows: what prime fields say of a row is said of its complex zero set, of which the real points may
//! be a part of a smaller dimension, or none.

use crate::states::ranks::parameters_in_force;
use crate::states::scattered_states::{scattered_constrained_state, scattered_state};
use crate::states::start::start;
use crate::values::found::Scattered;
use crate::values::prepared::Prepared;
use appell_expr::{Approach, Ball, Balls, Ex, Rational, Sketch};

/// Bits of the enclosures.
const BITS: u64 = 256;
/// States from which real points are sought, on the constraints and anywhere.
const SCATTERED: u32 = 4;
const ANYWHERE: u32 = 24;
/// Sizes of the velocities from which they are sought.
const SIZES: [f64; 3] = [1.0, 0.1, 30.0];
/// Products of balls that one search may cost.
const WORK: u64 = 300_000;

/// Whether a real state is known, enclosed, where `row` holds and its zero set in the velocities is curved: there it
/// has a derivative `g = phi_v`, and `d phi_vv e` is not 0 for some `d`, `e` with `g d = g e = 0`.
pub(super) fn has_curved_state<'g>(p: &Prepared<'g>, row: Ex<'g>) -> bool {
    let v = &p.system.v;
    let mut locus = parameters_in_force(p);
    locus.on(vec![row], v.clone());
    let symbols: Vec<Ex<'g>> = locus
        .symbols()
        .iter()
        .map(|s| row.graph().ex(s.id()))
        .collect();
    let Ok(approach) = locus.approach() else {
        return false;
    };
    if approach.work() > WORK {
        return false;
    }
    let mut balls = Balls::new(BITS);
    guesses(p).any(|guess| {
        let point = point_near(p, &approach, &guess, &mut balls);
        point.is_some_and(|point| is_curved_at(row, v, &symbols, &point, &mut balls))
    })
}

/// States near which points are sought: the start, states on the constraints, and any.
fn guesses<'p>(p: &'p Prepared<'_>) -> impl Iterator<Item = Scattered> + 'p {
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
    (t, q, v): &Scattered,
    balls: &mut Balls,
) -> Option<Vec<Ball>> {
    let state = [t].into_iter().chain(q).chain(v);
    let numbers = state.chain(&p.parameters);
    let guess: Option<Vec<Rational>> = numbers
        .map(|x| Rational::from_decimal(&format!("{x:.6e}")))
        .collect();
    let found = approach.near(&guess?, balls).ok()?;
    (found.rank == 1 && !found.dependent).then_some(found.point)
}

/// Whether the second fundamental form is not 0 at a point of the zero set.
fn is_curved_at<'g>(
    row: Ex<'g>,
    v: &[Ex<'g>],
    symbols: &[Ex<'g>],
    point: &[Ball],
    balls: &mut Balls,
) -> bool {
    let mut values = |xs: &[Ex<'g>]| {
        let mut sketch = Sketch::new(row.graph());
        sketch.output_list("values", xs);
        let program = sketch.program(symbols, &["values"]).ok()?;
        balls.run(&program, point).ok()
    };
    // Velocities that the row does not speak of bend nothing.
    let own = row.symbols();
    let v: Vec<Ex<'g>> = v.iter().filter(|v| own.contains(v)).copied().collect();
    let slopes = row.partials(&v);
    let Some(found) = values(&slopes) else {
        return false;
    };
    let steep = (0..v.len()).filter(|i| found[*i].excludes_zero());
    let size = |i: &usize| found[*i].to_f64().abs();
    let Some(pivot) = steep.max_by(|a, b| size(a).total_cmp(&size(b))) else {
        return false;
    };
    // Directions `d_i = phi_p e_i - phi_i e_p` of the plane that touches.
    let bend = |i: usize, j: usize| slopes[i].diff(v[j]);
    let (own, others) = (slopes[pivot], (0..v.len()).filter(|i| *i != pivot));
    let others: Vec<usize> = others.collect();
    let mut forms = Vec::new();
    for (place, i) in others.iter().enumerate() {
        for j in &others[..=place] {
            let (a, b) = (slopes[*i], slopes[*j]);
            let mixed = a * bend(pivot, *j) + b * bend(*i, pivot);
            forms.push(own * own * bend(*i, *j) - own * mixed + a * b * bend(pivot, pivot));
        }
    }
    values(&forms).is_some_and(|all| all.iter().any(Ball::excludes_zero))
}
