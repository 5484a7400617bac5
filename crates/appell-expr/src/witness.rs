//! Witnesses: points of a [`Locus`] to 70 digits, near given numbers, and values there.

use crate::field::opaque_functions;
use crate::field::{Bound, Finding, Locus, Question, Results, Step, compile, decide};
use crate::graph::Ex;
use crate::matrix::Matrix;
use crate::num::Rational;
use crate::precise::{Precise, Undefined, eliminated};

/// Newton's method doubles the digits each time: from four digits this is plenty.
const MAX_STEPS: usize = 40;
/// Rows count as satisfied below `2^-SOLVED`.
const SOLVED: i64 = 200;

/// Numbers differ if they do by more than `2^-DIFFERENT` of their size.
const DIFFERENT: i64 = 100;
/// Digits of a witness.
const DIGITS: u32 = 20;
/// How many points are tried for a witness.
const TRIES: i64 = 24;

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
    /// The two values, 20 digits.
    pub values: [String; 2],
}

/// Whether an expression vanishes wherever it is defined.
pub fn verdict(x: Ex<'_>) -> Verdict {
    let locus = Locus::new(x.symbols());
    let undecided = |why: String| Verdict::Undecided { why };
    let Ok(program) = compile(locus.symbols(), &[x]) else {
        return undecided("it speaks of nothing known".to_owned());
    };
    let question = Question {
        left: Results {
            program: 0,
            range: 0..1,
        },
        right: None,
        positive: None,
    };
    let found = decide(&locus, std::slice::from_ref(&program), &[question]);
    let why = match found.map(|mut found| found.pop()) {
        Ok(Some(Finding::Holds(bound))) => return Verdict::Proved(bound),
        Ok(Some(Finding::Open(why))) => why,
        _ => match opaque_functions(&program).as_slice() {
            [] => "no witness was found".to_owned(),
            names => format!("relations of {} are not known here", names.join(", ")),
        },
    };
    let names = || locus.symbols().iter().filter_map(|s| s.symbol_name());
    for sample in 0..TRIES {
        let at = |i: i64| Rational::new((2_237 * (sample + 1) * (i + 3)) % 4_001 - 1_300, 1_000);
        let count = i64::try_from(locus.symbols().len()).unwrap_or(0);
        let point: Vec<Precise> = (0..count).map(|i| Precise::from(&at(i))).collect();
        let value = Precise::run(&program, &point).map(|mut values| values.pop());
        if let Ok(Some(value)) = value
            && value.differs_from(&Precise::zero())
        {
            let digits = point.iter().map(|x| x.decimal(DIGITS));
            return Verdict::Refuted(Counterexample {
                at: names().zip(digits).collect(),
                values: [value.decimal(DIGITS), Precise::zero().decimal(DIGITS)],
            });
        }
    }
    undecided(why)
}

impl Precise {
    /// Whether two numbers differ by more than rounding errors can explain.
    pub fn differs_from(&self, other: &Self) -> bool {
        let size = [self, other].map(|x| x.magnitude().unwrap_or(0).max(0));
        !(self - other).is_below(DIFFERENT - size[0].max(size[1]))
    }
}

impl Locus<'_> {
    /// The point reached from a guess: determined symbols are computed, rows are solved by
    /// Newton's method for the unknowns that they depend on most.
    ///
    /// # Errors
    /// A value that does not exist, or no point nearby.
    pub fn near(&self, guess: &[Precise]) -> Result<Vec<Precise>, Undefined> {
        let mut point = guess.to_vec();
        for step in &self.steps {
            match step {
                Step::Set(symbol, value) => {
                    let place = self.place(*symbol)?;
                    point[place] = self.values(&[*value], &point)?.remove(0);
                }
                Step::On(rows, unknowns, _) => self.solve(rows, unknowns, &mut point)?,
                Step::Where(zeros) => {
                    let values = self.values(zeros, &point)?;
                    if values.iter().any(|x| x.differs_from(&Precise::zero())) {
                        return Err(Undefined);
                    }
                }
            }
        }
        Ok(point)
    }

    fn place(&self, symbol: Ex<'_>) -> Result<usize, Undefined> {
        let found = self.symbols.iter().position(|s| s.id() == symbol.id());
        found.ok_or(Undefined)
    }

    fn values(&self, xs: &[Ex<'_>], point: &[Precise]) -> Result<Vec<Precise>, Undefined> {
        let program = compile(&self.symbols, xs).map_err(|_| Undefined)?;
        Precise::run(&program, point)
    }

    fn solve(
        &self,
        rows: &[Ex<'_>],
        unknowns: &[Ex<'_>],
        point: &mut [Precise],
    ) -> Result<(), Undefined> {
        let graph = rows[0].graph();
        let same = |xs: &[Ex<'_>]| xs.iter().map(|x| graph.ex(x.id())).collect::<Vec<_>>();
        let (rows, unknowns) = (same(rows), same(unknowns));
        let residual = -&Matrix::column(graph, rows.clone());
        let system = Matrix::jacobian(graph, &rows, &unknowns).beside(&residual);
        let program = compile(&self.symbols, system.entries()).map_err(|_| Undefined)?;
        let places = unknowns.iter().map(|u| self.place(*u));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let n = unknowns.len();
        for _ in 0..MAX_STEPS {
            let values = Precise::run(&program, point)?;
            let system: Vec<Vec<Precise>> = values.chunks(n + 1).map(<[_]>::to_vec).collect();
            if system.iter().all(|row| row[n].is_below(SOLVED)) {
                return Ok(());
            }
            let (reduced, pivots) = eliminated(system, n)?;
            for (row, column) in pivots {
                let place = places[column];
                point[place] = &point[place] + &reduced[row][n];
            }
        }
        Err(Undefined)
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
        let guess: Vec<Precise> = [0, 1, 1, 3].map(Precise::from).to_vec();
        let point = locus.near(&guess).expect("it is near");
        assert_eq!(point[0], Precise::from(3));
        let rest = locus.values(&[sphere, plane], &point).expect("polynomials");
        assert!(rest.iter().all(|x| x.is_below(SOLVED)));
    }

    #[test]
    fn no_point_where_there_is_none() {
        let g = Graph::new();
        let x = g.symbol("x");
        let mut locus = Locus::new(vec![x]);
        locus.on(vec![x.pow(2) + 1], vec![x]);
        assert_eq!(locus.near(&[Precise::from(1)]), Err(Undefined));
    }
}
