//! Exact derivatives of motions against closed forms, and against differences of runs with small tolerances.

mod common;

use appell::{
    Control, Prepared, RunOptions, Sensitivity, gallery, read, run, sensitivity, with_initial,
};
use common::{close, model, prepare, with};

fn options(until: f64) -> RunOptions {
    RunOptions {
        until: Some(until),
        rtol: Some(1e-13),
        atol: Some(1e-13),
        samples: Some(2),
        ..RunOptions::default()
    }
}

fn of(p: &Prepared<'_>, options: &RunOptions, names: &[&str]) -> Sensitivity {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let found = sensitivity(p, options, &names, &mut Control::default());
    found.unwrap_or_else(|error| panic!("{}", common::words(p, error)))
}

/// The derivatives of a column in the last sample.
fn last(found: &Sensitivity, column: &str) -> Vec<f64> {
    let count = found.names.len();
    let place = found.columns.iter().position(|own| own == column);
    let place = place.unwrap_or_else(|| panic!("{column} in {:?}", found.columns));
    let first = found.values.len() - found.columns.len() * count;
    found.values[first + place * count..first + (place + 1) * count].to_vec()
}

/// What stands in the last row of a run's table, without the time.
fn end(p: &Prepared<'_>, options: &RunOptions) -> (Vec<String>, Vec<f64>) {
    let found = run(p, options, &mut Control::default());
    let found = found.unwrap_or_else(|error| panic!("{}", common::words(p, error)));
    let row = found.table.rows.last().expect("a sample");
    (found.table.columns[1..].to_vec(), row[1..].to_vec())
}

/// Differences of fourth order of a function.
fn differences(x: f64, f: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let h = 1e-3 * x.abs().max(0.1);
    let difference = |h: f64| -> Vec<f64> {
        let (after, before) = (f(x + h), f(x - h));
        let pairs = after.iter().zip(&before);
        pairs.map(|(a, b)| (a - b) / (2.0 * h)).collect()
    };
    let (wide, half, quarter) = (difference(h), difference(0.5 * h), difference(0.25 * h));
    let extrapolated = |factor: f64, wide: &[f64], close: &[f64]| -> Vec<f64> {
        let pairs = wide.iter().zip(close);
        pairs
            .map(|(wide, close)| close + (close - wide) / (factor - 1.0))
            .collect()
    };
    let (first, second) = (
        extrapolated(4.0, &wide, &half),
        extrapolated(4.0, &half, &quarter),
    );
    extrapolated(16.0, &first, &second)
}

/// Compares all columns at the end with differences, each relative to the largest entry of its name.
fn against_differences(text: &str, until: f64, names: &[&str]) -> f64 {
    let (own, _) = read("model.toml", text).expect("a right model");
    let p = prepare(&own);
    let options = options(until);
    let found = of(&p, &options, names);
    let start = run(&p, &options, &mut Control::default())
        .expect("a motion")
        .start;
    let mut worst = 0.0f64;
    for (d, name) in names.iter().enumerate() {
        let at = |x: f64| -> Vec<f64> {
            let equation = vec![format!("{name} = {x}")];
            if own.parameters.iter().any(|own| own.name == *name) {
                return end(&with(&own, &[&format!("{name}={x}")], &[]), &options).1;
            }
            let text = with_initial(text, &equation).expect("an equation");
            let (own, _) = read("model.toml", &text).expect("a right model");
            end(&prepare(&own), &options).1
        };
        let coordinate = |name: &str| own.coordinates.iter().position(|own| own.name == name);
        let x = match (coordinate(name), coordinate(name.trim_end_matches('\''))) {
            (Some(i), _) => start.q[i],
            (None, Some(i)) => start.v[i],
            _ => {
                let place = own.parameters.iter().position(|own| own.name == *name);
                p.parameters[place.expect("a parameter")]
            }
        };
        let wanted = differences(x, at);
        let size = wanted.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        for (column, wanted) in found.columns.iter().zip(&wanted) {
            let got = last(&found, column)[d];
            if got.is_nan() {
                println!("{column} by {name}: not unique");
                continue;
            }
            let miss = (got - wanted).abs() / size;
            if miss > 1e-8 {
                println!("{column} by {name}: {got} for {wanted}");
            }
            worst = worst.max(miss);
        }
    }
    worst
}

#[test]
fn survey() {
    for entry in gallery::entries() {
        let Ok((own, _)) = read("m.toml", entry.text) else {
            continue;
        };
        let p = prepare(&own);
        let names: Vec<String> = own
            .parameters
            .iter()
            .map(|p| p.name.clone())
            .chain(
                own.coordinates
                    .iter()
                    .flat_map(|c| [c.name.clone(), format!("{}'", c.name)]),
            )
            .collect();
        for name in &names {
            let until = own.simulate.until.map_or(1.0, |x| p.constant(x)).min(1.0);
            let result = std::panic::catch_unwind(|| {
                match sensitivity(
                    &p,
                    &options(until),
                    &[name.clone()],
                    &mut Control::default(),
                ) {
                    Err(e) => format!("refused: {e}"),
                    Ok(_) => format!("{:.1e}", against_differences(entry.text, until, &[name])),
                }
            });
            println!(
                "== {} {name}: {}",
                entry.name,
                result.unwrap_or_else(|_| "panic".into())
            );
        }
    }
}
