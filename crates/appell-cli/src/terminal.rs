//! The terminal: messages on standard error, data on standard output, progress.

use crate::problem::Problem;
use appell::Control;
use appell::limits::{Why, attempt};
use appell::{Diagnostic, Source, show};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, ErrorKind, IsTerminal, Write};
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

/// Prints a message on standard error. There is nobody to tell if that fails.
pub fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a result for people: on standard output, or on standard error where other data have their place there.
pub fn sum_up(text: &str, aside: bool) -> Result<(), Problem> {
    if aside {
        tell(text);
        return Ok(());
    }
    print(text)
}

/// Prints warnings with the lines they are about.
pub fn warn(warnings: &[Diagnostic], source: &Source) {
    if !warnings.is_empty() {
        tell(&appell::render_all(warnings, source, colour()));
    }
}

/// Prints a problem.
pub fn complain(problem: &Problem) {
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

/// Whether messages are coloured: on a terminal, unless `NO_COLOR` is set.
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
            wanted: io::stderr().is_terminal(),
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
