//! The matrix of what is least under linear conditions.

/// `[W, J^T; J, 0]` for `W` of n x n and `J` of r x n.
pub fn saddle(n: usize, rows: usize, metric: &[f64], jacobian: &[f64]) -> Vec<f64> {
    let mut system = Vec::new();
    saddle_into(n, rows, metric, jacobian, &mut system);
    system
}

/// The same in the place of a matrix that was there.
pub(crate) fn saddle_into(
    n: usize,
    rows: usize,
    metric: &[f64],
    jacobian: &[f64],
    system: &mut Vec<f64>,
) {
    let order = n + rows;
    system.clear();
    system.resize(order * order, 0.0);
    for i in 0..n {
        system[i * order..i * order + n].copy_from_slice(&metric[i * n..(i + 1) * n]);
        for a in 0..rows {
            system[i * order + n + a] = jacobian[a * n + i];
            system[(n + a) * order + i] = jacobian[a * n + i];
        }
    }
}
