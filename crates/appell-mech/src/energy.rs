//! Energy, its rate, the entries of the ledger, and Talamucci's `E*`.

use crate::constraints::{Chart, ConstraintRow, Constraints, Parametrisation, parametric_only};
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{
    Ex, Function, Graph, Matrix, Sketch, SolveKind, has_sign, jumps_with, signs_of, vanishes,
};

/// Writes `E`, `dE/dt = -L_t + R.v + F.v` [talamucci2020, (26)] and the rates of work.
///
/// Returns the names of the ledger's entries: each active force `F.v`, each constraint
/// `Sum lambda_a W_a.v`, and `moving_frames`, which is `-L_t`. Names that are taken get their kind. Where `v = psi` is
/// given without rows, `R.v` is that of `motion`, the table of the file that gives it.
pub(crate) fn write<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    lambda: &Matrix<'g>,
    reaction: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) -> Vec<String> {
    let velocity = system.velocity();
    let frames = -system.lagrangian.diff(system.t);
    let power = reaction.dot(&velocity);
    sketch.output_list(output::ENERGY, &[system.energy]);
    sketch.output_list(output::REACTION_POWER, &[power]);
    let rate = frames + power + system.force.dot(&velocity);
    sketch.output_list(output::ENERGY_RATE, &[rate]);

    let mut accounts = accounts(system, constraints, lambda);
    if parametric_only(system, constraints).is_err() {
        accounts.push((ledger_entry::MOTION.to_owned(), power));
    }
    let (names, rates): (Vec<String>, Vec<Ex<'g>>) = accounts.into_iter().unzip();
    sketch.output_list(output::WORK, &rates);
    if switches_in_time(system) {
        sketch.output_list(output::SWITCHED, &[-system.lagrangian]);
    }
    names
}

/// Whether the Lagrangian jumps at times that do not depend on the state, and the momenta do not: a mass that jumps makes
/// velocities jump, by no equation of motion.
fn switches_in_time(system: &System<'_>) -> bool {
    let parts = jumps_with(system.lagrangian, system.t);
    let state: Vec<Ex<'_>> = system.q.iter().chain(&system.v).copied().collect();
    let mut momenta = system.momentum.entries().iter();
    let at_times = |part: &Ex<'_>| {
        let signs = signs_of(*part);
        let places = if signs.is_empty() { vec![*part] } else { signs };
        !places.iter().any(|u| u.depends_on_any(&state))
    };
    !parts.is_empty()
        && parts.iter().all(at_times)
        && momenta.all(|p| jumps_with(*p, system.t).is_empty() || has_no_jump(*p))
}

/// Whether an expression is the same for all values of the signs in it, `cos(a)*sin(a)*sign(t) - sin(a)*cos(a)*sign(t)`.
fn has_no_jump(x: Ex<'_>) -> bool {
    let graph = x.graph();
    let both = |sign: Ex<'_>| {
        let sign = graph.ex(sign.id());
        let [before, after] = [-1, 1].map(|side| x.substitute(&[(sign, graph.int(side))]));
        vanishes(after - before)
    };
    let mut signs = signs_of(x).into_iter().map(|u| u.call(Function::Sign));
    signs.all(both)
}

/// The rates of work alone, in the order of the ledger's entries.
pub(crate) fn work<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    lambda: &Matrix<'g>,
) -> Vec<Ex<'g>> {
    let accounts = accounts(system, constraints, lambda).into_iter();
    accounts.map(|(_, rate)| rate).collect()
}

/// The ledger's entries with the rates of their work.
fn accounts<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    lambda: &Matrix<'g>,
) -> Vec<(String, Ex<'g>)> {
    let velocity = system.velocity();
    let forces = system
        .active
        .iter()
        .map(|force| ("force", force.name.clone(), force.components.dot(&velocity)));
    let entries = system
        .model
        .constraints
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let rate = constraint_power(system, constraints, lambda, index);
            ("constraint", entry.name.clone(), rate)
        });
    let mut names: Vec<String> = vec![ledger_entry::MOVING_FRAMES.to_owned()];
    let mut rates = vec![-system.lagrangian.diff(system.t)];
    for (kind, name, rate) in forces.chain(entries) {
        let taken = ledger_entry::RESERVED.contains(&&*name) || names.contains(&name);
        names.push(if taken {
            format!("{name} ({kind})")
        } else {
            name
        });
        rates.push(rate);
    }
    names.into_iter().zip(rates).collect()
}

/// Entries of the ledger that are neither forces nor constraints.
pub mod ledger_entry {
    /// `-L_t`, the first entry.
    pub const MOVING_FRAMES: &str = "moving_frames";
    /// The reaction to `v = psi` without rows.
    pub const MOTION: &str = "motion";
    /// What bringing states back onto the constraints does, added by the integrator.
    pub const PROJECTION: &str = "projection";
    /// What events do that reset the state.
    pub const RESETS: &str = "resets";
    /// What no force and no constraint is called.
    pub const RESERVED: [&str; 4] = [MOVING_FRAMES, MOTION, PROJECTION, RESETS];
}

/// `Sum lambda_a W_a.v` over the rows of one entry of `[constraints]`.
pub(crate) fn constraint_power<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    lambda: &Matrix<'g>,
    constraint: usize,
) -> Ex<'g> {
    let rows = constraints
        .rows
        .iter()
        .filter(|row| row.constraint == constraint);
    let powers: Vec<Ex<'g>> = rows
        .filter_map(|row| {
            let direction = Matrix::column(system.graph, row.direction().to_vec());
            Some(lambda[(row.active_index()?, 0)] * direction.dot(&system.velocity()))
        })
        .collect();
    system.graph.sum(&powers)
}

/// Writes `E* = E + (alphabar - alpha).p_d` [talamucci2020, (42)], its rate, and `alphabar - alpha`.
///
/// With independent velocities i and dependent ones d, `alpha = v_d` and
/// `A_d alphabar = -A_i v_i`; differentiated, `A_d alphabar' = -(A_i v_i)' - A_d' alphabar`. Rows
/// `A(q, t) v = 0` need no solution: there `alphabar = alpha`.
pub(crate) fn write_star<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    sketch: &mut Sketch<'g>,
) -> Result<(), Unavailable> {
    let Some(chart) = &constraints.chart else {
        return Err(Unavailable(
            "no independent velocities were found for this model".to_owned(),
        ));
    };
    refuse_rows_on_accelerations(constraints)?;
    refuse_curved_velocities(system, constraints)?;
    let Chart {
        rows,
        dependent,
        independent,
        ..
    } = chart;
    let at = |m: Matrix<'g>| m.select_rows(dependent);
    if linear_and_homogeneous(system, constraints) {
        let energy_rate = sketch.get(output::ENERGY_RATE).cloned();
        sketch.output_list(output::ENERGY_STAR, &[system.energy]);
        if let Some(rate) = energy_rate {
            sketch.output(output::ENERGY_STAR_RATE, rate);
        }
        let none = Matrix::zero(system.graph, dependent.len(), 1);
        sketch.output(output::ALPHABAR_MINUS_ALPHA, none);
        return Ok(());
    }
    let (v, a) = (
        system.velocity(),
        Matrix::column(system.graph, system.a.clone()),
    );
    let a_rows = constraints.a.select_rows(rows);
    let (a_i, a_d) = (
        a_rows.select_columns(independent),
        a_rows.select_columns(dependent),
    );
    let (v_i, a_of_i) = (v.select_rows(independent), a.select_rows(independent));
    let rate = |m: &Matrix<'g>| m.map(|x| system.total_rate(x));

    let alphabar = sketch.solve(SolveKind::General, "alphabar", &a_d, &-&(&a_i * &v_i));
    let change = &(&rate(&a_i) * &v_i) + &(&a_i * &a_of_i);
    let right = -&(&change + &(&rate(&a_d) * &alphabar));
    let alphabar_rate = sketch.solve(SolveKind::General, "alphabar_rate", &a_d, &right);

    let gap = &alphabar - &at(v);
    let gap_rate = &alphabar_rate - &at(a);
    let momentum = at(system.momentum.clone());
    let energy_rate = sketch
        .get(output::ENERGY_RATE)
        .map_or(system.graph.zero(), |m| m[(0, 0)]);
    let star_rate = energy_rate + gap_rate.dot(&momentum) + gap.dot(&rate(&momentum));
    sketch.output_list(output::ENERGY_STAR, &[system.energy + gap.dot(&momentum)]);
    sketch.output_list(output::ENERGY_STAR_RATE, &[star_rate]);
    sketch.output(output::ALPHABAR_MINUS_ALPHA, gap);
    Ok(())
}

fn refuse_rows_on_accelerations(constraints: &Constraints<'_>) -> Result<(), Unavailable> {
    let mut active = constraints.active();
    let found = active.find(|row| row.phi.is_none());
    found.map_or(Ok(()), |row| {
        Err(Unavailable(format!(
            "`{}` is given for the accelerations, so that no velocity depends on others",
            row.name
        )))
    })
}

/// Refuses `v = psi(q, z, t)` without rows that is not linear in `z`.
fn refuse_curved_velocities(
    system: &System<'_>,
    constraints: &Constraints<'_>,
) -> Result<(), Unavailable> {
    let alone = constraints.motion_alone();
    let curved = alone.filter(|psi| !is_linear(system.graph, psi));
    curved.map_or(Ok(()), |psi| {
        let z: Vec<String> = psi.z.iter().map(Ex::to_string).collect();
        Err(Unavailable(format!(
            "`v = psi(q, {}, t)` alone is not linear, and which velocities depend on others is not told",
            z.join(", ")
        )))
    })
}

/// Whether `v = Psi(q, t) z`.
fn is_linear<'g>(graph: &'g Graph, psi: &Parametrisation<'g>) -> bool {
    let z = Matrix::column(graph, psi.z.clone());
    let rest = &psi.psi - &(&psi.partial * &z);
    let of_place = |x: &Ex<'_>| psi.z.iter().all(|z| !x.depends_on(*z));
    psi.partial.entries().iter().all(of_place) && rest.entries().iter().all(|x| vanishes(*x))
}

/// Whether every active row is `A(q, t) v = 0`.
fn linear_and_homogeneous<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> bool {
    let graph = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, graph.zero())).collect();
    let active = constraints.active();
    // A sign vanishes at rest and has no slope: what is left beside `A v` has to vanish too.
    let rest = |row: &ConstraintRow<'g>, phi: Ex<'g>| {
        let terms = row.a.iter().zip(&system.v).map(|(a, v)| *a * *v);
        phi - graph.sum(&terms.collect::<Vec<_>>())
    };
    let homogeneous = |row: &ConstraintRow<'g>, phi: Ex<'g>| {
        phi.substitute(&at_rest).is_zero() && (!has_sign(phi) || vanishes(rest(row, phi)))
    };
    let linear = |a: &Ex<'g>| a.symbols().iter().all(|s| !system.v.contains(s));
    active
        .into_iter()
        .all(|row| row.phi.is_some_and(|phi| homogeneous(row, phi)) && row.a.iter().all(linear))
}
