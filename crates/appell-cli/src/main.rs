//! The command line `appell`: arguments in, values out, no logic.

mod args;
mod command;
mod drafts;
mod input;
mod journal;
mod limits;
mod output;
mod problem;
mod remedy;
mod target;
mod terminal;

use args::Command;
use clap::Parser;
use command::Exit;
use problem::Problem;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let began = Instant::now();
    let words: Vec<OsString> = std::env::args_os().collect();
    terminal::set_colour(&words);
    let exit = match args::Cli::try_parse_from(&words) {
        Ok(cli) => {
            terminal::set_verbosity(cli.verbosity.quiet, cli.verbosity.verbose);
            run_command(&cli.command)
        }
        Err(error) => return misunderstood(&error, &words),
    };
    let spent = began.elapsed().as_secs_f64();
    terminal::detail(&format!("it took {spent:.2} s"));
    exit
}

/// What is wrong with the command line, or the help that was asked for.
fn misunderstood(error: &clap::Error, words: &[OsString]) -> ExitCode {
    match error.print() {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {why}");
            return finished(Err(Problem::new(message)), false).into();
        }
        _ => {}
    }
    let note = remedy::of(error);
    if let Some(note) = &note {
        terminal::tell(&format!("{note}\n"));
    }
    let json = |pair: &[OsString]| pair[0] == "--to" && pair[1] == "json";
    let json = words
        .iter()
        .any(|word| word == "--json" || word == "--to=json")
        || words.windows(2).any(json);
    if error.exit_code() == Exit::Wrong as i32 && json {
        let text = error.to_string();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let head = lines.next().unwrap_or_default();
        let problem = Problem::new(head.trim_start_matches("error: "));
        let lines = lines.chain(note.as_deref());
        let problem = lines.fold(problem, |problem, line| problem.note(line));
        let _ = terminal::print(&problem.json());
    }
    ExitCode::from(error.exit_code() as u8)
}

fn run_command(command: &Command) -> ExitCode {
    let Some((budget, memory)) = command.limits() else {
        return finished(dispatch(command), false).into();
    };
    let (done, stopped) = limits::watched(budget, memory, || dispatch(command));
    let exit = match (&done, stopped) {
        (Ok(_), Some(why)) | (Err(Problem::Stopped(_)), Some(why)) => {
            terminal::tell(&format!(
                "{}\n",
                limits::words(why, budget, memory, done.is_ok())
            ));
            if let (Err(problem), true) = (&done, command.wants_json()) {
                let _ = terminal::print(&problem.json());
            }
            limits::exit_for(why)
        }
        _ => finished(done, command.wants_json()),
    };
    exit.into()
}

fn dispatch(command: &Command) -> Result<Exit, Problem> {
    match command {
        Command::New(args) => command::new::new(args),
        Command::Check(args) => command::check::check(args),
        Command::Derive(args) => command::derive::derive(args),
        Command::Eval(args) => command::eval::eval(args),
        Command::Prove(args) => command::prove::prove(args),
        Command::Conserved(args) => command::conserved::conserved(args),
        Command::Run(args) => command::run::run(args),
        Command::Report(args) => command::report::report(args),
        Command::Fmu(args) => command::fmu::fmu(args),
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
        terminal::print_problem(&problem);
        if json {
            // Who does not read it has the words.
            let _ = terminal::print(&problem.json());
        }
        Exit::Wrong
    })
}
