//! Numbers without pattern, the same every time.

/// Numbers between -2 and 2 without pattern, the same every time.
pub(crate) fn scattered(index: u32) -> f64 {
    let golden = 0.618_033_988_749_894_9;
    let phase = (f64::from(index) + 0.5) * golden;
    let spread = (phase.fract() * 43.758_5).sin();
    2.0 * spread
}
