//! Rates in independent speeds alone, by dependent velocities that are chosen for the state where a motion begins.

use appell_expr::{Ex, Rational};
use appell_flow::{Interpreter, Parameters, linear};
use appell_mech::{Choice, Constraints, Reduced, System, output, reduced_by_choice};

/// A state, and the units of its velocities in which all have the same kinetic energy.
pub(crate) struct Speeds {
    pub t: f64,
    /// `(q, v)`
    pub state: Vec<f64>,
    pub units: Vec<f64>,
}

/// The reduced equations with the rows that give no velocity solved for those velocities for which they are conditioned
/// best at a state. `None` where there are no such rows, or they are not to be solved.
pub(super) fn by_choice<'g>(
    short: &Reduced<'g>,
    inputs: &[Ex<'g>],
    (system, constraints, parameters): (&System<'g>, &Constraints<'g>, &Parameters),
    speeds: &dyn Fn() -> Option<Speeds>,
) -> Option<Reduced<'g>> {
    let open = short.sketch.get(output::OPEN)?;
    let (rows, columns) = (open.rows(), open.columns());
    let program = short.sketch.program(inputs, &[output::OPEN]).ok()?;
    let Speeds { t, state, units } = speeds()?;
    let entries = Interpreter::new(program, parameters)
        .measured(t, &state)
        .ok()?;
    let values: Vec<f64> = entries.iter().map(|x| x.value).collect();
    let sizes: Vec<f64> = entries.iter().map(|x| x.size).collect();
    let scales: Vec<f64> = short.free.iter().map(|k| units[*k]).collect();
    let pivots = linear::pivots(None, Some(&scales), rows, columns, &values, &sizes);
    let chosen: Vec<usize> = pivots.iter().map(|(_, column)| *column).collect();
    let entry = |i: usize, j: usize| values[i * columns + chosen[j]];
    let places = (0..rows).flat_map(|i| (0..chosen.len()).map(move |j| (i, j)));
    let square: Vec<f64> = places.map(|(i, j)| entry(i, j)).collect();
    let determinant = linear::determinant(rows, (chosen.len() == rows).then_some(&square)?);
    let choice = Choice {
        dependent: chosen.iter().map(|j| short.free[*j]).collect(),
        scale: inverse_power(determinant)?,
    };
    reduced_by_choice(system, constraints, &choice)
}

/// The power of two nearest to `1/|x|`, which scales without rounding.
fn inverse_power(x: f64) -> Option<Rational> {
    let exponent = x.abs().log2().round();
    let fits = exponent.abs() < 60.0;
    fits.then(|| Rational::from(2).pow(-exponent as i64))
        .flatten()
}
