//! Identities decided at random points of random prime fields.
//!
//! A polynomial of degree d that is not zero vanishes at a random point with a probability
//! below d/p [schwartz1980]. To it come, per point: integer coefficients that the
//! prime divides by chance, arguments of transcendental functions that coincide by chance, and
//! the condition that the point exists (no pole, every radicand a square).
//!
//! Square roots: a radicand that is once met as a non-square, all earlier ones being squares,
//! generates a proper extension; if all do, what is not zero has a norm that is not zero, of a
//! degree 2^s times as large. A radicand that never fails (`sqrt(x^2)`) is a sign in disguise:
//! each sign pattern comes with a probability of 2^-u, so that about 2^u times as many points
//! are needed. A set with several components (see [`super::surface`]) is met by sections: one of
//! degree d is missed by a section with a probability of at most 1 - 1/d, so that sections are counted
//! there, not points.

use super::angles::{common_denominator, written_out, written_out_where};
use super::arithmetic::Random;
use super::closing::put_in;
use super::degree::{Degrees, Size, Weight};
use super::exponents::with_known_exponents;
use super::first_look::is_refuted;
use super::locus::{Base, Drawing, Locus, MAX_DENOMINATOR, compile, results, sizes};
use super::pieces::{joined, open, pieces};
use super::prime::{PrimeField, RootId, Roots};
use super::radicands::{OF_POINTS, Radicand, Radicands, marks, radicands_in};
use super::remembered::vanishes_as_known;
use super::surface::Parts;
use crate::function::Function;
use crate::graph::Ex;
use crate::num::Rational;
use crate::program::{Operation, Program, Statement};
use crate::sketch::Unbound;
use num_integer::Integer;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ops::Range;

/// Wanted: a probability of error below `2^-EXPONENT`.
const EXPONENT: f64 = 64.0;
/// Draws before giving up.
const MAX_DRAWS: usize = 20_000;
/// At most so many sections are looked at, fewer of a high degree: times its cube at most so much.
const MAX_SECTIONS: f64 = 3_000.0;
const MAX_SECTION_WORK: f64 = 6e6;
/// Draws without a single usable point before giving up.
const MAX_FRUITLESS: usize = 600;
/// Primes lie above `2^PRIME_BITS`.
const PRIME_BITS: f64 = 60.0;

/// Some results of a program: its number, and places among all its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// The program's place in the list.
    pub program: usize,
    /// The places.
    pub range: Range<usize>,
}

/// Whether `left = right` (or `left = 0`) wherever the numbers in `positive` are positive.
#[derive(Debug, Clone)]
pub struct Question {
    /// The left side.
    pub left: Results,
    /// The right side, of the same length; zero if it is missing.
    pub right: Option<Results>,
    /// Numbers whose signs are given: the sheet on which it is to hold.
    pub positive: Option<Results>,
}

impl Question {
    /// Whether the first results of the first program vanish.
    pub fn zeros(results: usize) -> Self {
        Self {
            left: Results {
                program: 0,
                range: 0..results,
            },
            right: None,
            positive: None,
        }
    }
}

/// How sure an identity is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// How many random points it held at.
    pub points: usize,
    /// The degree after clearing denominators.
    pub degree: u128,
    /// `log2` of the largest probability that it is false.
    pub exponent: f64,
    /// Where the points lie.
    pub cover: Cover,
}

/// On which components of a set of rows random points were drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cover {
    /// Whether the set is one irreducible component.
    pub is_one: bool,
    /// The largest number of points on a random section: the degree of all components together.
    pub degree: usize,
    /// How many sections were looked at, where there may be several components.
    pub sections: usize,
    /// How many sets it was taken apart into, by the factors of rows; 1 for none.
    pub pieces: usize,
    /// Whether there are components on which the rows have a lower rank; no points were drawn there.
    pub has_singular: bool,
}

impl Cover {
    /// A set that is no more than its symbols.
    pub const WHOLE: Self = Self {
        is_one: true,
        degree: 1,
        sections: 0,
        pieces: 1,
        has_singular: false,
    };
}

/// What prime fields say about a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// It is an identity.
    Holds(Bound),
    /// It is not an identity between independent unknowns. No refutation if some of them are
    /// functions of each other, see [`opaque_functions`].
    Fails,
    /// It holds at some points of a section and not at others: on some components only, or on none.
    FailsAtSome,
    /// Nothing, and why.
    Open(String),
}

impl Finding {
    /// Whether it is no identity on the set.
    pub fn fails(&self) -> bool {
        matches!(self, Self::Fails | Self::FailsAtSome)
    }

    /// It holds without any chance.
    pub fn certain() -> Self {
        Self::Holds(Bound {
            points: 1,
            degree: 0,
            exponent: f64::NEG_INFINITY,
            cover: Cover::WHOLE,
        })
    }
}

/// Whether an expression is identically zero, as far as algebra can tell: `true` is proved
/// (but for a probability below 2^-64), `false` means different from zero or not decided.
pub fn vanishes(x: Ex<'_>) -> bool {
    if let Some(number) = x.as_rational() {
        return number.is_zero();
    }
    let locus = Locus::new(x.symbols());
    let Ok(program) = compile(locus.symbols(), &[x]) else {
        return false;
    };
    !is_refuted(x.graph(), &program) && vanishes_as_known(x, program)
}

/// The same without what was decided before.
pub(super) fn vanishes_by_points(x: Ex<'_>, program: Program) -> bool {
    let locus = Locus::new(x.symbols());
    let findings = decide(&locus, &[program], &[Question::zeros(1)]);
    matches!(findings.as_deref(), Ok([Finding::Holds(_)]))
}

/// The functions in a program whose values are unknowns here once all that is known of them is
/// written out: not every equation between them is seen.
pub fn opaque_functions(program: &Program) -> Vec<&'static str> {
    let denominator = common_denominator(&[program], MAX_DENOMINATOR);
    let program = written_out(program, denominator);
    let names = live_statements(&program)
        .into_iter()
        .filter_map(|s| match s {
            Statement::Let(_, Operation::Call(f, _)) => match f {
                Function::Asin
                | Function::Acos
                | Function::Atan
                | Function::Atan2
                | Function::Log => Some(f.name()),
                _ => None,
            },
            Statement::Let(_, Operation::Power(..)) => Some("^"),
            _ => None,
        });
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The statements that results depend on.
fn live_statements(program: &Program) -> Vec<&Statement> {
    let outputs = program.outputs.iter().flat_map(|output| &output.slots);
    let mut needed: FxHashSet<u32> = outputs.copied().collect();
    let mut live = Vec::new();
    for statement in program.statements.iter().rev() {
        let (targets, read): (Vec<u32>, Vec<u32>) = match statement {
            Statement::Let(slot, operation) => (vec![*slot], operation.arguments()),
            Statement::Solve(solve) => {
                let count = u32::try_from(solve.size * solve.columns).unwrap_or(u32::MAX);
                let targets = solve.unknowns..solve.unknowns.saturating_add(count);
                let read = solve.matrix.iter().chain(&solve.right).copied();
                (targets.collect(), read.collect())
            }
        };
        if targets.iter().any(|slot| needed.contains(slot)) {
            needed.extend(read);
            live.push(statement);
        }
    }
    live
}

/// Decides questions about programs whose inputs are the symbols of the locus, all at common
/// points.
///
/// # Errors
/// A step of the locus that speaks of something that is not one of its symbols.
pub fn decide(
    locus: &Locus<'_>,
    programs: &[Program],
    questions: &[Question],
) -> Result<Vec<Finding>, Unbound> {
    match put_in(locus, programs) {
        Some((locus, programs)) => decide_in_pieces(&locus, &programs, questions),
        None => decide_in_pieces(locus, programs, questions),
    }
}

/// What cannot be decided on all components at once is decided on those of each factor of the rows.
fn decide_in_pieces(
    locus: &Locus<'_>,
    programs: &[Program],
    questions: &[Question],
) -> Result<Vec<Finding>, Unbound> {
    let mut findings = decide_whole(locus, programs, questions, EXPONENT)?;
    let (open, questions) = open(questions, &findings);
    let pieces = match open.is_empty() {
        true => None,
        false => pieces(locus),
    };
    let Some(pieces) = pieces else {
        return Ok(findings);
    };
    // Of the chance of an error, each piece has its part.
    let exponent = EXPONENT + log2(pieces.len());
    let mut of_pieces: Vec<Vec<Finding>> = Vec::new();
    for piece in &pieces {
        let found = decide_whole(piece, programs, &questions, exponent)?;
        if found
            .iter()
            .all(|finding| matches!(finding, Finding::Open(_)))
        {
            return Ok(findings);
        }
        of_pieces.push(found);
    }
    for (place, index) in open.into_iter().enumerate() {
        let parts: Vec<&Finding> = of_pieces.iter().map(|findings| &findings[place]).collect();
        if let Some(joint) = joined(&parts) {
            findings[index] = joint;
        }
    }
    Ok(findings)
}

/// As [`decide`], all components at once, with another chance of an error.
fn decide_whole(
    locus: &Locus<'_>,
    programs: &[Program],
    questions: &[Question],
    exponent: f64,
) -> Result<Vec<Finding>, Unbound> {
    let mut trial = Trial {
        exponent,
        ..Trial::new(locus, programs, questions)?
    };
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ locus.seed);
    for asked in trial.by_roots() {
        trial.turn_to(asked);
        for draw in 0..MAX_DRAWS {
            if trial.is_over(draw) {
                break;
            }
            trial.draw(draw, &mut random);
        }
    }
    Ok(trial.findings())
}

struct Trial<'q> {
    drawing: Drawing,
    programs: Vec<Program>,
    questions: &'q [Question],
    tallies: Vec<Tally>,
    /// The questions that points are drawn for now.
    asked: Vec<usize>,
    /// Of each program, what is under roots in symbols that are free.
    radicands: Vec<Vec<Radicand>>,
    /// The order of the roots of unity.
    m: u64,
    /// Roots and signs by program as last met; the last entry is that of the locus.
    used: Vec<Vec<RootId>>,
    /// Roots whose radicands are no squares.
    independent: FxHashSet<RootId>,
    cover: Cover,
    /// Whether sections are counted, and `log2` of the share of them that miss no component.
    sheets: Option<f64>,
    /// `log2` of the degree of what was reached by roots.
    norm: f64,
    weights: Option<Weights>,
    /// Wanted: a chance of an error below 2 to the minus this.
    exponent: f64,
}

/// How a question stands.
#[derive(Debug, Clone, Default)]
struct Tally {
    /// Points at which it held.
    points: usize,
    /// Draws in which it could have been met.
    draws: usize,
    failed: bool,
    /// More sections would be needed than are affordable.
    too_many: bool,
    bound: Option<Bound>,
}

struct Weights {
    /// Of each question's difference.
    differences: Vec<Weight>,
    calls: u128,
}

fn log2(x: usize) -> f64 {
    (x.max(1) as f64).log2()
}

/// `log2` of the share of sections that meet each component, inverted.
fn missed(parts: &Parts) -> f64 {
    match parts.is_one {
        true => 0.0,
        false => log2(parts.degree) + parts.branches as f64,
    }
}

/// The slots of a program that are positive in every question that reads it.
fn positive_slots(program: &Program, index: usize, questions: &[Question]) -> Vec<u32> {
    let slots: Vec<u32> = program
        .outputs
        .iter()
        .flat_map(|o| o.slots.clone())
        .collect();
    let of = |q: &Question| {
        let positive = q.positive.iter().filter(|r| r.program == index);
        positive
            .flat_map(|r| slots[r.range.clone()].to_vec())
            .collect::<Vec<u32>>()
    };
    let reads = |q: &&Question| {
        let results = [&q.left].into_iter().chain(&q.right).chain(&q.positive);
        results.into_iter().any(|r| r.program == index)
    };
    let mut common = questions.iter().filter(reads).map(of);
    let first = common.next().unwrap_or_default();
    common.fold(first, |first, other| {
        first
            .into_iter()
            .filter(|slot| other.contains(slot))
            .collect()
    })
}

impl<'q> Trial<'q> {
    fn new(
        locus: &Locus<'_>,
        programs: &[Program],
        questions: &'q [Question],
    ) -> Result<Self, Unbound> {
        let locus = &locus.seen_by(programs);
        let programs = programs.iter().map(|p| with_known_exponents(p, locus));
        let programs: Vec<_> = programs.collect();
        let all: Vec<&Program> = programs.iter().map(|p| &**p).collect();
        let (drawing, Base { denominator, m }) = Drawing::of(locus, &all)?;
        let programs: Vec<Program> = (0..)
            .zip(&programs)
            .map(|(i, p)| written_out_where(p, denominator, &positive_slots(p, i, questions)))
            .collect();
        let free = drawing.free();
        let radicands = programs.iter().map(|p| radicands_in(p, &free)).collect();
        let parts: Vec<&Parts> = drawing.parts().collect();
        let is_one = parts.iter().all(|parts| parts.is_one);
        let cover = Cover {
            is_one,
            degree: parts.iter().map(|parts| parts.degree).product(),
            sections: 0,
            pieces: 1,
            has_singular: parts.iter().any(|parts| parts.has_singular),
        };
        let sheets = (!is_one).then(|| parts.iter().map(|parts| missed(parts)).sum());
        let norm = parts.iter().map(|parts| log2(parts.degree)).sum();
        Ok(Self {
            cover,
            sheets,
            norm,
            drawing,
            used: vec![Vec::new(); programs.len() + 1],
            programs,
            questions,
            tallies: vec![Tally::default(); questions.len()],
            asked: Vec::new(),
            radicands,
            m,
            independent: FxHashSet::default(),
            weights: None,
            exponent: EXPONENT,
        })
    }

    /// Questions with the same roots together. Points where the roots of one exist may be a part only of
    /// those where another is to hold: `log x` is no reason to draw positive `x` for `atan2(y, x)`.
    fn by_roots(&self) -> Vec<Vec<usize>> {
        let free = self.drawing.free();
        let mut groups: Vec<(Vec<usize>, Vec<u64>)> = Vec::new();
        for question in 0..self.questions.len() {
            let key = match Radicands::of(self.radicands_of(question), &free).len() {
                0 => Vec::new(),
                _ => marks(self.radicands_of(question)),
            };
            match groups.iter_mut().find(|(_, roots)| *roots == key) {
                Some((asked, _)) => asked.push(question),
                None => groups.push((vec![question], key)),
            }
        }
        groups.into_iter().map(|(asked, _)| asked).collect()
    }

    fn radicands_of(&self, question: usize) -> impl Iterator<Item = &Radicand> {
        let read = (0..self.programs.len()).filter(move |i| self.reads(question, *i));
        read.flat_map(|i| &self.radicands[i])
    }

    /// Draws points for these questions from now on.
    fn turn_to(&mut self, asked: Vec<usize>) {
        let free = self.drawing.free();
        if let Some(first) = asked.first() {
            let read = (0..self.programs.len()).filter(|i| self.reads(*first, *i));
            let radicands: Vec<&Radicand> = read.flat_map(|i| &self.radicands[i]).collect();
            self.drawing.heed_these(radicands.into_iter(), &free);
        }
        // The roots of points have other numbers now.
        self.used.iter_mut().for_each(Vec::clear);
        self.independent
            .retain(|(program, _)| *program != OF_POINTS);
        self.asked = asked;
    }

    fn is_open(&self, question: usize) -> bool {
        let tally = &self.tallies[question];
        !tally.failed && !tally.too_many && tally.bound.is_none()
    }

    fn is_over(&self, draws: usize) -> bool {
        if self.sheets.is_some() && draws as f64 > self.most_sections() {
            return true;
        }
        let fruitless = |i: usize| draws >= MAX_FRUITLESS && self.tallies[i].points == 0;
        let mut asked = self.asked.iter();
        asked.all(|i| !self.is_open(*i) || fruitless(*i))
    }

    /// The points of one draw: runs what is still needed and compares.
    fn draw(&mut self, draw: usize, random: &mut Random) {
        let mut field = PrimeField::draw(random, self.m);
        field.enter(self.programs.len());
        let points = self.drawing.points(&mut field, draw % self.drawing.choices);
        self.note_failure(&field.roots);
        let Ok(points) = points else { return };
        self.note_roots(self.programs.len(), &field.roots);
        let asked = self.asked.iter().copied();
        let open: Vec<usize> = asked.filter(|q| self.is_open(*q)).collect();
        for index in &open {
            self.tallies[*index].draws += 1;
        }
        for point in &points {
            field.begin_point();
            self.meet(&mut field, point, &open);
        }
        for index in open {
            self.tallies[index].bound = self.bound(index);
        }
    }

    fn meet(&mut self, field: &mut PrimeField, point: &[u64], open: &[usize]) {
        let values: Vec<Option<Vec<u64>>> = (0..self.programs.len())
            .map(|i| {
                if !open.iter().any(|q| self.reads(*q, i)) {
                    return None;
                }
                field.enter(i);
                let values = results(&self.programs[i], field, point).ok();
                if values.is_some() {
                    self.note_roots(i, &field.roots);
                }
                values
            })
            .collect();
        self.note_failure(&field.roots);
        for index in open {
            self.compare(*index, field, &values);
        }
    }

    fn reads(&self, question: usize, program: usize) -> bool {
        let Question {
            left,
            right,
            positive,
        } = &self.questions[question];
        let others = right.iter().chain(positive);
        [left]
            .into_iter()
            .chain(others)
            .any(|r| r.program == program)
    }

    fn compare(&mut self, index: usize, field: &PrimeField, values: &[Option<Vec<u64>>]) {
        let question = &self.questions[index];
        let read = |r: &Results| Some(values[r.program].as_ref()?[r.range.clone()].to_vec());
        let Some(left) = read(&question.left) else {
            return;
        };
        let right = match &question.right {
            Some(right) => read(right),
            None => Some(vec![0; left.len()]),
        };
        let Some(right) = right else { return };
        if let Some(positive) = &question.positive {
            let signs = read(positive);
            if !signs.is_some_and(|signs| signs.iter().all(|x| field.f.is_square(*x))) {
                return;
            }
        }
        match left == right {
            true => self.tallies[index].points += 1,
            false => self.tallies[index].failed = true,
        }
    }

    fn note_failure(&mut self, roots: &Roots) {
        self.independent.extend(roots.failed);
        self.independent.extend(&roots.no_squares);
    }

    /// Notes what a program has met, unless an earlier failure has made the draw partial.
    fn note_roots(&mut self, program: usize, roots: &Roots) {
        if roots.failed.is_none() || self.used[program].is_empty() {
            self.used[program].clone_from(&roots.used);
        }
    }

    fn most_sections(&self) -> f64 {
        let degree = self.cover.degree as f64;
        MAX_SECTIONS.min(MAX_SECTION_WORK / degree.powi(3))
    }

    /// The bound at the present number of points, if it is good enough.
    fn bound(&mut self, index: usize) -> Option<Bound> {
        if self.tallies[index].failed || self.tallies[index].points == 0 {
            return None;
        }
        if self.weights.is_none() {
            self.weights = Some(self.weigh());
        }
        let weights = self.weights.as_ref()?;
        let weight = weights.differences[index];
        let Tally { points, draws, .. } = self.tallies[index];
        let roots = self.roots_of(index);
        let signs = roots
            .iter()
            .filter(|id| !self.independent.contains(id))
            .count();
        let conditions = self.questions[index]
            .positive
            .as_ref()
            .map_or(0, |r| r.range.len());
        let conditions = conditions + self.drawing.conditions();
        // The norm, and the condition that all roots exist: a factor 2 each for every root.
        let factor = 2.0 * roots.len() as f64 + 2.0 * self.norm + conditions as f64 + 1.0;
        let pairs = weights
            .calls
            .saturating_mul(weights.calls)
            .saturating_add(1);
        // That a root of a free symbol exists, its points are drawn for, whatever the prime.
        let sought = roots.iter().filter(|(program, _)| *program == OF_POINTS);
        let sought = (sought.count() as f64).exp2();
        let events = weight.degree.saturating_mul(pairs) as f64
            + weight.bits.saturating_add(16 * weights.calls) as f64 * self.m as f64 / sought;
        let chance = (events.max(1.0).log2() + factor - PRIME_BITS).exp2();
        // A section counts only if all roots exist and all conditions hold at what it meets.
        let (sheets, trials) = match self.sheets {
            Some(sheets) => (sheets + (roots.len() + conditions) as f64, draws),
            None => (0.0, points),
        };
        let patterns = (signs as f64 + sheets).exp2();
        if self.sheets.is_some() {
            let sections = self.exponent * patterns * std::f64::consts::LN_2;
            let hopeless = chance * patterns >= 0.5;
            self.tallies[index].too_many = hopeless || sections > self.most_sections();
        }
        let per_trial = 1.0 - 1.0 / patterns + chance;
        let exponent = trials as f64 * per_trial.log2();
        (chance * patterns < 0.5 && exponent <= -self.exponent).then_some(Bound {
            points,
            degree: weight.degree,
            exponent,
            cover: Cover {
                sections: self.sheets.map_or(0, |_| draws),
                ..self.cover
            },
        })
    }

    /// The roots whose branches a question depends on.
    fn roots_of(&self, index: usize) -> FxHashSet<RootId> {
        let mut roots: FxHashSet<RootId> = FxHashSet::default();
        for program in (0..self.programs.len()).filter(|i| self.reads(index, *i)) {
            roots.extend(&self.used[program]);
        }
        match self.sheets {
            // The branches of the set's own roots are counted among its sheets.
            Some(_) => roots.retain(|(program, _)| *program != self.programs.len()),
            None => roots.extend(self.used.last().into_iter().flatten()),
        }
        roots
    }

    /// Counts the degrees of all differences.
    fn weigh(&self) -> Weights {
        let all: Vec<&Program> = self
            .programs
            .iter()
            .chain(self.drawing.programs())
            .collect();
        let numbers = all.iter().flat_map(|p| &p.numbers);
        let common = numbers
            .map(Rational::denominator)
            .fold(num_bigint::BigInt::from(1), |lcm, d| lcm.lcm(&d));
        let mut degrees = Degrees::new(common.bits());
        let point = self.drawing.sizes(&mut degrees);
        let sized = |p: &Program, degrees: &mut Degrees| sizes(p, degrees, &point);
        let values: Vec<Vec<Size>> = self
            .programs
            .iter()
            .map(|p| sized(p, &mut degrees))
            .collect();
        let zero = degrees.polynomial(Weight::default());
        let difference = |question: &Question| {
            let left = &values[question.left.program][question.left.range.clone()];
            let right = question.right.as_ref();
            let right = right.map_or(&[][..], |r| &values[r.program][r.range.clone()]);
            let pairs = left.iter().enumerate();
            let weights = pairs.map(|(i, x)| degrees.difference(x, right.get(i).unwrap_or(&zero)));
            weights.fold(Weight::default(), Weight::max)
        };
        let differences = self.questions.iter().map(difference).collect();
        Weights {
            differences,
            calls: degrees.calls,
        }
    }

    fn findings(self) -> Vec<Finding> {
        let nowhere = self.drawing.error().unwrap_or(
            "no random point lies on the constraints and in the domain of every formula",
        );
        let finding = |tally: &Tally| match tally {
            Tally {
                failed: true,
                points,
                ..
            } if *points > 0 && self.sheets.is_some() => Finding::FailsAtSome,
            Tally { failed: true, .. } => Finding::Fails,
            Tally {
                bound: Some(bound), ..
            } => Finding::Holds(*bound),
            Tally { too_many: true, .. } => Finding::Open(format!(
                "the constraint set may have {} components or fewer, and a proof on each of them \
                 would take too long; a `where` that leaves one of them may help",
                self.cover.degree
            )),
            Tally { points: 0, .. } => Finding::Open(nowhere.to_owned()),
            Tally { points, .. } => Finding::Open(format!(
                "it holds at {points} random points, too few for its degree and its roots"
            )),
        };
        self.tallies.iter().map(finding).collect()
    }
}
