//! Rows on the place that rows on velocities hide.
//!
//! Rows `A v + b = 0` whose `A` has a lower rank than `[A|b]` have velocities only where `y b = 0` for
//! every `y` with `y A = 0`: `x' = y' + z` and `x' = y'` say `z = 0`, and so `z' = 0`, which may hide more. So do curved rows
//! once affine ones give their velocities: `x' = y`, `y' = -x` and `x'^2 + y'^2 = 1` say `x^2 + y^2 = 1`.

use crate::constraints::{Constraints, Hidden};
use crate::distribution::{forms, is_affine, solved, states_on};
use crate::system::System;
use appell_expr::{Ex, Fractions, Locus, Matrix, Range, differs_on, generic_rank, real_form};
use appell_model::Level;

/// Rates of hidden rows may hide further ones, so often.
const MOST_ROUNDS: usize = 3;

/// The hidden rows, each with the names of the rows that it follows from.
pub fn hidden_rows<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Vec<Hidden<'g>> {
    let mut extended = constraints.clone();
    let (mut rows, curved) = named_rows(system, constraints);
    if !may_hide(system, constraints, &rows) && (rows.is_empty() || curved.is_empty()) {
        return Vec::new();
    }
    for _ in 0..MOST_ROUNDS {
        let found = one_round(system, &extended, &rows, &curved);
        if found.is_empty() {
            break;
        }
        rows.extend(found.iter().map(|row| (row.of.clone(), row.rate)));
        extended.hidden.extend(found);
    }
    let (given, _) = named_rows(system, constraints);
    let given: Vec<Ex<'g>> = given.into_iter().map(|(_, row)| row).collect();
    let mut hidden = extended.hidden.clone();
    for row in &mut hidden {
        row.kept = rank(system, &extended, &[given.as_slice(), &[row.rate]].concat())
            == rank(system, &extended, &given);
    }
    hidden
}

/// The generic rank of rows in the velocities.
fn rank<'g>(system: &System<'g>, constraints: &Constraints<'g>, rows: &[Ex<'g>]) -> Option<usize> {
    let locus = states_on(system, constraints, &[], &[]);
    let slopes = Matrix::jacobian(system.graph, rows, &system.v);
    let order: Vec<usize> = (0..system.n()).collect();
    Some(generic_rank(&locus, &slopes, &order)?.rank)
}

/// Rows with the names of those that they come from.
type Named<'g> = Vec<(Vec<String>, Ex<'g>)>;

/// The affine rows, and the others on velocities.
fn named_rows<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> (Named<'g>, Named<'g>) {
    let active = constraints.active();
    let rows = active.filter_map(|row| Some((vec![row.name.clone()], row.phi?)));
    rows.partition(|(_, phi)| is_affine(system, *phi))
}

/// Whether a row on velocities has a part without any.
fn may_hide<'g>(system: &System<'g>, constraints: &Constraints<'g>, rows: &Named<'g>) -> bool {
    let of_velocities = |names: &[String]| {
        let mut all = constraints.rows.iter();
        all.any(|row| row.level == Level::Velocity && names.contains(&row.name))
    };
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, system.graph.zero())).collect();
    let mut given = rows.iter().filter(|(names, _)| of_velocities(names));
    rows.len() > 1 && given.any(|(_, row)| !row.substitute(&at_rest).is_zero())
}

/// What of rows that depend on others is left once the velocities are put in.
fn one_round<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    rows: &Named<'g>,
    curved: &Named<'g>,
) -> Vec<Hidden<'g>> {
    let phi: Vec<Ex<'g>> = rows.iter().map(|(_, row)| *row).collect();
    let locus = states_on(system, constraints, &[], &[]);
    let slopes = Matrix::jacobian(system.graph, &phi, &system.v);
    let order: Vec<usize> = (0..system.n()).collect();
    let Some(found) = generic_rank(&locus, &slopes, &order) else {
        return Vec::new();
    };
    let kept: Vec<Ex<'g>> = found.rows.iter().map(|i| phi[*i]).collect();
    let dependent = (0..rows.len()).filter(|i| !found.rows.contains(i));
    let dependent = dependent.map(|i| &rows[i]);
    let on_others = (curved.iter()).filter(|(_, row)| is_given(system, constraints, &kept, *row));
    let dependent: Vec<&(Vec<String>, Ex<'g>)> = dependent.chain(on_others).collect();
    if dependent.is_empty() {
        return Vec::new();
    }
    let mut field = Fractions::new(system.graph, locus.symbols());
    let by = solved(&locus, &forms(system, &kept), &order, &mut |x| {
        field.simplified(x)
    });
    let Some(by) = by.map(|solved| solved.substitution(&system.v)) else {
        return Vec::new();
    };
    let mut hidden: Vec<Hidden<'g>> = Vec::new();
    for (names, row) in dependent {
        let left = row.substitute(&by);
        let Some(position) = on_the_place(system, &mut field, &locus, left) else {
            continue;
        };
        if hidden.iter().all(|other| other.position != position) {
            let from = (found.rows.iter()).filter(|j| shares(system, phi[**j], *row));
            let from = from.flat_map(|j| rows[*j].0.iter());
            let mut of: Vec<String> = Vec::new();
            for name in from.chain(names) {
                if !of.contains(name) {
                    of.push(name.clone());
                }
            }
            let rate = system.total_rate(position);
            hidden.push(Hidden {
                position,
                rate,
                of,
                kept: false,
            });
        }
    }
    hidden
}

/// Whether the value of a curved row is the same at all velocities that other rows allow at a place.
fn is_given<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    others: &[Ex<'g>],
    row: Ex<'g>,
) -> bool {
    let mut speaks_of = system.v.iter().filter(|v| row.depends_on(**v));
    // A velocity of which no other row speaks is free.
    if !speaks_of.all(|v| others.iter().any(|other| other.depends_on(*v))) {
        return false;
    }
    let locus = states_on(system, constraints, others, &[]);
    let all = [others, &[row]].concat();
    let slopes = Matrix::jacobian(system.graph, &all, &system.v);
    let order: Vec<usize> = (0..system.n()).collect();
    generic_rank(&locus, &slopes, &order).is_some_and(|found| found.rank == others.len())
}

/// An equation between coordinates, by its simplest real form; none where it holds anyway, or speaks of no
/// coordinate.
fn on_the_place<'g>(
    system: &System<'g>,
    field: &mut Fractions<'g>,
    locus: &Locus<'g>,
    left: Ex<'g>,
) -> Option<Ex<'g>> {
    let speaks = |x: Ex<'g>, of: &[Ex<'g>]| of.iter().any(|s| x.depends_on(*s));
    if left.is_zero() || differs_on(locus, &[left]) != Some(true) {
        return None;
    }
    let pair = field.cleared(&[left, system.graph.one()]);
    let left = pair.map_or(left, |fraction| fraction[0]);
    let form = real_form(left, &system.q, &|_| Range::all());
    let row = match form.rows.as_slice() {
        [one] if form.sides.is_empty() => *one,
        _ => left,
    };
    (speaks(row, &system.q) && !speaks(row, &system.v)).then_some(row)
}

/// Whether two rows speak of a common velocity.
fn shares<'g>(system: &System<'g>, one: Ex<'g>, other: Ex<'g>) -> bool {
    let mut v = system.v.iter();
    v.any(|v| one.depends_on(*v) && other.depends_on(*v))
}
