//! Common zeros of minors on the rows, as branches: what is a product is split into factors, and what is linear in a coordinate
//! or velocity is solved for it, until each branch is a list of equations that cannot be taken apart.

use super::factored::factored;
use crate::states::ranks::parameters_in_force;
use crate::states::real_rows::Signs;
use crate::values::exact_values::closed_values;
use crate::values::prepared::Prepared;
use appell_expr::{
    Ex, Fractions, Function, Matrix, Node, degree_in, denominators_of, have_no_common_zero,
    vanishes,
};

/// More minors are not formed.
const MAX_MINORS: usize = 70;
/// Branches beyond this are too many for a sentence.
const MAX_BRANCHES: usize = 24;
/// Steps of the search.
const MAX_STEPS: usize = 150;
/// Terms of all that is to be split, at the beginning and later.
const MAX_TERMS: [usize; 2] = [120, 200];
/// With more unknowns it is not asked whether equations have a common zero.
const MAX_UNKNOWNS: usize = 6;
/// Longer equations are not shown.
const MAX_LENGTH: usize = 160;
pub(super) const TOO_MANY: &str = "there are too many minors of A to show";

/// A branch: expressions that all vanish.
pub(super) type Conditions<'g> = Vec<Ex<'g>>;

/// Whether some states on a branch may satisfy the rows: with what its simplest equations say put in, neither they nor its
/// other equations are numbers or of one sign.
pub(super) fn meets<'g>(p: &Prepared<'g>, branch: &Conditions<'g>, rows: &[Ex<'g>]) -> bool {
    let (signs, known) = (Signs::new(p), said_by(p, branch));
    let mut poles = given_rows(p).into_iter().flat_map(poles_of);
    // Of a function that is 0 and of what stands in it each by itself may be said: `cos(z) = 0`, `x*cos(z) = z`.
    let symbols = known.iter().filter(|(x, _)| x.symbol_name().is_some());
    let symbols: Vec<(Ex<'g>, Ex<'g>)> = symbols.copied().collect();
    let all: Vec<Ex<'g>> = rows.iter().chain(branch).copied().collect();
    let is_none = |by: &[(Ex<'g>, Ex<'g>)]| {
        let mut all = all.iter();
        all.any(|x| signs.of(x.substitute(by)).excludes_zero())
    };
    let mut may_hold = || {
        !poles.any(|pole| pole.substitute(&known).is_zero())
            && ![known.as_slice(), &symbols].into_iter().any(is_none)
    };
    (known.is_empty() || may_hold()) && !is_excluded(p, &all)
}

/// Whether equations are proved to have no common zero at any time, not even a complex one.
fn is_excluded<'g>(p: &Prepared<'g>, all: &[Ex<'g>]) -> bool {
    let system = &p.system;
    let unknowns = [system.q.as_slice(), &system.v, &[system.t]].concat();
    let used = unknowns
        .iter()
        .filter(|x| all.iter().any(|row| row.depends_on(**x)));
    let used: Vec<Ex<'g>> = used.copied().collect();
    if used.len() > MAX_UNKNOWNS || all.len() < 2 {
        return false;
    }
    have_no_common_zero(&parameters_in_force(p), all, &used)
}

/// What the real zeros of a branch's equations say of single symbols and functions: `x = 0`, `cos(x) = 0`, `x = y + 1`.
fn said_by<'g>(p: &Prepared<'g>, branch: &Conditions<'g>) -> Vec<(Ex<'g>, Ex<'g>)> {
    let (signs, zero) = (Signs::new(p), p.system.graph.zero());
    let moving = [p.system.v.as_slice(), &p.system.q].concat();
    let solved = |row: Ex<'g>| -> Option<(Ex<'g>, Ex<'g>)> {
        if row.symbol_name().is_some() || matches!(row.node(), Node::Call(..)) {
            return Some((row, zero));
        }
        let mut symbols = moving.iter();
        symbols.find_map(|symbol| {
            let slope = row.diff(*symbol).as_rational()?;
            Some((*symbol, *symbol - row.scale(&slope.recip()?)))
        })
    };
    let mut known: Vec<(Ex<'g>, Ex<'g>)> = Vec::new();
    for _ in 0..MAX_STEPS {
        let said = branch.iter().map(|x| x.substitute(&known));
        let mut said = said.flat_map(|x| signs.zeros(x, &moving).rows);
        let Some((symbol, value)) = said.find_map(solved) else {
            break;
        };
        for (_, earlier) in &mut known {
            *earlier = earlier.substitute(&[(symbol, value)]);
        }
        known.push((symbol, value));
    }
    known
}

/// What has no value where it is 0: denominators, and arguments of logarithms.
pub(super) fn poles_of(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
    let mut found = denominators_of(x);
    for id in graph.reachable(&[x.id()]) {
        if let Node::Call(Function::Log, of) = graph.node(id) {
            found.push(graph.ex(of[0]));
        }
    }
    found
}

/// The active rows as they are given.
fn given_rows<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let active = p.constraints.active();
    active.filter_map(|row| row.position.or(row.phi)).collect()
}

/// What holds on the constraints.
pub(super) fn known<'g>(p: &Prepared<'g>) -> Known<'g> {
    let [mut rows, mut rates] = [Vec::new(), Vec::new()];
    for row in p.constraints.active() {
        match row.position {
            Some(_) => rates.extend(row.phi),
            None => rows.extend(row.phi),
        }
    }
    let holonomic = p.constraints.holonomic();
    Known {
        rows,
        rates,
        positions: holonomic.filter_map(|row| row.position).collect(),
    }
}

/// All minors of this size; `None` if there are too many.
pub(super) fn minors<'g>(matrix: &Matrix<'g>, size: usize) -> Option<Vec<Ex<'g>>> {
    let (rows, columns) = (
        choices(matrix.rows(), size)?,
        choices(matrix.columns(), size)?,
    );
    if size == 0 || rows.len() * columns.len() > MAX_MINORS {
        return None;
    }
    let all = rows
        .iter()
        .flat_map(|r| columns.iter().map(move |c| (r, c)));
    all.map(|(r, c)| matrix.select_rows(r).select_columns(c).determinant())
        .collect()
}

/// Sets of `size` numbers below `n`.
fn choices(n: usize, size: usize) -> Option<Vec<Vec<usize>>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = sets.iter().flat_map(|set| {
            let next = set.last().map_or(0, |last| last + 1);
            (next..n).map(move |j| [set.as_slice(), &[j]].concat())
        });
        sets = longer.collect();
        if sets.len() > MAX_MINORS * 8 {
            return None;
        }
    }
    Some(sets)
}

/// What is still to be split.
struct Branch<'g> {
    open: Vec<Ex<'g>>,
    done: Conditions<'g>,
    known: Known<'g>,
}

/// What holds at all states on the constraints, with what was solved for put in.
#[derive(Default, Clone)]
pub(super) struct Known<'g> {
    /// Rows on velocities.
    pub rows: Vec<Ex<'g>>,
    /// Holonomic rows, and their rates.
    pub positions: Vec<Ex<'g>>,
    pub rates: Vec<Ex<'g>>,
}

impl<'g> Known<'g> {
    pub fn all(&self) -> Vec<Ex<'g>> {
        [self.positions.as_slice(), &self.rows, &self.rates].concat()
    }
}

/// The common zeros of some expressions on the rows, as branches.
pub(super) fn zero_set<'g>(
    p: &Prepared<'g>,
    zeros: Vec<Ex<'g>>,
    known: Known<'g>,
    unknowns: &[Ex<'g>],
) -> Result<Vec<Zeros<'g>>, String> {
    const TOO_LARGE: &str = "the minors do not split into simple factors";
    let mut field = Fractions::new(p.system.graph, unknowns);
    let mut terms = 0;
    for x in zeros.iter().chain(&known.rows).chain(&known.rates) {
        terms += field.monomials(*x).ok_or(TOO_LARGE)?.len();
        if terms > MAX_TERMS[0] {
            return Err(TOO_LARGE.to_owned());
        }
    }
    let mut pending = vec![Branch {
        open: zeros,
        done: Vec::new(),
        known,
    }];
    let mut found: Vec<Zeros<'g>> = Vec::new();
    let values = closed_values(p);
    for _ in 0..MAX_STEPS {
        let Some(branch) = pending.pop() else {
            return Ok(smallest(real_branches(p, smallest(found), unknowns)));
        };
        match split(&mut field, branch, unknowns, &values).ok_or(TOO_LARGE)? {
            Split::Done(branch) => {
                if !found.contains(&branch) {
                    found.push(branch);
                }
            }
            Split::Into(branches) => pending.extend(branches),
        }
        if found.len() + pending.len() > MAX_BRANCHES {
            return Err(TOO_LARGE.to_owned());
        }
    }
    Err(TOO_LARGE.to_owned())
}

/// Without the branches that lie in others.
pub(super) fn smallest(mut found: Vec<Zeros<'_>>) -> Vec<Zeros<'_>> {
    found.sort_by_key(|branch| branch.all().len());
    let mut kept: Vec<Zeros<'_>> = Vec::new();
    for branch in found {
        let inner = branch.all();
        let lies_in = |outer: &Zeros<'_>| {
            let conditions = outer
                .conditions
                .iter()
                .all(|x| branch.conditions.contains(x));
            conditions || outer.all().iter().all(|x| inner.contains(x))
        };
        if !kept.iter().any(lies_in) {
            kept.push(branch);
        }
    }
    kept
}

/// The branches with real states on them, by the simplest equations.
fn real_branches<'g>(
    p: &Prepared<'g>,
    branches: Vec<Zeros<'g>>,
    unknowns: &[Ex<'g>],
) -> Vec<Zeros<'g>> {
    let signs = Signs::new(p);
    let real = |branch: Zeros<'g>| -> Option<Zeros<'g>> {
        let mut conditions: Conditions<'g> = Vec::new();
        for condition in branch.conditions {
            if signs.zeros(condition, unknowns).nowhere {
                return None;
            }
            let form = signs.zeros_by_signs(condition, unknowns);
            let plain = form.sides.is_empty() && !form.rows.is_empty();
            for row in if plain { form.rows } else { vec![condition] } {
                if !conditions.contains(&row) {
                    conditions.push(row);
                }
            }
        }
        meets(p, &conditions, &[]).then(|| Zeros {
            conditions: without_consequences(p, conditions),
            rows: branch.rows,
        })
    };
    branches.into_iter().filter_map(real).collect()
}

/// A branch without equations that hold where what the others say of single symbols and functions is put in: `y^3 - y = 0`
/// beside `y = 0`.
fn without_consequences<'g>(p: &Prepared<'g>, branch: Conditions<'g>) -> Conditions<'g> {
    let mut conditions = branch;
    for place in (0..conditions.len()).rev() {
        let mut others = conditions.clone();
        let condition = others.remove(place);
        if condition.substitute(&said_by(p, &others)).is_zero() {
            conditions = others;
        }
    }
    conditions
}

/// A branch that cannot be taken apart, with what the rows on velocities say on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Zeros<'g> {
    pub conditions: Conditions<'g>,
    pub rows: Conditions<'g>,
}

impl<'g> Zeros<'g> {
    pub fn all(&self) -> Conditions<'g> {
        [self.conditions.as_slice(), &self.rows].concat()
    }
}

enum Split<'g> {
    Done(Zeros<'g>),
    Into(Vec<Branch<'g>>),
}

/// One step: the simplest open expression is split into factors, or solved, or kept. What the values of the parameters make 0
/// says nothing.
fn split<'g>(
    field: &mut Fractions<'g>,
    branch: Branch<'g>,
    unknowns: &[Ex<'g>],
    values: &[(Ex<'g>, Ex<'g>)],
) -> Option<Split<'g>> {
    let mut open: Vec<Vec<Ex<'g>>> = Vec::new();
    let mut terms = 0;
    for x in &branch.open {
        // What is zero already says nothing.
        if field.read(*x)?.is_zero() {
            continue;
        }
        terms += field.monomials(*x)?.len();
        if terms > MAX_TERMS[1] {
            return None;
        }
        let parts = parts(field, *x, unknowns)?;
        if parts.is_empty() {
            if vanishes(x.substitute(values)) {
                continue;
            }
            return Some(Split::Into(Vec::new()));
        }
        if !open.contains(&parts) {
            open.push(parts);
        }
    }
    let alone = open.iter().filter_map(|parts| single(parts));
    let alone: Vec<Ex<'g>> = alone.chain(branch.done.iter().copied()).collect();
    if field.has_no_zero(&alone, unknowns) {
        return Some(Split::Into(Vec::new()));
    }
    open.retain(|parts| !parts.iter().any(|x| branch.done.contains(x)));
    let cost = |parts: &Vec<Ex<'g>>| {
        let length: usize = parts.iter().map(|x| x.to_string().len()).sum();
        (parts.len(), length)
    };
    let Some(place) = (0..open.len()).min_by_key(|i| cost(&open[*i])) else {
        return finished(field, branch, unknowns, values);
    };
    let parts = open.remove(place);
    let rest: Vec<Ex<'g>> = open
        .iter()
        .map(|parts| parts[0].graph().product(parts))
        .collect();
    let branches = parts
        .iter()
        .map(|part| taken(*part, &rest, &branch, unknowns));
    Some(Split::Into(branches.collect()))
}

/// The factors of an expression that contain unknowns.
fn parts<'g>(field: &mut Fractions<'g>, x: Ex<'g>, unknowns: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
    let mut found = Vec::new();
    for part in field.parts(x, unknowns)? {
        let factors = factored(field, part, unknowns);
        found.extend(factors.into_iter().filter(|x| x.depends_on_any(unknowns)));
    }
    Some(found)
}

fn single<'g>(parts: &[Ex<'g>]) -> Option<Ex<'g>> {
    match parts {
        [one] => Some(*one),
        _ => None,
    }
}

/// A branch that is split, with what the rows of the constraints add to it.
fn finished<'g>(
    field: &mut Fractions<'g>,
    mut branch: Branch<'g>,
    unknowns: &[Ex<'g>],
    values: &[(Ex<'g>, Ex<'g>)],
) -> Option<Split<'g>> {
    if !branch.known.positions.is_empty() {
        // They are split as the minors were.
        branch.open = std::mem::take(&mut branch.known.positions);
        return Some(Split::Into(vec![branch]));
    }
    let [mut moving_rows, mut moving_rates, mut factored_rows] = [const { Vec::new() }; 3];
    let rows = std::mem::take(&mut branch.known.rows).into_iter();
    let rates = std::mem::take(&mut branch.known.rates).into_iter();
    let rows = rows.map(|row| (row, false));
    for (row, is_rate) in rows.chain(rates.map(|rate| (rate, true))) {
        if field.read(row)?.is_zero() {
            continue;
        }
        let parts = parts(field, row, unknowns)?;
        let Some(first) = parts.first() else {
            if vanishes(row.substitute(values)) {
                continue;
            }
            // A number other than zero: no state of the branch is on the constraints.
            return Some(Split::Into(Vec::new()));
        };
        let moving = |x: &Ex<'g>| x.symbols().iter().any(|s| is_velocity(*s));
        match parts.iter().any(moving) {
            true if is_rate => moving_rates.push(row),
            _ if parts.len() > 1 && !is_rate => factored_rows.push(row),
            true => moving_rows.push(*first),
            false => branch.done.push(first.graph().product(&parts)),
        }
    }
    if !factored_rows.is_empty() {
        // Some of their factors may leave states that are singular, and others not.
        branch.open = factored_rows;
        branch.known.rows = moving_rows;
        branch.known.rates = moving_rates;
        return Some(Split::Into(vec![branch]));
    }
    let all = [branch.done.as_slice(), &moving_rows, &moving_rates].concat();
    if field.has_no_zero(&all, unknowns) {
        return Some(Split::Into(Vec::new()));
    }
    let long = branch.done.iter().any(|x| x.to_string().len() > MAX_LENGTH);
    (!long).then_some(Split::Done(Zeros {
        conditions: branch.done,
        rows: moving_rows,
    }))
}

fn is_velocity(symbol: Ex<'_>) -> bool {
    symbol
        .symbol_name()
        .is_some_and(|name| name.ends_with('\''))
}

/// The branch on which `part` vanishes.
fn taken<'g>(
    part: Ex<'g>,
    rest: &[Ex<'g>],
    branch: &Branch<'g>,
    unknowns: &[Ex<'g>],
) -> Branch<'g> {
    let solvable = unknowns.iter().find(|x| {
        let slope = part.diff(**x);
        let number = unknowns.iter().all(|y| !slope.depends_on(*y));
        number && !slope.is_zero() && degree_in(part, &[**x]) == Some(1)
    });
    let by: Vec<(Ex<'g>, Ex<'g>)> = solvable
        .map(|x| {
            let at_zero = part.substitute(&[(*x, part.graph().zero())]);
            (*x, -(at_zero / part.diff(*x)))
        })
        .into_iter()
        .collect();
    let open = rest.iter().map(|x| x.substitute(&by)).collect();
    let put_in = |rows: &[Ex<'g>]| rows.iter().map(|x| x.substitute(&by)).collect();
    let known = Known {
        rows: put_in(&branch.known.rows),
        rates: put_in(&branch.known.rates),
        positions: put_in(&branch.known.positions),
    };
    let mut done = branch.done.clone();
    done.push(part);
    done.sort_unstable_by(|x, y| x.graph().order(x.id(), y.id()));
    Branch { open, done, known }
}
