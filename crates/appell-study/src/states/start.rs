//! Consistent initial states, and states nearest to given ones.

use crate::states::completion::NotGiven;
use crate::states::double_roots::{Solution, double_root, double_root_beside};
use crate::states::given_states::State;
use crate::states::impossible::{
    bounded, impossible_beside_given, impossible_equation, impossible_row, within_ranges,
};
use crate::states::mirror_images::positive_image;
use crate::states::nearest::{
    is_nearer, mass_at, nearest_on_constraints, nearest_positions, nearest_velocities,
    parameters_of,
};
use crate::states::one_by_one::{Unknowns, one_by_one};
use crate::states::out_of_reach::{are_out_of_reach, of_nine_digits, outright};
use crate::states::proposal::{nearest_in_words, with_velocities};
use crate::states::quaternions::normalise;
use crate::states::ranks::{exact, of_positions};
use crate::states::residuals::{residuals, rows_of_motion, scaled_residual, velocity_rows};
use crate::states::scattered_states::hold_somewhere;
use crate::states::velocity_problem::{Velocities, VelocityProblem};
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use crate::values::rows::{Goal, Rows, SOLVED, identity};
use crate::values::several::{are_nonlinear, have_jumps};
use appell_expr::{Ex, Range, Rational, real_form};
use appell_flow::newton::Found;
use appell_flow::{EvalError, Interpreter, linear};
use appell_mech::{function, is_affine};
use appell_model::{
    Code, Condition, Diagnostic, Inconsistent, inconsistent_constraints, inconsistent_start,
    left_side,
};

/// Residuals below this are the rounding of the given numbers: moving the state by them is no news.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The symbols of the state equations by what they determine.
pub(crate) struct Given<'g> {
    /// Rows in `(q, t)`, with their texts.
    pub positions: Vec<Ex<'g>>,
    /// Rows in `(q, v, z, t)`.
    pub velocities: Vec<Ex<'g>>,
    /// Coordinates that no row mentions.
    unmentioned: Vec<String>,
    /// What was made of numbers that are rounded.
    remarks: Vec<String>,
    /// Coordinates that an equation gives outright, as `x = 1` does.
    pub outright: Vec<(usize, Ex<'g>)>,
}

/// What `[initial]` says of a state, as rows in `(q, t)` and in `(q, v, z, t)`.
pub fn start_rows<'g>(p: &Prepared<'g>) -> [Vec<Ex<'g>>; 2] {
    let given = given(p);
    [given.positions, given.velocities]
}

pub(crate) fn given<'g>(p: &Prepared<'g>) -> Given<'g> {
    given_beside(p, &[])
}

/// The same without the equations whose left side is one of these names, which are given otherwise.
pub(crate) fn given_beside<'g>(p: &Prepared<'g>, names: &[&str]) -> Given<'g> {
    let graph = p.system.graph;
    let z = p
        .constraints
        .parametric
        .as_ref()
        .map_or(&[][..], |parametric| &parametric.z);
    let moving = |x: Ex<'g>| {
        x.symbols()
            .iter()
            .any(|s| p.system.v.contains(s) || z.contains(s))
    };
    let replaced = |text: &str| left_side(text).is_some_and(|left| names.contains(&&*left));
    let lines = p.model.initial.state.iter();
    let lines = lines.filter(|row| !replaced(&row.text));
    let lines = lines.map(|row| (row.text.clone(), graph.ex(row.difference)));
    let (velocities, mut positions): (Vec<_>, Vec<_>) = lines.partition(|line| moving(line.1));
    let remarks = normalise(p, &mut positions);
    let rows = |lines: Vec<(String, Ex<'g>)>| lines.into_iter().map(|line| line.1).collect();
    let (velocities, positions): (Vec<_>, Vec<_>) = (rows(velocities), rows(positions));
    let positions = straightened(positions, &p.system.q);
    let velocities = straightened(velocities, &p.system.v);
    let holonomic: Vec<Ex<'g>> = p.constraints.positions().collect();
    let mentioned = |q: Ex<'g>| {
        positions
            .iter()
            .chain(&holonomic)
            .any(|row| row.depends_on(q))
    };
    let unmentioned = p.system.q.iter().filter(|q| !mentioned(**q));
    let unmentioned = unmentioned.filter_map(|q| q.symbol_name()).collect();
    Given {
        outright: outright(&positions, &p.system.q),
        positions,
        velocities,
        unmentioned,
        remarks,
    }
}

/// Rows by linear ones that the same real states satisfy, where there are such: `sqrt(x) = 0` has no derivative where it holds,
/// `x = 0` has one.
fn straightened<'g>(rows: Vec<Ex<'g>>, moving: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let is_linear = |row: &Ex<'g>| {
        let mut slopes = row.partials(moving).into_iter();
        slopes.all(|slope| !slope.depends_on_any(moving))
    };
    let simpler = |row: Ex<'g>| {
        if is_linear(&row) {
            return vec![row];
        }
        let found = real_form(row, moving, &|_| Range::all());
        let says_all = !found.nowhere && !found.rows.is_empty() && found.sides.is_empty();
        match says_all && found.rows.iter().all(is_linear) {
            true => found.rows,
            false => vec![row],
        }
    };
    rows.into_iter().flat_map(simpler).collect()
}

/// All coordinates and velocities are given.
pub(crate) fn given_state<'g>(p: &Prepared<'g>) -> Given<'g> {
    Given {
        positions: p.system.q.clone(),
        velocities: p.system.v.clone(),
        unmentioned: Vec::new(),
        remarks: Vec::new(),
        outright: Vec::new(),
    }
}

/// The start of the model: the two-stage rule of the model format.
///
/// # Errors
/// Equations that contradict the constraints, unless the file says `inconsistent = "project"`.
pub fn start(p: &Prepared<'_>) -> Result<Start, Diagnostic> {
    p.found.start.get_or_init(|| found(p, &given(p))).clone()
}

/// As [`start`], where the equations of the file are known from the same model with other parameters.
pub(crate) fn start_of<'g>(p: &Prepared<'g>, given: &Given<'g>) -> Result<Start, Diagnostic> {
    p.found.start.get_or_init(|| found(p, given)).clone()
}

fn found<'g>(p: &Prepared<'g>, given: &Given<'g>) -> Result<Start, Diagnostic> {
    let texts = p.model.initial.state.iter().map(|row| row.text.clone());
    let time = p.constant(p.model.initial.time);
    from_equations(p, time, given, texts.collect())
}

/// Whether equations and constraints alone determine a start that satisfies them: nothing of it was chosen by the
/// kinetic energy.
pub(crate) fn is_determined<'g>(p: &Prepared<'g>, start: &Start, given: &Given<'g>) -> bool {
    let holonomic = p.constraints.positions();
    let rows: Vec<Ex<'g>> = given.positions.iter().copied().chain(holonomic).collect();
    let rows = p.rows(&rows, &[], &p.system.q);
    let Ok(problem) = VelocityProblem::new(p, start.t, &start.q, given) else {
        return false;
    };
    let z = start.z.as_deref().filter(|_| problem.w.len() > problem.n);
    let w = [&start.v, z.unwrap_or_default()].concat();
    let both = [problem.given_rows.clone(), problem.constraint_rows.clone()].concat();
    let both = p.rows(&both, &p.system.q, &problem.w);
    let (all, n) = (vec![true; w.len()], problem.n);
    !start.projected
        && w.len() == problem.w.len()
        && rows.rank(start.t, &[], &start.q, &all[..n]) == Some(n)
        && both.rank(start.t, &start.q, &w, &all) == Some(w.len())
}

/// The start at a given state instead of the model's own: all coordinates and all velocities are given,
/// and must satisfy the constraints, or are moved on to them by the same rule.
///
/// # Errors
/// As [`start`]; parameters `z` that give no velocities.
pub fn start_at(p: &Prepared<'_>, state: &State) -> Result<Start, Diagnostic> {
    let State { t, q, v, z } = state;
    let v = v.clone().or_else(|| p.velocities(*t, q, z.as_deref()?));
    let v = v.ok_or_else(|| start_error(p, "the given parameters give no velocities"))?;
    let off = p.measure(*t, q, &v).map(|m| scaled_residual(&m));
    if let Some(residual) = off.filter(|residual| *residual <= ROUNDING) {
        within_ranges(p, *t, q, &v)?;
        return Ok(Start {
            t: *t,
            q: q.clone(),
            z: z.clone().or_else(|| parameters_of(p, *t, q, &v, None)),
            v,
            given: Vec::new(),
            projected: false,
            residual_before: residual,
            residual_after: residual,
            remarks: Vec::new(),
        });
    }
    let symbols = p.system.q.iter().chain(&p.system.v);
    let pairs = symbols.zip(q.iter().chain(&v));
    let exact = pairs.map(|(symbol, value)| Some((*symbol, exactly(*value)?)));
    let Some(exact) = exact.collect::<Option<Vec<_>>>() else {
        return Err(start_error(p, "the given state is not finite"));
    };
    let text = |(symbol, value): &(Ex<'_>, Rational)| {
        let name = symbol.symbol_name().unwrap_or_default();
        format!("{name} = {}", value.to_f64())
    };
    let texts = exact.iter().map(text).collect();
    let mut rows = Vec::with_capacity(exact.len());
    for (symbol, value) in exact {
        rows.push(symbol - p.system.graph.number(value));
    }
    let velocities = rows.split_off(q.len());
    let given = Given {
        outright: outright(&rows, &p.system.q),
        positions: rows,
        velocities,
        unmentioned: Vec::new(),
        remarks: Vec::new(),
    };
    from_equations(p, *t, &given, texts)
}

/// The double as a rational number.
fn exactly(value: f64) -> Option<Rational> {
    Rational::from_decimal(&format!("{value:e}"))
}

fn from_equations<'g>(
    p: &Prepared<'g>,
    t: f64,
    given: &Given<'g>,
    texts: Vec<String>,
) -> Result<Start, Diagnostic> {
    let mut remarks = given.remarks.clone();
    if !given.unmentioned.is_empty() {
        remarks.push(format!(
            "not given and left free by the constraints, so 0: {}",
            given.unmentioned.join(", ")
        ));
    }
    let impossible = impossible_equation(p, given);
    if let Some(error) = impossible.or_else(|| impossible_beside_given(p, given)) {
        return Err(error);
    }
    let (q, missed) = positions(p, t, given, &mut remarks)?;
    if let Some((constraint, why)) = impossible_row(p) {
        return Err(inconsistent_constraints(p.model, &[constraint], &why));
    }
    let found = velocities(p, t, &q, given, &mut remarks)?;
    let (before, moved, v) = (found.before, found.are_moved, found.v);
    within_ranges(p, t, &q, &v)?;
    bounded(p, given, t, &q, &v)?;
    let (before, projected) = (before.max(missed), moved || missed > 0.0);
    let after = p
        .measure(t, &q, &v)
        .map_or(f64::NAN, |m| scaled_residual(&m));
    let z = found.z.or_else(|| parameters_of(p, t, &q, &v, None));
    Ok(Start {
        t,
        q,
        v,
        z,
        given: texts,
        projected,
        residual_before: before,
        residual_after: after,
        remarks,
    })
}

/// Coordinates: the given equations and the holonomic rows hold, what is left free is 0. With them the
/// relative residual of the holonomic rows where the coordinates had to be moved on to them, else 0.
///
/// One piece: the order in which starts of Newton's method are tried, and what is said where none leads anywhere.
fn positions<'g>(
    p: &Prepared<'g>,
    t: f64,
    given: &Given<'g>,
    remarks: &mut Vec<String>,
) -> Result<(Vec<f64>, f64), Diagnostic> {
    let n = p.system.n();
    let holonomic: Vec<_> = p.constraints.positions().collect();
    let together = [given.positions.clone(), holonomic.clone()].concat();
    let failed = |error: EvalError| {
        start_error(
            p,
            &format!(
                "no coordinates were found that satisfy the equations: with 0 for those that are not given, {error}"
            ),
        )
    };
    let wanted = p.rows(&given.positions, &[], &p.system.q);
    let rest = at_rest(p).start;
    let mut taken = false;
    let wanted = match wanted.minimize(t, &[], &at_rest(p)) {
        Ok(found) if found.residual <= SOLVED => Ok(found),
        first => elsewhere(p, t, given, (&given.positions, &rest), &mut taken).map_or(first, Ok),
    };
    // What is given is where Newton's method starts: at rest a row may have no derivative.
    let close = wanted
        .as_ref()
        .ok()
        .filter(|found| found.residual <= SOLVED);
    let close = close.map(|found| snapped(p, t, given, found.w.clone()));
    if let (Some(w), Ok(found)) = (&close, &wanted)
        && found.rank == n
        && satisfied(p, t, &holonomic, w)
    {
        if taken {
            remarks.push(TAKEN.to_owned());
        }
        return Ok((positive_image(p, t, given, w.clone(), remarks), 0.0));
    }
    let rows = p.rows(&together, &[], &p.system.q);
    // Each given equation may say something more.
    let most = || Some((of_positions(p)? + given.positions.len()).min(n));
    let from = |start: &Vec<f64>| {
        let goal = Goal {
            start: start.clone(),
            ..at_rest(p)
        };
        rows.minimize_or(t, &[], &goal, most)
    };
    let mut both = || {
        let found = match (rows.minimize(t, &[], &at_rest(p)), &close) {
            (Ok(found), _) if found.residual <= SOLVED => Ok(found),
            (_, Some(close)) => from(close),
            (found, None) => found,
        };
        let near = close.as_ref().unwrap_or(&rest);
        match found {
            Ok(found) if found.residual <= SOLVED => Ok(found),
            // Newton's method may have ended on its way to a large root.
            other => elsewhere(p, t, given, (&together, near), &mut taken).map_or(other, Ok),
        }
        .map_err(failed)
    };
    let alone = p.rows(&holonomic, &[], &p.system.q);
    // Coordinates that are given one by one cannot move on to the rows.
    let is_fixed = given.outright.len() == given.positions.len()
        && wanted.as_ref().is_ok_and(|found| found.rank == n);
    let is_far = |w: &Vec<f64>| {
        let state = [&w[..], &vec![0.0; n]].concat();
        are_out_of_reach(p, &holonomic, (&p.system.q, w), (t, &state), &identity(n))
    };
    let found = match close.as_ref().filter(|_| is_fixed).is_some_and(is_far) {
        true => None,
        false => Some(both()?),
    };
    if let Some(found) = found.filter(|found| found.residual <= SOLVED) {
        if taken {
            remarks.push(TAKEN.to_owned());
        } else if found.rank + given.unmentioned.len() < n {
            let nearest = "the given coordinates and the constraints leave a choice: the one nearest to 0 was taken";
            remarks.push(nearest.to_owned());
        }
        let place = Solution::of_place(p, t, &found.w);
        let root = double_root_beside(p, &together, &given.outright, place);
        let found = snapped(p, t, given, root.unwrap_or(found.w));
        return Ok((positive_image(p, t, given, found, remarks), 0.0));
    }
    let wanted = wanted.map_err(failed)?;
    if wanted.residual > SOLVED {
        return Err(start_error(
            p,
            "the equations for the coordinates contradict each other",
        ));
    }
    let is_given: Vec<bool> = (p.system.q.iter())
        .map(|q| given.positions.iter().any(|row| row.depends_on(*q)))
        .collect();
    let metric = mass_at(p, t, &wanted.w, &vec![0.0; n]).unwrap_or_else(|| identity(n));
    let ranks = || of_positions(p);
    let given_q = wanted.w;
    let not_given = NotGiven {
        rows: &alone,
        is_linear: !are_nonlinear(&holonomic, &p.system.q),
        metric: &metric,
        is_given: &is_given,
    };
    let wanted = not_given.completed((t, &[]), &given_q, ranks);
    let residuals = alone.residuals(t, &wanted).map_err(failed)?;
    let misses = missed_positions(p, &alone, (t, &wanted), &residuals);
    if !misses.is_empty() && p.model.initial.inconsistent != Some(Inconsistent::Project) {
        let near = nearest_positions(p, t, &wanted, &vec![0.0; n]);
        if near.is_none() && given.positions.is_empty() {
            let entries: Vec<usize> = p
                .constraints
                .holonomic()
                .map(|row| row.constraint)
                .collect();
            let why = "no coordinates were found that satisfy them at the initial time";
            return Err(inconsistent_constraints(p.model, &entries, why));
        }
        let (v, near) = with_velocities(p, t, given, near);
        let error = inconsistent_start(p.model, &misses);
        return Err(error.note(nearest_in_words(p, t, (&given_q, &v), near)));
    }
    let missed = residuals
        .iter()
        .map(|(residual, size)| (residual / size).abs());
    let missed = missed.fold(0.0, f64::max);
    let metric = mass_at(p, t, &wanted, &vec![0.0; n]).unwrap_or_else(|| identity(n));
    let free = (0..n)
        .map(|i| !p.model.initial.keep_positions.contains(&i))
        .collect();
    let goal = Goal::nearest(metric, wanted, free);
    let moved = alone.minimize_or(t, &[], &goal, ranks);
    let moved = moved.map_err(failed)?;
    if moved.residual > SOLVED {
        return Err(start_error(
            p,
            "no coordinates nearby satisfy the holonomic constraints",
        ));
    }
    let place = Solution::of_place(p, t, &moved.w);
    let root = double_root_beside(p, &holonomic, &given.outright, place);
    Ok((root.unwrap_or(moved.w), missed))
}

/// The holonomic constraints that coordinates miss, and by how much: by more than their digits explain.
pub(super) fn missed_positions(
    p: &Prepared<'_>,
    rows: &Rows,
    (t, q): (f64, &[f64]),
    residuals: &[(f64, f64)],
) -> Vec<(usize, f64)> {
    let printed = of_nine_digits(rows, t, q);
    let entries = p.constraints.holonomic().map(|row| row.constraint);
    let printed = printed.into_iter().chain(std::iter::repeat(0.0));
    let misses = entries.zip(residuals.iter().zip(printed));
    let is_missed = |(residual, size): (f64, f64), printed: f64| {
        let is_lost = size == f64::INFINITY && residual != 0.0;
        residual.is_nan() || is_lost || residual.abs() > printed.max(ROUNDING * size)
    };
    misses
        .filter(|(_, (residual, printed))| is_missed(**residual, *printed))
        .map(|(entry, ((residual, _), _))| (entry, *residual))
        .collect()
}

/// A solution of rows that have no value or no derivative at rest, as `z = sqrt(x)`: with the values that are given
/// outright, else from other coordinates, which are then `taken`.
fn elsewhere<'g>(
    p: &Prepared<'g>,
    t: f64,
    given: &Given<'g>,
    (rows, near): (&[Ex<'g>], &[f64]),
    taken: &mut bool,
) -> Option<Found> {
    let near = snapped(p, t, given, near.to_vec());
    let compiled = p.rows(rows, &[], &p.system.q);
    if !are_nonlinear(rows, &p.system.q) {
        // What linear equations miss nearby they miss everywhere; not so constant ones with jumps.
        let found = have_jumps(rows, &p.system.q).then(|| compiled.held_at_units(t, &[], &near))?;
        *taken |= found.is_some();
        return found;
    }
    let nearest = |start: Vec<f64>| {
        let free = vec![true; start.len()];
        let goal = Goal::nearest(identity(start.len()), start, free);
        let found = compiled.minimize(t, &[], &goal);
        found.ok().filter(|found| found.residual <= SOLVED)
    };
    let in_turn = || one_by_one(p, (t, Unknowns::Coordinates), rows, &near, nearest);
    nearest(near.clone()).or_else(in_turn).or_else(|| {
        // Coordinates of which these rows do not speak begin where they are.
        let from = |moved: &[Ex<'g>]| {
            let mut starts = compiled.starts(t, &[], &near);
            starts.find_map(|mut start| {
                for (i, q) in p.system.q.iter().enumerate() {
                    if !moved.iter().any(|row| row.depends_on(*q)) {
                        start[i] = near[i];
                    }
                }
                nearest(compiled.root(t, &[], &start)?)
            })
        };
        // At an extremum, as `cos(x) = 1/2` has at 0, no correction leads on: then all are moved.
        let without = Some(without_value(p, t, rows, &near)).filter(|rows| !rows.is_empty());
        let found = without
            .and_then(|rows| from(&rows))
            .or_else(|| from(rows))
            .or_else(|| compiled.held_at_units(t, &[], &near))?;
        *taken = true;
        Some(found)
    })
}

/// The rows that have no value or no derivative at some coordinates.
fn without_value<'g>(p: &Prepared<'g>, t: f64, rows: &[Ex<'g>], q: &[f64]) -> Vec<Ex<'g>> {
    let state = [q, &vec![0.0; q.len()]].concat();
    let has_value = |row: &Ex<'g>| {
        let all = [vec![*row], row.partials(&p.system.q)].concat();
        let values = p.functions_of(&all).results(t, &state);
        values.is_ok_and(|values| values.iter().all(|x| x.is_finite()))
    };
    rows.iter().filter(|row| !has_value(row)).copied().collect()
}

/// Whether complete coordinates satisfy the rows to rounding; no derivative is asked for.
pub(super) fn satisfied<'g>(p: &Prepared<'g>, t: f64, rows: &[Ex<'g>], q: &[f64]) -> bool {
    let residuals = p.rows(rows, &[], &p.system.q).residuals(t, q);
    residuals.is_ok_and(|rows| rows.iter().all(|(c, size)| c.abs() <= SOLVED * size))
}

/// The coordinates nearest to their values at rest.
pub(crate) fn at_rest(p: &Prepared<'_>) -> Goal {
    let n = p.system.n();
    let rest = p.model.coordinates.iter().map(|q| f64::from(q.rest));
    Goal::nearest(identity(n), rest.collect(), vec![true; n])
}

/// Newton's result with the values that equations give outright put in exactly.
fn snapped<'g>(p: &Prepared<'g>, t: f64, given: &Given<'g>, mut w: Vec<f64>) -> Vec<f64> {
    let values: Vec<Ex<'g>> = given.outright.iter().map(|(_, value)| *value).collect();
    let anywhere = vec![0.0; 2 * w.len()];
    if let Ok(values) = p.functions_of(&values).results(t, &anywhere) {
        for ((i, _), value) in given.outright.iter().zip(values) {
            w[*i] = value;
        }
    }
    w
}

/// Velocities: the given equations and the constraints hold with least kinetic energy; where
/// they cannot, the given ones are moved least in the kinetic metric, if the file allows it.
pub(super) fn velocities<'g>(
    p: &Prepared<'g>,
    t: f64,
    q: &[f64],
    given: &Given<'g>,
    remarks: &mut Vec<String>,
) -> Result<Velocities, Diagnostic> {
    let problem = VelocityProblem::new(p, t, q, given)?;
    let wanted = problem.wanted(p, given, remarks);
    let wanted = wanted.map_err(|why| why.note(REMOVE))?;
    let (v_wanted, _) = problem.split(&wanted.w);
    let before = p
        .measure(t, q, &v_wanted)
        .map_or(f64::NAN, |m| scaled_residual(&m));
    let both = [problem.given_rows.clone(), problem.constraint_rows.clone()].concat();
    let helps = || problem.what_helps(&both);
    let complete = wanted.rank == problem.w.len() && before <= ROUNDING;
    if wanted.residual <= SOLVED && before == 0.0 {
        // Nothing to be found, even where the constraints have no derivative.
        return Ok(problem.as_given(given, &wanted, before, remarks));
    }
    if wanted.residual <= SOLVED && before > ROUNDING && problem.is_out_of_reach(p, &wanted) {
        return moved(p, (t, q, &v_wanted), given, wanted.residual, remarks);
    }
    // From the given velocities on: the constraints may have no derivative at rest.
    let used = match problem.solve(p, &both, wanted.w.clone()) {
        Err(_) if complete && wanted.residual <= SOLVED => wanted.clone(),
        Ok(used) if used.residual <= SOLVED => match before > ROUNDING {
            true => problem.least_of_several(p, &both, used, remarks),
            false => used,
        },
        used => match problem.elsewhere(p, &both, &wanted.w) {
            Some(found) => {
                // Where all are given there is no choice.
                if wanted.rank < problem.w.len() {
                    remarks.push(CHOSEN.to_owned());
                }
                problem.least_of_several(p, &both, found, remarks)
            }
            None if wanted.rank < problem.w.len() => used.map_err(|why| why.note(helps()))?,
            None => used.map_err(|why| why.note(REMOVE))?,
        },
    };
    let used = problem.polished(p, &both, used);
    let as_good = before <= used.residual || (complete && used.residual > SOLVED);
    if wanted.residual <= SOLVED && before <= ROUNDING && as_good {
        return Ok(problem.as_given(given, &wanted, before, remarks));
    }
    if used.residual <= SOLVED {
        let (v, _) = problem.split(&used.w);
        // In a moving frame velocities of least energy are not 0 without any row. One that was chosen from elsewhere need
        // not have the least.
        let is_other = before > ROUNDING || differ(&v, &v_wanted);
        if is_other && !remarks.iter().any(|remark| remark == CHOSEN) {
            remarks.push(LEAST_ENERGY.to_owned());
        }
        return Ok(problem.velocities(&used.w, before));
    }
    moved(p, (t, q, &v_wanted), given, wanted.residual, remarks)
}

/// Whether velocities differ by more than rounding.
fn differ(v: &[f64], other: &[f64]) -> bool {
    let differences = v.iter().zip(other).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max) > ROUNDING * linear::max_norm(v)
}

/// The given velocities moved on to the constraints, with what is said of it.
fn moved<'g>(
    p: &Prepared<'g>,
    (t, q, wanted): (f64, &[f64], &[f64]),
    given: &Given<'g>,
    contradiction: f64,
    remarks: &mut Vec<String>,
) -> Result<Velocities, Diagnostic> {
    let own_rows = velocity_rows(p);
    // Rows on `z` may give any velocity.
    let speaks = |row: &Ex<'g>, v: Ex<'g>| row.depends_on(v) || !row.depends_on_any(&p.system.v);
    let is_given: Vec<bool> = (p.system.v.iter())
        .map(|v| given.velocities.iter().any(|row| speaks(row, *v)))
        .collect();
    let metric = mass_at(p, t, q, wanted).unwrap_or_else(|| identity(wanted.len()));
    let rows = p.rows(&own_rows, &p.system.q, &p.system.v);
    let is_linear = !are_nonlinear(&own_rows, &p.system.v);
    let not_given = NotGiven {
        rows: &rows,
        is_linear,
        metric: &metric,
        is_given: &is_given,
    };
    let wanted = not_given.completed((t, q), wanted, || Some(exact(p)?.a));
    let before = p
        .measure(t, q, &wanted)
        .map_or(f64::NAN, |m| scaled_residual(&m));
    let v = moved_velocities(p, t, q, &wanted, contradiction)?;
    let solution = Solution::at_place(p, (t, q), &p.system.v, &v);
    let v = double_root(p, &own_rows, solution).unwrap_or(v);
    let said = if is_linear { MOVED } else { MOVED_TO_SHEET };
    remarks.push(said.to_owned());
    Ok(Velocities {
        v,
        z: None,
        before,
        are_moved: true,
    })
}

/// The given velocities moved on to the constraints, where the file allows it and it can be done.
fn moved_velocities(
    p: &Prepared<'_>,
    t: f64,
    q: &[f64],
    wanted: &[f64],
    contradiction: f64,
) -> Result<Vec<f64>, Diagnostic> {
    let Some((near_q, near_v)) = nearest_on_constraints(p, t, q, wanted) else {
        let (rest, free) = (vec![0.0; wanted.len()], vec![true; wanted.len()]);
        if nearest_velocities(p, t, q, &rest, &free).is_some() {
            return Err(missed(p, t, q, wanted));
        }
        let active = p.constraints.active();
        let mut entries: Vec<usize> = active.map(|row| row.constraint).collect();
        entries.dedup();
        if hold_somewhere(p, t, q, wanted) {
            let why = "at its coordinates no velocities satisfy the constraints";
            return Err(start_error(p, why).note("give other coordinates in `state` of [initial]"));
        }
        let mut rows = p.constraints.active().filter_map(|row| row.phi);
        // Those that are affine contradict each other at all times, since they do at scattered states.
        if rows.any(|phi| phi.depends_on(p.system.t) && !is_affine(&p.system, phi)) {
            let why = "at its time and coordinates no velocities satisfy the constraints";
            let others = "give another `t`, or other coordinates in `state`, of [initial]";
            return Err(start_error(p, why).note(others));
        }
        let why = "no velocities satisfy them at the initial time and coordinates";
        return Err(inconsistent_constraints(p.model, &entries, why));
    };
    if contradiction > SOLVED {
        let error = "the equations for the velocities contradict each other";
        return Err(start_error(p, error).note(FIRST));
    }
    if p.model.initial.inconsistent != Some(Inconsistent::Project) {
        return Err(missed(p, t, q, wanted));
    }
    let free: Vec<bool> = (0..p.system.n())
        .map(|i| !p.model.initial.keep.contains(&i))
        .collect();
    let moved = nearest_velocities(p, t, q, wanted, &free);
    // Dependent rows contradict each other a little where the coordinates miss them by rounding: what satisfies
    // them all the same, if anything does, is far away.
    let size = linear::max_norm(q.iter());
    let mut moves = q.iter().zip(&near_q).map(|(x, near)| (x - near).abs());
    let close = moves.all(|far| far <= ROUNDING * size) && free.iter().all(|free| *free);
    let moved = match moved {
        Some(moved) if !close || !is_nearer(p, t, q, wanted, [&near_v, &moved]) => Some(moved),
        moved => close.then_some(near_v).or(moved),
    };
    let why = "no velocities nearby satisfy the constraints with those in `keep` untouched";
    moved.ok_or_else(|| start_error(p, why))
}

/// `v - psi` and `z`, where an initial equation speaks of `z`, or no row says which velocities there are.
pub(crate) fn motion_rows<'g>(
    p: &Prepared<'g>,
    given: &Given<'g>,
) -> Option<(Vec<Ex<'g>>, Vec<Ex<'g>>)> {
    let parametric = p.constraints.parametric.as_ref()?;
    let spoken = |z: &Ex<'g>| given.velocities.iter().any(|row| row.depends_on(*z));
    // Without rows nothing else says which velocities there are.
    let alone = p.constraints.motion_alone().is_some() && !given.velocities.is_empty();
    match alone || parametric.z.iter().any(spoken) {
        true => rows_of_motion(p),
        false => None,
    }
}

/// `T_v`, where that is not `L_v`: forces by a potential of the velocities are no kinetic energy, nor is what a Lagrangian by
/// itself has of first degree in the velocities.
pub(crate) fn kinetic_momentum<'g>(p: &Prepared<'g>) -> Option<Interpreter> {
    let system = &p.system;
    if system.kinetic_of_positional_potential().is_some() {
        return None;
    }
    let zero = system.graph.zero();
    let at_rest: Vec<(Ex<'g>, Ex<'g>)> = system.v.iter().map(|v| (*v, zero)).collect();
    let by = |v: &Ex<'g>| match p.model.kinetic {
        Some(kinetic) => system.graph.ex(kinetic).diff(*v),
        None => {
            let momentum = system.lagrangian.diff(*v);
            momentum - momentum.substitute(&at_rest)
        }
    };
    Some(p.functions_of(&system.v.iter().map(by).collect::<Vec<_>>()))
}

/// The constraints that the given state misses, and by how much.
pub(crate) fn missed(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Diagnostic {
    let rows = p
        .constraints
        .rows
        .iter()
        .filter(|row| row.is_active() && row.phi.is_some());
    let measured = p.measure(t, q, v);
    let values = measured
        .as_ref()
        .map_or_else(Vec::new, |m| m.table(function::PHI).entries);
    let scaled = measured.as_ref().map(|m| residuals(m));
    let scaled = scaled.map_or_else(Vec::new, |[velocities, _]| velocities);
    let missed = rows
        .zip(values.iter().zip(&scaled))
        .filter(|(_, (_, scaled))| scaled.is_nan() || **scaled > ROUNDING);
    let missed: Vec<(usize, f64)> = missed
        .map(|(row, (x, _))| (row.constraint, x.value))
        .collect();
    let near = nearest_on_constraints(p, t, q, v);
    inconsistent_start(p.model, &missed).note(nearest_in_words(p, t, (q, v), near))
}

/// What helps against a start that says too much.
const REMOVE: &str = "remove or correct an equation of [initial]";
const FIRST: &str = "coordinates are found first, from the equations without velocities";
const MOVED: &str = "the given velocities were moved to the nearest that satisfy the constraints";
const MOVED_TO_SHEET: &str =
    "the given velocities were moved to the nearest sheet of the constraints";
const LEAST_ENERGY: &str =
    "velocities that are not given follow from the constraints with least kinetic energy";
/// What is said where coordinates were found away from those given.
const TAKEN: &str = "with 0 for the coordinates that are not given, the equations have no value or no derivative: \
    another solution was taken; give more coordinates in `state` to choose it";
/// What is said where velocities were found away from those given.
const CHOSEN: &str = "with 0 for the velocities that are not given, the constraints have no value or no derivative: \
    another solution was taken; give more velocities in `state` to choose it";

pub(super) fn start_error(p: &Prepared<'_>, what: &str) -> Diagnostic {
    match of_parameters(p) {
        Some(text) => bare_error(
            p,
            &format!("`{text}` contains no coordinate or velocity, and is false"),
        )
        .note("parameters have their values in [parameters], and others by `-p` or `params`"),
        None => bare_error(p, what).note(REMOVE),
    }
}

/// An equation of the start that holds at no state, for it speaks of parameters only.
fn of_parameters<'p>(p: &'p Prepared<'_>) -> Option<&'p str> {
    let graph = p.system.graph;
    let parameters: Vec<_> = p
        .model
        .parameters
        .iter()
        .map(|parameter| parameter.symbol)
        .collect();
    let fails = |condition: &&Condition| {
        let x = graph.ex(condition.difference);
        // Others may speak of z or u, which are no inputs here.
        let is_constant = x.symbols().iter().all(|s| parameters.contains(&s.id()));
        is_constant && p.constant(condition.difference).abs() > 0.0
    };
    let found = p.model.initial.state.iter().find(fails);
    found.map(|condition| condition.text.as_str())
}

/// The error that the start is inconsistent, without advice.
pub(super) fn bare_error(p: &Prepared<'_>, what: &str) -> Diagnostic {
    let message = format!("the initial state is inconsistent: {what}");
    Diagnostic::new(Code::InconsistentStart, message, p.model.initial.span, "")
}
