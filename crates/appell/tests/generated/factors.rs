//! Factors that are graphs, `velocity - value(other velocities, coordinates)`: each is irreducible
//! and regular everywhere, so that the components of a product are known.

use super::random::Random;

/// `velocity - value`.
#[derive(Clone)]
pub struct Graph {
    /// The velocity that it determines.
    pub velocity: &'static str,
    /// Its value.
    pub value: String,
}

impl Graph {
    /// `(velocity - value)`, written in one of several ways.
    pub fn factor(&self, random: &mut Random) -> String {
        let Self { velocity, value } = self;
        match random.below(4) {
            0 => format!("({value} - {velocity})"),
            1 => format!("({k}*{velocity} - {k}*({value}))", k = random.positive()),
            _ => format!("({velocity} - ({value}))"),
        }
    }

    /// `velocity = value`.
    pub fn equation(&self) -> String {
        format!("{} = {}", self.velocity, self.value)
    }
}

/// The kinds of values, with `p` and `q` for two velocities and `a`, `b` for two coordinates, `k`
/// for a coefficient and `s` for a positive number.
const POLYNOMIAL: &[&str] = &[
    "k*p",
    "k*p + q",
    "a*q",
    "p*q",
    "p^2 - k*q",
    "s + a*p",
    "(a^2 + 1)*p",
    "a*p + k*b*q",
    "p^2 + q^2",
    "k*b*p*q + s",
];
const ROOT: &[&str] = &[
    "sqrt(p^2 + s)",
    "q*p/sqrt(p^2 + q^2)",
    "-sqrt(p^2 + s*q^2)",
    "p*sqrt(1 + a^2)",
    "sqrt(1 + sqrt(s + p^2))",
    "q/sqrt(s + b^2)",
    "k*sqrt(p^2 + q^2 + s)",
];
const EXPONENTIAL: &[&str] = &[
    "exp(a)*p",
    "k*exp(-b^2)*q",
    "q*exp(p)",
    "log(s + p^2)",
    "p*log(2 + a^2)",
    "tanh(p) + q",
    "cosh(b)*q",
];
const ANGLE: &[&str] = &[
    "sin(a)*p",
    "cos(a)*p + sin(a)*q",
    "sin(p) + k*q",
    "p*tan(a)",
    "q*sin(a + b)",
    "k*cos(b)*q + s",
    "p*sin(q)",
];
const QUOTIENT: &[&str] = &[
    "p/(1 + q^2)",
    "p*q/(p^2 + q^2)",
    "k*p/(s + a^2)",
    "q^2/p",
    "(p + k*q)/(1 + b^2*p^2)",
    "s/(1 + a^2) + q",
];
const ARC: &[&str] = &[
    "atan2(q, p)",
    "k*atan(p)",
    "q*atan(b)",
    "p + k*atan2(q, p)",
    "asin(p/sqrt(p^2 + q^2 + s))",
];

/// What may occur in a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Polynomials in the velocities and coordinates.
    Polynomial,
    /// One kind besides, the same for all factors.
    Mixed,
}

/// The names from which values are made.
#[derive(Clone, Copy)]
pub struct Names {
    /// Two velocities.
    pub velocities: [&'static str; 2],
    /// Two coordinates.
    pub coordinates: [&'static str; 2],
}

/// That many different graphs over these names, each for the same velocity.
pub fn graphs(
    random: &mut Random,
    velocity: &'static str,
    names: Names,
    count: usize,
    kind: Kind,
) -> Vec<Graph> {
    let mut pool = POLYNOMIAL.to_vec();
    if kind == Kind::Mixed {
        pool.truncate(6);
        pool.extend(random.pick(&[ROOT, ROOT, EXPONENTIAL, ANGLE, QUOTIENT, ARC]));
    }
    // Different entries of the pool are different functions, whatever the names and numbers.
    let values = random.shuffled(&pool).into_iter().take(count);
    let graph = |value: &str| Graph {
        velocity,
        value: filled(random, value, names),
    };
    values.map(graph).collect()
}

/// The pattern with names for its letters; longer words are functions and stay.
fn filled(random: &mut Random, pattern: &str, names: Names) -> String {
    let swapped = random.once_in(2);
    let Names {
        velocities: [p, q],
        coordinates: [a, b],
    } = names;
    let (p, q) = if swapped { (q, p) } else { (p, q) };
    let (k, s) = (random.coefficient(), random.positive());
    substituted(
        pattern,
        &[("p", p), ("q", q), ("a", a), ("b", b), ("k", &k), ("s", &s)],
    )
}

/// The pattern with each word of the table replaced.
pub fn substituted(pattern: &str, table: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut word = String::new();
    for letter in pattern.chars().chain([' ']) {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        let found = table.iter().find(|(name, _)| *name == word);
        text += found.map_or(word.as_str(), |(_, by)| by);
        text.push(letter);
        word.clear();
    }
    text.trim_end().to_owned()
}
