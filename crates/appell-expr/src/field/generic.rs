//! Matrices at generic points: their rank, and the constant relations between their columns.
//!
//! A rank met at one point of one prime field is a lower bound of the generic rank without any
//! doubt; that it is no larger is an identity between minors, decided like every other.

use super::angles::written_out;
use super::arithmetic::{Modulus, Random};
use super::ideal::has_no_solution;
use super::identity::{Finding, Question, decide};
use super::linear::eliminate;
use super::locus::{Base, Drawing, Locus, compile, results};
use super::prime::PrimeField;
use super::section::{Stuck, System, Value};
use super::sparse::Sparse;
use crate::graph::{Ex, Node};
use crate::matrix::Matrix;
use crate::num::Rational;
use crate::program::Program;
use crate::program::SolveKind;
use crate::sketch::{Sketch, Unbound};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// Points at which a rank is looked at.
const RANK_POINTS: usize = 3;
/// The same where the locus has several components, of which a draw meets one.
const RANK_POINTS_OF_SEVERAL: usize = 16;
/// Draws for each point that is wanted.
const DRAWS: usize = 60;
/// Points beyond the number of unknowns in a search for relations.
const SPARE: usize = 4;
/// Numerators and denominators of relations are smaller.
const MAX_COEFFICIENT: u64 = 1 << 24;

/// The rank of a matrix at a generic point of a locus.
#[derive(Debug, Clone, PartialEq)]
pub struct GenericRank {
    /// The rank: certainly no smaller.
    pub rank: usize,
    /// Independent rows, as many.
    pub rows: Vec<usize>,
    /// Columns on which these rows are regular.
    pub columns: Vec<usize>,
}

/// Values of expressions at random points of a locus, one prime field at a time.
struct Sampler {
    drawing: Drawing,
    program: Program,
    m: u64,
    random: Random,
    draws: usize,
}

impl Sampler {
    fn new(locus: &Locus<'_>, values: &[Ex<'_>]) -> Result<Self, Unbound> {
        let program = compile(locus.symbols(), values)?;
        let locus = locus.seen_by([&program]);
        let (mut drawing, Base { denominator, m }) = Drawing::of(&locus, &[&program])?;
        let program = written_out(&program, denominator);
        drawing.heed(&program);
        Ok(Self {
            program,
            drawing,
            m,
            random: Random(0x51ed_270b_8d4a_3c19 ^ locus.seed),
            draws: 0,
        })
    }

    fn field(&mut self) -> PrimeField {
        PrimeField::draw(&mut self.random, self.m)
    }

    /// The values at one point of this field, if the draw is lucky.
    fn values(&mut self, field: &mut PrimeField) -> Option<Vec<u64>> {
        self.draws += 1;
        field.enter(1);
        let choice = self.draws % self.drawing.choices;
        let point = self.drawing.point(field, choice).ok()?;
        field.enter(0);
        results(&self.program, field, &point).ok()
    }

    /// The values at one point of a new field.
    fn elsewhere(&mut self) -> Option<(Modulus, Vec<u64>)> {
        let (f, values) = self.point_elsewhere()?;
        Some((f, values?))
    }

    /// A point of a new field, if the draw is lucky, and the values there if there are any.
    fn point_elsewhere(&mut self) -> Option<(Modulus, Option<Vec<u64>>)> {
        self.draws += 1;
        let (mut field, point) = self.drawing.drawn(self.draws, self.m, &mut self.random);
        field.enter(0);
        let values = results(&self.program, &mut field, &point?);
        Some((field.f, values.ok()))
    }

    /// Whether the expressions have no common zero where the inputs at these places are free; `None` if that was not found
    /// in one more field.
    fn has_no_zero(&mut self, free: &[usize]) -> Option<bool> {
        self.draws += 1;
        let (mut field, point) = self.drawing.drawn(self.draws, self.m, &mut self.random);
        field.enter(0);
        let mut inputs: Vec<Value> = point?.into_iter().map(Value::Number).collect();
        for (unknown, place) in free.iter().enumerate() {
            inputs[*place] = Value::of(Sparse::unknown(unknown));
        }
        match System::new(&mut field, &self.program, inputs, free.len()) {
            Ok(system) => Some(has_no_solution(field.f, &system.equations()).unwrap_or(false)),
            Err(Stuck::InadmissibleDraw) => None,
            Err(Stuck::TooLarge | Stuck::Infinite) => Some(false),
        }
    }
}

/// The rank at generic points of the locus, with the rows and columns that show it; earlier
/// columns in `preference` are taken first. `None` where no point was found.
pub fn generic_rank(
    locus: &Locus<'_>,
    matrix: &Matrix<'_>,
    preference: &[usize],
) -> Option<GenericRank> {
    let (height, width) = (matrix.rows(), matrix.columns());
    let mut best = GenericRank {
        rank: 0,
        rows: Vec::new(),
        columns: Vec::new(),
    };
    if height == 0 || width == 0 {
        return Some(best);
    }
    let mut sampler = Sampler::new(locus, matrix.entries()).ok()?;
    let wanted = match sampler.drawing.parts().all(|parts| parts.is_one) {
        true => RANK_POINTS,
        false => RANK_POINTS_OF_SEVERAL,
    };
    let mut points = 0;
    for _ in 0..RANK_POINTS * DRAWS {
        let Some((f, values)) = sampler.elsewhere() else {
            continue;
        };
        points += 1;
        let mut lines: Vec<Vec<u64>> = values.chunks(width).map(<[u64]>::to_vec).collect();
        let across: Vec<Vec<u64>> = (0..width)
            .map(|j| lines.iter().map(|line| line[j]).collect())
            .collect();
        let pivots = eliminate(f, &mut lines, preference);
        if points == 1 || pivots.len() > best.rank {
            best.rank = pivots.len();
            best.columns = pivots.iter().map(|(_, column)| *column).collect();
            let mut across = across;
            let order: Vec<usize> = (0..height).collect();
            let rows = eliminate(f, &mut across, &order);
            best.rows = rows.iter().map(|(_, row)| *row).collect();
        }
        if points >= wanted || best.rank == height.min(width) {
            break;
        }
    }
    (points > 0).then_some(best)
}

/// Whether a matrix has a value and this rank at each of so many points of the locus, as where all its components are
/// alike.
pub fn has_one_rank(locus: &Locus<'_>, matrix: &Matrix<'_>, rank: usize, wanted: usize) -> bool {
    let width = matrix.columns();
    if width == 0 || matrix.rows() == 0 {
        return true;
    }
    let Ok(mut sampler) = Sampler::new(locus, matrix.entries()) else {
        return false;
    };
    let order: Vec<usize> = (0..width).collect();
    let mut points = 0;
    for _ in 0..wanted * DRAWS {
        let Some((f, values)) = sampler.point_elsewhere() else {
            continue;
        };
        let Some(values) = values else {
            return false;
        };
        let mut lines: Vec<Vec<u64>> = values.chunks(width).map(<[u64]>::to_vec).collect();
        if eliminate(f, &mut lines, &order).len() != rank {
            return false;
        }
        points += 1;
        if points == wanted {
            break;
        }
    }
    points > 0
}

/// Whether the rank on the locus is nowhere above one that was met: proved with a bound, or not.
///
/// With `A = [P, Q; R, S]`, `P` the regular part, the rank is that of `P` where `S = R P^-1 Q`.
pub fn rank_is_exact(locus: &Locus<'_>, matrix: &Matrix<'_>, found: &GenericRank) -> Finding {
    let rest = |count: usize, taken: &[usize]| -> Vec<usize> {
        (0..count).filter(|i| !taken.contains(i)).collect()
    };
    let (rows, columns) = (
        rest(matrix.rows(), &found.rows),
        rest(matrix.columns(), &found.columns),
    );
    if rows.is_empty() || columns.is_empty() {
        return Finding::certain();
    }
    let part = |rows: &[usize], columns: &[usize]| matrix.select_rows(rows).select_columns(columns);
    let corner = part(&rows, &columns);
    let residual = if found.rank == 0 {
        corner
    } else {
        let graph = matrix.entries()[0].graph();
        let mut sketch = Sketch::new(graph);
        let (p, q) = (
            part(&found.rows, &found.columns),
            part(&found.rows, &columns),
        );
        let x = sketch.solve(SolveKind::General, "rank", &p, &q);
        let residual = &corner - &(&part(&rows, &found.columns) * &x);
        return vanishes_on(locus, sketch, &residual);
    };
    let graph = matrix.entries()[0].graph();
    vanishes_on(locus, Sketch::new(graph), &residual)
}

/// Of which rows each of the `sums` is a combination at generic points of the locus: of rows that depend
/// on each other the later ones. `None` where some sum is no combination, or no point was found.
///
/// That these rows are needed is certain; that they suffice is read from a few points and not proved.
pub fn combined_rows(
    locus: &Locus<'_>,
    rows: &Matrix<'_>,
    sums: &Matrix<'_>,
) -> Option<Vec<Vec<usize>>> {
    let (height, width) = (rows.rows(), rows.columns());
    let entries = [rows.entries(), sums.entries()].concat();
    let mut sampler = Sampler::new(locus, &entries).ok()?;
    let mut needed: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sums.rows()];
    let points = (0..RANK_POINTS * DRAWS).filter_map(|_| sampler.elsewhere());
    let mut met = 0;
    for (f, values) in points.take(RANK_POINTS) {
        met += 1;
        let given: Vec<&[u64]> = values.chunks(width.max(1)).collect();
        let mut lines: Vec<Vec<u64>> = (0..width)
            .map(|j| given.iter().map(|row| row[j]).collect())
            .collect();
        let order: Vec<usize> = (0..height).rev().collect();
        let pivots = eliminate(f, &mut lines, &order);
        let (solved, rest) = lines.split_at(pivots.len());
        if rest
            .iter()
            .any(|line| line[height..].iter().any(|x| *x != 0))
        {
            return None;
        }
        for (line, (_, row)) in solved.iter().zip(&pivots) {
            let of = line[height..].iter().zip(&mut needed);
            for (_, set) in of.filter(|(x, _)| **x != 0) {
                set.insert(*row);
            }
        }
    }
    let sorted = needed.into_iter().map(|set| set.into_iter().collect());
    (met > 0).then(|| sorted.collect())
}

/// Whether every entry vanishes on the locus.
pub fn vanish_on(locus: &Locus<'_>, zeros: &[Ex<'_>]) -> Finding {
    let Some(graph) = zeros.first().map(|x| x.graph()) else {
        return Finding::Open("nothing was asked".to_owned());
    };
    let zeros = zeros.iter().map(|x| graph.ex(x.id())).collect();
    vanishes_on(locus, Sketch::new(graph), &Matrix::column(graph, zeros))
}

fn vanishes_on<'g>(locus: &Locus<'_>, mut sketch: Sketch<'g>, zeros: &Matrix<'g>) -> Finding {
    let graph = sketch.graph();
    sketch.output("zeros", zeros.clone());
    let symbols: Vec<Ex<'g>> = locus.symbols().iter().map(|s| graph.ex(s.id())).collect();
    let open = |unbound: Unbound| Finding::Open(unbound.to_string());
    let program = match sketch.program(&symbols, &["zeros"]) {
        Ok(program) => program,
        Err(unbound) => return open(unbound),
    };
    let question = Question::zeros(zeros.entries().len());
    match decide(locus, &[program], &[question]) {
        Ok(mut findings) => findings.remove(0),
        Err(unbound) => open(unbound),
    }
}

/// Whether the expression is different from zero at some point of the locus: certain if `true`.
pub fn differs_on(locus: &Locus<'_>, xs: &[Ex<'_>]) -> Option<bool> {
    let mut sampler = Sampler::new(locus, xs).ok()?;
    let points = (0..RANK_POINTS * DRAWS).filter_map(|_| sampler.elsewhere());
    let mut points = points.take(RANK_POINTS).peekable();
    points.peek()?;
    Some(points.any(|(_, values)| values.iter().any(|x| *x != 0)))
}

/// Whether algebraic equations have no common zero in some unknowns, not even a complex one, beside generic values of the
/// other symbols of the locus: 1 is in the ideal of their numerators (Hilbert's Nullstellensatz). Wrong with a small
/// probability; `false` also where that was not found.
pub fn have_no_common_zero(locus: &Locus<'_>, rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> bool {
    let algebraic = |x: &Ex<'_>| {
        let graph = x.graph();
        let mut parts = graph.reachable(&[x.id()]).into_iter();
        parts.all(|id| !matches!(graph.node(id), Node::Call(..) | Node::Power(..)))
    };
    let symbols = locus.symbols().iter();
    let place = |unknown: &Ex<'_>| symbols.clone().position(|symbol| symbol == unknown);
    let places: Option<Vec<usize>> = unknowns.iter().map(place).collect();
    let Some(places) = places.filter(|_| rows.iter().all(algebraic)) else {
        return false;
    };
    let Ok(mut sampler) = Sampler::new(locus, rows) else {
        return false;
    };
    (0..DRAWS)
        .find_map(|_| sampler.has_no_zero(&places))
        .unwrap_or(false)
}

/// At how many of so many points of the locus some of the expressions are not zero, and at how
/// many all are.
pub fn tally_on(locus: &Locus<'_>, xs: &[Ex<'_>], wanted: usize) -> (usize, usize) {
    let Ok(mut sampler) = Sampler::new(locus, xs) else {
        return (0, 0);
    };
    let points = (0..wanted * DRAWS).filter_map(|_| sampler.elsewhere());
    points.take(wanted).fold((0, 0), |(other, zero), (_, x)| {
        if x.iter().all(|x| *x == 0) {
            (other, zero + 1)
        } else {
            (other + 1, zero)
        }
    })
}

/// At how many of so many points of the locus rows with these slopes `A` and second derivatives, one matrix for
/// each row, are curved, and at how many their second fundamental form vanishes: `x^T phi_vv y = 0` for all
/// `x`, `y` in `ker A`. Points at which `A` has not the largest rank that was met are left out.
pub fn tally_curved_on(
    locus: &Locus<'_>,
    slopes: &Matrix<'_>,
    bends: &[Matrix<'_>],
    wanted: usize,
) -> (usize, usize) {
    let n = slopes.columns();
    let mut entries = slopes.entries().to_vec();
    entries.extend(bends.iter().flat_map(|bend| bend.entries().to_vec()));
    let Ok(mut sampler) = Sampler::new(locus, &entries) else {
        return (0, 0);
    };
    let order: Vec<usize> = (0..n).collect();
    let look = |(f, values): (Modulus, Vec<u64>)| {
        let (slopes, bends) = values.split_at(slopes.entries().len());
        let mut lines: Vec<Vec<u64>> = slopes.chunks(n).map(<[u64]>::to_vec).collect();
        let pivots = eliminate(f, &mut lines, &order);
        let tangents = kernel(f, n, &lines, &pivots);
        let curved = bends.chunks(n * n).any(|bend| {
            let mut pairs = tangents
                .iter()
                .flat_map(|x| tangents.iter().map(move |y| (x, y)));
            pairs.any(|(x, y)| bilinear(f, bend, x, y) != 0)
        });
        (pivots.len(), curved)
    };
    let points = (0..wanted * DRAWS).filter_map(|_| sampler.elsewhere());
    let found: Vec<(usize, bool)> = points.take(wanted).map(look).collect();
    let most = found.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
    let regular = || found.iter().filter(|(rank, _)| *rank == most);
    let curved = regular().filter(|(_, curved)| *curved).count();
    (curved, regular().count() - curved)
}

/// A basis of the solutions of rows in echelon form with these pivots.
fn kernel(f: Modulus, n: usize, lines: &[Vec<u64>], pivots: &[(usize, usize)]) -> Vec<Vec<u64>> {
    let free = (0..n).filter(|j| pivots.iter().all(|(_, column)| column != j));
    let direction = |free: usize| {
        let mut x = vec![0; n];
        x[free] = 1;
        for (row, column) in pivots {
            x[*column] = f.negate(lines[*row][free]);
        }
        x
    };
    free.map(direction).collect()
}

/// `x^T B y`.
fn bilinear(f: Modulus, b: &[u64], x: &[u64], y: &[u64]) -> u64 {
    let dot = |row: &[u64]| {
        let products = row.iter().zip(y).map(|(b, y)| f.times(*b, *y));
        products.fold(0, |sum, term| f.plus(sum, term))
    };
    let terms = x.iter().zip(b.chunks(y.len()));
    terms.fold(0, |sum, (x, row)| f.plus(sum, f.times(*x, dot(row))))
}

/// The rational constants `c` with `Sum_j c_j column_j = 0` on the locus, as far as they are
/// small: a basis, each with a last column of its own with coefficient 1, earlier columns first.
///
/// They are read from one prime field and not proved.
pub fn relations(locus: &Locus<'_>, columns: &Matrix<'_>) -> Vec<Vec<Rational>> {
    let width = columns.columns();
    let Ok(mut sampler) = Sampler::new(locus, columns.entries()) else {
        return Vec::new();
    };
    for _ in 0..DRAWS {
        let mut field = sampler.field();
        let mut lines: Vec<Vec<u64>> = Vec::new();
        let wanted = (width + SPARE) * columns.rows();
        let mut missed = 0;
        while lines.len() < wanted && missed < DRAWS {
            match sampler.values(&mut field) {
                Some(values) => lines.extend(values.chunks(width.max(1)).map(<[u64]>::to_vec)),
                None => missed += 1,
            }
        }
        if lines.len() < wanted || wanted == 0 {
            continue;
        }
        let order: Vec<usize> = (0..width).collect();
        let pivots = eliminate(field.f, &mut lines, &order);
        return null_vectors(field.f, &lines, &pivots, width);
    }
    Vec::new()
}

fn null_vectors(
    f: Modulus,
    lines: &[Vec<u64>],
    pivots: &[(usize, usize)],
    width: usize,
) -> Vec<Vec<Rational>> {
    let is_free = |j: &usize| pivots.iter().all(|(_, column)| column != j);
    let vector = |j: usize| -> Option<Vec<Rational>> {
        let mut vector = vec![Rational::zero(); width];
        vector[j] = Rational::one();
        for (row, column) in pivots {
            vector[*column] = small_fraction(f, f.negate(lines[*row][j]))?;
        }
        Some(vector)
    };
    (0..width).filter(is_free).filter_map(vector).collect()
}

/// The fraction `n/d` with small `n` and `d` that has this image, by continued fractions.
fn small_fraction(f: Modulus, x: u64) -> Option<Rational> {
    let (mut r, mut next) = (i128::from(f.p), i128::from(x));
    let (mut s, mut t) = (0_i128, 1_i128);
    while next >= i128::from(MAX_COEFFICIENT) {
        let quotient = r / next;
        (r, next) = (next, r - quotient * next);
        (s, t) = (t, s - quotient * t);
    }
    let (n, d) = (i64::try_from(next).ok()?, i64::try_from(t).ok()?);
    if d == 0 || d.unsigned_abs() >= MAX_COEFFICIENT {
        return None;
    }
    let fraction = Rational::new(n, d);
    debug_assert!(fraction.denominator() != BigInt::from(0));
    Some(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    /// Whoever asks second meets the points that it would have drawn itself.
    #[test]
    fn points_that_were_drawn_before_are_those_of_a_set_that_nobody_asked() {
        let draw = |g: &Graph, asked_before: usize| {
            let u: Vec<Ex<'_>> = ["x", "y", "z"].iter().map(|n| g.symbol(n)).collect();
            let mut locus = Locus::new(u.clone());
            locus.on(vec![u[0] * (u[0] + u[1] * u[2])], u.clone());
            let program = compile(&u, &[u[1].sin() + u[0]]).expect("closed");
            let ask = || -> Vec<_> {
                let (drawing, base) = Drawing::of(&locus, &[&program]).expect("closed");
                let mut random = Random(7);
                let draw = |number| {
                    let (mut field, point) = drawing.drawn(number, base.m, &mut random);
                    let value = point.map(|x| results(&program, &mut field, &x));
                    (field.f.p, value, random.0)
                };
                (1..=9).map(draw).collect()
            };
            (0..asked_before).for_each(|_| drop(ask()));
            ask()
        };
        let alone = draw(&Graph::new(), 0);
        assert!(alone.iter().any(|(_, value, _)| value.is_some()));
        assert_eq!(alone, draw(&Graph::new(), 1));
    }

    #[test]
    fn rank_of_a_matrix_with_a_hidden_relation() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let rows = [x.sin(), x.cos(), y, y * x.sin(), y * x.cos(), y.pow(2)];
        let matrix = Matrix::from_fn(&g, 2, 3, |i, j| rows[3 * i + j]);
        let locus = Locus::new(vec![x, y]);
        let found = generic_rank(&locus, &matrix, &[2, 1, 0]).expect("points");
        assert_eq!((found.rank, found.columns.as_slice()), (1, &[2][..]));
        assert!(matches!(
            rank_is_exact(&locus, &matrix, &found),
            Finding::Holds(_)
        ));
        let more = Matrix::from_fn(&g, 2, 3, |i, j| rows[3 * i + j] + g.int(i64::from(i == j)));
        let full = generic_rank(&locus, &more, &[0, 1, 2]).expect("points");
        assert_eq!(full.rank, 2);
        let low = GenericRank {
            rank: 1,
            rows: vec![0],
            columns: vec![0],
        };
        assert_eq!(rank_is_exact(&locus, &more, &low), Finding::Fails);
    }

    #[test]
    fn sums_of_rows_name_the_later_ones() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let (zero, one) = (g.zero(), g.one());
        // The second row is x times the first; the third stands alone.
        let rows = [[one, y, zero], [x, x * y, zero], [zero, one, x]];
        let sums = [[x * y, x * y.pow(2) + 1, x], [zero, zero, zero]];
        let locus = Locus::new(vec![x, y]);
        let matrix = |lines: &[[Ex<'_>; 3]]| {
            let entries = |i: usize, j: usize| g.ex(lines[i][j].id());
            combined_rows(
                &locus,
                &Matrix::from_fn(&g, 3, 3, |i, j| rows[i][j]),
                &Matrix::from_fn(&g, lines.len(), 3, entries),
            )
        };
        assert_eq!(matrix(&sums), Some(vec![vec![1, 2], vec![]]));
        assert_eq!(matrix(&[[one, one, one]]), None);
    }

    #[test]
    fn relations_between_functions() {
        let g = Graph::new();
        let x = g.symbol("x");
        let columns = [x.sin().pow(2), x.cos().pow(2), x, (2 * x).cos()];
        let matrix = Matrix::from_fn(&g, 1, 4, |_, j| columns[j]);
        let found = relations(&Locus::new(vec![x]), &matrix);
        let wanted: Vec<Rational> = [1, -1, 0, 1].map(Rational::from).to_vec();
        assert_eq!(found, vec![wanted]);
    }

    #[test]
    fn fractions_come_back() {
        let f = Modulus::new(2_305_843_009_213_693_951);
        for (n, d) in [(1, 3), (-5, 7), (22, 1), (0, 1)] {
            let fraction = Rational::new(n, d);
            let image = f.rational(&fraction).expect("d is no multiple of p");
            assert_eq!(small_fraction(f, image), Some(fraction));
        }
    }
}
