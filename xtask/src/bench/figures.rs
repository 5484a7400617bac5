//! Figures as participants print them, and what is made of several rounds.

use serde_json::Value;
use std::collections::BTreeMap;

/// One line of a participant.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub peer: String,
    pub system: String,
    pub quantity: String,
    pub value: f64,
    pub unit: String,
    pub error: Option<f64>,
    pub note: String,
    pub state: Option<Vec<f64>>,
}

/// Reads a line.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(line: &str) -> Result<Figure, String> {
    let value: Value =
        serde_json::from_str(line).map_err(|error| format!("not JSON ({error}): {line}"))?;
    let text = |key: &str| {
        let text = value.get(key).and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| format!("no `{key}` in {line}"))
    };
    let state = value.get("state").and_then(Value::as_array);
    Ok(Figure {
        peer: text("peer")?,
        system: text("system")?,
        quantity: text("quantity")?,
        // What has no value is null.
        value: value
            .get("value")
            .and_then(Value::as_f64)
            .unwrap_or(f64::NAN),
        unit: text("unit")?,
        error: value.get("error").and_then(Value::as_f64),
        note: text("note")?,
        state: state.map(|state| {
            let number = |x: &Value| x.as_f64().unwrap_or(f64::NAN);
            state.iter().map(number).collect()
        }),
    })
}

/// The true states at the end, by system.
pub struct Reference(BTreeMap<String, Vec<f64>>);

impl Reference {
    /// Reads the file of them: decimals of many digits as texts.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn read(text: &str) -> Result<Reference, String> {
        let value: BTreeMap<String, Value> =
            serde_json::from_str(text).map_err(|error| format!("reference.json: {error}"))?;
        let state = |value: &Value| -> Option<Vec<f64>> {
            let numbers = value.get("state")?.as_array()?.iter();
            numbers.map(|x| x.as_str()?.parse().ok()).collect()
        };
        let states = value.iter().map(|(system, value)| {
            let state = state(value).ok_or_else(|| format!("reference.json: state of {system}"));
            Ok((system.clone(), state?))
        });
        states.collect::<Result<_, String>>().map(Reference)
    }

    /// The largest error of a state, each component relative to `max(1, |true|)`.
    pub fn error(&self, system: &str, state: &[f64]) -> Option<f64> {
        let known = self.0.get(system)?;
        let enough = state.len() == known.len() && state.iter().all(|x| x.is_finite());
        let pairs = state.iter().zip(known);
        enough.then(|| {
            pairs.fold(0.0, |worst: f64, (x, y)| {
                worst.max((x - y).abs() / y.abs().max(1.0))
            })
        })
    }
}

/// The quantity by which programs show that they compute the same: the rates of a system at one state.
pub const RATES: &str = "rates";
/// What rates may differ from the true ones, relative to `max(1, |true|)`.
pub const AGREEMENT: f64 = 1e-9;

impl Figure {
    /// Puts the error for the state. That of rates is their value.
    pub fn judge(&mut self, reference: &Reference) {
        let Some(state) = self.state.take() else {
            return;
        };
        if self.quantity == RATES {
            let error = reference.error(&format!("{}, {RATES}", self.system), &state);
            self.value = error.unwrap_or(f64::NAN);
        } else {
            self.error = reference.error(&self.system, &state);
        }
    }
}

/// Those whose rates are not the true ones, in words.
pub fn disagreements(rows: &[Row]) -> Vec<String> {
    let rates = rows.iter().filter(|row| row.quantity == RATES);
    let worst = rates.map(|row| (row, spread(&row.values).map_or(f64::NAN, |found| found[2])));
    // Not a number is no agreement either.
    let wrong = worst.filter(|(_, worst)| worst.is_nan() || *worst > AGREEMENT);
    wrong
        .map(|(row, worst)| {
            let Row { peer, system, .. } = row;
            format!("{peer} computes something else for {system}: its rates differ by {worst:.0e}")
        })
        .collect()
}

/// One participant's value of one quantity in every round.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub peer: String,
    pub system: String,
    pub quantity: String,
    pub unit: String,
    /// One for each round; NaN where there was none.
    pub values: Vec<f64>,
    pub note: String,
}

/// A true error at which a quantity is compared, and what the quantity is called there.
struct Target {
    quantity: &'static str,
    name: &'static str,
    error: f64,
}

const fn target(quantity: &'static str, name: &'static str, error: f64) -> Target {
    Target {
        quantity,
        name,
        error,
    }
}

/// The true errors at which some quantities are compared.
const TARGETS: [Target; 4] = [
    target("trajectory", "trajectory", 1e-10),
    target("trajectory", "trajectory at 1e-13", 1e-13),
    target("ensemble", "ensemble", 1e-8),
    target("M2", "M2", 1e-5),
];

/// One row for each peer, system and quantity, in the order of their first appearance.
pub fn rows(rounds: &[Vec<Figure>]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for figure in rounds.iter().flatten() {
        for (name, error) in comparisons(&figure.quantity) {
            let is_known = |row: &Row| {
                (&row.peer[..], &row.system[..], &row.quantity[..])
                    == (&figure.peer, &figure.system, name)
            };
            if rows.iter().any(is_known) {
                continue;
            }
            let value = |round: &Vec<Figure>| value_of(round, figure, error);
            rows.push(Row {
                peer: figure.peer.clone(),
                system: figure.system.clone(),
                quantity: name.to_owned(),
                unit: figure.unit.clone(),
                values: rounds.iter().map(value).collect(),
                note: note_of(rounds, figure, error),
            });
        }
    }
    rows
}

/// What a quantity is called where it is compared, and at which error.
fn comparisons(quantity: &str) -> Vec<(&str, Option<f64>)> {
    let targets = TARGETS.iter().filter(|target| target.quantity == quantity);
    let found: Vec<_> = targets.map(|t| (t.name, Some(t.error))).collect();
    match found.is_empty() {
        true => vec![(quantity, None)],
        false => found,
    }
}

fn alike<'a>(round: &'a [Figure], figure: &'a Figure) -> impl Iterator<Item = &'a Figure> {
    let key = |f: &'a Figure| (&f.peer, &f.system, &f.quantity);
    round.iter().filter(move |other| key(other) == key(figure))
}

/// The value of a quantity in a round, at the error where it is compared if there is one.
fn value_of(round: &[Figure], figure: &Figure, error: Option<f64>) -> f64 {
    let found = alike(round, figure);
    match error {
        None => found.map(|f| f.value).fold(f64::NAN, f64::min),
        Some(error) => {
            let points = found.filter_map(|f| Some((f.error?, f.value)));
            at_error(&points.collect::<Vec<_>>(), error).unwrap_or(f64::NAN)
        }
    }
}

/// What the participant says, or how accurate it gets where that is not enough.
fn note_of(rounds: &[Vec<Figure>], figure: &Figure, error: Option<f64>) -> String {
    let Some(error) = error else {
        return figure.note.clone();
    };
    let errors = rounds.iter().flat_map(|round| alike(round, figure));
    let best = errors.filter_map(|f| f.error).fold(f64::NAN, f64::min);
    if best <= error {
        String::new()
    } else {
        format!("its smallest error is {best:.1e}")
    }
}

/// The time at an error, from points (error, time): on the front of points that no other one beats in
/// both, interpolated in the logarithms. Where all are more accurate, the shortest time; where none is
/// accurate enough, nothing.
pub fn at_error(points: &[(f64, f64)], target: f64) -> Option<f64> {
    let mut sorted: Vec<(f64, f64)> = points
        .iter()
        .copied()
        .filter(|(error, time)| *error >= 0.0 && *time > 0.0)
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut front: Vec<(f64, f64)> = Vec::new();
    for point in sorted {
        if front.last().is_none_or(|last| point.1 < last.1) {
            front.push(point);
        }
    }
    let good = front.iter().rposition(|(error, _)| *error <= target)?;
    let (error, time) = front[good];
    let Some(&(worse, shorter)) = front.get(good + 1).filter(|_| error > 0.0) else {
        return Some(time);
    };
    let part = (target / error).ln() / (worse / error).ln();
    Some((time.ln() + part * (shorter / time).ln()).exp())
}

/// The smallest, the middle and the largest of the values that are numbers.
pub fn spread(values: &[f64]) -> Option<[f64; 3]> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = match sorted.len() {
        n if n % 2 == 1 => *sorted.get(n / 2)?,
        n => (sorted.get((n / 2).checked_sub(1)?)? + sorted.get(n / 2)?) / 2.0,
    };
    Some([*sorted.first()?, middle, *sorted.last()?])
}

/// The ratios of two rows, round by round: what disturbs a round disturbs both.
pub fn ratio(row: &Row, unit: &Row) -> Option<[f64; 3]> {
    let pairs = row.values.iter().zip(&unit.values);
    spread(&pairs.map(|(x, y)| x / y).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(peer: &str, quantity: &str, value: f64, error: Option<f64>) -> Figure {
        let text = str::to_owned;
        Figure {
            peer: text(peer),
            system: text("s"),
            quantity: text(quantity),
            value,
            unit: text("us"),
            error,
            note: String::new(),
            state: None,
        }
    }

    #[test]
    fn lines_are_read() {
        let line = r#"{"peer": "p", "system": "s", "quantity": "trajectory", "value": 2.5, "unit": "us",
            "error": 1e-10, "note": "", "state": [1, 2.5]}"#;
        let read = parse(line).expect("good");
        let mut expected = figure("p", "trajectory", 2.5, Some(1e-10));
        expected.state = Some(vec![1.0, 2.5]);
        assert_eq!(read, expected);
        let without = line.replace("2.5, \"unit\"", "null, \"unit\"");
        assert!(parse(&without).expect("good").value.is_nan());
        assert!(parse("{}").expect_err("no peer").contains("peer"));
        assert!(parse("fast").expect_err("no JSON").contains("fast"));
    }

    #[test]
    fn errors_are_relative_where_the_truth_is_large() {
        let text = r#"{"s": {"state": ["0.1", "-100.0"], "t": 10}}"#;
        let reference = Reference::read(text).expect("good");
        let error = |state: &[f64]| reference.error("s", state);
        let near =
            |state: &[f64], wanted: f64| (error(state).expect("known") - wanted).abs() < 1e-12;
        assert!(near(&[0.2, -100.0], 0.1));
        assert!(near(&[0.1, -101.0], 0.01));
        assert_eq!(error(&[0.1]), None);
        assert_eq!(error(&[0.1, f64::NAN]), None);
        assert_eq!(reference.error("r", &[0.1, -100.0]), None);
    }

    #[test]
    fn rates_are_held_against_the_true_ones() {
        let text = r#"{"s": {"state": ["7"]}, "s, rates": {"state": ["0.1", "2"]}}"#;
        let reference = Reference::read(text).expect("good");
        let judged = |peer: &str, state: &[f64]| {
            let mut figure = figure(peer, RATES, 0.0, None);
            figure.state = Some(state.to_vec());
            figure.judge(&reference);
            figure
        };
        let round = vec![
            judged("good", &[0.1, 2.0 + 1e-9]),
            judged("wrong", &[0.1, 2.1]),
            judged("refused", &[f64::NAN, 2.0]),
            judged("short", &[0.1]),
        ];
        let said = disagreements(&rows(&[round]));
        let named = |peer: &str| said.iter().any(|words| words.starts_with(peer));
        assert!(!named("good") && named("wrong") && named("refused") && named("short"));
        let mut other = figure("p", "trajectory", 1.0, None);
        other.state = Some(vec![7.5]);
        other.judge(&reference);
        assert_eq!((other.value, other.error), (1.0, Some(0.5 / 7.0)));
    }

    #[test]
    fn the_middle_of_values_is_their_median() {
        assert_eq!(spread(&[3.0, 1.0, 10.0]), Some([1.0, 3.0, 10.0]));
        assert_eq!(
            spread(&[4.0, f64::NAN, 1.0, 2.0, 3.0]),
            Some([1.0, 2.5, 4.0])
        );
        assert_eq!(spread(&[f64::NAN]), None);
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn times_are_interpolated_in_logarithms() {
        // time = error^(-1/8), exactly a line in the logarithms.
        let time = |error: f64| error.powf(-0.125);
        let points: Vec<(f64, f64)> = [1e-7, 1e-9, 1e-11, 1e-13].map(|e| (e, time(e))).to_vec();
        let close = |found: Option<f64>, wanted: f64| {
            (found.expect("reached") / wanted - 1.0).abs() < 1e-12
        };
        assert!(close(at_error(&points, 1e-10), time(1e-10)));
        assert!(close(at_error(&points, 1e-11), time(1e-11)));
        // A point that is slower and worse than another does not count.
        let disturbed = [&points[..], &[(3e-11, 10.0 * time(3e-11))]].concat();
        assert!(close(at_error(&disturbed, 1e-10), time(1e-10)));
        assert!(close(at_error(&points, 1e-3), time(1e-7)));
        assert_eq!(at_error(&points, 1e-14), None);
        assert_eq!(at_error(&[(f64::NAN, 1.0)], 1.0), None);
        assert!(close(at_error(&[(0.0, 2.0), (1e-3, 1.0)], 1e-5), 2.0));
    }

    #[test]
    fn rounds_are_gathered_and_compared_pair_by_pair() {
        let round = |disturbance: f64| {
            vec![
                figure("c", "right-hand side", 2.0 * disturbance, None),
                figure("a", "right-hand side", 3.0 * disturbance, None),
                figure("a", "trajectory", 4.0 * disturbance, Some(1e-11)),
                figure("a", "trajectory", 1.0 * disturbance, Some(1e-9)),
                figure("b", "trajectory", 4.0 * disturbance, Some(1e-6)),
            ]
        };
        let rows = rows(&[round(1.0), round(5.0)]);
        assert_eq!(rows.len(), 6);
        assert_eq!(rows[0].values, [2.0, 10.0]);
        assert_eq!(ratio(&rows[1], &rows[0]), Some([1.5; 3]));
        assert!((rows[2].values[0] - 2.0).abs() < 1e-12);
        assert_eq!(rows[3].quantity, "trajectory at 1e-13");
        assert!(rows[3].values[0].is_nan() && rows[3].note.contains("1.0e-11"));
        assert!(rows[4].values[0].is_nan() && rows[4].note.contains("1.0e-6"));
        assert_eq!(ratio(&rows[4], &rows[2]), None);
    }
}
