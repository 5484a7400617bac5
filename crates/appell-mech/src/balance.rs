//! Talamucci's balance of `E*`, term by term.

use crate::constraints::Constraints;
use crate::dependence::Dependence;
use crate::system::{System, gradient};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch};

/// The right side of the balance of `E* = Sum v_r f*_{v_r} - f*`, for `f = L` and `f = T`
/// [talamucci2020, (30), (34)]:
///
/// ```text
/// dE*/dt = -f*_t + (alphabar - alpha).f*_{q_d} + Bbar.f_{v_d} + F_i.v_i + F_d.alphabar
/// ```
///
/// with all forces `F` that are not in `f`. It holds where the constraints are ideal. With m
/// independent velocities i and n - m dependent ones d, `v_d = alpha(q, v_i, t)`.
pub struct StarBalance<'g> {
    /// `f*_t`, a number.
    pub by_time: Ex<'g>,
    /// `f*_{q_d}`, n - m.
    pub by_place: Matrix<'g>,
    /// `f_{v_d}`, n - m.
    pub momentum: Matrix<'g>,
    /// `alphabar - alpha`, n - m.
    pub gap: Matrix<'g>,
    /// `Bbar_nu = Sum_r B_r^nu v_r`, n - m [talamucci2020, (31)].
    pub bent: Matrix<'g>,
    /// `F_i.v_i + F_d.alphabar`, a number.
    pub power: Ex<'g>,
}

impl<'g> StarBalance<'g> {
    /// Derives the terms of a function `f(q, v, t)`, with forces n x 1; writes what is solved for.
    ///
    /// # Errors
    /// No independent velocities, or no rows that determine the dependent ones.
    pub fn new(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        sketch: &mut Sketch<'g>,
        (f, force): (Ex<'g>, &Matrix<'g>),
    ) -> Result<Self, Unavailable> {
        let alpha = Dependence::new(system, constraints)?;
        let slope = alpha.by(sketch, &alpha.independent);
        let by_q = alpha.by(sketch, &system.q);
        let by_t = alpha.by(sketch, &[system.t]);
        let along = Dependence::along_motion(system);
        let b = alpha.coefficients(system, sketch, &slope, &along);
        let v = system.velocity();
        let v_i = v.select_rows(alpha.independent_indices());
        let alphabar = &slope * &v_i;
        let force_d = force.select_rows(alpha.dependent_indices());
        Ok(Self {
            by_time: alpha.star(f, &[system.t], &by_t)[(0, 0)],
            by_place: alpha
                .star(f, &system.q, &by_q)
                .select_rows(alpha.dependent_indices()),
            momentum: gradient(system.graph, f, &alpha.dependent),
            gap: &alphabar - &v.select_rows(alpha.dependent_indices()),
            bent: &b * &v_i,
            power: force.select_rows(alpha.independent_indices()).dot(&v_i)
                + force_d.dot(&alphabar),
        })
    }

    /// The four terms, in their order.
    pub fn terms(&self) -> [Ex<'g>; 4] {
        [
            -self.by_time,
            self.gap.dot(&self.by_place),
            self.bent.dot(&self.momentum),
            self.power,
        ]
    }
}
