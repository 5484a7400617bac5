//! Eigenvalues along a parameter.

use super::crossings::{AxisCrossing, Complex, crossings, matching};
use super::{Linearizer, check_regular};
use crate::motion::samples::SampleTable;
use crate::states::given_states::read_states;
use crate::values::error::Error;
use crate::values::parameters::Override;
use crate::values::prepared::Prepared;
use appell_expr::Rational;
use appell_expr::limits::{attempt, regardless};
use appell_flow::{Control, linear};
use appell_mech::function;
use appell_model::Code;
use serde::Serialize;

/// The values of a parameter: `v = from, from + step, ..` up to `to`, exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// The parameter.
    pub name: String,
    /// Its values in order, two at least.
    pub values: Vec<Rational>,
}

/// The eigenvalues along a parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// The parameter's name.
    pub parameter: String,
    /// Its values.
    pub values: Vec<f64>,
    /// For each value `(re, im)` of every branch, in the same order as far as branches can be followed;
    /// none where there are no linear equations.
    pub eigenvalues: Vec<Option<Vec<Complex>>>,
    /// Where real parts change sign, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crossings: Option<Vec<Crossing>>,
    /// The values without eigenvalues.
    #[serde(rename = "why", skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
    /// Which branches are zero everywhere.
    #[serde(skip)]
    pub zero: Vec<bool>,
    /// The names of the linear equations' unknowns.
    #[serde(skip)]
    pub state_names: Vec<String>,
    /// Whether it was ended before its last value.
    #[serde(skip)]
    pub interrupted: bool,
}

/// A change of stability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossing {
    /// The parameter's value.
    pub value: f64,
    /// What crosses the imaginary axis as the parameter grows, and what that means.
    pub kind: String,
}

/// A value of the parameter without eigenvalues.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gap {
    /// The parameter's value.
    pub value: f64,
    /// The reason.
    pub why: String,
}

/// Linearises about the start, or about the state in `states` (JSON), at each value of a parameter.
///
/// The state is found anew at each value: expressions in it move with the parameter. Zero eigenvalues are
/// counted at all values together: the most frequent number counts, if at no value fewer can be 0. Afterwards the
/// parameters have the values of the file and of `overrides` again.
///
/// # Errors
/// A wrong parameter or file of states; no value of the parameter has linear equations: the first reason.
pub fn sweep(
    p: &mut Prepared<'_>,
    overrides: &[Override],
    range: &Range,
    states: Option<&str>,
    search: bool,
    control: &mut Control<'_>,
) -> Result<Sweep, Error> {
    let linearizer = Linearizer::new(p)?;
    let mut family = Family {
        p,
        linearizer,
        overrides,
        parameter: &range.name,
        states,
        judged: None,
    };
    let points = family.matrices(&range.values, control);
    let interrupted = points.len() < range.values.len();
    let found = most_frequent(&points);
    if found.is_none() && !points.is_empty() {
        let first = points.into_iter().find_map(|(_, matrix)| matrix.err());
        let none = || Error::NoValue("there are no linear equations".to_owned());
        return Err(first.unwrap_or_else(none));
    }
    // Interrupted before the first value, nothing is known and nothing is wrong.
    let (zeros, state_names) = found.unwrap_or_default();
    let mut sweep = Sweep {
        parameter: range.name.clone(),
        values: points.iter().map(|(value, _)| *value).collect(),
        eigenvalues: Vec::new(),
        crossings: None,
        gaps: Vec::new(),
        zero: Vec::new(),
        state_names,
        interrupted,
    };
    sweep.follow(points, zeros);
    if search && !interrupted {
        let mut spectrum = |value| family.spectrum(value, zeros, control);
        let found = crossings(&sweep.ascending(), &mut spectrum);
        sweep.crossings = Some(found.found.iter().map(in_words).collect());
        sweep.interrupted = control.cancelled();
        if !sweep.interrupted {
            sweep
                .gaps
                .extend(found.unlocated.into_iter().map(unlocated));
        }
    }
    Ok(sweep)
}

fn unlocated([low, high]: [f64; 2]) -> Gap {
    let why = format!(
        "stability changes between {low} and {high}, and no linear equations were found on the way"
    );
    Gap {
        value: low + 0.5 * (high - low),
        why,
    }
}

/// The linear equations as they depend on the parameter.
struct Family<'f, 'g> {
    p: &'f mut Prepared<'g>,
    linearizer: Linearizer<'g>,
    overrides: &'f [Override],
    parameter: &'f str,
    states: Option<&'f str>,
    /// The rank of `A` at the last state that was judged: others of the same rank are like it.
    judged: Option<Option<usize>>,
}

/// The matrix at one value.
struct Matrix {
    names: Vec<String>,
    entries: Vec<f64>,
    zeros: usize,
    /// How many eigenvalues are 0 as far as they are known.
    most_zeros: usize,
}

/// Entries of the matrices are known to this part of themselves.
const KNOWN: f64 = 1e-8;

impl Matrix {
    /// The eigenvalues but for as many zeros; none if there are fewer eigenvalues.
    fn spectrum(&self, zeros: usize) -> Option<Vec<Complex>> {
        let n = self.names.len();
        let spectrum = linear::spectrum(n, &self.entries, Some(zeros));
        spectrum
            .ok()
            .filter(|_| zeros <= n)
            .map(|spectrum| spectrum.values)
    }
}

impl Drop for Family<'_, '_> {
    /// Puts the parameters back, also where a sweep is left on the way: these values were good before.
    fn drop(&mut self) {
        let _ = regardless(|| self.p.set_parameters(self.overrides));
    }
}

impl Family<'_, '_> {
    /// The matrices at these values, until it is told to stop.
    fn matrices(
        &mut self,
        values: &[Rational],
        control: &mut Control<'_>,
    ) -> Vec<(f64, Result<Matrix, Error>)> {
        let mut points = Vec::new();
        for (index, value) in values.iter().enumerate() {
            if control.cancelled() {
                break;
            }
            let Ok(matrix) = attempt(|| self.matrix(value)) else {
                break;
            };
            points.push((value.to_f64(), matrix));
            if let Some(progress) = &mut control.progress {
                progress(index as f64 / values.len() as f64);
            }
        }
        points
    }

    /// The eigenvalues at one value but for so many zeros.
    fn spectrum(
        &mut self,
        value: f64,
        zeros: usize,
        control: &Control<'_>,
    ) -> Option<Vec<Complex>> {
        if control.cancelled() {
            return None;
        }
        let value = Rational::from_decimal(&format!("{value:e}"))?;
        let matrix = attempt(|| self.matrix(&value)).ok()?.ok()?;
        matrix.spectrum(zeros)
    }

    fn matrix(&mut self, value: &Rational) -> Result<Matrix, Error> {
        let mut overrides = self.overrides.to_vec();
        overrides.push(Override {
            name: self.parameter.to_owned(),
            value: value.clone(),
        });
        self.p.set_parameters(&overrides)?;
        self.linearizer.follow(self.p)?;
        let state = match self.states {
            Some(text) => {
                let states = read_states(text, self.p);
                let mut states =
                    states.map_err(|why| Error::question(Code::BadValue, why.to_string()))?;
                if states.len() != 1 {
                    let many = "a sweep is about one state at a time, which may contain parameters";
                    return Err(Error::question(Code::BadValue, many));
                }
                states.pop()
            }
            None => None,
        };
        let at = self.linearizer.place(self.p, state.as_ref())?;
        let measured = self.p.measure(at.t, &at.y[..at.v.len()], &at.v);
        let rank = measured.and_then(|m| m.table(function::A).rank());
        if self.judged != Some(rank) {
            check_regular(self.p, &at)?;
            self.judged = Some(rank);
        }
        let found = self.linearizer.about(self.p, at)?;
        let known = found.growth(KNOWN);
        let pairs = found.eigenvalues.iter().zip(&known);
        let may_be_zero = pairs.filter(|((re, im), known)| re.hypot(*im) <= known.within);
        Ok(Matrix {
            most_zeros: may_be_zero.count(),
            names: found.state_names,
            entries: found.matrix.concat(),
            zeros: found.zeros,
        })
    }
}

/// The most frequent number of unknowns and zeros, with the names of the first matrix that has it; of zeros no more than
/// there can be at each value. Where a branch passes 0 at most values, it is none of them.
fn most_frequent(points: &[(f64, Result<Matrix, Error>)]) -> Option<(usize, Vec<String>)> {
    let matrices = || points.iter().filter_map(|(_, matrix)| matrix.as_ref().ok());
    let kind = |m: &Matrix| (m.names.len(), m.zeros);
    let count = |wanted: (usize, usize)| matrices().filter(|m| kind(m) == wanted).count();
    // Of equally frequent ones that with fewer zeros: the others are crossings.
    let best = matrices().max_by_key(|m| (count(kind(m)), usize::MAX - m.zeros))?;
    let alike = matrices().filter(|m| m.names.len() == best.names.len());
    let most = alike.map(|m| m.zeros.max(m.most_zeros)).min();
    let zeros = best.zeros.min(most.unwrap_or(best.zeros));
    Some((zeros, best.names.clone()))
}

impl Sweep {
    /// Puts in the eigenvalues, each branch in its own place.
    fn follow(&mut self, points: Vec<(f64, Result<Matrix, Error>)>, zeros: usize) {
        let size = self.state_names.len();
        let mut last: Option<Vec<Complex>> = None;
        for (value, matrix) in points {
            let values = matrix.map_err(|why| why.to_string()).and_then(|matrix| {
                if matrix.names.len() != size {
                    let count = matrix.names.len();
                    return Err(format!(
                        "{count} independent deviations here, {size} at other values"
                    ));
                }
                let missing = "the eigenvalues of the linear equations were not found";
                matrix.spectrum(zeros).ok_or_else(|| missing.to_owned())
            });
            match values {
                Err(why) => {
                    self.gaps.push(Gap { value, why });
                    self.eigenvalues.push(None);
                }
                Ok(values) => {
                    let values: Vec<Complex> = match &last {
                        Some(last) => matching(last, &values).iter().map(|j| values[*j]).collect(),
                        None => {
                            self.zero = places_of_zeros(&values, zeros);
                            values
                        }
                    };
                    let mut rest = values.iter();
                    let all = self.zero.iter().map(|zero| match zero {
                        true => (0.0, 0.0),
                        false => rest.next().copied().unwrap_or((f64::NAN, f64::NAN)),
                    });
                    self.eigenvalues.push(Some(all.collect()));
                    last = Some(values);
                }
            }
        }
    }

    /// The branches that are not zero everywhere, by growing parameter.
    fn ascending(&self) -> Vec<(f64, Vec<Complex>)> {
        let moving = |values: &Vec<Complex>| {
            let values = values.iter().zip(&self.zero);
            values
                .filter(|(_, zero)| !**zero)
                .map(|(x, _)| *x)
                .collect()
        };
        let points = self.values.iter().zip(&self.eigenvalues);
        let mut points: Vec<(f64, Vec<Complex>)> = points
            .filter_map(|(value, values)| Some((*value, moving(values.as_ref()?))))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    /// The parameter, then real and imaginary part of every branch; undefined at gaps.
    pub fn table(&self) -> SampleTable {
        let count = self.zero.len();
        let parts = (1..=count).flat_map(|i| [format!("re {i}"), format!("im {i}")]);
        let row = |(value, values): (&f64, &Option<Vec<Complex>>)| {
            let nothing = vec![(f64::NAN, f64::NAN); count];
            let values = values.as_ref().unwrap_or(&nothing).clone();
            let parts = values.into_iter().flat_map(|(re, im)| [re, im]);
            [*value].into_iter().chain(parts).collect()
        };
        SampleTable {
            columns: [self.parameter.clone()].into_iter().chain(parts).collect(),
            rows: self.values.iter().zip(&self.eigenvalues).map(row).collect(),
        }
    }
}

/// Among all eigenvalues by size of the real part, which places zeros take.
fn places_of_zeros(values: &[Complex], zeros: usize) -> Vec<bool> {
    let below = values.iter().filter(|x| x.0 < 0.0).count();
    let above = values.len() - below;
    let place = |(zero, count)| std::iter::repeat_n(zero, count);
    [(false, below), (true, zeros), (false, above)]
        .into_iter()
        .flat_map(place)
        .collect()
}

fn in_words(found: &AxisCrossing) -> Crossing {
    let what = if found.frequency == 0.0 {
        "real eigenvalue: ".to_owned()
    } else {
        format!(
            "complex pair: its real part, at frequency {}, ",
            appell_flow::significant(found.frequency, 9)
        )
    };
    let sign = match (found.rises, found.passes) {
        (true, _) => "becomes positive",
        (false, true) => "becomes negative",
        (false, false) => "becomes 0",
    };
    let means = match found.unstable {
        (0, _) => "loses stability".to_owned(),
        (_, 0) if !found.passes => "gains stability, neutral in the linear equations".to_owned(),
        (_, 0) => "gains stability".to_owned(),
        (_, left) => format!("still unstable, {left} eigenvalues with a positive real part"),
    };
    Crossing {
        value: found.value,
        kind: format!("{what}{sign}; {means}"),
    }
}
