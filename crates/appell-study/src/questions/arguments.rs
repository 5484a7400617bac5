//! Arguments that a front hands over as text.

use crate::questions::equilibria::Interval;
use crate::questions::linearize::Range;
use crate::values::error::Error;
use crate::values::parameters::Override;
use appell_expr::Rational;

/// Reads `m=2`, `g=9.81` or `a=1/3`, exactly.
///
/// # Errors
/// In words: no `=`, no name, no number.
pub fn parse_override(text: &str) -> Result<Override, Error> {
    let (name, value) = text
        .split_once('=')
        .ok_or(Error::argument("write NAME=VALUE, such as m=2"))?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() {
        return Err(Error::Argument(
            "the name of the parameter is missing: write NAME=VALUE, such as m=2".to_owned(),
        ));
    }
    let exact = exact_number(value);
    let value = exact.ok_or_else(|| {
        Error::Argument(format!(
            "`{value}` is not a number such as 2, -0.1, 1e-3 or 1/3"
        ))
    })?;
    Ok(Override {
        name: name.to_owned(),
        value,
    })
}

/// What `-p` may say of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterArgument {
    /// One value.
    Value(Override),
    /// Several values.
    Range(Range),
}

/// The number of steps where none is given, and the largest number of values.
const STEPS: i64 = 100;
const MAX_VALUES: usize = 10_000;

/// Reads `m=2` as [`parse_override`] does, ranges: `v=0:10:0.1` from 0 to 10 in steps of 0.1,
/// `v=0:10` in 100 steps; and lists, `v=0,1,2`; exactly.
///
/// # Errors
/// In words: also a step of the wrong sign, or too many values.
pub fn parse_parameter(text: &str) -> Result<ParameterArgument, Error> {
    let Some((name, values)) = text
        .split_once('=')
        .filter(|(_, values)| values.contains([':', ',']))
    else {
        return parse_override(text).map(ParameterArgument::Value);
    };
    let parts: Vec<&str> = values.split(':').collect();
    let number = |text: &str| parse_override(&format!("{name}={text}")).map(|o| o.value);
    if parts.len() == 1 {
        let values: Result<Vec<Rational>, Error> = values.split(',').map(number).collect();
        let name = name.trim().to_owned();
        return values.map(|values| ParameterArgument::Range(Range { name, values }));
    }
    let (from, to, step) = match parts[..] {
        [from, to] => {
            let (from, to) = (number(from)?, number(to)?);
            let step = &(&to - &from) * &Rational::new(1, STEPS);
            (from, to, step)
        }
        [from, to, step] => (number(from)?, number(to)?, number(step)?),
        _ => {
            return Err(Error::Argument(
                "write NAME=FROM:TO:STEP, such as v=0:10:0.1, or NAME=A,B,C".to_owned(),
            ));
        }
    };
    let length = &to - &from;
    if step.is_zero() || length.is_zero() || step.is_negative() != length.is_negative() {
        return Err(Error::Argument(format!(
            "a step of {step} does not lead from {from} to {to}"
        )));
    }
    let count = (&length / &step).map_or(f64::INFINITY, |x| x.to_f64().floor());
    if count >= MAX_VALUES as f64 {
        return Err(Error::Argument(format!(
            "these are more than {MAX_VALUES} values: take a larger step"
        )));
    }
    if count < 1.0 {
        return Err(Error::Argument(format!(
            "the step {step} is longer than the range from {from} to {to}"
        )));
    }
    let value = |k: i64| &from + &(&step * &Rational::from(k));
    Ok(ParameterArgument::Range(Range {
        name: name.trim().to_owned(),
        values: (0..=count as i64).map(value).collect(),
    }))
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
pub fn parse_interval(text: &str) -> Result<Interval, Error> {
    const SHAPE: &str = "write NAME=LOW:HIGH, such as theta=-3.2:3.2";
    let (name, range) = text.split_once('=').ok_or(Error::argument(SHAPE))?;
    let (low, high) = range.split_once(':').ok_or(Error::argument(SHAPE))?;
    let number = |text: &str| {
        let value = exact_number(text.trim()).map(|x| x.to_f64());
        let finite = value.filter(|x| x.is_finite());
        finite.ok_or_else(|| {
            let text = text.trim();
            Error::Argument(format!("`{text}` is not a number such as 2, -0.1 or 1/3"))
        })
    };
    let (low, high) = (number(low)?, number(high)?);
    if name.trim().is_empty() {
        return Err(Error::Argument(format!("the name is missing: {SHAPE}")));
    }
    if low > high {
        return Err(Error::Argument(format!(
            "the lower end of the range is above the upper: {SHAPE}"
        )));
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
    fn ranges_are_exact_and_end_where_they_should() {
        let range = |text: &str| match parse_parameter(text) {
            Ok(ParameterArgument::Range(range)) => range,
            other => panic!("{text}: {other:?}"),
        };
        let ten = range("v = 0:10:0.1");
        assert_eq!((ten.name.as_str(), ten.values.len()), ("v", 101));
        assert_eq!(ten.values[3], Rational::new(3, 10));
        assert_eq!(ten.values.last(), Some(&Rational::from(10)));
        assert_eq!(range("v=0:1").values.len(), 101);
        let list = range("v = 0.1, 1/3,-2");
        let third = Rational::new(1, 3);
        assert_eq!(list.name, "v");
        assert_eq!(
            list.values,
            [Rational::new(1, 10), third, Rational::from(-2)]
        );
        let down = range("v=1:-1:-0.75");
        assert_eq!(down.values.last(), Some(&Rational::new(-1, 2)));
        let value = parse_parameter("m=2").map(|p| matches!(p, ParameterArgument::Value(_)));
        assert_eq!(value, Ok(true));
        for (text, why) in [
            ("v=0:1:-1", "does not lead"),
            ("v=0:1:0", "does not lead"),
            ("v=1:1:1", "does not lead"),
            ("v=0:1:1e-9", "more than 10000 values"),
            ("v=0:1:2", "longer than the range"),
            ("v=0:1:2:3", "NAME=FROM:TO:STEP"),
            ("v=a:1", "is not a number"),
            ("v=1,,2", "is not a number"),
            ("=0:1", "name of the parameter"),
        ] {
            let answer = parse_parameter(text).expect_err(text).to_string();
            assert!(answer.contains(why), "{text}: {answer}");
        }
    }

    #[test]
    fn anything_else_is_refused_in_words() {
        for text in [
            "m", "=2", "m=", "m=two", "m=1/0", "m=1/2/3", "m=nan", "m=inf", "m=1e999", "m==2",
        ] {
            let why = parse_override(text).expect_err(text).to_string();
            assert!(
                why.contains("write NAME=VALUE") || why.contains("is not a number"),
                "{text}: {why}"
            );
        }
    }
}
