//! What rows on velocities that touch say together over the real numbers: `x'^2 + y'^2 = z'^2` beside `x' = z'` says
//! `y' = 0`, for `y'^2 = 0` is left of it.

use crate::states::elimination::order_at_start;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::touching_velocities::touching_velocities;
use crate::values::found::SampleState;
use crate::values::prepared::Prepared;
use appell_expr::{
    Ex, Finding, Fractions, Range, Rational, Sketch, real_form, simplified, vanish_on,
};
use appell_flow::linear;
use appell_mech::{forms, is_affine, solved, states_on};

/// Rows that are combined with each other two by two.
const MAX_ROWS: usize = 6;
/// States at which they are looked at, to how many digits these are known where rows touch, and no larger numerators
/// and denominators are sought than these allow.
const VIEWS: u32 = 3;
const COARSE: f64 = 1e-5;
const LARGEST: i64 = 1_000;

/// What rows that touch say.
pub(crate) struct SaidTogether<'g> {
    /// Rows, listed with the active rows that say them; what they say together, with the last that is curved.
    pub of_rows: Vec<Vec<Ex<'g>>>,
    /// Of these what they say together, which is affine.
    pub roots: Vec<Ex<'g>>,
    /// Of these what is left of rows where those hold, and is curved: of `v^2 = 1` beside `x' = y'` and `y' = z'`.
    pub left: Vec<Ex<'g>>,
    /// `log2` of the probability that some row says more.
    pub bound: f64,
}

/// Rows that say what all active rows do: of rows that touch, where squares in their combinations were found.
pub(crate) fn said_together<'g>(p: &Prepared<'g>) -> Option<SaidTogether<'g>> {
    touching_velocities(p)?;
    let active = p.constraints.active();
    let rows: Vec<Ex<'g>> = active.map(|row| row.phi).collect::<Option<_>>()?;
    let mut said: Vec<Vec<Ex<'g>>> = rows.iter().map(|row| real(p, *row)).collect();
    let (straight, bent): (Vec<_>, Vec<_>) = said
        .concat()
        .into_iter()
        .partition(|x| is_affine(&p.system, *x));
    let roots = roots_of(p, &reduced(p, &straight, &bent)?);
    if roots.is_empty() {
        return None;
    }
    let affine = [straight, roots.clone()].concat();
    let left = left(p, &affine, &bent)?;
    let all = [affine, left.clone()].concat();
    let locus = states_on(&p.system, &p.constraints, &all, &[]);
    let Finding::Holds(bound) = vanish_on(&locus, &rows) else {
        return None;
    };
    let curved = |equations: &Vec<Ex<'g>>| equations.iter().any(|x| !is_affine(&p.system, *x));
    let last = said.iter().rposition(curved)?;
    for equations in &mut said {
        equations.retain(|x| is_affine(&p.system, *x));
    }
    said[last].extend(roots.iter().chain(&left).copied());
    Some(SaidTogether {
        of_rows: said,
        roots,
        left,
        bound: bound.exponent,
    })
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
    let rows = forms(system, straight);
    let order = order_at_start(p, &rows);
    let by = solved(&locus, &rows, &order, &mut |x| field.simplified(x))?;
    let by = by.substitution(&system.v);
    let put_in = bent.iter().map(|x| field.simplified(x.substitute(&by)));
    Some(put_in.collect())
}

/// What rows say where affine ones hold, beyond these.
fn left<'g>(p: &Prepared<'g>, affine: &[Ex<'g>], bent: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
    let mut found: Vec<Ex<'g>> = Vec::new();
    for row in reduced(p, affine, bent)? {
        let known = [affine, &found].concat();
        let locus = states_on(&p.system, &p.constraints, &known, &[]);
        if !matches!(vanish_on(&locus, &[row]), Finding::Holds(_)) {
            found.extend(real(p, row));
        }
    }
    Some(found)
}

/// The affine rows that rows, or two of them combined, say as sums of squares do.
fn roots_of<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let mut found: Vec<Ex<'g>> = Vec::new();
    for x in rows.iter().copied().chain(combined(p, rows)) {
        let roots = real(p, x);
        let is_root = roots != [x] && roots.iter().all(|root| is_affine(&p.system, *root));
        let new = roots
            .into_iter()
            .filter(|root| is_root && !found.contains(root));
        let new: Vec<Ex<'g>> = new.collect();
        found.extend(new);
    }
    found
}

/// Rows two by two, `x + c y`, whose derivatives vanish where both touch: there `dx/dv = -c dy/dv`.
fn combined<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let rows = &rows[..rows.len().min(MAX_ROWS)];
    let states = (0..VIEWS).filter_map(|sample| scattered_constrained_state(p, sample));
    let all = states.filter_map(|state| slopes(p, rows, &state));
    let mut found: Vec<Ex<'g>> = Vec::new();
    for slopes in all {
        let pairs = (0..rows.len()).flat_map(|i| (0..i).map(move |k| (i, k)));
        let combined = pairs.filter_map(|(i, k)| {
            let c = opposite(&slopes[i], &slopes[k])?;
            Some(simplified(rows[i] + rows[k].scale(&c)))
        });
        let new: Vec<Ex<'g>> = combined.filter(|x| !found.contains(x)).collect();
        found.extend(new);
    }
    found
}

/// The derivatives of rows by the velocities at a state.
fn slopes<'g>(p: &Prepared<'g>, rows: &[Ex<'g>], state: &SampleState) -> Option<Vec<Vec<f64>>> {
    let (t, q, v) = state;
    let mut sketch = Sketch::new(p.system.graph);
    let all = rows.iter().flat_map(|row| row.partials(&p.system.v));
    sketch.output_list("slopes", &all.collect::<Vec<_>>());
    let state = [q.as_slice(), v].concat();
    let all = p.compile(&sketch, &["slopes"]).measured(*t, &state).ok()?;
    let values: Vec<f64> = all.iter().map(|x| x.value).collect();
    Some(values.chunks(v.len()).map(<[f64]>::to_vec).collect())
}

/// The `c` with `a + c b = 0`, where that is a small fraction.
fn opposite(a: &[f64], b: &[f64]) -> Option<Rational> {
    let c = -linear::dot(a, b) / linear::dot(b, b);
    let size = |x: &[f64]| linear::dot(x, x).sqrt();
    let left: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + c * b).collect();
    (size(&left) <= COARSE.sqrt() * size(a))
        .then(|| small_fraction(c))
        .flatten()
}

/// The simplest fraction close to a number, by its continued fraction.
pub(crate) fn small_fraction(x: f64) -> Option<Rational> {
    if x == 0.0 {
        return None;
    }
    let (mut rest, mut before, mut last) = (x, (0, 1), (1, 0));
    loop {
        let whole = rest.floor();
        let fits = whole.abs() <= LARGEST as f64;
        let next = |before: i64, last: i64| whole as i64 * last + before;
        let (n, d) = (next(before.0, last.0), next(before.1, last.1));
        if !fits || n.abs() > LARGEST || d > LARGEST {
            return None;
        }
        if (x - n as f64 / d as f64).abs() <= COARSE * x.abs() {
            return Some(Rational::new(n, d));
        }
        (before, last, rest) = (last, (n, d), 1.0 / (rest - whole));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_fractions_are_found_beside_rounding() {
        let near = |n: i64, d: i64| small_fraction(n as f64 / d as f64 * (1.0 + 1e-7));
        for (n, d) in [(1, 1), (-1, 1), (25, 9), (-16, 25), (1, 300), (977, 3)] {
            assert_eq!(near(n, d), Some(Rational::new(n, d)), "{n}/{d}");
        }
        for none in [0.0, 1e-9, 1e9, f64::NAN, f64::INFINITY] {
            assert_eq!(small_fraction(none), None, "{none}");
        }
    }
}
