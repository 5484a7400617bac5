//! `appell run -p Omega=0:2:0.5`: a motion for each value of a parameter.

use super::Exit;
use super::run::{exit, report_write_error, run_options, table_files};
use crate::args;
use crate::input;
use crate::output;
use crate::problem::Problem;
use crate::terminal::{print, print_problem, sum_up, with_progress};
use appell::limits::{Why, stopped};
use appell::show::{self, Failure};
use appell::{Figure, Model, Override, Range, Run, SampleTable};

/// The motion for a value, or why there is none.
type Motions = Vec<(f64, Result<Run, Failure>)>;

/// Computes the motions one after the other; a value without a motion takes nothing away from the others.
pub fn runs(args: &args::Run, overrides: &[Override], range: &Range) -> Result<Exit, Problem> {
    output::apart(&args.output, args.json)?;
    let files = table_files(args)?;
    let model = input::model(&args.given.model)?;
    let aside = args.json || output::on_standard_output(&args.output);
    sum_up(&format!("{}\n", show::plain(&model.title)), aside)?;
    let mut motions: Motions = Vec::new();
    let (mut gravest, mut written) = (Exit::Done, Ok(()));
    for value in &range.values {
        let setting = Override {
            name: range.name.clone(),
            value: value.clone(),
        };
        let run = match one(args, &model, overrides, &setting) {
            Err(Problem::Stopped(why)) if motions.is_empty() => return Err(Problem::Stopped(why)),
            Err(Problem::Stopped(_)) => break,
            run => run,
        };
        let run = run.map_err(|problem| {
            print_problem(&problem);
            gravest = gravest.max(Exit::Wrong);
            problem.failure()
        });
        if let Ok((run, pictures)) = &run {
            gravest = gravest.max(exit(run));
            if let (Some(folder), true) = (&args.svg_dir, written.is_ok()) {
                let folder = folder.join(format!("{}={}", range.name, value.to_f64()));
                written = output::write_pictures(&folder, pictures, args.plot_format);
            }
        }
        motions.push((value.to_f64(), run.map(|(run, _)| run)));
        if stopped().is_some() {
            break;
        }
    }
    let written = written.and_then(|()| {
        let table = joined(&range.name, &motions);
        files.iter().try_for_each(|file| file.write(&table))
    });
    sum_up(&show::runs_text(&range.name, &motions), aside)?;
    if args.json {
        print(&show::runs_json(&range.name, &motions))?;
    }
    report_write_error(written, args.json)
        .map(|written| if written { gravest } else { Exit::Wrong })
}

/// The motion for one value, with its plots.
fn one(
    args: &args::Run,
    model: &Model,
    overrides: &[Override],
    setting: &Override,
) -> Result<(Run, Vec<Figure>), Problem> {
    let overrides = [overrides, std::slice::from_ref(setting)].concat();
    let prepared = input::prepared_with(model, &args.given, &overrides)?;
    let options = run_options(args);
    let run = with_progress(|control| appell::run(&prepared, &options, control));
    let run = run.map_err(|why: Why| Problem::Stopped(why))?;
    let run = run.map_err(|error| Problem::of(model, error))?;
    let pictures = match &args.svg_dir {
        Some(_) => show::pictures(&prepared, &run),
        None => Vec::new(),
    };
    Ok((run, pictures))
}

fn joined(name: &str, motions: &Motions) -> SampleTable {
    let tables = motions
        .iter()
        .filter_map(|(value, run)| Some((*value, &run.as_ref().ok()?.table)));
    SampleTable::joined(name, &tables.collect::<Vec<_>>())
}
