//! A prime field as a number system, and identities decided in it.
//!
//! An expression that vanishes at random points of a field with about 2^61 elements, the prime
//! itself drawn at random, is zero except with a probability below its degree times 2^-61 a
//! point (Schwartz 1980, Zippel 1979). `sin` and `cos` of one argument are a random point of
//! `s^2 + c^2 = 1`; a root draws its radicand among the powers; what has no algebra here
//! (`log`, `atan`, ..) is an independent unknown for each argument: sound for *zero*.

use crate::function::Function;
use crate::graph::Ex;
use crate::num::Rational;
use crate::program::{Numbers, SlotSolve};
use crate::sketch::Sketch;
use num_bigint::BigInt;
use num_integer::Integer;
use rustc_hash::FxHashMap;

/// Points at which an identity without roots is tested.
const POINTS: usize = 2;
/// Points at which one with roots is tested: `sqrt(x^2) - x` vanishes at every second point.
const POINTS_WITH_ROOTS: usize = 64;
/// Draws before giving up: each square root halves the chance that a point can be used.
const MAX_DRAWS: usize = 1000;

/// Whether an expression is identically zero, as far as algebra can tell: `true` is proved
/// (up to the stated probability), `false` means different from zero or not decided.
pub fn vanishes(x: Ex<'_>) -> bool {
    if let Some(number) = x.as_rational() {
        return number.is_zero();
    }
    let mut sketch = Sketch::new(x.graph());
    sketch.output_list("x", &[x]);
    let symbols = x.symbols();
    let Ok(program) = sketch.program(&symbols, &["x"]) else {
        return false;
    };
    let slot = program.outputs[0].slots[0] as usize;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut tested = 0;
    for _ in 0..MAX_DRAWS {
        let mut field = PrimeField::new(random_prime(&mut random), random.next());
        let numbers = program.convert_numbers(&mut field);
        let mut values: Vec<u64> = symbols.iter().map(|_| field.draw()).collect();
        if program.run(&mut field, &numbers, &mut values).is_err() || field.lost {
            continue;
        }
        if values[slot] != 0 {
            return false;
        }
        tested += 1;
        if tested
            == if field.met_roots {
                POINTS_WITH_ROOTS
            } else {
                POINTS
            }
        {
            return true;
        }
    }
    false
}

/// A draw of values that this field cannot carry: a pole, a radicand that is not a power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlucky;

/// The integers modulo a prime `p = 3 mod 4`, with random values for what is transcendental.
#[derive(Debug)]
pub struct PrimeField {
    p: u64,
    random: Random,
    /// Set when an exact number has no image here; checked after a run.
    lost: bool,
    met_roots: bool,
    unknowns: FxHashMap<(Option<Function>, Vec<u64>), u64>,
}

impl PrimeField {
    fn new(p: u64, seed: u64) -> Self {
        Self {
            p,
            random: Random(seed),
            lost: false,
            met_roots: false,
            unknowns: FxHashMap::default(),
        }
    }

    fn draw(&mut self) -> u64 {
        self.random.next() % self.p
    }

    fn times(&self, x: u64, y: u64) -> u64 {
        multiply(x, y, self.p)
    }

    fn plus(&self, x: u64, y: u64) -> u64 {
        let sum = x + y;
        if sum >= self.p { sum - self.p } else { sum }
    }

    fn minus(&self, x: u64, y: u64) -> u64 {
        self.plus(x, (self.p - y) % self.p)
    }

    fn inverse(&self, x: u64) -> Result<u64, Unlucky> {
        if x == 0 {
            Err(Unlucky)
        } else {
            Ok(power(x, self.p - 2, self.p))
        }
    }

    /// The image of an integer.
    fn reduce(&self, x: &BigInt) -> u64 {
        u64::try_from(x.mod_floor(&BigInt::from(self.p))).unwrap_or_default()
    }

    /// `x^(1/d)`, the root that is itself a `d`-th power where there are several.
    fn root(&self, x: u64, d: u64) -> Result<u64, Unlucky> {
        let order = self.p - 1;
        let odd = d >> d.trailing_zeros();
        if odd.gcd(&order) != 1 {
            return Err(Unlucky);
        }
        let mut root = x;
        for _ in 0..d.trailing_zeros() {
            let candidate = power(root, (self.p + 1) / 4, self.p);
            if self.times(candidate, candidate) != root {
                return Err(Unlucky);
            }
            root = candidate;
        }
        let inverse = i128::from(odd)
            .extended_gcd(&i128::from(order))
            .x
            .rem_euclid(order.into());
        Ok(power(
            root,
            u64::try_from(inverse).map_err(|_| Unlucky)?,
            self.p,
        ))
    }

    /// The value of something transcendental: random, but always the same for the same arguments.
    fn unknown(&mut self, f: Option<Function>, x: Vec<u64>) -> u64 {
        if let Some(value) = self.unknowns.get(&(f, x.clone())) {
            return *value;
        }
        let value = self.draw();
        self.unknowns.insert((f, x), value);
        value
    }

    /// A non-zero `e(x)` with `e(-x) = 1/e(x)`, one for each kind of function.
    fn exponential(&mut self, kind: Function, x: u64) -> Result<u64, Unlucky> {
        let opposite = (self.p - x) % self.p;
        if x == 0 {
            return Ok(1);
        }
        if opposite < x {
            let value = self.unknown(Some(kind), vec![opposite]);
            return self.inverse(value);
        }
        Ok(self.unknown(Some(kind), vec![x]))
    }

    /// `(s, c)` with `s^2 + c^2 = 1`, from the half angle's tangent; odd and even in `x`.
    fn circle(&mut self, x: u64) -> Result<(u64, u64), Unlucky> {
        let opposite = (self.p - x) % self.p;
        let flipped = opposite < x;
        let half = if x == 0 {
            0
        } else {
            self.unknown(Some(Function::Tan), vec![x.min(opposite)])
        };
        let square = self.times(half, half);
        let scale = self.inverse(self.plus(1, square))?;
        let s = self.times(self.plus(half, half), scale);
        let c = self.times(self.minus(1, square), scale);
        Ok((if flipped { self.minus(0, s) } else { s }, c))
    }
}

impl Numbers for PrimeField {
    type Value = u64;
    type Error = Unlucky;

    fn number(&mut self, x: &Rational) -> u64 {
        let inverse = self.inverse(self.reduce(&x.denominator()));
        self.lost |= inverse.is_err();
        self.times(self.reduce(&x.numerator()), inverse.unwrap_or_default())
    }

    fn pi(&mut self) -> u64 {
        self.unknown(None, Vec::new())
    }

    fn add(&mut self, x: &u64, y: &u64) -> u64 {
        self.plus(*x, *y)
    }

    fn mul(&mut self, x: &u64, y: &u64) -> u64 {
        self.times(*x, *y)
    }

    fn exact_power(&mut self, x: &u64, e: &Rational) -> Result<u64, Unlucky> {
        let degree = u64::try_from(e.denominator()).map_err(|_| Unlucky)?;
        let base = if e.is_negative() {
            self.inverse(*x)?
        } else {
            *x
        };
        self.met_roots |= degree != 1;
        let root = if degree == 1 {
            base
        } else {
            self.root(base, degree)?
        };
        let exponent = u64::try_from(e.abs().numerator()).map_err(|_| Unlucky)?;
        Ok(power(root, exponent, self.p))
    }

    fn power(&mut self, x: &u64, y: &u64) -> Result<u64, Unlucky> {
        Ok(self.unknown(None, vec![*x, *y]))
    }

    fn call(&mut self, f: Function, x: &[&u64]) -> Result<u64, Unlucky> {
        let half = power(2, self.p - 2, self.p);
        Ok(match f {
            Function::Sin => self.circle(*x[0])?.0,
            Function::Cos => self.circle(*x[0])?.1,
            Function::Tan => {
                let (s, c) = self.circle(*x[0])?;
                self.times(s, self.inverse(c)?)
            }
            Function::Exp => self.exponential(f, *x[0])?,
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let e = self.exponential(Function::Exp, *x[0])?;
                let inverse = self.inverse(e)?;
                let sinh = self.times(half, self.minus(e, inverse));
                let cosh = self.times(half, self.plus(e, inverse));
                match f {
                    Function::Sinh => sinh,
                    Function::Cosh => cosh,
                    _ => self.times(sinh, self.inverse(cosh)?),
                }
            }
            _ => self.unknown(Some(f), x.iter().map(|x| **x).collect()),
        })
    }

    /// Gauss-Jordan elimination; a singular matrix is an unlucky draw, whatever the kind.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        mut matrix: Vec<u64>,
        right: &mut Vec<u64>,
    ) -> Result<(), Unlucky> {
        let (n, columns) = (solve.size, solve.columns);
        for pivot in 0..n {
            let row = (pivot..n)
                .find(|i| matrix[i * n + pivot] != 0)
                .ok_or(Unlucky)?;
            for j in 0..n {
                matrix.swap(row * n + j, pivot * n + j);
            }
            for j in 0..columns {
                right.swap(row * columns + j, pivot * columns + j);
            }
            let inverse = self.inverse(matrix[pivot * n + pivot])?;
            for i in (0..n).filter(|i| *i != pivot) {
                let factor = self.times(matrix[i * n + pivot], inverse);
                self.subtract_row(&mut matrix, n, i, pivot, factor);
                self.subtract_row(right, columns, i, pivot, factor);
            }
        }
        for i in 0..n {
            let inverse = self.inverse(matrix[i * n + i])?;
            for x in &mut right[i * columns..(i + 1) * columns] {
                *x = self.times(*x, inverse);
            }
        }
        Ok(())
    }
}

impl PrimeField {
    /// `row_i -= factor row_pivot`.
    fn subtract_row(&self, rows: &mut [u64], width: usize, i: usize, pivot: usize, factor: u64) {
        for j in 0..width {
            let change = self.times(factor, rows[pivot * width + j]);
            rows[i * width + j] = self.minus(rows[i * width + j], change);
        }
    }
}

/// Sebastiano Vigna's splitmix64: enough for drawing points, reproducible.
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

fn multiply(x: u64, y: u64, p: u64) -> u64 {
    let product = u128::from(x) * u128::from(y) % u128::from(p);
    u64::try_from(product).unwrap_or_default()
}

fn power(mut base: u64, mut exponent: u64, p: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, p);
        }
        base = multiply(base, base, p);
        exponent >>= 1;
    }
    result
}

/// A prime `p = 3 mod 4` between 2^60 and 2^61, where square roots are powers.
fn random_prime(random: &mut Random) -> u64 {
    loop {
        let candidate = (1 << 60) | (random.next() >> 4) | 3;
        if is_prime(candidate) {
            return candidate;
        }
    }
}

/// The Miller-Rabin test with the twelve bases that decide all 64-bit numbers.
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 || BASES.iter().any(|b| n != *b && n.is_multiple_of(*b)) {
        return false;
    }
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    BASES.iter().filter(|b| **b < n).all(|base| {
        let mut x = power(*base, odd, n);
        if x == 1 || x == n - 1 {
            return true;
        }
        (1..twos).any(|_| {
            x = multiply(x, x, n);
            x == n - 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn primes_below_a_hundred() {
        let primes: Vec<u64> = (0..100).filter(|n| is_prime(*n)).collect();
        assert_eq!(primes.len(), 25);
        assert!(is_prime((1 << 61) - 1) && !is_prime((1 << 61) + 1));
        assert!(
            !is_prime(3_215_031_751),
            "a strong pseudoprime to the bases 2, 3, 5, 7"
        );
    }

    #[test]
    fn identities_vanish_and_others_do_not() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        assert!(vanishes((x + y).pow(2) - x.pow(2) - 2 * (x * y) - y.pow(2)));
        assert!(vanishes(
            (x.sin() * y).pow(2) + (x.cos() * y).pow(2) - y.pow(2)
        ));
        assert!(vanishes((x * y).sqrt() - x.sqrt() * y.sqrt()));
        assert!(vanishes(
            x.call(Function::Exp) * (-x).call(Function::Exp) - 1
        ));
        assert!(vanishes(x / x - 1));
        assert!(vanishes(
            x.call(Function::Log) + x - x.call(Function::Log) - x
        ));
        for wrong in [
            x + y,
            x.pow(2).sqrt() - x,
            x.sin() - x.cos(),
            x.pow(7) - x,
            x.call(Function::Tan) - x,
            (x + y).pow(3) - x.pow(3) - y.pow(3) - 3 * (x * y) * (x + y)
                + g.number(Rational::new(1, 1_000_000_007)),
        ] {
            assert!(!vanishes(wrong), "{wrong}");
        }
    }
}
