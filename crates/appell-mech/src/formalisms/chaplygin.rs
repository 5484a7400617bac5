//! Chaplygin's equations: Voronec's where nothing depends on the dependent coordinates.

use crate::constraints::Constraints;
use crate::dependence::{Dependence, Rates};
use crate::equations::Equations;
use crate::equations::Formalism;
use crate::formalisms::chetaev_only;
use crate::formalisms::voronec::{RECIPE, Reduced, solve};
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Sketch, is_free_of};

/// For `L`, `F` and `alpha` without `q_{m+1}..q_n` and `t`, closed in `q_1..q_m`; r = 1..m:
///
/// ```text
/// d/dt L*_{v_r} - L*_{q_r} - Sum (d/dt (d alpha_nu/dv_r) - d alpha_nu/dq_r) L_{v_{m+nu}}
///     = F_r + Sum (d alpha_nu/dv_r) F_{m+nu} .
/// ```
///
/// Nonlinear `alpha` is welcome, and may be implicit; all but the first is taken at frozen `v_i`.
pub static CHAPLYGIN: Formalism = Formalism {
    id: "chaplygin",
    title: "Chaplygin's equations",
    statement: "d/dt dL*/dv_r - dL*/dq_r - Sum_nu (S_r^nu F_{m+nu} + B_r^nu dL/dv_{m+nu}) = F_r,  S_r^nu = dalpha_nu/dv_r,  B_r^nu = d/dt S_r^nu - dalpha_nu/dq_r,  where nothing depends on q_{m+nu}",
    latex: r"\begin{aligned}
& \frac{d}{dt} \frac{\partial L^{*}}{\partial v_{r}} - \frac{\partial L^{*}}{\partial q_{r}} - \sum_{\nu} \left(\frac{d}{dt} \frac{\partial \alpha_{\nu}}{\partial v_{r}} - \frac{\partial \alpha_{\nu}}{\partial q_{r}}\right) \frac{\partial L}{\partial v_{m+\nu}} \\
& \quad = F_{r} + \sum_{\nu} F_{m+\nu} \frac{\partial \alpha_{\nu}}{\partial v_{r}},\quad r = 1, \ldots, m \\
& v_{m+\nu} = \alpha_{\nu}(q_{1}, \ldots, q_{m}, v_{1}, \ldots, v_{m}, t),\quad \frac{\partial L}{\partial q_{m+\nu}} = 0
\end{aligned}",
    sources: &["[talamucci2020, (45)-(46)]", "[chaplygin1911]"],
    recipe: RECIPE,
    derive,
};

fn derive<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    chetaev_only(constraints)?;
    let alpha = Dependence::new(system, constraints)?;
    cyclic(system, &alpha)?;
    let mut sketch = Sketch::new(system.graph);
    let (m, v_i) = (
        alpha.independent_indices().len(),
        alpha.independent.as_slice(),
    );
    let q_i: Vec<Ex<'g>> = alpha
        .independent_indices()
        .iter()
        .map(|i| system.q[*i])
        .collect();
    let partials = alpha.by(&mut sketch, &[v_i, &q_i].concat());
    let slope = partials.select_columns(&(0..m).collect::<Vec<_>>());
    let by_q = partials.select_columns(&(m..2 * m).collect::<Vec<_>>());
    let drift = &by_q * &Matrix::column(system.graph, v_i.to_vec());

    let moved = q_i.iter().zip(v_i);
    let carried = alpha.dependent.iter().zip(drift.entries());
    let rates: Rates<'g> = moved.chain(carried).map(|(s, rate)| (*s, *rate)).collect();
    let slope_rate = alpha.by_rate(&mut sketch, v_i, &slope, &rates);
    let lagrangian = system.lagrangian;
    let impulse_rate = alpha.star_rate(lagrangian, v_i, &slope, &slope_rate, &rates);
    let momentum = alpha.restrict(&system.momentum.select_rows(alpha.dependent_indices()));
    let bent = &(&slope_rate - &by_q).transpose() * &momentum;
    let force = alpha.restrict(&system.force);
    let across = &slope.transpose() * &force.select_rows(alpha.dependent_indices());
    let force = &force.select_rows(alpha.independent_indices()) + &across;
    let right = &(&(&force - &impulse_rate) + &alpha.star(lagrangian, &q_i, &by_q)) + &bent;

    let reduced = Reduced {
        slope,
        drift,
        right,
    };
    Ok(solve(
        system,
        constraints,
        &CHAPLYGIN,
        &alpha,
        &reduced,
        sketch,
    ))
}

/// Whether the dependent coordinates and `t` are absent from `L`, `F` and `alpha`.
fn cyclic<'g>(system: &System<'g>, alpha: &Dependence<'g>) -> Result<(), Unavailable> {
    let dependent = alpha.dependent_indices().iter().map(|i| system.q[*i]);
    let absent: Vec<Ex<'g>> = dependent.chain([system.t]).collect();
    let lagrangian = [system.lagrangian];
    let functions = [
        ("the Lagrangian", &lagrangian[..]),
        ("a constraint", alpha.functions()),
        ("a force", system.force.entries()),
    ];
    for (what, functions) in functions {
        let present = |x: &Ex<'g>| functions.iter().any(|f| !is_free_of(*f, *x));
        let Some(x) = absent.iter().find(|x| present(x)) else {
            continue;
        };
        let name = x.symbol_name().unwrap_or_default();
        return Err(Unavailable(if *x == system.t {
            format!("{what} depends on t")
        } else {
            format!("{what} depends on {name}, whose velocity is not independent")
        }));
    }
    Ok(())
}
