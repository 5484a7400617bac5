//! A model as a Functional Mock-up Unit, FMI 3.0: equations in C that other programs drive.
//!
//! States are coordinates and velocities, whatever the constraints. Co-Simulation integrates them by Dormand and Prince's
//! method of order 8 and ends each step on the constraints; in Model Exchange an event brings a state back that has left
//! them by more than the tolerance. [<https://fmi-standard.org/docs/3.0>]

mod derived;
mod description;

use crate::code::{self, C_IN_PARTS, Chart, Export, Singular};
use crate::export::{Looked, looked_at, singular, weights};
use crate::show::plain;
use crate::zip::archive;
use appell_expr::{Ex, Matrix, Program, Relation, SolveKind, Unbound};
use appell_flow::method::DOP853;
use appell_mech::{Equations, FORMALISMS, Formalism, Unavailable, function, output};
use appell_study::motion::choices::{DEFAULT_ATOL, DEFAULT_RTOL};
use appell_study::motion::samples::answer_columns;
use appell_study::states::charts::is_in_velocities;
use appell_study::states::start::start;
use appell_study::values::error::Error;
use appell_study::values::found::Start;
use appell_study::values::narrow::{narrow_functions, quantities};
use appell_study::values::outputs::{jumps_of_state, switches};
use appell_study::values::prepared::Prepared;
use derived::{Derived, derived, in_velocities};
use description::Described;
use sha2::{Digest, Sha256};
use std::io;

/// What a unit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FmuKind {
    /// Model Exchange and Co-Simulation.
    Both,
    /// Others integrate.
    ModelExchange,
    /// It integrates itself.
    CoSimulation,
}

impl FmuKind {
    /// All, by their names on the command line.
    pub const ALL: [(&str, FmuKind); 3] = [
        ("both", FmuKind::Both),
        ("me", FmuKind::ModelExchange),
        ("cs", FmuKind::CoSimulation),
    ];
}

/// A unit, before it is compiled.
#[derive(Debug, Clone)]
pub struct Fmu {
    /// What its files are called.
    pub identifier: String,
    /// `modelDescription.xml`.
    pub description: String,
    /// `sources/IDENTIFIER.c`, which is complete.
    pub source: String,
}

/// The interface, in C.
const INTERFACE: &str = include_str!("fmi3.c");

/// The output with all that is told beside the state.
const ANSWERS: &str = "answers";
const CONDITIONS: &str = "conditions";
const NARROW: &str = "narrow_functions";
const MADE: &str = "made_of_parameters";
const STARTS: &str = "starts_by_parameters";
const TO_PLACES: &str = "to_places";
const TO_VELOCITIES: &str = "to_velocities";
/// The same where some components are held.
const FREELY_TO_PLACES: &str = "freely_to_places";
const FREELY_TO_VELOCITIES: &str = "freely_to_velocities";
/// The same to the constraints and the equations of `[initial]`: some components held, and all free.
const STARTING_PLACES: &str = "to_starting_places";
const STARTING_VELOCITIES: &str = "to_starting_velocities";
const ALL_STARTING_PLACES: &str = "all_to_starting_places";
const ALL_STARTING_VELOCITIES: &str = "all_to_starting_velocities";

/// Writes a model as a unit. Its start is that of the model, completed on the constraints; parameters and inputs can be set.
///
/// # Errors
/// No form in coordinates and velocities applies, or not the one asked for; the start is inconsistent.
pub fn fmu(
    p: &Prepared<'_>,
    name: &str,
    kind: FmuKind,
    form: Option<&'static Formalism>,
) -> Result<Fmu, Error> {
    let start = start(p)?;
    let mut equations = equations_in_velocities(p, form)?;
    let counts = write_conditions(p, &mut equations);
    let looked = looked_at(p);
    let shown = write_answers(p, &mut equations);
    let derived = derived(p);
    for (name, list) in [(MADE, &derived.parameters), (STARTS, &derived.starts)] {
        let values: Vec<_> = list.iter().map(|(_, x)| *x).collect();
        equations.sketch.output_list(name, &values);
    }
    let rows = write_corrections(p, &mut equations, &derived.joint);
    let identifier = identifier(name);
    let functions = functions(p, &equations, &looked)?;
    let described = Described {
        p,
        start: &start,
        identifier: &identifier,
        kind,
        answers: &shown,
        derived: &derived,
        switches: counts.jumps + counts.switches,
    };
    let variables = described.variables();
    let body = constants(p, &start, &shown, &derived, rows, &counts) + &functions + INTERFACE;
    let token = token(&body);
    Ok(Fmu {
        description: described.xml(&variables, &token),
        source: format!("#define TOKEN \"{token}\"\n{body}"),
        identifier,
    })
}

impl Fmu {
    /// The archive, with the library for this machine where there is one.
    ///
    /// # Errors
    /// It is too large.
    pub fn archive(&self, library: Option<Vec<u8>>) -> io::Result<Vec<u8>> {
        let name = &self.identifier;
        let build = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  \
             <BuildConfiguration modelIdentifier=\"{name}\">\n    <SourceFileSet language=\"C99\">\n      \
             <SourceFile name=\"{name}.c\"/>\n    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n"
        );
        let texts = [
            ("modelDescription.xml".to_owned(), &self.description),
            (format!("sources/{name}.c"), &self.source),
            ("sources/buildDescription.xml".to_owned(), &build),
        ];
        let texts = texts.map(|(path, text)| (path, text.clone().into_bytes()));
        let place = format!("binaries/{}/{name}.{}", platform(), ending());
        let library = library.map(|bytes| (place, bytes));
        let mut out = Vec::new();
        archive(texts.into_iter().chain(library), &mut out)?;
        Ok(out)
    }
}

/// The platform as FMI calls it: `x86_64-linux`.
fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    format!("{}-{system}", std::env::consts::ARCH)
}

fn ending() -> &'static str {
    match std::env::consts::OS {
        "macos" => "dylib",
        "windows" => "dll",
        _ => "so",
    }
}

/// A name of C: letters, digits and underscores, no digit first.
fn identifier(name: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(fits).collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        true => format!("model_{name}"),
        false => name,
    }
}

/// A token that tells descriptions and libraries apart that do not belong together.
fn token(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().take(16).map(|x| format!("{x:02x}")).collect();
    format!(
        "{{{}-{}-{}-{}-{}}}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

/// The equations of the form asked for, or of the first that is written in coordinates and velocities.
fn equations_in_velocities<'g>(
    p: &Prepared<'g>,
    form: Option<&'static Formalism>,
) -> Result<Equations<'g>, Error> {
    let derive = |form: &&Formalism| (form.derive)(&p.system, &p.constraints);
    if let Some(form) = form {
        let equations = derive(&form)?;
        return match is_in_velocities(&equations) {
            true => Ok(equations),
            false => Err(Unavailable(format!(
                "the state of the form `{}` is not (q, v): take another, such as `multipliers`",
                form.id
            ))
            .into()),
        };
    }
    let mut found = FORMALISMS.iter().filter_map(|form| derive(form).ok());
    let none = || Unavailable("no form in coordinates and velocities applies".to_owned());
    Ok(found.find(is_in_velocities).ok_or_else(none)?)
}

/// What is told of a state: names with their places among the answers.
struct Shown {
    names: Vec<(usize, String)>,
    /// The plotted curves among them: their places in the file.
    plotted: Vec<appell_expr::Id>,
    count: usize,
}

/// Adds the columns of a table beside the state, then the plotted curves that have a value in this form, as one output.
fn write_answers<'g>(p: &Prepared<'g>, equations: &mut Equations<'g>) -> Shown {
    let graph = p.system.graph;
    let (outputs, columns) = answer_columns(p, equations);
    let held = |name: &&str| {
        equations
            .sketch
            .get(name)
            .map(|matrix| matrix.entries().to_vec())
    };
    let mut entries: Vec<Ex<'g>> = outputs.iter().filter_map(held).flatten().collect();
    let mut names: Vec<(usize, String)> =
        columns.into_iter().enumerate().filter_map(named).collect();
    let mut plotted = Vec::new();
    for (index, (text, curve)) in p.model.plots.iter().flat_map(|plot| &plot.y).enumerate() {
        let is_state = p
            .model
            .coordinates
            .iter()
            .any(|coordinate| [coordinate.q, coordinate.v].contains(curve));
        if !is_state && names.iter().all(|(_, other)| other != text) {
            // It may speak of what other forms know.
            let alone = format!("curve {index}");
            equations.sketch.output_list(&alone, &[graph.ex(*curve)]);
            if equations.program(&[&alone]).is_ok() {
                names.push((entries.len(), text.clone()));
                entries.push(graph.ex(*curve));
                plotted.push(*curve);
            }
        }
    }
    equations.sketch.output_list(ANSWERS, &entries);
    Shown {
        names,
        plotted,
        count: entries.len(),
    }
}

fn named((place, name): (usize, Option<String>)) -> Option<(usize, String)> {
    Some((place, name?))
}

/// How many quantities of each kind are evaluated within a step, beside the stop conditions.
struct StepQuantities {
    /// Those at whose zeros the momentum or the energy jumps.
    jumps: usize,
    /// Those at whose zeros accelerations and stop conditions may jump or have a corner.
    switches: usize,
    /// Those at whose zeros a function is the narrowest.
    zeros: usize,
    /// Those by which a function is the narrowest where they are the largest.
    peaks: usize,
}

/// Adds the quantities of the stop conditions and those of [`StepQuantities`]: an integrator finds no pulse shorter than its steps by
/// itself.
fn write_conditions<'g>(p: &Prepared<'g>, equations: &mut Equations<'g>) -> StepQuantities {
    let (model, graph) = (p.model, p.system.graph);
    let stops = model.simulate.stop.iter().map(|stop| stop.difference);
    let stops: Vec<_> = stops.collect();
    let jumps = jumps_of_state(model);
    let all = [equations.sketch.expressions(), stops.clone()].concat();
    let switches = switches(model, graph, &all);
    let [pairs, peaks] = quantities(&narrow_functions(model, equations));
    let zeros: Vec<_> = pairs.iter().copied().step_by(2).collect();
    let arguments: Vec<_> = pairs.into_iter().skip(1).step_by(2).collect();
    let mut gaps = graph.exs(&stops);
    gaps.extend(jumps.iter().map(|jump| jump.gap));
    gaps.extend(&switches);
    equations.sketch.output_list(CONDITIONS, &gaps);
    equations
        .sketch
        .output_list(NARROW, &[&zeros[..], &arguments, &peaks].concat());
    StepQuantities {
        jumps: jumps.len(),
        switches: switches.len(),
        zeros: zeros.len(),
        peaks: peaks.len(),
    }
}

/// For each coordinate a symbol that is 1 where it, or its velocity, may move, and 0 where it is held.
fn may_move<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let graph = p.system.graph;
    let names = p.model.coordinates.iter();
    names
        .map(|coordinate| graph.symbol(&format!("may_move[{}]", coordinate.name)))
        .collect()
}

/// Adds the corrections of places and velocities, all free or some held, and those that keep equations of `[initial]` as
/// well. Returns the numbers of their rows.
fn write_corrections<'g>(
    p: &Prepared<'g>,
    equations: &mut Equations<'g>,
    [of_place, of_velocities]: &[Vec<Ex<'g>>; 2],
) -> [usize; 2] {
    let weights = weights(p).unwrap_or_else(|| vec![p.system.graph.int(1); p.system.n()]);
    let free = may_move(p);
    let weights_of_free: Vec<_> = weights.iter().zip(&free).map(|(w, f)| *w * *f).collect();
    let places = (function::POSITION, function::POSITION_Q);
    let velocities = (function::PHI, function::PHI_V);
    let graph = p.system.graph;
    let slopes = Matrix::jacobian(graph, of_place, &p.system.q);
    let of_place = (of_place.clone(), slopes);
    let of_velocities = in_velocities(p, &mut equations.sketch, of_velocities);
    let both = [
        (
            [TO_PLACES, FREELY_TO_PLACES],
            places,
            [ALL_STARTING_PLACES, STARTING_PLACES],
            of_place,
        ),
        (
            [TO_VELOCITIES, FREELY_TO_VELOCITIES],
            velocities,
            [ALL_STARTING_VELOCITIES, STARTING_VELOCITIES],
            of_velocities,
        ),
    ];
    both.map(
        |([name, freely], (residual, jacobian), [all, starting], (more, slopes))| {
            let sketch = &mut equations.sketch;
            let none = Matrix::from_fn(graph, 0, weights.len(), |_, _| graph.int(0));
            let c = sketch.get(residual).cloned();
            let c = c.unwrap_or_else(|| Matrix::column(graph, Vec::new()));
            let j = sketch
                .get(jacobian)
                .cloned()
                .filter(|matrix| matrix.rows() > 0)
                .unwrap_or(none);
            if !more.is_empty() {
                let extended = (
                    c.above(&Matrix::column(graph, more.clone())),
                    j.above(&slopes),
                );
                write_correction(equations, all, (&extended.0, &extended.1), &weights);
                let (more, slopes) = where_free(&more, slopes, &free);
                let (c, j) = (c.above(&more), j.above(&slopes));
                write_correction(equations, starting, (&c, &j), &weights_of_free);
            }
            write_correction(equations, freely, (&c, &j), &weights_of_free);
            write_correction(equations, name, (&c, &j), &weights)
        },
    )
}

/// Rows with their derivatives by components, multiplied by 0 where all components in them are held: what was set there
/// has the last word.
fn where_free<'g>(
    rows: &[Ex<'g>],
    slopes: Matrix<'g>,
    free: &[Ex<'g>],
) -> (Matrix<'g>, Matrix<'g>) {
    let graph = free[0].graph();
    let one = graph.int(1);
    let counts = |row: usize| {
        let inside = (0..free.len()).filter(|i| !slopes[(row, *i)].is_zero());
        one - inside.fold(one, |all_held, i| all_held * (one - free[i]))
    };
    let counts: Vec<Ex<'g>> = (0..rows.len()).map(counts).collect();
    let column = rows.iter().zip(&counts).map(|(row, counts)| *row * *counts);
    let counted = Matrix::from_fn(graph, rows.len(), free.len(), |i, k| {
        slopes[(i, k)] * counts[i]
    });
    (Matrix::column(graph, column.collect()), counted)
}

/// Adds the least change, in units that are constant, that Newton's method makes: `-W J^T (J W J^T)^-1 c`. Returns the
/// number of rows.
fn write_correction<'g>(
    equations: &mut Equations<'g>,
    name: &'static str,
    (c, j): (&Matrix<'g>, &Matrix<'g>),
    weights: &[Ex<'g>],
) -> usize {
    let sketch = &mut equations.sketch;
    if c.rows() == 0 {
        return 0;
    }
    let directions = Matrix::from_fn(sketch.graph(), weights.len(), c.rows(), |i, row| {
        j[(row, i)] * weights[i]
    });
    let kind = SolveKind::OfRows { unique: 0 };
    let steps = sketch.solve(kind, name, &(j * &directions), &-c);
    sketch.output(name, &directions * &steps);
    c.rows()
}

/// All functions, in C.
fn functions(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    looked: &[Looked],
) -> Result<String, Error> {
    let wanted = [
        ("equations", output::RATE, "the rates of the state"),
        (ANSWERS, ANSWERS, "what is told beside the state"),
        (
            CONDITIONS,
            CONDITIONS,
            "the quantities of the stop conditions, then those of jumps of the momentum and of switches",
        ),
        (
            NARROW,
            NARROW,
            "the quantities at whose zeros functions are felt in a narrow place, their arguments, and arguments that are felt at their peaks",
        ),
        (
            TO_PLACES,
            TO_PLACES,
            "a correction of the coordinates, to the constraints",
        ),
        (TO_VELOCITIES, TO_VELOCITIES, "the same of the velocities"),
        (MADE, MADE, "parameters that are made of others"),
        (STARTS, STARTS, "starts that formulas in parameters give"),
    ];
    let mut programs: Vec<Written<'_>> = Vec::new();
    let mut absent = String::new();
    let parameters = p.model.parameters.iter();
    let parameters: Vec<String> = parameters.map(|one| one.name.clone()).collect();
    for (name, from, about) in wanted {
        if equations.sketch.get(from).is_none() {
            absent += &nothing(name);
            continue;
        }
        let unbound = |Unbound(what)| Unavailable(format!("`{what}` has no value in this form"));
        let program = equations.program(&[from]).map_err(unbound)?;
        let singular = singular(p, equations, &program, looked);
        programs.push(Written {
            name,
            about,
            program,
            singular,
            parameters: parameters.clone(),
        });
    }
    absent += &freely(p, equations, looked, &mut programs);
    let exports: Vec<Export<'_>> = programs
        .iter()
        .map(|written| written.export(p, equations))
        .collect();
    let exports = code::code(&C_IN_PARTS, &exports).replace("\nint ", "\nstatic int ");
    Ok(exports + "\n" + &absent + "\n")
}

/// A function of the source.
struct Written<'w> {
    name: &'w str,
    about: &'w str,
    program: Program,
    singular: Vec<Singular>,
    parameters: Vec<String>,
}

impl Written<'_> {
    fn export(&self, p: &Prepared<'_>, equations: &Equations<'_>) -> Export<'_> {
        Export {
            name: self.name.to_owned(),
            head: vec![plain(&p.model.title), self.about.to_owned()],
            state: equations.input_names(),
            parameters: self.parameters.clone(),
            charts: vec![Chart {
                program: &self.program,
                before: None,
                singular: self.singular.clone(),
            }],
        }
    }
}

/// A function without results.
fn nothing(name: &str) -> String {
    format!(
        "static int {name}(double t, const double *y, const double *p, double *x) {{ (void)t, (void)y, \
         (void)p, (void)x; return 0; }}\n"
    )
}

/// Adds the corrections where some components are held, whose parameters end with what may move. The rank of the rows
/// is that which is left, decided in each call. Returns those that are absent.
fn freely(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    looked: &[Looked],
    programs: &mut Vec<Written<'_>>,
) -> String {
    let inputs = [equations.inputs(), may_move(p)].concat();
    let mut absent = String::new();
    let held = "the same where some of them are held";
    let of_start = "the same, to the equations of the start as well";
    let pairs = [
        (TO_PLACES, FREELY_TO_PLACES, held),
        (TO_VELOCITIES, FREELY_TO_VELOCITIES, held),
        (ALL_STARTING_PLACES, STARTING_PLACES, of_start),
        (ALL_STARTING_VELOCITIES, STARTING_VELOCITIES, of_start),
    ];
    let parameters = p
        .model
        .parameters
        .iter()
        .map(|parameter| parameter.name.clone());
    let parameters: Vec<String> = parameters.collect();
    for (whole, name, about) in pairs {
        let program = equations
            .sketch
            .get(name)
            .map(|_| equations.program_from(&inputs, &[name]));
        let Some(Ok(program)) = program else {
            absent += &nothing(name);
            continue;
        };
        let whole = equations.program(&[whole]);
        let singular = whole.map(|whole| singular(p, equations, &whole, looked));
        let open = |one: &Singular| Singular {
            rank: None,
            ..one.clone()
        };
        let more = p
            .model
            .coordinates
            .iter()
            .map(|coordinate| format!("1 where {} may move", coordinate.name));
        let written = Written {
            name,
            about,
            program,
            singular: singular.iter().flatten().map(open).collect(),
            parameters: parameters.iter().cloned().chain(more).collect(),
        };
        programs.push(written);
    }
    absent
}

/// In which sense a condition's quantity crosses zero: as it falls, rises, or both.
fn sense(relation: Relation) -> i32 {
    match relation {
        Relation::Less | Relation::LessEqual => -1,
        Relation::Greater | Relation::GreaterEqual => 1,
        Relation::Equal => 0,
    }
}

/// The numbers that the interface reads.
fn constants(
    p: &Prepared<'_>,
    start: &Start,
    shown: &Shown,
    derived: &Derived<'_>,
    rows: [usize; 2],
    step: &StepQuantities,
) -> String {
    let (simulate, state) = (&p.model.simulate, [&start.q[..], &start.v].concat());
    let stops = simulate.stop.len() + step.jumps;
    let counts = [
        ("STATES", state.len()),
        ("PARAMETERS", p.parameters.len()),
        ("ANSWERS", shown.count),
        ("OUTPUTS", shown.names.len()),
        ("STOPS", stops),
        ("JUMPS", step.jumps),
        ("INDICATORS", stops + step.switches),
        ("ZEROS", step.zeros),
        ("PEAKS", step.peaks),
        ("POSITION_ROWS", rows[0]),
        ("VELOCITY_ROWS", rows[1]),
        ("MADE", derived.parameters.len()),
        ("FOLLOWING", derived.starts.len()),
        ("EQUATIONS_OF_PLACE", derived.joint[0].len()),
        ("EQUATIONS_OF_VELOCITIES", derived.joint[1].len()),
    ];
    let numbers = [
        ("START_TIME", start.t),
        ("RTOL", simulate.rtol.unwrap_or(DEFAULT_RTOL)),
        ("ATOL", simulate.atol.unwrap_or(DEFAULT_ATOL)),
    ];
    let counts = counts.map(|(name, count)| format!("#define {name} {count}\n"));
    let numbers = numbers.map(|(name, x)| format!("#define {name} ({x:?})\n"));
    let senses = simulate.stop.iter().map(|stop| sense(stop.relation));
    let crossings = senses.chain(std::iter::repeat_n(0, step.jumps));
    let lists = [
        list("double start", state.iter().map(|x| format!("{x:?}"))),
        list(
            "double values",
            p.parameters.iter().map(|x| format!("{x:?}")),
        ),
        list(
            "int shown",
            shown.names.iter().map(|(place, _)| place.to_string()),
        ),
        limits(p, 0, ("double least", -f64::MAX)),
        limits(p, 1, ("double most", f64::MAX)),
        list("int made", places(&derived.parameters)),
        list("int following", places(&derived.starts)),
        list(
            "int given",
            (0..state.len()).map(|i| u8::from(derived.given.contains(&i)).to_string()),
        ),
        names_of_states(p),
        list("int crossings", crossings.map(|x| x.to_string())),
    ];
    counts.concat() + &numbers.concat() + &lists.concat() + &method()
}

/// The least or the largest value of each parameter, and what stands for none.
fn limits(p: &Prepared<'_>, side: usize, (name, none): (&str, f64)) -> String {
    let all = derived::limits(p).into_iter();
    list(
        name,
        all.map(|pair| format!("{:?}", pair[side].unwrap_or(none))),
    )
}

/// The names of the states, for what is logged.
fn names_of_states(p: &Prepared<'_>) -> String {
    let names = |prime: &'static str| {
        p.model
            .coordinates
            .iter()
            .map(move |coordinate| format!("{:?}", coordinate.name.clone() + prime))
    };
    list("char *const names", names("").chain(names("'")))
}

fn places<'a>(list: &'a [(usize, Ex<'_>)]) -> impl Iterator<Item = String> + 'a {
    list.iter().map(|(place, _)| place.to_string())
}

/// `static const double x[] = {1.0, 0.0};`, with a 0 at the end, for there are no empty ones.
fn list(name: &str, values: impl Iterator<Item = String>) -> String {
    let values: String = values.map(|x| x + ", ").collect();
    format!("static const {name}[] = {{{values}0}};\n")
}

/// The method of Co-Simulation.
fn method() -> String {
    let Some(tableau) = DOP853.tableau else {
        return String::new();
    };
    let written = |values: &[f64]| -> String {
        let values: Vec<String> = values.iter().map(|x| format!("{x:?}")).collect();
        format!(
            "{{{}}}",
            if values.is_empty() {
                "0.0".to_owned()
            } else {
                values.join(", ")
            }
        )
    };
    let count = tableau.stage_count();
    let rows = [
        ("nodes", tableau.nodes),
        ("weights", tableau.weights),
        (
            "fine",
            &tableau.error.fine[..count.min(tableau.error.fine.len())],
        ),
        (
            "coarse",
            &tableau.error.coarse[..count.min(tableau.error.coarse.len())],
        ),
    ];
    let rows =
        rows.map(|(name, values)| format!("static const double {name}[] = {};\n", written(values)));
    let stages: Vec<String> = tableau.stages.iter().map(|row| written(row)).collect();
    let stages = stages.join(",\n    ");
    format!(
        "/* Dormand and Prince, of order 8 (Hairer, Norsett, Wanner 1993, II.5). */\n{}static const double \
         stages[{count}][{count}] = {{\n    {stages}}};\n",
        rows.concat()
    )
}
