//! What follows from the parameters of a unit: parameters that are made of others, and starts that formulas in them give.

use crate::export::formula_of;
use appell_expr::{Ex, Id, Matrix, Sketch, SolveKind};
use appell_study::states::start::start_rows;
use appell_study::values::prepared::Prepared;

/// What is computed anew when a parameter is set.
pub(super) struct Derived<'g> {
    /// Parameters that are made of others: their places, and what they are in those that are not.
    pub parameters: Vec<(usize, Ex<'g>)>,
    /// Components of the state, `q` then `v`, that the file gives by formulas in parameters.
    pub starts: Vec<(usize, Ex<'g>)>,
    /// Components of the state that the file gives at all, by numbers too.
    pub given: Vec<usize>,
    /// What `[initial]` says of the place, and of the velocities, that gives no component by itself.
    pub joint: [Vec<Ex<'g>>; 2],
}

/// Finds them all. A parameter that was given another value at the export stands by itself.
pub(super) fn derived<'g>(p: &Prepared<'g>) -> Derived<'g> {
    let graph = p.system.graph;
    let all = &p.model.parameters;
    let symbols: Vec<Ex<'g>> = all
        .iter()
        .map(|parameter| graph.ex(parameter.symbol))
        .collect();
    let speaks = |x: Ex<'g>| x.symbols().iter().any(|s| symbols.contains(s));
    let values = all.iter().zip(&p.parameters).enumerate();
    let formula = |(place, (parameter, value)): (usize, (&_, &f64))| {
        Some((place, formula_of(p, parameter, *value)?))
    };
    let mut made: Vec<(usize, Ex<'g>)> = values.filter_map(formula).collect();
    // Values are acyclic: so many rounds end where nothing is left that is made of others.
    for _ in 0..made.len() {
        let by: Vec<_> = made.iter().map(|(i, x)| (symbols[*i], *x)).collect();
        made.iter_mut().for_each(|(_, x)| *x = x.substitute(&by));
    }
    let by: Vec<_> = made.iter().map(|(i, x)| (symbols[*i], *x)).collect();
    let (starts, joint) = starts(p, &by);
    let given = starts.iter().map(|(place, _)| *place).collect();
    let moved = starts.into_iter().filter(|(_, x)| speaks(*x)).collect();
    Derived {
        parameters: made,
        starts: moved,
        given,
        joint,
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
        .map(|parameter| {
            [
                parameter.min.as_ref().and_then(number),
                parameter.max.as_ref().and_then(number),
            ]
        })
        .collect()
}

/// Components of the state with what gives them.
type Starts<'g> = Vec<(usize, Ex<'g>)>;

/// What equations like `x = 2*l` give, each by itself, and the other equations: those of the place and of the velocities.
fn starts<'g>(p: &Prepared<'g>, made: &[(Ex<'g>, Ex<'g>)]) -> (Starts<'g>, [Vec<Ex<'g>>; 2]) {
    let graph = p.system.graph;
    let state: Vec<Ex<'g>> = [&p.system.q[..], &p.system.v].concat();
    let parameters = p.model.parameters.iter();
    let parameters: Vec<Ex<'g>> = parameters
        .map(|parameter| graph.ex(parameter.symbol))
        .collect();
    let of_parameters = |x: Ex<'g>| x.symbols().iter().all(|s| parameters.contains(s));
    let mut found: Starts<'g> = Vec::new();
    let mut gives = |row: Ex<'g>| {
        let mut inside = (0..state.len()).filter(|i| row.depends_on(state[*i]));
        let (Some(i), None) = (inside.next(), inside.next()) else {
            return false;
        };
        let slope = row.diff(state[i]);
        let value = -row.substitute(&[(state[i], graph.int(0))]) / slope;
        let is_first = found.iter().all(|other| other.0 != i);
        let is_given = is_first && of_parameters(slope) && of_parameters(value);
        if is_given {
            found.push((i, value));
        }
        is_given
    };
    let joint = start_rows(p).map(|rows| {
        let rows = rows.into_iter().map(|row| row.substitute(made));
        rows.filter(|row| !gives(*row)).collect::<Vec<_>>()
    });
    (found, joint)
}

/// Rows on velocities and the velocity variables of the file, and their derivatives by the velocities: the variables are
/// what they are defined as, or what the velocities that they give make of them, `z = (S^T S)^-1 S^T (v - s)` where
/// `v = S z + s`. Rows that this is not known of are left out.
pub(super) fn in_velocities<'g>(
    p: &Prepared<'g>,
    sketch: &mut Sketch<'g>,
    rows: &[Ex<'g>],
) -> (Vec<Ex<'g>>, Matrix<'g>) {
    let (graph, motion, v) = (p.system.graph, &p.model.motion, &p.system.v);
    let z: Vec<Ex<'g>> = motion
        .variables
        .iter()
        .map(|variable| graph.ex(variable.symbol))
        .collect();
    let speaks = |row: &Ex<'g>| z.iter().any(|z| row.depends_on(*z));
    let plain = |rows: Vec<Ex<'g>>| {
        let slopes = Matrix::jacobian(graph, &rows, v);
        (rows, slopes)
    };
    if let Some(definitions) = &motion.definitions {
        let by: Vec<_> = z.iter().copied().zip(graph.exs(definitions)).collect();
        return plain(rows.iter().map(|row| row.substitute(&by)).collect());
    }
    let psi = motion.psi.as_ref().map(|psi| graph.exs(psi));
    let slopes = psi.as_ref().map(|psi| Matrix::jacobian(graph, psi, &z));
    let is_affine = |slopes: &Matrix<'g>| !slopes.entries().iter().any(speaks);
    let (Some(psi), Some(s)) = (psi, slopes.filter(is_affine)) else {
        return plain(rows.iter().copied().filter(|row| !speaks(row)).collect());
    };
    let at_zero: Vec<_> = z.iter().map(|z| (*z, graph.int(0))).collect();
    let rest = v
        .iter()
        .zip(&psi)
        .map(|(v, psi)| *v - psi.substitute(&at_zero));
    let rest = Matrix::column(graph, rest.collect());
    let turned = s.transpose();
    let square = &turned * &s;
    let by_velocities = sketch.solve(SolveKind::Symmetric, "z_by_velocities", &square, &turned);
    let values = &by_velocities * &rest;
    let by: Vec<_> = z
        .iter()
        .copied()
        .zip(values.entries().iter().copied())
        .collect();
    let put_in = |x: &Ex<'g>| x.substitute(&by);
    let direct = Matrix::jacobian(graph, rows, v);
    let through = &Matrix::jacobian(graph, rows, &z) * &by_velocities;
    let slopes = &direct + &through;
    let slopes = Matrix::from_fn(graph, rows.len(), v.len(), |i, k| put_in(&slopes[(i, k)]));
    (rows.iter().map(put_in).collect(), slopes)
}
