//! The ways to run a tape, in one table: [`BACKENDS`].
//!
//! All give the same numbers to the last bit, but for `cc` where the compiler contracts `a b + c` to one
//! rounding; so a run may change from one to another while it goes on.

#[cfg(feature = "cc")]
mod angles;
#[cfg(feature = "cc")]
mod c_source;
#[cfg(feature = "cc")]
mod cache;
#[cfg_attr(not(feature = "cc"), path = "absent/cc.rs")]
mod cc;
#[cfg_attr(not(feature = "cc"), path = "absent/cc_lanes.rs")]
mod cc_lanes;
#[cfg_attr(not(feature = "cuda"), path = "absent/cuda.rs")]
mod cuda;
mod entry;
#[cfg_attr(not(feature = "jit"), path = "absent/jit.rs")]
mod jit;
mod lanes;
#[cfg(feature = "cc")]
mod lanes_source;
mod many;
mod native;
#[cfg_attr(not(feature = "cc"), path = "absent/notes.rs")]
pub mod notes;
mod series;
#[cfg(feature = "cc")]
mod series_source;
mod stages;
pub(crate) mod vectorised;

use crate::drive::Drive;
use crate::evaluation::{EvalError, Workspace};
use crate::field::Field;
use crate::linear::Scratch;
use crate::parameters::Parameters;
use crate::tape::Tape;
use crate::tape::schedule::Schedule;
use crate::unsupported::Unsupported;
use appell_expr::{Program, Rational};
pub(crate) use cuda::DeviceCode;
pub use cuda::device_report;
pub use entry::CFunction;
pub(crate) use lanes::{Buffers, Combination, LaneCode, scale};
pub(crate) use native::ExplicitStep;
use native::Machine;
pub(crate) use series::CompiledSeries;
pub(crate) use stages::Stages;
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// A way to run tapes.
pub struct Backend {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it does, in words.
    pub title: &'static str,
    /// Whether it runs ensembles only, member by member on a device.
    pub on_device: bool,
    /// Makes a tape ready.
    compile: fn(&Tape) -> Result<Code, Unsupported>,
}

impl Backend {
    /// Whether this machine has it.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn examine(&self) -> Result<(), Unsupported> {
        if self.on_device {
            return cuda::examine(self);
        }
        let nothing = Program {
            inputs: vec!["t".to_owned()],
            numbers: vec![Rational::new(0, 1)],
            ..Program::default()
        };
        (self.compile)(&Tape::new(&nothing, &[])).map(|_| ())
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// Every way to run a tape; the first is the usual one.
pub const BACKENDS: &[&Backend] = &[&AUTO, &INTERP, &JIT, &CC, &CUDA];

/// More ways, for comparisons: each gives the bits of another to the last.
pub const EXACT_BACKENDS: &[&Backend] = &[&CC_EXACT, &CUDA_EXACT];

/// A shared library of a source in C by the system's compiler, for programs on other machines of this kind.
///
/// # Errors
/// In words: no compiler, or one that fails.
pub fn shared_library(source: &str) -> Result<Vec<u8>, Unsupported> {
    cc::shared_library(source)
}

/// Interprets, and compiles what is evaluated often.
pub const AUTO: Backend = Backend {
    id: "auto",
    title: "interpreted at first, machine code for what is evaluated often",
    on_device: false,
    compile: |_| Ok(Code::Tiered(Box::default())),
};

/// Interprets.
pub const INTERP: Backend = Backend {
    id: "interp",
    title: "interpreted",
    on_device: false,
    compile: |_| Ok(Code::Interpreted),
};

/// Compiles in memory; what is too long is interpreted.
pub const JIT: Backend = Backend {
    id: "jit",
    title: "machine code made in memory (Cranelift)",
    on_device: false,
    compile: |tape| {
        let machine = jit::compile(tape, jit::Effort::Best)?;
        Ok(machine.map_or(Code::Interpreted, Code::Native))
    },
};

/// Compiles with the system's compiler.
pub const CC: Backend = Backend {
    id: "cc",
    title: "machine code by the system's C compiler, kept in the user's cache",
    on_device: false,
    compile: |tape| cc::compile(tape, cc::Contraction::Allowed).map(Code::Native),
};

/// As [`CC`], but with one rounding for each operation, so that results are those of the others to the
/// last bit.
pub const CC_EXACT: Backend = Backend {
    id: "cc-exact",
    title: "machine code by the system's C compiler, one rounding for each operation",
    on_device: false,
    compile: |tape| cc::compile(tape, cc::Contraction::Off).map(Code::Native),
};

/// Runs the members of ensembles on an NVIDIA GPU.
pub const CUDA: Backend = Backend {
    id: "cuda",
    title: "ensembles on an NVIDIA GPU, one thread for each member",
    on_device: true,
    compile: |_| Err(DEVICE_ONLY.into()),
};

/// The program of the GPU on the processor, as plain C with one rounding for each operation: the bits of [`CC_EXACT`].
pub const CUDA_EXACT: Backend = Backend {
    id: "cuda-exact",
    title: "the program of the GPU on the processor",
    on_device: true,
    compile: |_| Err(DEVICE_ONLY.into()),
};

const DEVICE_ONLY: &str = "a GPU runs ensembles, not single motions";

/// What runs a tape.
enum Code {
    Interpreted,
    Native(Machine),
    Tiered(Box<Tiered>),
}

/// Machine code made when it begins to pay.
#[derive(Default)]
struct Tiered {
    quick: OnceLock<Option<Machine>>,
    best: OnceLock<Option<Machine>>,
}

/// Evaluations after which a [`Schedule`] pays; measured: it takes 60 ns an operation to make, and each evaluation saves from 0.5
/// (in a loop over one state) to 2.5 of them (in a run).
const SOME: usize = 50;
/// Evaluations after which quickly made machine code pays; measured: it takes as long to make.
const OFTEN: usize = 5_000;
/// Evaluations after which better machine code pays.
const VERY_OFTEN: usize = 30_000;

impl Tiered {
    /// The code that pays after so many evaluations.
    fn machine(&self, tape: &Tape, evaluations: usize) -> Option<&Machine> {
        match evaluations {
            ..OFTEN => None,
            OFTEN..VERY_OFTEN => {
                let quick = || jit::compile(tape, jit::Effort::Quick).ok().flatten();
                self.quick.get_or_init(quick).as_ref()
            }
            _ => self.best(tape),
        }
    }

    /// The best code there will be.
    fn best(&self, tape: &Tape) -> Option<&Machine> {
        let best = || jit::compile(tape, jit::Effort::Best).ok().flatten();
        self.best.get_or_init(best).as_ref()
    }
}

/// A tape made ready by a backend: a field of `(t, y)`.
pub struct Compiled {
    tape: Tape,
    code: Code,
    /// How often it was evaluated, as far as that is not by the best code there will be.
    evaluations: AtomicUsize,
    /// What is interpreted often, in a better order.
    schedule: OnceLock<Schedule>,
    /// What gives the last inputs of the tape.
    drive: Option<Arc<Drive>>,
    /// What is evaluated where the tape has no value.
    otherwise: Option<Box<Compiled>>,
}

impl Compiled {
    /// Makes a program with these values of its last inputs ready.
    ///
    /// # Errors
    /// As for [`Compiled::new`].
    pub fn of(
        program: &Program,
        parameters: &Parameters,
        backend: &Backend,
    ) -> Result<Compiled, Unsupported> {
        let compiled = Compiled::new(Tape::new(program, parameters), backend)?;
        Ok(compiled.driven(&parameters.for_program(program)))
    }

    /// The sizes of the results; `None` as for [`Tape::of_sizes`].
    pub fn of_sizes(
        program: &Program,
        parameters: &Parameters,
        backend: &Backend,
    ) -> Option<Result<Compiled, Unsupported>> {
        let tape = Tape::of_sizes(program, parameters)?;
        let compiled = Compiled::new(tape, backend);
        Some(compiled.map(|code| code.driven(&parameters.for_program(program))))
    }

    fn driven(self, parameters: &Parameters) -> Compiled {
        Compiled {
            drive: parameters.drive().map(Arc::clone),
            ..self
        }
    }

    /// Makes a tape ready.
    ///
    /// # Errors
    /// Why this machine cannot, in words: no compiler, no place for a cache.
    pub fn new(tape: Tape, backend: &Backend) -> Result<Compiled, Unsupported> {
        let code = (backend.compile)(&tape)?;
        Ok(Compiled {
            tape,
            code,
            evaluations: AtomicUsize::new(0),
            schedule: OnceLock::new(),
            drive: None,
            otherwise: None,
        })
    }

    /// The same function with another program where this one has no value. Methods that ask for a tape get that of the
    /// other.
    pub fn or(self, other: Compiled) -> Compiled {
        Compiled {
            otherwise: Some(Box::new(other)),
            ..self
        }
    }

    /// Whether the solutions that are written out count at a state: no large system is left to a routine there.
    pub fn is_written_out_at(&self, t: f64, y: &[f64]) -> bool {
        let mut workspace = Workspace::default();
        let mut out = vec![0.0; self.outputs()];
        let is_value = self.eval(&mut workspace, t, y, &mut out).is_ok();
        let register = |index: u32| workspace.values[index as usize];
        is_value && matches!(self.code, Code::Interpreted) && self.tape.is_written_out(register)
    }

    /// What it runs.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// The machine code for the next evaluations, so many; none where it may not be used for the ranks that
    /// are held.
    fn machine(&self, evaluations: usize, scratch: &Scratch) -> Option<&Machine> {
        let machine = match &self.code {
            Code::Native(machine) => Some(machine),
            Code::Interpreted => {
                // Beyond, threads would only take the place from each other.
                if self.evaluations.load(Ordering::Relaxed) < SOME {
                    self.count(evaluations);
                }
                None
            }
            Code::Tiered(tiered) => match tiered.best.get() {
                Some(best) => best.as_ref(),
                None => tiered.machine(&self.tape, self.count(evaluations)),
            },
        };
        machine.filter(|_| self.tape.is_regular(scratch))
    }

    /// Counts evaluations; those before. Threads may lose each other's: what pays is only put off a little.
    fn count(&self, evaluations: usize) -> usize {
        let before = self.evaluations.load(Ordering::Relaxed);
        let now = before.saturating_add(evaluations);
        self.evaluations.store(now, Ordering::Relaxed);
        before
    }

    /// The order in which the tape is interpreted, where it pays to have one.
    fn order(&self) -> Option<&Schedule> {
        let often = self.evaluations.load(Ordering::Relaxed) >= SOME;
        often.then(|| self.schedule.get_or_init(|| Schedule::new(&self.tape)))
    }

    /// Takes the stages of a step by machine code; whether there is some and all went well. Otherwise slopes
    /// and end mean nothing, and the stages are to be taken one by one, which finds out why.
    pub(crate) fn stages(&self, mut stages: Stages) -> bool {
        let count = stages.tableau.stage_count();
        stages.scratch.rewind();
        match self.machine(count, stages.scratch) {
            Some(machine) => stages.run(machine, &self.tape),
            None => false,
        }
    }

    /// Taylor series to an order by machine code, where there is some.
    pub(crate) fn series(&self, order: usize) -> Option<CompiledSeries<'_>> {
        match &self.code {
            Code::Native(machine) if self.otherwise.is_none() => {
                CompiledSeries::new(machine, &self.tape, order)
            }
            _ => None,
        }
    }

    fn run(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let answer = match self.machine(1, &workspace.linear) {
            Some(machine) => match machine.eval(workspace, t, y, out) {
                Err(_) if self.tape.leaves_out() => self.tape.eval(workspace, t, y, out),
                answer => answer,
            },
            None => self.tape.evaluate(self.order(), workspace, (t, y), out),
        };
        match &self.otherwise {
            Some(other) if answer.is_err() => other.run(workspace, t, y, out),
            _ => answer,
        }
    }

    /// The machine code as a function for callers in other languages; `None` where the tape is interpreted.
    /// A backend that compiles what is evaluated often compiles now.
    pub fn c_function(&self) -> Option<CFunction<'_>> {
        if let Some(other) = &self.otherwise {
            return other.c_function();
        }
        let machine = match &self.code {
            _ if self.drive.is_some() => None,
            Code::Interpreted => None,
            Code::Native(machine) => Some(machine),
            Code::Tiered(tiered) => tiered.best(&self.tape),
        };
        machine.map(CFunction::new)
    }
}

impl Field for Compiled {
    fn inputs(&self) -> usize {
        let driven = self.drive.as_ref().map_or(0, |drive| drive.count());
        self.tape.inputs() - driven
    }

    fn outputs(&self) -> usize {
        self.tape.outputs()
    }

    /// Series and derivatives of the tape do not know what drives it.
    fn tape(&self) -> Option<&Tape> {
        let tape = self
            .otherwise
            .as_ref()
            .map_or(&self.tape, |other| &other.tape);
        Some(tape).filter(|_| self.drive.is_none())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        self.drive.is_none().then_some(self as &dyn Any)
    }

    fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let Some(drive) = &self.drive else {
            return self.run(workspace, t, y, out);
        };
        let (state, mut all) = (y.len(), std::mem::take(&mut workspace.driven));
        all.clear();
        all.extend_from_slice(y);
        all.resize(state + drive.count(), 0.0);
        drive.values(t, y, &mut all[state..]);
        let answer = self.run(workspace, t, &all, out);
        workspace.driven = all;
        answer
    }
}
