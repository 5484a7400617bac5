//! Vectors as slices.

/// `Sum a_i b_i`, of the entries that both have.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The largest `|x_i|`, 0 of none.
pub fn max_norm<'x>(x: impl IntoIterator<Item = &'x f64>) -> f64 {
    x.into_iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// `Sum x_i^2`.
pub fn square(x: &[f64]) -> f64 {
    dot(x, x)
}
