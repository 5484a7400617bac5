//! Many motions of one system at once: states side by side in lanes, members over threads.
//!
//! A block holds [`LANES`](crate::lanes::LANES) members. Each lane has its own time, step, step control and
//! constraints; a lane whose member is done takes the next one. Threads take members from a common counter.
//! No lane's arithmetic depends on another lane or on the thread, so results are the same to the last bit
//! whatever the number of threads and the order of members.
//!
//! What lanes cannot do is done as for a single motion, from the member's start: where a written-out
//! solution of a linear system refuses, a value is not finite, a step becomes too small, the projection
//! leads far away, or a singular state may be near. So a member ends as it would alone.

mod advance;
mod block;
mod device;
mod manifold;
mod march;
mod right_side;
mod rows;
mod scalar;
mod within;

use crate::backend::{AUTO, Backend, DeviceCode, LaneCode};
use crate::field::Field;
use crate::lane_step::{Manifold, Monitored};
use crate::method::Method;
use crate::motion::{Control, MonitoredRows, Motion, Options, Stop};
use crate::outcome::{ExitKind, Outcome};
use crate::tableau::Tableau;
use crate::tape::Tape;
use crate::threads;
use crate::unsupported::Unsupported;
use appell_expr::elementary;
use march::Shared;
pub use right_side::RightSide;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// A motion whose parameters may differ from member to member.
///
/// All is a function of `(t, y, p)`: the state, then the parameters that differ.
pub struct EnsembleProgram<'a> {
    /// What is integrated. Lanes need the tape of each field; members are run one after the other where one
    /// has none.
    pub motion: Motion<'a, Box<dyn Field>>,
    /// The number of parameters that differ.
    pub parameters: usize,
    /// For each stage `dw` of `[W, J^T; J, 0] (dw, mu) = (0, -c)`, n.
    pub corrections: Vec<Tape>,
    /// `A`, k x n, and behind it `(M^-1 A^T)^T`, where `M` is definite; monitored members are run one after the other
    /// without it.
    pub rows: Option<Tape>,
}

/// How a member's motion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The last time was reached.
    Finished,
    /// The condition of this index became true.
    Stopped(u32),
    /// The rank of the constraints drops.
    Singular,
    /// The rank of the constraints rises.
    RankRose,
    /// The motion would jump to another sheet.
    SheetLost,
    /// Rows that depend on each other contradict each other.
    RowMissed,
    /// The step became too small.
    Underflow,
    /// The equations do not go on: the end of the range of a root, friction that holds.
    Impassable,
    /// The equations have no value.
    Error,
    /// The budget of steps is used up.
    StepsExhausted,
    /// The caller ended the run.
    Interrupted,
}

impl Ending {
    /// The kind of the outcome.
    pub fn exit_kind(self) -> ExitKind {
        match self {
            Ending::Finished | Ending::Stopped(_) => ExitKind::Done,
            Ending::StepsExhausted => ExitKind::Budget,
            Ending::Interrupted => ExitKind::Interrupted,
            _ => ExitKind::NumericalFailure,
        }
    }

    /// In one word, as files have it.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Finished => "finished",
            Ending::Stopped(_) => "stopped",
            Ending::Singular => "singular",
            Ending::RankRose => "rank-rose",
            Ending::SheetLost => "sheet-lost",
            Ending::RowMissed => "row-missed",
            Ending::Underflow => "underflow",
            Ending::Impassable => "impassable",
            Ending::Error => "error",
            Ending::StepsExhausted => "steps-exhausted",
            Ending::Interrupted => "interrupted",
        }
    }

    fn of(outcome: &Outcome, stops: &[Stop<Box<dyn Field>>]) -> Ending {
        match outcome {
            Outcome::Finished { .. } => Ending::Finished,
            Outcome::Stopped { condition, .. } => {
                let index = stops.iter().position(|stop| stop.text == *condition);
                Ending::Stopped(index.unwrap_or(0) as u32)
            }
            Outcome::Singular { .. } => Ending::Singular,
            Outcome::RankRose { .. } => Ending::RankRose,
            Outcome::SheetLost { .. } => Ending::SheetLost,
            Outcome::RowMissed { .. } => Ending::RowMissed,
            Outcome::Underflow { .. } => Ending::Underflow,
            Outcome::Impassable { .. } => Ending::Impassable,
            Outcome::EvalError { .. } | Outcome::Unsuitable { .. } => Ending::Error,
            Outcome::StepsExhausted { .. } => Ending::StepsExhausted,
            Outcome::Interrupted { .. } | Outcome::OverBudget { .. } => Ending::Interrupted,
        }
    }
}

/// What becomes known of a member. Samples of one member come in order, before its end.
#[derive(Debug, Clone, Copy)]
pub enum Report<'r> {
    /// A requested sample.
    Sample {
        /// Which member.
        member: usize,
        /// Which of the requested times.
        index: usize,
        /// The state there.
        y: &'r [f64],
    },
    /// The end of the motion.
    End {
        /// Which member.
        member: usize,
        /// The last time.
        t: f64,
        /// The last state.
        y: &'r [f64],
        /// How it ended.
        ending: Ending,
        /// Accepted steps.
        steps: u32,
        /// Rejected steps.
        rejected: u32,
        /// Whether it was run alone, and the outcome as a sentence if so.
        alone: Option<&'r str>,
    },
}

impl Report<'_> {
    /// The same of another member.
    #[must_use]
    pub fn of_member(self, of: impl Fn(usize) -> usize) -> Self {
        let mut report = self;
        let (Report::Sample { member, .. } | Report::End { member, .. }) = &mut report;
        *member = of(*member);
        report
    }
}

/// Writes the state and the parameters of a member.
pub type Begin<'m> = dyn Fn(usize, &mut [f64], &mut [f64]) + Sync + 'm;

/// The members: how many, and where each begins.
#[derive(Clone, Copy)]
pub struct Members<'m> {
    /// How many.
    pub count: usize,
    /// How many there are with those of which the ends are known already. It decides on the code: the same
    /// member has the same bits, whether it is computed at once or in a second call.
    pub whole: usize,
    /// The time at which all begin.
    pub t: f64,
    /// Writes the state and the parameters of a member.
    pub start: &'m Begin<'m>,
}

/// How an ensemble is computed.
#[derive(Debug, Clone, Copy)]
pub struct EnsembleConfig {
    /// The method of the steps. Without a tableau members are run one after the other.
    pub method: &'static Method,
    /// What runs the programs. With `auto` they are compiled for lanes where the ensemble is large.
    pub backend: &'static Backend,
    /// The number of threads; 0 stands for as many as the machine has processors.
    pub threads: usize,
}

/// How often an interruption is looked for while nothing is reported: few long motions report seldom.
const LOOK: Duration = Duration::from_millis(20);
/// Ensembles from this size on are worth a call of the system's compiler, which takes a second or so.
const LARGE: usize = 20_000;

/// What ran an ensemble.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// In words.
    pub words: &'static str,
    /// Why that is not the backend that was asked for.
    pub remark: Option<String>,
    /// The time that a GPU computed, without that of copies.
    pub device_seconds: Option<f64>,
}

/// Computes the motions of all members; reports come on the caller's thread.
///
/// Memory does not grow with the number of members: what is reported is the caller's to keep or to drop.
///
/// # Errors
/// A backend that this machine does not have, in words.
pub fn run_ensemble(
    program: &EnsembleProgram<'_>,
    members: &Members<'_>,
    options: &Options,
    config: &EnsembleConfig,
    control: &mut Control<'_>,
    mut report: impl FnMut(Report<'_>),
) -> Result<Ran, Unsupported> {
    let report: &mut dyn FnMut(Report<'_>) = &mut report;
    if !config.backend.on_device {
        return on_processor(program, members, options, config, control, report);
    }
    let usual = EnsembleConfig {
        backend: &AUTO,
        ..*config
    };
    let code = match program.device_code(members.t, options, config) {
        Ok(code) => code,
        Err(why) => {
            let ran = on_processor(program, members, options, &usual, control, report)?;
            let remark = Some(format!("not on the GPU: {why}"));
            return Ok(Ran { remark, ..ran });
        }
    };
    let widths = (program.motion.names.len(), program.parameters);
    let threads = config.thread_count();
    let left = device::run(&code, members, options, widths, threads, control, report)?;
    if !left.members.is_empty() {
        let of = |place: usize| left.members[place];
        let start = |place: usize, y: &mut [f64], p: &mut [f64]| (members.start)(of(place), y, p);
        let others = Members {
            count: left.members.len(),
            start: &start,
            ..*members
        };
        on_processor(program, &others, options, &usual, control, &mut |entry| {
            report(entry.of_member(of));
        })?;
    }
    Ok(Ran {
        words: config.backend.title,
        remark: None,
        device_seconds: Some(left.seconds),
    })
}

/// The members in lanes or one after the other, in threads of this machine.
fn on_processor(
    program: &EnsembleProgram<'_>,
    members: &Members<'_>,
    options: &Options,
    config: &EnsembleConfig,
    control: &mut Control<'_>,
    report: &mut dyn FnMut(Report<'_>),
) -> Result<Ran, Unsupported> {
    let tableau = config.method.tableau;
    let code = match tableau {
        Some(table) => program.lane_code(members.whole, options, table, config.backend)?,
        None => None,
    };
    let cancel = AtomicBool::new(false);
    let shared = Shared {
        program,
        members,
        options,
        tableau,
        method: config.method,
        code: code.as_ref(),
        monitored: program.manifold(options).monitored,
        next: AtomicUsize::new(0),
        cancel: &cancel,
    };
    let blocks = members.count.div_ceil(march::HANDFUL);
    let threads = config.thread_count().min(blocks.max(1));
    let (sender, receiver) = mpsc::sync_channel(2 * threads);
    let choice = elementary::current();
    let started = std::thread::scope(|scope| {
        let started = threads::start(scope, threads, || {
            let (sender, shared) = (sender.clone(), &shared);
            move || elementary::within(choice, || shared.work(&sender))
        });
        drop(sender);
        let mut done = 0;
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(batch) => {
                    done += batch.report(program.motion.names.len(), report);
                    control.report(done as f64 / members.count as f64);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if control.cancelled() {
                cancel.store(true, Ordering::Relaxed);
            }
        }
        started
    });
    if started == 0 {
        return Err(Unsupported::from("no thread can be started"));
    }
    Ok(Ran {
        words: code.as_ref().map_or("one after the other", LaneCode::words),
        remark: None,
        device_seconds: None,
    })
}

impl EnsembleConfig {
    /// The number of threads, at least 1.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    fn tableau(&self) -> Result<&'static Tableau, Unsupported> {
        let why = || format!("the method `{}` does not run over lanes", self.method.id);
        Ok(self.method.tableau.ok_or_else(why)?)
    }
}

impl EnsembleProgram<'_> {
    /// The code over lanes for so many members, if all can be written out.
    fn lane_code(
        &self,
        members: usize,
        options: &Options,
        tableau: &'static Tableau,
        backend: &Backend,
    ) -> Result<Option<LaneCode>, Unsupported> {
        let code = |functions| {
            let manifold = self.manifold(options);
            let large = members >= LARGE;
            LaneCode::new(
                functions,
                self.parameters,
                manifold,
                tableau,
                backend,
                large,
            )
        };
        self.lane_functions(options).map(code).transpose()
    }

    /// The functions of the program for a device.
    ///
    /// # Errors
    /// What a device does not do, in words.
    fn device_functions(&self, t0: f64, options: &Options) -> Result<Vec<Vec<Tape>>, Unsupported> {
        if let Some(why) = device::obstacle(self, options, t0) {
            return Err(why.into());
        }
        let functions = self.lane_functions(options);
        functions.ok_or_else(|| "the equations are not solved in straight-line code".into())
    }

    fn device_code(
        &self,
        t0: f64,
        options: &Options,
        config: &EnsembleConfig,
    ) -> Result<DeviceCode, Unsupported> {
        let functions = self.device_functions(t0, options)?;
        let (manifold, tableau) = (self.manifold(options), config.tableau()?);
        let source = (functions.as_slice(), self.parameters);
        DeviceCode::new(source, &manifold, tableau, &options.samples, config.backend)
    }

    /// The program for NVIDIA GPUs, in CUDA C: the kernel `appell_members`.
    ///
    /// # Errors
    /// In words: a method without tableau, or what a device does not do.
    pub fn device_source(
        &self,
        t0: f64,
        options: &Options,
        config: &EnsembleConfig,
    ) -> Result<String, Unsupported> {
        let functions = self.device_functions(t0, options)?;
        let manifold = self.manifold(options);
        let code = (functions.as_slice(), self.parameters);
        let sampled = !options.samples.is_empty();
        DeviceCode::source(code, &manifold, config.tableau()?, sampled)
    }

    fn manifold(&self, options: &Options) -> Manifold {
        let stages = self.motion.stages.iter();
        Manifold {
            stages: stages
                .map(|stage| (stage.residual.outputs(), stage.moved.clone()))
                .collect(),
            monitored: self.monitored(options).map(|monitored| Monitored {
                rows: monitored.rows,
                columns: monitored.columns(),
            }),
        }
    }

    fn monitored(&self, options: &Options) -> Option<&MonitoredRows<Box<dyn Field>>> {
        let monitored = self.motion.monitored.as_ref();
        monitored.filter(|_| options.monitored)
    }

    /// The functions over lanes, the right-hand side first, then the stages, the rank monitor, the stops; `None`
    /// where one of them cannot be written out, the right-hand side jumps or is felt in a narrow place, or rows that depend on
    /// others are to be watched.
    fn lane_functions(&self, options: &Options) -> Option<Vec<Vec<Tape>>> {
        // Each lane would end its step at a place of its own.
        let quantities = [
            &self.motion.switches,
            &self.motion.narrow,
            &self.motion.peaks,
        ];
        if quantities.iter().any(|quantity| quantity.is_some()) || self.motion.unprojected.is_some()
        {
            return None;
        }
        let tape = |field: &dyn Field| field.tape().cloned();
        let mut functions = vec![vec![tape(&*self.motion.field)?]];
        for (stage, correction) in self.motion.stages.iter().zip(&self.corrections) {
            let (residual, sizes) = (tape(&*stage.residual)?, tape(&*stage.magnitudes)?);
            functions.push(vec![residual, sizes, correction.clone()]);
        }
        if self.monitored(options).is_some() {
            functions.push(vec![self.rows.clone()?]);
        }
        for stop in &self.motion.stops {
            functions.push(vec![tape(&*stop.gap)?]);
        }
        let written = |tape: &Tape| tape.solves.iter().all(|solve| solve.direct.is_some());
        functions.iter().flatten().all(written).then_some(functions)
    }
}
