//! Numbers with the sizes of their terms: the outputs of a program at one state.

use appell_expr::Program;
use appell_flow::{Interpreter, Measured, linear};
use std::ops::Range;

/// A matrix of numbers with the sizes of their terms, row by row.
#[derive(Debug, Clone)]
pub struct Table {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The entries.
    pub entries: Vec<Measured>,
}

/// The outputs of one program at one state.
#[derive(Debug, Clone)]
pub struct Measurement<'p> {
    /// What was run.
    pub(crate) program: &'p Program,
    /// Its results.
    pub(crate) values: Vec<Measured>,
    /// The coordinates and velocities, or parameters of these, that it was run at.
    pub(crate) state: Vec<f64>,
}

impl<'p> Measurement<'p> {
    /// What a program gives at a state; `None` where a solve fails.
    pub(crate) fn at(functions: &'p Interpreter, t: f64, state: &[f64]) -> Option<Self> {
        Some(Measurement {
            program: functions.program(),
            values: functions.measured(t, state).ok()?,
            state: state.to_vec(),
        })
    }

    /// The output of this name, which must be there.
    pub fn table(&self, name: &str) -> Table {
        let output = self
            .program
            .outputs
            .iter()
            .find(|output| output.name == name);
        let output = output.expect("the program was compiled with this output");
        let range: Range<usize> = self.program.range(name).unwrap_or_default();
        let entries = self.values[range].to_vec();
        Table {
            rows: output.rows,
            columns: output.columns,
            entries,
        }
    }
}

impl Table {
    /// The rank, entries below `1e-10` of their terms counting as zero; `None` if not finite.
    pub fn rank(&self) -> Option<usize> {
        let (values, sizes) = (self.values(), self.sizes());
        let finite = values.iter().chain(&sizes).all(|x| x.is_finite());
        finite.then(|| linear::rank(self.rows, self.columns, &values, &sizes))
    }

    /// The same where it is known to be no larger than `most`; see [`linear::rank_at_most`].
    pub fn rank_at_most(&self, most: Option<usize>) -> Option<usize> {
        let (values, sizes) = (self.values(), self.sizes());
        let finite = values.iter().chain(&sizes).all(|x| x.is_finite());
        finite.then(|| linear::rank_at_most(most, self.rows, self.columns, &values, &sizes))
    }

    /// Whether the rows are independent beyond all rounding of the state.
    pub fn has_full_rank(&self) -> bool {
        linear::has_full_rank(self.rows, self.columns, &self.values(), &self.sizes())
    }

    /// `[self, other]`.
    pub fn beside(&self, other: &Self) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        for i in 0..self.rows {
            entries.extend_from_slice(&self.entries[i * self.columns..(i + 1) * self.columns]);
            entries.extend_from_slice(&other.entries[i * other.columns..(i + 1) * other.columns]);
        }
        Self {
            rows: self.rows,
            columns: self.columns + other.columns,
            entries,
        }
    }

    /// These columns only.
    pub fn columns_of(&self, columns: &[usize]) -> Self {
        let rows = self.entries.chunks(self.columns.max(1));
        let entries = rows
            .flat_map(|row| columns.iter().map(|j| row[*j]))
            .collect();
        Self {
            rows: self.rows,
            columns: columns.len(),
            entries,
        }
    }

    /// The entries' values.
    pub fn values(&self) -> Vec<f64> {
        self.entries.iter().map(|x| x.value).collect()
    }

    /// The sizes of the entries' terms.
    pub fn sizes(&self) -> Vec<f64> {
        self.entries.iter().map(|x| x.size).collect()
    }
}
