//! From the start to the end of a motion, with its account.

use crate::constraints::classes::SampledConstraints;
use crate::constraints::classes::singular_set::{are_parameters_regular, is_nowhere_singular, met};
use crate::motion::along::{
    Accuracy, ClaimResult, beside_tolerance, holds, is_of_motions, largest_unless_at_zero,
};
use crate::motion::always::{is_watched, noted};
use crate::motion::choices::{
    KEPT, RunOptions, backend_for, derived_for, idle_step, many_samples, method_for, sample_time,
    settings, with_few_samples,
};
use crate::motion::claims::judge_claims;
use crate::motion::events::{Events, MetEvent};
use crate::motion::handover::MotionConfig;
use crate::motion::ledger::{Ledger, ledger};
use crate::motion::resets::{WithEvents, from_event_to_event};
use crate::motion::sampled_motion::SampledMotion;
use crate::motion::samples::{RowMaker, SampleTable, sample_table};
use crate::motion::sticking::with_jump;
use crate::motion::underflow::with_reason;
use crate::states::charts::has_charts;
use crate::states::indeterminate::{Indeterminate, IndeterminateForces, distributed};
use crate::states::ranks::{of_rows, workspace};
use crate::states::start::{start, start_at};
use crate::states::status::{Judgement, Status, judge, massless_directions};
use crate::values::derived::Derived;
use crate::values::error::Error;
use crate::values::found::Start;
use crate::values::inputs::{has_feedback, refused_form};
use crate::values::outputs::{plot_output, stop_output};
use crate::values::prepared::Prepared;
use appell_expr::limits::{attempt, pressing, regardless, stopped};
use appell_expr::{Ex, Relation};
use appell_flow::method::{Method, find};
use appell_flow::{
    BACKENDS, Backend, Control, EvalError, ExitKind, Options, Outcome, Place, Sample, Stream,
    Trajectory, linear,
};
use appell_mech::{Carrier, Equations, FORMALISMS, Formalism, Metric, function};
use appell_model::{
    Claim, ClaimKind, Code, Condition, Diagnostic, Quantity, inconsistent_constraints,
    singular_coordinates, singular_kinetic_energy,
};
use serde::Serialize;
use std::rc::Rc;
use std::slice;

/// The motion with everything that was found out about it.
#[derive(Debug, Clone)]
pub struct Run {
    /// How it ended, a sentence.
    pub outcome: String,
    /// What that means for the exit code.
    pub exit: ExitKind,
    /// The formalism.
    pub form: &'static Formalism,
    /// The operations of an evaluation by a shorter program than the form is written with, and by that one, where
    /// the motion used the shorter one.
    pub operations: Option<[usize; 2]>,
    /// The method, at the end of the motion.
    pub method: &'static Method,
    /// Why this method, where the tool chose it.
    pub why: Option<String>,
    /// How the programs were run.
    pub backend: &'static Backend,
    /// Why that is not the backend that was asked for.
    pub backend_remark: Option<String>,
    /// The initial state and how it was found.
    pub start: Start,
    /// The degrees of freedom on velocity level.
    pub freedoms: usize,
    /// The carrier's coordinates by name.
    pub state_names: Vec<String>,
    /// The samples, of more than 20,001 only some, and counts; states are the carrier's, then the ledger's quadratures.
    pub trajectory: Trajectory,
    /// The largest residual relative to its terms, over steps and samples.
    pub max_residual: f64,
    /// The account of the energy.
    pub ledger: Ledger,
    /// The events that happened, in their order.
    pub events: Vec<MetEvent>,
    /// What became of the claims.
    pub claims: Vec<ClaimResult>,
    /// Which forces are a choice, since rows depend on each other.
    pub indeterminate: Option<Indeterminate>,
    /// The entries that a motor keeps, whose forces are distributed as an ideal guide would.
    pub distributed: Vec<String>,
    /// The samples as a table.
    pub table: SampleTable,
    /// The plots of the file.
    pub plots: Vec<PlotData>,
}

/// One plot of the file with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotData {
    /// The title.
    pub title: String,
    /// The abscissa's text.
    pub x_label: String,
    /// Each curve: its text and its points.
    pub curves: Vec<(String, Vec<(f64, f64)>)>,
}

/// The part of a run that a program reads: `appell run --json`.
#[derive(Debug, Clone, Serialize)]
pub struct RunSummary<'r> {
    outcome: &'r str,
    t: f64,
    method: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'r str>,
    state_names: &'r [String],
    #[serde(rename = "final")]
    last: &'r [f64],
    steps: usize,
    rhs_evaluations: usize,
    max_residual: f64,
    ledger: &'r Ledger,
    claims: &'r [ClaimResult],
    #[serde(skip_serializing_if = "Option::is_none")]
    indeterminate: Option<&'r Indeterminate>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    distributed: &'r [String],
}

impl Run {
    /// The state at the last time, in the carrier's coordinates.
    pub fn last_state(&self) -> &[f64] {
        let last = self.trajectory.samples.last();
        last.map_or(&[], |sample| &sample.y[..self.state_names.len()])
    }

    /// The last time reached.
    pub fn last_time(&self) -> f64 {
        self.trajectory
            .samples
            .last()
            .map_or(self.start.t, |sample| sample.t)
    }

    /// The stop condition that ended the motion, as written.
    pub fn stopped_by(&self) -> Option<&str> {
        match &self.trajectory.outcome {
            Outcome::Stopped { condition, .. } => Some(condition),
            _ => None,
        }
    }

    /// What `--json` prints.
    pub fn summary(&self) -> RunSummary<'_> {
        RunSummary {
            outcome: &self.outcome,
            t: self.last_time(),
            method: self.method.id,
            why: self.why.as_deref(),
            state_names: &self.state_names,
            last: self.last_state(),
            steps: self.trajectory.steps,
            rhs_evaluations: self.trajectory.rhs_evaluations,
            max_residual: self.max_residual,
            ledger: &self.ledger,
            claims: &self.claims,
            indeterminate: self.indeterminate.as_ref(),
            distributed: &self.distributed,
        }
    }
}

/// Integrates the motion of a model.
///
/// # Errors
/// No formalism applies, the start is inconsistent, an unknown method, no end time.
pub fn run(
    p: &Prepared<'_>,
    options: &RunOptions,
    control: &mut Control<'_>,
) -> Result<Run, Error> {
    run_and(p.in_numbers(), options, control, |_, _| ()).map(|(run, ())| run)
}

/// Takes the rows of a table: with none, the table begins, and what came before is void.
pub type Rows<'r> = dyn FnMut(&[String], Option<&[f64]>) + 'r;

/// As [`run`], where the samples are handed out as they are computed. Of [many](many_samples) only some are
/// kept in the [`Run`], for its account, claims and plots.
///
/// A form that changes its independent velocities, and a motion that changes its form, may go back: its samples
/// are kept until it has ended.
///
/// # Errors
/// As for [`run`].
pub fn run_streamed(
    p: &Prepared<'_>,
    options: &RunOptions,
    control: &mut Control<'_>,
    rows: &mut Rows<'_>,
) -> Result<Run, Error> {
    let p = p.in_numbers();
    let equations = derived_for(p, options.form)?;
    let count = many_samples(p, options).filter(|_| !has_charts(&equations));
    if let Some(count) = count {
        let few = with_few_samples(options);
        let t0 = match &options.start {
            Some(state) => start_at(p, state)?,
            None => start(p)?,
        }
        .t;
        let until = settings(p, &few, t0)?.until;
        let mut maker = regardless(|| RowMaker::new(p, &equations))?;
        let columns = maker.columns.clone();
        rows(&columns, None);
        let mut write = |sample: &Sample| rows(&columns, Some(&maker.row(sample)));
        let mut streaming = Control {
            cancel: control.cancel,
            progress: control.progress.as_deref_mut().map(|told| told as _),
            stream: Some(Stream {
                count,
                time: &|i| sample_time(t0, until, count, i),
                write: &mut write,
            }),
        };
        let done = run(p, &few, &mut streaming)?;
        let streamed = streaming.stream.is_some();
        if streamed {
            let max_residual = done.max_residual.max(maker.worst);
            return Ok(Run {
                max_residual,
                ..done
            });
        }
    }
    let whole = run(p, options, control)?;
    rows(&whole.table.columns, None);
    whole
        .table
        .rows
        .iter()
        .take_while(|_| pressing() < 2)
        .for_each(|row| rows(&whole.table.columns, Some(row)));
    Ok(whole)
}

/// The backend that was asked for, or the usual one where it cannot be used, with a remark that says so.
fn usable_backend(
    p: &Prepared<'_>,
    equations: &Derived<'_>,
    (backend, remark): (&'static Backend, Option<String>),
) -> (&'static Backend, Option<String>) {
    match equations.fields(&p.system, &p.constraints, backend) {
        Err(why) if remark.is_none() && backend.id != BACKENDS[0].id => {
            let remark = format!("{}. Instead: {}.", why.message, BACKENDS[0].id);
            (BACKENDS[0], Some(remark))
        }
        _ => (backend, remark),
    }
}

/// Where a motion is `stuck` at its start, no claim holds along it; one that speaks of what a singular state does not
/// determine, accelerations and forces, does not fail either.
fn without_motion(stuck: bool, p: &Prepared<'_>, mut found: Vec<ClaimResult>) -> Vec<ClaimResult> {
    let pairs = found.iter_mut().zip(&p.model.claims);
    for (result, claim) in pairs.filter(|(_, claim)| stuck && is_of_motions(claim)) {
        if result.holds == Some(true) || !is_of_states(p, claim) {
            result.holds = None;
            result.why = Some("the motion cannot begin".to_owned());
        }
    }
    found
}

/// Whether a claim speaks of time, coordinates, velocities and energies only.
fn is_of_states(p: &Prepared<'_>, claim: &Claim) -> bool {
    let (graph, quantities) = (p.system.graph, &p.model.quantities);
    let determined = |quantity: &Quantity| {
        matches!(
            quantity,
            Quantity::Energy
                | Quantity::EnergyStar
                | Quantity::LagrangianStar
                | Quantity::KineticStar
        )
    };
    let others = quantities
        .iter()
        .filter(|(quantity, _)| !determined(quantity));
    let others = others
        .map(|(_, id)| graph.ex(*id))
        .chain(p.system.a.iter().copied());
    let others: Vec<Ex<'_>> = others.collect();
    let claimed = match &claim.kind {
        ClaimKind::Equation(zeros) => zeros.as_slice(),
        ClaimKind::Constant(x) => slice::from_ref(x),
        ClaimKind::Always(condition) => slice::from_ref(&condition.difference),
        ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => &[],
    };
    let domain = claim.domain.iter().map(|condition| condition.difference);
    let mut all = claimed.iter().copied().chain(domain);
    all.all(|id| !graph.ex(id).depends_on_any(&others))
}

/// Claims are held against at least so many states of a motion.
const LOOKS: usize = 65;
/// As many samples are looked at where the work is to stop: who waits has half a second.
const LAST: usize = 2_001;

/// Leaves about so many samples that lie evenly among them, with the first and the last.
fn thin(samples: &mut Vec<Sample>, most: usize) {
    let stride = samples.len().div_ceil(most).max(1);
    let last = samples.len().saturating_sub(1);
    let mut index = 0..;
    samples.retain(|_| {
        index
            .next()
            .is_some_and(|i: usize| i.is_multiple_of(stride) || i == last)
    });
}

/// Whether a motion has claims that its own samples are too few for.
fn wants_looks(p: &Prepared<'_>, equations: &Derived<'_>, settings: &Options) -> bool {
    let is_looked_at =
        |claim: &Claim| matches!(claim.kind, ClaimKind::Constant(_) | ClaimKind::Equation(_));
    settings.samples.len() < LOOKS
        && !has_charts(equations)
        && p.model.claims.iter().any(is_looked_at)
}

/// Computes a motion that is looked at between its samples; at nothing where it changes its form.
fn looking<T>(
    settings: &Options,
    begin: f64,
    control: &mut Control<'_>,
    looks: &mut Vec<Sample>,
    work: impl FnOnce(&mut Control<'_>) -> T,
) -> T {
    let mut found = Vec::new();
    let mut write = |sample: &Sample| found.push(sample.clone());
    let mut inner = Control {
        cancel: control.cancel,
        progress: control.progress.as_deref_mut().map(|told| told as _),
        stream: Some(Stream {
            count: LOOKS,
            time: &|i| sample_time(begin, settings.until, LOOKS, i),
            write: &mut write,
        }),
    };
    let done = work(&mut inner);
    if inner.stream.is_some() {
        *looks = found;
    }
    done
}

fn cannot_begin(trajectory: &Trajectory, why: &str) -> String {
    format!(
        "The motion cannot begin, for its start is a singular state, {}: {why}. Start elsewhere, or \
         correct the constraints.",
        trajectory.outcome.at()
    )
}

/// As [`run`], with a look at the motion while its equations are still there.
///
/// One piece: the way of a run, of which each step has a function of its own, and its answer.
pub fn run_and<T>(
    p: &Prepared<'_>,
    options: &RunOptions,
    control: &mut Control<'_>,
    look: impl FnOnce(&SampledMotion<'_, '_>, &Trajectory) -> T,
) -> Result<(Run, T), Error> {
    let events = Events::new(p, &options.events)?;
    let mut equations = form_for(p, options.form, &events)?;
    let form = equations.formalism;
    let method = method_for(p, options.method.as_deref())?;
    let (backend, remark) = backend_for(options.backend.as_deref())?;
    let start = match &options.start {
        Some(state) => start_at(p, state)?,
        None => start(p)?,
    };
    let initial = initial_state(p, &equations, &start)?;
    let judgement = judge(p, start.t, &start.q, &start.v, start.z.as_deref());
    refuse_hopeless_start(p, &start, &judgement)?;
    if equations.short().is_some() && judgement.status != Status::Regular {
        equations = derived_for(p, Some(form))?;
    }
    let operations = equations.short();
    let begun = Rc::clone(&equations);
    let settings = settings(p, options, start.t)?;
    let singular = judgement.status == Status::Singular;
    let stuck = singular && !options.unmonitored;
    let (backend, remark) = usable_backend(p, &equations, (backend, remark));
    let (mut met, mut words, mut looks) = (Vec::new(), None, Vec::new());
    let (mut trajectory, handover) = if stuck {
        control.stream = None;
        let motion = standing(p, method, &equations.input_names(), (start.t, &initial));
        (motion, None)
    } else {
        let config = MotionConfig {
            method,
            backend,
            options: &settings,
            rank: judgement.generic_rank.filter(|_| !singular),
            comparable: options.form.is_none_or(in_table),
            regular: matches!(judgement.status, Status::Regular | Status::Redundant),
            events: &events,
            reset: None,
        };
        let from = (&start, &initial[..]);
        let work = |control: &mut Control<'_>| {
            regardless(|| integrated(p, &equations, &config, from, control))
        };
        let whole = match control.stream.is_none() && wants_looks(p, &equations, &settings) {
            true => looking(&settings, start.t, control, &mut looks, work)?,
            false => work(control)?,
        };
        (met, words) = (whole.met, whole.words);
        let motion = whole.motion;
        if let Some(last) = motion.shown {
            equations = last;
        }
        (motion.trajectory, motion.handover)
    };
    let idle = idle_step(options.step, trajectory.method);
    trajectory.remarks.extend(idle);
    // What was computed is put into words whatever happens.
    regardless(|| {
        let names = equations.input_names();
        let initial = initial_state(p, &equations, &start)?;
        let whole = (&trajectory, (start.t, &initial[..]));
        let reason = with_jump(p, equations.carrier, &trajectory)
            .or_else(|| with_reason(p, equations.carrier, whole, &settings));
        let mut outcome = match judgement.why.as_ref().filter(|_| stuck) {
            Some(why) => cannot_begin(&trajectory, why),
            None => reason.unwrap_or_else(|| trajectory.outcome.to_string()),
        };
        for words in [&handover, &words].into_iter().flatten() {
            outcome = format!("{outcome} {words}");
        }
        let all = trajectory.samples.len();
        let (table, worst) = sample_table(p, &equations, &trajectory)?;
        if table.rows.len() < all {
            trajectory.samples.truncate(table.rows.len());
            outcome = format!(
                "{outcome} Of {all} samples the first {} are kept.",
                table.rows.len()
            );
        }
        if let Outcome::Unsuitable { method, why, .. } = &trajectory.outcome {
            let message = format!("the method `{method}` cannot compute this motion: {why}");
            return Err(Error::question(Code::NotAllowed, message));
        }
        if let Some(set) = singular_set_met(p, &trajectory, (&names, &table)) {
            outcome = format!("{outcome} The state lies in the singular set {set}.");
        }
        // Those for the account, claims and plots.
        let most = if stopped().is_some() { LAST } else { KEPT };
        thin(&mut trajectory.samples, most);
        for condition in true_at_start(p, &equations, start.t, &initial) {
            outcome = format!(
                "{outcome} `{condition}` holds at the start: a motion ends where a condition becomes true."
            );
        }
        if let Some(words) = small_motion(&trajectory, names.len(), settings.atol) {
            outcome = format!("{outcome} {words}");
        }
        // Steps of fixed length err by more than the tolerances say.
        let coarse = trajectory.coarseness;
        let tolerances = (coarse * settings.rtol, coarse * settings.atol);
        let ledger = ledger(p, &equations, (start.t, &initial), &trajectory, tolerances)?;
        let mut exit = trajectory.outcome.exit_kind();
        if exit == ExitKind::Done && !ledger.closes() {
            exit = ExitKind::NumericalFailure;
            outcome = format!("{outcome} {}", ledger.complaint());
        } else if exit == ExitKind::Done
            && let Some(complaint) = ledger.complaint_between()
        {
            exit = ExitKind::NumericalFailure;
            outcome = format!("{outcome} {complaint}");
        }
        let claims = &p.model.claims;
        let at_end = Rc::clone(&equations);
        let watched = |claim| [&begun, &at_end].iter().all(|form| is_watched(form, claim));
        let at_ends: Vec<Sample> = trajectory.ends.states().collect();
        let noted = |claim: usize| match &claims[claim].kind {
            ClaimKind::Always(_) => noted(claims, claim, &events, &trajectory)
                .into_iter()
                .chain(&at_ends)
                .collect(),
            _ => looks.iter().chain(&at_ends).collect(),
        };
        // At a start without a motion there are no forces to be told from others.
        let choice = judgement
            .has_motion()
            .then(|| attempt(|| IndeterminateForces::new(p, &at_end)));
        let choice = choice.and_then(Result::ok).flatten();
        let sampled_motion = SampledMotion::new(p, equations, &trajectory, start.z.as_deref());
        let seen = look(&sampled_motion, &trajectory);
        let run = Run {
            outcome,
            exit,
            form,
            operations,
            method: find(trajectory.method).unwrap_or(method),
            why: trajectory.why.clone(),
            backend,
            backend_remark: remark,
            freedoms: freedoms(p, &start, &judgement),
            max_residual: trajectory.max_residual.max(worst),
            ledger,
            events: met,
            claims: without_motion(
                stuck,
                p,
                judge_claims(
                    &sampled_motion,
                    Accuracy {
                        rtol: tolerances.0,
                        atol: tolerances.1,
                        steps: trajectory.steps,
                    },
                    noted,
                    watched,
                    choice.as_ref(),
                ),
            ),
            indeterminate: choice.as_ref().and_then(IndeterminateForces::said),
            distributed: distributed(p, &at_end.forces),
            plots: plots(&sampled_motion),
            table,
            state_names: names,
            start,
            trajectory,
        };
        Ok((run, seen))
    })
}

/// The motion with its events. A rank monitor that stops it where the rows are proved to keep their rank was misled by
/// their lengths, as those of `exp(x)*(y' - x') = 0`: then it goes without.
fn integrated<'g>(
    p: &Prepared<'g>,
    equations: &Rc<Derived<'g>>,
    config: &MotionConfig<'_>,
    from: (&Start, &[f64]),
    control: &mut Control<'_>,
) -> Result<WithEvents<'g>, Diagnostic> {
    let mut whole = from_event_to_event(p, equations, config, from, control)?;
    let outcome = &mut whole.motion.trajectory.outcome;
    let Outcome::Singular { at, .. } = &*outcome else {
        return Ok(whole);
    };
    let alone = p.constraints.motion_alone().is_some();
    let is_regular = match alone {
        true => are_parameters_regular(p),
        false => is_nowhere_singular(p),
    };
    if !is_regular || !config.options.monitored {
        if alone {
            let what = "the matrix `Psi^T M Psi` of the parameters".to_owned();
            let (at, error) = (at.clone(), EvalError::Singular { what });
            *outcome = Outcome::EvalError { at, error };
        }
        return Ok(whole);
    }
    // What was handed out is void.
    control.stream = None;
    let options = Options {
        monitored: false,
        ..config.options.clone()
    };
    let config = MotionConfig {
        options: &options,
        ..*config
    };
    from_event_to_event(p, equations, &config, from, control)
}

/// The equations of a form; where inputs are functions of the state, or events happen, one whose state these know.
fn form_for<'g>(
    p: &Prepared<'g>,
    form: Option<&'static Formalism>,
    events: &Events,
) -> Result<Rc<Derived<'g>>, Error> {
    let usual = derived_for(p, form)?;
    let fits = |equations: &Derived<'_>| {
        let known =
            equations.carrier == Carrier::Velocities || !has_feedback(p) && events.is_empty();
        known && (events.is_empty() || !has_charts(equations))
    };
    if fits(&usual) {
        return Ok(usual);
    }
    let others = FORMALISMS.iter().filter(|_| form.is_none());
    let mut others = others.filter_map(|form| p.form(form).ok());
    let found = others.find(|equations| fits(equations));
    let what = if events.is_empty() {
        "an input"
    } else {
        "an event"
    };
    found.ok_or_else(|| refused_form(usual.formalism.id, what))
}

/// The remark of [`beside_tolerance`] on a motion with steps that the tolerances chose.
fn small_motion(trajectory: &Trajectory, states: usize, atol: f64) -> Option<String> {
    let samples = trajectory.samples.iter();
    let sizes = samples.map(|sample| linear::max_norm(sample.y.iter().take(states)));
    let largest = largest_unless_at_zero(sizes).filter(|_| trajectory.coarseness == 1.0)?;
    beside_tolerance(largest, atol)
}

fn in_table(form: &Formalism) -> bool {
    FORMALISMS.iter().any(|other| other.id == form.id)
}

/// The carrier's coordinates at the start, then zeros for the ledger.
pub(crate) fn initial_state(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    start: &Start,
) -> Result<Vec<f64>, Diagnostic> {
    let state = p.carrier_state(
        equations.carrier,
        start.t,
        &start.q,
        &start.v,
        start.z.as_deref(),
    );
    let mut state = state.ok_or_else(|| {
        let what = "no parameters z give the initial velocity";
        Diagnostic::new(Code::InconsistentStart, what, p.model.initial.span, "")
    })?;
    state.resize(state.len() + equations.ledger.len(), 0.0);
    Ok(state)
}

/// States from which nothing can move are refused in words before anything is integrated.
pub(crate) fn refuse_hopeless_start(
    p: &Prepared<'_>,
    start: &Start,
    judgement: &Judgement,
) -> Result<(), Diagnostic> {
    let why = judgement.why.as_deref().unwrap_or_default();
    match judgement.status {
        Status::Inconsistent => {
            let active = p.constraints.active();
            let mut entries: Vec<usize> = active.map(|row| row.constraint).collect();
            entries.dedup();
            Err(inconsistent_constraints(p.model, &entries, why))
        }
        Status::Chart if !judgement.has_motion() => {
            let massless = p.measure(start.t, &start.q, &start.v);
            let massless = massless.map_or_else(Vec::new, |m| massless_directions(&m));
            let moved = |i: &usize| massless.iter().any(|direction| direction[*i].abs() > 1e-9);
            let coordinates: Vec<usize> = (0..p.system.n()).filter(moved).collect();
            Err(match p.system.metric {
                Metric::Singular => singular_kinetic_energy(p.model, &coordinates, why),
                _ => singular_coordinates(p.model, &coordinates, why),
            })
        }
        _ => Ok(()),
    }
}

/// The stop conditions that hold before anything has moved, so that they cannot become true at once.
fn true_at_start<'p>(
    p: &'p Prepared<'_>,
    equations: &Derived<'_>,
    t: f64,
    initial: &[f64],
) -> Vec<&'p str> {
    let conditions = p.model.simulate.stop.iter().enumerate();
    let holds_now = |index: usize, condition: &Condition| {
        let field = equations.interpreter(&[&stop_output(index)]).ok()?;
        let gap = field.results(t, initial).ok()?;
        let strictly = condition.relation != Relation::Equal && gap[0] != 0.0;
        Some(strictly && holds(condition.relation, gap[0]))
    };
    conditions
        .filter(|(index, condition)| holds_now(*index, condition) == Some(true))
        .map(|(_, condition)| condition.text.as_str())
        .collect()
}

/// The part of the singular set where a motion ended for that reason, as equations.
fn singular_set_met(
    p: &Prepared<'_>,
    trajectory: &Trajectory,
    (names, table): (&[String], &SampleTable),
) -> Option<String> {
    let singular = matches!(
        trajectory.outcome,
        Outcome::Singular { .. } | Outcome::SheetLost { .. }
    );
    if !singular {
        return None;
    }
    let place = |all: &[String], name: &String| all.iter().position(|other| other == name);
    let wanted = p.model.state_names();
    let samples = trajectory.samples.iter().zip(&table.rows);
    // The table has no velocities where its other columns have no value, as in the singular state.
    let state = |(sample, row): (&Sample, &Vec<f64>)| {
        let value = |name: &String| match place(names, name) {
            Some(index) => sample.y.get(index).copied(),
            None => row.get(place(&table.columns, name)?).copied(),
        };
        let state: Option<Vec<f64>> = wanted.iter().map(value).collect();
        Some((sample.t, state?))
    };
    let motion: Option<Vec<(f64, Vec<f64>)>> = samples.map(state).collect();
    // The motion stands without a name for its end.
    attempt(|| met(p, &motion?)).ok().flatten()
}

/// The motion that ends where it begins, in a singular state.
fn standing(
    p: &Prepared<'_>,
    method: &Method,
    names: &[String],
    (t, initial): (f64, &[f64]),
) -> Trajectory {
    let state = names.iter().cloned().zip(initial.iter().copied()).collect();
    Trajectory {
        outcome: Outcome::Singular {
            at: Place { t, state },
            rank: p.constraints.k(),
            sigma: 0.0,
        },
        ..Trajectory::standing(method.id, t, initial)
    }
}

/// By the rank that rows have about the start: where it drops there, fewer are left, not more, and where rows have no
/// derivatives they say more than these.
fn freedoms(p: &Prepared<'_>, start: &Start, judgement: &Judgement) -> usize {
    let said = || attempt(|| SampledConstraints::new(p).freedoms(Some(judgement))).ok();
    let singular = judgement.status == Status::Singular;
    if let Some(freedoms) = singular.then(said).flatten() {
        return freedoms;
    }
    let here = || {
        let m = p.measure(start.t, &start.q, &start.v)?;
        of_rows(p, &m.table(function::A))
    };
    let rank = judgement.generic_rank.or_else(here);
    p.constraints.freedoms(p.system.n(), rank.unwrap_or(0))
}

fn plots(sampled_motion: &SampledMotion<'_, '_>) -> Vec<PlotData> {
    let curve = |i: usize, j: usize| -> Vec<(f64, f64)> {
        let Ok(curve) = sampled_motion.expression(&[&plot_output(i, j)]) else {
            return Vec::new();
        };
        let mut workspace = workspace(sampled_motion.p);
        let point = |(t, y): &(f64, Vec<f64>)| {
            let values = curve.field.values(&mut workspace, *t, y);
            let values = values.unwrap_or(vec![f64::NAN; 2]);
            (values[0], values[1])
        };
        curve.states.iter().map(point).collect()
    };
    let plot = |(i, plot): (usize, &appell_model::Plot)| PlotData {
        title: plot.title.clone(),
        x_label: plot.x.0.clone(),
        curves: plot
            .y
            .iter()
            .enumerate()
            .map(|(j, y)| (y.0.clone(), curve(i, j)))
            .collect(),
    };
    sampled_motion
        .p
        .model
        .plots
        .iter()
        .enumerate()
        .map(plot)
        .collect()
}
