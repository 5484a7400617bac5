//! One file for each formalism; [`crate::FORMALISMS`] is their table.

pub(crate) mod gibbs_appell;
pub(crate) mod multipliers;
pub(crate) mod projector;
