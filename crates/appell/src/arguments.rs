//! Arguments that a front hands over as text.

use crate::equilibria::Interval;
use crate::parameters::Override;
use appell_expr::Rational;

/// Reads `m=2`, `g=9.81` or `a=1/3`, exactly.
///
/// # Errors
/// In words: no `=`, no name, no number.
pub fn parse_override(text: &str) -> Result<Override, String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, as m=2")?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() {
        return Err("the name of the parameter is missing: write NAME=VALUE, as m=2".to_owned());
    }
    let exact = exact_number(value);
    let value =
        exact.ok_or_else(|| format!("`{value}` is not a number such as 2, -0.1, 1e-3 or 1/3"))?;
    Ok(Override {
        name: name.to_owned(),
        value,
    })
}

/// A decimal or a quotient of two.
fn exact_number(text: &str) -> Option<Rational> {
    let Some((above, below)) = text.split_once('/') else {
        return Rational::from_decimal(text);
    };
    let above = Rational::from_decimal(above.trim_end())?;
    let below = Rational::from_decimal(below.trim_start())?;
    Some(above * below.recip()?)
}

/// Reads `theta=-3.2:3.2`, a range of a coordinate or of a velocity such as `x'`.
///
/// # Errors
/// In words: no `=`, no name, no `:`, no numbers, the ends in the wrong order.
pub fn parse_interval(text: &str) -> Result<Interval, String> {
    const SHAPE: &str = "write NAME=LOW:HIGH, as theta=-3.2:3.2";
    let (name, range) = text.split_once('=').ok_or(SHAPE)?;
    let (low, high) = range.split_once(':').ok_or(SHAPE)?;
    let number = |text: &str| {
        let value = exact_number(text.trim()).map(|x| x.to_f64());
        let finite = value.filter(|x| x.is_finite());
        finite.ok_or_else(|| format!("`{}` is not a number such as 2, -0.1 or 1/3", text.trim()))
    };
    let (low, high) = (number(low)?, number(high)?);
    if name.trim().is_empty() {
        return Err(format!("the name is missing: {SHAPE}"));
    }
    if low > high {
        return Err(format!("the range ends before it begins: {SHAPE}"));
    }
    Ok(Interval {
        name: name.trim().to_owned(),
        low,
        high,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let value = |text: &str| parse_override(text).map(|o| (o.name, o.value.to_string()));
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(value("m=2"), pair("m", "2"));
        assert_eq!(value("g = -0.1"), pair("g", "-1/10"));
        assert_eq!(value("a=1/3"), pair("a", "1/3"));
        assert_eq!(value("a=1e-3 / 0.2"), pair("a", "1/200"));
    }

    #[test]
    fn anything_else_is_refused_in_words() {
        for text in [
            "m", "=2", "m=", "m=two", "m=1/0", "m=1/2/3", "m=nan", "m=inf", "m=1e999", "m==2",
        ] {
            let why = parse_override(text).expect_err(text);
            assert!(
                why.contains("write NAME=VALUE") || why.contains("is not a number"),
                "{text}: {why}"
            );
        }
    }
}
