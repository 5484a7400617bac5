//! How frames lie and turn.

use crate::algebra;
use crate::model::Vector;
use appell_expr::{Graph, vanishes};

/// How a frame lies in N and turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attitude {
    /// Its axes, in components in N.
    pub(crate) axes: [Vector; 3],
    /// `omega`, in components in N.
    pub(crate) omega: Vector,
    /// `omega`, in components in the frame itself.
    pub(crate) spin: Vector,
}

/// How a frame turns about an axis that is fixed in its parent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joint {
    /// None for N.
    pub(crate) parent: Option<usize>,
    /// The unit vector of the axis; its components are the same in both.
    pub(crate) axis: Vector,
    /// The axes of the frame, in components in the parent.
    pub(crate) local: [Vector; 3],
    /// The angular velocity relative to the parent; its components are the same in both.
    pub(crate) relative: Vector,
}

impl Joint {
    /// Whether a symmetric matrix given in the frame has the same entries in the parent: `R I = I R`.
    pub(crate) fn keeps(&self, graph: &Graph, matrix: [Vector; 3]) -> bool {
        let row = |m: [Vector; 3], i: usize| m[i];
        let transposed = |m: [Vector; 3], i: usize| [m[0][i], m[1][i], m[2][i]];
        (0..9).all(|k| {
            let (i, j) = (k / 3, k % 3);
            let first = algebra::dot(graph, transposed(self.local, i), transposed(matrix, j));
            let second = algebra::dot(graph, row(matrix, i), row(self.local, j));
            vanishes(first - second)
        })
    }

    /// A vector given in the frame, in components in the parent.
    pub(crate) fn lower(&self, graph: &Graph, components: Vector) -> Vector {
        std::array::from_fn(|i| {
            let row = [self.local[0][i], self.local[1][i], self.local[2][i]];
            algebra::dot(graph, row, components).id()
        })
    }
}

impl Attitude {
    /// That of N.
    pub(crate) fn inertial(graph: &Graph) -> Self {
        Self {
            axes: [0, 1, 2].map(|i| algebra::axis(graph, i)),
            omega: algebra::null(graph),
            spin: algebra::null(graph),
        }
    }

    /// `a X + b Y + c Z` with the axes X, Y, Z.
    pub(crate) fn combine(&self, graph: &Graph, components: Vector) -> Vector {
        std::array::from_fn(|i| {
            let terms = [0, 1, 2].map(|j| graph.ex(components[j]) * graph.ex(self.axes[j][i]));
            graph.sum(&terms).id()
        })
    }

    /// The frame that is turned against this one by `local`, whose columns are its axes in this
    /// one, and that turns relatively to this one with `relative`, in its own components.
    pub(crate) fn turned(&self, graph: &Graph, local: [Vector; 3], relative: Vector) -> Self {
        let axes = local.map(|column| self.combine(graph, column));
        let attitude = Self { axes, ..*self };
        let carried = local.map(|column| algebra::dot(graph, column, self.spin).id());
        Self {
            axes,
            omega: algebra::add(graph, self.omega, attitude.combine(graph, relative)),
            spin: algebra::add(graph, carried, relative),
        }
    }
}
