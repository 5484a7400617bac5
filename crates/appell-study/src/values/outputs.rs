//! The expressions of a file as further outputs of its equations, by name.

use appell_expr::Id;
use appell_mech::Equations;
use appell_model::{ClaimKind, Model, Value};

/// The output of a claim.
pub(crate) fn claim_output(index: usize) -> String {
    format!("claim {index}")
}

/// The conditions under which a claim is made.
pub(crate) fn domain_output(index: usize) -> String {
    format!("domain {index}")
}

/// The quantity of a stop condition.
pub(crate) fn stop_output(index: usize) -> String {
    format!("stop {index}")
}

/// Abscissa and ordinate of a curve.
pub(crate) fn plot_output(plot: usize, curve: usize) -> String {
    format!("plot {plot} {curve}")
}

/// The coordinates of a drawn thing.
pub fn drawn_output(index: usize) -> String {
    format!("drawn {index}")
}

/// Adds the expressions of claims, stops, plots and of what is drawn to the outputs.
pub(crate) fn write_outputs(model: &Model, equations: &mut Equations<'_>) {
    let graph = equations.sketch.graph();
    let mut write = |name: String, ids: &[Id]| equations.sketch.output_list(&name, &graph.exs(ids));
    for (index, claim) in model.claims.iter().enumerate() {
        match &claim.kind {
            ClaimKind::Constant(x) => write(claim_output(index), &[*x]),
            ClaimKind::Equation(rows) => write(claim_output(index), rows),
            ClaimKind::Always(condition) => write(claim_output(index), &[condition.difference]),
            ClaimKind::Class(_) | ClaimKind::SingularAt(_) | ClaimKind::Equivalent(_) => {}
        }
        let domain: Vec<Id> = claim.domain.iter().map(|c| c.difference).collect();
        write(domain_output(index), &domain);
    }
    for (index, stop) in model.simulate.stop.iter().enumerate() {
        write(stop_output(index), &[stop.difference]);
    }
    for (i, plot) in model.plots.iter().enumerate() {
        for (j, (_, y)) in plot.y.iter().enumerate() {
            write(plot_output(i, j), &[plot.x.1, *y]);
        }
    }
    for (index, ids) in drawn(model).iter().enumerate() {
        write(drawn_output(index), ids);
    }
}

/// The vectors that a scene needs, as lists of components, in the order in which `scene` of the page reads them:
/// the centre of each body with its axes, then trails, arrows and shapes of the file.
pub fn drawn(model: &Model) -> Vec<Vec<Id>> {
    let bodies = model.bodies.iter().map(|body| {
        let axes = body.rotation.iter().flat_map(|rotation| rotation.axes);
        [body.position].into_iter().chain(axes).flatten().collect()
    });
    let Some(animation) = &model.animation else {
        return bodies.collect();
    };
    let trails = animation.trail.iter().map(|(_, at)| at.to_vec());
    let arrows = animation
        .arrows
        .iter()
        .map(|arrow| [arrow.at, arrow.vector].concat());
    let shapes = animation.shapes.iter().map(|shape| {
        let values = shape.values.iter().flat_map(|(_, value)| ids(value));
        values
            .chain(shape.axes.into_iter().flatten().flatten())
            .collect()
    });
    bodies.chain(trails).chain(arrows).chain(shapes).collect()
}

/// The components of a value.
pub fn ids(value: &Value) -> Vec<Id> {
    match value {
        Value::Scalar(x) => vec![*x],
        Value::Vector(vector) => vector.to_vec(),
    }
}
