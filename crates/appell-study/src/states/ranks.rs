//! Ranks: what is known exactly of all states, and what the numbers of one state say.
//!
//! A rank of floating numbers may say that a state is below the generic rank, never that it is above.

use crate::states::nearest::mass_at;
use crate::states::real_rows::{Signs, real_row};
use crate::states::regular_points::any_regular_point;
use crate::states::residuals::velocity_rows;
use crate::states::start::start;
use crate::states::touching::dependent_at_start;
use crate::values::found::ExactRanks;
use crate::values::measurement::Table;
use crate::values::parameters::closed_numbers;
use crate::values::prepared::Prepared;
use crate::values::rows::independent_rows;
use crate::values::scattered::scattered;
use appell_expr::{
    Closed, Ex, Finding, Locus, Matrix, Rational, generic_rank, in_order, vanish_on,
};
use appell_flow::{Measured, Motion, Workspace, linear};
use appell_mech::{ConstraintRow, function, put_on_positions};

/// The exact ranks, found once; `None` where no point of a prime field lies on the constraints.
pub fn exact(p: &Prepared<'_>) -> Option<ExactRanks> {
    *p.found.ranks.get_or_init(|| find(p))
}

/// The generic rank of the derivatives of the holonomic rows by the coordinates.
pub(crate) fn of_positions(p: &Prepared<'_>) -> Option<usize> {
    *p.found.position_rank.get_or_init(|| {
        let active = p.constraints.active();
        let places: Vec<usize> = active
            .enumerate()
            .filter(|(_, row)| row.position.is_some())
            .map(|(place, _)| place)
            .collect();
        let order: Vec<usize> = (0..p.system.n()).collect();
        let rows = p.constraints.a.select_rows(&places);
        let on = |placed| Some(generic_rank(&states_in_force(p, placed), &rows, &order)?.rank);
        on(true).or_else(|| {
            let beside = on(false)?;
            Some(held(p).map_or(beside, |held| held.positions.min(beside)))
        })
    })
}

/// Whether random points are found on the holonomic rows, which they are only where these are independent.
pub(crate) fn has_points_on_positions(p: &Prepared<'_>) -> bool {
    let one = Matrix::column(p.system.graph, vec![p.system.graph.one()]);
    generic_rank(&states_in_force(p, true), &one, &[0]).is_some()
}

/// Room for evaluations that know the rank of rows that depend on each other: numbers of a state that keeps them to
/// rounded digits take it for larger, and find multipliers without bounds.
pub fn workspace(p: &Prepared<'_>) -> Workspace {
    workspace_of(row_rank(p))
}

/// The same for this rank.
pub(crate) fn workspace_of(rank: Option<usize>) -> Workspace {
    let mut workspace = Workspace::default();
    workspace.linear.set_row_rank(rank);
    workspace
}

/// The rank of the rows at almost all states, where the numbers of a state do not show it: since rows depend on each
/// other, or since they nearly do. The start may be singular, and motions may begin elsewhere: only what it says of a full
/// rank holds for all.
pub(crate) fn row_rank(p: &Prepared<'_>) -> Option<usize> {
    *p.found.row_rank.get_or_init(|| {
        let at_start = start(p).ok();
        let measured = at_start.and_then(|start| p.measure(start.t, &start.q, &start.v));
        let a = measured.map(|m| m.table(function::A));
        let independent = a.as_ref().filter(|a| a.has_full_rank());
        if independent.is_some_and(|a| !are_nearly_dependent(p, a)) {
            return None;
        }
        let exact = exact(p)?;
        let rank = exact.a.min(p.constraints.k() - following_rows(p));
        // A bound that the start does not reach says nothing: there the numbers of each state decide.
        let is_reached = || of_rows(p, a.as_ref()?).map(|here| here == rank);
        if exact.at_most && is_reached() != Some(true) {
            return None;
        }
        (rank < p.constraints.k() || independent.is_some()).then_some(rank)
    })
}

/// Whether the start is so near to one at which rows depend on each other that `A M^-1 A^T`, the square of what they
/// differ by, is singular for its numbers.
fn are_nearly_dependent(p: &Prepared<'_>, a: &Table) -> bool {
    let (k, n) = (p.constraints.k(), p.system.n());
    let white = || {
        let start = start(p).ok()?;
        let mass = mass_at(p, start.t, &start.q, &start.v)?;
        let rows = a.values();
        let columns: Vec<f64> = (0..n)
            .flat_map(|i| (0..k).map(move |j| (i, j)))
            .map(|(i, j)| rows[j * n + i])
            .collect();
        let mut half = vec![0.0; n * k];
        linear::half_solve(n, &mass, &columns, &mut half, &mut Default::default()).ok()?;
        let unit = |row: usize| {
            let entries: Vec<f64> = (0..n).map(|i| half[i * k + row]).collect();
            let length = linear::square(&entries).sqrt();
            entries.into_iter().map(move |x| x / length)
        };
        let units: Vec<f64> = (0..k).flat_map(unit).collect();
        Some(linear::singular_values(k, n, &units))
    };
    white().is_some_and(|sigma| sigma.last().is_some_and(|least| *least < NEARLY * sigma[0]))
}

/// Singular values of unit rows that are smaller beside the largest.
const NEARLY: f64 = 1e-3;

/// How many holonomic rows follow from the others about the start: on the component of the start the rank may be less
/// than at random points.
fn following_rows(p: &Prepared<'_>) -> usize {
    let found = dependent_at_start(p);
    match found.touching.is_empty() {
        true => found.following.len(),
        false => 0,
    }
}

/// The first row whose derivatives vanish wherever all rows hold, of those whose derivatives vanish at this state; and
/// whether it holds wherever the others do.
pub(crate) fn row_without_derivatives(p: &Prepared<'_>, a: &Table) -> Option<(String, bool)> {
    let n = p.system.n();
    let active = p.constraints.active();
    let is_rounding = |line: &[Measured]| {
        let mut line = line.iter();
        line.all(|x| x.value.abs() <= linear::THRESHOLD * x.size)
    };
    let vanishing = a.entries.chunks(n.max(1)).zip(active);
    let mut vanishing = vanishing.filter(|(line, _)| is_rounding(line));
    let found = vanishing.find(|(_, row)| {
        let written = row.a.iter().any(|x| !x.is_zero());
        let holds = || vanish_on(&states_in_force(p, true), &row.a);
        written && matches!(holds(), Finding::Holds(_))
    });
    found.map(|(_, row)| (row.name.clone(), follows_from_others(p, row)))
}

/// Whether an active row on velocities holds wherever the other rows do.
fn follows_from_others(p: &Prepared<'_>, row: &ConstraintRow<'_>) -> bool {
    let others = p.constraints.active();
    let others = others.filter(|other| other.name != row.name);
    let phis: Vec<Ex<'_>> = others.filter_map(|other| other.phi).collect();
    let mut locus = parameters_in_force(p);
    let positions = p.constraints.positions();
    put_on_positions(&mut locus, positions.collect(), &p.system.q, &[]);
    locus.on(phis, p.system.v.clone());
    let phi: Vec<Ex<'_>> = row.phi.into_iter().collect();
    matches!(vanish_on(&locus, &phi), Finding::Holds(_))
}

/// Tells the projections of a motion the rank of the holonomic rows where rows depend on each other: numbers of a
/// state that keeps them to rounded digits take it for larger.
pub(crate) fn set_position_rank<F>(
    p: &Prepared<'_>,
    motion: &mut Motion<'_, F>,
    rank: Option<usize>,
) {
    let dependent = rank.is_some_and(|rank| rank < p.constraints.k());
    if dependent && p.constraints.holonomic().next().is_some() {
        let positions = motion
            .stages
            .iter_mut()
            .filter(|stage| stage.moved.start == 0);
        let most = p.constraints.holonomic().count() - following_rows(p);
        let rank = of_positions(p).map(|rank| rank.min(most));
        positions.for_each(|stage| stage.rank = rank);
    }
}

/// Where no point is found on the holonomic rows, as on `norm(pos(P)) = l`, points beside them give ranks that
/// are no smaller. They are larger where rows depend on each other only where they hold, which numbers tell.
fn find(p: &Prepared<'_>) -> Option<ExactRanks> {
    ranks_on(p, &states_in_force(p, true)).or_else(|| {
        let beside = ranks_on(p, &states_in_force(p, false))?;
        Some(match held(p) {
            Some(held) => ExactRanks {
                a: beside.a.min(held.a),
                augmented: beside.augmented.min(held.augmented),
                at_most: false,
            },
            None => ExactRanks {
                at_most: true,
                ..beside
            },
        })
    })
}

/// The ranks at states that satisfy the rows to rounding.
#[derive(Clone, Copy)]
struct HeldRanks {
    positions: usize,
    a: usize,
    augmented: usize,
}

/// From so many places states are sought that satisfy the rows, and so many have to be found.
const PLACES: u32 = 12;
const ENOUGH: usize = 3;

/// The largest ranks at a few states without pattern, found by damped steps, which need no independent rows.
fn held(p: &Prepared<'_>) -> Option<HeldRanks> {
    let found = (0..PLACES).filter_map(|sample| held_at(p, sample));
    let found: Vec<HeldRanks> = found.take(ENOUGH).collect();
    let most = |rank: fn(&HeldRanks) -> usize| found.iter().map(rank).max();
    let ranks = HeldRanks {
        positions: most(|ranks| ranks.positions)?,
        a: most(|ranks| ranks.a)?,
        augmented: most(|ranks| ranks.augmented)?,
    };
    (found.len() == ENOUGH).then_some(ranks)
}

fn held_at(p: &Prepared<'_>, sample: u32) -> Option<HeldRanks> {
    let n = p.system.n();
    let t = 0.7 + 0.3 * f64::from(sample);
    let numbers =
        |shift: u32| -> Vec<f64> { (211 * sample + shift..).take(n).map(scattered).collect() };
    let positions: Vec<Ex<'_>> = p.constraints.positions().collect();
    let places = p.rows(&positions, &[], &p.system.q);
    let q = places.scaled_root(t, &[], &numbers(17))?;
    let moving = p.rows(&velocity_rows(p), &p.system.q, &p.system.v);
    let v = moving.scaled_root(t, &q, &numbers(91))?;
    let m = p.measure(t, &q, &v)?;
    let missed = f64::max(
        places.distance(t, &[], &q, &numbers(17))?,
        moving.distance(t, &q, &v, &numbers(91))?,
    );
    let rank = |table: &Table| independent_rows(table.rows, &table.values(), missed);
    let a = m.table(function::A);
    Some(HeldRanks {
        positions: rank(&m.table(function::POSITION_Q)),
        a: rank(&a),
        augmented: rank(&a.beside(&m.table(function::B))),
    })
}

fn ranks_on(p: &Prepared<'_>, locus: &Locus<'_>) -> Option<ExactRanks> {
    let order: Vec<usize> = (0..p.system.n()).collect();
    let with_b = p.constraints.a.beside(&p.constraints.b);
    let all: Vec<usize> = (0..=p.system.n()).collect();
    let rank =
        |matrix: &Matrix<'_>, order: &[usize]| Some(generic_rank(locus, matrix, order)?.rank);
    Some(ExactRanks {
        a: rank(&p.constraints.a, &order)?,
        augmented: rank(&with_b, &all)?,
        at_most: false,
    })
}

/// States on the constraints where all parameters have their values; on the holonomic rows if `placed`.
fn states_in_force<'g>(p: &Prepared<'g>, placed: bool) -> Locus<'g> {
    let system = &p.system;
    let mut locus = parameters_in_force(p);
    if placed {
        let positions = p.constraints.positions();
        put_on_positions(&mut locus, positions.collect(), &system.q, &[]);
    }
    locus.on(velocity_rows(p), system.v.clone());
    locus
}

/// Any states where all parameters have their values.
pub(crate) fn parameters_in_force<'g>(p: &Prepared<'g>) -> Locus<'g> {
    let (graph, system) = (p.system.graph, &p.system);
    let parameters = p.model.parameters.iter().map(|x| graph.ex(x.symbol));
    let symbols = [system.t]
        .into_iter()
        .chain(system.q.iter().copied())
        .chain(system.v.iter().copied())
        .chain(parameters)
        .collect();
    let mut locus = Locus::new(symbols);
    for (symbol, value) in in_order(&values(p)) {
        locus.set(symbol, value);
    }
    locus
}

/// Whether all derivatives of an active row vanish wherever it holds over the real numbers, as those of a square
/// do; `None` where only numbers can tell.
pub(crate) fn flatness(p: &Prepared<'_>, index: usize) -> Option<bool> {
    let known = p.found.flat.borrow().get(&index).copied();
    known.unwrap_or_else(|| {
        let found = find_flatness(p, index);
        p.found.flat.borrow_mut().insert(index, found);
        found
    })
}

fn find_flatness(p: &Prepared<'_>, index: usize) -> Option<bool> {
    let system = &p.system;
    let row = p.constraints.active().nth(index)?;
    let (expression, unknowns) = match row.position {
        Some(position) => (position, &system.q),
        None => (row.phi?, &system.v),
    };
    let derivatives = [
        expression.partials(&system.q),
        expression.partials(&system.v),
    ]
    .concat();
    let (real, sides) = match row.position {
        None => {
            let real = real_row(p, expression);
            (real.rows, real.sides)
        }
        Some(_) => {
            let real = Signs::new(p).zeros(expression, &system.q);
            (real.rows, real.sides)
        }
    };
    let is_other = real != [expression];
    // Beside inequalities other rows hold at more states, and roots in derivatives take either sign there.
    let is_same = is_other && sides.is_empty();
    let mut locus = parameters_in_force(p);
    let has_slope = || any_regular_point(p, &[expression], unknowns, |_, _, _| true);
    let said = if is_other { real } else { vec![expression] };
    // What a row on velocities says of the place alone moves the coordinates.
    let moves = |x: &Ex<'_>| unknowns.iter().any(|u| x.depends_on(*u));
    let (said, of_place): (Vec<_>, Vec<_>) = said.into_iter().partition(moves);
    locus.on(of_place, system.q.clone());
    locus.on(said, unknowns.clone());
    match vanish_on(&locus, &derivatives) {
        Finding::Holds(_) => Some(true),
        // Complex points of a sum of squares that was not seen through say nothing.
        Finding::Fails if is_same => Some(false),
        _ => has_slope().then_some(false),
    }
}

/// Each parameter with the file's expression where that has the value in force, else with the value.
fn values<'g>(p: &Prepared<'g>) -> Vec<(Ex<'g>, Ex<'g>)> {
    let graph = p.system.graph;
    let symbols = p.model.parameters.iter();
    let numbers: Vec<(Ex<'g>, Option<Ex<'g>>)> = symbols
        .zip(&p.parameters)
        .map(|(parameter, number)| {
            let exact = Rational::from_decimal(&format!("{number:e}"));
            let exact = exact.map(|exact| graph.number(exact));
            (graph.ex(parameter.symbol), exact)
        })
        .collect();
    let given: Vec<(Ex<'g>, Ex<'g>)> = numbers
        .iter()
        .filter_map(|(symbol, number)| Some((*symbol, (*number)?)))
        .collect();
    let closed = Closed::new(&given);
    let mut found = Vec::with_capacity(given.len());
    let parameters = p.model.parameters.iter();
    let said: Vec<Ex<'g>> = parameters
        .map(|parameter| graph.ex(parameter.value))
        .collect();
    let said = said.iter().zip(closed_numbers(p.model, &closed, &said));
    for ((parameter, number), (value, same)) in
        p.model.parameters.iter().zip(&p.parameters).zip(said)
    {
        let (symbol, value) = (graph.ex(parameter.symbol), *value);
        let in_force = (same - number).abs() <= 1e-14 * number.abs();
        let plain = given.iter().find(|(other, _)| *other == symbol);
        let value = match plain {
            Some((_, number)) if !in_force => *number,
            _ => value,
        };
        found.push((symbol, value));
    }
    found
}

/// The largest rank that `A` may have; looked up only where `a`, its numbers at a state, leaves a doubt.
pub(crate) fn most(p: &Prepared<'_>, a: &Table) -> Option<usize> {
    if a.has_full_rank() {
        return None;
    }
    Some(exact(p)?.a)
}

/// Whether the rows of `A` are the same at all states, and with them their rank.
fn rows_are_constant(p: &Prepared<'_>) -> bool {
    let parameters = &p.model.parameters;
    let constant = |symbol: &Ex<'_>| {
        let mut all = parameters.iter();
        all.any(|parameter| !parameter.is_input && parameter.symbol == symbol.id())
    };
    let entries = p.constraints.a.entries();
    entries.iter().all(|x| x.symbols().iter().all(constant))
}

/// The rank of `A` at a state, whose table is given.
pub(crate) fn of_rows(p: &Prepared<'_>, a: &Table) -> Option<usize> {
    let is_constant = || !a.has_full_rank() && rows_are_constant(p);
    if let Some(exact) = is_constant().then(|| exact(p)).flatten() {
        return Some(exact.a);
    }
    a.rank_at_most(most(p, a))
}

/// The rank of `[A|B]` at a state where `A` has the rank `rank`.
pub(crate) fn augmented(p: &Prepared<'_>, a: &Table, b: &Table, rank: usize) -> Option<usize> {
    let both = a.beside(b);
    if rank == a.rows {
        return both.rank().map(|_| rank);
    }
    match exact(p) {
        // At the generic rank rows can only contradict each other where they do so almost everywhere.
        Some(exact) if rank >= exact.a && exact.augmented == exact.a => both.rank().map(|_| rank),
        Some(exact) => both.rank_at_most(Some(exact.augmented.max(rank))),
        None => both.rank_at_most(Some(rank)),
    }
}
