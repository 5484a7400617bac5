//! States from a JSON file: `[{"t": 0, "q": [...], "v": [...]}, ...]`.

use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_flow::linear;
use appell_model::expression_in_parameters;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// Velocities that are given as digits, beside the largest of them.
const AGREEING: f64 = 1e-6;

/// A state to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub q: Vec<f64>,
    /// The velocities, unless the parameters are given.
    pub v: Option<Vec<f64>>,
    /// The parameters `z` of the velocities.
    pub z: Option<Vec<f64>>,
}

/// Reads states for a model. Numbers may be decimal strings, or expressions in the parameters such as
/// `"-vx/rr"`; a single object is a list of one.
///
/// # Errors
/// JSON that is not of this form, with the place; lists of the wrong length; numbers that are
/// not finite; expressions that speak of more than parameters; `z` for a model without parameters.
pub fn read_states(text: &str, prepared: &Prepared<'_>) -> Result<Vec<State>, Error> {
    let text = text.trim_start_matches('\u{feff}');
    let document: Value = serde_json::from_str(text)
        .map_err(|error| Error::Argument(format!("not JSON: {error}")))?;
    let is_list = document.is_array();
    let entries = match document {
        Value::Array(entries) => entries,
        one @ Value::Object(_) => vec![one],
        _ => {
            return Err(Error::Argument(
                "states are a JSON list of objects [{\"t\": .., \"q\": [..], \"v\": [..]}]"
                    .to_owned(),
            ));
        }
    };
    let states = entries.iter().enumerate();
    let states = states
        .map(|(index, entry)| {
            state(entry, prepared).map_err(|why| Error::Argument(format!("state {index}: {why}")))
        })
        .collect::<Result<_, _>>()?;
    let again = match is_list {
        true => serde_json::from_str::<Vec<Keys>>(text).map(drop),
        false => serde_json::from_str::<Keys>(text).map(drop),
    };
    again.map_err(|error| Error::Argument(error.to_string()))?;
    Ok(states)
}

/// Refuses a key that stands twice, of which a [`Value`] keeps the last.
#[derive(Deserialize)]
#[allow(dead_code)]
struct Keys {
    t: Option<IgnoredAny>,
    q: Option<IgnoredAny>,
    v: Option<IgnoredAny>,
    z: Option<IgnoredAny>,
}

fn state(entry: &Value, prepared: &Prepared<'_>) -> Result<State, Error> {
    let Value::Object(fields) = entry else {
        return Err(Error::Argument("not an object".to_owned()));
    };
    if let Some(unknown) = fields
        .keys()
        .find(|key| !["t", "q", "v", "z"].contains(&key.as_str()))
    {
        return Err(Error::Argument(format!(
            "unknown key \"{unknown}\"; known are t, q, v, z"
        )));
    }
    let n = prepared.system.n();
    let t = fields
        .get("t")
        .map_or(Ok(0.0), |t| number(t, "\"t\"", prepared))?;
    let list = |value, name, length| list(value, name, length, prepared);
    let q = list(
        fields.get("q").ok_or(Error::argument("\"q\" is missing"))?,
        "q",
        n,
    )?;
    let v = fields.get("v").map(|v| list(v, "v", n)).transpose()?;
    let parameters = prepared.constraints.parametric.as_ref().map(|p| p.z.len());
    let z = match (fields.get("z"), parameters) {
        (Some(z), Some(m)) => Some(list(z, "z", m)?),
        (Some(_), None) => {
            return Err(Error::Argument(
                "\"z\" needs a model with v = psi(q, z, t) in [motion]".to_owned(),
            ));
        }
        (None, _) => None,
    };
    if v.is_none() && z.is_none() {
        return Err(Error::Argument(
            "one of \"v\" and \"z\" is needed".to_owned(),
        ));
    }
    if let (Some(v), Some(z)) = (&v, &z) {
        must_agree(prepared, (t, &q, v, z))?;
    }
    Ok(State { t, q, v, z })
}

/// Velocities and parameters that are both given must belong together.
fn must_agree(
    prepared: &Prepared<'_>,
    (t, q, v, z): (f64, &[f64], &[f64], &[f64]),
) -> Result<(), Error> {
    let Some(of_z) = prepared.velocities(t, q, z) else {
        return Ok(());
    };
    let size = linear::max_norm(v.iter().chain(&of_z));
    let far = |(a, b): (&f64, &f64)| (a - b).abs() > AGREEING * size;
    match v.iter().zip(&of_z).position(far) {
        None => Ok(()),
        Some(i) => Err(Error::Argument(format!(
            "\"v\" and \"z\" contradict each other: \"v\"[{i}] is {}, and \"z\" gives {}; give one of them",
            v[i], of_z[i]
        ))),
    }
}

fn list(
    value: &Value,
    name: &str,
    length: usize,
    prepared: &Prepared<'_>,
) -> Result<Vec<f64>, Error> {
    let Value::Array(items) = value else {
        return Err(Error::Argument(format!("\"{name}\" is not a list")));
    };
    if items.len() != length {
        return Err(Error::Argument(format!(
            "\"{name}\" has {} numbers, {length} are needed",
            items.len()
        )));
    }
    let items = items.iter().enumerate();
    items
        .map(|(index, item)| number(item, &format!("\"{name}\"[{index}]"), prepared))
        .collect()
}

fn number(value: &Value, place: &str, prepared: &Prepared<'_>) -> Result<f64, Error> {
    let parsed = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.trim().parse() {
            Ok(number) => Some(number),
            Err(_) => Some(expression(text, prepared).map_err(|why| {
                let value = shortened(&value.to_string());
                Error::Argument(format!("{value} in {place}: {why}"))
            })?),
        },
        _ => None,
    };
    match parsed.filter(|x| x.is_finite()) {
        Some(x) => Ok(x),
        None => {
            let value = shortened(&value.to_string());
            Err(Error::Argument(format!(
                "{value} in {place} is not a finite number"
            )))
        }
    }
}

/// The value of an expression in the parameters.
fn expression(text: &str, prepared: &Prepared<'_>) -> Result<f64, Error> {
    let expression = expression_in_parameters(prepared.model, text);
    let expression = expression.map_err(|refused| Error::Argument(refused.message))?;
    Ok(prepared.constant(expression))
}

/// A text as it may stand in a message.
pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
    }
}
