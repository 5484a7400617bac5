//! Programs over [`Ball`]s.

use super::NoValue;
use super::ball::{Ball, MAX_DEGREE};
use super::float::Float;
use super::solve::{Rows, eliminated};
use crate::function::Function;
use crate::num::Rational;
use crate::program::SolveKind;
use crate::program::{Numbers, Operation, Program, SlotSolve, Statement};
use num_bigint::BigInt;

/// The number system: a working precision, and the constants known to it.
#[derive(Debug, Clone)]
pub struct Balls {
    pub(super) bits: u64,
    pub(super) pi: Option<(u64, Ball)>,
    pub(super) log_of_two: Option<(u64, Ball)>,
    /// Whether a rank was taken for lower than the matrix could have.
    dependent: bool,
}

impl Balls {
    /// Balls whose midpoints have so many bits.
    pub fn new(bits: u64) -> Self {
        Self {
            bits: bits.max(32),
            pi: None,
            log_of_two: None,
            dependent: false,
        }
    }

    /// A ball with both in it.
    pub fn hull(&self, x: &Ball, y: &Ball) -> Ball {
        x.hull(y, self.bits)
    }

    /// The working precision.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Runs a program and returns all its results in order.
    ///
    /// # Errors
    /// A value that does not exist or cannot be enclosed, a matrix that is singular or may be.
    pub fn run(&mut self, program: &Program, inputs: &[Ball]) -> Result<Vec<Ball>, NoValue> {
        let numbers = program.convert_numbers(self);
        let mut values = inputs.to_vec();
        program.run(self, &numbers, &mut values)?;
        let slots = program.outputs.iter().flat_map(|output| &output.slots);
        Ok(slots.map(|slot| values[*slot as usize].clone()).collect())
    }

    /// About how many products of balls a run of the program costs.
    pub fn work(program: &Program) -> u64 {
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let of = |statement: &Statement| match statement {
            Statement::Let(_, operation) => match operation {
                Operation::Number(_) | Operation::Pi => 1,
                Operation::Sum(_, terms) => 1 + count(terms.len()),
                Operation::Product(factors) => {
                    let power = |(_, e): &(u32, Rational)| match e.to_i64() {
                        Some(1) => 1,
                        Some(e) if e > 0 => 3,
                        Some(_) => 6,
                        None => 30,
                    };
                    factors.iter().map(power).sum()
                }
                Operation::Power(..) => 150,
                Operation::Call(function, _) if function.is_smooth() => 80,
                Operation::Call(..) => 2,
            },
            Statement::Solve(solve) => {
                let n = count(solve.size);
                n * n * (n / 3 + count(solve.columns) + 2)
            }
        };
        program.statements.iter().map(of).sum()
    }

    /// Whether a least solution was taken since this was last asked: rows whose enclosures hold 0 counted as
    /// dependent ones, as the kind of the matrix says, though no enclosure can show that they are.
    pub fn took_dependent_rows(&mut self) -> bool {
        std::mem::take(&mut self.dependent)
    }

    /// `log x` times `y` and back: `x^y`; whole numbers `y` for every `x`.
    fn any_power(&mut self, x: &Ball, y: &Ball) -> Result<Ball, NoValue> {
        if let Some(whole) = whole_number(y) {
            return x.integer_power(whole, self.bits);
        }
        let size = y.magnitude().unwrap_or(0).clamp(0, 64);
        let bits = self.bits + 16 + u64::try_from(size).unwrap_or(0);
        let exponent = self.log(x, bits)?.times(y, bits);
        self.exp(&exponent, self.bits)
    }
}

/// An exact whole number of moderate size.
fn whole_number(x: &Ball) -> Option<i64> {
    let exact = x.rad.is_zero() && x.magnitude().is_none_or(|size| (0..20).contains(&size));
    let whole = exact && x.mid.is_whole();
    whole.then(|| i64::try_from(x.mid.fixed(0)).ok()).flatten()
}

impl Numbers for Balls {
    type Value = Ball;
    type Error = NoValue;

    fn number(&mut self, x: &Rational) -> Ball {
        Ball::rational(x, self.bits)
    }

    fn pi(&mut self) -> Ball {
        let pi = self.pi_to(self.bits);
        Ball::rounded(pi.mid, pi.rad, self.bits)
    }

    fn add(&mut self, x: &Ball, y: &Ball) -> Ball {
        x.plus(y, self.bits)
    }

    fn mul(&mut self, x: &Ball, y: &Ball) -> Ball {
        x.times(y, self.bits)
    }

    fn exact_power(&mut self, x: &Ball, e: &Rational) -> Result<Ball, NoValue> {
        let exponent = i64::try_from(e.numerator()).map_err(|_| NoValue::Undefined)?;
        let degree = e.denominator();
        if degree == BigInt::from(1) {
            return x.integer_power(exponent, self.bits);
        }
        match u32::try_from(degree) {
            Ok(degree) if degree <= MAX_DEGREE => {
                let root = x.root(degree, self.bits + 8)?;
                root.integer_power(exponent, self.bits)
            }
            _ => {
                let e = self.number(e);
                self.any_power(x, &e)
            }
        }
    }

    fn power(&mut self, x: &Ball, y: &Ball) -> Result<Ball, NoValue> {
        self.any_power(x, y)
    }

    fn call(&mut self, f: Function, x: &[&Ball]) -> Result<Ball, NoValue> {
        let bits = self.bits;
        match f {
            Function::Sin => Ok(self.sin_cos(x[0], bits).0),
            Function::Cos => Ok(self.sin_cos(x[0], bits).1),
            Function::Tan => {
                let (s, c) = self.sin_cos(x[0], bits + 8);
                s.over(&c, bits)
            }
            Function::Asin => self.asin(x[0], bits),
            Function::Acos => {
                let angle = self.asin(x[0], bits + 8)?;
                Ok(self.pi_to(bits + 8).scaled(-1).minus(&angle, bits))
            }
            Function::Atan => self.atan(x[0], bits),
            Function::Sinh => self.hyperbolic(x[0], -1, bits),
            Function::Cosh => self.hyperbolic(x[0], 1, bits),
            Function::Tanh => self.tanh(x[0], bits),
            Function::Exp => self.exp(x[0], bits),
            Function::Log => self.log(x[0], bits),
            Function::Abs => Ok(x[0].absolute(bits)),
            Function::Sign => x[0].sign().map(Ball::from).ok_or(NoValue::Wide),
            Function::Atan2 => self.atan2(x[0], x[1], bits),
            Function::Min => Ok(between(x, bits, true)),
            Function::Max => Ok(between(x, bits, false)),
        }
    }

    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Ball>,
        right: &mut Vec<Ball>,
    ) -> Result<(), NoValue> {
        let (n, bits) = (solve.size, self.bits);
        let columns = right.len() / n.max(1);
        let row = |i: usize| {
            let b = &right[i * columns..(i + 1) * columns];
            [&matrix[i * n..(i + 1) * n], b].concat()
        };
        let rows: Rows = (0..n).map(row).collect();
        let reduced = eliminated(rows, n, None, bits)?;
        if reduced.pivots.len() < n {
            let SolveKind::OfRows { unique } = solve.kind else {
                return Err(match reduced.rest_is_zero {
                    true => NoValue::Undefined,
                    false => NoValue::Wide,
                });
            };
            self.dependent |= !reduced.rest_is_zero;
            *right = reduced.least(n, columns, unique, bits)?;
            return Ok(());
        }
        *right = reduced.solution(n, columns);
        Ok(())
    }
}

/// The smaller or the larger of two; where that is not known, all that it may be.
fn between(x: &[&Ball], bits: u64, least: bool) -> Ball {
    let gap = x[0].minus(x[1], bits);
    match gap.sign() {
        Some(sign) if (sign < 0) == least => x[0].clone(),
        Some(_) => x[1].clone(),
        None => {
            let [a, b] = [x[0], x[1]].map(|x| [x.lower(bits), x.upper(bits)]);
            if x.iter().any(|x| x.rad.is_infinite()) {
                return Ball::whole();
            }
            let pick = |a: &Float, b: &Float| {
                Ball::exact(if (a < b) == least {
                    a.clone()
                } else {
                    b.clone()
                })
            };
            pick(&a[0], &b[0]).hull(&pick(&a[1], &b[1]), bits)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LIMIT;
    use super::*;

    #[test]
    fn overflows_end_in_words_or_hold_everything() {
        let mut balls = Balls::new(256);
        let mut x = Ball::from(3);
        for _ in 0..60 {
            x = balls.mul(&x, &x);
        }
        assert!(!x.excludes_zero());
        assert_eq!(balls.call(Function::Exp, &[&x]).err(), Some(NoValue::Wide));
        let mut small = Ball::rational(&Rational::new(1, 3), 256);
        for _ in 0..60 {
            small = balls.mul(&small, &small);
        }
        assert!(!small.excludes_zero() && small.size().magnitude() <= Some(1 - LIMIT));
    }
}
