//! Units: what `kg m^2/s` is in powers of the SI base units, how it is read and written.

use appell_expr::{Id, Rational};
use std::collections::{HashMap, HashSet};

/// How many base units there are: kg, m, s, A, K, mol, cd.
const BASE: usize = 7;
/// Longer texts are no units.
const LONGEST: usize = 200;
/// Brackets within brackets.
const DEEPEST: usize = 8;
/// Factors closer than this are equal.
const EQUAL: f64 = 1e-9;

/// Powers of kg, m, s, A, K, mol, cd, and the factor to the coherent unit of these.
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    powers: [Rational; BASE],
    /// The logarithm of the factor: 0 for coherent units, that of 1/1000 for mm.
    scale: f64,
}

/// What is known of the dimensions in a model whose units do not contradict its formulas.
#[derive(Debug, Clone, Default)]
pub struct Dimensions {
    /// Of coordinates, their rates, parameters and motion variables, by their symbols.
    pub symbols: HashMap<Id, Dimension>,
    /// Of energies.
    pub energy: Option<Dimension>,
    /// Of places of points and bodies.
    pub length: Option<Dimension>,
    /// Of the time: seconds, unless `[units]` says otherwise.
    pub time: Dimension,
    /// Coordinates that `[units]` gives in radians.
    pub angles: HashSet<Id>,
}

/// A name, the powers of kg, m, s, A, K, mol, cd, the factor, and whether it takes prefixes.
type Unit = (&'static str, [i64; BASE], f64, bool);

const fn mechanical(kg: i64, m: i64, s: i64) -> [i64; BASE] {
    [kg, m, s, 0, 0, 0, 0]
}

const NONE: [i64; BASE] = mechanical(0, 0, 0);
const MASS: [i64; BASE] = mechanical(1, 0, 0);
const LENGTH: [i64; BASE] = mechanical(0, 1, 0);
const TIME: [i64; BASE] = mechanical(0, 0, 1);
const DEGREE: f64 = std::f64::consts::PI / 180.0;

/// Where names meet, as in `min`, the earlier one counts, and a name before a prefix.
const UNITS: &[Unit] = &[
    ("m", LENGTH, 1.0, true),
    ("kg", MASS, 1.0, false),
    ("s", TIME, 1.0, true),
    ("N", mechanical(1, 1, -2), 1.0, true),
    ("J", mechanical(1, 2, -2), 1.0, true),
    ("W", mechanical(1, 2, -3), 1.0, true),
    ("Pa", mechanical(1, -1, -2), 1.0, true),
    ("Hz", mechanical(0, 0, -1), 1.0, true),
    ("rad", NONE, 1.0, true),
    ("sr", NONE, 1.0, false),
    ("1", NONE, 1.0, false),
    ("g", MASS, 1e-3, true),
    ("t", MASS, 1e3, true),
    ("min", TIME, 60.0, false),
    ("h", TIME, 3600.0, false),
    ("d", TIME, 86_400.0, false),
    ("deg", NONE, DEGREE, false),
    ("°", NONE, DEGREE, false),
    ("grad", NONE, 0.9 * DEGREE, false),
    ("arcmin", NONE, DEGREE / 60.0, false),
    ("arcsec", NONE, DEGREE / 3600.0, false),
    ("rev", NONE, 360.0 * DEGREE, false),
    ("rpm", mechanical(0, 0, -1), 6.0 * DEGREE, false),
    ("%", NONE, 0.01, false),
    ("L", mechanical(0, 3, 0), 1e-3, true),
    ("l", mechanical(0, 3, 0), 1e-3, true),
    ("bar", mechanical(1, -1, -2), 1e5, true),
    ("eV", mechanical(1, 2, -2), 1.602_176_634e-19, true),
    ("in", LENGTH, 0.0254, false),
    ("ft", LENGTH, 0.3048, false),
    ("mi", LENGTH, 1609.344, false),
    ("kn", mechanical(0, 1, -1), 1852.0 / 3600.0, false),
    ("lb", MASS, 0.453_592_37, false),
    ("lbf", mechanical(1, 1, -2), 4.448_221_615_260_5, false),
    ("kgf", mechanical(1, 1, -2), 9.806_65, false),
    ("A", [0, 0, 0, 1, 0, 0, 0], 1.0, true),
    ("K", [0, 0, 0, 0, 1, 0, 0], 1.0, true),
    ("mol", [0, 0, 0, 0, 0, 1, 0], 1.0, true),
    ("cd", [0, 0, 0, 0, 0, 0, 1], 1.0, true),
    ("C", [0, 0, 1, 1, 0, 0, 0], 1.0, true),
    ("V", [1, 2, -3, -1, 0, 0, 0], 1.0, true),
    ("Ohm", [1, 2, -3, -2, 0, 0, 0], 1.0, true),
    ("Ω", [1, 2, -3, -2, 0, 0, 0], 1.0, true),
    ("F", [-1, -2, 4, 2, 0, 0, 0], 1.0, true),
    ("H", [1, 2, -2, -2, 0, 0, 0], 1.0, true),
    ("T", [1, 0, -2, -1, 0, 0, 0], 1.0, true),
    ("Wb", [1, 2, -2, -1, 0, 0, 0], 1.0, true),
];

const PREFIXES: &[(&str, i32)] = &[
    ("da", 1),
    ("Q", 30),
    ("R", 27),
    ("Y", 24),
    ("Z", 21),
    ("E", 18),
    ("P", 15),
    ("T", 12),
    ("G", 9),
    ("M", 6),
    ("k", 3),
    ("h", 2),
    ("d", -1),
    ("c", -2),
    ("m", -3),
    ("u", -6),
    ("µ", -6),
    ("μ", -6),
    ("n", -9),
    ("p", -12),
    ("f", -15),
    ("a", -18),
    ("z", -21),
    ("y", -24),
    ("r", -27),
    ("q", -30),
];

/// Words that stand for a unit elsewhere.
const WORDS: &[(&str, &str)] = &[
    ("meter", "m"),
    ("metre", "m"),
    ("sec", "s"),
    ("second", "s"),
    ("kilogram", "kg"),
    ("gram", "g"),
    ("newton", "N"),
    ("joule", "J"),
    ("watt", "W"),
    ("radian", "rad"),
    ("degree", "deg"),
    ("minute", "min"),
    ("hour", "h"),
    ("kilo", "kg"),
    ("nm", "N m"),
    ("kph", "km/h"),
    ("kmh", "km/h"),
    ("mps", "m/s"),
];

impl Default for Dimension {
    fn default() -> Self {
        Self::of(&NONE, 1.0)
    }
}

impl Dimension {
    fn of(powers: &[i64; BASE], factor: f64) -> Self {
        Self {
            powers: powers.map(Rational::from),
            scale: factor.ln(),
        }
    }

    /// Of a time in seconds.
    pub fn second() -> Self {
        Self::of(&TIME, 1.0)
    }

    /// Of a length in metres.
    pub fn metre() -> Self {
        Self::of(&LENGTH, 1.0)
    }

    /// What `kg m^2/s`, `N*m`, `km/h` or `m/(s K)` is; none where it is not known. A stroke divides by the one
    /// factor behind it.
    pub fn read(text: &str) -> Option<Self> {
        let tokens = tokens(text)?;
        let mut rest = tokens.as_slice();
        let whole = product(&mut rest, 0)?;
        rest.is_empty().then_some(whole)
    }

    /// Powers of kg, m, s, A, K, mol, cd, and the factor to the coherent unit; none where a power is no integer.
    pub fn of_si(&self) -> Option<([i64; BASE], f64)> {
        let mut powers = [0; BASE];
        for (exponent, power) in powers.iter_mut().zip(&self.powers) {
            *exponent = power.to_i64()?;
        }
        Some((powers, self.scale.exp()))
    }

    /// Multiplied by a power of another.
    pub fn times(mut self, other: &Self, power: &Rational) -> Self {
        for (exponent, x) in self.powers.iter_mut().zip(&other.powers) {
            *exponent = &*exponent + &(x * power);
        }
        self.scale += other.scale * power.to_f64();
        self
    }

    /// Whether it is a pure number in whatever unit, as an angle in degrees.
    pub fn is_number(&self) -> bool {
        self.powers.iter().all(Rational::is_zero)
    }

    /// Whether both are of the same kind, in whatever units.
    pub fn is_like(&self, other: &Self) -> bool {
        self.powers == other.powers
    }

    /// Whether its unit is coherent: none of mm, km/h, deg.
    pub fn is_coherent(&self) -> bool {
        self.scale.abs() < EQUAL
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        self.is_number() && self.is_coherent()
    }

    /// As a multiple of a coherent unit: `7.72e-5 m/s²`.
    pub fn in_si(&self) -> String {
        let coherent = Self {
            scale: 0.0,
            ..self.clone()
        };
        let written = format!("{:.2e} {}", self.scale.exp(), coherent.written());
        written.trim_end().to_owned()
    }

    /// In SI units, `kg m²/s²` as `J`; a unit with a factor by its name, empty where none of the table has it.
    pub fn written(&self) -> String {
        let is_own = |unit: &Dimension| {
            unit.powers == self.powers && (unit.scale - self.scale).abs() < EQUAL
        };
        if !self.is_coherent() {
            return named()
                .find(|(_, unit)| is_own(unit))
                .map_or(String::new(), |(name, _)| name);
        }
        let short = UNITS[3..6]
            .iter()
            .find(|(_, powers, ..)| is_own(&Self::of(powers, 1.0)));
        if let Some((name, ..)) = short {
            return (*name).to_owned();
        }
        let names = ["kg", "m", "s", "A", "K", "mol", "cd"];
        let parts = names.into_iter().zip(&self.powers);
        let part = |below: bool| -> Vec<String> {
            let factors = parts
                .clone()
                .filter(|(_, x)| !x.is_zero() && x.is_negative() == below);
            factors.map(|(name, x)| raised(name, &x.abs())).collect()
        };
        let (above, below) = (part(false), part(true));
        let above = match (above.is_empty(), below.is_empty()) {
            (true, true) => return String::new(),
            (true, false) => "1".to_owned(),
            _ => above.join(" "),
        };
        match below.as_slice() {
            [] => above,
            [one] => format!("{above}/{one}"),
            several => format!("{above}/({})", several.join(" ")),
        }
    }
}

fn raised(name: &str, power: &Rational) -> String {
    match power.to_i64() {
        Some(1) => name.to_owned(),
        Some(2) => format!("{name}²"),
        Some(3) => format!("{name}³"),
        Some(n) => format!("{name}^{n}"),
        None => format!("{name}^({power})"),
    }
}

/// Every unit that is a name alone, those with usual prefixes too, and the usual quotients.
fn named() -> impl Iterator<Item = (String, Dimension)> {
    let usual = [
        "N/mm", "kN/m", "N mm", "N/cm", "km/h", "mm/s", "cm/s", "deg/s", "mm/s^2", "g mm^2",
    ];
    let usual = usual
        .into_iter()
        .filter_map(|text| Some((text.to_owned(), Dimension::read(text)?)));
    let plain = UNITS
        .iter()
        .map(|(name, powers, factor, _)| ((*name).to_owned(), Dimension::of(powers, *factor)));
    let with =
        UNITS
            .iter()
            .filter(|(.., prefixes)| *prefixes)
            .flat_map(|(name, powers, factor, _)| {
                let prefixes = PREFIXES.iter().filter(|(_, n)| n.abs() <= 9);
                prefixes.map(move |(prefix, n)| {
                    (
                        format!("{prefix}{name}"),
                        Dimension::of(powers, factor * 10_f64.powi(*n)),
                    )
                })
            });
    plain.chain(with).chain(usual)
}

/// A unit of the table, with or without a prefix.
fn unit(name: &str) -> Option<Dimension> {
    let find = |name: &str| UNITS.iter().find(|(symbol, ..)| *symbol == name);
    if let Some((_, powers, factor, _)) = find(name) {
        return Some(Dimension::of(powers, *factor));
    }
    PREFIXES.iter().find_map(|(prefix, n)| {
        let (_, powers, factor, _) = find(name.strip_prefix(prefix)?).filter(|unit| unit.3)?;
        Some(Dimension::of(powers, factor * 10_f64.powi(*n)))
    })
}

/// What may have been meant by a text that is no unit: another case, or a word in full.
pub(crate) fn nearest_unit(text: &str) -> Option<&'static str> {
    let lower = text.trim().to_lowercase();
    let word = |singular: &str| lower == singular || lower.strip_suffix('s') == Some(singular);
    let word = WORDS
        .iter()
        .find(|(singular, _)| word(singular))
        .map(|(_, unit)| *unit);
    let case = || {
        UNITS
            .iter()
            .find(|(symbol, ..)| symbol.to_lowercase() == lower)
    };
    word.or_else(|| case().map(|(symbol, ..)| *symbol))
}

/// A part of the text of a unit.
#[derive(Debug, PartialEq)]
enum Token {
    Name(String),
    Power(Rational),
    Over,
    Open,
    Close,
}

/// `kg m^2/s^2` in its parts; products need no sign.
fn tokens(text: &str) -> Option<Vec<Token>> {
    if text.len() > LONGEST {
        return None;
    }
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '/' => (Some(Token::Over), 1),
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            '*' if rest.starts_with("**") => exponent(&rest[2..]).map(|(p, n)| (Some(p), n + 2))?,
            '^' => exponent(&rest[1..]).map(|(p, n)| (Some(p), n + 1))?,
            '*' | '·' | '⋅' | '.' => (None, first.len_utf8()),
            '²' => (Some(Token::Power(Rational::from(2))), 2),
            '³' => (Some(Token::Power(Rational::from(3))), 2),
            '1' => (Some(Token::Name("1".to_owned())), 1),
            '%' | '°' => (Some(Token::Name(first.to_string())), first.len_utf8()),
            _ => {
                let end = rest
                    .find(|c: char| !c.is_alphabetic())
                    .unwrap_or(rest.len());
                let name = (end > 0).then(|| rest[..end].to_owned())?;
                // `s-1` and `m2`, as some write.
                let digits = rest[end..].starts_with(|c: char| c == '-' || c.is_ascii_digit());
                tokens.push(Token::Name(name));
                match digits {
                    true => exponent(&rest[end..]).map(|(p, n)| (Some(p), end + n))?,
                    false => (None, end),
                }
            }
        };
        tokens.extend(token);
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// `2`, `-1`, `(1/2)` or `0.5` behind the sign of a power, with its length.
fn exponent(text: &str) -> Option<(Token, usize)> {
    let number = |text: &str| match text.split_once('/') {
        Some((above, below)) => {
            let below = Rational::from_decimal(below.trim())?.recip()?;
            Some(&Rational::from_decimal(above.trim())? * &below)
        }
        None => Rational::from_decimal(text.trim()),
    };
    if let Some(inner) = text.strip_prefix('(') {
        let end = inner.find(')')?;
        return Some((Token::Power(number(&inner[..end])?), end + 2));
    }
    let digit = |(at, c): (usize, char)| !(c.is_ascii_digit() || c == '.' || (at == 0 && c == '-'));
    let end = text
        .char_indices()
        .find(|x| digit(*x))
        .map_or(text.len(), |(at, _)| at);
    Some((Token::Power(number(&text[..end])?), end))
}

/// Factors up to the end or a bracket.
fn product(rest: &mut &[Token], depth: usize) -> Option<Dimension> {
    let mut whole = Dimension::default();
    let mut any = false;
    while let Some((token, behind)) = rest.split_first() {
        if *token == Token::Close {
            break;
        }
        let mut sign = Rational::one();
        if *token == Token::Over {
            sign = -&sign;
            *rest = behind;
        }
        let factor = factor(rest, depth)?;
        let power = match rest.split_first() {
            Some((Token::Power(power), behind)) => {
                *rest = behind;
                power.clone()
            }
            _ => Rational::one(),
        };
        whole = whole.times(&factor, &(&sign * &power));
        any = true;
    }
    (any || depth == 0).then_some(whole)
}

fn factor(rest: &mut &[Token], depth: usize) -> Option<Dimension> {
    let (token, behind) = rest.split_first()?;
    *rest = behind;
    match token {
        Token::Name(name) => unit(name),
        Token::Open if depth < DEEPEST => {
            let inner = product(rest, depth + 1)?;
            let (close, behind) = rest.split_first()?;
            *rest = behind;
            (*close == Token::Close).then_some(inner)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_and_written() {
        let rows = [
            ("kg m^2", "kg m²"),
            ("m/s^2", "m/s²"),
            ("N m", "J"),
            ("N s/m", "kg/s"),
            ("N*m", "J"),
            ("1/s", "1/s"),
            ("s^-1", "1/s"),
            ("s-1", "1/s"),
            ("m/(s K)", "m/(s K)"),
            ("kN·mm", "J"),
            ("m^(1/2)", "m^(1/2)"),
            ("rad/s", "1/s"),
            ("rad", ""),
            ("", ""),
            ("mm", "mm"),
            ("km/h", "km/h"),
            ("deg", "deg"),
            ("V A", "W"),
            ("µm", "um"),
            ("m²", "m²"),
        ];
        for (unit, again) in rows {
            let read = Dimension::read(unit).unwrap_or_else(|| panic!("{unit}"));
            assert_eq!(read.written(), again, "{unit}");
        }
        for unknown in [
            "furlong",
            "Kg",
            "m^",
            "m^x",
            "(m",
            "m)",
            "m/",
            "()",
            "s.u.",
            "kkg",
            "m^99999999999999999999x",
        ] {
            assert_eq!(Dimension::read(unknown), None, "{unknown}");
        }
        assert_eq!(Dimension::read(&"(".repeat(150)), None);
    }

    #[test]
    fn factors_are_those_of_the_definitions() {
        let factor = |unit: &str| Dimension::read(unit).expect(unit).scale.exp();
        for (unit, expected) in [
            ("km/h", 1.0 / 3.6),
            ("rpm", std::f64::consts::TAU / 60.0),
            ("g", 1e-3),
            ("mg", 1e-6),
            ("cm^2", 1e-4),
            ("min", 60.0),
            ("mi", 1609.344),
        ] {
            assert!((factor(unit) / expected - 1.0).abs() < 1e-12, "{unit}");
        }
    }

    #[test]
    fn near_misses_are_known() {
        for (text, unit) in [("Kg", "kg"), ("meters", "m"), ("Newton", "N"), ("SEC", "s")] {
            assert_eq!(nearest_unit(text), Some(unit));
        }
        assert_eq!(nearest_unit("furlong"), None);
    }
}
