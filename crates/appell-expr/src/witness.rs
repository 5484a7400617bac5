//! Witnesses: points of a [`Locus`] near given numbers, enclosed, and values there.

use crate::field::opaque_functions;
use crate::field::{Bound, Finding, Locus, Question, Step, compile, decide};
use crate::graph::Ex;
use crate::matrix::Matrix;
use crate::num::Rational;
use crate::precise::{Ball, Balls, NoValue, Reduced, Rows, eliminated};
use crate::program::Program;
use crate::sketch::Unbound;

/// Newton's method doubles the digits each time: from four digits this is plenty.
const MAX_STEPS: usize = 40;
/// How often a point is enclosed anew before it is given up.
const ATTEMPTS: i64 = 3;

/// Bits of half of the digits that curvature may cost.
const TOUCHING: i64 = 16;
/// Steps of Newton's method from a quarter of the digits to all.
const SETTLING: usize = 4;

/// Digits of a witness.
const DIGITS: u32 = 20;
/// How many points are tried for a witness.
const TRIES: i64 = 24;
/// How many points something that was proved is held against.
const CONFIRMATIONS: i64 = 6;
/// The first precision, and the last to which it is doubled.
const BITS: [u64; 2] = [256, 4096];
/// How many points are tried with more than the first precision.
const CLOSER: i64 = 4;

/// The three answers to "is it identically zero?".
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Yes, but for a probability below `2^-64`.
    Proved(Bound),
    /// No, as these numbers show.
    Refuted(Counterexample),
    /// Neither could be shown.
    Undecided {
        /// What stood in the way.
        why: String,
    },
}

/// A point at which two sides of an equation differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Counterexample {
    /// Symbols and their values, 20 digits.
    pub at: Vec<(String, String)>,
    /// The two values, those of 20 digits that are certain.
    pub values: [String; 2],
}

/// Whether an expression vanishes wherever it is defined.
pub fn verdict(x: Ex<'_>) -> Verdict {
    let locus = Locus::new(x.symbols());
    let undecided = |why: String| Verdict::Undecided { why };
    let Ok(program) = compile(locus.symbols(), &[x]) else {
        return undecided("it speaks of nothing known".to_owned());
    };
    let question = Question::zeros(1);
    let found = decide(&locus, std::slice::from_ref(&program), &[question]);
    let why = match found.map(|mut found| found.pop()) {
        Ok(Some(Finding::Holds(bound))) => {
            let contradiction = counterexample(&locus, &program, BITS[0], CONFIRMATIONS);
            return contradiction.map_or(Verdict::Proved(bound), Verdict::Refuted);
        }
        Ok(Some(Finding::Open(why))) => why,
        _ => match opaque_functions(&program).as_slice() {
            [] => "no witness was found".to_owned(),
            names => format!("relations of {} are not known here", names.join(", ")),
        },
    };
    let mut precisions = vec![(BITS[0], TRIES)];
    while let Some((bits, _)) = precisions.last().filter(|(bits, _)| *bits < BITS[1]) {
        precisions.push((2 * bits, CLOSER));
    }
    let mut found = precisions
        .iter()
        .filter_map(|(bits, tries)| counterexample(&locus, &program, *bits, *tries));
    found
        .next()
        .map_or_else(|| undecided(why), Verdict::Refuted)
}

/// A point where the program's enclosed value is not 0.
fn counterexample(
    locus: &Locus<'_>,
    program: &Program,
    bits: u64,
    tries: i64,
) -> Option<Counterexample> {
    let mut balls = Balls::new(bits);
    let names = || locus.symbols().iter().filter_map(|s| s.symbol_name());
    (0..tries).find_map(|sample| {
        let at = |i: i64| Rational::new((2_237 * (sample + 1) * (i + 3)) % 4_001 - 1_300, 1_000);
        let count = i64::try_from(locus.symbols().len()).unwrap_or(0);
        let point: Vec<Ball> = (0..count).map(|i| Ball::rational(&at(i), bits)).collect();
        let value = balls.run(program, &point).ok()?.pop()?;
        value.excludes_zero().then(|| Counterexample {
            at: names()
                .zip(point.iter().map(|x| x.decimal(DIGITS)))
                .collect(),
            values: [value.decimal(DIGITS), "0".to_owned()],
        })
    })
}

/// A locus ready for Newton's method: its rows and their derivatives as programs.
#[derive(Debug, Clone)]
pub struct Approach {
    steps: Vec<Stage>,
}

#[derive(Debug, Clone)]
enum Stage {
    Set(Determined),
    On(RowsOf),
    Where(Program),
}

/// A determined symbol by its place, and the places of those that its value is made of: of thousands of parameters each
/// is made of a few.
#[derive(Debug, Clone)]
struct Determined {
    place: usize,
    read: Vec<usize>,
    value: Program,
}

/// `[J, -f]` of rows `f`, and the places of the unknowns.
#[derive(Debug, Clone)]
struct RowsOf {
    system: Program,
    unknowns: Vec<usize>,
}

/// Balls in which an exact point of a locus lies.
#[derive(Debug, Clone)]
pub struct Enclosed {
    /// The values of its symbols.
    pub point: Vec<Ball>,
    /// How many of the last rows are independent there, as far as the balls tell.
    pub rank: usize,
    /// Whether rows depend on others there, as far as the balls tell: the exact point satisfies the others,
    /// and these hold 0.
    pub dependent: bool,
}

impl<'g> Locus<'g> {
    /// Its rows and their derivatives as programs.
    ///
    /// # Errors
    /// An expression that speaks of something that is not a symbol of the locus.
    pub fn approach(&self) -> Result<Approach, Unbound> {
        let place = |s: Ex<'_>| {
            let found = self.symbols.iter().position(|x| x.id() == s.id());
            found.ok_or_else(|| Unbound(s.to_string()))
        };
        let mut steps = Vec::new();
        for step in &self.steps {
            steps.push(match step {
                Step::Set(symbol, value) => {
                    let read = value.symbols();
                    Stage::Set(Determined {
                        place: place(*symbol)?,
                        value: compile(&read, &[*value])?,
                        read: read.into_iter().map(place).collect::<Result<_, _>>()?,
                    })
                }
                Step::On(rows, unknowns, _) => {
                    let graph = unknowns.first().map_or(rows[0].graph(), |u| u.graph());
                    let residual = -&Matrix::column(graph, rows.clone());
                    let system = Matrix::jacobian(graph, rows, unknowns).beside(&residual);
                    let places = unknowns.iter().map(|u| place(*u));
                    Stage::On(RowsOf {
                        system: compile(&self.symbols, system.entries())?,
                        unknowns: places.collect::<Result<_, _>>()?,
                    })
                }
                Step::Where(zeros) => Stage::Where(compile(&self.symbols, zeros)?),
                // States of a motion are not looked for there: its chart is regular.
                Step::Off(_) => continue,
            });
        }
        Ok(Approach { steps })
    }
}

impl Approach {
    /// About how many products a search costs.
    pub fn work(&self) -> u64 {
        let of = |stage: &Stage| match stage {
            Stage::Set(symbol) => Balls::work(&symbol.value),
            Stage::Where(program) => Balls::work(program),
            Stage::On(rows) => {
                let (n, all) = (rows.unknowns.len(), rows.system.result_len());
                let elimination = all * n.min(all / (n + 1));
                8 * Balls::work(&rows.system) + u64::try_from(elimination).unwrap_or(u64::MAX)
            }
        };
        self.steps.iter().map(of).sum()
    }

    /// The point reached from a guess: determined symbols are computed, rows are solved by Newton's method
    /// for the unknowns that they depend on most, and what it reached is enclosed.
    ///
    /// # Errors
    /// A value that does not exist, no point nearby, or none that can be enclosed.
    pub fn near(&self, guess: &[Rational], balls: &mut Balls) -> Result<Enclosed, NoValue> {
        let bits = balls.bits();
        let exact = guess.iter().map(|x| Ball::rational(x, bits));
        self.from(exact.collect(), balls)
    }

    /// The same from an enclosed guess: unknowns that no row moves may be anything in their balls.
    ///
    /// # Errors
    /// As [`Approach::near`].
    pub fn from(&self, mut point: Vec<Ball>, balls: &mut Balls) -> Result<Enclosed, NoValue> {
        let (mut rank, mut dependent) = (0, false);
        for stage in &self.steps {
            match stage {
                Stage::Set(symbol) => {
                    let read: Vec<Ball> = symbol.read.iter().map(|i| point[*i].clone()).collect();
                    point[symbol.place] = balls.run(&symbol.value, &read)?.remove(0);
                }
                Stage::On(rows) => {
                    let (r, others) = rows.solve(&mut point, balls)?;
                    (rank, dependent) = (r, dependent || others);
                }
                Stage::Where(zeros) => {
                    let values = balls.run(zeros, &point)?;
                    if values.iter().any(Ball::excludes_zero) {
                        return Err(NoValue::Undefined);
                    }
                }
            }
        }
        Ok(Enclosed {
            point,
            rank,
            dependent,
        })
    }
}

/// One linear step of Newton's method: `[J, -f]` at a point, with rows and columns scaled by powers of 2.
struct Scaled {
    rows: Rows,
    columns: Vec<i64>,
    offsets: Vec<i64>,
}

impl Scaled {
    /// Entries times the sizes of their unknowns, in rows whose largest is about 1, so that units do not
    /// choose the pivots.
    fn new(rows: Rows, point: &[Ball], unknowns: &[usize]) -> Self {
        let sizes = unknowns.iter().map(|u| point[*u].magnitude());
        let least = sizes.clone().max().flatten().map_or(0, |size| size - 10);
        let columns: Vec<i64> = sizes.map(|size| size.unwrap_or(least).max(least)).collect();
        let offset = |row: &Vec<Ball>| {
            let sizes = row.iter().zip(&columns);
            let sizes = sizes.filter_map(|(x, c)| Some(x.magnitude()? + c));
            -sizes.max().unwrap_or(0)
        };
        Self {
            offsets: rows.iter().map(offset).collect(),
            rows,
            columns,
        }
    }

    /// The scaled entries of some rows and columns, with these right sides.
    fn part(&self, of: &Rows, pivots: &[(usize, usize)]) -> Rows {
        let n = self.columns.len();
        let row = |i: usize| {
            let left = pivots
                .iter()
                .map(move |(_, j)| of[i][*j].scaled(self.offsets[i] + self.columns[*j]));
            left.chain([self.rows[i][n].scaled(self.offsets[i])])
                .collect()
        };
        pivots.iter().map(|(i, _)| row(*i)).collect()
    }

    /// Independent rows, each with the unknown it is solved for.
    fn reduced(&self, bits: u64) -> Result<Reduced, NoValue> {
        let n = self.columns.len();
        let scaled = |(row, r): (&Vec<Ball>, &i64)| {
            let left = row[..n].iter().zip(&self.columns);
            let left = left.map(|(x, c)| x.scaled(r + c));
            left.chain([row[n].scaled(*r)]).collect()
        };
        let rows: Rows = self.rows.iter().zip(&self.offsets).map(scaled).collect();
        eliminated(rows, n, Some(-bits_third(bits)), bits)
    }
}

/// The rows without a pivot.
fn others(rows: &Rows, pivots: &[(usize, usize)]) -> impl Iterator<Item = usize> {
    (0..rows.len()).filter(|i| pivots.iter().all(|(row, _)| row != i))
}

fn bits_third(bits: u64) -> i64 {
    i64::try_from(bits / 3).unwrap_or(0)
}

impl RowsOf {
    fn values(&self, point: &[Ball], balls: &mut Balls) -> Result<Rows, NoValue> {
        let values = balls.run(&self.system, point)?;
        let chunks = values.chunks(self.unknowns.len() + 1);
        Ok(chunks.map(<[_]>::to_vec).collect())
    }

    /// Moves some unknowns on to the rows; how many are independent there, and whether others are not.
    fn solve(&self, point: &mut [Ball], balls: &mut Balls) -> Result<(usize, bool), NoValue> {
        let (n, bits) = (self.unknowns.len(), balls.bits());
        let mut failed = 0;
        for _ in 0..MAX_STEPS {
            let rows = self.values(point, balls)?;
            let solved = rows.iter().all(|row| row[n].is_zero());
            let scaled = Scaled::new(rows, point, &self.unknowns);
            let reduced = scaled.reduced(bits)?;
            if solved {
                return Ok((reduced.pivots.len(), false));
            }
            let steps: Vec<_> = reduced
                .steps()
                .map(|((i, j), step)| ((i, j), step.scaled(scaled.columns[j])))
                .collect();
            if steps.is_empty() {
                return Err(NoValue::Wide);
            }
            let fixed = |j: usize| point[self.unknowns[j]].midpoint();
            let moved: Vec<Ball> = steps.iter().map(|((_, j), _)| fixed(*j)).collect();
            for ((_, j), x) in steps.iter().map(|(pivot, _)| *pivot).zip(moved) {
                point[self.unknowns[j]] = x;
            }
            let largest = self
                .unknowns
                .iter()
                .filter_map(|u| point[*u].magnitude())
                .max();
            let bound = i64::try_from(bits).unwrap_or(0);
            let small = steps.iter().all(|((_, j), step)| {
                let magnitude = point[self.unknowns[*j]].magnitude();
                let floor = largest.map(|size| size - bound);
                let size = magnitude.max(floor).unwrap_or(0);
                !step.excludes_zero() || step.magnitude() <= Some(size - bound * 3 / 4)
            });
            if small {
                match self.enclose(point, &steps, balls) {
                    Err(_) if failed < ATTEMPTS => failed += 1,
                    enclosed => return Ok((steps.len(), enclosed?)),
                }
            }
            for ((_, j), step) in &steps {
                let place = self.unknowns[*j];
                point[place] = point[place].plus_exactly(step, bits);
            }
        }
        Err(NoValue::Wide)
    }

    /// Interval Newton: if `u - J(X)^-1 f(u)` lies in the box `X` about `u`, an exact solution of the pivots'
    /// rows lies in it, with the other unknowns as they are: `x -> u - M(x)^-1 f(u)` with the mean derivative `M`
    /// between `u` and `x` maps the box into itself.
    fn enclose(
        &self,
        point: &mut [Ball],
        steps: &[((usize, usize), Ball)],
        balls: &mut Balls,
    ) -> Result<bool, NoValue> {
        let bits = balls.bits();
        let pivots: Vec<(usize, usize)> = steps.iter().map(|(pivot, _)| *pivot).collect();
        let at_point = Scaled::new(self.values(point, balls)?, point, &self.unknowns);
        for attempt in 0..ATTEMPTS {
            let mut box_about = point.to_vec();
            for ((_, j), step) in steps {
                let place = self.unknowns[*j];
                box_about[place] = point[place].with_room(step, 1 + 4 * attempt, bits);
            }
            let over_box = self.values(&box_about, balls)?;
            let system = at_point.part(&over_box, &pivots);
            let reduced = eliminated(system, pivots.len(), None, bits)?;
            if reduced.pivots.len() < pivots.len() {
                return Err(NoValue::Wide);
            }
            let inner: Vec<(usize, Ball)> = reduced
                .steps()
                .map(|((_, c), step)| {
                    let (_, j) = pivots[c];
                    (self.unknowns[j], step.scaled(at_point.columns[j]))
                })
                .collect();
            let inside = inner
                .iter()
                .all(|(place, step)| box_about[*place].has_room(step));
            if inside {
                for (place, step) in inner {
                    point[place] = point[place].plus(&step, bits);
                }
                let others = self.others_hold(point, &pivots, balls)?;
                if others && self.touches(point, &pivots, balls).unwrap_or(true) {
                    self.widen(point, &pivots, balls)?;
                }
                return Ok(others);
            }
        }
        Err(NoValue::Wide)
    }

    /// Whether other rows touch those that were solved: they do not hold where the unknowns that these leave are others
    /// and the rest follows.
    fn touches(
        &self,
        point: &[Ball],
        pivots: &[(usize, usize)],
        balls: &mut Balls,
    ) -> Result<bool, NoValue> {
        let bits = balls.bits();
        let quarter = i64::try_from(bits / 4).unwrap_or(i64::MAX);
        let Some(largest) = self.largest(point) else {
            return Ok(false);
        };
        let is_pivot = |j: usize| pivots.iter().any(|(_, column)| *column == j);
        let mut beside = point.to_vec();
        for (j, u) in self
            .unknowns
            .iter()
            .enumerate()
            .filter(|(j, _)| !is_pivot(*j))
        {
            let uneven = Rational::new(7 + i64::try_from(j % 7).unwrap_or(0), 7);
            let far = Ball::rational(&uneven, bits).scaled(largest - quarter);
            beside[*u] = beside[*u].plus_exactly(&far, bits);
        }
        for _ in 0..SETTLING {
            let rows = self.values(&beside, balls)?;
            let scaled = Scaled::new(rows, &beside, &self.unknowns);
            let system = scaled.part(&scaled.rows, pivots);
            let reduced = eliminated(system, pivots.len(), None, bits)?;
            for ((_, c), step) in reduced.steps() {
                let (_, j) = pivots[c];
                let place = self.unknowns[j];
                beside[place] = beside[place].plus_exactly(&step.scaled(scaled.columns[j]), bits);
            }
        }
        let scaled = Scaled::new(self.values(&beside, balls)?, &beside, &self.unknowns);
        let gap = |i: usize| scaled.rows[i][self.unknowns.len()].scaled(scaled.offsets[i]);
        // Beside a row that is touched it is the square of how far; else rounding.
        let is_missed = |gap: Ball| gap.excludes_zero() && gap.magnitude() > Some(-3 * quarter);
        Ok(others(&scaled.rows, pivots).map(gap).any(is_missed))
    }

    fn largest(&self, point: &[Ball]) -> Option<i64> {
        let sizes = self.unknowns.iter().filter_map(|u| point[*u].magnitude());
        sizes.max()
    }

    /// Rows that touch hold to all digits where the point that satisfies all of them is known to half of the digits only.
    fn widen(
        &self,
        point: &mut [Ball],
        pivots: &[(usize, usize)],
        balls: &mut Balls,
    ) -> Result<(), NoValue> {
        let half = i64::try_from(balls.bits() / 2).unwrap_or(i64::MAX) - TOUCHING;
        let Some(largest) = self.largest(point) else {
            return Ok(());
        };
        let rows = self.values(point, balls)?;
        for (j, u) in self.unknowns.iter().enumerate() {
            if others(&rows, pivots).any(|i| !rows[i][j].is_zero()) {
                point[*u] = point[*u].widened_to(largest - half);
            }
        }
        Ok(())
    }

    /// Whether there are other rows that hold 0 without being exactly 0.
    fn others_hold(
        &self,
        point: &[Ball],
        pivots: &[(usize, usize)],
        balls: &mut Balls,
    ) -> Result<bool, NoValue> {
        let n = self.unknowns.len();
        let rows = self.values(point, balls)?;
        let gaps: Vec<&Ball> = others(&rows, pivots).map(|i| &rows[i][n]).collect();
        if gaps.iter().any(|gap| gap.excludes_zero()) {
            return Err(NoValue::Undefined);
        }
        Ok(gaps.iter().any(|gap| !gap.is_zero()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn a_point_of_a_sphere_and_a_plane() {
        let g = Graph::new();
        let (r, x, y, z) = (g.symbol("r"), g.symbol("x"), g.symbol("y"), g.symbol("z"));
        let mut locus = Locus::new(vec![r, x, y, z]);
        locus.set(r, g.int(3));
        let sphere = x.pow(2) + y.pow(2) + z.pow(2) - r.pow(2);
        let plane = x + y + z - 4;
        locus.on(vec![sphere, plane, 2 * plane], vec![x, y, z]);
        let approach = locus.approach().expect("it speaks of its symbols");
        let guess = [0, 1, 1, 3].map(Rational::from);
        let mut balls = Balls::new(256);
        let found = approach.near(&guess, &mut balls).expect("it is near");
        assert!(found.dependent);
        let rest = compile(&[r, x, y, z], &[r - 3, sphere, plane]).expect("of its symbols");
        let rest = balls.run(&rest, &found.point).expect("polynomials");
        assert!(rest.iter().all(|x| !x.excludes_zero() && x.error() < 1e-70));
    }

    #[test]
    fn no_point_where_there_is_none() {
        let g = Graph::new();
        let x = g.symbol("x");
        for row in [x.pow(2) + 1, x.pow(2), x.call(crate::Function::Exp)] {
            let mut locus = Locus::new(vec![x]);
            locus.on(vec![row], vec![x]);
            let approach = locus.approach().expect("it speaks of its symbols");
            let found = approach.near(&[Rational::from(1)], &mut Balls::new(256));
            assert!(found.is_err(), "{row}");
        }
    }
}
