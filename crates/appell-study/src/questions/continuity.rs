//! Where a function of the motion may jump: it keeps a constant value only between such places.
//!
//! What a function depends on is looked at as it is written, before anything cancels: the energies
//! behind `E`, and for accelerations and reactions the masses, forces and rows that determine them.

use crate::states::scattered_states::scattered_state;
use crate::values::prepared::Prepared;
use appell_expr::{
    Ex, Function, Id, Known, Matrix, Node, Printer, Sketch, Style, denominators_of, has_sign, jumps,
};
use appell_flow::{Field, Interpreter, Measured};
use appell_mech::{Carrier, Equations, output};
use appell_model::Quantity;

/// Zeros of a denominator near which accelerations are looked at.
const ZEROS: u32 = 3;
/// Steps of the search for a zero; at a double zero each halves the distance.
const STEPS: usize = 80;
/// Distances from a zero.
const NEAR: [f64; 3] = [1e-2, 1e-4, 1e-6];
/// A pole grows at least so much from one distance to the next.
const GROWTH: f64 = 3.0;
/// A number below this part of its terms is rounding.
const ROUNDING: f64 = 1e-5;
const DENOMINATOR: &str = "denominator and its slopes";

/// The parts at which the value of `x` may jump along a motion, as text, where some expressions are
/// `positive` and others are `still`: they keep their values.
pub(crate) fn jumps_along<'g>(
    p: &Prepared<'g>,
    form: Option<&Equations<'g>>,
    x: Ex<'g>,
    positive: &[Ex<'g>],
    still: &[Ex<'g>],
) -> Vec<String> {
    let mut parts = vec![x];
    parts.extend(as_written(p, x, &quantities_of(p, x)));
    parts.extend(jumping_energy(p));
    if !is_of_place(p, x) {
        parts.extend(jumping_rows(p));
    }
    let found = jumps_of(p, form, &parts, (positive, still));
    match found.is_empty() && has_nonsmooth_rows(p) {
        true => poles_of(x),
        false => found,
    }
}

/// Whether some row has corners: beyond one the motion is another function of the time, and a quotient that is constant
/// before a pole may have another value after it, as `y'/x'` has where `y' = abs(x')`.
fn has_nonsmooth_rows(p: &Prepared<'_>) -> bool {
    let graph = p.system.graph;
    // Other roots end the motion where they have no value, or at rest.
    let is_square = |id: &Id| match graph.node(*id) {
        Node::Product(factors) => factors
            .iter()
            .all(|(_, e)| e.to_i64().is_some_and(|e| e % 2 == 0)),
        _ => false,
    };
    let is_bent = |id| match graph.node(id) {
        Node::Call(f, _) => !f.is_smooth() || f == Function::Sign,
        Node::Product(factors) => {
            let mut roots = factors.iter().filter(|(_, e)| !e.is_integer());
            roots.any(|(base, _)| is_square(base))
        }
        _ => false,
    };
    let rows = p.constraints.rows.iter().filter_map(|row| row.phi);
    let rows: Vec<_> = rows.map(|phi| phi.id()).collect();
    graph.reachable(&rows).into_iter().any(is_bent)
}

/// The poles of a function, as text.
fn poles_of(x: Ex<'_>) -> Vec<String> {
    let mut printer = Printer::new(x.graph(), Style::Text);
    let poles = denominators_of(x).into_iter().map(|base| base.pow(-1));
    poles.map(|pole| printer.print(pole)).collect()
}

/// The parts at which something may jump along a motion whose rate `x` speaks of, as `E` of `E'`: there it has no rate.
pub(crate) fn jumps_of_rates<'g>(
    p: &Prepared<'g>,
    form: Option<&Equations<'g>>,
    x: Ex<'g>,
    positive: &[Ex<'g>],
) -> Vec<String> {
    let of = quantities_of(p, x).into_iter();
    let of: Vec<&Quantity> = of
        .filter_map(|quantity| match quantity {
            Quantity::Rate(of) => Some(&**of),
            _ => None,
        })
        .collect();
    if of.is_empty() {
        return Vec::new();
    }
    let mut parts = as_written(p, p.system.graph.zero(), &of);
    parts.extend(jumping_energy(p));
    parts.extend(jumping_rows(p));
    jumps_of(p, form, &parts, (positive, &[]))
}

/// Those of the parts at which these may jump, as text.
fn jumps_of<'g>(
    p: &Prepared<'g>,
    form: Option<&Equations<'g>>,
    parts: &[Ex<'g>],
    (positive, still): (&[Ex<'g>], &[Ex<'g>]),
) -> Vec<String> {
    let graph = p.system.graph;
    let parameters = p.model.parameters.iter().map(|q| graph.ex(q.symbol));
    let mut known = Known {
        positive: [signed_parameters(p).as_slice(), positive].concat(),
        constant: parameters.chain(still.iter().copied()).collect(),
        finite: Vec::new(),
    };
    if named(parts, &known).is_empty() {
        return Vec::new();
    }
    let mut below: Vec<Ex<'g>> = Vec::new();
    for base in parts.iter().flat_map(|part| denominators_of(*part)) {
        if !below.contains(&base) {
            below.push(base);
        }
    }
    below.retain(|base| {
        bounds_masses(p, *base) || form.is_some_and(|form| ends_motions(p, form, *base))
    });
    known.finite = below.into_iter().map(|base| base.pow(-1)).collect();
    let mut printer = Printer::new(graph, Style::Text);
    named(parts, &known)
        .into_iter()
        .map(|part| printer.print(part))
        .collect()
}

/// What is positive of the parameters at their values in force: along a motion they stay so.
fn signed_parameters<'g>(p: &Prepared<'g>) -> Vec<Ex<'g>> {
    let symbols = p
        .model
        .constants()
        .map(|parameter| p.system.graph.ex(parameter.symbol));
    let symbols: Vec<Ex<'g>> = symbols.collect();
    let field = p.functions_of(&symbols);
    let values = field.results(f64::NAN, &vec![f64::NAN; field.inputs()]);
    let signed = symbols.iter().zip(values.unwrap_or_default());
    let signed = signed.filter(|(_, value)| *value != 0.0 && !value.is_nan());
    signed
        .map(|(symbol, value)| if value > 0.0 { *symbol } else { -*symbol })
        .collect()
}

/// The Lagrangian where `sign` is in it: at its steps velocities jump, by no equation of motion.
fn jumping_energy<'g>(p: &Prepared<'g>) -> Option<Ex<'g>> {
    Some(p.system.lagrangian).filter(|energy| has_sign(*energy))
}

/// Rows `phi(q, v, t) = 0` with `sign` in them: where they jump, velocities have to, by no equation of motion.
fn jumping_rows<'g>(p: &Prepared<'g>) -> impl Iterator<Item = Ex<'g>> {
    let rows = p.constraints.rows.iter().filter_map(|row| row.phi);
    rows.filter(|phi| has_sign(*phi))
}

/// Whether it is a function of the time, the coordinates and parameters, which no jump of velocities changes.
fn is_of_place(p: &Prepared<'_>, x: Ex<'_>) -> bool {
    is_of_state(p, x) && !p.system.v.iter().any(|v| x.depends_on(*v))
}

fn named<'g>(parts: &[Ex<'g>], known: &Known<'g>) -> Vec<Ex<'g>> {
    let mut found = Vec::new();
    for part in parts.iter().flat_map(|part| jumps(*part, known)) {
        if !found.contains(&part) {
            found.push(part);
        }
    }
    found
}

/// The results of the motion that an expression speaks of.
fn quantities_of<'p, 'g>(p: &'p Prepared<'g>, x: Ex<'g>) -> Vec<&'p Quantity> {
    let quantities = p.model.quantities.iter();
    quantities
        .filter(|(_, symbol)| x.depends_on(p.system.graph.ex(*symbol)))
        .map(|(quantity, _)| quantity)
        .collect()
}

/// What these results of the motion, and the accelerations in an expression, are made of.
fn as_written<'g>(p: &Prepared<'g>, x: Ex<'g>, quantities: &[&Quantity]) -> Vec<Ex<'g>> {
    let (system, graph) = (&p.system, p.system.graph);
    let mut parts = Vec::new();
    if quantities.iter().any(|quantity| is_of_energy(quantity)) {
        let written = [p.model.kinetic, p.model.potential].into_iter().flatten();
        parts.extend(written.map(|id| graph.ex(id)));
        parts.extend([system.energy, system.lagrangian]);
    }
    let is_moved = system.a.iter().any(|a| x.depends_on(*a));
    if is_moved
        || quantities
            .iter()
            .any(|quantity| **quantity != Quantity::Energy)
    {
        let constraints = &p.constraints;
        parts.extend(p.matrices().into_iter().flat_map(Matrix::entries).copied());
        parts.extend(constraints.rows.iter().filter_map(|row| row.phi));
        let psi = constraints.parametric.iter();
        parts.extend(psi.flat_map(|psi| psi.psi.entries().iter().copied()));
    }
    parts
}

fn is_of_energy(quantity: &Quantity) -> bool {
    use Quantity::{Energy, EnergyStar, KineticStar, LagrangianStar, Partial, Rate};
    match quantity {
        Energy | EnergyStar | LagrangianStar | KineticStar => true,
        Rate(of) | Partial(of, _) => is_of_energy(of),
        _ => false,
    }
}

/// Whether accelerations grow without bound wherever `base` goes to 0, so that no motion crosses it.
/// Looked at in numbers near a few of its zeros; in doubt no.
fn ends_motions<'g>(p: &Prepared<'g>, form: &Equations<'g>, base: Ex<'g>) -> bool {
    let state = [p.system.q.as_slice(), &p.system.v].concat();
    if form.carrier != Carrier::Velocities || !is_of_state(p, base) {
        return false;
    }
    let mut sketch = form.sketch.clone();
    let slopes: Vec<Ex<'g>> = state.iter().map(|s| base.diff(*s)).collect();
    sketch.output_list(DENOMINATOR, &[vec![base], slopes].concat());
    let accel = p.compile(&form.sketch, &[output::ACCEL]);
    let base = p.compile(&sketch, &[DENOMINATOR]);
    let zeros = (0..4 * ZEROS).filter_map(|sample| {
        let (t, q, v) = scattered_state(p, sample);
        let zero = zero_near(&base, t, [q, v].concat())?;
        Some((sample, t, zero))
    });
    let zeros: Vec<_> = zeros.take(usize::try_from(ZEROS).unwrap_or(0)).collect();
    let bad = |(sample, t, zero): &(u32, f64, Vec<f64>)| grows(p, &accel, *sample, *t, zero);
    !zeros.is_empty() && zeros.iter().all(bad)
}

/// Whether `M` has no value where `base` is 0, nor the equations of motion on the other side, where it is negative: the
/// speed of light in `1/sqrt(1 - v^2/c^2)`, the edge of a chart by `z = sqrt(1 - x^2 - y^2)`. No motion gets beyond.
fn bounds_masses<'g>(p: &Prepared<'g>, base: Ex<'g>) -> bool {
    let (graph, system) = (p.system.graph, &p.system);
    let mass = system.mass.entries();
    let below = mass.iter().flat_map(|x| denominators_of(*x));
    if !below.into_iter().any(|denominator| denominator == base) {
        return false;
    }
    let all = mass.iter().chain(system.right.entries());
    let roots: Vec<_> = all.chain([&system.lagrangian]).map(|x| x.id()).collect();
    let is_root = |id| match graph.node(id) {
        Node::Product(factors) => factors
            .iter()
            .any(|(x, e)| *x == base.id() && !e.is_integer()),
        _ => false,
    };
    if !graph.reachable(&roots).into_iter().any(is_root) {
        return false;
    }
    let mut sketch = Sketch::new(graph);
    let state = [system.q.as_slice(), &system.v].concat();
    let slopes: Vec<Ex<'g>> = state.iter().map(|s| base.diff(*s)).collect();
    sketch.output_list(DENOMINATOR, &[vec![base], slopes].concat());
    let base = p.compile(&sketch, &[DENOMINATOR]);
    let crosses = |sample: u32| {
        let (t, q, v) = scattered_state(p, sample);
        let zero = zero_near(&base, t, [q, v].concat())?;
        let values = base.measured(t, &zero).ok()?;
        let (value, slopes) = values.split_first()?;
        // So far that the value falls by a part of its terms, whatever the units.
        let steepness: f64 = slopes.iter().map(|x| x.value * x.value).sum();
        let far = NEAR[1] * value.size / steepness;
        let beyond = zero
            .iter()
            .zip(slopes)
            .map(|(x, slope)| x - far * slope.value);
        let beyond = base.results(t, &beyond.collect::<Vec<_>>()).ok()?;
        Some(beyond[0] < 0.0)
    };
    let all: Vec<bool> = (0..4 * ZEROS).filter_map(crosses).collect();
    !all.is_empty() && all.iter().all(|crosses| *crosses)
}

/// Whether it is a function of the time, the coordinates, the velocities and parameters.
fn is_of_state(p: &Prepared<'_>, x: Ex<'_>) -> bool {
    let graph = p.system.graph;
    let parameters = p.model.parameters.iter().map(|q| graph.ex(q.symbol).id());
    let state = [p.system.t].into_iter().chain(p.system.q.iter().copied());
    let state = state.chain(p.system.v.iter().copied()).map(|s| s.id());
    let known: Vec<_> = state.chain(parameters).collect();
    x.symbols().iter().all(|s| known.contains(&s.id()))
}

/// A zero by steps along the slope.
fn zero_near(base: &Interpreter, t: f64, mut w: Vec<f64>) -> Option<Vec<f64>> {
    // Of what size its terms are where the search begins.
    let size = base.measured(t, &w).ok()?.first()?.size;
    for _ in 0..STEPS {
        let values = base.results(t, &w).ok()?;
        let (value, slopes) = values.split_first()?;
        if value.abs() <= 1e-24 * size {
            return Some(w);
        }
        let steepness: f64 = slopes.iter().map(|x| x * x).sum();
        if steepness == 0.0 || !steepness.is_finite() {
            return None;
        }
        for (x, slope) in w.iter_mut().zip(slopes) {
            *x -= value * slope / steepness;
        }
    }
    let value = base.results(t, &w).ok()?[0];
    (value.abs() <= 1e-12 * size).then_some(w)
}

/// Whether an acceleration grows on the way to a zero, from two sides: what it changes by from one distance to the
/// next, so that others, which stay as they are there, do not hide it.
fn grows(p: &Prepared<'_>, accel: &Interpreter, sample: u32, t: f64, zero: &[f64]) -> bool {
    let (_, q, v) = scattered_state(p, sample + 101);
    let way = [q, v].concat();
    [1.0, -1.0].iter().all(|side| {
        let at = |far: &f64| {
            let moved = zero.iter().zip(&way).map(|(x, d)| x + side * far * d);
            accel.measured(t, &moved.collect::<Vec<_>>()).ok()
        };
        let values: Option<Vec<Vec<Measured>>> = NEAR.iter().map(at).collect();
        let Some(values) = values else { return false };
        let changes = |i: usize| -> Vec<f64> {
            let pairs = values.windows(2).map(|pair| (pair[0][i], pair[1][i]));
            let certain = |(x, y): (Measured, Measured)| {
                let change = (y.value - x.value).abs();
                if change > ROUNDING * y.size {
                    change
                } else {
                    0.0
                }
            };
            pairs.map(certain).collect()
        };
        let grows = |i: usize| {
            let changes = changes(i);
            changes.last().is_some_and(|last| *last > 0.0)
                && changes.windows(2).all(|pair| pair[1] > GROWTH * pair[0])
        };
        (0..p.system.n()).any(grows)
    })
}
