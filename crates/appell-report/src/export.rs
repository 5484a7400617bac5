//! Equations of motion as source code, with what the run knows of them: ranks, and other independent velocities.

use crate::code::Singular;
use crate::code::{self, Language};
use crate::show::plain;
use appell_expr::{
    Ex, Matrix, Output, Program, Rational, Sketch, SlotSolve, Solve, SolveKind, Statement, Step,
    generic_rank,
};
use appell_flow::{Field, Interpreter, Measured, Sample, Workspace};
use appell_mech::{
    Carrier, Chart, ConstraintRow, Constraints, Equations, FORMALISMS, Formalism, Unavailable,
    output, states_on,
};
use appell_model::Parameter;
use appell_study::motion::choices::RunOptions;
use appell_study::motion::run::run;
use appell_study::states::charts::{INERT, best_chart_at, has_charts, lasting_rows, units};
use appell_study::states::scattered_states::scattered_constrained_state;
use appell_study::states::start::start;
use appell_study::states::status::{Judgement, judge, ranks_at};
use appell_study::values::prepared::Prepared;

/// Source code, and what is not in it.
#[derive(Debug)]
pub struct Exported {
    /// A function for each form that applies; empty where none does.
    pub text: String,
    /// The ids of the others, with the reason.
    pub unavailable: Vec<(&'static str, Unavailable)>,
}

/// Values below this part of their terms are rounding errors.
const NOISE: f64 = 1e-12;

/// A state that is looked at: time, coordinates, velocities, and parameters of these where they are known.
pub(crate) type Looked = (f64, Vec<f64>, Vec<f64>, Option<Vec<f64>>);

/// States without pattern that are looked at beside the start.
const STATES: u32 = 12;
/// Choices of independent velocities that are written, at most.
const CHARTS: usize = 6;

/// The equations of some forms as source code: functions of the time, the state and the parameters, whose
/// results are the rates of the state and the multipliers. One alone is called `equations`, several
/// `equations_` and the form's id.
///
/// Systems that may be singular are solved by the rank that they have at the start or at other states on the
/// constraints. Where a form speaks of independent velocities there are several choices of them in a function.
pub fn export(p: &Prepared<'_>, forms: &[&'static Formalism], language: &Language) -> Exported {
    let looked = looked_at(p);
    let constraints = on_lasting_rows(p, &looked);
    let mut unavailable = Vec::new();
    let mut found = Vec::new();
    for form in forms {
        match written(p, &constraints, form, &looked) {
            Ok(one) => found.push((*form, one)),
            Err(why) => unavailable.push((form.id, why)),
        }
    }
    let parameters = p.model.parameters.iter().zip(&p.parameters);
    let parameters: Vec<String> = parameters
        .map(|(parameter, value)| parameter_in_words(p, parameter, *value))
        .collect();
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

/// A form's programs, and what is known of their systems that may be singular.
struct Written {
    state: Vec<String>,
    charts: Vec<WrittenChart>,
}

struct WrittenChart {
    program: Program,
    before: Option<Program>,
    singular: Vec<Singular>,
}

impl Written {
    fn charts(&self) -> Vec<code::Chart<'_>> {
        let charts = self.charts.iter();
        charts
            .map(|chart| code::Chart {
                program: &chart.program,
                before: chart.before.as_ref(),
                singular: chart.singular.clone(),
            })
            .collect()
    }
}

/// A parameter for comments: its value here, and what its caller is to know of it.
fn parameter_in_words(p: &Prepared<'_>, parameter: &Parameter, value: f64) -> String {
    let unit = parameter
        .unit
        .as_deref()
        .map_or(String::new(), |unit| format!(" {}", plain(unit)));
    let here = format!("here {value:?}{unit}");
    match formula_of(p, parameter, value) {
        _ if parameter.is_input => {
            format!("{}, an input, {here} unless it is given", parameter.name)
        }
        Some(formula) => format!(
            "{}, {here}: {formula}, to be kept by the caller",
            parameter.name
        ),
        None => format!("{}, {here}", parameter.name),
    }
}

/// What a parameter is made of, if that is others: one that is an input, or was given another value, stands by itself.
pub(crate) fn formula_of<'g>(
    p: &Prepared<'g>,
    parameter: &Parameter,
    value: f64,
) -> Option<Ex<'g>> {
    let formula = p.system.graph.ex(parameter.value);
    let agrees = (p.constant(parameter.value) - value).abs() <= 1e-14 * value.abs();
    Some(formula).filter(|x| !parameter.is_input && agrees && !x.symbols().is_empty())
}

/// Comments of a function.
fn head(p: &Prepared<'_>, form: &Formalism) -> Vec<String> {
    vec![
        plain(&p.model.title),
        format!("{}: {}", form.title, form.statements(p.constraints.ideal).0),
        "rate: the rates of the state y; lambda: the multipliers, one a constraint row".to_owned(),
    ]
}

/// The constraints, with independent velocities on rows that are independent of each other wherever it was looked. Rows
/// that depend on each other only where they hold, as three parallel bars of one length, are fewer there than at random
/// states, for which the model's velocities were chosen.
fn on_lasting_rows<'g>(p: &Prepared<'g>, looked: &[Looked]) -> Constraints<'g> {
    let states: Vec<_> = looked
        .iter()
        .map(|(t, q, v, _)| (*t, &q[..], &v[..]))
        .collect();
    let mut constraints = p.constraints.clone();
    let given = constraints.chart.as_ref();
    let count = given.map_or(0, |chart| chart.rows.len());
    let mut charts = states
        .iter()
        .filter_map(|state| best_chart_at(p, *state, &[]));
    let first = charts.next().filter(|first| first.rows.len() < count);
    if let Some(first) = first
        && charts.all(|chart| chart.rows.len() == first.rows.len())
    {
        constraints.chart = Some(first);
    }
    if let Some(chart) = &mut constraints.chart {
        chart.rows = lasting_rows(p, &states, &chart.rows);
    }
    constraints
}

fn written<'g>(
    p: &Prepared<'g>,
    constraints: &Constraints<'g>,
    form: &Formalism,
    looked: &[Looked],
) -> Result<Written, Unavailable> {
    let equations = (form.derive)(&p.system, constraints)?;
    let state = equations.input_names();
    let mut charts = Vec::new();
    if has_charts(&equations) {
        charts.push(in_chart(p, constraints, &equations, looked)?);
        for chart in other_charts(p, constraints, looked) {
            let mut constraints = constraints.clone();
            constraints.chart = Some(chart);
            // A form may exist in one chart only.
            let Ok(other) = (form.derive)(&p.system, &constraints) else {
                continue;
            };
            if other.input_names() == state {
                charts.push(in_chart(p, &constraints, &other, looked)?);
            }
        }
    } else {
        charts.push(alone(p, &equations, looked)?);
    }
    Ok(Written { state, charts })
}

fn alone(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    looked: &[Looked],
) -> Result<WrittenChart, Unavailable> {
    let program = equations.program(&[output::RATE, output::LAMBDA]);
    let program = program.map_err(|unbound| Unavailable(unbound.to_string()))?;
    let singular = singular(p, equations, &program, looked);
    Ok(WrittenChart {
        program,
        before: None,
        singular,
    })
}

/// A form in independent velocities follows from them, and takes for granted that the dependent ones belong to them.
fn in_chart<'g>(
    p: &Prepared<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
    looked: &[Looked],
) -> Result<WrittenChart, Unavailable> {
    Ok(WrittenChart {
        before: velocities_on_the_rows(p, constraints, equations),
        ..alone(p, equations, looked)?
    })
}

/// The velocities moved onto the rows, `dv = -W A^T (A W A^T)^-1 phi`, exact for rows that are affine in them. Without it
/// a rounding error of the dependent velocities would grow as the rows turn. `W` holds constants, so that the result does
/// not depend on the choice of velocities.
fn velocities_on_the_rows<'g>(
    p: &Prepared<'g>,
    constraints: &Constraints<'g>,
    equations: &Equations<'g>,
) -> Option<Program> {
    let chart = constraints.chart.as_ref()?;
    let active: Vec<&ConstraintRow<'g>> = constraints.active().collect();
    let phi: Option<Vec<Ex<'g>>> = chart.rows.iter().map(|row| active.get(*row)?.phi).collect();
    let phi = phi.filter(|phi| !phi.is_empty())?;
    let (graph, n) = (p.system.graph, p.system.n());
    let a = constraints.a.select_rows(&chart.rows);
    let weights = weights(p)?;
    let directions = Matrix::from_fn(graph, n, chart.rows.len(), |j, i| a[(i, j)] * weights[j]);
    let mut sketch = Sketch::new(graph);
    let name = "the velocities on the constraints";
    let right = -&Matrix::column(graph, phi);
    let moved = sketch.solve(
        SolveKind::PositiveDefinite,
        name,
        &(&a * &directions),
        &right,
    );
    let moved = &directions * &moved;
    // The same from the velocities of the chart: it fails where these do not determine the others.
    let c = Matrix::from_fn(graph, chart.independent.len(), n, |i, j| {
        graph.int(i64::from(chart.independent[i] == j))
    });
    let frame = a.above(&c);
    let judged = "the choice of independent velocities";
    let moved = sketch.solve(SolveKind::General, judged, &frame, &(&frame * &moved));
    let velocities: Vec<Ex<'g>> = (0..n).map(|j| p.system.v[j] + moved[(j, 0)]).collect();
    sketch.output_list(name, &velocities);
    sketch.program(&equations.inputs(), &[name]).ok()
}

/// A power of two near the reciprocal inertia of each velocity at the start.
pub(crate) fn weights<'g>(p: &Prepared<'g>) -> Option<Vec<Ex<'g>>> {
    const LARGEST: f64 = 40.0;
    let start = start(p).ok()?;
    let units = units(&p.measure(start.t, &start.q, &start.v)?, INERT);
    let weight = |unit: &f64| {
        let exponent = (2.0 * unit.log2()).round().clamp(-LARGEST, LARGEST);
        let power = Rational::from(1_i64 << (exponent.abs() as u32));
        let power = p.system.graph.number(power);
        if exponent < 0.0 { power.recip() } else { power }
    };
    Some(units.iter().map(weight).collect())
}

/// Independent velocities that are well chosen at the states looked at, each choice once.
fn other_charts(p: &Prepared<'_>, constraints: &Constraints<'_>, looked: &[Looked]) -> Vec<Chart> {
    let sorted = |chart: &Chart| {
        let mut dependent = chart.dependent.clone();
        dependent.sort_unstable();
        dependent
    };
    // Rows that say the same on the constraints differ a little beside them: all choices keep to the same ones.
    let rows = constraints
        .chart
        .as_ref()
        .map_or(&[][..], |chart| &chart.rows);
    let mut known: Vec<Vec<usize>> = constraints.chart.iter().map(sorted).collect();
    let mut charts = Vec::new();
    for (t, q, v, _) in looked {
        let Some(chart) = best_chart_at(p, (*t, q, v), rows) else {
            continue;
        };
        // At a singular state fewer rows are independent: elsewhere such a choice gives the motion without the others.
        let is_whole = chart.rows.len() == rows.len();
        let dependent = sorted(&chart);
        if is_whole && charts.len() + 1 < CHARTS && !known.contains(&dependent) {
            known.push(dependent);
            charts.push(chart);
        }
    }
    charts
}

/// What is known of the systems of a program that may be singular: the largest ranks at the states looked at, and the
/// sizes of their entries there.
///
/// One piece: one state after the other, each seen by all systems.
pub(crate) fn singular(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    program: &Program,
    looked: &[Looked],
) -> Vec<Singular> {
    let solves: Vec<&SlotSolve> = program
        .statements
        .iter()
        .filter_map(may_be_singular)
        .collect();
    if solves.is_empty() {
        return Vec::new();
    }
    let mut matrices = program.clone();
    matrices.outputs.clear();
    matrices.outputs.extend(solves.iter().map(|solve| Output {
        name: solve.name.clone(),
        rows: solve.size,
        columns: solve.size,
        slots: solve.matrix.clone(),
    }));
    let first = before_first(program, solves[0]);
    let first = first.map(|part| Interpreter::new(part, &p.parameters));
    let field = Interpreter::new(matrices, &p.parameters);
    let known = appell_study::states::ranks::exact(p).map(|exact| exact.a);
    let mut ranks: Vec<Option<usize>> = vec![None; solves.len()];
    let mut exponents: Vec<Vec<Vec<f64>>> = vec![Vec::new(); solves.len()];
    for (t, q, v, z) in looked {
        let state = p.carrier_state(equations.carrier, *t, q, v, z.as_deref());
        let Some(state) = state else { continue };
        let mut workspace = Workspace::default();
        workspace.linear.hold_ranks();
        workspace.linear.set_row_rank(known);
        let mut values = vec![0.0; field.outputs()];
        let evaluated = field.eval(&mut workspace, *t, &state, &mut values);
        let held = workspace.linear.held_ranks();
        if evaluated.is_err() || held.len() != solves.len() {
            // The form itself may be singular to rounding for want of these scales.
            let first = first
                .as_ref()
                .and_then(|field| field.results(*t, &state).ok());
            exponents[0].extend(first.map(|sizes| scale_exponents(solves[0].size, &sizes)));
            continue;
        }
        for (rank, held) in ranks.iter_mut().zip(held) {
            *rank = (*rank).max(Some(*held));
        }
        // Sizes of terms overrate what comes out of other systems; values that are rounding say nothing.
        let known = |x: &Measured| {
            if x.value.abs() > NOISE * x.size {
                x.value
            } else {
                0.0
            }
        };
        let terms = field.measured(*t, &state);
        let terms: Vec<f64> = terms.map_or(values, |terms| terms.iter().map(known).collect());
        let mut rest = &terms[..];
        for (solve, exponents) in solves.iter().zip(&mut exponents) {
            let (entries, others) = rest.split_at(solve.size * solve.size);
            rest = others;
            exponents.push(scale_exponents(solve.size, entries));
        }
    }
    let found = solves.iter().zip(ranks).zip(&exponents);
    let found = found.map(|((solve, rank), exponents)| Singular {
        rank,
        scales: (0..solve.size)
            .map(|i| median(exponents, i).round().exp2())
            .collect(),
    });
    let mut found: Vec<Singular> = found.collect();
    // Where the values of the parameters are special others have another rank: each call decides.
    for (singular, exact) in found.iter_mut().zip(exact_ranks(p, equations, program)) {
        let special = exact
            .zip(singular.rank)
            .is_some_and(|(exact, rank)| rank < exact);
        singular.rank = singular.rank.filter(|_| !special);
        singular.rank = singular
            .rank
            .map(|rank| exact.map_or(rank, |exact| exact.min(rank)));
    }
    found
}

/// The matrix of the first system, without what follows from its solution; none where another one is solved before it.
fn before_first(program: &Program, first: &SlotSolve) -> Option<Program> {
    let is_solve = |statement: &Statement| matches!(statement, Statement::Solve(_));
    let count = program.statements.iter().position(is_solve)?;
    may_be_singular(&program.statements[count])?;
    let mut part = program.clone();
    part.statements.truncate(count);
    part.outputs = vec![Output {
        name: first.name.clone(),
        rows: first.size,
        columns: first.size,
        slots: first.matrix.clone(),
    }];
    Some(part)
}

fn may_be_singular(statement: &Statement) -> Option<&SlotSolve> {
    match statement {
        Statement::Solve(solve) if matches!(solve.kind, SolveKind::OfRows { .. }) => Some(solve),
        _ => None,
    }
}

/// `log2 d_i` for which the entries of `d_i d_j K_ij` are of the order of 1, from those of a symmetric matrix. Its diagonal
/// becomes 1 where it has one, since masses of milligrams say as much beside rows of rods as those of tons; then the largest
/// entry of each other row.
fn scale_exponents(n: usize, entries: &[f64]) -> Vec<f64> {
    const FIT: f64 = 2.0;
    let diagonal = |i: usize| entries[i * n + i].abs();
    let is_given = |i: usize| diagonal(i) > 0.0 && diagonal(i).is_finite();
    let given = |i: usize| is_given(i).then(|| -diagonal(i).log2() / 2.0);
    let given: Vec<Option<f64>> = (0..n).map(given).collect();
    let exponents = with_largest_entries(n, entries, &given);
    let size = |i: usize, j: usize| entries[i * n + j].abs() * (exponents[i] + exponents[j]).exp2();
    let fits = |i: usize| (0..n).all(|j| size(i, j) <= FIT);
    match (0..n).all(fits) {
        true => exponents,
        false => with_largest_entries(n, entries, &vec![None; n]),
    }
}

/// The exponents of which some are given, and the others make the largest entry of their row 1.
fn with_largest_entries(n: usize, sizes: &[f64], given: &[Option<f64>]) -> Vec<f64> {
    const PASSES: usize = 10;
    let mut exponents: Vec<f64> = given
        .iter()
        .map(|exponent| exponent.unwrap_or(0.0))
        .collect();
    for _ in 0..PASSES {
        let before = exponents.clone();
        let open = exponents.iter_mut().enumerate();
        for (i, exponent) in open.filter(|(i, _)| given[*i].is_none()) {
            let scaled = |j: usize| sizes[i * n + j].abs() * (before[i] + before[j]).exp2();
            let largest = (0..n).map(scaled).fold(0.0, f64::max);
            let moves = largest > 0.0 && largest.is_finite();
            *exponent -= if moves { largest.log2() / 2.0 } else { 0.0 };
        }
    }
    exponents
}

/// The median over the states of the entry in this place: a state may lie near a pole. 0 without states.
fn median(states: &[Vec<f64>], place: usize) -> f64 {
    let mut values: Vec<f64> = states.iter().map(|state| state[place]).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
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
    let solved = program.statements.iter().filter_map(may_be_singular);
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

/// The start, and states on the constraints without pattern. Where hardly any are found, as on rows of which more hold
/// than can be expected of so many coordinates, states of the file's motion.
pub(crate) fn looked_at(p: &Prepared<'_>) -> Vec<Looked> {
    const FEW: usize = 4;
    let with_parameters = |(t, q, v): (f64, Vec<f64>, Vec<f64>)| {
        let z = p.carrier_state(Carrier::Parameters, t, &q, &v, None);
        (t, q, v, z)
    };
    let start = start(p).ok().map(|s| (s.t, s.q, s.v, s.z));
    let judged = start.as_ref();
    let judged = judged.map(|(t, q, v, z)| judge(p, *t, q, v, z.as_deref()));
    // On other components of the constraints rows may be independent that depend on each other on that of the start.
    let rank = judged.filter(Judgement::has_motion);
    let rank = rank.and_then(|judged| judged.rank.a);
    let is_alike = |(t, q, v): &(f64, Vec<f64>, Vec<f64>)| {
        rank.is_none() || ranks_at(p, *t, q, v).and_then(|ranks| ranks.a) == rank
    };
    let scattered = (0..STATES).filter_map(|sample| scattered_constrained_state(p, sample));
    let scattered = scattered.filter(is_alike);
    let mut others: Vec<Looked> = scattered.map(with_parameters).collect();
    if others.len() < FEW {
        others.extend(along_the_motion(p).into_iter().map(with_parameters));
    }
    start.into_iter().chain(others).collect()
}

/// States of the motion of the file, until a time of 1 where it gives none.
fn along_the_motion(p: &Prepared<'_>) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let Ok(start) = start(p) else {
        return Vec::new();
    };
    let n = p.system.n();
    let given = p.model.simulate.until.is_some();
    let options = RunOptions {
        form: FORMALISMS
            .iter()
            .copied()
            .find(|form| form.id == "multipliers"),
        samples: Some(STATES as usize + 1),
        until: (!given).then_some(start.t + 1.0),
        ..RunOptions::default()
    };
    let run = run(p, &options, &mut Default::default());
    let samples = run.map_or_else(|_| Vec::new(), |run| run.trajectory.samples);
    let parts = |sample: &Sample| {
        let (q, v) = (sample.y.get(..n)?, sample.y.get(n..2 * n)?);
        Some((sample.t, q.to_vec(), v.to_vec()))
    };
    samples.iter().filter_map(parts).collect()
}
