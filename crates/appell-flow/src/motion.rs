//! What is integrated: fields, constraints, conditions, and how accurately.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::drive::Drive;
use crate::field::Field;
use crate::trajectory::Sample;
use appell_expr::limits::stopped;

/// A motion `y' = f(t, y)` on a manifold. `y` holds the state and behind it quadratures.
///
/// It is described by functions `F` of `(t, y)`, or of a leading part of `y`: their names, before something is
/// compiled, or fields, which may read more, such as parameters. What is integrated are references to fields;
/// [`Motion::map`] leads from one to the other.
pub struct Motion<'a, F = &'a dyn Field> {
    /// The names of the leading components, the state; what follows are quadratures.
    pub names: &'a [String],
    /// The right-hand side `f`.
    pub field: F,
    /// The manifold, in the order of projection.
    pub stages: Vec<Stage<F>>,
    /// A quantity whose change by projection is accounted for: the energy. One output.
    pub energy: Option<F>,
    /// Where the motion ends before its time.
    pub stops: Vec<Stop<F>>,
    /// Conditions that are noted where they become true, while the motion goes on.
    pub watched: Vec<Stop<F>>,
    /// Quantities at whose zeros the right-hand side may jump or have a corner: steps end there.
    pub switches: Option<F>,
    /// Of functions that are felt in a narrow place: a quantity at whose zero one is the narrowest, and an argument which a
    /// step there changes by a few units only; those of one after those of another.
    pub narrow: Option<F>,
    /// Arguments of functions that are felt where these are the largest along the motion, as the exponent of `exp`.
    pub peaks: Option<F>,
    /// Quantities at whose zeros the conditions of stops and of what is watched may jump or have a corner.
    pub corners: Option<F>,
    /// What jumps with the time is added to a quadrature.
    pub switched: Option<Switched<F>>,
    /// Ends the motion at the end of a step near which its quantity becomes negative: where the place need
    /// not be exact, the end of a step is more accurate than a place within it.
    pub leave: Option<Stop<F>>,
    /// The rank monitor.
    pub monitored: Option<MonitoredRows<F>>,
    /// Rows that no stage restores, where rows depend on each other.
    pub unprojected: Option<UnprojectedRows<F>>,
    /// Which components are coordinates and which their velocities, where these are components.
    pub velocities: Option<Velocities>,
}

impl<'a, F> Motion<'a, F> {
    /// The conditions that end it and then those that are watched, the order of [`Options::left`].
    pub fn conditions(&self) -> impl Iterator<Item = &Stop<F>> {
        self.stops.iter().chain(&self.watched)
    }

    /// The same motion by other functions.
    pub fn map<'s, G>(&'s self, mut function: impl FnMut(&'s F) -> G) -> Motion<'a, G> {
        let same = self.try_map(|f| Ok::<G, Infallible>(function(f)));
        same.unwrap_or_else(|never| match never {})
    }

    /// The same motion by other functions, of which each may fail to be made.
    ///
    /// # Errors
    /// The first that failed.
    pub fn try_map<'s, G, E>(
        &'s self,
        mut function: impl FnMut(&'s F) -> Result<G, E>,
    ) -> Result<Motion<'a, G>, E> {
        let field = function(&self.field)?;
        let mut stages = Vec::new();
        for stage in &self.stages {
            stages.push(stage.try_map(&mut function)?);
        }
        let mut optional = |option: &'s Option<F>| option.as_ref().map(&mut function).transpose();
        let (energy, switches) = (optional(&self.energy)?, optional(&self.switches)?);
        let (narrow, peaks) = (optional(&self.narrow)?, optional(&self.peaks)?);
        let corners = optional(&self.corners)?;
        let switched = self.switched.as_ref().map(|switched| {
            Ok(Switched {
                value: function(&switched.value)?,
                quadrature: switched.quadrature,
            })
        });
        let switched = switched.transpose()?;
        let unprojected = self.unprojected.as_ref();
        let unprojected = unprojected.map(|rows| rows.try_map(&mut function));
        let mut stop = |stop: &'s Stop<F>| stop.try_map(&mut function);
        let stops: Result<_, E> = self.stops.iter().map(&mut stop).collect();
        let watched: Result<_, E> = self.watched.iter().map(&mut stop).collect();
        let leave = self.leave.as_ref().map(&mut stop).transpose()?;
        let monitored = self.monitored.as_ref();
        let monitored = monitored.map(|rows| rows.try_map(&mut function));
        Ok(Motion {
            names: self.names,
            field,
            stages,
            energy,
            stops: stops?,
            watched: watched?,
            switches,
            narrow,
            peaks,
            corners,
            switched,
            leave,
            monitored: monitored.transpose()?,
            unprojected: unprojected.transpose()?,
            velocities: self.velocities.clone(),
        })
    }
}

impl<F> Stage<F> {
    fn try_map<'s, G, E>(
        &'s self,
        function: &mut impl FnMut(&'s F) -> Result<G, E>,
    ) -> Result<Stage<G>, E> {
        Ok(Stage {
            moved: self.moved.clone(),
            residual: function(&self.residual)?,
            magnitudes: function(&self.magnitudes)?,
            jacobian: function(&self.jacobian)?,
            metric: function(&self.metric)?,
            rank: self.rank,
            names: self.names.clone(),
        })
    }
}

impl<F> Stop<F> {
    fn try_map<'s, G, E>(
        &'s self,
        function: &mut impl FnMut(&'s F) -> Result<G, E>,
    ) -> Result<Stop<G>, E> {
        Ok(Stop {
            gap: function(&self.gap)?,
            crossing: self.crossing,
            text: self.text.clone(),
            deepest: self.deepest,
            impassable: self.impassable,
        })
    }
}

impl<F> MonitoredRows<F> {
    fn try_map<'s, G, E>(
        &'s self,
        function: &mut impl FnMut(&'s F) -> Result<G, E>,
    ) -> Result<MonitoredRows<G>, E> {
        Ok(MonitoredRows {
            jacobian: function(&self.jacobian)?,
            metric: function(&self.metric)?,
            rows: self.rows,
            rank: self.rank,
            zero: self.zero,
        })
    }
}

impl<F> UnprojectedRows<F> {
    fn try_map<'s, G, E>(
        &'s self,
        function: &mut impl FnMut(&'s F) -> Result<G, E>,
    ) -> Result<UnprojectedRows<G>, E> {
        Ok(UnprojectedRows {
            residual: function(&self.residual)?,
            magnitudes: function(&self.magnitudes)?,
            names: self.names.clone(),
        })
    }
}

impl<'a> Motion<'a> {
    /// The rank of the constraint rows, where it is known.
    pub(crate) fn rank(&self) -> Option<usize> {
        self.monitored.as_ref().and_then(|monitored| monitored.rank)
    }

    /// A motion without a manifold, and with nothing that ends it.
    pub fn free(names: &'a [String], field: &'a dyn Field) -> Motion<'a> {
        Motion {
            names,
            field,
            stages: vec![],
            energy: None,
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
        }
    }
}

/// A quantity that jumps with the time, at zeros of the [switches](Motion::switches), and the quadrature that its jumps
/// are added to: the integral of a rate that has no value there.
pub struct Switched<F> {
    /// One output.
    pub value: F,
    /// Its place behind the state.
    pub quadrature: usize,
}

/// The components `q` and `v = q'` of a state `(q, v)`, for methods that treat them differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Velocities {
    /// The components `q`.
    pub q: Range<usize>,
    /// The components `v`, as many.
    pub v: Range<usize>,
}

/// Equations `c(t, y) = 0` that are restored by moving some components of `y`, least in a metric `W`:
/// `w <- w - W^-1 J^T (J W^-1 J^T)^+ c`, with `J = dc/dw`.
///
/// `W` may be indefinite or singular where `W` restricted to `ker J` is regular; rows may be redundant.
pub struct Stage<F> {
    /// The components `w` of `y` that move, n of them.
    pub moved: Range<usize>,
    /// `c`, r rows.
    pub residual: F,
    /// The sum of the absolute values of each row's terms, r rows.
    pub magnitudes: F,
    /// `J`, r x n, row-major.
    pub jacobian: F,
    /// `W`, n x n, row-major.
    pub metric: F,
    /// The rank of `J` at regular states where it is known; otherwise it is found at the start.
    pub rank: Option<usize>,
    /// What the rows are called, r names.
    pub names: Vec<String>,
}

/// Rows `c(t, y) = 0` that a motion keeps by itself if they follow from those that it is computed with, and that nothing
/// restores: among rows that depend on each other some are left out.
pub struct UnprojectedRows<F> {
    /// `c`, r rows.
    pub residual: F,
    /// The sum of the absolute values of each row's terms, r rows.
    pub magnitudes: F,
    /// What the rows are called, r names.
    pub names: Vec<String>,
}

/// A condition that ends the motion when it becomes true. One that holds at the start, or directly
/// after it, must first cease to hold.
pub struct Stop<F> {
    /// The quantity `g` that is compared with zero. One output.
    pub gap: F,
    /// How it crosses zero.
    pub crossing: CrossingSense,
    /// The condition in the user's words, for the outcome.
    pub text: String,
    /// Whether the place is noted too, where it is watched, at which it is most true before it ceases to be.
    pub deepest: bool,
    /// Whether no motion leads through it.
    pub impassable: bool,
}

/// The sense in which a condition becomes true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrossingSense {
    /// `g` becomes positive.
    Rising,
    /// `g` becomes negative.
    Falling,
    /// `g` changes its sign.
    Either,
}

/// The rank monitor: `s(t) = sigma_r(A M^-1/2) / (largest sigma_1 so far)` vanishes where
/// the rank `r` of the constraints drops (theory, section 5).
///
/// For a singular metric without negative eigenvalues `M + tr(M)/n` takes its place; for an indefinite
/// one the absolute eigenvalues of `A M^-1 A^T` take the place of the singular values.
pub struct MonitoredRows<F> {
    /// `A`, k x n, row-major.
    pub jacobian: F,
    /// `M`, n x n, row-major.
    pub metric: F,
    /// k.
    pub rows: usize,
    /// The regular rank where it is known; otherwise the rank at the start counts as regular.
    pub rank: Option<usize>,
    /// Below this `s` counts as zero; [`SINGULAR`](crate::SINGULAR) for constraints.
    pub zero: f64,
}

impl<F: std::ops::Deref<Target: Field>> MonitoredRows<F> {
    /// n.
    pub(crate) fn columns(&self) -> usize {
        let entries = self.jacobian.outputs();
        entries.checked_div(self.rows).unwrap_or(0)
    }
}

/// How far, how accurately and where the motion is wanted.
#[derive(Debug, Clone)]
pub struct Options {
    /// The last time; before the first for a motion backwards.
    pub until: f64,
    /// Relative tolerance of a step.
    pub rtol: f64,
    /// Absolute tolerance of a step.
    pub atol: f64,
    /// The times to be reported, in the direction of the motion.
    pub samples: Vec<f64>,
    /// The budget of steps, accepted and rejected.
    pub max_steps: usize,
    /// The longest step, positive.
    pub max_step: f64,
    /// The step of methods that keep it fixed, positive; by default they choose it by the tolerances.
    pub step: Option<f64>,
    /// The step to begin with, positive; by default it is chosen.
    pub first: Option<f64>,
    /// Whether the rank monitor is on.
    pub monitored: bool,
    /// What drives the inputs: steps end where it may jump.
    pub drive: Option<Arc<Drive>>,
    /// The quantities of the conditions just before the start, where inputs jump there or the state is reset.
    pub left: Option<Vec<f64>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            until: 0.0,
            rtol: 1e-10,
            atol: 1e-10,
            samples: Vec::new(),
            max_steps: 1_000_000,
            max_step: f64::INFINITY,
            step: None,
            first: None,
            monitored: true,
            drive: None,
            left: None,
        }
    }
}

/// How a caller observes and ends a running integration.
#[derive(Default)]
pub struct Control<'a> {
    /// Set to end the run; what was computed is kept. A [`appell_expr::limits::Stop`] that is in force ends it
    /// too.
    pub cancel: Option<&'a AtomicBool>,
    /// Told after each accepted step which part of the time is done.
    pub progress: Option<&'a mut dyn FnMut(f64)>,
    /// Samples that are handed out and not kept; taken away by who makes another motion of it.
    pub stream: Option<Stream<'a>>,
}

/// Samples that are handed out as they are computed, beside those that are kept: there may be more of them than
/// the memory holds.
pub struct Stream<'a> {
    /// How many there are.
    pub count: usize,
    /// The time of each, in the direction of the motion.
    pub time: &'a dyn Fn(usize) -> f64,
    /// Takes each in order, and the last state if it is not among them.
    pub write: &'a mut dyn FnMut(&Sample),
}

impl Control<'_> {
    /// Whether the run is to end.
    pub fn cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) || stopped().is_some()
    }

    pub(crate) fn report(&mut self, fraction: f64) {
        if let Some(progress) = &mut self.progress {
            progress(fraction);
        }
    }
}
