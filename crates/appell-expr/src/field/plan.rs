//! Which unknowns nonlinear rows are solved for, and in which order.

use super::locus::degree_in;
use crate::graph::Ex;

/// At most so many ways of choosing what nonlinear rows are solved for are tried in turn.
pub(crate) const MAX_CHOICES: usize = 4;

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
    let moved: Vec<Vec<Ex<'_>>> = (0..unknowns.len())
        .map(|j| moved_with(linear, unknowns, j))
        .collect();
    let plan = |choice: Vec<usize>| {
        let needs = |row: usize, other: usize| {
            let mut moved = moved[choice[other]].iter();
            moved.any(|u| rows[row].depends_on(*u))
        };
        Some(Plan {
            order: order(rows.len(), needs)?,
            unknowns: choice,
        })
    };
    let all = choices(rows, unknowns).into_iter();
    all.filter_map(plan).collect()
}

/// The unknown of this index and those that affine rows tie to it.
fn moved_with<'g>(linear: &[Ex<'g>], unknowns: &[Ex<'g>], index: usize) -> Vec<Ex<'g>> {
    let mut moved = vec![unknowns[index]];
    loop {
        let tied = linear
            .iter()
            .filter(|row| moved.iter().any(|u| row.depends_on(*u)));
        let tied: Vec<Ex<'g>> = tied.copied().collect();
        let own = unknowns
            .iter()
            .filter(|u| tied.iter().any(|row| row.depends_on(**u)));
        let more: Vec<Ex<'g>> = own.filter(|u| !moved.contains(u)).copied().collect();
        if more.is_empty() {
            return moved;
        }
        moved.extend(more);
    }
}

/// Rows so that each comes after those whose unknowns it needs; `None` if some need each other.
fn order(count: usize, needs: impl Fn(usize, usize) -> bool) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < count {
        let is_ready = |i: &usize| {
            let open = (0..count).filter(|j| j != i && !order.contains(j));
            !order.contains(i) && open.into_iter().all(|j| !needs(*i, j))
        };
        order.push((0..count).find(is_ready)?);
    }
    Some(order)
}

/// Which unknowns the rows may be solved for: those of the least degree, no unknown twice.
fn choices(rows: &[Ex<'_>], unknowns: &[Ex<'_>]) -> Vec<Vec<usize>> {
    let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
    for row in rows {
        let degrees: Vec<Option<u32>> = unknowns.iter().map(|u| degree_in(*row, &[*u])).collect();
        let least = degrees.iter().flatten().filter(|d| **d > 0).min();
        let mut longer = Vec::new();
        for choice in &choices {
            let places = (0..unknowns.len()).filter(|j| degrees[*j].is_some_and(|d| d > 0));
            let places = places.filter(|j| !choice.contains(j));
            let all: Vec<usize> = places.collect();
            let best: Vec<usize> = all
                .iter()
                .copied()
                .filter(|j| degrees[*j].as_ref() == least)
                .collect();
            let best = if best.is_empty() { all } else { best };
            longer.extend(best.into_iter().map(|j| [choice.as_slice(), &[j]].concat()));
        }
        choices = longer;
    }
    // Evenly among all, so that every unknown has its turn.
    let stride = choices.len().div_ceil(MAX_CHOICES).max(1);
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
}
