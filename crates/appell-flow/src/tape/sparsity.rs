//! Which rows of a symmetric matrix have entries beside each other, and what an elimination along the zeros costs.

use std::collections::BTreeSet;

/// For each row the others in whose columns it has an entry.
#[derive(Clone)]
pub(super) struct Neighbours(Vec<BTreeSet<usize>>);

impl Neighbours {
    /// Of a matrix of order n that has an entry at (i, j) where this is told.
    pub fn new(n: usize, has_entry: impl Fn(usize, usize) -> bool) -> Self {
        let of = |i: usize| (0..n).filter(|j| *j != i && has_entry(i, *j)).collect();
        Self((0..n).map(of).collect())
    }

    /// How many there are.
    pub fn degree(&self, row: usize) -> usize {
        self.0[row].len()
    }

    /// Takes a row out; its neighbours in order.
    pub fn take(&mut self, row: usize) -> Vec<usize> {
        let own: Vec<usize> = std::mem::take(&mut self.0[row]).into_iter().collect();
        for i in &own {
            self.0[*i].remove(&row);
        }
        own
    }

    /// Notes whether there is an entry at (i, j).
    pub fn set(&mut self, i: usize, j: usize, has_entry: bool) {
        for (a, b) in [(i, j), (j, i)] {
            match has_entry {
                true => self.0[a].insert(b),
                false => self.0[a].remove(&b),
            };
        }
    }
}

/// About how many operations solve for one right-hand side where the row with the fewest neighbours goes first, those
/// whose diagonal entry only elimination has filled last; `None` where a diagonal entry stays empty.
pub(super) fn operations(mut neighbours: Neighbours, diagonal: &[bool]) -> Option<usize> {
    let mut filled = diagonal.to_vec();
    let mut active: BTreeSet<usize> = (0..diagonal.len()).collect();
    let mut count = 0;
    while !active.is_empty() {
        let candidates = active.iter().copied().filter(|i| filled[*i]);
        let row = candidates.min_by_key(|i| (!diagonal[*i], neighbours.degree(*i), *i))?;
        active.remove(&row);
        let beside = neighbours.take(row);
        for (k, i) in beside.iter().enumerate() {
            filled[*i] = true;
            beside[..k]
                .iter()
                .for_each(|j| neighbours.set(*i, *j, true));
        }
        // The factors, products and differences for the entries, twice as many for the right-hand side.
        count += 1 + beside.len() * (beside.len() + 1) + 5 * beside.len();
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masses along a line with a row between each two: from end to end nothing fills in but the diagonal.
    fn chain(n: usize) -> Option<usize> {
        let masses = n.div_ceil(2);
        let has_entry = |i: usize, j: usize| {
            let (row, mass) = (i.max(j), i.min(j));
            row >= masses && (row - masses..=row - masses + 1).contains(&mass)
        };
        let diagonal: Vec<bool> = (0..n).map(|i| i < masses).collect();
        operations(Neighbours::new(n, has_entry), &diagonal)
    }

    #[test]
    fn chains_cost_as_much_as_they_have_links() {
        let [few, many] = [21, 201].map(|n| chain(n).expect("it can be solved"));
        assert!(many < 11 * few, "{few} {many}");
    }

    #[test]
    fn full_matrices_cost_the_cube_of_their_order() {
        let full = |n: usize| operations(Neighbours::new(n, |_, _| true), &vec![true; n]);
        let [few, many] = [20, 40].map(|n| full(n).expect("it can be solved"));
        assert!((6 * few..9 * few).contains(&many), "{few} {many}");
    }

    #[test]
    fn a_diagonal_entry_that_stays_empty_is_told() {
        let none = Neighbours::new(2, |_, _| false);
        assert_eq!(operations(none, &[true, false]), None);
        // Two rows without an entry of their own that only know each other.
        let pair = Neighbours::new(2, |_, _| true);
        assert_eq!(operations(pair, &[false, false]), None);
    }

    #[test]
    fn rows_leave_their_neighbours() {
        let mut all = Neighbours::new(3, |_, _| true);
        assert_eq!(all.take(1), [0, 2]);
        assert_eq!((all.degree(0), all.degree(2)), (1, 1));
        all.set(0, 2, false);
        assert_eq!(all.degree(0), 0);
    }
}
