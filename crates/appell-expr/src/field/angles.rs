//! Arguments of `sin`, `cos`, `exp` and of powers, written out in base angles.
//!
//! `sin(2 x + y/3)` becomes a polynomial in the sines and cosines of `x/d` and `y/d`, with one
//! `d` for all programs of a comparison, so that a prime field sees every trigonometric identity.
//! The base angles `asin u`, `acos u`, `atan u`, `atan2(y, x)` have sines and cosines by algebra, and
//! `exp(c log u)` is a power of `u`.

use super::draft::{Draft, product};
use super::explicit::{explicit, explicit_where, is_concerned};
use super::principal::on_principal_branches;
use super::ranges::needed;
use crate::function::Function;
use crate::num::Rational;
use crate::program::{Operation, Program, Slot, Statement};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Arguments of more terms stay whole.
const MAX_TERMS: usize = 48;
/// Multiples beyond this stay whole.
const MAX_MULTIPLE: i64 = 1 << 20;
/// `asin u` and its like are halved so often at most.
const MAX_HALVINGS: u32 = 4;

/// `Prod slot^exponent`, in order.
type Monomial = Vec<(Slot, Rational)>;
/// `Sum c_i monomial_i`.
type Form = BTreeMap<Monomial, Rational>;

/// The least common denominator of the coefficients in the arguments that are written out: where it would exceed
/// `limit`, those with the largest denominators stay whole, and say nothing of the others.
pub(crate) fn common_denominator(programs: &[&Program], limit: u64) -> u64 {
    let mut all = Vec::new();
    for program in programs {
        let program = explicit_in_arguments(program);
        let forms = Forms::new(&program);
        for statement in &program.statements {
            let Some((operation, form)) = forms.argument(statement) else {
                continue;
            };
            let rest = form
                .iter()
                .filter(|(x, c)| forms.algebraic(operation, x, c).is_none());
            let denominator = rest.fold(BigInt::from(1), |d, (_, c)| d.lcm(&c.denominator()));
            all.extend(denominator.to_u64().filter(|d| *d <= limit));
        }
    }
    all.sort_unstable();
    all.into_iter().fold(1, |common: u64, d| {
        let with = common / common.gcd(&d) * d;
        if with <= limit { with } else { common }
    })
}

/// [`explicit`], as far as arguments of angle functions and exponents tell: mostly nothing in them is concerned,
/// and the program is what it was there.
fn explicit_in_arguments(program: &Program) -> Cow<'_, Program> {
    let operations = || {
        let statements = program.statements.iter();
        statements.filter_map(|statement| match statement {
            Statement::Let(slot, operation) => Some((*slot, operation)),
            Statement::Solve(_) => None,
        })
    };
    let mut arguments = Vec::new();
    for (_, operation) in operations().filter(|(_, operation)| angle(operation).is_some()) {
        operation.for_each_argument(|slot| arguments.push(slot));
    }
    let needed = needed(program, &arguments);
    let touches = |operation: &Operation| match operation {
        // Constants may have another form afterwards.
        Operation::Number(_) => true,
        Operation::Sum(_, terms) => terms.is_empty(),
        _ => is_concerned(operation),
    };
    let is_touched = operations().any(|(slot, operation)| {
        let power = matches!(operation, Operation::Power(..));
        power || needed[slot as usize] && touches(operation)
    });
    match is_touched {
        true => explicit(program),
        false => Cow::Borrowed(program),
    }
}

/// The slot of an argument of an angle function, or of the exponent of a power.
fn angle(operation: &Operation) -> Option<Slot> {
    use Function::{Cos, Cosh, Exp, Sin, Sinh, Tan, Tanh};
    match operation {
        Operation::Call(Sin | Cos | Tan | Exp | Sinh | Cosh | Tanh, x) => Some(x[0]),
        Operation::Power(_, exponent) => Some(*exponent),
        _ => None,
    }
}

/// The same program with its angles written out in base angles `x/denominator`.
pub(crate) fn written_out(program: &Program, denominator: u64) -> Program {
    in_base_angles(&explicit(program), denominator)
}

/// As [`written_out`] for a comparison where some slots are positive: only points with the
/// signs of real numbers.
pub(crate) fn written_out_where(program: &Program, denominator: u64, positive: &[Slot]) -> Program {
    let program = on_principal_branches(program, positive);
    in_base_angles(&explicit_where(&program, positive), denominator)
}

fn in_base_angles(program: &Program, denominator: u64) -> Program {
    let forms = Forms::new(program);
    let whole = i64::try_from(denominator).unwrap_or(1);
    let mut writer = Writer {
        draft: Draft::of(program),
        denominator: Rational::from(whole),
        share: Rational::new(1, whole),
        atoms: FxHashMap::default(),
        points: FxHashMap::default(),
        arcs: FxHashMap::default(),
        powers: FxHashMap::default(),
        forms: &forms,
    };
    for statement in &program.statements {
        let plan = match statement {
            Statement::Let(slot, _) => {
                let argument = forms.argument(statement);
                argument
                    .and_then(|(operation, form)| writer.expanded(operation, form))
                    .map(|value| Statement::Let(*slot, value))
            }
            Statement::Solve(_) => None,
        };
        let statements = &mut writer.draft.out.statements;
        statements.push(plan.unwrap_or_else(|| statement.clone()));
    }
    writer.draft.out
}

/// Which operation defines a slot.
struct Forms<'p> {
    program: &'p Program,
    operations: FxHashMap<Slot, &'p Operation>,
    /// What stands under an even root, so that it is not negative.
    rooted: FxHashSet<Slot>,
}

impl<'p> Forms<'p> {
    fn new(program: &'p Program) -> Self {
        let operations = program.statements.iter().filter_map(|s| match s {
            Statement::Let(slot, operation) => Some((*slot, operation)),
            Statement::Solve(_) => None,
        });
        let operations: FxHashMap<Slot, &Operation> = operations.collect();
        let factors = operations.values().flat_map(|operation| match operation {
            Operation::Product(factors) => &factors[..],
            _ => &[],
        });
        let rooted = factors.filter(|(_, e)| e.denominator().is_even());
        Self {
            program,
            rooted: rooted.map(|(x, _)| *x).collect(),
            operations,
        }
    }

    /// Whether it is an inverse function with a multiple that can be had by halving, or a
    /// logarithm under `exp`: then its slot.
    fn algebraic(&self, operation: &Operation, monomial: &Monomial, c: &Rational) -> Option<Slot> {
        use Function::{Acos, Asin, Atan, Atan2, Cos, Cosh, Exp, Log, Sin, Sinh, Tan, Tanh};
        let [(slot, e)] = monomial.as_slice() else {
            return None;
        };
        let Some(Operation::Call(inner, _)) = self.operations.get(slot).filter(|_| e.is_one())
        else {
            return None;
        };
        let fits = match (operation, inner) {
            (Operation::Call(Sin | Cos | Tan, _), Asin | Acos | Atan | Atan2) => {
                let halvings = c.to_i64s().map(|(_, d)| d.unsigned_abs());
                halvings.is_some_and(|d| d.is_power_of_two() && d.ilog2() <= MAX_HALVINGS)
            }
            (Operation::Call(Exp | Sinh | Cosh | Tanh, _), Log) => true,
            _ => false,
        };
        fits.then_some(*slot)
    }

    /// Whether it is a number above zero.
    fn is_positive_number(&self, slot: Slot) -> bool {
        let number = match self.operations.get(&slot) {
            Some(Operation::Number(index)) => self.number(*index),
            Some(Operation::Sum(index, terms)) if terms.is_empty() => self.number(*index),
            _ => return false,
        };
        !number.is_negative() && !number.is_zero()
    }

    /// The argument of an angle function, or the exponent of a power, as a polynomial in slots.
    fn argument<'s>(&self, statement: &'s Statement) -> Option<(&'s Operation, Form)> {
        let Statement::Let(_, operation) = statement else {
            return None;
        };
        Some((operation, self.polynomial(angle(operation)?)))
    }

    /// A slot as a polynomial: sums are opened one by one while the number of terms stays small.
    fn polynomial(&self, slot: Slot) -> Form {
        let mut form: Form = [(vec![(slot, Rational::one())], Rational::one())].into();
        while let Some(opened) = form
            .keys()
            .find_map(|monomial| self.opened(&form, monomial))
        {
            form = opened;
        }
        form
    }

    /// The form with one slot of this monomial replaced by what defines it, if it is a sum or a
    /// product and the result is small.
    fn opened(&self, form: &Form, monomial: &Monomial) -> Option<Form> {
        let coefficient = form.get(monomial)?;
        for (place, (slot, exponent)) in monomial.iter().enumerate() {
            let mut rest = monomial.clone();
            rest.remove(place);
            let replacement: Vec<(Monomial, Rational)> = match self.operations.get(slot) {
                Some(Operation::Number(index)) if exponent.is_one() => {
                    vec![(Vec::new(), self.number(*index))]
                }
                Some(Operation::Sum(constant, terms)) if exponent.is_one() => {
                    let terms = terms
                        .iter()
                        .map(|(x, c)| (vec![(*x, Rational::one())], self.number(*c)));
                    terms
                        .chain([(Vec::new(), self.number(*constant))])
                        .collect()
                }
                Some(Operation::Product(factors)) if exponent.is_integer() => {
                    let powers = factors.iter().map(|(x, e)| (*x, e * exponent));
                    vec![(powers.collect(), Rational::one())]
                }
                _ => continue,
            };
            if form.len() + replacement.len() > MAX_TERMS {
                continue;
            }
            let mut opened = form.clone();
            opened.remove(monomial);
            for (factors, c) in replacement {
                let key = multiplied(&rest, &factors);
                let entry = opened.entry(key).or_insert_with(Rational::zero);
                *entry = &*entry + &(coefficient * &c);
            }
            opened.retain(|_, c| !c.is_zero());
            return Some(opened);
        }
        None
    }

    fn number(&self, index: u32) -> Rational {
        self.program.numbers[index as usize].clone()
    }
}

fn multiplied(x: &Monomial, y: &Monomial) -> Monomial {
    let mut powers: BTreeMap<Slot, Rational> = BTreeMap::new();
    for (slot, e) in x.iter().chain(y) {
        let entry = powers.entry(*slot).or_insert_with(Rational::zero);
        *entry = &*entry + e;
    }
    powers.retain(|_, e| !e.is_zero());
    powers.into_iter().collect()
}

/// `(sin, cos)` of an angle.
type Point = (Slot, Slot);

struct Writer<'f> {
    draft: Draft,
    forms: &'f Forms<'f>,
    denominator: Rational,
    /// `1/denominator`.
    share: Rational,
    /// Base angles `monomial/denominator`.
    atoms: FxHashMap<Monomial, Slot>,
    /// Multiples of base angles.
    points: FxHashMap<(Slot, i64), Point>,
    /// Inverse functions over `2^k` as base angles.
    arcs: FxHashMap<(Slot, u32), Slot>,
    /// Base powers.
    powers: FxHashMap<(Option<Slot>, Slot), Slot>,
}

impl Writer<'_> {
    /// What the operation is in base angles; `None` where it stays as it is.
    fn expanded(&mut self, operation: &Operation, mut form: Form) -> Option<Operation> {
        let forms = self.forms;
        let mut algebraic = Vec::new();
        form.retain(|x, c| {
            let slot = forms.algebraic(operation, x, c);
            algebraic.extend(slot.map(|slot| (slot, c.clone())));
            slot.is_none()
        });
        let mut parts = self.multiples(&form)?;
        let mut logarithms = Vec::new();
        for (slot, c) in algebraic {
            match forms.operations.get(&slot) {
                Some(Operation::Call(Function::Log, x)) => {
                    logarithms.push(self.exponential_of_logarithm(x[0], c));
                }
                _ => parts.push(self.arc(slot, &c)?),
            }
        }
        match operation {
            Operation::Call(function, _) => match function {
                Function::Sin => self.point(&parts).map(|point| same(point.0)),
                Function::Cos => self.point(&parts).map(|point| same(point.1)),
                Function::Tan => {
                    let (s, c) = self.point(&parts)?;
                    Some(quotient(s, c))
                }
                Function::Exp => Some(self.raised(None, &parts, logarithms)),
                _ => Some(self.hyperbolic(*function, &parts, logarithms)),
            },
            Operation::Power(base, _) => Some(self.raised(Some(*base), &parts, logarithms)),
            _ => None,
        }
    }

    /// The argument as integer multiples of base angles; `None` if it is one already, or not
    /// to be had.
    fn multiples(&mut self, form: &Form) -> Option<Vec<(Slot, i64)>> {
        let mut parts = Vec::new();
        for (monomial, c) in form {
            let multiple = (c * &self.denominator).to_i64()?;
            if multiple.abs() > MAX_MULTIPLE {
                return None;
            }
            parts.push((self.atom(monomial), multiple));
        }
        Some(parts)
    }

    /// `exp(c log|x|)` as a base and its exponent.
    fn exponential_of_logarithm(&mut self, x: Slot, c: Rational) -> (Slot, Rational) {
        let half = &c * &Rational::new(1, 2);
        let forms = self.forms;
        if half.is_integer() || forms.rooted.contains(&x) || forms.is_positive_number(x) {
            return (x, c);
        }
        let square = self.push(Operation::Product([(x, Rational::from(2))].into()));
        (square, half)
    }

    /// `c` times an inverse function as a multiple of a base angle whose point is known.
    fn arc(&mut self, slot: Slot, c: &Rational) -> Option<(Slot, i64)> {
        let (multiple, d) = c.to_i64s()?;
        if multiple.abs() > MAX_MULTIPLE {
            return None;
        }
        let halvings = d.unsigned_abs().ilog2();
        if let Some(base) = self.arcs.get(&(slot, halvings)) {
            return Some((*base, multiple));
        }
        let mut point = self.point_of_inverse(slot)?;
        for k in 0..halvings {
            point = if k == 0 && self.may_be_half_turn(slot) {
                self.half_of_large(slot, point)
            } else {
                self.halved(point)
            };
        }
        let share = self.number(Rational::new(1, d));
        let base = self.push(Operation::Sum(Program::ZERO, [(slot, share)].into()));
        self.points.insert((base, 1), point);
        self.arcs.insert((slot, halvings), base);
        Some((base, multiple))
    }

    /// Sine and cosine of `asin u`, `acos u`, `atan u` or `atan2(y, x)`.
    fn point_of_inverse(&mut self, slot: Slot) -> Option<Point> {
        let Some(Operation::Call(function, arguments)) = self.forms.operations.get(&slot) else {
            return None;
        };
        let x = arguments[0];
        let square = |x| Operation::Product([(x, Rational::from(2))].into());
        let square_of_x = self.push(square(x));
        let mut root_of = |sum: Operation, e: i64| {
            let radicand = self.push(sum);
            self.push(Operation::Product([(radicand, Rational::new(e, 2))].into()))
        };
        let one = Program::ONE;
        match function {
            Function::Asin | Function::Acos => {
                let rest = Operation::Sum(one, [(square_of_x, Program::MINUS_ONE)].into());
                let other = root_of(rest, 1);
                let is_sine = *function == Function::Asin;
                Some(if is_sine { (x, other) } else { (other, x) })
            }
            Function::Atan => {
                let cosine = root_of(Operation::Sum(one, [(square_of_x, one)].into()), -1);
                Some((self.product(x, cosine), cosine))
            }
            Function::Atan2 => {
                let across = arguments[1];
                let other = self.push(square(across));
                let sum = Operation::Sum(Program::ZERO, [(square_of_x, one), (other, one)].into());
                let radicand = self.push(sum);
                let e = Rational::new(-1, 2);
                let scale = self.push(Operation::Product([(radicand, e)].into()));
                Some((self.product(x, scale), self.product(across, scale)))
            }
            _ => None,
        }
    }

    /// Whether the angle reaches `pi`, so that half of it has no cosine to divide by.
    fn may_be_half_turn(&self, slot: Slot) -> bool {
        use Function::{Acos, Atan2};
        let operation = self.forms.operations.get(&slot);
        matches!(operation, Some(Operation::Call(Acos | Atan2, _)))
    }

    /// The point of half of `acos u` or `atan2(y, x)`: a sine that is a root, negative for `y < 0`.
    fn half_of_large(&mut self, slot: Slot, point: Point) -> Point {
        let (s, c) = point;
        let half = self.number(Rational::new(1, 2));
        let minus_half = self.number(Rational::new(-1, 2));
        let mut root = |sign: u32| {
            let square = self.push(Operation::Sum(half, [(c, sign)].into()));
            self.push(Operation::Product([(square, Rational::new(1, 2))].into()))
        };
        let (cosine, size) = (root(half), root(minus_half));
        let operation = self.forms.operations.get(&slot);
        if matches!(operation, Some(Operation::Call(Function::Acos, _))) {
            return (size, cosine);
        }
        // 1 for s = 0: the angle is pi on the cut.
        let sign = self.push(Operation::Call(Function::Sign, [s].into()));
        let shifted = self.push(Operation::Sum(half, [(sign, Program::ONE)].into()));
        let sign = self.push(Operation::Call(Function::Sign, [shifted].into()));
        (self.product(sign, size), cosine)
    }

    /// The point of half an angle between `-pi/2` and `pi/2`.
    fn halved(&mut self, point: Point) -> Point {
        let (s, c) = point;
        let half = self.number(Rational::new(1, 2));
        let square = self.push(Operation::Sum(half, [(c, half)].into()));
        let cosine = self.push(Operation::Product([(square, Rational::new(1, 2))].into()));
        let double = self.push(quotient(s, cosine));
        let sine = self.push(Operation::Sum(Program::ZERO, [(double, half)].into()));
        (sine, cosine)
    }

    fn product(&mut self, x: Slot, y: Slot) -> Slot {
        self.push(product(x, y))
    }

    fn push(&mut self, operation: Operation) -> Slot {
        self.draft.push(operation)
    }

    fn number(&mut self, x: Rational) -> u32 {
        self.draft.number(&x)
    }

    fn atom(&mut self, monomial: &Monomial) -> Slot {
        if let Some(slot) = self.atoms.get(monomial) {
            return *slot;
        }
        let whole = self.push(Operation::Product(monomial.clone().into()));
        let share = self.number(self.share.clone());
        let slot = self.push(Operation::Sum(Program::ZERO, [(whole, share)].into()));
        self.atoms.insert(monomial.clone(), slot);
        slot
    }

    /// The point of the angle `Sum k_i x_i`.
    fn point(&mut self, parts: &[(Slot, i64)]) -> Option<Point> {
        let mut sum: Option<Point> = None;
        for (angle, k) in parts {
            let part = self.multiple_point(*angle, *k);
            sum = Some(match sum {
                Some(sum) => self.joined(sum, part),
                None => part,
            });
        }
        sum
    }

    /// The point of `k x`, by doubling.
    fn multiple_point(&mut self, angle: Slot, k: i64) -> Point {
        if let Some(point) = self.points.get(&(angle, k)) {
            return *point;
        }
        let point = match k {
            1 => {
                let call = |f| Operation::Call(f, [angle].into());
                (
                    self.push(call(Function::Sin)),
                    self.push(call(Function::Cos)),
                )
            }
            k if k < 0 => {
                let (s, c) = self.multiple_point(angle, -k);
                let negative = Operation::Sum(Program::ZERO, [(s, Program::MINUS_ONE)].into());
                (self.push(negative), c)
            }
            k => {
                // At most 20 doublings deep: multiples are bounded.
                let half = self.multiple_point(angle, k / 2);
                let double = self.joined(half, half);
                if k % 2 == 0 {
                    double
                } else {
                    let one = self.multiple_point(angle, 1);
                    self.joined(double, one)
                }
            }
        };
        self.points.insert((angle, k), point);
        point
    }

    /// `sin(x + y)` and `cos(x + y)`.
    fn joined(&mut self, x: Point, y: Point) -> Point {
        let (sc, cs) = (self.product(x.0, y.1), self.product(x.1, y.0));
        let (cc, ss) = (self.product(x.1, y.1), self.product(x.0, y.0));
        let sum = |a, b, sign| Operation::Sum(Program::ZERO, [(a, Program::ONE), (b, sign)].into());
        let sine = self.push(sum(sc, cs, Program::ONE));
        let cosine = self.push(sum(cc, ss, Program::MINUS_ONE));
        (sine, cosine)
    }

    /// `Prod e(x_i)^k_i` with `e(x) = exp(x)` or `base^x`; numbers in exponents are exact powers.
    fn raised(
        &mut self,
        base: Option<Slot>,
        parts: &[(Slot, i64)],
        mut factors: Vec<(Slot, Rational)>,
    ) -> Operation {
        let one = self.atoms.get(&Vec::new()).copied();
        for (x, k) in parts {
            let k = Rational::from(*k);
            match base {
                Some(base) if one == Some(*x) => factors.push((base, &k * &self.share)),
                _ => factors.push((self.base_power(base, *x), k)),
            }
        }
        Operation::Product(factors.into())
    }

    fn base_power(&mut self, base: Option<Slot>, x: Slot) -> Slot {
        if let Some(slot) = self.powers.get(&(base, x)) {
            return *slot;
        }
        let slot = self.push(match base {
            Some(base) => Operation::Power(base, x),
            None => Operation::Call(Function::Exp, [x].into()),
        });
        self.powers.insert((base, x), slot);
        slot
    }

    fn hyperbolic(
        &mut self,
        function: Function,
        parts: &[(Slot, i64)],
        factors: Vec<(Slot, Rational)>,
    ) -> Operation {
        let raised = self.raised(None, parts, factors);
        let up = self.push(raised);
        let down = self.push(Operation::Product([(up, Rational::from(-1))].into()));
        let half = self.number(Rational::new(1, 2));
        let minus_half = self.number(Rational::new(-1, 2));
        let sum = |last| Operation::Sum(Program::ZERO, [(up, half), (down, last)].into());
        match function {
            Function::Sinh => sum(minus_half),
            Function::Cosh => sum(half),
            _ => {
                let (s, c) = (self.push(sum(minus_half)), self.push(sum(half)));
                quotient(s, c)
            }
        }
    }
}

fn quotient(x: Slot, y: Slot) -> Operation {
    Operation::Product([(x, Rational::one()), (y, Rational::from(-1))].into())
}

fn same(x: Slot) -> Operation {
    Operation::Product([(x, Rational::one())].into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Ex, Graph};
    use crate::precise::{Ball, Balls};
    use crate::sketch::Sketch;

    /// Both programs give the same numbers at `x = 0.7`, `y = -1.3`, and the second has only
    /// base angles.
    fn check(formula: for<'g> fn(Ex<'g>, Ex<'g>) -> Ex<'g>) {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let mut sketch = Sketch::new(&g);
        sketch.output_list("f", &[formula(x, y)]);
        let program = sketch.program(&[x, y], &["f"]).expect("x and y are inputs");
        let d = common_denominator(&[&program], 1000);
        let written = written_out(&program, d);
        let value = |program: &Program| {
            let inputs = [Rational::new(7, 10), Rational::new(13, 10)];
            let values = Balls::new(256).run(program, &inputs.map(|x| Ball::rational(&x, 256)));
            values.expect("it is defined")[0].clone()
        };
        let gap = value(&program).minus(&value(&written), 256);
        assert!(!gap.excludes_zero() && gap.error() < 1e-60, "{gap:?}");
    }

    #[test]
    fn programs_keep_their_values() {
        check(|x, y| (2 * x + y / 3 + 1).sin() * (x - 5 * y).cos());
        check(|x, y| (3 * (x * (x + y))).call(Function::Tan) + (-x).cos());
        check(|x, y| (2 * x - y).call(Function::Exp) + (x + y).call(Function::Sinh));
        check(|x, y| (x / 2 + y).call(Function::Tanh) + (x - y).call(Function::Cosh));
        check(|x, y| x.power(2 * y + 3) + (x + 1).power(-y / 2));
        check(|x, _| (x + x.graph().pi() / 10).sin());
    }

    #[test]
    fn wide_and_fractional_angles_stay_whole() {
        let g = Graph::new();
        let x = g.symbol("x");
        let fine = x.scale(&Rational::new(1, 1009)).sin();
        let alone = |functions: &[Ex<'_>]| {
            let mut sketch = Sketch::new(&g);
            sketch.output_list("f", functions);
            sketch.program(&[x], &["f"]).expect("x is the input")
        };
        let program = alone(&[fine]);
        assert_eq!(common_denominator(&[&program], 1000), 1);
        let written = written_out(&program, 1);
        assert_eq!(written.statements.len(), program.statements.len());
        let half = x.scale(&Rational::new(1, 2)).sin();
        assert_eq!(common_denominator(&[&alone(&[fine, half])], 1000), 2);
    }
}
