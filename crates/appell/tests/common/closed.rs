//! The classic motions of `reference/closed-forms.json`: their numbers, and motions to compare.

use super::reference::{number, numbers};
use super::{column, motion};
use appell::{Model, Override, Prepared, Run, RunOptions, Source, gallery, read, render_all};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Samples agree to this, relative to `max(1, largest component)`.
pub const SAMPLES: f64 = 1e-10;
/// Invariants keep their values to this.
pub const INVARIANTS: f64 = 1e-9;

/// The entry of this name.
pub fn classic(name: &str) -> Value {
    file("closed-forms")[name].clone()
}

/// A file of the reference folder.
pub fn file(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference");
    let text = fs::read_to_string(folder.join(format!("{name}.json"))).expect("the reference");
    serde_json::from_str(&text).expect("JSON")
}

/// A sample of an entry.
pub struct Sample {
    pub t: f64,
    pub state: Vec<f64>,
    /// Empty where the file has none.
    pub multipliers: Vec<f64>,
    /// NaN where the file has none.
    pub energy: f64,
}

/// The samples of an entry.
pub fn samples(entry: &Value) -> Vec<Sample> {
    let one = |sample: &Value| Sample {
        t: time(&sample["t"]),
        state: numbers(&sample["state"]),
        multipliers: sample.get("multipliers").map_or(Vec::new(), numbers),
        energy: sample.get("E").map_or(f64::NAN, number),
    };
    let samples = entry["samples"].as_array().expect("samples");
    assert!(!samples.is_empty());
    samples.iter().map(one).collect()
}

/// A time, written as a number or as its text.
fn time(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| number(value))
}

/// A model of the gallery, with its start replaced where `state` is not empty.
pub fn from_gallery(name: &str, state: &str) -> Model {
    let entry = gallery::find(name).expect("it is in the gallery");
    let mut content = entry.text.to_owned();
    if !state.is_empty() {
        let (before, rest) = content.split_once("\n[initial]").expect("a start");
        let after = rest.split_once("\n[simulate]").expect("an end").1;
        content = format!("{before}\n[initial]\nstate = [{state}]\n[simulate]{after}");
    }
    let (model, _) = read(name, &content).unwrap_or_else(|errors| {
        let source = Source::new(name, &content);
        panic!("{}", render_all(&errors, &source, false))
    });
    model
}

/// `"name = value"` for each, to all digits.
pub fn equations(names: &[&str], values: &[f64]) -> String {
    let pairs = names.iter().zip(values);
    let texts: Vec<String> = pairs
        .map(|(name, x)| format!("\"{name} = {x:e}\""))
        .collect();
    texts.join(", ")
}

/// A motion with samples each `step` up to `until`, as accurate as doubles allow.
#[track_caller]
pub fn sampled(p: &Prepared<'_>, until: f64, step: f64) -> Run {
    let options = RunOptions {
        until: Some(until),
        rtol: Some(1e-13),
        atol: Some(1e-14),
        samples: Some((until / step).round() as usize + 1),
        ..RunOptions::default()
    };
    motion(p, &options)
}

/// The values in some columns at a sampled time.
#[track_caller]
pub fn at_time(run: &Run, t: f64, names: &[&str]) -> Vec<f64> {
    let times = column(run, "t");
    let row = times.iter().position(|x| (x - t).abs() < 1e-9);
    let row = row.unwrap_or_else(|| panic!("no sample at {t}: {}", run.outcome));
    names.iter().map(|name| column(run, name)[row]).collect()
}

/// A column as rows of vectors.
pub fn columns(run: &Run, names: &[&str]) -> Vec<Vec<f64>> {
    let all: Vec<Vec<f64>> = names.iter().map(|name| column(run, name)).collect();
    let rows = all.first().map_or(0, Vec::len);
    (0..rows)
        .map(|i| all.iter().map(|c| c[i]).collect())
        .collect()
}

/// Every value is the first one.
#[track_caller]
pub fn constant(what: &str, values: &[f64]) {
    let first = values[0];
    for x in values {
        let drift = (x - first).abs() / first.abs().max(1.0);
        assert!(drift <= INVARIANTS, "{what} drifts by {drift:e}");
    }
}

/// The claims of a run by these names hold, with a drift below [`INVARIANTS`].
#[track_caller]
pub fn claims_hold(run: &Run, names: &[&str]) {
    for name in names {
        let claim = run.claims.iter().find(|claim| claim.name == *name);
        let claim = claim.unwrap_or_else(|| panic!("{name} in {:?}", run.claims));
        let small = claim.drift.is_some_and(|drift| drift <= INVARIANTS);
        assert!(claim.holds == Some(true) && small, "{claim:?}");
    }
}

/// Parameters as the command line gives them.
pub fn overrides(texts: &[&str]) -> Vec<Override> {
    let one = |text: &&str| appell::parse_override(text).expect("an override");
    texts.iter().map(one).collect()
}
