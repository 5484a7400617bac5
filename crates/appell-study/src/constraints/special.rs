//! Parameters whose values are special: with them the constraints or `M` are of another kind than with
//! values close by, as two rows that coincide for one angle only.
//!
//! What is asked of a model in general (classes, growth, proofs, integrals) is asked with parameters
//! free. Where that is another model than the file's, the special values are put in first, exactly, and
//! [`Prepared::exact`] is the one place where that is decided.

use crate::constraints::classes::cones::degree;
use crate::states::charts::well_conditioned_chart;
use crate::values::exact_values::{Values, closed, closed_values, parameter_values};
use crate::values::found::SpecialParameters;
use crate::values::prepared::Prepared;
use crate::values::stationary::needs_time_of;
use crate::values::vanishing::vanishing_constants;
use appell_expr::{Ex, Matrix, generic_rank, is_free_of, vanishes};
use appell_mech::{
    Constraints, Metric, System, forms, growth_of_affine_rows, is_affine, solved, states_on,
};
use std::collections::HashSet;

/// Iterated brackets of longer rows cost more than their other traits together, and are not compared.
const MAX_NODES: usize = 200;

/// What a model is like, by name: numbers that special values of parameters change.
type Traits = Vec<(String, Option<String>)>;

/// The parameters with special values, and what these change; nothing if none is special.
pub(crate) struct Special<'g> {
    pub values: Values<'g>,
    pub why: Vec<String>,
}

/// Looks whether the values in force are special, and for the fewest parameters that make them so: in one of the
/// threads that look at the same model.
pub(crate) fn special<'g>(p: &Prepared<'g>) -> Option<Special<'g>> {
    let (values, definitions) = parameter_values(p);
    let choice = p.found.choice.get_or_init(|| {
        let found = chosen(p, &values, &definitions);
        let (places, why) = match found {
            Some((places, why)) => (Some(places), why),
            None => (None, Vec::new()),
        };
        let growth = active_phis(&p.constraints).and_then(|phis| p.kept.known_growth(&phis));
        SpecialParameters {
            places,
            why,
            growth,
        }
    });
    if let (Some(growth), Some(phis)) = (&choice.growth, active_phis(&p.constraints)) {
        p.kept.growth(&phis, || growth.clone());
    }
    let [kept, defined] = choice.places.as_ref()?;
    let pick = |all: &Values<'g>, places: &[usize]| -> Values<'g> {
        places.iter().map(|place| all[*place]).collect()
    };
    Some(Special {
        values: closed(&pick(&values, kept), &pick(&definitions, defined)),
        why: choice.why.clone(),
    })
}

/// The places of special values among those of their own and among definitions, and what they change; nothing if
/// none is special.
fn chosen<'g>(
    p: &Prepared<'g>,
    values: &Values<'g>,
    definitions: &Values<'g>,
) -> Option<([Vec<usize>; 2], Vec<String>)> {
    let (system, constraints) = (&p.system, &p.constraints);
    if involved(p).is_empty() {
        return None;
    }
    let generic = traits(p, system, constraints);
    // The points have these values; only the rows themselves are read with them.
    let with = |[kept, defined]: [&[usize]; 2]| {
        let pick = |all: &Values<'g>, places: &[usize]| -> Values<'g> {
            places.iter().map(|place| all[*place]).collect()
        };
        let fixed = closed(&pick(values, kept), &pick(definitions, defined));
        let system = System {
            fixed,
            ..system.clone()
        };
        traits(p, &system, constraints)
    };
    let mut kept: Vec<usize> = (0..values.len()).collect();
    let mut defined: Vec<usize> = (0..definitions.len()).collect();
    let here = with([&kept, &defined]);
    let why = differences(&generic, &here);
    if why.is_empty() {
        return None;
    }
    // Parameters are set free one by one, as long as the model stays what it is here.
    for place in kept.clone() {
        let fewer: Vec<usize> = kept
            .iter()
            .filter(|other| **other != place)
            .copied()
            .collect();
        if differences(&with([&fewer, &defined]), &here).is_empty() {
            kept = fewer;
        }
    }
    for place in defined.clone() {
        let fewer: Vec<usize> = defined
            .iter()
            .filter(|other| **other != place)
            .copied()
            .collect();
        if differences(&with([&kept, &fewer]), &here).is_empty() {
            defined = fewer;
        }
    }
    Some(([kept, defined], why))
}

/// The active rows, unless one is given on accelerations.
fn active_phis<'g>(constraints: &Constraints<'g>) -> Option<Vec<Ex<'g>>> {
    let active = constraints.active();
    active.map(|row| row.phi).collect()
}

/// The parameters that the rows speak of, or `M` where it is singular.
pub(crate) fn involved<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
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
    let parameters = p.model.constants();
    let parameters = parameters.map(|q| p.system.graph.ex(q.symbol));
    let roots: Vec<_> = xs.iter().map(|x| x.id()).collect();
    let made_of: HashSet<_> = p.system.graph.reachable(&roots).into_iter().collect();
    parameters.filter(|x| made_of.contains(&x.id())).collect()
}

/// In words, which traits the second model has and the first has not. What is known of one only tells
/// nothing.
fn differences(generic: &Traits, here: &Traits) -> Vec<String> {
    let pairs = here.iter().filter_map(|(name, value)| {
        let other = &generic.iter().find(|(other, _)| other == name)?.1;
        let (value, other) = (value.as_ref()?, other.as_ref()?);
        (value != other).then(|| format!("{name} is {value} here, {other} in general"))
    });
    pairs.collect()
}

fn traits<'g>(p: &Prepared<'g>, system: &System<'g>, constraints: &Constraints<'g>) -> Traits {
    let mut traits: Traits = Vec::new();
    let mut add = |name: String, value: Option<String>| traits.push((name, value));
    // The sine of a parameter and that of its value are numbers of their own to random points.
    let with_values = (!system.fixed.is_empty()).then(|| constraints.with_values_of(system));
    let evaluated = with_values.as_ref().unwrap_or(constraints);
    let active = evaluated.active();
    let phis: Option<Vec<Ex<'g>>> = active.map(|row| row.phi).collect();
    let order: Vec<usize> = (0..2 * system.n() + 1).collect();
    let rank = |rows: &[Ex<'g>], matrix: &Matrix<'g>| {
        let locus = states_on(system, evaluated, rows, &[]);
        let found = generic_rank(&locus, matrix, &order[..matrix.columns()])?;
        Some(found.rank.to_string())
    };
    if system.metric == Metric::Singular {
        add(
            "the rank of M".to_owned(),
            rank(&[], &system.mass.substitute(&system.fixed)),
        );
    }
    for row in &evaluated.rows {
        let kind = row.phi.map(|phi| kind(p, system, phi));
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
    add("the rank of A".to_owned(), rank(on, &evaluated.a));
    add(
        "the rank of [A|B]".to_owned(),
        rank(&phis, &evaluated.a.beside(&evaluated.b)),
    );
    traits.extend(of_curved_rows(system, evaluated, (&phis, &curved), &rank));
    traits.extend(each_alone(p, system, [constraints, evaluated]));
    let mut add = |name: String, value: Option<String>| traits.push((name, value));
    if on.is_empty() && !phis.is_empty() && is_short(system, &phis) {
        add(
            "growth".to_owned(),
            growth_in_words(p, system, evaluated, &phis),
        );
    }
    traits
}

/// The ranks of second derivatives of curved rows, by a function for the rank of a matrix where some rows hold.
fn of_curved_rows<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    (phis, curved): (&[Ex<'g>], &[Ex<'g>]),
    rank: &dyn Fn(&[Ex<'g>], &Matrix<'g>) -> Option<String>,
) -> Traits {
    let active = constraints.active();
    let rows =
        active.filter_map(|row| Some((&row.name, row.phi.filter(|phi| curved.contains(phi))?)));
    let both = rows.flat_map(|(name, phi)| {
        let name = format!("the rank of the second derivatives of `{name}`");
        // Where a square is left of it there are no regular points on it.
        let along = derivatives_along(system, constraints, phi, phis);
        let along = along.and_then(|second| rank(&[], &second));
        let of_row = rank(&[phi], &bordered(system, phi));
        [(format!("{name} along affine rows"), along), (name, of_row)]
    });
    both.collect()
}

/// The growth of affine rows; classes ask the same where no parameter is special.
fn growth_in_words<'g>(
    p: &Prepared<'g>,
    system: &System<'g>,
    constraints: &Constraints<'g>,
    phis: &[Ex<'g>],
) -> Option<String> {
    let with_time = needs_time_of(system, phis);
    let find = || growth_of_affine_rows(system, constraints, phis, with_time);
    let growth = match system.fixed == p.system.fixed {
        true => p.kept.growth(phis, find),
        false => find(),
    };
    growth.map(|found| format!("{:?}", found.ranks))
}

/// What rows that speak of parameters are, each by itself: of several, one may become another while all together
/// keep their ranks and their growth. Holonomic rows can be integrated whatever the values. With the constraints as
/// they are written, and with the values of the system.
fn each_alone<'g>(
    p: &Prepared<'g>,
    system: &System<'g>,
    [written, with_values]: [&Constraints<'g>; 2],
) -> Traits {
    let mut traits: Traits = Vec::new();
    let parameters = p
        .model
        .constants()
        .map(|parameter| system.graph.ex(parameter.symbol));
    let parameters: Vec<Ex<'g>> = parameters.collect();
    let active = written.active();
    for row in active.filter(|row| row.position.is_none()) {
        let speaks = |phi: &Ex<'g>| {
            parameters
                .iter()
                .any(|parameter| phi.depends_on(*parameter))
        };
        let Some(phi) = row.phi.filter(speaks) else {
            continue;
        };
        let phi = phi.substitute(&system.fixed);
        let is_steady = is_free_of(phi, system.t);
        let change = if is_steady { "none" } else { "explicit" };
        let name = format!("the change of `{}` with the time", row.name);
        traits.push((name, Some(change.to_owned())));
        if is_affine(system, phi) && is_short(system, &[phi]) {
            let growth =
                growth_of_affine_rows(system, with_values, &[phi], needs_time_of(system, &[phi]));
            let name = format!("the growth of `{}` alone", row.name);
            traits.push((name, growth.map(|found| format!("{:?}", found.ranks))));
        }
    }
    traits
}

fn is_short<'g>(system: &System<'g>, rows: &[Ex<'g>]) -> bool {
    let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
    system.graph.reachable(&roots).len() <= MAX_NODES
}

/// What a row is by its shape in the velocities.
fn kind<'g>(p: &Prepared<'g>, system: &System<'g>, phi: Ex<'g>) -> String {
    let graph = system.graph;
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, graph.zero())).collect();
    let straight = is_affine(system, phi);
    match straight {
        _ if vanishes(phi) => "void",
        true if vanishes(phi.substitute(&at_rest)) => "linear",
        true if system.v.iter().all(|v| is_free_of(phi, *v)) => "free of velocities",
        true => "affine",
        false if vanishes(phi.substitute(&at_rest)) => match degree(p, phi) {
            Some(_) => "homogeneous",
            None => "zero at rest",
        },
        false => "not zero at rest",
    }
    .to_owned()
}

/// The second derivatives of a row by the velocities that affine rows leave.
fn derivatives_along<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    phi: Ex<'g>,
    phis: &[Ex<'g>],
) -> Option<Matrix<'g>> {
    let straight: Vec<Ex<'g>> = phis
        .iter()
        .filter(|phi| is_affine(system, **phi))
        .copied()
        .collect();
    let locus = states_on(system, constraints, &[], &[]);
    let order: Vec<usize> = (0..system.n()).collect();
    let by = solved(&locus, &forms(system, &straight), &order, &mut |x| x)?;
    let left = phi.substitute(&by.substitution(&system.v));
    let v = &system.v;
    let second = |i: usize, j: usize| left.diff(v[i]).diff(v[j]);
    Some(Matrix::from_fn(system.graph, v.len(), v.len(), second))
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

impl<'g> Prepared<'g> {
    /// A model made of this one, with its independent velocities where there are as many.
    fn with_chart_of(&self, mut other: Prepared<'g>) -> Prepared<'g> {
        let chart = match other.constraints.k() == self.constraints.k() {
            true => self.constraints.chart.clone(),
            false => well_conditioned_chart(&other),
        };
        other.choose_chart(chart);
        other
    }

    /// The model of which general questions are to be asked: itself, or where the values of parameters
    /// are special, so that ranks or kinds of rows differ from those at values close by, the same with
    /// these values put in exactly. Runs with other values must not use it.
    pub fn exact(&self) -> &Self {
        let found = self.exact.get_or_init(|| {
            let special = special(self)?;
            let prepared = self.with_exact_values(&special.values, special.why);
            Some(Box::new(self.with_chart_of(prepared)))
        });
        found.as_deref().unwrap_or(self)
    }

    /// The model of which numbers are asked at the values in force: itself, or the same without constants that vanish there
    /// exactly. What depends on the values, as derivatives by parameters, must not use it.
    pub fn in_numbers(&self) -> &Self {
        let found = self.rounded.get_or_init(|| {
            let vanishing = vanishing_constants(self);
            let prepared = (!vanishing.is_empty()).then(|| self.without(&vanishing))?;
            Some(Box::new(self.with_chart_of(prepared)))
        });
        found.as_deref().unwrap_or(self)
    }

    /// The model without the parameters that are 0 exactly, if there are any: a friction that is switched off leaves steady
    /// motions, and energies that are constant.
    pub(crate) fn without_zeros(&self) -> Option<Self> {
        let zero = self.system.graph.zero();
        let is_fixed = |symbol: Ex<'g>| self.system.fixed.iter().any(|(fixed, _)| *fixed == symbol);
        let values = closed_values(self).into_iter();
        let zeros = values.filter(|(symbol, value)| value.is_zero() && !is_fixed(*symbol));
        let zeros: Vec<(Ex<'g>, Ex<'g>)> = zeros.map(|(symbol, _)| (symbol, zero)).collect();
        (!zeros.is_empty()).then(|| self.with_chart_of(self.without(&zeros)))
    }

    /// The parameters with special values, with these, as `alpha = 0`; and what they change, in
    /// sentences. Both are empty where parameters may have any values close by.
    pub fn special_parameters(&self) -> (Vec<String>, &[String]) {
        let exact = self.exact();
        let fixed = exact.system.fixed.iter();
        let names = fixed.map(|(symbol, value)| format!("{symbol} = {value}"));
        (names.collect(), &exact.special)
    }
}
