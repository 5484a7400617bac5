//! The energies `E` and `E*` along the motion, and Talamucci's balances, term by term.

use super::identities::StandingIdentity;
use super::question_batch::QuestionBatch;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix, Sketch, SolveKind, is_free_of};
use appell_mech::{Chart, Equations, StarBalance, output};

/// Asks about `E` and `E*` of the first formalism.
pub(super) fn ask<'g>(
    p: &Prepared<'g>,
    first: &Equations<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Vec<StandingIdentity> {
    let system = &p.system;
    let scalar = |name: &str| first.sketch.get(name).map(|m| m[(0, 0)]);
    let mut standing = Vec::new();
    if let Some(rate) = scalar(output::ENERGY_RATE) {
        let direct = system.total_rate(system.energy);
        let asked = batch.agree(&first.sketch, &[direct], &[rate]);
        standing.push(("dE/dt = -L_t + R.v + F.v".to_owned(), asked));
    }
    let mut sketch = first.sketch.clone();
    let Some(alpha) = Implicit::new(p, &mut sketch) else {
        return standing;
    };
    let mut add = |name: &str, left: &[Ex<'g>], right: &[Ex<'g>]| {
        standing.push((name.to_owned(), batch.agree(&sketch, left, right)));
    };
    if let Some(star) = scalar(output::ENERGY_STAR) {
        let name = "Sum v_r L*_{v_r} - L* = E + (alphabar - alpha) . L_v";
        add(name, &[alpha.star(p, system.lagrangian)], &[star]);
    }
    if let Some(rate) = scalar(output::ENERGY_STAR_RATE) {
        let name = "(Sum v_r L*_{v_r} - L*)' = dE*/dt";
        add(name, &[alpha.star_rate(p, system.lagrangian)], &[rate]);
    }
    standing.extend(balances(p, first, &alpha, (sketch, batch)));
    standing
}

/// Where the constraints are ideal and the dependent velocities are determined by rows: each term
/// of [talamucci2020, (30)] by implicit differentiation of the rows, (27), and (30) and (34).
///
/// One piece: the list of the paper, in its order.
fn balances<'g>(
    p: &Prepared<'g>,
    first: &Equations<'g>,
    alpha: &Implicit<'g>,
    (mut sketch, batch): (Sketch<'g>, &mut QuestionBatch<'_, 'g>),
) -> Vec<StandingIdentity> {
    let (system, constraints) = (&p.system, &p.constraints);
    let lagrangian = system.lagrangian;
    let mut standing = Vec::new();
    if !constraints.ideal || alpha.chart.dependent.is_empty() {
        return standing;
    }
    let whole = (lagrangian, &system.force);
    let Ok(balance) = StarBalance::new(system, constraints, &mut sketch, whole) else {
        return standing;
    };
    let other = force_beside_kinetic(p).and_then(|(kinetic, force)| {
        let all = (kinetic, &force);
        let balance = StarBalance::new(system, constraints, &mut sketch, all);
        Some((kinetic, balance.ok()?))
    });
    let mut add = |name: &str, left: &[Ex<'g>], right: &[Ex<'g>]| {
        standing.push((name.to_owned(), batch.agree(&sketch, left, right)));
    };
    let sum = |balance: &StarBalance<'g>| system.graph.sum(&balance.terms());
    let by_time = alpha.by_time(p, lagrangian);
    add(
        "L*_t = L_t + L_{v_d} . alpha_t",
        &[balance.by_time],
        &[by_time],
    );
    let by_place = alpha.by_place(p, lagrangian);
    add(
        "L*_{q_d} = L_{q_d} + L_{v_d} . alpha_{q_d}",
        balance.by_place.entries(),
        by_place.entries(),
    );
    add(
        "Bbar = (alphabar - alpha)' - alpha_{q_d} (alphabar - alpha) + alpha_t",
        balance.bent.entries(),
        alpha.bent().entries(),
    );
    add(
        "dE*/dt = -L*_t + (alphabar - alpha) . L*_{q_d} + Bbar . L_{v_d} + F . (v_i, alphabar)",
        &[alpha.star_rate(p, lagrangian)],
        &[sum(&balance)],
    );
    if let Some((kinetic, balance)) = other {
        add(
            "the same with T* for L* and all forces in F",
            &[alpha.star_rate(p, kinetic)],
            &[sum(&balance)],
        );
    }
    if let Some(power) = first.sketch.get(output::REACTION_POWER) {
        add(
            "R.v = (alpha - alphabar) . (L_{v_d}' - L_{q_d} - F_d)",
            power.entries(),
            &[-alpha.gap.dot(&alpha.without_constraints(p))],
        );
    }
    standing
}

/// `T` and all forces that are not in it, where the potential is one of the place and the time.
fn force_beside_kinetic<'g>(p: &Prepared<'g>) -> Option<(Ex<'g>, Matrix<'g>)> {
    let (system, graph) = (&p.system, p.system.graph);
    let (kinetic, potential) = (graph.ex(p.model.kinetic?), graph.ex(p.model.potential?));
    let moving = system.v.iter().any(|v| !is_free_of(potential, *v));
    if moving || potential.is_zero() {
        return None;
    }
    let slope = system.q.iter().map(|q| potential.diff(*q)).collect();
    Some((kinetic, &system.force - &Matrix::column(graph, slope)))
}

/// `alpha` by its rows `phi(q, v, t) = 0` alone, also where it could be written out: with
/// `A_d = phi_d`, `A_d alpha_x = -phi_x` for x in `(q, v_i, t)`.
struct Implicit<'g> {
    chart: Chart,
    v_i: Matrix<'g>,
    /// `S = d alpha/dv_i` and its rate.
    slope: Matrix<'g>,
    slope_rate: Matrix<'g>,
    /// `alpha_q`, `alpha_t`, where all rows are on velocities.
    by_q: Matrix<'g>,
    by_t: Matrix<'g>,
    /// `alphabar - alpha` and its rate.
    gap: Matrix<'g>,
    gap_rate: Matrix<'g>,
}

impl<'g> Implicit<'g> {
    fn new(p: &Prepared<'g>, sketch: &mut Sketch<'g>) -> Option<Self> {
        let (system, graph) = (&p.system, p.system.graph);
        let chart = p.constraints.chart.clone()?;
        let rows = p.constraints.a.select_rows(&chart.rows);
        let a_d = rows.select_columns(&chart.dependent);
        let a_i = rows.select_columns(&chart.independent);
        let rate = |m: &Matrix<'g>| m.map(|x| system.total_rate(x));
        let mut solve =
            |name: &str, right: &Matrix<'g>| sketch.solve(SolveKind::General, name, &a_d, &-right);
        let slope = solve("slopes", &a_i);
        let slope_rate = solve("slope_rates", &(&rate(&a_i) + &(&rate(&a_d) * &slope)));
        let active = p.constraints.active();
        let phi: Vec<Option<Ex<'g>>> = active.map(|row| row.phi).collect();
        let phi = chart
            .rows
            .iter()
            .map(|row| phi.get(*row).copied().flatten());
        // A row on accelerations determines no velocity; its `alpha_q` is not asked for.
        let phi: Vec<Ex<'g>> = phi.map(|phi| phi.unwrap_or(graph.zero())).collect();
        let by_q = solve("alpha_q", &Matrix::jacobian(graph, &phi, &system.q));
        let by_t = solve("alpha_t", &Matrix::jacobian(graph, &phi, &[system.t]));
        let a = Matrix::column(graph, system.a.clone());
        let (v_i, v_d) = halves(&chart, &system.velocity());
        let (accel_i, accel_d) = halves(&chart, &a);
        let bent = &(&slope_rate * &v_i) + &(&slope * &accel_i);
        Some(Self {
            gap: &(&slope * &v_i) - &v_d,
            gap_rate: &bent - &accel_d,
            chart,
            v_i,
            slope,
            slope_rate,
            by_q,
            by_t,
        })
    }

    /// `f*_{v_r} = f_{v_r} + Sum_nu (d alpha_nu/dv_r) f_{v_{m+nu}}`, m x 1, and its rate.
    fn impulse(&self, p: &Prepared<'g>, f: Ex<'g>) -> [Matrix<'g>; 2] {
        let system = &p.system;
        let momentum = gradient(f, &system.v);
        let rate = momentum.map(|x| system.total_rate(x));
        let (p_i, p_d) = halves(&self.chart, &momentum);
        let (rate_i, rate_d) = halves(&self.chart, &rate);
        let turned = &(&self.slope_rate.transpose() * &p_d) + &(&self.slope.transpose() * &rate_d);
        [&p_i + &(&self.slope.transpose() * &p_d), &rate_i + &turned]
    }

    /// `Sum v_r f*_{v_r} - f*`.
    fn star(&self, p: &Prepared<'g>, f: Ex<'g>) -> Ex<'g> {
        let [impulse, _] = self.impulse(p, f);
        self.v_i.dot(&impulse) - f
    }

    /// Its rate.
    fn star_rate(&self, p: &Prepared<'g>, f: Ex<'g>) -> Ex<'g> {
        let system = &p.system;
        let [impulse, rate] = self.impulse(p, f);
        let (accel, _) = halves(&self.chart, &Matrix::column(system.graph, system.a.clone()));
        accel.dot(&impulse) + self.v_i.dot(&rate) - system.total_rate(f)
    }

    /// `f*_t = f_t + Sum f_{v_{m+nu}} alpha_{nu,t}`.
    fn by_time(&self, p: &Prepared<'g>, f: Ex<'g>) -> Ex<'g> {
        let (_, momentum) = halves(&self.chart, &gradient(f, &p.system.v));
        f.diff(p.system.t) + momentum.dot(&self.by_t)
    }

    /// `f*_{q_{m+mu}}`, n - m.
    fn by_place(&self, p: &Prepared<'g>, f: Ex<'g>) -> Matrix<'g> {
        let (_, momentum) = halves(&self.chart, &gradient(f, &p.system.v));
        let carried = &self.by_q.transpose() * &momentum;
        let (_, by_place) = halves(&self.chart, &(&gradient(f, &p.system.q) + &carried));
        by_place
    }

    /// `Bbar = (alphabar - alpha)' - alpha_{q_d} (alphabar - alpha) + alpha_t`
    /// [talamucci2020, (33)].
    fn bent(&self) -> Matrix<'g> {
        let across = &self.by_q.select_columns(&self.chart.dependent) * &self.gap;
        &(&self.gap_rate - &across) + &self.by_t
    }

    /// `L_{v_d}' - L_{q_d} - F_d`, n - m.
    fn without_constraints(&self, p: &Prepared<'g>) -> Matrix<'g> {
        let system = &p.system;
        let rate = system.momentum.map(|x| system.total_rate(x));
        let left = &(&rate - &gradient(system.lagrangian, &system.q)) - &system.force;
        halves(&self.chart, &left).1
    }
}

/// The rows of the independent and of the dependent velocities.
fn halves<'g>(chart: &Chart, x: &Matrix<'g>) -> (Matrix<'g>, Matrix<'g>) {
    (
        x.select_rows(&chart.independent),
        x.select_rows(&chart.dependent),
    )
}

/// `dx/dsymbols` as a column.
fn gradient<'g>(x: Ex<'g>, symbols: &[Ex<'g>]) -> Matrix<'g> {
    Matrix::column(x.graph(), symbols.iter().map(|s| x.diff(*s)).collect())
}
