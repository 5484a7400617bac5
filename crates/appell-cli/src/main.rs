//! The command line `appell`: arguments in, values out, no logic.

mod args;
mod command;
mod drafts;
mod input;
mod journal;
mod limits;
mod output;
mod problem;
mod target;
mod terminal;

use args::Command;
use clap::Parser;
use command::Exit;
use problem::Problem;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = args::Cli::parse().command;
    let Some((budget, memory)) = command.limits() else {
        return finished(perform(&command), false).into();
    };
    let (done, stopped) = limits::watched(budget, memory, || perform(&command));
    let exit = match (done, stopped) {
        (Ok(_), Some(why)) | (Err(Problem::Stopped(_)), Some(why)) => {
            terminal::tell(&format!("{}\n", limits::words(why, budget, memory)));
            limits::exit_for(why)
        }
        (done, _) => finished(done, command.wants_json()),
    };
    exit.into()
}

fn perform(command: &Command) -> Result<Exit, Problem> {
    match command {
        Command::New(args) => command::new::new(args),
        Command::Check(args) => command::check::check(args),
        Command::Derive(args) => command::derive::derive(args),
        Command::Eval(args) => command::eval::eval(args),
        Command::Prove(args) => command::prove::prove(args),
        Command::Conserved(args) => command::conserved::conserved(args),
        Command::Run(args) => command::run::run(args),
        Command::Report(args) => command::report::report(args),
        Command::Linearize(args) => command::linearize::linearize(args),
        Command::Lab(args) => command::lab::lab(args),
        #[cfg(feature = "sweep")]
        Command::Sweep(args) => command::sweep::sweep(args),
        #[cfg(feature = "sweep")]
        Command::Chart(args) => command::chart::chart(args),
        Command::Cite(args) => command::cite::cite(args),
        Command::Completions(args) => command::completions::completions(args),
        Command::Explain(args) => command::explain::explain(args),
        Command::Schema => command::schema::schema(),
        Command::Manual(args) => command::manual::manual(args),
    }
}

/// The exit code; a problem is told, to a program on standard output too.
fn finished(done: Result<Exit, Problem>, json: bool) -> Exit {
    done.unwrap_or_else(|problem| {
        terminal::complain(&problem);
        if json {
            // Who does not read it has the words.
            let _ = terminal::print(&problem.json());
        }
        Exit::Wrong
    })
}
