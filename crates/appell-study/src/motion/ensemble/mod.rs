//! Ensembles: many motions of one model, with initial states and parameters of their own.

mod claims;
mod deviations;
mod generic;
mod members;
mod parts;
mod program;
mod quick_starts;
mod special_members;
mod starts;

use crate::motion::along::beside_tolerance;
pub use crate::motion::along::is_of_motions;
pub use claims::MemberClaim;
pub use deviations::{Exponents, MemberDeviations};
pub use members::{Members, read_members};
pub use parts::{MemberReport, Observables, PreparedEnsemble, in_parts};

use crate::motion::choices::{RunOptions, equations_for};
use crate::motion::underflow::allows_no_error;
use crate::states::charts::has_charts;
use crate::states::ranks::exact;
use crate::values::derived::{Known, shorten};
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_flow::ensemble::{Ending, EnsembleProgram, Ran, Report};
use appell_flow::{Control, ExitKind, linear};
use appell_mech::{Equations, Formalism};
use appell_model::{Code, Diagnostic};
use starts::Starts;

/// What may be said about an ensemble beside what may be said about a run.
#[derive(Debug, Clone, Default)]
pub struct EnsembleOptions {
    /// As for a single run. Without a number of samples, or times, only the ends are kept, whatever the file
    /// says.
    pub run: RunOptions,
    /// The number of threads; 0 stands for as many as the machine has processors.
    pub threads: usize,
}

/// What became of the members.
#[derive(Debug, Clone)]
pub struct Ensemble {
    /// The form of the equations.
    pub form: &'static Formalism,
    /// What ran the programs, in words.
    pub backend: String,
    /// Why that is not the backend that was asked for.
    pub backend_remark: Option<String>,
    /// The seconds that a GPU computed, without copies, where one did.
    pub device_seconds: Option<f64>,
    /// The names of the components of the state.
    pub state_names: Vec<String>,
    /// The number of members.
    pub count: usize,
    /// The last state of each member, one after the other. That of a refused member is undefined (NaN),
    /// that of one that has not begun its start.
    pub y: Vec<f64>,
    /// The last times.
    pub t: Vec<f64>,
    /// How each ended; `None` where its start was refused.
    pub endings: Vec<Option<Ending>>,
    /// Accepted steps.
    pub steps: Vec<u32>,
    /// Rejected steps.
    pub rejected: Vec<u32>,
    /// The samples that were asked for.
    pub samples: Option<Samples>,
    /// How many members were moved on to the constraints at their start.
    pub moved: usize,
    /// How many members were run as single motions, from their start.
    pub alone: usize,
    /// What is to be said of members that were refused or failed, by member, the first hundred of them.
    pub remarks: Vec<(usize, String)>,
    /// The texts of the stop conditions.
    pub conditions: Vec<String>,
    /// The largest component of each member's states, as far as they were seen; infinite where it begins at 0.
    largest: Vec<f64>,
}

/// Samples of all members.
#[derive(Debug, Clone)]
pub struct Samples {
    /// The times.
    pub times: Vec<f64>,
    /// States, by member, then by time; undefined (NaN) where a motion did not come so far.
    pub y: Vec<f64>,
}

/// The end of a member, as it is handed out when it is known and taken in again by a later call.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Which member.
    pub member: usize,
    /// The last time.
    pub t: f64,
    /// The last state.
    pub y: Vec<f64>,
    /// How it ended.
    pub ending: Ending,
    /// Accepted steps.
    pub steps: u32,
    /// Rejected steps.
    pub rejected: u32,
    /// Whether it was run alone, and the outcome as a sentence if so.
    pub alone: Option<String>,
    /// The samples, by time; empty where none were asked for.
    pub samples: Vec<f64>,
}

/// So many members have remarks at most.
const REMARKS: usize = 100;
/// Samples beyond so many numbers would only fill the memory.
const MAX_NUMBERS: usize = 1 << 29;

/// Computes the motions of all members.
///
/// Each is computed as [`run`](crate::motion::run::run()) computes one, with the same steps, projection, conditions and
/// rank monitor, but without the quadratures of the ledger. Results are the same to the last bit whatever the number
/// of threads and whoever the other members are.
///
/// # Errors
/// Columns that the model does not have, too many samples, a method that does not suit, a form that has no ensembles, and
/// whatever a single run refuses of the file's own start where no member has another.
pub fn ensemble(
    p: &Prepared<'_>,
    members: &Members,
    options: &EnsembleOptions,
    control: &mut Control<'_>,
) -> Result<Ensemble, Error> {
    ensemble_from(p, members, options, &[], None, control)
}

/// As [`ensemble`], where the ends of some members are known already; those of the others are handed out as
/// they become known, in any order. Members that were interrupted have no end.
///
/// # Errors
/// As for [`ensemble`].
pub fn ensemble_from(
    p: &Prepared<'_>,
    members: &Members,
    options: &EnsembleOptions,
    known: &[Finished],
    note: Option<&mut dyn FnMut(&Finished)>,
    control: &mut Control<'_>,
) -> Result<Ensemble, Error> {
    let observables = Observables::default();
    in_parts(p, &members.columns, None, options, &observables, |parts| {
        parts.motions(members, known, note, control)
    })?
}

/// The equations of the form; lanes have one choice of independent velocities for all time.
fn in_one_chart<'g>(p: &Prepared<'g>, options: &RunOptions) -> Result<Equations<'g>, Error> {
    let mut equations = equations_for(p, options.form)?;
    if options.form.is_none() {
        // Members begin anywhere: no choice of velocities is good for all.
        let known = Known {
            rank: &|| exact(p).map(|ranks| ranks.a),
            speeds: &|| None,
        };
        shorten(
            &mut equations,
            &p.system,
            &p.constraints,
            &p.parameters,
            &known,
        );
    }
    match has_charts(&equations) {
        false => Ok(equations),
        true => Err(refused(format!(
            "`{}` changes its independent velocities on the way, which ensembles do not",
            equations.formalism.id
        ))
        .note("take another form, such as the usual one")
        .into()),
    }
}

/// How many numbers all samples are.
fn numbers(members: usize, samples: usize, state: usize) -> Result<usize, Error> {
    let count = members
        .checked_mul(samples)
        .and_then(|n| n.checked_mul(state));
    count.filter(|count| *count <= MAX_NUMBERS).ok_or_else(|| {
        refused(format!(
            "{samples} samples of {members} members are too many to be kept"
        ))
        .note("ask for fewer samples, or for the ends only, or take the members in parts")
        .into()
    })
}

/// The largest component of a start, beside which others are small; one of zeros tells nothing.
fn size(y: &[f64]) -> f64 {
    let size = Some(linear::max_norm(y.iter())).filter(|size| *size > 0.0);
    size.unwrap_or(f64::INFINITY)
}

/// The members of which nothing is settled yet; none where that is all of them.
fn chosen(count: usize, settled: &[usize]) -> Vec<u32> {
    if settled.is_empty() {
        return Vec::new();
    }
    let mut is_settled = vec![false; count];
    settled.iter().for_each(|member| is_settled[*member] = true);
    let members = 0..count as u32;
    members
        .filter(|member| !is_settled[*member as usize])
        .collect()
}

pub(crate) fn refused(what: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::NotAllowed, what, Default::default(), "")
}

impl Ensemble {
    /// The names of the columns that stand before the state in a file: `member`, `t` and `status`, told apart from
    /// coordinates that are called so.
    pub fn head(&self) -> [String; 3] {
        ["member", "t", "status"].map(|name| {
            let taken = self.state_names.iter().any(|other| other == name);
            if taken {
                format!("{name} (of the ensemble)")
            } else {
                name.to_owned()
            }
        })
    }

    /// Members that have not moved yet.
    fn before(
        form: &'static Formalism,
        program: &EnsembleProgram<'_>,
        starts: &Starts,
        t: f64,
        count: usize,
    ) -> Self {
        let conditions = program.motion.stops.iter();
        Self {
            form,
            backend: String::new(),
            backend_remark: None,
            device_seconds: None,
            state_names: program.motion.names.to_vec(),
            count,
            y: starts.states.clone(),
            t: vec![t; count],
            endings: vec![Some(Ending::Interrupted); count],
            steps: vec![0; count],
            rejected: vec![0; count],
            samples: None,
            moved: starts.moved,
            alone: 0,
            remarks: Vec::new(),
            conditions: conditions.map(|stop| stop.text.clone()).collect(),
            largest: starts
                .states
                .chunks(program.motion.names.len().max(1))
                .map(size)
                .collect(),
        }
    }

    /// Takes in the starts of some members that were searched, where so many starts had been refused before; the members
    /// that have one.
    fn begin(&mut self, members: &[usize], starts: &Starts, refused: usize) -> Vec<usize> {
        let n = self.state_names.len();
        self.leave_out(&starts.refused[refused..]);
        self.moved = starts.moved;
        let begun = members.iter().copied();
        let begun = begun.filter(|member| self.endings[*member].is_some());
        let begun: Vec<usize> = begun.collect();
        for &member in &begun {
            let state = &starts.states[member * n..(member + 1) * n];
            self.y[member * n..(member + 1) * n].copy_from_slice(state);
            self.largest[member] = size(state);
        }
        begun
    }

    /// Members whose start is refused have no end, and a remark says why.
    fn leave_out(&mut self, refused: &[(usize, String)]) {
        for (member, why) in refused {
            self.endings[*member] = None;
            self.t[*member] = f64::NAN;
            if self.remarks.len() < REMARKS {
                let why = format!("its start is refused: {why}");
                self.remarks.push((*member, why));
            }
        }
    }

    /// All members are done, computed with this absolute tolerance.
    fn conclude(&mut self, ran: Ran, atol: f64) {
        let finished = |member: &usize| self.endings[*member] == Some(Ending::Finished);
        let words = |member: usize| Some((member, beside_tolerance(self.largest[member], atol)?));
        let mut small = (0..self.count).filter(finished).filter_map(words);
        if let Some((member, words)) = small.next() {
            let others = match small.count() {
                0 => String::new(),
                others => format!(" So it is with {others} more."),
            };
            self.remarks.push((member, format!("{words}{others}")));
        }
        if atol == 0.0 {
            self.tell_zeros();
        }
        ran.words.clone_into(&mut self.backend);
        self.device_seconds = ran.device_seconds;
        self.backend_remark = ran.remark.or(self.backend_remark.take());
        self.remarks.sort_by_key(|(member, _)| *member);
    }

    /// Members whose steps became too small where something is 0, without an absolute tolerance.
    fn tell_zeros(&mut self) {
        let n = self.state_names.len();
        for (member, words) in &mut self.remarks {
            let state = &self.y[*member * n..(*member + 1) * n];
            let zero = state.iter().position(|x| *x == 0.0);
            let fell = self.endings[*member] == Some(Ending::Underflow);
            if let Some(place) = zero.filter(|_| fell) {
                *words = format!("{words} {}", allows_no_error(&self.state_names[place]));
            }
        }
    }

    /// Takes in what was known of a member; gives the member, unless what is known is of another ensemble.
    fn take_in(&mut self, known: &Finished) -> Option<usize> {
        let (n, member) = (self.state_names.len(), known.member);
        let times = self.samples.as_ref().map_or(0, |s| s.times.len());
        let fits = member < self.count && known.y.len() == n && known.samples.len() == times * n;
        // An end is `Interrupted` until it is known.
        if !fits || self.endings[member] != Some(Ending::Interrupted) {
            return None;
        }
        if let Some(samples) = &mut self.samples {
            let place = member * times * n;
            samples.y[place..place + times * n].copy_from_slice(&known.samples);
        }
        let end = Report::End {
            member,
            t: known.t,
            y: &known.y,
            ending: known.ending,
            steps: known.steps,
            rejected: known.rejected,
            alone: known.alone.as_deref(),
        };
        self.note(end, &|member| member)
    }

    /// What is known of a member at its end.
    fn finished(&self, member: usize, report: Report<'_>) -> Finished {
        let alone = match report {
            Report::End { alone, .. } => alone.map(str::to_owned),
            Report::Sample { .. } => None,
        };
        let n = self.state_names.len();
        let samples = self.samples.as_ref().map_or(&[][..], |samples| {
            let length = samples.times.len() * n;
            &samples.y[member * length..(member + 1) * length]
        });
        Finished {
            member,
            t: self.t[member],
            y: self.state(member).to_vec(),
            ending: self.endings[member].unwrap_or(Ending::Interrupted),
            steps: self.steps[member],
            rejected: self.rejected[member],
            alone,
            samples: samples.to_vec(),
        }
    }

    /// Takes in what becomes known of a member; gives the member if that is its end.
    fn note(&mut self, report: Report<'_>, of: &impl Fn(usize) -> usize) -> Option<usize> {
        let n = self.state_names.len();
        match report {
            Report::Sample { member, index, y } => {
                self.see(of(member), y);
                if let Some(samples) = &mut self.samples {
                    let place = (of(member) * samples.times.len() + index) * n;
                    samples.y[place..place + n].copy_from_slice(y);
                }
                None
            }
            Report::End {
                member,
                t,
                y,
                ending,
                steps,
                rejected,
                alone,
            } => {
                let member = of(member);
                self.y[member * n..(member + 1) * n].copy_from_slice(y);
                self.see(member, y);
                self.t[member] = t;
                self.endings[member] = Some(ending);
                self.steps[member] = steps;
                self.rejected[member] = rejected;
                self.alone += usize::from(alone.is_some());
                let failed = ending.exit_kind() == ExitKind::NumericalFailure;
                if let Some(words) = alone.filter(|_| failed && self.remarks.len() < REMARKS) {
                    self.remarks.push((member, words.to_owned()));
                }
                (ending != Ending::Interrupted).then_some(member)
            }
        }
    }

    fn see(&mut self, member: usize, y: &[f64]) {
        let largest = &mut self.largest[member];
        *largest = largest.max(linear::max_norm(y.iter()));
    }

    /// The last state of a member.
    pub fn state(&self, member: usize) -> &[f64] {
        let n = self.state_names.len();
        &self.y[member * n..(member + 1) * n]
    }

    /// How a member ended, in one word.
    pub fn word(&self, member: usize) -> &'static str {
        self.endings[member].map_or("refused", Ending::word)
    }

    /// How many members there are of each ending, in the order in which these first occur.
    pub fn counts(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for member in 0..self.count {
            let word = self.word(member);
            match counts.iter_mut().find(|(other, _)| *other == word) {
                Some((_, count)) => *count += 1,
                None => counts.push((word, 1)),
            }
        }
        counts
    }

    /// The gravest of all ends: an interruption, a failure or refusal, a budget.
    pub fn exit(&self) -> ExitKind {
        let kinds = || {
            let endings = self.endings.iter();
            endings.map(|e| e.map_or(ExitKind::NumericalFailure, Ending::exit_kind))
        };
        let grave = [
            ExitKind::Interrupted,
            ExitKind::NumericalFailure,
            ExitKind::Budget,
        ];
        let met = grave.into_iter().find(|kind| kinds().any(|k| k == *kind));
        met.unwrap_or(ExitKind::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_counted_before_they_are_kept() {
        assert_eq!(numbers(1_000_000, 0, 8), Ok(0));
        assert_eq!(numbers(1_000, 201, 8), Ok(1_608_000));
        assert!(numbers(usize::MAX / 2, 2, 8).is_err());
    }
}
