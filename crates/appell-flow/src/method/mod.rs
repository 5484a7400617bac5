//! Integration methods as tables of constants with their sources.

mod dop853;

pub use dop853::DOP853;

/// Every method, the default first.
pub static METHODS: &[&Method] = &[&DOP853];

/// The method of this identifier.
pub fn find(id: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.id == id).copied()
}

/// An explicit Runge-Kutta method with error estimate and dense output, for `y' = f(t, y)`.
///
/// A step of length `h` from `(t, y)` takes slopes `k_i = f(t + c_i h, y + h Sum_j a_ij k_j)` for
/// `s` stages and ends at `y + h Sum_i b_i k_i`. The slope there is number `s` (the first slope of the
/// next step); the dense stages follow it.
#[derive(Debug)]
pub struct Method {
    /// The name on the command line.
    pub id: &'static str,
    /// The name in words.
    pub title: &'static str,
    /// The key of the source in `refs.bib`.
    pub source: &'static str,
    /// The order of the step.
    pub order: u32,
    /// The order of the dense output.
    pub dense_order: u32,
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

impl Method {
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

#[cfg(test)]
mod tests {
    //! Butcher's theory: a method has order p iff `Phi(tree) = 1 / gamma(tree)` for every rooted tree
    //! of at most p vertices; the dense output iff `Phi(tree)(theta) = theta^|tree| / gamma(tree)`.

    use super::*;
    use crate::step::{dense_at, dense_coefficients};

    /// A rooted tree: its subtrees, as indices of trees made before.
    struct Tree {
        order: u32,
        subtrees: Vec<usize>,
        gamma: f64,
    }

    /// All rooted trees of at most `order` vertices: multisets of subtrees, in non-increasing index.
    fn trees(order: u32) -> Vec<Tree> {
        let mut all = vec![Tree {
            order: 1,
            subtrees: vec![],
            gamma: 1.0,
        }];
        for order in 2..=order {
            let mut made = Vec::new();
            forests(&all, order - 1, all.len(), &mut vec![], &mut made);
            for subtrees in made {
                let product: f64 = subtrees.iter().map(|&k| all[k].gamma).product();
                all.push(Tree {
                    order,
                    subtrees,
                    gamma: f64::from(order) * product,
                });
            }
        }
        all
    }

    fn forests(
        all: &[Tree],
        size: u32,
        below: usize,
        chosen: &mut Vec<usize>,
        made: &mut Vec<Vec<usize>>,
    ) {
        if size == 0 {
            made.push(chosen.clone());
        }
        for k in 0..below {
            if all[k].order <= size {
                chosen.push(k);
                forests(all, size - all[k].order, k + 1, chosen, made);
                chosen.pop();
            }
        }
    }

    /// For each tree, per slope: the product over subtrees of `Sum_j a_ij Phi_j`.
    fn elementary(method: &Method, trees: &[Tree]) -> Vec<Vec<f64>> {
        let rows: Vec<&[f64]> = method
            .stages
            .iter()
            .chain([&method.weights])
            .chain(method.dense.stages)
            .copied()
            .collect();
        let mut all: Vec<Vec<f64>> = Vec::new();
        for tree in trees {
            let branch = |row: &[f64], k: usize| dot(row, &all[k]);
            let slope = |row: &&[f64]| tree.subtrees.iter().map(|&k| branch(row, k)).product();
            all.push(rows.iter().map(slope).collect());
        }
        all
    }

    fn dot(weights: &[f64], phi: &[f64]) -> f64 {
        weights.iter().zip(phi).map(|(w, p)| w * p).sum()
    }

    #[test]
    fn there_are_as_many_trees_as_cayley_counted() {
        let trees = trees(8);
        let count = |order| trees.iter().filter(|tree| tree.order == order).count();
        let counts: Vec<usize> = (1..=8).map(count).collect();
        assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115]);
    }

    #[test]
    fn nodes_are_row_sums() {
        for method in METHODS {
            let rows = method.stages.iter().chain(method.dense.stages);
            for (row, node) in rows.zip(method.nodes.iter().chain(method.dense.nodes)) {
                let sum: f64 = row.iter().sum();
                assert!((sum - node).abs() < 1e-14, "{}: {sum} {node}", method.id);
            }
        }
    }

    #[test]
    fn every_order_condition_of_the_step_holds() {
        for method in METHODS {
            let trees = trees(method.order);
            for (tree, phi) in trees.iter().zip(elementary(method, &trees)) {
                let defect = dot(method.weights, &phi) - 1.0 / tree.gamma;
                assert!(
                    defect.abs() < 5e-15,
                    "{} {:?} {defect}",
                    method.id,
                    tree.subtrees
                );
            }
        }
    }

    #[test]
    fn the_method_has_no_higher_order() {
        for method in METHODS {
            let trees = trees(method.order + 1);
            let worst = trees
                .iter()
                .zip(elementary(method, &trees))
                .map(|(tree, phi)| (dot(method.weights, &phi) - 1.0 / tree.gamma).abs())
                .fold(0.0, f64::max);
            assert!(worst > 1e-9, "{}", method.id);
        }
    }

    /// The estimates of DOP853 vanish up to order 5 and 3 and no further.
    #[test]
    fn the_error_estimates_have_their_orders() {
        let trees = trees(6);
        let phi = elementary(&DOP853, &trees);
        let worst = |weights: &[f64], order| {
            let of_order = trees
                .iter()
                .zip(&phi)
                .filter(|(tree, _)| tree.order == order);
            of_order
                .map(|(_, phi)| dot(weights, phi).abs())
                .fold(0.0, f64::max)
        };
        for (weights, last) in [(DOP853.error.fine, 5), (DOP853.error.coarse, 3)] {
            (1..=last).for_each(|order| assert!(worst(weights, order) < 1e-14));
            assert!(worst(weights, last + 1) > 1e-6);
        }
    }

    #[test]
    fn every_order_condition_of_the_dense_output_holds() {
        for method in METHODS {
            let trees = trees(method.dense_order);
            let phi = elementary(method, &trees);
            let count = method.slope_count();
            // Unit slopes give the weights as functions of theta.
            let mut slopes = vec![0.0; count * count];
            (0..count).for_each(|i| slopes[i * count + i] = 1.0);
            let mut y1 = vec![0.0; count];
            y1[..method.weights.len()].copy_from_slice(method.weights);
            let mut coefficients = Vec::new();
            dense_coefficients(
                method,
                1.0,
                &vec![0.0; count],
                &y1,
                &slopes,
                &mut coefficients,
            );
            for theta in [0.1, 0.37, 0.5, 0.93, 1.0] {
                let mut weights = vec![0.0; count];
                dense_at(&vec![0.0; count], &coefficients, theta, &mut weights);
                for (tree, phi) in trees.iter().zip(&phi) {
                    let exact = f64::powi(theta, tree.order as i32) / tree.gamma;
                    let defect = dot(&weights, phi) - exact;
                    assert!(defect.abs() < 5e-14, "{} {theta} {defect}", method.id);
                }
            }
        }
    }
}
