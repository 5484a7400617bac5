//! The names of a model. Functions are another space: `a` may be a parameter beside `a(P)`.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::elsewhere;
use crate::function_names::is_function;
use crate::suggest::nearest;
use appell_expr::{AstKind, Span, parse};
use std::collections::HashMap;

/// Names that stand for one thing in every model.
pub(crate) const RESERVED: [(&str, &str); 6] = [
    ("t", "the time"),
    ("pi", "the number pi"),
    ("T", "the kinetic energy"),
    ("V", "the potential energy"),
    ("N", "the inertial frame"),
    ("O", "its origin"),
];

/// What a name stands for, with its index among its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    Coordinate(usize),
    Parameter(usize),
    /// With its index among the parameters.
    Input(usize),
    Definition(usize),
    /// A point or a particle.
    Place(usize),
    Variable(usize),
    Frame(usize),
    Body(usize),
}

impl Named {
    /// "a coordinate", ...
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Coordinate(_) => "a coordinate",
            Self::Parameter(_) => "a parameter",
            Self::Input(_) => "an input",
            Self::Definition(_) => "a definition",
            Self::Place(_) => "a point",
            Self::Variable(_) => "a motion variable",
            Self::Frame(_) => "a frame",
            Self::Body(_) => "a body",
        }
    }

    /// The word before a list of such names.
    fn plural(self) -> &'static str {
        match self {
            Self::Coordinate(_) => "coordinates",
            Self::Parameter(_) => "parameters",
            Self::Input(_) => "inputs",
            Self::Definition(_) => "definitions",
            Self::Place(_) => "points",
            Self::Variable(_) => "motion variables",
            Self::Frame(_) => "frames",
            Self::Body(_) => "bodies",
        }
    }

    /// Whether it is a scalar or vector on its own.
    fn is_quantity(self) -> bool {
        !matches!(self, Self::Place(_) | Self::Frame(_) | Self::Body(_))
    }
}

/// Every name of the model with its place.
#[derive(Debug, Default)]
pub(crate) struct Names {
    list: Vec<(String, Span, Named)>,
    index: HashMap<String, usize>,
    /// Set where a declaration could not be read: names that are missing then are no news.
    pub(crate) incomplete: bool,
}

impl Names {
    /// The name of what is of this kind.
    pub(crate) fn name_of(&self, wanted: impl Fn(Named) -> bool) -> Option<&str> {
        let found = self.list.iter().find(|(_, _, named)| wanted(*named));
        found.map(|(name, ..)| name.as_str())
    }
}

/// At most so many names of a kind are listed in a message.
const LISTED: usize = 12;

/// What to do about an unknown name that is near to no other.
const OTHERWISE: &str = "declare it in [points], [particles] or [bodies], or correct it";

impl Names {
    /// Declares a name, or says why it cannot be declared.
    pub(crate) fn declare(&mut self, name: &str, span: Span, named: Named, report: &mut Report) {
        if !is_name(name) {
            let message = format!("`{name}` cannot be a name in formulas");
            let label = "use letters, digits and `_`, beginning with a letter";
            report.say(Code::BadName, message, span, label);
            self.incomplete = true;
        } else if let Some((_, meaning)) = RESERVED.iter().find(|(reserved, _)| *reserved == name) {
            let message = format!("`{name}` is a reserved name");
            let label = format!("it stands for {meaning}: choose another name");
            let all: Vec<&str> = RESERVED.iter().map(|(reserved, _)| *reserved).collect();
            let note = format!("reserved: {}", all.join(", "));
            report.push(Diagnostic::new(Code::ReservedName, message, span, label).note(note));
        } else if let Some((_, first, other)) = self.index.get(name).map(|i| &self.list[*i]) {
            let message = format!("`{name}` is declared twice");
            let label = format!("{}; choose another name", named.kind());
            let diagnostic = Diagnostic::new(Code::NameTaken, message, span, label);
            report.push(diagnostic.also(*first, format!("{} already", other.kind())));
        } else {
            self.index.insert(name.to_owned(), self.list.len());
            self.list.push((name.to_owned(), span, named));
        }
    }

    /// What a name stands for, if it is declared.
    pub(crate) fn get(&self, name: &str) -> Option<Named> {
        self.index.get(name).map(|i| self.list[*i].2)
    }

    /// Reports a name that is not declared where a quantity is meant.
    pub(crate) fn unknown(&self, name: &str, span: Span, report: &mut Report) {
        let otherwise = match self.as_elsewhere(name) {
            Some(ours) => format!("write `{ours}`"),
            None if is_function(name) => {
                format!(
                    "write the function as `{name}(...)`, or add `{name} = ...` to [parameters]"
                )
            }
            None => {
                format!("correct it, or add `{name} = ...` to [parameters] if it is a constant")
            }
        };
        self.unknown_among(name, span, Named::is_quantity, &otherwise, report);
    }

    /// The number pi, axes and Greek letters as they are written elsewhere.
    fn as_elsewhere(&self, name: &str) -> Option<String> {
        if matches!(name, "Pi" | "PI" | "\u{3c0}") {
            return Some("pi".to_owned());
        }
        self.axis(name).or_else(|| {
            let other = elsewhere::greek(name)?;
            self.get(other).map(|_| other.to_owned())
        })
    }

    /// `Nx`, `B_z` of a frame, `ex`, `e_y`, `xhat` of the inertial one.
    fn axis(&self, name: &str) -> Option<String> {
        let (rest, axis) = name.split_at_checked(name.len().checked_sub(1)?)?;
        if matches!(axis, "x" | "y" | "z") {
            let frame = rest.trim_end_matches('_');
            let known = frame == "N" || matches!(self.get(frame), Some(Named::Frame(_)));
            let unit = matches!(frame, "e" | "u" | "hat");
            return (known || unit).then(|| format!("{}.{axis}", if known { frame } else { "N" }));
        }
        let axis = name.strip_suffix("hat")?.trim_end_matches('_');
        matches!(axis, "x" | "y" | "z").then(|| format!("N.{axis}"))
    }

    /// Reports a name that is not declared where a point is meant.
    pub(crate) fn unknown_point(&self, name: &str, span: Span, report: &mut Report) {
        let has_place = |named| matches!(named, Named::Place(_) | Named::Body(_));
        self.unknown_among(name, span, has_place, OTHERWISE, report);
    }

    /// Reports a name that is not declared where a frame is meant.
    pub(crate) fn unknown_frame(&self, name: &str, span: Span, report: &mut Report) {
        let is_frame = |named| matches!(named, Named::Frame(_));
        let otherwise = "write `N`, or a frame of [frames]";
        self.unknown_among(name, span, is_frame, otherwise, report);
    }

    /// Reports a name that is not declared where a body or a frame is meant.
    pub(crate) fn unknown_turning(&self, name: &str, span: Span, report: &mut Report) {
        let turns = |named| matches!(named, Named::Frame(_) | Named::Body(_));
        let otherwise = "declare it in [frames] or [bodies], or correct it";
        self.unknown_among(name, span, turns, otherwise, report);
    }

    /// What `xdot`, `x_dot`, `dx` and `xddot` say of a coordinate or motion variable `x`.
    pub(crate) fn rate(&self, name: &str) -> Option<String> {
        let moves =
            |x: &str| matches!(self.get(x), Some(Named::Coordinate(_) | Named::Variable(_)));
        let after = |suffix: &str, primes: &str| {
            let x = name.strip_suffix(suffix)?.trim_end_matches('_');
            moves(x).then(|| format!("{x}{primes}"))
        };
        let before = |prefix: &str, primes: &str| {
            let x = name.strip_prefix(prefix)?.trim_start_matches('_');
            moves(x).then(|| format!("{x}{primes}"))
        };
        let dotted = || {
            let (plain, primes) = elsewhere::dotted(name)?;
            moves(plain).then(|| format!("{plain}{primes}"))
        };
        after("ddot", "''")
            .or_else(|| after("dot", "'"))
            .or_else(|| after("\u{307}", "'"))
            .or_else(|| after("\u{308}", "''"))
            .or_else(|| after("_dd", "''"))
            .or_else(|| after("_d", "'"))
            .or_else(|| after("_t", "'"))
            .or_else(|| after("dd", "''"))
            .or_else(|| after("d", "'"))
            .or_else(|| before("dd", "''"))
            .or_else(|| before("d", "'"))
            .or_else(|| before("D", "'"))
            .or_else(|| before("v_", "'"))
            .or_else(|| before("v", "'"))
            .or_else(dotted)
    }

    fn unknown_among(
        &self,
        name: &str,
        span: Span,
        fits: impl Fn(Named) -> bool,
        otherwise: &str,
        report: &mut Report,
    ) {
        if self.incomplete {
            return;
        }
        let fitting = || self.list.iter().filter(|entry| fits(entry.2));
        let near = nearest(name, fitting().map(|entry| entry.0.as_str()));
        let rate = self.rate(name).filter(|_| fits(Named::Coordinate(0)));
        let elsewhere = self
            .as_elsewhere(name)
            .filter(|_| fits(Named::Coordinate(0)));
        let label = match (rate, near) {
            (Some(rate), _) => format!("write `{rate}` for a rate"),
            (None, _) if elsewhere.is_some() => otherwise.to_owned(),
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => otherwise.to_owned(),
        };
        let message = format!("unknown name `{name}`");
        let diagnostic = Diagnostic::new(Code::UnknownName, message, span, label);
        let known = listed(fitting());
        report.push(if known.is_empty() {
            diagnostic
        } else {
            diagnostic.note(format!("known: {known}"))
        });
    }
}

/// `coordinates x, y; parameters m, g`
fn listed<'a>(entries: impl Iterator<Item = &'a (String, Span, Named)>) -> String {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, _, named) in entries {
        match kinds.iter_mut().find(|(kind, _)| *kind == named.plural()) {
            Some((_, names)) => names.push(name),
            None => kinds.push((named.plural(), vec![name])),
        }
    }
    let kinds = kinds.into_iter().map(|(kind, mut names)| {
        let more = if names.len() > LISTED { ", ..." } else { "" };
        names.truncate(LISTED);
        format!("{kind} {}{more}", names.join(", "))
    });
    kinds.collect::<Vec<_>>().join("; ")
}

/// Whether the formula language reads `text` as one name.
pub(crate) fn is_name(text: &str) -> bool {
    const LONGEST: usize = 100;
    let one_name = |kind: &AstKind| matches!(kind, AstKind::Name(name) if name == text);
    text.len() <= LONGEST && parse(text).is_ok_and(|s| one_name(&s.ast.node(s.lhs).kind))
}
