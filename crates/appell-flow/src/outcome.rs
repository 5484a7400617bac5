//! How a motion ended, as a sentence.

use std::fmt;

use crate::evaluation::EvalError;
use appell_expr::limits::Why;

/// A time and the state there, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The time.
    pub t: f64,
    /// The components of the state.
    pub state: Vec<(String, f64)>,
}

/// How a motion ended. What was computed before is kept in every case.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The last time was reached.
    Finished {
        /// The end.
        at: Place,
    },
    /// A condition of the user became true.
    Stopped {
        /// Where.
        at: Place,
        /// The condition.
        condition: String,
    },
    /// The rank of the constraints drops: the accelerations are not determined.
    Singular {
        /// Where.
        at: Place,
        /// The regular rank.
        rank: usize,
        /// `sigma_r` relative to the largest singular value met before.
        sigma: f64,
    },
    /// The rank of the constraints rises: the start was a singular state, or rows were redundant there only.
    RankRose {
        /// The first place of larger rank.
        at: Place,
        /// The rank at the start.
        rank: usize,
    },
    /// The motion would jump to another sheet of the constraints.
    SheetLost {
        /// The last place before.
        at: Place,
        /// What was seen, in words that follow "because".
        why: String,
    },
    /// A row that was left out since it depends on others is not satisfied: they contradict each other.
    RowMissed {
        /// The last place at which it is.
        at: Place,
        /// What it is called.
        row: String,
        /// What it misses, relative to its terms.
        part: f64,
    },
    /// No motion leads through the place that was come to.
    Impassable {
        /// The place.
        at: Place,
        /// What happens there.
        condition: String,
    },
    /// The step became too small for the tolerance.
    Underflow {
        /// The last place.
        at: Place,
        /// The step.
        step: f64,
    },
    /// The equations have no value however short the step.
    EvalError {
        /// The last place.
        at: Place,
        /// What has no value.
        error: EvalError,
    },
    /// The method does not apply to this motion.
    Unsuitable {
        /// The start.
        at: Place,
        /// The method.
        method: &'static str,
        /// Why not, in words that follow a colon.
        why: String,
    },
    /// The budget of steps is used up.
    StepsExhausted {
        /// The last place.
        at: Place,
        /// The budget.
        steps: usize,
    },
    /// The time or the memory that the caller grants is used up.
    OverBudget {
        /// The last place.
        at: Place,
        /// Which of them.
        why: Why,
    },
    /// The caller ended the run.
    Interrupted {
        /// The last place.
        at: Place,
    },
}

/// The kinds of outcome that a front tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitKind {
    /// As asked.
    Done,
    /// A singular state or a step that became too small.
    NumericalFailure,
    /// Too many steps, too much time or memory.
    Budget,
    /// Ended by the caller.
    Interrupted,
}

impl Outcome {
    /// The kind of this outcome.
    pub fn exit_kind(&self) -> ExitKind {
        match self {
            Outcome::Finished { .. } | Outcome::Stopped { .. } => ExitKind::Done,
            Outcome::StepsExhausted { .. } | Outcome::OverBudget { .. } => ExitKind::Budget,
            Outcome::Interrupted { .. } => ExitKind::Interrupted,
            _ => ExitKind::NumericalFailure,
        }
    }

    /// Where the motion ended.
    pub fn at(&self) -> &Place {
        match self {
            Outcome::Finished { at }
            | Outcome::Stopped { at, .. }
            | Outcome::Singular { at, .. }
            | Outcome::RankRose { at, .. }
            | Outcome::SheetLost { at, .. }
            | Outcome::RowMissed { at, .. }
            | Outcome::Impassable { at, .. }
            | Outcome::Underflow { at, .. }
            | Outcome::EvalError { at, .. }
            | Outcome::Unsuitable { at, .. }
            | Outcome::StepsExhausted { at, .. }
            | Outcome::OverBudget { at, .. }
            | Outcome::Interrupted { at } => at,
        }
    }
}

impl fmt::Display for Outcome {
    /// One piece: a sentence for each outcome.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Finished { at } => write!(f, "The motion was computed to its end, {at}."),
            Outcome::Stopped { at, condition } => {
                write!(
                    f,
                    "The motion stopped where `{condition}` became true, {at}."
                )
            }
            Outcome::Singular { at, rank, sigma } => write!(
                f,
                "The motion runs into a singular state, {at}: the rank of the constraints drops below {rank} \
                 (smallest singular value {} of the largest), so the accelerations are not determined there. \
                 End the motion before it with a `stop` condition, or start elsewhere.",
                brief(*sigma)
            ),
            Outcome::RankRose { at, rank } => write!(
                f,
                "The rank of the constraints rises above {rank}, its value at the start, {at}: the start is a \
                 singular state or its rows are redundant there only. Start from a regular state."
            ),
            Outcome::SheetLost { at, why } => write!(
                f,
                "The motion cannot be continued on its sheet of the constraints, {at}, because {why}. Smaller \
                 tolerances tell whether a singular state is near; end the motion before it with a `stop` condition."
            ),
            Outcome::RowMissed { at, row, part } => write!(
                f,
                "The constraints contradict each other beyond this place, {at}: `{row}`, which depends on the others \
                 and held so far, is missed by {} of its terms however short the step. Correct the constraints, or end \
                 the motion before it with a `stop` condition.",
                significant(*part, 2)
            ),
            Outcome::Impassable { at, condition } => write!(
                f,
                "The motion cannot go on beyond this place, {at}: {condition}."
            ),
            Outcome::Underflow { at, step } => {
                let why = "the solution grows without bound, is not smooth, or the tolerances are below rounding \
                           errors. Use larger tolerances, or end the motion before.";
                f.write_str(&too_small(at, *step, why))
            }
            Outcome::EvalError { at, error } => write!(
                f,
                "The equations cannot be evaluated beyond {at}: {error}, however short the step. End the motion \
                 before it with a `stop` condition, or start elsewhere."
            ),
            Outcome::Unsuitable { at, method, why } => write!(
                f,
                "The method `{method}` cannot compute this motion, {at}: {why}. Choose another."
            ),
            Outcome::StepsExhausted { at, steps } => write!(
                f,
                "The budget of {steps} steps is used up, {at}. Allow larger tolerances or a shorter time, or go on from the last state."
            ),
            Outcome::OverBudget { at, why } => {
                write!(
                    f,
                    "The run was ended, {at}: {why}; what was computed is kept."
                )
            }
            Outcome::Interrupted { at } => {
                write!(
                    f,
                    "The run was interrupted, {at}; what was computed is kept."
                )
            }
        }
    }
}

/// That the step became too small, with the reason in sentences that follow a colon.
pub fn too_small(at: &Place, step: f64, why: &str) -> String {
    format!("The step became too small ({}), {at}: {why}", brief(step))
}

/// That the steps are used up, with the reason in sentences that follow a colon.
pub fn steps_exhausted(at: &Place, steps: usize, why: &str) -> String {
    format!("The budget of {steps} steps is used up, {at}: {why}")
}

/// States longer than this are shortened in sentences.
const SHOWN: usize = 12;

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t = {}", brief(self.t))?;
        let mut parts: Vec<String> = self.state.iter().take(SHOWN).map(component).collect();
        if self.state.len() > SHOWN {
            parts.push(format!("{} more", self.state.len() - SHOWN));
        }
        match parts.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", parts.join(", ")),
        }
    }
}

fn component((name, value): &(String, f64)) -> String {
    format!("{name} = {}", brief(*value))
}

/// Nine significant digits, without trailing zeros.
fn brief(value: f64) -> String {
    significant(value, 9)
}

/// A number rounded to so many significant digits, at least one, without trailing zeros.
pub fn significant(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        1e-4..1e10 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        let state = vec![("x".to_owned(), 0.1 + 0.2), ("x'".to_owned(), -1.25e-9)];
        Place {
            t: 0.407_747_196_738,
            state,
        }
    }

    #[test]
    fn an_outcome_is_a_sentence_with_time_state_cause_and_remedy() {
        let singular = Outcome::Singular {
            at: place(),
            rank: 1,
            sigma: 2.5e-12,
        };
        assert_eq!(
            singular.to_string(),
            "The motion runs into a singular state, t = 0.407747197 (x = 0.3, x' = -1.25e-9): the rank of the \
             constraints drops below 1 (smallest singular value 2.5e-12 of the largest), so the accelerations are \
             not determined there. End the motion before it with a `stop` condition, or start elsewhere."
        );
        let what = "the matrix of the multipliers".to_owned();
        let error = Outcome::EvalError {
            at: place(),
            error: EvalError::Singular { what },
        };
        assert!(
            error
                .to_string()
                .contains(": the matrix of the multipliers is singular, however")
        );
    }

    #[test]
    fn long_states_are_shortened() {
        let state = (0..15).map(|i| (format!("q{i}"), f64::from(i))).collect();
        let text = Outcome::Finished {
            at: Place { t: 2.0, state },
        }
        .to_string();
        assert!(text.ends_with("q11 = 11, 3 more)."), "{text}");
    }

    #[test]
    fn kinds_follow_the_exit_codes() {
        let at = place;
        let kinds = [
            (Outcome::Finished { at: at() }, ExitKind::Done),
            (
                Outcome::Stopped {
                    at: at(),
                    condition: String::new(),
                },
                ExitKind::Done,
            ),
            (
                Outcome::Underflow {
                    at: at(),
                    step: 1e-16,
                },
                ExitKind::NumericalFailure,
            ),
            (
                Outcome::StepsExhausted { at: at(), steps: 1 },
                ExitKind::Budget,
            ),
            (Outcome::Interrupted { at: at() }, ExitKind::Interrupted),
        ];
        for (outcome, kind) in kinds {
            assert_eq!(outcome.exit_kind(), kind);
            assert_eq!(outcome.at(), &at());
        }
    }
}
