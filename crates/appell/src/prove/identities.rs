//! Identities that hold for every model.

use super::forms::Forms;
use super::inquiry::{Asked, Inquiry};
use super::{Identity, Verdict};
use crate::prepared::Prepared;
use appell_expr::{Ex, Matrix, Sketch, SolveKind};
use appell_mech::{Chart, Equations, Parametrisation, function, output, state_functions};

/// An identity by name, and the question about it or why it cannot be asked.
pub(super) type Standing = (String, Result<Asked, String>);

/// Asks about every identity that the model has the ingredients of.
pub(super) fn ask<'g>(
    p: &Prepared<'g>,
    forms: &Forms<'g>,
    inquiry: &mut Inquiry<'_, 'g>,
) -> Vec<Standing> {
    let mut standing = Vec::new();
    let kept = !p.constraints.has_dropped_rows();
    if let Some(parametric) = p.constraints.parametric.as_ref().filter(|_| kept) {
        standing.extend(both_presentations(p, parametric, inquiry));
    }
    if let Some(first) = forms.all.first() {
        standing.extend(reactions(p, first, inquiry));
        standing.extend(energies(p, first, inquiry));
    }
    for form in &forms.all {
        standing.extend(own_acceleration(form, inquiry));
    }
    standing
}

/// `phi = 0` and `v = psi` are the same constraint, with all derivatives.
fn both_presentations<'g>(
    p: &Prepared<'g>,
    parametric: &Parametrisation<'g>,
    inquiry: &mut Inquiry<'_, 'g>,
) -> Vec<Standing> {
    let system = &p.system;
    let (graph, psi) = (system.graph, parametric.psi.entries());
    let sketch = state_functions(system, &p.constraints);
    let output = |name: &str| {
        let found = sketch.get(name).cloned();
        found.unwrap_or_else(|| Matrix::zero(graph, 0, 0))
    };
    let (phi_q, phi_v) = (output(function::PHI_Q), output(function::PHI_V));
    if phi_v.rows() == 0 {
        return Vec::new();
    }
    let psi_q = Matrix::jacobian(graph, psi, &system.q);
    let psi_t = parametric.psi.map(|x| x.diff(system.t));
    let phi_t = output(function::PHI).map(|x| x.diff(system.t));
    let zeros = [
        ("A Psi = 0", &phi_v * &parametric.partial),
        ("phi_q + A psi_q = 0", &phi_q + &(&phi_v * &psi_q)),
        ("phi_t + A psi_t = 0", &phi_t + &(&phi_v * &psi_t)),
    ];
    zeros
        .into_iter()
        .map(|(name, zeros)| (name.to_owned(), inquiry.vanish(&sketch, &zeros)))
        .collect()
}

/// The reaction: where it points, what it does.
fn reactions<'g>(
    p: &Prepared<'g>,
    first: &Equations<'g>,
    inquiry: &mut Inquiry<'_, 'g>,
) -> Vec<Standing> {
    let (system, constraints) = (&p.system, &p.constraints);
    let mut standing = Vec::new();
    let mut add = |name: &str, zeros: Matrix<'g>| {
        let asked = inquiry.vanish(&first.sketch, &zeros);
        standing.push((name.to_owned(), asked));
    };
    let output = |name: &str| first.sketch.get(name).cloned();
    let (Some(reaction), Some(accel)) = (output(output::REACTION), output(output::ACCEL)) else {
        return standing;
    };
    if constraints.k() > 0 {
        add("A q'' + B = 0", &(&constraints.a * &accel) + &constraints.b);
    }
    add(
        "M q'' = r + R",
        &(&(&system.mass * &accel) - &system.right) - &reaction,
    );
    let parametric = constraints.parametric.as_ref();
    let parametric = parametric.filter(|_| constraints.ideal && !constraints.has_dropped_rows());
    if let Some(parametric) = parametric {
        add("R Psi = 0", &parametric.partial.transpose() * &reaction);
    }
    if let Some(lambda) = output(output::LAMBDA).filter(|_| constraints.k() > 0) {
        let rows = constraints.rows.iter().zip(lambda.entries());
        let active = rows.filter(|(row, _)| row.is_active()).map(|(_, x)| *x);
        let lambda = Matrix::column(system.graph, active.collect());
        let name = if constraints.ideal {
            "R = A^T lambda"
        } else {
            "R = W lambda"
        };
        add(name, &reaction - &(&constraints.w * &lambda));
    }
    standing
}

/// `E` along the field, and Talamucci's `E*` from the restricted Lagrangian.
fn energies<'g>(
    p: &Prepared<'g>,
    first: &Equations<'g>,
    inquiry: &mut Inquiry<'_, 'g>,
) -> Vec<Standing> {
    let system = &p.system;
    let scalar = |name: &str| first.sketch.get(name).map(|m| m[(0, 0)]);
    let mut standing = Vec::new();
    if let Some(rate) = scalar(output::ENERGY_RATE) {
        let direct = system.total_rate(system.energy);
        let asked = inquiry.agree(&first.sketch, &[direct], &[rate]);
        standing.push(("dE/dt = -L_t + R.v + F.v".to_owned(), asked));
    }
    if let (Some(star), Some(chart)) = (scalar(output::ENERGY_STAR), &p.constraints.chart) {
        let mut sketch = first.sketch.clone();
        let restricted = restricted_energy(p, chart, &mut sketch);
        let asked = inquiry.agree(&sketch, &[restricted], &[star]);
        let name = "Sum v_r L*_{v_r} - L* = E + (alphabar - alpha) . L_v";
        standing.push((name.to_owned(), asked));
    }
    standing
}

/// `E* = Sum v_r L*_{v_r} - L*` with `L*_{v_r} = L_{v_r} + Sum_nu (d alpha_nu/dv_r) L_{v_{m+nu}}`.
fn restricted_energy<'g>(p: &Prepared<'g>, chart: &Chart, sketch: &mut Sketch<'g>) -> Ex<'g> {
    let system = &p.system;
    let own = p.constraints.a.select_rows(&chart.rows);
    let dependent = own.select_columns(&chart.dependent);
    let independent = own.select_columns(&chart.independent);
    let slopes = sketch.solve(SolveKind::General, "slopes", &dependent, &-&independent);
    let momentum = |of: &[usize]| system.momentum.select_rows(of);
    let restricted =
        &momentum(&chart.independent) + &(&slopes.transpose() * &momentum(&chart.dependent));
    let v = system.velocity().select_rows(&chart.independent);
    v.dot(&restricted) - system.lagrangian
}

/// Kane's second set of equations: the same accelerations without multipliers in evidence.
fn own_acceleration<'g>(form: &Equations<'g>, inquiry: &mut Inquiry<'_, 'g>) -> Option<Standing> {
    let sketch = &form.sketch;
    let minimal = sketch.get(output::ACCEL_MINIMAL)?.entries().to_vec();
    let accel = sketch.get(output::ACCEL)?.entries().to_vec();
    let name = format!(
        "{}: both equation sets give one acceleration",
        form.formalism.id
    );
    Some((name, inquiry.agree(sketch, &minimal, &accel)))
}

/// The verdicts.
pub(super) fn answers(standing: Vec<Standing>, verdicts: &[Verdict]) -> Vec<Identity> {
    let answer = |(name, asked): Standing| Identity {
        name,
        verdict: match asked {
            Ok(asked) => verdicts[asked].clone(),
            Err(why) => Verdict::undecided(why),
        },
    };
    standing.into_iter().map(answer).collect()
}
