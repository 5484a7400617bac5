//! Values at random points of a surface, all modulo one prime, and the linear relations between them.

use super::angles::written_out;
use super::arithmetic::{Modulus, Random};
use super::linear::eliminate;
use super::locus::{Base, Drawing, Locus, SettledFor, results};
use super::prime::{FunctionValues, PrimeField};
use crate::num::Rational;
use crate::program::Program;
use crate::sketch::Unbound;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// So many draws for each point that is wanted before giving up.
const DRAWS_PER_POINT: usize = 60;
/// Draws without any point before giving up: the prime may not admit what all points need.
const FRUITLESS: usize = 64;
/// Numerators times denominators that are believed to be found, not met by chance; less where many
/// units are tried.
const BELIEVED: i128 = 1 << 44;
const BELIEVED_OF_MANY: i128 = 1 << 26;

/// The values of an expression at all points of some [`Samples`].
pub type Column = Vec<u64>;

/// A linear relation: places of columns and their factors, the last factor 1.
pub type LinearRelation = Vec<(usize, u64)>;

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SampleSource {
    /// Another number, another prime.
    pub seed: u64,
    /// Whether a function of constants, as `sin(alpha)`, has the same value at all points; if not,
    /// nothing is known of it.
    pub keep_functions: bool,
}

/// Sets and sources of which the points are kept.
const MOST_KEPT: usize = 16;

/// Points by what they depend on: many families of candidates are looked at on one set, whose sections are costly.
type KeptPoints = FxHashMap<(SettledFor, SampleSource), DrawnPoints>;

/// The points of one draw after the other in one field.
struct DrawnPoints {
    field: PrimeField,
    keep_functions: bool,
    /// With the values of functions there, where they are not the same at all points; `None` for an unlucky draw.
    draws: Vec<Option<(Vec<u64>, FunctionValues)>>,
}

impl DrawnPoints {
    fn new(from: SampleSource, base: Base) -> Self {
        let mut random = Random(0x5851_f42d_4c95_7f2d ^ from.seed);
        Self {
            field: PrimeField::draw(&mut random, base.m),
            keep_functions: from.keep_functions,
            draws: Vec::new(),
        }
    }

    /// The point of the draw of this number, where the field is ready for a program.
    fn point(&mut self, drawing: &Drawing, draw: usize) -> Option<Vec<u64>> {
        self.field.begin_again(self.keep_functions);
        if let Some(known) = self.draws.get(draw) {
            let (point, functions) = known.clone()?;
            if !self.keep_functions {
                self.field.functions = functions;
            }
            return Some(point);
        }
        let point = drawing.point(&mut self.field, draw % drawing.choices).ok();
        self.draws.push(point.clone().map(|point| {
            let functions = match self.keep_functions {
                true => FunctionValues::default(),
                false => self.field.functions.clone(),
            };
            (point, functions)
        }));
        point
    }
}

/// The results of a program at random points of a locus, modulo one random prime.
///
/// What is linear between columns here at more points than there are columns is linear
/// everywhere, but for a probability of the order degree/2^60: a way of finding relations, not of
/// proving them, which is done by [`super::decide`].
#[derive(Debug)]
pub struct Samples {
    f: Modulus,
    points: Vec<Vec<u64>>,
}

impl Samples {
    /// As many points as wanted; fewer if the locus has hardly any, or once `stop` says so.
    ///
    /// # Errors
    /// A step of the locus that speaks of something that is not one of its symbols.
    pub fn draw(
        locus: &Locus<'_>,
        program: &Program,
        (wanted, from): (usize, SampleSource),
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, Unbound> {
        let (mut drawing, base) = Drawing::of(locus, &[program])?;
        let program = written_out(program, base.denominator);
        // Where the free symbols are drawn for the roots of this program, the points serve no other one.
        let common = drawing.heed(&program) == 0;
        let graph = locus.symbols.first().map(|symbol| symbol.graph());
        let graph = graph.filter(|_| common);
        let key = || (SettledFor::of(locus, base), from);
        let kept = graph.and_then(|graph| graph.kept(|all: &mut KeptPoints| all.remove(&key())));
        let mut drawn = kept.unwrap_or_else(|| DrawnPoints::new(from, base));
        let mut points = Vec::new();
        for draw in 0..DRAWS_PER_POINT * wanted {
            let fruitless = points.is_empty() && draw >= FRUITLESS;
            if points.len() == wanted || fruitless || stop() {
                break;
            }
            if let Some(point) = drawn.point(&drawing, draw) {
                points.extend(results(&program, &mut drawn.field, &point));
            }
        }
        let f = drawn.field.f;
        if let Some(graph) = graph {
            graph.kept(|all: &mut KeptPoints| {
                if all.len() >= MOST_KEPT {
                    all.clear();
                }
                all.insert(key(), drawn);
            });
        }
        Ok(Self { f, points })
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The column of ones.
    pub fn ones(&self) -> Column {
        vec![1; self.len()]
    }

    /// The values of one result of the program.
    pub fn column(&self, place: usize) -> Column {
        self.points.iter().map(|point| point[place]).collect()
    }

    /// The sum of two columns.
    pub fn sum(&self, x: &[u64], y: &[u64]) -> Column {
        let pairs = x.iter().zip(y);
        pairs.map(|(x, y)| self.f.plus(*x, *y)).collect()
    }

    /// The product of two columns.
    pub fn product(&self, x: &[u64], y: &[u64]) -> Column {
        let pairs = x.iter().zip(y);
        pairs.map(|(x, y)| self.f.times(*x, *y)).collect()
    }

    /// The columns that are no linear combination of those before them.
    pub fn independent(&self, columns: &[Column]) -> Vec<usize> {
        let pivots = self.reduced(columns).1;
        pivots.into_iter().map(|(_, column)| column).collect()
    }

    /// A basis of `Sum c_k column_k = 0`: each relation ends in a column of its own, and has only
    /// columns before it that are in no other relation's end.
    pub fn relations(&self, columns: &[Column]) -> Vec<LinearRelation> {
        let (rows, pivots) = self.reduced(columns);
        let mut is_pivot = vec![false; columns.len()];
        for (_, column) in &pivots {
            is_pivot[*column] = true;
        }
        let ends = (0..columns.len()).filter(|column| !is_pivot[*column]);
        let relation = |end: usize| {
            let factors = pivots
                .iter()
                .map(|(row, column)| (*column, self.f.negate(rows[*row][end])))
                .filter(|(_, factor)| *factor != 0);
            factors.chain([(end, 1)]).collect()
        };
        ends.map(relation).collect()
    }

    /// The vectors of this width, results of the program one after the other, that are no linear
    /// combination of those before them at the first point.
    pub fn independent_vectors(&self, results: Range<usize>, width: usize) -> Vec<usize> {
        let Some(point) = self.points.first().filter(|_| width > 0) else {
            return Vec::new();
        };
        let vectors: Vec<&[u64]> = point[results].chunks(width).collect();
        let mut rows: Vec<Vec<u64>> = (0..width)
            .map(|i| vectors.iter().map(|vector| vector[i]).collect())
            .collect();
        let order: Vec<usize> = (0..vectors.len()).collect();
        let pivots = eliminate(self.f, &mut rows, &order);
        pivots.into_iter().map(|(_, column)| column).collect()
    }

    /// The rational number with this residue, if there is one with few digits.
    pub fn rational(&self, residue: u64) -> Option<Rational> {
        self.lift(residue, BELIEVED)
    }

    /// The first of these units of which the residue is a multiple by such a rational number.
    pub fn multiple(&self, residue: u64, units: &[u64]) -> Option<(Rational, usize)> {
        let ratio = |unit: &u64| Some(self.f.times(residue, self.f.inverse(*unit)?));
        let mut units = units.iter().enumerate();
        units.find_map(|(i, unit)| Some((self.lift(ratio(unit)?, BELIEVED_OF_MANY)?, i)))
    }

    /// `Prod x_i ^ e_i`; `None` for a pole.
    pub fn power_product(&self, factors: &[u64], exponents: &[i64]) -> Option<u64> {
        let mut pairs = factors.iter().zip(exponents);
        pairs.try_fold(1, |product, (x, e)| {
            let power = self.f.power(*x, e.unsigned_abs());
            let power = if *e < 0 {
                self.f.inverse(power)?
            } else {
                power
            };
            Some(self.f.times(product, power))
        })
    }

    fn lift(&self, residue: u64, believed: i128) -> Option<Rational> {
        let bound = i128::from(self.f.p).isqrt();
        let (mut r, mut s) = ((i128::from(self.f.p), i128::from(residue)), (0i128, 1i128));
        while s.1 != 0 && r.1 > bound {
            let quotient = r.0 / r.1;
            r = (r.1, r.0 - quotient * r.1);
            s = (s.1, s.0 - quotient * s.1);
        }
        let small = r.1 * s.1.abs() < believed && s.1 != 0;
        let (numerator, denominator) = (i64::try_from(r.1), i64::try_from(s.1));
        match (numerator, denominator) {
            (Ok(numerator), Ok(denominator)) if small => {
                Some(Rational::new(numerator, denominator))
            }
            _ => None,
        }
    }

    /// The reduced row echelon form, and its pivots as `(row, column)`.
    fn reduced(&self, columns: &[Column]) -> (Vec<Vec<u64>>, Vec<(usize, usize)>) {
        let mut rows: Vec<Vec<u64>> = (0..self.len())
            .map(|i| columns.iter().map(|column| column[i]).collect())
            .collect();
        let order: Vec<usize> = (0..columns.len()).collect();
        let pivots = eliminate(self.f, &mut rows, &order);
        (rows, pivots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::locus::compile;
    use crate::graph::Graph;

    #[test]
    fn relations_on_a_surface_are_found_with_rational_factors() {
        let g = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| g.symbol(name));
        let mut locus = Locus::new(vec![x, y, z]);
        locus.on(vec![3 * z - x * y], vec![z]);
        let values = [g.one(), x, y, z, x * y, x.sin().pow(2), x.cos().pow(2)];
        let program = compile(locus.symbols(), &values).expect("closed");
        let samples = Samples::draw(&locus, &program, (12, SampleSource::default()), &|| false)
            .expect("closed");
        assert_eq!(samples.len(), 12);
        let columns: Vec<Column> = (0..values.len()).map(|i| samples.column(i)).collect();
        assert_eq!(samples.independent(&columns), [0, 1, 2, 3, 5]);
        let relations: Vec<Vec<(usize, Rational)>> = samples
            .relations(&columns)
            .iter()
            .map(|relation| {
                let lifted = relation.iter();
                let lifted = lifted.map(|(i, c)| (*i, samples.rational(*c).expect("small")));
                lifted.collect()
            })
            .collect();
        let n = |x: i64| Rational::from(x);
        let product = vec![(3, n(-3)), (4, n(1))];
        let circle = vec![(0, n(-1)), (5, n(1)), (6, n(1))];
        assert_eq!(relations, [product, circle]);
    }

    #[test]
    fn residues_are_lifted_if_they_are_small() {
        let g = Graph::new();
        let x = g.symbol("x");
        let locus = Locus::new(vec![x]);
        let values = [
            g.number(Rational::new(-355, 113)),
            g.zero(),
            x,
            x + x.pow(2),
        ];
        let program = compile(locus.symbols(), &values).expect("closed");
        let samples = Samples::draw(&locus, &program, (1, SampleSource::default()), &|| false)
            .expect("closed");
        let lifted = |i: usize| samples.rational(samples.column(i)[0]);
        assert_eq!(lifted(0), Some(Rational::new(-355, 113)));
        assert_eq!(lifted(1), Some(Rational::zero()));
        assert_eq!(lifted(2), None, "a random number");
        let at = samples.column(2)[0];
        let cube = samples.power_product(&[at], &[-3]).expect("not zero");
        let multiple = samples.product(&[cube], &samples.column(0))[0];
        let found = samples.multiple(multiple, &[1, at, cube]);
        assert_eq!(found, Some((Rational::new(-355, 113), 2)));
        assert_eq!(samples.independent_vectors(0..4, 2), [0, 1]);
        assert_eq!(samples.independent_vectors(1..3, 1), [1]);
        let none = Samples::draw(&locus, &program, (5, SampleSource::default()), &|| true)
            .expect("closed");
        assert!(none.is_empty());
    }
}
