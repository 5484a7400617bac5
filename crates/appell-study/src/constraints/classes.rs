//! The classes of constraints, in the words of the model format.

mod branches;
mod components;
mod conditions;
pub(crate) mod cones;
mod consequence;
mod constraint_class;
pub(crate) mod contrived;
mod doubt;
mod factored;
pub(crate) mod integrable;
mod integrals;
mod joint;
mod kept_factors;
mod known_signs;
mod of_place;
mod partial;
mod plane_sheets;
mod real_points;
mod redundancy;
mod shapes;
mod simplify;
pub(crate) mod singular_set;
mod zero_set;

pub use constraint_class::ConstraintClass;
pub use simplify::{Replacement, Simplified, simplify};

use self::branches::{
    alike_on_all_sheets, compatible_at_rest, or_at_start, sheets_differ, start_first,
};
use self::conditions::Ranks;
use self::consequence::follows;
use self::contrived::{Nonlinearity, SHEET_OPEN, active_rows, equation, nature};
use self::doubt::doubt;
use self::integrable::{Integrability, integrability, integrals_of, is_holonomic};
use self::integrals::Integral;
use self::of_place::real_rows;
use self::real_points::has_curved_state;
use self::shapes::common_shape;
use self::simplify::beyond;
use crate::states::corners::is_constant_between_jumps;
use crate::states::flat_rows::is_flat_line;
use crate::states::ranks::flatness;
use crate::states::real_rows::RealRow;
use crate::states::said_together::said_together;
use crate::states::scattered_states::{scattered_constrained_state, scattered_state};
use crate::states::start::start;
use crate::states::touching::dependent_at_start;
use crate::states::touching_velocities::touching_velocities;
use crate::values::measurement::Table;
use crate::values::prepared::Prepared;
use crate::values::stationary::depends_on_time;
use appell_expr::{Ex, generic_rank, is_free_of};
use appell_flow::linear;
use appell_mech::{ConstraintRow, RowStatus, function, is_affine, states_on};
use appell_model::Level;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The constraints of a model, looked at from scattered states.
pub struct SampledConstraints<'p, 'g> {
    p: &'p Prepared<'g>,
    /// States on the constraints, or anywhere where none were found on them.
    views: Vec<View>,
    /// Whether these lie on the constraints.
    found: bool,
    /// Of each active row, once asked for: what it says over the real numbers,
    reals: OnceCell<Vec<Option<RealRow<'g>>>>,
    /// how it stands to linear ones,
    natures: OnceCell<Vec<Nonlinearity<'g>>>,
    /// and the rows that say the same on the sheet of the start; none where other rows say it.
    said: OnceCell<Vec<Vec<Ex<'g>>>>,
    /// The ranks of the first so many rows.
    ranks: OnceCell<Ranks>,
    /// The rows that depend on others and do not follow from them.
    dependent: OnceCell<redundancy::DependentRows>,
    integrability: OnceCell<Integrability>,
    /// Why no class is certain.
    doubt: OnceCell<Option<String>>,
}

/// `A` at a state.
struct View {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Table,
}

/// Why nothing is said of curved rows whose real states are all singular.
const NOWHERE_REGULAR: &str =
    "it is curved over the complex numbers, and all real states that were found are singular";
/// Points at which components are looked at: one of four is missed with a probability of 10^-6.
pub(super) const COMPONENTS: usize = 48;
/// How many states are looked at.
const VIEWS: u32 = 4;

/// Why an entry is contrived, the rows that say the same, and all its sheets.
#[derive(Default)]
struct ContrivedAnswer {
    why: Option<String>,
    equivalent_linear: Option<Vec<String>>,
    branches: Vec<Vec<String>>,
}

impl<'p, 'g> SampledConstraints<'p, 'g> {
    /// Looks at the constraints once, with special values of parameters put in.
    pub fn new(p: &'p Prepared<'g>) -> Self {
        Self::of(p.exact())
    }

    /// Looks at the constraints as they are.
    pub(crate) fn of(p: &'p Prepared<'g>) -> Self {
        let on: Vec<_> = (0..VIEWS)
            .filter_map(|sample| scattered_constrained_state(p, sample))
            .collect();
        let start = start(p).ok();
        let start = start.map(|start| (start.t, start.q, start.v));
        let found = !on.is_empty() || start.is_some();
        let states = if found {
            on
        } else {
            (0..VIEWS)
                .map(|sample| scattered_state(p, sample))
                .collect()
        };
        let view = |(t, q, v): (f64, Vec<f64>, Vec<f64>)| {
            let a = p.measure(t, &q, &v)?.table(function::A);
            a.rank().is_some().then_some(View { t, q, v, a })
        };
        Self {
            p,
            views: states.into_iter().chain(start).filter_map(view).collect(),
            found,
            reals: OnceCell::new(),
            natures: OnceCell::new(),
            said: OnceCell::new(),
            ranks: OnceCell::new(),
            dependent: OnceCell::new(),
            integrability: OnceCell::new(),
            doubt: OnceCell::new(),
        }
    }

    /// What each active row says over the real numbers; `None` for rows on accelerations.
    fn reals(&self) -> &[Option<RealRow<'g>>] {
        self.reals.get_or_init(|| real_rows(self.p))
    }

    /// How each active row stands to linear ones; of several sheets that of the start is first.
    pub(crate) fn natures(&self) -> &[Nonlinearity<'g>] {
        let all = || {
            let (p, reals) = (self.p, self.reals());
            let rows = 0..p.constraints.k();
            let natures: Vec<_> = rows.map(|row| nature(p, row, reals)).collect();
            let mut natures = joint::together(p, natures);
            if !self.has_regular_state() {
                natures = natures
                    .into_iter()
                    .map(|nature| nature.or_open(NOWHERE_REGULAR))
                    .collect();
            }
            let plain: Vec<Vec<Ex<'g>>> = (0..natures.len())
                .map(|row| {
                    let plain = self.plain_rows(row, &natures[row]);
                    or_at_start(p, plain, &natures[row])
                })
                .collect();
            let others = |row: usize| {
                let others = plain.iter().enumerate().filter(|(other, _)| *other != row);
                others
                    .flat_map(|(_, rows)| rows.clone())
                    .collect::<Vec<_>>()
            };
            let sorted = natures.into_iter().enumerate();
            let sorted = sorted.map(|(row, nature)| start_first(p, nature, &others(row)));
            compatible_at_rest(p, sorted.collect())
        };
        self.natures.get_or_init(all)
    }

    /// Whether `A` has its generic rank at some of the real states that were found: else these may lie on a
    /// smaller set than the points of a prime field, as those of a sum of squares do.
    fn has_regular_state(&self) -> bool {
        let (system, constraints) = (&self.p.system, &self.p.constraints);
        let rows: Vec<Ex<'g>> = active_rows(self.p)
            .into_iter()
            .filter_map(|(_, phi)| phi)
            .collect();
        if !self.found || self.views.is_empty() || rows.iter().all(|row| is_affine(system, *row)) {
            return true;
        }
        let locus = states_on(system, constraints, &rows, &[]);
        let order: Vec<usize> = (0..system.n()).collect();
        let generic = generic_rank(&locus, &constraints.a, &order).map_or(0, |found| found.rank);
        // States near a singular set are found to half of their digits only.
        let rank = |view: &View| {
            let (rows, columns) = (view.a.rows, view.a.columns);
            let coarse: Vec<f64> = view.a.sizes().iter().map(|size| 1e6 * size).collect();
            linear::rank(rows, columns, &view.a.values(), &coarse)
        };
        self.views.iter().any(|view| rank(view) >= generic)
    }

    /// The affine rows that a row says and nothing else, if it is such a row.
    fn plain_rows(&self, row: usize, nature: &Nonlinearity<'g>) -> Vec<Ex<'g>> {
        match (nature, &self.reals()[row]) {
            (Nonlinearity::Affine, Some(real)) => real.rows.clone(),
            (Nonlinearity::Contrived { branches, .. }, _) if branches.len() == 1 => {
                branches[0].clone()
            }
            _ => Vec::new(),
        }
    }

    /// The rows that say what each active row says, on the sheet of the start; none where the affine
    /// rows say it already.
    fn equivalent_rows(&self) -> &[Vec<Ex<'g>>] {
        self.said.get_or_init(|| {
            let (natures, named) = (self.natures(), active_rows(self.p));
            let plain: Vec<Vec<Ex<'g>>> = (0..named.len())
                .map(|row| self.plain_rows(row, &natures[row]))
                .collect();
            let affine = plain.concat();
            let mut said: Vec<Vec<Ex<'g>>> = (0..named.len())
                .map(|row| match (named[row].1, plain[row].is_empty()) {
                    (_, false) => plain[row].clone(),
                    (Some(phi), true) if follows(self.p, &affine, &[phi]) => Vec::new(),
                    (Some(_), true) => self.own_rows(row),
                    (None, true) => Vec::new(),
                })
                .collect();
            if let Some(together) = said_together(self.p) {
                said = together.of_rows;
            }
            // What rows hide is said by the one that depends on the others, which is the last.
            for hidden in &self.p.constraints.hidden {
                let by = |(name, _): &(&str, Option<Ex<'g>>)| {
                    hidden.of.last().is_some_and(|of| of == name)
                };
                if let Some(last) = named.iter().position(by) {
                    said[last].push(hidden.rate);
                }
            }
            said
        })
    }

    /// The rows of one active row on the sheet of the start, whatever other rows say; all sheets where that is open.
    fn own_rows(&self, row: usize) -> Vec<Ex<'g>> {
        let nature = &self.natures()[row];
        match (nature, &self.reals()[row]) {
            (Nonlinearity::Contrived { branches, .. }, _)
                if !branches.is_empty() && !nature.is_of_several_sheets() =>
            {
                branches[0].clone()
            }
            (Nonlinearity::Union { sheet, .. }, _) if sheet.is_some() => {
                sheet.iter().copied().collect()
            }
            (_, Some(real)) if !real.rows.is_empty() => real.rows.clone(),
            _ => active_rows(self.p)[row].1.into_iter().collect(),
        }
    }

    /// Why no class is certain: whether something in the rows is 0 could not be decided.
    fn undecided_reason(&self) -> Option<&str> {
        let found = self.doubt.get_or_init(|| {
            let rows = active_rows(self.p).into_iter().filter_map(|(_, phi)| phi);
            doubt(self.p, &rows.collect::<Vec<_>>())
        });
        found.as_deref()
    }

    /// What brackets tell of all rows.
    pub(crate) fn integrability(&self) -> &Integrability {
        self.integrability.get_or_init(|| {
            let named = active_rows(self.p);
            let refuse = Integrability::refused;
            if let Some(why) = self.undecided_reason() {
                return refuse(why);
            }
            if named.iter().any(|(_, phi)| phi.is_none()) {
                return refuse("a row is given on accelerations");
            }
            let closed = self.natures().iter().zip(&named);
            for (nature, (name, _)) in closed {
                match nature {
                    Nonlinearity::Nowhere { .. } => {
                        return refuse(&format!("no real velocity satisfies `{name}`"));
                    }
                    Nonlinearity::Piecewise { .. } => {
                        return refuse(&format!("`{name}` is piecewise: each piece has its own"));
                    }
                    _ => {}
                }
            }
            integrability(self.p, &self.said_by_name())
        })
    }

    /// Integrals of what the rows hide, as far as they are found: a search that may take long.
    pub(crate) fn integrals(&self) -> Vec<Integral> {
        integrals_of(self.p, &self.said_by_name(), self.integrability().hidden)
    }

    fn said_by_name(&self) -> Vec<(&'p str, Ex<'g>)> {
        let rows = active_rows(self.p).into_iter().zip(self.equivalent_rows());
        let rows = rows.flat_map(|((name, _), said)| said.iter().map(move |row| (name, *row)));
        rows.collect()
    }

    /// The generic rank of the rows, by what they say.
    pub fn rank(&self) -> usize {
        self.ranks().of_first.last().copied().unwrap_or(0)
    }

    /// The name of a row that makes all states singular, if there is one.
    pub fn singular_everywhere(&self) -> Option<&'p str> {
        let named = active_rows(self.p);
        if (0..named.len()).any(|row| self.holds_nowhere(row)) {
            return None;
        }
        let flat = |row: &usize| self.touches(*row) || self.is_flat(*row);
        let first = (0..named.len()).find(flat);
        let first = first.or_else(|| touching_velocities(self.p));
        first.map(|row| named[row].0)
    }

    /// Whether no real velocity satisfies an active row.
    fn holds_nowhere(&self, index: usize) -> bool {
        matches!(self.natures()[index], Nonlinearity::Nowhere { .. })
    }

    /// Whether all derivatives of an active row vanish wherever it holds, and other rows do not say it: exactly where
    /// that is known, else by numbers.
    fn is_flat(&self, index: usize) -> bool {
        let by_numbers = || {
            let mut views = self.views.iter();
            self.found && views.len() > 0 && views.all(|view| is_flat_line(&view.a, index))
        };
        flatness(self.p, index).unwrap_or_else(by_numbers)
            && !dependent_at_start(self.p).following.contains(&index)
    }

    /// The class of one entry: words that hold for each of its rows, and flags of single rows.
    ///
    /// One piece: the order in which words are said.
    pub fn class(&self, constraint: usize) -> ConstraintClass {
        if let Some(why) = self.undecided_reason() {
            return ConstraintClass::undecided(self.p, constraint, why);
        }
        let entry = &self.p.model.constraints[constraint];
        let all = self.p.constraints.rows.iter();
        let rows: Vec<&ConstraintRow<'_>> =
            all.filter(|row| row.constraint == constraint).collect();
        let kept: Vec<&ConstraintRow<'_>> = rows
            .iter()
            .copied()
            .filter(|row| row.status != RowStatus::Void)
            .collect();
        let shapes: Vec<Vec<&str>> = kept.iter().flat_map(|row| self.shapes(row)).collect();
        let mut words = common_shape(&shapes);
        let mut open = BTreeMap::new();
        let ContrivedAnswer {
            why: contrived,
            equivalent_linear,
            branches,
        } = self.contrived_answer(&kept);
        let is_plane = contrived.is_some() && branches.is_empty();
        if is_plane && words.contains(&"general") {
            words.retain(|word| *word != "general");
            let why = equivalent_linear.as_ref().map_or(PLANES, |_| ONE_PLANE);
            open.insert("general", why.to_owned());
        }
        let entry_nature = self.entry_nature(&kept);
        let are_of_velocities = kept.iter().all(|row| row.phi.is_some());
        if let Some(Nonlinearity::Open { why, is_curved }) = entry_nature
            && are_of_velocities
            && !is_curved
            && words.contains(&"general")
        {
            words.retain(|word| *word != "general");
            open.insert("general", why.clone());
        }
        let mut flag = |word: &'static str, holds: bool| words.extend(holds.then_some(word));
        flag(
            "time-dependent",
            kept.iter().any(|row| self.depends_on_time(row)),
        );
        let mut bound = self.bound_of_shapes(&kept);
        if let Some(
            Nonlinearity::Contrived { bound: other, .. }
            | Nonlinearity::Inherent { bound: other, .. },
        ) = entry_nature
        {
            bound = bound.max(*other);
        }
        let mut by_start = matches!(
            entry_nature,
            Some(Nonlinearity::Contrived { at_start: true, .. })
        );
        if let Some(nature) = entry_nature {
            nature.word().into_iter().for_each(|word| flag(word, true));
            if let Some(why) = nature.undecided() {
                open.insert("contrived", why);
            }
            let why = nature
                .without_linear_rows()
                .filter(|_| equivalent_linear.is_none());
            why.into_iter()
                .for_each(|why| drop(open.insert("equivalent_linear", why)));
        }
        if !words_hold_holonomic(&kept) {
            let found = self.holonomic(&kept);
            bound = found.map_or(bound, |(_, other)| bound.max(other));
            let found = found.map(|(holds, _)| holds);
            let indices = kept.iter().filter_map(|row| row.active_index());
            let mut natures = indices.map(|index| &self.natures()[index]);
            by_start |= found
                .is_some_and(|holds| natures.any(|nature| sheets_differ(self.p, nature, holds)));
            match found {
                Some(true) => flag("holonomic", true),
                Some(false) => flag("nonholonomic", true),
                None if kept.is_empty() => {}
                None => {
                    let why = match entry_nature {
                        Some(Nonlinearity::Piecewise { why } | Nonlinearity::Nowhere { why }) => {
                            why
                        }
                        Some(nature) if nature.is_of_several_sheets() => SHEET_OPEN,
                        _ => "brackets did not decide it",
                    };
                    open.insert("nonholonomic", why.to_owned());
                }
            }
        }
        let active = rows.iter().filter_map(|row| row.active_index());
        let redundant: Vec<usize> = active.filter(|index| self.is_redundant(*index)).collect();
        let is_known = redundant
            .iter()
            .any(|index| self.is_known_to_follow(*index));
        flag("redundant", !redundant.is_empty());
        flag("void", rows.iter().any(|row| row.status == RowStatus::Void));
        let mut by_numbers = Vec::new();
        if !redundant.is_empty() {
            match self.ranks().bound.filter(|_| is_known) {
                Some(other) => bound = bound.max(other),
                None => by_numbers.push("redundant"),
            }
        }
        if matches!(
            entry_nature,
            Some(Nonlinearity::Contrived {
                by_numbers: true,
                ..
            })
        ) {
            by_numbers.push("contrived");
        }
        // An affine row without drift is called linear.
        let is_settled = kept.is_empty() || words.contains(&"affine") || words.contains(&"cone");
        if !is_settled && kept.iter().all(|row| self.looks_invariant(row)) {
            let why =
                "it was not proved on every component, and no state was found that contradicts it";
            open.insert("cone", why.to_owned());
        }
        let mut degrees = kept.iter().flat_map(|row| self.degrees(row));
        let degree = degrees.next().flatten();
        let degree = degree.filter(|d| degrees.all(|other| other.as_ref() == Some(d)));
        let indices = kept.iter().filter_map(|row| row.active_index());
        let reals = indices.filter_map(|index| self.reals()[index].as_ref());
        let mut conditions: Vec<String> = Vec::new();
        for condition in reals.flat_map(|real| real.conditions()) {
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        ConstraintClass {
            name: entry.name.clone(),
            rows: rows.len(),
            words,
            degree,
            contrived,
            equivalent_linear,
            equivalent: self.equivalent(&kept),
            branches,
            conditions,
            open,
            by_numbers,
            by_start,
            bound,
            standing: rows.iter().map(|row| self.row_verdict(row)).collect(),
        }
    }

    /// The nature of an entry: that of the row which leaves the least to say of all its rows.
    fn entry_nature(&self, rows: &[&ConstraintRow<'g>]) -> Option<&Nonlinearity<'g>> {
        let natures = rows.iter().filter_map(|row| row.active_index());
        natures
            .map(|index| &self.natures()[index])
            .min_by_key(|nature| match nature {
                Nonlinearity::Nowhere { .. } => 0,
                Nonlinearity::Piecewise { .. } => 1,
                Nonlinearity::Inherent { .. } => 2,
                Nonlinearity::Open { .. } | Nonlinearity::Union { .. } => 3,
                Nonlinearity::Contrived { .. } => 4,
                Nonlinearity::Affine => 5,
            })
    }

    /// What is said of a contrived entry.
    fn contrived_answer(&self, rows: &[&ConstraintRow<'g>]) -> ContrivedAnswer {
        let texts = |rows: &[Ex<'g>]| rows.iter().map(|row| equation(*row)).collect();
        let indices = || rows.iter().filter_map(|row| row.active_index());
        for index in indices() {
            if let Nonlinearity::Contrived { why, branches, .. } = &self.natures()[index] {
                let sheets: Vec<Vec<String>> =
                    branches.iter().map(|branch| texts(branch)).collect();
                // Of several rows all are said on the sheet of the start.
                let equivalent = match rows.len() {
                    1 if self.natures()[index].is_of_several_sheets() => None,
                    1 => branches
                        .first()
                        .filter(|branch| self.are_affine(std::slice::from_ref(*branch)))
                        .map(|branch| texts(branch)),
                    _ => {
                        let mut all: Vec<Ex<'g>> = Vec::new();
                        for row in indices().flat_map(|row| self.own_rows(row)) {
                            if !all.contains(&row) {
                                all.push(row);
                            }
                        }
                        self.are_affine(std::slice::from_ref(&all))
                            .then(|| texts(&all))
                    }
                };
                let several = if sheets.len() > 1 { sheets } else { Vec::new() };
                return ContrivedAnswer {
                    why: Some(why.clone() + &beyond(self.p, branches)),
                    equivalent_linear: equivalent,
                    branches: several,
                };
            }
        }
        ContrivedAnswer::default()
    }

    /// Whether the rows of an entry can be integrated, on the sheet of the start.
    fn holonomic(&self, rows: &[&ConstraintRow<'g>]) -> Option<(bool, f64)> {
        let indices: Vec<usize> = rows.iter().filter_map(|row| row.active_index()).collect();
        let mut several = indices
            .iter()
            .filter(|index| self.natures()[**index].is_of_several_sheets());
        if let Some(index) = several.next() {
            let found = alike_on_all_sheets(self.p, &self.natures()[*index]);
            return found.filter(|_| indices.len() == 1);
        }
        let mut said = Vec::new();
        for index in indices {
            self.reals()[index].as_ref()?;
            let rows = self.own_rows(index);
            let curved = rows.iter().any(|row| !is_affine(&self.p.system, *row));
            match &self.natures()[index] {
                Nonlinearity::Inherent { bound, .. } => return Some((false, *bound)),
                Nonlinearity::Piecewise { .. } | Nonlinearity::Nowhere { .. } => return None,
                // It is another row with the others, or has no derivatives to go by.
                Nonlinearity::Contrived { given: true, .. } if curved => {
                    return self.all_holonomic();
                }
                Nonlinearity::Open { .. } | Nonlinearity::Union { .. }
                    if curved && self.has_others(index) =>
                {
                    return None;
                }
                _ if curved && (self.is_flat(index) || self.touches(index)) => return None,
                _ => said.extend(rows),
            }
        }
        let found = is_holonomic(self.p, &said)?;
        let bent = |row: &&Ex<'g>| !is_affine(&self.p.system, **row);
        let mut curved = said.iter().filter(bent).peekable();
        // Brackets at points of prime fields speak of complex points too.
        let real =
            found.0 || curved.peek().is_none() || curved.any(|row| has_curved_state(self.p, *row));
        real.then_some(found)
    }

    /// Whether there is another row that is not affine.
    fn has_others(&self, row: usize) -> bool {
        let natures = self.natures().iter().enumerate();
        let mut others = natures.filter(|(other, _)| *other != row);
        others.any(|(_, nature)| !matches!(nature, Nonlinearity::Affine))
    }

    /// Whether all rows together can be integrated, and with them each of them; nothing if they cannot.
    fn all_holonomic(&self) -> Option<(bool, f64)> {
        let all: Vec<Ex<'g>> = active_rows(self.p)
            .into_iter()
            .filter_map(|(_, phi)| phi)
            .collect();
        is_holonomic(self.p, &all).filter(|(holds, _)| *holds)
    }

    /// Rows, not all linear, that say the same, and why.
    fn equivalent(&self, rows: &[&ConstraintRow<'g>]) -> Option<Vec<String>> {
        let index = rows.iter().find_map(|row| row.active_index())?;
        let real = self.reals()[index].as_ref()?;
        let curved = !matches!(
            self.natures()[index],
            Nonlinearity::Contrived { .. } | Nonlinearity::Affine
        );
        if rows.len() > 1 || !real.changed || real.nowhere || !curved {
            return None;
        }
        let mut words: Vec<String> = real.rows.iter().map(|row| equation(*row)).collect();
        words.extend((!real.why.is_empty()).then(|| real.words()));
        Some(words)
    }

    fn depends_on_time(&self, row: &ConstraintRow<'g>) -> bool {
        match self.shaped(row).filter(|_| row.position.is_none()) {
            Some(rows) => rows.iter().any(|row| !is_free_of(*row, self.p.system.t)),
            None => depends_on_time(self.p, row),
        }
    }

    fn row_verdict(&self, row: &ConstraintRow<'_>) -> String {
        let what = match row.status {
            RowStatus::Void => "identically zero".to_owned(),
            RowStatus::Dropped => "dropped".to_owned(),
            RowStatus::Merged(other) => {
                let twin = &self.p.constraints.rows[other].name;
                format!("its derivative is {twin}, one multiplier for both")
            }
            RowStatus::Active(index) if self.holds_nowhere(index) => {
                "no real velocity satisfies it".to_owned()
            }
            RowStatus::Active(index)
                if self.is_flat(index) && is_constant_between_jumps(self.p, row) =>
            {
                "constant between jumps: it says where the motion may be, and restricts no velocity"
                    .to_owned()
            }
            RowStatus::Active(index) if self.is_flat(index) => {
                "its derivatives vanish where it holds, as those of a square do: write its root \
                 instead"
                    .to_owned()
            }
            RowStatus::Active(index) if self.is_said_with_others(index) => {
                "touches the other rows: where all hold its derivatives say less than it does"
                    .to_owned()
            }
            RowStatus::Active(index)
                if self.equivalent_rows()[index].is_empty() && row.phi.is_some() =>
            {
                "follows from other rows".to_owned()
            }
            RowStatus::Active(index) if self.touches(index) => {
                "touches earlier rows: where all hold its derivatives depend on theirs".to_owned()
            }
            RowStatus::Active(index)
                if self.contradicting_rows().contains(&index) && self.contradict() =>
            {
                "contradicts the other rows".to_owned()
            }
            RowStatus::Active(index) if self.contradicting_rows().contains(&index) => {
                "agrees with the other rows at some states only".to_owned()
            }
            RowStatus::Active(index) if self.is_dependent(index) => {
                "depends on earlier rows".to_owned()
            }
            RowStatus::Active(_) if !self.ranks().known => {
                "no state was found at which all rows hold".to_owned()
            }
            RowStatus::Active(_) => "independent".to_owned(),
        };
        format!("{}: {what}", row.name)
    }

    fn are_affine(&self, branches: &[Vec<Ex<'g>>]) -> bool {
        let mut rows = branches.iter().flatten();
        !branches.is_empty() && rows.all(|row| is_affine(&self.p.system, *row))
    }
}

/// Whether every row is given on coordinates.
fn words_hold_holonomic(rows: &[&ConstraintRow<'_>]) -> bool {
    !rows.is_empty() && rows.iter().all(|row| row.level == Level::Position)
}

/// Why a contrived row is not called general: its linear rows were not found, or say the same.
const PLANES: &str = "it holds on planes, of which there may be one";
const ONE_PLANE: &str = "it says the same as a linear row";
