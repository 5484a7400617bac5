//! Projection to the manifold, and its account.

use crate::evaluation::{EvalError, Workspace};
use crate::field::evaluate;
use crate::linear::{self, Kind, Scratch, Unsolved, consistent, eliminated, rank_at_most};
use crate::motion::Motion;
pub(crate) use crate::residual::scaled;
use crate::residual::{
    SATISFIED, by_state, clear_rounding, clear_weakest, entry_sizes, length, scales,
};
use crate::rules::{CORRECTIONS, ROUNDING, goes_on};
use crate::step::size;

/// What a projection did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Correction {
    /// The scaled residual before.
    pub before: f64,
    /// The scaled residual after.
    pub after: f64,
    /// The same of the stages whose rows depend on each other: some of these were not needed.
    pub dependent: f64,
    /// The length of the correction in units of the tolerance, as the error of a step is measured.
    pub length: f64,
    /// The change of the energy.
    pub work: f64,
}

/// Projects states of one motion; the ranks of the stages are fixed where it is made.
pub(crate) struct Projector<'a> {
    motion: &'a Motion<'a>,
    /// Per stage, the rank of the whole system where rows are redundant.
    ranks: Vec<Option<usize>>,
    /// Per stage, whether rows are redundant and a direction has no inertia: the rank of the whole would then
    /// be made up by a row that is to count for nothing.
    flat: Vec<bool>,
    /// Per stage, the largest length of the moved components met so far, by the metric.
    lengths: Vec<f64>,
    /// The row of the largest residual that was found last.
    worst: usize,
    /// The stage and the row of [`Correction::dependent`].
    missed: (usize, usize),
    workspace: Workspace,
    buffers: Buffers,
}

/// Reused room.
#[derive(Default)]
struct Buffers {
    scratch: Scratch,
    start: Vec<f64>,
    kept: Vec<f64>,
    residual: Vec<f64>,
    magnitudes: Vec<f64>,
    jacobian: Vec<f64>,
    metric: Vec<f64>,
    /// Whether Jacobian and metric are those of the last residual.
    ready: bool,
    system: Vec<f64>,
    right: Vec<f64>,
    x: Vec<f64>,
}

impl Buffers {
    /// Writes the system of a correction of `n` components, and finds its order.
    fn pose(&mut self, n: usize) -> usize {
        let rows = self.residual.len();
        linear::saddle_into(n, rows, &self.metric, &self.jacobian, &mut self.system);
        self.right.clear();
        self.right.resize(n, 0.0);
        self.right.extend(self.residual.iter().map(|c| -c));
        n + rows
    }
}

fn resized(buffer: &mut Vec<f64>, length: usize) -> &mut [f64] {
    buffer.resize(length, 0.0);
    buffer
}

impl<'a> Projector<'a> {
    /// Finds the rank of each stage at the start.
    pub fn new(motion: &'a Motion<'a>, t: f64, y: &[f64]) -> Result<Projector<'a>, EvalError> {
        let mut projector = Projector {
            motion,
            ranks: Vec::new(),
            flat: Vec::new(),
            lengths: Vec::new(),
            worst: 0,
            missed: (0, 0),
            workspace: Workspace::default(),
            buffers: Buffers::default(),
        };
        for stage in &motion.stages {
            let (rows, n) = (stage.residual.outputs(), stage.moved.len());
            let mut jacobian = vec![0.0; rows * n];
            evaluate(
                stage.jacobian,
                &mut projector.workspace,
                t,
                y,
                &mut jacobian,
            )?;
            let mut metric = vec![0.0; n * n];
            evaluate(stage.metric, &mut projector.workspace, t, y, &mut metric)?;
            let scales = scales(&metric, &y[stage.moved.clone()], 0.0);
            if stage.rank.is_none_or(|rank| rank < rows) {
                let mut terms = vec![0.0; rows];
                evaluate(stage.magnitudes, &mut projector.workspace, t, y, &mut terms)?;
                clear_rounding(&mut jacobian, &terms, &scales);
                clear_weakest(&mut jacobian, rows, stage.rank.unwrap_or(rows));
            }
            let magnitudes = entry_sizes(&jacobian, &scales);
            let rank = rank_at_most(stage.rank, rows, n, &jacobian, &magnitudes);
            projector.ranks.push((rank < rows).then_some(n + rank));
            let inertia: Vec<f64> = metric.iter().map(|x| x.abs()).collect();
            let flat = rank < rows && linear::rank(n, n, &metric, &inertia) < n;
            projector.flat.push(flat);
            projector.lengths.push(0.0);
        }
        Ok(projector)
    }

    /// Per stage, the rank of the rows where some depend on others.
    pub fn dependent_ranks(&self) -> Vec<Option<usize>> {
        let stages = self.motion.stages.iter().zip(&self.ranks);
        stages
            .map(|(stage, rank)| Some((*rank)? - stage.moved.len()))
            .collect()
    }

    /// Moves `y` to the manifold, stage by stage, and measures the correction against `scale`, the
    /// tolerance of each component.
    ///
    /// # Errors
    /// Where a field has no value or a stage no correction; `y` is then unspecified.
    pub fn project(
        &mut self,
        t: f64,
        y: &mut [f64],
        scale: &[f64],
    ) -> Result<Correction, EvalError> {
        let motion = self.motion;
        if motion.stages.is_empty() {
            return Ok(Correction::default());
        }
        let mut start = std::mem::take(&mut self.buffers.start);
        start.clear();
        start.extend_from_slice(y);
        let correction = self.stages(t, y, &start, scale);
        self.buffers.start = start;
        correction
    }

    fn stages(
        &mut self,
        t: f64,
        y: &mut [f64],
        start: &[f64],
        scale: &[f64],
    ) -> Result<Correction, EvalError> {
        let motion = self.motion;
        let mut correction = Correction::default();
        for index in 0..motion.stages.len() {
            let rank = self.ranks.get(index).copied().flatten();
            let (before, after) = self.settle(index, rank, t, y)?;
            correction.before = correction.before.max(before);
            correction.after = correction.after.max(after);
            if rank.is_some() && after > correction.dependent {
                correction.dependent = after;
                self.missed = (index, self.worst);
            }
        }
        let moves = y.iter().zip(start).zip(scale);
        correction.length = size(moves.map(|((new, old), scale)| (new - old) / scale));
        if *y != *start {
            correction.work = self.energy(t, y)? - self.energy(t, start)?;
        }
        Ok(correction)
    }

    /// What the row of [`Correction::dependent`] is called.
    pub fn missed_row(&self) -> String {
        let (stage, row) = self.missed;
        let name = self.motion.stages[stage].names.get(row).cloned();
        name.unwrap_or_else(|| format!("row {}", row + 1))
    }

    fn energy(&mut self, t: f64, y: &[f64]) -> Result<f64, EvalError> {
        let mut energy = [0.0];
        if let Some(field) = self.motion.energy {
            evaluate(field, &mut self.workspace, t, y, &mut energy)?;
        }
        Ok(energy[0])
    }

    /// Corrects until the scaled residual is at rounding level or no longer falls; the residual before
    /// and after.
    fn settle(
        &mut self,
        index: usize,
        rank: Option<usize>,
        t: f64,
        y: &mut [f64],
    ) -> Result<(f64, f64), EvalError> {
        let motion = self.motion;
        let stage = &motion.stages[index];
        let before = self.residual(index, t, y)?;
        let (mut last, mut after) = (f64::INFINITY, before);
        for _ in 0..CORRECTIONS {
            if !goes_on(last, after) {
                break;
            }
            self.buffers.kept.clear();
            self.buffers.kept.extend_from_slice(&y[stage.moved.clone()]);
            let next = self.corrected(index, rank, t, y, after)?;
            if next.is_nan() || next >= after {
                y[stage.moved.clone()].copy_from_slice(&self.buffers.kept);
                break;
            }
            (last, after) = (after, next);
        }
        if rank.is_some() && after > SATISFIED {
            // The last correction may have been taken back.
            after = self.residual(index, t, y)?;
        }
        Ok((before, after))
    }

    /// Corrects once, and finds the residual then, infinite where it has no value. Newton's method needs no refinement
    /// where elimination as it is serves.
    fn corrected(
        &mut self,
        index: usize,
        rank: Option<usize>,
        t: f64,
        y: &mut [f64],
        before: f64,
    ) -> Result<f64, EvalError> {
        if rank.is_none() && self.correct_plainly(index, t, y)? {
            let next = self.residual(index, t, y).unwrap_or(f64::INFINITY);
            if next < before || before <= ROUNDING {
                return Ok(next);
            }
            y[self.motion.stages[index].moved.clone()].copy_from_slice(&self.buffers.kept);
            self.residual(index, t, y)?;
        }
        self.correct(index, rank, t, y)?;
        Ok(self.residual(index, t, y).unwrap_or(f64::INFINITY))
    }

    /// Finds `c` and returns its largest row relative to the row's absolute terms, or to what the size of
    /// the state makes of it: terms that are rounding themselves are no measure.
    fn residual(&mut self, index: usize, t: f64, y: &[f64]) -> Result<f64, EvalError> {
        let motion = self.motion;
        let stage = &motion.stages[index];
        self.buffers.ready = false;
        let rows = stage.residual.outputs();
        let residual = resized(&mut self.buffers.residual, rows);
        evaluate(stage.residual, &mut self.workspace, t, y, residual)?;
        let magnitudes = resized(&mut self.buffers.magnitudes, rows);
        evaluate(stage.magnitudes, &mut self.workspace, t, y, magnitudes)?;
        let parts = residual.iter().zip(magnitudes);
        let ratios = parts.map(|(c, size)| scaled(*c, *size));
        let (worst, ratio) = largest(ratios);
        self.worst = worst;
        if ratio <= SATISFIED {
            return Ok(ratio);
        }
        self.matrices(index, t, y)?;
        let buffers = &self.buffers;
        let w = &y[stage.moved.clone()];
        let longest = &mut self.lengths[index];
        *longest = longest.max(length(&buffers.metric, w));
        let scales = scales(&buffers.metric, w, *longest);
        let rows = buffers.jacobian.chunks(w.len().max(1));
        let pairs = buffers.residual.iter().zip(&buffers.magnitudes);
        let parts = pairs.zip(rows).map(|((c, size), row)| {
            let size = size.max(by_state(row, &scales));
            scaled(*c, size)
        });
        let (worst, part) = largest(parts);
        self.worst = worst;
        Ok(part)
    }

    /// Finds `J` and `W`, unless they are known at this state, whose residual is known.
    fn matrices(&mut self, index: usize, t: f64, y: &[f64]) -> Result<(), EvalError> {
        if self.buffers.ready {
            return Ok(());
        }
        let motion = self.motion;
        let stage = &motion.stages[index];
        let (rows, n) = (stage.residual.outputs(), stage.moved.len());
        let jacobian = resized(&mut self.buffers.jacobian, rows * n);
        evaluate(stage.jacobian, &mut self.workspace, t, y, jacobian)?;
        let metric = resized(&mut self.buffers.metric, n * n);
        evaluate(stage.metric, &mut self.workspace, t, y, metric)?;
        if let Some(rank) = self.ranks.get(index).copied().flatten() {
            let scales = scales(metric, &y[stage.moved.clone()], self.lengths[index]);
            clear_rounding(jacobian, &self.buffers.magnitudes, &scales);
            if scales.iter().all(|s| *s == 0.0) {
                clear_weakest(jacobian, rows, rank - n);
            }
        }
        self.buffers.ready = true;
        Ok(())
    }

    /// The same as [`Self::correct`] by elimination without exchanges or refinement; false where a pivot is small.
    fn correct_plainly(&mut self, index: usize, t: f64, y: &mut [f64]) -> Result<bool, EvalError> {
        let motion = self.motion;
        self.matrices(index, t, y)?;
        let buffers = &mut self.buffers;
        let order = buffers.pose(motion.stages[index].moved.len());
        let x = resized(&mut buffers.x, order);
        if eliminated(
            order,
            &buffers.system,
            &buffers.right,
            x,
            &mut buffers.scratch,
        )
        .is_err()
        {
            return Ok(false);
        }
        let moved = &mut y[motion.stages[index].moved.clone()];
        moved.iter_mut().zip(x).for_each(|(w, dw)| *w += *dw);
        Ok(true)
    }

    /// One correction: `[W, J^T; J, 0] (dw, mu) = (0, -c)`. This form asks of `W` only what the
    /// problem does: to be regular on `ker J`.
    fn correct(
        &mut self,
        index: usize,
        rank: Option<usize>,
        t: f64,
        y: &mut [f64],
    ) -> Result<(), EvalError> {
        let motion = self.motion;
        let stage = &motion.stages[index];
        let flat = self.flat.get(index).copied().unwrap_or_default();
        self.matrices(index, t, y)?;
        let buffers = &mut self.buffers;
        let (rows, n) = (buffers.residual.len(), stage.moved.len());
        let order = buffers.pose(n);
        let x = resized(&mut buffers.x, order);
        let mut solve = |system: &[f64]| {
            let (right, scratch) = (&buffers.right, &mut buffers.scratch);
            consistent(Kind::Symmetric, order, system, right, x, rank, scratch)
        };
        let plain = (!flat).then(|| solve(&buffers.system));
        let solved = match plain {
            None | Some(Err(Unsolved::Singular { .. })) if rank.is_some() => {
                let metric = lifted(n, &buffers.metric);
                solve(&linear::saddle(n, rows, &metric, &buffers.jacobian))
            }
            Some(solved) => solved,
            None => solve(&buffers.system),
        };
        solved.map_err(unsolved)?;
        let moved = &mut y[stage.moved.clone()];
        moved.iter_mut().zip(x).for_each(|(w, dw)| *w += *dw);
        Ok(())
    }
}

/// The place of the largest of some parts, and how large it is.
pub(crate) fn largest(parts: impl Iterator<Item = f64>) -> (usize, f64) {
    let places = parts.enumerate();
    places.fold(
        (0, 0.0),
        |most, part| if part.1 > most.1 { part } else { most },
    )
}

/// What directions without inertia are given, of the mean: rows that leave them free do not move them then.
const LIFT: f64 = 1e-6;

/// A metric that is regular in the directions too that neither it nor the rows feel.
pub(crate) fn lifted(n: usize, metric: &[f64]) -> Vec<f64> {
    let trace: f64 = (0..n).map(|i| metric[i * n + i].abs()).sum();
    let mean = if trace > 0.0 { trace / n as f64 } else { 1.0 };
    let mut lifted = metric.to_vec();
    (0..n).for_each(|i| lifted[i * n + i] += LIFT * mean);
    lifted
}

fn unsolved(reason: Unsolved) -> EvalError {
    let what = "the system of the projection to the constraints".to_owned();
    match reason {
        Unsolved::NotFinite => EvalError::NotFinite { what },
        _ => EvalError::Singular { what },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Formula;
    use crate::motion::Stage;
    use crate::rules::AIM;

    /// Projection of (w1, w2) to the circle of radius 2 (twice the same row if `redundant`) in `metric`.
    fn to_circle(metric: [f64; 4], redundant: bool, start: [f64; 2]) -> ([f64; 2], Correction) {
        let rows = if redundant { 2 } else { 1 };
        let residual = Formula::new(2, rows, |_, y: &[f64], out: &mut [f64]| {
            out.fill(y[0] * y[0] + y[1] * y[1] - 4.0)
        });
        let magnitudes = Formula::new(2, rows, |_, y: &[f64], out: &mut [f64]| {
            out.fill(y[0] * y[0] + y[1] * y[1] + 4.0)
        });
        let jacobian = Formula::new(2, 2 * rows, |_, y: &[f64], out: &mut [f64]| {
            out.chunks_mut(2)
                .for_each(|row| row.copy_from_slice(&[2.0 * y[0], 2.0 * y[1]]))
        });
        let metric = Formula::new(2, 4, move |_, _: &[f64], out: &mut [f64]| {
            out.copy_from_slice(&metric)
        });
        let field = Formula::new(2, 2, |_, _: &[f64], out: &mut [f64]| out.fill(0.0));
        let energy = Formula::new(2, 1, |_, y: &[f64], out: &mut [f64]| {
            out[0] = y[0] + 10.0 * y[1]
        });
        let motion: Motion<'_> = Motion {
            names: &[],
            field: &field,
            stages: vec![Stage {
                moved: 0..2,
                residual: &residual,
                magnitudes: &magnitudes,
                jacobian: &jacobian,
                metric: &metric,
                rank: None,
                names: vec![],
            }],
            energy: Some(&energy),
            stops: vec![],
            watched: vec![],
            switches: None,
            narrow: None,
            peaks: None,
            corners: None,
            switched: None,
            leave: None,
            monitored: None,
            unprojected: None,
            velocities: None,
        };
        let mut y = start;
        let mut projector = Projector::new(&motion, 0.0, &y).expect("regular");
        let correction = projector
            .project(0.0, &mut y, &[1e-3, 1e-3])
            .expect("regular");
        (y, correction)
    }

    const UNIT: [f64; 4] = [1.0, 0.0, 0.0, 1.0];

    #[test]
    fn the_euclidean_projection_is_radial_also_with_redundant_rows() {
        for redundant in [false, true] {
            let (y, correction) = to_circle(UNIT, redundant, [1.2 * 1.01, 1.6 * 1.01]);
            assert!(
                (y[0] - 1.2).abs() < 1e-15 && (y[1] - 1.6).abs() < 1e-15,
                "{y:?}"
            );
            assert!(correction.after <= AIM && correction.before > 1e-3);
            // |correction| / sqrt 2 = 0.02 / sqrt 2, in thousandths
            assert!((correction.length - 20.0 / 2f64.sqrt()).abs() < 1e-9);
            assert!((correction.work + 0.012 + 0.16).abs() < 1e-13);
        }
    }

    #[test]
    fn the_metric_decides_the_direction_even_if_it_is_singular() {
        // A direction without inertia moves alone.
        let (y, _) = to_circle([1.0, 0.0, 0.0, 0.0], false, [1.2, 1.7]);
        assert!(
            (y[0] - 1.2).abs() < 1e-15 && (y[1] - 1.6).abs() < 1e-15,
            "{y:?}"
        );
        // In an indefinite metric dw is along W^-1 J^T = 2 (w1, -w2): the first correction is
        // c / (J W^-1 J^T), larger than the radial one.
        let (y, correction) = to_circle([1.0, 0.0, 0.0, -1.0], false, [1.2, 1.6 + 1e-6]);
        let direction = (y[1] - 1.6 - 1e-6) / (y[0] - 1.2);
        assert!(
            (direction + 1.6 / 1.2).abs() < 1e-5 && correction.after <= AIM,
            "{y:?}"
        );
    }
}
