//! Symmetric systems written out as `L D L^T` along their structural zeros.

use super::build::{Builder, Value, ZERO};
use super::cofactors;
use super::sparsity::{self, Neighbours, Order, Turn};
use crate::linear::THRESHOLD;
use appell_expr::{SlotSolve, SolveKind};

/// Larger systems are written out only where zeros make that short.
const FULL: usize = 24;
/// Still larger ones never are.
const LARGEST: usize = 1000;
/// Nor those of more operations: machine code of so many takes seconds to make.
const MOST_OPERATIONS: usize = 60_000;
/// An operation of a program takes as long as so many of a routine.
const ROUTINE: usize = 4;

/// Pivots of indefinite matrices must exceed this part of their absolute terms. There is no refinement
/// here, so it is stricter than where one follows.
pub(super) const SAFE: f64 = 1e-3;

/// The same of large systems, which are eliminated in the order of their structure: what is left of an inertia
/// where long arms hang on it is a small part of its terms, and as good.
const SAFE_IN_ORDER: f64 = 1e-6;

/// The unknowns, and what must hold for them to count.
pub(super) struct Solution {
    /// Pairs `(a, b)` with `a > b`.
    pub guards: Vec<(Value, Value)>,
    /// Row by row.
    pub unknowns: Vec<Value>,
}

impl Solution {
    /// The unknowns where all of them are known beforehand.
    pub fn known(&self) -> Option<Vec<Value>> {
        let constant = |x: &Value| matches!(x, Value::Constant(_));
        let known = self.guards.is_empty() && self.unknowns.iter().all(constant);
        known.then(|| self.unknowns.clone())
    }
}

/// A pivot with its column of `L` below it.
struct Pivot {
    row: usize,
    entry: Value,
    reciprocal: Value,
    column: Vec<(usize, Value)>,
    /// Where two rows are eliminated at once.
    giver: Option<Giver>,
}

/// A row without a diagonal entry that gives the unknown of another: the pivot is `[h, c; c, 0]` with a constant c, and
/// `A_rs` loses `A_ri f_s + A_rj g_s` with `f = A_j/c`, which is [`Pivot::column`], and `g = (A_i - h f)/c`.
struct Giver {
    row: usize,
    /// `A_i/c`
    beside: Vec<(usize, Value)>,
}

/// An elimination in the making; only the lower triangle is kept.
struct Elimination<'b> {
    builder: &'b mut Builder,
    n: usize,
    columns: usize,
    a: Vec<Value>,
    /// The diagonal computed with absolute values.
    sizes: Vec<Value>,
    /// Whether a diagonal entry was there from the start. Those that only elimination has filled come
    /// last, for parts of their sums may vanish.
    original: Vec<bool>,
    /// Of the rows that are not eliminated.
    neighbours: Neighbours,
    x: Vec<Value>,
    /// Whether an unknown is used to compute another.
    read: Vec<bool>,
    definite: bool,
    /// The part of its terms that a pivot must exceed.
    safe: f64,
    guards: Vec<(Value, Value)>,
}

/// Writes out the solution of a symmetric system, of one equation, or of a few general ones; `None` where that cannot
/// be done for every matrix with these zeros, or would be too long.
pub(super) fn write_out(
    builder: &mut Builder,
    statement: &SlotSolve,
    matrix: &[Value],
    right: &[Value],
) -> Option<Solution> {
    let n = statement.size;
    let definite = statement.kind == SolveKind::PositiveDefinite;
    let symmetric = !matches!(statement.kind, SolveKind::General | SolveKind::Chosen);
    if !symmetric && (n > 1 || statement.kind == SolveKind::Chosen) {
        return cofactors::write_out(builder, statement, matrix, right);
    }
    if n == 0 || n > LARGEST {
        return None;
    }
    let diagonal: Vec<Value> = (0..n).map(|i| matrix[i * n + i]).collect();
    let original: Vec<bool> = diagonal.iter().map(|x| *x != ZERO).collect();
    let neighbours = Neighbours::new(n, |i, j| matrix[i.max(j) * n + i.min(j)] != ZERO);
    let order = match n > FULL {
        true => Some(short_order(n, &neighbours, &original, matrix)?),
        false => None,
    };
    let mut elimination = Elimination {
        n,
        columns: statement.columns,
        a: matrix.to_vec(),
        sizes: diagonal.iter().map(|x| builder.abs(*x)).collect(),
        original,
        neighbours,
        x: right.to_vec(),
        read: vec![false; right.len()],
        definite,
        safe: match order {
            Some(_) => SAFE_IN_ORDER,
            None => SAFE,
        },
        guards: Vec::new(),
        builder,
    };
    let pivots = match order {
        Some(order) => elimination.in_order(&order)?,
        None => elimination.row_by_row()?,
    };
    elimination.substitute(&pivots);
    if !definite && may_hide(n, matrix) {
        elimination.examine(matrix, right);
    }
    elimination.finish()
}

/// The order for a large system, by pairs unless these take clearly more operations: their pivots are constants, or
/// inertias. `None` where a routine takes fewer operations, which sees no zeros.
fn short_order(
    n: usize,
    neighbours: &Neighbours,
    diagonal: &[bool],
    matrix: &[Value],
) -> Option<Order> {
    let is_constant = |i: usize, j: usize| {
        let entry = matrix[i.max(j) * n + i.min(j)];
        matches!(entry, Value::Constant(_))
    };
    let by_rows = sparsity::by_rows(neighbours.clone(), diagonal);
    let by_pairs = sparsity::by_pairs(neighbours.clone(), diagonal, is_constant);
    let best = match (by_rows, by_pairs) {
        (Some(rows), Some(pairs)) if 4 * pairs.operations > 5 * rows.operations => rows,
        (rows, pairs) => pairs.or(rows)?,
    };
    let count = best.operations;
    (count <= MOST_OPERATIONS && ROUTINE * count <= n * n * n / 3).then_some(best)
}

/// Whether a diagonal entry may become tiny at some state beside entries of rows without one: as a pivot it
/// then hides what is in those rows.
fn may_hide(n: usize, matrix: &[Value]) -> bool {
    let varies = |i: &usize| matches!(matrix[i * n + i], Value::Node(_));
    let bare = |j: &usize| matrix[j * n + j] == ZERO;
    let beside = |i: usize| (0..n).filter(bare).any(|j| matrix[j * n + i] != ZERO);
    (0..n).filter(varies).any(beside)
}

/// What the solution may miss of an equation, relative to its terms.
const MISSED: f64 = 1e-9;
/// The same relative to the terms of all equations: where those of one are rounding.
const ROUNDING: f64 = 1e-13;

impl Elimination<'_> {
    /// Guards the solution by what is left of the equations.
    fn examine(&mut self, matrix: &[Value], right: &[Value]) {
        let (n, columns) = (self.n, self.columns);
        for c in 0..columns {
            let mut rest = Vec::with_capacity(n);
            let mut all = Value::Constant(f64::MIN_POSITIVE);
            for i in 0..n {
                let mut left = right[i * columns + c];
                let mut size = self.builder.abs(left);
                for j in (0..n).filter(|j| matrix[i * n + j] != ZERO) {
                    let term = self.builder.mul(matrix[i * n + j], self.x[j * columns + c]);
                    left = self.builder.sub(left, term);
                    let term = self.builder.abs(term);
                    size = self.builder.add(size, term);
                }
                all = self.builder.add(all, size);
                rest.push((self.builder.abs(left), size));
            }
            let rounding = self.builder.mul(all, Value::Constant(ROUNDING));
            for (left, size) in rest {
                let missed = self.builder.mul(size, Value::Constant(MISSED));
                let most = self.builder.add(missed, rounding);
                self.guards.push((most, left));
            }
        }
    }

    fn place(&self, i: usize, j: usize) -> usize {
        i.max(j) * self.n + i.min(j)
    }

    fn at(&self, i: usize, j: usize) -> Value {
        self.a[self.place(i, j)]
    }

    /// Rows as numbers choose them.
    fn row_by_row(&mut self) -> Option<Vec<Pivot>> {
        let mut active: Vec<usize> = (0..self.n).collect();
        let mut pivots = Vec::new();
        while !active.is_empty() {
            let row = self.choose(&active)?;
            active.retain(|i| *i != row);
            self.admit(row)?;
            pivots.push(self.eliminate(row));
        }
        Some(pivots)
    }

    fn in_order(&mut self, order: &Order) -> Option<Vec<Pivot>> {
        let mut pivots = Vec::new();
        for turn in &order.turns {
            pivots.push(match *turn {
                Turn::Row(row) => {
                    self.admit(row)?;
                    self.eliminate(row)
                }
                Turn::Pair(row, giver) => self.eliminate_pair(row, giver)?,
            });
        }
        Some(pivots)
    }

    /// The row with the fewest neighbours (which fills in least), constant pivots first.
    fn choose(&self, active: &[usize]) -> Option<usize> {
        let candidates = active.iter().copied().filter(|i| self.at(*i, *i) != ZERO);
        candidates.min_by_key(|i| {
            let computed = matches!(self.at(*i, *i), Value::Node(_));
            (!self.original[*i], self.neighbours.degree(*i), computed, *i)
        })
    }

    /// Guards the pivot of a row; `None` if it is known to fail.
    fn admit(&mut self, row: usize) -> Option<()> {
        let entry = self.at(row, row);
        let magnitude = self.builder.abs(entry);
        let (pivot, part) = if self.definite {
            (entry, THRESHOLD)
        } else {
            (magnitude, self.safe)
        };
        // Nothing has cancelled where all terms have one sign.
        let least = if magnitude == self.sizes[row] {
            ZERO
        } else {
            self.builder.mul(self.sizes[row], Value::Constant(part))
        };
        match (pivot, least) {
            (Value::Constant(pivot), Value::Constant(least)) => (pivot > least).then_some(()),
            _ => {
                self.guards.push((pivot, least));
                Some(())
            }
        }
    }

    fn eliminate(&mut self, row: usize) -> Pivot {
        let pivot = self.at(row, row);
        let reciprocal = self.builder.recip(pivot);
        let neighbours = self.neighbours.take(row);
        let factor = |i: &usize| (*i, self.at(*i, row));
        let entries: Vec<(usize, Value)> = neighbours.iter().map(factor).collect();
        let column: Vec<(usize, Value)> = entries
            .iter()
            .map(|(i, entry)| (*i, self.builder.mul(*entry, reciprocal)))
            .collect();
        for (k, (i, factor)) in column.iter().enumerate() {
            for (j, entry) in &entries[..=k] {
                let term = self.builder.mul(*entry, *factor);
                self.lessen(*i, *j, term);
            }
            self.subtract(*i, row, *factor);
        }
        Pivot {
            row,
            entry: pivot,
            reciprocal,
            column,
            giver: None,
        }
    }

    /// Eliminates a row with the row that gives its unknown. `None` if the constant is none.
    fn eliminate_pair(&mut self, row: usize, giver: usize) -> Option<Pivot> {
        let entry = self.at(row, row);
        let reciprocal = match self.at(row, giver) {
            Value::Constant(c) if c != 0.0 && self.at(giver, giver) == ZERO => {
                Value::Constant(1.0 / c)
            }
            _ => return None,
        };
        let (given, others) = (self.neighbours.take(giver), self.neighbours.take(row));
        let given: Vec<usize> = given.into_iter().filter(|s| *s != row).collect();
        let column_of = |of: usize, rows: &[usize]| -> Vec<(usize, Value)> {
            rows.iter().map(|s| (*s, self.at(*s, of))).collect()
        };
        let (given, others) = (column_of(giver, &given), column_of(row, &others));
        let column = self.scaled(&given, reciprocal);
        let beside = self.scaled(&others, reciprocal);
        // `h f/c`, of which each entry takes its share.
        let weight = self.builder.mul(entry, reciprocal);
        let weighed = self.scaled(&column, weight);
        for (r, by) in &given {
            for (s, factor) in weighed.iter().filter(|(s, _)| s <= r) {
                let term = self.builder.mul(*by, *factor);
                let term = self.builder.neg(term);
                self.lessen(*r, *s, term);
            }
            for (s, factor) in &beside {
                let term = self.builder.mul(*by, *factor);
                self.lessen(*r, *s, term);
                if s == r {
                    self.lessen(*r, *s, term);
                }
            }
        }
        for c in 0..self.columns {
            let [i, j] = [row, giver].map(|k| k * self.columns + c);
            let known = self.builder.mul(self.x[j], reciprocal);
            let push = self.builder.mul(entry, known);
            let rest = self.builder.sub(self.x[i], push);
            let reaction = self.builder.mul(rest, reciprocal);
            for (entries, by) in [(&others, known), (&given, reaction)] {
                for (r, factor) in entries {
                    let term = self.builder.mul(*factor, by);
                    let target = r * self.columns + c;
                    self.x[target] = self.builder.sub(self.x[target], term);
                }
            }
        }
        Some(Pivot {
            row,
            entry,
            reciprocal,
            column,
            giver: Some(Giver { row: giver, beside }),
        })
    }

    fn scaled(&mut self, column: &[(usize, Value)], by: Value) -> Vec<(usize, Value)> {
        let entries = column.iter();
        entries
            .map(|(s, x)| (*s, self.builder.mul(*x, by)))
            .collect()
    }

    /// Subtracts a term from an entry.
    fn lessen(&mut self, i: usize, j: usize, term: Value) {
        let place = self.place(i, j);
        self.a[place] = self.builder.sub(self.a[place], term);
        if i == j {
            let size = self.builder.abs(term);
            self.sizes[i] = self.builder.add(self.sizes[i], size);
        } else {
            self.neighbours.set(i, j, self.a[place] != ZERO);
        }
    }

    /// `x(i) <- x(i) - factor x(k)` for all right-hand sides.
    fn subtract(&mut self, i: usize, k: usize, factor: Value) {
        for c in 0..self.columns {
            let term = self.builder.mul(factor, self.x[k * self.columns + c]);
            let target = i * self.columns + c;
            self.x[target] = self.builder.sub(self.x[target], term);
        }
    }

    /// `x <- L^-T D^-1 x`
    fn substitute(&mut self, pivots: &[Pivot]) {
        for pivot in pivots.iter().rev() {
            if let Some(giver) = &pivot.giver {
                self.substitute_pair(pivot, giver);
                continue;
            }
            let first = pivot.row * self.columns;
            let row = first..first + self.columns;
            if self.x[row.clone()].iter().any(|x| *x != ZERO) {
                // A pivot of 0 makes an unknown infinite or undefined, which is seen in the end.
                let size = self.builder.abs(pivot.entry);
                self.guards
                    .retain(|monitor| *monitor != (size, ZERO) || self.definite);
            }
            for place in row {
                self.x[place] = self.builder.mul(self.x[place], pivot.reciprocal);
            }
            for (i, factor) in &pivot.column {
                self.subtract(pivot.row, *i, *factor);
                // What is infinite or undefined stays so in every unknown that is computed from it.
                for c in (0..self.columns).filter(|_| *factor != ZERO) {
                    self.read[i * self.columns + c] = true;
                }
            }
        }
    }

    /// `u_i = (x_j - Sum A_js u_s)/c`, `u_j = (x_i - h u_i - Sum A_is u_s)/c`
    fn substitute_pair(&mut self, pivot: &Pivot, giver: &Giver) {
        let columns = self.columns;
        for c in 0..columns {
            let [i, j] = [pivot.row, giver.row].map(|k| k * columns + c);
            let mut value = self.builder.mul(self.x[j], pivot.reciprocal);
            let mut reaction = self.builder.mul(self.x[i], pivot.reciprocal);
            for (s, factor) in &pivot.column {
                let term = self.builder.mul(*factor, self.x[s * columns + c]);
                value = self.builder.sub(value, term);
                self.read[s * columns + c] = true;
            }
            for (s, factor) in &giver.beside {
                let term = self.builder.mul(*factor, self.x[s * columns + c]);
                reaction = self.builder.sub(reaction, term);
                self.read[s * columns + c] = true;
            }
            let push = self.builder.mul(pivot.entry, value);
            let push = self.builder.mul(push, pivot.reciprocal);
            reaction = self.builder.sub(reaction, push);
            (self.x[i], self.x[j]) = (value, reaction);
            self.read[i] = true;
        }
    }

    /// The solution counts if it is finite: if the sum of all unknowns that no other is computed from is.
    fn finish(mut self) -> Option<Solution> {
        let last = self.x.iter().zip(&self.read).filter(|(_, read)| !**read);
        let sum = last.fold(ZERO, |sum, (x, _)| self.builder.add(sum, *x));
        self.guards.extend(finite(self.builder, sum)?);
        Some(Solution {
            guards: self.guards,
            unknowns: self.x,
        })
    }
}

/// The guard of a finite value, if it needs one; `None` if it is not.
pub(super) fn finite(builder: &mut Builder, value: Value) -> Option<Option<(Value, Value)>> {
    match builder.abs(value) {
        Value::Constant(size) => size.is_finite().then_some(None),
        size => Some(Some((Value::Constant(f64::INFINITY), size))),
    }
}
