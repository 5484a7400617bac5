//! Newton's method for equations with whole families of solutions.

use super::dimension::Form;
use crate::values::prepared::Prepared;
use crate::values::rows::shortest;
use crate::values::scattered::scattered;
use appell_expr::{Ex, Matrix, Sketch, vanishes};
use appell_flow::newton::{NewtonLimits, damped_newton};
use appell_flow::{Interpreter, Measured, linear};
use appell_mech::Balance;

/// Compiled equations `c(w) = 0` with their Jacobian.
///
/// Within, unknowns and rows are numbers in units of their own, so that a step, a gap and a residue are large or small
/// beside 1 whatever the model's units are; from outside and to it they are as in the model.
pub(super) struct Solver {
    /// Outputs `c`, then `c_w` row by row; inputs `t, w, parameters`.
    field: Interpreter,
    pub(super) rows: usize,
    /// The number of unknowns.
    pub size: usize,
    /// The units of the unknowns and of the rows, powers of 2.
    units: Vec<f64>,
    row_units: Vec<f64>,
    /// What is known of the equations without numbers.
    pub(super) form: Form,
}

/// A solution.
pub(super) struct Solution {
    /// The unknowns.
    pub w: Vec<f64>,
    /// The rank of `c_w` there.
    pub rank: usize,
    /// Whether a zero is known to be there: else what is left of the equations is rounding, or goes to 0 without a zero.
    pub known: bool,
}

const LIMITS: NewtonLimits = NewtonLimits {
    corrections: 80,
    halvings: 11,
    aim: 0.0,
};
/// No step moves an unknown by more, relative to the larger of itself and 1.
const LONGEST: f64 = 0.5;
/// A row that moving the unknowns by this, relative to their size, would solve is solved.
const SOLVED: f64 = 1e-10;
/// Unknowns below this, relative to the largest and to 1, are 0 if 0 is a solution too; where no zero is known, also
/// below these.
const ZERO: f64 = 1e-9;
const COARSE: [f64; 2] = [1e-6, 1e-3];
/// The same of short decimals, where a zero is known.
const DECIMAL: f64 = 1e-7;
/// A zero is known where Newton's correction is below this, relative to the larger of an unknown and 1.
const NEAR: f64 = 1e-8;
/// So much of the terms of a row may be rounding, and of a slope.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
const ROUNDED: f64 = 1e-13;
/// What is smaller has few digits left.
const TINY: f64 = f64::MIN_POSITIVE / f64::EPSILON;
/// What a correction may leave of rows, beside their terms.
const LEFT: f64 = 4.0 * ROUNDING;
/// How far beside a solution others are looked for, relative to the larger of an unknown and 1.
const BESIDE: f64 = 1e-5;
/// Places from which it is tried.
const RESTARTS: u32 = 8;
impl Solver {
    pub fn new<'g>(p: &Prepared<'g>, balance: &Balance<'g>) -> Self {
        let graph = p.system.graph;
        // What vanishes identically, as a row at rest that is written in a turning frame, leaves nothing but rounding.
        let exact = |row: &Ex<'g>| if vanishes(*row) { graph.zero() } else { *row };
        let balance = &Balance {
            unknowns: balance.unknowns.clone(),
            rows: balance.rows.iter().map(exact).collect(),
        };
        let mut sketch = Sketch::new(graph);
        sketch.output_list("c", &balance.rows);
        let jacobian = Matrix::jacobian(graph, &balance.rows, &balance.unknowns);
        sketch.output("c_w", jacobian.clone());
        let parameters = p.model.parameters.iter().map(|q| graph.ex(q.symbol));
        let inputs: Vec<Ex<'g>> = std::iter::once(p.system.t)
            .chain(balance.unknowns.iter().copied())
            .chain(parameters)
            .collect();
        let program = sketch.program(&inputs, &["c", "c_w"]);
        let program = program.expect("rows are made of t, the unknowns and parameters");
        Self {
            field: Interpreter::new(program, &p.parameters),
            rows: balance.rows.len(),
            size: balance.unknowns.len(),
            units: vec![1.0; balance.unknowns.len()],
            row_units: vec![1.0; balance.rows.len()],
            form: Form::new(balance, &jacobian),
        }
    }

    /// Chooses units by some places: those of the first unknowns are given, of the others they follow, as of multipliers,
    /// which carry the forces of the other terms. A row has the size of its terms there, or what the given units make of
    /// its slopes; one of multipliers alone, which may be any there, what their units make of them.
    pub fn choose_units(&mut self, t: f64, places: &[Vec<f64>], given: &[f64]) {
        let (rows, size) = (self.rows, self.size);
        let (mut terms, mut slopes) = (vec![0.0_f64; rows], vec![0.0_f64; rows * size]);
        for w in places {
            let Ok(all) = self.field.measured(t, w) else {
                continue;
            };
            let (c, c_w) = all.split_at(rows);
            for (row, gradient) in c_w.chunks(size.max(1)).enumerate() {
                let pairs = gradient.iter().zip(w).skip(given.len());
                let carried: f64 = pairs.map(|(slope, w)| (slope.value * w).abs()).sum();
                // The rest of the terms, but for its rounding.
                let rest = c[row].size - carried;
                let is_carried = rest <= ROUNDED * c[row].size;
                terms[row] = terms[row].max(if is_carried { 0.0 } else { c[row].size });
            }
            let larger = |most: &mut f64, x: f64| *most = most.max(x);
            (slopes.iter_mut().zip(c_w)).for_each(|(most, c)| larger(most, c.value.abs()));
        }
        let slope = |row: usize, j: usize| slopes[row * size + j];
        let of_others = |row: usize| {
            let moved: f64 = (given.iter().enumerate())
                .map(|(j, unit)| slope(row, j) * unit)
                .sum();
            moved.max(terms[row])
        };
        let known: Vec<f64> = (0..rows).map(of_others).collect();
        for (j, entry) in self.units.iter_mut().enumerate() {
            let felt = (0..rows).filter(|row| known[*row] > 0.0);
            let felt = felt.map(|row| slope(row, j) / unit(known[row]));
            let most = felt.fold(0.0, f64::max);
            *entry = given.get(j).copied().unwrap_or_else(|| unit(most.recip()));
        }
        for (row, entry) in self.row_units.iter_mut().enumerate() {
            let carried = (self.units.iter().enumerate()).map(|(j, unit)| slope(row, j) * unit);
            *entry = unit(match known[row] > 0.0 {
                true => known[row],
                false => carried.fold(0.0, f64::max),
            });
        }
    }

    /// By how much of its terms each row changes where an unknown does by itself: the least of the rows that feel it.
    pub fn weights(&self, t: f64, w: &[f64]) -> Vec<f64> {
        let Ok(all) = self.field.measured(t, w) else {
            return vec![0.0; self.size];
        };
        let (c, slopes) = all.split_at(self.rows);
        let weight = |j: usize| {
            let moved = |row: usize| (slopes[row * self.size + j].value * w[j]).abs() / c[row].size;
            let felt = (0..self.rows).filter(|row| slopes[row * self.size + j].value != 0.0);
            felt.map(moved).reduce(f64::min).unwrap_or(0.0)
        };
        (0..self.size).map(weight).collect()
    }

    /// The unit of an unknown.
    pub fn unit(&self, index: usize) -> f64 {
        self.units[index]
    }

    /// The unknowns in their units.
    pub(super) fn in_units(&self, w: &[f64]) -> Vec<f64> {
        w.iter()
            .zip(&self.units)
            .map(|(w, unit)| w / unit)
            .collect()
    }

    fn out_of_units(&self, w: &[f64]) -> Vec<f64> {
        w.iter()
            .zip(&self.units)
            .map(|(w, unit)| w * unit)
            .collect()
    }

    /// The unit of an output.
    fn output_unit(&self, index: usize) -> f64 {
        match index.checked_sub(self.rows) {
            None => self.row_units[index],
            Some(slope) => self.row_units[slope / self.size] / self.units[slope % self.size],
        }
    }

    /// `c` and `c_w`.
    pub(super) fn at(&self, t: f64, w: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let mut c = self.field.results(t, &self.out_of_units(w)).ok()?;
        for (i, x) in c.iter_mut().enumerate() {
            *x /= self.output_unit(i);
        }
        let slopes = c.split_off(self.rows);
        let finite = c.iter().chain(&slopes).all(|x| x.is_finite());
        finite.then_some((c, slopes))
    }

    /// The same with the sizes of their terms.
    pub(super) fn measured(&self, t: f64, w: &[f64]) -> Option<Vec<Measured>> {
        let mut all = self.field.measured(t, &self.out_of_units(w)).ok()?;
        for (i, x) in all.iter_mut().enumerate() {
            let unit = self.output_unit(i);
            x.value /= unit;
            x.size /= unit;
        }
        Some(all)
    }

    /// A solution close to `w`: each correction is the shortest one.
    pub fn solve(&self, t: f64, w: &[f64]) -> Option<Solution> {
        let found = self.solve_in_units(t, &self.in_units(w))?;
        Some(self.solution(found))
    }

    fn solution(&self, found: Solution) -> Solution {
        Solution {
            w: self.out_of_units(&found.w),
            ..found
        }
    }

    fn solve_in_units(&self, t: f64, w: &[f64]) -> Option<Solution> {
        let residual = |w: &[f64]| {
            self.at(t, w)
                .map(|(c, slopes)| (linear::square(&c), (c, slopes)))
        };
        let correction = |w: &[f64], (c, slopes): &(Vec<f64>, Vec<f64>)| {
            let mut step = shortest(self.size, c, slopes)?;
            let parts = step.iter().zip(w);
            let relative = parts.map(|(dw, w)| dw.abs() / w.abs().max(1.0));
            let longest = relative.fold(LONGEST, f64::max);
            step.iter_mut().for_each(|dw| *dw *= LONGEST / longest);
            Some(step)
        };
        let reduced = |w: Vec<f64>| Some(damped_newton(w, LIMITS, residual, correction)?.w);
        let w = reduced(w.to_vec())?;
        let solution = self.checked(t, w.clone())?;
        // Zeros that Newton's method only tends to.
        let size = linear::max_norm(&w).max(1.0);
        let snapped = |zero: f64| {
            let snap = |w: &f64| if w.abs() < zero * size { 0.0 } else { *w };
            let snapped: Vec<f64> = w.iter().map(snap).collect();
            let checked = self.checked(t, snapped.clone());
            let accepted =
                checked.filter(|other| other.known && self.holds_as_well(t, &other.w, &w));
            // Beside zeros that were only tended to, the other unknowns were not found either.
            accepted.or_else(|| self.checked(t, reduced(snapped)?))
        };
        let found = snapped(ZERO).unwrap_or(solution);
        let decimal = |w: &[f64], near: f64| {
            let checked = self.checked(t, self.decimals(w, near * size));
            checked.filter(|other| other.known && self.holds_as_well(t, &other.w, w))
        };
        if found.known {
            return Some(decimal(&found.w, DECIMAL).unwrap_or(found));
        }
        let mut coarse = COARSE.into_iter();
        let better = coarse.find_map(|near| {
            let zeros = snapped(near).filter(|other| other.known);
            zeros.or_else(|| decimal(&found.w, near))
        });
        Some(better.unwrap_or(found))
    }

    /// Unknowns that are decimals of six digits but for so much: where a zero is multiple, Newton's method finds no more.
    fn decimals(&self, w: &[f64], near: f64) -> Vec<f64> {
        let decimal = |(w, unit): (&f64, &f64)| {
            let short = format!("{:.5e}", w * unit)
                .parse()
                .map_or(*w, |x: f64| x / unit);
            if (short - w).abs() < near { short } else { *w }
        };
        w.iter().zip(&self.units).map(decimal).collect()
    }

    /// Whether rows hold at some place as they do at another, but for rounding of their terms.
    fn holds_as_well(&self, t: f64, here: &[f64], there: &[f64]) -> bool {
        let both = self.measured(t, here).zip(self.measured(t, there));
        both.is_some_and(|(here, there)| {
            let mut pairs = here.iter().zip(&there).take(self.rows);
            pairs.all(|(x, y)| x.value.abs() <= y.value.abs().max(LEFT * x.size))
        })
    }

    /// The solution with its rank, if moving the unknowns by almost nothing would solve every row.
    fn checked(&self, t: f64, w: Vec<f64>) -> Option<Solution> {
        let (c, slopes) = &self.at(t, &w)?;
        let solved = (0..self.rows).all(|i| {
            let row = slopes[i * self.size..(i + 1) * self.size].iter().zip(&w);
            let reach = row
                .map(|(slope, w)| slope.abs() * w.abs().max(1.0))
                .sum::<f64>();
            c[i].abs() <= SOLVED * reach
        });
        if !solved {
            return None;
        }
        let sizes = row_sizes(slopes, self.size);
        let rank = linear::rank(self.rows, self.size, slopes, &sizes);
        let known = self.is_known(t, &w, (c, slopes));
        Some(Solution { w, rank, known })
    }

    /// Whether a zero is here beside rounding: no row is rounding all around, and Newton's correction is small.
    fn is_known(&self, t: f64, w: &[f64], (c, slopes): (&[f64], &[f64])) -> bool {
        let Some(all) = self.measured(t, w) else {
            return false;
        };
        let (rows, measured) = all.split_at(self.rows);
        let reach = |i: usize| -> f64 {
            let pairs = measured[i * self.size..(i + 1) * self.size].iter().zip(w);
            let told = pairs.enumerate().filter(|(j, (slope, _))| {
                let plain = slope.value * self.row_units[i] / self.units[*j];
                slope.value.abs() > ROUNDED * slope.size && plain.abs() >= TINY
            });
            told.map(|(_, pair)| pair)
                .map(|(slope, w)| slope.value.abs() * w.abs().max(1.0))
                .sum()
        };
        // A product with a factor 0 is 0; what is too small for a number is so all around.
        let moved = |(i, w): (u32, &f64)| w + BESIDE * scattered(i) * w.abs().max(1.0);
        let beside: Vec<f64> = (0..).zip(w).map(moved).collect();
        let beside = self.at(t, &beside).map(|(c, _)| c);
        let sinks = |i: usize| beside.as_ref().is_none_or(|c| c[i] == 0.0);
        let told = |(i, c): (usize, &Measured)| {
            let (lost, reach) = (ROUNDING * c.size, reach(i));
            match c.value == 0.0 {
                _ if self.form.void[i] => true,
                // It goes to 0, whether or not there is a zero.
                false if (c.value * self.row_units[i]).abs() < TINY => false,
                // Of a piece of a function it may be the value.
                true if self.form.piecewise => true,
                // So may a row that depends on others, and has no derivative here.
                true if reach == 0.0 => !sinks(i),
                _ => lost <= NEAR * reach,
            }
        };
        // The correction is shortened where rows have hardly a derivative, as near a multiple zero: then it leaves something.
        // Of rows that depend on each other each may leave what others have lost.
        let solves = |step: &[f64]| {
            let (mut left, mut lost) = (0.0, 0.0);
            for (c, line) in rows.iter().zip(slopes.chunks(self.size.max(1))) {
                let length = linear::square(line);
                if length > 0.0 {
                    let moved = line.iter().zip(step).map(|(slope, dw)| slope * dw);
                    left += (c.value + moved.sum::<f64>()).powi(2) / length;
                    lost += (LEFT * c.size).powi(2) / length;
                }
            }
            left <= lost
        };
        let near = shortest(self.size, c, slopes).is_some_and(|step| {
            let mut parts = step.iter().zip(w);
            parts.all(|(dw, w)| dw.abs() <= NEAR * w.abs().max(1.0)) && solves(&step)
        });
        near && rows.iter().enumerate().all(told)
    }

    /// Whether no equations hold at places close by, whatever piece of their functions these lie on.
    pub fn is_alone(&self, t: f64, w: &[f64]) -> bool {
        let moved = |i: usize, side: f64| -> Vec<f64> {
            let mut moved = w.to_vec();
            moved[i] += side * BESIDE * w[i].abs().max(1.0);
            moved
        };
        let holds = |w: Vec<f64>| {
            let all = self.measured(t, &w);
            all.is_some_and(|all| {
                let mut rows = all[..self.rows].iter();
                rows.all(|c| c.value.abs() <= ROUNDED * c.size)
            })
        };
        !(0..self.size).any(|i| holds(moved(i, 1.0)) || holds(moved(i, -1.0)))
    }

    /// The same from the start or, where that leads nowhere, from a fixed sequence of places around it: at
    /// an extremum of a row Newton's method has no direction.
    pub fn solve_around(&self, t: f64, w: &[f64]) -> Option<Solution> {
        let w = self.in_units(w);
        let moved = |trial: u32| -> Vec<f64> {
            let turn = |i: usize| (f64::from(trial) * (i as f64 + 1.0) * 2.399_963 + 0.5).sin();
            let size = if trial == 0 { 0.0 } else { 0.4 };
            let step = |(i, w): (usize, &f64)| w + size * w.abs().max(1.0) * turn(i);
            w.iter().enumerate().map(step).collect()
        };
        let mut doubtful = None;
        for trial in 0..RESTARTS {
            match self.solve_in_units(t, &moved(trial)) {
                Some(found) if found.known => return Some(self.solution(found)),
                found => doubtful = doubtful.or(found),
            }
        }
        doubtful.map(|found| self.solution(found))
    }
}

/// What is of the order of 1 is as it is.
const USUAL: std::ops::RangeInclusive<f64> = 1e-2..=1e2;

/// The unit for a number of this size: 1 where that is usual, else a power of 2, which rounds nothing.
pub(super) fn unit(size: f64) -> f64 {
    match size.is_finite() && size > 0.0 && !USUAL.contains(&size) {
        true => size.log2().round().clamp(-1000.0, 1000.0).exp2(),
        false => 1.0,
    }
}

/// The size of each entry: an entry that is tiny in its row is rounding.
pub(super) fn row_sizes(slopes: &[f64], columns: usize) -> Vec<f64> {
    let largest = |row: &[f64]| linear::max_norm(row.iter());
    let rows = slopes.chunks(columns.max(1));
    rows.flat_map(|row| vec![largest(row); row.len()]).collect()
}
