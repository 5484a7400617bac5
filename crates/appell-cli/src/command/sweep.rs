//! `appell sweep`: a study of many motions, kept in a folder.

use super::Exit;
use crate::args;
use crate::input;
use crate::problem::Problem;
use crate::target;
use crate::terminal::{print, remark, sum_up, with_progress};
use appell::Model;
use appell::limits::attempt;
use appell::studies::{self, Design, Done, Estimate, Folder, Progress, SweepOptions};
use std::path::Path;

/// Computes what is missing, or says what is there.
pub fn sweep(args: &args::Sweep) -> Result<Exit, Problem> {
    if args.status {
        let there = attempt(|| studies::status(&Folder::new(&args.output)));
        let there = there.map_err(Problem::Stopped)?.map_err(problem)?;
        say(args, &progress_text(&there), &there)?;
        return Ok(Exit::Done);
    }
    studies::exactly(args.exact, || computed(args))
}

/// Computes what is missing.
fn computed(args: &args::Sweep) -> Result<Exit, Problem> {
    let Some(path) = &args.design else {
        return Err(Problem::new("give the design of the study with --design"));
    };
    input::apart(&args.given.model, path)?;
    let mut model = input::model(&args.given.model)?;
    let design = design(path)?;
    studies::apply(&design, &mut model).map_err(problem)?;
    allowed(args, &model, &design)?;
    let prepared = input::prepared(&model, &args.given, None)?;
    let order = SweepOptions {
        shard: args.shard,
        threads: args.threads.map_or(0, usize::from),
        exact: args.exact,
        said: match args.given.drop.is_empty() {
            true => String::new(),
            false => format!("without {:?}", args.given.drop),
        },
    };
    let done =
        with_progress(|control| studies::sweep(&prepared, &design, &args.output, &order, control));
    let done = done
        .map_err(Problem::Stopped)?
        .map_err(|error| match error {
            studies::Problem::Model(error) => Problem::of(&model, error),
            other => problem(other),
        })?;
    say(args, &done_text(&done), &done.progress)?;
    Ok(match done.interrupted {
        true => Exit::Interrupted,
        false => Exit::Done,
    })
}

/// Reads a design; a table that it names lies beside it.
fn design(path: &Path) -> Result<Design, Problem> {
    let text = input::text_of(path)?;
    let read = attempt(|| {
        studies::design::read(&path.display().to_string(), &text, target::folder_of(path))
    });
    let read = read.map_err(Problem::Stopped)?;
    read.map_err(|(source, errors)| Problem::Model(source, errors))
}

/// Refuses a large study that nobody said yes to; tells how large it is.
fn allowed(args: &args::Sweep, model: &Model, design: &Design) -> Result<(), Problem> {
    let size = studies::estimate(model, design).map_err(problem)?;
    let Estimate {
        members,
        rows,
        bytes,
    } = size;
    let text = format!(
        "{members} members, {rows} rows, at most {}",
        megabytes(bytes)
    );
    if size.is_large() && !args.yes {
        return Err(Problem::new(text).note("this study is large: begin it with --yes"));
    }
    remark(&format!("{text}\n"));
    Ok(())
}

fn megabytes(bytes: u128) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

/// A problem of a study, for people and programs.
pub(super) fn problem(error: studies::Problem) -> Problem {
    match error {
        studies::Problem::Design(source, errors) => Problem::Model(source, errors),
        studies::Problem::Model(error) => Problem::new(error.to_string()),
        studies::Problem::Words(message, hint) => match hint {
            Some(hint) => Problem::new(message).note(hint),
            None => Problem::new(message),
        },
    }
}

fn say(args: &args::Sweep, text: &str, progress: &Progress) -> Result<(), Problem> {
    sum_up(text, args.json)?;
    if !args.json {
        return Ok(());
    }
    print(&format!("{}\n", progress.json()))
}

/// So many remarks are printed at most.
const SHOWN: usize = 5;

fn progress_text(progress: &Progress) -> String {
    let Progress {
        members,
        done,
        parts,
        parts_done,
        ..
    } = progress;
    let mut text = format!("{done} of {members} members are done, {parts_done} of {parts} parts\n");
    let endings = progress.endings.iter();
    text.extend(endings.map(|(word, count)| format!("  {word}  {count}\n")));
    if progress.moved > 0 {
        let moved = progress.moved;
        text += &format!("{moved} of them were moved on to the constraints at their start\n");
    }
    for (member, why) in progress.remarks.iter().take(SHOWN) {
        text += &format!("member {member}: {why}\n");
    }
    let others = progress.remarks.len().saturating_sub(SHOWN) as u64 + progress.left_out;
    if others > 0 {
        text += &format!("and {others} more such remarks\n");
    }
    if progress.origins.len() > 1 {
        text +=
            "the parts were computed in different ways, so that their last digits may differ:\n";
        text.extend(
            progress
                .origins
                .iter()
                .map(|origin| format!("  {origin}\n")),
        );
    }
    text
}

fn done_text(done: &Done) -> String {
    let mut text = progress_text(&done.progress);
    if done.interrupted {
        text += "interrupted: the same command goes on with the missing parts\n";
    }
    text
}
