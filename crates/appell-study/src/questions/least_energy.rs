//! Stability by the energy: the theorem of Lagrange and Dirichlet.

use crate::constraints::classes::cones::degree;
use crate::values::prepared::Prepared;
use crate::values::rows::identity;
use crate::values::stationary::{has_pieces, is_stationary};
use appell_expr::{Ex, vanishes};
use appell_flow::linear::{Kind, Scratch, consistent, inertia, null_space, saddle};
use appell_flow::{Interpreter, Measured};
use appell_mech::ConstraintRow;

/// The verdict of the theorem.
pub const BY_ENERGY: &str = "stable: the energy is constant along motions and has a strict minimum here (Lagrange, Dirichlet)";

/// Models with more coordinates are not asked: of these there are as many second derivatives as pairs.
const MAX_COORDINATES: usize = 64;
/// A second derivative of less than this part of its terms is rounding.
const ROUNDING: f64 = 1e-12;
/// States are found to some digits, those of multiple zeros to a few: second derivatives must be positive at a distance of
/// so much of the coordinates too.
const AROUND: f64 = 1e-3;
/// Rows are independent beyond rounding by this factor.
const COARSE: f64 = 1e4;
/// A force below this part of the largest term of all is none.
const BALANCED: f64 = 1e-6;

/// What tells whether the energy has a strict minimum in a state of rest.
///
/// It is `E = T + U` with `U(q) = E(q, 0)`, and constant along every motion: nothing depends on the time, no forces are
/// beside the potential, and rows that are homogeneous in the velocities do no work. Where `E_vv` is positive on
/// the velocities that the rows allow, and `U` has a strict minimum among the places that the rows `g(q) = 0` allow, what
/// begins near the state stays near it, whatever the eigenvalues leave open. Such a minimum is where `U_q + mu g_q = 0`
/// and `U_qq + mu g_qq` is positive on the kernel of `g_q`.
pub(crate) struct LeastEnergy {
    n: usize,
    /// How many rows `g` there are, and how many rows on velocities.
    positions: usize,
    rows: usize,
    /// `U_q, U_qq, g_q, g_qq, A, E_vv`, one behind the other.
    functions: Interpreter,
}

/// A basis.
type Directions = Vec<Vec<f64>>;

/// The values of these.
struct Values<'a, T> {
    force: &'a [T],
    bend: &'a [T],
    slopes: &'a [T],
    bends: &'a [T],
    rows: &'a [T],
    mass: &'a [T],
}

impl LeastEnergy {
    /// `None` where the energy may change, or where second derivatives do not tell.
    pub fn new<'g>(p: &Prepared<'g>) -> Option<LeastEnergy> {
        let system = &p.system;
        let (n, q, v) = (system.n(), &system.q, &system.v);
        let active = p.constraints.active();
        let active: Vec<&ConstraintRow<'g>> = active.collect();
        let is_workless = |row: &&ConstraintRow<'g>| {
            let is_cone = row.phi.is_some_and(|phi| degree(p, phi).is_some());
            row.reaction.is_none() && is_cone
        };
        let no_forces = system.force.entries().iter().all(|f| vanishes(*f));
        let keeps_energy = is_stationary(p) && no_forces && active.iter().all(is_workless);
        if n > MAX_COORDINATES || !keeps_energy || p.constraints.motion_alone().is_some() {
            return None;
        }
        let at_rest: Vec<_> = v.iter().map(|v| (*v, system.graph.zero())).collect();
        let still = |x: Ex<'g>| x.substitute(&at_rest);
        let places: Vec<Ex<'g>> = active.iter().filter_map(|row| row.position).collect();
        let whole: Vec<Ex<'g>> = places.iter().copied().chain([system.energy]).collect();
        let state: Vec<Ex<'g>> = q.iter().chain(v).copied().collect();
        if has_pieces(&whole, &state) {
            return None;
        }
        let bend = |x: Ex<'g>, w: &[Ex<'g>]| -> Vec<Ex<'g>> {
            let slopes = x.partials(w);
            slopes.iter().flat_map(|x| x.partials(w)).collect()
        };
        let energy = still(system.energy);
        let mut all = energy.partials(q);
        all.extend(bend(energy, q));
        all.extend(places.iter().flat_map(|g| g.partials(q)));
        all.extend(places.iter().flat_map(|g| bend(*g, q)));
        all.extend(active.iter().flat_map(|row| &row.a).map(|a| still(*a)));
        all.extend(bend(system.energy, v).into_iter().map(still));
        Some(LeastEnergy {
            n,
            positions: places.len(),
            rows: active.len(),
            functions: p.functions_of(&all),
        })
    }

    /// Whether the energy is known to have a strict minimum in this place, at rest.
    pub fn is_least_at(&self, t: f64, q: &[f64]) -> bool {
        let sides = (0..self.n).flat_map(|i| [(i, AROUND), (i, -AROUND)]);
        let beside = sides.map(|(i, part)| {
            let mut q = q.to_vec();
            q[i] += part * (1.0 + q[i].abs());
            q
        });
        let Some(free) = self.free(t, q) else {
            return false;
        };
        let Some(multipliers) = self.multipliers(t, q, free[0].len()) else {
            return false;
        };
        let mut places = std::iter::once(q.to_vec()).chain(beside);
        places.all(|q| self.is_positive(t, &q, &multipliers, &free))
    }

    fn values(&self, t: f64, q: &[f64]) -> Option<Vec<f64>> {
        let state = [q, &vec![0.0; self.n]].concat();
        let all = self.functions.results(t, &state).ok()?;
        all.iter().all(|x| x.is_finite()).then_some(all)
    }

    /// The values with the sizes of their terms.
    fn measured(&self, t: f64, q: &[f64]) -> Option<Vec<Measured>> {
        let state = [q, &vec![0.0; self.n]].concat();
        self.functions.measured(t, &state).ok()
    }

    /// Which is which.
    fn parts<'a, T>(&self, mut all: &'a [T]) -> Values<'a, T> {
        let (n, r) = (self.n, self.positions);
        let mut next = |length: usize| {
            let (part, others) = all.split_at(length);
            all = others;
            part
        };
        Values {
            force: next(n),
            bend: next(n * n),
            slopes: next(r * n),
            bends: next(r * n * n),
            rows: next(self.rows * n),
            mass: next(n * n),
        }
    }

    /// The directions that `g_q` and `A` leave free in this place. A row that depends on others where these hold is hardly
    /// independent where the place is known to some digits, and not at all beside it.
    fn free(&self, t: f64, q: &[f64]) -> Option<[Directions; 2]> {
        let all = self.measured(t, q)?;
        let kernel = |rows: usize, slopes: &[Measured]| {
            let values: Vec<f64> = slopes.iter().map(|x| x.value).collect();
            let sizes: Vec<f64> = slopes.iter().map(|x| x.size * COARSE).collect();
            null_space(None, rows, self.n, &values, &sizes)
        };
        let at = self.parts(&all);
        Some([
            kernel(self.positions, at.slopes),
            kernel(self.rows, at.rows),
        ])
    }

    /// `mu` with `U_q + mu g_q = 0`, of least norm, where there is one.
    fn multipliers(&self, t: f64, q: &[f64], tangents: usize) -> Option<Vec<f64>> {
        let (n, r) = (self.n, self.positions);
        let order = n + r;
        // Alone, a force that vanishes has no size but that of its terms.
        let terms = self.measured(t, q)?;
        let sizes = self.parts(&terms).force.iter().map(|f| f.size);
        let largest = sizes.fold(0.0, f64::max);
        let all = self.values(t, q)?;
        let at = self.parts(&all);
        let system = saddle(n, r, &identity(n), at.slopes);
        let right: Vec<f64> = at.force.iter().map(|f| -f).collect();
        let right = [right, vec![0.0; r]].concat();
        let (rank, mut x) = (2 * n - tangents, vec![0.0; order]);
        let rank = (rank < order).then_some(rank);
        let scratch = &mut Scratch::default();
        let solved = consistent(
            Kind::Symmetric,
            order,
            &system,
            &right,
            &mut x,
            rank,
            scratch,
        );
        let is_balanced = x[..n].iter().all(|f| f.abs() <= BALANCED * largest);
        (solved.is_ok() && is_balanced).then(|| x.split_off(n))
    }

    /// Whether `U_qq + mu g_qq` and `E_vv` are positive on the directions that are free.
    fn is_positive(
        &self,
        t: f64,
        q: &[f64],
        multipliers: &[f64],
        [places, velocities]: &[Directions; 2],
    ) -> bool {
        let n = self.n;
        let all = self.measured(t, q);
        let Some(all) = all.filter(|all| all.iter().all(|x| x.value.is_finite())) else {
            return false;
        };
        let at = self.parts(&all);
        let mut bend = at.bend.to_vec();
        for (mu, bends) in multipliers.iter().zip(at.bends.chunks_exact(n * n)) {
            for (all, x) in bend.iter_mut().zip(bends) {
                all.value += mu * x.value;
                all.size += mu.abs() * x.size;
            }
        }
        let [bend, mass] = [&bend, at.mass].map(|form| form.iter().map(beyond_rounding).collect());
        let [bend, mass]: [Vec<f64>; 2] = [bend, mass];
        is_positive_on(places, &bend) && is_positive_on(velocities, &mass)
    }
}

/// A number, 0 where it is the rounding of its terms.
fn beyond_rounding(x: &Measured) -> f64 {
    match x.value.abs() <= ROUNDING * x.size {
        true => 0.0,
        false => x.value,
    }
}

/// Whether a form is positive on the directions of a basis.
fn is_positive_on(basis: &Directions, form: &[f64]) -> bool {
    let image = |y: &[f64]| -> Vec<f64> {
        let rows = form.chunks_exact(y.len());
        rows.map(|row| row.iter().zip(y).map(|(a, y)| a * y).sum())
            .collect()
    };
    let images: Vec<Vec<f64>> = basis.iter().map(|y| image(y)).collect();
    let product = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let pairs = basis
        .iter()
        .flat_map(|x| images.iter().map(|y| product(x, y)));
    let restricted: Vec<f64> = pairs.collect();
    basis.is_empty() || inertia(basis.len(), &restricted).positive == basis.len()
}
