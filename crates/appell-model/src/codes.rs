//! The table of codes: one row per kind of error or warning.
//!
//! Each code has a page in `codes/`, in Markdown: what is meant, one wrong and one corrected model.
//! `appell explain E0102` shows it, and the models in it are read as tests.

use std::fmt;

/// How grave a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used; something may not be what was meant.
    Warning,
}

/// Who finds an error of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The reader of the model.
    Reading,
    /// Mechanics, once the model is read.
    Mechanics,
}

macro_rules! codes {
    ($($name:ident $id:literal $stage:ident $title:literal;)*) => {
        /// The kinds of errors and warnings.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        /// Every code, in the order of the table.
        pub const CODES: &[Code] = &[$(Code::$name,)*];

        impl Code {
            fn row(self) -> Row {
                match self {
                    $(Self::$name => Row {
                        id: $id,
                        title: $title,
                        stage: Stage::$stage,
                        page: include_str!(concat!("codes/", $id, ".md")),
                    },)*
                }
            }
        }
    };
}

struct Row {
    id: &'static str,
    title: &'static str,
    stage: Stage,
    page: &'static str,
}

codes! {
    // The file.
    NotToml                 "E0001" Reading   "not a TOML file";
    PrimeInQuotes           "E0002" Reading   "a prime inside single quotes";
    PrimeInKey              "E0003" Reading   "a velocity as a bare key";
    BareKey                 "E0004" Reading   "a bare key with letters beyond a-z";
    InlineTable             "E0005" Reading   "an inline table that does not end on its line";
    Escape                  "E0006" Reading   "an unknown escape sequence";
    DuplicateKey            "E0007" Reading   "a key given twice";
    UnknownKey              "E0008" Reading   "an unknown key";
    MissingKey              "E0009" Reading   "a missing key";
    WrongType               "E0010" Reading   "a wrong TOML type";
    NotFinite               "E0011" Reading   "a number that is not finite";
    BadValue                "E0012" Reading   "a value that is not admissible";
    UnknownWord             "E0013" Reading   "an unknown word";
    TooLarge                "E0014" Reading   "more than can be read";
    // The form of a formula.
    Formula                 "E0101" Reading   "a formula that is not complete";
    UnknownName             "E0102" Reading   "an unknown name";
    ImplicitProduct         "E0103" Reading   "a product without its sign";
    FunctionWithoutBracket  "E0104" Reading   "a function without brackets";
    DoubleEqual             "E0105" Reading   "two equals signs";
    Bracket                 "E0106" Reading   "brackets that do not match";
    DoubleStar              "E0107" Reading   "a power written with two stars";
    UnknownCharacter        "E0108" Reading   "a character that is not part of the language";
    MalformedNumber         "E0109" Reading   "a malformed number";
    Relation                "E0110" Reading   "a second or unknown relation";
    WrongSentence           "E0111" Reading   "an equation, condition or expression where another is needed";
    UnknownFunction         "E0112" Reading   "an unknown function";
    MissingStar             "E0113" Reading   "a name before a bracket that is not a function";
    Arguments               "E0114" Reading   "arguments that do not fit the function";
    VectorScalar            "E0115" Reading   "vectors and scalars mixed";
    Components              "E0116" Reading   "a vector without three components";
    NotAQuantity            "E0117" Reading   "a point or frame used as a quantity";
    ThirdRate               "E0118" Reading   "a rate beyond the second";
    DivisionByZero          "E0119" Reading   "a division by zero";
    // Names and what they stand for.
    ReservedName            "E0201" Reading   "a reserved name";
    NameTaken               "E0202" Reading   "a name declared twice";
    BadName                 "E0203" Reading   "not a name";
    Cycle                   "E0204" Reading   "a cyclic definition";
    NotAllowed              "E0205" Reading   "a quantity that cannot stand here";
    OutsideLimits           "E0206" Reading   "a parameter outside its limits";
    NoEnergy                "E0207" Reading   "neither energy nor mass";
    TwoLagrangians          "E0208" Reading   "a Lagrangian beside energies";
    SingularKineticEnergy   "E0209" Mechanics "a singular kinetic energy";
    Turn                    "E0210" Reading   "a frame that is not turned as it should";
    Inertia                 "E0211" Reading   "an inertia that no body has";
    Offset                  "E0212" Reading   "a place where an offset is needed";
    // Constraints and motion.
    NonlinearAcceleration   "E0301" Reading   "a constraint nonlinear in the acceleration";
    NoCoordinate            "E0302" Reading   "a constraint on nothing";
    InconsistentConstraints "E0303" Mechanics "inconsistent constraints";
    Reaction                "E0304" Reading   "a reaction without a direction";
    MotionEquations         "E0401" Reading   "not one equation each";
    MotionForm              "E0402" Reading   "a motion equation of neither form";
    ContradictoryMotion     "E0403" Mechanics "a motion equation that contradicts the constraints";
    InconsistentStart       "E0501" Mechanics "an inconsistent start";
    NotSteady               "E0502" Mechanics "a motion that is not steady";
    ClaimKind               "E0601" Reading   "a claim of nothing, or of several things";
    OnlyLagrangian          "E0602" Reading   "T or V where only a Lagrangian is given";
    // Warnings.
    NonSmooth               "W0101" Reading   "a function with corners";
    Unused                  "W0201" Reading   "an entry without effect";
    Dimension               "W0202" Reading   "quantities of different dimensions";
    Unit                    "W0203" Reading   "a unit that may be meant otherwise";
    Impossible              "W0204" Reading   "a mass or an inertia that no body has";
    Alike                   "W0205" Reading   "names that are printed alike";
}

impl Code {
    /// `E0102`, or `W0101` for a warning.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// A few words.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Who finds it.
    pub fn stage(self) -> Stage {
        self.row().stage
    }

    /// Its page: Markdown with a wrong and a corrected model, each in a fence marked `toml`.
    pub fn explanation(self) -> &'static str {
        self.row().page
    }

    /// Error or warning.
    pub fn severity(self) -> Severity {
        if self.id().starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }

    /// The code of this id, in capitals or not.
    pub fn from_id(id: &str) -> Option<Self> {
        CODES
            .iter()
            .copied()
            .find(|code| code.id().eq_ignore_ascii_case(id))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_and_pages_begin_with_them() {
        for pair in CODES.windows(2) {
            assert!(pair[0].id() < pair[1].id(), "{} {}", pair[0], pair[1]);
        }
        for code in CODES {
            let first = code.explanation().lines().next();
            assert_eq!(
                first,
                Some(format!("# {}: {}", code.id(), code.title()).as_str())
            );
            assert_eq!(Code::from_id(&code.id().to_lowercase()), Some(*code));
        }
        assert_eq!(Code::from_id("E9999"), None);
    }
}
