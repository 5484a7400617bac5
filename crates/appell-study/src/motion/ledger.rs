//! The account of the energy of a motion: `E` changes by the work that was done, else something is wrong.

use crate::states::ranks::workspace;
use crate::values::derived::fields::fields_of;
use crate::values::derived::{Derived, MeasuredValues};
use crate::values::prepared::Prepared;
use appell_flow::{Field, Interpreter, Measured, Sample, Trajectory, Workspace};
use appell_mech::{Carrier, Metric, ledger_entry, output};
use appell_model::Diagnostic;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The change of `E` and the work it is made of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ledger {
    /// `E` at the end minus `E` at the start.
    pub change: f64,
    /// The work of each force, each constraint, `moving_frames`, `projection`, and `resets` where events reset the state.
    pub work: BTreeMap<String, f64>,
    /// `change` minus the sum of all work.
    pub defect: f64,
    /// `10 N (rtol S + atol)` after N steps, S the largest term met: what errors of the state relative to its
    /// components make of `E` at any sample or end of a step, or a work, less what does not balance there. Where
    /// `sum |dE/dy_i|` is below 1 it stands before `atol`.
    /// However coarse the steps, no more than a hundredth of `E`, of its parts and of the works, beside the
    /// rounding of `E` itself. A defect above it is no error of integration.
    pub bound: f64,
    /// `E` at the start and at the end.
    pub energy: [f64; 2],
    /// Talamucci's `E*` at the start and at the end, where it exists and is not `E`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_star: Option<[f64; 2]>,
    /// The sample at which most of the energy is missing, its time and how much, where that is no error of the states
    /// between the ends of steps.
    #[serde(skip)]
    pub between: Option<(f64, f64)>,
}

impl Ledger {
    /// Whether the change of the energy is the work, as far as the tolerances can tell, and none of it that of the
    /// projection, which makes up for errors of the steps alone.
    pub fn closes(&self) -> bool {
        self.defect.abs() <= self.bound && self.of_projection().abs() <= self.bound
    }

    /// What is wrong at a sample on the way, though it closes at the end.
    pub(crate) fn complaint_between(&self) -> Option<String> {
        let (t, missing) = self.between?;
        Some(format!(
            "But the energy does not balance on the way: {missing:.1e} is missing at the sample t = {t}. The steps \
                probably passed over a force that acts briefly. Do not trust this motion: repeat it with a shorter `max_step`, or \
             `--max-step`."
        ))
    }

    fn of_projection(&self) -> f64 {
        self.work
            .get(ledger_entry::PROJECTION)
            .copied()
            .unwrap_or(0.0)
    }

    /// What is wrong if it does not close, as a sentence with the remedies.
    pub(crate) fn complaint(&self) -> String {
        if !self.defect.is_finite() {
            return "But the energy, or a work, has no finite value along it, so that it cannot be held against the work that \
                    was done."
                .to_owned();
        }
        if self.defect.abs() <= self.bound {
            return format!(
                "But bringing the states back onto the constraints changed the energy by {:.6e}, where the tolerances allow \
                 {:.1e}. Do not trust this motion: repeat it with smaller tolerances, and look for constraints that \
                 depend on each other.",
                self.of_projection(),
                self.bound
            );
        }
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
/// States between the ends of steps are less exact than these: so many times the bound, and no more than this part of the
/// energy.
const COARSER: f64 = 1e4;
const LARGEST_BETWEEN: f64 = 0.1;
/// An absolute tolerance beyond this says nothing about an energy.
const FINE: f64 = 1e-12;
/// The part of the whole motion by which sides of a jump are apart.
const BESIDE: f64 = 1e-12;
/// Ends of steps count that are apart by this part of the whole motion, or more.
const APART: f64 = 64.0;
/// At so many states of a motion the slopes of the energy are looked at.
const SLOPES: usize = 16;
/// `E*` that differs by less than this from `E`, relative to its terms, is the same.
const SAME: f64 = 1e-9;

/// The work of every entry since the initial state, and what does not add up.
///
/// One piece: the account and what is allowed, from the same states.
pub(crate) fn ledger(
    p: &Prepared<'_>,
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
    let energies = Energies::new(p, equations)?;
    // Samples may all fall where the motion rests.
    let ends = spread(trajectory.ends.states(), t, last.t);
    let places = std::iter::once(&start).chain(samples).chain(&ends);
    let places: Vec<&Sample> = places.collect();
    let states = places.iter().map(|sample| (sample.t, &sample.y[..state]));
    let states: Vec<(f64, &[f64])> = states.collect();
    let measured = energies.at_all(&states);
    let (first, found) = (measured[0], &measured[1..][..samples.len()]);
    let energy = [first.value, found.last().unwrap_or(&first).value];
    let works = |sample: &Sample| [&sample.y[state..], &[sample.projection_work]].concat();
    let amiss = |(sample, e): (&Sample, &Measured)| {
        (e.value - energy[0] - works(sample).iter().sum::<f64>()).abs()
    };
    // What is amiss must not allow more of itself.
    let sound = |((sample, e), rest): ((&&Sample, &Measured), Measured)| {
        let works = works(sample);
        let amiss = amiss((sample, e));
        let sizes = energies.sizes((sample.t, &sample.y[..state]), *e, rest);
        sizes.with_works(&works).less(amiss)
    };
    let rests = energies.at_rest(&states);
    let all = places.iter().zip(&measured).zip(rests);
    let all: Vec<Sizes> = all.map(sound).collect();
    let most = |size: fn(&Sizes) -> f64| all.iter().map(size).fold(0.0, f64::max);
    let mut parts: Vec<f64> = all.iter().map(|sizes| sizes.parts).collect();
    parts.sort_unstable_by(f64::total_cmp);
    let usual = parts[(parts.len() - 1) * 9 / 10];
    let whole = most(|sizes| sizes.whole).max(usual);
    let (terms, rounding) = (most(|sizes| sizes.terms), most(|sizes| sizes.rounding));

    let names = equations.ledger.iter().cloned();
    let names = names.chain([ledger_entry::PROJECTION.to_owned()]);
    let mut work: BTreeMap<String, f64> = names.zip(works(last)).collect();
    if let Some(resets) = trajectory.reset_work {
        *work.entry(ledger_entry::PROJECTION.to_owned()).or_default() -= resets;
        work.insert(ledger_entry::RESETS.to_owned(), resets);
    }
    let change = energy[1] - energy[0];
    let steps = trajectory.steps.max(1) as f64;
    // Energies that are small beside 1 change by less than the state does.
    let met: Vec<&Sample> = [&start, last].into_iter().chain(&ends).collect();
    let atol = atol * energies.steepest(&met).min(1.0);
    // Rounding errors remain however small the tolerance.
    let allowed = SLACK * steps * (rtol.max(f64::EPSILON) * terms + atol);
    let bound = allowed.min(LARGEST * whole + SLACK * steps * atol.min(FINE)) + SLACK * rounding;
    let between = (COARSER * allowed).min(LARGEST_BETWEEN * whole) + bound;
    // At a jump with the time the energy is that of either side.
    let beside = BESIDE * (last.t - t);
    let least = |(sample, e): (&Sample, &Measured)| {
        let missing = amiss((sample, e));
        if missing <= between {
            return missing;
        }
        let sides = [-beside, beside].map(|h| (sample.t + h, &sample.y[..state]));
        let sides = energies.at_all(&sides);
        sides
            .iter()
            .map(|e| amiss((sample, e)))
            .fold(missing, f64::min)
    };
    let missing = samples
        .iter()
        .zip(found)
        .map(|pair| (pair.0.t, least(pair)));
    let known = missing.filter(|(_, missing)| missing.is_finite());
    let most = known.max_by(|a, b| a.1.total_cmp(&b.1));
    Ok(Ledger {
        change,
        defect: change - work.values().sum::<f64>(),
        work,
        bound,
        between: most.filter(|(_, missing)| *missing > between),
        energy,
        energy_star: energy_star(equations, [&start, last], (samples, found)),
    })
}

/// The ends of steps up to a time that are not crowded: before a pole most are, where the energies of most samples are
/// not.
fn spread(ends: impl Iterator<Item = Sample>, first: f64, last: f64) -> Vec<Sample> {
    let whole = (last - first).abs();
    let mut before = first;
    let is_apart = |end: &Sample| {
        let apart = (end.t - before).abs() * APART >= whole && (end.t - first).abs() <= whole;
        if apart {
            before = end.t;
        }
        apart
    };
    ends.filter(is_apart).collect()
}

/// How large the energy is at a state.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// `E`.
    whole: f64,
    /// The kinetic and the potential energy that it is made of; where the one cannot be told from the other,
    /// the sum of all absolute terms.
    parts: f64,
    /// The sum of all absolute terms; where these cancel, `sum |y_i dE/dy_i|`: what `E` changes by, at most,
    /// where each component of the state does by a part of itself. Near a singularity of the coordinates fast
    /// angles leave a slow body, and their squares are terms of `E`, but not of its errors.
    terms: f64,
    /// What the sum of cancelling terms is rounded by.
    rounding: f64,
}

impl Sizes {
    /// At least as large as each work.
    fn with_works(self, works: &[f64]) -> Self {
        let most = |x: f64| works.iter().fold(x, |most, work| most.max(work.abs()));
        Self {
            whole: most(self.whole),
            parts: most(self.parts),
            terms: most(self.terms),
            ..self
        }
    }

    /// Less what does not balance.
    fn less(self, amiss: f64) -> Self {
        let less = |x: f64| (x - amiss).max(0.0);
        Self {
            whole: less(self.whole),
            parts: less(self.parts),
            terms: less(self.terms),
            ..self
        }
    }
}

/// Absolute terms above so many times the energy cancel.
const CANCELLED: f64 = 10.0;

/// The energy as a function of a form's state.
struct Energies {
    values: Rc<MeasuredValues>,
    program: Rc<Interpreter>,
    /// The energy by coordinates and velocities, where the state has momenta.
    by_velocities: Option<Interpreter>,
    coordinates: usize,
    /// Whether the kinetic energy is no less than what it makes of any velocity.
    definite: bool,
    workspace: RefCell<Workspace>,
}

impl Energies {
    fn new(p: &Prepared<'_>, equations: &Derived<'_>) -> Result<Self, Diagnostic> {
        let of_momenta = equations.carrier == Carrier::Momenta;
        let program = fields_of(equations, &[output::ENERGY])?;
        Ok(Self {
            by_velocities: of_momenta.then(|| p.functions_of(&[p.system.energy])),
            values: equations.measured_values(&[output::ENERGY])?,
            program,
            coordinates: p.system.n(),
            definite: p.system.metric == Metric::Definite,
            workspace: RefCell::new(workspace(p)),
        })
    }

    /// The values, and the sums of the absolute values of their terms.
    fn at_all(&self, states: &[(f64, &[f64])]) -> Vec<Measured> {
        let workspace = &mut self.workspace.borrow_mut();
        let undefined = Measured {
            value: f64::NAN,
            size: f64::NAN,
        };
        let found = self.values.all_measured(workspace, states).into_iter();
        found
            .map(|result| {
                result.map_or(undefined, |values| {
                    values.first().copied().unwrap_or(undefined)
                })
            })
            .collect()
    }

    fn sizes(&self, (t, y): (f64, &[f64]), e: Measured, rest: Measured) -> Sizes {
        let all = Sizes {
            whole: e.value.abs(),
            parts: e.size,
            terms: e.size,
            rounding: 0.0,
        };
        let kinetic = (e.value - rest.value).abs();
        if !self.definite || kinetic.is_nan() {
            return all;
        }
        // Sizes of terms grow with the turns of an angle, and the energy does not.
        let parts = e.value.abs().max(kinetic).max(rest.value.abs());
        let is_cancelled = e.size > CANCELLED * parts;
        let all = Sizes {
            parts: parts.min(e.size),
            rounding: if is_cancelled {
                f64::EPSILON * e.size
            } else {
                0.0
            },
            ..all
        };
        if !is_cancelled || e.size <= CANCELLED * rest.size {
            return all;
        }
        match self.sensitivity(t, y) {
            Some(terms) => Sizes {
                // Terms that overflow have no size, and bound nothing.
                terms: terms.max(all.parts).min(e.size),
                ..all
            },
            None => all,
        }
    }

    /// The energies at the same places without velocities. As a function of momenta its terms cancel where these are
    /// large, and velocities are not 0 where momenta are: then only its value is known.
    fn at_rest(&self, states: &[(f64, &[f64])]) -> Vec<Measured> {
        let still = |(t, y): &(f64, &[f64])| {
            let mut still = y.to_vec();
            still[self.coordinates..].fill(0.0);
            (*t, still)
        };
        let still: Vec<(f64, Vec<f64>)> = states.iter().map(still).collect();
        let still: Vec<(f64, &[f64])> = still.iter().map(|(t, y)| (*t, &y[..])).collect();
        let mut found = self.at_all(&still);
        let Some(energy) = &self.by_velocities else {
            return found;
        };
        for ((t, still), entry) in still.iter().zip(&mut found) {
            if let Ok(known) = energy.results(*t, still) {
                *entry = Measured {
                    value: known[0],
                    size: known[0].abs(),
                };
            }
        }
        found
    }

    /// `sum |y_i dE/dy_i|`, where `E` has these derivatives.
    fn sensitivity(&self, t: f64, y: &[f64]) -> Option<f64> {
        let terms = self.gradient(t, y)?.into_iter().zip(y);
        let sum: f64 = terms.map(|(slope, y)| (slope * y).abs()).sum();
        sum.is_finite().then_some(sum)
    }

    /// The largest `sum |dE/dy_i|` at some of these states; 1 where `E` has no derivatives.
    fn steepest(&self, states: &[&Sample]) -> f64 {
        let state = self.program.inputs();
        let sum = |slopes: Vec<f64>| slopes.into_iter().map(f64::abs).sum();
        let slopes = |at: &&Sample| self.gradient(at.t, &at.y[..state]).map_or(1.0, sum);
        let some = states.iter().step_by(states.len().div_ceil(SLOPES).max(1));
        some.map(slopes).fold(0.0, f64::max)
    }

    fn gradient(&self, t: f64, y: &[f64]) -> Option<Vec<f64>> {
        let slopes = self.program.pullback(t, y, &[1.0], None).ok()?.state;
        slopes
            .iter()
            .all(|slope| slope.is_finite())
            .then_some(slopes)
    }
}

/// `E*` at both ends, if at some sample it is not `E`, which is given there.
fn energy_star(
    equations: &Derived<'_>,
    ends: [&Sample; 2],
    (samples, energy): (&[Sample], &[Measured]),
) -> Option<[f64; 2]> {
    equations.energy_star.as_ref().ok()?;
    let field = equations.table(&[output::ENERGY_STAR]).ok()?;
    let state = equations.state.len();
    let mut workspace = Workspace::default();
    let mut at = |sample: &Sample| {
        let mut star = [f64::NAN];
        let found = field.eval(&mut workspace, sample.t, &sample.y[..state], &mut star);
        found.is_ok().then_some(star[0])
    };
    let [first, last] = ends.map(&mut at);
    let mut differs = |(sample, e): (&Sample, &Measured)| {
        at(sample).is_some_and(|star| (star - e.value).abs() > SAME * e.size.max(star.abs()))
    };
    let values = [first?, last?];
    (values.iter().all(|x| x.is_finite()) && samples.iter().zip(energy).any(&mut differs))
        .then_some(values)
}
