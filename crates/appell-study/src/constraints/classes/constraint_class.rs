//! What one entry of `[constraints]` is, in words.

use crate::values::prepared::Prepared;
use appell_expr::Rational;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What one entry of `[constraints]` is.
#[derive(Debug, Clone, Serialize)]
pub struct ConstraintClass {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
    /// Words of the model format.
    #[serde(rename = "class")]
    pub words: Vec<&'static str>,
    /// The degree of homogeneity in the velocities, if it has one.
    #[serde(serialize_with = "as_double")]
    pub degree: Option<Rational>,
    /// Why its nonlinearity is contrived, if it is.
    pub contrived: Option<String>,
    /// The rows, linear in the velocities, that say the same: on the sheet of the start if it has
    /// several.
    pub equivalent_linear: Option<Vec<String>>,
    /// Rows, not all linear, that the same real velocities satisfy, with the reason last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalent: Option<Vec<String>>,
    /// All sheets, where it has several: on each the rows that hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Vec<String>>,
    /// What has to hold besides where other rows say the same: these stand for the entry on a part of their zeros.
    #[serde(rename = "where", skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// What could not be decided and why a key is null, by word or key.
    #[serde(rename = "why", skip_serializing_if = "BTreeMap::is_empty")]
    pub open: BTreeMap<&'static str, String>,
    /// Words that were found in double precision, at scattered states.
    #[serde(skip)]
    pub(crate) by_numbers: Vec<&'static str>,
    /// Whether it can be integrated, or cannot, on the sheet of the start, which is not so on every other.
    #[serde(skip)]
    pub(crate) by_start: bool,
    /// `log2` of the largest probability that one of the words is wrong.
    #[serde(skip)]
    pub(crate) bound: f64,
    /// What became of each row.
    pub standing: Vec<String>,
}

impl ConstraintClass {
    /// An entry of which nothing is known yet, and why.
    pub(crate) fn undecided(p: &Prepared<'_>, constraint: usize, why: &str) -> Self {
        let rows = p.constraints.rows.iter();
        Self {
            name: p.model.constraints[constraint].name.clone(),
            rows: rows.filter(|row| row.constraint == constraint).count(),
            words: Vec::new(),
            degree: None,
            contrived: None,
            equivalent_linear: None,
            equivalent: None,
            branches: Vec::new(),
            conditions: Vec::new(),
            open: BTreeMap::from([("class", why.to_owned())]),
            by_numbers: Vec::new(),
            by_start: false,
            bound: 0.0,
            standing: Vec::new(),
        }
    }

    /// Where other rows say the same, if not everywhere.
    pub fn place(&self) -> String {
        match self.conditions.as_slice() {
            [] => String::new(),
            conditions => format!(" where {}", conditions.join(", ")),
        }
    }

    /// Why a word that the entry lacks might still be true of it.
    pub(crate) fn why_open(&self, word: &str) -> Option<String> {
        if let Some(why) = self.open.get("class") {
            return Some(format!("`{word}` could not be decided: {why}"));
        }
        let straight = ["linear", "affine"].contains(&word);
        // What is linear holds at all multiples.
        let is_cone = self.words.contains(&"cone") || self.open.contains_key("cone");
        let is_refuted = word == "linear" && !self.conditions.is_empty() && !is_cone;
        if straight && !is_refuted && self.contrived.is_some() && self.branches.is_empty() {
            let name = &self.name;
            return Some(match self.equivalent_linear {
                Some(_) => format!(
                    "`{word}` is not how `{name}` is written, but it says the same as a linear row{}: it is `contrived`",
                    self.place()
                ),
                None => format!(
                    "`{word}` could not be decided: `{name}` holds on planes, of which there may be one"
                ),
            });
        }
        let key = match word {
            "linear" if is_refuted => return None,
            "contrived" | "inherent" | "linear" | "affine" => "contrived",
            "holonomic" | "nonholonomic" => "nonholonomic",
            "cone" => "cone",
            "general" => "general",
            // A plane that is no cone does not lead through rest.
            "homogeneous" if self.words.contains(&"cone") || self.open.contains_key("cone") => {
                "general"
            }
            _ => return None,
        };
        let why = self.open.get(key)?;
        Some(format!("`{word}` could not be decided: {why}"))
    }
}

/// A fraction as the number that readers of JSON expect.
fn as_double<S: Serializer>(x: &Option<Rational>, to: S) -> Result<S::Ok, S::Error> {
    x.as_ref().map(Rational::to_f64).serialize(to)
}
