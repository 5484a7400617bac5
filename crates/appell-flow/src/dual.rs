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
}

impl Dual {
    /// A number that does not change.
    fn constant(value: f64) -> Self {
        Self {
            value,
            tangent: Vec::new(),
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
    /// parameters.
    ///
    /// # Errors
    /// A linear solve that fails; a corner (`abs` at 0, `min` of equal numbers) or a jump that is
    /// met along a direction; along which the right side of a redundant system leaves its range.
    pub fn duals(
        &self,
        t: f64,
        y: &[f64],
        directions: &[Vec<f64>],
    ) -> Result<Vec<Dual>, EvalError> {
        let values = self.input_values(t, y).map(Dual::constant);
        let mut values: Vec<Dual> = values.collect();
        for (index, value) in values.iter_mut().skip(1).take(y.len()).enumerate() {
            value.tangent = directions
                .iter()
                .map(|direction| direction[index])
                .collect();
        }
        self.run_duals(values, directions.len())
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
        let moving = |(value, change): (f64, f64)| Dual {
            value,
            tangent: if change == 0.0 {
                Vec::new()
            } else {
                vec![change]
            },
        };
        let values = self.input_values(t, y).zip(changes).map(moving);
        let values = values.collect();
        self.run_duals(values, 1)
    }

    fn run_duals(&self, mut values: Vec<Dual>, directions: usize) -> Result<Vec<Dual>, EvalError> {
        let mut scratch = Scratch::default();
        let mut system = Duals {
            doubles: Doubles {
                scratch: &mut scratch,
            },
            directions,
        };
        let numbers = self.program().convert_numbers(&mut system);
        self.program().run(&mut system, &numbers, &mut values)?;
        Ok(self
            .result_slots()
            .map(|slot| values[slot].clone())
            .collect())
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

fn corner(f: Function) -> EvalError {
    EvalError::NotFinite {
        what: format!("the derivative of `{}` at its corner", f.name()),
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
        Dual {
            value: x.value + y.value,
            tangent: combined(1.0, &x.tangent, 1.0, &y.tangent),
        }
    }

    fn mul(&mut self, x: &Dual, y: &Dual) -> Dual {
        Dual {
            value: x.value * y.value,
            tangent: combined(y.value, &x.tangent, x.value, &y.tangent),
        }
    }

    /// `d x^e = e x^(e-1) dx`.
    fn exact_power(&mut self, x: &Dual, e: &Rational) -> Result<Dual, EvalError> {
        let below = &e.clone() - &Rational::one();
        let slope = e.to_f64() * below.power_of(x.value);
        Ok(Dual {
            value: e.power_of(x.value),
            tangent: combined(slope, &x.tangent, 0.0, &[]),
        })
    }

    /// `d x^y = y x^(y-1) dx + x^y log x dy`.
    fn power(&mut self, x: &Dual, y: &Dual) -> Result<Dual, EvalError> {
        let value = elementary::power(x.value, y.value);
        let by_base = y.value * elementary::power(x.value, y.value - 1.0);
        let by_exponent = if value == 0.0 {
            0.0
        } else {
            value * elementary::log(x.value)
        };
        Ok(Dual {
            value,
            tangent: combined(by_base, &x.tangent, by_exponent, &y.tangent),
        })
    }

    fn call(&mut self, f: Function, x: &[&Dual]) -> Result<Dual, EvalError> {
        let zero = Dual::constant(0.0);
        let (x, y) = (x[0], x.get(1).copied().unwrap_or(&zero));
        let value = f.value(x.value, y.value);
        let still = x.is_constant() && y.is_constant();
        let (by_first, by_second) = match f {
            Function::Abs | Function::Sign if x.value == 0.0 && !still => return Err(corner(f)),
            Function::Min | Function::Max if x.value == y.value && !still => {
                let apart = |i: usize| x.along(i) != y.along(i);
                if (0..self.directions).any(apart) {
                    return Err(corner(f));
                }
                (1.0, 0.0)
            }
            Function::Abs => (x.value.signum(), 0.0),
            Function::Sign => (0.0, 0.0),
            Function::Min | Function::Max if value == x.value => (1.0, 0.0),
            Function::Min | Function::Max => (0.0, 1.0),
            Function::Atan2 => {
                let square = x.value * x.value + y.value * y.value;
                (y.value / square, -x.value / square)
            }
            _ => (slope(f, x.value, value), 0.0),
        };
        Ok(Dual {
            value,
            tangent: combined(by_first, &x.tangent, by_second, &y.tangent),
        })
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
            .map(|(value, tangent)| Dual { value, tangent })
            .collect();
        Ok(())
    }
}
