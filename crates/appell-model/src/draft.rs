//! What a model declares, before any formula gets a value: names with their formulas.

use crate::formula::{Formula, Written};
use crate::text::Text;
use appell_expr::Span;

/// `[parameters]` or `[inputs]`, one entry.
pub(crate) struct ParameterDraft {
    pub(crate) name: String,
    pub(crate) is_input: bool,
    pub(crate) span: Span,
    pub(crate) value: Option<Formula>,
    pub(crate) unit: Option<String>,
    pub(crate) unit_span: Span,
    pub(crate) about: Option<String>,
    pub(crate) min: Option<Formula>,
    pub(crate) max: Option<Formula>,
}

/// `[particles]`, one entry.
pub(crate) struct ParticleDraft {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Its index among the places.
    pub(crate) place: usize,
    pub(crate) mass: Option<Formula>,
    pub(crate) force: Option<Formula>,
}

/// A name with its formula; none where the formula is in error.
pub(crate) struct Defined {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) formula: Option<Formula>,
}

/// Everything declared.
#[derive(Default)]
pub(crate) struct Draft {
    /// Parameters, then inputs.
    pub(crate) parameters: Vec<ParameterDraft>,
    pub(crate) definitions: Vec<Defined>,
    /// Points, then particles, then bodies: the formulas of their positions.
    pub(crate) places: Vec<Defined>,
    pub(crate) particles: Vec<ParticleDraft>,
    pub(crate) frames: Vec<FrameDraft>,
    pub(crate) bodies: Vec<BodyDraft>,
    pub(crate) gravity: Option<Formula>,
    pub(crate) gravity_span: Span,
    /// Whether `kinetic` or `lagrangian` is given, be it in error.
    pub(crate) has_energy: bool,
    /// Whether a key that is not known stands for an energy or a mass.
    pub(crate) means_energy: bool,
    /// Whether `lagrangian` is given, be it in error.
    pub(crate) has_lagrangian: bool,
    pub(crate) kinetic: Option<Formula>,
    pub(crate) potential: Option<Formula>,
    pub(crate) lagrangian: Option<Formula>,
    /// Where energies stand, or would.
    pub(crate) energy_span: Span,
    pub(crate) motion: MotionDraft,
}

impl Draft {
    /// Whether there is a particle or a body.
    pub(crate) fn has_masses(&self) -> bool {
        !(self.particles.is_empty() && self.bodies.is_empty())
    }
}

/// `[frames]`, one entry.
pub(crate) struct FrameDraft {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// None for N, or in error.
    pub(crate) parent: Option<Text>,
    pub(crate) turn: Option<Turn>,
}

/// How a frame lies in its parent.
pub(crate) enum Turn {
    /// Turned by an angle about an axis.
    Angle(Formula, Axis),
    /// Turned by a unit quaternion, the scalar part first.
    Quaternion([Formula; 4]),
}

/// An axis of rotation, in the parent.
pub(crate) enum Axis {
    /// `x`, `y` or `z`, or one of these backwards.
    Principal { index: usize, backwards: bool },
    /// Three components.
    Components(Formula),
}

/// `[bodies.NAME]`.
pub(crate) struct BodyDraft {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Its index among the places.
    pub(crate) place: usize,
    /// None where it is absent, or in error.
    pub(crate) mass: Option<Formula>,
    pub(crate) inertia: Option<InertiaDraft>,
    pub(crate) force: Option<Formula>,
    pub(crate) torque: Option<Formula>,
}

impl BodyDraft {
    /// What its inertia is made of.
    pub(crate) fn inertia_entries(&self) -> impl Iterator<Item = &Option<Formula>> {
        let inertia = self.inertia.iter();
        inertia.flat_map(|inertia| inertia.entries.iter().flatten())
    }
}

/// The entries of a matrix; none is 0.
pub(crate) struct InertiaDraft {
    pub(crate) span: Span,
    pub(crate) entries: [[Option<Formula>; 3]; 3],
}

/// What `[motion]` says, before any formula gets a value.
#[derive(Default)]
pub(crate) struct MotionDraft {
    /// The place of `[motion]`.
    pub(crate) span: Span,
    /// `v = psi(q, z, t)`: for each coordinate its equation.
    pub(crate) psi: Option<Vec<Option<Written>>>,
    /// `u = u(q, v, t)`: for each variable its equation.
    pub(crate) definitions: Option<Vec<Option<Written>>>,
    pub(crate) independent: Vec<Written>,
}
