//! Deviations that the constraints allow, in independent coordinates and velocities.

use super::OperatingPoint;
use crate::values::error::Error;
use crate::values::measurement::{Measurement, Table};
use crate::values::prepared::Prepared;
use appell_flow::{Measured, linear};
use appell_mech::{Carrier, function};

/// Which coordinates and velocities are independent at a state, and which rows give the others.
pub(crate) struct Reduction {
    /// Indices into the carrier's state, ascending.
    pub independent: Vec<usize>,
    /// The rows of `f` and the coordinates that they determine, h each.
    position: (Vec<usize>, Vec<usize>),
    /// The rows of `phi` and the velocities that they determine.
    velocity: (Vec<usize>, Vec<usize>),
    /// Whether the state is `(q, v)`; on `(q, z)` there is nothing to reduce.
    reduced: bool,
    size: usize,
}

/// What is left of a row on the basis, relative to its terms; and relative to its entries, for components that are zero
/// but for rounding have no terms of their own.
const ON_ROWS: f64 = 1e-8;
const ROUNDING: f64 = 1e-12;

impl Reduction {
    /// Chooses by complete pivoting, the user's independent velocities first.
    pub fn new(p: &Prepared<'_>, at: &OperatingPoint, carrier: Carrier) -> Result<Self, Error> {
        let (n, size) = (p.system.n(), at.y.len());
        let mut chosen = Self {
            independent: Vec::new(),
            position: (Vec::new(), Vec::new()),
            velocity: (Vec::new(), Vec::new()),
            reduced: carrier == Carrier::Velocities,
            size,
        };
        if chosen.reduced {
            let m = measured(p, at)?;
            let wanted = &p.model.motion.independent_coordinates;
            let others: Vec<usize> = (0..n).filter(|i| !wanted.contains(i)).collect();
            chosen.position = pivots(&m.table(function::POSITION_Q), &others);
            chosen.velocity = pivots(&m.table(function::PHI_V), &others);
        }
        let depends = |i: &usize| match *i < n {
            true => chosen.position.1.contains(i),
            false => chosen.velocity.1.contains(&(i - n)),
        };
        chosen.independent = (0..size).filter(|i| !depends(i)).collect();
        Ok(chosen)
    }

    /// The columns of `N`: one of the independent ones moves by 1, the dependent ones follow.
    pub fn basis(&self, p: &Prepared<'_>, at: &OperatingPoint) -> Result<Vec<Vec<f64>>, Error> {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for i in &self.independent {
            let mut column = vec![0.0; self.size];
            column[*i] = 1.0;
            basis.push(column);
        }
        if !self.reduced || basis.is_empty() {
            return Ok(basis);
        }
        let m = measured(p, at)?;
        let n = p.system.n();
        let (f_q, phi_q, phi_v) = (
            m.table(function::POSITION_Q),
            m.table(function::PHI_Q),
            m.table(function::PHI_V),
        );
        fill(&f_q, &self.position, 0, &mut basis, |_, _| 0.0)?;
        let by_position = |row: usize, column: &[f64]| product(&phi_q, row, &column[..n]).0;
        fill(&phi_v, &self.velocity, n, &mut basis, by_position)?;
        Ok(basis)
    }

    /// All rows must hold along the basis, those without a part in it too.
    ///
    /// # Errors
    /// Rows that allow less than their derivatives by the velocities say.
    pub fn check(
        &self,
        p: &Prepared<'_>,
        at: &OperatingPoint,
        basis: &[Vec<f64>],
    ) -> Result<(), Error> {
        if !self.reduced {
            return Ok(());
        }
        let m = measured(p, at)?;
        let n = p.system.n();
        let (f_q, phi_q, phi_v) = (
            m.table(function::POSITION_Q),
            m.table(function::PHI_Q),
            m.table(function::PHI_V),
        );
        for column in basis {
            let (dq, dv) = column.split_at(n);
            let longest = linear::max_norm(column.iter());
            let rest = |table: &Table, row: usize, part: &[f64]| {
                let (rest, size) = product(table, row, part);
                (
                    rest,
                    ON_ROWS * size + ROUNDING * longest * length(table, row),
                )
            };
            let left = (0..phi_q.rows).map(|row| {
                let (by_q, by_v) = (rest(&phi_q, row, dq), rest(&phi_v, row, dv));
                (by_q.0 + by_v.0, by_q.1 + by_v.1)
            });
            let positions = (0..f_q.rows).map(|row| rest(&f_q, row, dq));
            if left
                .chain(positions)
                .any(|(rest, allowed)| rest.abs() > allowed)
            {
                let why = "the constraints allow fewer deviations here than their derivatives by the \
                           velocities say: dependent rows hide a condition on the coordinates";
                return Err(Error::NoValue(why.to_owned()));
            }
        }
        Ok(())
    }
}

fn measured<'p>(p: &'p Prepared<'_>, at: &OperatingPoint) -> Result<Measurement<'p>, Error> {
    let n = p.system.n();
    let m = p.measure(at.t, &at.y[..n], &at.v);
    m.ok_or_else(|| Error::NoValue("the mechanics has no value at the state".to_owned()))
}

/// Independent rows of a table and the columns they determine, out of `wanted` if these suffice.
fn pivots(table: &Table, wanted: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let of = |columns: &[usize]| {
        let part = table.columns_of(columns);
        let found = linear::pivots(
            None,
            None,
            part.rows,
            part.columns,
            &part.values(),
            &part.sizes(),
        );
        let mut rows: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
        let mut dependent: Vec<usize> = found.iter().map(|(_, column)| columns[*column]).collect();
        rows.sort_unstable();
        dependent.sort_unstable();
        (rows, dependent)
    };
    let all: Vec<usize> = (0..table.columns).collect();
    let (first, whole) = (of(wanted), of(&all));
    if first.0.len() == whole.0.len() {
        first
    } else {
        whole
    }
}

fn entries(table: &Table, row: usize) -> &[Measured] {
    &table.entries[row * table.columns..(row + 1) * table.columns]
}

/// The sizes of the entries of a row together.
fn length(table: &Table, row: usize) -> f64 {
    entries(table, row).iter().map(|a| a.size).sum()
}

/// A row of a table times a column, with the size of its terms.
fn product(table: &Table, row: usize, column: &[f64]) -> (f64, f64) {
    let terms = entries(table, row).iter().zip(column);
    terms.fold((0.0, 0.0), |(sum, size), (a, x)| {
        (sum + a.value * x, size + a.size * x.abs())
    })
}

/// Puts in the dependent components, which stand from `offset` on: `a_D x_D = -(a_I x_I + rest)`.
fn fill(
    table: &Table,
    (rows, dependent): &(Vec<usize>, Vec<usize>),
    offset: usize,
    basis: &mut [Vec<f64>],
    rest: impl Fn(usize, &[f64]) -> f64,
) -> Result<(), Error> {
    let (k, columns) = (rows.len(), basis.len());
    let values = table.values();
    let places = rows
        .iter()
        .flat_map(|row| dependent.iter().map(move |j| row * table.columns + *j));
    let matrix: Vec<f64> = places.map(|place| values[place]).collect();
    let free = |row: usize, column: &Vec<f64>| {
        let part = &column[offset..offset + table.columns];
        -(product(table, row, part).0 + rest(row, column))
    };
    let right: Vec<f64> = rows
        .iter()
        .flat_map(|row| basis.iter().map(|column| free(*row, column)))
        .collect();
    let mut solution = vec![0.0; k * columns];
    let scratch = &mut linear::Scratch::default();
    linear::lu(k, &matrix, &right, &mut solution, scratch).map_err(|why| {
        Error::NoValue(format!(
            "the dependent velocities have no value here: {why}"
        ))
    })?;
    for (place, value) in solution.into_iter().enumerate() {
        basis[place % columns][offset + dependent[place / columns]] = value;
    }
    Ok(())
}
