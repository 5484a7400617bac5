//! `appell run --ensemble`: the motions of many members.

use super::Exit;
use super::run::{options, told};
use crate::args;
use crate::input;
use crate::output::{self, EnsembleFile};
use crate::problem::Problem;
use crate::terminal::{Progress, print, sum_up};
use appell::limits::attempt;
use appell::{Control, EnsembleOptions, show};
use std::path::Path;

/// Computes the motions, writes the files, and says how they ended.
pub fn ensemble(args: &args::Run, members: &Path) -> Result<Exit, Problem> {
    let model = &args.given.model;
    input::apart(model, members)?;
    output::apart(&args.output)?;
    let files: Vec<EnsembleFile> = args
        .output
        .iter()
        .map(|path| EnsembleFile::new(path, args.format.as_deref(), model, members))
        .collect::<Result<_, _>>()?;
    let model = input::model(model)?;
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let members = input::members(members, &prepared)?;
    let options = EnsembleOptions {
        run: options(&args.integration, args.samples),
        threads: args.threads.map_or(0, usize::from),
    };
    let aside = args.json || output::on_standard_output(&args.output);
    sum_up(&format!("{}\n", show::plain(&model.title)), aside)?;
    let mut bar = Progress::new();
    let mut report = |part: f64| bar.report(part);
    let mut control = Control {
        cancel: None,
        progress: Some(&mut report),
    };
    let done = attempt(|| appell::ensemble(&prepared, &members, &options, &mut control));
    bar.finish();
    let done = done
        .map_err(Problem::Stopped)?
        .map_err(|error| Problem::of(&model, error))?;
    // A file that cannot be written takes nothing away from the rest.
    let written = files.iter().try_for_each(|file| file.write(&done));
    sum_up(&show::ensemble_text(&done), aside)?;
    if args.json {
        print(&show::json_line(&show::ensemble_summary(&done)))?;
    }
    told(written, args.json).map(|written| {
        if written {
            done.exit().into()
        } else {
            Exit::Wrong
        }
    })
}
