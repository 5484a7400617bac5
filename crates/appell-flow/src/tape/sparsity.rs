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
        let neighbours: Vec<usize> = std::mem::take(&mut self.0[row]).into_iter().collect();
        for i in &neighbours {
            self.0[*i].remove(&row);
        }
        neighbours
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

/// What is eliminated at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// A row with its diagonal entry as the pivot.
    Row(usize),
    /// Two rows, the second of which has no diagonal entry and gives the unknown of the first: a constant is beside the
    /// diagonal.
    Pair(usize, usize),
}

/// In which order a symmetric matrix is eliminated, and about how many operations that takes for one right-hand side.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub turns: Vec<Turn>,
    pub operations: usize,
}

/// An elimination without numbers.
struct Pattern {
    neighbours: Neighbours,
    /// Whether there is a diagonal entry now.
    filled: Vec<bool>,
    /// Whether it was there from the start or came from a pair.
    sure: Vec<bool>,
    /// Constants beside empty diagonal entries which no elimination has changed.
    gives: Vec<BTreeSet<usize>>,
    /// The rows that are still to give an unknown.
    givers: BTreeSet<usize>,
    active: BTreeSet<usize>,
    count: usize,
}

/// The row with the fewest neighbours goes first, those whose diagonal entry only elimination has filled last; `None`
/// where a diagonal entry stays empty.
pub(super) fn by_rows(neighbours: Neighbours, diagonal: &[bool]) -> Option<Order> {
    let mut pattern = Pattern::new(neighbours, diagonal, |_, _| false);
    let mut turns = Vec::new();
    while !pattern.active.is_empty() {
        let candidates = pattern
            .active
            .iter()
            .copied()
            .filter(|i| pattern.filled[*i]);
        let row = candidates.min_by_key(|i| (!diagonal[*i], pattern.neighbours.degree(*i), *i))?;
        pattern.take(Turn::Row(row));
        turns.push(Turn::Row(row));
    }
    Some(Order {
        turns,
        operations: pattern.count,
    })
}

/// Unknowns that rows give are put in their place, from the ends of chains inwards; between them rows that no such row
/// speaks of any more. Rows whose diagonal entry came from other pivots alone go last: it may vanish.
pub(super) fn by_pairs(
    neighbours: Neighbours,
    diagonal: &[bool],
    is_constant: impl Fn(usize, usize) -> bool,
) -> Option<Order> {
    let mut pattern = Pattern::new(neighbours, diagonal, is_constant);
    let mut pairs = pattern.pairs();
    let mut turns = Vec::new();
    while !pattern.active.is_empty() {
        let pair = |pattern: &Pattern, pairs: &mut Vec<(usize, usize)>| {
            let stands = |(i, j): &(usize, usize)| pattern.is_pair(*i, *j);
            std::iter::from_fn(|| pairs.pop()).find(stands)
        };
        let turn = match pattern.free_row() {
            Some(row) => Turn::Row(row),
            None => match pair(&pattern, &mut pairs) {
                Some((i, j)) => Turn::Pair(i, j),
                None => Turn::Row(pattern.late_row()?),
            },
        };
        pattern.take(turn);
        turns.push(turn);
    }
    Some(Order {
        turns,
        operations: pattern.count,
    })
}

impl Pattern {
    fn new(
        neighbours: Neighbours,
        original: &[bool],
        is_constant: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let given = |j: usize| {
            let adjacent = neighbours.0[j].iter().copied();
            adjacent
                .filter(|i| !original[j] && is_constant(*i, j))
                .collect()
        };
        Self {
            gives: (0..original.len()).map(given).collect(),
            givers: BTreeSet::new(),
            neighbours,
            filled: original.to_vec(),
            sure: original.to_vec(),
            active: (0..original.len()).collect(),
            count: 0,
        }
    }

    /// The unknowns that rows give, the last of the constants in each, with these rows: those last that stand at the ends of
    /// chains.
    fn pairs(&mut self) -> Vec<(usize, usize)> {
        let mut depths = vec![0; self.filled.len()];
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        for j in 0..self.filled.len() {
            let given = |i: &usize| pairs.iter().any(|(_, _, other)| other == i);
            let Some(i) = self.gives[j].iter().rev().copied().find(|i| !given(i)) else {
                continue;
            };
            let others = self.neighbours.0[j].iter().filter(|k| **k != i);
            depths[i] = 1 + others.map(|k| depths[*k]).max().unwrap_or(0);
            pairs.push((depths[i], j, i));
            self.givers.insert(j);
        }
        pairs.sort_unstable_by_key(|(depth, j, _)| (*depth, std::cmp::Reverse(*j)));
        pairs.into_iter().map(|(_, j, i)| (i, j)).collect()
    }

    fn is_pair(&self, i: usize, j: usize) -> bool {
        let both = self.active.contains(&i) && self.active.contains(&j);
        both && self.gives[j].contains(&i) && !self.filled[j]
    }

    /// A row that no giver speaks of.
    fn free_row(&self) -> Option<usize> {
        let is_free = |i: &usize| {
            let adjacent = &self.neighbours.0[*i];
            self.sure[*i] && !self.givers.contains(i) && adjacent.is_disjoint(&self.givers)
        };
        let rows = self.active.iter().copied().filter(is_free);
        rows.min_by_key(|i| (self.neighbours.degree(*i), *i))
    }

    fn late_row(&self) -> Option<usize> {
        let rows = self.active.iter().copied().filter(|i| self.filled[*i]);
        rows.min_by_key(|i| (!self.sure[*i], self.neighbours.degree(*i), *i))
    }

    fn cost_of_row(&self, i: usize) -> usize {
        let beside = self.neighbours.degree(i);
        1 + beside * (beside + 1) + 5 * beside
    }

    fn cost_of_pair(&self, i: usize, j: usize) -> usize {
        let [first, second] = [i, j].map(|k| self.neighbours.degree(k) - 1);
        let fill = if self.filled[i] {
            second * (second + 1)
        } else {
            0
        };
        2 * first * second + fill + 4 * (first + second)
    }

    fn take(&mut self, turn: Turn) {
        match turn {
            Turn::Row(i) => {
                self.count += self.cost_of_row(i);
                self.active.remove(&i);
                let beside = self.neighbours.take(i);
                for (k, r) in beside.iter().enumerate() {
                    beside[..=k].iter().for_each(|s| self.fill(*r, *s));
                }
            }
            Turn::Pair(i, j) => {
                self.count += self.cost_of_pair(i, j);
                let has_entry = self.filled[i];
                for k in [i, j] {
                    self.active.remove(&k);
                    self.givers.remove(&k);
                }
                let second: Vec<usize> = self.neighbours.take(j);
                let first: Vec<usize> = self.neighbours.take(i);
                for s in second.iter().filter(|s| **s != i) {
                    first.iter().for_each(|r| self.fill(*r, *s));
                    let others = second.iter().filter(|r| has_entry && **r != i);
                    others.for_each(|r| self.fill(*r, *s));
                    self.sure[*s] |= self.filled[*s];
                }
            }
        }
    }

    /// An entry that elimination changes.
    fn fill(&mut self, i: usize, j: usize) {
        if i == j {
            self.filled[i] = true;
            self.givers.remove(&i);
        } else {
            self.neighbours.set(i, j, true);
            self.gives[i].remove(&j);
            self.gives[j].remove(&i);
        }
    }
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
        Some(by_rows(Neighbours::new(n, has_entry), &diagonal)?.operations)
    }

    #[test]
    fn chains_cost_as_much_as_they_have_links() {
        let [few, many] = [21, 201].map(|n| chain(n).expect("it can be solved"));
        assert!(many < 11 * few, "{few} {many}");
    }

    #[test]
    fn full_matrices_cost_the_cube_of_their_order() {
        let full = |n: usize| by_rows(Neighbours::new(n, |_, _| true), &vec![true; n]);
        let [few, many] = [20, 40].map(|n| full(n).expect("it can be solved").operations);
        assert!((6 * few..9 * few).contains(&many), "{few} {many}");
    }

    #[test]
    fn a_diagonal_entry_that_stays_empty_is_told() {
        let none = Neighbours::new(2, |_, _| false);
        assert!(by_rows(none, &[true, false]).is_none());
        // Two rows without an entry of their own that only know each other.
        let pair = Neighbours::new(2, |_, _| true);
        assert!(by_rows(pair, &[false, false]).is_none());
    }

    #[test]
    fn rows_leave_their_neighbours() {
        let mut all = Neighbours::new(3, |_, _| true);
        assert_eq!(all.take(1), [0, 2]);
        assert_eq!((all.degree(0), all.degree(2)), (1, 1));
        all.set(0, 2, false);
        assert_eq!(all.degree(0), 0);
    }

    /// Masses along a line, each of which hangs on the one before by a row that gives its place, and by an own coordinate
    /// without mass.
    fn hanging(n: usize) -> (Neighbours, Vec<bool>, impl Fn(usize, usize) -> bool) {
        let place = move |i: usize| (i / n, i % n);
        let has_entry = move |i: usize, j: usize| {
            let ((kind, index), (other, its)) = (place(i.max(j)), place(i.min(j)));
            kind == 2 && (other < 2 && its == index || other == 0 && its + 1 == index)
        };
        let diagonal = (0..3 * n).map(|i| i < n).collect();
        (Neighbours::new(3 * n, has_entry), diagonal, has_entry)
    }

    #[test]
    fn chains_are_taken_from_their_ends() {
        let count = |n: usize| {
            let (neighbours, diagonal, is_constant) = hanging(n);
            let order = by_pairs(neighbours, &diagonal, is_constant).expect("an order");
            let turns = order.turns.iter().map(|turn| match turn {
                Turn::Row(_) => 1,
                Turn::Pair(..) => 2,
            });
            assert_eq!(turns.sum::<usize>(), 3 * n);
            order.operations
        };
        let [few, many] = [10, 100].map(count);
        assert!(many < 11 * few, "{few} {many}");
    }

    #[test]
    fn rows_that_nothing_gives_go_last() {
        // Unknown 0 has a mass, row 2 gives 1 by 0, and row 3 holds both.
        let has_entry = |i: usize, j: usize| {
            let pair = (i.max(j), i.min(j));
            [(2, 1), (2, 0), (3, 0), (3, 1)].contains(&pair)
        };
        let diagonal = [true, true, false, false];
        let is_constant = |i: usize, j: usize| i.max(j) == 2;
        let order = by_pairs(Neighbours::new(4, has_entry), &diagonal, is_constant);
        let turns = order.expect("an order").turns;
        assert_eq!(turns, [Turn::Pair(1, 2), Turn::Row(0), Turn::Row(3)]);
    }

    /// Any matrices, with few entries and many empty diagonal ones.
    #[test]
    fn every_row_has_one_turn() {
        let mut found = 0;
        for trial in 0..400_usize {
            let n = 4 + trial % 9;
            let draw = |i: usize, j: usize| {
                let seed = (i.max(j) * 31 + i.min(j) * 17 + trial * 7 + 1) as f64;
                ((seed * 12.9898).sin() * 43_758.547).rem_euclid(1.0)
            };
            let diagonal: Vec<bool> = (0..n).map(|i| draw(i, i) < 0.4).collect();
            let neighbours = Neighbours::new(n, |i, j| draw(i, j) < 0.35);
            let Some(order) = by_pairs(neighbours, &diagonal, |i, j| draw(i, j) < 0.3) else {
                continue;
            };
            let mut taken = Vec::new();
            for turn in order.turns {
                match turn {
                    Turn::Row(i) => taken.push(i),
                    Turn::Pair(i, j) => taken.extend([i, j]),
                }
            }
            taken.sort_unstable();
            assert_eq!(taken, (0..n).collect::<Vec<_>>());
            found += 1;
        }
        assert!(found > 100, "{found}");
    }
}
