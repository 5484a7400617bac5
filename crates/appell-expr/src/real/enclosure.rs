//! Values of functions and powers at numbers that are known closely: `cos(1)` lies near 0.54, not only between -1 and 1.

use super::range::Range;
use crate::function::Function;
use crate::num::Rational;
use crate::precise::{Ball, Balls};
use crate::program::Numbers;

/// Ends have so many bits.
const BITS: u64 = 64;

/// Arguments in a wider interval are not known closely: enclosures there are no sharper than what signs say.
const WIDEST: (i64, i64) = (1, 1000);

/// Where the values of a function lie; none where an argument is not known closely, or a value may not exist.
pub(super) fn enclosed_call(f: Function, arguments: &[Range]) -> Option<Range> {
    let mut balls = Balls::new(BITS);
    let known: Option<Vec<Ball>> = arguments.iter().map(|x| ball(&balls, x)).collect();
    let known = known?;
    let known: Vec<&Ball> = known.iter().collect();
    interval(&balls.call(f, &known).ok()?)
}

/// Where the values of `x^e` lie; none where `x` is not known closely, or a value may not exist.
pub(super) fn enclosed_power(x: &Range, e: &Rational) -> Option<Range> {
    let mut balls = Balls::new(BITS);
    let x = ball(&balls, x)?;
    interval(&balls.exact_power(&x, e).ok()?)
}

fn ball(balls: &Balls, x: &Range) -> Option<Ball> {
    let (low, high) = x.ends()?;
    let is_close = high - low <= Rational::new(WIDEST.0, WIDEST.1);
    is_close.then(|| balls.hull(&Ball::rational(low, BITS), &Ball::rational(high, BITS)))
}

fn interval(x: &Ball) -> Option<Range> {
    let (low, high) = x.ends(BITS)?;
    Some(Range::closed(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the values in double precision at both ends and between them.
    #[test]
    fn values_lie_in_what_is_told_and_it_is_narrow() {
        type Call = (Function, fn(f64) -> f64);
        let functions: [Call; 9] = [
            (Function::Sin, f64::sin),
            (Function::Cos, f64::cos),
            (Function::Atan, f64::atan),
            (Function::Tanh, f64::tanh),
            (Function::Cosh, f64::cosh),
            (Function::Sinh, f64::sinh),
            (Function::Exp, f64::exp),
            (Function::Abs, f64::abs),
            (Function::Log, f64::ln),
        ];
        for k in (-38..=38).filter(|k| *k != 0) {
            let [low, high] = [2 * k, 2 * k + 1].map(|k| Rational::new(k, 1000));
            let (a, b) = (low.to_f64(), high.to_f64());
            let x = Range::closed(low, high);
            let holds = |found: Option<Range>, f: &dyn Fn(f64) -> f64| {
                let Some(found) = found else {
                    return assert!(f(a).is_nan(), "at {a}");
                };
                let (low, high) = found.ends().expect("both");
                let (low, high) = (low.to_f64(), high.to_f64());
                for x in [a, (a + b) / 2.0, b] {
                    let slack = 1e-15 * f(x).abs();
                    assert!(
                        low - slack <= f(x) && f(x) <= high + slack,
                        "{x}: {low} to {high}"
                    );
                }
                let width = (f(b) - f(a)).abs();
                assert!(
                    high - low <= 4.0 * width + 4e-3,
                    "{a} to {b}: {low} to {high}"
                );
            };
            for (call, f) in functions {
                holds(enclosed_call(call, std::slice::from_ref(&x)), &f);
            }
            for e in [Rational::new(1, 2), Rational::new(-1, 3)] {
                holds(enclosed_power(&x, &e), &|x: f64| x.powf(e.to_f64()));
            }
        }
    }

    #[test]
    fn numbers_are_exact_where_they_can_be_and_huge_ones_are_left() {
        let root = enclosed_power(&Range::at(Rational::from(9)), &Rational::new(1, 2));
        assert_eq!(root, Some(Range::at(Rational::from(3))));
        assert_eq!(
            enclosed_call(Function::Exp, &[Range::at(Rational::from(1000))]),
            None
        );
        assert_eq!(enclosed_call(Function::Sin, &[Range::all()]), None);
        let wide = Range::closed(Rational::zero(), Rational::one());
        assert_eq!(enclosed_call(Function::Sin, &[wide]), None);
    }
}
