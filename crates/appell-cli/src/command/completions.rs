//! `appell completions`: a script for a shell.

use super::Exit;
use crate::args::{Cli, Completions};
use crate::problem::Problem;
use crate::terminal::print;
use clap::CommandFactory;

/// Prints the script.
pub fn completions(args: &Completions) -> Result<Exit, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "appell", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
