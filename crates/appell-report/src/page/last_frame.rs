//! The last frame of a motion as a picture, for readers without scripts.

use super::pens::Pens;
use super::scene::{Kind, Scene, Shape, Track};
use crate::lettering::{escape, fitted};
use crate::svg::number;

/// The picture in pixels.
const WIDE: f64 = 900.0;
const HIGH: f64 = 540.0;
const MARGIN: f64 = 50.0;
/// The longest arrow.
const ARROW: f64 = 110.0;
/// Corners of a circle.
const CORNERS: usize = 48;
/// The first view in space of the page's script: turned about the upward axis, and looking down.
const YAW: f64 = -0.62;
const PITCH: f64 = 0.42;

type Point = [f64; 3];

/// Draws the last frame; its colours are classes of the page's style.
pub(crate) fn frame(scene: &Scene, pens: &Pens) -> String {
    let view = View::of(scene);
    let trails: String = scene
        .trails
        .iter()
        .zip(&pens.trails)
        .map(|(trail, hue)| view.path(&trail.at, &format!("trail s{hue}")))
        .collect();
    let mut order: Vec<&Shape> = scene.shapes.iter().collect();
    let depth = |shape: &&Shape| match shape.shape.as_str() {
        "ground" => f64::NEG_INFINITY,
        _ => last(&shape.at).map_or(0.0, |at| dot(at, cross(view.right, view.up))),
    };
    // The farthest first.
    order.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    let shapes: String = order.iter().map(|shape| view.shape(shape)).collect();
    let marks = scene.marks.iter().filter_map(|mark| {
        let [x, y] = view.place(last(&mark.at)?);
        let name = escape(&fitted(&mark.name, 12.0));
        Some(format!(
            "<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"4\"/><text x=\"{}\" y=\"{}\">{name}</text>",
            number(x), number(y), number(x + 8.0), number(y - 8.0)
        ))
    });
    let marks: String = marks.collect();
    let arrows: String = view.arrows(scene, pens);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\" aria-label=\"The last frame of the motion\">\n{trails}{shapes}{marks}{arrows}</svg>\n"
    )
}

fn last(track: &Track) -> Option<Point> {
    track
        .iter()
        .rev()
        .find(|p| p.iter().all(|x| x.is_finite()))
        .copied()
}

/// How places become pixels.
struct View {
    /// The directions to the right and up.
    right: Point,
    up: Point,
    centre: [f64; 2],
    scale: f64,
}

fn dot(a: Point, b: Point) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn along(a: Point, direction: Point, by: f64) -> Point {
    [0, 1, 2].map(|i| a[i] + by * direction[i])
}

impl View {
    /// All that moves fits in.
    fn of(scene: &Scene) -> Self {
        let unit = |i: usize| [0, 1, 2].map(|j| if i == j { 1.0 } else { 0.0 });
        let (right, up) = match scene.plane {
            Some([x, y]) => (unit(x), unit(y)),
            None => from_above(scene.up, YAW, PITCH),
        };
        let mut view = Self {
            right,
            up,
            centre: [0.0; 2],
            scale: 1.0,
        };
        let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        for (point, size) in places(scene) {
            let on = [dot(point, right), dot(point, up)];
            for (bound, x) in bounds.iter_mut().zip(on) {
                if x.is_finite() {
                    *bound = [bound[0].min(x - size), bound[1].max(x + size)];
                }
            }
        }
        let [x, y] = bounds.map(|[low, high]| {
            if low <= high {
                [low, high]
            } else {
                [-1.0, 1.0]
            }
        });
        let room = [(WIDE - 2.0 * MARGIN), (HIGH - 2.0 * MARGIN)];
        let widths = [x[1] - x[0], y[1] - y[0]].map(|w: f64| w.max(1e-9));
        view.scale = (room[0] / widths[0]).min(room[1] / widths[1]);
        view.centre = [x, y].map(|[low, high]| (low + high) / 2.0);
        view
    }

    fn place(&self, p: Point) -> [f64; 2] {
        [
            WIDE / 2.0 + self.scale * (dot(p, self.right) - self.centre[0]),
            HIGH / 2.0 - self.scale * (dot(p, self.up) - self.centre[1]),
        ]
    }

    fn path(&self, track: &[Point], class: &str) -> String {
        let points = track.iter().filter(|p| p.iter().all(|x| x.is_finite()));
        let points = points.map(|p| {
            let [x, y] = self.place(*p);
            format!("{},{}", number(x), number(y))
        });
        format!(
            "<polyline class=\"{class}\" points=\"{}\"/>\n",
            points.collect::<Vec<String>>().join(" ")
        )
    }

    fn shape(&self, shape: &Shape) -> String {
        let Some(now) = ShapePose::of(shape) else {
            return String::new();
        };
        let lines = |class: &str, points: &[Point]| self.path(points, class);
        match shape.shape.as_str() {
            "line" | "polyline" | "spring" => lines("edge", &now.points),
            "rod" | "blade" => lines("rod", &now.ends(0)),
            "box" => self.faces(&now, shape),
            "ground" => lines("ground", &now.rectangle(shape)),
            _ => {
                let corners = hull(now.solid(shape).iter().map(|p| self.place(*p)).collect());
                self.polygon(&corners, "body")
            }
        }
    }

    /// The faces of a box that are seen.
    fn faces(&self, now: &ShapePose, shape: &Shape) -> String {
        let out = cross(self.right, self.up);
        let long = size(shape, "length", 1.0);
        let half = [
            long,
            size(shape, "width", long),
            size(shape, "height", long),
        ];
        let half = half.map(|side| side / 2.0);
        let e = now.boxed();
        let mut svg = String::new();
        for (axis, sign) in (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]) {
            if sign * dot(e[axis], out) <= 0.0 {
                continue;
            }
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let middle = along(now.at, e[axis], sign * half[axis]);
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(a, b)| {
                self.place(along(along(middle, e[i], a * half[i]), e[j], b * half[j]))
            });
            svg.push_str(&self.polygon(&corners, "body"));
        }
        svg
    }

    fn polygon(&self, corners: &[[f64; 2]], class: &str) -> String {
        let points = corners
            .iter()
            .map(|[x, y]| format!("{},{}", number(*x), number(*y)));
        let points: Vec<String> = points.collect();
        format!(
            "<polygon class=\"{class}\" points=\"{}\"/>\n",
            points.join(" ")
        )
    }

    /// The arrows that are shown at first; the longest of each kind has the same length.
    fn arrows(&self, scene: &Scene, pens: &Pens) -> String {
        let mut svg = String::new();
        for (kind, name) in [
            (Kind::Vector, "vector"),
            (Kind::Force, "force"),
            (Kind::Couple, "couple"),
        ] {
            let arrows = || scene.arrows.iter().filter(|arrow| arrow.kind == kind);
            let on = |toggle: usize| scene.toggles.get(toggle).is_some_and(|toggle| toggle.on);
            let longest = arrows()
                .flat_map(|arrow| &arrow.vector)
                .map(|v| dot(*v, *v).sqrt());
            let longest = longest.filter(|x| x.is_finite()).fold(0.0, f64::max);
            for arrow in arrows().filter(|arrow| on(arrow.toggle) && longest > 0.0) {
                let hue = pens.toggles.get(arrow.toggle).copied().unwrap_or_default();
                let class = format!("{name} s{hue}");
                if let (Some(at), Some(v)) = (last(&arrow.at), last(&arrow.vector)) {
                    let tip = along(at, v, ARROW / (longest * self.scale));
                    let [x, y] = self.place(tip);
                    svg.push_str(&self.path(&[at, tip], &class));
                    svg.push_str(&format!(
                        "<circle class=\"{class} tip\" cx=\"{}\" cy=\"{}\" r=\"4\"/>\n",
                        number(x),
                        number(y)
                    ));
                }
            }
        }
        svg
    }
}

/// A size of a shape by its key.
fn size(shape: &Shape, key: &str, usual: f64) -> f64 {
    let given = shape.sizes.iter().find(|(other, _)| other == key);
    given.map_or(usual, |(_, size)| size.abs())
}

/// A shape in the last frame.
struct ShapePose {
    at: Point,
    e: [Point; 3],
    turns: bool,
    given: Option<Point>,
    normal: Option<Point>,
    points: Vec<Point>,
    long: f64,
}

impl ShapePose {
    fn of(shape: &Shape) -> Option<Self> {
        let of_track = |track: &Option<Track>| track.as_ref().and_then(last).map(unit);
        let axes = shape.axes.as_ref();
        let axes = axes.map(|axes| [0, 1, 2].map(|i| unit(last(&axes[i]).unwrap_or_default())));
        Some(Self {
            at: last(&shape.at)?,
            e: axes.unwrap_or([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            turns: axes.is_some(),
            given: of_track(&shape.axis).or(of_track(&shape.along)),
            normal: of_track(&shape.normal),
            points: shape.points.iter().filter_map(last).collect(),
            long: size(shape, "length", size(shape, "height", 1.0)),
        })
    }

    /// Both ends along the direction given, else along this axis.
    fn ends(&self, axis: usize) -> [Point; 2] {
        let direction = self.given.unwrap_or(self.e[axis]);
        [-0.5, 0.5].map(|side| along(self.at, direction, side * self.long))
    }

    /// Without a frame of its own a box lies along the direction it is given.
    fn boxed(&self) -> [Point; 3] {
        match self.given {
            Some(given) if !self.turns => {
                let (one, two) = across(given);
                [given, one, two]
            }
            _ => self.e,
        }
    }

    /// The corners of a plate, the first at the end again.
    fn rectangle(&self, shape: &Shape) -> Vec<Point> {
        let mut sides = shape.sizes.iter().filter(|(key, _)| key == "size");
        let first = sides.next().map_or(self.long, |(_, size)| *size);
        let second = sides
            .next()
            .map_or(size(shape, "width", first), |(_, size)| *size);
        let (one, two) = match self.normal {
            Some(normal) => across(normal),
            None => (self.e[0], self.e[1]),
        };
        let corners = [
            (-0.5, -0.5),
            (0.5, -0.5),
            (0.5, 0.5),
            (-0.5, 0.5),
            (-0.5, -0.5),
        ];
        let corner = |(a, b)| along(along(self.at, one, a * first), two, b * second);
        corners.map(corner).to_vec()
    }

    /// Points whose hull is the shape.
    fn solid(&self, shape: &Shape) -> Vec<Point> {
        let axle = self.given.unwrap_or(self.e[2]);
        let (one, two) = across(axle);
        let radius = size(shape, "radius", 0.5);
        let rim = |at: Point| -> Vec<Point> { ring(at, one, two, radius) };
        match shape.shape.as_str() {
            "plate" => self.rectangle(shape),
            "cylinder" => self.ends(2).into_iter().flat_map(rim).collect(),
            "cone" => {
                let [base, tip] = self.ends(2);
                [rim(base), vec![tip]].concat()
            }
            "ball" | "ellipsoid" => {
                let radii = shape.sizes.iter().filter(|(key, _)| key == "radii");
                let mut radii: Vec<f64> = radii.map(|(_, radius)| *radius).collect();
                radii.resize(3, size(shape, "radius", 0.1));
                let e = [0, 1, 2].map(|i| self.e[i].map(|x| radii[i] * x));
                // Rings from pole to pole.
                let rings = (0..=CORNERS / 2).map(|i| {
                    let (sin, cos) = (std::f64::consts::TAU * i as f64 / CORNERS as f64).sin_cos();
                    ring(along(self.at, e[2], cos), e[0], e[1], sin)
                });
                rings.flatten().collect()
            }
            _ => rim(self.at),
        }
    }
}

fn ring(at: Point, one: Point, two: Point, radius: f64) -> Vec<Point> {
    let corner = |i: usize| {
        let (sin, cos) = (std::f64::consts::TAU * i as f64 / CORNERS as f64).sin_cos();
        along(along(at, one, radius * cos), two, radius * sin)
    };
    (0..CORNERS).map(corner).collect()
}

/// The convex hull, in order round it.
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let side = |points: &mut dyn Iterator<Item = &[f64; 2]>| {
        let mut out: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = out[..] {
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0.0 {
                    break;
                }
                out.pop();
            }
            out.push(*p);
        }
        out.pop();
        out
    };
    let mut round = side(&mut points.iter());
    round.extend(side(&mut points.iter().rev()));
    round
}

/// Every place with the size of what is there.
fn places(scene: &Scene) -> impl Iterator<Item = (Point, f64)> {
    let points = scene.trails.iter().map(|trail| &trail.at);
    let points = points.chain(scene.marks.iter().map(|mark| &mark.at));
    let bodies = scene.shapes.iter().flat_map(|shape| {
        let reach = |(key, size): &(String, f64)| match key.as_str() {
            "radius" | "radii" => size.abs(),
            _ => size.abs() / 2.0,
        };
        let reach = shape.sizes.iter().map(reach).fold(0.0, f64::max);
        let places: Vec<(Point, f64)> = match shape.points.is_empty() {
            true => shape.at.iter().map(|p| (*p, reach)).collect(),
            false => shape.points.iter().flatten().map(|p| (*p, 0.0)).collect(),
        };
        places
    });
    points.flatten().map(|p| (*p, 0.0)).chain(bodies)
}

fn unit(v: Point) -> Point {
    let length = dot(v, v).sqrt();
    if length > 0.0 {
        v.map(|x| x / length)
    } else {
        [1.0, 0.0, 0.0]
    }
}

/// The directions to the right and up of a view that is turned by `yaw` about the upward axis and looks
/// down by `pitch`: their cross product points to the reader, at the height `sin(pitch)`.
fn from_above(upward: Point, yaw: f64, pitch: f64) -> (Point, Point) {
    let (one, two) = level(upward);
    let ((sin, cos), (high, low)) = (yaw.sin_cos(), pitch.sin_cos());
    let mix = |a: f64, b: f64, c: f64| along(along(along([0.0; 3], one, a), two, b), upward, c);
    (mix(cos, sin, 0.0), mix(-high * sin, high * cos, low))
}

/// Two level directions: x where that is level, and across it.
fn level(up: Point) -> (Point, Point) {
    let one = if up[0].abs() < 0.5 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    (one, cross(up, one))
}

fn cross(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// Two directions across a third.
fn across(axis: Point) -> (Point, Point) {
    let helper = if axis[2].abs() < 0.9 {
        [0.0, 0.0, 1.0]
    } else {
        [1.0, 0.0, 0.0]
    };
    let one = unit(cross(helper, axis));
    (one, cross(axis, one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::scene::Trail;

    const WAYS_UP: [Point; 6] = [
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
    ];

    /// A point on a level circle that turns left, as seen by who stands upright.
    fn left_turn(up: Point) -> Scene {
        let (one, two) = level(up);
        let at = |i: usize| {
            let (sin, cos) = (0.1 * i as f64).sin_cos();
            along(along(up, one, cos), two, sin)
        };
        Scene {
            up,
            trails: vec![Trail {
                name: "P".to_owned(),
                at: (0..40).map(at).collect(),
            }],
            ..Scene::default()
        }
    }

    #[test]
    fn the_reader_is_above_the_floor_and_left_turns_turn_left() {
        for up in WAYS_UP {
            let scene = left_turn(up);
            let view = View::of(&scene);
            let out = cross(view.right, view.up);
            assert!(dot(out, up) > 0.3, "{up:?} is seen from below");
            assert!(dot(view.up, up) > 0.8, "{up:?} is not upright");
            assert!(dot(view.right, up).abs() < 1e-12, "{up:?} is tilted");
            let points: Vec<[f64; 2]> = scene.trails[0].at.iter().map(|p| view.place(*p)).collect();
            for turn in points.windows(3) {
                let [a, b] = [0, 1].map(|i| [0, 1].map(|k| turn[i + 1][k] - turn[i][k]));
                // Pixels count downwards: a turn to the left has a negative cross product.
                assert!(a[0] * b[1] - a[1] * b[0] < 0.0, "{up:?}");
            }
        }
    }
}
