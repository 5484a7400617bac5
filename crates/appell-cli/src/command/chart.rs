//! `appell chart`: a picture of a study.

use super::Exit;
use super::sweep::problem;
use crate::args;
use crate::output;
use crate::problem::Problem;
use crate::target::{self, write_whole};
use crate::terminal::remark;
use appell::chart::{Chart, html, png, svg};
use appell::limits::attempt;
use appell::studies::Folder;
use appell::{ChartColumns, study_chart};
use std::path::Path;

/// How a picture is written.
type Format = fn(&Chart) -> Vec<u8>;

/// Draws the study, and writes the pictures.
pub fn chart(args: &args::Chart) -> Result<Exit, Problem> {
    output::apart(&args.output, false)?;
    let formats: Vec<Format> = args
        .output
        .iter()
        .map(|path| format(path))
        .collect::<Result<_, _>>()?;
    let said = [&args.x_label, &args.y_label, &args.colour_label];
    let wanted = ChartColumns {
        names: [&args.x, &args.y, &args.colour].map(Clone::clone),
        section: args.section.clone(),
        labels: said.map(Clone::clone),
        title: args.title.clone(),
    };
    let chart = attempt(|| study_chart(&Folder::new(&args.study), &wanted));
    let chart = chart.map_err(Problem::Stopped)?.map_err(problem)?;
    let shared = chart.shared_cells();
    if shared > 0 {
        remark(&format!(
            "{shared} cells have several members, of which the last one is drawn: the study differs in more than \
             `{}` and `{}`\n",
            args.x, args.y
        ));
    }
    for (path, format) in args.output.iter().zip(formats) {
        let bytes = attempt(|| format(&chart)).map_err(Problem::Stopped)?;
        write_whole(path, |out| out.write_all(&bytes))?;
    }
    Ok(Exit::Done)
}

fn format(path: &Path) -> Result<Format, Problem> {
    let ending = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    let format: Format = match ending.as_deref() {
        Some("svg") => |chart| svg(chart).into_bytes(),
        Some("png") => png,
        Some("html") => |chart| html(chart).into_bytes(),
        None if target::is_stream(path) => |chart| svg(chart).into_bytes(),
        _ => {
            let message = format!("`{}`: charts end in .svg, .png or .html", path.display());
            return Err(Problem::new(message));
        }
    };
    let folder = target::folder_of(path);
    match folder.is_dir() {
        true => Ok(format),
        false => Err(Problem::new(format!(
            "there is no folder `{}`",
            folder.display()
        ))),
    }
}
