//! Which combinations of the rows can be integrated: distributions and their Lie brackets.
//!
//! Rows `A v + phi_0 = 0` affine in the velocities are forms `A dq + phi_0 dt` on `Q x R`; the
//! fields that they annihilate, with all brackets of these, span the directions in which the
//! system can be steered. A function `f(q, t)` is constant on every motion exactly if all these
//! fields annihilate it, so that as many combinations of rows are holonomic as directions are
//! missing (Frobenius; the growth vector lists the ranks by length of bracket
//! [benenti1996, sect. 5]). Rows that are not affine are treated alike on `TQ x R`, with the
//! fields `v d_q + d_t + w d_v`, `A w + B = 0`, and `N d_v`, `A N = 0`.

use crate::constraints::{Constraints, RowStatus};
use crate::system::System;
use appell_expr::{
    Ex, Finding, Function, Graph, LieDerivative, Locus, Matrix, Node, degree_in, differs_on,
    generic_rank, has_one_rank, is_free_of, jumps_with, rank_is_exact, vanishes,
};

/// Points at which components are looked at, times their number.
const COMPONENTS: usize = 32;
/// Expressions in a closure beyond which it is given up.
const MAX_EXPRESSIONS: usize = 400_000;

/// A vector field by its components along some coordinates.
pub type VectorField<'g> = Vec<Ex<'g>>;

/// The ranks of the brackets of some fields, by length.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// Ranks of the fields, with brackets of two, of three, .., until nothing is added.
    pub ranks: Vec<usize>,
    /// How many directions are never reached: as many functions are constant along the fields.
    pub missing: usize,
    /// Whether the last rank is proved to be no larger; that it is no smaller is certain.
    pub exact: Finding,
}

/// The rows solved for some of the unknowns: `x_d + S x_i + s = 0` for each dependent `d`.
#[derive(Debug, Clone)]
pub struct Solved<'g> {
    /// Indices of the dependent unknowns.
    pub dependent: Vec<usize>,
    /// Indices of the others.
    pub independent: Vec<usize>,
    /// `[S | s]` with one row for each dependent unknown.
    pub rows: Vec<Vec<Ex<'g>>>,
}

/// The states on holonomic rows, or with `velocities` on all rows, for any parameters but those that the
/// system has at exact values.
pub fn states_on<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    rows: &[Ex<'g>],
    extra: &[Ex<'g>],
) -> Locus<'g> {
    let is_fixed = |x: &Ex<'g>| system.fixed.iter().any(|(symbol, _)| symbol == x);
    let free = parameters_of(system).into_iter().filter(|x| !is_fixed(x));
    let mut locus = all_states(system, extra);
    put_on_positions(
        &mut locus,
        constraints.positions().collect(),
        &system.q,
        &free.collect::<Vec<_>>(),
    );
    locus.on(rows.to_vec(), system.v.clone());
    locus
}

/// Any states, for any parameters but those that the system has at exact values.
pub fn all_states<'g>(system: &System<'g>, extra: &[Ex<'g>]) -> Locus<'g> {
    let symbols = [system.t]
        .into_iter()
        .chain(system.q.iter().copied())
        .chain(system.v.iter().copied())
        .chain(parameters_of(system))
        .chain(extra.iter().copied())
        .collect();
    let mut locus = Locus::new(symbols);
    for (symbol, value) in &system.fixed {
        locus.set(*symbol, *value);
    }
    locus
}

fn parameters_of<'g>(system: &System<'g>) -> Vec<Ex<'g>> {
    let parameters = system.model.parameters.iter();
    parameters.map(|p| system.graph.ex(p.symbol)).collect()
}

/// As [`states_on`] where rows are curved: of their components those on which the dependent velocities of the
/// chart are determined, that of the start among them. The rows must contain those of the chart.
pub fn states_in_chart<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    rows: &[Ex<'g>],
) -> Locus<'g> {
    let mut locus = states_on(system, constraints, rows, &[]);
    let minor = constraints.chart.as_ref().and_then(|chart| {
        let a = constraints.a.select_rows(&chart.rows);
        a.select_columns(&chart.dependent).determinant()
    });
    if let Some(minor) = minor.filter(|minor| minor.as_rational().is_none()) {
        locus.off(minor);
    }
    locus
}

/// Puts the coordinates on holonomic rows, and the parameters that may move with them: a row in angles
/// alone may be linear in a length.
pub fn put_on_positions<'g>(
    locus: &mut Locus<'g>,
    rows: Vec<Ex<'g>>,
    q: &[Ex<'g>],
    parameters: &[Ex<'g>],
) {
    locus.on_with(rows, q.to_vec(), parameters.to_vec());
}

/// `[A | phi_0]` of rows that are affine in the velocities, k x (n + 1).
pub fn forms<'g>(system: &System<'g>, rows: &[Ex<'g>]) -> Matrix<'g> {
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, system.graph.zero())).collect();
    let free = system.graph.substitute(rows, &at_rest);
    Matrix::jacobian(system.graph, rows, &system.v).beside(&Matrix::column(system.graph, free))
}

/// Whether an expression is affine in the velocities.
pub fn is_affine(system: &System<'_>, phi: Ex<'_>) -> bool {
    if let Some(known) = system.straight.borrow().get(&phi.id()) {
        return *known;
    }
    let found = has_no_bends(system.graph.ex(phi.id()), &system.v);
    system.straight.borrow_mut().insert(phi.id(), found);
    found
}

fn has_no_bends<'g>(phi: Ex<'g>, v: &[Ex<'g>]) -> bool {
    // Most are polynomials, which is seen at once.
    if degree_in(phi, v).is_some_and(|degree| degree <= 1) {
        return true;
    }
    let slopes = phi.partials(v);
    let mut bends = slopes.iter().flat_map(|a| a.partials(v));
    if !has_corners(phi, v) {
        return bends.all(vanishes);
    }
    // `sign(y')` has no slope, and `abs(y')` no bend.
    let jumps = v.iter().any(|v| !jumps_with(phi, *v).is_empty());
    !jumps && slopes.iter().all(|a| v.iter().all(|v| is_free_of(*a, *v)))
}

/// Whether a function with corners or jumps is taken of these symbols.
fn has_corners<'g>(x: Ex<'g>, of: &[Ex<'g>]) -> bool {
    let graph = x.graph();
    graph.reachable(&[x.id()]).into_iter().any(|id| {
        let sharp = graph.look(id, |node| match node {
            Node::Call(f, _) => !f.is_smooth() || matches!(f, Function::Sign | Function::Atan2),
            _ => false,
        });
        (sharp || is_folded(graph.ex(id), of)) && graph.ex(id).depends_on_any(of)
    })
}

/// Whether an expression is an inverse function of a periodic one, as `asin(sin(x'))`, which folds or jumps.
pub fn is_folded<'g>(x: Ex<'g>, of: &[Ex<'g>]) -> bool {
    use Function::{Acos, Asin, Atan, Atan2, Cos, Sin, Tan};
    let graph = x.graph();
    let Node::Call(Acos | Asin | Atan | Atan2, arguments) = x.node() else {
        return false;
    };
    let inside = graph.reachable(&arguments).into_iter();
    let mut periodic =
        inside.filter(|id| matches!(graph.node(*id), Node::Call(Cos | Sin | Tan, _)));
    periodic.any(|id| graph.ex(id).depends_on_any(of))
}

/// Solves `[A | s]` for some of the unknowns, by elimination in quotients; the pivots are proved
/// not to vanish. Columns early in `preference` become dependent first.
pub fn solved<'g>(
    locus: &Locus<'_>,
    rows: &Matrix<'g>,
    preference: &[usize],
    simplify: &mut dyn FnMut(Ex<'g>) -> Ex<'g>,
) -> Option<Solved<'g>> {
    let width = rows.columns().checked_sub(1)?;
    let all: Vec<usize> = (0..width).collect();
    let found = generic_rank(locus, &rows.select_columns(&all), preference)?;
    let mut lines: Vec<Vec<Ex<'g>>> = found
        .rows
        .iter()
        .map(|i| (0..=width).map(|j| rows[(*i, j)]).collect())
        .collect();
    let mut dependent = Vec::new();
    let mut open = found.columns.clone();
    for next in 0..lines.len() {
        let (row, column) = pivot(locus, &lines[next..], &open)?;
        open.retain(|j| *j != column);
        lines.swap(next, next + row);
        let pivot = lines[next][column];
        for x in &mut lines[next] {
            *x = simplify(*x / pivot);
        }
        let pivot_line = lines[next].clone();
        for (i, line) in lines.iter_mut().enumerate() {
            let factor = line[column];
            if i == next || factor.is_zero() {
                continue;
            }
            for (x, p) in line.iter_mut().zip(&pivot_line) {
                *x = simplify(if p.is_zero() { *x } else { *x - factor * *p });
            }
        }
        dependent.push(column);
    }
    let independent: Vec<usize> = all.into_iter().filter(|j| !dependent.contains(j)).collect();
    let keep = |line: &Vec<Ex<'g>>| {
        let kept = independent.iter().map(|j| line[*j]);
        kept.chain([line[width]]).collect()
    };
    Some(Solved {
        rows: lines.iter().map(keep).collect(),
        dependent,
        independent,
    })
}

/// An entry that is not zero, plain numbers first.
fn pivot<'g>(
    locus: &Locus<'_>,
    lines: &[Vec<Ex<'g>>],
    columns: &[usize],
) -> Option<(usize, usize)> {
    let entries = || {
        let rows = 0..lines.len();
        rows.flat_map(|i| columns.iter().map(move |j| (i, *j)))
    };
    let number = entries().find(|(i, j)| {
        let number = lines[*i][*j].as_rational();
        number.is_some_and(|number| !number.is_zero())
    });
    number.or_else(|| {
        entries().find(|(i, j)| {
            let x = lines[*i][*j];
            !x.is_zero() && differs_on(locus, &[x]) == Some(true)
        })
    })
}

impl<'g> Solved<'g> {
    /// The unknowns with the dependent ones replaced: `x_d = -(S x_i + s)`.
    pub fn substitution(&self, unknowns: &[Ex<'g>]) -> Vec<(Ex<'g>, Ex<'g>)> {
        let value = |line: &Vec<Ex<'g>>| {
            let entries = self.independent.iter().zip(line);
            let terms: Vec<Ex<'g>> = entries.map(|(j, s)| *s * unknowns[*j]).collect();
            let constant = line.last().copied();
            let graph = unknowns[0].graph();
            -(graph.sum(&terms) + constant.unwrap_or_else(|| graph.zero()))
        };
        let pairs = self.dependent.iter().zip(&self.rows);
        pairs.map(|(d, line)| (unknowns[*d], value(line))).collect()
    }

    /// The solutions of the homogeneous rows, one for each independent unknown.
    pub fn kernel(&self, graph: &'g Graph) -> Vec<VectorField<'g>> {
        let width = self.dependent.len() + self.independent.len();
        let field = |(place, column): (usize, &usize)| {
            let mut field = vec![graph.zero(); width];
            field[*column] = graph.one();
            for (d, line) in self.dependent.iter().zip(&self.rows) {
                field[*d] = -line[place];
            }
            field
        };
        self.independent.iter().enumerate().map(field).collect()
    }

    /// The solution with independent unknowns zero.
    fn particular(&self, graph: &'g Graph) -> VectorField<'g> {
        let width = self.dependent.len() + self.independent.len();
        let mut field = vec![graph.zero(); width];
        for (d, line) in self.dependent.iter().zip(&self.rows) {
            field[*d] = line.last().map_or_else(|| graph.zero(), |s| -*s);
        }
        field
    }
}

/// The growth of the distribution of rows that are affine in the velocities: on `Q`, or with the
/// time among the directions on `Q x R`.
pub fn growth_of_affine_rows<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    rows: &[Ex<'g>],
    with_time: bool,
) -> Option<Growth> {
    let locus = states_on(system, constraints, &[], &[]);
    let order: Vec<usize> = (0..system.n()).rev().collect();
    let solved = solved(&locus, &forms(system, rows), &order, &mut |x| x)?;
    let mut fields = solved.kernel(system.graph);
    let mut coordinates = system.q.clone();
    if with_time {
        coordinates.push(system.t);
        for field in &mut fields {
            field.push(system.graph.zero());
        }
        let mut drift = solved.particular(system.graph);
        drift.push(system.graph.one());
        fields.push(drift);
    }
    let kept = integrals_of(constraints, rows);
    let (idle, coordinates) = parted(&coordinates, &[&kept[..], rows].concat(), &system.v);
    let along = |field: VectorField<'g>| coordinates.iter().map(|(i, _)| field[*i]).collect();
    let fields = fields.into_iter().map(along);
    let fields: Vec<VectorField<'g>> = fields
        .filter(|field: &VectorField<'g>| !field.iter().all(|x| x.is_zero()))
        .collect();
    let coordinates: Vec<Ex<'g>> = coordinates.into_iter().map(|(_, q)| q).collect();
    let (mut growth, _) = growth(&locus, fields, &coordinates, &kept)?;
    growth.ranks.iter_mut().for_each(|rank| *rank += idle);
    Some(growth)
}

/// How many coordinates stand, with their velocities, in none of these expressions: each is a direction by
/// itself, whose field commutes with all others. And the coordinates that do, by their places.
fn parted<'g>(
    coordinates: &[Ex<'g>],
    xs: &[Ex<'g>],
    v: &[Ex<'g>],
) -> (usize, Vec<(usize, Ex<'g>)>) {
    let symbols: Vec<Ex<'g>> = xs.iter().flat_map(|x| x.symbols()).collect();
    let occurs =
        |i: usize, q: Ex<'g>| symbols.contains(&q) || v.get(i).is_none_or(|v| symbols.contains(v));
    let all = coordinates.iter().copied().enumerate();
    let occurring: Vec<(usize, Ex<'g>)> = all.filter(|(i, q)| occurs(*i, *q)).collect();
    (coordinates.len() - occurring.len(), occurring)
}

/// The holonomic rows whose rates are among these rows: functions that the fields keep.
fn integrals_of<'g>(constraints: &Constraints<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let among = |phi: Option<Ex<'g>>| phi.is_some_and(|phi| rows.contains(&phi));
    let kept = constraints.holonomic().filter(|row| match row.status {
        RowStatus::Merged(twin) => among(constraints.rows[twin].phi) || among(row.phi),
        _ => among(row.phi),
    });
    kept.filter_map(|row| row.position).collect()
}

/// The growth of the motions that any rows allow, on `TQ x R`.
pub fn growth_of_any_rows<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    rows: &[Ex<'g>],
) -> Option<Growth> {
    let graph = system.graph;
    let locus = states_in_chart(system, constraints, rows);
    // A coordinate that no row speaks of is reached, as its velocity is.
    let (_, occurring) = parted(&system.q, rows, &system.v);
    let (places, q): (Vec<usize>, Vec<Ex<'g>>) = occurring.into_iter().unzip();
    let v: Vec<Ex<'g>> = places.iter().map(|i| system.v[*i]).collect();
    let slopes = Matrix::jacobian(graph, rows, &v);
    let rest = Matrix::from_fn(graph, rows.len(), 1, |i, _| system.drift(rows[i]));
    // The components are those on which the chart's dependent velocities are determined.
    let dependent = constraints.chart.iter().flat_map(|chart| &chart.dependent);
    let first = dependent.filter_map(|i| places.iter().position(|place| place == i));
    let mut order: Vec<usize> = first.collect();
    let others = (0..q.len()).rev().filter(|i| !order.contains(i));
    order.extend(others.collect::<Vec<_>>());
    let solved = solved(&locus, &slopes.beside(&rest), &order, &mut |x| x)?;
    let zeros = vec![graph.zero(); q.len()];
    let upright = |field: VectorField<'g>| [zeros.as_slice(), &field, &[graph.zero()]].concat();
    let mut fields: Vec<VectorField<'g>> = solved.kernel(graph).into_iter().map(upright).collect();
    fields.push([v.as_slice(), &solved.particular(graph), &[graph.one()]].concat());
    let coordinates = [q.as_slice(), &v, &[system.t]].concat();
    let (mut growth, brackets) = growth(&locus, fields, &coordinates, &[])?;
    let degree = rows.iter().map(|row| degree_in(*row, &v).unwrap_or(3));
    let degree = degree.product::<u32>().clamp(1, 12);
    let all = rows_of(graph, coordinates.len(), &brackets);
    let rank = coordinates.len() - growth.missing;
    if degree > 1 && !has_one_rank(&locus, &all, rank, COMPONENTS * degree as usize) {
        growth.exact = Finding::Open("its components differ".to_owned());
    }
    // The rows themselves are constant along the fields; no other function is meant.
    growth.missing = growth.missing.checked_sub(solved.dependent.len())?;
    Some(growth)
}

/// The ranks of the iterated brackets of some fields at a generic point, and all of these; `kept` are functions that all the
/// fields keep.
fn growth<'g>(
    locus: &Locus<'_>,
    first: Vec<VectorField<'g>>,
    coordinates: &[Ex<'g>],
    kept: &[Ex<'g>],
) -> Option<(Growth, Vec<VectorField<'g>>)> {
    let Some(graph) = coordinates.first().map(|x| x.graph()) else {
        let nothing = Growth {
            ranks: vec![0],
            missing: 0,
            exact: Finding::Open("no coordinates".to_owned()),
        };
        return Some((nothing, Vec::new()));
    };
    let Closure { ranks, basis, rest } = closure(graph, locus, first, coordinates)?;
    let fields = [basis.as_slice(), &rest].concat();
    let width = coordinates.len();
    let missing = width - basis.len();
    // No bracket leaves the level sets of what is kept: the rank cannot be higher.
    let order: Vec<usize> = (0..width).collect();
    let gradients = Matrix::jacobian(graph, kept, coordinates);
    let bounded = match missing {
        0 => true,
        _ => generic_rank(locus, &gradients, &order).is_some_and(|found| found.rank == missing),
    };
    let exact = if bounded {
        Finding::certain()
    } else {
        let all = rows_of(graph, width, &fields);
        rank_is_exact(locus, &all, &generic_rank(locus, &all, &order)?)
    };
    let growth = Growth {
        missing,
        exact,
        ranks,
    };
    Some((growth, fields))
}

/// Some fields with their iterated brackets.
struct Closure<'g> {
    /// The ranks by length of bracket.
    ranks: Vec<usize>,
    /// Fields that are independent at almost every point, and span all others there.
    basis: Vec<VectorField<'g>>,
    /// The others.
    rest: Vec<VectorField<'g>>,
}

/// Adds brackets with the first fields until the rank no longer grows; none beyond [`MAX_EXPRESSIONS`].
fn closure<'g>(
    graph: &'g Graph,
    locus: &Locus<'_>,
    first: Vec<VectorField<'g>>,
    coordinates: &[Ex<'g>],
) -> Option<Closure<'g>> {
    let width = coordinates.len();
    let limit = graph.len() + MAX_EXPRESSIONS;
    let order: Vec<usize> = (0..width).collect();
    let mut ranks = Vec::new();
    let (mut basis, mut rest): (Vec<VectorField<'g>>, Vec<VectorField<'g>>) = Default::default();
    let mut new = first.clone();
    let field = |components: VectorField<'g>| Field::new(components, coordinates);
    let mut first: Vec<Field<'g>> = first.into_iter().map(field).collect();
    loop {
        let before = basis.len();
        basis.append(&mut new);
        let found = generic_rank(locus, &rows_of(graph, width, &basis), &order)?;
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        for (i, field) in basis.into_iter().enumerate() {
            match found.rows.contains(&i) {
                true => kept.push(field),
                false => left.push(field),
            }
        }
        (basis, rest) = (kept, [rest, left].concat());
        if basis.len() == before && before > 0 {
            break;
        }
        ranks.push(basis.len());
        if basis.len() == width || basis.is_empty() {
            break;
        }
        let mut fresh: Vec<Field<'g>> = basis[before..].iter().cloned().map(field).collect();
        let in_order = ranks.len() == 1 && fresh.len() == first.len();
        new = brackets(&mut first, &mut fresh, in_order, limit)?;
    }
    Some(Closure { ranks, basis, rest })
}

/// The brackets `[X, Y]` that are not zero as written, of the first fields with the fresh ones. If these are the
/// same, `[Y, X] = -[X, Y]` is left out. `None` where the graph becomes larger than `limit`.
fn brackets<'g>(
    first: &mut [Field<'g>],
    fresh: &mut [Field<'g>],
    are_same: bool,
    limit: usize,
) -> Option<Vec<VectorField<'g>>> {
    let mut found = Vec::new();
    for (i, x) in first.iter_mut().enumerate() {
        let begin = if are_same { i + 1 } else { 0 };
        for y in &mut fresh[begin..] {
            let field = bracket(x, y);
            let graph = field.first()?.graph();
            if graph.len() > limit {
                return None;
            }
            if field.iter().any(|component| !component.is_zero()) {
                found.push(field);
            }
        }
    }
    Some(found)
}

/// Fields as the rows of a matrix.
fn rows_of<'g>(graph: &'g Graph, width: usize, fields: &[VectorField<'g>]) -> Matrix<'g> {
    Matrix::from_fn(graph, fields.len(), width, |i, j| fields[i][j])
}

/// A field with derivatives along it.
struct Field<'g> {
    components: VectorField<'g>,
    along: LieDerivative<'g>,
}

impl<'g> Field<'g> {
    fn new(components: VectorField<'g>, coordinates: &[Ex<'g>]) -> Self {
        let graph = coordinates[0].graph();
        let by_coordinate = coordinates.iter().copied().zip(components.iter().copied());
        Self {
            along: LieDerivative::new(graph, by_coordinate),
            components,
        }
    }
}

/// `[X, Y]^i = X(Y^i) - Y(X^i)`.
fn bracket<'g>(x: &mut Field<'g>, y: &mut Field<'g>) -> VectorField<'g> {
    let components = x.components.iter().zip(&y.components);
    components
        .map(|(a, b)| x.along.of(*b) - y.along.of(*a))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_of_the_contact_structure_and_of_a_foliation() {
        let g = Graph::new();
        let q = ["x", "y", "z"].map(|name| g.symbol(name));
        let [x, y, _] = q;
        let (zero, one) = (g.zero(), g.one());
        let locus = Locus::new(q.to_vec());
        let contact = vec![vec![one, zero, y], vec![zero, one, zero]];
        let (found, _) = growth(&locus, contact, &q, &[]).expect("points");
        assert_eq!((found.ranks, found.missing), (vec![2, 3], 0));
        // z = x y + const
        let leaves = vec![vec![one, zero, y], vec![zero, one, x]];
        let (found, _) = growth(&locus, leaves, &q, &[]).expect("points");
        assert_eq!((found.ranks, found.missing), (vec![2], 1));
        assert!(matches!(found.exact, Finding::Holds(_)));
    }
}
