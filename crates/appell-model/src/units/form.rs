//! Dimensions with unknown parts, and the linear equations that they solve.

use crate::dimension::Dimension;
use appell_expr::{Id, Rational};
use std::collections::BTreeMap;

/// What has a dimension that no unit tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unknown {
    /// A number that may have a unit, by its place in the file: solved for first, shown last.
    Number(usize),
    /// What is defined, by its index.
    Definition(usize),
    /// The multiplier of a constraint, by its index.
    Multiplier(usize),
    /// A symbol.
    Symbol(Id),
    /// The mass of bodies.
    Mass,
    /// Places and lengths between them.
    Length,
    /// Energies.
    Energy,
}

/// A known dimension times powers of unknown ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Form {
    pub(crate) known: Dimension,
    pub(crate) unknown: BTreeMap<Unknown, Rational>,
}

impl Form {
    /// A dimension that is known.
    pub(crate) fn of(known: Dimension) -> Self {
        Self {
            known,
            unknown: BTreeMap::new(),
        }
    }

    /// One that is not.
    pub(crate) fn unknown(unknown: Unknown) -> Self {
        Self {
            known: Dimension::default(),
            unknown: BTreeMap::from([(unknown, Rational::one())]),
        }
    }

    /// Multiplied by a power of another.
    pub(crate) fn times(mut self, other: &Self, power: &Rational) -> Self {
        self.known = self.known.times(&other.known, power);
        for (unknown, x) in &other.unknown {
            let exponent = self.unknown.entry(*unknown).or_insert_with(Rational::zero);
            *exponent = &*exponent + &(x * power);
        }
        self.unknown.retain(|_, x| !x.is_zero());
        self
    }

    /// Multiplied by another.
    pub(crate) fn by(self, other: &Self) -> Self {
        self.times(other, &Rational::one())
    }

    /// Divided by another.
    pub(crate) fn over(self, other: &Self) -> Self {
        self.times(other, &Rational::from(-1))
    }

    /// Whether nothing in it is unknown.
    pub(crate) fn is_known(&self) -> bool {
        self.unknown.is_empty()
    }
}

/// Unknown dimensions as far as they are solved for, each in others.
#[derive(Debug, Default)]
pub(crate) struct Solved {
    rows: Vec<(Unknown, Form)>,
}

impl Solved {
    /// A form without the unknowns that were solved for.
    pub(crate) fn reduced(&self, form: &Form) -> Form {
        let mut form = form.clone();
        for (unknown, row) in &self.rows {
            if let Some(power) = form.unknown.remove(unknown) {
                form = form.times(row, &power);
            }
        }
        form
    }

    /// Takes two dimensions to be one; whether they can be. A contradiction changes nothing.
    pub(crate) fn equate(&mut self, a: &Form, b: &Form) -> bool {
        let rest = self.reduced(&a.clone().over(b));
        let Some((unknown, power)) = rest.unknown.first_key_value() else {
            return rest.known.is_one();
        };
        // power*unknown + others + known = 0, so that the unknown is -(others + known)/power.
        let unknown = *unknown;
        let Some(inverse) = power.recip() else {
            return false;
        };
        let mut solved = Form::default().times(&rest, &-&inverse);
        solved.unknown.remove(&unknown);
        for (_, other) in &mut self.rows {
            if let Some(power) = other.unknown.remove(&unknown) {
                *other = std::mem::take(other).times(&solved, &power);
            }
        }
        self.rows.push((unknown, solved));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_and_contradictions_found() {
        let metre = Form::of(Dimension::metre());
        let number = |k| Form::unknown(Unknown::Number(k));
        let mut solved = Solved::default();
        // a b = m, a/b^2 = 1, so that b = m^(1/3).
        assert!(solved.equate(&number(1).by(&number(2)), &metre));
        assert!(solved.equate(&number(1), &number(2).by(&number(2))));
        let third = Form::default().times(&metre, &Rational::new(1, 3));
        assert_eq!(solved.reduced(&number(2)), third);
        assert!(!solved.equate(&number(2), &metre));
        assert_eq!(solved.reduced(&number(2)), third);
        assert!(solved.equate(&number(1), &number(2).by(&number(2))));
    }
}
