//! The flow of a motion together with that of small deviations from it: the equations of variation.

use crate::motion::chart_changes::{joined, rest_of, without_last};
use crate::motion::choices::{RunOptions, settings};
use crate::motion::saltation::{Surface, across};
use crate::motion::sticking::without_idle_jumps;
use crate::states::charts::is_in_velocities;
use crate::values::derived::Derived;
use crate::values::derived::fields::{Wanted, described, fields_of};
use crate::values::error::Error;
use crate::values::inputs::quantities_of_inputs;
use crate::values::prepared::Prepared;
use appell_expr::{Function, Operation, Program, Slot, Statement};
use appell_flow::backend::AUTO;
use appell_flow::method::DOP853;
use appell_flow::{
    Compiled, Control, CrossingSense, Direction, Field, Formula, Interpreter, Joined, Motion,
    Options, Outcome, Sample, Stop, Trajectory, Workspace, integrate, quantities,
};
use appell_mech::output;
use appell_model::Code;
use std::rc::Rc;
use std::sync::Arc;

/// The states `(q, v)` of a motion and behind each the deviations `w` from it, one for each direction:
/// `w' = X_x w + X_p dp`, with the exact derivatives of the field `X`. They stay tangent to the constraints, for on
/// every motion of the field the rows are constants.
pub(crate) struct TangentFlow<'p, 'g> {
    pub p: &'p Prepared<'g>,
    pub equations: Rc<Derived<'g>>,
    pub directions: Vec<Direction>,
    pub settings: Options,
    /// Of the state, then of its deviations.
    names: Vec<String>,
    /// The components of a state.
    pub size: usize,
    motion: Motion<'static, Box<dyn Field>>,
    field: Rc<Interpreter>,
    /// Quantities at whose zeros the field may jump, the last stops of the motion.
    surfaces: Vec<Surface>,
}

impl<'p, 'g> TangentFlow<'p, 'g> {
    /// Compiles the flow; `rank` is that of the constraint rows where it is known.
    ///
    /// # Errors
    /// A form whose state is not `(q, v)`; an input whose derivatives are not known.
    pub fn new(
        p: &'p Prepared<'g>,
        options: &RunOptions,
        (t, rank): (f64, Option<usize>),
        directions: Vec<Direction>,
    ) -> Result<Self, Error> {
        check_inputs(p)?;
        let equations = form_of_states(p, options)?;
        let field = fields_of(&equations, &[output::RATE])?;
        let tangents = equations.tangents(&[output::RATE], &directions)?;
        let mut motion = described(&equations, &p.system, &p.constraints, &[], rank);
        without_idle_jumps(p, &mut motion);
        motion.field = Wanted::Values(vec![output::RATE.to_owned()]);
        motion.energy = None;
        let field_of = |wanted: &Wanted| wanted.field(&AUTO, |names| fields_of(&equations, names));
        let mut motion = motion.try_map(field_of)?;
        motion.field = Box::new(tangents);
        motion.velocities = None;
        let settings = settings(p, options, t)?;
        let mut surfaces = Vec::new();
        for gap in signs(&field) {
            let name = surface_name(surfaces.len());
            motion.stops.push(stop(compiled(&gap)?, name));
            surfaces.push(Surface::OfField(gap));
        }
        let drive = settings.drive.clone();
        for (drive, index) in drive
            .iter()
            .flat_map(|driver| (0..driver.switches().count()).map(move |i| (driver, i)))
        {
            let (source, n) = (Arc::clone(drive), p.system.n());
            let value = move |t: f64, y: &[f64], out: &mut [f64]| {
                out[0] = source
                    .switches()
                    .nth(index)
                    .map_or(f64::NAN, |switch| (switch.value)(t, y));
            };
            let name = surface_name(surfaces.len());
            motion
                .stops
                .push(stop(Box::new(Formula::new(2 * n, 1, value)), name));
            surfaces.push(Surface::OfInputs(Arc::clone(drive), index));
        }
        let state = equations.input_names();
        let size = state.len();
        let deviation = |d: usize| state.iter().map(move |name| format!("d{d} {name}"));
        let deviations: Vec<String> = (1..=directions.len()).flat_map(deviation).collect();
        Ok(Self {
            settings,
            names: [state, deviations].concat(),
            p,
            equations,
            directions,
            size,
            motion,
            field,
            surfaces,
        })
    }

    /// Integrates from a state with its deviations, and on from where the field jumps.
    pub fn integrate(
        &self,
        t: f64,
        y: &[f64],
        settings: &Options,
        control: &mut Control<'_>,
    ) -> Trajectory {
        let mut motion = Motion {
            names: &self.names,
            ..self.motion.map(|field| &**field)
        };
        let [_, narrow, peaks] = quantities_of_inputs(self.p);
        let narrow = Joined::of(motion.narrow, &narrow);
        let peaks = Joined::of(motion.peaks, &peaks);
        [motion.narrow, motion.peaks] = [narrow.if_any(), peaks.if_any()];
        let mut found = integrate(&motion, &DOP853, t, y, settings, control);
        let (mut begin, mut steps) = (t, 0);
        while let Some(surface) = self.jump_met(&found.outcome) {
            let Some(last) = found.samples.last().cloned() else {
                break;
            };
            let mean = (last.t - begin) / (found.steps - steps).max(1) as f64;
            let place = (last.t, &last.y[..]);
            let behind = across(
                &self.surfaces,
                surface,
                &self.field,
                place,
                &self.directions,
                mean,
            );
            let Some((now, y)) = behind.filter(|_| mean != 0.0) else {
                found.outcome = Outcome::Unsuitable {
                    at: found.outcome.at().clone(),
                    method: found.method,
                    why: JUMPS.to_owned(),
                };
                break;
            };
            (begin, steps) = (now, found.steps);
            let mut rest = rest_of(settings, t, last.t);
            rest.left = Some(self.left_before(&motion, (last.t, &last.y), (now, &y)));
            let before = |sample: &f64| (now - sample) * mean >= 0.0;
            let passed = rest.samples.iter().take_while(|time| before(time)).count();
            found = without_last(found, &settings.samples);
            found
                .samples
                .extend(rest.samples.drain(..passed).map(|t| Sample {
                    t,
                    y: y.clone(),
                    ..last.clone()
                }));
            let part = integrate(&motion, &DOP853, now, &y, &rest, control);
            found = joined(Some(found), part);
        }
        found
    }

    /// The quantities of the conditions before a jump, as [`Options::left`]: a stop that becomes true by it is met; the surfaces
    /// have been.
    fn left_before(
        &self,
        motion: &Motion<'_>,
        before: (f64, &[f64]),
        behind: (f64, &[f64]),
    ) -> Vec<f64> {
        let of = |(t, y): (f64, &[f64])| {
            let gaps = motion.conditions().map(|condition| condition.gap);
            quantities(gaps, &mut Workspace::default(), t, y)
        };
        let (mut left, behind) = (of(before), of(behind));
        let first = self.motion.stops.len() - self.surfaces.len();
        left[first..].copy_from_slice(&behind[first..]);
        left
    }

    /// The surface at which a motion ended, for the field may jump there.
    fn jump_met(&self, outcome: &Outcome) -> Option<usize> {
        let Outcome::Stopped { condition, .. } = outcome else {
            return None;
        };
        (0..self.surfaces.len()).find(|place| *condition == surface_name(*place))
    }

    /// The stop of the model that ended a motion.
    pub fn stopped_by(&self, outcome: &Outcome) -> Option<usize> {
        let Outcome::Stopped { condition, .. } = outcome else {
            return None;
        };
        let stops = &self.p.model.simulate.stop;
        stops.iter().position(|stop| stop.text == *condition)
    }

    /// The rate of a state with its deviations.
    pub fn field(&self) -> &dyn Field {
        &*self.motion.field
    }
}

/// The first form whose state is `(q, v)`, or that of the options.
fn form_of_states<'g>(p: &Prepared<'g>, options: &RunOptions) -> Result<Rc<Derived<'g>>, Error> {
    let found = match options.form {
        Some(form) => {
            let equations = p.form(form)?;
            let words = format!(
                "deviations are computed in forms whose state is (q, v), such as `multipliers`, not in `{}`",
                form.id
            );
            return match is_in_velocities(&equations) {
                true => Ok(equations),
                false => Err(Error::question(Code::NotAllowed, words)),
            };
        }
        None => p.forms().find(|form| is_in_velocities(form)),
    };
    found.ok_or_else(|| {
        let words = "no form whose state is (q, v) applies to this model: its deviations cannot be computed";
        Error::question(Code::NotAllowed, words)
    })
}

fn check_inputs(p: &Prepared<'_>) -> Result<(), Error> {
    let Some(drive) = p.parameters.drive() else {
        return Ok(());
    };
    let inputs = p
        .model
        .parameters
        .iter()
        .filter(|parameter| parameter.is_input);
    let mut unknown = inputs
        .zip(drive.sources())
        .filter(|(_, source)| !source.is_differentiable());
    match unknown.next() {
        None => Ok(()),
        Some((parameter, _)) => Err(Error::argument(format!(
            "the derivatives of the function that drives the input `{}` are not known: give an expression or samples",
            parameter.name
        ))),
    }
}

/// Why deviations are not known beyond a place.
const JUMPS: &str =
    "the equations jump there, at a `sign`, and their derivatives are not known beyond";

/// The text of the stop at a surface, which is no condition that a user could write.
fn surface_name(place: usize) -> String {
    format!("surface {place} of the field")
}

/// Where the field may jump, at sign changes of what stands in a `sign`: there the deviations would jump too.
pub(crate) fn jumps(field: &Interpreter) -> Result<Vec<Stop<Box<dyn Field>>>, Error> {
    let all = signs(field).into_iter();
    all.map(|gap| Ok(stop(compiled(&gap)?, JUMPS.to_owned())))
        .collect()
}

fn compiled(gap: &Interpreter) -> Result<Box<dyn Field>, Error> {
    let gap = Compiled::of(gap.program(), gap.parameters(), &AUTO);
    Ok(Box::new(gap.map_err(|why| Error::argument(why.0))?))
}

fn stop(gap: Box<dyn Field>, text: String) -> Stop<Box<dyn Field>> {
    Stop {
        gap,
        crossing: CrossingSense::Either,
        deepest: false,
        impassable: false,
        text,
    }
}

/// What stands in a `sign` of a field, and the ordinates of `atan2`, where this has its cut.
fn signs(field: &Interpreter) -> Vec<Interpreter> {
    let program = field.program();
    let calls = program
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Let(_, Operation::Call(Function::Sign | Function::Atan2, arguments)) => {
                arguments.first().copied()
            }
            _ => None,
        });
    let mut slots: Vec<Slot> = calls.collect();
    slots.dedup();
    let surface = |slot: Slot| {
        let gap = Program {
            outputs: vec![appell_expr::Output {
                name: "gap".to_owned(),
                rows: 1,
                columns: 1,
                slots: vec![slot],
            }],
            ..program.clone()
        };
        Interpreter::new(gap, field.parameters().clone())
    };
    slots.into_iter().map(surface).collect()
}
