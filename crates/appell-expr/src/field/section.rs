//! Random affine subspaces of the unknowns of some rows, and the rows on them as polynomials.
//!
//! A root, a sign, an angle, an exponential of something that moves on the section gets unknowns of
//! its own with their polynomial relations. What is transcendental is a coordinate like the others,
//! so that the section is one of the space of them all.

use super::arithmetic::{Modulus, Random};
use super::linear::eliminate;
use super::prime::{InadmissibleDraw, PrimeField};
use super::sparse::{MAX_UNKNOWNS, Sparse};
use crate::function::Function;
use crate::num::Rational;
use crate::program::{Numbers, Program, SlotSolve};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The affine rows, solved for some unknowns.
pub(crate) struct Block {
    rows: Vec<Vec<u64>>,
    pivots: Vec<(usize, usize)>,
}

impl Block {
    /// Solves for unknowns other than the chosen ones.
    pub fn new(
        f: Modulus,
        affine: &[u64],
        n: usize,
        chosen: &[usize],
    ) -> Result<Self, InadmissibleDraw> {
        let mut rows: Vec<Vec<u64>> = affine.chunks(n + 1).map(<[u64]>::to_vec).collect();
        let order: Vec<usize> = (0..n).rev().filter(|j| !chosen.contains(j)).collect();
        let pivots = eliminate(f, &mut rows, &order);
        // Without a pivot a row must be 0 = 0: it depends on the others.
        let left = &rows[pivots.len()..];
        if left.iter().any(|row| row.iter().any(|x| *x != 0)) {
            return Err(InadmissibleDraw);
        }
        Ok(Self { rows, pivots })
    }

    /// Moves the unknowns that the rows are solved for.
    pub fn relax(&self, f: Modulus, unknowns: &[usize], point: &mut [u64]) {
        for (row, column) in &self.pivots {
            let row = &self.rows[*row];
            let mut sum = row[unknowns.len()];
            for (j, place) in unknowns.iter().enumerate().filter(|(j, _)| j != column) {
                sum = f.plus(sum, f.times(row[j], point[*place]));
            }
            point[unknowns[*column]] = f.negate(sum);
        }
    }
}

/// A random affine subspace through a point, as far as affine rows admit it: every unknown as an
/// affine polynomial in the coordinates of the subspace.
pub(crate) struct Section {
    unknowns: Vec<usize>,
    values: Vec<Sparse>,
}

impl Section {
    pub fn new(
        field: &mut PrimeField,
        block: &Block,
        unknowns: &[usize],
        point: &[u64],
        dimension: usize,
    ) -> Self {
        let f = field.f;
        let mut corner = |random: bool| {
            let mut corner = point.to_vec();
            for place in unknowns.iter().filter(|_| random) {
                corner[*place] = field.element();
            }
            block.relax(f, unknowns, &mut corner);
            corner
        };
        let base = corner(false);
        let corners: Vec<Vec<u64>> = (0..dimension).map(|_| corner(true)).collect();
        let value = |place: &usize| {
            let start = Sparse::constant(base[*place]);
            (0..dimension).fold(start, |sum, i| {
                let slope = f.minus(corners[i][*place], base[*place]);
                sum.plus(f, slope, &Sparse::unknown(i))
            })
        };
        Self {
            values: unknowns.iter().map(value).collect(),
            unknowns: unknowns.to_vec(),
        }
    }

    /// Moves the point to these coordinates of the section.
    pub fn move_to(&self, f: Modulus, point: &mut [u64], at: &[u64]) {
        for (place, value) in self.unknowns.iter().zip(&self.values) {
            point[*place] = value.at(f, at);
        }
    }

    /// The values of a program's inputs on the section.
    pub fn inputs(&self, point: &[u64]) -> Vec<Value> {
        let mut inputs: Vec<Value> = point.iter().map(|x| Value::Number(*x)).collect();
        for (place, value) in self.unknowns.iter().zip(&self.values) {
            inputs[*place] = Value::of(value.clone());
        }
        inputs
    }
}

/// Exponents of factors by their number.
type Denominator = BTreeMap<usize, u64>;

/// A number, or a polynomial over a product of factors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    Quotient(Rc<Sparse>, Rc<Denominator>),
}

impl Value {
    pub(super) fn of(numerator: Sparse) -> Self {
        Self::quotient(numerator, Denominator::new())
    }

    fn quotient(numerator: Sparse, denominator: Denominator) -> Self {
        match numerator.as_constant() {
            Some(c) if c == 0 || denominator.is_empty() => Self::Number(c),
            _ => Self::Quotient(Rc::new(numerator), Rc::new(denominator)),
        }
    }

    fn numerator(&self) -> Rc<Sparse> {
        match self {
            Self::Number(c) => Rc::new(Sparse::constant(*c)),
            Self::Quotient(numerator, _) => numerator.clone(),
        }
    }

    fn denominator(&self) -> Rc<Denominator> {
        match self {
            Self::Number(_) => Rc::default(),
            Self::Quotient(_, denominator) => denominator.clone(),
        }
    }

    /// The value at a point, where the factors have these values.
    fn at(&self, f: Modulus, point: &[u64], factors: &[u64]) -> Option<u64> {
        match self {
            Self::Number(c) => Some(*c),
            Self::Quotient(numerator, denominator) => {
                let powers = denominator.iter().map(|(i, e)| f.power(factors[*i], *e));
                let below = powers.fold(1, |product, x| f.times(product, x));
                Some(f.times(numerator.at(f, point), f.inverse(below)?))
            }
        }
    }

    fn opposite(&self, f: Modulus) -> Self {
        match self {
            Self::Number(c) => Self::Number(f.negate(*c)),
            Self::Quotient(numerator, denominator) => {
                let negated = numerator.scaled(f, f.negate(1));
                Self::Quotient(Rc::new(negated), denominator.clone())
            }
        }
    }
}

/// Why rows have no polynomials on a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// This field does not carry them.
    InadmissibleDraw,
    /// They are too large, or have too many roots and functions.
    TooLarge,
    /// They have infinitely many solutions there.
    Infinite,
}

impl From<InadmissibleDraw> for Stuck {
    fn from(_: InadmissibleDraw) -> Self {
        Self::InadmissibleDraw
    }
}

/// A function of something that moves on the section.
enum Atom {
    /// `value^degree = radicand`.
    Root(Value, u64, Value),
    /// The sign of a value.
    Sign(Value, Value),
    /// `sin` and `cos` of an angle.
    Angle(Value, [Value; 2]),
    /// A power of a base, or the root of `exp` of a value.
    Exponential(Option<Value>, Value, Value),
    /// `log|x|`.
    Logarithm(Value, Value),
    /// The angle between `-pi/2` and `pi/2` with this sine and cosine.
    Arc([Value; 2], Value),
}

/// Polynomials on a section as a number system.
pub(crate) struct OnSection<'f> {
    field: &'f mut PrimeField,
    dimension: usize,
    unknowns: usize,
    /// The relations of the further unknowns.
    equations: Vec<Sparse>,
    atoms: Vec<Atom>,
    /// What denominators are made of; none of it must vanish.
    factors: Vec<Rc<Sparse>>,
    too_large: bool,
}

/// Rows on a section: a polynomial system.
pub(crate) struct System {
    pub unknowns: usize,
    rows: Vec<Sparse>,
    relations: Vec<Sparse>,
    atoms: Vec<Atom>,
    factors: Vec<Rc<Sparse>>,
}

impl System {
    /// The rows of a program on a section.
    pub fn new(
        field: &mut PrimeField,
        rows: &Program,
        inputs: Vec<Value>,
        dimension: usize,
    ) -> Result<Self, Stuck> {
        let mut on = OnSection {
            field,
            dimension,
            unknowns: dimension,
            equations: Vec::new(),
            atoms: Vec::new(),
            factors: Vec::new(),
            too_large: false,
        };
        let numbers = rows.convert_numbers(&mut on);
        let mut values = inputs;
        let done = rows.run(&mut on, &numbers, &mut values);
        if on.too_large {
            return Err(Stuck::TooLarge);
        }
        done?;
        if !on.field.is_sound() {
            return Err(Stuck::InadmissibleDraw);
        }
        let slots = rows.outputs.iter().flat_map(|output| &output.slots);
        let rows = slots.map(|slot| (*values[*slot as usize].numerator()).clone());
        Ok(Self {
            unknowns: on.unknowns,
            rows: rows.collect(),
            relations: on.equations,
            atoms: on.atoms,
            factors: on.factors,
        })
    }

    /// The rows and the relations of the further unknowns.
    pub fn equations(&self) -> Vec<Sparse> {
        [self.rows.as_slice(), &self.relations].concat()
    }

    /// Equations for the solutions at which the derivatives of the rows are independent: one more
    /// unknown is the reciprocal of a Jacobian determinant. With them the number of unknowns; `None`
    /// if they are too large.
    pub fn isolated(&self, f: Modulus, random: &mut Random) -> Option<(usize, Vec<Sparse>)> {
        let unknowns = self.unknowns;
        let wanted = unknowns.checked_sub(self.relations.len())?;
        let mut square = self.relations.clone();
        for _ in 0..wanted {
            let rows = self.rows.iter();
            let start = Sparse::default();
            square.push(rows.fold(start, |sum, row| sum.plus(f, random.below(f.p), row)));
        }
        let jacobian: Vec<Vec<Sparse>> = square
            .iter()
            .map(|x| (0..unknowns).map(|i| x.derivative(f, i)).collect())
            .collect();
        let all: Vec<usize> = (0..unknowns).collect();
        let determinant = minor(f, &jacobian, &all)?;
        if unknowns == MAX_UNKNOWNS {
            return None;
        }
        let product = determinant.times(f, &Sparse::unknown(unknowns))?;
        let mut equations = self.equations();
        equations.push(product.plus(f, f.negate(1), &Sparse::constant(1)));
        Some((unknowns + 1, equations))
    }

    /// What must not vanish.
    pub fn factors(&self) -> impl Iterator<Item = &Sparse> {
        self.factors.iter().map(|x| &**x)
    }

    /// How many unknowns have a sign or branch that is chosen among two.
    pub fn branches(&self) -> usize {
        let two = |atom: &&Atom| match atom {
            Atom::Root(_, degree, _) => degree % 2 == 0,
            Atom::Sign(..) => true,
            _ => false,
        };
        self.atoms.iter().filter(two).count()
    }

    /// Whether a solution has the values that the functions have; tells the field those of the
    /// transcendental ones. `None` where the functions are not defined.
    pub fn settle(&self, field: &mut PrimeField, solution: &[u64]) -> Option<bool> {
        let f = field.f;
        let factors: Vec<u64> = self.factors.iter().map(|x| x.at(f, solution)).collect();
        if factors.contains(&0) {
            return None;
        }
        let at = |x: &Value| x.at(f, solution, &factors);
        let is_square = |x: u64| x == 0 || f.is_square(x);
        let mut right = true;
        for atom in &self.atoms {
            match atom {
                Atom::Root(_, degree, value) => {
                    right &= degree % 2 == 1 || is_square(at(value)?);
                }
                Atom::Sign(of, sign) => right &= is_square(f.times(at(of)?, at(sign)?)),
                Atom::Angle(argument, point) => {
                    let [s, c] = [at(&point[0])?, at(&point[1])?];
                    field.know_angle(at(argument)?, s, c);
                }
                Atom::Exponential(base, exponent, value) => {
                    let base = base.as_ref().map(at);
                    let base = if base == Some(None) {
                        return None;
                    } else {
                        base.flatten()
                    };
                    field.know_exponential(base, at(exponent)?, at(value)?)?;
                }
                Atom::Logarithm(x, value) => field.know_logarithm(at(x)?, at(value)?)?,
                Atom::Arc(point, value) => {
                    let [s, c] = [at(&point[0])?, at(&point[1])?];
                    field.know_arc(s, c, at(value)?);
                }
            }
        }
        Some(right)
    }
}

/// The minor of the last rows in these columns, expanded by rows.
fn minor(f: Modulus, matrix: &[Vec<Sparse>], columns: &[usize]) -> Option<Sparse> {
    if columns.is_empty() {
        return Some(Sparse::constant(1));
    }
    let row = &matrix[matrix.len() - columns.len()];
    let mut sum = Sparse::default();
    for (place, column) in columns.iter().enumerate() {
        if row[*column].is_zero() {
            continue;
        }
        let rest: Vec<usize> = columns.iter().copied().filter(|c| c != column).collect();
        let term = row[*column].times(f, &minor(f, matrix, &rest)?)?;
        let sign = if place % 2 == 0 { 1 } else { f.negate(1) };
        sum = sum.plus(f, sign, &term);
    }
    Some(sum)
}

impl OnSection<'_> {
    fn f(&self) -> Modulus {
        self.field.f
    }

    fn unknown(&mut self) -> Result<Sparse, Stuck> {
        if self.unknowns == MAX_UNKNOWNS {
            return Err(Stuck::TooLarge);
        }
        self.unknowns += 1;
        Ok(Sparse::unknown(self.unknowns - 1))
    }

    /// A random affine function of the section's coordinates.
    fn coordinate(&mut self) -> Sparse {
        let f = self.f();
        let start = Sparse::constant(self.field.element());
        (0..self.dimension).fold(start, |sum, i| {
            sum.plus(f, self.field.element(), &Sparse::unknown(i))
        })
    }

    fn product(&mut self, x: &Sparse, y: &Sparse) -> Sparse {
        let product = x.times(self.f(), y);
        self.too_large |= product.is_none();
        product.unwrap_or_default()
    }

    fn power_of(&mut self, x: &Sparse, e: u64) -> Sparse {
        let power = x.power(self.f(), e);
        self.too_large |= power.is_none();
        power.unwrap_or_default()
    }

    /// The number of a factor of denominators.
    fn factor(&mut self, x: Rc<Sparse>) -> usize {
        let known = self.factors.iter().position(|known| *known == x);
        known.unwrap_or_else(|| {
            self.factors.push(x);
            self.factors.len() - 1
        })
    }

    /// The product of the factors that one denominator has more than another.
    fn missing(&mut self, wanted: &Denominator, present: &Denominator) -> Sparse {
        let mut product = Sparse::constant(1);
        for (index, e) in wanted {
            let factor = self.factors[*index].clone();
            let more = e - present.get(index).copied().unwrap_or(0);
            let power = self.power_of(&factor, more);
            product = self.product(&product, &power);
        }
        product
    }

    fn reciprocal(&mut self, x: &Value) -> Result<Value, Stuck> {
        match x {
            Value::Number(c) => {
                let inverse = self.f().inverse(*c).ok_or(Stuck::InadmissibleDraw)?;
                Ok(Value::Number(inverse))
            }
            Value::Quotient(numerator, denominator) => {
                let above = self.missing(denominator, &Denominator::new());
                Ok(match numerator.as_constant() {
                    Some(c) => {
                        let inverse = self.f().inverse(c).ok_or(Stuck::InadmissibleDraw)?;
                        Value::of(above.scaled(self.f(), inverse))
                    }
                    None => {
                        let below = self.factor(numerator.clone());
                        Value::quotient(above, [(below, 1)].into())
                    }
                })
            }
        }
    }

    /// `x^(1/degree)`.
    fn root(&mut self, x: &Value, degree: u64) -> Result<Value, Stuck> {
        if degree == 1 {
            return Ok(x.clone());
        }
        let known = self.atoms.iter().find_map(|atom| match atom {
            Atom::Root(radicand, d, value) if radicand == x && *d == degree => Some(value.clone()),
            _ => None,
        });
        if let Some(value) = known {
            return Ok(value);
        }
        let unknown = self.unknown()?;
        let power = self.power_of(&unknown, degree);
        let below = self.missing(&x.denominator(), &Denominator::new());
        let left = self.product(&power, &below);
        let opposite = self.f().negate(1);
        self.equations
            .push(left.plus(self.f(), opposite, &x.numerator()));
        let value = Value::of(unknown);
        self.atoms
            .push(Atom::Root(x.clone(), degree, value.clone()));
        Ok(value)
    }

    fn sign(&mut self, x: &Value) -> Result<Value, Stuck> {
        let f = self.f();
        let opposite = x.opposite(f);
        let known = self.atoms.iter().find_map(|atom| match atom {
            Atom::Sign(of, sign) if of == x => Some(sign.clone()),
            Atom::Sign(of, sign) if *of == opposite => Some(sign.opposite(f)),
            _ => None,
        });
        if let Some(sign) = known {
            return Ok(sign);
        }
        let unknown = self.unknown()?;
        let square = self.power_of(&unknown, 2);
        self.equations
            .push(square.plus(f, f.negate(1), &Sparse::constant(1)));
        let sign = Value::of(unknown);
        self.atoms.push(Atom::Sign(x.clone(), sign.clone()));
        Ok(sign)
    }

    /// `sin x` and `cos x`: a point of the circle with a half tangent that moves with the section,
    /// turned by a random angle, so that the one point without a half tangent is anywhere.
    fn angle(&mut self, x: &Value) -> Result<[Value; 2], Stuck> {
        let f = self.f();
        let opposite = x.opposite(f);
        let known = self.atoms.iter().find_map(|atom| match atom {
            Atom::Angle(of, point) if of == x => Some(point.clone()),
            Atom::Angle(of, [s, c]) if *of == opposite => Some([s.opposite(f), c.clone()]),
            _ => None,
        });
        if let Some(point) = known {
            return Ok(point);
        }
        let (s, c) = self.field.turn()?;
        let half = self.coordinate();
        let square = self.power_of(&half, 2);
        let one = Sparse::constant(1);
        let below = Rc::new(one.plus(f, 1, &square));
        let (sine, cosine) = (half.scaled(f, 2), one.plus(f, f.negate(1), &square));
        let turned = [
            sine.scaled(f, c).plus(f, s, &cosine),
            cosine.scaled(f, c).plus(f, f.negate(s), &sine),
        ];
        let below = self.factor(below);
        let point = turned.map(|x| Value::quotient(x, [(below, 1)].into()));
        self.atoms.push(Atom::Angle(x.clone(), point.clone()));
        Ok(point)
    }

    /// `base^x`, or the root of `exp x`.
    fn exponential(&mut self, base: Option<&Value>, x: &Value) -> Result<Value, Stuck> {
        let opposite = x.opposite(self.f());
        let known = self.atoms.iter().find_map(|atom| match atom {
            Atom::Exponential(b, e, value) if b.as_ref() == base && e == x => {
                Some((value.clone(), false))
            }
            Atom::Exponential(b, e, value) if b.as_ref() == base && *e == opposite => {
                Some((value.clone(), true))
            }
            _ => None,
        });
        match known {
            Some((value, true)) => self.reciprocal(&value),
            Some((value, false)) => Ok(value),
            None => {
                let value = Value::of(self.coordinate());
                // It is never 0.
                self.factor(value.numerator());
                let atom = Atom::Exponential(base.cloned(), x.clone(), value.clone());
                self.atoms.push(atom);
                Ok(value)
            }
        }
    }

    /// `exp x`, a square.
    fn exp(&mut self, x: &Value) -> Result<Value, Stuck> {
        let root = self.exponential(None, x)?;
        Ok(self.mul(&root, &root))
    }

    fn logarithm(&mut self, x: &Value) -> Value {
        let known = self.atoms.iter().find_map(|atom| match atom {
            Atom::Logarithm(argument, value) if argument == x => Some(value.clone()),
            _ => None,
        });
        known.unwrap_or_else(|| {
            let value = Value::of(self.coordinate());
            self.atoms.push(Atom::Logarithm(x.clone(), value.clone()));
            value
        })
    }

    fn arc(&mut self, s: Value, c: Value) -> Value {
        let point = [s, c];
        let known = self.atoms.iter().find_map(|atom| match atom {
            Atom::Arc(p, value) if *p == point => Some(value.clone()),
            _ => None,
        });
        known.unwrap_or_else(|| {
            let value = Value::of(self.coordinate());
            self.atoms.push(Atom::Arc(point, value.clone()));
            value
        })
    }

    /// `asin x`: its cosine is `sqrt(1 - x^2)`.
    fn arc_sine(&mut self, x: &Value) -> Result<Value, Stuck> {
        let square = self.mul(x, x);
        let rest = self.difference(&Value::Number(1), &square);
        let c = self.root(&rest, 2)?;
        Ok(self.arc(x.clone(), c))
    }

    /// `atan x`: its cosine is `1/sqrt(1 + x^2)`.
    fn arc_tangent(&mut self, x: &Value) -> Result<Value, Stuck> {
        let square = self.mul(x, x);
        let sum = self.add(&Value::Number(1), &square);
        let r = self.root(&sum, 2)?;
        let c = self.reciprocal(&r)?;
        let s = self.mul(x, &c);
        Ok(self.arc(s, c))
    }

    /// `atan2(y, x)`: twice the angle of half the size.
    fn arc_of_point(&mut self, y: &Value, x: &Value) -> Result<Value, Stuck> {
        let (square, other) = (self.mul(x, x), self.mul(y, y));
        let sum = self.add(&square, &other);
        let r = self.root(&sum, 2)?;
        let scale = self.reciprocal(&r)?;
        let (s, c) = (self.mul(y, &scale), self.mul(x, &scale));
        let sum = self.add(&Value::Number(1), &c);
        let mean = self.half(&sum);
        let cosine = self.root(&mean, 2)?;
        let over = self.add(&cosine, &cosine);
        let over = self.reciprocal(&over)?;
        let sine = self.mul(&s, &over);
        let angle = self.arc(sine, cosine);
        Ok(self.add(&angle, &angle))
    }

    /// By `e^x` and its reciprocal.
    fn hyperbolic(&mut self, function: Function, x: &Value) -> Result<Value, Stuck> {
        let e = self.exp(x)?;
        let inverse = self.reciprocal(&e)?;
        let (gap, sum) = (self.difference(&e, &inverse), self.add(&e, &inverse));
        Ok(match function {
            Function::Sinh => self.half(&gap),
            Function::Cosh => self.half(&sum),
            _ => {
                let below = self.reciprocal(&sum)?;
                self.mul(&gap, &below)
            }
        })
    }

    fn half(&mut self, x: &Value) -> Value {
        let half = Value::Number(self.f().p.div_ceil(2));
        self.mul(&half, x)
    }

    fn difference(&mut self, x: &Value, y: &Value) -> Value {
        let opposite = y.opposite(self.f());
        self.add(x, &opposite)
    }
}

impl Numbers for OnSection<'_> {
    type Value = Value;
    type Error = Stuck;

    fn number(&mut self, x: &Rational) -> Value {
        Value::Number(self.field.number(x))
    }

    fn pi(&mut self) -> Value {
        Value::Number(self.field.pi())
    }

    fn add(&mut self, x: &Value, y: &Value) -> Value {
        let f = self.f();
        if let (Value::Number(x), Value::Number(y)) = (x, y) {
            return Value::Number(f.plus(*x, *y));
        }
        let (left, right) = (x.denominator(), y.denominator());
        let mut common = (*left).clone();
        for (index, e) in right.iter() {
            let entry = common.entry(*index).or_default();
            *entry = (*entry).max(*e);
        }
        let (more, other) = (self.missing(&common, &left), self.missing(&common, &right));
        let above = self.product(&x.numerator(), &more);
        let added = self.product(&y.numerator(), &other);
        Value::quotient(above.plus(f, 1, &added), common)
    }

    fn mul(&mut self, x: &Value, y: &Value) -> Value {
        if let (Value::Number(x), Value::Number(y)) = (x, y) {
            return Value::Number(self.f().times(*x, *y));
        }
        let mut below = (*x.denominator()).clone();
        for (index, e) in y.denominator().iter() {
            *below.entry(*index).or_default() += e;
        }
        Value::quotient(self.product(&x.numerator(), &y.numerator()), below)
    }

    fn exact_power(&mut self, x: &Value, e: &Rational) -> Result<Value, Stuck> {
        if let Value::Number(x) = x {
            return Ok(Value::Number(self.field.exact_power(x, e)?));
        }
        let (n, d) = e.to_i64s().ok_or(Stuck::TooLarge)?;
        let root = self.root(x, d.unsigned_abs())?;
        let exponent = n.unsigned_abs();
        let numerator = self.power_of(&root.numerator(), exponent);
        let below = root.denominator();
        let below = below.iter().map(|(index, e)| (*index, e * exponent));
        let power = Value::quotient(numerator, below.collect());
        if e.is_negative() {
            self.reciprocal(&power)
        } else {
            Ok(power)
        }
    }

    fn power(&mut self, x: &Value, y: &Value) -> Result<Value, Stuck> {
        match (x, y) {
            (Value::Number(x), Value::Number(y)) => Ok(Value::Number(self.field.power(x, y)?)),
            _ => self.exponential(Some(x), y),
        }
    }

    fn call(&mut self, function: Function, x: &[&Value]) -> Result<Value, Stuck> {
        let numbers: Vec<&u64> = x
            .iter()
            .filter_map(|x| match x {
                Value::Number(x) => Some(x),
                Value::Quotient(..) => None,
            })
            .collect();
        if numbers.len() == x.len() {
            return Ok(Value::Number(self.field.call(function, &numbers)?));
        }
        Ok(match function {
            Function::Sin => self.angle(x[0])?[0].clone(),
            Function::Cos => self.angle(x[0])?[1].clone(),
            Function::Tan => {
                let [s, c] = self.angle(x[0])?;
                let inverse = self.reciprocal(&c)?;
                self.mul(&s, &inverse)
            }
            Function::Exp => self.exp(x[0])?,
            Function::Sinh | Function::Cosh | Function::Tanh => self.hyperbolic(function, x[0])?,
            Function::Sign => self.sign(x[0])?,
            Function::Abs => {
                let sign = self.sign(x[0])?;
                self.mul(&sign, x[0])
            }
            Function::Min | Function::Max => {
                let gap = self.difference(x[0], x[1]);
                let sign = self.call(Function::Sign, &[&gap])?;
                let size = self.mul(&sign, &gap);
                let sum = self.add(x[0], x[1]);
                let whole = match function {
                    Function::Min => self.difference(&sum, &size),
                    _ => self.add(&sum, &size),
                };
                self.half(&whole)
            }
            Function::Log => self.logarithm(x[0]),
            Function::Asin => self.arc_sine(x[0])?,
            Function::Acos => {
                let quarter = self.field.pi();
                let quarter = self.half(&Value::Number(quarter));
                let angle = self.arc_sine(x[0])?;
                self.difference(&quarter, &angle)
            }
            Function::Atan => self.arc_tangent(x[0])?,
            Function::Atan2 => self.arc_of_point(x[0], x[1])?,
        })
    }

    /// Rows have no systems to solve.
    fn solve(&mut self, _: &SlotSolve, _: Vec<Value>, _: &mut Vec<Value>) -> Result<(), Stuck> {
        Err(Stuck::TooLarge)
    }
}
