//! The numbers of a page as JSON, for its script.

use super::pens::Pens;
use super::scene::{Arrow, Kind, Mark, Scene, Shape, Toggle, Track, Trail};
use super::security::base64;
use super::{Page, Plot};
use crate::svg::Pen;
use std::fmt::Write;

/// Digits of places and arrows: more than a screen can show.
const PLACES: usize = 6;
/// Digits of what is plotted and read off.
const VALUES: usize = 9;

/// The JSON object that stands in the page. No `<` is in it, so that it cannot end its element.
pub(crate) fn data(page: &Page, pens: &Pens, late: &[String]) -> String {
    let scene = page.scene.as_ref();
    let scene = scene.map_or("null".to_owned(), |own| self::scene(own, pens));
    let plots = page.plots.iter().zip(&pens.plots);
    object(&[
        ("times", numbers(page.times.iter().copied(), VALUES)),
        ("scene", scene),
        ("plots", list(plots.map(|(own, pens)| plot(own, pens)))),
        ("late", text(&packed(late))),
    ])
}

/// Formulas as a list in JSON, deflated (RFC 1951), in Base64; nothing for none.
fn packed(late: &[String]) -> String {
    if late.is_empty() {
        return String::new();
    }
    let json = list(late.iter().map(|latex| text(latex)));
    base64(&miniz_oxide::deflate::compress_to_vec(json.as_bytes(), 8))
}

fn scene(scene: &Scene, pens: &Pens) -> String {
    let plane = match scene.plane {
        Some([x, y]) => format!("[{x},{y}]"),
        None => "null".to_owned(),
    };
    object(&[
        ("plane", plane),
        ("up", numbers(scene.up.iter().copied(), PLACES)),
        (
            "trails",
            list(scene.trails.iter().zip(&pens.trails).map(trail)),
        ),
        ("marks", list(scene.marks.iter().map(mark))),
        ("shapes", list(scene.shapes.iter().map(shape))),
        ("arrows", list(scene.arrows.iter().map(arrow))),
        (
            "force_scale",
            number(scene.force_scale.unwrap_or(1.0), PLACES),
        ),
        (
            "toggles",
            list(scene.toggles.iter().zip(&pens.toggles).map(toggle)),
        ),
    ])
}

fn trail((trail, hue): (&Trail, &usize)) -> String {
    object(&[
        ("name", text(&trail.name)),
        ("hue", hue.to_string()),
        ("at", track(&trail.at)),
    ])
}

fn mark(mark: &Mark) -> String {
    object(&[
        ("name", text(&mark.name)),
        ("axes", maybe_axes(&mark.axes)),
        ("at", track(&mark.at)),
    ])
}

fn shape(shape: &Shape) -> String {
    let mut sizes: Vec<(&str, Vec<f64>)> = Vec::new();
    for (key, size) in &shape.sizes {
        match sizes.iter_mut().find(|(own, _)| *own == key) {
            Some((_, list)) => list.push(*size),
            None => sizes.push((key, vec![*size])),
        }
    }
    let sizes = sizes.into_iter();
    let sizes = sizes.map(|(key, list)| (key, numbers(list.into_iter(), PLACES)));
    let sizes: Vec<(&str, String)> = sizes.collect();
    let mut entries = vec![
        ("shape", text(&shape.shape)),
        ("sizes", object(&sizes)),
        // The middle of points is found again.
        (
            "at",
            if shape.points.is_empty() {
                track(&shape.at)
            } else {
                "null".to_owned()
            },
        ),
        ("points", list(shape.points.iter().map(track))),
        ("label", text(&shape.label)),
    ];
    entries.extend(
        shape
            .axes
            .is_some()
            .then(|| ("axes", maybe_axes(&shape.axes))),
    );
    entries.extend(shape.along.as_ref().map(|own| ("along", directions(own))));
    entries.extend(shape.axis.as_ref().map(|own| ("axis", directions(own))));
    entries.extend(shape.normal.as_ref().map(|own| ("normal", directions(own))));
    entries.extend(shape.colour.as_ref().map(|own| ("colour", text(own))));
    object(&entries)
}

fn maybe_axes(axes: &Option<[Track; 3]>) -> String {
    let axes = axes.as_ref().map(|axes| list(axes.iter().map(directions)));
    axes.unwrap_or_else(|| "null".to_owned())
}

fn arrow(arrow: &Arrow) -> String {
    let kind = match arrow.kind {
        Kind::Vector => "vector",
        Kind::Force => "force",
        Kind::Couple => "couple",
    };
    object(&[
        ("label", text(&arrow.label)),
        ("kind", text(kind)),
        ("toggle", arrow.toggle.to_string()),
        ("at", track(&arrow.at)),
        ("vector", track(&arrow.vector)),
    ])
}

fn toggle((toggle, hue): (&Toggle, &usize)) -> String {
    object(&[
        ("hue", hue.to_string()),
        ("label", text(&toggle.label)),
        ("constraint", toggle.constraint.to_string()),
        ("on", toggle.on.to_string()),
        ("why", text(&toggle.why_not)),
    ])
}

fn plot(plot: &Plot, pens: &[Pen]) -> String {
    let figure = &plot.figure;
    let series = figure.series.iter().zip(pens).map(|(series, pen)| {
        let x = series.points.iter().map(|point| point.0);
        // The times stand in the page once.
        let x = match plot.over_time {
            true => "null".to_owned(),
            false => numbers(x, VALUES),
        };
        object(&[
            ("label", text(&series.label)),
            ("pen", format!("[{},{}]", pen.hue, pen.dash)),
            ("x", x),
            (
                "y",
                numbers(series.points.iter().map(|point| point.1), VALUES),
            ),
        ])
    });
    object(&[
        ("title", text(&figure.title)),
        ("x", text(&figure.x_label)),
        ("y", text(&figure.y_label)),
        ("log", figure.log_y.to_string()),
        ("equal", figure.equal_aspect.to_string()),
        ("series", list(series)),
    ])
}

fn track(track: &Track) -> String {
    numbers(track.iter().flatten().copied(), PLACES)
}

/// Unit vectors, which need fewer digits than places.
fn directions(track: &Track) -> String {
    numbers(track.iter().flatten().copied(), PLACES - 1)
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<String>>().join(","))
}

fn object(entries: &[(&str, String)]) -> String {
    let entries = entries
        .iter()
        .map(|(key, value)| format!("{}:{value}", text(key)));
    format!("{{{}}}", entries.collect::<Vec<String>>().join(","))
}

fn numbers(values: impl Iterator<Item = f64>, digits: usize) -> String {
    list(values.map(|x| number(x, digits)))
}

/// A number with so many significant digits, as short as possible.
fn number(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return "null".to_owned();
    }
    let rounded: f64 = format!("{x:.*e}", digits - 1).parse().unwrap_or(x);
    if rounded == 0.0 {
        return "0".to_owned();
    }
    let (plain, scientific) = (rounded.to_string(), format!("{rounded:e}"));
    if plain.len() <= scientific.len() {
        plain
    } else {
        scientific
    }
}

/// A string of JSON that is harmless in HTML.
pub(crate) fn text(words: &str) -> String {
    let mut json = String::from("\"");
    for c in words.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{0}'..='\u{1f}' => {
                // Writing to a string cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(c));
            }
            // Marks that turn the text around them.
            '\u{200e}'
            | '\u{200f}'
            | '\u{61c}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}' => {
                json.push('\u{fffd}');
            }
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_undefined_ones_null() {
        let rows = [
            (0.1 + 0.2, "0.3"),
            (-0.0, "0"),
            (1.0 / 3.0, "0.333333"),
            (1.5e-17, "1.5e-17"),
            (123_456_789.0, "123457000"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ];
        for (x, expected) in rows {
            assert_eq!(number(x, 6), expected);
        }
    }

    #[test]
    fn no_text_ends_the_element_it_stands_in() {
        assert_eq!(
            text("</script>\n\"\u{202e}"),
            r#""\u003c/script\u003e\u000a\"�""#
        );
    }
}
