//! A chart as a page: under the pointer stands what is there.

use super::{Axis, Chart, Colour, HIGH, LEFT, Layout, TOP, WIDE, at_x, at_y, drawing};
use crate::lettering::escape;
use crate::page::{policy, text};
use crate::svg::number;
use appell_flow::significant;

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
const MAX_DOTS: usize = 200_000;

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
        None if chart.x.len() > MAX_DOTS => "There are too many members to point at one.",
        None => "Point at a dot, or move with the arrow keys, to see its numbers.",
    }
}

/// What the script knows: places in pixels, numbers as they are written.
fn data(chart: &Chart, layout: &Layout) -> String {
    let names = [0, 1, 2].map(|index| text(&chart.name(index)));
    let words = match &chart.colour {
        Colour::Words { words, .. } => list(words.iter().map(|word| text(word))),
        Colour::Numbers(_) => "null".to_owned(),
    };
    let places = match &layout.cells {
        Some(cells) => of_cells(chart, &layout.axes, cells),
        None => of_dots(chart, &layout.axes),
    };
    let frame = format!(
        "{{\"left\":{LEFT},\"top\":{TOP},\"right\":{},\"bottom\":{}}}",
        LEFT + WIDE,
        TOP + HIGH
    );
    let entries = [
        ("names", list(names.into_iter())),
        ("words", words),
        ("idle", text(idle(chart, layout))),
        ("frame", frame),
        ("cells", layout.cells.is_some().to_string()),
    ];
    let entries = entries.into_iter().chain(places);
    let entries = entries.map(|(key, entry)| format!("\"{key}\":{entry}"));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

/// The keys of places, and their entries.
type Places = [(&'static str, String); 6];

/// The edges of columns and rows, the values there, and what each cell shows.
fn of_cells(chart: &Chart, [x, y]: &[Axis; 2], cells: &[Vec<usize>]) -> Places {
    let pairs = |axis: &Axis, at: fn(&Axis, f64) -> f64| {
        let edges: Vec<f64> = axis.edges().iter().map(|edge| at(axis, *edge)).collect();
        list(
            edges
                .windows(2)
                .map(|pair| format!("[{},{}]", number(pair[0]), number(pair[1]))),
        )
    };
    [
        ("columns", pairs(x, at_x)),
        ("rows", pairs(y, at_y)),
        ("xs", list(x.values.iter().map(|value| written(*value)))),
        ("ys", list(y.values.iter().map(|value| written(*value)))),
        ("values", list(cells.iter().map(|cell| value(chart, cell)))),
        (
            "members",
            list(cells.iter().map(|cell| text(&whose(chart, cell)))),
        ),
    ]
}

/// The same of dots, one by one.
fn of_dots(chart: &Chart, [x, y]: &[Axis; 2]) -> Places {
    let shown = if chart.x.len() > MAX_DOTS {
        0
    } else {
        chart.x.len()
    };
    let is_drawn = |i: &usize| chart.x[*i].is_finite() && chart.y[*i].is_finite();
    let dots: Vec<usize> = (0..shown).filter(is_drawn).collect();
    let of = |entry: &dyn Fn(usize) -> String| list(dots.iter().map(|i| entry(*i)));
    [
        ("columns", of(&|i| number(at_x(x, chart.x[i])))),
        ("rows", of(&|i| number(at_y(y, chart.y[i])))),
        ("xs", of(&|i| written(chart.x[i]))),
        ("ys", of(&|i| written(chart.y[i]))),
        ("values", of(&|i| value(chart, &[i]))),
        ("members", of(&|i| text(&whose(chart, &[i])))),
    ]
}

/// What members show: a number as a text, the place of a word, or nothing.
fn value(chart: &Chart, members: &[usize]) -> String {
    match (chart.value(members), &chart.colour) {
        (None, _) => "null".to_owned(),
        (Some(word), Colour::Words { .. }) => format!("{word}"),
        (Some(value), Colour::Numbers(_)) => written(value),
    }
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

/// A number as it is shown: six digits at most.
fn written(value: f64) -> String {
    format!("\"{}\"", significant(value, 6))
}

fn list(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(","))
}
