//! Formulas as they stand in the file.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{Kind, Node};
use crate::malformed::not_finite;
use crate::text::Text;
use appell_expr::{Rational, Sentence, Span, SyntaxError, SyntaxErrorKind, parse};

/// Longer formulas are refused: 32 KiB.
const MAX_BYTES: usize = 1 << 15;

/// A formula, or a TOML number in its place.
#[derive(Debug, Clone)]
pub(crate) enum Formula {
    /// `1.0`
    Number(Rational, Span),
    /// `"2*m"`
    Written(Box<Written>),
}

/// A formula in a string.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    /// The string.
    pub(crate) text: Text,
    /// What it says.
    pub(crate) sentence: Sentence,
}

impl Formula {
    /// Its place in the file.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Number(_, span) => *span,
            Self::Written(written) => written.text.contents(),
        }
    }

    /// The formula if it is written as a string.
    pub(crate) fn written(&self) -> Option<&Written> {
        match self {
            Self::Number(..) => None,
            Self::Written(written) => Some(written),
        }
    }
}

impl Written {
    /// The place in the file of a part of the formula.
    pub(crate) fn place(&self, span: Span) -> Span {
        self.text.place(span)
    }

    /// The formula on one line.
    pub(crate) fn on_one_line(&self) -> String {
        self.text
            .value
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The formula that a value holds: a string or a number.
pub(crate) fn formula(node: &Node, key: &str, report: &mut Report) -> Option<Formula> {
    match &node.kind {
        Kind::Number(number) => Some(Formula::Number(number.clone(), node.span)),
        Kind::NotFinite(digits) => report.refuse(not_finite(digits, node.span)),
        Kind::Text(text) => {
            written(text, report).map(|written| Formula::Written(Box::new(written)))
        }
        Kind::List(_) => {
            let message = format!("`{key}` must be a formula in a string, not a list");
            let label = "put it in a string: a vector is `\"[a, b, c]\"`";
            report.reject(Code::WrongType, message, node.span, label)
        }
        _ => report.refuse(node.wrong_type(key, "a formula in a string, or a number")),
    }
}

/// The formula that a value holds, which must be a string.
pub(crate) fn sentence(node: &Node, key: &str, report: &mut Report) -> Option<Written> {
    match &node.kind {
        Kind::Text(text) => written(text, report),
        Kind::Number(_) if key == "an element of state" => {
            let message = "an initial state is made of equations, not of numbers";
            let label = "write an equation in a string, such as `\"x = 0.3\"`";
            report.reject(Code::WrongType, message, node.span, label)
        }
        _ => report.refuse(node.wrong_type(key, "a formula in a string")),
    }
}

/// The formulas of a list.
pub(crate) fn sentences(node: &Node, key: &str, report: &mut Report) -> Option<Vec<Written>> {
    let nodes = node.list(key, report)?;
    let key = format!("an element of {key}");
    Some(
        nodes
            .iter()
            .filter_map(|node| sentence(node, &key, report))
            .collect(),
    )
}

/// The value of a parameter, which may be meant with its unit: `"9.81 m/s^2"`.
pub(crate) fn value(node: &Node, key: &str, report: &mut Report) -> Option<Formula> {
    if let Kind::Text(text) = &node.kind
        && let Some((number, unit)) = text.value.trim().split_once(char::is_whitespace)
        && Rational::from_decimal(number).is_some()
        && unit.trim_start().starts_with(char::is_alphabetic)
    {
        let message = format!("a number with its unit in `{}`", text.value.trim());
        let label = format!("write `{{ value = {number}, unit = \"{}\" }}`", unit.trim());
        return report.reject(Code::ImplicitProduct, message, text.contents(), label);
    }
    if let Kind::List(_) = &node.kind {
        let message = format!("`{key}` must be one number or formula, not a list");
        let label = "give each number a parameter of its own";
        return report.reject(Code::WrongType, message, node.span, label);
    }
    formula(node, key, report)
}

/// `"\theta"`: in TOML the escape of a tab, and `heta`.
fn eaten_backslash(text: &Text) -> Option<Diagnostic> {
    const NAMES: [(char, char, &str); 12] = [
        ('\t', 't', "theta"),
        ('\t', 't', "tau"),
        ('\t', 't', "tan"),
        ('\t', 't', "times"),
        ('\u{8}', 'b', "beta"),
        ('\u{8}', 'b', "bar"),
        ('\u{c}', 'f', "frac"),
        ('\n', 'n', "nu"),
        ('\r', 'r', "rho"),
        ('\n', 'n', "nabla"),
        ('\t', 't', "tilde"),
        ('\u{8}', 'b', "begin"),
    ];
    let found = NAMES.iter().find_map(|(escaped, letter, name)| {
        let eaten = format!("{escaped}{}", &name[1..]);
        let start = text.value.find(&eaten)?;
        let place = text.place(Span::new(start, start + eaten.len()));
        (place.end - place.start == name.len() + 1).then_some((place, letter, name))
    });
    let (place, letter, name) = found?;
    let message =
        format!("in TOML `\\{letter}` is a control character, not the beginning of `\\{name}`");
    let label = format!("write `{name}` without the backslash");
    Some(Diagnostic::new(Code::Escape, message, place, label))
}

fn written(text: &Text, report: &mut Report) -> Option<Written> {
    let bytes = text.value.len();
    if bytes > MAX_BYTES {
        let message = format!("the formula has {bytes} bytes, more than the limit of {MAX_BYTES}");
        let start = Span::new(text.span.start, text.span.start + 1);
        let label = "define its parts under names of their own";
        return report.reject(Code::TooLarge, message, start, label);
    }
    if let Some(eaten) = eaten_backslash(text) {
        return report.refuse(eaten);
    }
    match parse(&text.value) {
        Ok(sentence) => Some(Written {
            text: text.clone(),
            sentence,
        }),
        Err(error) => report.refuse(syntax(text, &error)),
    }
}

fn syntax(text: &Text, error: &SyntaxError) -> Diagnostic {
    let place = text.place(error.span);
    // An empty formula is shown with its quotes.
    let place = if place.start == place.end {
        text.span
    } else {
        place
    };
    Diagnostic::new(
        code(&error.kind),
        error.kind.to_string(),
        place,
        error.kind.hint().unwrap_or_default(),
    )
}

/// The row of the table of codes for a mistake in a formula's form.
fn code(kind: &SyntaxErrorKind) -> Code {
    use SyntaxErrorKind as Kind;
    match kind {
        Kind::ImplicitProduct { .. } => Code::ImplicitProduct,
        Kind::FunctionWithoutBracket { .. } | Kind::PowerBeforeBracket { .. } => {
            Code::FunctionWithoutBracket
        }
        Kind::DoubleEqual => Code::DoubleEqual,
        Kind::UnclosedBracket { .. }
        | Kind::UnopenedBracket { .. }
        | Kind::MismatchedBracket { .. }
        | Kind::EmptyBracket => Code::Bracket,
        Kind::DoubleStar => Code::DoubleStar,
        Kind::UnknownCharacter { .. } => Code::UnknownCharacter,
        Kind::LeadingPoint { .. }
        | Kind::TrailingPoint { .. }
        | Kind::MalformedNumber { .. }
        | Kind::StrayComma {
            decimal: Some(_), ..
        } => Code::MalformedNumber,
        Kind::NumberOutOfRange { .. } => Code::NotFinite,
        Kind::UnknownRelation { .. } | Kind::TwoRelations | Kind::RelationInBracket => {
            Code::Relation
        }
        Kind::TooLong { .. } | Kind::TooDeep | Kind::NumberTooLong { .. } => Code::TooLarge,
        Kind::Empty
        | Kind::StrayComma { decimal: None, .. }
        | Kind::Method { .. }
        | Kind::Unfinished { .. }
        | Kind::MissingOperand { .. }
        | Kind::LeadingPlus
        | Kind::StrayPrime
        | Kind::StrayPoint
        | Kind::Component { .. }
        | Kind::UnknownAxis { .. } => Code::Formula,
    }
}
