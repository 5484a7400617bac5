//! Explicit Runge-Kutta methods: tables of constants, and the steps they make.

use super::Problem;
use crate::backend::Compiled;
use crate::backend::vectorised::vectorised;
use crate::backend::{ExplicitStep, Stages};
use crate::control::StepControl;
use crate::evaluation::{EvalError, Workspace};
use crate::field::{Field, evaluate};
use crate::motion::Motion;
use crate::step::{ErrorSums, Span, Stepper, combine, error_squares, first_step, hermite};
use crate::tableau::Tableau;
use crate::unsupported::Unsupported;
use std::any::Any;

/// The steps of a tableau.
pub(super) fn stepper<'a>(
    tableau: &'static Tableau,
    problem: &Problem<'a>,
) -> Result<Box<dyn Stepper + 'a>, Unsupported> {
    Ok(Box::new(RungeKutta::new(tableau, problem.motion)))
}

/// The slopes and the dense output of the step in hand.
struct RungeKutta<'a> {
    tableau: &'static Tableau,
    field: &'a dyn Field,
    workspace: Workspace,
    size: usize,
    /// `slope_count` rows of `size`; the first is the slope at the start of the step.
    slopes: Vec<f64>,
    argument: Vec<f64>,
    /// The sums of slopes that estimate the error, see [`ErrorSums`].
    errors: Vec<f64>,
    /// Whether nothing moves the end of a step: the slope there is evaluated with the stages.
    ends_stay: bool,
    /// Whether the slope at the end of the step in hand is known.
    arrived: bool,
    /// The coefficients `F0, F1, ...` of the dense output, rows of `size`.
    coefficients: Vec<f64>,
    /// Zeros.
    zeros: Vec<f64>,
    control: StepControl,
    evaluations: usize,
}

impl<'a> RungeKutta<'a> {
    fn new(tableau: &'static Tableau, motion: &'a Motion<'a>) -> RungeKutta<'a> {
        let field = motion.field;
        let size = field.outputs();
        let mut workspace = Workspace::default();
        workspace.linear.hold_ranks();
        workspace.linear.set_row_rank(motion.rank());
        RungeKutta {
            tableau,
            field,
            workspace,
            size,
            slopes: vec![0.0; size * tableau.slope_count()],
            argument: vec![0.0; size],
            errors: vec![0.0; 2 * size],
            ends_stay: motion.stages.is_empty(),
            arrived: false,
            coefficients: Vec::new(),
            zeros: vec![0.0; size],
            control: StepControl::new(tableau.order),
            evaluations: 0,
        }
    }

    /// Takes a step by machine code; whether there is some and nothing out of the ordinary was met.
    fn at_once(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> bool {
        let field = self
            .field
            .as_any()
            .and_then(<dyn Any>::downcast_ref::<Compiled>);
        let Some(field) = field else {
            return false;
        };
        let done = field.stages(Stages {
            tableau: self.tableau,
            step: ExplicitStep {
                t,
                h,
                y,
                slopes: &mut self.slopes,
                end,
                errors: &mut self.errors,
                arrives: self.ends_stay,
            },
            argument: &mut self.argument,
            scratch: &mut self.workspace.linear,
        });
        if done {
            self.arrived = self.ends_stay;
            self.evaluations += self.tableau.stage_count() - 1;
        }
        done
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.slopes[i * self.size..(i + 1) * self.size]
    }

    fn stage(&mut self, i: usize, row: &[f64], t: f64, y: &[f64], h: f64) -> Result<(), EvalError> {
        let mut argument = std::mem::take(&mut self.argument);
        combine(y, h, row, &self.slopes, &mut argument);
        let answer = self.slope(i, t, &argument);
        self.argument = argument;
        Ok(answer?)
    }

    fn slope(&mut self, i: usize, t: f64, y: &[f64]) -> Result<(), Box<EvalError>> {
        self.evaluations += 1;
        self.workspace.linear.rewind();
        let out = &mut self.slopes[i * self.size..(i + 1) * self.size];
        evaluate(self.field, &mut self.workspace, t, y, out)
    }
}

impl Stepper for RungeKutta<'_> {
    fn start(&mut self, t: f64, y: &[f64]) -> Result<(), EvalError> {
        Ok(self.slope(0, t, y)?)
    }

    fn first_step(&mut self, t: f64, y: &[f64], limit: f64, scale: &[f64]) -> f64 {
        let slope = self.row(0).to_vec();
        self.evaluations += 1;
        self.workspace.linear.rewind();
        let (field, workspace, argument) = (self.field, &mut self.workspace, &mut self.argument);
        first_step(self.tableau.order, y, &slope, limit, scale, |h, out| {
            combine(y, h, &[1.0], &slope, argument);
            evaluate(field, workspace, t + h, argument, out).is_ok()
        })
    }

    fn trial(&mut self, t: f64, y: &[f64], h: f64, end: &mut [f64]) -> Result<(), EvalError> {
        self.arrived = false;
        if self.at_once(t, y, h, end) {
            return Ok(());
        }
        let tableau = self.tableau;
        for (i, (row, node)) in tableau.stages.iter().zip(tableau.nodes).enumerate().skip(1) {
            self.stage(i, row, t + node * h, y, h)?;
        }
        combine(y, h, tableau.weights, &self.slopes, end);
        vectorised(ErrorSums {
            weights: &tableau.error,
            slopes: &self.slopes,
            out: &mut self.errors,
        });
        Ok(())
    }

    fn error(&mut self, h: f64, scale: &[f64]) -> f64 {
        let [fine, coarse] = error_squares(&self.errors, scale);
        let both = fine + 0.01 * coarse;
        match both == 0.0 {
            true => 0.0,
            false => h.abs() * fine / both.sqrt(),
        }
    }

    fn complete(&mut self, span: &Span) -> Result<(), EvalError> {
        if self.arrived {
            // Counted where it is needed, as it is where stages are taken one by one.
            self.evaluations += 1;
            return Ok(());
        }
        Ok(self.slope(self.tableau.stage_count(), span.t + span.h, span.end)?)
    }

    fn extend(&mut self, span: &Span) -> Result<(), EvalError> {
        let tableau = self.tableau;
        let last = tableau.stage_count();
        let dense = tableau.dense.stages.iter().zip(tableau.dense.nodes);
        for (i, (row, node)) in dense.enumerate() {
            self.stage(last + 1 + i, row, span.t + node * span.h, span.y, span.h)?;
        }
        dense_coefficients(
            tableau,
            span,
            &self.zeros,
            &self.slopes,
            &mut self.coefficients,
        );
        Ok(())
    }

    fn dense(&self, span: &Span, theta: f64, out: &mut [f64]) {
        dense_at(span.y, &self.coefficients, theta, out);
    }

    fn sketch(&self, span: &Span, theta: f64, out: &mut [f64]) {
        let last = self.row(self.tableau.stage_count());
        hermite(span, self.row(0), last, theta, out);
    }

    fn advance(&mut self) {
        let last = self.tableau.stage_count() * self.size;
        self.slopes.copy_within(last..last + self.size, 0);
    }

    fn accepted(&mut self, h: f64, error: f64, _: &[f64]) -> f64 {
        h * self.control.accepted(error)
    }

    fn rejected(&mut self, h: f64, error: Option<f64>) -> f64 {
        h * self.control.rejected(error)
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }
}

/// Writes `F0, F1, ...` of [`Dense`] in rows of the length of `y`.
fn dense_coefficients(
    tableau: &Tableau,
    span: &Span,
    zeros: &[f64],
    slopes: &[f64],
    out: &mut Vec<f64>,
) {
    let (n, h) = (span.y.len(), span.h);
    let (first, last) = (&slopes[..n], &slopes[tableau.stage_count() * n..]);
    out.clear();
    out.resize(n * tableau.dense_count(), 0.0);
    for c in 0..n {
        let rise = span.end[c] - span.y[c];
        let start = h * first[c] - rise;
        out[c] = rise;
        out[n + c] = start;
        out[2 * n + c] = rise - h * last[c] - start;
    }
    for (i, weights) in tableau.dense.weights.iter().enumerate() {
        let row = &mut out[(3 + i) * n..(4 + i) * n];
        combine(zeros, h, weights, slopes, row);
    }
}

/// Evaluates the dense output in `theta`.
fn dense_at(y0: &[f64], coefficients: &[f64], theta: f64, out: &mut [f64]) {
    out.fill(0.0);
    let rows = coefficients.chunks_exact(y0.len().max(1)).enumerate();
    for (i, row) in rows.rev() {
        let factor = if i % 2 == 0 { theta } else { 1.0 - theta };
        out.iter_mut()
            .zip(row)
            .for_each(|(out, f)| *out = factor * (f + *out));
    }
    out.iter_mut().zip(y0).for_each(|(out, y)| *out += y);
}

#[cfg(test)]
mod tests {
    //! Butcher's theory: a method has order p iff `Phi(tree) = 1 / gamma(tree)` for every rooted tree
    //! of at most p vertices; the dense output iff `Phi(tree)(theta) = theta^|tree| / gamma(tree)`.

    use super::*;
    use crate::method::{DOP853, METHODS, Method};

    /// The Runge-Kutta rows of the table.
    fn tableaux() -> impl Iterator<Item = (&'static Method, &'static Tableau)> {
        let rows = METHODS.iter();
        rows.filter_map(|method| method.tableau.map(|tableau| (*method, tableau)))
    }

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
    fn elementary(tableau: &Tableau, trees: &[Tree]) -> Vec<Vec<f64>> {
        let rows: Vec<&[f64]> = tableau
            .stages
            .iter()
            .chain([&tableau.weights])
            .chain(tableau.dense.stages)
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
        for (method, tableau) in tableaux() {
            let rows = tableau.stages.iter().chain(tableau.dense.stages);
            for (row, node) in rows.zip(tableau.nodes.iter().chain(tableau.dense.nodes)) {
                let sum: f64 = row.iter().sum();
                assert!((sum - node).abs() < 1e-14, "{}: {sum} {node}", method.id);
            }
        }
    }

    #[test]
    fn every_order_condition_of_the_step_holds() {
        for (method, tableau) in tableaux() {
            let trees = trees(tableau.order);
            for (tree, phi) in trees.iter().zip(elementary(tableau, &trees)) {
                let defect = dot(tableau.weights, &phi) - 1.0 / tree.gamma;
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
        for (method, tableau) in tableaux() {
            assert_eq!(method.order, Some(tableau.order));
            let trees = trees(tableau.order + 1);
            let worst = trees
                .iter()
                .zip(elementary(tableau, &trees))
                .map(|(tree, phi)| (dot(tableau.weights, &phi) - 1.0 / tree.gamma).abs())
                .fold(0.0, f64::max);
            assert!(worst > 1e-9, "{}", method.id);
        }
    }

    /// The estimates of DOP853 vanish up to order 5 and 3 and no further.
    #[test]
    fn the_error_estimates_have_their_orders() {
        let tableau = DOP853.tableau.expect("a Runge-Kutta method");
        let trees = trees(6);
        let phi = elementary(tableau, &trees);
        let worst = |weights: &[f64], order| {
            let of_order = trees
                .iter()
                .zip(&phi)
                .filter(|(tree, _)| tree.order == order);
            of_order
                .map(|(_, phi)| dot(weights, phi).abs())
                .fold(0.0, f64::max)
        };
        for (weights, last) in [(tableau.error.fine, 5), (tableau.error.coarse, 3)] {
            (1..=last).for_each(|order| assert!(worst(weights, order) < 1e-14));
            assert!(worst(weights, last + 1) > 1e-6);
        }
    }

    #[test]
    fn every_order_condition_of_the_dense_output_holds() {
        for (method, tableau) in tableaux() {
            let trees = trees(method.dense_order.expect("it is fixed"));
            let phi = elementary(tableau, &trees);
            let count = tableau.slope_count();
            // Unit slopes give the weights as functions of theta.
            let mut slopes = vec![0.0; count * count];
            (0..count).for_each(|i| slopes[i * count + i] = 1.0);
            let (zeros, mut end) = (vec![0.0; count], vec![0.0; count]);
            end[..tableau.weights.len()].copy_from_slice(tableau.weights);
            let mut coefficients = Vec::new();
            let span = Span::new(0.0, 1.0, &zeros, &end);
            dense_coefficients(tableau, &span, &zeros, &slopes, &mut coefficients);
            for theta in [0.1, 0.37, 0.5, 0.93, 1.0] {
                let mut weights = vec![0.0; count];
                dense_at(&zeros, &coefficients, theta, &mut weights);
                for (tree, phi) in trees.iter().zip(&phi) {
                    let exact = f64::powi(theta, tree.order as i32) / tree.gamma;
                    let defect = dot(&weights, phi) - exact;
                    assert!(defect.abs() < 5e-14, "{} {theta} {defect}", method.id);
                }
            }
        }
    }
}
