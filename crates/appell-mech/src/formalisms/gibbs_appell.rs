//! Benenti's first kind: the Gibbs-Appell equations in parameters of the velocities.

use crate::complete::{Fibre, Motion, complete};
use crate::constraints::{Constraints, Parametrisation};
use crate::dependence::no_chart;
use crate::equations::{Argument, Carrier, Equations};
use crate::equations::{Formalism, Index, Object};
use crate::formalisms::quasi_velocities::Echelon;
use crate::formalisms::{chetaev_only, identity};
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch, SolveKind};

/// `q' = psi`, `(Psi^T M Psi) z' = Psi^T (r - M (psi_q psi + psi_t))`, on `(q, z)`.
///
/// Without `psi` in the model the parameters are the independent velocities, on `(q, v)`: then
/// `Psi` and the drift `d = psi_q psi + psi_t` are the solution of one linear system, `C` taking
/// the independent velocities out of `v`,
///
/// ```text
/// [A; C] [Psi, d] = [0, -B; I, 0] .
/// ```
///
/// The paper's (6.1)-(7.5) lack `M psi_q psi`; here it is. Afterwards `R = M q'' - r` with
/// `q'' = Psi z' + psi_q psi + psi_t`, and `lambda` is the least in norm with `A^T lambda = R`.
/// The same equations are `dS/dz' = Psi^T A`, [`output::APPELL`] and [`output::FIBRE_FORCE`], with
/// `A` the active forces [benenti2007, (5.2)-(5.4)].
pub static GIBBS_APPELL: Formalism = Formalism {
    id: "gibbs-appell",
    title: "Gibbs-Appell equations in parameters (Benenti's first kind)",
    statement: "q' = psi,  (Psi^T M Psi) z' = Psi^T (r - M (psi_q psi + psi_t))",
    latex: r"\dot{q} = \psi(q, z, t),\quad \Psi = \frac{\partial \psi}{\partial z},\quad (\Psi^{\mathsf{T}} M \Psi)\, \dot{z} = \Psi^{\mathsf{T}} \left(r - M \left(\frac{\partial \psi}{\partial q} \psi + \frac{\partial \psi}{\partial t}\right)\right)",
    sources: &[
        "[benenti2007, (7.1), corrected]",
        "[appell1900]",
        "[gibbs1879]",
    ],
    recipe: RECIPE,
    derive,
};

/// Remark 7.2 of the paper, corrected: its `Z` lacks the drift.
const RECIPE: &[Object] = &[
    Object {
        letter: "[g_ij]",
        latex: "[g_{ij}]",
        formula: "M",
        meaning: "the metric of the kinetic energy",
        output: output::METRIC,
        indices: &[Index::Coordinate, Index::Coordinate],
    },
    Object {
        letter: "[psi^i_alpha]",
        latex: r"[\psi^i_\alpha]",
        formula: "Psi = psi_z",
        meaning: "the derivatives of the parametrisation; the columns span the virtual displacements",
        output: output::PSI,
        indices: &[Index::Coordinate, Index::Fibre],
    },
    Object {
        letter: "rank [psi^i_alpha]",
        latex: r"\operatorname{rank} [\psi^i_\alpha]",
        formula: "",
        meaning: "at almost every state; it must be the number of the parameters",
        output: output::RANK,
        indices: &[],
    },
    Object {
        letter: "[G_alpha beta]",
        latex: r"[G_{\alpha\beta}]",
        formula: "Psi^T M Psi",
        meaning: "the metric induced on the parameters",
        output: output::GRAM,
        indices: &[Index::Fibre, Index::Fibre],
    },
    Object {
        letter: "[L_i]",
        latex: "[L_i]",
        formula: "r",
        meaning: "the right side of the free motion, at the parametrised velocities",
        output: output::FREE,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "[d^i]",
        latex: "[d^i]",
        formula: "d = psi_q psi + psi_t",
        meaning: "the drift; the recipe in the paper has lost it",
        output: output::DRIFT,
        indices: &[Index::Coordinate],
    },
    Object {
        letter: "[Z_alpha]",
        latex: r"[Z_\alpha]",
        formula: "Psi^T (L - M d)",
        meaning: "the right side of G z' = Z, which gives the rates of the parameters",
        output: output::Z,
        indices: &[Index::Fibre],
    },
    Object {
        letter: "S",
        latex: "S",
        formula: "1/2 q''.M q'' - q''.(r - A)",
        meaning: "the energy of the accelerations as a function of z', with A the active forces",
        output: output::APPELL,
        indices: &[],
    },
    Object {
        letter: "[A_alpha]",
        latex: r"[A_\alpha]",
        formula: "Psi^T A",
        meaning: "to which the derivatives of S by z' are equal: the same equations in the form of Appell",
        output: output::FIBRE_FORCE,
        indices: &[Index::Fibre],
    },
];

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    chetaev_only(constraints)?;
    let (motion, arguments) = match &constraints.parametric {
        Some(_) if system.model.motion.psi.is_some() && constraints.has_dropped_rows() => {
            return Err(Unavailable(
                "psi no longer describes the motion: a constraint is dropped".to_owned(),
            ));
        }
        Some(parametric) => in_parameters(system, constraints, parametric),
        None => {
            let chart = constraints.chart.as_ref().ok_or_else(no_chart)?;
            let c = identity(system.graph, system.n()).select_rows(&chart.independent);
            let independent = chart.independent.iter().map(|i| system.v[*i]);
            let names = independent.filter_map(|v| v.symbol_name()).collect();
            in_chart(system, constraints, &chart.rows, &c, names)
        }
    };
    Ok(Equations {
        arguments,
        ..complete(system, constraints, motion)
    })
}

/// On `(q, z)` with the model's `psi`.
fn in_parameters<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    parametric: &Parametrisation<'g>,
) -> (Motion<'g>, Vec<Argument<'g>>) {
    let Parametrisation {
        z,
        rates,
        psi,
        partial,
    } = parametric;
    let mut sketch = Sketch::new(system.graph);
    for (v, psi) in system.v.iter().zip(psi.entries()) {
        sketch.bind(*v, *psi);
    }
    let drift = psi.map(|x| system.drift(x));
    let rate = Matrix::column(system.graph, rates.clone());
    let accel = solve(system, &mut sketch, partial, &drift, &rate);
    let on_constraint: Vec<_> = system
        .v
        .iter()
        .copied()
        .zip(psi.entries().to_vec())
        .collect();
    let mut echelon = Echelon::new(system);
    let rank = echelon.independent(&partial.transpose()).len();
    write_recipe(system, &mut sketch, partial, &drift, rank, &on_constraint);
    let names = rates.iter().filter_map(|rate| rate.symbol_name());
    let arguments = Argument::all(system.graph, names);
    write_function(
        system,
        &mut sketch,
        partial,
        &drift,
        &arguments,
        &on_constraint,
    );
    let reaction = &(&system.mass * &accel) - &system.right;
    let lambda = least_multipliers(system, constraints, &mut sketch, &reaction);
    let motion = Motion {
        formalism: &GIBBS_APPELL,
        sketch,
        carrier: Carrier::Parameters,
        inputs: z.clone(),
        input_rates: rate,
        fibre: None,
        accel,
        lambda,
        reaction,
    };
    (motion, arguments)
}

/// On `(q, v)` with `w = C v`.
fn in_chart<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    rows: &[usize],
    c: &Matrix<'g>,
    names: Vec<String>,
) -> (Motion<'g>, Vec<Argument<'g>>) {
    let (graph, m) = (system.graph, c.rows());
    let mut sketch = Sketch::new(graph);
    let frame = constraints.a.select_rows(rows).above(c);
    let held = Matrix::zero(graph, rows.len(), m).beside(&-&constraints.b.select_rows(rows));
    let free = identity(graph, m).beside(&Matrix::zero(graph, m, 1));
    let solved = sketch.solve(SolveKind::General, "Psi", &frame, &held.above(&free));
    let psi = solved.select_columns(&(0..m).collect::<Vec<_>>());
    let drift = solved.select_columns(&[m]);
    let rate = (0..names.len()).map(|i| graph.symbol(&format!("rate[{}]", i + 1)));
    let rate = Matrix::column(graph, rate.collect());
    let accel = solve(system, &mut sketch, &psi, &drift, &rate);
    write_recipe(system, &mut sketch, &psi, &drift, m, &[]);
    let arguments = Argument::all(graph, names.iter().map(|name| format!("{name}'")));
    write_function(system, &mut sketch, &psi, &drift, &arguments, &[]);
    let reaction = &(&system.mass * &accel) - &system.right;
    let lambda = least_multipliers(system, constraints, &mut sketch, &reaction);
    let motion = Motion {
        formalism: &GIBBS_APPELL,
        sketch,
        carrier: Carrier::Velocities,
        inputs: system.v.clone(),
        input_rates: accel.clone(),
        fibre: Some(Fibre {
            names,
            values: c * &system.velocity(),
            rates: rate,
        }),
        accel,
        lambda,
        reaction,
    };
    (motion, arguments)
}

/// `q'' = Psi z' + d` where `(Psi^T M Psi) z' = Psi^T (r - M d)`.
fn solve<'g>(
    system: &System<'g>,
    sketch: &mut Sketch<'g>,
    psi: &Matrix<'g>,
    drift: &Matrix<'g>,
    rate: &Matrix<'g>,
) -> Matrix<'g> {
    let transposed = psi.transpose();
    let gram = &(&transposed * &system.mass) * psi;
    let right = &transposed * &(&system.right - &(&system.mass * drift));
    let (kind, name) = (system.solve_kind(), "the equations of motion");
    sketch.solve_for(kind, name, rate, &gram, &right);
    &(psi * rate) + drift
}

/// Writes the objects of [`RECIPE`], with the values of `v` on the constraint where these are given.
fn write_recipe<'g>(
    system: &System<'g>,
    sketch: &mut Sketch<'g>,
    psi: &Matrix<'g>,
    drift: &Matrix<'g>,
    rank: usize,
    on_constraint: &[(Ex<'g>, Ex<'g>)],
) {
    let at = |matrix: &Matrix<'g>| matrix.map(|x| x.substitute(on_constraint));
    let (mass, free, drift) = (at(&system.mass), at(&system.right), at(drift));
    let transposed = psi.transpose();
    sketch.output(output::GRAM, &(&transposed * &mass) * psi);
    sketch.output(output::Z, &transposed * &(&free - &(&mass * &drift)));
    let rank = i64::try_from(rank).unwrap_or(i64::MAX);
    sketch.output_list(output::RANK, &[system.graph.int(rank)]);
    sketch.output(output::PSI, psi.clone());
    sketch.output(output::METRIC, mass);
    sketch.output(output::FREE, free);
    sketch.output(output::DRIFT, drift);
}

/// Writes `S(z')`, grouped by the powers of `z'`, and `Psi^T A`.
fn write_function<'g>(
    system: &System<'g>,
    sketch: &mut Sketch<'g>,
    psi: &Matrix<'g>,
    drift: &Matrix<'g>,
    arguments: &[Argument<'g>],
    on_constraint: &[(Ex<'g>, Ex<'g>)],
) {
    let at = |matrix: &Matrix<'g>| matrix.map(|x| x.substitute(on_constraint));
    let active = system.active_forces();
    let (mass, drift) = (at(&system.mass), at(drift));
    let inertial = at(&(&system.right - &active));
    let (active, transposed) = (at(&active), psi.transpose());
    let gram = &(&transposed * &mass) * psi;
    let held = &mass * &drift;
    let linear = &transposed * &(&held - &inertial);
    let rate = Argument::symbols(system.graph, arguments);
    let quadratic = rate.dot(&(&gram * &rate)) / 2;
    let rest = drift.dot(&held) / 2 - drift.dot(&inertial);
    let function = quadratic + rate.dot(&linear) + rest;
    sketch.output_list(output::APPELL, &[function]);
    sketch.output(output::FIBRE_FORCE, &transposed * &active);
}

/// The multipliers, least in norm, of a reaction `R = A^T lambda`: `A A^T lambda = A R`.
pub(super) fn least_multipliers<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    sketch: &mut Sketch<'g>,
    reaction: &Matrix<'g>,
) -> Matrix<'g> {
    let a = &constraints.a;
    let lambda = constraints.multiplier_symbols(system.graph);
    let (kind, name) = (SolveKind::OfRows { unique: 0 }, "the multipliers");
    let normal = a * &a.transpose();
    sketch.solve_for(kind, name, &lambda, &normal, &(a * reaction));
    lambda
}
