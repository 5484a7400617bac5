//! Kane's equations, extended by Roithmayr and Hodges to constraints nonlinear in the velocities.

use crate::complete::{Motion, complete};
use crate::constraints::{Chart, Constraints};
use crate::distribution::is_affine;
use crate::equations::{Argument, Equations};
use crate::equations::{Formalism, Index, Object};
use crate::formalisms::quasi_velocities::{
    Echelon, Frame, Variables, active, chart, in_front, multipliers,
};
use crate::formalisms::{chetaev_only, identity};
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch, SolveKind};

/// `Sum v~_r.(f + Sum_s lambda_s W_s - m a) = 0` (r = 1..p) with the rows `Sum a.W_s + zeta_s = 0`,
/// and `Sum a~_r.(f - m a) = 0` (r = 1..c), on `(q, u)`.
///
/// Motion variables `u` with `q' = Y u + Z`. *Simple* rows, affine in `v`, are embedded in `Y`, n x p;
/// *complex* rows, nonlinear or given on acceleration level, enter as `alpha u' + gamma = 0`,
/// `alpha = A Y`, `gamma = B + A d`, `d = Y' u + Z'`. The multipliers in evidence:
/// `(Y^T M Y) u' = Y^T (r - M d) + alpha^T lambda`. Those of simple rows are not; they come from
/// `R = M q'' - r`.
///
/// The second set of equations, with no multiplier in evidence, has `c = p - l` independent `u_i'`
/// and `N = [1; -alpha_d^-1 alpha_i]`, `e = [0; -alpha_d^-1 gamma]`:
/// `(N^T Y^T M Y N) u_i' = N^T Y^T (r - M (Y e + d))`, `u' = N u_i' + e`. It gives
/// [`output::ACCEL_MINIMAL`], which is undefined where `alpha_d` is singular though the motion is
/// not. Partial velocities and accelerations are [`output::PARTIAL_VELOCITIES`] and
/// [`output::PARTIAL_ACCELERATIONS`].
///
/// The `u` are the model's motion variables where they are affine in `v` and p of them are
/// independent of the simple rows; the parameters `z` where all rows are simple and `v = psi` is
/// affine in `z`; else velocities.
pub static KANE: Formalism = Formalism {
    id: "kane",
    title: "Kane's equations, extended (Roithmayr and Hodges)",
    statement: "(Y^T M Y) u' = Y^T (r - M (Y' u + Z')) + alpha^T lambda,  alpha u' + gamma = 0;  N^T Y^T (r - M q'') = 0 without lambda",
    latex: r"\begin{aligned}
& (Y^{\mathsf{T}} M Y)\, \dot{u} = Y^{\mathsf{T}} \left(r - M (\dot{Y} u + \dot{Z})\right) + \alpha^{\mathsf{T}} \lambda,\quad \alpha \dot{u} + \gamma = 0,\quad v = Y u + Z \\
& N^{\mathsf{T}} Y^{\mathsf{T}} (r - M \ddot{q}) = 0 \text{ without } \lambda,\quad \alpha N = 0
\end{aligned}",
    sources: &["[kane1985]", "[roithmayr2010, (17)-(23)]"],
    recipe: RECIPE,
    derive,
};

/// Kane's tables for inspection, and what the velocities and accelerations are made of.
const RECIPE: &[Object] = &[
    Object {
        letter: "[Y]",
        latex: "[Y]",
        formula: "",
        meaning: "the velocities by the motion variables, q' = Y u + Z",
        output: output::VIRTUAL,
        indices: &[Index::Coordinate, Index::Fibre],
    },
    Object {
        letter: "[Z]",
        latex: "[Z]",
        formula: "",
        meaning: "the velocities where all the motion variables vanish",
        output: output::REST,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "[v^P]",
        latex: "[v^{P}]",
        formula: "",
        meaning: "the velocity, linear or angular",
        output: output::VELOCITIES,
        indices: &[Index::Body],
    },
    Object {
        letter: "[v_r^P]",
        latex: r"[\tilde{v}_r^{P}]",
        formula: "",
        meaning: "its nonholonomic partial velocities, as columns",
        output: output::PARTIAL_VELOCITIES,
        indices: &[Index::Body, Index::Fibre],
    },
    Object {
        letter: "[alpha_sr]",
        latex: r"[\alpha_{sr}]",
        formula: "A Y",
        meaning: "the rows that are not embedded in the velocities, alpha u' + gamma = 0",
        output: output::COMPLEX_ROWS,
        indices: &[Index::Number, Index::Fibre],
    },
    Object {
        letter: "[gamma_s]",
        latex: r"[\gamma_s]",
        formula: "B + A d",
        meaning: "with d = Y' u + Z'",
        output: output::COMPLEX_REST,
        indices: &[Index::Number],
    },
    Object {
        letter: "[A_rs]",
        latex: "[A_{rs}]",
        formula: "N",
        meaning: "the rates by the independent ones, u' = N u_i' + e; the columns of Y N span the virtual displacements",
        output: output::COMPLEMENT,
        indices: &[Index::Fibre, Index::Number],
    },
    Object {
        letter: "[B_r]",
        latex: "[B_r]",
        formula: "e",
        meaning: "the rates where the independent ones vanish",
        output: output::COMPLEMENT_REST,
        indices: &[Index::Fibre],
    },
    Object {
        letter: "[a^P]",
        latex: "[a^{P}]",
        formula: "",
        meaning: "the acceleration, linear or angular",
        output: output::ACCELERATIONS,
        indices: &[Index::Body],
    },
    Object {
        letter: "[a_r^P]",
        latex: r"[\tilde{a}_r^{P}]",
        formula: "",
        meaning: "its nonholonomic partial accelerations, as columns",
        output: output::PARTIAL_ACCELERATIONS,
        indices: &[Index::Body, Index::Number],
    },
];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    chetaev_only(constraints)?;
    let mut sketch = Sketch::new(system.graph);
    let kinematics = Kinematics::new(system, constraints, &mut sketch)?;
    let (rate, complex) = kinematics.with_multipliers(system, constraints, &mut sketch);
    let Kinematics { frame, drift, .. } = &kinematics;
    let accel = &(&frame.vectors.free * &rate) + drift;
    let reaction = &(&system.mass * &accel) - &system.right;
    // What the complex rows do not account for is the reaction of the simple ones.
    let simple_reaction = &reaction - &(&kinematics.a.transpose() * &complex);
    let simple = &frame.vectors.fixed.transpose() * &simple_reaction;
    let ordered = kinematics.rows.in_order(&simple, &complex);
    let lambda = multipliers(system, constraints, &ordered, &reaction, &mut sketch);
    kinematics.write_minimal_set(system, &mut sketch);
    let arguments = kinematics.write_inspected_motion(system, &mut sketch);
    let frame = kinematics.frame;
    let motion = Motion::on_velocities(&KANE, system, sketch, accel, lambda, reaction);
    let equations = complete(system, constraints, motion.with_own(frame.fibre(rate)));
    Ok(Equations {
        arguments,
        ..equations
    })
}

/// Independent active rows, in Kane's two classes.
struct Rows {
    /// Affine in `v`, embedded in the velocities.
    simple: Vec<usize>,
    /// The others, l of them, imposed on the accelerations.
    complex: Vec<usize>,
}

impl Rows {
    fn new(system: &System<'_>, constraints: &Constraints<'_>, chart: &Chart) -> Self {
        let simple: Vec<bool> = active(constraints)
            .map(|row| row.phi.is_some_and(|phi| is_affine(system, phi)))
            .collect();
        let (simple, complex) = chart.rows.iter().partition(|row| simple[**row]);
        Self { simple, complex }
    }

    /// Multipliers in the order of the rows, from those of each class.
    fn in_order<'g>(&self, simple: &Matrix<'g>, complex: &Matrix<'g>) -> Matrix<'g> {
        let rows: Vec<usize> = self.simple.iter().chain(&self.complex).copied().collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by_key(|i| rows[*i]);
        simple.above(complex).select_rows(&order)
    }
}

/// `q' = Y u + Z`, `q'' = Y u' + d`, `alpha u' + gamma = 0`.
struct Kinematics<'g> {
    rows: Rows,
    frame: Frame<'g>,
    /// `d = Y' u + Z'`, n x 1.
    drift: Matrix<'g>,
    /// `A` of the complex rows, l x n.
    a: Matrix<'g>,
    /// l x p.
    alpha: Matrix<'g>,
    /// l x 1.
    gamma: Matrix<'g>,
    /// Which `u'` are independent, c of p.
    independent: Vec<usize>,
}

impl<'g> Kinematics<'g> {
    fn new(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        sketch: &mut Sketch<'g>,
    ) -> Result<Self, Unavailable> {
        let chart = chart(constraints)?;
        let rows = Rows::new(system, constraints, chart);
        let (frame, independent) = if rows.complex.is_empty() {
            let frame = Frame::embedding(system, constraints, &rows.simple, sketch)?;
            let all = (0..frame.names.len()).collect();
            (frame, all)
        } else {
            let (variables, independent) = choose(system, constraints, chart, &rows)?;
            let frame = Frame::new(system, constraints, variables, &rows.simple, sketch);
            (frame, independent)
        };
        let along_motion = |x| system.drift(x);
        let drift = frame.derivatives(sketch, &[&along_motion])[0].at(&frame.u);
        let a = constraints.a.select_rows(&rows.complex);
        let alpha = &a * &frame.vectors.free;
        let gamma = &constraints.b.select_rows(&rows.complex) + &(&a * &drift);
        Ok(Self {
            rows,
            frame,
            drift,
            a,
            alpha,
            gamma,
            independent,
        })
    }

    /// `u'` and the multipliers of the complex rows: the equations with these in evidence.
    fn with_multipliers(
        &self,
        system: &System<'g>,
        constraints: &Constraints<'g>,
        sketch: &mut Sketch<'g>,
    ) -> (Matrix<'g>, Matrix<'g>) {
        let (graph, l) = (system.graph, self.rows.complex.len());
        let rate = self.frame.rate_symbols(graph);
        let lambda = constraints
            .multiplier_symbols(graph)
            .select_rows(&self.rows.complex);
        let free = &self.frame.vectors.free;
        let transposed = free.transpose();
        let inertia = &(&transposed * &system.mass) * free;
        let forces = &transposed * &(&system.right - &(&system.mass * &self.drift));
        let name = "the equations of motion";
        if l == 0 {
            sketch.solve_for(system.solve_kind(), name, &rate, &inertia, &forces);
            return (rate, lambda);
        }
        // Symmetric: [Y^T M Y, -alpha^T; -alpha, 0] (u'; lambda) = (Y^T (r - M d); gamma).
        let upper = inertia.beside(&-&self.alpha.transpose());
        let lower = (-&self.alpha).beside(&Matrix::zero(graph, l, l));
        sketch.solve_for(
            SolveKind::Symmetric,
            name,
            &rate.above(&lambda),
            &upper.above(&lower),
            &forces.above(&self.gamma),
        );
        (rate, lambda)
    }

    /// Writes the equations with no multipliers in evidence, and the tables of partial velocities
    /// `v~_r` and partial accelerations `a~_r`.
    fn write_minimal_set(&self, system: &System<'g>, sketch: &mut Sketch<'g>) {
        let (n_matrix, e) = self.complement(system, sketch);
        let free = &self.frame.vectors.free;
        let directions = free * &n_matrix;
        let transposed = directions.transpose();
        let drift = &(free * &e) + &self.drift;
        let inertia = &(&transposed * &system.mass) * &directions;
        let forces = &transposed * &(&system.right - &(&system.mass * &drift));
        let name = "Kane's equations without multipliers";
        let rate = sketch.solve(system.solve_kind(), name, &inertia, &forces);
        sketch.output(output::ACCEL_MINIMAL, &(&directions * &rate) + &drift);
        sketch.output(output::RATE_MINIMAL, &(&n_matrix * &rate) + &e);
        sketch.output(output::COMPLEMENT, n_matrix);
        sketch.output(output::VIRTUAL, free.clone());
        sketch.output(output::REST, self.frame.vectors.rest.clone());
        if self.alpha.rows() > 0 {
            sketch.output(output::COMPLEX_ROWS, self.alpha.clone());
            sketch.output(output::COMPLEX_REST, self.gamma.clone());
            sketch.output(output::COMPLEMENT_REST, e);
        }

        let partial = Matrix::jacobian(system.graph, &velocities(system), &system.v);
        sketch.output(output::PARTIAL_VELOCITIES, &partial * free);
        sketch.output(output::PARTIAL_ACCELERATIONS, &partial * &directions);
        sketch.output(output::ACCEL_DIRECTIONS, directions);
    }

    /// Writes the velocities and `omega` of the bodies as functions of `u` and their rates as
    /// functions of `u'`, `d = Y' u + Z'` as it is: what is inspected for the tables.
    fn write_inspected_motion(
        &self,
        system: &System<'g>,
        sketch: &mut Sketch<'g>,
    ) -> Vec<Argument<'g>> {
        let (graph, names) = (system.graph, &self.frame.names);
        let u = Argument::all(graph, names.iter().cloned());
        let rates = Argument::all(graph, names.iter().map(|name| format!("{name}'")));
        let velocities = Matrix::column(graph, velocities(system));
        let partial = Matrix::jacobian(graph, velocities.entries(), &system.v);
        let at_rest: Vec<_> = system.v.iter().map(|v| (*v, graph.zero())).collect();
        let moved = velocities.substitute(&at_rest);
        let velocity = self.frame.vectors.at(&Argument::symbols(graph, &u));
        let free = &self.frame.vectors.free;
        let accel = &(free * &Argument::symbols(graph, &rates)) + &self.drift;
        let carried = velocities.map(|x| system.drift(x));
        sketch.output(output::VELOCITIES, &(&partial * &velocity) + &moved);
        sketch.output(output::ACCELERATIONS, &(&partial * &accel) + &carried);
        u.into_iter().chain(rates).collect()
    }

    /// `N`, p x c, and `e`, p x 1: `u' = N u_i' + e` solves `alpha u' + gamma = 0` for any `u_i'`.
    fn complement(&self, system: &System<'g>, sketch: &mut Sketch<'g>) -> (Matrix<'g>, Matrix<'g>) {
        let (p, graph) = (self.frame.names.len(), system.graph);
        if self.rows.complex.is_empty() {
            return (identity(graph, p), Matrix::zero(graph, p, 1));
        }
        let independent = &self.independent;
        let dependent: Vec<usize> = (0..p).filter(|r| !independent.contains(r)).collect();
        let right = self.alpha.select_columns(independent).beside(&self.gamma);
        let name = "the dependent accelerations";
        let alpha_d = self.alpha.select_columns(&dependent);
        let c = independent.len();
        let solved = Matrix::from_fn(graph, dependent.len(), c + 1, |row, j| {
            let r = dependent[row] + 1;
            graph.symbol(&match j {
                _ if j < c => format!("N[{r},{}]", j + 1),
                _ => format!("e[{r}]"),
            })
        });
        sketch.solve_for(SolveKind::General, name, &solved, &alpha_d, &-&right);
        let both = Matrix::from_fn(graph, p, c + 1, |r, j| {
            match dependent.iter().position(|d| *d == r) {
                Some(row) => solved[(row, j)],
                None => graph.int(i64::from(j < c && independent[j] == r)),
            }
        });
        let first: Vec<usize> = (0..c).collect();
        (both.select_columns(&first), both.select_columns(&[c]))
    }
}

/// The components of all velocities that are inspected, three for each.
fn velocities<'g>(system: &System<'g>) -> Vec<Ex<'g>> {
    let inspected = system.inspected_velocities().into_iter();
    let components = inspected.flat_map(|(_, velocity)| velocity);
    components.map(|x| system.graph.ex(x)).collect()
}

/// The motion variables and which of their rates are independent, where there are complex rows:
/// the model's variables if they serve, else velocities.
fn choose<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    chart: &Chart,
    rows: &Rows,
) -> Result<(Variables<'g>, Vec<usize>), Unavailable> {
    let defined = Variables::defined(system);
    match defined.and_then(|defined| among_defined(system, constraints, &defined, rows)) {
        Some(chosen) => Ok(chosen),
        None => among_velocities(system, constraints, chart, rows),
    }
}

/// Of the model's variables those that complete the simple rows, and of these those that complete
/// all rows, the user's first: at almost every state.
fn among_defined<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    defined: &Variables<'g>,
    rows: &Rows,
) -> Option<(Variables<'g>, Vec<usize>)> {
    let mut echelon = Echelon::new(system);
    echelon.add_all(&constraints.a.select_rows(&rows.simple));
    let chosen = echelon.independent(&defined.rows(system));
    let variables = defined.select(&chosen);
    let p = chosen.len();

    let mut echelon = Echelon::new(system);
    echelon.add_all(&constraints.a.select_rows(&rows.simple));
    echelon.add_all(&constraints.a.select_rows(&rows.complex));
    let wanted = &system.model.motion.independent_variables;
    let place = |i: &usize| chosen.iter().position(|other| other == i);
    let order = in_front(&wanted.iter().filter_map(place).collect::<Vec<_>>(), p);
    let found = echelon.independent(&variables.select(&order).rows(system));
    let independent: Vec<usize> = found.iter().map(|i| order[*i]).collect();
    let complete =
        p + rows.simple.len() == system.n() && independent.len() + rows.complex.len() == p;
    complete.then_some((variables, independent))
}

/// Dependent velocities that the simple rows determine at almost every state.
fn by_algebra(
    system: &System<'_>,
    constraints: &Constraints<'_>,
    chart: &Chart,
    rows: &Rows,
) -> Option<Vec<usize>> {
    let mut echelon = Echelon::new(system);
    let simple = constraints.a.select_rows(&rows.simple);
    let solved = (0..simple.rows()).all(|i| {
        let row = simple.select_rows(&[i]).entries().to_vec();
        echelon.add(row, &chart.dependent)
    });
    solved.then(|| echelon.pivots())
}

/// The velocities of the chart, and of its dependent ones as many as there are complex rows.
///
/// With the simple rows solved for the other dependent ones, `alpha_d` is a Schur complement of `A`
/// on the chart: regular where that is.
fn among_velocities<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    chart: &Chart,
    rows: &Rows,
) -> Result<(Variables<'g>, Vec<usize>), Unavailable> {
    let chosen = chart.linear.clone();
    let chosen = chosen.filter(|chosen| chosen.len() == rows.simple.len());
    let embedded = chosen.or_else(|| by_algebra(system, constraints, chart, rows));
    let Some(embedded) = embedded else {
        let why = "the independent velocities do not determine the others";
        return Err(Unavailable(why.to_owned()));
    };
    let others: Vec<usize> = (0..system.n()).filter(|i| !embedded.contains(i)).collect();
    let place = |i: &usize| others.iter().position(|other| other == i);
    let independent = chart.independent.iter().filter_map(place).collect();
    Ok((Variables::velocities(system, &others), independent))
}
