//! Numbers in sentences.

use appell_flow::significant;

/// Digits of a state, a force, an energy.
const VALUE: usize = 9;
/// Digits of an error.
const SIZE: usize = 3;

/// A value with nine significant digits.
pub(crate) fn value(x: f64) -> String {
    defined(x, VALUE)
}

/// An error or a residual, of which only the size matters.
pub(crate) fn size(x: f64) -> String {
    defined(x, SIZE)
}

/// `-` for what is undefined.
fn defined(x: f64, digits: usize) -> String {
    match x.is_nan() {
        true => "-".to_owned(),
        false => significant(x, digits),
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
