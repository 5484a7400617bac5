//! What kind of state this is: ranks, and the verdict in words.

use crate::prepared::{Measurement, Prepared, Table, scattered};
use crate::start::{nearest_on_constraints, parameters_of};
use appell_flow::{Measured, linear};
use appell_mech::{Metric, function};
use serde::Serialize;

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

/// The six ranks of theory.md section 5; `None` where the matrix has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The six ranks.
    pub rank: Ranks,
    /// The verdict.
    pub status: Status,
    /// The reason, unless the state is regular.
    pub why: Option<String>,
}

impl Judgement {
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

/// Judges the state `(t, q, v)`; `z` are the parameters if they are given.
pub fn judge(prepared: &Prepared<'_>, t: f64, q: &[f64], v: &[f64], z: Option<&[f64]>) -> Judgement {
    let Some(m) = prepared.measure(t, q, v) else {
        return undefined(Ranks { a: None, psi: None, augmented: None, mass: None, gram: None, dphi: None });
    };
    let rank = ranks(prepared, &m, t, q, v, z);
    let judged = |status, why: String| Judgement { rank, status, why: Some(why) };
    let (Some(a), Some(augmented)) = (rank.a, rank.augmented) else { return undefined(rank) };
    let k = prepared.constraints.k();
    let residual = scaled_residual(&m);
    if residual.is_nan() || residual > ON_CONSTRAINT {
        return match nearest_on_constraints(prepared, t, q, v) {
            Some(_) => judged(Status::OffConstraint, off_constraint(residual)),
            None => judged(Status::Empty, "no velocity was found here that satisfies the constraints".to_owned()),
        };
    }
    let generic = generic_rank(prepared, t, q, v).max(a);
    if a < generic {
        let drop = format!("the rank of A drops from {generic} to {a} of {k} rows here");
        let why = if augmented > a { format!("{drop}, and no finite acceleration satisfies them") } else { drop };
        return judged(Status::Singular, why);
    }
    if augmented > a {
        let why = format!("A has rank {a}, [A|B] rank {augmented}: no finite acceleration satisfies the rows");
        return judged(Status::Inconsistent, why);
    }
    if let Some(why) = degenerate_metric(prepared, &rank) {
        return judged(if rank.mass == Some(prepared.system.n()) { Status::Singular } else { Status::Chart }, why);
    }
    if let Some(why) = bad_parameters(prepared, &rank, a) {
        return judged(Status::Chart, why);
    }
    if a < k {
        let why = format!("{} of {k} rows depend on the others; the reaction is unique, the multipliers are not", k - a);
        return judged(Status::Redundant, why);
    }
    Judgement { rank, status: Status::Regular, why: None }
}

fn undefined(rank: Ranks) -> Judgement {
    let why = "the derivatives of the constraints have no finite value here".to_owned();
    Judgement { rank, status: Status::Singular, why: Some(why) }
}

fn off_constraint(residual: f64) -> String {
    format!("the state misses the constraints by {residual:.3e} of their terms")
}

/// The largest residual of velocity and position rows, each relative to its terms.
pub fn scaled_residual(m: &Measurement<'_>) -> f64 {
    let rows = [m.table(function::PHI), m.table(function::POSITION)];
    let scaled = |x: &Measured| if x.value == 0.0 { 0.0 } else { x.value.abs() / x.size };
    let residuals = rows.iter().flat_map(|table| table.entries.iter().map(scaled));
    residuals.fold(0.0, |worst, x| if x.is_nan() { x } else { f64::max(worst, x) })
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
    let own = || parameters_of(prepared, t, q, v);
    let z = z.map(<[f64]>::to_vec).or_else(own);
    let psi = z.and_then(|z| prepared.measure_parametric(t, q, &z)?.table("psi_z").rank());
    Ranks {
        a: a.rank(),
        psi,
        augmented: a.beside(&m.table(function::B)).rank(),
        mass: m.table(function::MASS).rank(),
        gram: gram(m).and_then(|gram| gram.rank()),
        dphi: m.table(function::PHI_Q).beside(&a).rank(),
    }
}

/// `A M^-1 W` with the sizes of its terms; `None` where `M` is singular.
fn gram(m: &Measurement<'_>) -> Option<Table> {
    let (a, w, mass) = (m.table(function::A), m.table(function::W), m.table(function::MASS));
    let (n, k) = (mass.rows, a.rows);
    if mass.rank()? < n {
        return None;
    }
    let mut lifted = vec![0.0; n * k];
    let mut scratch = linear::Scratch::default();
    linear::lu(n, &mass.values(), &w.values(), &mut lifted, &mut scratch).ok()?;
    let entry = |i: usize, j: usize| {
        let terms = (0..n).map(|l| (a.entries[i * n + l], lifted[l * k + j]));
        let value = terms.clone().map(|(a, x)| a.value * x).sum();
        Measured { value, size: terms.map(|(a, x)| a.size * x.abs()).sum() }
    };
    let entries = (0..k * k).map(|index| entry(index / k, index % k)).collect();
    Some(Table { rows: k, columns: k, entries })
}

/// The largest rank of `A` at states on the constraint around this one.
fn generic_rank(prepared: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> usize {
    let nearby = |x: &[f64], shift: u32| -> Vec<f64> {
        x.iter().zip(0..).map(|(x, i)| x + 0.5 * scattered(shift + i)).collect()
    };
    let ranks = (0..6u32).filter_map(|sample| {
        let t = t + 0.1 * f64::from(sample) * scattered(911 + sample);
        let (q, v) = (nearby(q, 101 * sample + 3), nearby(v, 101 * sample + 53));
        let (q, v) = nearest_on_constraints(prepared, t, &q, &v)?;
        prepared.measure(t, &q, &v)?.table(function::A).rank()
    });
    ranks.max().unwrap_or(0)
}

/// Why `M` or `A M^-1 W` does not determine the motion, if it does not.
fn degenerate_metric(prepared: &Prepared<'_>, rank: &Ranks) -> Option<String> {
    let n = prepared.system.n();
    match (rank.mass, rank.gram) {
        (Some(mass), _) if mass < n && prepared.system.metric != Metric::Singular => Some(format!(
            "M has rank {mass} of {n} here: the coordinates are singular, not the motion"
        )),
        (_, Some(gram)) if Some(gram) < rank.a => Some(format!(
            "A M^-1 W has rank {gram}, A has rank {}: a reaction does not act on its own constraint",
            rank.a.unwrap_or(0)
        )),
        _ => None,
    }
}

/// Why the parameters `z` do not cover the velocities here, if they do not.
fn bad_parameters(prepared: &Prepared<'_>, rank: &Ranks, a: usize) -> Option<String> {
    let parametric = prepared.constraints.parametric.as_ref()?;
    let m = parametric.z.len();
    let freedom = if prepared.constraints.k() == 0 { m } else { prepared.system.n() - a };
    match rank.psi {
        None => Some("v = psi(q, z, t) has no parameters for this velocity".to_owned()),
        Some(psi) if psi < m.min(freedom) => {
            Some(format!("Psi has rank {psi} of {m} here: the parameters are singular, not the motion"))
        }
        Some(_) => None,
    }
}
