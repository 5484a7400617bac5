//! A thread for each model: it owns the model and what is prepared from it, and answers questions.
//!
//! The algebra of a model stays in one thread. Whoever asks waits without the interpreter's lock, so
//! that other threads of Python go on, and looks for signals meanwhile, so that Ctrl-C works.

use crate::refusal::{Refusal, refused};
use appell::{Model, Override, Prepared};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What is asked of a model.
type Task = Box<dyn for<'m> FnOnce(&mut LoadedModel<'m>) + Send>;

/// How often signals are looked for while an answer is waited for.
const LOOK: Duration = Duration::from_millis(20);
/// How long an answer is waited for awake: to be woken costs more than a short motion.
const AWAKE: Duration = Duration::from_millis(2);
/// How long an interrupted answer is waited for before it is given up.
const PATIENCE: Duration = Duration::from_secs(2);
/// Formulas may be deep.
const STACK: usize = 16 << 20;

/// What is done now and then while an answer is waited for.
pub type Poll<'l> = dyn FnMut(Python<'_>) -> PyResult<()> + 'l;

/// The parameters with other values, and the constraints left out, as written.
pub type Given = (Vec<String>, Vec<String>);

/// So many choices of parameters and dropped constraints are kept prepared.
const CHOICES: usize = 4;
/// After so many preparations the model is read anew: the algebra never forgets an expression.
const PREPARATIONS: usize = 256;

/// The model with what was prepared from it, the choice asked for last first.
pub struct LoadedModel<'m> {
    /// The model.
    pub model: &'m Model,
    prepared: Vec<(Given, Prepared<'m>)>,
    status: Arc<WorkerStatus>,
}

/// What the asker knows of a model's thread.
#[derive(Default)]
struct WorkerStatus {
    preparations: AtomicUsize,
    /// Its last question panicked, or was given up and may be at work still.
    lost: AtomicBool,
}

impl<'m> LoadedModel<'m> {
    /// The model with these parameters, without these constraints.
    pub fn prepared(&mut self, given: &Given) -> Result<&mut Prepared<'m>, Refusal> {
        let choices = &mut self.prepared;
        match choices.iter().position(|(other, _)| other == given) {
            Some(place) => choices[..=place].rotate_right(1),
            None => {
                let prepared = prepare(self.model, given)?;
                self.status.preparations.fetch_add(1, Ordering::Relaxed);
                choices.truncate(CHOICES - 1);
                choices.insert(0, (given.clone(), prepared));
            }
        }
        Ok(&mut choices[0].1)
    }
}

fn prepare<'m>(model: &'m Model, (parameters, dropped): &Given) -> Result<Prepared<'m>, Refusal> {
    let prepared = Prepared::new(model, &overrides(parameters)?, dropped);
    prepared.map_err(|error| Refusal::of_error(error, &model.source))
}

/// Values of parameters from `m=2`.
pub fn overrides(parameters: &[String]) -> Result<Vec<Override>, Refusal> {
    let read = |text: &String| {
        appell::parse_override(text).map_err(|error| Refusal::Words(error.to_string()))
    };
    parameters.iter().map(read).collect()
}

/// The way to a model's thread. The thread ends when this is dropped and its last answer is given.
pub struct Worker {
    tasks: Sender<Task>,
    status: Arc<WorkerStatus>,
    /// Threads are not there in a forked process.
    process: u32,
}

impl Worker {
    /// Reads a model in a thread of its own; the warnings come with it.
    pub fn start(py: Python<'_>, name: &str, text: &str) -> PyResult<(Worker, String)> {
        let (tasks, inbox) = channel();
        let (answer, answers) = channel();
        let (name, text) = (name.to_owned(), text.to_owned());
        let status = Arc::new(WorkerStatus::default());
        let shared = Arc::clone(&status);
        thread::Builder::new()
            .name("appell".to_owned())
            .stack_size(STACK)
            .spawn(move || serve(&name, &text, &answer, &inbox, shared))?;
        let warnings = wait(py, answers, &AtomicBool::new(false), &mut |_| Ok(()))?;
        let worker = Worker {
            tasks,
            status,
            process: std::process::id(),
        };
        Ok((worker, warnings.map_err(refused)?))
    }

    /// Whether it may be asked: its thread belongs to this process, is whole, and holds no more than it needs.
    pub fn is_usable(&self) -> bool {
        self.process == std::process::id()
            && !self.status.lost.load(Ordering::Relaxed)
            && self.status.preparations.load(Ordering::Relaxed) < PREPARATIONS
    }

    /// Asks a question; the flag is set when the user interrupts.
    pub fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl for<'m> FnOnce(&mut LoadedModel<'m>, &AtomicBool) -> Result<T, Refusal>
        + Send
        + 'static,
    ) -> PyResult<T> {
        self.ask_watched(py, question, &mut |_| Ok(()))
    }

    /// Asks a question; `look` is called now and then while it is answered. Its error ends the work, as an
    /// interruption does.
    pub fn ask_watched<T: Send + 'static>(
        &self,
        py: Python<'_>,
        question: impl for<'m> FnOnce(&mut LoadedModel<'m>, &AtomicBool) -> Result<T, Refusal>
        + Send
        + 'static,
        look: &mut Poll<'_>,
    ) -> PyResult<T> {
        let (answer, answers) = channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancel);
        let task: Task = Box::new(move |loaded| {
            let result = catch_unwind(AssertUnwindSafe(|| question(loaded, &flag)));
            if result.is_err() {
                loaded.status.lost.store(true, Ordering::Relaxed);
            }
            // Nobody waits for an answer that was given up.
            let _ = answer.send(result.unwrap_or_else(|payload| Err(Refusal::panic(&*payload))));
        });
        self.tasks.send(task).map_err(|_| gone())?;
        let answer = wait(py, answers, &cancel, look);
        if answer.is_err() {
            self.status.lost.store(true, Ordering::Relaxed);
        }
        answer?.map_err(refused)
    }
}

/// The life of a model's thread.
fn serve(
    name: &str,
    text: &str,
    answer: &Sender<Result<String, Refusal>>,
    inbox: &Receiver<Task>,
    status: Arc<WorkerStatus>,
) {
    let read = catch_unwind(|| appell::read(name, text));
    let model = match read {
        Ok(Ok((model, warnings))) => {
            let warnings = appell::show::diagnostics_json(&warnings, &model.source);
            let _ = answer.send(Ok(warnings));
            model
        }
        Ok(Err(errors)) => {
            let refusal = Refusal::of(&errors, &appell::Source::new(name, text));
            let _ = answer.send(Err(refusal));
            return;
        }
        Err(payload) => {
            let _ = answer.send(Err(Refusal::panic(&*payload)));
            return;
        }
    };
    let mut loaded = LoadedModel {
        model: &model,
        prepared: Vec::new(),
        status,
    };
    for task in inbox {
        task(&mut loaded);
    }
}

/// Waits for an answer without the interpreter's lock. Ctrl-C, or an error of `look`, sets the flag and, once
/// the work has ended or is given up, raises the exception.
fn wait<T: Send>(
    py: Python<'_>,
    mut answers: Receiver<T>,
    cancel: &AtomicBool,
    look: &mut Poll<'_>,
) -> PyResult<T> {
    let mut interrupted: Option<(PyErr, Instant)> = None;
    let mut awake = true;
    loop {
        let (back, answer) = py.detach(move || {
            let early = awake.then(|| soon(&answers)).flatten();
            let answer = early.unwrap_or_else(|| answers.recv_timeout(LOOK));
            (answers, answer)
        });
        awake = false;
        answers = back;
        match (answer, interrupted.take()) {
            (Ok(answer), None) => return Ok(answer),
            (Err(RecvTimeoutError::Disconnected), None) => return Err(gone()),
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(signal) = py.check_signals().and_then(|()| look(py)) {
                    cancel.store(true, Ordering::Relaxed);
                    interrupted = Some((signal, Instant::now()));
                }
            }
            (Err(RecvTimeoutError::Timeout), Some((signal, since)))
                if since.elapsed() < PATIENCE =>
            {
                interrupted = Some((signal, since));
            }
            (_, Some((signal, _))) => return Err(signal),
        }
    }
}

/// An answer that comes before it would pay to fall asleep.
fn soon<T>(answers: &Receiver<T>) -> Option<Result<T, RecvTimeoutError>> {
    let began = Instant::now();
    while began.elapsed() < AWAKE {
        match answers.try_recv() {
            Ok(answer) => return Some(Ok(answer)),
            Err(TryRecvError::Disconnected) => return Some(Err(RecvTimeoutError::Disconnected)),
            Err(TryRecvError::Empty) => thread::yield_now(),
        }
    }
    None
}

fn gone() -> PyErr {
    PyRuntimeError::new_err("the thread of this model has ended; make the model anew")
}
