//! Contrived nonlinearity: rows that say, with the others, no more than linear rows do
//! [roithmayr2010, sect. 1, 4.4].
//!
//! A row is put into the velocities that the affine rows leave, and split into factors. A factor
//! of degree 2 is decided by the rank of its bordered form: rank 1 is a square, rank 2 a product
//! of linear factors or a sum of two squares, rank 3 and more cannot be split in any field. Other
//! factors are decided by the second fundamental form of their zero set, `N^T phi_vv N` with
//! `phi_v N = 0`: it vanishes on a sheet exactly if the sheet is a plane.

use super::branches::lies_on;
use super::consequence::{consequence, without_parts};
use super::kept_factors::{kept_factors, root_up_to_sign};
use super::known_signs::{Known, is_constant, known_signs};
use super::plane_sheets::{BESIDE_PLANE, PLANE_BY_NUMBERS, PlaneSheet, plane_sheet};
use super::real_points::{NO_REAL_POINT, has_curved_state};
use crate::states::elimination::order_at_start;
use crate::states::real_rows::{RealRow, Signs, real_row, with_reason};
use crate::values::prepared::Prepared;
use appell_expr::{
    Ex, Finding, Fractions, Id, Matrix, Node, Rational, degree_in, differs_on, generic_rank,
    rank_is_exact, tally_on, vanish_on, vanishes,
};
use appell_mech::{Solved, forms, is_affine, solved, states_on};

/// How a row that is not affine in the velocities stands to linear ones.
#[derive(Debug, Clone)]
pub(crate) enum Nonlinearity<'g> {
    /// It is affine as it stands.
    Affine,
    /// It holds where all rows of one of the branches do, and nowhere else. They are affine, but for a branch that is a union
    /// of planes whose rows were not found; none where that is all of it.
    Contrived {
        why: String,
        branches: Vec<Vec<Ex<'g>>>,
        /// Whether the start does not move where several of the branches meet: the first of them stands for the row.
        settled: bool,
        /// Whether signs at scattered states are behind it.
        by_numbers: bool,
        /// Whether it is so where signs are those at the start only.
        at_start: bool,
        /// Whether it is so on the other rows only.
        given: bool,
        /// `log2` of the largest probability that it is wrong.
        bound: f64,
    },
    /// No sheet of it is a plane, but for a probability with this `log2`.
    Inherent { why: String, bound: f64 },
    /// It holds on planes and on curved sheets; `sheet` is that factor of the row which alone vanishes at the start.
    Union { why: String, sheet: Option<Ex<'g>> },
    /// Neither could be decided.
    Open {
        why: String,
        /// Whether it is curved by itself, and what is open is what the other rows leave of it.
        is_curved: bool,
    },
    /// It has corners or jumps in the velocities: none of the words above is meant for it.
    Piecewise { why: String },
    /// No real velocity satisfies it.
    Nowhere { why: String },
}

impl Nonlinearity<'_> {
    /// Its word among those of a class.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::Contrived { .. } => Some("contrived"),
            Self::Inherent { .. } => Some("inherent"),
            Self::Piecewise { .. } => Some("piecewise"),
            Self::Affine | Self::Open { .. } | Self::Union { .. } | Self::Nowhere { .. } => None,
        }
    }

    /// Why nothing is said of it.
    pub fn undecided(&self) -> Option<String> {
        match self {
            Self::Open { why, .. }
            | Self::Union { why, .. }
            | Self::Nowhere { why }
            | Self::Piecewise { why } => Some(why.clone()),
            Self::Affine | Self::Contrived { .. } | Self::Inherent { .. } => None,
        }
    }

    /// Whether it has several sheets, and the start does not lie on one of them alone.
    pub fn is_of_several_sheets(&self) -> bool {
        match self {
            Self::Contrived {
                branches, settled, ..
            } => !settled && branches.len() > 1,
            Self::Union { sheet, .. } => sheet.is_none(),
            _ => false,
        }
    }

    /// Why there are no linear rows that say the same.
    pub fn without_linear_rows(&self) -> Option<String> {
        match self {
            Self::Affine => None,
            Self::Inherent { why, .. } => Some(format!("there are none: {why}")),
            Self::Contrived { .. } if self.is_of_several_sheets() => Some(SHEET_OPEN.to_owned()),
            Self::Contrived { .. } => Some("no quotients were found for them".to_owned()),
            _ => Some("not decided".to_owned()),
        }
    }
}

/// Why nothing is said of one sheet of several.
pub(super) const SHEET_OPEN: &str =
    "it has several sheets, and the start does not lie on one of them alone";
/// Points at which sheets are looked at, times the degree: each linear factor of a row of degree
/// d is met with a probability of 1/d, and missed at all points with less than `2^-64`.
const SHEETS: usize = 48;
/// What became of one factor.
enum Factor<'g> {
    /// It vanishes where one of these lists of affine rows does.
    Planes(String, Vec<Vec<Ex<'g>>>),
    Curved(String),
    /// It vanishes nowhere, so that it says nothing in a product.
    Nowhere(String),
    Open(String),
}

impl Factor<'_> {
    /// The same where signs are known at scattered states only.
    fn where_looked_at(self) -> Self {
        let at_states = |why: String| format!("{why} at all states that were looked at");
        match self {
            Self::Planes(why, rows) => Self::Planes(at_states(why), rows),
            Self::Nowhere(why) => Self::Open(at_states(why)),
            other => other,
        }
    }
}

/// The nature of one active row, by its index, among all active rows; `real` is what each says over the
/// real numbers.
pub(crate) fn nature<'g>(
    p: &Prepared<'g>,
    index: usize,
    real: &[Option<RealRow<'g>>],
) -> Nonlinearity<'g> {
    let open = |why: &str| Nonlinearity::Open {
        why: why.to_owned(),
        is_curved: false,
    };
    let (Some(phi), Some(row)) = (active_rows(p)[index].1, &real[index]) else {
        return open("it is given on accelerations");
    };
    if row.nowhere {
        let why = with_reason("no real velocity satisfies it", &row.why);
        return Nonlinearity::Nowhere { why };
    }
    if let Some(why) = row.piecewise() {
        return Nonlinearity::Piecewise { why };
    }
    if !row.plain_corners && is_affine(&p.system, row.plain) {
        return row.affine_nature(p);
    }
    if let Some(nature) = consequence(p, index, phi, real) {
        return nature;
    }
    match row.changed {
        true => of_real_rows(p, index, row, real),
        false => nature_of(p, index, phi, real).with_conditions(row),
    }
}

/// The nature of a row that other rows say.
fn of_real_rows<'g>(
    p: &Prepared<'g>,
    index: usize,
    equivalent: &RealRow<'g>,
    real: &[Option<RealRow<'g>>],
) -> Nonlinearity<'g> {
    let mut why = equivalent.words();
    let mut branches: Vec<Vec<Ex<'g>>> = vec![Vec::new()];
    let (mut signs_by_numbers, mut signs_at_start) = (false, false);
    let (mut on_others, mut worst) = (false, f64::NEG_INFINITY);
    for row in &equivalent.rows {
        if is_affine(&p.system, *row) {
            branches.iter_mut().for_each(|branch| branch.push(*row));
            continue;
        }
        match nature_of(p, index, *row, real) {
            Nonlinearity::Contrived {
                why: more,
                branches: others,
                by_numbers,
                at_start,
                given,
                bound,
                ..
            } => {
                why = format!("{why}; {more}");
                signs_by_numbers |= by_numbers;
                signs_at_start |= at_start;
                on_others |= given;
                worst = worst.max(bound);
                let pairs = branches.iter().flat_map(|branch| {
                    let joined = others
                        .iter()
                        .map(move |other| [branch.as_slice(), other].concat());
                    joined.collect::<Vec<_>>()
                });
                branches = pairs.collect();
            }
            Nonlinearity::Inherent { why: more, bound } => {
                let why = format!("{why}; {more}");
                return Nonlinearity::Inherent { why, bound };
            }
            Nonlinearity::Affine => {}
            other => return other,
        }
    }
    Nonlinearity::Contrived {
        why,
        branches,
        settled: true,
        by_numbers: signs_by_numbers,
        at_start: signs_at_start,
        given: on_others,
        bound: worst,
    }
}

/// The nature of `phi` in the place of one active row, which is not affine.
fn nature_of<'g>(
    p: &Prepared<'g>,
    index: usize,
    phi: Ex<'g>,
    real: &[Option<RealRow<'g>>],
) -> Nonlinearity<'g> {
    let rows = active_rows(p);
    let others = rows.iter().zip(real).enumerate();
    let affine: Vec<(&str, Ex<'g>)> = others
        .filter(|(i, _)| *i != index)
        .flat_map(|(_, ((name, _), real))| {
            let rows = real.iter().flat_map(|real| real.rows.iter().copied());
            rows.map(|row| (*name, row)).collect::<Vec<_>>()
        })
        .filter(|(_, phi)| is_affine(&p.system, *phi))
        .collect();
    let alone = Search::new(p, phi, &[]).map(|search| search.nature(&[]));
    match alone {
        Some(found @ (Nonlinearity::Contrived { .. } | Nonlinearity::Nowhere { .. })) => {
            return found;
        }
        Some(found) if affine.is_empty() => return found,
        _ => {}
    }
    let mut names: Vec<&str> = affine.iter().map(|(name, _)| *name).collect();
    names.dedup();
    let rows: Vec<Ex<'g>> = affine.iter().map(|(_, phi)| *phi).collect();
    match Search::new(p, phi, &rows) {
        Some(search) => search.nature(&names),
        None => Nonlinearity::Open {
            why: "its rows could not be solved for velocities".to_owned(),
            is_curved: false,
        },
    }
}

/// Names and `phi` of the active rows.
pub(crate) fn active_rows<'p, 'g>(p: &'p Prepared<'g>) -> Vec<(&'p str, Option<Ex<'g>>)> {
    let active = p.constraints.active();
    active.map(|row| (row.name.as_str(), row.phi)).collect()
}

/// Those velocities that an expression speaks of, if it does of any: all others bend nothing.
fn spoken_of<'g>(x: Ex<'g>, velocities: Vec<Ex<'g>>) -> Vec<Ex<'g>> {
    let symbols = x.symbols();
    let occurring = velocities.iter().filter(|v| symbols.contains(v));
    let occurring: Vec<Ex<'g>> = occurring.copied().collect();
    if occurring.is_empty() {
        velocities
    } else {
        occurring
    }
}

/// One row with the affine rows put into it.
struct Search<'p, 'g> {
    p: &'p Prepared<'g>,
    phi: Ex<'g>,
    others: Vec<Ex<'g>>,
    /// The velocities that the affine rows leave, as far as `reduced` speaks of them.
    free: Vec<Ex<'g>>,
    /// `phi` as a function of these.
    reduced: Ex<'g>,
    field: Fractions<'g>,
    /// Whether signs at scattered states were needed.
    by_numbers: bool,
    /// Whether those at the start were taken.
    at_start: bool,
    /// `log2` of the largest probability that a finding is wrong.
    worst: f64,
}

impl<'p, 'g> Search<'p, 'g> {
    fn new(p: &'p Prepared<'g>, phi: Ex<'g>, others: &[Ex<'g>]) -> Option<Self> {
        let system = &p.system;
        let parameters = p.model.parameters.iter();
        let symbols: Vec<Ex<'g>> = system
            .v
            .iter()
            .chain(&system.q)
            .copied()
            .chain([system.t])
            .chain(parameters.map(|x| system.graph.ex(x.symbol)))
            .collect();
        let mut field = Fractions::new(system.graph, &symbols);
        let locus = states_on(system, &p.constraints, &[], &[]);
        let Solved {
            dependent,
            independent,
            rows,
        } = if others.is_empty() {
            Solved {
                dependent: Vec::new(),
                independent: (0..system.n()).collect(),
                rows: Vec::new(),
            }
        } else {
            let rows = forms(system, others);
            let order = order_at_start(p, &rows);
            solved(&locus, &rows, &order, &mut |x| field.simplified(x))?
        };
        let free: Vec<Ex<'g>> = independent.iter().map(|i| system.v[*i]).collect();
        let solved = Solved {
            dependent,
            independent,
            rows,
        };
        let reduced = phi.substitute(&solved.substitution(&system.v));
        Some(Self {
            p,
            phi,
            others: others.to_vec(),
            free: spoken_of(reduced, free),
            reduced,
            field,
            by_numbers: false,
            at_start: false,
            worst: f64::NEG_INFINITY,
        })
    }

    /// What the row is, beside the affine rows of these names.
    ///
    /// One piece: what each factor is, and what all of them are together.
    fn nature(mut self, given: &[&str]) -> Nonlinearity<'g> {
        let with = match given {
            [] => String::new(),
            names => format!(" with `{}`", names.join("`, `")),
        };
        let parts = self.parts();
        let (mut planes, mut words) = (Vec::new(), Vec::new());
        let (mut curved, mut unfound) = (Vec::new(), Vec::new());
        let (mut open, mut nowhere, mut sheet) = (None, Vec::new(), None);
        for part in &parts {
            match self.factor(*part) {
                Factor::Nowhere(why) => nowhere.push(why),
                Factor::Planes(why, branches) => {
                    words.extend((!why.is_empty()).then_some(why));
                    match branches.is_empty() {
                        true => unfound.push(vec![*part]),
                        false => planes.extend(branches),
                    }
                }
                Factor::Curved(why) => match plane_sheet(self.p, *part, &self.free) {
                    None => curved.push((*part, why)),
                    Some(PlaneSheet::Row { row, is_of_start }) => {
                        sheet = sheet.or(is_of_start.then_some(row));
                        planes.push(vec![row]);
                        curved.push((*part, BESIDE_PLANE.to_owned()));
                    }
                    Some(PlaneSheet::ByNumbers) => open = Some(PLANE_BY_NUMBERS.to_owned()),
                },
                Factor::Open(why) => open = Some(why),
            }
        }
        if nowhere.len() == parts.len() {
            let statement = format!("no real velocity satisfies it{with}");
            let why = with_reason(&statement, &nowhere.join(", "));
            return Nonlinearity::Nowhere { why };
        }
        words.extend(nowhere);
        if !planes.is_empty() || unfound.len() > 1 || !curved.is_empty() {
            planes.append(&mut unfound);
        }
        let p = self.p;
        let is_real = |(part, _): &(Ex<'g>, String)| has_curved_state(p, *part);
        if open.is_none() && planes.is_empty() && !curved.iter().any(is_real) && !curved.is_empty()
        {
            open = Some(NO_REAL_POINT.to_owned());
        }
        match (open, curved.pop()) {
            (Some(why), _) => Nonlinearity::Open {
                why,
                is_curved: false,
            },
            (None, Some(last)) if !planes.is_empty() => {
                curved.push(last);
                let why = self.union(&with, &planes, &curved, sheet.is_some());
                let sheet = sheet.or_else(|| self.sheet_of_start(&parts));
                Nonlinearity::Union { why, sheet }
            }
            (None, Some((_, why))) => Nonlinearity::Inherent {
                why: why + &with,
                bound: self.worst,
            },
            (None, None) => self.contrived(&with, words, planes),
        }
    }

    /// The factors that the row is written with, each taken apart as far as that can be done.
    fn parts(&mut self) -> Vec<Ex<'g>> {
        let graph = self.p.system.graph;
        let written = match graph.node(self.reduced.id()) {
            Node::Product(factors) => factors.into_vec(),
            _ => Vec::new(),
        };
        let moves = |x: Ex<'g>| x.depends_on_any(&self.free);
        let is_factor =
            |(x, e): &(Id, Rational)| e.to_i64().is_some_and(|e| e > 0) && moves(graph.ex(*x));
        let written = match !written.is_empty() && written.iter().all(is_factor) {
            true => written.into_iter().map(|(x, _)| graph.ex(x)).collect(),
            false => vec![self.reduced],
        };
        let apart = written.into_iter().flat_map(|x| {
            let parts = self.field.parts(x, &self.free);
            parts
                .filter(|parts| !parts.is_empty())
                .unwrap_or_else(|| vec![x])
        });
        apart.collect()
    }

    /// That factor which alone vanishes at the start.
    fn sheet_of_start(&self, parts: &[Ex<'g>]) -> Option<Ex<'g>> {
        let start = crate::states::start::start(self.p).ok()?;
        let mut on = parts
            .iter()
            .filter(|part| lies_on(self.p, &start, &[**part]));
        on.next().copied().filter(|_| on.next().is_none())
    }

    /// A zero set of planes and of curved sheets, in words: neither contrived nor inherent, but one of
    /// them where the start lies.
    fn union(
        &self,
        with: &str,
        planes: &[Vec<Ex<'g>>],
        curved: &[(Ex<'g>, String)],
        is_flat_at_start: bool,
    ) -> String {
        let texts = |rows: &Vec<Ex<'g>>| {
            let rows: Vec<String> = rows.iter().map(|row| equation(*row)).collect();
            format!("`{}`", rows.join(", "))
        };
        let flat: Vec<String> = planes.iter().map(texts).collect();
        let bent = curved.iter().map(|(x, why)| {
            let unknown = match has_curved_state(self.p, *x) {
                true => "",
                false => "; no real point of it with a derivative is known",
            };
            format!("`{}` ({why}{unknown})", equation(*x))
        });
        let bent: Vec<String> = bent.collect();
        let place = crate::states::start::start(self.p).ok().map(|start| {
            let flat = planes.iter().any(|rows| lies_on(self.p, &start, rows));
            let bent = curved.iter().any(|(x, _)| lies_on(self.p, &start, &[*x]));
            match (flat, bent && !is_flat_at_start) {
                (true, true) => "; the start lies where they meet",
                (true, false) => "; the start lies on the linear part",
                (false, true) => "; the start lies on the curved part",
                (false, false) => "",
            }
        });
        format!(
            "its zero set{with} is a union: linear where {}, curved where {}{}",
            flat.join(" or "),
            bent.join(" or "),
            place.unwrap_or_default()
        )
    }

    /// The branches, each proved to lie in the zero set.
    fn contrived(
        mut self,
        with: &str,
        words: Vec<String>,
        planes: Vec<Vec<Ex<'g>>>,
    ) -> Nonlinearity<'g> {
        let (system, constraints) = (&self.p.system, &self.p.constraints);
        let planes = without_parts(self.p, planes);
        for branch in &planes {
            let rows = [self.others.as_slice(), branch].concat();
            let locus = states_on(system, constraints, &rows, &[]);
            match vanish_on(&locus, &[self.phi]) {
                Finding::Holds(bound) => self.worst = self.worst.max(bound.exponent),
                Finding::Fails | Finding::FailsAtSome | Finding::Open(_) => {
                    return Nonlinearity::Open {
                        why: "factors were found but not proved".to_owned(),
                        is_curved: false,
                    };
                }
            }
        }
        let shape = match (words.into_iter().next(), planes.as_slice()) {
            (Some(words), _) => words,
            (None, [_]) => "it holds where a linear row does".to_owned(),
            (None, branches) => format!("a product of {} linear factors", branches.len()),
        };
        Nonlinearity::Contrived {
            settled: true,
            by_numbers: self.by_numbers,
            at_start: self.at_start,
            given: !with.is_empty(),
            bound: self.worst,
            why: format!("{shape}{with}"),
            branches: planes,
        }
    }

    fn factor(&mut self, part: Ex<'g>) -> Factor<'g> {
        let real = real_row(self.p, part);
        if real.nowhere {
            return Factor::Nowhere(real.why);
        }
        let affine = |row: &Ex<'g>| is_affine(&self.p.system, *row);
        if real.changed && !real.rows.is_empty() && real.rows.iter().all(affine) {
            return Factor::Planes(real.why, vec![real.rows]);
        }
        match degree_in(part, &self.free) {
            Some(1) => {
                let coefficients = self.affine_coefficients(part);
                Factor::Planes(String::new(), vec![vec![self.row(&coefficients)]])
            }
            Some(2) => self
                .quadric(part)
                .unwrap_or_else(|| self.by_curvature(part)),
            _ => self.by_curvature(part),
        }
    }

    /// `(a_1, .., a_m, a_0)` of `a v + a_0`.
    fn affine_coefficients(&self, x: Ex<'g>) -> Vec<Ex<'g>> {
        let zero = self.p.system.graph.zero();
        let at_rest: Vec<_> = self.free.iter().map(|v| (*v, zero)).collect();
        let slopes = self.free.iter().map(|v| x.diff(*v).substitute(&at_rest));
        slopes.chain([x.substitute(&at_rest)]).collect()
    }

    /// `a v + a_0` with denominators and common factors taken out.
    fn row(&mut self, coefficients: &[Ex<'g>]) -> Ex<'g> {
        let clear = self.field.cleared(coefficients);
        let coefficients = clear.unwrap_or_else(|| coefficients.to_vec());
        let graph = self.p.system.graph;
        let one = graph.one();
        let unknowns = self.free.iter().chain([&one]);
        let terms: Vec<Ex<'g>> = coefficients
            .iter()
            .zip(unknowns)
            .map(|(a, v)| *a * *v)
            .collect();
        graph.sum(&terms)
    }

    /// A factor of degree 2; `None` if its form could not be taken apart.
    ///
    /// One piece: the cases of rank and signs.
    fn quadric(&mut self, part: Ex<'g>) -> Option<Factor<'g>> {
        let p = self.p;
        let (system, constraints) = (&p.system, &p.constraints);
        let m = self.free.len();
        let slopes: Vec<Vec<Ex<'g>>> = self
            .free
            .iter()
            .map(|v| self.affine_coefficients(part.diff(*v)))
            .collect();
        let rest = self.affine_coefficients(part);
        let form = Matrix::from_fn(system.graph, m + 1, m + 1, |i, j| match (i < m, j < m) {
            (true, _) => slopes[i][j],
            (false, true) => slopes[j][m],
            (false, false) => 2 * rest[m],
        });
        let locus = states_on(system, constraints, &[], &[]);
        let order: Vec<usize> = (0..=m).collect();
        let found = generic_rank(&locus, &form, &order)?;
        let rank = found.rank;
        let squares = match rank_is_exact(&locus, &form, &found) {
            Finding::Holds(bound) => {
                self.worst = self.worst.max(bound.exponent);
                self.squares(&form)
            }
            Finding::Fails | Finding::FailsAtSome | Finding::Open(_) => None,
        };
        let curved = || Factor::Curved(format!("its quadratic form has rank {rank}"));
        let Some(squares) = squares else {
            return (rank >= 3).then(curved);
        };
        let signs = known_signs(self.p, &squares.iter().map(|(d, _)| *d).collect::<Vec<_>>());
        self.at_start |= matches!(signs, Known::AtStart(..));
        let by_numbers = matches!(signs, Known::ByNumbers(_));
        let (definite, place) = match signs {
            Known::Everywhere(signs) | Known::ByNumbers(signs) => (is_constant(&signs), None),
            Known::AtStart(signs, words) => (is_constant(&signs), Some(words)),
            Known::Not if rank >= 3 => return Some(curved()),
            Known::Not => return None,
        };
        if definite {
            self.by_numbers |= by_numbers && rank > 1;
            let found = self.all_vanish(part, &squares, place);
            return Some(match by_numbers && rank > 1 {
                true => found.where_looked_at(),
                false => found,
            });
        }
        let [(d1, l1), (d2, l2)] = squares.as_slice() else {
            return Some(curved());
        };
        let ratio = -(*d2 / *d1);
        let root = root_up_to_sign(&mut self.field, ratio);
        let branch = |search: &mut Self, sign: i64| {
            let combined: Vec<Ex<'g>> = l1
                .iter()
                .zip(l2)
                .map(|(a, b)| *a + sign * (root * *b))
                .collect();
            vec![search.row(&combined)]
        };
        let branches = vec![branch(self, 1), branch(self, -1)];
        let why = match place {
            Some(place) => format!("a product of 2 linear factors {place}"),
            None => String::new(),
        };
        Some(Factor::Planes(why, branches))
    }

    /// A sum of squares of one sign: each `l_i` vanishes; `place` says where the signs are known, if not everywhere.
    fn all_vanish(
        &mut self,
        part: Ex<'g>,
        squares: &[(Ex<'g>, Vec<Ex<'g>>)],
        place: Option<String>,
    ) -> Factor<'g> {
        let here = |why: String| match &place {
            Some(place) if why.is_empty() => place.clone(),
            Some(place) => format!("{why} {place}"),
            None => why,
        };
        let m = self.free.len();
        // A row without velocities says that a number is zero.
        let empty = squares
            .iter()
            .any(|(_, row)| row[..m].iter().all(|x| x.is_zero()));
        if empty {
            let why = here(format!("{part} has one sign"));
            return match place {
                None => Factor::Nowhere(why),
                Some(_) => Factor::Open(why),
            };
        }
        let why = match squares.len() {
            1 => String::new(),
            count => format!("a sum of {count} squares"),
        };
        let Some(factors) = kept_factors(self.p, &mut self.field, squares, &place) else {
            return Factor::Open("its squares have coefficients that vanish somewhere".to_owned());
        };
        let rows = squares.iter().zip(factors);
        let rows = rows.map(|((_, row), factor)| factor * self.row(row));
        Factor::Planes(here(why), vec![rows.collect()])
    }

    /// `Sum d_i l_i^2` with as many linear `l_i` as the rank.
    fn squares(&mut self, form: &Matrix<'g>) -> Option<Vec<(Ex<'g>, Vec<Ex<'g>>)>> {
        let (graph, size) = (self.p.system.graph, form.rows());
        let locus = states_on(&self.p.system, &self.p.constraints, &[], &[]);
        let mut left = form.clone();
        let mut squares: Vec<(Ex<'g>, Vec<Ex<'g>>)> = Vec::new();
        let nonzero = |x: Ex<'g>| !x.is_zero() && differs_on(&locus, &[x]) == Some(true);
        for _ in 0..size {
            let entries: Vec<Ex<'g>> = left
                .entries()
                .iter()
                .map(|x| self.field.simplified(*x))
                .collect();
            left = Matrix::from_fn(graph, size, size, |i, j| entries[i * size + j]);
            let terms: Vec<(Ex<'g>, Vec<Ex<'g>>)> =
                if let Some(i) = (0..size).find(|i| nonzero(left[(*i, *i)])) {
                    let d = left[(i, i)];
                    vec![(d, (0..size).map(|j| left[(i, j)] / d).collect())]
                } else {
                    let places = (0..size).flat_map(|i| (0..i).map(move |j| (i, j)));
                    let Some((i, j)) = places.into_iter().find(|at| nonzero(left[*at])) else {
                        return Some(squares);
                    };
                    // 2 c x y = c/2 ((x + y)^2 - (x - y)^2), x and y the rows over c.
                    let c = left[(i, j)];
                    let combined = |sign: i64| {
                        let pairs = (0..size).map(|k| (left[(i, k)], left[(j, k)]));
                        pairs.map(|(x, y)| (x + sign * y) / c).collect::<Vec<_>>()
                    };
                    vec![(c / 2, combined(1)), (-c / 2, combined(-1))]
                };
            for (d, l) in terms {
                left = Matrix::from_fn(graph, size, size, |a, b| left[(a, b)] - d * l[a] * l[b]);
                squares.push((d, l));
            }
        }
        Some(squares)
    }

    /// Whether the zero set of a factor consists of planes.
    fn by_curvature(&mut self, part: Ex<'g>) -> Factor<'g> {
        let open = |why: &str| Factor::Open(why.to_owned());
        let (system, constraints) = (&self.p.system, &self.p.constraints);
        let locus = states_on(system, constraints, &[part], &[]);
        let graph = system.graph;
        let slopes = Matrix::from_fn(graph, 1, self.free.len() + 1, |_, j| {
            match self.free.get(j) {
                Some(v) => part.diff(*v),
                None => graph.zero(),
            }
        });
        let order: Vec<usize> = (0..self.free.len()).rev().collect();
        let Some(solved) = solved(&locus, &slopes, &order, &mut |x| x) else {
            return open("no random point that satisfies it was found");
        };
        if solved.dependent.is_empty() {
            return open("its derivatives vanish where it holds");
        }
        let directions = solved.kernel(graph);
        let bend = Matrix::from_fn(graph, self.free.len(), self.free.len(), |i, j| {
            part.diff(self.free[i]).diff(self.free[j])
        });
        let mut curvatures = Vec::new();
        for (a, x) in directions.iter().enumerate() {
            for y in &directions[..=a] {
                let along = &Matrix::column(graph, x.clone()).transpose() * &bend;
                curvatures.push((&along * &Matrix::column(graph, y.clone()))[(0, 0)]);
            }
        }
        let degree = degree_in(part, &self.free).unwrap_or(3).clamp(2, 12);
        match tally_on(&locus, &curvatures, SHEETS * degree as usize) {
            (0, 0) => open("no random point that satisfies it was found"),
            (points, 0) => {
                self.missed_at(points, degree);
                Factor::Curved("its zero set is curved at every point".to_owned())
            }
            (0, points) => {
                self.missed_at(points, degree);
                match self.only_plane(part) {
                    Some(row) => Factor::Planes(String::new(), vec![vec![row]]),
                    None => Factor::Planes("a union of planes".to_owned(), Vec::new()),
                }
            }
            _ => open("some of its sheets are planes, others are not"),
        }
    }

    /// Of so many sheets one is missed at a point with the probability `1 - 1/degree`.
    fn missed_at(&mut self, points: usize, degree: u32) {
        let missed = points as f64 * (1.0 - 1.0 / f64::from(degree)).log2();
        self.worst = self.worst.max(missed);
    }

    /// The plane `phi_v v = 0` that a factor vanishes on if all its sheets are planes, one of them leads through rest, and it
    /// rises or falls with a velocity everywhere, so that there is but one.
    fn only_plane(&mut self, part: Ex<'g>) -> Option<Ex<'g>> {
        let signs = Signs::new(self.p);
        let steep = |v: &Ex<'g>| signs.of(part.diff(*v)).excludes_zero();
        let coefficients = self.affine_coefficients(part);
        let (at_rest, slopes) = coefficients.split_last()?;
        let is_one = self.free.iter().any(steep)
            && signs.is_on_a_convex_domain(part, &self.free)
            && vanishes(*at_rest);
        let zero = self.p.system.graph.zero();
        is_one.then(|| self.row(&[slopes, &[zero]].concat()))
    }
}

/// The row as the model's language writes it.
pub(crate) fn equation(row: Ex<'_>) -> String {
    format!("{row} = 0")
}
