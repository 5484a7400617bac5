//! How inputs act on small deviations, and what outputs see of them.

use super::reduction::Reduction;
use super::{Linearizer, OperatingPoint, check_regular};
use crate::motion::samples::{COLUMNS, all_columns};
use crate::states::given_states::State;
use crate::states::varied::Varied;
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_expr::Sketch;
use appell_flow::{Direction, Interpreter};
use appell_mech::output;
use appell_model::expression_of_output;
use serde::Serialize;

/// `B`, `C`, `D` of `xi' = A xi + B u` and `y = C xi + D u`, for deviations `u` of the inputs from their values and
/// `y` of the outputs from theirs. Exact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ControlMatrices {
    /// The names of `u`.
    pub inputs: Vec<String>,
    /// `B`, a row for each deviation.
    #[serde(rename = "B")]
    pub b: Vec<Vec<f64>>,
    /// The names of `y`.
    pub outputs: Vec<String>,
    /// `C`, a row for each output.
    #[serde(rename = "C")]
    pub c: Vec<Vec<f64>>,
    /// `D`, a row for each output.
    #[serde(rename = "D")]
    pub d: Vec<Vec<f64>>,
}

/// A deviation of the state or of an input.
struct Deviation {
    /// Of the carrier's state.
    state: Vec<f64>,
    /// Of parameters and inputs.
    direction: Direction,
    /// Of coordinates and velocities.
    velocities: Vec<f64>,
}

/// `xi' = A(t) xi + B(t) u` along a motion: for deviations from its states and inputs, in the same independent
/// coordinates and velocities all along.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinearizationAlong {
    /// The times of the states.
    pub times: Vec<f64>,
    /// The names of `xi`.
    pub state_names: Vec<String>,
    /// The names of `u`.
    pub inputs: Vec<String>,
    /// `A`, row by row, for each state.
    #[serde(rename = "A")]
    pub a: Vec<Vec<Vec<f64>>>,
    /// `B`, row by row, for each state.
    #[serde(rename = "B")]
    pub b: Vec<Vec<Vec<f64>>>,
}

/// The linear equations about each of some states of a motion, which need not be steady. The independent coordinates
/// and velocities are those of the first state: since they stay, `P N' = 0` and `A = P X_x N` for every motion.
///
/// # Errors
/// No state; one off the constraints, singular, or where those independent ones are not independent.
pub fn linearize_along(p: &Prepared<'_>, states: &[State]) -> Result<LinearizationAlong, Error> {
    let linearizer = Linearizer::new(p)?;
    let [first, ..] = states else {
        return Err(Error::argument("there is no state to linearise about"));
    };
    let begin = linearizer.place(p, Some(first))?;
    let reduction = Reduction::new(p, &begin, linearizer.equations.carrier)?;
    let inputs = inputs_of(p);
    let rest = vec![0.0; begin.y.len()];
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for state in states {
        let at = linearizer.place(p, Some(state))?;
        check_regular(p, &at)?;
        let local = linearizer.local(p, &at, &reduction)?;
        let size = reduction.independent.len();
        a.push(
            local
                .matrix
                .chunks(size.max(1))
                .map(<[f64]>::to_vec)
                .collect(),
        );
        let rate = |(i, _): &(usize, String)| {
            let direction = Varied::Parameter(*i).direction(p);
            let program = (&linearizer.field, linearizer.rank);
            changes(program, at.t, (&at.y, &rest), &direction)
        };
        let rates: Result<Vec<Vec<f64>>, Error> = inputs.iter().map(rate).collect();
        b.push(rows_of(&reduction, &rates?));
    }
    let names = reduction.independent.iter();
    Ok(LinearizationAlong {
        times: states.iter().map(|state| state.t).collect(),
        state_names: names.map(|i| linearizer.names[*i].clone()).collect(),
        inputs: inputs.into_iter().map(|(_, name)| name).collect(),
        a,
        b,
    })
}

/// The inputs by their places among the parameters.
fn inputs_of(p: &Prepared<'_>) -> Vec<(usize, String)> {
    let all = p.model.parameters.iter().enumerate();
    let inputs = all.filter(|(_, parameter)| parameter.is_input);
    inputs
        .map(|(i, parameter)| (i, parameter.name.clone()))
        .collect()
}

/// The independent rows of columns.
fn rows_of(reduction: &Reduction, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |i: &usize| columns.iter().map(|column| column[*i]).collect();
    reduction.independent.iter().map(row).collect()
}

pub(super) fn matrices(
    linearizer: &Linearizer<'_>,
    p: &Prepared<'_>,
    at: &OperatingPoint,
    outputs: &[String],
) -> Result<ControlMatrices, Error> {
    let reduction = Reduction::new(p, at, linearizer.equations.carrier)?;
    let still = Direction::of_state(p.parameters.len());
    let of_state = reduction.basis(p, at)?;
    let of_state = of_state.into_iter().map(|state| (state, still.clone()));
    let inputs = inputs_of(p);
    let size = at.y.len();
    let of_inputs = inputs
        .iter()
        .map(|(i, _)| (vec![0.0; size], Varied::Parameter(*i).direction(p)));
    let table = Table::new(linearizer, p)?;
    let deviations: Result<Vec<Deviation>, Error> = of_state
        .chain(of_inputs)
        .map(|(state, direction)| table.deviation(at, state, direction))
        .collect();
    let deviations = deviations?;
    let (states, driven) = deviations.split_at(deviations.len() - inputs.len());
    let field = (&linearizer.field, linearizer.rank);
    let rate = |u: &Deviation| changes(field, at.t, (&at.y, &u.state), &u.direction);
    let rates: Result<Vec<Vec<f64>>, Error> = driven.iter().map(rate).collect();
    let rates = rates?;
    let names = match outputs.is_empty() {
        true => table.columns[1..=2 * p.system.n()].to_vec(),
        false => outputs.to_vec(),
    };
    let by = |name: &String| table.output(p, at, &deviations, name);
    let rows: Result<Vec<Vec<f64>>, Error> = names.iter().map(by).collect();
    let parted = rows?.into_iter().map(|mut row: Vec<f64>| {
        let by_inputs = row.split_off(states.len());
        (row, by_inputs)
    });
    let (c, d) = parted.unzip();
    Ok(ControlMatrices {
        inputs: inputs.into_iter().map(|(_, name)| name).collect(),
        b: rows_of(&reduction, &rates),
        outputs: names,
        c,
        d,
    })
}

/// The derivatives of a program, with rows of this rank, along a deviation.
fn changes(
    (program, rank): (&Interpreter, Option<usize>),
    t: f64,
    (y, dy): (&[f64], &[f64]),
    direction: &Direction,
) -> Result<Vec<f64>, Error> {
    let duals = program.duals_along(t, y, dy, direction, rank)?;
    Ok(duals.iter().map(|x| x.along(0)).collect())
}

/// The columns of a run's table as a program of the carrier's state.
struct Table {
    columns: Vec<String>,
    program: Interpreter,
    velocity: Interpreter,
    coordinates: usize,
    /// The rank of rows that depend on each other.
    rank: Option<usize>,
}

impl Table {
    fn new(linearizer: &Linearizer<'_>, p: &Prepared<'_>) -> Result<Table, Error> {
        let program = linearizer.equations.program(COLUMNS)?;
        let velocity = linearizer.equations.program(&[output::VELOCITY])?;
        Ok(Table {
            columns: all_columns(p, &linearizer.equations).0,
            program: Interpreter::new(program, &p.parameters),
            velocity: Interpreter::new(velocity, &p.parameters),
            coordinates: p.system.n(),
            rank: linearizer.rank,
        })
    }

    fn deviation(
        &self,
        at: &OperatingPoint,
        state: Vec<f64>,
        direction: Direction,
    ) -> Result<Deviation, Error> {
        let program = (&self.velocity, self.rank);
        let velocity = changes(program, at.t, (&at.y, &state), &direction)?;
        Ok(Deviation {
            velocities: [&state[..self.coordinates], &velocity].concat(),
            state,
            direction,
        })
    }

    /// The derivatives of an output along all deviations.
    fn output(
        &self,
        p: &Prepared<'_>,
        at: &OperatingPoint,
        deviations: &[Deviation],
        name: &str,
    ) -> Result<Vec<f64>, Error> {
        let n = self.coordinates;
        let place = self
            .columns
            .iter()
            .skip(1)
            .position(|column| column == name);
        match place {
            Some(place) if place < 2 * n => Ok(deviations
                .iter()
                .map(|deviation| deviation.velocities[place])
                .collect()),
            Some(place) => {
                let one = |deviation: &Deviation| {
                    let program = (&self.program, self.rank);
                    let found = changes(
                        program,
                        at.t,
                        (&at.y, &deviation.state),
                        &deviation.direction,
                    );
                    found.map(|values| values[place - n])
                };
                deviations.iter().map(one).collect()
            }
            None => {
                let id = expression_of_output(p.model, name).map_err(|why| {
                    let words = format!(
                        "the output `{name}` is neither a column of a run nor an expression: {}",
                        why.message
                    );
                    Error::argument(words)
                })?;
                let mut sketch = Sketch::new(p.system.graph);
                sketch.output_list("value", &[p.system.graph.ex(id)]);
                let program = p.compile(&sketch, &["value"]);
                let state = [&at.y[..n], &at.v].concat();
                let one = |deviation: &Deviation| {
                    let along = (&state[..], &deviation.velocities[..]);
                    Ok(changes((&program, None), at.t, along, &deviation.direction)?[0])
                };
                deviations.iter().map(one).collect()
            }
        }
    }
}
