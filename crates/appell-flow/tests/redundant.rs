//! Rows that are redundant on the constraints only, in a field that solves for multipliers.

use crate::common::{Manifold, System, Watched, distance, dot, field, options, unit};
use appell_flow::linear::{Kind, consistent};
use appell_flow::{EvalError, Field, Outcome, Workspace};

/// A free particle of unit mass with `phi = z' - y x' = 0` and, if `twice`, `(2 + x') phi = 0`: the
/// second row is `(2 + x')` times the first where `phi = 0`, and independent of it elsewhere.
struct Particle {
    twice: bool,
}

/// The rows `A` and `B` of `A q'' + B = 0` in the state (x, y, z, x', y', z').
fn rows(y: &[f64]) -> ([f64; 3], f64, [f64; 3], f64) {
    let (phi, factor) = (y[5] - y[1] * y[3], 2.0 + y[3]);
    let (first, drift) = ([-y[1], 0.0, 1.0], -y[4] * y[3]);
    let second = [factor * first[0] + phi, 0.0, factor];
    (first, drift, second, factor * drift)
}

impl Field for Particle {
    fn inputs(&self) -> usize {
        6
    }
    fn outputs(&self) -> usize {
        6
    }
    /// `[1, A^T; A, 0] (q'', -lambda) = (force, -B)` with a force along y.
    fn eval(
        &self,
        workspace: &mut Workspace,
        _: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let (first, b1, second, b2) = rows(y);
        let order = if self.twice { 5 } else { 4 };
        let mut matrix = vec![0.0; order * order];
        let mut right = vec![0.0, -0.3, 0.0, -b1, -b2];
        right.truncate(order);
        for i in 0..3 {
            matrix[i * order + i] = 1.0;
            for (row, a) in [first, second].iter().enumerate().take(order - 3) {
                matrix[i * order + 3 + row] = a[i];
                matrix[(3 + row) * order + i] = a[i];
            }
        }
        let mut x = vec![0.0; order];
        let kind = Kind::Symmetric;
        consistent(
            kind,
            order,
            &matrix,
            &right,
            &mut x,
            None,
            &mut workspace.linear,
        )
        .map_err(|reason| EvalError::Inconsistent {
            what: reason.to_string(),
        })?;
        out[..3].copy_from_slice(&y[3..6]);
        out[3..].copy_from_slice(&x[..3]);
        Ok(())
    }
}

fn particle(twice: bool) -> System {
    let count = if twice { 2 } else { 1 };
    let jacobian = move || {
        field(6, 3 * count, move |_, y, out| {
            let (first, _, second, _) = rows(y);
            let both = [first, second].concat();
            out.copy_from_slice(&both[..3 * count]);
        })
    };
    let each = move |value: fn(&[f64]) -> f64| {
        field(6, count, move |_, y, out| {
            let both = [value(y), (2.0 + y[3]) * value(y)];
            out.copy_from_slice(&both[..count]);
        })
    };
    System {
        names: ["x", "y", "z", "x'", "y'", "z'"].map(String::from).to_vec(),
        field: Box::new(Particle { twice }),
        energy: None,
        stages: vec![Manifold {
            moved: 3..6,
            fields: [
                each(|y| y[5] - y[1] * y[3]),
                each(|y| y[5].abs() + (y[1] * y[3]).abs()),
                jacobian(),
                unit(3),
            ],
        }],
        monitored: Some(Watched {
            jacobian: jacobian(),
            metric: unit(3),
            rows: count,
            rank: None,
        }),
    }
}

#[test]
fn a_row_that_is_redundant_on_the_constraints_changes_nothing() {
    let start = [0.0, 0.5, 0.0, 1.0, 1.0, 0.5];
    let end = |twice, tolerance| {
        let run = particle(twice).run(&start, &options(8.0, tolerance));
        assert!(
            matches!(run.outcome, Outcome::Finished { .. }),
            "{}",
            run.outcome
        );
        assert!(run.max_residual < 1e-15, "{:e}", run.max_residual);
        run.samples[run.samples.len() - 1].y.clone()
    };
    for tolerance in [1e-4, 1e-8, 1e-12] {
        let (once, twice) = (end(false, tolerance), end(true, tolerance));
        assert!(
            distance(&once, &twice) < 10.0 * tolerance,
            "{once:?} {twice:?}"
        );
    }
    // y is free; on y = Y the row keeps x' sqrt(1 + Y^2): (1 + y^2) x'' + y y' x' = 0.
    let last = end(true, 1e-12);
    let y = 0.5 + 8.0 - 0.15 * 64.0;
    assert!((last[1] - y).abs() < 1e-11);
    let invariant = (1.0f64 + 0.25).sqrt();
    assert!((last[3] * (1.0 + y * y).sqrt() - invariant).abs() < 1e-11);
    assert!((dot(&last[3..6], &last[3..6]) - (1.25 + (1.0 - 0.3 * 8.0f64).powi(2))).abs() < 1e-10);
}
