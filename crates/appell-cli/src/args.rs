//! The command line: what may be said, and the texts of `--help`.

#[cfg(feature = "sweep")]
mod studies;
mod values;

use crate::limits::{Budget, MEMORY, Memory};
use appell::{
    FmuKind, Formalism, Interval, LANGUAGES, Language, Override, ParameterArgument, PlotFormat,
    parse_interval, parse_override, parse_parameter,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
#[cfg(feature = "sweep")]
pub use studies::{Chart, Sweep};
pub use values::FormOrAll;
use values::{backend, fmu_kind, form, form_or_all, method, plot_format, time};

/// Mechanics with constraints on velocities: from a model file to its motion
///
/// A model is a TOML file with coordinates, energies or particles, and constraints written as on the
/// blackboard. Appell derives the equations of motion in several classical forms, and computes
/// motions and constraint forces.
#[derive(Debug, Parser)]
#[command(name = "appell", version, verbatim_doc_comment, after_long_help = AFTER_ALL)]
pub struct Cli {
    #[command(flatten)]
    pub verbosity: Verbosity,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// How much is said, and how.
#[derive(Debug, Args)]
pub struct Verbosity {
    /// Use colours: auto, always, never [default: auto]
    ///
    /// `auto` uses them on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true, value_parser = ["auto", "always", "never"])]
    pub color: String,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say on standard error what is read, which values are in force, and how long it takes
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

const AFTER_ALL: &str = "\
Examples:
  appell new > model.toml            begin with a model that works
  appell check model.toml            what it says, and whether it can start
  appell run model.toml --svg-dir .  its motion, with the plots as pictures

Data go to standard output, messages to standard error. `-` in place of a file is standard input.
With --json an error is one JSON object on standard output too. Lines are made to fit a terminal.

Exit codes:
  0    done
  1    a claim does not hold
  2    a wrong model, or a wrong command line
  3    a numerical failure, such as a singular state or an energy that does not balance; what was
       computed is kept
  4    a budget is exceeded; what was computed is kept
  130  interrupted; what was computed is kept
  143  ended by SIGTERM; what was computed is kept

Every command that reads a model or a study takes --budget TIME and --memory SIZE. The first Ctrl-C, or SIGTERM, ends it
within half a second and keeps what was found; the second ends it at once.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print a model to begin with
    New(New),
    /// Read a model and say what it is: freedoms, classes, ranks, initial state
    Check(Check),
    /// Print the equations of motion
    Derive(Derive),
    /// Evaluate everything at given states
    Eval(Eval),
    /// Prove the formalisms equal, and prove or refute the file's claims
    Prove(Prove),
    /// Find first integrals, and prove each
    Conserved(Conserved),
    /// Compute the motion
    Run(Run),
    /// Linearise about an equilibrium or a steady motion: matrix, eigenvalues, stability
    Linearize(Linearize),
    /// Compute a study of many motions, part by part, in a folder
    #[cfg(feature = "sweep")]
    Sweep(Sweep),
    /// Draw a study: one of its columns in colours over two others
    #[cfg(feature = "sweep")]
    Chart(Chart),
    /// Write one page: equations, proofs, motion and forces in a file that opens anywhere
    Report(Report),
    /// Write a Functional Mock-up Unit (FMI 3.0), which simulators and controllers load
    Fmu(Fmu),
    /// Open the lab: change the model in a browser, and drag what moves
    Lab(Lab),
    /// Print the sources and methods that a run uses, as BibTeX
    Cite(Cite),
    /// Explain the code of an error, a key of a model, or a word of an answer
    Explain(Explain),
    /// Print the JSON Schema of models, for editors
    #[command(after_help = "\
Examples:
  appell schema > appell.schema.json

In VS Code with Even Better TOML, or with Taplo elsewhere, a first line in the model
  #:schema ./appell.schema.json
completes its keys and marks what is wrong while you write.")]
    Schema,
    /// Print a script that completes this tool's commands in a shell
    Completions(Completions),
    /// Write the pages of all commands, for the packages and the documentation
    #[command(hide = true)]
    Manual(Manual),
}

/// `appell new`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell new > model.toml
  appell new --list
  appell new skate > model.toml")]
pub struct New {
    /// A model of the gallery; without it, one to begin with
    pub name: Option<String>,
    /// List the models of the gallery
    #[arg(long, conflicts_with = "name")]
    pub list: bool,
}

/// The model, and what is changed in it for this time.
#[derive(Debug, Clone, Args)]
pub struct Given {
    /// The model file, or `-` for standard input
    pub model: PathBuf,
    /// Leave a constraint out; may be repeated
    #[arg(long, value_name = "CONSTRAINT")]
    pub drop: Vec<String>,
    /// Neither use nor keep the cache of what was decided about the model
    #[arg(long)]
    pub no_cache: bool,
    #[command(flatten)]
    pub limits: Limits,
}

/// What a command may use.
#[derive(Debug, Clone, Copy, Args)]
pub struct Limits {
    /// End after this time and keep what was found: 90s, 5min, 2h, none
    ///
    /// Exit code 4. By default 60s; for `linearize`, `fmu` and `report` 10min; for `run` and `sweep` none, since the
    /// steps of a motion are counted, and for `report --watch`.
    #[arg(long, value_name = "TIME")]
    pub budget: Option<Budget>,
    /// End where more memory is in use, and keep what was found: 500MB, 2GB, none [default: 4GB]
    ///
    /// Exit code 4. Enforced only where the system tells how much memory is in use, as Linux does, and looked at every few
    /// milliseconds: a command that is done before is not ended.
    #[arg(long, value_name = "SIZE", hide_default_value = true)]
    pub memory: Option<Memory>,
}

const MINUTE: Duration = Duration::from_secs(60);

impl Command {
    /// What it may use of time and memory; nothing is said where it works for no time.
    pub fn limits(&self) -> Option<(Budget, Memory)> {
        let (limits, usual) = match self {
            Command::Check(args) => (&args.given.limits, Some(MINUTE)),
            Command::Derive(args) => (&args.given.limits, Some(MINUTE)),
            Command::Eval(args) => (&args.given.limits, Some(MINUTE)),
            Command::Prove(args) => (&args.given.limits, Some(MINUTE)),
            Command::Conserved(args) => (&args.given.limits, Some(MINUTE)),
            Command::Cite(args) => (&args.given.limits, Some(MINUTE)),
            Command::Fmu(args) => (&args.given.limits, Some(10 * MINUTE)),
            Command::Linearize(args) => (&args.given.limits, Some(10 * MINUTE)),
            Command::Report(args) => (&args.given.limits, (!args.watch).then_some(10 * MINUTE)),
            Command::Run(args) => (&args.given.limits, None),
            #[cfg(feature = "sweep")]
            Command::Sweep(args) => (&args.given.limits, None),
            #[cfg(feature = "sweep")]
            Command::Chart(args) => (&args.limits, Some(MINUTE)),
            // It waits for requests, and ends by a signal.
            Command::Lab(_) => return Some((Budget(None), MEMORY)),
            Command::New(_)
            | Command::Completions(_)
            | Command::Explain(_)
            | Command::Schema
            | Command::Manual(_) => return None,
        };
        let budget = limits.budget.unwrap_or(Budget(usual));
        Some((budget, limits.memory.unwrap_or(MEMORY)))
    }
}

impl Command {
    /// Whether a program reads the answer.
    pub fn wants_json(&self) -> bool {
        match self {
            Command::Check(args) => args.json,
            Command::Eval(args) => args.json,
            Command::Prove(args) => args.json,
            Command::Conserved(args) => args.json,
            Command::Run(args) => args.json,
            #[cfg(feature = "sweep")]
            Command::Sweep(args) => args.json,
            Command::Linearize(args) => args.json,
            Command::Derive(args) => matches!(args.to, Notation::Json),
            _ => false,
        }
    }
}

/// Values of parameters.
#[derive(Debug, Args)]
pub struct Parameters {
    /// Give a parameter another value; may be repeated
    ///
    /// Decimals and quotients are exact: `-p m=0.1` is one tenth, `-p a=1/3` one third.
    #[arg(short = 'p', long = "parameter", value_name = "NAME=VALUE", value_parser = parse_override)]
    pub parameters: Vec<Override>,
}

/// How a motion is computed.
#[derive(Debug, Args)]
pub struct Integration {
    /// The method of integration
    #[arg(long, value_parser = method())]
    pub method: Option<String>,
    /// How the equations are evaluated
    #[arg(long, value_parser = backend())]
    pub backend: Option<String>,
    /// The end time, instead of the file's
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = time)]
    pub until: Option<f64>,
    /// The relative tolerance of a step
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub rtol: Option<f64>,
    /// The absolute tolerance of a step
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    pub atol: Option<f64>,
    /// The length of the steps of `leapfrog`; by default it follows from the tolerances
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<f64>,
    /// The longest step, for what acts for a moment only
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub max_step: Option<f64>,
}

/// `appell check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell check model.toml
  appell check model.toml --json
  appell check models/*.toml
  appell new skate | appell check -
  appell check model.toml --equilibria --box theta=-3.2:3.2
  echo '[{\"q\": [0, 0, 0], \"v\": [1, 0, 0]}]' | appell check model.toml --states -
  appell check model.toml --simplify simpler.toml

Exit codes: 0 done; 2 wrong model, or an initial state that cannot be used; 4 the time or the memory was
not enough, and what was found is printed; 130 interrupted.")]
pub struct Check {
    #[command(flatten)]
    pub given: Given,
    /// Further models: each is checked, and the greatest exit code counts
    #[arg(value_name = "MODEL", conflicts_with_all = ["states", "simplify", "ranges"])]
    pub more: Vec<PathBuf>,
    #[command(flatten)]
    pub parameters: Parameters,
    /// Judge these states too: JSON [{"t": 0, "q": [..], "v": [..]}, ..]
    #[arg(long, value_name = "FILE")]
    pub states: Option<PathBuf>,
    /// Write the model with contrived rows replaced by linear ones
    #[arg(long, value_name = "FILE")]
    pub simplify: Option<PathBuf>,
    /// Look for equilibria and steady motions near the initial state
    #[arg(long)]
    pub equilibria: bool,
    /// Look for them all over a range of a coordinate, or of a velocity such as x'; may be repeated
    #[arg(long = "box", value_name = "NAME=LOW:HIGH", value_parser = parse_interval, requires = "equilibria")]
    pub ranges: Vec<Interval>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// `appell prove`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell prove model.toml
  appell prove model.toml --json
  appell prove models/*.toml --json

Of several models the JSON is {\"models\": [{\"file\", \"answer\"}, {\"file\", \"error\"}, ..]}.
Each answer is proved, with a bound on the probability of an error; refuted, with a state at which
two values differ, at 20 digits; or undecided, with the reason.
Exit codes: 0 done; 1 something is refuted that should hold; 2 wrong model; 4 the time or the memory was not
enough, and what was decided is printed; 130 interrupted.")]
pub struct Prove {
    #[command(flatten)]
    pub given: Given,
    /// Further models: each is proved, and the greatest exit code counts
    #[arg(value_name = "MODEL")]
    pub more: Vec<PathBuf>,
    #[command(flatten)]
    pub parameters: Parameters,
    /// Take other primes and random points, as an independent check
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// `appell conserved`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell conserved model.toml
  appell conserved model.toml --json
  appell conserved toda.toml --degree 3
  appell new skate | appell conserved -

The search covers energies, momenta, polynomials in the velocities of degree 2, or as --degree says, with
coefficients made of the model's own functions, and products of powers and exponentials; the answer
says which. Other integrals are not found, though their squares often are. Each one is proved, with a
bound on the probability of an error. Another --seed takes other primes and points.
Exit codes: 0 done; 2 wrong model; 4 a part was too large to be searched; 130 interrupted.")]
pub struct Conserved {
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub parameters: Parameters,
    /// Search polynomials of up to this degree in the velocities
    #[arg(long, value_name = "D", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=6))]
    pub degree: u8,
    /// Draw other primes and points
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// `appell derive`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell derive model.toml
  appell derive model.toml --form gibbs-appell --steps
  appell derive model.toml --form all --to latex > equations.tex

A form that does not apply to the model says why; that is no failure.")]
pub struct Derive {
    #[command(flatten)]
    pub given: Given,
    /// The forms of the equations: ids separated by commas, or `all`; by default the first that applies
    #[arg(long, value_name = "FORM", value_delimiter = ',', value_parser = form_or_all())]
    pub form: Vec<FormOrAll>,
    /// Show every intermediate object under its printed name
    #[arg(long)]
    pub steps: bool,
    /// How the equations are written
    #[arg(long, value_parser = notation(), default_value = "text")]
    pub to: Notation,
}

/// How equations are written.
#[derive(Debug, Clone, Copy)]
pub enum Notation {
    /// In letters that a terminal has.
    Text,
    /// For a paper.
    Latex,
    /// For a program.
    Json,
    /// As source code.
    Code(&'static Language),
}

fn notation() -> impl TypedValueParser<Value = Notation> {
    let for_people = [
        PossibleValue::new("text").help("In letters that a terminal has"),
        PossibleValue::new("latex").help("For a paper"),
        PossibleValue::new("json").help("For a program"),
    ];
    let code = LANGUAGES.iter().map(|language| {
        let value = PossibleValue::new(language.id).help(language.title);
        if language.id == "numpy" {
            value.alias("python")
        } else {
            value
        }
    });
    let find = |id: String| match id.as_str() {
        "latex" => Notation::Latex,
        "json" => Notation::Json,
        "python" => Language::find("numpy").map_or(Notation::Text, Notation::Code),
        other => Language::find(other).map_or(Notation::Text, Notation::Code),
    };
    PossibleValuesParser::new(for_people.into_iter().chain(code)).map(find)
}

/// `appell eval`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell eval model.toml --states states.json
  appell eval model.toml --states states.json --form multipliers,projector --json
  echo '[{\"q\": [0, 0], \"v\": [1, 0]}]' | appell eval model.toml --states -

States are JSON: [{\"t\": 0, \"q\": [..], \"v\": [..]}, ..] in the order of the coordinates; \"z\" may stand for
\"v\" where the model has parameters of the velocities. Numbers may be decimal strings, or expressions in
the parameters.

Exit codes: 0 done; 2 wrong model or states; 3 no state could be evaluated.")]
pub struct Eval {
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub parameters: Parameters,
    /// The states, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub states: PathBuf,
    /// The forms of the equations: ids separated by commas, or `all`
    #[arg(long, value_name = "FORM", value_delimiter = ',', value_parser = form_or_all(), default_value = "all")]
    pub form: Vec<FormOrAll>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// `appell run`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell run zoo/perpendicular.toml
  appell run model.toml --until 10 --rtol 1e-12 --atol 1e-12 --json
  appell run model.toml -p m=2 -p g=9.81 -o motion.csv -o motion.json
  appell run model.toml --drop blade --svg-dir plots
  appell run model.toml -o - --format json
  appell run model.toml -p Omega=0:2:0.5 -o all.csv
  appell run model.toml -p m=1,2,4 --json
  appell run model.toml --form all
  appell run model.toml --ensemble starts.csv -o ends.csv

A summary goes to standard output, or to standard error with --json and -o -. Interrupt it once to end
the motion and keep what was computed, twice to give up.

Of several values of a parameter each has its motion. The tables of -o begin with a column of the values,
the plots stand in folders DIR/NAME=VALUE, and the JSON is {\"parameter\", \"values\", \"runs\"}. The greatest
exit code counts. Of several forms the JSON is {\"forms\": {\"kane\": {..}, \"chaplygin\": {\"unavailable\": \"why\"}}}.

Arrow goes to a pipe as a stream (pyarrow.ipc.open_stream), to a file as a file (Feather 2).

Exit codes: 0 done; 1 a claim does not hold; 2 wrong model or usage; 3 numerical failure, such as a
singular state or an energy that does not balance; 4 too many steps, too much time or memory; 130 interrupted.")]
pub struct Run {
    #[command(flatten)]
    pub given: Given,
    /// Give a parameter another value, or several: NAME=FROM:TO:STEP, NAME=A,B,C; may be repeated
    ///
    /// Decimals and quotients are exact. Without STEP there are 100 steps; one parameter may have several
    /// values, at most 10000.
    #[arg(short = 'p', long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    pub parameters: Vec<ParameterArgument>,
    /// The forms of the equations: ids separated by commas, or `all`; by default the first that applies
    ///
    /// Of several forms each computes the motion, and what they differ by is told; nothing is written to files then.
    #[arg(long, value_name = "FORM", value_delimiter = ',', value_parser = form_or_all())]
    pub form: Vec<FormOrAll>,
    #[command(flatten)]
    pub integration: Integration,
    /// How many samples are reported, the first and the last included
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,
    /// Compute a motion for each row of a table instead; the first line names its columns
    ///
    /// Columns are coordinates, velocities (x') and parameters; what no column names is as in the model.
    /// Without --samples the files of -o have the last state of each member.
    #[arg(long, value_name = "FILE.csv", conflicts_with = "svg_dir")]
    pub ensemble: Option<PathBuf>,
    /// How many threads compute an ensemble; by default one for each processor
    #[arg(long, value_name = "N", requires = "ensemble", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write the samples to a file, by its ending: .csv, .json, .npz, .arrow or .parquet, or `-` for standard output; may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// The format of what is written, whatever its ending; by default csv for standard output
    #[arg(long, value_name = "FORMAT", requires = "output", value_parser = ["csv", "json", "npz", "arrow", "parquet"])]
    pub format: Option<String>,
    /// Write each plot of the file to DIR/plot-1.svg, DIR/plot-2.svg, ...
    #[arg(long, value_name = "DIR")]
    pub svg_dir: Option<PathBuf>,
    /// What the plots are written as: `svg`, or `tikz` for an article in LaTeX (DIR/plot-1.tex, ...)
    #[arg(long, value_name = "FORMAT", requires = "svg_dir", default_value = "svg", value_parser = plot_format())]
    pub plot_format: &'static PlotFormat,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `appell report`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell report model.toml -o page.html
  appell report model.toml -o page.html --watch
  appell report model.toml -p m=2 --until 20 -o page.html --tex equations.tex --svg-dir plots
  appell new skate | appell report - -o - > skate.html

The page is one file without any address in it: mail it, or open it from a disk. It needs no network.
What is done goes to standard error.

Exit codes: as those of `run`; the page is written wherever there is a motion to show. --watch goes on
until Ctrl-C.")]
pub struct Report {
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub parameters: Parameters,
    /// The form of the equations; by default the first that applies
    #[arg(long, value_parser = form())]
    pub form: Option<&'static Formalism>,
    #[command(flatten)]
    pub integration: Integration,
    /// How many samples are computed, at least 601; of more than 801 the page keeps some
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,
    /// The page, or `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write the equations as a fragment of an article in LaTeX, with labels
    #[arg(long, value_name = "FILE")]
    pub tex: Option<PathBuf>,
    /// Write each plot of the page to DIR/plot-1.svg, DIR/plot-2.svg, ...
    #[arg(long, value_name = "DIR")]
    pub svg_dir: Option<PathBuf>,
    /// What the plots are written as: `svg`, or `tikz` for an article in LaTeX (DIR/plot-1.tex, ...)
    #[arg(long, value_name = "FORMAT", requires = "svg_dir", default_value = "svg", value_parser = plot_format())]
    pub plot_format: &'static PlotFormat,
    /// Write all anew whenever the model changes, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
}

/// `appell lab`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell lab
  appell lab model.toml
  appell lab model.toml --no-open --port 8000

Prints its address on standard output, and serves one page, to this machine only, until Ctrl-C. Nothing is
written: what is changed in the browser stays there, until `Save model` is pressed. A reload shows the file as
it is then.

The lab is a file of its own, lab.html, which lies beside the program, or in ../share/appell.")]
pub struct Lab {
    /// The model file, or `-` for standard input; without it, a model of the gallery
    pub model: Option<PathBuf>,
    /// The port; by default one that is free
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Start no browser
    #[arg(long)]
    pub no_open: bool,
    /// The lab, where it is not found beside the program
    #[arg(long, value_name = "FILE")]
    pub lab: Option<PathBuf>,
}

/// `appell linearize`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell linearize model.toml
  appell linearize model.toml --at state.json --json
  appell linearize model.toml --initial \"phi' = 0\" -p v=0:10:0.1 --crossings -o roots.csv --svg-dir plots
  echo '{\"q\": [0, 0], \"v\": [\"vx\", \"-vx/rr\"]}' | appell linearize model.toml --at - -p vx=1:9

The state must be steady: an equilibrium, or all velocities constant and only coordinates moving that
the equations ignore. Numbers of a state may be decimal strings, or expressions in the parameters, so
that the state moves along a sweep. Deviations are those that the constraints allow, in independent
coordinates and velocities; holonomic rows count on both levels.

Exit codes: 0 done; 2 wrong model, usage or a state that is not steady; 3 no value, such as at a
singular state; 130 interrupted.")]
pub struct Linearize {
    #[command(flatten)]
    pub given: Given,
    /// Give a parameter another value, or several: NAME=FROM:TO:STEP, NAME=A,B,C; may be repeated
    ///
    /// Decimals and quotients are exact. Without STEP there are 100 steps; one parameter may have
    /// several values, at most 10000.
    #[arg(short = 'p', long = "parameter", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    pub parameters: Vec<ParameterArgument>,
    /// The state, JSON {"t": 0, "q": [..], "v": [..]} or a list of such, instead of the start
    #[arg(long, value_name = "FILE")]
    pub at: Option<PathBuf>,
    /// Give an equation of [initial] anew, in place of the one with the same left side; may be repeated
    #[arg(long, value_name = "EQUATION", conflicts_with = "at")]
    pub initial: Vec<String>,
    /// Find where real parts of eigenvalues change sign within the range
    #[arg(long)]
    pub crossings: bool,
    /// Write the eigenvalues of a range to a file, by its ending: .csv or .json; may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Write the real and imaginary parts over the range to DIR/plot-1.svg, DIR/plot-2.svg
    #[arg(long, value_name = "DIR")]
    pub svg_dir: Option<PathBuf>,
    /// What the plots are written as: `svg`, or `tikz` for an article in LaTeX (DIR/plot-1.tex, ...)
    #[arg(long, value_name = "FORMAT", requires = "svg_dir", default_value = "svg", value_parser = plot_format())]
    pub plot_format: &'static PlotFormat,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// `appell fmu`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell fmu model.toml -o model.fmu
  appell fmu model.toml -p m=2 -o model.fmu --kind cs

States are coordinates and velocities; the start is that of the model, on the constraints. Inputs and parameters can be
set without compiling anew. Outputs are multipliers, energy, residuals, constraint forces and plotted curves. Stop
conditions are events that end the simulation. Co-Simulation ends each step on the constraints; in Model Exchange an
event brings the state back where it has left them by more than the tolerance.

The unit has its sources in C. Without a C compiler it has no library for this machine, and a remark says so.")]
pub struct Fmu {
    #[command(flatten)]
    pub given: Given,
    #[command(flatten)]
    pub parameters: Parameters,
    /// The form of the equations; by default the first that is written in coordinates and velocities
    #[arg(long, value_parser = form())]
    pub form: Option<&'static Formalism>,
    /// The file, or `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Which interfaces it has: both, me (Model Exchange), cs (Co-Simulation) [default: both]
    #[arg(long, value_name = "KIND", default_value = "both", hide_default_value = true, hide_possible_values = true, value_parser = fmu_kind())]
    pub kind: FmuKind,
}

/// `appell cite`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell cite model.toml > used.bib
  appell cite model.toml --form gibbs-appell

Sources of the model that are missing in the bibliography are listed as comments.")]
pub struct Cite {
    #[command(flatten)]
    pub given: Given,
    /// The form of the equations; by default the first that applies
    #[arg(long, value_parser = form())]
    pub form: Option<&'static Formalism>,
    /// The method of integration
    #[arg(long, value_parser = method())]
    pub method: Option<String>,
}

/// `appell completions`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell completions bash > ~/.local/share/bash-completion/completions/appell
  appell completions zsh > ~/.zfunc/_appell
  appell completions fish > ~/.config/fish/completions/appell.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `appell explain`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell explain E0102
  appell explain loads
  appell explain loads.against
  appell explain formulas
  appell explain contrived
  appell explain")]
pub struct Explain {
    /// A code, such as E0102; a section or key of a model; a word of an answer. Without it, all are listed
    pub topic: Option<String>,
}

/// `appell manual`
#[derive(Debug, Args)]
pub struct Manual {
    /// Where the pages are written
    pub folder: PathBuf,
    /// How they are written
    #[arg(long, value_enum, default_value = "man")]
    pub to: Pages,
}

/// How a manual is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Pages {
    /// For `man`.
    Man,
    /// For the documentation.
    Markdown,
}

#[cfg(test)]
mod tests {
    use super::*;
    use appell::FORMALISMS;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn lists_of_forms_are_read_in_the_order_of_the_table() {
        let forms = |list: &str| match Cli::try_parse_from([
            "appell", "derive", "m.toml", "--form", list,
        ]) {
            Ok(Cli {
                command: Command::Derive(derive),
                ..
            }) => FormOrAll::meant(&derive.form)
                .iter()
                .map(|form| form.id)
                .collect::<Vec<_>>(),
            other => panic!("{list}: {other:?}"),
        };
        let all: Vec<&str> = FORMALISMS.iter().map(|form| form.id).collect();
        assert_eq!(forms("all"), all);
        assert_eq!(
            forms(&format!("{},{},{}", all[1], all[0], all[1])),
            all[..2]
        );
        assert_eq!(forms(&format!("{},all", all[1])), all);
    }
}
