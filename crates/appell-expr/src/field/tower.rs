//! Exact real numbers in towers of square roots: `Q(sqrt r_1)(sqrt r_2)..`, each `r_k > 0` no
//! square in the field below it.
//!
//! Every element has one form there, so that equal constants look equal, and the sign of an
//! element follows from signs below. The sines and cosines of the angles that can be constructed
//! with ruler and compass are such numbers.

use crate::num::Rational;

/// More square roots than this are not taken together: an element has `2^k` coefficients.
const MAX_ROOTS: usize = 4;
/// Elements with longer coefficients are given up.
const MAX_BITS: u64 = 400;
/// Angles with larger denominators are given up.
const MAX_DENOMINATOR: i64 = 240;

/// Coefficients of products of roots: bit `k` of the place stands for `sqrt r_k`. Zero is
/// empty, other elements have a nonzero upper half.
pub(crate) type Element = Vec<Rational>;

/// The radicands `r_k`, each an element of the field below it.
#[derive(Debug, Default)]
pub(crate) struct Tower {
    pub radicands: Vec<Element>,
}

/// The element of a rational number.
pub(crate) fn rational(x: Rational) -> Element {
    trimmed(vec![x])
}

/// Whether its coefficients are short.
pub(crate) fn is_small(x: &[Rational]) -> bool {
    let bits = |c: &Rational| c.numerator().bits().max(c.denominator().bits());
    x.iter().all(|c| bits(c) <= MAX_BITS)
}

fn trimmed(mut x: Element) -> Element {
    while !x.is_empty() && x[x.len() / 2..].iter().all(Rational::is_zero) {
        x.truncate(x.len() / 2);
    }
    x
}

/// `low + high g`, where `low` and `high` have at most `half` coefficients.
fn joined(low: Element, high: Element, half: usize) -> Element {
    let mut x = low;
    x.resize(half, Rational::zero());
    x.extend(high);
    x.resize(2 * half, Rational::zero());
    trimmed(x)
}

/// The parts without and with the generator whose place is `half`.
fn parts(x: &[Rational], half: usize) -> (Element, Element) {
    let (low, high) = x.split_at(half.min(x.len()));
    (trimmed(low.to_vec()), trimmed(high.to_vec()))
}

pub(crate) fn plus(x: &[Rational], y: &[Rational]) -> Element {
    let (long, short) = if x.len() < y.len() { (y, x) } else { (x, y) };
    let mut sum = long.to_vec();
    for (a, b) in sum.iter_mut().zip(short) {
        *a = &*a + b;
    }
    trimmed(sum)
}

pub(crate) fn scaled(x: &[Rational], c: &Rational) -> Element {
    trimmed(x.iter().map(|a| a * c).collect())
}

fn negative(x: &[Rational]) -> Element {
    x.iter().map(|a| -a).collect()
}

impl Tower {
    /// The place of the uppermost generator of elements with so many coefficients, and what it
    /// is the root of.
    fn top(&self, len: usize) -> (usize, &Element) {
        let half = len / 2;
        (half, &self.radicands[half.ilog2() as usize])
    }

    pub fn times(&self, x: &[Rational], y: &[Rational]) -> Element {
        match x.len().max(y.len()) {
            _ if x.is_empty() || y.is_empty() => Element::new(),
            1 => vec![&x[0] * &y[0]],
            len => {
                let (half, radicand) = self.top(len);
                let ((a, b), (c, d)) = (parts(x, half), parts(y, half));
                let square = self.times(&self.times(&b, &d), radicand);
                let low = plus(&self.times(&a, &c), &square);
                let high = plus(&self.times(&a, &d), &self.times(&b, &c));
                joined(low, high, half)
            }
        }
    }

    /// `a^2 - b^2 r` of `a + b g`.
    fn norm(&self, a: &[Rational], b: &[Rational], radicand: &[Rational]) -> Element {
        let square = self.times(&self.times(b, b), radicand);
        plus(&self.times(a, a), &negative(&square))
    }

    /// `1/x`, unless `x = 0`.
    pub fn inverse(&self, x: &[Rational]) -> Option<Element> {
        if x.len() < 2 {
            return Some(vec![x.first()?.recip()?]);
        }
        let (half, radicand) = self.top(x.len());
        let (a, b) = parts(x, half);
        let inverse = self.inverse(&self.norm(&a, &b, radicand))?;
        let high = negative(&self.times(&b, &inverse));
        Some(joined(self.times(&a, &inverse), high, half))
    }

    /// `x^n`.
    pub fn power(&self, x: &[Rational], n: i64) -> Option<Element> {
        let base = if n < 0 { self.inverse(x)? } else { x.to_vec() };
        let mut power = rational(Rational::one());
        for _ in 0..n.unsigned_abs().min(65) {
            power = self.times(&power, &base);
        }
        (n.unsigned_abs() <= 64 && is_small(&power)).then_some(power)
    }

    /// 1, 0 or -1, exactly.
    pub fn sign(&self, x: &[Rational]) -> i32 {
        match x {
            [] => 0,
            [c] => 1 - 2 * i32::from(c.is_negative()),
            _ => {
                let (half, radicand) = self.top(x.len());
                let (a, b) = parts(x, half);
                match (self.sign(&a), self.sign(&b)) {
                    (s, t) if s == t || t == 0 => s,
                    (0, t) => t,
                    // |a| against |b| g.
                    (s, _) => s * self.sign(&self.norm(&a, &b, radicand)),
                }
            }
        }
    }

    /// The square root that is not negative, in the field of the first so many generators.
    fn root_within(&self, x: &[Rational], generators: usize) -> Option<Element> {
        if x.is_empty() {
            return Some(Element::new());
        }
        if !is_small(x) || self.sign(x) < 0 {
            return None;
        }
        if generators == 0 {
            return Some(vec![x[0].root(2)?]);
        }
        let half = 1 << (generators - 1);
        let radicand = &self.radicands[generators - 1];
        let (a, b) = parts(x, half);
        if b.is_empty() {
            let below = self.root_within(&a, generators - 1);
            return below.or_else(|| {
                let ratio = self.times(&a, &self.inverse(radicand)?);
                let high = self.root_within(&ratio, generators - 1)?;
                Some(joined(Element::new(), high, half))
            });
        }
        // (u + w g)^2 = a + b g: u^2 = (a +- sqrt(a^2 - b^2 r))/2, w = b/(2 u).
        let norm = self.root_within(&self.norm(&a, &b, radicand), generators - 1)?;
        [norm.clone(), negative(&norm)].iter().find_map(|norm| {
            let square = scaled(&plus(&a, norm), &Rational::new(1, 2));
            let low = self.root_within(&square, generators - 1)?;
            let high = self.times(&b, &self.inverse(&scaled(&low, &Rational::from(2)))?);
            let root = joined(low, high, half);
            Some(match self.sign(&root) {
                -1 => negative(&root),
                _ => root,
            })
        })
    }

    /// The square root that is not negative; a new generator if there is none yet.
    pub fn root(&mut self, x: &[Rational]) -> Option<Element> {
        if let Some(root) = self.root_within(x, self.radicands.len()) {
            return Some(root);
        }
        let room = self.radicands.len() < MAX_ROOTS && is_small(x);
        if !room || self.sign(x) < 0 {
            return None;
        }
        let half = 1 << self.radicands.len();
        self.radicands.push(x.to_vec());
        Some(joined(Element::new(), rational(Rational::one()), half))
    }

    /// Rational bounds, proved by signs.
    pub fn bounds(&self, x: &[Rational]) -> Option<(Rational, Rational)> {
        let scale = 1_048_576.0;
        let middle = self.approximate(x) * scale;
        if middle.abs() >= 1e15 {
            return None;
        }
        let below = |shift: f64| Rational::new((middle + shift).floor() as i64, 1 << 20);
        let (low, high) = (below(-1.0), below(2.0));
        let gap = |bound: &Rational| self.sign(&plus(x, &rational(-bound)));
        (gap(&low) >= 0 && gap(&high) <= 0).then_some((low, high))
    }

    fn approximate(&self, x: &[Rational]) -> f64 {
        let roots = self.radicands.iter().map(|r| self.approximate(r).sqrt());
        // Radicands have fewer generators than what they generate.
        let roots: Vec<f64> = roots.take(x.len().max(1).ilog2() as usize).collect();
        let term = |(place, c): (usize, &Rational)| {
            let factors = roots
                .iter()
                .enumerate()
                .filter(|(k, _)| place >> k & 1 == 1);
            c.to_f64() * factors.map(|(_, root)| root).product::<f64>()
        };
        x.iter().enumerate().map(term).sum()
    }

    /// Sine and cosine of `turn pi`, if they are had by square roots.
    pub fn point(&mut self, turn: &Rational) -> Option<(Element, Element)> {
        let (n, d) = turn.to_i64s()?;
        if d > MAX_DENOMINATOR || n.abs() > 1 << 20 {
            return None;
        }
        let odd = d >> d.trailing_zeros();
        let binary = d / odd;
        // 1/d = u/binary + v/odd.
        let bezout = num_integer::Integer::extended_gcd(&odd, &binary);
        let first = self.binary_point(binary)?;
        let first = self.multiple(&first, bezout.x.checked_mul(n)?.rem_euclid(2 * binary))?;
        let second = self.odd_point(odd)?;
        let second = self.multiple(&second, bezout.y.checked_mul(n)?.rem_euclid(2 * odd))?;
        Some(self.joined_points(&first, &second))
    }

    /// The point of `pi/2^k`.
    fn binary_point(&mut self, denominator: i64) -> Option<(Element, Element)> {
        let one = rational(Rational::one());
        let mut point = (Element::new(), negative(&one));
        for _ in 0..denominator.trailing_zeros() {
            let half = |x: Element| scaled(&plus(&one, &x), &Rational::new(1, 2));
            let (up, down) = (half(point.1.clone()), half(negative(&point.1)));
            let cosine = self.root(&up)?;
            point = (self.root(&down)?, cosine);
        }
        Some(point)
    }

    /// The point of `pi/d` for `d` = 1, 3, 5, 15.
    fn odd_point(&mut self, denominator: i64) -> Option<(Element, Element)> {
        let number = |n: i64, d: i64| rational(Rational::new(n, d));
        let cosine = match denominator {
            1 => return Some((Element::new(), number(-1, 1))),
            3 => number(1, 2),
            5 => scaled(
                &plus(&number(1, 1), &self.root(&number(5, 1))?),
                &Rational::new(1, 4),
            ),
            15 => {
                // 1/15 = 2/3 - 3/5
                let (third, fifth) = (self.odd_point(3)?, self.odd_point(5)?);
                let (third, fifth) = (self.multiple(&third, 2)?, self.multiple(&fifth, 7)?);
                return Some(self.joined_points(&third, &fifth));
            }
            _ => return None,
        };
        let square = plus(&number(1, 1), &negative(&self.times(&cosine, &cosine)));
        Some((self.root(&square)?, cosine))
    }

    fn joined_points(&self, x: &(Element, Element), y: &(Element, Element)) -> (Element, Element) {
        let sine = plus(&self.times(&x.0, &y.1), &self.times(&x.1, &y.0));
        let both = negative(&self.times(&x.0, &y.0));
        (sine, plus(&self.times(&x.1, &y.1), &both))
    }

    fn multiple(&self, point: &(Element, Element), mut k: i64) -> Option<(Element, Element)> {
        let mut result = (Element::new(), rational(Rational::one()));
        let mut power = point.clone();
        while k > 0 {
            if k & 1 == 1 {
                result = self.joined_points(&result, &power);
            }
            power = self.joined_points(&power, &power);
            k >>= 1;
        }
        (is_small(&result.0) && is_small(&result.1)).then_some(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: i64) -> Element {
        rational(Rational::from(n))
    }

    fn root(tower: &mut Tower, x: &Element) -> Element {
        tower.root(x).expect("not negative and small")
    }

    #[test]
    fn nested_roots_are_opened() {
        let mut tower = Tower::default();
        let two = root(&mut tower, &number(2));
        let nested = plus(&number(3), &scaled(&two, &Rational::from(2)));
        let opened = root(&mut tower, &nested);
        assert_eq!(opened, plus(&number(1), &two));
        assert_eq!(tower.radicands.len(), 1);
        let less = plus(&number(1), &negative(&two));
        assert_eq!(tower.sign(&less), -1);
        assert_eq!(tower.root(&less), None, "negative");
        // sqrt(2 + sqrt 3) = (sqrt 6 + sqrt 2)/2, once sqrt 2 is there.
        let three = root(&mut tower, &number(3));
        let nested = plus(&number(2), &three);
        let six = tower.times(&two, &three);
        let opened = scaled(&plus(&six, &two), &Rational::new(1, 2));
        assert_eq!(root(&mut tower, &nested), opened);
        let inverse = tower.inverse(&opened).expect("not zero");
        assert_eq!(tower.times(&inverse, &opened), number(1));
    }

    #[test]
    fn points_of_the_circle_are_where_they_should_be() {
        for (n, d) in [
            (1, 10),
            (7, 12),
            (-3, 8),
            (1, 15),
            (11, 24),
            (4, 5),
            (1, 30),
            (2, 1),
        ] {
            let mut tower = Tower::default();
            let (s, c) = tower.point(&Rational::new(n, d)).expect("by square roots");
            let angle = std::f64::consts::PI * n as f64 / d as f64;
            assert!(
                (tower.approximate(&s) - angle.sin()).abs() < 1e-12,
                "{n}/{d}"
            );
            assert!(
                (tower.approximate(&c) - angle.cos()).abs() < 1e-12,
                "{n}/{d}"
            );
            let unit = plus(&tower.times(&s, &s), &tower.times(&c, &c));
            assert_eq!(unit, number(1));
            let (low, high) = tower.bounds(&s).expect("small");
            assert!(low.to_f64() <= angle.sin() && angle.sin() <= high.to_f64());
        }
        let mut tower = Tower::default();
        assert!(tower.point(&Rational::new(1, 7)).is_none());
        assert!(tower.point(&Rational::new(1, 9)).is_none());
    }
}
