//! The equations of motion in fewer unknowns, as a careful engineer writes them for machines.
//!
//! The equations are those of the multipliers, `M q'' = r + A^T lambda`, `A q'' + B = 0`, in the same state
//! `(q, v)`, and so is every value at every state, on the constraints or beside them. Three things make them short:
//!
//! 1. Vectors are made from frames: what is fixed in a frame turns by cross products with its `omega`
//!    ([`frames`]), and nothing is differentiated that a cross product gives.
//! 2. Rows that hold a velocity with a constant coefficient give it by the others, `q'' = Y u' + d`, before
//!    anything is assembled: rolling contacts and hinges give the velocity of a body's centre. Such a choice of
//!    independent velocities fails nowhere. What is left is
//!    `[Y^T M Y, -(A Y)^T; -A Y, 0] (u'; lambda) = (Y^T (r - M d); B + A d)` with the other rows.
//! 3. Where nothing depends on the heading, all is written at heading 0 ([`heading`]).
//!
//! Multipliers of rows that do no work are not found: nothing of a step asks for them.

mod frames;
mod heading;
mod scene;
mod sheet;

use crate::constraints::{ConstraintRow, Constraints, parametric_only};
use crate::energy;
use crate::output;
use crate::system::System;
use appell_expr::{Ex, Matrix, Sketch, SolveKind};
use appell_model::Frame;
use frames::{Angles, Frames, Point, Prepare, by_velocities, frame_of, spin, vector};
use heading::Heading;
pub use scene::Style;
use scene::{Scene, Source, given_force, is_idle};
use sheet::{Sheet, Vec3, dot, is_null};

/// Larger systems are not reduced: their programs are long, and long to write.
const LARGEST: usize = 30;

/// The results [`output::SHORT`] of the multipliers' equations, from fewer unknowns; `None` where reactions have
/// directions of their own, where there are no bodies to make arms of, and for large systems.
pub fn reduced<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    style: Style,
) -> Option<Sketch<'g>> {
    let applies = constraints.ideal
        && system.n() <= LARGEST
        && !(style == Style::Arms && system.model.bodies.is_empty())
        && parametric_only(system, constraints).is_ok();
    applies.then(|| Writer::new(system, constraints, style).write())?
}

struct Writer<'s, 'g> {
    system: &'s System<'g>,
    constraints: &'s Constraints<'g>,
    scene: Scene<'g>,
    style: Style,
    heading: Option<Heading<'g>>,
    sheet: Sheet<'g>,
}

/// Rows `A q'' + B = 0` in the making.
struct Row<'g> {
    a: Vec<Ex<'g>>,
    b: Ex<'g>,
    /// Its place among the active rows.
    index: usize,
    /// The velocity that it gives.
    gives: Option<usize>,
}

/// Three equations of a body: `inertia (Sum_k parts_k q_k'') = force` along the parts.
struct Share<'g> {
    parts: Vec<Vec3<'g>>,
    inertia: [Vec3<'g>; 3],
    /// What acts at `q'' = 0`.
    force: Vec3<'g>,
}

/// The reduced equations `matrix u' = right`.
struct Sums<'g> {
    matrix: Vec<Vec<Vec<Ex<'g>>>>,
    right: Vec<Vec<Ex<'g>>>,
}

impl<'s, 'g> Writer<'s, 'g> {
    fn new(system: &'s System<'g>, constraints: &'s Constraints<'g>, style: Style) -> Self {
        let scene = Scene::new(system, constraints, style);
        let arms = style == Style::Arms;
        Self {
            heading: arms
                .then(|| Heading::find(system, constraints, &scene))
                .flatten(),
            sheet: Sheet::new(system.graph, arms),
            style,
            system,
            constraints,
            scene,
        }
    }

    fn write(mut self) -> Option<Sketch<'g>> {
        let (system, graph) = (self.system, self.system.graph);
        let at_zero = self.heading.as_ref().map(Heading::at_zero);
        let prepare = |x: Ex<'g>| {
            let x = match system.fixed.is_empty() {
                true => x,
                false => x.substitute(&system.fixed),
            };
            at_zero.map_or(x, |at_zero| x.substitute(&[at_zero]))
        };
        let known: &[Frame] = match self.style {
            Style::Arms => &system.model.frames,
            Style::Formulas => &[],
        };
        let frames = Frames::new(system, &mut self.sheet, &prepare, known)?;
        let centres = self.centres(&prepare, &frames);
        let mut rows = self.rows(&prepare, &frames, &centres);
        self.eliminate(&mut rows);
        let free: Vec<usize> = (0..system.n())
            .filter(|k| rows.iter().all(|row| row.gives != Some(*k)))
            .collect();
        let sums = self.sums(&prepare, &frames, &centres, &rows, &free);
        let (rates, lambda) = self.solve(&rows, &free, &sums);
        let mut accel = vec![graph.zero(); system.n()];
        free.iter()
            .zip(&rates)
            .for_each(|(k, rate)| accel[*k] = *rate);
        for row in &rows {
            if let Some(given) = row.gives {
                let terms = free.iter().zip(&rates).map(|(k, rate)| -row.a[*k] * *rate);
                accel[given] = graph.sum(&terms.chain([-row.b]).collect::<Vec<_>>());
            }
        }
        if let Some(heading) = &self.heading {
            heading.turn(&mut self.sheet, &mut accel);
        }
        let accel = Matrix::column(graph, accel);
        let mut sketch = self.sheet.sketch;
        let rates = energy::work(system, self.constraints, &lambda);
        let [rate, own, work] = output::SHORT.map(|(_, short)| short);
        sketch.output(rate, system.velocity().above(&accel));
        sketch.output(own, accel);
        sketch.output_list(work, &rates);
        Some(sketch)
    }

    fn centres(&mut self, prepare: Prepare<'_, 'g>, frames: &Frames<'g>) -> Vec<Point<'g>> {
        let system = self.system;
        let bodies = system.model.bodies.iter().zip(&self.scene.centres);
        let mut points = Vec::new();
        for (body, arms) in bodies {
            points.push(match arms {
                Some(arms) => Point::on_arms(system, &mut self.sheet, prepare, frames, arms),
                None => {
                    let velocity = vector(system.graph, body.velocity);
                    Point::as_written(system, &mut self.sheet, prepare, velocity)
                }
            });
        }
        points
    }

    /// `A` and `B` of the active rows.
    fn rows(
        &mut self,
        prepare: Prepare<'_, 'g>,
        frames: &Frames<'g>,
        centres: &[Point<'g>],
    ) -> Vec<Row<'g>> {
        let n = self.system.n();
        let active = self.constraints.rows.iter().filter(|row| row.is_active());
        let mut rows = Vec::new();
        let mut contacts: Vec<(usize, Vec3<'g>, Point<'g>, Vec<Vec3<'g>>)> = Vec::new();
        for (index, (row, source)) in active.zip(&self.scene.rows).enumerate() {
            let (a, b) = match source {
                Source::Contact { body, offset, axis } => {
                    let known = contacts
                        .iter()
                        .position(|(other, place, ..)| other == body && place == offset);
                    let place = known.unwrap_or_else(|| {
                        let point = contact(
                            self.system,
                            &mut self.sheet,
                            prepare,
                            (frames, &self.scene.angles),
                            (*body, *offset),
                            centres,
                        );
                        let parts = (0..n).map(|k| point.part(&mut self.sheet, frames, k));
                        let parts = parts.collect();
                        contacts.push((*body, *offset, point, parts));
                        contacts.len() - 1
                    });
                    let (_, _, point, parts) = &contacts[place];
                    (
                        parts.iter().map(|part| part[*axis]).collect(),
                        point.bias[*axis],
                    )
                }
                Source::Other => {
                    let a = row.a.iter().map(|x| self.sheet.keep(prepare(*x))).collect();
                    (a, self.sheet.keep(prepare(row.b)))
                }
            };
            rows.push(Row {
                a,
                b,
                index,
                gives: None,
            });
        }
        rows
    }

    /// Solves rows for velocities that they hold with constant coefficients, one after the other: the row with the
    /// fewest terms first, for the velocity that the fewest rows hold.
    fn eliminate(&mut self, rows: &mut [Row<'g>]) {
        let active: Vec<&ConstraintRow<'g>> = self
            .constraints
            .rows
            .iter()
            .filter(|row| row.is_active())
            .collect();
        let idle: Vec<bool> = active.iter().map(|row| is_idle(self.system, row)).collect();
        loop {
            let terms = |row: &Row<'g>| row.a.iter().filter(|x| !x.is_zero()).count();
            let holders = |k: usize| rows.iter().filter(|row| !row.a[k].is_zero()).count();
            let open = (0..rows.len()).filter(|i| rows[*i].gives.is_none() && idle[rows[*i].index]);
            let constant =
                |i: usize, k: usize| rows[i].a[k].as_rational().is_some_and(|x| !x.is_zero());
            let candidates = open.flat_map(|i| {
                let own = (0..self.system.n()).filter(move |k| constant(i, *k));
                own.map(move |k| (i, k))
            });
            let best = candidates.min_by_key(|(i, k)| (terms(&rows[*i]), holders(*k), *k));
            let Some((i, k)) = best else { break };
            let over = rows[i].a[k].recip();
            let given: Vec<Ex<'g>> = rows[i]
                .a
                .iter()
                .map(|x| self.sheet.keep(*x * over))
                .collect();
            let rest = self.sheet.keep(rows[i].b * over);
            for (other, row) in rows.iter_mut().enumerate() {
                let factor = row.a[k];
                if other == i {
                    (row.a, row.b, row.gives) = (given.clone(), rest, Some(k));
                } else if !factor.is_zero() {
                    for (x, own) in row.a.iter_mut().zip(&given) {
                        *x = self.sheet.keep(*x - factor * *own);
                    }
                    row.b = self.sheet.keep(row.b - factor * rest);
                }
            }
        }
    }

    /// The equations along the free velocities.
    fn sums(
        &mut self,
        prepare: Prepare<'_, 'g>,
        frames: &Frames<'g>,
        centres: &[Point<'g>],
        rows: &[Row<'g>],
        free: &[usize],
    ) -> Sums<'g> {
        let p = free.len();
        let mut sums = Sums {
            matrix: vec![vec![Vec::new(); p]; p],
            right: vec![Vec::new(); p],
        };
        for share in self.shares(prepare, frames, centres) {
            self.add(&mut sums, share, rows, free);
        }
        self.add_given(&mut sums, prepare, rows, free);
        sums
    }

    /// What particles and bodies add: Newton's and Euler's equations.
    fn shares(
        &mut self,
        prepare: Prepare<'_, 'g>,
        frames: &Frames<'g>,
        centres: &[Point<'g>],
    ) -> Vec<Share<'g>> {
        let (system, graph) = (self.system, self.system.graph);
        let gravity = vector(graph, system.model.gravity).map(prepare);
        let zero = graph.zero();
        let mut shares = Vec::new();
        for (body, centre) in system.model.bodies.iter().zip(centres) {
            let mass = prepare(graph.ex(body.mass));
            if !mass.is_zero() {
                let sheet = &mut self.sheet;
                let parts = (0..system.n())
                    .map(|k| centre.part(sheet, frames, k))
                    .collect();
                let fall = [0, 1, 2].map(|i: usize| mass * (gravity[i] - centre.bias[i]));
                let diagonal = |i: usize| [0, 1, 2].map(|j| if i == j { mass } else { zero });
                shares.push(Share {
                    parts,
                    inertia: [0, 1, 2].map(diagonal),
                    force: fall.map(|x| self.sheet.keep(x)),
                });
            }
            let Some(rotation) = &body.rotation else {
                continue;
            };
            let inertia = rotation.inertia.map(|row| vector(graph, row).map(prepare));
            let frame = frame_of(&system.model.frames, graph, rotation);
            let own = match frame.filter(|_| self.style == Style::Arms) {
                Some(frame) => spin(system, &mut self.sheet, prepare, frames, (frame, inertia)),
                None => self.written_spin(prepare, rotation),
            };
            let momentum = inertia.map(|row| self.sheet.keep(dot(row, own.spin)));
            let gyration = self.sheet.cross(own.turning, momentum);
            let euler = [0, 1, 2].map(|i: usize| -(dot(inertia[i], own.bias) + gyration[i]));
            shares.push(Share {
                parts: own.parts,
                inertia,
                force: self.sheet.keep_all(euler),
            });
        }
        shares
    }

    /// The spin of a body as it was read.
    fn written_spin(
        &mut self,
        prepare: Prepare<'_, 'g>,
        rotation: &appell_model::Rotation,
    ) -> frames::Spin<'g> {
        let (system, sheet) = (self.system, &mut self.sheet);
        let raw = vector(system.graph, rotation.resal);
        let parts = by_velocities(system, raw, prepare).into_iter();
        frames::Spin {
            spin: sheet.keep_all(raw.map(prepare)),
            bias: sheet.keep_all(raw.map(|x| prepare(system.drift(x)))),
            parts: parts.map(|x| sheet.keep_all(x)).collect(),
            turning: sheet.keep_all(vector(system.graph, rotation.turning).map(prepare)),
        }
    }

    /// Adds a share, along the free velocities only.
    fn add(&mut self, sums: &mut Sums<'g>, share: Share<'g>, rows: &[Row<'g>], free: &[usize]) {
        let sheet = &mut self.sheet;
        let given: Vec<(&Row<'g>, Vec3<'g>)> = rows
            .iter()
            .filter_map(|row| Some((row, share.parts[row.gives?])))
            .filter(|(_, part)| !is_null(part))
            .collect();
        let mut along = Vec::new();
        for k in free {
            let mut terms = vec![share.parts[*k]];
            terms.extend(given.iter().map(|(row, part)| part.map(|x| -x * row.a[*k])));
            along.push(sheet.sum(&terms));
        }
        let rest: Vec<Vec3<'g>> = given
            .iter()
            .map(|(row, part)| part.map(|x| -x * row.b))
            .collect();
        let rest = sheet.sum(&rest);
        let pushed = share.inertia.map(|row| dot(row, rest));
        let force = [0, 1, 2].map(|i: usize| share.force[i] - pushed[i]);
        let force = sheet.keep_all(force);
        for (i, part) in along.iter().enumerate().filter(|(_, part)| !is_null(part)) {
            sums.right[i].push(dot(*part, force));
            let inertial = share.inertia.map(|row| sheet.keep(dot(row, *part)));
            for (j, other) in along[..=i].iter().enumerate().filter(|(_, x)| !is_null(x)) {
                sums.matrix[i][j].push(dot(*other, inertial));
            }
        }
    }

    /// Adds active forces and what `[energy]` gives.
    fn add_given(
        &mut self,
        sums: &mut Sums<'g>,
        prepare: Prepare<'_, 'g>,
        rows: &[Row<'g>],
        free: &[usize],
    ) {
        let (system, n) = (self.system, self.system.n());
        let force = &system.force + &given_force(system);
        let mut force: Vec<Ex<'g>> = force.entries().iter().map(|x| prepare(*x)).collect();
        let mass = system.mass_given.map(prepare);
        // The columns of Y, and d.
        let column = |k: usize| -> Vec<Ex<'g>> {
            let entry = |i: usize| match rows.iter().find(|row| row.gives == Some(i)) {
                Some(row) => -row.a[k],
                None => system.graph.int(i64::from(i == k)),
            };
            (0..n).map(entry).collect()
        };
        if !mass.is_zero() {
            let rest: Vec<Ex<'g>> = (0..n)
                .map(|i| match rows.iter().find(|row| row.gives == Some(i)) {
                    Some(row) => -row.b,
                    None => system.graph.zero(),
                })
                .collect();
            let pushed = &mass * &Matrix::column(system.graph, rest);
            for (own, push) in force.iter_mut().zip(pushed.entries()) {
                *own = *own - *push;
            }
        }
        let force: Vec<Ex<'g>> = force.into_iter().map(|x| self.sheet.keep(x)).collect();
        let columns: Vec<Vec<Ex<'g>>> = free.iter().map(|k| column(*k)).collect();
        for (i, own) in columns.iter().enumerate() {
            sums.right[i].extend(own.iter().zip(&force).map(|(y, f)| *y * *f));
            if mass.is_zero() {
                continue;
            }
            let inertial = &mass * &Matrix::column(system.graph, own.clone());
            let inertial: Vec<Ex<'g>> = inertial
                .entries()
                .iter()
                .map(|x| self.sheet.keep(*x))
                .collect();
            for (j, other) in columns[..=i].iter().enumerate() {
                sums.matrix[i][j].extend(other.iter().zip(&inertial).map(|(y, p)| *y * *p));
            }
        }
    }

    /// The free accelerations, and the multipliers of the rows that do work; 0 for the others.
    fn solve(
        &mut self,
        rows: &[Row<'g>],
        free: &[usize],
        sums: &Sums<'g>,
    ) -> (Vec<Ex<'g>>, Matrix<'g>) {
        let (graph, p) = (self.system.graph, free.len());
        let column = |name: &str, rows: usize| {
            let symbol = |i: usize, _| graph.symbol(&format!("reduced {name}[{}]", i + 1));
            Matrix::from_fn(graph, rows, 1, symbol)
        };
        let rates = column("rate", p);
        let inertia = Matrix::from_fn(graph, p, p, |i, j| {
            graph.sum(&sums.matrix[i.max(j)][i.min(j)])
        });
        let right = Matrix::from_fn(graph, p, 1, |i, _| graph.sum(&sums.right[i]));
        let others: Vec<&Row<'g>> = rows.iter().filter(|row| row.gives.is_none()).collect();
        let all = column("lambda", self.constraints.k());
        let name = "the equations of motion";
        let sketch = &mut self.sheet.sketch;
        let mut lambda = Matrix::zero(graph, self.constraints.k(), 1);
        if others.is_empty() {
            sketch.solve_for(self.system.solve_kind(), name, &rates, &inertia, &right);
            return (rates.entries().to_vec(), lambda);
        }
        let own = all.select_rows(&others.iter().map(|row| row.index).collect::<Vec<_>>());
        let a = Matrix::from_fn(graph, others.len(), p, |i, j| others[i].a[free[j]]);
        let b = Matrix::from_fn(graph, others.len(), 1, |i, _| others[i].b);
        let upper = inertia.beside(&-&a.transpose());
        let lower = (-&a).beside(&Matrix::zero(graph, others.len(), others.len()));
        sketch.solve_for(
            SolveKind::OfRows { unique: p },
            name,
            &rates.above(&own),
            &upper.above(&lower),
            &right.above(&b),
        );
        let active: Vec<&ConstraintRow<'g>> = self
            .constraints
            .rows
            .iter()
            .filter(|row| row.is_active())
            .collect();
        lambda = Matrix::from_fn(graph, self.constraints.k(), 1, |i, _| {
            let works = others.iter().any(|row| row.index == i) && !is_idle(self.system, active[i]);
            if works { all[(i, 0)] } else { graph.zero() }
        });
        (rates.entries().to_vec(), lambda)
    }
}

/// The matter of a body at an offset from its centre.
fn contact<'g>(
    system: &System<'g>,
    sheet: &mut Sheet<'g>,
    prepare: Prepare<'_, 'g>,
    (frames, angles): (&Frames<'g>, &Angles<'g>),
    (body, offset): (usize, Vec3<'g>),
    centres: &[Point<'g>],
) -> Point<'g> {
    let centre = &centres[body];
    let rotation = system.model.bodies[body].rotation.as_ref();
    let frame = rotation.and_then(|own| frame_of(&system.model.frames, system.graph, own));
    let Some(frame) = frame.filter(|_| !is_null(&offset)) else {
        return centre.clone();
    };
    let arms = angles
        .arms(system, offset)
        .filter(|arms| is_null(&arms.base.map(|x| system.drift(x))));
    let (place, rate) = match arms {
        Some(arms) => {
            let mut places = vec![arms.base.map(prepare)];
            let mut rates = Vec::new();
            for (own, arm) in &arms.arms {
                let turning = frames.at(Some(*own));
                let arm = sheet.combine(arm.map(prepare), &turning.axes);
                places.push(arm);
                rates.push(sheet.cross(turning.omega, arm));
            }
            (sheet.sum(&places), sheet.sum(&rates))
        }
        None => {
            let rate = offset.map(|x| prepare(system.drift(x)));
            (sheet.keep_all(offset.map(prepare)), sheet.keep_all(rate))
        }
    };
    centre.matter(sheet, frames, frame, (place, rate))
}
