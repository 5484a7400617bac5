//! Starts that are as near to 0 as their mirror images.

use crate::states::start::{Given, satisfied};
use crate::values::prepared::Prepared;
use appell_expr::Ex;

/// Of coordinates that satisfy the equations and the holonomic rows with either sign, as near to 0, those that are positive:
/// of `x^2 = p` rounding would choose.
pub(super) fn positive_image<'g>(
    p: &Prepared<'g>,
    t: f64,
    given: &Given<'g>,
    mut w: Vec<f64>,
    remarks: &mut Vec<String>,
) -> Vec<f64> {
    let rows: Vec<Ex<'g>> = given
        .positions
        .iter()
        .copied()
        .chain(p.constraints.positions())
        .collect();
    let is_given = |i: usize| given.outright.iter().any(|(other, _)| *other == i);
    let is_free = |i: usize| p.model.coordinates[i].rest == 0 && !is_given(i);
    let mut names = Vec::new();
    let moves = |i: usize| w[i] != 0.0 && is_free(i);
    let opposite = |i: usize| if moves(i) { -w[i] } else { w[i] };
    let (first, opposite) = (
        (0..w.len()).find(|i| moves(*i)),
        (0..w.len()).map(opposite).collect::<Vec<f64>>(),
    );
    if first.is_some_and(|i| w[i] < 0.0) && satisfied(p, t, &rows, &opposite) {
        w = opposite;
    }
    for (i, coordinate) in p.model.coordinates.iter().enumerate() {
        if w[i] == 0.0 || !is_free(i) {
            continue;
        }
        let mut image = w.clone();
        image[i] = -w[i];
        if satisfied(p, t, &rows, &image) {
            w[i] = w[i].abs();
            names.push(format!("`{}`", coordinate.name));
        }
    }
    if !names.is_empty() {
        let names = names.join(", ");
        remarks.push(format!(
            "the equations hold with either sign of {names}: the positive was taken; give more in `state` to choose"
        ));
    }
    w
}
