//! `appell report`: one page.

use super::Exit;
use super::run::{exit, options};
use crate::args::Report;
use crate::input;
use crate::output;
use crate::problem::Problem;
use crate::terminal::{print, print_problem, remark, warn, with_progress};
use appell::limits::stopped;
use appell::{Prepared, show};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often a watched file is looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// Writes the page, once or whenever the model changes.
pub fn report(args: &Report) -> Result<Exit, Problem> {
    refuse_what_cannot_be(args)?;
    if !args.watch {
        return page(args);
    }
    watch(args)
}

/// Everything that is wrong with the command line, before any work is done.
fn refuse_what_cannot_be(args: &Report) -> Result<(), Problem> {
    let standard = |path: &Path| path.as_os_str() == "-";
    let model = &args.given.model;
    if args.watch && (standard(model) || standard(&args.output)) {
        let message = "standard input and output cannot be watched";
        return Err(Problem::new(message).note("give --watch files for the model and the page"));
    }
    let files = [Some(&args.output), args.tex.as_ref()];
    for path in files.into_iter().flatten().filter(|path| !standard(path)) {
        if path.is_dir() {
            return Err(Problem::new(format!(
                "`{}` is a folder, not a file",
                path.display()
            )));
        }
        output::writable(path, model)?;
    }
    match &args.tex {
        Some(tex) if *tex == args.output => Err(Problem::new(format!(
            "`{}` cannot be both the page and the LaTeX",
            tex.display()
        ))),
        tex => output::apart([&args.output].into_iter().chain(tex), false),
    }
}

/// Reads, computes, writes.
fn page(args: &Report) -> Result<Exit, Problem> {
    let (model, warnings) = input::model_and_warnings(&args.given.model)?;
    warn(&warnings, &model.source);
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let report = computed(&prepared, args, &warnings)?;
    if let Some(tex) = &args.tex {
        match tex.as_os_str() == "-" {
            true => print(&report.tex)?,
            false => output::write_text(tex, &report.tex)?,
        }
    }
    if let Some(folder) = &args.svg_dir {
        output::write_pictures(folder, &report.pictures, args.plot_format)?;
    }
    match args.output.as_os_str() == "-" {
        true => print(&report.html)?,
        false => {
            output::write_text(&args.output, &report.html)?;
            let size = report.html.len().div_ceil(1000);
            remark(&format!(
                "{} written, {size} kB\n",
                show::plain(&args.output.display().to_string())
            ));
        }
    }
    let Some(run) = &report.run else {
        // The main program tells what stopped it.
        return Ok(Exit::Budget);
    };
    remark(&format!("{}\n", show::plain(&run.outcome)));
    Ok(exit(run))
}

fn computed(
    prepared: &Prepared<'_>,
    args: &Report,
    warnings: &[appell::Diagnostic],
) -> Result<appell::Report, Problem> {
    let options = options(args.form, &args.integration, args.samples);
    remark(&format!("{}\n", show::plain(&prepared.model.title)));
    let report = with_progress(|control| appell::report(prepared, &options, warnings, control));
    let report = report.map_err(Problem::Stopped)?;
    report.map_err(|error| Problem::of(prepared.model, error))
}

/// Until Ctrl-C: a wrong model is told, and its next change awaited.
fn watch(args: &Report) -> Result<Exit, Problem> {
    let mut seen = None;
    while stopped().is_none() {
        let text = input::text_of(&args.given.model).ok();
        if text.is_some() && text != seen {
            match page(args) {
                Err(problem) => print_problem(&problem),
                Ok(_) => remark("waiting for a change of the model; Ctrl-C ends\n"),
            }
        }
        if text.is_some() {
            seen = text;
        }
        thread::sleep(PERIOD);
    }
    Ok(Exit::Interrupted)
}
