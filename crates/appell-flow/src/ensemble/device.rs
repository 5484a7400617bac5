//! Members on a GPU, a million at a time; what a thread there cannot decide is done again on the processor, from the
//! member's start.

use super::{Ending, EnsembleProgram, Members, Report};
use crate::backend::DeviceCode;
use crate::lane_step::{Begin, Chunk, FINISHED, SPENT};
use crate::motion::{Control, Options};
use crate::threads;
use crate::unsupported::Unsupported;
use std::sync::Mutex;

/// Members that run at a time, and numbers of their states and samples.
const CHUNK: usize = 1 << 20;
const NUMBERS: usize = 1 << 26;

/// What a device does not do for a motion, in words.
pub(super) fn obstacle(
    program: &EnsembleProgram<'_>,
    options: &Options,
    t0: f64,
) -> Option<&'static str> {
    if !program.motion.stops.is_empty() {
        Some("stops are looked for on the processor")
    } else if options.until == t0 {
        Some("the motions end where they begin")
    } else {
        None
    }
}

/// The members that are left to the processor, and the seconds that the device took for the others.
pub(super) struct Left {
    pub members: Vec<usize>,
    pub seconds: f64,
}

/// Runs all members that it can.
///
/// # Errors
/// What the device says.
pub(super) fn run(
    code: &DeviceCode,
    members: &Members<'_>,
    options: &Options,
    (state, parameters): (usize, usize),
    threads: usize,
    control: &mut Control<'_>,
    report: &mut dyn FnMut(Report<'_>),
) -> Result<Left, Unsupported> {
    let begin = Begin::of(options);
    let (mut left, mut chunk) = (Vec::new(), Chunk::default());
    let (mut y, mut seconds) = (vec![0.0; state], 0.0);
    let numbers = (2 + options.samples.len()) * state + parameters + 1;
    let size = (NUMBERS / numbers).clamp(1, CHUNK);
    for first in (0..members.count).step_by(size) {
        if control.cancelled() {
            break;
        }
        chunk.count = size.min(members.count - first);
        fill(&mut chunk, members, first, (state, parameters), threads);
        seconds += code.run(&mut chunk, members.t, &begin, options.max_steps as f64)?;
        for place in 0..chunk.count {
            match ending(chunk.ending[place]) {
                Some(ending) => report_member(&chunk, place, first + place, ending, &mut y, report),
                None => left.push(first + place),
            }
        }
        control.report((first + chunk.count) as f64 / members.count as f64);
    }
    Ok(Left {
        members: left,
        seconds,
    })
}

/// How a member ended there; none where it is left to the processor.
fn ending(word: u32) -> Option<Ending> {
    match word {
        FINISHED => Some(Ending::Finished),
        SPENT => Some(Ending::StepsExhausted),
        _ => None,
    }
}

/// The samples of the member in this place, and its end.
fn report_member(
    chunk: &Chunk,
    place: usize,
    member: usize,
    ending: Ending,
    y: &mut [f64],
    report: &mut dyn FnMut(Report<'_>),
) {
    let gather = |from: &[f64], y: &mut [f64]| {
        let components = from.chunks_exact(chunk.count);
        y.iter_mut()
            .zip(components)
            .for_each(|(y, component)| *y = component[place]);
    };
    let samples = chunk.samples.chunks_exact((y.len() * chunk.count).max(1));
    for (index, sample) in samples.take(chunk.sampled[place] as usize).enumerate() {
        gather(sample, y);
        report(Report::Sample { member, index, y });
    }
    gather(&chunk.end, y);
    report(Report::End {
        member,
        t: chunk.t[place],
        y,
        ending,
        steps: chunk.steps[place],
        rejected: chunk.rejected[place],
        alone: None,
    });
}

/// Writes the starts of a chunk of members from `first` on, in threads.
fn fill(
    chunk: &mut Chunk,
    members: &Members<'_>,
    first: usize,
    (state, parameters): (usize, usize),
    threads: usize,
) {
    let count = chunk.count;
    chunk.y.resize(state * count, 0.0);
    chunk.p.resize(parameters * count, 0.0);
    let part = count.div_ceil(threads).max(1);
    // The parts of each component, for each thread.
    let mut parts: Vec<Vec<&mut [f64]>> = (0..count.div_ceil(part)).map(|_| Vec::new()).collect();
    let components = chunk.y.chunks_exact_mut(count);
    for component in components.chain(chunk.p.chunks_exact_mut(count)) {
        let pairs = parts.iter_mut().zip(component.chunks_mut(part));
        pairs.for_each(|(parts, slice)| parts.push(slice));
    }
    let others = parts.len().saturating_sub(1);
    let parts = Mutex::new(parts.into_iter().enumerate());
    let next = || parts.lock().ok()?.next();
    let work = || {
        let (mut y, mut p) = (vec![0.0; state], vec![0.0; parameters]);
        while let Some((k, mut components)) = next() {
            let length = components.first().map_or(0, |slice| slice.len());
            for i in 0..length {
                (members.start)(first + k * part + i, &mut y, &mut p);
                let numbers = y.iter().chain(&p);
                components
                    .iter_mut()
                    .zip(numbers)
                    .for_each(|(slice, x)| slice[i] = *x);
            }
        }
    };
    // This thread does what others leave, all where there are none.
    std::thread::scope(|scope| {
        threads::start(scope, others, || work);
        work();
    });
}
