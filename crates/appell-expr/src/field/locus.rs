//! Where an identity is to hold: symbols drawn at random, functions of them, and surfaces.

use super::coupled::{Met, Sheets, common_root, drawn_root};
use super::degree::{Degrees, Size};
use super::plan::{MAX_CHOICES, Part, Plan, plans};
use super::prime::{PrimeField, Unlucky};
use super::root::{MAX_DEGREE, interpolate};
use super::section::{Block, Section};
use super::{angles, arithmetic::Random};
use crate::graph::{Ex, Graph, Id, Node};
use crate::matrix::Matrix;
use crate::program::Program;
use crate::sketch::{Sketch, Unbound};
use rustc_hash::{FxHashMap, FxHashSet};

/// Lines on which a row is looked at, at most, before it counts as one that may factor.
const SPECIALISATIONS: usize = 40;

/// A set of points: values for symbols, chosen one after the other.
///
/// Every symbol is free unless a later step determines it. Steps speak of symbols that earlier
/// steps have determined or left free.
#[derive(Debug, Clone)]
pub struct Locus<'g> {
    pub(crate) symbols: Vec<Ex<'g>>,
    pub(crate) steps: Vec<Step<'g>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Step<'g> {
    /// `symbol = value`.
    Set(Ex<'g>, Ex<'g>),
    /// `rows = 0`, solved for some of the unknowns.
    On(Vec<Ex<'g>>, Vec<Ex<'g>>),
    /// Points where these do not vanish are thrown away.
    Where(Vec<Ex<'g>>),
}

impl<'g> Locus<'g> {
    /// All values of these symbols. Programs that run at its points have them as inputs.
    pub fn new(symbols: Vec<Ex<'g>>) -> Self {
        Self {
            symbols,
            steps: Vec::new(),
        }
    }

    /// The symbols, in order.
    pub fn symbols(&self) -> &[Ex<'g>] {
        &self.symbols
    }

    /// Determines a symbol.
    pub fn set(&mut self, symbol: Ex<'g>, value: Ex<'g>) {
        self.steps.push(Step::Set(symbol, value));
    }

    /// Moves some of the unknowns so that the rows vanish. Rows may depend on each other.
    pub fn on(&mut self, rows: Vec<Ex<'g>>, unknowns: Vec<Ex<'g>>) {
        if !rows.is_empty() {
            self.steps.push(Step::On(rows, unknowns));
        }
    }

    /// Keeps the points where these expressions vanish. They must do so on a part of the points
    /// with as many dimensions, as `sqrt(x^2) - x` does.
    pub fn keep(&mut self, zeros: Vec<Ex<'g>>) {
        if !zeros.is_empty() {
            self.steps.push(Step::Where(zeros));
        }
    }
}

/// A locus ready to be drawn from.
pub(crate) struct Drawing {
    count: usize,
    steps: Vec<DrawingStep>,
    /// How many choices of unknowns there are.
    pub choices: usize,
}

enum DrawingStep {
    Set(usize, Program),
    On(Surface),
    Where(Program),
}

struct Surface {
    /// `A` and `b` of the rows `A u + b` that are affine in all unknowns together.
    linear: Program,
    linear_rows: usize,
    unknowns: Vec<usize>,
    /// The other rows, and whether they are polynomials in all unknowns together.
    curved: Vec<Program>,
    polynomial: Vec<bool>,
    /// What each curved row may be solved for.
    choices: Vec<Plan>,
    /// Several curved rows at once: unknowns in which all rows together are affine.
    joint: Vec<Joint>,
    /// Whether there are one or two curved rows, polynomials in all unknowns, that a random line or
    /// plane can meet.
    can_be_cut: bool,
    /// Whether they are met so: every sheet is reached, also one that does not depend on an unknown
    /// that the others could be solved for.
    cut: bool,
}

/// All rows as `A u + b` in some of the unknowns.
struct Joint {
    affine: Program,
    unknowns: Vec<usize>,
}

/// How a draw solves the rows.
enum Choice<'s> {
    Jointly(&'s Joint),
    RowByRow(&'s Plan),
    Cut,
}

impl Drawing {
    /// # Errors
    /// An expression that speaks of something that is not a symbol of the locus.
    pub fn new(locus: &Locus<'_>) -> Result<Self, Unbound> {
        let place = |s: Ex<'_>| {
            let found = locus.symbols.iter().position(|x| x.id() == s.id());
            found.ok_or_else(|| Unbound(s.to_string()))
        };
        let mut steps = Vec::new();
        for step in &locus.steps {
            steps.push(match step {
                Step::Set(symbol, value) => {
                    DrawingStep::Set(place(*symbol)?, compile(&locus.symbols, &[*value])?)
                }
                Step::On(rows, unknowns) => {
                    let places = unknowns.iter().map(|u| place(*u));
                    let places = places.collect::<Result<Vec<_>, _>>()?;
                    DrawingStep::On(Surface::new(locus, rows, unknowns, places)?)
                }
                Step::Where(zeros) => DrawingStep::Where(compile(&locus.symbols, zeros)?),
            });
        }
        Ok(Self {
            count: locus.symbols.len(),
            choices: count_choices(&steps),
            steps,
        })
    }

    /// Every program in it.
    pub fn programs(&self) -> Vec<&Program> {
        self.steps
            .iter()
            .flat_map(|step| match step {
                DrawingStep::Set(_, program) | DrawingStep::Where(program) => vec![program],
                DrawingStep::On(s) => {
                    let joint = s.joint.iter().map(|joint| &joint.affine);
                    [&s.linear]
                        .into_iter()
                        .chain(&s.curved)
                        .chain(joint)
                        .collect()
                }
            })
            .collect()
    }

    /// How many conditions throw points away.
    pub fn conditions(&self) -> usize {
        let count = |step: &DrawingStep| match step {
            DrawingStep::Where(zeros) => zeros.result_len(),
            DrawingStep::Set(..) | DrawingStep::On(_) => 0,
        };
        self.steps.iter().map(count).sum()
    }

    /// Writes out the angles of its programs, and looks for rows that factor; fields are drawn with
    /// roots of unity of order `m`.
    pub fn settle(&mut self, denominator: u64, m: u64) {
        self.write_out(denominator);
        self.cut_what_factors(m);
        self.choices = count_choices(&self.steps);
    }

    /// Where curved rows are not seen to be irreducible, solving them for an unknown may lose a
    /// factor: they are met by random lines or planes instead, or not at all.
    fn cut_what_factors(&mut self, m: u64) {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let mut field = PrimeField::draw(&mut random, m);
        for index in 0..self.steps.len() {
            let DrawingStep::On(surface) = &self.steps[index] else {
                continue;
            };
            if surface.cut || !surface.curved_polynomials().any(|_| true) {
                continue;
            }
            let mut sheets = vec![Sheets::default(); surface.curved.len()];
            for draw in 0..SPECIALISATIONS {
                field.begin_again(false);
                let point = self.follow(index, &mut field, draw, &mut Met::new());
                let noted =
                    point.and_then(|mut p| surface.note_sheets(&mut field, &mut p, &mut sheets));
                if noted.is_ok() && sheets.iter().all(|sheets| sheets.are_one()) {
                    break;
                }
            }
            let whole = sheets.iter().all(|sheets| sheets.are_one());
            if let (false, DrawingStep::On(surface)) = (whole, &mut self.steps[index]) {
                surface.cut = surface.can_be_cut;
                surface.choices.clear();
                surface.joint.clear();
            }
        }
    }

    /// Writes out the angles of its programs.
    fn write_out(&mut self, denominator: u64) {
        let written = |program: &mut Program| *program = angles::written_out(program, denominator);
        for step in &mut self.steps {
            match step {
                DrawingStep::Set(_, program) | DrawingStep::Where(program) => written(program),
                DrawingStep::On(surface) => {
                    written(&mut surface.linear);
                    surface.curved.iter_mut().for_each(written);
                    surface
                        .joint
                        .iter_mut()
                        .for_each(|j| written(&mut j.affine));
                }
            }
        }
    }

    /// A random point, with the choice of unknowns of this number.
    pub fn point(
        &self,
        field: &mut PrimeField,
        choice: usize,
        met: &mut Met,
    ) -> Result<Vec<u64>, Unlucky> {
        self.follow(self.steps.len(), field, choice, met)
    }

    /// A random point that the first so many steps have determined.
    fn follow(
        &self,
        steps: usize,
        field: &mut PrimeField,
        choice: usize,
        met: &mut Met,
    ) -> Result<Vec<u64>, Unlucky> {
        let mut point: Vec<u64> = (0..self.count).map(|_| field.element()).collect();
        for step in &self.steps[..steps] {
            match step {
                DrawingStep::Set(place, program) => {
                    point[*place] = results(program, field, &point)?[0];
                }
                DrawingStep::On(surface) => surface.reach(field, &mut point, choice, met)?,
                DrawingStep::Where(zeros) => {
                    if results(zeros, field, &point)?.iter().any(|x| *x != 0) {
                        return Err(Unlucky);
                    }
                }
            }
        }
        Ok(point)
    }

    /// The sizes of the coordinates of a random point.
    pub fn sizes(&self, degrees: &mut Degrees) -> Vec<Size> {
        let mut point: Vec<Size> = (0..self.count).map(|_| degrees.unknown()).collect();
        for step in &self.steps {
            match step {
                DrawingStep::Set(place, program) => {
                    point[*place] = sizes(program, degrees, &point)[0].clone();
                }
                DrawingStep::On(surface) => surface.sizes(degrees, &mut point),
                DrawingStep::Where(_) => {}
            }
        }
        point
    }
}

/// How many ways the steps have to choose unknowns.
fn count_choices(steps: &[DrawingStep]) -> usize {
    let choices = steps.iter().map(|step| match step {
        DrawingStep::Set(..) | DrawingStep::Where(_) => 1,
        DrawingStep::On(surface) => surface.count_choices().max(1),
    });
    choices.max().unwrap_or(1)
}

impl Surface {
    fn new(
        locus: &Locus<'_>,
        rows: &[Ex<'_>],
        unknowns: &[Ex<'_>],
        places: Vec<usize>,
    ) -> Result<Self, Unbound> {
        let graph = locus.symbols.first().map_or(rows[0].graph(), |s| s.graph());
        let rows: Vec<Ex<'_>> = rows.iter().map(|row| graph.ex(row.id())).collect();
        let unknowns: Vec<Ex<'_>> = unknowns.iter().map(|u| graph.ex(u.id())).collect();
        let all = rows.clone();
        let is_linear = |row: &Ex<'_>| degree_in(*row, &unknowns).is_some_and(|d| d <= 1);
        let (linear, curved): (Vec<Ex<'_>>, Vec<Ex<'_>>) = rows.into_iter().partition(is_linear);
        let programs = curved.iter().map(|row| compile(&locus.symbols, &[*row]));
        let joint = match curved.len() {
            0 | 1 => Vec::new(),
            _ => joint_choices(&all, &unknowns),
        };
        let joint = joint.into_iter().map(|of| {
            let chosen: Vec<Ex<'_>> = of.iter().map(|j| unknowns[*j]).collect();
            Ok(Joint {
                affine: affine(locus, &all, &chosen)?,
                unknowns: of.iter().map(|j| places[*j]).collect(),
            })
        });
        let joint: Vec<Joint> = joint.collect::<Result<_, _>>()?;
        let mut choices = plans(&curved, &linear, &unknowns);
        if !joint.is_empty() {
            // Fewer sheets, and no roots.
            choices.retain(|plan| plan.pairs().next().is_none());
        }
        let pairs = choices.iter().all(|plan| plan.pairs().next().is_some());
        let degree = |row: &Ex<'_>| degree_in(*row, &unknowns).map(|d| d as usize);
        let degrees: Vec<Option<usize>> = curved.iter().map(degree).collect();
        let can_be_cut = match degrees[..] {
            [Some(m)] => m <= MAX_DEGREE,
            [Some(m), Some(n)] => m.saturating_mul(n) <= MAX_DEGREE,
            _ => false,
        };
        let cut = can_be_cut && curved.len() == 2 && joint.is_empty() && pairs;
        Ok(Self {
            linear: affine(locus, &linear, &unknowns)?,
            linear_rows: linear.len(),
            choices,
            curved: programs.collect::<Result<_, _>>()?,
            joint,
            polynomial: degrees.iter().map(Option::is_some).collect(),
            can_be_cut,
            cut,
            unknowns: places,
        })
    }

    /// Both ways take turns.
    fn count_choices(&self) -> usize {
        if self.cut {
            return 1;
        }
        match (self.joint.len(), self.choices.len()) {
            (0, n) | (n, 0) => n,
            (n, m) => 2 * n.max(m),
        }
    }

    fn choice(&self, draw: usize) -> Option<Choice<'_>> {
        if self.cut {
            return Some(Choice::Cut);
        }
        let jointly = self.choices.is_empty() || draw.is_multiple_of(2);
        if jointly && !self.joint.is_empty() {
            let turn = draw / if self.choices.is_empty() { 1 } else { 2 };
            return self.joint.get(turn % self.joint.len()).map(Choice::Jointly);
        }
        let turn = draw / if self.joint.is_empty() { 1 } else { 2 };
        let plan = self.choices.get(turn % self.choices.len().max(1))?;
        Some(Choice::RowByRow(plan))
    }

    /// Moves the unknowns of the point on to the surface.
    fn reach(
        &self,
        field: &mut PrimeField,
        point: &mut [u64],
        choice: usize,
        met: &mut Met,
    ) -> Result<(), Unlucky> {
        match self.choice(choice).ok_or(Unlucky)? {
            Choice::Jointly(joint) => {
                let affine = results(&joint.affine, field, point)?;
                let block = Block::new(field.f, &affine, joint.unknowns.len(), &[])?;
                block.relax(field.f, &joint.unknowns, point);
            }
            Choice::RowByRow(plan) => self.row_by_row(field, point, plan, met)?,
            Choice::Cut => self.cut(field, point, met)?,
        }
        // A row solved later may have moved an earlier one.
        for row in &self.curved {
            if results(row, field, point)?[0] != 0 {
                return Err(Unlucky);
            }
        }
        Ok(())
    }

    /// Solves the curved rows for their unknowns, the affine rows in between.
    fn row_by_row(
        &self,
        field: &mut PrimeField,
        point: &mut [u64],
        plan: &Plan,
        met: &mut Met,
    ) -> Result<(), Unlucky> {
        let affine = results(&self.linear, field, point)?;
        let block = Block::new(field.f, &affine, self.unknowns.len(), &plan.unknowns)?;
        block.relax(field.f, &self.unknowns, point);
        let (f, mut random) = (field.f, Random(field.random.next()));
        let place = |row: usize| self.unknowns[plan.unknowns[row]];
        for part in &plan.parts {
            match *part {
                Part::One(row) => {
                    let polynomial = interpolate(f, &mut random, |x| {
                        point[place(row)] = x;
                        block.relax(f, &self.unknowns, point);
                        Some(results(&self.curved[row], field, point).ok()?[0])
                    });
                    let polynomial = polynomial.ok_or(Unlucky)?;
                    let root = drawn_root(f, &mut random, &polynomial, met);
                    point[place(row)] = root.ok_or(Unlucky)?;
                }
                Part::Two(rows) => {
                    let places = rows.map(place);
                    let root = common_root(f, &mut random, met, |row, x, y| {
                        [point[places[0]], point[places[1]]] = [x, y];
                        block.relax(f, &self.unknowns, point);
                        Some(results(&self.curved[rows[row]], field, point).ok()?[0])
                    });
                    (point[places[0]], point[places[1]]) = root.ok_or(Unlucky)?;
                }
            }
            block.relax(f, &self.unknowns, point);
        }
        Ok(())
    }

    /// A random line through the point meets one curved row in single points, a plane two rows, on
    /// every sheet of them. Such sections of one sheet do not split further, which those along
    /// coordinates may.
    fn cut(&self, field: &mut PrimeField, point: &mut [u64], met: &mut Met) -> Result<(), Unlucky> {
        let affine = results(&self.linear, field, point)?;
        let section = Section::new(field, &affine, &self.unknowns, point)?;
        let (f, mut random) = (field.f, Random(field.random.next()));
        let mut value = |row: usize, x: u64, y: u64| {
            section.move_to(f, point, x, y);
            Some(results(&self.curved[row], field, point).ok()?[0])
        };
        let root = match self.curved.len() {
            1 => {
                let along = interpolate(f, &mut random, |x| value(0, x, 0)).ok_or(Unlucky)?;
                drawn_root(f, &mut random, &along, met).map(|x| (x, 0))
            }
            _ => common_root(f, &mut random, met, value),
        };
        let (x, y) = root.ok_or(Unlucky)?;
        section.move_to(f, point, x, y);
        Ok(())
    }

    /// The curved rows that are polynomials in all unknowns together.
    fn curved_polynomials(&self) -> impl Iterator<Item = usize> {
        (0..self.curved.len()).filter(|row| self.polynomial[*row])
    }

    /// Notes how each curved polynomial splits along a random line through the point.
    fn note_sheets(
        &self,
        field: &mut PrimeField,
        point: &mut [u64],
        sheets: &mut [Sheets],
    ) -> Result<(), Unlucky> {
        let affine = results(&self.linear, field, point)?;
        let section = Section::new(field, &affine, &self.unknowns, point)?;
        let (f, mut random) = (field.f, Random(field.random.next()));
        for row in self.curved_polynomials() {
            let along = interpolate(f, &mut random, |x| {
                section.move_to(f, point, x, 0);
                Some(results(&self.curved[row], field, point).ok()?[0])
            });
            let mut met = Met::new();
            // How it splits is wanted, not the root.
            let _root = drawn_root(f, &mut random, &along.ok_or(Unlucky)?, &mut met);
            met.into_iter().for_each(|split| sheets[row].note(split));
        }
        Ok(())
    }

    /// Every unknown has the size of a solution of the affine rows, or of an algebraic function.
    fn sizes(&self, degrees: &mut Degrees, point: &mut [Size]) {
        let affine = sizes(&self.linear, degrees, point);
        if self.linear_rows > 0 {
            let width = self.unknowns.len() + 1;
            let solution = degrees.affine_solution(&affine, width);
            for place in &self.unknowns {
                point[*place] = solution.clone();
            }
        }
        for joint in &self.joint {
            let affine = sizes(&joint.affine, degrees, point);
            let solution = degrees.affine_solution(&affine, joint.unknowns.len() + 1);
            for place in &joint.unknowns {
                point[*place] = degrees.larger(&point[*place], &solution);
            }
        }
        let rows = self.curved.iter();
        let rows: Vec<Size> = rows
            .map(|row| sizes(row, degrees, point)[0].clone())
            .collect();
        let pairs = self.choices.iter().flat_map(Plan::pairs);
        for [i, j] in pairs.chain((self.cut && rows.len() == 2).then_some([0, 1])) {
            let root = degrees.algebraic_pair([&rows[i], &rows[j]]);
            self.cover(degrees, point, &root);
        }
        for row in &self.curved {
            let size = sizes(row, degrees, point)[0].clone();
            let root = degrees.algebraic(&size);
            self.cover(degrees, point, &root);
        }
    }

    /// Lets every unknown be as large as this one.
    fn cover(&self, degrees: &mut Degrees, point: &mut [Size], size: &Size) {
        for place in &self.unknowns {
            point[*place] = degrees.larger(&point[*place], size);
        }
    }
}

/// `[A | b]` of rows `A u + b`.
fn affine(locus: &Locus<'_>, rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> Result<Program, Unbound> {
    let Some(graph) = unknowns.first().map(|u| u.graph()) else {
        return Ok(Program::default());
    };
    let rows: Vec<Ex<'_>> = rows.iter().map(|row| graph.ex(row.id())).collect();
    let at_zero: Vec<_> = unknowns.iter().map(|u| (*u, graph.zero())).collect();
    let constant = Matrix::column(graph, graph.substitute(&rows, &at_zero));
    let jacobian = Matrix::jacobian(graph, &rows, unknowns);
    compile(&locus.symbols, jacobian.beside(&constant).entries())
}

/// Sets of unknowns in which all rows together are affine, as large as the rows are many.
fn joint_choices(rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> Vec<Vec<usize>> {
    let n = unknowns.len();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for first in 0..n {
        let mut set: Vec<usize> = Vec::new();
        for j in (0..n).map(|k| (first + k) % n) {
            let candidates: Vec<Ex<'_>> = set.iter().chain([&j]).map(|i| unknowns[*i]).collect();
            let affine = |row: &Ex<'_>| degree_in(*row, &candidates).is_some_and(|d| d <= 1);
            if rows.iter().all(affine) {
                set.push(j);
            }
        }
        set.sort_unstable();
        if set.len() >= rows.len() && !found.contains(&set) {
            found.push(set);
        }
    }
    found.truncate(MAX_CHOICES);
    found
}

/// The total degree as a polynomial in these symbols; `None` if it is none.
pub fn degree_in(x: Ex<'_>, symbols: &[Ex<'_>]) -> Option<u32> {
    let graph: &Graph = x.graph();
    let wanted: FxHashSet<Id> = symbols.iter().map(|s| s.id()).collect();
    let mut degrees: FxHashMap<Id, Option<u32>> = FxHashMap::default();
    for id in graph.reachable(&[x.id()]) {
        let of = |id: &Id| degrees.get(id).copied().flatten();
        let degree = graph.look(id, |node| match node {
            Node::Number(_) | Node::Pi => Some(0),
            Node::Symbol(_) => Some(u32::from(wanted.contains(&id))),
            Node::Sum(_, terms) => {
                let terms = terms.iter().map(|(x, _)| of(x));
                terms
                    .collect::<Option<Vec<u32>>>()
                    .map(|d| d.into_iter().max().unwrap_or(0))
            }
            Node::Product(factors) => {
                let powers = factors.iter().map(|(x, e)| match of(x)? {
                    0 => Some(0),
                    d if !e.is_negative() => d.checked_mul(u32::try_from(e.to_i64()?).ok()?),
                    _ => None,
                });
                powers.sum()
            }
            other => {
                let mut free = true;
                other.for_each_child(|child| free &= of(&child) == Some(0));
                free.then_some(0)
            }
        });
        degrees.insert(id, degree);
    }
    degrees[&x.id()]
}

/// The program that computes some expressions from the symbols.
pub(crate) fn compile(symbols: &[Ex<'_>], values: &[Ex<'_>]) -> Result<Program, Unbound> {
    let Some(graph) = symbols.iter().chain(values).map(|x| x.graph()).next() else {
        return Ok(Program::default());
    };
    let same = |x: &Ex<'_>| graph.ex(x.id());
    let values: Vec<Ex<'_>> = values.iter().map(same).collect();
    let symbols: Vec<Ex<'_>> = symbols.iter().map(same).collect();
    let mut sketch = Sketch::new(graph);
    sketch.output_list("x", &values);
    sketch.program(&symbols, &["x"])
}

/// All results of a program at a point.
pub(crate) fn results(
    program: &Program,
    field: &mut PrimeField,
    point: &[u64],
) -> Result<Vec<u64>, Unlucky> {
    let numbers = program.convert_numbers(field);
    let mut values = point.to_vec();
    program.run(field, &numbers, &mut values)?;
    if !field.is_sound() {
        return Err(Unlucky);
    }
    let slots = program.outputs.iter().flat_map(|output| &output.slots);
    Ok(slots.map(|slot| values[*slot as usize]).collect())
}

/// The sizes of all results of a program.
pub(crate) fn sizes(program: &Program, degrees: &mut Degrees, point: &[Size]) -> Vec<Size> {
    let numbers = program.convert_numbers(degrees);
    let mut values = point.to_vec();
    let Ok(()) = program.run(degrees, &numbers, &mut values);
    let slots = program.outputs.iter().flat_map(|output| &output.slots);
    slots.map(|slot| values[*slot as usize].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(locus: &Locus<'_>, draws: usize) -> Vec<(PrimeField, Vec<u64>)> {
        let mut drawing = Drawing::new(locus).expect("closed");
        drawing.settle(1, 40_320);
        let mut random = Random(17);
        let mut found = Vec::new();
        for draw in 0..draws {
            let mut field = PrimeField::draw(&mut random, 40_320);
            if let Ok(point) = drawing.point(&mut field, draw, &mut Met::new()) {
                found.push((field, point));
            }
        }
        found
    }

    /// All rows vanish at the points, and there are points.
    fn check(rows: fn(&[Ex<'_>]) -> Vec<Id>) -> usize {
        let g = Graph::new();
        let u: Vec<Ex<'_>> = ["a", "x", "y", "z", "w"]
            .iter()
            .map(|n| g.symbol(n))
            .collect();
        let rows = g.exs(&rows(&u));
        let mut locus = Locus::new(u.clone());
        locus.on(rows.clone(), u[1..].to_vec());
        let program = compile(&u, &rows).expect("closed");
        let points = points(&locus, 40);
        let count = points.len();
        for (mut field, point) in points {
            let values = results(&program, &mut field, &point).expect("polynomials");
            assert!(values.iter().all(|x| *x == 0));
        }
        count
    }

    #[test]
    fn affine_rows_with_redundant_ones() {
        let found = check(|u| {
            let (a, x, y, z) = (u[0], u[1], u[2], u[3]);
            let rows = [x - a * y, z + x + a.pow(2), 2 * x - 2 * (a * y)];
            rows.iter().map(|x| x.id()).collect()
        });
        assert_eq!(found, 40);
    }

    #[test]
    fn a_cone_by_a_root_and_a_product_of_velocities() {
        let found = check(|u| {
            let (a, x, y, z) = (u[0], u[1], u[2], u[3]);
            vec![(z.pow(2) - a * (x.pow(2) + y.pow(2))).id()]
        });
        assert!(
            (8..32).contains(&found),
            "half of the draws have a root: {found}"
        );
        let found = check(|u| {
            let (a, x, y, z, w) = (u[0], u[1], u[2], u[3], u[4]);
            vec![(x * z + y * w).id(), (a * z - w).id()]
        });
        assert_eq!(found, 40);
    }

    /// Solved for z, in which it is linear, the product never meets x = 0.
    #[test]
    fn every_factor_of_a_row_is_met() {
        let g = Graph::new();
        let u: Vec<Ex<'_>> = ["x", "y", "z"].iter().map(|n| g.symbol(n)).collect();
        let mut locus = Locus::new(u.clone());
        locus.on(vec![u[0] * (u[0] + u[1] * u[2])], u.clone());
        let found = points(&locus, 40);
        let on_plane = found.iter().filter(|(_, point)| point[0] == 0).count();
        assert_eq!(found.len(), 40);
        assert!((5..=35).contains(&on_plane), "{on_plane} of 40");
    }

    #[test]
    fn coupled_rows_that_are_affine_in_two_unknowns() {
        let found = check(|u| {
            let (a, x, y, z, w) = (u[0], u[1], u[2], u[3], u[4]);
            let root = (x.pow(2) + a).sqrt();
            vec![(y.pow(2) * z + x * w - root).id(), (x * z - y * w + a).id()]
        });
        assert!(found >= 5, "half of half of the draws: {found}");
    }

    #[test]
    fn coupled_rows_that_are_quadratic_in_everything() {
        // Two quadrics alone, with an affine row between them, and with a third row that needs both.
        fn two<'g>(u: &[Ex<'g>]) -> [Ex<'g>; 2] {
            let (a, x, y, z, w) = (u[0], u[1], u[2], u[3], u[4]);
            let sphere = x.pow(2) + y.pow(2) + z.pow(2) + w.pow(2) - a;
            let squares = x.pow(2) - 2 * y.pow(2) + 3 * z.pow(2) - 5 * w.pow(2);
            [sphere, squares + x * z - y * w + w - 7]
        }
        let found = check(|u| two(u).map(|x| x.id()).to_vec());
        assert!(found >= 10, "{found}");
        let found = check(|u| {
            let [sphere, other] = two(u);
            vec![sphere.id(), (u[1] - u[0] * u[2] + 1).id(), other.id()]
        });
        assert!(found >= 10, "{found}");
        let found = check(|u| {
            let (a, x, y, z, w) = (u[0], u[1], u[2], u[3], u[4]);
            let last = w.pow(2) - a * (x.pow(2) + y.pow(2));
            let first = x.pow(2) + y.pow(2) + z.pow(2) - a;
            let second = x.pow(2) - y.pow(2) + x * y - z.pow(2) - 3;
            [last, first, second].iter().map(|x| x.id()).collect()
        });
        assert!(found >= 3, "{found}");
    }

    #[test]
    fn contradictory_rows_have_no_points() {
        let found = check(|u| vec![u[1].id(), (u[1] - 1).id()]);
        assert_eq!(found, 0);
    }

    #[test]
    fn degrees_of_polynomials() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        assert_eq!(degree_in(x * y + y.sin(), &[x]), Some(1));
        assert_eq!(degree_in(x * y, &[x, y]), Some(2));
        assert_eq!(degree_in(x.sin(), &[x]), None);
        assert_eq!(degree_in(y / x, &[x]), None);
        assert_eq!(degree_in((x + y).pow(3), &[x]), Some(3));
        assert_eq!(degree_in(x.sqrt(), &[x]), None);
    }
}
