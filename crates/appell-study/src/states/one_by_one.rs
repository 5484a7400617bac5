//! Coordinates, or velocities, that follow one after the other, in whatever order their equations stand:
//! `y = sqrt(x - 3)` beside `y = 1` gives `x = 4`, though it has no value where `x` is 0.

use crate::values::prepared::Prepared;
use crate::values::rows::SOLVED;
use appell_expr::Ex;
use appell_flow::Measured;
use appell_flow::root::bisect;

/// A root is sought at distances from where a coordinate is, from the least to the largest, by this factor.
const DISTANCES: [f64; 2] = [1e-12, 1e12];
const FACTOR: f64 = 1.02;
/// So many roots of one equation are tried, the nearest first, and of all equations together.
const ROOTS: usize = 4;
const MAX_TRIED: usize = 64;
/// Roots that differ by this part are one.
const SAME: f64 = 1e-9;

/// The unknowns of equations in `(t, q, v)`.
#[derive(Clone, Copy)]
pub(super) enum Unknowns<'a> {
    Coordinates,
    /// The velocities at this place.
    Velocities(&'a [f64]),
}

impl Unknowns<'_> {
    fn symbols<'p, 'g>(self, p: &'p Prepared<'g>) -> &'p [Ex<'g>] {
        match self {
            Self::Coordinates => &p.system.q,
            Self::Velocities(_) => &p.system.v,
        }
    }

    /// `(q, v)`, and where the unknowns begin in it.
    fn state(self, values: &[f64]) -> (Vec<f64>, usize) {
        match self {
            Self::Coordinates => ([values, &vec![0.0; values.len()]].concat(), 0),
            Self::Velocities(q) => ([q, values].concat(), q.len()),
        }
    }
}

/// Unknowns `near` these, with those put in that equations give one by one: each equation that leaves a single one open
/// is solved for it. `accept` says what becomes of them, or `None` where other roots of the equations are to be tried.
pub(super) fn one_by_one<'g, T>(
    p: &Prepared<'g>,
    (t, kind): (f64, Unknowns<'_>),
    rows: &[Ex<'g>],
    near: &[f64],
    mut accept: impl FnMut(Vec<f64>) -> Option<T>,
) -> Option<T> {
    let all = kind.symbols(p);
    let unknowns = |row: &Ex<'g>| {
        let symbols = row.symbols();
        let places = 0..all.len();
        places.filter(|i| symbols.contains(&all[*i])).collect()
    };
    let open: Vec<Equation<'g>> = rows
        .iter()
        .map(|row| Equation {
            row: *row,
            unknowns: unknowns(row),
        })
        .collect();
    let mut tried = 0;
    // What is to be solved yet, with what is known: the last is the next.
    let mut branches = vec![(open, near.to_vec())];
    while let Some((mut open, values)) = branches.pop() {
        tried += 1;
        if tried > MAX_TRIED {
            return None;
        }
        let Some(next) = next_of(all, &open) else {
            if let Some(found) = accept(values) {
                return Some(found);
            }
            continue;
        };
        let (row, i) = (open[next].row, open[next].unknowns[0]);
        for equation in &mut open {
            equation.unknowns.retain(|unknown| *unknown != i);
        }
        for root in roots(p, (t, kind), row, i, &values).into_iter().rev() {
            let mut values = values.clone();
            values[i] = root;
            branches.push((open.clone(), values));
        }
    }
    None
}

/// An equation and the unknowns in it that are not known yet.
#[derive(Clone)]
struct Equation<'g> {
    row: Ex<'g>,
    unknowns: Vec<usize>,
}

/// The equation to be solved next: one that gives an unknown outright before others.
fn next_of<'g>(all: &[Ex<'g>], open: &[Equation<'g>]) -> Option<usize> {
    let is_single = |place: &usize| open[*place].unknowns.len() == 1;
    let gives = |place: &usize| is_outright(open[*place].row, all[open[*place].unknowns[0]]);
    let mut singles = (0..open.len()).filter(is_single);
    singles.clone().find(gives).or_else(|| singles.next())
}

/// Whether a row is `x - f`, where `f` does not speak of `x`.
fn is_outright<'g>(row: Ex<'g>, x: Ex<'g>) -> bool {
    row.diff(x).is_one()
}

type Looked = (f64, Option<Measured>);

/// Where a function vanishes or jumps across zero between two places; where it has a value at one only, on the side of that.
fn root_between(a: Looked, b: Looked, at: &mut impl FnMut(f64) -> Option<Measured>) -> Option<f64> {
    let (from, start, to, end) = match (a, b) {
        ((_, None), (_, None)) => return None,
        ((from, Some(start)), (to, Some(end))) => (from, start, to, end),
        // The first place with a value, then from there on.
        ((without, None), (to, Some(end))) | ((to, Some(end)), (without, None)) => {
            let edge = bisect(without, to, |x| Ok::<bool, ()>(at(x).is_some())).ok()?;
            (edge, at(edge)?, to, end)
        }
    };
    if start.value == 0.0 {
        return Some(from);
    }
    let has_turned = |x: f64| Ok::<bool, ()>((at(x).ok_or(())?.value < 0.0) == (end.value < 0.0));
    let is_between = (start.value < 0.0) != (end.value < 0.0);
    is_between.then(|| bisect(from, to, has_turned).ok())?
}

/// Values of one unknown at which a row holds, the nearest to its own first.
fn roots<'g>(
    p: &Prepared<'g>,
    (t, kind): (f64, Unknowns<'_>),
    row: Ex<'g>,
    i: usize,
    near: &[f64],
) -> Vec<f64> {
    let (mut state, first) = kind.state(near);
    let function = p.functions_of(&[row]);
    let mut at = |x: f64| {
        state[first + i] = x;
        let value = function.measured(t, &state).ok()?.pop()?;
        value.value.is_finite().then_some(value)
    };
    if is_outright(row, kind.symbols(p)[i]) {
        return at(0.0)
            .map(|measured| 0.0 - measured.value)
            .into_iter()
            .collect();
    }
    let mut found = Vec::new();
    for sign in [1.0, -1.0] {
        let mut before = (near[i], at(near[i]));
        let mut distance = DISTANCES[0];
        while distance <= DISTANCES[1] {
            let x = near[i] + sign * distance;
            let now = (x, at(x));
            found.extend(root_between(before, now, &mut at));
            before = now;
            distance *= FACTOR;
        }
    }
    // A pole changes its sign too.
    found.retain(|x| {
        at(*x).is_some_and(|measured| measured.value.abs() <= SOLVED.sqrt() * measured.size)
    });
    let far = |x: &f64| (x - near[i]).abs();
    let mut nearest: Vec<f64> = Vec::new();
    while nearest.len() < ROOTS {
        let next = found
            .iter()
            .copied()
            .reduce(|a, b| if far(&b) < far(&a) { b } else { a });
        let Some(next) = next else {
            break;
        };
        nearest.push(next);
        found.retain(|x| (x - next).abs() > SAME * next.abs());
    }
    nearest
}
