//! The terminal: messages on standard error, data on standard output, progress.

use crate::problem::Problem;
use appell::Control;
use appell::limits::{Why, attempt};
use appell::{Diagnostic, Source, show};
use indicatif::{ProgressBar, ProgressStyle};
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// Prints data on standard output. A reader that went away is no failure.
pub fn print(text: &str) -> Result<(), Problem> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Problem::new(format!(
            "cannot write to standard output: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Prints a text for people; its lines are made to fit a terminal.
pub fn print_text(text: &str) -> Result<(), Problem> {
    match console::Term::stdout().size_checked() {
        Some((_, columns)) if columns >= NARROWEST => print(&show::fitted(text, columns.into())),
        _ => print(text),
    }
}

/// Lines for less than this would be single words.
const NARROWEST: u16 = 40;

/// How much is said on standard error beside errors: set once, before there is anything to say.
static VERBOSITY: AtomicU8 = AtomicU8::new(USUAL);
const QUIET: u8 = 0;
const USUAL: u8 = 1;
const VERBOSE: u8 = 2;

/// Sets whether there are colours, by `--color always` or `--color never` among the words of the command line.
pub fn set_colour(words: &[OsString]) {
    let said = |choice: &str| {
        let joined = format!("--color={choice}");
        let pair = |pair: &[OsString]| pair[0] == "--color" && pair[1] == choice;
        words.iter().any(|word| *word == *joined) || words.windows(2).any(pair)
    };
    if said("always") {
        anstream::ColorChoice::Always.write_global();
    } else if said("never") {
        anstream::ColorChoice::Never.write_global();
    }
}

/// Sets how much is said. Colours are set earlier, for what is wrong with the command line has them too.
pub fn set_verbosity(quiet: bool, verbose: bool) {
    let level = match (quiet, verbose) {
        (true, _) => QUIET,
        (_, true) => VERBOSE,
        _ => USUAL,
    };
    VERBOSITY.store(level, Ordering::Relaxed);
}

/// Prints a remark that is no error on standard error.
pub fn remark(text: &str) {
    if VERBOSITY.load(Ordering::Relaxed) > QUIET {
        tell(text);
    }
}

/// Prints a detail for who asked to hear more.
pub fn detail(text: &str) {
    if VERBOSITY.load(Ordering::Relaxed) >= VERBOSE {
        tell(&format!("{text}\n"));
    }
}

/// Prints a message on standard error. There is nobody to tell if that fails.
pub fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints the answer of a command: JSON as it is, a text so that it fits.
pub fn answer(json: bool, text: &str) -> Result<(), Problem> {
    if json { print(text) } else { print_text(text) }
}

/// Prints a result for people: on standard output, or on standard error where other data have their place there.
pub fn sum_up(text: &str, aside: bool) -> Result<(), Problem> {
    if aside {
        remark(text);
        return Ok(());
    }
    print_text(text)
}

/// Prints warnings with the lines they are about.
pub fn warn(warnings: &[Diagnostic], source: &Source) {
    if !warnings.is_empty() {
        remark(&appell::render_all(warnings, source, colour()));
    }
}

/// Prints a problem.
pub fn print_problem(problem: &Problem) {
    match problem {
        Problem::Model(source, errors) => tell(&appell::render_all(errors, source, colour())),
        Problem::Stopped(why) => tell(&format!("nothing was found yet: {why}\n")),
        Problem::Question(source, error) => tell(&show::diagnostic_text(error, source, colour())),
        Problem::Words(message, notes) => {
            let head = if colour() {
                "\u{1b}[1;31merror\u{1b}[0m"
            } else {
                "error"
            };
            tell(&format!("{head}: {}\n", show::plain(message)));
            for note in notes {
                tell(&format!("  = {}\n", show::plain(note)));
            }
        }
    }
}

/// Whether messages are coloured: as `--color` says, else on a terminal, unless `NO_COLOR` is set.
fn colour() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// Shorter runs need no bar.
const PATIENCE: Duration = Duration::from_millis(500);
/// The length of the bar in steps of the progress.
const PARTS: f64 = 1e6;

/// Works with a bar of the progress, until all is done or the work is to stop.
///
/// # Errors
/// Why the work was left.
pub fn with_progress<T>(work: impl FnOnce(&mut Control<'_>) -> T) -> Result<T, Why> {
    let mut bar = Progress::new();
    let mut report = |part: f64| bar.report(part);
    let mut control = Control {
        cancel: None,
        progress: Some(&mut report),
        stream: None,
    };
    let done = attempt(|| work(&mut control));
    bar.finish();
    done
}

/// A progress bar on standard error, if that is a terminal and the run is long.
struct Progress {
    began: Instant,
    bar: Option<ProgressBar>,
    wanted: bool,
}

impl Progress {
    /// Nothing is shown yet.
    fn new() -> Self {
        Self {
            began: Instant::now(),
            bar: None,
            wanted: io::stderr().is_terminal() && VERBOSITY.load(Ordering::Relaxed) > QUIET,
        }
    }

    /// Shows the part of the work that is done, between 0 and 1.
    fn report(&mut self, part: f64) {
        if self.bar.is_none() && self.wanted && self.began.elapsed() > PATIENCE {
            self.bar = Some(bar());
        }
        if let Some(bar) = &self.bar {
            bar.set_position((PARTS * part.clamp(0.0, 1.0)) as u64);
        }
    }

    /// Takes the bar away.
    fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(PARTS as u64);
    // A template that cannot be read leaves the usual bar.
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3}%  {eta} left") {
        bar.set_style(style);
    }
    bar
}
