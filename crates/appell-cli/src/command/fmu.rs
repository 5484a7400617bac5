//! `appell fmu`: the model for other simulators.

use super::Exit;
use crate::args::Fmu;
use crate::input;
use crate::output;
use crate::problem::Problem;
use crate::target::write_whole;
use crate::terminal::{remark, tell};
use appell::limits::attempt;
use appell::show;
use std::path::Path;

/// Writes the unit.
pub fn fmu(args: &Fmu) -> Result<Exit, Problem> {
    let standard = args.output.as_os_str() == "-";
    if !standard {
        output::writable(&args.output, &args.given.model)?;
    }
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, Some(&args.parameters))?;
    let named = if standard {
        &args.given.model
    } else {
        &args.output
    };
    let name = Path::file_stem(named).unwrap_or_default().to_string_lossy();
    let made = attempt(|| appell::fmu(&prepared, &name, args.kind, args.form));
    let made = made.map_err(Problem::Stopped)?;
    let (archive, missing) = made.map_err(|error| Problem::of(&model, error))?;
    write_whole(&args.output, |out| out.write_all(&archive))?;
    if !standard {
        let size = archive.len().div_ceil(1000);
        let path = show::plain(&args.output.display().to_string());
        remark(&format!("{path} written, {size} kB\n"));
    }
    if let Some(why) = missing {
        tell(&format!(
            "It has sources but no library for this machine: {}\n",
            show::plain(&why)
        ));
    }
    Ok(Exit::Done)
}
