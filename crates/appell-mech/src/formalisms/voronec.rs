//! Voronec's equations in independent velocities, for nonlinear and time-dependent constraints.

use crate::complete::{Fibre, Motion, complete};
use crate::constraints::Constraints;
use crate::dependence::Dependence;
use crate::equations::Equations;
use crate::equations::{Formalism, Index, Object};
use crate::formalisms::chetaev_only;
use crate::formalisms::gibbs_appell::least_multipliers;
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Matrix, Sketch};

/// With `v_{m+nu} = alpha_nu(q, v_1..v_m, t)` and `L*` = `L` restricted, for r = 1..m:
///
/// ```text
/// d/dt L*_{v_r} - L*_{q_r} - Sum L*_{q_{m+nu}} d alpha_nu/dv_r - Sum B_r^nu L_{v_{m+nu}}
///     = F_r + Sum (d alpha_nu/dv_r) F_{m+nu} ,
/// B_r^nu = d/dt (d alpha_nu/dv_r) - d alpha_nu/dq_r
///     - Sum (d alpha_mu/dv_r) (d alpha_nu/dq_{m+mu}) .
/// ```
///
/// What multiplies `v_i'` is `Psi^T M Psi`, `Psi = [I; d alpha/dv_i]`: the second derivatives of
/// `alpha` in `L*_{vv}` and in `B` cancel. All else is taken at frozen `v_i`. The paper's form
/// with `T*` presumes a potential `V(q, t)`; this one does not. `alpha` may be implicit.
pub static VORONEC: Formalism = Formalism {
    id: "voronec",
    title: "Voronec's equations in independent velocities",
    statement: "d/dt dL*/dv_r - dL*/dq_r - Sum_nu (S_r^nu K_nu + B_r^nu dL/dv_{m+nu}) = F_r,  K_nu = dL*/dq_{m+nu} + F_{m+nu},  S_r^nu = dalpha_nu/dv_r,  B_r^nu = d/dt S_r^nu - dalpha_nu/dq_r - Sum_mu S_r^mu dalpha_nu/dq_{m+mu}",
    latex: r"\begin{aligned}
& \frac{d}{dt} \frac{\partial L^{*}}{\partial v_{r}} - \frac{\partial L^{*}}{\partial q_{r}} - \sum_{\nu} \frac{\partial L^{*}}{\partial q_{m+\nu}} \frac{\partial \alpha_{\nu}}{\partial v_{r}} - \sum_{\nu} B_{r}^{\nu} \frac{\partial L}{\partial v_{m+\nu}} \\
& \quad = F_{r} + \sum_{\nu} F_{m+\nu} \frac{\partial \alpha_{\nu}}{\partial v_{r}},\quad r = 1, \ldots, m \\
& B_{r}^{\nu} = \frac{d}{dt} \frac{\partial \alpha_{\nu}}{\partial v_{r}} - \frac{\partial \alpha_{\nu}}{\partial q_{r}} - \sum_{\mu} \frac{\partial \alpha_{\mu}}{\partial v_{r}} \frac{\partial \alpha_{\nu}}{\partial q_{m+\mu}} \\
& v_{m+\nu} = \alpha_{\nu}(q, v_{1}, \ldots, v_{m}, t)
\end{aligned}",
    sources: &["[talamucci2020, (13)-(14)]", "[voronec1901]"],
    recipe: RECIPE,
    derive,
};

/// The objects of the paper, each a function of the independent velocities where `alpha` is
/// explicit; else the dependent ones stand for the solution of the rows.
pub(super) const RECIPE: &[Object] = &[
    Object {
        letter: "[alpha_nu]",
        latex: r"[\alpha_\nu]",
        formula: "",
        meaning: "the dependent velocities as functions of the independent ones",
        output: output::ALPHA,
        indices: &[Index::Dependent],
    },
    Object {
        letter: "[dalpha_nu/dv_r]",
        latex: r"[\partial \alpha_\nu / \partial \dot{q}_r]",
        formula: "",
        meaning: "their derivatives by the independent ones, which give the dependent virtual displacements too",
        output: output::ALPHA_SLOPE,
        indices: &[Index::Dependent, Index::Fibre],
    },
    Object {
        letter: "T*",
        latex: "T^{*}",
        formula: "",
        meaning: "the kinetic energy with alpha for the dependent velocities",
        output: output::KINETIC_STAR,
        indices: &[],
    },
    Object {
        letter: "L*",
        latex: "L^{*}",
        formula: "",
        meaning: "the Lagrangian with alpha for the dependent velocities",
        output: output::LAGRANGIAN_STAR,
        indices: &[],
    },
    Object {
        letter: "[B^nu_r]",
        latex: r"[B^\nu_r]",
        formula: "",
        meaning: "the coefficients of Voronec, a row for each dependent velocity",
        output: output::VORONEC,
        indices: &[Index::Dependent, Index::Fibre],
    },
];

/// Writes `alpha` where it is explicit, `d alpha/dv_r`, and `T*` where the model gives `T` and a
/// `V(q, t)`, as the paper has it, else `L*`.
fn write_recipe<'g>(
    system: &System<'g>,
    alpha: &Dependence<'g>,
    slope: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) {
    let restricted = |x| alpha.restrict(&Matrix::column(system.graph, vec![x]));
    if let Some(values) = alpha.explicit() {
        sketch.output_list(output::ALPHA, values);
    }
    sketch.output(output::ALPHA_SLOPE, slope.clone());
    match system.kinetic_of_positional_potential() {
        Some(kinetic) => sketch.output(output::KINETIC_STAR, restricted(kinetic)),
        None => sketch.output(output::LAGRANGIAN_STAR, restricted(system.lagrangian)),
    }
}

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    chetaev_only(constraints)?;
    let alpha = Dependence::new(system, constraints)?;
    let mut sketch = Sketch::new(system.graph);
    let (n, m, v_i) = (
        system.n(),
        alpha.independent_indices().len(),
        alpha.independent.as_slice(),
    );
    let symbols = [v_i, &system.q, &[system.t]].concat();
    let partials = alpha.by(&mut sketch, &symbols);
    let columns =
        |range: std::ops::Range<usize>| partials.select_columns(&range.collect::<Vec<_>>());
    let (slope, by_q, by_t) = (columns(0..m), columns(m..m + n), columns(m + n..m + n + 1));
    let drift = &(&by_q * &system.velocity()) + &by_t;

    let rates = alpha.at_frozen_velocities(system, &drift);
    let slope_rate = alpha.by_rate(&mut sketch, v_i, &slope, &rates);
    let lagrangian = system.lagrangian;
    let impulse_rate = alpha.star_rate(lagrangian, v_i, &slope, &slope_rate, &rates);
    let by_place = alpha.star(lagrangian, &system.q, &by_q);
    let b = alpha.coefficients(system, &mut sketch, &slope, &rates);
    let across = |x: &Matrix<'g>| {
        &x.select_rows(alpha.independent_indices())
            + &(&slope.transpose() * &x.select_rows(alpha.dependent_indices()))
    };
    let bent =
        &b.transpose() * &alpha.restrict(&system.momentum.select_rows(alpha.dependent_indices()));
    let force = across(&alpha.restrict(&system.force));
    let right = &(&(&force - &impulse_rate) + &across(&by_place)) + &bent;

    let reduced = Reduced {
        slope,
        drift,
        right,
    };
    Ok(solve(
        system,
        constraints,
        &VORONEC,
        &alpha,
        &reduced,
        sketch,
    ))
}

/// What is to be said where `alpha` is no expression.
fn implicit(alpha: &Dependence<'_>) -> Option<String> {
    let names = alpha.dependent.iter().filter_map(|v| v.symbol_name());
    let names = names.collect::<Vec<_>>().join(", ");
    alpha
        .explicit()
        .is_none()
        .then(|| format!("alpha is implicit: {names} stand for the solution of the constraints."))
}

/// Equations in the independent velocities: `(Psi^T M Psi) v_i' = right`.
pub(super) struct Reduced<'g> {
    /// `S = d alpha/dv_i`, (n - m) x m.
    pub slope: Matrix<'g>,
    /// `alpha_q v + alpha_t`, so that `v_d' = S v_i' + drift`.
    pub drift: Matrix<'g>,
    /// All terms without `v_i'`, m x 1.
    pub right: Matrix<'g>,
}

/// Solves for `v_i'`, and finds `q''`, `R = M q'' - r` and `lambda`; writes Voronec's coefficients.
pub(super) fn solve<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    formalism: &'static Formalism,
    alpha: &Dependence<'g>,
    reduced: &Reduced<'g>,
    mut sketch: Sketch<'g>,
) -> Equations<'g> {
    let psi = alpha.psi(&reduced.slope);
    let inertia = alpha.restrict(&(&(&psi.transpose() * &system.mass) * &psi));
    let accel = Matrix::column(system.graph, system.a.clone());
    let rates = accel.select_rows(alpha.independent_indices());
    let (kind, name) = (system.solve_kind(), "the equations of motion");
    sketch.solve_for(kind, name, &rates, &inertia, &reduced.right);
    let carried = &(&reduced.slope * &rates) + &reduced.drift;
    for (place, value) in alpha.dependent_indices().iter().zip(carried.entries()) {
        sketch.bind(system.a[*place], *value);
    }
    let along = Dependence::along_motion(system);
    let b = alpha.coefficients(system, &mut sketch, &reduced.slope, &along);
    write_recipe(system, alpha, &reduced.slope, &mut sketch);
    sketch.output(output::VORONEC, b);
    let reaction = &(&system.mass * &accel) - &system.right;
    let lambda = least_multipliers(system, constraints, &mut sketch, &reaction);
    let names = alpha.independent.iter().filter_map(|v| v.symbol_name());
    let fibre = Fibre {
        names: names.collect(),
        values: Matrix::column(system.graph, alpha.independent.clone()),
        rates,
    };
    let motion = Motion::on_velocities(formalism, system, sketch, accel, lambda, reaction);
    let mut equations = complete(system, constraints, motion.with_own(fibre));
    equations.remark = implicit(alpha);
    equations
}
