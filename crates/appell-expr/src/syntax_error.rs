//! What can be wrong with the form of a formula, each in one sentence and, mostly, with a remedy.

use crate::function::Function;
use crate::span::Span;
use std::fmt;

/// The longest text that is read, in bytes: 1 MiB.
pub(crate) const MAX_LENGTH: usize = 1 << 20;

/// How many brackets, signs and powers may be open at one place.
pub(crate) const MAX_DEPTH: usize = 256;

/// The longest number that is read, in bytes: the exact expansion of any double fits.
pub(crate) const MAX_NUMBER_LENGTH: usize = 1100;

/// The leftmost mistake in a formula's form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// Where: the characters to underline. Empty only if the text is.
    pub span: Span,
}

/// The mistakes that have words of their own. `Display` is one sentence without the remedy.
///
/// Quotations from the text are shortened where they are long; the span has all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// Nothing but spaces.
    Empty,
    /// Longer than 1 MiB.
    TooLong {
        /// The length of the text.
        bytes: usize,
    },
    /// More than 256 brackets, signs or powers waiting for their ends.
    TooDeep,
    /// A character that means nothing here.
    UnknownCharacter {
        /// The character.
        character: char,
    },
    /// `.5`
    LeadingPoint {
        /// What follows the point.
        digits: String,
    },
    /// `5.`
    TrailingPoint {
        /// What stands before the point.
        digits: String,
    },
    /// `1.2.3`, `1__0`
    MalformedNumber {
        /// The number as written.
        text: String,
    },
    /// `1e999`: beyond double precision.
    NumberOutOfRange {
        /// The number as written.
        text: String,
    },
    /// A number of more characters than any double needs.
    NumberTooLong {
        /// Its length.
        bytes: usize,
    },
    /// `2x`, `a b`, `(a)(b)`, `x'(t)`
    ImplicitProduct {
        /// The factor on the left.
        left: String,
        /// The number, name or opening bracket on the right.
        right: String,
    },
    /// `sin theta`
    FunctionWithoutBracket {
        /// The function.
        function: String,
        /// The name or number after it.
        argument: String,
    },
    /// `sin^2(x)`
    PowerBeforeBracket {
        /// The function.
        function: String,
        /// Its power.
        exponent: String,
    },
    /// `**`
    DoubleStar,
    /// `==`
    DoubleEqual,
    /// `=<`, `!=`, `:=`
    UnknownRelation {
        /// The signs as written.
        found: String,
    },
    /// A second relation.
    TwoRelations,
    /// `(a = b)`
    RelationInBracket,
    /// A bracket that is never closed; the span is its own.
    UnclosedBracket {
        /// The opening bracket.
        opening: char,
        /// What would close it.
        closing: char,
    },
    /// A closing bracket without an opening one.
    UnopenedBracket {
        /// The closing bracket.
        closing: char,
    },
    /// `(a]`
    MismatchedBracket {
        /// How it was opened.
        opening: char,
        /// What should close it.
        expected: char,
        /// What stands there.
        found: char,
    },
    /// `()`, `[]`, `f()`
    EmptyBracket,
    /// `a, b` outside a call and a vector.
    StrayComma {
        /// The number meant, if this is a decimal comma.
        decimal: Option<String>,
        /// Whether it stands after a relation.
        after_relation: bool,
    },
    /// The text ends where an expression should follow.
    Unfinished {
        /// The sign it ends with.
        after: String,
    },
    /// A sign where an expression should begin.
    MissingOperand {
        /// The sign.
        found: String,
    },
    /// `+x`, `2^+1`
    LeadingPlus,
    /// A prime with nothing before it.
    StrayPrime,
    /// A point that belongs neither to a number nor to a frame.
    StrayPoint,
    /// `v(P).x`
    Component {
        /// The vector.
        vector: String,
        /// The axis.
        axis: String,
    },
    /// `v(P).dot(N.x)`
    Method {
        /// The function.
        function: String,
        /// The vector before the point.
        vector: String,
    },
    /// `F.w`, `F.1`
    UnknownAxis {
        /// The frame's name.
        frame: String,
        /// What follows the point, if anything.
        axis: String,
    },
}

impl SyntaxErrorKind {
    /// The error of this kind at `span`.
    pub(crate) fn at(self, span: Span) -> SyntaxError {
        SyntaxError { kind: self, span }
    }

    /// What to write instead, where that can be said.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Empty => "write an expression or an equation, for example `x' = 0`".into(),
            Self::TooLong { .. } | Self::TooDeep => "give its parts names of their own".into(),
            Self::UnknownCharacter { character } => return replacement(*character).map(Into::into),
            Self::LeadingPoint { digits } => format!("write `0.{digits}`"),
            Self::TrailingPoint { digits } => format!("write `{digits}` or `{digits}.0`"),
            Self::MalformedNumber { .. } => "numbers look like `2`, `0.5`, `1e-3`, `10_000`".into(),
            Self::NumberOutOfRange { .. } => {
                "the largest number is about 1.8e308, the largest exponent 400".into()
            }
            Self::NumberTooLong { .. } => format!("write at most {MAX_NUMBER_LENGTH} characters"),
            Self::ImplicitProduct { left, right } => side_by_side(left, right),
            Self::FunctionWithoutBracket { function, argument } => {
                format!("write `{function}({argument})`")
            }
            Self::PowerBeforeBracket { function, exponent } => {
                format!("write `{function}(...)^{exponent}`")
            }
            Self::DoubleStar => "write `^` for a power".into(),
            Self::DoubleEqual => "write one `=`".into(),
            Self::UnknownRelation { .. } => "the relations are `=`, `<`, `<=`, `>`, `>=`".into(),
            Self::TwoRelations => "write two formulas, each with one relation".into(),
            Self::RelationInBracket => "write the relation once, outside all brackets".into(),
            Self::UnclosedBracket { closing, .. } => format!("add the missing `{closing}`"),
            Self::UnopenedBracket { closing } => format!("remove this `{closing}`, or open it"),
            Self::MismatchedBracket { expected, .. } => format!("write `{expected}`"),
            Self::EmptyBracket => "write an expression between the brackets".into(),
            Self::StrayComma {
                decimal,
                after_relation,
            } => match decimal {
                Some(number) => format!("write `{number}`"),
                None if *after_relation => SEVERAL.into(),
                None => "write a vector as `[a, b, c]`".into(),
            },
            Self::Unfinished { after } => format!("write what follows `{after}`, or remove it"),
            Self::MissingOperand { .. } => return None,
            Self::LeadingPlus => "leave out the `+`".into(),
            Self::StrayPrime => "write it after a name or a bracket: `x'`, `(T + V)'`".into(),
            Self::StrayPoint => "axes follow a frame's name, `N.x`; numbers look like `0.5`".into(),
            Self::Component { vector, axis } => {
                format!("write the component `dot({vector}, N.{axis})`")
            }
            Self::Method { function, vector } => match function.as_str() {
                "dot" | "cross" => format!("write `{function}({vector}, ...)`"),
                _ => format!("write `{function}({vector})`"),
            },
            Self::UnknownAxis { frame, axis } => match (of_module(axis), component(axis)) {
                (Some(name), _) => format!("write `{name}` by itself"),
                (None, Some((function, axis))) => {
                    format!("write the component `dot({function}({frame}), N.{axis})`")
                }
                (None, None) => format!("write `{frame}.x`, `{frame}.y` or `{frame}.z`"),
            },
        };
        Some(hint)
    }

    /// The sentence that `Display` shows.
    fn sentence(&self) -> String {
        match self {
            Self::Empty => "the formula is empty".into(),
            Self::TooLong { bytes } => {
                format!("the formula has {bytes} bytes, more than the limit of {MAX_LENGTH}")
            }
            Self::TooDeep => format!("the formula is nested more than {MAX_DEPTH} levels deep"),
            Self::UnknownCharacter { character } => {
                format!("{} is not part of the language", visible(*character))
            }
            Self::LeadingPoint { .. } => "a digit is missing before the decimal point".into(),
            Self::TrailingPoint { .. } => "a digit is missing after the decimal point".into(),
            Self::MalformedNumber { text } => format!("`{text}` is not a number"),
            Self::NumberOutOfRange { text } => format!("`{text}` is beyond double precision"),
            Self::NumberTooLong { bytes } => format!("this number has {bytes} characters"),
            Self::ImplicitProduct { left, right } => {
                format!("an operator is missing between `{left}` and `{right}`")
            }
            Self::FunctionWithoutBracket { function, .. } => {
                format!("the argument of `{function}` has no brackets")
            }
            Self::PowerBeforeBracket { function, .. } => {
                format!("the power of `{function}` stands before its brackets")
            }
            Self::DoubleStar => "`**` is not an operator".into(),
            Self::DoubleEqual => "`==` is not a relation".into(),
            Self::UnknownRelation { found } => format!("`{found}` is not a relation"),
            Self::TwoRelations => "the formula has a second relation".into(),
            Self::RelationInBracket => "a relation stands inside brackets".into(),
            Self::UnclosedBracket { opening, .. } => format!("this `{opening}` is never closed"),
            Self::UnopenedBracket { closing } => format!("this `{closing}` closes nothing"),
            Self::MismatchedBracket { opening, found, .. } => {
                format!("a bracket opened with `{opening}` is closed with `{found}`")
            }
            Self::EmptyBracket => "there is nothing between these brackets".into(),
            Self::StrayComma { decimal, .. } => match decimal {
                Some(_) => "a decimal comma is not read".into(),
                None => "a comma stands outside a function's arguments and a vector".into(),
            },
            Self::Unfinished { after } => format!("the formula ends after `{after}`"),
            Self::MissingOperand { found } => format!("an expression is missing before `{found}`"),
            Self::LeadingPlus => "a `+` stands where an expression should begin".into(),
            Self::StrayPrime => "this prime has nothing before it to differentiate".into(),
            Self::StrayPoint => "this point belongs neither to a number nor to a frame".into(),
            Self::Component { .. } => "a vector has no parts that are named with a point".into(),
            Self::Method { function, .. } => {
                format!("`{function}` is a function, with its arguments in brackets")
            }
            Self::UnknownAxis { frame, axis } => match axis.as_str() {
                "" => format!("the axis after `{frame}.` is missing"),
                axis if of_module(axis).is_some() => {
                    format!("`{frame}.{axis}`: functions belong to no module here")
                }
                axis => format!("`{axis}` is not an axis: a frame has the axes x, y, z"),
            },
        }
    }
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

/// `vx`: which vector of a point, and along which axis.
fn component(part: &str) -> Option<(&'static str, &str)> {
    let vectors = [("v", "v"), ("a", "a"), ("p", "pos"), ("r", "pos")];
    let mut found = vectors.into_iter().filter_map(|(letter, function)| {
        let axis = part.strip_prefix(letter)?.trim_start_matches('_');
        matches!(axis, "x" | "y" | "z").then_some((function, axis))
    });
    found.next()
}

/// What to write for several formulas in one string.
const SEVERAL: &str = "several equations are a list of strings: `[\"...\", \"...\"]`";

/// `cos` of `np.cos`: a function, or `pi`, under the name that it has here.
fn of_module(name: &str) -> Option<&'static str> {
    const OTHERS: [(&str, &str); 11] = [
        ("pi", "pi"),
        ("sqrt", "sqrt"),
        ("arcsin", "asin"),
        ("arccos", "acos"),
        ("arctan", "atan"),
        ("arctan2", "atan2"),
        ("ln", "log"),
        ("dot", "dot"),
        ("cross", "cross"),
        ("norm", "norm"),
        ("fabs", "abs"),
    ];
    let other = || OTHERS.iter().find(|(other, _)| *other == name);
    let exact = Function::from_name(name).map(Function::name);
    exact.or_else(|| other().map(|(_, function)| *function))
}

/// What is meant by two operands side by side: mostly a product.
fn side_by_side(left: &str, right: &str) -> String {
    const UNITS: [&str; 14] = [
        "kg", "rad", "sec", "seconds", "Nm", "Hz", "rpm", "mm", "cm", "km", "ms", "kN", "meters",
        "metres",
    ];
    const LETTERS: [&str; 4] = ["m", "s", "g", "N"];
    let number = left.parse::<f64>().is_ok();
    match right {
        "deg" | "degree" | "degrees" if number => {
            format!("angles are in radians: write `{left}*pi/180`")
        }
        _ if number && UNITS.contains(&right) => {
            format!("units are not written in formulas: write `{left}`")
        }
        _ if number && LETTERS.contains(&right) => {
            format!("write `{left}*{right}` for a product; a unit is left out")
        }
        "if" | "else" | "for" | "and" | "or" | "where" => {
            "formulas have no such words: corners are written with `abs`, `sign`, `min`, `max`"
                .into()
        }
        "x" if left.ends_with(')') => {
            format!(
                "write `cross({left}, ...)` for a vector product, `{left}*x` for a product with x"
            )
        }
        "[" if of_module(left).is_some() => format!("write `{left}(...)`"),
        "[" if left.ends_with(')') => format!("write a component as `dot({left}, N.x)`"),
        _ if left == "lambda" => {
            format!("a formula is an expression, no program; for a product write `lambda*{right}`")
        }
        _ => format!("write `{}`", product(left, right)),
    }
}

/// `left*right`, where an opening bracket stands for all that it encloses.
fn product(left: &str, right: &str) -> String {
    let right = match right {
        "(" => "(...)".to_owned(),
        "[" => "[...]".to_owned(),
        other => other.to_owned(),
    };
    format!("{left}*{right}")
}

/// `text` on one line and short enough for a sentence.
pub(crate) fn brief(text: &str) -> String {
    const LONGEST: usize = 32;
    let line: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}...", &line[..cut]),
        None => line,
    }
}

/// The character in quotes, or its number if it cannot be seen.
fn visible(character: char) -> String {
    let invisible = matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}');
    if invisible || character.is_control() {
        format!("the invisible character U+{:04X}", u32::from(character))
    } else {
        format!("the character `{character}`")
    }
}

/// What to write for a character that does not belong to the language but is seen in formulas.
fn replacement(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{ff0d}' => "write `-`",
        '\u{b7}' | '\u{387}' | '\u{d7}' | '\u{2217}' | '\u{2219}' | '\u{22c5}' => {
            "write `*`; between vectors `dot(a, b)` or `cross(a, b)`"
        }
        '\u{f7}' | '\u{2044}' | '\u{2215}' => "write `/`",
        '\u{2032}' | '\u{2018}' | '\u{2019}' | '\u{b4}' | '`' | '\u{2b9}' | '\u{2bc}'
        | '\u{2bd}' | '\u{2c8}' => "write `'`",
        '\u{2033}' | '\u{201c}' | '\u{201d}' | '"' | '\u{2ba}' => "write two primes `''`",
        '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}'..='\u{207e}' => {
            "write powers with `^`, as in `x^2`"
        }
        '\u{2080}'..='\u{208e}' => "write indices in line, as in `x1`",
        '\u{2264}' | '\u{2a7d}' => "write `<=`",
        '\u{2265}' | '\u{2a7e}' => "write `>=`",
        '\u{2260}' => "the relations are `=`, `<`, `<=`, `>`, `>=`",
        '\u{221a}' => "write `sqrt(...)`",
        '|' | '\u{2016}' => "write `abs(...)`, or `norm(...)` of a vector",
        '{' => "write `(`",
        '}' => "write `)`",
        '\\' => "write names without a backslash",
        ';' => SEVERAL,
        '\u{bd}' => "write `1/2`",
        '\u{bc}' => "write `1/4`",
        '\u{be}' => "write `3/4`",
        '\u{307}' => "write a rate with a prime after the name: `x'`",
        '\u{308}' => "write a second rate with two primes after the name: `x''`",
        '@' => "the velocity of the point of a body at an offset r is `v(body, r)`",
        '%' => "comments begin with `#`, outside the quotes",
        ':' => "write one `=` for an equation",
        '\u{221e}' => "no number is infinite here",
        '\u{2202}' | '\u{2207}' => {
            "derivatives by the time are primes, `x'`; others are found by Appell"
        }
        '\u{b0}' => "angles are in radians: multiply by `pi/180`",
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {
            "delete it"
        }
        _ => return None,
    })
}
