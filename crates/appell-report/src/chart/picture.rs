//! The drawing as pixels.

use super::drawing::{Anchor, Drawing, Mark, Point, Rgb};
use super::png::encoded;
use super::strokes;

/// Pixels on white.
struct Canvas {
    wide: usize,
    high: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(wide: usize, high: usize) -> Self {
        let pixels = vec![255; 3 * wide * high];
        Self { wide, high, pixels }
    }

    /// Covers a part of a pixel.
    fn blend(&mut self, x: usize, y: usize, ink: Rgb, part: f64) {
        let place = 3 * (y * self.wide + x);
        for (channel, ink) in self.pixels[place..place + 3].iter_mut().zip(ink) {
            let mixed = f64::from(*channel) + part * (f64::from(ink) - f64::from(*channel));
            *channel = mixed.round() as u8;
        }
    }

    /// The pixels from `lo` to `hi`, as far as there are any.
    fn span(lo: f64, hi: f64, most: usize) -> std::ops::Range<usize> {
        let place = |x: f64| x.clamp(0.0, most as f64) as usize;
        place(lo.floor())..place(hi.ceil())
    }

    fn cells(&mut self, columns: &[f64], rows: &[f64], shades: &[Rgb]) {
        let wide = columns.len() - 1;
        for y in Self::span(rows[rows.len() - 1].round(), rows[0].round(), self.high) {
            let middle = y as f64 + 0.5;
            let row = rows
                .partition_point(|edge| *edge > middle)
                .clamp(1, rows.len() - 1)
                - 1;
            for x in Self::span(columns[0].round(), columns[wide].round(), self.wide) {
                let middle = x as f64 + 0.5;
                let column = columns
                    .partition_point(|edge| *edge < middle)
                    .clamp(1, wide)
                    - 1;
                self.blend(x, y, shades[row * wide + column], 1.0);
            }
        }
    }

    /// What lies within a distance of lines, with soft edges.
    fn stroke(&mut self, lines: &[[Point; 2]], wide: f64, ink: Rgb) {
        let ends = || lines.iter().flatten();
        let reach = 0.5 * wide + 1.0;
        let bound = |axis: usize| {
            let lo = ends().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
            let hi = ends().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
            (lo - reach, hi + reach)
        };
        let ((left, right), (top, bottom)) = (bound(0), bound(1));
        for y in Self::span(top, bottom, self.high) {
            for x in Self::span(left, right, self.wide) {
                let pixel = [x as f64 + 0.5, y as f64 + 0.5];
                let near = lines
                    .iter()
                    .map(|line| distance(pixel, line))
                    .fold(f64::INFINITY, f64::min);
                let part = (0.5 + 0.5 * wide - near).clamp(0.0, wide.min(1.0));
                if part > 0.0 {
                    self.blend(x, y, ink, part);
                }
            }
        }
    }
}

/// From a point to a line between two points.
fn distance(p: Point, [a, b]: &[Point; 2]) -> f64 {
    let (along, from) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let part = match square > 0.0 {
        true => ((from[0] * along[0] + from[1] * along[1]) / square).clamp(0.0, 1.0),
        false => 0.0,
    };
    (from[0] - part * along[0]).hypot(from[1] - part * along[1])
}

/// The drawing as a file, with so many pixels for one of its own.
pub(super) fn png(drawing: &Drawing, scale: usize) -> Vec<u8> {
    let size = |length: f64| (length.ceil() as usize) * scale;
    let (wide, high) = (size(drawing.wide), size(drawing.high));
    let mut canvas = Canvas::new(wide, high);
    for mark in &drawing.marks {
        put(&mut canvas, mark, scale as f64);
    }
    encoded(wide, high, &canvas.pixels)
}

fn put(canvas: &mut Canvas, mark: &Mark, scale: f64) {
    let scaled = |p: &Point| [scale * p[0], scale * p[1]];
    match mark {
        Mark::Cells {
            columns,
            rows,
            shades,
        } => {
            let larger = |edges: &[f64]| edges.iter().map(|x| scale * x).collect::<Vec<_>>();
            canvas.cells(&larger(columns), &larger(rows), shades);
        }
        Mark::Line(points, wide, ink) => {
            for pair in points.windows(2) {
                canvas.stroke(&[[scaled(&pair[0]), scaled(&pair[1])]], scale * wide, *ink);
            }
        }
        Mark::Dot(at, radius, ink) => {
            let at = scaled(at);
            canvas.stroke(&[[at, at]], 2.0 * scale * radius, *ink);
        }
        Mark::Text {
            at,
            size,
            anchor,
            ink,
            upright,
            text,
        } => {
            let length = size * strokes::width(text);
            let begin = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -0.5 * length,
                Anchor::End => -length,
            };
            for glyph in strokes::lines(text) {
                let place = |[x, y]: Point| {
                    let (x, y) = (begin + size * x, -size * y);
                    match upright {
                        true => scaled(&[at[0] + y, at[1] - x]),
                        false => scaled(&[at[0] + x, at[1] + y]),
                    }
                };
                let lines: Vec<[Point; 2]> =
                    glyph.into_iter().map(|line| line.map(place)).collect();
                canvas.stroke(&lines, scale * size * 0.095, *ink);
            }
        }
    }
}
