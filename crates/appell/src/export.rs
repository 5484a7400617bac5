//! Equations of motion as source code, with what the run knows of them: ranks, and other independent velocities.

use crate::charts::{chart_at, has_charts};
use crate::prepared::Prepared;
use crate::scattered::scattered_constrained_state;
use crate::show::plain;
use crate::start::start;
use appell_expr::{Matrix, Program, Solve, SolveKind, Statement, Step, generic_rank};
use appell_flow::{Field, Interpreter, Workspace};
use appell_mech::{Carrier, Chart, Equations, Formalism, Unavailable, output, states_on};
use appell_report::code::{self, Language};

/// Source code, and what is not in it.
#[derive(Debug)]
pub struct Exported {
    /// A function for each form that applies; empty where none does.
    pub text: String,
    /// The ids of the others, with the reason.
    pub unavailable: Vec<(&'static str, Unavailable)>,
}

/// A state that is looked at: time, coordinates, velocities, and parameters of these where they are known.
type Looked = (f64, Vec<f64>, Vec<f64>, Option<Vec<f64>>);

/// States without pattern that are looked at beside the start.
const STATES: u32 = 8;
/// Choices of independent velocities that are written, at most.
const CHARTS: usize = 4;
/// A pivot below this part of the largest leaves a choice of independent velocities.
const WORN: f64 = 3e-2;

/// The equations of some forms as source code: functions of the time, the state and the parameters, whose
/// results are the rates of the state and the multipliers. One alone is called `equations`, several
/// `equations_` and the form's id.
///
/// Systems that may be singular are solved by the rank that they have at the start or at other states on the
/// constraints. Where a form speaks of independent velocities there are several choices of them in a function.
pub fn export(p: &Prepared<'_>, forms: &[&'static Formalism], language: &Language) -> Exported {
    let looked = looked_at(p);
    let mut unavailable = Vec::new();
    let mut found = Vec::new();
    for form in forms {
        match written(p, form, &looked) {
            Ok(one) => found.push((*form, one)),
            Err(why) => unavailable.push((form.id, why)),
        }
    }
    let parameters = p.model.parameters.iter();
    let parameters: Vec<String> = parameters.map(|one| one.name.clone()).collect();
    let exports: Vec<code::Export<'_>> = found
        .iter()
        .map(|(form, written)| code::Export {
            name: match forms {
                [_] => "equations".to_owned(),
                _ => format!("equations_{}", form.id.replace('-', "_")),
            },
            head: head(p, form),
            state: written.state.clone(),
            parameters: parameters.clone(),
            charts: written.charts(),
        })
        .collect();
    Exported {
        text: code::code(language, &exports),
        unavailable,
    }
}

/// A form's programs with the ranks of their systems that may be singular.
struct Written {
    state: Vec<String>,
    charts: Vec<(Program, Vec<usize>)>,
    /// Whether it speaks of independent velocities.
    worn: bool,
}

impl Written {
    fn charts(&self) -> Vec<code::Chart<'_>> {
        let least = if self.worn { WORN } else { 0.0 };
        self.charts
            .iter()
            .map(|(program, ranks)| code::Chart {
                program,
                ranks: ranks.clone(),
                least,
            })
            .collect()
    }
}

/// Comments of a function.
fn head(p: &Prepared<'_>, form: &Formalism) -> Vec<String> {
    vec![
        plain(&p.model.title),
        format!("{}: {}", form.title, form.statement),
        "rate: the rates of the state y; lambda: the multipliers, one a constraint row".to_owned(),
    ]
}

fn written(p: &Prepared<'_>, form: &Formalism, looked: &[Looked]) -> Result<Written, Unavailable> {
    let equations = (form.derive)(&p.system, &p.constraints)?;
    let state = equations.input_names();
    let worn = has_charts(&equations);
    let mut charts = vec![program(p, &equations, looked)?];
    if worn {
        for chart in other_charts(p, looked) {
            let mut constraints = p.constraints.clone();
            constraints.chart = Some(chart);
            // A form may exist in one chart only.
            let Ok(other) = (form.derive)(&p.system, &constraints) else {
                continue;
            };
            if other.input_names() == state {
                charts.push(program(p, &other, looked)?);
            }
        }
    }
    Ok(Written {
        state,
        charts,
        worn,
    })
}

/// Independent velocities that are well chosen at the states looked at, each choice once.
fn other_charts(p: &Prepared<'_>, looked: &[Looked]) -> Vec<Chart> {
    let everywhere: Vec<usize> = (0..p.system.n()).collect();
    let sorted = |chart: &Chart| {
        let mut dependent = chart.dependent.clone();
        dependent.sort_unstable();
        dependent
    };
    let mut known: Vec<Vec<usize>> = p.constraints.chart.iter().map(sorted).collect();
    let mut charts = Vec::new();
    for (t, q, v, _) in looked {
        let Some(chart) = chart_at(p, (*t, q, v), &everywhere) else {
            continue;
        };
        let dependent = sorted(&chart);
        if charts.len() + 1 < CHARTS && !known.contains(&dependent) {
            known.push(dependent);
            charts.push(chart);
        }
    }
    charts
}

/// The program of a form, and the largest ranks that its systems have at the states looked at.
fn program(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    looked: &[Looked],
) -> Result<(Program, Vec<usize>), Unavailable> {
    let program = equations.program(&[output::RATE, output::LAMBDA]);
    let program = program.map_err(|unbound| Unavailable(unbound.to_string()))?;
    let may_be_singular = |statement: &&Statement| match statement {
        Statement::Solve(solve) => matches!(solve.kind, SolveKind::OfRows { .. }),
        Statement::Let(..) => false,
    };
    let count = program.statements.iter().filter(may_be_singular).count();
    if count == 0 {
        return Ok((program, Vec::new()));
    }
    let exact = exact_ranks(p, equations, &program);
    let field = Interpreter::new(program.clone(), &p.parameters);
    let mut best: Vec<usize> = Vec::new();
    for (t, q, v, z) in looked {
        let state = p.carrier_state(equations.carrier, *t, q, v, z.as_deref());
        let Some(state) = state else { continue };
        let mut workspace = Workspace::default();
        workspace.linear.hold_ranks();
        let mut values = vec![0.0; field.outputs()];
        let evaluated = field.eval(&mut workspace, *t, &state, &mut values);
        let ranks = workspace.linear.held_ranks();
        if evaluated.is_ok() && ranks.len() == count {
            best.resize(count, 0);
            best.iter_mut()
                .zip(ranks)
                .for_each(|(best, rank)| *best = (*best).max(*rank));
        }
    }
    // Rounding may hide a rank, and must not add to it.
    for (rank, exact) in best.iter_mut().zip(exact) {
        *rank = exact.map_or(*rank, |exact| exact.min(*rank));
    }
    Ok((program, best))
}

/// The ranks at generic states on the constraints, of the systems that are given by the state alone.
fn exact_ranks(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    program: &Program,
) -> Vec<Option<usize>> {
    let graph = equations.sketch.graph();
    let locus = states_on(&p.system, &p.constraints, &[], &[]);
    let mut steps = equations.sketch.steps().iter();
    let rank = |solve: &Solve| {
        let matrix = Matrix::from_fn(graph, solve.size, solve.size, |i, j| {
            graph.ex(solve.matrix[i * solve.size + j])
        });
        let columns: Vec<usize> = (0..solve.size).collect();
        generic_rank(&locus, &matrix, &columns).map(|found| found.rank)
    };
    let solved = program
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Solve(solve) if matches!(solve.kind, SolveKind::OfRows { .. }) => {
                Some(solve)
            }
            _ => None,
        });
    solved
        .map(|solved| {
            let same = |step: &Step| match step {
                Step::Solve(solve) if solve.name == solved.name && solve.size == solved.size => {
                    rank(solve)
                }
                _ => None,
            };
            steps.find_map(same)
        })
        .collect()
}

/// The start, and states on the constraints without pattern.
fn looked_at(p: &Prepared<'_>) -> Vec<Looked> {
    let start = start(p).ok().map(|s| (s.t, s.q, s.v, s.z));
    let scattered = (0..STATES).filter_map(|sample| scattered_constrained_state(p, sample));
    let scattered = scattered.map(|(t, q, v)| {
        let z = p.carrier_state(Carrier::Parameters, t, &q, &v, None);
        (t, q, v, z)
    });
    start.into_iter().chain(scattered).collect()
}
