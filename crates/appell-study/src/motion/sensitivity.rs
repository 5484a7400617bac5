//! Exact derivatives of a motion by its start, by parameters and by inputs.

use crate::motion::choices::RunOptions;
use crate::motion::samples::{COLUMNS, all_columns};
use crate::motion::stepper::regular_start;
use crate::motion::tangent_flow::TangentFlow;
use crate::states::indeterminate::IndeterminateForces;
use crate::states::start_tangents::start_tangents;
use crate::states::varied::{Varied, model_for};
use crate::values::derived::fields::fields_of;
use crate::values::error::Error;
use crate::values::outputs::stop_output;
use crate::values::prepared::Prepared;
use appell_flow::{Control, Direction, ExitKind, Field, Sample, Tangents, Workspace};
use appell_mech::output;
use std::sync::Arc;

/// The derivatives of a motion: of its states and of what is computed from them, at fixed times, and of the place
/// where a condition ended it.
///
/// The derivative by `x` or `x'` is that by its value at the start, with the start completed on the constraints
/// anew; by a parameter the start moves too; by an input it is the derivative by a constant that is added to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// What the motion is differentiated by.
    pub names: Vec<String>,
    /// What is differentiated: coordinates, velocities, then the other columns of a run's table but the time.
    pub columns: Vec<String>,
    /// The number of coordinates and velocities.
    pub state: usize,
    /// The times of the samples.
    pub times: Vec<f64>,
    /// Samples x columns x names; NaN where a column has no value, or is not unique.
    pub values: Vec<f64>,
    /// The derivatives at the condition that ended the motion, if one did.
    pub event: Option<EventSensitivity>,
    /// How the motion ended, a sentence.
    pub outcome: String,
    /// What that means.
    pub exit: ExitKind,
    /// Accepted steps.
    pub steps: usize,
    /// Evaluations of the equations with their derivatives.
    pub rhs_evaluations: usize,
}

/// The derivatives where a condition ends a motion: the place moves with it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventSensitivity {
    /// The condition, as written.
    pub condition: String,
    /// The derivatives of the time, by each name: `dt = -(g_y w + g_p dp) / (g_t + g_y X)`.
    pub time: Vec<f64>,
    /// Those of the columns there, columns x names: at a fixed time, and by the change of the time.
    pub values: Vec<f64>,
}

/// The derivatives of the motion by coordinates and velocities at its start (`x`, `x'`), parameters and inputs.
///
/// # Errors
/// A name that is none of the model's; a start without a derivative; a form whose state is not `(q, v)`; an input
/// driven by a function whose derivatives are not known.
pub fn sensitivity(
    p: &Prepared<'_>,
    options: &RunOptions,
    names: &[String],
    control: &mut Control<'_>,
) -> Result<Sensitivity, Error> {
    let p = model_for(p, names);
    let varied: Result<Vec<(Varied, Direction)>, Error> = names
        .iter()
        .map(|name| Varied::of(p, name).map(|varied| (varied, varied.direction(p))))
        .collect();
    let varied = varied?;
    let (start, rank) = regular_start(p, options)?;
    let tangents = start_tangents(p, &start, options.start.as_ref(), &varied)?;
    let directions = varied.into_iter().map(|(_, direction)| direction).collect();
    let flow = TangentFlow::new(p, options, (start.t, rank), directions)?;
    let y = [start.q.clone(), start.v.clone(), tangents.concat()].concat();
    let trajectory = flow.integrate(start.t, &y, &flow.settings, control);
    let mut reader = Reader::new(&flow, rank)?;
    let mut values = Vec::new();
    for sample in &trajectory.samples {
        values.extend(reader.row(sample, flow.directions.len()));
    }
    let stopped = flow
        .stopped_by(&trajectory.outcome)
        .zip(trajectory.samples.last());
    let event = stopped.map(|(stop, last)| event(&flow, &mut reader, stop, last));
    let exit = trajectory.outcome.exit_kind();
    Ok(Sensitivity {
        names: names.to_vec(),
        columns: reader.columns,
        state: flow.size,
        times: trajectory.samples.iter().map(|sample| sample.t).collect(),
        values,
        event: event.transpose()?,
        outcome: trajectory.outcome.to_string(),
        exit,
        steps: trajectory.steps,
        rhs_evaluations: trajectory.rhs_evaluations,
    })
}

/// Reads the derivatives of the columns off the states with their deviations; the last direction is that of the time.
struct Reader<'f, 'p, 'g> {
    flow: &'f TangentFlow<'p, 'g>,
    columns: Vec<String>,
    /// Which of all columns are kept.
    kept: Vec<bool>,
    /// Where the table has each column behind the state; none of what is not unique.
    places: Vec<Option<usize>>,
    table: Arc<Tangents>,
    workspace: Workspace,
}

/// All directions of a flow, and that of the time along the motion behind them.
fn with_time(flow: &TangentFlow<'_, '_>) -> Vec<Direction> {
    let time = Direction {
        time: 1.0,
        ..Direction::of_state(flow.p.parameters.len())
    };
    let directions = flow.directions.iter().cloned();
    directions.chain([time]).collect()
}

impl<'f, 'p, 'g> Reader<'f, 'p, 'g> {
    fn new(flow: &'f TangentFlow<'p, 'g>, rank: Option<usize>) -> Result<Self, Error> {
        let p = flow.p;
        let program = fields_of(&flow.equations, COLUMNS)?;
        let (columns, kept) = all_columns(p, &flow.equations);
        let n = p.system.n();
        // Multipliers of rows that depend on each other are a choice, and forces with them: none of them is computed.
        let depend = rank.is_some_and(|rank| rank < p.constraints.k());
        let open = depend.then(|| IndeterminateForces::new(p, &flow.equations));
        let open = open.flatten();
        let is_choice = |row: usize| depend && open.as_ref().is_none_or(|open| open.is_choice(row));
        let none = (0..p.constraints.k()).all(is_choice);
        let unique: Vec<&str> = (COLUMNS.iter().copied())
            .filter(|name| match *name {
                output::FORCES | output::TORQUES => !depend,
                output::LAMBDA => !(depend && none),
                _ => true,
            })
            .collect();
        let mut places = vec![None; columns.len()];
        let mut next = 0;
        for name in &unique {
            let range = program.program().range(name).unwrap_or_default();
            for (row, i) in range.enumerate() {
                let is_unique = *name != output::LAMBDA || !is_choice(row);
                places[1 + n + i] = is_unique.then_some(next);
                next += 1;
            }
        }
        let named = columns.iter().zip(&kept).skip(1);
        let table = flow.equations.tangents(&unique, &with_time(flow))?;
        Ok(Self {
            columns: named
                .filter(|(_, kept)| **kept)
                .map(|(name, _)| name.clone())
                .collect(),
            kept,
            places,
            table,
            workspace: Workspace::default(),
            flow,
        })
    }

    /// The rate of the state at a sample; NaN where there is none.
    fn rate(&mut self, sample: &Sample) -> Vec<f64> {
        let field = self.flow.field();
        let mut rate = vec![f64::NAN; field.outputs()];
        if field
            .eval(&mut self.workspace, sample.t, &sample.y, &mut rate)
            .is_err()
        {
            rate.fill(f64::NAN);
        }
        rate.truncate(self.flow.size);
        rate
    }

    /// The derivatives at a sample, columns x directions; the first so many directions.
    fn row(&mut self, sample: &Sample, wanted: usize) -> Vec<f64> {
        let size = self.flow.size;
        let directions = 1 + self.flow.directions.len();
        // Only who asks for the direction of the time needs it.
        let rate = match wanted == directions {
            true => self.rate(sample),
            false => vec![0.0; size],
        };
        let y = [&sample.y[..], &rate].concat();
        let mut values = vec![0.0; self.table.outputs()];
        let count = values.len() / (1 + directions);
        if self
            .table
            .eval(&mut self.workspace, sample.t, &y, &mut values)
            .is_err()
        {
            values.fill(f64::NAN);
        }
        let at = |column: usize, d: usize| match column <= size {
            // Coordinates and velocities.
            true => y[size * (1 + d) + column - 1],
            false => self.places[column].map_or(f64::NAN, |i| values[count * (1 + d) + i]),
        };
        let columns = (1..self.kept.len()).filter(|column| self.kept[*column]);
        let row = columns.flat_map(|column| (0..wanted).map(move |d| (column, d)));
        row.map(|(column, d)| at(column, d)).collect()
    }
}

/// The implicit function theorem at the place where `g = 0` ended the motion.
fn event(
    flow: &TangentFlow<'_, '_>,
    reader: &mut Reader<'_, '_, '_>,
    stop: usize,
    last: &Sample,
) -> Result<EventSensitivity, Error> {
    let names = flow.directions.len();
    let gap = flow
        .equations
        .tangents(&[&stop_output(stop)], &with_time(flow))?;
    let y = [last.y.clone(), reader.rate(last)].concat();
    let mut values = vec![0.0; gap.outputs()];
    let known = gap.eval(&mut reader.workspace, last.t, &y, &mut values);
    known.map_err(|error| Error::from(*error))?;
    let rate = values[1 + names];
    // A motion that only touches the surface leaves the time without a derivative.
    let time: Vec<f64> = (0..names).map(|d| finite(-values[1 + d] / rate)).collect();
    let all = reader.row(last, names + 1);
    let moved = |row: &[f64]| -> Vec<f64> {
        let pairs = row[..names].iter().zip(&time);
        pairs
            .map(|(at_fixed_time, dt)| at_fixed_time + row[names] * dt)
            .collect()
    };
    Ok(EventSensitivity {
        condition: flow.p.model.simulate.stop[stop].text.clone(),
        values: all.chunks(names + 1).flat_map(moved).collect(),
        time,
    })
}

fn finite(x: f64) -> f64 {
    if x.is_finite() { x } else { f64::NAN }
}
