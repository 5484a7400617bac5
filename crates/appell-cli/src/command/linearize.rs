//! `appell linearize`: small deviations and their eigenvalues.

use super::Exit;
use super::run::report_write_error;
use crate::args::Linearize;
use crate::input;
use crate::output::{self, TableFile};
use crate::problem::Problem;
use crate::terminal::{answer, print, print_problem, remark, with_progress};
use appell::limits::attempt;
use appell::{Error, Model, Override, ParameterArgument, Prepared, Range, Sweep, show};

/// Prints the linear equations about a state, or the eigenvalues along a parameter.
pub fn linearize(args: &Linearize) -> Result<Exit, Problem> {
    let (overrides, ranges) = split_arguments(&args.parameters);
    let range = match ranges.as_slice() {
        [] => None,
        [range] => Some(range),
        _ => return Err(one_at_a_time()),
    };
    if range.is_none() && (args.crossings || !args.output.is_empty() || args.svg_dir.is_some()) {
        let message = "--crossings, -o and --svg-dir need the range of a parameter";
        return Err(Problem::new(message).note("write -p NAME=FROM:TO:STEP, such as -p v=0:10:0.1"));
    }
    if let Some(at) = &args.at {
        input::apart(&args.given.model, at)?;
    }
    let model = input::model_with(&args.given.model, &args.initial)?;
    let mut prepared = input::prepared_with(&model, &args.given, &overrides)?;
    match range {
        None => about(&model, &prepared, args),
        Some(range) => along(&model, &mut prepared, &overrides, range, args),
    }
}

pub(super) fn one_at_a_time() -> Problem {
    Problem::new("only one parameter may have a range")
}

pub(super) fn split_arguments(arguments: &[ParameterArgument]) -> (Vec<Override>, Vec<Range>) {
    let (mut overrides, mut ranges) = (Vec::new(), Vec::new());
    for argument in arguments {
        match argument {
            ParameterArgument::Value(value) => overrides.push(value.clone()),
            ParameterArgument::Range(range) => ranges.push(range.clone()),
        }
    }
    (overrides, ranges)
}

/// About the start, or the states of a file.
fn about(model: &Model, prepared: &Prepared<'_>, args: &Linearize) -> Result<Exit, Problem> {
    let states = match &args.at {
        Some(path) => input::states(path, prepared)?
            .into_iter()
            .map(Some)
            .collect(),
        None => vec![None],
    };
    let mut found = Vec::new();
    for state in &states {
        match attempt(|| appell::linearize(prepared, state.as_ref())) {
            Ok(Ok(linearization)) => found.push(linearization),
            Err(why) if found.is_empty() => return Err(Problem::Stopped(why)),
            Err(_) => break,
            Ok(Err(refused)) => return refuse(model, refused, args.json),
        }
    }
    answer(
        args.json,
        &if args.json {
            show::linearize_json(&found)
        } else {
            found
                .iter()
                .map(show::linearize_text)
                .collect::<Vec<_>>()
                .join("\n")
        },
    )?;
    Ok(Exit::Done)
}

/// Along a parameter.
fn along(
    model: &Model,
    prepared: &mut Prepared<'_>,
    overrides: &[Override],
    range: &Range,
    args: &Linearize,
) -> Result<Exit, Problem> {
    output::apart(&args.output, args.json)?;
    let files = args
        .output
        .iter()
        .map(|path| TableFile::new(path, None, &args.given.model));
    let files: Vec<TableFile> = files.collect::<Result<_, _>>()?;
    let states = args.at.as_deref().map(input::states_text).transpose()?;
    remark(&format!("{}\n", show::plain(&model.title)));
    let states = states.as_deref();
    let search = args.crossings;
    let sweep =
        with_progress(|control| appell::sweep(prepared, overrides, range, states, search, control));
    let sweep = match sweep.map_err(Problem::Stopped)? {
        Ok(sweep) => sweep,
        Err(refused) => return refuse(model, refused, args.json),
    };
    let written = write_files(args, &files, &sweep);
    for gap in &sweep.gaps {
        remark(&format!(
            "none at {} = {}: {}\n",
            sweep.parameter,
            gap.value,
            show::plain(&gap.why)
        ));
    }
    answer(
        args.json,
        &if args.json {
            show::json_line(&sweep)
        } else {
            show::sweep_text(&sweep)
        },
    )?;
    report_write_error(written, args.json).map(|written| match (written, sweep.interrupted) {
        (false, _) => Exit::Wrong,
        (true, true) => Exit::Interrupted,
        (true, false) => Exit::Done,
    })
}

fn write_files(args: &Linearize, files: &[TableFile], sweep: &Sweep) -> Result<(), Problem> {
    for file in files {
        file.write(&sweep.table())?;
    }
    match &args.svg_dir {
        Some(folder) => {
            output::write_pictures(folder, &show::sweep_pictures(sweep), args.plot_format)
        }
        None => Ok(()),
    }
}

/// A question that does not fit is the user's; a singular state is the numbers'.
fn refuse(model: &Model, error: Error, json: bool) -> Result<Exit, Problem> {
    match error {
        Error::NoValue(why) => {
            let problem = Problem::new(why);
            print_problem(&problem);
            if json {
                print(&problem.json())?;
            }
            Ok(Exit::NumericalFailure)
        }
        other => Err(Problem::of(model, other)),
    }
}
