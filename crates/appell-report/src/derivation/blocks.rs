//! A square linear system as smaller ones, one after the other, by which of its entries are 0.

/// Rows and as many unknowns that are solved for together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub rows: Vec<usize>,
    pub unknowns: Vec<usize>,
}

/// The smallest blocks in an order in which each needs unknowns of earlier ones only; `None` where such a
/// pattern is singular whatever the entries are.
pub(super) fn blocks(size: usize, filled: impl Fn(usize, usize) -> bool) -> Option<Vec<Block>> {
    let entries: Vec<Vec<usize>> = (0..size)
        .map(|i| (0..size).filter(|j| filled(i, *j)).collect())
        .collect();
    let row_of = matched(&entries)?;
    let needs = |row: usize| entries[row].iter().map(|j| row_of[*j]);
    // What a row reaches, row by row: rows that reach each other stand in one block.
    let reached: Vec<Vec<bool>> = (0..size).map(|row| reached(row, size, needs)).collect();
    let count = |row: &usize| reached[*row].iter().filter(|there| **there).count();
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_unstable_by_key(|row| (count(row), *row));
    let mut blocks: Vec<Block> = Vec::new();
    let mut placed = vec![false; size];
    for row in order {
        if placed[row] {
            continue;
        }
        let together = |other: &usize| reached[row][*other] && reached[*other][row];
        let rows: Vec<usize> = (0..size).filter(together).collect();
        rows.iter().for_each(|row| placed[*row] = true);
        let inside = |unknown: &usize| rows.contains(&row_of[*unknown]);
        let unknowns = (0..size).filter(inside).collect();
        blocks.push(Block { rows, unknowns });
    }
    Some(blocks)
}

/// For each unknown a row of its own in which it stands, its own place on the diagonal first.
fn matched(entries: &[Vec<usize>]) -> Option<Vec<usize>> {
    let size = entries.len();
    let mut row_of: Vec<Option<usize>> = vec![None; size];
    let on_diagonal = |row: &usize| entries[*row].contains(row);
    for row in (0..size).filter(on_diagonal) {
        row_of[row] = Some(row);
    }
    for row in (0..size).filter(|row| !on_diagonal(row)) {
        give(row, entries, &mut row_of, &mut vec![false; size]).then_some(())?;
    }
    row_of.into_iter().collect()
}

/// Finds an unknown for a row; others may have to take another one.
fn give(
    row: usize,
    entries: &[Vec<usize>],
    row_of: &mut [Option<usize>],
    seen: &mut [bool],
) -> bool {
    for unknown in &entries[row] {
        if std::mem::replace(&mut seen[*unknown], true) {
            continue;
        }
        let free = match row_of[*unknown] {
            None => true,
            Some(other) => give(other, entries, row_of, seen),
        };
        if free {
            row_of[*unknown] = Some(row);
            return true;
        }
    }
    false
}

/// Which rows a row needs, itself among them.
fn reached<I: Iterator<Item = usize>>(
    row: usize,
    size: usize,
    needs: impl Fn(usize) -> I,
) -> Vec<bool> {
    let mut there = vec![false; size];
    let mut pending = vec![row];
    while let Some(next) = pending.pop() {
        if !std::mem::replace(&mut there[next], true) {
            pending.extend(needs(next));
        }
    }
    there
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&str]) -> Option<Vec<Block>> {
        let filled = |i: usize, j: usize| rows[i].as_bytes()[j] == b'x';
        blocks(rows.len(), filled)
    }

    fn block(rows: &[usize], unknowns: &[usize]) -> Block {
        Block {
            rows: rows.to_vec(),
            unknowns: unknowns.to_vec(),
        }
    }

    #[test]
    fn a_triangular_system_is_solved_row_by_row() {
        let expected = [block(&[1], &[0]), block(&[0], &[2]), block(&[2], &[1])];
        assert_eq!(of(&["x.x", "x..", "xx."]), Some(expected.to_vec()));
    }

    #[test]
    fn what_belongs_together_is_one_block() {
        // The last two rows have the first unknown, which the first row gives.
        let expected = [block(&[0], &[0]), block(&[1, 2], &[1, 2])];
        assert_eq!(of(&["x..", "xxx", "xxx"]), Some(expected.to_vec()));
        assert_eq!(of(&["xx", "xx"]), Some(vec![block(&[0, 1], &[0, 1])]));
    }

    #[test]
    fn a_pattern_may_be_singular_by_itself() {
        assert_eq!(of(&["xx.", "..x", "..x"]), None);
        assert_eq!(of(&["..", "xx"]), None);
        assert_eq!(of(&[]), Some(Vec::new()));
    }
}
