//! Where an expression changes within a short time: at corners, at jumps, where a narrow function is felt.

use crate::values::narrow::narrow_in;
use crate::values::outputs::switches;
use appell_expr::Ex;
use appell_model::Model;

/// By what an expression of the time and the state may change within a short time: quantities at whose zeros, and where the
/// largest values of which, it has corners or jumps or is felt.
pub fn places_of<'g>(model: &'g Model, x: Ex<'g>) -> [Vec<Ex<'g>>; 2] {
    let mut zeros = switches(model, &model.graph, &[x.id()]);
    let functions = narrow_in(model, x);
    zeros.extend(functions.iter().filter_map(|function| function.zero));
    let tops = functions.iter().filter(|function| function.zero.is_none());
    [zeros, tops.map(|function| function.argument).collect()]
}
