//! The questions to a model.

use crate::derivatives::Derivatives;
use crate::ensemble::{Ensemble, Meter};
use crate::events::EventInput;
use crate::inputs::{Input, Raised};
use crate::motion::{Computed, Motion};
use crate::refusal::Refusal;
use crate::right_side::RightSide;
use crate::stepper::Stepper;
use crate::study::{self, GivenDesign};
use crate::worker::{Given, LoadedModel, Worker, overrides};
use appell::studies::SweepOptions;
use appell::{
    ConservedOptions, Control, EnsembleOptions, Error, FORMALISMS, FmuKind, Formalism, Interval,
    LANGUAGES, Language, LyapunovOptions, Members, ParameterArgument, Prepared, RunOptions, State,
    export, show,
};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// So many readings of one text are kept: one, unless several threads of Python ask at the same time.
const READINGS: usize = 4;

/// A text that was read, and the threads that answer questions about it.
#[pyclass(frozen, module = "appell._appell")]
pub struct Session {
    name: String,
    text: String,
    /// Warnings of the reader, as JSON.
    #[pyo3(get)]
    warnings: String,
    /// Each is held once more while it answers.
    readings: Mutex<Vec<Arc<Worker>>>,
}

/// What a motion is asked for; what is left open comes from the file.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Request {
    form: Option<String>,
    method: Option<String>,
    backend: Option<String>,
    until: Option<f64>,
    rtol: Option<f64>,
    atol: Option<f64>,
    max_step: Option<f64>,
    samples: Option<usize>,
    times: Option<Vec<f64>>,
    /// The start as JSON.
    start: Option<String>,
    events: Vec<EventInput>,
}

#[pymethods]
impl Session {
    #[new]
    fn new(py: Python<'_>, name: &str, text: &str) -> PyResult<Self> {
        let (worker, warnings) = Worker::start(py, name, text)?;
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            warnings,
            readings: Mutex::new(vec![Arc::new(worker)]),
        })
    }

    /// What the model says of itself.
    fn describe(&self, py: Python<'_>, given: Given) -> PyResult<String> {
        self.answer(py, given, |p, _| Ok(show::model_json(p)))
    }

    /// `appell check`, with equilibria from `x=LOW:HIGH` where asked for; JSON and text.
    fn check(
        &self,
        py: Python<'_>,
        given: Given,
        states: Option<String>,
        equilibria: Option<Vec<String>>,
    ) -> PyResult<(String, String)> {
        self.answer(py, given, move |p, _| {
            let states = states.map(|text| states_of(p, &text)).transpose()?;
            let (mut check, problem) = appell::check(p, states.as_deref());
            if let Some(ranges) = equilibria {
                let found = appell::equilibria(p, &intervals(p, &ranges)?);
                check.equilibria = Some(found.map_err(|error| refusal(p, error))?);
            }
            // As on the command line, a start that cannot be used is told beside the rest.
            let mut text = show::check_text(p, &check);
            if let Some(problem) = problem {
                text += &show::diagnostic_text(&problem, &p.model.source, false);
            }
            Ok((show::json_line(&check), text))
        })
    }

    /// `appell derive --to json`; without forms the first that applies.
    fn derive(
        &self,
        py: Python<'_>,
        given: Given,
        forms: Option<Vec<String>>,
        steps: bool,
    ) -> PyResult<String> {
        self.answer(py, given, move |p, _| {
            let forms = chosen_or_first(p, forms.as_deref())?;
            Ok(show::derivation_json(p, &forms, steps))
        })
    }

    /// `appell derive --to` anything but JSON.
    fn written(
        &self,
        py: Python<'_>,
        given: Given,
        form: String,
        steps: bool,
        to: String,
    ) -> PyResult<String> {
        self.answer(py, given, move |p, _| {
            let id = find(&form)?;
            let written = match (to.as_str(), Language::find(&to)) {
                ("text", _) => show::derivation_text(p, id, steps),
                ("latex", _) => show::derivation_latex(p, id, steps),
                ("html", _) => show::derivation_mathml(p, id, steps),
                (_, Some(language)) => {
                    let mut written = export(p, &[id], language);
                    match written.unavailable.pop() {
                        Some((_, why)) => Err(why),
                        None => Ok(written.text),
                    }
                }
                (other, None) => {
                    let known = LANGUAGES.iter().map(|language| language.id);
                    let known = known.collect::<Vec<_>>().join(", ");
                    let words = format!("there is no code in `{other}`; there is in {known}");
                    return Err(Refusal::Words(words));
                }
            };
            written.map_err(|why| Refusal::Words(format!("{form} does not apply: {why}")))
        })
    }

    /// `appell eval`; without forms all. JSON and text.
    fn eval(
        &self,
        py: Python<'_>,
        given: Given,
        states: String,
        forms: Option<Vec<String>>,
    ) -> PyResult<(String, String)> {
        self.answer(py, given, move |p, _| {
            let states = states_of(p, &states)?;
            let evaluation = appell::eval(p, &states, &chosen(forms.as_deref())?);
            let text = show::eval_text(p, &evaluation);
            Ok((show::json_line(&evaluation), text))
        })
    }

    /// `appell prove`; JSON, text, and whether something is refuted that should hold.
    fn prove(&self, py: Python<'_>, given: Given) -> PyResult<(String, String, bool)> {
        self.answer(py, given, |p, _| {
            let proof = appell::prove(p);
            let text = show::proof_text(p, &proof);
            Ok((show::json_line(&proof), text, proof.is_refuted()))
        })
    }

    /// `appell conserved`; JSON and text.
    fn conserved(
        &self,
        py: Python<'_>,
        given: Given,
        degree: usize,
        seed: u64,
    ) -> PyResult<(String, String)> {
        let options = ConservedOptions {
            degree: degree.clamp(1, ConservedOptions::MAX_DEGREE),
            seed,
            ..ConservedOptions::default()
        };
        self.answer(py, given, move |p, cancel| {
            let found = appell::conserved_with(p, &options, Some(cancel));
            Ok((show::json_line(&found), show::conserved_text(p, &found)))
        })
    }

    /// `appell linearize` about the start, or about states, with outputs; JSON and texts.
    #[pyo3(signature = (given, states, outputs=Vec::new()))]
    fn linearize(
        &self,
        py: Python<'_>,
        given: Given,
        states: Option<String>,
        outputs: Vec<String>,
    ) -> PyResult<(String, String)> {
        self.answer(py, given, move |p, _| {
            let states: Vec<Option<State>> = match states {
                Some(text) => states_of(p, &text)?.into_iter().map(Some).collect(),
                None => vec![None],
            };
            let found = states
                .iter()
                .map(|state| appell::linearize_with(p, state.as_ref(), &outputs));
            let found: Result<Vec<_>, Error> = found.collect();
            let found = found.map_err(|error| refusal(p, error))?;
            let texts: Vec<String> = found.iter().map(show::linearize_text).collect();
            Ok((show::linearize_json(&found), texts.join("\n")))
        })
    }

    /// The linear equations about states of a motion, as JSON.
    fn linearize_along(
        &self,
        py: Python<'_>,
        given: Given,
        states: String,
        inputs: Option<Vec<Input>>,
    ) -> PyResult<String> {
        let sources = sources_of(inputs, &Raised::default());
        self.answer(py, given, move |p, _| {
            let states = states_of(p, &states)?;
            let driven = driven(p, sources)?;
            let p = driven.as_ref().unwrap_or(p);
            let found = appell::linearize_along(p, &states);
            Ok(show::json_line(&found.map_err(|error| refusal(p, error))?))
        })
    }

    /// `appell linearize -p NAME=FROM:TO:STEP`; JSON, text, the names of the unknowns.
    fn sweep(
        &self,
        py: Python<'_>,
        given: Given,
        range: String,
        states: Option<String>,
        crossings: bool,
    ) -> PyResult<(String, String, Vec<String>)> {
        let range = match appell::parse_parameter(&range) {
            Ok(ParameterArgument::Range(range)) => Ok(range),
            Ok(ParameterArgument::Value(_)) => {
                Err("write NAME=FROM:TO:STEP, as v=0:10:0.1".to_owned())
            }
            Err(error) => Err(error.to_string()),
        };
        let range = range.map_err(|why| crate::refusal::refused(Refusal::Words(why)))?;
        let worker = self.reading(py)?;
        worker.ask(py, move |loaded, cancel| {
            let values = overrides(&given.0)?;
            let p = loaded.prepared(&given)?;
            let mut control = Control {
                cancel: Some(cancel),
                progress: None,
                stream: None,
            };
            let states = states.as_deref();
            let swept = appell::sweep(p, &values, &range, states, crossings, &mut control);
            let swept = swept.map_err(|error| refusal(p, error))?;
            let text = show::sweep_text(&swept);
            Ok((show::json_line(&swept), text, swept.state_names))
        })
    }

    /// `appell run`.
    #[pyo3(signature = (given, request, inputs=None))]
    fn run(
        &self,
        py: Python<'_>,
        given: Given,
        request: Request,
        inputs: Option<Vec<Input>>,
    ) -> PyResult<Motion> {
        let computed = self.moved(py, given, request, inputs, |p, options, control| {
            let began = Instant::now();
            let run = appell::run(p, options, control)?;
            Ok(Computed::new(run, began.elapsed().as_secs_f64()))
        });
        Ok(computed?.into_motion(py))
    }

    /// The derivatives of a motion by starts, parameters and inputs.
    fn sensitivity(
        &self,
        py: Python<'_>,
        given: Given,
        request: Request,
        inputs: Option<Vec<Input>>,
        names: Vec<String>,
    ) -> PyResult<Derivatives> {
        let found = self.moved(py, given, request, inputs, move |p, options, control| {
            appell::sensitivity(p, options, &names, control)
        });
        Ok(Derivatives::new(py, found?))
    }

    /// The derivatives of a weighted sum of states: samples x 2n states, then the derivatives by the names.
    fn adjoint(
        &self,
        py: Python<'_>,
        given: Given,
        request: Request,
        inputs: Option<Vec<Input>>,
        names: Vec<String>,
        weights: Vec<f64>,
    ) -> PyResult<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        let found = self.moved(py, given, request, inputs, move |p, options, control| {
            appell::adjoint(p, options, &names, &weights, control)
        });
        let found = found?;
        Ok((found.states, found.values, found.start))
    }

    /// Lyapunov exponents, as JSON, and whether the motion reached its end.
    #[expect(
        clippy::too_many_arguments,
        reason = "the call of one Python method, by position"
    )]
    fn lyapunov(
        &self,
        py: Python<'_>,
        given: Given,
        request: Request,
        inputs: Option<Vec<Input>>,
        count: Option<usize>,
        discard: f64,
        interval: Option<f64>,
    ) -> PyResult<(String, bool)> {
        self.moved(py, given, request, inputs, move |p, options, control| {
            let options = LyapunovOptions {
                run: options.clone(),
                count,
                discard,
                interval,
            };
            let found = appell::lyapunov(p, &options, control)?;
            let done = found.exit == appell::ExitKind::Done;
            Ok((show::json_line(&found), done))
        })
    }

    /// `appell run --ensemble`: members x columns of coordinates, velocities and parameters. `progress` is
    /// called with the part that is done.
    #[expect(
        clippy::too_many_arguments,
        reason = "the call of one Python method, by position"
    )]
    fn ensemble(
        &self,
        py: Python<'_>,
        given: Given,
        request: Request,
        columns: Vec<String>,
        values: PyReadonlyArray2<'_, f64>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Ensemble> {
        let worker = self.reading(py)?;
        let values = values.as_array();
        let count = values.nrows();
        let values = match values.as_slice() {
            Some(rows) => rows.to_vec(),
            None => values.iter().copied().collect(),
        };
        let members = Members {
            columns,
            values,
            count,
        };
        let meter = Arc::new(Meter::default());
        let shared = Arc::clone(&meter);
        let question = move |loaded: &mut LoadedModel<'_>, cancel: &AtomicBool| {
            let p = loaded.prepared(&given)?;
            let options = EnsembleOptions {
                run: options(p, request, &Raised::default())?,
                threads,
            };
            let mut report = |part: f64| shared.set(part);
            let mut control = Control {
                cancel: Some(cancel),
                progress: Some(&mut report),
                stream: None,
            };
            let began = Instant::now();
            let done = appell::ensemble(p, &members, &options, &mut control);
            let seconds = began.elapsed().as_secs_f64();
            Ok((done.map_err(|error| refusal(p, error))?, seconds))
        };
        let done = worker.ask_watched(py, question, &mut |py| match &progress {
            Some(progress) => progress.call1(py, (meter.get(),)).map(drop),
            None => Ok(()),
        });
        let (done, seconds) = done?;
        Ensemble::new(py, done, seconds)
    }

    /// How many members and parts a study has.
    fn study_size(&self, py: Python<'_>, design: GivenDesign, yes: bool) -> PyResult<(u64, u64)> {
        self.answer(py, Given::default(), move |p, _| {
            study::size(p.model, &study::design(&design)?, yes)
        })
    }

    /// `appell sweep`: a share of a study; what there is then, as JSON.
    fn study(
        &self,
        py: Python<'_>,
        design: GivenDesign,
        out: PathBuf,
        shard: Option<(u64, u64)>,
        threads: usize,
        exact: bool,
    ) -> PyResult<String> {
        self.answer(py, Given::default(), move |p, cancel| {
            let order = SweepOptions {
                shard,
                threads,
                exact,
                said: String::new(),
            };
            let mut control = Control {
                cancel: Some(cancel),
                progress: None,
                stream: None,
            };
            study::share(p, &study::design(&design)?, &out, &order, &mut control)
        })
    }

    /// `appell report`: the page of a motion.
    fn report(&self, py: Python<'_>, given: Given, request: Request) -> PyResult<String> {
        let (name, text) = (self.name.clone(), self.text.clone());
        self.answer(py, given, move |p, cancel| {
            let warnings = appell::read(&name, &text).map(|(_, warnings)| warnings);
            let warnings = warnings.unwrap_or_default();
            let options = options(p, request, &Raised::default())?;
            let mut control = Control {
                cancel: Some(cancel),
                progress: None,
                stream: None,
            };
            let made = appell::report(p, &options, &warnings, &mut control);
            Ok(made.map_err(|error| refusal(p, error))?.html)
        })
    }

    /// `appell fmu`: the archive, and why it has no library for this machine.
    fn fmu(
        &self,
        py: Python<'_>,
        given: Given,
        name: String,
        kind: String,
        form: Option<String>,
    ) -> PyResult<(Py<PyBytes>, Option<String>)> {
        let made = self.answer(py, given, move |p, _| {
            let kinds = FmuKind::ALL;
            let found = kinds.iter().find(|(other, _)| *other == kind);
            let Some((_, kind)) = found else {
                let words = format!("kind is both, me or cs, not `{kind}`");
                return Err(Refusal::Words(words));
            };
            let form = form.as_deref().map(find).transpose()?;
            appell::fmu(p, &name, *kind, form).map_err(|error| refusal(p, error))
        });
        let (archive, missing) = made?;
        Ok((PyBytes::new(py, &archive).unbind(), missing))
    }

    /// What a terminal shows of a motion of this model.
    fn describe_motion(
        &self,
        py: Python<'_>,
        given: Given,
        motion: &Bound<'_, Motion>,
    ) -> PyResult<String> {
        let run = motion.get().run();
        self.answer(py, given, move |p, _| Ok(show::run_text(p, &run)))
    }

    /// `appell cite`.
    fn cite(
        &self,
        py: Python<'_>,
        given: Given,
        form: Option<String>,
        method: Option<String>,
    ) -> PyResult<String> {
        self.answer(py, given, move |p, _| {
            let form = form.as_deref().map(find).transpose()?;
            let cited = appell::cite(p, form, method.as_deref());
            Ok(cited.map_err(|error| refusal(p, error))?.bibtex())
        })
    }

    /// The right-hand side of a form, by default of the first that applies, for a backend.
    fn right_side(
        &self,
        py: Python<'_>,
        given: Given,
        form: Option<String>,
        backend: String,
    ) -> PyResult<RightSide> {
        self.answer(py, given, move |p, _| {
            let form = form.as_deref().map(find).transpose()?;
            let field = appell::RightSide::new(p, form, Some(&backend));
            Ok(RightSide(field.map_err(|error| refusal(p, error))?))
        })
    }

    /// A motion step by step.
    fn stepper(
        &self,
        py: Python<'_>,
        given: Given,
        dt: f64,
        request: Request,
    ) -> PyResult<Stepper> {
        self.answer(py, given, move |p, _| {
            let options = options(p, request, &Raised::default())?;
            let made = appell::Stepper::new(p, dt, &options);
            let made = made.map_err(|error| refusal(p, error))?;
            Ok(Stepper(Mutex::new(made)))
        })
    }
}

impl Session {
    /// Answers about a motion of the model with what drives its inputs; the first exception of the user's functions comes
    /// before what follows from it.
    fn moved<T: Send + 'static>(
        &self,
        py: Python<'_>,
        given: Given,
        request: Request,
        inputs: Option<Vec<Input>>,
        question: impl FnOnce(&Prepared<'_>, &RunOptions, &mut Control<'_>) -> Result<T, Error>
        + Send
        + 'static,
    ) -> PyResult<T> {
        let raised = Raised::default();
        let (sources, shared) = (sources_of(inputs, &raised), raised.clone());
        let found = self.answer(py, given, move |p, cancel| {
            let options = options(p, request, &shared)?;
            let driven = driven(p, sources)?;
            let p = driven.as_ref().unwrap_or(p);
            let found = question(p, &options, &mut cancelled_by(cancel));
            found.map_err(|error| refusal(p, error))
        });
        match raised.take() {
            Some(error) => Err(error),
            None => found,
        }
    }

    fn answer<T: Send + 'static>(
        &self,
        py: Python<'_>,
        given: Given,
        question: impl FnOnce(&Prepared<'_>, &AtomicBool) -> Result<T, Refusal> + Send + 'static,
    ) -> PyResult<T> {
        let worker = self.reading(py)?;
        worker.ask(py, move |loaded, cancel| {
            question(loaded.prepared(&given)?, cancel)
        })
    }

    /// A reading that is free; one more where all are at work, and the first where they are too many.
    fn reading(&self, py: Python<'_>) -> PyResult<Arc<Worker>> {
        let known = {
            let mut readings = self.readings();
            readings.retain(|worker| worker.is_usable());
            let free = readings
                .iter()
                .find(|worker| Arc::strong_count(worker) == 1);
            let crowded = readings.first().filter(|_| readings.len() >= READINGS);
            free.or(crowded).map(Arc::clone)
        };
        if let Some(worker) = known {
            return Ok(worker);
        }
        let worker = Arc::new(Worker::start(py, &self.name, &self.text)?.0);
        self.readings().push(Arc::clone(&worker));
        Ok(worker)
    }

    fn readings(&self) -> MutexGuard<'_, Vec<Arc<Worker>>> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What drives the inputs, by their names.
type Sources = Option<Vec<(String, appell::InputSource)>>;

fn sources_of(inputs: Option<Vec<Input>>, raised: &Raised) -> Sources {
    inputs.map(|all| {
        let all = all.into_iter();
        all.map(|input| input.into_source(raised)).collect()
    })
}

/// The model with what drives its inputs; none where nothing does.
fn driven<'m>(p: &Prepared<'m>, sources: Sources) -> Result<Option<Prepared<'m>>, Refusal> {
    let driven = sources.map(|sources| p.driven(sources).map_err(|error| refusal(p, error)));
    driven.transpose()
}

fn cancelled_by(cancel: &AtomicBool) -> Control<'_> {
    Control {
        cancel: Some(cancel),
        progress: None,
        stream: None,
    }
}

fn refusal(p: &Prepared<'_>, error: Error) -> Refusal {
    Refusal::of_error(error, &p.model.source)
}

fn states_of(p: &Prepared<'_>, text: &str) -> Result<Vec<State>, Refusal> {
    appell::read_states(text, p).map_err(|error| refusal(p, error))
}

fn intervals(p: &Prepared<'_>, ranges: &[String]) -> Result<Vec<Interval>, Refusal> {
    let read = |text: &String| appell::parse_interval(text).map_err(|error| refusal(p, error));
    ranges.iter().map(read).collect()
}

fn find(id: &str) -> Result<&'static Formalism, Refusal> {
    Formalism::find(id).ok_or_else(|| {
        let known = || FORMALISMS.iter().map(|form| form.id);
        let near = appell::nearest_word(id, known());
        let near = near.map_or(String::new(), |near| format!(", did you mean `{near}`?"));
        let known = known().collect::<Vec<_>>().join(", ");
        Refusal::Words(format!("unknown form `{id}`{near}; known: {known}"))
    })
}

/// The forms of a list; without one, all.
fn chosen(forms: Option<&[String]>) -> Result<Vec<&'static Formalism>, Refusal> {
    match forms {
        None => Ok(FORMALISMS.to_vec()),
        Some(ids) => ids.iter().map(|id| find(id)).collect(),
    }
}

/// The forms of a list; without one, the first that applies.
fn chosen_or_first(
    p: &Prepared<'_>,
    forms: Option<&[String]>,
) -> Result<Vec<&'static Formalism>, Refusal> {
    if forms.is_some() {
        return chosen(forms);
    }
    let applies = |form: &&Formalism| (form.derive)(&p.system, &p.constraints).is_ok();
    Ok(FORMALISMS
        .iter()
        .copied()
        .find(applies)
        .into_iter()
        .collect())
}

fn options(p: &Prepared<'_>, request: Request, raised: &Raised) -> Result<RunOptions, Refusal> {
    let start = match &request.start {
        Some(text) => states_of(p, text)?.into_iter().next(),
        None => None,
    };
    Ok(RunOptions {
        form: request.form.as_deref().map(find).transpose()?,
        method: request.method,
        backend: request.backend,
        until: request.until,
        rtol: request.rtol,
        atol: request.atol,
        max_step: request.max_step,
        samples: request.samples,
        times: request.times,
        start,
        events: request
            .events
            .into_iter()
            .map(|event| event.into_event(raised))
            .collect(),
        ..RunOptions::default()
    })
}
