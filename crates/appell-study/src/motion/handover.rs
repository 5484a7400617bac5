//! A motion in one form, and in another from where the first has no value though the state is regular.

use crate::motion::acceleration_check::acceleration_error;
use crate::motion::always::Always;
use crate::motion::chart_changes::{integrate_in_charts, joined, rest_of, without_last};
use crate::motion::choices::derived_for;
use crate::motion::events::{Events, Reset};
use crate::motion::ledger::ledger;
use crate::motion::poles::{self, Poles};
use crate::motion::sticking::without_idle_jumps;
use crate::states::charts::{has_charts, is_in_velocities};
use crate::states::ranks::set_position_rank;
use crate::states::status::judge;
use crate::values::derived::Derived;
use crate::values::derived::fields::fields_of;
use crate::values::found::Start;
use crate::values::inputs::quantities_of_inputs;
use crate::values::outputs::CONDITIONS;
use crate::values::prepared::Prepared;
use appell_expr::limits::{attempt, stopped};
use appell_flow::method::Method;
use appell_flow::{
    Backend, Compiled, Control, Field, Joined, Options, Outcome, SINGULAR, Sample, Trajectory,
    integrate, linear,
};
use appell_mech::{Carrier, FORMALISMS, Formalism, function, output};
use appell_model::Diagnostic;
use std::rc::Rc;

/// By what a motion is computed.
pub(crate) struct MotionConfig<'a> {
    pub method: &'static Method,
    pub backend: &'a Backend,
    pub options: &'a Options,
    /// The rank of the constraint rows where it is known.
    pub rank: Option<usize>,
    /// Whether the start is regular, so that every form has a value there.
    pub regular: bool,
    /// Whether the form is one of the table.
    pub comparable: bool,
    /// What may happen on the way.
    pub events: &'a Events,
    /// The reset that it begins with.
    pub reset: Option<&'a Reset<'a>>,
}

/// A form that goes on gets further than this part of the time, or it fails for the same reason.
const PROGRESS: f64 = 1e-6;

/// The same where the motion has left its sheet: near a singular state every form does, some a little later.
const CLEAR_PROGRESS: f64 = 1e-2;

/// A motion in one form or in several.
pub(crate) struct ComputedMotion<'g> {
    pub trajectory: Trajectory,
    /// The equations by which the samples are shown, if not those it began with.
    pub shown: Option<Rc<Derived<'g>>>,
    /// What is to be said of the change from form to form.
    pub handover: Option<String>,
}

/// Integrates from the start to the end; where the form fails at a state that is regular, the next one whose
/// answer stands there goes on.
///
/// One piece: the loop over forms, whose state is what was computed so far.
///
/// # Errors
/// A stop condition about something that a form does not give.
pub(crate) fn integrate_with_fallback<'g>(
    p: &Prepared<'g>,
    equations: &Rc<Derived<'g>>,
    config: &MotionConfig<'_>,
    (start, initial): (&Start, &[f64]),
    control: &mut Control<'_>,
) -> Result<ComputedMotion<'g>, Diagnostic> {
    let first = equations.formalism;
    let from = (start.t, initial);
    let [stop, go_on] = [PoleAction::Stop, PoleAction::Continue].map(|action| (start.t, action));
    if !config.comparable {
        // A caller's own equations may say something else than the forms of the table, which are no measure
        // of them and cannot stand in for them: what is wrong with them is for the ledger to find.
        return integrate_in_form(p, equations, config, go_on, from, control);
    }
    let at_start = (start.t, &start.q[..], &start.v[..]);
    let regular = config.regular.then_some(());
    let mut why = regular.and_then(|()| acceleration_error(p, equations, initial, at_start));
    let mut motion = match &why {
        Some(_) => ComputedMotion {
            trajectory: Trajectory::standing(config.method.id, start.t, initial),
            shown: None,
            handover: None,
        },
        None => integrate_in_form(p, equations, config, stop, from, control)?,
    };
    if why.is_some() {
        control.stream = None;
    }
    let mut tried = match equations.short() {
        Some(_) => Vec::new(),
        None => vec![first.id],
    };
    let mut current = Rc::clone(equations);
    // The start as the current form takes it.
    let mut begun = initial.to_vec();
    // Who is stopped gets what the forms so far have found.
    while stopped().is_none() {
        let is_left = poles::is_near(&motion.trajectory.outcome);
        if why.is_none() && !is_left && !has_failed(&motion.trajectory) {
            break;
        }
        let failed = HandoverState::last(p, &current, &motion.trajectory);
        let Some(failed) = failed.filter(|place| place.moves(p)) else {
            break;
        };
        // A form that chooses velocities may have no value where all of them lose it, and another lead past it.
        if !is_left
            && let Some(singular) = failed.beside_singular(p, config.rank, &motion.trajectory)
        {
            motion.trajectory.outcome = singular;
            break;
        }
        let sound = match is_left {
            true => motion.trajectory.clone(),
            false => sound_part(p, &current, &motion.trajectory, config, (start.t, &begun)),
        };
        let Some(place) = HandoverState::last(p, &current, &sound) else {
            break;
        };
        // Another form may take longer to derive than there is time.
        let found = attempt(|| successor(p, equations, &place, &mut tried));
        let Some((next, y)) = found.ok().flatten() else {
            break;
        };
        // What was handed out beyond this place is void.
        control.stream = None;
        let part = integrate_in_form(p, &next, config, go_on, (place.t, &y), control)?;
        let reached = part
            .trajectory
            .samples
            .last()
            .map_or(place.t, |last| last.t);
        let whole = config.options.until - start.t;
        let progress = match motion.trajectory.outcome {
            Outcome::SheetLost { .. } => CLEAR_PROGRESS,
            _ => PROGRESS,
        };
        let further = (reached - failed.t) * whole.signum() > progress * whole.abs();
        if !further && whole != 0.0 {
            // A pole stays one in every form.
            match motion.trajectory.outcome {
                Outcome::Underflow { .. } | Outcome::SheetLost { .. } => break,
                _ => continue,
            }
        }
        let words = match is_left {
            true => beside_pole([&current, &next], p.system.n(), place.t),
            false => in_words([&current, &next], [failed.t, place.t], why.take()),
        };
        let before = in_velocities(p, &current, sound);
        let mut before = without_last(before, &config.options.samples);
        // The part begins with a sample of its own where one is wanted at its start.
        let first = part.trajectory.samples.first().map(|sample| sample.t);
        before.samples.pop_if(|last| Some(last.t) == first);
        motion = ComputedMotion {
            trajectory: joined(Some(before), part.trajectory),
            shown: part.shown.or(Some(Rc::clone(&next))),
            handover: Some(match motion.handover {
                Some(earlier) => format!("{earlier} {words}"),
                None => words,
            }),
        };
        let standing = Trajectory::standing(config.method.id, start.t, &begun);
        let Some(place) = HandoverState::last(p, &current, &standing) else {
            break;
        };
        (current, begun) = (next, place.state());
    }
    if poles::is_near(&motion.trajectory.outcome) {
        // No other form gets further.
        control.stream = None;
        return integrate_in_form(p, equations, config, go_on, from, control);
    }
    if let Some(why) = why {
        motion.trajectory.outcome = refused(p, equations, (start.t, initial), why);
    }
    Ok(motion)
}

/// What is said of the change from one form to another, which goes on from a place before the failure; `why` are
/// the words of what its answer misses.
fn in_words(
    [from, to]: [&Derived<'_>; 2],
    [failed, place]: [f64; 2],
    why: Option<String>,
) -> String {
    let id = from.formalism.id;
    let reason = match why {
        Some(why) => format!("`{id}` fails there ({why})"),
        None => format!("`{id}` has no value beyond t = {}", brief(failed)),
    };
    format!(
        "From t = {} on it was computed in the form `{}`: {reason}, though the state there is regular.",
        brief(place),
        to.formalism.id
    )
}

/// What is said where the parameters of a form are left near a pole.
fn beside_pole([from, to]: [&Derived<'_>; 2], n: usize, place: f64) -> String {
    format!(
        "From t = {} on it was computed in the form `{}`: {}.",
        brief(place),
        to.formalism.id,
        poles::in_words(from, n)
    )
}

/// The part of a failed motion up to the last sample before the failure at which its energy balances: a form
/// may lose digits long before it has no value.
fn sound_part(
    p: &Prepared<'_>,
    equations: &Derived<'_>,
    failed: &Trajectory,
    config: &MotionConfig<'_>,
    (t, initial): (f64, &[f64]),
) -> Trajectory {
    let mut sound = failed.clone();
    let tolerances = (config.options.rtol, config.options.atol);
    let closes = |part: &Trajectory| {
        let account = ledger(p, equations, (t, initial), part, tolerances);
        account.is_ok_and(|account| account.closes())
    };
    sound.samples.pop();
    while !sound.samples.is_empty() && !closes(&sound) {
        sound.samples.pop();
    }
    match sound.samples.last() {
        Some(last) => {
            sound.projection_work = last.projection_work;
            let reached = (last.t - t).abs();
            let within = |end: Sample| ((end.t - t).abs() <= reached).then_some(end);
            sound.ends.map(within);
        }
        None => {
            let method = failed.method;
            return Trajectory::standing(method, t, initial);
        }
    }
    sound
}

/// Nine significant digits.
fn brief(t: f64) -> f64 {
    format!("{t:.8e}").parse().unwrap_or(t)
}

/// Whether a motion ended for want of values, or since these lead off the constraints: that may be the form's fault.
fn has_failed(trajectory: &Trajectory) -> bool {
    matches!(
        trajectory.outcome,
        Outcome::EvalError { .. } | Outcome::Underflow { .. } | Outcome::SheetLost { .. }
    )
}

/// A motion that no form can begin.
fn refused(
    p: &Prepared<'_>,
    equations: &Derived<'_>,
    (t, y): (f64, &[f64]),
    why: String,
) -> Outcome {
    let names = equations.input_names();
    let state = names.into_iter().zip(y.iter().copied()).collect();
    let what = format!(
        "the acceleration by `{}` ({why}) and by every other form of `{}`",
        equations.formalism.id, p.model.source.name
    );
    Outcome::EvalError {
        at: appell_flow::Place { t, state },
        error: appell_flow::EvalError::NotFinite { what },
    }
}

/// What is done where the velocities have a pole as functions of the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PoleAction {
    /// The motion ends before it.
    Stop,
    /// It goes on.
    Continue,
}

/// The motion in one form, whose independent velocities may change.
fn integrate_in_form<'g>(
    p: &Prepared<'g>,
    equations: &Rc<Derived<'g>>,
    config: &MotionConfig<'_>,
    (start, at_pole): (f64, PoleAction),
    from: (f64, &[f64]),
    control: &mut Control<'_>,
) -> Result<ComputedMotion<'g>, Diagnostic> {
    let MotionConfig {
        method,
        backend,
        rank,
        ..
    } = *config;
    let options = rest_of(config.options, start, from.0);
    let (trajectory, shown) = if has_charts(equations) {
        let form = equations.formalism;
        let tools = (method, backend);
        let motion = integrate_in_charts(p, form, tools, from, (&options, rank), control)?;
        (motion, shown_in_velocities(p)?)
    } else {
        let fields = equations.fields(&p.system, &p.constraints, backend)?;
        let names = equations.input_names();
        let mut motion = fields.motion(equations, &p.system, &p.constraints, &names, rank);
        set_position_rank(p, &mut motion, rank);
        without_idle_jumps(p, &mut motion);
        let jumps = p.model.simulate.stop.len()..motion.stops.len();
        motion.stops.extend(config.events.stops());
        motion.watched.extend(config.events.watched());
        let always = Always::new(equations, &p.model.claims, backend)?;
        motion.watched.extend(always.watched());
        let poles = match at_pole {
            PoleAction::Stop => Poles::of(equations, p.system.n(), backend, &options, from)?,
            PoleAction::Continue => None,
        };
        motion.leave = poles.as_ref().map(Poles::leave);
        let of_inputs = quantities_of_inputs(p);
        let of_conditions = switches_of_conditions(equations);
        let of_conditions = of_conditions.as_deref().map(|field| field as &dyn Field);
        let of_motion = [motion.switches, motion.narrow, motion.peaks, of_conditions];
        let all = with_others(of_motion, &of_inputs, config.events);
        let all = all.each_ref().map(Joined::if_any);
        [motion.switches, motion.narrow, motion.peaks, motion.corners] = all;
        let (t, y) = from;
        let reset = config.reset.filter(|reset| reset.t == t);
        let left = reset.map(|reset| reset.quantities(&motion, &jumps));
        let options = Options {
            left: left.or(options.left),
            ..options
        };
        (integrate(&motion, method, t, y, &options, control), None)
    };
    Ok(ComputedMotion {
        trajectory,
        shown,
        handover: None,
    })
}

/// The quantities by which a motion sees what is short or narrow, with those of its inputs and events.
fn with_others<'a>(
    of_motion: [Option<&'a dyn Field>; 4],
    of_inputs: &'a [Vec<impl Field>; 3],
    events: &'a Events,
) -> [Joined<'a>; 4] {
    let [switches, narrow, peaks, of_conditions] = of_motion;
    let [of_narrow, of_peaks, of_events] = events.step_quantities();
    let mut all = [
        Joined::of(switches, &of_inputs[0]),
        Joined::of(narrow, &of_inputs[1]),
        Joined::of(peaks, &of_inputs[2]),
        Joined(of_conditions.into_iter().collect()),
    ];
    for (all, more) in all[1..].iter_mut().zip([of_narrow, of_peaks, of_events]) {
        all.0.extend(more);
    }
    all
}

/// The quantities at whose zeros conditions of the file may jump or bend; none where the form does not give what they speak of.
fn switches_of_conditions(equations: &Derived<'_>) -> Option<Rc<Compiled>> {
    equations.sketch.get(CONDITIONS)?;
    equations.table(&[CONDITIONS]).ok()
}

/// The form by which a motion in all velocities is shown: the usual one, or the first that reads these. None where all have
/// charts, whose last one should not matter, or read parameters, as may be where `v = psi` is given without rows.
fn shown_in_velocities<'g>(p: &Prepared<'g>) -> Result<Option<Rc<Derived<'g>>>, Diagnostic> {
    let mut all = std::iter::once(derived_for(p, None)?).chain(p.forms());
    Ok(all.find(|form| is_in_velocities(form)))
}

/// A state of the motion in coordinates and velocities, with the works done so far.
struct HandoverState {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    works: Vec<f64>,
}

impl HandoverState {
    /// Where a trajectory in the carrier of `equations` ends.
    fn last(p: &Prepared<'_>, equations: &Derived<'_>, trajectory: &Trajectory) -> Option<Self> {
        let last = trajectory.samples.last()?;
        Self::of(p, equations, last)
    }

    fn of(p: &Prepared<'_>, equations: &Derived<'_>, sample: &Sample) -> Option<Self> {
        let n = p.system.n();
        let (state, works) = sample.y.split_at(equations.state.len());
        let v = match equations.carrier {
            Carrier::Velocities => state[n..].to_vec(),
            Carrier::Parameters | Carrier::Momenta => {
                let field = fields_of(equations, &[output::VELOCITY]).ok()?;
                field.results(sample.t, state).ok()?
            }
        };
        Some(Self {
            t: sample.t,
            q: state[..n].to_vec(),
            v,
            works: works.to_vec(),
        })
    }

    /// Whether the accelerations exist and are unique here; no for who is stopped before it is known.
    fn moves(&self, p: &Prepared<'_>) -> bool {
        attempt(|| judge(p, self.t, &self.q, &self.v, None).has_motion()).unwrap_or(false)
    }

    /// What a motion that failed here ran into, if the rows all but lose their rank: of unit rows in the kinetic metric a
    /// combination is as small as the rank monitor takes for none.
    fn beside_singular(
        &self,
        p: &Prepared<'_>,
        rank: Option<usize>,
        trajectory: &Trajectory,
    ) -> Option<Outcome> {
        let m = p.measure(self.t, &self.q, &self.v)?;
        let (rows, mass) = (m.table(function::A), m.table(function::MASS).values());
        let (k, n, a) = (rows.rows, rows.columns, rows.values());
        let transposed: Vec<f64> = (0..n * k).map(|i| a[i % k * n + i / k]).collect();
        let mut moved = vec![0.0; n * k];
        linear::lu(n, &mass, &transposed, &mut moved, &mut Default::default()).ok()?;
        let entry =
            |i: usize, j: usize| -> f64 { (0..n).map(|l| a[i * n + l] * moved[l * k + j]).sum() };
        let unit: Vec<f64> = (0..k).map(|i| 1.0 / entry(i, i).abs().sqrt()).collect();
        let gram: Vec<f64> = (0..k * k)
            .map(|place| (place / k, place % k))
            .map(|(i, j)| entry(i, j) * unit[i] * unit[j])
            .collect();
        let finite = gram.iter().all(|x| x.is_finite());
        let squares = finite.then(|| linear::singular_values(k, k, &gram))?;
        let least = *squares.get(rank.or(rows.rank())?.checked_sub(1)?)?;
        (least < SINGULAR * SINGULAR).then(|| Outcome::Singular {
            at: trajectory.outcome.at().clone(),
            rank: rank.unwrap_or(k),
            sigma: least.sqrt(),
        })
    }

    fn state(&self) -> Vec<f64> {
        [&self.q[..], &self.v, &self.works].concat()
    }
}

/// The first form that was not tried, reads velocities, keeps the same account, and whose answer stands at
/// a regular place; with the state that it goes on from.
fn successor<'g>(
    p: &Prepared<'g>,
    first: &Derived<'g>,
    place: &HandoverState,
    tried: &mut Vec<&'static str>,
) -> Option<(Rc<Derived<'g>>, Vec<f64>)> {
    let HandoverState { t, q, v, .. } = place;
    if !place.moves(p) {
        return None;
    }
    let y = place.state();
    let open: Vec<&'static Formalism> = FORMALISMS
        .iter()
        .copied()
        .filter(|form| !tried.contains(&form.id))
        .collect();
    for form in open {
        tried.push(form.id);
        let Ok(next) = p.form(form) else { continue };
        let fits = next.carrier == Carrier::Velocities && next.ledger == first.ledger;
        if fits && acceleration_error(p, &next, &y, (*t, q, v)).is_none() {
            return Some((next, y));
        }
    }
    None
}

/// The samples of a trajectory as coordinates, velocities and works.
fn in_velocities(
    p: &Prepared<'_>,
    equations: &Derived<'_>,
    mut trajectory: Trajectory,
) -> Trajectory {
    if equations.carrier == Carrier::Velocities {
        return trajectory;
    }
    trajectory.ends.map(|end| {
        let y = HandoverState::of(p, equations, &end)?.state();
        Some(Sample { y, ..end })
    });
    for sample in &mut trajectory.samples {
        sample.y = match HandoverState::of(p, equations, sample) {
            Some(place) => place.state(),
            None => vec![f64::NAN; 2 * p.system.n() + equations.ledger.len()],
        };
    }
    trajectory
}
