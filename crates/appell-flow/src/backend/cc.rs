//! Machine code by the system's C compiler, kept in a private cache under the user's own.
#![allow(
    unsafe_code,
    reason = "a library is loaded and its address becomes a function"
)]

use super::c_source::{name, series_source, source, trial_source};
use super::cache::{Compiler, hash, library};
use super::native::{DefectEntry, Entry, Machine, SeriesCode, SeriesEntry, Trial, TrialEntry};
use super::series_source::products;
use crate::tableau::Tableau;
use crate::tape::Tape;
use crate::tape::series::Plan;
use crate::unsupported::Unsupported;
use appell_expr::Function;
use libloading::Library;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether `a b + c` may be rounded once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contraction {
    Allowed,
    Off,
}

impl Contraction {
    /// What the compiler is told. For equal bits it must not evaluate functions itself, for it rounds better
    /// than the mathematical library does.
    fn flags(self) -> Vec<String> {
        match self {
            Contraction::Allowed => vec!["-ffp-contract=fast".to_owned()],
            Contraction::Off => {
                let table = Function::TABLE
                    .iter()
                    .filter(|(f, ..)| name(*f) == f.name());
                let names = table.map(|(_, name, _)| *name).chain(["pow"]);
                let builtins = names.map(|name| format!("-fno-builtin-{name}"));
                let exact = ["-ffp-contract=off", "-DEXACT_INVERSE"].map(str::to_owned);
                builtins.chain(exact).collect()
            }
        }
    }
}

/// Functions keep the meaning of IEEE; only `errno` and traps, which nobody reads, are given up. Where compilers gather
/// scalars into vectors by themselves, that costs more here than it gains.
const FLAGS: [&str; 9] = [
    "-O2",
    "-fno-tree-vectorize",
    "-fno-tree-slp-vectorize",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
    "-w",
];

/// Fields with more operations than this are not copied into each stage: the calls cost little there.
const INLINED: usize = 300;

/// Series with more products than this are interpreted: the compiler would take seconds.
const MOST_PRODUCTS: usize = 8_000;

/// Compiles a tape, or loads what was compiled before.
///
/// # Errors
/// In words: no compiler, no place for the cache, or one that others can write to.
pub(super) fn compile(tape: &Tape, contraction: Contraction) -> Result<Machine, Unsupported> {
    let library = library_of(contraction, |conditions| {
        source(tape, contraction, conditions)
    })?;
    let machine = load(&library, tape)?;
    let trials = match contraction {
        Contraction::Allowed => {
            |tape: &Tape, tableau: &Tableau| trial(tape, tableau, Contraction::Allowed)
        }
        Contraction::Off => |tape: &Tape, tableau: &Tableau| trial(tape, tableau, Contraction::Off),
    };
    // SAFETY: `trial` makes code for the tape and the tableau that it is given.
    let machine = unsafe { machine.with_trials(trials) };
    // Sums are not in the order of the interpreter: there are none where bits count.
    if contraction == Contraction::Off {
        return Ok(machine);
    }
    // SAFETY: `series` makes code for the tape and the order that it is given.
    Ok(unsafe { machine.with_series(series) })
}

/// Code for Taylor series to an order; `None` where systems are solved, or formulas change, order by order, where it would
/// be too long, or where the compiler, which made the field before, fails now.
fn series(tape: &Tape, order: usize) -> Option<SeriesCode> {
    let plan = Plan::new(tape, true);
    let is_written_out = tape.solves.iter().all(|solve| solve.direct.is_some());
    if !is_written_out || !plan.is_smooth() || products(&plan, order) > MOST_PRODUCTS {
        return None;
    }
    let written = |conditions: &str| series_source(tape, &plan, order, conditions);
    let library = library_of(Contraction::Allowed, written).ok()?;
    // SAFETY: as in `load`; the source has the signatures of `SeriesEntry` and `DefectEntry`.
    unsafe {
        let library = Library::new(library).ok()?;
        let entry = *library.get::<SeriesEntry>(b"appell_series\0").ok()?;
        let defect = *library.get::<DefectEntry>(b"appell_defect\0").ok()?;
        Some(SeriesCode {
            entry,
            defect,
            order,
            _owner: Box::new(library),
        })
    }
}

/// Code for the stages of a method with the field in each; `None` where that does not pay, or where the
/// compiler, which made the field before, fails now.
fn trial(tape: &Tape, tableau: &Tableau, contraction: Contraction) -> Option<Trial> {
    if tape.ops.len() > INLINED {
        return None;
    }
    let written = |conditions: &str| trial_source(tape, tableau, contraction, conditions);
    let library = library_of(contraction, written).ok()?;
    // SAFETY: as in `load`; the source has the signature of `TrialEntry`.
    unsafe {
        let library = Library::new(library).ok()?;
        let entry = *library.get::<TrialEntry>(b"appell_trial\0").ok()?;
        Some(Trial {
            entry,
            slopes: tableau.stage_count() + 1,
            _owner: Box::new(library),
        })
    }
}

/// The library of a source, which is written from what else decides on the code.
pub(super) fn library_of(
    contraction: Contraction,
    source: impl FnOnce(&str) -> String,
) -> Result<PathBuf, Unsupported> {
    let options = contraction.flags();
    let arguments = FLAGS.iter().map(|flag| (*flag).to_owned());
    let compiler = Compiler::of_system(arguments.chain(options.iter().cloned()).collect());
    let (name, flags, joined) = (compiler.name(), FLAGS.join(" "), options.join(" "));
    let conditions = [&name, &flags, &joined, &processor()];
    let conditions = conditions.map(|condition| format!("/* {} */\n", condition.replace("*/", "")));
    let text = source(&conditions.concat());
    library(&compiler, &text)
}

/// For any processor of this kind; only what the source shows is to be seen.
const PORTABLE: [&str; 6] = [
    "-O2",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-fPIC",
    "-shared",
    "-w",
];

/// A shared library of a source in C, for programs on other machines of this kind.
///
/// # Errors
/// In words: no compiler, one that fails, no place for the cache, a library that cannot be read.
pub(super) fn shared_library(source: &str) -> Result<Vec<u8>, Unsupported> {
    let flags = PORTABLE.iter().map(|flag| (*flag).to_owned()).collect();
    let compiler = Compiler::of_system(flags);
    let text = format!("// {} {}\n{source}", compiler.name(), PORTABLE.join(" "));
    let path = library(&compiler, &text)?;
    fs::read(&path).map_err(|error| Unsupported(format!("{}: {error}", path.display())))
}

fn load(library: &Path, tape: &Tape) -> Result<Machine, Unsupported> {
    let words =
        |error: libloading::Error| format!("{} cannot be loaded: {error}", library.display());
    // SAFETY: the library lies in a folder that only the user can write to and was compiled from the source
    // of this very tape, which has the signature of `Entry` and no initialisers.
    unsafe {
        let library = Library::new(library).map_err(words)?;
        let entry: Entry = *library.get::<Entry>(b"appell_field\0").map_err(words)?;
        Ok(Machine::new(entry, tape, Box::new(library)))
    }
}

/// What the code is made for: a cache may be shared by machines.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let wanted = |line: &&str| line.starts_with("model name") || line.starts_with("flags");
    let lines: Vec<&str> = text.lines().filter(wanted).take(2).collect();
    format!(
        "{} {:032x}",
        std::env::consts::ARCH,
        hash(lines.join("\n").as_bytes())
    )
}
