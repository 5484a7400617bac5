//! Linear equations and their eigenvalues as text and pictures.

use super::json::json_line;
use super::layout::{Page, columns, listed, wrapped};
use super::number::{size, value};
use crate::plot::{Figure, Series};
use appell_flow::linear::{Growth, Known};
use appell_study::questions::linearize::{ControlMatrices, Crossing, Linearization, Sweep};
use serde::Serialize;
use std::f64::consts::TAU;

/// Of an eigenvalue that is known to fewer digits than this it is said.
const KNOWN: f64 = 1e-6;
/// In a table, parts of an eigenvalue below this part of it are shown as 0.
const TINY: f64 = 1e-9;

/// One object; for several states, a list of them under `states`.
pub fn linearize_json(found: &[Linearization]) -> String {
    #[derive(Serialize)]
    struct Several<'f> {
        states: &'f [Linearization],
    }
    match found {
        [one] => json_line(one),
        states => json_line(&Several { states }),
    }
}

/// State, matrix, eigenvalues with their meaning: what `appell linearize` prints.
pub fn linearize_text(found: &Linearization) -> String {
    let mut page = Page::default();
    let (t, state) = &found.at;
    let items = state
        .iter()
        .map(|(name, x)| format!("{name} = {}", value(*x)));
    let head = format!("t = {}", value(*t));
    page.entry("about", listed([head].into_iter().chain(items)));
    if !found.moving.is_empty() {
        let moving = found.moving.join(", ");
        page.entry(
            "steady",
            [match found.moving.len() {
                1 => format!("{moving} moves, and the equations ignore it"),
                _ => format!("{moving} move, and the equations ignore them"),
            }],
        );
    }
    page.entry("matrix", matrix_lines(found));
    if let Some(control) = &found.control {
        control_entries(&mut page, &found.state_names, control);
    }
    page.entry("eigenvalues", eigenvalue_lines(found));
    page.entry("stability", wrapped(&found.stability()));
    page.finish()
}

/// `B`, `C` and `D`.
fn control_entries(page: &mut Page, states: &[String], control: &ControlMatrices) {
    let lines = |names: &[String], rates: bool, heads: &[String], matrix: &[Vec<f64>]| {
        let head = [String::new()].into_iter().chain(heads.iter().cloned());
        let mut rows: Vec<Vec<String>> = vec![head.collect()];
        for (name, row) in names.iter().zip(matrix) {
            let label = match rates {
                true => format!("({name})'"),
                false => name.clone(),
            };
            let entries = row.iter().map(|x| value(*x));
            rows.push([label].into_iter().chain(entries).collect());
        }
        columns(&rows)
    };
    if !control.inputs.is_empty() {
        page.entry("B", lines(states, true, &control.inputs, &control.b));
    }
    page.entry("C", lines(&control.outputs, false, states, &control.c));
    if !control.inputs.is_empty() {
        page.entry(
            "D",
            lines(&control.outputs, false, &control.inputs, &control.d),
        );
    }
}

fn matrix_lines(found: &Linearization) -> Vec<String> {
    let names = found.state_names.iter();
    let mut rows: Vec<Vec<String>> = Vec::new();
    if !found.state_names.is_empty() {
        rows.push(
            [String::new()]
                .into_iter()
                .chain(names.clone().cloned())
                .collect(),
        );
    }
    for (name, row) in names.zip(&found.matrix) {
        let entries = row.iter().map(|x| value(*x));
        rows.push([format!("({name})'")].into_iter().chain(entries).collect());
    }
    columns(&rows)
}

/// The eigenvalues with what is known of them.
fn with_growth(found: &Linearization) -> impl Iterator<Item = ((f64, f64), Known)> {
    found.eigenvalues.iter().copied().zip(found.known())
}

/// One line for each real eigenvalue and each pair.
fn eigenvalue_lines(found: &Linearization) -> Vec<String> {
    let line = |((re, im), known): ((f64, f64), Known)| {
        let number = if im == 0.0 {
            value(re)
        } else {
            format!("{} +- {} i", value(re), value(im))
        };
        let scale = format!("by a factor e in {}", size(1.0 / re.abs()));
        let growth = match known.growth {
            Growth::Grows => format!("grows {scale}"),
            Growth::Decays => format!("decays {scale}"),
            Growth::Zero => "stays".to_owned(),
            Growth::Oscillates => "neither grows nor decays".to_owned(),
            Growth::Multiple => "multiple, or nearly so: may grow with the time".to_owned(),
            Growth::Open => "may grow or decay".to_owned(),
        };
        let period = (im != 0.0).then(|| format!("period {}, ", size(TAU / im)));
        let short = known.within.is_finite() && known.within > KNOWN * re.hypot(im);
        let known = short.then(|| {
            let within = size(known.within);
            format!(", accurate to {within} only: nearly multiple, or small beside the entries of the matrix")
        });
        let words = [
            period.unwrap_or_default(),
            growth,
            known.unwrap_or_default(),
        ];
        vec![number, words.concat()]
    };
    let nonzero = with_growth(found).filter(|(x, _)| *x != (0.0, 0.0) && x.1 >= 0.0);
    let mut rows: Vec<Vec<String>> = nonzero.map(line).collect();
    if found.zeros > 0 {
        let what = match found.zeros {
            1 => "once".to_owned(),
            zeros => format!("{zeros} times"),
        };
        rows.push(vec!["0".to_owned(), what]);
    }
    columns(&rows)
}

const MISSED_CROSSINGS: &str =
    "a real part that changes its sign twice between two of these values is missed";

/// What `appell linearize` says of a sweep on standard output.
pub fn sweep_text(sweep: &Sweep) -> String {
    let mut page = Page::default();
    let ends = match (sweep.values.first(), sweep.values.last()) {
        (Some(first), Some(last)) => format!(
            "{} from {} to {}, {} values",
            sweep.parameter,
            value(*first),
            value(*last),
            sweep.values.len()
        ),
        _ => sweep.parameter.clone(),
    };
    page.entry("parameter", [ends]);
    page.entry("unknowns", listed(sweep.state_names.iter().cloned()));
    let zeros = sweep.zero.iter().filter(|zero| **zero).count();
    if zeros > 0 {
        page.entry(
            "zero",
            [format!(
                "{zeros} of {} eigenvalues everywhere",
                sweep.zero.len()
            )],
        );
    }
    page.entry("eigenvalues", columns(&sweep_rows(sweep)));
    let gaps = sweep
        .gaps
        .iter()
        .map(|gap| format!("none at {}: {}", value(gap.value), gap.why));
    page.entry("gaps", gaps.flat_map(|gap| wrapped(&gap)));
    match sweep.crossings.as_deref() {
        None => {}
        Some([]) => page.entry(
            "crossings",
            wrapped(&format!("none found; {MISSED_CROSSINGS}")),
        ),
        Some(crossings) => {
            let line = |c: &Crossing| format!("{} = {:?}: {}", sweep.parameter, c.value, c.kind);
            let lines = crossings.iter().map(line);
            page.entry("crossings", lines.chain(wrapped(MISSED_CROSSINGS)));
        }
    }
    if sweep.interrupted {
        page.line("interrupted: what was computed is shown");
    }
    page.finish()
}

fn sweep_rows(sweep: &Sweep) -> Vec<Vec<String>> {
    let points = sweep.values.iter().zip(&sweep.eigenvalues);
    let rows = points.filter_map(|(p, values)| {
        let values = values.as_ref()?.iter().zip(&sweep.zero);
        let cells = values.filter(|(_, zero)| !**zero).map(|(x, _)| complex(*x));
        Some([value(*p)].into_iter().chain(cells).collect())
    });
    rows.collect()
}

fn complex((re, im): (f64, f64)) -> String {
    let rounding = TINY * re.hypot(im);
    let short = |x: f64| value(if x.abs() < rounding { 0.0 } else { x });
    match im {
        0.0 => short(re),
        im if im > 0.0 => format!("{} + {} i", short(re), short(im)),
        im => format!("{} - {} i", short(re), short(-im)),
    }
}

/// Two pictures: the real and the imaginary parts along the parameter, without branches of zeros.
pub fn sweep_pictures(sweep: &Sweep) -> Vec<Figure> {
    let branches: Vec<usize> = (0..sweep.zero.len()).filter(|i| !sweep.zero[*i]).collect();
    let part = |title: &str, y_label: &str, of: fn(&(f64, f64)) -> f64| {
        let points = |i: usize| {
            let point = |(p, values): (&f64, &Option<Vec<(f64, f64)>>)| {
                let value = values.as_ref().and_then(|values| values.get(i));
                (*p, value.map_or(f64::NAN, of))
            };
            sweep
                .values
                .iter()
                .zip(&sweep.eigenvalues)
                .map(point)
                .collect()
        };
        let series = branches.iter().map(|i| Series {
            label: format!("{}", i + 1),
            points: points(*i),
            scattered: false,
        });
        Figure {
            title: title.to_owned(),
            x_label: sweep.parameter.clone(),
            y_label: y_label.to_owned(),
            series: series.collect(),
            ..Figure::default()
        }
    };
    vec![
        part("Real parts of the eigenvalues", "re", |x| x.0),
        part("Imaginary parts of the eigenvalues", "im", |x| x.1),
    ]
}
