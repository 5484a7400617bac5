//! The numbers of a page as JSON, for its script.

use super::pens::Pens;
use super::scene::{Arrow, Kind, Mark, Scene, Shape, Toggle, Track, Trail};
use super::security::base64;
use super::tracks::Tracks;
use super::{Page, Plot};
use crate::lettering::harmless;
use crate::svg::Pen;
use std::collections::HashMap;
use std::fmt::Write;

/// Digits of places and arrows: more than a screen can show.
const PLACES: usize = 6;
/// Digits of the places of shapes, where these go far: a view that follows them stays steady.
const FAR: i32 = 7;
/// Digits of unit vectors.
const TURNS: i32 = 5;
/// Digits of rounding errors.
const ERRORS: usize = 3;
/// Digits of what is plotted and read off.
const VALUES: usize = 8;

/// The JSON object that stands in the page. No `<` is in it, so that it cannot end its element.
pub(crate) fn data(page: &Page, pens: &Pens, late: &[String]) -> String {
    let scene = page.scene.as_ref();
    let scene = scene.map_or("null".to_owned(), |drawn| self::scene(drawn, pens));
    let plots = page.plots.iter().zip(&pens.plots);
    object(&[
        ("times", numbers(page.times.iter().copied(), VALUES)),
        ("scene", scene),
        (
            "plots",
            list(plots.map(|(figure, pens)| plot(figure, pens))),
        ),
        ("late", text(&packed(late))),
    ])
}

/// What is often in formulas, each a control character where they wait.
const PIECES: [(&str, char); 22] = [
    ("\\mathit{g\\_up}_{", '\u{1}'),
    ("\\, ", '\u{2}'),
    ("\\left(", '\u{3}'),
    ("\\right)", '\u{4}'),
    ("\\sin ", '\u{5}'),
    ("\\cos ", '\u{6}'),
    ("\\mathit{", '\u{7}'),
    ("\\mathrm{", '\u{8}'),
    ("\\frac{", '\u{b}'),
    ("\\dot{", '\u{c}'),
    (" &= ", '\u{e}'),
    ("}^{2}", '\u{f}'),
    ("_{", '\u{10}'),
    (" + ", '\u{11}'),
    (" - ", '\u{12}'),
    ("\\phi", '\u{13}'),
    ("\\psi", '\u{14}'),
    ("\\theta", '\u{15}'),
    ("\\delta", '\u{16}'),
    ("&\\quad ", '\u{17}'),
    (" \\\\", '\u{18}'),
    ("\\sqrt{", '\u{19}'),
];
/// Before the number of a line that stood there before.
const AGAIN: char = '\u{1c}';
/// Between formulas, and between what is often in them.
const NEXT: char = '\u{1e}';
const PIECE: char = '\u{1f}';
/// A line shorter than this is not looked up.
const WORTH: usize = 12;

/// Formulas that wait, deflated (RFC 1951), in Base64; nothing for none. First come the pieces with their
/// characters; a line that many formulas have stands there once.
fn packed(late: &[String]) -> String {
    if late.is_empty() {
        return String::new();
    }
    let pieces = PIECES.iter().map(|(piece, c)| format!("{c}{piece}"));
    let mut whole = pieces.collect::<Vec<String>>().join(&PIECE.to_string());
    let mut lines: HashMap<&str, usize> = HashMap::new();
    let mut written = 0;
    for formula in late {
        for (index, line) in formula.split('\n').enumerate() {
            whole.push(if index == 0 { NEXT } else { '\n' });
            match lines.get(line).filter(|_| line.len() >= WORTH) {
                Some(number) => whole.push_str(&format!("{AGAIN}{number}")),
                None => {
                    lines.insert(line, written);
                    written += 1;
                    whole.push_str(&in_pieces(line));
                }
            }
        }
    }
    base64(&miniz_oxide::deflate::compress_to_vec(whole.as_bytes(), 9))
}

/// A line with a character for each piece; marks that could turn the text, or stand for a piece, are
/// replaced.
fn in_pieces(line: &str) -> String {
    let mut line: String = harmless(line);
    for (piece, c) in PIECES {
        line = line.replace(piece, &c.to_string());
    }
    line
}

fn scene(scene: &Scene, pens: &Pens) -> String {
    let plane = match scene.plane {
        Some([x, y]) => format!("[{x},{y}]"),
        None => "null".to_owned(),
    };
    let mut tracks = Tracks::default();
    let marks = list(scene.marks.iter().map(|drawn| mark(drawn, &mut tracks)));
    let shapes = list(scene.shapes.iter().map(|drawn| shape(drawn, &mut tracks)));
    object(&[
        ("plane", plane),
        ("up", numbers(scene.up.iter().copied(), PLACES)),
        (
            "trails",
            list(scene.trails.iter().zip(&pens.trails).map(trail)),
        ),
        ("marks", marks),
        ("shapes", shapes),
        ("tracks", list(tracks.texts.iter().map(|track| text(track)))),
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

fn mark(mark: &Mark, tracks: &mut Tracks) -> String {
    let axes = mark.axes.as_ref();
    object(&[
        ("name", text(&mark.name)),
        (
            "axes",
            axes.map_or("null".to_owned(), |axes| turns(axes, tracks)),
        ),
        ("at", track(&mark.at)),
    ])
}

/// Its tracks stand elsewhere, under their numbers.
fn shape(shape: &Shape, tracks: &mut Tracks) -> String {
    let mut sizes: Vec<(&str, Vec<f64>)> = Vec::new();
    for (key, size) in &shape.sizes {
        match sizes.iter_mut().find(|(other, _)| *other == key) {
            Some((_, list)) => list.push(*size),
            None => sizes.push((key, vec![*size])),
        }
    }
    let sizes = sizes.into_iter();
    let sizes = sizes.map(|(key, list)| (key, numbers(list.into_iter(), PLACES)));
    let sizes: Vec<(&str, String)> = sizes.collect();
    // The middle of points is found again.
    let at = match shape.points.is_empty() {
        true => tracks.number(&shape.at, FAR).to_string(),
        false => "null".to_owned(),
    };
    let points = shape.points.iter().map(|track| tracks.number(track, FAR));
    let points = list(points.map(|number| number.to_string()));
    let mut entries = vec![
        ("shape", text(&shape.shape)),
        ("sizes", object(&sizes)),
        ("at", at),
        ("points", points),
        ("label", text(&shape.label)),
    ];
    if let Some(axes) = &shape.axes {
        entries.push(("axes", turns(axes, tracks)));
    }
    let directions = [
        ("along", &shape.along),
        ("axis", &shape.axis),
        ("normal", &shape.normal),
    ];
    for (key, direction) in directions {
        if let Some(track) = direction {
            entries.push((key, tracks.number(track, TURNS).to_string()));
        }
    }
    entries.extend(shape.colour.as_ref().map(|colour| ("colour", text(colour))));
    object(&entries)
}

/// The numbers of two axes: the third stands across them.
fn turns(axes: &[Track; 3], tracks: &mut Tracks) -> String {
    let axes = axes.iter().take(2);
    list(axes.map(|axis| tracks.number(axis, TURNS).to_string()))
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
            ("scattered", series.scattered.to_string()),
            ("pen", format!("[{},{}]", pen.hue, pen.dash)),
            ("x", x),
            (
                "y",
                numbers(
                    series.points.iter().map(|point| point.1),
                    if series.scattered { ERRORS } else { VALUES },
                ),
            ),
        ])
    });
    object(&[
        ("title", text(&figure.title)),
        ("x", text(&figure.x_label)),
        ("y", text(&figure.y_label)),
        ("units", list(figure.units.iter().map(|unit| text(unit)))),
        ("log", figure.log_y.to_string()),
        ("equal", figure.equal_aspect.to_string()),
        ("series", list(series)),
    ])
}

fn track(track: &Track) -> String {
    numbers(track.iter().flatten().copied(), PLACES)
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
    let mut list = String::from("[");
    for x in values {
        if list.len() > 1 {
            list.push(',');
        }
        push_number(&mut list, x, digits);
    }
    list.push(']');
    list
}

/// A number with so many significant digits, as short as possible.
fn number(x: f64, digits: usize) -> String {
    let mut text = String::new();
    push_number(&mut text, x, digits);
    text
}

/// Writes it: a page has many.
fn push_number(out: &mut String, x: f64, digits: usize) {
    if !x.is_finite() {
        return out.push_str("null");
    }
    let Some((mut figures, mut exponent)) = figures(x.abs(), digits) else {
        return out.push('0');
    };
    if x < 0.0 {
        out.push('-');
    }
    while figures % 10 == 0 {
        figures /= 10;
    }
    let text = figures.to_string();
    let count = text.len() as i32;
    let (first, rest) = text.split_at(1);
    let plain = match exponent {
        0.. => count.max(exponent + 1) + i32::from(count > exponent + 1),
        _ => 1 - exponent + count,
    };
    let power = exponent.to_string();
    let scientific = count + i32::from(count > 1) + 1 + power.len() as i32;
    if plain > scientific {
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        out.push('e');
        return out.push_str(&power);
    }
    if exponent < 0 {
        out.push_str("0.");
        while exponent < -1 {
            out.push('0');
            exponent += 1;
        }
        return out.push_str(&text);
    }
    let whole = (exponent + 1).min(count) as usize;
    out.push_str(&text[..whole]);
    (count..=exponent).for_each(|_| out.push('0'));
    if whole < text.len() {
        out.push('.');
        out.push_str(&text[whole..]);
    }
}

/// The significant digits of a positive number as a whole one, and the power of ten of the first; `None` for zero.
fn figures(x: f64, digits: usize) -> Option<(u64, i32)> {
    if x == 0.0 {
        return None;
    }
    let (low, high) = (10_u64.pow(digits as u32 - 1), 10_u64.pow(digits as u32));
    let mut exponent = x.log10().floor() as i32;
    for _ in 0..2 {
        let by = digits as i32 - 1 - exponent;
        // Powers of ten are exact up to the 22nd.
        let scaled = match by {
            0..=22 => x * 10_f64.powi(by),
            -22..0 => x / 10_f64.powi(-by),
            _ => break,
        };
        match scaled.round() as u64 {
            n if n < low => exponent -= 1,
            n if n >= high => exponent += 1,
            n => return Some((n, exponent)),
        }
    }
    let text = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e')?;
    let figures: u64 = mantissa.replace('.', "").parse().ok()?;
    (figures > 0).then_some((figures, exponent.parse().ok()?))
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

    /// As the formatter of the language writes what is rounded by it.
    #[test]
    fn numbers_are_those_of_the_formatter() {
        let mut seed = 1_u64;
        for step in 0..20_000 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mantissa = (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            let x = match step % 3 {
                0 => mantissa * 10_f64.powi((seed % 41) as i32 - 20),
                1 => mantissa * 10_f64.powi((seed % 601) as i32 - 300),
                _ => (mantissa * 2000.0).round() / 8.0,
            };
            for digits in [3, 6, 8] {
                let rounded: f64 = format!("{x:.*e}", digits - 1).parse().expect("a number");
                let (plain, scientific) = (rounded.to_string(), format!("{rounded:e}"));
                let expected = match rounded {
                    0.0 => "0".to_owned(),
                    _ if plain.len() <= scientific.len() => plain,
                    _ => scientific,
                };
                // Halves may be rounded to either side.
                let written = number(x, digits);
                let near = written
                    .parse::<f64>()
                    .is_ok_and(|value| (value - x).abs() <= (rounded - x).abs() * (1.0 + 1e-6));
                assert!(
                    written == expected || near && written.len() <= expected.len() + 1,
                    "{x}: {written}, {expected}"
                );
            }
        }
        assert_eq!(number(f64::MIN_POSITIVE / 4.0, 3), "5.56e-309");
        assert_eq!(number(f64::MAX, 6), "1.79769e308");
        assert_eq!(number(9.999_999_96, 8), "10");
    }

    #[test]
    fn no_text_ends_the_element_it_stands_in() {
        assert_eq!(
            text("</script>\n\"\u{202e}"),
            r#""\u003c/script\u003e\u000a\"�""#
        );
    }
}
