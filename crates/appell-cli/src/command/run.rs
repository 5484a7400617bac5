//! `appell run`: the motion.

use super::Exit;
use crate::args;
use crate::input;
use crate::output::{self, TableFile};
use crate::problem::Problem;
use crate::terminal::{Progress, complain, print, sum_up};
use appell::limits::attempt;
use appell::{Control, Prepared, Run, RunOptions, show};

/// Computes the motion, writes the files, and says how it went.
pub fn run(args: &args::Run) -> Result<Exit, Problem> {
    if let Some(members) = &args.ensemble {
        return super::ensemble::ensemble(args, members);
    }
    output::apart(&args.output)?;
    let files: Vec<TableFile> = args
        .output
        .iter()
        .map(|path| TableFile::new(path, args.format.as_deref(), &args.given.model))
        .collect::<Result<_, _>>()?;
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let aside = args.json || output::on_standard_output(&args.output);
    sum_up(&format!("{}\n", show::plain(&model.title)), aside)?;
    let run = motion(&prepared, args)?;
    // A file that cannot be written takes nothing away from the rest.
    let written = write_files(&prepared, args, &files, &run);
    sum_up(&show::run_text(&prepared, &run), aside)?;
    if args.json {
        print(&show::json_line(&run.summary()))?;
    }
    told(written, args.json).map(|written| if written { exit(&run) } else { Exit::Wrong })
}

/// Whether files were written. Where the answer is given as JSON already, there is no second object for the problem.
pub(super) fn told(written: Result<(), Problem>, json: bool) -> Result<bool, Problem> {
    match written {
        Err(problem) if json => {
            complain(&problem);
            Ok(false)
        }
        written => written.map(|()| true),
    }
}

/// What the command line says about the motion.
pub fn options(given: &args::Integration, samples: Option<usize>) -> RunOptions {
    RunOptions {
        form: given.form,
        method: given.method.clone(),
        backend: given.backend.clone(),
        until: given.until,
        rtol: given.rtol,
        atol: given.atol,
        step: given.step,
        samples,
        ..RunOptions::default()
    }
}

/// Integrates under the eyes of the user.
fn motion(prepared: &Prepared<'_>, args: &args::Run) -> Result<Run, Problem> {
    let options = options(&args.integration, args.samples);
    let mut bar = Progress::new();
    let mut report = |part: f64| bar.report(part);
    let mut control = Control {
        cancel: None,
        progress: Some(&mut report),
    };
    let run = attempt(|| appell::run(prepared, &options, &mut control));
    bar.finish();
    let run = run.map_err(Problem::Stopped)?;
    run.map_err(|error| Problem::of(prepared.model, error))
}

fn write_files(
    prepared: &Prepared<'_>,
    args: &args::Run,
    files: &[TableFile],
    run: &Run,
) -> Result<(), Problem> {
    for file in files {
        file.write(&run.table)?;
    }
    match &args.svg_dir {
        Some(folder) => output::write_pictures(folder, &show::svgs(prepared, run)),
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
