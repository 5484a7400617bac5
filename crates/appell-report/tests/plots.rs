//! The plot writer from outside: well-formed documents for every figure, and drawings that were
//! looked at once and are kept.

use appell_report::plot::{Figure, Series};
use appell_report::svg;
use std::path::Path;

fn series(label: &str, points: Vec<(f64, f64)>) -> Series {
    Series {
        label: label.to_owned(),
        points,
        scattered: false,
    }
}

/// `count + 1` points of `f` over `lo..=hi`.
fn sampled(lo: f64, hi: f64, count: u32, f: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let at = |i: u32| lo + (hi - lo) * f64::from(i) / f64::from(count);
    (0..=count).map(|i| (at(i), f(at(i)))).collect()
}

/// Three curves over time, one of them interrupted.
fn motion() -> Figure {
    let pole = |t: f64| {
        if (t - 4.0).abs() < 0.12 {
            f64::NAN
        } else {
            0.25 / (t - 4.0)
        }
    };
    Figure {
        title: String::from("Damped swing: angle θ < π/2 & its rate"),
        x_label: String::from("t"),
        y_label: String::from("θ, θ'"),
        series: vec![
            series(
                "θ",
                sampled(0.0, 10.0, 200, |t| (-0.2 * t).exp() * (2.0 * t).cos()),
            ),
            series(
                "θ'",
                sampled(0.0, 10.0, 200, |t| {
                    -2.0 * (-0.2 * t).exp() * (2.0 * t).sin()
                }),
            ),
            series("0.25/(t - 4)", sampled(0.0, 10.0, 200, pole)),
        ],
        ..Figure::default()
    }
}

/// A path in the plane: the cycloid of a skate on an inclined plane.
fn path() -> Figure {
    let cycloid = |(t, _): (f64, f64)| {
        (
            (1.0 - (2.0 * t).cos()) / 4.0,
            t / 2.0 - (2.0 * t).sin() / 4.0,
        )
    };
    Figure {
        title: String::from("Skate on an inclined plane"),
        x_label: String::from("x (down the slope)"),
        y_label: String::from("y"),
        equal_aspect: true,
        series: vec![series(
            "blade",
            sampled(0.0, 4.7, 80, |t| t)
                .into_iter()
                .map(cycloid)
                .collect(),
        )],
        ..Figure::default()
    }
}

/// Small numbers over many powers of ten.
fn residuals() -> Figure {
    let noise = |t: f64| 1e-16 * (1.5 + (37.0 * t).sin()) * 10_f64.powf(t / 40.0);
    let growth = |t: f64| if t == 0.0 { 0.0 } else { 1e-15 * t * t };
    Figure {
        title: String::from("Scaled residual of each row"),
        x_label: String::from("t"),
        y_label: String::from("residual"),
        log_y: true,
        series: vec![
            series("with projection", sampled(0.0, 40.0, 240, noise)),
            series("without", sampled(0.0, 40.0, 60, growth)),
        ],
        ..Figure::default()
    }
}

/// An energy that drifts in its eighth digit.
fn drift() -> Figure {
    let energy = |t: f64| 9.81 + 2.3e-8 * t + 1e-8 * (3.0 * t).sin();
    Figure {
        title: String::from("Energy"),
        x_label: String::from("t"),
        y_label: String::from("E"),
        series: vec![series("E", sampled(0.0, 10.0, 100, energy))],
        ..Figure::default()
    }
}

/// The drawing is the one that was looked at. Run with `UPDATE_GOLDEN=1` to write it anew, then
/// look at it.
fn golden(name: &str, figure: &Figure) {
    let drawing = svg::write(figure);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(format!("{name}.svg"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &drawing).expect("the golden file can be written");
    }
    let kept = std::fs::read_to_string(&path).expect("the golden file is there");
    assert!(
        drawing == kept,
        "{name}.svg is drawn differently: set UPDATE_GOLDEN=1 and look at it"
    );
}

#[test]
fn golden_motion() {
    golden("motion", &motion());
}

#[test]
fn golden_path() {
    golden("path", &path());
}

#[test]
fn golden_residuals() {
    golden("residuals", &residuals());
}

#[test]
fn golden_drift() {
    golden("drift", &drift());
}

/// Reads a document by the rules it needs to keep: elements closed in order, attributes quoted and
/// once each, no `<` or bare `&` in text. Returns the elements with their attributes.
fn elements(document: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut open: Vec<String> = Vec::new();
    let mut found = Vec::new();
    let mut rest = document.trim_end();
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at]);
        assert!(
            found.is_empty() == open.is_empty(),
            "text or element outside the root"
        );
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            if open.is_empty() {
                break;
            }
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = body.split_once(' ').unwrap_or((body, ""));
        found.push((name.to_owned(), read_attributes(attributes)));
        if body.len() == tag.len() {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty() && rest.is_empty(), "{open:?} {rest}");
    found
}

fn read_attributes(mut text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    while !text.trim().is_empty() {
        let (name, rest) = text.trim_start().split_once("=\"").expect("a quoted value");
        let (value, rest) = rest.split_once('"').expect("a closing quote");
        check_text(value);
        assert!(found.iter().all(|(other, _)| other != name), "{name} twice");
        found.push((name.to_owned(), value.to_owned()));
        text = rest;
    }
    found
}

fn check_text(text: &str) {
    assert!(!text.contains(['<', '>']), "{text}");
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
        assert!(
            known.iter().any(|entity| text[at..].starts_with(entity)),
            "{text}"
        );
    }
    assert!(
        !text.contains(|c: char| c.is_control() && c != '\n'),
        "{text:?}"
    );
}

/// Figures that are hard to draw.
fn hard_cases() -> Vec<Figure> {
    let hostile = "</svg><script>alert('1')</script>&amp;\"\u{202e}\u{0}\u{7f}\n]]>--><!--";
    let texts = Figure {
        title: hostile.repeat(20),
        x_label: hostile.to_owned(),
        y_label: hostile.to_owned(),
        series: vec![
            series(hostile, vec![(0.0, 0.0), (1.0, 1.0)]),
            series(hostile, vec![]),
        ],
        ..Figure::default()
    };
    let columns = [
        vec![],
        vec![(0.0, 0.0)],
        vec![(f64::NAN, f64::INFINITY); 3],
        vec![
            (0.0, f64::NAN),
            (1.0, 2.0),
            (2.0, f64::NEG_INFINITY),
            (3.0, -0.0),
        ],
        vec![(-f64::MAX, f64::MAX), (f64::MAX, -f64::MAX)],
        vec![(-1e300, 1e300), (1e300, -1e300), (0.0, 5e-324)],
        vec![
            (1.0, 5e-324),
            (1.0 + f64::EPSILON, 1e-323),
            (2.0, f64::MIN_POSITIVE),
        ],
        vec![(0.0, 1e-300), (1e-12, 1e300)],
        sampled(0.0, 1.0, 100_000, |t| (1e5 * t).sin()),
    ];
    let mut figures = vec![Figure::default(), texts];
    for points in columns {
        for (log_y, equal_aspect) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut noise = series("c", points.clone());
            noise.scattered = true;
            let series = vec![
                series("a", points.clone()),
                series("b", vec![(0.5, 0.5)]),
                noise,
            ];
            figures.push(Figure {
                log_y,
                equal_aspect,
                series,
                ..Figure::default()
            });
        }
    }
    figures
}

#[test]
fn every_figure_is_a_well_formed_document_of_finite_numbers() {
    for figure in hard_cases() {
        let drawing = svg::write(&figure);
        let found = elements(&drawing);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..3], ["svg", "title", "desc"]);
        let known = [
            "svg", "title", "desc", "rect", "text", "g", "path", "circle",
        ];
        assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
        for (_, attributes) in &found {
            for (name, value) in attributes {
                let numeric = ["d", "x", "y", "cx", "cy", "r", "width", "height", "viewBox"];
                if numeric.contains(&name.as_str()) {
                    let number = |part: &str| part.parse::<f64>().is_ok_and(|n| n.abs() < 1e4);
                    let mut parts = value.split(|c: char| " MLHV".contains(c));
                    assert!(
                        parts.all(|part| part.is_empty() || number(part)),
                        "{name}={value}"
                    );
                }
            }
        }
    }
}

#[test]
fn nothing_in_a_drawing_is_fetched_run_or_referred_to() {
    for figure in hard_cases() {
        for (name, attributes) in elements(&svg::write(&figure)) {
            for (attribute, value) in attributes {
                assert!(
                    !attribute.starts_with("on") && !attribute.contains("href"),
                    "{name}"
                );
                assert!(attribute == "xmlns" || !value.contains("url("), "{value}");
                assert!(attribute != "id" && attribute != "class");
            }
        }
    }
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    for figure in hard_cases() {
        assert_eq!(svg::write(&figure), svg::write(&figure.clone()));
    }
}

#[test]
fn a_drawing_stays_small_however_many_points_there_are() {
    let mut figure = motion();
    figure.series = vec![series("a", sampled(0.0, 1.0, 300_000, |t| (1e5 * t).sin()))];
    assert!(svg::write(&figure).len() < 100_000);
}

#[test]
fn the_description_says_what_is_missing() {
    let drawing = svg::write(&motion());
    assert!(drawing.contains("Curve: 0.25/(t - 4), 201 points. Points that cannot be shown: 5."));
    assert!(svg::write(&Figure::default()).contains(">no data</text>"));
}
