//! Where an identity is to hold: symbols drawn at random, functions of them, and surfaces.

use super::degree::{Degrees, Size};
use super::in_turn::in_turn;
use super::prime::{InadmissibleDraw, PrimeField};
use super::radicands::{Free, Radicand, Radicands, radicands_in};
use super::surface::{Parts, Shape, Surface};
use super::{angles, arithmetic::Random};
use crate::graph::{Ex, Id};
use crate::program::{Program, Statement};
use crate::sketch::{Sketch, Unbound};
use num_integer::Integer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// `2 2^6 3^2 5 7`: roots of unity for the angles that people write.
pub(super) const COMMON_TURNS: u64 = 40_320;
/// Angles are divided by at most this.
pub(super) const MAX_DENOMINATOR: u64 = 1 << 16;

/// A set of points: values for symbols, chosen one after the other.
///
/// Every symbol is free unless a later step determines it. Steps speak of symbols that earlier
/// steps have determined or left free.
#[derive(Debug, Clone)]
pub struct Locus<'g> {
    pub(crate) symbols: Vec<Ex<'g>>,
    pub(crate) steps: Vec<Step<'g>>,
    /// Another number, other primes and points.
    pub(crate) seed: u64,
}

#[derive(Debug, Clone)]
pub(crate) enum Step<'g> {
    /// `symbol = value`.
    Set(Ex<'g>, Ex<'g>),
    /// `rows = 0`, solved for some of the unknowns, or for others that may move as well.
    On(Vec<Ex<'g>>, Vec<Ex<'g>>, Vec<Ex<'g>>),
    /// Points where these do not vanish are thrown away.
    Where(Vec<Ex<'g>>),
    /// Points where this vanishes are thrown away.
    Off(Ex<'g>),
}

impl Step<'_> {
    /// What it is made of; steps of two kinds have different ones.
    fn ids(&self) -> [Vec<Id>; 3] {
        let ids = |xs: &[Ex<'_>]| xs.iter().map(|x| x.id()).collect::<Vec<_>>();
        match self {
            Self::Set(symbol, value) => [Vec::new(), ids(&[*symbol]), ids(&[*value])],
            Self::On(rows, unknowns, others) => [ids(rows), ids(unknowns), ids(others)],
            Self::Where(zeros) => [Vec::new(), Vec::new(), ids(zeros)],
            Self::Off(zero) => [Vec::new(), ids(&[*zero]), Vec::new()],
        }
    }
}

impl<'g> Locus<'g> {
    /// All values of these symbols. Programs that run at its points have them as inputs.
    pub fn new(symbols: Vec<Ex<'g>>) -> Self {
        Self {
            symbols,
            steps: Vec::new(),
            seed: 0,
        }
    }

    /// The same set with other primes and points.
    pub fn seeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
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
        self.on_with(rows, unknowns, Vec::new());
    }

    /// As [`Locus::on`]; where the rows are linear in one of the `others`, it may be moved instead. The
    /// set of rows is one over the unknowns, for general values of the others.
    pub fn on_with(&mut self, rows: Vec<Ex<'g>>, unknowns: Vec<Ex<'g>>, others: Vec<Ex<'g>>) {
        if !rows.is_empty() {
            self.steps.push(Step::On(rows, unknowns, others));
        }
    }

    /// The same set as far as these programs and its own rows can tell: what nobody reads is not determined.
    /// A file may define thousands of parameters of which a row speaks of one.
    pub(crate) fn seen_by<'p>(&self, programs: impl IntoIterator<Item = &'p Program>) -> Self {
        let mut seen: FxHashSet<Id> = FxHashSet::default();
        for program in programs {
            let slots = slots_read(program).into_iter();
            let read = slots.filter_map(|slot| self.symbols.get(slot as usize));
            seen.extend(read.map(|symbol| symbol.id()));
        }
        let see = |xs: &[Ex<'g>], seen: &mut FxHashSet<Id>| {
            let Some(graph) = xs.first().map(|x| x.graph()) else {
                return;
            };
            let roots: Vec<Id> = xs.iter().map(|x| x.id()).collect();
            seen.extend(graph.reachable_unless(&roots, |id| seen.contains(&id)));
        };
        let mut steps = Vec::new();
        for step in self.steps.iter().rev() {
            match step {
                Step::Set(symbol, _) if !seen.contains(&symbol.id()) => continue,
                Step::Set(_, value) => see(&[*value], &mut seen),
                Step::On(rows, unknowns, others) => {
                    see(&[&rows[..], unknowns, others].concat(), &mut seen);
                }
                Step::Where(zeros) => see(zeros, &mut seen),
                Step::Off(zero) => see(&[*zero], &mut seen),
            }
            steps.push(step.clone());
        }
        steps.reverse();
        Self {
            symbols: self.symbols.clone(),
            steps,
            seed: self.seed,
        }
    }

    /// Keeps the points where these expressions vanish. They must do so on a part of the points
    /// with as many dimensions, as `sqrt(x^2) - x` does.
    pub fn keep(&mut self, zeros: Vec<Ex<'g>>) {
        if !zeros.is_empty() {
            self.steps.push(Step::Where(zeros));
        }
    }

    /// Throws away the points where this vanishes: components on which it does so everywhere are left out.
    pub fn off(&mut self, zero: Ex<'g>) {
        self.steps.push(Step::Off(zero));
    }
}

/// In which angles programs are written out, and the fields in which these have values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Base {
    /// Angles are multiples of base angles `x/denominator`.
    pub denominator: u64,
    /// Fields are drawn with roots of unity of this order.
    pub m: u64,
}

/// A locus ready to be drawn from.
pub(crate) struct Drawing {
    count: usize,
    steps: Arc<Vec<DrawingStep>>,
    drawn: Arc<Mutex<Vec<Drawn>>>,
    /// How many choices of unknowns there are.
    pub choices: usize,
    radicands: Radicands,
}

#[derive(Clone)]
enum DrawingStep {
    Set(usize, Program),
    On(Box<Surface>),
    Where(Program),
    Off(Program),
}

/// A point in a field of its own, and the random numbers after it.
#[derive(Clone)]
struct Drawn {
    field: PrimeField,
    point: Option<Vec<u64>>,
    random: Random,
}

/// So many points of a set are kept.
const MOST_DRAWN: usize = 64;

/// What the settled steps of a locus depend on.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct SettledFor {
    symbols: Vec<Id>,
    steps: Vec<[Vec<Id>; 3]>,
    seed: u64,
    base: Base,
}

impl SettledFor {
    pub fn of(locus: &Locus<'_>, base: Base) -> Self {
        Self {
            symbols: locus.symbols.iter().map(|symbol| symbol.id()).collect(),
            steps: locus.steps.iter().map(Step::ids).collect(),
            seed: locus.seed,
            base,
        }
    }
}

/// Steps with all that was seen of their surfaces, and points on these: sections are costly, and many questions
/// are asked of the same points.
type SettledSteps = FxHashMap<SettledFor, (Arc<Vec<DrawingStep>>, Arc<Mutex<Vec<Drawn>>>)>;

/// So many are kept.
const MOST_SETTLED: usize = 64;

/// Steps of which nothing was seen yet, by the symbols and what the steps are made of.
type MadeSteps = FxHashMap<(Vec<Id>, Vec<[Vec<Id>; 3]>), Arc<Vec<DrawingStep>>>;

/// So many are kept: those of large systems are large, and questions about one come one after the other.
const MOST_MADE: usize = 8;

impl Drawing {
    /// The drawing in which programs that run at the points of the locus have values, settled.
    ///
    /// # Errors
    /// An expression that speaks of something that is not a symbol of the locus.
    pub fn of(locus: &Locus<'_>, programs: &[&Program]) -> Result<(Self, Base), Unbound> {
        let mut drawing = Self::made(locus)?;
        let all: Vec<&Program> = programs.iter().copied().chain(drawing.programs()).collect();
        let denominator = angles::common_denominator(&all, MAX_DENOMINATOR);
        let m = COMMON_TURNS.lcm(&(4 * denominator));
        let base = Base { denominator, m };
        drawing.settle(locus, base);
        Ok((drawing, base))
    }

    /// As [`Drawing::new`], made once for a locus of which many questions are asked.
    fn made(locus: &Locus<'_>) -> Result<Self, Unbound> {
        let Some(graph) = locus.symbols.first().map(|symbol| symbol.graph()) else {
            return Self::new(locus);
        };
        let symbols = locus.symbols.iter().map(|symbol| symbol.id()).collect();
        let key = (symbols, locus.steps.iter().map(Step::ids).collect());
        if let Some(steps) = graph.kept(|made: &mut MadeSteps| made.get(&key).cloned()) {
            return Ok(Self::with_steps(locus, steps));
        }
        let drawing = Self::new(locus)?;
        graph.kept(|made: &mut MadeSteps| {
            if made.len() >= MOST_MADE {
                made.clear();
            }
            made.insert(key, Arc::clone(&drawing.steps));
        });
        Ok(drawing)
    }

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
                Step::On(rows, unknowns, others) => {
                    for (rows, subset) in in_turn(rows, unknowns, others) {
                        let places = subset.iter().chain(others).map(|u| place(*u));
                        let places = places.collect::<Result<Vec<_>, _>>()?;
                        let mut surface = Surface::new(locus, &rows, &subset, others, places)?;
                        surface.is_fibre = subset.len() < unknowns.len();
                        steps.push(DrawingStep::On(Box::new(surface)));
                    }
                    continue;
                }
                Step::Where(zeros) => DrawingStep::Where(compile(&locus.symbols, zeros)?),
                Step::Off(zero) => DrawingStep::Off(compile(&locus.symbols, &[*zero])?),
            });
        }
        Ok(Self::with_steps(locus, Arc::new(steps)))
    }

    fn with_steps(locus: &Locus<'_>, steps: Arc<Vec<DrawingStep>>) -> Self {
        Self {
            count: locus.symbols.len(),
            choices: count_choices(&steps),
            steps,
            drawn: Arc::default(),
            radicands: Radicands::default(),
        }
    }

    /// Every program in it.
    pub fn programs(&self) -> Vec<&Program> {
        self.steps
            .iter()
            .flat_map(|step| match step {
                DrawingStep::Set(_, program)
                | DrawingStep::Where(program)
                | DrawingStep::Off(program) => vec![program],
                DrawingStep::On(surface) => surface.programs().collect(),
            })
            .collect()
    }

    /// How many conditions throw points away.
    pub fn conditions(&self) -> usize {
        let count = |step: &DrawingStep| match step {
            DrawingStep::Where(zeros) => zeros.result_len(),
            DrawingStep::Set(..) | DrawingStep::On(_) | DrawingStep::Off(_) => 0,
        };
        self.steps.iter().map(count).sum()
    }

    /// Writes out the angles of its programs, and looks at the components of its surfaces, once.
    pub fn settle(&mut self, locus: &Locus<'_>, base: Base) {
        let graph = locus.symbols.first().map(|symbol| symbol.graph());
        let key = || SettledFor::of(locus, base);
        let known = graph.and_then(|graph| {
            graph.kept(|settled: &mut SettledSteps| settled.get(&key()).cloned())
        });
        match known {
            Some((steps, drawn)) => (self.steps, self.drawn) = (steps, drawn),
            None => {
                self.survey(base, locus.seed);
                if let Some(graph) = graph {
                    graph.kept(|settled: &mut SettledSteps| {
                        if settled.len() >= MOST_SETTLED {
                            settled.clear();
                        }
                        let seen = (Arc::clone(&self.steps), Arc::clone(&self.drawn));
                        settled.insert(key(), seen);
                    });
                }
            }
        }
        self.choices = count_choices(&self.steps);
    }

    fn survey(&mut self, base: Base, seed: u64) {
        let count = self.count;
        let steps = Arc::make_mut(&mut self.steps);
        // First, for the components of a set in angles are those in their sines and cosines.
        write_out(steps, base.denominator);
        let random = RefCell::new(Random(0x2545_f491_4f6c_dd1d ^ seed));
        for index in 0..steps.len() {
            let (before, rest) = steps.split_at_mut(index);
            if let DrawingStep::On(surface) = &mut rest[0] {
                let field = || PrimeField::draw(&mut random.borrow_mut(), base.m);
                surface.survey(field, |field| {
                    let start = (0..count).map(|_| field.element()).collect();
                    one_of(follow(before, start, field, 0)?, field)
                });
            }
        }
    }

    /// Draws free symbols so that the roots of a program exist, where they are many; returns how
    /// many do. Of `k` roots of random numbers all exist with probability `2^-k` only: hardly any point
    /// would count.
    pub fn heed(&mut self, program: &Program) -> usize {
        let free = self.free();
        let radicands = radicands_in(program, &free);
        self.heed_these(radicands.iter(), &free);
        self.radicands.len()
    }

    /// Draws free symbols so that these roots exist.
    pub fn heed_these<'r>(&mut self, radicands: impl Iterator<Item = &'r Radicand>, free: &Free) {
        self.radicands = Radicands::of(radicands, free);
    }

    /// What symbols are before surfaces are met.
    pub fn free(&self) -> Free {
        let mut free = Free {
            is_free: vec![true; self.count],
            fixed: Vec::new(),
        };
        for step in &*self.steps {
            match step {
                DrawingStep::Set(place, value) => {
                    free.is_free[*place] = false;
                    if reads_no_input(value) {
                        free.fixed.push((*place, value.clone()));
                    }
                }
                DrawingStep::On(surface) => {
                    for place in surface.places() {
                        free.is_free[*place] = false;
                    }
                }
                DrawingStep::Where(_) | DrawingStep::Off(_) => {}
            }
        }
        free
    }

    /// A random point, with the choice of unknowns of this number.
    pub fn point(
        &self,
        field: &mut PrimeField,
        choice: usize,
    ) -> Result<Vec<u64>, InadmissibleDraw> {
        one_of(self.points(field, choice)?, field)
    }

    /// The point of the draw of this number, from 1 on, in a new field, if the draw is lucky. Who draws one after
    /// the other from random numbers that the seed of the locus gives finds what others have drawn.
    pub fn drawn(
        &self,
        number: usize,
        m: u64,
        random: &mut Random,
    ) -> (PrimeField, Option<Vec<u64>>) {
        let place = number - 1;
        // Radicands are those of one question.
        let common = self.radicands.len() == 0;
        let kept = || self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let known = if common {
            kept().get(place).cloned()
        } else {
            None
        };
        if let Some(known) = known {
            *random = known.random;
            return (known.field, known.point);
        }
        let mut field = PrimeField::draw(random, m);
        field.enter(1);
        let point = self.point(&mut field, number % self.choices).ok();
        if common && place < MOST_DRAWN && kept().len() == place {
            kept().push(Drawn {
                field: field.clone(),
                point: point.clone(),
                random: random.clone(),
            });
        }
        (field, point)
    }

    /// Random points: on every component, as far as it has one on a random section.
    pub fn points(
        &self,
        field: &mut PrimeField,
        choice: usize,
    ) -> Result<Vec<Vec<u64>>, InadmissibleDraw> {
        let mut start: Vec<u64> = (0..self.count).map(|_| field.element()).collect();
        self.radicands.settle(field, &mut start)?;
        follow(&self.steps, start, field, choice)
    }

    /// What is known of the components of sets that are not affine.
    pub fn parts(&self) -> impl Iterator<Item = &Parts> {
        self.shapes().filter_map(|shape| match shape {
            Shape::Curved(parts) => Some(parts),
            Shape::Affine | Shape::Unknown(_) => None,
        })
    }

    /// Why it has no points, if that is known.
    pub fn error(&self) -> Option<&'static str> {
        self.shapes().find_map(|shape| match shape {
            Shape::Unknown(why) => Some(*why),
            Shape::Affine | Shape::Curved(_) => None,
        })
    }

    fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.steps.iter().filter_map(|step| match step {
            DrawingStep::On(surface) => Some(surface.shape()),
            DrawingStep::Set(..) | DrawingStep::Where(_) | DrawingStep::Off(_) => None,
        })
    }

    /// The sizes of the coordinates of a random point.
    pub fn sizes(&self, degrees: &mut Degrees) -> Vec<Size> {
        let mut point: Vec<Size> = (0..self.count).map(|_| degrees.unknown()).collect();
        for step in &*self.steps {
            match step {
                DrawingStep::Set(place, program) => {
                    point[*place] = sizes(program, degrees, &point)[0].clone();
                }
                DrawingStep::On(surface) => surface.sizes(degrees, &mut point),
                DrawingStep::Where(_) | DrawingStep::Off(_) => {}
            }
        }
        point
    }
}

/// Writes out the angles of programs.
fn write_out(steps: &mut [DrawingStep], denominator: u64) {
    let written = |program: &mut Program| *program = angles::written_out(program, denominator);
    for step in steps {
        match step {
            DrawingStep::Set(_, program)
            | DrawingStep::Where(program)
            | DrawingStep::Off(program) => written(program),
            DrawingStep::On(surface) => surface.write_out(denominator),
        }
    }
}

/// Random points that these steps determine from values of what is free.
fn follow(
    steps: &[DrawingStep],
    start: Vec<u64>,
    field: &mut PrimeField,
    choice: usize,
) -> Result<Vec<Vec<u64>>, InadmissibleDraw> {
    let mut points: Vec<Vec<u64>> = vec![start];
    for step in steps {
        match step {
            DrawingStep::Set(place, program) => {
                for point in &mut points {
                    point[*place] = results(program, field, point)?[0];
                }
            }
            DrawingStep::On(surface) => {
                let mut met = Vec::new();
                for point in points {
                    met.extend(surface.drawn(field, point, choice)?);
                }
                points = met;
            }
            DrawingStep::Where(zeros) => {
                let mut kept = Vec::new();
                for point in points {
                    if results(zeros, field, &point)?.iter().all(|x| *x == 0) {
                        kept.push(point);
                    }
                }
                points = kept;
            }
            DrawingStep::Off(zero) => {
                let mut kept = Vec::new();
                for point in points {
                    if results(zero, field, &point)?[0] != 0 {
                        kept.push(point);
                    }
                }
                points = kept;
            }
        }
    }
    Ok(points)
}

/// The slots that a program reads, as often as it does.
fn slots_read(program: &Program) -> Vec<u32> {
    let read = program
        .statements
        .iter()
        .flat_map(|statement| match statement {
            Statement::Let(_, operation) => operation.arguments(),
            Statement::Solve(solve) => [solve.matrix.as_slice(), &solve.right].concat(),
        });
    let outputs = program.outputs.iter();
    read.chain(outputs.flat_map(|output| output.slots.clone()))
        .collect()
}

/// Whether a program computes numbers.
fn reads_no_input(program: &Program) -> bool {
    let input = |slot: u32| usize::try_from(slot).is_ok_and(|slot| slot < program.inputs.len());
    !slots_read(program).into_iter().any(input)
}

/// One of some points, each as probable: what depends on a component is seen on it sooner or later.
fn one_of(mut points: Vec<Vec<u64>>, field: &mut PrimeField) -> Result<Vec<u64>, InadmissibleDraw> {
    let count = u64::try_from(points.len().max(1)).unwrap_or(1);
    let drawn = usize::try_from(field.random.below(count)).unwrap_or(0);
    match points.is_empty() {
        true => Err(InadmissibleDraw),
        false => Ok(points.swap_remove(drawn)),
    }
}

/// How many ways the steps have to choose unknowns.
fn count_choices(steps: &[DrawingStep]) -> usize {
    let choices = steps.iter().map(|step| match step {
        DrawingStep::Set(..) | DrawingStep::Where(_) | DrawingStep::Off(_) => 1,
        DrawingStep::On(surface) => surface.count_choices(),
    });
    choices.max().unwrap_or(1)
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
) -> Result<Vec<u64>, InadmissibleDraw> {
    let numbers = program.convert_numbers(field);
    let mut values = point.to_vec();
    program.run(field, &numbers, &mut values)?;
    if !field.is_sound() {
        return Err(InadmissibleDraw);
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
    use crate::graph::Graph;

    fn points(locus: &Locus<'_>, draws: usize) -> Vec<(PrimeField, Vec<u64>)> {
        let mut drawing = Drawing::new(locus).expect("closed");
        drawing.settle(
            locus,
            Base {
                denominator: 1,
                m: 40_320,
            },
        );
        let mut random = Random(17);
        let mut found = Vec::new();
        for draw in 0..draws {
            let mut field = PrimeField::draw(&mut random, 40_320);
            if let Ok(point) = drawing.point(&mut field, draw) {
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

    /// What was seen of a set serves all questions about it, and none about another.
    #[test]
    fn a_set_is_looked_at_once() {
        let g = Graph::new();
        let u: Vec<Ex<'_>> = ["x", "y", "z"].iter().map(|n| g.symbol(n)).collect();
        let steps = |locus: &Locus<'_>| {
            let program = compile(&u, &[u[0]]).expect("closed");
            Drawing::of(locus, &[&program]).expect("closed").0.steps
        };
        let rows = || {
            let mut locus = Locus::new(u.clone());
            locus.on(vec![u[0].pow(2) - u[1] * u[2]], u.clone());
            locus
        };
        let first = steps(&rows());
        assert!(Arc::ptr_eq(&first, &steps(&rows())));
        let mut others = vec![rows().seeded(1), rows(), rows(), rows(), rows()];
        others[1].off(u[0]);
        others[2].keep(vec![u[0]]);
        others[3].set(u[0], g.zero());
        others[4].on(vec![u[0]], vec![u[1]]);
        let mut seen = vec![first];
        for other in &others {
            let found = steps(other);
            assert!(seen.iter().all(|known| !Arc::ptr_eq(known, &found)));
            seen.push(found);
        }
        // In other base angles the programs are others.
        let program = compile(&u, &[(u[0] / 3).sin()]).expect("closed");
        let (thirds, base) = Drawing::of(&rows(), &[&program]).expect("closed");
        assert_eq!(base.denominator, 3);
        assert!(seen.iter().all(|known| !Arc::ptr_eq(known, &thirds.steps)));
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
}
