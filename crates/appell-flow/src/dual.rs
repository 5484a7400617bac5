//! Exact derivatives: programs run on dual numbers, `x + dx` with `dx` to first order.
//!
//! Nothing is differenced: every statement has its derivative, a linear solve too
//! [griewank2008, sect. 3.1].

use crate::direction::Direction;
use crate::evaluation::EvalError;
use crate::functions::slope;
use crate::interp::{Doubles, Interpreter};
use crate::linear::Scratch;
use appell_expr::{Function, Numbers, Rational, SlotSolve, elementary};

/// A number and its derivatives along several directions at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Dual {
    /// The number.
    pub value: f64,
    /// One derivative for each direction; empty where all of them vanish.
    pub tangent: Vec<f64>,
    /// Where it has no derivative along some direction.
    rough: Option<Rough>,
}

/// A number without a derivative next to here, after which function. Products may have one all the same: `x abs(x)` and
/// `x^2 sign(x)` at 0.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rough {
    /// It changes at most in proportion to its arguments.
    Corner(&'static str),
    /// It stays bounded.
    Jump(&'static str),
}

impl Rough {
    /// A function of such a number, with its value and slope there.
    fn through(self, value: f64, slope: f64) -> Result<Dual, EvalError> {
        match self {
            Rough::Corner(_) if slope == 0.0 => Ok(Dual::constant(value)),
            Rough::Corner(_) if slope.is_finite() => Ok(Dual::rough(value, self)),
            Rough::Corner(f) | Rough::Jump(f) => Err(corner(f)),
        }
    }
}

impl Dual {
    /// A number that does not change.
    fn constant(value: f64) -> Self {
        Self {
            value,
            tangent: Vec::new(),
            rough: None,
        }
    }

    fn smooth(value: f64, tangent: Vec<f64>) -> Self {
        Self {
            value,
            tangent,
            rough: None,
        }
    }

    /// A number that has no derivative, and no tangent either.
    fn rough(value: f64, rough: Rough) -> Self {
        Self {
            rough: Some(rough),
            ..Self::constant(value)
        }
    }

    /// The order by which it vanishes next to here, 2 where its derivatives vanish too; none where it jumps.
    fn order(&self) -> Option<u32> {
        match self.rough {
            Some(Rough::Jump(_)) => None,
            _ if self.value != 0.0 => Some(0),
            None if self.is_constant() => Some(2),
            _ => Some(1),
        }
    }

    /// What keeps the product with another number from a derivative.
    fn roughness_beside(&self, other: &Dual) -> Option<Rough> {
        match (self.rough?, other.order()) {
            (Rough::Corner(_), Some(1..)) | (Rough::Jump(_), Some(2..)) => None,
            (Rough::Jump(f), Some(1)) => Some(Rough::Corner(f)),
            (rough, _) => Some(rough),
        }
    }

    /// The derivative along the direction of this index.
    pub fn along(&self, direction: usize) -> f64 {
        self.tangent.get(direction).copied().unwrap_or(0.0)
    }

    fn is_constant(&self) -> bool {
        self.tangent.iter().all(|dx| *dx == 0.0)
    }
}

impl Interpreter {
    /// The results at `(t, y)` with their derivatives along directions in `y`, at fixed `t` and
    /// parameters. Where constraint rows depend on each other all about the state, `rank` is theirs: rounded numbers
    /// of a state take it for larger.
    ///
    /// # Errors
    /// A linear solve that fails; a corner (`abs` at 0, `min` of equal numbers) or a jump that is
    /// met along a direction; along which the right side of a redundant system leaves its range.
    pub fn duals(
        &self,
        t: f64,
        y: &[f64],
        directions: &[Vec<f64>],
        rank: Option<usize>,
    ) -> Result<Vec<Dual>, EvalError> {
        let values = self.input_values(t, y).map(Dual::constant);
        let mut values: Vec<Dual> = values.collect();
        for (index, value) in values.iter_mut().skip(1).take(y.len()).enumerate() {
            let tangent = || directions.iter().map(|direction| direction[index]);
            if tangent().any(|change| change != 0.0) {
                value.tangent = tangent().collect();
            }
        }
        self.run_duals(values, directions.len(), rank)
    }

    /// The same along one direction in the time, the state, by `dy`, and the parameters; a driven one changes as its
    /// drive does.
    ///
    /// # Errors
    /// As for [`Interpreter::duals`].
    pub fn duals_along(
        &self,
        t: f64,
        y: &[f64],
        dy: &[f64],
        direction: &Direction,
        rank: Option<usize>,
    ) -> Result<Vec<Dual>, EvalError> {
        let mut changes = direction.parameters.clone();
        if let Some(drive) = self.parameters().drive() {
            let first = changes.len() - drive.count();
            drive.changes(t, y, dy, direction, &mut changes[first..]);
        }
        let changes = [direction.time]
            .into_iter()
            .chain(dy.iter().copied())
            .chain(changes);
        let moving = |(value, change): (f64, f64)| match change == 0.0 {
            true => Dual::constant(value),
            false => Dual::smooth(value, vec![change]),
        };
        let values = self.input_values(t, y).zip(changes).map(moving);
        let values = values.collect();
        self.run_duals(values, 1, rank)
    }

    fn run_duals(
        &self,
        mut values: Vec<Dual>,
        directions: usize,
        rank: Option<usize>,
    ) -> Result<Vec<Dual>, EvalError> {
        let mut scratch = Scratch::default();
        scratch.set_row_rank(rank);
        let mut system = Duals {
            doubles: Doubles {
                scratch: &mut scratch,
            },
            directions,
        };
        let numbers = self.program().convert_numbers(&mut system);
        self.program().run(&mut system, &numbers, &mut values)?;
        let results = || self.result_slots().map(|slot| &values[slot]);
        smooth(results())?;
        Ok(results().cloned().collect())
    }
}

/// The number system of [`Dual`].
struct Duals<'w> {
    doubles: Doubles<'w>,
    directions: usize,
}

/// `a dx + b dy`. A factor that is not finite does not matter where its differential vanishes.
fn combined(a: f64, dx: &[f64], b: f64, dy: &[f64]) -> Vec<f64> {
    let term = |c: f64, dz: f64| if dz == 0.0 { 0.0 } else { c * dz };
    match (dx.is_empty(), dy.is_empty()) {
        (true, true) => Vec::new(),
        (false, true) => dx.iter().map(|dx| term(a, *dx)).collect(),
        (true, false) => dy.iter().map(|dy| term(b, *dy)).collect(),
        (false, false) => {
            let pairs = dx.iter().zip(dy);
            pairs.map(|(dx, dy)| term(a, *dx) + term(b, *dy)).collect()
        }
    }
}

/// The name of the function `x^e` where that is a root.
const ROOT: &str = "sqrt";

/// A bound of the difference quotients of a function of numbers that have no derivative.
fn bound(f: Function, x: f64, value: f64) -> f64 {
    match f {
        Function::Abs | Function::Min | Function::Max => 1.0,
        Function::Sign | Function::Atan2 => f64::INFINITY,
        _ => slope(f, x, value),
    }
}

/// The worse of two.
fn worse(x: Option<Rough>, y: Option<Rough>) -> Option<Rough> {
    match (x, y) {
        (Some(Rough::Corner(_)) | None, Some(_)) => y,
        _ => x,
    }
}

/// Nothing, if all of these numbers have derivatives.
fn smooth<'d>(numbers: impl IntoIterator<Item = &'d Dual>) -> Result<(), EvalError> {
    match numbers.into_iter().find_map(|x| x.rough) {
        Some(Rough::Corner(f) | Rough::Jump(f)) => Err(corner(f)),
        None => Ok(()),
    }
}

fn corner(f: &str) -> EvalError {
    EvalError::NotFinite {
        what: format!("the derivative of `{f}` at its corner"),
    }
}

impl Numbers for Duals<'_> {
    type Value = Dual;
    type Error = EvalError;

    fn number(&mut self, x: &Rational) -> Dual {
        Dual::constant(x.to_f64())
    }

    fn pi(&mut self) -> Dual {
        Dual::constant(std::f64::consts::PI)
    }

    fn add(&mut self, x: &Dual, y: &Dual) -> Dual {
        let value = x.value + y.value;
        match worse(x.rough, y.rough) {
            Some(rough) => Dual::rough(value, rough),
            None => Dual::smooth(value, combined(1.0, &x.tangent, 1.0, &y.tangent)),
        }
    }

    fn mul(&mut self, x: &Dual, y: &Dual) -> Dual {
        let value = x.value * y.value;
        match worse(x.roughness_beside(y), y.roughness_beside(x)) {
            Some(rough) => Dual::rough(value, rough),
            None => Dual::smooth(value, combined(y.value, &x.tangent, x.value, &y.tangent)),
        }
    }

    /// `d x^e = e x^(e-1) dx`.
    fn exact_power(&mut self, x: &Dual, e: &Rational) -> Result<Dual, EvalError> {
        let below = &e.clone() - &Rational::one();
        let (value, slope) = (e.power_of(x.value), e.to_f64() * below.power_of(x.value));
        if let Some(rough) = x.rough {
            return rough.through(value, slope);
        }
        // The root of a number that vanishes with its derivatives: at most in proportion, as that of a square.
        if value == 0.0 && slope.is_infinite() && !x.tangent.is_empty() && x.is_constant() {
            let rough = match e.to_f64() < 0.5 {
                true => Rough::Jump(ROOT),
                false => Rough::Corner(ROOT),
            };
            return Ok(Dual::rough(value, rough));
        }
        Ok(Dual::smooth(value, combined(slope, &x.tangent, 0.0, &[])))
    }

    /// `d x^y = y x^(y-1) dx + x^y log x dy`.
    fn power(&mut self, x: &Dual, y: &Dual) -> Result<Dual, EvalError> {
        smooth([x, y])?;
        let value = elementary::power(x.value, y.value);
        let by_base = y.value * elementary::power(x.value, y.value - 1.0);
        let by_exponent = if value == 0.0 {
            0.0
        } else {
            value * elementary::log(x.value)
        };
        let tangent = combined(by_base, &x.tangent, by_exponent, &y.tangent);
        Ok(Dual::smooth(value, tangent))
    }

    fn call(&mut self, f: Function, x: &[&Dual]) -> Result<Dual, EvalError> {
        let zero = Dual::constant(0.0);
        let (x, y) = (x[0], x.get(1).copied().unwrap_or(&zero));
        let value = f.value(x.value, y.value);
        if let Some(rough) = worse(x.rough, y.rough) {
            return rough.through(value, bound(f, x.value, value));
        }
        let still = x.is_constant() && y.is_constant();
        let (by_first, by_second) = match f {
            Function::Sign if x.value == 0.0 && !still => {
                return Ok(Dual::rough(value, Rough::Jump(f.name())));
            }
            Function::Sign => return Ok(Dual::constant(value)),
            Function::Abs if x.value == 0.0 && !still => {
                return Ok(Dual::rough(value, Rough::Corner(f.name())));
            }
            Function::Min | Function::Max if x.value == y.value && !still => {
                let apart = |i: usize| x.along(i) != y.along(i);
                if (0..self.directions).any(apart) {
                    return Ok(Dual::rough(value, Rough::Corner(f.name())));
                }
                (1.0, 0.0)
            }
            Function::Abs => (x.value.signum(), 0.0),
            Function::Min | Function::Max if value == x.value => (1.0, 0.0),
            Function::Min | Function::Max => (0.0, 1.0),
            Function::Atan2 => {
                let square = x.value * x.value + y.value * y.value;
                (y.value / square, -x.value / square)
            }
            _ => (slope(f, x.value, value), 0.0),
        };
        let tangent = combined(by_first, &x.tangent, by_second, &y.tangent);
        Ok(Dual::smooth(value, tangent))
    }

    /// `A X = B` and, with the same matrix, `A dX = dB - dA X`.
    ///
    /// Where `A` is singular and the system consistent, `dX` is the solution of least norm: a
    /// derivative of what is unique, and of some solution else.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Dual>,
        right: &mut Vec<Dual>,
    ) -> Result<(), EvalError> {
        smooth(matrix.iter().chain(&*right))?;
        let (n, r, d) = (solve.size, solve.columns, self.directions);
        let plain = |x: &[Dual]| x.iter().map(|x| x.value).collect::<Vec<f64>>();
        let (a, mut x) = (plain(&matrix), plain(right));
        self.doubles.solve(solve, a.clone(), &mut x)?;
        let mut dx = vec![0.0; n * r * d];
        for (place, b) in right.iter().enumerate() {
            let row = &matrix[place / r * n..(place / r + 1) * n];
            for (index, dx) in dx[place * d..(place + 1) * d].iter_mut().enumerate() {
                let terms = row
                    .iter()
                    .enumerate()
                    .filter(|(_, a)| !a.tangent.is_empty());
                let moved = terms.map(|(j, a)| a.tangent[index] * x[j * r + place % r]);
                *dx = b.along(index) - moved.sum::<f64>();
            }
        }
        if dx.iter().any(|dx| *dx != 0.0) {
            self.doubles.solve(solve, a, &mut dx)?;
        }
        let tangents = dx.chunks(d.max(1)).map(<[f64]>::to_vec);
        let tangents = tangents.chain(std::iter::repeat(Vec::new()));
        *right = x
            .into_iter()
            .zip(tangents)
            .map(|(value, tangent)| Dual::smooth(value, tangent))
            .collect();
        Ok(())
    }
}
