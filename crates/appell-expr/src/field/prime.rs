//! A prime field as a number system, with random values for what is transcendental.
//!
//! `sin` and `cos` of one argument are a random point of `s^2 + c^2 = 1`, of a rational
//! multiple of pi a root of unity there; `exp` is a random square; the sign of a number is its
//! quadratic character, and square roots are those that are squares themselves, so that roots
//! of products, `abs` and `sign` go together as for real numbers. Logarithms are additive on
//! products ([`super::logarithms`]), inverse functions of angles have points on the circle
//! ([`super::arcs`]). Powers with a base of unknown sign are independent unknowns.

use super::arithmetic::{Modulus, Random, random_prime};
use super::linear;
use super::logarithms::Known;
use crate::function::Function;
use crate::num::Rational;
use crate::program::SolveKind;
use crate::program::{Numbers, SlotSolve};
use rustc_hash::FxHashMap;

/// Multiples of pi up to so many turns are recognised.
const MAX_TURNS: u64 = 8;

/// Gauss' sums are made for primes below this.
const MAX_GAUSS: u64 = 50;

/// A draw of values that this field cannot carry: a pole, a radicand that is not a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InadmissibleDraw;

/// A square root or sign, by the program that met it first and its place there.
pub(crate) type RootId = (usize, usize);

/// The square roots and signs met in one draw.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots {
    ids: FxHashMap<u64, RootId>,
    program: usize,
    met: usize,
    /// Those of the running program.
    pub used: Vec<RootId>,
    /// The first radicand of the draw that is no square.
    pub failed: Option<RootId>,
    /// Radicands met as no squares before the draw's points, all before them being squares.
    pub no_squares: Vec<RootId>,
}

impl Roots {
    /// Lets a radicand be known as this one.
    pub fn name(&mut self, radicand: u64, id: RootId) {
        self.ids.insert(radicand, id);
    }
}

/// The integers modulo a random prime `p = -1 mod m`.
#[derive(Debug, Clone)]
pub(crate) struct PrimeField {
    pub f: Modulus,
    pub random: Random,
    /// Roots of unity of this order lie on the circle; a multiple of 4.
    m: u64,
    /// A primitive `m`-th root of unity on the circle.
    turn: Circle,
    pi: u64,
    pub(super) functions: FunctionValues,
    /// What has been found in this field: programs ask for the same denominators and radicands.
    inverses: FxHashMap<u64, u64>,
    square_roots: FxHashMap<u64, Option<u64>>,
    pub roots: Roots,
    /// Set when an exact number has no image here; checked after a run.
    lost: bool,
}

/// The values that functions were given in one draw.
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionValues {
    unknowns: FxHashMap<(Option<Function>, Vec<u64>), u64>,
    /// Sines and cosines of what is met, of one of an angle and its opposite.
    circles: FxHashMap<u64, Circle>,
    /// Numbers with a logarithm, points with an angle.
    pub(super) logarithms: Vec<Known>,
    pub(super) arcs: Vec<(Circle, u64)>,
    /// Angles of Gaussian primes.
    pub(super) angles: Vec<((i64, i64), u64)>,
}

/// A point of `s^2 + c^2 = 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Circle {
    pub s: u64,
    pub c: u64,
}

impl PrimeField {
    /// A field drawn at random.
    pub fn draw(random: &mut Random, m: u64) -> Self {
        let f = random_prime(random, m);
        let mut field = Self {
            f,
            random: Random(random.next()),
            m,
            turn: Circle { s: 0, c: 1 },
            pi: 0,
            functions: FunctionValues::default(),
            inverses: FxHashMap::default(),
            square_roots: FxHashMap::default(),
            roots: Roots::default(),
            lost: false,
        };
        field.pi = 1 + field.random.below(f.p - 1);
        field.turn = field.root_of_unity();
        field
    }

    /// A random element.
    pub fn element(&mut self) -> u64 {
        self.random.below(self.f.p)
    }

    /// Begins another draw in the same field; functions keep the values that they have, or not.
    pub fn begin_again(&mut self, keep: bool) {
        if !keep {
            self.functions = FunctionValues::default();
        }
        self.roots = Roots::default();
        self.lost = false;
    }

    /// Begins another point of the same draw.
    pub fn begin_point(&mut self) {
        self.roots.failed = None;
    }

    /// Begins a program: its roots are listed from here.
    pub fn enter(&mut self, program: usize) {
        self.roots.program = program;
        self.roots.met = 0;
        self.roots.used.clear();
    }

    /// Whether every exact number had an image.
    pub fn is_sound(&self) -> bool {
        !self.lost
    }

    /// `1/x`.
    fn inverse(&mut self, x: u64) -> Result<u64, InadmissibleDraw> {
        if x < 2 {
            return self.f.inverse(x).ok_or(InadmissibleDraw);
        }
        let f = self.f;
        let known = self.inverses.entry(x);
        Ok(*known.or_insert_with(|| f.inverse(x).unwrap_or_default()))
    }

    /// Notes a root or sign; the same radicand is the same root.
    fn meet(&mut self, radicand: u64) -> RootId {
        let roots = &mut self.roots;
        let next = (roots.program, roots.met);
        let id = *roots.ids.entry(radicand).or_insert(next);
        if id == next {
            roots.met += 1;
        }
        if !roots.used.contains(&id) {
            roots.used.push(id);
        }
        id
    }

    /// The square root of a square that is a square itself.
    pub fn square_root(&mut self, x: u64) -> Result<u64, InadmissibleDraw> {
        if x == 0 {
            return Ok(0);
        }
        let id = self.meet(x);
        let f = self.f;
        let known = self.square_roots.entry(x);
        let root = *known.or_insert_with(|| f.square_root(x));
        if root.is_none() {
            self.roots.failed.get_or_insert(id);
        }
        root.ok_or(InadmissibleDraw)
    }

    /// The quadratic character, as `1`, `0`, `-1`.
    pub(super) fn sign(&mut self, x: u64) -> u64 {
        if x == 0 {
            return 0;
        }
        self.meet(self.f.times(x, x));
        if self.f.is_square(x) {
            1
        } else {
            self.f.negate(1)
        }
    }

    /// `x^(1/d)`.
    fn root(&mut self, x: u64, d: u64) -> Result<u64, InadmissibleDraw> {
        let mut root = x;
        for _ in 0..d.trailing_zeros() {
            root = self.square_root(root)?;
        }
        let odd = d >> d.trailing_zeros();
        if odd == 1 {
            return Ok(root);
        }
        let order = self.f.p - 1;
        let bezout = num_integer::Integer::extended_gcd(&i128::from(odd), &i128::from(order));
        if bezout.gcd != 1 {
            return Err(InadmissibleDraw);
        }
        let inverse =
            u64::try_from(bezout.x.rem_euclid(order.into())).map_err(|_| InadmissibleDraw)?;
        Ok(self.f.power(root, inverse))
    }

    /// The value of something transcendental: random, but always the same for the same arguments.
    fn unknown(&mut self, kind: Option<Function>, x: Vec<u64>) -> u64 {
        if let Some(value) = self.functions.unknowns.get(&(kind, x.clone())) {
            return *value;
        }
        let value = self.element();
        self.functions.unknowns.insert((kind, x), value);
        value
    }

    /// A non-zero `b^x` with `b^-x = 1/b^x`.
    fn general_power(&mut self, base: u64, x: u64) -> Result<u64, InadmissibleDraw> {
        if x == 0 {
            return Ok(1);
        }
        let opposite = self.f.negate(x);
        let value = self.unknown(None, vec![base, x.min(opposite)]);
        if opposite < x {
            self.f.inverse(value).ok_or(InadmissibleDraw)
        } else {
            Ok(value)
        }
    }

    /// `exp x`, a square since it is positive, with `exp(-x) = 1/exp x` and `log(exp x) = x`.
    fn exponential(&mut self, x: u64) -> Result<u64, InadmissibleDraw> {
        if x == 0 {
            return Ok(1);
        }
        let opposite = self.f.negate(x);
        let least = x.min(opposite);
        let root = self.unknown(Some(Function::Exp), vec![least]);
        let value = self.f.times(root, root);
        self.note_exponential(value, least)?;
        if opposite < x {
            self.f.inverse(value).ok_or(InadmissibleDraw)
        } else {
            Ok(value)
        }
    }

    /// Gives `base^x`, or the root of `exp x`, the value that rows demand; `None` for 0.
    pub fn know_exponential(&mut self, base: Option<u64>, x: u64, value: u64) -> Option<()> {
        let inverse = self.f.inverse(value)?;
        let opposite = self.f.negate(x);
        let (exponent, value) = match opposite < x {
            true => (opposite, inverse),
            false => (x, value),
        };
        let kind = base.is_none().then_some(Function::Exp);
        let key = base.into_iter().chain([exponent]).collect();
        self.functions.unknowns.insert((kind, key), value);
        Some(())
    }

    /// Gives `log|x|` the value that rows demand; `None` for the logarithm of 0.
    pub fn know_logarithm(&mut self, x: u64, value: u64) -> Option<()> {
        self.note_exponential(x, value).ok()
    }

    /// Gives the angle between `-pi/2` and `pi/2` with this sine and cosine the value that rows
    /// demand.
    pub fn know_arc(&mut self, s: u64, c: u64, value: u64) {
        self.begin_arcs();
        self.functions.arcs.push((Circle { s, c }, value));
    }

    /// The sine and cosine of a random angle.
    pub fn turn(&mut self) -> Result<(u64, u64), InadmissibleDraw> {
        let half = self.element();
        let point = self.point_of_half_tangent(half).ok_or(InadmissibleDraw)?;
        Ok((point.s, point.c))
    }

    /// Gives an angle the sine and cosine that rows demand.
    pub fn know_angle(&mut self, x: u64, s: u64, c: u64) {
        let opposite = self.f.negate(x);
        let s = if opposite < x { self.f.negate(s) } else { s };
        self.functions
            .circles
            .insert(x.min(opposite), Circle { s, c });
    }

    /// `sin x` and `cos x`; odd and even in `x`.
    fn circle(&mut self, x: u64) -> Result<Circle, InadmissibleDraw> {
        if let Some(point) = self.multiple_of_pi(x) {
            return Ok(point);
        }
        let opposite = self.f.negate(x);
        let key = x.min(opposite);
        let point = match self.functions.circles.get(&key) {
            Some(point) => *point,
            None => {
                let half = self.element();
                let point = self.point_of_half_tangent(half).ok_or(InadmissibleDraw)?;
                self.functions.circles.insert(key, point);
                point
            }
        };
        Ok(if opposite < x {
            Circle {
                s: self.f.negate(point.s),
                ..point
            }
        } else {
            point
        })
    }

    /// The point of `x = k 2 pi/m` with a small `k`.
    fn multiple_of_pi(&self, x: u64) -> Option<Circle> {
        let f = self.f;
        let k = f.times(f.times(x, f.inverse(self.pi)?), self.m / 2);
        let bound = MAX_TURNS * self.m;
        if k <= bound {
            return Some(self.times(self.turn, k));
        }
        let k = f.negate(k);
        (k <= bound).then(|| {
            let point = self.times(self.turn, k);
            Circle {
                s: f.negate(point.s),
                ..point
            }
        })
    }

    fn point_of_half_tangent(&self, h: u64) -> Option<Circle> {
        let f = self.f;
        let square = f.times(h, h);
        let scale = f.inverse(f.plus(1, square))?;
        Some(Circle {
            s: f.times(f.plus(h, h), scale),
            c: f.times(f.minus(1, square), scale),
        })
    }

    /// The point of the angle `k` times as large.
    pub(super) fn times(&self, mut point: Circle, mut k: u64) -> Circle {
        let mut result = Circle { s: 0, c: 1 };
        while k > 0 {
            if k & 1 == 1 {
                result = self.joined(result, point);
            }
            point = self.joined(point, point);
            k >>= 1;
        }
        result
    }

    /// The point of the sum of two angles.
    pub(super) fn joined(&self, x: Circle, y: Circle) -> Circle {
        let f = self.f;
        Circle {
            s: f.plus(f.times(x.s, y.c), f.times(x.c, y.s)),
            c: f.minus(f.times(x.c, y.c), f.times(x.s, y.s)),
        }
    }

    /// The point of so many parts of a turn, a divisor of `m`.
    pub(super) fn unit_turn(&self, parts: u64) -> Circle {
        self.times(self.turn, self.m / parts)
    }

    /// A point of order exactly `m`, its quarter turn `(1, 0)`: the circle is a cyclic group of
    /// order `p + 1`, and the values of sines are conjugate only if `sin(pi/2)` stays 1.
    fn root_of_unity(&mut self) -> Circle {
        let neutral = Circle { s: 0, c: 1 };
        let factors = prime_factors(self.m);
        loop {
            let half = self.element();
            let Some(point) = self.point_of_half_tangent(half) else {
                continue;
            };
            let point = self.times(point, (self.f.p + 1) / self.m);
            if factors
                .iter()
                .all(|q| self.times(point, self.m / q) != neutral)
            {
                let upright = self.times(point, self.m / 4).s == 1;
                let s = if upright {
                    point.s
                } else {
                    self.f.negate(point.s)
                };
                return self.real_turn(Circle { s, ..point }, &factors);
            }
        }
    }

    /// Of all conjugates of a root of unity, one for which the roots that real angles have are those
    /// of this field: `2 cos(pi/4) = sqrt 2`, `2 cos(pi/8) = sqrt(2 + sqrt 2)`, and so on, and for each
    /// odd prime `q` Gauss' sum of cosines or sines, which is `sqrt q`; then `sin(2 pi/q) > 0` if the
    /// sum leaves that open.
    fn real_turn(&self, mut turn: Circle, primes: &[u64]) -> Circle {
        let is_positive = |x: u64| x == 0 || self.f.is_square(x);
        for e in 3..=self.m.trailing_zeros() {
            if !is_positive(self.times(turn, self.m >> e).c) {
                let odd = self.m >> self.m.trailing_zeros();
                turn = self.times(turn, 1 + (odd << (e - 1)));
            }
        }
        for q in primes.iter().filter(|q| **q > 2 && **q < MAX_GAUSS) {
            let mut whole = 1;
            while (self.m / whole).is_multiple_of(*q) {
                whole *= q;
            }
            // These leave the roots of other orders as they are.
            let conjugates = (0..*q).map(|j| 1 + self.m / whole * j);
            let conjugates = conjugates.filter(|k| !k.is_multiple_of(*q));
            let units = conjugates.map(|k| (k, self.times(turn, self.m / q * k)));
            let positive = |unit: &(u64, Circle)| is_positive(self.gauss_sum(unit.1, *q));
            let units: Vec<(u64, Circle)> = units.filter(positive).collect();
            let upper = units.iter().find(|(_, unit)| is_positive(unit.s));
            if let Some((k, _)) = upper.or(units.first()) {
                turn = self.times(turn, *k);
            }
        }
        turn
    }

    /// `Sum (a/q) cos(2 pi a/q)` for `q = 1 mod 4`, else of sines.
    fn gauss_sum(&self, unit: Circle, q: u64) -> u64 {
        let f = self.f;
        let squares: Vec<u64> = (1..q).map(|a| a * a % q).collect();
        let mut point = Circle { s: 0, c: 1 };
        (1..q).fold(0, |sum, a| {
            point = self.joined(point, unit);
            let term = if q % 4 == 1 { point.c } else { point.s };
            if squares.contains(&a) {
                f.plus(sum, term)
            } else {
                f.minus(sum, term)
            }
        })
    }

    pub(super) fn half(&self, x: u64) -> u64 {
        self.f.times(x, self.f.p.div_ceil(2))
    }
}

fn prime_factors(mut n: u64) -> Vec<u64> {
    let mut factors = Vec::new();
    let mut q = 2;
    while q * q <= n {
        if n.is_multiple_of(q) {
            factors.push(q);
            while n.is_multiple_of(q) {
                n /= q;
            }
        }
        q += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

impl Numbers for PrimeField {
    type Value = u64;
    type Error = InadmissibleDraw;

    fn number(&mut self, x: &Rational) -> u64 {
        let image = match x.to_i64s() {
            Some((n, d)) => {
                let (n, d) = (self.f.machine_integer(n), self.f.machine_integer(d));
                self.inverse(d).ok().map(|inverse| self.f.times(n, inverse))
            }
            None => self.f.rational(x),
        };
        self.lost |= image.is_none();
        image.unwrap_or_default()
    }

    fn pi(&mut self) -> u64 {
        self.pi
    }

    fn add(&mut self, x: &u64, y: &u64) -> u64 {
        self.f.plus(*x, *y)
    }

    fn mul(&mut self, x: &u64, y: &u64) -> u64 {
        self.f.times(*x, *y)
    }

    fn exact_power(&mut self, x: &u64, e: &Rational) -> Result<u64, InadmissibleDraw> {
        let (n, d) = e.to_i64s().ok_or(InadmissibleDraw)?;
        let (exponent, degree) = (n.unsigned_abs(), d.unsigned_abs());
        let root = self.root(*x, degree)?;
        let power = self.f.power(root, exponent);
        if e.is_negative() {
            self.inverse(power)
        } else {
            Ok(power)
        }
    }

    fn power(&mut self, x: &u64, y: &u64) -> Result<u64, InadmissibleDraw> {
        self.general_power(*x, *y)
    }

    fn call(&mut self, function: Function, x: &[&u64]) -> Result<u64, InadmissibleDraw> {
        let f = self.f;
        Ok(match function {
            Function::Sin => self.circle(*x[0])?.s,
            Function::Cos => self.circle(*x[0])?.c,
            Function::Tan => {
                let point = self.circle(*x[0])?;
                f.times(point.s, f.inverse(point.c).ok_or(InadmissibleDraw)?)
            }
            Function::Exp => self.exponential(*x[0])?,
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let e = self.exponential(*x[0])?;
                let inverse = f.inverse(e).ok_or(InadmissibleDraw)?;
                let (sinh, cosh) = (
                    self.half(f.minus(e, inverse)),
                    self.half(f.plus(e, inverse)),
                );
                match function {
                    Function::Sinh => sinh,
                    Function::Cosh => cosh,
                    _ => f.times(sinh, f.inverse(cosh).ok_or(InadmissibleDraw)?),
                }
            }
            Function::Sign => self.sign(*x[0]),
            Function::Abs => f.times(self.sign(*x[0]), *x[0]),
            Function::Min | Function::Max => {
                let gap = f.minus(*x[0], *x[1]);
                let size = f.times(self.sign(gap), gap);
                let sum = f.plus(*x[0], *x[1]);
                self.half(match function {
                    Function::Min => f.minus(sum, size),
                    _ => f.plus(sum, size),
                })
            }
            Function::Log => self.logarithm(*x[0])?,
            Function::Asin => self.arc_sine(*x[0])?,
            Function::Acos => self.arc_cosine(*x[0])?,
            Function::Atan => self.arc_tangent(*x[0])?,
            Function::Atan2 => self.arc_of_point(*x[0], *x[1])?,
        })
    }

    /// Exact elimination; a singular matrix is an unlucky draw unless the kind allows for it.
    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<u64>,
        right: &mut Vec<u64>,
    ) -> Result<(), InadmissibleDraw> {
        let solver = match solve.kind {
            SolveKind::OfRows { .. } => linear::solve_consistent,
            _ => linear::solve,
        };
        *right = solver(self.f, solve.size, &matrix, right).ok_or(InadmissibleDraw)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field() -> PrimeField {
        PrimeField::draw(&mut Random(1), 40_320)
    }

    #[test]
    fn multiples_of_pi_have_their_exact_values() {
        let mut field = field();
        let angle = |field: &mut PrimeField, n: i64, d: i64| {
            let ratio = field.number(&Rational::new(n, d));
            let pi = field.pi();
            field.mul(&ratio, &pi)
        };
        let third = angle(&mut field, 1, 3);
        let half = field.number(&Rational::new(1, 2));
        assert_eq!(field.call(Function::Cos, &[&third]), Ok(half));
        let straight = angle(&mut field, 1, 1);
        let minus_one = field.number(&Rational::from(-1));
        assert_eq!(field.call(Function::Cos, &[&straight]), Ok(minus_one));
        let back = angle(&mut field, -1, 2);
        assert_eq!(field.call(Function::Sin, &[&back]), Ok(minus_one));
        let sixth = angle(&mut field, 5, 6);
        assert_eq!(field.call(Function::Sin, &[&sixth]), Ok(half));
    }

    #[test]
    fn signs_and_roots_go_together() {
        let mut field = field();
        for _ in 0..20 {
            let x = field.element();
            let square = field.mul(&x, &x);
            let root = field.square_root(square).expect("a square");
            assert_eq!(field.call(Function::Abs, &[&x]), Ok(root));
            let sign = field.call(Function::Sign, &[&x]).expect("always defined");
            assert_eq!(field.mul(&sign, &x), root);
        }
    }
}
