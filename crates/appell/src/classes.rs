//! The classes of constraints, in the words of the model format.

pub(crate) mod contrived;
pub(crate) mod integrable;
mod integrals;
mod simplify;
pub(crate) mod singular_set;

pub use simplify::{Replacement, Simplified, simplify};

use self::contrived::{Nature, equation, nature};
use self::integrable::{Integrability, integrability, is_holonomic};
use crate::measurement::Table;
use crate::prepared::Prepared;
use crate::scattered::{scattered_constrained_state, scattered_state};
use appell_expr::{Ex, Rational, vanishes};
use appell_flow::linear;
use appell_mech::{ConstraintRow, Standing, function};
use appell_model::Level;
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// What one entry of `[constraints]` is.
#[derive(Debug, Clone, Serialize)]
pub struct ConstraintClass {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// Words of the model format.
    #[serde(rename = "class")]
    pub words: Vec<&'static str>,
    /// The degree of homogeneity in the velocities, if it has one.
    pub degree: Option<f64>,
    /// Why its nonlinearity is contrived, if it is.
    pub contrived: Option<String>,
    /// The rows, linear in the velocities, that say the same: on the sheet of the start if it has
    /// several.
    pub equivalent_linear: Option<Vec<String>>,
    /// All sheets, where it has several: on each the rows that hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Vec<String>>,
    /// What could not be decided and why a key is null, by word or key.
    #[serde(rename = "why", skip_serializing_if = "BTreeMap::is_empty")]
    pub open: BTreeMap<&'static str, String>,
    /// Words that were found in double precision, at scattered states.
    #[serde(skip)]
    pub(crate) by_numbers: Vec<&'static str>,
    /// What became of each row.
    pub standing: Vec<String>,
}

impl ConstraintClass {
    /// Why a word that the entry lacks might still be true of it.
    pub(crate) fn why_open(&self, word: &str) -> Option<String> {
        let key = match word {
            "contrived" | "inherent" => "contrived",
            "holonomic" | "nonholonomic" => "nonholonomic",
            _ => return None,
        };
        let why = self.open.get(key)?;
        Some(format!("`{word}` could not be decided: {why}"))
    }
}

/// What numbers tell of an active row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It raises the rank of the rows before it.
    Independent,
    /// It does not.
    Dependent,
    /// All its derivatives by the velocities vanish wherever it holds.
    Flat,
}

/// The constraints of a model, looked at from scattered states.
pub struct Outlook<'p, 'g> {
    p: &'p Prepared<'g>,
    /// States on the constraints, or anywhere where none were found on them.
    views: Vec<View>,
    /// Of each active row.
    weights: Vec<Weight>,
    /// Of each active row, once asked for.
    natures: OnceCell<Vec<Nature<'g>>>,
    integrability: OnceCell<Integrability>,
}

/// `A` at a velocity.
struct View {
    v: Vec<f64>,
    a: Table,
}

/// How many states are looked at.
const VIEWS: u32 = 4;

impl<'p, 'g> Outlook<'p, 'g> {
    /// Looks at the constraints once.
    pub fn new(p: &'p Prepared<'g>) -> Self {
        let on: Vec<_> = (0..VIEWS)
            .filter_map(|sample| scattered_constrained_state(p, sample))
            .collect();
        let found = !on.is_empty();
        let states = if found {
            on
        } else {
            (0..VIEWS)
                .map(|sample| scattered_state(p, sample))
                .collect()
        };
        let view = |(t, q, v): (f64, Vec<f64>, Vec<f64>)| {
            let a = p.measure(t, &q, &v)?.table(function::A);
            a.rank().is_some().then_some(View { v, a })
        };
        let views: Vec<View> = states.into_iter().filter_map(view).collect();
        let ranks: Vec<usize> = (0..=p.constraints.k())
            .map(|rows| rank_of_first(&views, rows))
            .collect();
        let weight = |row: usize| match ranks[row + 1] > ranks[row] {
            true => Weight::Independent,
            false if found && views.iter().all(|view| is_flat(&view.a, row)) => Weight::Flat,
            false => Weight::Dependent,
        };
        let weights = (0..p.constraints.k()).map(weight).collect();
        Self {
            p,
            views,
            weights,
            natures: OnceCell::new(),
            integrability: OnceCell::new(),
        }
    }

    /// How each active row stands to linear ones; of several sheets that of the start is first.
    pub(crate) fn natures(&self) -> &[Nature<'g>] {
        let all = || {
            let rows = 0..self.p.constraints.k();
            let sorted = rows.map(|row| contrived::start_first(self.p, nature(self.p, row)));
            sorted.collect()
        };
        self.natures.get_or_init(all)
    }

    /// What brackets tell of all rows.
    pub(crate) fn integrability(&self) -> &Integrability {
        let look = || integrability(self.p, self.natures());
        self.integrability.get_or_init(look)
    }

    /// The generic rank of `A`.
    pub fn rank(&self) -> usize {
        self.weights
            .iter()
            .filter(|weight| **weight == Weight::Independent)
            .count()
    }

    /// The class of one entry: words that hold for each of its rows, and flags of single rows.
    pub fn class(&self, constraint: usize) -> ConstraintClass {
        let entry = &self.p.model.constraints[constraint];
        let all = self.p.constraints.rows.iter();
        let rows: Vec<&ConstraintRow<'_>> =
            all.filter(|row| row.constraint == constraint).collect();
        let kept: Vec<&ConstraintRow<'_>> = rows
            .iter()
            .copied()
            .filter(|row| row.standing != Standing::Void)
            .collect();
        let shapes: Vec<Vec<&str>> = kept.iter().map(|row| self.shape(row)).collect();
        let common =
            |word: &&str| !shapes.is_empty() && shapes.iter().all(|shape| shape.contains(word));
        let mut words: Vec<&'static str> = SHAPES.into_iter().filter(common).collect();
        // Rows of different shapes have together the narrowest one that admits them all.
        if !shapes.is_empty() && !SHAPES[..4].iter().any(|word| words.contains(word)) {
            let straight =
                |shape: &Vec<&str>| shape.contains(&"linear") || shape.contains(&"affine");
            words.insert(
                0,
                if shapes.iter().all(straight) {
                    "affine"
                } else {
                    "general"
                },
            );
        }
        let mut flag = |word: &'static str, holds: bool| words.extend(holds.then_some(word));
        flag(
            "time-dependent",
            kept.iter().any(|row| depends_on_time(self.p, row)),
        );
        let entry_nature = self.entry_nature(&kept);
        let mut open = BTreeMap::new();
        let (contrived, equivalent_linear, branches) = self.presentation(&kept);
        let nonlinear = entry_nature.is_some_and(|nature| !matches!(nature, Nature::Affine));
        match entry_nature {
            Some(Nature::Contrived { .. }) => flag("contrived", true),
            Some(Nature::Inherent { .. }) => flag("inherent", true),
            Some(Nature::Open { why }) => {
                open.insert("contrived", why.clone());
            }
            Some(Nature::Affine) | None => {}
        }
        if nonlinear && equivalent_linear.is_none() {
            let why = match entry_nature {
                Some(Nature::Inherent { why }) => format!("there are none: {why}"),
                Some(Nature::Contrived { .. }) => "no quotients were found for them".to_owned(),
                _ => "not decided".to_owned(),
            };
            open.insert("equivalent_linear", why);
        }
        if !words_hold_holonomic(&kept) {
            match self.holonomic(&kept) {
                Some(true) => flag("holonomic", true),
                Some(false) => flag("nonholonomic", true),
                None if kept.is_empty() => {}
                None => {
                    open.insert("nonholonomic", "brackets did not decide it".to_owned());
                }
            }
        }
        flag(
            "redundant",
            rows.iter()
                .any(|row| self.weight(row) == Some(Weight::Dependent)),
        );
        flag(
            "void",
            rows.iter().any(|row| row.standing == Standing::Void),
        );
        let mut by_numbers = vec!["redundant"];
        if matches!(
            entry_nature,
            Some(Nature::Contrived {
                by_numbers: true,
                ..
            })
        ) {
            by_numbers.push("contrived");
        }
        let degrees: Vec<Option<f64>> = kept.iter().map(|row| degree(self.p, row)).collect();
        let degree = degrees.first().copied().flatten();
        if degrees.iter().any(Option::is_none) {
            by_numbers.push("cone");
        }
        ConstraintClass {
            name: entry.name.clone(),
            rows: rows.len(),
            words,
            degree: degree.filter(|d| degrees.iter().all(|e| *e == Some(*d))),
            contrived,
            equivalent_linear,
            branches,
            open,
            by_numbers,
            standing: rows.iter().map(|row| self.standing(row)).collect(),
        }
    }

    /// The nature that all rows of an entry share, or the first that is not affine.
    fn entry_nature(&self, rows: &[&ConstraintRow<'g>]) -> Option<&Nature<'g>> {
        let natures = || rows.iter().filter_map(|row| row.active_index());
        let all = || natures().map(|index| &self.natures()[index]);
        all()
            .find(|nature| !matches!(nature, Nature::Affine))
            .or_else(|| all().next())
    }

    /// Why an entry is contrived, the rows that say the same, and all sheets.
    #[allow(clippy::type_complexity, reason = "three keys of the answer")]
    fn presentation(
        &self,
        rows: &[&ConstraintRow<'g>],
    ) -> (Option<String>, Option<Vec<String>>, Vec<Vec<String>>) {
        let texts = |rows: &Vec<Ex<'g>>| rows.iter().map(|row| equation(*row)).collect();
        let indices = rows.iter().filter_map(|row| row.active_index());
        for index in indices {
            if let Nature::Contrived { why, branches, .. } = &self.natures()[index] {
                let sheets: Vec<Vec<String>> = branches.iter().map(texts).collect();
                let own = sheets.first().cloned();
                let several = if sheets.len() > 1 { sheets } else { Vec::new() };
                return (Some(why.clone()), own, several);
            }
        }
        (None, None, Vec::new())
    }

    fn holonomic(&self, rows: &[&ConstraintRow<'g>]) -> Option<bool> {
        let own = rows.iter().filter(|row| row.is_active());
        let own: Option<Vec<(Ex<'g>, &Nature<'g>)>> = own
            .map(|row| Some((row.phi?, &self.natures()[row.active_index()?])))
            .collect();
        is_holonomic(self.p, &own?)
    }

    fn weight(&self, row: &ConstraintRow<'_>) -> Option<Weight> {
        row.active_index().map(|index| self.weights[index])
    }

    fn standing(&self, row: &ConstraintRow<'_>) -> String {
        let what = match (row.standing.clone(), self.weight(row)) {
            (Standing::Void, _) => "identically zero".to_owned(),
            (Standing::Dropped, _) => "dropped".to_owned(),
            (Standing::Merged(other), _) => {
                let twin = &self.p.constraints.rows[other].name;
                format!("its derivative is {twin}, one multiplier for both")
            }
            (Standing::Active(_), Some(Weight::Dependent)) => "depends on earlier rows".to_owned(),
            (Standing::Active(_), Some(Weight::Flat)) => {
                "has no derivative where it holds, as a square: write its root instead".to_owned()
            }
            (Standing::Active(_), _) => "independent".to_owned(),
        };
        format!("{}: {what}", row.name)
    }

    /// The shape of one row in the velocities.
    fn shape(&self, row: &ConstraintRow<'_>) -> Vec<&'static str> {
        let Some(phi) = row.phi else {
            return vec!["general"];
        };
        let system = &self.p.system;
        let at_rest: Vec<_> = system.v.iter().map(|v| (*v, system.graph.zero())).collect();
        let straight = row
            .a
            .iter()
            .all(|a| system.v.iter().all(|v| vanishes(a.diff(*v))));
        let degree = degree(self.p, row);
        let mut words = match (straight, degree) {
            (true, _) if vanishes(phi.substitute(&at_rest)) => vec!["linear", "homogeneous"],
            (true, _) => vec!["affine"],
            (false, Some(_)) => vec!["homogeneous"],
            (false, None) => vec!["general"],
        };
        if degree.is_some() || self.is_powerless(row) {
            words.push("cone");
        }
        if row.level == Level::Position {
            words.push("holonomic");
        }
        words
    }

    /// Whether `A v = 0` in every view: a cone modulo `phi`.
    fn is_powerless(&self, row: &ConstraintRow<'_>) -> bool {
        let Some(index) = row.active_index() else {
            return false;
        };
        let powerless = |view: &View| {
            let own = view
                .a
                .entries
                .chunks(view.a.columns)
                .nth(index)
                .unwrap_or_default();
            let terms = own
                .iter()
                .zip(&view.v)
                .map(|(a, v)| (a.value * v, a.size * v.abs()));
            let (power, size) = terms.fold((0.0, 0.0), |(p, s): (f64, f64), (a, b)| (p + a, s + b));
            power.abs() <= 1e-9 * size
        };
        !self.views.is_empty() && self.views.iter().all(powerless)
    }
}

/// Whether every row is given on coordinates.
fn words_hold_holonomic(rows: &[&ConstraintRow<'_>]) -> bool {
    !rows.is_empty() && rows.iter().all(|row| row.level == Level::Position)
}

/// Words that a constraint has when all its rows have them.
const SHAPES: [&str; 6] = [
    "linear",
    "affine",
    "homogeneous",
    "general",
    "cone",
    "holonomic",
];

/// The largest rank of the first so many rows.
fn rank_of_first(views: &[View], rows: usize) -> usize {
    let rank = |View { a, .. }: &View| {
        let kept = rows * a.columns;
        linear::rank(rows, a.columns, &a.values()[..kept], &a.sizes()[..kept])
    };
    views.iter().map(rank).max().unwrap_or(0)
}

fn is_flat(a: &Table, row: usize) -> bool {
    let line = &a.entries[row * a.columns..(row + 1) * a.columns];
    // States near a square's zero are found to half the digits only.
    line.iter().all(|x| x.value.abs() <= 1e-4 * x.size)
}

/// Whether the row, or for acceleration rows its coefficients, depend on the time by themselves.
pub fn depends_on_time(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let moves = |x: Ex<'_>| !vanishes(x.diff(p.system.t));
    match row.phi {
        Some(phi) => moves(phi),
        None => moves(row.b) || row.a.iter().any(|a| moves(*a)),
    }
}

/// `d` with `phi_v v = d phi` (Euler), among the halves from -2 to 8.
fn degree(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> Option<f64> {
    let phi = row.phi?;
    let products: Vec<Ex<'_>> = row
        .a
        .iter()
        .zip(&p.system.v)
        .map(|(a, v)| *a * *v)
        .collect();
    let euler = p.system.graph.sum(&products);
    let halves = (-4..=16).filter(|twice| *twice != 0);
    let mut degrees = halves.map(|twice| Rational::new(twice, 2));
    degrees
        .find(|d| vanishes(euler - phi.scale(d)))
        .map(|d| d.to_f64())
}
