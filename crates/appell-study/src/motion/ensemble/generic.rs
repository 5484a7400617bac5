//! Parameters that differ from member to member where the file's values are special.
//!
//! With `k = 1` a row may say what another one says; the equations of other members have it.

use super::members::Column;
use super::starts::{Base, Dependence};
use crate::constraints::special::{involved, special};
use crate::values::prepared::Prepared;
use appell_expr::Ex;

/// By so much, and this part of itself, a value is changed until it is not special.
const CHANGES: [f64; 6] = [0.013_7, -0.013_7, 0.137, -0.137, 0.000_137, -0.000_137];

/// The model with values for the parameters that differ that are not special, where the file's are; `None` where they are
/// not, or no others are found.
pub(super) fn generic<'g>(
    p: &Prepared<'g>,
    columns: &[Column],
    dependence: &Dependence,
) -> Option<Prepared<'g>> {
    let is_special = |p: &Prepared<'g>| !special_among(p, &dependence.varied).is_empty();
    if !is_special(p) {
        return None;
    }
    CHANGES.into_iter().find_map(|change| {
        // Each by another part: with equal ones rows may be equal.
        let row = columns.iter().enumerate().map(|(k, column)| match column {
            Column::Parameter(i) => {
                let change = change * (0.5 + (0.618 * k as f64).fract());
                p.parameters[*i] * (1.0 + change) + change
            }
            Column::Coordinate(_) | Column::Velocity(_) => 0.0,
        });
        let row: Vec<f64> = row.collect();
        let values = dependence.values(p, &row).ok()?;
        let other = p.with_parameters(values);
        (!is_special(&other) && Base::new(&other, columns, dependence).is_ok()).then_some(other)
    })
}

/// Which of these parameters, by their places, are special in their values.
pub(super) fn special_among(p: &Prepared<'_>, varied: &[usize]) -> Vec<usize> {
    let graph = p.system.graph;
    let symbols = varied
        .iter()
        .map(|i| graph.ex(p.model.parameters[*i].symbol));
    let symbols: Vec<Ex<'_>> = symbols.collect();
    // What no row speaks of makes no other model, and need not be looked at.
    let spoken = involved(p);
    if !symbols.iter().any(|symbol| spoken.contains(symbol)) {
        return Vec::new();
    }
    let values = special(p).map_or_else(Vec::new, |special| special.values);
    let is_special = |symbol: &Ex<'_>| values.iter().any(|(other, _)| other == symbol);
    let places = symbols.iter().enumerate();
    places
        .filter(|(_, symbol)| is_special(symbol))
        .map(|(place, _)| place)
        .collect()
}
