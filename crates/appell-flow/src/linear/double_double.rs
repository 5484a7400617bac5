//! Numbers with twice the digits of a double, as unevaluated sums of two [dekker1971].

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, where `low` is at most half a unit in the last place of `high`: some 32 digits.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct DoubleDouble {
    high: f64,
    low: f64,
}

/// The sum of two numbers, and what rounding took from it.
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The product of two numbers, and what rounding took from it, by halves of their digits.
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    const HALF: f64 = 134_217_729.0; // 2^27 + 1
    let halves = |x: f64| {
        let far = HALF * x;
        let upper = far - (far - x);
        (upper, x - upper)
    };
    let product = a * b;
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    (product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl DoubleDouble {
    pub const ZERO: DoubleDouble = DoubleDouble {
        high: 0.0,
        low: 0.0,
    };

    /// Of two numbers of which the second may be rounding of the first.
    fn of(a: f64, b: f64) -> DoubleDouble {
        let high = a + b;
        DoubleDouble {
            high,
            low: b - (high - a),
        }
    }

    pub fn value(self) -> f64 {
        self.high + self.low
    }

    pub fn abs(self) -> DoubleDouble {
        if self.high < 0.0 { -self } else { self }
    }

    pub fn sqrt(self) -> DoubleDouble {
        if self.high <= 0.0 {
            return DoubleDouble::ZERO;
        }
        let root = self.high.sqrt();
        let (square, rest) = exact_product(root, root);
        let left = (self - DoubleDouble::of(square, rest)).high;
        DoubleDouble::of(root, left / (2.0 * root))
    }
}

impl From<f64> for DoubleDouble {
    fn from(x: f64) -> DoubleDouble {
        DoubleDouble { high: x, low: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = DoubleDouble;

    fn neg(self) -> DoubleDouble {
        DoubleDouble {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Add for DoubleDouble {
    type Output = DoubleDouble;

    fn add(self, other: DoubleDouble) -> DoubleDouble {
        let (high, rest) = exact_sum(self.high, other.high);
        let (low, least) = exact_sum(self.low, other.low);
        let sum = DoubleDouble::of(high, rest + low);
        DoubleDouble::of(sum.high, sum.low + least)
    }
}

impl Sub for DoubleDouble {
    type Output = DoubleDouble;

    fn sub(self, other: DoubleDouble) -> DoubleDouble {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = DoubleDouble;

    fn mul(self, other: DoubleDouble) -> DoubleDouble {
        let (high, rest) = exact_product(self.high, other.high);
        DoubleDouble::of(high, rest + (self.high * other.low + self.low * other.high))
    }
}

impl Div for DoubleDouble {
    type Output = DoubleDouble;

    fn div(self, other: DoubleDouble) -> DoubleDouble {
        let first = self.high / other.high;
        let rest = self - other * DoubleDouble::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * DoubleDouble::from(second);
        DoubleDouble::of(first, second) + DoubleDouble::from(rest.high / other.high)
    }
}

/// A complex number of such parts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Complex {
    pub re: DoubleDouble,
    pub im: DoubleDouble,
}

impl Complex {
    pub const ZERO: Complex = Complex {
        re: DoubleDouble::ZERO,
        im: DoubleDouble::ZERO,
    };

    pub fn conj(self) -> Complex {
        Complex {
            re: self.re,
            im: -self.im,
        }
    }

    pub fn square(self) -> DoubleDouble {
        self.re * self.re + self.im * self.im
    }

    /// Its length, to the digits of a double.
    pub fn length(self) -> f64 {
        self.re.value().hypot(self.im.value())
    }

    pub fn over(self, x: DoubleDouble) -> Complex {
        Complex {
            re: self.re / x,
            im: self.im / x,
        }
    }

    /// The square root with a real part that is not negative.
    pub fn sqrt(self) -> Complex {
        let half = DoubleDouble::from(0.5);
        let larger = ((self.square().sqrt() + self.re.abs()) * half).sqrt();
        if larger.value() == 0.0 {
            return Complex::ZERO;
        }
        let other = self.im * half / larger;
        match self.re.value() >= 0.0 {
            true => Complex {
                re: larger,
                im: other,
            },
            false => Complex {
                re: other.abs(),
                im: if self.im.value() < 0.0 {
                    -larger
                } else {
                    larger
                },
            },
        }
    }
}

impl From<DoubleDouble> for Complex {
    fn from(re: DoubleDouble) -> Complex {
        Complex {
            re,
            im: DoubleDouble::ZERO,
        }
    }
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Complex, DoubleDouble};

    /// `(x y) / y = x`, `sqrt(x)^2 = x`, `(x + y) - y = x`, to some 30 digits.
    #[test]
    fn twice_the_digits_are_kept() {
        let third = DoubleDouble::from(1.0) / DoubleDouble::from(3.0);
        let seventh = DoubleDouble::from(1.0) / DoubleDouble::from(7.0);
        let is_small = |x: DoubleDouble| assert!(x.value().abs() < 1e-31, "{x:?}");
        is_small(third * DoubleDouble::from(3.0) - DoubleDouble::from(1.0));
        is_small((third * seventh) / seventh - third);
        is_small((third + seventh) - seventh - third);
        is_small(seventh.sqrt() * seventh.sqrt() - seventh);
        let z = Complex {
            re: -third,
            im: seventh,
        };
        for z in [z, z.conj(), z * z, Complex::from(-third)] {
            let rest = z.sqrt() * z.sqrt() - z;
            is_small(rest.re);
            is_small(rest.im);
        }
    }
}
