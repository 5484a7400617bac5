//! What kind of state this is: ranks, and the verdict in words.

use crate::states::agreement::{StateRef, agreement, first_missed, name_of};
use crate::states::corners::{corner_at, is_constant_between_jumps};
use crate::states::departures::{Departures, departures};
use crate::states::flat_rows::{is_flat_by_numbers, is_flat_line};
use crate::states::nearest::{nearest_on_constraints, parameters_of};
use crate::states::rank_around::{RankAround, rank_around};
use crate::states::ranks::{augmented, flatness, most, of_rows, row_without_derivatives};
use crate::states::residuals::scaled_residual;
use crate::states::touching::dependent_positions;
use crate::states::touching_velocities::touch_at;
use crate::values::found::Agreement;
use crate::values::measurement::{Measurement, Table};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Sketch, degree_in};
use appell_flow::{Measured, linear, significant};
use appell_mech::{ConstraintRow, RowStatus, function};
use serde::Serialize;
use std::cell::LazyCell;

/// A residual above this times its terms is off the constraint.
pub const ON_CONSTRAINT: f64 = 1e-8;

/// The verdict on a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Everything has the rank it generically has.
    Regular,
    /// The constraints lose rank here.
    Singular,
    /// Rows are dependent everywhere, without contradiction.
    Redundant,
    /// No finite acceleration satisfies the rows.
    Inconsistent,
    /// Only the coordinates or parameters are bad here.
    Chart,
    /// The state does not satisfy the constraints.
    OffConstraint,
    /// No velocity was found that satisfies the constraints.
    Empty,
}

/// The six ranks of docs/theory.md, *Classes*; `None` where the matrix has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Default)]
pub struct Ranks {
    /// Of `A`.
    #[serde(rename = "A")]
    pub a: Option<usize>,
    /// Of `Psi`, if the model is parametrised.
    pub psi: Option<usize>,
    /// Of `[A|B]`.
    pub augmented: Option<usize>,
    /// Of `M`.
    #[serde(rename = "M")]
    pub mass: Option<usize>,
    /// Of `A M^-1 W`.
    pub gram: Option<usize>,
    /// Of `d phi` in `(q, v)`.
    pub dphi: Option<usize>,
}

/// Ranks, verdict and reason for one state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The six ranks.
    pub rank: Ranks,
    /// The verdict.
    pub status: Status,
    /// The reason, unless the state is regular.
    pub why: Option<String>,
    /// The rank of `A` at states on the constraint around this one, where that was looked at.
    #[serde(skip)]
    pub generic_rank: Option<usize>,
    /// The motions that leave a singular state, where they were looked for.
    #[serde(skip)]
    pub departures: Option<Departures>,
}

impl Judgement {
    /// The verdict on a state at which nothing can be computed.
    pub fn without_values(status: Status, why: &str) -> Self {
        Self {
            rank: Ranks::default(),
            status,
            why: Some(why.to_owned()),
            generic_rank: None,
            departures: None,
        }
    }

    /// Whether the accelerations exist and are unique here.
    pub fn has_motion(&self) -> bool {
        match self.status {
            Status::Regular | Status::Redundant | Status::OffConstraint => true,
            // A bad chart of the parameters leaves the motion alone; one of the coordinates does not.
            Status::Chart => self.rank.gram.is_some(),
            Status::Singular | Status::Inconsistent | Status::Empty => false,
        }
    }
}

/// The ranks at a state, without a verdict.
pub fn ranks_at(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Option<Ranks> {
    Some(ranks(p, &p.measure(t, q, v)?, t, q, v, None))
}

/// Judges the state `(t, q, v)`; `z` are the parameters if they are given.
pub fn judge(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64], z: Option<&[f64]>) -> Judgement {
    const UNDEFINED: &str = "the derivatives of the constraints have no finite value here";
    let Some(m) = p.measure(t, q, v) else {
        return Judgement::without_values(Status::Singular, UNDEFINED);
    };
    let rank = ranks(p, &m, t, q, v, z);
    let (Some(a), Some(augmented)) = (rank.a, rank.augmented) else {
        return Judgement {
            rank,
            ..Judgement::without_values(Status::Singular, UNDEFINED)
        };
    };
    let mut generic_rank = None;
    let verdict = off_constraint(p, &m, t, q, v).or_else(|| {
        let generic = rank_around(p, &m, t, q, v);
        generic_rank = Some(generic.rank);
        loss_of_rank(p, &m, &generic, (a, augmented), (t, q))
            .or_else(|| degenerate_metric(p, &m, &rank))
            .or_else(|| bad_parameters(p, &rank, a))
            .or_else(|| hidden_rows_are_lost(p))
            .or_else(|| row_with_corner(p, t, q, v))
            .or_else(|| rows_that_touch(p, &m, t, q, v, a))
            .or_else(|| dependent_rows(p, &m, (t, q, v), a))
            .or_else(|| undefined_forces(&m))
    });
    let (status, mut why) =
        verdict.map_or((Status::Regular, None), |(status, why)| (status, Some(why)));
    let falls = status == Status::Singular && generic_rank > Some(a) && augmented == a;
    let departures = falls.then(|| departures(p, t, q, v)).flatten();
    if let Some(leaving) = departures.as_ref().and_then(Departures::words) {
        why = why.map(|why| format!("{why}; {leaving}"));
    }
    Judgement {
        rank,
        status,
        why,
        generic_rank,
        departures,
    }
}

/// A verdict other than regular, with its reason.
type Verdict = Option<(Status, String)>;

fn off_constraint(p: &Prepared<'_>, m: &Measurement<'_>, t: f64, q: &[f64], v: &[f64]) -> Verdict {
    let residual = scaled_residual(m);
    if residual <= ON_CONSTRAINT {
        return None;
    }
    Some(match nearest_on_constraints(p, t, q, v) {
        Some(_) => {
            let why = format!("the state misses the constraints by {residual:.3e} of their terms");
            (Status::OffConstraint, why)
        }
        None => {
            let why = "no velocity was found here that satisfies the constraints";
            (Status::Empty, why.to_owned())
        }
    })
}

/// Rank of `A` below its generic value, rows without derivatives, rows without acceleration.
fn loss_of_rank(
    p: &Prepared<'_>,
    m: &Measurement<'_>,
    generic: &RankAround,
    (a, augmented): (usize, usize),
    (t, q): (f64, &[f64]),
) -> Verdict {
    let k = p.constraints.k();
    // Rows that say nothing, and such as others say near here.
    let idle = LazyCell::new(|| {
        let following = dependent_positions(p, t, q).following.into_iter();
        let names = following.map(|row| name_of(p, row));
        void_rows(p)
            .into_iter()
            .chain(names)
            .collect::<Vec<String>>()
    });
    let is_idle = |row: &str| idle.iter().any(|name| name == row);
    if a < generic.rank {
        let drop = format!(
            "the rank of A drops from {} to {a} of {k} rows here",
            generic.rank
        );
        let capture = ", and no finite acceleration satisfies them";
        let why = if augmented > a { drop + capture } else { drop };
        return Some((Status::Singular, why));
    }
    if let Some(row) = flat_row(p, m, generic, &is_idle) {
        let jumps =
            |other: &ConstraintRow<'_>| other.name == row && is_constant_between_jumps(p, other);
        let why = match p.constraints.active().any(jumps) {
            true => ": it is constant between jumps, and restricts no velocity",
            false => ", like those of a square: write its root instead",
        };
        let why = format!("every derivative of `{row}` vanishes where it holds{why}");
        return Some((Status::Singular, why));
    }
    let silent = (a < k).then(|| row_without_derivatives(p, &m.table(function::A)));
    if let Some((row, follows)) = silent.flatten().filter(|(row, _)| !is_idle(row)) {
        let advice = match follows {
            true => format!("leave it out (--drop {row})"),
            false => "write its root instead".to_owned(),
        };
        let why = format!(
            "every derivative of `{row}` vanishes at all states that were found on the constraints, so that it does not \
             restrict the accelerations there: {advice}"
        );
        return Some((Status::Singular, why));
    }
    (augmented > a).then(|| {
        let why = format!(
            "A has rank {a}, [A|B] rank {augmented}: no finite acceleration satisfies the rows"
        );
        (Status::Inconsistent, why)
    })
}

/// Rows on velocities say something of the place that none of their reactions keeps.
fn hidden_rows_are_lost(p: &Prepared<'_>) -> Verdict {
    let mut hidden = p.constraints.hidden.iter();
    hidden.find(|row| !row.kept).map(|row| {
        let (position, of) = (row.position, row.of.join(", "));
        let why = format!(
            "{of} imply {position} = 0 for all velocities, but no reaction of theirs keeps it: write it as a \
                constraint of its own"
        );
        (Status::Inconsistent, why)
    })
}

/// A row has no derivative here.
fn row_with_corner(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Verdict {
    corner_at(p, t, q, v).map(|(row, turned)| {
        let why = format!(
            "`{row}` has no derivative here, where {turned} = 0: its derivatives differ on the two sides, and no motion from it is sought: begin beside it"
        );
        (Status::Singular, why)
    })
}

/// Bends below this part of their terms are the rounding of the state.
const BENT: f64 = 1e-5;

/// Rows that depend on others in their derivatives only: `x'^2 + y'^2 = 1` and `x' = 1` say `y' = 0`, which no
/// reaction keeps. Rows that follow from others have `n (y phi_vv) n = 0` for `y A = 0` and `A n = 0`.
fn rows_that_touch(
    p: &Prepared<'_>,
    m: &Measurement<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    a: usize,
) -> Verdict {
    let system = &p.system;
    let active = p.constraints.active();
    let phis: Vec<Ex<'_>> = active.filter_map(|row| row.phi).collect();
    let straight = |phi: &Ex<'_>| degree_in(*phi, &system.v).is_some_and(|degree| degree <= 1);
    let k = p.constraints.k();
    if phis.len() < k {
        return None;
    }
    let why = || {
        let rank = a.min(k - 1);
        format!(
            "the constraints are tangent to each other here: their derivatives have rank {rank} of {k} and imply less \
                than the constraints, so that no reaction keeps them; write what they imply as linear constraints"
        )
    };
    if a == k {
        let touch = k > 1 && touch_at(p, &(t, q.to_vec(), v.to_vec()));
        return touch.then(|| (Status::Singular, why()));
    }
    if !dependent_positions(p, t, q).touching.is_empty() {
        return Some((Status::Singular, why()));
    }
    if phis.iter().all(straight) {
        return None;
    }
    let mut sketch = Sketch::new(system.graph);
    let bends = phis.iter().flat_map(|phi| {
        let slopes = phi.partials(&system.v);
        slopes
            .into_iter()
            .flat_map(|slope| slope.partials(&system.v))
    });
    sketch.output_list("bends", &bends.collect::<Vec<_>>());
    let state = [q, v].concat();
    let bends = p.compile(&sketch, &["bends"]).results(t, &state).ok()?;
    have_curvature(m, v, &bends).then(|| (Status::Singular, why()))
}

/// Whether combinations of k rows on n velocities whose first derivatives cancel bend along the velocities that the
/// rows leave free; `bends` are the second derivatives, row by row.
fn have_curvature(m: &Measurement<'_>, v: &[f64], bends: &[f64]) -> bool {
    let table = m.table(function::A);
    let (values, sizes) = (table.values(), table.sizes());
    let n = v.len();
    let k = values.len() / n;
    // Bends count beside the slopes that cancel: in which units a row is written does not matter.
    let speed = Some(linear::max_norm(v)).filter(|speed| *speed > 0.0);
    let slopes: Vec<f64> = values.chunks(n).map(linear::max_norm).collect();
    let straight = |y: &[f64]| {
        let terms = y.iter().zip(&slopes).map(|(y, slope)| (y * slope).abs());
        BENT * terms.sum::<f64>() / speed.unwrap_or(1.0)
    };
    let turned = |x: &[f64]| -> Vec<f64> {
        (0..n)
            .flat_map(|j| (0..k).map(move |i| x[i * n + j]))
            .collect()
    };
    let along = linear::null_space(None, k, n, &values, &sizes);
    let combined = linear::null_space(None, n, k, &turned(&values), &turned(&sizes));
    let bend = |y: &[f64], u: &[f64], w: &[f64]| {
        let terms = (0..k * n * n).map(|place| {
            let (row, i, j) = (place / (n * n), place / n % n, place % n);
            y[row] * bends[place] * u[i] * w[j]
        });
        terms.fold((0.0, 0.0), |(sum, size): (f64, f64), x| {
            (sum + x, size + x.abs())
        })
    };
    combined.iter().any(|y| {
        let mut pairs = along.iter().flat_map(|u| along.iter().map(move |w| (u, w)));
        pairs.any(|(u, w)| {
            let (sum, size) = bend(y, u, w);
            sum.abs() > BENT * size && size > straight(y)
        })
    })
}

fn dependent_rows(p: &Prepared<'_>, m: &Measurement<'_>, place: StateRef<'_>, a: usize) -> Verdict {
    let k = p.constraints.k();
    // A row that says nothing has no derivatives anywhere; which do is costly to know exactly.
    let k = match a < k && flat_rows(m).contains(&true) {
        true => k - void_rows(p).len(),
        false => k,
    };
    if a == 0 && k > 0 {
        let on_one_side = matches!(
            agreement(p, place, &m.table(function::A), a),
            Agreement::Follow
        );
        let (status, why) = match on_one_side {
            true => (
                Status::Redundant,
                "the rows hold at all states about this one, and restrict nothing here",
            ),
            false => (
                Status::Singular,
                "all derivatives of the constraints vanish here, so that these say nothing of accelerations",
            ),
        };
        return Some((status, why.to_owned()));
    }
    let spare = (a < k && !p.constraints.ideal).then(|| first_dependent(p, &m.table(function::A)));
    if let Some(row) = spare.flatten() {
        let why = format!(
            "the rows depend on each other, and a reaction has its own direction: the part of each row in it is not \
             known, so leave out the row that depends (--drop {row})"
        );
        return Some((Status::Singular, why));
    }
    (a < k).then(|| agreeing_rows(p, &m.table(function::A), place, (a, k)))
}

/// The verdict on `k` rows of rank `a` that agree with each other here.
fn agreeing_rows(
    p: &Prepared<'_>,
    table: &Table,
    place: StateRef<'_>,
    (a, k): (usize, usize),
) -> (Status, String) {
    let redundant = format!(
        "{} of {k} rows depend on the others; the reaction is unique, the multipliers are not",
        k - a
    );
    let found = agreement(p, place, table, a);
    let rows = match &found {
        Agreement::Follow => return (Status::Redundant, redundant),
        Agreement::Apart(_, Some(rank)) if *rank > a => {
            let why = format!("the rank of A drops from {rank} to {a} of {k} rows here");
            return (Status::Singular, why);
        }
        Agreement::Apart(rows, _) | Agreement::Open(rows) => rows,
    };
    let names: Vec<String> = rows.iter().map(|row| name_of(p, *row)).collect();
    let (plural, names) = (names.len() > 1, format!("`{}`", names.join("`, `")));
    let verb = |one: &str, all: &str| if plural { all } else { one }.to_owned();
    let (agree, contradict) = (verb("agrees", "agree"), verb("contradicts", "contradict"));
    if matches!(found, Agreement::Open(_)) {
        let (t, q, _) = place;
        if dependent_positions(p, t, q).following.len() == k - a {
            return (Status::Redundant, redundant);
        }
        let open = format!("; whether {names} {agree} with them along the motion is not known");
        return (Status::Redundant, redundant + &open);
    }
    match first_missed(p, place, a) {
        Some((t, row, part)) => {
            let (t, part) = (significant(t, 6), significant(part, 2));
            let why = format!(
                "{names} {agree} with the other rows at this state and {contradict} them at others: along the motion \
                 `{row}` is violated from t = {t} on, there by {part} of its terms"
            );
            (Status::Inconsistent, why)
        }
        None => {
            let open = format!(
                "; {names} {contradict} them at other states, and whether they agree along the motion is not known"
            );
            (Status::Redundant, redundant + &open)
        }
    }
}

/// The name of the first active row that depends on those before it at a state.
fn first_dependent(p: &Prepared<'_>, a: &Table) -> Option<String> {
    let (values, sizes) = (a.values(), a.sizes());
    let first = |rows: usize| {
        let end = rows * a.columns;
        linear::rank(rows, a.columns, &values[..end], &sizes[..end])
    };
    let dependent = (0..a.rows).find(|row| first(row + 1) == first(*row))?;
    let mut active = p.constraints.active();
    active.nth(dependent).map(|row| row.name.clone())
}

fn ranks(
    prepared: &Prepared<'_>,
    m: &Measurement<'_>,
    t: f64,
    q: &[f64],
    v: &[f64],
    z: Option<&[f64]>,
) -> Ranks {
    let a = m.table(function::A);
    let rank = of_rows(prepared, &a);
    let parameters = || parameters_of(prepared, t, q, v, None);
    let z = z.map(<[f64]>::to_vec).or_else(parameters);
    let psi = z.and_then(|z| prepared.measure_parametric(t, q, &z)?.table("psi_z").rank());
    let mass = m.table(function::MASS).rank();
    let slopes = m.table(function::PHI_V);
    // `A` is a part of `d phi`, and its rank may be known exactly.
    let least = rank.filter(|_| slopes.rows == a.rows).unwrap_or(0);
    let of_slopes = m.table(function::PHI_Q).beside(&slopes).rank();
    Ranks {
        a: rank,
        psi,
        augmented: rank.and_then(|rank| augmented(prepared, &a, &m.table(function::B), rank)),
        mass,
        gram: gram_rank(prepared, m, mass, rank),
        dphi: of_slopes.map(|found| found.max(least)),
    }
}

/// The rank of `A M^-1 W`, as that of `[M, W; A, 0]` less n; `None` where `M` is singular. It is that of `A`
/// where `W = A^T` and `M` is definite, and never larger.
fn gram_rank(
    p: &Prepared<'_>,
    m: &Measurement<'_>,
    mass: Option<usize>,
    rows: Option<usize>,
) -> Option<usize> {
    if mass? < p.system.n() {
        return None;
    }
    let (a, w, metric) = (
        m.table(function::A),
        m.table(function::W),
        m.table(function::MASS),
    );
    let (n, k) = (metric.rows, a.rows);
    if p.constraints.ideal && linear::inertia(n, &metric.values()).positive == n {
        return rows;
    }
    let nothing = Measured {
        value: 0.0,
        size: 0.0,
    };
    let corner = Table {
        rows: k,
        columns: k,
        entries: vec![nothing; k * k],
    };
    let mut bordered = metric.beside(&w);
    bordered.entries.extend(a.beside(&corner).entries);
    bordered.rows += k;
    let most = most(p, &a).map(|most| n + most);
    Some(bordered.rank_at_most(most)?.saturating_sub(n))
}

/// Which rows have no derivative by coordinates or velocities at a state.
pub(super) fn flat_rows(m: &Measurement<'_>) -> Vec<bool> {
    let derivatives = m.table(function::PHI_Q).beside(&m.table(function::PHI_V));
    let lines = derivatives.entries.chunks(derivatives.columns.max(1));
    lines
        .map(|line| {
            line.iter()
                .all(|x| x.value.abs() <= linear::THRESHOLD * x.size)
        })
        .collect()
}

/// The names of rows that say nothing for the file's values of the parameters.
fn void_rows(p: &Prepared<'_>) -> Vec<String> {
    let exact = p.exact();
    let both = p.constraints.rows.iter().zip(&exact.constraints.rows);
    both.filter(|(row, exact)| row.is_active() && exact.status == RowStatus::Void)
        .map(|(row, _)| row.name.clone())
        .collect()
}

/// The name of a row that is flat wherever it holds, unless it says nothing of its own.
fn flat_row(
    p: &Prepared<'_>,
    m: &Measurement<'_>,
    generic: &RankAround,
    is_idle: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let active = p.constraints.active();
    let rows = active.enumerate().filter(|(_, row)| row.phi.is_some());
    let moving = moving_rows(m);
    let a = LazyCell::new(|| m.table(function::A));
    let at_all_views = |index: usize| is_flat_line(&a, index) && is_flat_by_numbers(p, index);
    rows.zip(&generic.flat)
        .filter(|((index, row), by_numbers)| {
            **by_numbers || moving.get(*index) != Some(&true) || !is_linear(p, row)
        })
        .find(|((index, row), by_numbers)| {
            let known = flatness(p, *index);
            known.unwrap_or_else(|| **by_numbers || at_all_views(*index)) && !is_idle(&row.name)
        })
        .map(|((_, row), _)| row.name.clone())
}

/// Whether a row is linear in the velocities: where one of them enters it at a state, the row has that derivative for all
/// velocities there, and nothing exact needs to be found.
fn is_linear(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let linear = |phi: Ex<'_>| degree_in(phi, &p.system.v).is_some_and(|degree| degree <= 1);
    row.position.is_none() && row.phi.is_some_and(linear)
}

/// Which active rows some velocity enters at a state, beyond rounding.
fn moving_rows(m: &Measurement<'_>) -> Vec<bool> {
    let a = m.table(function::A);
    let lines = a.entries.chunks(a.columns.max(1));
    let enters = |x: &Measured| x.value.abs() > linear::THRESHOLD * x.size;
    lines.map(|line| line.iter().any(enters)).collect()
}

/// `M` or `A M^-1 W` does not determine the motion.
fn degenerate_metric(p: &Prepared<'_>, m: &Measurement<'_>, rank: &Ranks) -> Verdict {
    let n = p.system.n();
    // With v = psi alone the constraint has no rows that could make up for a singular M.
    let by_psi = p.constraints.motion_alone().is_some();
    // Rows that feel every direction without inertia make up for it.
    let expected = massless_directions(m).is_empty();
    match (rank.mass, rank.gram) {
        (Some(mass), _) if mass < n && !expected && !by_psi => {
            let why =
                format!("M has rank {mass} of {n} here, and the constraints do not make up for it");
            Some((Status::Chart, why))
        }
        (_, Some(gram)) if Some(gram) < rank.a => {
            let why = format!(
                "A M^-1 W has rank {gram}, A has rank {}: some reaction does not act on its own constraint",
                rank.a.unwrap_or(0)
            );
            Some((Status::Singular, why))
        }
        _ => None,
    }
}

/// Forces without a value, as `-log(x)` has none at 0: no motion begins there.
fn undefined_forces(m: &Measurement<'_>) -> Verdict {
    let right = m.table(function::RIGHT).values();
    let why = "the forces have no finite value here";
    let defined = right.iter().all(|x| x.is_finite());
    (!defined).then(|| (Status::Singular, why.to_owned()))
}

/// A basis of the velocities that neither `M` nor `A` feels.
pub(crate) fn massless_directions(m: &Measurement<'_>) -> Vec<Vec<f64>> {
    let (mut both, a) = (m.table(function::MASS), m.table(function::A));
    both.rows += a.rows;
    both.entries.extend(a.entries);
    let (values, sizes) = (both.values(), both.sizes());
    linear::null_space(None, both.rows, both.columns, &values, &sizes)
}

/// The parameters `z` do not cover the velocities here.
fn bad_parameters(p: &Prepared<'_>, rank: &Ranks, a: usize) -> Verdict {
    let parametric = p.constraints.parametric.as_ref()?;
    if p.constraints.has_dropped_rows() {
        return None;
    }
    let m = parametric.z.len();
    let freedom = if p.constraints.k() == 0 {
        m
    } else {
        p.system.n() - a
    };
    match rank.psi {
        None if p.constraints.motion_alone().is_some() => {
            let why = "no parameters z give this velocity by v = psi(q, z, t)".to_owned();
            Some((Status::OffConstraint, why))
        }
        None => {
            let why = "v = psi(q, z, t) has no parameters for this velocity".to_owned();
            Some((Status::Chart, why))
        }
        Some(psi) if psi < m.min(freedom) => {
            let motion = match p.constraints.motion_alone() {
                Some(_) => "; v = psi(q, z, t) alone does not tell whether the motion is",
                None => ", not the motion",
            };
            let why =
                format!("Psi has rank {psi} of {m} here: the parameters are singular{motion}");
            Some((Status::Chart, why))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_which_velocities_stand_are_not_looked_at_exactly() {
        let text = "coordinates = ['x', 'y', 'z']\n[energy]\nkinetic = \"x'^2 + y'^2 + z'^2\"\n\
                    [constraints]\nblade = \"x'*sin(z) = y'*cos(z)\"\nROW";
        for (row, exact) in [("", false), ("square = \"(x' - 1)^2 = 0\"", true)] {
            let text = text.replace("ROW", row);
            let (model, _) = appell_model::read("rows.toml", &text).expect("it is right");
            let p = Prepared::new(&model, &[], &[]).expect("it has parameters");
            let v = [1.0, 0.5_f64.tan(), 0.2];
            judge(&p, 0.0, &[0.3, 0.2, 0.5], &v, None);
            assert_eq!(!p.found.flat.borrow().is_empty(), exact, "{row}");
        }
    }

    /// The motion does not ask how the model is with other parameters, which may take a minute; only rows
    /// without any derivative may say nothing.
    #[test]
    fn exact_values_are_asked_for_only_by_rows_that_may_say_nothing() {
        for (row, void) in [("a*x' = a*y'", false), ("b*x' = b*z'", true)] {
            let text = format!(
                "coordinates = ['x', 'y', 'z']\n[parameters]\na = 2\nb = 0\n[energy]\n\
                 kinetic = \"x'^2 + y'^2 + z'^2\"\n[constraints]\none = \"x' = y'\"\nother = \"{row}\"\n"
            );
            let (model, _) = appell_model::read("rows.toml", &text).expect("it is right");
            let p = Prepared::new(&model, &[], &[]).expect("it has parameters");
            let judged = judge(&p, 0.0, &[0.3, 0.2, 0.1], &[1.0, 1.0, 2.0], None);
            let wanted = if void {
                Status::Regular
            } else {
                Status::Redundant
            };
            assert_eq!(judged.status, wanted, "{row}: {:?}", judged.why);
            assert_eq!(p.exact.get().is_some(), void, "{row}");
        }
    }
}
