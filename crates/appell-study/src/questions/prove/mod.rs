//! Proofs: formalisms against each other, standing identities, and the file's claims.
//!
//! Everything is decided at common random points on the constraints, exactly, in prime fields
//! (`appell_expr::decide`); a refutation is an enclosed state where the enclosures of two values
//! have no number in common. What was proved is held against the start and other states too.
//! Parameters are unknowns first; what is not proved so is tried with the definitions that the
//! file gives for some of them, then with the file's values.

mod claims;
pub(crate) mod constraint_set;
mod energy;
pub(crate) mod forms;
mod identities;
mod integrals;
pub(crate) mod question_batch;
mod rates;
mod regular;
mod signs;
mod singular;
mod witness;

use crate::values::prepared::Prepared;
use appell_expr::limits::{Why, attempt, regardless};
use appell_expr::{Bound, Cover};
use appell_mech::{FORMALISMS, Formalism};
use constraint_set::ConstraintSet;
use forms::Forms;
use question_batch::QuestionBatch;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The bound of what rests on no random point: the least number above 0 that a double can hold.
pub const CERTAIN: &str = "2^-1074";

/// The answer of `appell prove`.
#[derive(Debug, Clone, Serialize)]
pub struct Proof {
    /// Which primes and random points were taken.
    pub seed: u64,
    /// What the random points are: `v = psi(q, z, t)`, or solutions of the constraint rows.
    pub points: &'static str,
    /// Each formalism against the first that applies.
    pub equivalence: Vec<Equivalence>,
    /// Formalisms that do not apply.
    pub unavailable: Vec<NotApplicable>,
    /// Identities that hold for every model, here for this one.
    pub identities: Vec<Identity>,
    /// The file's claims.
    pub claims: Vec<ClaimVerdict>,
}

/// Whether two formalisms give the same accelerations, reactions and, where they are unique,
/// multipliers.
#[derive(Debug, Clone, Serialize)]
pub struct Equivalence {
    /// One formalism.
    pub a: &'static str,
    /// The other.
    pub b: &'static str,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// A formalism that does not apply to the model. Not a failure.
#[derive(Debug, Clone, Serialize)]
pub struct NotApplicable {
    /// Its id.
    pub form: &'static str,
    /// Why.
    pub why: String,
}

/// A standing identity.
#[derive(Debug, Clone, Serialize)]
pub struct Identity {
    /// The identity.
    pub name: String,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What became of a claim.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimVerdict {
    /// The claim.
    pub name: String,
    /// The verdict on what is claimed.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Whether the claim holds: proved, or refuted where the file says so; `None` if undecided.
    pub holds: Option<bool>,
    /// Of a constant whose rate vanishes: where it may jump nevertheless, or the ends of its domain
    /// outside of which it may change; such a claim is undecided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between: Vec<String>,
    /// The domain or sheet it is restricted to, as written.
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub domain: Vec<String>,
    /// Its source.
    pub cite: Option<String>,
}

/// One of three answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It holds at random points; false only with a probability below the bound.
    Proved {
        /// `2^-n`.
        bound: String,
        /// How many points; `None` where several identities are behind it.
        points: Option<usize>,
        /// The degree after clearing denominators.
        degree: Option<String>,
        /// What the parameters are.
        parameters: Parameters,
        /// On which components of the constraint set, in words.
        components: String,
    },
    /// It does not hold.
    Refuted {
        /// A state where it does not; none where words say why.
        witness: Option<Witness>,
        /// Why, where there is no witness, or where a proof at random points says otherwise.
        why: Option<String>,
    },
    /// Neither could be shown.
    Undecided {
        /// What stood in the way, with the numerical evidence.
        why: String,
    },
}

/// The keys of a verdict in JSON; `components` and `parameters` are there for each.
impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Proved {
                bound,
                points,
                degree,
                parameters,
                components,
            } => {
                map.serialize_entry("verdict", "proved")?;
                map.serialize_entry("bound", bound)?;
                map.serialize_entry("points", points)?;
                map.serialize_entry("degree", degree)?;
                map.serialize_entry("components", components)?;
                map.serialize_entry("parameters", parameters)?;
            }
            Self::Refuted { witness, why } => {
                map.serialize_entry("verdict", "refuted")?;
                map.serialize_entry("witness", witness)?;
                if let Some(why) = why {
                    map.serialize_entry("why", why)?;
                }
                let of = witness.as_ref().map_or("none", |_| "that of the witness");
                map.serialize_entry("components", of)?;
                map.serialize_entry("parameters", &Parameters::Values)?;
            }
            Self::Undecided { why } => {
                map.serialize_entry("verdict", "undecided")?;
                map.serialize_entry("why", why)?;
                map.serialize_entry("components", "none")?;
                map.serialize_entry("parameters", &Parameters::Values)?;
            }
        }
        map.end()
    }
}

/// For which values of the parameters something is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Parameters {
    /// For all.
    #[serde(rename = "generic")]
    Any,
    /// For all that keep the file's definitions of some parameters by others.
    #[serde(rename = "generic")]
    Defined,
    /// For the file's values.
    #[serde(rename = "file")]
    Values,
}

/// A state where two sides differ, with the file's values of the parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Witness {
    /// The time, 20 digits.
    pub t: String,
    /// The coordinates, 20 digits.
    pub q: Vec<String>,
    /// The velocities, 20 digits.
    pub v: Vec<String>,
    /// The inputs by name, 20 digits, if the model has any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// The two values, of 20 digits those that are certain.
    pub values: [String; 2],
    /// Which component they belong to, counted from 1, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<usize>,
}

impl Verdict {
    /// Whether it is proved.
    pub fn is_proved(&self) -> bool {
        matches!(self, Self::Proved { .. })
    }

    /// Whether it is refuted.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Self::Refuted { .. })
    }

    fn proved(bound: &Bound, parameters: Parameters) -> Self {
        Self::Proved {
            bound: format!("2^{}", bound.exponent.ceil()),
            points: Some(bound.points),
            degree: Some(bound.degree.to_string()),
            parameters,
            components: components(bound.cover),
        }
    }

    /// The same where the model gives the velocities by a parametrisation.
    fn on_sheet(mut self) -> Self {
        if let Self::Proved { components, .. } = &mut self {
            "what v = psi(q, z, t) reaches".clone_into(components);
        }
        self
    }

    /// The same where no state was computed beside the random points.
    fn held_against_no_state(mut self) -> Self {
        if let Self::Proved { components, .. } = &mut self {
            components.push_str("; checked at no state, which would take too long");
        }
        self
    }

    /// The same where what is claimed has no value at the start, so that this says nothing of it.
    fn silent_at_start(mut self) -> Self {
        if let Self::Proved { components, .. } = &mut self {
            components.push_str("; it has no value at the start");
        }
        self
    }

    /// The same where some parameters have been put in at special values: not for any others.
    pub(crate) fn with_special(mut self, p: &Prepared<'_>) -> Self {
        if let Self::Proved { parameters, .. } = &mut self
            && !p.system.fixed.is_empty()
        {
            *parameters = Parameters::Values;
        }
        self
    }

    /// The same where some of the points have no value.
    fn on_a_part(mut self, most: usize) -> Self {
        if let Self::Proved {
            points: Some(points),
            components,
            ..
        } = &mut self
        {
            *components = format!(
                "{components}; it has a value at {points} of {most} points, so that it does not apply on all"
            );
        }
        self
    }

    fn undecided(why: impl Into<String>) -> Self {
        Self::Undecided { why: why.into() }
    }
}

/// On which components points were drawn, in words.
fn components(cover: Cover) -> String {
    let of = match (cover.is_one, cover.degree) {
        (true, 0 | 1) => "the only one".to_owned(),
        // A curve may have a point off all others: (0, 0) satisfies y^2 = x^2 (x - 1).
        (true, degree) => {
            format!("the only one, of degree {degree}, where its rows are independent")
        }
        (false, degree) if cover.pieces > 1 => format!(
            "every one, of degree {degree} together, met on each of the {} sets where one factor of each \
             row vanishes",
            cover.pieces
        ),
        (false, degree) => format!(
            "every one on which the rows are independent, of degree {degree} together, met by {} \
             random sections",
            cover.sections
        ),
    };
    match cover.has_singular {
        true => format!("{of}; singular on others, where the rows have a lower rank"),
        false => of,
    }
}

impl Proof {
    /// Whether an equivalence, an identity or a claim is refuted that should hold.
    pub fn is_refuted(&self) -> bool {
        let equivalences = self.equivalence.iter().map(|e| &e.verdict);
        let standing = equivalences.chain(self.identities.iter().map(|i| &i.verdict));
        standing.into_iter().any(Verdict::is_refuted)
            || self.claims.iter().any(|claim| claim.holds == Some(false))
    }
}

/// Proves what can be proved about a model.
pub fn prove(p: &Prepared<'_>) -> Proof {
    prove_seeded(p, 0)
}

/// As [`prove`], with other primes and random points, as an independent check.
pub fn prove_seeded(p: &Prepared<'_>, seed: u64) -> Proof {
    prove_by(p, FORMALISMS, seed)
}

/// As [`prove`], with a choice of formalisms; the first that applies is compared with the others.
pub fn prove_with(p: &Prepared<'_>, formalisms: &[&'static Formalism]) -> Proof {
    prove_by(p, formalisms, 0)
}

fn prove_by(p: &Prepared<'_>, formalisms: &[&'static Formalism], seed: u64) -> Proof {
    attempt(|| prove_all(p, formalisms, seed)).unwrap_or_else(|why| nothing_proved(p, seed, why))
}

/// The answer where the time is over before anything is decided.
fn nothing_proved(p: &Prepared<'_>, seed: u64, why: Why) -> Proof {
    let claims = p.model.claims.iter();
    let open = claims.map(|claim| ClaimVerdict {
        name: claim.name.clone(),
        verdict: Verdict::undecided(why.to_string()),
        holds: None,
        between: Vec::new(),
        domain: claim.domain.iter().map(|c| c.text.clone()).collect(),
        cite: claim.cite.clone(),
    });
    Proof {
        seed,
        points: "none yet",
        equivalence: Vec::new(),
        unavailable: Vec::new(),
        identities: Vec::new(),
        claims: open.collect(),
    }
}

fn prove_all(p: &Prepared<'_>, formalisms: &[&'static Formalism], seed: u64) -> Proof {
    let p = p.exact();
    let forms = Forms::new(p, formalisms);
    let set = ConstraintSet::new(p, &forms).seeded(seed);
    let mut batch = QuestionBatch::new(p, &set);
    batch.guard_by(forms.all.first());
    let pairs = forms.ask(p, &mut batch);
    let identities = identities::ask(p, &forms, &set, &mut batch);
    let claims = claims::ask(p, &forms, &mut batch);
    // From here on each question is an attempt of its own, and what is settled stays.
    regardless(|| {
        let verdicts = batch.verdicts().into_iter();
        let verdicts: Vec<Verdict> = verdicts.map(|verdict| verdict.with_special(p)).collect();
        let equivalence = forms::answers(&pairs, &verdicts);
        let claims = claims::answers(p, &set, &claims, &forms, &equivalence, &verdicts);
        Proof {
            seed,
            points: set.points(),
            identities: identities::answers(p, identities, &verdicts),
            equivalence,
            unavailable: forms.unavailable,
            claims,
        }
    })
}
