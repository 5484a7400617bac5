//! `appell run --ensemble`: the motions of many members.

use super::Exit;
use super::run::{report_write_error, run_options};
use crate::args::{self, FormOrAll};
use crate::input;
use crate::journal::{Journal, Key, path_beside};
use crate::output::{self, EnsembleFile};
use crate::problem::Problem;
use crate::target;
use crate::terminal::{print, remark, sum_up, tell, with_progress};
use appell::{EnsembleOptions, ExitKind, Finished, Members, Model, Override, show};
use std::path::Path;

/// Computes the motions, writes the files, and says how they ended.
pub fn ensemble(args: &args::Run, members: &Path, overrides: &[Override]) -> Result<Exit, Problem> {
    let model = &args.given.model;
    input::apart(model, members)?;
    output::apart(&args.output, args.json)?;
    let files: Vec<EnsembleFile> = args
        .output
        .iter()
        .map(|path| EnsembleFile::new(path, args.format.as_deref(), model, members))
        .collect::<Result<_, _>>()?;
    let model = input::model(model)?;
    let prepared = input::prepared_with(&model, &args.given, overrides)?;
    let members = input::members(members, &prepared)?;
    let options = EnsembleOptions {
        run: run_options(args),
        threads: args.threads.map_or(0, usize::from),
    };
    let aside = args.json || output::on_standard_output(&args.output);
    sum_up(&format!("{}\n", show::plain(&model.title)), aside)?;
    let (mut journal, known) = journal(args, overrides, &model, &members);
    let done = with_progress(|control| {
        let mut note = |end: &Finished| journal.iter_mut().for_each(|journal| journal.note(end));
        appell::ensemble_from(
            &prepared,
            &members,
            &options,
            &known,
            Some(&mut note),
            control,
        )
    });
    let finished = matches!(&done, Ok(Ok(done)) if done.exit() != ExitKind::Interrupted);
    if !matches!(&done, Ok(Ok(_))) {
        kept(journal.take(), true);
    }
    let done = done
        .map_err(Problem::Stopped)?
        .map_err(|error| Problem::of(&model, error))?;
    // A file that cannot be written takes nothing away from the rest.
    let written = files
        .iter()
        .try_fold(true, |all, file| Ok(file.write(&done)? && all));
    kept(journal, !finished || !matches!(written, Ok(true)));
    sum_up(&show::ensemble_text(&done), aside)?;
    if args.json {
        print(&show::json_line(&show::ensemble_summary(&done)))?;
    }
    report_write_error(written.map(drop), args.json).map(|written| {
        if written {
            done.exit().into()
        } else {
            Exit::Wrong
        }
    })
}

/// Where the members' ends are kept until all of them are written, and those that an earlier call has found; beside
/// the first output that is a regular file.
fn journal(
    args: &args::Run,
    overrides: &[Override],
    model: &Model,
    members: &Members,
) -> (Option<Journal>, Vec<Finished>) {
    let Some(output) = args.output.iter().find(|path| !target::is_stream(path)) else {
        return (None, Vec::new());
    };
    let key = key(args, overrides, model, members);
    let path = path_beside(output, &key);
    match Journal::open(path.clone(), key) {
        Ok((journal, known)) => {
            if !known.is_empty() {
                let (known, all) = (known.len(), members.count);
                remark(&format!(
                    "{known} of {all} members are known from an earlier call\n"
                ));
            }
            (Some(journal), known)
        }
        Err(error) => {
            let path = path.display();
            tell(&format!(
                "finished members cannot be saved while the ensemble runs: `{path}`: {error}\n"
            ));
            (None, Vec::new())
        }
    }
}

/// All that decides on the numbers. How many threads there are does not.
fn key(args: &args::Run, overrides: &[Override], model: &Model, members: &Members) -> Key {
    let mut key = Key::new();
    key.part(model.source.text.as_bytes());
    let said = (&args.given.drop, overrides);
    key.part(format!("{said:?}").as_bytes());
    let how = &args.integration;
    let form = FormOrAll::meant(&args.form).first().map(|form| form.id);
    let words = (form, &how.method, &how.backend);
    let steps = (how.rtol, how.atol, how.step, how.max_step);
    key.part(format!("{words:?} {steps:?} {:?}", (how.until, args.samples)).as_bytes());
    key.part(format!("{:?}", std::env::var_os("CC")).as_bytes());
    for name in &members.columns {
        key.part(name.as_bytes());
    }
    key.numbers(&members.values);
    key
}

/// Keeps the members' ends for a later call, or removes them where all is done.
fn kept(journal: Option<Journal>, for_later: bool) {
    let Some(journal) = journal else { return };
    if !for_later {
        return journal.remove();
    }
    tell(&match journal.keep() {
        Ok(None) => return,
        Ok(Some(path)) => format!(
            "the finished members are kept in `{}`: the same command goes on with the others\n",
            path.display()
        ),
        Err(error) => format!("not all finished members could be kept: {error}\n"),
    });
}
