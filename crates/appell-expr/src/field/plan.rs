//! Which unknowns nonlinear rows are solved for, and in which order.

use super::total_degree::degree_in;
use crate::graph::{Ex, Id};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// At most so many ways of choosing what nonlinear rows are solved for are tried in turn.
pub(crate) const MAX_CHOICES: usize = 4;
/// At most so many ways are followed from row to row: rows that share unknowns in a ring have exponentially many.
const MAX_FOLLOWED: usize = 512;

/// One unknown for each curved row.
#[derive(Clone)]
pub(crate) struct Plan {
    /// Places among the unknowns, row by row.
    pub unknowns: Vec<usize>,
    /// Rows in an order in which each needs only unknowns of earlier ones.
    pub order: Vec<usize>,
}

/// The choices with an order in which the rows can be solved.
pub(crate) fn plans(rows: &[Ex<'_>], linear: &[Ex<'_>], unknowns: &[Ex<'_>]) -> Vec<Plan> {
    if rows.is_empty() {
        let nothing = Plan {
            unknowns: Vec::new(),
            order: Vec::new(),
        };
        return vec![nothing];
    }
    let (read, tied) = (places_read(rows, unknowns), places_read(linear, unknowns));
    let moved: Vec<BTreeSet<usize>> = (0..unknowns.len()).map(|j| moved_with(&tied, j)).collect();
    let plan = |choice: Vec<usize>| {
        let needs = |row: usize, other: usize| {
            let mut places = read[row].iter();
            places.any(|j| moved[choice[other]].contains(j))
        };
        Some(Plan {
            order: order(rows.len(), needs)?,
            unknowns: choice,
        })
    };
    let fixed = determined(&tied, unknowns.len());
    let open = read.iter().map(|places| {
        let open: Vec<usize> = places.iter().copied().filter(|j| !fixed[*j]).collect();
        if open.is_empty() {
            places.clone()
        } else {
            open
        }
    });
    let open: Vec<Vec<usize>> = open.collect();
    let all = choices(rows, &open, unknowns).into_iter();
    all.filter_map(plan).collect()
}

/// Which unknowns affine rows, each with its unknowns, leave no choice of, as `w' = 0` does, or `w' + u' = 0` beside
/// `w' - u' = 0`: however each row is solved for an unknown of its own, these are among them.
fn determined(tied: &[Vec<usize>], count: usize) -> Vec<bool> {
    let mut row_of: Vec<Option<usize>> = vec![None; count];
    for row in 0..tied.len() {
        assign(row, tied, &mut row_of, &mut vec![false; count]);
    }
    // An unknown to spare can take the place of that of any row which speaks of it.
    let mut free: Vec<bool> = row_of.iter().map(Option::is_none).collect();
    let mut spare: Vec<usize> = (0..count).filter(|j| free[*j]).collect();
    while let Some(j) = spare.pop() {
        for k in 0..count {
            let replaced = row_of[k].is_some_and(|row| tied[row].contains(&j));
            if replaced && !free[k] {
                free[k] = true;
                spare.push(k);
            }
        }
    }
    free.into_iter().map(|free| !free).collect()
}

/// Finds an unknown for a row, others giving way where they have another; whether there is one.
fn assign(
    row: usize,
    tied: &[Vec<usize>],
    row_of: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for &j in &tied[row] {
        if std::mem::replace(&mut seen[j], true) {
            continue;
        }
        if row_of[j].is_none_or(|other| assign(other, tied, row_of, seen)) {
            row_of[j] = Some(row);
            return true;
        }
    }
    false
}

/// The places of the unknowns that each row speaks of.
pub(super) fn places_read(rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> Vec<Vec<usize>> {
    let places = unknowns.iter().enumerate().map(|(j, u)| (u.id(), j));
    let places: FxHashMap<Id, usize> = places.collect();
    let read = |row: &Ex<'_>| {
        let reached = row.graph().reachable(&[row.id()]);
        let mut indices: Vec<usize> = reached
            .iter()
            .filter_map(|id| places.get(id).copied())
            .collect();
        indices.sort_unstable();
        indices
    };
    rows.iter().map(read).collect()
}

/// The unknown of this index and those that affine rows, each with its unknowns, tie to it.
fn moved_with(tied: &[Vec<usize>], index: usize) -> BTreeSet<usize> {
    let mut moved = BTreeSet::from([index]);
    let mut apart: Vec<&Vec<usize>> = tied.iter().collect();
    loop {
        let (near, others): (Vec<_>, Vec<_>) = apart
            .into_iter()
            .partition(|row| row.iter().any(|j| moved.contains(j)));
        if near.is_empty() {
            return moved;
        }
        moved.extend(near.into_iter().flatten());
        apart = others;
    }
}

/// Rows so that each comes after those whose unknowns it needs; `None` if some need each other.
fn order(count: usize, needs: impl Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let needed = |i: usize| (0..count).filter(|j| *j != i && needs(i, *j)).collect();
    let needed: Vec<Vec<usize>> = (0..count).map(needed).collect();
    let (mut order, mut is_done) = (Vec::new(), vec![false; count]);
    while order.len() < count {
        let is_ready = |i: &usize| !is_done[*i] && needed[*i].iter().all(|j| is_done[*j]);
        let next = (0..count).find(is_ready)?;
        is_done[next] = true;
        order.push(next);
    }
    Some(order)
}

/// Which unknowns the rows, each with those it speaks of, may be solved for: those of the least degree, no unknown
/// twice.
fn choices(rows: &[Ex<'_>], read: &[Vec<usize>], unknowns: &[Ex<'_>]) -> Vec<Vec<usize>> {
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for (row, read) in rows.iter().zip(read) {
        let degree = |j: &usize| Some((*j, degree_in(*row, &[unknowns[*j]])?));
        let known = read.iter().filter_map(degree).filter(|(_, d)| *d > 0);
        let degrees: Vec<(usize, u32)> = known.collect();
        let longer = choices.iter().flat_map(|choice| {
            let best = best_places(&degrees, choice).into_iter();
            best.map(move |j| (choice, j))
        });
        let kept = evenly(longer.collect(), MAX_FOLLOWED).into_iter();
        choices = kept
            .map(|(choice, j)| [choice.as_slice(), &[j]].concat())
            .collect();
    }
    evenly(choices, MAX_CHOICES)
}

/// The places of the least degree that are not taken, any that are not where all of that degree are.
fn best_places(degrees: &[(usize, u32)], taken: &[usize]) -> Vec<usize> {
    let least = degrees.iter().map(|(_, d)| *d).min();
    let open = degrees.iter().filter(|(j, _)| !taken.contains(j));
    let (best, others): (Vec<_>, Vec<_>) = open.partition(|(_, d)| Some(*d) == least);
    let places: Vec<&(usize, u32)> = if best.is_empty() { others } else { best };
    places.iter().map(|(j, _)| *j).collect()
}

/// At most so many, evenly among all, so that every unknown has its turn.
fn evenly<T>(choices: Vec<T>, most: usize) -> Vec<T> {
    let stride = choices.len().div_ceil(most).max(1);
    choices.into_iter().step_by(stride).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_an_order_in_which_they_can_be_solved() {
        let chain = |i: usize, j: usize| [(0, 1), (1, 2)].contains(&(i, j));
        assert_eq!(order(3, chain), Some(vec![2, 1, 0]));
        let pair = |i: usize, j: usize| [(0, 1), (1, 2), (2, 1)].contains(&(i, j));
        assert_eq!(order(3, pair), None);
        let circle = |i: usize, j: usize| j == (i + 1) % 3;
        assert_eq!(order(3, circle), None);
    }

    #[test]
    fn what_affine_rows_determine_is_not_to_be_solved_for() {
        let found = |tied: &[&[usize]]| {
            let tied: Vec<Vec<usize>> = tied.iter().map(|row| row.to_vec()).collect();
            let all = determined(&tied, 4);
            (0..4).filter(|j| all[*j]).collect::<Vec<usize>>()
        };
        assert_eq!(found(&[]), [] as [usize; 0]);
        assert_eq!(found(&[&[0, 1]]), [] as [usize; 0]);
        assert_eq!(found(&[&[1]]), [1]);
        assert_eq!(found(&[&[0, 1], &[0, 1]]), [0, 1]);
        assert_eq!(found(&[&[0], &[0, 1], &[1, 2, 3]]), [0, 1]);
        assert_eq!(found(&[&[0, 1], &[1, 2], &[2, 3]]), [] as [usize; 0]);
    }
}
