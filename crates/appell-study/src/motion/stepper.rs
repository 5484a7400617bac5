//! A motion step by step, with inputs that are set between the steps: for control loops.

use crate::motion::choices::{RunOptions, derived_for, longest_step, settings};
use crate::motion::run::{initial_state, refuse_hopeless_start};
use crate::motion::sticking::without_idle_jumps;
use crate::states::charts::has_charts;
use crate::states::ranks::{row_rank, set_position_rank, workspace_of};
use crate::states::start::{start, start_at};
use crate::states::status::{Status, judge};
use crate::values::derived::fields::{Wanted, described, fields_of};
use crate::values::error::Error;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use appell_flow::backend::AUTO;
use appell_flow::method::DOP853;
use appell_flow::{
    Control, Drive, ExitKind, Field, Motion, Options, Outcome, integrate, quantities,
};
use appell_mech::output;
use appell_model::Code;
use std::sync::Arc;

/// A motion that is computed step by step. Each step is integrated as accurately as a run, by as many steps of
/// the method as it takes, and ends on the constraints.
pub struct Stepper {
    /// The names of the state.
    pub state_names: Vec<String>,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The names of the constraint rows.
    pub rows: Vec<String>,
    drive: Arc<Drive>,
    motion: Motion<'static, Box<dyn Field>>,
    /// Accelerations, then multipliers.
    answers: Box<dyn Field>,
    /// The rank of rows that depend on each other.
    rank: Option<usize>,
    coordinates: usize,
    settings: Options,
    dt: f64,
    begin: (f64, Vec<f64>),
    /// The time from which steps are counted, and how many there were.
    origin: (f64, usize),
    t: f64,
    y: Vec<f64>,
    values: Vec<f64>,
    stopped_by: Option<String>,
    steps: usize,
}

/// The start, from which something can move, with the rank of the constraint rows.
pub(crate) fn regular_start(
    p: &Prepared<'_>,
    options: &RunOptions,
) -> Result<(Start, Option<usize>), Error> {
    let start = match &options.start {
        Some(state) => start_at(p, state)?,
        None => start(p)?,
    };
    let judgement = judge(p, start.t, &start.q, &start.v, start.z.as_deref());
    refuse_hopeless_start(p, &start, &judgement)?;
    match judgement.status {
        Status::Singular => {
            let why = judgement.why.unwrap_or_default();
            Err(Error::no_value(format!("the start is singular: {why}")))
        }
        _ => Ok((start, judgement.generic_rank)),
    }
}

impl Stepper {
    /// Makes a model ready to be stepped by `dt`, from its start or that of the options; of these form, start and
    /// tolerances are heeded.
    ///
    /// # Errors
    /// A step that is no positive number, a start that cannot be used, a form that changes its independent
    /// velocities.
    pub fn new(p: &Prepared<'_>, dt: f64, options: &RunOptions) -> Result<Self, Error> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(Error::argument(format!("dt = {dt}: give a number > 0")));
        }
        let p = p.driven(Vec::new())?;
        let names: Vec<String> = p.model.inputs().map(|input| input.name.clone()).collect();
        let values = p.parameters[p.parameters.len() - names.len()..].to_vec();
        let Some(drive) = p.parameters.drive().map(Arc::clone) else {
            return Err(Error::argument("the model cannot be driven"));
        };
        let equations = derived_for(&p, options.form)?;
        if has_charts(&equations) {
            let id = equations.formalism.id;
            let why = format!("the form `{id}` changes its independent velocities on the way");
            return Err(Error::question(Code::NotAllowed, why));
        }
        let (start, rank) = regular_start(&p, options)?;
        let mut y = initial_state(&p, &equations, &start)?;
        y.truncate(equations.state.len());
        let mut motion = described(&equations, &p.system, &p.constraints, &[], rank);
        set_position_rank(&p, &mut motion, rank);
        without_idle_jumps(&p, &mut motion);
        motion.field = Wanted::Values(vec![output::RATE.to_owned()]);
        motion.energy = None;
        let field = |wanted: &Wanted| wanted.field(&AUTO, |names| fields_of(&equations, names));
        let answers = Wanted::Values([output::ACCEL, output::LAMBDA].map(str::to_owned).to_vec());
        let asked = RunOptions {
            until: Some(start.t + dt),
            times: Some(Vec::new()),
            ..options.clone()
        };
        let settings = Options {
            first: Some(dt),
            drive: None,
            // Inputs do not vary within a step.
            max_step: longest_step(&p, dt, false, p.model.simulate.max_step),
            ..settings(&p, &asked, start.t)?
        };
        let rows = p.constraints.rows.iter();
        Ok(Self {
            state_names: equations.input_names(),
            inputs: names,
            rows: rows.map(|row| row.name.clone()).collect(),
            motion: motion.try_map(field)?,
            answers: field(&answers)?,
            rank: row_rank(&p),
            coordinates: p.system.n(),
            drive,
            settings,
            dt,
            origin: (start.t, 0),
            t: start.t,
            begin: (start.t, y.clone()),
            y,
            values,
            stopped_by: None,
            steps: 0,
        })
    }

    /// The time.
    pub fn t(&self) -> f64 {
        self.t
    }

    /// The state.
    pub fn state(&self) -> &[f64] {
        &self.y
    }

    /// The values of the inputs, in the order of their names.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many steps of the method the last step took.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The stop condition that ended the last step before its time.
    pub fn stopped_by(&self) -> Option<&str> {
        self.stopped_by.as_deref()
    }

    /// Sets an input from now on.
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn set(&mut self, input: usize, value: f64) -> Result<(), Error> {
        let name = &self.inputs[input];
        if !value.is_finite() {
            let why = format!("input `{name}` = {value} is not a finite number");
            return Err(Error::argument(why));
        }
        if value != self.values[input] && self.settings.left.is_none() {
            self.settings.left = Some(self.quantities());
        }
        self.drive.set(input, value);
        self.values[input] = value;
        Ok(())
    }

    /// The quantities of the stop conditions at the state; NaN where one has no value.
    fn quantities(&self) -> Vec<f64> {
        let gaps = self.motion.stops.iter().map(|stop| &*stop.gap);
        quantities(gaps, &mut workspace_of(self.rank), self.t, &self.y)
    }

    /// Goes on by one step with the inputs as they are. Where a stop condition is met it ends there, and steps are
    /// counted from there.
    ///
    /// # Errors
    /// A motion that ends before, in words; the state is then the last that was reached.
    pub fn step(&mut self) -> Result<(), Error> {
        self.step_with(&mut Control::default())
    }

    /// The same with a `control`. A step that it interrupts is no step yet: the next one goes on to its end.
    ///
    /// # Errors
    /// As [`step`](Self::step); an interruption.
    pub fn step_with(&mut self, control: &mut Control<'_>) -> Result<(), Error> {
        let (origin, count) = self.origin;
        let until = origin + (count + 1) as f64 * self.dt;
        let exit = self.go(until, control);
        if !matches!(exit, Err((ExitKind::Interrupted, _))) {
            self.origin.1 += 1;
        }
        exit.map_err(|(_, why)| why)?;
        if self.stopped_by.is_some() {
            self.origin = (self.t, 0);
        }
        Ok(())
    }

    /// Goes back to the start, or on from another state, which is moved on to the constraints by rounding only.
    ///
    /// # Errors
    /// A state of another length, or off the constraints.
    pub fn reset(&mut self, t: Option<f64>, state: Option<&[f64]>) -> Result<(), Error> {
        let (given, needed) = (state.map_or(self.y.len(), <[f64]>::len), self.y.len());
        if given != needed {
            let why = format!("the state has {given} numbers, {needed} are needed");
            return Err(Error::argument(why));
        }
        let before = (self.t, self.y.clone());
        (self.t, self.y) = match state {
            Some(y) => (t.unwrap_or(self.t), y.to_vec()),
            None => (t.unwrap_or(self.begin.0), self.begin.1.clone()),
        };
        if let Err((_, why)) = self.go(self.t, &mut Control::default()) {
            (self.t, self.y) = before;
            return Err(why);
        }
        self.origin = (self.t, 0);
        Ok(())
    }

    /// The accelerations, then the multipliers, at the state with the inputs as they are.
    ///
    /// # Errors
    /// A singular state.
    pub fn answers(&self) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let mut out = vec![0.0; self.answers.outputs()];
        let state = &self.y[..self.answers.inputs()];
        let workspace = &mut workspace_of(self.rank);
        let answer = self.answers.eval(workspace, self.t, state, &mut out);
        answer.map_err(|error| Error::from(*error))?;
        let multipliers = out.split_off(self.coordinates);
        Ok((out, multipliers))
    }

    /// Goes on to a time; or how the motion ended before, and that in words.
    fn go(&mut self, until: f64, control: &mut Control<'_>) -> Result<(), (ExitKind, Error)> {
        self.settings.until = until;
        let fields = self.motion.map(|field| &**field);
        let motion = Motion {
            names: &self.state_names,
            ..fields
        };
        let (t, settings) = (self.t, &self.settings);
        let mut found = integrate(&motion, &DOP853, t, &self.y, settings, control);
        if let Some(last) = found.samples.pop() {
            (self.t, self.y) = (last.t, last.y);
        }
        self.settings.left = None;
        self.steps = found.steps;
        self.stopped_by = match &found.outcome {
            Outcome::Stopped { condition, .. } => Some(condition.clone()),
            _ => None,
        };
        match found.outcome.exit_kind() {
            ExitKind::Done => Ok(()),
            kind => Err((kind, Error::no_value(found.outcome.to_string()))),
        }
    }
}
