//! Many rows, one after the other.
//!
//! A section of n quadrics in general has `2^n` points. But in a chain of rods each row has unknowns that no other
//! has: over a point of the other rows it is a conic in these. Where the row is monic in one of them, up to a number,
//! the set is finite and flat over the points of the other rows with the rest of its unknowns free, so that each of its
//! components lies over all of a component of theirs: none is missed.

use super::total_degree::degree_in;
use crate::graph::{Ex, Id, Node};
use rustc_hash::FxHashSet;

/// Fewer rows than this are met together.
const MANY: usize = 5;

/// Rows with the unknowns that they are solved for.
pub(super) type Rows<'g> = (Vec<Ex<'g>>, Vec<Ex<'g>>);

/// The rows in blocks, each of which is solved for unknowns that no block before it has.
pub(super) fn in_turn<'g>(
    rows: &[Ex<'g>],
    unknowns: &[Ex<'g>],
    others: &[Ex<'g>],
) -> Vec<Rows<'g>> {
    let whole = || vec![(rows.to_vec(), unknowns.to_vec())];
    let is_curved = |row: &&Ex<'g>| degree_in(**row, unknowns).is_none_or(|d| d > 1);
    if !others.is_empty() || rows.iter().filter(is_curved).count() < MANY {
        return whole();
    }
    let symbols = |row: &Ex<'g>| {
        row.symbols()
            .iter()
            .map(|s| s.id())
            .collect::<FxHashSet<Id>>()
    };
    let mut left: Vec<(Ex<'g>, FxHashSet<Id>)> = rows.iter().map(|r| (*r, symbols(r))).collect();
    let mut free = unknowns.to_vec();
    let mut last: Vec<Rows<'g>> = Vec::new();
    while let Some((place, single)) = with_own_unknowns(&left, &free) {
        let (row, _) = left.remove(place);
        free.retain(|u| !single.contains(u));
        last.push((vec![row], single));
    }
    if last.is_empty() {
        return whole();
    }
    let first = (
        left.into_iter().map(|(row, _)| row).collect::<Vec<_>>(),
        free,
    );
    let first = (!first.0.is_empty()).then_some(first);
    first.into_iter().chain(last.into_iter().rev()).collect()
}

/// A row with unknowns that no other row has, in one of which it is monic up to a number.
fn with_own_unknowns<'g>(
    rows: &[(Ex<'g>, FxHashSet<Id>)],
    unknowns: &[Ex<'g>],
) -> Option<(usize, Vec<Ex<'g>>)> {
    let counts = |u: &Ex<'g>| {
        rows.iter()
            .filter(|(_, symbols)| symbols.contains(&u.id()))
            .count()
    };
    let single: Vec<Ex<'g>> = unknowns
        .iter()
        .filter(|u| counts(u) == 1)
        .copied()
        .collect();
    rows.iter()
        .enumerate()
        .rev()
        .find_map(|(place, (row, symbols))| {
            let of_row: Vec<Ex<'g>> = single
                .iter()
                .filter(|u| symbols.contains(&u.id()))
                .copied()
                .collect();
            of_row
                .iter()
                .any(|u| is_monic(*row, *u))
                .then_some((place, of_row))
        })
}

/// Whether the row is a polynomial in an unknown whose first coefficient is a number.
fn is_monic<'g>(row: Ex<'g>, unknown: Ex<'g>) -> bool {
    let Some(degree @ 1..) = degree_in(row, &[unknown]) else {
        return false;
    };
    let first = (0..degree).fold(row, |row, _| row.diff(unknown));
    matches!(first.node(), Node::Number(x) if !x.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    fn chain<'g>(g: &'g Graph, n: usize) -> (Vec<Ex<'g>>, Vec<Ex<'g>>) {
        let of = |name: &str, i: usize| g.symbol(&format!("{name}{i}"));
        let side = |name: &str, i: usize| match i {
            0 => of(name, 0),
            _ => of(name, i) - of(name, i - 1),
        };
        let rows = (0..n).map(|i| side("x", i).pow(2) + side("y", i).pow(2) - 1);
        let unknowns = (0..n).map(|i| of("x", i)).chain((0..n).map(|i| of("y", i)));
        (rows.collect(), unknowns.collect())
    }

    #[test]
    fn a_chain_is_met_link_by_link() {
        let g = Graph::new();
        let (rows, unknowns) = chain(&g, 9);
        let found = in_turn(&rows, &unknowns, &[]);
        assert_eq!(found.len(), 9);
        for (i, (link, of)) in found.iter().enumerate() {
            assert_eq!((link, of.len()), (&vec![rows[i]], 2));
        }
        // A ring has a last link without unknowns of its own.
        let closing = unknowns[8].pow(2) + unknowns[17].pow(2) - 4;
        let ring = [&rows[..], &[closing]].concat();
        assert_eq!(
            in_turn(&ring, &unknowns, &[]),
            vec![(ring.clone(), unknowns.clone())]
        );
    }

    /// A product vanishes on a component over points where its first coefficient does.
    #[test]
    fn rows_that_are_not_monic_come_first() {
        let g = Graph::new();
        let (mut rows, mut unknowns) = chain(&g, 6);
        let z = g.symbol("z");
        let product = unknowns[5] * z;
        rows.push(product);
        unknowns.push(z);
        let found = in_turn(&rows, &unknowns, &[]);
        assert_eq!(found[0], (vec![product], vec![unknowns[5], z]));
        // The last link has one unknown left.
        assert_eq!(found[6], (vec![rows[5]], vec![unknowns[11]]));
        let few = in_turn(&rows[..4], &unknowns, &[]);
        assert_eq!(few.len(), 1);
    }
}
