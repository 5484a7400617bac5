//! Logarithms in a prime field: `log|x|`, additive on products.
//!
//! An exponential has its exponent. A number that is a product of small powers of earlier ones (up to its sign) gets the sum of
//! their logarithms; every other is an independent unknown.

use super::arithmetic::Modulus;
use super::prime::{InadmissibleDraw, PrimeField};

/// Products of three are looked for among so many numbers, of two among so many.
const MAX_TRIPLES: usize = 8;
const MAX_PAIRS: usize = 32;

/// A number by its square, with the inverse of that, and its logarithm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    square: u64,
    inverse: u64,
    logarithm: u64,
}

/// A product of powers, and its logarithm.
type Power = (u64, u64);

impl Known {
    /// `x`, `1/x`, `x^2`, `1/x^2`, by squares.
    fn powers(self, f: Modulus) -> [Power; 4] {
        let opposite = f.negate(self.logarithm);
        let double = |x| f.plus(x, x);
        [
            (self.square, self.logarithm),
            (self.inverse, opposite),
            (f.times(self.square, self.square), double(self.logarithm)),
            (f.times(self.inverse, self.inverse), double(opposite)),
        ]
    }
}

impl PrimeField {
    /// `log|x|`.
    pub(super) fn logarithm(&mut self, x: u64) -> Result<u64, InadmissibleDraw> {
        let f = self.f;
        let square = f.times(x, x);
        let inverse = f.inverse(square).ok_or(InadmissibleDraw)?;
        if square == 1 {
            return Ok(0);
        }
        if let Some(logarithm) = self.related_logarithm(square) {
            return Ok(logarithm);
        }
        let logarithm = self.element();
        self.functions.logarithms.push(Known {
            square,
            inverse,
            logarithm,
        });
        Ok(logarithm)
    }

    /// Notes that `log x = e`.
    pub(super) fn note_exponential(&mut self, x: u64, e: u64) -> Result<(), InadmissibleDraw> {
        let f = self.f;
        let square = f.times(x, x);
        if self
            .functions
            .logarithms
            .iter()
            .all(|known| known.square != square)
        {
            self.functions.logarithms.push(Known {
                square,
                inverse: f.inverse(square).ok_or(InadmissibleDraw)?,
                logarithm: e,
            });
        }
        Ok(())
    }

    /// `log|x|` where `x` or its square is a product of small powers.
    fn related_logarithm(&self, square: u64) -> Option<u64> {
        let f = self.f;
        let fourth = f.times(square, square);
        let matched = |(product, logarithm): Power| {
            if product == square {
                return Some(logarithm);
            }
            (product == fourth).then(|| self.half(logarithm))
        };
        let join = |x: Power, y: Power| (f.times(x.0, y.0), f.plus(x.1, y.1));
        let powers: Vec<[Power; 4]> = self
            .functions
            .logarithms
            .iter()
            .map(|x| x.powers(f))
            .collect();
        let single = powers.iter().flatten().find_map(|x| matched(*x));
        if single.is_some() || powers.len() > MAX_PAIRS {
            return single;
        }
        for (i, first) in powers.iter().enumerate() {
            for (j, second) in powers.iter().enumerate().take(i) {
                for (x, y) in first
                    .iter()
                    .flat_map(|x| second.iter().map(move |y| (x, y)))
                {
                    let product = join(*x, *y);
                    let thirds = powers[..j].iter().filter(|_| powers.len() <= MAX_TRIPLES);
                    let mut triples = thirds.flatten().map(|z| join(product, *z));
                    let found = matched(product).or_else(|| triples.find_map(matched));
                    if found.is_some() {
                        return found;
                    }
                }
            }
        }
        None
    }
}
