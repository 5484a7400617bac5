//! Numbers read from a prime field: rational numbers times powers of constants.

use appell_expr::{Ex, Rational, Samples};

/// Products of constants that factors are compared with, at most.
const MAX_UNITS: usize = 3000;

/// A rational number times powers of the constants.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factor {
    /// The number.
    pub number: Rational,
    /// The exponents of the constants.
    pub powers: Vec<i64>,
}

impl Factor {
    /// Itself, written with these constants.
    pub fn written<'g>(&self, one: Ex<'g>, constants: &[Ex<'g>]) -> Ex<'g> {
        let powers = constants.iter().zip(&self.powers);
        let powers: Vec<Ex<'g>> = powers.map(|(x, e)| x.pow(*e)).collect();
        one.graph().product(&powers).scale(&self.number)
    }

    /// The number, if no constant takes part.
    pub fn as_number(&self) -> Option<&Rational> {
        self.powers.iter().all(|e| *e == 0).then_some(&self.number)
    }

    /// `self/other`; `None` if the other is zero.
    pub fn over(&self, other: &Self) -> Option<Self> {
        let pairs = self.powers.iter().zip(&other.powers);
        Some(Self {
            number: &self.number * &other.number.recip()?,
            powers: pairs.map(|(x, y)| x - y).collect(),
        })
    }

    /// A multiple.
    pub fn scaled(&self, by: &Rational) -> Self {
        Self {
            number: &self.number * by,
            powers: self.powers.clone(),
        }
    }
}

/// Products of powers of constants, simple ones first: their exponents and residues.
pub(crate) struct Units {
    exponents: Vec<Vec<i64>>,
    residues: Vec<u64>,
}

impl Units {
    /// Those of constants with these residues.
    pub fn new(samples: &Samples, constants: &[u64]) -> Self {
        let mut all = vec![vec![0; constants.len()]];
        let mut begin = 0;
        while begin < all.len() && all.len() < MAX_UNITS {
            let end = all.len();
            for shorter in begin..end {
                // Each product is met once: by its last constant.
                let last = all[shorter].iter().rposition(|e| *e != 0).unwrap_or(0);
                for (i, step) in (last..constants.len()).flat_map(|i| [(i, 1), (i, -1)]) {
                    let turns = all[shorter][i] * step < 0;
                    if !turns && all.len() < MAX_UNITS {
                        let mut longer = all[shorter].clone();
                        longer[i] += step;
                        all.push(longer);
                    }
                }
            }
            begin = end;
        }
        let residue = |powers: &Vec<i64>| samples.power_product(constants, powers);
        // A pole is a zero, of which nothing is a multiple.
        let residues = all.iter().map(|powers| residue(powers).unwrap_or(0));
        Self {
            residues: residues.collect(),
            exponents: all,
        }
    }

    /// The factor with this residue, if it is of the kind.
    pub fn factor(&self, samples: &Samples, residue: u64) -> Option<Factor> {
        let (number, unit) = match self.exponents.as_slice() {
            [_] => (samples.rational(residue)?, 0),
            _ => samples.multiple(residue, &self.residues)?,
        };
        let powers = self.exponents.get(unit)?.clone();
        Some(Factor { number, powers })
    }
}

/// The same numbers up to a positive factor, whole and without a common divisor, unless they would be
/// long.
pub(crate) fn whole_numbers(numbers: &[Rational]) -> Option<Vec<i64>> {
    const LONG: i64 = 1 << 24;
    let mut common: i64 = 1;
    for number in numbers {
        let denominator = i64::try_from(number.denominator()).ok()?;
        common = (common / gcd(common, denominator)).checked_mul(denominator)?;
        if common > LONG {
            return None;
        }
    }
    let scaled = numbers
        .iter()
        .map(|x| (x * &Rational::from(common)).to_i64());
    let scaled: Vec<i64> = scaled.collect::<Option<_>>()?;
    let divisor = scaled.iter().fold(0, |divisor, x| gcd(divisor, *x)).max(1);
    Some(scaled.into_iter().map(|x| x / divisor).collect())
}

fn gcd(x: i64, y: i64) -> i64 {
    match y {
        0 => x.abs(),
        _ => gcd(y, x % y),
    }
}
