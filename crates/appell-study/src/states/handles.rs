//! Points by which a state is moved by hand: a place or a velocity is pulled, and the state that the constraints allow
//! follows.

use crate::states::nearest::{mass_at, nearest_on_constraints};
use crate::states::residuals::scaled_residual;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Id, Matrix, Sketch};
use appell_flow::{Interpreter, linear};
use appell_model::Value;

/// More points than these are hard to tell apart.
const MAX_HANDLES: usize = 12;
/// Of the trace: what keeps equations regular in directions without inertia, or in which a point cannot move.
const RIDGE: f64 = 1e-10;
/// Steps of a place towards where it is pulled, each followed by one on to the constraints.
const PULLS: usize = 12;
/// Directions in which the allowed velocities of a point are sought, in a plane and in space.
const AROUND: [usize; 2] = [60, 120];
/// The speeds at which they are sought, as parts of the largest.
const SPEEDS: [f64; 2] = [1.0, 0.5];
/// Directions of these in which it is asked first whether any velocity is allowed.
const ASKED: usize = 8;
/// How often a velocity that was not reached is pulled again, as long as it comes nearer by such a part.
const AGAIN: usize = 40;
const NEARER: f64 = 0.9;
/// What differs by less than this part of the speed does not differ.
const SAME: f64 = 1e-6;

/// A vector in space.
pub type Vector3 = [f64; 3];

/// Points of a model that depend on its coordinates: its bodies, and the points whose paths the file draws.
pub struct Handles {
    /// What they are called.
    pub names: Vec<String>,
    /// Outputs `r`, `r_t`, `r_q`, three rows a point, at `(t, (q, v))`.
    places: Interpreter,
    /// The number of coordinates.
    n: usize,
}

/// A point at a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Handle {
    /// Where it is.
    pub at: Vector3,
    /// How it moves.
    pub velocity: Vector3,
}

/// What a point is pulled to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pull {
    /// Its place; velocities are kept as far as the constraints allow.
    Place(Vector3),
    /// Its velocity.
    Velocity(Vector3),
}

/// A state on the constraints, and how far it is from the one that was wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// The coordinates.
    pub q: Vec<f64>,
    /// The velocities.
    pub v: Vec<f64>,
    /// The largest residual of the constraints there, relative to their terms.
    pub residual: f64,
    /// The length, in the kinetic metric, of what was discarded of the velocities: the root of twice its energy.
    pub discarded: f64,
}

/// The velocities that the constraints allow a point, among all that it could have otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct AllowedSet {
    /// `any`, `point`, `line`, `plane`, or `curved`.
    pub kind: &'static str,
    /// Some of them.
    pub velocities: Vec<Vector3>,
}

/// The nearest state on the constraints: coordinates move only for holonomic rows, then velocities least in the
/// kinetic metric.
pub fn allowed(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Option<Allowed> {
    let (q, found) = nearest_on_constraints(p, t, q, v)?;
    let residual = scaled_residual(&p.measure(t, &q, &found)?);
    let metric = mass_at(p, t, &q, &found)?;
    let lost: Vec<f64> = v
        .iter()
        .zip(&found)
        .map(|(v, projected)| v - projected)
        .collect();
    let square: f64 = product(&metric, &lost)
        .iter()
        .zip(&lost)
        .map(|(a, b)| a * b)
        .sum();
    Some(Allowed {
        q,
        v: found,
        residual,
        discarded: square.max(0.0).sqrt(),
    })
}

impl Handles {
    /// Finds the points of a model.
    #[must_use]
    pub fn new(p: &Prepared<'_>) -> Self {
        let graph = p.system.graph;
        let points: Vec<(String, [Id; 3])> = points(p);
        let places: Vec<Ex<'_>> = points.iter().flat_map(|(_, at)| graph.exs(at)).collect();
        let mut sketch = Sketch::new(graph);
        sketch.output_list("r", &places);
        let rates: Vec<Ex<'_>> = places.iter().map(|x| x.diff(p.system.t)).collect();
        sketch.output_list("r_t", &rates);
        sketch.output("r_q", Matrix::jacobian(graph, &places, &p.system.q));
        Self {
            names: points.into_iter().map(|(name, _)| name).collect(),
            places: p.compile(&sketch, &["r", "r_t", "r_q"]),
            n: p.system.n(),
        }
    }

    /// All points at a state; `None` where some have no place.
    pub fn at(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Vec<Handle>> {
        let seen = self.seen(t, q, v)?;
        let all = (0..self.names.len()).map(|point| seen.handle(point, v));
        Some(all.collect())
    }

    /// Places and their derivatives at a state.
    fn seen(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Seen> {
        let values = self.places.results(t, &[q, v].concat()).ok()?;
        let (rows, n) = (3 * self.names.len(), self.n);
        let seen = Seen { values, rows, n };
        seen.values.iter().all(|x| x.is_finite()).then_some(seen)
    }

    /// The state after a point was pulled, and then moved on to the constraints. Of all changes that give the point
    /// what it is pulled to the least in the kinetic metric is taken; what of it the constraints forbid is discarded.
    pub fn pulled(
        &self,
        p: &Prepared<'_>,
        (t, q, v): (f64, &[f64], &[f64]),
        point: usize,
        to: Pull,
    ) -> Option<Allowed> {
        self.names.get(point)?;
        match to {
            Pull::Velocity(wanted) => {
                let seen = self.seen(t, q, v)?;
                let change = difference(wanted, seen.handle(point, v).velocity);
                let change = seen.change(p, (t, q, v), point, change)?;
                allowed(p, t, q, &sum(v, &change))
            }
            Pull::Place(wanted) => {
                let (mut q, v) = (q.to_vec(), v);
                for _ in 0..PULLS {
                    let seen = self.seen(t, &q, v)?;
                    let change = difference(wanted, seen.handle(point, v).at);
                    let step = seen.change(p, (t, &q, v), point, change)?;
                    let next = nearest_on_constraints(p, t, &sum(&q, &step), v)?.0;
                    let moved = q.iter().zip(&next).map(|(a, b)| (a - b).abs());
                    let far = moved.fold(0.0, f64::max);
                    q = next;
                    if far <= f64::EPSILON * linear::max_norm(&q).max(1.0) {
                        break;
                    }
                }
                allowed(p, t, &q, v)
            }
        }
    }

    /// Whether the constraints allow a point some velocity, that of others following.
    fn reaches(
        &self,
        p: &Prepared<'_>,
        (t, q, v): (f64, &[f64], &[f64]),
        point: usize,
        wanted: Vector3,
    ) -> bool {
        let (mut v, mut before) = (v.to_vec(), f64::INFINITY);
        for _ in 0..AGAIN {
            let Some(found) = self.pulled(p, (t, q, &v), point, Pull::Velocity(wanted)) else {
                return false;
            };
            let Some(handles) = self.at(t, &found.q, &found.v) else {
                return false;
            };
            let miss = size(difference(handles[point].velocity, wanted));
            if miss <= SAME * size(wanted) {
                return true;
            }
            if miss > NEARER * before {
                return false;
            }
            (v, before) = (found.v, miss);
        }
        false
    }

    /// The velocities that the constraints allow a point, up to a speed: what becomes of velocities in all directions,
    /// of a plane or of space.
    pub fn allowed_set(
        &self,
        p: &Prepared<'_>,
        (t, q, v): (f64, &[f64], &[f64]),
        point: usize,
        plane: Option<[usize; 2]>,
        speed: f64,
    ) -> Option<AllowedSet> {
        let directions = match plane {
            Some(plane) => circle(plane),
            None => sphere(),
        };
        let mut asked = directions.iter().step_by(directions.len() / ASKED);
        if asked.all(|direction| self.reaches(p, (t, q, v), point, direction.map(|x| x * speed))) {
            return Some(AllowedSet {
                kind: "any",
                velocities: Vec::new(),
            });
        }
        let mut velocities = Vec::new();
        for part in SPEEDS {
            for direction in &directions {
                let wanted = direction.map(|x| x * part * speed);
                let found = self.pulled(p, (t, q, v), point, Pull::Velocity(wanted));
                let Some(found) = found else { continue };
                let velocity = self.at(t, &found.q, &found.v)?[point].velocity;
                velocities.push(velocity);
            }
        }
        let kind = match spread(&velocities, speed) {
            0 => "point",
            1 => "line",
            2 if plane.is_none() => "plane",
            _ => "curved",
        };
        Some(AllowedSet { kind, velocities })
    }
}

/// The places of all points at a state, their rates at rest, and their derivatives by the coordinates.
struct Seen {
    values: Vec<f64>,
    /// Three for each point.
    rows: usize,
    n: usize,
}

impl Seen {
    fn handle(&self, point: usize, v: &[f64]) -> Handle {
        let slopes = self.slopes(point);
        Handle {
            at: [0, 1, 2].map(|i| self.values[3 * point + i]),
            velocity: [0, 1, 2].map(|i| {
                let line = &slopes[i * self.n..(i + 1) * self.n];
                self.values[self.rows + 3 * point + i] + linear::dot(line, v)
            }),
        }
    }

    /// The derivatives of a point's place by the coordinates, three rows.
    fn slopes(&self, point: usize) -> &[f64] {
        let first = 2 * self.rows + 3 * point * self.n;
        &self.values[first..first + 3 * self.n]
    }

    /// The least change of coordinates or velocities, in the kinetic metric, that changes a point's by so much:
    /// `M^-1 J^T (J M^-1 J^T)^-1 d`.
    fn change(
        &self,
        p: &Prepared<'_>,
        (t, q, v): (f64, &[f64], &[f64]),
        point: usize,
        by: Vector3,
    ) -> Option<Vec<f64>> {
        let n = self.n;
        let slopes = self.slopes(point);
        let mut metric = mass_at(p, t, q, v)?;
        steady(n, &mut metric);
        let scratch = &mut linear::Scratch::default();
        let mut solved = Vec::with_capacity(3);
        for line in slopes.chunks_exact(n) {
            let mut column = vec![0.0; n];
            linear::lu(n, &metric, line, &mut column, scratch).ok()?;
            solved.push(column);
        }
        let mut gram: Vec<f64> = (0..9)
            .map(|k| linear::dot(&slopes[k / 3 * n..(k / 3 + 1) * n], &solved[k % 3]))
            .collect();
        steady(3, &mut gram);
        let mut weights = vec![0.0; 3];
        linear::lu(3, &gram, &by, &mut weights, scratch).ok()?;
        let entry = |i: usize| (0..3).map(|k| solved[k][i] * weights[k]).sum();
        Some((0..n).map(entry).collect())
    }
}

/// Bodies; where there are none, points whose paths are drawn; else centres of shapes. Each place once.
fn points(p: &Prepared<'_>) -> Vec<(String, [Id; 3])> {
    let model = p.model;
    let bodies = model
        .bodies
        .iter()
        .map(|body| (body.name.clone(), body.position));
    let drawn = model.animation.iter();
    let trails = drawn
        .clone()
        .flat_map(|drawing| drawing.trail.iter().cloned());
    let shapes = drawn.flat_map(|drawing| &drawing.shapes).flat_map(|shape| {
        let places = shape
            .values
            .iter()
            .filter(|(key, _)| ["at", "to"].contains(&key.as_str()));
        places.filter_map(|(_, value)| match value {
            Value::Vector(at) => Some((shape.shape.clone(), *at)),
            Value::Scalar(_) => None,
        })
    });
    let kinds: [Vec<(String, [Id; 3])>; 3] = [bodies.collect(), trails.collect(), shapes.collect()];
    let mut found = kinds.into_iter().map(|kind| movable(p, kind));
    found.find(|points| !points.is_empty()).unwrap_or_default()
}

/// Those that move with the coordinates, each once.
fn movable(p: &Prepared<'_>, kind: Vec<(String, [Id; 3])>) -> Vec<(String, [Id; 3])> {
    let mut points: Vec<(String, [Id; 3])> = Vec::new();
    let graph = p.system.graph;
    for (name, at) in kind {
        let places = graph.exs(&at);
        let moves = places
            .iter()
            .any(|x| p.system.q.iter().any(|q| x.depends_on(*q)));
        let plain = places
            .iter()
            .all(|x| !p.system.v.iter().any(|v| x.depends_on(*v)));
        let known = points.iter().any(|(_, point)| *point == at);
        if moves && plain && !known && points.len() < MAX_HANDLES {
            points.push((name, at));
        }
    }
    points
}

/// How many dimensions velocities fill.
fn spread(velocities: &[Vector3], speed: f64) -> usize {
    let middle = [0, 1, 2]
        .map(|i| velocities.iter().map(|v| v[i]).sum::<f64>() / velocities.len().max(1) as f64);
    let row = |i: usize| velocities.iter().map(move |v| v[i] - middle[i]);
    let rows: Vec<f64> = (0..3).flat_map(row).collect();
    let sigma = linear::singular_values(3, velocities.len(), &rows);
    let least = SAME * speed * (velocities.len() as f64).sqrt();
    sigma.iter().filter(|x| **x > least).count()
}

fn circle([x, y]: [usize; 2]) -> Vec<Vector3> {
    let direction = |k: usize| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / AROUND[0] as f64).sin_cos();
        let mut direction = [0.0; 3];
        (direction[x], direction[y]) = (cos, sin);
        direction
    };
    (0..AROUND[0]).map(direction).collect()
}

/// Evenly spread over a sphere: on a spiral, each a golden angle on.
fn sphere() -> Vec<Vector3> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let direction = |k: usize| {
        let height = 1.0 - (2 * k + 1) as f64 / AROUND[1] as f64;
        let radius = (1.0 - height * height).sqrt();
        let (sin, cos) = (golden * k as f64).sin_cos();
        [radius * cos, radius * sin, height]
    };
    (0..AROUND[1]).map(direction).collect()
}

/// Adds a little to the diagonal.
fn steady(n: usize, matrix: &mut [f64]) {
    let trace: f64 = (0..n).map(|i| matrix[i * (n + 1)].abs()).sum();
    let by = if trace > 0.0 { RIDGE * trace } else { 1.0 };
    (0..n).for_each(|i| matrix[i * (n + 1)] += by);
}

fn product(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix
        .chunks(x.len().max(1))
        .map(|line| linear::dot(line, x))
        .collect()
}

fn sum(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

fn difference(x: Vector3, y: Vector3) -> Vector3 {
    [0, 1, 2].map(|i| x[i] - y[i])
}

fn size(x: Vector3) -> f64 {
    linear::dot(&x, &x).sqrt()
}
