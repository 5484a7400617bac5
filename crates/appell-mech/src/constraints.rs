//! The constraints in both presentations: `phi(q, v, t) = 0` and `v = psi(q, z, t)`.

use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Graph, Matrix, is_free_of, vanishes};
use appell_model::{Level, Row};

/// Why a row of the model does not enter the equations of motion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowStatus {
    /// It enters: the index of its multiplier among the active rows.
    Active(usize),
    /// `phi` is identically zero: multiplier 0.
    Void,
    /// A holonomic row whose derivative is, up to a factor, the velocity row of this index.
    Merged(usize),
    /// Left out at the user's wish: multiplier 0.
    Dropped,
}

/// One row `phi_a` of the model with everything that is derived from it.
#[derive(Debug, Clone)]
pub struct ConstraintRow<'g> {
    /// `name`, or `name.x`, `name.y`, `name.z` for the rows of a vector equation.
    pub name: String,
    /// The index of the entry of `[constraints]` it belongs to.
    pub constraint: usize,
    /// The level it was given on.
    pub level: Level,
    /// `f(q, t)` of a holonomic row.
    pub position: Option<Ex<'g>>,
    /// `phi(q, v, t)`, which is `f'` for a holonomic row; `None` for an acceleration row.
    pub phi: Option<Ex<'g>>,
    /// `A_a = d phi_a/dv`, n.
    pub a: Vec<Ex<'g>>,
    /// `B_a = phi_q v + phi_t`.
    pub b: Ex<'g>,
    /// The reaction's direction `W_a` (n) where it is not `A_a`.
    pub reaction: Option<Vec<Ex<'g>>>,
    /// The particles and bodies that reaction acts on, each with the inertial components of a force at its centre and of
    /// a couple, where the file says so.
    pub reaction_on: Vec<(usize, [Ex<'g>; 3], [Ex<'g>; 3])>,
    /// The row in stand-ins for `pos(P)` and `v(P)`, to be inspected for force vectors.
    pub inspected: Ex<'g>,
    /// Whether and how it enters.
    pub status: RowStatus,
}

/// The parametric presentation `v = psi(q, z, t)`.
#[derive(Debug, Clone)]
pub struct Parametrisation<'g> {
    /// The symbols `z`, m.
    pub z: Vec<Ex<'g>>,
    /// The symbols `z'`, m.
    pub rates: Vec<Ex<'g>>,
    /// `psi`, n x 1.
    pub psi: Matrix<'g>,
    /// `Psi = psi_z`, n x m.
    pub partial: Matrix<'g>,
}

/// Which velocities are taken as independent: `A` on `rows` and `dependent` is regular.
///
/// A choice, not a property: singular at other states than the motion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Indices of the active rows that determine the dependent velocities, n - m.
    pub rows: Vec<usize>,
    /// Indices of the dependent velocities, n - m, ascending.
    pub dependent: Vec<usize>,
    /// Indices of the independent velocities, m, in the user's order or ascending.
    pub independent: Vec<usize>,
    /// Of the dependent velocities those that the rows linear in the velocities determine, where numbers chose
    /// them; else they are chosen by algebra, for almost every state.
    pub linear: Option<Vec<usize>>,
}

impl Chart {
    /// The chart with these independent velocities out of n, on these rows.
    pub fn new(n: usize, independent: &[usize], rows: Vec<usize>) -> Self {
        let dependent = (0..n).filter(|i| !independent.contains(i)).collect();
        Self {
            rows,
            dependent,
            independent: independent.to_vec(),
            linear: None,
        }
    }
}

/// A row on the place that rows on velocities say together, whatever the velocities.
#[derive(Debug, Clone)]
pub struct Hidden<'g> {
    /// `h(q, t)`, which must vanish.
    pub position: Ex<'g>,
    /// `h'`, which must vanish too.
    pub rate: Ex<'g>,
    /// The names of the rows that say it.
    pub of: Vec<String>,
    /// Whether its rate follows from the rows, so that their reactions keep it.
    pub kept: bool,
}

/// All constraints of a model.
#[derive(Debug, Clone)]
pub struct Constraints<'g> {
    /// One per row, in the file's order.
    pub rows: Vec<ConstraintRow<'g>>,
    /// `A` of the active rows, k x n.
    pub a: Matrix<'g>,
    /// `B` of the active rows, k x 1.
    pub b: Matrix<'g>,
    /// The directions of the reactions, n x k: `A^T` where they are Chetaev's.
    pub w: Matrix<'g>,
    /// Whether every reaction is Chetaev's.
    pub ideal: bool,
    /// The parametric presentation, if the model gives one.
    pub parametric: Option<Parametrisation<'g>>,
    /// The independent velocities: the user's, or chosen by numbers where the model is prepared.
    pub chart: Option<Chart>,
    /// What the rows hide, once it was looked for: states lie on it, and no multiplier belongs to it.
    pub hidden: Vec<Hidden<'g>>,
}

impl<'g> Constraints<'g> {
    /// Derives levels, `A`, `B` and reaction directions; merges rows, and leaves out those of the
    /// entries of `[constraints]` whose indices are in `dropped`.
    pub fn new(system: &System<'g>, dropped: &[usize]) -> Self {
        let mut rows = named_rows(system);
        for row in rows
            .iter_mut()
            .filter(|row| dropped.contains(&row.constraint))
        {
            row.status = RowStatus::Dropped;
        }
        merge_rows(system, &mut rows);
        Self::of_rows(system, rows)
    }

    /// The same with another `phi` for the row of this index among all rows.
    pub fn with_row(&self, system: &System<'g>, index: usize, phi: Ex<'g>) -> Self {
        let mut rows = self.rows.clone();
        if let Some(row) = rows.get_mut(index) {
            row.phi = Some(phi);
            row.a = phi.partials(&system.v);
            row.b = system.drift(phi);
            row.inspected = phi;
        }
        let chart = self.chart.clone();
        Self {
            chart,
            ..Self::of_rows(system, rows)
        }
    }

    /// The same constraints with the exact values of `system.fixed` in the place of parameters, which may
    /// make rows void or merge them. The chart is not chosen.
    pub fn with_values_of(&self, system: &System<'g>) -> Self {
        self.replaced(system, &system.fixed)
    }

    /// The same constraints without the constants that vanish in a system, see [`System::vanishing`].
    pub fn without_vanishing_of(&self, system: &System<'g>) -> Self {
        self.replaced(system, &system.vanishing)
    }

    fn replaced(&self, system: &System<'g>, by: &[(Ex<'g>, Ex<'g>)]) -> Self {
        let row = |row: &ConstraintRow<'g>| {
            let graph = system.graph;
            let exs = |xs: &[Ex<'g>]| graph.substitute(xs, by);
            let one = |x: Ex<'g>| x.substitute(by);
            let (position, phi, a) = (row.position.map(one), row.phi.map(one), exs(&row.a));
            let given = position.or(phi).unwrap_or_else(|| one(row.b));
            let void = vanishes(given) && a.iter().all(|x| vanishes(*x));
            let status = match (&row.status, void) {
                (RowStatus::Dropped, _) => RowStatus::Dropped,
                (_, true) => RowStatus::Void,
                (_, false) => RowStatus::Active(0),
            };
            ConstraintRow {
                position,
                phi,
                a,
                b: one(row.b),
                reaction: row.reaction.as_deref().map(exs),
                reaction_on: row
                    .reaction_on
                    .iter()
                    .map(|(body, force, torque)| (*body, force.map(one), torque.map(one)))
                    .collect(),
                inspected: one(row.inspected),
                status,
                ..row.clone()
            }
        };
        let mut rows: Vec<ConstraintRow<'g>> = self.rows.iter().map(row).collect();
        merge_rows(system, &mut rows);
        let mut constraints = Self::of_rows(system, rows);
        if let Some(parametric) = &mut constraints.parametric {
            parametric.psi = parametric.psi.substitute(by);
            parametric.partial = parametric.partial.substitute(by);
        }
        constraints
    }

    fn of_rows(system: &System<'g>, rows: Vec<ConstraintRow<'g>>) -> Self {
        let active: Vec<&ConstraintRow<'g>> = rows.iter().filter(|row| row.is_active()).collect();
        let (graph, k, n) = (system.graph, active.len(), system.n());
        let a = Matrix::from_fn(graph, k, n, |i, j| active[i].a[j]);
        let b = Matrix::from_fn(graph, k, 1, |i, _| active[i].b);
        let w = Matrix::from_fn(graph, n, k, |i, j| active[j].direction()[i]);
        let ideal = active.iter().all(|row| row.is_ideal());
        Self {
            a,
            b,
            w,
            ideal,
            parametric: parametrisation(system),
            chart: users_chart(system, active.len()),
            hidden: Vec::new(),
            rows,
        }
    }

    /// The degrees of freedom on velocity level of n coordinates whose rows have this rank; where `v = psi(q, z, t)` is
    /// given without rows, those of `z`.
    pub fn freedoms(&self, n: usize, rank: usize) -> usize {
        match self.motion_alone() {
            Some(parametric) => parametric.z.len(),
            None => n.saturating_sub(rank),
        }
    }

    /// `v = psi(q, z, t)` where it is given without rows.
    pub fn motion_alone(&self) -> Option<&Parametrisation<'g>> {
        self.parametric.as_ref().filter(|_| self.rows.is_empty())
    }

    /// The rows that enter the equations.
    pub fn active(&self) -> impl Iterator<Item = &ConstraintRow<'g>> + Clone {
        self.rows.iter().filter(|row| row.is_active())
    }

    /// The number k of active rows.
    pub fn k(&self) -> usize {
        self.a.rows()
    }

    /// The holonomic rows that hold, merged ones included.
    pub fn holonomic(&self) -> impl Iterator<Item = &ConstraintRow<'g>> {
        let holds =
            |row: &&ConstraintRow<'g>| !matches!(row.status, RowStatus::Void | RowStatus::Dropped);
        self.rows
            .iter()
            .filter(|row| row.position.is_some())
            .filter(holds)
    }

    /// What holds between coordinates: the holonomic rows, and what rows on velocities hide.
    pub fn positions(&self) -> impl Iterator<Item = Ex<'g>> {
        let hidden = self.hidden.iter().map(|row| row.position);
        self.holonomic()
            .filter_map(|row| row.position)
            .chain(hidden)
    }

    /// The active rows of which no projection restores something, each with the level of that: the velocities, where these
    /// are given by parameters; and where a row is given on accelerations, those for all, since any may be left out.
    pub fn unprojected(&self, by_parameters: bool) -> Vec<(&ConstraintRow<'g>, Level)> {
        let active = || self.active();
        let of_velocities = active().filter(|row| by_parameters && row.phi.is_some());
        let accelerated = active().any(|row| row.phi.is_none());
        let of_accelerations = active().filter(|_| accelerated);
        let of_velocities = of_velocities.map(|row| (row, Level::Velocity));
        of_velocities
            .chain(of_accelerations.map(|row| (row, Level::Acceleration)))
            .collect()
    }

    /// Whether the active rows are seen to be cones in the velocities: `A_a v = d phi_a` with a
    /// number `d`. Then `E* = E` on them [talamucci2020, (42)]. `false` is no refutation.
    pub fn are_cones(&self, system: &System<'g>) -> bool {
        let mut active = self.active();
        active.all(|row| is_cone(system, row))
    }

    /// Whether a row was left out, so that `psi` no longer describes the motion.
    pub fn has_dropped_rows(&self) -> bool {
        self.rows.iter().any(|row| row.status == RowStatus::Dropped)
    }

    /// Symbols `lambda[row]` for the multipliers of the active rows, k x 1.
    pub(crate) fn multiplier_symbols(&self, graph: &'g Graph) -> Matrix<'g> {
        let active = self.active();
        let symbol = |row: &ConstraintRow<'g>| graph.symbol(&format!("lambda[{}]", row.name));
        Matrix::column(graph, active.map(symbol).collect())
    }

    /// The values of all rows from those of the active ones: zero for void and merged rows.
    pub fn all_rows(&self, active: &Matrix<'g>, zero: Ex<'g>) -> Vec<Ex<'g>> {
        let value = |row: &ConstraintRow<'g>| row.active_index().map_or(zero, |i| active[(i, 0)]);
        self.rows.iter().map(value).collect()
    }
}

impl<'g> ConstraintRow<'g> {
    /// The direction of its reaction, n.
    pub fn direction(&self) -> &[Ex<'g>] {
        self.reaction.as_deref().unwrap_or(&self.a)
    }

    /// Whether its reaction is Chetaev's: given with the directions of `A`, or not given.
    pub fn is_ideal(&self) -> bool {
        let entries = self.direction().iter().zip(&self.a);
        entries.into_iter().all(|(w, a)| (*w - *a).is_zero())
    }

    /// The index of its multiplier among the active rows.
    pub fn active_index(&self) -> Option<usize> {
        match self.status {
            RowStatus::Active(index) => Some(index),
            RowStatus::Void | RowStatus::Merged(_) | RowStatus::Dropped => None,
        }
    }

    /// Whether it carries a multiplier.
    pub fn is_active(&self) -> bool {
        self.active_index().is_some()
    }

    /// Left side minus right side as given: `f`, `phi`, or `A q'' + B`.
    pub fn residual(&self, system: &System<'g>) -> Ex<'g> {
        let given = self.position.or(self.phi);
        given.unwrap_or_else(|| self.acceleration_residual(system))
    }

    /// `phi`, or `A q'' + B` on the level of accelerations and where there is no `phi`.
    pub fn residual_on(&self, level: Level, system: &System<'g>) -> Ex<'g> {
        let phi = self.phi.filter(|_| level != Level::Acceleration);
        phi.unwrap_or_else(|| self.acceleration_residual(system))
    }

    fn acceleration_residual(&self, system: &System<'g>) -> Ex<'g> {
        let products: Vec<_> = self.a.iter().zip(&system.a).map(|(a, q)| *a * *q).collect();
        system.graph.sum(&products) + self.b
    }
}

/// The rows one by one, void ones marked, the others active in order.
fn named_rows<'g>(system: &System<'g>) -> Vec<ConstraintRow<'g>> {
    let mut rows = Vec::new();
    for (constraint, entry) in system.model.constraints.iter().enumerate() {
        for (index, row) in entry.rows.iter().enumerate() {
            let name = match entry.rows.len() {
                1 => entry.name.clone(),
                3 if row.reaction.is_none() => format!("{}.{}", entry.name, ["x", "y", "z"][index]),
                _ => format!("{}.{}", entry.name, index + 1),
            };
            rows.push(derived_row(system, row, name, constraint));
        }
    }
    rows
}

fn derived_row<'g>(
    system: &System<'g>,
    row: &Row,
    name: String,
    constraint: usize,
) -> ConstraintRow<'g> {
    let graph = system.graph;
    let given = graph.ex(row.phi);
    let (position, phi) = match row.level {
        Level::Position => (Some(given), Some(system.drift(given))),
        Level::Velocity => (None, Some(given)),
        Level::Acceleration => (None, None),
    };
    let (a, b): (Vec<_>, _) = match phi {
        Some(phi) => (phi.partials(&system.v), system.drift(phi)),
        None => {
            let at_rest: Vec<_> = system.a.iter().map(|a| (*a, graph.zero())).collect();
            (given.partials(&system.a), given.substitute(&at_rest))
        }
    };
    let void = vanishes(given) && a.iter().all(|x| vanishes(*x));
    let pulls = row.reaction.iter().flat_map(|w| &w.on);
    let all = |vector: appell_model::Vector| vector.map(|x| graph.ex(x));
    ConstraintRow {
        name,
        constraint,
        level: row.level,
        position,
        phi,
        a,
        b,
        reaction: row.reaction.as_ref().map(|w| graph.exs(&w.components)),
        reaction_on: pulls
            .map(|pull| (pull.body, all(pull.force), all(pull.torque)))
            .collect(),
        inspected: graph.ex(row.inspected),
        status: if void {
            RowStatus::Void
        } else {
            RowStatus::Active(0)
        },
    }
}

/// Euler's identity, with the degrees that files have.
fn is_cone<'g>(system: &System<'g>, row: &ConstraintRow<'g>) -> bool {
    let products: Vec<_> = row.a.iter().zip(&system.v).map(|(a, v)| *a * *v).collect();
    let power = system.graph.sum(&products);
    row.phi
        .is_some_and(|phi| (1..=4).any(|degree| vanishes(power - degree * phi)))
}

/// Merges each holonomic row with a velocity row that is its derivative, then numbers the rest.
fn merge_rows<'g>(system: &System<'g>, rows: &mut [ConstraintRow<'g>]) {
    for i in 0..rows.len() {
        let holonomic = rows[i].level == Level::Position && rows[i].reaction.is_none();
        if !holonomic || rows[i].status != RowStatus::Active(0) {
            continue;
        }
        let twin = rows.iter().position(|other| {
            let given_on_velocities = other.level == Level::Velocity && other.reaction.is_none();
            given_on_velocities
                && other.status == RowStatus::Active(0)
                && proportional(system, &rows[i], other)
        });
        if let Some(j) = twin {
            rows[i].status = RowStatus::Merged(j);
        }
    }
    let mut next = 0;
    for row in rows {
        if row.status == RowStatus::Active(0) {
            row.status = RowStatus::Active(next);
            next += 1;
        }
    }
}

/// Whether `phi_f = c phi_g` with a factor `c` that depends on parameters only.
fn proportional<'g>(system: &System<'g>, f: &ConstraintRow<'g>, g: &ConstraintRow<'g>) -> bool {
    let (Some(phi_f), Some(phi_g)) = (f.phi, g.phi) else {
        return false;
    };
    let Some(pivot) = (0..g.a.len()).find(|i| !vanishes(g.a[*i])) else {
        return false;
    };
    let ratio = f.a[pivot] / g.a[pivot];
    let mut variables = system.q.iter().chain(&system.v).chain([&system.t]);
    vanishes(phi_f - ratio * phi_g) && variables.all(|x| is_free_of(ratio, *x))
}

/// The chart of `[motion] independent`, where its rows need not be chosen.
fn users_chart(system: &System<'_>, k: usize) -> Option<Chart> {
    let independent = &system.model.motion.independent_coordinates;
    let chart = Chart::new(system.n(), independent, (0..k).collect());
    (!independent.is_empty() && chart.dependent.len() == k).then_some(chart)
}

/// `v = psi(q, z, t)` if the model says so.
fn parametrisation<'g>(system: &System<'g>) -> Option<Parametrisation<'g>> {
    let graph = system.graph;
    let motion = &system.model.motion;
    let psi = graph.exs(motion.psi.as_ref()?);
    let z: Vec<_> = motion
        .variables
        .iter()
        .map(|z| graph.ex(z.symbol))
        .collect();
    let rates = motion.variables.iter().map(|z| graph.ex(z.rate)).collect();
    let partial = Matrix::jacobian(graph, &psi, &z);
    Some(Parametrisation {
        z,
        rates,
        psi: Matrix::column(graph, psi),
        partial,
    })
}

/// A model with `v = psi` but without `phi = 0` has no rows to carry multipliers.
pub(crate) fn parametric_only(
    system: &System<'_>,
    constraints: &Constraints<'_>,
) -> Result<(), Unavailable> {
    match constraints.motion_alone() {
        Some(parametric) if parametric.z.len() < system.n() => Err(Unavailable(
            "the constraint is given by v = psi(q, z, t) only".to_owned(),
        )),
        _ => Ok(()),
    }
}
