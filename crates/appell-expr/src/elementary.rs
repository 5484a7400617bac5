//! Elementary functions of doubles: those of the system, or such as have the same bits everywhere.
//!
//! Sums, products, quotients and square roots are rounded as IEEE 754 says, on every processor. Sines, exponentials and
//! powers come from the system's library, which is fast, and which chooses by processor and version. [`within`] a thread
//! all of them may be those of the crate `libm` instead: straight lines of rounded operations, compiled with the program.

use std::cell::Cell;

/// Whose functions are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Elementary {
    /// The system's.
    #[default]
    System,
    /// Those that came with the program.
    Own,
}

thread_local! {
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// The choice of this thread, for those that it starts.
pub fn current() -> Elementary {
    match OWN.get() {
        true => Elementary::Own,
        false => Elementary::System,
    }
}

/// Does something with a choice for this thread; threads that it starts must be told.
pub fn within<T>(choice: Elementary, work: impl FnOnce() -> T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            OWN.set(self.0);
        }
    }
    let _before = Before(OWN.replace(choice == Elementary::Own));
    work()
}

macro_rules! chosen {
    ($($name:ident = $system:ident or $own:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), " x`")]
        #[inline]
        pub fn $name(x: f64) -> f64 {
            match OWN.get() {
                true => libm::$own(x),
                false => x.$system(),
            }
        }
    )*};
}

chosen! {
    sin = sin or sin;
    cos = cos or cos;
    tan = tan or tan;
    asin = asin or asin;
    acos = acos or acos;
    atan = atan or atan;
    sinh = sinh or sinh;
    cosh = cosh or cosh;
    tanh = tanh or tanh;
    exp = exp or exp;
    log = ln or log;
    cbrt = cbrt or cbrt;
}

/// `sin x` and `cos x`
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    match OWN.get() {
        true => (libm::sin(x), libm::cos(x)),
        false => x.sin_cos(),
    }
}

/// The angle of `(x, y)`, `atan2(y, x)`.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    match OWN.get() {
        true => libm::atan2(y, x),
        false => y.atan2(x),
    }
}

/// `sqrt(x^2 + y^2)`
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    match OWN.get() {
        true => libm::hypot(x, y),
        false => x.hypot(y),
    }
}

/// `x^y`
#[inline]
pub fn power(x: f64, y: f64) -> f64 {
    match OWN.get() {
        true => libm::pow(x, y),
        false => x.powf(y),
    }
}

/// `x^n` by squares.
#[inline]
pub fn whole_power(x: f64, n: i32) -> f64 {
    if !OWN.get() {
        return x.powi(n);
    }
    let (mut base, mut left, mut product) = (x, n.unsigned_abs(), 1.0);
    while left > 0 {
        if left & 1 == 1 {
            product *= base;
        }
        base *= base;
        left >>= 1;
    }
    if n < 0 { 1.0 / product } else { product }
}

/// Bits of values of all functions: what differs here makes motions differ in their last digits.
pub fn fingerprint() -> u64 {
    // Each by itself: a sum would round away what differs.
    let values = (1..200).flat_map(|k| {
        let x = 0.37 * f64::from(k);
        let (small, (sine, cosine)) = (0.01 * x, sin_cos(x));
        let waves = [sin(x), cos(3.0 * x), tan(x), sine, cosine, hypot(x, 2.0)];
        let arcs = [atan(x), asin(small), acos(small), atan2(x, 2.0)];
        let growth = [exp(-x), log(x), sinh(small), cosh(x), tanh(small)];
        let powers = [power(x, 0.3), whole_power(x, 7), cbrt(x)];
        waves.into_iter().chain(arcs).chain(growth).chain(powers)
    });
    values.fold(0, |sum: u64, x| sum.rotate_left(7) ^ x.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits that are the same on every machine; the values are those of arithmetic with more digits (mpmath), rounded,
    /// but for the last place.
    #[test]
    fn own_functions_have_their_bits_everywhere() {
        within(Elementary::Own, || {
            assert_eq!(current(), Elementary::Own);
            let near = |found: f64, expected: f64| {
                assert!(
                    (found - expected).abs() <= 2.0 * f64::EPSILON * expected.abs(),
                    "{found}"
                );
            };
            near(sin(1e6), -0.349_993_502_171_292_94);
            near(cos(0.5), 0.877_582_561_890_372_8);
            near(exp(1.0), std::f64::consts::E);
            near(log(10.0), std::f64::consts::LN_10);
            near(power(2.0, 0.5), std::f64::consts::SQRT_2);
            near(atan2(1.0, -1.0), 0.75 * std::f64::consts::PI);
            near(whole_power(1.1, -3), 1.0 / 1.331);
            assert_eq!(sin_cos(0.7), (sin(0.7), cos(0.7)));
            // Noted once: the same on every machine, with every compiler.
            assert_eq!(format!("{:016x}", fingerprint()), "0e4e1ea962b05ae4");
        });
        assert_eq!(current(), Elementary::System);
    }
}
