//! Where the constraints lose rank, as equations.
//!
//! The rank of `A` is below its generic value where all minors of that size vanish. These are
//! split into factors, and what is linear in a coordinate or velocity is solved for it, until
//! each branch is a list of equations that cannot be taken apart. Where `Psi` alone loses rank,
//! only the parameters are bad.

use super::branches::lies_on;
use super::components::Component;
use super::zero_set::{
    Conditions, Known, TOO_MANY, Zeros, known, meets, minors, poles_of, smallest, zero_set,
};
use crate::states::real_rows::Signs;
use crate::states::start::start;
use crate::states::status::judge;
use crate::values::prepared::Prepared;
use appell_expr::limits::attempt;
use appell_expr::{
    Ex, Finding, Matrix, Sketch, denominators_of, generic_rank, vanish_on, vanishes,
};
use appell_flow::Measured;
use appell_mech::{Metric, blocks, linear_system, states_on};

/// The determinant of a larger `M` is not formed.
const MAX_COORDINATES: usize = 3;

/// The singular set and the bad charts, in words; or why there are none to show.
pub(crate) struct SingularSet {
    pub real: Result<Vec<String>, String>,
    /// Whether the start is on none of it.
    pub lacks_start: bool,
    pub chart: Vec<String>,
}

/// Looks at the minors of `A`, of `Psi` and of `M`.
pub(crate) fn singular_set<'g>(p: &Prepared<'g>) -> SingularSet {
    let real = of_rows(p);
    let charts = [of_parameters(p), of_coordinates(p)].concat();
    let chart = charts.iter().map(words).collect();
    let on_start = |branch: &Conditions<'g>| start(p).is_ok_and(|start| lies_on(p, &start, branch));
    let lacks_start = !real
        .as_ref()
        .is_ok_and(|branches| branches.iter().any(on_start));
    SingularSet {
        lacks_start,
        real: real.map(|branches| branches.iter().map(words).collect()),
        chart,
    }
}

/// Whether the rows are proved to keep their rank at every state that they allow.
pub(crate) fn is_nowhere_singular(p: &Prepared<'_>) -> bool {
    p.constraints.ideal
        && matches!(p.system.metric, Metric::Definite)
        && !p.may_be_indefinite()
        && attempt(|| zeros(p)).is_ok_and(|found| found.is_ok_and(|set| set.is_empty()))
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
    let (t, end) = motion.last()?;
    // That the rank drops at the end is known: there whole components need not be told from what lies on them.
    let branches = conditions_of(zeros(p).ok()?);
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
    meets(p, &vec![x], &known(p).all())
}

/// Where the rows may be singular, whole components of lower rank among it: what is quickly found.
fn zeros<'g>(p: &Prepared<'g>) -> Result<Vec<Zeros<'g>>, String> {
    Ok([zeros_of_minors(p)?, of_derivatives(p)?].concat())
}

fn of_rows<'g>(p: &Prepared<'g>) -> Result<Vec<Conditions<'g>>, String> {
    let found = smallest([of_minors(p)?, of_derivatives(p)?].concat());
    Ok(conditions_of(found))
}

/// Where rows have a value, and their derivatives have none: `x'^2 + y'^2 = 0` of `z' = sqrt(x'^2 + y'^2)`.
fn of_derivatives<'g>(p: &Prepared<'g>) -> Result<Vec<Zeros<'g>>, String> {
    let signs = Signs::new(p);
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
    let all = known.all();
    let unknowns = unknowns(p);
    let mut branches = Vec::new();
    for base in bases {
        branches.extend(zero_set(p, vec![base], known.clone(), &unknowns)?);
    }
    branches.retain(|branch| meets(p, &branch.conditions, &all));
    Ok(branches)
}

/// Where the minors vanish, and the rows hold: on components of lower rank too.
fn zeros_of_minors<'g>(p: &Prepared<'g>) -> Result<Vec<Zeros<'g>>, String> {
    let (system, constraints) = (&p.system, &p.constraints);
    let known = known(p);
    let rows = [known.rows.as_slice(), &known.rates].concat();
    if rows.len() < constraints.k() {
        return Err("a row is given on accelerations".to_owned());
    }
    let unknowns = unknowns(p);
    if let Some(all) = without_rows(p, || has_full_rank(p, &rows)) {
        let size = system.n() + constraints.k();
        let minors = minors(&all, size).ok_or("the equations of motion are too many to show")?;
        return zero_set(p, minors, Known::default(), &unknowns);
    }
    let rank = rank(p, &rows).ok_or("no random point of the constraints was found")?;
    if rank == 0 {
        return Ok(Vec::new());
    }
    let minors = minors(&constraints.a, rank).ok_or(TOO_MANY)?;
    let all = known.all();
    let mut branches = zero_set(p, minors, known, &unknowns)?;
    branches.retain(|branch| meets(p, &branch.conditions, &all));
    Ok(branches)
}

/// Where the rank of `A` is lower than nearby.
fn of_minors<'g>(p: &Prepared<'g>) -> Result<Vec<Zeros<'g>>, String> {
    let (mut components, mut branches) = (Vec::new(), Vec::new());
    for branch in zeros_of_minors(p)? {
        match Component::on(p, &branch) {
            Some(component) => components.push(component),
            None => branches.push(branch),
        }
    }
    // What lies on a component is singular where the rank is lower than almost everywhere on it.
    let is_within = |branch: &Zeros<'g>| components.iter().any(|x| x.contains(branch));
    branches.retain(|branch| !is_within(branch));
    let (known, unknowns) = (known(p), unknowns(p));
    let all = known.all();
    for component in components {
        for zeros in component.singular_where()? {
            let found = zero_set(p, zeros, known.clone(), &unknowns)?.into_iter();
            branches.extend(found.filter(|branch| meets(p, &branch.conditions, &all)));
        }
    }
    Ok(branches)
}

/// What branches of the states are solved for.
fn unknowns<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    [p.system.v.as_slice(), &p.system.q, &[p.system.t]].concat()
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

/// The generic rank of `A` on the rows, which is no smaller than about the start.
fn rank<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<usize> {
    let locus = states_on(&p.system, &p.constraints, rows, &[]);
    let order: Vec<usize> = (0..p.system.n()).collect();
    let found = generic_rank(&locus, &p.constraints.a, &order)?.rank;
    // Random points need not meet the component of the start.
    let judged = start(p).ok().filter(|_| found < p.constraints.k());
    let judged = judged.map(|start| judge(p, start.t, &start.q, &start.v, start.z.as_deref()));
    let about_start = judged.and_then(|judged| judged.generic_rank);
    Some(found.max(about_start.unwrap_or(0)))
}

fn has_full_rank<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> bool {
    rank(p, rows) == Some(p.constraints.k())
}

fn conditions_of(branches: Vec<Zeros<'_>>) -> Vec<Conditions<'_>> {
    branches
        .into_iter()
        .map(|branch| branch.conditions)
        .collect()
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
    let zeros = zero_set(p, minors, Known::default(), &unknowns).unwrap_or_default();
    let mut branches = conditions_of(zeros);
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
    let unknowns = unknowns(p);
    let is_regular = |minors: &Vec<Ex<'g>>| minors.iter().any(|minor| !vanishes(*minor));
    let of_block = |block: Vec<usize>| -> Vec<Conditions<'g>> {
        let submatrix = system.mass.select_rows(&block).select_columns(&block);
        let varies = submatrix
            .entries()
            .iter()
            .any(|x| x.depends_on_any(&variables));
        let minors =
            (block.len() <= MAX_COORDINATES && varies).then(|| minors(&submatrix, block.len()));
        let zeros = |minors| {
            zero_set(p, minors, Known::default(), &unknowns)
                .ok()
                .map(conditions_of)
        };
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
    conditions_of(zeros.unwrap_or_default())
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
