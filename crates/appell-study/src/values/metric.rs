//! Whether the kinetic energy is definite.

use crate::values::scattered::scattered;
use appell_expr::{Ex, Id, Matrix, Sketch};
use appell_flow::linear::{self, Inertia};
use appell_flow::{Field, Interpreter, Workspace};
use appell_mech::{Metric, System};

/// How many states are looked at, and at each scale.
const STATES: u32 = 12;
/// Sizes of coordinates and times, beyond those of scattered states.
const SCALES: [f64; 6] = [1e-3, 0.1, 10.0, 100.0, 1e4, 1e6];

/// What is known of `M`: looked up at scattered states, since it may depend on them, and at the place where a motion starts.
///
/// One regular state decides: elsewhere `M` may drop in rank, which is a bad chart there.
pub(super) fn generic_metric(system: &System<'_>, mass: &Interpreter) -> Metric {
    let place = varies(system).then(|| place_of_start(system, mass));
    let at_start = place
        .flatten()
        .and_then(|place| inertias(system, mass, &[], Some(place)).pop());
    let mut found = inertias(system, mass, &[1.0], None);
    found.extend(at_start);
    let regular = || found.iter().filter(|inertia| inertia.zero == 0);
    if system.n() > 0 && regular().next().is_none() && !found.is_empty() {
        return Metric::Singular;
    }
    if regular().all(|inertia| inertia.negative == 0) {
        return Metric::Definite;
    }
    match at_start.is_some_and(|inertia| inertia.negative == 0 && inertia.zero == 0) {
        true => Metric::DefiniteAtStart,
        false => Metric::Indefinite,
    }
}

/// Whether `M` has a negative direction at a state of any size.
pub(super) fn may_be_indefinite(system: &System<'_>, mass: &Interpreter) -> bool {
    if !varies(system) {
        return system.metric == Metric::Indefinite;
    }
    let scales = [&[1.0], &SCALES[..]].concat();
    let found = inertias(system, mass, &scales, None);
    found.iter().any(|inertia| inertia.negative > 0)
}

fn varies(system: &System<'_>) -> bool {
    let moving = [&system.q[..], &system.v, &[system.t]].concat();
    let mut entries = system.mass.entries().iter();
    entries.any(|x: &Ex<'_>| x.depends_on_any(&moving))
}

/// The inertia of `M` at scattered states of these scales, and at a time and coordinates, at rest.
fn inertias(
    system: &System<'_>,
    mass: &Interpreter,
    scales: &[f64],
    place: Option<(f64, Vec<f64>)>,
) -> Vec<Inertia> {
    let n = system.n();
    let scattered_at = |scale: f64| {
        (0..STATES).map(move |sample| {
            let numbers = (0..2 * n as u32).map(|i| scale * scattered(sample * 64 + i));
            let t = 0.5 + scattered(7919 + sample).abs();
            (scale * t, numbers.collect::<Vec<f64>>())
        })
    };
    let at_rest = place.map(|(t, q)| (t, [q, vec![0.0; n]].concat()));
    let states = scales.iter().copied().flat_map(scattered_at).chain(at_rest);
    let mut workspace = Workspace::default();
    let mut out = vec![0.0; mass.outputs()];
    let inertia = |(t, y): (f64, Vec<f64>)| {
        let known = mass.eval(&mut workspace, t, &y, &mut out).is_ok();
        let finite = known && out.iter().all(|x| x.is_finite());
        finite.then(|| linear::inertia(n, &out))
    };
    states.filter_map(inertia).collect()
}

/// The time and the coordinates that the file gives for the start one by one, the others 0.
fn place_of_start(system: &System<'_>, mass: &Interpreter) -> Option<(f64, Vec<f64>)> {
    let (model, graph) = (system.model, system.graph);
    let parameters: Vec<Id> = model
        .parameters
        .iter()
        .map(|parameter| parameter.symbol)
        .collect();
    let is_constant = |x: &Ex<'_>| {
        x.symbols()
            .iter()
            .all(|symbol| parameters.contains(&symbol.id()))
    };
    let mut place = vec![graph.ex(model.initial.time)];
    place.extend(system.q.iter().map(|_| graph.zero()));
    for given in &model.initial.state {
        let gap = graph.ex(given.difference);
        for (i, q) in system.q.iter().enumerate() {
            let slope = gap.diff(*q);
            let rest = gap.substitute(&[(*q, graph.zero())]);
            if !slope.is_zero() && is_constant(&slope) && is_constant(&rest) {
                place[1 + i] = -(rest / slope);
            }
        }
    }
    let mut sketch = Sketch::new(graph);
    sketch.output("place", Matrix::column(graph, place));
    let field = Interpreter::new(
        super::prepared::program(system, &sketch, &["place"]),
        mass.parameters().clone(),
    );
    let values = field.results(0.0, &vec![0.0; 2 * system.n()]).ok()?;
    let (t, q) = values.split_first()?;
    Some((*t, q.to_vec()))
}
