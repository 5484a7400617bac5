//! Nonlinear rows looked at together: each may be curved by itself, and all of them leave planes.
//!
//! At fixed `(q, t)` the velocities that satisfy all rows have the tangents `ker A`, and the second
//! fundamental form `x^T phi_vv y` for tangents `x`, `y`. Where it vanishes everywhere, every sheet is
//! a plane. Else the rows of one entry can be replaced by linear ones, given the other rows, exactly
//! if the linear forms that are constant on a sheet make up for them. The directions on which these
//! vanish are spanned by the tangents and their derivatives along tangents, of any order.

use super::COMPONENTS;
use super::contrived::{Nonlinearity, active_rows};
use crate::states::said_together::said_together;
use crate::values::prepared::Prepared;
use appell_expr::{
    Ex, Finding, Fractions, Locus, Matrix, Rational, Sketch, degree_in, generic_rank,
    rank_is_exact, tally_curved_on, tally_on, vanish_on, vanishes,
};
use appell_mech::{is_affine, solved, states_in_chart, states_on};

/// Points at which sheets are looked at, times the degree, as for single rows.
const SHEETS: usize = 48;
/// A product of degrees above this is not looked at.
const MAX_DEGREE: u32 = 24;
/// Directions that are collected at most.
const MAX_DIRECTIONS: usize = 40;

/// All active rows of a model and the velocities that satisfy them.
struct Together<'p, 'g> {
    p: &'p Prepared<'g>,
    rows: Vec<Ex<'g>>,
    /// The constraint that each row belongs to.
    entries: Vec<usize>,
    a: Matrix<'g>,
    /// The states on all rows,
    locus: Locus<'g>,
    /// and of these the components on which the chart of the start is regular.
    chart: Locus<'g>,
    /// The rank of all rows.
    rank: usize,
    /// `ker A`, as functions of the velocities.
    tangents: Vec<Vec<Ex<'g>>>,
}

/// What the velocities that satisfy all rows are.
enum Shape {
    /// Every sheet is a plane, but for a probability with this `log2`.
    Planes(f64),
    /// No sheet is, likewise.
    Curved(f64),
    /// Some are planes, but not that of the start.
    CurvedAtStart,
    Open(&'static str),
}

/// The natures of all active rows, found row by row, corrected by what the rows say together.
pub(super) fn together<'g>(
    p: &Prepared<'g>,
    natures: Vec<Nonlinearity<'g>>,
) -> Vec<Nonlinearity<'g>> {
    let curved = natures
        .iter()
        .any(|nature| matches!(nature, Nonlinearity::Inherent { .. }));
    let bent = natures
        .iter()
        .filter(|nature| !matches!(nature, Nonlinearity::Affine));
    if !curved || bent.count() < 2 {
        return natures;
    }
    let Some(all) = Together::new(p) else {
        return natures
            .into_iter()
            .map(|nature| nature.or_open(UNKNOWN))
            .collect();
    };
    if all.some_touch() {
        return all.touching(natures);
    }
    let shape = all.shape();
    let numbered = natures.into_iter().enumerate();
    numbered
        .map(|(row, nature)| all.corrected(row, nature, &shape))
        .collect()
}

const TOUCH: &str = "it is nonlinear by itself, and tangent to other constraints: where all hold, their derivatives \
    depend on each other";
const UNKNOWN: &str = "it is nonlinear by itself; which velocities it allows together with the other constraints was not found";

impl<'g> Nonlinearity<'g> {
    /// Open where it was found inherent.
    pub(super) fn or_open(self, why: &str) -> Self {
        match self {
            Self::Inherent { .. } => Self::Open {
                why: why.to_owned(),
                is_curved: true,
            },
            other => other,
        }
    }
}

impl<'p, 'g> Together<'p, 'g> {
    /// `None` where a row is given on accelerations, or no velocities that satisfy all rows were found.
    fn new(p: &'p Prepared<'g>) -> Option<Self> {
        let (system, graph) = (&p.system, p.system.graph);
        let rows: Option<Vec<Ex<'g>>> = active_rows(p).into_iter().map(|(_, phi)| phi).collect();
        let rows = rows?;
        let active = p.constraints.active();
        let n = system.n();
        let a = Matrix::jacobian(graph, &rows, &system.v);
        let slopes = Matrix::from_fn(graph, rows.len(), n + 1, |i, j| match j < n {
            true => a[(i, j)],
            false => graph.zero(),
        });
        let locus = states_on(system, &p.constraints, &rows, &[]);
        let chart = states_in_chart(system, &p.constraints, &rows);
        let order: Vec<usize> = (0..n).rev().collect();
        let solved = solved(&chart, &slopes, &order, &mut |x| x)?;
        Some(Self {
            p,
            entries: active.map(|row| row.constraint).collect(),
            rank: solved.dependent.len(),
            tangents: solved.kernel(graph),
            rows,
            a,
            locus,
            chart,
        })
    }

    /// Whether a row whose derivatives depend on those of others is no consequence of these.
    fn some_touch(&self) -> bool {
        let order: Vec<usize> = (0..self.a.columns()).collect();
        let Some(found) = generic_rank(&self.chart, &self.a, &order) else {
            return true;
        };
        let independent: Vec<Ex<'g>> = found.rows.iter().map(|row| self.rows[*row]).collect();
        let locus = states_in_chart(&self.p.system, &self.p.constraints, &independent);
        let mut others = (0..self.rows.len()).filter(|row| !found.rows.contains(row));
        others.any(|row| {
            let (other, zero) = tally_on(&locus, &[self.rows[row]], COMPONENTS);
            other > 0 && zero == 0
        })
    }

    /// The natures of rows that touch: of those that are curved, linear rows may say the same as all together.
    fn touching(&self, natures: Vec<Nonlinearity<'g>>) -> Vec<Nonlinearity<'g>> {
        let said = said_together(self.p).filter(|said| said.left.is_empty());
        let numbered = natures.into_iter().enumerate();
        numbered
            .map(|(row, nature)| match (nature, &said) {
                (Nonlinearity::Inherent { .. }, Some(said)) => Nonlinearity::Contrived {
                    why: format!("it holds where linear rows do{}", self.with_others(row)),
                    branches: vec![said.roots.clone()],
                    settled: true,
                    by_numbers: false,
                    at_start: false,
                    given: true,
                    bound: said.bound,
                },
                (nature, _) => nature.or_open(TOUCH),
            })
            .collect()
    }

    fn shape(&self) -> Shape {
        let (graph, v) = (self.p.system.graph, &self.p.system.v);
        if self.tangents.is_empty() {
            return Shape::Planes(f64::NEG_INFINITY);
        }
        let degrees = self.rows.iter().map(|row| degree_in(*row, v));
        let degree = degrees
            .map(|degree| degree.unwrap_or(3).max(1))
            .fold(1, u32::saturating_mul);
        if degree > MAX_DEGREE {
            return Shape::Open("they have too many sheets to look at all of them");
        }
        let bends = self
            .rows
            .iter()
            .map(|row| Matrix::jacobian(graph, &row.partials(v), v));
        let bends: Vec<Matrix<'g>> = bends.collect();
        // A sheet that is the only one of its kind is met at one point with 1/degree.
        let missed = |points: usize| points as f64 * (1.0 - 1.0 / f64::from(degree)).log2();
        match tally_curved_on(&self.locus, &self.a, &bends, SHEETS * degree as usize) {
            (0, 0) => Shape::Open("no state that satisfies all of them was found"),
            (0, points) => Shape::Planes(missed(points)),
            (points, 0) => Shape::Curved(missed(points)),
            _ if self.is_curved_at_start(&bends) => Shape::CurvedAtStart,
            _ => Shape::Open("some of their sheets are planes, others are not"),
        }
    }

    /// Whether the sheet of the start is curved there.
    fn is_curved_at_start(&self, bends: &[Matrix<'g>]) -> bool {
        let graph = self.p.system.graph;
        let mut curvatures = Vec::new();
        for bend in bends {
            for (a, x) in self.tangents.iter().enumerate() {
                let along = &Matrix::column(graph, x.clone()).transpose() * bend;
                let of = |y: &Vec<Ex<'g>>| (&along * &Matrix::column(graph, y.clone()))[(0, 0)];
                curvatures.extend(self.tangents[..=a].iter().map(of));
            }
        }
        let mut sketch = Sketch::new(graph);
        sketch.output_list("curvatures", &curvatures);
        let field = self.p.compile(&sketch, &["curvatures"]);
        let start = crate::states::start::start(self.p).ok();
        let values = start.and_then(|start| {
            let state = [start.q.as_slice(), &start.v].concat();
            field.measured(start.t, &state).ok()
        });
        values.is_some_and(|values| values.iter().any(|x| x.value.abs() > 1e-9 * x.size))
    }

    /// The nature of one row, by what it was found to be by itself and the shape of all rows.
    fn corrected(&self, row: usize, nature: Nonlinearity<'g>, shape: &Shape) -> Nonlinearity<'g> {
        let Nonlinearity::Inherent { why, bound } = nature else {
            return nature;
        };
        let contrived = |bound: f64, why: String, branches| Nonlinearity::Contrived {
            why,
            branches,
            settled: true,
            by_numbers: false,
            at_start: false,
            given: true,
            bound,
        };
        let by_shape = match shape {
            Shape::Curved(bound) => *bound,
            _ => f64::NEG_INFINITY,
        };
        match shape {
            Shape::Open(why) => Nonlinearity::Open {
                why: format!("it is curved by itself; of all rows together, {why}"),
                is_curved: true,
            },
            Shape::Planes(bound) => {
                let why = format!("it leaves planes only{}", self.with_others(row));
                contrived(*bound, why, self.branch(row).into_iter().collect())
            }
            Shape::Curved(_) | Shape::CurvedAtStart => match self.adds_curvature(self.entries[row])
            {
                Some((true, other)) => Nonlinearity::Inherent {
                    why,
                    bound: bound.max(by_shape).max(other),
                },
                Some((false, other)) => {
                    let why = format!("it says no more than a linear row{}", self.with_others(row));
                    contrived(by_shape.max(other), why, Vec::new())
                }
                None => Nonlinearity::Open {
                    why: UNKNOWN.to_owned(),
                    is_curved: true,
                },
            },
        }
    }

    /// The other rows that are not affine, in words.
    fn with_others(&self, row: usize) -> String {
        let named = active_rows(self.p);
        let others = (0..named.len())
            .filter(|other| *other != row && !is_affine(&self.p.system, self.rows[*other]));
        let names: Vec<String> = others
            .map(|other| format!("`{}`", named[other].0))
            .collect();
        format!(" with {}", names.join(", "))
    }

    /// Whether no linear rows can stand for those of an entry, given the other rows: whether, on the directions on
    /// which all linear forms that are constant on a sheet vanish, the other rows leave more than the tangents.
    /// With `log2` of the probability that this is wrong; `None` if it is open.
    fn adds_curvature(&self, entry: usize) -> Option<(bool, f64)> {
        let (graph, v) = (self.p.system.graph, &self.p.system.v);
        let others: Vec<usize> = (0..self.rows.len())
            .filter(|row| self.entries[*row] != entry)
            .collect();
        let given = self.a.select_rows(&others);
        // What the other rows say already is no more linear by them.
        if !others.is_empty() && self.rank_of(&given)?.0 == self.rank {
            return Some((true, f64::NEG_INFINITY));
        }
        let free = v.len() - self.rank;
        let mut directions = self.tangents.clone();
        let mut latest = self.tangents.clone();
        let mut known = free;
        loop {
            let along = |x: &Vec<Ex<'g>>, y: &Vec<Ex<'g>>| -> Vec<Ex<'g>> {
                let slope = |of: &Ex<'g>| {
                    let terms: Vec<Ex<'g>> =
                        v.iter().zip(y).map(|(v, y)| of.diff(*v) * *y).collect();
                    graph.sum(&terms)
                };
                x.iter().map(slope).collect()
            };
            let next: Vec<Vec<Ex<'g>>> = latest
                .iter()
                .flat_map(|x| self.tangents.iter().map(move |y| along(x, y)))
                .filter(|x| x.iter().any(|x| !x.is_zero()))
                .collect();
            directions.extend(next.iter().cloned());
            if directions.len() > MAX_DIRECTIONS {
                return None;
            }
            let span = Matrix::from_fn(graph, v.len(), directions.len(), |i, j| directions[j][i]);
            let (rank, certain) = self.rank_of(&span)?;
            let (tied, bound) = match others.is_empty() {
                true => (0, f64::NEG_INFINITY),
                false => self.rank_of(&(&given * &span))?,
            };
            if rank - tied.min(rank) > free {
                return Some((true, bound));
            }
            if rank == known {
                return Some((false, certain));
            }
            known = rank;
            latest = next;
        }
    }

    /// A generic rank, and `log2` of the probability that it is larger; `None` if that is open.
    fn rank_of(&self, matrix: &Matrix<'g>) -> Option<(usize, f64)> {
        let order: Vec<usize> = (0..matrix.columns()).collect();
        let found = generic_rank(&self.chart, matrix, &order)?;
        match rank_is_exact(&self.chart, matrix, &found) {
            Finding::Holds(bound) => Some((found.rank, bound.exponent)),
            _ => None,
        }
    }

    /// The plane of a row on the sheet of the start, `A (v - v0) = 0` with `A` at the velocities `v0` of
    /// the start, if the planes of all curved rows are proved to satisfy all rows.
    fn branch(&self, row: usize) -> Option<Vec<Ex<'g>>> {
        let (p, system) = (self.p, &self.p.system);
        let start = crate::states::start::start(p).ok()?;
        let rational = |x: &f64| Rational::from_decimal(&x.to_string());
        let at: Option<Vec<Rational>> = start.v.iter().map(rational).collect();
        let at: Vec<(Ex<'g>, Ex<'g>)> = (system.v.iter().zip(at?))
            .map(|(v, value)| (*v, system.graph.number(value)))
            .collect();
        let symbols: Vec<Ex<'g>> = self.locus.symbols().to_vec();
        let mut field = Fractions::new(system.graph, &symbols);
        let mut plane = |row: usize| {
            let slopes: Vec<Ex<'g>> = (0..at.len())
                .map(|j| self.a[(row, j)].substitute(&at))
                .collect();
            let slopes = field.cleared(&slopes).unwrap_or(slopes);
            let terms = slopes
                .iter()
                .zip(&at)
                .map(|(a, (v, value))| *a * (*v - *value));
            system.graph.sum(&terms.collect::<Vec<_>>())
        };
        let straight = |row: usize| is_affine(system, self.rows[row]);
        let planes: Vec<Ex<'g>> = (0..self.rows.len())
            .map(|row| {
                if straight(row) {
                    self.rows[row]
                } else {
                    plane(row)
                }
            })
            .collect();
        let locus = states_on(system, &p.constraints, &planes, &[]);
        let slopes = Matrix::jacobian(system.graph, &planes, &system.v);
        let order: Vec<usize> = (0..system.n()).collect();
        let rank = generic_rank(&locus, &slopes, &order)?.rank;
        let holds = matches!(vanish_on(&locus, &self.rows), Finding::Holds(_));
        let of_row = planes[row];
        (rank == self.rank && holds).then(|| match vanishes(of_row) {
            true => Vec::new(),
            false => vec![of_row],
        })
    }
}
