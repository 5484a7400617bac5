//! Appell: mechanics with constraints on velocities, from a model file to a motion.
//!
//! ```text
//! text -> read -> Prepared::new -> derive | check | eval | prove | conserved | run | linearize | .. -> show | report | export
//! ```
//!
//! ```
//! let entry = appell::gallery::find("perpendicular").expect("it is in the gallery");
//! let (model, _warnings) = appell::read("perpendicular.toml", entry.text).expect("it is right");
//! let prepared = appell::Prepared::new(&model, &[], &[]).expect("its parameters are");
//! let run = appell::run(&prepared, &appell::RunOptions::default(), &mut Default::default());
//! assert!(run.expect("it moves").claims.iter().all(|claim| claim.holds == Some(true)));
//! ```

#[cfg(feature = "sweep")]
mod charts;
pub mod gallery;

pub use appell_expr::{Id, Rational, limits};
pub use appell_flow::ensemble::Ending;
pub use appell_flow::method::{AUTO, METHODS};
pub use appell_flow::{BACKENDS, Control, CrossingSense, ExitKind, Feedback, Hold, InputValues};
pub use appell_mech::{Equations, FORMALISMS, Formalism, Unavailable};
pub use appell_model::{
    CODES, ClaimKind, Code, Diagnostic, ENERGY_KEYS, EXERCISE_KEYS, Exercise, GivenClaim,
    MODEL_KEYS, Model, STEP_KEYS, Severity, Source, Step, Wanted, format, glossary,
    nearest as nearest_word, read_exercise, render, render_all, with_claims, with_forces,
    with_initial, with_start, with_time,
};
pub use appell_report::chart;
pub use appell_report::cite::Citations;
pub use appell_report::code::{LANGUAGES, Language};
pub use appell_report::export::Exported;
pub use appell_report::fmu::{Fmu, FmuKind};
pub use appell_report::page::{Assets, Pieces, packed};
pub use appell_report::plot::Figure;
pub use appell_report::plot_format::{PLOT_FORMATS, PlotFormat};
pub use appell_report::report::{Draft, Report};
pub use appell_report::show;
pub use appell_study::constraints::classes::{ConstraintClass, Replacement, Simplified};
pub use appell_study::motion::adjoint::Adjoint;
pub use appell_study::motion::along::ClaimResult;
pub use appell_study::motion::choices::{RunOptions, many_samples};
pub use appell_study::motion::ensemble::{
    Ensemble, EnsembleOptions, Finished, Members, Samples, read_members,
};
pub use appell_study::motion::events::{Event, MetEvent, StateMap, Then, When};
pub use appell_study::motion::ledger::Ledger;
pub use appell_study::motion::lyapunov::{Lyapunov, LyapunovOptions};
pub use appell_study::motion::right_side::RightSide;
pub use appell_study::motion::run::{PlotData, Rows, Run, RunSummary};
pub use appell_study::motion::samples::SampleTable;
pub use appell_study::motion::sensitivity::{EventSensitivity, Sensitivity};
pub use appell_study::motion::stepper::Stepper;
pub use appell_study::questions::arguments::{
    ParameterArgument, parse_interval, parse_override, parse_parameter,
};
pub use appell_study::questions::check::{Check, InitialState};
pub use appell_study::questions::closed_forms::shown_equations;
pub use appell_study::questions::conserved::independent;
pub use appell_study::questions::conserved::{Conserved, ConservedOptions, Integral};
pub use appell_study::questions::equilibria::{Equilibria, Excluded, Interval, Kind, SteadyState};
pub use appell_study::questions::eval::{
    Evaluation, ForceValue, FormValues, SecondSet, StateValues,
};
pub use appell_study::questions::linearize::{
    ControlMatrices, Crossing, Gap, Linearization, LinearizationAlong, Range, Sweep,
};
pub use appell_study::questions::misprint::{MISPRINT, misprinted_force};
pub use appell_study::questions::prove::{ClaimVerdict, Proof, Verdict};
pub use appell_study::questions::{conserved, prove};
pub use appell_study::states::departures::Departures;
pub use appell_study::states::given_states::{State, read_states};
pub use appell_study::states::handles::{Allowed, AllowedSet, Handle, Handles, Pull, allowed};
pub use appell_study::states::start::start;
pub use appell_study::states::status::{Judgement, Ranks, Status};
pub use appell_study::values::error::Error;
pub use appell_study::values::found::Start;
pub use appell_study::values::identity_cache::IdentityCache;
pub use appell_study::values::inputs::InputSource;
pub use appell_study::values::parameters::Override;
pub use appell_study::values::prepared::{Mechanics, Prepared};

/// Studies of many motions, kept in folders: what `appell sweep` computes.
#[cfg(feature = "sweep")]
pub use appell_sweep as studies;
#[cfg(feature = "sweep")]
pub use charts::{ChartColumns, study_chart};

use appell_study::{constraints, motion, questions};
use std::sync::atomic::AtomicBool;

/// Reads a model file: what was said, with the places where it was said, and warnings.
///
/// # Errors
/// Every error of the file, each with its place, what is wrong and the right spelling.
///
/// ```
/// let errors = appell::read("m.toml", "appell = 1\ncoordinates = [\"x\"]\n").unwrap_err();
/// assert!(!errors.is_empty());
/// ```
pub fn read(file_name: &str, text: &str) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    appell_model::read(file_name, text)
}

/// The equations of motion in one formalism: a vector field on `(q, v)`, `(q, z)` or `(q, p)`, unsolved.
///
/// # Errors
/// Why the formalism does not apply to this model.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let kane = appell::Formalism::find("kane").unwrap();
/// let equations = appell::derive(&prepared, kane).unwrap();
/// assert_eq!(equations.state.len(), 6);
/// ```
pub fn derive<'g>(p: &Prepared<'g>, formalism: &'static Formalism) -> Result<Equations<'g>, Error> {
    Ok((formalism.derive)(&p.system, &p.constraints)?)
}

/// What the constraints are: classes, freedoms, growth, singular set, the start and other states judged. A start that
/// cannot be used is returned beside the answer.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let (check, problem) = appell::check(&prepared, None);
/// assert!(problem.is_none());
/// assert_eq!((check.coordinates, check.dof), (3, 2));
/// ```
pub fn check(p: &Prepared<'_>, states: Option<&[State]>) -> (Check, Option<Diagnostic>) {
    questions::check::check(p, states)
}

/// A file in which contrived rows are written by simpler ones.
///
/// # Errors
/// Why the file that was written is none.
pub fn simplify(p: &Prepared<'_>) -> Result<Simplified, Error> {
    constraints::classes::simplify(p)
}

/// Accelerations, multipliers, reactions, energies and forces at states, in every formalism of a list.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let state = appell::State { t: 0.0, q: vec![0.0; 3], v: Some(vec![1.0, 0.0, 0.5]), z: None };
/// let evaluation = appell::eval(&prepared, &[state], appell::FORMALISMS);
/// assert_eq!(evaluation.states.len(), 1);
/// ```
pub fn eval(p: &Prepared<'_>, states: &[State], formalisms: &[&'static Formalism]) -> Evaluation {
    questions::eval::eval(p, states, formalisms)
}

/// Equivalence of the formalisms, standing identities and the file's claims: proved, refuted with a state, or undecided.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let proof = appell::prove(&prepared);
/// assert!(proof.claims.iter().all(|claim| claim.holds != Some(false)));
/// ```
pub fn prove(p: &Prepared<'_>) -> Proof {
    questions::prove::prove(p)
}

/// As [`prove()`], with other primes and random points, as an independent check.
pub fn prove_seeded(p: &Prepared<'_>, seed: u64) -> Proof {
    questions::prove::prove_seeded(p, seed)
}

/// First integrals, each proved, until the flag is set.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let found = appell::conserved(&prepared, None);
/// assert!(!found.integrals.is_empty());
/// ```
pub fn conserved(p: &Prepared<'_>, cancel: Option<&AtomicBool>) -> Conserved {
    questions::conserved::conserved(p, cancel)
}

/// As [`conserved()`], with a degree in the velocities, a seed and a budget of time.
pub fn conserved_with(
    p: &Prepared<'_>,
    options: &ConservedOptions,
    cancel: Option<&AtomicBool>,
) -> Conserved {
    questions::conserved::conserved_with(p, options, cancel)
}

/// The motion from the start, with constraint forces, the account of the energy, and the claims along it.
///
/// # Errors
/// No formalism applies, the start is inconsistent, an unknown method, no end time.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let run = appell::run(&prepared, &Default::default(), &mut Default::default()).unwrap();
/// assert!(run.ledger.closes());
/// ```
pub fn run(
    p: &Prepared<'_>,
    options: &RunOptions,
    control: &mut Control<'_>,
) -> Result<Run, Error> {
    motion::run::run(p, options, control)
}

/// As [`run()`], where all samples are handed out as rows while they are computed, and of many only some are kept.
///
/// # Errors
/// As for [`run()`].
pub fn run_streamed(
    p: &Prepared<'_>,
    options: &RunOptions,
    control: &mut Control<'_>,
    rows: &mut Rows<'_>,
) -> Result<Run, Error> {
    motion::run::run_streamed(p, options, control, rows)
}

/// The exact derivatives of the motion by starts of coordinates and velocities (`x`, `x'`), parameters and inputs.
///
/// # Errors
/// As for [`run()`]; a name that is none of the model's; a start or an input without derivatives.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let names = ["m".to_owned()];
/// let found = appell::sensitivity(&prepared, &Default::default(), &names, &mut Default::default()).unwrap();
/// assert_eq!(found.values.len(), found.times.len() * found.columns.len());
/// ```
pub fn sensitivity(
    p: &Prepared<'_>,
    options: &RunOptions,
    names: &[String],
    control: &mut Control<'_>,
) -> Result<Sensitivity, Error> {
    motion::sensitivity::sensitivity(p, options, names, control)
}

/// The derivatives of `Sum_k weights_k . y(t_k)` over the samples of a motion, weights samples x 2n, by many names at once:
/// the adjoint equations.
///
/// # Errors
/// As for [`sensitivity()`]; a motion that ends before its time; another number of weights.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let options = appell::RunOptions { times: Some(vec![1.0]), ..Default::default() };
/// let (names, weights) = (["m".to_owned()], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// let found = appell::adjoint(&prepared, &options, &names, &weights, &mut Default::default()).unwrap();
/// assert_eq!((found.values.len(), found.start.len()), (1, 6));
/// ```
pub fn adjoint(
    p: &Prepared<'_>,
    options: &RunOptions,
    names: &[String],
    weights: &[f64],
    control: &mut Control<'_>,
) -> Result<Adjoint, Error> {
    motion::adjoint::adjoint(p, options, names, weights, control)
}

/// The largest Lyapunov exponents of the motion on its constraints, or all of them.
///
/// # Errors
/// As for [`run()`]; more exponents than the constraints leave deviations.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let options = appell::LyapunovOptions { run: appell::RunOptions::until(10.0), count: Some(1), ..Default::default() };
/// let found = appell::lyapunov(&prepared, &options, &mut Default::default()).unwrap();
/// assert_eq!((found.exponents.len(), found.dimension), (1, 5));
/// ```
pub fn lyapunov(
    p: &Prepared<'_>,
    options: &LyapunovOptions,
    control: &mut Control<'_>,
) -> Result<Lyapunov, Error> {
    motion::lyapunov::lyapunov(p, options, control)
}

/// Many motions at once, whose starts and parameters are columns of a table.
///
/// # Errors
/// As for [`run()`]; a column that names nothing; a method that does not run over lanes.
pub fn ensemble(
    p: &Prepared<'_>,
    members: &Members,
    options: &EnsembleOptions,
    control: &mut Control<'_>,
) -> Result<Ensemble, Error> {
    motion::ensemble::ensemble(p, members, options, control)
}

/// As [`ensemble()`], where the ends of some members are known from an earlier call; the ends of the others are
/// handed out as they become known, so that they can be kept.
///
/// # Errors
/// As for [`ensemble()`].
pub fn ensemble_from(
    p: &Prepared<'_>,
    members: &Members,
    options: &EnsembleOptions,
    known: &[Finished],
    note: Option<&mut dyn FnMut(&Finished)>,
    control: &mut Control<'_>,
) -> Result<Ensemble, Error> {
    motion::ensemble::ensemble_from(p, members, options, known, note, control)
}

/// Equilibria and steady motions, near the start or in a box.
///
/// # Errors
/// A name that is no coordinate and no velocity.
pub fn equilibria(p: &Prepared<'_>, ranges: &[Interval]) -> Result<Equilibria, Error> {
    questions::equilibria::equilibria(p, ranges)
}

/// The matrix and eigenvalues of the motion linearised on its constraints, about a state or the start.
///
/// # Errors
/// The state is no equilibrium and no steady motion, or not regular.
pub fn linearize(p: &Prepared<'_>, state: Option<&State>) -> Result<Linearization, Error> {
    questions::linearize::linearize(p, state)
}

/// As [`linearize()`], with outputs: columns of a run's table or expressions. Where the model has inputs or outputs are
/// given, the matrices `B`, `C` and `D` of `xi' = A xi + B u`, `y = C xi + D u` too.
///
/// # Errors
/// As for [`linearize()`]; an output that is none.
pub fn linearize_with(
    p: &Prepared<'_>,
    state: Option<&State>,
    outputs: &[String],
) -> Result<Linearization, Error> {
    questions::linearize::linearize_with(p, state, outputs)
}

/// The linear equations `xi' = A(t) xi + B(t) u` about states of a motion, which need not be steady.
///
/// # Errors
/// A state off the constraints, singular, or where what is independent at the first one is not.
pub fn linearize_along(p: &Prepared<'_>, states: &[State]) -> Result<LinearizationAlong, Error> {
    questions::linearize::linearize_along(p, states)
}

/// As [`linearize()`] along a parameter, with the values where stability changes if these are searched.
///
/// # Errors
/// As for [`linearize()`].
pub fn sweep(
    p: &mut Prepared<'_>,
    overrides: &[Override],
    range: &Range,
    states: Option<&str>,
    search: bool,
    control: &mut Control<'_>,
) -> Result<Sweep, Error> {
    questions::linearize::sweep(p, overrides, range, states, search, control)
}

/// One page with the equations, proofs, plots and the moving system; `warnings` are those of reading the model.
///
/// # Errors
/// As for [`run()`].
pub fn report(
    p: &Prepared<'_>,
    options: &RunOptions,
    warnings: &[Diagnostic],
    control: &mut Control<'_>,
) -> Result<Report, Error> {
    appell_report::report::report(p, options, warnings, control)
}

/// The page of a [`report()`] alone, with the caller's style and script: the browser's engine does not hold them.
///
/// # Errors
/// As for [`run()`].
pub fn report_html(
    p: &Prepared<'_>,
    options: &RunOptions,
    warnings: &[Diagnostic],
    assets: &Assets,
    control: &mut Control<'_>,
) -> Result<String, Error> {
    appell_report::report::html(p, options, warnings, assets, control)
}

/// The equations of some formalisms as source code.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let code = appell::export(&prepared, &appell::FORMALISMS[..1], appell::LANGUAGES[0]);
/// assert!(code.unavailable.is_empty());
/// ```
pub fn export(p: &Prepared<'_>, forms: &[&'static Formalism], language: &Language) -> Exported {
    appell_report::export::export(p, forms, language)
}

/// A model as a Functional Mock-up Unit, FMI 3.0: the archive, with its sources and, where a C compiler is found, the
/// library for this machine; else the reason why that is missing.
///
/// ```
/// # let text = appell::gallery::find("skate").unwrap().text;
/// # let (model, _) = appell::read("skate.toml", text).unwrap();
/// # let prepared = appell::Prepared::new(&model, &[], &[]).unwrap();
/// let (archive, _) = appell::fmu(&prepared, "skate", appell::FmuKind::Both, None).unwrap();
/// assert!(archive.starts_with(b"PK"));
/// ```
///
/// # Errors
/// No form in coordinates and velocities applies; the start is inconsistent.
pub fn fmu(
    p: &Prepared<'_>,
    name: &str,
    kind: FmuKind,
    form: Option<&'static Formalism>,
) -> Result<(Vec<u8>, Option<String>), Error> {
    let fmu = appell_report::fmu::fmu(p, name, kind, form)?;
    let (library, remark) = match appell_flow::backend::shared_library(&fmu.source) {
        Ok(library) => (Some(library), None),
        Err(why) => (None, Some(why.0)),
    };
    let archive = fmu.archive(library);
    Ok((
        archive.map_err(|error| Error::argument(error.to_string()))?,
        remark,
    ))
}

/// The works that a run with this form and this method rests on; by default those that a run would choose.
///
/// # Errors
/// The form does not apply; an unknown method.
pub fn cite(
    p: &Prepared<'_>,
    form: Option<&'static Formalism>,
    method: Option<&str>,
) -> Result<Citations, Error> {
    appell_report::cite::cite(p, form, method)
}
