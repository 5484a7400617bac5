//! The command line `appell`: arguments in, values out, no logic.

mod args;
mod command;
mod input;
mod output;
mod problem;
mod terminal;

use args::Command;
use clap::Parser;
use command::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = match args::Cli::parse().command {
        Command::New(args) => command::new::new(&args),
        Command::Check(args) => command::check::check(&args),
        Command::Derive(args) => command::derive::derive(&args),
        Command::Eval(args) => command::eval::eval(&args),
        Command::Prove(args) => command::prove::prove(&args),
        Command::Conserved(args) => command::conserved::conserved(&args),
        Command::Run(args) => command::run::run(&args),
        Command::Report(args) => command::report::report(&args),
        Command::Linearize(args) => command::linearize::linearize(&args),
        Command::Cite(args) => command::cite::cite(&args),
        Command::Completions(args) => command::completions::completions(&args),
        Command::Explain(args) => command::explain::explain(&args),
    };
    let exit = done.unwrap_or_else(|problem| {
        terminal::complain(&problem);
        Exit::Wrong
    });
    exit.into()
}
