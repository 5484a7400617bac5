//! Points on a set of rows: on every component of it.
//!
//! The zero set of the rows is met by random affine subspaces, of each dimension that a component
//! may need; a subspace of dimension j meets a component of codimension j in as many points as its
//! degree, and misses none. How these points split modulo a prime tells whether the set is
//! irreducible; then any way of solving the rows reaches all of it. If it is not, every draw takes
//! all points of a section: over a prime field a component of degree d has one on a share of at least
//! 1/d of all sections, since its monodromy is transitive. Left out are components on which the rows
//! have a lower rank than on others.

use super::angles;
use super::arithmetic::Random;
use super::degree::{Degrees, Size};
use super::ideal::{Solutions, Unsolved, solutions};
use super::linear::eliminate;
use super::locus::{Locus, compile, results, sizes};
use super::plan::{MAX_CHOICES, Plan, places_read, plans};
use super::prime::{InadmissibleDraw, PrimeField};
use super::root::{interpolate, random_root};
use super::section::{Block, Section, Stuck, System};
use super::sheets::{Sheets, Split};
use super::sparse::Sparse;
use super::total_degree::degree_in;
use crate::graph::Ex;
use crate::matrix::Matrix;
use crate::program::Program;
use crate::sketch::Unbound;

/// Sections at which the set is looked at, of each dimension.
const SECTIONS: usize = 24;
/// Draws of the unknowns of one row of many: each has a point with probability 1/2, as a rule, and all of them at
/// once hardly ever.
const DRAWS: usize = 20;
/// Fields that are tried for a look at the set.
const FIELDS: usize = 40;

/// Rows that are solved for some of the unknowns.
#[derive(Clone)]
pub(crate) struct Surface {
    /// `A` and `b` of the rows `A u + b` that are affine in all unknowns together.
    linear: Program,
    linear_rows: usize,
    /// The places of the unknowns, and after them those of others that may be solved for.
    places: Vec<usize>,
    unknowns: usize,
    /// Places of unknowns that a row gives outright, and their values.
    given: Vec<(usize, Program)>,
    /// The other rows, one by one and together.
    curved: Vec<Program>,
    together: Program,
    /// The derivatives of linear and curved rows by the unknowns and the others.
    slopes: Program,
    /// What each curved row may be solved for, one after the other.
    choices: Vec<Plan>,
    /// Unknowns in which all rows together are affine.
    joint: Vec<Joint>,
    shape: Shape,
    /// Whether it is one of several blocks of rows, over a point of those before it.
    pub is_fibre: bool,
}

/// All rows as `A u + b` in some of the unknowns.
#[derive(Clone)]
struct Joint {
    affine: Program,
    unknowns: Vec<usize>,
}

/// What is known of the components of the zero set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All rows are affine, or give an unknown outright: one component.
    Affine,
    /// What sections say.
    Curved(Parts),
    /// The components could not be found, and why.
    Unknown(&'static str),
}

/// A section by a random affine space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SectionKind {
    dimension: usize,
    /// Only isolated points count: larger components are in the way.
    isolated: bool,
}

/// The components that sections meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The sections that meet components: their dimensions are the codimensions of these.
    sections: Vec<SectionKind>,
    /// The largest number of points on a section.
    pub degree: usize,
    /// How many signs and branches of roots are chosen.
    pub branches: usize,
    /// Whether the set is one irreducible component.
    pub is_one: bool,
    /// The largest rank of the rows.
    rank: usize,
    /// Whether there are components of lower rank.
    pub has_singular: bool,
}

/// What a section meets.
struct Met {
    solutions: Solutions,
    branches: usize,
    /// Points where all functions have their values, on their branches.
    points: Vec<Vec<u64>>,
}

/// What sections of one dimension have shown.
#[derive(Default)]
struct Look {
    sheets: Sheets,
    has_points: bool,
    branches: usize,
}

impl Surface {
    /// # Errors
    /// A row that speaks of something that is not a symbol of the locus.
    pub fn new(
        locus: &Locus<'_>,
        rows: &[Ex<'_>],
        unknowns: &[Ex<'_>],
        others: &[Ex<'_>],
        places: Vec<usize>,
    ) -> Result<Self, Unbound> {
        let graph = locus.symbols.first().map_or(rows[0].graph(), |s| s.graph());
        let in_graph = |xs: &[Ex<'_>]| xs.iter().map(|x| graph.ex(x.id())).collect::<Vec<_>>();
        let (rows, unknowns, others) = (in_graph(rows), in_graph(unknowns), in_graph(others));
        let is_linear = |row: &Ex<'_>| degree_in(*row, &unknowns).is_some_and(|d| d <= 1);
        let (linear, curved): (Vec<Ex<'_>>, Vec<Ex<'_>>) = rows.iter().partition(|r| is_linear(r));
        let (given, curved) = given_outright(curved, &linear, &unknowns);
        let symbols = &locus.symbols;
        let all = [unknowns.as_slice(), &others].concat();
        let rows = [linear.as_slice(), &curved].concat();
        let slopes = match curved.is_empty() {
            true => Vec::new(),
            false => Matrix::jacobian(graph, &rows, &all).entries().to_vec(),
        };
        let given = given
            .into_iter()
            .map(|(index, value)| Ok((places[index], compile(symbols, &[value])?)));
        let single = curved.iter().map(|row| compile(symbols, &[*row]));
        Ok(Self {
            linear: affine(locus, &linear, &unknowns)?,
            linear_rows: linear.len(),
            choices: choices(&curved, &linear, &all, unknowns.len()),
            joint: match curved.len() {
                0 | 1 => Vec::new(),
                _ => joint_choices(locus, &rows, &all)?,
            },
            shape: match curved.is_empty() {
                true => Shape::Affine,
                false => Shape::Unknown("the constraints were not looked at"),
            },
            curved: single.collect::<Result<_, _>>()?,
            together: compile(symbols, &curved)?,
            slopes: compile(symbols, &slopes)?,
            given: given.collect::<Result<_, Unbound>>()?,
            is_fibre: false,
            unknowns: unknowns.len(),
            places,
        })
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The places of what is solved for, or may be.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    /// Every program in it.
    pub fn programs(&self) -> impl Iterator<Item = &Program> {
        let joint = self.joint.iter().map(|joint| &joint.affine);
        let given = self.given.iter().map(|(_, value)| value);
        let single = [&self.linear, &self.together, &self.slopes];
        let rows = single.into_iter().chain(&self.curved);
        rows.chain(joint).chain(given)
    }

    /// Writes out the angles of its programs.
    pub fn write_out(&mut self, denominator: u64) {
        let joint = self.joint.iter_mut().map(|joint| &mut joint.affine);
        let given = self.given.iter_mut().map(|(_, value)| value);
        let single = [&mut self.linear, &mut self.together, &mut self.slopes];
        let rows = single.into_iter().chain(&mut self.curved);
        for program in rows.chain(joint).chain(given) {
            *program = angles::written_out(program, denominator);
        }
    }

    /// How many ways there are to solve the rows.
    pub fn count_choices(&self) -> usize {
        (self.joint.len() + self.choices.len()).max(1)
    }

    fn is_solved(&self) -> bool {
        self.joint.len() + self.choices.len() > 0
    }

    fn unknowns(&self) -> &[usize] {
        &self.places[..self.unknowns]
    }

    /// As [`Surface::points`]; over a point of other blocks the unknowns are drawn anew where there are none.
    pub fn drawn(
        &self,
        field: &mut PrimeField,
        mut point: Vec<u64>,
        choice: usize,
    ) -> Result<Vec<Vec<u64>>, InadmissibleDraw> {
        for _ in 1..if self.is_fibre { DRAWS } else { 1 } {
            match self.points(field, point.clone(), choice) {
                Ok(points) if !points.is_empty() => return Ok(points),
                _ => {}
            }
            for place in &self.places {
                point[*place] = field.element();
            }
        }
        self.points(field, point, choice)
    }

    /// Random points of the surface that differ from the point in what is solved for only: one if
    /// the surface is one component, else those of a section.
    pub fn points(
        &self,
        field: &mut PrimeField,
        point: Vec<u64>,
        choice: usize,
    ) -> Result<Vec<Vec<u64>>, InadmissibleDraw> {
        let mut points = match &self.shape {
            Shape::Unknown(_) => return Err(InadmissibleDraw),
            Shape::Affine => vec![self.on_affine_rows(field, point)?],
            Shape::Curved(parts) if !parts.is_one || !self.is_solved() => {
                self.on_sections(field, &point, parts)?
            }
            Shape::Curved(_) => vec![self.solved(field, point, choice % self.count_choices())?],
        };
        for point in &mut points {
            for (place, value) in &self.given {
                point[*place] = results(value, field, point)?[0];
            }
        }
        Ok(points)
    }

    fn on_affine_rows(
        &self,
        field: &mut PrimeField,
        mut point: Vec<u64>,
    ) -> Result<Vec<u64>, InadmissibleDraw> {
        let block = self.block(field, &point, &[])?;
        block.relax(field.f, self.unknowns(), &mut point);
        Ok(point)
    }

    /// The rows solved for the unknowns of one choice.
    fn solved(
        &self,
        field: &mut PrimeField,
        mut point: Vec<u64>,
        turn: usize,
    ) -> Result<Vec<u64>, InadmissibleDraw> {
        match self.joint.get(turn) {
            Some(joint) => self.jointly(field, &mut point, joint)?,
            None => self.row_by_row(field, &mut point, &self.choices[turn - self.joint.len()])?,
        }
        // A row solved later may have moved an earlier one.
        let missed = results(&self.together, field, &point)?;
        match missed.iter().all(|x| *x == 0) {
            true => Ok(point),
            false => Err(InadmissibleDraw),
        }
    }

    fn block(
        &self,
        field: &mut PrimeField,
        point: &[u64],
        chosen: &[usize],
    ) -> Result<Block, InadmissibleDraw> {
        let affine = results(&self.linear, field, point)?;
        Block::new(field.f, &affine, self.unknowns, chosen)
    }

    fn jointly(
        &self,
        field: &mut PrimeField,
        point: &mut [u64],
        joint: &Joint,
    ) -> Result<(), InadmissibleDraw> {
        let places: Vec<usize> = joint.unknowns.iter().map(|j| self.places[*j]).collect();
        let affine = results(&joint.affine, field, point)?;
        let block = Block::new(field.f, &affine, places.len(), &[])?;
        block.relax(field.f, &places, point);
        Ok(())
    }

    /// Solves the curved rows for their unknowns, the affine rows in between.
    fn row_by_row(
        &self,
        field: &mut PrimeField,
        point: &mut [u64],
        plan: &Plan,
    ) -> Result<(), InadmissibleDraw> {
        let block = self.block(field, point, &plan.unknowns)?;
        block.relax(field.f, self.unknowns(), point);
        let (f, mut random) = (field.f, Random(field.random.next()));
        for row in &plan.order {
            let place = self.places[plan.unknowns[*row]];
            let polynomial = interpolate(f, &mut random, |x| {
                point[place] = x;
                block.relax(f, self.unknowns(), point);
                Some(results(&self.curved[*row], field, point).ok()?[0])
            });
            let root = random_root(f, &mut random, &polynomial.ok_or(InadmissibleDraw)?);
            point[place] = root.ok_or(InadmissibleDraw)?;
            block.relax(f, self.unknowns(), point);
        }
        Ok(())
    }

    /// The points of a section of each dimension, where the rows have their full rank.
    fn on_sections(
        &self,
        field: &mut PrimeField,
        point: &[u64],
        parts: &Parts,
    ) -> Result<Vec<Vec<u64>>, InadmissibleDraw> {
        let mut found = Vec::new();
        for section in &parts.sections {
            let met = self
                .meet(field, point, *section)
                .map_err(|_| InadmissibleDraw)?;
            for point in met.points {
                if parts.is_one || self.full_rank(field, &point)? >= parts.rank {
                    found.push(point);
                }
            }
        }
        Ok(found)
    }

    /// The rank at a point, by some of the unknowns, of the rows that give none outright.
    fn rank(
        &self,
        field: &mut PrimeField,
        point: &[u64],
        by: &[usize],
    ) -> Result<usize, InadmissibleDraw> {
        let slopes = results(&self.slopes, field, point)?;
        let rows = slopes.chunks(self.places.len()).map(<[_]>::to_vec);
        Ok(eliminate(field.f, &mut rows.collect::<Vec<_>>(), by).len())
    }

    /// The rank by all unknowns.
    fn full_rank(&self, field: &mut PrimeField, point: &[u64]) -> Result<usize, InadmissibleDraw> {
        let all: Vec<usize> = (0..self.unknowns).collect();
        self.rank(field, point, &all)
    }

    /// The points of the surface on a random section of this dimension; the isolated ones only where
    /// larger components are in the way.
    fn meet(
        &self,
        field: &mut PrimeField,
        point: &[u64],
        section: SectionKind,
    ) -> Result<Met, Stuck> {
        let block = self.block(field, point, &[])?;
        let SectionKind {
            dimension,
            isolated,
        } = section;
        let section = Section::new(field, &block, self.unknowns(), point, dimension);
        let inputs = section.inputs(point);
        let system = System::new(field, &self.together, inputs, dimension)?;
        let (f, mut random) = (field.f, Random(field.random.next()));
        let (unknowns, equations) = match isolated {
            true => system.isolated(f, &mut random).ok_or(Stuck::TooLarge)?,
            false => (system.unknowns, system.equations()),
        };
        let factors: Vec<Sparse> = system.factors().cloned().collect();
        let found = solutions(f, &mut random, unknowns, &equations, &factors);
        let solutions = found.map_err(|why| match why {
            Unsolved::Infinite => Stuck::Infinite,
            Unsolved::TooLarge => Stuck::TooLarge,
        })?;
        let mut points = Vec::new();
        for solution in &solutions.points {
            if system.settle(field, solution) != Some(true) {
                continue;
            }
            let mut met = point.to_vec();
            section.move_to(f, &mut met, solution);
            let missed = results(&self.together, field, &met)?;
            if missed.iter().any(|x| *x != 0) {
                return Err(Stuck::InadmissibleDraw);
            }
            points.push(met);
        }
        Ok(Met {
            branches: system.branches(),
            solutions,
            points,
        })
    }

    /// Looks at the set at random sections: all in one field, so that what is irreducible there and
    /// has a point is irreducible over every extension. `base` gives points on the surfaces before.
    pub fn survey(
        &mut self,
        field: impl Fn() -> PrimeField,
        base: impl Fn(&mut PrimeField) -> Result<Vec<u64>, InadmissibleDraw>,
    ) {
        if self.shape == Shape::Affine {
            return;
        }
        let mut why = "no point of the constraints was found in a prime field";
        for _ in 0..FIELDS {
            let mut field = field();
            let Ok(point) = base(&mut field) else {
                continue;
            };
            match self.parts(&mut field, &point) {
                Ok(parts) if parts.sections.is_empty() => why = "the constraints have no point",
                Ok(parts) => {
                    self.keep_useful_choices(&mut field, &point, &parts);
                    self.shape = Shape::Curved(parts);
                    return;
                }
                Err(Stuck::InadmissibleDraw) => {}
                Err(Stuck::TooLarge | Stuck::Infinite) => {
                    why = "the components of the constraint set were not found: its equations are \
                           too large";
                    break;
                }
            }
        }
        self.shape = Shape::Unknown(why);
    }

    fn parts(&self, field: &mut PrimeField, point: &[u64]) -> Result<Parts, Stuck> {
        let mut parts = Parts {
            sections: Vec::new(),
            degree: 0,
            branches: 0,
            is_one: true,
            rank: 0,
            has_singular: false,
        };
        let mut ranks: Vec<usize> = Vec::new();
        let mut isolated = false;
        for dimension in 0..=self.curved.len() {
            let section = |isolated| SectionKind {
                dimension,
                isolated,
            };
            let look = match self.look(field, point, section(false), &mut ranks) {
                Err(Stuck::Infinite) => {
                    isolated = true;
                    self.look(field, point, section(true), &mut ranks)?
                }
                look => look?,
            };
            if look.sheets.count() > 0 {
                let seen = look.sheets.are_one() && look.has_points;
                parts.is_one &= parts.sections.is_empty() && seen;
                parts.sections.push(section(isolated));
                parts.degree = parts.degree.max(look.sheets.count());
                parts.branches = parts.branches.max(look.branches);
            }
        }
        parts.rank = ranks.iter().copied().max().unwrap_or(0);
        parts.has_singular = ranks.iter().any(|rank| *rank < parts.rank);
        Ok(parts)
    }

    /// Looks at sections of one dimension, as many as are needed to see one component.
    fn look(
        &self,
        field: &mut PrimeField,
        point: &[u64],
        section: SectionKind,
        ranks: &mut Vec<usize>,
    ) -> Result<Look, Stuck> {
        let mut look = Look::default();
        for _ in 0..SECTIONS {
            let met = self.meet(field, point, section)?;
            look.sheets.note(Split {
                degree: met.solutions.count,
                sums: met.solutions.sums,
            });
            look.has_points |= !met.solutions.points.is_empty();
            look.branches = met.branches;
            for point in &met.points {
                ranks.push(self.full_rank(field, point)?);
            }
            let is_empty = look.sheets.count() == 0;
            if is_empty || look.sheets.are_one() && look.has_points {
                break;
            }
        }
        Ok(look)
    }

    /// Solving the rows for some unknowns reaches the component if they are functions of the others
    /// there: if the derivatives by them are regular.
    fn keep_useful_choices(&mut self, field: &mut PrimeField, point: &[u64], parts: &Parts) {
        let on_it = (0..SECTIONS).find_map(|_| self.on_sections(field, point, parts).ok()?.pop());
        let mut rank = |by: &[usize]| self.rank(field, on_it.as_ref()?, by).ok();
        let all: Vec<usize> = (0..self.unknowns).collect();
        let wanted = rank(&all);
        let affine = if self.linear_rows > 0 {
            all
        } else {
            Vec::new()
        };
        let joint: Vec<bool> = self
            .joint
            .iter()
            .map(|j| rank(&j.unknowns) == wanted)
            .collect();
        let choices = self.choices.iter();
        let choices =
            choices.map(|plan| rank(&[&plan.unknowns, affine.as_slice()].concat()) == wanted);
        let choices: Vec<bool> = choices.collect();
        let (mut joint, mut choices) = (joint.into_iter(), choices.into_iter());
        self.joint.retain(|_| joint.next() == Some(true));
        // Rows that depend on others cannot be solved one after the other.
        let is_independent = parts
            .sections
            .iter()
            .all(|section| section.dimension == self.curved.len());
        self.choices
            .retain(|_| choices.next() == Some(true) && is_independent);
    }

    /// Every unknown has the size of a solution of the affine rows, or of an algebraic function.
    pub fn sizes(&self, degrees: &mut Degrees, point: &mut [Size]) {
        let affine = sizes(&self.linear, degrees, point);
        if self.linear_rows > 0 {
            let solution = degrees.affine_solution(&affine, self.unknowns + 1);
            for place in self.unknowns() {
                point[*place] = solution.clone();
            }
        }
        for joint in &self.joint {
            let affine = sizes(&joint.affine, degrees, point);
            let solution = degrees.affine_solution(&affine, joint.unknowns.len() + 1);
            for place in joint.unknowns.iter().map(|j| self.places[*j]) {
                point[place] = degrees.larger(&point[place], &solution);
            }
        }
        let rows = sizes(&self.together, degrees, point);
        let is_one = !matches!(&self.shape, Shape::Curved(parts) if !parts.is_one);
        if rows.len() > 1 && !(is_one && self.is_solved()) {
            let root = degrees.algebraic_system(&rows);
            self.cover(degrees, point, &root);
        } else {
            for row in &self.curved {
                let size = sizes(row, degrees, point)[0].clone();
                let root = degrees.algebraic(&size);
                self.cover(degrees, point, &root);
            }
        }
        for (place, value) in &self.given {
            point[*place] = sizes(value, degrees, point)[0].clone();
        }
    }

    /// Lets everything that is solved for be as large as this.
    fn cover(&self, degrees: &mut Degrees, point: &mut [Size], size: &Size) {
        let chosen = self.choices.iter().flat_map(|plan| &plan.unknowns);
        let indices: Vec<usize> = (0..self.unknowns).chain(chosen.copied()).collect();
        for place in indices.into_iter().map(|j| self.places[j]) {
            point[place] = degrees.larger(&point[place], size);
        }
    }
}

/// Unknowns that curved rows give outright: rows `c u + g` where `g` does not depend on `u`, `c` on no
/// unknown, and no linear row on `u`. Returns their values, in an order in which they can be computed,
/// and the rows that are left, without these unknowns.
fn given_outright<'g>(
    mut rows: Vec<Ex<'g>>,
    linear: &[Ex<'g>],
    unknowns: &[Ex<'g>],
) -> (Vec<(usize, Ex<'g>)>, Vec<Ex<'g>>) {
    let mut given: Vec<(usize, Ex<'g>)> = Vec::new();
    let read = |x: Ex<'g>| places_read(&[x], unknowns).concat();
    let in_linear = places_read(linear, unknowns).concat();
    let gives = |row: &Ex<'g>, j: usize| {
        let u = unknowns[j];
        let is_affine = degree_in(*row, &[u]) == Some(1);
        is_affine && read(row.diff(u)).is_empty() && !in_linear.contains(&j)
    };
    loop {
        let places = places_read(&rows, unknowns);
        let found = rows.iter().enumerate().find_map(|(place, row)| {
            let index = places[place].iter().find(|j| gives(row, **j))?;
            Some((place, *index))
        });
        let Some((place, index)) = found else {
            given.reverse();
            return (given, rows);
        };
        let (u, row) = (unknowns[index], rows.remove(place));
        let graph = u.graph();
        let rest = graph.substitute(&[row], &[(u, graph.zero())])[0];
        let value = -(rest / row.diff(u));
        rows = graph.substitute(&rows, &[(u, value)]);
        given.push((index, value));
    }
}

/// Choices of unknowns for curved rows, one after the other: of the others after the unknowns only
/// those in which a row is linear.
fn choices(rows: &[Ex<'_>], linear: &[Ex<'_>], all: &[Ex<'_>], unknowns: usize) -> Vec<Plan> {
    let mut found = plans(rows, linear, all);
    found.retain(|plan| {
        let mut pairs = rows.iter().zip(&plan.unknowns);
        pairs.all(|(row, j)| *j < unknowns || degree_in(*row, &[all[*j]]) == Some(1))
    });
    found
}

/// `[A | b]` of rows `A u + b`; `b` alone of rows that no unknown is left for.
fn affine(locus: &Locus<'_>, rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> Result<Program, Unbound> {
    let Some(graph) = rows.iter().chain(unknowns).map(|x| x.graph()).next() else {
        return Ok(Program::default());
    };
    let rows: Vec<Ex<'_>> = rows.iter().map(|row| graph.ex(row.id())).collect();
    let at_zero: Vec<_> = unknowns.iter().map(|u| (*u, graph.zero())).collect();
    let constant = Matrix::column(graph, graph.substitute(&rows, &at_zero));
    let jacobian = Matrix::jacobian(graph, &rows, unknowns);
    compile(&locus.symbols, jacobian.beside(&constant).entries())
}

/// Unknowns in which all rows, each with those that it speaks of, are affine together: the first one, and those after
/// it in turn that may join.
fn joint_set(
    rows: &[Ex<'_>],
    read: &[Vec<usize>],
    unknowns: &[Ex<'_>],
    first: usize,
) -> Vec<usize> {
    let n = unknowns.len();
    let mut is_in = vec![false; n];
    let mut set = Vec::new();
    for j in (0..n).map(|k| (first + k) % n) {
        is_in[j] = true;
        let is_affine = |(row, places): (&Ex<'_>, &Vec<usize>)| {
            let among = places.iter().filter(|i| is_in[**i]).map(|i| unknowns[*i]);
            degree_in(*row, &among.collect::<Vec<_>>()).is_some_and(|d| d <= 1)
        };
        let mut touched = rows
            .iter()
            .zip(read)
            .filter(|(_, places)| places.contains(&j));
        is_in[j] = touched.all(is_affine);
        if is_in[j] {
            set.push(j);
        }
    }
    set
}

/// Sets of unknowns in which all rows together are affine, as large as the rows are many.
fn joint_choices(
    locus: &Locus<'_>,
    rows: &[Ex<'_>],
    unknowns: &[Ex<'_>],
) -> Result<Vec<Joint>, Unbound> {
    let n = unknowns.len();
    let read = places_read(rows, unknowns);
    let mut found: Vec<Vec<usize>> = Vec::new();
    for first in 0..n {
        let mut set = joint_set(rows, &read, unknowns, first);
        set.sort_unstable();
        if set.len() >= rows.len() && !found.contains(&set) {
            found.push(set);
        }
        if found.len() >= MAX_CHOICES {
            break;
        }
    }
    let joint = found.into_iter().map(|of| {
        let chosen: Vec<Ex<'_>> = of.iter().map(|j| unknowns[*j]).collect();
        Ok(Joint {
            affine: affine(locus, rows, &chosen)?,
            unknowns: of,
        })
    });
    joint.collect()
}
