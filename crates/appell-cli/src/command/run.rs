//! `appell run`: the motion.

use super::Exit;
use super::linearize::{one_at_a_time, split_arguments};
use crate::args::{self, FormOrAll};
use crate::input;
use crate::output::{self, TableFile};
use crate::problem::Problem;
use crate::target::{NewFile, unwritten};
use crate::terminal::{print, print_problem, sum_up, with_progress};
use appell::{Formalism, Prepared, Run, RunOptions, many_samples, show};
use std::path::{Path, PathBuf};

/// Computes the motion, writes the files, and says how it went.
pub fn run(args: &args::Run) -> Result<Exit, Problem> {
    let (overrides, ranges) = split_arguments(&args.parameters);
    let forms = FormOrAll::meant(&args.form);
    if forms.len() > 1 {
        if args.ensemble.is_some() || !ranges.is_empty() {
            let message = "several forms are computed of one motion only: give one form";
            return Err(Problem::new(message));
        }
        return super::forms::forms(args, &overrides, &forms);
    }
    match (&args.ensemble, ranges.as_slice()) {
        (None, []) => {}
        (None, [range]) => return super::runs::runs(args, &overrides, range),
        (None, _) => return Err(one_at_a_time()),
        (Some(members), []) => return super::ensemble::ensemble(args, members, &overrides),
        (Some(_), _) => {
            let message = "with --ensemble a parameter has one value only";
            return Err(Problem::new(message).note("give the table a column of its name"));
        }
    }
    output::apart(&args.output, args.json)?;
    let files = table_files(args)?;
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared_with(&model, &args.given, &overrides)?;
    let aside = args.json || output::on_standard_output(&args.output);
    sum_up(&format!("{}\n", show::plain(&model.title)), aside)?;
    let (run, written) = match files.as_slice() {
        [file] if many_samples(&prepared, &run_options(args)).is_some() => match file.by_lines() {
            Some(path) => streamed(&prepared, args, path)?,
            None => whole(&prepared, args, &files)?,
        },
        _ => whole(&prepared, args, &files)?,
    };
    sum_up(&show::run_text(&prepared, &run), aside)?;
    if args.json {
        print(&show::json_line(&run.summary()))?;
    }
    report_write_error(written, args.json)
        .map(|written| if written { exit(&run) } else { Exit::Wrong })
}

/// The files of `-o`, before any work is done.
pub(super) fn table_files(args: &args::Run) -> Result<Vec<TableFile>, Problem> {
    let file = |path: &PathBuf| TableFile::new(path, args.format.as_deref(), &args.given.model);
    args.output.iter().map(file).collect()
}

/// Whether files were written. Where the answer is given as JSON already, there is no second object for the problem.
pub(super) fn report_write_error(
    written: Result<(), Problem>,
    json: bool,
) -> Result<bool, Problem> {
    match written {
        Err(problem) if json => {
            print_problem(&problem);
            Ok(false)
        }
        written => written.map(|()| true),
    }
}

/// What the command line says about the motion.
pub fn options(
    form: Option<&'static Formalism>,
    given: &args::Integration,
    samples: Option<usize>,
) -> RunOptions {
    RunOptions {
        form,
        method: given.method.clone(),
        backend: given.backend.clone(),
        until: given.until,
        rtol: given.rtol,
        atol: given.atol,
        step: given.step,
        max_step: given.max_step,
        samples,
        ..RunOptions::default()
    }
}

pub(super) fn run_options(args: &args::Run) -> RunOptions {
    let form = FormOrAll::meant(&args.form).first().copied();
    options(form, &args.integration, args.samples)
}

/// The motion, and what became of its files: one that cannot be written takes nothing away from the rest.
type Written = (Run, Result<(), Problem>);

/// Integrates under the eyes of the user, then writes.
fn whole(
    prepared: &Prepared<'_>,
    args: &args::Run,
    files: &[TableFile],
) -> Result<Written, Problem> {
    let options = run_options(args);
    let run = with_progress(|control| appell::run(prepared, &options, control));
    let run = run.map_err(Problem::Stopped)?;
    let run = run.map_err(|error| Problem::of(prepared.model, error))?;
    let written = files.iter().try_for_each(|file| file.write(&run.table));
    let written = written.and_then(|()| write_pictures(prepared, args, &run));
    Ok((run, written))
}

/// Writes the samples as they are computed: there are more of them than the memory should hold.
fn streamed(prepared: &Prepared<'_>, args: &args::Run, path: &Path) -> Result<Written, Problem> {
    let options = run_options(args);
    let mut file = NewFile::new(path)?;
    let mut line = Ok(());
    let mut rows = |columns: &[String], row: Option<&[f64]>| {
        if line.is_ok() {
            let cleared = if row.is_none() { file.clear() } else { Ok(()) };
            line = cleared.and_then(|()| show::write_csv_line(columns, row, file.out()));
        }
    };
    let run = with_progress(|control| appell::run_streamed(prepared, &options, control, &mut rows));
    let run = run.map_err(Problem::Stopped)?;
    let run = run.map_err(|error| Problem::of(prepared.model, error))?;
    let written = line.and_then(|()| file.finish());
    let written = written.map_err(|error| unwritten(path, &error));
    let written = written.and_then(|()| write_pictures(prepared, args, &run));
    Ok((run, written))
}

fn write_pictures(prepared: &Prepared<'_>, args: &args::Run, run: &Run) -> Result<(), Problem> {
    match &args.svg_dir {
        Some(folder) => {
            output::write_pictures(folder, &show::pictures(prepared, run), args.plot_format)
        }
        None => Ok(()),
    }
}

/// How the motion ended counts before the claims: they speak of what was computed only.
pub(super) fn exit(run: &Run) -> Exit {
    let refuted = run.claims.iter().any(|claim| claim.holds == Some(false));
    match Exit::from(run.exit) {
        Exit::Done if refuted => Exit::Refuted,
        exit => exit,
    }
}
