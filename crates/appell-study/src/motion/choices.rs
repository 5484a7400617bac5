//! What a motion is computed with: form, method, backend, tolerances, times.

use crate::motion::events::Event;
use crate::states::charts::{INERT, units};
use crate::states::given_states::State;
use crate::states::ranks::{exact, of_rows, row_rank};
use crate::states::start::start;
use crate::values::derived::{Derived, Known, Speeds};
use crate::values::inputs::uncovered;
use crate::values::narrow::is_large;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Function, Id, Node, Rational};
use appell_flow::backend::EXACT_BACKENDS;
use appell_flow::method::{LEAPFROG, METHODS, Method, find};
use appell_flow::{BACKENDS, Backend, Options};
use appell_mech::{Equations, FORMALISMS, Formalism, Unavailable, function};
use appell_model::{Code, Diagnostic};
use std::rc::Rc;
use std::sync::Arc;

/// What the command line may say about a run; what it leaves open comes from the file.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// The formalism; by default the first that applies.
    pub form: Option<&'static Formalism>,
    /// The method's name, or `auto`; by default the first of the table.
    pub method: Option<String>,
    /// The backend that runs the compiled programs, by name; by default `auto`.
    pub backend: Option<String>,
    /// The end time.
    pub until: Option<f64>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// The step of a method that keeps it fixed; by default it follows from the tolerances.
    pub step: Option<f64>,
    /// The longest step.
    pub max_step: Option<f64>,
    /// How many samples are reported, the first and the last included.
    pub samples: Option<usize>,
    /// The times that are reported, instead of evenly spread ones; the last is the end time where none is given.
    pub times: Option<Vec<f64>>,
    /// The state to start from, instead of the file's.
    pub start: Option<State>,
    /// What may happen on the way, beside the stop conditions of the file.
    pub events: Vec<Event>,
    /// Whether to go on where the constraints lose rank: for demonstrations only.
    pub unmonitored: bool,
}

impl RunOptions {
    /// To this time, all else as the file says.
    pub fn until(t: f64) -> Self {
        Self {
            until: Some(t),
            ..Self::default()
        }
    }
}

/// The relative tolerance of a step where nothing gives one.
pub const DEFAULT_RTOL: f64 = 1e-10;

/// The absolute tolerance of a step where nothing gives one.
pub const DEFAULT_ATOL: f64 = 1e-12;

/// Tolerances below this are rounding errors.
const LEAST_TOLERANCE: f64 = 4.0 * f64::EPSILON;

const DEFAULT_SAMPLES: usize = 201;

/// A run with stop conditions, or with forces that may act for a moment only, takes at least so many steps; each is looked
/// at in eight places.
const LEAST_STEPS: f64 = 100.0;

/// Samples beyond this would only fill the memory.
const MAX_SAMPLES: usize = 10_000_000;

/// More samples than this need not be kept to be written.
const MANY: usize = 100_000;

/// As many samples are kept of a motion at most, beside its table: for its account, claims and plots.
pub(crate) const KEPT: usize = 20_001;

/// The form by whose equations motions are differentiated where rows depend on each other: beside the constraints these
/// contradict each other, and others have no value there.
pub(crate) fn form_of_dependent_rows(p: &Prepared<'_>) -> Option<&'static Formalism> {
    let is_dependent = row_rank(p).is_some_and(|rank| rank < p.constraints.k());
    let gauss = Formalism::find("gauss").filter(|_| is_dependent);
    gauss.filter(|form| p.form(form).is_ok())
}

/// A form's equations with the outputs of the file; by default of the first that applies.
pub fn derived_for<'g>(
    p: &Prepared<'g>,
    form: Option<&'static Formalism>,
) -> Result<Rc<Derived<'g>>, Diagnostic> {
    let known = Known {
        rank: &|| rank_at_start(p).or_else(|| exact(p).map(|ranks| ranks.a)),
        speeds: &|| speeds_at_start(p),
    };
    match form {
        Some(_) => first_of(form, |form| p.form(form)),
        None => p.usual(&known).map_err(|why| refused(why.0)),
    }
}

/// The rank of the rows at the start: where all are independent there, they are so almost everywhere, and nothing has to
/// be found exactly.
fn rank_at_start(p: &Prepared<'_>) -> Option<usize> {
    let start = start(p).ok()?;
    let measured = p.measure(start.t, &start.q, &start.v)?;
    of_rows(p, &measured.table(function::A))
}

fn speeds_at_start(p: &Prepared<'_>) -> Option<Speeds> {
    let start = start(p).ok()?;
    let measured = p.measure(start.t, &start.q, &start.v)?;
    Some(Speeds {
        t: start.t,
        state: [&start.q[..], &start.v].concat(),
        units: units(&measured, INERT),
    })
}

fn refused(what: String) -> Diagnostic {
    Diagnostic::new(Code::BadValue, what, Default::default(), "")
}

/// As [`derived_for`], derived anew and without the outputs of the file.
pub fn equations_for<'g>(
    p: &Prepared<'g>,
    form: Option<&'static Formalism>,
) -> Result<Equations<'g>, Diagnostic> {
    first_of(form, |form| (form.derive)(&p.system, &p.constraints))
}

fn first_of<T>(
    form: Option<&'static Formalism>,
    derive: impl Fn(&'static Formalism) -> Result<T, Unavailable>,
) -> Result<T, Diagnostic> {
    match form {
        Some(form) => {
            derive(form).map_err(|why| refused(format!("`{}` does not apply: {why}", form.id)))
        }
        None => FORMALISMS
            .iter()
            .find_map(|form| derive(form).ok())
            .ok_or_else(|| refused("no formalism applies to this model".to_owned())),
    }
}

/// The method that is wanted, or the file's; the first of the table where neither says.
///
/// # Errors
/// No method has this name.
pub fn method_for(p: &Prepared<'_>, wanted: Option<&str>) -> Result<&'static Method, Diagnostic> {
    let name = wanted
        .or(p.model.simulate.method.as_deref())
        .unwrap_or(METHODS[0].id);
    find(name).ok_or_else(|| {
        let known = METHODS
            .iter()
            .map(|method| method.id)
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!("unknown method `{name}`");
        Diagnostic::new(Code::UnknownWord, message, Default::default(), "")
            .note(format!("known: auto, {known}"))
    })
}

/// That a length of the steps was given to a method that chooses its own.
pub(crate) fn idle_step(step: Option<f64>, method: &str) -> Option<String> {
    let step = step.filter(|_| method != LEAPFROG.id)?;
    Some(format!(
        "The fixed step {step} is kept by `{}` only: `{method}` chooses its own steps.",
        LEAPFROG.id
    ))
}

/// The backend that is wanted. Where this machine does not have it, the usual one with a remark.
pub(crate) fn backend_for(
    wanted: Option<&str>,
) -> Result<(&'static Backend, Option<String>), Diagnostic> {
    let usual = BACKENDS[0];
    let name = wanted.unwrap_or(usual.id);
    let mut all = BACKENDS.iter().chain(EXACT_BACKENDS);
    let Some(backend) = all.find(|backend| backend.id == name) else {
        let known: Vec<&str> = BACKENDS.iter().map(|backend| backend.id).collect();
        let message = format!("unknown backend `{name}`");
        let diagnostic = Diagnostic::new(Code::UnknownWord, message, Default::default(), "");
        return Err(diagnostic.note(format!("known: {}", known.join(", "))));
    };
    Ok(match backend.examine() {
        Ok(()) => (*backend, None),
        Err(why) => {
            let remark = format!(
                "`{name}` cannot be used here: {why}. Instead: {}.",
                usual.id
            );
            (usual, Some(remark))
        }
    })
}

/// Tolerances, end and times of a run from `t0`: what is asked for, else what the file says.
///
/// # Errors
/// No end time; numbers that no run can have.
pub fn settings(p: &Prepared<'_>, options: &RunOptions, t0: f64) -> Result<Options, Diagnostic> {
    let simulate = &p.model.simulate;
    let refused = |what: &str| Diagnostic::new(Code::BadValue, what, Default::default(), "");
    let asked = options.times.as_deref().and_then(<[f64]>::last).copied();
    let until = options.until.or(asked);
    let until = until.or_else(|| simulate.until.map(|x| p.constant(x)));
    let until =
        until.ok_or_else(|| refused("no end time: write [simulate] until = ..., or --until T"))?;
    let rtol = options.rtol.or(simulate.rtol).unwrap_or(DEFAULT_RTOL);
    let atol = options.atol.or(simulate.atol).unwrap_or(DEFAULT_ATOL);
    let samples = options
        .samples
        .or(simulate.samples)
        .unwrap_or(DEFAULT_SAMPLES);
    if !until.is_finite() {
        return Err(refused("the end time is not a finite number"));
    }
    if let Some(why) = unusable(rtol, atol) {
        return Err(refused(why));
    }
    if let Some(why) = uncovered(p, t0, until) {
        return Err(refused(&why));
    }
    if options
        .step
        .is_some_and(|step| !(step.is_finite() && step > 0.0))
    {
        return Err(refused("the step must be a number > 0"));
    }
    let max_step = options.max_step.or(simulate.max_step);
    if max_step.is_some_and(|step| step.is_nan() || step <= 0.0) {
        return Err(refused("the longest step must be a number > 0"));
    }
    if !(1..=MAX_SAMPLES).contains(&samples) {
        return Err(refused("the number of samples lies between 1 and 10000000"));
    }
    let times = match &options.times {
        Some(times) if !lie_in_order(times, t0, until) => {
            return Err(refused(
                "the reported times must lie between the start and the end, in order",
            ));
        }
        Some(times) => times.clone(),
        None => spread(t0, until, samples),
    };
    Ok(Options {
        until,
        rtol,
        atol,
        samples: times,
        monitored: !options.unmonitored,
        drive: p.parameters.drive().map(Arc::clone),
        step: options.step,
        max_step: longest_step(p, until - t0, p.parameters.drive().is_some(), max_step),
        ..Options::default()
    })
}

/// A condition may hold for a moment only, and a force or an input may act for a moment only: long steps would pass them
/// over.
pub(crate) fn longest_step(
    p: &Prepared<'_>,
    time: f64,
    is_driven: bool,
    asked: Option<f64>,
) -> f64 {
    let stops = !p.model.simulate.stop.is_empty();
    let momentary = stops || is_driven || acts_for_a_moment(p);
    let longest = Some(time.abs() / LEAST_STEPS).filter(|longest| momentary && *longest > 0.0);
    let longest = longest.into_iter().chain(asked);
    longest.fold(f64::INFINITY, f64::min)
}

/// Whether time stands in the equations of motion, or functions of the state that may be felt within a small part of the
/// way: `exp(-((x - a)/w)^2)` or `1/(1 + ((x - a)/w)^2)`, as powers and sines are not.
fn acts_for_a_moment(p: &Prepared<'_>) -> bool {
    let (system, rows) = (&p.system, &p.constraints);
    let matrices = [&system.mass, &system.right, &rows.a, &rows.b];
    let entries = matrices.iter().flat_map(|matrix| matrix.entries());
    let entries: Vec<Id> = entries.map(|x| x.id()).collect();
    let graph = system.graph;
    let moves = |x: Ex<'_>| {
        let symbols = x.symbols();
        let mut state = system.q.iter().chain(&system.v);
        state.any(|symbol| symbols.contains(symbol))
    };
    let is_local = |id: Id| match graph.ex(id).node() {
        Node::Call(Function::Sin | Function::Cos, _) => false,
        Node::Call(..) | Node::Power(..) => moves(graph.ex(id)),
        Node::Product(factors) => {
            let mut factors = factors.iter();
            factors.any(|(base, exponent)| is_no_low_power(exponent) && moves(graph.ex(*base)))
        }
        _ => false,
    };
    let all = graph.reachable(&entries);
    all.contains(&system.t.id()) || all.into_iter().any(is_local)
}

/// Whether an exponent is a fraction, negative or large.
fn is_no_low_power(exponent: &Rational) -> bool {
    !exponent.is_integer() || exponent.is_negative() || is_large(exponent)
}

/// How many samples a run has, if there are so many that they are better written than kept.
pub fn many_samples(p: &Prepared<'_>, options: &RunOptions) -> Option<usize> {
    let count = options.samples.or(p.model.simulate.samples)?;
    let many = options.times.is_none() && (MANY..=MAX_SAMPLES).contains(&count);
    many.then_some(count)
}

/// The options of a run of which only some samples are kept.
pub(crate) fn with_few_samples(options: &RunOptions) -> RunOptions {
    RunOptions {
        samples: Some(KEPT),
        ..options.clone()
    }
}

/// Why a run cannot have these tolerances.
fn unusable(rtol: f64, atol: f64) -> Option<&'static str> {
    let fits = |tolerance: f64| tolerance.is_finite() && tolerance >= 0.0;
    if !fits(rtol) || !fits(atol) || rtol.max(atol) == 0.0 {
        return Some("tolerances are numbers >= 0, one of them > 0");
    }
    if rtol >= 1.0 {
        return Some(
            "a relative tolerance of 1 or more allows any motion: write one below 1, such as 1e-10",
        );
    }
    (rtol.max(atol) < LEAST_TOLERANCE)
        .then_some("the tolerances are below rounding errors: write one of at least 1e-15")
}

/// Whether the times go from `t0` to `until` without turning back.
fn lie_in_order(times: &[f64], t0: f64, until: f64) -> bool {
    let forward = if until >= t0 { 1.0 } else { -1.0 };
    let way: Vec<f64> = [&[t0], times, &[until]].concat();
    way.iter().all(|t| t.is_finite()) && way.is_sorted_by(|a, b| forward * a <= forward * b)
}

/// As many times from `t0` to `until`, evenly; a single one is the end.
fn spread(t0: f64, until: f64, samples: usize) -> Vec<f64> {
    (0..samples)
        .map(|i| sample_time(t0, until, samples, i))
        .collect()
}

/// The time of sample `i` of so many that are evenly spaced.
pub(crate) fn sample_time(t0: f64, until: f64, samples: usize, i: usize) -> f64 {
    match i + 1 == samples {
        true => until,
        false => t0 + (until - t0) * (i as f64) / ((samples - 1) as f64),
    }
}
