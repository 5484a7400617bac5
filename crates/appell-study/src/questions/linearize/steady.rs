//! Whether a state belongs to an equilibrium or a steady motion.

use super::reduction::Reduction;
use super::{Linearizer, Local, OperatingPoint, SPREAD};
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use crate::values::stationary::is_piecewise_in;
use appell_flow::linear;
use appell_mech::{Carrier, function, output};
use appell_model::{Code, Diagnostic};

/// How a refusal begins.
pub(crate) const NOT_STEADY: &str = "not steady: ";
/// Forces below this part of their terms are balanced: states are given with so many digits.
const BALANCED: f64 = 1e-8;
/// Rounding of a solve, relative to the largest force of all.
const ROUNDING: f64 = 1e-13;
/// Velocities below this part of the largest are rounding.
const RESTING: f64 = 1e-10;
/// Two matrices are the same up to this.
const SAME: f64 = 1e-8;
/// How far the state is moved along its motion to see that nothing changes, in units of its speed.
const SHIFTS: [f64; 3] = [0.37, 1.1, -2.3];

/// All velocities must be constant: `q'' = 0`, and on `(q, z)` also `z' = 0`.
pub(super) fn check_accelerations(
    linearizer: &Linearizer<'_>,
    p: &Prepared<'_>,
    at: &OperatingPoint,
) -> Result<(), Error> {
    let accelerations = linearizer.value(at, output::ACCEL)?;
    if is_balanced(linearizer, p, at, &accelerations)? {
        return Ok(());
    }
    let most = |values: &[f64]| linear::max_norm(values.iter());
    let (largest, speed) = (most(&accelerations), most(&at.v));
    if largest <= ROUNDING * speed * speed.max(1.0) {
        return Ok(());
    }
    let coordinates = p.model.coordinates.iter().zip(&accelerations);
    let moved = coordinates.filter(|(_, a)| a.abs() > 1e-6 * largest);
    let short = |x: f64| {
        let x: f64 = format!("{x:.5e}").parse().unwrap_or(x);
        match (1e-5..1e9).contains(&x.abs()) {
            true => x.to_string(),
            false => format!("{x:e}"),
        }
    };
    let moved: Vec<String> = moved
        .map(|(c, a)| format!("{}'' = {}", c.name, short(*a)))
        .collect();
    let what = if moved.is_empty() {
        "the rates of the motion variables do not vanish".to_owned()
    } else {
        moved.join(", ")
    };
    let message = format!("{NOT_STEADY}{what} at t = {}", at.t);
    Err(unsteady(&message, OTHERS_MAY_BE))
}

/// What to do where other states may be steady.
const OTHERS_MAY_BE: &str = "give such a state with --at FILE, or change equations of [initial], as with --initial \"x' = 0\"; a \
                             motion on a circle is steady in coordinates that turn with it";
/// Why no state is.
const NO_OTHER_IS: &str =
    "equations that depend on the time have no constant coefficients at any state";

/// The refusal of a state, with what is true of others.
fn unsteady(message: &str, others: &str) -> Error {
    let diagnostic = Diagnostic::new(Code::NotSteady, message, Default::default(), "");
    let needs = "linear equations hold about an equilibrium or a steady motion: all velocities constant, \
                 and only coordinates that the equations ignore moving";
    diagnostic.note(needs).note(others).into()
}

/// Whether `M q''` is below the rounding of the forces, row by row, and `B` that of its terms.
fn is_balanced(
    linearizer: &Linearizer<'_>,
    p: &Prepared<'_>,
    at: &OperatingPoint,
    accelerations: &[f64],
) -> Result<bool, Error> {
    let n = p.system.n();
    let q = &at.y[..n];
    let no_value = || Error::NoValue("the mechanics has no value at the state".to_owned());
    let m = p.measure(at.t, q, &at.v).ok_or_else(no_value)?;
    let (mass, right) = (m.table(function::MASS).values(), m.table(function::RIGHT));
    let reaction = linearizer.value(at, output::REACTION)?;
    let forces = right.entries.iter().zip(&reaction);
    let sizes: Vec<f64> = forces
        .map(|(r, reaction)| r.size + reaction.abs())
        .collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let balanced = |a: &[f64]| {
        (0..n).all(|i| {
            let inertia: f64 = (0..n).map(|j| mass[i * n + j] * a[j]).sum();
            inertia.abs() <= BALANCED * sizes[i] + ROUNDING * largest
        })
    };
    // Terms of B may be rounding themselves: what counts is what the velocities make of the rows.
    let speed = linear::max_norm(at.v.iter());
    let rows = m.table(function::A);
    let drift = m.table(function::B).entries;
    let still = drift.iter().enumerate().all(|(row, b)| {
        let line = rows.entries[row * n..(row + 1) * n].iter();
        let usual = line.map(|a| a.value.abs()).sum::<f64>() * speed * speed;
        b.value.abs() <= BALANCED * b.size + ROUNDING * usual
    });
    if linearizer.equations.carrier != Carrier::Parameters {
        return Ok(balanced(accelerations) && still);
    }
    let (z, rate) = (&at.y[n..], linearizer.value(at, output::RATE)?);
    let psi = p
        .measure_parametric(at.t, q, z)
        .ok_or_else(no_value)?
        .table("psi_z");
    let along: Vec<f64> = (0..n)
        .map(|i| {
            (0..z.len())
                .map(|j| psi.entries[i * z.len() + j].value * rate[n + j])
                .sum()
        })
        .collect();
    Ok(balanced(accelerations) && balanced(&along))
}

/// The coordinates that move, which the field and the constraints must ignore: neither the
/// accelerations nor the linear equations change along the motion, nor with the time.
///
/// One piece: what changes, and by what.
pub(super) fn check_motion(
    linearizer: &Linearizer<'_>,
    p: &Prepared<'_>,
    at: &OperatingPoint,
    reduction: &Reduction,
    here: &Local,
) -> Result<Vec<usize>, Error> {
    let speed = linear::max_norm(at.v.iter());
    let moving: Vec<usize> = (0..at.v.len())
        .filter(|i| at.v[*i].abs() > RESTING * speed)
        .collect();
    let pace = if speed > 0.0 { 1.0 / speed } else { 1.0 };
    // The time has a scale of its own.
    let mut paces = vec![pace; usize::from(speed > 0.0)];
    paces.extend((!linearizer.stationary).then_some(1.0));
    let shifts = paces.iter().flat_map(|pace| SHIFTS.map(|s| s * pace));
    let same = |t: f64, dq: &dyn Fn(usize) -> f64| {
        let mut there = OperatingPoint {
            t: at.t + t,
            y: at.y.clone(),
            v: at.v.clone(),
            z: None,
        };
        (0..at.v.len()).for_each(|i| there.y[i] += dq(i));
        let still = linearizer.value(&there, output::ACCEL);
        let still = still.and_then(|a| is_balanced(linearizer, p, &there, &a));
        let local = linearizer.local(p, &there, reduction);
        let rounding = |local: &Local| {
            let ends = [(at, here), (&there, local)];
            ends.map(|(at, end)| linearizer.changes(p, at, reduction, &end.matrix))
        };
        let same = |local| is_same(here, &local, || rounding(&local));
        still.is_ok_and(|still| still) && local.is_ok_and(same)
    };
    let shifts: Vec<f64> = shifts.collect();
    let time = |s: f64| if linearizer.stationary { 0.0 } else { s };
    // Shifts do not reach every switch.
    let switched = !linearizer.stationary && is_piecewise_in(p, p.system.t);
    if !switched && shifts.iter().all(|s| same(time(*s), &|i| s * at.v[i])) {
        return Ok(moving);
    }
    let alone = |i: usize| {
        let moved = |s: f64| move |j: usize| if i == j { s * at.v[i] } else { 0.0 };
        shifts.iter().all(|s| same(0.0, &moved(*s)))
    };
    let named = |i: &usize| format!("`{}`", p.model.coordinates[*i].name);
    let mut guilty: Vec<String> = moving.iter().filter(|i| !alone(**i)).map(named).collect();
    if switched || !linearizer.stationary && !shifts.iter().all(|s| same(*s, &|_| 0.0)) {
        guilty.push("the time".to_owned());
    }
    let message = match guilty.as_slice() {
        [] => format!(
            "{NOT_STEADY}the equations change as {} move together",
            moving.iter().map(named).collect::<Vec<_>>().join(", ")
        ),
        guilty => format!(
            "{NOT_STEADY}the equations depend on {}, which {} along the motion",
            guilty.join(" and "),
            if guilty.len() == 1 {
                "changes"
            } else {
                "change"
            }
        ),
    };
    let others = match linearizer.stationary {
        true => OTHERS_MAY_BE,
        false => NO_OTHER_IS,
    };
    Err(unsteady(&message, others))
}

/// Whether bases and matrices are the same, these up to their rounding, which is asked for where it matters.
fn is_same(a: &Local, b: &Local, changes: impl FnOnce() -> [Vec<f64>; 2]) -> bool {
    let columns = a.basis.len();
    let flat = |basis: &[Vec<f64>]| basis.concat();
    let size = a.basis.first().map_or(0, Vec::len);
    let same = |rounding: &[f64]| agree(&a.matrix, &b.matrix, columns, rounding);
    let rounding = || {
        let [here, there] = changes();
        let both = here.iter().zip(there);
        both.map(|(a, b)| SPREAD * (a + b)).collect::<Vec<f64>>()
    };
    agree(&flat(&a.basis), &flat(&b.basis), size, &[]) && (same(&[]) || same(&rounding()))
}

/// Whether two matrices agree, each entry relative to its row and its column, for units may differ, or up to its own
/// rounding.
fn agree(a: &[f64], b: &[f64], columns: usize, own_rounding: &[f64]) -> bool {
    if columns == 0 {
        return true;
    }
    let rows = a.len() / columns;
    let largest = |places: &mut dyn Iterator<Item = usize>| {
        places.fold(0.0, |size: f64, place| size.max(a[place].abs()))
    };
    let by_row: Vec<f64> = (0..rows)
        .map(|i| largest(&mut (i * columns..(i + 1) * columns)))
        .collect();
    let by_column: Vec<f64> = (0..columns)
        .map(|j| largest(&mut (0..rows).map(|i| i * columns + j)))
        .collect();
    let rounding = ROUNDING
        * a.iter()
            .chain(b)
            .fold(0.0, |size: f64, x| size.max(x.abs()));
    (0..a.len()).all(|place| {
        let size = f64::min(by_row[place / columns], by_column[place % columns]);
        let here = own_rounding.get(place).copied().unwrap_or(0.0);
        (a[place] - b[place]).abs() <= SAME * size.max(a[place].abs()) + rounding + here
    })
}
