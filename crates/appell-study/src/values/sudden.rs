//! Where an expression changes within a short time: at corners, at jumps, where a narrow function is felt.

use crate::values::narrow::{constants, moves, narrow_in};
use crate::values::outputs::switches;
use appell_expr::{Ex, Function, Id, Node};
use appell_model::Model;

/// More phases are not looked for.
const MAX_PHASES: usize = 64;

/// By what an expression of the time and the state may change within a short time: quantities at whose zeros, and where the
/// largest values of which, it has corners or jumps or is felt.
pub fn places_of<'g>(model: &'g Model, x: Ex<'g>) -> [Vec<Ex<'g>>; 2] {
    let mut zeros = switches(model, &model.graph, &[x.id()]);
    let functions = narrow_in(model, x);
    zeros.extend(functions.iter().filter_map(|function| function.zero));
    let tops = functions.iter().filter(|function| function.zero.is_none());
    [zeros, tops.map(|function| function.argument).collect()]
}

/// What sines, cosines and tangents in an expression are taken of: it may turn as often as one of these grows by a half turn,
/// whatever is seen of it at even times.
pub fn phases_of<'g>(model: &'g Model, x: Ex<'g>) -> Vec<Ex<'g>> {
    let graph = x.graph();
    let constants = constants(model);
    let phase = |id: Id| match graph.node(id) {
        Node::Call(Function::Sin | Function::Cos | Function::Tan, u) => Some(graph.ex(u[0])),
        _ => None,
    };
    let found = graph.reachable(&[x.id()]).into_iter().filter_map(phase);
    let mut found: Vec<Ex<'g>> = found.filter(|u| moves(&constants, *u)).collect();
    found.sort_unstable_by_key(|u| u.id());
    found.dedup_by_key(|u| u.id());
    found.truncate(MAX_PHASES);
    found
}
