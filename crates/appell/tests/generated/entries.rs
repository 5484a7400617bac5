//! Independent entries of matrices of velocities: scaled velocities, or sums of two, so that what is
//! known of a matrix of unknowns is true of them.

use super::draft::Draft;
use super::factors::substituted;
use super::random::Random;

const COORDINATES: [&str; 9] = ["x", "y", "z", "w", "u", "s", "r", "p", "q"];
/// Factors that vanish nowhere.
const SCALES: &[&str] = &[
    "exp(X)*",
    "(1 + X^2)*",
    "(2 + sin(X))*",
    "sqrt(1 + X^2)*",
    "2*",
    "3/2*",
    "(-1)*",
];

/// The entries `a`, `b`, ... of formulas, as independent linear forms in the velocities.
pub struct Entries {
    names: Vec<String>,
    forms: Vec<String>,
    /// The coordinates.
    pub coordinates: Vec<&'static str>,
}

impl Entries {
    /// That many: single velocities, some scaled by functions of a coordinate, some sums.
    pub fn new(random: &mut Random, count: usize) -> Self {
        let coordinates = COORDINATES[..count].to_vec();
        let order = random.shuffled(&coordinates);
        let style = random.below(3);
        let form = |i: usize, random: &mut Random| {
            let (name, earlier) = (order[i], order[i.saturating_sub(1)]);
            match style {
                1 if random.once_in(3) => {
                    format!("({}{name}')", random.pick(SCALES).replace('X', earlier))
                }
                // Triangular with a diagonal of ones: still independent.
                2 if i > 0 && random.once_in(3) => {
                    format!("({name}' + {}*{earlier}')", random.coefficient())
                }
                _ => format!("{name}'"),
            }
        };
        let forms = (0..count).map(|i| form(i, random)).collect();
        let letters = ('a'..)
            .take(count)
            .map(|letter| format!("{letter}"))
            .collect();
        Self {
            names: letters,
            forms,
            coordinates,
        }
    }

    /// A formula in the letters `a`, `b`, ..., in velocities.
    pub fn formula(&self, letters: &str) -> String {
        let table: Vec<(&str, &str)> = self
            .names
            .iter()
            .zip(&self.forms)
            .map(|(name, form)| (name.as_str(), form.as_str()))
            .collect();
        substituted(letters, &table)
    }

    /// Puts the start where the entries have these values, at coordinates that are not 0.
    pub fn start(&self, draft: &mut Draft, values: &[&str]) {
        for (coordinate, place) in self.coordinates.iter().zip([
            "1/2", "1/3", "0.2", "0.7", "1/5", "0.3", "1/4", "0.1", "2/5",
        ]) {
            draft.start(format!("{coordinate} = {place}"));
        }
        for (form, value) in self.forms.iter().zip(values) {
            draft.start(format!("{form} = {value}"));
        }
    }
}
