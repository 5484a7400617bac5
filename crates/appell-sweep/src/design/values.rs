//! The values of a member: functions of the design and the member's number, and of nothing else.

use super::normal::quantile;
use super::{philox, sobol};

/// Where the values of the members come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// The cartesian product of axes, the last one fastest.
    Grid(Vec<Axis>),
    /// Points of a sample.
    Sample(Sample),
    /// The rows of a table.
    Rows {
        /// How many columns there are.
        width: usize,
        /// The numbers, row by row.
        numbers: Vec<f64>,
    },
}

/// The values along an axis of a grid.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// So many values, both ends included.
    Range(f64, f64, u64),
    /// These.
    List(Vec<f64>),
}

/// Points that fill a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// How they are drawn.
    pub method: Method,
    /// What tells one drawing from another.
    pub seed: u64,
    /// How many there are.
    pub count: u64,
    /// What becomes of a number between 0 and 1, column by column.
    pub columns: Vec<Distribution>,
    /// The directions of Sobol's sequence, and by how much it is shifted.
    shifted: Vec<([u32; 32], u32)>,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Sobol's sequence; a seed other than 0 shifts its digits, and those of normal columns are always shifted.
    Sobol,
    /// Independent numbers.
    Uniform,
}

/// The distribution of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distribution {
    /// Uniform between two values.
    Between(f64, f64),
    /// Normal with a mean and a deviation.
    Normal(f64, f64),
}

impl Axis {
    /// How many values there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::Range(_, _, count) => *count,
            Self::List(values) => values.len() as u64,
        }
    }

    fn value(&self, index: u64) -> f64 {
        match self {
            Self::List(values) => values[index as usize],
            Self::Range(_, to, count) if index > 0 && index + 1 == *count => *to,
            Self::Range(from, to, count) => {
                let last = count.saturating_sub(1).max(1) as f64;
                from + (to - from) * (index as f64 / last)
            }
        }
    }
}

impl Sample {
    /// A sample; Sobol's has at most [`Sample::most_columns`] columns.
    pub fn new(method: Method, seed: u64, count: u64, columns: Vec<Distribution>) -> Self {
        let directions = match method {
            Method::Sobol => sobol::all_directions(columns.len()),
            Method::Uniform => Vec::new(),
        };
        let shift = |column: usize| match (seed, columns[column]) {
            (0, Distribution::Between(..)) => 0,
            // The first point, 0 in all columns, would be six deviations away in each.
            _ => philox::bits(seed, u64::MAX, column as u32) as u32,
        };
        let shifted = directions.into_iter().enumerate();
        let shifted = shifted.map(|(j, v)| (v, shift(j))).collect();
        Self {
            method,
            seed,
            count,
            columns,
            shifted,
        }
    }

    /// The most columns and points of Sobol's sequence.
    pub const fn most_columns() -> (usize, u64) {
        (sobol::DIMENSIONS, sobol::POINTS)
    }

    /// A value between 0 and 1, the least of them, and their distance.
    fn unit(&self, member: u64, column: usize) -> (f64, f64) {
        match self.method {
            Method::Uniform => {
                let bits = philox::bits(self.seed, member, column as u32);
                (philox::unit(bits), 1.0 / (1_u64 << 53) as f64)
            }
            Method::Sobol => {
                let (directions, shift) = &self.shifted[column];
                let digits = sobol::digits(directions, member) ^ shift;
                let step = 1.0 / (1_u64 << 32) as f64;
                (f64::from(digits) * step, step)
            }
        }
    }

    fn value(&self, member: u64, column: usize) -> f64 {
        let (u, step) = self.unit(member, column);
        match self.columns[column] {
            Distribution::Between(low, high) => low + (high - low) * u,
            // The middle of the cell: neither 0 nor 1.
            Distribution::Normal(mean, deviation) => {
                let p = (u + 0.5 * step).min(1.0 - 0.5 * f64::EPSILON);
                mean + deviation * quantile(p)
            }
        }
    }
}

impl Values {
    /// How many members there are; none where the number has no end.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Grid(axes) => axes
                .iter()
                .try_fold(1_u64, |n, axis| n.checked_mul(axis.count())),
            Self::Sample(sample) => Some(sample.count),
            Self::Rows { width, numbers } => Some((numbers.len() / (*width).max(1)) as u64),
        }
    }

    /// Appends the values of a member.
    pub fn row(&self, member: u64, out: &mut Vec<f64>) {
        match self {
            Self::Grid(axes) => {
                let first = out.len();
                let mut rest = member;
                for axis in axes.iter().rev() {
                    out.push(axis.value(rest % axis.count()));
                    rest /= axis.count();
                }
                out[first..].reverse();
            }
            Self::Sample(sample) => {
                out.extend((0..sample.columns.len()).map(|j| sample.value(member, j)));
            }
            Self::Rows { width, numbers } => {
                let first = member as usize * width;
                out.extend_from_slice(&numbers[first..first + width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &Values, member: u64) -> Vec<f64> {
        let mut out = Vec::new();
        values.row(member, &mut out);
        out
    }

    #[test]
    fn a_grid_counts_with_its_last_axis_fastest() {
        let axes = vec![
            Axis::Range(0.5, 2.0, 4),
            Axis::List(vec![7.0, -1.0]),
            Axis::Range(3.0, 9.0, 1),
        ];
        let grid = Values::Grid(axes);
        assert_eq!(grid.count(), Some(8));
        assert_eq!(row(&grid, 0), [0.5, 7.0, 3.0]);
        assert_eq!(row(&grid, 1), [0.5, -1.0, 3.0]);
        assert_eq!(row(&grid, 7), [2.0, -1.0, 3.0]);
        let endless = Axis::Range(0.0, 1.0, u64::MAX);
        assert_eq!(Values::Grid(vec![endless.clone(), endless]).count(), None);
    }

    /// Closed forms: mean and variance of the distributions, within five deviations of the estimate.
    #[test]
    fn samples_have_the_moments_of_their_distributions() {
        for method in [Method::Sobol, Method::Uniform] {
            for seed in [0, 7] {
                let spreads = vec![
                    Distribution::Between(-1.0, 3.0),
                    Distribution::Normal(2.0, 0.5),
                ];
                let count = 1 << 14;
                let sample = Values::Sample(Sample::new(method, seed, count, spreads));
                let rows: Vec<_> = (0..count).map(|n| row(&sample, n)).collect();
                for (j, (mean, variance)) in
                    [(1.0, 16.0 / 12.0), (2.0, 0.25)].into_iter().enumerate()
                {
                    let n = count as f64;
                    let average = rows.iter().map(|row| row[j]).sum::<f64>() / n;
                    let spread = rows
                        .iter()
                        .map(|row| (row[j] - average).powi(2))
                        .sum::<f64>()
                        / n;
                    assert!(
                        (average - mean).abs() < 5.0 * f64::sqrt(variance / n),
                        "{method:?} {average}"
                    );
                    let error = 5.0 * variance * f64::sqrt(2.0 / n);
                    assert!((spread - variance).abs() < error, "{method:?} {spread}");
                }
            }
        }
    }

    /// The largest of a thousand normal numbers lies near three deviations, and columns know nothing of each other.
    #[test]
    fn normal_columns_have_no_member_far_out_in_all() {
        let spreads = vec![Distribution::Normal(0.0, 1.0); 3];
        let sample = Values::Sample(Sample::new(Method::Sobol, 0, 1000, spreads));
        let rows: Vec<_> = (0..1000).map(|n| row(&sample, n)).collect();
        let most = rows
            .iter()
            .flatten()
            .fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(most < 4.5, "{most}");
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let product: f64 = rows.iter().map(|row| row[i] * row[j]).sum();
            assert!(product.abs() / 1000.0 < 0.01, "{product}");
        }
    }

    #[test]
    fn another_seed_is_another_sample() {
        for method in [Method::Sobol, Method::Uniform] {
            let of = |seed| {
                Values::Sample(Sample::new(
                    method,
                    seed,
                    9,
                    vec![Distribution::Between(0.0, 1.0); 3],
                ))
            };
            assert_ne!(row(&of(1), 5), row(&of(2), 5));
            assert_eq!(row(&of(1), 5), row(&of(1), 5));
        }
    }
}
