//! In which order velocities are eliminated from affine rows.

use crate::states::start::start;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use appell_expr::Matrix;
use appell_flow::linear;

/// The order in which affine rows `[A | s]`, k x (n + 1), make velocities dependent: the last ones first, but before them
/// those whose columns of `A` are independent at the start. No denominator vanishes there then, and other rows with
/// the dependent velocities put in say at the start what they say about it: `x'^2 + y'^2 = z'^2` beside `x' cos(z) +
/// y' sin(z) = 0` is `x'^2 = z'^2 sin(z)^2`, which both signs of the root satisfy at `z = 0`, or `y'^2 = z'^2 cos(z)^2`.
pub(crate) fn order_at_start<'g>(p: &Prepared<'g>, rows: &Matrix<'g>) -> Vec<usize> {
    let n = p.system.n();
    let order: Vec<usize> = (0..n).rev().collect();
    let at_start = |start: Start| {
        let state = [start.q.as_slice(), &start.v].concat();
        let entries = p.functions_of(rows.entries());
        entries.measured(start.t, &state).ok()
    };
    let Some(entries) = start(p).ok().and_then(at_start) else {
        return order;
    };
    let mut independent: Vec<usize> = Vec::new();
    for column in &order {
        let wider = [&independent[..], &[*column]].concat();
        let chosen = || {
            let lines = entries.chunks(rows.columns());
            lines.flat_map(|line| wider.iter().map(|j| line[*j]))
        };
        let values: Vec<f64> = chosen().map(|x| x.value).collect();
        let sizes: Vec<f64> = chosen().map(|x| x.size).collect();
        if linear::rank(rows.rows(), wider.len(), &values, &sizes) == wider.len() {
            independent = wider;
        }
    }
    let (mut first, others): (Vec<_>, Vec<_>) = order
        .into_iter()
        .partition(|column| independent.contains(column));
    first.extend(others);
    first
}
