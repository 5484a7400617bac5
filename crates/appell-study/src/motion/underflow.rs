//! Why the steps of a motion became too small: the nearest reason that can be seen at its end.

use crate::values::prepared::Prepared;
use appell_flow::linear::{Kind, Scratch, consistent, singular_values};
use appell_flow::outcome::too_small;
use appell_flow::{Options, Outcome, Trajectory, linear};
use appell_mech::{Carrier, function};

/// A measure that falls below this, and by as much of what it was at the start, vanishes nearby.
const FALLEN: f64 = 1e-3;
/// Velocities that have grown by this factor may have a pole there.
const GROWN: f64 = 1e3;
/// Times after this are rounded to some 1e-13.
const LATE: f64 = 1e3;
/// Relative tolerances below this leave little above rounding errors.
const FINE: f64 = 1e-14;

/// How the motion ended, with the nearest reason, where the steps became too small or none was made.
pub(crate) fn with_reason(
    p: &Prepared<'_>,
    carrier: Carrier,
    (trajectory, start): (&Trajectory, (f64, &[f64])),
    options: &Options,
) -> Option<String> {
    let last = trajectory.samples.last()?;
    let end = || state(p, carrier, last.t, &last.y);
    let (at, step) = match &trajectory.outcome {
        Outcome::Underflow { at, step } => (at, step),
        // So end other methods that cannot begin.
        outcome @ (Outcome::EvalError { .. } | Outcome::StepsExhausted { .. })
            if last.t == start.0 =>
        {
            let why = without_tolerance(p, &end()?, options)?;
            return Some(format!("{outcome} {why}"));
        }
        _ => return None,
    };
    let (first, end) = (state(p, carrier, start.0, start.1)?, end()?);
    let why = rank_that_falls(p, &first, &end)
        .or_else(|| without_tolerance(p, &end, options))
        .unwrap_or_else(|| other_reason(&first, &end, options));
    Some(too_small(at, *step, &why))
}

/// The matrix that loses rank at the end, in words.
fn rank_that_falls(p: &Prepared<'_>, first: &State, end: &State) -> Option<String> {
    let (before, now) = (Matrices::at(p, first)?, Matrices::at(p, end)?);
    let measures: [(Measure, &str, &str); 3] = [
        (
            Matrices::constraints,
            "`A`, the matrix of the constraints,",
            "so a singular state is near",
        ),
        (
            Matrices::mass,
            "`M`, the mass matrix,",
            "so the accelerations grow without bound",
        ),
        (
            Matrices::reactions,
            "`A M^-1 W`",
            "so the reactions, in their directions `W`, cannot keep the constraints",
        ),
    ];
    measures.into_iter().find_map(|(measure, what, so)| {
        let (before, now) = (measure(&before, &before)?, measure(&now, &before)?);
        (now < FALLEN && now < FALLEN * before).then(|| {
            format!(
                "{what} loses rank there (its least singular value falls from {before:.1e} to {now:.1e}), {so}. \
                 End the motion before it with a `stop` condition, or start elsewhere."
            )
        })
    })
}

/// A component that is 0 where no absolute tolerance is given, in words.
fn without_tolerance(p: &Prepared<'_>, end: &State, options: &Options) -> Option<String> {
    let names = p.model.coordinates.iter().map(|q| q.name.as_str());
    let places = names.clone().zip(&end.q).map(|(name, x)| (name, "", x));
    let mut all = places.chain(names.zip(&end.v).map(|(name, x)| (name, "'", x)));
    let (name, mark, _) = all.find(|(_, _, x)| **x == 0.0)?;
    (options.atol == 0.0).then(|| allows_no_error(&format!("{name}{mark}")))
}

/// What is said of a component that is 0 where no absolute tolerance is given.
pub(crate) fn allows_no_error(name: &str) -> String {
    format!(
        "`{name}` is 0 there, and a relative tolerance alone allows what is 0 no error. Give an absolute one too, an \
         `atol` > 0."
    )
}

/// What else is seen, in words.
fn other_reason(first: &State, end: &State, options: &Options) -> String {
    let largest = |v: &[f64]| linear::max_norm(v.iter());
    let (before, now) = (largest(&first.v), largest(&end.v));
    if now > GROWN * before.max(1.0) {
        let fast = match end.t.abs() > LATE {
            true => {
                " If the motion is only fast there and goes on, let it begin at a time nearer to 0: shorter steps are lost in \
                 the rounding of this time."
            }
            false => "",
        };
        return format!(
            "the velocities have grown to {now:.1e}, as they do at a pole of the forces. End the motion before it with a \
             `stop` condition.{fast}"
        );
    }
    if options.rtol < FINE && options.atol < FINE {
        return "the tolerances leave little above rounding errors. Use larger ones.".to_owned();
    }
    "no matrix loses rank there and the velocities are bounded, so a force or a constraint is not smooth there, or \
     very stiff. Use larger tolerances or `--method radau5`, or end the motion before."
        .to_owned()
}

/// Something of the matrices that vanishes where one of them loses rank, in the units of those at the start.
type Measure = fn(&Matrices, &Matrices) -> Option<f64>;

pub(crate) struct State {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// The coordinates and velocities of a state of the carrier.
pub(crate) fn state(p: &Prepared<'_>, carrier: Carrier, t: f64, y: &[f64]) -> Option<State> {
    let n = p.system.n();
    let (q, fibre) = y.split_at_checked(n)?;
    let v = match carrier {
        Carrier::Velocities => fibre.get(..n)?.to_vec(),
        Carrier::Parameters => p.velocities(t, q, fibre.get(..p.model.motion.variables.len())?)?,
        Carrier::Momenta => return None,
    };
    Some(State {
        t,
        q: q.to_vec(),
        v,
    })
}

/// `M`, `A` and `W` at a state, row by row.
struct Matrices {
    n: usize,
    k: usize,
    mass: Vec<f64>,
    a: Vec<f64>,
    w: Vec<f64>,
    rank: usize,
}

impl Matrices {
    fn at(p: &Prepared<'_>, state: &State) -> Option<Self> {
        let m = p.measure(state.t, &state.q, &state.v)?;
        let table = |name| m.table(name).values();
        Some(Self {
            n: p.system.n(),
            k: p.constraints.k(),
            mass: table(function::MASS),
            a: table(function::A),
            w: table(function::W),
            rank: m.table(function::A).rank()?,
        })
    }

    /// The least singular value of `A` with rows of unit length.
    fn constraints(&self, _: &Self) -> Option<f64> {
        let rows = self.a.chunks(self.n.max(1)).flat_map(unit);
        let values = singular_values(self.k, self.n, &rows.collect::<Vec<_>>());
        values.get(self.rank.checked_sub(1)?).copied()
    }

    /// The least singular value of `M_ij / sqrt(M_ii M_jj)` with the diagonal of the start: a single mass that vanishes is
    /// seen beside that.
    fn mass(&self, start: &Self) -> Option<f64> {
        let n = self.n;
        let diagonal = |i: usize| match start.mass[i * n + i].abs().sqrt() {
            0.0 => 1.0,
            size => size,
        };
        let scaled = (0..n * n).map(|k| self.mass[k] / (diagonal(k / n) * diagonal(k % n)));
        singular_values(n, n, &scaled.collect::<Vec<_>>())
            .last()
            .copied()
    }

    /// The least singular value of `A M^-1 W`, with rows of `A` and columns of `W` of unit length in the metric.
    fn reactions(&self, _: &Self) -> Option<f64> {
        let (n, k) = (self.n, self.k);
        let across: Vec<f64> = (0..n * k).map(|x| self.a[(x % k) * n + x / k]).collect();
        let (raised_a, raised_w) = (self.raised(&across)?, self.raised(&self.w)?);
        let product = |rows: &[f64], i: usize, raised: &[f64], j: usize| -> f64 {
            (0..n).map(|c| rows[c * k + i] * raised[c * k + j]).sum()
        };
        let length = |columns: &[f64], raised: &[f64], i: usize| {
            let size: f64 = product(columns, i, raised, i);
            if size == 0.0 { 1.0 } else { size.abs().sqrt() }
        };
        let entry = |x: usize| {
            let (i, j) = (x / k, x % k);
            let sizes = length(&across, &raised_a, i) * length(&self.w, &raised_w, j);
            product(&across, i, &raised_w, j) / sizes
        };
        let gram: Vec<f64> = (0..k * k).map(entry).collect();
        let values = singular_values(k, k, &gram);
        values.get(self.rank.checked_sub(1)?).copied()
    }

    /// `M^-1 X`, X of n rows and k columns.
    fn raised(&self, x: &[f64]) -> Option<Vec<f64>> {
        let mut raised = vec![0.0; x.len()];
        let (kind, scratch) = (Kind::Symmetric, &mut Scratch::default());
        consistent(kind, self.n, &self.mass, x, &mut raised, None, scratch).ok()?;
        Some(raised)
    }
}

/// A row divided by its length.
fn unit(row: &[f64]) -> impl Iterator<Item = f64> {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let factor = if length > 0.0 { 1.0 / length } else { 1.0 };
    row.iter().map(move |x| factor * x)
}
