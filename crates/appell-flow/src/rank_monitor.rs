//! The rank monitor: singular states, and jumps between sheets.

mod prefilter;

use nalgebra::DMatrix;

use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, evaluate};
use crate::interpolant::Interpolant;
use crate::linear::{Scratch, half_solve, singular_values};
use crate::motion::MonitoredRows;
use crate::root::{bisect, minimum};
use crate::rules::PARTS;
use crate::rules::SINGULAR;
use prefilter::{Prefilter, Scaling};

/// Singular values below this part of the largest do not count towards the rank.
const RANK: f64 = 1e-10;
/// Rows shorter than this part of the longest are zero but for rounding.
const ROUNDED: f64 = 1e-14;
/// A start at which `s` is larger than this is regular where the rank is known; it is so down to this part of it.
const SEEN: f64 = 1e-9;
const PART: f64 = 1e-3;
/// A row that has grown beyond so many times the longest of the start counts as so long: it loses rank beside what it was
/// itself, not beside others, and at a pole it is long without bound.
const GROWN: f64 = 4.0;
/// Masses of coordinates that differ by no more than this factor are alike.
const ALIKE: f64 = 1e6;
/// Places beside the start at which masses are looked at.
const PLACES: u32 = 2;
/// Parts of a suspicious part of a step.
const FINER: usize = 8;
/// The cosine of rows that are opposite.
const OPPOSITE: f64 = -0.999;
/// A row that is so many times longer beside the place where it turns than in the step has a pole there.
const POLE: f64 = 1e4;
/// Halvings of a part of a step within which rows that turn continuously show it.
const HALVINGS: usize = 24;

/// Which square root whitens the rows; decided at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Metric {
    /// That of `M`, which is positive definite.
    Definite,
    /// That of `M + tr(M)/n`, where `M` is singular and has no negative eigenvalue.
    Semidefinite,
    /// That of `|M|`; in place of singular values the absolute eigenvalues of `A M^-1 A^T`.
    Indefinite,
    /// That of `|M| + tr|M|/n`, from where `M` has become singular on: the constraints may make up for it.
    Degenerate,
}

/// The constraints at one state, measured in the metric.
struct Measure {
    /// The singular values of `A M^-1/2`, largest first; see [`Metric`].
    sigma: Vec<f64>,
    /// The rows of `A M^-1/2` divided by their length; zero for void rows.
    rows: Vec<Vec<f64>>,
    /// The lengths of these rows.
    lengths: Vec<f64>,
}

/// Rows in the metric, none longer than it counts, their singular values, and the lengths that they have.
type White = (DMatrix<f64>, Vec<f64>, Vec<f64>);

/// What the rank monitor saw in a step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Finding {
    /// `s` vanishes.
    Drop {
        /// The part of the step before which the state is regular.
        regular: f64,
        /// The part of the step where `s` is least.
        place: f64,
        /// The least `s`.
        sigma: f64,
    },
    /// A singular value beyond the rank appears.
    Rise {
        /// Where in the step.
        place: f64,
    },
    /// A row turns round.
    Turn {
        /// Where in the step.
        place: f64,
        /// Which.
        row: usize,
    },
}

impl Finding {
    /// The part of the step up to which the motion is kept.
    pub fn kept(&self) -> f64 {
        match *self {
            Finding::Drop { regular, .. } => regular,
            Finding::Rise { place } | Finding::Turn { place, .. } => place,
        }
    }
}

/// The rank monitor of one motion.
pub(crate) struct RankMonitor<'a> {
    monitored: &'a MonitoredRows<&'a dyn Field>,
    metric: Metric,
    /// The regular rank.
    pub rank: usize,
    /// The largest singular value met so far.
    largest: f64,
    /// The length of the longest row at the start.
    longest: f64,
    /// Below this `s` counts as zero.
    zero: f64,
    /// The units of the coordinates, which make their masses comparable.
    units: Vec<f64>,
    /// What each row is multiplied with: its length at the start is no matter, as is a factor before it.
    weights: Vec<f64>,
    workspace: Workspace,
    scratch: Scratch,
    prefilter: Prefilter,
}

impl<'a> RankMonitor<'a> {
    /// Fixes the rank at the start. Returns the monitor and `s` there.
    pub fn new(
        monitored: &'a MonitoredRows<&'a dyn Field>,
        t: f64,
        y: &[f64],
    ) -> Result<(RankMonitor<'a>, f64), EvalError> {
        let mut monitor = RankMonitor {
            monitored,
            metric: Metric::Definite,
            rank: 0,
            largest: 0.0,
            longest: 0.0,
            zero: monitored.zero,
            units: vec![1.0; monitored.columns()],
            weights: vec![1.0; monitored.rows],
            workspace: Workspace::default(),
            scratch: Scratch::default(),
            prefilter: Prefilter::new(monitored),
        };
        monitor.units = monitor.units_of_masses(t, y)?;
        monitor.metric = kind(&monitor.matrices(t, y)?.1);
        let sigma = monitor.compare_rows(t, y)?;
        let found = sigma
            .iter()
            .take_while(|s| **s > RANK * monitor.largest)
            .count();
        monitor.rank = monitored.rank.unwrap_or(found).min(monitored.rows);
        let s = monitor.ratio(&sigma);
        // Where the rank is known, rows that are nearly parallel at the start are regular there.
        if monitored.rank.is_some() && s > SEEN {
            monitor.zero = monitored.zero.min(PART * s);
        }
        Ok((monitor, s))
    }

    /// Weights and lengths of the rows as they are at a state; their singular values.
    fn compare_rows(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
        self.weights.fill(1.0);
        (self.longest, self.largest) = (0.0, 0.0);
        let (jacobian, metric) = self.matrices(t, y)?;
        let white = self.white(&jacobian, metric)?.0;
        // Rows that are known to be independent are none of them void.
        let void = match self.monitored.rank {
            Some(rank) if rank == self.monitored.rows => ROUNDED,
            _ => RANK,
        };
        self.weights = weights(&white, void);
        let lengths = white.row_iter().map(|row| row.norm());
        self.longest = lengths.fold(0.0, f64::max);
        let sigma = self.measure(t, y)?.sigma;
        self.largest = sigma.first().copied().unwrap_or(0.0);
        Ok(sigma)
    }

    /// `sigma_r` relative to the largest singular value so far; 1 without constraints.
    fn ratio(&self, sigma: &[f64]) -> f64 {
        match self.rank {
            0 => 1.0,
            rank if self.largest > 0.0 => sigma[rank - 1] / self.largest,
            _ => 0.0,
        }
    }

    /// `s` at a state by itself.
    pub fn gauge(&mut self, t: f64, y: &[f64]) -> Result<f64, EvalError> {
        let sigma = self.measure(t, y)?.sigma;
        self.largest = sigma.first().copied().unwrap_or(0.0).max(self.largest);
        Ok(self.ratio(&sigma))
    }

    /// Whether `s` counts as zero.
    pub fn singular(&self, s: f64) -> bool {
        s < self.zero
    }

    /// Whether a cheaper look through the step, which needs no dense output, suffices to see that
    /// [`examine`](RankMonitor::examine) would find nothing.
    pub fn clear(&mut self, interpolant: &Interpolant) -> bool {
        matches!(self.metric, Metric::Definite | Metric::Semidefinite)
            && self.sample(interpolant)
            && self.prefilter.clear(self.rank, &mut self.largest)
    }

    /// The prefilter's look through the step.
    fn sample(&mut self, interpolant: &Interpolant) -> bool {
        let scaling = Scaling {
            is_lifted: self.metric == Metric::Semidefinite,
            units: &self.units,
            weights: &self.weights,
            most: GROWN * self.longest,
        };
        let found =
            self.prefilter
                .sample(self.monitored, &scaling, &mut self.workspace, interpolant);
        found.unwrap_or(false)
    }

    /// Looks through the step up to the part `end`: the first thing found, if any. A metric that becomes singular in it is
    /// replaced.
    pub fn examine(
        &mut self,
        interpolant: &Interpolant,
        end: f64,
    ) -> Result<Option<Finding>, EvalError> {
        match self.first_finding(interpolant, end) {
            Err(error) if self.metric != Metric::Degenerate && error == no_metric() => {
                self.metric = Metric::Degenerate;
                self.compare_rows(interpolant.time(0.0), &interpolant.state(0.0))?;
                self.first_finding(interpolant, end)
            }
            found => found,
        }
    }

    fn first_finding(
        &mut self,
        interpolant: &Interpolant,
        end: f64,
    ) -> Result<Option<Finding>, EvalError> {
        let places: Vec<f64> = (0..=PARTS).map(|i| end * i as f64 / PARTS as f64).collect();
        let mut measures = Vec::new();
        for place in &places {
            measures.push(self.measure_in(interpolant, *place)?);
        }
        let sizes = measures.iter().filter_map(|measure| measure.sigma.first());
        self.largest = sizes.fold(self.largest, |largest, s| largest.max(*s));
        if let Some(finding) = self.vanishing(interpolant, &places, &measures)? {
            return Ok(Some(finding));
        }
        if let Some(finding) = self.rise(interpolant, end, &measures[PARTS])? {
            return Ok(Some(finding));
        }
        for i in 0..PARTS {
            let ends = (places[i], places[i + 1]);
            let turn = self.turn(interpolant, ends, &measures[i], &measures[i + 1], HALVINGS)?;
            let Some((place, beyond, row)) = turn else {
                continue;
            };
            let lengths = measures.iter().map(|measure| measure.lengths[row]);
            let usual = lengths.fold(f64::INFINITY, f64::min);
            let sides = [place, beyond].map(|theta| self.measure_in(interpolant, theta));
            let [before, after] = sides;
            // At a pole, as of `tan(u) x' = y'`, a row is long without bound, and what it says is the same on both sides.
            if !before?.has_pole(&after?, row, POLE * usual) {
                return Ok(Some(Finding::Turn { place, row }));
            }
        }
        Ok(None)
    }

    /// `s` only touches zero. A zero between two places needs a slope that carries `s` down and up again,
    /// so only parts are searched in which twice the steepest slope seen in the step could do that.
    fn vanishing(
        &mut self,
        interpolant: &Interpolant,
        places: &[f64],
        measures: &[Measure],
    ) -> Result<Option<Finding>, EvalError> {
        let s: Vec<f64> = measures
            .iter()
            .map(|measure| self.ratio(&measure.sigma))
            .collect();
        let slope = |i: usize| (s[i + 1] - s[i]).abs() / (places[i + 1] - places[i]);
        let steepest = (0..PARTS).map(slope).fold(0.0, f64::max);
        for i in 0..PARTS {
            let (a, b) = (places[i], places[i + 1]);
            if s[i] + s[i + 1] > 2.0 * steepest * (b - a) && !self.singular(s[i + 1]) {
                continue;
            }
            let (place, sigma) = self.least(interpolant, a, b)?;
            if self.singular(sigma) {
                let zero = self.zero;
                let below = |theta| self.s(interpolant, theta).map(|s| s < zero);
                let regular = bisect(a, place, below)?;
                return Ok(Some(Finding::Drop {
                    regular,
                    place,
                    sigma,
                }));
            }
        }
        Ok(None)
    }

    /// The least `s` in a part of the step.
    fn least(
        &mut self,
        interpolant: &Interpolant,
        a: f64,
        b: f64,
    ) -> Result<(f64, f64), EvalError> {
        let mut best = (b, self.s(interpolant, b)?);
        let width = (b - a) / FINER as f64;
        for i in 1..FINER {
            let place = a + width * i as f64;
            let s = self.s(interpolant, place)?;
            if s < best.1 {
                best = (place, s);
            }
        }
        let (left, right) = ((best.0 - width).max(a), (best.0 + width).min(b));
        let found = minimum(left, right, |theta| self.s(interpolant, theta))?;
        Ok(if found.1 < best.1 { found } else { best })
    }

    fn rise(
        &mut self,
        interpolant: &Interpolant,
        end: f64,
        last: &Measure,
    ) -> Result<Option<Finding>, EvalError> {
        let (rank, bound) = (self.rank, SINGULAR * self.largest);
        let risen = |measure: &Measure| measure.sigma.get(rank).is_some_and(|s| *s > bound);
        if !risen(last) {
            return Ok(None);
        }
        let place = bisect(0.0, end, |theta| {
            Ok::<bool, EvalError>(risen(&self.measure_in(interpolant, theta)?))
        })?;
        Ok(Some(Finding::Rise { place }))
    }

    /// A row that turns by more than a right angle between two places, and still does so when the
    /// interval is halved again and again, jumps to another sheet: the places before and behind, and which row.
    fn turn(
        &mut self,
        interpolant: &Interpolant,
        (a, b): (f64, f64),
        first: &Measure,
        second: &Measure,
        halvings: usize,
    ) -> Result<Option<(f64, f64, usize)>, EvalError> {
        let Some(row) = first.turned(second) else {
            return Ok(None);
        };
        if halvings == 0 {
            return Ok(Some((a, b, row)));
        }
        let middle = 0.5 * (a + b);
        let between = self.measure_in(interpolant, middle)?;
        match self.turn(interpolant, (a, middle), first, &between, halvings - 1)? {
            Some(found) => Ok(Some(found)),
            None => self.turn(interpolant, (middle, b), &between, second, halvings - 1),
        }
    }

    fn s(&mut self, interpolant: &Interpolant, theta: f64) -> Result<f64, EvalError> {
        let measure = self.measure_in(interpolant, theta)?;
        Ok(self.ratio(&measure.sigma))
    }

    fn measure_in(&mut self, interpolant: &Interpolant, theta: f64) -> Result<Measure, EvalError> {
        self.measure(interpolant.time(theta), &interpolant.state(theta))
    }

    /// `A` and `M` in the units of the coordinates.
    fn matrices(&mut self, t: f64, y: &[f64]) -> Result<(DMatrix<f64>, DMatrix<f64>), EvalError> {
        let (k, n) = (self.monitored.rows, self.monitored.columns());
        let mut jacobian = vec![0.0; k * n];
        evaluate(
            self.monitored.jacobian,
            &mut self.workspace,
            t,
            y,
            &mut jacobian,
        )?;
        let metric = self.masses(t, y)?;
        let (units, weights) = (&self.units, &self.weights);
        Ok((
            DMatrix::from_fn(k, n, |a, i| weights[a] * jacobian[a * n + i] * units[i]),
            DMatrix::from_fn(n, n, |i, j| units[i] * metric[i * n + j] * units[j]),
        ))
    }

    /// `M`, row by row.
    fn masses(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
        let n = self.monitored.columns();
        let mut metric = vec![0.0; n * n];
        evaluate(
            self.monitored.metric,
            &mut self.workspace,
            t,
            y,
            &mut metric,
        )?;
        Ok(metric)
    }

    /// Units in which the masses of all coordinates are alike, powers of two: a distance of 10^7 m and an angle have masses
    /// that differ by 10^14, and a metric that is singular but for rounding is none of them. They are those at the start and
    /// beside it, where an angle whose mass is that of `sin(th)` at 0 has one. Masses that are alike as they are stay.
    fn units_of_masses(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
        let n = self.monitored.columns();
        let mut masses = vec![0.0_f64; n];
        for place in 0..=PLACES {
            let shift =
                |i: usize| f64::from(place) * (1.0 + (i + 1) as f64 * f64::from(place)).sin();
            let state: Vec<f64> = (0..).zip(y).map(|(i, x)| x + shift(i)).collect();
            match (place, self.masses(t, &state)) {
                (0, Err(error)) => return Err(error),
                (_, Err(_)) => {}
                (_, Ok(metric)) => {
                    for (i, mass) in masses.iter_mut().enumerate() {
                        *mass = mass.max(metric[i * n + i].abs());
                    }
                }
            }
        }
        let real = || {
            masses
                .iter()
                .filter(|mass| **mass > 0.0 && mass.is_finite())
        };
        let least = real().copied().fold(f64::INFINITY, f64::min);
        let most = real().copied().fold(0.0, f64::max);
        if most <= ALIKE * least {
            return Ok(vec![1.0; n]);
        }
        let middle = (least.log2() + most.log2()) / 2.0;
        let unit = |mass: &f64| match *mass > 0.0 && mass.is_finite() {
            true => ((middle - mass.log2()) / 2.0).round().exp2(),
            false => 1.0,
        };
        Ok(masses.iter().map(unit).collect())
    }

    fn measure(&mut self, t: f64, y: &[f64]) -> Result<Measure, EvalError> {
        let (jacobian, metric) = self.matrices(t, y)?;
        let (white, sigma, lengths) = self.white(&jacobian, metric)?;
        let floor = SINGULAR * sigma.first().copied().unwrap_or(0.0).max(self.largest);
        let rows = white
            .row_iter()
            .map(|row| unit(row.iter(), floor))
            .collect();
        Ok(Measure {
            sigma,
            rows,
            lengths,
        })
    }

    /// The rows of a state in the metric.
    fn white(&mut self, jacobian: &DMatrix<f64>, metric: DMatrix<f64>) -> Result<White, EvalError> {
        let (white, sigma) = self.white_as_it_is(jacobian, metric.clone())?;
        let lengths: Vec<f64> = white.row_iter().map(|row| row.norm()).collect();
        let most = GROWN * self.longest;
        if most <= 0.0 || lengths.iter().all(|length| *length <= most) {
            return Ok((white, sigma, lengths));
        }
        let mut jacobian = jacobian.clone();
        for (mut row, length) in jacobian.row_iter_mut().zip(&lengths) {
            if *length > most {
                row *= most / length;
            }
        }
        let (white, sigma) = self.white_as_it_is(&jacobian, metric)?;
        Ok((white, sigma, lengths))
    }

    fn white_as_it_is(
        &mut self,
        jacobian: &DMatrix<f64>,
        metric: DMatrix<f64>,
    ) -> Result<(DMatrix<f64>, Vec<f64>), EvalError> {
        match self.metric {
            Metric::Definite => self.definite(jacobian, &metric),
            Metric::Semidefinite => self.definite(jacobian, &lifted(metric)),
            Metric::Indefinite => indefinite(jacobian, metric),
            Metric::Degenerate => self.definite(jacobian, &lifted(absolute(metric))),
        }
    }

    /// `A L^-T D^-1/2` for `M = L D L^T`, and its singular values.
    fn definite(
        &mut self,
        jacobian: &DMatrix<f64>,
        metric: &DMatrix<f64>,
    ) -> Result<(DMatrix<f64>, Vec<f64>), EvalError> {
        let (k, n) = jacobian.shape();
        // Column-major storage of the k x n Jacobian is row-major storage of its transpose.
        let mut half = vec![0.0; n * k];
        half_solve(
            n,
            metric.as_slice(),
            jacobian.as_slice(),
            &mut half,
            &mut self.scratch,
        )
        .map_err(|_| no_metric())?;
        let white = DMatrix::from_column_slice(k, n, &half);
        let sigma = singular_values(k, n, white.transpose().as_slice());
        Ok((white, sigma))
    }
}

/// Rows that are this much longer or shorter than the longest are so by a factor before them.
const FACTOR: f64 = 1e-2;

/// What makes rows as long as the longest, where they are much shorter; void rows, shorter than the part `void` of the
/// longest, are left as they are.
fn weights(white: &DMatrix<f64>, void: f64) -> Vec<f64> {
    let lengths: Vec<f64> = white.row_iter().map(|row| row.norm()).collect();
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let weight = |length: &f64| {
        let short = *length < FACTOR * longest && *length > void * longest;
        if short { longest / length } else { 1.0 }
    };
    lengths.iter().map(weight).collect()
}

/// The kind of a metric by its eigenvalues.
fn kind(metric: &DMatrix<f64>) -> Metric {
    let values = metric.symmetric_eigenvalues();
    let zero = RANK * values.amax();
    match values.min() {
        least if least > zero => Metric::Definite,
        least if least >= -zero => Metric::Semidefinite,
        _ => Metric::Indefinite,
    }
}

/// `M + tr(M)/n`: directions without inertia are given the mean one.
fn lifted(mut metric: DMatrix<f64>) -> DMatrix<f64> {
    let mean = metric.trace() / metric.nrows().max(1) as f64;
    (0..metric.nrows()).for_each(|i| metric[(i, i)] += mean);
    metric
}

/// `|M|`
fn absolute(metric: DMatrix<f64>) -> DMatrix<f64> {
    let eigen = metric.symmetric_eigen();
    let sizes = DMatrix::from_diagonal(&eigen.eigenvalues.abs());
    &eigen.eigenvectors * sizes * eigen.eigenvectors.transpose()
}

/// `A |M|^-1/2`, and the absolute eigenvalues of `A M^-1 A^T`, largest first.
fn indefinite(
    jacobian: &DMatrix<f64>,
    metric: DMatrix<f64>,
) -> Result<(DMatrix<f64>, Vec<f64>), EvalError> {
    let eigen = metric.symmetric_eigen();
    let (values, vectors) = (eigen.eigenvalues, eigen.eigenvectors);
    if values
        .iter()
        .any(|value| value.abs() <= RANK * values.amax())
    {
        return Err(no_metric());
    }
    let along = jacobian * &vectors;
    let root = DMatrix::from_diagonal(&values.map(|value| value.abs().sqrt().recip()));
    let gram = &along * DMatrix::from_diagonal(&values.map(f64::recip)) * along.transpose();
    let mut sizes: Vec<f64> = gram
        .symmetric_eigenvalues()
        .iter()
        .map(|x| x.abs())
        .collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.reverse();
    Ok((along * root * vectors.transpose(), sizes))
}

fn no_metric() -> EvalError {
    EvalError::Singular {
        what: "the metric of the rank monitor".to_owned(),
    }
}

/// A row divided by its length; a void row, below `floor`, has no direction.
fn unit<'m>(row: impl Iterator<Item = &'m f64> + Clone, floor: f64) -> Vec<f64> {
    let length = row.clone().map(|x| x * x).sum::<f64>().sqrt();
    let factor = if length > floor { 1.0 / length } else { 0.0 };
    row.map(|x| factor * x).collect()
}

impl Measure {
    /// Whether a row is longer than this here and beyond, and turns round to the opposite.
    fn has_pole(&self, beyond: &Measure, row: usize, long: f64) -> bool {
        let pairs = self.rows[row].iter().zip(&beyond.rows[row]);
        let cosine: f64 = pairs.map(|(a, b)| a * b).sum();
        self.lengths[row].min(beyond.lengths[row]) > long && cosine < OPPOSITE
    }

    /// A row that differs by more than a right angle.
    fn turned(&self, other: &Measure) -> Option<usize> {
        let cosine =
            |(a, b): (&Vec<f64>, &Vec<f64>)| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        self.rows
            .iter()
            .zip(&other.rows)
            .position(|pair| cosine(pair) < 0.0)
    }
}
