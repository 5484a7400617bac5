//! What a chart is drawn with: cells, lines, dots and texts; and the drawing as SVG.

use super::png;
use crate::lettering::escape;
use crate::page::base64;
use crate::svg::number;
use std::fmt::Write;

/// Red, green and blue.
pub(super) type Rgb = [u8; 3];

/// A point in pixels, from the left and from above.
pub(super) type Point = [f64; 2];

/// Where a text stands relative to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing that is drawn.
pub(super) enum Mark {
    /// Cells between columns and rows, the columns fastest.
    Cells {
        columns: Vec<f64>,
        rows: Vec<f64>,
        shades: Vec<Rgb>,
    },
    Line(Vec<Point>, f64, Rgb),
    Dot(Point, f64, Rgb),
    Text {
        at: Point,
        size: f64,
        anchor: Anchor,
        ink: Rgb,
        upright: bool,
        text: String,
    },
}

/// A drawing on white.
pub(super) struct Drawing {
    pub wide: f64,
    pub high: f64,
    pub marks: Vec<Mark>,
}

impl Drawing {
    pub fn new(wide: f64, high: f64) -> Self {
        let marks = Vec::new();
        Self { wide, high, marks }
    }

    pub fn cells(&mut self, columns: Vec<f64>, rows: Vec<f64>, shades: Vec<Rgb>) {
        self.marks.push(Mark::Cells {
            columns,
            rows,
            shades,
        });
    }

    pub fn line(&mut self, points: &[Point], wide: f64, ink: Rgb) {
        self.marks.push(Mark::Line(points.to_vec(), wide, ink));
    }

    pub fn dot(&mut self, at: Point, radius: f64, ink: Rgb) {
        self.marks.push(Mark::Dot(at, radius, ink));
    }

    pub fn text(&mut self, at: Point, size: f64, anchor: Anchor, ink: Rgb, text: &str) {
        self.add_text(at, size, anchor, ink, text, false);
    }

    /// A text that is read from below.
    pub fn upright(&mut self, at: Point, size: f64, ink: Rgb, text: &str) {
        self.add_text(at, size, Anchor::Middle, ink, text, true);
    }

    fn add_text(
        &mut self,
        at: Point,
        size: f64,
        anchor: Anchor,
        ink: Rgb,
        text: &str,
        upright: bool,
    ) {
        let text = text.trim().to_owned();
        if !text.is_empty() {
            self.marks.push(Mark::Text {
                at,
                size,
                anchor,
                ink,
                upright,
                text,
            });
        }
    }
}

/// The drawing as a document that needs nothing else.
pub(super) fn svg(drawing: &Drawing, title: &str) -> String {
    let (wide, high) = (number(drawing.wide), number(drawing.high));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
         viewBox=\"0 0 {wide} {high}\" role=\"img\" \
         font-family=\"Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif\">\n\
         <title>{}</title>\n<rect width=\"{wide}\" height=\"{high}\" fill=\"#fff\"/>\n",
        escape(title)
    );
    for mark in &drawing.marks {
        out += &element(mark);
    }
    out + "</svg>\n"
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn element(mark: &Mark) -> String {
    match mark {
        Mark::Cells {
            columns,
            rows,
            shades,
        } => cells(columns, rows, shades),
        Mark::Line(points, wide, ink) => {
            let points = points
                .iter()
                .map(|[x, y]| format!("{} {}", number(*x), number(*y)));
            let path = points.collect::<Vec<_>>().join("L");
            let ink = hex(*ink);
            format!(
                "<path d=\"M{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{wide}\"/>\n"
            )
        }
        Mark::Dot([x, y], radius, ink) => {
            let (x, y, r, ink) = (number(*x), number(*y), number(*radius), hex(*ink));
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{ink}\"/>\n")
        }
        Mark::Text {
            at: [x, y],
            size,
            anchor,
            ink,
            upright,
            text,
        } => {
            let (x, y, ink) = (number(*x), number(*y), hex(*ink));
            let place = match upright {
                true => format!("transform=\"translate({x} {y}) rotate(-90)\""),
                false => format!("x=\"{x}\" y=\"{y}\""),
            };
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let text = escape(text);
            format!(
                "<text {place} font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{ink}\">{text}</text>\n"
            )
        }
    }
}

/// Cells as a picture where there are many of one size, else one by one.
fn cells(columns: &[f64], rows: &[f64], shades: &[Rgb]) -> String {
    let even = |edges: &[f64]| {
        let step = (edges[edges.len() - 1] - edges[0]) / (edges.len() - 1) as f64;
        edges
            .windows(2)
            .all(|pair| (pair[1] - pair[0] - step).abs() <= 0.01)
    };
    let (wide, high) = (columns.len() - 1, rows.len() - 1);
    if wide * high > 1 && even(columns) && even(rows) {
        // Rows go upwards, pictures downwards.
        let lines = (0..high)
            .rev()
            .flat_map(|row| &shades[row * wide..(row + 1) * wide]);
        let pixels: Vec<u8> = lines.copied().flatten().collect();
        let data = base64(&png::encoded(wide, high, &pixels));
        let (x, y) = (columns[0], rows[high]);
        return format!(
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" \
             image-rendering=\"pixelated\" href=\"data:image/png;base64,{data}\"/>\n",
            number(x),
            number(y),
            number(columns[wide] - x),
            number(rows[0] - y)
        );
    }
    let mut out = String::new();
    for (place, shade) in shades.iter().enumerate() {
        let (i, j) = (place % wide, place / wide);
        let (x, y) = (columns[i], rows[j + 1]);
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
            number(x),
            number(y),
            number(columns[i + 1] - x),
            number(rows[j] - y),
            hex(*shade)
        );
    }
    out
}
