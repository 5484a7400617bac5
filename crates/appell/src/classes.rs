//! The classes of constraints, in the words of the model format.

use crate::measurement::Table;
use crate::prepared::Prepared;
use crate::scattered::{scattered_constrained_state, scattered_state};
use appell_expr::{Ex, Rational, vanishes};
use appell_flow::linear;
use appell_mech::{ConstraintRow, Standing, function};
use appell_model::Level;
use serde::Serialize;

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
    /// Not yet decided.
    pub contrived: Option<String>,
    /// Not yet searched for.
    pub equivalent_linear: Option<Vec<String>>,
    /// What became of each row.
    pub standing: Vec<String>,
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
        Self { p, views, weights }
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
        let mut flag = |word: &'static str, holds: bool| words.extend(holds.then_some(word));
        flag(
            "time-dependent",
            kept.iter().any(|row| depends_on_time(self.p, row)),
        );
        flag(
            "redundant",
            rows.iter()
                .any(|row| self.weight(row) == Some(Weight::Dependent)),
        );
        flag(
            "void",
            rows.iter().any(|row| row.standing == Standing::Void),
        );
        let degrees: Vec<Option<f64>> = kept.iter().map(|row| degree(self.p, row)).collect();
        let degree = degrees.first().copied().flatten();
        ConstraintClass {
            name: entry.name.clone(),
            rows: rows.len(),
            words,
            degree: degree.filter(|d| degrees.iter().all(|e| *e == Some(*d))),
            contrived: None,
            equivalent_linear: None,
            standing: rows.iter().map(|row| self.standing(row)).collect(),
        }
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
