//! The elementary functions of the formula language.

use crate::elementary;

/// A named function of one or two arguments. Square roots are powers, not functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each variant is the function of its name")]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Abs,
    Sign,
    Atan2,
    Min,
    Max,
}

impl Function {
    /// Every function, with its name in formulas and its LaTeX command.
    pub const TABLE: [(Self, &'static str, &'static str); 16] = [
        (Self::Sin, "sin", r"\sin"),
        (Self::Cos, "cos", r"\cos"),
        (Self::Tan, "tan", r"\tan"),
        (Self::Asin, "asin", r"\arcsin"),
        (Self::Acos, "acos", r"\arccos"),
        (Self::Atan, "atan", r"\arctan"),
        (Self::Sinh, "sinh", r"\sinh"),
        (Self::Cosh, "cosh", r"\cosh"),
        (Self::Tanh, "tanh", r"\tanh"),
        (Self::Exp, "exp", r"\exp"),
        (Self::Log, "log", r"\log"),
        (Self::Abs, "abs", r"\operatorname{abs}"),
        (Self::Sign, "sign", r"\operatorname{sgn}"),
        (Self::Atan2, "atan2", r"\operatorname{atan2}"),
        (Self::Min, "min", r"\min"),
        (Self::Max, "max", r"\max"),
    ];

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        &Self::TABLE[self as usize]
    }

    /// Its name in formulas.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Its LaTeX command.
    pub fn latex(self) -> &'static str {
        self.row().2
    }

    /// The function of this name; `sqrt` is not among them.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::TABLE
            .iter()
            .find(|row| row.1 == name)
            .map(|row| row.0)
    }

    /// How many arguments it takes.
    pub fn arity(self) -> usize {
        match self {
            Self::Atan2 | Self::Min | Self::Max => 2,
            _ => 1,
        }
    }

    /// Its value in double precision; NaN outside its domain. A function of one argument does not look at `y`.
    #[inline]
    pub fn value(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Sin => elementary::sin(x),
            Self::Cos => elementary::cos(x),
            Self::Tan => elementary::tan(x),
            Self::Asin => elementary::asin(x),
            Self::Acos => elementary::acos(x),
            Self::Atan => elementary::atan(x),
            Self::Sinh => elementary::sinh(x),
            Self::Cosh => elementary::cosh(x),
            Self::Tanh => elementary::tanh(x),
            Self::Exp => elementary::exp(x),
            Self::Log => elementary::log(x),
            Self::Abs => x.abs(),
            Self::Sign if x == 0.0 => 0.0,
            Self::Sign => x.signum(),
            Self::Atan2 => elementary::atan2(x, y),
            // As machine code has it: undefined where an argument is; of two equal numbers the second is taken.
            Self::Min if x < y || x.is_nan() => x,
            Self::Max if x > y || x.is_nan() => x,
            Self::Min | Self::Max => y,
        }
    }

    /// Whether it has a corner or a jump.
    pub fn is_smooth(self) -> bool {
        !matches!(self, Self::Abs | Self::Sign | Self::Min | Self::Max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_and_maxima_are_undefined_where_an_argument_is_and_take_the_second_of_equals() {
        for f in [Function::Min, Function::Max] {
            assert!(f.value(f64::NAN, 1.0).is_nan());
            assert!(f.value(1.0, f64::NAN).is_nan());
            assert!(f.value(0.0, -0.0).is_sign_negative());
            assert!(f.value(-0.0, 0.0).is_sign_positive());
        }
        assert_eq!(Function::Min.value(1.0, 2.0), 1.0);
        assert_eq!(Function::Max.value(1.0, 2.0), 2.0);
        assert_eq!(Function::Sign.value(-0.0, 5.0), 0.0);
        assert!(Function::Log.value(-1.0, 0.0).is_nan());
    }

    #[test]
    fn the_table_stands_in_the_order_of_the_enum() {
        for (row, index) in Function::TABLE.iter().zip(0..) {
            assert_eq!(row.0 as usize, index);
            assert_eq!(Function::from_name(row.1), Some(row.0));
        }
    }
}
