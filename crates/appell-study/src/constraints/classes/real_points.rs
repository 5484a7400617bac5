//! Real points of rows: what prime fields say of a row is said of its complex zero set, of which the real points may
//! be a part of a smaller dimension, or none.

use crate::states::regular_points::any_regular_point;
use crate::values::prepared::Prepared;
use appell_expr::{Ball, Balls, Ex, Sketch};

/// Why nothing is said of curved rows without a real point.
pub(super) const NO_REAL_POINT: &str = "its zero set is curved over the complex numbers, and no real point of it is known at which it has a derivative";

/// Whether a real state is known, enclosed, where `row` holds and its zero set in the velocities is curved: there it
/// has a derivative `g = phi_v`, and `d phi_vv e` is not 0 for some `d`, `e` with `g d = g e = 0`.
pub(super) fn has_curved_state<'g>(p: &Prepared<'g>, row: Ex<'g>) -> bool {
    let v = &p.system.v;
    any_regular_point(p, &[row], v, |symbols, point, balls| {
        is_curved_at(row, v, symbols, point, balls)
    })
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
    let occurring = row.symbols();
    let v: Vec<Ex<'g>> = v
        .iter()
        .filter(|v| occurring.contains(v))
        .copied()
        .collect();
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
    let (slope, others) = (slopes[pivot], (0..v.len()).filter(|i| *i != pivot));
    let others: Vec<usize> = others.collect();
    let mut forms = Vec::new();
    for (place, i) in others.iter().enumerate() {
        for j in &others[..=place] {
            let (a, b) = (slopes[*i], slopes[*j]);
            let mixed = a * bend(pivot, *j) + b * bend(*i, pivot);
            forms.push(slope * slope * bend(*i, *j) - slope * mixed + a * b * bend(pivot, pivot));
        }
    }
    values(&forms).is_some_and(|all| all.iter().any(Ball::excludes_zero))
}
