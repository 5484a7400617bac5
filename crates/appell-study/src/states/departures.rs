//! What leaves a singular state: the motions of [benenti1996, sect. 6], with more than one of them.
//!
//! At a singular state `(t_0, q_0, v_0)` let `A_a = 0` and `B_a = 0` for some rows. On
//!
//! ```text
//! t = t_0 + s,   v = v_0 + s w,   q = q_0 + s v_0 + s^2 x/2
//! ```
//!
//! such a row begins with a higher power of s: `A_a = s^(d-1) (A'_a(w, x) + O(s))`, and so does `B_a`;
//! for the other rows `d = 1`. A motion leaves with `q'' -> a` if
//!
//! ```text
//! M a = r + A'^T l ,   A' a + B' = 0   at w = x = a ,   rank A' = k ,   M regular:
//! ```
//!
//! in `w` and `x` the equations of motion are `s dw/ds = f(w, x, s) - w`, `s dx/ds = 2 (w - x)` with a
//! smooth `f`, these `a` are its resting points at `s = 0`, and an unstable manifold leaves each of them
//! for `s > 0`. There `lambda ~ l s^(1-d)`, with a finite reaction.
//!
//! A state of rest also stays as it is if a reaction holds it that states on the constraints arbitrarily
//! near exert, for some direction `w` of the velocities: `r + A'(w)^T l = 0`, `A'(w) w = 0`,
//! `rank A' = k`.

use crate::values::prepared::Prepared;
use crate::values::rows::Rows;
use crate::values::scattered::scattered;
use appell_expr::{Ex, Matrix, Sketch};
use appell_flow::{Interpreter, Measured, linear};
use appell_mech::{Metric, function};
use std::rc::Rc;

/// Rows that begin with a higher power of s than this are not looked at.
const HIGHEST: usize = 4;
/// Places from which accelerations are looked for.
const STARTS: u32 = 48;
/// Larger systems of equations are not searched.
const LARGEST: usize = 24;
/// Accelerations that differ by less, relative to the largest, are one.
const SAME: f64 = 1e-6;
/// Entries of `A'` below `1e-4` of their usual size may be those of a double root.
const DOUBLE: f64 = 1e-4 / linear::THRESHOLD;
/// So many accelerations are shown.
const SHOWN: usize = 3;

/// The motions that were found to leave a singular state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Departures {
    /// Their accelerations there, each once.
    pub accelerations: Vec<Vec<f64>>,
    /// Whether the state of rest stays as it is, held by a limit of reactions.
    pub rest: bool,
}

impl Departures {
    /// Whether more than one was found.
    pub fn are_several(&self) -> bool {
        self.accelerations.len() + usize::from(self.rest) > 1
    }

    /// What was found, after a semicolon; `None` if that is nothing.
    pub(crate) fn words(&self) -> Option<String> {
        let shown = self.accelerations.iter().take(SHOWN);
        let mut motions: Vec<String> = shown.map(|a| format!("q'' = ({})", listed(a))).collect();
        let more = self.accelerations.len().saturating_sub(SHOWN);
        motions.extend((more > 0).then(|| format!("{more} more that were found")));
        motions.extend(
            self.rest
                .then(|| "rest, held by a reaction that states nearby exert".to_owned()),
        );
        let last = motions.pop()?;
        Some(match motions.as_slice() {
            [] if self.rest => format!("the only motion that was found from it is {last}"),
            [] => format!("one motion was found that leaves it: {last}"),
            others => format!(
                "several motions leave it: {}, and {last}",
                others.join(", ")
            ),
        })
    }
}

/// Numbers to six digits.
fn listed(numbers: &[f64]) -> String {
    let size = linear::max_norm(numbers.iter());
    let short = |x: &f64| {
        let rounded: f64 = format!("{x:.5e}").parse().unwrap_or(*x);
        if rounded.abs() <= 1e-9 * size {
            "0".to_owned()
        } else {
            rounded.to_string()
        }
    };
    numbers.iter().map(short).collect::<Vec<_>>().join(", ")
}

/// Looks for the motions that leave a singular state `(t, q, v)`; `None` where the rows there do
/// not begin with powers of s as above, or the equations are too many.
pub(crate) fn departures(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Option<Departures> {
    let (system, k) = (&p.system, p.constraints.k());
    let usable = p.constraints.ideal && k > 0 && system.metric != Metric::Singular;
    if !usable || system.n() + k > LARGEST {
        return None;
    }
    let here = p.measure(t, q, v)?;
    if here.table(function::MASS).rank()? < system.n() {
        return None;
    }
    let leading = Leading::new(p, t, q, v)?;
    let state = [q, v].concat();
    let accelerations = leading.accelerations(p, t, &state);
    let rest = v.iter().all(|v| *v == 0.0) && leading.holds(p, t, &state);
    Some(Departures {
        accelerations,
        rest,
    })
}

/// `A'` and `B'` as functions of `w` and `x`.
struct Leading<'g> {
    a: Matrix<'g>,
    b: Vec<Ex<'g>>,
    /// `d - 1` of each row.
    powers: Vec<usize>,
    w: Vec<Ex<'g>>,
    x: Vec<Ex<'g>>,
}

impl<'g> Leading<'g> {
    /// The first coefficients that are not zero, row by row.
    fn new(p: &Prepared<'g>, t: f64, q: &[f64], v: &[f64]) -> Option<Self> {
        let (system, graph) = (&p.system, p.system.graph);
        let (n, k) = (system.n(), p.constraints.k());
        let symbols = |name: &str| -> Vec<Ex<'g>> {
            let symbols = (0..n).map(|i| graph.symbol(&format!("leaving.{name}[{i}]")));
            symbols.collect()
        };
        let (w, x, s) = (symbols("w"), symbols("x"), graph.symbol("leaving.s"));
        let mut along = vec![(system.t, system.t + s)];
        for i in 0..n {
            let (q, v) = (system.q[i], system.v[i]);
            along.push((q, q + s * v + s * s * x[i] / 2));
            along.push((v, v + s * w[i]));
        }
        let rows = p.constraints.a.beside(&p.constraints.b);
        let mut series = rows.substitute(&along).entries().to_vec();
        let mut taken: Vec<Option<(usize, Vec<Ex<'g>>)>> = vec![None; k];
        let mut factorial = 1;
        for power in 0..HIGHEST {
            let at_zero = graph.substitute(&series, &[(s, graph.zero())]);
            let values = sampled(p, &at_zero, (&w, &x), (t, q, v))?;
            for (row, taken) in taken.iter_mut().enumerate() {
                let range = row * (n + 1)..(row + 1) * (n + 1);
                let zero = |values: &Vec<Measured>| {
                    let mut entries = values[range.clone()].iter();
                    entries.all(is_zero)
                };
                if taken.is_none() && !values.iter().all(zero) {
                    let coefficients = at_zero[range].iter().map(|x| *x / factorial);
                    *taken = Some((power, coefficients.collect()));
                }
            }
            series = series.iter().map(|x| x.diff(s)).collect();
            factorial *= power as i64 + 1;
        }
        let taken = taken.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Self {
            a: Matrix::from_fn(graph, k, n, |i, j| taken[i].1[j]),
            b: taken.iter().map(|(_, row)| row[n]).collect(),
            powers: taken.iter().map(|(power, _)| *power).collect(),
            w,
            x,
        })
    }

    /// The solutions of `M a = r + A'^T l`, `A' a + B' = 0` that were found, with `rank A' = k`.
    fn accelerations(&self, p: &Prepared<'g>, t: f64, state: &[f64]) -> Vec<Vec<f64>> {
        let n = p.system.n();
        let Some(here) = p.measure(t, &state[..n], &state[n..]) else {
            return Vec::new();
        };
        let mass = here.table(function::MASS).values();
        let right = here.table(function::RIGHT).values();
        let Some(free) = solved(n, &mass, &right) else {
            return Vec::new();
        };
        // Then a.M a = l.A' a = -l.B' = 0.
        let driven = free.iter().any(|a| *a != 0.0) || !self.vanish(p, t, state, &self.b);
        if !driven && p.system.metric == Metric::Definite {
            return Vec::new();
        }
        let same: Vec<(Ex<'g>, Ex<'g>)> =
            self.x.iter().zip(&self.w).map(|(x, w)| (*x, *w)).collect();
        let a = self.a.substitute(&same);
        let b = p.system.graph.substitute(&self.b, &same);
        let column = Matrix::column(p.system.graph, self.w.clone());
        let balance = &(&p.system.mass * &column) - &p.system.right;
        let rates = &(&a * &column) + &Matrix::column(p.system.graph, b);
        let equations = Problem::new(p, self, &a, &balance, rates.entries().to_vec());
        let size = free
            .iter()
            .chain(&state[n..])
            .fold(0.0, |s: f64, x| s.max(x.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        let mut found: Vec<Vec<f64>> = Vec::new();
        for start in 0..STARTS {
            let start = match start {
                0 => free.clone(),
                _ => nearest_on_line(direction(start, n), &mass, &right, size),
            };
            let Some(a) = equations.solve(t, state, &start) else {
                continue;
            };
            let new = |other: &Vec<f64>| {
                let differences = a.iter().zip(other).map(|(a, b)| (a - b).abs());
                differences.fold(0.0, f64::max) > SAME * size
            };
            if found.iter().all(new) {
                found.push(a);
            }
        }
        // The search begins anywhere: an order that does not depend on it.
        found.sort_unstable_by(|a, b| {
            let places = a.iter().zip(b).map(|(a, b)| b.total_cmp(a));
            places.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        found
    }

    /// Whether functions of the state, `w` and `x` vanish for all `w` and `x`.
    fn vanish(&self, p: &Prepared<'g>, t: f64, state: &[f64], xs: &[Ex<'g>]) -> bool {
        let (q, v) = state.split_at(p.system.n());
        let values = sampled(p, xs, (&self.w, &self.x), (t, q, v));
        values.is_some_and(|values| values.iter().flatten().all(is_zero))
    }

    /// Whether `r + A'(w)^T l = 0`, `A'(w) w = 0` has a solution with `|w| = 1`, `rank A' = k`.
    fn holds(&self, p: &Prepared<'g>, t: f64, state: &[f64]) -> bool {
        let (graph, n) = (p.system.graph, p.system.n());
        // A' must be a form of degree d - 1 in w alone, and the state must stay one of rest.
        let mut tests: Vec<Ex<'g>> = self.b.clone();
        for (row, power) in self.powers.iter().enumerate() {
            for j in 0..n {
                let entry = self.a[(row, j)];
                tests.extend(self.x.iter().map(|x| entry.diff(*x)));
                let euler = self.w.iter().map(|w| *w * entry.diff(*w));
                tests.push(graph.sum(&euler.collect::<Vec<_>>()) - *power as i64 * entry);
            }
        }
        if !crate::values::stationary::is_stationary(p) || !self.vanish(p, t, state, &tests) {
            return false;
        }
        let none: Vec<_> = self.x.iter().map(|x| (*x, graph.zero())).collect();
        let a = self.a.substitute(&none);
        let column = Matrix::column(graph, self.w.clone());
        let length: Vec<Ex<'g>> = self.w.iter().map(|w| *w * *w).collect();
        let mut rates = (&a * &column).entries().to_vec();
        rates.push(graph.sum(&length) - 1);
        let equations = Problem::new(p, self, &a, &-&p.system.right, rates);
        (0..STARTS).any(|start| equations.solve(t, state, &direction(start, n)).is_some())
    }
}

/// Equations in `w` and `l`, with `A'(w)`.
struct Problem {
    rows: Rc<Rows>,
    /// Outputs `A'`, then what `A'^T l` is equal to.
    sides: Interpreter,
    n: usize,
    k: usize,
}

impl Problem {
    /// `balance = A'^T l` and `rates = 0`.
    fn new<'g>(
        p: &Prepared<'g>,
        leading: &Leading<'g>,
        a: &Matrix<'g>,
        balance: &Matrix<'g>,
        rates: Vec<Ex<'g>>,
    ) -> Self {
        let (system, k) = (&p.system, p.constraints.k());
        let l = (0..k).map(|i| system.graph.symbol(&format!("leaving.l[{i}]")));
        let l: Vec<Ex<'g>> = l.collect();
        let reaction = &a.transpose() * &Matrix::column(system.graph, l.clone());
        let open = balance - &reaction;
        let equations = [open.entries().to_vec(), rates].concat();
        let fixed = [system.q.as_slice(), &system.v].concat();
        let unknowns = [leading.w.as_slice(), &l].concat();
        Self {
            rows: p.rows(&equations, &fixed, &unknowns),
            sides: compiled(p, &[a.entries(), balance.entries()].concat(), &leading.w),
            n: system.n(),
            k,
        }
    }

    /// The `w` of a solution found from `start`, if `A'` has full rank there.
    fn solve(&self, t: f64, state: &[f64], start: &[f64]) -> Option<Vec<f64>> {
        let (n, k) = (self.n, self.k);
        let l = self.multipliers(t, state, start).unwrap_or(vec![0.0; k]);
        let w = self.rows.root(t, state, &[start, &l].concat())?[..n].to_vec();
        let matrix = |w: &[f64]| self.sides.measured(t, &[state, w].concat()).ok();
        let (there, usual) = (matrix(&w)?, matrix(start)?);
        let values: Vec<f64> = there[..k * n].iter().map(|x| x.value).collect();
        // A double root is found to half the digits only: what is small against the rows at the start
        // is zero.
        let sizes: Vec<f64> = usual[..k * n].iter().map(|x| DOUBLE * x.size).collect();
        let regular = linear::rank(k, n, &values, &sizes) == k;
        regular.then_some(w)
    }

    /// The `l` that come nearest to balance at `w`: `A' A'^T l = A' balance`.
    fn multipliers(&self, t: f64, state: &[f64], w: &[f64]) -> Option<Vec<f64>> {
        let (n, k) = (self.n, self.k);
        let values = self.sides.results(t, &[state, w].concat()).ok()?;
        let (a, balance) = values.split_at(k * n);
        let row = |i: usize| &a[i * n..(i + 1) * n];
        let gram: Vec<f64> = (0..k * k)
            .map(|at| linear::dot(row(at / k), row(at % k)))
            .collect();
        let right: Vec<f64> = (0..k).map(|i| linear::dot(row(i), balance)).collect();
        solved(k, &gram, &right)
    }
}

/// Functions of `(t, q, v, w)`.
fn compiled<'g>(p: &Prepared<'g>, xs: &[Ex<'g>], w: &[Ex<'g>]) -> Interpreter {
    let system = &p.system;
    let mut sketch = Sketch::new(system.graph);
    sketch.output_list("x", xs);
    let parameters = p.model.parameters.iter().map(|x| system.graph.ex(x.symbol));
    let state = system.q.iter().chain(&system.v).chain(w).copied();
    let inputs: Vec<Ex<'g>> = [system.t]
        .into_iter()
        .chain(state)
        .chain(parameters)
        .collect();
    let program = sketch.program(&inputs, &["x"]);
    let program = program.expect("they are made of t, q, v, w and parameters");
    Interpreter::new(program, &p.parameters)
}

/// Functions of `(t, q, v, w, x)` at the state and some places in `(w, x)`; `None` if one is not finite.
fn sampled<'g>(
    p: &Prepared<'g>,
    xs: &[Ex<'g>],
    (w, x): (&[Ex<'g>], &[Ex<'g>]),
    (t, q, v): (f64, &[f64], &[f64]),
) -> Option<Vec<Vec<Measured>>> {
    let field = compiled(p, xs, &[w, x].concat());
    let at = |sample: u32| {
        let places = (sample * 97..).take(2 * q.len()).map(scattered);
        let input: Vec<f64> = q.iter().chain(v).copied().chain(places).collect();
        let values = field.measured(t, &input).ok()?;
        let finite = values
            .iter()
            .all(|x| x.value.is_finite() && x.size.is_finite());
        finite.then_some(values)
    };
    (1..4).map(at).collect()
}

/// A direction without pattern: a square in the index keeps the components from moving together.
fn direction(start: u32, n: usize) -> Vec<f64> {
    let component = |i: u32| scattered((start + 1) * (start + 8) * (2 * i + 1) + 64 * i);
    (0..n as u32).map(component).collect()
}

/// The point of the line through 0 where Gauss's function `1/2 a.M a - a.r` is stationary, or one of
/// the given size.
fn nearest_on_line(line: Vec<f64>, mass: &[f64], right: &[f64], size: f64) -> Vec<f64> {
    let n = line.len();
    let moved: Vec<f64> = (0..n)
        .map(|i| linear::dot(&mass[i * n..(i + 1) * n], &line))
        .collect();
    let best = linear::dot(&line, right) / linear::dot(&line, &moved);
    let scale = if best.is_finite() && best != 0.0 {
        best
    } else {
        size
    };
    line.iter().map(|x| scale * x).collect()
}

fn is_zero(x: &Measured) -> bool {
    x.value.abs() <= linear::THRESHOLD * x.size
}

/// `M^-1 r`.
fn solved(n: usize, matrix: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let mut x = vec![0.0; n];
    linear::lu(n, matrix, right, &mut x, &mut linear::Scratch::default()).ok()?;
    x.iter().all(|x| x.is_finite()).then_some(x)
}
