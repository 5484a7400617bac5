//! Numbers without pattern, the same every time.

/// Numbers between -2 and 2 without pattern, the same every time.
pub(crate) fn scattered(index: u32) -> f64 {
    let golden = 0.618_033_988_749_894_9;
    let phase = (f64::from(index) + 0.5) * golden;
    let spread = (phase.fract() * 43.758_5).sin();
    2.0 * spread
}

/// Numbers moved without pattern, each by at most two such parts of its size, or of 1 where it is smaller.
pub(crate) fn moved(x: &[f64], part: f64, shift: u32) -> Vec<f64> {
    let pairs = x.iter().zip(shift..);
    pairs
        .map(|(x, index)| x + part * x.abs().max(1.0) * scattered(index))
        .collect()
}

/// Whether numbers differ by no more than such a part of their sizes, or of 1 where they are smaller.
pub(crate) fn are_within(x: &[f64], other: &[f64], part: f64) -> bool {
    let mut pairs = x.iter().zip(other);
    pairs.all(|(x, other)| (x - other).abs() <= part * x.abs().max(1.0))
}
