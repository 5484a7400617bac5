//! Whether what a random section meets belongs to one surface.

/// How the solutions on a section split modulo its prime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    /// Their number over an algebraic closure.
    pub degree: usize,
    /// Bit d is set if some of the irreducible factors have degree d together.
    pub sums: u64,
}

/// What all sections have met: specialisations of one polynomial over a field of rational
/// functions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sheets {
    degree: usize,
    sums: u64,
}

impl Sheets {
    /// The number of sheets.
    pub fn count(self) -> usize {
        self.degree
    }

    /// Takes account of another specialisation; one whose degree has dropped says nothing.
    pub fn note(&mut self, split: Split) {
        if split.degree > self.degree {
            (self.degree, self.sums) = (split.degree, split.sums);
        } else if split.degree == self.degree {
            self.sums &= split.sums;
        }
    }

    /// Whether the sheets are certainly one surface. A factor of degree d would leave in every
    /// specialisation factors that have degree d together.
    pub fn are_one(self) -> bool {
        self.degree > 0 && (1..self.degree).all(|d| self.sums >> d & 1 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_one_only_if_no_factor_fits_all_that_was_met() {
        let of = |sums: &[u64]| {
            let mut sheets = Sheets::default();
            for sums in sums {
                sheets.note(Split {
                    degree: 4,
                    sums: *sums,
                });
            }
            sheets
        };
        assert!(of(&[0b10001]).are_one(), "irreducible of degree 4");
        assert!(!of(&[0b10101]).are_one(), "2 + 2 always");
        assert!(of(&[0b10101, 0b11011]).are_one(), "2 + 2 and 1 + 3");
        assert!(!of(&[0b11111]).are_one());
        let mut sheets = of(&[0b11111]);
        sheets.note(Split {
            degree: 3,
            sums: 0b1001,
        });
        assert!(!sheets.are_one(), "a degree that has dropped says nothing");
        assert_eq!(sheets.count(), 4);
        assert!(!Sheets::default().are_one(), "nothing was met");
    }
}
