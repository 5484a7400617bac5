//! The constants of explicit Runge-Kutta methods.

/// An explicit Runge-Kutta method with error estimate and dense output, for `y' = f(t, y)`.
///
/// A step of length `h` from `(t, y)` takes slopes `k_i = f(t + c_i h, y + h Sum_j a_ij k_j)` for
/// `s` stages and ends at `y + h Sum_i b_i k_i`. The slope there is number `s` (the first slope of the
/// next step); the dense stages follow it.
#[derive(Debug)]
pub struct Tableau {
    /// The order of the step.
    pub order: u32,
    /// The nodes `c_i`.
    pub nodes: &'static [f64],
    /// The coefficients `a_ij`, row `i` of length `i`.
    pub stages: &'static [&'static [f64]],
    /// The weights `b_i`.
    pub weights: &'static [f64],
    /// The estimate of the error.
    pub error: ErrorEstimate,
    /// The continuous extension.
    pub dense: Dense,
}

/// The estimated error `h e5^2 / sqrt(e5^2 + e3^2 / 100)`, norms of the weighted sums
/// `e5 = Sum fine_i k_i`, `e3 = Sum coarse_i k_i` (Hairer, Norsett & Wanner, II.10). Without a coarse
/// estimate it is `h e5`.
#[derive(Debug)]
pub struct ErrorEstimate {
    /// The weights of the finer estimate.
    pub fine: &'static [f64],
    /// The weights of the coarser estimate; empty if there is none.
    pub coarse: &'static [f64],
}

/// A continuous extension over the step, `0 <= theta <= 1` (Hairer, Norsett & Wanner, II.6):
/// `u = y0 + theta (F0 + (1 - theta)(F1 + theta (F2 + (1 - theta)(F3 + ...))))`, in which
/// `F0 = y1 - y0`, `F1 = h k_first - F0`, `F2 = F0 - h k_last - F1` make it Hermite's cubic and
/// `F3, ...` are `h` times weighted sums of all slopes.
#[derive(Debug)]
pub struct Dense {
    /// The nodes of the additional stages.
    pub nodes: &'static [f64],
    /// The coefficients of the additional stages.
    pub stages: &'static [&'static [f64]],
    /// The weights of `F3, ...`.
    pub weights: &'static [&'static [f64]],
}

impl Tableau {
    /// The number of stages of a step.
    pub fn stage_count(&self) -> usize {
        self.stages.len()
    }

    /// The number of slopes in all: stages, the end of the step, dense stages.
    pub fn slope_count(&self) -> usize {
        self.stages.len() + 1 + self.dense.stages.len()
    }

    /// The number of coefficients `F0, F1, ...` of the continuous extension.
    pub fn dense_count(&self) -> usize {
        3 + self.dense.weights.len()
    }
}
