//! What rows on velocities that touch say together over the real numbers: `x'^2 + y'^2 = z'^2` beside `x' = z'` says
//! `y' = 0`, for `y'^2 = 0` is left of it.

use crate::states::touching_velocities::touching_velocities;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Finding, Fractions, Range, Rational, real_form, simplified, vanish_on};
use appell_mech::{forms, is_affine, solved, states_on};

/// Rows that are combined with each other two by two, and the factors of the second.
const MAX_ROWS: usize = 6;
const FACTORS: [(i64, i64); 10] = [
    (1, 1),
    (-1, 1),
    (2, 1),
    (-2, 1),
    (1, 2),
    (-1, 2),
    (4, 1),
    (-4, 1),
    (1, 4),
    (-1, 4),
];

/// Affine rows that say what all active rows do, listed with these, what they say together with the last that is
/// curved: of rows that touch, where squares in their combinations were found of which all of them follow.
pub(crate) fn said_together<'g>(p: &Prepared<'g>) -> Option<Vec<Vec<Ex<'g>>>> {
    touching_velocities(p)?;
    let active = p.constraints.rows.iter().filter(|row| row.is_active());
    let rows: Vec<Ex<'g>> = active.map(|row| row.phi).collect::<Option<_>>()?;
    let mut said: Vec<Vec<Ex<'g>>> = rows.iter().map(|row| real(p, *row)).collect();
    let (straight, bent): (Vec<_>, Vec<_>) = said
        .concat()
        .into_iter()
        .partition(|x| is_affine(&p.system, *x));
    let roots = roots_of(p, &reduced(p, &straight, &bent)?);
    let all = [straight, roots.clone()].concat();
    let locus = states_on(&p.system, &p.constraints, &all, &[]);
    if roots.is_empty() || !matches!(vanish_on(&locus, &rows), Finding::Holds(_)) {
        return None;
    }
    let curved = |own: &Vec<Ex<'g>>| own.iter().any(|x| !is_affine(&p.system, *x));
    let last = said.iter().rposition(curved)?;
    for own in &mut said {
        own.retain(|x| is_affine(&p.system, *x));
    }
    said[last].extend(roots);
    Some(said)
}

/// A row by simpler ones that hold exactly where it does.
fn real<'g>(p: &Prepared<'g>, row: Ex<'g>) -> Vec<Ex<'g>> {
    let form = real_form(row, &p.system.v, &|_| Range::all());
    match form.nowhere || form.rows.is_empty() || !form.sides.is_empty() {
        true => vec![row],
        false => form.rows,
    }
}

/// Rows with the affine ones put in.
fn reduced<'g>(p: &Prepared<'g>, straight: &[Ex<'g>], bent: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
    if straight.is_empty() {
        return Some(bent.to_vec());
    }
    let system = &p.system;
    let symbols = bent.iter().chain(straight).flat_map(|x| x.symbols());
    let mut field = Fractions::new(system.graph, &symbols.collect::<Vec<_>>());
    let locus = states_on(system, &p.constraints, &[], &[]);
    let order: Vec<usize> = (0..system.n()).rev().collect();
    let mut simplify = |x| field.simplified(x);
    let by = solved(&locus, &forms(system, straight), &order, &mut simplify)?;
    let by = by.substitution(&system.v);
    let put_in = bent.iter().map(|x| field.simplified(x.substitute(&by)));
    Some(put_in.collect())
}

/// The affine rows that rows, or two of them combined, say as sums of squares do.
fn roots_of<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let pairs = rows.iter().enumerate().take(MAX_ROWS);
    let pairs = pairs.flat_map(|(i, x)| rows[..i].iter().map(move |y| (*x, *y)));
    let combined = pairs.flat_map(|(x, y)| {
        let factors = FACTORS.iter().map(|(n, d)| Rational::new(*n, *d));
        factors.map(move |c| simplified(x + y.scale(&c)))
    });
    let mut found: Vec<Ex<'g>> = Vec::new();
    for x in rows.iter().copied().chain(combined) {
        let own = real(p, x);
        let is_root = own != [x] && own.iter().all(|root| is_affine(&p.system, *root));
        let new = own
            .into_iter()
            .filter(|root| is_root && !found.contains(root));
        let new: Vec<Ex<'g>> = new.collect();
        found.extend(new);
    }
    found
}
