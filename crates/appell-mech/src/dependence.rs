//! The dependent velocities as functions of the independent ones, `v_d = alpha(q, v_i, t)`.

use crate::constraints::parametric_only;
use crate::constraints::{Chart, Constraints};
use crate::system::{System, gradient};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Graph, Matrix, Sketch, SolveKind, vanishes};

/// `alpha` with m independent velocities i and n - m dependent ones d, as far as it can be written.
///
/// Where each row is solved for one dependent velocity, or can be by a division, `alpha` is an
/// expression; elsewhere it is implicit in `phi(q, v, t) = 0`, and its derivatives are the
/// solutions of `phi_d alpha_x = -phi_x`. Regular where `phi_d` is.
pub(crate) struct Dependence<'g> {
    graph: &'g Graph,
    chart: Chart,
    /// `v_i`, m.
    pub independent: Vec<Ex<'g>>,
    /// `v_d`, n - m.
    pub dependent: Vec<Ex<'g>>,
    /// The rows that determine `v_d`, n - m.
    phi: Vec<Ex<'g>>,
    /// `phi_d`.
    phi_d: Matrix<'g>,
    /// `alpha(q, v_i, t)` where it is an expression, n - m.
    explicit: Option<Vec<Ex<'g>>>,
}

/// Rates of symbols: `(s, s')`.
pub(crate) type Rates<'g> = Vec<(Ex<'g>, Ex<'g>)>;

impl<'g> Dependence<'g> {
    /// Reads the chart of independent velocities, and `alpha` if the rows are solved for it.
    ///
    /// # Errors
    /// No chart, rows given by `psi` only, or a row that is given on accelerations.
    pub fn new(system: &System<'g>, constraints: &Constraints<'g>) -> Result<Self, Unavailable> {
        parametric_only(system, constraints)?;
        let Some(chart) = constraints.chart.clone() else {
            return Err(no_chart());
        };
        let active: Vec<_> = constraints.active().collect();
        let mut phi = Vec::with_capacity(chart.rows.len());
        for row in chart.rows.iter().map(|index| active[*index]) {
            phi.push(row.phi.ok_or_else(|| {
                let name = &row.name;
                Unavailable(format!("`{name}` is a constraint on accelerations"))
            })?);
        }
        let pick = |indices: &[usize]| indices.iter().map(|i| system.v[*i]).collect::<Vec<_>>();
        let (independent, dependent) = (pick(&chart.independent), pick(&chart.dependent));
        let phi_d = Matrix::jacobian(system.graph, &phi, &dependent);
        let explicit = solved(system.graph, &phi, &phi_d, &dependent);
        Ok(Self {
            graph: system.graph,
            chart,
            independent,
            dependent,
            phi,
            phi_d,
            explicit,
        })
    }

    /// Indices of the independent velocities, m.
    pub fn independent_indices(&self) -> &[usize] {
        &self.chart.independent
    }

    /// Indices of the dependent velocities, n - m.
    pub fn dependent_indices(&self) -> &[usize] {
        &self.chart.dependent
    }

    /// `alpha(q, v_i, t)` where it is an expression.
    pub fn explicit(&self) -> Option<&[Ex<'g>]> {
        self.explicit.as_deref()
    }

    /// The functions that fix the dependent velocities: `alpha` if it is explicit, else `phi`.
    pub fn functions(&self) -> &[Ex<'g>] {
        self.explicit.as_deref().unwrap_or(&self.phi)
    }

    /// `q' = v`, `v_i' = 0`, `v_d' = drift = alpha_q v + alpha_t`, `t' = 1`.
    pub fn at_frozen_velocities(&self, system: &System<'g>, drift: &Matrix<'g>) -> Rates<'g> {
        let one = system.graph.one();
        let moved = system.q.iter().zip(&system.v);
        let carried = self.dependent.iter().zip(drift.entries());
        let rates = moved.chain(carried).chain([(&system.t, &one)]);
        rates.map(|(s, rate)| (*s, *rate)).collect()
    }

    /// `q' = v`, `v' = q''`, `t' = 1`.
    pub fn along_motion(system: &System<'g>) -> Rates<'g> {
        let one = system.graph.one();
        let rates = system.q.iter().zip(&system.v);
        let rates = rates.chain(system.v.iter().zip(&system.a));
        rates
            .chain([(&system.t, &one)])
            .map(|(s, rate)| (*s, *rate))
            .collect()
    }

    /// With `alpha` in place of `v_d` where it is explicit.
    pub fn restrict(&self, x: &Matrix<'g>) -> Matrix<'g> {
        match &self.explicit {
            Some(alpha) => {
                let by = self.dependent.iter().zip(alpha).map(|(v, a)| (*v, *a));
                x.substitute(&by.collect::<Vec<_>>())
            }
            None => x.clone(),
        }
    }

    /// `d alpha/dx`, (n - m) x symbols; `S` by the independent velocities.
    pub fn by(&self, sketch: &mut Sketch<'g>, symbols: &[Ex<'g>]) -> Matrix<'g> {
        match &self.explicit {
            Some(alpha) => Matrix::jacobian(self.graph, alpha, symbols),
            None => {
                let right = -&Matrix::jacobian(self.graph, &self.phi, symbols);
                sketch.solve(SolveKind::General, "dalpha", &self.phi_d, &right)
            }
        }
    }

    /// `d/dt (d alpha/dx)` from `phi_d (alpha_x)' = -phi_x' - phi_d' alpha_x`.
    pub fn by_rate(
        &self,
        sketch: &mut Sketch<'g>,
        symbols: &[Ex<'g>],
        alpha_x: &Matrix<'g>,
        rates: &Rates<'g>,
    ) -> Matrix<'g> {
        let rate = |m: &Matrix<'g>| m.map(|x| x.rate(rates));
        if self.explicit.is_some() {
            return rate(alpha_x);
        }
        let change = rate(&Matrix::jacobian(self.graph, &self.phi, symbols));
        let right = -&(&change + &(&rate(&self.phi_d) * alpha_x));
        sketch.solve(SolveKind::General, "dalpha_rate", &self.phi_d, &right)
    }

    /// `[x_i; x_d]` in the order of the coordinates, n x columns.
    pub fn join(&self, x_i: &Matrix<'g>, x_d: &Matrix<'g>) -> Matrix<'g> {
        let stacked = x_i.above(x_d);
        let order: Vec<usize> = self
            .independent_indices()
            .iter()
            .chain(self.dependent_indices())
            .copied()
            .collect();
        let place = |i: usize| order.iter().position(|j| *j == i);
        let places: Vec<usize> = (0..order.len()).filter_map(place).collect();
        stacked.select_rows(&places)
    }

    /// `Psi = [I; S]`, n x m.
    pub fn psi(&self, slope: &Matrix<'g>) -> Matrix<'g> {
        let m = self.independent_indices().len();
        let unit = |i, j| self.graph.int(i64::from(i == j));
        self.join(&Matrix::from_fn(self.graph, m, m, unit), slope)
    }

    /// `B_r^nu = d/dt S - alpha_{q_i} - alpha_{q_d} S`, (n - m) x m; with implicit `alpha` all of
    /// them are `-phi_d^-1 (A' - phi_q) Psi` [talamucci2020, (14)].
    pub fn coefficients(
        &self,
        system: &System<'g>,
        sketch: &mut Sketch<'g>,
        slope: &Matrix<'g>,
        rates: &Rates<'g>,
    ) -> Matrix<'g> {
        let psi = self.psi(slope);
        if self.explicit.is_some() {
            let by_q = self.by(sketch, &system.q);
            let by_independent = by_q.select_columns(self.independent_indices());
            let across = &by_q.select_columns(self.dependent_indices()) * slope;
            let slope_rate = self.by_rate(sketch, &self.independent, slope, rates);
            return &(&slope_rate - &by_independent) - &across;
        }
        let rows = Matrix::jacobian(self.graph, &self.phi, &system.v);
        let by_q = Matrix::jacobian(self.graph, &self.phi, &system.q);
        let right = -&(&(&rows.map(|x| x.rate(rates)) - &by_q) * &psi);
        sketch.solve(SolveKind::General, "B", &self.phi_d, &right)
    }

    /// `d f*/dx` of `f*(q, v_i, t) = f(q, v_i, alpha, t)`, one a symbol: by differentiating `f*`
    /// where it is an expression, else `f_x + Sum f_{v_d} alpha_x`.
    pub fn star(&self, f: Ex<'g>, symbols: &[Ex<'g>], alpha_x: &Matrix<'g>) -> Matrix<'g> {
        if self.explicit.is_some() {
            return gradient(self.graph, self.restrict_one(f), symbols);
        }
        let by_dependent = gradient(self.graph, f, &self.dependent);
        &gradient(self.graph, f, symbols) + &(&alpha_x.transpose() * &by_dependent)
    }

    /// `d/dt (d f*/dx)`, one a symbol.
    pub fn star_rate(
        &self,
        f: Ex<'g>,
        symbols: &[Ex<'g>],
        alpha_x: &Matrix<'g>,
        alpha_x_rate: &Matrix<'g>,
        rates: &Rates<'g>,
    ) -> Matrix<'g> {
        let rate = |m: &Matrix<'g>| m.map(|x| x.rate(rates));
        if self.explicit.is_some() {
            return rate(&self.star(f, symbols, alpha_x));
        }
        let by_dependent = gradient(self.graph, f, &self.dependent);
        let direct = rate(&gradient(self.graph, f, symbols));
        let turned = &alpha_x_rate.transpose() * &by_dependent;
        &(&direct + &turned) + &(&alpha_x.transpose() * &rate(&by_dependent))
    }

    /// `f(q, v_i, alpha, t)` as an expression, where `alpha` is one.
    pub fn expression(&self, f: Ex<'g>) -> Option<Ex<'g>> {
        self.explicit.is_some().then(|| self.restrict_one(f))
    }

    fn restrict_one(&self, f: Ex<'g>) -> Ex<'g> {
        self.restrict(&Matrix::column(self.graph, vec![f]))[(0, 0)]
    }
}

/// Why a form in independent velocities is not to be had.
pub(crate) fn no_chart() -> Unavailable {
    Unavailable("no independent velocities were found for this model".to_owned())
}

/// `alpha = -phi(v_d = 0)/phi_d` if each row is affine in one dependent velocity and free of the
/// others.
fn solved<'g>(
    graph: &'g Graph,
    phi: &[Ex<'g>],
    phi_d: &Matrix<'g>,
    dependent: &[Ex<'g>],
) -> Option<Vec<Ex<'g>>> {
    let zeros: Vec<_> = dependent.iter().map(|v| (*v, graph.zero())).collect();
    let mut alpha = vec![None; dependent.len()];
    for (row, phi) in phi.iter().enumerate() {
        let mut columns = (0..dependent.len()).filter(|j| !vanishes(phi_d[(row, *j)]));
        let (Some(j), None) = (columns.next(), columns.next()) else {
            return None;
        };
        let factor = phi_d[(row, j)];
        if dependent.iter().any(|v| factor.depends_on(*v)) {
            return None;
        }
        alpha[j] = Some(-phi.substitute(&zeros) / factor);
    }
    alpha.into_iter().collect()
}
