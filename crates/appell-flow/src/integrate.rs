//! The integration of a motion: steps, projections, samples, conditions, the rank monitor.

mod shortened;

use crate::control::{by_clock, least_step, part_of_step};
use crate::dependent_rows::DependentRows;
use crate::evaluation::{EvalError, Workspace};
use crate::field::evaluate;
use crate::interpolant::Interpolant;
use crate::method::{Method, Problem};
use crate::motion::{Control, Motion, Options};
use crate::narrow::Narrow;
use crate::outcome::{Outcome, Place};
use crate::project::Projector;
use crate::rank_monitor::{Finding, RankMonitor};
use crate::rules::{FAR, OFF, ROUNDING, STRETCH};
use crate::step::{Span, Stepper};
use crate::stop::{Beginning, corners, crossings, deepest, first_negative, first_stop, quantities};
use crate::switching::{Switching, jump};
use crate::trajectory::{Record, Sample, Trajectory};
use crate::trial::{AcceptedStep, Ending, MissedRow, Refusal};
use appell_expr::limits::{Why, stopped};

/// Integrates `motion` from `(t, y)` with a method and reports samples and outcome.
///
/// After each accepted step, and at each reported sample, the state is projected to the manifold; the
/// field is evaluated anew at the projected state, and the dense output of the step ends there.
/// `y` must have as many components as the field has outputs; the start should lie on the manifold to
/// rounding (it is projected once).
pub fn integrate(
    motion: &Motion,
    method: &'static Method,
    t: f64,
    y: &[f64],
    options: &Options,
    control: &mut Control,
) -> Trajectory {
    let problem = Problem {
        motion,
        options,
        start: (t, y),
    };
    let stepper = match (method.stepper)(&problem) {
        Ok(stepper) => stepper,
        Err(why) => return Trajectory::unsuitable(motion.names, method.id, t, y, why.0),
    };
    let mut run = Run::new(motion, stepper, t, y, options);
    let outcome = match run.start(control) {
        Ok(mut tools) => run.march(&mut tools, control),
        Err(outcome) => outcome,
    };
    run.finish(method, outcome, control)
}

/// A step after so much of which the motion is to be left is taken as it is.
const NEARLY: f64 = 0.9;
/// So many steps are refused one after the other before a motion is given up: halves of any step end long before.
const MOST_REFUSED: u32 = 2_000;

/// The state of a running integration.
struct Run<'a> {
    motion: &'a Motion<'a>,
    options: &'a Options,
    stepper: Box<dyn Stepper + 'a>,
    workspace: Workspace,
    first: f64,
    /// The end of the piece in which the inputs are smooth.
    edge: f64,
    t: f64,
    y: Vec<f64>,
    /// The size of the energy at the start.
    energy: f64,
    /// The end of the trial step.
    end: Vec<f64>,
    /// The tolerance of each component over the step.
    scale: Vec<f64>,
    /// The next step, with its sign.
    h: f64,
    /// The length of the step after which the motion is left, once that is known.
    last: Option<f64>,
    /// How many steps were refused since the last one that was taken.
    refused: u32,
    /// The quantities of all conditions before an input may have jumped, until a step is taken.
    left: Option<Vec<f64>>,
    switching: Switching,
    narrow: Narrow,
    /// What rows that depend on others may miss.
    dependent: DependentRows,
    next_sample: usize,
    /// The first sample of the stream that was not handed out yet, and the time of the last that was.
    next_handed: usize,
    handed: Option<f64>,
    /// The time of that first sample.
    due: Option<f64>,
    trajectory: Record,
}

/// What is known once the start has been examined.
struct Tools<'a> {
    projector: Projector<'a>,
    monitor: Option<RankMonitor<'a>>,
}

impl<'a> Run<'a> {
    fn new(
        motion: &'a Motion<'a>,
        stepper: Box<dyn Stepper + 'a>,
        t: f64,
        y: &[f64],
        options: &'a Options,
    ) -> Run<'a> {
        let mut energy = [0.0_f64];
        let known = motion.energy.is_some_and(|field| {
            field.inputs() <= y.len()
                && evaluate(field, &mut Workspace::default(), t, y, &mut energy).is_ok()
        });
        Run {
            energy: if known { energy[0].abs() } else { 0.0 },
            motion,
            options,
            stepper,
            workspace: Workspace::default(),
            first: t,
            edge: options.until,
            t,
            y: y.to_vec(),
            end: y.to_vec(),
            scale: vec![0.0; y.len()],
            h: 0.0,
            last: None,
            refused: 0,
            left: options.left.clone(),
            switching: Switching::default(),
            narrow: Narrow::default(),
            dependent: DependentRows::new(motion, options),
            next_sample: 0,
            next_handed: 0,
            due: None,
            handed: None,
            trajectory: Record::default(),
        }
    }

    /// Examines the start: projection, rank, first slope, first step.
    fn start(&mut self, control: &mut Control) -> Result<Tools<'a>, Outcome> {
        self.check_input().map_err(|error| self.error(error))?;
        self.end.clone_from(&self.y);
        self.measure();
        self.enter_piece();
        let tools = self.tools().map_err(|error| self.error(error))?;
        self.record_samples(None);
        self.hand_out(None, control);
        if let Some((monitor, s)) = tools.1.as_ref().filter(|(monitor, s)| monitor.singular(*s)) {
            return Err(Outcome::Singular {
                at: self.place(),
                rank: monitor.rank,
                sigma: *s,
            });
        }
        self.stepper
            .start(self.t, &self.y)
            .map_err(|error| self.error(error))?;
        let limit = self.limit();
        if limit != 0.0 {
            self.h = match self.options.first {
                Some(first) => first.min(limit.abs()).copysign(limit),
                None => self.stepper.first_step(self.t, &self.y, limit, &self.scale),
            };
            self.begin_beside_jump(limit);
        }
        Ok(Tools {
            projector: tools.0,
            monitor: tools.1.map(|(monitor, _)| monitor),
        })
    }

    /// From here on the inputs are smooth up to the edge.
    fn enter_piece(&mut self) {
        let Options { until, drive, .. } = self.options;
        if let Some(drive) = drive {
            self.edge = drive.enter(self.t, &self.y[..self.motion.names.len()], *until);
        }
    }

    fn check_input(&self) -> Result<(), EvalError> {
        let start = self.y.iter().chain([&self.t]).all(|x| x.is_finite());
        let end = self.options.until.is_finite();
        let what = match (start, end) {
            (true, true) => return Ok(()),
            (false, _) => "the start",
            (true, false) => "the last time",
        };
        Err(EvalError::NotFinite {
            what: what.to_owned(),
        })
    }

    /// Projects the start to rounding and fixes the ranks.
    fn tools(&mut self) -> Result<(Projector<'a>, Option<(RankMonitor<'a>, f64)>), EvalError> {
        let mut projector = Projector::new(self.motion, self.t, &self.y)?;
        let mut start = self.y.clone();
        let correction = projector.project(self.t, &mut start, &self.scale)?;
        if correction.before > OFF {
            let what = "the constraints and the initial state".to_owned();
            return Err(EvalError::Inconsistent { what });
        }
        self.y = start;
        self.trajectory.max_residual = correction.after;
        self.dependent.starts_with(correction.dependent);
        let monitored = self
            .motion
            .monitored
            .as_ref()
            .filter(|_| self.options.monitored);
        let monitor = match monitored.filter(|monitored| monitored.jacobian.outputs() > 0) {
            Some(monitored) => Some(RankMonitor::new(monitored, self.t, &self.y)?),
            None => None,
        };
        Ok((projector, monitor))
    }

    /// Steps until the end or an outcome before it.
    fn march(&mut self, tools: &mut Tools<'a>, control: &mut Control) -> Outcome {
        while self.t != self.options.until {
            if control.cancelled() {
                let at = self.place();
                return match stopped() {
                    Some(why @ (Why::Time | Why::Memory)) => Outcome::OverBudget { at, why },
                    _ => Outcome::Interrupted { at },
                };
            }
            let budget = self.options.max_steps;
            if self.trajectory.steps + self.trajectory.rejected >= budget {
                return Outcome::StepsExhausted {
                    at: self.place(),
                    steps: budget,
                };
            }
            let outcome = match self.attempt(tools) {
                Ok(accepted) => self.accept(tools, accepted, control),
                Err(refusal) => self.refuse(refusal),
            };
            if let Some(outcome) = outcome {
                return outcome;
            }
            control.report((self.t - self.first) / (self.options.until - self.first));
        }
        Outcome::Finished { at: self.place() }
    }

    /// Tries a step: its end, error and projection, and what happens within it.
    fn attempt(&mut self, tools: &mut Tools<'a>) -> Result<AcceptedStep, Refusal> {
        let h = self.clipped();
        self.stepper.trial(self.t, &self.y, h, &mut self.end)?;
        self.measure();
        let error = self.stepper.error(h, &self.scale);
        self.look_for_jumps(h, error)?;
        let good = error <= 1.0 || self.switching.crosses() && error.is_finite();
        if !good {
            return Err(Refusal::Error(error));
        }
        self.look_for_narrow_places(h)?;
        let end = self.t + h;
        let correction = tools.projector.project(end, &mut self.end, &self.scale)?;
        if correction.length > FAR && correction.before > ROUNDING {
            return Err(Refusal::Far(correction));
        }
        let place = (end, &self.end[..]);
        let projected = (&tools.projector, &correction);
        let missed = self.dependent.missed(self.motion, place, projected)?;
        if let Some(missed) = missed {
            self.dependent.refuse(end);
            return Err(Refusal::Missed(missed));
        }
        let span = Span::new(self.t, h, &self.y, &self.end);
        self.stepper.complete(&span)?;
        let leaves = match self.left_within(h)? {
            _ if self.last == Some(h) => true,
            Some(place) if place < NEARLY => return Err(Refusal::Beyond(place * h)),
            place => place.is_some(),
        };
        let ending = self.ending(tools, h)?;
        Ok(AcceptedStep {
            h,
            error,
            correction,
            ending,
            leaves,
        })
    }

    /// The first thing that ends the motion within the completed step. The dense output is made ready
    /// where something needs it.
    fn ending(&mut self, tools: &mut Tools<'a>, h: f64) -> Result<Option<Ending>, EvalError> {
        let span = Span::new(self.t, h, &self.y, &self.end);
        let kept = self.options.samples.get(self.next_sample).copied();
        let mut due = kept.into_iter().chain(self.due);
        let is_sampled = due.any(|time| (time - span.t) / h < 1.0);
        let mut suspicious = |stepper: &dyn Stepper| {
            let monitor = tools.monitor.as_mut();
            monitor.is_some_and(|monitor| !monitor.clear(&Interpolant { stepper, span }))
        };
        let stops = !self.motion.stops.is_empty();
        let examined = stops || suspicious(&*self.stepper);
        let watching = !self.motion.watched.is_empty();
        if examined || watching || is_sampled {
            self.stepper.extend(&span)?;
        }
        if !examined {
            return Ok(None);
        }
        let interpolant = Interpolant {
            stepper: &*self.stepper,
            span,
        };
        let (first, left) = (self.trajectory.steps == 0, self.left.as_deref());
        let begins = |index| Beginning::of(first, left, index);
        let corners = corners(
            self.motion.corners,
            &mut self.workspace,
            &interpolant,
            &self.scale,
        );
        let (conditions, along) = (&self.motion.stops, (&interpolant, &corners[..]));
        let stop = first_stop(conditions, &mut self.workspace, along, begins)?;
        if let Some(monitor) = &mut tools.monitor {
            let end = stop.map_or(1.0, |(_, place)| place);
            let clear = stops && stop.is_none() && monitor.clear(&interpolant);
            let finding = match clear {
                true => None,
                false => monitor.examine(&interpolant, end)?,
            };
            if let Some(finding) = finding {
                return Ok(Some(Ending::Rank(finding)));
            }
        }
        Ok(stop.map(|(index, place)| Ending::Stop(index, place)))
    }

    /// Takes the step: samples, ledger, the next step. An outcome if the motion ends within it.
    fn accept(
        &mut self,
        tools: &mut Tools<'a>,
        accepted: AcceptedStep,
        control: &mut Control,
    ) -> Option<Outcome> {
        let AcceptedStep {
            h,
            error,
            correction,
            ending,
            leaves,
        } = accepted;
        self.trajectory.steps += 1;
        self.refused = 0;
        self.narrow.taken();
        self.add_jump(h);
        let kept = ending.as_ref().map_or(1.0, Ending::kept);
        if let Err(error) = self.note_passed(tools, h, kept) {
            return Some(self.error(error));
        }
        self.left = None;
        self.record_samples(Some((&mut tools.projector, h, kept)));
        self.hand_out(Some((&mut tools.projector, h, kept)), control);
        if let Some(ending) = ending {
            return Some(self.end_within(tools, h, ending));
        }
        self.trajectory.projection_work += correction.work;
        self.trajectory.max_residual = self.trajectory.max_residual.max(correction.after);
        self.t = self.after(h);
        std::mem::swap(&mut self.y, &mut self.end);
        self.stepper.advance();
        self.trajectory.note_end(self.t, &self.y);
        self.dependent.pass(self.t, h);
        // A last step that was clipped says little about the next, but there is none.
        self.h = self.stepper.accepted(h, error, &self.scale);
        let jump = self.switching.taken(self.t, self.smallest());
        // Towards a pole every step may be taken while the time stands still.
        let shrinks = self.h.abs() < h.abs() && self.h.abs() <= self.smallest();
        if self.t == self.options.until {
            return None;
        }
        if self.t == self.edge {
            return self.next_piece(h);
        }
        if let Some((next, anew)) = jump {
            return self.beside_jump(h, next, anew);
        }
        if shrinks {
            let (at, step) = (self.place(), self.h);
            return Some(Outcome::Underflow { at, step });
        }
        let leave = self.motion.leave.as_ref().filter(|_| leaves)?;
        Some(Outcome::Stopped {
            at: self.place(),
            condition: leave.text.clone(),
        })
    }

    /// The time at the end of a step, which is that of the edge where the step leads to it.
    fn after(&self, h: f64) -> f64 {
        match h == self.edge - self.t {
            true => self.edge,
            false => self.t + h,
        }
    }

    /// Adds what jumps with the time in the step to its quadrature.
    fn add_jump(&mut self, h: f64) {
        let Some(switched) = &self.motion.switched else {
            return;
        };
        let ends = [(self.t, &*self.y), (self.after(h), &*self.end)];
        let least = least_step(self.t, self.limit());
        let jump = jump(switched.value, &mut self.workspace, ends, least);
        let place = self.motion.names.len() + switched.quadrature;
        if let Some(quadrature) = self.end.get_mut(place) {
            *quadrature += jump;
        }
    }

    /// Notes where watched conditions became true in the part `kept` of the completed step.
    fn note_passed(&mut self, tools: &mut Tools<'a>, h: f64, kept: f64) -> Result<(), EvalError> {
        if self.motion.watched.is_empty() {
            return Ok(());
        }
        let span = Span::new(self.t, h, &self.y, &self.end);
        let interpolant = Interpolant {
            stepper: &*self.stepper,
            span,
        };
        let (first, left) = (self.trajectory.steps == 1, self.left.as_deref());
        let corners = corners(
            self.motion.corners,
            &mut self.workspace,
            &interpolant,
            &self.scale,
        );
        let mut places = Vec::new();
        for (index, watched) in self.motion.watched.iter().enumerate() {
            let met = crossings(
                watched,
                &mut self.workspace,
                (&interpolant, &corners),
                Beginning::of(first, left, self.motion.stops.len() + index),
                usize::MAX,
            )?;
            for place in met {
                places.push((place, index));
                if watched.deepest {
                    let place = deepest(watched, &mut self.workspace, &interpolant, place)?;
                    places.push((place, index));
                }
            }
        }
        places.retain(|(place, _)| *place <= kept);
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (place, index) in places {
            let sample = self.sample(&mut tools.projector, h, place);
            self.trajectory.passed.push((index, sample));
        }
        Ok(())
    }

    /// Goes on where an input may have jumped: the method begins anew, with steps of the same length.
    fn next_piece(&mut self, h: f64) -> Option<Outcome> {
        let gaps = self.motion.conditions().map(|condition| condition.gap);
        self.left = Some(quantities(gaps, &mut self.workspace, self.t, &self.y));
        self.enter_piece();
        let begun = self.stepper.start(self.t, &self.y);
        self.h = self.h.abs().max(h.abs()).copysign(h);
        begun.err().map(|error| self.error(error))
    }

    /// The part of the completed step at which the motion is to be left, roughly, by cubic interpolation.
    fn left_within(&mut self, h: f64) -> Result<Option<f64>, EvalError> {
        let Some(leave) = &self.motion.leave else {
            return Ok(None);
        };
        let interpolant = Interpolant {
            stepper: &*self.stepper,
            span: Span::new(self.t, h, &self.y, &self.end),
        };
        first_negative(leave.gap, &mut self.workspace, &interpolant)
    }

    /// Steps shorter than this are below the rounding of the time.
    fn smallest(&self) -> f64 {
        least_step(self.t, self.limit())
    }

    /// Ends the motion within the completed step.
    fn end_within(&mut self, tools: &mut Tools<'a>, h: f64, ending: Ending) -> Outcome {
        let start = self.t;
        let dense = |run: &Run, place: f64| run.interpolant(h).state(place);
        let least = match ending {
            Ending::Rank(Finding::Drop { place, .. }) => Some((place, dense(self, place))),
            _ => None,
        };
        let kept = ending.kept();
        let sample = self.sample(&mut tools.projector, h, kept);
        self.trajectory.projection_work = sample.projection_work;
        self.t = sample.t;
        self.y = sample.y;
        let rank = tools.monitor.as_ref().map_or(0, |monitor| monitor.rank);
        match ending {
            Ending::Stop(index, _) => match &self.motion.stops[index] {
                stop if stop.impassable => Outcome::Impassable {
                    at: self.place(),
                    condition: stop.text.clone(),
                },
                stop => Outcome::Stopped {
                    at: self.place(),
                    condition: stop.text.clone(),
                },
            },
            Ending::Rank(Finding::Drop { sigma, .. }) => {
                let (place, state) = least.unwrap_or((kept, self.y.clone()));
                let at = self.named(start + place * h, &state);
                Outcome::Singular { at, rank, sigma }
            }
            Ending::Rank(Finding::Rise { .. }) => Outcome::RankRose {
                at: self.place(),
                rank,
            },
            Ending::Rank(Finding::Turn { row, .. }) => Outcome::SheetLost {
                at: self.place(),
                why: format!(
                    "the direction of constraint row {} reverses between two states however close in time",
                    row + 1
                ),
            },
        }
    }

    /// Shortens the step; an outcome if it cannot become shorter.
    fn refuse(&mut self, refusal: Refusal) -> Option<Outcome> {
        self.trajectory.rejected += 1;
        let tried = self.clipped();
        self.refused += 1;
        let is_endless = self.refused > MOST_REFUSED;
        let error = match refusal {
            Refusal::Error(error) => Some(error),
            Refusal::Beyond(h) if !is_endless => {
                (self.h, self.last) = (h, Some(h));
                return None;
            }
            Refusal::Jump(h) if !is_endless => {
                self.h = h;
                return None;
            }
            _ => None,
        };
        self.switching.refused();
        self.h = self.stepper.rejected(tried, error);
        let given_up = matches!(refusal, Refusal::Missed(_)) && self.dependent.are_given_up();
        if self.h.abs() > self.smallest() && !given_up && !is_endless {
            return None;
        }
        let at = self.place();
        Some(match refusal {
            Refusal::Error(_) => Outcome::Underflow { at, step: self.h },
            // Between a jump and the projection behind it.
            Refusal::Far(_) if is_endless => Outcome::Underflow { at, step: self.h },
            Refusal::EvalError(error) => Outcome::EvalError { at, error },
            Refusal::Beyond(step) | Refusal::Jump(step) => Outcome::Underflow { at, step },
            Refusal::Missed(MissedRow { name: row, part }) => Outcome::RowMissed { at, row, part },
            Refusal::Far(correction) => Outcome::SheetLost {
                at,
                why: format!(
                    "the projection to the constraints moves the state by {:.1e} tolerances however \
                     short the step",
                    correction.length
                ),
            },
        })
    }

    /// Records the samples up to the part `kept` of the completed step, or the one at the start.
    fn record_samples(&mut self, step: Option<(&mut Projector<'a>, f64, f64)>) {
        let Some((projector, h, kept)) = step else {
            while self.options.samples.get(self.next_sample) == Some(&self.t) {
                self.next_sample += 1;
                self.trajectory.samples.push(self.current());
            }
            return;
        };
        let step = [self.t, self.after(h), self.options.until];
        while let Some(&time) = self.options.samples.get(self.next_sample) {
            let Some(place) = part_of_step(time, step, h, kept) else {
                return;
            };
            self.next_sample += 1;
            if place > 0.0 {
                let sample = self.sample(projector, h, place);
                self.trajectory.samples.push(Sample { t: time, ..sample });
            }
        }
    }

    /// Hands out the samples of the stream up to the part `kept` of the completed step, or those at the start.
    /// One step may have millions: who is stopped hands out no more.
    fn hand_out(&mut self, step: Option<(&mut Projector<'a>, f64, f64)>, control: &mut Control) {
        let Some(stream) = &mut control.stream else {
            return;
        };
        let (mut projector, h, kept) = match step {
            Some((projector, h, kept)) => (Some(projector), h, kept),
            None => (None, 0.0, 0.0),
        };
        let step = [self.t, self.after(h), self.options.until];
        while self.next_handed < stream.count {
            let time = (stream.time)(self.next_handed);
            let place = match projector {
                Some(_) => part_of_step(time, step, h, kept),
                None => (time == self.t).then_some(0.0),
            };
            self.due = Some(time);
            let Some(place) = place.filter(|_| stopped().is_none()) else {
                return;
            };
            self.next_handed += 1;
            let sample = match &mut projector {
                Some(projector) if place > 0.0 => self.sample(projector, h, place),
                Some(_) => continue,
                None => self.current(),
            };
            self.handed = Some(time);
            (stream.write)(&Sample { t: time, ..sample });
        }
        self.due = None;
    }

    /// The projected state within the completed step. Where it cannot be projected it is left as it is.
    fn sample(&mut self, projector: &mut Projector<'a>, h: f64, place: f64) -> Sample {
        let interpolant = self.interpolant(h);
        let (t, dense) = (interpolant.time(place), interpolant.state(place));
        let mut y = dense.clone();
        let mut scale = std::mem::take(&mut self.scale);
        self.tolerances(&y, &mut scale);
        let projection = projector.project(t, &mut y, &scale);
        self.scale = scale;
        let (y, work) = match projection {
            Ok(correction) => {
                let worst = &mut self.trajectory.max_residual;
                *worst = worst.max(correction.after);
                (y, correction.work)
            }
            Err(_) => (dense, 0.0),
        };
        Sample {
            t,
            y,
            projection_work: self.trajectory.projection_work + work,
        }
    }

    /// Closes the record: the last state is always in it.
    fn finish(mut self, method: &Method, outcome: Outcome, control: &mut Control) -> Trajectory {
        if let Some(stream) = control
            .stream
            .as_mut()
            .filter(|_| self.handed != Some(self.t))
        {
            (stream.write)(&self.current());
        }
        if self
            .trajectory
            .samples
            .last()
            .is_none_or(|sample| sample.t != self.t)
        {
            self.trajectory.samples.push(self.current());
        }
        let (method, why) = match self.stepper.choice() {
            Some((method, why)) => (method, Some(why)),
            None => (method.id, None),
        };
        Trajectory {
            samples: self.trajectory.samples,
            steps: self.trajectory.steps,
            rejected: self.trajectory.rejected,
            rhs_evaluations: self.stepper.evaluations(),
            max_residual: self.trajectory.max_residual,
            projection_work: self.trajectory.projection_work,
            method,
            why,
            coarseness: self.stepper.coarseness(),
            remarks: self.stepper.remarks(),
            passed: self.trajectory.passed,
            ends: self.trajectory.ends,
            reset_work: None,
            outcome,
        }
    }

    fn interpolant(&self, h: f64) -> Interpolant<'_> {
        let span = Span::new(self.t, h, &self.y, &self.end);
        Interpolant {
            stepper: &*self.stepper,
            span,
        }
    }

    fn current(&self) -> Sample {
        let projection_work = self.trajectory.projection_work;
        Sample {
            t: self.t,
            y: self.y.clone(),
            projection_work,
        }
    }

    /// The longest possible step, with its sign.
    fn limit(&self) -> f64 {
        let rest = self.edge - self.t;
        rest.abs().min(self.options.max_step).copysign(rest)
    }

    /// The next step, made to end at the last time rather than just before it; but not one that was to be shorter.
    fn clipped(&self) -> f64 {
        let rest = self.edge - self.t;
        let h = self.h.abs().min(self.options.max_step);
        let stretch = if self.refused > 0 { 1.0 } else { STRETCH };
        if h * stretch >= rest.abs() {
            rest
        } else {
            by_clock(self.t, h.copysign(rest))
        }
    }

    /// Finds the tolerances of the step in hand.
    fn measure(&mut self) {
        let mut scale = std::mem::take(&mut self.scale);
        self.tolerances(&self.end, &mut scale);
        self.scale = scale;
    }

    /// The tolerance of each component over a step to `end`. Quadratures are works: they are measured
    /// by the size of the energy and of all of them, since one alone may be zero but for rounding errors; a motion that begins
    /// at rest without energy has those of its end.
    fn tolerances(&self, end: &[f64], scale: &mut [f64]) {
        let Options { rtol, atol, .. } = self.options;
        let rtol = rtol.max(4.0 * f64::EPSILON);
        let tolerance = |(a, b): (&f64, &f64)| atol + rtol * a.abs().max(b.abs());
        let positive = |scale: f64| scale.max(f64::MIN_POSITIVE);
        let wanted = self.y.iter().zip(end).map(tolerance).map(positive);
        scale
            .iter_mut()
            .zip(wanted)
            .for_each(|(scale, x)| *scale = x);
        let state = self.motion.names.len();
        let with = |size: f64, work: &f64| size.max(work.abs());
        let mut size = self.y[state..].iter().fold(self.energy, with);
        if size == 0.0 {
            size = end[state..].iter().fold(0.0, with);
        }
        scale[state..].fill(positive(atol + rtol * size));
    }

    fn error(&self, error: EvalError) -> Outcome {
        Outcome::EvalError {
            at: self.place(),
            error,
        }
    }

    fn place(&self) -> Place {
        self.named(self.t, &self.y)
    }

    fn named(&self, t: f64, y: &[f64]) -> Place {
        let state = self
            .motion
            .names
            .iter()
            .cloned()
            .zip(y.iter().copied())
            .collect();
        Place { t, state }
    }
}
