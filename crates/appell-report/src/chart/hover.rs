//! A chart as a page: under the pointer stands what is there.

use super::{Chart, Colour, HIGH, LEFT, Layout, TOP, WIDE, at_x, at_y, drawing};
use crate::lettering::escape;
use crate::page::{policy, text};
use std::fmt::Write;

/// Finds the cell or dot at a place, and tells its numbers.
const SCRIPT: &str = include_str!("hover.js");

const STYLE: &str = "\
:root { color-scheme: light; }
body { margin: 1rem auto; max-width: 60rem; padding: 0 1rem; background: #fff; color: #222;
  font-family: \"Helvetica Neue\", Helvetica, Arial, \"DejaVu Sans\", sans-serif; }
svg { width: 100%; height: auto; touch-action: manipulation; cursor: crosshair; }
svg:focus-visible { outline: 2px solid #1f5fbf; outline-offset: 2px; }
output { display: block; min-height: 3em; line-height: 1.5; font-variant-numeric: tabular-nums; }
.mark { fill: none; stroke: #000; stroke-width: 1.5; paint-order: stroke; pointer-events: none; }
";

/// More dots than that cannot be told apart by a pointer, and would make the page large.
const MOST: usize = 200_000;

/// The chart as one file that loads nothing.
pub(super) fn html(chart: &Chart, layout: &Layout) -> String {
    let title = escape(&chart.description());
    let policy = policy(STYLE, SCRIPT);
    let picture = drawing::svg(&super::drawn(chart, layout), &chart.description());
    let picture = picture.replacen("<svg ", "<svg tabindex=\"0\" aria-describedby=\"said\" ", 1);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1 hidden>{title}</h1>\n{picture}\
         <output id=\"said\">{}</output>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape(idle(chart, layout)),
        data(chart, layout)
    )
}

/// What stands there before anything is pointed at.
fn idle(chart: &Chart, layout: &Layout) -> &'static str {
    match layout.cells {
        Some(_) => "Point at a cell, or move with the arrow keys, to see its numbers.",
        None if chart.x.len() > MOST => "There are too many members to point at one.",
        None => "Point at a dot, or move with the arrow keys, to see its numbers.",
    }
}

/// What the script knows: places in pixels, numbers as they are written.
fn data(chart: &Chart, layout: &Layout) -> String {
    let [x, y] = &layout.axes;
    let number = |value: f64| text(&written(value));
    let names = [0, 1, 2].map(|index| text(&chart.name(index)));
    let words = match &chart.colour {
        Colour::Words { words, .. } => list(words.iter().map(|word| text(word))),
        Colour::Numbers(_) => "null".to_owned(),
    };
    let is_words = matches!(chart.colour, Colour::Words { .. });
    let value = |value: Option<f64>| match value {
        None => "null".to_owned(),
        Some(word) if is_words => format!("{word}"),
        Some(value) => number(value),
    };
    let mut out = format!(
        "{{\"names\":{},\"words\":{words},\"idle\":{},\"frame\":{{\"left\":{LEFT},\"top\":{TOP},\"right\":{},\"bottom\":{}}}",
        list(names.into_iter()),
        text(idle(chart, layout)),
        LEFT + WIDE,
        TOP + HIGH,
    );
    let mut add = |key: &str, entries: String| {
        // Writing to a string cannot fail.
        let _ = write!(out, ",\"{key}\":{entries}");
    };
    match &layout.cells {
        Some(cells) => {
            let pairs = |edges: Vec<f64>, at: &dyn Fn(f64) -> f64| {
                let pair =
                    |pair: &[f64]| format!("[{},{}]", pixel(at(pair[0])), pixel(at(pair[1])));
                list(edges.windows(2).map(pair))
            };
            add("cells", "true".to_owned());
            add("columns", pairs(x.edges(), &|edge| at_x(x, edge)));
            add("rows", pairs(y.edges(), &|edge| at_y(y, edge)));
            add("xs", list(x.values.iter().map(|own| number(*own))));
            add("ys", list(y.values.iter().map(|own| number(*own))));
            add(
                "values",
                list(cells.iter().map(|own| value(chart.value(own)))),
            );
            add(
                "members",
                list(cells.iter().map(|own| text(&whose(chart, own)))),
            );
        }
        None => {
            let shown = if chart.x.len() > MOST {
                0
            } else {
                chart.x.len()
            };
            let dots: Vec<usize> = (0..shown)
                .filter(|i| chart.x[*i].is_finite() && chart.y[*i].is_finite())
                .collect();
            let of = |entry: &dyn Fn(usize) -> String| list(dots.iter().map(|i| entry(*i)));
            add("cells", "false".to_owned());
            add("columns", of(&|i| pixel(at_x(x, chart.x[i]))));
            add("rows", of(&|i| pixel(at_y(y, chart.y[i]))));
            add("xs", of(&|i| number(chart.x[i])));
            add("ys", of(&|i| number(chart.y[i])));
            add("values", of(&|i| value(chart.value(&[i]))));
            add("members", of(&|i| text(&whose(chart, &[i]))));
        }
    }
    out + "}"
}

/// The members of a cell in words.
fn whose(chart: &Chart, rows: &[usize]) -> String {
    let first = rows.first().and_then(|row| chart.members.get(*row));
    match (first, rows.len()) {
        (_, 0) => "no member".to_owned(),
        (None, 1) => String::new(),
        (Some(member), 1) => format!("member {member}"),
        (Some(member), count) => format!("member {member} and {} more", count - 1),
        (None, count) => format!("{count} members"),
    }
}

/// Six digits, as few as say the same.
fn written(value: f64) -> String {
    let short: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    match short == 0.0 || (1e-4..1e7).contains(&short.abs()) {
        true => format!("{short}"),
        false => format!("{short:e}"),
    }
}

/// A place in pixels, to a hundredth.
fn pixel(place: f64) -> String {
    format!("{}", (100.0 * place).round() / 100.0)
}

fn list(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(","))
}
