//! How far a state misses its constraints.

use crate::values::measurement::Measurement;
use crate::values::prepared::Prepared;
use appell_expr::Ex;
use appell_flow::{Measured, residual};
use appell_mech::function;

/// `phi` of every row that holds on velocity level, derivatives of holonomic ones included.
pub(crate) fn velocity_rows<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    p.constraints
        .active()
        .filter_map(|row| row.phi)
        .chain(p.constraints.hidden.iter().map(|row| row.rate))
        .collect()
}

/// `v - psi` and `z`.
pub(crate) fn rows_of_motion<'g>(p: &Prepared<'g>) -> Option<(Vec<Ex<'g>>, Vec<Ex<'g>>)> {
    let parametric = p.constraints.parametric.as_ref()?;
    let rows = p.system.v.iter().zip(parametric.psi.entries());
    let rows = rows.map(|(v, psi)| *v - *psi);
    Some((rows.collect(), parametric.z.clone()))
}

/// The largest residual of velocity and position rows, each relative to its terms.
pub fn scaled_residual(m: &Measurement<'_>) -> f64 {
    let [velocities, positions] = residuals(m);
    let all = velocities.into_iter().chain(positions);
    all.fold(
        0.0,
        |worst, x| if x.is_nan() { x } else { f64::max(worst, x) },
    )
}

/// The residuals of velocity and of position rows, each relative to its terms, or to what the size of the
/// state makes of the row where its terms are rounding themselves.
pub(crate) fn residuals(m: &Measurement<'_>) -> [Vec<f64>; 2] {
    let mass = m.table(function::MASS);
    let (q, v) = m.state.split_at(mass.rows);
    let metric = mass.values();
    let rows = |name: &str, by: &str, scales: &[f64]| -> Vec<f64> {
        let derivatives = m.table(by);
        let lines = derivatives.entries.chunks(derivatives.columns.max(1));
        let one = |(x, line): (&Measured, &[Measured])| {
            let line: Vec<f64> = line.iter().map(|a| a.value).collect();
            let by_state = residual::by_state(&line, scales);
            // Where there is no derivative, the terms are the only measure.
            let beside = if by_state.is_finite() { by_state } else { 0.0 };
            let size = match x.value.abs() <= residual::SATISFIED * x.size {
                true => x.size,
                false => x.size.max(beside),
            };
            match x.value == 0.0 {
                true => 0.0,
                // Terms that are not finite are no measure.
                false if size == f64::INFINITY => f64::INFINITY,
                false => x.value.abs() / size,
            }
        };
        m.table(name).entries.iter().zip(lines).map(one).collect()
    };
    let lengths = residual::scales(&metric, q, 0.0);
    let speeds = residual::scales(&metric, v, speed(m, &metric, q));
    [
        rows(function::PHI, function::PHI_V, &speeds),
        rows(function::POSITION, function::POSITION_Q, &lengths),
    ]
}

/// What the forces make of the state's lengths: `sqrt(|M^-1 r| |q|)`, a speed even at rest.
fn speed(m: &Measurement<'_>, metric: &[f64], q: &[f64]) -> f64 {
    let n = q.len();
    let right = m.table(function::RIGHT);
    let term = |i: usize| match metric[i * n + i].abs() {
        mass if mass > 0.0 => right.entries[i].value.powi(2) / mass,
        _ => 0.0,
    };
    let force: f64 = (0..n).map(term).sum::<f64>().sqrt();
    let speed = (force * residual::length(metric, q)).sqrt();
    if speed.is_finite() { speed } else { 0.0 }
}
