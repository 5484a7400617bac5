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

mod basis;
mod chains;
mod contact;
mod frames;
mod heading;
mod scene;
mod sheet;

use crate::constraints::{Constraints, parametric_only};
use crate::energy;
use crate::equations::short_program;
use crate::output;
use crate::system::System;
use appell_expr::{Ex, Matrix, Program, Rational, Sketch, SolveKind, Unbound};
use appell_model::Frame;
use basis::Basis;
use contact::contact;
use frames::{Frames, Point, Prepare, by_velocities, frame_of, spin, vector};
use heading::Heading;
pub use scene::Style;
use scene::{Scene, Source, given_force};
use sheet::{Sheet, Vec3, dot, is_null};

/// Larger systems are not reduced: their programs are long, and long to write.
const LARGEST: usize = 30;

/// The results [`output::SHORT`] of the multipliers' equations, from fewer unknowns; `None` where reactions have
/// directions of their own, where there are no bodies to make arms or chains of, and for large systems but as chains.
pub fn reduced<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    style: Style,
) -> Option<Reduced<'g>> {
    let is_reducible = constraints.ideal && parametric_only(system, constraints).is_ok();
    if style == Style::Chains {
        let applies = is_reducible && !system.model.bodies.is_empty();
        return applies.then(|| chains::write(system, constraints))?;
    }
    let applies = is_reducible
        && system.n() <= LARGEST
        && !(style == Style::Arms && system.model.bodies.is_empty());
    applies.then(|| Writer::new(system, constraints, style).write(None))?
}

/// The same by arms, with the rows that are left over solved for chosen velocities. Where the choice is not good the
/// program has no value: [`SolveKind::Chosen`].
pub fn reduced_by_choice<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    choice: &Choice,
) -> Option<Reduced<'g>> {
    Writer::new(system, constraints, Style::Arms).write(Some(choice))
}

/// Reduced equations.
pub struct Reduced<'g> {
    /// With the outputs of [`output::SHORT`], and [`output::OPEN`] where a [`Choice`] can be made.
    pub sketch: Sketch<'g>,
    /// The velocities that no row gives.
    pub free: Vec<usize>,
}

impl<'g> Reduced<'g> {
    /// The program for results of [`output::SHORT`], under their usual names.
    ///
    /// # Errors
    /// An expression that speaks of something that is no input.
    pub fn program(&self, inputs: &[Ex<'g>], names: &[&str]) -> Result<Program, Unbound> {
        let short = short_program(&self.sketch, inputs, names);
        short.unwrap_or_else(|| self.sketch.program(inputs, names))
    }
}

/// Velocities for which the rows that give none are solved.
pub struct Choice {
    /// As many as there are such rows.
    pub dependent: Vec<usize>,
    /// The inverse of the determinant of their coefficients where they were chosen.
    pub scale: Rational,
}

/// So many rows are solved for a choice: their cofactors are short.
const FEW: usize = 3;

struct Writer<'s, 'g> {
    system: &'s System<'g>,
    constraints: &'s Constraints<'g>,
    scene: Scene<'g>,
    style: Style,
    heading: Option<Heading<'g>>,
    basis: Option<Basis>,
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
            basis: arms
                .then(|| Basis::find(system, constraints, &scene))
                .flatten(),
            sheet: Sheet::new(system.graph, arms),
            style,
            system,
            constraints,
            scene,
        }
    }

    fn write(mut self, choice: Option<&Choice>) -> Option<Reduced<'g>> {
        let (system, graph) = (self.system, self.system.graph);
        let at_zero = self.heading.as_ref().map(Heading::at_zero);
        let prepare = |x: Ex<'g>| {
            let x = system.standing(x);
            at_zero.map_or(x, |at_zero| x.substitute(&[at_zero]))
        };
        let known: &[Frame] = match self.style {
            Style::Arms => &system.model.frames,
            Style::Formulas | Style::Chains => &[],
        };
        let basis = self.basis.as_ref().map(|basis| basis.frame);
        let frames = Frames::new(system, &mut self.sheet, &prepare, known, basis)?;
        let centres = self.centres(&prepare, &frames);
        let mut rows = self.rows(&prepare, &frames, &centres);
        self.eliminate(&mut rows);
        let open = self.open_rows(&rows);
        if let Some(choice) = choice {
            self.solve_for(&mut rows, choice)?;
        }
        let free = free_velocities(system.n(), &rows);
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
        if let Some(basis) = &self.basis {
            basis.turn_back(&mut self.sheet, &frames, &mut accel);
        }
        if let Some(heading) = &self.heading {
            heading.turn(&mut self.sheet, &mut accel);
        }
        let accel = Matrix::column(graph, accel);
        let mut sketch = self.sheet.sketch;
        let rates = energy::work(system, self.constraints, &lambda);
        let [rate, acceleration, work] = output::SHORT.map(|(_, short)| short);
        sketch.output(rate, system.velocity().above(&accel));
        sketch.output(acceleration, accel);
        sketch.output_list(work, &rates);
        if let Some(open) = open {
            sketch.output(output::OPEN, open);
        }
        Some(Reduced { sketch, free })
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
        let active = self.constraints.active();
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
        loop {
            let terms = |row: &Row<'g>| row.a.iter().filter(|x| !x.is_zero()).count();
            let holders = |k: usize| rows.iter().filter(|row| !row.a[k].is_zero()).count();
            let open = (0..rows.len())
                .filter(|i| rows[*i].gives.is_none() && self.scene.idle[rows[*i].index]);
            let constant =
                |i: usize, k: usize| rows[i].a[k].as_rational().is_some_and(|x| !x.is_zero());
            let candidates = open.flat_map(|i| {
                let columns = (0..self.system.n()).filter(move |k| constant(i, *k));
                columns.map(move |k| (i, k))
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
            (rows[i].a, rows[i].b) = (given, rest);
            self.give(rows, i, k);
        }
    }

    /// From here on row i gives velocity k, which it holds with coefficient 1: the others hold it no more.
    fn give(&mut self, rows: &mut [Row<'g>], i: usize, k: usize) {
        let (given, rest) = (rows[i].a.clone(), rows[i].b);
        rows[i].gives = Some(k);
        for (other, row) in rows.iter_mut().enumerate() {
            let factor = row.a[k];
            if other == i || factor.is_zero() {
                continue;
            }
            for (x, y) in row.a.iter_mut().zip(&given) {
                *x = self.sheet.keep(*x - factor * *y);
            }
            row.b = self.sheet.keep(row.b - factor * rest);
        }
    }

    /// The coefficients of the free velocities in the rows that give none; `None` where these are not to be solved for
    /// a choice of velocities: there are too many, or their reactions do work.
    fn open_rows(&self, rows: &[Row<'g>]) -> Option<Matrix<'g>> {
        let open: Vec<&Row<'g>> = rows.iter().filter(|row| row.gives.is_none()).collect();
        let free = free_velocities(self.system.n(), rows);
        let is_idle_contact = |row: &&Row<'g>| {
            let source = &self.scene.rows[row.index];
            matches!(source, Source::Contact { .. }) && self.scene.idle[row.index]
        };
        let few = (1..=FEW.min(free.len())).contains(&open.len());
        let a = |i: usize, j: usize| open[i].a[free[j]];
        (few && open.iter().all(is_idle_contact))
            .then(|| Matrix::from_fn(self.system.graph, open.len(), free.len(), a))
    }

    /// Solves the rows that give no velocity for chosen ones.
    fn solve_for(&mut self, rows: &mut [Row<'g>], choice: &Choice) -> Option<()> {
        let (graph, n) = (self.system.graph, self.system.n());
        let open: Vec<usize> = (0..rows.len())
            .filter(|i| rows[*i].gives.is_none())
            .collect();
        if open.is_empty() || open.len() != choice.dependent.len() {
            return None;
        }
        let held = |k: &usize| open.iter().any(|i| !rows[*i].a[*k].is_zero());
        let kept = free_velocities(n, rows).into_iter().filter(held);
        let kept: Vec<usize> = kept.filter(|k| !choice.dependent.contains(k)).collect();
        // The first row alone is scaled, so that the determinant is.
        let scale = |i: usize| {
            if i == 0 {
                graph.number(choice.scale.clone())
            } else {
                graph.one()
            }
        };
        let left = Matrix::from_fn(graph, open.len(), open.len(), |i, j| {
            scale(i) * rows[open[i]].a[choice.dependent[j]]
        });
        let right = Matrix::from_fn(graph, open.len(), kept.len() + 1, |i, j| {
            let row = &rows[open[i]];
            scale(i) * kept.get(j).map_or(row.b, |k| row.a[*k])
        });
        let slope =
            |i: usize, j: usize| graph.symbol(&format!("reduced slope[{},{}]", i + 1, j + 1));
        let slopes = Matrix::from_fn(graph, open.len(), kept.len() + 1, slope);
        let name = "the dependent velocities";
        let sketch = &mut self.sheet.sketch;
        sketch.solve_for(SolveKind::Chosen, name, &slopes, &left, &right);
        for (i, (row, dependent)) in open.iter().zip(&choice.dependent).enumerate() {
            let mut a = vec![graph.zero(); n];
            a[*dependent] = graph.one();
            kept.iter()
                .enumerate()
                .for_each(|(j, k)| a[*k] = slopes[(i, j)]);
            (rows[*row].a, rows[*row].b) = (a, slopes[(i, kept.len())]);
        }
        for (row, dependent) in open.iter().zip(&choice.dependent) {
            self.give(rows, *row, *dependent);
        }
        Some(())
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
        self.add_given(&mut sums, prepare, frames, rows, free);
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
        let gravity = frames.in_basis(&mut self.sheet, gravity);
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
            let body_spin = match frame.filter(|_| self.style == Style::Arms) {
                Some(frame) => spin(system, &mut self.sheet, prepare, frames, (frame, inertia)),
                None => self.written_spin(prepare, rotation),
            };
            let momentum = inertia.map(|row| self.sheet.keep(dot(row, body_spin.spin)));
            let gyration = self.sheet.cross(body_spin.turning, momentum);
            let euler = [0, 1, 2].map(|i: usize| -(dot(inertia[i], body_spin.bias) + gyration[i]));
            shares.push(Share {
                parts: body_spin.parts,
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
        frames: &Frames<'g>,
        rows: &[Row<'g>],
        free: &[usize],
    ) {
        let (system, n) = (self.system, self.system.n());
        let force = (&system.force + &given_force(system)).map(prepare);
        let force = match &self.basis {
            Some(basis) => basis.turn_force(&mut self.sheet, frames, &force),
            None => force,
        };
        let mut force = force.entries().to_vec();
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
            for (component, push) in force.iter_mut().zip(pushed.entries()) {
                *component = *component - *push;
            }
        }
        let force: Vec<Ex<'g>> = force.into_iter().map(|x| self.sheet.keep(x)).collect();
        let columns: Vec<Vec<Ex<'g>>> = free.iter().map(|k| column(*k)).collect();
        for (i, current) in columns.iter().enumerate() {
            sums.right[i].extend(current.iter().zip(&force).map(|(y, f)| *y * *f));
            if mass.is_zero() {
                continue;
            }
            let inertial = &mass * &Matrix::column(system.graph, current.clone());
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
        let multipliers = all.select_rows(&others.iter().map(|row| row.index).collect::<Vec<_>>());
        let a = Matrix::from_fn(graph, others.len(), p, |i, j| others[i].a[free[j]]);
        let b = Matrix::from_fn(graph, others.len(), 1, |i, _| others[i].b);
        let upper = inertia.beside(&-&a.transpose());
        let lower = (-&a).beside(&Matrix::zero(graph, others.len(), others.len()));
        sketch.solve_for(
            SolveKind::OfRows { unique: p },
            name,
            &rates.above(&multipliers),
            &upper.above(&lower),
            &right.above(&b),
        );
        lambda = Matrix::from_fn(graph, self.constraints.k(), 1, |i, _| {
            let works = others.iter().any(|row| row.index == i) && !self.scene.idle[i];
            if works { all[(i, 0)] } else { graph.zero() }
        });
        (rates.entries().to_vec(), lambda)
    }
}

/// The velocities that no row gives.
fn free_velocities(n: usize, rows: &[Row<'_>]) -> Vec<usize> {
    let given = |k: &usize| rows.iter().any(|row| row.gives == Some(*k));
    (0..n).filter(|k| !given(k)).collect()
}
