//! Numbers in sentences.

/// Digits of a state, a force, an energy.
const VALUE: usize = 9;
/// Digits of an error.
const SIZE: usize = 3;

/// A value with nine significant digits.
pub(crate) fn value(x: f64) -> String {
    significant(x, VALUE)
}

/// An error or a residual, of which only the size matters.
pub(crate) fn size(x: f64) -> String {
    significant(x, SIZE)
}

/// `-` for what is undefined.
fn significant(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return "-".to_owned();
    }
    let rounded: f64 = format!("{x:.*e}", digits - 1).parse().unwrap_or(x);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-4..1e10 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_short_and_undefined_ones_a_dash() {
        assert_eq!(value(0.1 + 0.2), "0.3");
        assert_eq!(value(-0.0), "0");
        assert_eq!(value(1.0 / 3.0), "0.333333333");
        assert_eq!(value(-2e-9), "-2e-9");
        assert_eq!(value(1.5e12), "1.5e12");
        assert_eq!(value(f64::NAN), "-");
        assert_eq!(value(f64::INFINITY), "inf");
        assert_eq!(size(1.23456e-15), "1.23e-15");
        assert_eq!(size(12_345.0), "12300");
    }
}
