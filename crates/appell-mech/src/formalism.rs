//! A formalism is a value: who it is, and how it writes the equations of motion.

use crate::constraints::Constraints;
use crate::equations::Equations;
use crate::formalisms;
use crate::system::System;
use std::fmt;

/// A classical form of the equations of motion.
#[derive(Debug)]
pub struct Formalism {
    /// The name on the command line.
    pub id: &'static str,
    /// The name in print.
    pub title: &'static str,
    /// Its equations, in one line of plain mathematics.
    pub statement: &'static str,
    /// Where they come from: keys of `refs.bib` with equation numbers.
    pub sources: &'static [&'static str],
    /// Writes the equations.
    pub derive: for<'g> fn(&System<'g>, &Constraints<'g>) -> Result<Equations<'g>, Unavailable>,
}

/// Every formalism, in the order in which they are shown.
pub static FORMALISMS: &[&Formalism] = &[
    &formalisms::multipliers::MULTIPLIERS,
    &formalisms::projector::PROJECTOR,
    &formalisms::gibbs_appell::GIBBS_APPELL,
    &formalisms::gauss::GAUSS,
    &formalisms::udwadia_kalaba::UDWADIA_KALABA,
    &formalisms::hamilton::HAMILTON,
    &formalisms::maggi::MAGGI,
    &formalisms::boltzmann_hamel::BOLTZMANN_HAMEL,
    &formalisms::voronec::VORONEC,
    &formalisms::chaplygin::CHAPLYGIN,
    &formalisms::kane::KANE,
];

impl Formalism {
    /// The formalism of this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        FORMALISMS.iter().copied().find(|f| f.id == id)
    }
}

/// Why a formalism, or one of its results, is not to be had for a model. Not a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}
