//! What follows from the parameters of a unit: parameters that are made of others, and starts that formulas in them give.

use crate::export::formula_of;
use appell_expr::{Ex, Id};
use appell_study::values::prepared::Prepared;

/// What is computed anew when a parameter is set.
pub(super) struct Derived<'g> {
    /// Parameters that are made of others: their places, and what they are in those that are not.
    pub parameters: Vec<(usize, Ex<'g>)>,
    /// Components of the state, `q` then `v`, that the file gives by formulas in parameters.
    pub starts: Vec<(usize, Ex<'g>)>,
    /// Components of the state that the file gives at all, by numbers too.
    pub given: Vec<usize>,
}

/// Finds them all. A parameter that was given another value at the export stands by itself.
pub(super) fn derived<'g>(p: &Prepared<'g>) -> Derived<'g> {
    let graph = p.system.graph;
    let all = &p.model.parameters;
    let symbols: Vec<Ex<'g>> = all.iter().map(|own| graph.ex(own.symbol)).collect();
    let speaks = |x: Ex<'g>| x.symbols().iter().any(|s| symbols.contains(s));
    let values = all.iter().zip(&p.parameters).enumerate();
    let formula =
        |(place, (own, value)): (usize, (&_, &f64))| Some((place, formula_of(p, own, *value)?));
    let mut made: Vec<(usize, Ex<'g>)> = values.filter_map(formula).collect();
    // Values are acyclic: so many rounds end where nothing is left that is made of others.
    for _ in 0..made.len() {
        let by: Vec<_> = made.iter().map(|(i, x)| (symbols[*i], *x)).collect();
        made.iter_mut().for_each(|(_, x)| *x = x.substitute(&by));
    }
    let by: Vec<_> = made.iter().map(|(i, x)| (symbols[*i], *x)).collect();
    let starts = starts(p, &by);
    let given = starts.iter().map(|(place, _)| *place).collect();
    let moved = starts.into_iter().filter(|(_, x)| speaks(*x)).collect();
    Derived {
        parameters: made,
        starts: moved,
        given,
    }
}

/// The least and the largest value of each parameter, where these are numbers; those that depend on other parameters do
/// not go with the unit.
pub(super) fn limits(p: &Prepared<'_>) -> Vec<[Option<f64>; 2]> {
    let number = |id: &Id| {
        let x = p.system.graph.ex(*id);
        x.symbols().is_empty().then(|| p.constant(*id))
    };
    let parameters = p.model.parameters.iter();
    parameters
        .map(|own| {
            [
                own.min.as_ref().and_then(number),
                own.max.as_ref().and_then(number),
            ]
        })
        .collect()
}

/// What equations like `x = 2*l` give, one after the other: `x2 = x1 + l` too, where `x1` is known.
fn starts<'g>(p: &Prepared<'g>, made: &[(Ex<'g>, Ex<'g>)]) -> Vec<(usize, Ex<'g>)> {
    let graph = p.system.graph;
    let state: Vec<Ex<'g>> = [&p.system.q[..], &p.system.v].concat();
    let parameters = p.model.parameters.iter();
    let parameters: Vec<Ex<'g>> = parameters.map(|own| graph.ex(own.symbol)).collect();
    let rows = p.model.initial.state.iter();
    let rows: Vec<Ex<'g>> = rows
        .map(|row| graph.ex(row.difference).substitute(made))
        .collect();
    let mut known: Vec<(Ex<'g>, Ex<'g>)> = Vec::new();
    let mut found = Vec::new();
    for _ in 0..rows.len() {
        for row in &rows {
            let row = row.substitute(&known);
            let mut inside = (0..state.len()).filter(|i| row.depends_on(state[*i]));
            let (Some(i), None) = (inside.next(), inside.next()) else {
                continue;
            };
            let slope = row.diff(state[i]);
            let value = -row.substitute(&[(state[i], graph.int(0))]) / slope;
            let of_parameters = |x: Ex<'g>| x.symbols().iter().all(|s| parameters.contains(s));
            if of_parameters(slope) && of_parameters(value) {
                known.push((state[i], value));
                found.push((i, value));
            }
        }
    }
    found
}
