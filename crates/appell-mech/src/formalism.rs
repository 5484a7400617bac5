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
    /// The same in LaTeX, written by hand: a formula for a line of its own.
    pub latex: &'static str,
    /// Where they come from: keys of `refs.bib` with equation numbers.
    pub sources: &'static [&'static str],
    /// The objects of the paper's own recipe for writing them, in its order.
    pub recipe: &'static [Object],
    /// Writes the equations.
    pub derive: for<'g> fn(&System<'g>, &Constraints<'g>) -> Result<Equations<'g>, Unavailable>,
}

/// An object of a paper's recipe: what is printed, under the paper's letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object {
    /// The paper's letter in text, such as `[g_ij]`.
    pub letter: &'static str,
    /// The same in LaTeX.
    pub latex: &'static str,
    /// What it is in the letters of the general statement; may be empty.
    pub formula: &'static str,
    /// What it is in words.
    pub meaning: &'static str,
    /// The output that holds it; an object without this output is not shown.
    pub output: &'static str,
    /// What its rows, then its columns are counted by; none for a number.
    pub indices: &'static [Index],
}

/// What an index of an [`Object`] runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// The coordinates.
    Coordinate,
    /// The form's own fibre coordinates.
    Fibre,
    /// The active constraint rows.
    Row,
    /// The coordinates whose velocities are dependent.
    Dependent,
    /// The three components of the velocity of each particle or body, and of each `omega`.
    Body,
    /// The pairs of coordinates, in the order x,x; x,y; .. y,x; ..
    Pair,
    /// 1, 2, ..
    Number,
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
    &formalisms::connection::CONNECTION,
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
