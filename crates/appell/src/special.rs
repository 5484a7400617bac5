//! Parameters whose values are special: with them the constraints or `M` are of another kind than with
//! values close by, as two rows that coincide for one angle only.
//!
//! What is asked of a model in general (classes, growth, proofs, integrals) is asked with parameters
//! free. Where that is another model than the file's, the special values are put in first, exactly, and
//! [`Prepared::exact`] is the one place where that is decided.

use crate::prepared::Prepared;
use appell_expr::{Balls, Ex, Matrix, Rational, Sketch, generic_rank, vanishes};
use appell_mech::{Constraints, Metric, System, growth_of_affine_rows, is_affine, states_on};

/// Iterated brackets of longer rows cost more than their other traits together, and are not compared.
const MAX_NODES: usize = 200;

/// Symbols and what they stand for.
type Values<'g> = Vec<(Ex<'g>, Ex<'g>)>;

/// What a model is like, by name: numbers that special values of parameters change.
type Traits = Vec<(String, Option<String>)>;

/// The parameters with special values, and what these change; nothing if none is special.
pub(crate) struct Special<'g> {
    pub values: Values<'g>,
    pub why: Vec<String>,
}

/// Parameters with exact values of their own, and those that the file defines by others, in an order in
/// which they can be computed.
pub(crate) fn parameter_values<'g>(p: &Prepared<'g>) -> (Values<'g>, Values<'g>) {
    let graph = p.system.graph;
    let (mut values, mut open) = (Vec::new(), Vec::new());
    for (parameter, number) in p.model.parameters.iter().zip(&p.parameters) {
        let (symbol, value) = (graph.ex(parameter.symbol), graph.ex(parameter.value));
        let given = p.overridden(&parameter.name);
        match given {
            Some(exact) => values.push((symbol, graph.number(exact))),
            None if value.symbols().is_empty() => values.push((symbol, in_force(value, *number))),
            None => open.push((symbol, value)),
        }
    }
    let mut definitions: Values<'g> = Vec::new();
    // Definitions are acyclic: each round finds one that depends on known ones only.
    while !open.is_empty() {
        let ready = open
            .iter()
            .position(|(_, value)| open.iter().all(|(symbol, _)| !value.depends_on(*symbol)));
        definitions.push(open.remove(ready.unwrap_or(0)));
    }
    (values, definitions)
}

/// The parameters as whole numbers that look random.
pub(crate) fn random_values<'g>(p: &Prepared<'g>, seed: u64) -> Values<'g> {
    let graph = p.system.graph;
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 16).cast_signed()
    };
    let parameters = p.model.parameters.iter();
    parameters
        .map(|parameter| (graph.ex(parameter.symbol), graph.int(next())))
        .collect()
}

/// The file's value, unless another number is in force.
fn in_force<'g>(value: Ex<'g>, number: f64) -> Ex<'g> {
    let mut sketch = Sketch::new(value.graph());
    sketch.output_list("value", &[value]);
    let program = sketch.program(&[], &["value"]).ok();
    let exact = program.and_then(|program| Balls::new(256).run(&program, &[]).ok());
    let same = exact.is_some_and(|x| (x[0].to_f64() - number).abs() <= 1e-14 * number.abs());
    match Rational::from_decimal(&format!("{number:e}")) {
        Some(given) if !same => value.graph().number(given),
        _ => value,
    }
}

/// Every parameter by numbers alone.
pub(crate) fn closed_values<'g>(p: &Prepared<'g>) -> Values<'g> {
    let (values, definitions) = parameter_values(p);
    closed(&values, &definitions)
}

/// Values, and definitions with everything before them put in.
fn closed<'g>(values: &Values<'g>, definitions: &Values<'g>) -> Values<'g> {
    let mut all = values.clone();
    for (symbol, value) in definitions {
        let value = value.substitute(&all);
        all.push((*symbol, value));
    }
    all
}

/// Looks whether the values in force are special, and for the fewest parameters that make them so.
pub(crate) fn special<'g>(p: &Prepared<'g>) -> Option<Special<'g>> {
    let (system, constraints) = (&p.system, &p.constraints);
    let involved = involved(p);
    let (values, definitions) = parameter_values(p);
    if involved.is_empty() {
        return None;
    }
    let generic = traits(system, constraints);
    // The points have these values; only the rows themselves are read with them.
    let with = |values: &Values<'g>| {
        let fixed = values.clone();
        let system = System {
            fixed,
            ..system.clone()
        };
        traits(&system, constraints)
    };
    let here = with(&closed(&values, &definitions));
    let why = differences(&generic, &here);
    if why.is_empty() {
        return None;
    }
    let (mut kept, mut defined) = (values, definitions);
    // Parameters are set free one by one, as long as the model stays what it is here.
    for (symbol, _) in kept.clone() {
        let fewer: Values<'g> = kept.iter().filter(|own| own.0 != symbol).copied().collect();
        if differences(&with(&closed(&fewer, &defined)), &here).is_empty() {
            kept = fewer;
        }
    }
    for (symbol, _) in defined.clone() {
        let fewer: Values<'g> = defined
            .iter()
            .filter(|own| own.0 != symbol)
            .copied()
            .collect();
        if differences(&with(&closed(&kept, &fewer)), &here).is_empty() {
            defined = fewer;
        }
    }
    Some(Special {
        values: closed(&kept, &defined),
        why,
    })
}

/// The parameters that the rows speak of, or `M` where it is singular.
fn involved<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let rows = p.constraints.rows.iter();
    let mut xs: Vec<Ex<'g>> = rows
        .flat_map(|row| {
            row.phi
                .iter()
                .chain(&row.position)
                .copied()
                .chain(row.a.iter().copied())
        })
        .collect();
    if p.system.metric == Metric::Singular {
        xs.extend(p.system.mass.entries());
    }
    let parameters = p
        .model
        .parameters
        .iter()
        .map(|q| p.system.graph.ex(q.symbol));
    let occurs = |x: &Ex<'g>| xs.iter().any(|own| own.depends_on(*x));
    parameters.filter(occurs).collect()
}

/// In words, which traits the second model has and the first has not. What is known of one only tells
/// nothing.
fn differences(generic: &Traits, here: &Traits) -> Vec<String> {
    let pairs = here.iter().filter_map(|(name, own)| {
        let other = &generic.iter().find(|(other, _)| other == name)?.1;
        let (own, other) = (own.as_ref()?, other.as_ref()?);
        (own != other).then(|| format!("{name} is {own} here, {other} in general"))
    });
    pairs.collect()
}

fn traits<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Traits {
    let mut traits: Traits = Vec::new();
    let mut add = |name: String, value: Option<String>| traits.push((name, value));
    let plain = |x: Ex<'g>| x.substitute(&system.fixed);
    let active = constraints.rows.iter().filter(|row| row.is_active());
    let phis: Option<Vec<Ex<'g>>> = active.map(|row| row.phi.map(plain)).collect();
    let order: Vec<usize> = (0..2 * system.n() + 1).collect();
    let rank = |rows: &[Ex<'g>], matrix: &Matrix<'g>| {
        let locus = states_on(system, constraints, rows, &[]);
        let found = generic_rank(&locus, matrix, &order[..matrix.columns()])?;
        Some(found.rank.to_string())
    };
    if system.metric == Metric::Singular {
        add("the rank of M".to_owned(), rank(&[], &system.mass));
    }
    for row in &constraints.rows {
        let kind = row.phi.map(|phi| kind(system, plain(phi)));
        add(format!("`{}`", row.name), kind);
    }
    let Some(phis) = phis else { return traits };
    let curved: Vec<Ex<'g>> = phis
        .iter()
        .filter(|phi| !is_affine(system, **phi))
        .copied()
        .collect();
    let on: &[Ex<'g>] = match curved.is_empty() {
        true => &[],
        false => &phis,
    };
    add("the rank of A".to_owned(), rank(on, &constraints.a));
    let augmented = constraints.a.beside(&constraints.b);
    add("the rank of [A|B]".to_owned(), rank(&phis, &augmented));
    for row in constraints.rows.iter().filter(|row| row.is_active()) {
        let Some(phi) = row.phi.map(plain).filter(|phi| curved.contains(phi)) else {
            continue;
        };
        let name = format!("the rank of the second derivatives of `{}`", row.name);
        add(name, rank(&[phi], &bordered(system, phi)));
    }
    let roots: Vec<_> = phis.iter().map(|phi| phi.id()).collect();
    let short = system.graph.reachable(&roots).len() <= MAX_NODES;
    if on.is_empty() && !phis.is_empty() && short {
        let with_time = crate::classes::integrable::needs_time_of(system, &phis);
        let growth = growth_of_affine_rows(system, constraints, &phis, with_time);
        add(
            "growth".to_owned(),
            growth.map(|found| format!("{:?}", found.ranks)),
        );
    }
    traits
}

/// What a row is by its shape in the velocities.
fn kind<'g>(system: &System<'g>, phi: Ex<'g>) -> String {
    let graph = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, graph.zero())).collect();
    let straight = is_affine(system, phi);
    match straight {
        _ if vanishes(phi) => "void",
        true if vanishes(phi.substitute(&at_rest)) => "linear",
        true if system.v.iter().all(|v| vanishes(phi.diff(*v))) => "free of velocities",
        true => "affine",
        false if vanishes(phi.substitute(&at_rest)) => "zero at rest",
        false => "not zero at rest",
    }
    .to_owned()
}

/// `[phi_vv, phi_v; phi_v, 0]`
fn bordered<'g>(system: &System<'g>, phi: Ex<'g>) -> Matrix<'g> {
    let n = system.n();
    let slopes = phi.partials(&system.v);
    Matrix::from_fn(system.graph, n + 1, n + 1, |i, j| match (i < n, j < n) {
        (true, true) => slopes[i].diff(system.v[j]),
        (true, false) => slopes[i],
        (false, true) => slopes[j],
        (false, false) => system.graph.zero(),
    })
}
