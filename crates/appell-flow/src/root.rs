//! One-dimensional searches on a bounded interval.

/// The right end of the shortest interval on which a condition, false in `a` and true in `b`, becomes
/// true: bisection to neighbouring numbers.
///
/// # Errors
/// Those of the condition.
pub fn bisect<E>(
    mut a: f64,
    mut b: f64,
    mut holds: impl FnMut(f64) -> Result<bool, E>,
) -> Result<f64, E> {
    loop {
        let middle = 0.5 * (a + b);
        if !(a.min(b) < middle && middle < a.max(b)) {
            return Ok(b);
        }
        if holds(middle)? {
            b = middle;
        } else {
            a = middle;
        }
    }
}

/// The place and value of a minimum of `f` in `[a, b]`: golden section to a width of `1e-14 (b - a)`.
/// A sharp minimum, `|x - x0|`, is found to that width, a smooth one to its square root of rounding.
///
/// # Errors
/// Those of the function.
pub fn minimum<E>(
    mut a: f64,
    mut b: f64,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<(f64, f64), E> {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let width = 1e-14 * (b - a).abs();
    let mut left = b - golden * (b - a);
    let mut right = a + golden * (b - a);
    let (mut at_left, mut at_right) = (f(left)?, f(right)?);
    while (b - a).abs() > width && left < right {
        if at_left < at_right {
            (b, right, at_right) = (right, left, at_left);
            left = b - golden * (b - a);
            at_left = f(left)?;
        } else {
            (a, left, at_left) = (left, right, at_right);
            right = a + golden * (b - a);
            at_right = f(right)?;
        }
    }
    if at_left < at_right {
        Ok((left, at_left))
    } else {
        Ok((right, at_right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn bisection_ends_on_the_true_side_of_the_square_root_of_two() {
        let holds = |x: f64| Ok::<_, Infallible>(x * x >= 2.0);
        let root = bisect(1.0, 2.0, holds).expect("no error");
        assert!(root * root >= 2.0 && (root - 2f64.sqrt()).abs() < 4e-16);
        let back = bisect(2.0, 1.0, |x: f64| Ok::<_, Infallible>(x * x < 2.0)).expect("no error");
        assert!(back * back < 2.0 && (back - 2f64.sqrt()).abs() < 4e-16);
    }

    #[test]
    fn sharp_and_smooth_minima_are_found() {
        let sharp = |x: f64| Ok::<_, Infallible>((x - 0.3).abs());
        let (place, value) = minimum(0.0, 1.0, sharp).expect("no error");
        assert!((place - 0.3).abs() < 1e-13 && value < 1e-13);
        let smooth = |x: f64| Ok::<_, Infallible>(1.0 + (x - 0.3).powi(2));
        let (place, value) = minimum(0.0, 1.0, smooth).expect("no error");
        assert!((place - 0.3).abs() < 1e-7 && value == 1.0);
    }

    #[test]
    fn the_error_of_the_function_is_handed_on() {
        assert_eq!(
            bisect(0.0, 1.0, |_| Err::<bool, _>("no value")),
            Err("no value")
        );
        assert_eq!(
            minimum(0.0, 1.0, |_| Err::<f64, _>("no value")),
            Err("no value")
        );
    }
}
