//! The account of the energy of a motion: `E` changes by the work that was done, else something is wrong.

use crate::values::derived::Derived;
use appell_flow::{Field, Sample, Trajectory, Workspace};
use appell_mech::output;
use appell_model::Diagnostic;
use serde::Serialize;
use std::collections::BTreeMap;

/// The change of `E` and the work it is made of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ledger {
    /// `E` at the end minus `E` at the start.
    pub change: f64,
    /// The work of each force, each constraint, `moving_frames` and `projection`.
    pub work: BTreeMap<String, f64>,
    /// `change` minus the sum of all work.
    pub defect: f64,
    /// `10 N (rtol S + atol)` after N steps, S the largest term met: the sum of the absolute terms of
    /// `E` at any sample, or a work, less what does not balance there. However coarse the steps, no more than
    /// a hundredth of `E`, of the works and of the terms at nine in ten samples. A defect above it is no error
    /// of integration.
    pub bound: f64,
    /// `E` at the start and at the end.
    pub energy: [f64; 2],
    /// Talamucci's `E*` at the start and at the end, where it exists and is not `E`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_star: Option<[f64; 2]>,
}

impl Ledger {
    /// Whether the change of the energy is the work, as far as the tolerances can tell.
    pub fn closes(&self) -> bool {
        self.defect.abs() <= self.bound
    }

    /// What is wrong if it does not close, as a sentence with the remedies.
    pub(crate) fn complaint(&self) -> String {
        format!(
            "But the energy does not balance: it changes by {:.6e}, and the work that was done is {:.6e}; \
             {:.1e} is missing, where the tolerances allow {:.1e}. Do not trust this motion: repeat it with \
             smaller tolerances, and look for jumps in the forces or in the constraints.",
            self.change,
            self.change - self.defect,
            self.defect.abs(),
            self.bound
        )
    }
}

/// Multiples of the tolerance of a step by which a ledger may miss.
const SLACK: f64 = 10.0;
/// The part of the energy above which a defect is no error of integration, however coarse the steps.
const LARGEST: f64 = 1e-2;
/// An absolute tolerance beyond this says nothing about an energy.
const FINE: f64 = 1e-12;
/// `E*` that differs by less than this from `E`, relative to its terms, is the same.
const SAME: f64 = 1e-9;

/// The work of every entry since the initial state, and what does not add up.
pub(crate) fn ledger(
    equations: &Derived<'_>,
    (t, initial): (f64, &[f64]),
    trajectory: &Trajectory,
    (rtol, atol): (f64, f64),
) -> Result<Ledger, Diagnostic> {
    let start = Sample {
        t,
        y: initial.to_vec(),
        projection_work: 0.0,
    };
    let samples = &trajectory.samples;
    let last = samples.last().unwrap_or(&start);
    let state = equations.state.len();
    let energies = equations.gauge(&[output::ENERGY])?;
    // The value, and the sum of the absolute values of its terms.
    let measured = |sample: &Sample| {
        let workspace = &mut Workspace::default();
        let found = energies
            .measured(workspace, sample.t, &sample.y[..state])
            .ok();
        let first = found.and_then(|found| found.first().copied());
        first.map_or([f64::NAN; 2], |e| [e.value, e.size])
    };
    let energy = [measured(&start)[0], measured(last)[0]];
    let works = |sample: &Sample| [&sample.y[state..], &[sample.projection_work]].concat();
    // What is amiss must not allow more of itself.
    let sound = |sample: &Sample| {
        let (works, [value, size]) = (works(sample), measured(sample));
        let amiss = (value - energy[0] - works.iter().sum::<f64>()).abs();
        let whole = works
            .iter()
            .fold(value.abs(), |most, work| most.max(work.abs()));
        [whole - amiss, whole.max(size) - amiss].map(|x| x.max(0.0))
    };
    let all = std::iter::once(&start).chain(samples);
    let (wholes, mut terms): (Vec<f64>, Vec<f64>) = all.map(sound).map(|[a, b]| (a, b)).unzip();
    terms.sort_unstable_by(f64::total_cmp);
    let largest = terms.last().copied().unwrap_or(0.0);
    let usual = terms[(terms.len() - 1) * 9 / 10];
    let whole = wholes.iter().copied().fold(usual, f64::max);

    let names = equations.ledger.iter().cloned();
    let names = names.chain(["projection".to_owned()]);
    let work: BTreeMap<String, f64> = names.zip(works(last)).collect();
    let change = energy[1] - energy[0];
    let steps = trajectory.steps.max(1) as f64;
    Ok(Ledger {
        change,
        defect: change - work.values().sum::<f64>(),
        work,
        // Rounding errors remain however small the tolerance.
        bound: (SLACK * steps * (rtol.max(f64::EPSILON) * largest + atol))
            .min(LARGEST * whole + SLACK * steps * atol.min(FINE)),
        energy,
        energy_star: energy_star(equations, [&start, last], samples, &measured),
    })
}

/// `E*` at both ends, if at some sample it is not `E`.
fn energy_star(
    equations: &Derived<'_>,
    ends: [&Sample; 2],
    samples: &[Sample],
    energy: &dyn Fn(&Sample) -> [f64; 2],
) -> Option<[f64; 2]> {
    equations.energy_star.as_ref().ok()?;
    let field = equations.table(&[output::ENERGY_STAR]).ok()?;
    let state = equations.state.len();
    let at = |sample: &Sample| {
        let mut star = [f64::NAN];
        let workspace = &mut Workspace::default();
        let found = field.eval(workspace, sample.t, &sample.y[..state], &mut star);
        found.is_ok().then_some(star[0])
    };
    let differs = |sample: &Sample| {
        let [e, size] = energy(sample);
        at(sample).is_some_and(|star| (star - e).abs() > SAME * size.max(star.abs()))
    };
    let [first, last] = ends.map(at);
    let values = [first?, last?];
    (values.iter().all(|x| x.is_finite()) && samples.iter().any(differs)).then_some(values)
}
