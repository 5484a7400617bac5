//! Where the constraints lose rank, as equations.
//!
//! The rank of `A` is below its generic value where all minors of that size vanish. These are
//! split into factors, and what is linear in a coordinate or velocity is solved for it, until
//! each branch is a list of equations that cannot be taken apart. Where `Psi` alone loses rank,
//! only the parameters are bad.

use super::components::Component;
use super::factored::factored;
use crate::states::ranks::parameters_in_force;
use crate::states::real_rows::Signs;
use crate::values::exact_values::closed_values;
use crate::values::prepared::Prepared;
use appell_expr::limits::attempt;
use appell_expr::{
    Ex, Finding, Fractions, Function, Matrix, Node, Sketch, degree_in, denominators_of,
    generic_rank, have_no_common_zero, vanish_on, vanishes,
};
use appell_flow::Measured;
use appell_mech::{Metric, blocks, linear_system, states_on};

/// More minors are not formed.
const MAX_MINORS: usize = 70;
/// The determinant of a larger `M` is not formed.
const MAX_COORDINATES: usize = 3;
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

/// The singular set and the bad charts, in words; or why there are none to show.
pub(crate) struct SingularSet {
    pub real: Result<Vec<String>, String>,
    pub chart: Vec<String>,
}

/// Looks at the minors of `A`, of `Psi` and of `M`.
pub(crate) fn singular_set(p: &Prepared<'_>) -> SingularSet {
    let real = of_rows(p);
    let charts = [of_parameters(p), of_coordinates(p)].concat();
    let chart = charts.iter().map(words).collect();
    SingularSet {
        real: real.map(|branches| branches.iter().map(words).collect()),
        chart,
    }
}

/// Whether the rows are proved to keep their rank at every state that they allow.
pub(crate) fn is_nowhere_singular(p: &Prepared<'_>) -> bool {
    p.constraints.ideal
        && matches!(p.system.metric, Metric::Definite)
        && !p.may_be_indefinite()
        && attempt(|| of_rows(p)).is_ok_and(|found| found.is_ok_and(|set| set.is_empty()))
}

/// Whether it is known that `Psi = psi_z` of velocities that `[motion]` alone gives has its full rank everywhere: `det Psi^T Psi`
/// vanishes nowhere.
pub(crate) fn are_parameters_regular(p: &Prepared<'_>) -> bool {
    let Some(parametric) = &p.constraints.parametric else {
        return false;
    };
    let psi = &parametric.partial;
    let gram = (&psi.transpose() * psi).determinant();
    gram.is_some_and(|gram| Signs::new(p).zeros(gram, &parametric.z).nowhere)
}

/// A value below this part of the largest one along the motion is 0 at its end.
const MET: f64 = 1e-3;

/// The branch of the singular set that a motion ends on, in words: its states `(t, (q, v))` come in
/// order. Each expression must be small against what it was before, or against its terms.
pub(crate) fn met<'g>(p: &Prepared<'g>, motion: &[(f64, Vec<f64>)]) -> Option<String> {
    let ((t, end), branches) = (motion.last()?, of_rows(p).ok()?);
    let distance = |branch: &Conditions<'g>| -> Option<f64> {
        let mut sketch = Sketch::new(p.system.graph);
        sketch.output_list("x", branch);
        let field = p.compile(&sketch, &["x"]);
        let last = field.measured(*t, end).ok()?;
        let mut sizes: Vec<f64> = last.iter().map(|x| x.size).collect();
        for (t, state) in motion {
            let values = field.results(*t, state).ok()?;
            let pairs = sizes.iter_mut().zip(values);
            pairs.for_each(|(size, x)| *size = size.max(x.abs()));
        }
        let parts = last.iter().zip(&sizes);
        let part = |(x, size): (&Measured, &f64)| match x.value == 0.0 {
            true => 0.0,
            false => x.value.abs() / size,
        };
        let worst = parts.map(part).fold(0.0, f64::max);
        (worst <= MET).then_some(worst)
    };
    let near = branches.iter().filter_map(|x| Some((distance(x)?, x)));
    let nearest = near.min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|(_, branch)| words(branch))
}

fn words(branch: &Conditions<'_>) -> String {
    let equations: Vec<String> = branch.iter().map(|x| format!("{x} = 0")).collect();
    match equations.is_empty() {
        true => "everywhere".to_owned(),
        false => equations.join(", "),
    }
}

/// Whether some states at which an expression vanishes may satisfy the rows.
pub(crate) fn may_vanish<'g>(p: &Prepared<'g>, x: Ex<'g>) -> bool {
    let known = known(p);
    meets(p, &vec![x], &[known.rows, known.positions].concat())
}

/// Whether some states on a branch may satisfy the rows: with what its simplest equations say put in, neither they nor its
/// other equations are numbers or of one sign.
fn meets<'g>(p: &Prepared<'g>, branch: &Conditions<'g>, rows: &[Ex<'g>]) -> bool {
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

fn of_rows<'g>(p: &Prepared<'g>) -> Result<Vec<Conditions<'g>>, String> {
    Ok(smallest([of_minors(p)?, of_derivatives(p)?].concat()))
}

/// Where rows have a value, and their derivatives have none: `x'^2 + y'^2 = 0` of `z' = sqrt(x'^2 + y'^2)`.
fn of_derivatives<'g>(p: &Prepared<'g>) -> Result<Vec<Conditions<'g>>, String> {
    let (system, signs) = (&p.system, Signs::new(p));
    let mut bases: Vec<Ex<'g>> = Vec::new();
    for row in p.constraints.active() {
        let given = row.position.or(row.phi).into_iter();
        let poles: Vec<Ex<'g>> = given.flat_map(poles_of).collect();
        let derivatives = row.a.iter().chain([&row.b]);
        for base in derivatives.flat_map(|x| denominators_of(*x)) {
            let vanishes = !poles.contains(&base) && !signs.of(base).excludes_zero();
            if vanishes && !bases.contains(&base) {
                bases.push(base);
            }
        }
    }
    let known = known(p);
    let all = [known.rows.as_slice(), &known.positions].concat();
    let unknowns = [system.v.as_slice(), &system.q, &[system.t]].concat();
    let mut branches = Vec::new();
    for base in bases {
        branches.extend(zero_set(p, vec![base], known.clone(), &unknowns)?);
    }
    branches.retain(|branch| meets(p, branch, &all));
    Ok(branches)
}

/// What has no value where it is 0: denominators, and arguments of logarithms.
fn poles_of(x: Ex<'_>) -> Vec<Ex<'_>> {
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
    let active = p.constraints.active();
    let holonomic = p.constraints.holonomic();
    Known {
        rows: active.filter_map(|row| row.phi).collect(),
        positions: holonomic.filter_map(|row| row.position).collect(),
    }
}

fn of_minors<'g>(p: &Prepared<'g>) -> Result<Vec<Conditions<'g>>, String> {
    let (system, constraints) = (&p.system, &p.constraints);
    let known = known(p);
    let rows = &known.rows;
    if rows.len() < constraints.k() {
        return Err("a row is given on accelerations".to_owned());
    }
    let unknowns = [system.v.as_slice(), &system.q, &[system.t]].concat();
    if let Some(all) = without_rows(p, || has_full_rank(p, rows)) {
        let size = system.n() + constraints.k();
        let minors = minors(&all, size).ok_or("the equations of motion are too many to show")?;
        return zero_set(p, minors, Known::default(), &unknowns);
    }
    let rank = rank(p, rows).ok_or("no random point of the constraints was found")?;
    if rank == 0 {
        return Ok(Vec::new());
    }
    let minors = minors(&constraints.a, rank).ok_or(TOO_MANY)?;
    let all = [rows.as_slice(), &known.positions].concat();
    let mut branches = Vec::new();
    for branch in zero_set(p, minors, known.clone(), &unknowns)? {
        match Component::on(p, &branch) {
            Some(component) => {
                for zeros in component.singular_where()? {
                    branches.extend(zero_set(p, zeros, known.clone(), &unknowns)?);
                }
            }
            None => branches.push(branch),
        }
    }
    branches.retain(|branch| meets(p, branch, &all));
    Ok(branches)
}

/// The matrix whose determinant tells of singular states where the minors of `A` do not: that of the equations with
/// multipliers, where the reaction has its own direction, or the metric is indefinite and no row follows from others.
pub(crate) fn without_rows<'g>(
    p: &Prepared<'g>,
    are_independent: impl FnOnce() -> bool,
) -> Option<Matrix<'g>> {
    let indefinite = || {
        let regular = p.system.metric != Metric::Singular;
        regular && p.may_be_indefinite() && are_independent()
    };
    (!p.constraints.ideal || indefinite()).then(|| linear_system(&p.system, &p.constraints).0)
}

/// The generic rank of `A` on the rows.
fn rank<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<usize> {
    let locus = states_on(&p.system, &p.constraints, rows, &[]);
    let order: Vec<usize> = (0..p.system.n()).collect();
    Some(generic_rank(&locus, &p.constraints.a, &order)?.rank)
}

fn has_full_rank<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> bool {
    rank(p, rows) == Some(p.constraints.k())
}

/// Where `Psi` loses rank and the rows do not.
fn of_parameters<'g>(p: &Prepared<'g>) -> Vec<Conditions<'g>> {
    let (system, constraints) = (&p.system, &p.constraints);
    let Some(parametric) = &constraints.parametric else {
        return Vec::new();
    };
    if constraints.has_dropped_rows() || constraints.k() == 0 {
        return Vec::new();
    }
    let unknowns = [parametric.z.as_slice(), &system.q, &[system.t]].concat();
    let Some(minors) = minors(&parametric.partial, parametric.z.len()) else {
        return Vec::new();
    };
    let mut branches = zero_set(p, minors, Known::default(), &unknowns).unwrap_or_default();
    branches.retain(|branch| !is_singular_there(p, branch));
    branches
}

/// Whether the rows lose rank too where these equations hold, `v = psi(q, z, t)`.
fn is_singular_there<'g>(p: &Prepared<'g>, branch: &Conditions<'g>) -> bool {
    let (system, constraints) = (&p.system, &p.constraints);
    let Some(parametric) = &constraints.parametric else {
        return false;
    };
    let rank = constraints
        .chart
        .as_ref()
        .map_or(0, |chart| chart.rows.len());
    let Some(minors) = minors(&constraints.a, rank) else {
        return false;
    };
    let psi = system.v.iter().zip(parametric.psi.entries());
    let psi: Vec<_> = psi.map(|(v, x)| (*v, *x)).collect();
    let there: Vec<Ex<'g>> = minors.iter().map(|x| x.substitute(&psi)).collect();
    let mut locus = states_on(system, constraints, &[], &parametric.z);
    let moving = |x: &&Ex<'g>| parametric.z.iter().any(|z| x.depends_on(*z));
    let on: Vec<Ex<'g>> = branch.iter().filter(moving).copied().collect();
    let still: Vec<Ex<'g>> = branch.iter().filter(|x| !moving(x)).copied().collect();
    locus.on(still, system.q.clone());
    locus.on(on, parametric.z.clone());
    matches!(vanish_on(&locus, &there), Finding::Holds(_))
}

/// Where blocks of `M` lose rank that are regular elsewhere: a rolling ball's angles stand apart from its place.
fn of_coordinates<'g>(p: &Prepared<'g>) -> Vec<Conditions<'g>> {
    let system = &p.system;
    let variables = [system.q.as_slice(), &system.v, &[system.t]].concat();
    let unknowns = [system.v.as_slice(), &system.q, &[system.t]].concat();
    let is_regular = |minors: &Vec<Ex<'g>>| minors.iter().any(|minor| !vanishes(*minor));
    let of_block = |block: Vec<usize>| -> Vec<Conditions<'g>> {
        let submatrix = system.mass.select_rows(&block).select_columns(&block);
        let varies = submatrix
            .entries()
            .iter()
            .any(|x| x.depends_on_any(&variables));
        let minors =
            (block.len() <= MAX_COORDINATES && varies).then(|| minors(&submatrix, block.len()));
        let zeros = |minors| zero_set(p, minors, Known::default(), &unknowns).ok();
        let minors = minors.flatten().filter(is_regular);
        minors.and_then(zeros).unwrap_or_default()
    };
    let found = blocks(&system.mass).into_iter().flat_map(of_block);
    let found: Vec<Conditions<'g>> = found.filter(|branch| !is_made_up_for(p, branch)).collect();
    if system.metric != Metric::Singular || !found.is_empty() {
        return found;
    }
    // Where the rows feel no longer what has no inertia.
    let minors = minors(&system.mass.above(&p.constraints.a), system.n()).filter(is_regular);
    let zeros = minors.and_then(|minors| zero_set(p, minors, Known::default(), &unknowns).ok());
    zeros.unwrap_or_default()
}

/// Whether the rows feel every velocity without inertia where these equations hold.
fn is_made_up_for<'g>(p: &Prepared<'g>, branch: &Conditions<'g>) -> bool {
    let (system, constraints) = (&p.system, &p.constraints);
    let order: Vec<usize> = (0..system.n()).collect();
    let mut locus = states_on(system, constraints, &[], &[]);
    locus.on(branch.clone(), system.q.clone());
    let both = system.mass.above(&constraints.a);
    let rank = generic_rank(&locus, &both, &order).map(|found| found.rank);
    rank == Some(system.n())
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
    pub rows: Vec<Ex<'g>>,
    pub positions: Vec<Ex<'g>>,
}

/// The common zeros of some expressions on the rows, as branches.
fn zero_set<'g>(
    p: &Prepared<'g>,
    zeros: Vec<Ex<'g>>,
    known: Known<'g>,
    unknowns: &[Ex<'g>],
) -> Result<Vec<Conditions<'g>>, String> {
    const TOO_LARGE: &str = "the minors do not split into simple factors";
    let mut field = Fractions::new(p.system.graph, unknowns);
    let mut terms = 0;
    for x in zeros.iter().chain(&known.rows) {
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
    let mut found: Vec<Conditions<'g>> = Vec::new();
    let values = closed_values(p);
    for _ in 0..MAX_STEPS {
        let Some(branch) = pending.pop() else {
            return Ok(smallest(real_branches(p, found, unknowns)));
        };
        match split(&mut field, branch, unknowns, &values).ok_or(TOO_LARGE)? {
            Split::Done(conditions) => {
                if !found.contains(&conditions) {
                    found.push(conditions);
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

/// The branches with real states on them, by the simplest equations.
fn real_branches<'g>(
    p: &Prepared<'g>,
    branches: Vec<Conditions<'g>>,
    unknowns: &[Ex<'g>],
) -> Vec<Conditions<'g>> {
    let signs = Signs::new(p);
    let real = |branch: Conditions<'g>| -> Option<Conditions<'g>> {
        let mut rows: Conditions<'g> = Vec::new();
        for condition in branch {
            if signs.zeros(condition, unknowns).nowhere {
                return None;
            }
            let form = signs.zeros_by_signs(condition, unknowns);
            let plain = form.sides.is_empty() && !form.rows.is_empty();
            let conditions = if plain { form.rows } else { vec![condition] };
            for row in conditions {
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        Some(rows)
    };
    let real = branches.into_iter().filter_map(real);
    let some = real.filter(|branch| meets(p, branch, &[]));
    some.map(|branch| without_consequences(p, branch)).collect()
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

enum Split<'g> {
    Done(Conditions<'g>),
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
    let mut moving_rows = Vec::new();
    for row in std::mem::take(&mut branch.known.rows) {
        if field.read(row)?.is_zero() {
            continue;
        }
        let parts = field.parts(row, unknowns)?;
        let Some(first) = parts.first() else {
            if vanishes(row.substitute(values)) {
                continue;
            }
            // A number other than zero: no state of the branch is on the constraints.
            return Some(Split::Into(Vec::new()));
        };
        let moving = |x: &Ex<'g>| x.symbols().iter().any(|s| is_velocity(*s));
        match parts.iter().any(moving) {
            true => moving_rows.push(row),
            false => branch.done.push(first.graph().product(&parts)),
        }
    }
    if field.has_no_zero(&[branch.done.as_slice(), &moving_rows].concat(), unknowns) {
        return Some(Split::Into(Vec::new()));
    }
    let long = branch.done.iter().any(|x| x.to_string().len() > MAX_LENGTH);
    (!long).then_some(Split::Done(branch.done))
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
        positions: put_in(&branch.known.positions),
    };
    let mut done = branch.done.clone();
    done.push(part);
    done.sort_unstable_by(|x, y| x.graph().order(x.id(), y.id()));
    Branch { open, done, known }
}

/// Without the branches that lie in others.
fn smallest(mut found: Vec<Conditions<'_>>) -> Vec<Conditions<'_>> {
    found.sort_by_key(Vec::len);
    let mut kept: Vec<Conditions<'_>> = Vec::new();
    for branch in found {
        if !kept
            .iter()
            .any(|other| other.iter().all(|x| branch.contains(x)))
        {
            kept.push(branch);
        }
    }
    kept
}
