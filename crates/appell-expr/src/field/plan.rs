//! Which unknowns nonlinear rows are solved for, and in which order.

use super::locus::degree_in;
use crate::graph::Ex;

/// At most so many ways of choosing what nonlinear rows are solved for are tried in turn.
pub(crate) const MAX_CHOICES: usize = 4;

/// One unknown for each curved row.
pub(crate) struct Plan {
    /// Places among the unknowns, row by row.
    pub unknowns: Vec<usize>,
    /// Rows in the order in which they are solved, two together where each needs the other's
    /// unknown.
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    One(usize),
    Two([usize; 2]),
}

impl Plan {
    /// The rows that are solved two at a time.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.parts.iter().filter_map(|part| match part {
            Part::One(_) => None,
            Part::Two(rows) => Some(*rows),
        })
    }
}

/// The choices with an order in which the rows can be solved.
pub(crate) fn plans(rows: &[Ex<'_>], linear: &[Ex<'_>], unknowns: &[Ex<'_>]) -> Vec<Plan> {
    let moved: Vec<Vec<Ex<'_>>> = (0..unknowns.len())
        .map(|j| moved_with(linear, unknowns, j))
        .collect();
    let plan = |choice: Vec<usize>| {
        let needs = |row: usize, other: usize| {
            let mut moved = moved[choice[other]].iter();
            moved.any(|u| rows[row].depends_on(*u))
        };
        Plan {
            parts: parts(rows.len(), needs),
            unknowns: choice,
        }
    };
    choices(rows, unknowns).into_iter().map(plan).collect()
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

/// Rows so that each comes after those whose unknowns it needs. Two that need each other are
/// taken together, more of them one by one: such a draw can only succeed by chance.
fn parts(count: usize, needs: impl Fn(usize, usize) -> bool) -> Vec<Part> {
    let mut reach: Vec<Vec<bool>> = (0..count)
        .map(|i| (0..count).map(|j| i == j || needs(i, j)).collect())
        .collect();
    for k in 0..count {
        for i in 0..count {
            for j in 0..count {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    let needed = |i: usize| reach[i].iter().filter(|needed| **needed).count();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|i| needed(*i));
    let mut parts = Vec::new();
    for &i in &order {
        let mutual: Vec<usize> = (0..count)
            .filter(|j| reach[i][*j] && reach[*j][i])
            .collect();
        match mutual[..] {
            [first, second] if i == first => parts.push(Part::Two([first, second])),
            [_, _] => {}
            _ => parts.push(Part::One(i)),
        }
    }
    parts
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
    fn parts_in_an_order_that_can_be_solved() {
        let chain = |i: usize, j: usize| [(0, 1), (1, 2)].contains(&(i, j));
        assert_eq!(parts(3, chain), [2, 1, 0].map(Part::One));
        let pair = |i: usize, j: usize| [(0, 1), (1, 2), (2, 1)].contains(&(i, j));
        assert_eq!(parts(3, pair), [Part::Two([1, 2]), Part::One(0)]);
        let circle = |i: usize, j: usize| j == (i + 1) % 3;
        assert_eq!(parts(3, circle), [0, 1, 2].map(Part::One));
    }
}
