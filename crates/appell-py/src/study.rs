//! Studies in folders: `appell sweep`.

use crate::refusal::Refusal;
use appell::studies::{self, Design, Done, Folder, Problem, SweepOptions};
use appell::{ChartColumns, Control, Model, Prepared, chart, study_chart};
use std::path::Path;

/// A design: its name, its text, and the folder in which its table lies.
pub type GivenDesign = (String, String, String);

/// Reads a design.
pub fn design((name, text, folder): &GivenDesign) -> Result<Design, Refusal> {
    let read = studies::design::read(name, text, Path::new(folder));
    read.map_err(|(source, errors)| Refusal::of(&errors, &source))
}

/// How many members and parts there are; refused where there are very many and nobody said yes.
pub fn size(model: &Model, design: &Design, yes: bool) -> Result<(u64, u64), Refusal> {
    let size = studies::estimate(model, design).map_err(|why| refusal(why, model))?;
    match size.is_large() && !yes {
        true => Err(Refusal::Words(format!(
            "{} members, {} rows, at most {} bytes: give yes=True to begin so large a study",
            size.members, size.rows, size.bytes
        ))),
        false => Ok((size.members, design.parts())),
    }
}

/// Computes a share of a study.
pub fn share(
    p: &Prepared<'_>,
    design: &Design,
    out: &Path,
    options: &SweepOptions,
    control: &mut Control<'_>,
) -> Result<String, Refusal> {
    let done = match design.stop.is_some() || options.exact {
        true => studies::exactly(options.exact, || anew(p, design, out, options, control))?,
        false => studies::sweep(p, design, out, options, control),
    };
    let Done { progress, .. } = done.map_err(|why| refusal(why, p.model))?;
    Ok(progress.json())
}

/// With the model read anew: the conditions of the design take the place of its own, or other elementary functions that
/// of those with which it was prepared.
fn anew(
    p: &Prepared<'_>,
    design: &Design,
    out: &Path,
    options: &SweepOptions,
    control: &mut Control<'_>,
) -> Result<Result<Done, Problem>, Refusal> {
    let source = &p.model.source;
    let read = appell::read(&source.name, &source.text);
    let (mut model, _) = read.map_err(|errors| Refusal::of(&errors, source))?;
    studies::apply(design, &mut model).map_err(|why| refusal(why, &model))?;
    let prepared = Prepared::new(&model, &[], &[]);
    let prepared = prepared.map_err(|error| Refusal::of_error(error, &model.source))?;
    Ok(studies::sweep(&prepared, design, out, options, control))
}

/// What there is of a study.
pub fn status(out: &Path) -> Result<String, String> {
    let there = studies::status(&Folder::new(out));
    there.map(|progress| progress.json()).map_err(words)
}

/// A chart of what is there of a study, as `svg`, `png` or `html`.
pub fn picture(out: &Path, wanted: &ChartColumns, format: &str) -> Result<Vec<u8>, String> {
    let chart = study_chart(&Folder::new(out), wanted).map_err(words)?;
    match format {
        "svg" => Ok(chart::svg(&chart).into_bytes()),
        "png" => Ok(chart::png(&chart)),
        "html" => Ok(chart::html(&chart).into_bytes()),
        _ => Err(format!("`{format}`: charts end in .svg, .png or .html")),
    }
}

fn words(problem: Problem) -> String {
    match problem {
        Problem::Words(message, None) => message,
        Problem::Words(message, Some(hint)) => format!("{message}; {hint}"),
        Problem::Model(error) => error.to_string(),
        Problem::Design(_, errors) => {
            let messages = errors.iter().map(|error| error.message.as_str());
            messages.collect::<Vec<_>>().join("; ")
        }
    }
}

fn refusal(problem: Problem, model: &Model) -> Refusal {
    match problem {
        Problem::Design(source, errors) => Refusal::of(&errors, &source),
        Problem::Model(error) => Refusal::of_error(error, &model.source),
        other => Refusal::Words(words(other)),
    }
}
