//! Planes among the sheets of rows with transcendental functions of velocities: `x' exp(x') = y' exp(y')` holds on
//! `x' = y'`, which random points in prime fields do not meet, for there the functions have values of their own.

use super::branches::hold_at;
use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::values::found::SampleState;
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::{Ex, Node, Rational, vanishes};

/// A plane on which a factor of a row vanishes.
pub(super) enum PlaneSheet<'g> {
    /// By its row; whether the start is on it and on no other sheet of the factor.
    Row { row: Ex<'g>, is_of_start: bool },
    /// By numbers at a state that was found: its coefficients are no simple numbers.
    ByNumbers,
}

/// Where a factor is curved that vanishes on a plane too.
pub(super) const BESIDE_PLANE: &str = "beside that plane its zero set is curved at every point";
/// Why nothing is said of a factor that has another plane.
pub(super) const PLANE_BY_NUMBERS: &str =
    "it holds on the plane that touches it at a state that was found, and elsewhere it is curved";
/// Scattered states at which tangent planes are looked at.
const STATES: u32 = 4;
/// Velocities in each of them.
const LOOKS: u32 = 5;
/// How far they are from that of the state, as a part of its size.
const AWAY: f64 = 0.3;
/// Coefficients are simple numbers up to this part of them.
const SIMPLE: f64 = 1e-9;
/// Coefficients of planes have denominators up to this.
const DENOMINATORS: i64 = 12;

/// A plane of the `free` velocities on which a factor vanishes, if it has transcendental functions of them: the one that
/// touches its zero set at the start, or at a scattered state, or where two velocities are equal or opposite.
pub(super) fn plane_sheet<'g>(
    p: &Prepared<'g>,
    factor: Ex<'g>,
    free: &[Ex<'g>],
) -> Option<PlaneSheet<'g>> {
    if free.len() < 2 || !is_transcendental(factor, free) {
        return None;
    }
    let begun = start(p).ok();
    let begun = begun.map(|start| (start.t, start.q, start.v));
    let scattered = (0..STATES).filter_map(|sample| scattered_constrained_state(p, sample));
    let mut states = begun.iter().cloned().chain(scattered);
    let is_of_start = |row: Ex<'g>| {
        let is_on = |(t, q, v): &SampleState| hold_at(p, (*t, q, v), &[row]);
        let is_smooth = |state| touching(p, factor, free, state).is_some();
        begun
            .as_ref()
            .is_some_and(|state| is_on(state) && is_smooth(state))
    };
    let tangent = states.find_map(|state| tangent_plane(p, factor, free, &state));
    let found = match tangent {
        Some((coefficients, rest)) => match exact_row(factor, free, &coefficients, rest) {
            None => return Some(PlaneSheet::ByNumbers),
            found => found,
        },
        None => {
            let pairs = (0..free.len()).flat_map(|i| (0..i).map(move |j| (free[i], free[j])));
            let mut rows = pairs.flat_map(|(x, y)| [(x, y), (x, -y)]);
            let found = rows.find(|(x, value)| vanishes(factor.substitute(&[(*x, *value)])));
            found.map(|(x, value)| x - value)
        }
    };
    found.map(|row| PlaneSheet::Row {
        row,
        is_of_start: is_of_start(row),
    })
}

/// Whether functions that are not algebraic have velocities in them.
fn is_transcendental(x: Ex<'_>, velocities: &[Ex<'_>]) -> bool {
    let graph = x.graph();
    let mut all = graph
        .reachable(&[x.id()])
        .into_iter()
        .map(|id| graph.ex(id));
    all.any(|x| {
        matches!(x.node(), Node::Call(..) | Node::Power(..)) && x.depends_on_any(velocities)
    })
}

/// The coefficients of the plane that touches the zero set of a factor at a state of it, and where the one is that is 1; none
/// off the set, and where it has no derivative.
fn touching<'g>(
    p: &Prepared<'g>,
    factor: Ex<'g>,
    free: &[Ex<'g>],
    (t, q, v): &SampleState,
) -> Option<(Vec<f64>, usize)> {
    let slopes = p.functions_of(&factor.partials(free));
    let slopes = slopes.results(*t, &[q.as_slice(), v].concat()).ok()?;
    let pivot = (0..free.len()).max_by(|a, b| slopes[*a].abs().total_cmp(&slopes[*b].abs()))?;
    let is_touched = slopes[pivot].is_normal() && hold_at(p, (*t, q, v), &[factor]);
    is_touched.then(|| {
        (
            slopes.iter().map(|slope| slope / slopes[pivot]).collect(),
            pivot,
        )
    })
}

/// The `c_i` and the rest of that plane, `Sum c_i v_i = rest`, if the factor vanishes on all of it by numbers.
fn tangent_plane<'g>(
    p: &Prepared<'g>,
    factor: Ex<'g>,
    free: &[Ex<'g>],
    state: &SampleState,
) -> Option<(Vec<f64>, f64)> {
    let (t, q, v) = state;
    let (coefficients, pivot) = touching(p, factor, free, state)?;
    let place = |x: &Ex<'g>| p.system.v.iter().position(|v| v == x);
    let places: Vec<usize> = free.iter().map(place).collect::<Option<_>>()?;
    let size = v.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    let on_plane = |look: u32| {
        let mut there = v.clone();
        let mut change = 0.0;
        for (i, place) in places.iter().enumerate().filter(|(i, _)| *i != pivot) {
            let step = AWAY * size * scattered(17 * look + 3 + i as u32);
            there[*place] += step;
            change += coefficients[i] * step;
        }
        there[places[pivot]] -= change;
        there
    };
    let is_plane = (0..LOOKS).all(|look| hold_at(p, (*t, q, &on_plane(look)), &[factor]));
    let terms = coefficients
        .iter()
        .zip(&places)
        .map(|(c, place)| c * v[*place]);
    let rest = terms.sum();
    is_plane.then_some((coefficients, rest))
}

/// `Sum c_i v_i = rest` with the simple numbers that these are, if the factor vanishes there exactly.
fn exact_row<'g>(
    factor: Ex<'g>,
    free: &[Ex<'g>],
    coefficients: &[f64],
    rest: f64,
) -> Option<Ex<'g>> {
    let graph = factor.graph();
    let numbers: Vec<Rational> = coefficients
        .iter()
        .map(|c| simple(*c))
        .collect::<Option<_>>()?;
    let terms = free.iter().zip(&numbers).map(|(v, c)| v.scale(c));
    let terms: Vec<Ex<'g>> = terms.chain([-graph.number(simple(rest)?)]).collect();
    let row = graph.sum(&terms);
    let pivot = numbers.iter().position(|c| *c == Rational::one())?;
    let value = free[pivot] - row;
    vanishes(factor.substitute(&[(free[pivot], value)])).then_some(row)
}

/// A fraction with a small denominator.
fn simple(x: f64) -> Option<Rational> {
    (1..=DENOMINATORS).find_map(|below| {
        let above = (x * below as f64).round();
        let is_near = (x - above / below as f64).abs() <= SIMPLE * x.abs().max(1.0);
        (is_near && above.abs() < 1e9).then(|| Rational::new(above as i64, below))
    })
}
