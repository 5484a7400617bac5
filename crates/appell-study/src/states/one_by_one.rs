//! Coordinates that follow one after the other, in whatever order their equations stand: `y = sqrt(x - 3)` beside
//! `y = 1` gives `x = 4`, though it has no value where `x` is 0.

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

/// Coordinates `near` these, with those put in that equations give one by one: each equation that leaves a single one open
/// is solved for it. `accept` says what becomes of them, or `None` where other roots of the equations are to be tried.
pub(super) fn one_by_one<'g, T>(
    p: &Prepared<'g>,
    t: f64,
    rows: &[Ex<'g>],
    near: &[f64],
    mut accept: impl FnMut(Vec<f64>) -> Option<T>,
) -> Option<T> {
    let unknowns = |row: &Ex<'g>| {
        let symbols = row.symbols();
        let places = 0..p.system.n();
        places
            .filter(|i| symbols.contains(&p.system.q[*i]))
            .collect()
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
    while let Some((mut open, q)) = branches.pop() {
        tried += 1;
        if tried > MAX_TRIED {
            return None;
        }
        let Some(next) = next_of(p, &open) else {
            if let Some(found) = accept(q) {
                return Some(found);
            }
            continue;
        };
        let (row, i) = (open[next].row, open[next].unknowns[0]);
        for equation in &mut open {
            equation.unknowns.retain(|unknown| *unknown != i);
        }
        for root in roots(p, t, row, i, &q).into_iter().rev() {
            let mut q = q.clone();
            q[i] = root;
            branches.push((open.clone(), q));
        }
    }
    None
}

/// An equation and the coordinates in it that are not known yet.
#[derive(Clone)]
struct Equation<'g> {
    row: Ex<'g>,
    unknowns: Vec<usize>,
}

/// The equation to be solved next: one that gives a coordinate outright before others.
fn next_of<'g>(p: &Prepared<'g>, open: &[Equation<'g>]) -> Option<usize> {
    let is_single = |place: &usize| open[*place].unknowns.len() == 1;
    let gives = |place: &usize| is_outright(p, open[*place].row, open[*place].unknowns[0]);
    let mut singles = (0..open.len()).filter(is_single);
    singles.clone().find(gives).or_else(|| singles.next())
}

/// Whether a row is `q_i - f`, where `f` does not speak of `q_i`.
fn is_outright<'g>(p: &Prepared<'g>, row: Ex<'g>, i: usize) -> bool {
    row.diff(p.system.q[i]).is_one()
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

/// Values of one coordinate at which a row holds, the nearest to its own first.
fn roots<'g>(p: &Prepared<'g>, t: f64, row: Ex<'g>, i: usize, q: &[f64]) -> Vec<f64> {
    let n = q.len();
    let mut state = [q, &vec![0.0; n]].concat();
    let function = p.functions_of(&[row]);
    let mut at = |x: f64| {
        state[i] = x;
        let value = function.measured(t, &state).ok()?.pop()?;
        value.value.is_finite().then_some(value)
    };
    if is_outright(p, row, i) {
        return at(0.0)
            .map(|measured| 0.0 - measured.value)
            .into_iter()
            .collect();
    }
    let mut found = Vec::new();
    for sign in [1.0, -1.0] {
        let mut before = (q[i], at(q[i]));
        let mut distance = DISTANCES[0];
        while distance <= DISTANCES[1] {
            let x = q[i] + sign * distance;
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
    let far = |x: &f64| (x - q[i]).abs();
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
