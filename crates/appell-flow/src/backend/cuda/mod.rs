//! Members of an ensemble on an NVIDIA GPU, one in each thread there: the step over lanes with one number for each
//! vector, in CUDA C.
#![allow(unsafe_code, reason = "a driver is called here")]

mod compiler;
mod driver;

use super::cc::{Contraction, library_of};
use super::lanes_source::{Dialect, Shape, source};
use super::{Backend, CUDA_EXACT, cache};
use crate::lane_step::{Begin, Chunk, Manifold};
use crate::tableau::Tableau;
use crate::tape::Tape;
use crate::unsupported::Unsupported;
use compiler::Compiler;
use driver::{Buffer, Device, Kernel};
use libloading::Library;
use std::rc::Rc;
use std::time::Instant;

/// What follows a whole step in the source.
const MEMBERS: &str = include_str!("members.c");
/// Threads of a block.
const THREADS: usize = 128;

/// The code of a motion on a device.
pub(crate) struct DeviceCode {
    place: Target,
    shape: Shape,
    /// The times of samples.
    times: Vec<f64>,
}

/// Where it runs.
enum Target {
    Device(Rc<Device>, Kernel),
    /// The processor, for comparisons.
    Processor(Library),
}

/// The kernel as plain C has it, with the member of the thread.
type Member = unsafe extern "C" fn(Members, i64);

/// A chunk as the kernel has it.
#[repr(C)]
struct Members {
    y: u64,
    p: u64,
    end: u64,
    t: u64,
    steps: u64,
    rejected: u64,
    ending: u64,
    times: u64,
    samples: u64,
    sampled: u64,
    count: i64,
    time_count: i64,
    t0: f64,
    until: f64,
    max_step: f64,
    max_steps: f64,
    rtol: f64,
    atol: f64,
}

/// Whether this machine has a device and a compiler for it.
///
/// # Errors
/// What is missing, in words.
pub(super) fn examine(backend: &Backend) -> Result<(), Unsupported> {
    if backend.id == CUDA_EXACT.id {
        return Ok(());
    }
    Device::first()?;
    Compiler::load().map(|_| ())
}

/// What the compiler for devices says of a program for those of a compute capability, as (9, 0): registers, and what is
/// spilled of them.
///
/// # Errors
/// There is none, or it fails.
pub fn device_report(source: &str, capability: (i32, i32)) -> Result<String, Unsupported> {
    Ok(Compiler::load()?.compile(source, capability)?.said)
}

fn shape(
    functions: &[Vec<Tape>],
    parameters: usize,
    manifold: &Manifold,
    method: &Tableau,
) -> Result<Shape, Unsupported> {
    let fits = Shape::of(functions, parameters, manifold, method);
    fits.ok_or_else(|| "the functions of the motion read different states".into())
}

impl Target {
    fn on_processor(source: String) -> Result<Target, Unsupported> {
        let text = |conditions: &str| conditions.to_owned() + &source;
        let library = library_of(Contraction::Off, text)?;
        // SAFETY: the library lies in a folder that only the user can write to and has no initialisers.
        let loaded = unsafe { Library::new(&library) };
        let words = |error| format!("{} cannot be loaded: {error}", library.display());
        Ok(Target::Processor(loaded.map_err(words)?))
    }

    fn on_device(source: String) -> Result<Target, Unsupported> {
        let device = Rc::new(Device::first()?);
        let compiler = Compiler::load()?;
        let (major, minor) = device.capability;
        let decides = format!("sm_{major}{minor}, NVRTC {:?}\n{source}", compiler.version);
        // A cache that cannot be used costs time only.
        let code = match cache::note(decides.as_bytes()) {
            Ok(Some(code)) => code,
            _ => {
                let code = compiler.compile(&source, device.capability)?.code;
                let _ = cache::keep_note(decides.as_bytes(), &code);
                code
            }
        };
        let kernel = Kernel::new(&device, &code, c"appell_members")?;
        Ok(Target::Device(device, kernel))
    }
}

impl DeviceCode {
    /// Compiles functions as for lanes.
    ///
    /// # Errors
    /// In words: no device, no compiler, or it fails.
    pub fn new(
        (functions, parameters): (&[Vec<Tape>], usize),
        manifold: &Manifold,
        method: &Tableau,
        times: &[f64],
        backend: &Backend,
    ) -> Result<DeviceCode, Unsupported> {
        let sampled = !times.is_empty();
        let text = DeviceCode::source((functions, parameters), manifold, method, sampled)?;
        let place = if backend.id == CUDA_EXACT.id {
            Target::on_processor(text)?
        } else {
            Target::on_device(text)?
        };
        let shape = shape(functions, parameters, manifold, method)?;
        let times = times.to_vec();
        Ok(DeviceCode {
            place,
            shape,
            times,
        })
    }

    /// The program in CUDA C.
    ///
    /// # Errors
    /// The functions read different states.
    pub fn source(
        (functions, parameters): (&[Vec<Tape>], usize),
        manifold: &Manifold,
        method: &Tableau,
        sampled: bool,
    ) -> Result<String, Unsupported> {
        let shape = shape(functions, parameters, manifold, method)?;
        let dialect = Dialect::Scalars { sampled };
        Ok(source(dialect, functions, &shape, manifold, method) + MEMBERS)
    }

    /// Runs the members of a chunk, all from `t0`; gives the seconds that the program took there.
    ///
    /// # Errors
    /// What the device says.
    pub fn run(
        &self,
        chunk: &mut Chunk,
        t0: f64,
        begin: &Begin,
        max_steps: f64,
    ) -> Result<f64, Unsupported> {
        let (state, count) = (self.shape.state, chunk.count);
        for (numbers, length) in [
            (&mut chunk.end, state),
            (&mut chunk.t, 1),
            (&mut chunk.samples, state * self.times.len()),
        ] {
            numbers.resize(length * count, 0.0);
        }
        let counts = [&mut chunk.steps, &mut chunk.rejected, &mut chunk.ending];
        for counts in counts.into_iter().chain([&mut chunk.sampled]) {
            counts.resize(count, 0);
        }
        let members =
            |[y, p, end, t, times, samples]: [u64; 6],
             [steps, rejected, ending, sampled]: [u64; 4]| Members {
                y,
                p,
                end,
                t,
                steps,
                rejected,
                ending,
                times,
                samples,
                sampled,
                count: count as i64,
                time_count: self.times.len() as i64,
                t0,
                until: begin.until,
                max_step: begin.max_step,
                max_steps,
                rtol: begin.rtol,
                atol: begin.atol,
            };
        match &self.place {
            Target::Device(device, kernel) => {
                run_there(device, kernel, chunk, &self.times, members)
            }
            Target::Processor(library) => run_here(library, chunk, &self.times, members),
        }
    }
}

/// On the device.
fn run_there(
    device: &Rc<Device>,
    kernel: &Kernel,
    chunk: &mut Chunk,
    times: &[f64],
    members: impl Fn([u64; 6], [u64; 4]) -> Members,
) -> Result<f64, Unsupported> {
    let numbers = |like: &[f64]| Buffer::<f64>::new(device, like.len());
    let counts = || Buffer::<u32>::new(device, chunk.count);
    let inputs = [&chunk.y, &chunk.p, times].map(|values| {
        let buffer = numbers(values)?;
        buffer.write(values)?;
        Ok::<_, Unsupported>(buffer)
    });
    let [y, p, times] = inputs;
    let (y, p, times) = (y?, p?, times?);
    let (end, t, samples) = (
        numbers(&chunk.end)?,
        numbers(&chunk.t)?,
        numbers(&chunk.samples)?,
    );
    let (steps, rejected, ending, sampled) = (counts()?, counts()?, counts()?, counts()?);
    let members = members(
        [&y, &p, &end, &t, &times, &samples].map(Buffer::address),
        [&steps, &rejected, &ending, &sampled].map(Buffer::address),
    );
    let blocks = chunk.count.div_ceil(THREADS) as u32;
    let begun = Instant::now();
    // SAFETY: the kernel takes this structure, and its buffers are as long as it expects.
    unsafe { kernel.launch(blocks, THREADS as u32, &members)? };
    device.wait()?;
    let seconds = begun.elapsed().as_secs_f64();
    end.read(&mut chunk.end)?;
    t.read(&mut chunk.t)?;
    samples.read(&mut chunk.samples)?;
    for (host, buffer) in [
        (&mut chunk.steps, &steps),
        (&mut chunk.rejected, &rejected),
        (&mut chunk.ending, &ending),
        (&mut chunk.sampled, &sampled),
    ] {
        buffer.read(host)?;
    }
    Ok(seconds)
}

/// On the processor, member by member.
fn run_here(
    library: &Library,
    chunk: &mut Chunk,
    times: &[f64],
    members: impl Fn([u64; 6], [u64; 4]) -> Members,
) -> Result<f64, Unsupported> {
    let inputs = [&chunk.y, &chunk.p, times].map(|values| values.as_ptr() as u64);
    let outputs = [&mut chunk.end, &mut chunk.t, &mut chunk.samples];
    let ([y, p, times], [end, t, samples]) =
        (inputs, outputs.map(|values| values.as_mut_ptr() as u64));
    let counts = [&mut chunk.steps, &mut chunk.rejected, &mut chunk.ending];
    let [steps, rejected, ending] = counts.map(|values| values.as_mut_ptr() as u64);
    let sampled = chunk.sampled.as_mut_ptr() as u64;
    let begun = Instant::now();
    // SAFETY: the function has this signature, and the buffers are as long as it expects.
    unsafe {
        let member = library.get::<Member>(b"appell_members\0");
        let member = member.map_err(|error| error.to_string())?;
        for place in 0..chunk.count {
            let arguments = members(
                [y, p, end, t, times, samples],
                [steps, rejected, ending, sampled],
            );
            member(arguments, place as i64);
        }
    }
    Ok(begun.elapsed().as_secs_f64())
}
