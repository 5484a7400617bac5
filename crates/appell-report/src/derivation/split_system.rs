//! A regular linear system written as smaller ones: what stands alone in a row is given by it, and what has
//! nothing on its right side is 0.

use super::blocks::{Block, blocks};
use super::simplify::quotient;
use appell_expr::{Ex, Graph};

/// `matrix unknowns = right`, all row by row.
pub(super) struct Linear<'a, 'g> {
    pub graph: &'g Graph,
    pub size: usize,
    pub columns: usize,
    pub matrix: &'a [Ex<'g>],
    pub unknowns: &'a [Ex<'g>],
    pub right: &'a [Ex<'g>],
}

/// A part of a system; it may speak of the unknowns of earlier parts.
pub(super) enum Part<'g> {
    /// An unknown and its value.
    Given(Ex<'g>, Ex<'g>),
    /// Those with a right side of some rows, for some columns.
    System {
        /// Whether rows and unknowns have the same places: a symmetric matrix stays so.
        on_diagonal: bool,
        size: usize,
        matrix: Vec<Ex<'g>>,
        unknowns: Vec<Ex<'g>>,
        right: Vec<Ex<'g>>,
    },
}

/// A system in parts.
pub(super) struct Apart<'g> {
    pub parts: Vec<Part<'g>>,
    /// What stands for each unknown: a value where it is short, else its name.
    pub values: Vec<Ex<'g>>,
    /// What is divided by: it does not vanish where the system has a solution.
    pub divisors: Vec<Ex<'g>>,
}

/// The system in parts; `None` where it is one.
pub(super) fn apart<'g>(
    linear: &Linear<'_, 'g>,
    is_short: &mut dyn FnMut(Ex<'g>, Ex<'g>) -> bool,
) -> Option<Apart<'g>> {
    let filled = |i: usize, j: usize| !linear.matrix[i * linear.size + j].is_zero();
    let blocks = blocks(linear.size, filled)?;
    let mut values = vec![None; linear.unknowns.len()];
    let (mut parts, mut divisors) = (Vec::new(), Vec::new());
    for block in &blocks {
        let mut open = Vec::new();
        for column in 0..linear.columns {
            let rows = block.rows.iter();
            let right: Vec<Ex<'g>> = rows.map(|i| linear.rest(*i, column, &values)).collect();
            let places = block.unknowns.iter().map(|j| j * linear.columns + column);
            if right.iter().all(|x| x.is_zero()) {
                places.for_each(|place| values[place] = Some(linear.graph.zero()));
                continue;
            }
            places.for_each(|place| values[place] = Some(linear.unknowns[place]));
            open.push((column, right));
        }
        let [(row, unknown)] = linear.alone(block)[..] else {
            parts.extend((!open.is_empty()).then(|| linear.system(block, &open)));
            continue;
        };
        let divisor = linear.matrix[row * linear.size + unknown];
        divisors.push(divisor);
        for (column, right) in open {
            let place = unknown * linear.columns + column;
            let value = quotient(right[0], divisor);
            match is_short(linear.unknowns[place], value) {
                true => values[place] = Some(value),
                false => parts.push(Part::Given(linear.unknowns[place], value)),
            }
        }
    }
    let whole = parts.len() == 1
        && matches!(&parts[0], Part::System { unknowns, .. } if unknowns == linear.unknowns);
    let values = values.into_iter().collect::<Option<Vec<Ex<'g>>>>()?;
    (!whole).then_some(Apart {
        parts,
        values,
        divisors,
    })
}

impl<'g> Linear<'_, 'g> {
    /// The right side of a row without what is known of its unknowns.
    fn rest(&self, row: usize, column: usize, values: &[Option<Ex<'g>>]) -> Ex<'g> {
        let known = (0..self.size).filter_map(|j| {
            let value = values[j * self.columns + column]?;
            Some(-(self.matrix[row * self.size + j] * value))
        });
        let all: Vec<Ex<'g>> = [self.right[row * self.columns + column]]
            .into_iter()
            .chain(known)
            .collect();
        self.graph.sum(&all)
    }

    /// The row and the unknown of a block that has one of each.
    fn alone(&self, block: &Block) -> Vec<(usize, usize)> {
        let pairs = block.rows.iter().zip(&block.unknowns);
        pairs.map(|(row, unknown)| (*row, *unknown)).collect()
    }

    /// A block for these columns with their right sides.
    fn system(&self, block: &Block, columns: &[(usize, Vec<Ex<'g>>)]) -> Part<'g> {
        let rows = block.rows.iter();
        let entries = rows.flat_map(|i| {
            let places = block.unknowns.iter();
            places.map(move |j| self.matrix[i * self.size + j])
        });
        let unknowns = block.unknowns.iter().flat_map(|j| {
            let pairs = columns.iter();
            pairs.map(move |(column, _)| self.unknowns[j * self.columns + column])
        });
        let right = (0..block.rows.len()).flat_map(|i| columns.iter().map(move |(_, x)| x[i]));
        Part::System {
            on_diagonal: block.rows == block.unknowns,
            size: block.rows.len(),
            matrix: entries.collect(),
            unknowns: unknowns.collect(),
            right: right.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a system of two columns as text; every value is put in its place.
    fn parts(matrix: &[Ex<'_>], right: &[Ex<'_>]) -> (usize, Vec<String>) {
        let graph = matrix[0].graph();
        let size = right.len() / 2;
        let unknowns: Vec<_> = (0..right.len())
            .map(|i| graph.symbol(&format!("x{i}")))
            .collect();
        let linear = Linear {
            graph,
            size,
            columns: 2,
            matrix,
            unknowns: &unknowns,
            right,
        };
        let found = apart(&linear, &mut |_, _| true).expect("it has parts");
        let texts = found.values.iter().map(|x| format!("{x}"));
        (found.parts.len(), texts.collect())
    }

    #[test]
    fn rows_with_one_unknown_give_it_and_nothing_gives_nothing() {
        let g = Graph::new();
        let [a, b, e] = ["a", "b", "e"].map(|name| g.symbol(name));
        let (o, l) = (g.zero(), g.one());
        // x = (1, 0), a x + e y = (0, b).
        let (count, values) = parts(&[l, o, a, e], &[l, o, o, b]);
        assert_eq!(count, 0);
        assert_eq!(values, ["1", "0", "-a/e", "b/e"]);
        // Two rows with two unknowns, the second column of them without a right side.
        let (count, values) = parts(&[a, b, b, -a], &[l, o, e, o]);
        assert_eq!(count, 1);
        assert_eq!(values, ["x0", "0", "x2", "0"]);
    }
}
