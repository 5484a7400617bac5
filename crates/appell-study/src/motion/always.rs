//! Conditions that are claimed to hold always, looked at between the samples of a motion.

use crate::motion::along::tolerance;
use crate::motion::events::Events;
use crate::states::charts::has_charts;
use crate::values::derived::Derived;
use crate::values::derived::fields::{Wanted, crossing, fields_of};
use crate::values::outputs::{claim_output, claim_terms_output, domain_output};
use appell_expr::Relation;
use appell_flow::{
    Backend, CrossingSense, EvalError, Field, Formula, Quantity, Sample, Stop, Trajectory,
    Workspace,
};
use appell_model::{Claim, ClaimKind, Condition, Diagnostic};

/// Where to look at a condition that is to hold always.
#[derive(Clone, Copy)]
enum Watch<'m> {
    /// Where it is missed by more than its tolerance.
    Missed(&'m Condition),
    /// Where this condition of its domain becomes true.
    Entered(usize, &'m Condition),
}

/// What is watched for the claims of a model, with their places. That an equation holds is seen at any state.
fn watches(claims: &[Claim]) -> impl Iterator<Item = (usize, &Claim, Watch<'_>)> {
    claims.iter().enumerate().flat_map(|(place, claim)| {
        let inequality = match &claim.kind {
            ClaimKind::Always(condition) if condition.relation != Relation::Equal => {
                Some(condition)
            }
            _ => None,
        };
        let entered = claim.domain.iter().enumerate();
        let entered = entered.map(|(i, condition)| Watch::Entered(i, condition));
        let all = inequality.map(|condition| [Watch::Missed(condition)].into_iter().chain(entered));
        all.into_iter()
            .flatten()
            .map(move |watch| (place, claim, watch))
    })
}

/// What is watched, as a form gives it.
pub(crate) struct Always {
    all: Vec<(Box<dyn Field>, CrossingSense)>,
}

impl Always {
    /// Compiles what the form gives a value for; the rest is never met.
    ///
    /// # Errors
    /// A backend that this machine does not have.
    pub fn new(
        equations: &Derived<'_>,
        claims: &[Claim],
        backend: &Backend,
    ) -> Result<Self, Diagnostic> {
        let field = |wanted: Wanted| wanted.field(backend, |names| fields_of(equations, names));
        let mut all: Vec<(Box<dyn Field>, CrossingSense)> = Vec::new();
        for (place, claim, watch) in watches(claims) {
            if !is_watched(equations, place) {
                let never = Formula::new(0, 1, |_, _, out: &mut [f64]| out[0] = f64::NAN);
                all.push((Box::new(never), CrossingSense::Falling));
                continue;
            }
            all.push(match watch {
                Watch::Missed(condition) => {
                    let output = vec![claim_output(place)];
                    // The claim's own tolerance refers to the terms of the formula as it is written.
                    let sizes = match claim.tolerance {
                        Some(_) => Wanted::Values(vec![claim_terms_output(place)]),
                        None => Wanted::Sizes(output.clone()),
                    };
                    let margin = Margin {
                        gap: field(Wanted::Values(output))?,
                        sizes: field(sizes)?,
                        sign: match condition.relation {
                            Relation::Less | Relation::LessEqual => -1.0,
                            _ => 1.0,
                        },
                        tolerance: tolerance(claim),
                        least: if claim.tolerance.is_some() { 1.0 } else { 0.0 },
                    };
                    (Box::new(margin), CrossingSense::Falling)
                }
                Watch::Entered(component, condition) => {
                    let all = field(Wanted::Values(vec![domain_output(place)]))?;
                    (Box::new(Component { all, component }), crossing(condition))
                }
            });
        }
        Ok(Self { all })
    }

    /// Where to look: see [`noted`].
    pub fn watched(&self) -> impl Iterator<Item = Stop<&dyn Field>> {
        self.all.iter().map(|(gap, crossing)| Stop {
            gap: &**gap,
            crossing: *crossing,
            text: String::new(),
            deepest: true,
            impassable: false,
        })
    }
}

/// Whether the form gives a value for the condition of this claim, and for its domain, at the states of a motion.
pub(crate) fn is_watched(equations: &Derived<'_>, claim: usize) -> bool {
    let outputs = [claim_output(claim), domain_output(claim)];
    !has_charts(equations)
        && equations
            .interpreter(&outputs.each_ref().map(|x| &**x))
            .is_ok()
}

/// The states of a motion at which the condition of a claim may have become false, noted behind the events.
pub(crate) fn noted<'t>(
    claims: &[Claim],
    claim: usize,
    events: &Events,
    trajectory: &'t Trajectory,
) -> Vec<&'t Sample> {
    let places: Vec<usize> = watches(claims).map(|(place, ..)| place).collect();
    let before = events.watched().count();
    let is_of_claim =
        |index: usize| index.checked_sub(before).and_then(|i| places.get(i)) == Some(&claim);
    let all = trajectory.passed.iter();
    all.filter(|(index, _)| is_of_claim(*index))
        .map(|(_, sample)| sample)
        .collect()
}

/// By how much a condition holds, the difference of its sides, and what its tolerance allows; NaN without a value, for
/// a claim ends no motion.
struct Margin {
    gap: Box<dyn Field>,
    /// Of these the largest counts.
    sizes: Box<dyn Field>,
    /// 1 where the left side is to be the larger one, else -1.
    sign: f64,
    tolerance: f64,
    /// The tolerance is relative to this, or to the terms where they are larger.
    least: f64,
}

impl Quantity for Margin {
    fn inputs(&self) -> usize {
        self.gap.inputs()
    }

    fn value(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<f64, Box<EvalError>> {
        let mut sizes = vec![f64::NAN; self.sizes.outputs()];
        let mut gap = [f64::NAN];
        let known = self.gap.eval(workspace, t, y, &mut gap);
        let known = known.and_then(|()| self.sizes.eval(workspace, t, y, &mut sizes));
        let largest = sizes.iter().fold(self.least, |most, x| most.max(x.abs()));
        Ok(match known {
            Ok(()) => self.sign * gap[0] + self.tolerance * largest,
            Err(_) => f64::NAN,
        })
    }
}

/// One component of a field; NaN where that has no value.
struct Component {
    all: Box<dyn Field>,
    component: usize,
}

impl Quantity for Component {
    fn inputs(&self) -> usize {
        self.all.inputs()
    }

    fn value(&self, workspace: &mut Workspace, t: f64, y: &[f64]) -> Result<f64, Box<EvalError>> {
        let mut all = vec![f64::NAN; self.all.outputs()];
        let known = self.all.eval(workspace, t, y, &mut all);
        Ok(known.map_or(f64::NAN, |()| all[self.component]))
    }
}
