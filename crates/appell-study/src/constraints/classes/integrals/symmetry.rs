//! Symmetries of a form: `1/omega(X)` is an integrating factor where `X` maps the form's leaves to
//! each other (Lie).

use super::forms::{Form, differential};
use super::kernel::States;
use appell_expr::Ex;

/// Fields with more coefficients are not sought.
const MAX_COEFFICIENTS: usize = 60;

/// What the form makes of its symmetries among the fields `Sum (c_i + Sum w_ij x_j) d/dx_i`: the
/// condition `L_X omega ^ omega = 0` is linear in `c` and `w`, and `L_X = i_X d + d i_X`.
pub(super) fn contractions<'g>(
    states: &States<'_, 'g>,
    form: &Form<'g>,
    coordinates: &[Ex<'g>],
) -> Vec<Ex<'g>> {
    let graph = states.p.system.graph;
    let width = coordinates.len();
    if width * (width + 1) > MAX_COEFFICIENTS {
        return Vec::new();
    }
    let [u, w] = ["u", "w"].map(|name| direction(graph, name, width));
    let (on_u, on_w) = (dot(form, &u), dot(form, &w));
    let mut values = Vec::new();
    let mut columns = Vec::new();
    let scales: Vec<Ex<'g>> = [graph.one()].iter().chain(coordinates).copied().collect();
    for scale in scales {
        for i in 0..width {
            let mut field = vec![graph.zero(); width];
            field[i] = scale;
            let value = form[i] * scale;
            let along = |u: &[Ex<'g>]| {
                differential(form, &field, u, coordinates) + dot(&value.partials(coordinates), u)
            };
            columns.push(along(&u) * on_w - along(&w) * on_u);
            values.push(value);
        }
    }
    let extra = [u, w].concat();
    let relations = states.relations(&[], &extra, &columns).into_iter();
    let contraction = |relation: super::kernel::Relation| {
        let terms = relation
            .iter()
            .map(|(place, factor)| values[*place] * factor.written(graph.one(), &states.constants));
        graph.sum(&terms.collect::<Vec<_>>())
    };
    relations
        .map(contraction)
        .filter(|x| !x.is_zero())
        .collect()
}

/// A vector without pattern.
pub(super) fn direction<'g>(
    graph: &'g appell_expr::Graph,
    name: &str,
    width: usize,
) -> Vec<Ex<'g>> {
    let names = (0..width).map(|i| format!("{name}#{i}"));
    names.map(|name| graph.symbol(&name)).collect()
}

/// `Sum x_i y_i`.
pub(super) fn dot<'g>(x: &[Ex<'g>], y: &[Ex<'g>]) -> Ex<'g> {
    let products = x.iter().zip(y).map(|(x, y)| *x * *y);
    x[0].graph().sum(&products.collect::<Vec<_>>())
}
