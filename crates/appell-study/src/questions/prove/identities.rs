//! Identities that hold for every model.

use super::constraint_set::{ConstraintSet, PSI_SET_ASIDE};
use super::energy;
use super::forms::Forms;
use super::question_batch::{QuestionBatch, QuestionId};
use super::{Identity, Verdict};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix, SolveKind};
use appell_mech::{
    Equations, Metric, Parametrisation, function, kinetic_energy_is_of_bodies, output,
    state_functions,
};
use appell_model::Vector;

/// The partial accelerations are normal to the allowed directions, where the rows are independent.
const NORMAL: &str = "N^T alpha^T = 0";

/// The reaction does no work along `v = psi(q, z, t)`.
const ALONG_PSI: &str = "R Psi = 0";

/// An identity by name, and the question about it or why it cannot be asked.
pub(super) type StandingIdentity = (String, Result<QuestionId, String>);

/// Asks about every identity that the model has the ingredients of.
pub(super) fn ask<'g>(
    p: &Prepared<'g>,
    forms: &Forms<'g>,
    set: &ConstraintSet<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Vec<StandingIdentity> {
    let mut standing = Vec::new();
    let kept = !p.constraints.has_dropped_rows();
    if let Some(parametric) = p.constraints.parametric.as_ref().filter(|_| kept) {
        let both = both_presentations(p, parametric, batch);
        standing.extend(both.into_iter().map(|identity| on_psi(set, identity)));
    }
    if let Some(first) = forms.all.first() {
        let about = reactions(p, first, batch).into_iter();
        standing.extend(about.map(|identity| match identity.0 == ALONG_PSI {
            true => on_psi(set, identity),
            false => identity,
        }));
        standing.extend(energy::ask(p, first, batch));
    }
    for form in &forms.all {
        standing.extend(own_acceleration(form, batch));
        standing.extend(partial_accelerations(p, form, batch));
        standing.extend(lipschitz(p, form, batch));
    }
    standing
}

/// What is said of the velocities `psi(q, z, t)` is not asked where the start has none of them.
fn on_psi(set: &ConstraintSet<'_>, (name, asked): StandingIdentity) -> StandingIdentity {
    let asked = match set.set_aside {
        true => Err(PSI_SET_ASIDE.to_owned()),
        false => asked,
    };
    (name, asked)
}

/// `phi = 0` and `v = psi` are the same constraint, with all derivatives.
fn both_presentations<'g>(
    p: &Prepared<'g>,
    parametric: &Parametrisation<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Vec<StandingIdentity> {
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
        .map(|(name, zeros)| (name.to_owned(), batch.vanish(&sketch, &zeros)))
        .collect()
}

/// The reaction: where it points, what it does.
fn reactions<'g>(
    p: &Prepared<'g>,
    first: &Equations<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Vec<StandingIdentity> {
    let (system, constraints) = (&p.system, &p.constraints);
    let mut standing = Vec::new();
    let mut add = |name: &str, zeros: Matrix<'g>| {
        let asked = batch.vanish(&first.sketch, &zeros);
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
        add(ALONG_PSI, &parametric.partial.transpose() * &reaction);
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

/// Kane's second set of equations: the same accelerations without multipliers in evidence.
fn own_acceleration<'g>(
    form: &Equations<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Option<StandingIdentity> {
    let sketch = &form.sketch;
    let minimal = sketch.get(output::ACCEL_MINIMAL)?.entries().to_vec();
    let accel = sketch.get(output::ACCEL)?.entries().to_vec();
    let name = format!(
        "{}: both equation sets give one acceleration",
        form.formalism.id
    );
    Some((name, batch.agree(sketch, &minimal, &accel)))
}

/// Kane's partial accelerations against the directions of the reactions, in Lagrangian components
/// and as vectors: `Sum a~ . W + alpha~ . tau` over particles and bodies [roithmayr2010, sect. 5, (75)].
fn partial_accelerations<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Vec<StandingIdentity> {
    let mut standing = Vec::new();
    let matrix_of = |name: &str| form.sketch.get(name).filter(|m| !m.entries().is_empty());
    let mut add = |name: &str, zeros: &Matrix<'g>| {
        standing.push((name.to_owned(), batch.vanish(&form.sketch, zeros)));
    };
    if let Some(directions) = matrix_of(output::ACCEL_DIRECTIONS).filter(|_| p.constraints.k() > 0)
    {
        let zeros = &directions.transpose() * &p.constraints.a.transpose();
        add(NORMAL, &zeros);
    }
    if let Some(partial) = matrix_of(output::PARTIAL_ACCELERATIONS) {
        let graph = p.system.graph;
        let products = (0..p.model.constraints.len()).filter_map(|constraint| {
            let forces = form.forces.iter().filter(|f| f.constraint == constraint);
            let forces: Vec<_> = forces.collect();
            let rows = forces.first()?.directions.columns();
            let bodies = p.model.bodies.iter().enumerate();
            let vectors = bodies.fold(Matrix::zero(graph, 0, rows), |above, (index, body)| {
                let on = forces.iter().find(|f| f.body == Some(index));
                let none = || Matrix::zero(graph, 6, rows);
                let wrench = on.map_or_else(none, |f| f.about_centre(&p.system));
                let axes: &[usize] = match body.rotation {
                    Some(_) => &[0, 1, 2, 3, 4, 5],
                    None => &[0, 1, 2],
                };
                above.above(&wrench.select_rows(axes))
            });
            Some((&partial.transpose() * &vectors).entries().to_vec())
        });
        let zeros: Vec<Ex<'g>> = products.flatten().collect();
        if !zeros.is_empty() {
            add("a~ . W = 0", &Matrix::column(graph, zeros));
        }
    }
    standing
}

/// Gauss' function over particles and bodies, and in Lipschitz' form [benenti2007, (4.7), (4.8)]; by the
/// reaction where not every inertia is theirs.
fn lipschitz<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Option<StandingIdentity> {
    let (system, graph) = (&p.system, p.system.graph);
    let gauss = form.sketch.get(output::GAUSS)?[(0, 0)];
    if system.metric == Metric::Singular {
        return None;
    }
    let mut sketch = form.sketch.clone();
    let (name, other) = if kinetic_energy_is_of_bodies(system) {
        let free = sketch.solve(SolveKind::Symmetric, "free", &system.mass, &system.right);
        let at_free: Vec<_> = system
            .a
            .iter()
            .copied()
            .zip(free.entries().iter().copied())
            .collect();
        let gap = |velocity: Vector| {
            let rate = Matrix::column(graph, graph.exs(&velocity)).map(|v| system.total_rate(v));
            &rate - &rate.substitute(&at_free)
        };
        let terms = p.model.bodies.iter().flat_map(|body| {
            let accel = gap(body.velocity);
            let rotation = body.rotation.as_ref().map(|rotation| {
                let inertia = Matrix::from_fn(graph, 3, 3, |i, j| graph.ex(rotation.inertia[i][j]));
                let alpha = gap(rotation.spin);
                alpha.dot(&(&inertia * &alpha)) / 2
            });
            [Some(graph.ex(body.mass) * accel.dot(&accel) / 2), rotation]
        });
        let turning = p.model.bodies.iter().any(|body| body.rotation.is_some());
        let name = match turning {
            false => "1/2 Sum m |a - a_f|^2 = 1/2 (q'' - a).M (q'' - a)",
            true => {
                "1/2 Sum (m |a - a_f|^2 + (alpha - alpha_f).I (alpha - alpha_f)) = 1/2 (q'' - a).M (q'' - a)"
            }
        };
        (name, graph.sum(&terms.flatten().collect::<Vec<_>>()))
    } else {
        let reaction = form.sketch.get(output::REACTION)?;
        let raised = sketch.solve(SolveKind::Symmetric, "raised", &system.mass, reaction);
        let name = "1/2 R.M^-1 R = 1/2 (q'' - a).M (q'' - a)";
        (name, reaction.dot(&raised) / 2)
    };
    Some((name.to_owned(), batch.agree(&sketch, &[other], &[gauss])))
}

/// The verdicts. What presumes independent rows does not apply where some depend on others.
pub(super) fn answers(
    p: &Prepared<'_>,
    standing: Vec<StandingIdentity>,
    verdicts: &[Verdict],
) -> Vec<Identity> {
    let chart = p.constraints.chart.as_ref();
    let (rank, rows) = (chart.map(|chart| chart.rows.len()), p.constraints.k());
    let answer = |(name, asked): StandingIdentity| {
        let verdict = match asked {
            Ok(asked) => verdicts[asked].clone(),
            Err(why) => Verdict::undecided(why),
        };
        let verdict = match rank {
            Some(rank) if rank < rows && name == NORMAL && !verdict.is_proved() => {
                Verdict::undecided(format!(
                    "it does not apply: the {rows} rows have rank {rank} where they hold, and it presumes independent ones"
                ))
            }
            _ => verdict,
        };
        Identity { name, verdict }
    };
    standing.into_iter().map(answer).collect()
}
